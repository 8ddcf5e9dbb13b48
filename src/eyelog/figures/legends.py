"""Legends: under a figure or one of its panels, and the entries that explain colours and marks."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from eyelog.figures.drawing import has_fixed_places, laid_out_width, margins
from eyelog.figures.style import COLOURS, HATCH, LINE_PT
from eyelog.figures.styled_figure import own_figure

__all__ = ["Entry", "legend", "line", "no_record", "panel_legend", "patch"]

BENEATH_PT: Final = 34.0  # on a user's Axes: the legend, under two lines of labels and a name
LEGEND_GAP_PT: Final = 2.0

Entry = tuple[str, Artist]


def legend(ax: Axes, entries: Sequence[Entry], *, note: str = "") -> None:
    """Explain colours and marks in one line under the figure, or under a user's Axes.

    In a figure of eyelog's own, panels share one legend: equal labels have one entry. A note is
    placed above the legend of a user's Axes; that of eyelog's own figure is its
    `StyledFigure.note`.
    """
    figure = own_figure(ax)
    if figure is not None:
        figure.add_entries(entries)
        return
    labels, handles = [label for label, _ in entries], [handle for _, handle in entries]
    # Beneath the labels of the x axis, and no wider than the Axes: a wider one would push the
    # neighbours aside.
    room = laid_out_width(ax)
    down = max(BENEATH_PT, _beneath_pt(ax) + LEGEND_GAP_PT)
    beneath = ax.transAxes + ScaledTranslation(0, -down / 72, ax.figure.dpi_scale_trans)
    for columns in (*range(len(labels), 0, -1), 1):
        made = ax.legend(
            handles,
            labels,
            loc="upper left",
            bbox_to_anchor=(0, 0),
            bbox_transform=beneath,
            borderaxespad=0,
            fontsize="small",
            ncols=columns,
            frameon=False,
        )
        excess = made.get_window_extent().width - room
        if excess <= 0:
            break
        if columns == 1:
            if has_fixed_places(ax):  # a legend that is wider than the Axes moves nothing
                excess -= margins(ax)[1] - float(ax.bbox.x1)
            widest = max(text.get_window_extent().width for text in made.get_texts())
            for text in made.get_texts():
                _break_at_spaces(text, widest - excess)
            labels = [text.get_text() for text in made.get_texts()]
    if note:
        made.set_title(note, prop=FontProperties(size="small"))
        made.set_alignment("left")
        _break_at_spaces(made.get_title(), room)


def _break_at_spaces(text: Text, room: float) -> None:
    """Break a text into lines of at most a width, in pixels."""
    lines: list[str] = []
    for word in text.get_text().replace("\n", " ").split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        text.set_text(longer)
        if lines and text.get_window_extent().width <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    text.set_text("\n".join(lines))


def _beneath_pt(ax: Axes) -> float:
    """Return how far the labels of the x axis, and those of its strips, reach under an Axes."""
    figure: Any = ax.get_figure(root=True)
    boxes = [each.xaxis.get_tightbbox(figure._get_renderer()) for each in (ax, *ax.child_axes)]
    lowest = min((float(box.y0) for box in boxes if box is not None), default=float(ax.bbox.y0))
    return (float(ax.bbox.y0) - lowest) * 72 / float(figure.dpi)


def panel_legend(ax: Axes, entries: Sequence[Entry], *, shared: Sequence[Entry] = ()) -> None:
    """Explain the marks of one of several panels above it, and those they share as `legend` does.

    One panel by itself has everything in one legend.
    """
    figure = own_figure(ax)
    if figure is None or len(figure.axes) == 1:
        legend(ax, [*shared, *entries])
        return
    if shared:
        figure.add_entries(shared)
    if not entries:
        return
    fit = partial(_fit_panel_legend, ax, list(entries))
    fit()
    figure.fits.append(fit)


def _fit_panel_legend(ax: Axes, entries: list[Entry]) -> None:
    labels, handles = [label for label, _ in entries], [handle for _, handle in entries]
    # The figure is laid out only later: its labels take up to a fifth of the width.
    room = 0.8 * float(ax.figure.bbox.width)
    for columns in range(len(labels), 0, -1):
        made = ax.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0.4,
            ncols=columns,
        )
        if made.get_window_extent().width <= room:
            break


def patch(label: str, meaning: str | None = None, *, alpha: float = 1.0) -> Entry:
    """Return an entry of a legend: a patch in the colour of a meaning, by default its label's."""
    meaning = label if meaning is None else meaning
    if meaning == "no record":
        return label, no_record()
    edge = COLOURS["hatch"] if meaning in ("weekend", "not known", "masked") else "none"
    return label, Patch(
        facecolor=COLOURS[meaning], edgecolor=edge, linewidth=LINE_PT / 2, alpha=alpha
    )


def line(
    label: str,
    meaning: str,
    *,
    marker: str = "",
    linestyle: Literal["-", "--", ":", ""] = "-",
    linewidth: float = 1.2,
) -> Entry:
    """Return an entry of a legend: a line, or marks, in the colour of a meaning."""
    return label, Line2D(
        [],
        [],
        color=COLOURS[meaning],
        marker=marker,
        linestyle=linestyle,
        linewidth=linewidth,
        markersize=3.5,
    )


def no_record() -> Patch:
    """Return the patch of no record: white, hatched."""
    return Patch(
        facecolor=COLOURS["no record"], edgecolor=COLOURS["hatch"], hatch=HATCH, linewidth=0.4
    )
