"""How far a value lies from the person's usual level."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eyelog.analysis.series.arrays import MISSING, Bools, Floats, Ints, numbers
from eyelog.analysis.series.calendar import hour_codes
from eyelog.analysis.series.dependence import LEAST_DAYS, effective_n, likeness
from eyelog.analysis.series.durations import duration_us
from eyelog.analysis.series.observed import (
    ANY_STAMP,
    HOUR_US,
    SHORTEST_DAY_US,
    Rows,
    check_numbers,
    column_of,
    given_index,
    is_dated,
    refuse_sentinel,
    refuse_wearers,
    rows_of,
)
from eyelog.clock import DAY_US, LocalClock
from eyelog.errors import ConfigurationError
from eyelog.provenance import derived

__all__ = [
    "personal",
    "robust_z",
]

MAD_TO_SD = 1.4826  # makes the MAD of a normal distribution its SD
EFFICIENCY = 0.37  # of the MAD: it varies as the SD of 0.37 as many values does
OUTSIDE = 0.01  # the share of normal days that lie outside the usual range
LEAST_FOR_RANGE = 4  # with fewer earlier values the range would be wider than anything usual
APART_DAYS = 42  # six weeks: before, there are too few weekends to compare a weekend with

ALL = "all"
KINDS = ("weekdays", "weekends")


def robust_z(series: pd.Series | pd.DataFrame, column: str | None = None) -> pd.Series:
    """Return how far each value lies from the median of the whole series, in robust SDs.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers, or a table that has them as a column; any index, since time is not used.
    column : str, optional
        The column of a DataFrame.

    Returns
    -------
    Series
        Same index; ``(x - median) / (1.4826 MAD)``, float64, missing if the value is missing. If
        more than half of the values are equal, the MAD is 0 and all results are missing;
        ``attrs["reason"]`` says why.

    Raises
    ------
    ConfigurationError
        If it is not a quantity of numbers, or the values hold the invalid value of a field.

    Notes
    -----
    Iglewicz & Hoaglin (1993). The reference is the whole series, including later days; `personal`
    compares with earlier days only.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=5, freq="D", name="day")
    >>> el.baseline.robust_z(pd.Series([1.0, 2, 3, 4, 10], index=days)).round(3).tolist()
    [-1.349, -0.674, 0.0, 0.674, 4.721]
    """
    one = column_of(series, column, what="robust_z")
    check_numbers(one, what="robust_z")
    refuse_wearers(one.index, what="robust_z")
    refuse_sentinel(one, what="robust_z")
    values = numbers(one)
    present = values[np.isfinite(values)]
    centre, spread = _centre(present)
    varies = spread > 0
    scores = (values - centre) / spread if varies else np.full(len(values), np.nan)
    out = pd.Series(scores, index=one.index, name=one.name)
    if not varies:
        why = "more than half of the values are equal" if present.size else "no value was observed"
        out.attrs["reason"] = why
    return out


def _centre(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return median and robust SD (missing without values)."""
    if not values.size:
        return MISSING, MISSING
    centre = float(np.median(values))
    # scipy.stats has the MAD too, but takes most of a second to import.
    return centre, float(MAD_TO_SD * np.median(np.abs(values - centre)))


def personal(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    window: str = "56D",
    min_n: int = 7,
    min_day: str = "8h",
    interval: str | None = None,
) -> pd.DataFrame:
    """Compare each value with the person's own earlier values.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers by date or with aware stamps, usually one per day, or a table that has them as a
        column.
    column : str, optional
        The column of a DataFrame.
    window : str
        How far back the reference goes, as a pandas duration. It includes neither the value
        itself nor later ones. Whole days are local calendar days, including those of 23 or 25
        hours: with at most one value per day the days before, otherwise back to the same time of
        day. Any other duration is elapsed time. Once the earlier days reach back six weeks, a
        weekday is compared with weekdays alone, and a day at a weekend with such days.
    min_n : int
        Smallest number of earlier values to compare with; with fewer, the baseline is missing.
    min_day : str
        How long a day must have been worn to count, for tables by day with ``worn_h``. A day that
        does not count is neither used as an earlier value nor judged: a day of four hours shows a
        different part of the day, not a smaller sample of it.
    interval : str, optional
        The length of a row, such as ``"1D"``. Default: as in `eyelog.rhythm.most_active`.

    Returns
    -------
    DataFrame
        Same index; ``value``, ``baseline`` (rolling median), ``spread`` (1.4826 MAD), both in the
        unit of the series, ``z`` (missing if the spread is 0), ``low`` and ``high`` (the usual
        range, in which 99 of 100 normal days lie), boolean ``outside`` (missing where there is no
        range, as of rows shorter than a day, or the day does not count), ``p`` (the share of
        normal days that are as far off), ``n`` earlier values, and ``coverage`` (n over the number
        of earlier stamps to compare with that fit into the window), ``compared_with`` (str:
        ``all``, ``weekdays`` or ``weekends``; missing where the baseline is). The columns have the
        name of the series, as its axis in a figure does.

        A day at a weekend has no range, and so no ``outside`` and no ``p``, before the earlier days
        reach back six weeks: its baseline is that of all days until then, and weekends may differ.

    Raises
    ------
    ConfigurationError
        If the stamps are not in order, the values hold the invalid value of a field, or `window` or
        `min_day` is not a duration.

    Notes
    -----
    The usual range predicts the next day from n earlier ones: median and 1.4826 MAD, Student's t
    with 0.37 n degrees of freedom (the MAD is 37 % as efficient as the SD; Rousseeuw & Croux 1993,
    Journal of the American Statistical Association 88:1273), times sqrt(1 + pi / (2 n)) for the
    error of the median. From ten days on, the range is wider where neighbouring days are alike,
    because such days differ less among themselves than from a later one. So 1 in 100 normal days
    lies outside, after 7 days as well as after 90 (`benchmarks/levels.py`); a range of three robust
    SDs would exclude 1 in 10 after 7 days. It excludes more skewed values: 3 in 100 of small counts
    (negative binomial, k = 4), so take their square root first.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-01", periods=9, freq="D", name="day")
    >>> steps = pd.Series([5.0, 6, 7, 5, 6, 7, 6, 6, 20], index=days)
    >>> last = el.baseline.personal(steps).iloc[-1]
    >>> float(last["baseline"]), int(last["n"]), bool(last["outside"])
    (6.0, 8, True)
    """
    rows = rows_of(series, column, what="personal", stamp=ANY_STAMP, interval=interval)
    index, values = rows.index, rows.values
    reach = duration_us(window, "window", sign="positive", example="28D")
    if min_n < 1:
        raise ConfigurationError(f"min_n must be 1 or more, not {min_n!r}")
    counts = _counting(series, rows, min_day)
    us = index.as_unit("us").asi8
    first = _first_within(us, rows.clock, reach)
    baseline, spread, half = (np.full(len(values), np.nan) for _ in range(3))
    n = np.zeros(len(values), dtype="int64")
    most = np.full(len(values), max(1.0, round(reach / (rows.step_us or reach))))
    places = np.arange(len(values))
    of_days = rows.step_us >= SHORTEST_DAY_US or not rows.step_us
    if rows.step_us:
        places = np.round((us - us[:1]) / rows.step_us).astype(np.int64)
    dates = rows.clock.wall_us(us) // DAY_US
    by_day = round(rows.step_us / DAY_US) == 1
    weekend = _weekend(dates) if by_day else np.zeros(len(values), dtype=bool)
    compared_with = np.full(len(values), None, dtype=object)
    for row, low in enumerate(first.tolist()):
        earlier = low + np.flatnonzero(counts[low:row])
        apart = by_day and earlier.size and dates[row] - dates[earlier[0]] >= APART_DAYS
        if apart:
            earlier = earlier[weekend[earlier] == weekend[row]]
            before = _weekend(np.arange(dates[row] - reach // DAY_US, dates[row]))
            most[row] = (before == weekend[row]).sum()
        n[row] = earlier.size
        if earlier.size >= min_n:
            baseline[row], spread[row] = _centre(values[earlier])
            compared_with[row] = KINDS[int(weekend[row])] if apart else ALL
            if of_days and (apart or not weekend[row]):
                half[row] = spread[row] * _widening(places[earlier], values[earlier])
    off = np.where(counts & (spread > 0), np.abs(values - baseline), np.nan)
    freedom = np.maximum(EFFICIENCY * n, 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2.0 * scipy.special.stdtr(freedom, -off / half)
    reached = half * -scipy.special.stdtrit(freedom, OUTSIDE / 2.0)
    outside = pd.array(off > reached, dtype="boolean")
    outside[np.isnan(p)] = pd.NA
    table = pd.DataFrame(
        {
            "value": values,
            "baseline": baseline,
            "spread": spread,
            "z": (values - baseline) / np.where(spread > 0, spread, np.nan),
            "low": baseline - reached,
            "high": baseline + reached,
            "outside": outside,
            "p": p,
            "n": n,
            "coverage": np.minimum(1.0, n / most),
            "compared_with": pd.array(compared_with, dtype="str"),
        },
        index=given_index(rows, column_of(series, column, what="personal")),
    )
    table.columns.name = rows.name or None
    return derived(table, series, "baseline.personal", interval_s=None, window=window)


def _weekend(dates: Ints) -> Bools:
    """Return which local dates, as the days since 1970, are Saturdays and Sundays."""
    return np.asarray(hour_codes(24 * dates, "weekend") == 1)


def _counting(series: pd.Series | pd.DataFrame, rows: Rows, min_day: str) -> Bools:
    """Return the rows that have a value and, where they are days of a table, were worn enough."""
    least = duration_us(min_day, "min_day", sign="positive", example="8h") / HOUR_US
    present = np.isfinite(rows.values)
    if isinstance(series, pd.DataFrame) and "worn_h" in series.columns and is_dated(rows.index):
        return np.asarray(present & (numbers(series["worn_h"]) >= least))
    return present


def _widening(places: Ints, earlier: Floats) -> float:
    """Return by how much the error of a prediction exceeds the spread of the earlier values."""
    n = len(earlier)
    of_median = np.sqrt(1.0 + np.pi / (2.0 * n))
    if n < LEAST_FOR_RANGE:
        return MISSING
    if n < LEAST_DAYS:
        return float(of_median)
    phi = likeness(places, earlier - earlier.mean())
    lost = n / effective_n(places, phi)
    return float(of_median * np.sqrt((n - 1.0) / (n - lost)))


def _first_within(us: Ints, clock: LocalClock, reach: int) -> Ints:
    """Return for each stamp the first row that lies at most `reach` before it."""
    days, rest = divmod(reach, DAY_US)
    if rest:
        return np.searchsorted(us, us - reach, side="left").astype(np.int64)
    wall = clock.wall_us(us)
    dates = wall // DAY_US
    if (np.diff(dates) > 0).all():
        return np.searchsorted(dates, dates - days, side="left").astype(np.int64)
    return np.searchsorted(us, clock.instants(wall - reach), side="left").astype(np.int64)
