"""A few days in full: panels of each day, 00 to 24, with the state of the eyewear beneath."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from eyelog.catalogue import log_named
from eyelog.clock import LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import events as marks
from eyelog.figures import ribbon, traces
from eyelog.figures.axes import (
    Entry,
    legend,
    line,
    own_figure,
    panels,
    patch,
    plot_function,
    set_title,
)
from eyelog.figures.calendar_axis import day_edges, hours_axis, skipped_hours
from eyelog.figures.labels import label_of, title_of
from eyelog.figures.marks import value_axis
from eyelog.figures.style import COLOURS, HATCH, SMALL_PT, TEXT_PT
from eyelog.figures.tables import (
    closing,
    judged,
    log_or_none,
    require_order,
    row_seconds,
    rows_of_days,
    stamps,
    unit_seconds,
)
from eyelog.frame import clock_of, require, require_one_frame
from eyelog.judge.arrays import Floats, Ints, numbers
from eyelog.judge.limits import Limits

MOST_DAYS: Final = 16
SECOND: Final = 0.42  # of the height of a day, for the second column
HIGHEST_PANEL_MM, LOWEST_PANEL_MM, ALL_PANELS_MM = 40.0, 8.0, 150.0
BETWEEN_MM: Final = 6.0
# As shares of a panel's height: where the ribbon is beneath it, and where the axis then is.
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
    limits: Limits | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Draw one field over each day in full, one panel per day, from 00 to 24.

    All days have the same scale. Counts are bars from 0, other values lines that break where a
    value is missing; a value without neighbours is a point. Values of records that have a reason
    against them (`eyelog.flag`) are left out. Time without records is hatched.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, raw, masked or resampled, in order of time: 16 days at most, or 8
        with a second column.
    field : str
        The column to draw.
    second : str, optional
        Another column, in a panel of its own beneath that of each day.
    states : Series, optional
        The result of `eyelog.states` for the frame: the ribbon beneath each day.
    events : DataFrame, optional
        Events to shade and name: columns ``start`` and ``end`` (aware stamps; a moment has no end)
        and ``label``. Where words do not fit, they are numbers with a key under the figure.
    limits : Limits, optional
        By which records are judged, see `eyelog.Limits`.
    fig : Figure or SubFigure, optional
        A figure of matplotlib without Axes, or a part of one (``figure.subfigures(1, 2)``), to draw
        in, at its size and in your style; a new figure by default, at most 170 mm high.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    array of Axes
        One panel for every day from the first to the last, with the day as its title; with a second
        column two for every day, one after the other. The line, or the patch of counts, has the
        name of the field as its label.

    Raises
    ------
    FieldError
        If the frame or the events lack a column.
    ConfigurationError
        If there are no rows, the rows are not in order, cover too many days or last longer than
        half a day, a column does not hold numbers, or `fig` is not a figure or has Axes.

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
    >>> [ax.get_title(loc="left") for ax in panels[::2]]
    ['Mon 19 Oct', 'Tue 20 Oct']
    """
    require_one_frame(frame, what="plot_day")
    index = stamps(frame.index, what="plot_day")
    names = [field] if second is None else [field, second]
    require(frame, names, purpose="plot_day")
    for name in names:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            raise ConfigurationError(f"plot_day draws numbers, but {name!r} holds text")
    require_order(index, what="plot_day", name="frame")
    frame = closing(frame)
    index = cast(pd.DatetimeIndex, frame.index)
    frame = judged(frame, names, limits, what="plot_day")
    log = log_or_none(frame)
    seconds = row_seconds(frame, log)
    if not 0 < seconds <= 12 * 3600:
        raise ConfigurationError(
            f"plot_day cannot show rows of {seconds:g} s within a day: resample to 12 h or less"
        )
    clock = clock_of(frame, log=log)
    of_days = rows_of_days(index, clock)
    frame, index = frame[of_days], index[of_days]
    days = _days(index, clock)
    most = MOST_DAYS // len(names)
    if len(days) > most:
        raise ConfigurationError(
            f"plot_day draws {most} days at most, and these are {len(days)}: choose some, such as"
            f' frame["{days[0]:%Y-%m-%d}":"{days[1]:%Y-%m-%d}"], or draw an overview'
        )
    shaded = [] if events is None else marks.event_us(marks.require_events(events, what="plot_day"))
    ribbons, recorded, recorded_s = None, _recorded(frame), seconds
    notes: list[Entry] = []
    if states is not None:
        # States are of records, whose length their log states even where most are missing.
        recorded_s = row_seconds(states, None) if log is None else log_named(log).interval_s
        ribbons, notes = ribbon.widened(_ribbons(states, days, index, recorded_s, clock))
        recorded = pd.DatetimeIndex(states.index)
    height = float(np.clip(ALL_PANELS_MM / len(days), LOWEST_PANEL_MM, HIGHEST_PANEL_MM))
    each = [height] if second is None else [height * (1 - SECOND), height * SECOND]
    made = panels(each * len(days), sharex=True, around_mm=20 + BETWEEN_MM * len(days), fig=fig)
    own = own_figure(made[0])
    small: Any = "small" if own is None else SMALL_PT
    place, of_records = _places(index, days, clock), _places(recorded, days, clock)
    ranges = {name: _limits(numbers(frame[name]), traces.is_count(log, name)) for name in names}
    named: list[tuple[Axes, float, str]] = []
    for which, day in enumerate(days):
        mine = np.asarray(place == which)
        of_day = made[which * len(names) : (which + 1) * len(names)]
        for ax, name in zip(of_day, names, strict=True):
            _draw_day(ax, frame[mine], name, log, seconds, ranges[name], clock)
            _hatch_gaps(ax, recorded[of_records == which], recorded_s, day, clock)
            labels = _shade(ax, shaded, day, clock)
            if ax is of_day[0]:
                named += labels
            if ax is not of_day[-1]:
                ax.spines["bottom"].set_visible(False)
                ax.tick_params(axis="x", length=0)
        ax = of_day[-1]
        if ribbons is not None:
            scale = height / each[-1]
            beneath = (RIBBON[0] * scale, RIBBON[1] * scale)
            shown = ribbon.colours(ribbons[which])[None]
            ribbon.image(ax, shown, (0, 24, *beneath), beneath=True)
            ribbon.hatched(ax, *beneath, left=0, right=24, beneath=True)
            _blank_skipped(ax, day, clock, beneath)
            ax.spines["bottom"].set_position(("axes", AXIS * scale))
        weekend = day.day_of_week >= 5
        of_day[0].set_title(
            f"{day:%a} {day.day} {day:%b}",
            loc="left",
            fontsize=small,
            fontweight="bold" if weekend else "normal",
            pad=2,
        )
    hours_axis(made[-1], clock.tz)
    unit_s = unit_seconds(frame)
    words = [label_of(log, name, seconds=unit_s) for name in names]
    if second is None:
        figure: FigureBase = made[0].figure
        figure.supylabel(words[0], fontsize="small" if own is None else TEXT_PT)
    else:
        for ax, label in zip(made, words, strict=False):
            look = {"fontsize": small, "fontweight": "normal", "pad": 2}
            ax.set_title(label, loc="right", **look)
    set_title(made[0], title_of(frame, zone=False), title, fig=fig)
    key = marks.name_events(named)
    kinds = [_entry(log, name, unit_s) for name in names] if second is None else []
    columns = traces.columns_for(0, 24 * HOUR_US, seconds)
    if columns is not None:
        kinds = [line(traces.mean_words(columns), "trace"), *traces.range_entries()]
    below = (
        ribbon.entries(ribbon.state_codes(states)) if states is not None else [patch("no record")]
    )
    legend(made[-1], [*kinds, *marks.entries(shaded), *below, *notes], note=key)
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
    name: str,
    log: str | None,
    seconds: float,
    limits: tuple[float, float],
    clock: LocalClock,
) -> None:
    us = time_of_day_us(pd.DatetimeIndex(rows.index), clock=clock)
    columns = traces.columns_for(0, 24 * HOUR_US, seconds)
    meaning, count = traces.colour_of(log, name), traces.is_count(log, name)
    values = numbers(rows[name])
    if count and columns is None:
        traces.fill(ax, us, values, seconds, name, meaning=meaning, to_x=_to_hours)
    else:
        drawn = traces.trace(us, values, seconds, columns, angle=traces.is_angle(log, name))
        traces.draw(ax, drawn, name, meaning=meaning, to_x=_to_hours)
    ax.set_ylim(*limits)
    value_axis(ax.yaxis, most=3, whole=count)


def _places(index: pd.DatetimeIndex, days: pd.DatetimeIndex, clock: LocalClock) -> Ints:
    """Return the place of each stamp's day among the days."""
    return np.asarray((local_days(index, clock=clock) - days[0]).days, dtype=np.int64)


def _recorded(frame: pd.DataFrame) -> pd.DatetimeIndex:
    """Return the stamps of the rows with records: bins have rows without any too."""
    rows = frame[frame["n"] > 0] if "n" in frame.columns else frame
    return pd.DatetimeIndex(rows.index)


def _hatch_gaps(
    ax: Axes, index: pd.DatetimeIndex, seconds: float, day: pd.Timestamp, clock: LocalClock
) -> None:
    """Hatch the time of a day without records, if it is wide enough to be seen."""
    us = index.as_unit("us").asi8
    ends = time_of_day_us(index, clock=clock)
    starts = np.maximum(ends - (us - ribbon.row_starts(us, seconds)), 0)
    # Where the clock passes hours twice, a gap is what neither pass has recorded.
    order = np.argsort(starts, kind="stable")
    lefts = np.concatenate([[0], np.maximum.accumulate(ends[order])])
    rights = np.append(starts[order], 24 * HOUR_US)
    wide = rights - lefts >= SEEN_US
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


def _blank_skipped(
    ax: Axes, day: pd.Timestamp, clock: LocalClock, beneath: tuple[float, float]
) -> None:
    """Leave the hour that the day lacks blank in the ribbon: nothing is missing there."""
    skipped = skipped_hours(day, clock)
    if skipped is not None:
        ribbon.blank(ax, *skipped, *beneath)


def _ribbons(
    states: pd.Series,
    days: pd.DatetimeIndex,
    index: pd.DatetimeIndex,
    seconds: float,
    clock: LocalClock,
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
    return ribbon.day_shares(own[inside], codes[inside], place[inside], len(days), seconds, clock)


def _shade(
    ax: Axes, events: list[tuple[int, int | None, str]], day: pd.Timestamp, clock: LocalClock
) -> list[tuple[Axes, float, str]]:
    """Shade the part of each event that is on a day; return where those that begin on it begin."""
    start, _ = day_edges(day, clock)
    named = []
    for event in events:
        first, last, text = event
        parts = marks.parts_of_day(event, day, clock)
        for left, right in parts:
            marks.shade(ax, left / HOUR_US, None if last is None else right / HOUR_US)
        if parts and first >= start:
            named.append((ax, parts[0][0] / HOUR_US, text))
    return named


def _entry(log: str | None, name: str, seconds: float | None) -> Entry:
    label, meaning = label_of(log, name, seconds=seconds), traces.colour_of(log, name)
    if traces.is_count(log, name):
        return patch(label, meaning, alpha=traces.TRACE_ALPHA if meaning == "trace" else 1.0)
    return line(label, meaning)
