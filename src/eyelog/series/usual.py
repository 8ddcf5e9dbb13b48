"""What is usual for a person: a usual value, and the range in which the next day lies."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import duration_us, whole_number
from eyelog.clock import DAY_US, HOUR_US, LocalClock
from eyelog.errors import ConfigurationError
from eyelog.frame import derived, takes_tables
from eyelog.judge.arrays import MISSING, Bools, Floats, Ints, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import GRID, at_weekend, effective_n, shrunk_phi
from eyelog.series.observed import (
    SHORTEST_DAY_US,
    Rows,
    check_numbers,
    column_of,
    given_index,
    has_clock,
    is_dated,
    observed,
    refuse_sentinel,
    refuse_wearers,
    rows_of,
)

PEAK_GRID: Final = 1001
WHAT: Final = "typical_value"
MAD_TO_SD = 1.4826  # makes the MAD of a normal distribution its SD
EFFICIENCY = 0.37  # of the MAD: it varies as the SD of 0.37 as many values does
OUTSIDE = 0.01  # the share of normal days that lie outside the usual range
LEAST_FOR_RANGE = 4  # with fewer earlier values the range would be wider than anything usual
APART_DAYS = 42  # six weeks: before, there are too few weekends to compare a weekend with
MOST_EARLIER = 5_000  # hours of 56 days are 1,344
ALL = "all"
KINDS = ("weekdays", "weekends")


@shown("Usual value of a series")
class TypicalValue(NamedTuple):
    """A usual value, the method that gave it, and the shape test that chose the method."""

    value: float
    method: str
    shape: str
    skewness: float
    variation: float
    median: float
    q90: float
    q99: float
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def typical_value(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    method: str = "auto",
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> TypicalValue:
    """Return the usual value, by the method that suits the shape of the distribution.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers, or a table that has them as a column; any index. Aware stamps or dates, in order,
        give the exposure.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows.
    method : {"auto", "peak", "q90", "q99", "median"}
        ``"auto"`` uses the density peak if the values look like a gamma distribution, the 90th
        percentile if they look exponential, and the median otherwise.
    limits, interval, exposure : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    TypicalValue
        ``value`` and the ``method`` that gave it; ``shape`` ("gamma", "exponential" or "other")
        with the test behind it: ``skewness`` and ``variation`` (SD / mean); ``median``, ``q90``,
        ``q99``; ``n``, ``exposure_h`` (missing without stamps, and for a Series by day),
        ``coverage`` (of the time that the stamps span; without stamps, of the rows) and ``reason``
        if missing.

    Raises
    ------
    ConfigurationError
        If the method is not one of these, it is not a quantity of numbers, or the values hold the
        invalid value of a field.

    Notes
    -----
    The vendor's advice for daily values: density peak for the gamma-like eye movements, 90th or
    99th percentile for the exponential-like head movements. The shape is judged by moments: values
    of 0 or more, skewed to the right (skewness over 0.5), and a variation of 0.8 or more is
    exponential (it has 1), less is gamma. The density is estimated with a Gaussian kernel and
    Scott's bandwidth, over the range of the data.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> minutes = pd.date_range("2026-10-19", periods=2000, freq="min", tz="UTC")
    >>> moves = np.random.default_rng(1).exponential(5, 2000).round()
    >>> usual = el.baseline.typical_value(pd.Series(moves, index=minutes))
    >>> usual.shape, usual.method, usual.value
    ('exponential', 'q90', 11.0)
    """
    methods = ("auto", "peak", "q90", "q99", "median")
    if method not in methods:
        raise ConfigurationError(f"method must be one of {', '.join(methods)}, not {method!r}")
    x, behind = _values(series, column, limits=limits, interval=interval, exposure=exposure)
    result = all_missing(TypicalValue, method=method, shape="other", **behind)
    if len(x) < 3:
        return result._replace(reason="fewer than three values were observed")
    spread = float(x.std())
    skewness = float((((x - x.mean()) / spread) ** 3).mean()) if spread > 0 else 0.0
    variation = spread / float(x.mean()) if x.mean() > 0 else MISSING
    shape = "other"
    if x.min() >= 0 and skewness > 0.5:
        shape = "exponential" if variation >= 0.8 else "gamma"
    if method == "auto":
        method = {"gamma": "peak", "exponential": "q90", "other": "median"}[shape]
    median, q90, q99 = (float(q) for q in np.quantile(x, [0.5, 0.9, 0.99]))
    value = {"median": median, "q90": q90, "q99": q99}.get(method)
    return result._replace(
        value=_density_peak(x) if value is None else value,
        method=method,
        shape=shape,
        skewness=skewness,
        variation=variation,
        median=median,
        q90=q90,
        q99=q99,
    )


def _values(
    series: pd.Series | pd.DataFrame, column: str | pd.Series | None, **options: Any
) -> tuple[Floats, dict[str, Any]]:
    """Return the observed values, and what is behind them."""
    one = column if isinstance(column, pd.Series) else column_of(series, column, what=WHAT)
    check_numbers(one, what=WHAT)
    if isinstance(one.index, pd.DatetimeIndex) and not one.index.is_monotonic_increasing:
        order = np.argsort(one.index.asi8, kind="stable")
        series, one = series.iloc[order], one.iloc[order]
        column = one if isinstance(column, pd.Series) else column
    if has_clock(one):
        seen = observed(series, column, what=WHAT, **options)
        return seen.values, seen.behind
    if any(value is not None for value in options.values()):
        raise ConfigurationError(
            f"{WHAT}: limits, interval and exposure need values with stamps or dates in order"
        )
    refuse_wearers(one.index, what=WHAT)
    refuse_sentinel(one, what=WHAT)
    values = numbers(one)
    x = values[np.isfinite(values)]
    coverage = len(x) / len(values) if len(values) else 0.0
    return x, {"n": len(x), "exposure_h": MISSING, "coverage": coverage}


def _density_peak(values: Floats) -> float:
    """Return the value at which a Gaussian kernel density (Scott's bandwidth) is largest."""
    # Logs contain few distinct values, each of which is one kernel with the weight of its number.
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) == 1:
        return float(distinct[0])
    width = values.std(ddof=1) * len(values) ** (-1 / 5)
    of_kernels = width / np.sqrt(np.cov(distinct, aweights=counts))
    density = scipy.stats.gaussian_kde(distinct, bw_method=of_kernels, weights=counts)
    grid = np.linspace(distinct[0], distinct[-1], PEAK_GRID)
    return float(grid[density(grid).argmax()])


@takes_tables
def personal(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    window: str = "56D",
    min_n: int = 7,
    min_day: str = "8h",
    limits: Limits | None = None,
    interval: str | None = None,
) -> pd.DataFrame:
    """Compare each value with the person's own earlier values.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers by date or with aware stamps, usually one per day, or a table that has them as a
        column.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows.
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
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
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
        of earlier stamps to compare with that fit into the window), ``compared_with`` (text:
        ``all``, ``weekdays`` or ``weekends``; missing where the baseline is). The columns have the
        name of the series, as its axis in a figure does.

        A day at a weekend has no range, and so no ``outside`` and no ``p``, before the earlier days
        reach back six weeks: its baseline is that of all days until then, and weekends may differ.

    Raises
    ------
    ConfigurationError
        If the stamps are not in order, a Series holds a field of records or the invalid value of a
        field, a value has more than 5,000 earlier ones, or `window` or `min_day` is no duration.

    Notes
    -----
    The usual range predicts the next day from n earlier ones: median and 1.4826 MAD, Student's t
    with 0.37 n degrees of freedom (the MAD is 37 % as efficient as the SD; Rousseeuw & Croux 1993,
    Journal of the American Statistical Association 88:1273), times sqrt(1 + pi / (2 n)) for the
    error of the median. The range is wider where neighbouring days are alike, because such days
    differ less among themselves than from a later one. It is meant to exclude 1 in 100 normal days.
    In simulations with an autocorrelation of 0 to .5 it excluded 0.8 to 1.4 in 100 after 28 days
    (`benchmarks/levels.py`), 1.0 to 1.5 after 90, and 1.0 to 3.5 after 7 or 14 (200 runs each,
    with an error of about 1; `benchmarks/levels.py`). It excludes more skewed values: 3 to 4 in 100
    of small counts (negative binomial, k = 4), so take their square root first.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-01", periods=9, freq="D", name="day")
    >>> steps = pd.Series([5.0, 6, 7, 5, 6, 7, 6, 6, 20], index=days)
    >>> last = el.baseline.personal(steps).iloc[-1]
    >>> float(last["baseline"]), int(last["n"]), bool(last["outside"])
    (6.0, 8, True)
    """
    rows = rows_of(series, column, "personal", limits, interval)
    values = rows.values
    reach = duration_us(window, "window", sign="positive", example="28D")
    min_n = whole_number(min_n, "min_n", 1)
    counts = _counting(series, rows, min_day)
    us = rows.us
    first = _first_within(us, rows.clock, reach)
    earlier_rows = int((np.arange(len(us)) - first).max(initial=0))
    if earlier_rows > MOST_EARLIER:
        raise ConfigurationError(
            f"personal compares each value with up to {MOST_EARLIER:,} earlier ones, and here with"
            f" {earlier_rows:,}: take days, personal(eyelog.daily(frame), 'steps'), or bins of an"
            " hour, personal(eyelog.resample(frame, '1h'), ...)"
        )
    baseline, spread, half = (np.full(len(values), np.nan) for _ in range(3))
    n = np.zeros(len(values), dtype="int64")
    most = np.full(len(values), max(1.0, round(reach / (rows.step_us or reach))))
    places = np.arange(len(values))
    of_days = rows.step_us >= SHORTEST_DAY_US or not rows.step_us
    if rows.step_us:
        places = np.round((us - us[:1]) / rows.step_us).astype(np.int64)
    dates = rows.clock.wall_us(us) // DAY_US
    by_day = round(rows.step_us / DAY_US) == 1
    weekend = at_weekend(dates) == 1 if by_day else np.zeros(len(values), dtype=bool)
    compared_with = np.full(len(values), None, dtype=object)
    for row, low in enumerate(first.tolist()):
        earlier = low + np.flatnonzero(counts[low:row])
        apart = by_day and earlier.size and dates[row] - dates[earlier[0]] >= APART_DAYS
        if apart:
            earlier = earlier[weekend[earlier] == weekend[row]]
            before = at_weekend(np.arange(dates[row] - reach // DAY_US, dates[row])) == 1
            most[row] = (before == weekend[row]).sum()
        n[row] = earlier.size
        if earlier.size >= min_n:
            judged = of_days and bool(apart or not weekend[row])
            of_row = prediction(places[earlier], values[earlier][None, :], judged=judged)
            baseline[row], spread[row], half[row] = (float(part[0]) for part in of_row)
            compared_with[row] = KINDS[int(weekend[row])] if apart else ALL
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
            "compared_with": pd.array(compared_with, dtype="string"),
        },
        index=given_index(rows, series),
    )
    table.columns.name = rows.name or None
    return derived(table, series, "baseline.personal", interval_s=None, window=window)


def _counting(series: pd.Series | pd.DataFrame, rows: Rows, min_day: str) -> Bools:
    """Return the rows that have a value and, where they are days of a table, were worn enough."""
    least = duration_us(min_day, "min_day", sign="positive", example="8h") / HOUR_US
    present = np.isfinite(rows.values)
    if isinstance(series, pd.DataFrame) and "worn_h" in series.columns and is_dated(rows.index):
        return np.asarray(present & (numbers(series["worn_h"]) >= least))
    return present


def prediction(
    places: Ints, earlier: Floats, *, judged: bool = True
) -> tuple[Floats, Floats, Floats]:
    """Return median, spread and scale of the error of a prediction from earlier days (columns).

    The scale is missing where no day is judged by it, or with too few days.
    """
    n = earlier.shape[1]
    centre = np.median(earlier, axis=1)
    # scipy.stats has the MAD too, but takes most of a second to import.
    spread = MAD_TO_SD * np.median(np.abs(earlier - centre[:, None]), axis=1)
    if not judged or n < LEAST_FOR_RANGE:
        return centre, spread, np.full(len(centre), MISSING)
    phi = shrunk_phi(places, earlier - earlier.mean(axis=1, keepdims=True))
    at = phi if len(phi) == 1 else GRID
    lost = np.interp(phi, at, [n / effective_n(places, float(one)) for one in at])
    return centre, spread, spread * np.sqrt(1.0 + np.pi / (2.0 * n)) * np.sqrt((n - 1) / (n - lost))


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
