"""Records of several files laid over those that are held, and what each file added.

Of several records on one stamp the last one counts, value by value: a value that is missing in a
file never takes away one that is known. So the same files laid over the result change nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eyelog.archive.parquet.rows import frame_of, table_of
from eyelog.catalogue import catalogue, columns

__all__ = ["Layers", "lay", "stamps_of"]


@dataclass(frozen=True, slots=True)
class Layers:
    """What came of laying frames over one another.

    `changes` has the records that are new or not what they were, with every column. `kept` and
    `conflicts` count for each frame but the first: its rows that are new or add something, and
    its rows that overrule another value of the same stamp.
    """

    changes: pd.DataFrame
    kept: list[int]
    conflicts: list[int]


def lay(log: str, held: pd.DataFrame, frames: Sequence[pd.DataFrame]) -> Layers:
    """Lay frames of one log over what is held, the later over the earlier.

    Each frame has the one shape (aware, sorted, unique stamps).
    """
    layers = [held, *(_plain(each, log) for each in frames)]
    stamps = np.concatenate([stamps_of(each) for each in layers])
    order = np.argsort(stamps, kind="stable")  # of one stamp, in the order of the layers
    stamps = stamps[order]
    layer = np.repeat(np.arange(len(layers)), [len(each) for each in layers])[order]
    opens = np.ones(len(stamps), bool)
    opens[1:] = stamps[1:] != stamps[:-1]
    differs, overrules = np.zeros((2, len(stamps)), bool)
    first = np.flatnonzero(opens)  # where the records of each stamp begin
    last = np.append(first[1:], len(stamps))[: len(first)] - 1
    moved = layer[first] > 0
    settled: dict[str, Any] = {}
    for name in _names(log, layers):
        values = np.concatenate(_column(layers, log, name))[order]
        known = _known(values)
        if not opens.all():
            values, known = _carried(values, known, opens)
            other = np.zeros(len(values), bool)
            other[1:] = known[1:] & ~opens[1:] & (values[1:] != values[:-1])
            differs |= other
            overrules[1:] |= other[1:] & known[:-1]
            moved |= known[last] & (values[first] != values[last])
        settled[name] = values[last]
    # Files that overrule one another may end where they began: then none of them adds anything.
    adds = (opens | differs) & (layer > 0) & np.repeat(moved, last - first + 1)
    index = pd.DatetimeIndex(stamps[last[moved]].view("M8[us]"), name="date").tz_localize("UTC")
    changes = pd.DataFrame(
        {name: _array(values[moved], log, name) for name, values in settled.items()}, index=index
    )
    return Layers(changes, _per_layer(layer, adds, layers), _per_layer(layer, overrules, layers))


def _plain(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return a frame with unknown fields as the archive keeps them: numbers, truths or texts."""
    if set(frame.columns) <= set(columns(log)):
        return frame
    return frame_of(table_of(frame, log), "UTC")


def stamps_of(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return the stamps of a frame as microseconds."""
    index: Any = frame.index
    return np.asarray(index.as_unit("us").asi8)


def _names(log: str, layers: Sequence[pd.DataFrame]) -> list[str]:
    known = set(columns(log))
    unknown = dict.fromkeys(
        name for each in layers for name in map(str, each.columns) if name not in known
    )
    return [*columns(log), *unknown]


def _column(layers: Sequence[pd.DataFrame], log: str, name: str) -> list[npt.NDArray[Any]]:
    """Return one column of each layer, as float64 or, where there are texts, as objects."""
    known = catalogue(log).get(name)
    found = [layer[name].array if name in layer else None for layer in layers]
    if known is not None:
        text = known.dtype == "string"
    else:
        text = any(not _is_number(each.dtype) for each in found if each is not None)
    values = []
    for layer, each in zip(layers, found, strict=True):
        if each is None:
            values.append(np.full(len(layer), None if text else np.nan))
        elif not text:
            values.append(pd.array(each).to_numpy(np.float64, na_value=np.nan))
        else:  # where numbers meet texts, as the archive writes them
            plain = pa.array(each, from_pandas=True).cast(pa.string())
            values.append(np.array([*plain.to_pylist(), None], object)[:-1])
    return values


def _is_number(dtype: Any) -> bool:
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _known(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return np.asarray(pd.notna(values))


def _carried(
    values: npt.NDArray[Any], known: npt.NDArray[np.bool_], opens: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Fill what is missing with the last known value of the same stamp."""
    at = np.arange(len(values))
    source = np.maximum.accumulate(np.where(known | opens, at, 0))
    return values[source], known[source]


def _array(values: npt.NDArray[Any], log: str, name: str) -> Any:
    known = catalogue(log).get(name)
    if known is None or known.dtype == "float64":
        return values
    if known.dtype == "boolean":
        return pd.arrays.BooleanArray(values == 1, np.isnan(values))
    return pd.array(values, dtype="string")


def _per_layer(
    layer: npt.NDArray[np.int64], which: npt.NDArray[np.bool_], layers: Sequence[pd.DataFrame]
) -> list[int]:
    found: list[int] = np.bincount(layer[which], minlength=len(layers))[1:].tolist()
    return found
