"""A rate over days: how well consecutive days, as a sample of a wearer's days, determine it.

Counts and exposures are summed over all days, and the error comes from the effect of each day on
the rate (jackknife). Events and minutes within a day may depend on one another in any way.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import scipy

from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.analysis.series.dependence import (
    LEAST_DAYS,
    corrected,
    effective_n,
    lag_one,
    t_quantile,
    widening,
)

__all__ = [
    "LEAST_FOR_RATE",
    "DaysRate",
    "RateError",
    "difference_p",
    "jackknife_variance",
    "rate_error",
    "reach",
]

LEAST_FOR_RATE: Final = 4
"""With fewer days, a rate has no interval of the wearer."""


class DaysRate(NamedTuple):
    """A rate over days.

    Attributes
    ----------
    rate : float
        The sum of the counts over the sum of the exposures.
    numbers : array of int64
        The number of each day, in order, 1 apart for neighbours.
    without : array of float64
        The rate of all other days, for each day.
    """

    rate: float
    numbers: Ints
    without: Floats

    @classmethod
    def of(cls, numbers: Ints, counts: Floats, exposure: Floats) -> "DaysRate":
        """Return the rate of days with their counts and exposures."""
        n, time = counts.sum(), exposure.sum()
        return cls(float(n / time), numbers, (n - counts) / (time - exposure))

    @property
    def residuals(self) -> Floats:
        """By what share of the rate each day is above or below it."""
        return len(self.without) * (self.rate - self.without) / self.rate


class RateError(NamedTuple):
    """The error of the logarithm of a rate, or of the ratio of several.

    Attributes
    ----------
    se : float
        The standard error.
    freedom : float
        The degrees of freedom.
    phi : float
        How much neighbouring days are alike; 0 with fewer than ten days, which cannot show it.
    n_effective : float
        How many independent days would be as informative.
    """

    se: float
    freedom: float
    phi: float
    n_effective: float


def rate_error(sets: Sequence[DaysRate]) -> RateError:
    """Return the error of the logarithm of a rate, or of the ratio of two.

    With residuals e = c - R m of days with counts c and exposures m, divided by 1 - m / M, the
    jackknife variance of R is (n - 1) / n * sum(e^2) / M^2, and more where days are alike
    (`dependence.widening`). Their autocorrelation phi is corrected for its bias of (1 + s + 4
    phi) / n, with s rates.
    """
    numbers = np.concatenate([one.numbers for one in sets])
    residuals = np.concatenate([one.residuals for one in sets])
    order = np.argsort(numbers, kind="stable")
    phi = 0.0
    if len(numbers) >= LEAST_DAYS:  # each fitted rate makes the residuals less alike
        lag = lag_one(numbers[order], residuals[order])
        phi = corrected(lag, len(numbers), (1.0 + len(sets), 4.0))
    variance, weight = 0.0, 0.0
    for one in sets:
        n, independent = len(one.numbers), effective_n(one.numbers, phi)
        variance += jackknife_variance(one) * widening(n, independent)
        weight += independent
    return RateError(float(np.sqrt(variance)), weight - len(sets), phi, weight)


def jackknife_variance(one: DaysRate) -> float:
    """Return the variance of the logarithm of a rate whose units are independent."""
    n = len(one.without)
    return (n - 1) / n * float(np.sum((one.residuals / n) ** 2))


def reach(error: RateError) -> float:
    """Return the factor from a rate or ratio to the ends of its 95 % interval."""
    return float(np.exp(t_quantile(error.freedom) * error.se))


def difference_p(ratio: float, error: RateError) -> float:
    """Return how often a ratio as far from 1 arises where it is 1."""
    if not error.se > 0:
        return 1.0 if ratio == 1 else 0.0
    t = abs(np.log(ratio)) / error.se
    return float(2.0 * scipy.special.stdtr(max(error.freedom, 1.0), -t))
