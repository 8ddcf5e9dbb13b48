import csv
import io
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support import live
from support.command import main
from support.importing import import_files
from support.logs import LOGS, columns, history
from support.parquet import flip_byte, month_file
from support.records import records

FIFTEEN, SIXTY = LOGS


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("tz", ["UTC", "Asia/Tokyo", "Europe/Berlin"])
def test_answers_are_one_per_local_day_and_decode_to_the_same_frame(
    archive: el.Archive, tmp_path: Path, log: str, tz: str
) -> None:
    frame = records(log, "2026-10-24", 5000, tz=tz)
    archive.write(log, frame, account="me")
    made = archive.export(
        log, "2026-10-01", "2026-10-31", tmp_path / "answers", tz=tz, location=True
    )
    days = frame.index.tz_localize(None).normalize().unique().strftime("%Y-%m-%d")
    assert [path.name for path in made] == [f"{log}-{day}.json" for day in days]
    read = el.read(made, log=log, tz=tz)
    assert_frame_equal(read, frame[list(read.columns)])
    assert frame.drop(columns=list(read.columns)).isna().all(axis=None)


@pytest.mark.parametrize("way", [("Asia/Tokyo", "America/New_York"), ("UTC", "Pacific/Auckland")])
def test_answers_of_a_traveller_have_each_record_once(
    archive: el.Archive, tmp_path: Path, way: tuple[str, str]
) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440, tz="UTC")
    archive.write(SIXTY, frame, account="me")
    zones = el.Zones([("", way[0]), ("2026-11-01", way[1])])
    made = archive.export(
        SIXTY, "2026-10-01", "2026-11-30", tmp_path / "answers", tz=zones, location=True
    )
    read = el.read(made, tz="UTC")
    assert_frame_equal(read, frame[list(read.columns)])
    assert history(read)[-1]["rows"] == len(frame)


def test_a_range_without_records_is_an_error_and_writes_no_file(
    archive: el.Archive, tmp_path: Path
) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 100), account="me")
    for name in ("a.csv", "a.parquet", "a"):
        with pytest.raises(el.ArchiveError, match="nothing to export"):
            archive.export(SIXTY, "2026-11-24", "2026-11-25", tmp_path / "out" / name)
    assert not (tmp_path / "out").exists()


def test_an_export_of_answers_looks_at_the_days_that_have_records(
    archive: el.Archive, tmp_path: Path
) -> None:
    frame = pd.concat([records(SIXTY, f"{year}-10-24", 10) for year in (2016, 2026)])
    archive.write(SIXTY, frame, account="me")
    made = archive.export(SIXTY, "0002-01-01", "9990-12-31", tmp_path / "answers", tz="Asia/Tokyo")
    assert [path.name[-15:-5] for path in made] == ["2016-10-24", "2026-10-24"]


def test_a_file_is_written_with_one_read_of_each_record(
    archive: el.Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 2000), account="me")
    asked, read = [], pq.ParquetFile.read_row_groups

    def read_groups(file: pq.ParquetFile, groups: list[int], columns: list[str], **options: bool):
        asked.append((*groups, *columns))
        return read(file, groups, columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", read_groups)
    for name in ("a.csv", "a.parquet"):
        asked.clear()
        archive.export(SIXTY, "2026-10-24", "2026-10-25", tmp_path / name, location=True)
        assert len(asked) == len(set(asked)) > 0


def test_one_json_file_is_refused_with_advice(archive: el.Archive, tmp_path: Path) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 100), account="me")
    with pytest.raises(el.ConfigurationError, match=r"give a folder, such as .*a$"):
        archive.export(SIXTY, "2026-10-24", "2026-10-24", tmp_path / "a.json")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_damage_met_during_an_export_leaves_the_old_file(
    archive: el.Archive, tmp_path: Path, name: str
) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="me")
    (tmp_path / name).write_text("old")
    flip_byte(month_file(archive.path, "2026-11"), "bl")
    with pytest.raises(el.ArchiveError, match="month=2026-11"):
        archive.export(SIXTY, "2026-10-30", "2026-11-02", tmp_path / name)
    assert (tmp_path / name).read_text() == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["archive", name])


def test_a_folder_that_cannot_be_made_is_a_one_line_error(
    archive: el.Archive, tmp_path: Path
) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 100), account="me")
    (tmp_path / "file").write_text("")
    with pytest.raises(el.ArchiveError, match=r"cannot export .*: (File exists|Not a directory)"):
        archive.export(SIXTY, "2026-10-24", "2026-10-24", tmp_path / "file" / "a.csv")


# Answers as the service writes them


def answer_of(frame: pd.DataFrame, log: str, tz: str = "UTC", **options: Any) -> dict[str, Any]:
    """Return the hours of the only answer that an archive of the frame exports."""
    with tempfile.TemporaryDirectory() as folder:
        archive = el.Archive(Path(folder, "archive"))
        archive.write(log, frame, account="me")
        days = str(frame.index[0])[:10], str(frame.index[-1])[:10]
        (path,) = archive.export(log, *days, Path(folder, "out"), tz=tz, location=True, **options)
        hours: dict[str, Any] = json.loads(path.read_text())[log]
        return hours


def test_records_stand_under_the_hour_of_their_own_offset_with_every_field() -> None:
    frame = records(FIFTEEN, "2026-10-24 08:59:30", 4, tz="Asia/Tokyo", missing=0)
    frame.iloc[0, 0] = np.nan
    hours = answer_of(frame, FIFTEEN, "Asia/Tokyo")
    assert {hour: len(rows) for hour, rows in hours.items()} == {"8": 2, "9": 2}
    first = hours["8"][0]
    assert list(first) == ["date", *columns(FIFTEEN)]
    assert first["date"] == "2026-10-24T08:59:30+09:00"
    assert (first["zone"], first["gw"], type(first["isl"])) == (None, "", bool)


def test_an_hour_that_comes_twice_holds_both_offsets() -> None:
    frame = records(SIXTY, "2026-10-25 00:00", 25 * 60, tz="Europe/Berlin")
    rows = answer_of(frame, SIXTY, "Europe/Berlin")["2"]
    assert len(rows) == 120
    assert rows[59]["date"] == "2026-10-25T02:59:00+02:00"
    assert rows[60]["date"] == "2026-10-25T02:00:00+01:00"


NUMBERS = st.one_of(
    st.none(),
    st.floats(allow_infinity=False, allow_nan=False),
    st.integers(-300, 300).map(float),
    st.sampled_from([-0.0, 2.0**53, -(2.0**53), 2.0**53 - 1, 2.0**63, -(2.0**63), 1e300, 0.5]),
)


@settings(deadline=None, max_examples=20)
@given(log=st.sampled_from(LOGS), values=st.lists(NUMBERS, min_size=1, max_size=12))
def test_numbers_of_answers_are_those_of_the_frame_and_whole_where_the_field_is(
    log: str, values: list[float | None]
) -> None:
    whole, real = ("stp", "tl_yav") if log == FIFTEEN else ("bl", "hm_yo")
    stamps = pd.date_range("2026-10-24 10:00:00.25", periods=len(values), freq="s", tz="UTC")
    column = np.array(values, "float64")
    frame = pd.DataFrame({whole: column, real: column}, index=stamps.rename("date"))
    rows = answer_of(frame, log, fields=[whole, real])["10"]
    assert rows[0]["date"] == "2026-10-24T10:00:00.250000+00:00"
    for row, value in zip(rows, values, strict=True):
        assert row[real] == row[whole] == value
        assert isinstance(row[whole], int) == (
            value is not None and value.is_integer() and abs(value) < 2**53
        )


# Where the wearer was


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a"])
def test_where_the_wearer_was_is_left_out_unless_asked_for(
    archive: el.Archive, tmp_path: Path, name: str
) -> None:
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-24", 50), account="me")
    day = FIFTEEN, "2026-10-24", "2026-10-24", tmp_path / name
    with pytest.warns(el.EyelogWarning, match=r"left out .* \(lat, lng\).*location=True"):
        archive.export(*day)
    assert not {"lat", "lng"} & set(read_back(tmp_path / name, FIFTEEN).dropna(axis=1).columns)
    for asked in ({"location": True}, {"fields": ["stp", "lat", "lng"]}):
        archive.export(*day, **asked)
        found = read_back(tmp_path / name, FIFTEEN)
        assert found["lat"].notna().any()
        assert found["lng"].notna().any()


# The same bytes from a frame, and back again


def read_back(path: Path, log: str, tz: str = "UTC") -> pd.DataFrame:
    """Return what an import into an empty archive makes of a file or folder."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)  # unknown fields
        reports = import_files(el.Archive(folder), [path], account="me")
        assert [report.reason for report in reports if report.reason] == []
        assert sum(report.refused + report.conflicts for report in reports) == 0
        return el.Archive(folder).read(log, "1971-01-01", "2099-01-01", tz=tz)


def log_in(there: live.Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands of this test be those of a user who is logged in."""
    monkeypatch.setenv("EYELOG_BASE_URL", there.url)
    monkeypatch.setenv("EYELOG_CLIENT_ID", there.client_id)
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", there.client_secret)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", there.redirect_uri)
    assert main(["login", "--code", there.code("me")]) == 0


@pytest.mark.slow("many exports are compared byte for byte")
@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a"])
def test_what_is_fetched_and_an_archive_write_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, name: str
) -> None:
    frame = records(log, "2026-10-29 20:00", 15_000, tz="Europe/Berlin")
    range_ = log, "2026-10-30", "2026-11-01"
    out = str(tmp_path / "fetched" / name)
    with live.service(tmp_path / "archive", {"me": [frame]}) as there:
        log_in(there, monkeypatch)
        words = ["fetch", *range_, "--tz", "Europe/Berlin", "--location", "-o", out]
        assert main(words) == 0
    archive = el.Archive(there.archive)
    archive.export(*range_, tmp_path / "archive-out" / name, tz="Europe/Berlin", location=True)
    made = sorted(path for path in (tmp_path / "archive-out").rglob("*") if path.is_file())
    assert made
    for path in made:
        other = tmp_path / "fetched" / path.relative_to(tmp_path / "archive-out")
        assert path.read_bytes() == other.read_bytes()


def test_a_range_without_records_is_fetched_as_a_table_without_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live.service(tmp_path / "archive", {"me": []}) as there:
        log_in(there, monkeypatch)
        for name in ("a.csv", "a.parquet"):
            out = str(tmp_path / name)
            assert main(["fetch", SIXTY, "2026-10-24", "2026-10-24", "-o", out]) == 0
    assert (tmp_path / "a.csv").read_text().startswith("date,")
    assert len(pd.read_parquet(tmp_path / "a.parquet")) == 0


FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - the letters meant
NAMES = st.one_of(
    st.text(min_size=1, max_size=12).filter(lambda name: name != "date"),
    st.sampled_from(['=cmd|"/C calc"!A0', "stepCount", " stp", '"quoted"', "a,b", "x\ny", "STP"]),
).filter(lambda name: name.isprintable() or "\n" in name)
TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["=1+1", "@x", "+1", "-1", "\tx", " a ", "", "nan", "12", "1e5", "true"]),
    st.sampled_from(['"a"', "a\nb", "NA"]),
)


@st.composite
def frames(draw: st.DrawFn) -> tuple[str, pd.DataFrame]:
    log = draw(st.sampled_from(LOGS))
    tz = draw(st.sampled_from(["UTC", "Asia/Tokyo", "Europe/Berlin", "America/St_Johns"]))
    start = draw(st.sampled_from(["2026-10-24 21:00", "2026-03-29 00:30", "2026-10-31 23:59:50.5"]))
    n = draw(st.integers(1, 12))
    index = pd.date_range(start, periods=n, freq=draw(st.sampled_from(["15s", "60s", "37min"])))
    index = index.as_unit("us").tz_localize("UTC").tz_convert(tz).rename("date")
    data: dict[str, object] = {}
    numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 2**31).map(float)
    for name, dtype in el.fields(log)["dtype"].drop("date").items():
        if dtype == "string":
            texts = draw(st.lists(st.none() | TEXTS, min_size=n, max_size=n))
            data[name] = pd.array(texts, "string")
        elif draw(st.booleans()):
            values = st.booleans() if dtype == "boolean" else numbers
            column = draw(st.lists(st.none() | values, min_size=n, max_size=n))
            data[name] = pd.array(column, "boolean") if dtype == "boolean" else column
    for name in draw(st.lists(NAMES, max_size=3, unique_by=str.casefold)):
        if name in columns(log):
            continue
        kinds = st.sampled_from([TEXTS, st.booleans(), st.floats(-1e9, 1e9)])
        data[name] = draw(st.lists(st.none() | draw(kinds), min_size=n, max_size=n))
    frame = pd.DataFrame(data, index=pd.DatetimeIndex(index, freq=None))
    assume(any(frame[name].notna().any() for name in frame.columns if name in columns(log)))
    return log, frame


@pytest.mark.slow("whole exports go round")
@given(frames(), st.sampled_from(["a.csv", "a.parquet", "a"]))
@settings(max_examples=15)
def test_an_import_takes_back_what_an_export_wrote_value_for_value(
    drawn: tuple[str, pd.DataFrame], name: str
) -> None:
    log, frame = drawn
    tz = str(frame.index.tz)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)  # unknown fields
        archive = el.Archive(Path(folder) / "archive")
        archive.write(log, frame, account="me")
        stored = archive.read(log, "2026-01-01", "2026-12-31", tz=tz)
        path = Path(folder) / "out" / name
        archive.export(log, "2026-01-01", "2026-12-31", path, tz=tz, location=True)
        if name == "a.csv":  # no spreadsheet program runs a cell, or a name
            (_, *header), *rows = csv.reader(io.StringIO(path.read_text(), newline=""))
            texts = [
                at
                for at, each in enumerate(header, 1)
                if each in stored and stored[each].dtype == "string"
            ]
            shown = header + [row[at] for row in rows for at in texts]
            assert not [cell for cell in shown if cell.startswith(FORMULA)]
        assert_frame_equal(read_back(path, log, tz), stored)
        # Without an archive: the fields that the files have, which are all that have a value.
        read = el.read(path, log=log, tz=tz)
        assert_frame_equal(read, stored[list(read.columns)])
        assert stored.drop(columns=list(read.columns)).isna().all(axis=None)
