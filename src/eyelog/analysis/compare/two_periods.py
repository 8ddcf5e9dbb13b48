"""Two periods of one person: how much the values of the second differ from those of the first."""

from math import comb
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eyelog.analysis.results import shown
from eyelog.analysis.series.arrays import Floats
from eyelog.analysis.series.bootstrap import check_draws, interval, multiplicities
from eyelog.analysis.series.observed import (
    Observed,
    local_dates,
    observed,
    one_log,
)
from eyelog.errors import ConfigurationError

__all__ = ["TwoPeriods", "two_periods"]


MISSING: Final = float("nan")
MOST_PAIRS: Final = 250_000
MOST_EXACT: Final = 50
LEAST_VALUES: Final = 3
LEAST_BLOCKS: Final = 5
LEVEL: Final = 0.95


@shown("Difference of two periods", difference=("low", "high"), block=("block_low", "block_high"))
class TwoPeriods(NamedTuple):
    """The usual difference of two periods, with an interval in two ways."""

    difference: float
    low: float
    high: float
    block_low: float
    block_high: float
    p: float
    n_before: int
    n_after: int
    days_before: int
    days_after: int
    exposure_h: float
    coverage: float
    reason: str


def two_periods(
    before: pd.Series | pd.DataFrame,
    after: pd.Series | pd.DataFrame,
    *,
    column: str | None = None,
    block_days: int = 1,
    draws: int = 1000,
    seed: int = 0,
    stamp: str | None = None,
    interval: str | None = None,
    exposure: pd.Series | None = None,
) -> TwoPeriods:
    """Return by how much the values of one period lie above those of an earlier one.

    Parameters
    ----------
    before, after : Series or DataFrame
        The same quantity of one person in two periods: numbers by date or with aware stamps, or two
        tables that have them as a column, usually days of `eyelog.daily`. At most 250,000 pairs of
        values: summarise records per day first.
    column : str, optional
        The column, if `before` and `after` are tables.
    block_days : int
        How many consecutive local days stay together in the block bootstrap: 1 respects the
        dependence within a day, 7 within a week as well.
    draws : int
        How many times the blocks are drawn, at least 100.
    seed : int
        Seed of the random generator: the same seed gives the same interval.
    stamp, interval : optional
        As in `eyelog.rhythm.most_active`; an interval belongs to the local day in which it opens.
    exposure : Series, optional
        The hours that each row of both periods is based on, indexed as they are. Default: as in
        `eyelog.rhythm.most_active`.

    Returns
    -------
    TwoPeriods
        In the unit of the series: ``difference`` (Hodges-Lehmann: the median of all differences
        after less before), its 95 % interval ``low`` and ``high`` if all values were independent,
        and ``block_low`` and ``block_high`` from blocks of days. Then ``p`` (Mann-Whitney, two
        sides), ``n_before``, ``n_after`` (values), ``days_before``, ``days_after``, ``exposure_h``
        and ``coverage`` (of both periods together; for daily tables the hours worn and the mean of
        the days' coverage, for Series by day missing and the share of days with a value) and
        ``reason`` if something is missing: everything if a period has fewer than three values,
        ``low`` and ``high`` if even the range of all differences falls short of 95 % (three values
        with three or four).

    Raises
    ------
    ConfigurationError
        If there are too many values, the stamps are not in order, the values hold the invalid value
        of a field, or an argument cannot be used.
    MixedLogsError
        If the two are of different logs.

    Notes
    -----
    Hodges & Lehmann (1963, Annals of Mathematical Statistics 34:598). The interval inverts the
    Mann-Whitney test (Hollander & Wolfe 1973): exactly if both periods have fewer than 50 values,
    by the normal approximation otherwise; equal values are treated like others, so that another
    zero of the scale only shifts the interval. For n and m independent values the widest interval
    contains the true difference with a probability of 1 - 2 / C(n + m, n); an interval is given if
    that is 95 % or more, and then contains it in at least 95 of 100 cases. It is too narrow if
    neighbouring days are alike. The block bootstrap draws non-overlapping blocks of days within
    each period (Carlstein 1986, Annals of Statistics 14:1171) and takes percentiles; it needs five
    blocks in each. For independent normal values and one-day blocks it contains the difference in
    89 of 100 cases with five blocks in each period, in 93 with ten and in 94 with twenty. A
    difference between two periods of one person is not the effect of what lies between: season,
    work and wear change too.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=10, freq="D", name="day")
    >>> steps = pd.Series([4, 5, 6, 5, 4, 8, 9, 7, 8, 9.0], index=days)
    >>> result = el.compare.two_periods(steps[:5], steps[5:])
    >>> result.difference, result.low > 0
    (3.0, True)
    """
    check_draws(draws, seed)
    if not isinstance(block_days, int | np.integer) or block_days < 1:
        raise ConfigurationError(
            f"block_days must be a whole number of at least 1, not {block_days!r}"
        )
    one_log(before, after, what="two_periods")
    if exposure is not None and not isinstance(exposure, pd.Series):
        raise ConfigurationError("two_periods: exposure must be a Series of hours for both periods")
    first, second = (
        observed(
            period,
            column,
            what="two_periods",
            stamp=stamp,
            interval=interval,
            exposure=exposure,
        )
        for period in (before, after)
    )
    if first.n * second.n > MOST_PAIRS:
        raise ConfigurationError(
            f"two_periods takes at most {MOST_PAIRS} pairs of values, not {first.n} by {second.n}:"
            " summarise per day first (eyelog.daily)"
        )
    short = min(first.n, second.n) < LEAST_VALUES
    fewer = "before" if first.n < second.n else "after"
    nothing = TwoPeriods(
        difference=MISSING,
        low=MISSING,
        high=MISSING,
        block_low=MISSING,
        block_high=MISSING,
        p=MISSING,
        n_before=first.n,
        n_after=second.n,
        days_before=len(np.unique(local_dates(first.opens))),
        days_after=len(np.unique(local_dates(second.opens))),
        exposure_h=first.exposure_h + second.exposure_h,
        coverage=_coverage(first, second),
        reason=f"fewer than {LEAST_VALUES} values {fewer}" if short else "",
    )
    if short:
        return nothing
    differences = (second.values[None, :] - first.values[:, None]).ravel()
    order = np.argsort(differences, kind="stable")
    p = scipy.stats.mannwhitneyu(second.values, first.values, alternative="two-sided").pvalue
    reasons = []
    low = high = block_low = block_high = MISSING
    reached = 1 - 2 / comb(first.n + second.n, first.n)
    if reached < LEVEL:
        reasons.append(
            f"{first.n} and {second.n} values reach {reached:.0%} at most: no 95 % interval"
        )
    else:
        low, high = _moses(differences[order], first.n, second.n)
    blocks = [_blocks(seen, block_days) for seen in (first, second)]
    if min(int(b.max()) + 1 for b in blocks) < LEAST_BLOCKS:
        reasons.append(f"fewer than {LEAST_BLOCKS} blocks of days in a period: no block interval")
    else:
        block_low, block_high = _bootstrap(differences, order, blocks, draws, seed)
    return nothing._replace(
        difference=float(np.median(differences)),
        low=low,
        high=high,
        block_low=block_low,
        block_high=block_high,
        p=float(p),
        reason="; ".join(reasons),
    )


def _coverage(first: Observed, second: Observed) -> float:
    """Return the share of the time of both periods that has values."""
    whole = first.span + second.span
    covered = first.coverage * first.span + second.coverage * second.span
    return covered / whole if whole else 0.0


def _blocks(seen: Observed, length: int) -> npt.NDArray[np.int64]:
    """Return the block of days of each value, counted from the first day, empty ones left out."""
    days = local_dates(seen.opens)
    return np.unique((days - days[0]) // length, return_inverse=True)[1].astype(np.int64)


def _moses(ordered: Floats, n: int, m: int) -> tuple[float, float]:
    """Return the interval of the shift that inverts the Mann-Whitney test."""
    pairs = n * m
    if max(n, m) < MOST_EXACT:
        cumulated = np.cumsum(_ranks_sums(n, m))
        rank = int(np.searchsorted(cumulated, 0.025 * (1 - 1e-12)))  # P(U <= rank) >= 2.5 %
    else:
        sd = np.sqrt(pairs * (n + m + 1) / 12.0)
        rank = int(np.floor(pairs / 2.0 - scipy.stats.norm.ppf(0.975) * sd))
    rank = min(max(rank, 1), pairs // 2 + 1)
    return float(ordered[rank - 1]), float(ordered[pairs - rank])


def _ranks_sums(n: int, m: int) -> Floats:
    """Return P(U = u) of the Mann-Whitney statistic without ties (Mann & Whitney 1947)."""
    # p(n, m)(u) = n / (n + m) p(n - 1, m)(u - m) + m / (n + m) p(n, m - 1)(u), row by row.
    row = [np.ones(1)] * (m + 1)  # no value before: U is 0
    for i in range(1, n + 1):
        new = [np.ones(1)]
        for j in range(1, m + 1):
            chance = np.zeros(i * j + 1)
            chance[j:] += i / (i + j) * row[j]
            chance[: i * (j - 1) + 1] += j / (i + j) * new[j - 1]
            new.append(chance)
        row = new
    return row[m]


def _bootstrap(
    differences: Floats,
    order: npt.NDArray[np.intp],
    blocks: list[npt.NDArray[np.int64]],
    draws: int,
    seed: int,
) -> tuple[float, float]:
    """Return the interval from blocks drawn within each period."""
    ordered = differences[order]
    rows, columns = np.divmod(order, len(blocks[1]))
    of_first, of_second = blocks[0][rows], blocks[1][columns]
    counts = [int(block.max()) + 1 for block in blocks]
    drawn = [np.concatenate(list(multiplicities(n, draws, seed + i))) for i, n in enumerate(counts)]
    medians = []
    for before, after in zip(*drawn, strict=True):
        # How often each pair comes up; the median of them all, as if written out.
        weight = before[of_first] * after[of_second]
        through = np.cumsum(weight)
        half = through[-1] / 2.0
        below = ordered[np.searchsorted(through, half, side="left")]
        above = ordered[np.searchsorted(through, half, side="right")]
        medians.append((below + above) / 2.0)
    low, high = interval(np.array(medians)[:, None])
    return float(low[0]), float(high[0])
