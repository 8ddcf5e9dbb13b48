"""Names of rows beside a y axis, which are only as long and as high as there is room for."""

from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.figures.drawing import has_fixed_places, lay_out, margins
from eyelog.figures.labels import ROW_CHARACTERS, short_names
from eyelog.figures.style import SMALL_PT
from eyelog.figures.styled_figure import own_figure

__all__ = ["name_rows"]

FEWEST: Final = 6  # characters of a name that is not shortened further
MOST_OF_WIDTH: Final = 1 / 3  # of an Axes and what is left of it, if a layout makes the space
LINE: Final = 1.3  # from one line to the next, in sizes of type
AWAY_PT: Final = 9.0  # from the longest name to the axis, and to what is left of it


def name_rows(
    ax: Axes,
    rows: Sequence[float] | Floats | Ints,
    names: Sequence[str],
    ends: Sequence[str] | None = None,
    *,
    most: int = ROW_CHARACTERS,
) -> None:
    """Name rows beside the y axis; long names lose a part.

    In a user's figure the names have the space that its layout or its margins leave, and are
    smaller where rows are closer together than lines of text.

    Parameters
    ----------
    ax : Axes
        The Axes, whose limits along y are set.
    rows : sequence of float
        The place of each row along y.
    names : sequence of str
        The name of each row.
    ends : sequence of str, optional
        What follows each name, never shortened: "  n = 12".
    most : int
        Characters of the longest name that is written in full.
    """
    ends = [""] * len(names) if ends is None else ends

    def write(characters: int, ends: Sequence[str]) -> None:
        short = short_names(names, characters)
        ax.set_yticks(rows, [f"{one}{end}" for one, end in zip(short, ends, strict=True)])

    write(most, ends)
    if own_figure(ax) is not None or not len(names):
        return
    lay_out(ax)
    apart_pt = _apart_pt(ax, np.asarray(rows, dtype=np.float64))
    _fit_heights(ax, apart_pt)
    room = _room(ax)
    if _longest(ax) <= room:
        return
    # What follows a name is placed beneath it where the rows are high enough for both.
    if any(ends) and apart_pt >= 2 * LINE * _size(ax):
        ends = [f"\n{end.strip()}" for end in ends]
    for characters in range(most, FEWEST - 1, -1):
        write(characters, ends)
        if _longest(ax) <= room:
            return


def _longest(ax: Axes) -> float:
    return float(max(label.get_window_extent().width for label in ax.get_yticklabels()))


def _apart_pt(ax: Axes, rows: Floats) -> float:
    """Return the distance in points between the nearest two rows; for one row, its height."""
    if len(rows) < 2:
        return float(ax.bbox.height) * 72.0 / float(_figure(ax).dpi)
    pixels = np.sort(ax.transData.transform(np.column_stack([np.zeros(len(rows)), rows]))[:, 1])
    return float(np.diff(pixels).min()) * 72.0 / float(_figure(ax).dpi)


def _fit_heights(ax: Axes, apart_pt: float) -> None:
    """Make the names as small as the rows are close, but no smaller than eyelog's own."""
    if LINE * _size(ax) > apart_pt:
        ax.tick_params(axis="y", labelsize=max(apart_pt / LINE, SMALL_PT))


def _size(ax: Axes) -> float:
    return float(ax.get_yticklabels()[0].get_fontsize())


def _room(ax: Axes) -> float:
    """Return how many pixels long the names may be."""
    left, here = margins(ax)[0], ax.bbox
    if has_fixed_places(ax):
        return float(here.x0) - left - AWAY_PT * float(_figure(ax).dpi) / 72.0
    return MOST_OF_WIDTH * (float(here.x1) - left)


def _figure(ax: Axes) -> Figure:
    return cast(Figure, ax.get_figure(root=True))
