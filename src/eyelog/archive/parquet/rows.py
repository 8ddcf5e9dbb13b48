"""Rows between a frame, an Arrow table and one Parquet file of the archive.

Stamps are microseconds of UTC throughout; ranges are half open. A missing number is null in the
file, so that other tools do not read it as a value, and NaN in a frame.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyelog.archive.parquet.layout import (
    STAMP,
    Place,
    archive_errors,
    damage,
    damage_errors,
    schema_of,
)
from eyelog.archive.parquet.seal import (
    Content,
    Group,
    checked_chunks,
    footer_groups,
    read_seal,
    refuse_lost_seal,
)
from eyelog.catalogue import columns
from eyelog.clock import zone
from eyelog.errors import ArchiveError

__all__ = [
    "Merged",
    "MonthFile",
    "Stamps",
    "extras_of",
    "frame_from",
    "frame_of",
    "merge",
    "month_stamps",
    "open_file",
    "other_values",
    "plain_array",
    "plain_schema",
    "read_groups",
    "read_rows",
    "stamp_edges",
    "stamps_of",
    "table_of",
    "widest",
]

Stamps = npt.NDArray[np.int64]  # microseconds, UTC

_STAMPS: Final = pa.schema([("date", STAMP)])
_DTYPES: Final = {pa.bool_(): pd.BooleanDtype(), pa.string(): pd.StringDtype()}
_NUMBERS: Final = (pa.types.is_floating, pa.types.is_integer)
# Above so many values columns are read one at a time: that takes a third of the time of reading
# them at once, since the system hands out the memory for one and not for all.
_MANY_VALUES: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class MonthFile:
    """An open file, its path, its columns as they were written, and its row groups.

    Of a sealed file, `parquet` reads from memory, where `content` puts only checked bytes.
    """

    path: str
    schema: pa.Schema
    groups: Sequence[Group]
    parquet: pq.ParquetFile
    content: Content | None


@contextmanager
def open_file(place: Place, path: str) -> Iterator[MonthFile]:
    """Open one file; its footer is checked here, its rows when they are read.

    Raises
    ------
    ArchiveError
        If the file is damaged, or not a file of an archive.
    """
    with ExitStack() as stack:
        with damage_errors(path):
            source = stack.enter_context(_open_source(place, path))
            content = read_seal(source, path)
            if content is not None:  # its checksums cover more than those of the pages
                file = pq.ParquetFile(pa.BufferReader(pa.py_buffer(content.space)))
            elif place.local:
                file = pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False)
            else:
                file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=True)
            stack.enter_context(file)
            if content is None:
                refuse_lost_seal(file.metadata, path)
            own = file.schema_arrow
            if "date" not in own.names or own.field("date").type != STAMP:
                raise ArchiveError(
                    f"cannot read {path}: not a file of an archive (its 'date' is not"
                    f" {STAMP}): move it elsewhere"
                )
            groups = footer_groups(file.metadata) if content is None else content.seal.groups
        yield MonthFile(path, own, groups, file, content)


def _open_source(place: Place, path: str) -> Any:
    if place.local:
        return Path(path).open("rb", buffering=0)
    # No read-ahead: over a network, only what is asked for is fetched.
    return place.fs.open(path, "rb", cache_type="none")


def read_groups(file: MonthFile, groups: Sequence[int], names: Sequence[str]) -> pa.Table:
    """Return the rows of at least one row group, in some of the columns.

    Raises
    ------
    ArchiveError
        If what is read is damaged.
    """
    # A thread of pyarrow can still hold the memory that Python owns when the program ends, and to
    # give it back then aborts the process. Threads read a month no faster.
    read = partial(file.parquet.read_row_groups, groups, use_threads=False)
    if sum(file.groups[group].rows for group in groups) * len(names) > _MANY_VALUES:
        parts = [_read_checked(file, read, groups, [name]) for name in names]
        return pa.table({part.column_names[0]: part.column(0) for part in parts})
    return _read_checked(file, read, groups, names)


def _read_checked(
    file: MonthFile, read: Callable[..., pa.Table], groups: Sequence[int], names: Sequence[str]
) -> pa.Table:
    if file.content is None:
        with damage_errors(file.path):
            return read(columns=names)
    with archive_errors(f"read {file.path}"), checked_chunks(file.content, groups, names):
        return read(columns=names)


def month_stamps(file: MonthFile, first: int, after: int) -> Stamps:
    """Return the stamps of [first, after) in a file; no other column is read."""
    return stamps_of(read_rows(file, _STAMPS, first, after))


def stamp_edges(file: MonthFile) -> tuple[int, int]:
    """Return the first and the last stamp of a file, as it states them."""
    firsts = [group.first for group in file.groups if group.first is not None]
    lasts = [group.last for group in file.groups if group.last is not None]
    return min(firsts), max(lasts)


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


def _groups_within(file: MonthFile, first: int, after: int) -> list[int]:
    """Return the row groups that can have stamps of [first, after), as the file states them."""
    return [
        number
        for number, group in enumerate(file.groups)
        if group.first is None
        or group.last is None
        or (group.first < after and group.last >= first)
    ]


def read_rows(file: MonthFile, schema: pa.Schema, first: int, after: int) -> pa.Table:
    """Return the rows of [first, after), in exactly the columns of `schema`.

    Only the row groups and columns that are needed are read. A column that the file lacks (because
    an older catalogue did) is missing in every row.

    Raises
    ------
    ArchiveError
        If the rows that are read are damaged.
    """
    own = file.schema
    names = [name for name in schema.names if name in own.names]
    groups = _groups_within(file, first, after)
    table = read_groups(file, groups, names) if groups else own.empty_table()
    with damage_errors(file.path):
        stamps = stamps_of(table)
        if not bool(np.all(stamps[1:] > stamps[:-1])):
            raise damage(file.path, "its stamps are not in order")
        low, high = np.searchsorted(stamps, [first, after]).tolist()
        return _fit(table.slice(low, high - low), schema)


def _fit(table: pa.Table, schema: pa.Schema) -> pa.Table:
    if table.schema.equals(schema):
        return table
    arrays = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def stamps_of(table: pa.Table) -> Stamps:
    """Return the stamps of a table as microseconds."""
    stamps = table.column("date").cast(pa.int64()).to_numpy()
    return np.asarray(stamps, dtype=np.int64)


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


def frame_from(columns: dict[str, pa.ChunkedArray], tz: str) -> pd.DataFrame:
    """Return the frame of the columns of a sorted table, as `frame_of` does, and empty `columns`.

    Each column leaves `columns` when it is copied, so that a large table and its frame are not in
    memory at once.
    """
    stamps = stamps_of(pa.table({"date": columns.pop("date")}))
    pool = pa.default_memory_pool()
    own: dict[str, Any] = {}
    for name in list(columns):
        column = columns.pop(name)
        if dtype := _DTYPES.get(column.type):
            own[name] = cast(Any, dtype).__from_arrow__(column)
        else:
            values = column.to_numpy()
            own[name] = values if values.flags.writeable else values.copy()
            del values
        del column
        pool.release_unused()  # Arrow would keep it for later tables
    return pd.DataFrame(own, index=_index_of(stamps, tz), copy=False)


def _index_of(stamps: Stamps, tz: str) -> pd.DatetimeIndex:
    index = pd.DatetimeIndex(stamps.view("M8[us]"), tz="UTC", name="date", copy=False)
    return index.tz_convert(zone(tz))


@dataclass(frozen=True, slots=True)
class Merged:
    """Rows after a merge, and the sorted stamps of those added, changed or removed."""

    table: pa.Table
    added: Stamps
    changed: Stamps
    removed: Stamps

    @property
    def differs(self) -> bool:
        """Whether the rows have changed."""
        return bool(len(self.added) or len(self.changed) or len(self.removed))


def merge(old: pa.Table, new: pa.Table, spans: Sequence[tuple[int, int]]) -> Merged:
    """Merge the rows of `new` into those of `old`, in the schema of `old`; both are sorted.

    If both have a stamp, the new row wins, in the columns that it has; a column that it lacks keeps
    its value. Rows of `old` inside `spans` are removed unless `new` has them.
    """
    if not new.num_rows and not spans:
        nothing = np.empty(0, np.int64)
        return Merged(old, nothing, nothing, nothing)
    old_stamps, new_stamps = stamps_of(old), stamps_of(new)
    at = np.searchsorted(old_stamps, new_stamps)
    both = np.append(old_stamps, -1)[at] == new_stamps
    both &= at < len(old_stamps)
    again = np.zeros(len(old_stamps), bool)  # rows of `old` whose stamp `new` has too
    again[at[both]] = True
    removed = np.zeros(len(old_stamps), bool)
    for first, after in spans:
        removed[slice(*np.searchsorted(old_stamps, [first, after]))] = True
    removed &= ~again
    same = pa.array(at, mask=~both)
    there = set(new.column_names)
    laid = pa.Table.from_arrays(
        [
            _as_type(new.column(field.name), field.type)
            if field.name in there
            else old.column(field.name).take(same)
            for field in old.schema
        ],
        schema=old.schema,
    )
    differs = _differing_rows(old, pa.array(again), laid, pa.array(both))
    stamps = new_stamps[~both], new_stamps[both][differs], old_stamps[removed]
    if not any(map(len, stamps)):
        return Merged(old, *stamps)
    kept = ~again & ~removed
    if not kept.any():
        return Merged(laid, *stamps)
    whole = pa.concat_tables([old.filter(pa.array(kept)), laid])
    order = np.argsort(stamps_of(whole), kind="stable")
    if bool(np.all(order[1:] > order[:-1])):
        return Merged(whole, *stamps)
    return Merged(whole.take(pa.array(order)), *stamps)


def other_values(old: pa.Table, new: pa.Table) -> tuple[int, int]:
    """Return how many stamps two sorted tables share, and on how many their values differ.

    A missing value does not count as another value.
    """
    old_stamps, new_stamps = stamps_of(old), stamps_of(new)
    of_old, of_new = np.isin(old_stamps, new_stamps), np.isin(new_stamps, old_stamps)
    differs = np.zeros(int(of_old.sum()), bool)
    for name in set(old.column_names) & set(new.column_names) - {"date"} if len(differs) else ():
        a, b = old.column(name).filter(pa.array(of_old)), new.column(name).filter(pa.array(of_new))
        if not a.equals(b):
            other = pc.not_equal(_as_type(a, b.type), b)
            differs |= pc.fill_null(other, False).to_numpy()
    return len(differs), int(differs.sum())


def _as_type(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    return column if column.type == kind else column.cast(kind)


def _differing_rows(
    old: pa.Table, of_old: pa.Array, new: pa.Table, of_new: pa.Array
) -> npt.NDArray[np.bool_]:
    """Return which of the chosen rows of two tables of one schema differ; two nulls are equal."""
    differs = np.zeros(of_old.true_count, bool)
    for name in old.column_names if len(differs) else ():  # one at a time: tables would be copied
        a, b = old.column(name).filter(of_old), new.column(name).filter(of_new)
        if not a.equals(b):
            unequal = pc.fill_null(pc.not_equal(a, b), False)
            one_missing = pc.xor(pc.is_null(a), pc.is_null(b))
            differs |= pc.or_(unequal, one_missing).to_numpy()
    return differs
