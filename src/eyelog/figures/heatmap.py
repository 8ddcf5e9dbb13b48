"""Day against time of day: one field as a map that keeps a measured 0 apart from no data."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, Normalize, PowerNorm

from eyelog.catalogue import role
from eyelog.checks import one_of
from eyelog.clock import time_of_day_us
from eyelog.figures import axes, dates, marks, tables
from eyelog.figures.labels import label_of, subject, title_of
from eyelog.figures.style import COLOURS, HATCH, SMALL_PT, sequential
from eyelog.figures.timeline import kind_of
from eyelog.frame import is_resampled, require
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.judge.flag import states
from eyelog.judge.limits import Limits

DAY_SECONDS: Final = 86_400
STEPS: Final = "steps"
GAMMA: Final = 0.4  # of the power scale: a few steps and a brisk walk both show
MOSTLY_ZERO: Final = 0.5
LIGHTEST: Final = 0.24  # the place of the least value on the sequential scale
FINEST_S: Final = 60.0  # narrower cells do not fit on a page
ROW_MM, LEAST_MM, MOST_MM = 4.0, 24.0, 140.0


@axes.plot_function
def plot_heatmap(
    frame: pd.DataFrame,
    field: str,
    *,
    scale: str = "auto",
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw one field, day by time of day.

    Every row of the frame is one cell, so resample first to a visible width. Three things never
    look alike: an amount of 0 is plain white, a missing or masked value is plain light grey, and
    time without a record is white and hatched. Values of records that have a reason against them
    (`eyelog.flag`), and those of time in which the eyewear was not worn, are no usable values.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, best after `eyelog.resample`.
    field : str
        The column to draw, or ``"steps"`` for the steps of all classes.
    scale : {"auto", "linear", "power"}
        How values become colours. ``"power"`` gives small values more of the colours; the ticks of
        the colour bar are placed accordingly. ``"auto"`` uses it if no value is negative and at
        least half of them are 0, as with steps, and a linear scale otherwise.
    limits : Limits, optional
        By which records are judged, see `eyelog.Limits`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With two images of the same shape, whose rows are all days from the first to the last and
        whose columns are times of day: the values, and 1 for a record without a value. Rows shorter
        than a minute are averaged over it. Hours that the clock passes twice (a day of 25 hours, a
        flight west) show the mean of both passes; the hour that a day of 23 hours lacks is blank.

    Raises
    ------
    FieldError
        If the frame lacks the column.
    ConfigurationError
        If there are no rows, rows last longer than half a day, the column does not hold numbers, or
        there is no such scale.

    Examples
    --------
    >>> import eyelog as el
    >>> quarters = el.resample(el.sample("standard_mode_logs"), "15min")
    >>> ax = el.plot_heatmap(quarters, "steps")
    >>> ax.images[0].get_array().shape
    (7, 96)
    """
    what = "plot_heatmap"
    one_of(scale, "scale", ("auto", "linear", "power"))
    log = tables.log_or_none(frame) if isinstance(frame, pd.DataFrame) else None
    if field == STEPS and log is not None and field not in frame.columns:
        records = tables.records_of_days(frame, role(log, "steps"), limits, what=what)
        records = records._replace(frame=with_steps(records.frame, log))
    else:
        records = tables.records_of_days(frame, [field], limits, what=what)
    frame, days, clock = records.frame, records.days, records.clock
    cells, recorded = _cells(records, field)
    ax = axes.on(ax, height_mm=float(np.clip(ROW_MM * len(days), LEAST_MM, MOST_MM)))
    ax.patch.set(facecolor="white", edgecolor=COLOURS["hatch"], hatch=HATCH, linewidth=0.0)
    # A scale that begins darker than the grey of masked values, in grey print too.
    colours = sequential(subject(frame, field).meaning)(np.linspace(LIGHTEST, 1.0, 256))
    norm = _norm(cells[np.isfinite(cells)], scale)
    has_zero = bool((cells < (norm.vmin or 0.0)).any())
    spread: dict[str, Any] = {"aspect": "auto", "interpolation": "nearest"}
    spread["extent"] = (0, 24, len(days) - 0.5, -0.5)
    image = ax.imshow(
        np.ma.masked_invalid(cells),
        cmap=ListedColormap(colours).with_extremes(bad="none", under="white"),
        norm=norm,
        **spread,
    )
    unvalued = np.ma.masked_equal((recorded & np.isnan(cells)).astype(float), 0.0)
    grey = ListedColormap([COLOURS["masked"]]).with_extremes(bad="none")
    ax.imshow(unvalued, cmap=grey, vmin=0, vmax=2, **spread)
    dates.blank_skipped_hours(ax, days, clock)
    if np.isfinite(cells).any():
        marks.colour_bar(ax, image, "")
    else:
        marks.say_no_values(ax)
    dates.hours_axis(ax, clock.tz)
    dates.day_rows_axis(ax, [days], [0])
    if has_zero:
        axes.key(ax, "0", "masked", hollow=True)
    axes.key(ax, "no usable value", "masked")
    axes.key(ax, "no record")
    name = label_of(log, field, seconds=tables.unit_seconds(frame))
    ours = title_of(frame, zone=False)
    if axes.own_figure(ax) is None:
        ours = " · ".join([name, *([ours] if ours else [])])
    else:
        ax.set_title(name, loc="left", fontsize=SMALL_PT, fontweight="normal", pad=2)
    axes.finish(ax, ours, title, legend=legend)
    return ax


def with_steps(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return a frame with the steps of all classes, whose fields it must have."""
    require(frame, role(log, "steps"), purpose="plot_heatmap")
    out = frame.assign(**{STEPS: frame[[*role(log, "steps")]].sum(axis=1, skipna=False)})
    out.attrs = frame.attrs
    return out


def _cells(records: tables.Records, field: str) -> tuple[Floats, Bools]:
    """Return for each day and time of day the value, and whether there is a record."""
    frame, log, seconds, clock, days, place = records
    width = max(seconds, FINEST_S)
    at = time_of_day_us(cast(pd.DatetimeIndex, frame.index), clock=clock)
    shape = len(days), -(-DAY_SECONDS // int(width))
    cell, size = place * shape[1] + (at - 1) // int(width * 1e6), shape[0] * shape[1]
    values, held = numbers(frame[field]), np.ones(len(frame), dtype=bool)
    if is_resampled(frame):  # bins have rows without records too
        held = numbers(frame["n"]) > 0
    elif log is not None and set(role(log, "worn")) <= set(frame.columns):
        values = np.where(states(frame) == "not worn", np.nan, values)
    recorded = np.bincount(cell[held], minlength=size) > 0
    cells = tables.means(values, cell, size, angle=kind_of(log, field).is_angle)
    return cells.reshape(shape), recorded.reshape(shape)


def _norm(values: Floats, scale: str) -> Normalize:
    """Return the colour scale; that of amounts begins just above 0: none is not a little."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if low >= 0:
        # States are 0 or 1, so they have no small values that need more colours.
        are_amounts = high > 1
        if scale == "auto" and are_amounts and (values == 0).mean() >= MOSTLY_ZERO:
            scale = "power"
        low = high * 1e-9 if are_amounts else 0.0
    if high <= low:
        high = low + 1.0
    return PowerNorm(GAMMA, low, high) if scale == "power" else Normalize(low, high)
