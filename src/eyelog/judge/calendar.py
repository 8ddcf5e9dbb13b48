"""The parts of the calendar that values are grouped by: hours, weekdays, weekends, weeks.

The only definition of ``by="weekday"`` and the like, for every ``by=``.
"""

from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.clock import DAY_US, dates_at
from eyelog.errors import ConfigurationError
from eyelog.frame import how_to_index, one_of_many

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
WEEKEND: Final = ("weekday", "weekend")
# Recurring parts: hours of day 0 to 23, weekdays 0 (Monday) to 6, weekdays and weekends
CYCLES: Final = ("hour", "weekday", "weekend")

# The names of an index of calendar dates
DATED: Final = ("day", "week")

FRIDAY: Final = 4
THURSDAY: Final = 3  # 1 January 1970
HOUR_US: Final = 3_600_000_000


def cycle_codes(opens: pd.DatetimeIndex, by: str) -> npt.NDArray[np.int64]:
    """Return the number of the hour, weekday or part of the week of each stamp."""
    wall = opens.tz_localize(None) if opens.tz is not None else opens
    return hour_codes(wall.as_unit("us").asi8 // HOUR_US, by)


def hour_codes(hours: npt.NDArray[np.int64], by: str) -> npt.NDArray[np.int64]:
    """Return the number of the hour, weekday or part of the week of local hours since 1970."""
    if by == "hour":
        return hours % 24
    weekday = (hours // 24 + THURSDAY) % 7
    return weekday if by == "weekday" else (weekday > FRIDAY).astype(np.int64)


def cycle_labels(by: str) -> pd.Index:
    """Return the label of each number of `cycle_codes`."""
    if by == "weekend":
        return pd.Index(WEEKEND, name="weekend", dtype="str")
    return pd.RangeIndex(24 if by == "hour" else 7, name=by)


def mondays(opens: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return the date of the Monday that opens the ISO week of each stamp or date."""
    days = (opens.tz_localize(None) if opens.tz is not None else opens).as_unit("us").normalize()
    return dates_at(days.asi8 // DAY_US - days.day_of_week.to_numpy(np.int64)).rename("week")


def calendar_dates(table: pd.DataFrame | pd.Series, *, what: str) -> pd.DatetimeIndex | None:
    """Return the calendar dates that index a table, or None if it is indexed by stamps.

    Dates are naive midnights in any unit, `datetime.date`, or the index ``day`` or ``week`` of an
    older file, whose midnights have a zone: these are read as their local dates.

    Raises
    ------
    ConfigurationError
        If the index is neither, or has a missing date.
    """
    index = table.index
    if isinstance(index, pd.MultiIndex) or index.nlevels > 1:
        raise ConfigurationError(
            f"{what} takes the days of one wearer, not a table indexed by"
            f" {' and '.join(map(str, index.names))}: pass {one_of_many(index)}"
        )
    if not isinstance(index, pd.DatetimeIndex):
        if not isinstance(index, pd.MultiIndex) and index.inferred_type == "date":
            index = pd.DatetimeIndex(index, name=index.name)
        else:
            raise ConfigurationError(
                f"{what} needs dates or time-zone aware stamps as the index, not {index.dtype}:"
                f" pass {how_to_index(table, 'table')}"
            )
    if index.tz is not None:
        if index.name not in DATED:
            return None
        index = index.tz_localize(None).normalize()
    dates = index.as_unit("us")
    if dates.hasnans:
        raise ConfigurationError(f"{what}: a date of the index is missing")
    if not (dates == dates.normalize()).all():
        raise ConfigurationError(
            f"{what}: the index has times of day without a zone, where it needs dates or"
            " time-zone aware stamps: pass table.tz_localize('Asia/Tokyo')"
        )
    return dates
