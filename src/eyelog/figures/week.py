"""The last week of a wearer at a glance: small multiples against the wearer's own usual range."""

from collections.abc import Mapping
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from eyelog.analysis.baseline.deviation import personal
from eyelog.analysis.columns import column as column_of
from eyelog.analysis.columns import interval_columns
from eyelog.analysis.series.arrays import Bools, Floats, numbers
from eyelog.analysis.series.holm import holm
from eyelog.analysis.sheet import decimals, number_text
from eyelog.errors import ConfigurationError
from eyelog.figures.calendar_axis import DayFormatter, is_weekend, shade_weekends
from eyelog.figures.defaults import WEEK
from eyelog.figures.labels import title_of
from eyelog.figures.marks import value_axis
from eyelog.figures.named import meaning_of
from eyelog.figures.style import (
    COLOURS,
    SMALL_PT,
    Entry,
    legend,
    line,
    panels,
    patch,
    plot_function,
    set_title,
)
from eyelog.figures.tables import dates_of, log_or_none
from eyelog.frame import require, require_frame

__all__ = ["EARLIER_DAYS", "FULL_DAY_H", "plot_judged_week", "plot_week", "week_of"]

DAYS: Final = 7
EARLIER_DAYS: Final = 28
FULL_DAY_H: Final = 8.0
"""The hours of wear from which on a day counts for the usual range, as in `baseline.personal`."""
LEVEL: Final = 0.05
PANEL_MM: Final = 22.0
AROUND_MM: Final = 30.0
MANY: Final = 9_999.5
REACH: Final = 0.44  # half the width of a day's usual range


@plot_function
def plot_week(
    table: pd.DataFrame,
    *,
    title: str | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw the last seven days of a wearer, each against the wearer's own usual range.

    One panel per quantity: hours worn, blink rate, steps, tilt of the head and, of the 15-second
    log, the focus score. The grey band of a day is the range in which 99 of 100 normal days lie, by
    the 28 days before it.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.daily`: the week, and the days before it with which it is compared.
    title
        As in `eyelog.plot_daily`.

    Returns
    -------
    array of Axes
        One for each quantity of which the week has a value. A day is at its number, 0 to 6. The
        labels of the artists are ``_usual range``, ``_usual value``, ``_full days``, ``_thin days``
        (worn for less than 8 hours, hollow, not judged) and ``_stands out``.

    Raises
    ------
    FieldError
        If the table lacks ``worn_h``.
    ConfigurationError
        If there are no days, several rows are of one day, or the week has no values.

    Notes
    -----
    A ring and an arrow mark what stands out: outside the usual range of
    `eyelog.baseline.personal` with p < .05 after correction for all values of the figure (Holm
    1979, Scandinavian Journal of Statistics 6:65). Without a ring, a value outside its band means
    nothing more: 1 in 100 normal values lies there. At the right of a panel stand the median of the
    days of the week that were worn for 8 hours, and the usual value of the last day.

    Examples
    --------
    >>> import eyelog as el
    >>> days = el.daily(el.simulate("2026-03-02", 21, log="standard_mode_logs"))
    >>> [ax.get_title(loc="left") for ax in el.plot_week(days)][:2]
    ['Worn (h per day)', 'Blink rate (per min)']
    """
    days = _days_of(table)
    judged = week_of(days)
    corrected = holm(np.concatenate([numbers(of["p"]) for of in judged.values()]))
    for i, name in enumerate(judged):
        mine = corrected[i * len(judged[name]) : (i + 1) * len(judged[name])]
        judged[name] = judged[name].assign(stands=mine < LEVEL)
    return plot_judged_week(days, judged, title=title)


def week_of(days: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the last seven days of each quantity against the days before, if it has a column.

    Parameters
    ----------
    days : DataFrame
        The result of `eyelog.daily`.
    """
    since = days.index[-1] - pd.Timedelta(days=DAYS + EARLIER_DAYS)
    recent = days[days.index > since]
    week = recent.index > days.index[-1] - pd.Timedelta(days=DAYS)
    return {
        name: personal(recent, name, window=f"{EARLIER_DAYS}D")[week]
        for name in WEEK
        if name in days
    }


@plot_function
def plot_judged_week(
    table: pd.DataFrame,
    judged: Mapping[str, pd.DataFrame],
    *,
    title: str | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw the last seven days of a table of days, as `plot_week` does, with what is known of them.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.daily`.
    judged : mapping of str to DataFrame
        For each quantity the result of `eyelog.baseline.personal`, with a boolean column ``stands``
        that says which days stand out.
    title
        As in `eyelog.plot_daily`.

    Returns
    -------
    array of Axes
        As of `plot_week`.
    """
    index = dates_of(table, what="plot_week")
    days = pd.date_range(end=index[-1], periods=DAYS, freq="D", unit=index.unit)
    week = table.set_axis(index).reindex(days)
    shown = [name for name in judged if np.isfinite(numbers(week[name])).any()]
    if not shown:
        raise ConfigurationError(
            f"plot_week has nothing to draw: the week to {days[-1]:%Y-%m-%d} has no values"
        )
    made = panels([PANEL_MM] * len(shown), sharex=False, around_mm=AROUND_MM)
    for ax, name in zip(made, shown, strict=True):
        _panel(ax, name, week, judged[name].reindex(days))
    legend(made[-1], _entries(made, shown, week))
    set_title(made[0], title_of(table, days=days), title)
    return made


def _days_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return the days in order, indexed by dates."""
    require_frame(table, what="plot_week", wanted="a table of days, as of eyelog.daily")
    index = dates_of(table, what="plot_week")
    require(table, ["worn_h"], purpose="plot_week")
    if index.has_duplicates:
        raise ConfigurationError(
            "plot_week takes the days of one wearer, but this table has several rows for"
            f" {index[index.duplicated()][0]:%Y-%m-%d}: pass eyelog.daily(frame)"
        )
    return table.set_axis(index.rename("day")).sort_index()


def _panel(ax: Axes, name: str, week: pd.DataFrame, judged: pd.DataFrame) -> None:
    about = column_of(name, log=log_or_none(week))
    values, full = numbers(week[name]), numbers(week["worn_h"]) >= FULL_DAY_H
    days = cast(pd.DatetimeIndex, week.index)
    shade_weekends(ax, days)
    _usual(ax, judged, from_zero=about.unit.endswith("per day"))
    if not about.unit.endswith("per day"):
        _leave_room(ax, name, week, judged)
    colour = COLOURS[meaning_of(about)]
    if about.unit.endswith("per day"):
        _bars(ax, name, week, full, colour)
    else:
        _points(ax, name, week, full, colour)
    stands = (judged["stands"] == True).to_numpy()  # noqa: E712 - a day without a row is missing
    if stands.any():
        ring = ax.scatter(np.flatnonzero(stands), values[stands], s=60, zorder=5)
        ring.set(facecolors="none", edgecolors=COLOURS["text"], linewidths=1.0)
        ring.set(label="_stands out", clip_on=False)
    _say(ax, values, full, stands, judged, decimals(values, about.digits))
    ax.set_title(about.text, loc="left", pad=12.0, y=1.0)  # nothing above moves it
    _say_usual(ax, values[full], judged, decimals(values, about.digits))
    value_axis(ax.yaxis, most=3)
    ax.set_xlim(-0.5, DAYS - 0.5)
    ax.xaxis.set_major_locator(FixedLocator(range(DAYS)))
    ax.xaxis.set_major_formatter(_ShortDays(days))
    ax.tick_params(axis="x", length=0)


class _ShortDays(DayFormatter):
    """Labels of the days of one week in one line each: "Mon 5"."""

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks."""
        days = [self.days[round(value)] for value in values]
        return [f"{day:%a} {day.day}" for day in days]


def _usual(ax: Axes, judged: pd.DataFrame, *, from_zero: bool) -> None:
    """Draw the usual range of each day as a band of its own, and the usual value in it."""
    low, high, centre = (numbers(judged[name]) for name in ("low", "high", "baseline"))
    known = np.flatnonzero(np.isfinite(low))
    if from_zero:
        low = np.maximum(low, 0.0)
    bands = ax.bar(known, (high - low)[known], 2 * REACH, low[known], color=COLOURS["usual range"])
    for band in bands:
        band.set(label="_usual range", zorder=1)
    for edge in (low, high):
        rim = ax.hlines(edge[known], known - REACH, known + REACH, color=COLOURS["usual rim"])
        rim.set(linewidth=0.5, zorder=1.5)
    usual = ax.hlines(centre[known], known - REACH, known + REACH, color=COLOURS["reference"])
    usual.set(linewidth=0.9, zorder=2.5, label="_usual value")


def _bars(ax: Axes, name: str, week: pd.DataFrame, full: Bools, colour: str) -> None:
    values = numbers(week[name])
    # Of the hours worn, those that are usable stand in front; orange alone is too light on white.
    worn = name == "worn_h" and "valid_h" in week
    edge = COLOURS["walking edge"] if colour == COLOURS["walking"] else colour
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


def _points(ax: Axes, name: str, week: pd.DataFrame, full: Bools, colour: str) -> None:
    values = numbers(week[name])
    low, high = interval_columns(name)
    for chosen, inside, kind in ((full, colour, "full days"), (~full, "white", "thin days")):
        days = np.flatnonzero(chosen & np.isfinite(values))
        if {low, high} <= set(week.columns):
            bars = ax.vlines(
                days, numbers(week[low])[days], numbers(week[high])[days], color=colour
            )
            bars.set(linewidth=1.3, zorder=3, label=f"_interval of {kind}")
        dots = ax.scatter(days, values[days], s=18, color=inside)
        dots.set(edgecolors=colour, linewidths=0.9, zorder=4, label=f"_{kind}")


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
        said = f"{values[day] / 1000:.1f}k" if many else number_text(values[day], digits)
        said = said.replace("-", "\N{MINUS SIGN}")
        if stands[day]:
            said = f"{'▲' if values[day] > usual[day] else '▼'}{said}"
        ax.annotate(
            said,
            (day, 1.0),
            (0, 2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL_PT,
            color=COLOURS["text" if full[day] else "axis"],
            fontweight="bold" if stands[day] else "normal",
        )


def _say_usual(ax: Axes, values: Floats, judged: pd.DataFrame, digits: int) -> None:
    """Write the median of the days that count, and what was usual before, at the right."""
    known = values[np.isfinite(values)]
    usual = numbers(judged["baseline"])
    usual = usual[np.isfinite(usual)]
    said = [
        f"{word} {number_text(float(value), digits)}".replace("-", "\N{MINUS SIGN}")
        for word, value in (
            ("week", np.median(known) if known.size else np.nan),
            ("usual", usual[-1] if usual.size else np.nan),
        )
        if np.isfinite(value)
    ]
    small = {"fontsize": SMALL_PT, "fontweight": "normal"}
    ax.set_title(" · ".join(said), small, loc="right", pad=12.0, y=1.0)


def _entries(made: Any, shown: list[str], week: pd.DataFrame) -> list[Entry]:
    labels = {artist.get_label() for ax in made for artist in ax.get_children()}
    entries: list[Entry] = []
    if "_usual range" in labels:
        band = Patch(facecolor=COLOURS["usual range"], edgecolor=COLOURS["usual rim"])
        band.set_linewidth(0.5)
        entries += [
            ("usual range: 99 of 100 days", band),
            line("usual value", "reference", linewidth=0.9),
        ]
    if "worn_h" in shown:
        entries.append(patch("worn, not usable" if "_usable hours" in labels else "worn", "worn"))
        if "_usable hours" in labels:
            entries.append(patch("usable"))
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
    if is_weekend(cast(pd.DatetimeIndex, week.index)).any():
        entries.append(patch("weekend"))
    return entries
