"""Another format of storage is one more room: no other room has to learn of it."""

from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive.account_folders import folder
from eyelog.archive.importing.intake import import_files
from eyelog.archive.store import place_of
from eyelog.catalogue import STANDARD_MODE_LOGS as LOG
from support import trialstorage
from support.records import records


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> el.Archive:
    trialstorage.choose(monkeypatch)
    return el.Archive(tmp_path / "archive")


@pytest.fixture
def frame(archive: el.Archive) -> pd.DataFrame:
    """Return records of two months, which are in the archive."""
    made = records(LOG, "2026-10-29", 5 * 1440)
    archive.write(LOG, made, account="ada")
    archive.set_zones("UTC", account="ada")
    return made


def files(archive: el.Archive) -> list[Path]:
    return sorted(Path(folder(place_of(archive), LOG, "ada")).glob("month=*/[!.]*"))


def test_its_files_stand_where_months_stand(archive: el.Archive, frame: pd.DataFrame) -> None:
    assert [file.name for file in files(archive)] == ["data.arrow"] * 2
    assert not list(Path(archive.path).rglob("*.parquet"))
    assert_frame_equal(archive.read(LOG, account="ada"), frame)
    days = archive.read(LOG, "2026-10-30", "2026-11-01", account="ada", fields=["bl"])
    assert_frame_equal(days, frame.loc["2026-10-30":"2026-11-01", ["bl"]])


def test_a_write_merges_into_it_and_touches_no_file_in_vain(
    archive: el.Archive, frame: pd.DataFrame
) -> None:
    before = [file.stat().st_mtime_ns for file in files(archive)]
    assert archive.write(LOG, frame, account="ada") == (0, 0, 0)
    assert [file.stat().st_mtime_ns for file in files(archive)] == before
    other = frame.iloc[-3:].assign(bl=77.0)
    assert archive.write(LOG, other, account="ada") == (0, 3, 0)
    assert archive.read(LOG, account="ada")["bl"].iloc[-3:].tolist() == [77.0] * 3
    assert archive.write(LOG, frame.iloc[:0], account="ada", days=["2026-10-29"]).removed == 1440


def test_exports_and_imports_pass_through_it(
    archive: el.Archive, frame: pd.DataFrame, tmp_path: Path
) -> None:
    for name in ("days.csv", "days.parquet"):
        (path,) = archive.export(LOG, "2026-10-30", "2026-11-01", tmp_path / name, account="ada")
        (report,) = import_files(archive, [path], account=name)
        assert (report.status, report.kept) == ("imported", 3 * 1440)
        assert_frame_equal(
            archive.read(LOG, account=name, tz="UTC"), frame.loc["2026-10-30":"2026-11-01"]
        )


def test_its_damage_is_found_set_aside_and_erased(archive: el.Archive, frame: pd.DataFrame) -> None:
    assert len(archive.verify()) == len(archive.protect()) == 0
    assert archive.inventory()["records"].tolist() == [len(frame)]
    first, _ = files(archive)
    first.write_bytes(first.read_bytes()[:-7])
    with pytest.raises(el.ArchiveError, match="`eyelog archive repair`"):
        archive.read(LOG, account="ada")
    assert archive.verify()["month"].tolist() == ["2026-10"]
    assert archive.repair()["aside"].str.endswith(".arrow").all()
    assert len(archive.read(LOG, account="ada")) == int((frame.index >= "2026-11").sum())
    assert sorted(archive.erase("ada")["what"]) == ["damaged month", "month", "zones"]


def test_a_cohort_is_computed_from_it(archive: el.Archive, frame: pd.DataFrame) -> None:
    table = el.cohort.daily(archive, LOG, workers=1)
    assert_frame_equal(table.loc["ada"], el.daily(frame), check_exact=True)
