"""Intervals that invert a rank test, and p by the very same test, so that the two never contradict.

The difference of two samples (Mann-Whitney) and the slope of a line (Kendall) are the median of all
pairwise differences or slopes. The number of them below the true value has a known distribution,
whatever that of the values. scipy.stats has both tests and both estimates, but its p and its
interval come from different approximations, so one can say no where the other says yes.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import scipy

from eyelog.analysis.series.arrays import Floats

__all__ = ["PairLaw", "pair_interval", "pair_p", "pairs_tell", "slopes_law", "two_samples_law"]

HALF_LEVEL: Final = 0.025
MOST_EXACT: Final = 50


class PairLaw(NamedTuple):
    """How many of all pairs lie below the true value: exactly, or as a normal distribution."""

    pairs: int
    cumulated: Floats | None
    sd: float

    def tail(self, count: int) -> float:
        """Return the probability of at most `count` pairs."""
        if self.cumulated is not None:
            return float(self.cumulated[min(count, self.pairs)]) if count >= 0 else 0.0
        # The step of a whole pair makes the approximation err on the side of caution.
        return float(scipy.special.ndtr((count + 1 - self.pairs / 2.0) / self.sd))

    def rank(self) -> int:
        """Return the least count whose tail is 2.5 % or more."""
        if self.cumulated is not None:
            return int(np.searchsorted(self.cumulated, HALF_LEVEL * (1 - 1e-12)))
        far = self.pairs / 2.0 + float(scipy.special.ndtri(HALF_LEVEL)) * self.sd - 1.0
        return max(int(np.ceil(far)), 0)


@lru_cache(maxsize=64)
def two_samples_law(n: int, m: int) -> PairLaw:
    """Return the law of the n times m differences of two samples (Mann & Whitney 1947)."""
    pairs = n * m
    if max(n, m) >= MOST_EXACT:
        return PairLaw(pairs, None, float(np.sqrt(pairs * (n + m + 1) / 12.0)))
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
    return PairLaw(pairs, np.cumsum(row[m]), float("nan"))


@lru_cache(maxsize=64)
def slopes_law(n: int) -> PairLaw:
    """Return the law of the n (n - 1) / 2 slopes between n values (Kendall 1938)."""
    pairs = n * (n - 1) // 2
    if n >= MOST_EXACT:
        return PairLaw(pairs, None, float(np.sqrt(n * (n - 1) * (2 * n + 5) / 72.0)))
    chance = np.ones(1)
    for i in range(2, n + 1):  # the i-th value is below 0 to i - 1 of the earlier ones
        chance = np.convolve(chance, np.full(i, 1.0 / i))
    return PairLaw(pairs, np.cumsum(chance), float("nan"))


def pair_interval(ordered: Floats, law: PairLaw) -> tuple[float, float]:
    """Return the 95 % interval: two of all pairwise differences or slopes, in order."""
    rank = law.rank()
    rank = min(max(rank, 1), law.pairs // 2 + 1)
    return float(ordered[rank - 1]), float(ordered[law.pairs - rank])


def pair_p(ordered: Floats, law: PairLaw, value: float) -> float:
    """Return two-sided p of the true difference or slope being `value`.

    It is below 5 % if, and only if, the value lies outside `pair_interval`. Pairs equal to the
    value count on either side, which errs on the side of caution.
    """
    below = int(np.searchsorted(ordered, value, side="right"))
    above = law.pairs - int(np.searchsorted(ordered, value, side="left"))
    return min(1.0, 2.0 * law.tail(min(below, above)))


def pairs_tell(ordered: Floats, law: PairLaw, factor: float) -> tuple[float, float, float]:
    """Return the 95 % interval and p of no difference, where days are alike.

    Parameters
    ----------
    ordered : array of float64
        All pairwise differences or slopes, in order.
    law : PairLaw
        Their law for independent days.
    factor : float
        How much wider the interval has to be than for independent days, at least 1.

    Returns
    -------
    tuple of float
        ``low``, ``high`` and ``p``. The interval is that of independent days, widened about the
        median of all pairs; p is that of the value that the widening moves to 0.
    """
    middle = float(np.median(ordered))
    low, high = pair_interval(ordered, law)
    p = pair_p(ordered, law, middle * (1.0 - 1.0 / factor))
    return middle - factor * (middle - low), middle + factor * (high - middle), p
