"""Diaries are read in the spellings that people and spreadsheets use, or the line is named."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el


def read(tmp_path: Path, text: str | bytes, tz: str = "Asia/Tokyo") -> pd.DataFrame:
    path = tmp_path / "diary.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return el.read_events(path, tz=tz)


def test_intervals_and_moments_become_a_table_in_order_of_time(tmp_path: Path) -> None:
    events = read(
        tmp_path,
        "start,end,label,remark\n2026-10-24 15:00,,tea,\n"
        "2026-10-24 09:00,2026-10-24 12:00,work,x\n",
    )
    assert list(events.columns) == ["start", "end", "label"]
    assert events.index.equals(pd.RangeIndex(2))
    assert events.dtypes.astype(str).tolist() == [*["datetime64[us, Asia/Tokyo]"] * 2, "string"]
    assert events["label"].tolist() == ["work", "tea"]
    assert events["end"].isna().tolist() == [False, True]
    assert str(events["start"][0]) == "2026-10-24 09:00:00+09:00"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-24 09:00", "2026-10-24 09:00:00"),
        ("2026-10-24T09:00:30", "2026-10-24 09:00:30"),
        ("2026/10/24 9:05", "2026-10-24 09:05:00"),
        ("2026/1/4 9:05:06", "2026-01-04 09:05:06"),
        ("2026.10.24 09:00", "2026-10-24 09:00:00"),
        ("2026-10-24T00:00:00Z", "2026-10-24 09:00:00"),
        ("2026-10-24T02:00:00.25+02:00", "2026-10-24 09:00:00.250000"),
        ("2026-10-24 09:00 +0900", "2026-10-24 09:00:00"),
    ],
)
def test_times_with_the_year_first_are_read(tmp_path: Path, text: str, expected: str) -> None:
    events = read(tmp_path, f"start,label\n{text},x\n")
    assert str(events["start"][0]) == f"{expected}+09:00"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "names", [("from", "to", "activity"), ("Begin", "Until", "Event"), ("開始", "終了", "ラベル")]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932"])
def test_a_diary_of_a_spreadsheet_is_read(
    tmp_path: Path, delimiter: str, names: tuple[str, str, str], encoding: str
) -> None:
    rows = [names, ("2026/10/24 9:00", "2026/10/24 10:00", "会議, lang")]
    quoted = [[f'"{cell}"' if "," in cell else cell for cell in row] for row in rows]
    text = "\r\n".join(delimiter.join(row) for row in quoted) + "\r\n\r\n"
    events = read(tmp_path, text.encode(encoding))
    assert events["label"].tolist() == ["会議, lang"]
    assert str(events["end"][0]) == "2026-10-24 10:00:00+09:00"


def test_the_plainest_of_several_columns_counts(tmp_path: Path) -> None:
    events = read(tmp_path, "date,start,name,label\n2026,2026-10-24 09:00,anna,x\n")
    assert str(events["start"][0]) == "2026-10-24 09:00:00+09:00"
    assert events["label"].tolist() == ["x"]


def test_a_diary_without_events_is_an_empty_table(tmp_path: Path) -> None:
    events = read(tmp_path, "start,end,label\n")
    assert len(events) == 0
    assert str(events["start"].dtype) == "datetime64[us, Asia/Tokyo]"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("10/11/2026 09:00,,x", "line 3: '10/11/2026 09:00' may have the day or the month first"),
        ("24.10.2026 09:00,,x", "line 3: .* day or the month first"),
        ("2026-10-24,,x", "line 3: '2026-10-24' is a day without a clock time"),
        ("9:00,,x", "line 3: '9:00' is not a date and a clock time: write it as 2026-10-24 09:00"),
        ("1761264000,,x", "line 3: '1761264000' is not a date and a clock time"),
        ("2026-02-30 09:00,,x", "line 3: there is no such time as '2026-02-30 09:00'"),
        ("2026-10-24 24:30,,x", "line 3: there is no such time"),
        (",2026-10-24 09:00,x", "line 3: the event has no start"),
        ("2026-10-24 09:00,,", "line 3: the event has no label"),
        ("2026-10-24 09:00,2026-10-24 08:00,x", "line 3: the event ends before it starts"),
        ("2026-10-24 09:00,,tea, black", "line 3: it has 4 columns, the header 3"),
        ("2026-10-25 02:30,,x", r"line 3: .* comes twice in Europe/Berlin.*\+02:00 or .*\+01:00"),
        ("2026-03-29 02:30,,x", "line 3: .* does not exist in Europe/Berlin"),
    ],
)
def test_a_line_that_is_not_clear_is_named(tmp_path: Path, line: str, says: str) -> None:
    text = f"start,end,label\n2026-10-24 09:00,,fine\n{line}\n"
    with pytest.raises(el.ConfigurationError, match=f"diary.csv, {says}"):
        read(tmp_path, text, tz="Europe/Berlin")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "diary.csv is empty"),
        (b"end,label\n2026-10-24 09:00,x\n", r"no column 'start' \(its header is 'end', 'label'\)"),
        (b"start,end\n2026-10-24 09:00,\n", "no column 'label'"),
        (b"\x80\x81\xff\xfe\x00", "not text in UTF-8, UTF-16 or cp932"),
    ],
)
def test_a_file_that_is_not_a_diary_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        read(tmp_path, content)


def test_a_missing_file_and_an_unknown_zone_are_said(tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="No such file"):
        el.read_events(tmp_path / "none.csv", tz="UTC")
    with pytest.raises(el.ConfigurationError, match="unknown time zone"):
        read(tmp_path, "start,label\n", tz="Asia/Tokio")


@given(
    st.datetimes(pd.Timestamp("1990-01-01"), pd.Timestamp("2090-01-01")),
    st.sampled_from(["%Y-%m-%dT%H:%M:%S.%f%z", "%Y/%m/%d %H:%M:%S.%f %z"]),
    st.sampled_from(["UTC", "Asia/Tokyo", "Europe/Berlin", "Australia/Lord_Howe"]),
)
def test_every_instant_comes_back(tmp_path_factory, time, form, tz) -> None:
    stamp = pd.Timestamp(time, tz="UTC").as_unit("us").tz_convert(tz)
    folder = tmp_path_factory.mktemp("diary")
    events = read(folder, f"start,label\n{stamp.strftime(form)},x\n", tz)
    assert events["start"][0] == stamp
