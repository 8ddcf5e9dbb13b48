"""Angles in degrees: wrapping, differences and means on the circle."""

import numpy as np

from eyelog.analysis.series.arrays import Floats

__all__ = [
    "wrapped_mean",
]


def wrapped_mean(degrees: Floats) -> float:
    """Return the mean direction of angles without missing ones, NaN where they point nowhere."""
    radians = np.deg2rad(degrees)
    east, north = (float(part.sum()) for part in (np.cos(radians), np.sin(radians)))
    if not np.hypot(east, north) > 1e-12 * max(1, len(degrees)):
        return float("nan")
    return float(np.rad2deg(np.arctan2(north, east)))


def wrapped(degrees: Floats) -> Floats:
    """Return angles on the branch [-180, 180)."""
    return np.asarray((degrees + 180.0) % 360.0 - 180.0, dtype=np.float64)
