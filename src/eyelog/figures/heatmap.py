"""Day against time of day: one field as a map that keeps a measured 0 apart from no data."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, ListedColormap, Normalize, PowerNorm

from eyelog.catalogue import role
from eyelog.clock import LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import traces
from eyelog.figures.axes import axes, legend, own_figure, patch, plot_function, set_title
from eyelog.figures.calendar_axis import blank_skipped_hours, day_axis, hours_axis
from eyelog.figures.labels import label_of, title_of
from eyelog.figures.marks import colour_bar, hatch_background, say_no_values
from eyelog.figures.named import meaning_in
from eyelog.figures.style import COLOURS, SMALL_PT, sequential
from eyelog.figures.tables import (
    closing,
    judged,
    log_or_none,
    row_seconds,
    rows_of_days,
    stamps,
    unit_seconds,
)
from eyelog.frame import clock_of, is_resampled, require, require_one_frame
from eyelog.judge.arrays import Bools, Floats, Ints, numbers
from eyelog.judge.flag import states
from eyelog.judge.limits import Limits

DAY_SECONDS: Final = 86_400
STEPS: Final = "steps"
GAMMA: Final = 0.4  # of the power scale: a few steps and a brisk walk both show
MOSTLY_ZERO: Final = 0.5
LIGHTEST: Final = 0.24  # the place of a measured 0 on the sequential scale
FINEST_S: Final = 60.0  # narrower cells do not fit on a page
ROW_MM, LEAST_MM, MOST_MM = 4.0, 24.0, 140.0


@plot_function
def plot_heatmap(
    frame: pd.DataFrame,
    field: str,
    *,
    scale: str = "auto",
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw one field, day by time of day.

    Every row of the frame is one cell, so resample first to a visible width. Three things never
    look alike: a measured 0 has the lightest colour of the scale, a missing or masked value is
    plain light grey, and time without a record is white and hatched. Values of records that have a
    reason against them (`eyelog.flag`), and those of time in which the eyewear was not worn, are no
    usable values.

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
    require_one_frame(frame, what="plot_heatmap")
    stamps(frame.index, what="plot_heatmap")
    frame = closing(frame)
    index = cast(pd.DatetimeIndex, frame.index)
    log = log_or_none(frame)
    if field == STEPS and field not in frame.columns and log is not None:
        require(frame, role(log, "steps"), purpose="plot_heatmap")
        frame = judged(frame, role(log, "steps"), limits, what="plot_heatmap")
        frame = with_steps(frame, log)
    require(frame, [field], purpose="plot_heatmap")
    if not (pd.api.types.is_numeric_dtype(frame[field].dtype)):
        raise ConfigurationError(f"plot_heatmap draws numbers, but {field!r} holds text or times")
    if field != STEPS:
        frame = judged(frame, [field], limits, what="plot_heatmap")
    if scale not in ("auto", "linear", "power"):
        raise ConfigurationError(f"scale must be 'auto', 'linear' or 'power', not {scale!r}")
    seconds = row_seconds(frame, log)
    if not 0 < seconds <= DAY_SECONDS / 2:
        raise ConfigurationError(
            f"plot_heatmap cannot show rows of {seconds:g} s within a day: resample to 12 h or less"
        )
    clock = clock_of(frame, log=log)
    of_days = rows_of_days(index, clock)
    frame, index = frame[of_days], index[of_days]
    days, cells, recorded = _cells(frame, field, index, seconds, clock)
    ax = axes(ax, height_mm=float(np.clip(ROW_MM * len(days), LEAST_MM, MOST_MM)))
    hatch_background(ax)
    colours = _scale(meaning_in(frame, field))
    norm = _norm(cells[np.isfinite(cells)], scale)
    spread: dict[str, Any] = {
        "aspect": "auto",
        "interpolation": "nearest",
        "extent": (0, 24, len(days) - 0.5, -0.5),
    }
    image = ax.imshow(np.ma.masked_invalid(cells), cmap=colours, norm=norm, **spread)
    unvalued = recorded & np.isnan(cells)
    ax.imshow(
        np.ma.masked_equal(unvalued.astype(float), 0.0),
        cmap=ListedColormap([COLOURS["masked"]]).with_extremes(bad="none"),
        vmin=0,
        vmax=2,
        **spread,
    )
    blank_skipped_hours(ax, days, clock)
    if np.isfinite(cells).any():
        colour_bar(ax, image, "")
    else:
        say_no_values(ax)
    hours_axis(ax, clock.tz)
    day_axis(ax.yaxis, days)
    legend(ax, [patch("no usable value", "masked"), patch("no record")])
    name, ours = label_of(log, field, seconds=unit_seconds(frame)), title_of(frame, zone=False)
    if own_figure(ax) is None:
        set_title(ax, " · ".join([name, *([ours] if ours else [])]), title)
    else:
        ax.set_title(name, loc="left", fontsize=SMALL_PT, fontweight="normal", pad=2)
        set_title(ax, ours, title)
    return ax


def with_steps(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return a frame with the steps of all classes, whose fields it must have."""
    require(frame, role(log, "steps"), purpose="plot_heatmap")
    out = frame.assign(**{STEPS: frame[[*role(log, "steps")]].sum(axis=1, skipna=False)})
    out.attrs = frame.attrs
    return out


def _unworn(frame: pd.DataFrame, log: str | None) -> Bools:
    """Return the rows in which the eyewear is known to be not worn."""
    if is_resampled(frame) or log is None or not set(role(log, "worn")) <= set(frame.columns):
        return np.zeros(len(frame), dtype=bool)
    return np.asarray(states(frame) == "not worn")


def _scale(meaning: str) -> Colormap:
    """Return a scale that begins darker than the grey of masked values, in grey print too."""
    colours = sequential(meaning)(np.linspace(LIGHTEST, 1.0, 256))
    return ListedColormap(colours).with_extremes(bad="none")


def _cells(
    frame: pd.DataFrame, field: str, index: pd.DatetimeIndex, seconds: float, clock: LocalClock
) -> tuple[pd.DatetimeIndex, Floats, Bools]:
    """Return the days (wall clock), and for each cell its value and whether there is a record."""
    day = local_days(index, clock=clock)
    days = pd.date_range(day.min(), day.max(), freq="D", unit=day.unit)
    width = max(seconds, FINEST_S)
    slot = (time_of_day_us(index, clock=clock) - 1) // int(width * 1e6)
    shape = len(days), -(-DAY_SECONDS // int(width))
    place = days.get_indexer(day) * shape[1] + slot
    log = log_or_none(frame)
    values = np.where(_unworn(frame, log), np.nan, numbers(frame[field]))
    # Bins have rows without records too; n is the number of records in a bin.
    held = numbers(frame["n"]) > 0 if is_resampled(frame) else np.ones(len(frame), dtype=bool)
    recorded = np.bincount(place[held], minlength=shape[0] * shape[1]) > 0
    cells = _means(values, place, shape[0] * shape[1], angle=traces.is_angle(log, field))
    return days, cells.reshape(shape), recorded.reshape(shape)


def _means(values: Floats, place: Ints, n: int, *, angle: bool) -> Floats:
    """Return the mean of the values at each of n places, of angles on the circle.

    A cell has several values where its rows are short, and where the clock passes its time twice.
    The mean keeps the unit of counts too: steps per 10 min stay those of 10 min.
    """
    finite = np.isfinite(values)
    values, place = values[finite], place[finite]

    def summed(weights: Floats) -> Floats:
        return np.asarray(np.bincount(place, weights=weights, minlength=n), dtype=np.float64)

    if angle:
        radians = np.deg2rad(values)
        means = np.rad2deg(np.arctan2(summed(np.sin(radians)), summed(np.cos(radians))))
        return np.where(np.bincount(place, minlength=n) > 0, means, np.nan)
    count = np.bincount(place, minlength=n)
    return np.where(count > 0, summed(values) / np.maximum(count, 1), np.nan)


def _norm(values: Floats, scale: str) -> Normalize:
    """Return the colour scale; for values from 0 up, the lightest colour is 0."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if low >= 0:
        # States are 0 or 1, so they have no small values that need more colours.
        mostly_zero = high > 1 and (values == 0).mean() >= MOSTLY_ZERO
        low = 0.0
        scale = "power" if mostly_zero and scale == "auto" else scale
    if high <= low:
        high = low + 1.0
    return PowerNorm(GAMMA, low, high) if scale == "power" else Normalize(low, high)
