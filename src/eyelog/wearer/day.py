"""The simulated wearer's day: the behaviour, and then what happens second by second.

Traits, week and plan depend only on the seed and the calendar date, so a date always gives the same
day, whichever days are simulated. A plan is a list of activities with the local clock second at
which each begins. Of the day as it happens, everything is an event or a state per second (blinks
per tenth of a second, pose and mood per quarter of a minute), so the logs differ only as the
devices do, and the truth is known.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eyelog.clock import day_start
from eyelog.wearer.draws import Bools, Draws, Floats, Ints, Stream, bouts, covered, running, wander

Kinds = NDArray[np.uint8]

DAY_S: Final = 86_400


# The activities as the eyewear sees them; rates are per minute. Whether the eyewear is on the nose;
# how many times as often as at rest the wearer blinks; the lean of the head forward and its spread
# (degrees); gaze shifts to a side, and up (and as many down); head movements to a side, and up or
# down; onsets of electrode noise, and the longest bout (s); onsets of short walks, and the longest
# (s); whether the wearer sits so still that the eyewear is judged off about 30 % of the time; and
# the immersion, in score points.
_ACTIVITIES: Final = """
kind     worn blink forward restless side  up turn nod noise noise_s stroll stroll_s still focus
charger     0   0.0     -81      0.1  0.0 0.0  0.0 0.0  0.02       3   0.00        0     0     0
lying       0   0.0     -72      0.1  0.0 0.0  0.0 0.0  0.60       9   0.00        0     0     0
asleep      0   0.0     172      0.1  0.0 0.0  0.0 0.0  0.00       0   0.00        0     0     0
bag_walk    0   0.0      24      9.0  0.0 0.0  1.0 2.0  4.00       9   0.00        0     0     0
bag_ride    0   0.0      24      2.0  0.0 0.0  0.2 0.4  4.00       9   0.00        0     0     0
home        1   1.1       8      6.0  9.0 4.0  5.0 4.0  0.40       4   0.35       20     0    40
walk        1   1.1       3      3.5 10.0 5.0  4.0 1.5  3.00       3   0.00        0     0    42
shop        1   1.0       6      5.0 13.0 6.0  8.0 4.0  0.80       3   2.20       30     0    45
run         1   1.0       5      5.0  7.0 3.0  2.0 1.5  6.00       4   0.00        0     0    40
ride        1   0.8      22      3.0  7.0 3.0  1.2 0.8  0.25       3   0.00        0     0    48
desk        1   0.7      15      2.0 11.0 3.0  0.8 0.5  0.12       3   0.02       25     1    60
read        1   0.6      31      1.6 13.0 2.0  0.4 0.4  0.10       3   0.00        0     1    66
talk        1   1.5       4      4.5  8.0 4.0  4.0 5.0  0.30       3   0.03       15     0    45
meal        1   1.2      20      6.5  7.0 5.0  3.0 4.0  7.00       6   0.02       12     0    40
pause       1   1.2       5      5.0  9.0 4.0  5.0 3.0  0.40       4   1.20       35     0    38
screen      1   0.8       2      2.5  7.0 3.0  0.7 0.5  0.12       3   0.03       15     1    50
handling    0   0.0      45      30. 20.0 9.0  9.0 9.0  20.0       9   0.00        0     0     0
"""
_HEADER, *_ROWS = (line.split() for line in _ACTIVITIES.strip().splitlines())
KINDS: Final = {row[0]: number for number, row in enumerate(_ROWS)}


def column(name: str) -> Floats:
    """Return one column of the table of activities, by number of the kind."""
    place = _HEADER.index(name)
    return np.array([row[place] for row in _ROWS], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Traits:
    """The constant traits of a wearer."""

    blink: float  # blinks per minute at rest
    strength: int  # uV-equiv
    width: int  # ms
    npt: int  # thousandths
    cadence: int  # steps per minute
    sway: float  # times the usual sway of the head
    asymmetry: tuple[float, ...]  # right over left foot: x, y, z, impact
    forward: float
    sideways: float
    early: int  # seconds by which the day starts later; negative: earlier


@dataclass(frozen=True, slots=True)
class Night:
    """The night that begins in the evening of a day."""

    charged: bool
    linked: bool  # the phone stays connected through the night
    phase: int  # second of the 15-second grid of that connection
    leftover: tuple[int, ...]  # the rest in the blink buffer: strength, width, npt, gap


@dataclass(frozen=True, slots=True)
class Plan:
    """One day, in local clock seconds from its midnight."""

    day: date
    activities: tuple[tuple[int, str], ...]  # (begin, activity), the first at 0
    links: tuple[tuple[int, int], ...]  # connections of the phone (from, to)
    off_s: int  # taken off for the night
    before: Night
    after: Night


def traits(seed: int) -> Traits:
    """Return the traits of the wearer with this seed."""
    d = Draws(seed, Stream.TRAITS)
    return Traits(
        blink=d.whole(120, 200) / 10,
        strength=d.whole(85, 125),
        width=d.whole(125, 165),
        npt=d.whole(50, 120),
        cadence=d.whole(104, 121),
        sway=d.whole(85, 115) / 100,
        asymmetry=tuple(1 + d.whole(2, 9) * (1 if d.chance(50) else -1) / 100 for _ in range(4)),
        forward=d.whole(-40, 50) / 10,
        sideways=d.whole(-35, 35) / 10,
        early=d.whole(-1500, 1500),
    )


def _week(seed: int, day: date) -> dict[str, int]:
    """Return the day of the week (0 is Monday) of each mishap in the week of `day`; 9 is never."""
    d = Draws(seed, Stream.WEEK, (day.toordinal() - 1) // 7)
    return {
        # Never on Sunday, so that the charger is never missed two nights in a row.
        "uncharged": d.whole(0, 5) if d.chance(70) else 9,
        "forgotten": d.whole(0, 4) if d.chance(75) else 9,
        "bag": d.whole(0, 4) if d.chance(60) else 9,
        "asleep": d.whole(5, 6) if d.chance(70) else 9,
    }


def night(seed: int, day: date, who: Traits) -> Night:
    """Return the night that begins in the evening of `day`."""
    d = Draws(seed, Stream.NIGHT, day.toordinal())
    return Night(
        charged=_week(seed, day)["uncharged"] != day.weekday(),
        linked=d.chance(25),
        phase=d.whole(0, 14),
        leftover=(
            who.strength + d.whole(-15, 15),
            who.width + d.whole(-12, 12),
            who.npt + d.whole(-20, 20),
            d.whole(15, 90),
        ),
    )


class _Diary:
    """Collect the activities of a plan, one after the other, from midnight on."""

    def __init__(self, draws: Draws, first: str) -> None:
        self.d, self.now = draws, 0
        self.activities: list[tuple[int, str]] = [(0, first)]

    def until(self, second: int, kind: str) -> None:
        """Let the current activity run up to `second`, then begin `kind`."""
        self.now = max(self.now, second)
        self.activities.append((self.now, kind))

    def add(self, *activities: tuple[str, int, int]) -> None:
        """Add activities, each of so many to so many minutes."""
        for kind, low, high in activities:
            self.activities.append((self.now, kind))
            self.now += self.d.whole(low * 60, high * 60)

    def fill(self, end: int, choices: tuple[tuple[str, int, int], ...]) -> None:
        """Add activities drawn from `choices` up to the second `end`."""
        while self.now < end:
            self.add(choices[self.d.whole(0, len(choices) - 1)])
        self.now = end


_WORK = (
    ("desk", 30, 65), ("desk", 30, 65), ("desk", 20, 50), ("read", 15, 40), ("talk", 20, 50),
    ("pause", 4, 9), ("pause", 3, 7),
)  # fmt: skip
_EVENING = (
    ("screen", 25, 60), ("read", 15, 40), ("talk", 8, 25), ("home", 8, 20), ("screen", 15, 40),
)  # fmt: skip
_WEEKEND = (
    ("home", 20, 50), ("screen", 20, 50), ("read", 20, 45), ("talk", 10, 35), ("pause", 5, 12),
)  # fmt: skip


def _seconds(hours: float) -> int:
    return int(hours * 3600)


def _weekday(diary: _Diary, *, bag: bool) -> tuple[int, int]:
    """Plan a working day up to the return home; return when the wearer left and came back."""
    d = diary.d
    diary.add(("home", 12, 30), ("meal", 10, 18), ("home", 8, 25))
    left = diary.now
    diary.add(("walk", 7, 12), ("ride", 15, 30), ("walk", 4, 9))
    diary.fill(_seconds(12) + d.whole(0, 2400), _WORK)
    diary.add(("walk", 3, 7), ("meal", 18, 30), ("walk", 4, 10))
    diary.add(("handling", 1, 2))  # the lenses are wiped
    diary.fill(_seconds(17.5) + d.whole(0, 5400), _WORK)
    walk, ride = ("bag_walk", "bag_ride") if bag else ("walk", "ride")
    diary.add((walk, 4, 9), (ride, 15, 30), (walk, 7, 12))
    if not bag and d.chance(35):
        diary.add(("shop", 10, 25))
    return left, diary.now


def _free_day(diary: _Diary, *, run: bool, asleep: bool) -> tuple[int, int]:
    """Plan a day off; return when the wearer left for the outing and came back."""
    d = diary.d
    diary.add(("home", 20, 45), ("meal", 15, 25))
    diary.fill(_seconds(10.5) + d.whole(0, 2400), _WEEKEND)
    if run:
        diary.add(("run", 22, 38), ("lying", 25, 40), ("handling", 1, 1))
    diary.fill(_seconds(12.5) + d.whole(0, 1800), _WEEKEND)
    diary.add(("meal", 20, 35))
    left = diary.now
    diary.add(("walk", 8, 18), ("shop", 45, 110), ("walk", 8, 18))
    home = diary.now
    # The eyewear is put down for a nap.
    diary.add(("asleep" if asleep else "lying", 50, 150), ("handling", 1, 1))
    diary.fill(_seconds(18.5), _WEEKEND)
    return left, home


def _links(d: Draws, on: int, off: int, out: tuple[int, int] | None) -> list[tuple[int, int]]:
    """Return when the phone is connected: from getting up to bedtime, with interruptions."""
    begin, end = on + d.whole(40, 500), min(off + d.whole(300, 3300), DAY_S)
    gaps = [
        (at, at + d.whole(240, 2100))
        for at in (d.whole(on + 3600, off - 3600) for _ in range(d.whole(1, 3)))
    ]
    if out is not None:
        gaps.append((out[0] + d.whole(-300, 60), out[1] + d.whole(60, 600)))
    links, now = [], begin
    for low, high in sorted(gaps):
        if low - now > 60:
            links.append((now, low))
        now = max(now, high)
    if end - now > 60:
        links.append((now, end))
    return links


def plan(seed: int, day: date, who: Traits) -> Plan:
    """Return the plan of one day."""
    d = Draws(seed, Stream.PLAN, day.toordinal())
    week, today = _week(seed, day), day.weekday()
    before, after = night(seed, day - timedelta(1), who), night(seed, day, who)
    free = today >= 5
    on = (_seconds(8.2) if free else _seconds(6.7)) + who.early + d.whole(0, 3600 if free else 1200)
    off = _seconds(22.2) + d.whole(0, _seconds(1.4))
    diary = _Diary(d, "charger" if before.charged else "lying")
    diary.until(on, "handling")
    diary.now += d.whole(10, 40)
    if free:
        left, home = _free_day(diary, run=today == 5, asleep=week["asleep"] == today)
    else:
        left, home = _weekday(diary, bag=week["bag"] == today)
    if before.charged:
        diary.add(("home", 10, 35), ("meal", 20, 40))
        diary.add(("lying", 20, 35), ("handling", 1, 1))  # a bath
        diary.fill(off, _EVENING)
        diary.add(("handling", 1, 1))
    # Otherwise the battery went flat during the day, and the eyewear charges at home.
    diary.until(diary.now, "charger" if after.charged else "lying")
    off = diary.now
    links = _links(d, on, off, (left, home) if week["forgotten"] == today else None)
    if before.linked:
        links.insert(0, (0, on - d.whole(60, 300)))
    if after.linked and links[-1][1] > off:
        links[-1] = (links[-1][0], DAY_S)
    return Plan(day, tuple(diary.activities), tuple(links), off, before, after)


# The day as it happens

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
        gaze={"u": happens("up"), "d": happens("up"),
              "r": happens("side"), "l": happens("side")},
        big=d.happen(np.full(n, 24000)), nod=happens("nod"), turn=happens("turn"),
        battery=battery, off=int(_elapsed([planned.off_s], day, begin, place, n)[0]),
        forward=forward, sideways=sideways, restless=column("restless")[kind_at],
        focus=focus, tension=tension, calm=calm,
        drowsy=28.0 + 22.0 * after_lunch + 18.0 * evening - 10.0 * alert,
    )  # fmt: skip
