"""Events on a time axis: stretches shaded, moments as lines, and a name or a number for each.

They may have a lane of their own: bars and ticks, with the names or numbers above them.

One rule holds for all figures: no label is left out. Where all fit they are words; elsewhere they
are numbers, and a key under the figure says what each means.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.transforms import Affine2D, ScaledTranslation

from eyelog.clock import DAY_US, LocalClock, microseconds
from eyelog.errors import ConfigurationError, FieldError, argument
from eyelog.figures.drawing import lay_out, length_pt
from eyelog.figures.legends import Entry, line, patch
from eyelog.figures.style import COLOURS, HIGHEST_MM, SMALL_PT
from eyelog.figures.styled_figure import MOST_SQUEEZED, StyledFigure, own_figure

__all__ = [
    "LANE_MM",
    "draw_lane",
    "entries",
    "event_us",
    "key_words",
    "name_events",
    "numbered",
    "parts_of_day",
    "require_events",
    "shade",
    "spread_apart",
]

DISC: Final = {"boxstyle": "circle,pad=0.15", "edgecolor": "white", "linewidth": 0.5}
DISC_PT: Final = 5.0
APART_PT: Final = 9.0  # from the middle of a disc to that of the next
NEAR_PT: Final = 2.5 * APART_PT  # discs that were moved further get a row more
MOST_ROWS: Final = 3  # unless more are needed for all discs to have a place
LEADER_PT: Final = 0.6
LEADER_EM: Final = 0.1
WORD_PT: Final = (1.5, -1.0)
BETWEEN_WORDS_PT: Final = 4.0
COLUMNS: Final = ("start", "end", "label")
LANE_MM: Final = 4.5  # with one row of names or numbers
MM_PER_PT: Final = 25.4 / 72


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


def numbered(labels: Iterable[str]) -> dict[str, int]:
    """Return the number of each label, in order from 1; equal labels have one number."""
    return {label: place for place, label in enumerate(dict.fromkeys(labels), start=1)}


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
) -> None:
    """Draw events in a lane at the top of a panel of eyelog's own figure.

    Parameters
    ----------
    ax : Axes
        The panel, which becomes as high as the lane and what is below it require.
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
    set_rows = partial(_set_rows, ax, floor, unit_mm)
    cast(StyledFigure, own_figure(ax)).lay_out()
    set_rows(1)
    name_events([(ax, left, label) for left, _, label in spans], lane=set_rows)


def _set_rows(ax: Axes, floor: float, unit_mm: float, rows: int) -> None:
    """Make a lane of a figure that is laid out as high as so many rows of numbers.

    Panels of a figure that is as high as a page are squeezed, and numbers are not.
    """
    figure = cast(StyledFigure, own_figure(ax))
    lane_mm = LANE_MM + (rows - 1) * APART_PT * MM_PER_PT
    spec = cast(Any, ax.get_subplotspec())
    of_panels = spec.get_gridspec()
    panels = [
        one
        for one in figure.axes
        if (place := one.get_subplotspec()) is not None and place.get_gridspec() is of_panels
    ]
    high_mm = sum(length_pt(one.yaxis) for one in panels) * MM_PER_PT
    most_mm = high_mm + max(HIGHEST_MM - 25.4 * float(figure.get_figheight()), 0.0)
    if lane_mm > MOST_SQUEEZED * most_mm:
        raise ConfigurationError(
            f"the numbers of so many events need {rows} rows, and leave too little of a page for"
            " what they are about: choose some of the events, draw fewer days, or save the figure"
            " wider"
        )
    heights = list(of_panels.get_height_ratios())
    row = spec.rowspan.start
    others = sum(heights) - heights[row] + floor * unit_mm
    scale = max(high_mm - lane_mm, high_mm / 4) / others  # mm of a panel for 1 of its height
    heights[row] = floor * unit_mm + lane_mm / scale
    of_panels.set_height_ratios(heights)
    ax.set_ylim(0.0, floor + lane_mm / (unit_mm * scale if floor else unit_mm))


def name_events(
    places: Sequence[tuple[Axes, float, str]], *, lane: Callable[[int], object] | None = None
) -> str:
    """Name events at the top of the Axes on which they lie, in words or in numbers with a key.

    The key is a note of eyelog's own figure; for a user's figure it is returned, for the legend.

    Parameters
    ----------
    places : sequence of (Axes, float, str)
        Of each event the Axes, where along x it begins, and its label; one without is not named.
    lane : callable, optional
        Makes the Axes as high as so many rows of numbers; else they lie over what is drawn.
    """
    places = [place for place in places if place[2]]
    if not places:
        return ""
    keys = numbered(label for *_, label in places)
    named = [_Named(*_text(ax, x), label) for ax, x, label in places]
    fit = partial(_fit, named, keys, lane)
    figure = own_figure(places[0][0])
    if figure is not None:
        figure.fits.append(fit)
        with figure.measuring():
            fit()
        return ""
    lay_out(places[0][0])
    return fit()


class _Named(NamedTuple):
    """The name of an event, and the line that leads from it to its moment."""

    text: Annotation
    leader: Line2D
    label: str

    @property
    def ax(self) -> Axes:
        """The Axes on which the event lies."""
        return cast(Axes, self.text.axes)

    @property
    def at_pt(self) -> float:
        """Where the event begins, in points from the left of the figure."""
        x = float(cast(Any, self.text.xy)[0])
        return float(self.ax.transData.transform((x, 0.0))[0]) * _pt(self.ax)


def _pt(ax: Axes) -> float:
    """Return how long a pixel is in points."""
    return 72.0 / float(cast(Any, ax.figure).dpi)


def _text(ax: Axes, x: float) -> tuple[Annotation, Line2D]:
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
    # In points from the top of the Axes at the moment, as the text is.
    points = Affine2D().scale(1 / 72) + cast(Any, ax.figure).dpi_scale_trans
    leader = Line2D([], [], color=COLOURS["event"], linewidth=LEADER_PT, zorder=4, label="_leader")
    leader.set_transform(points + ScaledTranslation(x, 1.0, cast(Any, ax.get_xaxis_transform())))
    leader.set_in_layout(False)
    leader.set_clip_on(False)
    ax.add_artist(leader)
    return text, leader


def _fit(
    named: Sequence[_Named], keys: Mapping[str, int], lane: Callable[[int], object] | None
) -> str:
    """Write words if all fit at the present size of the figure, else numbers; return their key."""
    figure = own_figure(named[0].ax)
    if figure is not None:
        figure.lay_out()
    for text, leader, label in named:
        text.set(text=label, color=COLOURS["event"], fontsize=SMALL_PT, weight="normal", bbox=None)
        text.set(ha="left", va="top")
        leader.set_data([], [])
    words, rows = _set_words(named), 1
    if not words:
        for text, _, label in named:
            text.set(text=str(keys[label]), color="white", fontsize=DISC_PT, weight="bold")
            text.set(ha="center", va="center", bbox={**DISC, "facecolor": COLOURS["event"]})
        axes = dict.fromkeys(one.ax for one in named)
        rows = max(_set_discs([one for one in named if one.ax is ax]) for ax in axes)
    if lane is not None:
        lane(rows)
    key = "" if words else key_words(keys)
    if figure is not None:
        figure.lane_in = (rows - 1) * APART_PT / 72 if lane is not None else 0.0
        if figure.note != ("", key):
            figure.set_note("", key)
    return key


def _set_words(named: Sequence[_Named]) -> bool:
    """Place words from left to right within their Axes; return whether none had to be moved on.

    Words begin where their event does, and move left only to stay within the Axes.
    """
    ends: dict[Axes, float] = {}
    in_order = True
    for one in sorted(named, key=lambda one: one.at_pt):
        ax, pt = one.ax, _pt(one.ax)
        wide = float(one.text.get_window_extent().width) * pt
        within = min(one.at_pt + WORD_PT[0], float(ax.bbox.x1) * pt - wide)
        begin = max(within, ends.get(ax, float(ax.bbox.x0) * pt))
        in_order &= begin <= within + 0.01
        ends[ax] = begin + wide + BETWEEN_WORDS_PT
        one.text.xyann = (begin - one.at_pt, WORD_PT[1])
    return in_order


def _set_discs(named: Sequence[_Named]) -> int:
    """Place the numbers of one Axes in as few rows as keep them near, and return how many."""
    ax, pt = named[0].ax, _pt(named[0].ax)
    ends = float(ax.bbox.x0) * pt + APART_PT / 2, float(ax.bbox.x1) * pt - APART_PT / 2
    ordered = sorted(named, key=lambda one: one.at_pt)
    at = [one.at_pt for one in ordered]
    for rows in range(1, len(named) + 1):
        fits = -(-len(at) // rows) * APART_PT <= ends[1] - ends[0] + APART_PT
        parts = [spread_apart(at[row::rows], *ends, APART_PT) for row in range(rows)]
        moved = max(abs(parts[i % rows][i // rows] - place) for i, place in enumerate(at))
        if fits and (rows >= MOST_ROWS or moved <= NEAR_PT):
            break
    for place, one in enumerate(ordered):
        row = place % rows
        aside = parts[row][place // rows] - one.at_pt
        down = -APART_PT * (row + 0.5)
        one.text.xyann = (aside, down)
        if abs(aside) > APART_PT / 2:
            foot = -APART_PT * (rows + LEADER_EM)
            one.leader.set_data([0.0, aside], [foot, down])
    return rows


def spread_apart(at: Sequence[float], low: float, high: float, apart: float) -> list[float]:
    """Return places in the same order that are `apart`, within two ends, near where they were."""
    # Without the distances that they must have, the places must only not decrease: blocks of
    # those that do share their mean (isotonic regression).
    blocks: list[tuple[float, int]] = []
    for number, place in enumerate(at):
        blocks.append((place - number * apart, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, n), (other, m) = blocks.pop(), blocks.pop()
            blocks.append(((mean * n + other * m) / (n + m), n + m))
    level = [mean for mean, n in blocks for _ in range(n)]
    last = high - (len(at) - 1) * apart
    return [max(min(mean, last), low) + number * apart for number, mean in enumerate(level)]


def entries(events: Sequence[tuple[int, int | None, str]], *, shaded: bool = True) -> list[Entry]:
    """Return the legend of events, which are shaded or only bars of a lane."""
    if any(end is not None for _, end, _ in events):
        return [patch("event", alpha=0.3 if shaded else 1.0)]
    return [line("event", "event", linewidth=0.8)] if events else []
