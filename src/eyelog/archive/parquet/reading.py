"""Rows of one log of one account, read only from the months that have them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pyarrow as pa

from eyelog.archive.arrow_tables import extras_of, schema_of, widest
from eyelog.archive.parquet.layout import month_path, present_months
from eyelog.archive.parquet.rows import MonthFile, open_file, read_rows
from eyelog.archive.place import Place
from eyelog.archive.utc_stamps import overlap

__all__ = ["Selection", "open_months", "read_table"]


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
            stack.enter_context(open_file(place, month_path(place, log, account, month)))
            for month in present
            if overlap(month, selection.span)
        ]
        if selection.fields is not None:
            yield pa.schema([schema.field(name) for name in ("date", *selection.fields)]), files
        else:
            extras = widest(f for file in files for f in extras_of(file.schema, log))
            yield pa.schema([*schema, *extras]), files


def read_table(selection: Selection) -> pa.Table:
    """Return the selected rows, sorted; without `fields`, unknown columns come last."""
    with open_months(selection) as (schema, files):
        parts = [read_rows(file, schema, *selection.span) for file in files]
    return pa.concat_tables(parts) if parts else schema.empty_table()
