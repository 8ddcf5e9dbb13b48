"""Events on a time axis: stretches shaded, moments as lines, their labels where there is room."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.text import Text

from eyelog.errors import ConfigurationError, FieldError, argument
from eyelog.figures.style import COLOURS, SMALL_PT, Entry, line, own_figure, patch

__all__ = ["entries", "event_us", "name_events", "require_events", "shade"]

COLUMNS: Final = ("start", "end", "label")


def require_events(events: Any, *, what: str) -> pd.DataFrame:
    """Return a table of events, or raise if it is not one."""
    if not isinstance(events, pd.DataFrame):
        raise ConfigurationError(
            f"{what} takes events as a table with the columns start, end and label, not"
            f" {type(events).__name__}"
        )
    lacking = [name for name in COLUMNS if name not in events.columns]
    if lacking:
        raise FieldError(
            f"{what} needs the columns start, end and label in {argument('events')}, and"
            f" {lacking[0]!r} is missing"
        )
    if not isinstance(events["start"].dtype, pd.DatetimeTZDtype):
        raise ConfigurationError(
            f"{what} needs time-zone aware starts of events: type"
            ' events["start"].dt.tz_localize("Asia/Tokyo")'
        )
    if events["start"].isna().any():
        raise ConfigurationError(f"{what} needs the start of every event: drop those without one")
    if not (isinstance(events["end"].dtype, pd.DatetimeTZDtype) or events["end"].isna().all()):
        raise ConfigurationError(
            f"{what} needs time-zone aware ends of events, missing for a moment: type"
            ' events["end"].dt.tz_localize("Asia/Tokyo")'
        )
    return events


def event_us(events: pd.DataFrame) -> list[tuple[int, int | None, str]]:
    """Return each event as start and end in microseconds (None for a moment) and label."""
    starts, ends = (pd.DatetimeIndex(events[name]).as_unit("us") for name in ("start", "end"))
    return [
        (first, None if momentary else last, "" if pd.isna(label) else str(label))
        for first, last, momentary, label in zip(
            starts.asi8.tolist(), ends.asi8.tolist(), ends.isna(), events["label"], strict=True
        )
    ]


def shade(ax: Axes, left: float, right: float | None) -> None:
    """Shade a stretch of x, or draw a line at a moment."""
    if right is None:
        ax.axvline(left, color=COLOURS["event"], linewidth=0.8, zorder=0.8, label="_event")
    else:
        ax.axvspan(
            left, right, color=COLOURS["event"], alpha=0.22, linewidth=0, zorder=0.8, label="_event"
        )


def name_events(ax: Axes, places: Sequence[tuple[float, str]], *, above: bool = False) -> None:
    """Write the labels of events at the top of an Axes, leaving out those that would overlap.

    With `above`, they are over the Axes and its title.
    """
    texts = [
        ax.annotate(
            label,
            (x, 1.0),
            xycoords=ax.get_xaxis_transform(),
            xytext=(0, 1.6 * SMALL_PT) if above else (1.5, -1),
            textcoords="offset points",
            ha="left",
            va="bottom" if above else "top",
            fontsize=SMALL_PT,
            color=COLOURS["event"],
            zorder=5,
        )
        for x, label in sorted(places)
        if label
    ]
    figure = own_figure(ax)
    if figure is not None and texts:
        figure.fits.append(partial(_thin, texts))


def _thin(texts: Sequence[Text]) -> None:
    """Hide labels that would overlap the one before, or leave the Axes."""
    end = -np.inf
    for text in texts:
        text.set_visible(True)
        box = text.get_window_extent()
        ax = text.axes
        room = ax is not None and box.x1 <= ax.bbox.x1 + 2
        text.set_visible(bool(box.x0 > end and room))
        if text.get_visible():
            end = box.x1 + 4


def entries(events: Sequence[tuple[int, int | None, str]]) -> list[Entry]:
    """Return the legend of events."""
    if any(end is not None for _, end, _ in events):
        return [patch("event", alpha=0.3)]
    return [line("event", "event", linewidth=0.8)] if events else []
