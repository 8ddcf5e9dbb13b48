"""Figures as SVG inside a page: text as text, unique ids, colours that follow the page."""

import base64
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, cast
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure, SubFigure
from PIL import Image

from eyelog.figures.axes import fit_width, own_figure
from eyelog.figures.style import inches, style

SVG: Final = "{http://www.w3.org/2000/svg}"
HREF: Final = "{http://www.w3.org/1999/xlink}href"
IMAGE_DPI: Final = 130  # for parts drawn as pixels: sharp on a screen, small in a file
SVG_DPI: Final = 72.0  # in which matplotlib writes SVG
LARGER: Final = 7 / 6  # text on a page beside that in a journal: drawn smaller, shown as wide
PNG: Final = "data:image/png;base64"
# Metadata that would differ between two runs or carry no information.
NOTHING: Final = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_LINK = re.compile(r"url\(#([^)]+)\)")


def figure_of(drawn: Any) -> Figure:
    """Return the figure of the result of a plot function: Axes, an array of Axes, or a figure."""
    one = drawn if isinstance(drawn, Axes | Figure) else np.ravel(drawn)[0]
    figure = one if isinstance(one, Figure) else one.figure
    while isinstance(figure, SubFigure):
        figure = figure.figure
    return figure


@contextmanager
def closing(figure: Figure) -> Iterator[Figure]:
    """Close a figure in pyplot at the end: pyplot keeps the figures that it has made."""
    try:
        yield figure
    finally:
        plt.close(figure)


def svg_of(
    figure: Figure, *, width_mm: float, height_in: float, key: str, title: str, description: str
) -> str:
    """Return a figure as an ``svg`` element for a page.

    Parameters
    ----------
    figure : Figure
        What to show. Its labels are fitted to the width.
    width_mm : float
        How wide the page shows it.
    height_in : float
        How high it is in a journal at this width.
    key : str
        A name that no other figure of the page has; all ids of the element begin with it.
    title, description : str
        Text for screen readers.
    """
    if own_figure(figure.axes[0]) is not None:
        fit_width(figure, inches(width_mm) / LARGER)
    figure.set_size_inches(inches(width_mm) / LARGER, height_in / LARGER, forward=False)
    for ax in _all_axes(figure):
        for artist in [*ax.collections, *ax.lines, *ax.patches]:
            # Artists inside the axes do not affect the layout, and asking each bar takes seconds.
            artist.set_in_layout(not artist.get_clip_on())
        for spine in ax.spines.values():
            spine.set_in_layout(False)  # nor does a line that the numbers along it exceed
        for axis in (ax.xaxis, ax.yaxis):
            if not axis.label.get_text():
                axis.set_label_coords(0.0, 0.0)  # else a place is sought that nothing takes
    sink = io.BytesIO()
    with (
        style(),
        mpl.rc_context({"svg.hashsalt": key}),
        _any_letters(),
        _laid_out(figure),
    ):
        # The browser chooses the font: `savefig` would say which is missing here.
        figure.canvas.print_figure(sink, format="svg", dpi=IMAGE_DPI, metadata=NOTHING)
    root = ET.fromstring(sink.getvalue())  # noqa: S314 - matplotlib wrote it a moment ago
    _trim(root)
    _own(root, key)
    _say(root, key, title, description)
    return ET.tostring(root, encoding="unicode")


def _all_axes(figure: Figure) -> list[Axes]:
    """Return the Axes of a figure, and those that lie beside or beneath one as parts of it."""
    return [one for outer in figure.axes for one in (outer, *cast(Any, outer).child_axes)]


@contextmanager
def _any_letters() -> Iterator[None]:
    """Draw without warnings about missing letters: the reader's browser writes the text."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph ", UserWarning)
        yield


@cache
def _measuring_renderer() -> RendererSVG:
    """Return one renderer for all figures: matplotlib remembers how wide a text is for each."""
    return RendererSVG(1, 1, io.StringIO())


class MeasuringCanvas(FigureCanvasSVG):
    """A canvas that keeps its renderer, instead of a new one for each text that is measured."""

    def get_renderer(self) -> RendererSVG:
        """Return the renderer that measures texts."""
        return _measuring_renderer()


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Lay a figure out once, for the time in which it is saved.

    With a layout, `savefig` draws the figure twice, the first time only to lay it out.
    """
    engine, canvas = figure.get_layout_engine(), figure.canvas
    if engine is None:
        yield
        return
    dpi = figure.dpi
    try:
        MeasuringCanvas(figure)  # whose measures of text are those of the file
        figure.dpi = SVG_DPI
        engine.execute(figure)
        if _break_labels(figure):
            engine.execute(figure)
        figure.set_layout_engine(None)
        yield
    finally:
        figure.set_canvas(canvas)
        figure.dpi = dpi
        figure.set_layout_engine(engine)


def _break_labels(figure: Figure) -> bool:
    """Break labels that are longer than their axis into two lines; return if any was."""
    broken = False
    for ax in _all_axes(figure):
        label = ax.yaxis.label
        text = label.get_text()
        if label.get_window_extent().height <= ax.get_window_extent().height:
            continue
        if " (" in text:  # the unit has a line of its own
            head, _, unit = text.rpartition(" (")
            label.set_text(f"{head}\n({unit}")
        elif " " in text and "\n" not in text:
            spaces = (place for place, letter in enumerate(text) if letter == " ")
            middle = min(spaces, key=lambda place: abs(2 * place - len(text)))
            label.set_text(f"{text[:middle]}\n{text[middle + 1 :]}")
        else:
            continue
        broken = True
    return broken


def _trim(root: ET.Element) -> None:
    """Remove what the page says for all figures, and invisible parts: names, blanks, digits."""
    linked = {
        name
        for element in root.iter()
        for attribute, value in element.attrib.items()
        for name in ([value[1:]] if attribute == HREF else _LINK.findall(value))
    }
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                parent.remove(child)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    for element in root.iter():
        if element.get("id") not in linked:
            element.attrib.pop("id", None)
        if not (element.text or "").strip():
            element.text = None
        element.tail = None
        if path := element.get("d"):
            path = _NUMBER.sub(lambda m: f"{float(m[0]):.2f}", path)
            element.set("d", " ".join(path.split()))
        if element.tag == f"{SVG}image":
            element.set(HREF, _lighter(element.get(HREF, "")))


def _lighter(address: str) -> str:
    """Return a raster picture in 128 colours if that is smaller: figures have few colours."""
    kind, _, code = address.partition(",")
    if kind != PNG:
        return address
    sink = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(code))) as picture:
        picture.convert("RGBA").quantize(128, Image.Quantize.FASTOCTREE).save(
            sink, format="PNG", optimize=True
        )
    made = base64.b64encode(sink.getvalue()).decode()
    return f"{PNG},{made}" if len(made) < len(code) else address


def _own(root: ET.Element, key: str) -> None:
    """Prefix every id with the figure's key, as a page has many figures; drop the svg namespace."""
    uses: dict[str, int] = {}
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        for attribute, value in list(element.attrib.items()):
            if attribute == "id":
                uses[value] = uses.get(value, 0) + 1
                again = f"-{uses[value]}" if uses[value] > 1 else ""
                element.set("id", f"{key}-{value}{again}")
            elif attribute == HREF:
                del element.attrib[HREF]
                element.set("href", f"#{key}-{value[1:]}" if value.startswith("#") else value)
            elif "url(#" in value:
                element.set(attribute, _LINK.sub(rf"url(#{key}-\1)", value))


def _say(root: ET.Element, key: str, title: str, description: str) -> None:
    said = [(tag, text) for tag, text in (("title", title), ("desc", description)) if text]
    root.set("role", "img")
    root.set("aria-labelledby", " ".join(f"{key}-{tag}" for tag, _ in said))
    root.set("preserveAspectRatio", "xMinYMin meet")
    for place, (tag, text) in enumerate(said):
        element = ET.Element(tag, {"id": f"{key}-{tag}"})
        element.text = text
        root.insert(place, element)
