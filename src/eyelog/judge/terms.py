"""What each record adds to the sums of a summary: counts, seconds, sums, squares, sine and cosine.

Every column can be summed over any rows, and a row that adds nothing known is missing. So a day is
the sum of its records, or of its bins, and every mean, rate, share, SD and direction is a ratio of
sums. A function here takes judged records and their seconds, and returns its columns.

A column is an array of numbers, missing where nothing is known; or, as a tuple, the rows that are
used (None: all), which several columns share, and what is multiplied in each of them: arrays and
constants, or nothing, so that each counts as one.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import Any, Final, TypeAlias, cast

import numpy as np

from eyelog.catalogue import COMPUTED_DATA, catalogue, log_named, role
from eyelog.judge.arrays import Bools, Floats, follows, unit_vectors, wrap
from eyelog.judge.limits import limit
from eyelog.judge.reasons import Reason
from eyelog.judge.records import MASKS, Judged, Records

Columns: TypeAlias = dict[str, Floats]  # their sums, by group
Counted: TypeAlias = dict[str, Any]

CLEANSINGS: Final = ("strong", "weak")
EYE_MOVES: Final = ("eye_moves_horizontal", "eye_moves_vertical")
HEAD_MOVES: Final = ("head_moves_pitch", "head_moves_yaw")
CLASSES: Final = ("fastest", "medium", "slow", "slowest")  # in the order of the catalogue
NOISE: Final = Reason.NOISY | Reason.INVALID
UNDER: Final = "noisy_"  # before the names of what noise does not remove
AXES: Final = ("pitch", "yaw")
HIGH_SCORE: Final = limit(COMPUTED_DATA, "high_score")


def ratio(above: Floats, below: Floats) -> Floats:
    """Return `above` / `below`, missing if `below` is missing or not positive."""
    out: Floats = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out


def filled(column: Any) -> Floats:
    """Return a column as numbers, missing in the rows that it does not use."""
    if not isinstance(column, tuple):
        column = (None, column)
    used, *factors = column
    with np.errstate(invalid="ignore"):
        product: Any = reduce(np.multiply, factors, 1.0)
    return np.asarray(product if used is None else np.where(used, product, np.nan), np.float64)


def gait(records: Records) -> Counted:
    """Return steps, and the steps and seconds of steady walking with an upright head.

    15-second log: the time that the steps took, steps / cadence, so that a pace is steps per minute
    walked; cadence is a rate, to be averaged over time, not steps. 60-second log: the minutes
    walked for at least 50 s. The squares of step times, each weighted by its steps, give their SD
    between records.
    """
    steps = records.part("steps")
    if steps is None:
        return {}
    counted, taken = steps
    log, recorded_s, capped = log_named(records.log), records.time["recorded_s"], None
    for name in role(records.log, "steps"):  # a count at its cap is a lower bound
        used, values = records.judged(name)
        at_cap = used & (values == catalogue(records.log)[name].max)
        capped = at_cap if capped is None else capped | at_cap
    made: Counted = {
        "steps": steps,
        "steps_s": (counted, records.length_s),
        "uncounted_s": (None, recorded_s, ~counted),
        "capped_n": (recorded_s > 0, capped),
    }
    other = records.part("pace")
    if other is None:
        return made
    used, walked = counted & other.used & (other.values > 0), other.values
    if log.states_seconds:
        used &= walked >= records.limits.seconds("min_walked_for_pace")
    else:
        used &= taken > 0
        walked = ratio(taken * 60.0, walked)
    bent = records.rules["tilt_fore_aft_for_pace"]
    tilt = records.part(bent.role)
    if tilt is not None:
        used &= ~tilt.used | bent.keeps(tilt.values)
    stepped = used & (taken > 0)
    return made | {
        "pace_n": (used,),
        "pace_steps": (used, taken),
        "pace_s": (used, walked),
        "step_n": (stepped,),
        "step_s": (stepped, walked),
        "step_s2": (stepped, walked, ratio(walked, taken)),
    }


def speed_classes(records: Records) -> Counted:
    """Return the steps of each class of speed, of records with all classes."""
    names = role(records.log, "steps")
    taken = records.part("steps")
    if taken is None or len(names) < len(CLASSES):
        return {}
    return {
        f"steps_{noun}": (taken.used, records.judged(name).values)
        for noun, name in zip(CLASSES, names, strict=True)
    }


def blinks(records: Records, before: str = "") -> Counted:
    """Return what the usual blink rate is made from.

    15-second log: gaps free of noise and the time that they last. 60-second log: blinks (weak
    cleansing loses the fewest) and the seconds that were measured and free of noise.
    """
    if log_named(records.log).states_seconds:
        return _counts(records, "weak")
    against = MASKS & ~NOISE if before else MASKS
    count = records.part("gap_count", None, against)
    length = records.part("gap_total", None, against)
    if count is None or length is None:
        return {}
    # Without gaps their length is 0, whatever remains in the buffer.
    none = count.values == 0
    present = count.used & (length.used | none)
    return {
        f"{before}gap_n": (present, count.values),
        f"{before}gap_s": (present, np.where(none, 0.0, length.values)),
        f"{before}gap_seen_s": (None, present, records.length_s),
    }


def readings(records: Records) -> Counted:
    """Return what the other readings of the 60-second log are made from.

    Strictly cleansed blinks; and of both cleansings the gaps of each minute, their total and the
    total of their squares, from the average gap.
    """
    if not log_named(records.log).states_seconds:
        return {}
    made = _counts(records, "strong")
    for side in CLEANSINGS:
        made |= _average_gaps(records, side)
    return made


def noise_onsets(records: Records) -> Counted:
    """Return the gaps of all records, and how often noise sets in after a record without any.

    Gaps are free of noise themselves; without those of noisy records the very records in which
    noise sets in would be left out. Masked records have lost them.
    """
    noise = records.evidence("noise_s")
    if noise is None or records.masked:
        return {}
    if log_named(records.log).states_seconds:
        made = {k: v for side in CLEANSINGS for k, v in _average_gaps(records, side, UNDER).items()}
        counts = [records.part("gap_count", side, ~NOISE & MASKS) for side in CLEANSINGS]
    else:
        made, counts = blinks(records, UNDER), [records.part("gap_count", None, ~NOISE & MASKS)]
    every, near = records.whole or records, records.near
    us, quiet = every.us[near], cast(Floats, every.evidence("noise_s"))[near] == 0
    after_quiet = np.zeros(len(us), dtype=bool)
    after_quiet[1:] = follows(us, float(log_named(records.log).interval_us)) & quiet[:-1]
    for side, count in zip(CLEANSINGS, counts, strict=False):
        if count is not None:
            after = f"_{side}" if len(counts) > 1 else ""
            used = after_quiet[records.inside] & ~np.isnan(noise) & count.used
            made |= {f"onset_n{after}": (None, used & (noise > 0))}
            made |= {f"onset_of_n{after}": (None, used)}
    return made


def _average_gaps(records: Records, side: str, before: str = "") -> Counted:
    """Return the gaps between blinks of each minute, and their totals from the average gap."""
    against = MASKS & ~NOISE if before else MASKS
    count = records.part("gap_count", side, against)
    mean, usable = records.part("gap_mean", side, against), _usable_s(records)
    if count is None or mean is None or usable is None:
        return {}
    used, number = count.used & mean.used, count.values
    return {
        f"{before}gap_n_{side}": (used, number),
        f"{before}gap_s_{side}": (used, number, mean.values),
        f"{before}gap_s2_{side}": (used, number, mean.values, mean.values),
        f"{before}gap_usable_s_{side}": (count.used & ~np.isnan(usable), usable),
        # Without gaps no average is expected.
        f"{before}gap_seen_s_{side}": (None, used | (count.used & (number == 0)), records.length_s),
    }


def _counts(records: Records, side: str) -> Counted:
    """Return the blinks of each minute, and its seconds that were measured and free of noise."""
    count, usable = records.part("blink_count", side), _usable_s(records)
    if count is None or usable is None:
        return {}
    present = count.used & ~np.isnan(usable)
    return {
        f"blink_n_{side}": (present, count.values),
        f"blink_s_{side}": (present, usable),
        f"blink_seen_s_{side}": (None, present, records.length_s),
    }


def _usable_s(records: Records) -> Floats | None:
    """Return the seconds of each minute that were measured and free of noise."""
    measured, noise = records.evidence("measured_s"), records.evidence("noise_s")
    if measured is None or noise is None:
        return None
    return np.maximum(measured - noise, 0.0)


def shape(records: Records, side: str = "strong", after: str = "") -> Counted:
    """Return the sums behind strength and duration of blinks: of averages, and of squared SDs.

    An SD of a whole takes the records that have count, average and SD (``_all_``), so that the
    squares of the SDs within and between records add up.
    """
    blinked = records.part("blink_count", side)
    if blinked is None:
        return {}
    count, made = blinked.values, cast(Counted, {})
    for noun in ("strength", "duration"):
        average, sd = records.part(f"blink_{noun}", side), records.part(f"blink_{noun}_sd", side)
        if average is None:
            continue
        used = whole = blinked.used & average.used
        # Without blinks no average is expected: such a record counts as seen.
        seen = used | (blinked.used & (count == 0))
        made |= {
            f"{noun}_n{after}": (used, count),
            f"{noun}_sum{after}": (used, count, average.values),
            f"{noun}_blinks{after}": (seen, count),
            f"{noun}_seen_s{after}": (None, seen, records.length_s),
        }
        if sd is not None:
            within, whole = blinked.used & sd.used, used & sd.used
            made |= {
                f"{noun}_sd_n{after}": (within, count),
                f"{noun}_sd_sum2{after}": (within, count, sd.values, sd.values),
                f"{noun}_all_sd_sum2{after}": (whole, count, sd.values, sd.values),
            }
        made |= {
            f"{noun}_all_n{after}": (whole, count),
            f"{noun}_all_sum{after}": (whole, count, average.values),
            f"{noun}_all_sum2{after}": (whole, count, average.values, average.values),
        }
    return made


def weak_shape(records: Records) -> Counted:
    """Return the same of weakly cleansed blinks, in the 60-second log."""
    return shape(records, "weak", "_weak") if log_named(records.log).has_cleansings else {}


def bursts(records: Records) -> Counted:
    """Return blinks and bursts (several blinks within a second) of the records with both."""
    made: Counted = {}
    for side in CLEANSINGS:
        count, burst = records.part("blink_count", side), records.part("burst_count", side)
        if count is not None and burst is not None:
            used = count.used & burst.used
            made |= {
                f"burst_n_{side}": (used, burst.values),
                f"burst_blinks_{side}": (used, count.values),
                f"burst_seen_s_{side}": (None, used, records.length_s),
            }
    return made


def moves(
    records: Records, kinds: Iterable[str], found: Mapping[str, Judged] | None = None
) -> Counted:
    """Return movements by their kind, and the worn time in which they could be counted.

    They are those of the fields, or those that have been `found`. Of nods and turns of the head
    also those of the records in which both could be counted.
    """
    worn_s, made = records.time.get("worn_s"), cast(Counted, {})
    if worn_s is None:
        return made
    if found is None:
        each = {kind: records.part(kind) for kind in kinds}
        found = {kind: moved for kind, moved in each.items() if moved is not None}
    worn = ~np.isnan(worn_s)
    for kind, (used, moved) in found.items():
        made |= {kind: (used & worn, moved), f"{kind}_s": (used & worn, worn_s)}
    if {*HEAD_MOVES} <= found.keys():
        both = found[HEAD_MOVES[0]].used & found[HEAD_MOVES[1]].used & worn
        made |= {"head_seen_s": (None, both, records.length_s), "head_both_s": (both, worn_s)}
        made |= {f"head_both_{axis}": (both, found[f"head_moves_{axis}"].values) for axis in AXES}
    return made


def tilt(records: Records) -> Counted:
    """Return the unit vectors of the tilt, fore-aft and sideways."""
    made: Counted = {}
    for noun in ("fore_aft", "sideways"):
        angles = records.part(f"tilt_{noun}")
        if angles is not None:
            made |= vectors(f"tilt_{noun}", *angles)
    return made


def vectors(name: str, used: Bools, angles: Floats) -> Counted:
    """Return the sums of the unit vectors of angles."""
    used = used & np.isfinite(angles)
    # The tangent of a missing value takes longer than all others.
    east, north = unit_vectors(np.where(used, angles, 0.0))
    return {f"{name}_n": (used,), f"{name}_cos": (used, east), f"{name}_sin": (used, north)}


def tilt_spread(records: Records) -> Counted:
    """Return the sums behind the SDs of the tilt within records and between them."""
    parts = [f"tilt_{noun}{of}" for noun in ("fore_aft", "sideways") for of in ("", "_sd")]
    judged = records.parts(*parts)
    if judged is None:
        return {}
    both = reduce(np.logical_and, [each.used for each in judged])
    made: Counted = {"spread_s": (None, both, records.length_s)}
    values = {part: each.values for part, each in zip(parts, judged, strict=True)}
    for noun in ("fore_aft", "sideways"):
        angles, sd = wrap(values[f"tilt_{noun}"]), values[f"tilt_{noun}_sd"]
        made |= vectors(f"spread_{noun}", both, angles)
        made |= {
            f"spread_{noun}_sum": (both, angles),
            f"spread_{noun}_sum2": (both, angles, angles),
            f"spread_{noun}_sd_sum2": (both, sd, sd),
        }
    return made


def scores(records: Records) -> Counted:
    """Return for each score its valid values, their sum, and how many are high."""
    made: Counted = {}
    for name in role(records.log, "score"):
        if name in records.columns:
            used, values = records.judged(name)
            made |= {
                f"{name}_n": (used,),
                f"{name}_sum": (used, values),
                f"{name}_high": (used, HIGH_SCORE.keeps(values)),
            }
    return made


Terms = Callable[[Records], Counted]
SUBJECTS: Final[Mapping[str, Terms]] = {
    "gait": gait,
    "blinks": blinks,
    "shape": shape,
    "eye_moves": partial(moves, kinds=EYE_MOVES),
    "head_moves": partial(moves, kinds=HEAD_MOVES),
    "tilt": tilt,
    "scores": scores,
    "speed_classes": speed_classes,
    "readings": readings,
    "noise_onsets": noise_onsets,
    "weak_shape": weak_shape,
    "bursts": bursts,
    "tilt_spread": tilt_spread,
}
"""What records add, by subject: first those of `eyelog.daily`, then those of one summary alone."""
