"""A plain figure, with a title and the states in its legend, for tests of the look."""

import io

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eyelog.figures import axes

__all__ = ["STATES", "TABLE", "drawn", "plot_line"]

STATES = ("usable", "off pose", "noisy", "walking", "not worn", "no record")


@axes.plot_function
def plot_line(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a line, with a title of several parts and a legend of the states."""
    ax = axes.on(ax)
    ax.plot(table["v"].to_numpy())
    axes.set_title(ax, "anna · 15-second log · 20 to 26 Oct 2025 · Asia/Tokyo")
    axes.legend(ax, [axes.patch(name) for name in STATES])
    return ax


TABLE = pd.DataFrame({"v": [1.0, 2.0]})


def drawn(figure: Figure) -> Figure:
    """Return a figure after it has been drawn once."""
    figure.savefig(io.BytesIO(), format="png")
    return figure
