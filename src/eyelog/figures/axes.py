"""How a figure is made: its Axes, its title, its legend and note; and what explains its marks.

A figure function is written like this::

    @axes.plot_function
    def plot_thing(table, *, ax=None, title=None, legend=True) -> Axes:
        ...                                     # check the table first
        ax = axes.on(ax, height_mm=60)
        ax.plot(..., color=COLOURS["usable"])
        ax.plot(..., label="7-day median")          # the legend is made of labels
        axes.finish(ax, title_of(table), title, legend=legend)  # figures/labels.py
        return ax

matplotlib's constrained layout places everything, and each artist stays as its user leaves it.
"""

import importlib.metadata
import inspect
import platform
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast
from unicodedata import east_asian_width

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, FigureBase
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.transforms import Bbox, ScaledTranslation

import eyelog
from eyelog.errors import ConfigurationError
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
from eyelog.frame import KEY, takes_tables

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")
Panels = np.ndarray[Any, np.dtype[np.object_]]

RECIPE: Final = "eyelog_recipe"  # the attribute of Axes: how they were drawn and from what
PACKAGES: Final = ("matplotlib", "numpy", "pandas")
EM: Final = 0.5  # how wide a letter is, in sizes of type
BEFORE_LAYOUT: Final = 0.75  # a layout makes Axes shorter than they are when they are drawn on
AROUND_MM, BETWEEN_MM = 13.0, 4.5  # title and names of axes; what is written between panels
COLUMN_EM: Final = 18.0  # how wide a legend in one column is, in sizes of type
MOST: Final = 12  # columns of a legend
LAST: Final = ("no record", "weekend")  # in a legend, after what is drawn
MOST_OF_WIDTH: Final = 0.3  # of a figure, that a legend at its right may take
FEWEST: Final = 6  # characters of a name of a row


@dataclass
class Sheet:
    """What eyelog has written on a figure of its own; the figure keeps it as ``eyelog_sheet``."""

    place: bool | str = True
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
        made = sheet_of(fig).legend
        if made in fig.legends and made.get_window_extent().width > 0.99 * fig.bbox.width:
            write_legend(fig)
        placed = [ax for ax in fig.axes if ax.get_in_layout() and ax.get_subplotspec() is not None]
        for ax in placed:
            place = cast(Any, ax.get_subplotspec()).get_position(fig)
            ax.set_position(place, which="both")
            ax.set_in_layout(True)
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
        wanted = kwargs.get("legend", True)
        if isinstance(wanted, np.bool_):
            kwargs["legend"] = wanted = bool(wanted)
        if not isinstance(wanted, bool) and wanted not in ("right", *Legend.codes):
            raise ConfigurationError(
                "legend= takes True, False, 'right' or a location of matplotlib such as"
                f" 'upper left', not {wanted!r}"
            )
        place: Any = kwargs.get("ax") if kwargs.get("ax") is not None else kwargs.get("fig")
        users = isinstance(place, Axes | FigureBase) and sheet_of(place) is None
        with nullcontext() if users else style():
            result = draw(*args, **kwargs)
        called = signature.bind(*args, **kwargs)
        called.apply_defaults()
        made: list[Axes] = np.ravel(cast(Any, result)).tolist()
        arguments = {key: _plain(value) for key, value in called.arguments.items() if key != "ax"}
        for ax in made:
            # If one figure function calls another, the outer call is the one that the user typed.
            setattr(ax, RECIPE, {"figure": draw.__name__, "arguments": arguments})
        if users:
            for ax in made:
                _keep_readable(ax)
        else:
            figure = made[0].figure.figure
            fit_width(figure, float(figure.get_figwidth()))
        return result

    return drawn


def recipe_of(drawn: Axes | Figure) -> dict[str, Any]:
    """Return the recipe of an Axes or a figure; equal calls on equal tables have equal ones.

    Returns
    -------
    dict
        JSON-safe: ``versions`` of eyelog, Python and the packages that draw, and ``figures``, one
        entry per call: ``figure`` (the function) and ``arguments``, in which a table is given by
        its number of rows, its columns, its first and last stamp, and its provenance.
    """
    many = drawn.axes if isinstance(drawn, Figure) else [drawn]
    recipes: list[Any] = []
    for ax in many:
        attached = getattr(ax, RECIPE, None)
        if attached is not None and attached not in recipes:
            recipes.append(attached)
    versions = {"eyelog": eyelog.__version__, "python": platform.python_version()}
    versions |= {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"versions": versions, "figures": recipes}


def _plain(value: Any) -> Any:
    """Return an argument in JSON-safe form; a table as its extent and provenance."""
    if isinstance(value, pd.DataFrame | pd.Series):
        return _table(value)
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, list | tuple | set | frozenset | np.ndarray | pd.Index):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    return type(value).__name__


def _table(table: pd.DataFrame | pd.Series) -> dict[str, Any]:
    columns = [table.name] if isinstance(table, pd.Series) else list(table.columns)
    out: dict[str, Any] = {"rows": len(table), "columns": [str(name) for name in columns]}
    index = table.index
    if isinstance(index, pd.MultiIndex):
        index = index.get_level_values(-1)
    if len(index) and isinstance(index, pd.DatetimeIndex):
        out |= {"first": index.min().isoformat(), "last": index.max().isoformat()}
        out |= {"tz": str(index.tz)}
    if KEY in table.attrs:
        out["provenance"] = _plain(table.attrs[KEY])
    return out


def on(ax: Axes | None, *, height_mm: float = 60.0) -> Axes:
    """Return `ax`, or the Axes of a new figure of two columns' width."""
    if ax is None:
        return cast(Axes, panels([height_mm])[0, 0])
    if not isinstance(ax, Axes):
        one = ": pass one of them, such as axes.flat[0]" if isinstance(ax, np.ndarray) else ""
        raise ConfigurationError(f"ax takes the Axes of a figure, not {type(ax).__name__}{one}")
    return ax


def panels(
    heights_mm: Sequence[float],
    widths: Sequence[float] = (1.0,),
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
        keys = {"color": "color", "labelcolor": "labelcolor", "labelsize": "labelsize"}
        keys |= {"length": "major.size", "width": "major.width", "pad": "major.pad"}
        look: Any = {key: settings[f"{name}tick.{of}"] for key, of in keys.items()}
        ax.tick_params(axis=cast(Any, name), **look)


def sheet_of(drawn: Artist) -> Any:
    """Return the `Sheet` of the figure of an artist; None if the figure is a user's."""
    return getattr(cast(Any, drawn).figure.figure, "eyelog_sheet", None)


def key(ax: Axes, label: str, meaning: str | None = None, *, hollow: bool = False) -> None:
    """Explain a colour of an image in the legend: that of a meaning, by default of the label.

    An image has no entry of its own there; this is a patch without extent.
    """
    colour = COLOURS[label if meaning is None else meaning]
    look: dict[str, Any] = {"facecolor": "white" if hollow else colour, "edgecolor": "none"}
    if hollow:
        look |= {"edgecolor": colour, "linewidth": 0.7}
    if label == "no record":
        look |= {"edgecolor": COLOURS["hatch"], "hatch": HATCH}
    ax.fill([], [], label=label, **look)


def once(ax: Axes, label: str) -> str:
    """Return a label for an artist, or none if another one on the Axes has it."""
    return "" if label in labelled([ax]) else label


def labelled(made: Iterable[Any]) -> dict[str, Any]:
    """Return the artists that have a label, by label, of Axes and of those within them."""
    found: dict[str, Any] = {}
    for ax in made:
        for each in (ax, *ax.child_axes):
            for handle, label in zip(*each.get_legend_handles_labels(), strict=True):
                found.setdefault(label, handle)
    return {label: found[label] for label in sorted(found, key=LAST.__contains__)}


def finish(
    ax: Axes,
    ours: str,
    title: str | None,
    *,
    legend: bool | str = True,
    note: str = "",
    fig: FigureBase | None = None,
) -> None:
    """Write the title of a figure, and the legend of its artists that have a label.

    Parameters
    ----------
    ax : Axes
        The first Axes of a figure, or that of a user.
    ours : str
        The title that eyelog gives; its parts are divided by ``" · "``.
    title : str, optional
        What the user wants instead; ``""`` for no title.
    legend : bool or str
        Whether there is a legend: beneath the figure, or a user's Axes, of whose height it takes a
        quarter at most. Or where it is: "right" of them, or a location of matplotlib in the Axes.
    note : str
        What stands above the legend.
    fig : Figure or SubFigure, optional
        The user's figure: title and legend are those of all of its panels.
    """
    text = ours if title is None else title
    sheet, figure = sheet_of(ax), ax.figure.figure
    size = FontProperties(size="small").get_size_in_points() if sheet is None else SMALL_PT
    if sheet is not None:
        figure.suptitle(text, x=inches(PAD_MM) / figure.get_figwidth(), ha="left", wrap=True)
        sheet.note, sheet.place = note or sheet.note, legend
    elif fig is not None and text:
        fig.suptitle(text, x=0.01, ha="left", fontsize=size, wrap=True)
    elif text:
        lines = in_lines(text, BEFORE_LAYOUT * length_pt(ax.xaxis), size)
        ax.set_title(lines, loc="left", fontsize=size)
    whole = fig if sheet is None else figure
    made: list[Any] = [ax] if whole is None else cast(Any, whole).axes
    entries = labelled(made) if legend is not False else {}
    if isinstance(legend, str) and legend != "right":
        if entries:
            write = partial(_legend_on, ax)
            inside = _in_columns(write, entries, COLUMN_EM * size, size, "", most=1, loc=legend)
            _on_white(inside)
        entries = {}
    if sheet is None and (entries or note):
        _write_beside(made, fig, entries, size, note, right=legend == "right")


def _write_beside(
    made: Sequence[Axes],
    fig: FigureBase | None,
    entries: Mapping[str, Artist],
    size_pt: float,
    note: str,
    *,
    right: bool,
) -> None:
    """Write legend and note beneath a user's Axes, or at their right, clear of what is there.

    Without room for the legend there is the note alone: it may be a key to what is drawn.
    """
    figure = made[0].figure
    # Of the height of a user's Axes, a legend may take so much.
    dpi, height = figure.figure.dpi, 1.0 if right else 0.25
    look: dict[str, Any] = {"fontsize": size_pt, "title_fontsize": size_pt, "frameon": False}
    look |= {"borderpad": 0, "labelspacing": 0.3, "most": 1 if right else MOST}
    write: Callable[..., Legend]
    if fig is not None and isinstance(figure.figure.get_layout_engine(), ConstrainedLayoutEngine):
        write, box = cast(Any, fig).legend, cast(Any, fig).bbox
        look["loc"] = "outside right upper" if right else "outside lower left"
    else:
        every: list[Any] = [each for ax in made for each in (ax, *ax.child_axes)]  # with strips
        box = Bbox.union([ax.bbox for ax in made])
        around = Bbox.union([ax.get_tightbbox() or ax.bbox for ax in made])
        anchor = min(every, key=lambda each: (round(each.bbox.y0), each.bbox.x0))
        x, y = 0.0, (around.y0 - anchor.bbox.y0) / dpi - size_pt / 72
        if right:
            anchor = max(made, key=lambda each: (round(each.bbox.y1), each.bbox.x1))
            x, y = (around.x1 - anchor.bbox.x1 + size_pt) / dpi, 0.0
        place = anchor.transAxes + ScaledTranslation(x, y, figure.dpi_scale_trans)
        if not entries:
            words = in_lines(note, box.width / dpi * 72, size_pt)
            anchor.text(0, 0, words, transform=place, fontsize=size_pt, va="top")
            return
        write = partial(_legend_on, made[0] if len(made) == 1 else anchor)
        look |= {"loc": "upper left", "bbox_to_anchor": (1, 1) if right else (0, 0)}
        look |= {"bbox_transform": place, "borderaxespad": 0}
    room = 0.98 * 72 * box.width / dpi
    if right:
        room = min(COLUMN_EM * size_pt, MOST_OF_WIDTH * 72 * figure.bbox.width / dpi)
    legend = _in_columns(write, entries, room, size_pt, note, **look)
    high = legend.get_window_extent().height - legend.get_title().get_window_extent().height
    if entries and high > height * box.height:
        legend.remove()
        if note:
            _write_beside(made, fig, {}, size_pt, note, right=False)
    else:
        _on_white(legend)


def _legend_on(ax: Axes, *entries: Any, **look: Any) -> Legend:
    """Write a legend on an Axes in the place of an earlier one of eyelog's, beside a user's."""
    before = ax.get_legend()
    made = ax.legend(*entries, **look)
    cast(Any, made).is_of_eyelog = True
    if before is not None and not hasattr(before, "is_of_eyelog"):
        before.set_clip_on(False)  # otherwise a layout makes no room for it
        ax.add_artist(before)
    return made


def _in_columns(
    write: Callable[..., Legend],
    entries: Mapping[str, Artist],
    room_pt: float,
    size_pt: float,
    note: str,
    *,
    most: int = MOST,
    **look: Any,
) -> Legend:
    """Write a legend in as many columns as have room beside each other, row by row."""
    mark = 3.5 * size_pt  # with the space around it
    labels = [in_lines(label, room_pt - mark, size_pt) for label in entries]
    wide = [mark + size_pt * max(map(ems, label.split("\n"))) for label in labels]
    pairs = list(zip(entries.values(), labels, strict=True))
    look |= {"title": in_lines(note, room_pt, size_pt) or None, "alignment": "left"}
    columns = min(max(len(wide), 1), most)
    while columns > 1 and sum(max(wide[at::columns]) for at in range(columns)) > room_pt + size_pt:
        columns -= 1
    while True:
        # matplotlib fills its columns one by one.
        ordered = [pair for first in range(columns) for pair in pairs[first::columns]]
        handles, names = zip(*ordered, strict=True) if ordered else ((), ())
        legend = write(handles, names, ncols=columns, **look)
        for line in legend.get_lines():
            line.set_markersize(max(line.get_markersize(), 1.5))
        for patch in legend.get_patches():  # on white, the palest would not be seen
            if np.mean(to_rgb(patch.get_facecolor())) > 0.85 and not patch.get_linewidth():
                patch.set(edgecolor=COLOURS["hatch"], linewidth=LINE_PT / 2)
        dpi = cast(Any, legend.figure).figure.dpi
        if columns == 1 or legend.get_window_extent().width <= room_pt / 72 * dpi:
            return legend
        legend.remove()
        columns -= 1


def ems(text: str) -> float:
    """Return about how wide a text is, in sizes of type; an East Asian letter is a square."""
    return sum(1.0 if east_asian_width(letter) in "WF" else EM for letter in text)


def in_lines(text: str, room_pt: float, size_pt: float) -> str:
    """Break each line of a text at a width: at spaces or, as of Japanese, within a word."""
    letter_pt = 1.1 * size_pt * (EM if ems(text) == EM * len(text) else 0.8)
    wide = max(int(room_pt / letter_pt), FEWEST)
    lines = (textwrap.fill(line, wide, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join(lines)


def fit_width(figure: Figure, width_in: float) -> None:
    """Make a figure of eyelog's own as wide as this; its panels keep their height."""
    figure.set_size_inches(width_in, figure.get_figheight(), forward=False)
    write_legend(figure)
    sheet, title = sheet_of(figure), figure.get_suptitle()
    words_in = in_lines(title, 72 * width_in, TEXT_PT).count("\n") * 1.2 * TEXT_PT / 72
    if sheet.legend in figure.legends and sheet.place != "right":
        words_in += float(sheet.legend.get_window_extent().height) / figure.dpi
    before = words_in if sheet.words_in is None else sheet.words_in
    sheet.words_in = words_in
    height = min(figure.get_figheight() + words_in - before, inches(HIGHEST_MM))
    figure.set_size_inches(width_in, height, forward=False)


@style()
def write_legend(figure: Figure) -> None:
    """Write note and legend of a figure of eyelog's own, unless its user has removed them."""
    sheet = sheet_of(figure)
    if sheet.legend is not None:
        if sheet.legend not in figure.legends:
            return
        sheet.legend.remove()
    entries = labelled(figure.axes) if sheet.place in (True, "right") else {}
    if not entries and not sheet.note:
        return
    room = 0.98 * 72 * figure.get_figwidth()
    look: dict[str, Any] = {"loc": "outside lower left", "title_fontsize": SMALL_PT}
    if sheet.place == "right":
        room = min(MOST_OF_WIDTH * room, COLUMN_EM * SMALL_PT)
        look |= {"loc": "outside right upper", "most": 1}
    sheet.legend = _in_columns(figure.legend, entries, room, SMALL_PT, sheet.note, **look)


def name_rows(
    ax: Axes,
    rows: Sequence[float] | np.ndarray[Any, Any],
    names: Sequence[str],
    ends: Sequence[str] | None = None,
    *,
    most: int = ROW_CHARACTERS,
) -> None:
    """Name rows beside the y axis, whose limits are set, without its line; long names lose a part.

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
    if sheet_of(ax) is None and len(names):
        size = FontProperties(size=mpl.rcParams["ytick.labelsize"]).get_size_in_points()
        apart = length_pt(ax.yaxis) / abs(float(np.ptp(ax.get_ylim())) or 1.0)
        size = max(min(size, apart / 1.3), SMALL_PT)
        ax.tick_params(axis="y", labelsize=size)
        most = int(np.clip(length_pt(ax.xaxis) / 3 / (EM * size), FEWEST, most))
    after = [""] * len(names) if ends is None else ends
    short = short_names(names, most)
    ax.set_yticks(rows, [f"{name}{end}" for name, end in zip(short, after, strict=True)])
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


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
                box = words.get_window_extent()
                inside = each.bbox.contains((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
                words.set_color(COLOURS["text"] if inside else mpl.rcParams["text.color"])


def _on_white(legend: Legend) -> None:
    """Put a legend on a dark figure of a user on white, as its Axes are."""
    if _is_dark(cast(Any, legend.figure).figure.get_facecolor()):
        legend.set_frame_on(True)
        legend.get_frame().set(facecolor=COLOURS["no record"], edgecolor="none", alpha=1.0)
        for words in (*legend.get_texts(), legend.get_title()):
            words.set_color(COLOURS["text"])


def _is_dark(colour: Any) -> bool:
    return bool(np.mean(to_rgb(colour)) < 0.45)  # dark words could not be read on it
