"""A file without a seal gets one, and only if the same records are read twice."""

from pathlib import Path

import pyarrow as pa
import pytest

import eyelog as el
from eyelog.archive.parquet import resealing
from eyelog.archive.parquet.month_file import MonthFile, open_file, read_groups
from eyelog.archive.parquet.resealing import seal_again
from eyelog.archive.place import open_place
from eyelog.catalogue import LOGS
from support.parquet import without_seal
from support.records import records

SIXTY = LOGS[1]


@pytest.fixture
def old(archive: el.Archive) -> Path:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 6 * 1440), account="me")
    (path,) = Path(archive.path).rglob("*.parquet")
    without_seal(path)
    return path


def test_the_new_file_has_a_seal_and_the_groups_of_the_old_one(old: Path, tmp_path: Path) -> None:
    place, made = open_place(tmp_path), tmp_path / "made"
    seal_again(place, str(old), made, SIXTY, "me")
    with open_file(place, str(old)) as before, open_file(place, str(made)) as after:
        assert (before.content, after.content is None) == (None, False)
        assert [group.rows for group in after.groups] == [group.rows for group in before.groups]
        for number in range(len(before.groups)):
            names = before.schema.names
            assert read_groups(after, [number], names).equals(read_groups(before, [number], names))


def test_a_disk_that_reads_differently_each_time_is_an_error(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []

    def flipping(file: MonthFile, groups: list[int], names: list[str]) -> pa.Table:
        reads.append(groups)
        table = read_groups(file, groups, names)
        return table if len(reads) > 1 else table.slice(1)

    monkeypatch.setattr(resealing, "read_groups", flipping)
    with pytest.raises(el.ArchiveError, match="two reads of it differ: check the disk"):
        seal_again(open_place(tmp_path), str(old), tmp_path / "made", SIXTY, "me")
