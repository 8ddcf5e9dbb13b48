"""The reasons against values, over time or by time of day."""

from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.ticker import FixedLocator

from eyelog.clock import LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import ribbon, traces
from eyelog.figures.axes import axes, legend, name_rows, own_figure, patch, plot_function, set_title
from eyelog.figures.calendar_axis import day_edges, hours_axis, time_axis, to_x
from eyelog.figures.labels import title_of
from eyelog.figures.marks import PercentFormatter, strip
from eyelog.figures.style import COLOURS, sequential
from eyelog.figures.tables import log_or_none, require_order, row_seconds, rows_of_days, stamps
from eyelog.frame import OFFSET, STORED, clock_of, history, require_frame
from eyelog.judge.arrays import Floats, Ints
from eyelog.judge.flag import flag
from eyelog.judge.limits import Limits
from eyelog.judge.reasons import WORDS, Reason

ROW_MM: Final = 5.5
LEAST_MM: Final = 27.0  # room for the label of the scale
COLUMN_OF_DAY_S: Final = 600
SHARES: Final = (0.0, 0.05, 0.25, 0.5, 1.0)


@plot_function
def plot_quality(
    reasons: pd.DataFrame,
    *,
    by: Literal["time", "time_of_day"] = "time",
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw how much of the time values are flagged, one row per reason, in words.

    The shade is the share of recorded time with the reason, averaged over the fields that ever have
    it and over the time of one column. Time without records is white and hatched.

    Parameters
    ----------
    reasons : DataFrame
        A frame of records of either log, or the result of `eyelog.flag` for it. For a wearer whose
        zone varies, the frame: its column ``utc_offset_min`` holds the wearer's clock.
    by : {"time", "time_of_day"}
        Over the whole range, or over all days by time of day, in columns of 10 minutes; a strip
        beneath then shows on how many days each has a record.
    limits : Limits, optional
        The limits by which a frame is judged.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    Axes
        With one image (the strip is an Axes within it): its rows are the reasons that occur, its
        values shares from 0 to 1, missing where there is no record. The scale is that of the square
        root, so that rare reasons show.

    Raises
    ------
    ConfigurationError
        If there are no rows, these are neither reasons nor a frame of records that was not masked,
        `limits` are given for reasons, or `by` is neither of the two.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_quality(el.flag(el.sample("standard_mode_logs")))
    >>> "not worn" in [tick.get_text() for tick in ax.get_yticklabels()]
    True
    """
    require_frame(reasons, what="plot_quality", wanted="a frame, or the result of eyelog.flag")
    index = stamps(reasons.index, what="plot_quality")
    reasons, clock = _reasons_and_clock(reasons, index, limits)
    if by not in ("time", "time_of_day"):
        raise ConfigurationError(f"by must be 'time' or 'time_of_day', not {by!r}")
    require_order(index, what="plot_quality", name="reasons")
    occurring, flagged = _flagged(reasons)
    seconds = row_seconds(reasons, log_or_none(reasons))
    if by == "time":
        column, extent, n = _columns_of_time(index, seconds, clock)
    else:
        n = 86_400 // COLUMN_OF_DAY_S
        column = (time_of_day_us(index, clock=clock) - 1) // (COLUMN_OF_DAY_S * 1_000_000)
        extent = (0.0, 24.0)
    shares = _means(flagged, column, n)
    ax = axes(ax, height_mm=max(LEAST_MM, ROW_MM * len(occurring)))
    image = ax.imshow(
        np.ma.masked_invalid(shares),
        aspect="auto",
        interpolation="nearest",
        cmap=sequential("share").with_extremes(bad=(1, 1, 1, 0)),
        norm=PowerNorm(0.5, 0, 1),
        extent=(*extent, len(occurring) - 0.5, -0.5),
        zorder=1,
    )
    ribbon.hatched(ax, -0.5, len(occurring) - 0.5, left=extent[0], right=extent[1])
    borders = np.arange(len(occurring) + 1) - 0.5
    ax.hlines(borders, *extent, color="white", linewidth=1.5, zorder=2)
    name_rows(ax, range(len(occurring)), [WORDS[reason] for reason in occurring])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    figure: Any = ax.figure.figure
    bar = figure.colorbar(image, cax=ax.inset_axes((1.02, 0, 0.025, 1)))
    bar.ax.yaxis.set_major_locator(FixedLocator(SHARES))
    bar.ax.yaxis.set_major_formatter(PercentFormatter())
    bar.outline.set_visible(False)
    bar.set_label("Share of recorded time")
    if by == "time":
        time_axis(ax, clock)
    elif own_figure(ax) is None:  # no space beneath an Axes of the user
        hours_axis(ax, clock.tz)
    else:
        below = strip(ax)
        _draw_days(below, local_days(index, clock=clock), column, n)
        hours_axis(below, clock.tz)
    days = local_days(index[rows_of_days(index, clock)], clock=clock)
    ours = title_of(reasons, days=days, zone=by == "time", clock=clock)
    set_title(ax, ours, title)
    if np.isnan(shares).any():
        legend(ax, [patch("no record")])
    return ax


def _draw_days(below: Axes, days: pd.DatetimeIndex, column: Ints, n: int) -> None:
    """Draw on how many days there is a record at each time of day."""
    cells = pd.DataFrame({"day": days, "column": column}).drop_duplicates()
    count = np.bincount(cells["column"], minlength=n)
    below.stairs(count, np.linspace(0, 24, n + 1), fill=True, color=COLOURS["worn"], label="_days")
    most = cells["day"].nunique()
    below.set_ylim(0, most)
    below.set_yticks([0, most])
    below.set_ylabel("Days", rotation=0, ha="right", va="center")


def _reasons_and_clock(
    table: pd.DataFrame, index: pd.DatetimeIndex, limits: Limits | None
) -> tuple[pd.DataFrame, LocalClock]:
    """Return the reasons to draw, and the wearer's clock, which only a frame holds."""
    if len(table.columns) and all(getattr(kind, "kind", "O") in "iu" for kind in table.dtypes):
        if limits is not None:
            raise ConfigurationError(
                "plot_quality judges a frame by limits=, and these are reasons: pass the frame, or"
                " eyelog.flag(frame, limits=limits)"
            )
        if OFFSET in table.columns:
            raise ConfigurationError(
                "plot_quality needs the wearer's clock, and reasons do not hold it where the zone"
                " varies: pass the frame itself, plot_quality(frame)"
            )
        return table, LocalClock(index.tz)
    if any(step["step"] == "flag" for step in history(table)):
        raise ConfigurationError(
            "plot_quality draws a frame or the result of eyelog.flag, not values"
            f" made of reasons ({table.dtypes.iloc[0]})"
        )
    if STORED in table.columns:
        raise ConfigurationError(
            "plot_quality draws the reasons against values, and those of a masked frame are gone:"
            " pass the frame before eyelog.mask"
        )
    clock = clock_of(table)
    return flag(table, limits=limits).drop(columns=OFFSET, errors="ignore"), clock


def _flagged(reasons: pd.DataFrame) -> tuple[list[Reason], Floats]:
    """Return the reasons that occur, and the share of the fields that ever have each, by row."""
    bits = reasons.to_numpy()
    ever = np.bitwise_or.reduce(bits, axis=0)
    occurring = [r for r in WORDS if (ever & r.value).any()] or [Reason.MISSING]
    shares = np.zeros((len(occurring), len(bits)))
    for row, reason in enumerate(occurring):
        concerned = np.flatnonzero(ever & reason.value)
        if len(concerned):
            shares[row] = ((bits[:, concerned] & reason.value) != 0).mean(axis=1)
    return occurring, shares


def _columns_of_time(
    index: pd.DatetimeIndex, seconds: float, clock: LocalClock
) -> tuple[Ints, tuple[float, float], int]:
    """Return the column of each record on whole local days, their edges along x, their number."""
    us = index.as_unit("us").asi8
    index = index[rows_of_days(index, clock)]
    days = local_days(index[[0, -1]], clock=clock)
    start, end = day_edges(days[0], clock)[0], day_edges(days[-1], clock)[1]
    columns = traces.columns_for(start, end, seconds)
    if columns is None:
        columns = traces.Columns(start, seconds, int(np.ceil((end - start) / 1e6 / seconds)))
    return columns.of(us), (float(to_x(start)), float(to_x(columns.edges[-1]))), columns.n


def _means(flagged: Floats, column: Ints, n: int) -> Floats:
    """Return the mean of each row of `flagged` in each column; missing where there is none."""
    count = np.bincount(column, minlength=n)
    total = np.array([np.bincount(column, weights=row, minlength=n) for row in flagged])
    means = np.full(total.shape, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means
