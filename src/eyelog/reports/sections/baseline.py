"""The wearer against the wearer's own earlier days."""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.baseline.deviation import personal
from eyelog.analysis.baseline.trend import change_points, trend
from eyelog.analysis.columns import column
from eyelog.analysis.series.arrays import numbers
from eyelog.figures.labels import LOG_WORDS
from eyelog.reports import words
from eyelog.reports.drawing import plot_baseline
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable
from eyelog.reports.parts import Empty, Part, Picture
from eyelog.reports.usual import require_days

__all__ = ["section"]

COLUMNS: Final = (
    *("worn_h", "steps", "pace_spm", "blink_rate_per_min", "eye_moves_per_h"),
    *("head_moves_yaw_per_h", "tilt_forward_deg"),
)
DRAWN: Final = ("blink_rate_per_min", "steps")
LEAST_DAYS: Final = 8  # a week of earlier days, and one to compare with it
FAR: Final = 3.0  # robust SDs from the own median; one normal day in 370 lies farther out


def section(logs: Logs) -> Part:
    """Return trends, days outside the own band, and changes of level."""
    log = logs.lead
    require_days(logs, log, LEAST_DAYS)
    names = [name for name in COLUMNS if _series(logs, log, name) is not None]
    if not names:
        raise Empty("no quantity has eight days with a value")
    return Part(
        findings=[_trends(logs, log, names), *_days_apart(logs, log, names)],
        pictures=[
            Picture(
                f"{column(name, log=log).label} against the own baseline, {LOG_WORDS[log]}",
                "The band is the median of the 28 days before, two robust SDs either way.",
                partial(_draw, logs, log, name),
            )
            for name in DRAWN
            if name in names
        ],
        tables=[partial(_table, logs, log, names)],
    )


def _series(logs: Logs, log: str, name: str) -> pd.Series | None:
    """Return the values of the counted days, or None for fewer than a baseline needs."""
    table = logs.counted(log)
    if name not in table or table[name].notna().sum() < LEAST_DAYS:
        return None
    return table[name]


def _changes(series: pd.Series) -> list[pd.Timestamp]:
    """Return where a new level begins, at the usual penalty for the noise of neighbouring days."""
    values = numbers(series.dropna())
    # Differences of neighbours hold the noise, and not the levels that are looked for.
    noise = np.median(np.abs(np.diff(values))) / 0.6745 / np.sqrt(2)
    if not noise > 0:
        return []
    return change_points(series, penalty=float(3 * noise**2 * np.log(len(values))))


def _draw(logs: Logs, log: str, name: str) -> object:
    series = _series(logs, log, name)
    assert series is not None
    return plot_baseline(personal(series), changes=_changes(series))


def _trends(logs: Logs, log: str, names: list[str]) -> str:
    moved, days = [], len(logs.counted(log))
    for name in names:
        series = _series(logs, log, name)
        assert series is not None
        found, about = trend(series), column(name, log=log)
        if found.low > 0 or found.high < 0:
            digits = None if about.digits is None else about.digits + 1
            direction = "rose" if found.slope > 0 else "fell"
            moved.append(
                f"{about.label.lower()} {direction} by {words.number(abs(found.slope) * 7, digits)}"
                f" {about.unit} each week ({words.interval(*_sorted(found), digits)})"
            )
    what = f"Over {words.count(days, 'day')} of wear ({LOG_WORDS[log]})"
    if not moved:
        return f"{what} no quantity rose or fell: each 95 % interval of the slope includes 0."
    return (
        f"{what} {words.joined(moved)}; {words.count(len(names), 'quantity', 'quantities')} were"
        " looked at, so one in twenty may seem to move by chance."
    )


def _sorted(found: object) -> tuple[float, float]:
    low, high = abs(found.low) * 7, abs(found.high) * 7  # type: ignore[attr-defined]
    return min(low, high), max(low, high)


def _days_apart(logs: Logs, log: str, names: list[str]) -> list[str]:
    said = []
    for name in names:
        series = _series(logs, log, name)
        assert series is not None
        z = personal(series)["z"]
        far = z[z.abs() >= FAR]
        if far.empty:
            continue
        worst = far.abs().idxmax()
        said.append(
            f"{column(name, log=log).label} on {words.count(len(far), 'day')} of"
            f" {int(z.notna().sum())}, farthest on {words.day(worst, year=True)}"
            f" ({words.number(series[worst], column(name, log=log).digits)})"
        )
    if not said:
        return ["No day lies three robust SDs or more from the median of its 28 days before."]
    return [
        f"Three robust SDs or more from the median of the 28 days before: {words.joined(said)}."
    ]


def _table(logs: Logs, log: str, names: list[str]) -> PageTable:
    rows, found = [], []
    for name in names:
        series = _series(logs, log, name)
        assert series is not None
        line, about, changes = trend(series), column(name, log=log), _changes(series)
        digits = None if about.digits is None else about.digits + 2
        week = [line.slope * 7, line.low * 7, line.high * 7]
        found.append(
            {
                "quantity": name,
                "slope_per_week": week[0],
                "low": week[1],
                "high": week[2],
                "tau": line.tau,
                "p": line.p,
                "days": line.n,
                "changes": " ".join(str(day.date()) for day in changes),
            }
        )
        rows.append(
            [
                about.text,
                words.number(week[0], digits),
                words.range_of(week[1], week[2], digits),
                words.number(line.p, 3),
                words.whole(line.n),
                ", ".join(words.day(day, year=True) for day in changes) or "none",
            ]
        )
    return PageTable.of(
        f"Change per week and new levels, {LOG_WORDS[log]}",
        ["Quantity", "Change per week", "95 % interval", "p", "Days", "A new level begins"],
        rows,
        "baseline",
        pd.DataFrame(found).set_index("quantity"),
    )
