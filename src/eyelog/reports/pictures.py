"""Figures as SVG inside a page: text as text, unique ids, colours that follow the page."""

import io
import re
import warnings
from functools import lru_cache
from typing import Any, Final, cast
from xml.etree import ElementTree as ET

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from eyelog.figures.axes import write_legend
from eyelog.figures.style import inches

SVG: Final = "{http://www.w3.org/2000/svg}"
IMAGE_DPI: Final = 130  # for parts drawn as pixels: sharp on a screen, small in a file
SVG_DPI: Final = 72.0  # in which matplotlib writes SVG
LARGER: Final = 7 / 6  # text on a page beside that in a journal: drawn smaller, shown as wide
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_LINK = re.compile(r'(?:url\(|href=")#([^)"]+)')

_FAMILY = re.compile("font-family: [^;]*;? ?")

ET.register_namespace("", SVG.strip("{}"))
ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")


def svg_of(
    figure: Figure, *, width_mm: float, height_in: float, key: str, title: str, description: str
) -> str:
    """Return a figure as an ``svg`` element for a page.

    Parameters
    ----------
    figure : Figure
        What to show; it is changed: legend, layout and labels are fitted to the width.
    width_mm : float
        How wide the page shows it.
    height_in : float
        How high it is in a journal at this width.
    key : str
        A name that no other figure of the page has; all ids of the element begin with it.
    title, description : str
        Text for screen readers.
    """
    MeasuringCanvas(figure)  # whose measures of text are those of the file
    figure.dpi = SVG_DPI
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
    sink, engine = io.StringIO(), cast(Any, figure.get_layout_engine())
    with (
        mpl.rc_context({"svg.hashsalt": key}),  # begins the ids, which no other figure may have
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "Glyph ", UserWarning)  # the browser chooses the font
        write_legend(figure)
        engine.execute(figure)
        if _break_labels(figure):
            engine.execute(figure)
        figure.set_layout_engine(None)  # drawing would lay it out again
        width, height = figure.get_size_inches()
        size = SVG_DPI * width, SVG_DPI * height
        written = cast(Any, PageRenderer)(*size, sink, image_dpi=IMAGE_DPI)
        renderer: Any = MixedModeRenderer(figure, width, height, IMAGE_DPI, written)
        figure.draw(renderer)
        renderer.finalize()
    figure.set_layout_engine(engine)
    return _for_page(sink.getvalue(), key, title, description)


def _all_axes(figure: Figure) -> list[Axes]:
    """Return the Axes of a figure, and those that lie beside or beneath one as parts of it."""
    return [one for outer in figure.axes for one in (outer, *cast(Any, outer).child_axes)]


class PageRenderer(RendererSVG):
    """A renderer that knows how wide a text is once any figure of a page has it."""

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> Any:
        """Return how wide and high a text is, and how deep it reaches."""
        return _size_of_text(s, prop.copy(), ismath)


@lru_cache(maxsize=4096)
def _size_of_text(text: str, font: FontProperties, is_math: Any) -> Any:
    return RendererSVG(1, 1, io.StringIO()).get_text_width_height_descent(text, font, is_math)


MEASURING: Final[Any] = cast(Any, PageRenderer)(1, 1, io.StringIO())


class MeasuringCanvas(FigureCanvasSVG):
    """A canvas that keeps its renderer, instead of a new one for each text that is measured."""

    def get_renderer(self) -> Any:
        """Return the renderer that measures texts."""
        return MEASURING


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


def _for_page(svg: str, key: str, title: str, description: str) -> str:
    """Return a figure as an element of a page, with words for those who do not see it.

    Nobody sees names that nothing links to, blanks, digits, and what the page says for all figures.
    """
    root, linked = ET.fromstring(svg), set(_LINK.findall(svg))  # noqa: S314 - our own
    for element in list(root.iter()):
        for child in list(element):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                element.remove(child)
        if element.get("id") not in linked:
            element.attrib.pop("id", None)
        if not (element.text or "").strip():
            element.text = None
        element.tail = None
        if path := element.get("d"):
            path = _NUMBER.sub(lambda m: f"{float(m[0]):.2f}", path)
            element.set("d", " ".join(path.split()))
        if element.tag == f"{SVG}text":  # in the fonts of the page: those here may be missing there
            element.set("style", _FAMILY.sub("", element.get("style", "")))
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    words = {tag: text for tag, text in (("title", title), ("desc", description)) if text}
    labels = " ".join(f"{key}-{tag}" for tag in words)
    root.attrib |= {
        "role": "img",
        "aria-labelledby": labels,
        "preserveAspectRatio": "xMinYMin meet",
    }
    for place, (tag, text) in enumerate(words.items()):
        element = ET.Element(f"{SVG}{tag}", {"id": f"{key}-{tag}"})
        element.text = text
        root.insert(place, element)
    return ET.tostring(root, encoding="unicode")
