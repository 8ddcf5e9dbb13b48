"""A format of storage that eyelog does not have: months as Arrow files, checked by their stamps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from eyelog.archive import erase, month_writer, months
from eyelog.archive.arrow_tables import STAMP, stamps_of
from eyelog.archive.damage import damage, problem_of
from eyelog.archive.place import Place, archive_errors
from eyelog.archive.utc_stamps import Stamps, month_edges
from eyelog.disk.files import make_folders, new_file
from eyelog.errors import ArchiveError

FILE = "data.arrow"


@dataclass(frozen=True, slots=True)
class ArrowMonth:
    path: str
    schema: pa.Schema
    table: pa.Table

    def rows(self, schema: pa.Schema, first: int, after: int) -> pa.Table:
        low, high = np.searchsorted(stamps_of(self.table), [first, after]).tolist()
        part, there = self.table.slice(low, high - low), self.table.column_names
        arrays = [
            part.column(field.name).cast(field.type)
            if field.name in there
            else pa.nulls(len(part), field.type)
            for field in schema
        ]
        return pa.Table.from_arrays(arrays, schema=schema)

    def stamps(self, first: int, after: int) -> Stamps:
        return stamps_of(self.rows(pa.schema([("date", STAMP)]), first, after))

    def most_rows(self, first: int, after: int) -> int:
        return len(self.stamps(first, after))

    def edges(self) -> tuple[int, int]:
        stamps = stamps_of(self.table)
        return int(stamps[0]), int(stamps[-1])


@contextmanager
def open_file(place: Place, path: str) -> Iterator[ArrowMonth]:
    with archive_errors(f"read {path}"), place.fs.open(path, "rb") as source:
        try:
            table = pa.ipc.open_file(source).read_all()
        except pa.ArrowInvalid as error:
            raise damage(path, str(error)) from error
    yield ArrowMonth(path, table.schema, table)


@contextmanager
def new_month(
    path: Path, schema: pa.Schema, log: str, account: str
) -> Iterator[Callable[[pa.Table], int]]:
    make_folders(path.parent)
    with new_file(path) as sink, pa.ipc.new_file(sink, schema) as writer:

        def write_group(rows: pa.Table) -> int:
            writer.write_table(rows)
            return int(rows.num_rows)

        yield write_group


def file_problems(place: Place, path: str, log: str, account: str, month: str) -> list[str]:
    try:
        with open_file(place, path) as file:
            inside = len(file.stamps(*month_edges(month)))
            outside = file.table.num_rows - inside
            return [f"stamps of another month: {outside}"] if outside else []
    except ArchiveError as error:
        return [problem_of(error, path)]


def choose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have archives store months in this format."""
    monkeypatch.setattr(months, "open_file", open_file)
    monkeypatch.setattr(months, "file_problems", file_problems)
    monkeypatch.setattr(month_writer, "new_month", new_month)
    for module in (months, erase):
        monkeypatch.setattr(module, "FILE", FILE)
