"""The parts of the calendar that values are grouped by: hours, weekdays, weekends, weeks.

The one definition of ``by="weekday"`` and the like, for every ``by=``.
"""

from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["CYCLES", "WEEKDAYS", "WEEKEND", "cycle_codes", "cycle_labels", "mondays"]

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
WEEKEND: Final = ("weekday", "weekend")
CYCLES: Final = ("hour", "weekday", "weekend")
"""Recurring parts: hours of day 0 to 23, weekdays 0 (Monday) to 6, weekdays and weekends."""

FRIDAY: Final = 4


def cycle_codes(opens: pd.DatetimeIndex, by: str) -> npt.NDArray[np.int64]:
    """Return the number of the hour, weekday or part of the week of each stamp."""
    if by == "hour":
        return opens.hour.to_numpy().astype(np.int64)
    weekday = opens.day_of_week.to_numpy().astype(np.int64)
    return weekday if by == "weekday" else (weekday > FRIDAY).astype(np.int64)


def cycle_labels(by: str) -> pd.Index:
    """Return the label of each number of `cycle_codes`."""
    if by == "weekend":
        return pd.Index(WEEKEND, name="weekend", dtype="str")
    return pd.RangeIndex(24 if by == "hour" else 7, name=by)


def mondays(opens: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return the local midnight that opens the ISO week, Monday to Sunday, of each stamp."""
    days = opens.tz_localize(None).normalize()
    first = days - pd.to_timedelta(days.day_of_week, unit="D")
    early = np.ones(len(first), dtype=bool)
    return first.tz_localize(opens.tz, ambiguous=early, nonexistent="shift_forward").rename("week")
