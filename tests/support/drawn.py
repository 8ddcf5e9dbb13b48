"""What a figure shows, read back from its artists."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from eyelog.figures.axes import fit_width
from eyelog.figures.style import inches

__all__ = [
    "artists",
    "heights",
    "legend_of",
    "note_of",
    "one",
    "points",
    "set_width",
    "title_of",
    "xy",
]


def artists(ax: Axes, name: str) -> list[Any]:
    """Return the artists of an Axes with a label, in the order in which they are drawn."""
    return [artist for artist in ax.get_children() if artist.get_label() == f"_{name}"]


def one(ax: Axes, name: str) -> Any:
    """Return the one artist with a label."""
    (artist,) = artists(ax, name)
    return artist


def xy(ax: Axes, name: str) -> tuple[list[float], list[float]]:
    """Return the x and y of the one line with a label; NaN breaks it."""
    x, y = one(ax, name).get_data()
    return np.asarray(x, dtype=float).tolist(), np.asarray(y, dtype=float).tolist()


def points(ax: Axes, name: str) -> list[list[float]]:
    """Return the places of the points with a label."""
    return [list(map(float, place)) for place in one(ax, name).get_offsets()]


def heights(ax: Axes, name: str) -> list[float]:
    """Return the heights of the bars with a label."""
    return [float(bar.get_height()) for bar in artists(ax, name)]


def legend_of(ax: Axes) -> list[str]:
    """Return the labels of the legend of one of eyelog's own figures."""
    figure: Any = ax.figure.figure
    return list(figure.eyelog_sheet.entries)


def note_of(ax: Axes) -> str:
    """Return the text above the legend of one of eyelog's own figures, in one line."""
    return ax.figure.figure.legends[0].get_title().get_text().replace("\n", " ")


def set_width(figure: Any, width_mm: float) -> None:
    """Make one of eyelog's own figures as wide as a column of a journal, as saving it does."""
    fit_width(figure, inches(width_mm))


def title_of(ax: Axes) -> str:
    """Return the title of the figure of an Axes."""
    return ax.figure.figure.get_suptitle()
