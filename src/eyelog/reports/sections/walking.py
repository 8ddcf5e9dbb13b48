"""Steps, pace, bouts of walking, busiest minutes."""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.series.inference import median
from eyelog.catalogue import STANDARD_MODE_LOGS
from eyelog.clock import local_days
from eyelog.figures.bouts import plot_bouts
from eyelog.figures.daily import plot_daily
from eyelog.figures.labels import LOG_WORDS
from eyelog.measure.gait import bouts, pace, peak_cadence, speed_classes
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable, page_table
from eyelog.reports.section_parts import Empty, Part, Picture
from eyelog.reports.usual import days_behind, require_days, usual_table, usual_words

SHOWN: Final = ("duration_min", "steps", "pace_spm", "landing_g", "landing_symmetry", "coverage")
MOST_LONGEST: Final = 5
COLUMNS: Final = ("steps", "pace_spm", "pace_exposure_min", "walking_h")


def section(logs: Logs) -> Part:
    """Return steps and pace of the usual day, and the bouts of walking."""
    log = next((one for one in logs.frames if "steps" in logs.days(one)), None)
    if log is None:
        raise Empty("no log has the step counts")
    require_days(logs, log)
    whole = pace(logs.to_summarise(log), limits=logs.limits).iloc[0]
    walks = bouts(logs.to_summarise(log), limits=logs.limits)
    findings = [
        f"On a usual day the wearer took {usual_words(logs, log, 'steps', what='steps')} with the"
        f" eyewear on. {days_behind(logs, log)} Steps without the eyewear are not recorded, so the"
        " true number is at least this.",
        _pace_of(whole, logs, log),
        _bouts_of(walks, logs, log),
        _classes_of(logs),
    ]
    return Part(
        findings=[sentence for sentence in findings if sentence],
        pictures=[
            Picture(
                f"Steps on each day, {LOG_WORDS[log]}",
                "Steps taken with the eyewear on; the strip below shows how much of each day was"
                " recorded.",
                lambda: plot_daily(logs.days(log), "steps"),
            ),
            Picture(
                f"Walking bouts, {LOG_WORDS[log]}",
                "How long the bouts of at least a minute last, and their pace.",
                lambda: plot_bouts(walks),
            ),
        ],
        tables=[
            partial(
                usual_table,
                logs,
                COLUMNS,
                "Walking on a usual day, with 95 % intervals",
                "usual-walking",
            ),
            partial(_peaks, logs, log),
            partial(_longest, walks, log),
        ],
        files=[partial(_classes, logs)] if STANDARD_MODE_LOGS in logs.frames else [],
    )


def _pace_of(whole: pd.Series, logs: Logs, log: str) -> str:
    if np.isnan(whole["pace_spm"]):
        return "There is not enough steady walking for a pace."
    sentence = (
        f"The pace was {words.number(whole['pace_spm'], 0)} steps per minute over all"
        f" {words.number(whole['exposure_min'], 0)} minutes of steady walking"
    )
    if logs.usual(log, "pace_spm").n:
        what = "steps per minute"
        sentence += f"; on a usual day it was {usual_words(logs, log, 'pace_spm', what=what)}"
    return f"{sentence}."


def _bouts_of(walks: pd.DataFrame, logs: Logs, log: str) -> str:
    if walks.empty:
        return "No walk lasted a minute."
    counted = logs.counted(log).index
    opened = local_days(pd.DatetimeIndex(walks["start"]), clock=logs.clock(log), stamp="start")
    per_day = median(pd.Series(opened).value_counts().reindex(counted, fill_value=0))
    interval = words.interval(per_day.low, per_day.high, 0)
    return (
        f"There were {words.count(len(walks), 'walking bout')} of at least a minute,"
        f" {words.number(per_day.value, 0)} on a usual day"
        f"{f' ({interval})' if interval else ''}; half of them lasted"
        f" {words.number(walks['duration_min'].median(), 1)} minutes or less, the longest"
        f" {words.number(walks['duration_min'].max(), 0)} minutes."
    )


def _peaks(logs: Logs, log: str) -> PageTable:
    counted = logs.counted(log).index
    days = {}
    for minutes in (1, 30, 60):
        table = peak_cadence(
            logs.to_summarise(log),
            minutes=minutes,
            limits=logs.limits,
            day_starts=logs.day_starts,
        )
        days[minutes] = table["peak_spm"].reindex(counted)
    rows, usual_of = [], {}
    for minutes, values in days.items():
        usual = usual_of[minutes] = median(values)
        rows.append(
            [
                "Busiest minute" if minutes == 1 else f"Busiest {minutes} minutes",
                f"{words.number(usual.value, 0)} ({words.range_of(usual.low, usual.high, 0)})",
                words.whole(usual.n),
            ]
        )
    csv = pd.DataFrame(usual_of, index=["median", "low", "high", "phi", "n_effective", "days"]).T
    csv.index.name = "minutes"
    return PageTable.of(
        f"Peak cadence on a usual day (steps per clock minute), {LOG_WORDS[log]}",
        ["Minutes", "Steps per min (95 % interval)", "Days"],
        rows,
        "peak-cadence",
        csv,
    )


def _classes(logs: Logs) -> PageTable:
    table = speed_classes(logs.to_summarise(STANDARD_MODE_LOGS), limits=logs.limits)
    return page_table(
        table,
        f"Steps by speed class, {LOG_WORDS[STANDARD_MODE_LOGS]}",
        "step-classes",
    )


def _classes_of(logs: Logs) -> str:
    """Return the shares of the speed classes in a sentence; only the 60-second log has them."""
    if STANDARD_MODE_LOGS not in logs.frames:
        return ""
    classes = speed_classes(logs.to_summarise(STANDARD_MODE_LOGS), limits=logs.limits).iloc[0]
    shares = {
        one: float(classes[f"share_{one}"]) for one in ("fastest", "medium", "slow", "slowest")
    }
    if any(np.isnan(share) for share in shares.values()):
        return ""
    parts = [f"{words.percent(share)} {one}" for one, share in shares.items()]
    return (
        f"Steps by the speed classes of the {LOG_WORDS[STANDARD_MODE_LOGS]}: {words.joined(parts)}."
    )


def _longest(walks: pd.DataFrame, log: str) -> PageTable:
    if walks.empty:
        raise Empty("no walk lasted a minute")
    longest = walks.nlargest(MOST_LONGEST, "duration_min", keep="first")
    return page_table(
        longest.set_index("start"),
        f"The longest walking bouts, {LOG_WORDS[log]} (the file to download holds all)",
        "walking-bouts",
        names=SHOWN,
        whole=walks[["start", "end", *SHOWN]],
    )
