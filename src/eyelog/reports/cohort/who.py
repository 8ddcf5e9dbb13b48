"""Who took part: wearers, groups, covariates."""

from functools import partial

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.cohort.differences import label_of
from eyelog.figures.labels import LOG_WORDS, range_words
from eyelog.measure.sheet import decimals
from eyelog.reports import words
from eyelog.reports.cohort.study import Cohort
from eyelog.reports.parts import Empty, PageTable, Part, text_table

ALL = "All wearers"
MOST_LABELS = 8  # of one covariate; more are counted, not listed


def section(cohort: Cohort) -> Part:
    """Return how many wearers there are, their groups and their covariates."""
    wanted = len(cohort.accounts) + len(cohort.failed) + len(cohort.without)
    if cohort.is_empty:
        raise Empty(
            f"none of the {words.count(wanted, 'wearer')} has days: the section on losses says why"
        )
    first, last = cohort.calendar
    have = "has" if len(cohort.accounts) == 1 else "have"
    log = LOG_WORDS.get(cohort.log or "", "log")
    findings = [
        f"{len(cohort.accounts):,} of {words.count(wanted, 'wearer')} {have}"
        f" {words.count(len(cohort.rows), 'day')} with records of the {log},"
        f" {range_words(first, last)} ({cohort.zone})."
    ]
    if cohort.by is not None:
        sizes = cohort.group_of.value_counts()
        groups = words.joined(
            [f"{name} ({words.count(int(sizes[name]), 'wearer')})" for name in cohort.groups]
        )
        findings.append(f"Groups ({cohort.by}): {groups}.")
        outside = len(cohort.accounts) - len(cohort.group_of)
        if outside:
            findings.append(
                f"{words.count(outside, 'wearer')} without a value of {cohort.by}"
                f" {'is' if outside == 1 else 'are'} in no group and left out below."
            )
    return Part(findings=findings, tables=[partial(_table, cohort)])


def _table(cohort: Cohort) -> PageTable:
    """Return the table that opens every study: one column per group."""
    people = cohort.grouped.groupby(level="account").first()
    sides = [people.loc[cohort.group_of.index[cohort.group_of == name]] for name in cohort.groups]
    names = cohort.groups if cohort.by is not None else [ALL]
    if len(sides) > 1:
        sides, names = [*sides, people], [*names, ALL]
    days = cohort.grouped.groupby(level="account").size()
    rows = [
        ["Wearers", *(words.whole(len(side)) for side in sides)],
        ["Days", *(words.whole(days.loc[side.index].sum()) for side in sides)],
    ]
    for name in cohort.covariates:
        one_zone = name == "tz" and people[name].nunique() < 2  # the line above names it
        if name != cohort.by and not one_zone:
            rows += _covariate(name, sides, averaged=name in cohort.averaged)
    shown = [name for name in cohort.covariates if name in people.columns]
    whole = people[shown].assign(days=days)
    return text_table("Wearers with days" + _of(cohort), ["", *names], rows, "wearers", whole)


def _of(cohort: Cohort) -> str:
    return f", by {cohort.by}" if cohort.by is not None and len(cohort.groups) > 1 else ""


def _covariate(name: str, sides: list[pd.DataFrame], *, averaged: bool) -> list[list[str]]:
    """Return the rows of one covariate: mean and SD if it was named for that, otherwise counts."""
    whole = pd.concat(sides)[name]
    if averaged:
        values = [numbers(side[name]) for side in sides]
        finite = [of_side[np.isfinite(of_side)] for of_side in values]
        places = decimals(np.array([of_side.mean() for of_side in finite if of_side.size]), None)
        return [[f"{name}, mean (SD)", *(_mean_sd(of_side, places) for of_side in finite)]]
    labels = list(dict.fromkeys(whole.dropna().sort_values().map(label_of)))
    if not 0 < len(labels) <= MOST_LABELS:
        return [
            [
                f"{name}, different values",
                *(words.whole(side[name].nunique()) for side in sides),
            ]
        ]
    rows = [
        [
            f"{name}: {label}",
            *(
                _share(side[name].dropna().map(label_of).reindex(side.index) == label)
                for side in sides
            ),
        ]
        for label in labels
    ]
    if whole.isna().any():
        missing = [_share(side[name].isna()) for side in sides]
        rows.append([f"{name}: not stated", *missing])
    return rows


def _mean_sd(values: Floats, places: int) -> str:
    if not values.size:
        return words.MISSING
    mean = words.number(float(values.mean()), places)
    return f"{mean} ({words.number(float(values.std(ddof=1)))})" if values.size > 1 else mean


def _share(inside: pd.Series) -> str:
    if not len(inside):
        return words.MISSING
    return f"{words.whole(int(inside.sum()))} ({words.percent(float(inside.mean()))})"
