"""What was measured, and how far it can be trusted."""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.figures.attrition import plot_attrition
from eyelog.figures.labels import LOG_WORDS
from eyelog.figures.overview import plot_overview
from eyelog.figures.quality import plot_quality
from eyelog.frame import OFFSET
from eyelog.judge.flag import explain
from eyelog.judge.reasons import Reason
from eyelog.measure.columns import column
from eyelog.measure.coverage import gaps
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable, page_table
from eyelog.reports.section_parts import Empty, Part, Picture

# For each log, the recipe whose losses are most informative about the eyes.
RECIPE = {COMPUTED_DATA: "mind", STANDARD_MODE_LOGS: "eye"}
MOST_GAPS: Final = 5
PURPOSE = {"mind": "scores", "eye": "eye movements"}
GAPS = {
    "implicit": "no record",
    "explicit": "records without a value",
    "irregular": "records too close or overlapping",
}
HOURS = {
    "recorded_h": "Recorded",
    "worn_h": "Worn",
    "valid_h": "Usable",
    "walking_h": "Walking",
    "unworn_h": "Recorded, not worn",
}


def section(logs: Logs) -> Part:
    """Return what was measured, by log, and what was lost and why."""
    return Part(
        findings=[*(_hours_of(logs, log) for log in logs.frames), _counted(logs)],
        pictures=[
            *(_overview(logs, log) for log in logs.frames),
            _attrition(logs, logs.lead),
            _quality(logs),
        ],
        tables=[
            partial(_hours_table, logs),
            partial(_lost_table, logs),
            partial(_gaps_table, logs),
        ],
        files=[partial(_attrition_table, logs, log) for log in logs.frames],
    )


def _hours_of(logs: Logs, log: str) -> str:
    table = logs.hours(log)
    recorded, expected, worn, usable = (
        float(table[name].sum()) for name in ("recorded_h", "expected_h", "worn_h", "valid_h")
    )
    sentence = (
        f"The {LOG_WORDS[log]} holds {words.hours(recorded)} of records"
        f" ({words.percent(recorded / expected)} of the time from the first day to the last)."
    )
    if table["worn_h"].isna().all():
        return f"{sentence} Nothing in it shows whether the eyewear was worn."
    if worn == 0:
        return f"{sentence} The eyewear was never worn."
    sentence += f" The eyewear was worn for {words.hours(worn)} of this time"
    if table["valid_h"].isna().all():
        return f"{sentence}."
    return (
        f"{sentence}, of which {words.hours(usable)} ({words.percent(usable / worn)}) are usable"
        " for measures of the eyes: in pose, not walking, and with little noise."
    )


def _counted(logs: Logs) -> str:
    have = [f"{len(logs.counted(log))} in the {LOG_WORDS[log]}" for log in logs.frames]
    return (
        f"Days with at least {logs.counted_h:g} h of wear: {words.joined(have)}, of"
        f" {words.count(len(logs.calendar), 'day')}. What is said of a usual day is the median of"
        " these days."
    )


def _overview(logs: Logs, log: str) -> Picture:
    return Picture(
        f"State of the eyewear, {LOG_WORDS[log]}",
        f"One row per day, from {logs.border} to {logs.border}. Colours show the state of the"
        " eyewear; hatching marks time without records.",
        lambda: plot_overview(logs.frames[log], limits=logs.limits, day_starts=logs.day_starts),
    )


def _attrition(logs: Logs, log: str) -> Picture:
    recipe = RECIPE[log]
    return Picture(
        f"From all records to those used for {PURPOSE[recipe]}, {LOG_WORDS[log]}",
        "Each bar shows the records that remain after a condition, applied from top to bottom,"
        " and those that it removes.",
        lambda: plot_attrition(logs.attrition(log, recipe)),
    )


def _quality(logs: Logs) -> Picture:
    log = logs.lead
    return Picture(
        f"When values are rejected, {LOG_WORDS[log]}",
        "One row per reason. The darker the colour, the larger the share of values that are"
        " rejected for it.",
        lambda: (
            plot_quality(logs.frames[log], limits=logs.limits)
            if OFFSET in logs.frames[log].columns
            else plot_quality(logs.reasons_of_fields(log))
        ),
    )


def _hours_table(logs: Logs) -> PageTable:
    totals = {log: logs.hours(log)[list(HOURS)].sum(min_count=1) for log in logs.frames}
    rows = [
        [label, *(_hours_cell(of_log, name) for of_log in totals.values())]
        for name, label in HOURS.items()
    ]
    return PageTable.of(
        "Hours, with their share of the recorded time",
        ["Time", *(LOG_WORDS[log] for log in totals)],
        rows,
        "hours",
        pd.DataFrame(totals).rename_axis("time"),
    )


def _hours_cell(of_log: pd.Series, name: str) -> str:
    hours, recorded = float(of_log[name]), float(of_log["recorded_h"])
    if np.isnan(hours):
        return words.MISSING
    share = f" ({words.percent(hours / recorded)})" if recorded else ""
    return f"{words.number(hours, 1)} h{share}"


def _lost_table(logs: Logs) -> PageTable:
    """Return the share of the values for summaries that have each reason against them."""
    names = [str(reason.name) for reason in Reason]
    shares = {}
    for log in logs.frames:
        table = explain(logs.reasons_of_fields(log))
        shares[log] = table[names].sum() / table["n"].sum()
    rows = [
        [
            _reason(name),
            *(words.percent(float(of_log[name])) for of_log in shares.values()),
        ]
        for name in names
        if any(of_log[name] > 0 for of_log in shares.values())
    ]
    return PageTable.of(
        "What was lost, and why: the share of the values that summaries take, with each reason"
        " against them. A value can have several; counts at their cap are kept",
        ["Reason", *(LOG_WORDS[log] for log in shares)],
        rows,
        "reasons",
        pd.DataFrame(shares).rename_axis("reason"),
    )


def _attrition_table(logs: Logs, log: str) -> PageTable:
    recipe = RECIPE[log]
    return page_table(
        logs.attrition(log, recipe),
        f"Records left for {PURPOSE[recipe]}, {LOG_WORDS[log]}",
        f"attrition-{recipe}",
    )


def _reason(name: str) -> str:
    return column(name, table="explain").label


def _gaps_table(logs: Logs) -> PageTable:
    rows = pd.concat([gaps(logs.frames[log]).assign(log=LOG_WORDS[log]) for log in logs.frames])
    rows["kind"] = rows["kind"].map(GAPS)
    if rows.empty:
        raise Empty("no record is missing")
    longest = rows.sort_values("duration", ascending=False, kind="stable").head(MOST_GAPS)
    return page_table(
        longest.set_index("start"),
        f"The longest of {words.count(len(rows), 'stretch', 'stretches')} without usable records",
        "gaps",
        names=["duration", "log"],
        whole=rows.set_index("log"),
    )
