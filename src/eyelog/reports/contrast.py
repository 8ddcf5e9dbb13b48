"""How the groups of a study differ: page one, with each wearer behind it, and its section."""

from functools import partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.figures.axes import panels
from eyelog.figures.many import plot_cohort, plot_contrast, plot_others
from eyelog.judge.arrays import numbers
from eyelog.measure.columns import column
from eyelog.measure.sheet import decimals
from eyelog.reports import words
from eyelog.reports.logs import COUNTED_WORN_H, worn_for
from eyelog.reports.parts import (
    Empty,
    PageOne,
    Part,
    Picture,
    Sentence,
    picture,
    result,
    said_table,
)
from eyelog.reports.study import LEVEL, Cohort
from eyelog.series.groups import difference_of_means
from eyelog.series.inference import level_interval, t_quantile

MOST_SENTENCES: Final = 3
FIRST: Final = "blink_rate_per_min"  # where nothing else decides which outcome is drawn
ROW_MM: Final = 9.0
FOOT_MM: Final = 14.0
HIGHEST_MM: Final = 130.0  # the page draws a figure of half the width lower than it is here


def contrast(cohort: Cohort) -> PageOne:
    """Return page one of a study.

    Raises
    ------
    Empty
        If no wearer has a value of any outcome on a day that counts.
    """
    names, outcome = [name for name in cohort.outcomes if len(cohort.means(name))], cohort.outcome
    if outcome is not None and outcome not in names:
        raise Empty(f"no day that counts has a value of {column(outcome).label.lower()}")
    if not names:
        raise Empty("no day that counts has a value")
    lead, corrected = outcome or _lead(names, cohort), outcome is not None
    draw = partial(_draw, cohort, lead)
    facts = {"compared": cohort.is_compared, "corrected": corrected}
    return PageOne(
        facts=_facts(cohort),
        sentences=_sentences(cohort, lead)[:MOST_SENTENCES],
        looked=words.sentence("cohort.looked_between", cohort=cohort) if cohort.is_compared else "",
        pictures=[picture("cohort.contrast", draw, name=lead, **facts), *_others(cohort, lead)],
        trust=words.sentence("cohort.lost_in_study", cohort=cohort, counted_h=COUNTED_WORN_H),
    )


def _lead(outcomes: list[str], cohort: Cohort) -> str:
    """Return the outcome to draw: the one that stands out most, else the blink rate."""
    if cohort.is_compared:
        decides: Any = cohort.judged["p_decides"]
        if (decides < LEVEL).any():
            return str(decides.idxmin()[0])
    return FIRST if FIRST in outcomes else outcomes[0]


def _facts(cohort: Cohort) -> list[list[str]]:
    """Return how many wearers and days are left, of how many."""
    rows, (first, last) = cohort.grouped, cohort.calendar
    accounts = rows.index.get_level_values("account")
    counted = accounts[worn_for(rows, COUNTED_WORN_H)]
    return words.rows(
        "cohort.study_facts",
        cohort=cohort,
        span=((last - first).days + 1) * len(cohort.group_of),
        by_group=[_by_group(cohort, of) for of in (cohort.group_of.index, accounts, counted)],
        counted_h=COUNTED_WORN_H,
        counted_wearers=counted.nunique(),
    )


def _by_group(cohort: Cohort, accounts: Any) -> str:
    """Return how many of the wearers, or of their rows, each group has; empty for one group."""
    if not cohort.is_compared:
        return ""
    sizes = cohort.group_of.reindex(accounts).value_counts()
    return ", ".join(f"{name} {int(sizes.get(name, 0)):,}" for name in cohort.groups)


def _sentences(cohort: Cohort, lead: str) -> list[Sentence]:
    """Return what page one says: results, or what is drawn; of one group, how wearers differ."""
    if not cohort.is_compared:
        return [result("cohort.spread_of", about=lead, values=cohort.means(lead))]
    rows, compared = cohort.judged.loc[lead], int(cohort.judged["p"].notna().sum())
    return _results(cohort) or [
        result("cohort.nothing_between", drawn=lead, rows=rows, compared=compared)
    ]


def _results(cohort: Cohort) -> list[Sentence]:
    """Return the contrast that was named, whatever it shows, and what else stands out."""
    named: list[Sentence] = []
    others: list[Sentence] = []
    for key, row in cohort.judged.sort_values("p_decides", kind="stable").iterrows():
        name, group = map(str, cast("tuple[str, str]", key))
        if name == cohort.outcome or row["p_decides"] < LEVEL:
            said = result("cohort.compared", about=name, row=row, group=group, level=LEVEL)
            (named if name == cohort.outcome else others).append(said)
    return [*named, *others]


def _draw(cohort: Cohort, lead: str) -> Any:
    wearers = _wearers(cohort, lead)
    differences: Any = pd.DataFrame(columns=["difference", "low", "high"], dtype="float64")
    if cohort.is_compared:
        table: Any = cohort.differences
        estimated = table.loc[lead].dropna(subset=["difference"])
        # Nothing is left of it if nobody of the reference has a value.
        differences = estimated[estimated["reference"].isin(wearers["group"])]
    return plot_contrast(wearers, differences, column(lead))


def _wearers(cohort: Cohort, name: str) -> pd.DataFrame:
    """Return one row per wearer with a value, by group: the mean of the days, and its interval."""
    days = cohort.counted[name].astype("float64")
    rows = {}
    for account, of_wearer in days[np.isfinite(days)].groupby(level="account"):
        dates = pd.DatetimeIndex(of_wearer.index.get_level_values("day")).tz_localize(None)
        order = np.argsort(dates)
        low, high = level_interval(
            dates.to_numpy().astype("datetime64[D]").astype(np.int64)[order],
            numbers(of_wearer)[order],
        )
        rows[account] = {"mean": float(of_wearer.mean()), "low": low, "high": high}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high"])
    table.insert(0, "group", cohort.group_of.reindex(table.index).to_numpy())
    return table.sort_values(["group", "mean"], kind="stable")


def _others(cohort: Cohort, lead: str) -> list[Picture]:
    """Return the other outcomes, each in SD of wearers, with intervals that hold together."""
    if not cohort.is_compared or len(cohort.groups) != 2:
        return []
    table: Any = cohort.judged
    rows = table[(table.index.get_level_values("outcome") != lead) & table["low"].notna()]
    if rows.empty:
        return []
    share = LEVEL / cohort.looks["together"]
    made = {}
    for (name, _), row in rows.iterrows():
        means = cohort.means(name)
        groups = cohort.group_of.reindex(means.index)
        first, second = (numbers(means[groups == group]) for group in cohort.groups)
        freedom = float(difference_of_means(first, second)["df"])
        half = (row["high"] - row["low"]) / 2
        wide = half / t_quantile(freedom) * t_quantile(freedom, 1 - share / 2)
        sd, about = row["sd_wearers"], column(name)
        digits = decimals(np.array([row["difference"]]), about.digits)
        digits += abs(row["difference"]) < 0.5 * 10.0**-digits  # otherwise it would be shown as 0
        number = words.number(row["difference"], digits).replace("-", "\N{MINUS SIGN}")
        made[about.label] = {
            "difference": row["difference"] / sd,
            "low": (row["difference"] - wide) / sd,
            "high": (row["difference"] + wide) / sd,
            "said": f"{'+' if row['difference'] > 0 else ''}{number} {about.unit}".strip(),
            "stands": bool(row["p_decides"] < LEVEL),
        }
    drawn = pd.DataFrame.from_dict(made, orient="index")
    return [picture("cohort.others", partial(plot_others, drawn), cohort=cohort)]


def differences(cohort: Cohort) -> Part:
    """Return the differences, how far they can be trusted, and the wearers behind them."""
    if len(cohort.groups) < 2:
        raise Empty(
            f"all wearers are in one group, {cohort.groups[0]}: there is nothing to compare"
            if cohort.groups
            else "no wearer is in a group"
        )
    reasons = set(cohort.judged["reason"])
    # Those of the outcome named beforehand first
    table = pd.concat([cohort.judged[cohort.is_named], cohort.judged[~cohort.is_named]])
    shared = reasons.pop() if len(reasons) == 1 else ""  # otherwise the table says it
    return Part(
        [
            *words.said("cohort.differences", cohort=cohort, reason=shared),
            *(f"{one.lead} {one.rest}" for one in _results(cohort)[MOST_SENTENCES:]),
        ],
        [
            picture("cohort.wearers_of_groups", partial(_draw_groups, cohort, names))
            for names in _figures(cohort)
        ],
        [partial(said_table, "cohort.differences_table", table, cohort=cohort)],
    )


def _figures(cohort: Cohort) -> list[list[str]]:
    """Return the outcomes of each figure, with as many panels as fit on a page."""
    names = [name for name in cohort.outcomes if len(cohort.means(name))]
    most = max(1, int(HIGHEST_MM // (ROW_MM * len(cohort.groups) + FOOT_MM)))
    parts = np.array_split(names, max(1, -(-len(names) // most)))
    return [part.tolist() for part in parts if len(part)]


def _draw_groups(cohort: Cohort, names: list[str]) -> Any:
    made = panels([ROW_MM * len(cohort.groups) + FOOT_MM] * len(names))[:, 0]
    for ax, name in zip(made, names, strict=True):
        plot_cohort(cohort.counted, name, kind="groups", by=cohort.by, ax=ax)
    return made
