"""What a browser shows where a pointer rests on a mark of a figure: quantity, when, and value."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.transforms import Bbox

from eyelog.analysis.series.arrays import Floats
from eyelog.figures.calendar_axis import DayFormatter, HourLocator, TimeFormatter
from eyelog.figures.ribbon import NAMES
from eyelog.reports import words

__all__ = ["MOST_NAMED", "TitledBox", "mark_points", "places", "title_places", "title_points"]

SVG: Final = "{http://www.w3.org/2000/svg}"
# More points than this form a cloud: nobody looks for one of them, and naming each makes a large
# file.
MOST_NAMED: Final = 400
TIP: Final = "tip-"
LEAST_SAID_H: Final = 0.05
# Artists that mean another quantity than their axis says, and those that show a range of it.
OTHERS: Final = {"_usable hours": "Usable"}
RANGES: Final = {"_usual range": "usual range"}
GROUNDS: Final = ("_weekend", "_no record")
# The curves whose values are those of an hour; a median over days has no value of its own.
OF_HOURS: Final = "_median"


class TitledBox(NamedTuple):
    """A part of a panel, in points from the lower left corner of the figure, and its title."""

    box: Bbox
    text: str


class AxisMeasure(NamedTuple):
    """What an axis shows, and in which unit."""

    name: str
    unit: str

    @classmethod
    def of(cls, label: str) -> "AxisMeasure | None":
        """Return the quantity of a label such as ``Blink rate (per min)``, or None without one."""
        text = " ".join(label.split())
        if not text:
            return None
        name, _, unit = (
            text.removesuffix(")").rpartition(" (") if text.endswith(")") else (text, "", "")
        )
        return cls(name, unit)

    def said(self, when: str, value: str) -> str:
        """Return the title of a mark: ``Blink rate, Sat 31 Oct: 17.9 per min``."""
        of = ", ".join(filter(None, (self.name, when)))
        return f"{of}: {value} {self.unit}".rstrip().replace(" -", " \N{MINUS SIGN}")


def mark_points(figure: Figure) -> dict[str, list[str]]:
    """Mark the artists with few points, and return the titles of the points by these marks."""
    named: dict[str, list[str]] = {}
    for ax in figure.axes:
        quantity = _quantity(ax)
        if quantity is None:
            continue  # what has no name counts rows or panels: its numbers are positions
        for artist in [*ax.collections, *ax.lines, *ax.patches]:
            titles = _titles(ax, quantity, artist)
            if not 0 < len(titles) <= MOST_NAMED:
                continue
            mark = f"{TIP}{len(named)}"
            artist.set_gid(mark)
            named[mark] = titles
    return named


def title_points(root: ET.Element, named: dict[str, list[str]]) -> None:
    """Give each marked point of a drawing its title."""
    for group in root.iter(f"{SVG}g"):
        texts = named.get(group.get("id", ""))
        if texts is None:
            continue
        drawn = list(group.iter(f"{SVG}use"))
        if not drawn:
            drawn = list(group.iter(f"{SVG}path"))
        if len(drawn) != len(texts):  # points outside the panel are not drawn
            continue
        for element, text in zip(drawn, texts, strict=True):
            ET.SubElement(element, f"{SVG}title").text = text


def places(figure: Figure) -> list[TitledBox]:
    """Return the hours, days and cells that lines, outlines and images have no mark for."""
    point = 72.0 / figure.dpi
    return [
        TitledBox(Bbox(place.box.get_points() * point), place.text)
        for ax in figure.axes
        for place in _places(ax)
    ]


def title_places(root: ET.Element, found: list[TitledBox], height: float) -> None:
    """Lay areas that are not seen over a drawing, with their titles."""
    if not found:
        return
    group = ET.SubElement(root, f"{SVG}g", {"fill": "none", "pointer-events": "all"})
    for (left, low), (right, high), text in (
        (*place.box.get_points(), place.text) for place in found
    ):
        area = f"M{left:.1f} {height - high:.1f}H{right:.1f}V{height - low:.1f}H{left:.1f}"
        ET.SubElement(ET.SubElement(group, f"{SVG}path", {"d": area}), f"{SVG}title").text = text


def _quantity(ax: Axes) -> AxisMeasure | None:
    if isinstance(ax.yaxis.get_major_formatter(), DayFormatter):
        return None  # a row for each day
    return AxisMeasure.of(ax.get_ylabel() or ax.get_title(loc="left"))


def _titles(ax: Axes, quantity: AxisMeasure, artist: Any) -> list[str]:
    """Return the titles of the points or of the bar that an artist marks."""
    label = str(artist.get_label())
    if isinstance(artist, Rectangle):
        if artist.get_data_transform() != ax.transData or label in GROUNDS:
            return []
        left, low, wide, high = (*artist.get_xy(), artist.get_width(), artist.get_height())
        if not np.isfinite([left, low, wide, high]).all():
            return []
        when = _when(ax, left, left + wide)
        if label in RANGES:
            return [quantity.said(when, f"{RANGES[label]} {words.range_of(low, low + high)}")]
        shown = AxisMeasure(OTHERS.get(label, quantity.name), quantity.unit)
        return [shown.said(when, words.number(low + high))]
    points = _points(artist)
    if len(points) > MOST_NAMED:
        return []
    return [quantity.said(_when(ax, x, x), words.number(y)) for x, y in points]


def _points(artist: Any) -> Floats:
    """Return the points that an artist marks."""
    nothing: Floats = np.empty((0, 2))
    in_data = artist.axes.transData
    if isinstance(artist, PathCollection):
        if artist.get_offset_transform() != in_data:
            return nothing
        xy = _filled(artist.get_offsets())
    elif isinstance(artist, Line2D):
        if artist.get_marker() in (None, "None", "none", "", " "):
            return nothing
        if artist.get_transform() != in_data:
            return nothing
        xy = np.column_stack([_filled(values) for values in artist.get_data(orig=False)])
    else:
        return nothing
    finite: Floats = xy[np.isfinite(xy).all(axis=1)]
    return finite


def _filled(values: Any) -> Floats:
    filled: Floats = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
    return filled


def _when(ax: Axes, left: float, right: float) -> str:
    """Return the day, the time or the bin of a mark."""
    formatter, middle = ax.xaxis.get_major_formatter(), (left + right) / 2
    if isinstance(formatter, DayFormatter | TimeFormatter):
        return formatter(middle)
    if isinstance(ax.xaxis.get_major_locator(), HourLocator):
        if left == right:
            return words.time_of_day(left)
        return f"{words.time_of_day(left)} to {words.time_of_day(right)}"
    along = AxisMeasure.of(ax.get_xlabel()) or AxisMeasure("", "")
    value = words.number(left) if left == right else words.range_of(left, right)
    return " ".join(filter(None, (along.name, value, along.unit)))


def _places(ax: Axes) -> Iterator[TitledBox]:
    for image in ax.images:
        yield from _cells(ax, image)
    for mesh in ax.collections:
        if isinstance(mesh, QuadMesh):
            yield from _bins(ax, mesh)
    quantity = _quantity(ax)
    if quantity is None:
        return
    if isinstance(ax.xaxis.get_major_formatter(), DayFormatter):
        yield from _days_of_states(ax, quantity)
    for patch in ax.patches:
        if isinstance(patch, StepPatch) and patch.get_label() not in NAMES:
            values, edges, _ = patch.get_data()
            yield from _columns(ax, quantity, _filled(values), np.asarray(edges, dtype=float))
    if not isinstance(ax.xaxis.get_major_locator(), HourLocator):
        return
    for line in ax.lines:
        if line.get_label() == OF_HOURS:
            x, y = (_filled(values) for values in line.get_data(orig=False))
            inside = (x >= 0) & (x <= 24)  # the curve is closed over midnight
            yield from _columns(ax, quantity, y[inside], np.arange(inside.sum() + 1.0))


def _days_of_states(ax: Axes, quantity: AxisMeasure) -> Iterator[TitledBox]:
    """Return each day of a row of stacked states, with the hours of each state."""
    said: dict[tuple[float, float], list[str]] = {}
    for patch in ax.patches:
        if isinstance(patch, StepPatch) and patch.get_label() in NAMES:
            tops, edges, feet = patch.get_data()
            shares = np.nan_to_num(tops - np.asarray(feet, dtype=float))
            hours = 24 * float(shares.mean())
            day = said.setdefault((float(edges[0]), float(edges[-1])), [])
            if hours >= LEAST_SAID_H:
                day.append(f"{patch.get_label()} {words.number(hours, 1)} h")
    for (left, right), states in said.items():
        box = Bbox(ax.transData.transform([(left, 0.0), (right, 1.0)]))
        yield TitledBox(box, f"{quantity.name}, {_when(ax, left, right)}: {', '.join(states)}")


def _columns(ax: Axes, quantity: AxisMeasure, values: Floats, edges: Floats) -> Iterator[TitledBox]:
    """Return a column as high as the panel for each value."""
    low, high = ax.get_ylim()
    ends: Floats = ax.transData.transform(np.column_stack([edges, np.full(len(edges), low)]))
    top = float(ax.transData.transform((edges[0], high))[1])
    for k in np.flatnonzero(np.isfinite(values)):
        text = quantity.said(_when(ax, edges[k], edges[k + 1]), words.number(values[k]))
        yield TitledBox(Bbox([[ends[k, 0], ends[k, 1]], [ends[k + 1, 0], top]]), text)


def _cells(ax: Axes, image: AxesImage) -> Iterator[TitledBox]:
    """Return the cells of an image of rows and hours, with the values of its colour bar."""
    cells = _filled(image.get_array())
    rows = [tick.get_text().split("  ")[0] for tick in ax.get_yticklabels()]
    if image.colorbar is None or cells.ndim != 2 or len(rows) != len(cells):
        return
    left, right, bottom, top = image.get_extent()
    across = np.linspace(left, right, cells.shape[1] + 1)
    down = np.linspace(top, bottom, cells.shape[0] + 1)
    hours = [_when(ax, *ends) for ends in pairwise(across)]
    yield from _grid(
        ax, image.colorbar, cells, (across, down), lambda row, k: f"{rows[row]} {hours[k]}"
    )


def _bins(ax: Axes, mesh: QuadMesh) -> Iterator[TitledBox]:
    """Return the bins of a density, with their counts."""
    corners = _filled(mesh.get_coordinates())
    cells = _filled(mesh.get_array()).reshape(corners.shape[0] - 1, corners.shape[1] - 1)
    up = AxisMeasure.of(ax.get_ylabel())
    if mesh.colorbar is None or up is None:
        return
    across, along = corners[0, :, 0], corners[:, 0, 1]

    def said(row: int, column: int) -> str:
        high = words.range_of(along[row], along[row + 1])
        where = " ".join(filter(None, (up.name, high, up.unit)))
        return f"{_when(ax, across[column], across[column + 1])}, {where}"

    yield from _grid(ax, mesh.colorbar, np.where(cells > 0, cells, np.nan), (across, along), said)


def _grid(
    ax: Axes,
    bar: Colorbar,
    cells: Floats,
    edges: tuple[Floats, Floats],
    said: Callable[[int, int], str],
) -> Iterator[TitledBox]:
    """Return the cells that have a value, if they are few enough to look for one."""
    of, _, label = bar.ax.get_ylabel().rpartition("\n")
    quantity, seen = AxisMeasure.of(label), np.argwhere(np.isfinite(cells))
    if quantity is None or len(seen) > MOST_NAMED:
        return
    remark = f" ({of.lower()})" if of else ""
    across, along = edges
    for row, column in seen:
        corners = ax.transData.transform(
            [(across[column], along[row]), (across[column + 1], along[row + 1])]
        )
        box = Bbox([corners.min(axis=0), corners.max(axis=0)])
        text = quantity.said(said(row, column), words.number(cells[row, column]))
        yield TitledBox(box, f"{text}{remark}")
