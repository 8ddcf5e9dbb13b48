"""Files of people are read as they are; what is no record is named, and nothing else is lost."""

import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.encode import encode_answer
from eyelog.archive.importing import csv_log, log_file
from eyelog.catalogue import LOGS, columns
from eyelog.errors import (
    AnswerError,
    ArchiveError,
    ConfigurationError,
    EyelogWarning,
    MixedLogsError,
)
from eyelog.provenance import history
from support.loggerfiles import (
    FIFTEEN,
    SIXTY,
    logger_csv,
    long_fields,
    sample_script_csv,
    zipped,
)
from support.paths import DATASETS

HOURS = {log: el.sample(log).loc["2026-10-21 09:00":"2026-10-21 10:30"] for log in LOGS}
TEN = HOURS[FIFTEEN].iloc[:10]

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def write(content: str | bytes, name: str = "log.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def known(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return the part of a frame that a Logger file can hold, in UTC."""
    return frame[long_fields(log)].tz_convert("UTC")


def test_the_sample_files_of_the_logger_app_hold_the_sample() -> None:
    for log, kind in zip(LOGS, ("logicIndexData", "summaryData"), strict=True):
        frame = el.read_logger_csv(
            DATASETS / f"20261021-080000_CDC000000001_{kind}.csv", tz="Asia/Tokyo"
        )
        wanted = el.sample(log).loc["2026-10-21 08:00":"2026-10-21 12:00"]
        names = long_fields(log)
        assert_frame_equal(frame[names], wanted[names], check_freq=False)
        assert list(frame.columns) == list(columns(log))
        assert frame.attrs["eyelog"]["log"] == log


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("dates", ["Z", "+0900", "+09:00", "naive", "swift"])
def test_a_date_is_read_however_it_is_written(put: Put, log: str, dates: str) -> None:
    path = put(logger_csv(HOURS[log], log, dates=dates))
    frame = el.read_logger_csv(path, tz="Asia/Tokyo" if dates == "naive" else None)
    assert_frame_equal(known(frame, log), known(HOURS[log], log), check_freq=False)


@pytest.mark.parametrize("log", LOGS)
def test_the_sample_scripts_csv_holds_every_field_by_its_short_name(put: Put, log: str) -> None:
    frame = el.read_logger_csv(put(sample_script_csv(HOURS[log], log)), tz="Asia/Tokyo")
    wanted = HOURS[log].drop(columns="gw", errors="ignore")  # CSV cannot tell "" from missing
    assert_frame_equal(frame[wanted.columns], wanted, check_freq=False)


def test_an_exported_csv_reads_back_as_it_was(put: Put, tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(FIFTEEN, HOURS[FIFTEEN], account="me")
    path = tmp_path / "export.csv"
    archive.export(FIFTEEN, "2026-10-21", "2026-10-21", path, tz="Asia/Tokyo")
    frame = el.read_logger_csv(path, tz="Asia/Tokyo")
    assert_frame_equal(frame, HOURS[FIFTEEN], check_freq=False)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", ",\n", 1),
        lambda text: text.replace("\n", ",\n"),
        lambda text: text.replace("\n", ",,,\r\n", 1),
        lambda text: text.replace(",", " , ").replace("\n", "\t\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "\n \n" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace(",,", ",NaN,").replace(",,", ",null,"),
        lambda text: text.split("\n", 1)[0].upper() + "\n" + text.split("\n", 1)[1],
    ],
    ids=[
        "CRLF", "CR", "BOM", "comma after the header", "comma after every line", "three commas",
        "spaces", "blank lines", "blank lines first", "no last line end", "NaN and null",
        "capitals",
    ],
)  # fmt: skip
def test_what_writers_do_to_csv_changes_no_value(put: Put, change: Callable[[str], str]) -> None:
    path = put(change(logger_csv(TEN, FIFTEEN)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = el.read_logger_csv(path)
    assert_frame_equal(known(frame, FIFTEEN), known(TEN, FIFTEEN), check_freq=False)
    assert history(frame)[-1] == {
        "step": "import", "file": "log.csv", "rows": 10, "refused": 0
    }  # fmt: skip


@pytest.mark.parametrize(
    "truths", [("0", "1"), ("false", "true"), ("False", "True"), ("0.0", "1.0"), ("FALSE", "TRUE")]
)
def test_truths_are_read_however_they_are_written(put: Put, truths: tuple[str, str]) -> None:
    frame = el.read_logger_csv(put(logger_csv(TEN, FIFTEEN, truths=truths)))
    for name in ("isl", "vld"):
        assert frame[name].tolist() == TEN[name].tolist()
        assert frame[name].dtype == "boolean"


def test_a_value_at_its_cap_or_beyond_stays_as_it_is(put: Put) -> None:
    path = put("date,stepCount,blinkCount,sleepScore\n2026-10-21T00:00:00Z,255,999,-1\n")
    assert el.read_logger_csv(path)[["stp", "bk_n", "sc_slp"]].to_numpy().tolist() == [
        [255, 999, -1]
    ]


def test_unix_seconds_stand_in_for_the_date(put: Put) -> None:
    lines = ["ut,fitDuration", "1792540800,60", "1792540860.0,59", "1792540920000,1", "x,2", ",3"]
    with pytest.warns(EyelogWarning, match=r"3 of 5 lines.*line 4: 'ut' is '1792540920000'"):
        frame = el.read_logger_csv(put("\n".join(lines)))
    assert frame["wea_s"].tolist() == [60, 59]
    assert frame.index[0] == pd.Timestamp("2026-10-21T00:00:00Z")


def test_where_both_are_there_the_date_counts_and_ut_fills_its_holes(put: Put) -> None:
    lines = ["date,ut,fitDuration", "2026-10-21T09:00:00+0900,5,60", ",1792540860,59"]
    frame = el.read_logger_csv(put("\n".join(lines)))
    assert frame.index.strftime("%H:%M").tolist() == ["00:00", "00:01"]
    assert "ut" not in frame.columns


def test_a_date_without_a_zone_needs_one(put: Put) -> None:
    path = put(logger_csv(TEN, FIFTEEN, dates="naive"))
    with pytest.raises(ConfigurationError, match=r"log\.csv: the date '2026-10-21T09:.*no zone"):
        el.read_logger_csv(path)
    with pytest.raises(ConfigurationError, match="did you mean 'Asia/Tokyo'"):
        el.read_logger_csv(path, tz="Asia/Toky")


def test_an_hour_that_comes_twice_is_told_apart_by_the_order_of_the_rows(put: Put) -> None:
    clock = ["01:59", "02:00", "02:30", "02:59", "02:00", "02:30", "02:59", "03:00"]
    rows = [f"2026-10-25T{each}:00,60" for each in clock]
    frame = el.read_logger_csv(put("\n".join(["date,fitDuration", *rows])), tz="Europe/Berlin")
    assert len(frame) == 8
    assert frame.index.is_unique


def test_clock_times_that_never_were_or_cannot_be_told_are_named(put: Put) -> None:
    spring = "date,fitDuration\n2026-03-29T02:30:00,60\n2026-03-29T03:30:00,60\n"
    with pytest.warns(EyelogWarning, match="line 2: 'date' is '2026-03-29T02:30:00', no stamp"):
        assert len(el.read_logger_csv(put(spring), tz="Europe/Berlin")) == 1
    autumn = "date,fitDuration\n2026-10-25T02:30:00,60\n2026-10-25T03:30:00,60\n"
    with pytest.warns(EyelogWarning, match="line 2"):
        assert len(el.read_logger_csv(put(autumn), tz="Europe/Berlin")) == 1


JUNK = {
    "a word": ("hello", "1 column where 65 are due"),
    "nothing but commas": ("," * 64, "'date' is missing, no stamp"),
    "a date that is none": ("2026-13-45T00:00:00Z" + "," * 64, "no stamp"),
    "another number of columns": ("1,2,3", "3 columns where 65 are due"),
    "an open quotation mark": ('"2026,' + "," * 63, "a quotation mark is not closed"),
    "NULs": ("\0" * 30, "1 column where 65 are due"),
}


@pytest.mark.parametrize("case", JUNK)
@pytest.mark.parametrize("at", [1, 4, 11])
def test_junk_is_named_by_its_line_and_the_rest_is_kept(put: Put, case: str, at: int) -> None:
    line, reason = JUNK[case]
    lines = logger_csv(TEN, FIFTEEN).splitlines()
    lines.insert(at, line)
    with pytest.warns(EyelogWarning, match=rf"^log.csv: 1 of 11 lines.*line {at + 1}: .*{reason}"):
        frame = el.read_logger_csv(put("\n".join(lines)))
    assert_frame_equal(known(frame, FIFTEEN), known(TEN, FIFTEEN), check_freq=False)
    assert history(frame)[-1]["refused"] == 1


def test_bytes_that_are_no_text_spoil_their_line_alone(put: Put) -> None:
    lines = logger_csv(TEN, FIFTEEN).encode().splitlines()
    lines[3] = lines[3] + b"\xff"
    lines.append(b"\x83\x65\x83\x58\x83\x67")
    with pytest.warns(EyelogWarning, match=r"line 4: it is not UTF-8; line 12: it is not UTF-8"):
        frame = el.read_logger_csv(put(b"\n".join(lines)))
    assert len(frame) == 9


def test_a_value_that_is_none_spoils_its_line_and_says_which_field(put: Put) -> None:
    rows = ["2026-10-21T00:00:15Z,3,0", "2026-10-21T00:00:30Z,1-2,0", "2026-10-21T00:00:45Z,1,2",
            "2026-10-21T00:01:00Z,inf,1", "2026-10-21T00:01:15Z,1_0,1"]  # fmt: skip
    reasons = (
        "line 3: 'stp' is '1-2', no number; line 4: 'isl' is '2', neither true nor false;"
        " line 5: 'stp' is 'inf', no number; line 6: 'stp' is '1_0', no number"
    )
    with pytest.warns(EyelogWarning, match=reasons):
        frame = el.read_logger_csv(put("\n".join(["date,stp,isl", *rows])))
    assert frame["stp"].tolist() == [3]


def test_a_line_cut_short_at_the_end_is_named(put: Put) -> None:
    text = logger_csv(TEN, FIFTEEN)
    with pytest.warns(EyelogWarning, match=r"line 11: \d+ columns where 65 are due"):
        frame = el.read_logger_csv(put(text[:-40]))
    assert len(frame) == 9


def test_only_a_few_lines_are_named_and_all_are_counted(put: Put) -> None:
    text = "date,stp\n" + "x,1\n" * 2000 + "2026-10-21T00:00:15Z,3\n"
    with pytest.warns(EyelogWarning, match=r"2,000 of 2,001 lines.*line 6: .*and 1,995 more\)$"):
        assert len(el.read_logger_csv(put(text))) == 1


def test_lines_before_the_header_are_named(put: Put) -> None:
    text = "exported by my phone\n\n" + logger_csv(TEN, FIFTEEN)
    with pytest.warns(EyelogWarning, match="line 1: it stands before the header"):
        assert len(el.read_logger_csv(put(text))) == 10


def test_files_put_together_are_read_through_their_second_header(put: Put) -> None:
    text = logger_csv(TEN, FIFTEEN) + logger_csv(TEN.iloc[5:], FIFTEEN)
    with pytest.warns(EyelogWarning, match="line 12: 'date' is 'date', no stamp"):
        frame = el.read_logger_csv(put(text))
    assert len(frame) == 10
    assert history(frame)[0]["repeated"] == 5


def test_a_second_table_with_other_columns_is_never_read_as_the_first(put: Put) -> None:
    text = logger_csv(TEN, FIFTEEN, names=["stp", "bk_n"])
    text += logger_csv(TEN, FIFTEEN, names=["bk_n", "stp"])
    with pytest.raises(ArchiveError, match="line 12 begins another table"):
        el.read_logger_csv(put(text))


def test_of_rows_on_one_stamp_the_last_wins_and_the_count_is_kept(put: Put) -> None:
    rows = ["2026-10-21T00:00:15Z,3", "2026-10-21T00:00:30Z,4", "2026-10-21T00:00:15Z,5",
            "2026-10-21T00:00:30Z,4", "2026-10-21T09:00:30+09:00,4"]  # fmt: skip
    frame = el.read_logger_csv(put("\n".join(["date,stp", *rows])))
    assert frame["stp"].tolist() == [5, 4]
    step = history(frame)[0]
    assert (step["records"], step["repeated"], step["conflicts"]) == (2, 3, 1)


def test_rows_in_any_order_come_back_in_order_of_time(put: Put) -> None:
    head, *rows = logger_csv(TEN, FIFTEEN).splitlines()
    frame = el.read_logger_csv(put("\n".join([head, *reversed(rows)])))
    assert_frame_equal(known(frame, FIFTEEN), known(TEN, FIFTEEN), check_freq=False)


def test_an_unknown_column_is_kept_last_with_a_warning(put: Put) -> None:
    text = ",date,stp,mood,level,\n0,2026-10-21T00:00:15Z,3,fine,1.5\n"
    with pytest.warns(EyelogWarning, match="unknown fields .* mood, level"):
        frame = el.read_logger_csv(put(text))
    assert list(frame.columns[-2:]) == ["mood", "level"]
    assert frame[["mood", "level"]].iloc[0].tolist() == ["fine", 1.5]


def test_an_empty_file_is_an_empty_frame_where_its_name_tells_the_log(put: Put) -> None:
    names = {FIFTEEN: "20261021-090000_CDC000000001(00DF874C)_logicIndexData_m5.csv",
             SIXTY: "20261021-090000_CDC000000001_summaryData.csv"}  # fmt: skip
    for log, name in names.items():
        with pytest.warns(EyelogWarning, match="the file is empty"):
            frame = el.read_logger_csv(put(b"", name))
        assert frame.empty
        assert list(frame.columns) == list(columns(log))
    with pytest.raises(ArchiveError, match="the file is empty"):
        el.read_logger_csv(put(b"\xef\xbb\xbf \r\n", "unknown.csv"))


def test_a_header_alone_is_an_empty_frame(put: Put) -> None:
    frame = el.read_logger_csv(put("date,validDuration,\r\n"))
    assert frame.empty
    assert list(frame.columns) == list(columns(SIXTY))


def test_blocks_of_any_size_give_the_same_frame_and_the_same_lines(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = logger_csv(HOURS[FIFTEEN].iloc[:60], FIFTEEN).splitlines()
    lines.insert(30, "junk")
    for end in ("\n", "\r\n", "\r"):
        path = put(end.join(lines))
        with pytest.warns(EyelogWarning, match="line 31: 1 column"):
            wanted = el.read_logger_csv(path)
        for size in (1500, 1501, 1777, 5000):
            with monkeypatch.context() as patch:
                patch.setattr(csv_log, "_LOOK", 1400)
                patch.setattr(csv_log, "BLOCK", size)
                with pytest.warns(EyelogWarning, match="line 31: 1 column"):
                    frame = el.read_logger_csv(path)
            assert_frame_equal(frame, wanted)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_log, "BLOCK", 1 << 19)
    path = put(b"date,stp\n2026-10-21T00:00:15Z," + b"1" * (3 << 19))
    with pytest.raises(ArchiveError, match="a line far too long"):
        el.read_logger_csv(path)


def test_a_packed_csv_is_read(put: Put) -> None:
    content = gzip.compress(logger_csv(TEN, FIFTEEN).encode())
    assert len(el.read_logger_csv(put(content, "log.csv.gz"))) == 10
    with pytest.raises(ArchiveError, match=r"log\.csv\.gz: it cannot be read"):
        el.read_logger_csv(put(content[:-50], "log.csv.gz"))


def test_what_cannot_be_read_is_one_sentence_with_the_name(put: Put, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"nope\.csv: .*No such file"):
        el.read_logger_csv(tmp_path / "nope.csv")
    with pytest.raises(ArchiveError, match="Is a directory"):
        el.read_logger_csv(tmp_path)
    with pytest.raises(ArchiveError, match=r"it is a zip file: unpack it"):
        el.read_logger_csv(put(zipped({"a.csv": "x"}), "a.zip"))
    with pytest.raises(ArchiveError, match="read_answer reads it"):
        el.read_logger_csv(put(encode_answer(TEN, FIFTEEN), "a.json"))


def test_a_day_is_read_in_well_under_a_tenth_of_a_second_of_work(put: Put) -> None:
    import time

    path = put(logger_csv(el.sample(FIFTEEN).iloc[:5760], FIFTEEN))
    spent = []
    for _ in range(5):
        begun = time.process_time()
        el.read_logger_csv(path)
        spent.append(time.process_time() - begun)
    assert min(spent) < 0.2  # some 0.05 on a quiet machine


# ---------------------------------------------------------------- answers


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


def test_an_exported_answer_reads_back(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(SIXTY, HOURS[SIXTY], account="me")
    made = archive.export(SIXTY, "2026-10-21", "2026-10-21", tmp_path / "out", tz="Asia/Tokyo")
    assert_frame_equal(el.read_answer(made[0]), HOURS[SIXTY].tz_convert("UTC"), check_freq=False)


def test_a_walk_without_its_end_is_told(put: Put) -> None:
    with pytest.warns(EyelogWarning, match="its last answer has a cursor"):
        assert len(el.read_answer(put(halves()[0], "page.json"))) == 200


BAD_ANSWERS = {
    "not json": (b"{oops", AnswerError, "no saved answer, or a damaged one"),
    "cut short": (halves()[1][:-100], AnswerError, "truncated"),
    "an error": (b'{"error": "invalid_token"}', AnswerError, "an error object"),
    "another object": (b'{"access_token": 1}', AnswerError, "so no answer of the service"),
    "no pages": (b"[]", AnswerError, "a list without any answer"),
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


def test_the_pages_of_an_empty_day_are_an_empty_frame(put: Put) -> None:
    frame = el.read_answer(put(b'{"computed_data": {}, "cursor": null}', "answer.json"))
    assert frame.empty
    assert list(frame.columns) == list(columns(FIFTEEN))


def test_the_pages_of_answers_keep_their_order() -> None:
    bodies = b'{"computed_data": {}, "cursor": "a"}\n{"computed_data": {}, "cursor": "b"}'
    assert [page.cursor for page in log_file.answer_pages(bodies, where="x")] == ["a", "b"]
    assert np.size(log_file.answer_pages(bodies, where="x")[0].stamps) == 0
