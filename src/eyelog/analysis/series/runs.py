"""Runs: stretches in which a condition holds without a break. The one definition of a gap."""

from typing import Any, Final

import numpy as np

from eyelog.analysis.series.arrays import Bools, Floats, Ints

# How late a row may be and still follow the one before, in lengths of a row. With one missing
# record neighbours are two lengths apart, with none they are one apart; halfway leaves either case
# half a length for stamps that are rounded or drift.
LATEST: Final = 1.5
# Packets of a twentieth of a second are stamped when they arrive, unevenly: one that is held back
# by up to this time still follows.
HELD_BACK_US: Final = 1_000_000


def latest_us(step_us: float | Floats) -> Any:
    """Return the longest distance between two rows of the given length that follow one another."""
    return np.maximum(LATEST * step_us, HELD_BACK_US)


def follows(us: Ints, step_us: float | Floats) -> Bools:
    """Return, for each row but the first, whether it follows the one before without a gap.

    Parameters
    ----------
    us : array of int64
        Sorted stamps in microseconds.
    step_us : float or array
        Length of one row, or of each row.
    """
    own = step_us[1:] if isinstance(step_us, np.ndarray) else step_us
    return np.asarray(np.diff(us) <= latest_us(own), dtype=np.bool_)


def runs(holds: Bools, us: Ints, step_us: float | Floats) -> tuple[Ints, Ints]:
    """Return the first and the last row of each run in which a condition holds.

    A run ends where the condition does not hold or is missing, and at a gap in the stamps: whether
    it held while nothing was recorded is unknown.

    Parameters
    ----------
    holds : array of bool
        Whether the condition holds in each row.
    us : array of int64
        Sorted stamps in microseconds.
    step_us : float or array
        Length of one row, or of each row.
    """
    goes_on = np.zeros(len(holds) + 1, dtype=bool)
    goes_on[1:-1] = holds[1:] & holds[:-1] & follows(us, step_us)
    return np.flatnonzero(holds & ~goes_on[:-1]), np.flatnonzero(holds & ~goes_on[1:])
