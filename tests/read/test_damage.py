"""Damaged files never pass as whole: read, import and uploads say the same about the same file.

Each kind of damage has three inputs, and each of them its right value.
"""

import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.importing import import_files
from support.loggerfiles import FIFTEEN, HOURS, SIXTY, logger_csv
from support.logs import history

RECORDS = HOURS[SIXTY].iloc[:80]
QUICK = HOURS[FIFTEEN].iloc[:240]


def text(frame: pd.DataFrame = RECORDS, log: str = SIXTY) -> str:
    return logger_csv(frame, log)


def redated(change: Callable[[pd.Timestamp], str], frame: pd.DataFrame, log: str) -> str:
    """Return a file whose dates, on the clock of the frame, are written in another way."""
    head, *rows = logger_csv(frame, log).splitlines()
    dated = [
        ",".join([change(stamp), *row.split(",")[1:]])
        for stamp, row in zip(frame.index, rows, strict=True)
    ]
    return "\n".join([head, *dated]) + "\n"


def read(path: Path, **options: Any) -> tuple[pd.DataFrame, str]:
    """Return the frame of a file, and everything that was said about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = el.read(path, **{"tz": "Asia/Tokyo", **options})
    counts = history(frame)[-1]
    parts = ("kept", "repeated", "conflicts", "refused")
    assert counts["rows"] == sum(counts[name] for name in parts)
    return frame, "; ".join(str(each.message) for each in caught)


def imported(archive: el.Archive, path: Path, **options: Any) -> tuple[SimpleNamespace, str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        [report] = import_files(archive, [path], **{"tz": "Asia/Tokyo", **options})
    if report.status != "refused":
        parts = report.kept + report.repeated + report.conflicts + report.refused
        assert report.read == parts
    return report, "; ".join(str(each.message) for each in caught)


def refused_by_both(archive: el.Archive, path: Path, says: str, **options: Any) -> None:
    """Check that reading and importing refuse a file with the same words, and write nothing."""
    with pytest.raises(el.EyelogError) as raised:
        read(path, **options)
    assert pd.Series([str(raised.value)]).str.contains(says).all(), str(raised.value)
    report, _ = imported(archive, path, **options)
    assert (report.status, report.kept) == ("refused", 0)
    assert str(raised.value).endswith(report.reason)
    assert not Path(archive.path).exists()


# Impossible stamps


@pytest.mark.parametrize(
    "stamp", ["1970-01-01T00:00:00Z", "0007-05-01T00:00:00Z", "2099-01-01T00:00:00Z"]
)
def test_impossible_stamps_are_set_aside_and_never_stored(
    put: Callable[..., Path], archive: el.Archive, stamp: str
) -> None:
    lines = text().splitlines()
    wrong = [stamp + row[row.index(",") :] for row in lines[1:4]]
    path = put("\n".join([*lines[:50], *wrong, *lines[50:]]))
    frame, said = read(path)
    assert len(frame) == len(RECORDS)
    assert f"set aside 3 of {len(RECORDS) + 3} records" in said
    assert "line 51: " + stamp[:10] in said
    report, same = imported(archive, path)
    assert (report.kept, report.refused) == (len(RECORDS), 3)
    assert "set aside 3 of" in same
    assert len(archive.read(SIXTY, "1970-01-01", "2100-01-01", tz="UTC")) == len(RECORDS)


def test_a_file_of_impossible_stamps_alone_is_refused(
    put: Callable[..., Path], archive: el.Archive
) -> None:
    path = put(redated(lambda at: f"{at.replace(year=2000):%Y-%m-%dT%H:%M:%SZ}", RECORDS, SIXTY))
    refused_by_both(archive, path, "all of its stamps are before 2015, .*line 2: 2000-")


def test_impossible_stamps_of_other_formats_are_set_aside_too(tmp_path: Path) -> None:
    early = RECORDS.iloc[:2].set_axis(pd.to_datetime(["1999-01-01", "1999-01-02"], utc=True))
    both = pd.concat([early.tz_convert("Asia/Tokyo").rename_axis("date"), RECORDS])
    both.to_parquet(tmp_path / "a.parquet")
    frame, said = read(tmp_path / "a.parquet")
    assert len(frame) == len(RECORDS)
    assert "row 1: 1999-01-01" in said
    diary = "start,label\n1970-01-01,x\n2026-10-21 09:00,work\n2099-01-01,y\n"
    (tmp_path / "d.csv").write_text(diary)
    with pytest.warns(el.EyelogWarning, match="set aside 2 of 3 events"):
        assert el.read_events(tmp_path / "d.csv", tz="UTC")["label"].tolist() == ["work"]


# Stamps that lost their resolution


@pytest.mark.parametrize(
    ("log", "form", "says"),
    [
        (
            FIFTEEN,
            "%Y-%m-%dT%H:%M:00+09:00",
            r"240 records .* only 6\d .*, 60 s apart",
        ),
        (SIXTY, "%Y-%m-%dT%H:00:00+09:00", "80 records .* only 2 .*, 3,600 s apart"),
        (SIXTY, "%Y-%m-%d 00:00+09:00", r"80 records .* only 1 different stamps \("),
    ],
)
def test_stamps_that_lost_their_resolution_are_refused_by_name(
    put: Callable[..., Path], archive: el.Archive, log: str, form: str, says: str
) -> None:
    frame = QUICK if log == FIFTEEN else RECORDS
    path = put(redated(lambda at: at.strftime(form), frame, log))
    refused_by_both(archive, path, says)


# Cells and lines


@pytest.mark.parametrize("cell", ["inf", "x", "1.2.3"])
def test_one_bad_cell_costs_one_cell(
    put: Callable[..., Path], archive: el.Archive, cell: str
) -> None:
    head, *rows = logger_csv(QUICK, FIFTEEN, names=["stp", "tl_yav", "isl"]).splitlines()
    rows[4] = ",".join([*rows[4].split(",")[:2], cell, rows[4].split(",")[3]])
    path = put("\n".join([head, *rows]))
    frame, said = read(path)
    assert frame["stp"].tolist() == QUICK["stp"].tolist()
    assert np.flatnonzero(frame["tl_yav"].isna())[0] == 4
    assert "left 1 cell that is no value of the field missing (line 6: 'tl_yav' is " in said
    assert cell in said
    report, same = imported(archive, path)
    assert (report.kept, report.refused, report.cells) == (len(QUICK), 0, 1)
    assert "line 6: 'tl_yav'" in same


def test_a_line_without_any_value_but_bad_ones_is_a_bad_line(put: Callable[..., Path]) -> None:
    rows = [f"2026-10-21T09:{at:02}:00Z,{at}" for at in range(20)]
    rows[3] = "2026-10-21T09:03:00Z,x"
    frame, said = read(put("\n".join(["date,val_s", *rows])))
    assert len(frame) == 19
    assert "left out 1 of 20 lines that are not records (line 5: 'val_s' is 'x'" in said


def test_an_infinite_number_in_parquet_is_a_bad_cell_too(tmp_path: Path) -> None:
    frame = QUICK.copy()
    frame.iloc[3, frame.columns.get_loc("tl_yav")] = np.inf
    frame.to_parquet(tmp_path / "a.parquet")
    back, said = read(tmp_path / "a.parquet")
    assert back["tl_yav"].isna().sum() == QUICK["tl_yav"].isna().sum() + 1
    assert "row 4: 'tl_yav' is inf" in said


@pytest.mark.parametrize("rows", [8, 20, 77])
def test_a_file_of_which_more_than_a_tenth_cannot_be_read_is_refused(
    put: Callable[..., Path], archive: el.Archive, rows: int
) -> None:
    lines = text().splitlines()
    few = put("\n".join(line if at != 3 else f"x{line}" for at, line in enumerate(lines)))
    assert len(read(few)[0]) == len(RECORDS) - 1
    junk = [f"x{line}" if 0 < at <= rows + 1 else line for at, line in enumerate(lines)]
    refused_by_both(
        archive,
        put("\n".join(junk)),
        f"{rows + 1} of its 80 lines are not records.*line 2: 'date' is 'x2026",
    )


# A clock that was set back


def stepped(by_s: float, after: int = 40) -> pd.DataFrame:
    """Return the records of a device whose clock was set back once."""
    index = RECORDS.index.to_series()
    index.iloc[after:] -= pd.Timedelta(seconds=by_s)
    return RECORDS.set_axis(pd.DatetimeIndex(index.array))


@pytest.mark.parametrize("by_s", [600, 630, 1500])
def test_a_clock_that_was_set_back_is_recognised_and_its_passes_chosen(
    put: Callable[..., Path], archive: el.Archive, by_s: int
) -> None:
    path = put(text(stepped(by_s)), "20261021-090000_CDC000000001_summaryData.csv")
    refused_by_both(
        archive,
        path,
        r"its device was set back by .* min.*lines 2 to 41, .* lines 42 to 81.*clock='first'",
    )
    step = RECORDS.index[1] - RECORDS.index[0]
    before = RECORDS.index[39]
    after = RECORDS.index[40] - pd.Timedelta(seconds=by_s)
    for clock in ("first", "last"):
        frame, said = read(path, clock=clock)
        assert f"the {clock} pass was taken" in said
        assert f"left out (in lines {'42 to 81' if clock == 'first' else '2 to 41'})" in said
        assert frame.index.is_monotonic_increasing
        assert (np.diff(frame.index) >= step).all()
        kept = (
            RECORDS["val_s"].iloc[:40].sum()
            if clock == "first"
            else RECORDS["val_s"].iloc[40:].sum()
        )
        part = frame[frame.index <= before] if clock == "first" else frame[frame.index >= after]
        assert part["val_s"].sum() == kept
        assert len(el.daily(frame)) == 1
        report, same = imported(el.Archive(f"{archive.path}-{clock}"), path, clock=clock)
        assert report.kept == len(frame)
        assert f"the {clock} pass was taken" in same


@pytest.mark.parametrize("clock", ["first", "last"])
@pytest.mark.parametrize("after", [8, 72])
def test_a_step_at_an_end_of_the_file_leaves_what_lies_beside_it(
    put: Callable[..., Path], clock: str, after: int
) -> None:
    path = put(text(stepped(900, after)))
    with pytest.raises(el.ConfigurationError, match="was set back by 15 min"):
        read(path)
    frame, _ = read(path, clock=clock)
    assert (np.diff(frame.index) >= pd.Timedelta(seconds=60)).all()
    if after == 8:  # seven minutes from before the first record, which only the second pass has
        assert frame.index[0] == RECORDS.index[8] - pd.Timedelta(minutes=15)
    assert len(frame) >= 72


def recorded(folder: Path, by_s: float, device: str = "CDC000000001") -> Path:
    """Write the files of a device that saves every 20 minutes, its clock set back after 40."""
    folder.mkdir()
    for number, first in enumerate(range(0, 80, 20)):
        path = folder / f"20261021-09{number:02}00_{device}_summaryData.csv"
        path.write_text(text(stepped(by_s).iloc[first : first + 20]))
    return folder


@pytest.mark.parametrize("by_s", [600, 630, 1100])
def test_a_clock_that_was_set_back_between_two_files_is_recognised(
    tmp_path: Path, archive: el.Archive, by_s: int
) -> None:
    files = recorded(tmp_path / "files", by_s)
    says = (
        r"clock of the device CDC000000001 was set back by .* min.*in 20261021-0901.*csv, the"
        r" second in 20261021-0902.*clock='first'.*pass only the files of one"
    )
    with pytest.raises(el.ConfigurationError, match=says):
        el.read(files)
    with pytest.raises(el.ConfigurationError, match=says):
        import_files(archive, [files])
    assert not Path(archive.path).exists()
    for clock in ("first", "last"):
        frame, said = read(files, clock=clock)
        assert f"the {clock} pass was taken" in said
        assert (np.diff(frame.index) >= RECORDS.index[1] - RECORDS.index[0]).all()
        half = RECORDS["val_s"].iloc[20:40] if clock == "first" else RECORDS["val_s"].iloc[40:60]
        edges = half.index - pd.Timedelta(seconds=0 if clock == "first" else by_s)
        assert frame["val_s"].loc[edges[0] : edges[-1]].tolist() == half.tolist()
        store = el.Archive(f"{archive.path}-{clock}")
        with pytest.warns(el.EyelogWarning, match=f"the {clock} pass was taken"):
            reports = import_files(store, [files], clock=clock)
        assert sum(report.kept for report in reports) == len(frame)
        for each in reports:
            assert each.read == each.kept + each.repeated + each.conflicts + each.refused


def test_two_devices_are_not_one_whose_clock_was_set_back(tmp_path: Path) -> None:
    recorded(tmp_path / "a", 0)
    recorded(tmp_path / "b", 630, "CDC000000002")
    with pytest.raises(el.ConfigurationError, match="as two devices do"):
        el.read([tmp_path / "a", tmp_path / "b"], clock="last")


@pytest.mark.parametrize("order", ["reversed", "halves", "shuffled"])
def test_records_in_another_order_are_no_clock_that_was_set_back(
    put: Callable[..., Path], order: str
) -> None:
    head, *rows = text().splitlines()
    half = len(rows) // 2
    if order == "shuffled":
        rows = [rows[at] for at in np.random.default_rng(1).permutation(len(rows))]
    else:
        rows = rows[::-1] if order == "reversed" else rows[half:] + rows[:half]
    frame, said = read(put("\n".join([head, *rows])))
    assert (len(frame), said) == (len(RECORDS), "")


# The wearer's clock


def travelled(tmp_path: Path) -> tuple[Path, pd.DataFrame]:
    zones = el.Zones([("", "Asia/Tokyo"), ("2026-10-21T00:40:00+00:00", "Europe/Berlin")])
    RECORDS.to_parquet(tmp_path / "a.parquet")
    frame = el.read(tmp_path / "a.parquet", tz=zones)
    assert frame["utc_offset_min"].nunique() == 2
    frame.to_csv(tmp_path / "trip.csv")
    return tmp_path / "trip.csv", frame


@pytest.mark.parametrize("tz", [None, "file", "Asia/Tokyo"])
def test_a_travellers_csv_keeps_the_clock(
    tmp_path: Path, archive: el.Archive, tz: str | None
) -> None:
    path, frame = travelled(tmp_path)
    back, _ = read(path, tz=tz)
    assert back["utc_offset_min"].tolist() == frame["utc_offset_min"].tolist()
    imported(archive, path, tz=tz)
    stored = archive.read(SIXTY, "2026-10-20", "2026-10-22")
    assert stored["utc_offset_min"].tolist() == frame["utc_offset_min"].tolist()


@pytest.mark.parametrize("kind", ["parquet", "csv", "Z"])
def test_a_file_in_utc_shows_no_clock_whatever_its_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.delenv("EYELOG_TZ", raising=False)
    path, frame = tmp_path / f"a.{kind}", RECORDS.tz_convert("UTC")
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "csv":
        frame.to_csv(path)
    else:
        path.write_text(text())
    with pytest.warns(el.EyelogWarning, match="days are UTC days"):
        el.read(path)


@pytest.mark.parametrize("name", ["localtime", "local", "posixrules"])
def test_the_zone_of_a_machine_is_no_zone_of_a_wearer(tmp_path: Path, name: str) -> None:
    with pytest.raises(el.ConfigurationError) as raised:
        el.read(tmp_path, tz=name)
    assert "'Asia/Tokyo'" in str(raised.value)
    assert "did you mean" not in str(raised.value)


# How dates and texts are written


@pytest.mark.parametrize("end", ["", " ", ".250"])
def test_offsets_of_hours_are_read(put: Callable[..., Path], end: str) -> None:
    form = f"%Y-%m-%d %H:%M:%S{end}+09"
    frame, said = read(put(redated(lambda at: at.strftime(form), RECORDS, SIXTY)), tz=None)
    assert (len(frame), said, str(frame.index.tz)) == (len(RECORDS), "", "UTC+09:00")


@pytest.mark.parametrize("dayfirst", [True, False])
def test_dates_that_may_be_of_two_months_need_dayfirst(
    put: Callable[..., Path], archive: el.Archive, dayfirst: bool
) -> None:
    frame = RECORDS.set_axis(RECORDS.index - pd.Timedelta(days=14))
    form = "%d/%m/%Y %H:%M:%S" if dayfirst else "%m/%d/%Y %H:%M:%S"
    path = put(redated(lambda at: at.strftime(form), frame, SIXTY))
    refused_by_both(archive, path, "may have the day or the month first: pass dayfirst=True")
    assert read(path, dayfirst=dayfirst)[0].index.equals(frame.index.rename("date"))
    assert imported(archive, path, dayfirst=dayfirst)[0].kept == len(frame)


def naive(first: str, minutes: int) -> str:
    stamps = pd.date_range(first, periods=minutes, freq="min")
    rows = [f"{at:%Y-%m-%d %H:%M:%S},{at.minute}" for at in stamps]
    return "\n".join(["date,val_s", *rows]) + "\n"


@pytest.mark.parametrize(
    ("first", "says", "tz"),
    [
        (
            "2025-03-30 02:00",
            "does not exist in Europe/Berlin, where the clocks jumped",
            "UTC+01:00",
        ),
        (
            "2025-10-26 02:00",
            "comes twice in Europe/Berlin, where the clocks went back",
            "UTC+02:00",
        ),
        ("2024-10-27 02:00", "comes twice in Europe/Berlin, .*or tz='UTC\\+01:00'", "UTC+01:00"),
    ],
)
def test_clock_times_at_a_change_of_the_clock_are_said_rightly(
    put: Callable[..., Path], archive: el.Archive, first: str, says: str, tz: str
) -> None:
    path = put(naive(first, 60))
    refused_by_both(archive, path, says, tz="Europe/Berlin")
    with pytest.raises(el.ArchiveError, match=f"tz='{tz}'".replace("+", r"\+")):
        el.read(path, tz="Europe/Berlin")
    assert len(read(path, tz=tz)[0]) == 60


@pytest.mark.parametrize(
    ("encoding", "note", "called"),
    [
        ("cp1252", "müde", r"cp1252 \(Western European\)"),
        ("euc_jp", "メモ", "EUC-JP"),
        ("cp932", "眼鏡", r"cp932 \(Shift JIS\)"),
    ],
)
def test_a_guessed_encoding_is_called_a_guess_and_can_be_named(
    put: Callable[..., Path], archive: el.Archive, encoding: str, note: str, called: str
) -> None:
    head, *rows = logger_csv(RECORDS, SIXTY, names=["val_s", "bl"]).splitlines()
    lines = "\n".join([f"{head},note", *(f"{row},{note}" for row in rows)])
    path = put(lines.encode(encoding))
    frame, said = read(path)
    assert frame["note"].unique().tolist() == [note]
    assert pd.Series([said]).str.contains(f"was read as {called}, which is a guess").all(), said
    frame, said = read(path, encoding=encoding)
    assert frame["note"].unique().tolist() == [note]
    assert "guess" not in said
    assert imported(archive, path, encoding=encoding)[0].kept == len(RECORDS)
    for other in ("ascii", "utf-16", "utf-32"):
        with pytest.raises(el.ArchiveError, match=f"it is not text in {other}"):
            read(path, encoding=other)
    with pytest.raises(el.ConfigurationError, match="unknown encoding 'cp9999'"):
        read(path, encoding="cp9999")


@pytest.mark.parametrize(
    ("encoding", "label"), [("cp1252", "Büro"), ("euc_jp", "会議"), ("cp932", "会議")]
)
def test_a_diary_in_another_encoding_has_a_way(
    put: Callable[..., Path], encoding: str, label: str
) -> None:
    text = f"start;end;label\n21.10.2026 09:00;21.10.2026 10:00;{label}\n"
    path = put(text.encode(encoding))
    with pytest.warns(el.EyelogWarning, match="which is a guess"):
        assert el.read_events(path, tz="Europe/Berlin")["label"].tolist() == [label]
    events = el.read_events(path, tz="Europe/Berlin", encoding=encoding)
    assert events["label"].tolist() == [label]


# Random damage


STAMPS = [f"2026-10-20T10:00:00.{50 * at:03}Z" for at in range(12)]
PACKETS = "date,blinkSpeed,blinkStrength,roll,accX,walking,noiseStatus,fitError,sequenceNumber,\n"
PACKETS += "".join(
    f"{stamp}, {120 * (at == 3)},{60 * (at == 3)},{at}.5,-3,{int(at == 5)},false,0,{at}\n"
    for at, stamp in enumerate(STAMPS)
)
MESSAGES = "".join(
    json.dumps({"received": stamp, "blinkSpeed": "120", "walking": at == 5, "sequenceNumber": at})
    + "\n"
    for at, stamp in enumerate(STAMPS)
)
PIECES = (
    *(b"", b"\0", b"\n", b"\r", b",", b'"', b"{", b"}", b"[" * 2000, b":", b"null", b"true", b"-"),
    *(b"1e999", b"NaN", b"\xff", b"\xe3\x81", b"\\ud800", b"9" * 400, b"date", b"received"),
    *(b"heartbeat", b"stp", b"latitude", b"2026-13-40T99:99:99Z", b"0000-01-01T00:00:00Z", b";"),
)


def damaged(content: bytes, draws: random.Random) -> bytes:
    """Return a file with a few pieces cut out, doubled, or put in."""
    for _ in range(draws.randint(1, 4)):
        at = draws.randrange(len(content) + 1)
        after = min(len(content), at + draws.choice((0, 1, 3, 40)))
        piece = draws.choice((draws.choice(PIECES), content[at:after] * 2, draws.randbytes(3)))
        content = content[:at] + piece + content[after:]
    return content[: draws.randrange(len(content) + 1)] if draws.random() < 0.1 else content


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")
@pytest.mark.parametrize("content", [PACKETS, MESSAGES], ids=["csv", "json"])
@pytest.mark.parametrize(
    "count", [50, pytest.param(500, marks=pytest.mark.slow("hundreds of damaged files"))]
)
def test_a_damaged_file_is_read_or_refused_with_one_line(
    tmp_path: Path, content: str, count: int
) -> None:
    draws, said, read = random.Random(count), [], 0
    for _ in range(count):
        (tmp_path / "damaged").write_bytes(damaged(content.encode(), draws))
        try:
            frame = el.read(tmp_path / "damaged", tz="UTC")
        except el.EyelogError as error:
            said.append(str(error))
            continue
        read += 1
        assert frame.index.is_monotonic_increasing
        assert frame.index.is_unique
        if "fitError" in frame or "walking" in frame:
            el.flag(frame)
            el.gaps(frame)
    assert all(text and "\n" not in text for text in said)
    assert read > 0
