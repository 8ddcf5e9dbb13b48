"""The usual day, the usual week, or both at once."""

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from eyelog.errors import ConfigurationError, counted
from eyelog.figures.axes import axes, legend, line, patch, plot_function, set_title
from eyelog.figures.calendar_axis import hours_axis, weekdays_axis
from eyelog.figures.labels import title_of
from eyelog.figures.marks import (
    colour_bar,
    lone,
    say_no_values,
    strip,
    value_axis,
    value_label,
)
from eyelog.figures.named import last_step, shades, span_of, step_label, step_meaning
from eyelog.figures.style import COLOURS, sequential
from eyelog.figures.tables import MIDDLE, middle_of_days, require_rows
from eyelog.frame import require, require_frame, require_rows_once
from eyelog.judge.arrays import Floats, numbers
from eyelog.judge.calendar import WEEKDAYS
from eyelog.judge.limits import Limits
from eyelog.measure.groups import By
from eyelog.series.profile import profile

QUANTILES: Final = ("days_median", "days_q25", "days_q75")


@plot_function
def plot_profile(
    table: pd.DataFrame | pd.Series,
    column: str | None = None,
    *,
    by: By = "hour",
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the usual day or week: the median of the days, their middle half and their number.

    Parameters
    ----------
    table : DataFrame or Series
        A frame, or any other table or Series that `eyelog.rhythm.profile` takes; or its result, by
        hour, by weekday or by both.
    column : str, optional
        The column of the frame. A result of `eyelog.rhythm.profile`, and a Series, need none.
    by : str or list
        ``"hour"``, ``"weekday"`` or ``["weekday", "hour"]``, of a frame or Series.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    Axes
        By hour: a line through the medians of the days in the middle of their hours, closed over
        midnight and broken where an hour was not observed, in a band between the quartiles of the
        days, where there are four days or more. By weekday: points with bars between the quartiles.
        Beneath either, in ``ax.child_axes``, the number of days. By both: one image of the medians,
        a row for each weekday and a column for each hour, grey where there is no usable value.

    Raises
    ------
    FieldError
        If the table lacks the column, or a profile the quantiles.
    ConfigurationError
        If there are no rows, or they are not hours of the day or days of the week; of a frame or
        Series as `eyelog.rhythm.profile`.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> ax = el.plot_profile(frame, "tl_yav", by="hour")
    >>> ax.get_ylabel()
    'Tilt fore-aft (deg)'
    """
    if column is not None or isinstance(table, pd.Series):
        table = profile(table, column, by=by, limits=limits)
    require_frame(table, what="plot_profile", wanted="a frame and the name of a column")
    require_rows_once(table, what="plot_profile")
    require(
        table,
        [*QUANTILES, "days"],
        purpose="plot_profile",
        made_by="eyelog.rhythm.profile(frame, column)",
    )
    require_rows(table, what="plot_profile")
    names = tuple(map(str, table.index.names))
    draw = {("hour",): _by_hour, ("weekday",): _by_weekday, ("weekday", "hour"): _by_both}
    if names not in draw:
        raise ConfigurationError(
            "plot_profile takes a table of eyelog.rhythm.profile, by hour, weekday or both, and"
            f" this one is indexed by {', '.join(names)}"
        )
    ax = axes(ax, height_mm=46.0 if len(names) == 2 else 56.0)
    draw[names](ax, table)
    set_title(ax, title_of(table, days=span_of(table), zone=False), title)
    return ax


def _by_hour(ax: Axes, table: pd.DataFrame) -> None:
    day = table.reindex(range(24))
    # The line is closed over midnight: the last hour precedes the first.
    around = np.concatenate([[23], np.arange(24), [0]])
    x: Floats = np.arange(-0.5, 25.0)
    median, low, high = (of[around] for of in _quantiles(day))
    of_line, of_area = shades(step_meaning(table))
    ax.fill_between(x, low, high, color=COLOURS[of_area], alpha=0.5, linewidth=0)
    ax.plot(x, median, color=COLOURS[of_line], linewidth=1.4)[0].set_label("_median")
    _lone_hours(ax, x, median, low, high, (of_line, of_area))
    value_label(ax, step_label(table))
    value_axis(ax.yaxis)
    if not np.isfinite(median).any():
        say_no_values(ax)
    below = _days(ax, np.arange(0.5, 24.0), numbers(day["days"]), width=0.8)
    hours_axis(below, last_step(table).get("tz"))
    entries = [line("median of the days", of_line)]
    if np.isfinite(low).any():
        entries.append(patch(MIDDLE, of_area, alpha=0.5))
    legend(below, [*entries, patch(_counted(table), "hatch")])


def _quantiles(table: pd.DataFrame) -> tuple[Floats, Floats, Floats]:
    """Return the median of the days and their quartiles, which few days do not have."""
    return numbers(table["days_median"]), *middle_of_days(table)


def _counted(table: pd.DataFrame) -> str:
    """Return how many days were observed, in words: "3 to 7 days observed"."""
    days = table["days"].to_numpy(dtype=np.int64)
    most = counted(int(days.max()), "day")
    few = f"{days.min()} to " if days.min() < days.max() else ""
    return f"{few}{most} observed"


def _lone_hours(
    ax: Axes, x: Floats, median: Floats, low: Floats, high: Floats, meanings: tuple[str, str]
) -> None:
    """Draw isolated observed hours, which a line does not show."""
    alone, (dot, area) = lone(median), (COLOURS[meaning] for meaning in meanings)
    ranges = ax.vlines(x[alone], low[alone], high[alone], color=area, linewidth=2.0)
    ranges.set_label("_lone ranges")
    if alone.any():
        dots = ax.plot(x[alone], median[alone], "o", color=dot, markersize=2.5)[0]
        dots.set_label("_lone hours")


def _by_weekday(ax: Axes, table: pd.DataFrame) -> None:
    week = table.reindex(range(7))
    x: Floats = np.arange(7.0)
    ax.axvspan(4.5, 6.5, color=COLOURS["weekend"], linewidth=0, zorder=0).set_label("_weekend")
    median, low, high = _quantiles(week)
    seen = np.isfinite(median)
    many = np.isfinite(low)
    of_point, of_area = shades(step_meaning(table))
    bars = ax.vlines(x[many], low[many], high[many], color=COLOURS[of_area])
    bars.set(linewidth=4.0, label="_quartiles")
    dots = ax.scatter(x[seen], median[seen], s=22, color=COLOURS[of_point], linewidths=0)
    dots.set(label="_median", zorder=3)
    ax.set_xlim(-0.5, 6.5)
    ax.margins(y=0.1)
    value_label(ax, step_label(table))
    value_axis(ax.yaxis)
    below = _days(ax, x, numbers(week["days"]), width=0.5)
    weekdays_axis(below.xaxis)
    entries = [line("median of the days", of_point, marker="o", linestyle="")]
    if np.isfinite(low).any():
        entries.append(patch(MIDDLE, of_area))
    legend(below, [*entries, patch(_counted(table), "hatch"), patch("weekend")])


def _days(ax: Axes, x: Floats, days: Floats, *, width: float) -> Axes:
    below = strip(ax)
    for bar in below.bar(x, np.nan_to_num(days), width=width, color=COLOURS["hatch"]):
        bar.set_label("_days")
    below.set_ylabel("Days")
    most = float(np.nanmax(days, initial=1.0))
    below.set_ylim(0, most * 1.1)
    below.set_yticks([0, int(most)])
    return below


def _by_both(ax: Axes, table: pd.DataFrame) -> None:
    week = pd.MultiIndex.from_product([range(7), range(24)], names=["weekday", "hour"])
    cells = numbers(table["days_median"].reindex(week)).reshape(7, 24)
    finite = cells[np.isfinite(cells)]
    low = float(min(finite.min(initial=0.0), 0.0)) if finite.size else 0.0
    high = float(finite.max()) if finite.size else 1.0
    # The table does not say whether there was a record: hatching would say that there was none.
    ax.patch.set_facecolor(COLOURS["masked"])
    image = ax.imshow(
        np.ma.masked_invalid(cells),
        aspect="auto",
        interpolation="nearest",
        cmap=sequential(step_meaning(table)).with_extremes(bad="none"),
        norm=Normalize(low, high if high > low else low + 1.0),
        extent=(0, 24, 6.5, -0.5),
    )
    days = table["days"].groupby(level="weekday").max().reindex(range(7)).fillna(0).astype(int)
    # The number of days in a row is beside its name.
    ax.set_yticks(range(7), [f"{WEEKDAYS[day]}  n = {days[day]}" for day in range(7)])
    ax.tick_params(axis="y", length=0)
    hours_axis(ax, last_step(table).get("tz"))
    if finite.size:
        colour_bar(ax, image, f"Median of the days\n{step_label(table)}")
    else:
        say_no_values(ax)
    if not np.isfinite(cells).all():
        legend(ax, [patch("no usable value", "masked")])
