"""All figures of the gallery on one sheet: in colour, in grey, and to a deuteranopic eye.

``python docs/gallery/make_sheet.py`` writes docs/gallery/sheet.png, to be looked at whenever the
look of figures has changed. Each figure is saved for one column of a journal (89 mm), and stands on
the sheet in the order of the gallery; below them all, half as large, as a grey printer and a
deuteranopic eye show them.
"""

import runpy
import tempfile
import warnings
from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from PIL import Image, ImageDraw

import eyelog as el

SECTIONS: Final = ("at_a_glance", "trust", "usual", "change")
STEP: Final = 12  # of 255, between shades in the file: hardly seen, and half of the bytes
HERE: Final = Path(__file__).parent
ACROSS: Final = 6
WIDE_PX: Final = 340  # 89 mm at 97 dpi
GAP_PX: Final = 24
GREY: Final = np.array([0.2126, 0.7152, 0.0722])
# Machado, Oliveira & Fernandes 2009 (IEEE Trans. Vis. Comput. Graph. 15:1291), severity 1.0.
DEUTERANOPIA: Final = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)


def main() -> None:
    """Draw every figure of the gallery and put them on the sheet."""
    mpl.use("agg")
    with tempfile.TemporaryDirectory() as folder:
        pictures = [
            _picture(figure, Path(folder) / f"{number}.png")
            for number, figure in enumerate(_figures())
        ]
    sheet = _tiled(pictures)
    half = sheet.resize((sheet.width // 2, sheet.height // 2))
    seen = [_through(half, np.tile(GREY, (3, 1))), _through(half, DEUTERANOPIA)]
    whole = Image.new("RGB", (sheet.width, sheet.height + half.height), "white")
    whole.paste(sheet, (0, 0))
    for place, one in enumerate(seen):
        whole.paste(one, (place * half.width, sheet.height))
    shades = np.round(np.asarray(whole) / 255 * (255 // STEP)) / (255 // STEP) * 255
    Image.fromarray(shades.astype(np.uint8)).save(HERE / "sheet.png", optimize=True)
    print(f"{len(pictures)} figures, {whole.width} x {whole.height} pixels: {HERE / 'sheet.png'}")


def _figures() -> list[Figure]:
    """Return the figures that the scripts of the gallery make, in their order."""
    found = []
    for script in (one for name in SECTIONS for one in sorted((HERE / name).glob("plot_*.py"))):
        plt.close("all")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(script))
        for number in plt.get_fignums():
            figure = plt.figure(number)
            figure.set_label(script.stem.removeprefix("plot_"))
            found.append(figure)
    return found


def _picture(figure: Figure, path: Path) -> Image.Image:
    el.save_figure(figure, path, width="single")
    with Image.open(path) as file:
        image = file.convert("RGB")
    image = image.resize((WIDE_PX, round(image.height * WIDE_PX / image.width)))
    named = Image.new("RGB", (WIDE_PX, image.height + 2 * GAP_PX), "white")
    named.paste(image, (0, GAP_PX))
    ImageDraw.Draw(named).text((0, 4), str(figure.get_label()), fill="black")
    return named


def _tiled(pictures: list[Image.Image]) -> Image.Image:
    """Set pictures in columns, each in the column that is shortest so far."""
    heights = [0] * ACROSS
    places = []
    for picture in pictures:
        column = int(np.argmin(heights))
        places.append((column * (WIDE_PX + GAP_PX), heights[column]))
        heights[column] += picture.height
    sheet = Image.new("RGB", (ACROSS * (WIDE_PX + GAP_PX), max(heights)), "white")
    for picture, place in zip(pictures, places, strict=True):
        sheet.paste(picture, place)
    return sheet


def _through(image: Image.Image, matrix: np.ndarray) -> Image.Image:
    """Return an image as an eye sees it whose response is a matrix on linear light."""
    shares = np.asarray(image, dtype=np.float64) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ matrix.T, 0, 1)
    shares = np.where(seen <= 0.0031308, seen * 12.92, 1.055 * seen ** (1 / 2.4) - 0.055)
    return Image.fromarray(np.round(shares * 255).astype(np.uint8))


if __name__ == "__main__":
    main()
