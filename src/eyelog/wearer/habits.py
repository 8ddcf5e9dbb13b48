"""The behaviour of the simulated wearer: traits, the week, and the plan of a day.

A plan is a list of activities with the local clock second at which each begins. It depends only on
the seed and the calendar date, so a date always gives the same day, whichever days are simulated.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, NamedTuple

import numpy as np

from eyelog.wearer.draws import Draws, Stream
from eyelog.wearer.interval_sums import Floats

DAY_S: Final = 86_400


class Activity(NamedTuple):
    """An activity as the eyewear sees it; rates are per minute."""

    worn: int  # on the nose
    blink: float  # times the wearer's own blink rate
    forward: float  # lean of the head, degrees, forward is positive
    restless: float  # spread of the lean, degrees
    gaze_side: float  # gaze shifts to either side
    gaze_up: float  # gaze shifts up, and as many down
    turn: float  # head movements to a side
    nod: float  # head movements up or down
    noise: float  # onsets of electrode noise
    noise_s: int  # longest noise bout, s
    stroll: float  # onsets of short walks
    stroll_s: int  # longest of these walks, s
    still: int  # sitting so still that the eyewear is judged off about 30 % of the time
    focus: float  # immersion, score points


#                    worn blink fwd rest  side  up  turn nod noise  s stroll  s still focus
ACTIVITIES: Final = {
    "charger":  Activity(0, 0.0, -81, 0.1,  0.0, 0.0, 0.0, 0.0, 0.02, 3, 0.00, 0, 0, 0),
    "lying":    Activity(0, 0.0, -72, 0.1,  0.0, 0.0, 0.0, 0.0, 0.60, 9, 0.00, 0, 0, 0),
    "asleep":   Activity(0, 0.0, 172, 0.1,  0.0, 0.0, 0.0, 0.0, 0.00, 0, 0.00, 0, 0, 0),
    "bag_walk": Activity(0, 0.0,  24, 9.0,  0.0, 0.0, 1.0, 2.0, 4.00, 9, 0.00, 0, 0, 0),
    "bag_ride": Activity(0, 0.0,  24, 2.0,  0.0, 0.0, 0.2, 0.4, 4.00, 9, 0.00, 0, 0, 0),
    "home":     Activity(1, 1.1,   8, 6.0,  9.0, 4.0, 5.0, 4.0, 0.40, 4, 0.35, 20, 0, 40),
    "walk":     Activity(1, 1.1,   3, 3.5, 10.0, 5.0, 4.0, 1.5, 3.00, 3, 0.00, 0, 0, 42),
    "shop":     Activity(1, 1.0,   6, 5.0, 13.0, 6.0, 8.0, 4.0, 0.80, 3, 2.20, 30, 0, 45),
    "run":      Activity(1, 1.0,   5, 5.0,  7.0, 3.0, 2.0, 1.5, 6.00, 4, 0.00, 0, 0, 40),
    "ride":     Activity(1, 0.8,  22, 3.0,  7.0, 3.0, 1.2, 0.8, 0.25, 3, 0.00, 0, 0, 48),
    "desk":     Activity(1, 0.7,  15, 2.0, 11.0, 3.0, 0.8, 0.5, 0.12, 3, 0.02, 25, 1, 60),
    "read":     Activity(1, 0.6,  31, 1.6, 13.0, 2.0, 0.4, 0.4, 0.10, 3, 0.00, 0, 1, 66),
    "talk":     Activity(1, 1.5,   4, 4.5,  8.0, 4.0, 4.0, 5.0, 0.30, 3, 0.03, 15, 0, 45),
    "meal":     Activity(1, 1.2,  20, 6.5,  7.0, 5.0, 3.0, 4.0, 7.00, 6, 0.02, 12, 0, 40),
    "pause":    Activity(1, 1.2,   5, 5.0,  9.0, 4.0, 5.0, 3.0, 0.40, 4, 1.20, 35, 0, 38),
    "screen":   Activity(1, 0.8,   2, 2.5,  7.0, 3.0, 0.7, 0.5, 0.12, 3, 0.03, 15, 1, 50),
    "handling": Activity(0, 0.0,  45, 30., 20.0, 9.0, 9.0, 9.0, 20.0, 9, 0.00, 0, 0, 0),
}  # fmt: skip
KINDS: Final = {name: number for number, name in enumerate(ACTIVITIES)}


def column(name: str) -> Floats:
    """Return one column of the table of activities, by number of the kind."""
    return np.array([getattr(activity, name) for activity in ACTIVITIES.values()], dtype=np.float64)


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

    def add(self, kind: str, low: int, high: int) -> None:
        """Add an activity of `low` to `high` minutes."""
        self.activities.append((self.now, kind))
        self.now += self.d.whole(low * 60, high * 60)

    def fill(self, end: int, choices: tuple[tuple[str, int, int], ...]) -> None:
        """Add activities drawn from `choices` up to the second `end`."""
        while self.now < end:
            self.add(*choices[self.d.whole(0, len(choices) - 1)])
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


def _weekday(diary: _Diary, on: int, *, bag: bool) -> tuple[int, int]:
    """Plan a working day up to the return home; return when the wearer left and came back."""
    d = diary.d
    diary.until(on, "handling")
    diary.now += d.whole(10, 40)
    diary.add("home", 12, 30)
    diary.add("meal", 10, 18)
    diary.add("home", 8, 25)
    left = diary.now
    diary.add("walk", 7, 12)
    diary.add("ride", 15, 30)
    diary.add("walk", 4, 9)
    lunch = _seconds(12) + d.whole(0, 2400)
    diary.fill(lunch, _WORK)
    diary.add("walk", 3, 7)
    diary.add("meal", 18, 30)
    diary.add("walk", 4, 10)
    diary.add("handling", 1, 2)  # the lenses are wiped
    home = _seconds(17.5) + d.whole(0, 5400)
    diary.fill(home, _WORK)
    diary.add("bag_walk" if bag else "walk", 4, 9)
    diary.add("bag_ride" if bag else "ride", 15, 30)
    diary.add("bag_walk" if bag else "walk", 7, 12)
    if not bag and d.chance(35):
        diary.add("shop", 10, 25)
    return left, diary.now


def _free_day(diary: _Diary, on: int, *, run: bool, asleep: bool) -> tuple[int, int]:
    """Plan a day off; return when the wearer left for the outing and came back."""
    d = diary.d
    diary.until(on, "handling")
    diary.now += d.whole(10, 40)
    diary.add("home", 20, 45)
    diary.add("meal", 15, 25)
    diary.fill(_seconds(10.5) + d.whole(0, 2400), _WEEKEND)
    if run:
        diary.add("run", 22, 38)
        diary.add("lying", 25, 40)
        diary.add("handling", 1, 1)
    diary.fill(_seconds(12.5) + d.whole(0, 1800), _WEEKEND)
    diary.add("meal", 20, 35)
    left = diary.now
    diary.add("walk", 8, 18)
    diary.add("shop", 45, 110)
    diary.add("walk", 8, 18)
    home = diary.now
    diary.add("asleep" if asleep else "lying", 50, 150)  # eyewear put down for a nap
    diary.add("handling", 1, 1)
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
    if free:
        left, home = _free_day(diary, on, run=today == 5, asleep=week["asleep"] == today)
    else:
        left, home = _weekday(diary, on, bag=week["bag"] == today)
    if before.charged:
        diary.add("home", 10, 35)
        diary.add("meal", 20, 40)
        diary.add("lying", 20, 35)  # bath
        diary.add("handling", 1, 1)
        diary.fill(off, _EVENING)
        diary.add("handling", 1, 1)
    # Otherwise the battery went flat during the day, and the eyewear charges at home.
    diary.until(diary.now, "charger" if after.charged else "lying")
    off = diary.now
    links = _links(d, on, off, (left, home) if week["forgotten"] == today else None)
    if before.linked:
        links.insert(0, (0, on - d.whole(60, 300)))
    if after.linked and links[-1][1] > off:
        links[-1] = (links[-1][0], DAY_S)
    return Plan(day, tuple(diary.activities), tuple(links), off, before, after)
