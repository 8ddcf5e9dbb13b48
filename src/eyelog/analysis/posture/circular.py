"""Statistics of angles: direction, spread, and SDs pooled over intervals."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.grouped.reductions import circular_mean as grouped_circular_mean
from eyelog.analysis.grouped.reductions import combined_sd, root_mean_square
from eyelog.analysis.series.angles import wrapped
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


def _resultant(angles: Floats) -> float:
    """Return the length of the mean unit vector, NaN where there is no angle."""
    known = np.deg2rad(angles[np.isfinite(angles)])
    if not known.size:
        return float("nan")
    return float(np.hypot(np.cos(known).mean(), np.sin(known).mean()))


def circular_mean(degrees: object) -> float:
    """Return the mean direction of angles.

    Parameters
    ----------
    degrees : array-like
        Angles in degrees, on any branch (-10 is 350). Missing ones are left out.

    Returns
    -------
    float
        In (-180, 180]. Missing where there is no angle, or where they point nowhere (0 and 180).

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
    angles = _angles(degrees)
    one = Groups(pd.RangeIndex(1), np.array([0, angles.size]), None, np.zeros(1))
    return float(grouped_circular_mean(angles, None, one)[0])


def circular_sd(degrees: object) -> float:
    """Return the circular standard deviation of angles.

    Parameters
    ----------
    degrees : array-like
        Angles in degrees, on any branch. Missing ones are left out.

    Returns
    -------
    float
        Degrees, 0 or more; infinite where the angles point nowhere; missing where there is none.

    Notes
    -----
    sqrt(-2 ln R) with R the length of the mean unit vector (Fisher 1993, section 2.3).

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.posture.circular_sd([350, 10, 20, 5, 355, 2, 30]), 7)
    12.9414923
    """
    length = _resultant(_angles(degrees))
    if np.isnan(length):
        return length
    if length < 1e-12:
        return float("inf")
    # Rounding may leave R a hair above 1; max() also turns -0.0 into 0.0.
    return float(np.rad2deg(np.sqrt(max(0.0, -2.0 * np.log(min(length, 1.0))))))


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
        Mean of each part; without it only the SD within is known.
    n : array-like, optional
        Size of each part; equal by default.

    Returns
    -------
    PooledSD
        Named tuple of ``within`` = sqrt(sum(n s^2) / sum(n)), ``between`` =
        sqrt(sum(n (m - M)^2) / sum(n)) and ``total``, whose square is the sum of theirs. Parts
        with something missing are left out; missing where no part is left.

    Raises
    ------
    ConfigurationError
        If the lengths differ, or something is no number.

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
        Angles in degrees, on any branch. Missing ones are left out.

    Returns
    -------
    float
        In [-180, 180). Missing where there is no angle, or where they point nowhere.

    Raises
    ------
    ConfigurationError
        If the angles are not numbers.

    Notes
    -----
    The ordinary median of the angles seen from their mean direction. Where all angles lie within
    90 degrees of that direction it is the circular median (Fisher 1993, section 2.3.2).

    Examples
    --------
    >>> import eyelog as el
    >>> el.posture.circular_median([350, 0, 20])
    0.0
    """
    try:
        angles = numbers(pd.Series(degrees, dtype="float64"))
    except (TypeError, ValueError):
        raise ConfigurationError("angles must be numbers, in degrees") from None
    angles = angles[~np.isnan(angles)]
    one = Groups(pd.RangeIndex(1), np.array([0, angles.size]), None, np.zeros(1))
    centre = float(grouped_circular_mean(angles, None, one)[0])
    if np.isnan(centre):
        return centre
    # Rounded, so that a turn there and back leaves whole degrees whole.
    turned = np.array([np.median(wrapped(angles - centre)) + centre])
    return float(np.round(wrapped(turned), 9)[0])
