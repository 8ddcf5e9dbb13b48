"""What can be used: the reasons against values over time, and the records that a recipe leaves."""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from eyelog.catalogue import catalogue
from eyelog.checks import one_of
from eyelog.clock import LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import axes, dates, marks, ribbon, tables
from eyelog.figures.labels import LOG_WORDS, title_of
from eyelog.figures.style import COLOURS, SMALL_PT, sequential
from eyelog.figures.timeline import Columns, columns_for
from eyelog.frame import (
    OFFSET,
    STORED,
    clock_of,
    history,
    require,
    require_frame,
    stated_account,
    stated_log,
)
from eyelog.judge.arrays import Ints
from eyelog.judge.flag import flag
from eyelog.judge.limits import Limits
from eyelog.judge.reasons import WORDS, Reason
from eyelog.judge.recipes import attrition

ROW_MM: Final = 5.5
LEAST_MM: Final = 27.0  # room for the label of the scale
COLUMN_OF_DAY_S: Final = 600
COLUMNS: Final = ("reason", "condition", "removed", "unknown", "left", "left_share", "outcome")
# Words for conditions of which the table names only the field
KEPT: Final[Mapping[str, str]] = {"UNWORN": "worn", "INVALID": "valid"}
RANGE: Final = re.compile(r"(-?[\d.]*\d)\.\.(-?[\d.]*\d)")
# The purpose of each recipe, in words short enough for a title of one column
USED_FOR: Final[Mapping[str, str]] = {
    "steps": "step counts",
    "trend": "head movements",
    "eye": "eye movements",
    "mind": "scores",
    "gait": "gait",
}


@axes.plot_function
def plot_quality(
    reasons: pd.DataFrame,
    *,
    by: Literal["time", "time_of_day"] = "time",
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw how much of the time values are flagged, one row per reason, in words.

    The shade is the share of recorded time with the reason, averaged over the fields that ever have
    it and over the time of one column. Time without records is white and hatched.

    Parameters
    ----------
    reasons : DataFrame
        A frame of records of either log, or the result of `eyelog.flag` for it. For a wearer whose
        zone varies, the frame: its column ``utc_offset_min`` holds the wearer's clock.
    by : {"time", "time_of_day"}
        Over the whole range, or over all days by time of day, in columns of 10 minutes; a strip
        beneath then shows on how many days each has a record.
    limits : Limits, optional
        The limits by which a frame is judged.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With one image (the strip is an Axes within it): its rows are the reasons that occur, its
        values shares from 0 to 1, missing where there is no record. The scale is that of the square
        root, so that rare reasons show.

    Raises
    ------
    ConfigurationError
        If there are no rows, these are neither reasons nor a frame of records that was not masked,
        `limits` are given for reasons, or `by` is neither of the two.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_quality(el.flag(el.sample("standard_mode_logs")))
    >>> "not worn" in [tick.get_text() for tick in ax.get_yticklabels()]
    True
    """
    what = "plot_quality"
    require_frame(reasons, what=what, wanted="a frame, or the result of eyelog.flag")
    index = tables.stamps(reasons.index, what=what)
    reasons, clock = _reasons_and_clock(reasons, index, limits)
    one_of(by, "by", ("time", "time_of_day"))
    tables.require_order(index, what=what, name="reasons")
    # The reasons that occur, and the share of the fields that ever have each, by row
    bits = reasons.to_numpy()
    ever = np.bitwise_or.reduce(bits, axis=0)
    occurring = [r for r in WORDS if (ever & r.value).any()] or [Reason.MISSING]
    flagged = np.zeros((len(occurring), len(bits)))
    for row, reason in enumerate(occurring):
        concerned = np.flatnonzero(ever & reason.value)
        if len(concerned):
            flagged[row] = ((bits[:, concerned] & reason.value) != 0).mean(axis=1)
    _, days, _ = tables.placed_on_days(index, clock)
    if by == "time":
        start, end = dates.day_edges(days, clock)
        seconds = tables.row_seconds(reasons, tables.log_or_none(reasons))
        whole = Columns(start, seconds, int(np.ceil((end - start) / 1e6 / seconds)))
        columns = columns_for(start, end, seconds) or whole
        column, n = columns.of(index.as_unit("us").asi8), columns.n
        extent = (float(dates.to_x(start)), float(dates.to_x(columns.edges[-1])))
    else:
        n, extent = 86_400 // COLUMN_OF_DAY_S, (0.0, 24.0)
        column = (time_of_day_us(index, clock=clock) - 1) // (COLUMN_OF_DAY_S * 1_000_000)
    count = np.bincount(column, minlength=n)
    total = np.array([np.bincount(column, weights=one, minlength=n) for one in flagged])
    shares = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    rows = len(occurring)
    ax = axes.on(ax, height_mm=max(LEAST_MM, ROW_MM * rows))
    image = ax.imshow(
        np.ma.masked_invalid(shares),
        aspect="auto",
        interpolation="nearest",
        cmap=sequential("share").with_extremes(bad=(1, 1, 1, 0)),
        norm=PowerNorm(0.5, 0, 1),
        extent=(*extent, rows - 0.5, -0.5),
        zorder=1,
    )
    if np.isnan(shares).any():
        ribbon.hatched(ax, -0.5, rows - 0.5, left=extent[0], right=extent[1])
    ax.hlines(np.arange(rows + 1) - 0.5, *extent, color="white", linewidth=1.5, zorder=2)
    axes.name_rows(ax, range(rows), [WORDS[reason] for reason in occurring])
    bar = marks.colour_bar(ax, image, "Share of recorded time")
    bar.set_yticks((0.0, 0.05, 0.25, 0.5, 1.0))
    marks.percent_axis(bar.yaxis)
    if by == "time":
        dates.time_axis(ax, clock)
    elif axes.sheet_of(ax) is None:  # no space beneath an Axes of the user
        dates.hours_axis(ax, clock.tz)
    else:
        below = marks.strip(ax)
        _draw_days(below, local_days(index, clock=clock), column, n)
        dates.hours_axis(below, clock.tz)
    ours = title_of(reasons, days=days, zone=by == "time", clock=clock)
    axes.finish(ax, ours, title, legend=legend)
    return ax


def _draw_days(below: Axes, days: pd.DatetimeIndex, column: Ints, n: int) -> None:
    """Draw on how many days there is a record at each time of day."""
    cells = pd.DataFrame({"day": days, "column": column}).drop_duplicates()
    count, edges = np.bincount(cells["column"], minlength=n), np.linspace(0, 24, n + 1)
    below.stairs(count, edges, fill=True, color=COLOURS["worn"])
    marks.strip_axis(below, "Days", cells["day"].nunique(), room=1.0)
    below.set_ylabel("Days", rotation=0, ha="right", va="center")


def _reasons_and_clock(
    table: pd.DataFrame, index: pd.DatetimeIndex, limits: Limits | None
) -> tuple[pd.DataFrame, LocalClock]:
    """Return the reasons to draw, and the wearer's clock, which only a frame holds."""
    if len(table.columns) and all(getattr(kind, "kind", "O") in "iu" for kind in table.dtypes):
        if limits is not None:
            raise ConfigurationError(
                "plot_quality judges a frame by limits=, and these are reasons: pass the frame, or"
                " eyelog.flag(frame, limits=limits)"
            )
        if OFFSET in table.columns:
            raise ConfigurationError(
                "plot_quality needs the wearer's clock, and reasons do not hold it where the zone"
                " varies: pass the frame itself, plot_quality(frame)"
            )
        return table, LocalClock(index.tz)
    if any(step["step"] == "flag" for step in history(table)):
        raise ConfigurationError(
            "plot_quality draws a frame or the result of eyelog.flag, not values"
            f" made of reasons ({table.dtypes.iloc[0]})"
        )
    if STORED in table.columns:
        raise ConfigurationError(
            "plot_quality draws the reasons against values, and those of a masked frame are gone:"
            " pass the frame before eyelog.mask"
        )
    clock = clock_of(table)
    return flag(table, limits=limits).drop(columns=OFFSET, errors="ignore"), clock


@axes.plot_function
def plot_attrition(
    table: pd.DataFrame,
    *,
    recipe: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw the flow from all records to those that a recipe uses, with counts.

    Parameters
    ----------
    table : DataFrame
        A frame of records, or the result of `eyelog.attrition`.
    recipe : str, optional
        With a frame, that of `eyelog.attrition`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With a bar per condition, top to bottom: the records left, and beside them those that the
        condition removes, hollow if they could not be checked. The counts are at the right. If
        the recipe has several outcomes, a bar for each follows: the records that have it. Scores
        of the retired algorithm have bars only if there are no others.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If it is not the result of `eyelog.attrition`.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_attrition(el.sample())
    >>> int(ax.containers[0][0].get_width()) == len(el.sample())
    True
    """
    what = "plot_attrition"
    if tables.holds_records(table):
        table = attrition(table, recipe)
    elif recipe is not None:
        raise ConfigurationError(
            "plot_attrition: recipe= is of a frame, and this table is the result of one: leave it"
            " out"
        )
    require_frame(table, what=what, wanted="the result of eyelog.attrition")
    require(table, COLUMNS, purpose=what, made_by="eyelog.attrition(frame)")
    tables.require_rows(table, what=what)
    log = stated_log(table)
    # The outcomes of the retired algorithm are left out if there are others.
    outcomes, fields = table["outcome"].fillna("").astype(str), catalogue(log) if log else {}
    legacy = np.array([name in fields and "(legacy)" in fields[name].label for name in outcomes])
    if ((outcomes != "") & ~legacy).any():
        table, outcomes = table[~legacy], outcomes[~legacy]
    of_outcome = (outcomes != "").to_numpy(dtype=bool)
    shared = ~of_outcome
    # The outcomes are closer together: nothing is written under their counts.
    heights = np.where(of_outcome, 0.6, 1.0)
    rows = np.cumsum(heights) - heights / 2
    left, removed, unknown = (table[name].to_numpy() for name in ("left", "removed", "unknown"))
    used = of_outcome if of_outcome.any() else np.arange(len(table)) == len(table) - 1
    ax = axes.on(ax, height_mm=7.5 * float(heights.sum()))
    for chosen, label, colour in (
        (~used, "left after the condition", "worn"),
        (used, "used", "usable"),
    ):
        if chosen.any():
            bars: dict[str, Any] = {"color": COLOURS[colour], "label": label}
            ax.barh(rows[chosen], left[chosen], 0.62 * heights[chosen], **bars)
    # The records without an outcome may have a different one: they are not removed.
    checked = removed - unknown
    for width, start, label, colour in (
        (checked, left, "removed", "masked"),
        (unknown, left + checked, "removed, not checked", "no record"),
    ):
        some = shared & (width > 0)
        look: dict[str, Any] = {"facecolor": COLOURS[colour], "edgecolor": COLOURS["hatch"]}
        if some.any():
            ax.barh(rows[some], width[some], 0.62, start[some], linewidth=0.5, label=label, **look)
    for row, at in enumerate(rows.tolist()):
        share, said = float(table["left_share"].iloc[row]), f"{left[row]:,}"
        if row > 0 and not np.isnan(share):
            said += f" ({marks.percent(share, 1)})"
        if removed[row] and not of_outcome[row]:
            # What was not checked has no reason.
            reason = str(table["reason"].iloc[row])
            word = WORDS[Reason[reason]] if reason in Reason.__members__ else "removed"
            parts = [f"{checked[row]:,} {word}"] * bool(checked[row])
            parts += [f"{unknown[row]:,} not checked"] * bool(unknown[row])
            said += "\n" + ", ".join(parts)
        look = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": SMALL_PT}
        weight = "bold" if used[row] else "normal"
        ax.text(1.02, at, said, fontweight=weight, linespacing=1.5, **look)
    ax.set_ylim(float(heights.sum()), 0)
    axes.name_rows(ax, rows, [_condition(table, row, log) for row in range(len(table))], most=40)
    ax.set_xlim(0, max(int(left[0]), 1))
    ax.xaxis.set_major_locator(MaxNLocator(2, integer=True))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_xlabel("Records")
    steps = (step["recipe"] for step in reversed(history(table)) if "recipe" in step)
    purpose = USED_FOR.get(str(next(steps, None)))
    used_for = f"records used for {purpose}" if purpose else None
    named = [stated_account(table), LOG_WORDS.get(log or ""), used_for]
    axes.finish(ax, " · ".join(str(part) for part in named if part), title, legend=legend)
    return ax


def _condition(table: pd.DataFrame, place: int, log: str | None) -> str:
    """Return a condition in words, with the meaning of the field that it names."""
    text, reason = str(table["condition"].iloc[place]), str(table["reason"].iloc[place])
    if place == 0:
        return "all records"
    names = catalogue(log) if log else {}
    outcome = str(table["outcome"].iloc[place])
    if outcome in names:
        return names[outcome].label
    if text.split(" ")[0] in names and reason in KEPT:
        return KEPT[reason]
    return RANGE.sub(r"\1 to \2", text).replace(" -", " \N{MINUS SIGN}")
