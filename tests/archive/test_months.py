"""Months are where other tools expect them, and only what is selected of them is read."""

import shutil
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from support.parquet import spoil_chunks
from support.records import records

FIFTEEN, SIXTY = LOGS


def test_files_are_in_hive_folders_by_log_account_and_month_of_utc(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-11-01 08:00", 100, tz="Asia/Tokyo"), account="me")
    root = Path(archive.path)
    found = sorted(str(path.relative_to(root)) for path in root.rglob("*.parquet"))
    assert found == [
        f"log={SIXTY}/account=me/month=2026-10/data.parquet",
        f"log={SIXTY}/account=me/month=2026-11/data.parquet",
    ]


def test_nobody_else_may_read_the_files(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    for path in [Path(archive.path), *Path(archive.path).rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_a_folder_that_is_not_a_month_or_has_no_file_is_skipped(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    home = Path(archive.path, f"log={SIXTY}")
    for name in ("account=me/month=2026-13", "account=me/month=2026-11", "account=you", "notes"):
        (home / name).mkdir()
    assert archive.accounts() == ["me"]
    assert len(archive.read(SIXTY, "2026-10-01", "2026-12-31")) == 3


def month(archive: Archive, name: str) -> Path:
    (path,) = Path(archive.path).glob(f"log={SIXTY}/account=me/month={name}/data.parquet")
    return path


def test_months_outside_the_range_are_never_opened(archive: Archive) -> None:
    frame = records(SIXTY, "2026-09-29", 40 * 1440)
    archive.write(SIXTY, frame, account="me")
    for name in ("2026-09", "2026-11"):
        month(archive, name).write_bytes(b"rubbish")
    found = archive.read(SIXTY, "2026-10-01", "2026-10-31")
    assert_frame_equal(found, frame.loc["2026-10"])
    # 2026-11-01 in Tokyo begins in October (UTC), so its month is needed there, and is damaged.
    with pytest.raises(el.ArchiveError, match=r"month=2026-11/data\.parquet"):
        archive.read(SIXTY, "2026-11-01", "2026-11-01", tz="Asia/Tokyo")


def test_columns_outside_the_selection_are_never_read(archive: Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 10 * 1440)
    archive.write(SIXTY, frame, account="me")
    asked = ["stp_s", "hm_yo"]
    spoiled = spoil_chunks(month(archive, "2026-10"), lambda _, name: name not in (*asked, "date"))
    assert spoiled == 3 * 43
    found = archive.read(SIXTY, "2026-10-01", "2026-10-31", fields=asked)
    assert_frame_equal(found, frame[asked])
    with pytest.raises(el.ArchiveError, match="month=2026-10"):
        archive.read(SIXTY, "2026-10-01", "2026-10-31", fields=["bl"])


def test_groups_of_days_outside_the_range_are_never_read(archive: Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 31 * 1440)
    archive.write(SIXTY, frame, account="me")
    assert pq.read_metadata(month(archive, "2026-10")).num_row_groups == 8
    spoil_chunks(month(archive, "2026-10"), lambda group, _: group != 2)
    found = archive.read(SIXTY, "2026-10-09", "2026-10-12")
    assert_frame_equal(found, frame.loc["2026-10-09":"2026-10-12"])
    with pytest.raises(el.ArchiveError):
        archive.read(SIXTY, "2026-10-09", "2026-10-13")


def test_a_damaged_file_is_named_and_not_skipped(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 3000), account="me")
    path = month(archive, "2026-10")
    path.write_bytes(path.read_bytes()[:-20])
    for act in (
        lambda: archive.read(SIXTY, "2026-10-01", "2026-10-31"),
        lambda: archive.write(SIXTY, records(SIXTY, "2026-10-09", 3), account="me"),
    ):
        with pytest.raises(el.ArchiveError, match=r"cannot read .*month=2026-10/data\.parquet"):
            act()
    with pytest.warns(el.EyelogWarning, match="2026-10 is damaged and not counted"):
        assert archive.inventory()["damaged"].tolist() == [1]


def test_a_file_of_another_catalogue_is_read(archive: Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 100)
    archive.write(SIXTY, frame, account="me")
    path = month(archive, "2026-10")
    older = pq.read_table(path).drop_columns(["bl", "hm_yo"])
    older = older.append_column("gone", pa.array(range(100), pa.float64()))
    pq.write_table(older, path)
    with pytest.warns(el.EyelogWarning, match="gone"):
        found = archive.read(SIXTY, "2026-10-01", "2026-10-31")
    kept = frame.drop(columns=["bl", "hm_yo"]).columns
    assert_frame_equal(found[kept], frame[kept])
    assert found[["bl", "hm_yo"]].isna().all(axis=None)
    assert found["gone"].tolist() == list(range(100))
    # The next write gives the file the columns of the catalogue, and keeps the others.
    archive.write(SIXTY, frame[["bl"]], account="me")
    again = archive.read(SIXTY, "2026-10-01", "2026-10-31", fields=["bl", "val_s"])
    assert_frame_equal(again, frame[["val_s", "bl"]])
    with pytest.warns(el.EyelogWarning, match="gone"):
        assert len(archive.read(SIXTY, "2026-10-01", "2026-10-31").columns) == 46


def test_stamps_out_of_order_are_refused_rather_than_half_read(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 100), account="me")
    path = month(archive, "2026-10")
    table = pq.read_table(path)
    pq.write_table(table.take(list(range(99, -1, -1))), path)
    with pytest.raises(el.ArchiveError, match="not in order"):
        archive.read(SIXTY, "2026-10-01", "2026-10-31")


def test_a_file_that_is_not_of_an_archive_is_refused(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 100), account="me")
    pq.write_table(pa.table({"a": [1]}), month(archive, "2026-10"))
    with pytest.raises(el.ArchiveError, match="not a file of an archive"):
        archive.read(SIXTY, "2026-10-01", "2026-10-31")


def test_an_archive_that_was_moved_reads_the_same(archive: Archive, tmp_path: Path) -> None:
    frame = records(SIXTY, "2026-10-01", 100)
    archive.write(SIXTY, frame, account="me")
    shutil.move(archive.path, tmp_path / "elsewhere")
    moved = Archive(tmp_path / "elsewhere")
    assert_frame_equal(moved.read(SIXTY, "2026-10-01", "2026-10-01"), frame)
