"""Two groups' rates: their ratio with its interval."""

from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.analysis.compare.group_difference import MISSING
from eyelog.analysis.limits import limit
from eyelog.analysis.results import shown
from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.series.observed import check_frame, one_log
from eyelog.catalogue import STANDARD_MODE_LOGS
from eyelog.errors import ConfigurationError, FieldError
from eyelog.provenance import history

__all__ = [
    "RateRatio",
    "rate_ratio",
]

NO_BLINK: Final = limit(STANDARD_MODE_LOGS, "no_blink")


@shown("Ratio of two rates", ratio=("low", "high"))
class RateRatio(NamedTuple):
    """The ratio of two pooled rates with its exact interval."""

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
    coverage: float
    reason: str


def rate_ratio(one: pd.DataFrame, other: pd.DataFrame) -> RateRatio:
    """Return the ratio of two pooled rates, with its exact interval.

    Parameters
    ----------
    one, other : DataFrame
        Tables with ``n`` (events) and ``exposure_min`` (minutes in which they could be counted),
        such as from `eyelog.blinks.rate`; their rows are pooled. Select rows for a day, hour or
        label. Rows in which the counter of blinks stood still (see `eyelog.blinks.rate`) are left
        out.

    Returns
    -------
    RateRatio
        ``ratio`` (one over other) with its 95 % interval ``low`` and ``high``, ``p`` (of equal
        rates), ``rate_one_per_min``, ``rate_other_per_min``, ``n_one``, ``n_other``,
        ``exposure_one_min``, ``exposure_other_min``, ``coverage`` (mean of the tables' rows, if
        they have it) and ``reason`` if something is missing. If `other` has no events, the ratio is
        missing, ``low`` is still valid and ``high`` is infinite.

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
    Given the sum of the events, those of `one` are binomial; the interval is that of Clopper &
    Pearson (1934) for their share, turned into a ratio (Przyborowski & Wilenski 1940), exact for
    Poisson counts: it contains the true ratio in at least 95 of 100 cases, however few the events.
    Blinks come in bursts and buffers overlap, so it is too narrow to the extent that
    `eyelog.blinks.effective_n` is below ``n``.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> table = pd.DataFrame({"n": [11, 21], "exposure_min": [800.0, 3011.0]})
    >>> result = el.compare.rate_ratio(table.iloc[:1], table.iloc[1:])
    >>> round(result.ratio, 4), round(result.low, 4), round(result.high, 4)
    (1.9715, 0.8584, 4.2773)
    """
    for table in (one, other):
        check_frame(table, what="rate_ratio")
    one_log(one, other, what="rate_ratio")
    (n1, t1), (n2, t2) = (_pooled(table) for table in (one, other))
    covered = [numbers(t["coverage"]) for t in (one, other) if "coverage" in t.columns]
    shares = np.concatenate(covered) if covered else np.zeros(0)
    shares = shares[np.isfinite(shares)]
    nothing = RateRatio(
        ratio=MISSING,
        low=MISSING,
        high=MISSING,
        p=MISSING,
        rate_one_per_min=n1 / t1 if t1 > 0 else MISSING,
        rate_other_per_min=n2 / t2 if t2 > 0 else MISSING,
        n_one=n1,
        n_other=n2,
        exposure_one_min=t1,
        exposure_other_min=t2,
        coverage=float(shares.mean()) if shares.size else MISSING,
        reason="",
    )
    if not (t1 > 0 and t2 > 0):
        return nothing._replace(reason="no exposure in a table: it has no rate")
    if n1 + n2 == 0:
        return nothing._replace(reason="no event in either table")
    test = scipy.stats.binomtest(n1, n1 + n2, t1 / (t1 + t2))
    share = test.proportion_ci(0.95, method="exact")
    low, high = (
        p / (1.0 - p) * t2 / t1 if p < 1 else float("inf") for p in (share.low, share.high)
    )
    reason = "" if n2 else "the other table has no event: the ratio has no upper limit"
    return nothing._replace(
        ratio=n1 / t1 / (n2 / t2) if n2 else MISSING,
        low=float(low),
        high=float(high),
        p=float(test.pvalue),
        reason=reason,
    )


def _pooled(table: pd.DataFrame) -> tuple[int, float]:
    """Return all events and all minutes of a table; rows without either do not count."""
    lacking = [name for name in ("n", "exposure_min") if name not in table.columns]
    if lacking:
        raise FieldError(f"rate_ratio: a table lacks {', '.join(lacking)}")
    _check_counts(table)
    events, minutes = (numbers(table[name]) for name in ("n", "exposure_min"))
    if "reason" in table.columns:
        mute = (events == 0) & NO_BLINK.keeps(minutes * 60.0) & (table["reason"] != "").to_numpy()
        events, minutes = events[~mute], minutes[~mute]
    both = np.isfinite(events) & np.isfinite(minutes)
    events, minutes = events[both], minutes[both]
    if (events < 0).any() or (minutes < 0).any() or (events % 1 != 0).any():
        raise ConfigurationError(
            "rate_ratio needs whole counts and minutes of 0 or more in n and exposure_min"
        )
    if (events[minutes == 0] > 0).any():
        raise ConfigurationError("rate_ratio: a row has events without any exposure")
    return int(events.sum()), float(minutes.sum())


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
