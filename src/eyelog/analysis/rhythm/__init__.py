"""Rhythm of a series: stability, variability, active hours, regularity, cosinor, profiles.

Each function takes one Series with time-zone aware stamps (local hours are those of its own zone)
and returns a named tuple or a table with ``n``, exposure and coverage. Missing values are left out,
never counted as 0. Records and bins of `eyelog.resample` close at their stamps, as their provenance
states; for a bare Series ``stamp=`` says so, otherwise it is taken as it is. Eyewear is taken off
at night, so functions that need the night refuse if the night was not observed.
"""

from eyelog.analysis.rhythm.active_hours import (
    ActiveHours,
    RelativeAmplitude,
    least_active,
    most_active,
    relative_amplitude,
)
from eyelog.analysis.rhythm.bouts import Fragmentation, activity_bouts, fragmentation
from eyelog.analysis.rhythm.cosinor import Cosinor, cosinor
from eyelog.analysis.rhythm.profile import profile
from eyelog.analysis.rhythm.regularity import Regularity, sleep_regularity
from eyelog.analysis.rhythm.stability import (
    Stability,
    Variability,
    interdaily_stability,
    intradaily_variability,
)

__all__ = [
    "ActiveHours",
    "Cosinor",
    "Fragmentation",
    "Regularity",
    "RelativeAmplitude",
    "Stability",
    "Variability",
    "activity_bouts",
    "cosinor",
    "fragmentation",
    "interdaily_stability",
    "intradaily_variability",
    "least_active",
    "most_active",
    "profile",
    "relative_amplitude",
    "sleep_regularity",
]


def __dir__() -> list[str]:
    return __all__
