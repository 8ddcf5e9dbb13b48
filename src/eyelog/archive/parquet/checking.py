"""Faults of a month file: it is read completely and checked."""

from collections.abc import Iterator

import numpy as np

from eyelog.archive.arrow_tables import schema_of, stamps_of
from eyelog.archive.damage import FOREIGN, NOT_PROTECTED, problem_of
from eyelog.archive.parquet.month_file import MonthFile, damage_errors, open_file, read_groups
from eyelog.archive.parquet.seal import Group
from eyelog.archive.place import Place
from eyelog.archive.utc_stamps import Stamps, month_edges
from eyelog.errors import ArchiveError

__all__ = ["file_problems"]


def file_problems(place: Place, path: str, log: str, account: str, month: str) -> list[str]:
    """Return what is wrong with the file of a month, nothing if all is well."""
    try:
        with open_file(place, path) as file, damage_errors(path):
            problems = [*_schema_problems(file, log, account), *_row_problems(file, month)]
            return problems or ([] if file.content else [NOT_PROTECTED])
    except ArchiveError as error:
        return [problem_of(error, path)]


def _schema_problems(file: MonthFile, log: str, account: str) -> Iterator[str]:
    schema = file.schema
    metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    owner = metadata.get("eyelog.log"), metadata.get("eyelog.account")
    if owner == (None, None):
        yield FOREIGN
    elif owner != (log, account):
        yield f"its metadata says that it is {owner[0]!r} of {owner[1]!r}"
    for field in schema_of(log):
        if field.name in schema.names and schema.field(field.name).type != field.type:
            yield f"{field.name!r} is {schema.field(field.name).type}, not {field.type}"


def _row_problems(file: MonthFile, month: str) -> Iterator[str]:
    first, after = month_edges(month)
    parts = []
    for number, group in enumerate(file.groups):
        # Every column, so that every checksum is checked.
        table = read_groups(file, [number], file.schema.names)
        if table.column("date").null_count:
            yield f"stamps are missing in row group {number}"
            return
        stamps = stamps_of(table)
        yield from _edge_problems(number, group, stamps)
        parts.append(stamps)
    stamps = np.concatenate([*parts, np.empty(0, np.int64)])
    steps = np.diff(stamps)
    outside = np.count_nonzero((stamps < first) | (stamps >= after))
    for count, problem in (
        (np.count_nonzero(steps < 0), "stamps out of order"),
        (np.count_nonzero(steps == 0), "stamps repeated"),
        (outside, "stamps of another month"),
    ):
        if count:
            yield f"{problem}: {count}"


def _edge_problems(number: int, group: Group, stamps: Stamps) -> Iterator[str]:
    """Yield what a file states wrongly about the stamps of a row group, by which reads select."""
    if len(stamps) != group.rows:
        yield f"row group {number} has {len(stamps)} records, not {group.rows} as the file says"
    elif len(stamps) and group.first is not None and group.last is not None:
        stated, actual = (group.first, group.last), (int(stamps.min()), int(stamps.max()))
        if actual != stated:
            yield (
                f"row group {number} has stamps {_dates(actual)}, not {_dates(stated)} as the file"
                " says"
            )


def _dates(edges: tuple[int, int]) -> str:
    first, last = np.array(edges, np.int64).view("M8[us]").astype(str).tolist()
    return f"from {first} to {last}"
