"""Shared by the functions on a Series: checks, length of a row, local clock time, exposure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.catalogue import catalogue
from eyelog.clock import check_stamp
from eyelog.errors import ConfigurationError, MixedLogsError
from eyelog.frame import interval_seconds
from eyelog.provenance import KEY, history, stated_log

__all__ = [
    "Observed",
    "check_frame",
    "check_numbers",
    "check_series",
    "check_table",
    "has_clock",
    "local_dates",
    "local_hours",
    "local_us",
    "name_of",
    "observed",
    "one_log",
    "own_days",
    "refuse_sentinel",
    "stamp_of",
    "stamps_at",
    "state_days",
    "step_us",
]


HOUR_US = 3_600_000_000
# Index names of tables that state how long each row was observed, and the days per row.
PERIODS = {"day": 1, "week": 7}
DAY_US = 24 * HOUR_US


def check_numbers(series: pd.Series, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a Series of numbers or booleans; any index."""
    if not isinstance(series, pd.Series):
        raise ConfigurationError(f"{what} takes one Series, such as frame['stp']")
    if not (
        pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype)
    ):
        raise ConfigurationError(f"{what} needs numbers or booleans, not {series.dtype}")


def has_clock(series: pd.Series) -> bool:
    """Return whether a Series is indexed by aware, sorted, unique stamps."""
    index = series.index
    return (
        isinstance(index, pd.DatetimeIndex)
        and (index.tz is not None or index.name in PERIODS)
        and index.is_monotonic_increasing
        and not index.has_duplicates
    )


def check_series(series: pd.Series, *, what: str) -> pd.DatetimeIndex:
    """Return the index of a Series with aware, sorted, unique stamps, or raise."""
    if not isinstance(series, pd.Series):
        raise ConfigurationError(f"{what} takes one Series, such as frame['stp']")
    index = series.index
    if isinstance(index, pd.DatetimeIndex) and index.tz is None and len(index):
        # Calendar dates are reckoned with as the days of UTC, of which each has 24 hours.
        dated = bool((index == index.normalize()).all())
        index = index.tz_localize("UTC") if dated else index
    if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        raise ConfigurationError(
            f"{what} needs a Series indexed by time-zone aware stamps, or by dates"
        )
    if not index.is_monotonic_increasing or index.has_duplicates:
        raise ConfigurationError(f"{what} needs stamps in order, each once: use sort_index()")
    check_numbers(series, what=what)
    return index


def step_us(series: pd.Series | pd.DataFrame) -> int:
    """Return the length of one row in microseconds, 0 if it is unknown (`interval_seconds`)."""
    seconds = interval_seconds(series)
    return 0 if np.isnan(seconds) else round(seconds * 1e6)


def stamp_of(series: pd.Series | pd.DataFrame, stamp: str | None = None) -> str | None:
    """Return whether the stamps of a Series or table close or open their intervals.

    Parameters
    ----------
    series : Series or DataFrame
        Aware stamps.
    stamp : {"end", "start"}, optional
        The caller's choice; it takes precedence over the provenance.

    Returns
    -------
    str or None
        ``"end"`` for records of a log (right-closed: a record stamped 10:00:00 covers the interval
        before it) and for bins of `eyelog.resample`, unless those were made with
        ``stamp="start"``; ``"start"`` for days and weeks, which are named by the midnight that
        opens them.
        None if nothing states it: a bare Series, or one that pandas has averaged since.
    """
    if stamp is not None:
        return check_stamp(stamp)
    if stated_log(series) is None or _averaged_since(series):
        return None
    if series.index.name in PERIODS:
        return "start"
    stated = [step["stamp"] for step in history(series) if "stamp" in step]
    return str(stated[-1]) if stated else "end"


def _averaged_since(series: pd.Series | pd.DataFrame) -> bool:
    """Return whether pandas has put the rows of a table of eyelog into longer intervals."""
    if series.index.name in PERIODS:
        freq = getattr(series.index, "freq", None)
        return freq is not None and freq != pd.offsets.Day(PERIODS[str(series.index.name)])
    rows = series.iloc[:1]
    return step_us(series) > (step_us(rows) or step_us(series))


@dataclass(frozen=True, slots=True)
class Observed:
    """The values of a Series that are not missing, and how much of its span they cover.

    Attributes
    ----------
    values : array of float64
        The values.
    index : DatetimeIndex
        Their stamps.
    opens, middles : DatetimeIndex
        When the interval of each value opens, and its middle; the stamp itself if nothing states
        whether it closes or opens its interval.
    hours : array of float64
        Hours that each value is based on: its interval, or the worn hours of its day.
    step_us : int
        Length of one row.
    span : float
        How many rows fit into the time from the first row to the last.
    n : int
        How many values there are.
    exposure_h : float
        Hours that the values are based on.
    coverage : float
        Share of the span that they cover.
    stamp : str or None
        Whether the stamps close or open their intervals, as `stamp_of` returns it.
    """

    values: Floats
    index: pd.DatetimeIndex
    opens: pd.DatetimeIndex
    middles: pd.DatetimeIndex
    hours: Floats
    step_us: int
    span: float
    n: int
    exposure_h: float
    coverage: float
    stamp: str | None


def observed(series: pd.Series, *, what: str, stamp: str | None = None) -> Observed:
    """Leave out missing values; report exposure (hours) and coverage of the span.

    The values of a table by day are based on the hours that it states for their days (worn, in
    `eyelog.daily`) and cover the share of the span that it states; a day without a value covers
    nothing. For means over several days, which pandas has made since, neither is known.
    """
    index = check_series(series, what=what)
    values = series.to_numpy(dtype="float64", na_value=np.nan)
    present = np.isfinite(values)
    step = step_us(series)
    n = int(present.sum())
    us = index.as_unit("us").asi8
    stated = stamp_of(series, stamp)
    opens = closes = us
    if stated == "end":
        # No interval opens before the previous one has closed: the last bin of a day may be short.
        opens = np.maximum(us - step, np.concatenate([us[:1] - step, us[:-1]]))
    elif stated == "start":
        closes = np.minimum(us + step, np.concatenate([us[1:], us[-1:] + step]))
    middles = opens + (closes - opens) // 2
    days = own_days(series)
    if days is None:
        span = (us[-1] - us[0]) / step + 1 if step and len(us) else n
        hours: Floats = np.full(n, step / HOUR_US)
        covered, exposure_h = float(n), n * step / HOUR_US
    else:
        dates = local_dates(index)
        long = PERIODS[str(series.index.name)]
        span = float(dates[-1] - dates[0]) / long + 1.0 if len(dates) else 0.0
        hours, covered = days[0][present], float(days[1][present].sum())
        exposure_h = float(hours.sum())
    return Observed(
        values[present],
        index[present],
        stamps_at(opens[present], index.tz),
        stamps_at(middles[present], index.tz),
        hours,
        step,
        float(span),
        n,
        exposure_h,
        float(np.minimum(1.0, covered / span)) if span else 0.0,
        stated,
    )


def state_days(table: pd.DataFrame) -> pd.DataFrame:
    """State in the provenance of a table by day or week how long each was observed and covered.

    A column that is taken out of the table loses the other columns, but keeps the attrs.

    Parameters
    ----------
    table : DataFrame
        A new table with a row per local day or week; its own attrs are replaced, never shared. The
        hours are taken from ``worn_h``, ``exposure_min`` or ``recorded_h``, the first that it has.
    """
    names = ("worn_h", "exposure_min", "recorded_h")
    name = next((name for name in names if name in table.columns), None)
    if name is None or "coverage" not in table.columns:
        return table
    hours, coverage = (np.nan_to_num(numbers(table[each])) for each in (name, "coverage"))
    index = pd.DatetimeIndex(table.index)
    days = {
        "opens_s": (index.as_unit("us").asi8 // 1_000_000).tolist(),
        "exposure_h": (hours / 60.0 if name == "exposure_min" else hours).tolist(),
        "coverage": coverage.tolist(),
    }
    entry: dict[str, Any] = dict(table.attrs.get(KEY, {}))
    table.attrs = {**table.attrs, KEY: {**entry, "days": days}}
    return table


def own_days(series: pd.Series) -> tuple[Floats, Floats] | None:
    """Return hours and coverage of each row of a column of a table by day or week, else None.

    Both are NaN if the rows are no longer those of that table, such as means over weeks.
    """
    entry: dict[str, Any] = series.attrs.get(KEY, {})
    days = entry.get("days")
    if days is None or series.index.name not in PERIODS:
        return None
    index = pd.DatetimeIndex(series.index)
    rows = pd.Index(days["opens_s"]).get_indexer(pd.Index(index.as_unit("us").asi8 // 1_000_000))
    if _averaged_since(series):
        rows = np.full(len(index), -1)
    hours, coverage = (np.append(days[name], np.nan) for name in ("exposure_h", "coverage"))
    return hours[rows], coverage[rows]  # the last one, NaN, is for other days


def stamps_at(us: npt.NDArray[np.int64], tz: Any) -> pd.DatetimeIndex:
    """Return microseconds since 1970 as stamps in a zone."""
    return pd.DatetimeIndex(us.view("datetime64[us]")).tz_localize("UTC").tz_convert(tz)


def local_dates(index: pd.DatetimeIndex) -> npt.NDArray[np.int64]:
    """Return the local date of each stamp, as the days since 1970."""
    wall = index.tz_localize(None).as_unit("us").asi8
    return np.asarray(wall // DAY_US, dtype=np.int64)


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

    Only if all other values lie in the field's range: a derived series may keep its name.
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


def name_of(series: pd.Series) -> str:
    """Return the name of a Series for the provenance of a result; "" if it has none."""
    return "" if series.name is None else str(series.name)


def check_table(table: pd.Series | pd.DataFrame, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a pandas Series or DataFrame."""
    if not isinstance(table, pd.Series | pd.DataFrame):
        raise ConfigurationError(
            f"{what} takes a pandas Series or DataFrame, not {type(table).__name__}"
        )


def check_frame(table: object, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a pandas table with columns."""
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(f"{what} takes a DataFrame, not a {type(table).__name__}")


def one_log(*tables: pd.Series | pd.DataFrame, what: str) -> str | None:
    """Return the log that the provenance of all tables states (None if none states one).

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
