"""Records as one CSV file, one Parquet file, or answers of the service, the same from any source.

An archive and a frame that was fetched write the same records as the same bytes.
"""

import csv
import io
import json
import re
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, tzinfo
from functools import lru_cache, partial
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv

from eyelog.archive.lists import present_months
from eyelog.archive.months import opened, parquet_writer, prepare
from eyelog.archive.place import Place, archive_errors
from eyelog.arrow_tables import (
    Span,
    Stamps,
    extras_of,
    frame_of,
    group_edges,
    instant_us,
    month_edges,
    months_of,
    schema_of,
    schema_with,
    stamps_of,
)
from eyelog.catalogue import catalogue, known_logs
from eyelog.clock import (
    DAY,
    DAY_US,
    HOUR_US,
    LocalClock,
    Zones,
    as_tzinfo,
    day_start,
    offset_of,
    zone,
    zone_at,
)
from eyelog.errors import ConfigurationError, EyelogWarning, warn
from eyelog.frame import OFFSET, log_of, stated_account, zones_of
from eyelog.home import progress_line, whole_file

# Coordinates, not distances: fields of a place in degrees.
LOCATION: Final = frozenset(
    name
    for log in known_logs()
    for name, field in catalogue(log).items()
    if field.kind == "location" and field.unit == "deg"
)

# The first characters of formulas, also full-width ones: Japanese spreadsheets run those too.
_FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - these are the letters meant
_BREAK: Final = re.compile(r"[\x00\r\n]")
_OTHER_VALUES: Final = frozenset(
    {"", "true", "false", "nan", "null", "none", "na", "n/a", "<na>", "inf", "infinity"}
)
_WHOLE: Final = 2.0**53  # above it a float cannot distinguish neighbouring whole numbers


@dataclass(frozen=True, slots=True)
class Records:
    """Records to be written, and their description."""

    log: str
    account: str
    tz: str  # of the index
    zones: Zones  # of the wearer's clock
    schema: pa.Schema
    months: Sequence[str]
    rows: Callable[[int, int], pa.Table]  # those of [first, after)
    progress: bool | None = None

    def tables(self) -> Iterator[pa.Table]:
        """Yield the records of some days each: memory does not grow with the range."""
        label = f"write {self.log} of {self.account}"
        with progress_line(len(self.months), label, unit="month", choice=self.progress) as done:
            for month in self.months:
                for edges in pairwise(group_edges(month)):
                    if len(table := self.rows(*edges)):
                        yield table
                done()


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
    check_target(path)
    with archive_errors(f"write {path}"):
        return write_records(_of_frame(frame), path, empty=True)


def print_csv(frame: pd.DataFrame, sink: Any) -> None:
    """Write a frame to a binary stream, as the CSV that `export_frame` writes."""
    sink.writelines(_csv(_of_frame(frame)))


def csv_pieces(
    place: Place, log: str, account: str, month: str, zones: Zones
) -> Generator[bytes, None, None]:
    """Give a month of UTC, with where the wearer was, as the CSV file that `export` writes.

    The pieces are some days each, so that memory does not grow with the month.
    """
    span = month_edges(month)
    with (
        archive_errors(f"read {log!r} of {account!r}"),
        records_of(place, log, account, span, None, zones, location=True, progress=False) as found,
    ):
        yield from _csv(found)


@contextmanager
def records_of(
    place: Place,
    log: str,
    account: str,
    span: Span,
    fields: Iterable[str] | None,
    zones: Zones,
    *,
    location: bool,
    progress: bool | None = None,
) -> Iterator[Records]:
    """Open a range of an archive to be written.

    Without `location` the fields that show where the wearer was are left out.
    """
    present_months(place, log, account)
    with opened(place, log, account, span) as stored:

        def rows(first: int, after: int, columns: pa.Schema) -> pa.Table:
            return stored.rows(max(first, span[0]), min(after, span[1]), columns)

        chosen = None if fields is None else schema_of(log, "date", *fields)
        schemas = list[pa.Schema]()
        # First find which of the doubtful columns have a value: a frame of the same records does
        # not have the others, and the files must not differ.
        filled: set[str] = set()
        for month in stored.months:
            own = chosen or schema_with(stored.schemas(month), log)
            schemas.append(own)
            doubtful = {field.name for field in extras_of(own, log)}
            doubtful |= set() if location else LOCATION.intersection(own.names)
            narrow = pa.schema([field for field in own if field.name in {"date", *doubtful}])
            if doubtful:
                table = rows(*month_edges(month), narrow)
                filled |= {n for n in doubtful if table.column(n).null_count < table.num_rows}
        schema = chosen or schema_with(schemas, log)
        secret = set() if location else LOCATION.intersection(schema.names)
        _warn_of_location(filled & secret)
        left_out = ({field.name for field in extras_of(schema, log)} - filled) | secret
        schema = pa.schema([field for field in schema if field.name not in left_out])
        few = partial(rows, columns=schema)
        yield Records(log, account, zones.home, zones, schema, stored.months, few, progress)


def _of_frame(frame: pd.DataFrame) -> Records:
    log = log_of(frame)
    with warnings.catch_warnings():  # the maker of the frame has warned of its unknown fields
        warnings.simplefilter("ignore", EyelogWarning)
        table = prepare(frame, log)
    stamps = stamps_of(table)

    def rows(first: int, after: int) -> pa.Table:
        return table[slice(*np.searchsorted(stamps, [first, after]).tolist())]

    account, tz = stated_account(frame) or "me", str(cast(pd.DatetimeIndex, frame.index).tz)
    return Records(log, account, tz, zones_of(frame), table.schema, months_of(stamps), rows)


def _warn_of_location(names: set[str]) -> None:
    if names:
        warn(
            f"left out where the wearer was ({', '.join(sorted(names))}): ask for it with"
            " location=True"
        )


def write_records(records: Records, path: Path, *, empty: bool = False) -> list[Path]:
    """Write records in the format that `path` indicates; return the files written.

    Without a record nothing is written, unless an `empty` table is requested.
    """
    kind = check_target(path)
    if kind == "answers":
        return list(_answers(records, path))
    tables = records.tables()
    first = list(islice(tables, 1))
    if not first and not empty:
        return []
    with whole_file(path) as sink:
        if kind == "csv":
            sink.writelines(_csv(records, chain(first, tables)))
            return [path]
        # The file from which pandas reads the frame: its index, its zone, its dtypes
        fields = [field for field in records.schema if field.name != "date"]
        fields += [pa.field(OFFSET, pa.float64())] if records.zones.vary else []
        schema = pa.schema([pa.field("date", pa.timestamp("us", tz=records.tz)), *fields])
        about = pa.Schema.from_pandas(frame_of(schema.empty_table(), records.tz)).metadata
        schema = schema.with_metadata({b"pandas": about[b"pandas"]})
        with parquet_writer(sink, schema, records.log, records.account) as writer:
            for table in chain(first, tables):
                if records.zones.vary:
                    offsets = pa.array(_ahead_us(table, records) / 60e6)
                    table = table.append_column(OFFSET, offsets)
                # One chunk: the same records make the same bytes, however they were read.
                writer.write_table(table.combine_chunks().cast(schema))
    return [path]


def _csv(records: Records, tables: Iterable[pa.Table] | None = None) -> Iterator[bytes]:
    """Yield the header of a CSV file, and the lines of each table."""
    header = io.StringIO()
    names = [header_cell(name, records.log) for name in records.schema.names]
    csv.writer(header, lineterminator="\n").writerow(names)
    yield header.getvalue().encode()
    for table in tables or records.tables():
        stamps = stamps_of(table)
        local = stamps + _ahead_us(table, records)
        columns = {
            name: written(table.column(name), documented=name in catalogue(records.log))
            for name in table.column_names
        }
        columns["date"] = pa.array(stamp_texts(local, stamps), pa.string())
        lines = io.BytesIO()
        # If a column has an empty chunk, pyarrow writes bytes that belong to no column.
        whole = pa.table(columns).combine_chunks()
        pa_csv.write_csv(whole, lines, pa_csv.WriteOptions(include_header=False))
        yield lines.getvalue()


def _ahead_us(table: pa.Table, records: Records) -> Stamps:
    """Return how far the wearer's clock is ahead of UTC at each record, in microseconds."""
    stamps = stamps_of(table)
    if not records.zones.vary:
        return LocalClock(zone(records.tz)).wall_us(stamps) - stamps
    index = pd.DatetimeIndex(stamps.view("M8[us]"), tz="UTC")
    return (records.zones.offset_min(index) * 60e6).astype(np.int64)


def _answers(records: Records, folder: Path) -> Iterator[Path]:
    """Write an answer per local day that has a record."""
    clock, names = as_tzinfo(records.zones), records.schema.names
    for day, table in _by_day(records, clock):
        tz = zone_at(records.zones, day_start(day, clock)) if records.zones.vary else records.tz
        offsets_us = LocalClock(zone(tz)).wall_us(stamps_of(table)) - stamps_of(table)
        path = folder / f"{records.log}-{day.isoformat()}.json"
        with whole_file(path) as sink:
            sink.write(encode_table(table, records.log, offset_us=offsets_us, names=names))
        yield path


def _by_day(records: Records, clock: tzinfo) -> Iterator[tuple[date, pa.Table]]:
    """Yield the records of each local day that has any; a day may be of two months of UTC."""
    parts: dict[date, list[pa.Table]] = {}
    for table in records.tables():
        stamps = stamps_of(table)
        # A day more, because a traveller's clock may go back to the day before.
        shown = (stamps + _ahead_us(table, records)) // DAY_US
        for day in np.arange(shown.min(), shown.max() + 2).astype("M8[D]").tolist():
            edges = [instant_us(day_start(each, clock)) for each in (day, day + DAY)]
            low, high = np.searchsorted(stamps, edges).tolist()
            if low < high:
                parts.setdefault(day, []).append(table.slice(low, high - low))
        for day in list(parts)[:-1]:
            yield day, pa.concat_tables(parts.pop(day))
    for day, rest in parts.items():
        yield day, pa.concat_tables(rest)


# Texts in a CSV file that a spreadsheet cannot run and that are read back as they were: one that a
# spreadsheet would run as a formula, or that a reader would misread, is written as a JSON string
# (``"=1+1"``, quotation marks included), and so is one that is itself in quotation marks.


def _altered(text: str) -> bool:
    """Return whether a spreadsheet or a reader would misread a text."""
    return (
        text.startswith((*_FORMULA, '"')) or text != text.strip() or _BREAK.search(text) is not None
    )


def _no_text(text: str) -> bool:
    """Return whether an untyped column would contain a number or nothing instead of a text."""
    if text.casefold().lstrip("+-") in _OTHER_VALUES:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def written(column: pa.ChunkedArray, *, documented: bool) -> pa.ChunkedArray:
    """Return a column of texts as it is written; only a documented field is certain to be text."""
    if not pa.types.is_string(column.type):
        return column
    encoded = column.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    safe = [_quoted(t) if _altered(t) or (not documented and _no_text(t)) else t for t in texts]
    if safe == texts:
        return column
    return pa.chunked_array([pa.array(safe, pa.string()).take(encoded.indices)])


def header_cell(name: str, log: str) -> str:
    """Return the name of a column as it is written in the header of a file of `log`."""
    if name == "date" or name in catalogue(log):
        return name
    fields = [field for each in known_logs() for field in catalogue(each).values()]
    # A reader would take such a name as a field of one of the logs.
    spelled = any(name.casefold() in (f.name.casefold(), f.long_name.casefold()) for f in fields)
    return _quoted(name) if spelled or not name or _altered(name) else name


# Records as an answer of the service: JSON, grouped by the hour in their own offset


def encode_table(
    table: pa.Table,
    log: str,
    *,
    offset_us: int | Stamps,
    names: Sequence[str],
    cursor: str | None = None,
) -> bytes:
    """Return the rows of a table of the archive as the body of one answer of the service.

    Parameters
    ----------
    table : pyarrow.Table
        Records of at most one local day: ``date`` in UTC, and other columns.
    log : {"computed_data", "standard_mode_logs"}
        The log of `table`.
    offset_us : int or array of int64
        Microseconds between UTC and the stamps that are written.
    names : sequence of str
        The fields of a record, in this order.
    cursor : str, optional
        Where the next page begins; null for the last page.

    Returns
    -------
    bytes
        ``{LOG: {"9": [{"date": ..., ...}, ...]}, "cursor": null}``. Each record has every field; a
        missing value is null. A whole number in an integer field of the catalogue is written
        without a fraction.
    """
    stamps = stamps_of(table)
    local = stamps + offset_us

    def values(name: str) -> list[Any]:
        if name == "date":
            return stamp_texts(local, stamps)
        column = table.column(name)
        if pa.types.is_floating(column.type):
            return _numbers(column.to_numpy(), name, log)
        return cast(list[Any], column.to_pylist())

    # A struct writes its keys from a table made once, in half the time of a dict per record.
    records = list(map(_record(tuple(names)), *map(values, names)))
    hours: dict[str, list[Any]] = {}
    hour_of = local // HOUR_US
    starts = [0, *(np.flatnonzero(np.diff(hour_of)) + 1).tolist(), len(records)]
    for first, last in pairwise(starts if records else []):
        hours.setdefault(str(hour_of[first] % 24), []).extend(records[first:last])
    return msgspec.json.encode({log: hours, "cursor": cursor})


@lru_cache(maxsize=128)
def _record(names: tuple[str, ...]) -> Callable[..., Any]:
    if any(not name.isprintable() or '"' in name or "\\" in name for name in names):
        return lambda *values: dict(zip(names, values, strict=True))  # a struct cannot spell these
    # An unknown field may have any name, so the attributes are numbered.
    spelled = {f"f{i}": name for i, name in enumerate(names)}
    return msgspec.defstruct("Record", [(key, Any) for key in spelled], rename=spelled, gc=False)


def stamp_texts(local: Stamps, utc: Stamps) -> list[str]:
    """Return stamps of a local clock in RFC 3339, with a fraction only if there is one."""
    texts: list[str] = np.datetime_as_string(local.view("M8[us]"), unit="s").tolist()
    for i in np.flatnonzero(local % 1_000_000).tolist():
        texts[i] = str(np.datetime_as_string(local[i].view("M8[us]"), unit="us"))
    offsets, which = np.unique(local - utc, return_inverse=True)
    suffixes = [offset_of(int(offset / 60e6)) for offset in offsets.tolist()]
    return [text + suffixes[i] for text, i in zip(texts, which.tolist(), strict=True)]


def _numbers(numbers: npt.NDArray[np.float64], name: str, log: str) -> list[Any]:
    """Return numbers as JSON accepts them; the encoder itself writes NaN as null."""
    field = catalogue(log).get(name)
    if field is None or field.value_type != "int":
        return list(numbers.tolist())
    with np.errstate(invalid="ignore"):  # from values that are not numbers, which are handled below
        integers = numbers.astype(np.int64)
    # Only whole numbers survive the round trip through integers; numbers too large come back
    # changed
    whole = (integers == numbers) & (np.abs(numbers) < _WHOLE)
    if whole.all():
        return list(integers.tolist())
    mixed = numbers.astype(object)
    mixed[whole] = integers[whole]
    return list(mixed.tolist())
