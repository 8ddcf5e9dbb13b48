"""Head and posture: angles on the circle, time in postures, head movements per worn hour.

The vendor does not document which sign of a tilt is forward or right, so no result names a side.
"""

from eyelog.analysis.posture.circular import (
    PooledSD,
    circular_mean,
    circular_median,
    circular_sd,
    pooled_sd,
)
from eyelog.analysis.posture.corrected_angles import angles
from eyelog.analysis.posture.gravity_tilt import tilt
from eyelog.analysis.posture.head_moves import head_movements
from eyelog.analysis.posture.tilt import relative_tilt, spread, zones
from eyelog.analysis.posture.turns import turns

__all__ = [
    "PooledSD",
    "angles",
    "circular_mean",
    "circular_median",
    "circular_sd",
    "head_movements",
    "pooled_sd",
    "relative_tilt",
    "spread",
    "tilt",
    "turns",
    "zones",
]


def __dir__() -> list[str]:
    return __all__
