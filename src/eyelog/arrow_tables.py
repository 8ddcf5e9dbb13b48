"""Records as an Arrow table with the types of the catalogue, between files, answers and frames.

Stamps are microseconds of UTC throughout, and a record belongs to the month of its stamp in UTC, so
its place does not depend on a time zone. A missing number is null in the table, so that other
tools do not read it as a value, and NaN in a frame.
"""

import json
import re
from collections.abc import Iterable, Sequence, Set
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any, Final, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pandas.api.types import pandas_dtype

from eyelog.catalogue import catalogue
from eyelog.clock import DAY_US, Zones, instant_range, zone
from eyelog.decode import Page, joined_column, rows_kept
from eyelog.frame import OFFSET

STAMP: Final = pa.timestamp("us", tz="UTC")
_ARROW: Final = {
    "int": pa.float64(),  # as in the frame: a whole number may be missing
    "float": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.string(),
    "datetime": STAMP,
}
_DTYPES: Final = {pa.bool_(): pd.BooleanDtype(), pa.string(): pd.StringDtype()}
Stamps = npt.NDArray[np.int64]  # microseconds, UTC
Span = tuple[int, int]  # half open
Instant = str | date | datetime
NO_STAMPS: Final = np.empty(0, np.int64)
_GROUP_DAYS: Final = 4
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)


@cache
def schema_of(log: str, *names: str) -> pa.Schema:
    """Return the schema of some of the catalogue's fields, by default of all, ``date`` first."""
    fields = catalogue(log)
    return pa.schema([(name, _ARROW[fields[name].value_type]) for name in names or fields])


def fit(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table in exactly the columns of a schema; one that it lacks is missing."""
    if table.schema.equals(schema):
        return table.replace_schema_metadata(schema.metadata)
    present = dict(zip(table.column_names, table.columns, strict=True))
    arrays = []
    for field in schema:
        column = present.get(field.name)
        if column is None:
            column = pa.nulls(table.num_rows, field.type)
        arrays.append(column if column.type == field.type else column.cast(field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def schema_with(extras_in: Iterable[pa.Schema], log: str) -> pa.Schema:
    """Return the catalogue's fields, followed by the columns of schemas that are not in it."""
    extras = widest(field for schema in extras_in for field in extras_of(schema, log))
    return pa.schema([*schema_of(log), *extras])


def joined(tables: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    """Return tables one after the other, in the columns of a schema."""
    parts = [fit(table, schema) for table in tables]
    return pa.concat_tables(parts) if parts else pa.Table.from_batches([], schema)


def schema_of_all(tables: Sequence[pa.Table], log: str, names: Set[str] = frozenset()) -> pa.Schema:
    """Return the columns that any of some tables or `names` has.

    Fields of the catalogue are in its order; of other columns those that have a value come last.
    """
    names = {"date"}.union(names, *(table.column_names for table in tables))
    extras = widest(
        field
        for table in tables
        for field in extras_of(table.schema, log)
        if field.name == OFFSET or table[field.name].null_count < table.num_rows
    )
    known = [name for name in catalogue(log) if name in names]
    return pa.schema([*map(schema_of(log).field, known), *extras])


def stacked(tables: Sequence[pa.Table], log: str, names: Set[str] = frozenset()) -> pa.Table:
    """Return tables one after the other, in the columns of `schema_of_all`."""
    return joined(tables, schema_of_all(tables, log, names))


def in_order(table: pa.Table) -> pa.Table:
    """Return records sorted by their stamps, those of one stamp in the order that they have."""
    stamps = stamps_of(table)
    if (stamps[1:] >= stamps[:-1]).all():
        return table
    return table.take(pa.array(np.argsort(stamps, kind="stable")))


def stamps_of(table: pa.Table) -> Stamps:
    """Return the stamps of a table as microseconds."""
    stamps = table.column("date").to_numpy()
    return np.asarray(stamps.view(np.int64))


def extras_of(schema: pa.Schema, log: str) -> list[pa.Field]:
    """Return the columns that are not in the catalogue, sorted by name."""
    known = catalogue(log)
    return sorted((f for f in schema if f.name not in known), key=lambda f: str(f.name))


def widest(extras: Iterable[pa.Field]) -> list[pa.Field]:
    """Return one field per name, sorted; where types differ, text can represent both."""
    types: dict[str, pa.DataType] = {}
    for field in extras:
        same = types.setdefault(field.name, field.type) == field.type
        types[field.name] = field.type if same else pa.string()
    return [pa.field(name, types[name]) for name in sorted(types)]


def table_of(frame: pd.DataFrame, log: str) -> pa.Table:
    """Return the rows of a frame with an aware index, with the types of the catalogue.

    They are sorted by time; of several rows with the same stamp the last one is kept. Unknown
    columns come last, without those that have no value.
    """
    stamps = cast(pd.DatetimeIndex, frame.index).as_unit("us").asi8
    columns = {"date": pa.array(stamps).cast(STAMP)}
    dtypes = dict(zip(frame.columns.tolist(), frame.dtypes.tolist(), strict=True))
    known = [field for field in catalogue(log).values() if field.name in dtypes]
    numbers = [f.name for f in known if f.dtype == "float64" == dtypes[f.name]]
    # Each column of a frame on its own costs several times this.
    block = (frame if numbers == list(dtypes) else frame[numbers]).to_numpy()
    columns |= {name: pa.array(block[:, i], from_pandas=True) for i, name in enumerate(numbers)}
    for field in known:
        if field.name not in columns:
            values = frame[field.name].astype(pandas_dtype(field.dtype)).array
            columns[field.name] = pa.array(values, _ARROW[field.value_type], from_pandas=True)
    columns = {name: columns[name] for name in schema_of(log).names if name in columns}
    for name in sorted(map(str, dtypes.keys() - columns.keys())):
        array = plain_array(frame[name].array)
        if array.null_count < len(array):  # a column without any value is left out
            columns[name] = array
    table = pa.table(columns)
    if bool(np.all(stamps[1:] > stamps[:-1])):
        return table
    order = np.argsort(stamps, kind="stable")
    return table.take(pa.array(order[np.append(np.diff(stamps[order]) > 0, True)]))


def plain_array(values: Any) -> pa.Array:
    """Return the values of an unknown field as numbers, booleans or text."""
    try:
        array = pa.array(values, from_pandas=True)
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    except (pa.ArrowException, OverflowError):  # values of several kinds
        array = pa.array([_text(value) for value in values], pa.string())
    if pa.types.is_floating(array.type) or pa.types.is_integer(array.type):
        return array.cast(pa.float64(), safe=False)
    if pa.types.is_boolean(array.type):
        return array
    if pa.types.is_nested(array.type):
        return pa.array([_text(value) for value in array.to_pylist()], pa.string())
    return array.cast(pa.string())


def _text(value: Any) -> str | None:
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def frame_of(table: pa.Table, tz: str, *, share: bool = False) -> pd.DataFrame:
    """Return the frame of a sorted table: index ``date`` in `tz`, dtypes of the one shape.

    The values are the frame's own, so that the caller may write into it; with `share` they are
    those of the table if possible, for a caller that only reads them.
    """
    index = pd.DatetimeIndex(stamps_of(table).view("M8[us]"), tz="UTC", name="date", copy=False)
    table = table.drop_columns("date")
    frame: pd.DataFrame = table.to_pandas(
        types_mapper=_DTYPES.get, split_blocks=share, self_destruct=not share, use_threads=False
    )
    return frame.set_axis(index.tz_convert(zone(tz)))


class Outcome(NamedTuple):
    """The sorted stamps of records added, changed or removed."""

    added: Stamps
    changed: Stamps
    removed: Stamps


def merge(old: pa.Table, new: pa.Table, removed: Stamps) -> tuple[pa.Table, Outcome]:
    """Put rows into a sorted table, in its schema, and remove the rows of some of its stamps.

    If both have a stamp, the new row replaces the old one, in the columns that it has.
    """
    old_stamps, new_stamps = stamps_of(old), stamps_of(new)
    if not len(old_stamps):
        return fit(new, old.schema), Outcome(new_stamps, old_stamps, old_stamps)
    known = among(new_stamps, old_stamps)
    outcome = Outcome(new_stamps[~known], new_stamps[known], removed)
    if not any(map(len, outcome)):
        return old, outcome
    same = pa.array(np.searchsorted(old_stamps, new_stamps), mask=~known)
    laid = [
        new.column(field.name).cast(field.type)
        if field.name in new.column_names
        else old.column(field.name).take(same)
        for field in old.schema
    ]
    gone = among(old_stamps, new_stamps) | among(old_stamps, removed)
    rows = [old.filter(pa.array(~gone)), pa.Table.from_arrays(laid, schema=old.schema)]
    whole = pa.concat_tables(rows)
    order = np.argsort(stamps_of(whole), kind="stable")
    if not bool(np.all(order[1:] > order[:-1])):
        whole = whole.take(pa.array(order))
    return whole, outcome


def among(stamps: Stamps, others: Stamps) -> npt.NDArray[np.bool_]:
    """Return which stamps are among others, which are sorted."""
    if not len(others):
        return np.zeros(len(stamps), bool)
    at = np.searchsorted(others, stamps).clip(max=len(others) - 1)
    return np.asarray(others[at] == stamps)


# Pages of answers, without a frame in between: that would cost more than reading the answers


def table_of_pages(pages: Sequence[Page], log: str) -> pa.Table:
    """Return the records of some pages, sorted by stamp; of several with the same stamp, the last.

    It has every field of the catalogue, and after them the unknown fields that have a value.
    """
    filled = [page for page in pages if page.n]
    unknown = sorted({name for page in pages for name in page.unknown})
    if not filled:
        return schema_of(log).empty_table()
    stamps = np.concatenate([page.stamps for page in filled])
    fields = list(schema_of(log))
    arrays: list[pa.Array] = [pa.array(stamps.view(np.int64)).cast(STAMP)]
    for field in fields[1:]:
        column = joined_column(filled, field.name, catalogue(log)[field.name].dtype)
        if pa.types.is_boolean(field.type):
            arrays.append(pa.array(column == 1, mask=np.isnan(column)))
        else:
            arrays.append(pa.array(column, field.type, from_pandas=True))
    for name in unknown:
        values = plain_array(joined_column(filled, name, ""))
        if values.null_count < len(values):
            fields.append(pa.field(name, values.type))
            arrays.append(values)
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    kept, _ = rows_kept(stamps)
    return table if kept is None else table.take(pa.array(kept))


# Ranges of time, and the months of UTC in which an archive keeps its records


def span_of(start: Instant | None, end: Instant | None, tz: str | Zones) -> Span:
    """Return an inclusive range as a half-open range of microseconds, the last second whole.

    Without a start or an end it begins or ends with the years that months are named after.
    """
    opens, closes = month_edges("0001-01")[0], month_edges("9999-11")[1]
    given = [edge for edge in (start, end) if edge is not None]
    if given:
        first, last = instant_range(given[0], given[-1], tz)
        opens = opens if start is None else instant_us(first)
        closes = closes if end is None else instant_us(last) + 1_000_000
    return opens, closes


def instant_us(instant: datetime) -> int:
    """Return the microseconds of an instant given in UTC."""
    return int(np.datetime64(instant.replace(tzinfo=None), "us").astype(np.int64))


def is_month(text: str) -> bool:
    """Return whether a text is a month as in a folder's name, such as ``2026-10``."""
    return _MONTH.fullmatch(text) is not None


@lru_cache(maxsize=512)
def month_edges(slot: str) -> Span:
    """Return the first microsecond (UTC) of a month (or a day, ``2026-10-24``) and of the next."""
    first = np.datetime64(slot)
    first_us, next_us = (edge.astype("M8[us]").astype(np.int64) for edge in (first, first + 1))
    return int(first_us), int(next_us)


def overlap(slot: str, span: Span) -> bool:
    """Return whether any instant of a month (or a day) lies in a half-open range."""
    first, after = month_edges(slot)
    return first < span[1] and after > span[0]


def group_edges(slot: str) -> list[int]:
    """Return the edges (microseconds) that cut a month (or a day) into groups of four days.

    An archive is read and merged in these groups.
    """
    first, after = month_edges(slot)
    return [*range(first, after - 1, _GROUP_DAYS * DAY_US), after]


def days_of(stamps: npt.NDArray[np.int64]) -> list[str]:
    """Return the days that stamps (microseconds, UTC) lie in, in order."""
    return _dates(stamps, "D")


def months_of(stamps: npt.NDArray[np.int64]) -> list[str]:
    """Return the months that stamps (microseconds, UTC) lie in, in order."""
    return _dates(stamps, "M")


def _dates(stamps: npt.NDArray[np.int64], unit: Literal["D", "M"]) -> list[str]:
    dates = stamps.view("M8[us]").astype(f"M8[{unit}]")
    others = np.append(True, dates[1:] != dates[:-1])[: len(dates)]  # most stamps are sorted
    return [str(date) for date in np.unique(dates[others])]
