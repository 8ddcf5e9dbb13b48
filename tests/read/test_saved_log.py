"""Saved answers read as the frames they came from; a file that is not one says why."""

import json

import pytest

import eyelog as el
from support.answers import encode_answer
from support.importing import import_files
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


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")  # the column is not in the catalogue
def test_an_offset_that_is_a_text_is_read_as_a_number(put: Put, tmp_path) -> None:
    body = {
        FIFTEEN: {"9": [{"date": "2026-10-20T00:00:15Z", "stp": 1, "utc_offset_min": "540"}]},
        "cursor": None,
    }
    archive = el.Archive(tmp_path / "archive")
    (report,) = import_files(archive, [put(json.dumps(body).encode(), "page.json")])
    assert (report.status, report.kept) == ("imported", 1)


@pytest.mark.parametrize("dash", ["-", "\\u002d"])
def test_the_offsets_of_answers_are_read_however_dates_are_spelled_and_pages_may_be_empty(
    put: Put, dash: str
) -> None:
    dates = [f"2026{dash}10-20T09:00:15+09:00", f"2026{dash}10-20T09:00:30+02:00"]
    full = [f'{{"{FIFTEEN}": {{"9": [{{"date": "{at}", "stp": 1}}]}}}}' for at in dates]
    empty = f'{{"{FIFTEEN}": {{}}, "cursor": null}}'
    frame = el.read(put("\n".join([empty, *full, empty]), "walk.json"), tz="file")
    assert frame["utc_offset_min"].tolist() == [540, 120]


BAD_ANSWERS = {
    "not json": (b"{oops", el.AnswerError, "not a saved answer, or a damaged one"),
    "cut short": (halves()[1][:-100], el.AnswerError, "truncated"),
    "an error": (b'{"error": "invalid_token"}', el.AnswerError, "an error object"),
    "another object": (b'{"access_token": 1}', el.AnswerError, "is not an answer of the service"),
    "no pages": (b"[]", el.AnswerError, "the list has no answer"),
    "a number": (b"[1]", el.AnswerError, "got `int`"),
    "a wrong type": (
        b'{"computed_data": {"9": [{"date": "2026-10-21T00:00:00Z", "stp": "7"}]}}',
        el.AnswerError,
        "hour '9', record 1 of 1, field 'stp'",
    ),
    "both logs": (
        b'[{"computed_data": {}},{"standard_mode_logs": {}}]', el.MixedLogsError, "answer 2 of 2",
    ),
    "nothing": (b"", el.ArchiveError, "empty"),
    "HTML": (b"<!doctype html>", el.ArchiveError, "HTML"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_ANSWERS)
def test_a_bad_answer_is_an_error_that_names_the_file(put: Put, case: str) -> None:
    content, error, words = BAD_ANSWERS[case]
    with pytest.raises(error, match=words) as caught:
        el.read(put(content, "answer.json"))
    assert "answer.json" in str(caught.value)
    assert "ask again" not in str(caught.value)


def test_answers_with_too_many_unknown_fields_in_all_are_refused(put: Put) -> None:
    def body(begin: int) -> str:
        record = {"date": "2026-10-24T09:00:00Z"} | {f"new{begin + n}": 1 for n in range(150)}
        return json.dumps({FIFTEEN: {"9": [record]}})

    with pytest.raises(
        el.AnswerError, match=r"more than 200 fields.*; nothing of the file was read"
    ):
        el.read(put(f"[{body(0)}, {body(100)}]", "answers.json"))
