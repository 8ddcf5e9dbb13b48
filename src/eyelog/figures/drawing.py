"""What every drawing function shares: its decorator, its keywords, its Axes and its title.

A figure function is written like this::

    @plot_function
    def plot_thing(table, **options: Unpack[AxesOptions]) -> Axes:
        ...                                     # check the table first
        ax = axes(options.get("ax"), height_mm=60)
        ax.plot(..., color=COLOURS["usable"])
        set_title(ax, title_of(table), options.get("title"))   # figures/labels.py
        legend(ax, [patch("usable"), line("7-day median", "reference")])
        return ax

`help` and completion show `ax` and `title`, the keywords in `AxesOptions`, in the signature.
`plot_function` applies the look if the figure is eyelog's own, and attaches the recipe that
`eyelog.save_figure` writes into the file (figures/recipe.py).
"""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, ParamSpec, TypedDict, TypeVar, cast

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.figure import Figure, FigureBase
from matplotlib.layout_engine import TightLayoutEngine

from eyelog.analysis.shared_parameters import shared_parameters
from eyelog.errors import ConfigurationError, EyelogWarning, argument
from eyelog.figures import ground, recipe
from eyelog.figures.style import COLOURS, HIGHEST_MM, WIDTHS_MM, inches, style
from eyelog.figures.styled_figure import SteadyLayout, StyledFigure, own_figure, title_lines
from eyelog.keywords import refuse_unknown, show_options

__all__ = [
    "AxesOptions",
    "axes",
    "grid",
    "has_fixed_places",
    "laid_out_width",
    "lay_out",
    "length_pt",
    "margins",
    "panels",
    "plot_function",
    "set_title",
    "unmanaged",
]


class AxesOptions(TypedDict, total=False):
    """The keywords of every figure of one panel: where it is drawn, and the words above it."""

    ax: Axes | None
    title: str | None


SAID: Final = "_eyelog_has_said_what_is_cut_off"

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
            _say_if_cut_off(made)
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
    if ax is None:
        return cast(Axes, panels([height_mm])[0])
    _make_room_in(cast(Figure, ax.get_figure(root=True)))
    return ax


PLACES: Final = ("left", "right", "bottom", "top", "wspace", "hspace")


class RoomLayout(TightLayoutEngine):
    """Room for words in a figure whose user chose no layout and has not placed the subplots.

    matplotlib's fixed margins would cut off dates, names and legends. The tight layout is the one
    that `subplots_adjust`, `tight_layout` and colour bars of the user work with; this one gives way
    as soon as the user places the subplots.
    """

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self._left_them_at = _places(figure)

    def gives_way(self, figure: Figure) -> bool:
        """Return whether the user has placed the subplots since."""
        return _places(figure) != self._left_them_at or not _all_are_subplots(figure)

    def execute(self, fig: Figure) -> None:
        """Place the Axes, unless the user has."""
        if not self.gives_way(fig):
            super().execute(fig)
            self._left_them_at = _places(fig)


def _places(figure: Figure) -> tuple[float, ...]:
    return tuple(float(getattr(figure.subplotpars, name)) for name in PLACES)


def _all_are_subplots(figure: Figure) -> bool:
    return all(ax.get_subplotspec() is not None and ax.get_in_layout() for ax in figure.axes)


def _make_room_in(figure: Figure) -> None:
    """Give a user's figure a layout that makes room for words, if nobody has placed its Axes."""
    if isinstance(figure, StyledFigure) or figure.get_layout_engine() is not None:
        return
    settings = cast(Mapping[str, Any], mpl.rcParams)
    usual = tuple(float(settings[f"figure.subplot.{name}"]) for name in PLACES)
    specs = [ax.get_subplotspec() for ax in figure.axes]
    grids = [spec.get_gridspec() for spec in specs if spec is not None]
    given = any(getattr(of, name, None) is not None for of in grids for name in PLACES)
    plain = _all_are_subplots(figure) and not figure.subfigs
    if plain and not given and _places(figure) == usual:
        figure.set_layout_engine(RoomLayout(figure))


def _say_if_cut_off(made: Sequence[Axes]) -> None:
    """Warn once if words on a user's Axes leave the figure, or lie on another of its Axes."""
    figure = cast(Any, made[0].get_figure(root=True))
    if not has_fixed_places(made[0]) or getattr(figure, SAID, False):
        return
    renderer = figure._get_renderer()
    page = figure.bbox.padded(1.0)
    others = [other.bbox for other in figure.axes if other not in made]
    for ax in made:
        box = ax.get_tightbbox(renderer)
        beside = [other for other in others if other.overlaps(ax.bbox) == 0]  # not a twin
        if box is None:
            continue
        inside = page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1)
        if not inside or any(box.overlaps(other) for other in beside):
            setattr(figure, SAID, True)
            warnings.warn(
                "words of this figure are cut off, or lie on its other Axes: leave more room"
                ' between them, or make it with plt.subplots(layout="constrained")',
                EyelogWarning,
                stacklevel=4,
            )
            return


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
        _make_room_in(fig.get_figure(root=True))
        return _panels_in(fig, heights_mm, widths, sharex=sharex, sharey=sharey)
    height = min(sum(heights_mm) + around_mm, HIGHEST_MM)
    size = (inches(WIDTHS_MM["double"]), inches(height))
    with style():
        figure: StyledFigure
        if not _unmanaged.get():
            figure = cast(
                StyledFigure,
                plt.figure(FigureClass=StyledFigure, figsize=size, layout=SteadyLayout()),
            )
        else:
            figure = StyledFigure(figsize=size, layout=SteadyLayout())
        figure.panels_in = inches(sum(heights_mm))
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
    """Write the title: over the whole figure if it is eyelog's own, otherwise over the Axes.

    Parameters
    ----------
    ax : Axes
        An Axes of the figure.
    ours : str
        The title that eyelog gives; its parts are divided by ``" · "``.
    given : str, optional
        What the user wants instead; ``""`` for no title.
    fig : Figure or SubFigure, optional
        The user's figure; the title is above all of its panels.
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

    fig.suptitle("\n".join(title_lines(text, fits)), x=0.01, ha="left", fontsize="small")


def _title_within(ax: Axes, text: str) -> None:
    """Write a title over a user's Axes, in as many lines as its width requires."""
    room = laid_out_width(ax)

    def fits(line: str) -> bool:
        made = ax.set_title(line, loc="left", fontsize="small")
        return made.get_window_extent().width <= room

    ax.set_title("\n".join(title_lines(text, fits)), loc="left", fontsize="small")


def laid_out_width(ax: Axes) -> float:
    """Return the width in pixels that a user's figure gives an Axes, names of rows considered."""
    lay_out(ax)
    place = ax.get_position(original=True)
    return float(place.width * ax.figure.bbox.width)


def lay_out(ax: Axes) -> None:
    """Place the Axes of a user's figure as its layout will: words are fitted to the space left."""
    figure = cast(Figure, ax.get_figure(root=True))
    engine = figure.get_layout_engine()
    if engine is not None and own_figure(ax) is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # drawing the figure gives the same warnings
            engine.execute(figure)


def has_fixed_places(ax: Axes) -> bool:
    """Return whether no layout makes room for words in a user's figure: its margins are fixed."""
    figure = cast(Figure, ax.get_figure(root=True))
    engine = figure.get_layout_engine()
    if isinstance(engine, RoomLayout):
        return engine.gives_way(figure)
    return own_figure(ax) is None and engine is None


def margins(ax: Axes) -> tuple[float, float]:
    """Return where in pixels the space beside an Axes ends: at a neighbour, or at the edge."""
    figure, mine = cast(Figure, ax.get_figure(root=True)), ax.bbox
    beside = [
        other.bbox
        for other in figure.axes
        if other is not ax and other.bbox.y0 < mine.y1 and other.bbox.y1 > mine.y0
    ]
    left = max((float(box.x1) for box in beside if box.x1 <= mine.x0), default=0.0)
    right = min((float(box.x0) for box in beside if box.x0 >= mine.x1), default=figure.bbox.x1)
    return left, float(right)


def length_pt(axis: Axis) -> float:
    """Return the present length of an axis in points."""
    box, figure = axis.axes.bbox, axis.axes.get_figure(root=True)
    length = box.width if isinstance(axis, XAxis) else box.height
    return float(length / (figure.dpi if figure is not None else 72.0) * 72.0)
