"""Slow change over days: a robust slope, and the days on which the level changes."""

from typing import NamedTuple

import pandas as pd
from scipy import stats

from eyelog.analysis.baseline.deviation import MISSING
from eyelog.analysis.series.observed import observed
from eyelog.errors import ConfigurationError

__all__ = [
    "Trend",
    "change_points",
    "trend",
]

MOST_PAIRS = 5000


class Trend(NamedTuple):
    """A robust slope per day with its interval, and Kendall's test for no trend."""

    slope: float
    low: float
    high: float
    tau: float
    p: float
    n: int
    span_days: float
    coverage: float
    reason: str


def trend(series: pd.Series) -> Trend:
    """Return the robust slope of a series per day.

    Parameters
    ----------
    series : Series
        Numbers with aware stamps, at most 5,000 values: summarise records per day first.

    Returns
    -------
    Trend
        ``slope`` (unit of the series per day) with its 95 % interval ``low`` and ``high``;
        Kendall's ``tau`` with ``p``; ``n``, ``span_days``, ``coverage``, ``reason`` where
        missing (fewer than three values).

    Raises
    ------
    ConfigurationError
        If there are too many values, or the stamps are not time-zone aware and in order.

    Notes
    -----
    Theil (1950), Sen (1968); Kendall (1938), through `scipy.stats`.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=6, freq="D", tz="UTC")
    >>> el.baseline.trend(pd.Series([1.0, 3, 5, 7, 9, 100], index=days)).slope
    2.0
    """
    seen = observed(series, what="trend")
    if seen.n > MOST_PAIRS:
        raise ConfigurationError(
            f"trend takes at most {MOST_PAIRS} values, not {seen.n}: summarise per day first"
            " (eyelog.daily)"
        )
    days = (seen.index.as_unit("us").asi8 - (seen.index.as_unit("us").asi8[:1].sum())) / 86_400e6
    span = float(days[-1]) if seen.n else 0.0
    if seen.n < 3:
        none = (MISSING, MISSING, MISSING, MISSING, MISSING)
        return Trend(*none, seen.n, span, seen.coverage, "fewer than three values were observed")
    slope = stats.theilslopes(seen.values, days, 0.95)
    constant = seen.values.min() == seen.values.max()
    tau, p = (MISSING, MISSING) if constant else stats.kendalltau(days, seen.values)
    return Trend(
        float(slope[0]),
        float(slope[2]),
        float(slope[3]),
        float(tau),
        float(p),
        seen.n,
        span,
        seen.coverage,
        "the series does not vary: no rank correlation" if constant else "",
    )


def change_points(series: pd.Series, *, penalty: float) -> list[pd.Timestamp]:
    """Return the stamps at which a new level begins.

    Parameters
    ----------
    series : Series
        Numbers with aware stamps, usually one per day. Missing values are left out.
    penalty : float
        What one more change must save in squared error, in the unit of the series squared;
        taken as given, unscaled. A usual start is ``2 * variance * log(n)``.

    Returns
    -------
    list of Timestamp
        The first stamp of each new level, in order; empty where there is one level.

    Raises
    ------
    ConfigurationError
        If the penalty is not positive, the stamps are not time-zone aware and in order, or the
        package of the extra ``stats`` is missing.

    Notes
    -----
    PELT (Killick et al. 2012) with the l2 cost through ruptures; a level lasts two values at
    least.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=8, freq="D", tz="UTC")
    >>> level = pd.Series([1.0, 1, 2, 1, 9, 9, 8, 9], index=days)
    >>> [f"{day:%d %b}" for day in el.baseline.change_points(level, penalty=10)]
    ['23 Oct']
    """
    if not penalty > 0:
        raise ConfigurationError(f"the penalty must be positive, not {penalty}")
    seen = observed(series, what="change_points")
    try:
        import ruptures
    except ImportError:
        raise ConfigurationError(
            "change_points needs ruptures: pip install 'eyelog[stats]'"
        ) from None
    if seen.n < 4:
        return []
    search = ruptures.Pelt(model="l2", min_size=2, jump=1).fit(seen.values.reshape(-1, 1))
    return [seen.index[end] for end in search.predict(pen=penalty)[:-1]]
