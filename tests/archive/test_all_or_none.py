"""Several months put in place together: whole after any kill."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eyelog.archive.account_folders import complete_interrupted
from eyelog.archive.all_or_none import JOURNAL, complete, put_together, unfinished
from eyelog.archive.importing.intake import import_files
from eyelog.archive.place import open_place
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from eyelog.errors import ArchiveError
from support.records import records

FIFTEEN, SIXTY = LOGS

# An import that dies at the n-th rename of a month.
DIES = """
import os, sys
from pathlib import Path
from eyelog.archive.importing.intake import import_files
from eyelog.archive import all_or_none
from eyelog.archive.store import Archive

left, put = [int(sys.argv[1])], all_or_none.put_in_place

def dying(made, target):
    if not left[0]:
        os._exit(9)
    left[0] -= 1
    put(made, target)

all_or_none.put_in_place = dying
import_files(Archive(sys.argv[2]), [Path(path) for path in sys.argv[3:]], account="ada")
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Both logs, over the end of a month: four month files."""
    paths = []
    for log, rows in ((FIFTEEN, 5760), (SIXTY, 1440)):
        path = tmp_path / f"{log}.csv"
        records(log, "2026-10-31 12:00", rows).to_csv(path)
        paths.append(path)
    return paths


def die_after(renames: int, archive: Path, files: list[Path]) -> None:
    run = subprocess.run([sys.executable, "-c", DIES, str(renames), archive, *files])
    assert run.returncode == 9


def stored(archive: Path) -> dict[str, int]:
    found = Archive(archive)
    return {log: len(found.read(log, account="ada", tz="UTC")) for log in LOGS}


WHOLE = {FIFTEEN: 5760, SIXTY: 1440}


@pytest.mark.slow
@pytest.mark.parametrize("renames", [0, 1, 2, 3])
def test_an_import_killed_between_two_months_is_completed_by_verify(
    tmp_path: Path, files: list[Path], renames: int
) -> None:
    die_after(renames, tmp_path / "archive", files)
    months = list((tmp_path / "archive").rglob("data.parquet"))
    assert len(months) == renames  # so this is what a reader would see until then
    assert len(Archive(tmp_path / "archive").verify()) == 0
    assert stored(tmp_path / "archive") == WHOLE
    assert not list((tmp_path / "archive").rglob("*.tmp"))
    assert not unfinished(tmp_path / "archive")


def test_the_next_import_completes_what_a_killed_one_began(
    tmp_path: Path, files: list[Path]
) -> None:
    die_after(1, tmp_path / "archive", files)
    other = tmp_path / "other.csv"
    records(SIXTY, "2026-12-01", 10).to_csv(other)
    import_files(Archive(tmp_path / "archive"), [other], account="ada")
    assert stored(tmp_path / "archive") == {**WHOLE, SIXTY: 1450}


def test_a_journal_of_other_accounts_is_left_to_who_locks_them(
    tmp_path: Path, files: list[Path]
) -> None:
    die_after(1, tmp_path / "archive", files)
    archive = Archive(tmp_path / "archive")
    archive.write(SIXTY, records(SIXTY, "2026-12-01", 10), account="bea")
    assert len(unfinished(Path(archive.path))) == 1
    assert complete_interrupted(open_place(archive.path)) == []
    assert stored(Path(archive.path)) == WHOLE


def test_months_are_completed_only_once(tmp_path: Path) -> None:
    made, target = tmp_path / ".one.tmp", tmp_path / "one"
    second, there = tmp_path / ".two.tmp", tmp_path / "two"
    made.write_text("first")
    second.write_text("first")
    put_together(tmp_path, {made: target, second: there})
    target.write_text("later")
    journal = tmp_path / f"{JOURNAL}0.json"
    journal.write_text(json.dumps([[made.name, "one"], [second.name, "two"]]))
    complete(tmp_path, tmp_path)  # as after a power cut that has kept the journal
    assert target.read_text() == "later"
    assert not journal.exists()


def test_a_damaged_journal_is_an_error_that_says_what_to_do(
    tmp_path: Path, files: list[Path]
) -> None:
    die_after(1, tmp_path / "archive", files)
    (journal,) = unfinished(tmp_path / "archive")
    journal.write_text("[[")
    with pytest.raises(ArchiveError, match=r"damaged.*import the same files again"):
        import_files(Archive(tmp_path / "archive"), files, account="ada")
    (problem,) = Archive(tmp_path / "archive").verify()["problem"]
    assert "interrupted between two months" in problem
    journal.unlink()
    import_files(Archive(tmp_path / "archive"), files, account="ada")
    assert stored(tmp_path / "archive") == WHOLE


def test_the_leftover_of_a_kill_before_the_journal_was_whole_goes(tmp_path: Path) -> None:
    old, young = tmp_path / f".{JOURNAL}1.json.ab.tmp", tmp_path / f".{JOURNAL}2.json.ab.tmp"
    for path in (old, young):
        path.write_text("[")
    os.utime(old, (0, 0))
    assert unfinished(tmp_path) == []
    assert not old.exists()
    assert young.exists()
