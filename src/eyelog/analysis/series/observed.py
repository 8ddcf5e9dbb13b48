"""What the functions on a Series share: checks, length of a row, wall clock, exposure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.series.arrays import Floats
from eyelog.catalogue import catalogue
from eyelog.errors import ConfigurationError, MixedLogsError
from eyelog.frame import interval_seconds
from eyelog.provenance import stated_log

__all__ = [
    "Observed",
    "check_series",
    "check_table",
    "local_dates",
    "local_hours",
    "local_us",
    "observed",
    "one_log",
    "refuse_sentinel",
    "stamps_at",
    "step_us",
]


HOUR_US = 3_600_000_000


def check_series(series: pd.Series, *, what: str) -> pd.DatetimeIndex:
    """Return the index of a Series with aware, sorted, unique stamps, or raise."""
    if not isinstance(series, pd.Series):
        raise ConfigurationError(f"{what} takes one Series, such as frame['stp']")
    index = series.index
    if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        raise ConfigurationError(f"{what} needs a Series indexed by time-zone aware stamps")
    if not index.is_monotonic_increasing or index.has_duplicates:
        raise ConfigurationError(f"{what} needs stamps in order, each once: use sort_index()")
    if not (
        pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype)
    ):
        raise ConfigurationError(f"{what} needs numbers or booleans, not {series.dtype}")
    return index


def step_us(series: pd.Series) -> int:
    """Return the length of one row in microseconds, 0 where it is unknown (`interval_seconds`)."""
    seconds = interval_seconds(series)
    return 0 if np.isnan(seconds) else round(seconds * 1e6)


@dataclass(frozen=True, slots=True)
class Observed:
    """The values of a Series that are not missing, and how much of its span they cover."""

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
    present = np.isfinite(values)
    step = step_us(series)
    n = int(present.sum())
    us = index.as_unit("us").asi8
    span = (us[-1] - us[0]) / step + 1 if step and len(us) else n
    coverage = float(min(1.0, n / span)) if span else 0.0
    return Observed(values[present], index[present], step, n, n * step / HOUR_US, coverage)


def stamps_at(us: npt.NDArray[np.int64], tz: Any) -> pd.DatetimeIndex:
    """Return the stamps of microseconds since 1970, in a zone."""
    return pd.DatetimeIndex(us.view("datetime64[us]")).tz_localize("UTC").tz_convert(tz)


def local_dates(index: pd.DatetimeIndex) -> npt.NDArray[np.int64]:
    """Return the local date of each stamp, as the days since 1970."""
    wall = index.tz_localize(None).as_unit("us").asi8
    return np.asarray(wall // (24 * HOUR_US), dtype=np.int64)


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


def refuse_sentinel(series: pd.Series, *, what: str) -> None:
    """Raise `ConfigurationError` if a field's invalid value is still among its values.

    Only where all other values lie in the field's range: a derived series may keep its name.
    """
    log = stated_log(series)
    field = catalogue(log).get(str(series.name)) if log else None
    if field is None or field.invalid_value is None or field.min is None or field.max is None:
        return
    values = series.to_numpy(dtype="float64", na_value=np.nan)
    invalid = values == field.invalid_value
    rest = values[np.isfinite(values) & ~invalid]
    if invalid.any() and bool(((rest >= field.min) & (rest <= field.max)).all()):
        raise ConfigurationError(
            f"{what}: {series.name!r} holds the invalid value {field.invalid_value:g}"
            f" {int(invalid.sum())} times: mask it first, eyelog.mask(frame, eyelog.flag(frame))"
        )


def check_table(table: pd.Series | pd.DataFrame, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a pandas Series or DataFrame."""
    if not isinstance(table, pd.Series | pd.DataFrame):
        raise ConfigurationError(
            f"{what} takes a pandas Series or DataFrame, not {type(table).__name__}"
        )


def one_log(*tables: pd.Series | pd.DataFrame, what: str) -> str | None:
    """Return the log that the provenance of all tables states (None where none states one).

    Raises
    ------
    MixedLogsError
        If they state different logs, which are computed differently.
    ConfigurationError
        If one of them is not a pandas table.
    """
    for table in tables:
        check_table(table, what=what)
    logs = sorted({log for table in tables if (log := stated_log(table)) is not None})
    if len(logs) > 1:
        raise MixedLogsError(
            f"{what}: values of both logs, which are computed differently: use one of them"
        )
    return logs[0] if logs else None
