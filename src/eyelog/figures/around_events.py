"""What happens around events: the mean course, its band, and each single event."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import Locator, MaxNLocator, MultipleLocator

from eyelog.errors import ConfigurationError, FieldError, counted
from eyelog.figures.axes import Entry, axes, legend, line, patch, plot_function, set_title
from eyelog.figures.labels import title_of
from eyelog.figures.marks import (
    NumberFormatter,
    pale,
    say_no_values,
    strip,
    value_axis,
    value_label,
)
from eyelog.figures.named import meaning_in, name_label, shades, span_of
from eyelog.figures.style import COLOURS
from eyelog.figures.tables import stated_seconds
from eyelog.frame import require, require_frame, require_rows_once, stated_log
from eyelog.judge.arrays import Floats, numbers

EVENTS_OF_FULL_GREY: Final = 12
LIGHT, DARK = 0.3, 0.6
STEPS: Final = {  # round for people, by unit of time
    "days": (1, 2, 7, 14, 28),
    "h": (1, 2, 3, 6, 12, 24),
    "min": (1, 2, 5, 10, 15, 30, 60),
    "s": (1, 2, 5, 10, 15, 30, 60),
}
MOST_TICKS: Final = 9
UNITS: Final = ((86_400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


@plot_function
def plot_events(
    table: pd.DataFrame,
    field: str | None = None,
    *,
    each: pd.DataFrame | None = None,
    change: bool = False,
    ax: Axes | None = None,
    title: str | None = None,
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

    Returns
    -------
    Axes
        With a line through the middles of the bins (its label is ``_mean``), its band, a thin line
        for each event (``_event`` and its time), and the shaded window ``_baseline``. Beneath, in
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
    require_frame(table, what="plot_events", wanted="a table of eyelog.compare.events")
    require_rows_once(table, what="plot_events")
    prefix = "change" if change else "mean"
    columns = [prefix, *(("change_low", "change_high") if change else ("low", "high"))]
    count = "n_change" if change else "n"
    require(table, [*columns, count], purpose="plot_events")
    course, name = _of_field(table, field)
    bin_s = _bin_s(course.index)
    # A bin closes at its offset; its value is drawn in its middle.
    seconds = _seconds(course.index) - bin_s / 2.0
    unit_s, unit = next(
        pair for pair in UNITS if np.abs(seconds).max() >= 2 * pair[0] or pair[0] == 1
    )
    x = seconds / unit_s
    middle, low, high = (numbers(course[column]) for column in columns)
    ax = axes(ax, height_mm=58.0)
    of_line, of_area = shades(meaning_in(table, name))
    entries = [line("mean of the events", of_line)]
    if change and "band_low" in course.columns:
        ends = numbers(course["band_low"]), numbers(course["band_high"])
        if np.isfinite(ends[0]).any():
            entries.append(_band(ax, x, ends, "95 % band of all offsets", of_area, DARK))
    if np.isfinite(low).any():
        words = "95 % band of each offset" if change else "95 % band"
        entries.append(_band(ax, x, (low, high), words, of_area, LIGHT))
    if each is not None:
        singles = _singles(each, name, "change" if change else "value")
        alpha = float(np.clip(EVENTS_OF_FULL_GREY / max(len(singles), 1), 0.08, 0.6))
        for event, single in singles:
            own = (_seconds(single.index) - bin_s / 2.0) / unit_s
            drawn = ax.plot(own, numbers(single), color=COLOURS["trace"], alpha=alpha)[0]
            drawn.set(label=f"_event {event}", linewidth=0.5, zorder=2.1)
        entries.append(line("each event", "trace", linewidth=0.5))
    ax.plot(x, middle, color=COLOURS[of_line], linewidth=1.8, zorder=3)[0].set_label("_mean")
    opens, closes = (_edge(course, name) / unit_s for name in ("baseline_start", "baseline_end"))
    if closes > opens:
        ax.axvspan(opens, closes, color=COLOURS["before event"], linewidth=0, zorder=0).set_label(
            "_baseline"
        )
        entries.append(patch("baseline", "before event"))
    ax.axvline(0, color=COLOURS["event"], linewidth=1.2).set_label("_the event")
    entries.append(line("the event", "event"))
    if change:
        ax.axhline(0, color=COLOURS["axis"], linewidth=0.6, zorder=1).set_label("_no change")
    words = name_label(name, stated_log(table), stated_seconds(table))
    value_label(ax, f"Change: {words}" if change else words)
    ax.set_xlim(x[0] - bin_s / unit_s / 2.0, x[-1] + bin_s / unit_s / 2.0)
    value_axis(ax.yaxis)
    low_y, high_y = ax.get_ylim()
    if max(-low_y, high_y) < 0.1 and not np.nan_to_num(middle).any():
        ax.set_ylim(-1.0 if change else 0.0, 1.0)  # limits around 0 alone would be hundredths
    if not np.isfinite(middle).any():
        say_no_values(ax)
    below = strip(ax)
    events = numbers(course[count])
    below.bar(x, events, width=bin_s / unit_s, color=COLOURS["hatch"])
    below.set_ylabel("Events")
    below.set_ylim(0, max(float(events.max()) * 1.1, 1.0))
    below.set_yticks([0, int(max(events.max(), 1))])
    below.xaxis.set_major_locator(_ticks(x[-1] - x[0] + bin_s / unit_s, unit))
    below.xaxis.set_major_formatter(NumberFormatter())
    below.set_xlabel(f"Time from the event ({unit})")
    legend(below, entries)
    given = numbers(course["events"]) if "events" in course.columns else events
    happened = int(given.max(initial=0))
    parts = [title_of(table, days=span_of(table)), counted(happened, "event")]
    set_title(ax, " · ".join(part for part in parts if part), title)
    return ax


def _band(
    ax: Axes, x: Floats, ends: tuple[Floats, Floats], words: str, meaning: str, share: float
) -> Entry:
    """Draw a band and return its entry; one on another would be the darker if it let it through."""
    colour = pale(COLOURS[meaning], 1.0 - share)
    band = ax.fill_between(x, *ends, color=colour, linewidth=0)
    band.set(label="_pointwise" if share == LIGHT else "_band", zorder=2.0 - share / 10)
    return words, Patch(facecolor=colour)


def _ticks(span: float, unit: str) -> Locator:
    """Return ticks at round times, one of which is the event."""
    step = next((step for step in STEPS[unit] if span / step < MOST_TICKS), None)
    if step is None or span / step < 1:
        return MaxNLocator(nbins=MOST_TICKS - 1, steps=[1, 2, 5, 10])
    return MultipleLocator(step)


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


def _singles(each: pd.DataFrame, name: str, column: str) -> list[tuple[str, pd.Series]]:
    """Return the course of each event that has a value."""
    require_frame(each, what="plot_events", wanted="each= as eyelog.compare.event_courses gives it")
    require(each, [column], purpose="plot_events")
    if list(each.index.names) != ["field", "event", "offset"]:
        raise ConfigurationError("each must be the result of eyelog.compare.event_courses")
    if name not in each.index.unique("field"):
        raise FieldError(f"the table of single events has no field {name!r}")
    courses = each.xs(name, level="field")[column]
    return [
        (str(event), course.droplevel("event"))
        for event, course in courses.groupby(level="event")
        if course.notna().any()
    ]


def _seconds(offsets: Any) -> Floats:
    return np.asarray(pd.TimedeltaIndex(offsets).total_seconds(), dtype=np.float64)


def _edge(course: pd.DataFrame, name: str) -> float:
    """Return an edge of the baseline in seconds from the event; 0 if the table does not have it."""
    if name not in course.columns:
        return 0.0
    edges = pd.to_timedelta(course[name])
    return float(edges.iloc[0].total_seconds())


def _bin_s(offsets: Any) -> float:
    seconds = _seconds(offsets)
    if len(seconds) == 1:  # the one bin before the event, or the one after it
        return float(abs(seconds[0])) or 1.0
    return float(np.diff(seconds).min()) if len(seconds) else 1.0
