"""Fields along time, one small panel each, over any range."""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from eyelog.catalogue import role
from eyelog.checks import names_of
from eyelog.clock import LocalClock, local_days
from eyelog.errors import ConfigurationError
from eyelog.figures import events as marks
from eyelog.figures import ribbon, traces
from eyelog.figures.axes import Entry, legend, line, panels, patch, plot_function, set_title
from eyelog.figures.calendar_axis import DAY_S, day_edges, time_axis, to_x
from eyelog.figures.defaults import DEFAULT_FIELDS, STATE
from eyelog.figures.labels import label_of, title_of
from eyelog.figures.marks import value_axis
from eyelog.figures.style import SMALL_PT
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
from eyelog.frame import (
    LIMITS,
    OFFSET,
    SECONDS,
    STORED,
    clock_of,
    is_resampled,
    require,
    require_one_frame,
)
from eyelog.judge.arrays import numbers
from eyelog.judge.flag import states
from eyelog.judge.limits import Limits

MOST_PANELS: Final = 12
ROOMY: Final = 6
PANEL_MM, RIBBON_MM, BETWEEN_MM = 12.0, 3.5, 5.5
RIBBON_COLUMNS: Final = 1600
# Ranges of at least this length are shown as whole days
WHOLE_DAYS_FROM_S: Final = 6 * 3600
BOOLEAN: Final = ("true", "false")


@plot_function
def plot_timeline(
    frame: pd.DataFrame,
    fields: Sequence[str] | None = None,
    *,
    events: pd.DataFrame | None = None,
    limits: Limits | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Draw fields along time, one panel each, over any range.

    Data too dense for the width of the figure are shown by columns of time: the mean as a line, the
    middle half of the values as a band, the lowest and the highest as thin marks. A year is
    readable, and nothing is hidden: five minutes of the 20 Hz log show each of its rows. Values of
    records that have a reason against them (`eyelog.flag`) are left out. Lines break where there is
    no value; a value without neighbours is a point. Booleans, and the states of `eyelog.states` as
    a column, are ribbons.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, raw, masked or resampled, in order of time.
    fields : sequence of str, optional
        The columns to draw, top to bottom, 12 at most. Default: all that are not text; for a frame
        with more than 12, a choice that suits the log, and the state of the eyewear.
    events : DataFrame, optional
        Events to shade, and to name in a lane at the foot: columns ``start`` and ``end`` (aware
        stamps; a moment has no end) and ``label``. Where words do not fit, they are numbers with a
        key under the figure.
    limits : Limits, optional
        By which records are judged, see `eyelog.Limits`.
    fig : Figure or SubFigure, optional
        A figure of matplotlib without Axes, or a part of one (``figure.subfigures(1, 2)``), to draw
        in; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    array of Axes
        One panel per field. In a panel of numbers the line has the name of the field as its label;
        with columns, its points are their means, and the patch is their middle half. In a ribbon
        the image holds the colours; over months it is a stack of the shares of each day.

    Raises
    ------
    FieldError
        If the frame or the events lack a column.
    ConfigurationError
        If there are no rows, the rows are not in order, a column holds text, or there are too many
        fields for one figure.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> panels = el.plot_timeline(
    ...     frame.assign(state=el.states(frame)), ["stp_mid", "tl_yav", "state"]
    ... )
    >>> [ax.get_title(loc="left") for ax in panels]
    ['Steps, medium per min', 'Tilt fore-aft (deg)', 'State']
    """
    require_one_frame(frame, what="plot_timeline")
    index = stamps(frame.index, what="plot_timeline")
    require_order(index, what="plot_timeline", name="frame")
    frame = closing(frame)
    index = cast(pd.DatetimeIndex, frame.index)
    if fields is None:
        frame, fields = _default(frame)
    names = _names(frame, fields)
    frame = judged(frame, names, limits, what="plot_timeline")
    shaded = (
        marks.event_us(marks.require_events(events, what="plot_timeline"))
        if (events is not None)
        else []
    )
    log = log_or_none(frame)
    unit_s = unit_seconds(frame)
    seconds = row_seconds(frame, log)
    us = index.as_unit("us").asi8
    clock = clock_of(frame, log=log)
    start, end = _range(index, seconds, clock)
    columns = traces.columns_for(start, end, seconds)
    stacked = columns is not None and columns.step_s >= DAY_S
    ribbons = [not _is_number(frame[name]) for name in names]
    heights = [RIBBON_MM if is_ribbon and not stacked else PANEL_MM for is_ribbon in ribbons]
    lanes = [marks.LANE_MM] if shaded else []
    every = panels(
        [*heights, *lanes], around_mm=20 + BETWEEN_MM * (len(names) + len(lanes)), fig=fig
    )
    made = every[: len(names)]
    entries: list[Entry] = []
    for ax, name, is_ribbon in zip(made, names, ribbons, strict=True):
        if is_ribbon:
            entries += _draw_ribbon(ax, frame[name], us, seconds, columns, (start, end))
        else:
            angle = traces.is_angle(log, name)
            drawn = traces.trace(us, numbers(frame[name]), seconds, columns, angle=angle)
            traces.draw(ax, drawn, name, meaning=traces.colour_of(log, name), to_x=to_x)
            few = 3 if len(names) <= ROOMY else 2  # panels share 170 mm
            _scale(ax, drawn, count=traces.is_count(log, name), ticks=few)
        label = "State" if name == "state" else label_of(log, name, seconds=unit_s)
        ax.set_title(label, loc="left", fontsize=SMALL_PT, fontweight="normal", pad=2)
        for first, last, _ in shaded:
            marks.shade(ax, float(to_x(first)), None if last is None else float(to_x(last)))
    every[-1].set_xlim(float(to_x(start)), float(to_x(end)))
    time_axis(every[-1], clock)
    for ax in every[:-1]:
        ax.tick_params(axis="x", length=0)
        ax.spines["bottom"].set_visible(False)
    key = _draw_lane(every[-1], shaded, (start, end)) if shaded else ""
    days = local_days(index[rows_of_days(index, clock)], clock=clock)
    set_title(made[0], title_of(frame, days=days), title, fig=fig)
    if columns is not None and not all(ribbons):
        entries = [line(traces.mean_words(columns), "trace"), *traces.range_entries(), *entries]
    legend(made[-1], [*entries, *marks.entries(shaded)], note=key)
    return made


def _draw_lane(
    ax: Axes, events: Sequence[tuple[int, int | None, str]], ends: tuple[int, int]
) -> str:
    """Draw events in a lane of their own within the range; return the key to their numbers."""
    spans = [
        (
            float(to_x(max(first, ends[0]))),
            None if last is None else float(to_x(min(last, ends[1]))),
            label,
        )
        for first, last, label in events
        if first < ends[1] and (first if last is None else last) >= ends[0]
    ]
    ax.set_title("Diary", loc="left", fontsize=SMALL_PT, fontweight="normal", pad=2)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    return marks.draw_lane(ax, spans)


def _scale(ax: Axes, drawn: traces.Trace, *, count: bool, ticks: int) -> None:
    """Set the y axis of a panel: counts begin at 0, and a panel without values says so."""
    if not np.isfinite(drawn.values).any():
        ax.text(0.5, 0.5, "no values", transform=ax.transAxes, ha="center", va="center")
        ax.set_yticks([])
        return
    value_axis(ax.yaxis, most=ticks, whole=count)
    if count:
        ax.set_ylim(bottom=0, top=None if np.nanmax(drawn.top) > 0 else 1)


def _default(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the columns to draw if none are named, and the frame with their states."""
    drawable = [str(name) for name in frame.columns if _drawable(frame[name])]
    about = (OFFSET, STORED, *SECONDS, LIMITS, *(("n", "coverage") if is_resampled(frame) else ()))
    drawable = [name for name in drawable if name not in about]
    log = log_or_none(frame)
    if len(drawable) <= MOST_PANELS or log is None:
        return frame, drawable
    usual = DEFAULT_FIELDS[log]["timeline"]
    shows_wear = set(role(log, "worn")) <= set(frame.columns) and not is_resampled(frame)
    if STATE not in drawable and shows_wear:
        attrs = frame.attrs
        frame = frame.assign(**{STATE: states(frame)})
        frame.attrs = attrs
    names = [name for name in usual if name in (*drawable, STATE) and name in frame.columns]
    return frame, names or drawable[:MOST_PANELS]


def _names(frame: pd.DataFrame, fields: Sequence[str]) -> list[str]:
    """Return the columns to draw, or raise if they cannot be drawn."""
    drawable = [str(name) for name in frame.columns if _drawable(frame[name])]
    names = names_of(fields, "fields")
    require(frame, names, purpose="plot_timeline")
    texts = [name for name in names if name not in drawable]
    if texts:
        raise ConfigurationError(
            f"plot_timeline draws numbers and states, but {texts[0]!r} holds text"
        )
    if not 1 <= len(names) <= MOST_PANELS:
        raise ConfigurationError(
            f"plot_timeline draws 1 to {MOST_PANELS} fields, not {len(names)}: name some,"
            " plot_timeline(frame, ['stp', 'tl_yav'])"
        )
    for name in names:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            ribbon.require_states(frame[name], what="plot_timeline")
    return names


def _drawable(column: pd.Series) -> bool:
    return _is_number(column) or isinstance(column.dtype, pd.CategoricalDtype) or _is_bool(column)


def _is_bool(column: pd.Series) -> bool:
    return bool(pd.api.types.is_bool_dtype(column.dtype))


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype)) and not _is_bool(column)


def _range(index: pd.DatetimeIndex, seconds: float, clock: LocalClock) -> tuple[int, int]:
    """Return the range to show in microseconds: whole local days, unless it is short."""
    us = index.as_unit("us").asi8
    first, last = int(us[0] - seconds * 1e6), int(us[-1])
    if last - first < WHOLE_DAYS_FROM_S * 1e6:
        return first, last
    index = index[rows_of_days(index, clock)]
    days = local_days(index[[0, -1]], clock=clock)
    return day_edges(days[0], clock)[0], day_edges(days[-1], clock)[1]


def _draw_ribbon(
    ax: Axes,
    column: pd.Series,
    us: Any,
    seconds: float,
    columns: traces.Columns | None,
    ends: tuple[int, int],
) -> list[Entry]:
    """Draw a ribbon of states, or of true and false, and return its legend.

    Over months, one colour per column is too coarse: each day is then a bar of its shares.
    """
    stacked = columns is not None and columns.step_s >= DAY_S
    if stacked and columns is not None:
        edges = columns.edges
    else:
        edges = np.linspace(*ends, RIBBON_COLUMNS + 1).astype(np.int64)
    if _is_bool(column):
        values = numbers(column)
        codes = np.where(np.isnan(values), 2, np.where(values > 0, 0, 1))
        names: tuple[str, ...] = (*BOOLEAN, ribbon.UNKNOWN)
    else:
        codes, names = ribbon.state_codes(column), ribbon.NAMES
    shares = ribbon.time_shares(us, codes, seconds, edges, n=len(names))
    left, right = float(to_x(edges[0])), float(to_x(edges[-1]))
    if stacked:
        ribbon.stack(ax, shares, names, to_x(edges))
    else:
        ribbon.image(ax, ribbon.colours(shares, names)[None], (left, right, 0, 1))
    ribbon.hatched(ax, 0, 1, left=left, right=right)
    ax.set_ylim(0, 1)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    if names == ribbon.NAMES:
        return ribbon.entries(codes)
    return [*(patch(name) for name in BOOLEAN), patch("no record")]
