"""The wearer against the wearer's own earlier days."""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import numbers
from eyelog.figures.baseline import plot_baseline
from eyelog.figures.labels import LOG_WORDS
from eyelog.measure.columns import Column, column
from eyelog.measure.sheet import number_text
from eyelog.reports import words
from eyelog.reports.findings import LEAST_DAYS, Findings
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable
from eyelog.reports.section_parts import Empty, Part, Picture
from eyelog.reports.usual import require_days

DRAWN: Final = ("blink_rate_per_min", "steps")  # unless something else stands out


def section(logs: Logs) -> Part:
    """Return trends, days outside the wearer's own band, and changes of level."""
    log = logs.lead
    require_days(logs, log, LEAST_DAYS)
    findings_of_days = logs.findings
    names = list(findings_of_days.trends)
    if not names:
        raise Empty(f"no quantity has {LEAST_DAYS} days with a value")
    return Part(
        findings=[
            _trends(findings_of_days, names, log, len(logs.counted(log))),
            _days_apart(findings_of_days, names),
        ],
        pictures=[
            Picture(
                f"{column(name).label} against the own usual range, {LOG_WORDS[log]}",
                "The band is the usual range: 99 of 100 normal days lie in it.",
                partial(_draw, findings_of_days, name),
            )
            for name in _drawn(findings_of_days, names)
        ],
        tables=[partial(_table, findings_of_days, names, log)],
    )


def _drawn(findings: Findings, names: list[str]) -> list[str]:
    """Return the quantity to draw: the one with the clearest result, or else one of the usual."""
    clear = {
        name: min(
            findings.trends[name].p if name in findings.moved else 1.0,
            float(findings.levels[name]["p"].min()) if len(findings.levels[name]) else 1.0,
            float(findings.days[name].loc[findings.days[name]["stands"], "p"].min()),
        )
        for name in names
        if _stands_out(findings, name)
    }
    if clear:
        return [min(clear, key=lambda name: clear[name])]
    return [str(name) for name in DRAWN if name in names][:1]


def _stands_out(findings: Findings, name: str) -> bool:
    """Return whether a quantity has a trend, a new level or a day that stands out."""
    days = bool(findings.days[name]["stands"].any())
    return name in findings.moved or len(findings.levels[name]) > 0 or days


def _draw(findings: Findings, name: str) -> object:
    return plot_baseline(findings.days[name], changes=list(findings.levels[name].index))


def _trends(findings: Findings, names: list[str], log: str, days: int) -> str:
    moved = []
    for name in [name for name in names if name in findings.moved]:
        line, about = findings.trends[name], column(name)
        digits = _digits_of_change(about)
        low, high = sorted((abs(line.low) * 7, abs(line.high) * 7))
        moved.append(
            f"{about.label.lower()} {'rose' if line.slope > 0 else 'fell'} by"
            f" {words.number(abs(line.slope) * 7, digits)} {about.unit} each week"
            f" ({words.interval(low, high, digits)})"
        )
    what = f"Over {words.count(days, 'day')} of wear ({LOG_WORDS[log]})"
    of = f"of {words.count(findings.looks, 'quantity', 'quantities')} looked at"
    if not any(np.isfinite(line.p) for line in findings.trends.values()):
        return f"{what} no trend can be told: {next(iter(findings.trends.values())).reason}."
    if not moved:
        return f"{what} no trend stands out {of}{_could_be_seen(findings, names)}."
    return f"{what} {words.joined(moved)}: what stands out {of}."


def _could_be_seen(findings: Findings, names: list[str]) -> str:
    """Return which changes would have been named in 80 of 100 cases."""
    least = [
        f"{words.number(findings.least[name], _digits_of_change(column(name)))} {column(name).unit}"
        f" in {column(name).label.lower()}"
        for name in names
        if name in DRAWN and name in findings.least
    ]
    if not least or findings.periods:
        return ""
    return (
        f"; a rise or fall of {words.joined(least)} would have been named in 80 of 100 such pages"
    )


def _digits_of_change(about: Column) -> int | None:
    """Return one decimal more than a value has; what is counted in whole numbers stays whole."""
    return about.digits and about.digits + 1


def _days_apart(findings: Findings, names: list[str]) -> str:
    sentences = []
    judged = sum(int(findings.days[name]["outside"].notna().sum()) for name in names)
    for name in names:
        apart = findings.days[name]
        far = int(apart["stands"].sum())
        if far:
            n_judged = int(apart["outside"].notna().sum())
            sentences.append(f"{column(name).label.lower()} on {far} of {n_judged}")
    if not judged:
        return "No day can be compared with enough days before it that were worn for 8 hours."
    if not sentences:
        outside = sum(_outside(findings, name) for name in names)
        return (
            f"No day stands out of {judged} looked at: {outside} of them"
            f" {'lies' if outside == 1 else 'lie'} outside the usual range, as about 1 in 100 does"
            " by chance."
        )
    return (
        f"Days that stand out from the 56 days before them: {words.joined(sentences)};"
        f" {judged} days of {words.count(findings.looks, 'quantity', 'quantities')} were looked at."
    )


def _outside(findings: Findings, name: str) -> int:
    """Return how many days are outside the usual range."""
    return int(findings.days[name]["outside"].sum())


def _table(findings: Findings, names: list[str], log: str) -> PageTable:
    rows, kept = [], []
    for name in names:
        line, about, levels = findings.trends[name], column(name), findings.levels[name]
        apart = findings.days[name]
        outside = _outside(findings, name)
        farthest = (
            words.day(pd.Timestamp(apart.index[int(np.nanargmin(numbers(apart["p"])))]), year=True)
            if outside
            else "none"
        )
        digits = _digits_of_change(about)
        slope, low, high = (rate * 7 for rate in (line.slope, line.low, line.high))
        kept.append(
            {
                "quantity": name,
                "slope_per_week": slope,
                "low": low,
                "high": high,
                "tau": line.tau,
                "p": line.p,
                "phi": line.phi,
                "n_effective": line.n_effective,
                "days": line.n,
                "least_change": findings.least.get(name, np.nan),
                "days_outside": outside,
                "changes": " ".join(str(day.date()) for day in levels.index),
            }
        )
        rows.append(
            [
                about.text,
                words.number(slope, digits),
                words.range_of(low, high, digits),
                number_text(line.p, 3, below=True),
                words.whole(line.n),
                ", ".join(words.day(day, year=True) for day in levels.index) or "none",
                words.whole(outside),
                farthest,
            ]
        )
    return PageTable.of(
        f"Change per week and new levels, {LOG_WORDS[log]}",
        [
            *("Quantity", "Change per week", "95 % interval", "p", "Days", "New level from"),
            *("Days outside", "Farthest day"),
        ],
        rows,
        "baseline",
        pd.DataFrame(kept).set_index("quantity"),
    )
