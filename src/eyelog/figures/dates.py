"""Axes of days and of time of day: "Mon 20 Oct", the year once, weekends, 00 to 24.

There are at most 16 labels, whatever the range, and fewer along a short axis: along x this is
decided when the figure is drawn, along y when its rows are named.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, cast

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.ticker import Formatter, Locator, MaxNLocator

from eyelog.clock import DAY_US, LocalClock, microseconds, time_of_day
from eyelog.figures.axes import length_pt
from eyelog.figures.style import COLOURS, SMALL_PT, TEXT_PT
from eyelog.judge.arrays import Floats, Ints
from eyelog.measure.groups import WEEKDAYS

MOST_LABELS: Final = 16
# On an axis of more days, weekends would be thinner than a line, and are left out
MOST_WITH_WEEKENDS: Final = 190
MINUTE_US: Final = 60_000_000
# The space that a label takes along its axis, in points: two short lines along x, one line along y.
DAY_LABEL_PT: Final = {"x": 31.0, "y": 9.5}
# A time axis of at most this many days shows hours
SHORT_DAYS: Final = 3
DAY_S: Final = 86_400


def noons(days: Any) -> Floats:
    """Return where dates are along a time axis: each in the middle of its hours."""
    return np.asarray(to_x(microseconds(pd.DatetimeIndex(days)) + DAY_US // 2), dtype=np.float64)


def day_axis(ax: Axes, days: pd.DatetimeIndex) -> None:
    """Show days along x, which are named at their `noons`; a few are as wide as in a week."""
    x = noons(days)
    room = max(0.0, (len(WEEKDAYS) - len(x)) / 2.0)
    ax.set_xlim(x[0] - 0.5 - room, x[-1] + 0.5 + room)
    calendar = LocalClock(None)  # of dates without a zone
    ax.xaxis.set_major_locator(TimeLocator(calendar, x))
    ax.xaxis.set_major_formatter(TimeFormatter(calendar, x))
    take_dates(ax)


def take_dates(ax: Axes) -> None:
    """Let an axis of days, and those that share it, take dates and stamps of any zone."""
    for panel in ax.get_shared_x_axes().get_siblings(ax):
        # Before matplotlib 3.10 no axis can be told so.
        if hasattr(panel.xaxis, "set_converter") and panel.xaxis.get_converter() is None:
            panel.xaxis.set_converter(LocalDates())  # type: ignore[no-untyped-call]


class LocalDates(mdates.DateConverter):
    """Dates on an axis of days: a stamp with a zone stands where its own clock shows."""

    @staticmethod
    def convert(value: Any, unit: Any, axis: Axis) -> Any:  # noqa: ARG004
        """Return the places of dates, one or several."""
        given = np.asarray(value, dtype=object)
        stamps = [pd.Timestamp(each).tz_localize(None) for each in given.ravel()]
        x = to_x(microseconds(pd.DatetimeIndex(stamps)))
        return x.reshape(given.shape) if given.ndim else float(x[0])


def day_rows_axis(ax: Axes, blocks: Sequence[pd.DatetimeIndex], firsts: Sequence[int]) -> None:
    """Label the rows of several blocks of days, the first of each at its place in `firsts`."""
    per_block = max(1, _most_days(ax.yaxis) // len(blocks))
    places, shown, texts = list[int](), list[pd.Timestamp](), list[str]()
    for days, first in zip(blocks, firsts, strict=True):
        chosen = chosen_days(days, per_block)
        places += [first + int(place) for place in chosen]
        shown += (mine := [days[place] for place in chosen])
        texts += _labels(mine, along_x=False, year=days[0].year)
    ax.set_yticks(places, texts)
    for label, day in zip(ax.get_yticklabels(), shown, strict=True):
        weekend = day.day_of_week >= 5 and " " in label.get_text()  # a month has no weekday
        label.set_fontweight("bold" if weekend else "normal")


def shade_weekends(ax: Axes, days: pd.DatetimeIndex) -> None:
    """Shade Saturdays and Sundays of a time in which they are seen."""
    weekend = days.day_of_week >= 5
    if len(days) <= MOST_WITH_WEEKENDS and weekend.any():
        shade_days(ax, days[weekend], label="weekend", color=COLOURS["weekend"], zorder=0)


def shade_days(ax: Axes, days: pd.DatetimeIndex, **look: Any) -> None:
    """Shade days over the whole height, each run of them as one."""
    x = noons(days)
    first = np.diff(x, prepend=-np.inf) > 1
    opens, closes = x[first] - 0.5, x[np.append(first[1:], True)] + 0.5
    spans = np.column_stack([opens, closes - opens]).tolist()
    ax.broken_barh(spans, (0, 1), transform=ax.get_xaxis_transform(), linewidth=0, **look)


def weekdays_axis(above: Axes, ax: Axes) -> None:
    """Show a week along x, Monday at 0 and Sunday at 6, by letters where these are wide."""
    size = float(ax.xaxis.get_major_ticks(1)[0].label1.get_fontsize())
    # Three letters of a weekday are 2.5 sizes of type wide.
    letters = 3 if length_pt(ax.xaxis) / len(WEEKDAYS) >= 2.5 * size else 1
    ax.set_xlim(-0.5, len(WEEKDAYS) - 0.5)
    ax.set_xticks(range(len(WEEKDAYS)), [name[:letters] for name in WEEKDAYS])
    for panel in (above, ax):
        panel.axvspan(4.5, 6.5, label="weekend", color=COLOURS["weekend"], linewidth=0, zorder=0)


def hours_axis(
    ax: Axes, zone: object | None = None, *, day_starts: str | None = None, days: int = 1
) -> None:
    """Show whole days along x, from 00 to 24; x is in hours since the first has started."""
    at = time_of_day(day_starts)
    first = at.hour + at.minute / 60
    ax.set_xlim(0, 24 * days)
    ax.xaxis.set_major_locator(MaxNLocator("auto", steps=(1, 1.2, 2, 3, 6, 10), integer=True))
    ax.xaxis.set_major_formatter(partial(_hour, first=first))
    ax.set_xlabel("Time of day" if zone is None else f"Time of day ({zone})")


def _hour(hour: float, _: float | None = None, *, first: float = 0.0) -> str:
    # A function with a name, so that a figure can be pickled.
    if not first:
        return f"{hour % 24 or min(hour, 24):02.0f}"
    minutes = round((first + hour) % 24 * 60)
    return f"{minutes // 60:02d}" + f":{minutes % 60:02d}" * (minutes % 60 > 0)


def time_axis(ax: Axes, clock: LocalClock) -> None:
    """Show the wearer's time along x, from hours to years; x is in matplotlib's days (`to_x`)."""
    ax.xaxis.set_major_locator(TimeLocator(clock))
    ax.xaxis.set_major_formatter(TimeFormatter(clock))


def to_x(us: Any) -> Any:
    """Return microseconds since 1970 as the numbers along a time axis."""
    return mdates.date2num(np.asarray(us, dtype=np.int64).astype("datetime64[us]"))


def _us(x: Any) -> Ints:
    """Return the microseconds since 1970 at numbers along a time axis, in whole seconds."""
    # Rounded: a number of days does not represent microseconds exactly.
    since = np.datetime64(mdates.get_epoch(), "us").astype(np.int64)
    return np.rint(np.asarray(x, dtype=np.float64) * DAY_S).astype(np.int64) * 1_000_000 + since


def _shown(x: Any, clock: LocalClock) -> pd.DatetimeIndex:
    """Return what a clock shows at numbers along a time axis."""
    return pd.DatetimeIndex(np.asarray(clock.wall_us(_us(x)), dtype=np.int64).view("M8[us]"))


def day_edges(days: pd.DatetimeIndex, clock: LocalClock) -> tuple[int, int]:
    """Return the instants, in microseconds, at which the first date begins and the last ends."""
    walls = microseconds(days[[0, -1]]) + np.array([0, DAY_US])
    opens, closes = clock.instants(walls).tolist()
    return opens, closes


def skipped_hours(days: pd.DatetimeIndex, clock: LocalClock) -> list[tuple[int, float, float]]:
    """Return the hours that local dates lack as the clock goes forward: place, from and to."""
    walls = microseconds(days)[:, None] + np.arange(1440) * MINUTE_US
    shown = clock.wall_us(clock.instants(walls.ravel())).reshape(walls.shape)
    edges = np.diff(shown != walls, axis=1, prepend=False, append=False)
    places, minutes = np.nonzero(edges)
    hours = (minutes / 60).tolist()
    return list(zip(places[::2].tolist(), hours[::2], hours[1::2], strict=True))


def blank_skipped_hours(
    ax: Axes, days: pd.DatetimeIndex, clock: LocalClock, first: float = 0, *, at: float = 0.0
) -> None:
    """Leave the hour that a local date lacks blank: it is not time without records.

    The row of the first day is at `first`, and its midnight along x is `at` an hour.
    """
    for place, left, right in skipped_hours(days, clock):
        ax.barh(first + place, right - left, 1, at + left, color="white", zorder=2)


def _type_scale(axis: Axis, ours_pt: float = TEXT_PT) -> float:
    """Return by how much the labels of a user's Axes are larger than eyelog's."""
    size = float(axis.get_major_ticks(1)[0].label1.get_fontsize())
    return max(1.0, size / ours_pt)


def _most_days(axis: Axis, share: float = 1.0) -> int:
    each = DAY_LABEL_PT["x" if isinstance(axis, XAxis) else "y"] * _type_scale(axis)
    return int(np.clip(share * length_pt(axis) // each, 1, MOST_LABELS))


def chosen_days(days: pd.DatetimeIndex, most: int, *, mondays: bool = False) -> Ints:
    """Return the places of at most `most` days to label.

    The steps are the usual ones: 1, 2, 3 days, Mondays, every other Monday, the first of each
    month, of every second month and so on. With `mondays`, three weeks and more have no steps of 2
    or 3 days, whose weekdays would differ from label to label.
    """
    n = len(days)
    for step in (1,) if mondays and n >= 21 else (1, 2, 3):
        places = np.arange(0, n, step)
        if len(places) <= most:
            return places
    # Mondays are numbered from Monday 5 January 1970.
    number = (days.tz_localize(None).as_unit("us").asi8 // DAY_US) - 4
    for weeks in (1, 2):
        places = np.flatnonzero(number % (7 * weeks) == 0)
        if 2 <= len(places) <= most:
            return places
    firsts = np.flatnonzero(days.day == 1)
    opening = days[firsts]
    count = (opening.year * 12 + opening.month - 1).to_numpy()
    for months in (1, 2, 3, 6, 12, 24, 60, 120):
        chosen: Ints = firsts[count % months == 0]
        if 1 <= len(chosen) <= most:
            return chosen
    return np.unique(np.linspace(0, n - 1, most).astype(int))


def _day(day: pd.Timestamp) -> str:
    return f"{day:%a} {day.day} {day:%b}"


def _labels(shown: Sequence[pd.Timestamp], along_x: bool, year: int) -> list[str]:
    months = len(shown) > 2 and all(day.day == 1 for day in shown)
    labels = []
    for day in shown:
        text = f"{day:%b}" if months else f"{day:%a}\n{day.day} {day:%b}" if along_x else _day(day)
        if day.year != year:
            text += f"\n{day.year}" if along_x else f" {day.year}"
            year = day.year
        labels.append(text)
    return labels


class TimeLocator(Locator):
    """Ticks along local time: hours within a few days, otherwise days, Mondays, months.

    With `days` there are only theirs, at their noons, or within what is seen of them.
    """

    def __init__(self, clock: LocalClock, days: Floats | None = None) -> None:
        self.clock, self.days = clock, days

    def __call__(self) -> Any:
        """Return the places of the ticks."""
        low, high = sorted(self.axis.get_view_interval())  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Return the places of the ticks between two limits."""
        axis = cast(Axis, self.axis)
        first, last = _us([vmin, vmax]).tolist()
        short = vmax - vmin <= SHORT_DAYS
        if self.days is not None:
            seen = self.days[(self.days >= vmin) & (self.days <= vmax)]
            if not seen.size:  # a part of a day, or of two, is named where it is seen
                near = np.clip(self.days, vmin, vmax)
                seen = near[np.abs(near - self.days) < 0.5]
            # A few days may fill only a part of the axis.
            most = _most_days(axis, min(1.0, len(seen) / (vmax - vmin or 1.0)))
            return seen[chosen_days(_shown(seen, self.clock), most, mondays=True)]
        step = 1_000_000 * (self._seconds(axis, vmax - vmin) if short else DAY_S)
        opens, _, number = self.clock.cells(
            first, last + (not short or self.clock.tz is not None), step
        )
        exists = self.clock.wall_us(opens) == number * step  # a clock may skip a time
        opens, number = opens[exists], number[exists]
        if not short:  # a day whose midnight comes twice begins with the first
            number, firsts = np.unique(number, return_index=True)
            days = pd.DatetimeIndex((number * DAY_US).view("M8[us]"))
            opens = opens[firsts][chosen_days(days, _most_days(axis), mondays=True)]
        x = to_x(opens)
        return x[(x >= vmin - 1e-9) & (x <= vmax + 1e-9)]

    def _seconds(self, axis: Axis, span: float) -> int:
        """Return how far apart the ticks of a span of some days are."""
        # A date under midnight is wider than an hour, and so is a time with its seconds.
        length = length_pt(axis) / _type_scale(axis, SMALL_PT)
        room = max(2.0, min(MOST_LABELS, length / 22.1))
        rooms = [(step, room * 0.6) for step in (1, 2, 5, 10, 15, 30)]
        rooms += [(60 * step, room) for step in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)]
        return next((step for step, most in rooms if span * DAY_S / step < most), DAY_S)


class TimeFormatter(Formatter):
    """Labels along local time: hours with the day beneath midnight, otherwise days as elsewhere."""

    def __init__(self, clock: LocalClock, days: Floats | None = None) -> None:
        self.clock, self.days = clock, days

    def __call__(self, x: float, _pos: int | None = None) -> str:
        """Return the label at one place, as the status bar of a window shows it."""
        stamp = _shown([x], self.clock)[0]
        return f"{_day(stamp)} {stamp:%H:%M:%S}" if stamp.second else f"{_day(stamp)} {stamp:%H:%M}"

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks."""
        if not len(values):
            return []
        low, high = sorted(self.axis.get_view_interval())  # type: ignore[union-attr]
        stamps = list(_shown(values, self.clock))
        since = low if self.days is None else max(low, self.days[0])
        if self.days is not None or high - low > SHORT_DAYS:
            return _labels(stamps, along_x=True, year=_shown([since], self.clock)[0].year)
        whole = all(stamp.minute == stamp.second == 0 for stamp in stamps)
        time = "%H" if whole else "%H:%M:%S" if any(stamp.second for stamp in stamps) else "%H:%M"
        midnight = [stamp.hour == stamp.minute == 0 for stamp in stamps]
        dated = midnight if any(midnight) else [True, *([False] * (len(stamps) - 1))]
        return [
            f"{stamp:{time}}" + f"\n{_day(stamp)}" * has_date
            for stamp, has_date in zip(stamps, dated, strict=True)
        ]
