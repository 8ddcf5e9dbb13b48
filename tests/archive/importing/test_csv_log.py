"""A CSV file gives every record in it; lines that are not records are reported, the rest kept."""

import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive.importing import csv_log
from eyelog.catalogue import columns
from eyelog.errors import (
    ArchiveError,
    EyelogWarning,
)
from eyelog.provenance import history
from support.loggerfiles import (
    FIFTEEN,
    HOURS,
    SIXTY,
    TEN,
    Put,
    logger_csv,
    logger_part,
)

JUNK = {
    "a word": ("hello", "it has 1 column, not 65"),
    "nothing but commas": ("," * 64, "'date' is missing, not a stamp"),
    "not a date": ("2026-13-45T00:00:00Z" + "," * 64, "not a stamp"),
    "another number of columns": ("1,2,3", "it has 3 columns, not 65"),
    "an open quotation mark": ('"2026,' + "," * 63, "a quotation mark is not closed"),
    "NULs": ("\0" * 30, "it has 1 column, not 65"),
}


@pytest.mark.parametrize("case", JUNK)
@pytest.mark.parametrize("at", [1, 4, 11])
def test_junk_is_reported_by_its_line_and_the_rest_is_kept(put: Put, case: str, at: int) -> None:
    line, reason = JUNK[case]
    lines = logger_csv(TEN, FIFTEEN).splitlines()
    lines.insert(at, line)
    with pytest.warns(
        EyelogWarning, match=rf"^log.csv: left out 1 of 11 lines.*line {at + 1}: .*{reason}"
    ):
        frame = el.read_logger_csv(put("\n".join(lines)))
    assert_frame_equal(logger_part(frame, FIFTEEN), logger_part(TEN, FIFTEEN), check_freq=False)
    assert history(frame)[-1]["refused"] == 1


def test_a_truncated_last_line_is_reported(put: Put) -> None:
    text = logger_csv(TEN, FIFTEEN)
    with pytest.warns(EyelogWarning, match=r"line 11: it has \d+ columns, not 65"):
        frame = el.read_logger_csv(put(text[:-40]))
    assert len(frame) == 9


def test_only_a_few_lines_are_shown_and_all_are_counted(put: Put) -> None:
    text = "date,stp\n" + "x,1\n" * 2000 + "2026-10-21T00:00:15Z,3\n"
    with pytest.warns(EyelogWarning, match=r"2,000 of 2,001 lines.*line 6: .*and 1,995 more\)$"):
        assert len(el.read_logger_csv(put(text))) == 1


def test_lines_before_the_header_are_reported(put: Put) -> None:
    text = "exported by my phone\n\n" + logger_csv(TEN, FIFTEEN)
    with pytest.warns(EyelogWarning, match="line 1: it comes before the header"):
        assert len(el.read_logger_csv(put(text))) == 10


def test_concatenated_files_are_read_past_their_second_header(put: Put) -> None:
    text = logger_csv(TEN, FIFTEEN) + logger_csv(TEN.iloc[5:], FIFTEEN)
    with pytest.warns(EyelogWarning, match="line 12: 'date' is 'date', not a stamp"):
        frame = el.read_logger_csv(put(text))
    assert len(frame) == 10
    assert history(frame)[0]["repeated"] == 5


def test_a_second_table_with_other_columns_is_never_read_as_the_first(put: Put) -> None:
    text = logger_csv(TEN, FIFTEEN, names=["stp", "bk_n"])
    text += logger_csv(TEN, FIFTEEN, names=["bk_n", "stp"])
    with pytest.raises(ArchiveError, match="line 12 begins another table"):
        el.read_logger_csv(put(text))


def test_of_rows_with_one_stamp_the_last_wins_and_the_count_is_kept(put: Put) -> None:
    rows = ["2026-10-21T00:00:15Z,3", "2026-10-21T00:00:30Z,4", "2026-10-21T00:00:15Z,5",
            "2026-10-21T00:00:30Z,4", "2026-10-21T09:00:30+09:00,4"]  # fmt: skip
    frame = el.read_logger_csv(put("\n".join(["date,stp", *rows])))
    assert frame["stp"].tolist() == [5, 4]
    step = history(frame)[0]
    assert (step["records"], step["repeated"], step["conflicts"]) == (2, 3, 1)


def test_rows_in_any_order_come_back_in_order_of_time(put: Put) -> None:
    head, *rows = logger_csv(TEN, FIFTEEN).splitlines()
    frame = el.read_logger_csv(put("\n".join([head, *reversed(rows)])))
    assert_frame_equal(logger_part(frame, FIFTEEN), logger_part(TEN, FIFTEEN), check_freq=False)


def test_an_unknown_column_is_kept_last_with_a_warning(put: Put) -> None:
    text = ",date,stp,mood,level,\n0,2026-10-21T00:00:15Z,3,fine,1.5\n"
    with pytest.warns(EyelogWarning, match="unknown fields .* mood, level"):
        frame = el.read_logger_csv(put(text))
    assert list(frame.columns[-2:]) == ["mood", "level"]
    assert frame[["mood", "level"]].iloc[0].tolist() == ["fine", 1.5]


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
        with pytest.warns(EyelogWarning, match="line 31: it has 1 column"):
            wanted = el.read_logger_csv(path)
        for size in (1500, 1501, 1777, 5000):
            with monkeypatch.context() as patch:
                patch.setattr(csv_log, "_LOOK", 1400)
                patch.setattr(csv_log, "BLOCK", size)
                with pytest.warns(EyelogWarning, match="line 31: it has 1 column"):
                    frame = el.read_logger_csv(path)
            assert_frame_equal(frame, wanted)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_log, "BLOCK", 1 << 19)
    path = put(b"date,stp\n2026-10-21T00:00:15Z," + b"1" * (3 << 19))
    with pytest.raises(ArchiveError, match="a line far too long"):
        el.read_logger_csv(path)
