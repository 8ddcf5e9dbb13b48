"""Blinks, one by one: what only the 20 Hz log shows."""

from typing import Final

import pandas as pd

from eyelog.figures.daily import plot_daily
from eyelog.figures.distribution import plot_distribution
from eyelog.frame import log_of
from eyelog.judge.limits import limit
from eyelog.measure import blinks
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import page_table
from eyelog.reports.section_parts import Empty, Part, Picture

COLUMNS: Final = (
    *("blink_n", "blink_rate_per_min", "blink_interval_sd_s", "blink_interval_max_s"),
    *("blink_strength_uv", "blink_duration_ms", "long_blink_share"),
)


def section(logs: Logs) -> Part:
    """Return which blinks count, and the time between them."""
    if logs.single is None:
        raise Empty("single blinks are in the 20 Hz log alone, which is not in this report")
    events = blinks.events(logs.single, limits=logs.limits)
    if events.empty:
        raise Empty("the 20 Hz log reports no blink")
    counted = events[events["counted"]]
    if counted.empty:
        raise Empty(f"none of the {len(events):,} blinks reported counts: {_reasons(events)}")
    findings = [_counts(events), _intervals(counted), _long(logs, logs.single)]
    between = _named(counted, "interval_s", "Time between blinks")
    return Part(
        findings=findings,
        pictures=[
            Picture(
                "Time between two blinks, 20 Hz log",
                "How often each time occurs between two blinks that count, where nothing lay"
                " between them that could hide a blink.",
                lambda: plot_distribution(between),
            ),
            *(
                [
                    Picture(
                        "Longest time without a blink on each day, 20 Hz log",
                        "A day without a value leaves a blank.",
                        lambda: plot_daily(logs.single_days, "blink_interval_max_s"),
                    )
                ]
                if len(logs.single_days) > 1
                else []
            ),
        ],
        tables=[
            lambda: page_table(
                logs.single_days, "Blinks on each day, 20 Hz log", "blinks-by-day", names=COLUMNS
            ),
        ],
    )


def _named(table: pd.DataFrame, name: str, label: str) -> pd.Series:
    series = table[name].dropna()
    return series.rename(f"{label} (s)")


def _reasons(table: pd.DataFrame) -> str:
    number = table.loc[~table["counted"], "reason"].value_counts()
    return words.joined([f"{reason} ({count:,})" for reason, count in number.items()])


def _counts(table: pd.DataFrame) -> str:
    counted = int(table["counted"].sum())
    sentence = f"Of {words.count(len(table), 'blink')} reported {counted:,} count."
    return (
        sentence if counted == len(table) else f"{sentence} The others do not: {_reasons(table)}."
    )


def _intervals(counted: pd.DataFrame) -> str:
    between = counted["interval_s"].dropna()
    if len(between) < 2:
        return "The time between two blinks is not known: something lay between them."
    low, middle, high = (float(between.quantile(share)) for share in (0.25, 0.5, 0.75))
    longest = between.index[int(between.to_numpy().argmax())]
    return (
        f"The time between two blinks is known {len(between):,} times: {words.number(middle, 1)} s"
        f" in the median, for the middle half {words.number(low, 1)} to {words.number(high, 1)} s."
        f" The longest time without a blink was {words.number(float(between.max()), 1)} s, until"
        f" {words.moment(longest)}."
    )


def _long(logs: Logs, single: pd.DataFrame) -> str:
    days = logs.single_days
    grouped = blinks.bursts(single, limits=logs.limits).iloc[0]
    sentence = (
        f"{int(grouped['bursts']):,} times several blinks followed one another within a second"
        f" ({words.percent(float(grouped['burst_share']))} as many as blinks)."
    )
    measured = days["long_blink_share"].dropna()
    if measured.empty:
        return sentence
    long = limit(log_of(single), "long_blink").value
    return (
        f"{sentence} On a usual day {words.percent(float(measured.median()))} of the blinks lasted"
        f" more than {long:g} ms."
    )
