import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from support.parquet import flip_byte
from support.records import records

FIFTEEN, SIXTY = LOGS


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    archive = Archive(tmp_path / "archive")
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="me")
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 100), account="ä")
    return archive


def month(archive: Archive, name: str = "2026-10") -> Path:
    return Path(archive.path, f"log={SIXTY}", "account=me", f"month={name}", "data.parquet")


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


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut short": (cut, "Parquet magic bytes not found"),
    "empty": (lambda path: path.write_bytes(b""), "Parquet file size is 0 bytes"),
    "a changed byte": (lambda path: flip_byte(path, "hm_yo"), "CRC checksum verification failed"),
    "out of order": (lambda p: rewrite(p, with_stamps(swap)), "^stamps out of order: 1$"),
    "repeated": (lambda p: rewrite(p, with_stamps(repeat)), "^stamps repeated: 1$"),
    "another month": (lambda p: rewrite(p, with_stamps(leave)), "^stamps of another month: 2$"),
    "another type": (lambda p: rewrite(p, as_text), "^'bl' is string, not double$"),
    "no stamps": (
        lambda p: rewrite(p, lambda t: t.drop_columns("date")),
        "not a file of an archive",
    ),
    "no metadata": (
        lambda p: rewrite(p, lambda t: t.replace_schema_metadata({})),
        "^written by another program",
    ),
}


def test_a_sound_archive_has_no_problem(archive: Archive) -> None:
    found = archive.verify()
    assert len(found) == 0
    assert list(found.columns) == ["account", "log", "month", "file", "problem"]


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_reported_with_its_month(archive: Archive, kind: str) -> None:
    spoil, problem = DAMAGE[kind]
    spoil(month(archive))
    found = archive.verify()
    assert found[["account", "log", "month", "file"]].values.tolist() == [
        ["me", SIXTY, "2026-10", str(month(archive))]
    ]
    assert found["problem"].str.contains(problem).all(), found["problem"].tolist()


def test_a_file_of_another_account_is_reported(archive: Archive) -> None:
    home = Path(archive.path, f"log={SIXTY}")
    shutil.copytree(home / "account=me", home / "account=you")
    found = archive.verify()
    assert found["account"].tolist() == ["you", "you"]
    assert found["problem"][0] == f"its metadata says that it is {SIXTY!r} of 'me'"


def test_a_file_that_the_archive_does_not_read_is_reported(archive: Archive) -> None:
    shutil.copy(month(archive), month(archive).with_name("part-0.parquet"))
    shutil.copy(month(archive), month(archive).parents[1] / "data.parquet")
    found = archive.verify()
    assert sorted(Path(file).name for file in found["file"]) == ["data.parquet", "part-0.parquet"]
    assert found["problem"].str.startswith("the archive does not read this path").all()


def test_all_damage_is_reported_not_only_the_first(archive: Archive) -> None:
    for name in ("2026-10", "2026-11"):
        cut(month(archive, name))
    rewrite(next(Path(archive.path, f"log={FIFTEEN}").rglob("*.parquet")), with_stamps(repeat))
    found = archive.verify()
    assert found[["account", "month"]].values.tolist() == [
        ["ä", "2026-10"],
        ["me", "2026-10"],
        ["me", "2026-11"],
    ]
