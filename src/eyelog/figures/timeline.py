"""Figures along time: the values of fields, and the reasons against them."""

from collections.abc import Sequence
from typing import Any

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.series.runs import follows
from eyelog.errors import ConfigurationError
from eyelog.figures.calendar_axis import time_axis
from eyelog.figures.labels import label_of
from eyelog.figures.style import COLOURS, axes, plot_function
from eyelog.figures.tables import log_or_none, row_seconds, stamps
from eyelog.frame import refuse_reasons, require, require_frame

__all__ = ["plot_quality", "plot_timeline"]

MOST_LANES = 12
LANE_FILL = 0.86  # the share of a lane's height that its line uses at most


@plot_function
def plot_timeline(
    frame: pd.DataFrame, *, fields: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw fields along time in one lane each, so that different units share the time axis.

    Lines are broken where records are missing. Each lane ranges from its smallest to its largest
    value; both are written beside it.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, raw, masked or resampled.
    fields : sequence of str, optional
        The columns to draw, top to bottom, 12 at most; by default all columns of numbers.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.

    Returns
    -------
    Axes
        With one line per lane, whose gid is the name of the field.

    Raises
    ------
    FieldError
        If the frame lacks a column.
    ConfigurationError
        If there are no rows, or too many fields for one figure.

    Examples
    --------
    >>> import eyelog as el
    >>> tenths = el.resample(el.sample("standard_mode_logs"), "10min")
    >>> ax = el.plot_timeline(tenths, fields=["stp_mid", "tl_yav"])
    >>> [line.get_gid() for line in ax.lines]
    ['stp_mid', 'tl_yav']
    """
    refuse_reasons(frame, what="plot_timeline")
    index = stamps(frame.index, what="plot_timeline")
    numeric = [str(name) for name in frame.select_dtypes(["number", "bool"]).columns]
    names = numeric if fields is None else list(fields)
    require(frame, names, purpose="plot_timeline")
    texts = sorted(set(names) - set(numeric))
    if texts:
        raise ConfigurationError(f"plot_timeline draws numbers, but {texts[0]!r} holds text")
    if not 1 <= len(names) <= MOST_LANES:
        raise ConfigurationError(
            f"plot_timeline draws 1 to {MOST_LANES} fields, not {len(names)}: name them in fields="
        )
    log = log_or_none(frame)
    ax = axes(ax)
    x, gaps = _broken(index, row_seconds(frame, log))
    for name, lane in zip(names, reversed(range(len(names))), strict=True):
        values = numbers(frame[name])
        finite = values[np.isfinite(values)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
        scaled = (values - low) / ((high - low) or 1.0) * LANE_FILL + lane
        line = ax.plot(x, np.insert(scaled, gaps, np.nan), linewidth=0.8, color=f"C{lane % 10}")[0]
        line.set_gid(name)
        text = f"{low:.3g} to {high:.3g}" if finite.size else "no values"
        ax.annotate(
            text,
            (1.005, lane + LANE_FILL / 2),
            xycoords=("axes fraction", "data"),
            fontsize="small",
            va="center",
        )
        border = lane - (1 - LANE_FILL) / 2
        ax.hlines(border, 0, 1, transform=ax.get_yaxis_transform(), color="0.8", linewidth=0.5)
    ax.set_yticks(
        [lane + LANE_FILL / 2 for lane in reversed(range(len(names)))],
        [label_of(log, name) for name in names],
    )
    ax.set_ylim(-(1 - LANE_FILL), len(names))
    time_axis(ax, index.tz)
    return ax


def _broken(index: pd.DatetimeIndex, seconds: float) -> tuple[Any, Any]:
    """Return x with one extra stamp per gap, and where the extra values go."""
    us = index.as_unit("us").asi8
    gaps = np.flatnonzero(~follows(us, seconds * 1e6)) + 1
    filled = np.insert(us, gaps, us[gaps - 1] + 1)
    return mdates.date2num(filled.astype("datetime64[us]")), gaps


@plot_function
def plot_quality(reasons: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw when values are flagged, one row per reason.

    The shade is the share of a record's values that have the reason; grey is where there is no
    record.

    Parameters
    ----------
    reasons : DataFrame
        The result of `eyelog.flag`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.

    Returns
    -------
    Axes
        With one image: its rows are the reasons that occur, its columns the intervals.

    Raises
    ------
    ConfigurationError
        If `reasons` has no rows, or is not a table of reasons.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_quality(el.flag(el.sample("standard_mode_logs")))
    >>> "UNWORN" in [tick.get_text() for tick in ax.get_yticklabels()]
    True
    """
    require_frame(reasons, what="plot_quality", wanted="the result of eyelog.flag")
    index = stamps(reasons.index, what="plot_quality")
    if not all(dtype.kind in "iu" for dtype in reasons.dtypes):
        raise ConfigurationError("plot_quality draws the result of eyelog.flag, not values")
    bits = reasons.to_numpy()
    occurring = [r for r in Reason if r.name and (bits & r.value).any()] or [Reason.MISSING]
    seconds = row_seconds(reasons, log_or_none(reasons))
    us = index.as_unit("us").asi8
    slot = np.round((us - us[0]) / (seconds * 1e6)).astype("int64")
    image = np.full((len(occurring), int(slot[-1]) + 1), np.nan)
    for row, reason in enumerate(occurring):
        image[row, slot] = ((bits & reason.value) != 0).mean(axis=1)
    ax = axes(ax)
    ax.set_facecolor(COLOURS["masked"])
    edges = mdates.date2num(np.array([us[0] - int(seconds * 1e6), us[-1]]).astype("datetime64[us]"))
    drawn = ax.imshow(
        image,
        aspect="auto",
        interpolation="nearest",
        cmap="Purples",
        vmin=0,
        vmax=max(float(np.nanmax(image)), 0.01),
        extent=(float(edges[0]), float(edges[1]), len(occurring) - 0.5, -0.5),
    )
    ax.set_yticks(range(len(occurring)), [str(reason.name) for reason in occurring])
    bar = ax.figure.colorbar(drawn, ax=ax, pad=0.01)
    bar.set_label("Share of a record's values")
    time_axis(ax, index.tz)
    return ax
