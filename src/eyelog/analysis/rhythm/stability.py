"""How similar the days are (IS), and how fragmented each day is (IV)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.results import shown
from eyelog.analysis.series.observed import ANY_STAMP, HOUR_US, Observed, local_hours, observed
from eyelog.analysis.series.runs import follows
from eyelog.errors import ConfigurationError

__all__ = [
    "Stability",
    "Variability",
    "interdaily_stability",
    "intradaily_variability",
]

MISSING = float("nan")

DAY_US = 24 * HOUR_US


@shown("Interdaily stability")
class Stability(NamedTuple):
    """Interdaily stability and how much data it is based on."""

    is_: float
    per_day: int
    n: int
    days: int
    exposure_h: float
    coverage: float
    reason: str


@shown("Intradaily variability")
class Variability(NamedTuple):
    """Intradaily variability and how much data it is based on."""

    iv: float
    pairs: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


def _hourly(seen: Observed) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the means of the observed hours, and the hour of the day of each."""
    hour = np.floor(local_hours(seen.opens)).astype("int64")
    distinct, place = np.unique(hour, return_inverse=True)
    means = np.bincount(place, seen.values) / np.bincount(place)
    return means, distinct % 24


def interdaily_stability(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    periods: str | int = "observed",
    stamp: str | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Stability:
    """Return how similar the days are, from 0 (no daily pattern) to 1 (identical days).

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or a table that has them as a column; series finer than hourly
        are averaged per local hour first.
    column : str, optional
        The column of a DataFrame.
    periods : "observed" or int
        The p of the definition: the number of hours of the day that were observed, or 24.
    stamp, interval, exposure : optional
        As in `eyelog.rhythm.most_active`; `stamp` decides which hour and day an interval belongs
        to.

    Returns
    -------
    Stability
        ``is_``, ``per_day`` (the hours of the day that are compared, p of the definition), ``n``
        (hourly values), ``days``, ``exposure_h``, ``coverage``, ``reason`` (why ``is_`` is
        missing).

    Raises
    ------
    ConfigurationError
        As `eyelog.rhythm.most_active`, or if `periods` is not one of these.

    Notes
    -----
    ``IS = N sum_h (xbar_h - xbar)^2 / (p sum_i (x_i - xbar)^2)`` (Witting et al. 1990; Van Someren
    et al. 1999), both variances with ddof 0. With hours observed unequally often it can slightly
    exceed 1: the definition weights every hour of the day equally. For eyewear worn by day the
    observed hours are the waking window.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=72, freq="h", tz="Asia/Tokyo")
    >>> hour = pd.Series(hours.hour.astype(float), index=hours)
    >>> el.rhythm.interdaily_stability(hour, stamp="start").is_
    1.0
    """
    if periods not in ("observed", 24):
        raise ConfigurationError(f"periods must be 'observed' or 24, not {periods!r}")
    seen = observed(
        series,
        column,
        what="interdaily_stability",
        stamp=stamp,
        interval=interval,
        exposure=exposure,
    )
    hourly, of_day = _hourly(seen)
    per_day = len(np.unique(of_day)) if periods == "observed" else 24
    days = len(np.unique(np.floor(local_hours(seen.opens) / 24)))
    spread = ((hourly - hourly.mean()) ** 2).sum() if hourly.size else 0.0
    value, reason = MISSING, ""
    if days < 2:
        reason = "fewer than two days were observed"
    elif spread == 0:
        reason = "the series does not vary"
    else:
        counts = np.bincount(of_day, minlength=24)
        sums = np.bincount(of_day, hourly, minlength=24)
        by_hour = sums[counts > 0] / counts[counts > 0]
        between = ((by_hour - hourly.mean()) ** 2).sum()
        value = float(len(hourly) * between / (per_day * spread))
    return Stability(value, per_day, len(hourly), days, seen.exposure_h, seen.coverage, reason)


def intradaily_variability(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    interval: str | None = None,
    exposure: Any = None,
) -> Variability:
    """Return how fragmented a series is: 0 for a smooth wave, 2 for noise, 4 for on-off-on-off.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or a table that has them as a column, taken at their own step;
        average per hour first for the published hourly measure. Values on both sides of a gap or of
        a missing value are not a pair.
    column : str, optional
        The column of a DataFrame.
    interval, exposure : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    Variability
        ``iv``, ``pairs``, ``n``, ``exposure_h``, ``coverage``, ``reason``.

    Raises
    ------
    ConfigurationError
        As `eyelog.rhythm.most_active`.

    Notes
    -----
    Mean squared successive difference over valid pairs / variance with ddof 0 (Witting et al.
    1990; Van Someren et al. 1999).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> round(el.rhythm.intradaily_variability(pd.Series([0.0, 1.0] * 24, index=hours)).iv, 12)
    4.0
    """
    seen = observed(
        series,
        column,
        what="intradaily_variability",
        stamp=ANY_STAMP,
        interval=interval,
        exposure=exposure,
    )
    near = follows(seen.index.as_unit("us").asi8, seen.step_us)
    pairs = int(near.sum())
    variance = float(seen.values.var()) if seen.n else 0.0
    value, reason = MISSING, ""
    if pairs == 0:
        reason = "no two neighbouring values were observed"
    elif variance == 0:
        reason = "the series does not vary"
    else:
        value = float((np.diff(seen.values)[near] ** 2).mean() / variance)
    return Variability(value, pairs, seen.n, seen.exposure_h, seen.coverage, reason)
