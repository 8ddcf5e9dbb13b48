"""How the groups differ, with intervals that count wearers and not days."""

from functools import partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.figures.axes import panels
from eyelog.figures.cohort import plot_cohort
from eyelog.measure.columns import column
from eyelog.measure.sheet import decimals, p_text
from eyelog.reports import words
from eyelog.reports.cohort import comparisons
from eyelog.reports.cohort.study import Cohort, label
from eyelog.reports.parts import Empty, PageTable, Part, Picture, text_table

METHOD: Final = (
    "Differences are those of the wearers' means, with Welch's intervals: what counts is the number"
    " of wearers, since days of one wearer are alike."
)
ROW_MM: Final = 9.0
FOOT_MM: Final = 14.0
HIGHEST_MM: Final = 130.0  # the page draws a figure of half the width lower than it is here


def section(cohort: Cohort) -> Part:
    """Return the differences, how far they can be trusted, and the wearers behind them."""
    if len(cohort.groups) < 2:
        raise Empty(
            f"all wearers are in one group, {cohort.groups[0]}: there is nothing to compare"
            if cohort.groups
            else "no wearer is in a group"
        )
    return Part(
        findings=[*_said(cohort), _worth(cohort), METHOD, *_small(cohort.judged)],
        pictures=[
            Picture(
                "The wearers of each group",
                "Each point is the mean of one wearer's days that count (hours worn: of all days),"
                " each thick line the middle half of the wearers, each thin one the middle 90 %,"
                " from five wearers on.",
                partial(_draw, cohort, names),
            )
            for names in _figures(cohort)
        ],
        tables=[partial(_table, cohort)],
    )


def _said(cohort: Cohort) -> list[str]:
    """Return what was tested and what stands out, by the rule of page one."""
    table, sentences = cohort.judged, [comparisons.looked(cohort)]
    of_named = comparisons.is_named(cohort)
    sentences += [_named(*pair) for pair in table[of_named].iterrows()]
    clear = table[(table["p_decides"] < comparisons.LEVEL) & ~of_named]
    if len(clear):
        stands = words.joined([_difference(*pair) for pair in clear.iterrows()])
        sentences.append(f"{stands[:1].upper()}{stands[1:]}.")
    return sentences


def _named(key: Any, row: pd.Series) -> str:
    """Return the difference in the outcome named beforehand, whatever it shows."""
    name, group = key
    if np.isnan(row["difference"]):
        return f"{label(name)} of {group} and {row['reference']}: {row['reason']}."
    said = _difference(key, row)
    said = f"{said[:1].upper()}{said[1:]}"
    if np.isnan(row["p_decides"]):
        return f"{said}: no test."
    clear = "stands out" if row["p_decides"] < comparisons.LEVEL else "does not stand out"
    return f"{said}; {comparisons.decided(row)}: it {clear}."


def _difference(key: Any, row: pd.Series) -> str:
    """Return one difference in words: ``blink rate is 4.3 per min higher in a than in b``."""
    name, group = key
    about = column(name)
    digits = _decimals(row, about.digits)
    unit = f" {about.unit}" if about.unit else ""
    low, high = row["low"], row["high"]
    if row["difference"] < 0:  # as the words say which way, the interval is of the size
        low, high = -high, -low
    more = "higher" if row["difference"] > 0 else "lower"
    interval = words.interval(low, high, digits, "")
    size = words.number(abs(row["difference"]), digits)
    return (
        f"{label(name).lower()} is {size}{unit} {more} in {group} than in {row['reference']}"
        f"{f' ({interval})' if interval else ''}"
    )


def _worth(cohort: Cohort) -> str:
    """Return how the number of comparisons affects each of them."""
    count = comparisons.others_tested(cohort)
    assigned = (
        "A difference between groups is the effect of what distinguishes them only where wearers"
        " were assigned at random."
    )
    if count < 2:
        return assigned
    return (
        "Each 95 % interval holds for its own comparison. If no group differed, the chance that"
        f" some interval of {count} independent comparisons excludes 0 would be"
        f" {words.percent(1 - 0.95**count)}; the p that decides is corrected for that"
        f"{'' if cohort.outcome is None else ' in all but the outcome named beforehand'}."
        f" {assigned}"
    )


def _small(table: pd.DataFrame) -> list[str]:
    """Return why something is missing, where all rows share it; otherwise the table says it."""
    reasons = set(table["reason"])
    reason = reasons.pop()
    return [f"{reason[:1].upper()}{reason[1:]}."] if reason and not reasons else []


def _figures(cohort: Cohort) -> list[list[str]]:
    """Return the outcomes of each figure, with as many panels as fit on a page."""
    names = [name for name in cohort.outcomes if len(cohort.means(name))]
    most = max(1, int(HIGHEST_MM // (_height(cohort) + FOOT_MM)))
    figures = -(-len(names) // most)
    size = -(-len(names) // max(figures, 1))
    return [names[i : i + size] for i in range(0, len(names), max(size, 1))]


def _height(cohort: Cohort) -> float:
    return ROW_MM * len(cohort.groups)


def _draw(cohort: Cohort, names: list[str]) -> Any:
    made = panels([_height(cohort) + FOOT_MM] * len(names), sharex=False)
    for ax, name in zip(made, names, strict=True):
        plot_cohort(cohort.counted, name, kind="groups", by=cohort.by, ax=ax)
    return made


def _table(cohort: Cohort) -> PageTable:
    """Return all differences, those of the outcome named beforehand first."""
    of_named = comparisons.is_named(cohort)
    table = pd.concat([cohort.judged[of_named], cohort.judged[~of_named]])
    groups = list(dict.fromkeys(table.index.get_level_values("group")))
    reference = str(table["reference"].iloc[0])
    several = len(groups) > 1  # otherwise the caption says which
    remarks = table["reason"].tolist()
    remarked = len(set(remarks)) > 1  # what all rows share is said above the table
    rows = []
    for (key, row), remark in zip(table.iterrows(), remarks, strict=True):
        name, group = cast("tuple[str, str]", key)
        about = column(name)
        finer = _decimals(row, about.digits)
        rows.append(
            [
                about.text,
                *([group] if several else []),
                words.number(row["mean_reference"], about.digits),
                words.number(row["mean_group"], about.digits),
                words.number(row["difference"], finer),
                words.range_of(row["low"], row["high"], finer),
                _p(row["p"]),
                _p(row["p_decides"]),
                f"{row['wearers_reference']:,}, {row['wearers_group']:,}",
                words.whole(row["n"]),
                *([remark] if remarked else []),
            ]
        )
    group = "Group" if several else groups[0]
    return text_table(
        "Means of the wearers, and their difference,"
        f" {'each group' if several else groups[0]} minus {reference}. {_deciding(cohort)}",
        [
            *("Quantity", *(["Group"] if several else [])),
            *(reference, "Mean" if several else group, "Difference", "95 % interval"),
            *("p, Welch", "p that decides", "Wearers", "Days"),
            *(["Remark"] if remarked else []),
        ],
        rows,
        "differences",
        table,
    )


def _deciding(cohort: Cohort) -> str:
    """Return which p decides."""
    corrected = "Welch's p corrected for their number (Holm)"
    if cohort.outcome is None:
        return f"The p that decides is {corrected}."
    return (
        "The p that decides is that of the permutation test for"
        f" {label(cohort.outcome).lower()}, which was named beforehand, and for the others"
        f" {corrected}."
    )


def _decimals(row: pd.Series, digits: int | None) -> int:
    """Return three significant digits of a difference and its interval, one more than of days."""
    values = np.array([row["difference"], row["low"], row["high"]], dtype=np.float64)
    significant = decimals(values, None)
    return significant if digits is None else min(significant, digits + 1)


def _p(value: float) -> str:
    return words.MISSING if np.isnan(value) else p_text(value, 3)
