"""The months of an archive: which there are, where their files are, and what is in them.

::

    ROOT/log=computed_data/account=me/month=2026-10/data.parquet

One file has one month of one log of one account. Names that begin with a dot (locks, unfinished
files) are not data: Parquet tools skip them. How a file holds its records is decided in the room
`parquet`, which only this module, `month_writer` and `protect` use.
"""

import os
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.archive.account_folders import folder
from eyelog.archive.arrow_tables import extras_of, frame_from, frame_of, schema_of, widest
from eyelog.archive.damage import is_damage
from eyelog.archive.parquet.checking import file_problems
from eyelog.archive.parquet.month_file import MonthFile, open_file
from eyelog.archive.place import Place, names_inside
from eyelog.archive.utc_stamps import is_month, overlap
from eyelog.catalogue import check_log, known_logs, near
from eyelog.errors import ArchiveError

__all__ = [
    "FILE",
    "Selection",
    "accounts",
    "content_key",
    "damaged_months",
    "fingerprint",
    "month_files",
    "month_path",
    "month_problems",
    "months",
    "open_month",
    "open_months",
    "present_months",
    "read_frame",
    "read_table",
]

FILE: Final = "data.parquet"
# Frames of more bytes are filled month by month.
_LARGE_FRAME: Final = 64 << 20


def month_files(place: Place) -> Iterator[tuple[str, int, float]]:
    """Yield the account, the bytes and the time (seconds since 1970) of every month file."""
    if place.local:
        for file in Path(place.root).glob(f"log=*/account=*/month=*/{FILE}"):
            with suppress(OSError):  # it was just erased
                about = file.stat()
                yield _account_of(file.parts[-3]), about.st_size, about.st_mtime
        return
    place.fs.invalidate_cache()
    for path, entry in place.fs.find(place.root, detail=True).items():
        parts = str(path)[len(place.root) + 1 :].split("/")
        if len(parts) == 4 and parts[0].startswith("log=") and parts[3] == FILE:
            written = entry.get("LastModified") or place.fs.modified(path)
            yield _account_of(parts[1]), int(entry["size"]), written.timestamp()


def _account_of(name: str) -> str:
    return unquote(name.removeprefix("account="))


def month_path(place: Place, log: str, account: str, month: str) -> str:
    """Return the path of one month's file."""
    return f"{folder(place, log, account)}/month={month}/{FILE}"


def accounts(place: Place, log: str) -> list[str]:
    """Return the accounts that have records of a log, sorted."""
    names = names_inside(place, f"{place.root}/log={check_log(log)}")
    accounts = [unquote(name[8:]) for name in names if name.startswith("account=")]
    return sorted(account for account in accounts if months(place, log, account))


def months(place: Place, log: str, account: str) -> list[str]:
    """Return the months (``2026-10``, by UTC) of one log of one account, in order."""
    root = folder(place, log, account)
    names = names_inside(place, root)
    folders = [name[6:] for name in names if name.startswith("month=") and is_month(name[6:])]
    exists = os.path.exists if place.local else place.fs.exists
    # A folder without a file was left by a killed process: it is not a month yet.
    return [month for month in folders if exists(f"{root}/month={month}/{FILE}")]


def open_month(
    place: Place, log: str, account: str, month: str
) -> AbstractContextManager[MonthFile]:
    """Open the file of one month; its rows are checked when they are read.

    Raises
    ------
    ArchiveError
        If the file is damaged, or not a file of an archive.
    """
    return open_file(place, month_path(place, log, account, month))


def present_months(place: Place, log: str, account: str) -> list[str]:
    """Return the months; if there are none, raise an `ArchiveError` that lists what there is."""
    present = months(place, log, account)
    if present:
        return present
    by_log = {name: accounts(place, name) for name in known_logs()}
    every = sorted(set().union(*by_log.values()))
    if not every:
        raise ArchiveError(f"the archive {place.name} is empty: write, import or sync into it")
    if account not in every:
        names = ", ".join(map(repr, every[:10])) + (", ..." if len(every) > 10 else "")
        raise ArchiveError(
            f"no account {account!r} in the archive {place.name}{near(account, every)};"
            f" it has {names}"
        )
    logs = ", ".join(repr(name) for name in known_logs() if account in by_log[name])
    raise ArchiveError(f"the archive {place.name} has no {log!r} of {account!r}, only {logs}")


def fingerprint(
    place: Place, log: str, account: str, span: tuple[int, int]
) -> tuple[Hashable, ...]:
    """Return a key of each month's file in a half-open range, None for a month without one.

    A key changes when its file is replaced; the file is not read.
    """
    months = np.array([span[0], span[1] - 1]).astype("M8[us]").astype("M8[M]")
    names = np.arange(months[0], months[1] + 1).astype(str).tolist()
    return tuple(_file_key(place, month_path(place, log, account, name)) for name in names)


def content_key(place: Place, log: str, account: str, month: str) -> str:
    """Return an identifier of the content of a month's file: its digest, or its tag in a store."""
    path = month_path(place, log, account, month)
    return _digest(path, _file_key(place, path)) if place.local else str(place.fs.ukey(path))


@lru_cache(maxsize=8)  # the month of one part of a cohort is beside that of the next
def _digest(path: str, _: Hashable) -> str:
    with Path(path).open("rb") as source:
        return file_digest(source, "sha256").hexdigest()


def _file_key(place: Place, path: str) -> Hashable:
    try:
        if place.local:
            status = Path(path).stat()
            return status.st_ino, status.st_size, status.st_mtime_ns
        place.fs.invalidate_cache(path)
        return str(place.fs.ukey(path))
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records to read: a half-open range (microseconds, UTC) and columns (None for all)."""

    place: Place
    log: str
    account: str
    span: tuple[int, int]
    fields: tuple[str, ...] | None


@contextmanager
def open_months(selection: Selection) -> Iterator[tuple[pa.Schema, list[MonthFile]]]:
    """Open the months of a range; yield the schema in which to read all of them, and the files.

    Raises
    ------
    ArchiveError
        If the archive has no records of this log and account, or a file cannot be opened.
    """
    place, log, account = selection.place, selection.log, selection.account
    present = present_months(place, log, account)
    schema = schema_of(log)
    with ExitStack() as stack:
        files = [
            stack.enter_context(open_month(place, log, account, month))
            for month in present
            if overlap(month, selection.span)
        ]
        if selection.fields is not None:
            yield pa.schema([schema.field(name) for name in ("date", *selection.fields)]), files
        else:
            extras = widest(f for file in files for f in extras_of(file.schema, log))
            yield pa.schema([*schema, *extras]), files


def read_frame(selection: Selection, tz: str) -> pd.DataFrame:
    """Return the selected rows as a frame, sorted; without `fields`, unknown columns come last."""
    with open_months(selection) as (schema, files):
        tables = (file.rows(schema, *selection.span) for file in files)
        most_rows = sum(file.most_rows(*selection.span) for file in files)
        if most_rows * len(schema) * 8 > _LARGE_FRAME:
            return frame_from(schema, tables, most_rows, tz)
        return frame_of(pa.concat_tables([schema.empty_table(), *tables]), tz)


def read_table(selection: Selection) -> pa.Table:
    """Return the selected rows, sorted; without `fields`, unknown columns come last."""
    with open_months(selection) as (schema, files):
        tables = [file.rows(schema, *selection.span) for file in files]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def month_problems(place: Place, log: str, account: str, month: str) -> list[str]:
    """Return what is wrong with a month, nothing if all is well."""
    return file_problems(place, month_path(place, log, account, month), log, account, month)


def damaged_months(place: Place, log: str, account: str, months: list[str]) -> dict[str, str]:
    """Return the damaged months among some, with the fault; another program may have made them."""
    damaged = {}
    for month in months:
        problems = month_problems(place, log, account, month)
        wrong = [problem for problem in problems if is_damage(problem)]
        if wrong:
            damaged[month] = "; ".join(wrong)
    return damaged
