"""Texts of a figure that lie over one another or are cut off, as the figure is really drawn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import eyelog as el
from eyelog.figures.style import inches
from eyelog.figures.styled_figure import StyledFigure, own_figure

__all__ = [
    "LAYOUTS",
    "WIDTHS_MM",
    "assert_readable",
    "collisions",
    "collisions_when_saved",
    "drawn_in",
    "drawn_texts",
    "saved_at",
]

LAYOUTS = ("own", "constrained", "tight", "none")
WIDTHS_MM = (89, 183, 247)
TOUCH_PT = 1.0  # boxes of texts have this much air around their letters


def drawn_in(draw: Callable[..., Any], layout: str, width_mm: float) -> Figure:
    """Return a figure with what `draw` draws: its own, or the upper of a user's two subplots.

    Without a layout engine (``"none"``) the user leaves room between the subplots, as one has to.
    """
    if layout == "own":
        drawn = draw()
        ax = drawn.ravel()[0] if hasattr(drawn, "ravel") else drawn
        assert own_figure(ax) is not None
        return ax.get_figure(root=True)
    room = {"hspace": 1.2, "left": 0.3, "right": 0.8, "bottom": 0.12, "top": 0.9}
    figure, (upper, lower) = plt.subplots(
        2,
        1,
        figsize=(inches(width_mm), inches(200)),
        layout=None if layout == "none" else layout,
        gridspec_kw=room if layout == "none" else None,
    )
    lower.plot([0, 1], [0, 1])
    lower.set_title("A figure of the user")
    draw(ax=upper)
    return figure


def saved_at(figure: Figure, width_mm: float) -> None:
    """Give a figure a width as `eyelog.save_figure` does."""
    if isinstance(figure, StyledFigure):
        height = figure.height_at(inches(width_mm))
        figure.set_size_inches(inches(width_mm), height)


def assert_readable(figure: Figure, width_mm: float) -> None:
    """Check that no text of a figure touches another or leaves the page."""
    saved_at(figure, width_mm)
    found = collisions(figure)
    assert not found, "; ".join(found)


def collisions(figure: Figure) -> list[str]:
    """Return what is wrong with the texts that a figure draws, in words."""
    figure.set_dpi(100)
    with drawn_texts() as drawn:
        for _ in range(2):  # the first drawing settles the layout
            drawn.clear()
            figure.draw_without_rendering()
    boxes = [(text.get_text(), _box(text)) for text in dict.fromkeys(drawn)]
    return _wrong(boxes, figure.bbox, TOUCH_PT * figure.dpi / 72)


def collisions_when_saved(drawn: Any, path: Path, **settings: Any) -> list[str]:
    """Return what is wrong with the texts of a figure as `eyelog.save_figure` draws them."""
    boxes: dict[Text, tuple[str, Bbox]] = {}
    page, dpi = Bbox.unit(), 100.0
    usual, whole = Text.draw, Figure.draw

    def draw(self: Text, renderer: Any, *args: Any, **others: Any) -> None:
        nonlocal page, dpi
        figure = self.get_figure(root=True)
        page, dpi = figure.bbox.frozen(), figure.dpi
        boxes.pop(self, None)
        if self.get_visible() and self.get_text().strip():
            boxes[self] = self.get_text(), Text.get_window_extent(self, renderer)
        usual(self, renderer, *args, **others)

    def draw_anew(self: Figure, renderer: Any) -> None:
        boxes.clear()  # of an earlier drawing, which settled the layout
        whole(self, renderer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", draw)
        patch.setattr(Figure, "draw", draw_anew)
        el.save_figure(drawn, path, **settings)
    return _wrong(list(boxes.values()), page, TOUCH_PT * dpi / 72)


def _wrong(boxes: list[tuple[str, Bbox]], page: Bbox, touch: float) -> list[str]:
    wrong = [
        f"{words!r} is cut off"
        for words, box in boxes
        if box.x0 < page.x0 - 1
        or box.y0 < page.y0 - 1
        or box.x1 > page.x1 + 1
        or box.y1 > page.y1 + 1
    ]
    for place, (words, box) in enumerate(boxes):
        for other, beside in boxes[:place]:
            across = min(box.x1, beside.x1) - max(box.x0, beside.x0)
            up = min(box.y1, beside.y1) - max(box.y0, beside.y0)
            if across > touch and up > touch:
                wrong.append(f"{words!r} lies over {other!r}")
    return wrong


def _box(text: Text) -> Bbox:
    # Without the padding of a box around it, which may lie over anything.
    return Text.get_window_extent(text)


@contextmanager
def drawn_texts() -> Iterator[list[Text]]:
    """Collect the texts that are drawn, which are fewer than those that a figure has."""
    drawn: list[Text] = []
    usual = Text.draw

    def draw(self: Text, renderer: Any, *args: Any, **settings: Any) -> None:
        if self.get_visible() and self.get_text().strip():
            drawn.append(self)
        usual(self, renderer, *args, **settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", draw)
        yield drawn
