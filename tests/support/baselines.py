"""Figures compared with stored pictures of them, drawn in the one font that matplotlib brings."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib import pyplot as plt
from matplotlib.testing.compare import compare_images

from eyelog.figures import style
from eyelog.figures.axes import fit_width
from support.paths import TESTS

__all__ = ["assert_looks_as_stored", "in_the_font_of_matplotlib"]

FOLDER = TESTS / "figures" / "baselines"
TOLERANCE = 6.0  # root mean square of 255: a rounding of glyphs passes, a moved bar does not


def in_the_font_of_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw in DejaVu Sans whatever is installed."""
    monkeypatch.setattr(style, "families", lambda: ["DejaVu Sans"])


def assert_looks_as_stored(drawn: Any, name: str, folder: Path) -> None:
    """Compare a figure with ``figures/baselines/NAME.png``; what was drawn is kept in `folder`."""
    figure = drawn.figure
    fit_width(figure, style.inches(89))
    made = folder / f"{name}.png"
    figure.savefig(made, dpi=100)
    plt.close(figure)
    difference = compare_images(str(FOLDER / made.name), str(made), TOLERANCE)
    assert difference is None, difference
