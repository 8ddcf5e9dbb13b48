"""Bouts: when they were, how long they lasted, and what they were like."""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, LogNorm, Normalize
from matplotlib.ticker import Locator, NullLocator

from eyelog.errors import ConfigurationError, counted
from eyelog.figures.axes import axes, legend, length_pt, line, plot_function, set_title
from eyelog.figures.calendar_axis import hours_axis
from eyelog.figures.labels import title_of
from eyelog.figures.marks import PlainFormatter, colour_bar
from eyelog.figures.style import COLOURS, sequential
from eyelog.figures.tables import holds_records
from eyelog.frame import OFFSET, require, require_frame
from eyelog.judge.arrays import Floats, numbers
from eyelog.measure.columns import column as column_of
from eyelog.measure.gait import bouts

ROUND_MIN: Final = (0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 240, 480, 960)
LABEL: Final = 1.2  # from one number to the next, in sizes of type
ROOM: Final = 1.2  # above the longest and below the shortest, as a factor
MOST_BOUTS: Final = 1000  # more lines than this hide one another
CELLS: Final = (96, 24)
DAY_H: Final = 24.0
HOUR_US: Final = 3_600_000_000


@plot_function
def plot_bouts(
    table: pd.DataFrame,
    *,
    column: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw when bouts were, how long each lasted, and optionally what each was like.

    Each bout is a line from its start to its end, at the height of its duration; short ones are
    points. One that crosses midnight continues at the left. Hours and days are those of the
    wearer's clock, which ``utc_offset_min`` holds where the zone varies.

    Parameters
    ----------
    table : DataFrame
        A frame, whose bouts of walking are drawn, or the result of `eyelog.gait.bouts` or
        `eyelog.rhythm.activity_bouts`.
    column : str, optional
        A column of the table that gives the colours, such as ``"pace_spm"``.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    Axes
        On a log scale of minutes, with a collection of lines (its label is ``_bouts``) and one of
        points in their middles; for more than 1000 bouts, one mesh of their number in each cell or
        of the median of `column` (``_bouts`` too). Bouts without a value of `column` are grey.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If there is no bout, or the column does not hold numbers.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_bouts(el.sample(), column="pace_spm")
    >>> ax.get_ylabel()
    'Length of the bout (min)'
    """
    if holds_records(table):
        table = bouts(table)
    require_frame(table, what="plot_bouts", wanted="a table of eyelog.gait.bouts")
    names = ["start", "end", "duration_min", *([column] if column else [])]
    require(table, names, purpose="plot_bouts", made_by="eyelog.gait.bouts(frame)")
    if not isinstance(table["start"].dtype, pd.DatetimeTZDtype):
        raise ConfigurationError("plot_bouts needs bouts with time-zone aware starts and ends")
    if column and not pd.api.types.is_numeric_dtype(table[column].dtype):
        raise ConfigurationError(f"plot_bouts takes colours from numbers, not from {column!r}")
    if not table["duration_min"].notna().any():
        raise ConfigurationError("plot_bouts has nothing to draw: there are no bouts")
    start, minutes = pd.DatetimeIndex(table["start"]), numbers(table["duration_min"])
    travels = OFFSET in table.columns
    wall = _wall(start, table)
    opens: Floats = wall.as_unit("us").asi8 % (24 * HOUR_US) / HOUR_US
    ax = axes(ax, height_mm=58.0)
    ax.set_yscale("log")
    draw = _cells if len(table) > MOST_BOUTS else _lines
    image, unknown = draw(ax, opens, minutes, None if column is None else numbers(table[column]))
    ax.yaxis.set_major_locator(RoundLocator(_round(minutes)))
    ax.yaxis.set_major_formatter(PlainFormatter())
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_ylim(*_span(minutes))
    ax.set_ylabel("Length of the bout (min)")
    hours_axis(ax, None if travels else start.tz)
    named = None if column is None else column_of(column, table="gait.bouts")
    if image is not None:
        median = "Median " * (draw is _cells)
        words = (
            "Bouts" if named is None else f"{median}{named.text.lower() if median else named.text}"
        )
        colour_bar(ax, image, words)
    number_of = _counted(table, minutes)
    marker = "o" if draw is _lines else "s"
    entries = [line(number_of, "walking", marker=marker, linestyle="")]
    # A colour that is drawn: the middle one of those that the colour bar explains.
    shade: Any = COLOURS["walking" if column is None else "hatch"]
    if image is not None:
        shade = image.cmap(0.5)
    entries[0][1].set(color=shade, markeredgecolor=COLOURS["walking edge"], markeredgewidth=0.4)
    if unknown and named is not None:
        entries.append(line(f"{named.label} not known", "hatch", marker=marker, linestyle=""))
    legend(ax, entries)
    days = wall.normalize()
    set_title(ax, title_of(table, days=days, zone=False), title)
    return ax


def _lines(
    ax: Axes, opens: Floats, minutes: Floats, values: Floats | None
) -> tuple[ScalarMappable | None, bool]:
    """Draw each bout; return the key to the colours, and whether one is not known."""
    closes = opens + minutes / 60.0
    shades, image = _shades(values, len(minutes))
    # Bouts that continue after midnight are drawn again, a day to the left.
    again = np.flatnonzero(closes > DAY_H)
    left = np.concatenate([opens, np.zeros(len(again))])
    right = np.concatenate([closes, closes[again] - DAY_H])
    heights = np.concatenate([minutes, minutes[again]])
    both = [*shades, *(shades[bout] for bout in again)]
    ax.hlines(heights, left, right, colors=both, linewidth=1.6).set_label("_bouts")
    middles = (opens + closes) / 2.0 % DAY_H
    dots = ax.scatter(middles, minutes, s=12, c=shades, linewidths=0.4, zorder=3)
    # The palest colours alone are too light on white.
    dots.set(label="_middles", edgecolors=COLOURS["walking edge"])
    return image, values is not None and not bool(np.isfinite(values).all())


def _cells(
    ax: Axes, opens: Floats, minutes: Floats, values: Floats | None
) -> tuple[ScalarMappable | None, bool]:
    """Draw the number of bouts in each cell, or the median of their values; return as `_lines`."""
    x = np.linspace(0.0, DAY_H, CELLS[0] + 1)
    low, high = _span(minutes)
    y = np.geomspace(low, high, CELLS[1] + 1)
    # Whole minutes are far apart on a log scale, so cells begin and end half-way between them.
    if bool((minutes == np.round(minutes)).all()):
        y = np.unique(np.append(np.floor(y), np.ceil(high))) + 0.5
        y[0] = low
    middles = (opens + minutes / 120.0) % DAY_H
    place = pd.Series(np.searchsorted(y, minutes) - 1) * CELLS[0] + np.minimum(
        np.searchsorted(x, middles, side="right") - 1, CELLS[0] - 1
    )
    grid = np.full((len(y) - 1) * CELLS[0], np.nan)
    counts = place.value_counts()
    shape = (len(y) - 1, CELLS[0])
    if values is None:
        grid[counts.index] = counts.to_numpy()
        norm: Normalize = LogNorm(1, max(float(counts.max()), 2.0))
    else:
        medians = pd.Series(values).groupby(place).median().dropna()
        grid[medians.index] = medians.to_numpy()
        norm = _norm(numbers(medians))
    unknown = np.zeros(len(grid), dtype=bool)
    unknown[counts.index] = True
    unknown &= np.isnan(grid)
    plain = ListedColormap([COLOURS["hatch"]]).with_extremes(bad="none")
    grey = np.ma.masked_equal(unknown.reshape(shape).astype(float), 0.0)
    ax.pcolormesh(x, y, grey, cmap=plain, rasterized=True).set_label("_not known")
    image = ax.pcolormesh(
        x,
        y,
        np.ma.masked_invalid(grid.reshape(shape)),
        cmap=_scale(),
        norm=norm,
        rasterized=True,
    )
    image.set_label("_bouts")
    return image, bool(unknown.any())


def _wall(starts: pd.DatetimeIndex, table: pd.DataFrame) -> pd.DatetimeIndex:
    """Return what the wearer's clock shows where each bout begins."""
    if OFFSET not in table.columns:
        return starts.tz_localize(None)
    return starts.tz_convert(None) + pd.to_timedelta(numbers(table[OFFSET]), unit="min")


def _counted(table: pd.DataFrame, minutes: Floats) -> str:
    """Return how many bouts there are, and how long they last in total."""
    total = f"{minutes.sum() / 60:.1f} h" if minutes.sum() >= 60 else f"{minutes.sum():.0f} min"
    return f"{counted(len(table), 'bout')}, {total} in total"


def _scale() -> Colormap:
    """Return the colours of walking without the palest, in which a thin line would be invisible."""
    return ListedColormap(sequential("walking")(np.linspace(0.2, 1.0, 256))).with_extremes(
        bad="none"
    )


def _norm(values: Floats) -> Normalize:
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    return Normalize(low, high if high > low else low + 1.0)


def _shades(values: Floats | None, bouts: int) -> tuple[list[Any], ScalarMappable | None]:
    """Return a colour for each bout, and the key to the colours."""
    if values is None:
        return [COLOURS["walking"]] * bouts, None
    finite = np.isfinite(values)
    image = ScalarMappable(_norm(values[finite]), _scale())
    shades = image.to_rgba(np.where(finite, values, 0.0))
    chosen = [
        tuple(shade) if k else COLOURS["hatch"] for shade, k in zip(shades, finite, strict=True)
    ]
    return chosen, image if finite.any() else None


def _span(minutes: Floats) -> tuple[float, float]:
    """Return the limits of the lengths: the nearest round ones outside them, with a margin."""
    low = max((one for one in ROUND_MIN if one <= minutes.min()), default=float(minutes.min()))
    high = min((one for one in ROUND_MIN if one >= minutes.max()), default=float(minutes.max()))
    return low / ROOM, high * ROOM


class RoundLocator(Locator):
    """Ticks at round lengths, without those for whose label an axis is too short."""

    def __init__(self, lengths: Sequence[float]) -> None:
        self.lengths = np.array(lengths)

    def __call__(self) -> Any:
        """Return the places of the ticks, from the shortest length up."""
        axis = cast(Axis, self.axis)
        size = float(axis.get_major_ticks(1)[0].label1.get_fontsize())
        along = axis.get_transform().transform(self.lengths)
        low, high = axis.get_transform().transform(np.sort(axis.get_view_interval()))
        places_pt = (along - low) / (high - low) * length_pt(axis)
        kept: list[int] = []
        for tick, place in enumerate(places_pt):
            if not kept or place - places_pt[kept[-1]] >= LABEL * size:
                kept.append(tick)
        return self.lengths[kept]


def _round(minutes: Floats) -> list[float]:
    """Return the round lengths within the limits."""
    low, high = _span(minutes)
    return [float(one) for one in ROUND_MIN if low <= one <= high]
