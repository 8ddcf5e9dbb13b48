"""How a figure is made: its Axes, its title, its legend and note; and what explains its marks.

A figure function is written like this::

    @plot_function
    def plot_thing(table, *, ax=None, title=None) -> Axes:
        ...                                     # check the table first
        ax = axes(ax, height_mm=60)
        ax.plot(..., color=COLOURS["usable"])
        set_title(ax, title_of(table), title)   # figures/labels.py
        legend(ax, [patch("usable"), line("7-day median", "reference")])
        return ax

matplotlib's constrained layout places everything, and each artist stays as its user leaves it.
"""

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, Literal, ParamSpec, TypeVar, cast
from unicodedata import east_asian_width

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, FigureBase
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from eyelog.errors import ConfigurationError
from eyelog.figures import recipe
from eyelog.figures.labels import ROW_CHARACTERS, short_names
from eyelog.figures.style import (
    COLOURS,
    HATCH,
    HIGHEST_MM,
    LINE_PT,
    PAD_MM,
    SMALL_PT,
    TEXT_PT,
    WIDTHS_MM,
    inches,
    style,
)
from eyelog.frame import takes_tables

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")
Panels = np.ndarray[Any, np.dtype[np.object_]]
Entry = tuple[str, Artist]

EM: Final = 0.5  # how wide a letter is, in sizes of type
BEFORE_LAYOUT: Final = 0.75  # a layout makes Axes shorter than they are when they are drawn on
AROUND_PT: Final = 12.0  # on a user's Axes: between axis, labels, name and legend
MOST_OF_HEIGHT: Final = 0.25  # of a user's Axes, that a legend may take
LEAST_CONTRAST: Final = 4.5  # of a text with its background (WCAG 2, level AA)
LINE_IN: Final = 1.2 * TEXT_PT / 72
FEWEST: Final = 6  # characters of a name of a row


@dataclass
class Sheet:
    """What eyelog has written on a figure of its own; the figure keeps it as ``eyelog_sheet``."""

    entries: dict[str, Artist] = field(default_factory=dict)
    title: str = ""
    note: tuple[str, ...] = ()
    legend: Legend | None = None
    words_in: float | None = None  # how high the legend, and more lines of the title, are


class SteadyLayout(ConstrainedLayoutEngine):
    """The constrained layout from the same beginning each time, without noise in its last digits.

    Its solver works through variables in the order of their addresses, so that the same figure
    differs by 1e-13 in the next run, and SVG names its clips after such numbers.
    """

    def execute(self, fig: Figure) -> None:
        """Place the Axes, to a millionth of a millimetre, and let the legend keep to the width."""
        sheet = getattr(fig, "eyelog_sheet", Sheet())
        if sheet.legend in fig.legends and _is_wide(fig, sheet.legend):
            with style():
                _write_legend(fig)
        placed = [ax for ax in fig.axes if ax.get_in_layout() and ax.get_subplotspec() is not None]
        for ax in placed:
            place = cast(Any, ax.get_subplotspec()).get_position(fig)
            ax.set_position(place, which="both")
            ax.set_in_layout(True)
        # Parts beneath an Axes by a share of its height need other space once that has changed.
        for _ in range(2 if any(ax.child_axes for ax in placed) else 1):
            super().execute(fig)
        for ax in placed:
            place = np.round(ax.get_position(original=True).bounds, 8).tolist()
            ax.set_position(place, which="original")
            ax.set_in_layout(True)


def plot_function(draw: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Give a drawing function the look, if the figure is eyelog's own, and its recipe.

    It takes tables of any kind. The look is not applied to a user's Axes. The returned Axes, or
    array of Axes, carries the recipe of the call: `eyelog.save_figure` writes it into the file.
    """
    signature = inspect.signature(draw)

    @takes_tables
    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
        if "ax" in kwargs and "ax" not in signature.parameters:
            raise ConfigurationError(
                f"{draw.__name__} takes no ax=: it draws several panels, and takes a figure or a"
                " part of one, fig="
            )
        place: Any = kwargs.get("ax") if kwargs.get("ax") is not None else kwargs.get("fig")
        users = isinstance(place, Axes | FigureBase) and not _is_own(place.figure.figure)
        with nullcontext() if users else style():
            result = draw(*args, **kwargs)
        called = signature.bind(*args, **kwargs)
        called.apply_defaults()
        recipe.attach(result, draw.__name__, called.arguments)
        made: list[Axes] = np.ravel(cast(Any, result)).tolist()
        if users:
            for ax in made:
                _keep_readable(ax)
        elif own_figure(made[0]) is not None:
            write_words(cast(Figure, own_figure(made[0])))
        return result

    return drawn


def axes(ax: Axes | None, *, height_mm: float = 60.0) -> Axes:
    """Return `ax`, or the Axes of a new figure of two columns' width."""
    if ax is None:
        return cast(Axes, panels([height_mm])[0])
    if not isinstance(ax, Axes):
        one = ": pass one of them, such as axes.flat[0]" if isinstance(ax, np.ndarray) else ""
        raise ConfigurationError(f"ax takes the Axes of a figure, not {type(ax).__name__}{one}")
    return ax


def panels(
    heights_mm: Sequence[float],
    *,
    sharex: bool = True,
    around_mm: float = 18.0,
    fig: FigureBase | None = None,
) -> Panels:
    """Return the Axes of a new figure, or of one that is given, one above the other; see `grid`."""
    return cast(Panels, grid(heights_mm, [1.0], sharex=sharex, around_mm=around_mm, fig=fig)[:, 0])


def grid(
    heights_mm: Sequence[float],
    widths: Sequence[float],
    *,
    sharex: bool = False,
    sharey: bool = False,
    around_mm: float = 18.0,
    fig: FigureBase | None = None,
) -> Panels:
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
        A user's figure without Axes, or a part of one. A new figure is as wide as two columns of a
        journal, unless its user has set another ``figure.figsize``.
    """
    if fig is not None and (not isinstance(fig, FigureBase) or fig.axes):
        raise ConfigurationError(
            "fig= takes a Figure or SubFigure of matplotlib without Axes, not"
            f" {'one that has some' if isinstance(fig, FigureBase) else repr(fig)}"
        )
    given, own = fig, fig is None
    with style() if own else nullcontext():
        if given is None:
            height = min(sum(heights_mm) + around_mm, HIGHEST_MM)
            size = inches(WIDTHS_MM["double"]), inches(height)
            usual = tuple(mpl.rcParamsDefault["figure.figsize"])
            if tuple(mpl.rcParams["figure.figsize"]) != usual:
                size = tuple(mpl.rcParams["figure.figsize"])
            given = plt.figure(figsize=size, layout=SteadyLayout())
            cast(Any, given).eyelog_sheet = Sheet()
        made = cast(Panels, given.subplots(
            len(heights_mm), len(widths), squeeze=False,
            sharex="col" if sharex else False, sharey="row" if sharey else False,
            height_ratios=list(heights_mm), width_ratios=list(widths),
        ))  # fmt: skip
        if own:
            for ax in made.flat:
                keep_ticks(cast(Axes, ax))
    return made


def keep_ticks(ax: Axes) -> None:
    """Give the ticks of an Axes the look for good: matplotlib makes more of them when it draws."""
    settings = cast(Mapping[str, Any], mpl.rcParams)
    for name in ("x", "y"):
        look: dict[str, Any] = {
            key: settings[f"{name}tick.{key}"] for key in ("color", "labelcolor", "labelsize")
        }
        ax.tick_params(axis=cast(Any, name), which="both", **look)
        for which in ("major", "minor"):
            look = {key: settings[f"{name}tick.{which}.{key}"] for key in ("size", "width", "pad")}
            look["length"] = look.pop("size")
            ax.tick_params(axis=cast(Any, name), which=cast(Any, which), **look)


def _is_own(figure: Any) -> bool:
    return isinstance(getattr(figure, "eyelog_sheet", None), Sheet)


def own_figure(ax: Axes | None) -> Figure | None:
    """Return the figure of an Axes if eyelog has made it, otherwise None."""
    figure = None if ax is None else ax.figure.figure
    return cast(Figure, figure) if _is_own(figure) else None


def sheet_of(figure: Figure) -> Sheet:
    """Return what eyelog has written on a figure of its own."""
    return cast(Sheet, cast(Any, figure).eyelog_sheet)


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
        sheet_of(figure).title = text
    elif fig is not None and text:
        fig.suptitle(text, x=0.01, ha="left", fontsize="small", wrap=True)
    elif text:
        size = FontProperties(size="small").get_size_in_points()
        lines = in_lines(text, BEFORE_LAYOUT * length_pt(ax.xaxis), size)
        ax.set_title(lines, loc="left", fontsize="small")


def in_lines(text: str, room_pt: float, size_pt: float) -> str:
    """Break a text into lines of about a width, at spaces or, as of Japanese, within a word."""
    letter_pt = 1.1 * EM * size_pt
    if any(east_asian_width(letter) in "WF" for letter in text):  # as wide as two others
        letter_pt *= 1.6
    wide = max(int(room_pt / letter_pt), FEWEST)
    return textwrap.fill(text, wide, break_on_hyphens=False)


def set_note(ax: Axes, result: str, facts: str) -> None:
    """Write above the legend of eyelog's own figure what it says, and what that is based on."""
    figure = own_figure(ax)
    if figure is not None:
        sheet_of(figure).note = (result, facts)


def legend(ax: Axes, entries: Sequence[Entry], *, note: str = "") -> None:
    """Explain colours and marks under the figure, or under a user's Axes.

    In a figure of eyelog's own, panels share one legend: equal labels have one entry. A user's Axes
    has one if it takes a quarter of the height at most, and a note above it.
    """
    figure = own_figure(ax)
    if figure is not None:
        sheet = sheet_of(figure)
        sheet.entries |= {label: handle for label, handle in entries if label not in sheet.entries}
        if "no record" in sheet.entries:  # after the states of all panels
            sheet.entries["no record"] = sheet.entries.pop("no record")
        return
    size = FontProperties(size="small").get_size_in_points()
    room = length_pt(ax.xaxis)
    wide = max((len(label) for label, _ in entries), default=0) * EM * size + 3.5 * size
    columns = int(np.clip(room // wide, 1, max(len(entries), 1)))
    labels, handles = _by_rows(entries, columns)
    labels = [in_lines(label, BEFORE_LAYOUT * room - 3.5 * size, size) for label in labels]
    words: str | None = in_lines(note, room, size)
    rows = -(-len(entries) // columns) + sum(label.count("\n") for label in labels)
    most = MOST_OF_HEIGHT * length_pt(ax.yaxis) / (1.4 * size)
    if not entries or rows > most:
        return
    if not note or rows + cast(str, words).count("\n") + 1 > most:
        words = None
    down = ScaledTranslation(0, -_beneath_pt(ax) / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        handles, labels, loc="upper left", bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + down, borderaxespad=0, fontsize="small", ncols=columns,
        frameon=False, title=words, title_fontsize="small", alignment="left",
    )  # fmt: skip


def _beneath_pt(ax: Axes) -> float:
    """Return how far the labels of the x axis reach under an Axes."""
    ticks = ax.xaxis.get_ticklabels()
    lines = max((tick.get_text().count("\n") + 1 for tick in ticks), default=0)
    name, size = ax.get_xlabel(), float(ax.xaxis.label.get_fontsize())
    high = lines * float(ticks[0].get_fontsize()) if ticks else 0.0
    return AROUND_PT + 1.25 * (high + size * (name.count("\n") + 1 if name else 0))


def panel_legend(ax: Axes, entries: Sequence[Entry], *, shared: Sequence[Entry] = ()) -> None:
    """Explain the marks of one of several panels above it, and those they share as `legend` does.

    One panel by itself has everything in one legend.
    """
    figure = own_figure(ax)
    if figure is None or len(figure.axes) == 1:
        legend(ax, [*shared, *entries])
        return
    legend(ax, shared)
    if entries:
        labels, handles = [label for label, _ in entries], [handle for _, handle in entries]
        ax.legend(
            handles, labels, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.4,
            ncols=min(len(labels), 2),
        )  # fmt: skip


def _by_rows(entries: Sequence[Entry], columns: int) -> tuple[list[str], list[Artist]]:
    """Return labels and handles in the order for columns, which matplotlib fills one by one."""
    ordered = [entry for first in range(columns) for entry in entries[first::columns]]
    return [label for label, _ in ordered], [handle for _, handle in ordered]


def write_words(figure: Figure) -> None:
    """Write title, note and legend of eyelog's own figure, and make it higher by what they take."""
    sheet = sheet_of(figure)
    with style():
        left = inches(PAD_MM) / figure.get_figwidth()
        figure.suptitle(sheet.title, x=left, ha="left", wrap=True)
        _write_legend(figure)
    _make_room(figure)


def fit_width(figure: Figure, width_in: float) -> None:
    """Make a figure of eyelog's own as wide as this; its panels keep their height."""
    figure.set_size_inches(width_in, figure.get_figheight(), forward=False)
    with style():
        _write_legend(figure)
    _make_room(figure)


def _write_legend(figure: Figure) -> None:
    """Write note and legend with as many columns as fit, unless the user has removed them."""
    sheet = sheet_of(figure)
    if sheet.legend is not None:
        if sheet.legend not in figure.legends:
            return
        sheet.legend.remove()
    width_pt = 72 * figure.get_figwidth()
    note = "\n".join(in_lines(part, width_pt, SMALL_PT) for part in sheet.note if part)
    entries = list(sheet.entries.items())
    for columns in range(max(len(entries), 1), 0, -1) if entries or note else ():
        labels, handles = _by_rows(entries, columns)
        sheet.legend = figure.legend(
            handles, labels, loc="outside lower left", ncols=columns, alignment="left",
            title=note or None, title_fontsize=SMALL_PT,
        )  # fmt: skip
        if columns == 1 or not _is_wide(figure, sheet.legend):
            break
        sheet.legend.remove()


def _is_wide(figure: Figure, legend: Legend) -> bool:
    """Return whether a legend is wider than its figure."""
    return bool(legend.get_window_extent().width > 0.98 * figure.bbox.width)


def _make_room(figure: Figure) -> None:
    """Make a figure as much higher as its words have become, up to a page."""
    sheet, title = sheet_of(figure), figure.get_suptitle()
    words_in, noted_in = 0.0, 0.0
    if sheet.legend is not None and sheet.legend in figure.legends:
        words_in = float(sheet.legend.get_window_extent().height) / figure.dpi
        if note := sheet.legend.get_title().get_text():
            noted_in = (note.count("\n") + 1) * 1.2 * SMALL_PT / 72
    if title:
        words_in += in_lines(title, 72 * figure.get_figwidth(), TEXT_PT).count("\n") * LINE_IN
    before = words_in - noted_in if sheet.words_in is None else sheet.words_in
    sheet.words_in = words_in
    height = min(figure.get_figheight() + words_in - before, inches(HIGHEST_MM))
    figure.set_size_inches(figure.get_figwidth(), height, forward=False)


def patch(label: str, meaning: str | None = None, *, alpha: float = 1.0) -> Entry:
    """Return an entry of a legend: a patch in the colour of a meaning, by default its label's."""
    meaning = label if meaning is None else meaning
    if meaning == "no record":
        ground, edge = COLOURS["no record"], COLOURS["hatch"]
        return label, Patch(facecolor=ground, edgecolor=edge, hatch=HATCH, linewidth=0.4)
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
    look: dict[str, Any] = {"linestyle": linestyle, "linewidth": linewidth, "markersize": 3.5}
    return label, Line2D([], [], color=COLOURS[meaning], marker=marker, **look)


def name_rows(
    ax: Axes,
    rows: Sequence[float] | np.ndarray[Any, Any],
    names: Sequence[str],
    ends: Sequence[str] | None = None,
    *,
    most: int = ROW_CHARACTERS,
) -> None:
    """Name rows beside the y axis, whose limits are set; long names lose a part.

    Parameters
    ----------
    ax : Axes
        The Axes. A user's has names of at most a third of its width, as small as its rows are low.
    rows : sequence of float
        The place of each row along y.
    names : sequence of str
        The name of each row.
    ends : sequence of str, optional
        What follows each name, never shortened: "  n = 12".
    most : int
        Characters of the longest name that is written in full.
    """
    if own_figure(ax) is None and len(names):
        size = FontProperties(size=mpl.rcParams["ytick.labelsize"]).get_size_in_points()
        apart = length_pt(ax.yaxis) / abs(float(np.ptp(ax.get_ylim())) or 1.0)
        size = max(min(size, apart / 1.3), SMALL_PT)
        ax.tick_params(axis="y", labelsize=size)
        most = int(np.clip(length_pt(ax.xaxis) / 3 / (EM * size), FEWEST, most))
    after = [""] * len(names) if ends is None else ends
    short = short_names(names, most)
    ax.set_yticks(rows, [f"{name}{end}" for name, end in zip(short, after, strict=True)])


def length_pt(axis: Axis) -> float:
    """Return the present length of an axis in points."""
    box, figure = axis.axes.bbox, axis.axes.figure.figure
    length = box.width if isinstance(axis, XAxis) else box.height
    return float(length / (figure.dpi if figure is not None else 72.0) * 72.0)


def _keep_readable(ax: Axes) -> None:
    """Make the background of a user's Axes white if it is dark, and the words on it dark.

    The colours of figures have meanings, and are chosen to be distinguishable on white.
    """
    around = ax.figure.figure.get_facecolor()
    dark = contrast(around, COLOURS["text"]) < LEAST_CONTRAST
    for each in (ax, *ax.child_axes):
        if contrast(each.get_facecolor(), COLOURS["text"]) < LEAST_CONTRAST:
            each.set_facecolor(COLOURS["no record"])
            for words in each.texts:
                inside = words.get_unitless_position()[0] >= 0
                words.set_color(COLOURS["text"] if inside else mpl.rcParams["text.color"])
        made = each.get_legend()
        if made is not None and dark:
            made.set_frame_on(True)
            made.get_frame().set(facecolor=COLOURS["no record"], edgecolor="none", alpha=1.0)
            for words in (*made.get_texts(), made.get_title()):
                words.set_color(COLOURS["text"])


def contrast(first: Any, second: Any) -> float:
    """Return how many times one colour is as bright as another, from 1 to 21 (WCAG 2)."""
    shares = np.array([to_rgb(first), to_rgb(second)])
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    dark, bright = np.sort(linear @ (0.2126, 0.7152, 0.0722))
    return float((bright + 0.05) / (dark + 0.05))
