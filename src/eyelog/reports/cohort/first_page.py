"""Page one of a study: the contrast, each wearer behind it, and what was lost."""

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.analysis.columns import column
from eyelog.analysis.compare.group_difference import difference_of_means, group_difference
from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.series.dependence import level_interval, t_quantile
from eyelog.analysis.series.holm import holm
from eyelog.analysis.sheet import decimals, p_text
from eyelog.errors import FieldError, argument
from eyelog.figures.contrast import plot_contrast, plot_others
from eyelog.reports import words
from eyelog.reports.answer import DEEDS, Fact, PageOne, Sentence
from eyelog.reports.cohort.study import Cohort, label
from eyelog.reports.logs import COUNTED_WORN_H
from eyelog.reports.section_parts import Empty, Picture

__all__ = ["check_outcome", "contrast"]

LEVEL: Final = 0.05
MOST_SENTENCES: Final = 3
FIRST: Final = "blink_rate_per_min"  # where nothing else decides which outcome is drawn


def check_outcome(cohort: Cohort, outcome: str | None) -> None:
    """Raise `FieldError` if the outcome that was named cannot be compared."""
    if outcome is not None and outcome not in cohort.outcomes and not cohort.is_empty:
        raise FieldError(
            f"{argument('outcome')} is one of {', '.join(cohort.outcomes)}, not {outcome!r}"
        )


def contrast(cohort: Cohort, outcome: str | None) -> PageOne:
    """Return page one of a study.

    Parameters
    ----------
    cohort : Cohort
        The days of the wearers.
    outcome : str, optional
        The outcome that was named beforehand. Default: none was, and all are corrected together.

    Raises
    ------
    Empty
        If no wearer has a value of any outcome on a day that counts.
    """
    names = [name for name in cohort.outcomes if len(cohort.means(name))]
    if outcome is not None and outcome not in names:
        raise Empty(f"no day that counts has a value of {label(outcome).lower()}")
    if not names:
        raise Empty("no day that counts has a value")
    compared = cohort.by is not None and len(cohort.groups) > 1
    table: Any = _judged(cohort, outcome) if compared else pd.DataFrame()
    lead = outcome or _lead(names, table)
    return PageOne(
        facts=_facts(cohort),
        sentences=_sentences(cohort, lead, outcome, table) if compared else [_spread(cohort, lead)],
        looked=_looked(outcome, table) if compared else "",
        picture=Picture(
            column(lead).label,
            "Wearers sorted by their mean, and the difference."
            if compared
            else "Wearers sorted by their mean.",
            partial(_draw, cohort, lead, compared=compared),
        ),
        trust=_lost(cohort),
        beside=_others(cohort, lead, table) if len(cohort.groups) == 2 and compared else None,
    )


def _judged(cohort: Cohort, outcome: str | None) -> Any:
    """Return the differences with ``decides``: the p by which each may be said to stand out.

    For the outcome named beforehand it is its own p, by permutation where there are two groups; the
    others are corrected for each other.
    """
    table: Any = cohort.differences.copy()
    named = table.index.get_level_values("outcome") == outcome
    table["decides"] = np.nan
    table.loc[~named, "decides"] = holm(numbers(table["p"])[~named])
    if outcome is not None:
        p = numbers(table["p"])[named]
        table.loc[named, "decides"] = [_permuted(cohort, outcome)] if len(p) == 1 else holm(p)
    return table


def _permuted(cohort: Cohort, outcome: str) -> float:
    values = cohort.means(outcome)
    groups = {str(name): str(group) for name, group in cohort.group_of.items() if name in values}
    return group_difference(
        values.rename(outcome).to_frame(), groups, outcome=outcome
    ).p_permutation


def _lead(outcomes: list[str], table: Any) -> str:
    """Return the outcome to draw: the one that stands out most, otherwise the blink rate."""
    clear = table[table["decides"] < LEVEL] if len(table) else table
    if len(clear):
        return str(clear["decides"].idxmin()[0])
    return FIRST if FIRST in outcomes else outcomes[0]


def _facts(cohort: Cohort) -> list[Fact]:
    """Return how many wearers and days are left, of how many."""
    wanted = len(cohort.accounts) + len(cohort.failed) + len(cohort.without)
    rows = cohort.grouped
    first, last = cohort.calendar
    span = ((last - first).days + 1) * len(cohort.group_of)
    thin = numbers(rows["worn_h"]) >= COUNTED_WORN_H
    counted = rows[thin].index.get_level_values("account")
    return [
        Fact("Wearers", f"{len(cohort.group_of):,} of {wanted:,}", _by_group(cohort, None)),
        Fact(
            "Days with records",
            f"{len(rows):,} of {span:,}",
            _by_group(cohort, rows.index.get_level_values("account"))
            or "from the first day of the study to the last",
        ),
        Fact(
            f"Days that count ({COUNTED_WORN_H:g} h worn)",
            f"{cohort.counted_days:,}",
            _by_group(cohort, counted) or f"of {words.count(counted.nunique(), 'wearer')}",
        ),
    ]


def _by_group(cohort: Cohort, accounts: Any) -> str:
    """Return how many of the wearers, or of their rows, each group has; empty for one group."""
    if cohort.by is None or len(cohort.groups) < 2:
        return ""
    labels = cohort.group_of if accounts is None else cohort.group_of.reindex(accounts)
    sizes = labels.value_counts()
    return ", ".join(f"{name} {int(sizes.get(name, 0)):,}" for name in cohort.groups)


def _sentences(cohort: Cohort, lead: str, outcome: str | None, table: Any) -> list[Sentence]:
    """Return the contrast that was named, whatever it shows, and what else stands out."""
    ordered = table.sort_values("decides", kind="stable")
    sentences = []
    for key, row in ordered.iterrows():
        name, group = map(str, key)
        passed = row["decides"] < LEVEL
        if name == outcome or passed:
            made = _sentence(name, group, row, passed=passed, named=name == outcome)
            sentences.append((name != outcome, made))
    sentences.sort(key=lambda pair: pair[0])
    if not sentences:
        return [
            Sentence(
                f"No difference between the groups stands out among"
                f" {words.count(int(table['p'].notna().sum()), 'comparison')}.",
                _of(cohort, lead, table),
            )
        ]
    return [sentence for _, sentence in sentences[:MOST_SENTENCES]]


def _of(cohort: Cohort, lead: str, table: Any) -> str:
    """Return the difference that is drawn, if no other sentence mentions it."""
    if len(cohort.groups) > 2 or np.isnan(table.loc[lead, "low"].iloc[0]):
        return ""
    (group,) = table.loc[lead].index
    row = table.loc[(lead, group)]
    return f"Drawn: {label(lead).lower()}, {group} minus {row['reference']} {_value(lead, row)}."


def _sentence(name: str, group: str, row: Any, *, passed: bool, named: bool) -> Sentence:
    """Return a difference in words: who, what, which direction; value, interval, of what, n, p."""
    reference = row["reference"]
    worth = f"{int(row['wearers_reference'])} and {int(row['wearers_group'])} wearers"
    if np.isnan(row["decides"]):
        return Sentence(
            f"{label(name)} of {group} and {reference}: no test.",
            f"{str(row['reason'])[:1].upper()}{str(row['reason'])[1:]} ({worth}).",
        )
    how = "permutation test" if named else "corrected"
    p = p_text(float(row["decides"]), 3)
    tail = f"{worth}; p {f'< {p[1:]}' if p.startswith('<') else f'= {p}'}, {how}"
    if not passed:
        return Sentence(
            f"Whether {label(name).lower()} differs between {group} and {reference} cannot be"
            " told:",
            f"{group} minus {reference} {_value(name, row)[:-1]}; {tail}).",
        )
    return Sentence(
        f"{group[:1].upper()}{group[1:]} wearers {_deed(name, row['difference'])} than {reference}"
        " wearers:",
        f"by {_value(name, row, absolute=True)[:-1]}; {tail}).",
    )


def _value(name: str, row: Any, *, absolute: bool = False) -> str:
    """Return a difference with its interval: ``2.7 per min (95 % interval 1.3 to 4.2, ...)``."""
    about = column(name)
    values = np.array([row["difference"], row["low"], row["high"]], dtype=np.float64)
    if absolute and row["difference"] < 0:
        values = -values[[0, 2, 1]]
    digits = decimals(values, about.digits)
    unit = f" {about.unit}" if about.unit else ""
    return (
        f"{words.number(values[0], digits)}{unit}"
        f" ({words.interval(values[1], values[2], digits)}, between wearers)"
    )


def _deed(name: str, change: float) -> str:
    if name in DEEDS:
        more, less, _ = DEEDS[name]
        return more if change > 0 else less
    return f"had {'more' if change > 0 else 'less'} {label(name).lower()}"


def _spread(cohort: Cohort, lead: str) -> Sentence:
    """Return how the wearers of a study without groups differ from each other."""
    values = numbers(cohort.means(lead))
    about = column(lead)
    unit = f" {about.unit}" if about.unit else ""
    low, middle, high = (words.number(float(np.quantile(values, q)), about.digits) for q in _HALF)
    return Sentence(
        f"{about.label}: {middle}{unit} in the median wearer,",
        f"{low} to {high} in the middle half of {words.count(len(values), 'wearer')}.",
    )


_HALF: Final = (0.25, 0.5, 0.75)


def _looked(outcome: str | None, table: Any) -> str:
    """Return what was tested at which level."""
    of_others = table.index.get_level_values("outcome") != outcome
    others = int((table["p"].notna() & of_others).sum())
    out = int((table["decides"][of_others] < LEVEL).sum())
    if outcome is None:
        return (
            f"No outcome was named beforehand; {out:,} of {words.count(others, 'comparison')} stand"
            " out at 5 % after correction (Holm)."
        )
    return (
        f"Named beforehand: {label(outcome).lower()}, at 5 %. Of {others:,} other comparisons"
        f" {out:,} stand out after correction (Holm)."
    )


def _draw(cohort: Cohort, lead: str, *, compared: bool) -> Any:
    wearers = _wearers(cohort, lead)
    differences: Any = pd.DataFrame(columns=["difference", "low", "high"], dtype="float64")
    if compared:
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


def _others(cohort: Cohort, lead: str, table: Any) -> Picture | None:
    """Return the other outcomes, each in SD of wearers, with simultaneous intervals."""
    rows = table[(table.index.get_level_values("outcome") != lead) & table["low"].notna()]
    if rows.empty:
        return None
    share = LEVEL / len(rows)
    made = {}
    for key, row in rows.iterrows():
        name = str(key[0])
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
            "stands": bool(row["decides"] < LEVEL),
        }
    reference, group = cohort.groups
    return Picture(
        "Other outcomes, looked at together",
        f"{group} minus {reference}, in SD of the wearers; the intervals hold for all together"
        " (Bonferroni).",
        lambda: plot_others(pd.DataFrame.from_dict(made, orient="index")),
    )


def _lost(cohort: Cohort) -> str:
    """Return what was lost, in wearers and days."""
    rows = len(cohort.grouped)
    thin = rows - cohort.counted_days
    sentences = [
        f"{thin:,} of {words.count(rows, 'day')} ({words.percent(thin / rows)}) have less than"
        f" {COUNTED_WORN_H:g} h of wear and do not count."
    ]
    outside = len(cohort.accounts) - len(cohort.group_of)
    lost = [
        f"{words.count(n, 'wearer')} {what}"
        for n, what in (
            (len(cohort.without), "without days"),
            (len(cohort.failed), "failed"),
            (outside, f"without a value of {cohort.by}"),
        )
        if n
    ]
    if lost:
        sentences.append(f"Not in the numbers: {words.joined(lost)}.")
    sentences.append(
        "Groups differ by what distinguishes them only if wearers were assigned at random."
    )
    return " ".join(sentences if len(cohort.groups) > 1 else sentences[:-1])
