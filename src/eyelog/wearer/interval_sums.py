"""The array types of the wearer, and sums and intervals over arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Kinds = NDArray[np.uint8]


def running(values: Array) -> Ints:
    """Return running totals with a leading 0, so that a sum is a difference of two of them."""
    totals = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, dtype=np.int64, out=totals[1:])
    return totals


def sums(values: Array, first: Ints, last: Ints) -> Ints:
    """Return the sum of the values in each interval [first, last)."""
    totals = running(values)
    return np.asarray(totals[last] - totals[first])


def covered(first: Ints, last: Ints, n: int) -> Bools:
    """Return for each of `n` places whether it is in one of the intervals [first, last)."""
    change = np.bincount(first, minlength=n + 1) - np.bincount(last, minlength=n + 1)
    return np.asarray(np.cumsum(change[:n]) > 0)


def onsets(condition: Bools) -> Bools:
    """Return where a condition begins to hold."""
    return np.asarray(condition & ~np.append(False, condition[:-1])[: len(condition)])
