"""A few days in full: one panel per day, 00 to 24, with the state of the eyewear beneath."""

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.analysis.series.arrays import Floats, Ints, numbers
from eyelog.clock import LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import events as marks
from eyelog.figures import ribbon, traces
from eyelog.figures.calendar_axis import day_edges, hours_axis, skipped_hours
from eyelog.figures.labels import label_of, title_of
from eyelog.figures.marks import value_axis
from eyelog.figures.style import (
    COLOURS,
    HATCH,
    SMALL_PT,
    TEXT_PT,
    Entry,
    legend,
    line,
    panels,
    patch,
    plot_function,
    set_title,
)
from eyelog.figures.tables import log_or_none, row_seconds, stamps, unit_seconds
from eyelog.frame import clock_of, require, require_one_frame

__all__ = ["plot_day"]

MOST_DAYS: Final = 16
HIGHEST_PANEL_MM, LOWEST_PANEL_MM, ALL_PANELS_MM = 40.0, 8.0, 150.0
BETWEEN_MM: Final = 6.0
# As shares of a panel's height: where the ribbon lies beneath it, and where the axis then is.
RIBBON: Final = (-0.2, -0.06)
AXIS: Final = -0.24
HOUR_US: Final = 3_600_000_000
SEEN_US: Final = 2 * 60_000_000


@plot_function
def plot_day(
    frame: pd.DataFrame,
    field: str,
    *,
    second: str | None = None,
    states: pd.Series | None = None,
    events: pd.DataFrame | None = None,
    title: str | None = None,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Draw one field over each day in full, one panel per day, from 00 to 24.

    All days have the same scale. Counts are bars from 0, other values lines that break where a
    value is missing; a value without neighbours is a point. Time without records is hatched.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, raw, masked or resampled, in order of time: 16 days at most.
    field : str
        The column to draw.
    second : str, optional
        Another column, with a scale of its own at the right.
    states : Series, optional
        The result of `eyelog.states` for the frame: the ribbon beneath each day.
    events : DataFrame, optional
        Events to shade: columns ``start`` and ``end`` (aware stamps; a moment has no end) and
        ``label``.
    title : str, optional
        In place of the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    array of Axes
        One panel for every day from the first to the last, with the day as its title. The line, or
        the patch of counts, has the name of the field as its label.

    Raises
    ------
    FieldError
        If the frame or the events lack a column.
    ConfigurationError
        If there are no rows, the rows are not in order, cover more than 16 days or last longer than
        half a day, or a column does not hold numbers.

    Notes
    -----
    Time is local clock time: when the clocks go back, the repeated hour is drawn twice, one pass
    over the other.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")["2026-10-19":"2026-10-20"]
    >>> panels = el.plot_day(
    ...     el.resample(frame, "10min"), "tl_yav", second="hm_yo", states=el.states(frame)
    ... )
    >>> [ax.get_title(loc="left") for ax in panels]
    ['Mon 19 Oct', 'Tue 20 Oct']
    """
    require_one_frame(frame, what="plot_day")
    index = stamps(frame.index, what="plot_day")
    names = [field] if second is None else [field, second]
    require(frame, names, purpose="plot_day")
    for name in names:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            raise ConfigurationError(f"plot_day draws numbers, but {name!r} holds text")
    if not index.is_monotonic_increasing:
        raise ConfigurationError("plot_day needs stamps in order: pass frame.sort_index()")
    log = log_or_none(frame)
    seconds = row_seconds(frame, log)
    if not 0 < seconds <= 12 * 3600:
        raise ConfigurationError(
            f"plot_day cannot show rows of {seconds:g} s within a day: resample to 12 h or less"
        )
    clock = clock_of(frame, log=log_or_none(frame))
    days = _days(index, clock)
    if len(days) > MOST_DAYS:
        raise ConfigurationError(
            f"plot_day draws {MOST_DAYS} days at most, and these are {len(days)}: choose some, such"
            f' as frame["{days[0]:%Y-%m-%d}":"{days[1]:%Y-%m-%d}"], or draw plot_overview'
        )
    shaded = [] if events is None else marks.event_us(marks.require_events(events, what="plot_day"))
    ribbons = None if states is None else _ribbons(states, days, index, clock)
    recorded, recorded_s = _records(frame, states, seconds)
    height = float(np.clip(ALL_PANELS_MM / len(days), LOWEST_PANEL_MM, HIGHEST_PANEL_MM))
    made = panels([height] * len(days), sharex=True, around_mm=20 + BETWEEN_MM * len(days))
    place, of_records = _places(index, days, clock), _places(recorded, days, clock)
    limits = {name: _limits(numbers(frame[name]), traces.is_count(log, name)) for name in names}
    for which, (ax, day) in enumerate(zip(made, days, strict=True)):
        mine = np.asarray(place == which)
        _draw_day(ax, frame[mine], names, log, seconds, limits, clock)
        _hatch_gaps(ax, recorded[of_records == which], recorded_s, day, clock)
        if ribbons is not None:
            ribbon.image(ax, ribbon.colours(ribbons[which])[None], (0, 24, *RIBBON), beneath=True)
            ribbon.hatched(ax, *RIBBON, left=0, right=24, beneath=True)
            _blank_skipped(ax, day, clock)
        ax.spines["bottom"].set_position(("axes", AXIS if ribbons is not None else 0.0))
        weekend = day.day_of_week >= 5
        ax.set_title(
            f"{day:%a} {day.day} {day:%b}",
            loc="left",
            fontsize=SMALL_PT,
            fontweight="bold" if weekend else "normal",
            pad=2,
        )
        _shade(ax, shaded, day, clock)
    hours_axis(made[-1], clock.tz)
    figure: Any = made[0].get_figure(root=True)
    figure.layouts = 2
    unit_s = unit_seconds(frame)
    figure.supylabel(label_of(log, field, seconds=unit_s), fontsize=TEXT_PT)
    set_title(made[0], title_of(frame, zone=False), title)
    kinds = [_entry(log, name, unit_s, place == 1) for place, name in enumerate(names)]
    columns = traces.columns_for(0, 24 * HOUR_US, seconds)
    if columns is not None:
        kinds = [(f"{label}, {traces.mean_words(columns)}", mark) for label, mark in kinds]
        kinds.append(traces.range_entry())
    below = (
        ribbon.entries(ribbon.state_codes(states)) if states is not None else [patch("no record")]
    )
    legend(made[-1], [*kinds, *marks.entries(shaded), *below])
    return made


def _days(index: pd.DatetimeIndex, clock: LocalClock) -> pd.DatetimeIndex:
    """Return every local date from the first to the last."""
    shown = local_days(index, clock=clock)
    return pd.date_range(shown.min(), shown.max(), freq="D", unit="us")


def _limits(values: Floats, count: bool) -> tuple[float, float]:
    """Return the scale that all days share."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = (0.0 if count else float(finite.min())), float(finite.max())
    spare = (high - low) * 0.05 or 1.0
    return (low if count else low - spare), high + spare


def _to_hours(us: Ints) -> Floats:
    return np.asarray(us / HOUR_US, dtype=np.float64)


def _draw_day(
    ax: Axes,
    rows: pd.DataFrame,
    names: list[str],
    log: str | None,
    seconds: float,
    limits: dict[str, tuple[float, float]],
    clock: LocalClock,
) -> None:
    index = pd.DatetimeIndex(rows.index)
    us = time_of_day_us(index, clock=clock)
    columns = traces.columns_for(0, 24 * HOUR_US, seconds)
    for place, name in enumerate(names):
        panel = ax
        if place == 1:
            panel = ax.twinx()
            panel.spines["right"].set_visible(True)
            panel.spines["bottom"].set_visible(False)
            panel.tick_params(axis="y", colors=COLOURS["second"])
        meaning = "second" if place == 1 else traces.colour_of(log, name)
        count = traces.is_count(log, name) and place == 0
        values = numbers(rows[name])
        if count and columns is None:
            traces.fill(panel, us, values, seconds, name, meaning=meaning, to_x=_to_hours)
        else:
            drawn = traces.trace(us, values, seconds, columns, angle=traces.is_angle(log, name))
            traces.draw(panel, drawn, name, meaning=meaning, to_x=_to_hours)
        panel.set_ylim(*limits[name])
        value_axis(panel.yaxis, most=3, whole=traces.is_count(log, name))


def _places(index: pd.DatetimeIndex, days: pd.DatetimeIndex, clock: LocalClock) -> Ints:
    """Return the place of each stamp's day among the days."""
    return np.asarray((local_days(index, clock=clock) - days[0]).days, dtype=np.int64)


def _records(
    frame: pd.DataFrame, states: pd.Series | None, seconds: float
) -> tuple[pd.DatetimeIndex, float]:
    """Return the stamps of the records and how long each lasts, from the states if given."""
    if states is not None:
        return pd.DatetimeIndex(states.index), row_seconds(states, None)
    rows = frame[frame["n"] > 0] if "n" in frame.columns else frame  # bins without records
    return pd.DatetimeIndex(rows.index), seconds


def _hatch_gaps(
    ax: Axes, index: pd.DatetimeIndex, seconds: float, day: pd.Timestamp, clock: LocalClock
) -> None:
    """Hatch the time of a day without records, if it is wide enough to be seen."""
    us = index.as_unit("us").asi8
    ends = time_of_day_us(index, clock=clock)
    starts = np.maximum(ends - (us - ribbon.row_starts(us, seconds)), 0)
    edges = np.concatenate([[0], np.stack([starts, ends], axis=1).ravel(), [24 * HOUR_US]])
    lefts, rights = edges[::2], edges[1::2]
    touching = np.concatenate([[False], ribbon.row_starts(us, seconds)[1:] <= us[:-1], [False]])
    wide = (rights - lefts >= SEEN_US) & ~(touching if len(us) else np.array([False]))
    spans = [
        (left / HOUR_US, (right - left) / HOUR_US)
        for left, right in zip(lefts[wide], rights[wide], strict=True)
    ]
    if spans:
        ax.broken_barh(
            spans,
            (0, 1),
            transform=ax.get_xaxis_transform(),
            facecolor=COLOURS["no record"],
            edgecolor=COLOURS["pale hatch"],
            hatch=HATCH,
            linewidth=0,
            zorder=0.5,
            label="_no record",
        )
    skipped = skipped_hours(day, clock)
    if skipped is not None:
        ax.axvspan(*skipped, color="white", linewidth=0, zorder=0.6, label="_skipped")


def _blank_skipped(ax: Axes, day: pd.Timestamp, clock: LocalClock) -> None:
    """Leave the hour that the day lacks blank in the ribbon: nothing is missing there."""
    skipped = skipped_hours(day, clock)
    if skipped is not None:
        ribbon.blank(ax, *skipped, *RIBBON)


def _ribbons(
    states: pd.Series, days: pd.DatetimeIndex, index: pd.DatetimeIndex, clock: LocalClock
) -> Floats:
    """Return the shares of the states in each minute of each day."""
    states = ribbon.require_states(states, what="plot_day")
    own = stamps(states.index, what="plot_day")
    if str(own.tz) != str(index.tz):
        raise ConfigurationError(
            f"the states are in {own.tz} and the frame is in {index.tz}: pass the states of the"
            " same frame"
        )
    place = _places(own, days, clock)
    inside = (place >= 0) & (place < len(days))
    if not inside.any():
        raise ConfigurationError("the states are of other days: pass the states of the same frame")
    codes = ribbon.state_codes(states)
    seconds = row_seconds(states, None)
    return ribbon.day_shares(own[inside], codes[inside], place[inside], len(days), seconds, clock)


def _shade(
    ax: Axes, events: list[tuple[int, int | None, str]], day: pd.Timestamp, clock: LocalClock
) -> None:
    """Shade the part of each event that lies on a day, and label those that begin on it."""
    start, end = day_edges(day, clock)
    named = []
    for first, last, text in events:
        if not (first < end and (first if last is None else last) >= start):
            continue
        left = _clock_hours(max(first, start), clock)
        right = None if last is None else 24.0 if last >= end else _clock_hours(last, clock)
        marks.shade(ax, left, right)
        if first >= start:
            named.append((left, text))
    marks.name_events(ax, named)


def _clock_hours(us: int, clock: LocalClock) -> float:
    return float(clock.wall_us(np.array([us]))[0] % (24 * HOUR_US) / HOUR_US)


def _entry(log: str | None, name: str, seconds: float | None, second: bool) -> Entry:
    label = label_of(log, name, seconds=seconds)
    if second:
        return line(f"{label}, right", "second")
    if traces.is_count(log, name):
        meaning = traces.colour_of(log, name)
        return patch(label, meaning, alpha=traces.TRACE_ALPHA if meaning == "trace" else 1.0)
    return line(label, traces.colour_of(log, name))
