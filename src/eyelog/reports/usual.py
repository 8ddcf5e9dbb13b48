"""The usual day: the median of the counted days, in a sentence and as a table."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.series.inference import LEAST_FOR_MEDIAN, Median
from eyelog.figures.labels import LOG_WORDS
from eyelog.measure.columns import column
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import SHARE, PageTable
from eyelog.reports.section_parts import Empty


def require_days(logs: Logs, log: str, needed: int = 1) -> int:
    """Return how many days count, or raise `Empty` if they are fewer than needed."""
    have = len(logs.counted(log))
    if not have:
        days = words.count(len(logs.calendar), "day")
        raise Empty(f"not enough data: 0 of {days} with at least {logs.counted_h:g} h of wear")
    if have < needed:
        raise Empty(
            f"{words.not_enough(have, needed)}, which are days with at least {logs.counted_h:g} h"
            " of wear"
        )
    return have


def days_behind(logs: Logs, log: str) -> str:
    """Return a sentence: which log, how many days count, whether they suffice for an interval."""
    have, all_days = len(logs.counted(log)), words.count(len(logs.calendar), "day")
    sentence = (
        f"Of {all_days} of the {LOG_WORDS[log]} {have} {'counts' if have == 1 else 'count'}"
        f" (worn for {logs.counted_h:g} h or more)"
    )
    if have < LEAST_FOR_MEDIAN:
        sentence += f": not enough data for an interval ({LEAST_FOR_MEDIAN} days needed)"
    return f"{sentence}."


def usual_words(logs: Logs, log: str, name: str, *, what: str = "") -> str:
    """Return the usual day's value in words: ``12.4 h (95 % interval 10.4 to 13.4)``.

    Without an interval it is the value alone if `days_behind` says why.

    `what` names what was counted, for a value whose unit does not fit into a sentence.
    """
    usual, about = logs.usual(log, name), column(name, log=log)
    if not usual.n:
        return "not measured on any of these days"
    sentence = " ".join(
        filter(None, [words.number(usual.value, about.digits), what or _unit(about.unit)])
    )
    interval = words.interval(usual.low, usual.high, about.digits)
    if not interval and len(logs.counted(log)) >= LEAST_FOR_MEDIAN:
        interval = f"no interval: {words.not_enough(usual.n, LEAST_FOR_MEDIAN)}"
    return f"{sentence} ({interval})" if interval else sentence


def _unit(unit: str) -> str:
    """Return the unit of one day's value."""
    return "" if unit in (SHARE, "score") else unit.removesuffix("per day").strip()


def usual_table(logs: Logs, names: Sequence[str], caption: str, file: str) -> PageTable:
    """Return the table of the usual day: a row per quantity, a column per log."""
    rows, cells = [], []
    shown = [log for log in logs.frames if any(logs.usual(log, name).n for name in names)]
    for name in names:
        if not any(logs.usual(log, name).n for log in shown):
            continue
        about = column(name)
        unit = _unit(about.unit)
        label = about.label.removesuffix(", mean")
        line = [f"{label} ({unit})" if unit else label]
        for log in shown:
            usual = logs.usual(log, name)
            line.append(_cell(usual, about.digits, share=about.unit == SHARE))
            rows.append(_row(logs, log, name, usual))
        cells.append(line)
    if not cells:
        raise Empty("no day holds a value")
    return PageTable.of(
        caption,
        ["Median of the days", *(LOG_WORDS[log] for log in shown)],
        cells,
        file,
        pd.DataFrame(rows).set_index("quantity"),
    )


def _row(logs: Logs, log: str, name: str, typical: Median) -> dict[str, object]:
    table = logs.counted(log)
    values = numbers(table[name]) if name in table else np.array([])
    values = values[np.isfinite(values)]
    return {
        "quantity": name,
        "log": log,
        "median": typical.value,
        "low": typical.low,
        "high": typical.high,
        "phi": typical.phi,
        "n_effective": typical.n_effective,
        "smallest": values.min() if values.size else np.nan,
        "largest": values.max() if values.size else np.nan,
        "days": typical.n,
    }


def _cell(typical: Median, digits: int | None, *, share: bool) -> str:
    if not typical.n:
        return words.MISSING
    value, low, high = (
        words.percent(one) if share else words.number(one, digits)
        for one in (typical.value, typical.low, typical.high)
    )
    if np.isnan(typical.low):
        return f"{value} ({words.count(typical.n, 'day')}, no interval)"
    return f"{value} ({low} to {high})"
