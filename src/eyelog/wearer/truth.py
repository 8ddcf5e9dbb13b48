"""The truth behind a simulated day, hour by hour, within the time that a log recorded."""

from typing import Any, Final

import numpy as np

from eyelog.catalogue import COMPUTED_DATA
from eyelog.wearer import fifteen
from eyelog.wearer.day import SLOTS_PER_MINUTE, Life
from eyelog.wearer.draws import Bools, Draws, Ints, running

__all__ = ["COLUMNS", "hours"]

COLUMNS: Final = (
    "recorded_min", "worn_min", "carried_min", "walking_min", "steps", "pace_spm",
    "blink_rate_per_min", "blink_min", "noise_bouts", "head_moves_pitch", "head_moves_yaw",
    "judged_worn_min", "judged_blink_rate_per_min", "judged_blink_min",
    "total_worn_min", "total_steps",
)  # fmt: skip


def _intervals(day: Life, log: str) -> tuple[Ints, Ints]:
    """Return begins and stamps of the records of `log`, in seconds since midnight."""
    if log == COMPUTED_DATA:
        at, lo = fifteen.intervals(day)
        return lo, at
    lo = np.arange(day.seconds // 60, dtype=np.int64) * 60
    return lo, lo + 60


def _within(day: Life, lo: Ints, hi: Ints) -> Bools:
    """Return for each second whether it lies in one of the intervals."""
    change = np.bincount(lo, minlength=day.seconds + 1)
    change -= np.bincount(hi, minlength=day.seconds + 1)
    return np.asarray(np.cumsum(change[: day.seconds]) > 0)


def _quiet(day: Life, lo: Ints, hi: Ints) -> Bools:
    """Return the seconds of intervals without a step and with noise in less than a fifth."""
    steps, noise = running(day.walking), running(day.noise)
    calm = (steps[hi] == steps[lo]) & (5 * (noise[hi] - noise[lo]) < hi - lo)
    return _within(day, lo[calm], hi[calm])


def _judged(day: Life, log: str, lo: Ints, hi: Ints) -> Bools:
    """Return the seconds of intervals that a reader takes for worn."""
    judged = running(day.judged & day.on)
    found = judged[hi] - judged[lo]
    # isl is false from half of the 15 s on; of a minute the vendor asks for 20 s of wea_s.
    enough = 2 * found >= hi - lo if log == COMPUTED_DATA else found >= 20
    return _within(day, lo[enough], hi[enough])


def hours(day: Life, log: str) -> tuple[Ints, dict[str, Any]]:
    """Return the seconds at which the hours of a day close, and the truth of each."""
    hi = np.minimum(np.arange(-(-day.seconds // 3600)) * 3600 + 3600, day.seconds)
    lo = np.arange(len(hi)) * 3600
    begin, end = _intervals(day, log)
    seen = day.on & _within(day, begin, end)
    worn = day.worn & seen
    walking = worn & day.walking
    quiet = worn & _quiet(day, begin, end)
    still = quiet & ~day.noise
    judged = worn & _judged(day, log, begin, end)
    begins = day.noise & ~np.append(False, day.noise[:-1])

    def total(values: Any) -> Any:
        sums = running(values)
        return (sums[hi] - sums[lo]).astype(np.float64)

    def minutes_of(condition: Bools) -> Any:
        return total(condition) / 60

    def per(amount: Any, exposure: Any) -> Any:
        return np.where(exposure > 0, amount / np.maximum(exposure, 1e-9), np.nan)

    def rate(within: Bools) -> Any:
        cells = total(np.where(within, day.blink_cells, 0))
        return per(Draws.per_minute(cells, SLOTS_PER_MINUTE), total(within))

    return day.begin + hi, {
        "recorded_min": minutes_of(seen),
        "worn_min": minutes_of(worn),
        "carried_min": minutes_of(seen & ~day.worn & day.walking),
        "walking_min": minutes_of(walking),
        "steps": total(np.where(worn, day.steps, 0)),
        "pace_spm": per(total(np.where(walking, day.cadence, 0)), total(walking)),
        "blink_rate_per_min": rate(still),
        "blink_min": minutes_of(still),
        "noise_bouts": total(begins & quiet),
        "head_moves_pitch": total(day.nod & worn),
        "head_moves_yaw": total(day.turn & worn),
        "judged_worn_min": minutes_of(judged),
        "judged_blink_rate_per_min": rate(still & judged),
        "judged_blink_min": minutes_of(still & judged),
        "total_worn_min": minutes_of(day.worn),
        "total_steps": total(np.where(day.worn, day.steps, 0)),
    }
