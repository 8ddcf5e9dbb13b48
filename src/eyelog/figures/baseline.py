"""A person against their own earlier days: the usual range, and the days on which levels change."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.errors import ConfigurationError
from eyelog.figures.axes import axes, legend, line, patch, plot_function, set_title
from eyelog.figures.calendar_axis import day_axis, is_weekend, shade_weekends
from eyelog.figures.labels import title_of
from eyelog.figures.marks import (
    MOST_WITH_WEEKENDS,
    days_wide,
    lone,
    say_no_values,
    value_axis,
    value_label,
)
from eyelog.figures.named import cannot_be_negative, last_step, shades, step_label, step_meaning
from eyelog.figures.style import COLOURS
from eyelog.figures.tables import dates_of, days_of
from eyelog.frame import require, require_frame
from eyelog.judge.arrays import numbers
from eyelog.series.usual import personal

MANY_DAYS: Final = 60
RING: Final = 4.0  # times the size of a point
COLUMNS: Final = ("value", "baseline", "low", "high", "outside")


@plot_function
def plot_baseline(
    table: pd.DataFrame | pd.Series,
    column: str | None = None,
    *,
    window: str = "56D",
    changes: Sequence[pd.Timestamp] = (),
    ax: Axes | None = None,
    title: str | None = None,
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

    Returns
    -------
    Axes
        A day is at its number, 0 for the first; days without a row keep their place. The labels of
        the artists are ``_usual range`` (band, in which 99 of 100 normal days lie), ``_baseline``
        (line), ``_within``, ``_outside`` and ``_not judged`` (points; the last with too few earlier
        days, or worn too little) and ``_change`` (lines). The axis of a quantity that cannot be
        negative ends at 0.

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
    if column is not None or isinstance(table, pd.Series):
        table = personal(days_of(table), column, window=window)
    require_frame(table, what="plot_baseline", wanted="a table of days and the name of a column")
    index = dates_of(table, what="plot_baseline")
    require(
        table,
        COLUMNS,
        purpose="plot_baseline",
        made_by="eyelog.baseline.personal(eyelog.daily(frame), 'steps')",
    )
    if index.has_duplicates:
        raise ConfigurationError(
            "plot_baseline draws one value per day, and this table has several: pass days,"
            " plot_baseline(eyelog.daily(frame), 'steps')"
        )
    days = pd.date_range(index.min(), index.max(), freq="D", unit=index.unit)
    whole = table.set_axis(index).reindex(days)
    value, baseline, low, high, apart = (numbers(whole[name]) for name in COLUMNS)
    ax = axes(ax, height_mm=58.0)
    weekends = len(days) <= MOST_WITH_WEEKENDS and bool(is_weekend(days).any())
    if weekends:
        shade_weekends(ax, days)
    x = np.arange(len(days))
    of_point = shades(step_meaning(table))[0]
    # In steps: a weekend has a range of its own, and nothing lies between Friday and Saturday.
    band = ax.fill_between(x, low, high, step="mid", color=COLOURS["usual range"], linewidth=0.5)
    band.set_edgecolor(COLOURS["usual rim"])
    band.set_label("_usual range")
    usual = ax.plot(x, baseline, color=COLOURS["reference"], linewidth=1.2, drawstyle="steps-mid")
    usual[0].set_label("_baseline")
    _lone_days(ax, x, baseline, low, high)
    judged = np.isfinite(apart)  # a day that counts, with a range
    outside = apart == 1
    size = 6 if len(days) > MANY_DAYS else 16
    for kind, chosen in (("within", judged & ~outside), ("outside", outside)):
        drawn = chosen & np.isfinite(value)
        dots = ax.scatter(x[drawn], value[drawn], s=size, color=COLOURS[of_point])
        dots.set(label=f"_{kind}", linewidths=0, zorder=3)
        if kind == "outside":
            rings = ax.scatter(x[drawn], value[drawn], s=RING * size, facecolors="none")
            rings.set(edgecolors=COLOURS["text"], linewidths=0.8, label="_rings", zorder=3)
    early = ~judged & np.isfinite(value)
    dots = ax.scatter(
        x[early], value[early], s=size, facecolors="white", edgecolors=COLOURS[of_point]
    )
    dots.set(label="_not judged", linewidths=0.8, zorder=3)
    drawn = {
        "range": bool(np.isfinite(low).any()),
        "within": bool((judged & ~outside & np.isfinite(value)).any()),
        "outside": bool(outside.any()),
        "early": bool(early.any()),
    }
    entries = _entries(table, drawn, of_point)
    entries += _changes(ax, days, changes)
    if weekends:
        entries.append(patch("weekend"))
    value_label(ax, step_label(table))
    value_axis(ax.yaxis)
    if cannot_be_negative(table):  # only the view: what is drawn does not follow the history
        ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
    if not np.isfinite(value).any():
        say_no_values(ax)
    days_wide(ax, len(days))
    day_axis(ax.xaxis, days)
    legend(ax, entries)
    set_title(ax, title_of(table, days=index), title)
    return ax


def _lone_days(ax: Axes, x: Any, baseline: Any, low: Any, high: Any) -> None:
    """Draw the ranges of isolated days, which a line and a band do not show."""
    alone = lone(baseline)
    ax.vlines(
        x[alone], low[alone], high[alone], color=COLOURS["usual range"], linewidth=3, zorder=1
    )
    if alone.any():
        dots = ax.plot(x[alone], baseline[alone], "_", color=COLOURS["reference"], markersize=4)[0]
        dots.set_label("_lone baselines")


def _entries(table: pd.DataFrame, drawn: Mapping[str, bool], of_point: str) -> list[Any]:
    """Return the entries of the legend, only for what is drawn."""
    window = str(last_step(table).get("window") or "")
    days = window.removesuffix("D")
    of = f" of the {days} days before" if days.isdigit() else " of earlier days"
    entries: list[Any] = []
    if drawn["range"]:
        entries += [
            line(f"median{of}", "reference"),
            patch("usual range: 99 of 100 days", "usual range"),
        ]
    if drawn["within"]:
        entries.append(line("day", of_point, marker="o", linestyle=""))
    if drawn["outside"]:
        ring = line("day outside its range", "text", marker="o", linestyle="")
        ring[1].set(markerfacecolor="none", markersize=6.0, markeredgewidth=0.8)
        entries.append(ring)
    if drawn["early"]:
        hollow = line("not judged", of_point, marker="o", linestyle="")
        hollow[1].set(markerfacecolor="white")
        entries.append(hollow)
    return entries


def _changes(ax: Axes, days: pd.DatetimeIndex, changes: Sequence[pd.Timestamp]) -> list[Any]:
    try:
        stamps = [pd.Timestamp(change) for change in changes]
    except (TypeError, ValueError):
        raise ConfigurationError(f"changes takes dates, not {changes!r}") from None
    for stamp in stamps:
        day = stamp.tz_localize(None).normalize()
        if not days[0] <= day <= days[-1]:
            raise ConfigurationError(
                f"the change on {day:%Y-%m-%d} lies outside the days of the table:"
                f" {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}"
            )
        # The new level begins with the day, so the line is drawn before it.
        place = float((day - days[0]).days) - 0.5
        ax.axvline(place, color=COLOURS["event"], linewidth=1.2, linestyle="--").set_label(
            "_change"
        )
    return [line("a new level begins", "event", linestyle="--")] if len(changes) else []
