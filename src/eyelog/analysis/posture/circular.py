"""Statistics of angles: direction, spread, and SDs pooled over intervals."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.grouped.reductions import combined_sd, root_mean_square
from eyelog.analysis.results import shown
from eyelog.analysis.series.angles import mean_direction, near, resultant_length, wrap
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.errors import ConfigurationError

__all__ = [
    "PooledSD",
    "circular_mean",
    "circular_median",
    "circular_sd",
    "pooled_sd",
]


def _angles(degrees: object) -> Floats:
    try:
        return numbers(pd.Series(degrees, dtype="float64"))
    except (TypeError, ValueError):
        raise ConfigurationError("angles must be numbers, in degrees") from None


def circular_mean(degrees: object) -> float:
    """Return the mean direction of angles.

    Parameters
    ----------
    degrees : array-like
        Angles in degrees, on any branch (-10 is 350). Missing angles are left out.

    Returns
    -------
    float
        In (-180, 180]. Missing without angles, or if they cancel out (0 and 180).

    Notes
    -----
    The direction of the mean unit vector (Fisher 1993, Statistical Analysis of Circular Data,
    section 2.3).

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.posture.circular_mean([350, 10, 20, 5, 355, 2, 30]), 8)
    7.38355499
    """
    return mean_direction(_angles(degrees))


def circular_sd(degrees: object) -> float:
    """Return the circular standard deviation of angles.

    Parameters
    ----------
    degrees : array-like
        Angles in degrees, on any branch. Missing angles are left out.

    Returns
    -------
    float
        Degrees, 0 or more; infinite if the angles cancel out; missing without angles.

    Notes
    -----
    sqrt(-2 ln R) with R the length of the mean unit vector (Fisher 1993, section 2.3).

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.posture.circular_sd([350, 10, 20, 5, 355, 2, 30]), 7)
    12.9414923
    """
    length = resultant_length(_angles(degrees))
    if np.isnan(length):
        return length
    if length < 1e-12:
        return float("inf")
    # max() turns the -0.0 of equal angles into 0.0.
    return float(np.rad2deg(np.sqrt(max(0.0, -2.0 * np.log(length)))))


@shown("SD of a whole from its parts")
class PooledSD(NamedTuple):
    """SD within the parts, between their means, and of the whole."""

    within: float
    between: float
    total: float


def pooled_sd(sd: object, *, mean: object = None, n: object = None) -> PooledSD:
    """Return the SD of a whole from the SDs, means and sizes of its parts.

    Parameters
    ----------
    sd : array-like
        Population SD of each part.
    mean : array-like, optional
        Mean of each part; without it only ``within`` can be computed.
    n : array-like, optional
        Size of each part; all equal by default.

    Returns
    -------
    PooledSD
        Named tuple of ``within`` = sqrt(sum(n s^2) / sum(n)), ``between`` =
        sqrt(sum(n (m - M)^2) / sum(n)) and ``total``, whose square is the sum of theirs. Parts
        with a missing number are left out; the result is missing if no part is left.

    Raises
    ------
    ConfigurationError
        If the lengths differ, or a value is not a number.

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.posture.pooled_sd([1.0, 1.0], mean=[0.0, 2.0]).total ** 2, 9)
    2.0
    """
    spread = _angles(sd)
    weights = np.ones(len(spread)) if n is None else _angles(n)
    means = np.full(len(spread), np.nan) if mean is None else _angles(mean)
    if not len(spread) == len(weights) == len(means):
        raise ConfigurationError("sd, mean and n must have the same length")
    one = Groups(pd.RangeIndex(1), np.array([0, len(spread)]), None, np.zeros(1))
    parts = combined_sd(spread, means, weights, one)
    within = parts.within if mean is not None else root_mean_square(spread, weights, one)
    return PooledSD(float(within[0]), float(parts.between[0]), float(parts.total[0]))


def circular_median(degrees: object) -> float:
    """Return the median direction of angles that lie within a half circle.

    Parameters
    ----------
    degrees : array-like
        Angles in degrees, on any branch. Missing angles are left out.

    Returns
    -------
    float
        In [-180, 180). Missing without angles, or if they cancel out.

    Raises
    ------
    ConfigurationError
        If the angles are not numbers.

    Notes
    -----
    The ordinary median of the angles measured from their mean direction. If all angles lie within
    90 degrees of that direction, it is the circular median (Fisher 1993, section 2.3.2).

    Examples
    --------
    >>> import eyelog as el
    >>> el.posture.circular_median([350, 0, 20])
    0.0
    """
    angles = _angles(degrees)
    centre = mean_direction(angles)
    if np.isnan(centre):
        return centre
    # Rounded, so that subtracting and adding the centre leaves whole degrees whole.
    turned = np.array([np.median(near(angles[np.isfinite(angles)], centre))])
    return float(np.round(wrap(turned), 9)[0])
