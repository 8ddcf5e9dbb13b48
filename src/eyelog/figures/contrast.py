"""Groups of wearers: each wearer with an interval, and beside them how the groups differ.

The first page of a cohort's report shows these two figures side by side.
"""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.errors import counted
from eyelog.figures.axes import Entry, grid, legend, line, panels, plot_function, set_title
from eyelog.figures.labels import short_names
from eyelog.figures.marks import GROUPS, difference_axis, value_axis
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.judge.arrays import numbers
from eyelog.measure.columns import Column
from eyelog.measure.sheet import decimals, number_text

PANEL_MM: Final = 54.0
ROW_MM: Final = 7.5
AROUND_MM: Final = 26.0
BETWEEN: Final = 0.16  # of all wearers: the space between two groups
NAME_CHARACTERS: Final = 14


@plot_function
def plot_contrast(
    wearers: pd.DataFrame,
    differences: pd.DataFrame,
    about: Column,
    *,
    title: str = "",
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw each wearer with an interval, sorted within groups, and the differences of the groups.

    Parameters
    ----------
    wearers : DataFrame
        One row per wearer: ``group``, ``mean``, ``low`` and ``high`` (missing where a wearer has
        too few days). The first group in order of the rows is the reference.
    differences : DataFrame
        One row per other group, by its name: ``difference``, ``low``, ``high``; without rows there
        is nothing to compare.
    about : Column
        The quantity.
    title : str
        The title of the figure.

    Returns
    -------
    array of Axes
        The wearers, with the labels ``_wearers``, ``_intervals`` and ``_means``, and the
        differences, if there are any, with ``_difference`` and ``_interval``; their 0 is at the
        mean of the reference.
    """
    groups = {str(name): part for name, part in wearers.groupby("group", sort=False)}
    several = len(differences) > 0
    made = grid([PANEL_MM], [2.7, 1.0] if several else [1.0], around_mm=AROUND_MM)[0]
    means = {name: float(part["mean"].mean()) for name, part in groups.items()}
    _draw_wearers(made[0], groups, means, about)
    if several:
        _draw_differences(made[0], made[1], differences, list(groups), means, about)
    legend(made[0], _entries(wearers, several=several))
    set_title(made[0], title)
    return cast("np.ndarray[Any, np.dtype[np.object_]]", made)


@plot_function
def plot_others(others: pd.DataFrame, *, title: str = "") -> Axes:
    """Draw differences of several quantities below each other, in SD of the wearers.

    Parameters
    ----------
    others : DataFrame
        One row per quantity, by its label: ``difference``, ``low``, ``high`` (in SD of wearers),
        ``said`` (the difference in its own unit) and a boolean ``stands`` (out, after correction).
    title : str
        The title of the figure.

    Returns
    -------
    Axes
        With the labels ``_difference``, ``_interval`` and ``_stands out``.
    """
    ax: Axes = panels([ROW_MM * len(others)], around_mm=AROUND_MM)[0]
    rows = np.arange(len(others))[::-1]
    zero = ax.axvline(0.0, color=COLOURS["reference"], linewidth=0.9, linestyle="--", zorder=1)
    zero.set_label("_zero")
    ax.hlines(
        rows, others["low"], others["high"], color=COLOURS["difference"], linewidth=1.6
    ).set_label("_interval")
    dots = ax.scatter(
        others["difference"], rows, s=18, marker="D", color=COLOURS["difference"], linewidths=0
    )
    dots.set(zorder=3, label="_difference")
    stands = others["stands"].to_numpy(dtype=bool)
    if stands.any():
        ring = ax.scatter(others["difference"][stands], rows[stands], s=70, zorder=4)
        ring.set(facecolors="none", edgecolors=COLOURS["text"], linewidths=1.0)
        ring.set(label="_stands out")
    names = [f"{name}\n{change}" for name, change in zip(others.index, others["said"], strict=True)]
    ax.set_yticks(rows, names)
    for tick, bold in zip(ax.get_yticklabels(), stands, strict=True):
        tick.set_fontweight("bold" if bold else "normal")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(-0.6, len(others) - 0.4)
    ax.margins(x=0.12)
    ax.set_xlabel("Difference (SD of wearers)")
    value_axis(ax.xaxis, most=5)
    entries: list[Entry] = [line("difference with joint interval", "difference", marker="D")]
    if stands.any():
        out = line("stands out", "text", marker="o", linestyle="")
        cast(Any, out[1]).set(markerfacecolor="none", markersize=6.5)
        entries.append(out)
    legend(ax, entries)
    set_title(ax, title)
    return ax


def _draw_wearers(
    ax: Axes, groups: dict[str, pd.DataFrame], means: dict[str, float], about: Column
) -> None:
    total = sum(map(len, groups.values()))
    room, start = max(1.0, BETWEEN * total), 0.0
    size = float(np.clip(500.0 / total, 1.5, 16.0))
    digits = decimals(np.array(list(means.values())), about.digits)
    ticks, names = [], short_names(list(groups), NAME_CHARACTERS)
    reference = next(iter(means.values()))
    for place, (name, part) in enumerate(groups.items()):
        part = part.sort_values("mean", kind="stable")
        colour = COLOURS[GROUPS[place][0]]
        x = start + np.arange(len(part))
        bars = ax.vlines(x, numbers(part["low"]), numbers(part["high"]), color=colour)
        bars.set(linewidth=float(np.clip(60.0 / total, 0.3, 1.1)), alpha=0.75, label="_intervals")
        dots = ax.scatter(x, part["mean"], s=size, marker=GROUPS[place][1], color=colour)
        dots.set(edgecolors="white", linewidths=0.3, zorder=4, label="_wearers")
        ends = (start - 0.6, start + len(part) - 0.4)
        mean = ax.hlines(means[name], *ends, color=COLOURS["difference"], linewidth=1.2)
        mean.set(zorder=3, label="_means")
        ax.annotate(
            number_text(means[name], digits).replace("-", "\N{MINUS SIGN}"),
            (ends[1], means[name]),
            (1, 2.5),
            textcoords="offset points",
            ha="left",
            fontsize=SMALL_PT,
            fontweight="bold",
        )
        ticks.append((ends[0] + ends[1]) / 2)
        start += len(part) + room
    ax.set_xlim(-0.02 * total - 0.8, start - room + 0.4 + 0.11 * total)
    if len(groups) > 1:
        dashed = ax.axhline(reference, color=COLOURS["reference"], linewidth=0.8, linestyle="--")
        dashed.set(zorder=1, label="_mean of the first")
    counts = [counted(len(part), "wearer") for part in groups.values()]
    ax.set_xticks(ticks, [f"{name}\n{n}" for name, n in zip(names, counts, strict=True)])
    ax.tick_params(axis="x", length=0)
    ax.spines["bottom"].set_visible(False)
    ax.set_ylabel(about.text)
    value_axis(ax.yaxis)


def _draw_differences(
    wearers: Axes,
    ax: Axes,
    differences: pd.DataFrame,
    groups: list[str],
    means: dict[str, float],
    about: Column,
) -> None:
    """Draw the differences on an axis as long as that of the wearers, 0 at the reference's mean."""
    reference = means[groups[0]]
    ends = reference + differences[["difference", "low", "high"]].to_numpy(dtype=np.float64)
    low, high = wearers.get_ylim()
    room = 0.04 * (high - low)
    low, high = min(low, float(np.nanmin(ends)) - room), max(high, float(np.nanmax(ends)) + room)
    wearers.set_ylim(low, high)
    ax.set_ylim(low - reference, high - reference)
    zero = ax.axhline(0.0, color=COLOURS["reference"], linewidth=0.8, linestyle="--", zorder=1)
    zero.set_label("_zero")
    x = np.arange(len(differences))
    bars = ax.vlines(x, differences["low"], differences["high"], color=COLOURS["difference"])
    bars.set(linewidth=2.0, zorder=3, label="_interval", capstyle="butt")
    dots = ax.scatter(x, differences["difference"], s=26, marker="D", color=COLOURS["difference"])
    dots.set(zorder=4, linewidths=0, label="_difference")
    short = dict(zip(groups, short_names(groups, NAME_CHARACTERS), strict=True))
    minus = f"\nminus {short[groups[0]]}"
    names = [short[str(name)] for name in differences.index]
    ax.set_xticks(x, [names[0] + minus] if len(names) == 1 else names)
    if len(names) > 1:
        ax.set_xlabel(minus.strip())
    ax.set_xlim(-0.7, len(x) - 0.3)
    difference_axis(ax, about.unit)


def _entries(wearers: pd.DataFrame, *, several: bool) -> list[Entry]:
    interval = bool(np.isfinite(numbers(wearers["low"])).any())
    words = "a wearer, with the 95 % interval of this wearer" if interval else "a wearer"
    entries: list[Entry] = [
        line(words, "before", marker="s", linestyle="-" if interval else ""),
        line("mean of the wearers", "difference"),
    ]
    if several:
        entries.append(line("difference with 95 % interval", "difference", marker="D"))
    return entries
