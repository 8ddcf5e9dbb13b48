"""The one look of all figures: colours by meaning, sizes in millimetres, type, lines, legends.

The look belongs to the figures that eyelog makes itself. It is in force while such a figure is
built and each time it is drawn, never at import, and never on an Axes that a user passes in. A
figure function is written like this::

    @plot_function
    def plot_thing(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
        ...                                     # check the table first
        ax = axes(ax, height_mm=60)
        ax.plot(..., color=COLOURS["usable"])
        title(ax, title_of(table))              # figures/labels.py
        legend(ax, [patch("usable"), line("7-day median", "reference")])
        return ax

`plot_function` puts the look in force where the figure is eyelog's own, and attaches the recipe
that `eyelog.save_figure` writes into the file (figures/recipe.py).
"""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, wraps
from types import MappingProxyType
from typing import Any, Final, Literal, ParamSpec, TypeVar, cast

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.rcsetup import cycler
from matplotlib.transforms import Bbox, ScaledTranslation

from eyelog.figures import recipe

__all__ = [
    "COLOURS",
    "HATCH",
    "SEQUENTIAL",
    "SMALL_PT",
    "TEXT_PT",
    "WIDTHS_MM",
    "StyledFigure",
    "Width",
    "axes",
    "inches",
    "legend",
    "line",
    "no_record",
    "own_figure",
    "panels",
    "patch",
    "plot_function",
    "sequential",
    "style",
    "title",
    "unmanaged",
]

Width = Literal["single", "double", "page"]

WIDTHS_MM: Final[Mapping[str, float]] = MappingProxyType({"single": 89, "double": 183, "page": 247})
"""One column and two columns of a journal, and a whole page turned on its side."""

HIGHEST_MM: Final = 247

COLOURS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # The state of the eyewear. Neighbouring steps of lightness are 9 or more apart, so grey
        # print keeps them apart; every two differ by more than 11 (CAM02-UCS) for every eye.
        "usable": "#17456B",
        "off pose": "#7A5195",
        "noisy": "#D1495B",
        "walking": "#EFA33A",
        "not worn": "#D8D8D8",
        "no record": "#FFFFFF",
        "not known": "#F3F3F3",
        # Values and what stands beside them.
        "worn": "#8FA9BD",  # worn, but not usable
        "masked": "#E4E4E4",
        "interval": "#8FA9BD",
        "reference": "#444444",
        "trace": "#555555",
        "second": "#B0652A",
        "event": "#2F8F7B",
        "true": "#5F6B76",
        "false": "#E4E4E4",
        "weekday": "#17456B",
        "weekend": "#F4F1EA",
        # The frame of a figure.
        "text": "#222222",
        "axis": "#555555",
        "grid": "#E6E6E6",
        "hatch": "#BBBBBB",
        "pale hatch": "#DCDCDC",  # behind values, where a ribbon's hatch would be too loud
    }
)
"""The colour of each meaning; no figure names a colour of its own."""

HATCH: Final = "////"

SEQUENTIAL: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        # From light to dark, and never white: zero is a colour of the scale, no record is white.
        "usable": ("#E3EDF4", "#A9C6DA", "#6A9BBE", "#37709B", "#17456B", "#0B2438"),
        "walking": ("#FBEBD3", "#F7CD8F", "#EFA33A", "#C9741A", "#8E4A10", "#4F2708"),
        "noisy": ("#FAE3E4", "#EFB0B4", "#DF7683", "#C2394D", "#8A2033", "#4B0F1A"),
    }
)

TEXT_PT: Final = 8.0
SMALL_PT: Final = 7.0
LINE_PT: Final = 0.6
BENEATH_PT: Final = 34.0  # of a user's Axes: the legend, under two lines of labels and a name
PAD_MM: Final = 0.7

# Better than the last one where they are installed; matplotlib always has the last.
FAMILIES: Final = (
    "Inter",
    "Source Sans 3",
    "Source Sans Pro",
    "Helvetica Neue",
    "Helvetica",
    "Arial",
    "Liberation Sans",
    "Noto Sans",
    "Open Sans",
    "DejaVu Sans",
)

# For names that the best one cannot write: the first that is installed, if any.
WIDE_FAMILIES: Final = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "MS Gothic",
)


def inches(mm: float) -> float:
    """Return millimetres as inches, in which matplotlib measures."""
    return mm / 25.4


@cache
def _families() -> tuple[str, ...]:
    """Return the best family that is installed, a wide one if any is, and the one always there."""
    installed = set(font_manager.get_font_names())
    best = next(name for name in FAMILIES if name in installed or name == FAMILIES[-1])
    wide = [name for name in WIDE_FAMILIES if name in installed][:1]
    return tuple(dict.fromkeys((best, *wide, FAMILIES[-1])))


@cache
def _settings() -> Mapping[str, Any]:
    small = {
        f"{axis}tick.{key}": value
        for axis in "xy"
        for key, value in (
            ("labelsize", SMALL_PT),
            ("color", COLOURS["axis"]),
            ("labelcolor", COLOURS["text"]),
            ("major.width", LINE_PT),
            ("major.size", 2.5),
            ("major.pad", 2.0),
            ("minor.width", LINE_PT / 2),
            ("minor.size", 1.5),
        )
    }
    return small | {
        "font.family": list(_families()),
        "font.size": TEXT_PT,
        "text.color": COLOURS["text"],
        "figure.dpi": 150,
        "figure.titlesize": TEXT_PT,
        "figure.titleweight": "bold",
        "figure.constrained_layout.h_pad": inches(1.5 * PAD_MM),
        "figure.constrained_layout.w_pad": inches(PAD_MM),
        "axes.titlesize": TEXT_PT,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 4.0,
        "axes.labelsize": TEXT_PT,
        "axes.labelpad": 2.5,
        "axes.labelcolor": COLOURS["text"],
        "axes.edgecolor": COLOURS["axis"],
        "axes.linewidth": LINE_PT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.prop_cycle": cycler(
            color=[COLOURS[name] for name in ("usable", "noisy", "walking", "off pose", "trace")]
        ),
        "grid.color": COLOURS["grid"],
        "grid.linewidth": LINE_PT,
        "hatch.linewidth": 0.5,
        "hatch.color": COLOURS["hatch"],
        "image.cmap": "gray",
        "lines.linewidth": 1.0,
        "lines.markersize": 2.5,
        "lines.solid_capstyle": "round",
        "patch.linewidth": 0.0,
        "legend.fontsize": SMALL_PT,
        "legend.frameon": False,
        "legend.handlelength": 1.3,
        "legend.handleheight": 0.8,
        "legend.handletextpad": 0.5,
        "legend.columnspacing": 1.4,
        "legend.borderpad": 0.0,
        "legend.borderaxespad": 0.7,
        "legend.labelspacing": 0.35,
        "savefig.dpi": 300,
        "savefig.facecolor": "white",
        "pdf.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "eyelog",
    }


_in_force: Final[ContextVar[bool]] = ContextVar("style in force", default=False)


@contextmanager
def style() -> Iterator[None]:
    """Put the look in force, whatever settings the user has; afterwards theirs are back."""
    if _in_force.get():  # to put it in force again takes as long as to draw a small figure
        yield
        return
    token = _in_force.set(True)
    try:
        with mpl.style.context(["default", dict(_settings())]), warnings.catch_warnings():
            # A name in a script that no installed font has is boxes; a warning a letter helps no
            # one.
            warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
            yield
    finally:
        _in_force.reset(token)


Entry = tuple[str, Artist]


class SteadyLayout(ConstrainedLayoutEngine):
    """The constrained layout, without the noise in its last digits.

    Its solver works through variables in the order of their addresses, so that the same figure
    comes out 1e-13 apart in the next run, and SVG names its clips after such numbers.
    """

    def execute(self, fig: Figure) -> None:
        """Place the Axes, to a millionth of a millimetre."""
        super().execute(fig)
        for ax in fig.axes:
            place = np.round(ax.get_position(original=True).get_points(), 8)
            # The public set_position would take the Axes out of the layout.
            cast(Any, ax)._set_position(Bbox(place), which="original")


class StyledFigure(Figure):
    """A figure of eyelog's own: it has the look each time it is drawn, at whatever size.

    Title and legend break into as many lines as the width of the figure asks for, so that the same
    figure can be saved for one column, two columns and a page.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.fits: list[Callable[[], None]] = []
        self.entries: dict[str, Artist] = {}
        self._fitted_px: float | None = None
        self._title = ""

    def draw(self, renderer: Any) -> None:
        """Draw in the look, after title, legend and labels were fitted to the size."""
        with style():
            self.fit()
            super().draw(renderer)

    def fit(self) -> None:
        """Fit title, legend and labels to the present size of the figure."""
        width = float(self.bbox.width)
        if width != self._fitted_px:
            self._fitted_px = width
            self._fit_title(width)
            self._fit_legend(width)
        for fit in self.fits:
            fit()

    def set_title(self, text: str) -> None:
        """Write the title at the left; it breaks between its parts where it is too long."""
        self._title, self._fitted_px = text, None
        self._write_title(text)

    def add_entries(self, entries: Sequence[Entry]) -> None:
        """Add entries to the one legend under the figure; each label has one entry."""
        for label, handle in entries:
            self.entries.setdefault(label, handle)
        self._fitted_px = None
        self._draw_legend(len(self.entries))

    def _draw_legend(self, columns: int) -> None:
        for old in list(self.legends):
            old.remove()
        # matplotlib fills columns; people read lines.
        labels = [label for first in range(columns) for label in list(self.entries)[first::columns]]
        self.legend(
            [self.entries[label] for label in labels],
            labels,
            loc="outside lower left",
            ncols=columns,
        )

    def _fit_legend(self, width: float) -> None:
        if not self.entries:
            return
        n = len(self.entries)
        for lines in range(1, n + 1):
            columns = -(-n // lines)
            self._draw_legend(columns)
            if self.legends[0].get_window_extent().width <= width * 0.98 or columns == 1:
                return

    def _fit_title(self, width: float) -> None:
        if not self._title:
            return
        lines: list[str] = []
        for part in self._title.split(" · "):
            longer = f"{lines[-1]} · {part}" if lines else part
            self._write_title(longer)
            fits = bool(lines) and self._width_of_title() <= width * 0.98
            lines = [*lines[:-1], longer] if fits else [*lines, part]
        self._write_title("\n".join(lines))

    def _write_title(self, text: str) -> None:
        self.suptitle(text, x=inches(PAD_MM) / self.get_figwidth(), ha="left")

    def _width_of_title(self) -> float:
        return float(cast(Any, self)._suptitle.get_window_extent().width)


def own_figure(ax: Axes | None) -> StyledFigure | None:
    """Return the figure of an Axes if it is eyelog's own, else None."""
    figure = None if ax is None else ax.get_figure(root=True)
    return figure if isinstance(figure, StyledFigure) else None


Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")


def plot_function(draw: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Give a function that draws the look, where the figure is eyelog's own, and its recipe.

    The look is not put on an Axes of the user. What the function returns, an Axes or an array of
    Axes, carries the recipe of the call: `eyelog.save_figure` writes it into the file.
    """
    signature = inspect.signature(draw)

    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
        ax = cast(Axes | None, kwargs.get("ax"))
        ours = not isinstance(ax, Axes) or own_figure(ax) is not None
        with style() if ours else nullcontext():
            result = draw(*args, **kwargs)
        called = signature.bind(*args, **kwargs)
        called.apply_defaults()
        recipe.attach(result, draw.__name__, called.arguments)
        return result

    return drawn


_unmanaged: Final[ContextVar[bool]] = ContextVar("unmanaged", default=False)


@contextmanager
def unmanaged() -> Iterator[None]:
    """Make figures that pyplot does not manage, so that nobody needs to close them."""
    token = _unmanaged.set(True)
    try:
        yield
    finally:
        _unmanaged.reset(token)


def axes(ax: Axes | None, *, height_mm: float = 60.0) -> Axes:
    """Return `ax`, or the Axes of a new figure of two columns' width."""
    return ax if ax is not None else panels([height_mm])[0]


def panels(
    heights_mm: Sequence[float], *, sharex: bool = True, around_mm: float = 18.0
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return the Axes of a new figure, one above the other.

    Parameters
    ----------
    heights_mm : sequence of float
        The height of each panel.
    sharex : bool
        Whether the panels have one x axis.
    around_mm : float
        What title, labels and legend take of the height.
    """
    height = min(sum(heights_mm) + around_mm, HIGHEST_MM)
    size = (inches(WIDTHS_MM["double"]), inches(height))
    figure: Figure
    if _unmanaged.get():
        figure = StyledFigure(figsize=size, layout=SteadyLayout())
    else:
        figure = plt.figure(FigureClass=StyledFigure, figsize=size, layout=SteadyLayout())
    made: np.ndarray[Any, np.dtype[np.object_]] = figure.subplots(
        len(heights_mm), 1, sharex=sharex, squeeze=False, height_ratios=list(heights_mm)
    )[:, 0]
    return made


def title(ax: Axes, text: str) -> None:
    """Write the title: over the whole figure if it is eyelog's own, else over the Axes."""
    figure = own_figure(ax)
    if figure is None:
        _title_within(ax, text)
    else:
        figure.set_title(text)


def _title_within(ax: Axes, text: str) -> None:
    """Write a title over an Axes of the user, in as many lines as its width asks for."""
    lines: list[str] = []
    for part in text.split(" · "):
        longer = f"{lines[-1]} · {part}" if lines else part
        made = ax.set_title(longer, loc="left", fontsize="small")
        fits = bool(lines) and made.get_window_extent().width <= ax.get_window_extent().width
        lines = [*lines[:-1], longer] if fits else [*lines, part]
    ax.set_title("\n".join(lines), loc="left", fontsize="small")


def legend(ax: Axes, entries: Sequence[Entry]) -> None:
    """Explain colours and marks in one line under the figure, or under an Axes of the user.

    In a figure of eyelog's own, panels share one legend: equal labels have one entry.
    """
    figure = own_figure(ax)
    if figure is not None:
        figure.add_entries(entries)
        return
    labels, handles = [label for label, _ in entries], [handle for _, handle in entries]
    # Beneath the labels of the x axis, and no wider than the Axes: a wider one would push the
    # neighbours aside.
    beneath = ax.transAxes + ScaledTranslation(0, -BENEATH_PT / 72, ax.figure.dpi_scale_trans)
    for columns in range(len(labels), 0, -1):
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
        if made.get_window_extent().width <= ax.get_window_extent().width:
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


def sequential(meaning: str = "usable") -> Colormap:
    """Return a scale that begins light; what has no value is plain light grey (masked)."""
    scale = LinearSegmentedColormap.from_list(f"eyelog {meaning}", SEQUENTIAL[meaning])
    return scale.with_extremes(bad=COLOURS["masked"])
