"""Slow change over days: a robust slope."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING, Floats
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import (
    Days,
    Effect,
    by_day,
    effect,
    rank_interval,
    slopes_law,
    with_weekend,
)
from eyelog.series.observed import observed

MOST_DAYS = 5000
LEAST_VALUES = 3
LEAST_FOR_INTERVAL = 14


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
    seen = observed(series, column, what="trend", limits=limits, interval=interval)
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
    return estimated._replace(
        low=found.low,
        high=found.high,
        p=found.p,
        phi=float(line.phi[0]),
        n_effective=float(line.n_effective[0]),
    )


def lines(days: Days, values: Floats) -> tuple[Floats, Effect]:
    """Return series of these days (rows) with weekends levelled, and their least-squares slopes."""
    design = np.column_stack([np.ones(len(days.dates)), days.dates - days.dates.mean()])
    if days.daily:
        design = with_weekend(design, days.dates)
    line = effect(days.numbers, values, design, np.array([0.0, 1.0]))
    return values - line.fit[:, 2:] @ design[:, 2:].T, line
