"""What the functions on a bare Series share: its step, its wall clock, its exposure."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.errors import ConfigurationError

__all__ = ["Observed", "check_series", "local_hours", "local_us", "observed", "step_of"]

Floats = npt.NDArray[np.float64]

HOUR_US = 3_600_000_000


def check_series(series: pd.Series, *, what: str) -> pd.DatetimeIndex:
    """Return the index of a Series with aware, sorted, unique stamps, or say what is wrong."""
    if not isinstance(series, pd.Series):
        raise ConfigurationError(f"{what} takes one Series, such as frame['stp']")
    index = series.index
    if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        raise ConfigurationError(f"{what} needs a Series indexed by time-zone aware stamps")
    if not index.is_monotonic_increasing or index.has_duplicates:
        raise ConfigurationError(f"{what} needs sorted stamps that occur once: use sort_index()")
    if not (
        pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype)
    ):
        raise ConfigurationError(f"{what} needs numbers or booleans, not {series.dtype}")
    return index


def step_of(index: pd.DatetimeIndex) -> int:
    """Return the usual distance of two stamps in microseconds (0 for fewer than two stamps)."""
    steps = np.diff(index.as_unit("us").asi8)
    return int(np.median(steps)) if steps.size else 0


@dataclass(frozen=True, slots=True)
class Observed:
    """The values of a Series that are there, and how much of its span they cover."""

    values: Floats
    index: pd.DatetimeIndex
    step_us: int
    n: int
    exposure_h: float
    coverage: float


def observed(series: pd.Series, *, what: str) -> Observed:
    """Leave out missing values; report exposure (hours) and coverage of the span."""
    index = check_series(series, what=what)
    values = series.to_numpy(dtype="float64", na_value=np.nan)
    here = np.isfinite(values)
    step = step_of(index)
    n = int(here.sum())
    span = (index.as_unit("us").asi8[-1] - index.as_unit("us").asi8[0]) / step + 1 if step else n
    coverage = min(1.0, n / span) if span else 0.0
    return Observed(values[here], index[here], step, n, n * step / HOUR_US, coverage)


def local_us(index: pd.DatetimeIndex) -> npt.NDArray[np.int64]:
    """Return the wall-clock microseconds since the first stamp's local midnight."""
    wall = index.tz_localize(None).as_unit("us")
    if wall.empty:
        return np.empty(0, dtype="int64")
    since: npt.NDArray[np.int64] = wall.asi8 - wall[:1].normalize().asi8[0]
    return since


def local_hours(index: pd.DatetimeIndex) -> Floats:
    """Return the wall-clock hours since the first stamp's local midnight."""
    hours: Floats = local_us(index) / HOUR_US
    return hours
