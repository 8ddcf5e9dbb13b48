"""The sections that say what stands out, how far the logs agree, and how far to trust them."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.catalogue import COMPUTED_DATA, LOGS, STANDARD_MODE_LOGS
from eyelog.figures.days import plot_baseline
from eyelog.figures.labels import LOG_WORDS
from eyelog.figures.overview import plot_overview
from eyelog.figures.quality import plot_attrition, plot_quality
from eyelog.figures.values import plot_agreement
from eyelog.frame import OFFSET
from eyelog.judge.flag import explain
from eyelog.judge.reasons import Reason
from eyelog.measure.columns import column
from eyelog.measure.coverage import gaps
from eyelog.measure.sheet import number_text
from eyelog.reports import answer, words
from eyelog.reports.logs import PURPOSE, RECIPE, Logs
from eyelog.reports.parts import Empty, PageTable, Part, page_table, picture, text_table
from eyelog.reports.words import said
from eyelog.series.agreement import PAIRS, AgreementLimits, minute_pairs
from eyelog.series.agreement import agreement as of_logs

DRAWN: Final = ("blink_rate_per_min", "steps")  # unless something else stands out


def baseline(logs: Logs) -> Part:
    """Return all that stands out against the wearer's own days, and what was looked at."""
    log, found = logs.lead, logs.findings
    names = list(found.days)
    if not logs.is_compared and not any(np.isfinite(line.p) for line in found.trends.values()):
        raise Empty("no day can be compared with enough days before it")
    results = answer.results(logs)
    clear = [one.about for one in results]
    drawn = [*clear, *(name for name in DRAWN if name in names), *names][0]
    changes = list(found.levels[drawn].index) if drawn in found.levels else []
    return Part(
        [
            *said("looked", logs=logs, standing=len(results)),
            *(f"{one.lead} {one.rest}" for one in results or [answer.nothing(logs)]),
        ],
        [
            picture(
                "against_usual",
                lambda: plot_baseline(found.days[drawn], changes=changes),
                name=drawn,
                log=LOG_WORDS[log],
            )
        ],
        [partial(_changes_table, logs)],
    )


def _changes_table(logs: Logs) -> PageTable:
    """Return each quantity's change, from the days before or per week, and its single days."""
    found, rows, kept = logs.findings, [], []
    for name, apart in found.days.items():
        about, levels, line = column(name), found.levels[name], found.trends[name]
        estimates = [7 * line.slope, 7 * line.low, 7 * line.high]
        behind, beside = {"days": line.n}, {"tau": line.tau}
        of: Any = line
        if found.periods:
            beside |= dict(
                zip(("per_week", "per_week_low", "per_week_high"), estimates, strict=True)
            )
            beside["per_week_p"] = line.p
            of = period = found.periods[name]
            estimates = [period.difference, period.low, period.high]
            behind = {"days": period.days_after, "days_before": period.days_before}
        digits = about.digits and about.digits + 1  # what is counted in whole numbers stays whole
        outside = int(apart["outside"].sum())
        farthest = [words.day(day, year=True) for day in apart["p"].nsmallest(1).index if outside]
        starts = [words.day(day, year=True) for day in levels.index]
        kept.append(
            {"quantity": name}
            | dict(zip(("change", "low", "high"), estimates, strict=True))
            | {"p": of.p, "phi": of.phi, "n_effective": of.n_effective}
            | behind
            | beside
            | {"least_change": found.least.get(name, np.nan), "days_outside": outside}
            | {"changes": " ".join(str(day.date()) for day in levels.index)}
        )
        rows.append(
            [
                about.text,
                words.number(estimates[0], digits),
                words.range_of(estimates[1], estimates[2], digits),
                number_text(of.p, 3, below=True),
                ", ".join(map(words.whole, behind.values())),
                ", ".join(starts) or "none",
                words.whole(outside),
                *(farthest or ["none"]),
            ]
        )
    change = "Change from the days before" if found.periods else "Change per week"
    return text_table(
        f"{change}, and new levels, {LOG_WORDS[logs.lead]}",
        [
            *("Quantity", change, "95 % interval, of this wearer", "p"),
            "Days, days before" if found.periods else "Days",
            *("New level from", "Days outside", "Farthest day"),
        ],
        rows,
        "baseline",
        pd.DataFrame(kept).set_index("quantity"),
    )


def agreement(logs: Logs) -> Part:
    """Return bias and limits of agreement over the minutes that both logs cover."""
    missing = [LOG_WORDS[log] for log in LOGS if log not in logs.frames]
    if missing:
        raise Empty(f"it takes both logs, and the {missing[0]} was not given")
    fifteen, sixty = logs.masked(COMPUTED_DATA), logs.masked(STANDARD_MODE_LOGS)
    table = of_logs(fifteen, sixty)
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
        return plot_agreement(minute_pairs(fifteen, sixty, quantity=shown), found)

    return Part(
        said(
            "agreement",
            row=row,
            what=labels[shown].lower(),
            per=_per(row["unit"]),
            digits=_digits(row["unit"]),
            differs=differs[shown],
            apart=int(differs.sum()),
            compared=len(compared),
            of_days=(compared["units"] == "days").all(),
        ),
        [picture("agreement_drawn", draw, what=labels[shown].lower())],
        [partial(_agreement_table, table, labels)],
    )


def _per(unit: str) -> str:
    """Return a unit as it is written in a sentence."""
    return {"count/min": "per min", "s/min": "s per min"}.get(unit, unit)


def _digits(unit: str) -> int:
    """Return enough decimals to show a difference: landing impacts, in G, differ by hundredths."""
    return 3 if unit == "G" else 2


def _agreement_table(table: pd.DataFrame, labels: Mapping[str, str]) -> PageTable:
    rows = []
    for name, row in table.iterrows():
        digits = _digits(row["unit"])
        means = [row["mean_fifteen"], row["mean_sixty"], row["bias"]]
        rows.append(
            [
                labels[str(name)],
                _per(row["unit"]),
                *(words.number(value, digits) for value in means),
                words.range_of(row["bias_low"], row["bias_high"], digits),
                words.range_of(row["low"], row["high"], digits),
                words.whole(row["n"]),
            ]
        )
    headers = ["Quantity", "Unit", "15 s mean", "60 s mean", "Bias", "Bias, 95 % interval"]
    return text_table(
        "15-second log against 60-second log, over the minutes that both cover",
        [*headers, "Limits of agreement", "Minutes"],
        rows,
        "agreement",
        table,
    )


MOST_GAPS: Final = 5
GAPS: Final = {
    "implicit": "no record",
    "explicit": "records without a value",
    "irregular": "records too close or overlapping",
}
HOURS: Final = {
    "recorded_h": "Recorded",
    "worn_h": "Worn",
    "valid_h": "Usable",
    "walking_h": "Walking",
    "unworn_h": "Recorded, not worn",
}


def trust(logs: Logs) -> Part:
    """Return what was measured, by log, and what was lost and why."""
    lead, limits = logs.lead, logs.limits

    def draw_state(log: str) -> Any:
        return plot_overview(logs.frames[log], limits=limits, day_starts=logs.day_starts)

    def draw_quality() -> Any:
        if OFFSET in logs.frames[lead].columns:
            return plot_quality(logs.frames[lead], limits=limits)
        return plot_quality(logs.reasons_of_fields(lead))

    called, recipe = LOG_WORDS[lead], RECIPE[lead]
    return Part(
        said("trust", logs=logs),
        [
            *(
                picture("state", partial(draw_state, log), log=LOG_WORDS[log], border=logs.border)
                for log in logs.frames
            ),
            picture(
                "attrition",
                lambda: plot_attrition(logs.attrition(lead, recipe)),
                log=called,
                purpose=PURPOSE[recipe],
            ),
            picture("rejected", draw_quality, log=called),
        ],
        [
            partial(_hours_table, logs),
            partial(_lost_table, logs),
            partial(_gaps_table, logs),
        ],
        files=[partial(_attrition_table, logs, log) for log in logs.frames],
    )


def _hours_table(logs: Logs) -> PageTable:
    totals = {log: logs.hours(log)[list(HOURS)].sum(min_count=1) for log in logs.frames}
    rows = [
        [
            label,
            *(
                words.sentence("hours_cell", hours=of_log[name], recorded=of_log["recorded_h"])
                for of_log in totals.values()
            ),
        ]
        for name, label in HOURS.items()
    ]
    return text_table(
        "Hours, with their share of the recorded time",
        ["Time", *(LOG_WORDS[log] for log in totals)],
        rows,
        "hours",
        pd.DataFrame(totals).rename_axis("time"),
    )


def _lost_table(logs: Logs) -> PageTable:
    """Return the share of the values for summaries that have each reason against them."""
    names = [str(reason.name) for reason in Reason]
    tables = {log: explain(logs.reasons_of_fields(log)) for log in logs.frames}
    shares = pd.DataFrame({log: of[names].sum() / of["n"].sum() for log, of in tables.items()})
    lost = shares[(shares > 0).any(axis=1)]
    if lost.empty:
        raise Empty("no value has a reason against it")
    rows = [
        [column(name, table="explain").label, *map(words.percent, lost.loc[name])]
        for name in map(str, lost.index)
    ]
    headers = ["Reason", *(LOG_WORDS[log] for log in logs.frames)]
    caption = words.sentence("lost_caption")
    return text_table(caption, headers, rows, "reasons", shares.rename_axis("reason"))


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


def _attrition_table(logs: Logs, log: str) -> PageTable:
    recipe = RECIPE[log]
    caption = f"Records left for {PURPOSE[recipe]}, {LOG_WORDS[log]}"
    return page_table(logs.attrition(log, recipe), caption, f"attrition-{recipe}")
