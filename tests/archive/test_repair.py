"""Damaged months are set aside whole, and what they had can be got again."""

import stat
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import LOGS
from eyelog.errors import ArchiveError
from support import faulty
from support.parquet import flip_byte, spoil_chunks
from support.records import records
from support.syncing import client_of, states

FIFTEEN, SIXTY = LOGS


def month_file(archive: el.Archive, month: str, log: str = SIXTY) -> Path:
    return Path(archive.path) / f"log={log}" / "account=me" / f"month={month}" / "data.parquet"


@pytest.fixture
def two_months(archive: el.Archive) -> el.Archive:
    archive.write(SIXTY, records(SIXTY, "2026-10-29", 6 * 1440), account="me")
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 50), account="me")
    return archive


def test_an_archive_without_damage_stays_as_it_is(two_months: el.Archive) -> None:
    before = sorted(Path(two_months.path).rglob("*.parquet"))
    table = two_months.repair()
    assert len(table) == 0
    assert table.dtypes.astype(str).unique().tolist() == ["string"]
    assert sorted(Path(two_months.path).rglob("*.parquet")) == before


def test_an_unreadable_month_moves_whole_and_privately(two_months: el.Archive) -> None:
    path = month_file(two_months, "2026-10")
    path.write_bytes(path.read_bytes()[:-50])
    path.chmod(0o644)
    content = path.read_bytes()
    (row,) = two_months.repair().to_dict("records")
    assert (row["account"], row["log"], row["month"]) == ("me", SIXTY, "2026-10")
    assert row["problem"]
    aside = Path(row["aside"])
    assert aside.read_bytes() == content
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600
    inside = aside.relative_to(two_months.path)
    assert inside.parts[0] == ".damaged"
    for folder in list(inside.parents)[:-1]:
        assert stat.S_IMODE((Path(two_months.path) / folder).stat().st_mode) == 0o700
    assert not path.parent.exists()
    assert len(two_months.verify()) == 0
    assert two_months.read(SIXTY, "2026-10-29", "2026-11-30").index[0].month == 11
    assert len(two_months.repair()) == 0


def test_what_to_import_again_is_as_exact_as_the_file_shows_it(two_months: el.Archive) -> None:
    path = month_file(two_months, "2026-10")
    spoil_chunks(path, lambda _, name: name == "bl")  # its stamps are still there
    assert two_months.repair()["import_again"].tolist() == ["2026-10-29 to 2026-10-31"]
    path = month_file(two_months, "2026-11")
    path.write_bytes(b"PAR1")
    assert two_months.repair()["import_again"].tolist() == ["2026-11-01 to 2026-11-30"]


def test_a_damaged_month_can_be_written_again_after_a_repair(two_months: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-29", 6 * 1440)
    path = month_file(two_months, "2026-10")
    flip_byte(path, "bl")
    with pytest.raises(ArchiveError, match="month=2026-10"):
        two_months.write(SIXTY, frame.assign(bl=3.0), account="me")
    two_months.repair()
    assert two_months.write(SIXTY, frame, account="me").added == 3 * 1440
    assert len(two_months.read(SIXTY, "2026-10-29", "2026-11-30")) == len(frame)


def test_a_second_repair_keeps_what_the_first_set_aside(two_months: el.Archive) -> None:
    for _ in range(2):
        week = records(SIXTY, "2026-10-29", 100)
        two_months.write(SIXTY, week, account="me", replace=True)
        month_file(two_months, "2026-10").write_bytes(b"damage")
        assert len(two_months.repair()) == 1
    assert len(list((Path(two_months.path) / ".damaged").rglob("*.parquet"))) == 2


def test_a_month_of_another_program_is_not_damaged(two_months: el.Archive) -> None:
    path = month_file(two_months, "2026-10")
    frame = pd.read_parquet(path)
    frame.index = frame.index if frame.index.name == "date" else pd.Index(frame.pop("date"))
    frame.reset_index().to_parquet(path, index=False)
    assert two_months.verify()["problem"].str.contains("another program").all()
    assert len(two_months.repair()) == 0


def test_a_file_that_is_not_a_month_stays_where_it_is(two_months: el.Archive) -> None:
    path = month_file(two_months, "2026-10").with_name("notes.parquet")
    path.write_bytes(b"mine")
    assert len(two_months.verify()) == 1
    assert len(two_months.repair()) == 0
    assert path.read_bytes() == b"mine"


def test_a_missing_archive_is_an_error(tmp_path: Path) -> None:
    missing = el.Archive(tmp_path / "nope")
    for ask in (missing.repair, missing.verify, missing.inventory):
        with pytest.raises(ArchiveError, match=r"there is no archive .*nope: `eyelog import`"):
            ask()
        with pytest.raises(ArchiveError, match=r"there is no archive memory:.*/nothing-here"):
            getattr(el.Archive("memory://nothing-here"), ask.__name__)()
    assert not (tmp_path / "nope").exists()


def test_an_archive_elsewhere_is_repaired_too() -> None:
    archive = el.Archive("memory://to-repair")
    archive.write(SIXTY, records(SIXTY, "2026-10-29", 100), account="me")
    place = archive._place
    (path,) = place.fs.find(place.root)
    place.fs.pipe_file(path, b"PAR1 damage")
    (row,) = archive.repair().to_dict("records")
    assert place.fs.cat_file(row["aside"]) == b"PAR1 damage"
    assert archive.accounts() == []


def test_synced_days_are_synced_again_and_the_rest_is_to_be_imported(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    client = client_of(there, home)
    archive.write(SIXTY, records(SIXTY, "2024-03-10", 60), account="me")
    archive.sync(client, SIXTY, "2024-02-28", "2024-03-03")
    month_file(archive, "2024-03").write_bytes(b"PAR1")
    report = archive.sync(client, SIXTY, "2024-02-28", "2024-03-05")
    assert states(report) == {
        "2024-02-28": "unchanged", "2024-02-29": "unchanged", "2024-03-01": "failed",
        "2024-03-02": "failed", "2024-03-03": "failed", "2024-03-04": "failed",
        "2024-03-05": "failed",
    }  # fmt: skip
    assert set(report["reason"][2:]) == {
        "2024-03 of the archive is damaged: `eyelog archive repair` sets it aside"
    }
    (row,) = archive.repair().to_dict("records")
    assert row["sync_again"] == "2024-03-01 to 2024-03-03"
    assert row["import_again"] == "2024-03-04 to 2024-03-31"
    again = archive.sync(client, SIXTY, "2024-02-28", "2024-03-05")
    assert again["state"].tolist() == ["unchanged"] * 2 + ["fetched"] * 5


def test_a_sync_finds_damage_that_the_stamps_do_not_show_and_goes_on(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    client = client_of(there, home)
    archive.sync(client, SIXTY, "2024-03-30", "2024-03-31")
    path = month_file(archive, "2024-03")
    spoil_chunks(path, lambda _, name: name == "stp_s")
    before = path.read_bytes()
    report = archive.sync(client, SIXTY, "2024-03-29", "2024-04-02")
    assert report["state"].tolist() == ["failed", "unchanged", "unchanged", "fetched", "fetched"]
    assert path.read_bytes() == before
    assert len(archive.read(SIXTY, "2024-04-01", "2024-04-02")) == 48
