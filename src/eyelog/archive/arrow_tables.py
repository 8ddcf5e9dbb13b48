"""Records as an Arrow table with the types of the catalogue, between files, answers and frames.

Stamps are microseconds of UTC throughout. A missing number is null in the table, so that other
tools do not read it as a value, and NaN in a frame.
"""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.archive.utc_stamps import Stamps
from eyelog.catalogue import catalogue, columns
from eyelog.clock import zone

__all__ = [
    "STAMP",
    "extras_of",
    "frame_from",
    "frame_of",
    "plain_array",
    "plain_schema",
    "schema_of",
    "stamps_of",
    "table_of",
    "widest",
]

STAMP: Final = pa.timestamp("us", tz="UTC")
_ARROW: Final = {
    "int": pa.float64(),  # as in the frame: a whole number may be missing
    "float": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.string(),
    "datetime": STAMP,
}
_DTYPES: Final = {pa.bool_(): pd.BooleanDtype(), pa.string(): pd.StringDtype()}
_NUMBERS: Final = (pa.types.is_floating, pa.types.is_integer)


@cache
def schema_of(log: str) -> pa.Schema:
    """Return the schema of the catalogue's fields, ``date`` first."""
    return pa.schema([(f.name, _ARROW[f.value_type]) for f in catalogue(log).values()])


def stamps_of(table: pa.Table) -> Stamps:
    """Return the stamps of a table as microseconds."""
    stamps = table.column("date").cast(pa.int64()).to_numpy()
    return np.asarray(stamps, dtype=np.int64)


def extras_of(schema: pa.Schema, log: str) -> list[pa.Field]:
    """Return the columns that are not in the catalogue, sorted by name."""
    names = set(schema_of(log).names)
    return sorted((f for f in schema if f.name not in names), key=lambda f: str(f.name))


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return the names and types of a file's columns, without what reading adds to them."""
    return pa.schema([pa.field(field.name, field.type) for field in schema])


def widest(extras: Iterable[pa.Field]) -> list[pa.Field]:
    """Return one field per name, sorted; where types differ, text can represent both."""
    types: dict[str, pa.DataType] = {}
    for field in extras:
        same = types.setdefault(field.name, field.type) == field.type
        types[field.name] = field.type if same else pa.string()
    return [pa.field(name, types[name]) for name in sorted(types)]


def table_of(frame: pd.DataFrame, log: str) -> pa.Table:
    """Return the rows of a conformed frame: its own columns, with the types of the catalogue."""
    stamps = cast(pd.DatetimeIndex, frame.index).asi8
    schema = schema_of(log)
    fields, arrays = [schema.field("date")], [pa.array(stamps).cast(STAMP)]
    for name in (name for name in columns(log) if name in frame.columns):
        fields.append(schema.field(name))
        arrays.append(pa.array(frame[name].array, type=schema.field(name).type, from_pandas=True))
    for name in sorted(map(str, set(frame.columns) - set(columns(log)))):
        array = plain_array(frame[name].array)
        if array.null_count < len(array):  # a column without any value is left out
            fields.append(pa.field(name, array.type))
            arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def plain_array(values: Any) -> pa.Array:
    """Return the values of an unknown field as numbers, booleans or text."""
    try:
        array = pa.array(values, from_pandas=True)
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    except (pa.ArrowException, OverflowError):  # values of several kinds
        array = pa.array([None if _missing(v) else _text(v) for v in values], pa.string())
    if any(is_number(array.type) for is_number in _NUMBERS):
        return array.cast(pa.float64(), safe=False)
    if pa.types.is_boolean(array.type):
        return array
    if pa.types.is_nested(array.type):
        return pa.array([None if v is None else _text(v) for v in array.to_pylist()], pa.string())
    return array.cast(pa.string())


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def frame_of(table: pa.Table, tz: str, *, share: bool = False) -> pd.DataFrame:
    """Return the frame of a sorted table: index ``date`` in `tz`, dtypes of the one shape.

    The values are the frame's own, so that the caller may write into it; with `share` they are
    those of the table if possible, for a caller that only reads them.
    """
    frame: pd.DataFrame = table.drop_columns("date").to_pandas(
        types_mapper=_DTYPES.get, split_blocks=share
    )
    return frame.set_axis(_index_of(stamps_of(table), tz))


def frame_from(
    schema: pa.Schema, tables: Iterable[pa.Table], most_rows: int, tz: str
) -> pd.DataFrame:
    """Return the frame of sorted tables, one after the other, as `frame_of` does for all together.

    Each table is copied before the next is requested, so that a large frame and its tables are not
    in memory at once. The numbers are in one block of memory, which the system allocates faster
    than many.

    Parameters
    ----------
    schema : Schema
        That of every table: ``date``, numbers, booleans and text.
    tables : iterable of Table
        The records, in order of time.
    most_rows : int
        The largest number of rows in all.
    tz : str
        The zone of the index.
    """
    fields = [field for field in schema if field.name != "date"]
    others: dict[str, list[pa.Array]] = {f.name: [] for f in fields if f.type in _DTYPES}
    numbers = [field.name for field in fields if field.name not in others]
    block, stamps = np.empty((len(numbers), most_rows)), np.empty(most_rows, dtype=np.int64)
    rows = 0
    for table in tables:
        before, rows = rows, rows + table.num_rows
        stamps[before:rows] = stamps_of(table)
        for own, name in zip(block, numbers, strict=True):
            at = before
            for chunk in table.column(name).chunks:
                own[at : at + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
                at += len(chunk)
        for name, chunks in others.items():
            chunks.extend(table.column(name).chunks)
    columns: dict[str, Any] = dict(zip(numbers, block[:, :rows], strict=True))
    for field in fields:
        if field.name in others:
            dtype: Any = _DTYPES[field.type]
            columns[field.name] = dtype.__from_arrow__(
                pa.chunked_array(others[field.name], field.type)
            )
    ordered = {field.name: columns[field.name] for field in fields}
    return pd.DataFrame(ordered, index=_index_of(stamps[:rows], tz), copy=False)


def _index_of(stamps: Stamps, tz: str) -> pd.DatetimeIndex:
    index = pd.DatetimeIndex(stamps.view("M8[us]"), tz="UTC", name="date", copy=False)
    return index.tz_convert(zone(tz))
