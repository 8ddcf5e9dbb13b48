"""One summary value per day, with the hours behind each day."""

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.catalogue import COMPUTED_DATA
from eyelog.checks import number
from eyelog.errors import ConfigurationError
from eyelog.figures.axes import axes, legend, line, patch, plot_function, set_title
from eyelog.figures.calendar_axis import day_axis, is_weekend, shade_weekends
from eyelog.figures.labels import title_of
from eyelog.figures.marks import (
    MOST_WITH_WEEKENDS,
    FittingTicks,
    days_wide,
    lone,
    pale,
    say_no_values,
    strip,
    value_axis,
)
from eyelog.figures.style import COLOURS, HATCH
from eyelog.figures.tables import dates_of, days_of, log_or_none
from eyelog.frame import require, require_frame
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.judge.limits import limit
from eyelog.measure.columns import column as column_of
from eyelog.measure.columns import interval_columns

MEDIAN_DAYS: Final = 7
LEAST_OF_MEDIAN: Final = 4  # of the seven days: more than half
# The hours of a day, each row a part of the one before: column, word, and meaning of the colour.
HOURS: Final = (
    ("recorded_h", "recorded", "not worn"),
    ("worn_h", "worn", "worn"),
    ("valid_h", "usable", "usable"),
)
MANY_DAYS: Final = 60
COUNTED_WORN_H: Final = limit(COMPUTED_DATA, "counted_day").value


@plot_function
def plot_daily(
    table: pd.DataFrame,
    column: str = "worn_h",
    *,
    min_worn_h: float = COUNTED_WORN_H,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw one column of a daily summary, and beneath it the hours that each day is based on.

    Totals of a day (steps, hours) are bars from 0; other values are points with their interval, if
    they have one. Days with little wear are hollow, and the seven-day median neither uses them nor
    is drawn on them.

    Parameters
    ----------
    table : DataFrame
        A frame, or the result of `eyelog.daily`, or any table with a date for each row as its
        index, such as one read back from a file.
    column : str
        The column to draw. For a rate per minute, ``_low`` and ``_high`` become the interval.
    min_worn_h : float
        A day with fewer worn hours is hollow; without ``worn_h`` in the table, none is.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    Axes
        A day is at its number, 0 for the first; days without a row keep their place. The line of
        the medians, the bars or points and the intervals have the labels ``_median``, ``_full
        days``, ``_thin days``, ``_interval of full days`` and ``_interval of thin days``. In
        ``ax.child_axes`` are the hours recorded, worn and usable, if the table has them.

    Raises
    ------
    FieldError
        If the table lacks the column.
    ConfigurationError
        If there are no days, or the column does not hold numbers.

    Notes
    -----
    The median is taken over the days from three before to three after, of which at least four must
    have a value and be worn for `min_worn_h`.

    Dates, names and the legend need room in your own subplots, here and in every figure of eyelog:
    make yours with ``layout="constrained"``. A date is a place along x, as in ``ax.axvline``.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_daily(el.daily(el.sample("standard_mode_logs")), "steps")
    >>> ax.get_ylabel()
    'Steps (per day)'
    """
    table = days_of(table)
    require_frame(table, what="plot_daily", wanted="a table of days, as of eyelog.daily")
    index = dates_of(table, what="plot_daily")
    require(table, [column], purpose="plot_daily", made_by="eyelog.daily(frame)")
    if index.has_duplicates:
        raise ConfigurationError(
            "plot_daily takes a table of days, as of eyelog.daily, but this one has several rows"
            f" for {index[index.duplicated()][0]:%Y-%m-%d}: pass eyelog.daily(frame)"
        )
    table, index = table.iloc[index.argsort()], index.sort_values()
    if not pd.api.types.is_numeric_dtype(table[column].dtype):
        raise ConfigurationError(f"plot_daily draws numbers, but {column!r} holds times or text")
    if not 0 <= number(min_worn_h, "min_worn_h") <= 24:
        raise ConfigurationError(f"min_worn_h must be 0 to 24 hours, not {min_worn_h!r}")
    days = pd.date_range(index[0], index[-1], freq="D", unit=index.unit)
    whole = table.set_axis(index).reindex(days)
    ax = axes(ax, height_mm=62.0)
    if len(days) <= MOST_WITH_WEEKENDS:
        shade_weekends(ax, days)
    values = numbers(whole[column])
    worn = numbers(whole["worn_h"]) if "worn_h" in whole else np.full(len(days), np.inf)
    full = worn >= min_worn_h
    named = column_of(column, log=log_or_none(table))
    of_hours = {name: meaning for name, _, meaning in HOURS}
    default = "walking" if named.group == "gait" else "usable"
    colour = COLOURS[of_hours.get(column, default)]
    amounts = named.unit.endswith("per day")
    if amounts:
        _bars(ax, values, full, colour)
    else:
        _points(ax, values, _interval(whole, column), full, colour)
    shown = np.isfinite(values)
    entries = []
    medians = _medians(values, full)
    if np.isfinite(medians).any():
        _median_line(ax, medians)
        entries.append(line(f"{MEDIAN_DAYS}-day median", "reference"))
    if (shown & ~full).any():
        entries.append(_thin_entry(colour, min_worn_h, bars=amounts))
    if not shown.any():
        say_no_values(ax)
    ax.set_ylabel(named.text)
    days_wide(ax, len(days))
    bottom = _hours(ax, whole, days)
    day_axis(bottom.xaxis, days)
    entries += [patch(word, meaning) for name, word, meaning in reversed(HOURS) if name in whole]
    if len(table) < len(days) and bottom is not ax:
        entries.append(patch("no record"))
    if is_weekend(days).any() and len(days) <= MOST_WITH_WEEKENDS:
        entries.append(patch("weekend"))
    legend(bottom, entries)
    set_title(ax, title_of(table, days=index), title)
    return ax


def _bars(ax: Axes, values: Floats, full: Bools, colour: str) -> None:
    """Draw totals of a day as bars from 0."""
    for days, look, kind in (
        (full, {"color": colour}, "full days"),
        (~full, _hollow(colour, len(values)), "thin days"),
    ):
        _columns(ax, np.where(days, values, np.nan), 0.6, look, label=f"_{kind}")
    ax.set_ylim(bottom=min(0.0, float(np.nanmin(values, initial=0.0))))
    value_axis(ax.yaxis)


def _hollow(colour: str, days: int) -> dict[str, Any]:
    """Return the look of a day with little wear: an empty outline."""
    edge = 0.8 if days <= MANY_DAYS else 0.3
    return {"facecolor": "white", "edgecolor": colour, "linewidth": edge}


def _columns(ax: Axes, heights: Floats, width: float, look: dict[str, Any], *, label: str) -> None:
    """Draw a bar for each day, or one outline if many days leave no room between bars."""
    places = np.flatnonzero(np.isfinite(heights))
    if not len(places):
        return
    if len(heights) > MANY_DAYS:
        edges = np.arange(len(heights) + 1) - 0.5
        ax.stairs(heights, edges, fill=True, label=label, **look)
        return
    for bar in ax.bar(places, heights[places], width=width, **look):
        bar.set_label(label)


def _interval(whole: pd.DataFrame, column: str) -> tuple[Floats, Floats] | None:
    """Return the interval of each value, if the table has one for the column."""
    low, high = interval_columns(column)
    if not {low, high} <= set(whole.columns):
        return None
    return numbers(whole[low]), numbers(whole[high])


def _points(
    ax: Axes, values: Floats, interval: tuple[Floats, Floats] | None, full: Bools, colour: str
) -> None:
    """Draw a value for each day, with its interval."""
    places = np.arange(len(values))
    many = len(values) > MANY_DAYS
    for days, inside, kind in ((full, colour, "full days"), (~full, "white", "thin days")):
        drawn = days & np.isfinite(values)
        if interval is not None:
            # A year of dark bars would hide the points.
            beside = pale(colour, 0.5) if many else colour
            bars = ax.vlines(places[drawn], interval[0][drawn], interval[1][drawn], color=beside)
            bars.set(linewidth=0.7 if many else 1.1, label=f"_interval of {kind}")
        dots = ax.scatter(places[drawn], values[drawn], s=5 if many else 16, color=inside)
        edge = 0.0 if days is full else 0.4 if many else 0.8
        dots.set(edgecolors=colour, linewidths=edge, zorder=3, label=f"_{kind}")
    value_axis(ax.yaxis)
    ax.margins(y=0.1)


def _medians(values: Floats, full: Bools) -> Floats:
    """Return the median of each full day and the full days around it."""
    usable = pd.Series(np.where(full, values, np.nan))
    medians = usable.rolling(MEDIAN_DAYS, center=True, min_periods=LEAST_OF_MEDIAN).median()
    return numbers(medians.where(usable.notna()))


def _median_line(ax: Axes, medians: Floats) -> None:
    drawn = ax.plot(medians, color=COLOURS["reference"], linewidth=1.2, zorder=4)[0]
    drawn.set_label("_median")
    alone = lone(medians)
    if alone.any():
        places = np.flatnonzero(alone)
        dots = ax.plot(places, medians[alone], "_", color=COLOURS["reference"], zorder=4)[0]
        dots.set(label="_lone medians", markersize=4.0)


def _thin_entry(colour: str, min_worn_h: float, *, bars: bool) -> Any:
    label = f"under {min_worn_h:g} h worn"
    if bars:
        entry = patch(label, "usable")
        entry[1].set(**_hollow(colour, 1))
    else:
        entry = line(label, "usable", marker="o", linestyle="")
        entry[1].set(color=colour, markerfacecolor="white", markeredgewidth=0.8)
    return entry


def _hours(ax: Axes, whole: pd.DataFrame, days: pd.DatetimeIndex) -> Axes:
    """Draw the hours behind each day in a strip, and return the bottom Axes."""
    present = [(name, meaning) for name, _, meaning in HOURS if name in whole]
    if not present:
        return ax
    below = strip(ax)
    if len(days) <= MOST_WITH_WEEKENDS:
        shade_weekends(below, days)
    for name, meaning in present:
        _columns(below, numbers(whole[name]), 0.8, {"color": COLOURS[meaning]}, label=f"_{name}")
    missing = np.concatenate([[False], whole[present[0][0]].isna(), [False]]).astype(np.int8)
    edges = np.diff(missing)
    for first, after in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        shade = below.axvspan(first - 0.5, after - 0.5, facecolor=COLOURS["no record"])
        shade.set(edgecolor=COLOURS["hatch"], hatch=HATCH, linewidth=0, label="_no record")
    below.set_ylim(0, 24)
    below.yaxis.set_major_locator(FittingTicks([0, 12, 24]))
    below.set_ylabel("Hours")
    return below
