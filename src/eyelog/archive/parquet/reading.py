"""Rows of one log of one account from the months that hold them, and from nothing else."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
import pyarrow as pa

from eyelog.archive.parquet.layout import Place, month_edges, month_path, require_holding, schema_of
from eyelog.archive.parquet.rows import MonthFile, extras_of, open_file, read_rows, widest
from eyelog.clock import SECOND, instant_range

__all__ = ["Wanted", "instant_us", "open_months", "overlap", "read_table", "span_of"]

Instant = str | date | datetime


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked: a half-open range (microseconds, UTC), and columns, or None for all."""

    place: Place
    log: str
    account: str
    span: tuple[int, int]
    fields: tuple[str, ...] | None


def span_of(start: Instant, end: Instant, tz: str) -> tuple[int, int]:
    """Return the half-open range of microseconds that an inclusive range means."""
    first, last = instant_range(start, end, tz)
    return instant_us(first), instant_us(last + SECOND)


def instant_us(instant: datetime) -> int:
    """Return the microseconds of an instant given in UTC."""
    return int(np.datetime64(instant.replace(tzinfo=None), "us").astype(np.int64))


def overlap(month: str, span: tuple[int, int]) -> bool:
    """Whether a month holds any instant of a half-open range."""
    first, after = month_edges(month)
    return first < span[1] and after > span[0]


@contextmanager
def open_months(wanted: Wanted) -> Iterator[tuple[pa.Schema, list[MonthFile]]]:
    """Open the months of a range: the columns that all of them will give, and the files.

    Raises
    ------
    ArchiveError
        If the archive does not hold this log of this account, or a file cannot be opened.
    """
    place, log, account = wanted.place, wanted.log, wanted.account
    held = require_holding(place, log, account)
    known = schema_of(log)
    with ExitStack() as stack:
        files = [
            stack.enter_context(open_file(place, month_path(place, log, account, month)))
            for month in held
            if overlap(month, wanted.span)
        ]
        if wanted.fields is not None:
            yield pa.schema([known.field(name) for name in ("date", *wanted.fields)]), files
        else:
            extras = widest(f for file in files for f in extras_of(file.schema, log))
            yield pa.schema([*known, *extras]), files


def read_table(wanted: Wanted) -> pa.Table:
    """Return the rows of a range, sorted: the columns asked for, or all and the unknown ones."""
    with open_months(wanted) as (schema, files):
        parts = [read_rows(file, schema, *wanted.span) for file in files]
    return pa.concat_tables(parts) if parts else schema.empty_table()
