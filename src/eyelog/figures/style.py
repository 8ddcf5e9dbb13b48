"""The one look of all figures: colours by meaning, sizes in millimetres, type, lines, legends.

The look belongs to the figures that eyelog makes itself. It applies while such a figure is built
and each time it is drawn, never at import, and never to an Axes that a user passes in. A figure
function is written like this::

    @plot_function
    def plot_thing(table, **place: Unpack[Place]) -> Axes:
        ...                                     # check the table first
        ax = axes(place.get("ax"), height_mm=60)
        ax.plot(..., color=COLOURS["usable"])
        set_title(ax, title_of(table), place.get("title"))   # figures/labels.py
        legend(ax, [patch("usable"), line("7-day median", "reference")])
        return ax

`help` and completion show `ax` and `title`, the keywords of a `Place`, in the signature.
`plot_function` applies the look if the figure is eyelog's own, and attaches the recipe that
`eyelog.save_figure` writes into the file (figures/recipe.py).
"""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache, partial, wraps
from types import MappingProxyType
from typing import Any, Final, Literal, ParamSpec, TypedDict, TypeVar, cast

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure, FigureBase
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.offsetbox import HPacker, TextArea, VPacker
from matplotlib.patches import Patch
from matplotlib.rcsetup import cycler
from matplotlib.text import Text
from matplotlib.transforms import Bbox, ScaledTranslation

from eyelog.analysis.shared_parameters import shared_parameters
from eyelog.errors import ConfigurationError, argument
from eyelog.figures import fonts, ground, recipe
from eyelog.keywords import refuse_unknown, show_options

__all__ = [
    "COLOURS",
    "HATCH",
    "HIGHEST_MM",
    "SEQUENTIAL",
    "SMALL_PT",
    "TEXT_PT",
    "WIDTHS_MM",
    "Place",
    "StyledFigure",
    "Width",
    "axes",
    "grid",
    "inches",
    "lay_out",
    "legend",
    "length_pt",
    "line",
    "no_record",
    "own_figure",
    "panel_legend",
    "panels",
    "patch",
    "plot_function",
    "sequential",
    "set_title",
    "style",
    "unmanaged",
]

Width = Literal["single", "double", "page"]

WIDTHS_MM: Final[Mapping[str, float]] = MappingProxyType({"single": 89, "double": 183, "page": 247})
"""One column and two columns of a journal, and a whole page turned on its side."""

HIGHEST_MM: Final = 170  # a journal's page, with room for the caption

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
        # Values and the marks beside them.
        "worn": "#8FA9BD",  # worn, but not usable
        "masked": "#E4E4E4",
        "interval": "#8FA9BD",
        "reference": "#444444",  # medians, typical values, limits, models
        "trace": "#555555",
        "second": "#B0652A",
        "usual range": "#E6E6E6",
        "usual rim": "#B0B0B0",
        "before": "#77829A",  # or the first group; always a square
        "after": "#17602F",  # or the second group; always a circle
        "pair": "#9A9A9A",
        "difference": "#222222",
        # Hours worn on a day, from pale to dark; 12 h and more are in the colour of usable.
        "worn 4 to 8 h": "#9DB8CC",
        "worn 8 to 12 h": "#4F7FA5",
        "head": "#7A4413",
        "head interval": "#BFA089",
        "score": "#8C82D9",
        "walking edge": "#A96A12",  # on white, the colour of walking alone is too light
        "event": "#2F8F7B",
        "before event": "#E0EDEA",
        "flagged": "#D1495B",  # highlights: removed by a condition, outside the usual range
        "true": "#5F6B76",
        "false": "#E4E4E4",
        "weekday": "#17456B",
        "weekend": "#F4F1EA",
        "weekend strip": "#E0D8C3",  # where weekends show only as a narrow strip
        # The frame of a figure.
        "text": "#222222",
        "quiet": "#565656",
        "axis": "#555555",
        "grid": "#E6E6E6",
        "hatch": "#BBBBBB",
        "pale hatch": "#DCDCDC",  # behind values, where a ribbon's hatching would be too prominent
    }
)
"""The colour of each meaning; no figure names a colour of its own."""

HATCH: Final = "////"

SEQUENTIAL: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        # From light to dark, and never white: zero has a colour of the scale, no record is white.
        "usable": ("#E3EDF4", "#A9C6DA", "#6A9BBE", "#37709B", "#17456B", "#0B2438"),
        "walking": ("#FBEBD3", "#F7CD8F", "#EFA33A", "#C9741A", "#8E4A10", "#4F2708"),
        "noisy": ("#FAE3E4", "#EFB0B4", "#DF7683", "#C2394D", "#8A2033", "#4B0F1A"),
    }
)

TEXT_PT: Final = 7.0
SMALL_PT: Final = 6.0
LINE_PT: Final = 0.6
BENEATH_PT: Final = 34.0  # on a user's Axes: the legend, under two lines of labels and a name
LEGEND_GAP_PT: Final = 2.0
PAD_MM: Final = 0.7
SHORTEST_PART: Final = 12  # characters of a title that are not shortened further


def inches(mm: float) -> float:
    """Return millimetres in inches, the unit of matplotlib."""
    return mm / 25.4


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
        "text.parse_math": False,  # a dollar sign in a diary is one
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
    """Apply the look, whatever settings the user has, and restore theirs afterwards."""
    if _in_force.get():  # applying it again takes as long as drawing a small figure
        yield
        return
    token = _in_force.set(True)
    try:
        with mpl.style.context(["default", {**_settings(), "font.family": fonts.families()}]):
            yield
    finally:
        _in_force.reset(token)


Entry = tuple[str, Artist]


class SteadyLayout(ConstrainedLayoutEngine):
    """The constrained layout, without noise in its last digits.

    Its solver works through variables in the order of their addresses, so that the same figure
    differs by 1e-13 in the next run, and SVG names its clips after such numbers.
    """

    def execute(self, fig: Figure) -> None:
        """Place the Axes, to a millionth of a millimetre."""
        for _ in range(getattr(fig, "layouts", 1)):
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
        self.fits: list[Callable[[], object]] = []
        # Artists placed beneath an Axes by a share of its height need different room after the
        # first layout has changed that height.
        self.layouts = 1
        self.entries: dict[str, Artist] = {}
        self._fitted_px: float | None = None
        self._title = ""
        self._panel_titles: tuple[str, ...] = ()
        self._note: tuple[str, str] = ("", "")

    def draw(self, renderer: Any) -> None:
        """Draw with the look, after fitting title, legend and labels to the size."""
        with style(), fonts.letters_missed() as missed:
            self.fit()
            super().draw(renderer)
        if missed and fonts.find_letters(missed):
            self._set_families()
            with style(), fonts.letters_missed() as missed:
                self.fit()
                super().draw(renderer)
        fonts.say_that_letters_are_missing(missed)

    def savefig(self, *args: Any, **settings: Any) -> None:
        """Save the figure, and say so if the font that journals want is not there."""
        fonts.say_that_the_font_is_replaced()
        super().savefig(*args, **settings)

    def _set_families(self) -> None:
        """Let all texts have the letters of fonts that have been found since they were made."""
        for text in self.findobj(Text):
            text.set_fontfamily(list(dict.fromkeys([*text.get_fontfamily(), *fonts.families()])))
        self._fitted_px = None

    def fit(self) -> None:
        """Fit title, legend and labels to the present size of the figure."""
        width = float(self.bbox.width)
        if self._title and self._panel_titles != self._titles_of_first_panel():
            self.suptitle("")  # the user has put a title in the place of ours
        for fit in self.fits:  # one may need a note in the legend
            fit()
        if width != self._fitted_px:
            self._fitted_px = width
            self._fit_title(width)
            self._fit_legend(width)

    def set_title(self, text: str) -> None:
        """Write the title at the left; it breaks between its parts if it is too long."""
        self._title, self._fitted_px = text, None
        self.keep_panel_titles()
        if text:
            self._write_title(text)

    def suptitle(self, t: str, **kwargs: Any) -> Text:
        """Set the title of the figure; the user's own takes the place of eyelog's."""
        self._title = ""
        return super().suptitle(t, **kwargs)

    def keep_panel_titles(self) -> None:
        """Remember how eyelog has titled the first panel, to see when the user titles it."""
        self._panel_titles = self._titles_of_first_panel()

    def _titles_of_first_panel(self) -> tuple[str, ...]:
        places: tuple[Literal["left", "center", "right"], ...] = ("left", "center", "right")
        return tuple(self.axes[0].get_title(place) for place in places) if self.axes else ()

    def add_entries(self, entries: Sequence[Entry]) -> None:
        """Add entries to the one legend under the figure; each label has one entry."""
        for label, handle in entries:
            self.entries.setdefault(label, handle)
        if "no record" in self.entries:  # after the states of all panels
            self.entries["no record"] = self.entries.pop("no record")
        self._fitted_px = None
        self._draw_legend(len(self.entries))

    @property
    def note(self) -> tuple[str, str]:
        """What is written above the legend: the result, and what it is based on."""
        return self._note

    def set_note(self, result: str, facts: str) -> None:
        """Write above the legend what the figure says (bold), and what that is based on."""
        self._note, self._fitted_px = (result, facts), None
        self._draw_legend(len(self.entries))

    def height_at(self, width_in: float) -> float:
        """Return the height in inches that keeps the panels' height at another width.

        At a narrower width, title and legend have more lines, which need room.
        """
        width, height = (float(side) for side in self.get_size_inches())
        with style(), fonts.letters_missed():
            self.fit()
            lines_here = self._lines_in()
            self.set_size_inches(width_in, height, forward=False)
            self.fit()
            lines_at_width = self._lines_in()
            self.set_size_inches(width, height, forward=False)
        needed = height + lines_at_width - lines_here
        return max(min(needed, inches(HIGHEST_MM)), min(height, inches(HIGHEST_MM)))

    def _lines_in(self) -> float:
        """Return the height of the lines of title and legend, in inches."""
        parts = [*self.legends, *([cast(Any, self)._suptitle] if self._title else [])]
        renderer = cast(Any, self)._get_renderer()
        return sum(float(part.get_window_extent(renderer).height) for part in parts) / self.dpi

    def _draw_legend(self, columns: int) -> None:
        for old in list(self.legends):
            old.remove()
        # matplotlib fills columns; people read lines.
        labels = [label for first in range(columns) for label in list(self.entries)[first::columns]]
        made: Any = self.legend(
            [self.entries[label] for label in labels],
            labels,
            loc="outside lower left",
            ncols=columns,
        )
        room = float(self.bbox.width) * 0.98
        noted = [
            self._text_within(text, weight, room)
            for text, weight in zip(self._note, ("bold", "normal"), strict=True)
            if text
        ]
        if noted:
            made._legend_box.align = "left"
            made._legend_box._children[:0] = noted
            made._legend_box.set_figure(self)

    def _text_within(self, text: str, weight: str, room: float) -> TextArea:
        """Return a text of the legend, broken at spaces into lines of a width."""
        look = {"size": SMALL_PT, "weight": weight, "color": COLOURS["text"]}
        area = TextArea(text, textprops=look)
        area.set_figure(self)
        renderer = cast(Any, self)._get_renderer()
        lines: list[str] = []
        for word in text.split(" "):
            area.set_text(f"{lines[-1]} {word}" if lines else word)
            if lines and area.get_window_extent(renderer).width <= room:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        area.set_text("\n".join(lines))
        return area

    def _fit_legend(self, width: float) -> None:
        if not self.entries:
            return
        n = len(self.entries)
        self._draw_legend(n)
        if self._legend_fits(width) or n == 1:
            return
        running = self._running_lines(width * 0.98)
        for lines in range(2, len(running) + 2):
            columns = -(-n // lines)
            self._draw_legend(columns)
            if self._legend_fits(width) or columns == 1:
                return
        self._draw_legend(n)
        self._set_running(self._running_lines(width * 0.98))

    def _legend_fits(self, width: float) -> bool:
        return float(self.legends[0].get_window_extent().width) <= width * 0.98

    def _running_lines(self, width: float) -> list[list[Any]]:
        """Break the entries of a one-line legend into lines, like the words of a text."""
        made: Any = self.legends[0]
        gap = mpl.rcParams["legend.columnspacing"] * SMALL_PT * self.dpi / 72
        lines: list[list[Any]] = []
        taken = 0.0
        for column in made._legend_handle_box.get_children():
            (entry,) = column.get_children()
            wide = float(entry.get_window_extent().width)
            if lines and taken + gap + wide <= width:
                lines[-1].append(entry)
                taken += gap + wide
            else:
                lines.append([entry])
                taken = wide
        return lines

    def _set_running(self, lines: list[list[Any]]) -> None:
        """Set entries line by line: one long label would make a column of the whole legend."""
        made: Any = self.legends[0]
        across = mpl.rcParams["legend.columnspacing"] * SMALL_PT
        down = mpl.rcParams["legend.labelspacing"] * SMALL_PT
        packed: list[Any] = [
            HPacker(pad=0, sep=across, align="baseline", children=line) for line in lines
        ]
        box: Any = VPacker(pad=0, sep=down, align="baseline", children=packed)
        box.set_figure(self)
        made._legend_box._children[-1] = box
        made._legend_handle_box = box

    def _fit_title(self, width: float) -> None:
        if not self._title:
            return

        def fits(text: str) -> bool:
            self._write_title(text)
            return self._width_of_title() <= width * 0.98

        self._write_title("\n".join(_lines(self._title, fits)))

    def _write_title(self, text: str) -> None:
        super().suptitle(text, x=inches(PAD_MM) / self.get_figwidth(), ha="left")

    def _width_of_title(self) -> float:
        # A text remembers the renderer that first measured it, whatever its resolution.
        renderer = cast(Any, self)._get_renderer()
        return float(cast(Any, self)._suptitle.get_window_extent(renderer).width)


def own_figure(ax: Axes | None) -> StyledFigure | None:
    """Return the figure of an Axes if it is eyelog's own, else None."""
    figure = None if ax is None else ax.get_figure(root=True)
    return figure if isinstance(figure, StyledFigure) else None


@cache
def _load_backend() -> None:
    """Load pyplot's backend before the look applies for the first time.

    The backend of notebooks turns interactive mode on while it is loaded, and `style` would turn it
    off again: only the first cell would show its figure. Asking for the backend's name is not
    enough: a backend that is named in the environment is loaded only for the first figure.
    """
    plt.switch_backend(mpl.get_backend())


class Place(TypedDict, total=False):
    """Where a figure of one panel is drawn, and what stands over it: keywords of its function."""

    ax: Axes | None
    title: str | None


Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")


def plot_function(draw: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Give a drawing function the look, if the figure is eyelog's own, and its recipe.

    The look is not applied to a user's Axes. The returned Axes, or array of Axes, carries the
    recipe of the call: `eyelog.save_figure` writes it into the file.
    """
    shared_parameters(draw)
    if inspect.getfullargspec(draw).varkw:
        show_options(draw)
    signature = inspect.signature(draw)

    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
        if "ax" in kwargs and "ax" not in signature.parameters:
            raise ConfigurationError(
                f"{draw.__name__} takes no {argument('ax')}: it draws several panels, "
                + (
                    f"and takes a figure or a part of one, {argument('fig')}"
                    if "fig" in signature.parameters
                    else "in a figure of its own"
                )
            )
        unknown = {name: kwargs[name] for name in kwargs if name not in signature.parameters}
        refuse_unknown(unknown, draw.__name__)
        place = kwargs.get("ax") or kwargs.get("fig")
        given = isinstance(place, Axes | FigureBase)
        ours = not given or isinstance(cast(Any, place).get_figure(root=True), StyledFigure)
        if ours and not _unmanaged.get():
            _load_backend()
        with style() if ours else nullcontext():
            result = draw(*args, **kwargs)
        called = signature.bind(*args, **kwargs)
        called.apply_defaults()
        recipe.attach(result, draw.__name__, called.arguments)
        made: list[Axes] = np.ravel(cast(Any, result)).tolist()
        figure = own_figure(made[0])
        if figure is not None:
            figure.keep_panel_titles()
        else:
            for ax in made:
                ground.keep_readable(ax, white=COLOURS["no record"], text=COLOURS["text"])
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
    heights_mm: Sequence[float],
    *,
    sharex: bool = True,
    around_mm: float = 18.0,
    fig: FigureBase | None = None,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return the Axes of a new figure, or of one that is given, one above the other.

    Parameters
    ----------
    heights_mm : sequence of float
        The height of each panel.
    sharex : bool
        Whether the panels share one x axis.
    around_mm : float
        The height taken by title, labels and legend.
    fig : Figure or SubFigure, optional
        A user's figure without Axes, or a part of one.
    """
    return grid(heights_mm, [1.0], sharex=sharex, around_mm=around_mm, fig=fig)[:, 0]


def grid(
    heights_mm: Sequence[float],
    widths: Sequence[float],
    *,
    sharex: bool = False,
    sharey: bool = False,
    around_mm: float = 18.0,
    fig: FigureBase | None = None,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return the Axes of a new figure, or of one that is given, by row and column.

    Parameters
    ----------
    heights_mm, widths : sequence of float
        The height of each row, and how wide the columns are beside each other.
    sharex, sharey : bool
        Whether the panels of a column share one x axis, and those of a row one y axis.
    around_mm : float
        The height taken by title, labels and legend.
    fig : Figure or SubFigure, optional
        A user's figure without Axes, or a part of one.
    """
    if fig is not None:
        return _panels_in(fig, heights_mm, widths, sharex=sharex, sharey=sharey)
    height = min(sum(heights_mm) + around_mm, HIGHEST_MM)
    size = (inches(WIDTHS_MM["double"]), inches(height))
    managed = not _unmanaged.get()
    if managed:
        _load_backend()
    with style():
        figure: Figure
        if managed:
            figure = plt.figure(FigureClass=StyledFigure, figsize=size, layout=SteadyLayout())
        else:
            figure = StyledFigure(figsize=size, layout=SteadyLayout())
        return _panels_in(figure, heights_mm, widths, sharex=sharex, sharey=sharey)


def _panels_in(
    figure: FigureBase,
    heights: Sequence[float],
    widths: Sequence[float],
    *,
    sharex: bool,
    sharey: bool,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    made: np.ndarray[Any, np.dtype[np.object_]] = figure.subplots(
        len(heights),
        len(widths),
        sharex="col" if sharex else False,
        sharey="row" if sharey else False,
        squeeze=False,
        height_ratios=list(heights),
        width_ratios=list(widths),
    )
    return made


def set_title(
    ax: Axes, ours: str, given: str | None = None, *, fig: FigureBase | None = None
) -> None:
    """Write the title: over the whole figure if it is eyelog's own, else over the Axes.

    Parameters
    ----------
    ax : Axes
        An Axes of the figure.
    ours : str
        The title that eyelog gives; its parts are divided by ``" · "``.
    given : str, optional
        What the user wants in its place; ``""`` for no title.
    fig : Figure or SubFigure, optional
        The user's figure, over all panels of which it stands.
    """
    text = ours if given is None else given
    figure = own_figure(ax)
    if figure is not None:
        figure.set_title(text)
    elif fig is not None and text:
        _title_over(fig, text)
    elif text:
        _title_within(ax, text)


def _title_over(fig: FigureBase, text: str) -> None:
    """Write a title over a user's figure or a part of one, in as many lines as it requires."""
    room = 0.98 * float(cast(Figure, fig).bbox.width)

    def fits(line: str) -> bool:
        made = fig.suptitle(line, x=0.01, ha="left", fontsize="small")
        return made.get_window_extent().width <= room

    fig.suptitle("\n".join(_lines(text, fits)), x=0.01, ha="left", fontsize="small")


def _title_within(ax: Axes, text: str) -> None:
    """Write a title over a user's Axes, in as many lines as its width requires."""
    room = _laid_out_width(ax)

    def fits(line: str) -> bool:
        made = ax.set_title(line, loc="left", fontsize="small")
        return made.get_window_extent().width <= room

    ax.set_title("\n".join(_lines(text, fits)), loc="left", fontsize="small")


def _lines(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Break a title between its parts; a part that is too long by itself loses its middle."""
    lines: list[str] = []
    for part in text.split(" · "):
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and fits(longer):
            lines[-1] = longer
            continue
        shown, kept = part, len(part)
        while kept > SHORTEST_PART and not fits(shown):
            kept -= 1
            tail = kept // 2
            shown = f"{part[: kept - tail]}\N{HORIZONTAL ELLIPSIS}{part[len(part) - tail :]}"
        lines.append(shown)
    return lines


def legend(ax: Axes, entries: Sequence[Entry], *, note: str = "") -> None:
    """Explain colours and marks in one line under the figure, or under a user's Axes.

    In a figure of eyelog's own, panels share one legend: equal labels have one entry. A note stands
    above the legend of a user's Axes; that of an own figure is its `StyledFigure.note`.
    """
    figure = own_figure(ax)
    if figure is not None:
        figure.add_entries(entries)
        return
    labels, handles = [label for label, _ in entries], [handle for _, handle in entries]
    # Beneath the labels of the x axis, and no wider than the Axes: a wider one would push the
    # neighbours aside.
    room = _laid_out_width(ax)
    down = max(BENEATH_PT, _beneath_pt(ax) + LEGEND_GAP_PT)
    beneath = ax.transAxes + ScaledTranslation(0, -down / 72, ax.figure.dpi_scale_trans)
    for columns in (*range(len(labels), 0, -1), 1):
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
        excess = made.get_window_extent().width - room
        if excess <= 0:
            break
        if columns == 1:
            widest = max(text.get_window_extent().width for text in made.get_texts())
            for text in made.get_texts():
                _break_at_spaces(text, widest - excess)
            labels = [text.get_text() for text in made.get_texts()]
    if note:
        made.set_title(note, prop=FontProperties(size="small"))
        made.set_alignment("left")
        _break_at_spaces(made.get_title(), room)


def _break_at_spaces(text: Text, room: float) -> None:
    """Break a text into lines of at most a width, in pixels."""
    lines: list[str] = []
    for word in text.get_text().split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        text.set_text(longer)
        if lines and text.get_window_extent().width <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    text.set_text("\n".join(lines))


def _laid_out_width(ax: Axes) -> float:
    """Return the width in pixels that a user's figure gives an Axes, names of rows considered."""
    lay_out(ax)
    place = ax.get_position(original=True)
    return float(place.width * ax.figure.bbox.width)


def lay_out(ax: Axes) -> None:
    """Place the Axes of a user's figure as its layout will: words are fitted to what it leaves."""
    figure = cast(Figure, ax.get_figure(root=True))
    engine = figure.get_layout_engine()
    if engine is not None and own_figure(ax) is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # drawing the figure gives the same warnings
            engine.execute(figure)


def length_pt(axis: Axis) -> float:
    """Return the present length of an axis in points."""
    box, figure = axis.axes.bbox, axis.axes.get_figure(root=True)
    length = box.width if isinstance(axis, XAxis) else box.height
    return float(length / (figure.dpi if figure is not None else 72.0) * 72.0)


def _beneath_pt(ax: Axes) -> float:
    """Return how far the labels of the x axis, and those of its strips, reach under an Axes."""
    figure: Any = ax.get_figure(root=True)
    boxes = [each.xaxis.get_tightbbox(figure._get_renderer()) for each in (ax, *ax.child_axes)]
    lowest = min((float(box.y0) for box in boxes if box is not None), default=float(ax.bbox.y0))
    return (float(ax.bbox.y0) - lowest) * 72 / float(figure.dpi)


def panel_legend(ax: Axes, entries: Sequence[Entry], *, shared: Sequence[Entry] = ()) -> None:
    """Explain the marks of one of several panels above it, and those they share as `legend` does.

    One panel by itself has everything in one legend.
    """
    figure = own_figure(ax)
    if figure is None or len(figure.axes) == 1:
        legend(ax, [*shared, *entries])
        return
    if shared:
        figure.add_entries(shared)
    if not entries:
        return
    fit = partial(_fit_panel_legend, ax, list(entries))
    fit()
    figure.fits.append(fit)


def _fit_panel_legend(ax: Axes, entries: list[Entry]) -> None:
    labels, handles = [label for label, _ in entries], [handle for _, handle in entries]
    # The figure is laid out only later: its labels take up to a fifth of the width.
    room = 0.8 * float(ax.figure.bbox.width)
    for columns in range(len(labels), 0, -1):
        made = ax.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0.4,
            ncols=columns,
        )
        if made.get_window_extent().width <= room:
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
