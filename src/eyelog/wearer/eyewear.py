"""Shared by both logs of the simulated eyewear: statistics of blinks and gaps, and the sway."""

import numpy as np

from eyelog.wearer.draws import Draws
from eyelog.wearer.habits import Traits
from eyelog.wearer.interval_sums import Array, Bools, Floats, Ints
from eyelog.wearer.simulated_day import Blinks, Life


def blink_gaps(blinks: Blinks, interruptions: Ints, longest: int) -> tuple[Ints, Bools]:
    """Return the gap before each blink in tenths of a second, and whether it counts.

    A gap does not count if it is longer than `longest` or contains an interruption;
    `interruptions` are running totals over the seconds of the day.
    """
    second = (blinks.at - 1) // 10
    gap = np.diff(blinks.at, prepend=-10_000)
    unbroken = interruptions[second[1:] + 1] == interruptions[second[:-1]]
    return gap, np.append(False, unbroken)[: len(gap)] & (gap <= longest)


def mean_sd(total: Ints, square: Ints, count: Ints) -> tuple[Floats, Floats]:
    """Return mean and SD from sums, sums of squares and counts; 0 if nothing was counted.

    All numbers are whole up to the one root, so the digits are the same on every machine.
    """
    n = np.maximum(count, 1)
    return total / n, np.sqrt((n * square - total * total) / (n * n))


def stale(value: Floats, fresh: Bools, at: Ints, day: Life, leftover: float) -> Floats:
    """Return `value` if it is fresh, otherwise the last fresh value, which the buffer keeps.

    Before the first fresh value, and through the night, the buffer holds `leftover`, which remains
    from the last handling.
    """
    last = np.maximum.accumulate(np.where(fresh, np.arange(len(value)), -1))
    kept = np.where(last >= 0, value[np.maximum(last, 0)], leftover)
    return np.where((at > day.off) & ~fresh, leftover, kept)


def sway(
    d: Draws, cadence: Floats, walks: Bools, who: Traits, *, corrected: bool
) -> dict[str, Array]:
    """Return sway of the head and landing impact for each foot; 0 without walking.

    With `corrected`, also the corrected vertical sway, which only the 15-second log has.
    """
    n = len(cadence)
    pace = cadence / who.cadence
    fields: dict[str, Array] = {}
    for name, size, axis in (("sa_x", 1.9, 0), ("sa_y", 2.6, 1), ("sa_z", 3.4, 2)):
        common = size * who.sway * pace * (1.0 + 0.10 * d.bell(n))
        for foot, share in (("r", 0.5), ("l", -0.5)):
            uneven = 1.0 + share * (who.asymmetry[axis] - 1.0) + 0.04 * d.bell(n)
            fields[name + foot] = np.where(walks, np.round(common * uneven, 2), 0.0)
    if corrected:
        for foot in "rl":
            fields[f"sa_z{foot}c"] = np.round(1.08 * fields[f"sa_z{foot}"], 2)
    impact = 0.55 * pace * pace * (1.0 + 0.08 * d.bell(n))
    for foot, share in (("r", 0.5), ("l", -0.5)):
        uneven = 1.0 + share * (who.asymmetry[3] - 1.0) + 0.05 * d.bell(n)
        fields[f"st_{foot}"] = np.where(walks, np.round(impact * uneven, 2), 0.0)
    return fields
