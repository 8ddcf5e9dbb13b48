"""Whenever a writer is killed, readers meet what there was before, or all that it has written."""

import itertools
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.importing import import_files
from support.logs import LOGS
from support.paths import TESTS
from support.processes import killed_at
from support.records import records

FIFTEEN, SIXTY = LOGS
pytestmark = pytest.mark.timeout(900)

HEAD = f"""
sys.path.insert(0, {str(TESTS)!r})
from pathlib import Path
from eyelog import Archive
from support.importing import import_files
from support.records import records
archive = Archive(sys.argv[1])
"""

# Other values of three months.
WRITES = f"""
state = records({SIXTY!r}, "2026-09-29", 34 * 1440, seed=2).iloc[::7]
archive.write({SIXTY!r}, state, account="ada", replace=True)
"""

# Both logs, over the end of a month: four months.
IMPORTS = """
import_files(archive, [Path(path) for path in sys.argv[2:]], account="ada")
"""

# A file of two wearers, each into an account.
SPLITS = """
import_files(archive, [Path(path) for path in sys.argv[2:]], split_wearers=True)
"""

# The first day of the next month, after which days are folded into their month.
FOLDS = f"""
archive.write({SIXTY!r}, records({SIXTY!r}, sys.argv[2], 300), account="ada")
"""


Found = dict[tuple[str, str], pd.DataFrame]


def state(archive: el.Archive) -> Found:
    found = {
        (log, account): archive.read(log, account=account, tz="UTC")
        for log in LOGS
        for account in archive.accounts(log)
    }
    assert len(archive.verify()) == 0
    return found


def same(one: Found, other: Found) -> bool:
    return one.keys() == other.keys() and all(one[log].equals(other[log]) for log in one)


def old_or_new(tmp_path: Path, first: el.Archive, program: str, *arguments: str) -> None:
    """Kill a program at each of its changes, each time on a copy of an archive."""
    after = el.Archive(copied(first, tmp_path / "after"))
    assert not killed_at(10_000, HEAD + program, after.path, *arguments)
    before, done = state(first), state(after)
    assert not same(before, done)
    met = set()
    for change in itertools.count():
        each = el.Archive(copied(first, tmp_path / f"killed-{change}"))
        was_killed = killed_at(change, HEAD + program, each.path, *arguments)
        found = state(each)  # which removes what was left
        assert same(found, before) or same(found, done), change
        met.add(same(found, done))
        assert not list(Path(each.path).glob("log=*/**/*.tmp"))
        if not was_killed:
            break
        if change % 8 == 0:  # the next one completes it
            assert not killed_at(10_000, HEAD + program, each.path, *arguments)
            assert same(state(each), done)
    assert met == {False, True}


def copied(archive: el.Archive, target: Path) -> Path:
    return Path(shutil.copytree(archive.path, target))


@pytest.mark.slow("a process is killed at many moments")
def test_a_write_that_is_killed(archive: el.Archive, tmp_path: Path) -> None:
    frame = records(SIXTY, "2026-09-29", 34 * 1440, seed=1).iloc[::7]
    archive.write(SIXTY, frame, account="ada")
    old_or_new(tmp_path, archive, WRITES)


@pytest.mark.slow("a process is killed at many moments")
def test_the_first_write_that_is_killed(archive: el.Archive, tmp_path: Path) -> None:
    Path(archive.path).mkdir()
    old_or_new(tmp_path, archive, FOLDS, "2026-10-12")


@pytest.mark.slow("a process is killed at many moments")
def test_an_import_of_both_logs_that_is_killed(archive: el.Archive, tmp_path: Path) -> None:
    paths = []
    for log, rows in ((FIFTEEN, 5760), (SIXTY, 1440)):
        paths.append(str(tmp_path / f"{log}.csv"))
        records(log, "2026-10-31 12:00", rows).to_csv(paths[-1])
    archive.write(SIXTY, records(SIXTY, "2026-10-20", 1440), account="ada")
    old_or_new(tmp_path, archive, IMPORTS, *paths)


@pytest.mark.slow("a process is killed at many moments")
def test_an_import_into_several_accounts_that_is_killed(
    archive: el.Archive, tmp_path: Path
) -> None:
    frame = records(SIXTY, "2026-10-31 22:00", 360)
    rows = [frame.assign(user_id=name) for name in ("ada", "bea")]
    pd.concat(rows).to_csv(tmp_path / "all.csv")
    archive.write(SIXTY, records(SIXTY, "2026-10-20", 100), account="bea")
    old_or_new(tmp_path, archive, SPLITS, str(tmp_path / "all.csv"))


@pytest.mark.slow("a process is killed at many moments")
def test_a_fold_that_is_killed(archive: el.Archive, tmp_path: Path) -> None:
    for number in range(1, 6):
        archive.write(SIXTY, records(SIXTY, f"2026-10-{number:02}", 300), account="ada")
    files = [path.name[:10] for path in Path(archive.path).rglob("*.parquet")]
    assert len(files) == 5
    old_or_new(tmp_path, archive, FOLDS, "2026-11-01")
    month = Path(tmp_path / "after", f"log={SIXTY}", "account=ada", "month=2026-10")
    assert len(list(month.glob("*.parquet"))) == 1


# Writes every n-th record, one small write after another, of two months.
SHARE = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from eyelog import Archive
from support.records import records
share, shares = int(sys.argv[2]), int(sys.argv[3])
frame = records({SIXTY!r}, "2026-10-31 20:00", 480)
for start in range(share, share + 6 * shares, shares):
    Archive(sys.argv[1]).write({SIXTY!r}, frame.iloc[start :: 6 * shares], account="me")
"""


@pytest.mark.slow("processes race")
def test_three_processes_that_write_at_the_same_time_lose_nothing(archive: el.Archive) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", SHARE, archive.path, str(number), "3"],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    for each in running:
        _, errors = each.communicate(timeout=240)
        assert each.returncode == 0, errors
    frame = records(SIXTY, "2026-10-31 20:00", 480)
    pd.testing.assert_frame_equal(archive.read(SIXTY, account="me", tz="UTC"), frame)
    assert len(archive.verify()) == 0


def test_a_reader_between_two_versions_meets_one_of_them(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)[["bl", "hm_yo"]]
    archive.write(SIXTY, frame.assign(bl=0.0), account="me")
    span = ("2026-10-01", "2026-11-30")
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(
            lambda: [
                archive.write(SIXTY, frame.assign(bl=float(at)), account="me", replace=True)
                for at in range(1, 12)
            ]
        )
        verifying = pool.submit(lambda: [archive.verify() for _ in range(2)])
        met = set()
        while not writing.done():
            found = archive.read(SIXTY, *span, account="me", tz="UTC", fields=["bl"])
            assert len(found) == len(frame)
            assert (found["bl"] == found["bl"].iloc[0]).all()
            met.add(found["bl"].iloc[0])
    assert len(writing.result()) == 11
    assert [len(found) for found in verifying.result()] == [0, 0]
    assert len(met) > 1


def test_a_killed_import_is_taken_up_by_the_next(archive: el.Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    records(SIXTY, "2026-10-31 12:00", 1440).to_csv(path)
    assert killed_at(12, HEAD + IMPORTS, archive.path, str(path))
    import_files(archive, [path], account="ada")
    assert len(archive.read(SIXTY, account="ada", tz="UTC")) == 1440
    assert len(archive.verify()) == 0
