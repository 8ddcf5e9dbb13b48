"""Records from the archive as one CSV file, one Parquet file, or answers of the service."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import cast

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv

from eyelog.answers.encode import encode_answer
from eyelog.archive.parquet.reading import Selection, instant_us, open_months, read_table
from eyelog.archive.parquet.rows import MonthFile, frame_of, read_rows
from eyelog.archive.parquet.writing import parquet_writer
from eyelog.clock import DAY, day_start, zone
from eyelog.disk.files import whole_file
from eyelog.errors import ArchiveError, ConfigurationError

__all__ = ["export"]

_GROUP_ROWS = 4 * 5760


def export(selection: Selection, path: Path, tz: str, days: Iterable[date]) -> list[Path]:
    """Write a range in the format that the name of `path` stands for; return the files written.

    `days` are the local days of `tz` in the range.
    """
    kind = path.suffix.lower()
    if kind == ".json":
        raise ConfigurationError(
            f"{path} is one file, but each day becomes an answer of its own: give a folder, such as"
            f" {path.with_suffix('')}"
        )
    if kind == ".csv":
        written = _csv(selection, path, tz)
    elif kind == ".parquet":
        written = _parquet(selection, path)
    else:
        written = list(_answers(selection, path, tz, days))
    if not written:
        raise ArchiveError(
            f"nothing to export: {selection.log!r} of {selection.account!r} has no record in the"
            " range"
        )
    return written


def _tables(
    schema: pa.Schema, files: Iterable[MonthFile], span: tuple[int, int]
) -> Iterator[pa.Table]:
    """Return the rows month by month, so that memory does not grow with the range."""
    tables = (read_rows(file, schema, *span) for file in files)
    return (table for table in tables if table.num_rows)


def _csv(selection: Selection, path: Path, tz: str) -> list[Path]:
    with open_months(selection) as (schema, files):
        tables = _tables(schema, files, selection.span)
        first = next(tables, None)
        if first is None:
            return []
        header = io.StringIO()
        csv.writer(header, lineterminator="\n").writerow(schema.names)
        bare = pa_csv.WriteOptions(include_header=False)
        with whole_file(path) as sink:
            sink.write(header.getvalue().encode())
            for table in _chain(first, tables):
                pa_csv.write_csv(_with_text_stamps(table, tz), sink, bare)
    return [path]


def _parquet(selection: Selection, path: Path) -> list[Path]:
    with open_months(selection) as (schema, files):
        tables = _tables(schema, files, selection.span)
        first = next(tables, None)
        if first is None:
            return []
        with (
            whole_file(path) as sink,
            parquet_writer(sink, schema, selection.log, selection.account) as writer,
        ):
            for table in _chain(first, tables):
                writer.write_table(table, row_group_size=_GROUP_ROWS)
    return [path]


def _chain(first: pa.Table, rest: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from rest


def _with_text_stamps(table: pa.Table, tz: str) -> pa.Table:
    index = cast(pd.DatetimeIndex, frame_of(table.select(["date"]), tz).index)
    stamps = pa.array([stamp.isoformat() for stamp in index.to_pydatetime()], pa.string())
    return table.set_column(0, "date", stamps)


def _answers(selection: Selection, folder: Path, tz: str, days: Iterable[date]) -> Iterator[Path]:
    place = zone(tz)
    low, high = selection.span
    for day in days:
        first, after = (instant_us(day_start(edge, place)) for edge in (day, day + DAY))
        table = read_table(replace(selection, span=(max(first, low), min(after, high))))
        if table.num_rows:
            path = folder / f"{selection.log}-{day.isoformat()}.json"
            with whole_file(path) as sink:
                sink.write(encode_answer(frame_of(table, tz), selection.log))
            yield path
