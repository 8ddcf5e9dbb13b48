"""A column as numbers, and the values that the catalogue allows in it."""

from typing import Any

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import Bools, Floats, Table, numbers
from eyelog.catalogue import Field, catalogue
from eyelog.errors import ConfigurationError

__all__ = ["evidence", "floats", "out_of_range"]


def floats(column: Any, name: object = "") -> Floats:
    """Return a numeric or boolean column (a Series or its array) as `numbers`, or raise.

    A column of true, false and missing values is boolean, whatever dtype the reader of a file gave
    it.
    """
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) in (
        "boolean",
        "empty",
    ):
        return numbers(pd.array(column, dtype="boolean"))
    if column.dtype != np.float64 and not pd.api.types.is_numeric_dtype(column.dtype):
        raise ConfigurationError(
            f"column {name or column.name!r} holds {column.dtype}, not numbers: convert it with"
            " astype('float64')"
        )
    return numbers(column)


def evidence(frame: Table, name: str, log: str) -> Floats | None:
    """Return the values of a field that others are judged by, or None if it is absent.

    Values outside the field's own range are missing: they are not evidence of anything.
    """
    if name not in frame.columns:
        return None
    values = floats(frame[name], name)
    outside = out_of_range(values, catalogue(log)[name])
    return values if outside is None else np.where(outside, np.nan, values)


def out_of_range(values: Floats, field: Field) -> Bools | None:
    """Return which values are outside the catalogue's range, None if none is.

    Blank ends are not checked.
    """
    outside: list[Bools] = []
    # The extremes are cheap; most fields keep their range, so the values need no further check.
    if field.min is not None and np.fmin.reduce(values, initial=np.inf) < field.min:
        outside.append(values < field.min)
    if field.max is not None and np.fmax.reduce(values, initial=-np.inf) > field.max:
        outside.append(values > field.max)
    if field.value_type == "int":
        fraction = np.floor(values) < values
        if fraction.any():
            outside.append(fraction)
    return np.logical_or.reduce(outside) if outside else None
