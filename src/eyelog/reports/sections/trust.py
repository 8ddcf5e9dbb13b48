"""What was measured, and how far it can be trusted."""

from functools import partial

import numpy as np
import pandas as pd

from eyelog.analysis.columns import column
from eyelog.analysis.coverage import gaps
from eyelog.analysis.quality.explain import explain
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.quality.recipes import attrition
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.figures.labels import LOG_WORDS
from eyelog.reports import words
from eyelog.reports.drawing import plot_attrition, plot_overview, plot_quality
from eyelog.reports.logs import COUNTED_WORN_H, Logs
from eyelog.reports.page_tables import PageTable, page_table
from eyelog.reports.parts import Part, Picture

__all__ = ["section"]

# The recipe whose losses say most about the eyes, of each log.
RECIPE = {COMPUTED_DATA: "mind", STANDARD_MODE_LOGS: "eye"}
PURPOSE = {"mind": "scores", "eye": "eye movements"}
HOURS = {
    "recorded_h": "Recorded",
    "worn_h": "Worn",
    "valid_h": "Usable for resting eyes",
    "walking_h": "Walking",
    "unworn_h": "Recorded, not worn",
}


def section(logs: Logs) -> Part:
    """Return what was measured, by log, and what was lost and why."""
    return Part(
        findings=[*(_hours_of(logs, log) for log in logs.frames), _counted(logs)],
        pictures=[
            picture
            for log in logs.frames
            for picture in (_overview(logs, log), _attrition(logs, log))
        ]
        + [_quality(logs)],
        tables=[
            partial(_hours_table, logs),
            partial(_lost_table, logs),
            *(partial(_attrition_table, logs, log) for log in logs.frames),
            partial(_gaps_table, logs),
        ],
    )


def _hours_of(logs: Logs, log: str) -> str:
    table = logs.hours(log)
    recorded, expected, worn, usable = (
        float(table[name].sum()) for name in ("recorded_h", "expected_h", "worn_h", "valid_h")
    )
    said = (
        f"The {LOG_WORDS[log]} holds {words.whole(recorded)} h of records"
        f" ({words.percent(recorded / expected)} of the time from the first day to the last)."
    )
    if table["worn_h"].isna().all():
        return f"{said} Nothing in it shows whether the eyewear was worn, so no value is judged by wear."
    if worn == 0:
        return f"{said} The eyewear was never worn."
    said += f" The eyewear was worn for {words.whole(worn)} h of them"
    if table["valid_h"].isna().all():
        return f"{said}."
    return (
        f"{said}, and {words.whole(usable)} h ({words.percent(usable / worn)} of the time worn) are"
        " usable for the eyes at rest: worn, in pose, not walking, little noise."
    )


def _counted(logs: Logs) -> str:
    days = len(logs.calendar)
    have = {log: len(logs.counted(log)) for log in logs.frames}
    said = words.joined([f"{n} in the {LOG_WORDS[log]}" for log, n in have.items()])
    return (
        f"Of {words.count(days, 'day')}, these count as days of wear (at least"
        f" {COUNTED_WORN_H:g} h): {said}. Usual days are medians of the days that count."
    )


def _overview(logs: Logs, log: str) -> Picture:
    return Picture(
        f"State of the eyewear, {LOG_WORDS[log]}",
        "One row per day, from 00 to 24 o'clock. Colours say what each moment is good for; hatched"
        " is where there is no record.",
        lambda: plot_overview(logs.frames[log]),
    )


def _attrition(logs: Logs, log: str) -> Picture:
    recipe = RECIPE[log]
    return Picture(
        f"From all records to those used for {PURPOSE[recipe]}, {LOG_WORDS[log]}",
        f"How many records each condition of the recipe “{recipe}” takes out, in order.",
        lambda: plot_attrition(attrition(logs.frames[log], recipe=recipe)),
    )


def _quality(logs: Logs) -> Picture:
    log = logs.lead
    return Picture(
        f"When values are rejected, {LOG_WORDS[log]}",
        "One row per reason; the darker, the larger the share of values that carry it.",
        lambda: plot_quality(logs.reasons(log)),
    )


def _hours_table(logs: Logs) -> PageTable:
    totals = {log: logs.hours(log)[list(HOURS)].sum(min_count=1) for log in logs.frames}
    table = pd.DataFrame(totals)
    table.index.name = "time"
    shares = {log: table[log] / table.loc["recorded_h", log] for log in table}
    rows = [
        [
            label,
            *(
                f"{words.number(table.loc[name, log], 1)} h ({words.percent(shares[log][name])})"
                if np.isfinite(table.loc[name, log])
                else words.MISSING
                for log in table
            ),
        ]
        for name, label in HOURS.items()
    ]
    return PageTable.of(
        "Hours, with their share of the recorded time",
        ["Time", *(LOG_WORDS[log] for log in logs.frames)],
        rows,
        "hours",
        table,
    )


def _lost_table(logs: Logs) -> PageTable:
    """Return the share of all values that each reason takes."""
    shares = {}
    for log in logs.frames:
        table = explain(logs.reasons(log))
        shares[log] = table[[str(one.name) for one in Reason]].sum() / table["n"].sum()
    table = pd.DataFrame(shares)
    table.index.name = "reason"
    rows = [
        [
            column(name, table="explain").label,
            *(words.percent(table.loc[name, log]) for log in table),
        ]
        for name in table.index
        if (table.loc[name] > 0).any()
    ]
    return PageTable.of(
        "What was lost, and why: the share of all values that carry each reason. A value can carry"
        " several; values at the largest count are kept",
        ["Reason", *(LOG_WORDS[log] for log in logs.frames)],
        rows,
        "reasons",
        table,
    )


def _attrition_table(logs: Logs, log: str) -> PageTable:
    recipe = RECIPE[log]
    table = attrition(logs.frames[log], recipe=recipe).set_index("condition")
    return page_table(
        table,
        f"Records left for {PURPOSE[recipe]}, {LOG_WORDS[log]}",
        f"attrition-{recipe}",
        names=["removed", "unknown", "left", "left_share"],
        step="attrition",
        log=log,
    )


def _gaps_table(logs: Logs) -> PageTable:
    found = pd.concat(
        {log: gaps(logs.frames[log]) for log in logs.frames}, names=["log"]
    ).reset_index("log")
    longest = found.sort_values("duration", ascending=False, kind="stable").head(10)
    longest = longest.assign(duration_h=longest["duration"].dt.total_seconds() / 3600)
    rows = [
        [
            LOG_WORDS[one.log],
            words.moment(one.start),
            words.moment(one.end),
            f"{words.number(one.duration_h, 1)} h",
            one.kind,
        ]
        for one in longest.itertuples()
    ]
    return PageTable.of(
        f"The longest of {words.count(len(found), 'gap')} between records",
        ["Log", "From", "To", "Duration", "Kind"],
        rows,
        "gaps",
        found.set_index("log"),
    )
