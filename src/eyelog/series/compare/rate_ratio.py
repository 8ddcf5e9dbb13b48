"""Two sets of days of a wearer: the ratio of their rates with its interval."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.catalogue import STANDARD_MODE_LOGS
from eyelog.clock import DAY_US, microseconds
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import history, takes_tables
from eyelog.judge.arrays import MISSING, Floats, Ints, numbers
from eyelog.judge.calendar import calendar_dates
from eyelog.judge.limits import limit
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import at_weekend, effect, log_rate_values, with_weekend
from eyelog.series.observed import check_frame, one_log

LEAST_DAYS: Final = 4  # of a side; both together are enough to tell how alike they are
OF: Final = "the interval is of these minutes"
NO_BLINK: Final = limit(STANDARD_MODE_LOGS, "no_blink")


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
        check_frame(table, what="rate_ratio")
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
    reason = _why(sides) if n1 and n2 else "a table has no event: no p of the wearer"
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
    ratio = rates[0] / rates[1]
    if not found.se[0] > 0:
        p = 1.0 if ratio == 1 else 0.0
    else:
        t = abs(np.log(ratio)) / float(found.se[0])
        p = float(2.0 * scipy.special.stdtr(float(found.freedom[0]), -t))
    reach = float(np.exp(found.reach[0]))
    return nothing._replace(
        ratio=ratio,
        low=ratio / reach,
        high=ratio * reach,
        p=p,
        phi=float(found.phi[0]),
        n_effective=float(found.n_effective[0]),
        of="wearer",
    )


def _higher_at_weekends(sides: Sequence[_Side]) -> float:
    """Return the ratio of the rate at weekends to that of weekdays, the same on both sides.

    The maximum of the Poisson likelihood with a rate for each side: as many events at weekends as
    expected.
    """
    parts = []
    for side in sides:
        weekend = at_weekend(side.days) == 1
        parts.append((side.events.sum(), *(side.minutes[one].sum() for one in (weekend, ~weekend))))
    seen = sum(float(side.events[at_weekend(side.days) == 1].sum()) for side in sides)
    if not 0 < seen < sum(float(n) for n, _, _ in parts):
        return 1.0

    def surplus(log_ratio: float) -> float:
        higher = np.exp(log_ratio)
        return sum(float(n * higher * we / (higher * we + wd)) for n, we, wd in parts) - seen

    return float(np.exp(scipy.optimize.brentq(surplus, -20.0, 20.0)))


def _why(sides: Sequence[_Side]) -> str:
    """Return why the interval is not about the wearer."""
    if any(len(side.days) == 0 for side in sides):
        return f"the rows of a table are not days (rate with by='1D' gives them): no p; {OF}"
    return f"fewer than {LEAST_DAYS} days in a table: no p; {OF}"


def _pooled(table: pd.DataFrame) -> _Side:
    """Return the events and minutes of a table; rows without either do not count."""
    lacking = [name for name in ("n", "exposure_min") if name not in table.columns]
    if lacking:
        raise FieldError(
            f"rate_ratio: a table lacks {', '.join(lacking)}: pass tables of"
            " eyelog.blinks.rate(frame, by='day')"
        )
    _check_counts(table)
    events, minutes = (numbers(table[name]) for name in ("n", "exposure_min"))
    rows = np.isfinite(events) & np.isfinite(minutes)
    if "reason" in table.columns:
        stood = (events == 0) & NO_BLINK.keeps(minutes * 60.0)
        rows &= ~(stood & (table["reason"] != "").to_numpy())
    events, minutes = events[rows], minutes[rows]
    if (events < 0).any() or (minutes < 0).any() or (events % 1 != 0).any():
        raise ConfigurationError(
            "rate_ratio needs whole counts and minutes of 0 or more in n and exposure_min"
        )
    if (events[minutes == 0] > 0).any():
        raise ConfigurationError("rate_ratio: a row has events without any exposure")
    if not isinstance(table.index, pd.DatetimeIndex):
        return _Side(np.zeros(0, dtype=np.int64), events, minutes)
    dates = calendar_dates(table, what="rate_ratio")
    if dates is None:
        return _Side(np.zeros(0, dtype=np.int64), events, minutes)
    numbers_of = (microseconds(dates) // DAY_US)[rows]
    days, owner = np.unique(numbers_of[minutes > 0], return_inverse=True)
    counts, time = (np.bincount(owner, part[minutes > 0], len(days)) for part in (events, minutes))
    return _Side(days, counts.astype(np.float64), time.astype(np.float64))


def _check_counts(table: pd.DataFrame) -> None:
    """Refuse blink rates that are not a count divided by an exposure."""
    rates = [step for step in history(table) if step["step"] == "blinks.rate"]
    if not rates:
        return
    step = rates[-1]
    if step.get("correct_noise") or step.get("method") not in (None, "gaps", "counts"):
        raise ConfigurationError(
            "rate_ratio needs rates that are n / exposure_min: take blinks.rate(frame) without"
            " correct_noise, and of the 60-second log with method='counts'"
        )
