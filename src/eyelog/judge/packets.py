"""Packets of the 20 Hz log: single blinks, steps, movements, and what they add to 15 seconds.

A packet may report one event. Each is found here once, whether it is listed, counted in a summary
or written into a recomputed record.

The eyewear numbers the packets that it sends twenty times a second, from 0 to 255 and then from 0
again. The phone stamps each packet when it arrives, so the stamps are uneven and the numbers are
not: a jump in the numbers is a loss. A new connection starts its own numbers. Numbers repeat every
12.8 s. After a longer pause a jump therefore gives no information about what was lost, and a pause
of more than 12 s ends a connection.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import CURRENT_DATA
from eyelog.judge.arrays import Bools, Floats, Ints, around, changes, numbers
from eyelog.judge.limits import limit
from eyelog.judge.reasons import WORDS, Reason
from eyelog.judge.records import Judged, Records
from eyelog.judge.terms import EYE_MOVES, HEAD_MOVES, Counted, moves, vectors

SINGLE: Final = ("blink_event_strength", "blink_event_speed")  # of single blinks, by their roles
PACKET_US: Final = 50_000
# How many numbers there are: 255 is followed by 0
NUMBERS: Final = 256
# The longest pause within a connection
PAUSE_US: Final = 12_000_000
# The radio holds packets back for some tenths of a second when it has to repeat them. Stamps and
# numbers that differ by more than this are not about the same connection.
# How far the stamps of a connection may be from what its numbers indicate
LATE_US: Final = 1_000_000
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


class Packets(NamedTuple):
    """What the numbers of packets say about each row.

    Attributes
    ----------
    opens : array of bool
        Whether a new connection begins with the row; the first row does not count as one.
    lost : array of int64
        How many packets of the same connection were lost just before the row.
    """

    opens: Bools
    lost: Ints

    @property
    def connection(self) -> Ints:
        """The connection that each row belongs to, counted from 0."""
        return np.cumsum(self.opens, dtype=np.int64)

    @property
    def sent(self) -> Ints:
        """How many packets were sent until each row, itself included, over all connections."""
        return np.cumsum(self.lost + 1, dtype=np.int64)


def sent(records: Records) -> Packets:
    """Return where connections begin, and how many packets were lost before each."""
    return packets(records.us, records.evidence("sequence"))


def counts_as_blink(strength: Floats, closed_ms: Floats) -> Bools:
    """Return which blinks are within the limits of the vendor's count."""
    strong = limit(CURRENT_DATA, "counted_strength").keeps(strength)
    return strong & limit(CURRENT_DATA, "counted_speed").keeps(closed_ms)


def single_blinks(records: Records) -> Events:
    """Return the blinks, and the time between those that count."""
    names = [records.name(part) for part in SINGLE]
    strength, closed_ms = (numbers(records.columns[name], name) for name in names)
    at = np.flatnonzero((strength > 0) | (closed_ms > 0))
    unusable = {WORDS[r]: records.context[r] for r in UNUSABLE if r in records.context}
    against = {word: rows[at] for word, rows in unusable.items()}
    for part, values in (("counted_strength", strength), ("counted_speed", closed_ms)):
        rule = limit(records.log, part)
        against[f"not {rule.text(records.name(rule.role))}"] = ~rule.keeps(values[at])
    words = first_word(against, len(at))
    kept, missing = at[words == ""], np.isnan(strength) | np.isnan(closed_ms)
    apart_s = np.diff(records.us[kept]) / 1e6
    apart = {**unusable, WORDS[Reason.MISSING]: missing}
    return _spaced(sent(records), at, words, apart_s, "no blink before", apart)


def single_steps(records: Records) -> Events:
    """Return the steps, and the time that each takes."""
    at = np.flatnonzero(records.evidence("step_event") == 1)
    unworn = records.context.get(Reason.UNWORN, np.zeros(records.size, dtype=bool))
    words = first_word({WORDS[Reason.UNWORN]: unworn[at]}, len(at))
    # Counted in packets: stamps are late by varying amounts.
    found = sent(records)
    took_s = np.diff(found.sent[at[words == ""]]) * PACKET_S
    pauses = {"a pause": ~limit(records.log, "longest_step").keeps(took_s)}
    apart = {WORDS[Reason.UNWORN]: unworn}
    return _spaced(found, at, words, took_s, "no step before", apart, pauses)


def _spaced(
    found: Packets,
    at: Ints,
    words: npt.NDArray[np.object_],
    apart_s: Floats,
    nothing_before: str,
    rows: Mapping[str, Bools],
    gaps: Mapping[str, Bools] = MappingProxyType({}),
) -> Events:
    """Return events with the time since the one before that counts, or what comes between them.

    A new connection is named first and lost packets last.

    Parameters
    ----------
    found : Packets
        Where connections begin, and how many packets were lost before each row.
    at : array of int64
        The rows of the events, in order of time.
    words : array of str
        Why each does not count; otherwise empty.
    apart_s : array of float64
        The time between those that count.
    nothing_before : str
        What is said of the first of them.
    rows : mapping of str to array of bool
        The rows that count if one of them is in between, by their word.
    gaps : mapping of str to array of bool
        What applies to the time between two events itself.
    """
    kept, between = np.flatnonzero(words == ""), first_word({}, len(at))
    since_s = np.full(len(at), np.nan)
    if len(kept):
        of_rows = {"a new connection": found.opens, **rows}, {"packets lost": found.lost > 0}
        first, last = (
            {word: np.diff(np.cumsum(marked)[at[kept]]) > 0 for word, marked in each.items()}
            for each in of_rows
        )
        told = first_word({**first, **gaps, **last}, len(kept) - 1)
        since_s[kept[1:]] = np.where(told == "", apart_s, np.nan)
        between[kept[1:]], between[kept[0]] = told, nothing_before
    return Events(at, words, since_s, between)


def first_word(against: Mapping[str, Bools], number: int) -> npt.NDArray[np.object_]:
    """Return for each row the first of the words that apply to it, or an empty text."""
    words: npt.NDArray[np.object_] = np.full(number, "", dtype=object)
    for word in reversed([*against]):  # what is named first is written last
        words[against[word]] = word
    return words


def near_blink(records: Records) -> Bools:
    """Return the rows so close to a blink that a vertical movement in them may be part of it."""
    seen = [values for part in SINGLE if (values := records.evidence(part)) is not None]
    blinking = np.logical_or.reduce([np.zeros(records.size, dtype=bool), *(v > 0 for v in seen)])
    # A blink in time that is not usable is masked, and masking must change nothing.
    for reason in UNUSABLE:
        if reason in records.context:
            blinking &= ~records.context[reason]
    reach_us = round(limit(records.log, "near_blink").value * 1e6)
    return around(records.us, blinking, reach_us, reach_us)


def head_peaks(records: Records, axis: str) -> tuple[Ints, Floats, Ints]:
    """Return the peaks of acceleration that show movements about one axis, in order of time.

    For each the row in which it is highest, its height in G, and how many packets it takes.

    Two packets or more in which the acceleration leaves its median of the 0.5 s around by 0.07 to
    0.3 G; above that it is a step or a knock.
    """
    away = cast(Floats, records.evidence(AXES[axis])) / UNITS_PER_G
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
    events, recorded_s = single_steps(records), records.time["recorded_s"]
    took_s = np.full(records.size, np.nan)
    took_s[events.rows] = events.since_s
    one = ~np.isnan(took_s)
    return {
        "steps": taken,
        "steps_s": (taken.used, PACKET_S),
        "uncounted_s": (None, recorded_s, ~taken.used),
        "capped_n": (recorded_s > 0, 0.0),
        "pace_n": (one,),
        "pace_steps": (one,),
        "pace_s": (one, took_s),
        "step_n": (one,),
        "step_s": (one, took_s),
        "step_s2": (one, took_s, took_s),
    }


def blinks(records: Records) -> Counted:
    """Return the blinks that count, and the seconds in which they would have."""
    parts = records.parts(*SINGLE)
    if parts is None:
        return {}
    strength, closed_ms = parts
    seen = strength.used & closed_ms.used
    counted = counts_as_blink(strength.values, closed_ms.values)
    return {"blink_n": (seen, counted), "blink_s": (seen, PACKET_S)}


def shape(records: Records) -> Counted:
    """Return strength, duration and intervals of the blinks that count, and how many are long."""
    usable = records.parts(*SINGLE)
    if usable is None:
        return {}
    events, seen = single_blinks(records), usable[0].used & usable[1].used
    strength, closed_ms = (each.values[events.rows] for each in usable)

    def by_packet(values: Floats, chosen: Bools) -> Floats:
        rows = np.full(records.size, np.nan)
        rows[events.rows[chosen]] = values[chosen]
        return rows

    made: Counted = {}
    for noun, values in (
        ("strength", strength),
        ("duration", closed_ms),
        ("blink_interval", events.since_s),
    ):
        own = by_packet(values, events.counted)
        known = ~np.isnan(own)
        made |= {
            f"{noun}_n": (known,),
            f"{noun}_sum": (known, own),
            f"{noun}_sum2": (known, own, own),
            f"{noun}_seen_s": (seen, PACKET_S),
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
    usable = records.parts(*SINGLE)
    if usable is None:
        return {}
    events, seen = single_blinks(records), usable[0].used & usable[1].used
    at = events.rows[events.counted]
    close = limit(records.log, "burst").keeps(events.since_s[events.counted])
    opens = np.append(close[1:], False)[: len(at)] & ~close
    blinked, burst = np.zeros((2, records.size), dtype=bool)
    blinked[at], burst[at[opens]] = True, True
    return {
        "burst_n": (seen | burst, burst),
        "burst_blinks": (seen | blinked, blinked),
        "burst_seen_s": (seen, PACKET_S),
    }


def eye_moves(records: Records) -> Counted:
    """Return the movements of the eyes; vertical ones do not count near a blink."""
    found = {}
    for kind, ways in (("horizontal", ("left", "right")), ("vertical", ("up", "down"))):
        sizes = records.parts(*(f"eye_{way}" for way in ways))
        if sizes is not None:
            (used, one), (also, other) = sizes
            used = used & also
            if kind == "vertical":
                used &= ~near_blink(records)
            found[f"eye_moves_{kind}"] = Judged(used, (one > 0) + 1.0 * (other > 0))
    return moves(records, EYE_MOVES, found)


def head_moves(records: Records) -> Counted:
    """Return the peaks of acceleration that show movements of the head."""
    forces, found = records.parts(*GRAVITY), {}
    for axis, part in AXES.items():
        if forces is None:
            break
        moved = np.zeros(records.size)
        moved[head_peaks(records, axis)[0]] = 1.0
        found[f"head_moves_{axis}"] = Judged(forces[GRAVITY.index(part)].used, moved)
    return moves(records, HEAD_MOVES, found)


def tilt(records: Records, forces: Sequence[Floats] | None = None) -> Counted:
    """Return the unit vectors of the tilt from gravity, and the sums behind its SD.

    The forces of `GRAVITY` are averaged over the 0.5 s around each row, so that only gravity
    remains. Missing where they cancel out: nothing then shows which way is down. Eyewear that is
    worn upright reports about -16 on the vertical axis in the public samples, and +16 is an equally
    common convention, so the angles are measured to the axis, whatever its sign.
    """
    if forces is None:
        judged = records.parts(*GRAVITY)
        if judged is None:
            return {}
        forces = [np.where(used, values, np.nan) for used, values in judged]
    index = pd.DatetimeIndex(records.us.view("M8[us]"))

    def smoothed(values: Floats) -> Floats:
        mean = pd.Series(values, index).rolling(SMOOTHED, center=True, closed="both").mean()
        return np.where(np.isnan(values), np.nan, mean.to_numpy())

    x, y, z = map(smoothed, forces)
    # In place, since a day of the log has a million rows.
    forward = np.arctan2(y, np.abs(z, out=z))
    level = np.hypot(y, z, out=z)
    aside = np.arctan2(x, level, out=y)
    nowhere = ~(np.hypot(x, level, out=x) > 0)
    made: Counted = {}
    for noun, angles in (("fore_aft", forward), ("sideways", aside)):
        np.degrees(angles, out=angles)
        angles[nowhere] = np.nan
        known = ~np.isnan(angles)
        made |= vectors(f"tilt_{noun}", known, angles)
        made |= {f"tilt_{noun}_sum": (known, angles), f"tilt_{noun}_sum2": (known, angles, angles)}
    return made


SUBJECTS_OF_PACKETS: Final = {
    of.__name__: of for of in (gait, blinks, shape, eye_moves, head_moves, tilt, bursts)
}
"""What packets add, by subject."""


# The time from one packet to the next


def packets(us: Ints, sequence: Floats | None) -> Packets:
    """Return where connections begin, and how many packets were lost before each row.

    A row opens a new connection if the pause before it is longer than 12 s, or if its number jumps
    by a time that the stamps do not confirm (more than 1 s off). The first row of a connection has
    lost none: what was sent before it is unknown. A number that is repeated within 1 s is the same
    packet received twice, so nothing was lost before it.

    Parameters
    ----------
    us : array of int64
        Sorted stamps in microseconds.
    sequence : array of float64, optional
        The number of each packet, 0 to 255. Where one is missing, or without numbers, only a pause
        opens a connection, a pause of more than 1 s counts as lost packets, and a shorter one as a
        late stamp.

    Examples
    --------
    >>> us = np.array([0, 50_000, 150_000, 200_000, 20_000_000])
    >>> found = packets(us, np.array([254.0, 255.0, 1.0, 90.0, 91.0]))
    >>> found.connection.tolist(), found.lost.tolist()
    ([0, 0, 0, 1, 2], [0, 0, 1, 0, 0])
    """
    steps = np.diff(us, prepend=us[:1])
    # By how many numbers each row has jumped; missing where a number is.
    leaps = np.full(len(us), np.nan)
    if sequence is not None:
        known = np.where((sequence >= 0) & (sequence < NUMBERS), sequence, np.nan)
        ahead = np.diff(known, prepend=np.nan)
        leaps = np.mod(ahead - 1, NUMBERS)
        leaps[(ahead == 0) & (steps <= LATE_US)] = 0.0
    off = np.abs((leaps + 1) * PACKET_US - steps)
    opens = (steps > PAUSE_US) | ((leaps > 0) & (off > LATE_US))
    paused = np.where(steps > LATE_US, np.rint(steps / PACKET_US) - 1, 0.0)
    gone = np.where(np.isnan(leaps), paused, leaps)
    gone[opens] = 0.0
    return Packets(np.asarray(opens, dtype=np.bool_), np.asarray(gone, dtype=np.int64))


def even(us: Ints, sequence: Floats | None) -> Ints:
    """Return the stamps that packets would have if none had been late.

    Within each connection the stamps are regressed on the number of packets sent until then. A row
    alone in its connection keeps its stamp.

    Parameters
    ----------
    us : array of int64
        Sorted, unique stamps in microseconds.
    sequence : array of float64, optional
        The number of each packet, 0 to 255.

    Returns
    -------
    array of int64
        Sorted, unique stamps in microseconds.

    Examples
    --------
    >>> even(np.array([0, 40_000, 110_000, 150_000]), np.array([254.0, 255, 0, 1])).tolist()
    [-3000, 49000, 101000, 153000]
    """
    if not len(us):
        return us
    numbered = packets(us, sequence)
    codes, sent = numbered.connection, numbered.sent.astype(np.float64)
    rows = np.bincount(codes)
    first = us[changes(codes)]
    after = (us - first[codes]).astype(np.float64)
    x = sent - (np.bincount(codes, sent) / rows)[codes]
    mean = np.bincount(codes, after) / rows
    spread = np.bincount(codes, x * x)
    slope = np.bincount(codes, x * after) / np.where(spread > 0, spread, 1.0)
    fitted = first[codes] + np.rint(mean[codes] + slope[codes] * x).astype(np.int64)
    # Two connections may meet within the jitter of their stamps.
    order = np.arange(len(us))
    return np.asarray(np.maximum.accumulate(fitted - order) + order, dtype=np.int64)
