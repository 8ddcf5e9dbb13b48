"""Events on a time axis: stretches shaded, moments as lines, and a name or a number for each.

One rule holds for all figures: no label is left out. Where all fit they are words; elsewhere they
are numbers, and a key under the figure says what each means.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from eyelog.errors import ConfigurationError, FieldError, argument
from eyelog.figures.drawing import lay_out
from eyelog.figures.legends import Entry, line, patch
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.figures.styled_figure import own_figure

__all__ = [
    "entries",
    "event_us",
    "key_words",
    "name_events",
    "numbered",
    "require_events",
    "shade",
]

DISC: Final = {"boxstyle": "circle,pad=0.15", "edgecolor": "white", "linewidth": 0.5}
DISC_PT: Final = 5.0
APART_PT: Final = 9.0  # from the middle of a disc to that of the next
WORD_PT: Final = (1.5, -1.0)
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
        # Where it begins: two events that follow each other would look like one.
        ax.axvline(left, color=COLOURS["event"], linewidth=0.5, zorder=0.8, label="_event begins")


def numbered(labels: Iterable[str]) -> dict[str, int]:
    """Return the number of each label, in order from 1; equal labels have one number."""
    return {label: place for place, label in enumerate(dict.fromkeys(labels), start=1)}


def key_words(keys: Mapping[str, int]) -> str:
    """Return the key to the numbers, for the note under a figure."""
    return "Diary: " + " · ".join(f"{key} {label}" for label, key in keys.items())


def name_events(places: Sequence[tuple[Axes, float, str]]) -> str:
    """Name events at the top of their Axes, in words or in numbers with a key.

    The key is a note of eyelog's own figure; for a user's figure it is returned, for the legend.

    Parameters
    ----------
    places : sequence of (Axes, float, str)
        For each event the Axes, where along x it begins, and its label; one without is not named.
    """
    places = [place for place in places if place[2]]
    if not places:
        return ""
    keys = numbered(label for *_, label in places)
    named = [(_text(ax, x), label) for ax, x, label in places]
    fit = partial(_fit, named, keys)
    figure = own_figure(places[0][0])
    if figure is not None:
        figure.fits.append(fit)
        fit()
        return ""
    lay_out(places[0][0])
    return fit()


def _text(ax: Axes, x: float) -> Annotation:
    text = ax.annotate(
        "",
        (x, 1.0),
        xycoords=ax.get_xaxis_transform(),
        textcoords="offset points",
        xytext=WORD_PT,
        zorder=5,
        annotation_clip=False,
    )
    text.set_in_layout(False)
    return text


def _fit(named: Sequence[tuple[Annotation, str]], keys: Mapping[str, int]) -> str:
    """Write words if all fit at the present size of the figure, or numbers; return their key."""
    figure = own_figure(cast(Axes, named[0][0].axes))
    for text, label in named:
        text.set(text=label, color=COLOURS["event"], fontsize=SMALL_PT, weight="normal", bbox=None)
        text.set(ha="left", va="top")
    words = _spread(named, 4.0, 0.0)
    if not words:
        for text, label in named:
            text.set(text=str(keys[label]), color="white", fontsize=DISC_PT, weight="bold")
            text.set(ha="center", va="center", bbox={**DISC, "facecolor": COLOURS["event"]})
        _spread(named, 0.0, APART_PT)
    key = "" if words else key_words(keys)
    if figure is not None and figure.note != ("", key):
        figure.set_note("", key)
    return key


def _spread(named: Sequence[tuple[Annotation, str]], gap_pt: float, apart_pt: float) -> bool:
    """Place texts from left to right within their Axes; return whether none had to be moved on.

    Words begin where their event does (`apart_pt` is 0), and move left only to stay within the
    Axes. Numbers are on it, and move right until they are apart.
    """
    ends: dict[Axes, float] = {}
    in_order = True
    for text, _ in sorted(named, key=lambda one: float(one[0].xy[0])):
        ax = cast(Axes, text.axes)
        pt = 72.0 / float(cast(Any, ax.figure).dpi)
        wide = apart_pt or float(text.get_window_extent().width) * pt
        left, right = float(ax.bbox.x0) * pt, float(ax.bbox.x1) * pt
        at = float(ax.transData.transform((float(text.xy[0]), 0.0))[0]) * pt
        begin = at - wide / 2 if apart_pt else at + WORD_PT[0]
        within = min(begin, right - wide) if not apart_pt else begin
        begin = max(within, ends.get(ax, left if not apart_pt else -np.inf))
        in_order &= begin <= within + 0.01
        ends[ax] = begin + wide + gap_pt
        middle = begin + wide / 2 - at
        text.xyann = (middle, -APART_PT / 2) if apart_pt else (begin - at, WORD_PT[1])
    return in_order


def entries(events: Sequence[tuple[int, int | None, str]]) -> list[Entry]:
    """Return the legend of events."""
    if any(end is not None for _, end, _ in events):
        return [patch("event", alpha=0.3)]
    return [line("event", "event", linewidth=0.8)] if events else []
