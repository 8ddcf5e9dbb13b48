"""Slow change: a robust slope per day, and the slope per hour within the days of a wearer."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.clock import HOUR_US
from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING, Floats
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import (
    LEAST_DAYS,
    Days,
    Effect,
    by_day,
    cluster_robust,
    effect,
    means_of,
    rank_interval,
    slopes_law,
    t_quantile,
    with_weekend,
)
from eyelog.series.observed import observed

MOST_DAYS = 5000
LEAST_VALUES = 3
LEAST_FOR_INTERVAL = 14
ROUNDING: Final = 1e-12


@shown("Trend of a series (Theil-Sen), of this wearer", slope=("low", "high"))
class Trend(NamedTuple):
    """A robust slope per day with its interval and p, with days as units."""

    slope: float
    low: float
    high: float
    tau: float
    p: float
    phi: float
    n_effective: float
    n: int
    span_days: float
    coverage: float
    reason: str


@takes_tables
def trend(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    limits: Limits | None = None,
    interval: str | None = None,
) -> Trend:
    """Return the robust slope of a series per day.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers by date or with aware stamps, or a table that has them as a column, such as
        `eyelog.daily`. Several values of a local day count as one, their mean. At most 5,000 days.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        The length of a row, such as ``"1D"``. Default: as in `eyelog.rhythm.most_active`.

    Returns
    -------
    Trend
        ``slope`` (unit of the series per day) with its 95 % interval of this wearer ``low`` and
        ``high``; Kendall's ``tau`` of the days; ``p`` of no slope, which is below 5 % if, and only
        if, the interval excludes 0; ``phi``, how alike neighbouring days are (0 to 0.9), and
        ``n_effective``, how many independent days would give as much information about a level;
        ``n`` (values), ``span_days``, ``coverage`` (for a table that states it, the mean over its
        days; for a Series, the share of its span that has a value), and ``reason`` if something is
        missing: everything with fewer than three days, the interval and p with fewer than fourteen.

    Raises
    ------
    ConfigurationError
        If there are too many days, the stamps are not in order, or the values hold the invalid
        value of a field.

    Notes
    -----
    Theil (1950), Sen (1968); Kendall (1938). For independent days the interval inverts Kendall's
    test: exactly for fewer than 50 days, by the normal approximation otherwise. Real days are
    alike, so the interval is widened about the slope by the ratio of two Student intervals of the
    least-squares slope: with the lag-1 autocorrelation ``phi`` of the residuals and ``n_effective``
    days, and with independent days. ``phi`` is shrunk towards .3, as if seven days of a usual
    wearer stood beside. From fourteen days on weekends are levelled first, if there are two days of
    each kind: a fortnight from Monday to Sunday has a slope of its own where weekends are high. The
    level of p, with and without trends, is in the table of the definitions; a table of many
    quantities needs more (`eyelog.report`), since far tails are thicker than 5 %.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=6, freq="D", name="day")
    >>> el.baseline.trend(pd.Series([1.0, 3, 5, 7, 9, 100], index=days)).slope
    2.0
    """
    seen = observed(series, column, "trend", limits, interval)
    days = by_day(seen, what="trend", most=MOST_DAYS)
    n = len(days.values)
    nothing = all_missing(
        Trend,
        n=seen.n,
        span_days=float(days.dates[-1] - days.dates[0]) if n else 0.0,
        coverage=seen.coverage,
    )
    if n < LEAST_VALUES:
        return nothing._replace(reason="fewer than three values were observed")
    if n >= LEAST_FOR_INTERVAL:
        levelled, line = lines(days, days.values[None, :])
        values = levelled[0]
    else:
        values = days.values
    first, second = np.triu_indices(n, 1)
    rise = values[second] - values[first]
    slopes = rise / (days.dates[second] - days.dates[first])
    differ = np.count_nonzero(rise)
    few = n < LEAST_FOR_INTERVAL
    reasons = [
        f"fewer than {LEAST_FOR_INTERVAL} days: no interval and no p of this wearer" if few else "",
        "" if differ else "the series does not vary: no rank correlation",
    ]
    estimated = nothing._replace(
        slope=float(np.median(slopes)),
        tau=float(np.sign(rise).sum() / np.sqrt(differ * len(rise))) if differ else MISSING,
        reason="; ".join(filter(None, reasons)),
    )
    if few:
        return estimated
    found = rank_interval(slopes, slopes_law(n), float(line.factor[0]))
    return estimated._replace(low=found.low, high=found.high, p=found.p, **line.alike)


def lines(days: Days, values: Floats) -> tuple[Floats, Effect]:
    """Return series of these days (rows) with weekends levelled, and their least-squares slopes."""
    design = np.column_stack([np.ones(len(days.dates)), days.dates - days.dates.mean()])
    if days.daily:
        design = with_weekend(design, days.dates)
    line = effect(days.numbers, values, design, np.array([0.0, 1.0]))
    return values - line.fit[:, 2:] @ design[:, 2:].T, line


@shown("Time on task: change per hour within the day, of this wearer", slope_per_h=("low", "high"))
class TimeOnTask(NamedTuple):
    """A slope per hour within days, with its interval and p, with days as the units."""

    slope_per_h: float
    low: float
    high: float
    p: float
    days: int
    phi: float
    n_effective: float
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def time_on_task(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> TimeOnTask:
    """Return by how much a quantity rises or falls per hour since the day began.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, several per local day, or a table that has them as a column:
        ``eyelog.blinks.rate(frame, by="10min")``, a bin of `eyelog.resample`.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        The length of a row, such as ``"15s"``. Default: of a frame, the interval of its log or the
        width of its bins; of a Series, the smallest distance of neighbouring stamps.
    exposure : Series or array, optional
        The hours that each row is based on: a Series with the same index, or one number for each
        row. Default: what the table states (``worn_h``, ``exposure_min``, ``recorded_h``), else the
        length of a row; missing for a Series by day, which does not carry the hours of its days.

    Returns
    -------
    TimeOnTask
        ``slope_per_h`` (unit of the series per hour) with its 95 % interval of this wearer ``low``
        and ``high``; ``p`` of no slope, which is below 5 % if, and only if, the interval excludes
        0; ``days`` (int, those with two values or more), ``phi`` (how alike the slopes of
        neighbouring days are, 0 to 0.9, shrunk towards .3) and
        ``n_effective`` (how many independent days would be as informative); ``n`` (values),
        ``exposure_h``, ``coverage``; ``reason`` if something is missing: the slope without a day
        that has values at two times, the interval and p with fewer than five such days.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

    Notes
    -----
    Each day has its own level, and all share one slope over the hours since the first value of the
    day (least squares), so days that were high as a whole do not count as a change. The errors use
    local days as the units (CR2: Bell & McCaffrey 2002; Satterthwaite's degrees of freedom), since
    values of one day are alike. Slopes of neighbouring days that are alike widen the interval as in
    `eyelog.baseline.trend`. In series without a slope, p is below .05 in 1 to 3 of 100, see
    the table in the definitions.

    Time on task and time of day cannot be distinguished for a wearer who begins at the same hour
    every day, and a wearer who takes the eyewear off when tired hides the end of the day.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19 08:00", periods=8, freq="h", tz="Europe/Berlin")
    >>> days = [pd.Series(range(8), index=hours + pd.Timedelta(d, "D")) for d in range(5)]
    >>> el.rhythm.time_on_task(pd.concat(days)).slope_per_h
    1.0
    """
    seen = observed(series, column, "time_on_task", limits, interval, exposure)
    dates, of_row = np.unique(seen.dates, return_inverse=True)
    hours = seen.us / HOUR_US
    along = hours - means_of(hours, of_row)[of_row]
    values = seen.values - means_of(seen.values, of_row)[of_row]
    spread = np.bincount(of_row, weights=along**2, minlength=len(dates))
    used = spread > 0
    result = all_missing(TimeOnTask, days=int(used.sum()), **seen.behind)
    if not used.any():
        return result._replace(reason="no day has values at two times or more")
    slope = float(along @ values / spread.sum())
    result = result._replace(slope_per_h=slope)
    if result.days < LEAST_DAYS:
        few = f"fewer than {LEAST_DAYS} days: no interval and no p of this wearer"
        return result._replace(reason=few)
    own = np.bincount(of_row, weights=along * values, minlength=len(dates))[used] / spread[used]
    if np.ptp(own) <= ROUNDING * np.abs(own).max():
        return result._replace(reason="the slopes of the days do not differ: no interval and no p")
    rows = used[of_row]
    errors = (values - slope * along)[rows]
    owner = np.unique(of_row[rows], return_inverse=True)[1]
    covariance, freedom = cluster_robust(along[rows][:, None], errors, owner)
    if not freedom[0] > 0:
        alone = "one day has almost all the values: the slope has no error"
        return result._replace(reason=alone)
    level = effect(dates[used], own[None, :], np.ones((len(own), 1)), np.ones(1))
    independent = own.var(ddof=1) / len(own)
    se = float(np.sqrt(covariance[0, 0] * level.se[0] ** 2 / independent))
    degrees = max(min(float(freedom[0]), float(level.n_effective[0]) - 1.0), 1.0)
    reach = t_quantile(degrees) * se
    return result._replace(
        low=slope - reach,
        high=slope + reach,
        p=float(2 * scipy.special.stdtr(degrees, -abs(slope) / se)),
        **level.alike,
    )
