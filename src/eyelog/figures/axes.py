"""How a figure is made: its Axes, its title, its legend and note; and what explains its marks.

A figure function is written like this::

    @axes.plot_function
    def plot_thing(table, *, ax=None, title=None) -> Axes:
        ...                                     # check the table first
        ax = axes.on(ax, height_mm=60)
        ax.plot(..., color=COLOURS["usable"])
        axes.set_title(ax, title_of(table), title)  # figures/labels.py
        axes.legend(ax, [axes.patch("usable"), axes.line("7-day median", "reference")])
        return ax

matplotlib's constrained layout places everything, and each artist stays as its user leaves it.
"""

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast
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
AROUND_MM, BETWEEN_MM = 13.0, 4.5  # title and names of axes; what is written between panels
AROUND_PT: Final = 12.0  # on a user's Axes: between axis, labels, name and legend
MOST_OF_HEIGHT: Final = 0.25  # of a user's Axes, that a legend may take
DARK: Final = 0.45  # mean of red, green and blue under which dark words cannot be read
HANDLE_EM: Final = 3.5  # how wide the mark of an entry of a legend is, with the space around it
LINE_IN: Final = 1.2 * TEXT_PT / 72
FEWEST: Final = 6  # characters of a name of a row


@dataclass
class Sheet:
    """What eyelog has written on a figure of its own; the figure keeps it as ``eyelog_sheet``."""

    entries: dict[str, Artist] = field(default_factory=dict)
    note: str = ""
    legend: Legend | None = None
    words_in: float | None = 0.0  # how high the legend, and more lines of the title, are


class SteadyLayout(ConstrainedLayoutEngine):
    """The constrained layout from the same beginning each time, without noise in its last digits.

    Its solver works through variables in the order of their addresses, so that the same figure
    differs by 1e-13 in the next run, and SVG names its clips after such numbers.
    """

    def execute(self, fig: Figure) -> None:
        """Place the Axes, to a millionth of a millimetre, and let the legend keep to the width."""
        sheet = getattr(fig, "eyelog_sheet", Sheet())
        made = sheet.legend if sheet.legend in fig.legends else None
        if made is not None and _is_wide(fig, made):
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
        users = isinstance(place, Axes | FigureBase) and not is_own(place.figure.figure)
        with nullcontext() if users else style():
            result = draw(*args, **kwargs)
        called = signature.bind(*args, **kwargs)
        called.apply_defaults()
        made: list[Axes] = np.ravel(cast(Any, result)).tolist()
        recipe.attach(made, draw.__name__, called.arguments)
        if users:
            for ax in made:
                _keep_readable(ax)
        elif own_figure(made[0]) is not None:
            figure = cast(Figure, own_figure(made[0]))
            fit_width(figure, float(figure.get_figwidth()))
        return result

    return drawn


def on(ax: Axes | None, *, height_mm: float = 60.0) -> Axes:
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
    fig: FigureBase | None = None,
) -> Panels:
    """Return the Axes of a new figure, or of one that is given, one above the other; see `grid`."""
    return cast(Panels, grid(heights_mm, [1.0], sharex=sharex, fig=fig)[:, 0])


def grid(
    heights_mm: Sequence[float],
    widths: Sequence[float],
    *,
    sharex: bool = False,
    sharey: bool = False,
    fig: FigureBase | None = None,
) -> Panels:
    """Return the Axes of a new figure, or of one that is given, by row and column.

    Parameters
    ----------
    heights_mm, widths : sequence of float
        The height of each row, and how wide the columns are beside each other.
    sharex, sharey : bool
        Whether the panels of a column share one x axis, and those of a row one y axis.
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
            height = sum(heights_mm) + BETWEEN_MM * len(heights_mm) + AROUND_MM
            size = inches(WIDTHS_MM["double"]), inches(min(height, HIGHEST_MM))
            users = tuple(mpl.rcParams["figure.figsize"])
            is_set = users != tuple(mpl.rcParamsDefault["figure.figsize"])
            given = plt.figure(figsize=users if is_set else size, layout=SteadyLayout())
            cast(Any, given).eyelog_sheet = Sheet(words_in=None if is_set else 0.0)
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


def is_own(figure: Any) -> bool:
    """Return whether eyelog has made a figure."""
    return isinstance(getattr(figure, "eyelog_sheet", None), Sheet)


def own_figure(ax: Axes | None) -> Figure | None:
    """Return the figure of an Axes if eyelog has made it, otherwise None."""
    figure = None if ax is None else ax.figure.figure
    return cast(Figure, figure) if is_own(figure) else None


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
        left = inches(PAD_MM) / figure.get_figwidth()
        figure.suptitle(text, x=left, ha="left", wrap=True)
    elif fig is not None and text:
        fig.suptitle(text, x=0.01, ha="left", fontsize="small", wrap=True)
    elif text:
        size = FontProperties(size="small").get_size_in_points()
        lines = in_lines(text, BEFORE_LAYOUT * length_pt(ax.xaxis), size)
        ax.set_title(lines, loc="left", fontsize="small")


def ems(text: str) -> float:
    """Return about how wide a text is, in sizes of type; an East Asian letter is a square."""
    return sum(1.0 if east_asian_width(letter) in "WF" else EM for letter in text)


def in_lines(text: str, room_pt: float, size_pt: float) -> str:
    """Break a text into lines of about a width, at spaces or, as of Japanese, within a word."""
    letter_pt = 1.1 * size_pt * (EM if ems(text) == EM * len(text) else 0.8)
    wide = max(int(room_pt / letter_pt), FEWEST)
    return textwrap.fill(text, wide, break_on_hyphens=False)


def legend(ax: Axes, entries: Sequence[Entry], *, note: str = "") -> None:
    """Explain colours and marks under the figure, or under a user's Axes.

    In a figure of eyelog's own, panels share one legend: equal labels have one entry. A user's Axes
    has one if it takes a quarter of the height at most. A note stands above it.
    """
    figure = own_figure(ax)
    if figure is not None:
        sheet = sheet_of(figure)
        sheet.entries |= {label: handle for label, handle in entries if label not in sheet.entries}
        sheet.note = note or sheet.note
        if "no record" in sheet.entries:  # after the states of all panels
            sheet.entries["no record"] = sheet.entries.pop("no record")
        return
    size = FontProperties(size="small").get_size_in_points()
    room = length_pt(ax.xaxis)
    given = [
        (in_lines(label, BEFORE_LAYOUT * room - HANDLE_EM * size, size), handle)
        for label, handle in entries
    ]
    columns = _columns(given, room, size)
    handles, labels = _by_rows(given, columns)
    words: str | None = in_lines(note, room, size) if note else None
    rows = -(-len(entries) // columns) + sum(label.count("\n") for label in labels)
    most = MOST_OF_HEIGHT * length_pt(ax.yaxis) / (1.4 * size)
    if not entries or rows > most:
        return
    if words is not None and rows + words.count("\n") + 1 > most:
        words = None
    # How far the labels of the x axis reach under the Axes.
    ticks, name = ax.xaxis.get_ticklabels(), ax.xaxis.label
    lines = max((tick.get_text().count("\n") + 1 for tick in ticks), default=0)
    beneath = lines * float(ticks[0].get_fontsize()) if ticks else 0.0
    beneath += len(name.get_text().splitlines()) * float(name.get_fontsize())
    down = ScaledTranslation(0, -(AROUND_PT + 1.25 * beneath) / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        handles, labels, loc="upper left", bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + down, borderaxespad=0, fontsize="small", ncols=columns,
        frameon=False, title=words, title_fontsize="small", alignment="left",
    )  # fmt: skip


def _columns(entries: Sequence[Entry], room_pt: float, size_pt: float) -> int:
    """Return about how many columns of a legend have room beside each other."""
    wide = [
        size_pt * (HANDLE_EM + max(map(ems, label.split("\n")), default=0)) for label, _ in entries
    ]
    columns = max(len(entries), 1)
    while columns > 1 and sum(max(wide[at::columns]) for at in range(columns)) > room_pt + size_pt:
        columns -= 1
    return columns


def _by_rows(entries: Sequence[Entry], columns: int) -> tuple[list[Artist], list[str]]:
    """Return handles and labels in the order for columns, which matplotlib fills one by one."""
    ordered = [entry for first in range(columns) for entry in entries[first::columns]]
    return [handle for _, handle in ordered], [label for label, _ in ordered]


def fit_width(figure: Figure, width_in: float) -> None:
    """Make a figure of eyelog's own as wide as this; its panels keep their height."""
    figure.set_size_inches(width_in, figure.get_figheight(), forward=False)
    with style():
        _write_legend(figure)
    sheet, title = sheet_of(figure), figure.get_suptitle()
    words_in = in_lines(title, 72 * width_in, TEXT_PT).count("\n") * LINE_IN
    if sheet.legend is not None and sheet.legend in figure.legends:
        words_in += float(sheet.legend.get_window_extent().height) / figure.dpi
    before = words_in if sheet.words_in is None else sheet.words_in
    sheet.words_in = words_in
    height = min(figure.get_figheight() + words_in - before, inches(HIGHEST_MM))
    figure.set_size_inches(width_in, height, forward=False)


def _write_legend(figure: Figure) -> None:
    """Write note and legend with as many columns as fit, unless the user has removed them."""
    sheet = sheet_of(figure)
    if sheet.legend is not None:
        if sheet.legend not in figure.legends:
            return
        sheet.legend.remove()
    if not sheet.entries and not sheet.note:
        return
    width_pt, entries = 72 * figure.get_figwidth(), list(sheet.entries.items())
    note = [in_lines(part, width_pt, SMALL_PT) for part in sheet.note.split("\n")]
    look: dict[str, Any] = {"title": "\n".join(note) or None, "title_fontsize": SMALL_PT}
    for columns in range(_columns(entries, width_pt, SMALL_PT), 0, -1):
        look |= {"ncols": columns, "alignment": "left", "loc": "outside lower left"}
        sheet.legend = figure.legend(*_by_rows(entries, columns), **look)
        if columns == 1 or not _is_wide(figure, sheet.legend):
            break
        sheet.legend.remove()


def _is_wide(figure: Figure, legend: Legend) -> bool:
    """Return whether a legend is wider than its figure."""
    return bool(legend.get_window_extent().width > 0.98 * figure.bbox.width)


def patch(
    label: str, meaning: str | None = None, *, alpha: float = 1.0, hollow: bool = False
) -> Entry:
    """Return an entry of a legend: a patch in the colour of a meaning, by default its label's."""
    meaning = label if meaning is None else meaning
    if meaning == "no record":
        ground, edge = COLOURS["no record"], COLOURS["hatch"]
        return label, Patch(facecolor=ground, edgecolor=edge, hatch=HATCH, linewidth=0.4)
    if hollow:
        return label, Patch(facecolor="white", edgecolor=COLOURS[meaning], linewidth=0.7)
    edge = COLOURS["hatch"] if meaning in ("weekend", "not known", "masked") else "none"
    return label, Patch(
        facecolor=COLOURS[meaning], edgecolor=edge, linewidth=LINE_PT / 2, alpha=alpha
    )


def line(
    label: str,
    meaning: str,
    *,
    marker: str = "",
    linestyle: str = "-",
    linewidth: float = 1.2,
    **look: Any,
) -> Entry:
    """Return an entry of a legend: a line, or marks, in the colour of a meaning."""
    usual: dict[str, Any] = {"linestyle": linestyle, "linewidth": linewidth, "markersize": 3.5}
    return label, Line2D([], [], color=COLOURS[meaning], marker=marker, **usual | look)


def point(label: str, meaning: str, *, marker: str = "o", face: str | None = None) -> Entry:
    """Return an entry of a legend: a point, filled or hollow."""
    look: dict[str, Any] = {} if face is None else {"markerfacecolor": face}
    return line(label, meaning, marker=marker, linestyle="", **look)


def ring(label: str) -> Entry:
    """Return an entry of a legend: the ring around what stands out."""
    look: dict[str, Any] = {"markersize": 6.5, "markeredgewidth": 0.9, "markerfacecolor": "none"}
    return line(label, "text", marker="o", linestyle="", **look)


def words(text: str) -> Entry:
    """Return an entry of a legend without a mark."""
    return line(text, "text", linewidth=0)


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
    for each in (ax, *ax.child_axes):
        if _is_dark(each.get_facecolor()):
            each.set_facecolor(COLOURS["no record"])
            for words in each.texts:
                inside = words.get_unitless_position()[0] >= 0
                words.set_color(COLOURS["text"] if inside else mpl.rcParams["text.color"])
        made = each.get_legend()
        if made is not None and _is_dark(ax.figure.figure.get_facecolor()):
            made.set_frame_on(True)
            made.get_frame().set(facecolor=COLOURS["no record"], edgecolor="none", alpha=1.0)
            for words in (*made.get_texts(), made.get_title()):
                words.set_color(COLOURS["text"])


def _is_dark(colour: Any) -> bool:
    return bool(np.mean(to_rgb(colour)) < DARK)
