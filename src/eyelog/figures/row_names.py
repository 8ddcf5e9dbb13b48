"""Names of rows beside a y axis, which are only as long and as high as there is room for."""

from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.figures.drawing import lay_out
from eyelog.figures.labels import ROW_CHARACTERS, short_names
from eyelog.figures.style import SMALL_PT
from eyelog.figures.styled_figure import own_figure

__all__ = ["name_rows"]

FEWEST: Final = 6  # characters of a name that is not shortened further
MOST_OF_WIDTH: Final = 1 / 3  # of an Axes and what is left of it, where a layout makes the room
LINE: Final = 1.3  # from one line to the next, in sizes of type
AWAY_PT: Final = 9.0  # from the longest name to the axis, and to what lies left of it


def name_rows(
    ax: Axes,
    rows: Sequence[float] | Floats | Ints,
    names: Sequence[str],
    ends: Sequence[str] | None = None,
    *,
    most: int = ROW_CHARACTERS,
) -> None:
    """Name rows beside the y axis; long names lose a part.

    In a user's figure the names have the room that its layout or its margins leave, and are smaller
    where rows are closer to each other than lines of text.

    Parameters
    ----------
    ax : Axes
        The Axes, whose limits along y are set.
    rows : sequence of float
        The place of each row along y.
    names : sequence of str
        The name of each row.
    ends : sequence of str, optional
        What follows each name, whole: "  n = 12".
    most : int
        Characters of the longest name that is written whole.
    """
    ends = [""] * len(names) if ends is None else ends

    def write(characters: int) -> None:
        short = short_names(names, characters)
        ax.set_yticks(rows, [f"{one}{end}" for one, end in zip(short, ends, strict=True)])

    write(most)
    if own_figure(ax) is not None or not len(names):
        return
    lay_out(ax)
    _fit_heights(ax, np.asarray(rows, dtype=np.float64))
    room = _room(ax)
    for characters in range(most, FEWEST - 1, -1):
        write(characters)
        if max(label.get_window_extent().width for label in ax.get_yticklabels()) <= room:
            return


def _fit_heights(ax: Axes, rows: Floats) -> None:
    """Make the names as small as the rows are close, but no smaller than eyelog's own."""
    if len(rows) < 2:
        return
    pixels = np.sort(ax.transData.transform(np.column_stack([np.zeros(len(rows)), rows]))[:, 1])
    apart_pt = float(np.diff(pixels).min()) * 72.0 / float(_figure(ax).dpi)
    size = float(ax.get_yticklabels()[0].get_fontsize())
    if LINE * size > apart_pt:
        ax.tick_params(axis="y", labelsize=max(apart_pt / LINE, SMALL_PT))


def _room(ax: Axes) -> float:
    """Return how many pixels long the names may be."""
    figure = _figure(ax)
    mine = ax.bbox
    lefts = [
        float(other.bbox.x1)
        for other in figure.axes
        if other.bbox.x1 <= mine.x0 and other.bbox.y0 < mine.y1 and other.bbox.y1 > mine.y0
    ]
    left = max(lefts, default=0.0)
    away = AWAY_PT * float(figure.dpi) / 72.0
    if figure.get_layout_engine() is None:
        return float(mine.x0) - left - away
    return MOST_OF_WIDTH * (float(mine.x1) - left)


def _figure(ax: Axes) -> Figure:
    return cast(Figure, ax.get_figure(root=True))
