"""The 20 Hz log of a simulated day: a row per packet while worn and connected, and its events."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from eyelog.wearer.day import Life
from eyelog.wearer.draws import Array, Bools, Draws, Floats, Ints, Stream, covered, running

PER_SECOND: Final = 20
BLINK_LAG: Final = 10  # packets; the vendor: a blink is reported about 0.5 s after it happened
STEP_LAG: Final = 4  # packets; the vendor: 0.15 to 0.25 s after the foot landed
AFTER_WEAR_S: Final = 60  # the recording goes on for a minute after the eyewear came off
FIT_S: Final = 5  # fitError is decided once in 5 s, by the motion of the 5 s before
MOVE_PACKETS: Final = 12  # a head movement, there and back, takes 0.6 s
MOVE_DEG: Final = 18.0
HUMP_DEG: Final = 1.5
_GAZE: Final = {"u": "Up", "d": "Down", "l": "Left", "r": "Right"}
_ANGLES: Final = ("roll", "pitch", "yaw")


@dataclass(frozen=True, slots=True)
class _Recording:
    """The day in packets; a packet that was lost has a place here, but no row."""

    packet: Ints  # number in the day: packet p covers the 50 ms that end at 50 (p + 1) ms
    place: Ints  # per packet of the day: where it is in `packet`, or -1
    first: Ints  # where each connection begins in `packet`
    begun: Ints  # the same for each packet of the recording
    stamp: Ints  # ms since midnight
    lost: Bools
    sequence: Ints
    cells: dict[str, Array]
    events: list[pd.DataFrame]

    def where(self, packets: Ints) -> Ints:
        """Return where these packets of the day are in the recording; -1 where they are not."""
        inside = packets < len(self.place) - 1
        return np.asarray(self.place[np.where(inside, packets, -1)])


def _seconds(day: Life) -> Bools:
    """Return the seconds that are recorded: worn, or a minute after that, and connected."""
    off = np.flatnonzero(np.diff(day.worn.astype(np.int8)) == -1) + 1
    after = covered(off, np.minimum(off + AFTER_WEAR_S, day.seconds), day.seconds)
    return np.asarray(day.linked & (day.worn | after))


def _begin(d: Draws, day: Life) -> _Recording:
    """Return packets, stamps, losses and numbers, before anything happens in them."""
    recorded = _seconds(day)
    packet = np.flatnonzero(np.repeat(recorded, PER_SECOND))
    n = len(packet)
    place = np.full(day.seconds * PER_SECOND + 1, -1, dtype=np.int64)
    place[packet] = np.arange(n)
    first = np.flatnonzero(np.diff(packet, prepend=-2) != 1)
    count = np.diff(np.append(first, n))
    # The phone gives its stamp up to 10 ms before the nominal end of a packet, never after it, so
    # the day ends at its midnight.
    stamp = 50 * (packet + 1) - d.wholes(0, 10, n)

    onset = np.flatnonzero(d.happen(np.full(n, 44)))  # about one loss in 1500 packets
    lost = covered(onset, np.minimum(onset + d.wholes(1, 8, len(onset)), n), n)
    # The ends of a connection arrive: a loss there would look like a shorter connection.
    lost[first] = lost[first + count - 1] = False

    # Each connection starts its own packet numbers; one that runs through midnight continues, so
    # both days count from the same origin.
    opens = packet[first]
    through = (opens == 0) | (opens + count == day.seconds * PER_SECOND)
    origin = np.where(through, PER_SECOND * day.begin + opens, d.wholes(0, 255, len(first)))
    sequence = (np.repeat(origin - first, count) + np.arange(n)) % 256
    return _Recording(packet, place, first, np.repeat(first, count), stamp, lost, sequence, {}, [])


def _plant(
    made: _Recording, kind: str, packets: Ints, value: Floats, duration_ms: Floats, lag: int = 0
) -> tuple[Ints, Bools]:
    """Note events of these packets; return the places that report them, and which events have one.

    An event whose connection ended before reporting it has none.
    """
    here = made.where(packets) >= 0
    shown = made.where(packets + lag)
    has = here & (shown >= 0)
    arrived = has.copy()
    arrived[has] = ~made.lost[shown[has]]
    row_at = np.where(arrived, made.stamp[shown] if len(made.stamp) else 0, -1)
    columns = {
        "at": 50 * (packets + 1),
        "value": value,
        "duration_ms": duration_ms,
        "row_at": row_at,
    }
    made.events.append(pd.DataFrame({"kind": kind, **columns})[here])
    return shown[has], has


def _instant(packets: Ints) -> Floats:
    return np.full(len(packets), np.nan)


def _eyes(d: Draws, day: Life, made: _Recording) -> None:
    n, blinks = len(made.packet), day.blinks
    width, strength = np.zeros(n), np.zeros(n)
    at = 2 * blinks.at - 1  # a blink ends its tenth of a second
    height, closed_ms = (part.astype(np.float64) for part in (blinks.strength, blinks.width))
    shown, has = _plant(made, "blink", at, height, closed_ms, BLINK_LAG)
    width[shown], strength[shown] = blinks.width[has], blinks.strength[has]
    made.cells.update(blinkSpeed=width, blinkStrength=strength)
    for way, name in _GAZE.items():
        second = np.flatnonzero(day.gaze[way] & day.worn)
        at = PER_SECOND * second + d.wholes(0, PER_SECOND - 1, len(second))
        small, large = d.wholes(1, 4, len(second)), d.wholes(5, 7, len(second))
        level = np.where(day.big[second], large, small) * 1.0
        column = np.zeros(n)
        shown, has = _plant(made, f"eye_{name.lower()}", at, level, _instant(at))
        column[shown] = level[has]
        made.cells[f"eyeMove{name}"] = column


def _feet(day: Life, made: _Recording) -> tuple[Ints, Bools]:
    """Plant the steps; return the places where feet land, and the rows that report them."""
    total = running(day.cadence)
    number = np.repeat(total[:-1] // 60, day.steps)
    second = np.repeat(np.arange(day.seconds), day.steps)
    nth = np.arange(len(second)) - np.repeat(running(day.steps)[:-1], day.steps)
    # The step falls where the running total passes a whole number of steps, sixtieths of a step.
    ahead = 60 * (number + nth + 1) - total[second]
    at = PER_SECOND * second - (-PER_SECOND * ahead // day.cadence[second]) - 1
    shown, _ = _plant(made, "step", at, _instant(at), _instant(at), STEP_LAG)
    flags = np.zeros(len(made.packet), dtype=bool)
    flags[shown] = True
    landed = made.where(at)
    return landed[landed >= 0], flags


def _moves(d: Draws, made: _Recording, kind: str, seconds: Bools) -> tuple[Floats, Floats]:
    """Plant head movements; return what they add to an angle (deg) and to an acceleration."""
    second = np.flatnonzero(seconds)
    at = PER_SECOND * second + d.wholes(0, PER_SECOND - MOVE_PACKETS - 1, len(second))
    way = np.where(d.wholes(0, 1, len(second)) == 1, 1.0, -1.0)
    _plant(made, kind, at, MOVE_DEG * way, np.full(len(at), 50.0 * MOVE_PACKETS))
    angle, push = np.zeros(len(made.packet)), np.zeros(len(made.packet))
    half = MOVE_PACKETS // 2
    for after in range(MOVE_PACKETS):
        place = made.where(at + after)
        real = place >= 0
        angle[place[real]] += (MOVE_DEG / half * (half - abs(half - after)) * way)[real]
        if after < 2:  # the documented peak of 0.07 to 0.3 G; 3 of 16 is 0.19 G
            push[place[real]] += (3.0 * way)[real]
    return angle, push


def _humps(d: Draws, made: _Recording, axis: str) -> Floats:
    """Plant humps, at which an angle jumps within one packet; return what they add to it.

    They go up and down in turn, so that they do not carry the angle away.
    """
    n = len(made.packet)
    place = np.flatnonzero(d.happen(np.full(n, 18)))  # about one in 3 minutes on each axis
    size = np.where(np.arange(len(place)) % 2 == 0, HUMP_DEG, -HUMP_DEG)
    at = made.packet[place]
    _plant(made, f"hump_{axis}", at, size, _instant(at))
    leaps = np.zeros(n)
    leaps[place] = size
    return np.asarray(np.cumsum(leaps))


def _head(d: Draws, day: Life, made: _Recording) -> None:
    n = len(made.packet)
    landed, flags = _feet(day, made)
    nod, push_z = _moves(d, made, "nod", day.nod & day.worn)
    turn, push_x = _moves(d, made, "turn", day.turn & day.worn)
    middle = 15.0 * np.arange(len(day.forward)) + 7.5
    at = (made.packet + 1) / PER_SECOND
    forward, sideways = (np.interp(at, middle, lean) for lean in (day.forward, day.sideways))

    # The estimate of the turn about the vertical has no gravity as a reference: it drifts.
    count = np.diff(np.append(made.first, n))
    drift = d.wholes(-50, 50, len(made.first)) / 100  # deg per s
    opens = made.packet[made.first]
    _plant(made, "drift", opens, drift, 50.0 * count)
    since = (np.arange(n) - made.begun) / PER_SECOND
    angles = {
        "roll": sideways,
        "pitch": forward + nod,
        "yaw": np.repeat(drift, count) * since + turn + 180.0,
    }
    for axis in _ANGLES:
        angle = angles[axis] + _humps(d, made, axis) + 0.04 * d.bell(n)
        low = 0 if axis == "yaw" else -18_000
        # Whole hundredths wrap exactly, so 360 itself never occurs.
        made.cells[axis] = ((np.rint(100 * angle).astype(np.int64) - low) % 36_000 + low) / 100

    tilt, lean = np.radians(forward), np.radians(sideways)
    push_z[landed] += 5.0
    gravity = {
        "accX": 16.0 * np.sin(lean) + push_x,
        "accY": 16.0 * np.cos(lean) * np.sin(tilt),
        "accZ": 16.0 * np.cos(lean) * np.cos(tilt) + push_z,
    }
    for axis, value in gravity.items():
        # Rounded first: the last digit of a sine differs between machines.
        made.cells[axis] = np.rint(np.round(value + 0.4 * d.bell(n), 6)) + 0.0
    made.cells["walking"] = flags


def _trust(day: Life, made: _Recording) -> None:
    second = made.packet // PER_SECOND
    made.cells["noiseStatus"] = day.noise[second]
    begins = np.arange(0, day.seconds, FIT_S)
    moved = np.append(True, np.add.reduceat(day.judged.astype(np.int64), begins) > 0)
    made.cells["fitError"] = (~moved[second // FIT_S]).astype(np.float64)
    made.cells["powerLeft"] = day.battery[second].astype(np.float64)
    made.cells["sequenceNumber"] = made.sequence.astype(np.float64)

    for kind, condition in (("noise", made.cells["noiseStatus"]), ("loss", made.lost)):
        # A bout ends with its connection.
        opens = condition & (
            ~np.append(False, condition[:-1]) | (made.begun == np.arange(len(second)))
        )
        place = np.flatnonzero(opens)
        owner = np.cumsum(opens)[condition] - 1
        count = np.bincount(owner, minlength=len(place)).astype(np.float64)
        _plant(made, kind, made.packet[place], count, 50.0 * count)


def _recording(seed: int, day: Life) -> _Recording:
    d = Draws(seed, Stream.TWENTY, day.plan.day.toordinal())
    made = _begin(d, day)
    _eyes(d, day, made)
    _head(d, day, made)
    _trust(day, made)
    return made


def values(seed: int, day: Life, _who: object) -> tuple[Ints, dict[str, Array]]:
    """Return the stamps of the day's rows, in ms since midnight, and a column per field."""
    made = _recording(seed, day)
    arrived = ~made.lost
    return made.stamp[arrived], {name: cells[arrived] for name, cells in made.cells.items()}


def planted(seed: int, day: Life) -> pd.DataFrame:
    """Return what was planted in the day's rows, kind by kind, by ms of Unix time.

    ``row_at`` is the stamp of the row that reports an event; -1 where no row does.
    """
    events = pd.concat(_recording(seed, day).events, ignore_index=True)
    events["at"] += 1000 * day.begin
    events.loc[events["row_at"] >= 0, "row_at"] += 1000 * day.begin
    return events
