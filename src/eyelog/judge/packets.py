"""Packets of the 20 Hz log: single blinks, steps, movements, and what they add to 15 seconds.

A packet may report one event. Each is found here once, whether it is listed, counted in a summary
or written into a recomputed record.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.series.around import around
from eyelog.analysis.series.arrays import Bools, Floats, Ints
from eyelog.analysis.series.packets import PACKET_US, Packets, packets
from eyelog.catalogue import CURRENT_DATA
from eyelog.judge.limits import limit
from eyelog.judge.reasons import WORDS, Reason
from eyelog.judge.records import Records
from eyelog.judge.terms import Counted, vectors, while_worn

PACKET_S: Final = PACKET_US / 1e6
UNUSABLE: Final = (Reason.UNWORN, Reason.NOISY, Reason.MOVING)  # the first that applies is named
DIRECTIONS: Final = ("up", "down", "left", "right")
# For each axis of the head the acceleration that shows its movements.
AXES: Final = {"pitch": "acc_vertical", "yaw": "acc_sideways"}
GRAVITY: Final = ("acc_sideways", "acc_fore_aft", "acc_vertical")
SMOOTHED: Final = "500ms"  # vendor documentation, feature
UNITS_PER_G: Final = 16.0
# A single packet may vary by a unit or two of 0.06 G; a head takes longer to move.
LEAST_PACKETS: Final = 2


class Events(NamedTuple):
    """The packets that report an event of one kind, and what is known about each.

    Attributes
    ----------
    rows : array of int64
        The packets.
    reason : array of str
        Why it does not count; otherwise empty.
    since_s : array of float64
        The time since the event before that counts; missing where it is not that of one interval.
    between : array of str
        What lies between them, if that time is missing.
    """

    rows: Ints
    reason: npt.NDArray[np.object_]
    since_s: Floats
    between: npt.NDArray[np.object_]

    @property
    def counted(self) -> Bools:
        """Which events count."""
        return np.asarray(self.reason == "", dtype=np.bool_)


def sent(records: Records) -> Packets:
    """Return where connections begin, and how many packets were lost before each."""
    return packets(records.us, records.evidence("sequence"))


def _evidence(records: Records, part: str) -> Floats:
    values = records.evidence(part)
    return np.full(len(records), np.nan) if values is None else values


def counts_as_blink(strength: Floats, closed_ms: Floats) -> Bools:
    """Return which blinks are within the limits of the vendor's count."""
    strong = limit(CURRENT_DATA, "counted_strength").keeps(strength)
    return strong & limit(CURRENT_DATA, "counted_speed").keeps(closed_ms)


def single_blinks(records: Records) -> Events:
    """Return the blinks, and the time between those that count."""
    strength = records.numbers(records.name("blink_event_strength"))
    closed_ms = records.numbers(records.name("blink_event_speed"))
    at = np.flatnonzero((strength > 0) | (closed_ms > 0))
    against = {
        WORDS[r]: records.context.against[r] for r in UNUSABLE if r in records.context.against
    }
    reasons = {word: rows[at] for word, rows in against.items()}
    for part, values in (("counted_strength", strength), ("counted_speed", closed_ms)):
        rule = limit(records.log, part)
        reasons[f"not {rule.text(records.name(rule.role))}"] = ~rule.keeps(values[at])
    words = first_word(reasons, len(at))
    counted = words == ""
    since_s, between = np.full(len(at), np.nan), first_word({}, len(at))
    if counted.any():
        kept = at[counted]
        apart = {**against, WORDS[Reason.MISSING]: np.isnan(strength) | np.isnan(closed_ms)}
        told = np.append(["no blink before"], between_events(sent(records), kept, apart))
        apart_s = np.append(np.nan, np.diff(records.us[kept]) / 1e6)
        since_s[counted], between[counted] = np.where(told == "", apart_s, np.nan), told
    return Events(at, words, since_s, between)


def single_steps(records: Records) -> Events:
    """Return the steps, and the time that each takes."""
    at = np.flatnonzero(_evidence(records, "step_event") == 1)
    unworn = records.context.against.get(Reason.UNWORN, np.zeros(len(records), dtype=bool))
    words = first_word({WORDS[Reason.UNWORN]: unworn[at]}, len(at))
    counted = words == ""
    since_s, between = np.full(len(at), np.nan), first_word({}, len(at))
    if counted.any():
        kept, found = at[counted], sent(records)
        # Counted in packets: stamps are late by varying amounts.
        took_s = np.append(np.nan, np.diff(found.sent[kept]) * PACKET_S)
        pauses = {"a pause": limit(records.log, "longest_step").breaks(took_s[1:])}
        told = between_events(found, kept, {WORDS[Reason.UNWORN]: unworn}, pauses)
        told = np.append(["no step before"], told)
        since_s[counted], between[counted] = np.where(told == "", took_s, np.nan), told
    return Events(at, words, since_s, between)


def first_word(against: Mapping[str, Bools], number: int) -> npt.NDArray[np.object_]:
    """Return for each row the first of the words that apply to it, or an empty text."""
    words: npt.NDArray[np.object_] = np.full(number, "", dtype=object)
    for word in reversed([*against]):  # what is named first is written last
        words[against[word]] = word
    return words


def between_events(
    found: Packets,
    at: Ints,
    rows: Mapping[str, Bools],
    gaps: Mapping[str, Bools] = MappingProxyType({}),
) -> npt.NDArray[np.object_]:
    """Return what comes between each of the rows `at` and the one before it, except for the first.

    A new connection is named first and lost packets last; an empty text where there is nothing.

    Parameters
    ----------
    found : Packets
        Where connections begin, and how many packets were lost before each row.
    at : array of int64
        The rows of the events, in order of time.
    rows : mapping of str to array of bool
        The rows that count if one of them is there, by their word.
    gaps : mapping of str to array of bool
        What applies to the time between two events itself, for each but the first.
    """
    of_rows = {"a new connection": found.opens, **rows}, {"packets lost": found.lost > 0}
    first, last = (
        {word: np.diff(np.cumsum(marked)[at]) > 0 for word, marked in each.items()}
        for each in of_rows
    )
    return first_word({**first, **gaps, **last}, max(len(at) - 1, 0))


def near_blink(records: Records) -> Bools:
    """Return the rows so close to a blink that a vertical movement in them may be part of it."""
    blinking = (_evidence(records, "blink_event_strength") > 0) | (
        _evidence(records, "blink_event_speed") > 0
    )
    # A blink in time that is not usable is masked, and masking must change nothing.
    for reason in UNUSABLE:
        if reason in records.context.against:
            blinking &= ~records.context.against[reason]
    reach_us = round(limit(records.log, "near_blink").value * 1e6)
    return around(records.us, blinking, reach_us, reach_us)


def tilt_from_gravity(forces: Iterable[Floats], us: Ints) -> tuple[Floats, Floats]:
    """Return the tilt fore-aft and sideways of each row in degrees, from the forces of `GRAVITY`.

    They are averaged over the 0.5 s around each row, so that only gravity remains. Missing where
    they cancel out: nothing then shows which way is down. Eyewear that is worn upright reports
    about -16 on the vertical axis in the public samples, and +16 is an equally common convention,
    so the angles are measured to the axis, whatever its sign.
    """
    index = pd.DatetimeIndex(us.view("M8[us]"))

    def smoothed(values: Floats) -> Floats:
        mean = pd.Series(values, index).rolling(SMOOTHED, center=True, closed="both").mean()
        return np.where(np.isnan(values), np.nan, mean.to_numpy())

    x, y, z = (smoothed(force) for force in forces)
    # In place, since a day of the log has a million rows.
    forward = np.arctan2(y, np.abs(z, out=z))
    level = np.hypot(y, z, out=z)
    aside = np.arctan2(x, level, out=y)
    nowhere = ~(np.hypot(x, level, out=x) > 0)
    for angle in (forward, aside):
        np.degrees(angle, out=angle)
        angle[nowhere] = np.nan
    return forward, aside


def head_peaks(records: Records, axis: str) -> tuple[Ints, Floats, Ints]:
    """Return the peaks of acceleration that show movements about one axis, in order of time.

    For each the row in which it is highest, its height in G, and how many packets it takes.

    Two packets or more in which the acceleration leaves its median of the 0.5 s around by 0.07 to
    0.3 G; above that it is a step or a knock.
    """
    away = _evidence(records, AXES[axis]) / UNITS_PER_G
    force = pd.Series(away, pd.DatetimeIndex(records.us.view("M8[us]")), copy=False)
    away = away - force.rolling(SMOOTHED, center=True, closed="both").median().to_numpy()
    rule, height = limit(records.log, "head_move_peak"), np.abs(away)
    way = np.where(rule.at(rule.values[0], np.inf).keeps(height), np.sign(away), 0.0)
    first, last = runs_of_sign(way)
    long = last - first + 1 >= LEAST_PACKETS
    first, last = first[long], last[long]
    at = highest(height, first, last)
    kept = rule.keeps(height[at])
    return at[kept], away[at][kept], (last - first + 1)[kept]


def runs_of_sign(way: Floats, connection: Ints | None = None) -> tuple[Ints, Ints]:
    """Return the first and the last row of each run of one sign, within a connection if given."""
    changes = way[1:] != way[:-1]
    if connection is not None:
        changes |= connection[1:] != connection[:-1]
    starts = np.flatnonzero(np.append(True, changes)[: len(way)])
    ends = np.append(starts[1:], len(way)) - 1 if len(starts) else starts
    moving: Bools = way[starts] != 0
    return starts[moving], ends[moving]


def highest(height: Floats, first: Ints, last: Ints) -> Ints:
    """Return the row of each run in which `height` is largest, the first of equal ones."""
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    sizes = last - first + 1
    run = np.repeat(np.arange(len(first)), sizes)
    rows = np.arange(sizes.sum()) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    order = np.lexsort((-height[rows], run))
    return np.asarray(rows[order][np.cumsum(sizes) - sizes], dtype=np.int64)


# What packets add, by the subjects of `eyelog.judge.terms`.


def gait(records: Records) -> Counted:
    """Return the steps, and the time of each step that is known."""
    taken = records.part("steps")
    if taken is None:
        return {}
    events, known = single_steps(records), ~np.isnan(taken)
    took_s = np.full(len(records), np.nan)
    took_s[events.rows] = events.since_s
    one = ~np.isnan(took_s)
    return {
        "steps": taken,
        "steps_s": np.where(known, PACKET_S, np.nan),
        "uncounted_s": np.where(known, 0.0, records.time["recorded_s"]),
        "capped_n": np.where(records.time["recorded_s"] > 0, 0.0, np.nan),
        "pace_n": one,
        "pace_steps": one,
        "pace_s": took_s,
        "step_n": one,
        "step_s": took_s,
        "step_s2": took_s * took_s,
    }


def blinks(records: Records) -> Counted:
    """Return the blinks that count, and the seconds in which they would have."""
    parts = records.parts("blink_event_strength", "blink_event_speed")
    if parts is None:
        return {}
    strength, closed_ms = parts
    seen = ~np.isnan(strength + closed_ms)
    counted = counts_as_blink(strength, closed_ms).astype(np.float64)
    return {
        "blink_n": np.where(seen, counted, np.nan),
        "blink_s": np.where(seen, PACKET_S, np.nan),
    }


def shape(records: Records) -> Counted:
    """Return strength, duration and intervals of the blinks that count, and how many are long."""
    usable = records.parts("blink_event_strength", "blink_event_speed")
    if usable is None:
        return {}
    events = single_blinks(records)
    strength = records.numbers(records.name("blink_event_strength"))[events.rows]
    closed_ms = records.numbers(records.name("blink_event_speed"))[events.rows]
    seen_s = np.where(np.isnan(usable[0] + usable[1]), np.nan, PACKET_S)

    def by_packet(values: Floats, chosen: Bools) -> Floats:
        rows = np.full(len(records), np.nan)
        rows[events.rows[chosen]] = values[chosen]
        return rows

    made: Counted = {}
    for noun, values in (
        ("strength", strength),
        ("duration", closed_ms),
        ("blink_interval", events.since_s),
    ):
        own = by_packet(values, events.counted)
        made |= {
            f"{noun}_n": ~np.isnan(own),
            f"{noun}_sum": own,
            f"{noun}_sum2": own * own,
            f"{noun}_seen_s": seen_s,
        }
    made["longest_blink_interval_s"] = made["blink_interval_sum"]
    # Long blinks are longer than those that the vendor counts.
    other = f"not {limit(records.log, 'counted_speed').text(records.name('blink_event_speed'))}"
    trusted = events.counted | (events.reason == other)
    of_share = trusted & (closed_ms >= limit(records.log, "counted_speed").values[0])
    long = limit(records.log, "long_blink").keeps(closed_ms).astype(np.float64)
    made["long_blink_n"] = by_packet(long, of_share)
    made["long_blink_of_n"] = by_packet(np.ones(len(long)), of_share)
    return made


def bursts(records: Records) -> Counted:
    """Return the blinks that count, and the runs of blinks within a second of one another."""
    usable = records.parts("blink_event_strength", "blink_event_speed")
    if usable is None:
        return {}
    events = single_blinks(records)
    at = events.rows[events.counted]
    close = limit(records.log, "burst").keeps(events.since_s[events.counted])
    opens = np.append(close[1:], False)[: len(at)] & ~close
    seen = ~np.isnan(usable[0] + usable[1])
    made = {name: np.where(seen, 0.0, np.nan) for name in ("burst_n", "burst_blinks")}
    made["burst_blinks"][at], made["burst_n"][at[opens]] = 1.0, 1.0
    return made | {"burst_seen_s": np.where(seen, PACKET_S, np.nan)}


def eye_moves(records: Records) -> Counted:
    """Return the movements of the eyes; vertical ones do not count near a blink."""
    moves = {}
    for kind, ways in (("horizontal", ("left", "right")), ("vertical", ("up", "down"))):
        sizes = records.parts(*(f"eye_{way}" for way in ways))
        if sizes is not None:
            moved = np.sum([np.where(np.isnan(size), np.nan, size > 0) for size in sizes], axis=0)
            moves[f"eye_moves_{kind}"] = moved
            if kind == "vertical":
                moved[near_blink(records)] = np.nan
    return while_worn(moves, records)


def head_moves(records: Records) -> Counted:
    """Return the peaks of acceleration that show movements of the head."""
    forces, moves = records.parts(*GRAVITY), {}
    for axis, part in AXES.items():
        if forces is None:
            break
        moved = np.zeros(len(records))
        moved[head_peaks(records, axis)[0]] = 1.0
        moved[np.isnan(forces[GRAVITY.index(part)])] = np.nan
        moves[f"head_moves_{axis}"] = moved
    return while_worn(moves, records)


def tilt(records: Records, forces: Sequence[Floats] | None = None) -> Counted:
    """Return the unit vectors of the tilt from gravity, and the sums behind its SD."""
    forces = records.parts(*GRAVITY) if forces is None else forces
    if forces is None:
        return {}
    made: Counted = {}
    tilts = zip(("fore_aft", "sideways"), tilt_from_gravity(forces, records.us), strict=True)
    for noun, angles in tilts:
        made |= vectors(f"tilt_{noun}", angles, ~np.isnan(angles))
        made |= {f"tilt_{noun}_sum": angles, f"tilt_{noun}_sum2": angles * angles}
    return made


SUBJECTS_OF_PACKETS: Final = MappingProxyType(
    {of.__name__: of for of in (gait, blinks, shape, eye_moves, head_moves, tilt, bursts)}
)
"""What packets add, by subject."""
