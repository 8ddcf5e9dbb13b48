"""Fields along time: small panels over any range, or a panel of each day from 00 to 24.

If several rows fall into one visible column, the column shows their mean as a line, the middle half
of them as a band, and the lowest and the highest as thin marks. Lines break where a value or a row
is missing, and a value without neighbours is a point.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from eyelog.catalogue import catalogue, log_named, role
from eyelog.checks import names_of
from eyelog.clock import HOUR_US, LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import axes, dates, marks, ribbon, tables
from eyelog.figures import events as diary
from eyelog.figures.axes import Panels
from eyelog.figures.defaults import DEFAULT_FIELDS, STATE
from eyelog.figures.labels import duration_words, label_of, meaning_of_field, shades, title_of
from eyelog.figures.style import COLOURS, HATCH, SMALL_PT, TEXT_PT
from eyelog.frame import LIMITS, OFFSET, SECONDS, STORED, clock_of, is_resampled, require
from eyelog.judge.arrays import Floats, Ints, follows, holds_numbers, numbers
from eyelog.judge.flag import states as states_of
from eyelog.judge.limits import Limits
from eyelog.series.observed import refuse_wearers

# The columns that two columns of a journal resolve: a fifth of a millimetre each
MOST_COLUMNS: Final = 800
STEPS_S: Final = (
    *(1, 2, 5),
    *(15, 30, 60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10_800),  # from here on whole days: the halves of a day would alternate
    *(86_400, 172_800, 604_800),
)
MOST_PANELS: Final = 12
PANEL_MM, RIBBON_MM = 12.0, 3.5
BOOLEAN: Final = ("true", "false")
MOST_DAYS: Final = 16
SECOND: Final = 0.42  # of the height of a day, for the second column
HIGHEST_PANEL_MM, LOWEST_PANEL_MM, ALL_PANELS_MM = 40.0, 8.0, 150.0

ToX = Callable[[Any], Any]


@dataclass(frozen=True)
class Columns:
    """Columns of equal width, each closed at its end as a stamp closes its interval."""

    origin_us: int
    step_s: float
    n: int

    @property
    def edges(self) -> Ints:
        """The edges in microseconds, one more than there are columns."""
        return self.origin_us + np.arange(self.n + 1, dtype=np.int64) * int(self.step_s * 1e6)

    def of(self, us: Ints) -> Ints:
        """Return the column of each stamp."""
        column = -((self.origin_us - us) // int(self.step_s * 1e6)) - 1
        return np.clip(column, 0, self.n - 1)


def columns_for(start_us: int, end_us: int, seconds: float) -> Columns | None:
    """Return the columns of a range, or None if every row can be seen separately."""
    span_s = (end_us - start_us) / 1e6
    # Rows of less than a second are drawn one by one for five minutes: a line shows each blink.
    if span_s / seconds <= (6000 if seconds < 1 else MOST_COLUMNS):
        return None
    step = next((step for step in STEPS_S if span_s / step <= MOST_COLUMNS), STEPS_S[-1])
    return Columns(start_us, float(step), int(np.ceil(span_s / step)))


class Kind(NamedTuple):
    """How a field is drawn."""

    name: str
    meaning: str
    is_count: bool
    """Whether it counts events, so that its values start at 0."""
    is_angle: bool
    """Whether it is averaged on the circle."""


def kind_of(log: str | None, name: str) -> Kind:
    """Return how a field is drawn, as far as the catalogue knows it."""
    field = catalogue(log).get(name) if log else None
    meaning = meaning_of_field(name, log) or "trace"
    if field is None:
        return Kind(name, meaning, is_count=False, is_angle=False)
    return Kind(name, meaning, field.unit == "count", field.agg == "circ_mean")


def _trace(
    ax: Axes,
    us: Ints,
    values: Floats,
    seconds: float,
    columns: Columns | None,
    kind: Kind,
    to_x: ToX,
    label: str,
) -> None:
    """Draw all values, or mean, middle half and range of each column; lone values are points.

    Days have no range: beside the lowest and highest value of each day of a year, means would be a
    flat line.
    """
    if columns is None:
        # A value is drawn in the middle of its row; each gap has a point without a value.
        middles = us - int(seconds * 5e5)
        # Clock time goes back when the clocks do: this is a gap too.
        gaps = np.flatnonzero(~follows(us, seconds * 1e6) | (np.diff(us) <= 0)) + 1
        middles = np.insert(middles, gaps, middles[gaps - 1] + 1)
        values = np.insert(values, gaps, np.nan)
    else:
        groups = pd.Series(values).groupby(columns.of(us))
        middles = (columns.edges[:-1] + columns.edges[1:]) // 2
        values = tables.means(values, columns.of(us), columns.n, angle=kind.is_angle)
    colour, x, alone = COLOURS[shades(kind.meaning)[0]], to_x(middles), marks.lone(values)
    dots: dict[str, Any] = {"color": colour, "linestyle": "none", "marker": "o"}
    ax.plot(x, values, color=colour, linewidth=0.8, label=label)
    if alone.any():
        ax.plot(x[alone], values[alone], markersize=1.6, **dots)
    if columns is None:
        return
    every = pd.RangeIndex(columns.n)
    lower, upper = (numbers(groups.quantile(share).reindex(every)) for share in (0.25, 0.75))
    band: dict[str, Any] = {"color": colour, "alpha": 0.3, "linewidth": 0, "zorder": 1.5}
    ax.stairs(upper, to_x(columns.edges), baseline=lower, fill=True, label="middle half", **band)
    if columns.step_s < dates.DAY_S:
        ends = [numbers(end.reindex(every)) for end in (groups.min(), groups.max())]
        tiny = dots | {"markersize": 0.7, "markeredgewidth": 0, "alpha": 0.7, "zorder": 1.6}
        ax.plot(np.tile(x, 2), np.concatenate(ends), label="lowest, highest", **tiny)


def _fill(ax: Axes, us: Ints, values: Floats, seconds: float, kind: Kind, label: str) -> None:
    """Draw counts as bars that are as wide as their rows, from 0; dark grey would be too heavy."""
    if not len(us):
        return
    # Where the clock goes back, a row begins before its own end, not at that of the row before.
    back = np.diff(us, prepend=us[:1]) <= 0
    starts = np.maximum(np.where(back, us - int(seconds * 1e6), ribbon.row_starts(us, seconds)), 0)
    between = np.full(2 * len(us) - 1, np.nan)
    between[::2] = values
    look: dict[str, Any] = {"color": COLOURS[kind.meaning], "linewidth": 0, "label": label}
    look["alpha"] = 0.55 if kind.meaning == "trace" else 1.0
    edges = np.stack([starts, us], axis=1).ravel()
    ax.stairs(between, edges / HOUR_US, baseline=0, fill=True, **look)


def _words_of_columns(columns: Columns | None) -> str:
    """Return what the line of a trace is."""
    if columns is None:
        return "value"
    width = duration_words(columns.step_s)
    return f"mean of {'each ' * (not width[0].isdigit())}{width}"


@axes.plot_function
def plot_timeline(
    frame: pd.DataFrame,
    fields: Sequence[str] | None = None,
    *,
    events: pd.DataFrame | None = None,
    limits: Limits | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Draw fields along time, one panel each, over any range.

    Data too dense for the width of the figure are shown by columns of time: the mean as a line, the
    middle half of the values as a band, and of columns shorter than a day the lowest and the
    highest as thin marks. A year shows its days, five minutes of the 20 Hz log each row. Values of
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    array of Axes
        One panel per field, with its name as the title. With columns, the line is through their
        means, and the patch is their middle half. In a ribbon the image holds the colours; over
        months it is a stack of the shares of each day. Each artist has its words in the legend as
        its label.

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
    what = "plot_timeline"
    frame = tables.closing(frame, what=what)
    if fields is None:
        frame, fields = _default(frame)
    names = _names(frame, fields)
    frame = tables.judged(frame, names, limits, what=what)
    return _draw_fields(frame, names, events, fig=fig, title=title, legend=legend)


def _draw_fields(
    frame: pd.DataFrame,
    names: Sequence[str],
    events: pd.DataFrame | None,
    *,
    fig: FigureBase | None,
    title: str | None,
    legend: bool | str,
) -> Panels:
    """Draw fields along time; the rows of the frame are judged and close at their stamps."""
    index = cast(pd.DatetimeIndex, frame.index)
    shaded = [
        (float(dates.to_x(first)), None if last is None else float(dates.to_x(last)), label)
        for first, last, label in ([] if events is None else diary.event_us(events))
    ]
    log, unit_s = tables.log_or_none(frame), tables.unit_seconds(frame)
    seconds, us = tables.row_seconds(frame, log), index.as_unit("us").asi8
    clock = clock_of(frame, log=log)
    _, days, _ = tables.placed_on_days(index, clock)
    start, end = int(us[0] - seconds * 1e6), int(us[-1])
    if end - start >= 6 * 3600 * 1e6:  # whole days
        start, end = dates.day_edges(days, clock)
    columns = columns_for(start, end, seconds)
    stacked = columns is not None and columns.step_s >= dates.DAY_S
    ribbons = [not holds_numbers(frame[name]) for name in names]
    heights = [RIBBON_MM if is_ribbon and not stacked else PANEL_MM for is_ribbon in ribbons]
    heights += [diary.LANE_MM] if shaded else []
    every = axes.panels(heights, sharex=True, fig=fig)[:, 0]
    made = every[: len(names)]
    small: dict[str, Any] = {"loc": "left", "fontsize": SMALL_PT, "fontweight": "normal", "pad": 2}
    for ax, name, is_ribbon in zip(made, names, ribbons, strict=True):
        kind = kind_of(log, name)
        if is_ribbon:
            _draw_ribbon(ax, frame[name], us, seconds, columns, (start, end))
        else:
            values, words = numbers(frame[name]), _words_of_columns(columns)
            _trace(ax, us, values, seconds, columns, kind, dates.to_x, words)
            marks.value_axis(ax.yaxis, most=3 if len(names) <= 6 else 2, whole=kind.is_count)
            if not np.isfinite(values).any():
                ax.text(0.5, 0.5, "no values", transform=ax.transAxes, ha="center", va="center")
                ax.set_yticks([])
            elif kind.is_count:
                ax.set_ylim(bottom=0, top=None if np.nanmax(values) > 0 else 1)
        label = "State" if name == STATE else label_of(log, name, seconds=unit_s)
        ax.set_title(label, **small)
        for first, last, _ in shaded:
            diary.shade(ax, first, last)
    low, high = dates.to_x([start, end]).tolist()
    every[-1].set_xlim(low, high)
    dates.time_axis(every[-1], clock)
    for ax in every[:-1]:
        ax.tick_params(axis="x", length=0)
        ax.spines["bottom"].set_visible(False)
    key = ""
    if shaded:
        every[-1].set_title("Diary", **small)
        _without_values(every[-1])
        key = diary.draw_lane(
            every[-1],
            [
                (max(first, low), None if last is None else min(last, high), label)
                for first, last, label in shaded
                if first < high and (first if last is None else last) >= low
            ],
        )
    axes.finish(made[0], title_of(frame, days=days), title, legend=legend, note=key, fig=fig)
    return made


def _default(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the columns to draw if none are named, and the frame with their states."""
    about = {OFFSET, STORED, *SECONDS, LIMITS, *(("n", "coverage") if is_resampled(frame) else ())}
    kinds = frame.select_dtypes(["number", "bool", "category"], "timedelta")
    drawable = [str(name) for name in kinds if str(name) not in about]
    log = tables.log_or_none(frame)
    if len(drawable) <= MOST_PANELS or log is None:
        return frame, drawable
    shows_wear = set(role(log, "worn")) <= set(frame.columns) and not is_resampled(frame)
    if STATE not in drawable and shows_wear:
        attrs = frame.attrs
        frame = frame.assign(**{STATE: states_of(frame)})
        frame.attrs = attrs
    usual = DEFAULT_FIELDS[log]["timeline"]
    names = [name for name in usual if name in (*drawable, STATE) and name in frame.columns]
    return frame, names or drawable[:MOST_PANELS]


def _names(frame: pd.DataFrame, fields: Sequence[str]) -> list[str]:
    """Return the columns to draw, or raise if they cannot be drawn."""
    names = names_of(fields, "fields")
    require(frame, names, purpose="plot_timeline")
    if not 1 <= len(names) <= MOST_PANELS:
        raise ConfigurationError(
            f"plot_timeline draws 1 to {MOST_PANELS} fields, not {len(names)}: name some,"
            " plot_timeline(frame, ['stp', 'tl_yav'])"
        )
    for name in names:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            ribbon.require_states(frame[name], what="plot_timeline")
        else:
            tables.require_numbers(frame, name, what="plot_timeline")
    return names


def _without_values(ax: Axes) -> None:
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)


def _draw_ribbon(
    ax: Axes,
    column: pd.Series,
    us: Any,
    seconds: float,
    columns: Columns | None,
    ends: tuple[int, int],
) -> None:
    """Draw a ribbon of states, or of true and false.

    Over months, one colour per column is too coarse: each day is then a bar of its shares.
    """
    stacked = columns is not None and columns.step_s >= dates.DAY_S
    edges = np.linspace(*ends, 1600 + 1).astype(np.int64)
    if stacked and columns is not None:
        edges = columns.edges
    of_states = isinstance(column.dtype, pd.CategoricalDtype)
    names: tuple[str, ...] = ribbon.NAMES
    if of_states:
        codes = ribbon.state_codes(column)
    else:
        values, names = numbers(column), (*BOOLEAN, ribbon.UNKNOWN)
        codes = np.where(np.isnan(values), 2, np.where(values > 0, 0, 1))
    shares, x = ribbon.time_shares(us, codes, seconds, edges, n=len(names)), dates.to_x(edges)
    if stacked:
        ribbon.stack(ax, shares, names, x)
    else:
        ribbon.image(ax, ribbon.colours(shares, names)[None], (x[0], x[-1], 0, 1))
    ribbon.hatched(ax, 0, 1, left=x[0], right=x[-1])
    ax.set_ylim(0, 1)
    _without_values(ax)
    if of_states:
        ribbon.explain(ax, codes)
    for name in () if stacked or of_states else BOOLEAN:
        axes.key(ax, name)


@axes.plot_function
def plot_day(
    frame: pd.DataFrame,
    field: str,
    *,
    second: str | None = None,
    states: pd.Series | pd.DataFrame | None = None,
    events: pd.DataFrame | None = None,
    limits: Limits | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Draw one field over each day in full, one panel per day, from 00 to 24.

    All days have the same scale. Counts are bars from 0, other values lines that break where a
    value is missing; a value without neighbours is a point. Values of records that have a reason
    against them (`eyelog.flag`) are left out. Time without records is hatched. Up to five
    minutes of the 20 Hz log are drawn along their own time, row by row.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, raw, masked or resampled, in order of time: 16 days at most, or 8
        with a second column.
    field : str
        The column to draw.
    second : str, optional
        Another column, in a panel of its own beneath that of each day.
    states : Series or DataFrame, optional
        The result of `eyelog.states` for the frame, or the records themselves: the ribbon beneath
        each day, in ``ax.child_axes`` of its last panel.
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

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
    names = [field] if second is None else [field, second]
    records = tables.records_of_days(frame, names, limits, what="plot_day")
    frame, log, seconds, clock, days, place = records
    index = cast(pd.DatetimeIndex, frame.index)
    most = MOST_DAYS // len(names)
    if len(days) > most:
        few = f'frame["{days[0]:%Y-%m-%d}":"{days[1]:%Y-%m-%d}"]'
        raise ConfigurationError(
            f"plot_day draws {most} days at most, and these are {len(days)}: call"
            f" plot_heatmap(frame, {field!r}), or choose some days, such as {few}"
        )
    if states is not None:
        what = "plot_day"
        # States are of records, whose length their log states even where most are missing.
        of_log = None if log is None else log_named(log).interval_s
        judges = limits if isinstance(states, pd.DataFrame) else None
        of = ribbon.judged(states, limits=judges, clock=clock, seconds=of_log, what=what)
        refuse_wearers(of.states.index, what=what)
    if (index[-1] - index[0]).total_seconds() < 300 and seconds < 1:
        if states is not None:
            frame, names = frame.assign(**{STATE: of.states.reindex(index)}), [*names, STATE]
        return _draw_fields(frame, names, events, fig=fig, title=title, legend=legend)
    shares, note = None, ""
    recorded_s, recorded = seconds, index
    if "n" in frame:  # bins have rows without records too
        recorded = index[numbers(frame["n"]) > 0]
    if states is not None:
        shares, note = ribbon.widened(ribbon.shares_of_days(of, days, what=what))
        recorded_s, recorded = of.seconds, of.stamps
    height = float(np.clip(ALL_PANELS_MM / len(days), LOWEST_PANEL_MM, HIGHEST_PANEL_MM))
    each = [height] if second is None else [height * (1 - SECOND), height * SECOND]
    made = axes.panels(each * len(days), sharex=True, fig=fig)[:, 0]
    every = made.reshape(len(days), -1)
    if shares is not None:
        share = height / each[-1]  # as high with a second column
        sizes = {"high": 0.14 * share, "gap": 0.06 * share}
        beneath = [[marks.strip(ax, **sizes)] for ax in every[:, -1]]
        every = np.hstack([every, np.array(beneath)])
    own = axes.sheet_of(made[0])
    look: dict[str, Any] = {"fontsize": "small" if own is None else SMALL_PT, "pad": 2}
    of_records = days.get_indexer(local_days(recorded, clock=clock))
    kinds = [kind_of(log, name) for name in names]
    limits_of = [_limits(numbers(frame[kind.name]), kind.is_count) for kind in kinds]
    columns = columns_for(0, 24 * HOUR_US, seconds)
    shaded = [] if events is None else diary.on_days(diary.event_us(events), days, clock)
    words = [label_of(log, name, seconds=tables.unit_seconds(frame)) for name in names]
    labels = words if columns is None else [_words_of_columns(columns)] * len(names)
    lacking = {one[0]: one[1:] for one in dates.skipped_hours(days, clock)}
    for which, day in enumerate(days):
        rows = frame[place == which]
        us = time_of_day_us(cast(pd.DatetimeIndex, rows.index), clock=clock)
        of_day, skipped = every[which], lacking.get(which)
        for ax, kind, label, ends in zip(
            made[which * len(names) :], kinds, labels, limits_of, strict=False
        ):
            values = numbers(rows[kind.name])
            if kind.is_count and columns is None:
                _fill(ax, us, values, seconds, kind, label)
            else:
                _trace(ax, us, values, seconds, columns, kind, lambda us: us / HOUR_US, label)
            ax.set_ylim(*ends)
            marks.value_axis(ax.yaxis, most=3, whole=kind.is_count)
            _hatch_gaps(ax, recorded[of_records == which], recorded_s, clock)
            if skipped is not None:
                ax.axvspan(*skipped, color="white", linewidth=0, zorder=0.6)
            for part in shaded:
                if part.place == which:
                    diary.shade(ax, part.left, part.right)
        for ax in of_day[:-1]:
            ax.spines["bottom"].set_visible(False)
            ax.tick_params(axis="x", length=0)
        if shares is not None:
            ribbon.image(of_day[-1], ribbon.colours(shares[which])[None], (0, 24, 0, 1))
            ribbon.hatched(of_day[-1], 0, 1, left=0, right=24)
            _without_values(of_day[-1])
            of_day[-1].tick_params(axis="x", labelbottom=day == days[-1])
            if skipped is not None:
                of_day[-1].axvspan(*skipped, color="white", linewidth=0, zorder=1.5)
        weight = "bold" if day.day_of_week >= 5 else "normal"
        text = f"{day:%a} {day.day} {day:%b}"
        of_day[0].set_title(text, loc="left", fontweight=weight, **look)
    dates.hours_axis(every[-1, -1], clock.tz)
    if second is None:
        made[0].figure.supylabel(words[0], fontsize="small" if own is None else TEXT_PT)
    else:
        for ax, label in zip(made, words, strict=False):
            ax.set_title(label, loc="right", fontweight="normal", **look)
    if states is not None:
        ribbon.explain(every[0, -1], of.codes)
    begun = [(made[part.place * len(names)], part.left, part.label) for part in shaded]
    note = "\n".join(part for part in (diary.name_events(begun), note) if part)
    axes.finish(made[0], title_of(frame, zone=False), title, legend=legend, note=note, fig=fig)
    return made


def _limits(values: Floats, count: bool) -> tuple[float, float]:
    """Return the scale that all days share."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = (0.0 if count else float(finite.min())), float(finite.max())
    spare = (high - low) * 0.05 or 1.0
    return (low if count else low - spare), high + spare


def _hatch_gaps(ax: Axes, index: pd.DatetimeIndex, seconds: float, clock: LocalClock) -> None:
    """Hatch the time of a day without records, if it is wide enough to be seen."""
    us = index.as_unit("us").asi8
    ends = time_of_day_us(index, clock=clock)
    starts = np.maximum(ends - (us - ribbon.row_starts(us, seconds)), 0)
    # Where the clock passes hours twice, a gap is what neither pass has recorded.
    order = np.argsort(starts, kind="stable")
    lefts = np.concatenate([[0], np.maximum.accumulate(ends[order])])
    wide = np.append(starts[order], 24 * HOUR_US) - lefts
    seen = wide >= 2 * 60_000_000
    if seen.any():
        look: dict[str, Any] = {"facecolor": "white", "edgecolor": COLOURS["pale hatch"]}
        look |= {"transform": ax.get_xaxis_transform(), "linewidth": 0, "zorder": 0.5}
        spans = np.column_stack([lefts, wide])[seen] / HOUR_US
        ax.broken_barh(spans.tolist(), (0, 1), hatch=HATCH, label="no record", **look)
