"""The truth behind a simulated day, hour by hour, for the time that a log recorded."""

from typing import Final

import numpy as np

from eyelog.catalogue import log_named
from eyelog.wearer import fifteen
from eyelog.wearer.draws import Draws
from eyelog.wearer.interval_sums import Array, Bools, Floats, Ints, covered, onsets, sums
from eyelog.wearer.simulated_day import SLOTS_PER_MINUTE, Life

COLUMNS: Final = (
    "recorded_min", "worn_min", "carried_min", "walking_min", "steps", "pace_spm",
    "blink_rate_per_min", "blink_min", "noise_bouts", "head_moves_pitch", "head_moves_yaw",
    "judged_worn_min", "judged_blink_rate_per_min", "judged_blink_min",
    "total_worn_min", "total_steps",
)  # fmt: skip


def _intervals(day: Life, log: str) -> tuple[Ints, Ints]:
    """Return the beginnings and the stamps of the records of `log`, in seconds since midnight."""
    if not log_named(log).states_seconds:  # its records follow the connections of the phone
        at, lo = fifteen.intervals(day)
        return lo, at
    lo = np.arange(day.seconds // 60, dtype=np.int64) * 60
    return lo, lo + 60


def _quiet(day: Life, lo: Ints, hi: Ints) -> Bools:
    """Return the seconds in intervals without a step and with noise in less than a fifth."""
    calm = (sums(day.walking, lo, hi) == 0) & (5 * sums(day.noise, lo, hi) < hi - lo)
    return covered(lo[calm], hi[calm], day.seconds)


def _judged(day: Life, log: str, lo: Ints, hi: Ints) -> Bools:
    """Return the seconds in intervals that count as worn by the records alone."""
    judged_s = sums(day.judged & day.on, lo, hi)
    # isl is false from half of the 15 s on; the vendor requires 20 s of wea_s per minute.
    enough = judged_s >= 20 if log_named(log).states_seconds else 2 * judged_s >= hi - lo
    return covered(lo[enough], hi[enough], day.seconds)


def hours(day: Life, log: str) -> tuple[Ints, dict[str, Floats]]:
    """Return the UTC seconds at which the hours of a day open, and the truth of each hour."""
    hi = np.minimum(np.arange(-(-day.seconds // 3600)) * 3600 + 3600, day.seconds)
    lo = np.arange(len(hi)) * 3600
    begin, end = _intervals(day, log)
    recorded = day.on & covered(begin, end, day.seconds)
    worn = day.worn & recorded
    walking = worn & day.walking
    quiet = worn & _quiet(day, begin, end)
    still = quiet & ~day.noise
    judged = worn & _judged(day, log, begin, end)

    def total(values: Array) -> Floats:
        return sums(values, lo, hi).astype(np.float64)

    def minutes_of(condition: Bools) -> Floats:
        return total(condition) / 60

    def per(amount: Floats, exposure: Floats) -> Floats:
        return np.where(exposure > 0, amount / np.maximum(exposure, 1e-9), np.nan)

    def rate(within: Bools) -> Floats:
        cells = sums(np.where(within, day.blink_cells, 0), lo, hi)
        return per(Draws.per_minute(cells, SLOTS_PER_MINUTE), total(within))

    return day.begin + lo, {
        "recorded_min": minutes_of(recorded),
        "worn_min": minutes_of(worn),
        "carried_min": minutes_of(recorded & ~day.worn & day.walking),
        "walking_min": minutes_of(walking),
        "steps": total(np.where(worn, day.steps, 0)),
        "pace_spm": per(total(np.where(walking, day.cadence, 0)), total(walking)),
        "blink_rate_per_min": rate(still),
        "blink_min": minutes_of(still),
        "noise_bouts": total(onsets(day.noise) & quiet),
        "head_moves_pitch": total(day.nod & worn),
        "head_moves_yaw": total(day.turn & worn),
        "judged_worn_min": minutes_of(judged),
        "judged_blink_rate_per_min": rate(still & judged),
        "judged_blink_min": minutes_of(still & judged),
        "total_worn_min": minutes_of(day.worn),
        "total_steps": total(np.where(day.worn, day.steps, 0)),
    }
