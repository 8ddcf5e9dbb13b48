"""Page one: what stood out, how much was worn, and the last week or month at a glance."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, cast

import numpy as np
import pandas as pd

from eyelog.analysis.columns import column, interval_columns
from eyelog.analysis.series.arrays import numbers
from eyelog.figures.labels import LOG_WORDS
from eyelog.figures.week import (
    EARLIER_DAYS,
    FULL_DAY_H,
    MONTH,
    WEEK,
    Span,
    last_days,
    plot_judged,
)
from eyelog.reports import words
from eyelog.reports.findings import LEAST_DAYS
from eyelog.reports.logs import Logs
from eyelog.reports.section_parts import Empty, Picture

__all__ = ["DEEDS", "Fact", "PageOne", "Sentence", "answer"]

MOST_SENTENCES: Final = 3
MOST_THIN: Final = 3
DAYS_OF_MONTH: Final = 35  # days from which on a month is shown: a week of it can be judged
# What the wearer did more or less of, and the unit of the value if it is not that of the column.
DEEDS: Final[Mapping[str, tuple[str, str, str | None]]] = {
    "worn_h": ("wore the eyewear for longer", "wore the eyewear for less time", "h"),
    "steps": ("took more steps", "took fewer steps", "steps"),
    "pace_spm": ("walked at a quicker pace", "walked at a slower pace", None),
    "blink_rate_per_min": ("blinked more often", "blinked less often", None),
    "eye_moves_per_h": ("moved the eyes more often", "moved the eyes less often", None),
    "head_moves_yaw_per_h": ("turned the head more often", "turned the head less often", None),
    "tilt_fore_aft_deg": ("had a larger tilt fore-aft", "had a smaller tilt fore-aft", None),
    "sc_fcs_mean": ("had higher focus scores", "had lower focus scores", ""),
}


class Fact(NamedTuple):
    """One fact about the range: what it is, its value, and a remark."""

    name: str
    value: str
    remark: str


class Sentence(NamedTuple):
    """A result that stands out: when, who, what, in which direction; then value and usual value."""

    lead: str
    rest: str
    p: float = np.nan


@dataclass(frozen=True)
class PageOne:
    """The content of page one.

    Attributes
    ----------
    facts : list of Fact
        How much was worn, which days count, what they are compared with.
    sentences : list of Sentence
        At most three, the strongest first.
    looked : str
        How many values were examined, and at which level.
    picture : Picture
        The last week at a glance, or, for a longer range, the last month.
    trust : str
        Which days are thin, and how much of the worn time is not usable.
    beside : Picture, optional
        A second picture, to the right of the first where there is space.
    """

    facts: list[Fact]
    sentences: list[Sentence]
    looked: str
    picture: Picture
    trust: str
    beside: Picture | None = None


def answer(logs: Logs) -> PageOne:
    """Return page one of a report.

    Parameters
    ----------
    logs : Logs
        The logs of the wearer; with two, the leading one is shown.
    """
    named = sorted(_sentences(logs), key=lambda sentence: sentence.p)
    return PageOne(
        facts=_facts(logs),
        sentences=named[:MOST_SENTENCES] or [_nothing(logs)],
        looked=_looked(logs, len(named)),
        picture=_picture(logs),
        trust=_trust(logs),
    )


def _sentences(logs: Logs) -> Iterator[Sentence]:
    """Yield a sentence for each result that passed its level."""
    findings, log = logs.findings, logs.lead
    who = logs.name or "the wearer"
    days = logs.counted(log)
    for name, line in findings.trends.items():
        digits = _digits(name, log)
        if name in findings.moved:
            low, high = sorted((abs(line.low) * 7, abs(line.high) * 7))
            yield Sentence(
                f"From week to week {who} {_deed(name, line.slope)}:",
                f"{_value(name, abs(line.slope) * 7, log, digits + 1)} each week"
                f" ({words.interval(low, high, digits + 1)}, of this wearer), over"
                f" {words.count(len(days), 'day')} of wear.",
                line.p,
            )
        for day, level in findings.levels[name].iterrows():
            low, high = sorted((abs(level["low"]), abs(level["high"])))
            yield Sentence(
                f"From {words.day(cast(pd.Timestamp, day))} on {who}"
                f" {_deed(name, level['difference'])} than before:",
                f"{_value(name, level['after'], log, digits)}, where it was"
                f" {words.number(level['before'], digits)} before (difference"
                f" {words.number(abs(level['difference']), digits)},"
                f" {words.interval(low, high, digits)}, of this wearer).",
                float(level["p"]),
            )
        judged = findings.days[name]
        for day, row in judged[judged["stands"]].iterrows():
            yield Sentence(
                f"On {words.day(cast(pd.Timestamp, day))} {who}"
                f" {_deed(name, row['value'] - row['baseline'])} than usual:",
                f"{_value(name, row['value'], log, digits)}{_of_minutes(days, name, day)}, where"
                f" {words.number(row['low'], digits)} to {words.number(row['high'], digits)} is"
                " usual.",
                float(row["p"]),
            )


def _deed(name: str, change: float) -> str:
    more, less, _ = DEEDS[name]
    return more if change > 0 else less


def _digits(name: str, log: str) -> int:
    return column(name, log=log).digits or 0


def _value(name: str, value: float, log: str, digits: int) -> str:
    unit = DEEDS[name][2]
    unit = column(name, log=log).unit if unit is None else unit
    return f"{words.number(value, digits)} {unit}".strip()


def _of_minutes(days: pd.DataFrame, name: str, day: object) -> str:
    """Return the interval of a day's rate in words, empty if the table has none."""
    low, high = interval_columns(name)
    if not {low, high} <= set(days.columns):
        return ""
    (place,) = np.flatnonzero(days.index == day)
    interval = words.interval(numbers(days[low])[place], numbers(days[high])[place], 1)
    return f" ({interval}, of these minutes)" if interval else ""


def _judged(logs: Logs) -> tuple[int, int]:
    """Return how many daily values could be compared, and how many are outside their range."""
    tables = logs.findings.days.values()
    judged = sum(int(table["outside"].notna().sum()) for table in tables)
    return judged, sum(int(table["outside"].sum()) for table in tables)


def _nothing(logs: Logs) -> Sentence:
    """Return what is said if nothing stands out."""
    judged, _ = _judged(logs)
    if judged:
        return Sentence("Nothing stood out in these days.", "")
    have = int((numbers(logs.days(logs.lead).get("worn_h", pd.Series([]))) >= FULL_DAY_H).sum())
    return Sentence(
        "There is nothing to compare these days with yet:",
        f"{words.count(have, 'day')} worn for {FULL_DAY_H:g} h or more, where {LEAST_DAYS} are"
        " needed.",
    )


def _looked(logs: Logs, standing: int) -> str:
    judged, outside = _judged(logs)
    if not judged:
        return ""
    looked = (
        f"{words.count(judged, 'daily value')} were compared with the usual range"
        f"{_searched(logs)}: {_stand(standing)} (5 % for the whole page, Holm)."
    )
    lie = f"{words.count(outside, 'value')} {'lies' if outside == 1 else 'lie'}"
    return f"{looked} {lie if outside else 'No value lies'} outside, where 1 in 100 does by chance."


def _searched(logs: Logs) -> str:
    """Return what else was looked for; trends and levels need more days than a usual range."""
    findings = logs.findings
    searched = [
        what
        for what, possible in (
            ("trends", any(np.isfinite(line.p) for line in findings.trends.values())),
            ("new levels", any("reason" not in table.attrs for table in findings.levels.values())),
        )
        if possible
    ]
    if not searched:
        return ""
    quantities = words.count(findings.looks, "quantity", "quantities")
    return f", and {quantities} searched for {words.joined(searched)}"


def _stand(standing: int) -> str:
    if not standing:
        return "nothing stands out"
    return f"{words.count(standing, 'result')} {'stands' if standing == 1 else 'stand'} out"


def _facts(logs: Logs) -> list[Fact]:
    hours = logs.hours(logs.lead)
    worn, usable = float(hours["worn_h"].sum()), float(hours["valid_h"].sum())
    wear_known = hours["worn_h"].notna().any()
    n_days = words.count(len(logs.calendar), "day")
    counted = numbers(logs.days(logs.lead).get("worn_h", pd.Series([]))) >= FULL_DAY_H
    judged, _ = _judged(logs)
    return [
        Fact(
            "Worn",
            f"{words.hours(worn)} in {n_days}" if wear_known else "not known",
            f"{words.hours(usable)} of it usable ({words.percent(usable / worn)})" if worn else "",
        ),
        Fact(
            "Days that count",
            f"{int(counted.sum())} of {len(logs.calendar)}",
            f"worn for {FULL_DAY_H:g} h or more",
        ),
        Fact(
            "Compared with",
            f"own days before, up to {EARLIER_DAYS}" if judged else "nothing yet",
            f"in the {LOG_WORDS[logs.lead]}",
        ),
    ]


def _span(logs: Logs) -> Span:
    """Return how many days are shown at a glance."""
    return MONTH if len(logs.calendar) >= DAYS_OF_MONTH else WEEK


def _picture(logs: Logs) -> Picture:
    last = {MONTH: "four weeks", WEEK: "seven days"}[_span(logs)]
    return Picture(
        f"The last {last} at a glance",
        "Grey is the own usual range. Hollow days are thin: shown, but not looked at.",
        partial(_draw, logs),
    )


def _draw(logs: Logs) -> object:
    days, span = logs.days(logs.lead), _span(logs)
    if "worn_h" not in days:
        raise Empty("nothing shows whether the eyewear was worn")
    judged = {
        name: table.assign(stands=_standing(logs, name, table.index))
        for name, table in last_days(days, span).items()
    }
    return plot_judged(days, judged, span=span)


def _standing(logs: Logs, name: str, days: pd.Index) -> list[bool]:
    """Return which of some days stand out on this page."""
    judged = logs.findings.days.get(name)
    if judged is None:
        return [False] * len(days)
    return [bool(one) for one in days.isin(judged.index[judged["stands"]])]


def _trust(logs: Logs) -> str:
    table = logs.days(logs.lead).iloc[-_span(logs).days :]
    hours = logs.hours(logs.lead)
    if "worn_h" not in table or not table["worn_h"].notna().any():
        return "Nothing shows whether the eyewear was worn."
    thin = table.index[~(numbers(table["worn_h"]) >= FULL_DAY_H)]
    sentences = []
    if len(thin):
        named = [
            f"{words.day(pd.Timestamp(day))} ({words.hours(table.loc[day, 'worn_h'])} worn)"
            for day in thin[:MOST_THIN]
        ]
        more = len(thin) - len(named)
        sentences.append(
            f"{words.joined([*named, *([f'{more} more'] if more else [])])}"
            f" {'is' if len(thin) == 1 else 'are'} thin."
        )
    worn, usable, walking = (
        float(hours[name].sum()) for name in ("worn_h", "valid_h", "walking_h")
    )
    if worn > 0 and hours["valid_h"].notna().any():
        lost = worn - usable
        sentences.append(
            f"Of {words.hours(worn)} worn, {words.hours(lost)} are not usable for the eyes"
            f" ({words.hours(min(walking, lost))} of them walking)."
        )
    return " ".join(sentences)
