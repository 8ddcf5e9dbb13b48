"""Verify reads everything, and says all that is wrong, with its month."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

import eyelog as el
from support.logs import LOGS
from support.parquet import month_file, of_third_release
from support.records import records

FIFTEEN, SIXTY = LOGS


@pytest.fixture
def archive(tmp_path: Path) -> el.Archive:
    archive = el.Archive(tmp_path / "archive")
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="me")
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 100), account="ä")
    return archive


def month(archive: el.Archive, name: str = "2026-10") -> Path:
    return month_file(archive.path, name, log=SIXTY, account="me")


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(path, partitioning=None)), path)


def with_stamps(change: Callable[[np.ndarray], None]) -> Callable[[pa.Table], pa.Table]:
    def changed(table: pa.Table) -> pa.Table:
        stamps = table["date"].to_numpy().copy()
        change(stamps)
        array = pa.array(stamps).cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
        return table.set_column(0, "date", array)

    return changed


def swap(stamps: np.ndarray) -> None:
    stamps[[4, 5]] = stamps[[5, 4]]


def repeat(stamps: np.ndarray) -> None:
    stamps[4] = stamps[5]


def leave(stamps: np.ndarray) -> None:
    stamps[-2:] += np.timedelta64(1, "D")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def as_text(table: pa.Table) -> pa.Table:
    at = table.schema.names.index("bl")
    return table.set_column(at, "bl", table["bl"].cast(pa.string()))


# An old file without a seal, written again by another program
OF_OLD: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "out of order": (with_stamps(swap), "its stamps are not in order"),
    "repeated": (with_stamps(repeat), "its stamps are not in order"),
    "another month": (with_stamps(leave), "it has stamps of another month"),
    "another type": (as_text, "^'bl' is string, not double$"),
    "no stamps": (lambda table: table.drop_columns("date"), "not a file of an archive"),
    "no metadata": (lambda table: table.replace_schema_metadata({}), "its metadata names no log"),
}


@pytest.mark.parametrize("kind", OF_OLD)
def test_an_old_file_that_another_program_wrote_is_reported(archive: el.Archive, kind: str) -> None:
    of_third_release(archive.path, sealed=False)
    change, problem = OF_OLD[kind]
    rewrite(month(archive), change)
    found = archive.verify()
    (wrong,) = found[~found["problem"].str.startswith("of an older")]["problem"]
    assert len(found) == 3
    assert problem.strip("^$") in wrong


def test_a_file_that_the_archive_does_not_read_is_reported(archive: el.Archive) -> None:
    shutil.copy(month(archive), month(archive).with_name("part-0.parquet"))
    shutil.copy(month(archive, "2026-11"), month(archive, "2026-11").parents[1] / "data.parquet")
    found = archive.verify()
    assert sorted(Path(file).name for file in found["file"]) == ["data.parquet", "part-0.parquet"]
    assert found["problem"].str.startswith("the archive does not read this path").all()
    assert len(archive.read(SIXTY, account="me", tz="UTC")) == 4 * 1440


def test_all_damage_is_reported_not_only_the_first(archive: el.Archive) -> None:
    for name in ("2026-10", "2026-11"):
        cut(month(archive, name))
    cut(month_file(archive.path, "2026-10", log=FIFTEEN))
    found = archive.verify()
    assert found[["account", "month"]].values.tolist() == [
        ["me", "2026-10"],
        ["me", "2026-11"],
        ["ä", "2026-10"],
    ]


def test_files_of_a_writer_are_not_foreign_to_a_reader_who_may_not_lock(
    archive: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir, acquire = os.scandir, FileLock.acquire
    waiting = [records(SIXTY, "2026-10-30", 100, seed=seed) for seed in range(1, 6)]

    def scan_late(path: str):
        if str(path).endswith(f"log={SIXTY}") and waiting:
            with monkeypatch.context() as writing:
                writing.setattr(FileLock, "acquire", acquire)
                archive.write(SIXTY, waiting.pop(), account="me", replace=True)
        return scandir(path)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("this reader may not lock")

    monkeypatch.setattr(os, "scandir", scan_late)
    monkeypatch.setattr(FileLock, "acquire", refuse)
    assert archive.verify().empty
    assert len(waiting) < 4
