"""Writing survives kills, other writers and full disks: real processes, real files."""

import os
import random
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive import month_writer
from eyelog.archive.arrow_merge import Merged, merge
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from support.paths import TESTS
from support.records import records

FIFTEEN, SIXTY = LOGS

# Writes the states 1 and 2 of three months, in turn, until it is killed.
RESTLESS = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from itertools import cycle
from eyelog.archive.store import Archive
from support.records import records
states = [records({SIXTY!r}, "2026-09-29", 34 * 1440, seed=seed).iloc[::7] for seed in (1, 2)]
archive = Archive(sys.argv[1])
archive.write({SIXTY!r}, states[0], account="me")
print("ready", flush=True)
for state in cycle(states[::-1]):
    archive.write({SIXTY!r}, state, account="me")
"""

# Writes every n-th record, one small write after another.
SHARE = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from eyelog.archive.store import Archive
from support.records import records
share, shares = int(sys.argv[2]), int(sys.argv[3])
frame = records({SIXTY!r}, "2026-10-31 20:00", 480)
for start in range(share, share + 6 * shares, shares):
    Archive(sys.argv[1]).write({SIXTY!r}, frame.iloc[start :: 6 * shares], account="me")
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def leftovers(archive: Archive) -> list[Path]:
    return list(Path(archive.path).rglob("*.tmp"))


def files(archive: Archive) -> dict[Path, tuple[bytes, int]]:
    found = sorted(Path(archive.path).rglob("*.parquet"))
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def kill_while_writing(archive: Archive, times: int, seed: int) -> int:
    """Kill writers at random moments; after each, every month is one state or the other."""
    states = [records(SIXTY, "2026-09-29", 34 * 1440, seed=each).iloc[::7] for each in (1, 2)]
    draw = random.Random(seed)
    swept = 0
    for _ in range(times):
        writer = start(RESTLESS, archive.path)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n", writer.communicate()[1]
        time.sleep(draw.uniform(0, 0.4))
        writer.kill()
        writer.communicate()
        assert len(archive.verify()) == 0
        for month in ("2026-09", "2026-10", "2026-11"):
            last = (pd.Timestamp(month) + pd.offsets.MonthEnd()).date()
            found = archive.read(SIXTY, f"{month}-01", last)
            assert any(found.equals(state.loc[month]) for state in states), month
        swept += len(leftovers(archive))
    archive.write(SIXTY, states[0], account="me")
    assert leftovers(archive) == []
    assert_frame_equal(archive.read(SIXTY, "2026-09-01", "2026-11-30"), states[0])
    return swept


@pytest.mark.slow
def test_a_killed_writer_leaves_each_month_old_or_new(archive: Archive) -> None:
    kill_while_writing(archive, 3, seed=1)


@pytest.mark.slow
def test_many_killed_writers_leave_each_month_old_or_new(archive: Archive) -> None:
    # With so many kills some must have hit an unfinished file, or the test proves nothing.
    assert kill_while_writing(archive, 40, seed=2) > 0


def test_what_a_killed_writer_left_is_ignored_and_removed_by_the_next_write(
    archive: Archive,
) -> None:
    frame = records(SIXTY, "2026-10-01", 100)
    archive.write(SIXTY, frame, account="me")
    (path,) = files(archive)
    left = path.with_name(".data.parquet.0123456789abcdef.tmp")
    left.write_bytes(path.read_bytes()[:100])
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-10-31"), frame)
    assert len(archive.verify()) == 0
    assert pd.read_parquet(archive.path).shape == (100, 46 + 3)
    archive.write(SIXTY, frame, account="me")
    assert not left.exists()


@pytest.mark.parametrize("writers", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_processes_that_write_at_the_same_time_lose_nothing(archive: Archive, writers: int) -> None:
    running = [start(SHARE, archive.path, str(n), str(writers)) for n in range(writers)]
    for each in running:
        _, errors = each.communicate(timeout=120)
        assert each.returncode == 0, errors
    frame = records(SIXTY, "2026-10-31 20:00", 480)
    assert_frame_equal(archive.read(SIXTY, "2026-10-31", "2026-11-01"), frame)


def test_threads_that_write_at_the_same_time_lose_nothing(archive: Archive) -> None:
    frame = records(SIXTY, "2026-10-31 20:00", 480)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: archive.write(SIXTY, frame.iloc[n::12], account="me"), range(12)))
    assert_frame_equal(archive.read(SIXTY, "2026-10-31", "2026-11-01"), frame)


def test_writing_the_same_records_again_touches_no_file(archive: Archive) -> None:
    frame = records(FIFTEEN, "2026-10-30", 4 * 5760)
    archive.write(FIFTEEN, frame, account="me")
    before = files(archive)
    archive.write(FIFTEEN, frame, account="me")
    archive.write(FIFTEEN, frame.iloc[100:9000:3], account="me")
    archive.write(FIFTEEN, frame.loc["2026-10-31"], account="me", days=["2026-10-31"])
    assert files(archive) == before


def test_a_write_returns_how_many_records_were_added_changed_and_removed(archive: Archive) -> None:
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
    assert [path.parent.name for path in files(archive)] == ["month=2026-10", "month=2026-11"]


def test_each_group_of_days_is_merged_once(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = records(SIXTY, "2026-10-01", 30 * 1440)
    archive.write(SIXTY, frame, account="me")
    merged = []

    def counting(old: pa.Table, new: pa.Table, spans: tuple[tuple[int, int], ...]) -> Merged:
        merged.append(new.num_rows)
        return merge(old, new, spans)

    monkeypatch.setattr(month_writer, "merge", counting)
    frame.iloc[20 * 1440, frame.columns.get_loc("bl")] = 3.25
    assert archive.write(SIXTY, frame, account="me") == (0, 1, 0)
    assert merged == [4 * 1440] * 7 + [2 * 1440]
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-10-31"), frame)


def test_the_same_records_make_the_same_bytes(archive: Archive, tmp_path: Path) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    other = Archive(tmp_path / "other")
    archive.write(SIXTY, frame, account="me")
    for n in (2, 0, 1):
        other.write(SIXTY, frame.iloc[n::3], account="me")
    assert [data for data, _ in files(archive).values()] == [
        data for data, _ in files(other).values()
    ]


def test_only_months_that_change_are_written(archive: Archive) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    archive.write(SIXTY, frame, account="me")
    before = files(archive)
    frame.iloc[-1, frame.columns.get_loc("bl")] = 3.0
    archive.write(SIXTY, frame, account="me")
    assert [path.parent.name for path, was in files(archive).items() if was != before[path]] == [
        "month=2026-11"
    ]


def test_a_full_disk_is_a_one_line_error_and_changes_nothing(archive: Archive) -> None:
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


def test_a_path_that_cannot_be_a_folder_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "archive"):
        with pytest.raises(el.ArchiveError, match=r"cannot write .*: (File exists|Not a dir)"):
            Archive(path).write(SIXTY, records(SIXTY, "2026-10-01", 3), account="me")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_archive_is_read_but_not_written(archive: Archive) -> None:
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
