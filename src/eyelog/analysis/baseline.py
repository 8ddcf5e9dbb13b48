"""A person against themselves: usual values, deviations from them, trends and changes of level.

Each function takes one Series with aware stamps, most often a column of `eyelog.daily`. Missing
values are left out, never counted as 0. Scores are already relative to the wearer's last hours,
so compare within one person only.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from eyelog.analysis.series import check_series, observed
from eyelog.analysis.typical import TypicalValue, typical_value
from eyelog.errors import ConfigurationError

__all__ = [
    "Trend",
    "TypicalValue",
    "change_points",
    "personal",
    "robust_z",
    "trend",
    "typical_value",
]

MISSING = float("nan")
MAD_TO_SD = 1.4826  # makes the MAD of a normal distribution its SD
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


def robust_z(series: pd.Series) -> pd.Series:
    """Return how far each value lies from the median of the whole series, in robust SDs.

    Parameters
    ----------
    series : Series
        Numbers with aware stamps.

    Returns
    -------
    Series
        Same index; ``(x - median) / (1.4826 MAD)``, float64, missing where the value is missing.
        Where more than half of the values are equal the MAD is 0 and all results are missing;
        ``attrs["reason"]`` says so.

    Raises
    ------
    ConfigurationError
        If the stamps are not aware and sorted.

    Notes
    -----
    Iglewicz & Hoaglin (1993). The whole series is the reference, later days included; for the
    reference of earlier days alone see `personal`.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=5, freq="D", tz="UTC")
    >>> el.baseline.robust_z(pd.Series([1.0, 2, 3, 4, 10], index=days)).round(3).tolist()
    [-1.349, -0.674, 0.0, 0.674, 4.721]
    """
    index = check_series(series, what="robust_z")
    values = series.to_numpy(dtype="float64", na_value=np.nan)
    here = values[np.isfinite(values)]
    centre, spread = _centre(here)
    known = spread > 0
    scores = (values - centre) / spread if known else np.full(len(values), np.nan)
    out = pd.Series(scores, index=index, name=series.name)
    if not known:
        why = "more than half of the values are equal" if here.size else "no value was observed"
        out.attrs["reason"] = why
    return out


def _centre(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return median and robust SD (missing without values)."""
    if not values.size:
        return MISSING, MISSING
    centre = float(np.median(values))
    return centre, float(MAD_TO_SD * np.median(np.abs(values - centre)))


def personal(series: pd.Series, *, window: str = "28D", min_n: int = 7) -> pd.DataFrame:
    """Hold each value against the person's own earlier values.

    Parameters
    ----------
    series : Series
        Numbers with aware stamps, one a day most often.
    window : str
        How far back the reference goes, as a pandas duration. The value itself and all later
        ones are no part of it.
    min_n : int
        Least number of earlier values; with fewer there is no baseline.

    Returns
    -------
    DataFrame
        Same index; ``value``, ``baseline`` (rolling median), ``spread`` (1.4826 MAD), both in the
        unit of the series, ``z`` (missing where the spread is 0), ``n`` earlier values, and
        ``coverage`` (n over the number of earlier stamps that the window could hold).

    Raises
    ------
    ConfigurationError
        If the stamps are not aware and sorted, or the window is no duration.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-01", periods=9, freq="D", tz="UTC")
    >>> steps = pd.Series([5.0, 6, 7, 5, 6, 7, 6, 6, 20], index=days)
    >>> el.baseline.personal(steps).iloc[-1][["baseline", "n"]].tolist()
    [6.0, 8.0]
    """
    index = check_series(series, what="personal")
    try:
        reach = pd.Timedelta(window)
    except ValueError:
        raise ConfigurationError(f"window={window!r} is no duration such as '28D'") from None
    if not reach > pd.Timedelta(0) or min_n < 1:
        raise ConfigurationError(
            "personal needs a window longer than nothing and min_n of 1 or more"
        )
    values = series.to_numpy(dtype="float64", na_value=np.nan)
    us = index.as_unit("us").asi8
    first = np.searchsorted(us, us - reach.value // 1000, side="left")
    baseline = np.full(len(values), np.nan)
    spread = np.full(len(values), np.nan)
    counts = np.zeros(len(values), dtype="int64")
    for here, low in enumerate(first.tolist()):
        earlier = values[low:here]
        earlier = earlier[np.isfinite(earlier)]
        counts[here] = earlier.size
        if earlier.size >= min_n:
            baseline[here], spread[here] = _centre(earlier)
    step = float(np.median(np.diff(us))) if len(us) > 1 else float(reach.value // 1000)
    return pd.DataFrame(
        {
            "value": values,
            "baseline": baseline,
            "spread": spread,
            "z": (values - baseline) / np.where(spread > 0, spread, np.nan),
            "n": counts,
            "coverage": np.minimum(1.0, counts / max(1.0, round(reach.value / 1000 / step))),
        },
        index=index,
    )


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
        If there are too many values, or the stamps are not aware and sorted.

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
        Numbers with aware stamps, one a day most often. Missing values are left out.
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
        If the penalty is not positive, the stamps are not aware and sorted, or the package of
        the extra ``stats`` is missing.

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
