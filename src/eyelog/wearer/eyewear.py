"""What both logs of the simulated eyewear share: the blink buffer and the sway."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eyelog.wearer.day import Life
from eyelog.wearer.draws import Bools, Draws, Floats, Ints
from eyelog.wearer.habits import Traits

__all__ = [
    "Column",
    "stale",
]

Column = NDArray[Any]


def stale(value: Floats, fresh: Bools, at: Ints, day: Life, leftover: float) -> Floats:
    """Return `value` where `fresh`, else what the buffer still holds.

    Through the night that is what the last handling left in it.
    """
    known = np.maximum.accumulate(np.where(fresh, np.arange(len(value)), -1))
    held = np.where(known >= 0, value[np.maximum(known, 0)], leftover)
    return np.where((at > day.off) & ~fresh, leftover, held)


def sway(
    d: Draws, cadence: Floats, walks: Bools, who: Traits, *, corrected: bool
) -> dict[str, Column]:
    """Return sway of the head and landing impact for each foot; 0 where nothing was walked."""
    n = len(cadence)
    fast = cadence / who.cadence
    axes = (("sa_x", 1.9, 0), ("sa_y", 2.6, 1), ("sa_z", 3.4, 2))
    found: dict[str, Column] = {}
    for name, size, axis in axes:
        common = size * who.sway * fast * (1.0 + 0.10 * d.bell(n))
        for foot, share in (("r", 0.5), ("l", -0.5)):
            uneven = 1.0 + share * (who.asymmetry[axis] - 1.0) + 0.04 * d.bell(n)
            found[name + foot] = np.where(walks, np.round(common * uneven, 2), 0.0)
    if corrected:
        for foot in "rl":
            found[f"sa_z{foot}c"] = np.round(1.08 * found[f"sa_z{foot}"], 2)
    impact = 0.55 * fast * fast * (1.0 + 0.08 * d.bell(n))
    for foot, share in (("r", 0.5), ("l", -0.5)):
        uneven = 1.0 + share * (who.asymmetry[3] - 1.0) + 0.05 * d.bell(n)
        found[f"st_{foot}"] = np.where(walks, np.round(impact * uneven, 2), 0.0)
    return found
