"""Days on which a new level begins, by a test that autocorrelated noise seldom passes."""

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.analysis.series.dependence import LEAST_DAYS, Days, by_day
from eyelog.analysis.series.levels import SHAPES, critical, largest, noise_p
from eyelog.analysis.series.observed import SHORTEST_DAY_US, Observed, is_dated, observed
from eyelog.clock import DAY_US
from eyelog.errors import ConfigurationError, argument
from eyelog.provenance import derived, history

__all__ = ["new_levels", "without_weekdays"]

LEVEL: Final = 0.05
MOST_DAYS: Final = 5000
WEEK: Final = 7
WEEKS: Final = 4  # with fewer, a weekday is too few days


class _Found(NamedTuple):
    """A change that noise seldom has."""

    edges: tuple[int, ...]
    p: float
    reach: float  # the critical statistic times the standard error of one day, for alike days


def new_levels(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    stamp: str | None = None,
    interval: str | None = None,
) -> pd.DataFrame:
    """Return the days on which a new level begins, if chance does not explain them.

    Parameters
    ----------
    series, column
        As in `eyelog.baseline.trend`.
    stamp : {"end", "start"}, optional
        Whether a stamp closes or opens its interval; by default closes it. For days that are
        stamped at a midnight with a zone it must be given: pandas stamps days at the midnight that
        opens them, `eyelog.resample` at the one that closes them.
    interval : str, optional
        The length of a row, such as ``"1D"``. Default: as in `eyelog.rhythm.most_active`.

    Returns
    -------
    DataFrame
        Index: ``day`` (the first day of each new level, a date). Float64 columns in the unit of the
        series: ``before`` and ``after`` (mean of the level that ends and of the one that begins;
        from four weeks on apart from the weekdays), ``difference`` with its 95 % interval ``low``
        and ``high``, which allows for the search over all days, and ``p`` (at least 0.002), the
        share of series without a new level in which an equally clear one is found. Without a new
        level the table is empty; ``attrs["reason"]`` says so if there are fewer than ten days.

    Raises
    ------
    ConfigurationError
        If there are too many days, the stamps are not in order, midnights may open or close their
        days, or the values hold the invalid value of a field.

    Notes
    -----
    Two shapes are looked for, with levels of at least three days: one split, and one bump (up and
    back, or down and back). For each, the largest difference over its standard error is compared
    with the same statistic in simulated noise of as many days with an autocorrelation of .3, at
    half the level of 5 %. The standard error takes the autocorrelation of the days from the
    residuals about the levels, with its bias of (4 + 4 phi) / n added, three times that for a bump.
    What is found splits the series, and each part of ten days or more is searched in the same way.
    From four weeks on, the weekdays are levelled first, so that weekends are not levels. Three or
    more large changes in one series, such as a staircase, can hide one another: around any one of
    them the days look alike.

    The quantiles of the noise come with eyelog (``level_noise.csv``, made by
    `benchmarks/level_noise.py`).

    In 1, 5 and 8 of 100 series of 28 days without a new level, one is named at an autocorrelation
    of 0, .3 and .5; with 56 days in 2, 5 and 4. A step of 2.5 SD in the middle of 56 days at .3 is
    found in 95 of 100, a holiday (3 SD up on days 30 to 60 of 90) in 98 (`benchmarks/levels.py`).
    Skewed values need more care where there are many: with 120 days of small counts (negative
    binomial, k = 4), one is named in 9 of 100, and in 5 with their square roots. `change_points`
    finds the levels that a penalty of your own choice allows, and is not a test.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-01", periods=24, name="day")
    >>> values = np.repeat([5.0, 9.0], 12) + np.tile([0.0, 1.0, -1.0], 8)
    >>> found = el.baseline.new_levels(pd.Series(values, index=days))
    >>> found.index.strftime("%d %b").tolist(), found["difference"].tolist()
    (['13 Oct'], [4.0])
    """
    seen = observed(series, column, what="new_levels", stamp=stamp, interval=interval)
    if stamp is None:
        _refuse_midnights(series, seen)
    days = by_day(seen, what="new_levels", most=MOST_DAYS)
    n = len(days.values)
    daily = seen.step_us <= DAY_US
    values = without_weekdays(days.values[None, :], days.dates)[0] if daily else days.values
    table = _table(days, values, _search(values, days.numbers, 0, n))
    table = derived(table, series, "baseline.new_levels", interval_s=None)
    if n < LEAST_DAYS:
        table.attrs["reason"] = f"fewer than {LEAST_DAYS} days: no new level can be told"
    return table


def _refuse_midnights(series: pd.Series | pd.DataFrame, seen: Observed) -> None:
    """Raise if days are stamped at midnights and nothing says which day they mean."""
    if seen.step_us < SHORTEST_DAY_US or is_dated(seen.index):
        return
    if any("stamp" in step for step in history(series)):
        return
    if bool((seen.index == seen.index.normalize()).all()):
        raise ConfigurationError(
            "new_levels: midnights with a zone may open or close their days: pass"
            f" {argument('stamp', 'start')} (as pandas groups days) or {argument('stamp', 'end')}"
            " (as eyelog.resample stamps them), or index the days by date"
        )


def without_weekdays(values: Floats, dates: Ints) -> Floats:
    """Return series (rows) with the same mean on each weekday; unchanged below four weeks."""
    if values.shape[1] < WEEK * WEEKS:
        return values
    weekday = (dates % WEEK)[:, None] == np.arange(WEEK)
    count = np.maximum(weekday.sum(axis=0), 1)
    means = values @ weekday / count
    levelled = values - means @ weekday.T + values.mean(axis=1, keepdims=True)
    return np.asarray(levelled, dtype=np.float64)


def _search(values: Floats, numbers: Ints, first: int, last: int) -> list[_Found]:
    """Return the changes from one place to another, the clearest first."""
    n = last - first
    if n < LEAST_DAYS or np.ptp(values[first:last]) == 0:
        return []
    best: _Found | None = None
    clearest = 1.0
    for shape in SHAPES:
        change = largest(values[None, first:last], numbers[first:last], shape)
        needed = critical(shape, n, LEVEL / len(SHAPES))
        statistic, phi = float(change.statistic[0]), float(change.phi[0])
        if statistic / needed <= clearest:
            continue
        clearest = statistic / needed
        edges = [first + int(place[0]) for place in (change.start, change.end)]
        one_day = float(change.sd[0]) * np.sqrt((1 + phi) / (1 - phi))
        p = min(1.0, len(SHAPES) * noise_p(shape, n, statistic))
        best = _Found(tuple(edge for edge in edges if edge < last), p, needed * one_day)
    if best is None:
        return []
    cuts = [first, *best.edges, last]
    parts = [_search(values, numbers, *cut) for cut in pairwise(cuts)]
    return [best, *(inside for part in parts for inside in part)]


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
