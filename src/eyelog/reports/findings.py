"""What stands out among everything on a page: trends, new levels, and single days."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.analysis.baseline.deviation import personal
from eyelog.analysis.baseline.new_levels import new_levels
from eyelog.analysis.baseline.trend import Trend, trend
from eyelog.analysis.series.arrays import Bools, Floats, numbers
from eyelog.analysis.series.holm import holm

__all__ = ["COLUMNS", "LEAST_DAYS", "Findings", "findings", "stands"]

COLUMNS: Final = (
    *("worn_h", "steps", "pace_spm", "blink_rate_per_min", "eye_moves_per_h"),
    *("head_moves_yaw_per_h", "tilt_fore_aft_deg", "sc_fcs_mean"),
)
LEAST_DAYS: Final = 8  # a week of earlier days, and one to compare with it
# Changes over all days and single days share the level of the page, 5 %. A new level has a p of at
# least .002, and its page examines twice eight series.
LEVEL_OF_CHANGES: Final = 0.035
LEVEL_OF_DAYS: Final = 0.015


class Findings(NamedTuple):
    """What is known about each quantity, and which of it stands out among all that was examined."""

    trends: dict[str, Trend]
    levels: dict[str, pd.DataFrame]
    days: dict[str, pd.DataFrame]
    moved: frozenset[str]
    looks: int


def findings(
    table: pd.DataFrame, columns: Sequence[str] = COLUMNS, *, since: pd.Timestamp | None = None
) -> Findings:
    """Look at every quantity, and keep what stands out of all looks on this page (Holm 1979).

    Parameters
    ----------
    table : DataFrame
        The days that count.
    columns : sequence of str
        The quantities to look at, where at least `LEAST_DAYS` days have a value.
    since : Timestamp, optional
        The first day of the page; the days before it are only compared with.
    """
    names = [name for name in columns if name in table and table[name].notna().sum() >= LEAST_DAYS]
    shown = np.ones(len(table), dtype=bool) if since is None else table.index >= since
    days = {name: personal(table, name)[shown] for name in names}
    table = table[shown]
    trends = {name: trend(table, name) for name in names}
    levels = {name: new_levels(table, name) for name in names}
    if not names:
        return Findings(trends, levels, days, frozenset(), 0)
    # A series is searched for a first level; further ones are found in its parts.
    looks = [trends[name].p for name in names]
    looks += [float(levels[name]["p"].min()) if len(levels[name]) else 1.0 for name in names]
    stand = stands(np.array(looks), LEVEL_OF_CHANGES)
    every_p = np.concatenate([numbers(days[name]["p"]) for name in names])
    each_day = stands(every_p, LEVEL_OF_DAYS)
    for i, name in enumerate(names):
        if not stand[len(names) + i]:
            levels[name] = levels[name].iloc[:0]
        part = slice(i * len(table), (i + 1) * len(table))
        days[name] = days[name].assign(stands=each_day[part])
    moved = frozenset(name for i, name in enumerate(names) if stand[i])
    return Findings(trends, levels, days, moved, len(names))


def stands(p: Floats, level: float) -> Bools:
    """Return which of many p stand out; those that are missing were not examined."""
    return np.asarray(holm(p) < level)
