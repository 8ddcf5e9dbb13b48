"""Slow change over days: a robust slope, and the days on which the level changes."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from eyelog.analysis.results import all_missing, shown
from eyelog.analysis.series.arrays import MISSING, Floats
from eyelog.analysis.series.dependence import (
    by_day,
    effective_n,
    likeness,
    slope_se,
    t_quantile,
)
from eyelog.analysis.series.observed import ANY_STAMP, column_of, given_index, observed, rows_of
from eyelog.analysis.series.ranks import pairs_tell, slopes_law
from eyelog.errors import ConfigurationError

__all__ = [
    "Trend",
    "change_points",
    "trend",
]

MOST_DAYS = 5000
LEAST_VALUES = 3
LEAST_FOR_INTERVAL = 14
SHORTEST_LEVEL = 2


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


def trend(
    series: pd.Series | pd.DataFrame, column: str | None = None, *, interval: str | None = None
) -> Trend:
    """Return the robust slope of a series per day.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers by date or with aware stamps, or a table that has them as a column, such as
        `eyelog.daily`. Several values of a local day count as one, their mean. At most 5,000 days.
    column : str, optional
        The column of a DataFrame.
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
    days, and with independent days. Of series of 28 days without a trend, 4 in 100 have p < .05 for
    independent days, 6 at an autocorrelation of .3, 7 at .5; with 56 days, 3, 5 and 6
    (`benchmarks/levels.py`).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=6, freq="D", name="day")
    >>> el.baseline.trend(pd.Series([1.0, 3, 5, 7, 9, 100], index=days)).slope
    2.0
    """
    seen = observed(series, column, what="trend", stamp=ANY_STAMP, interval=interval)
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
    first, second = np.triu_indices(n, 1)
    rise = days.values[second] - days.values[first]
    ordered = np.sort(rise / (days.dates[second] - days.dates[first]))
    differ = np.count_nonzero(rise)
    few = n < LEAST_FOR_INTERVAL
    reasons = [
        f"fewer than {LEAST_FOR_INTERVAL} days: no interval and no p of this wearer" if few else "",
        "" if differ else "the series does not vary: no rank correlation",
    ]
    estimated = nothing._replace(
        slope=float(np.median(ordered)),
        tau=float(np.sign(rise).sum() / np.sqrt(differ * len(rise))) if differ else MISSING,
        reason="; ".join(filter(None, reasons)),
    )
    if few:
        return estimated
    line = np.polynomial.Polynomial.fit(days.dates, days.values, 1)
    residuals = days.values - line(days.dates)
    phi = likeness(days.numbers, residuals)
    n_effective = effective_n(days.numbers, phi)
    factor = 1.0
    if phi > 0:
        alike, apart = (slope_se(days.numbers, residuals, at) for at in (phi, 0.0))
        factor = t_quantile(n_effective - 2) * alike / (t_quantile(n - 2) * apart)
    low, high, p = pairs_tell(ordered, slopes_law(n), factor)
    return estimated._replace(low=low, high=high, p=p, phi=phi, n_effective=n_effective)


def change_points(
    series: pd.Series | pd.DataFrame, column: str | None = None, *, penalty: float
) -> list[pd.Timestamp]:
    """Return the stamps at which a new level begins, as far as a penalty of your choice allows.

    This is not a test: autocorrelated days produce levels with any of the usual penalties. With
    ``2 * variance * log(n)``, 28 days without any change seldom remain one level if their
    autocorrelation is .5. `new_levels` names those that chance seldom produces.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers by date or with aware stamps, usually one per day, or a table that has them as a
        column. Missing values are left out.
    column : str, optional
        The column of a DataFrame.
    penalty : float
        The squared error that each further change must save, in the unit of the series squared;
        taken as given, unscaled.

    Returns
    -------
    list of Timestamp
        The first stamp (or date) of each new level, in order; empty if there is only one level.

    Raises
    ------
    ConfigurationError
        If the penalty is not positive, the stamps are not in order, or the values hold the invalid
        value of a field.

    Notes
    -----
    Of all segmentations in which each level lasts at least two values, the one with the least sum
    of squared deviations from the level means plus the penalty for each change: optimal
    partitioning by dynamic programming (Jackson et al. 2005), which leaves out only beginnings that
    can never be best again (Killick et al. 2012). Of segmentations with equal cost, the one with
    the longest last level.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=8, freq="D", name="day")
    >>> level = pd.Series([1.0, 1, 2, 1, 9, 9, 8, 9], index=days)
    >>> [f"{day:%d %b}" for day in el.baseline.change_points(level, penalty=10)]
    ['23 Oct']
    """
    if not penalty > 0:
        raise ConfigurationError(f"the penalty must be positive, not {penalty}")
    rows = rows_of(series, column, what="change_points", stamp=ANY_STAMP, interval="1s")
    present = np.isfinite(rows.values)
    ends = _level_ends(rows.values[present], float(penalty))
    index = given_index(rows, column_of(series, column, what="change_points"))
    return list(index[present][ends[:-1]])


def _level_ends(values: Floats, penalty: float) -> list[int]:
    """Return the end of each level of the best segmentation; the last ends with the values."""
    n = len(values)
    centred = values - values.mean() if n else values  # keeps small differences of large values
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    best = np.full(n + 1, np.inf)  # least cost of the values before each place
    best[0] = 0.0
    before = np.zeros(n + 1, dtype=np.intp)  # where the last of those levels begins
    starts, until = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    for end in range(SHORTEST_LEVEL, n + 1):
        if np.isfinite(best[end - SHORTEST_LEVEL]):
            starts, until = np.append(starts, end - SHORTEST_LEVEL), np.append(until, n)
        cost = squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / (end - starts)
        without = best[starts] + np.maximum(cost, 0.0)
        first = int(np.argmin(without))
        best[end], before[end] = without[first] + penalty, starts[first]
        # A beginning that is worse even without one more penalty is worse than a level beginning
        # here, as soon as that level can be long enough.
        until = np.where(without > best[end], np.minimum(until, end + SHORTEST_LEVEL - 1), until)
        starts, until = starts[until > end], until[until > end]
    ends = [n]
    while before[ends[0]] > 0:
        ends.insert(0, int(before[ends[0]]))
    return ends
