"""Events on a time axis: stretches shaded, moments as lines, and a name or a number for each.

They may have a lane of their own: bars and ticks, with the names or numbers above them.

One rule holds for all figures: no label is left out. Where all fit they are words; elsewhere they
are numbers, and a key under the figure says what each means.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.clock import DAY_US, LocalClock, microseconds
from eyelog.errors import ConfigurationError, FieldError
from eyelog.figures.axes import EM, Entry, length_pt, line, own_figure, patch, set_note
from eyelog.figures.style import COLOURS, SMALL_PT

COLUMN_PT: Final = 190.0  # how long an axis is at least in one column of a journal
COLUMNS: Final = ("start", "end", "label")
LANE_MM: Final = 4.5  # with one row of names or numbers


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
            f"{what} needs the columns start, end and label in events=, and"
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
    if events["end"].isna().all():
        return events
    backwards = events[events["end"] < events["start"]]
    if len(backwards):
        first = backwards.iloc[0]
        raise ConfigurationError(
            f"{what} has an event that ends before it starts: {first['label']!r}, from"
            f" {first['start']} to {first['end']}"
        )
    return events


def event_us(events: pd.DataFrame) -> list[tuple[int, int | None, str]]:
    """Return each event as start and end in microseconds (None for a moment) and label."""
    starts, ends = (pd.DatetimeIndex(events[name]).as_unit("us") for name in ("start", "end"))
    return [
        (first, None if momentary else last, "" if pd.isna(label) else " ".join(str(label).split()))
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


def key_words(keys: Mapping[str, int]) -> str:
    """Return the key to the numbers, for the note under a figure."""
    # A line does not end between a number and its label.
    return "Diary: " + " · ".join(f"{key}\N{NO-BREAK SPACE}{label}" for label, key in keys.items())


def parts_of_day(
    event: tuple[int, int | None, str], day: pd.Timestamp, clock: LocalClock
) -> list[tuple[int, int]]:
    """Return the parts of an event on a day, in microseconds of the clock since its midnight.

    One, unless the clock changes meanwhile: what it shows twice is in two parts. Both ends of a
    moment are the same.
    """
    start, end, _ = event
    midnight = int(microseconds(pd.DatetimeIndex([day.tz_localize(None)]))[0])
    if end is None or end == start:
        (wall,) = clock.wall_us(np.array([start])).tolist()
        walls = [(wall, wall)]
    else:
        since, ahead = clock.offsets(start, end)
        closes = np.append(since[1:], end)
        walls = list(zip((since + ahead).tolist(), (closes + ahead).tolist(), strict=True))
    return [
        (max(opens - midnight, 0), min(closes - midnight, DAY_US))
        for opens, closes in walls
        if opens < midnight + DAY_US and (closes > midnight or opens == midnight)
    ]


def draw_lane(
    ax: Axes,
    spans: Sequence[tuple[float, float | None, str]],
    *,
    floor: float = 0.0,
    unit_mm: float = LANE_MM,
) -> str:
    """Draw events in a lane at the top of a panel, and name them; return as `name_events`.

    Parameters
    ----------
    ax : Axes
        The panel, whose limits along x are set.
    spans : sequence of (float, float or None, str)
        Of each event the two ends along x (None for a moment) and the label; one without is not
        named, as the parts of an event after its first.
    floor : float
        Where the lane begins along y; 0 if nothing is below it.
    unit_mm : float
        How high 1 is along y.
    """
    unit = LANE_MM / unit_mm
    look: dict[str, Any] = {"color": COLOURS["event"], "capstyle": "butt"}
    for left, right, label in spans:
        tick = "_in lane" if right is None else "_begins"
        if right is None or label:  # a minute would be too short for a bar that is seen
            ax.vlines(left, floor, floor + 0.3 * unit, linewidth=0.8, label=tick, **look)
        if right is not None:
            ax.hlines(floor + 0.15 * unit, left, right, linewidth=2.5, label="_in lane", **look)
    ax.set_ylim(0.0, floor + unit)
    return name_events([(ax, left, label) for left, _, label in spans])


def name_events(places: Sequence[tuple[Axes, float, str]]) -> str:
    """Name events at the top of the Axes on which they lie: in words if they fit, else by numbers.

    The list of the numbers is a note of eyelog's own figure; of a user's it is returned.

    Parameters
    ----------
    places : sequence of (Axes, float, str)
        Of each event the Axes, where along x it begins, and its label; one without is not named.
    """
    places = sorted((place for place in places if place[2]), key=lambda place: place[1])
    keys = {label: key for key, label in enumerate(dict.fromkeys(label for *_, label in places), 1)}
    # Where one column of a journal is too narrow for the words, numbers stand in all widths.
    ends: dict[Axes, float] = {}
    fit = True
    for ax, x, label in places:
        low, high = ax.get_xlim()
        narrow_pt = min(length_pt(ax.xaxis), COLUMN_PT)
        begin = (x - low) / (high - low) * narrow_pt
        end = begin + EM * SMALL_PT * len(label) + SMALL_PT
        fit &= begin >= ends.get(ax, 0.0) and end <= narrow_pt
        ends[ax] = end
    look: dict[str, Any] = {"color": COLOURS["event"], "fontsize": SMALL_PT, "va": "top"}
    for ax, x, label in places:
        text = ax.annotate(
            label if fit else str(keys[label]), (x, 1.0), (1.5, -0.5), zorder=5,
            xycoords=ax.get_xaxis_transform(), textcoords="offset points",
            annotation_clip=False, **look,
        )  # fmt: skip
        text.set_in_layout(False)
    if fit or not places:
        return ""
    set_note(places[0][0], "", key_words(keys))
    return key_words(keys) if own_figure(places[0][0]) is None else ""


def entries(events: Sequence[tuple[int, int | None, str]], *, shaded: bool = True) -> list[Entry]:
    """Return the legend of events, which are shaded or only bars of a lane."""
    if any(end is not None for _, end, _ in events):
        return [patch("event", alpha=0.3 if shaded else 1.0)]
    return [line("event", "event", linewidth=0.8)] if events else []
