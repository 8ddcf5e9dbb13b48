"""The last week or month of a wearer at a glance, against the wearer's own usual range."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from eyelog.clock import LocalClock
from eyelog.errors import ConfigurationError
from eyelog.figures import axes, dates, marks, ribbon, tables
from eyelog.figures import events as diary
from eyelog.figures.axes import Panels
from eyelog.figures.days import INTERVAL, intervals_of
from eyelog.figures.defaults import GLANCE
from eyelog.figures.labels import is_amount, meaning_of, possible, shades, title_of
from eyelog.figures.style import COLOURS, HATCH, SMALL_PT
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of
from eyelog.measure.sheet import decimals
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
THIN: Final = f"thin: under {FULL_DAY_H:g} h worn"
ARROW_PT: Final = 5.0
REACH: Final = 0.44  # half the width of a day's usual range
STATES_MM: Final = 14.0
COLUMN_MIN: Final = 30  # at one column of a journal a day is 9 mm wide


@axes.plot_function
def plot_week(
    table: pd.DataFrame,
    *,
    states: pd.Series | pd.DataFrame | None = None,
    events: pd.DataFrame | None = None,
    day_starts: str | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
    legend: bool | str = True,
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    array of Axes
        One for each quantity of which the week has a value, after one for the states if there are
        any. A day is in the middle of its hours; worn for less than 8 hours it is hollow and not
        judged. Each artist has its words in the legend as its label.

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
    if states is None and tables.holds_records(table):
        states = table
    given: dict[str, Any] = {"states": states, "events": events, "day_starts": day_starts}
    return _plot(table, WEEK, fig=fig, title=title, legend=legend, **given)


@axes.plot_function
def plot_month(
    table: pd.DataFrame,
    *,
    fig: FigureBase | None = None,
    title: str | None = None,
    legend: bool | str = True,
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    array of Axes
        One for each quantity of which the month has a value; a day is in the middle of its hours.
        Each artist has its words in the legend as its label.

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
    return _plot(table, MONTH, fig=fig, title=title, legend=legend)


def _plot(
    table: pd.DataFrame, span: Span, *, day_starts: str | None = None, **given: Any
) -> Panels:
    days = tables.days_of(table, day_starts=day_starts)
    days = tables.table_of_days(days, ["worn_h"], what=f"plot_{span.word}")
    judged = last_days(days, span)
    corrected = holm(np.concatenate([numbers(of["p"]) for of in judged.values()]))
    parts = np.split(corrected, np.cumsum([len(of) for of in judged.values()])[:-1])
    for name, mine in zip(judged, parts, strict=True):
        judged[name] = judged[name].assign(stands=mine < 0.05)
    return plot_judged(days, judged, span=span, day_starts=day_starts, **given)


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


@axes.plot_function
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
    legend: bool | str = True,
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    array of Axes
        As of `plot_week`.
    """
    what = f"plot_{span.word}"
    index = tables.dates_of(table, what=what)
    first = max(index[0], index[-1] - pd.Timedelta(days=span.days - 1))
    days = pd.date_range(first, index[-1], freq="D", unit=index.unit)
    recent = table.set_axis(index).reindex(days)
    shown = [name for name in judged if np.isfinite(numbers(recent[name])).any()]
    if not shown:
        raise ConfigurationError(
            f"{what} has nothing to draw: the {span.word} to {days[-1]:%Y-%m-%d} has no values"
        )
    if events is not None and states is None:
        raise ConfigurationError(
            f"{what} marks events above the states of their days: pass states= too (the frame)"
        )
    above = []
    if states is not None:
        of = ribbon.judged(states, limits=limits, day_starts=day_starts, what=what)
        shares = ribbon.shares_of_days(of, days, column_min=COLUMN_MIN, what=what)
        above = [STATES_MM + diary.LANE_MM * (events is not None)]
    heights = [*above, *[span.panel_mm] * len(shown)]
    made = axes.panels(heights, fig=fig)[:, 0]
    key = ""
    if states is not None:
        _name_days(made[0], days, span)
        key = _draw_states(made[0], days, shares, of.clock, events)
        hours = "0 to 24 h" if day_starts is None else f"{day_starts} to {day_starts}"
        name = f"State ({hours})" + ", diary above" * (events is not None)
        made[0].set_title(name, loc="left", pad=4.0, y=1.0)
    for ax, name in zip(made[len(above) :], shown, strict=True):
        _panel(ax, name, recent, judged[name].reindex(days), span)
    for ax in made:
        dates.shade_weekends(ax, days)
        _name_days(ax, days, span)
    axes.finish(made[0], title_of(table, days=days), title, legend=legend, note=key, fig=fig)
    return made


def _panel(ax: Axes, name: str, recent: pd.DataFrame, judged: pd.DataFrame, span: Span) -> None:
    """Draw one quantity."""
    about = column_of(name)  # of whichever log: a score may stand beside the 60-second log
    values, full = numbers(recent[name]), numbers(recent["worn_h"]) >= FULL_DAY_H
    x = dates.noons(recent.index)
    ends = {end: possible(judged[end], about.unit) for end in ("low", "high")}
    judged = judged.assign(**ends)
    # The usual range of each day is a band of its own. Without a range, a baseline is that of other
    # days, as before weekends are known.
    known = judged[judged["low"].notna()]
    if len(known):
        places = dates.noons(known.index)
        low, high, centre = (numbers(known[end]) for end in ("low", "high", "baseline"))
        look: dict[str, Any] = {"facecolor": COLOURS["usual range"], "zorder": 1}
        ax.bar(places, high - low, 2 * REACH, low, label="usual range: 99 of 100 days", **look)
        sides = (places - REACH, places + REACH)
        for edge in (low, high):
            ax.hlines(edge, *sides, color=COLOURS["usual rim"], linewidth=0.5, zorder=1.5)
        look = {"color": COLOURS["reference"], "linewidth": 0.9, "zorder": 2.5}
        ax.hlines(centre, *sides, label="usual value", **look)
    if about.unit.endswith("per day") and span.numbers:
        _bars(ax, name, recent, full, about)
    else:
        # Each value has its interval, and the panel has room for all of them.
        meaning, between = meaning_of(about), intervals_of(recent, name)
        every = np.concatenate([values, *(between or ()), *ends.values()]).astype(float)
        least, most = float(np.nanmin(every)), float(np.nanmax(every))
        room = 0.08 * (most - least) or 1.0
        ax.set_ylim(least - room, most + room)
        marks.estimates(
            ax, x, values, between, COLOURS[shades(meaning)[0]],
            label="day", interval=INTERVAL, hollow=(~full, THIN), s=span.point,
            width=1.3 if span.numbers else 0.8, facecolors=COLOURS[meaning], linewidths=0.9,
        )  # fmt: skip
    if is_amount(about.unit):
        ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
    stands = (judged["stands"] == True).to_numpy()  # noqa: E712 - a day without a row is missing
    if stands.any():
        ring = "stands out (▲ above, ▼ below)"
        marks.rings(ax, x[stands], values[stands], span.ring, ring)
    digits, usual = decimals(values, about.digits), numbers(judged["baseline"])
    arrows = np.where(stands, np.where(values > usual, "▲", "▼"), "")
    (_say if span.numbers else _point_out)(ax, x, values, full, arrows, digits, span)
    pad = 12.0 if span.numbers else 4.0
    ax.set_title(about.text, loc="left", pad=pad, y=1.0)  # nothing above moves it
    # The median of the days that count, and what was usual before.
    parts = {"usual": pd.Series(usual).dropna().median()}
    if len(recent) > 1:
        parts = {span.short: pd.Series(values[full]).dropna().median()} | parts
    medians = [
        f"{word} {marks.words_of(it, digits)}" for word, it in parts.items() if np.isfinite(it)
    ]
    small: dict[str, Any] = {"fontsize": SMALL_PT, "fontweight": "normal"}
    ax.set_title(" · ".join(medians), loc="right", pad=pad, y=1.0, **small)
    marks.value_axis(ax.yaxis, most=3)


def _name_days(ax: Axes, days: pd.DatetimeIndex, span: Span) -> None:
    """Name the days of a week, or the Mondays of a month with their months where they begin."""
    x = dates.noons(days)
    ax.set_xlim(x[0] - 0.5, x[0] + span.days - 0.5)
    named = np.arange(len(days)) if span.numbers else np.flatnonzero(days.day_of_week == 0)
    months = [f" {day:%b}" for day in days[named]]
    shown = ["" if span.numbers or month == before else month
             for month, before in zip(months, ["", *months], strict=False)]  # fmt: skip
    texts = [f"{day:%a} {day.day}{month}" for day, month in zip(days[named], shown, strict=True)]
    ax.set_xticks(x[named], texts)
    dates.take_dates(ax)
    ax.tick_params(axis="x", length=0 if span.numbers else 2.5)


def _bars(ax: Axes, name: str, week: pd.DataFrame, full: Bools, about: Column) -> None:
    """Draw amounts of a day as bars; of the hours worn, the usable ones are in front."""
    x, values, meaning = dates.noons(week.index), numbers(week[name]), meaning_of(about)
    colour, edge = COLOURS[meaning], COLOURS[shades(meaning)[0]]
    layers = [(THIN, ~full, values, "white", edge), ("day", full, values, colour, edge)]
    if name == "worn_h":
        layers[1] = ("worn", full, values, COLOURS["worn"], edge)
    if name == "worn_h" and "valid_h" in week:
        layers[1] = ("worn, not usable", full, values, COLOURS["worn"], edge)
        layers.append(("usable", full, numbers(week["valid_h"]), colour, "none"))
    for place, (label, chosen, heights, face, line) in enumerate(layers):
        days = chosen & np.isfinite(values)
        look: dict[str, Any] = {"facecolor": face, "edgecolor": line, "linewidth": 0.7}
        if days.any():
            ax.bar(x[days], heights[days], 0.4, zorder=2 + place / 10, label=label, **look)
    ax.set_ylim(0.0, 1.12 * ax.get_ylim()[1])  # a ring on the highest bar needs room


def _point_out(
    ax: Axes, x: Floats, values: Floats, _full: Bools, arrows: Any, _digits: int, span: Span
) -> None:
    """Write beside the ring of a day which way it stands out, with space for it in the panel."""
    away = span.ring**0.5 / 2 + 1.0
    share = (away + 1.8 * ARROW_PT) / (span.panel_mm / 25.4 * 72.0)
    for day in np.flatnonzero(arrows != ""):
        up = arrows[day] == "▲"
        low, high = ax.get_ylim()
        if up:
            ax.set_ylim(top=max(high, (values[day] - share * low) / (1.0 - share)))
        else:
            ax.set_ylim(bottom=min(low, (values[day] - share * high) / (1.0 - share)))
        ax.annotate(
            arrows[day], (x[day], values[day]), (0, away if up else -away), ha="center",
            textcoords="offset points", va="bottom" if up else "top", fontsize=ARROW_PT,
            annotation_clip=False,
        )  # fmt: skip


def _say(
    ax: Axes, x: Floats, values: Floats, full: Bools, arrows: Any, digits: int, _span: Span
) -> None:
    """Write the values in a row above the panel, where they collide with nothing."""
    # Seven numbers of five digits would touch at the width of one column.
    many = bool((np.abs(values) >= 9_999.5).any())
    for day in np.flatnonzero(np.isfinite(values)):
        number = marks.words_of(values[day], digits)
        if many:
            number = f"{marks.words_of(values[day] / 1000, 1)}k"
        ax.annotate(
            f"{arrows[day]}{number}", (x[day], 1.0), (0, 2), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="center", fontsize=SMALL_PT,
            color=COLOURS["text" if full[day] else "axis"],
            fontweight="bold" if arrows[day] else "normal",
        )  # fmt: skip


def _draw_states(
    ax: Axes, days: pd.DatetimeIndex, shares: Floats, clock: LocalClock, events: pd.DataFrame | None
) -> str:
    """Draw each day as stacked shares of half-hours, hatched without records, and the diary above.

    Returns the key to the numbers of the diary.
    """
    places, (_, columns, names) = dates.noons(days), shares.shape
    # Above a column that was recorded as a whole but for 5 %, no hatching is seen.
    if (shares.sum(axis=2) < 0.95).any():
        look: dict[str, Any] = {"facecolor": "white", "edgecolor": COLOURS["hatch"], "linewidth": 0}
        ax.bar(places, 1.0, 2 * REACH, hatch=HATCH, zorder=0.5, label="no record", **look)
    # Between two days is a column without a state.
    shares = np.pad(shares, ((0, 0), (0, 1), (0, 0))).reshape(-1, names)[:-1]
    edges = places[:, None] + np.linspace(-REACH, REACH, columns + 1)
    ribbon.stack(ax, shares, ribbon.NAMES, edges.ravel())
    for place, *hours in dates.skipped_hours(days, clock):
        left, right = (places[place] - REACH + 2 * REACH * hour / 24 for hour in hours)
        ax.bar(left, 1.0, right - left, align="edge", color="white", zorder=2)
    ax.set_ylim(0.0, 1.0)
    ax.yaxis.set_visible(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    if events is None:
        return ""
    spans = [
        (
            places[at] + REACH * (left / 12 - 1),
            right and places[at] + REACH * (right / 12 - 1),
            label,
        )
        for at, left, right, label in diary.on_days(diary.event_us(events), days, clock)
    ]
    return diary.draw_lane(ax, spans, floor=1.0, unit_mm=STATES_MM)
