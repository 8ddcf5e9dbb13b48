"""How far the two logs agree about the same minutes."""

from functools import partial
from typing import Final

import pandas as pd

from eyelog.analysis.compare.agreement import agreement, minute_pairs
from eyelog.catalogue import COMPUTED_DATA, LOGS, STANDARD_MODE_LOGS
from eyelog.figures.labels import LOG_WORDS
from eyelog.reports import words
from eyelog.reports.drawing import plot_agreement
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable
from eyelog.reports.parts import Empty, Part, Picture

__all__ = ["section"]

DRAWN: Final = ("blinks_weak", "steps")
UNITS: Final = {
    "count/min": "per min",
    "s/min": "s per min",
}


def section(logs: Logs) -> Part:
    """Return bias and limits of agreement over the minutes that both logs cover."""
    missing = [LOG_WORDS[log] for log in LOGS if log not in logs.frames]
    if missing:
        raise Empty(f"agreement needs both logs, and the {missing[0]} was not given")
    fifteen, sixty = logs.frames[COMPUTED_DATA], logs.frames[STANDARD_MODE_LOGS]
    table = agreement(fifteen, sixty)
    known = table[table["reason"].fillna("") == ""]
    if known.empty:
        raise Empty("the logs share no minutes with values in both")
    shown = next((name for name in DRAWN if name in known.index), known.index[0])
    return Part(
        findings=[
            _said(known.loc[shown], shown),
            f"Of {words.count(len(known), 'quantity', 'quantities')} compared,"
            f" {int(((known['bias_low'] > 0) | (known['bias_high'] < 0)).sum())} differ on average"
            " by more than chance allows; the table says by how much. Neighbouring minutes are"
            " alike, so the intervals are narrower than they should be.",
        ],
        pictures=[
            Picture(
                f"Agreement of the two logs: {_label(name)}",
                "Each point is a minute: the mean of both logs and their difference, with the bias"
                " and the limits of agreement.",
                partial(_draw, fifteen, sixty, name),
            )
            for name in DRAWN
            if name in known.index
        ],
        tables=[partial(_table, table)],
    )


def _draw(fifteen: pd.DataFrame, sixty: pd.DataFrame, name: str) -> object:
    return plot_agreement(minute_pairs(fifteen, sixty, quantity=name))


def _label(name: str) -> str:
    return name.replace("_", " ")


def _unit(unit: str) -> str:
    return UNITS.get(unit, unit)


def _said(row: pd.Series, name: str) -> str:
    more = "more" if row["bias"] > 0 else "less"
    low, high = sorted((abs(row["bias_low"]), abs(row["bias_high"])))
    if row["bias_low"] <= 0 <= row["bias_high"]:
        start = (
            f"Over {words.whole(row['exposure_h'])} h that both logs cover they agree on average about"
            f" {_label(name)} (bias {words.number(row['bias'], 2)} {_unit(row['unit'])},"
            f" {words.interval(row['bias_low'], row['bias_high'], 2)})"
        )
    else:
        start = (
            f"Over {words.whole(row['exposure_h'])} h that both logs cover the 15-second log has"
            f" {words.number(abs(row['bias']), 2)} {_unit(row['unit'])} {more} of {_label(name)}"
            f" than the 60-second log ({words.interval(low, high, 2)})"
        )
    return (
        f"{start}; in 95 of 100 minutes the difference lies between {words.number(row['low'], 1)}"
        f" and {words.number(row['high'], 1)}."
    )


def _table(table: pd.DataFrame) -> PageTable:
    rows = [
        [
            _label(str(name)),
            _unit(str(row["unit"])),
            words.number(row["mean_fifteen"], 2),
            words.number(row["mean_sixty"], 2),
            words.number(row["bias"], 2),
            words.range_of(row["bias_low"], row["bias_high"], 2),
            words.range_of(row["low"], row["high"], 2),
            words.whole(row["n"]),
        ]
        for name, row in table.iterrows()
    ]
    return PageTable.of(
        "15-second log against 60-second log, over the minutes that both cover",
        [
            *("Quantity", "Unit", "15 s mean", "60 s mean", "Bias", "Bias, 95 % interval"),
            *("Limits of agreement", "Minutes"),
        ],
        rows,
        "agreement",
        table,
    )
