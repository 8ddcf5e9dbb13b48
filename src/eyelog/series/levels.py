"""Days on which a new level begins, by a test that autocorrelated noise seldom passes."""

from itertools import pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.clock import THURSDAY
from eyelog.frame import derived, takes_tables
from eyelog.judge.arrays import Floats, Ints
from eyelog.judge.limits import Limits
from eyelog.series.inference import LARGEST_PHI, Days, by_day, null_p, null_quantile, with_weekend
from eyelog.series.observed import observed

LEVEL: Final = 0.05
LEAST_DAYS: Final = 10
MOST_DAYS: Final = 5000
WEEK: Final = 7
ROUNDING: Final = 1e-12

SHAPES: Final = ("split", "bump")
SHORTEST: Final = 3
# The bias of phi is (BIAS + BIAS phi) / n where levels were chosen to fit. Two edges fit noise
# better than one, so the residuals about a bump look less alike.
BIAS: Final = MappingProxyType({"split": 4.0, "bump": 12.0})
LINE: Final = "a line explains the days better than two levels: see eyelog.baseline.trend"


class _Found(NamedTuple):
    """A change that noise seldom has."""

    edges: tuple[int, ...]
    p: float
    reach: float  # the critical statistic times the standard error of one day, for alike days


@takes_tables
def new_levels(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    limits: Limits | None = None,
    interval: str | None = None,
) -> pd.DataFrame:
    """Return the days on which a new level begins, if chance does not explain them.

    Parameters
    ----------
    series, column
        As in `eyelog.baseline.trend`.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        The length of a row, such as ``"1D"``. Default: as in `eyelog.rhythm.most_active`.

    Returns
    -------
    DataFrame
        Index: ``day`` (the first day of each new level, a date). Float64 columns in the unit of the
        series: ``before`` and ``after`` (mean of the level that ends and of the one that begins;
        apart from weekends), ``difference`` with its 95 % interval ``low``
        and ``high``, which allows for the search over all days, and ``p`` (at least 0.002), the
        share of series without a new level in which an equally clear one is found. Without a new
        level the table is empty; ``attrs["reason"]`` says so if there are fewer than ten days.

    Raises
    ------
    ConfigurationError
        If there are too many days, the stamps are not in order, or a Series holds a field of
        records or the invalid value of a field.

    Notes
    -----
    Two shapes are looked for, with levels of at least three days: one split, and one bump (up and
    back, or down and back). For each, the largest difference over its standard error is compared
    with the same statistic in simulated noise of as many days with an autocorrelation of .3, at
    half the level of 5 %. The standard error takes the autocorrelation of the days from the
    residuals about the levels, with its bias of (4 + 4 phi) / n added, three times that for a bump.
    Where a line explains the days better by Schwarz's criterion (1978), no level is named. The
    criterion can err, the more so in few days: along a line that rises by 4 SD, at an
    autocorrelation of .3, a level is still named in 37.5 of 100 series of 14 days, in 22.7 of 28
    days and in 11.8 of 56. What is found splits the series, and each part of ten days or more is
    searched in the same way. Weekends are brought to the level of their weeks first, if there are
    two days of each kind. Three or more large changes in one series, such as a staircase, can hide
    one another: around any one of them the days look alike. What a search finds is larger than what
    is there, the more so in few days: read the interval.

    The quantiles of the noise come with eyelog (``null.csv``, made by `benchmarks/null_tables.py`).

    In 5 of 100 series of 28 or 56 days without a new level, one is named at an autocorrelation of
    .3. With a step of 2.5 SD in the middle, one is named in 76 of 100 series of 28 days and in 95
    of 56 days; with a step of 1.5 SD in 66 of 56 days (`benchmarks/levels.py`). Skewed values need
    more care: take the square roots of small counts first.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-01", periods=24, name="day")
    >>> values = np.repeat([5.0, 9.0], 12) + np.tile([0.0, 1.0, -1.0], 8)
    >>> found = el.baseline.new_levels(pd.Series(values, index=days))
    >>> found.index.strftime("%d %b").tolist(), found["difference"].round(0).tolist()
    (['13 Oct'], [4.0])
    """
    seen = observed(series, column, "new_levels", limits, interval)
    days = by_day(seen, what="new_levels", most=MOST_DAYS)
    n = len(days.values)
    values = without_weekends(days.values[None, :], days.dates)[0] if days.daily else days.values
    found, reasons = _search(values, days.numbers, 0, n)
    table = derived(_table(days, values, found), series, "baseline.new_levels", interval_s=None)
    if n < LEAST_DAYS:
        table.attrs["reason"] = f"fewer than {LEAST_DAYS} days: no new level can be told"
    elif reasons and not found:
        table.attrs["reason"] = reasons[0]
    return table


def without_weekends(values: Floats, dates: Ints) -> Floats:
    """Return series (rows) with weekends at the level of their weeks, if both kinds occur twice."""
    weeks = np.unique((dates + THURSDAY) // WEEK, return_inverse=True)[1]
    of_weeks = (weeks[:, None] == np.arange(weeks.max(initial=0) + 1)).astype(np.float64)
    design = with_weekend(of_weeks, dates)
    if design.shape == of_weeks.shape:
        return values
    higher = np.linalg.lstsq(design, values.T, rcond=None)[0][-1]
    weekend = design[:, -1] - design[:, -1].mean()
    return np.asarray(values - higher[:, None] * weekend, dtype=np.float64)


def _search(values: Floats, numbers: Ints, first: int, last: int) -> tuple[list[_Found], list[str]]:
    """Return the changes from one place to another, the clearest first, and why there is none."""
    n, part = last - first, values[None, first:last]
    if n < LEAST_DAYS or np.ptp(part) <= ROUNDING * np.abs(part).max():
        return [], []
    best: _Found | None = None
    clearest = 1.0
    for shape in SHAPES:
        change = largest(part, numbers[first:last], shape)
        needed = null_quantile(shape, n, LEVEL / len(SHAPES))
        statistic, phi = float(change.statistic[0]), float(change.phi[0])
        if statistic / needed <= clearest:
            continue
        clearest = statistic / needed
        edges = [first + int(place[0]) for place in (change.start, change.end)]
        one_day = float(change.sd[0]) * np.sqrt((1 + phi) / (1 - phi))
        p = min(1.0, len(SHAPES) * null_p(shape, n, statistic))
        best = _Found(tuple(edge for edge in edges if edge < last), p, needed * one_day)
        spread = float(change.sd[0]) ** 2 * (n - 2)
    if best is None:
        return [], []
    line = np.polynomial.Polynomial.fit(numbers[first:last], part[0], 1)
    # By Schwarz's criterion: the place of an edge is one parameter more than a line has.
    residual = float(((part[0] - line(numbers[first:last])) ** 2).sum())
    if residual < spread * n ** (1 / n):
        return [], [LINE]
    found: list[_Found] = [best]
    reasons: list[str] = []
    for cut in pairwise([first, *best.edges, last]):
        inside, why = _search(values, numbers, *cut)
        found, reasons = found + inside, reasons + why
    return found, reasons


class LevelChange(NamedTuple):
    """The largest change of one shape in each of several series.

    Attributes
    ----------
    start, end : array of int64
        The place of the first day of the other level, and of the first day after it.
    statistic : array of float64
        The difference of the two levels over its standard error for days that are alike by `phi`.
    sd, phi : array of float64
        The standard deviation of single days about the two levels, and their autocorrelation.
    """

    start: Ints
    end: Ints
    statistic: Floats
    sd: Floats
    phi: Floats


def largest(values: Floats, days: Ints, shape: str) -> LevelChange:
    """Return the largest change of a shape in each row of values.

    Parameters
    ----------
    values : array of float64
        One series in each row; at least 10 days.
    days : array of int64
        The number of each day, 1 apart for neighbours.
    shape : {"split", "bump"}
        What is looked for. Each level has at least three days.
    """
    times, n = values.shape
    centred = values - values.mean(axis=1, keepdims=True)
    sums = np.concatenate([np.zeros((times, 1)), np.cumsum(centred, axis=1)], axis=1)
    best, start = np.full(times, -1.0), np.zeros(times, dtype=np.int64)
    end = np.full(times, n, dtype=np.int64)
    if shape == "split":
        lengths, first, last = np.arange(SHORTEST, n - SHORTEST + 1), 0, 0
        gains = sums[:, n - lengths] ** 2 * (n / (lengths * (n - lengths)))
        place = gains.argmax(axis=1)
        best, start = gains[np.arange(times), place], n - lengths[place]
    else:
        first, last = SHORTEST, n - SHORTEST
        for length in range(SHORTEST, last - first + 1):
            inside = sums[:, first + length : last + 1] - sums[:, first : last + 1 - length]
            gains = inside**2 * (n / (length * (n - length)))
            place = gains.argmax(axis=1)
            gain = gains[np.arange(times), place]
            better = gain > best
            best = np.where(better, gain, best)
            start = np.where(better, place + first, start)
            end = np.where(better, place + first + length, end)
    return _judged(centred, days, start, end, best, BIAS[shape])


def _judged(
    centred: Floats, days: Ints, start: Ints, end: Ints, gain: Floats, bias: float
) -> LevelChange:
    """Return the statistic of each row's change, its days being alike as the residuals are.

    phi is not that of `eyelog.series.inference.shrunk_phi`: it is the autocorrelation r of these
    residuals with (bias + bias r) / n added, and is not shrunk towards that of a usual wearer. The
    simulated noise that the statistic is compared with has its phi estimated in the same way.
    """
    n = centred.shape[1]
    places = np.arange(n)
    inside = (places >= start[:, None]) & (places < end[:, None])
    count = inside.sum(axis=1)
    within = (centred * inside).sum(axis=1) / count
    without = (centred * ~inside).sum(axis=1) / (n - count)
    residuals = centred - np.where(inside, within[:, None], without[:, None])
    rest = np.maximum((residuals**2).sum(axis=1), 1e-12 * (centred**2).sum(axis=1))
    beside = np.flatnonzero(np.diff(days) == 1)
    product = (residuals[:, beside] * residuals[:, beside + 1]).mean(axis=1) if len(beside) else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.nan_to_num(product * (n - 1) / rest)
        phi = np.clip(ratios + (bias + bias * ratios) / n, 0.0, LARGEST_PHI)
        sd = np.sqrt(rest / (n - 2))
        statistic = np.nan_to_num(np.sqrt(gain) / sd / np.sqrt((1 + phi) / (1 - phi)))
    return LevelChange(start, end, statistic, sd, phi)


def _table(days: Days, values: Floats, changes: list[_Found]) -> pd.DataFrame:
    """Return a row for each new level, by day."""
    edges = sorted((edge, change) for change in changes for edge in change.edges)
    cuts = [0, *(edge for edge, _ in edges), len(values)]
    rows = []
    for i, (edge, change) in enumerate(edges):
        one, other = values[cuts[i] : edge], values[edge : cuts[i + 2]]
        difference = float(other.mean() - one.mean())
        reach = change.reach * float(np.sqrt(1.0 / len(one) + 1.0 / len(other)))
        rows.append(
            (one.mean(), other.mean(), difference, difference - reach, difference + reach, change.p)
        )
    dates = days.dates[[edge for edge, _ in edges]].astype("datetime64[D]").astype("M8[us]")
    return pd.DataFrame(
        np.array(rows, dtype=np.float64).reshape(-1, 6),
        index=pd.DatetimeIndex(dates, name="day"),
        columns=["before", "after", "difference", "low", "high", "p"],
    )
