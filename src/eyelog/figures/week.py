"""The last week or month of a wearer at a glance, against the wearer's own usual range."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import FigureBase
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from eyelog.errors import ConfigurationError
from eyelog.figures.axes import Entry, legend, line, panels, patch, plot_function, set_title
from eyelog.figures.calendar_axis import (
    DayFormatter,
    is_weekend,
    shade_weekends,
    take_dates,
)
from eyelog.figures.defaults import GLANCE
from eyelog.figures.events import LANE_MM, event_us, require_events
from eyelog.figures.labels import title_of
from eyelog.figures.marks import value_axis
from eyelog.figures.named import is_amount, meaning_of, possible, shades
from eyelog.figures.state_row import STATES_MM, draw_diary, draw_state_row, states_of_days
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.figures.tables import dates_of, days_of, holds_records
from eyelog.frame import require, require_frame
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import column as column_of
from eyelog.measure.columns import interval_columns
from eyelog.measure.sheet import decimals, number_text
from eyelog.series.inference import holm
from eyelog.series.usual import personal


class Span(NamedTuple):
    """The days that are shown, and how large their marks are."""

    word: str
    short: str
    """The word beside a panel, where the width of a phone leaves space for four letters."""
    days: int
    panel_mm: float
    numbers: bool
    """Whether values are written above their days; then counts and hours are bars."""
    point: float
    ring: float


WEEK: Final = Span("week", "week", 7, 22.0, numbers=True, point=18.0, ring=60.0)
MONTH: Final = Span("month", "28 d", 28, 17.0, numbers=False, point=8.0, ring=34.0)
EARLIER_DAYS: Final = 56
# The hours of wear from which on a day counts for the usual range, as in `baseline.personal`
FULL_DAY_H: Final = 8.0
LEVEL: Final = 0.05
AROUND_MM: Final = 30.0
MANY: Final = 9_999.5
ARROW_PT: Final = 5.0
REACH: Final = 0.44  # half the width of a day's usual range


@plot_function
def plot_week(
    table: pd.DataFrame,
    *,
    states: pd.Series | pd.DataFrame | None = None,
    events: pd.DataFrame | None = None,
    day_starts: str | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw the last seven days of a wearer, each against the wearer's own usual range.

    One panel per quantity: hours worn, blink rate, steps, tilt of the head and, of the 15-second
    log, the focus score. The grey band of a day is the range in which 99 of 100 normal days lie, by
    the 56 days before it: from six weeks on those of weekdays for a weekday, and those of weekends
    for a day at a weekend, which has no band until then.

    Parameters
    ----------
    table : DataFrame
        A frame, or the result of `eyelog.daily`: the week, and the days before it with which it is
        compared.
    states : Series or DataFrame, optional
        The states of the same records (`eyelog.states`), or the frame, for a row above the panels
        with the states of each day from 0 to 24 h. For a wearer whose zone varies, the frame. By
        default that of a frame.
    events : DataFrame, optional
        A diary, as returned by `eyelog.read_events`, to mark above the states (with `states` only):
        in words, or where these do not fit in numbers with a key under the figure.
    day_starts : str, optional
        When a day starts, as it was given to `eyelog.daily`: the states of a day are those from
        then on.
    fig : Figure or SubFigure, optional
        A figure of matplotlib without Axes, or a part of one (``figure.subfigures(1, 2)``), to draw
        in; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    array of Axes
        One for each quantity of which the week has a value, after one for the states if there are
        any. A day is at its number, 0 to 6. The labels of the artists are ``_usual range``,
        ``_usual value``, ``_full days``, ``_thin days`` (worn for less than 8 hours, hollow, not
        judged) and ``_stands out``; those of the states are their names.

    Raises
    ------
    FieldError
        If the table lacks ``worn_h``, or the events lack a column.
    ConfigurationError
        If there are no days, several rows are of one day, the week has no values, `states` are not
        states, are of other days or lie in no order, or there are events without states.

    Notes
    -----
    The height of a state is its share of each half-hour.

    A ring and an arrow mark what stands out: outside the usual range of
    `eyelog.baseline.personal` with p < .05 after correction for all values of the figure (Holm
    1979, Scandinavian Journal of Statistics 6:65). Without a ring, a value outside its band means
    nothing more: 1 in 100 normal values lies there. At the right of a panel stand the median of the
    days of the week that were worn for 8 hours, and the median of the usual values of its days.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-03-02", 21, log="standard_mode_logs")
    >>> [ax.get_title(loc="left") for ax in el.plot_week(frame)][:2]
    ['State (0 to 24 h)', 'Worn (h per day)']
    """
    if states is None and holds_records(table):
        states = table
    return _plot(table, WEEK, title, states, events, day_starts, fig)


@plot_function
def plot_month(
    table: pd.DataFrame,
    *,
    fig: FigureBase | None = None,
    title: str | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw the last 28 days of a wearer, each against the wearer's own usual range.

    As `eyelog.plot_week`, for a longer time: a point for each day, without numbers, and Mondays
    named.

    Parameters
    ----------
    table : DataFrame
        A frame, or the result of `eyelog.daily`: the four weeks, and the days before them with
        which they are compared. With fewer than 84 days, the first ones are compared with fewer.
    fig : Figure or SubFigure, optional
        A figure of matplotlib without Axes, or a part of one (``figure.subfigures(1, 2)``), to draw
        in; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    array of Axes
        One for each quantity of which the month has a value. A day is at its number, 0 to 27. The
        labels of the artists are those of `eyelog.plot_week`.

    Raises
    ------
    FieldError
        If the table lacks ``worn_h``.
    ConfigurationError
        If there are no days, several rows are of one day, or the month has no values.

    Notes
    -----
    What stands out is decided as in `eyelog.plot_week`, corrected for all values of these 28 days.
    At the right of a panel stand the median of the days that were worn for 8 hours, and the median
    of the usual values of the days.

    Examples
    --------
    >>> import eyelog as el
    >>> days = el.daily(el.simulate("2026-03-02", 56, log="standard_mode_logs"))
    >>> [tick.get_text() for tick in el.plot_month(days)[0].get_xticklabels()]
    ['Mon 30 Mar', 'Mon 6 Apr', 'Mon 13', 'Mon 20']
    """
    return _plot(table, MONTH, title, fig=fig)


def _plot(
    table: pd.DataFrame,
    span: Span,
    title: str | None,
    states: pd.Series | pd.DataFrame | None = None,
    events: pd.DataFrame | None = None,
    day_starts: str | None = None,
    fig: FigureBase | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    days = _days_of(days_of(table, day_starts=day_starts), span)
    judged = last_days(days, span)
    corrected = holm(np.concatenate([numbers(of["p"]) for of in judged.values()]))
    for i, name in enumerate(judged):
        mine = corrected[i * len(judged[name]) : (i + 1) * len(judged[name])]
        judged[name] = judged[name].assign(stands=mine < LEVEL)
    return plot_judged(
        days,
        judged,
        span=span,
        states=states,
        events=events,
        day_starts=day_starts,
        fig=fig,
        title=title,
    )


def last_days(
    days: pd.DataFrame, span: Span, columns: Sequence[str] = GLANCE
) -> dict[str, pd.DataFrame]:
    """Return the last days of each quantity against the days before, if it has a column.

    Parameters
    ----------
    days : DataFrame
        The result of `eyelog.daily`.
    span : Span
        `WEEK` or `MONTH`.
    columns : sequence of str
        The quantities.
    """
    since = days.index[-1] - pd.Timedelta(days=span.days + EARLIER_DAYS)
    recent = days[days.index > since]
    shown = recent.index > days.index[-1] - pd.Timedelta(days=span.days)
    return {
        name: personal(recent, name, window=f"{EARLIER_DAYS}D")[shown]
        for name in columns
        if name in days
    }


@plot_function
def plot_judged(
    table: pd.DataFrame,
    judged: Mapping[str, pd.DataFrame],
    *,
    span: Span,
    states: pd.Series | pd.DataFrame | None = None,
    events: pd.DataFrame | None = None,
    limits: Limits | None = None,
    day_starts: str | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw the last days of a table of days, as `plot_week` does, with what is known about them.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.daily`.
    judged : mapping of str to DataFrame
        For each quantity the result of `eyelog.baseline.personal`, with a boolean column ``stands``
        that says which days stand out.
    span : Span
        `WEEK` or `MONTH`.
    states, events : optional
        As of `plot_week`.
    limits : Limits, optional
        The limits by which a frame is judged.
    day_starts : str, optional
        As of `plot_week`.
    fig : Figure or SubFigure, optional
        A figure of matplotlib without Axes, or a part of one (``figure.subfigures(1, 2)``), to draw
        in; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    array of Axes
        As of `plot_week`.
    """
    index = dates_of(table, what=f"plot_{span.word}")
    first = max(index[0], index[-1] - pd.Timedelta(days=span.days - 1))
    days = pd.date_range(first, index[-1], freq="D", unit=index.unit)
    recent = table.set_axis(index).reindex(days)
    shown = [name for name in judged if np.isfinite(numbers(recent[name])).any()]
    if not shown:
        raise ConfigurationError(
            f"plot_{span.word} has nothing to draw: the {span.word} to {days[-1]:%Y-%m-%d} has no"
            " values"
        )
    noted = None if events is None else event_us(require_events(events, what=f"plot_{span.word}"))
    of_days = None
    if states is not None:
        of_days = states_of_days(
            states, days, limits=limits, day_starts=day_starts, what=f"plot_{span.word}"
        )
    elif noted is not None:
        raise ConfigurationError(
            f"plot_{span.word} marks events above the states of their days: pass states= too (the"
            " frame)"
        )
    lane_mm = 0.0 if noted is None else LANE_MM
    above = [] if of_days is None else [STATES_MM + lane_mm]
    made = panels(
        [*above, *[span.panel_mm] * len(shown)], sharex=False, around_mm=AROUND_MM, fig=fig
    )
    entries: list[Entry] = []
    key = ""
    if of_days is not None:
        entries = draw_state_row(made[0], of_days, REACH)
        hours = "0 to 24 h" if day_starts is None else f"{day_starts} to {day_starts}"
        name = f"State ({hours})" if noted is None else f"State ({hours}), diary above"
        made[0].set_title(name, loc="left", pad=4.0, y=1.0)
        shade_weekends(made[0], days)
        _name_days(made[0], days, span)
        if noted is not None:
            diary, key = draw_diary(made[0], of_days, noted, REACH)
            entries += diary
    values = made[len(above) :]
    for ax, name in zip(values, shown, strict=True):
        _panel(ax, name, recent, judged[name].reindex(days), span)
    legend(made[-1], [*entries, *_entries(values, shown, recent, span)], note=key)
    set_title(made[0], title_of(table, days=days), title, fig=fig)
    return made


def _days_of(table: pd.DataFrame, span: Span) -> pd.DataFrame:
    """Return the days in order, indexed by dates."""
    what = f"plot_{span.word}"
    require_frame(table, what=what, wanted="a table of days, as of eyelog.daily")
    index = dates_of(table, what=what)
    require(table, ["worn_h"], purpose=what, made_by="eyelog.daily(frame)")
    if index.has_duplicates:
        raise ConfigurationError(
            f"{what} takes the days of one wearer, but this table has several rows for"
            f" {index[index.duplicated()][0]:%Y-%m-%d}: pass eyelog.daily(frame)"
        )
    return table.set_axis(index.rename("day")).sort_index()


def _panel(ax: Axes, name: str, recent: pd.DataFrame, judged: pd.DataFrame, span: Span) -> None:
    about = column_of(name)  # of whichever log: a score may stand beside the 60-second log
    values, full = numbers(recent[name]), numbers(recent["worn_h"]) >= FULL_DAY_H
    days = cast(pd.DatetimeIndex, recent.index)
    shade_weekends(ax, days)
    counts = about.unit.endswith("per day")
    ranges = {end: possible(judged[end], about.unit) for end in ("low", "high")}
    judged = judged.assign(**ranges)
    _usual(ax, judged)
    if not counts or not span.numbers:
        _leave_room(ax, name, recent, judged)
    meaning = meaning_of(about)
    if counts and span.numbers:
        _bars(ax, name, recent, full, meaning)
    else:
        _points(ax, name, recent, full, meaning, span)
    if is_amount(about.unit):
        ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
    stands = (judged["stands"] == True).to_numpy()  # noqa: E712 - a day without a row is missing
    if stands.any():
        ring = ax.scatter(np.flatnonzero(stands), values[stands], s=span.ring, zorder=5)
        ring.set(facecolors="none", edgecolors=COLOURS["text"], linewidths=1.0)
        ring.set(label="_stands out", clip_on=False)
    digits = decimals(values, about.digits)
    if span.numbers:
        _say(ax, values, full, stands, judged, digits)
    else:
        _point_out(ax, values, stands, judged, span)
    pad = 12.0 if span.numbers else 4.0
    ax.set_title(about.text, loc="left", pad=pad, y=1.0)  # nothing above moves it
    _say_usual(ax, values[full], judged, digits, span.short, pad)
    value_axis(ax.yaxis, most=3)
    _name_days(ax, days, span)


def _name_days(ax: Axes, days: pd.DatetimeIndex, span: Span) -> None:
    take_dates(ax.xaxis, days)
    ax.set_xlim(-0.5, span.days - 0.5)
    named = range(len(days)) if span.numbers else np.flatnonzero(days.day_of_week == 0)
    ax.xaxis.set_major_locator(FixedLocator(list(named)))
    ax.xaxis.set_major_formatter(_ShortDays(days, month=not span.numbers))
    ax.tick_params(axis="x", length=0 if span.numbers else 2.5)


class _ShortDays(DayFormatter):
    """Labels of days in one line each: "Mon 5", or "Mon 5 Oct" where a month is named first."""

    def __init__(self, days: pd.DatetimeIndex, *, month: bool) -> None:
        super().__init__(days)
        self.month = month

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks."""
        days = [self.days[round(value)] for value in values]
        earlier = [None, *(day.month for day in days)]
        return [
            f"{day:%a} {day.day}" + f" {day:%b}" * (self.month and day.month != before)
            for day, before in zip(days, earlier, strict=False)
        ]


def _usual(ax: Axes, judged: pd.DataFrame) -> None:
    """Draw the usual range of each day as a band of its own, and the usual value in it."""
    low, high = (numbers(judged[name]) for name in ("low", "high"))
    # Without a range, a baseline is that of other days, as before weekends are known.
    centre = np.where(np.isfinite(low), numbers(judged["baseline"]), np.nan)
    judged_days = np.flatnonzero(np.isfinite(low))
    heights = (high - low)[judged_days]
    bands = ax.bar(judged_days, heights, 2 * REACH, low[judged_days], color=COLOURS["usual range"])
    for band in bands:
        band.set(label="_usual range", zorder=1)
    ends = (judged_days - REACH, judged_days + REACH)
    for edge in (low, high):
        rim = ax.hlines(edge[judged_days], *ends, color=COLOURS["usual rim"])
        rim.set(linewidth=0.5, zorder=1.5)
    usual = ax.hlines(centre[judged_days], *ends, color=COLOURS["reference"])
    usual.set(linewidth=0.9, zorder=2.5, label="_usual value")


def _bars(ax: Axes, name: str, week: pd.DataFrame, full: Bools, meaning: str) -> None:
    values = numbers(week[name])
    # Of the hours worn, the usable ones are in front; orange alone is too light on white.
    worn = name == "worn_h" and "valid_h" in week
    colour, edge = COLOURS[meaning], COLOURS[shades(meaning)[0]]
    look: dict[str, Any] = {"facecolor": COLOURS["worn"] if worn else colour, "edgecolor": edge}
    for chosen, style, kind in (
        (full, look, "full days"),
        (~full, {"facecolor": "white", "edgecolor": edge}, "thin days"),
    ):
        days = np.flatnonzero(chosen & np.isfinite(values))
        for bar in ax.bar(days, values[days], 0.4, linewidth=0.7, **style):
            bar.set(label=f"_{kind}", zorder=2)
        if worn and chosen is full:
            for bar in ax.bar(days, numbers(week["valid_h"])[days], 0.4, color=colour):
                bar.set(label="_usable hours", zorder=2.2)
    ax.set_ylim(0.0, 1.12 * ax.get_ylim()[1])  # a ring on the highest bar needs room


def _points(
    ax: Axes, name: str, recent: pd.DataFrame, full: Bools, meaning: str, span: Span
) -> None:
    values = numbers(recent[name])
    edge = COLOURS[shades(meaning)[0]]
    low, high = interval_columns(name)
    for chosen, inside, kind in (
        (full, COLOURS[meaning], "full days"),
        (~full, "white", "thin days"),
    ):
        days = np.flatnonzero(chosen & np.isfinite(values))
        if {low, high} <= set(recent.columns):
            bars = ax.vlines(
                days, numbers(recent[low])[days], numbers(recent[high])[days], color=edge
            )
            bars.set(linewidth=1.3 if span.numbers else 0.8, zorder=3)
            bars.set_label(f"_interval of {kind}")
        dots = ax.scatter(days, values[days], s=span.point, color=inside)
        dots.set(edgecolors=edge, linewidths=0.9 if span.numbers else 0.7, zorder=4)
        dots.set_label(f"_{kind}")


def _point_out(ax: Axes, values: Floats, stands: Bools, judged: pd.DataFrame, span: Span) -> None:
    """Write beside the ring of a day which way it stands out, with space for it in the panel."""
    away = span.ring**0.5 / 2 + 1.0
    usual = numbers(judged["baseline"])
    share = (away + 1.8 * ARROW_PT) / (span.panel_mm / 25.4 * 72.0)
    for day in np.flatnonzero(stands):
        up = values[day] > usual[day]
        low, high = ax.get_ylim()
        if up:
            ax.set_ylim(top=max(high, (values[day] - share * low) / (1.0 - share)))
        else:
            ax.set_ylim(bottom=min(low, (values[day] - share * high) / (1.0 - share)))
        mark = ax.annotate(
            "▲" if up else "▼",
            (day, values[day]),
            (0, away if up else -away),
            textcoords="offset points",
            ha="center",
            va="bottom" if up else "top",
            fontsize=ARROW_PT,
            annotation_clip=False,
        )
        mark.set_label("_which way")


def _leave_room(ax: Axes, name: str, week: pd.DataFrame, judged: pd.DataFrame) -> None:
    """Set the limits of the values: all of them, their intervals and bands, and some room."""
    ends = [name for name in interval_columns(name) if name in week]
    seen = [*(week[end] for end in (name, *ends)), judged["low"], judged["high"]]
    every = np.concatenate([numbers(values) for values in seen])
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    room = 0.08 * (high - low) or 1.0
    ax.set_ylim(low - room, high + room)


def _say(
    ax: Axes, values: Floats, full: Bools, stands: Bools, judged: pd.DataFrame, digits: int
) -> None:
    """Write the values in a row above the panel, where they collide with nothing."""
    usual = numbers(judged["baseline"])
    # Seven numbers of five digits would touch at the width of one column.
    many = bool((np.abs(values) >= MANY).any())
    for day in np.flatnonzero(np.isfinite(values)):
        number = f"{values[day] / 1000:.1f}k" if many else number_text(values[day], digits)
        number = number.replace("-", "\N{MINUS SIGN}")
        if stands[day]:
            number = f"{'▲' if values[day] > usual[day] else '▼'}{number}"
        ax.annotate(
            number,
            (day, 1.0),
            (0, 2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL_PT,
            color=COLOURS["text" if full[day] else "axis"],
            fontweight="bold" if stands[day] else "normal",
        )


def _say_usual(
    ax: Axes, values: Floats, judged: pd.DataFrame, digits: int, span: str, pad: float
) -> None:
    """Write the median of the days that count, and what was usual before, at the right."""
    present = values[np.isfinite(values)]
    usual = numbers(judged["baseline"])
    usual = usual[np.isfinite(usual)]
    summaries = [
        f"{word} {number_text(float(value), digits)}".replace("-", "\N{MINUS SIGN}")
        for word, value in (
            (span, np.median(present) if present.size else np.nan),
            ("usual", np.median(usual) if usual.size else np.nan),
        )
        if np.isfinite(value)
    ]
    small = {"fontsize": SMALL_PT, "fontweight": "normal"}
    ax.set_title(" · ".join(summaries), small, loc="right", pad=pad, y=1.0)


def _shows(artist: Artist) -> bool:
    """Return whether an artist has marks: points without a place are drawn as nothing."""
    return not isinstance(artist, PathCollection) or len(np.ma.getdata(artist.get_offsets())) > 0


def _entries(made: Any, shown: list[str], recent: pd.DataFrame, span: Span) -> list[Entry]:
    labels = {artist.get_label() for ax in made for artist in ax.get_children() if _shows(artist)}
    entries: list[Entry] = []
    if "_usual range" in labels:
        band = Patch(facecolor=COLOURS["usual range"], edgecolor=COLOURS["usual rim"])
        band.set_linewidth(0.5)
        entries += [
            ("usual range: 99 of 100 days", band),
            line("usual value", "reference", linewidth=0.9),
        ]
    if "worn_h" in shown and span.numbers:
        entries.append(patch("worn, not usable" if "_usable hours" in labels else "worn", "worn"))
        if "_usable hours" in labels:
            entries.append(patch("usable"))
    if not span.numbers:
        entries.append(line("day", "usable", marker="o", linestyle=""))
    if "_interval of full days" in labels:
        entries.append(line("value with 95 % interval of these minutes", "usable", marker="o"))
    if "_thin days" in labels:
        thin = line(f"thin: under {FULL_DAY_H:g} h worn", "axis", marker="o", linestyle="")
        thin[1].set(markerfacecolor="white")
        entries.append(thin)
    if "_stands out" in labels:
        ring = line("stands out (▲ above, ▼ below)", "text", marker="o", linestyle="")
        ring[1].set(markerfacecolor="none", markersize=6.5)
        entries.append(ring)
    if is_weekend(cast(pd.DatetimeIndex, recent.index)).any():
        entries.append(patch("weekend"))
    return entries
