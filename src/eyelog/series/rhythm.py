"""Rhythm of a series: stability, variability, active hours, regularity, cosinor, time on task.

Each function takes a table and the name of a column, or one Series with time-zone aware stamps, and
returns a named tuple or a table with ``n``, exposure and coverage. A column of records is judged
first, as every summary judges. All else is taken as it is, and its stamps open their rows: those of
a daily table, of bins, of another sensor, and of a Series of records that has lost its history.
Local hours are those of the index's zone, or of ``utc_offset_min`` if the table has it. Missing
values are left out, never counted as 0. Eyewear is taken off at night, so functions that need the
night refuse if the night was not observed.
"""

from eyelog.series.active_hours import (
    ActiveHours,
    RelativeAmplitude,
    least_active,
    most_active,
    relative_amplitude,
)
from eyelog.series.bouts import Fragmentation, activity_bouts, fragmentation
from eyelog.series.cosinor import Cosinor, cosinor
from eyelog.series.profile import profile
from eyelog.series.stability import (
    Regularity,
    Stability,
    Variability,
    interdaily_stability,
    intradaily_variability,
    sleep_regularity,
)
from eyelog.series.trend import TimeOnTask, time_on_task

__all__ = [
    "ActiveHours",
    "Cosinor",
    "Fragmentation",
    "Regularity",
    "RelativeAmplitude",
    "Stability",
    "TimeOnTask",
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
    "time_on_task",
]


def __dir__() -> list[str]:
    return __all__
