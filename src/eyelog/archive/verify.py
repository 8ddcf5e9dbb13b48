"""Damage in an archive: every page of every file is read and compared with what it should be."""

from collections.abc import Iterator
from urllib.parse import unquote

import numpy as np
import pandas as pd

from eyelog.archive.parquet.layout import (
    FILE,
    Place,
    archive_errors,
    is_month,
    month_edges,
    month_path,
    schema_of,
)
from eyelog.archive.parquet.rows import MonthFile, open_file, stamps_of
from eyelog.catalogue import LOGS
from eyelog.errors import ArchiveError
from eyelog.progress import progress_line

__all__ = ["verify"]

_COLUMNS = ("account", "log", "month", "file", "problem")


def verify(place: Place) -> pd.DataFrame:
    """Return one row per problem."""
    files = [(log, *file) for log in LOGS for file in _files(place, log)]
    problems = []
    with progress_line(len(files), "verify", unit="file") as done:
        for log, account, month, path in files:
            found = _problems(place, log, account, month, path)
            problems += [(account, log, month, path, problem) for problem in found]
            done()
    return pd.DataFrame(problems, columns=list(_COLUMNS)).astype("string")


def _files(place: Place, log: str) -> Iterator[tuple[str, str, str]]:
    """Give (account, month, path) of each file that is not hidden, according to its folders."""
    root = f"{place.root}/log={log}"
    place.fs.invalidate_cache(root)
    for path in sorted(map(str, place.fs.find(root))):
        parts = path[path.index(f"log={log}") :].split("/")
        if not parts[-1].startswith("."):
            keys = dict(part.partition("=")[::2] for part in parts[:-1])
            yield unquote(keys.get("account", "")), keys.get("month", ""), path


def _problems(place: Place, log: str, account: str, month: str, path: str) -> list[str]:
    if not account or not is_month(month) or path != month_path(place, log, account, month):
        return [f"the archive does not read this path: it reads one {FILE} per month"]
    try:
        with open_file(place, path) as file, archive_errors(f"read {path}"):
            return [*_schema_problems(file, log, account), *_row_problems(file, month)]
    except ArchiveError as error:
        return [str(error).removeprefix(f"cannot read {path}: ")]


def _schema_problems(file: MonthFile, log: str, account: str) -> Iterator[str]:
    schema = file.schema
    metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    owner = metadata.get("eyelog.log"), metadata.get("eyelog.account")
    if owner == (None, None):
        yield "written by another program: its metadata names no log and no account"
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
