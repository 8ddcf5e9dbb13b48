"""Many wearers at once: over the days, in order, in groups, and how the groups differ."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import FigureBase
from matplotlib.gridspec import SubplotSpec
from matplotlib.transforms import Bbox

from eyelog.checks import one_of
from eyelog.errors import ConfigurationError, counted
from eyelog.figures import axes, dates, marks, tables
from eyelog.figures.axes import Panels
from eyelog.figures.labels import LOG_WORDS, meaning_of, range_words, shades, short_names, title_of
from eyelog.figures.style import COLOURS, HATCH, SMALL_PT
from eyelog.frame import ACCOUNT, require, require_frame, stated_log
from eyelog.judge.arrays import Floats, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of
from eyelog.measure.groups import keyed
from eyelog.measure.sheet import decimals
from eyelog.series.groups import (
    days_of_wearers,
    difference_of_means,
    group_of_wearers,
    mean_interval,
)

LEAST_WEARERS: Final = 5  # on a day, for percentiles over wearers
MOST_NAMES: Final = 40  # with more rows, names have no room
LARGE: Final[Mapping[str, Any]] = {
    "across": True,
    "width": 1.6,
    "s": 22.0,
    "linewidths": 0.6,
    "edgecolors": "white",
}
NAME_CHARACTERS: Final = 14  # of a group: two panels stand beside it
LEFT, RIGHT = 0.58, 0.29  # of the width: the groups, and their differences
LEAST_H: Final = pd.Timedelta(Limits().min_day) / pd.Timedelta("1h")
CLASSES_H: Final = (LEAST_H, 8.0, 12.0)
CLASSES: Final = ("worn 4 to 8 h", "worn 8 to 12 h", "usable")
MOST_ROWS_APART: Final = 60  # with more rows than this, rows touch


class LeftPart:
    """Places an Axes in the left part of what a layout gives it, so that another has the rest."""

    def __init__(self, ax: Axes, share: float) -> None:
        self.ax, self.share = ax, share

    def get_subplotspec(self) -> SubplotSpec | None:
        """Return the place in the grid: the tight layout asks the locator of an Axes for it."""
        return self.ax.get_subplotspec()

    def __call__(self, ax: Any, _renderer: Any) -> Bbox:
        """Return the place of the Axes in its figure."""
        whole = ax.get_position(original=True)
        return Bbox.from_bounds(whole.x0, whole.y0, self.share * whole.width, whole.height)


@axes.plot_function
def plot_cohort(
    table: pd.DataFrame,
    column: str = "worn_h",
    *,
    kind: str = "lines",
    by: str | pd.Series | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw one column of the days of many wearers.

    Parameters
    ----------
    table : DataFrame
        With ``account`` and ``day`` in the index or in columns: daily tables of several wearers,
        one after the other, such as
        ``pd.concat({"anna": days_of_anna, "ben": days_of_ben}, names=["account"])``.
    column : str
        The column to draw.
    kind : {"lines", "caterpillar", "groups"}
        ``"lines"``: a thin line for each wearer over the days, with bands for the middle half and
        the middle 90 % of the wearers of each day, and their median. ``"caterpillar"``: a row for
        each wearer, in order of their medians, with the middle half and the middle 90 % of their
        days. ``"groups"``: a row for each group of wearers, with a point for the mean of each
        wearer's days, and the mean of the wearers with its 95 % interval; beside it the difference
        of each group from the first, with its interval.
    by : str or Series, optional
        The group of each wearer, for ``kind="groups"``: a column, or a Series by wearer.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        Lines: one collection with a line for each wearer in order of their names; a day is in the
        middle of its hours. Caterpillar: points, lowest at the bottom. Groups: the first at the
        top; and in ``ax.child_axes``, with two groups or more, the differences. Each artist has its
        words in the legend as its label. The title says how many wearers are drawn, and of how many
        if some have no value or group.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If the table has no account or day, or no value, there is no such kind, or `by` is missing
        when needed, given when not needed, or has no value.

    Notes
    -----
    Days are local days: those of wearers in different zones share a date, not 24 hours. Bands and
    median of a day need five wearers with a value. The intervals of groups use wearers as the units
    and need three in each group: Student's for a mean, Welch's for a difference, as in
    `eyelog.compare.group_difference`, which gives its p.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = {
    ...     f"wearer {seed}": el.daily(
    ...         el.simulate("2026-03-02", 3, log="standard_mode_logs", seed=seed)
    ...     )
    ...     for seed in range(3)
    ... }
    >>> ax = el.plot_cohort(pd.concat(days, names=["account"]), "steps", kind="caterpillar")
    >>> len(ax.get_yticks())
    3
    """
    what = "plot_cohort"
    require_frame(table, what=what, wanted="a table of days by account")
    require(table, [column], purpose=what)
    one_of(kind, "kind", ("lines", "caterpillar", "groups"))
    if (by is None) == (kind == "groups"):
        raise ConfigurationError(
            "plot_cohort: kind='groups' and by= belong together: by='group' names the column of"
            " the groups"
        )
    if by is not None:
        table, (by, *_) = keyed(table, by, what=what, one=True)
    tables.require_numbers(table, column, what=what)
    everyone = _wide(table, column, what)
    wide = everyone.dropna(how="all")
    wearers, named = len(wide), column_of(column, log=stated_log(table))
    if by is not None:
        means = wide.mean(axis=1)
        of_group = means.groupby(group_of_wearers(table, by, what=what).reindex(means.index))
        groups = {str(label): np.sort(numbers(part)) for label, part in of_group}
        if not groups:
            raise ConfigurationError(f"{what}: no wearer with a value has a value of {by!r}")
        wearers = sum(map(len, groups.values()))
        ax = axes.on(ax, height_mm=9.0 * len(groups) + 4.0)
        _draw_groups(ax, groups, named)
    elif kind == "caterpillar":
        height = float(np.clip(3.4 * wearers, 22.0, 180.0))
        ax = axes.on(ax, height_mm=height)
        quantiles = marks.quantiles(wide.to_numpy(dtype=np.float64))
        order = np.argsort(quantiles[2], kind="stable")
        order = order[np.isfinite(quantiles[2][order])]
        outer_low, low, median, high, outer_high = quantiles[:, order]
        y, row_pt = np.arange(len(order)), 72.0 / 25.4 * height / len(order)
        point, area = (COLOURS[name] for name in shades(meaning_of(named)))
        marks.estimates(
            ax, y, median, (low, high), area, width=float(np.clip(0.6 * row_pt, 0.5, 2.4)),
            s=float(np.clip(row_pt**2, 3.0, 9.0)), facecolors=point, across=True,
            label="median of the wearer's days", interval="middle half",
        )  # fmt: skip
        thin = float(np.clip(0.2 * row_pt, 0.15, 0.8))
        ax.hlines(y, outer_low, outer_high, color=area, linewidth=thin, label="middle 90 %")
        look: dict[str, Any] = {"color": COLOURS["reference"], "linewidth": 0.8, "linestyle": "--"}
        ax.axvline(float(np.median(median)), label="median of the wearers", **look)
        ax.set_ylim(-0.8, len(order) - 0.2)
        if len(order) <= MOST_NAMES:
            counts = wide.notna().sum(axis=1).iloc[order]
            axes.name_rows(ax, y, list(map(str, counts.index)), [f"  n = {n}" for n in counts])
        else:
            axes.name_rows(ax, [], [])
            marks.value_label(ax, "Wearers, in order of their medians")
        marks.value_axis(ax.xaxis, named.text, most=8)
    else:
        ax = axes.on(ax, height_mm=58.0)
        _lines(ax, wide, named)
    days = pd.DatetimeIndex(wide.columns)
    log = LOG_WORDS.get(stated_log(table) or "", "")
    who = counted(wearers, "wearer")
    if wearers < len(everyone):
        lacking = "value" if by is None else "value or group"
        who = f"{wearers} of {len(everyone)} wearers (others have no {lacking})"
    parts = [who, log, range_words(days[0], days[-1])]
    axes.finish(ax, " · ".join(part for part in parts if part), title, legend=legend)
    return ax


def _wide(table: pd.DataFrame, column: str, what: str) -> pd.DataFrame:
    """Return a row for each wearer, blank without a value, and a column for each calendar day."""
    if ACCOUNT not in {*table.index.names, *table.columns}:
        raise ConfigurationError(
            f"{what} takes the days of many wearers, with account and day, as of"
            " eyelog.cohort.daily or pd.concat({account: eyelog.daily(frame)}, names=['account']);"
            " plot_actogram of one wearer takes the frame"
        )
    tables.require_rows(table, what=what)
    days = days_of_wearers(table, column, what=what)
    if days.empty:
        raise ConfigurationError(f"{what} has nothing to draw: {column!r} has no value")
    days["day"] = days["day"].astype("M8[D]").astype("M8[us]")
    wide = days.pivot(index=ACCOUNT, columns="day", values=column)  # noqa: PD010
    of: Any = table.index.get_level_values if ACCOUNT in table.index.names else table.get
    return wide.reindex(
        pd.Index(of(ACCOUNT)).astype("str").dropna().unique().sort_values(),
        columns=pd.date_range(wide.columns[0], wide.columns[-1], freq="D"),
    )


def _lines(ax: Axes, wide: pd.DataFrame, named: Column) -> None:
    of_line, of_area = shades(meaning_of(named))
    days = pd.DatetimeIndex(wide.columns)
    values, x = wide.to_numpy(dtype=np.float64), dates.noons(days)
    dates.shade_weekends(ax, days)
    # Many lines cover one another: fainter and thinner ones, over the bands that they make up.
    few = len(values) <= 30
    look: dict[str, Any] = {"color": COLOURS["trace"], "zorder": 1.5}
    look["alpha"] = float(np.clip(60.0 / len(values), 0.15, 0.6))
    strands = [np.column_stack([x, row]) for row in values]
    width = 0.5 if few else 0.3
    thin = LineCollection(strands, linewidths=width, label="each wearer", **look)
    thin.set_rasterized(not few)
    ax.add_collection(thin)
    alone = np.array([marks.lone(row) for row in values])
    if alone.any():
        ax.scatter(
            x[np.nonzero(alone)[1]], values[alone], s=5.0 if few else 1.5, linewidths=0, **look
        )
    enough = np.isfinite(values).sum(axis=0) >= LEAST_WEARERS
    if enough.any():
        found = np.where(enough, marks.quantiles(values.T), np.nan)
        outer_low, low, median, high, outer_high = found
        ax.plot(
            x, median, color=COLOURS[of_line], linewidth=1.5, zorder=3,
            label="median of the wearers",
        )  # fmt: skip
        area: dict[str, Any] = {"facecolor": COLOURS[of_area], "linewidth": 0}
        for bottom, top, alpha, label in (
            # The second lies on the first, and lines are seen on both.
            (outer_low, outer_high, 0.35, "middle 90 %"),
            (low, high, 0.45, "middle half of the wearers"),
        ):
            ax.fill_between(x, bottom, top, alpha=alpha, label=label, **area)
    low_y, high_y = np.nanmin(values), np.nanmax(values)
    room = 0.05 * (float(high_y - low_y) or float(abs(high_y)) or 1.0)
    ax.set_ylim(low_y - room, high_y + room)
    marks.value_axis(ax.yaxis, named.text)
    dates.day_axis(ax, days)


def _draw_groups(ax: Axes, groups: dict[str, Floats], named: Column) -> None:
    """Draw the wearers of each group in a row, their mean, and how far it is from the first."""
    rows, first = np.arange(len(groups), dtype=np.float64)[::-1], next(iter(groups.values()))
    for place, (row, means) in enumerate(zip(rows, groups.values(), strict=True)):
        meaning, marker = marks.GROUPS[place % len(marks.GROUPS)]
        # Steps of the golden ratio put neighbours far apart.
        shift = (np.arange(len(means)) * 0.6180339887498949 % 1.0 - 0.5) * 0.56 * (len(means) > 2)
        look: dict[str, Any] = {"color": COLOURS[meaning], "marker": marker, "linewidths": 0}
        look |= {"s": float(np.clip(400.0 / len(means), 2.5, 9.0)), "alpha": 0.55}
        ax.scatter(means, row + shift, label=axes.once(ax, "mean of a wearer's days"), **look)
        low, high = mean_interval(means)
        marks.estimates(
            ax, [row], [means.mean()], ([low], [high]), COLOURS[meaning], marker=marker,
            label=axes.once(ax, "mean of the wearers"), interval=axes.once(ax, "95 % interval"),
            **LARGE,
        )  # fmt: skip
    ax.set_ylim(-0.6, len(groups) - 0.4)
    counts = [f"  n = {len(means):,}" for means in groups.values()]
    axes.name_rows(ax, rows, list(groups), counts, most=NAME_CHARACTERS)
    marks.value_axis(ax.xaxis, named.text, most=8)
    if len(groups) == 1:
        return
    marks.value_axis(ax.xaxis, named.text.replace(" (", "\n("), most=5)
    ax.set_axes_locator(LeftPart(ax, LEFT))
    beside = ax.inset_axes(((1 - RIGHT) / LEFT, 0.0, RIGHT / LEFT, 1.0), sharey=ax)
    others = [difference_of_means(first, means) for means in list(groups.values())[1:]]
    apart = [means.mean() - first.mean() for means in list(groups.values())[1:]]
    ends = ([one["low"] for one in others], [one["high"] for one in others])
    reference = short_names([next(iter(groups))])[0]
    marks.estimates(
        beside, rows[1:], apart, ends, COLOURS["difference"], marker="D",
        label=f"difference from {reference}", **LARGE,
    )  # fmt: skip
    _zero(beside, "x")
    marks.bare(beside, "left")
    beside.spines[["top", "right"]].set_visible(False)
    beside.tick_params(axis="y", labelleft=False)
    beside.set_xlabel(f"Difference\n({named.unit})" if named.unit else "Difference")
    beside.margins(x=0.12)
    marks.value_axis(beside.xaxis, most=4)


def _zero(ax: Axes, axis: str) -> None:
    """Draw the line of no difference across an axis."""
    across = ax.axvline if axis == "x" else ax.axhline
    across(0.0, color=COLOURS["reference"], linewidth=0.9, linestyle="--", zorder=1)


@axes.plot_function
def plot_contrast(
    wearers: pd.DataFrame, differences: pd.DataFrame, about: Column, *, title: str = ""
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
        The wearers, and the differences, if there are any; their 0 is at the mean of the
        reference.
    """
    groups = {str(name): part for name, part in wearers.groupby("group", sort=False)}
    several, total = len(differences) > 0, len(wearers)
    made: Panels = axes.panels([54.0], [2.7, 1.0] if several else [1.0])[0]
    ax, names = made[0], short_names(list(groups), NAME_CHARACTERS)
    means = np.array([part["mean"].mean() for part in groups.values()])
    places, start, ticks = decimals(means, about.digits), 0.0, []
    for (colour, marker), part, mean in zip(marks.GROUPS, groups.values(), means, strict=False):
        part = part.sort_values("mean", kind="stable")
        marks.estimates(
            ax, start + np.arange(len(part)), part["mean"], (part["low"], part["high"]),
            COLOURS[colour], label=axes.once(ax, "a wearer"), marker=marker,
            interval=axes.once(ax, "95 % interval of this wearer"), edgecolors="white",
            width=float(np.clip(60.0 / total, 0.3, 1.1)), linewidths=0.3,
            s=float(np.clip(500.0 / total, 1.5, 16.0)),
        )  # fmt: skip
        ends = (start - 0.6, start + len(part) - 0.4)
        label = axes.once(ax, "mean of the wearers")
        ax.hlines(mean, *ends, COLOURS["difference"], linewidth=1.2, label=label)
        ax.annotate(
            marks.words_of(mean, places), (ends[1], mean), (1, 2.5), textcoords="offset points",
            fontsize=SMALL_PT, fontweight="bold", ha="left",
        )  # fmt: skip
        ticks.append(sum(ends) / 2)
        start += len(part) + max(1.0, 0.16 * total)
    ax.set_xlim(-0.02 * total - 0.8, ends[1] + 0.8 + 0.11 * total)
    if len(groups) > 1:
        look: dict[str, Any] = {"color": COLOURS["reference"], "linewidth": 0.8}
        ax.axhline(means[0], linestyle="--", zorder=1, **look)
    sizes = [counted(len(part), "wearer") for part in groups.values()]
    ax.set_xticks(ticks, [f"{name}\n{size}" for name, size in zip(names, sizes, strict=True)])
    marks.bare(ax, "bottom")
    marks.value_axis(ax.yaxis, about.text)
    if several:
        beside, x = made[1], np.arange(len(differences))
        draw_differences(ax, beside, x, differences, means[0])
        others = [names[list(groups).index(str(name))] for name in differences.index]
        minus = f"minus {names[0]}"
        beside.set_xticks(x, [f"{others[0]}\n{minus}"] if len(x) == 1 else others)
        beside.set_xlabel(minus if len(x) > 1 else "")
        beside.set_xlim(-0.7, len(x) - 0.3)
        marks.difference_axis(beside, about.unit)
    axes.finish(ax, title, None)
    return made


def draw_differences(
    values: Axes,
    ax: Axes,
    x: Any,
    differences: pd.DataFrame,
    reference: float,
    said: str = "difference",
) -> None:
    """Draw differences on an axis of their own, as long as that of the values, 0 at a reference."""
    ends = reference + differences[["difference", "low", "high"]].to_numpy(dtype=np.float64)
    low, high = values.get_ylim()
    room = 0.06 * (high - low)
    if np.isfinite(ends).any():
        low, high = min(low, np.nanmin(ends) - room), max(high, np.nanmax(ends) + room)
    values.set_ylim(low, high)
    ax.set_ylim(low - reference, high - reference)
    _zero(ax, "y")
    between = differences["low"], differences["high"]
    marks.estimates(
        ax, x, differences["difference"], between, COLOURS["difference"],
        label=said, interval="its 95 % interval", width=2.0, s=26, marker="D",
    )  # fmt: skip


@axes.plot_function
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
        The differences, the first at the top.
    """
    ax = axes.on(None, height_mm=7.5 * len(others))
    rows = np.arange(len(others))[::-1]
    _zero(ax, "x")
    marks.estimates(
        ax, rows, others["difference"], (others["low"], others["high"]), COLOURS["difference"],
        label="difference", interval="joint interval", across=True, width=1.6, s=18, marker="D",
    )  # fmt: skip
    stands = others["stands"].to_numpy(dtype=bool)
    ax.set_yticks(
        rows, [f"{name}\n{said}" for name, said in zip(others.index, others["said"], strict=True)]
    )
    for tick, bold in zip(ax.get_yticklabels(), stands, strict=True):
        tick.set_fontweight("bold" if bold else "normal")
    marks.bare(ax, "left")
    ax.set_ylim(-0.6, len(others) - 0.4)
    ax.margins(x=0.12)
    marks.value_axis(ax.xaxis, "Difference (SD of wearers)", most=5)
    if stands.any():
        marks.rings(ax, others["difference"][stands], rows[stands], 70, "stands out")
    axes.finish(ax, title, None)
    return ax


def draw_who_wore_when(
    table: pd.DataFrame, title: str | None, legend: bool | str, fig: FigureBase | None
) -> Panels:
    """Draw a cell for each wearer and day, days that count beside, wearers of each day beneath."""
    what = "plot_actogram"
    require(table, ["worn_h"], purpose=what, made_by="eyelog.states(frame)")
    wide = _wide(table, "worn_h", what)
    days = pd.DatetimeIndex(wide.columns)
    count = (wide >= LEAST_H).sum(axis=1)
    wide = wide.loc[count.sort_values(ascending=False, kind="stable").index]
    hours = wide.to_numpy(dtype=np.float64)
    measured, full = np.isfinite(hours), hours >= LEAST_H
    n, width = hours.shape
    apart, rows, x = n <= MOST_ROWS_APART, np.arange(n), dates.noons(days)
    edges = np.append(x - 0.5, x[-1] + 0.5)
    made = axes.panels(
        [float(np.clip(3.2 * n, 24.0, 96.0)), 18.0], [1.0, 0.22], sharex=True, fig=fig
    )
    made[1, 1].remove()
    cells, beside, beneath = made[0, 0], made[0, 1], made[1, 0]

    # White is before a wearer joined or after leaving, hatched is no record.
    since = np.maximum.accumulate(measured, axis=1)
    inside = since & np.maximum.accumulate(measured[:, ::-1], axis=1)[:, ::-1]
    # A hollow cell of half a millimetre would be all edge.
    faint = to_rgba("white" if apart else marks.pale(COLOURS[CLASSES[0]], 0.5))
    colours = np.array([faint, *(to_rgba(COLOURS[name]) for name in CLASSES)])
    classes = np.searchsorted(CLASSES_H, np.nan_to_num(hours), side="right")
    image = colours[classes]
    image[~measured, 3] = 0.0
    extent = (edges[0], edges[-1], n - 0.5, -0.5)
    cells.imshow(image, aspect="auto", interpolation="nearest", zorder=1, extent=extent)
    for of, words in ((2, "12 h worn or more"), (1, "8 to 12 h"), (0, "4 to 8 h")):
        if (classes[measured] == of + 1).any():
            axes.key(cells, words, CLASSES[of])
    look: dict[str, Any] = {"edgecolor": COLOURS["hatch"], "hatch": HATCH, "linewidth": 0.0}
    look["label"] = "no record" if (inside & ~measured).any() else ""
    first, long = edges[inside.argmax(axis=1)], inside.sum(axis=1)
    cells.barh(rows, long, 1.0, first, facecolor="white", zorder=0.5, **look)
    thin_rows, thin_days = np.nonzero(measured & ~full)
    thin = f"thin: under {LEAST_H:g} h"
    if len(thin_rows) and not apart:
        cells.fill([], [], facecolor=faint, label=thin)
    elif len(thin_rows):
        look = {"edgecolor": COLOURS["usable"], "facecolor": "white", "linewidth": 0.7}
        cells.barh(thin_rows, 0.7, 0.6, x[thin_days] - 0.35, zorder=1.5, label=thin, **look)
    if apart:
        cells.hlines(np.arange(n + 1) - 0.5, *extent[:2], "white", linewidth=1.4, zorder=2)
        if width <= MOST_ROWS_APART:
            cells.vlines(edges, -0.5, n - 0.5, "white", zorder=2)
    cells.set_ylim(n - 0.5, -0.5)
    cells.spines[["left", "bottom"]].set_visible(False)
    cells.tick_params(length=0, labelbottom=False)
    if apart:
        cells.set_yticks(rows, short_names(list(map(str, wide.index))))
        size = np.clip(0.85 * axes.length_pt(cells.yaxis) / n, 5.0, 7.0)
        cells.tick_params(axis="y", labelsize=float(size))
    else:
        cells.set_yticks([])
        cells.set_ylabel("Wearers, by days that count")

    look = {"color": COLOURS["usable"], "linewidths": 0, "clip_on": False}
    counts = full.sum(axis=1)
    beside.scatter(counts, rows, s=8.0 if apart else 2.0, **look)
    beside.set_ylim(n - 0.5, -0.5)
    beside.set_xlim(0.0, max(1.0, float(counts.max())))
    # Its right end is that of the panel, which may be narrower than the words.
    beside.set_xlabel("Days\nthat count", horizontalalignment="right", x=1.0)
    beside.tick_params(axis="x", labelbottom=True)  # the axis that it shares has been removed
    marks.value_axis(beside.xaxis, most=3, whole=True)
    beside.set_yticks([])
    beside.spines["left"].set_visible(False)

    worn = full.sum(axis=0)
    beneath.stairs(worn, edges, color=COLOURS["usable"], linewidth=1.2)
    dates.shade_weekends(beneath, days)
    beneath.set_ylim(0.0, max(1.0, 1.1 * float(worn.max())))
    marks.value_axis(beneath.yaxis, "Wearers", most=3, whole=True)
    dates.day_axis(beneath, days)
    beneath.set_xlim(x[0] - 0.5, x[-1] + 0.5)
    white = "" if inside.all() else "white: before a wearer joined or after leaving; "
    note = f"{white}rows sorted by days that count"
    ours = title_of(table, wearer=counted(n, "wearer"), days=days, zone=False)
    axes.finish(cells, ours, title, legend=legend, note=note, fig=fig)
    return np.array([cells, beside, beneath], dtype=object)
