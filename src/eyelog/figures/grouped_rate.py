"""A rate by hour of day, weekday, day or label: each with its interval and its exposure."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.errors import ConfigurationError
from eyelog.figures.axes import (
    Entry,
    axes,
    legend,
    line,
    name_rows,
    patch,
    plot_function,
    set_title,
)
from eyelog.figures.calendar_axis import (
    day_axis,
    hours_axis,
    is_weekend,
    shade_weekends,
    weekdays_axis,
)
from eyelog.figures.labels import title_of
from eyelog.figures.marks import (
    MOST_WITH_WEEKENDS,
    days_wide,
    say_no_values,
    strip,
    value_axis,
    value_label,
)
from eyelog.figures.named import last_step, meaning_of, shades, span_of
from eyelog.figures.style import COLOURS
from eyelog.figures.tables import require_rows
from eyelog.frame import require, require_frame, stated_log
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.measure.columns import Column, table_of
from eyelog.measure.columns import column as column_of

EXPOSURE: Final = "exposure_min"
INTERVAL: Final = ("low", "high")
OF: Final = {"minutes": "of these minutes", "wearer": "of this wearer"}
ROW_MM: Final = 6.0
LEAST_ROWS: Final = 3
MOST_ROWS: Final = 25  # more would not fit on a page of a journal
WEEK: Final = 7
MOST_LONGER: Final = 5.0  # than the median interval: longer ones would make the others points
ROOM: Final = 0.08  # above and below the values, as a share of their range


@plot_function
def plot_rate(
    table: pd.DataFrame,
    column: str | None = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a rate by hour, weekday, day, week or label, with its interval and its exposure.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.blinks.rate`, `eyelog.gait.pace` or `eyelog.posture.head_movements`
        with ``by=`` one key; or any table of one row per group with the column and
        ``exposure_min``.
    column : str, optional
        The column to draw, such as ``"yaw_per_h"``. Default: the first.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names what is drawn, and the log; ``""`` for none.

    Returns
    -------
    Axes
        Hours, weekdays, days and weeks are along x, with the minutes behind each beneath, in
        ``ax.child_axes``; labels are rows, each with its minutes beside its name. The labels of the
        artists are ``_value`` (points), ``_interval`` (bars, of a table that has ``low`` and
        ``high``), ``_of these minutes`` (hollow points of a table about the wearer, whose interval
        is of the minutes alone, or that have none) and ``_exposure``. A group without a rate has no
        point.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If there are no rows, they are grouped by several keys, there are too many labels, or the
        column does not hold numbers.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_rate(el.blinks.rate(el.sample(), by="hour"))
    >>> ax.get_ylabel()
    'Blink rate (per min)'
    """
    require_frame(table, what="plot_rate", wanted="a table of rates, such as eyelog.blinks.rate")
    if isinstance(table.index, pd.MultiIndex):
        names = [str(name) for name in table.index.names]
        raise ConfigurationError(
            f"plot_rate draws rows by one key, and this table has {' and '.join(names)}: choose the"
            f" rows of one, such as table.xs(value, level={names[0]!r})"
        )
    require(
        table,
        [EXPOSURE, *([column] if column else [])],
        purpose="plot_rate",
        made_by="eyelog.blinks.rate(frame, by='hour')",
    )
    require_rows(table, what="plot_rate")
    name = str(table.columns[0]) if column is None else column
    if not pd.api.types.is_numeric_dtype(table[name].dtype):
        raise ConfigurationError(f"plot_rate draws numbers, but {name!r} holds times or text")
    about = column_of(name, table=table_of(table.columns), log=stated_log(table))
    along = _along(table)
    if along is None and len(table) > MOST_ROWS:
        raise ConfigurationError(
            f"plot_rate draws {MOST_ROWS} labels at most, and this table has {len(table)}: choose"
            " the rows to draw"
        )
    if along is None:
        ax = axes(ax, height_mm=ROW_MM * max(len(table), LEAST_ROWS))
        _rows(ax, table, name, about)
    else:
        ax = axes(ax, height_mm=46.0)
        _columns(ax, table, name, about, along)
    days = _days(table, along) if isinstance(along, pd.DatetimeIndex) else span_of(table)
    set_title(ax, title_of(table, days=days), title)
    return ax


def _along(table: pd.DataFrame) -> Floats | pd.DatetimeIndex | None:
    """Return the places of the groups along x: hours, weekdays or dates; None for labels."""
    index = table.index
    if index.name in ("hour", "weekday") and pd.api.types.is_integer_dtype(index.dtype):
        return numbers(index)
    if not isinstance(index, pd.DatetimeIndex):
        return None
    if index.tz is not None:
        raise ConfigurationError(
            "plot_rate draws hours of the day, weekdays, days, weeks or labels, and these rows are"
            " bins of time: use by='hour' or by='1D'"
        )
    if index.has_duplicates:
        raise ConfigurationError("plot_rate takes one row for each day, and some have several")
    return index


def _days(table: pd.DataFrame, along: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return every day from the first to the last; a week begins on its date."""
    last = along.max() + pd.Timedelta(days=WEEK - 1 if table.index.name == "week" else 0)
    return pd.date_range(along.min(), last, freq="D", unit=along.unit)


def _columns(
    ax: Axes, table: pd.DataFrame, name: str, about: Column, along: Floats | pd.DatetimeIndex
) -> None:
    """Draw the groups along x, and their exposure in a strip beneath."""
    entries: list[Entry] = []
    weekly, wide = table.index.name == "week", 0.8
    days = _days(table, along) if isinstance(along, pd.DatetimeIndex) else None
    if days is not None:
        x = numbers(days.get_indexer(pd.DatetimeIndex(along)))
        # A week is as wide as its seven days, and has its point in their middle.
        x, wide = (x + (WEEK - 1) / 2, 0.95 * WEEK) if weekly else (x, wide)
    else:
        x = numbers(along) + (0.5 if table.index.name == "hour" else 0.0)
    shown = _points(ax, x, table, name, about)
    value_label(ax, about.text)
    value_axis(ax.yaxis)
    if not np.isfinite(numbers(table[name])).any():
        say_no_values(ax)
    below = strip(ax)
    for bar in below.bar(x, numbers(table[EXPOSURE]), wide, color=COLOURS["hatch"]):
        bar.set_label("_exposure")
    below.set_ylabel("Min")
    value_axis(below.yaxis, most=2)
    below.set_ylim(bottom=0.0)
    weekends: Any = None
    if days is not None:
        days_wide(ax, len(days))
        day_axis(below.xaxis, days)
        if not weekly and len(days) <= MOST_WITH_WEEKENDS:
            weekends = days
    elif table.index.name == "hour":
        hours_axis(below, last_step(table).get("tz"))
    else:
        weekdays_axis(below.xaxis)
        ax.set_xlim(-0.5, 6.5)
        weekends = pd.date_range("2026-01-05", periods=WEEK)  # any week, from Monday
    if weekends is not None and is_weekend(weekends).any():
        for panel in (ax, below):
            shade_weekends(panel, weekends)
        entries.append(patch("weekend"))
    legend(below, [*shown, patch(_exposure_words(about), "hatch"), *entries])


def _rows(ax: Axes, table: pd.DataFrame, name: str, about: Column) -> None:
    """Draw the groups as rows, the first at the top, with their exposure beside their names."""
    y = np.arange(float(len(table)))
    shown = _points(ax, y, table, name, about, across=True)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set_xlabel(about.text)
    value_axis(ax.xaxis, most=8)
    if not np.isfinite(numbers(table[name])).any():
        say_no_values(ax)
    long = [f"  {_long(minutes)}" for minutes in numbers(table[EXPOSURE])]
    name_rows(ax, y, [str(label) for label in table.index], long)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    beside = f"beside the names: {_exposure_words(about)}"
    legend(ax, [*shown, line(beside, "text", linewidth=0.0)])


def _long(minutes: float) -> str:
    return f"{minutes / 60:.1f} h" if minutes >= 60 else f"{minutes:.0f} min"


def _exposure_words(about: Column) -> str:
    return "minutes walked" if about.group == "gait" else "minutes observed"


def _points(
    ax: Axes, at: Floats, table: pd.DataFrame, name: str, about: Column, *, across: bool = False
) -> list[Entry]:
    """Draw the rates and their intervals; return their entries in the legend."""
    values = numbers(table[name])
    meaning = meaning_of(about)
    colour, edge = COLOURS[meaning], COLOURS[shades(meaning)[0]]
    low, high = _interval(table, name)
    thin = _of_minutes(table)
    finite = np.isfinite(values)
    drawn = finite & np.isfinite(low) & np.isfinite(high)
    bars = (ax.hlines if across else ax.vlines)(at[drawn], low[drawn], high[drawn], color=edge)
    bars.set(linewidth=1.3, label="_interval", zorder=2)
    for chosen, inside, label in (
        (finite & ~thin, colour, "_value"),
        (finite & thin, "white", "_of these minutes"),
    ):
        if label != "_value" and not chosen.any():
            continue
        places = (values[chosen], at[chosen]) if across else (at[chosen], values[chosen])
        dots = ax.scatter(*places, s=18, color=inside, zorder=3)
        dots.set(edgecolors=edge, linewidths=0.8, label=label)
    entries = _entries(table, about, drawn=drawn, certain=finite, thin=thin, edge=edge)
    return entries + _limits(ax, at, values, low, high, across=across, edge=edge)


def _limits(
    ax: Axes, at: Floats, values: Floats, low: Floats, high: Floats, *, across: bool, edge: str
) -> list[Entry]:
    """Set the limits of the values, which only intervals of extraordinary length exceed."""
    finite = np.isfinite(values)
    if not finite.any():
        return []
    long = high - low
    ordinary = long <= MOST_LONGER * np.nanmedian(long) if np.isfinite(long).any() else finite
    ends = np.concatenate([values[finite], low[ordinary], high[ordinary]])
    bottom, top = float(np.nanmin(ends)), float(np.nanmax(ends))
    room = ROOM * ((top - bottom) or abs(top) or 1.0)
    bottom, top = bottom - room, top + room
    (ax.set_xlim if across else ax.set_ylim)(bottom, top)
    marks = [
        (place, end, mark)
        for beyond, end, mark in (
            (low < bottom, bottom, "<" if across else "v"),
            (high > top, top, ">" if across else "^"),
        )
        for place in at[beyond]
    ]
    for place, end, mark in marks:
        x, y = (end, place) if across else (place, end)
        arrow = ax.plot([x], [y], mark, color=edge, markersize=4.0, clip_on=False, zorder=4)[0]
        arrow.set_label("_goes further")
    entry = line("the interval goes further", "usable", marker="^", linestyle="")
    entry[1].set(color=edge)
    return [entry] if marks else []


def _interval(table: pd.DataFrame, name: str) -> Sequence[Floats]:
    """Return the ends of the intervals, which are of the first column; missing without any."""
    if name == table.columns[0] and set(INTERVAL) <= set(table.columns):
        return [numbers(table[end]) for end in INTERVAL]
    return [np.full(len(table), np.nan)] * 2


def _of_minutes(table: pd.DataFrame) -> Bools:
    """Return which rows of a table about the wearer have no interval of the wearer."""
    if "days" not in table or "of" not in table:
        return np.zeros(len(table), dtype=bool)
    lacking = np.ones(len(table), dtype=bool)
    if set(INTERVAL) <= set(table.columns):
        lacking = ~np.isfinite(numbers(table[INTERVAL[0]]))
    return np.asarray((table["of"] != "wearer").to_numpy(dtype=bool) | lacking)


def _entries(
    table: pd.DataFrame, about: Column, *, drawn: Bools, certain: Bools, thin: Bools, edge: str
) -> list[Entry]:
    entries: list[Entry] = []
    for chosen, hollow in ((certain & ~thin, False), (certain & thin, True)):
        if not chosen.any():
            continue
        with_interval = bool((drawn & chosen).any())
        words = about.label.lower()
        if with_interval:
            of = "minutes" if hollow or "of" not in table else str(table["of"][chosen].iloc[0])
            words = f"{words} with 95 % interval {OF.get(of, '')}".rstrip()
        if hollow:
            why = [str(reason).split(":")[0] for reason in table["reason"][chosen]]
            words = f"{words}: {' or '.join(dict.fromkeys(why))}"
        entry = line(words, meaning_of(about), marker="o", linestyle="-" if with_interval else "")
        entry[1].set(color=edge, markerfacecolor="white" if hollow else COLOURS[meaning_of(about)])
        entries.append(entry)
    return entries
