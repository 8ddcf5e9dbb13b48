"""The flow from all records to those used, as a CONSORT chart shows it."""

import re
from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from eyelog.catalogue import catalogue
from eyelog.errors import ConfigurationError
from eyelog.figures.axes import (
    axes,
    legend,
    name_rows,
    patch,
    plot_function,
    set_title,
)
from eyelog.figures.labels import LOG_WORDS
from eyelog.figures.marks import percent
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.figures.tables import holds_records, require_rows
from eyelog.frame import history, require, require_frame, stated_account, stated_log
from eyelog.judge.reasons import WORDS, Reason
from eyelog.judge.recipes import attrition

ROW_MM: Final = 7.5
EDGE: Final = 0.5
OUTCOME: Final = 0.6  # of the height of a row
COLUMNS: Final = (
    "reason", "condition", "removed", "unknown", "left", "left_share", "outcome"
)  # fmt: skip
# Words for conditions of which the table names only the field
KEPT: Final[Mapping[str, str]] = {"UNWORN": "worn", "INVALID": "valid"}
LEGACY: Final = "(legacy)"
RANGE: Final = re.compile(r"(-?[\d.]*\d)\.\.(-?[\d.]*\d)")

# The purpose of each recipe, in words short enough for a title of one column
USED_FOR: Final[Mapping[str, str]] = {
    "steps": "step counts",
    "trend": "head movements",
    "eye": "eye movements",
    "mind": "scores",
    "gait": "gait",
}


@plot_function
def plot_attrition(
    table: pd.DataFrame,
    *,
    recipe: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
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
    if holds_records(table):
        table = attrition(table, recipe)
    elif recipe is not None:
        raise ConfigurationError(
            "plot_attrition: recipe= is of a frame, and this table is the result of one: leave it"
            " out"
        )
    require_frame(table, what="plot_attrition", wanted="the result of eyelog.attrition")
    require(table, COLUMNS, purpose="plot_attrition", made_by="eyelog.attrition(frame)")
    require_rows(table, what="plot_attrition")
    log = stated_log(table)
    table = _without_legacy(table, log)
    of_outcome = (table["outcome"].fillna("") != "").to_numpy(dtype=bool)
    shared = np.flatnonzero(~of_outcome)
    # The outcomes are closer together: nothing is written under their counts.
    heights = np.where(of_outcome, OUTCOME, 1.0)
    rows = np.cumsum(heights) - heights / 2
    left, removed = (table[name].to_numpy() for name in ("left", "removed"))
    unknown = table["unknown"].to_numpy()
    everything = max(int(left[0]), 1)
    ax = axes(ax, height_mm=ROW_MM * float(heights.sum()))
    used = of_outcome if of_outcome.any() else np.arange(len(table)) == len(table) - 1
    ax.barh(
        rows,
        left,
        height=0.62 * heights,
        color=[COLOURS["usable" if is_used else "worn"] for is_used in used],
        label="left",
    )
    # The records without an outcome may have a different one: they are not removed.
    checked = removed - unknown
    for width, start, label, colour in (
        (checked, left, "removed", "masked"),
        (unknown, left + checked, "unknown", "no record"),
    ):
        ax.barh(
            rows[shared],
            width[shared],
            left=start[shared],
            height=0.62,
            facecolor=COLOURS[colour],
            edgecolor=COLOURS["hatch"],
            linewidth=np.where(width[shared] > 0, EDGE, 0.0),
            label=label,
        )
    for row, at in enumerate(rows.tolist()):
        share = float(table["left_share"].iloc[row])
        two_lines = bool(removed[row]) and not of_outcome[row]
        words = _counts(int(left[row]), share, row)
        _write(ax, at - 0.24 * two_lines, words, used[row])
        if two_lines:
            words = _removed(int(checked[row]), int(unknown[row]), table["reason"].iloc[row])
            _write(ax, at + 0.24, words, False)
    ax.set_ylim(float(heights.sum()), 0)
    name_rows(ax, rows, [_condition(table, row, log) for row in range(len(table))], most=40)
    ax.set_xlim(0, everything)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.xaxis.set_major_locator(MaxNLocator(2, integer=True))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_xlabel("Records")
    set_title(ax, _title(table, log), title)
    entries = [patch("left after the condition", "worn"), patch("used", "usable")]
    entries.append(patch("removed", "masked"))
    if unknown.any():
        hollow = Patch(facecolor="white", edgecolor=COLOURS["hatch"], linewidth=EDGE)
        entries.append(("removed, not checked", hollow))
    legend(ax, entries)
    return ax


def _write(ax: Axes, y: float, text: str, bold: bool) -> Text:
    """Write beside the bars, where nothing is drawn."""
    return ax.text(
        1.02,
        y,
        text,
        transform=ax.get_yaxis_transform(),
        ha="left",
        va="center",
        fontsize=SMALL_PT,
        fontweight="bold" if bold else "normal",
    )


def _counts(left: int, share: float, row: int, decimals: int = 1) -> str:
    return f"{left:,}" if row == 0 or np.isnan(share) else f"{left:,} ({percent(share, decimals)})"


def _removed(removed: int, unknown: int, reason: object) -> str:
    """Return what a condition removes in words; what was not checked has no reason."""
    word = WORDS[Reason[str(reason)]] if reason in Reason.__members__ else "removed"
    parts = [f"{removed:,} {word}"] if removed else []
    return ", ".join([*parts, *([f"{unknown:,} not checked"] if unknown else [])])


def _without_legacy(table: pd.DataFrame, log: str | None) -> pd.DataFrame:
    """Return the table without the outcomes of the retired algorithm, if it has others."""
    fields = catalogue(log) if log else {}
    outcomes = [str(name) for name in table["outcome"].fillna("")]
    legacy = np.array([name in fields and LEGACY in fields[name].label for name in outcomes])
    others = np.array([bool(name) for name in outcomes]) & ~legacy
    return table[~legacy] if others.any() else table


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


def _title(table: pd.DataFrame, log: str | None) -> str:
    account = stated_account(table)
    recipe = next((step["recipe"] for step in reversed(history(table)) if "recipe" in step), None)
    purpose = USED_FOR.get(str(recipe))
    used = f"records used for {purpose}" if purpose else None
    parts = [account, LOG_WORDS.get(log or ""), used]
    return " · ".join(str(part) for part in parts if part)
