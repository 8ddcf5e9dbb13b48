"""Texts of a figure that lie over one another or are cut off, as the figure is really drawn."""

import io
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import eyelog as el

TOUCH_PT = 1.0  # boxes of texts have this much air around their letters


def collisions(figure: Figure) -> list[str]:
    """Return what is wrong with the texts of a figure, in words."""
    return _watched(lambda: [figure.savefig(io.BytesIO(), format="svg") for _ in range(2)])


def collisions_when_saved(drawn: Any, path: Path, **settings: Any) -> list[str]:
    """Return what is wrong with the texts of a figure as `eyelog.save_figure` draws them."""
    return _watched(lambda: el.save_figure(drawn, path, **settings))


def _watched(save: Any) -> list[str]:
    boxes: dict[Text, tuple[str, Bbox]] = {}
    page, dpi = Bbox.unit(), 100.0
    usual, whole = Text.draw, Figure.draw

    def draw(self: Text, renderer: Any, *args: Any, **others: Any) -> None:
        nonlocal page, dpi
        figure = self.figure.figure
        page, dpi = figure.bbox.frozen(), figure.dpi
        boxes.pop(self, None)
        if self.get_visible() and self.get_text().strip():
            # Without the padding of a box around it, which may lie over anything.
            boxes[self] = self.get_text(), Text.get_window_extent(self, renderer)
        usual(self, renderer, *args, **others)

    def draw_anew(self: Figure, renderer: Any) -> None:
        boxes.clear()  # of an earlier drawing, which settled the layout
        whole(self, renderer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", draw)
        patch.setattr(Figure, "draw", draw_anew)
        save()
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
