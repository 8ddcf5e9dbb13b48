import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.decode import decode_page
from eyelog.answers.page import join_pages
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS, catalogue
from support.parquet import spoil_chunks
from support.records import records

FIFTEEN, SIXTY = LOGS


def read_csv(path: Path, log: str, tz: str) -> pd.DataFrame:
    known = catalogue(log)
    dtypes = {name: field.dtype for name, field in known.items() if name not in ("date", "gw")}
    table = pd.read_csv(path, dtype=dtypes, parse_dates=["date"], index_col="date")
    return table.set_axis(table.index.as_unit("us").tz_convert(tz))


def test_csv_has_short_names_and_stamps_of_the_zone(archive: Archive, tmp_path: Path) -> None:
    frame = records(FIFTEEN, "2026-10-30 20:00", 15_000, tz="Asia/Tokyo")
    archive.write(FIFTEEN, frame, account="me")
    path = tmp_path / "out" / "days.csv"
    made = archive.export(FIFTEEN, "2026-10-30", "2026-11-08", path, tz="Asia/Tokyo")
    assert made == [path]
    lines = path.read_text().splitlines()
    assert lines[0] == ",".join(catalogue(FIFTEEN))
    assert lines[1].startswith('"2026-10-30T20:00:00+09:00",')
    assert '"' not in lines[0]
    found = read_csv(path, FIFTEEN, "Asia/Tokyo").drop(columns="gw")
    assert_frame_equal(found, frame.drop(columns="gw"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_csv_distinguishes_an_empty_text_from_a_missing_one(
    archive: Archive, tmp_path: Path
) -> None:
    frame = records(FIFTEEN, "2026-10-30", 3)[["stp", "gw", "isl"]]
    frame["stp"], frame["gw"], frame["isl"] = (
        [1.0, 2.5, np.nan],
        ["", None, "a,b"],
        [True, None, False],
    )
    archive.write(FIFTEEN, frame, account="me")
    archive.export(
        FIFTEEN, "2026-10-30", "2026-10-30", tmp_path / "a.csv", fields=["gw", "stp", "isl"]
    )
    assert (tmp_path / "a.csv").read_text() == (
        "date,stp,isl,gw\n"
        '"2026-10-30T00:00:00+00:00",1,true,""\n'
        '"2026-10-30T00:00:15+00:00",2.5,,\n'
        '"2026-10-30T00:00:30+00:00",,false,"a,b"\n'
    )


def test_one_parquet_file_has_the_whole_range(archive: Archive, tmp_path: Path) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    archive.write(SIXTY, frame, account="me")
    path = tmp_path / "days.parquet"
    archive.export(SIXTY, "2026-10-31", "2026-11-01", path)
    found = pd.read_parquet(path).set_index("date")
    assert_frame_equal(found, frame.loc["2026-10-31":"2026-11-01"], check_dtype=False)
    assert pq.read_schema(path).metadata[b"eyelog.log"] == SIXTY.encode()


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("tz", ["UTC", "Asia/Tokyo", "Europe/Berlin"])
def test_answers_are_one_per_local_day_and_decode_to_the_same_frame(
    archive: Archive, tmp_path: Path, log: str, tz: str
) -> None:
    frame = records(log, "2026-10-24", 5000, tz=tz)
    archive.write(log, frame, account="me")
    made = archive.export(log, "2026-10-01", "2026-10-31", tmp_path / "answers", tz=tz)
    days = frame.index.tz_localize(None).normalize().unique().strftime("%Y-%m-%d")
    assert [path.name for path in made] == [f"{log}-{day}.json" for day in days]
    pages = [decode_page(path.read_bytes(), log) for path in made]
    assert_frame_equal(join_pages(pages, log, tz=tz), frame)


def test_a_range_without_records_is_an_error_and_writes_no_file(
    archive: Archive, tmp_path: Path
) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 100), account="me")
    for name in ("a.csv", "a.parquet", "a"):
        with pytest.raises(el.ArchiveError, match="nothing to export"):
            archive.export(SIXTY, "2026-11-24", "2026-11-25", tmp_path / "out" / name)
    assert not (tmp_path / "out").exists()


def test_one_json_file_is_refused_with_advice(archive: Archive, tmp_path: Path) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 100), account="me")
    with pytest.raises(el.ConfigurationError, match=r"give a folder, such as .*a$"):
        archive.export(SIXTY, "2026-10-24", "2026-10-24", tmp_path / "a.json")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_damage_met_during_an_export_leaves_the_old_file(
    archive: Archive, tmp_path: Path, name: str
) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="me")
    (tmp_path / name).write_text("old")
    path = next(Path(archive.path).rglob("month=2026-11/data.parquet"))
    spoil_chunks(path, lambda _, column: column == "bl")
    with pytest.raises(el.ArchiveError, match="month=2026-11"):
        archive.export(SIXTY, "2026-10-30", "2026-11-02", tmp_path / name)
    assert (tmp_path / name).read_text() == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["archive", name])


def test_a_folder_that_cannot_be_made_is_a_one_line_error(archive: Archive, tmp_path: Path) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 100), account="me")
    (tmp_path / "file").write_text("")
    with pytest.raises(el.ArchiveError, match=r"cannot export .*: (File exists|Not a directory)"):
        archive.export(SIXTY, "2026-10-24", "2026-10-24", tmp_path / "file" / "a.csv")
