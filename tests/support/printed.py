"""A page as it is printed: how full each sheet is, and what stands at its foot."""

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

needs_poppler = pytest.mark.skipif(
    not (shutil.which("pdftoppm") and shutil.which("pdftotext")),
    reason="poppler-utils is not installed",
)
DPI = 40
MARGINS_MM = (14.0, 16.0)  # above and below what is printed; the foot stands in the lower one
HEIGHT_MM = 297.0
HEADING_PT = 14.0  # words of headings are higher than this, all others lower
_PAGE = re.compile(r"<page .*?</page>", re.DOTALL)
_WORD = re.compile(r'yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">(.*?)</word>')


class Word(NamedTuple):
    """One word, and where it stands: the distance of its foot from the top, as a share."""

    text: str
    place: float
    height_pt: float


class Printed:
    """The sheets of a PDF.

    Attributes
    ----------
    filled : list of float
        How far down each sheet is filled, as a share of what can be printed on.
    """

    def __init__(self, pdf: bytes, folder: Path) -> None:
        path = folder / "printed.pdf"
        path.write_bytes(pdf)
        for old in folder.glob("sheet-*.png"):
            old.unlink()
        subprocess.run(
            ["pdftoppm", "-r", str(DPI), "-gray", "-png", path, folder / "sheet"], check=True
        )
        self.filled = [_filled(sheet) for sheet in sorted(folder.glob("sheet-*.png"))]
        text = subprocess.run(
            ["pdftotext", "-bbox", path, "-"], check=True, capture_output=True, text=True
        ).stdout
        self.words = [
            [
                Word(unescape(word), float(foot) / 842.0, float(foot) - float(top))
                for top, foot, word in _WORD.findall(page)
            ]
            for page in _PAGE.findall(text)
        ]

    def feet(self) -> list[str]:
        """Return the text in the lower margin of each sheet."""
        edge = 1.0 - MARGINS_MM[1] / HEIGHT_MM
        return [" ".join(word.text for word in page if word.place > edge) for page in self.words]

    def headings_at_the_foot(self) -> list[str]:
        """Return the words of headings with nothing but the margin beneath them."""
        edge = 1.0 - (MARGINS_MM[1] + 8.0) / HEIGHT_MM
        return [
            word.text
            for page in self.words
            for word in page
            if word.height_pt > HEADING_PT and word.place > edge
        ]


def _filled(path: Path) -> float:
    with Image.open(path) as sheet:
        dark = (np.asarray(sheet.convert("L")) < 250).any(axis=1)
    top, bottom = (round(len(dark) * margin / HEIGHT_MM) for margin in MARGINS_MM)
    used = np.flatnonzero(dark[top : len(dark) - bottom])
    return float(used[-1] + 1) / (len(dark) - top - bottom) if used.size else 0.0
