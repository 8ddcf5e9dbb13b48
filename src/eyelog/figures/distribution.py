"""How often values occur: all of them, or group by group."""

from collections.abc import Mapping
from typing import Any, Final, Literal, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, NullLocator

from eyelog.errors import ConfigurationError, counted
from eyelog.figures.axes import (
    Entry,
    axes,
    line,
    name_rows,
    panel_legend,
    plot_function,
    set_title,
)
from eyelog.figures.labels import short_names, title_of
from eyelog.figures.marks import PercentFormatter, PlainFormatter, number, pale, value_axis
from eyelog.figures.named import series_label, series_meaning, series_unit, shades
from eyelog.figures.style import COLOURS, sequential
from eyelog.judge.arrays import Floats, Ints, numbers
from eyelog.judge.calendar import WEEKDAYS
from eyelog.judge.limits import Limits
from eyelog.measure.groups import By
from eyelog.series.observed import (
    column_of,
    groups_of,
    has_clock,
    refuse_wearers,
    rows_of,
)
from eyelog.series.usual import TypicalValue

TINT: Final = 0.5  # of white in the colour of an area
EDGE: Final = 0.4
MOST_BARS: Final = 80
BARS: Final = 40
METHODS: Final = {"peak": "density peak", "q90": "90th percentile", "q99": "99th percentile"}
MOST_LINES: Final = 12  # more cumulative curves cannot be distinguished
MOST_VALUES: Final = (0.0025, 0.9975)  # the shares of values between which most values are
ROOM: Final = 0.5  # on either side of them, as a share of their range
NAMED_AT: Final = (0.9, 0.1)
NAME_AWAY_PT: Final = 3.0  # from the name of a curve to the side of its panel
FEW: Final = 30  # in a group whose values are shown one by one
ROW_MM, FEW_ROW_MM = 7.0, 3.6
MOST_MM: Final = 200.0


@plot_function
def plot_distribution(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    by: By = None,
    scale: str = "linear",
    cumulative: bool = False,
    typical: TypicalValue | None = None,
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw how often values occur, of all of them or group by group, and the typical value.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers; missing ones are left out. The legend gives the number of values. A column of
        records is judged first; all else is taken as it is, and its stamps open their rows.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows.
    by : str, Series, array or list, optional
        Groups, as in `eyelog.summary`: ``"day"``, ``"week"``, ``"weekday"``, ``"weekend"``,
        ``"hour"``, a width of bins such as ``"7D"``, a column, or a label for each value. Each
        group has a row of its own, with a mark at its median and its number of values at the right,
        and all rows have the same bars; cumulative, each group has a curve.
    scale : {"linear", "log"}
        Scale of the values. A log scale leaves out values of 0 or less; the legend says how many.
    cumulative : bool
        Draw the share of values up to each value instead of bars.
    typical : TypicalValue, optional
        The result of `eyelog.baseline.typical_value`: a line, which the legend explains.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    Axes
        With 40 bars; whole numbers have bars of a whole width (1 for a small range) instead. By
        groups, one filled curve per group, or points if no group has more than 30 values.
        Cumulative, one step line per group. Each has the label ``_`` and the name of its group.

    Raises
    ------
    ConfigurationError
        If there is no value to draw, `scale` or `by` is not valid, or there are too many groups to
        distinguish cumulative curves.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> usual = el.baseline.typical_value(frame, "hm_yo")
    >>> ax = el.plot_distribution(frame, "hm_yo", typical=usual)
    >>> ax.get_xlabel()
    'Head turns (yaw) per min'
    """
    series, labels = _values(series, column, by, limits)
    if scale not in ("linear", "log"):
        raise ConfigurationError(f"scale must be 'linear' or 'log', not {scale!r}")
    values = numbers(series)
    finite = np.isfinite(values)
    kept = finite & (values > 0) if scale == "log" else finite
    if not kept.any():
        raise ConfigurationError(
            "plot_distribution has nothing to draw: there are no values"
            + " above 0, and a log scale has no place for others" * bool(finite.any())
        )
    groups = _groups(values, kept, labels)
    if not groups:
        raise ConfigurationError("plot_distribution has nothing to draw: no group has a value")
    if cumulative and len(groups) > MOST_LINES:
        raise ConfigurationError(
            f"plot_distribution can show {MOST_LINES} cumulative curves, not {len(groups)}: use"
            " wider groups, or leave out cumulative="
        )
    shown, beyond = _range(values[kept], scale)
    rows = by is not None and not cumulative
    few = max(map(len, groups.values())) <= FEW
    row_mm = FEW_ROW_MM if few else ROW_MM
    height = float(np.clip(row_mm * len(groups), 25.0, MOST_MM)) if rows else 52.0
    ax = axes(ax, height_mm=height)
    if scale == "log":
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.xaxis.set_major_formatter(PlainFormatter())
        ax.xaxis.set_minor_locator(NullLocator())
    else:
        value_axis(ax.xaxis, most=8)
    entries: list[Any] = []
    meaning = series_meaning(series)
    if cumulative:
        entries += _curves(ax, groups, by, shown, meaning)
    elif rows:
        entries += _rows(ax, groups, _edges(values[kept], scale, shown), meaning)
    else:
        edges = _edges(values[kept], scale, shown)
        ax.hist(values[kept], bins=edges.tolist(), **_bar(meaning))
        ax.set_ylabel("Number of values")
        value_axis(ax.yaxis, whole=True)
        entries.append((counted(int(kept.sum()), "value"), Patch(**_bar(meaning))))
    left_out = int(finite.sum() - kept.sum())
    if left_out:
        words = f"{counted(left_out, 'value')} of 0 or less left out"
        entries.append(line(words, "reference", linewidth=0))
    if beyond:
        ax.set_xlim(*shown)
        words = f"{counted(beyond, 'value')} further out, to {_ends(values[kept], shown)}"
        entries.append(line(words, "reference", linewidth=0))
    if not isinstance(typical, TypicalValue | None):
        raise ConfigurationError(f"typical takes what typical_value returned, not {typical!r}")
    if typical is not None and np.isfinite(typical.value):
        words = _typical(ax, typical, series_unit(series), beside=by is None)
        if by is not None:  # names and numbers of groups are where its words would be
            entries.append(line(words, "reference", linestyle="--"))
    ax.set_xlabel(series_label(series))
    panel_legend(ax, entries)
    by_day = isinstance(series.index, pd.DatetimeIndex) and series.index.name == "day"
    days = pd.DatetimeIndex(series.index) if by_day else None
    set_title(ax, title_of(series, days=days), title)
    return ax


def _range(values: Floats, scale: str) -> tuple[tuple[float, float], int]:
    """Return the range to show, and how many values are beyond it.

    A few values far from all others would make one bar of those.
    """
    on_scale = np.log(values) if scale == "log" else values
    low, high = np.quantile(on_scale, MOST_VALUES)
    room = ROOM * (high - low)
    low, high = max(low - room, on_scale.min()), min(high + room, on_scale.max())
    inside = (on_scale >= low) & (on_scale <= high)
    ends = values[inside].min(), values[inside].max()
    return (float(ends[0]), float(ends[1])), int((~inside).sum())


def _ends(values: Floats, shown: tuple[float, float]) -> str:
    """Return how far values reach beyond the range that is shown."""
    ends = [
        number(float(end), 3)
        for end, out in (
            (values.min(), values.min() < shown[0]),
            (values.max(), values.max() > shown[1]),
        )
        if out
    ]
    return " and ".join(ends)


def _typical(ax: Axes, typical: TypicalValue, unit: str, *, beside: bool) -> str:
    """Draw the typical value as a line, with its words on the side that has room."""
    colour = COLOURS["reference"]
    ax.axvline(typical.value, color=colour, linewidth=1.4, linestyle="--").set_label("_typical")
    method = METHODS.get(typical.method, typical.method)
    words = f"typical: {number(typical.value, 3)} {unit}".rstrip()
    if not beside:
        return f"{words} ({method})"
    across = ax.transData + ax.transAxes.inverted()
    left = float(across.transform((typical.value, 0.0))[0]) > 0.5
    text = ax.annotate(
        f"{words}\n({method})",
        (typical.value, 1.0),
        (-3 if left else 3, -1),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        fontsize="small",
    )
    text.set_label("_typical words")
    return words


def _values(
    table: pd.Series | pd.DataFrame,
    column: str | pd.Series | None,
    by: By,
    limits: Limits | None,
) -> tuple[pd.Series, tuple[Ints, pd.Index]]:
    """Return the values as a Series, and the group of each with the labels of the groups."""
    what = "plot_distribution"
    given = column if isinstance(column, pd.Series) else column_of(table, column, what=what)
    numeric = pd.api.types.is_numeric_dtype(given.dtype)
    if not numeric or pd.api.types.is_bool_dtype(given.dtype):
        raise ConfigurationError(f"{what} draws numbers, not {given.dtype}")
    refuse_wearers(given.index, what=what)
    if isinstance(given.index, pd.DatetimeIndex) and not given.index.is_monotonic_increasing:
        raise ConfigurationError(f"{what} needs stamps in order: pass frame.sort_index()")
    if has_clock(given):
        # Single events are no rows of a length: the group of each is that of its stamp.
        moment = "1ms" if isinstance(table, pd.Series) else None
        rows = rows_of(table, column, what=what, limits=limits, interval=moment)
        codes, labels = groups_of(rows, table, by, what=what)
        series = pd.Series(rows.values, index=rows.index, name=given.name)
        series.attrs = dict(given.attrs)
        return series, (codes, labels)
    if by is None:
        return given, (np.zeros(len(given), np.int64), pd.Index(["all"]))
    if isinstance(by, str | list):
        raise ConfigurationError(f"{what} by {by!r} needs values with dates or aware stamps")
    if len(by) != len(given):
        raise ConfigurationError(
            f"by holds {len(by)} labels for {len(given)} rows: give one label per row"
        )
    kinds = pd.Categorical(cast(Any, by))
    return given, (np.asarray(kinds.codes, dtype=np.int64), kinds.categories)


def _groups(values: Floats, kept: Any, groups: tuple[Ints, pd.Index]) -> Mapping[str, Floats]:
    """Return the values of each group, by the group's label, without empty groups."""
    codes, labels = groups
    words = _words(labels) if len(labels) > 1 or labels.name else ["all"]
    parts = {word: values[kept & (codes == group)] for group, word in enumerate(words)}
    return {word: part for word, part in parts.items() if len(part)}


def _words(labels: pd.Index) -> list[str]:
    """Return the labels of groups as people write them; the first year is in the title."""
    words: list[str] = []
    year = next((label.year for label in labels if isinstance(label, pd.Timestamp)), None)
    for label in labels:
        if isinstance(label, tuple):
            words.append(", ".join(map(_cycle_word, label, labels.names)))
        elif isinstance(label, pd.Timestamp):
            words.append(_day_word(label) + f" {label.year}" * (label.year != year))
            year = label.year
        else:
            words.append(_cycle_word(label, labels.name))
    return words


def _day_word(label: pd.Timestamp) -> str:
    """Return a date, and the time where the label is that of a part of a day."""
    return f"{label.day} {label:%b}" + f" {label:%H:%M}" * (label.tz is not None)


def _cycle_word(label: Any, name: Any) -> str:
    """Return a label unchanged, but hours as on a clock, and weekdays and dates by name."""
    if isinstance(label, pd.Timestamp):
        return _day_word(label)
    if isinstance(label, int | np.integer) and name in ("hour", "weekday"):
        return f"{label:02d}" if name == "hour" else WEEKDAYS[int(label)]
    return str(label)


def _edges(values: Floats, scale: str, shown: tuple[float, float]) -> Floats:
    """Return the edges of the bars over the range that is shown."""
    low, high = shown
    whole = bool((values == np.round(values)).all())
    if scale == "log":
        edges = np.geomspace(low, high if high > low else low * 2.0, BARS + 1)
        # Bars narrower than 1 would leave gaps between whole numbers.
        return np.unique(np.append(np.floor(edges), high + 1.0)) - 0.5 if whole else edges
    if whole:
        # With a whole width, each bar covers the same number of possible values.
        width = int(high - low) // MOST_BARS + 1
        return np.arange(low - 0.5, high + width, width)
    room = 0.5 * (high == low)  # a single value is in the middle
    return np.linspace(low - room, high + room, BARS + 1)


def _bar(meaning: str) -> dict[str, Any]:
    """Return the look of bars of a quantity: its tint, within an edge in its colour."""
    edge, area = (COLOURS[name] for name in shades(meaning))
    solid = meaning in ("walking", "score")  # their areas have no tint of their own
    # As text: matplotlib 3.10.0 takes three numbers for the colours of three histograms.
    area = to_hex(pale(area, 0.0 if solid else TINT))
    return {"facecolor": area, "edgecolor": edge, "linewidth": EDGE}


def _rows(ax: Axes, groups: Mapping[str, Floats], edges: Floats, meaning: str) -> list[Any]:
    """Draw one row per group, top to bottom: shares of its values, or a few values one by one."""
    few = max(map(len, groups.values())) <= FEW
    shares = {label: np.histogram(part, edges)[0] / len(part) for label, part in groups.items()}
    highest = max(float(share.max()) for share in shares.values())
    of_point = shades(meaning)[0]
    for row, (label, part) in enumerate(groups.items()):
        if few:
            place = np.full(len(part), float(row))
            drawn: Any = ax.scatter(part, place, s=9, color=COLOURS[of_point], linewidths=0)
        else:
            top = row + 0.4 - 0.85 * shares[label] / highest
            drawn = ax.stairs(top, edges, baseline=row + 0.4, fill=True, **_bar(meaning))
        drawn.set_label(f"_{label}")
        median = float(np.median(part))
        ends = [row + 0.4, row - 0.4]
        mark = ax.plot([median] * 2, ends, color=COLOURS["reference"], linewidth=1.4)
        mark[0].set_label(f"_median of {label}")
        ax.annotate(
            f"n = {len(part):,}",
            (1.01, row),
            xycoords=("axes fraction", "data"),
            fontsize="small",
            va="center",
        )
    ax.set_ylim(len(groups) - 0.5, -0.6)
    name_rows(ax, range(len(groups)), list(groups))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    if few:
        each: Entry = line("a value", of_point, marker="o", linestyle="")
    else:
        each = ("share of the group's values", Patch(**_bar(meaning)))
    return [each, line("median", "reference")]


def _curves(
    ax: Axes, groups: Mapping[str, Floats], by: By, shown: tuple[float, float], meaning: str
) -> list[Any]:
    """Draw the share of values up to each value, one step line per group, named on the line."""
    of_line = shades(meaning)[0]
    colours = sequential(meaning)(np.linspace(0.35, 0.95, len(groups)))
    entries = []
    # From high on the leftmost line to low on the rightmost, so that no two names share a height.
    order = np.argsort([np.median(part) for part in groups.values()], kind="stable")
    heights = np.empty(len(groups))
    heights[order] = np.linspace(*NAMED_AT, len(groups)) if len(groups) > 1 else 0.5
    names = dict(zip(groups, short_names(list(groups)), strict=True))
    if shown[1] > shown[0]:
        ax.set_xlim(*shown)
    ax.set_ylim(0, 1)
    ax.yaxis.set_major_formatter(PercentFormatter())
    ax.set_ylabel("Share of values up to")
    for height, colour, (label, part) in zip(heights, colours, groups.items(), strict=True):
        chosen = COLOURS[of_line] if by is None else colour
        ordered = np.sort(part)
        x = np.concatenate([ordered[:1], ordered])
        share = np.concatenate([[0.0], np.arange(1, len(part) + 1) / len(part)])
        ax.step(x, share, where="post", color=chosen, linewidth=1.3)[0].set_label(f"_{label}")
        if by is None:
            entries.append(line(counted(len(part), "value"), of_line))
            continue
        place = float(np.clip(np.quantile(part, height), *shown))
        name = ax.text(place, height, f"{names[label]}  n = {len(part):,}", color=chosen)
        name.set(va="center", fontsize="small", label=f"_name of {label}", zorder=4)
        name.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.8})
        name.set_horizontalalignment(_side(ax, name))
    return entries


def _side(ax: Axes, name: Text) -> Literal["left", "center", "right"]:
    """Return which end of a name is at its place, so that it stays within the panel."""
    half = name.get_window_extent().width / 2.0
    x = float(ax.transData.transform((name.get_position()[0], 0.0))[0])
    away = NAME_AWAY_PT * ax.figure.dpi / 72.0
    if x - half < ax.bbox.x0 + away:
        return "left"
    return "right" if x + half > ax.bbox.x1 - away else "center"
