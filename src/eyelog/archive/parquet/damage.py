"""What is wrong with a month: its whole file is read and compared with what it should be."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from eyelog.archive.parquet.layout import (
    Place,
    archive_errors,
    month_edges,
    month_path,
    schema_of,
)
from eyelog.archive.parquet.rows import MonthFile, open_file, stamps_of
from eyelog.errors import ArchiveError

__all__ = ["damaged_months", "month_problems"]

_FOREIGN: Final = "written by another program: its metadata names no log and no account"


def month_problems(place: Place, log: str, account: str, month: str) -> list[str]:
    """Return what is wrong with a month, nothing if all is well."""
    path = month_path(place, log, account, month)
    try:
        with open_file(place, path) as file, archive_errors(f"read {path}"):
            return [*_schema_problems(file, log, account), *_row_problems(file, month)]
    except ArchiveError as error:
        return [str(error).removeprefix(f"cannot read {path}: ")]


def damaged_months(place: Place, log: str, account: str, months: list[str]) -> dict[str, str]:
    """Return those of some months that are damaged, and how; another program may have made them."""
    found = {}
    for month in months:
        problems = month_problems(place, log, account, month)
        damage = [problem for problem in problems if problem != _FOREIGN]
        if damage:
            found[month] = "; ".join(damage)
    return found


def _schema_problems(file: MonthFile, log: str, account: str) -> Iterator[str]:
    schema = file.schema
    metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    owner = metadata.get("eyelog.log"), metadata.get("eyelog.account")
    if owner == (None, None):
        yield _FOREIGN
    elif owner != (log, account):
        yield f"its metadata says that it is {owner[0]!r} of {owner[1]!r}"
    for field in schema_of(log):
        if field.name in schema.names and schema.field(field.name).type != field.type:
            yield f"{field.name!r} is {schema.field(field.name).type}, not {field.type}"


def _row_problems(file: MonthFile, month: str) -> Iterator[str]:
    first, after = month_edges(month)
    parts = []
    for group in range(file.parquet.num_row_groups):
        table = file.parquet.read_row_group(
            group
        )  # every column, so that every checksum is checked
        if table.column("date").null_count:
            yield f"stamps are missing in row group {group}"
            return
        parts.append(stamps_of(table))
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
