"""Writing survives kills, other writers and full disks: real processes, real files."""

import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.logs import LOGS
from support.records import records

FIFTEEN, SIXTY = LOGS


def leftovers(archive: el.Archive) -> list[Path]:
    return list(Path(archive.path).rglob("*.tmp"))


def files(archive: el.Archive) -> dict[Path, tuple[bytes, int]]:
    found = sorted(Path(archive.path).rglob("*.parquet"))
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_threads_that_write_at_the_same_time_lose_nothing(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-31 20:00", 480)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: archive.write(SIXTY, frame.iloc[n::12], account="me"), range(12)))
    assert_frame_equal(archive.read(SIXTY, "2026-10-31", "2026-11-01"), frame)


def test_writing_the_same_records_again_touches_no_file(archive: el.Archive) -> None:
    frame = records(FIFTEEN, "2026-10-30", 4 * 5760)
    archive.write(FIFTEEN, frame, account="me")
    before = files(archive)
    archive.write(FIFTEEN, frame, account="me")
    archive.write(FIFTEEN, frame.iloc[100:9000:3], account="me")
    archive.write(FIFTEEN, frame.loc["2026-10-31"], account="me", days=["2026-10-31"])
    assert files(archive) == before


def test_a_write_returns_how_many_records_were_added_changed_and_removed(
    archive: el.Archive,
) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    assert archive.write(SIXTY, frame, account="me") == (5760, 0, 0)
    assert archive.write(SIXTY, frame, account="me") == (0, 0, 0)
    changed = frame.copy()
    changed.iloc[10:13, changed.columns.get_loc("bl")] = 3.25
    changed.iloc[-1, changed.columns.get_loc("bl")] = float("nan")
    frame.iloc[-1, frame.columns.get_loc("bl")] = 1.0
    archive.write(SIXTY, frame.iloc[-1:], account="me")
    assert archive.write(SIXTY, changed, account="me").changed == 4
    fewer = changed.drop(changed.loc["2026-10-31"].index[100:])
    late = records(SIXTY, "2026-11-30", 2)
    both = pd.concat([fewer, late])
    days = ["2026-10-31", "2026-11-01", "2026-12-24"]
    assert archive.write(SIXTY, both, account="me", days=days) == (2, 0, 1340)
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-12-31"), both)
    assert archive.write(SIXTY, both.iloc[:0], account="me", days=["2026-11-30"]).removed == 2
    assert {path.parent.name for path in files(archive)} == {"month=2026-10", "month=2026-11"}


def test_only_days_and_months_that_change_are_written(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    archive.write(SIXTY, frame, account="me")
    before = files(archive)
    frame.iloc[-1, frame.columns.get_loc("bl")] = 3.0
    archive.write(SIXTY, frame, account="me")
    assert [path.name[:12] for path in files(archive) if path not in before] == ["2026-11-02.2"]
    frame.iloc[0, frame.columns.get_loc("bl")] = 3.0
    archive.write(SIXTY, frame, account="me")
    assert min(path.name[:12] for path in files(archive)).startswith("2026-10.2.")
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-11-30"), frame)


def test_a_change_of_many_days_writes_the_month_as_one_file(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 20 * 1440).iloc[::30]
    for day in ("2026-10-01", "2026-10-02", "2026-10-03"):
        archive.write(SIXTY, frame.loc[day], account="me")
    assert len(files(archive)) == 3
    archive.write(SIXTY, frame, account="me")
    assert [path.name[:8] for path in files(archive)] == ["2026-10."]
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-10-31"), frame)


def test_a_frame_that_is_read_may_be_written_to(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 10), account="me")
    for fields in (None, ["bl"]):
        frame = archive.read(SIXTY, account="me", fields=fields)
        frame.loc[frame.index[0], "bl"] = 7.0
        assert frame["bl"].iloc[0] == 7.0


def test_a_full_disk_is_a_one_line_error_and_changes_nothing(archive: el.Archive) -> None:
    old = records(FIFTEEN, "2026-10-31", 2 * 5760, seed=1)
    archive.write(FIFTEEN, old.iloc[:100], account="me")
    before = files(archive)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))  # Python ignores SIGXFSZ
    try:
        with pytest.raises(el.ArchiveError) as caught:
            archive.write(FIFTEEN, old, account="me")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(caught.value) == (
        f"cannot write {FIFTEEN!r} of 'me' to {archive.path}: File too large"
    )
    assert files(archive) == before
    assert leftovers(archive) == []
    archive.write(FIFTEEN, old, account="me")
    assert_frame_equal(archive.read(FIFTEEN, "2026-10-31", "2026-11-01"), old)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_archive_is_read_but_not_written(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 3)
    archive.write(SIXTY, frame, account="me")
    folders = [path for path in Path(archive.path).rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-10-01"), frame)
        with pytest.raises(el.ArchiveError, match="Permission denied"):
            archive.write(SIXTY, records(SIXTY, "2026-10-01", 3, seed=2), account="me")
    finally:
        for folder in folders:
            folder.chmod(0o700)
