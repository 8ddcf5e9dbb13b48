"""Events: on a time axis, with a name or a number for each; and what happens around them.

One rule holds for all figures: no label is left out. Where all fit they are words; elsewhere they
are numbers, and a key under the figure says what each means.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import MultipleLocator

from eyelog.checks import check_events
from eyelog.clock import DAY_US, HOUR_US, LocalClock, microseconds
from eyelog.errors import ConfigurationError, FieldError, counted
from eyelog.figures import axes, marks
from eyelog.figures.labels import shades, span_of, subject, title_of
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.frame import require, require_frame, require_rows_once
from eyelog.judge.arrays import Floats, numbers

LANE_MM: Final = 4.5  # with one row of names or numbers
LIGHT, DARK = 0.3, 0.6
STEPS: Final = {  # round for people, by unit of time
    "days": (1, 2, 7, 14, 28),
    "h": (1, 2, 3, 6, 12, 24),
    "min": (1, 2, 5, 10, 15, 30, 60),
    "s": (1, 2, 5, 10, 15, 30, 60),
}
MOST_TICKS: Final = 9
Event = tuple[int, int | None, str]

UNITS: Final = ((86_400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


@axes.plot_function
def plot_events(
    table: pd.DataFrame,
    field: str | None = None,
    *,
    each: pd.DataFrame | None = None,
    change: bool = False,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw the mean course of a field around events, with its band and the single events.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.compare.events`.
    field : str, optional
        The field of the table; may be left out if there is only one.
    each : DataFrame, optional
        The result of `eyelog.compare.event_courses` for the same events: a thin line each.
    change : bool
        Draw the change from each event's own baseline instead of the values, with the band for all
        offsets together, which decides what changed. The band for single offsets is lighter.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With a line through the middles of the bins, its band, a thin line for each event, and the
        shaded baseline; each has its words in the legend as its label. Beneath, in
        ``ax.child_axes``, the number of events behind each bin.

    Raises
    ------
    FieldError
        If a table lacks the field, or a column.
    ConfigurationError
        If there is nothing to draw, or several fields and none is named.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> walks = el.gait.bouts(frame)["start"]
    >>> around = dict(before="10min", after="10min", fields="hm_yo")
    >>> ax = el.plot_events(
    ...     el.compare.events(frame, walks, **around),
    ...     each=el.compare.event_courses(frame, walks, **around),
    ... )
    >>> ax.get_ylabel()
    'Head turns (yaw) per min'
    """
    what = "plot_events"
    require_frame(table, what=what, wanted="a table of eyelog.compare.events")
    require_rows_once(table, what=what)
    columns = ["change", "change_low", "change_high"] if change else ["mean", "low", "high"]
    count = "n_change" if change else "n"
    require(table, [*columns, count], purpose=what)
    course, name = _of_field(table, field)
    # A bin closes at its offset; its value is drawn in its middle.
    closes = _seconds(course.index)
    apart = np.diff(closes) if len(closes) > 1 else np.abs(closes)  # the one before or after it
    bin_s = float(apart.min(initial=np.inf)) if len(apart) else 1.0
    bin_s = bin_s or 1.0
    seconds = closes - bin_s / 2.0
    unit_s, unit = next(
        pair for pair in UNITS if np.abs(seconds).max() >= 2 * pair[0] or pair[0] == 1
    )
    x, wide = seconds / unit_s, bin_s / unit_s
    middle, low, high = (numbers(course[column]) for column in columns)
    ax = axes.on(ax, height_mm=58.0)
    about = subject(table, name)
    of_line, of_area = shades(about.meaning)
    offset, single = ("95 % band of each offset" if change else "95 % band"), 1.0 - LIGHT
    bands = [(offset, single, low, high)]
    if change and "band_low" in course.columns:
        ends = numbers(course["band_low"]), numbers(course["band_high"])
        bands.insert(0, ("95 % band of all offsets", 1.0 - DARK, *ends))
    for order, (label, share, bottom, top) in enumerate(bands):
        if np.isfinite(bottom).any():
            # Not see-through: one band on another would be the darker.
            look: dict[str, Any] = {"color": marks.pale(COLOURS[of_area], share), "linewidth": 0}
            ax.fill_between(x, bottom, top, zorder=1.9 + order / 20, label=label, **look)
    if each is not None:
        strands = [
            np.column_stack([(_seconds(one.index) - bin_s / 2.0) / unit_s, numbers(one)])
            for one in _singles(each, name, "change" if change else "value")
        ]
        alpha = float(np.clip(12 / max(len(strands), 1), 0.08, 0.6))
        look = {"color": COLOURS["trace"], "linewidth": 0.5, "zorder": 2.1, "alpha": alpha}
        ax.add_collection(LineCollection(strands, label="each event", **look))
        ax.autoscale_view()
    look = {"color": COLOURS[of_line], "linewidth": 1.8, "zorder": 3}
    ax.plot(x, middle, label="mean of the events", **look)
    if {"baseline_start", "baseline_end"} <= set(course.columns):
        since, until = (
            pd.to_timedelta(course[edge]).iloc[0].total_seconds() / unit_s
            for edge in ("baseline_start", "baseline_end")
        )
        if until > since:
            look = {"color": COLOURS["before event"], "linewidth": 0, "zorder": 0}
            ax.axvspan(since, until, label="baseline", **look)
    ax.axvline(0, color=COLOURS["event"], linewidth=1.2, label="the event")
    if change:
        ax.axhline(0, color=COLOURS["axis"], linewidth=0.6, zorder=1)
    ax.set_xlim(x[0] - wide / 2.0, x[-1] + wide / 2.0)
    marks.value_axis(ax.yaxis, f"Change: {about.label}" if change else about.label, middle)
    low_y, high_y = ax.get_ylim()
    if max(-low_y, high_y) < 0.1 and not np.nan_to_num(middle).any():
        ax.set_ylim(-1.0 if change else 0.0, 1.0)  # limits around 0 alone would be hundredths
    below, events = marks.strip(ax), numbers(course[count])
    below.bar(x, events, width=wide, color=COLOURS["hatch"])
    marks.strip_axis(below, "Events", max(float(events.max()), 1.0))
    # Round times, one of which is the event.
    marks.value_axis(below.xaxis, most=MOST_TICKS - 1)
    span = x[-1] - x[0] + wide
    step = next((step for step in STEPS[unit] if span / step < MOST_TICKS), np.inf)
    if span / step >= 1:
        below.xaxis.set_major_locator(MultipleLocator(step))
    below.set_xlabel(f"Time from the event ({unit})")
    given = numbers(course["events"]) if "events" in course.columns else events
    parts = [title_of(table, days=span_of(table)), counted(int(given.max(initial=0)), "event")]
    axes.finish(ax, " · ".join(part for part in parts if part), title, legend=legend)
    return ax


def _of_field(table: pd.DataFrame, field: str | None) -> tuple[pd.DataFrame, str]:
    """Return the rows of one field, by offset, and its name."""
    if list(table.index.names) != ["field", "offset"]:
        raise ConfigurationError("plot_events takes the result of eyelog.compare.events")
    names = [str(name) for name in table.index.unique("field")]
    if field is None and len(names) != 1:
        such = f", such as plot_events(table, {names[0]!r})" if names else ""
        raise ConfigurationError(
            f"plot_events draws one field, and this table has {len(names)}: name one{such}"
        )
    name = names[0] if field is None else field
    if name not in names:
        raise FieldError(f"the table of events has no field {name!r}: it has {', '.join(names)}")
    return cast(pd.DataFrame, table.xs(name, level="field")), name


def _singles(each: pd.DataFrame, name: str, column: str) -> list[pd.Series]:
    """Return the course of each event that has a value."""
    require_frame(each, what="plot_events", wanted="each= as eyelog.compare.event_courses gives it")
    require(each, [column], purpose="plot_events")
    if list(each.index.names) != ["field", "event", "offset"]:
        raise ConfigurationError("each must be the result of eyelog.compare.event_courses")
    if name not in each.index.unique("field"):
        raise FieldError(f"the table of single events has no field {name!r}")
    courses = each.xs(name, level="field")[column]
    return [
        course.droplevel("event")
        for _, course in courses.groupby(level="event")
        if course.notna().any()
    ]


def _seconds(offsets: Any) -> Floats:
    return np.asarray(pd.TimedeltaIndex(offsets).total_seconds(), dtype=np.float64)


def event_us(events: Any) -> list[Event]:
    """Return each event as start and end in microseconds (None for a moment) and label."""
    is_table = isinstance(events, pd.DataFrame) and {"start", "end"} <= {*events}
    if is_table and events["end"].isna().all():  # moments, whatever they have in place of an end
        events = events.assign(end=pd.Series(pd.NaT, events.index, events["start"].dtype))
    events = check_events(events)
    starts, ends = (pd.DatetimeIndex(events[name]).as_unit("us") for name in ("start", "end"))
    return [
        (first, None if momentary else last, " ".join(str(label).split()))
        for first, last, momentary, label in zip(
            starts.asi8.tolist(), ends.asi8.tolist(), ends.isna(), events["label"], strict=True
        )
    ]


def shade(ax: Axes, left: float, right: float | None) -> None:
    """Shade a stretch of x, or draw a line at a moment."""
    look: dict[str, Any] = {"color": COLOURS["event"], "zorder": 0.8}
    if right is not None:
        ax.axvspan(left, right, alpha=0.22, linewidth=0, label=axes.once(ax, "event"), **look)
    # Where it begins: two events that follow each other would look like one.
    wide = 0.8 if right is None else 0.5
    ax.axvline(left, linewidth=wide, label=axes.once(ax, "event"), **look)


def key_words(keys: Mapping[str, int]) -> str:
    """Return the key to the numbers, for the note under a figure."""
    # A line does not end between a number and its label.
    return "Diary: " + " · ".join(f"{key}\N{NO-BREAK SPACE}{label}" for label, key in keys.items())


class Part(NamedTuple):
    """The part of an event that is on one of some days, in hours of the clock."""

    place: int
    left: float
    right: float | None
    """None for a moment."""
    label: str
    """That of the event for the first of its parts, and empty for the others."""


def on_days(events: Sequence[Event], days: pd.DatetimeIndex, clock: LocalClock) -> list[Part]:
    """Return the parts of events that are on some days.

    An event has one on a day, unless the clock changes meanwhile: what it shows twice is in two.
    """
    made = []
    for start, end, label in events:
        walls = np.repeat(clock.wall_us(np.array([start])), 2)[None]
        if end is not None and end > start:
            since, ahead = clock.offsets(start, end)
            walls = np.stack([since + ahead, np.append(since[1:], end) + ahead], axis=1)
        for place, midnight in enumerate(microseconds(days).tolist()):
            for opens, closes in (walls - midnight).tolist():
                if opens < DAY_US and (closes > 0 or opens == 0):
                    ends = (max(opens, 0) / HOUR_US, min(closes, DAY_US) / HOUR_US)
                    made.append(Part(place, ends[0], None if end is None else ends[1], label))
                    label = ""
    return made


def draw_lane(
    ax: Axes,
    spans: Sequence[tuple[float, float | None, str]],
    *,
    floor: float = 0.0,
    unit_mm: float = LANE_MM,
) -> str:
    """Draw events in a lane at the top of a panel, and name them; return as `name_events`.

    Parameters
    ----------
    ax : Axes
        The panel, whose limits along x are set.
    spans : sequence of (float, float or None, str)
        Of each event the two ends along x (None for a moment) and the label; one without is not
        named, as the parts of an event after its first.
    floor : float
        Where the lane begins along y; 0 if nothing is below it.
    unit_mm : float
        How high 1 is along y.
    """
    unit = LANE_MM / unit_mm
    look: dict[str, Any] = {"color": COLOURS["event"], "capstyle": "butt"}
    for left, right, label in spans:
        if right is not None:
            name = axes.once(ax, "event")
            ax.hlines(floor + 0.15 * unit, left, right, linewidth=2.5, label=name, **look)
        if right is None or label:  # a minute would be too short for a bar that is seen
            name = axes.once(ax, "event")
            ax.vlines(left, floor, floor + 0.3 * unit, linewidth=0.8, label=name, **look)
    ax.set_ylim(0.0, floor + unit)
    return name_events([(ax, left, label) for left, _, label in spans])


def name_events(places: Sequence[tuple[Axes, float, str]]) -> str:
    """Name events at the top of the Axes on which they lie: in words if they fit, else by numbers.

    Returns the key to the numbers, for the note under the figure; empty for words.

    Parameters
    ----------
    places : sequence of (Axes, float, str)
        Of each event the Axes, where along x it begins, and its label; one without is not named.
    """
    places = sorted((place for place in places if place[2]), key=lambda place: place[1])
    keys = {label: key for key, label in enumerate(dict.fromkeys(label for *_, label in places), 1)}
    # Where one column of a journal is too narrow for the words, numbers stand in all widths.
    ends: dict[Axes, float] = {}
    fit = True
    for ax, x, label in places:
        low, high = ax.get_xlim()
        # So long is an axis at least in one column of a journal.
        narrow_pt = min(axes.length_pt(ax.xaxis), 190.0)
        begin = (x - low) / (high - low) * narrow_pt
        end = begin + axes.EM * SMALL_PT * len(label) + SMALL_PT
        fit &= begin >= ends.get(ax, 0.0) and end <= narrow_pt
        ends[ax] = end
    look: dict[str, Any] = {"color": COLOURS["event"], "fontsize": SMALL_PT, "va": "top"}
    for ax, x, label in places:
        text = ax.annotate(
            label if fit else str(keys[label]), (x, 1.0), (1.5, -0.5), zorder=5,
            xycoords=ax.get_xaxis_transform(), textcoords="offset points",
            annotation_clip=False, **look,
        )  # fmt: skip
        text.set_in_layout(False)
    return "" if fit or not places else key_words(keys)
