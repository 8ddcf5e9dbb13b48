"""The 60-second log of a simulated day: what the eyewear itself computes, phone or no phone."""

from typing import Final

import numpy as np

from eyelog.wearer.draws import Draws, Stream
from eyelog.wearer.eyewear import blink_gaps, mean_sd, stale, sway
from eyelog.wearer.habits import KINDS, Traits
from eyelog.wearer.interval_sums import Array, Bools, Floats, Ints, onsets, running, sums
from eyelog.wearer.simulated_day import Blinks, Life

CLASSES: Final = {"stp_fst": 370, "stp_mid": 440, "stp_slw": 590, "stp_vsl": 1000}  # longest, ms
LONGEST_GAP: Final = 512  # tenths of a second
LARGEST_SD: Final = 51.2
LARGEST_COUNT: Final = 255


def _steps(day: Life, lo: Ints, hi: Ints) -> dict[str, Ints]:
    """Return steps by their duration."""
    counted = np.where(day.on, day.steps, 0)
    # The length of a step is a multiple of ten milliseconds.
    length = np.where(day.cadence > 0, 6000 // np.maximum(day.cadence, 1) * 10, 0)
    steps, shorter = {}, 0
    for name, longest in CLASSES.items():
        inside = (length > shorter) & (length <= longest)
        steps[name] = sums(np.where(inside, counted, 0), lo, hi)
        shorter = longest
    return steps


def _quarters(values: Floats, minutes: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the four 15-second values of each minute."""
    padded = np.append(values, np.repeat(values[-1:], 4))[: 4 * minutes].reshape(minutes, 4)
    return padded[:, 0], padded[:, 1], padded[:, 2], padded[:, 3]


def _tilt(values: Floats, minutes: int) -> tuple[Floats, Floats]:
    """Return mean and variance over each minute; the order of the sums is fixed."""
    a, b, c, d = _quarters(values, minutes)
    mean = ((a + b) + (c + d)) / 4
    squares = ((a - mean) ** 2 + (b - mean) ** 2) + ((c - mean) ** 2 + (d - mean) ** 2)
    return mean, squares / 4


def _cleansed(blinks: Blinks, interruptions: Ints, *, strict: bool) -> Bools:
    """Return which blinks pass the cleansing.

    The strict one leaves out blinks within 3 seconds after noise or a step, and weak blinks.
    """
    if not strict:
        return np.asarray((blinks.strength >= 25) & (blinks.width >= 70))
    second = (blinks.at - 1) // 10
    calm = interruptions[second + 1] == interruptions[np.maximum(second - 3, 0)]
    strong = (blinks.strength >= 35) & (blinks.strength <= 250) & (blinks.width >= 90)
    return np.asarray(calm & strong)


def _gaps(blinks: Blinks, interruptions: Ints, lo: Ints, hi: Ints) -> tuple[Ints, Floats]:
    """Return the number of gaps in each minute, and their root mean square in seconds.

    The root mean square is what firmware 2.2.0 and later computes. A gap runs between blinks of
    any size: leaving out weak blinks must not make gaps longer.
    """
    gap, counts = blink_gaps(blinks, interruptions, LONGEST_GAP)
    first, last = (np.searchsorted(blinks.at, 10 * edge, "right") for edge in (lo, hi))
    n = sums(counts, first, last)
    square = sums(np.where(counts, gap * gap, 0), first, last)
    return n, np.sqrt(square / np.maximum(n, 1)) / 10


def _blinks(day: Life, lo: Ints, hi: Ints, *, strict: bool, prefix: str) -> dict[str, Array]:
    """Return blink statistics after one of the two cleansings."""
    broken = day.noise | ~day.on | ~day.worn
    interruptions = running(broken | day.walking if strict else broken)
    keep = _cleansed(day.blinks, interruptions, strict=strict)
    at = day.blinks.at[keep]
    first, last = (np.searchsorted(at, 10 * edge, "right") for edge in (lo, hi))
    count = last - first
    some = count > 0

    def statistics(values: Ints) -> tuple[Floats, Floats]:
        kept = values[keep]
        mean, sd = mean_sd(sums(kept, first, last), sums(kept * kept, first, last), count)
        return mean, np.minimum(sd, LARGEST_SD)

    npt, _ = statistics(day.blinks.npt)
    width, width_sd = statistics(day.blinks.width)
    strength, strength_sd = statistics(day.blinks.strength)
    gap_n, gap = _gaps(day.blinks, interruptions, lo, hi)
    # A burst is a run of blinks, each less than a second after the one before.
    soon_another = np.append(np.diff(at) < 10, False)[: len(at)]
    burst_n = sums(onsets(soon_another), first, last)

    left_strength, left_width, left_npt, left_gap = day.plan.before.leftover
    buffered: dict[str, tuple[Floats, float, Bools]] = {
        "npt_av": (np.clip(np.round(npt / 1000, 3), -0.256, 0.256), left_npt / 1000, some),
        "bkw_av": (np.clip(np.round(width), 50, 306), float(left_width), some),
        "bkw_sd": (np.round(width_sd, 1), 12.0, some),
        "bkh_av": (np.round(strength), float(left_strength), some),
        "bkh_sd": (np.round(strength_sd, 1), 20.0, some),
        "bki_av": (np.clip(np.round(gap, 1), 0.0, LONGEST_GAP / 10), left_gap / 10, gap_n > 0),
    }
    columns: dict[str, Array] = {
        f"{prefix}_{name}": stale(value, fresh, hi, day, leftover)
        for name, (value, leftover, fresh) in buffered.items()
    }
    return columns | {
        f"{prefix}_bk_n": count,
        f"{prefix}_bkg_n": np.minimum(burst_n, LARGEST_COUNT),
        f"{prefix}_bki_n": gap_n,
    }


def _gaze(day: Life, lo: Ints, hi: Ints) -> dict[str, Ints]:
    """Return gaze shifts, small and large; none is detected during noise.

    Wiping the lenses shakes the electrodes for most of a minute, and the counters run full.
    """
    rubbed = 5 * sums(day.kind == KINDS["handling"], lo, hi)
    seen = day.on & ~day.noise
    counts = {}
    for ways in ("rl", "ud"):
        for size, of_size in (("ems", ~day.big), ("eml", day.big)):
            shifts = sum(sums(day.gaze[way] & of_size & seen, lo, hi) for way in ways)
            shaken = rubbed if size == "ems" else rubbed // 2
            counts[f"{size}_{ways}"] = np.minimum(shifts + shaken, LARGEST_COUNT)
    return counts


def values(seed: int, day: Life, who: Traits) -> tuple[Ints, dict[str, Array]]:
    """Return the stamps of the day's records, in seconds since midnight, and a column per field.

    There is one record per minute of the device clock in which the eyewear was on; asleep upside
    down or with a flat battery it writes none.
    """
    minutes = day.seconds // 60
    edges = np.arange(minutes + 1, dtype=np.int64) * 60
    lo, hi = edges[:-1], edges[1:]
    d = Draws(seed, Stream.SIXTY, day.plan.day.toordinal())
    on = sums(day.on, lo, hi)
    walked = sums(day.walking & day.on, lo, hi)
    steps = _steps(day, lo, hi)
    all_steps = sum(steps.values(), start=np.zeros(minutes, dtype=np.int64))
    cadence = sums(np.where(day.on, day.cadence, 0), lo, hi) / np.maximum(walked, 1)
    forward, forward_var = _tilt(day.forward, minutes)
    sideways, sideways_var = _tilt(day.sideways, minutes)
    restless, _ = _tilt(day.restless, minutes)
    within = (0.35 * restless + 0.05 * walked) ** 2
    columns: dict[str, Array] = {
        "val_s": on,
        "nis_s": sums(day.noise & day.on, lo, hi),
        "wea_s": sums(day.judged & day.on, lo, hi),
        "stp_s": walked,
        "bl": day.battery[hi - 1],
        **_gaze(day, lo, hi),
        "hm_po": sums(day.nod & day.on, lo, hi),
        "hm_yo": sums(day.turn & day.on, lo, hi),
        **sway(d, cadence, all_steps > 0, who, corrected=False),
        "tl_xav": np.round(sideways, 1) + 0.0,  # no negative zero
        "tl_yav": np.round(forward, 1) + 0.0,
        "tl_xsd": np.round(np.sqrt(0.5 * within + sideways_var), 2),
        "tl_ysd": np.round(np.sqrt(within + forward_var), 2),
        **steps,
        **_blinks(day, lo, hi, strict=False, prefix="lc"),
        **_blinks(day, lo, hi, strict=True, prefix="sc"),
    }
    recorded = on > 0
    return hi[recorded], {name: column[recorded] for name, column in columns.items()}
