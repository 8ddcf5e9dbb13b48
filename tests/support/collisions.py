"""Texts of a figure that lie over one another or are cut off, as the figure is really drawn."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import eyelog as el
from eyelog.figures.axes import fit_width, own_figure
from eyelog.figures.style import inches

__all__ = [
    "WIDTHS_MM",
    "assert_readable",
    "collisions",
    "collisions_when_saved",
    "drawn_in",
    "drawn_texts",
    "in_turn",
    "saved_at",
]

WIDTHS_MM = (89, 183, 247)
TOUCH_PT = 1.0  # boxes of texts have this much air around their letters


def in_turn(cases: Iterable[Any], others: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return each case with one of the others, which take turns: all pairs would take an hour."""
    parts = [each if isinstance(each, tuple) else (each,) for each in others]
    return [
        (*(case if isinstance(case, tuple) else (case,)), *part)
        for case, part in zip(cases, itertools.cycle(parts), strict=False)
    ]


def drawn_in(draw: Callable[..., Any]) -> Figure:
    """Return the figure of eyelog's own that `draw` draws."""
    drawn = draw()
    ax = drawn.ravel()[0] if hasattr(drawn, "ravel") else drawn
    assert own_figure(ax) is not None
    return ax.figure.figure


def saved_at(figure: Figure, width_mm: float) -> None:
    """Give a figure a width as `eyelog.save_figure` does."""
    if own_figure(figure.axes[0]) is not None:
        fit_width(figure, inches(width_mm))


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
        figure = self.figure.figure
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
