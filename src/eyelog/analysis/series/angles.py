"""Angles in degrees: wrapping, differences and means on the circle (Fisher 1993).

`scipy.stats.circmean` gives a direction even if angles cancel out, as 0 and 180 do; here such
angles have none.
"""

from typing import Final

import numpy as np

from eyelog.analysis.series.arrays import Floats

# A mean unit vector shorter than this is the rounding error of a zero vector.
NOWHERE: Final = 1e-12


def wrap(degrees: Floats) -> Floats:
    """Return angles on the branch [-180, 180)."""
    return np.asarray((degrees + 180.0) % 360.0 - 180.0, dtype=np.float64)


def difference(degrees: Floats, other: Floats | float) -> Floats:
    """Return the turn from `other` to `degrees`, in [-180, 180)."""
    return wrap(degrees - other)


def near(degrees: Floats, centre: Floats | float) -> Floats:
    """Return the same angles within half a turn of `centre`, for percentiles around it."""
    return np.asarray(centre + difference(degrees, centre), dtype=np.float64)


def unit_vectors(degrees: Floats) -> tuple[Floats, Floats]:
    """Return cosine and sine, both from the tangent of the half angle: half the work."""
    half = np.tan(degrees * (np.pi / 360.0))
    square = half * half
    scale = 1.0 / (1.0 + square)
    return (1.0 - square) * scale, 2.0 * half * scale


def direction(east: Floats, north: Floats, weight: Floats) -> Floats:
    """Return the directions of sums of unit vectors in (-180, 180], NaN if they cancel out.

    Parameters
    ----------
    east, north : array of float64
        Sums of cosines and of sines, each angle times its weight.
    weight : array of float64
        Sums of the weights.
    """
    points = np.hypot(east, north) > NOWHERE * weight
    return np.where(points, np.rad2deg(np.arctan2(north, east)), np.nan)


def mean_direction(degrees: Floats) -> float:
    """Return the mean direction of angles in (-180, 180]; missing and infinite ones left out."""
    angles = degrees[np.isfinite(degrees)]
    east, north = (part.sum(keepdims=True) for part in unit_vectors(angles))
    return float(direction(east, north, np.array([float(angles.size)]))[0])
