"""Blinks, eye movements and scores."""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.rhythm.profile import profile
from eyelog.catalogue import COMPUTED_DATA, role
from eyelog.figures.daily import plot_daily
from eyelog.figures.profile import plot_profile
from eyelog.measure.blinks import rate
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable, page_table
from eyelog.reports.section_parts import Empty, Part, Picture
from eyelog.reports.usual import days_behind, usual_table, usual_words

COLUMNS: Final = (
    *("blink_rate_per_min", "blink_exposure_min", "blink_strength_uv", "blink_duration_ms"),
    *("eye_moves_per_h", "eye_moves_horizontal_per_h", "eye_moves_vertical_per_h"),
)
RATE: Final = "blink_rate_per_min"
ALPHA: Final = 0.05  # for all hours of the day together


def section(logs: Logs) -> Part:
    """Return the blink rate with its interval, day by day and by hour, and the scores."""
    rates = {one: _rate_of(logs, one) for one in logs.frames if RATE in logs.days(one)}
    if not rates:
        raise Empty("no log has the fields of the blink rate")
    measured = [one for one in rates if logs.days(one)[RATE].notna().any()]
    if not measured:
        raise Empty(" ".join(rates.values()))
    log, findings = measured[0], list(rates.values())
    frame, called = logs.of_blinks(log)
    hours = rate(frame, by="hour", limits=logs.limits)
    if (of_hours := _hours_of(logs, log)) is not None:
        findings.append(of_hours)
    return Part(
        findings=findings,
        pictures=[
            Picture(
                f"Blink rate on each day, {called}",
                "Points with exact 95 % intervals, which allow for the number of blinks, not for"
                " changes within the day.",
                lambda: plot_daily(logs.days(log), RATE),
            ),
            Picture(
                f"Blink rate through the day, {called}",
                "For each hour, the median of the days and the range of the middle half of them.",
                lambda: plot_profile(profile(_hourly_rate(logs, log), "rate_per_min", by="hour")),
            ),
        ],
        tables=[
            partial(
                usual_table, logs, COLUMNS, "Eyes on a usual day, with 95 % intervals", "usual-eyes"
            ),
            *([partial(_scores_table, logs)] if COMPUTED_DATA in logs.frames else []),
        ],
        files=[
            lambda: page_table(
                hours.loc[hours["n"] > 0],
                f"Blink rate by hour of day, {called}",
                "blink-rate-by-hour",
            )
        ],
    )


def _rate_of(logs: Logs, log: str) -> str:
    frame, called = logs.of_blinks(log)
    whole = rate(frame, of="wearer", limits=logs.limits).iloc[0]
    if np.isnan(whole["rate_per_min"]):
        return f"The {called} gives no blink rate: {whole['reason']}."
    sentence = (
        f"Over all {words.whole(whole['exposure_min'])} usable minutes of the {called} the"
        f" wearer blinked {words.number(whole['rate_per_min'], 1)} times per minute"
    )
    sentence += (
        f" ({words.interval(whole['low'], whole['high'], 1)}, of"
        f" {'this wearer' if whole['of'] == 'wearer' else 'these minutes'})"
    )
    if logs.usual(log, RATE).n:
        return (
            f"{sentence}; on a usual day the rate was {usual_words(logs, log, RATE)}."
            f" {days_behind(logs, log)}"
        )
    return f"{sentence}."


def _hours_of(logs: Logs, log: str) -> str | None:
    """Return which hours of the day differ from the others, with days as the units."""
    hours = profile(_hourly_rate(logs, log), "rate_per_min", by="hour")
    if hours.empty or hours["p"].isna().all():
        return None
    days = f"{words.count(int(hours['days'].max()), 'day')} as the units"
    apart = hours[hours["p"] < ALPHA]
    if apart.empty:
        return (
            f"No hour of the day stands out of {len(hours)}: the blink rates of the hours differ no"
            f" more than by chance ({days})."
        )
    middle = float(hours["mean"].mean())
    sides = []
    for side, rows in (
        ("lower", apart[apart["mean"] < middle]),
        ("higher", apart[apart["mean"] >= middle]),
    ):
        if len(rows):
            each = [
                f"from {hour:02d}:00 to {hour + 1:02d}:00 ({words.number(mean, 1)} per min)"
                for hour, mean in zip(rows.index.tolist(), rows["mean"], strict=True)
            ]
            sides.append(f"{side} {words.joined(each)}")
    return (
        f"By hour of day the rate was {words.joined(sides)}: what stands out of {len(hours)} hours"
        f" looked at ({days})."
    )


def _hourly_rate(logs: Logs, log: str) -> pd.DataFrame:
    """Return the blink rate of each hour of each day."""
    return rate(logs.of_blinks(log)[0], by="1h", limits=logs.limits)


def _scores_table(logs: Logs) -> PageTable:
    names = [f"{name}_mean" for name in role(COMPUTED_DATA, "score")]
    return usual_table(
        logs,
        names,
        "Scores on a usual day, with 95 % intervals. Scores are relative to the wearer's last"
        " hours: compare them within one person only",
        "usual-scores",
    )
