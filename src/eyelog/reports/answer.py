"""Page one: what stood out, how much was worn, and the last week or month at a glance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, cast

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import numbers
from eyelog.figures.defaults import GLANCE
from eyelog.figures.named import possible
from eyelog.figures.week import (
    EARLIER_DAYS,
    FULL_DAY_H,
    MONTH,
    WEEK,
    Span,
    last_days,
    plot_judged,
)
from eyelog.measure.columns import column, interval_columns
from eyelog.reports import words
from eyelog.reports.findings import LEAST_DAYS, Findings
from eyelog.reports.logs import Logs
from eyelog.reports.section_parts import Empty, Picture

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
    about: str = ""
    """The column that it is about."""


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
    said = named[:MOST_SENTENCES]
    return PageOne(
        facts=_facts(logs),
        sentences=said or [_nothing(logs)],
        looked=_looked(logs, len(named)),
        picture=_picture(logs, [sentence.about for sentence in said]),
        trust=_trust(logs),
    )


def _sentences(logs: Logs) -> Iterator[Sentence]:
    """Yield a sentence for each result that passed its level."""
    findings = logs.findings
    who = logs.name or "the wearer"
    days = logs.counted(logs.lead)
    for name, line in findings.trends.items():
        digits = column(name).digits or 0
        if name in findings.shifted:
            period = findings.periods[name]
            low, high = sorted((abs(period.low), abs(period.high)))
            yield Sentence(
                f"In these {words.count(period.days_after, 'day')} {who}"
                f" {_deed(name, period.difference)} than in the days before:",
                f"by about {_value(name, abs(period.difference), digits)}"
                f" ({words.interval(low, high, digits)}, of this wearer), compared with"
                f" {words.count(period.days_before, 'day')}.",
                period.p,
                name,
            )
        if name in findings.moved:
            low, high = sorted((abs(line.low) * 7, abs(line.high) * 7))
            yield Sentence(
                f"From week to week {who} {_deed(name, line.slope)}:",
                f"{_value(name, abs(line.slope) * 7, digits + 1)} each week"
                f" ({words.interval(low, high, digits + 1)}, of this wearer), over"
                f" {words.count(len(days), 'day')} of wear.",
                line.p,
                name,
            )
        for day, level in findings.levels[name].iterrows():
            low, high = sorted((abs(level["low"]), abs(level["high"])))
            yield Sentence(
                f"From {words.day(cast(pd.Timestamp, day))} on {who}"
                f" {_deed(name, level['difference'])} than before:",
                f"{_value(name, level['after'], digits)}, where it was"
                f" {words.number(level['before'], digits)} before (difference about"
                f" {words.number(abs(level['difference']), digits)},"
                f" {words.interval(low, high, digits)}, of this wearer).",
                float(level["p"]),
                name,
            )
        judged = findings.days[name]
        for day, row in judged[judged["stands"]].iterrows():
            yield Sentence(
                f"On {words.day(cast(pd.Timestamp, day))} {who}"
                f" {_deed(name, row['value'] - row['baseline'])} than usual:",
                f"{_value(name, row['value'], digits)}{_of_minutes(days, name, day)}, where"
                f" {_usual(name, row, digits)}.",
                float(row["p"]),
                name,
            )


def _deed(name: str, change: float) -> str:
    more, less, _ = DEEDS[name]
    return more if change > 0 else less


def _usual(name: str, row: pd.Series, digits: int) -> str:
    """Return what is usual in words: the range, and for which days it was taken."""
    low, high = possible(row[["low", "high"]].astype(float), column(name).unit)
    days = {"weekdays": " on weekdays", "weekends": " at weekends"}.get(row["compared_with"], "")
    return f"{words.number(low, digits)} to {words.number(high, digits)} is usual{days}"


def _value(name: str, value: float, digits: int) -> str:
    unit = DEEDS[name][2]
    unit = column(name).unit if unit is None else unit
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
        seen = _could_be_seen(logs)
        return Sentence(f"Nothing stood out among {words.count(judged, 'value')}.", seen)
    have = int((~_thin(logs.days(logs.lead))).sum())
    return Sentence(
        "There is nothing to compare these days with yet:",
        f"{words.count(have, 'day')} worn for {FULL_DAY_H:g} h or more, where {LEAST_DAYS} are"
        " needed.",
    )


def _could_be_seen(logs: Logs) -> str:
    """Return which changes this page would have named: an answer to how little it can see."""
    findings = logs.findings
    least = [
        f"{_value(name, change, column(name).digits or 0)} in {column(name).label.lower()}"
        for name, change in findings.least.items()
        if name in GLANCE
    ]
    if not least:
        return ""
    what = "from the days before" if findings.periods else "over these days"
    return (
        f"A change {what} of {words.joined(least)} would have been named in 80 of 100 such pages;"
        " a smaller one may be there."
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
            ("a difference from the days before", _compares(findings)),
            ("trends", any(np.isfinite(line.p) for line in findings.trends.values())),
            ("new levels", any("reason" not in table.attrs for table in findings.levels.values())),
        )
        if possible
    ]
    if not searched:
        return ""
    quantities = words.count(findings.looks, "quantity", "quantities")
    return f", and {quantities} searched for {words.joined(searched)}"


def _compares(findings: Findings) -> bool:
    """Return whether the period as a whole was compared with the days before."""
    return any(np.isfinite(period.p) for period in findings.periods.values())


def _stand(standing: int) -> str:
    if not standing:
        return "nothing stands out"
    return f"{words.count(standing, 'result')} {'stands' if standing == 1 else 'stand'} out"


def _facts(logs: Logs) -> list[Fact]:
    hours = logs.hours(logs.lead)
    worn, usable = float(hours["worn_h"].sum()), float(hours["valid_h"].sum())
    wear_known = hours["worn_h"].notna().any()
    n_days = words.count(len(logs.calendar), "day")
    counted = ~_thin(logs.days(logs.lead))
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
        _compared(logs),
    ]


def _compared(logs: Logs) -> Fact:
    """Return what the days were compared with: the days before the first, or before each."""
    before = logs.compared.index < logs.days(logs.lead).index[0]
    have = int((~_thin(logs.compared[before])).sum())
    judged, _ = _judged(logs)
    if not judged:
        return Fact("Compared with", "nothing yet", f"{LEAST_DAYS - 1} earlier days are needed")
    if not have:
        return Fact("Compared with", "own earlier days", f"up to {EARLIER_DAYS}, in this report")
    return Fact("Compared with", f"own {EARLIER_DAYS} days before", f"{have} of them count")


def _span(logs: Logs) -> Span:
    """Return how many days are shown at a glance."""
    return MONTH if len(logs.calendar) >= DAYS_OF_MONTH else WEEK


def _picture(logs: Logs, named: Sequence[str]) -> Picture:
    span = _span(logs)
    shown = len(logs.calendar[-span.days :])
    last = {28: "The last four weeks", 7: "The last seven days", 1: "The day"}
    judged, _ = _judged(logs)
    remarks = ["Grey is the own usual range."] if judged else []
    if _thin(logs.days(logs.lead).iloc[-shown:]).any():
        remarks.append("Hollow days are thin: shown, but not looked at.")
    return Picture(
        f"{last.get(shown, f'The {shown} days')} at a glance",
        " ".join(remarks),
        partial(_draw, logs, named),
    )


def _draw(logs: Logs, named: Sequence[str]) -> object:
    """Draw the last days of the usual quantities, and of those that a sentence is about."""
    span, columns = _span(logs), [*GLANCE, *(name for name in named if name not in GLANCE)]
    if "worn_h" not in logs.compared:
        raise Empty("nothing shows whether the eyewear was worn")
    shown = logs.days(logs.lead).index[-span.days :]
    days = logs.compared.loc[logs.compared.index >= shown[0]]
    judged = {
        name: table[table.index >= shown[0]].assign(
            stands=lambda last, name=name: _standing(logs, name, last.index)
        )
        for name, table in last_days(logs.compared, span, columns).items()
        if np.isfinite(numbers(days[name])).any()
    }
    if not judged:
        raise Empty("no day holds a value")
    states = logs.frames[logs.lead] if span is WEEK else None  # a month has no room for them
    return plot_judged(
        days, judged, span=span, states=states, limits=logs.limits, day_starts=logs.day_starts
    )


def _standing(logs: Logs, name: str, days: pd.Index) -> list[bool]:
    """Return which of some days stand out on this page."""
    judged = logs.findings.days.get(name)
    if judged is None:
        return [False] * len(days)
    return [bool(one) for one in days.isin(judged.index[judged["stands"]])]


def _thin(days: pd.DataFrame) -> "pd.Series[bool]":
    """Return which days were worn for less than the usual range asks for."""
    worn = days.get("worn_h", pd.Series(np.nan, index=days.index))
    return ~(worn >= FULL_DAY_H).fillna(value=False).astype(bool)


def _trust(logs: Logs) -> str:
    table = logs.days(logs.lead)
    hours = logs.hours(logs.lead)
    if "worn_h" not in table or not table["worn_h"].notna().any():
        return "Nothing shows whether the eyewear was worn."
    thin = table.index[_thin(table)]
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
