"""Page one: what stood out, how much was worn, and the last week or month at a glance."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.figures.defaults import GLANCE
from eyelog.figures.named import possible
from eyelog.figures.week import EARLIER_DAYS, MONTH, WEEK, Span, last_days, plot_judged
from eyelog.measure.columns import column, interval_columns
from eyelog.reports import words
from eyelog.reports.findings import LEAST_DAYS, PLAUSIBLE, implausible
from eyelog.reports.logs import Logs
from eyelog.reports.parts import (
    Empty,
    Fact,
    PageOne,
    PageTable,
    Sentence,
    picture,
    result,
    said_facts,
    text_table,
)

MOST_SENTENCES: Final = 3
DAYS_OF_MONTH: Final = 35  # days from which on a month is shown: a week of it can be judged


def answer(logs: Logs) -> PageOne:
    """Return page one of a report.

    Parameters
    ----------
    logs : Logs
        The logs of the wearer; with two, the leading one is shown.
    """
    found = results(logs)
    said = found[:MOST_SENTENCES]
    named = [one.about for one in said if one.about not in GLANCE]
    span = MONTH if len(logs.calendar) >= DAYS_OF_MONTH else WEEK
    days = logs.days(logs.lead)[-span.days :]
    judged = cache(partial(_judged, logs, span, [*GLANCE, *named]))
    return PageOne(
        facts=_facts(logs),
        sentences=[*_implausible(logs), *(said or [nothing(logs)])][:MOST_SENTENCES],
        looked=words.sentence("looked", logs=logs, standing=len(found)),
        pictures=[
            picture(
                "glance",
                partial(_draw, logs, span, judged),
                shown=len(logs.calendar[-span.days :]),
                judged=logs.looks[0],
                thin=not logs.full[days.index].all(),
            )
        ],
        trust=words.sentence(
            "page_one_trust",
            logs=logs,
            hours=_hours(logs),
            thin=logs.full.index[logs.shown & ~logs.full].tolist(),
        ),
        numbers=partial(_numbers, logs, judged),
    )


def results(logs: Logs) -> list[Sentence]:
    """Return a sentence for each result that passed its level, the strongest first."""
    return sorted(_results(logs), key=lambda one: one.p)


def _results(logs: Logs) -> Iterator[Sentence]:
    found, who = logs.findings, logs.name or "the wearer"
    counted = logs.counted(logs.lead)
    for name, line in found.trends.items():
        of: dict[str, Any] = {"about": name, "who": who, "digits": column(name).digits or 0}
        if name in found.shifted:
            period = found.periods[name]
            yield result("of_period", p=period.p, found=period, worn=logs.counted_h, **of)
        if name in found.moved:
            yield result("of_line", p=line.p, found=line, days=len(counted), **of)
        for day, level in found.levels[name].iterrows():
            yield result("of_level", p=float(level["p"]), day=day, found=level, **of)
        judged = found.days[name]
        for day, row in judged[judged["stands"]].iterrows():
            low, high = possible(row[["low", "high"]].astype(float), column(name).unit)
            ends = [end for end in interval_columns(name) if end in counted]
            minutes = counted[ends].loc[[day]].to_numpy(dtype=np.float64)[0].tolist()
            usual = {"low": low, "high": high, "minutes": minutes or [np.nan, np.nan]}
            yield result("of_day", p=float(row["p"]), day=day, found=row, **usual, **of)


def nothing(logs: Logs) -> Sentence:
    """Return what is said if nothing stands out: what could have been seen, or why nothing can."""
    judged, _ = logs.looks
    if logs.is_compared:
        least = {name: change for name, change in logs.findings.least.items() if name in GLANCE}
        return result("nothing", judged=judged, least=least, change=logs.findings.change)
    days = logs.full[logs.shown]
    return result(
        "nothing_compared",
        logs=logs,
        worn=_hours(logs)["worn_h"],
        days=len(logs.calendar),
        full=int(days.sum()),
        counted=len(logs.counted(logs.lead)),
        before=int(logs.full[~logs.shown].sum()),
        needed=LEAST_DAYS,
    )


def _hours(logs: Logs) -> dict[str, float]:
    """Return the hours worn, usable and walking, missing where nothing shows them."""
    table = logs.hours(logs.lead)[["worn_h", "valid_h", "walking_h"]]
    return {str(name): float(total) for name, total in table.sum(min_count=1).items()}


def _facts(logs: Logs) -> list[Fact]:
    hours = _hours(logs)
    return said_facts(
        "facts",
        logs=logs,
        worn=hours["worn_h"],
        usable=hours["valid_h"],
        days=len(logs.calendar),
        full=int(logs.full[logs.shown].sum()),
        before=int(logs.full[~logs.shown].sum()),
        judged=logs.looks[0],
        needed=LEAST_DAYS - 1,
        most=EARLIER_DAYS,
    )


def _judged(logs: Logs, span: Span, columns: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the last days of the quantities that have a value, each against its usual range."""
    if "worn_h" not in logs.compared:
        raise Empty("nothing shows whether the eyewear was worn")
    first = logs.days(logs.lead).index[-span.days :][0]
    found, judged = logs.findings.days, {}
    for name, table in last_days(logs.compared, span, columns).items():
        last = table[table.index >= first]
        if last["value"].notna().any() or logs.compared[name][last.index].notna().any():
            stands = found[name].index[found[name]["stands"]] if name in found else last.index[:0]
            judged[name] = last.assign(stands=last.index.isin(stands))
    if not judged:
        raise Empty("no day holds a value")
    return judged


def _draw(logs: Logs, span: Span, judged: Callable[[], dict[str, pd.DataFrame]]) -> object:
    days = next(iter(judged().values())).index
    return plot_judged(
        logs.compared.loc[days],
        judged(),
        span=span,
        states=logs.frames[logs.lead] if span is WEEK else None,  # a month has no room for them
        limits=logs.limits,
        day_starts=logs.day_starts,
    )


def _numbers(logs: Logs, judged: Callable[[], dict[str, pd.DataFrame]]) -> PageTable:
    """Return what the picture shows as a table: each value with its own usual range."""
    cells: list[list[str]] = []
    whole: dict[str, pd.Series[Any]] = {}
    for name, table in judged().items():
        about, values = column(name), logs.compared[name].reindex(table.index)
        ends = table[["low", "high"]].astype("float64").apply(possible, args=(about.unit,))
        whole |= {name: values, f"{name}_low": ends["low"], f"{name}_high": ends["high"]}
        triples = zip(values, ends["low"], ends["high"], strict=True)
        cells.append(
            [words.sentence("glance_cell", of=one, digits=about.digits) for one in triples]
        )
    days = [words.day(day) for day in table.index]
    return text_table(
        words.sentence("glance_numbers", judged=logs.looks[0]),
        ["Day", *(column(name).text for name in judged())],
        [list(row) for row in zip(days, *cells, strict=True)],
        "glance",
        pd.DataFrame(whole),
    )


def _implausible(logs: Logs) -> list[Sentence]:
    """Return a sentence for each quantity that is higher than people are, whatever stands out."""
    days, rules = logs.days(logs.lead)[logs.full[logs.shown].to_numpy()], logs.limits.of(logs.lead)
    return [
        result(
            "implausible",
            about=name,
            days=len(high),
            of=int(days[name].notna().sum()),
            highest=float(high.max()),
            most=rules[f"{PLAUSIBLE}{name}"].value,
            digits=column(name).digits or 0,
        )
        for name, high in implausible(days, rules).items()
    ]
