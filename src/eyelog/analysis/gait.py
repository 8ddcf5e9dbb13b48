"""Gait: pace while walking, walking bouts, busiest minutes, step classes, the two sides.

Pace is steps over the time that was walked, not over the clock: steps per clock minute is not a
cadence (Dall et al. 2013).
"""

from eyelog.analysis.bouts import bouts
from eyelog.analysis.gaitpace import Symmetry, pace, symmetry
from eyelog.analysis.walkdays import day_totals, peak_cadence, speed_classes

__all__ = [
    "Symmetry",
    "bouts",
    "day_totals",
    "pace",
    "peak_cadence",
    "speed_classes",
    "symmetry",
]
