"""Whole figures of a log: which fields, which panels. A raw frame in, a Figure out."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from eyelog.analysis.daily import daily
from eyelog.analysis.quality.flags import flag, mask
from eyelog.analysis.resample import resample
from eyelog.catalogue import field, near
from eyelog.clock import local_days
from eyelog.errors import ConfigurationError
from eyelog.figures.daily import plot_daily
from eyelog.figures.defaults import DEFAULT_FIELDS, KINDS
from eyelog.figures.heatmap import plot_heatmap
from eyelog.figures.timeline import plot_quality, plot_timeline
from eyelog.frame import log_of, require, require_frame

__all__ = ["compose_figure"]

CELL: Final = "10min"
WIDTH_IN, PANEL_IN, SINGLE_IN = 12.0, 3.2, 6.0


def compose_figure(
    frame: pd.DataFrame, kind: str, *, fields: Sequence[str] | None = None
) -> Figure:
    """Draw one kind of figure of a log, with a title and one panel per field where needed.

    Values are judged first with the default limits, so rejected values are not drawn.

    Parameters
    ----------
    frame : DataFrame
        A raw frame of either log.
    kind : {"timeline", "quality", "heatmap", "daily"}
        What to draw: fields along time, the reasons against values along time, fields by day and
        time of day in cells of 10 minutes, or values of the daily summary.
    fields : sequence of str, optional
        Columns of the frame (timeline, heatmap) or of the daily summary (daily); by default a
        choice that suits the log. A quality figure always covers all fields.

    Returns
    -------
    Figure
        A matplotlib Figure that pyplot does not manage, so it need not be closed.

    Raises
    ------
    ConfigurationError
        If there is no such kind, the frame has no rows, or fields are named for a quality figure.
    FieldError
        If the log has no such field, or the frame or the summary lacks it.

    See Also
    --------
    eyelog.plot_timeline, eyelog.plot_quality, eyelog.plot_heatmap, eyelog.plot_daily :
        The single panels, on Axes of your own.

    Examples
    --------
    >>> import eyelog as el
    >>> figure = el.compose_figure(
    ...     el.sample("standard_mode_logs"), "daily", fields=["worn_h", "steps"]
    ... )
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['Worn (h per day)', 'Steps (per day)']
    """
    if kind not in KINDS:
        raise ConfigurationError(
            f"unknown kind of figure {kind!r}{near(kind, KINDS)}: use one of {', '.join(KINDS)}"
        )
    require_frame(frame, what="compose_figure", wanted="a frame of records")
    if frame.empty:
        raise ConfigurationError("there are no records to draw")
    log = log_of(frame)
    if fields:
        _check_fields(frame, kind, log, fields)
        names = list(fields)
    else:
        names = list(DEFAULT_FIELDS[log][kind])
        if kind == "timeline":
            names = [name for name in names if name in frame.columns]
    figure = _draw(frame, kind, names)
    days = local_days(pd.DatetimeIndex(frame.index))
    edges = dict.fromkeys(f"{day:%d %b %Y}" for day in (days[0], days[-1]))
    figure.suptitle(f"{log}, {' to '.join(edges)}")
    return figure


def _check_fields(frame: pd.DataFrame, kind: str, log: str, fields: Sequence[str]) -> None:
    """Raise where a named field cannot be drawn: nothing is left out silently."""
    if kind == "quality":
        raise ConfigurationError("a quality figure covers all fields: leave out fields (--field)")
    if kind in ("timeline", "heatmap"):
        for name in fields:
            if name not in frame.columns:
                field(log, name)
        require(frame, fields, purpose=f"the {kind}")


def _draw(frame: pd.DataFrame, kind: str, names: Sequence[str]) -> Figure:
    if kind in ("timeline", "quality"):
        figure = Figure(figsize=(WIDTH_IN, SINGLE_IN), layout="constrained")
        reasons = flag(frame)
        if kind == "quality":
            plot_quality(reasons, ax=figure.subplots())
        else:
            plot_timeline(mask(frame, reasons), fields=names, ax=figure.subplots())
        return figure
    figure = Figure(figsize=(WIDTH_IN, PANEL_IN * len(names) + 1), layout="constrained")
    panels = figure.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
    table = daily(frame) if kind == "daily" else resample(frame, CELL)
    plot = plot_daily if kind == "daily" else plot_heatmap
    for ax, name in zip(panels, names, strict=True):
        plot(table, name, ax=ax)
        ax.label_outer()
    return figure
