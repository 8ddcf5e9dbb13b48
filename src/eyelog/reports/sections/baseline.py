"""The wearer against the wearer's own earlier days."""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.baseline.deviation import personal
from eyelog.analysis.baseline.trend import change_points, trend
from eyelog.analysis.columns import column
from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.sheet import number_text
from eyelog.figures.baseline import plot_baseline
from eyelog.figures.labels import LOG_WORDS
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable
from eyelog.reports.parts import Empty, Part, Picture
from eyelog.reports.usual import require_days

__all__ = ["section"]

COLUMNS: Final = (
    *("worn_h", "steps", "pace_spm", "blink_rate_per_min", "eye_moves_per_h"),
    *("head_moves_yaw_per_h", "tilt_fore_aft_deg"),
)
DRAWN: Final = ("blink_rate_per_min", "steps")
LEAST_DAYS: Final = 8  # a week of earlier days, and one to compare with it
MAD_TO_SD: Final = 1.4826  # makes the MAD of a normal distribution its SD
FAR: Final = 3.0  # robust SDs from the wearer's own median; one normal day in 370 lies farther out


def section(logs: Logs) -> Part:
    """Return trends, days outside the wearer's own band, and changes of level."""
    log = logs.lead
    require_days(logs, log, LEAST_DAYS)
    table = logs.counted(log)
    names = [name for name in COLUMNS if name in table and table[name].notna().sum() >= LEAST_DAYS]
    if not names:
        raise Empty(f"no quantity has {LEAST_DAYS} days with a value")
    return Part(
        findings=[_trends(table, names, log), _days_apart(table, names, log)],
        pictures=[
            Picture(
                f"{column(name, log=log).label} against the wearer's own baseline,"
                f" {LOG_WORDS[log]}",
                "The band is the median of the 28 days before, plus and minus two robust SDs.",
                partial(_draw, table, name),
            )
            for name in DRAWN
            if name in names
        ],
        tables=[partial(_table, table, names, log)],
    )


def _changes(table: pd.DataFrame, name: str) -> list[pd.Timestamp]:
    """Return where a new level begins, at the usual penalty for the noise of neighbouring days."""
    values = numbers(table[name].dropna())
    # Differences of neighbouring days contain the noise but not the levels sought.
    noise = float(np.median(np.abs(np.diff(values))) * MAD_TO_SD / np.sqrt(2))
    if not noise > 0:
        return []
    return change_points(table, name, penalty=3 * noise**2 * float(np.log(len(values))))


def _draw(table: pd.DataFrame, name: str) -> object:
    return plot_baseline(personal(table, name), changes=_changes(table, name))


def _trends(table: pd.DataFrame, names: list[str], log: str) -> str:
    moved, days = [], len(table)
    for name in names:
        found, about = trend(table, name), column(name, log=log)
        if not (found.low > 0 or found.high < 0):
            continue
        digits = None if about.digits is None else about.digits + 1
        low, high = sorted((abs(found.low) * 7, abs(found.high) * 7))
        moved.append(
            f"{about.label.lower()} {'rose' if found.slope > 0 else 'fell'} by"
            f" {words.number(abs(found.slope) * 7, digits)} {about.unit} each week"
            f" ({words.interval(low, high, digits)})"
        )
    what = f"Over {words.count(days, 'day')} of wear ({LOG_WORDS[log]})"
    if not moved:
        return f"{what} no trend stands out: no 95 % interval of a slope excludes 0."
    looked_at = words.count(len(names), "quantity", "quantities")
    return (
        f"{what} {words.joined(moved)}. {looked_at.capitalize()} were tested, and about one in"
        " twenty shows a trend by chance alone."
    )


def _days_apart(table: pd.DataFrame, names: list[str], log: str) -> str:
    said = []
    for name in names:
        far, known, _ = _far(table, name)
        if far:
            said.append(f"{column(name, log=log).label.lower()} on {far} of {known}")
    if not said:
        return "No day lies three robust SDs or more from the median of the 28 days before it."
    return (
        "Days that lie three robust SDs or more from the median of the 28 days before:"
        f" {words.joined(said)}. Some days do so by chance, more often if few days came before."
    )


def _far(table: pd.DataFrame, name: str) -> tuple[int, int, str]:
    """Return in words how many days lie far from the baseline, and which lies farthest."""
    z = np.abs(numbers(personal(table, name)["z"]))
    known = np.isfinite(z)
    far = int((z[known] >= FAR).sum())
    if not far:
        return 0, int(known.sum()), "none"
    place = int(np.nanargmax(z))
    return far, int(known.sum()), words.day(pd.Timestamp(table.index[place]), year=True)


def _table(table: pd.DataFrame, names: list[str], log: str) -> PageTable:
    rows, found = [], []
    for name in names:
        line, about, changes = trend(table, name), column(name, log=log), _changes(table, name)
        far, _, farthest = _far(table, name)
        digits = None if about.digits is None else about.digits + 2
        slope, low, high = (rate * 7 for rate in (line.slope, line.low, line.high))
        found.append(
            {
                "quantity": name,
                "slope_per_week": slope,
                "low": low,
                "high": high,
                "tau": line.tau,
                "p": line.p,
                "days": line.n,
                "days_far": far,
                "changes": " ".join(str(day.date()) for day in changes),
            }
        )
        rows.append(
            [
                about.text,
                words.number(slope, digits),
                words.range_of(low, high, digits),
                number_text(line.p, 3, below=True),
                words.whole(line.n),
                ", ".join(words.day(day, year=True) for day in changes) or "none",
                words.whole(far),
                farthest,
            ]
        )
    return PageTable.of(
        f"Change per week and new levels, {LOG_WORDS[log]}",
        [
            *("Quantity", "Change per week", "95 % interval", "p", "Days", "A new level begins"),
            *("Days far from the baseline", "Farthest day"),
        ],
        rows,
        "baseline",
        pd.DataFrame(found).set_index("quantity"),
    )
