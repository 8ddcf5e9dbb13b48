"""Page one of a study: the contrast, each wearer behind it, and what was lost."""

from functools import partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.compare.group_difference import difference_of_means
from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.series.inference import level_interval, t_quantile
from eyelog.figures.contrast import plot_contrast, plot_others
from eyelog.measure.columns import column
from eyelog.measure.sheet import decimals
from eyelog.reports import words
from eyelog.reports.cohort import comparisons
from eyelog.reports.cohort.comparisons import LEVEL
from eyelog.reports.cohort.study import Cohort, label
from eyelog.reports.logs import COUNTED_WORN_H
from eyelog.reports.parts import Empty, Fact, PageOne, Picture, Sentence

MOST_SENTENCES: Final = 3
FIRST: Final = "blink_rate_per_min"  # where nothing else decides which outcome is drawn


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
    compared = cohort.is_compared
    lead = outcome or _lead(names, cohort)
    return PageOne(
        facts=_facts(cohort),
        sentences=_sentences(cohort, lead) if compared else [_spread(cohort, lead)],
        looked=comparisons.looked(cohort) if compared else "",
        pictures=[
            Picture(
                column(lead).label,
                _drawn(cohort),
                partial(_draw, cohort, lead, compared=compared),
            ),
            *_others(cohort, lead),
        ],
        trust=_lost(cohort),
    )


def _drawn(cohort: Cohort) -> str:
    """Return what the figure of the wearers shows, and what its interval is."""
    if not cohort.is_compared:
        return "Wearers sorted by their mean."
    alone = "" if cohort.outcome is not None else ", not corrected for the number of comparisons"
    return (
        "Wearers sorted by their mean, and the difference with its own 95 % interval"
        f" (Welch){alone}."
    )


def _lead(outcomes: list[str], cohort: Cohort) -> str:
    """Return the outcome to draw: the one that stands out most, else the blink rate."""
    if cohort.is_compared:
        table: Any = cohort.judged
        clear = table[table["p_decides"] < LEVEL]
        if len(clear):
            return str(clear["p_decides"].idxmin()[0])
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


def _sentences(cohort: Cohort, lead: str) -> list[Sentence]:
    """Return the contrast that was named, whatever it shows, and what else stands out."""
    ordered = cohort.judged.sort_values("p_decides", kind="stable")
    sentences = []
    for key, row in ordered.iterrows():
        name, group = map(str, cast("tuple[str, str]", key))
        passed = row["p_decides"] < LEVEL
        if name == cohort.outcome or passed:
            sentences.append((name != cohort.outcome, _sentence(name, group, row, passed=passed)))
    sentences.sort(key=lambda pair: pair[0])
    if not sentences:
        compared = int(ordered["p"].notna().sum())
        return [
            Sentence(
                "No difference between the groups stands out among"
                f" {words.count(compared, 'comparison')}."
                if compared
                else "No difference between the groups could be tested.",
                _of(cohort, lead),
            )
        ]
    return [sentence for _, sentence in sentences[:MOST_SENTENCES]]


def _of(cohort: Cohort, lead: str) -> str:
    """Return the difference that is drawn, as nothing is said of it otherwise."""
    table: Any = cohort.judged
    if len(cohort.groups) > 2 or np.isnan(table.loc[lead, "low"].iloc[0]):
        return ""
    (group,) = table.loc[lead].index
    row = table.loc[(lead, group)]
    return f"Drawn: {label(lead).lower()}, {group} minus {row['reference']} {_value(lead, row)}."


def _sentence(name: str, group: str, row: Any, *, passed: bool) -> Sentence:
    """Return a difference in words: who, what, which way; value, interval, of what, n, p."""
    reference = row["reference"]
    worth = f"{int(row['wearers_reference'])} and {int(row['wearers_group'])} wearers"
    if np.isnan(row["p_decides"]):
        return Sentence(
            f"{label(name)} of {group} and {reference}: no test.",
            f"{str(row['reason'])[:1].upper()}{str(row['reason'])[1:]} ({worth}).",
        )
    tail = f"{worth}; {comparisons.decided(row)}"
    if not passed:
        return Sentence(
            f"Whether the {label(name).lower()} differs between {group} and {reference} cannot be"
            " told:",
            f"{group} minus {reference} {_value(name, row)[:-1]}; {tail}).",
        )
    deed = words.sentence("deed", about=name, change=row["difference"])
    return Sentence(
        f"{words.capital(group)} wearers {deed} than {reference} wearers:",
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
        f" ({words.interval(values[1], values[2], digits, '')}, between wearers)"
    )


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


def _others(cohort: Cohort, lead: str) -> list[Picture]:
    """Return the other outcomes, each in SD of wearers, with intervals that hold together."""
    if not cohort.is_compared or len(cohort.groups) != 2:
        return []
    table: Any = cohort.judged
    rows = table[(table.index.get_level_values("outcome") != lead) & table["low"].notna()]
    if rows.empty:
        return []
    share = LEVEL / comparisons.held_together(cohort)
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
            "stands": bool(row["p_decides"] < LEVEL),
        }
    reference, group = cohort.groups
    return [
        Picture(
            "Other outcomes, looked at together",
            f"{group} minus {reference}, in SD of the wearers. {comparisons.together_text(cohort)}",
            lambda: plot_others(pd.DataFrame.from_dict(made, orient="index")),
        )
    ]


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
