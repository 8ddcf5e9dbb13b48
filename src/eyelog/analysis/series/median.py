"""The median of a sample, with an interval that assumes no shape."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
import scipy

from eyelog.analysis.series.arrays import Floats

__all__ = ["LEAST_FOR_INTERVAL", "Median", "median"]

LEVEL: Final = 0.95
LEAST_FOR_INTERVAL: Final = 6  # five values are on both sides of the median in 93.75 % of samples


class Median(NamedTuple):
    """A median with its 95 % interval, missing if there are too few values for that level."""

    value: float
    low: float
    high: float
    n: int


def median(values: Floats) -> Median:
    """Return the median of the observed values, with its 95 % interval.

    The ends of the interval are two of the values themselves: the k-th smallest and the k-th
    largest, where k is the largest number for which the binomial chance that the true median lies
    between them is 95 % or more (Thompson 1936, Annals of Mathematical Statistics 7:122). It is
    valid for independent values of any single distribution, and needs at least six of them.
    """
    x = np.sort(values[np.isfinite(values)])
    n = len(x)
    if not n:
        return Median(np.nan, np.nan, np.nan, 0)
    if n < LEAST_FOR_INTERVAL:
        return Median(float(np.median(x)), np.nan, np.nan, n)
    k = _rank(n)
    return Median(float(np.median(x)), float(x[k - 1]), float(x[n - k]), n)


@cache
def _rank(n: int) -> int:
    """Return the rank of the values, from either end, between which the interval lies."""
    # P(at most k - 1 of n values lie below the median) must not exceed 2.5 % on either side.
    # scipy.stats has the binomial distribution too, but takes most of a second to import.
    at_most = scipy.special.bdtr(np.arange(n + 1), n, 0.5)
    return int(np.searchsorted(at_most, (1 - LEVEL) / 2, side="right"))
