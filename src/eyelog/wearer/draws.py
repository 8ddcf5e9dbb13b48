"""Random draws that are the same on every machine and with every version of numpy.

numpy promises that the raw 64-bit stream of `PCG64` never changes, but does not promise the same
of its distributions. So only raw words are used here, and turned into numbers by integer steps and
single IEEE operations: no logarithm and no sine, whose last digit differs between machines.
"""

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CELLS = 65536  # chances are multiples of 1/65536, called cells


class Stream(IntEnum):
    """The purpose of a stream of draws; each purpose has its own stream."""

    TRAITS = 0
    WEEK = 1
    NIGHT = 2
    PLAN = 3
    LIFE = 4
    FIFTEEN = 5
    SIXTY = 6
    TWENTY = 7


class Draws:
    """The draws of one stream of one wearer, for the day or week that `number` gives, if any."""

    def __init__(self, seed: int, stream: Stream, *number: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence((seed, int(stream), *number)))

    def _small(self, n: int) -> NDArray[np.uint16]:
        """Return `n` 16-bit words, four from each raw word, low bits first."""
        raw: Any = self._bits.random_raw(-(-n // 4))
        return np.asarray(raw, dtype="<u8").view("<u2")[:n]

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from `low` up to and including `high`."""
        return low + int(self._bits.random_raw()) % (high - low + 1)

    def chance(self, percent: int) -> bool:
        """Return True in `percent` of 100 draws."""
        return self.whole(0, 99) < percent

    def wholes(self, low: int, high: int, n: int) -> Ints:
        """Return `n` whole numbers from `low` up to and including `high` (a range below 65536)."""
        return low + ((self._small(n).astype(np.int64) * (high - low + 1)) >> 16)

    def bell(self, n: int) -> Floats:
        """Return `n` bell-shaped numbers: mean 0, SD 1, never beyond 3.47.

        Each is the sum of four uniform whole numbers, so the sum is exact.
        """
        words = self._small(4 * n).astype(np.int64).reshape(n, 4).sum(axis=1)
        # Four uniforms on 0..65535 have the mean 131070 and the SD 65536/sqrt(3) = 37837.
        return np.asarray((words - 131070) / 37837.0, dtype=np.float64)

    def happen(self, cells: Ints, repeat: int = 1) -> Bools:
        """Return, for each chance (in cells), whether the event occurs, `repeat` times in a row."""
        chances = np.repeat(cells, repeat) if repeat > 1 else cells
        return np.asarray(self._small(len(chances)) < chances)

    @staticmethod
    def cells(per_minute: Floats, slots_per_minute: int = 60) -> Ints:
        """Return rates per minute as chances per slot, in cells."""
        return np.rint(per_minute * (_CELLS / slots_per_minute)).astype(np.int64)

    @staticmethod
    def per_minute(cells: Ints, slots_per_minute: int = 60) -> Floats:
        """Return the exact rates per minute of chances per slot in cells."""
        return np.asarray(cells * (slots_per_minute / _CELLS), dtype=np.float64)


def bouts(draws: Draws, cells: Ints, shortest: Ints | int, longest: Ints | int) -> Bools:
    """Return for each second whether it is in a bout.

    `cells` are the chances that a bout begins, second by second; `shortest` and `longest` are its
    limits in seconds, for a bout that begins in that second.
    """
    n = len(cells)
    first = np.flatnonzero(draws.happen(cells))
    low, high = (np.broadcast_to(np.asarray(limit), n)[first] for limit in (shortest, longest))
    length = low + ((draws.wholes(0, 65535, len(first)) * (high - low + 1)) >> 16)
    return covered(first, np.minimum(first + length, n), n)


def wander(draws: Draws, n: int, every: int) -> Floats:
    """Return `n` slowly changing numbers: one knot per `every`, straight lines in between."""
    knots = draws.bell(n // every + 2)
    place = np.arange(n)
    knot, share = place // every, (place % every) / every
    return np.asarray(knots[knot] * (1.0 - share) + knots[knot + 1] * share)


# Sums and intervals over arrays


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
