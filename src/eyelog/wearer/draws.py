"""Draws that are the same on every machine and with every version of numpy.

numpy promises that the raw 64-bit stream of `PCG64` never changes, but not that its distributions
keep to it. So only raw words are taken here, and turned into numbers by whole-number steps and
single IEEE operations: no logarithm or sine, whose last digit differs between machines.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Draws", "Floats", "Ints", "bouts", "running", "wander"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CELLS = 65536  # a chance is held in cells of 1/65536


class Draws:
    """A stream of draws of its own for each key (seed, purpose, day)."""

    def __init__(self, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(key))

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

        The sum of four uniform numbers; its sum is taken in whole numbers, so it is exact.
        """
        words = self._small(4 * n).astype(np.int64).reshape(n, 4).sum(axis=1)
        # Four uniforms on 0..65535 have the mean 131070 and the SD 65536/sqrt(3) = 37837.
        return np.asarray((words - 131070) / 37837.0, dtype=np.float64)

    def happen(self, per_cell: Ints, repeat: int = 1) -> Bools:
        """Return for each chance (in cells of 1/65536) whether it came true, `repeat` times."""
        chances = np.repeat(per_cell, repeat) if repeat > 1 else per_cell
        return np.asarray(self._small(len(chances)) < chances)

    @staticmethod
    def cells(per_minute: Floats, slots_per_minute: int = 60) -> Ints:
        """Return rates per minute as chances per slot, in cells of 1/65536."""
        return np.rint(per_minute * (_CELLS / slots_per_minute)).astype(np.int64)

    @staticmethod
    def per_minute(cells: Ints, slots_per_minute: int = 60) -> Floats:
        """Return the rates per minute that `cells` stand for exactly."""
        return np.asarray(cells * (slots_per_minute / _CELLS), dtype=np.float64)


def running(values: NDArray[Any]) -> Ints:
    """Return running totals with a leading 0, so that a window is a difference of two of them."""
    totals = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, dtype=np.int64, out=totals[1:])
    return totals


def bouts(draws: Draws, onsets: Ints, shortest: Ints | int, longest: Ints | int) -> Bools:
    """Return for each second whether it lies in a bout.

    `onsets` are the chances of an onset in each second, in cells; `shortest` and `longest` are
    seconds, of the second in which the bout begins.
    """
    n = len(onsets)
    onset = np.flatnonzero(draws.happen(onsets))
    low, high = (np.broadcast_to(np.asarray(each), n)[onset] for each in (shortest, longest))
    length = low + ((draws.wholes(0, 65535, len(onset)) * (high - low + 1)) >> 16)
    change = np.bincount(onset, minlength=n + 1)
    change -= np.bincount(np.minimum(onset + length, n), minlength=n + 1)
    return np.asarray(np.cumsum(change[:n]) > 0)


def wander(draws: Draws, n: int, every: int) -> Floats:
    """Return `n` slowly changing numbers: knots each `every`, straight lines between."""
    knots = draws.bell(n // every + 2)
    place = np.arange(n)
    at, share = place // every, (place % every) / every
    return np.asarray(knots[at] * (1.0 - share) + knots[at + 1] * share)
