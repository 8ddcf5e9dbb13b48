"""Marks that several figures share: the colour bar, hatching, strips of counts, lone points."""

from collections.abc import Sequence
from typing import Any, Final, cast

import matplotlib.ticker as mticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize, PowerNorm, to_rgb

from eyelog.figures.axes import EM, keep_ticks, length_pt, own_figure
from eyelog.figures.style import COLOURS, HATCH
from eyelog.judge.arrays import Bools, Floats

# On an axis of more days, weekends would be thinner than a line, and are left out
MOST_WITH_WEEKENDS: Final = 190
# The first two stand as "before" and "after" do everywhere: a square, then a circle.
# The meaning whose colour a group of wearers has, and its marker, in order of the groups
GROUPS: Final = (
    *(("before", "s"), ("after", "o"), ("head", "^"), ("score", "v"), ("event", "p")),
    *(("off pose", "P"), ("second", "X"), ("trace", "h")),
)
WEEK: Final = 7
STEPS: Final = (1, 2, 2.5, 5, 10)
FEW_TICKS: Final = 3
STEPS_OF_FEW: Final = (1, 1.5, 2, 2.5, 3, 4, 5, 10)  # if rounder ones would leave one or two
DIGIT_EM: Final = 0.56  # how wide a digit is, as a share of its size
HEIGHT_EM: Final = 0.9  # how high a number is, with some air
APART_EM: Final = 0.5  # between two labels of a short axis
LOW_STRIP_EM: Final = 2.2
BEFORE_LAYOUT: Final = 0.8
APART: Final = 0.11  # as a share of a colour bar's length: closer ticks would touch


def hatch_background(ax: Axes) -> None:
    """Make the background of an Axes that of time without records: white and hatched."""
    ax.patch.set(facecolor=COLOURS["no record"], edgecolor=COLOURS["hatch"], hatch=HATCH)
    ax.patch.set_linewidth(0.0)


def say_no_values(ax: Axes) -> None:
    """Write in the middle of an Axes that it has no values; its value axis gets no numbers."""
    ax.text(0.5, 0.5, "no usable values", transform=ax.transAxes, ha="center", va="center")
    ax.yaxis.set_major_locator(mticker.NullLocator())


def days_wide(ax: Axes, days: int) -> None:
    """Set the limits of an axis of days; a few days are as wide as they are in a week."""
    room = max(0.0, (WEEK - days) / 2.0)
    ax.set_xlim(-0.5 - room, days - 0.5 + room)


def colour_bar(ax: Axes, image: ScalarMappable, label: str) -> None:
    """Draw the colour bar at the right, with round ticks at the places of their values."""
    # Within its panel, it is as high as that at every width, and other layouts can work with it.
    bar = ax.figure.figure.colorbar(image, cax=ax.inset_axes((1.015, 0.0, 0.025, 1.0)))
    cast(Any, bar.outline).set_visible(False)
    bar.set_label(label)
    norm = image.norm
    if isinstance(norm, PowerNorm):
        bar.ax.yaxis.set_major_locator(mticker.FixedLocator(_power_ticks(norm)))
    elif isinstance(norm, LogNorm):
        bar.ax.yaxis.set_major_locator(mticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    else:
        value_axis(bar.ax.yaxis)
    bar.ax.yaxis.set_minor_locator(mticker.NullLocator())
    if isinstance(norm, PowerNorm | LogNorm):
        bar.ax.yaxis.set_major_formatter(PlainFormatter())


def value_axis(axis: Axis, *, most: int = 6, whole: bool = False) -> None:
    """Label an axis of values at round numbers, with commas between thousands."""
    axis.set_major_locator(FittingLocator(most, whole=whole))
    axis.set_major_formatter(NumberFormatter())


def _steps(most: int) -> tuple[float, ...]:
    return STEPS if most > FEW_TICKS else STEPS_OF_FEW


class FittingLocator(mticker.MaxNLocator):
    """Round ticks, as many as have room along an axis of the present length."""

    def __init__(self, most: int, *, whole: bool = False) -> None:
        super().__init__(nbins=most, steps=_steps(most), integer=whole)
        self.most = most

    def __call__(self) -> Any:
        """Return the places of the ticks."""
        axis = cast(Axis, self.axis)
        size = float(axis.get_major_ticks(1)[0].label1.get_fontsize())
        two: list[float] = []
        for most in range(self._first_try(axis, size), 0, -1):
            self.set_params(nbins=most, steps=_steps(most))
            ticks = self._inside(super().__call__())
            if len(kept := _apart(axis, ticks, size)) == len(ticks):
                break
            two = two or (kept if len(kept) == 2 else [])
        # Up a low panel, fewer steps may leave one tick, which makes no scale.
        return two if len(kept) < 2 and not isinstance(axis, XAxis) and two else kept

    def _first_try(self, axis: Axis, size: float) -> int:
        if not isinstance(axis, XAxis):
            return self.most
        longest = max(len(number(float(end), 2)) for end in axis.get_view_interval())
        fits = int(length_pt(axis) / (size * (DIGIT_EM * longest + 1.0)))
        return int(np.clip(fits, 1, self.most))

    def _inside(self, ticks: Any) -> list[float]:
        low, high = sorted(cast(Axis, self.axis).get_view_interval())
        return [float(tick) for tick in ticks if low <= tick <= high]


class FittingTicks(mticker.FixedLocator):
    """Ticks at given places up the axis of a strip, as many of them as have room."""

    def __call__(self) -> Any:
        """Return the places of the ticks."""
        axis = cast(Axis, self.axis)
        size = float(axis.get_major_ticks(1)[0].label1.get_fontsize())
        ticks = [float(tick) for tick in cast(Any, self).locs]
        if length_pt(axis) < LOW_STRIP_EM * size:  # the upper one would touch the panel's lowest
            return ticks[:1]
        return _apart(axis, ticks, size)


def _apart(axis: Axis, ticks: Sequence[float], size: float) -> list[float]:
    """Return the ticks whose labels keep apart on a short axis: 0 and others, or the ends."""
    inside = sorted(ticks, key=abs)
    labels = axis.get_major_formatter().format_ticks(inside)
    across = isinstance(axis, XAxis)
    wide = {
        tick: size * (DIGIT_EM * len(label) if across else HEIGHT_EM)
        for tick, label in zip(inside, labels, strict=True)
    }
    low, high = sorted(axis.get_view_interval())
    point = length_pt(axis) / (high - low)

    def fits(tick: float, beside: Sequence[float]) -> bool:
        return all(
            abs(tick - other) * point >= (wide[tick] + wide[other]) / 2 + APART_EM * size
            for other in beside
        )

    kept: list[float] = []
    for tick in (*inside[:1], *inside[:0:-1]):
        if fits(tick, kept):
            kept.append(tick)
    if len(kept) == 1:  # two numbers make a scale, and one does not
        ends = [min(inside), max(inside)]
        return ends if fits(ends[0], ends[1:]) else kept
    return sorted(kept)


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


class NumberFormatter(mticker.Formatter):
    """Labels of an axis of values: all have as many decimals as the longest needs."""

    def __call__(self, value: float, _pos: int | None = None) -> str:
        """Return one label, as the status bar of a window shows it."""
        return number(value)

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks."""
        largest = max((abs(float(value)) for value in values), default=0.0)
        # A step that is not a binary fraction leaves 1e-17 where 0 is meant.
        ticks = [0.0 if abs(value) < 1e-9 * largest else float(value) for value in values]
        plain = [number(tick) for tick in ticks]
        if any("e" in text for text in plain):
            return plain
        decimals = max((len(text.partition(".")[2]) for text in plain), default=0)
        return [f"{tick:,.{decimals}f}".replace("-", "\N{MINUS SIGN}") for tick in ticks]


class PlainFormatter(mticker.Formatter):
    """Labels of an axis on which each value has the decimals that it needs."""

    def __call__(self, value: float, _pos: int | None = None) -> str:
        """Return one label."""
        return number(value)


class PercentFormatter(mticker.Formatter):
    """Labels of an axis of shares: "25 %"."""

    def __call__(self, value: float, _pos: int | None = None) -> str:
        """Return one label."""
        return percent(value)


def percent(share: float, decimals: int = 0) -> str:
    """Return a share as a percentage with a space before the sign: "72.3 %"."""
    return f"{share * 100:.{decimals}f}\N{NO-BREAK SPACE}%"


def number(value: float, digits: int = 6) -> str:
    """Return a number as people write it: 12,000 not 1.2e+04, with a minus sign not a hyphen."""
    text = f"{value:.{digits}g}"
    if abs(value) >= 1000:
        text = f"{value:,.0f}" if value == round(value) or digits <= 4 else f"{value:,.2f}"
    return text.replace("-", "\N{MINUS SIGN}")


def _power_ticks(norm: Normalize) -> list[float]:
    """Return round values far enough apart on a power scale to be read."""
    low, top = float(norm.vmin or 0.0), float(norm.vmax or 1.0)
    decade = int(np.floor(np.log10(max(top - low, 1e-12))))
    ticks = [low]
    for value in (
        step * 10.0**power for power in range(decade - 3, decade + 1) for step in (1, 2, 5)
    ):
        if ticks[-1] < value <= top and float(norm(value)) - float(norm(ticks[-1])) >= APART:
            ticks.append(value)
    return ticks


def lone(values: Floats) -> Bools:
    """Return which values are between two missing ones: a line would not show them."""
    here = np.isfinite(values)
    around = np.concatenate([[False], here, [False]])
    return np.asarray(here & ~around[:-2] & ~around[2:])


def pale(colour: str, share: float = 0.6) -> tuple[float, float, float]:
    """Return a colour mixed with white, for values based on few data."""
    red, green, blue = (1.0 - (1.0 - part) * (1.0 - share) for part in to_rgb(colour))
    return red, green, blue


def strip(ax: Axes, *, height: float = 0.16, gap: float = 0.09) -> Axes:
    """Return a narrow Axes beneath another, sharing its x axis, for the data behind the values."""
    below = ax.inset_axes((0.0, -(height + gap), 1.0, height), sharex=ax)
    if own_figure(ax) is not None:
        keep_ticks(below)
    ax.tick_params(axis="x", bottom=False, labelbottom=False)
    ax.spines["bottom"].set_visible(False)
    for side in ("top", "right"):
        below.spines[side].set_visible(False)
    return below


def difference_axis(ax: Axes, unit: str) -> None:
    """Put the y axis of a panel at the right, for differences with their sign."""
    ax.tick_params(axis="x", length=0)
    ax.yaxis.tick_right()
    ax.yaxis.set_label_position("right")
    for side, shown in (("right", True), ("left", False), ("bottom", False)):
        ax.spines[side].set_visible(shown)
    ax.set_ylabel(f"Difference ({unit})" if unit else "Difference")
    ax.yaxis.set_major_locator(mticker.MaxNLocator(nbins=6, steps=list(STEPS)))
    ax.yaxis.set_major_formatter(mticker.FuncFormatter(_signed))


def _signed(value: float, _: float | None = None) -> str:
    if abs(value) < 1e-9:
        return "0"
    return f"+{number(value)}" if value > 0 else number(value)
