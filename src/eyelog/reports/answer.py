"""Page one: what stood out, how much was worn, and the last week or month at a glance."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.figures.defaults import GLANCE
from eyelog.figures.labels import possible
from eyelog.figures.week import EARLIER_DAYS, MONTH, WEEK, Span, last_days, plot_judged
from eyelog.measure.columns import column, interval_columns
from eyelog.reports import words
from eyelog.reports.findings import LEAST_DAYS, PLAUSIBLE, implausible
from eyelog.reports.logs import Logs
from eyelog.reports.parts import Empty, PageOne, PageTable, Sentence, picture, result, said_table

MOST_SENTENCES: Final = 3
DAYS_OF_MONTH: Final = 35  # days from which on a month is shown: a week of it can be judged


def answer(logs: Logs) -> PageOne:
    """Return page one of a report.

    Parameters
    ----------
    logs : Logs
        The logs of the wearer; with two, the leading one is shown.
    """
    said, left = sentences(logs)
    named = [one.about for one in said if np.isfinite(one.p) and one.about not in GLANCE]
    span = MONTH if len(logs.calendar) >= DAYS_OF_MONTH else WEEK
    days = logs.days(logs.lead)[-span.days :]
    thin = logs.full.index[logs.shown & ~logs.full].tolist()
    judged = cache(partial(_judged, logs, span, [*GLANCE, *named]))
    return PageOne(
        facts=words.rows("wearer.facts", logs=logs, needed=LEAST_DAYS - 1, most=EARLIER_DAYS),
        sentences=said,
        looked=words.sentence("wearer.looked", logs=logs, left=len(left)),
        pictures=[
            picture(
                "wearer.glance",
                partial(_draw, logs, span, judged),
                shown=len(logs.calendar[-span.days :]),
                judged=logs.looks[0],
                thin=not logs.full[days.index].all(),
            )
        ],
        trust=words.sentence("wearer.page_one_trust", logs=logs, thin=thin),
        numbers=partial(_numbers, logs, judged),
    )


def sentences(logs: Logs) -> tuple[list[Sentence], list[Sentence]]:
    """Return what page one says, and the results for which it has no room, the strongest first."""
    results = sorted(_results(logs), key=lambda one: one.p)
    found = [*_implausible(logs), *(results or [_nothing(logs)])]
    return found[:MOST_SENTENCES], found[MOST_SENTENCES:]


def _results(logs: Logs) -> Iterator[Sentence]:
    found, who = logs.findings, logs.name or "the wearer"
    counted = logs.counted(logs.lead)
    for name, line in found.trends.items():
        of: dict[str, Any] = {"about": name, "who": who, "digits": column(name).digits or 0}
        if name in found.shifted:
            period = found.periods[name]
            yield result("wearer.of_period", p=period.p, found=period, worn=logs.counted_h, **of)
        if name in found.moved:
            yield result("wearer.of_line", p=line.p, found=line, days=len(counted), **of)
        for day, level in found.levels[name].iterrows():
            yield result("wearer.of_level", p=float(level["p"]), day=day, found=level, **of)
        judged = found.days[name]
        for day, row in judged[judged["stands"]].iterrows():
            low, high = possible(row[["low", "high"]].astype(float), column(name).unit)
            ends = [end for end in interval_columns(name) if end in counted]
            minutes = counted[ends].loc[[day]].to_numpy(dtype=np.float64)[0].tolist()
            usual = {"low": low, "high": high, "minutes": minutes or [np.nan, np.nan]}
            yield result("wearer.of_day", p=float(row["p"]), day=day, found=row, **usual, **of)


def _nothing(logs: Logs) -> Sentence:
    """Return what is said if nothing stands out: what could have been seen, or why nothing can."""
    judged, _ = logs.looks
    if logs.is_compared:
        least = {name: change for name, change in logs.findings.least.items() if name in GLANCE}
        return result("wearer.nothing", judged=judged, least=least, change=logs.findings.change)
    return result("wearer.nothing_compared", logs=logs, needed=LEAST_DAYS)


def _judged(logs: Logs, span: Span, columns: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the last days of the quantities that have a value, each against its usual range."""
    shown = logs.days(logs.lead).index[-span.days :]
    if not len(shown):
        raise Empty("no day holds a value")
    if "worn_h" not in logs.compared:
        raise Empty("nothing shows whether the eyewear was worn")
    found, judged = logs.findings.days, {}
    for name, table in last_days(logs.compared, span, columns).items():
        last = table[table.index >= shown.min()]
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
    whole: dict[str, pd.Series[Any]] = {}
    for name, table in judged().items():
        ends = table[["low", "high"]].astype("float64").apply(possible, args=(column(name).unit,))
        whole[name] = logs.compared[name].reindex(table.index)
        whole |= {f"{name}_low": ends["low"], f"{name}_high": ends["high"]}
    return said_table("wearer.glance_table", pd.DataFrame(whole), judged=logs.looks[0])


def _implausible(logs: Logs) -> list[Sentence]:
    """Return a sentence for each quantity that is higher than people are, whatever stands out."""
    days, rules = logs.days(logs.lead)[logs.full[logs.shown].to_numpy()], logs.limits.of(logs.lead)
    return [
        result(
            "wearer.implausible",
            about=name,
            days=len(high),
            of=int(days[name].notna().sum()),
            highest=float(high.max()),
            most=rules[f"{PLAUSIBLE}{name}"].value,
            digits=column(name).digits or 0,
        )
        for name, high in implausible(days, rules).items()
    ]
