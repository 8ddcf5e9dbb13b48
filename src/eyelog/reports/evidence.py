"""The sections that say what stands out, how far the logs agree, and how far to trust them."""

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, LOGS, STANDARD_MODE_LOGS
from eyelog.figures.labels import LOG_WORDS
from eyelog.frame import OFFSET
from eyelog.judge.reasons import Reason
from eyelog.reports import answer, words
from eyelog.reports.logs import PURPOSE, RECIPE, Logs
from eyelog.reports.parts import Empty, PageTable, Part, page_table, picture, said_table
from eyelog.reports.words import said
from eyelog.series.agreement import PAIRS, AgreementLimits

DRAWN: Final = ("blink_rate_per_min", "steps")  # unless something else stands out
MOST_GAPS: Final = 5
GAPS: Final = {
    "implicit": "no record",
    "explicit": "records without a value",
    "irregular": "records too close or overlapping",
}


def baseline(logs: Logs) -> Part:
    """Return how each quantity changed, and what stands out beyond page one."""
    found = logs.findings
    names = list(found.days)
    if not logs.is_compared and not any(np.isfinite(line.p) for line in found.trends.values()):
        raise Empty("no day can be compared with enough days before it")
    said, left = answer.sentences(logs)
    clear = [one.about for one in [*said, *left] if np.isfinite(one.p)]
    drawn = [*clear, *(name for name in DRAWN if name in names), *names][0]
    changes = list(found.levels[drawn].index) if drawn in found.levels else []
    draw = partial(el.plot_baseline, found.days[drawn], changes=changes)
    return Part(
        [words.sentence("wearer.baseline", logs=logs), *(f"{one.lead} {one.rest}" for one in left)],
        [picture("wearer.against_usual", draw, name=drawn, log=logs.lead)],
        [partial(_changes_table, logs)],
    )


def _changes_table(logs: Logs) -> PageTable:
    """Return each quantity's change, from the days before or per week, and its single days."""
    found, rows = logs.findings, []
    for name, apart in found.days.items():
        line, levels = found.trends[name], found.levels[name]
        per_week = {"per_week": 7 * line.slope, "per_week_low": 7 * line.low}
        per_week |= {"per_week_high": 7 * line.high, "per_week_p": line.p, "tau": line.tau}
        of: Any = found.periods.get(name, line)
        if found.periods:
            change, low, high = of.difference, of.low, of.high
            behind = {"days": of.days_after, "days_before": of.days_before}
        else:
            change, low, high = (per_week[key] for key in list(per_week)[:3])
            behind = {"days": of.n}
        rows.append(
            {"quantity": name, "change": change, "low": low, "high": high, "p": of.p}
            | {"phi": of.phi, "n_effective": of.n_effective}
            | behind
            | per_week
            | {"least_change": found.least.get(name, np.nan)}
            | {"days_outside": int(apart["outside"].sum())}
            | {"changes": " ".join(str(day.date()) for day in levels.index)}
        )
    whole = pd.DataFrame(rows).set_index("quantity")
    return said_table("wearer.changes_table", whole, logs=logs)


def agreement(logs: Logs) -> Part:
    """Return bias and limits of agreement over the minutes that both logs cover."""
    missing = [LOG_WORDS[log] for log in LOGS if log not in logs.frames]
    if missing:
        raise Empty(f"it takes both logs, and the {missing[0]} was not given")
    fifteen, sixty = logs.masked(COMPUTED_DATA), logs.masked(STANDARD_MODE_LOGS)
    table = el.compare.agreement(fifteen, sixty)
    compared = table[table["reason"] == ""]
    if compared.empty:
        raise Empty("the logs share no minutes with values in both")
    shown = next((name for name in ("blinks_weak", "steps") if name in compared.index), None)
    shown = shown or str(compared.index[0])
    row: Any = compared.loc[shown]
    labels = {quantity: pair.label for quantity, pair in PAIRS.items()}
    differs = (compared["bias_low"] > 0) | (compared["bias_high"] < 0)

    def draw() -> Any:
        found = AgreementLimits(**{name: row[name] for name in AgreementLimits._fields})
        return el.plot_agreement(el.compare.minute_pairs(fifteen, sixty, quantity=shown), found)

    what = labels[shown].lower()
    return Part(
        said(
            "wearer.agreement",
            row=row,
            what=what,
            differs=differs[shown],
            apart=int(differs.sum()),
            compared=len(compared),
            of_days=(compared["units"] == "days").all(),
        ),
        [picture("wearer.agreement_drawn", draw, what=what)],
        [partial(said_table, "wearer.agreement_table", table, labels=labels)],
    )


def trust(logs: Logs) -> Part:
    """Return what was measured, by log, and what was lost and why."""
    log, limits = logs.lead, logs.limits
    frame, recipe = logs.frames[log], RECIPE[log]

    def draw_rejected() -> Any:
        if OFFSET in frame:
            return el.plot_quality(frame, limits=limits)
        return el.plot_quality(logs.reasons_of_fields(log))

    state = partial(el.plot_overview, frame, limits=limits, day_starts=logs.day_starts)
    return Part(
        said("wearer.trust", logs=logs),
        [
            picture("wearer.state", state, log=log, border=logs.border),
            picture(
                "wearer.attrition",
                lambda: el.plot_attrition(logs.attrition(log, recipe)),
                log=log,
                purpose=PURPOSE[recipe],
            ),
            picture("wearer.rejected", draw_rejected, log=log),
        ],
        [partial(_lost_table, logs), partial(_gaps_table, logs)],
        {
            f"attrition-{RECIPE[one]}": partial(logs.attrition, one, RECIPE[one])
            for one in logs.frames
        },
    )


def _lost_table(logs: Logs) -> PageTable:
    """Return the share of the values for summaries that have each reason against them."""
    names = [str(reason.name) for reason in Reason]
    tables = {log: el.explain(logs.reasons_of_fields(log)) for log in logs.frames}
    shares = pd.DataFrame({log: of[names].sum() / of["n"].sum() for log, of in tables.items()})
    if not shares.any(axis=None):
        raise Empty("no value has a reason against it")
    return said_table("wearer.lost_table", shares.rename_axis("reason"))


def _gaps_table(logs: Logs) -> PageTable:
    rows = pd.concat([el.gaps(logs.frames[log]).assign(log=LOG_WORDS[log]) for log in logs.frames])
    rows["kind"] = rows["kind"].map(GAPS)
    if rows.empty:
        raise Empty("no record is missing")
    longest = rows.sort_values("duration", ascending=False, kind="stable").head(MOST_GAPS)
    return page_table(
        longest.set_index("start"),
        words.sentence("wearer.gaps_caption", n=len(rows)),
        "gaps",
        names=["duration", "log"],
        whole=rows.set_index("log"),
    )
