"""How well the days of a wearer tell wearers apart, and which change of one wearer is a change."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import whole_number
from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING, Floats, Ints, numbers
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.compare.wearer_of_row import days_of_wearers
from eyelog.series.inference import LEAST_DAYS, effective_n, likeness

LEAST_WEARERS: Final = 5
MOST_DAYS: Final = 365
GOALS: Final = {"days_for_70": 0.7, "days_for_80": 0.8, "days_for_90": 0.9}


@shown("Reliability of days", icc=("icc_low", "icc_high"), icc_mean=("mean_low", "mean_high"))
class Reliability(NamedTuple):
    """How much of what days show is the wearer, and the least change that is more than chance."""

    icc: float
    icc_low: float
    icc_high: float
    icc_mean: float
    mean_low: float
    mean_high: float
    days_for_70: float
    days_for_80: float
    days_for_90: float
    sd_between: float
    sd_within: float
    sem_mean: float
    mdc: float
    mdc_mean: float
    phi: float
    days: int
    wearers: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def reliability(table: pd.DataFrame, column: str, *, days: int = 7) -> Reliability:
    """Return how reliable days, and means of days, are: ICC, days needed, detectable change.

    Parameters
    ----------
    table : DataFrame
        One row per day: of one wearer, as from `eyelog.daily`, or of several, as from
        `eyelog.cohort.daily` or `eyelog.compare.mixed_table` (``account`` in the index or a
        column). Days without the value are left out; leave out days that were hardly worn before.
    column : str
        The column to examine.
    days : int
        Of how many days in a row a mean is meant.

    Returns
    -------
    Reliability
        ``icc``, the share of the variance of single days that lies between wearers (ICC(1)), and
        ``icc_mean``, the same for means of `days` days (ICC(k)), each with its 95 % interval
        (``icc_low``, ``icc_high``, ``mean_low``, ``mean_high``), of these wearers' population;
        ``days_for_70``, ``days_for_80``, ``days_for_90``: how many days in a row a mean needs for
        an ICC of .7, .8 and .9 (Spearman-Brown), missing where a year would not do. In the unit of
        the column: ``sd_between`` (wearers), ``sd_within`` (days of a wearer, which is the standard
        error of measurement of a day), ``sem_mean`` (that of a mean of `days` days), ``mdc`` and
        ``mdc_mean``: the least change between two days, or two means of `days` days, that is more
        than chance with 95 % (minimal detectable change). ``phi`` is how alike neighbouring days of
        a wearer are (0 to 0.9). ``days``, ``wearers``, ``n`` (days with a value), ``exposure_h``
        (their ``exposure_h`` or ``worn_h``, if the table has one of them), ``coverage`` (the mean
        over the days of theirs, or of 1 if the table has none; a day without the value counts as 0)
        and ``reason`` if something is missing: what compares wearers with fewer than five,
        everything with fewer than five days of each.

    Raises
    ------
    FieldError
        If the table lacks the column.
    ConfigurationError
        If rows do not say their day, a day occurs twice for a wearer, or `days` cannot be used.

    Notes
    -----
    One-way random effects (Shrout & Fleiss 1979, Psychological Bulletin 86:420; McGraw & Wong
    1996). Days are alike, which makes the spread within a wearer look smaller and that between
    wearers larger: both mean squares are divided by what they are expected to be for days that
    follow each other as phi^k. For independent days this is the ANOVA estimate. phi is that of all
    wearers together, corrected for bias and shrunk towards .3 as if seven days of a usual wearer
    stood beside. The minimal detectable change is 1.96 sqrt(2) times the standard error (Weir
    2005, Journal of Strength and Conditioning Research 19:231).

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=14, freq="D", name="day")
    >>> rng = np.random.default_rng(1)
    >>> rates = {name: rng.normal(level, 1.0, 14) for name, level in zip("abcdef", range(6))}
    >>> table = pd.DataFrame(rates, index=days).stack().rename("blinks").to_frame()
    >>> table.index.names = ["day", "account"]
    >>> result = el.compare.reliability(table, "blinks")
    >>> result.wearers, 0.5 < result.icc < result.icc_mean < 1
    (6, True)
    """
    whole_number(days, "days", 1, MOST_DAYS)
    rows = days_of_wearers(table, column, what="reliability")
    covered = np.nan_to_num(numbers(table["coverage"])) if "coverage" in table.columns else 1.0
    present = np.isfinite(numbers(table[column]))
    coverage = float(np.where(present, covered, 0.0).mean()) if len(present) else 0.0
    worn = next((name for name in ("exposure_h", "worn_h") if name in table.columns), None)
    hours = MISSING if worn is None else float(np.nansum(numbers(table[worn])[present]))
    rows = rows.groupby("account").filter(lambda part: len(part) >= LEAST_DAYS)
    wearers, n = rows["account"].nunique(), len(rows)
    known = {"days": days, "wearers": wearers, "n": n, "exposure_h": hours, "coverage": coverage}
    nothing = all_missing(Reliability, **known)
    if not n:
        return nothing._replace(reason=f"no wearer has {LEAST_DAYS} days with a value")
    parts = [
        (part["day"].to_numpy(), part[column].to_numpy()) for _, part in rows.groupby("account")
    ]
    phi = likeness_within(parts)
    lengths = np.array([len(values) for _, values in parts], dtype=np.float64)
    # n/effective n: the sum of squares within loses it, the mean's variance gains it.
    lost = np.array([len(values) / effective_n(dates, phi) for dates, values in parts])
    within = sum(float(((values - values.mean()) ** 2).sum()) for _, values in parts)
    variance = within / float((lengths - lost).sum())
    in_a_row = np.arange(days)
    share = 1 / effective_n(in_a_row, phi)
    result = nothing._replace(
        sd_within=variance**0.5,
        sem_mean=(variance * share) ** 0.5,
        mdc=1.96 * (2 * variance) ** 0.5,
        mdc_mean=1.96 * (2 * variance * share) ** 0.5,
        phi=phi,
    )
    if wearers < LEAST_WEARERS:
        return result._replace(reason=f"fewer than {LEAST_WEARERS} wearers: no ICC")
    if not variance > 0:
        return result._replace(reason="the days of each wearer are all the same: no ICC")
    means = np.array([values.mean() for _, values in parts])
    grand = float(np.average(means, weights=lengths))
    between = float((lengths * (means - grand) ** 2).sum()) / (wearers - 1)
    # The mean square between is expected to be n0 of the wearers' variance and `inflated` of days'.
    n0 = (n - float((lengths**2).sum()) / n) / (wearers - 1)
    inflated = float((lost * (1 - lengths / n)).sum()) / (wearers - 1)
    f = between / (variance * inflated)
    freedom = max(1.0, n * (1 - phi**2) / (1 + phi**2) - wearers)
    upper, lower = (
        scipy.stats.f.ppf(0.975, *dfs) for dfs in ((wearers - 1, freedom), (freedom, wearers - 1))
    )
    ratios = [max(0.0, (value - 1) * inflated / n0) for value in (f, f / upper, f * lower)]
    single = [ratio / (ratio + 1) for ratio in ratios]
    mean = [ratio / (ratio + share) for ratio in ratios]
    needed: dict[str, Any] = {
        name: days_needed(ratios[0], phi, goal) for name, goal in GOALS.items()
    }
    return result._replace(
        icc=single[0],
        icc_low=single[1],
        icc_high=single[2],
        icc_mean=mean[0],
        mean_low=mean[1],
        mean_high=mean[2],
        sd_between=(ratios[0] * variance) ** 0.5,
        **needed,
        reason="" if ratios[0] else "wearers differ no more than days do by chance",
    )


def days_needed(ratio: float, phi: float, goal: float) -> float:
    """Return how many days in a row a mean needs for an ICC, by Spearman-Brown on effective days.

    Parameters
    ----------
    ratio : float
        The variance between wearers over that within.
    phi : float
        How alike neighbouring days are.
    goal : float
        The ICC.
    """
    if not ratio > 0:
        return MISSING
    wanted = goal / (1 - goal) / ratio
    if effective_n(np.arange(MOST_DAYS), phi) < wanted:
        return MISSING
    few, many = 0, MOST_DAYS
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (
            (few, middle) if effective_n(np.arange(middle), phi) >= wanted else (middle, many)
        )
    return float(many)


def likeness_within(parts: list[tuple[Ints, Floats]]) -> float:
    """Return phi of the days of several wearers about their own means, shrunk towards a usual one.

    Parameters
    ----------
    parts : list of (array of int64, array of float64)
        The days and values of each wearer.
    """
    n = sum(len(values) for _, values in parts)
    residuals = np.concatenate([values - values.mean() for _, values in parts])
    apart = np.cumsum([0, *(int(np.ptp(dates)) + 2 for dates, _ in parts[:-1])])
    of_days = np.concatenate(
        [dates - dates[0] + start for (dates, _), start in zip(parts, apart, strict=True)]
    )
    return float(likeness(of_days, residuals[None, :], terms=1, n=n // len(parts))[0])
