"""Two periods of one person: how values differ, and the ratio of rates."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.catalogue import STANDARD_MODE_LOGS
from eyelog.clock import DAY_US, microseconds
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import history, require_frame, takes_tables
from eyelog.judge.arrays import MISSING, Floats, Ints, numbers
from eyelog.judge.limits import Limits, limit
from eyelog.measure.groups import calendar_dates
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import (
    Days,
    Effect,
    RankInterval,
    at_weekend,
    by_day,
    effect,
    log_rate_values,
    rank_interval,
    two_samples_law,
    with_weekend,
)
from eyelog.series.observed import observed, one_log

MOST_PAIRS: Final = 250_000
LEAST_VALUES: Final = 3
LEAST_DAYS: Final = 4  # of a side; both together are enough to tell how alike they are
OF: Final = "the interval is of these minutes"
NO_BLINK: Final = limit(STANDARD_MODE_LOGS, "no_blink")


@shown("Difference of two periods, of this wearer", difference=("low", "high"))
class TwoPeriods(NamedTuple):
    """The usual difference of two periods of a wearer, with days as units."""

    difference: float
    low: float
    high: float
    p: float
    phi: float
    n_effective: float
    n_before: int
    n_after: int
    days_before: int
    days_after: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def two_periods(
    before: pd.Series | pd.DataFrame,
    after: pd.Series | pd.DataFrame,
    *,
    column: str | None = None,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: pd.Series | None = None,
) -> TwoPeriods:
    """Return by how much the values of one period exceed those of an earlier one.

    Parameters
    ----------
    before, after : Series or DataFrame
        The same quantity of one person in two periods: numbers by date or with aware stamps, or two
        tables that have them as a column, usually days of `eyelog.daily`. Several values of a local
        day count as one, their mean. At most 250,000 pairs of days.
    column : str, optional
        The column, if `before` and `after` are tables.
    limits, interval : optional
        As in `eyelog.rhythm.most_active`; an interval belongs to the local day in which it opens.
    exposure : Series, optional
        The hours that each row of both periods is based on, indexed as they are. Default: as in
        `eyelog.rhythm.most_active`.

    Returns
    -------
    TwoPeriods
        In the unit of the series: ``difference`` (Hodges-Lehmann: the median of all differences
        after less before) with its 95 % interval of this wearer ``low`` and ``high``: these days
        are a sample of the wearer's days. Then ``p`` of no difference, which is below 5 % if, and
        only if, the interval excludes 0; ``phi``, how alike neighbouring days are (0 to 0.9), and
        ``n_effective``, how many independent days would be as informative; ``n_before``,
        ``n_after`` (values), ``days_before``, ``days_after``, ``exposure_h`` and ``coverage`` (of
        both periods together; for daily tables the hours worn and the mean of the days' coverage,
        for Series by day missing and the share of days with a value) and ``reason`` if something is
        missing: everything if a period has fewer than three days, all but the difference if no
        difference of so few days can reach the level (fewer than 4 and 4, or 3 and 5).

    Raises
    ------
    ConfigurationError
        If there are too many days, the stamps are not in order, the values hold the invalid value
        of a field, or an argument cannot be used.
    MixedLogsError
        If the two are of different logs.

    Notes
    -----
    Hodges & Lehmann (1963, Annals of Mathematical Statistics 34:598). For independent days the
    interval inverts the Mann-Whitney test (Hollander & Wolfe 1973): exactly if both periods have
    fewer than 50 days, by the normal approximation otherwise. Equal values are treated like others,
    so that another zero of the scale only shifts the interval.

    Real days are alike, so the interval is widened about the difference by the ratio of two
    Student intervals of the difference of the means: with the lag-1 autocorrelation ``phi`` of the
    days' residuals and ``n_effective`` days, and with independent days. ``phi`` is corrected for
    bias and shrunk towards .3, as if seven days of a usual wearer stood beside; the residual
    variance is corrected for what the two means take away. If each period has two days at weekends
    and two others, weekends are levelled first. How often two periods of the same process differ is
    in the table of the definitions. A difference between two periods of one person is not
    necessarily the effect of what happened between them: season, work and wear change too.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=10, freq="D", name="day")
    >>> steps = pd.Series([4, 5, 6, 5, 4, 8, 9, 7, 8, 9.0], index=days)
    >>> result = el.compare.two_periods(steps[:5], steps[5:])
    >>> result.difference, result.low > 0
    (3.0, True)
    """
    one_log(before, after, what="two_periods")
    if exposure is not None and not isinstance(exposure, pd.Series):
        raise ConfigurationError("two_periods: exposure must be a Series of hours for both periods")
    call = "{what}(before, after, column={column})"
    first, second = (
        observed(period, column, "two_periods", limits, interval, exposure, call=call)
        for period in (before, after)
    )
    step_us = min(first.step_us, second.step_us)
    one, other = (by_day(period, step_us=step_us) for period in (first, second))
    n, m = len(one.values), len(other.values)
    if n * m > MOST_PAIRS:
        raise ConfigurationError(
            f"two_periods takes at most {MOST_PAIRS} pairs of days, not {n} by {m}: summarise per"
            " week first (eyelog.weekly)"
        )
    covered = first.coverage * first.span + second.coverage * second.span
    nothing = all_missing(
        TwoPeriods,
        n_before=first.n,
        n_after=second.n,
        days_before=n,
        days_after=m,
        exposure_h=first.exposure_h + second.exposure_h,
        coverage=covered / (first.span + second.span) if first.n or second.n else 0.0,
    )
    if min(n, m) < LEAST_VALUES:
        fewer = "before" if n < m else "after"
        return nothing._replace(reason=f"fewer than {LEAST_VALUES} days {fewer}")
    found, means = compared(one, other)
    if two_samples_law(n, m).rank() < 1:
        return nothing._replace(
            difference=found.value,
            reason=f"{n} and {m} days cannot reach the level: no interval and no p of this wearer",
        )
    return nothing._replace(
        difference=found.value,
        low=found.low,
        high=found.high,
        p=found.p,
        **means.alike,
    )


def compared(one: Days, other: Days) -> tuple[RankInterval, Effect]:
    """Return by how much days exceed earlier ones (Hodges & Lehmann), and how the means differ.

    Weekends are levelled first, where each side has two days of either kind.
    """
    numbers = np.concatenate([one.numbers, other.numbers])
    order = np.argsort(numbers, kind="stable")
    second = np.repeat([0.0, 1.0], [len(one.values), len(other.values)])[order]
    values = np.concatenate([one.values, other.values])[order]
    design = np.column_stack([1.0 - second, second])
    if one.daily and other.daily:
        dates = np.concatenate([one.dates, other.dates])[order]
        design = with_weekend(design, dates, second)
    means = effect(numbers[order], values[None, :], design, np.array([-1.0, 1.0]), second)
    levelled = values - design[:, 2:] @ means.fit[0, 2:]
    pairs = levelled[second == 1][None, :] - levelled[second == 0][:, None]
    law = two_samples_law(len(one.values), len(other.values))
    return rank_interval(pairs.ravel(), law, float(means.factor[0])), means


@shown("Ratio of two rates", ratio=("low", "high"))
class RateRatio(NamedTuple):
    """The ratio of two pooled rates with its interval."""

    ratio: float
    low: float
    high: float
    p: float
    rate_one_per_min: float
    rate_other_per_min: float
    n_one: int
    n_other: int
    exposure_one_min: float
    exposure_other_min: float
    days_one: int
    days_other: int
    phi: float
    n_effective: float
    coverage: float
    of: str
    reason: str


@takes_tables
def rate_ratio(one: pd.DataFrame, other: pd.DataFrame) -> RateRatio:
    """Return the ratio of two pooled rates, with its interval.

    Parameters
    ----------
    one, other : DataFrame
        Tables with ``n`` (events) and ``exposure_min`` (minutes in which they could be counted),
        such as from `eyelog.blinks.rate` with ``by="1D"``; their rows are pooled. With dates as the
        index, the rows are days of a wearer. Select the rows of a week, or of a label with
        ``by=["1D", "label"]`` and ``table.xs("desk", level="label")``. Rows in which the counter of
        blinks stood still (see `eyelog.blinks.rate`) are left out.

    Returns
    -------
    RateRatio
        ``ratio`` (one over other, weekends levelled) with its 95 % interval ``low`` and ``high``,
        ``p`` (of equal rates of the wearer), ``rate_one_per_min``, ``rate_other_per_min``,
        ``n_one``, ``n_other``, ``exposure_one_min``, ``exposure_other_min``, ``days_one``,
        ``days_other``, ``phi`` (how much neighbouring days are alike), ``n_effective`` (how many
        independent days would be as informative), ``coverage`` (mean of the tables' rows, if they
        have it), ``of`` (what the interval is about: ``wearer``, or ``minutes`` if a table has
        fewer than four days) and
        ``reason`` if something is missing. For these minutes there is no ``p``. If `other` has no
        events, the ratio is missing, ``low`` is still valid and ``high`` is infinite.

    Raises
    ------
    FieldError
        If a table lacks ``n`` or ``exposure_min``.
    MixedLogsError
        If the tables are of different logs.
    ConfigurationError
        If a count or exposure is negative, or a count is not a whole number; or if a table of
        `eyelog.blinks.rate` is corrected for noise, or read off the average gaps of the 60-second
        log: its rate is not its count over its exposure.

    Notes
    -----
    From four days on each side, days are the units: the jackknife over the days of each side gives
    the error of the logarithm of its rate, which grows with the autocorrelation ``phi`` of the days
    (shrunk towards .3), and Student's t on the effective days, less two, gives the interval and p.
    If each side has two days at weekends and two others, ``ratio`` is that of days of one kind: the
    ratio of weekends to weekdays (Poisson likelihood) is taken out of the counts first. How often
    two sides of the same process differ is in the table of the definitions.

    With fewer days the interval is about these minutes alone: given the sum of the events, those of
    `one` are binomial; the interval is that of Clopper & Pearson (1934) for their share, turned
    into a ratio (Przyborowski & Wilenski 1940), exact for Poisson counts. Two weeks of the same
    wearer usually differ by more than it allows, so there is no p.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-05", periods=14, name="day")
    >>> blinks = [5000 + 100 * (i % 3) for i in range(7)] + [6000 + 100 * (i % 3) for i in range(7)]
    >>> table = pd.DataFrame({"n": blinks, "exposure_min": 400.0}, index=days)
    >>> result = el.compare.rate_ratio(table.iloc[7:], table.iloc[:7])
    >>> round(result.ratio, 2), result.of, result.p < 0.05
    (1.2, 'wearer', True)
    """
    for table in (one, other):
        require_frame(table, what="rate_ratio", wanted="a DataFrame")
    one_log(one, other, what="rate_ratio")
    sides = [_pooled(table) for table in (one, other)]
    (n1, t1), (n2, t2) = ((int(side.events.sum()), float(side.minutes.sum())) for side in sides)
    covered = [numbers(t["coverage"]) for t in (one, other) if "coverage" in t.columns]
    shares = np.concatenate(covered) if covered else np.zeros(0)
    shares = shares[np.isfinite(shares)]
    nothing = all_missing(
        RateRatio,
        rate_one_per_min=n1 / t1 if t1 > 0 else MISSING,
        rate_other_per_min=n2 / t2 if t2 > 0 else MISSING,
        n_one=n1,
        n_other=n2,
        exposure_one_min=t1,
        exposure_other_min=t2,
        days_one=len(sides[0].days),
        days_other=len(sides[1].days),
        coverage=float(shares.mean()) if shares.size else MISSING,
        of="minutes",
    )
    if not (t1 > 0 and t2 > 0):
        return nothing._replace(reason="no exposure in a table: it has no rate")
    if n1 + n2 == 0:
        return nothing._replace(reason="no event in either table")
    if min(len(side.days) for side in sides) >= LEAST_DAYS and n1 and n2:
        return _of_wearer(nothing, sides)
    test = scipy.stats.binomtest(n1, n1 + n2, t1 / (t1 + t2))
    share = test.proportion_ci(0.95, method="exact")
    low, high = (
        p / (1.0 - p) * t2 / t1 if p < 1 else float("inf") for p in (share.low, share.high)
    )
    reason = f"fewer than {LEAST_DAYS} days in a table: no p; {OF}"
    if any(len(side.days) == 0 for side in sides):
        reason = f"the rows of a table are not days (rate with by='1D' gives them): no p; {OF}"
    if not n1:
        reason = "a table has no event: no p of the wearer"
    if not n2:
        reason = f"the other table has no event: the ratio has no upper limit, and no p; {OF}"
    return nothing._replace(
        ratio=n1 / t1 / (n2 / t2) if n2 else MISSING,
        low=float(low),
        high=float(high),
        reason=reason,
    )


class _Side(NamedTuple):
    """The rows of a table: as days, sums by date; otherwise as they are, with no days."""

    days: Ints
    events: Floats
    minutes: Floats


def _of_wearer(nothing: RateRatio, sides: Sequence[_Side]) -> RateRatio:
    """Return the ratio with days as the units, weekends levelled."""
    days = np.concatenate([side.days for side in sides])
    first = np.repeat([1.0, 0.0], [len(side.days) for side in sides])
    sets = np.column_stack([first, 1.0 - first])
    design = with_weekend(sets, days, first)
    higher = _higher_at_weekends(sides) if design.shape[1] > sets.shape[1] else 1.0
    values, rates = [], []
    for side in sides:
        counts = side.events / np.where(at_weekend(side.days) == 1, higher, 1.0)
        n, time = counts.sum(), side.minutes.sum()
        rates.append(float(n / time))
        values.append(log_rate_values(rates[-1], (n - counts) / (time - side.minutes)))
    order = np.argsort(days, kind="stable")
    both = np.concatenate(values)[order][None, :]
    found = effect(days[order], both, design[order], np.array([1.0, -1.0]), first[order])
    ratio, reach = rates[0] / rates[1], float(np.exp(found.reach[0]))
    found = found._replace(estimate=np.log([ratio]))
    return nothing._replace(
        ratio=ratio,
        low=ratio / reach,
        high=ratio * reach,
        p=float(found.p[0]),
        **found.alike,
        of="wearer",
    )


def _higher_at_weekends(sides: Sequence[_Side]) -> float:
    """Return the ratio of the rate at weekends to that of weekdays, the same on both sides.

    The maximum of the Poisson likelihood with a rate for each side: as many events at weekends as
    expected.
    """
    kinds = [at_weekend(side.days) for side in sides]
    each = list(zip(sides, kinds, strict=True))
    events = np.array([side.events.sum() for side in sides])
    odds = np.array([kind @ side.minutes / ((1 - kind) @ side.minutes) for side, kind in each])
    seen = float(sum(kind @ side.events for side, kind in each))
    if not 0 < seen < events.sum():
        return 1.0
    log_ratio = scipy.optimize.brentq(
        lambda at: float(events @ scipy.special.expit(at + np.log(odds))) - seen, -20.0, 20.0
    )
    return float(np.exp(log_ratio))


def _pooled(table: pd.DataFrame) -> _Side:
    """Return the events and minutes of a table; rows without either do not count."""
    lacking = [name for name in ("n", "exposure_min") if name not in table.columns]
    if lacking:
        raise FieldError(
            f"rate_ratio: a table lacks {', '.join(lacking)}: pass tables of"
            " eyelog.blinks.rate(frame, by='day')"
        )
    for step in history(table)[::-1]:
        counted = step.get("method") in (None, "gaps", "counts") and not step.get("correct_noise")
        if step["step"] == "blinks.rate" and not counted:
            raise ConfigurationError(
                "rate_ratio needs rates that are n / exposure_min: take blinks.rate(frame) without"
                " correct_noise, and of the 60-second log with method='counts'"
            )
    events, minutes = (numbers(table[name]) for name in ("n", "exposure_min"))
    rows = np.isfinite(events) & np.isfinite(minutes)
    if "reason" in table.columns:
        stood = (events == 0) & NO_BLINK.keeps(minutes * 60.0)
        rows &= ~(stood & (table["reason"] != "").to_numpy())
    dates = None
    if isinstance(table.index, pd.DatetimeIndex):
        dates = calendar_dates(table, what="rate_ratio")
    if (events[rows] < 0).any() or (minutes[rows] < 0).any() or (events[rows] % 1 != 0).any():
        raise ConfigurationError(
            "rate_ratio needs whole counts and minutes of 0 or more in n and exposure_min"
        )
    if (events[rows & (minutes == 0)] > 0).any():
        raise ConfigurationError("rate_ratio: a row has events without any exposure")
    rows &= minutes > 0
    events, minutes = events[rows], minutes[rows]
    if dates is None:
        return _Side(np.zeros(0, dtype=np.int64), events, minutes)
    days, owner = np.unique(microseconds(dates)[rows] // DAY_US, return_inverse=True)
    counts, time = (np.bincount(owner, part).astype(np.float64) for part in (events, minutes))
    return _Side(days, counts, time)
