"""Stamps as microseconds of UTC, and the months of UTC in which an archive keeps its records.

A record belongs to the month of its stamp in UTC, so its place does not depend on a time zone.
"""

import re
from datetime import date, datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from eyelog.clock import DAY_US, SECOND, Zones, instant_range

Stamps = npt.NDArray[np.int64]  # microseconds, UTC
Span = tuple[int, int]  # half open
Instant = str | date | datetime

_GROUP_DAYS: Final = 4
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)


def span_of(start: Instant, end: Instant, tz: str | Zones) -> Span:
    """Return an inclusive range as a half-open range of microseconds, the last second whole."""
    first, last = instant_range(start, end, tz)
    return instant_us(first), instant_us(last + SECOND)


def instant_us(instant: datetime) -> int:
    """Return the microseconds of an instant given in UTC."""
    return int(np.datetime64(instant.replace(tzinfo=None), "us").astype(np.int64))


def is_month(text: str) -> bool:
    """Return whether a text is a month as in a folder's name, such as ``2026-10``."""
    return _MONTH.fullmatch(text) is not None


def month_edges(month: str) -> tuple[int, int]:
    """Return the first microsecond (UTC) of a month and of the next one."""
    first = np.datetime64(month, "M")
    first_us, next_us = (edge.astype("M8[us]").astype(np.int64) for edge in (first, first + 1))
    return int(first_us), int(next_us)


def slot_edges(slot: str) -> tuple[int, int]:
    """Return the first microsecond of a month or a day (``2026-10-24``) and of the next one."""
    if len(slot) == len("2026-10"):
        return month_edges(slot)
    first = int(np.datetime64(slot, "us").astype(np.int64))
    return first, first + DAY_US


def overlap(month: str, span: Span) -> bool:
    """Return whether any instant of a month lies in a half-open range."""
    first, after = month_edges(month)
    return first < span[1] and after > span[0]


def group_edges(slot: str) -> list[int]:
    """Return the edges (microseconds) that cut a month (or a day) into groups of four days.

    An archive is read, merged and kept in memory in these groups.
    """
    first, after = slot_edges(slot)
    return [*range(first, after - 1, _GROUP_DAYS * DAY_US), after]


def days_of(stamps: npt.NDArray[np.int64]) -> list[str]:
    """Return the days that sorted stamps (microseconds, UTC) lie in, in order."""
    return [str(day) for day in np.unique(stamps.view("M8[us]").astype("M8[D]"))]


def months_of(stamps: npt.NDArray[np.int64]) -> list[str]:
    """Return the months that sorted stamps (microseconds, UTC) lie in, in order."""
    return [str(month) for month in np.unique(stamps.view("M8[us]").astype("M8[M]"))]
