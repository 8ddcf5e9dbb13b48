"""Diaries are read in the spellings that people and spreadsheets use, or the line is named."""

import gzip
import os
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.loggerfiles import zipped


def read(tmp_path: Path, text: str | bytes, tz: str = "Asia/Tokyo", **options: Any) -> pd.DataFrame:
    path = tmp_path / "diary.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return el.read_events(path, tz=tz, **options)


def test_intervals_and_moments_become_a_table_in_order_of_time(tmp_path: Path) -> None:
    events = read(
        tmp_path,
        "start,end,label,remark\n2026-10-24 15:00,,tea,\n"
        "2026-10-24 09:00,2026-10-24 12:00,work,x\n",
    )
    assert list(events.columns) == ["start", "end", "label", "kind", "value"]
    assert events.index.equals(pd.RangeIndex(2))
    times, texts = ["datetime64[us, Asia/Tokyo]"] * 2, ["string"] * 2
    assert events.dtypes.astype(str).tolist() == [*times, *texts, "float64"]
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
    named = {"encoding": encoding} if encoding == "cp932" else {}
    events = read(tmp_path, text.encode(encoding), **named)
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
        ("10/11/2026 09:00,,x", "its date '10/11/2026 09:00' may have the day or the month first"),
        ("03.04.2026,,x", "its date '03.04.2026' .*: pass dayfirst=True .* or dayfirst=False"),
        ("24.10.26,,x", "line 3: its time is '24.10.26', not a stamp such as"),
        (
            "24.13.2026,,x",
            "its date '24.13.2026' begins with the day, and '24.13.2026' with the month",
        ),
        ("2026-10-24,2026-10-23,x", "line 3: the event ends before it starts"),
        ("9:00,,x", "line 3: its time is '9:00', not a stamp such as 2026"),
        ("1761264000,,x", "line 3: its time is '1761264000', not a stamp"),
        ("2026-02-30 09:00,,x", "line 3: its time is '2026-02-30 09:00', not a stamp"),
        ("2026-10-24 24:30,,x", "line 3: its time is '2026-10-24 24:30', not a stamp"),
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
    with pytest.raises(el.ConfigurationError, match=f"diary.csv[,:] {says}"):
        read(tmp_path, text, tz="Europe/Berlin")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "diary.csv: it is empty"),
        (b"end,label\n2026-10-24 09:00,x\n", r"no column 'start' \(its header is 'end', 'label'\)"),
        (b"start,end\n2026-10-24 09:00,\n", "no column 'label'"),
        (
            b"strat,label\n2026-10-24,x\n",
            r"no column 'start' .*'strat' \(did you mean 'start'\?\), 'label'",
        ),
        (b"start,lable\n2026-10-24,x\n", r"no column 'label' .*'lable' \(did you mean 'label'\?\)"),
        (b"\x80\x81\xff\xfe\x00", "not text in UTF-8, UTF-16, cp932, EUC-JP or cp1252"),
    ],
)
def test_a_file_that_is_not_a_diary_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        read(tmp_path, content)


def test_a_path_without_a_file_is_shown_as_it_was_given(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "diary.csv"):
        with pytest.raises(el.ConfigurationError, match=f"^{re.escape(str(path))}: it cannot be"):
            el.read_events(path, tz="Asia/Tokyo")


def test_of_packed_files_no_event_is_lost_unsaid(tmp_path: Path) -> None:
    text = "start,label\n" + "".join(f"2026-10-24 09:{at:02d},{at**9}\n" for at in range(60))
    assert len(read(tmp_path, zipped({"a.csv": text}))) == 60
    with pytest.raises(el.ConfigurationError, match="it has several files: unpack it"):
        read(tmp_path, zipped({"a.csv": text, "b.csv": text}))
    with pytest.warns(el.EyelogWarning, match=r"diary\.csv: it breaks off before its end"):
        assert 0 < len(read(tmp_path, gzip.compress(text.encode())[:-200])) < 60


def test_a_named_utf_16_may_have_a_mark_and_a_pipe_is_read(tmp_path: Path) -> None:
    text = "start,label\n2026-10-24 09:00,会議\n"
    for encoding in ("utf-16", "utf-16-le"):
        content = text.encode(encoding)
        assert read(tmp_path, content, encoding=encoding)["label"].tolist() == ["会議"]
    from_end, to_end = os.pipe()
    os.write(to_end, text.encode())
    os.close(to_end)
    assert el.read_events(f"/dev/fd/{from_end}", tz="UTC")["label"].tolist() == ["会議"]
    os.close(from_end)
    with pytest.raises(el.ConfigurationError, match="Is a directory"):
        el.read_events(tmp_path, tz="UTC")


@given(
    st.datetimes(pd.Timestamp("2015-01-02"), pd.Timestamp("2026-11-01")),
    st.sampled_from(["%Y-%m-%dT%H:%M:%S.%f%z", "%Y/%m/%d %H:%M:%S.%f %z"]),
    st.sampled_from(["UTC", "Asia/Tokyo", "Europe/Berlin", "Australia/Lord_Howe"]),
)
def test_every_instant_comes_back(tmp_path_factory, time, form, tz) -> None:
    stamp = pd.Timestamp(time, tz="UTC").as_unit("us").tz_convert(tz)
    folder = tmp_path_factory.mktemp("diary")
    events = read(folder, f"start,label\n{stamp.strftime(form)},x\n", tz)
    assert events["start"][0] == stamp


def test_a_misspelt_column_of_ends_is_said_and_other_columns_are_not(tmp_path: Path) -> None:
    with pytest.warns(el.EyelogWarning, match="no column 'end': if 'Ennd' is one, name it end"):
        read(tmp_path, "start,Ennd,label\n2026-10-24 09:00,2026-10-24 10:00,x\n")
    read(tmp_path, "start,friend,steps,label\n2026-10-24 09:00,anna,3,x\n")


# Days without a clock time


@pytest.mark.parametrize(
    ("tz", "day", "start", "end"),
    [
        ("Asia/Tokyo", "2026-10-24", "2026-10-24 00:00:00+09:00", "2026-10-25 00:00:00+09:00"),
        ("Europe/Berlin", "2026-10-25", "2026-10-25 00:00:00+02:00", "2026-10-26 00:00:00+01:00"),
        # The clocks jumped over this midnight: the day began at one o'clock.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04 01:00:00-02:00",
         "2018-11-05 00:00:00-02:00"),
        ("America/Sao_Paulo", "2018-11-03", "2018-11-03 00:00:00-03:00",
         "2018-11-04 01:00:00-02:00"),
    ],
)  # fmt: skip
def test_a_day_without_a_clock_time_is_the_whole_local_day(
    tmp_path: Path, tz: str, day: str, start: str, end: str
) -> None:
    events = read(tmp_path, f"date,label\n{day},x\n", tz)
    assert [str(events[name][0]) for name in ("start", "end")] == [start, end]


@given(
    st.dates(pd.Timestamp("2015-01-02").date(), pd.Timestamp("2026-11-01").date()),
    st.sampled_from(["America/Sao_Paulo", "Asia/Beirut", "Africa/Cairo", "America/Havana"]),
)
def test_days_that_follow_each_other_share_no_instant(tmp_path_factory, day, tz) -> None:
    days = [str(each.date()) for each in pd.date_range(day, periods=3)]
    folder = tmp_path_factory.mktemp("diary")
    events = read(folder, "date,label\n" + "".join(f"{each},x\n" for each in days), tz)
    assert events["end"].tolist()[:2] == events["start"].tolist()[1:]
    inside = events["start"] + (events["end"] - events["start"]) / 2
    assert inside.dt.strftime("%Y-%m-%d").tolist() == days


def test_the_last_of_several_days_is_whole_too(tmp_path: Path) -> None:
    events = read(tmp_path, "from,to,what\n2026-10-24,2026-10-26,trip\n2026-10-28 09:00,,tea\n")
    assert str(events["end"][0]) == "2026-10-27 00:00:00+09:00"
    assert events["end"].isna().tolist() == [False, True]
    half = read(tmp_path, "from,to,what\n2026-10-24 15:00,2026-10-26,trip\n")
    assert [str(half[name][0])[:16] for name in ("start", "end")] == [
        "2026-10-24 15:00", "2026-10-27 00:00"
    ]  # fmt: skip


# The day or the month first


@pytest.mark.parametrize(
    ("dates", "dayfirst", "read_as"),
    [
        (["24.10.2026", "03.04.2026"], None, ["2026-10-24", "2026-04-03"]),
        (["10/24/2026", "3/4/2026"], None, ["2026-10-24", "2026-03-04"]),
        (["03.04.2026"], True, ["2026-04-03"]),
        (["03.04.2026"], False, ["2026-03-04"]),
        (["3-4-2026 09:00"], True, ["2026-04-03"]),
        (["05.05.2026"], None, ["2026-05-05"]),  # whichever is first
        (["2026-04-03"], False, ["2026-04-03"]),
    ],
)
def test_one_number_above_twelve_gives_the_order_of_all_dates(
    tmp_path: Path, dates: list[str], dayfirst: bool | None, read_as: list[str]
) -> None:
    text = "start,label\n" + "".join(f"{each},x\n" for each in dates)
    events = read(tmp_path, text, dayfirst=dayfirst)
    assert events["start"].dt.strftime("%Y-%m-%d").tolist() == sorted(read_as)


@pytest.mark.parametrize(
    ("dates", "dayfirst", "says"),
    [
        (["24.10.2026", "10/25/2026"], None, "'24.10.2026' begins with the day, and"
         " '10/25/2026' with the month"),
        (["24.10.2026"], False, "line 2: .* '24.10.2026', not a stamp with dayfirst=False"),
        (["10/24/2026"], True, "line 2: .* '10/24/2026', not a stamp with dayfirst=True"),
    ],
)  # fmt: skip
def test_dates_in_two_orders_are_refused(
    tmp_path: Path, dates: list[str], dayfirst: bool | None, says: str
) -> None:
    text = "start,label\n" + "".join(f"{each},x\n" for each in dates)
    with pytest.raises(el.ConfigurationError, match=says):
        read(tmp_path, text, dayfirst=dayfirst)


# Excel


def test_a_workbook_is_a_diary_and_its_dates_are_days(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    book.active.append(["some", "notes"])
    sheet = book.create_sheet("diary")
    sheet.append(["start", "end", "label"])
    sheet.append([pd.Timestamp("2026-10-24").date(), None, "holiday"])
    sheet.append([pd.Timestamp("2026-10-25 00:00"), pd.Timestamp("2026-10-25 01:30"), "night"])
    sheet.append([pd.Timestamp("2026-10-25 22:00"), pd.Timestamp("2026-10-26"), "evening"])
    sheet.append(["26.10.2026", None, pd.Timestamp("2026-10-26").date()])
    book.save(tmp_path / "diary.xlsx")
    events = el.read_events(tmp_path / "diary.xlsx", tz="Asia/Tokyo")
    assert events["label"].tolist() == ["holiday", "night", "evening", "2026-10-26"]
    hours = (events["end"] - events["start"]) / pd.Timedelta("1h")
    assert hours.tolist() == [24.0, 1.5, 2.0, 24.0]


def test_label_takes_whole_days(tmp_path: Path) -> None:
    frame = el.sample("standard_mode_logs")
    events = read(tmp_path, "date,label\n20.10.2026,office\n21.10.2026,home\n")
    labels = el.label(frame, events)
    on_day = (frame.index - pd.Timedelta("30s")).strftime("%Y-%m-%d")
    assert (labels == "office").tolist() == (on_day == "2026-10-20").tolist()
    assert (labels == "home").tolist() == (on_day == "2026-10-21").tolist()
