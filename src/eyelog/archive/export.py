"""Records as one CSV file, one Parquet file, or answers of the service, the same from any source.

An archive and a frame that was fetched write the same records as the same bytes.
"""

import csv
import io
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv

from eyelog.answers.encode import encode_answer
from eyelog.archive.arrow_tables import extras_of, frame_of
from eyelog.archive.csv_text import header_cell, written
from eyelog.archive.month_writer import prepare
from eyelog.archive.months import Selection, open_months
from eyelog.archive.parquet_writer import parquet_writer
from eyelog.archive.place import Place, archive_errors
from eyelog.archive.utc_stamps import Stamps, group_edges, instant_us, month_edges, months_of
from eyelog.catalogue import catalogue, known_logs
from eyelog.clock import (
    DAY,
    Zones,
    as_tzinfo,
    day_range,
    day_start,
    zone_at,
)
from eyelog.disk.files import whole_file
from eyelog.errors import ArchiveError, ConfigurationError, EyelogWarning, argument
from eyelog.frame import (
    OFFSET,
    log_of,
    zones_of,
)
from eyelog.progress import progress_line
from eyelog.provenance import stated_account

__all__ = [
    "LOCATION",
    "check_target",
    "csv_pieces",
    "export",
    "export_frame",
    "names_location",
    "print_csv",
    "without_location",
]

_GROUP_ROWS: Final = 4 * 5760
# Coordinates, not distances: fields of a place in degrees.
LOCATION: Final = frozenset(
    name
    for log in known_logs()
    for name, field in catalogue(log).items()
    if field.kind == "location" and field.unit == "deg"
)


@dataclass(frozen=True, slots=True)
class _Records:
    """Records to be written: their description, month by month, and any part of them."""

    log: str
    account: str
    tz: str  # of the index
    zones: Zones  # of the wearer's clock
    schema: pa.Schema
    months: int
    tables: Callable[[], Iterator[pa.Table]]  # one per month of UTC, in order
    stamps: Callable[[], Stamps]
    between: Callable[[int, int], pa.Table]  # by edges in microseconds


def check_target(path: Path) -> str:
    """Return the format that a path indicates: ``"csv"``, ``"parquet"`` or ``"answers"``.

    Raises
    ------
    ConfigurationError
        If it is the name of another kind of file.
    """
    ending = path.suffix.lower()
    if ending in (".csv", ".parquet"):
        return ending[1:]
    bare = path.with_suffix("")
    if ending == ".json":
        raise ConfigurationError(
            f"{path} is one file, but each day becomes a separate answer: give a folder, such as"
            f" {bare}"
        )
    if ending and not path.is_dir():
        raise ConfigurationError(
            f"cannot write {path.name}: end its name with .parquet or .csv, or give a folder"
            f" without an ending ({bare.name}) for one JSON answer per day"
        )
    return "answers"


def names_location(fields: str | Iterable[str] | None) -> bool:
    """Return whether `fields` names a field that shows where the wearer was."""
    names = {fields} if isinstance(fields, str) else set(fields or ())
    return not names.isdisjoint(LOCATION)


def export(
    selection: Selection, path: Path, zones: Zones, days: Iterable[date], *, location: bool
) -> list[Path]:
    """Write a range of an archive in the format that `path` indicates; return the files written.

    `days` are the local days of `zones` in the range. Without `location` the fields that show where
    the wearer was are left out.
    """
    kind = check_target(path)
    with _of_archive(selection, zones, location=location) as records:
        files = _write(records, path, kind, days)
    if not files:
        raise ArchiveError(
            f"nothing to export: {selection.log!r} of {selection.account!r} has no record in the"
            " range"
        )
    return files


def without_location(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without the fields that show where the wearer was; warn if they had values."""
    secret = [name for name in frame.columns if name in LOCATION]
    _warn_of_location({name for name in secret if frame[name].notna().any()})
    return frame.drop(columns=secret)


def export_frame(frame: pd.DataFrame, path: Path) -> list[Path]:
    """Write a frame in the format that `path` indicates; return the files written.

    The stamps of CSV and answers are in the zone of the index. A frame without records becomes a
    CSV or Parquet file without rows, and no answer.

    Raises
    ------
    ConfigurationError
        If `path` does not name a format, or nothing shows which log the frame is.
    ArchiveError
        If a file cannot be written.
    """
    kind = check_target(path)
    records = _of_frame(frame)
    index = cast(pd.DatetimeIndex, frame.index)
    days = day_range(index.min(), index.max(), records.zones) if len(index) else []
    with archive_errors(f"write {path}"):
        return _write(records, path, kind, days, empty=True)


def print_csv(frame: pd.DataFrame, sink: Any) -> None:
    """Write a frame to a binary stream, as the CSV that `export_frame` writes."""
    records = _of_frame(frame)
    _write_csv(records, records.tables(), sink)


@contextmanager
def _of_archive(selection: Selection, zones: Zones, *, location: bool) -> Iterator[_Records]:
    log, span = selection.log, selection.span
    with open_months(selection) as (schema, files):
        # First find which of the doubtful columns have a value: a frame of the same records does
        # not have the others, and the files must not differ.
        extras = {field.name for field in extras_of(schema, log)}
        secret = set() if location else LOCATION.intersection(schema.names)
        narrow = pa.schema([f for f in schema if f.name in {"date", *extras, *secret}])
        filled: set[str] = set()
        for file in files if extras or secret else ():
            table = file.rows(narrow, *span)
            filled |= {n for n in extras | secret if table.column(n).null_count < table.num_rows}
        _warn_of_location(filled & secret)
        left_out = (extras - filled) | secret
        schema = pa.schema([field for field in schema if field.name not in left_out])

        def tables() -> Iterator[pa.Table]:
            # One month at a time, so that memory does not grow with the range.
            return (file.rows(schema, *span) for file in files)

        def between(first: int, after: int) -> pa.Table:
            edges = max(first, span[0]), min(after, span[1])
            parts = [file.rows(schema, *edges) for file in files]
            return pa.concat_tables([schema.empty_table(), *parts])

        def stamps() -> Stamps:
            parts = [file.stamps(*span) for file in files]
            return np.concatenate([np.empty(0, np.int64), *parts])

        account, count = selection.account, len(files)
        yield _Records(log, account, zones.home, zones, schema, count, tables, stamps, between)


def _of_frame(frame: pd.DataFrame) -> _Records:
    log = log_of(frame)
    account = stated_account(frame) or "me"
    tz = str(cast(pd.DatetimeIndex, frame.index).tz)
    zones = zones_of(frame)
    with warnings.catch_warnings():  # the maker of the frame has warned of its unknown fields
        warnings.simplefilter("ignore", EyelogWarning)
        batch = prepare(frame, log, None)
    table, stamps = batch.rows(0, len(batch.stamps)), batch.stamps

    def between(first: int, after: int) -> pa.Table:
        low, high = np.searchsorted(stamps, [first, after]).tolist()
        return table.slice(low, high - low)

    months = months_of(stamps)

    def tables() -> Iterator[pa.Table]:
        return (between(*month_edges(month)) for month in months)

    count = len(months)
    return _Records(log, account, tz, zones, table.schema, count, tables, lambda: stamps, between)


def _warn_of_location(names: set[str]) -> None:
    if names:
        warnings.warn(
            f"left out where the wearer was ({', '.join(sorted(names))}): ask for it with"
            f" {argument('location', True)}",
            EyelogWarning,
            stacklevel=2,
        )


def _write(
    records: _Records, path: Path, kind: str, days: Iterable[date], *, empty: bool = False
) -> list[Path]:
    """Write records; without a record write nothing, unless an `empty` table is requested."""
    if kind == "answers":
        return list(_answers(records, path, list(days)))
    tables = (table for table in _counted(records) if table.num_rows)
    first = next(tables, None)
    if first is None and not empty:
        return []
    with whole_file(path) as sink:
        write = _write_csv if kind == "csv" else _write_parquet
        write(records, _chain(first, tables), sink)
    return [path]


def _counted(records: _Records) -> Iterator[pa.Table]:
    label = f"write {records.log} of {records.account}"
    with progress_line(records.months, label, unit="month") as done:
        for table in records.tables():
            yield table
            done()


def _chain(first: pa.Table | None, rest: Iterator[pa.Table]) -> Iterator[pa.Table]:
    if first is not None:
        yield first
    yield from rest


def csv_pieces(
    place: Place, log: str, account: str, month: str, zones: Zones
) -> Generator[bytes, None, None]:
    """Give a month of UTC, with where the wearer was, as the CSV file that `export` writes.

    The pieces are some days each, so that memory does not grow with the month.
    """
    first, after = month_edges(month)
    selection = Selection(place, log, account, (first, after), None)
    with (
        archive_errors(f"read {log!r} of {account!r}"),
        _of_archive(selection, zones, location=True) as records,
    ):
        head = io.BytesIO()
        _write_csv(records, (), head)
        yield head.getvalue()
        for edge, next_edge in pairwise(group_edges(month)):
            if len(table := records.between(edge, next_edge)):
                piece = io.BytesIO()
                _write_rows(records, table, piece)
                yield piece.getvalue()


def _write_csv(records: _Records, tables: Iterable[pa.Table], sink: Any) -> None:
    header = io.StringIO()
    names = [header_cell(name, records.log) for name in records.schema.names]
    csv.writer(header, lineterminator="\n").writerow(names)
    sink.write(header.getvalue().encode())
    for table in tables:
        _write_rows(records, table, sink)


def _write_rows(records: _Records, table: pa.Table, sink: Any) -> None:
    bare = pa_csv.WriteOptions(include_header=False)
    # If a column has an empty chunk, pyarrow writes bytes that belong to no column.
    pa_csv.write_csv(_as_text(table, records).combine_chunks(), sink, bare)


def _as_text(table: pa.Table, records: _Records) -> pa.Table:
    """Return the table with stamps as text, and texts that no spreadsheet runs."""
    documented = catalogue(records.log)
    index = cast(pd.DatetimeIndex, frame_of(table.select(["date"]), records.tz).index)
    times = index.to_pydatetime().tolist()
    if records.zones.vary:  # each in the wearer's own offset
        offsets = records.zones.offset_min(index).tolist()
        clocks = {minutes: timezone(timedelta(minutes=minutes)) for minutes in set(offsets)}
        pairs = zip(times, offsets, strict=True)
        times = [time.astimezone(clocks[minutes]) for time, minutes in pairs]
    stamps = pa.array([stamp.isoformat() for stamp in times], pa.string())
    arrays = [
        stamps if name == "date" else written(table.column(name), documented=name in documented)
        for name in table.column_names
    ]
    return pa.Table.from_arrays(arrays, names=table.column_names)


def _write_parquet(records: _Records, tables: Iterable[pa.Table], sink: Any) -> None:
    schema = _for_pandas(_with_offsets(records.schema.empty_table(), records).schema, records.tz)
    with parquet_writer(sink, schema, records.log, records.account) as writer:
        for table in tables:
            # One chunk: the same records make the same bytes, however they were read.
            whole = _with_offsets(table, records).combine_chunks().cast(schema)
            writer.write_table(whole, row_group_size=_GROUP_ROWS)


def _with_offsets(table: pa.Table, records: _Records) -> pa.Table:
    """Return the table with the offset of the wearer's clock as its last column, if it varies."""
    if not records.zones.vary:
        return table
    index = cast(pd.DatetimeIndex, frame_of(table.select(["date"]), "UTC").index)
    return table.append_column(OFFSET, pa.array(records.zones.offset_min(index), pa.float64()))


def _for_pandas(schema: pa.Schema, tz: str) -> pa.Schema:
    """Return the schema from which pandas reads the frame: its index, its zone, its dtypes."""
    empty = frame_of(schema.empty_table(), tz)
    own = pa.Schema.from_pandas(empty)
    stamp = pa.field("date", pa.timestamp("us", tz=tz))
    fields = [stamp if field.name == "date" else field for field in schema]
    return pa.schema(fields, metadata={b"pandas": own.metadata[b"pandas"]})


def _answers(records: _Records, folder: Path, days: list[date]) -> Iterator[Path]:
    place = as_tzinfo(records.zones)
    opens = [
        instant_us(day_start(day, place)) for day in [*days, *(day + DAY for day in days[-1:])]
    ]
    counts = np.diff(np.searchsorted(records.stamps(), opens))
    spans = [
        (day, *edges) for day, edges, n in zip(days, pairwise(opens), counts, strict=True) if n
    ]
    label = f"write {records.log} of {records.account}"
    with progress_line(len(spans), label) as done:
        for day, first, after in spans:
            begins = datetime.fromtimestamp(first // 1_000_000, UTC)
            tz = zone_at(records.zones, begins) if records.zones.vary else records.tz
            answer = encode_answer(frame_of(records.between(first, after), tz), records.log)
            path = folder / f"{records.log}-{day.isoformat()}.json"
            with whole_file(path) as sink:
                sink.write(answer)
            yield path
            done()
