"""The 60-second log of a simulated day: what the eyewear itself computes, phone or no phone."""

from typing import Final

import numpy as np

from eyelog.wearer.day import Life
from eyelog.wearer.draws import Draws, Floats, Ints, running
from eyelog.wearer.eyewear import Column, stale, sway
from eyelog.wearer.habits import KINDS, Traits

__all__ = ["values"]

MINUTES: Final = 6  # purpose of the stream of draws
CLASSES: Final = {"stp_fst": 370, "stp_mid": 440, "stp_slw": 590, "stp_vsl": 1000}  # longest, ms
LONGEST_GAP: Final = 512  # tenths of a second


def _per_minute(values: Column, lo: Ints, hi: Ints) -> Ints:
    totals = running(values)
    return np.asarray(totals[hi] - totals[lo])


def _steps(day: Life, lo: Ints, hi: Ints) -> dict[str, Ints]:
    """Return steps by how long each took."""
    counted = np.where(day.on, day.steps, 0)
    # Lengths of a step come in tens of milliseconds.
    length = np.where(day.cadence > 0, 6000 // np.maximum(day.cadence, 1) * 10, 0)
    found, shorter = {}, 0
    for name, longest in CLASSES.items():
        inside = (length > shorter) & (length <= longest)
        found[name] = _per_minute(np.where(inside, counted, 0), lo, hi)
        shorter = longest
    return found


def _slots(values: Floats, minutes: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the four 15-second values of each minute."""
    padded = np.append(values, np.repeat(values[-1:], 4))[: 4 * minutes].reshape(minutes, 4)
    return padded[:, 0], padded[:, 1], padded[:, 2], padded[:, 3]


def _tilt(values: Floats, minutes: int) -> tuple[Floats, Floats]:
    """Return mean and spread over the minute, each sum in a fixed order."""
    a, b, c, e = _slots(values, minutes)
    mean = ((a + b) + (c + e)) / 4
    spread = ((a - mean) ** 2 + (b - mean) ** 2) + ((c - mean) ** 2 + (e - mean) ** 2)
    return mean, spread / 4


def _blinks(day: Life, lo: Ints, hi: Ints, *, strict: bool, prefix: str) -> dict[str, Column]:
    """Return blink statistics under one cleansing.

    Strict cleansing leaves out blinks within 3 seconds after noise or a step, and weak ones.
    """
    events = day.blinks
    second = (events.at - 1) // 10
    broken = day.noise | ~day.on | ~day.worn
    if strict:
        broken = broken | day.walking
    totals = running(broken)
    keep = (events.strength >= 25) & (events.width >= 70)
    if strict:
        calm = totals[second + 1] == totals[np.maximum(second - 3, 0)]
        keep = calm & (events.strength >= 35) & (events.strength <= 250) & (events.width >= 90)
    at = events.at[keep]
    strength, width, npt = events.strength[keep], events.width[keep], events.npt[keep]
    # A gap runs between blinks of any size: leaving weak ones out must not make gaps longer.
    gap_all = np.diff(events.at, prepend=-10_000)
    whole = np.append(False, totals[second[1:] + 1] == totals[second[:-1]])[: len(gap_all)]
    usable = whole & (gap_all <= LONGEST_GAP)
    first, last = np.searchsorted(at, 10 * lo, "right"), np.searchsorted(at, 10 * hi, "right")
    gap_first, gap_last = (np.searchsorted(events.at, 10 * t, "right") for t in (lo, hi))

    def total(values: Ints) -> Ints:
        sums = running(values)
        return np.asarray(sums[last] - sums[first])

    count = last - first
    n = np.maximum(count, 1)
    some = count > 0

    def mean(values: Ints) -> Floats:
        return np.asarray(total(values) / n)

    def spread(values: Ints) -> Floats:
        whole_part = n * total(values * values) - total(values) ** 2
        return np.asarray(np.minimum(np.sqrt(whole_part / (n * n)), 51.2))

    gaps = running(usable)
    gap_n = gaps[gap_last] - gaps[gap_first]
    squares = running(np.where(usable, gap_all * gap_all, 0))
    # Root mean square, as firmware 2.2.0 and later.
    rms = np.sqrt((squares[gap_last] - squares[gap_first]) / np.maximum(gap_n, 1)) / 10
    # A burst is a run of blinks each less than a second after the one before; it starts where
    # the gap before is longer.
    near = np.append(np.diff(at) < 10, False)[: len(at)]
    starts = near & ~np.append(False, near[:-1])[: len(at)]
    left = day.plan.before.leftover
    known = {
        "npt_av": (np.clip(np.round(mean(npt) / 1000, 3), -0.256, 0.256), left[2] / 1000, some),
        "bkw_av": (np.clip(np.round(mean(width)), 50, 306), float(left[1]), some),
        "bkw_sd": (np.round(spread(width), 1), 12.0, some),
        "bkh_av": (np.round(mean(strength)), float(left[0]), some),
        "bkh_sd": (np.round(spread(strength), 1), 20.0, some),
        "bki_av": (np.round(np.minimum(rms, 51.2), 1), left[3] / 10, gap_n > 0),
    }
    held = {
        f"{prefix}_{name}": stale(value, fresh, hi, day, leftover)
        for name, (value, leftover, fresh) in known.items()
    }
    return held | {
        f"{prefix}_bk_n": count,
        f"{prefix}_bkg_n": np.minimum(total(starts.astype(np.int64)), 255),
        f"{prefix}_bki_n": gap_n,
    }


def _gaze(day: Life, lo: Ints, hi: Ints) -> dict[str, Ints]:
    """Return gaze shifts, small and large; none is seen under noise.

    Wiping the lenses shakes the electrodes for most of a minute, and the counters run full.
    """
    rubbed = 5 * _per_minute(day.kind == KINDS["handling"], lo, hi)
    seen = day.on & ~day.noise
    found = {}
    for ways in ("rl", "ud"):
        for size, of_size in (("ems", ~day.big), ("eml", day.big)):
            shifts = sum(_per_minute(day.gaze[way] & of_size & seen, lo, hi) for way in ways)
            shaken = rubbed if size == "ems" else rubbed // 2
            found[f"{size}_{ways}"] = np.minimum(shifts + shaken, 255)
    return found


def values(seed: int, day: Life, who: Traits) -> tuple[Ints, dict[str, Column]]:
    """Return the stamps (seconds since midnight) of the day's records and a column per field.

    There is a record for each minute of the device clock in which the eyewear was on; asleep
    upside down or with a flat battery it writes none.
    """
    count = day.seconds // 60
    edges = np.arange(count + 1, dtype=np.int64) * 60
    lo, hi = edges[:-1], edges[1:]
    d = Draws(seed, MINUTES, day.plan.day.toordinal())
    on = _per_minute(day.on, lo, hi)
    walked = _per_minute(day.walking & day.on, lo, hi)
    steps = _steps(day, lo, hi)
    taken = sum(steps.values(), start=np.zeros(count, dtype=np.int64))
    beat = _per_minute(np.where(day.on, day.cadence, 0), lo, hi) / np.maximum(walked, 1)
    forward, forward_var = _tilt(day.forward, count)
    sideways, sideways_var = _tilt(day.sideways, count)
    restless, _ = _tilt(day.restless, count)
    within = (0.35 * restless + 0.05 * walked) ** 2
    columns: dict[str, Column] = {
        "val_s": on,
        "nis_s": _per_minute(day.noise & day.on, lo, hi),
        "wea_s": _per_minute(day.judged & day.on, lo, hi),
        "stp_s": walked,
        "bl": day.battery[hi - 1],
        **_gaze(day, lo, hi),
        "hm_po": _per_minute(day.nod & day.on, lo, hi),
        "hm_yo": _per_minute(day.turn & day.on, lo, hi),
        **sway(d, beat, taken > 0, who, corrected=False),
        "tl_xav": np.round(sideways, 1) + 0.0,  # no negative zero
        "tl_yav": np.round(forward, 1) + 0.0,
        "tl_xsd": np.round(np.sqrt(0.5 * within + sideways_var), 2),
        "tl_ysd": np.round(np.sqrt(within + forward_var), 2),
        **steps,
        **_blinks(day, lo, hi, strict=False, prefix="lc"),
        **_blinks(day, lo, hi, strict=True, prefix="sc"),
    }
    there = on > 0
    return hi[there], {name: column[there] for name, column in columns.items()}
