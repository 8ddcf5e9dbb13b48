"""Values over time, drawn as finely as the width of a figure allows, with nothing hidden.

If several rows fall into one visible column, the column shows their mean as a line, the middle half
of them as a band, and the lowest and the highest as thin marks. Lines break where a value or a row
is missing, and a value without neighbours is a point.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from eyelog.catalogue import catalogue
from eyelog.figures.axes import Entry, line, patch
from eyelog.figures.labels import duration_words
from eyelog.figures.named import meaning_of_field, shades
from eyelog.figures.ribbon import row_starts
from eyelog.figures.style import COLOURS
from eyelog.judge.arrays import Bools, Floats, Ints, follows

TRACE_ALPHA: Final = 0.55
# The columns that two columns of a journal resolve: a fifth of a millimetre each
MOST_COLUMNS: Final = 800
# Rows of less than a second are drawn one by one for five minutes: a line shows each blink
MOST_PACKETS: Final = 6000
STEPS_S: Final = (
    *(1, 2, 5),
    *(15, 30, 60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10_800),  # from here on whole days: the halves of a day would alternate
    *(86_400, 172_800, 604_800),
)

ToX = Callable[[Any], Any]


@dataclass(frozen=True)
class Columns:
    """Columns of equal width, each closed at its end as a stamp closes its interval."""

    origin_us: int
    step_s: float
    n: int

    @property
    def edges(self) -> Ints:
        """The edges in microseconds, one more than there are columns."""
        return self.origin_us + np.arange(self.n + 1, dtype=np.int64) * int(self.step_s * 1e6)

    def of(self, us: Ints) -> Ints:
        """Return the column of each stamp."""
        column = -((self.origin_us - us) // int(self.step_s * 1e6)) - 1
        return np.clip(column, 0, self.n - 1)


def columns_for(start_us: int, end_us: int, seconds: float) -> Columns | None:
    """Return the columns of a range, or None if every row can be seen separately."""
    span_s = (end_us - start_us) / 1e6
    if span_s / seconds <= (MOST_PACKETS if seconds < 1 else MOST_COLUMNS):
        return None
    step = next((step for step in STEPS_S if span_s / step <= MOST_COLUMNS), STEPS_S[-1])
    return Columns(start_us, float(step), int(np.ceil(span_s / step)))


@dataclass(frozen=True)
class Trace:
    """The points in time drawn for one column of values and, for columns of time, their range."""

    us: Ints
    values: Floats
    low: Floats | None = None
    high: Floats | None = None
    quartiles: tuple[Floats, Floats] | None = None
    edges: Ints | None = None

    @property
    def top(self) -> Floats:
        """The highest value drawn at each point."""
        return self.values if self.high is None else self.high

    @property
    def lone(self) -> Bools:
        """The values without a neighbour, which a line would not show."""
        finite = np.concatenate([[False], np.isfinite(self.values), [False]])
        return np.asarray(finite[1:-1] & ~finite[:-2] & ~finite[2:], dtype=np.bool_)


def mean_words(columns: Columns) -> str:
    """Return what the line shows in each column: "mean of 30 min", "mean of each day"."""
    width = duration_words(columns.step_s)
    return f"mean of {width}" if width[0].isdigit() else f"mean of each {width}"


def range_entries() -> list[Entry]:
    """Return the entries of the legend for the band and the marks outside it."""
    label, marks = line("lowest, highest", "trace", linestyle="", marker="o")
    cast(Line2D, marks).set_markersize(1.2)
    return [patch("middle half", "trace", alpha=0.3), (label, marks)]


def is_count(log: str | None, name: str) -> bool:
    """Return whether a field counts events, so that its values start at 0."""
    fields = catalogue(log) if log else {}
    return name in fields and fields[name].unit == "count"


def is_angle(log: str | None, name: str) -> bool:
    """Return whether a field is averaged on the circle."""
    fields = catalogue(log) if log else {}
    return name in fields and fields[name].agg == "circ_mean"


def colour_of(log: str | None, name: str) -> str:
    """Return the meaning whose colour a field has: walking, the eyes, the head, a score."""
    return meaning_of_field(name, log) or "trace"


def trace(
    us: Ints, values: Floats, seconds: float, columns: Columns | None, *, angle: bool = False
) -> Trace:
    """Return the points to draw: all values, or the mean, quartiles and range of each column.

    Parameters
    ----------
    us : array of int64
        Sorted stamps in microseconds.
    values : array of float
        Missing where there is no value.
    seconds : float
        How long a row lasts.
    columns : Columns, optional
        The columns that the width resolves.
    angle : bool
        Whether to average on the circle.
    """
    if columns is None:
        # A value is drawn in the middle of its row; each gap has a point without a value.
        middles = us - int(seconds * 5e5)
        # Clock time goes back when the clocks do: this is a gap too.
        gaps = np.flatnonzero(~follows(us, seconds * 1e6) | (np.diff(us) <= 0)) + 1
        return Trace(
            np.insert(middles, gaps, middles[gaps - 1] + 1), np.insert(values, gaps, np.nan)
        )
    if (np.diff(us) < 0).any():
        order = np.argsort(us, kind="stable")
        us, values = us[order], values[order]
    finite = np.isfinite(values)
    column = columns.of(us[finite])
    drawn = values[finite]
    first = np.flatnonzero(np.diff(column, prepend=-1))
    filled = column[first]
    mean, low, high, lower, upper = (np.full(columns.n, np.nan) for _ in range(5))
    if len(first):
        low[filled] = np.minimum.reduceat(drawn, first)
        high[filled] = np.maximum.reduceat(drawn, first)
        count = np.diff(np.append(first, len(drawn)))
        ranked = drawn[np.lexsort((drawn, column))]
        lower[filled], upper[filled] = (_ranked_at(ranked, first, count, q) for q in (0.25, 0.75))
        if angle:
            mean[filled] = _mean_directions(drawn, first)
        else:
            mean[filled] = np.add.reduceat(drawn, first) / count
    edges = columns.edges
    return Trace((edges[:-1] + edges[1:]) // 2, mean, low, high, (lower, upper), edges)


def _ranked_at(ranked: Floats, first: Ints, count: Ints, share: float) -> Floats:
    """Return a quantile of each group of ranked values, as numpy interpolates it."""
    place = share * (count - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, count - 1)
    low, high = ranked[first + below], ranked[first + above]
    return np.asarray(low + (high - low) * (place - below), dtype=np.float64)


def _mean_directions(degrees: Floats, first: Ints) -> Floats:
    radians = np.deg2rad(degrees)
    sine = np.add.reduceat(np.sin(radians), first)
    cosine = np.add.reduceat(np.cos(radians), first)
    return np.asarray(np.rad2deg(np.arctan2(sine, cosine)), dtype=np.float64)


def draw(ax: Axes, drawn: Trace, name: str, *, meaning: str, to_x: ToX, zorder: float = 2) -> None:
    """Draw a trace: its band and extremes (if columns), its line, and its lone values as points.

    The label of the line is the name of the field, that of the points ``_NAME alone``, that of the
    band ``_NAME middle half``, those of the extremes ``_NAME lowest`` and ``_NAME highest``.
    """
    colour = COLOURS[shades(meaning)[0]]
    if drawn.edges is not None and drawn.quartiles is not None:
        lower, upper = drawn.quartiles
        extremes = {"lowest": drawn.low, "highest": drawn.high}
        ax.stairs(
            upper,
            to_x(drawn.edges),
            baseline=lower,
            fill=True,
            color=colour,
            alpha=0.3,
            linewidth=0,
            zorder=zorder - 0.5,
            label=f"_{name} middle half",
        )
        for word, extreme in extremes.items():
            ax.plot(
                to_x(drawn.us),
                cast(Floats, extreme),
                color=colour,
                linestyle="none",
                marker="o",
                markersize=0.7,
                markeredgewidth=0,
                alpha=0.7,
                zorder=zorder - 0.4,
                label=f"_{name} {word}",
            )
    x = to_x(drawn.us)
    ax.plot(x, drawn.values, color=colour, linewidth=0.8, zorder=zorder, label=name)
    lone = drawn.lone
    ax.plot(
        x[lone],
        drawn.values[lone],
        color=colour,
        linestyle="none",
        marker="o",
        markersize=1.6,
        zorder=zorder,
        label=f"_{name} alone",
    )


def fill(
    ax: Axes, us: Ints, values: Floats, seconds: float, name: str, *, meaning: str, to_x: ToX
) -> None:
    """Draw counts as bars that are as wide as their rows, from 0; dark grey would be too heavy."""
    if not len(us):
        return
    # Where the clock goes back, a row begins before its own end, not at that of the row before.
    back = np.diff(us, prepend=us[:1]) <= 0
    starts = np.maximum(np.where(back, us - int(seconds * 1e6), row_starts(us, seconds)), 0)
    edges = np.stack([starts, us], axis=1).ravel()
    between = np.full(2 * len(us) - 1, np.nan)
    between[::2] = values
    ax.stairs(
        between,
        to_x(edges),
        baseline=0,
        fill=True,
        color=COLOURS[meaning],
        alpha=TRACE_ALPHA if meaning == "trace" else 1.0,
        linewidth=0,
        label=name,
    )
