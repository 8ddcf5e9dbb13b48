"""Saved answers read as the frames they came from; a file that is not one says why."""

import gzip
import json

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.encode import encode_answer
from eyelog.archive.importing import saved_log
from eyelog.catalogue import LOGS, columns
from eyelog.errors import (
    AnswerError,
    ArchiveError,
    EyelogWarning,
    MixedLogsError,
)
from eyelog.provenance import history
from support.loggerfiles import (
    FIFTEEN,
    HOURS,
    Put,
)


def halves() -> tuple[bytes, bytes]:
    frame = HOURS[FIFTEEN]
    return (
        encode_answer(frame.iloc[:200], FIFTEEN, cursor="next"),
        encode_answer(frame.iloc[150:], FIFTEEN),
    )


@pytest.mark.parametrize("log", LOGS)
def test_a_saved_answer_reads_as_the_frame_it_came_from(put: Put, log: str) -> None:
    body = encode_answer(HOURS[log], log)
    for content in (body, gzip.compress(body), b"\xef\xbb\xbf" + body + b"\r\n",
                    json.dumps(json.loads(body), indent=2).encode()):  # fmt: skip
        frame = el.read_answer(put(content, "answer.json"))
        assert_frame_equal(frame, HOURS[log].tz_convert("UTC"), check_freq=False)


@pytest.mark.parametrize("form", [b"[%s,\n%s]", b"%s\n%s\n", b"%s\n\n%s", b" [ %s , %s ] "])
def test_the_pages_of_a_walk_read_as_one_frame(put: Put, form: bytes) -> None:
    frame = el.read_answer(put(form % halves(), "pages.json"))
    assert_frame_equal(frame, HOURS[FIFTEEN].tz_convert("UTC"), check_freq=False)
    assert history(frame)[0]["repeated"] == 50


def test_a_walk_without_its_end_is_a_warning(put: Put) -> None:
    with pytest.warns(EyelogWarning, match="its last answer has a cursor"):
        assert len(el.read_answer(put(halves()[0], "page.json"))) == 200


BAD_ANSWERS = {
    "not json": (b"{oops", AnswerError, "not a saved answer, or a damaged one"),
    "cut short": (halves()[1][:-100], AnswerError, "truncated"),
    "an error": (b'{"error": "invalid_token"}', AnswerError, "an error object"),
    "another object": (b'{"access_token": 1}', AnswerError, "is not an answer of the service"),
    "no pages": (b"[]", AnswerError, "the list has no answer"),
    "a number": (b"[1]", AnswerError, "the number 1, not an object"),
    "a wrong type": (
        b'{"computed_data": {"9": [{"date": "2026-10-21T00:00:00Z", "stp": "7"}]}}',
        AnswerError,
        "hour '9', record 1 of 1, field 'stp'",
    ),
    "both logs": (
        b'[{"computed_data": {}},{"standard_mode_logs": {}}]', MixedLogsError, "answer 2 of 2",
    ),
    "nothing": (b"", ArchiveError, "empty"),
    "HTML": (b"<!doctype html>", ArchiveError, "HTML"),
    "CSV": (b"date,stp\n", ArchiveError, "read_logger_csv reads it"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_ANSWERS)
def test_a_bad_answer_is_an_error_that_names_the_file(put: Put, case: str) -> None:
    content, error, words = BAD_ANSWERS[case]
    with pytest.raises(error, match=words) as caught:
        el.read_answer(put(content, "answer.json"))
    assert str(caught.value).startswith("answer.json")
    assert "ask again" not in str(caught.value)


def test_answers_with_too_many_unknown_fields_in_all_are_refused(put: Put) -> None:
    def body(begin: int) -> str:
        record = {"date": "2026-10-24T09:00:00Z"} | {f"new{begin + n}": 1 for n in range(150)}
        return json.dumps({FIFTEEN: {"9": [record]}})

    with pytest.raises(AnswerError, match=r"more than 200 fields.*; nothing of the file was read"):
        el.read_answer(put(f"[{body(0)}, {body(100)}]", "answers.json"))


def test_the_pages_of_an_empty_day_are_an_empty_frame(put: Put) -> None:
    frame = el.read_answer(put(b'{"computed_data": {}, "cursor": null}', "answer.json"))
    assert frame.empty
    assert list(frame.columns) == list(columns(FIFTEEN))


def test_the_pages_of_answers_keep_their_order() -> None:
    bodies = b'{"computed_data": {}, "cursor": "a"}\n{"computed_data": {}, "cursor": "b"}'
    assert [page.cursor for page in saved_log.answer_pages(bodies, where="x")] == ["a", "b"]
    assert np.size(saved_log.answer_pages(bodies, where="x")[0].stamps) == 0
