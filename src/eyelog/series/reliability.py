"""What a study can tell: how reliable days are, its power, and whether the limits matter."""

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import names_of, number, whole_number
from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING, Floats, Ints, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.groups import days_of_wearers
from eyelog.series.inference import (
    LEAST_DAYS,
    Days,
    at_weekend,
    check_draws,
    effect,
    effective_n,
    shrunk_phi,
    with_weekend,
)
from eyelog.series.periods import compared

LEAST_WEARERS: Final = 5
MOST_DAYS: Final = 365
GOALS: Final = {"days_for_70": 0.7, "days_for_80": 0.8, "days_for_90": 0.9}
DAYS: Final = (7, 14, 21, 28, 42, 56)
WEARERS: Final = (5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100)
MOST_OF_PERIOD: Final = 500  # per period: their pairs are compared
WARM_UP: Final = 100  # days before the first, so that it is like any other
MONDAY: Final = 20_514  # 2 March 2026, as the days since 1970
CHOICES: Final = (
    Limits(),
    Limits(wear="blinks"),
    Limits(max_noise="1s"),
    Limits(min_worn="30s"),
    Limits(walking_above=2),
)


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
    present = np.isfinite(numbers(table[column]))
    covered = np.nan_to_num(numbers(table["coverage"])) if "coverage" in table.columns else 1.0
    worn = [numbers(table[name]) for name in ("exposure_h", "worn_h") if name in table.columns]
    rows = rows.groupby("account").filter(lambda part: len(part) >= LEAST_DAYS)
    wearers, n = rows["account"].nunique(), len(rows)
    nothing = all_missing(
        Reliability,
        days=days,
        wearers=wearers,
        n=n,
        exposure_h=float(np.nansum(worn[0][present])) if worn else MISSING,
        coverage=float(np.where(present, covered, 0.0).mean()) if len(present) else 0.0,
    )
    if not n:
        return nothing._replace(reason=f"no wearer has {LEAST_DAYS} days with a value")
    parts = [
        (part["day"].to_numpy(), part[column].to_numpy()) for _, part in rows.groupby("account")
    ]
    phi = shrunk_phi_within(parts)
    lengths = np.array([len(values) for _, values in parts], dtype=np.float64)
    # n/effective n: the sum of squares within loses it, the mean's variance gains it.
    lost = np.array([len(values) / effective_n(dates, phi) for dates, values in parts])
    within = sum(float(((values - values.mean()) ** 2).sum()) for _, values in parts)
    variance = within / float((lengths - lost).sum())
    share = 1 / effective_n(np.arange(days), phi)
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
    n = np.arange(1.0, MOST_DAYS + 1)
    alike = np.cumsum(2 * np.cumsum(phi ** (n - 1)) - 1)  # the sum of phi^|i - j| over n days
    enough = n[n**2 * ratio / alike >= goal / (1 - goal)]
    return float(enough[0]) if enough.size else MISSING


def shrunk_phi_within(parts: list[tuple[Ints, Floats]]) -> float:
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
    return float(shrunk_phi(of_days, residuals[None, :], terms=1, n=n // len(parts))[0])


@takes_tables
def power(
    table: pd.DataFrame,
    column: str,
    *,
    change: float,
    days: int | Iterable[int] | None = None,
    draws: int = 400,
    seed: int = 0,
) -> pd.DataFrame:
    """Return how likely a change is found, for several sizes of a study, from a pilot.

    Parameters
    ----------
    table : DataFrame
        The pilot, one row per day: of one wearer, as from `eyelog.daily`, for a comparison of two
        periods of a wearer; or of several, as from `eyelog.cohort.daily`, for one of two groups.
    column : str
        The column that would be compared.
    change : float
        The true difference to find, in the unit of the column.
    days : int or iterable of int, optional
        One wearer: the numbers of days of each period, by default 7 to 56. Several: how many days
        each wearer would be measured, 14 by default.
    draws : int
        One wearer: how many studies of each size are simulated, at least 100.
    seed : int
        Seed of the random generator: the same seed gives the same answer.

    Returns
    -------
    DataFrame
        Index: ``days`` of each period (one wearer) or ``wearers`` of each group (several). float64
        columns ``power``, the share of studies that find the change (p < .05), with ``low`` and
        ``high``, the 95 % interval of the simulation (Wilson); for groups, whose power is computed,
        they equal it.

    Raises
    ------
    FieldError
        If the table lacks the column.
    ConfigurationError
        If the pilot has too few days or wearers to tell how they vary, or an argument cannot be
        used.

    Notes
    -----
    One wearer: days with the pilot's spread, autocorrelation and difference of weekends are
    simulated, and `eyelog.compare.two_periods` judges them, as it would judge the study. Groups:
    Welch's test of the wearers' means by the noncentral t distribution, with the pilot's variance
    between wearers and within them (`eyelog.compare.reliability`). A pilot of few days or wearers
    knows its spread badly, and so the power: plan for more than it says.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=28, freq="D", name="day")
    >>> pilot = pd.DataFrame({"rate": np.random.default_rng(1).normal(15, 2, 28)}, index=days)
    >>> table = el.compare.power(pilot, "rate", change=2.0, days=[7, 14, 28])
    >>> table.index.tolist(), bool(table["power"].is_monotonic_increasing)
    ([7, 14, 28], True)
    """
    check_draws(draws, seed)
    if not np.isfinite(number(change, "change")) or change == 0:
        raise ConfigurationError("power: change must be a number other than 0: what is to be found")
    rows = days_of_wearers(table, column, what="power")
    wearers = rows["account"].nunique()
    if wearers > 1:
        if isinstance(days, Iterable):
            raise ConfigurationError("power: for several wearers, days is one number of days")
        return _of_groups(table, column, change, 14 if days is None else days)
    if len(rows) < 2 * LEAST_DAYS:
        raise ConfigurationError(
            f"power: the pilot has {len(rows)} of at least {2 * LEAST_DAYS} days with {column!r}"
        )
    given = [days] if isinstance(days, int | np.integer) else DAYS if days is None else days
    sizes = [
        whole_number(size, "days", LEAST_DAYS, MOST_OF_PERIOD) for size in names_of(given, "days")
    ]
    dates, values = rows["day"].to_numpy(), rows[column].to_numpy()
    design = with_weekend(np.ones((len(values), 1)), dates)
    level = effect(dates, values[None, :], design, np.ones(1))
    phi, sd = float(level.phi[0]), float(level.sd[0])
    higher = float(level.fit[0, 1]) if design.shape[1] > 1 else 0.0
    generator = np.random.default_rng(seed)
    found = []
    for size in sizes:
        noise = generator.normal(0.0, (1 - phi**2) ** 0.5, (draws, WARM_UP + 2 * size))
        studies = scipy.signal.lfilter([1.0], [1.0, -phi], noise)[:, WARM_UP:] * sd
        studies[:, size:] += change
        hits = 0
        for opening, study in zip(generator.integers(0, 7, draws), studies, strict=True):
            of_days = MONDAY + opening + np.arange(2 * size)
            both = zip(of_days.reshape(2, size), study.reshape(2, size), strict=True)
            one, other = (Days(at, at, y + higher * at_weekend(at), True) for at, y in both)
            hits += compared(one, other)[0].p < 0.05
        inside = scipy.stats.binomtest(hits, draws).proportion_ci(method="wilson")
        found.append((hits / draws, inside.low, inside.high))
    periods = pd.Index(sizes, name="days")
    return pd.DataFrame(found, index=periods, columns=["power", "low", "high"], dtype=np.float64)


def _of_groups(table: pd.DataFrame, column: str, change: float, days: int) -> pd.DataFrame:
    """Return the power of Welch's test for groups of equal size."""
    pilot = reliability(table, column, days=days)
    if not np.isfinite(pilot.sd_between):
        raise ConfigurationError(f"power: {pilot.reason}, so the pilot cannot tell how they vary")
    sd = (pilot.sd_between**2 + pilot.sem_mean**2) ** 0.5
    wearers = np.array(WEARERS)
    freedom, shift = 2 * (wearers - 1), change / (sd * np.sqrt(2 / wearers))
    limit = scipy.stats.t.ppf(0.975, freedom)
    found = scipy.stats.nct.sf(limit, freedom, shift) + scipy.stats.nct.cdf(-limit, freedom, shift)
    share = np.where(np.isnan(found), 1.0, found)  # so far from 0 that it cannot be computed
    columns = {"power": share, "low": share, "high": share}
    return pd.DataFrame(columns, index=pd.Index(wearers, name="wearers"))


@takes_tables
def sensitivity(
    frame: pd.DataFrame,
    function: Callable[..., Any],
    *,
    limits: Iterable[Limits] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Return what a function answers under several limits, and how far the answer moves.

    Parameters
    ----------
    frame : DataFrame
        Records of one log that have not been masked.
    function : callable
        Called as ``function(frame, limits=..., **options)``: a function of the library, such as
        `eyelog.blinks.rate`, or your own, which passes `limits` on. It returns a number, a named
        tuple, a Series of numbers or a table; a table counts by the means of its columns.
    limits : iterable of Limits, optional
        The choices; the others are compared with the first. By default the documented limits, wear
        shown by blinks too, and stricter limits for noise, wear and walking.
    **options
        Further arguments of the function.

    Returns
    -------
    DataFrame
        One row per choice. Index ``limits``: what differs from the documented limits, as text. A
        float64 column for each number that the function answers, and after each
        ``<name>_moved``, its difference from the first row, in the unit of the number.

    Raises
    ------
    ConfigurationError
        If there are fewer than two choices, `function` cannot be called with ``limits=``, or its
        answer has no numbers.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample()
    >>> choices = [el.Limits(), el.Limits(wear="blinks")]
    >>> table = el.compare.sensitivity(frame, el.blinks.rate, limits=choices)
    >>> table.index.tolist(), table["rate_per_min_moved"].round(2).tolist()[0]
    (['Limits()', "Limits(wear='blinks')"], 0.0)
    """
    choices = list(CHOICES if limits is None else limits if isinstance(limits, Iterable) else ())
    if len(choices) < 2 or not all(isinstance(choice, Limits) for choice in choices):
        raise ConfigurationError(
            "sensitivity: limits takes two or more eyelog.Limits(...), the usual one first"
        )
    if not callable(function):
        raise ConfigurationError(
            "sensitivity takes a function, such as eyelog.blinks.rate, not what it returned"
        )
    answers = []
    for choice in choices:
        try:
            answer = function(frame, limits=choice, **options)
        except TypeError as error:
            raise ConfigurationError(
                f"sensitivity: {getattr(function, '__name__', function)!r} cannot be called as"
                f" function(frame, limits=...): {error}"
            ) from error
        answers.append(_numbers(answer))
    table = pd.DataFrame(answers, index=pd.Index(map(repr, choices), name="limits"))
    if not len(table.columns):
        raise ConfigurationError("sensitivity: the function answered without any number")
    moved = (table - table.iloc[0]).add_suffix("_moved")
    both = [name for column in table.columns for name in (column, f"{column}_moved")]
    return table.join(moved)[both].astype(np.float64)


def _numbers(answer: Any) -> dict[str, float]:
    """Return the numbers of an answer by name."""
    if isinstance(answer, pd.DataFrame):
        answer = answer.select_dtypes("number").mean()
    if isinstance(answer, pd.Series):
        answer = answer.to_dict()
    elif hasattr(answer, "_asdict"):
        answer = answer._asdict()
    elif not isinstance(answer, dict):
        answer = {"value": answer}
    return {
        str(name): float(value)
        for name, value in answer.items()
        if isinstance(value, int | float | np.number) and not isinstance(value, bool)
    }
