"""Marks that several figures share: values on axes, estimates, the colour bar, strips of counts."""

from typing import Any, Final, cast

import matplotlib.ticker as mticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, PowerNorm, to_rgb
from matplotlib.transforms import Affine2D, ScaledTranslation, blended_transform_factory

from eyelog.figures.axes import EM, keep_ticks, length_pt, sheet_of
from eyelog.figures.style import COLOURS
from eyelog.judge.arrays import Bools, Floats
from eyelog.measure.sheet import number_text

# The meaning whose colour a group of wearers has, and its marker, in order of the groups. The first
# two stand as "before" and "after" do everywhere: a square, then a circle.
GROUPS: Final = (
    *(("before", "s"), ("after", "o"), ("head", "^"), ("score", "v"), ("event", "p")),
    *(("off pose", "P"), ("second", "X"), ("trace", "h")),
)
STEPS: Final = (1, 2, 2.5, 5, 10)
BEFORE_LAYOUT: Final = 0.8


def say_no_values(ax: Axes) -> None:
    """Write in the middle of an Axes that it has no values; its value axis gets no numbers."""
    ax.text(0.5, 0.5, "no usable values", transform=ax.transAxes, ha="center", va="center")
    ax.yaxis.set_major_locator(mticker.NullLocator())


def bare(ax: Axes, side: str) -> None:
    """Remove the line and the ticks of one side of an Axes, whose labels stay."""
    ax.spines[side].set_visible(False)
    ax.tick_params(axis="y" if side == "left" else "x", length=0)


def colour_bar(ax: Axes, image: ScalarMappable, label: str) -> Axes:
    """Draw the colour bar at the right, with round ticks."""
    # Within its panel, it is as high as that at every width, and other layouts can work with it.
    bar = ax.figure.figure.colorbar(image, cax=ax.inset_axes((1.015, 0.0, 0.025, 1.0)))
    cast(Any, bar.outline).set_visible(False)
    bar.set_label(label)
    value_axis(bar.ax.yaxis)
    if isinstance(image.norm, LogNorm):
        bar.ax.yaxis.set_major_locator(mticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    elif isinstance(image.norm, PowerNorm):  # round numbers that are about as far apart
        along = image.norm.inverse(np.linspace(0, 1, 5))
        # That of amounts begins just above 0, which has its own colour.
        ticks = {float(f"{value:.1g}") for value in along if abs(value) > along[-1] * 1e-6}
        bar.ax.yaxis.set_ticks(sorted(ticks))
    bar.ax.yaxis.set_minor_locator(mticker.NullLocator())
    return bar.ax


def value_axis(
    axis: Axis, label: str = "", values: Floats | None = None, *, most: int = 6, whole: bool = False
) -> None:
    """Name an axis of values, and label it at round numbers, with commas between thousands.

    If none of the values is known, the Axes says so.
    """
    axis.set_major_locator(FittingLocator(most, whole=whole))
    axis.set_major_formatter(mticker.FuncFormatter(plain))
    if label and isinstance(axis, XAxis):
        axis.set_label_text(label)
    elif label:
        value_label(axis.axes, label)
    if values is not None and not np.isfinite(values).any():
        say_no_values(axis.axes)


class FittingLocator(mticker.MaxNLocator):
    """Round ticks, as many as have room along an axis of the present length."""

    def __init__(self, most: int, *, whole: bool = False) -> None:
        super().__init__(nbins=most, steps=STEPS, integer=whole)
        self.most = most

    def __call__(self) -> Any:
        """Return the places of the ticks."""
        axis = cast(Axis, self.axis)
        room = axis.get_tick_space()
        if isinstance(axis, XAxis):
            size = float(axis.get_major_ticks(1)[0].label1.get_fontsize())
            longest = max(len(number(float(end), 2)) for end in axis.get_view_interval())
            room = int(length_pt(axis) / (size * (0.56 * longest + 1.0)))
        self.set_params(nbins=int(np.clip(room, 1, self.most)))
        return super().__call__()


def value_label(ax: Axes, text: str) -> None:
    """Label the y axis; a label that is longer than the axis breaks into two lines."""
    size = float(ax.yaxis.label.get_fontsize())
    breaks = [place for place, letter in enumerate(text) if letter == " "]
    # Before a unit in brackets if the rest is short enough then, otherwise in the middle.
    middle = min(breaks, key=lambda place: max(place, len(text) - place - 1), default=-1)
    unit = text.rfind(" (")
    place = unit if unit >= len(text) / 3 else middle
    if place >= 0 and EM * size * len(text) > BEFORE_LAYOUT * length_pt(ax.yaxis):
        text = f"{text[:place]}\n{text[place + 1 :]}"
    ax.set_ylabel(text)


def percent_axis(axis: Axis) -> None:
    """Label an axis of shares: "25 %"."""
    axis.set_major_formatter(mticker.PercentFormatter(1.0, 0, "\N{NO-BREAK SPACE}%"))


def percent(share: float, decimals: int = 0) -> str:
    """Return a share as a percentage with a space before the sign: "72.3 %"."""
    return f"{share * 100:.{decimals}f}\N{NO-BREAK SPACE}%"


def number(value: float, digits: int = 6) -> str:
    """Return a number as people write it: 12,000 not 1.2e+04, with a minus sign not a hyphen."""
    text = f"{value:.{digits}g}"
    if abs(value) >= 1000:
        text = f"{value:,.0f}" if value == round(value) or digits <= 4 else f"{value:,.2f}"
    return text.replace("-", "\N{MINUS SIGN}")


def words_of(value: float, places: int) -> str:
    """Return a number with its decimals; what rounds to 0 has no sign."""
    text = number_text(round(value, places) + 0.0, places)
    return text.replace("-", "\N{MINUS SIGN}")


def plain(value: float, _: float | None = None) -> str:
    """Return the label of a tick."""
    # A step that is not a binary fraction leaves 1e-17 where 0 is meant.
    return number(value if abs(value) > 1e-12 else 0.0)


def _signed(value: float, _: float | None = None) -> str:
    return "0" if abs(value) < 1e-9 else ("+" if value > 0 else "") + number(value)


def lone(values: Floats) -> Bools:
    """Return which values are between two missing ones: a line would not show them."""
    here = np.isfinite(values)
    around = np.concatenate([[False], here, [False]])
    return np.asarray(here & ~around[:-2] & ~around[2:])


def pale(colour: str, share: float = 0.6) -> tuple[float, float, float]:
    """Return a colour mixed with white, for values based on few data."""
    red, green, blue = (1.0 - (1.0 - part) * (1.0 - share) for part in to_rgb(colour))
    return red, green, blue


def estimates(
    ax: Axes,
    at: Any,
    values: Any,
    ends: tuple[Any, Any] | None,
    colour: Any,
    *,
    label: str,
    interval: str = "95 % interval",
    hollow: tuple[Bools, str] | None = None,
    across: bool = False,
    width: float = 1.3,
    **look: Any,
) -> None:
    """Draw values as points, and their intervals as lines, up an Axes or across it.

    Parameters
    ----------
    ax : Axes
        The Axes.
    at, values : array of float
        Where along the axis of the groups each value stands; one that is missing is left out.
    ends : pair of arrays of float, optional
        The lower and upper ends of the intervals; one that is missing is left out.
    colour : colour
        Of the lines, and of the edges of the points.
    label, interval : str
        What the points and the lines are.
    hollow : (array of bool, str), optional
        Which points are hollow, and what these are.
    across : bool
        Whether values are along x.
    width : float
        How wide the lines are.
    **look
        What else `scatter` takes for the points.
    """
    at, values = (np.asarray(part, dtype=np.float64) for part in (at, values))
    finite = np.isfinite(values)
    x, y = (values, at) if across else (at, values)
    usual: dict[str, Any] = {"s": 16.0, "facecolors": colour, "edgecolors": colour, "zorder": 4}
    usual |= {"linewidths": 0.0, **look}
    thin, name = (np.zeros(len(values), bool), "") if hollow is None else hollow
    hollow_look = {"facecolors": "white", "edgecolors": colour, "linewidths": 0.8}
    for chosen, said, face in ((finite & ~thin, label, {}), (finite & thin, name, hollow_look)):
        if chosen.any():
            ax.scatter(x[chosen], y[chosen], label=said, **usual | face)
    if ends is not None:
        low, high = (np.asarray(end, dtype=np.float64) for end in ends)
        drawn = finite & np.isfinite(low) & np.isfinite(high)
        if drawn.any():
            bars = (ax.hlines if across else ax.vlines)(at[drawn], low[drawn], high[drawn])
            bars.set(color=colour, linewidth=width, zorder=3, label=interval)


def quantiles(rows: Floats) -> Floats:
    """Return the 5th, 25th, 50th, 75th and 95th percentile of each row, of the values it has."""
    empty = ~np.isfinite(rows).any(axis=1, keepdims=True)
    found = np.nanquantile(np.where(empty, 0.0, rows), [0.05, 0.25, 0.5, 0.75, 0.95], axis=1)
    return np.where(empty.T, np.nan, found)


def rings(ax: Axes, x: Any, y: Any, size: float, label: str) -> None:
    """Draw a ring around each of some points."""
    look: dict[str, Any] = {"facecolors": "none", "edgecolors": COLOURS["text"], "clip_on": False}
    ax.scatter(x, y, s=size, linewidths=0.9, zorder=5, label=label, **look)


def strip(ax: Axes, *, high: float = 0.16, gap: float | None = None) -> Axes:
    """Return a narrow Axes beneath another, sharing its x axis, for the data behind the values.

    Its height and the gap are shares of the height of the other; by default the lowest number of
    the other and its own highest keep apart.
    """
    own, panel = sheet_of(ax) is not None, length_pt(ax.yaxis)
    if own:
        panel *= BEFORE_LAYOUT
    if gap is None:
        size = float(ax.yaxis.get_major_ticks(1)[0].label1.get_fontsize())
        gap = max(0.09, size / panel)
    place: Any = ax.transAxes
    if own:  # in points: a layout changes the height of the panel, and would need another one
        points = Affine2D().scale(1.0, panel / 72.0) + ax.figure.dpi_scale_trans
        down = points + ScaledTranslation(0, 0, place)
        place = blended_transform_factory(place, down)
    below = ax.inset_axes((0.0, -(high + gap), 1.0, high), transform=place, sharex=ax)
    if own:
        keep_ticks(below)
    ax.tick_params(axis="x", bottom=False, labelbottom=False)
    ax.spines["bottom"].set_visible(False)
    below.spines[["top", "right"]].set_visible(False)
    return below


def strip_axis(below: Axes, label: str, most: float, *, room: float = 1.1) -> None:
    """Label the y axis of a strip: from 0 to the most, if two numbers have room."""
    size = float(below.yaxis.get_major_ticks(1)[0].label1.get_fontsize())
    below.set(ylabel=label, ylim=(0, room * most))
    below.set_yticks([0, int(most)] if length_pt(below.yaxis) > 2.2 * size else [0])


def difference_axis(ax: Axes, unit: str) -> None:
    """Put the y axis of a panel at the right, for differences with their sign."""
    bare(ax, "bottom")
    ax.yaxis.tick_right()
    ax.yaxis.set_label_position("right")
    ax.spines["right"].set_visible(True)
    ax.spines["left"].set_visible(False)
    value_axis(ax.yaxis, f"Difference ({unit})" if unit else "Difference")
    ax.yaxis.set_major_formatter(mticker.FuncFormatter(_signed))
