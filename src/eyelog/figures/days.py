"""Figures by day: day against time of day, and one summary value per day."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MultipleLocator

from eyelog.analysis.series.arrays import numbers
from eyelog.clock import local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures.labels import label_of
from eyelog.figures.style import COLOURS, axes
from eyelog.figures.tables import log_or_none, row_seconds, stamps
from eyelog.frame import refuse_reasons, require, require_frame

__all__ = ["plot_daily", "plot_heatmap"]

DAY_SECONDS = 86_400
# Local midnights lie 23 hours apart or more; nothing shorter is a day.
SHORTEST_DAY = pd.Timedelta(20, "h")
MOST_TICKS = 20


def plot_heatmap(frame: pd.DataFrame, field: str, *, ax: Axes | None = None) -> Axes:
    """Draw one field, day by time of day.

    Every row of the frame is one cell, so resample first to a width that the eye can see. Missing
    values and missing records are grey, never a colour of the scale. Only days with records are
    shown, in order; on a day of 25 hours the repeated hour shows its second pass.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, best after `eyelog.resample`. It is right-closed: a record stamped
        10:00:00 covers the interval before it.
    field : str
        The column to draw.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.

    Returns
    -------
    Axes
        With one image: its rows are days, its columns times of day.

    Raises
    ------
    FieldError
        If the frame lacks the column.
    ConfigurationError
        If there are no rows, or rows last longer than half a day.

    Examples
    --------
    >>> import eyelog as el
    >>> quarters = el.resample(el.sample("standard_mode_logs"), "15min")
    >>> ax = el.plot_heatmap(quarters, "stp_mid")
    >>> ax.images[0].get_array().shape
    (7, 96)
    """
    refuse_reasons(frame, what="plot_heatmap")
    index = stamps(frame.index, what="plot_heatmap")
    require(frame, [field], purpose="plot_heatmap")
    log = log_or_none(frame)
    seconds = row_seconds(frame, log)
    if not 0 < seconds <= DAY_SECONDS / 2:
        raise ConfigurationError(
            f"plot_heatmap cannot show rows of {seconds:g} s within a day: resample to 12 h or less"
        )
    days = local_days(index)
    shown = days.unique()
    slot = (time_of_day_us(index) - 1) // int(seconds * 1e6)
    cells = np.full((len(shown), -(-DAY_SECONDS // int(seconds))), np.nan)
    cells[shown.get_indexer(days), slot] = numbers(frame[field])
    ax = axes(ax)
    ax.set_facecolor(COLOURS["masked"])
    scale = mpl.colormaps["viridis"].with_extremes(bad=COLOURS["masked"])
    image = ax.imshow(
        np.ma.masked_invalid(cells),
        aspect="auto",
        interpolation="nearest",
        cmap=scale,
        extent=(0, 24, len(shown) - 0.5, -0.5),
    )
    ax.xaxis.set_major_locator(MultipleLocator(3))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda hour, _: f"{hour:02.0f}:00"))
    ax.set_xlabel(f"Time of day ({index.tz})")
    _day_ticks(ax.yaxis, shown)
    ax.figure.colorbar(image, ax=ax, pad=0.01).set_label(label_of(log, field))
    return ax


def _day_ticks(axis: Any, days: pd.DatetimeIndex) -> None:
    step = -(-len(days) // MOST_TICKS)
    axis.set_ticks(range(0, len(days), step), [f"{day:%a %d %b %Y}" for day in days[::step]])


def plot_daily(table: pd.DataFrame, column: str = "worn_h", *, ax: Axes | None = None) -> Axes:
    """Draw one column of a daily summary: a point per day, with its interval if it has one.

    Days without a value keep their place and are grey. The lower the coverage of a day, the paler
    its point.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.daily`.
    column : str
        The column to draw. For a rate per minute, ``_low`` and ``_high`` become the interval.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.

    Returns
    -------
    Axes
        With one scatter of the values, a bar per interval, and days without a value in grey.

    Raises
    ------
    FieldError
        If the table lacks the column.
    ConfigurationError
        If there are no days, or the column holds times.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_daily(el.daily(el.sample("standard_mode_logs")), "steps")
    >>> ax.get_ylabel()
    'steps'
    """
    require_frame(table, what="plot_daily", wanted="a table of days, as of eyelog.daily")
    days = stamps(table.index, what="plot_daily")
    require(table, [column], purpose="plot_daily")
    if len(days) > 1 and (apart := (days[1:] - days[:-1]).min()) < SHORTEST_DAY:
        raise ConfigurationError(
            "plot_daily takes a table of days, as of eyelog.daily, but some rows of this one are"
            f" {apart.total_seconds():g} s apart: pass eyelog.daily(frame)"
        )
    if isinstance(table[column].dtype, pd.DatetimeTZDtype):
        raise ConfigurationError(f"plot_daily draws numbers, but {column!r} holds times")
    ax = axes(ax)
    x = np.arange(len(days))
    y = numbers(table[column])
    share = table["coverage"].fillna(0.0).to_numpy() if "coverage" in table else np.ones(len(days))
    drawn = np.isfinite(y)
    stem = column.removesuffix("_per_min")
    low, high = f"{stem}_low", f"{stem}_high"
    if {low, high} <= set(table.columns):
        ax.vlines(x[drawn], table[low][drawn], table[high][drawn], color="C0", alpha=0.6)
    ax.scatter(
        x[drawn], y[drawn], alpha=(0.25 + 0.75 * share[drawn].clip(0, 1)).tolist(), color="C0"
    )
    for day in x[~drawn]:
        ax.axvspan(day - 0.5, day + 0.5, color=COLOURS["masked"], linewidth=0)
    if not drawn.any():
        ax.text(0.5, 0.5, "no values", transform=ax.transAxes, ha="center")
    ax.set_xlim(-0.5, len(days) - 0.5)
    _day_ticks(ax.xaxis, days)
    ax.tick_params(axis="x", rotation=45)
    for tick in ax.get_xticklabels():
        tick.set_horizontalalignment("right")
    ax.set_ylabel(column)
    return ax
