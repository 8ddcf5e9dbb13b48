"""One value per day: with the hours behind it, or against the person's own earlier days."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.catalogue import COMPUTED_DATA
from eyelog.checks import number
from eyelog.errors import ConfigurationError
from eyelog.figures import axes, dates, marks, tables
from eyelog.figures.labels import last_step, shades, subject, title_of
from eyelog.figures.style import COLOURS, HATCH
from eyelog.frame import require_frame
from eyelog.judge.arrays import Floats, numbers
from eyelog.judge.limits import limit
from eyelog.measure.columns import column as column_of
from eyelog.measure.columns import interval_columns
from eyelog.series.usual import personal

MEDIAN_DAYS: Final = 7
# The hours of a day, each row a part of the one before: column, word, and meaning of the colour.
HOURS: Final = (
    ("recorded_h", "recorded", "not worn"),
    ("worn_h", "worn", "worn"),
    ("valid_h", "usable", "usable"),
)
INTERVAL: Final = "95 % interval of these minutes"
MANY_DAYS: Final = 60
COUNTED_WORN_H: Final = limit(COMPUTED_DATA, "counted_day").value
COLUMNS: Final = ("value", "baseline", "low", "high", "outside")


@axes.plot_function
def plot_daily(
    table: pd.DataFrame,
    column: str = "worn_h",
    *,
    min_worn_h: float = COUNTED_WORN_H,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        A day is in the middle of its hours; days without a row keep their place. Each artist has
        its words in the legend as its label: ``day``, ``7-day median`` and so on. In
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
    make yours with ``layout="constrained"``.

    Days along x are matplotlib's dates, here and in every figure: ``ax.axvline`` and the like take
    dates and stamps; those with a zone stand where their own clock shows. Before matplotlib 3.10
    give them without their zone (``stamp.tz_localize(None)``).

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_daily(el.daily(el.sample("standard_mode_logs")), "steps")
    >>> ax.get_ylabel()
    'Steps (per day)'
    """
    table = tables.table_of_days(tables.days_of(table), [column], what="plot_daily")
    tables.require_numbers(table, column, what="plot_daily")
    if not 0 <= number(min_worn_h, "min_worn_h") <= 24:
        raise ConfigurationError(f"min_worn_h must be 0 to 24 hours, not {min_worn_h!r}")
    whole = tables.every_day(table)
    days = pd.DatetimeIndex(whole.index)
    x, values = dates.noons(days), numbers(whole[column])
    worn = numbers(whole["worn_h"]) if "worn_h" in whole else np.full(len(days), np.inf)
    full = worn >= min_worn_h
    named = column_of(column, log=tables.log_or_none(table))
    meaning = {name: meaning for name, _, meaning in HOURS}.get(
        column, "walking" if named.group == "gait" else "usable"
    )
    ax = axes.on(ax, height_mm=62.0)
    thin = f"under {min_worn_h:g} h worn"
    if named.unit.endswith("per day"):
        _columns(ax, whole[column].where(full), 0.6, meaning, "day")
        _columns(ax, whole[column].mask(full), 0.6, meaning, thin, hollow=True)
        ax.set_ylim(bottom=min(0.0, float(np.nanmin(values, initial=0.0))))
    else:
        many, colour = len(days) > MANY_DAYS, COLOURS[meaning]
        look: dict[str, Any] = {"facecolors": colour, "edgecolors": colour}
        marks.estimates(
            ax, x, values, intervals_of(whole, column),
            marks.pale(colour, 0.5) if many else colour,  # a year of dark bars would hide points
            label="day", interval=INTERVAL, hollow=(~full, thin),
            width=0.7 if many else 1.1, s=5 if many else 16, **look,
        )  # fmt: skip
        ax.margins(y=0.1)
    # The median of each full day and the full days around it
    counted = pd.Series(np.where(full, values, np.nan))
    medians = counted.rolling(MEDIAN_DAYS, center=True, min_periods=MEDIAN_DAYS // 2 + 1).median()
    _line(ax, x, numbers(medians.where(counted.notna())), f"{MEDIAN_DAYS}-day median")
    marks.value_axis(ax.yaxis, named.text, values)
    bottom = _hours(ax, whole)
    dates.day_axis(bottom, days)
    for panel in dict.fromkeys((ax, bottom)):
        dates.shade_weekends(panel, days)
    ours = title_of(table, days=pd.DatetimeIndex(table.index))
    axes.finish(ax, ours, title, legend=legend)
    return ax


def intervals_of(days: pd.DataFrame, column: str) -> tuple[Floats, Floats] | None:
    """Return the ends of the intervals of a column of days, if the table has them."""
    names = interval_columns(column)
    return (numbers(days[names[0]]), numbers(days[names[1]])) if {*names} <= {*days} else None


def _columns(
    ax: Axes, days: pd.Series, width: float, meaning: str, label: str, *, hollow: bool = False
) -> None:
    """Draw a bar for each day, or one outline if many days leave no room between bars."""
    x, heights = dates.noons(days.index), numbers(days)
    known, many = np.isfinite(heights), len(days) > MANY_DAYS
    look: dict[str, Any] = {"color": COLOURS[meaning]}
    if hollow:
        look = {"edgecolor": COLOURS[meaning], "linewidth": 0.3 if many else 0.8}
        look["facecolor"] = "white"
    if many and known.any():
        edges = np.append(x - 0.5, x[-1] + 0.5)
        ax.stairs(heights, edges, fill=True, label=label, **look)
    elif known.any():
        ax.bar(x[known], heights[known], width=width, label=label, **look)


def _line(ax: Axes, x: Floats, values: Floats, label: str, **look: Any) -> None:
    """Draw a line through the days, with a dash for a day between two without a value."""
    colour, alone = COLOURS["reference"], marks.lone(values)
    if np.isfinite(values).any():
        ax.plot(x, values, color=colour, linewidth=1.2, zorder=4, label=label, **look)
        ax.plot(x[alone], values[alone], "_", color=colour, markersize=4.0, zorder=4)


def _hours(ax: Axes, whole: pd.DataFrame) -> Axes:
    """Draw the hours behind each day in a strip, and return the bottom Axes."""
    present = [name for name, *_ in HOURS if name in whole]
    if not present:
        return ax
    below = marks.strip(ax)
    for name, word, meaning in HOURS:
        if name in whole:
            _columns(below, whole[name], 0.8, meaning, word)
    missing = whole[present[0]].isna()
    if missing.any():
        look: dict[str, Any] = {"facecolor": "white", "edgecolor": COLOURS["hatch"]}
        lost = pd.DatetimeIndex(whole.index[missing])
        dates.shade_days(below, lost, hatch=HATCH, label="no record", **look)
    marks.strip_axis(below, "Hours", 24, room=1.0)
    return below


@axes.plot_function
def plot_baseline(
    table: pd.DataFrame | pd.Series,
    column: str | None = None,
    *,
    window: str = "56D",
    changes: Sequence[pd.Timestamp] = (),
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw a person's days against the usual range of their own earlier days.

    Parameters
    ----------
    table : DataFrame or Series
        A frame, a table of days (`eyelog.daily`), or a Series by day; or the result of
        `eyelog.baseline.personal`, with one value per day.
    column : str, optional
        The column of the days. A result of `eyelog.baseline.personal`, and a Series, need none.
    window : str
        How far back the days reach with which a day is compared, as of `eyelog.baseline.personal`.
    changes : sequence of Timestamp
        The days of `eyelog.baseline.new_levels` of the same Series: a line before each day on which
        a new level begins.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        A day is in the middle of its hours; days without a row keep their place. Each artist has
        its words in the legend as its label, such as ``usual range: 99 of 100 days``; a day is
        not judged with too few earlier days, or if it was worn too little. The axis of a quantity
        that cannot be negative ends at 0. Of more than half a year the single days are paler, and
        the median of each week is a line.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If there are no rows, several rows are of one day, or a change is outside the days; of days
        as `eyelog.baseline.personal`.

    Examples
    --------
    >>> import eyelog as el
    >>> days = el.daily(el.simulate("2026-03-02", 28, log="standard_mode_logs"))
    >>> ax = el.plot_baseline(
    ...     days, "steps", window="14D", changes=el.baseline.new_levels(days["steps"]).index
    ... )
    >>> ax.get_ylabel()
    'Steps (per day)'
    """
    what = "plot_baseline"
    if column is not None or isinstance(table, pd.Series):
        table = personal(tables.days_of(table), column, window=window)
    require_frame(table, what=what, wanted="a table of days and the name of a column")
    made_by = "eyelog.baseline.personal(eyelog.daily(frame), 'steps')"
    table = tables.table_of_days(table, COLUMNS, what=what, made_by=made_by)
    whole = tables.every_day(table)
    days = pd.DatetimeIndex(whole.index)
    value, baseline, low, high, apart = (numbers(whole[name]) for name in COLUMNS)
    about = subject(table)
    colour = COLOURS[shades(about.meaning)[0]]
    ax = axes.on(ax, height_mm=58.0)
    x = dates.noons(days)
    dates.shade_weekends(ax, days)
    look: dict[str, Any]
    if np.isfinite(low).any():
        # In steps: a weekend has a range of its own, and nothing lies between Friday and Saturday.
        look = {"facecolor": COLOURS["usual range"], "linewidth": 0.5}
        look |= {"edgecolor": COLOURS["usual rim"], "label": "usual range: 99 of 100 days"}
        ax.fill_between(x, low, high, step="mid", **look)
        alone = marks.lone(low)
        ax.vlines(x[alone], low[alone], high[alone], COLOURS["usual range"], linewidth=3, zorder=1)
    window = str(last_step(table).get("window") or "").removesuffix("D")
    earlier = f"the {window} days before" if window.isdigit() else "earlier days"
    _line(ax, x, baseline, f"median of {earlier}", drawstyle="steps-mid")
    weekly = len(days) > dates.MOST_WITH_WEEKENDS
    size = 16 if len(days) <= MANY_DAYS else 3 if weekly else 6
    inside = marks.pale(colour, 0.6) if weekly else colour
    marks.estimates(
        ax, x, value, None, colour, label="day", hollow=(~np.isfinite(apart), "not judged"),
        s=size, facecolors=inside, zorder=3,
    )  # fmt: skip
    if (apart == 1).any():
        ring = max(4.0 * size, 20.0)
        marks.rings(ax, x[apart == 1], value[apart == 1], ring, "day outside its range")
    if weekly:
        weeks = pd.Series(value).groupby(np.arange(len(x)) // 7).median()
        look = {"color": colour, "linewidth": 1.4, "label": "median of seven days"}
        ax.plot(x[0] + 7 * weeks.index + 3, weeks, zorder=4, **look)
    try:
        begun = [pd.Timestamp(change).tz_localize(None).normalize() for change in changes]
    except (TypeError, ValueError):
        raise ConfigurationError(f"changes takes dates, not {changes!r}") from None
    for day in begun:
        if not days[0] <= day <= days[-1]:
            raise ConfigurationError(
                f"the change on {day:%Y-%m-%d} lies outside the days of the table:"
                f" {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}"
            )
    if begun:
        look = {"color": COLOURS["event"], "linewidth": 1.2, "linestyle": "--"}
        look |= {"transform": ax.get_xaxis_transform(), "label": "a new level begins"}
        ax.vlines(dates.noons(begun) - 0.5, 0, 1, **look)
    marks.value_axis(ax.yaxis, about.label, value)
    if about.is_amount:  # only the view: what is drawn does not follow the history
        ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
    dates.day_axis(ax, days)
    ours = title_of(table, days=pd.DatetimeIndex(table.index))
    axes.finish(ax, ours, title, legend=legend)
    return ax
