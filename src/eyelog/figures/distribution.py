"""How often values occur: all of them, or group by group."""

from collections.abc import Mapping
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from eyelog.checks import one_of
from eyelog.errors import ConfigurationError, counted
from eyelog.figures import axes, marks
from eyelog.figures.labels import in_legend, shades, subject, title_of
from eyelog.figures.style import COLOURS, sequential
from eyelog.judge.arrays import Floats, Ints, holds_numbers, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.groups import WEEKDAYS, By
from eyelog.series.observed import column_of, groups_of, has_clock, refuse_wearers, rows_of
from eyelog.series.usual import TypicalValue

MOST_BARS: Final = 80
BARS: Final = 40
METHODS: Final = {"peak": "density peak", "q90": "90th percentile", "q99": "99th percentile"}
MOST_LINES: Final = 12  # more cumulative curves cannot be distinguished
MOST_VALUES: Final = (0.0025, 0.9975)  # the shares of values between which most values are
ROOM: Final = 0.5  # on either side of them, as a share of their range
FEW: Final = 30  # in a group whose values are shown one by one
MANY_ROWS: Final = 26  # from which on a group is shown by its quantiles
MOST_NAMES: Final = 53  # with more groups, not each has its name: as many as weeks in a year


@axes.plot_function
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
    legend: bool | str = True,
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
        and all rows have the same bars; more than 26 groups, such as the weeks of a year, have the
        middle half and the middle 90 % of their values. Cumulative, each group has a curve.
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With 40 bars; whole numbers have bars of a whole width (1 for a small range) instead. By
        groups, one filled curve per group, or points if no group has more than 30 values, or the
        medians of many groups. Cumulative, one step line per group. Each artist has its words in
        the legend as its label.

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
    series, (codes, labels) = _values(series, column, by, limits)
    one_of(scale, "scale", ("linear", "log"))
    values = numbers(series)
    finite = np.isfinite(values)
    kept = finite & (values > 0) if scale == "log" else finite
    if not kept.any():
        raise ConfigurationError(
            "plot_distribution has nothing to draw: there are no values"
            + " above 0, and a log scale has no place for others" * bool(finite.any())
        )
    names = _words(labels) if len(labels) > 1 or labels.name else ["all"]
    parts = {name: values[kept & (codes == code)] for code, name in enumerate(names)}
    groups = {name: part for name, part in parts.items() if len(part)}
    if not groups:
        raise ConfigurationError("plot_distribution has nothing to draw: no group has a value")
    if cumulative and len(groups) > MOST_LINES:
        raise ConfigurationError(
            f"plot_distribution can show {MOST_LINES} cumulative curves, not {len(groups)}: use"
            " wider groups, or leave out cumulative="
        )
    if not isinstance(typical, TypicalValue | None):
        raise ConfigurationError(f"typical takes what typical_value returned, not {typical!r}")
    shown, beyond = _range(values[kept], scale)
    rows = by is not None and not cumulative
    few = max(map(len, groups.values())) <= FEW or len(groups) > MANY_ROWS
    row_mm = 3.6 if few else 7.0
    height = float(np.clip(row_mm * len(groups), 25.0, 200.0)) if rows else 52.0
    ax = axes.on(ax, height_mm=height)
    marks.value_axis(ax.xaxis, most=8)
    if scale == "log":
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.xaxis.set_major_formatter(FuncFormatter(marks.plain))
        ax.xaxis.set_minor_locator(NullLocator())
    about = subject(series)
    edges = _edges(values[kept], scale, shown)
    note = list[str]()
    if cumulative:
        colours = sequential(about.meaning)(np.linspace(0.35, 0.95, len(groups)))
        for colour, (label, part) in zip(colours, groups.items(), strict=True):
            said = f"{in_legend(label)}  n = {len(part):,}"
            if by is None:
                colour, said = COLOURS[shades(about.meaning)[0]], counted(len(part), "value")
            ax.ecdf(part, color=colour, linewidth=1.3, label=said)
        if shown[1] > shown[0]:
            ax.set_xlim(*shown)
        ax.set_ylim(0, 1)
        marks.percent_axis(ax.yaxis)
        ax.set_ylabel("Share of values up to")
    elif rows:
        _rows(ax, groups, edges, about.meaning)
    else:
        said = counted(int(kept.sum()), "value")
        ax.hist(values[kept], bins=edges.tolist(), label=said, **_bar(about.meaning))
        marks.value_axis(ax.yaxis, "Number of values", whole=True)
    left_out = int(finite.sum() - kept.sum())
    if left_out:
        note.append(f"{counted(left_out, 'value')} of 0 or less left out")
    if beyond:
        ax.set_xlim(shown if shown[0] < shown[1] else (edges[0], edges[-1]))
        out = (values[kept] < shown[0], values[kept] > shown[1])
        ends = [values[kept].min()] * bool(out[0].any()) + [values[kept].max()] * bool(out[1].any())
        reach = " and ".join(marks.number(float(end), 3) for end in ends)
        note.append(f"{counted(beyond, 'value')} further out, to {reach}")
    if typical is not None and np.isfinite(typical.value):
        method = METHODS.get(typical.method, typical.method)
        value = f"{marks.number(typical.value, 3)} {about.unit}".rstrip()
        look: dict[str, Any] = {"color": COLOURS["reference"], "linewidth": 1.4, "linestyle": "--"}
        ax.axvline(typical.value, label=f"typical: {value} ({method})", **look)
    ax.set_xlabel(about.label)
    by_day = isinstance(series.index, pd.DatetimeIndex) and series.index.name == "day"
    days = pd.DatetimeIndex(series.index) if by_day else None
    ours = title_of(series, days=days)
    axes.finish(ax, ours, title, legend=legend, note="\n".join(note))
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


def _values(
    table: pd.Series | pd.DataFrame, column: str | pd.Series | None, by: By, limits: Limits | None
) -> tuple[pd.Series, tuple[Ints, pd.Index]]:
    """Return the values as a Series, and the group of each with the labels of the groups."""
    what = "plot_distribution"
    given = column if isinstance(column, pd.Series) else column_of(table, column, what=what)
    if not holds_numbers(given):
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


def _words(labels: pd.Index) -> list[str]:
    """Return the labels of groups as people write them; the first year is in the title."""
    year = next((label.year for label in labels if isinstance(label, pd.Timestamp)), None)
    made: list[str] = []
    for label in labels:
        parts = label if isinstance(label, tuple) else (label,)
        text = ", ".join(map(_word, parts, labels.names))
        if isinstance(label, pd.Timestamp):
            text, year = f"{text}{f' {label.year}' * (label.year != year)}", label.year
        made.append(text)
    return made


def _word(label: Any, name: Any) -> str:
    """Return a label unchanged, but hours as on a clock, and weekdays and dates by name."""
    if isinstance(label, pd.Timestamp):  # with the time where it is that of a part of a day
        return f"{label.day} {label:%b}" + f" {label:%H:%M}" * (label.tz is not None)
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
    area = to_hex(marks.pale(area, 0.0 if solid else 0.5))
    return {"facecolor": area, "edgecolor": edge, "linewidth": 0.4}


def _rows(ax: Axes, groups: Mapping[str, Floats], edges: Floats, meaning: str) -> None:
    """Draw a row for each group, top to bottom: shares of its values, or a few one by one.

    Many groups are shown by their quantiles.
    """
    many, few = len(groups) > MANY_ROWS, max(map(len, groups.values())) <= FEW
    parts, rows = list(groups.values()), np.arange(len(groups))
    point, area = (COLOURS[name] for name in shades(meaning))
    low, q25, median, q75, high = np.hstack([marks.quantiles(part[None]) for part in parts])
    small = ax.yaxis.label.get_fontsize() if not many else 5.0
    if many:
        ax.hlines(rows, low, high, color=area, linewidth=0.7, label="middle 90 %")
        marks.estimates(
            ax, rows, median, (q25, q75), area, across=True, width=2.2,
            s=5, facecolors=point, label="median", interval="middle half",
        )  # fmt: skip
    elif few:
        y = np.repeat(rows, [len(part) for part in parts])
        ax.scatter(np.concatenate(parts), y, s=9, color=point, linewidths=0, label="a value")
    else:
        shares = [np.histogram(part, edges)[0] / len(part) for part in parts]
        highest = max(float(share.max()) for share in shares)
        for row, share in enumerate(shares):
            look = {"baseline": row + 0.4, "fill": True, **_bar(meaning)}
            label = axes.once(ax, "share of the group's values")
            ax.stairs(row + 0.4 - 0.85 * share / highest, edges, label=label, **look)
    if not many:
        look = {"color": COLOURS["reference"], "linewidth": 1.4, "zorder": 2.5}
        ax.vlines(median, rows - 0.4, rows + 0.4, label="median", **look)
    step = -(-len(groups) // MOST_NAMES)
    for row, part in list(enumerate(parts))[::step]:
        look = {"xycoords": ("axes fraction", "data"), "fontsize": "small" if not many else small}
        ax.annotate(f"n = {len(part):,}", (1.01, row), va="center", **look)
    ax.set_ylim(len(groups) - 0.5, -0.6)
    axes.name_rows(ax, range(0, len(groups), step), list(groups)[::step])
    if many:
        ax.tick_params(axis="y", labelsize=small)
