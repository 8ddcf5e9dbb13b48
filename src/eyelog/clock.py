"""Time: zones, local days, and the windows that satisfy the service's range rule.

The service accepts ranges within one local date and one offset, at most 23:59:59 long. A local day
of 23 or 25 hours has two offsets, so it needs two windows. Stamps are right-closed: a record
stamped 00:00:00 covers the interval before it, so it belongs to the day that ended.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError
from eyelog.rfc3339 import format_rfc3339, parse_rfc3339

__all__ = [
    "DAY",
    "SECOND",
    "Window",
    "check_stamp",
    "day_range",
    "day_start",
    "instant_range",
    "local_days",
    "microseconds",
    "parse_day",
    "time_of_day_us",
    "whole_days",
    "windows",
    "zone",
]

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
DAY_US = 86_400_000_000
_FIXED = re.compile(r"UTC([+-]\d{2}:[0-5]\d)", re.ASCII)
# An offset as people write it: +09:00, +9, UTC+9, GMT+0900.
_OFFSET = re.compile(r"(?:UTC|GMT)?\s*([+-])(\d{1,2}):?([0-5]\d)?", re.ASCII | re.IGNORECASE)

# What people call their zone, and the names that it can stand for. An abbreviation is never taken
# for a zone: several places share it, and it does not say when the clocks change. (Some, such as
# CET and EST, are old IANA names too; not every machine has those.)
_CALLED = {
    "ACDT": ("Australia/Adelaide",),
    "ACST": ("Australia/Adelaide", "Australia/Darwin"),
    "AEDT": ("Australia/Sydney",),
    "AEST": ("Australia/Sydney", "Australia/Brisbane"),
    "AKDT": ("America/Anchorage",),
    "AKST": ("America/Anchorage",),
    "ART": ("America/Argentina/Buenos_Aires",),
    "AWST": ("Australia/Perth",),
    "BRT": ("America/Sao_Paulo",),
    "BST": ("Europe/London",),
    "CDT": ("America/Chicago",),
    "CEST": ("Europe/Berlin", "Europe/Paris"),
    "CET": ("Europe/Berlin", "Europe/Paris"),
    "CST": ("America/Chicago", "Asia/Shanghai"),
    "EAT": ("Africa/Nairobi",),
    "EDT": ("America/New_York",),
    "EEST": ("Europe/Athens",),
    "EET": ("Europe/Athens",),
    "EST": ("America/New_York",),
    "GST": ("Asia/Dubai",),
    "HKT": ("Asia/Hong_Kong",),
    "HST": ("Pacific/Honolulu",),
    "ICT": ("Asia/Bangkok",),
    "IDT": ("Asia/Jerusalem",),
    "IST": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    "JST": ("Asia/Tokyo",),
    "KST": ("Asia/Seoul",),
    "MDT": ("America/Denver",),
    "MSK": ("Europe/Moscow",),
    "MST": ("America/Denver", "America/Phoenix"),
    "NZDT": ("Pacific/Auckland",),
    "NZST": ("Pacific/Auckland",),
    "PDT": ("America/Los_Angeles",),
    "PHT": ("Asia/Manila",),
    "PKT": ("Asia/Karachi",),
    "PST": ("America/Los_Angeles",),
    "SAST": ("Africa/Johannesburg",),
    "SGT": ("Asia/Singapore",),
    "WAT": ("Africa/Lagos",),
    "WEST": ("Europe/Lisbon",),
    "WET": ("Europe/Lisbon",),
    "WIB": ("Asia/Jakarta",),
    "Z": ("UTC",),
}


@dataclass(frozen=True, slots=True)
class Window:
    """A range that the service accepts: within one local date and one offset, ends included."""

    day: date
    start: datetime
    end: datetime

    @property
    def date_from(self) -> str:
        """The first instant in RFC 3339, in the window's own offset."""
        return format_rfc3339(self.start)

    @property
    def date_to(self) -> str:
        """The last second in RFC 3339, in the window's own offset."""
        return format_rfc3339(self.end)


@lru_cache(maxsize=256)
def zone(name: str) -> tzinfo:
    """Return the zone of an IANA name (``"Asia/Tokyo"``, ``"UTC"``).

    A fixed offset is read as a frame shows it: ``"UTC+09:00"``.

    Raises
    ------
    ConfigurationError
        If the zone data of this machine does not include it.
    """
    if name == "UTC":
        return UTC
    try:
        if match := _FIXED.fullmatch(name):
            return datetime.strptime(match[1], "%z").tzinfo or UTC
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError):
        raise ConfigurationError(
            f"unknown time zone {name!r}{_near_zone(str(name))}: use an IANA name such as"
            " 'Asia/Tokyo' or 'UTC'"
        ) from None


def _near_zone(name: str) -> str:
    """Return, in parentheses, the zones that an unknown name may have meant, or an empty text."""
    text = name.strip()
    if meant := _CALLED.get(text.upper()):
        *others, last = [repr(zone) for zone in meant]
        return f" (did you mean {', '.join(others) + ' or ' if others else ''}{last}?)"
    if match := _OFFSET.fullmatch(text):
        sign, hours, minutes = match.groups()
        if int(hours) <= 14:
            return f" (did you mean 'UTC{sign}{int(hours):02}:{minutes or '00'}'?)"
    known = available_timezones()
    place = text.replace(" ", "_").casefold()
    ends = sorted(zone for zone in known if place and zone.casefold().split("/")[-1] == place)
    # If several zones end with the same place, some are older names, such as Asia/Calcutta.
    return near(ends[0] if ends else name, known)


def parse_day(value: str | date) -> date:
    """Return the day of ``"YYYY-MM-DD"`` or a date.

    Raises
    ------
    ConfigurationError
        If it is not a day.
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    # fromisoformat alone also accepts 20261024 and the week date 2026-W43-6.
    if isinstance(value, str) and len(value) == 10 and value[7] == "-":
        with suppress(ValueError):
            return date.fromisoformat(value)
    raise ConfigurationError(f"{value!r} is not a day: write it as 2026-10-24")


def _offsets(first: datetime, last: datetime, tz: tzinfo) -> list[tuple[datetime, timedelta]]:
    """Return (instant, offset) at the start and at each change of offset up to `last`."""
    if tz is UTC:
        return [(first, timedelta())]
    # No zone of the IANA data has ever changed its offset twice within a quarter of an hour.
    grid = pd.date_range(first, last + timedelta(minutes=15), freq="15min", tz="UTC")
    local = grid.tz_convert(tz)
    shift = local.tz_localize(None) - grid.tz_localize(None)
    changes = [(first, shift[0].to_pytimedelta())]
    for i in np.flatnonzero(shift[1:] != shift[:-1]).tolist():
        low, high = grid[i].to_pydatetime(), grid[i + 1].to_pydatetime()
        old = low.astimezone(tz).utcoffset()
        while high - low > SECOND:
            middle = low + timedelta(seconds=(high - low) // SECOND // 2)
            if middle.astimezone(tz).utcoffset() == old:
                low = middle
            else:
                high = middle
        changes.append((high, shift[i + 1].to_pytimedelta()))
    return changes


def _pieces(first: datetime, last: datetime, offset: timedelta) -> Iterable[Window]:
    """Cut [first, last] at each midnight of one fixed offset."""
    fixed = timezone(timedelta(minutes=round(offset / timedelta(minutes=1))))
    start, end = first.astimezone(fixed), last.astimezone(fixed)
    while start <= end:
        midnight = datetime.combine(start.date() + DAY, time(), fixed)
        yield Window(start.date(), start, min(end, midnight - SECOND))
        start = midnight


def instant_range(
    start: str | date | datetime, end: str | date | datetime, tz: str | tzinfo
) -> tuple[datetime, datetime]:
    """Return the first and last instant (UTC, whole seconds) of a range.

    Days are local days of `tz`, both included; datetimes are taken as they are.

    Raises
    ------
    ConfigurationError
        If a datetime is naive, a text is not a day, or the start is after the end.
    """
    place = tz if isinstance(tz, tzinfo) else zone(tz)
    first = _edge(start, place, closing=False)
    last = _edge(end, place, closing=True)
    if first > last:
        # A single day that the zone skipped (Apia, 2011-12-30) is empty, not reversed.
        if parse_local(start, place) <= parse_local(end, place):
            return first, first - SECOND
        raise ConfigurationError(f"the range starts after it ends: {start} > {end}; swap the two")
    return first, last


def parse_local(value: str | date | datetime, place: tzinfo) -> date:
    """Return the local date of a day or an aware datetime."""
    return value.astimezone(place).date() if isinstance(value, datetime) else parse_day(value)


def _edge(value: str | date | datetime, place: tzinfo, *, closing: bool) -> datetime:
    if isinstance(value, str) and len(value) > 10:
        value = parse_rfc3339(value)
    if isinstance(value, datetime):
        if value.tzinfo is None or value.utcoffset() is None:
            raise ConfigurationError(
                f"{value} has no time zone: give an aware datetime or a day such as"
                f" {value.date().isoformat()!r}"
            )
        instant = datetime.fromisoformat(value.isoformat()).astimezone(UTC)
        whole = instant.replace(microsecond=0)
        return whole if closing or whole == instant else whole + SECOND
    day = parse_day(value)
    if closing:
        return day_start(day + DAY, place) - SECOND
    return day_start(day, place)


@lru_cache(maxsize=4096)  # the days of a month are those of every wearer of a cohort
def day_start(day: date, place: tzinfo) -> datetime:
    """Return the first instant (UTC) of a local day, even if its midnight does not exist.

    A day that the zone skipped starts where the next day starts.
    """
    midnight = datetime.combine(day, time(), place)
    first, second = (midnight.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if first <= second:  # there is one midnight, or the first of two
        return first
    # The clock jumped over midnight between its two readings. (pandas' "shift_forward" is wrong
    # if a whole day was skipped.)
    low, high = second - SECOND, first
    while high - low > SECOND:
        middle = low + timedelta(seconds=(high - low) // SECOND // 2)
        if middle.astimezone(place).replace(tzinfo=None) < midnight.replace(tzinfo=None):
            low = middle
        else:
            high = middle
    return high


def windows(
    start: str | date | datetime, end: str | date | datetime, tz: str = "UTC"
) -> list[Window]:
    """Cut a range into windows that the service accepts.

    Every whole second of the range is in exactly one window; each window is within one local date
    and one offset and is at most 23:59:59 long.

    Parameters
    ----------
    start, end : str, date or aware datetime
        Inclusive local days of `tz` (``"2026-10-24"``), or instants.
    tz : str
        IANA zone of the days.

    Returns
    -------
    list of Window
        In order of time.

    Raises
    ------
    ConfigurationError
        If a datetime is naive, a text is not a day, the zone is unknown, or the start is after the
        end.

    Examples
    --------
    >>> [(w.date_from, w.date_to) for w in windows("2026-10-25", "2026-10-25", "Europe/Berlin")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('2026-10-25T00:00:00+02:00', '2026-10-25T02:59:59+02:00'),
     ('2026-10-25T02:00:00+01:00', '2026-10-25T23:59:59+01:00')]
    """
    first, last = instant_range(start, end, tz)
    if first > last:
        return []
    changes = [(i, o) for i, o in _offsets(first, last, zone(tz)) if i <= last]
    edges = [*changes, (last + SECOND, timedelta())]
    return [
        window
        for (low, offset), (high, _) in pairwise(edges)
        for window in _pieces(low, high - SECOND, offset)
    ]


def day_range(start: str | date | datetime, end: str | date | datetime, tz: str) -> list[date]:
    """Return the local days that a range touches, in order."""
    place = zone(tz)
    first, last = (edge.astimezone(place).date() for edge in instant_range(start, end, tz))
    return [first + n * DAY for n in range((last - first).days + 1)]


def microseconds(index: pd.DatetimeIndex) -> npt.NDArray[np.int64]:
    """Return stamps as microseconds of Unix time, without a copy if that is their unit."""
    us: npt.NDArray[np.int64] = (index if index.unit == "us" else index.as_unit("us")).asi8
    return us


def local_days(index: pd.DatetimeIndex, *, stamp: str = "end") -> pd.DatetimeIndex:
    """Return the local midnight at the start of each stamp's day.

    Parameters
    ----------
    index : DatetimeIndex
        Aware stamps.
    stamp : {"end", "start"}
        Whether a stamp is the end (vendor documentation) or the start of its interval: with
        ``"end"`` the record of 00:00:00 belongs to the day that ended.

    Returns
    -------
    DatetimeIndex
        Same length and zone.
    """
    check_stamp(stamp)
    inside = index - pd.Timedelta(1, "us") if stamp == "end" else index
    naive = inside.tz_localize(None).normalize()
    return naive.tz_localize(index.tz, ambiguous=True, nonexistent="shift_forward")


def time_of_day_us(index: pd.DatetimeIndex) -> npt.NDArray[np.int64]:
    """Return the wall-clock microseconds of each stamp, in (0, 24 h]: midnight ends its day.

    A stamp closes its interval, so the clock is read one microsecond earlier: the stamp at which
    clocks go from 02:00 to 03:00 closes 01:59:59 and counts as 02:00.
    """
    inside = index - timedelta(microseconds=1)  # in UTC
    wall = microseconds(inside.tz_localize(None))
    of_day: npt.NDArray[np.int64] = wall % DAY_US + 1
    return of_day


def check_stamp(stamp: str) -> str:
    """Return `stamp` if it is ``"end"`` or ``"start"``, else raise `ConfigurationError`."""
    if stamp not in ("end", "start"):
        raise ConfigurationError(f"stamp must be 'end' or 'start', not {stamp!r}")
    return stamp


def whole_days(windows: Sequence[Window]) -> dict[date, tuple[Window, ...]]:
    """Group windows by local date, in order: a day is stored whole or not at all."""
    days: dict[date, tuple[Window, ...]] = {}
    for window in windows:
        days[window.day] = (*days.get(window.day, ()), window)
    return days
