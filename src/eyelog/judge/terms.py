"""What each record adds to the sums of a summary: counts, seconds, sums, squares, sine and cosine.

Every column can be summed over any rows, and a row that adds nothing known is missing. So a day is
the sum of its records, or of its bins, and every mean, rate, share, SD and direction is a ratio of
sums. A function here takes judged records and their seconds, and returns its columns.

A column is an array of numbers, missing where nothing is known; or numbers and the rows that are
used, which several columns share; or these rows alone, which count as one each.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

import numpy as np

from eyelog.catalogue import COMPUTED_DATA, catalogue, log_named, role
from eyelog.judge.arrays import Floats, follows, unit_vectors, wrap
from eyelog.judge.limits import limit
from eyelog.judge.reasons import Reason
from eyelog.judge.records import MASKS, Records

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
    if isinstance(column, tuple):
        return np.where(column[1], column[0], np.nan)
    return np.where(column, 1.0, np.nan) if column.dtype == bool else column


def steps(records: Records) -> Floats | None:
    """Return the steps of each record, missing if one of their classes is; None without them."""
    names = role(records.log, "steps")
    if not names or not set(names) <= records.columns.keys():
        return None
    return reduce(np.add, [records.value(name) for name in names])


def gait(records: Records) -> Counted:
    """Return steps, and the steps and seconds of steady walking with an upright head.

    15-second log: the time that the steps took, steps / cadence, so that a pace is steps per minute
    walked; cadence is a rate, to be averaged over time, not steps. 60-second log: the minutes
    walked for at least 50 s. The squares of step times, each weighted by its steps, give their SD
    between records.
    """
    taken = steps(records)
    if taken is None:
        return {}
    log, counted = log_named(records.log), ~np.isnan(taken)
    recorded_s, capped = records.time["recorded_s"], np.zeros(len(records), dtype=bool)
    for name in role(records.log, "steps"):  # a count at its cap is a lower bound
        capped |= records.value(name) == catalogue(records.log)[name].max
    made: Counted = {
        "steps": (taken, counted),
        "steps_s": (counted * records.length_s, counted),
        "uncounted_s": recorded_s * ~counted,
        "capped_n": (capped, recorded_s > 0),
    }
    other = records.part("pace")
    if other is None:
        return made
    if log.states_seconds:
        used = counted & (other > 0) & (other >= records.limits.seconds("min_walked_for_pace"))
        walked = other
    else:
        used = (taken > 0) & (other > 0)
        walked = ratio(taken * 60.0, other)
    bent = records.rules["tilt_fore_aft_for_pace"]
    tilt = records.part(bent.role)
    if tilt is not None:
        used = used & ~bent.breaks(tilt)
    stepped = used & (taken > 0)
    return made | {
        "pace_n": used,
        "pace_steps": (taken, used),
        "pace_s": (walked, used),
        "step_n": stepped,
        "step_s": (walked, stepped),
        "step_s2": (ratio(walked * walked, taken), stepped),
    }


def speed_classes(records: Records) -> Counted:
    """Return the steps of each class of speed, of records with all classes."""
    names, taken = role(records.log, "steps"), steps(records)
    if taken is None or len(names) < len(CLASSES):
        return {}
    return {
        f"steps_{noun}": (records.value(name), ~np.isnan(taken))
        for noun, name in zip(CLASSES, names, strict=True)
    }


def blinks(records: Records) -> Counted:
    """Return what the usual blink rate is made from.

    15-second log: gaps free of noise and the time that they last. 60-second log: blinks (weak
    cleansing loses the fewest) and the seconds that were measured and free of noise.
    """
    if log_named(records.log).states_seconds:
        return _counts(records, "weak")
    return _gaps(records)


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
        made, counts = _gaps(records, UNDER), [records.part("gap_count", None, ~NOISE & MASKS)]
    beside, own = records.beside
    after_quiet = np.zeros(len(beside), dtype=bool)
    quiet = cast(Floats, beside.evidence("noise_s"))[:-1] == 0
    after_quiet[1:] = follows(beside.us, float(log_named(records.log).interval_us)) & quiet
    for side, count in zip(CLEANSINGS, counts, strict=False):
        if count is not None:
            after = f"_{side}" if len(counts) > 1 else ""
            used = after_quiet[own] & ~np.isnan(noise) & ~np.isnan(count)
            made[f"onset_n{after}"] = (used & (noise > 0)).astype(np.float64)
            made[f"onset_of_n{after}"] = used.astype(np.float64)
    return made


def _gaps(records: Records, before: str = "") -> Counted:
    """Return the gaps between blinks of the 15-second log, and the time that they last."""
    against = MASKS & ~NOISE if before else MASKS
    count = records.part("gap_count", None, against)
    length = records.part("gap_total", None, against)
    if count is None or length is None:
        return {}
    # Without gaps their length is 0, whatever remains in the buffer.
    present = ~np.isnan(count) & (~np.isnan(length) | (count == 0))
    return {
        f"{before}gap_n": (count, present),
        f"{before}gap_s": (np.where(count == 0, 0.0, length), present),
        f"{before}gap_seen_s": present * records.length_s,
    }


def _average_gaps(records: Records, side: str, before: str = "") -> Counted:
    """Return the gaps between blinks of each minute, and their totals from the average gap."""
    against = MASKS & ~NOISE if before else MASKS
    count = records.part("gap_count", side, against)
    mean, usable = records.part("gap_mean", side, against), _usable_s(records)
    if count is None or mean is None or usable is None:
        return {}
    used = ~np.isnan(count) & ~np.isnan(mean)
    return {
        f"{before}gap_n_{side}": (count, used),
        f"{before}gap_s_{side}": (count * mean, used),
        f"{before}gap_s2_{side}": (count * mean * mean, used),
        f"{before}gap_usable_s_{side}": (usable, ~np.isnan(count) & ~np.isnan(usable)),
        # Without gaps no average is expected.
        f"{before}gap_seen_s_{side}": (used | (count == 0)) * records.length_s,
    }


def _counts(records: Records, side: str) -> Counted:
    """Return the blinks of each minute, and its seconds that were measured and free of noise."""
    count, usable = records.part("blink_count", side), _usable_s(records)
    if count is None or usable is None:
        return {}
    present = ~np.isnan(count) & ~np.isnan(usable)
    return {
        f"blink_n_{side}": (count, present),
        f"blink_s_{side}": (usable, present),
        f"blink_seen_s_{side}": present * records.length_s,
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
    count = records.part("blink_count", side)
    if count is None:
        return {}
    made: Counted = {}
    for noun in ("strength", "duration"):
        values, sd = records.part(f"blink_{noun}", side), records.part(f"blink_{noun}_sd", side)
        if values is None:
            continue
        # Without blinks no average is expected: such a record counts as seen.
        seen = ~np.isnan(count) & (~np.isnan(values) | (count == 0))
        used = ~np.isnan(count + values)
        made |= {
            f"{noun}_n{after}": (count, used),
            f"{noun}_sum{after}": (count * values, used),
            f"{noun}_blinks{after}": (count, seen),
            f"{noun}_seen_s{after}": seen * records.length_s,
        }
        whole = used
        if sd is not None:
            made[f"{noun}_sd_n{after}"] = (count, ~np.isnan(count + sd))
            made[f"{noun}_sd_sum2{after}"] = (count * sd * sd, ~np.isnan(count + sd))
            whole = used & ~np.isnan(sd)
            made[f"{noun}_all_sd_sum2{after}"] = (count * sd * sd, whole)
        made |= {
            f"{noun}_all_n{after}": (count, whole),
            f"{noun}_all_sum{after}": (count * values, whole),
            f"{noun}_all_sum2{after}": (count * values * values, whole),
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
            used = ~np.isnan(count + burst)
            made |= {
                f"burst_n_{side}": (burst, used),
                f"burst_blinks_{side}": (count, used),
                f"burst_seen_s_{side}": used * records.length_s,
            }
    return made


def moves(
    records: Records, kinds: Iterable[str], found: Mapping[str, Floats] | None = None
) -> Counted:
    """Return movements by their kind, and the worn time in which they could be counted.

    They are those of the fields, or those that have been `found`. Of nods and turns of the head
    also those of the records in which both could be counted.
    """
    if found is None:
        names = {kind: role(records.log, kind) for kind in kinds}
        found = {
            kind: reduce(np.add, map(records.value, own))
            for kind, own in names.items()
            if own and set(own) <= records.columns.keys()
        }
    worn_s = records.time.get("worn_s")
    made: Counted = {}
    if worn_s is None:
        return made
    for kind, moved in found.items():
        counted = ~np.isnan(moved + worn_s)
        made |= {kind: (moved, counted), f"{kind}_s": (worn_s, counted)}
    if {*HEAD_MOVES} <= found.keys():
        both = ~np.isnan(found[HEAD_MOVES[0]] + found[HEAD_MOVES[1]] + worn_s)
        made |= {"head_seen_s": both * records.length_s, "head_both_s": (worn_s, both)}
        made |= {f"head_both_{axis}": (found[f"head_moves_{axis}"], both) for axis in AXES}
    return made


def tilt(records: Records) -> Counted:
    """Return the unit vectors of the tilt, fore-aft and sideways."""
    made: Counted = {}
    for noun in ("fore_aft", "sideways"):
        angles = records.part(f"tilt_{noun}")
        if angles is not None:
            made |= vectors(f"tilt_{noun}", angles, np.isfinite(angles))
    return made


def vectors(name: str, angles: Floats, used: np.ndarray) -> Counted:
    """Return the sums of the unit vectors of angles."""
    east, north = unit_vectors(angles)
    return {f"{name}_n": used, f"{name}_cos": (east, used), f"{name}_sin": (north, used)}


def tilt_spread(records: Records) -> Counted:
    """Return the sums behind the SDs of the tilt within records and between them."""
    parts = [f"tilt_{noun}{of}" for noun in ("fore_aft", "sideways") for of in ("", "_sd")]
    values = records.parts(*parts)
    if values is None:
        return {}
    both = ~np.isnan(np.sum(values, axis=0))
    made: Counted = {"spread_s": both * records.length_s}
    for noun in ("fore_aft", "sideways"):
        angles, sd = values[parts.index(f"tilt_{noun}")], values[parts.index(f"tilt_{noun}_sd")]
        made |= vectors(f"spread_{noun}", angles, both)
        made |= {
            f"spread_{noun}_sum": (wrap(angles), both),
            f"spread_{noun}_sum2": (wrap(angles) ** 2, both),
            f"spread_{noun}_sd_sum2": (sd * sd, both),
        }
    return made


def scores(records: Records) -> Counted:
    """Return for each score its valid values, their sum, and how many are high."""
    made: Counted = {}
    for name in role(records.log, "score"):
        if name in records.columns:
            values = records.value(name)
            valid = ~np.isnan(values)
            made |= {
                f"{name}_n": valid,
                f"{name}_sum": (values, valid),
                f"{name}_high": (HIGH_SCORE.keeps(values), valid),
            }
    return made


Terms = Callable[[Records], Counted]
SUBJECTS: Final[Mapping[str, Terms]] = MappingProxyType(
    {
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
)
"""What records add, by subject: first those of `eyelog.daily`, then those of one summary alone."""
