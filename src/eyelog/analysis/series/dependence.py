"""Neighbouring days are alike: how much less is known about a level, a difference or a line.

The residuals of days follow each other as phi^k over k days (AR(1)). phi is estimated from the
residuals of the fitted level, levels or line, and each variance takes it into account.
statsmodels' robust covariance (HAC) was considered: in 28 days without a trend at phi .5 it still
finds one in 17 of 100 cases, because it neither corrects the bias of phi nor counts effective days.
"""

from typing import Final, NamedTuple

import numpy as np
import scipy

from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.analysis.series.observed import Observed, local_dates
from eyelog.clock import DAY_US
from eyelog.errors import ConfigurationError

__all__ = [
    "LEAST_DAYS",
    "Days",
    "by_day",
    "corrected",
    "difference_se",
    "effective_n",
    "lag_one",
    "level_interval",
    "level_se",
    "likeness",
    "residual_variance",
    "slope_se",
    "t_quantile",
    "widening",
]

LEAST_DAYS: Final = 10
"""With fewer days in all, it cannot be estimated how much they are alike."""

LEAST_FOR_INTERVAL: Final = 3

LARGEST: Final = 0.9
"""Beyond this, a few weeks are one observation, and no estimate of phi is reliable."""

MIDDLE: Final = 0.975


class Days(NamedTuple):
    """One value for each local day, or for each row that is longer than a day.

    Attributes
    ----------
    dates : array of int64
        The local dates, as the days since 1970.
    numbers : array of int64
        The number of each row: 1 apart for neighbours, whatever the length of a row.
    values : array of float64
        The values.
    """

    dates: Ints
    numbers: Ints
    values: Floats


def by_day(seen: Observed, *, what: str = "", most: float = np.inf) -> Days:
    """Return one value for each local day: the mean of its values; longer rows as they are.

    Raises
    ------
    ConfigurationError
        If there are more days than `what` can take.
    """
    step = max(1, round(seen.step_us / DAY_US))
    dates, owner, count = np.unique(
        local_dates(seen.opens), return_inverse=True, return_counts=True
    )
    if len(dates) > most:
        raise ConfigurationError(
            f"{what} takes at most {most} days, not {len(dates)}: summarise per week first"
            " (eyelog.weekly)"
        )
    values = seen.values
    if len(dates) < len(values):
        values = np.bincount(owner, weights=values) / count
    return Days(dates, np.round(dates / step).astype(np.int64), values)


def likeness(days: Ints, residuals: Floats) -> float:
    """Return phi: the lag-1 autocorrelation of residuals, corrected for bias, from 0 to 0.9.

    Parameters
    ----------
    days : array of int64
        The number of each day, in order, 1 apart for neighbours. Only neighbours are compared.
    residuals : array of float64
        The residuals of a fitted level, of levels or of a line.

    Returns
    -------
    float
        The autocorrelation phi plus (2 + 4 phi) / n, the bias of residuals of two fitted
        parameters; 0 if there are no neighbours or the residuals do not vary.
    """
    return corrected(lag_one(days, residuals), len(days), (2.0, 4.0))


def lag_one(days: Ints, residuals: Floats) -> float:
    """Return the lag-1 autocorrelation of residuals over neighbouring days, uncorrected."""
    beside = np.flatnonzero(np.diff(days) == 1)
    spread = float(np.mean(residuals**2)) if len(residuals) else 0.0
    if not len(beside) or not spread > 0:
        return float("nan")
    # The sum over n, not over the neighbours, where days are without a gap: the bias is known for
    # that estimate, and it varies less.
    share = (len(days) - 1) / len(days)
    return float(np.mean(residuals[beside] * residuals[beside + 1]) * share / spread)


def corrected(estimate: float, n: int, terms: tuple[float, float]) -> float:
    """Return an autocorrelation less its bias, from 0 to 0.9; 0 where it is missing."""
    constant, slope = terms
    if np.isnan(estimate):
        return 0.0
    return float(min(max(estimate + (constant + slope * estimate) / n, 0.0), LARGEST))


def effective_n(days: Ints, phi: float) -> float:
    """Return how many independent days would be as informative about a level.

    For days without a gap n / (1 + 2 sum over k of (1 - k/n) phi^k).
    """
    n = len(days)
    return n**2 / float(_correlations(days, phi).sum()) if n else 0.0


def widening(n: int, independent: float) -> float:
    """Return the factor from the variance of a mean of n independent days to that of similar days.

    The residuals of days that are alike are smaller than the uncertainty of their mean: the
    variance is divided by the expected loss and by the share of the days that are effective.
    """
    return (n - 1) / (n - n / independent) * n / independent


def residual_variance(days: Ints, residuals: Floats, phi: float, design: Floats) -> float:
    """Return the variance of single days, from residuals that the fit has made too small.

    Parameters
    ----------
    days, residuals
        As in `likeness`.
    phi : float
        How much neighbours are alike.
    design : array of float64
        A column for each fitted parameter: ones for a level, an indicator for each of several, ones
        and the day for a line.

    Returns
    -------
    float
        The sum of squares over its expectation for a variance of 1, the trace of (I - H) V, where
        H is the hat matrix and V holds phi^|i - j| for days i and j.
    """
    basis = np.linalg.qr(design)[0]
    lost = float(np.sum(basis * (_correlations(days, phi) @ basis)))
    return float(residuals @ residuals) / (len(days) - lost)


def level_se(days: Ints, residuals: Floats, phi: float) -> float:
    """Return the standard error of the mean of days, given their residuals from it."""
    variance = residual_variance(days, residuals, phi, np.ones((len(days), 1)))
    return float(np.sqrt(variance / effective_n(days, phi)))


def level_interval(days: Ints, values: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the level of one wearer, with days as the units.

    Parameters
    ----------
    days : array of int64
        The number of each day, in order, 1 apart for neighbours.
    values : array of float64
        One value for each day.

    Returns
    -------
    float, float
        Student's t on the effective days, wider where neighbouring days are alike, which fewer than
        ten days cannot show; missing with fewer than three days or if they do not vary.
    """
    n = len(values)
    if n < LEAST_FOR_INTERVAL or np.ptp(values) == 0:
        return float("nan"), float("nan")
    mean = float(values.mean())
    phi = likeness(days, values - mean) if n >= LEAST_DAYS else 0.0
    reach = t_quantile(effective_n(days, phi) - 1) * level_se(days, values - mean, phi)
    return mean - reach, mean + reach


def difference_se(days: Ints, residuals: Floats, phi: float, second: Floats) -> float:
    """Return the standard error of the difference of two means of days.

    Parameters
    ----------
    days, residuals
        As in `likeness`; the residuals from the mean of their own set.
    phi : float
        How much neighbours are alike.
    second : array of float64
        1 for the days of the second set, 0 for those of the first.

    Returns
    -------
    float
        Days of different sets count as independent, which errs towards a larger error.
    """
    sets = np.column_stack([1.0 - second, second])
    variance = residual_variance(days, residuals, phi, sets)
    n_effective = [effective_n(days[second == one], phi) for one in (0.0, 1.0)]
    return float(np.sqrt(variance * (1.0 / n_effective[0] + 1.0 / n_effective[1])))


def slope_se(days: Ints, residuals: Floats, phi: float) -> float:
    """Return the standard error of a slope per day, given the residuals from the line."""
    line = np.column_stack([np.ones(len(days)), days])
    variance = residual_variance(days, residuals, phi, line)
    along = days - days.mean()
    spread = float(along @ _correlations(days, phi) @ along) / float(along @ along) ** 2
    return float(np.sqrt(variance * spread))


def t_quantile(freedom: float, share: float = MIDDLE) -> float:
    """Return a quantile of Student's t, by default 97.5 %, with at least one degree of freedom."""
    # scipy.stats has it too, but takes most of a second to import.
    return float(scipy.special.stdtrit(max(freedom, 1.0), share))


def _correlations(days: Ints, phi: float) -> Floats:
    """Return phi^|i - j| for each two days."""
    apart = np.abs(days[:, None] - days[None, :])
    return np.asarray(phi**apart, dtype=np.float64)
