"""One day as it happens, second by second; each log then records it in its own way.

Everything is an event or a state per second (blinks per tenth of a second, pose and mood per
quarter of a minute), so the two logs differ only as the devices do, and the truth is known.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

import numpy as np

from eyelog.clock import day_start
from eyelog.wearer.draws import Draws, Stream, bouts, wander
from eyelog.wearer.habits import DAY_S, KINDS, Plan, Traits, column, plan
from eyelog.wearer.interval_sums import Bools, Floats, Ints, Kinds, covered, running

CAPACITY: Final = 24 * 3600 * 4  # a day of wear; lying uses a quarter as much
SLOTS_PER_MINUTE: Final = 600  # blinks are placed on tenths of a second
_WALKING: Final = ("walk", "run", "bag_walk")


@dataclass(frozen=True, slots=True)
class Blinks:
    """The blinks that the electrodes detect (none during noise), in order of time."""

    at: Ints  # tenths of a second since midnight, each the end of its tenth
    strength: Ints  # uV-equiv
    width: Ints  # ms
    npt: Ints  # thousandths


@dataclass(frozen=True, slots=True)
class Life:
    """One day; arrays without a comment hold one value per second."""

    plan: Plan
    begin: int  # UTC second of the local midnight
    seconds: int  # length of the day
    kind: Kinds
    worn: Bools
    walking: Bools
    noise: Bools
    judged: Bools  # what the eyewear judges as wear
    on: Bools  # powered and awake
    linked: Bools  # on, and the phone connected
    steps: Ints
    cadence: Ints
    blinks: Blinks
    blink_cells: Ints  # planted chance of a blink per tenth of a second
    gaze: dict[str, Bools]  # u, d, r, l
    big: Bools  # whether a gaze shift of this second is large
    nod: Bools
    turn: Bools
    battery: Ints
    off: int  # second at which the eyewear came off for the night
    forward: Floats  # from here on: one value per 15 seconds
    sideways: Floats
    restless: Floats
    focus: Floats
    tension: Floats
    calm: Floats
    drowsy: Floats


def _elapsed(seconds: list[int], day: date, begin: int, place: tzinfo, length: int) -> Ints:
    """Return local clock seconds as seconds since midnight, also on days when the clock changes."""
    if length == DAY_S:
        return np.minimum(np.array(seconds, dtype=np.int64), length)
    midnight = datetime.combine(day, time())
    wall = [(midnight + timedelta(seconds=s)).replace(tzinfo=place) for s in seconds]
    # A time that occurs twice means the first; an activity at a time that never occurs is skipped.
    folds = [[w.replace(fold=fold).timestamp() for w in wall] for fold in (0, 1)]
    elapsed = [round(min(both)) - begin for both in zip(*folds, strict=True)]
    return np.clip(np.maximum.accumulate(np.array(elapsed, dtype=np.int64)), 0, length)


def _spread(begins: Ints, values: list[int], length: int) -> Kinds:
    lengths = np.diff(np.append(begins, length))
    return np.repeat(np.array(values, dtype=np.uint8), lengths)


def _battery(kind: Kinds, worn: Bools, planned: Plan) -> tuple[Ints, Bools]:
    """Return the battery level and whether there is power; it charges only on the charger."""
    charging = kind == KINDS["charger"]
    moved = worn | _during(kind, "bag_walk", "bag_ride")
    use = np.where(charging, 0, np.where(moved, 4, 1))
    # Before a night without the charger, a third is left after a day of wear.
    start = CAPACITY if planned.before.charged else CAPACITY // 3
    left = start - running(use)[1:]
    level = np.where(charging, 0, 1 + np.clip(left * 5 // CAPACITY, 0, 4))
    return level, charging | (left > 0)


def _cells(rates: Floats, kind: Kinds) -> Ints:
    """Return rates per minute by kind of activity as chances per second, in cells."""
    return np.asarray(Draws.cells(rates)[kind])


def _during(kind: Kinds, *names: str) -> Bools:
    """Return the seconds spent in one of the named activities."""
    return np.asarray(np.array([name in names for name in KINDS])[kind])


def _walks(d: Draws, kind: Kinds) -> Bools:
    """Return the seconds of walking: whole walks with halts, and short strolls elsewhere."""
    whole = np.array([name in _WALKING for name in KINDS])
    halts = bouts(d, _cells(np.where(whole, 0.45, 0.0), kind), 3, 22)
    longest = column("stroll_s").astype(np.int64)
    strolls = bouts(
        d, _cells(column("stroll"), kind), (longest // 4 + 1)[kind], (longest + 1)[kind]
    )
    return np.asarray((whole[kind] & ~halts) | (strolls & (longest > 0)[kind]))


def _steps(d: Draws, kind: Kinds, walking: Bools, who: Traits) -> tuple[Ints, Ints]:
    """Return steps and cadence; cadence changes slowly and is lower indoors."""
    n = len(kind)
    own = {"shop": who.cadence - 14, "walk": who.cadence, "bag_walk": who.cadence,
           "run": who.cadence + 52}  # fmt: skip
    pace = np.array([own.get(name, 88) for name in KINDS], dtype=np.int64)
    change = np.rint(3.5 * wander(d, n // 15 + 1, 4)).astype(np.int64)
    cadence = np.where(walking, pace[kind] + np.repeat(change, 15)[:n], 0)
    # A step falls where the running total of cadence / 60 passes a whole number.
    return np.diff(running(cadence) // 60), cadence


def _judged(d: Draws, kind: Kinds, worn: Bools, walking: Bools) -> Bools:
    """Return when the eyewear judges itself worn, which it does by motion alone."""
    still = column("still") > 0
    # Spells of 2 to 10 minutes cover 30 % where onsets * mean length = -ln(0.7) = 0.357.
    spells = bouts(d, _cells(np.where(still, 0.357 / 6, 0.0), kind), 120, 600)
    spells &= still[kind] & ~walking
    # The table is bumped now and then; on the charger the eyewear hardly ever moves.
    knocks = np.zeros(len(KINDS))
    knocks[KINDS["lying"]], knocks[KINDS["charger"]] = 0.08, 0.01
    charger = _during(kind, "charger")
    bumps = bouts(d, _cells(knocks, kind), np.where(charger, 2, 4), np.where(charger, 6, 40))
    bumps &= charger | _during(kind, "lying")
    shakes = np.zeros(len(KINDS))
    shakes[KINDS["bag_ride"]] = 1.5
    shaken = bouts(d, _cells(shakes, kind), 10, 70) & _during(kind, "bag_ride")
    return np.asarray((worn & ~spells) | bumps | shaken | _during(kind, "bag_walk", "handling"))


def _blinks(
    d: Draws, cells: Ints, seen: Bools, tension: Floats, calm: Floats, who: Traits
) -> Blinks:
    at = np.flatnonzero(d.happen(cells, 10)) + 1
    at = at[seen[(at - 1) // 10]]
    n, slot = len(at), (at - 1) // 150
    spread = 0.24 - 0.04 * calm[slot]
    height = who.strength * (1.0 + 0.09 * tension[slot]) * (1.0 + spread * d.bell(n))
    half = d.wholes(0, 99, n) < 4  # half a blink: below the limits of strength
    strength = np.rint(np.where(half, 0.3 * height, height)).astype(np.int64)
    width = np.rint(who.width + 15.0 * d.bell(n)).astype(np.int64)
    npt = np.rint(who.npt + 35.0 * d.bell(n)).astype(np.int64)
    return Blinks(at, np.clip(strength, 8, 400), np.clip(width, 55, 290), np.clip(npt, -250, 250))


def _pose(d: Draws, kind: Kinds, worn: Bools, who: Traits) -> tuple[Floats, Floats]:
    """Return the lean forward and sideways; eyewear put down is in a pose that no head takes."""
    n = len(kind)
    rest = column("restless")[kind]
    slow, own, side = wander(d, n, 20), d.bell(n), wander(d, n, 28)
    forward = column("forward")[kind] + worn * who.forward + rest * (1.1 * slow + 0.5 * own)
    sideways = worn * who.sideways + rest * (0.7 * side + 0.4 * d.bell(n))
    bag = _during(kind, "bag_walk", "bag_ride")
    return forward, np.where(bag, 98.0 + sideways, sideways)


def live(seed: int, day: date, who: Traits, place: tzinfo) -> Life | None:
    """Return one local day of the wearer, or None if the zone skipped that day."""
    begin = round(day_start(day, place).timestamp())
    n = round(day_start(day + timedelta(days=1), place).timestamp()) - begin
    if n <= 0:
        return None
    planned = plan(seed, day, who)
    d = Draws(seed, Stream.LIFE, day.toordinal())
    begins = _elapsed([at for at, _ in planned.activities], day, begin, place, n)
    kind = _spread(begins, [KINDS[name] for _, name in planned.activities], n)
    worn = (column("worn") > 0)[kind]
    battery, power = _battery(kind, worn, planned)
    on = power & (kind != KINDS["asleep"])
    edges = _elapsed([at for link in planned.links for at in link], day, begin, place, n)
    linked = on & covered(edges[0::2], edges[1::2], n)

    walking = _walks(d, kind)
    steps, cadence = _steps(d, kind, walking, who)
    rattle = Draws.cells(np.full(1, 4.0))[0]  # each step may shake the electrodes
    onsets = np.where(walking, rattle, _cells(column("noise"), kind))
    noise = bouts(d, onsets, 1, np.maximum(column("noise_s").astype(np.int64), 1)[kind])
    judged = _judged(d, kind, worn, walking)

    slots = -(-n // 15)
    at = np.minimum(np.arange(slots) * 15 + 7, n - 1)
    kind_at, worn_at = kind[at], worn[at]
    tension, calm, alert = wander(d, slots, 120), wander(d, slots, 100), wander(d, slots, 80)
    hour = (np.arange(slots) * 15 // 60) / 60.0
    after_lunch = np.maximum(0.0, 1.0 - np.abs(hour - 14.0) / 1.5)
    evening = np.clip((hour - 19.0) / 4.0, 0.0, 1.0)
    focus = column("focus")[kind_at] - 9.0 * after_lunch - 8.0 * evening + 9.0 * alert
    forward, sideways = _pose(d, kind_at, worn_at, who)

    # The level of the day and a rise towards the evening, on top of the activity.
    level = who.blink * (1.0 + d.whole(-8, 8) / 100)
    by_slot = level * column("blink")[kind_at] * (1.0 + 0.15 * evening) * (1.0 + 0.06 * alert)
    rate = np.repeat(by_slot, 15)[:n] * worn
    cells = Draws.cells(rate, SLOTS_PER_MINUTE)
    blinks = _blinks(d, cells, on & ~noise, tension, calm, who)

    def happens(name: str) -> Bools:
        # The head moves more while walking.
        extra = 1.5 if name in ("turn", "nod") else 0.0
        still, moving = _cells(column(name), kind), _cells(column(name) + extra, kind)
        return d.happen(np.where(walking, moving, still) if extra else still)

    return Life(
        plan=planned, begin=begin, seconds=n, kind=kind, worn=worn, walking=walking, noise=noise,
        judged=judged, on=on, linked=linked, steps=steps, cadence=cadence, blinks=blinks,
        blink_cells=cells,
        gaze={"u": happens("gaze_up"), "d": happens("gaze_up"),
              "r": happens("gaze_side"), "l": happens("gaze_side")},
        big=d.happen(np.full(n, 24000)), nod=happens("nod"), turn=happens("turn"),
        battery=battery, off=int(_elapsed([planned.off_s], day, begin, place, n)[0]),
        forward=forward, sideways=sideways, restless=column("restless")[kind_at],
        focus=focus, tension=tension, calm=calm,
        drowsy=28.0 + 22.0 * after_lunch + 18.0 * evening - 10.0 * alert,
    )  # fmt: skip
