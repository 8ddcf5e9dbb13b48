"""The outcomes of the days, topic by topic: percentiles of wearers, day by day and in order."""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import numbers
from eyelog.cohort.group_summary import summary
from eyelog.figures.cohort import LEAST_WEARERS, plot_cohort
from eyelog.measure.columns import column
from eyelog.reports import words
from eyelog.reports.cohort.study import Cohort
from eyelog.reports.parts import Empty, PageTable, Part, Picture, text_table

# The title and the outcomes of each section, the first of them drawn wearer by wearer too
TOPICS: Final = MappingProxyType(
    {
        "eyes": ("Eyes", ("blink_rate_per_min", "eye_moves_per_h")),
        "walking": ("Walking", ("steps", "walking_h", "pace_spm")),
        "head": ("Head and posture", ("tilt_fore_aft_deg", "head_moves_yaw_per_h")),
    }
)
ALONG_THE_DAYS: Final = ("blink_rate_per_min", "steps", "walking_h", "tilt_fore_aft_deg")


def section(topic: str) -> Callable[[Cohort], Part]:
    """Return the function that makes the section of one topic."""
    return partial(_section, topic)


def _section(topic: str, cohort: Cohort) -> Part:
    names: list[str] = [name for name in TOPICS[topic][1] if name in cohort.outcomes]
    measured = [name for name in names if len(cohort.means(name))]
    if not measured:
        raise Empty("no day that counts has a value")
    lead = measured[0]
    along = [name for name in measured if name in ALONG_THE_DAYS]
    pictures = [
        Picture(
            f"{column(name).label} day by day",
            "Each thin line is a wearer; the bands hold the middle half and the middle 90 % of the"
            " wearers of each day, from five wearers on. Only days that count.",
            partial(plot_cohort, cohort.counted, name),
        )
        for name in along
    ]
    pictures.append(
        Picture(
            f"{column(lead).label}, wearer by wearer",
            "One row per wearer, in order of their medians, with the middle half and the middle"
            " 90 % of their days.",
            partial(plot_cohort, cohort.counted, lead, kind="caterpillar"),
        )
    )
    return Part(
        findings=[_said(cohort, name) for name in measured],
        pictures=pictures,
        tables=[partial(_table, cohort, measured, topic)],
    )


def _said(cohort: Cohort, name: str) -> str:
    """Return the distribution of the wearers in a sentence."""
    about, means = column(name), cohort.means(name)
    values = numbers(means)
    days = int(np.isfinite(numbers(cohort.counted[name])).sum())
    unit = f" {about.unit}" if about.unit else ""

    def at(share: float) -> str:
        return words.number(float(np.quantile(values, share)), about.digits)

    behind = f"{words.count(len(values), 'wearer')}, {words.count(days, 'day')}"
    if len(values) == 1:
        return f"{about.label}: {at(0.5)}{unit} ({behind})."
    if len(values) < LEAST_WEARERS:
        return (
            f"{about.label}: from {at(0)} to {at(1)}{unit} ({behind}; too few wearers for"
            " percentiles)."
        )
    return (
        f"{about.label}: {at(0.5)}{unit} in the median wearer. Half of the wearers lie between"
        f" {at(0.25)} and {at(0.75)}, nine in ten between {at(0.05)} and {at(0.95)} ({behind})."
    )


def _table(cohort: Cohort, names: list[str], topic: str) -> PageTable:
    grouped = cohort.by is not None and len(cohort.groups) > 1
    own = [cohort.by] if grouped else []
    rows = cohort.counted[[*(name for name in own if name), *names]]
    rows.attrs = {}  # of the groups alone: who was lost is in a section of its own
    groups = summary(rows, by=cohort.by if grouped else None).groups
    whole = groups.copy()
    cells = []
    for name in names:
        about = column(name)
        for group in cohort.groups if grouped else [""]:
            row = cast("pd.Series", groups.loc[(group, name) if grouped else name])
            cells.append(_cells(row, about.text, about.digits, group))
    return text_table(
        "Means of the wearers' days that count: mean of the wearers with its 95 % interval, and"
        " percentiles of the wearers",
        [
            *("Quantity", *(["Group"] if grouped else [])),
            *("Wearers", "Days", "Mean (95 % interval)", "SD", "5 %", "25 %", "Median"),
            *("75 %", "95 %"),
        ],
        cells,
        f"percentiles-{topic}",
        whole,
    )


def _cells(row: pd.Series, text: str, digits: int | None, group: str) -> list[str]:
    def said(name: str) -> str:
        return words.number(float(row[name]), digits)

    few = row["wearers"] < LEAST_WEARERS
    shares = [words.MISSING if few and p != "p50" else said(p) for p in _PERCENTILES]
    interval = f" ({said('low')} to {said('high')})" if np.isfinite(row["low"]) else ""
    counts = [words.whole(row["wearers"]), words.whole(row["n"])]
    sd = words.number(float(row["sd"]))
    return [text, *([group] if group else []), *counts, f"{said('mean')}{interval}", sd, *shares]


_PERCENTILES: Final = ("p5", "p25", "p50", "p75", "p95")
