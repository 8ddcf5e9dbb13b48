"""Months are where other tools expect them, and only what is selected of them is read."""

import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eyelog as el
from eyelog.archive.lists import Part, checksum, write_lists
from eyelog.archive.place import open_place
from support.logs import LOGS
from support.parquet import month_file
from support.records import records

FIFTEEN, SIXTY = LOGS


def test_nobody_else_may_read_the_files(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    for path in [Path(archive.path), *Path(archive.path).rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_a_damaged_file_is_named_and_not_skipped(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 3000), account="me")
    path = month_file(archive.path, "2026-10")
    path.write_bytes(path.read_bytes()[:-20])
    for act in (
        lambda: archive.read(SIXTY, "2026-10-01", "2026-10-31"),
        lambda: archive.write(SIXTY, records(SIXTY, "2026-10-01", 3), account="me"),
    ):
        with pytest.raises(el.ArchiveError, match=r"cannot read .*month=2026-10/2026-10\.1\."):
            act()
    with pytest.warns(el.EyelogWarning, match="2026-10 is damaged and not counted"):
        assert archive.inventory()["damaged"].tolist() == [1]


def test_a_file_whose_name_has_its_checksum_but_no_place_is_refused(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 100), account="me")
    path = month_file(archive.path, "2026-10")
    pq.write_table(pa.table({"a": [1]}), path)
    body = path.read_bytes()
    path.rename(path.with_name(f"2026-10.1.{checksum(body)}.parquet"))
    place = open_place(archive.path)
    part = Part(SIXTY, "2026-10", f"2026-10.1.{checksum(body)}.parquet")
    write_lists(place, {"me": frozenset([part])})
    with pytest.raises(el.ArchiveError, match="not a file of an archive"):
        archive.read(SIXTY, "2026-10-01", "2026-10-31")
