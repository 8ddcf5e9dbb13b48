"""Many wearers at once: a line for each over the days, a row for each in order, or groups."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.gridspec import SubplotSpec
from matplotlib.transforms import Bbox

from eyelog.errors import ConfigurationError, counted
from eyelog.figures.axes import (
    EM,
    axes,
    legend,
    length_pt,
    line,
    name_rows,
    own_figure,
    patch,
    plot_function,
    set_title,
)
from eyelog.figures.calendar_axis import day_axis, is_weekend, shade_weekends
from eyelog.figures.labels import LOG_WORDS, range_words, short_names
from eyelog.figures.marks import (
    GROUPS,
    MOST_WITH_WEEKENDS,
    days_wide,
    lone,
    value_axis,
    value_label,
)
from eyelog.figures.named import meaning_of, shades
from eyelog.figures.style import COLOURS
from eyelog.figures.tables import require_rows
from eyelog.frame import require, require_frame, stated_log
from eyelog.judge.arrays import Floats, numbers
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of
from eyelog.measure.groups import keyed
from eyelog.series.groups import difference_of_means, mean_interval

LEAST_WEARERS: Final = 5  # on a day, for percentiles over wearers
FEW_WEARERS: Final = 30
MOST_NAMES: Final = 40  # with more rows, names have no room
ROW_MM: Final = 3.4
GROUP_MM: Final = 9.0
ALL_LINES: Final = 60.0  # lines whose colours together are full
ALPHA: Final = (0.15, 0.6)
BANDS: Final = (0.35, 0.45)  # how dark: the second lies on the first, and lines are seen on both
FAINT: Final = 0.55  # wearers, behind the mean in the same colour
BESIDE_DIFFERENCES: Final = 14  # characters of a name: two panels stand beside it
LEFT: Final = 0.58  # of the width: the groups
RIGHT: Final = 0.29  # of the width: their differences
MOST_OF_AXIS: Final = 0.75
NARROW_PT: Final = 200.0  # two panels in a place of this width need small ticks
GOLDEN: Final = 0.6180339887498949  # steps of this share of a row put neighbours far apart
MOST_MM: Final = 180.0


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


@plot_function
def plot_cohort(
    table: pd.DataFrame,
    column: str = "worn_h",
    *,
    kind: str = "lines",
    by: str | pd.Series | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw one column of the days of many wearers.

    Parameters
    ----------
    table : DataFrame
        Indexed by ``account`` and ``day``: daily tables of several wearers, one after the other,
        such as ``pd.concat({"anna": days_of_anna, "ben": days_of_ben}, names=["account"])``.
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

    Returns
    -------
    Axes
        Lines: one collection with a line for each wearer in order of their names; a day is at its
        number, 0 for the first of the calendar days; the line of the median has the label
        ``_median``. Caterpillar: points with that label, lowest at the bottom. Groups: the first at
        the top, points with the label ``_wearers``, ``_mean`` and its ``_interval``; and in
        ``ax.child_axes``, with two groups or more, ``_difference`` and its ``_interval``.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If the table is not indexed by account and day or has no value, there is no such kind, or
        `by` is missing when needed, given when not needed, or has no value.

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
    require_frame(table, what="plot_cohort", wanted="a table of days by account")
    require(table, [column], purpose="plot_cohort")
    if kind not in ("lines", "caterpillar", "groups"):
        raise ConfigurationError(f"kind must be 'lines', 'caterpillar' or 'groups', not {kind!r}")
    if (by is None) == (kind == "groups"):
        raise ConfigurationError(
            "plot_cohort: kind='groups' and by= belong together:"
            " by='group' names the column of"
            " the groups"
        )
    if by is not None:
        table, names = keyed(table, by, what="plot_cohort", one=True)
        by = names[0]
    if not pd.api.types.is_numeric_dtype(table[column].dtype):
        raise ConfigurationError(f"plot_cohort draws numbers, but {column!r} holds times or text")
    wide = _wide(table, column)
    if not np.isfinite(wide.to_numpy()).any():
        raise ConfigurationError(f"plot_cohort has nothing to draw: {column!r} has no value")
    wearers = len(wide)
    named = column_of(column, log=stated_log(table))
    if by is not None:
        groups = _groups(table, wide, by)
        wearers = sum(map(len, groups.values()))
        ax = axes(ax, height_mm=GROUP_MM * len(groups) + 4.0)
        _draw_groups(ax, groups, named)
    elif kind == "caterpillar":
        ax = axes(ax, height_mm=float(np.clip(ROW_MM * wearers, 22.0, MOST_MM)))
        _caterpillar(ax, wide, named)
    else:
        ax = axes(ax, height_mm=58.0)
        _lines(ax, wide, named)
    words = LOG_WORDS.get(stated_log(table) or "", "")
    days = pd.DatetimeIndex(wide.columns)
    parts = [counted(wearers, "wearer"), words, range_words(days[0], days[-1])]
    set_title(ax, " · ".join(part for part in parts if part), title)
    return ax


def _wide(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return a row for each account and a column for each calendar day."""
    if list(table.index.names) != ["account", "day"]:
        raise ConfigurationError(
            "plot_cohort takes a table indexed by account and day, such as"
            " pd.concat({account: eyelog.daily(frame)}, names=['account'])"
        )
    require_rows(table, what="plot_cohort")
    # A local day is identified by its date; days of different zones do not begin at the same
    # instant.
    level = table.index.get_level_values("day")
    if isinstance(level, pd.DatetimeIndex):
        dates = (level.tz_localize(None) if level.tz is not None else level).normalize()
    else:
        dates = pd.DatetimeIndex([pd.Timestamp(day).tz_localize(None).normalize() for day in level])
    keys = pd.MultiIndex.from_arrays(
        [table.index.get_level_values("account"), dates], names=["account", "day"]
    )
    if keys.has_duplicates:
        account, day = keys[keys.duplicated()][0]
        raise ConfigurationError(f"{account!r} has two rows for {day:%Y-%m-%d}: one per day")
    tall = pd.DataFrame({"value": numbers(table[column])}, index=keys).reset_index()
    wide = tall.pivot(index="account", columns="day", values="value")  # noqa: PD010 - no two are one
    days = pd.date_range(wide.columns.min(), wide.columns.max(), freq="D")
    return wide.reindex(columns=days)


def _quantiles(values: Floats, axis: int) -> Floats:
    """Return the 5th, 25th, 50th, 75th and 95th percentile; missing values are left out."""
    empty = ~np.isfinite(values).any(axis=axis)
    filled = np.where(np.expand_dims(empty, axis), 0.0, values)
    quantiles = np.nanquantile(filled, [0.05, 0.25, 0.5, 0.75, 0.95], axis=axis)
    return np.where(empty, np.nan, quantiles)


def _lines(ax: Axes, wide: pd.DataFrame, named: Column) -> None:
    of_line, of_area = shades(meaning_of(named))
    days = pd.DatetimeIndex(wide.columns)
    weekends = len(days) <= MOST_WITH_WEEKENDS and bool(is_weekend(days).any())
    if weekends:
        shade_weekends(ax, days)
    values = wide.to_numpy(dtype=np.float64)
    x = np.arange(len(days), dtype=np.float64)
    strands = [np.column_stack([x, row]) for row in values]
    # Many lines cover one another: fainter and thinner ones, over the bands that they make up.
    few = len(values) <= FEW_WEARERS
    meaning, order = "trace", 1.5
    alpha = float(np.clip(ALL_LINES / len(values), *ALPHA))
    thin = LineCollection(strands, colors=COLOURS[meaning], alpha=alpha)
    thin.set_linewidth(0.5 if few else 0.3)
    thin.set(label="_wearers", zorder=order, rasterized=not few)
    ax.add_collection(thin)
    alone = np.array([lone(row) for row in values])
    dots = ax.scatter(
        np.nonzero(alone)[1],
        values[alone],
        s=5.0 if few else 1.5,
        color=COLOURS[meaning],
        alpha=alpha,
        linewidths=0,
    )
    dots.set(label="_lone days", zorder=order)
    entries = [line("each wearer", meaning, linewidth=0.5)]
    enough = np.isfinite(values).sum(axis=0) >= LEAST_WEARERS
    if enough.any():
        outer_low, low, median, high, outer_high = np.where(enough, _quantiles(values, 0), np.nan)
        for bottom, top, alpha, name in (
            (outer_low, outer_high, BANDS[0], "_middle 90 %"),
            (low, high, BANDS[1], "_middle half"),
        ):
            band = ax.fill_between(x, bottom, top, color=COLOURS[of_area], alpha=alpha)
            band.set(linewidth=0, label=name)
        ax.plot(x, median, color=COLOURS[of_line], linewidth=1.5, zorder=3)[0].set_label("_median")
        entries += [
            line("median of the wearers", of_line),
            patch("middle half of the wearers", of_area, alpha=1 - (1 - BANDS[0]) * (1 - BANDS[1])),
            patch("middle 90 %", of_area, alpha=BANDS[0]),
        ]
    if weekends:
        entries.append(patch("weekend"))
    low_y, high_y = np.nanmin(values), np.nanmax(values)
    room = 0.05 * (float(high_y - low_y) or float(abs(high_y)) or 1.0)
    ax.set_ylim(low_y - room, high_y + room)
    days_wide(ax, len(days))
    ax.set_ylabel(named.text)
    value_axis(ax.yaxis)
    day_axis(ax.xaxis, days)
    legend(ax, entries)


def _caterpillar(ax: Axes, wide: pd.DataFrame, named: Column) -> None:
    of_point, of_area = shades(meaning_of(named))
    values = wide.to_numpy(dtype=np.float64)
    medians = _quantiles(values, 1)[2]
    order = np.argsort(medians, kind="stable")
    order = order[np.isfinite(medians[order])]
    outer_low, low, median, high, outer_high = _quantiles(values, 1)[:, order]
    y = np.arange(len(order))
    row_pt = 72.0 / 25.4 * float(np.clip(ROW_MM * len(order), 22.0, MOST_MM)) / len(order)
    thick, thin = float(np.clip(0.6 * row_pt, 0.5, 2.4)), float(np.clip(0.2 * row_pt, 0.15, 0.8))
    ax.hlines(y, outer_low, outer_high, color=COLOURS[of_area], linewidth=thin).set_label("_90 %")
    ax.hlines(y, low, high, color=COLOURS[of_area], linewidth=thick).set_label("_half")
    ax.scatter(
        median,
        y,
        s=float(np.clip(row_pt**2, 3.0, 9.0)),
        color=COLOURS[of_point],
        linewidths=0,
        zorder=3,
    ).set_label("_median")
    middle = float(np.median(median))
    ax.axvline(middle, color=COLOURS["reference"], linewidth=0.8, linestyle="--").set_label(
        "_typical"
    )
    ax.set_ylim(-0.8, len(order) - 0.2)
    if len(order) <= MOST_NAMES:
        counts = np.isfinite(values).sum(axis=1)[order]
        name_rows(ax, y, [str(wide.index[row]) for row in order], [f"  n = {n}" for n in counts])
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_yticks([])
        value_label(ax, "Wearers, in order of their medians")
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(named.text)
    value_axis(ax.xaxis, most=8)
    entries: list[Any] = [
        line("median of the wearer's days", of_point, marker="o", linestyle=""),
        line("middle half", of_area, linewidth=2.4),
        line("middle 90 %", of_area, linewidth=0.8),
        line("median of the wearers", "reference", linestyle="--", linewidth=0.8),
    ]
    legend(ax, entries)


def _groups(table: pd.DataFrame, wide: pd.DataFrame, by: str) -> dict[str, Floats]:
    """Return the means of the wearers of each group, by its label; others are left out."""
    stated = table[by].groupby(level="account")
    several = stated.nunique()
    if several.max() > 1:
        raise ConfigurationError(
            f"plot_cohort: {by!r} is not the same in all rows of {several.idxmax()!r}: groups are"
            " of wearers"
        )
    group = stated.first().reindex(wide.index).dropna()
    values = wide.mean(axis=1).reindex(group.index).dropna()
    made = {
        str(label): np.sort(numbers(values[group.reindex(values.index) == label]))
        for label in sorted(group.reindex(values.index).unique(), key=str)
    }
    if not made:
        raise ConfigurationError(f"plot_cohort: no wearer with a value has a value of {by!r}")
    return made


def _draw_groups(ax: Axes, groups: dict[str, Floats], named: Column) -> None:
    rows = np.arange(len(groups), dtype=np.float64)[::-1]
    entries: list[Any] = [line("mean of a wearer's days", "before", marker="s", linestyle="")]
    entries[0][1].set_alpha(FAINT)
    ends = []
    look = [GROUPS[place % len(GROUPS)] for place in range(len(groups))]
    for row, means, (meaning, marker) in zip(rows, groups.values(), look, strict=True):
        shift = (np.arange(len(means)) * GOLDEN % 1.0 - 0.5) * (0.56 if len(means) > 2 else 0.0)
        size = float(np.clip(400.0 / len(means), 2.5, 9.0))
        dots = ax.scatter(means, row + shift, s=size, color=COLOURS[meaning], marker=marker)
        dots.set(label="_wearers", linewidths=0, alpha=FAINT)
        ends.append(mean_interval(means))
    _estimates(ax, rows, [float(means.mean()) for means in groups.values()], ends, look)
    ax.set_ylim(-0.6, len(groups) - 0.4)
    counts = [f"  n = {len(means):,}" for means in groups.values()]
    name_rows(ax, rows, list(groups), counts, most=BESIDE_DIFFERENCES)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(named.text)
    value_axis(ax.xaxis, most=5 if len(groups) > 1 else 8)
    with_interval = " with 95 % interval" if np.isfinite(ends).any() else ""
    bar: Literal["-", ""] = "-" if with_interval else ""
    entries.append(line(f"mean of the wearers{with_interval}", "before", marker="s", linestyle=bar))
    if len(groups) > 1:
        entries.append(_differences(ax, groups, rows, named))
    legend(ax, entries)


def _estimates(
    ax: Axes,
    rows: Floats,
    values: list[float],
    ends: list[tuple[float, float]],
    look: Sequence[tuple[str, str]],
) -> None:
    """Draw a value in each row, and its interval where there is one."""
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    colours = [COLOURS[meaning] for meaning, _ in look]
    ax.hlines(rows, low, high, colors=colours, linewidth=1.6, zorder=3).set_label("_interval")
    for row, value, (meaning, marker) in zip(rows, values, look, strict=True):
        dot = ax.scatter([value], [row], s=22.0, color=COLOURS[meaning], marker=marker, zorder=4)
        dot.set(edgecolors=COLOURS["no record"], linewidths=0.6)
        dot.set_label("_difference" if meaning == "difference" else "_mean")


def _is_long(ax: Axes, room_pt: float) -> bool:
    """Return whether the label of an x axis takes nearly all of the length that it has."""
    label = ax.xaxis.label
    wide_pt = EM * float(label.get_fontsize()) * len(label.get_text())
    return bool(wide_pt > MOST_OF_AXIS * room_pt)


def _differences(ax: Axes, groups: dict[str, Floats], rows: Floats, named: Column) -> Any:
    """Draw beside the groups how far each is from the first, on an axis of its own."""
    ax.set_axes_locator(LeftPart(ax, LEFT))
    beside = ax.inset_axes(((1 - RIGHT) / LEFT, 0.0, RIGHT / LEFT, 1.0), sharey=ax)
    first, *others = groups.values()
    values = [float(means.mean() - first.mean()) for means in others]
    differences = [difference_of_means(first, means) for means in others]
    ends = [(float(one["low"]), float(one["high"])) for one in differences]
    zero = beside.axvline(0.0, color=COLOURS["reference"], linewidth=0.9, linestyle="--", zorder=1)
    zero.set_label("_zero")
    _estimates(beside, rows[1:], values, ends, [("difference", "D")] * len(values))
    for side in ("left", "top", "right"):
        beside.spines[side].set_visible(False)
    beside.tick_params(axis="y", left=False, labelleft=False)
    beside.set_xlabel(f"Difference\n({named.unit})" if named.unit else "Difference")
    beside.margins(x=0.12)
    value_axis(beside.xaxis, most=4)
    whole_pt = length_pt(ax.xaxis)
    if own_figure(ax) is None and whole_pt < NARROW_PT:
        for panel in (ax, beside):
            panel.tick_params(axis="x", labelsize="small")
    # Two labels stand side by side, and panels that are drawn later may make this one narrower.
    if own_figure(ax) is None and named.unit and _is_long(ax, LEFT * whole_pt):
        ax.set_xlabel(named.text.removesuffix(f" ({named.unit})") + f"\n({named.unit})")
    with_interval = " with 95 % interval" if np.isfinite(ends).any() else ""
    (reference,) = short_names([next(iter(groups))])
    words = f"difference from {reference}{with_interval}"
    return line(words, "difference", marker="D", linestyle="-" if with_interval else "")
