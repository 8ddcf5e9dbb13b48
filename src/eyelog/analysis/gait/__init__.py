"""Gait: pace while walking, step time, walking bouts, busiest minutes, step classes, the two sides.

Pace is steps over the time walked, not over clock time: steps per clock minute are not a cadence
(Dall et al. 2013).
"""

from eyelog.analysis.gait.day_walking import peak_cadence, speed_classes
from eyelog.analysis.gait.each_step import steps
from eyelog.analysis.gait.pace import pace
from eyelog.analysis.gait.step_time import step_time
from eyelog.analysis.gait.symmetry import Symmetry, symmetry
from eyelog.analysis.gait.walking_bouts import bouts

__all__ = [
    "Symmetry",
    "bouts",
    "pace",
    "peak_cadence",
    "speed_classes",
    "step_time",
    "steps",
    "symmetry",
]


def __dir__() -> list[str]:
    return __all__
