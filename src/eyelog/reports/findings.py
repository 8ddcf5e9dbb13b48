"""What stands out among everything on a page: the whole period, trends, new levels, single days."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.judge.arrays import Floats, numbers
from eyelog.judge.limits import Limit
from eyelog.series.inference import holm, null_p, null_quantile
from eyelog.series.levels import LEAST_DAYS as LEAST_FOR_LEVELS
from eyelog.series.levels import new_levels
from eyelog.series.periods import TwoPeriods, two_periods
from eyelog.series.trend import Trend, trend
from eyelog.series.usual import personal

COLUMNS: Final = (
    *("worn_h", "steps", "pace_spm", "blink_rate_per_min", "eye_moves_per_h"),
    *("head_moves_yaw_per_h", "tilt_fore_aft_deg", "sc_fcs_mean"),
)
PLAUSIBLE: Final = "plausible_"  # begins the limits of what people do, before the column
LEAST_DAYS: Final = 8  # a week of earlier days, and one to compare with it
# Changes over all days and single days share the level of the page, 5 %, with something to spare.
LEVEL_OF_CHANGES: Final = 0.03
LEVEL_OF_DAYS: Final = 0.01
POWER_80: Final = 0.84  # standard errors beyond a limit, so that 80 of 100 estimates pass it
ENDS_OF_RANGE: Final = 2.9  # the same from a usual value to the ends of its range
ENDS: Final = 2.1  # standard errors from an estimate to the ends of its interval, as a rule


class Findings(NamedTuple):
    """What is known about each quantity, and which of it stands out among all that was examined.

    Attributes
    ----------
    periods : dict of str to TwoPeriods
        All days of the page against those before; empty without days before.
    trends, levels, days : dict
        The trend, the new levels that stand out, and each day against the days before it
        (boolean ``stands``).
    shifted, moved : frozenset of str
        The quantities whose period, or trend, stands out.
    least : dict of str to float
        The smallest change that would have been named in 80 of 100 cases, in the unit of the
        quantity.
    change : str
        What this is a change of: of the period, or else over all days, or else of a single day.
    looks : int
        How many quantities were examined.
    """

    periods: dict[str, TwoPeriods]
    trends: dict[str, Trend]
    levels: dict[str, pd.DataFrame]
    days: dict[str, pd.DataFrame]
    shifted: frozenset[str]
    moved: frozenset[str]
    least: dict[str, float]
    change: str
    looks: int


def findings(
    table: pd.DataFrame, columns: Sequence[str] = COLUMNS, *, since: pd.Timestamp | None = None
) -> Findings:
    """Look at every quantity, and keep what stands out of all looks on this page (Holm 1979).

    An estimate counts by how many times half the width of its own interval it lies from nothing;
    its p is the share of simulated quantities of as many days at phi .5 that get as far
    (`benchmarks/null_tables.py`). The tail of Student's t is too thin for that: with it 8 unchanged
    quantities named something on 24 of 100 pages of 14 days at phi .5.

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
    before, table = table[~shown], table[shown]
    periods = {name: two_periods(before, table, column=name) for name in names if len(before)}
    trends = {name: trend(table, name) for name in names}
    levels = {name: new_levels(table, name) for name in names}
    if not names:
        return Findings(periods, trends, levels, days, frozenset(), frozenset(), {}, "", 0)
    each = {("period", name): _of_period(found) for name, found in periods.items()}
    each |= {("line", name): _ratio(line.n, line.slope, line) for name, line in trends.items()}
    each |= {("level", name): _of_levels(trends[name].n, found) for name, found in levels.items()}
    p = [null_p(kind, n, far) for (kind, _), (n, far, _) in each.items()]
    far_enough = holm(np.array(p)) < LEVEL_OF_CHANGES  # what is missing was not examined
    named = {look for look, one in zip(each, far_enough, strict=True) if one}
    shifted = frozenset(name for kind, name in named if kind == "period")
    levels = {
        name: found if ("level", name) in named else found.iloc[:0]
        for name, found in levels.items()
    }
    # Where both stand out, the levels explain the days better than the line.
    moved = frozenset(name for kind, name in named if kind == "line" and not len(levels[name]))
    p_of_days = np.concatenate([_far_days(days[name]) for name in names])
    each_day = holm(p_of_days) < LEVEL_OF_DAYS
    for i, name in enumerate(names):
        part = each_day[i * len(table) : (i + 1) * len(table)]
        days[name] = days[name].assign(stands=part & (name not in shifted))
    change, least = _could_be_seen(each, int(np.isfinite(p).sum()), trends, days, p_of_days)
    return Findings(periods, trends, levels, days, shifted, moved, least, change, len(names))


def _could_be_seen(
    each: Mapping[tuple[str, str], tuple[float, float, float]],
    tested: int,
    trends: Mapping[str, Trend],
    days: Mapping[str, pd.DataFrame],
    p_of_days: Floats,
) -> tuple[str, dict[str, float]]:
    """Return what change would have been named in 80 of 100 cases, and how large for what."""
    share = LEVEL_OF_CHANGES / max(tested, 1)
    for kind, change in (
        ("period", "A change from the days before"),
        ("line", "A change over these days"),
    ):
        least = {
            name: (null_quantile(kind, n, share) + POWER_80 / ENDS)
            * half
            * (trends[name].span_days if kind == "line" else 1.0)
            for (of, name), (n, _, half) in each.items()
            if of == kind and np.isfinite(half)
        }
        if least:
            return change, least
    least, share_of_days = {}, LEVEL_OF_DAYS / max(int(np.isfinite(p_of_days).sum()), 1)
    for name, table in days.items():
        known = table[table["outside"].notna()]
        if len(known):
            half = float((known["high"] - known["low"]).median()) / 2
            far = null_quantile("day", float(known["n"].median()), share_of_days)
            least[name] = (far + POWER_80 / ENDS_OF_RANGE) * half
    return "A day's distance from the usual value", least


def _ratio(n: float, estimate: float, found: Trend | TwoPeriods) -> tuple[float, float, float]:
    """Return the days, the distance from nothing in half widths of the interval, and that half."""
    half = (found.high - found.low) / 2
    known = np.isfinite(half) and half > 0
    return (n, abs(estimate) / half, half) if known else (0, np.nan, np.nan)


def _of_period(found: TwoPeriods) -> tuple[float, float, float]:
    middle = 2 / (1 / max(found.days_before, 1) + 1 / max(found.days_after, 1))
    return _ratio(middle, found.difference, found)


def _of_levels(n: int, found: pd.DataFrame) -> tuple[float, float, float]:
    if n < LEAST_FOR_LEVELS:
        return 0, np.nan, np.nan
    half = (found["high"] - found["low"]) / 2
    return n, float((found["difference"].abs() / half).max()) if len(found) else 0.0, np.nan


def _far_days(judged: pd.DataFrame) -> Floats:
    """Return p of each day: the share of simulated days that lie as far from the days before."""
    half = numbers(judged["high"] - judged["low"]) / 2
    far = np.abs(numbers(judged["value"] - judged["baseline"])) / half
    far[judged["outside"].isna().to_numpy()] = np.nan
    return np.array(
        [null_p("day", n, one) for n, one in zip(judged["n"], far, strict=True)], dtype=np.float64
    )


def implausible(table: pd.DataFrame, rules: Mapping[str, Limit]) -> dict[str, pd.Series]:
    """Return the days of each quantity that are higher than people are, and by which limit."""
    found = {}
    for rule in rules.values():
        name = rule.name.removeprefix(PLAUSIBLE)
        if name != rule.name and name in table:
            values = table[name].astype("float64")
            found[name] = values[values > rule.value]
    return {name: high for name, high in found.items() if len(high)}
