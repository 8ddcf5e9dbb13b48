"""Records of several files laid over those of the archive, and what each file added.

Of several records on one stamp the last one is kept, value by value: a value that is missing in a
file never replaces an existing one. So laying the same files over the result changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eyelog.archive.arrow_tables import extras_of, frame_of, stamps_of, table_of
from eyelog.archive.utc_stamps import Stamps
from eyelog.catalogue import columns

__all__ = ["Layer", "Meeting", "Overlay", "layer_of", "overlay", "without_conflicts"]


@dataclass(frozen=True, slots=True)
class Layer:
    """Records of one file: sorted, unique stamps, and the columns as arrays that slice cheaply."""

    stamps: Stamps
    columns: dict[str, Any]
    extras: list[pa.Field]  # columns that are not in the catalogue

    def between(self, first: int, after: int) -> "Layer":
        """Return the records of [first, after)."""
        inside = slice(*np.searchsorted(self.stamps, [first, after]).tolist())
        parts = {name: values[inside] for name, values in self.columns.items()}
        return Layer(self.stamps[inside], parts, self.extras)


def layer_of(frame: pd.DataFrame, log: str) -> Layer:
    """Return the records of a frame of the one shape, unknown fields as the archive keeps them."""
    extras: list[pa.Field] = []
    if not set(frame.columns) <= set(columns(log)):
        table = table_of(frame, log)
        extras = extras_of(table.schema, log)
        frame = frame_of(table, "UTC")
    index: Any = frame.index
    arrays: dict[str, Any] = {
        str(name): values.to_numpy() if values.dtype == np.float64 else values.array
        for name, values in frame.items()
    }
    return Layer(np.asarray(index.as_unit("us").asi8), arrays, extras)


def without_conflicts(before: pa.Table, layer: Layer) -> tuple[Layer, dict[str, Stamps]]:
    """Return a layer without the values that differ from those of a table, and their stamps.

    Laid over the table, the rest replaces no value of it. The stamps are given by field.
    """
    stored = stamps_of(before)
    at = np.searchsorted(stored, layer.stamps)
    met = np.flatnonzero(at < len(stored))
    met = met[stored[at[met]] == layer.stamps[met]]
    rows = pa.array(at[met])
    columns, conflicts = dict(layer.columns), {}
    for name in layer.columns:
        if not len(met) or name not in before.column_names:
            continue
        column = before.column(name)
        text = pa.types.is_string(column.type)
        held = column.take(rows)
        old = _objects(held) if text else held.cast(pa.float64()).to_numpy()
        every = _part(layer, name, text=text)
        new = every[met]
        differs = np.asarray(pd.notna(old)) & np.asarray(pd.notna(new)) & (old != new)
        if differs.any():
            every = every.copy()
            every[met[differs]] = None if text else np.nan
            columns[name] = pd.array(every, "string") if text else every
            conflicts[name] = layer.stamps[met[differs]]
    return Layer(layer.stamps, columns, layer.extras), conflicts


class Meeting(NamedTuple):
    """At how many stamps a file met the rows of an earlier one, and with how many different values.

    Files are numbered from 0; the table below them is -1. `first` is the first stamp that they
    share.
    """

    file: int
    earlier: int
    shared: int
    conflicts: int
    first: int


@dataclass(frozen=True, slots=True)
class Overlay:
    """The result of laying files over the rows of a table.

    `changes` has the records that are new or changed, with every column that a file has. `kept` and
    `conflicts` are counts per file: of its rows that are new or add something, and of its rows that
    replace a different value of the same stamp. `meetings` says which files share stamps.
    """

    changes: pa.Table
    kept: list[int]
    conflicts: list[int]
    meetings: list[Meeting]


def overlay(before: pa.Table, layers: Sequence[Layer]) -> Overlay:
    """Lay files over the rows of a table, the later over the earlier.

    `before` is sorted, and its schema has every column of the files.
    """
    incoming = np.concatenate([np.empty(0, np.int64), *(layer.stamps for layer in layers)])
    stored = stamps_of(before)
    again = np.isin(stored, incoming)
    before = before.filter(pa.array(again))
    stamps = np.concatenate([stored[again], incoming])
    sizes = [before.num_rows, *(len(layer.stamps) for layer in layers)]
    order = np.argsort(stamps, kind="stable")  # of one stamp, in the order of the layers
    stamps = stamps[order]
    at = np.repeat(np.arange(len(sizes)), sizes)[order]  # the layer of each record, 0 for `before`
    opens = np.ones(len(stamps), bool)
    opens[1:] = stamps[1:] != stamps[:-1]
    differs, overrules = np.zeros((2, len(stamps)), bool)
    first = np.flatnonzero(opens)  # where the records of each stamp begin
    last = np.append(first[1:], len(stamps))[: len(first)] - 1
    moved = at[first] > 0
    settled: dict[str, npt.NDArray[Any]] = {}
    names = set().union(*(layer.columns for layer in layers))
    fields = [field for field in before.schema if field.name in names]
    for field in fields:
        text = pa.types.is_string(field.type)
        column = before.column(field.name)
        stored_values = _objects(column) if text else column.cast(pa.float64()).to_numpy()
        parts = [_part(layer, field.name, text=text) for layer in layers]
        values = np.concatenate([stored_values, *parts])[order]
        if not opens.all():
            values, present = _carried(values, opens)
            other = np.zeros(len(values), bool)
            other[1:] = present[1:] & ~opens[1:] & (values[1:] != values[:-1])
            if other.any():
                differs |= other
                overrules[1:] |= other[1:] & present[:-1]
                moved |= present[last] & (values[first] != values[last])
        settled[field.name] = values[last]
    # Files that replace each other's values may end where they began: then none adds anything.
    adds = (opens | differs) & (at > 0) & np.repeat(moved, last - first + 1)
    date = before.schema.field("date")
    arrays = [pa.array(stamps[last[moved]]).cast(date.type)]
    arrays += [_array(settled[field.name][moved], field.type) for field in fields]
    changes = pa.Table.from_arrays(arrays, schema=pa.schema([date, *fields]))
    kept, conflicts = (_per_layer(at[which], len(sizes)) for which in (adds, overrules))
    return Overlay(changes, kept, conflicts, _meetings(stamps, at, opens, overrules))


def _meetings(
    stamps: Stamps,
    at: npt.NDArray[np.int64],
    opens: npt.NDArray[np.bool_],
    overrules: npt.NDArray[np.bool_],
) -> list[Meeting]:
    again = np.flatnonzero(~opens)
    if not len(again):
        return []
    pairs = np.column_stack([at[again], at[again - 1]])
    kinds, first, kind, shared = np.unique(
        pairs, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    conflicts = np.bincount(kind.ravel(), overrules[again], len(kinds)).astype(int)
    begins = stamps[again][first]
    numbers = (kinds - 1).tolist()
    counts = zip(numbers, shared.tolist(), conflicts.tolist(), begins.tolist(), strict=True)
    return [Meeting(file, earlier, *rest) for (file, earlier), *rest in counts]


def _part(layer: Layer, name: str, *, text: bool) -> npt.NDArray[Any]:
    """Return one column: float64 with NaN or, if `text`, objects with None for missing values."""
    values = layer.columns.get(name)
    if values is None:
        return np.full(len(layer.stamps), None if text else np.nan)
    if text:  # numbers too, if another file has text: as the archive writes them
        return _objects(pa.array(values, from_pandas=True).cast(pa.string()))
    if isinstance(values, np.ndarray):
        return values
    return np.asarray(values.to_numpy(np.float64, na_value=np.nan))


def _objects(texts: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.object_]:
    values = np.empty(len(texts), object)
    values[:] = texts.to_pylist()
    return values


def _carried(
    values: npt.NDArray[Any], opens: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Fill missing values with the last value of the same stamp; return which are then present."""
    present = np.asarray(pd.notna(values))
    if not present.any() or present.all():
        return values, present
    at = np.arange(len(values))
    source = np.maximum.accumulate(np.where(present | opens, at, 0))
    return values[source], present[source]


def _array(values: npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_string(kind):
        return pa.array(values, kind)
    missing = np.isnan(values)
    return pa.array(values == 1 if pa.types.is_boolean(kind) else values, kind, mask=missing)


def _per_layer(at: npt.NDArray[np.int64], layers: int) -> list[int]:
    counts: list[int] = np.bincount(at, minlength=layers)[1:].tolist()
    return counts
