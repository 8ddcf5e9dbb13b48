"""Time: zones, local days, and the windows that satisfy the service's range rule.

The service accepts ranges within one local date and one offset, at most 23:59:59 long. A local day
of 23 or 25 hours has two offsets, so it needs two windows. Stamps are right-closed: a record
stamped 00:00:00 covers the interval before it, so it belongs to the day that ended.
"""

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError, EyelogWarning, argument, marked
from eyelog.rfc3339 import format_rfc3339, parse_rfc3339

__all__ = [
    "DAY",
    "DAY_US",
    "FILE_ZONE",
    "SECOND",
    "LocalClock",
    "Window",
    "Zone",
    "Zones",
    "as_tzinfo",
    "as_zones",
    "check_stamp",
    "dates_at",
    "day_range",
    "day_start",
    "first_and_last_day",
    "instant_range",
    "known_zones",
    "local_clock",
    "local_days",
    "microseconds",
    "offset_name",
    "parse_day",
    "time_of_day_us",
    "whole_days",
    "windows",
    "with_text_stamps",
    "zone",
    "zone_at",
    "zones_of_offsets",
]

Ints = npt.NDArray[np.int64]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
MINUTE_US = 60_000_000
DAY_US = 86_400_000_000
MOST_AHEAD_MIN = 16 * 60  # no place has ever been further from UTC
_FIXED = re.compile(r"UTC([+-]\d{2}:[0-5]\d)", re.ASCII)
# An offset as people write it: +09:00, +9, UTC+9, GMT+0900.
_OFFSET = re.compile(r"(?:UTC|GMT)?\s*([+-])(\d{1,2}):?([0-5]\d)?", re.ASCII | re.IGNORECASE)

# What people call their zone, and the names that it can mean. An abbreviation is never accepted as
# a zone: several places share it, and it does not say when the clocks change. (Some, such as CET
# and EST, are old IANA names too; not every machine has those.)
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
    zones = available_timezones()
    place = text.replace(" ", "_").casefold()
    ends = sorted(zone for zone in zones if place and zone.casefold().split("/")[-1] == place)
    # If several zones end with the same place, some are older names, such as Asia/Calcutta.
    return near(ends[0] if ends else name, zones)


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
    # Since 1985 no zone has changed its offset twice within 6 days.
    grid = pd.date_range(first, last + timedelta(hours=6), freq="6h", tz="UTC")
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
    start: str | date | datetime, end: str | date | datetime, tz: "str | tzinfo | Zones"
) -> tuple[datetime, datetime]:
    """Return the first and last instant (UTC, whole seconds) of a range.

    Days are local days of `tz`, both included; datetimes are taken as they are.

    Raises
    ------
    ConfigurationError
        If a datetime is naive, a text is not a day, or the start is after the end.
    """
    place = tz if isinstance(tz, tzinfo) else as_tzinfo(tz)
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
    start: str | date | datetime, end: str | date | datetime, tz: "str | Zones" = "UTC"
) -> list[Window]:
    """Cut a range into windows that the service accepts.

    Every whole second of the range is in exactly one window; each window is within one local date
    and one offset and is at most 23:59:59 long.

    Parameters
    ----------
    start, end : str, date or aware datetime
        Inclusive local days of `tz` (``"2026-10-24"``), or instants.
    tz : str or Zones
        IANA zone of the days, or the zones of the wearer.

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
    if isinstance(tz, Zones):
        edges_of = [first, *(at for at in tz.changes()[1:] if first < at <= last), last + SECOND]
        names = [zone_at(tz, begins) for begins in edges_of[:-1]]
        parts = zip(pairwise(edges_of), names, strict=True)
        return [w for (low, high), name in parts for w in windows(low, high - SECOND, name)]
    changes = [(i, o) for i, o in _offsets(first, last, zone(tz)) if i <= last]
    edges = [*changes, (last + SECOND, timedelta())]
    return [
        window
        for (low, offset), (high, _) in pairwise(edges)
        for window in _pieces(low, high - SECOND, offset)
    ]


def day_range(
    start: str | date | datetime, end: str | date | datetime, tz: "str | Zones"
) -> list[date]:
    """Return the local days that a range touches, in order."""
    place = as_tzinfo(tz)
    first, last = (edge.astimezone(place).date() for edge in instant_range(start, end, tz))
    return [first + n * DAY for n in range((last - first).days + 1)]


def with_text_stamps(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with stamps as text in their own offset, dates as 2026-10-24, and seconds.

    pandas would write a space in a stamp, and spans of time as text or as large numbers.
    """
    out = table.copy()
    for name in out.columns:
        if isinstance(out[name].dtype, pd.DatetimeTZDtype):
            times = pd.DatetimeIndex(out[name]).to_pydatetime()
            out[name] = [None if time is pd.NaT else time.isoformat() for time in times]
        elif pd.api.types.is_datetime64_any_dtype(out[name].dtype):
            out[name] = [None if pd.isna(day) else day.date().isoformat() for day in out[name]]
        elif pd.api.types.is_timedelta64_dtype(out[name].dtype):
            out[name] = out[name].dt.total_seconds()
    return out


def microseconds(index: pd.DatetimeIndex) -> Ints:
    """Return stamps as microseconds of Unix time, without a copy if that is their unit."""
    us: Ints = (index if index.unit == "us" else index.as_unit("us")).asi8
    return us


@dataclass(frozen=True, slots=True)
class LocalClock:
    """The wearer's clock: how far it is ahead of UTC, from each instant on.

    Attributes
    ----------
    tz : tzinfo or None
        The zone that the clock follows; None if `since` and `ahead` say it. With neither it shows
        UTC, so it is also the clock of stamps without a zone.
    since : array of int64
        The instants (microseconds of Unix time) from which each offset holds, in order. The first
        offset also holds before.
    ahead : array of int64
        The offsets, in microseconds east of UTC.
    """

    tz: tzinfo | None
    since: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    ahead: Ints = field(default_factory=lambda: np.zeros(1, np.int64))

    def wall_us(self, us: Ints) -> Ints:
        """Return what the clock shows at instants, in microseconds since its own 1970."""
        if self.tz is None:
            at = np.searchsorted(self.since, us, side="right") - 1
            return np.asarray(us + self.ahead[np.maximum(at, 0)], dtype=np.int64)
        stamps = pd.DatetimeIndex(us.view("M8[us]")).tz_localize("UTC")
        return microseconds(stamps.tz_convert(self.tz).tz_localize(None))

    def offset_min(self, us: Ints) -> npt.NDArray[np.float64]:
        """Return how far the clock is ahead of UTC at instants, in minutes."""
        return np.asarray((self.wall_us(us) - us) / 60e6, dtype=np.float64)

    def offsets(self, low: int, high: int) -> tuple[Ints, Ints]:
        """Return the instants from `low` to `high` from which each offset holds, and the offsets.

        The first instant is `low`.
        """
        if self.tz is None:
            at = max(int(np.searchsorted(self.since, low, side="right")) - 1, 0)
            end = max(int(np.searchsorted(self.since, high, side="left")), at + 1)
            return np.append(low, self.since[at + 1 : end]), self.ahead[at:end]
        # Clocks change at whole seconds.
        first, last = (EPOCH + timedelta(seconds=int(us // 1_000_000)) for us in (low, high))
        since, ahead = zip(*_offsets(first, last, self.tz), strict=True)
        us = np.array([(instant - EPOCH) // MICROSECOND for instant in since], dtype=np.int64)
        us[0] = low
        inside = np.append(True, us[1:] < high)
        offset_us = np.array([offset // MICROSECOND for offset in ahead], dtype=np.int64)
        return us[inside], offset_us[inside]

    def cells(self, low: int, high: int, wall_step: int) -> tuple[Ints, Ints, Ints]:
        """Cut the time from `low` to `high` where the clock changes and at each step of its face.

        Returns
        -------
        tuple of arrays of int64
            Opening and closing of each cell, and the number of its step (such as hours or days of
            the clock since 1970), in order of time.
        """
        since, ahead = self.offsets(low, high)
        opens, closes, steps = [], [], []
        for begin, end, offset in zip(since, [*since[1:], high], ahead, strict=True):
            if begin < end:
                first, last = (begin + offset) // wall_step, (end + offset - 1) // wall_step
                number = np.arange(first, last + 1, dtype=np.int64)
                edges = np.maximum(number * wall_step - offset, begin)
                opens.append(edges)
                closes.append(np.append(edges[1:], end))
                steps.append(number)
        if not opens:
            return (np.zeros(0, np.int64),) * 3
        return np.concatenate(opens), np.concatenate(closes), np.concatenate(steps)

    def days(self, first: int, last: int) -> tuple[Ints, Ints, Ints]:
        """Return opening, closing and number of the local days from `first` to `last`.

        Days are numbered from 1970-01-01, in order of time. A day has one entry, even if the clock
        changes on it; two or more if the clock goes back over midnight, so that the date occurs
        again (a minute past midnight in St. John's before 2011; on a flight west); none if the
        clock skips it.
        """
        opens, closes, dates = self.cells((first - 2) * DAY_US, (last + 3) * DAY_US, DAY_US)
        new = np.append(True, dates[1:] != dates[:-1])
        opens, closes, dates = opens[new], closes[np.append(new[1:], True)], dates[new]
        chosen = (dates >= first) & (dates <= last)
        return opens[chosen], closes[chosen], dates[chosen]

    def instants(self, wall: Ints) -> Ints:
        """Return the first instant at which the clock shows each time or a later one.

        For a time that occurs twice this is the first pass; for one that is skipped, the instant of
        the change.
        """
        if not len(wall):
            return wall
        high = int(wall.max()) + 2 * DAY_US
        since, ahead = self.offsets(int(wall.min()) - 2 * DAY_US, high)
        earliest = np.full(len(wall), np.iinfo(np.int64).max)
        for begin, end, offset in zip(since, [*since[1:], high], ahead, strict=True):
            at = np.maximum(wall - offset, begin)
            earliest = np.where(at < end, np.minimum(earliest, at), earliest)
        return earliest


def local_clock(
    index: pd.DatetimeIndex,
    offset_min: npt.NDArray[np.float64] | None = None,
    *,
    width_us: int | Ints = 0,
    stamp: str = "end",
) -> LocalClock:
    """Return the clock of sorted stamps: that of their zone, or the one that their offsets state.

    Parameters
    ----------
    index : DatetimeIndex
        Aware and sorted.
    offset_min : array of float64, optional
        Minutes east of UTC of the local clock at each stamp. A missing one is that of the stamp
        before. A new one holds from the opening of the first interval that has it, or from the
        midnight within that interval.
    width_us : int or array of int64
        Length of the intervals in microseconds.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.

    Raises
    ------
    ConfigurationError
        If an offset is further from UTC than any clock.
    """
    given = np.zeros(0) if offset_min is None else offset_min[~np.isnan(offset_min)]
    if offset_min is None or not len(given):
        return LocalClock(index.tz)
    if (np.abs(given) > MOST_AHEAD_MIN).any():
        wrong = given[np.abs(given) > MOST_AHEAD_MIN][0]
        raise ConfigurationError(
            f"utc_offset_min has {wrong:g}: give minutes east of UTC, such as 540 for Tokyo and"
            " -300 for New York in winter"
        )
    given_rows = np.flatnonzero(~np.isnan(offset_min))
    rows = given_rows[np.append(0, np.flatnonzero(np.diff(given)) + 1)]
    us = microseconds(index)
    since, ahead = us[rows], np.rint(offset_min[rows] * MINUTE_US).astype(np.int64)
    if stamp == "end":  # an interval does not open before the one before has closed
        width = np.broadcast_to(np.asarray(width_us, dtype=np.int64), len(us))[rows]
        opens = np.maximum(since - width, us[np.maximum(rows - 1, 0)])
        # A zone that holds from a date begins at its midnight, not with the interval around that.
        since = np.maximum(opens, (since - 1 + ahead) // DAY_US * DAY_US - ahead)
    return LocalClock(None, since, ahead)


def local_days(
    index: pd.DatetimeIndex, *, stamp: str = "end", clock: LocalClock | None = None
) -> pd.DatetimeIndex:
    """Return the local date of each stamp, without a zone.

    Parameters
    ----------
    index : DatetimeIndex
        Aware stamps.
    stamp : {"end", "start"}
        Whether a stamp is the end (vendor documentation) or the start of its interval: with
        ``"end"`` the record of 00:00:00 belongs to the day that ended.
    clock : LocalClock, optional
        The wearer's clock; by default that of the zone of the stamps.

    Returns
    -------
    DatetimeIndex
        Same length; naive midnights.
    """
    check_stamp(stamp)
    clock = LocalClock(index.tz) if clock is None else clock
    return dates_at(clock.wall_us(microseconds(index) - (stamp == "end")) // DAY_US)


def first_and_last_day(
    index: pd.DatetimeIndex, *, stamp: str = "end", clock: LocalClock | None = None
) -> list[str]:
    """Return the first and the last local date of aware stamps as text, for a history.

    A table of hours, weekdays or labels has lost its stamps: its history states the days.
    """
    if not len(index):
        return []
    order = index.sort_values()
    begins = order[:1]
    # A slice by date begins with the record that closes the day before.
    if stamp == "end" and len(order) > 1 and int(time_of_day_us(begins, clock=clock)[0]) == DAY_US:
        begins = order[1:2]
    ends = pd.DatetimeIndex([begins[0], order[-1]])
    return [str(day.date()) for day in local_days(ends, stamp=stamp, clock=clock)]


def dates_at(days: Ints) -> pd.DatetimeIndex:
    """Return days since 1970 as calendar dates."""
    return pd.DatetimeIndex((days * DAY_US).view("M8[us]"))


def time_of_day_us(index: pd.DatetimeIndex, *, clock: LocalClock | None = None) -> Ints:
    """Return the wall-clock microseconds of each stamp, in (0, 24 h]: midnight ends its day.

    A stamp closes its interval, so the clock is read one microsecond earlier: the stamp at which
    clocks go from 02:00 to 03:00 closes 01:59:59 and counts as 02:00.
    """
    clock = LocalClock(index.tz) if clock is None else clock
    of_day: Ints = clock.wall_us(microseconds(index) - 1) % DAY_US + 1
    return of_day


def check_stamp(stamp: str) -> str:
    """Return `stamp` if it is ``"end"`` or ``"start"``, else raise `ConfigurationError`."""
    if stamp not in ("end", "start"):
        raise ConfigurationError(f"stamp must be 'end' or 'start', not {stamp!r}")
    return stamp


def whole_days(windows: Sequence[Window]) -> dict[date, tuple[Window, ...]]:
    """Group windows by local date, in order: a day is stored as a whole or not at all."""
    days: dict[date, tuple[Window, ...]] = {}
    for window in windows:
        days[window.day] = (*days.get(window.day, ()), window)
    return days


# The zones of a wearer.

FILE_ZONE = "file"  # each record's own offset, as its text says
_COLUMNS = ("from", "tz")
_FIELD = re.compile(r"[,;\t]")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Zones:
    """The zones of a wearer, with the date or instant from which each holds.

    Parameters
    ----------
    table : DataFrame, list of pairs, path of a CSV file, str or Zones
        The columns ``from`` and ``tz``, one row per zone, in order of time. ``from`` is a local
        date (``"2026-10-22"``: the zone holds from the midnight that opens this date in it) or an
        aware instant (``"2026-10-22T18:30:00-04:00"``). ``tz`` is an IANA zone
        (``"America/New_York"``) or a fixed offset (``"UTC-04:00"``). The ``from`` of the first row
        may be empty; the first zone also holds before its ``from``. The name of a zone alone is a
        wearer who does not travel.

    Attributes
    ----------
    rows : tuple of pairs
        Each ``from`` (a date, an instant in UTC, or None) and its zone.

    Raises
    ------
    ConfigurationError
        If a zone is unknown, a ``from`` is neither a date nor an aware instant, rows are not in
        order of time, or the table or file does not have the two columns.

    Notes
    -----
    A table read with `Zones` has its index in the zone `home`, which is the first zone, and, if
    there is more than one zone, the column ``utc_offset_min``: days and hours follow this column.

    Two objects with the same rows are equal, and have the same hash.

    Examples
    --------
    >>> import eyelog as el
    >>> trip = el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "America/New_York")])
    >>> trip
    from        tz
                Asia/Tokyo
    2026-10-22  America/New_York
    >>> trip.home
    'Asia/Tokyo'
    """

    rows: tuple[tuple[date | datetime | None, str], ...]

    def __init__(self, table: Any) -> None:
        if isinstance(table, Zones):
            object.__setattr__(self, "rows", table.rows)
            return
        pairs, where = _pairs_of(table)
        rows = tuple(
            _row_of(since, name, f"{where}row {number}", first=number == 1)
            for number, (since, name) in enumerate(pairs, 1)
        )
        if not rows:
            raise ConfigurationError(f"{where}no zone is given: give one, such as 'Asia/Tokyo'")
        object.__setattr__(self, "rows", rows)
        changes = self.changes()
        for number in range(1, len(changes)):
            if changes[number] <= changes[number - 1]:
                raise ConfigurationError(
                    f"{where}row {number + 1} ({_text_of(rows[number][0])}, {rows[number][1]}) does"
                    " not begin after the row before it: put the rows in order of time"
                )

    def __repr__(self) -> str:
        table = [_COLUMNS, *((_text_of(since), name) for since, name in self.rows)]
        width = max(len(since) for since, _ in table)
        return "\n".join(f"{since:{width}}  {name}" for since, name in table)

    def __str__(self) -> str:
        return ", ".join(dict.fromkeys(name for _, name in self.rows))

    @property
    def home(self) -> str:
        """The zone of the index: the first one."""
        return self.rows[0][1]

    @property
    def vary(self) -> bool:
        """Whether there is more than one zone."""
        return len({name for _, name in self.rows}) > 1

    def changes(self) -> list[datetime]:
        """Return the instant (UTC) from which each zone holds; that of the first zone has no use.

        Where the first ``from`` is empty, it is the beginning of time.
        """
        shifts = []
        for since, name in self.rows:
            if since is None:
                shifts.append(datetime.min.replace(tzinfo=UTC))
            elif isinstance(since, datetime):
                shifts.append(since)
            else:
                shifts.append(day_start(since, zone(name)))
        return shifts

    def offset_min(self, index: pd.DatetimeIndex) -> npt.NDArray[np.float64]:
        """Return how far the wearer's clock is ahead of UTC at each stamp.

        Parameters
        ----------
        index : DatetimeIndex
            Aware stamps. Each closes its interval, so the clock is that just before the stamp: the
            record that closes at the moment of a change still has the earlier offset.

        Returns
        -------
        array of float64
            Minutes east of UTC, whole numbers.

        Raises
        ------
        ConfigurationError
            If the index is not one of aware stamps.

        Examples
        --------
        >>> import eyelog as el
        >>> el.Zones("Asia/Tokyo").offset_min(el.sample().index[:2]).tolist()
        [540.0, 540.0]
        """
        if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
            raise ConfigurationError(
                "offset_min takes a DatetimeIndex of aware stamps, such as frame.index"
            )
        inside = microseconds(index) - 1
        since = np.array([_us_of(change) for change in self.changes()[1:]], dtype=np.int64)
        at = np.searchsorted(since, inside, side="right")
        minutes = np.full(len(inside), np.nan)
        for number in np.unique(at).tolist():
            chosen = at == number
            stamps = pd.DatetimeIndex(inside[chosen].view("M8[us]")).tz_localize("UTC")
            wall = stamps.tz_convert(zone(self.rows[number][1])).tz_localize(None)
            minutes[chosen] = np.rint((microseconds(wall) - inside[chosen]) / 60e6)
        return minutes

    def to_frame(self) -> pd.DataFrame:
        """Return the table: the columns ``from`` (text, empty if there is none) and ``tz``.

        Examples
        --------
        >>> import eyelog as el
        >>> el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "Asia/Seoul")]).to_frame()
                 from          tz
        0              Asia/Tokyo
        1  2026-10-22  Asia/Seoul
        """
        rows = [(_text_of(since), name) for since, name in self.rows]
        return pd.DataFrame(rows, columns=pd.Index(_COLUMNS), dtype="str")

    def with_zone(self, name: str, since: str | date | datetime) -> "Zones":
        """Return the zones with one added, or with one replaced if its date is already there.

        Parameters
        ----------
        name : str
            The zone that holds from then on, until the next one that is given.
        since : str, date or aware datetime
            A local date or an instant, as in the table.

        Examples
        --------
        >>> import eyelog as el
        >>> print(el.Zones("Asia/Tokyo").with_zone("America/New_York", "2026-10-22"))
        Asia/Tokyo, America/New_York
        """
        new = _row_of(since, name, "", first=False)
        when = Zones([new]).changes()[0]
        dated = list(zip(self.changes(), self.rows, strict=True))
        before = [row for change, row in dated if change < when and row[0] != new[0]]
        after = [row for change, row in dated if change > when and row[0] != new[0]]
        return Zones([*before, new, *after])


Zone = str | os.PathLike[str] | Sequence[tuple[Any, str]] | pd.DataFrame | Zones


def as_zones(tz: Any, *, what: str = "") -> Zones:
    """Return the zones that an argument ``tz=`` names.

    Parameters
    ----------
    tz : str, path, DataFrame, list of pairs or Zones
        As `Zones` takes it.
    what : str
        What is read, for the message on ``tz="file"`` where records have no text.

    Raises
    ------
    ConfigurationError
        As from `Zones`.
    """
    if isinstance(tz, str) and tz == FILE_ZONE:
        raise ConfigurationError(
            f"{argument('tz', 'file')} takes the offset that each date of a file is written in, and"
            f" {what or 'this'} has none: give the zone, such as"
            f" {argument('tz', 'Asia/Tokyo')}, or a table of"
            " zones (el.Zones)"
        )
    return tz if isinstance(tz, Zones) else Zones(tz)


def known_zones(
    tz: Any, *, whose: str, stored: Zones | None = None, remedy: str = "", stacklevel: int = 3
) -> Zones:
    """Return the zones of records: those given, else those stored, else EYELOG_TZ, else UTC.

    Parameters
    ----------
    tz
        The argument ``tz=`` of the reader, or None.
    whose : str
        Whose records, such as ``account 'anna'``, for the warning.
    stored : Zones, optional
        What the archive knows about the account.
    remedy : str
        What to type so that the zone is known.

    Warns
    -----
    EyelogWarning
        If nothing says which zone it is.
    """
    if tz is not None:
        return as_zones(tz, what=whose)
    if stored is not None:
        return stored
    text = os.environ.get("EYELOG_TZ", "").strip()
    if text:
        try:
            return as_zones(text, what=whose)
        except ConfigurationError as error:
            raise ConfigurationError(f"EYELOG_TZ: {marked(error)}") from None
    how = remedy or f"pass {argument('tz', 'Asia/Tokyo')}"
    warnings.warn(
        f"no zone is known for {whose}: days are UTC days; {how}, or set EYELOG_TZ",
        EyelogWarning,
        stacklevel=stacklevel,
    )
    return Zones("UTC")


def zones_of_offsets(stamps: pd.DatetimeIndex, minutes: npt.NDArray[np.float64]) -> Zones:
    """Return the zones that the offsets of sorted records show: fixed ones, with their instants."""
    new = np.flatnonzero(np.append(True, minutes[1:] != minutes[:-1]))
    us = microseconds(stamps)
    rows: list[tuple[datetime | None, str]] = []
    for at in new.tolist():
        # A record may lie long after the one before: the new offset holds from its own interval.
        opens = max(us[at] - 1_000_000, us[at - 1]) if at else us[at]
        since = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=int(opens))
        rows.append((since if at else None, offset_name(minutes[at])))
    return Zones(rows)


def offset_name(minutes: float) -> str:
    """Return the name of a fixed offset (``UTC+09:00``), ``UTC`` for 0."""
    whole = round(abs(minutes))
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{whole // 60:02}:{whole % 60:02}" if whole else "UTC"


@lru_cache(maxsize=256)
def as_tzinfo(tz: str | Zones) -> tzinfo:
    """Return the clock of a zone, or of zones, as Python's datetimes take it."""
    if isinstance(tz, Zones):
        return _Travelling(tz) if tz.vary else zone(tz.home)
    return zone(tz)


class _Travelling(tzinfo):
    """The clock of a wearer whose zone changes; equal to another one of the same zones."""

    def __init__(self, zones: Zones) -> None:
        self._zones = zones
        self._places = [zone(name) for _, name in zones.rows]
        self._edges = [*zones.changes()[1:], datetime.max.replace(tzinfo=UTC)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Travelling) and self._zones == other._zones

    def __hash__(self) -> int:
        return hash(self._zones)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Travelling, (self._zones,)

    def utcoffset(self, when: datetime | None) -> timedelta | None:
        """Return the offset of a clock time; if it occurs twice, or never, ``fold`` decides."""
        if when is None:
            return None
        begins = datetime.min.replace(tzinfo=UTC)
        fitting, before, after = [], None, None
        for place, ends in zip(self._places, self._edges, strict=True):
            offset = when.replace(tzinfo=place).utcoffset() or timedelta()
            instant = when.replace(tzinfo=UTC, fold=0) - offset
            if begins <= instant < ends:
                fitting.append(offset)
            elif instant >= ends:  # it would have come after the change to the next zone
                before = offset
            elif after is None:
                after = offset
            begins = ends
        if fitting:
            return fitting[-1] if when.fold else fitting[0]
        return after if when.fold or before is None else before

    def dst(self, _when: datetime | None) -> timedelta | None:
        """Return nothing: several zones together do not have one."""
        return None

    def tzname(self, _when: datetime | None) -> str | None:
        """Return the names of the zones."""
        return str(self._zones)

    def fromutc(self, when: datetime) -> datetime:
        """Return an instant, given in UTC, on this clock."""
        instant = when.replace(tzinfo=UTC)
        at = sum(instant >= edge for edge in self._edges[:-1])
        wall = instant.astimezone(self._places[at]).replace(tzinfo=self)
        if wall.utcoffset() != wall.replace(tzinfo=None) - instant.replace(tzinfo=None):
            return wall.replace(fold=1 - wall.fold)
        return wall


def zone_at(zones: Zones, instant: datetime) -> str:
    """Return the zone that holds at an instant."""
    return zones.rows[sum(instant >= change for change in zones.changes()[1:])][1]


def _us_of(instant: datetime) -> int:
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _text_of(since: date | datetime | None) -> str:
    if since is None:
        return ""
    text = since.isoformat()
    return text.replace("+00:00", "Z") if isinstance(since, datetime) else text


def _pairs_of(table: Any) -> tuple[list[tuple[Any, Any]], str]:
    """Return the rows of a table of zones, and the name of its file for messages."""
    if isinstance(table, os.PathLike) or (
        isinstance(table, str) and table.lower().endswith(".csv")
    ):
        return _pairs_of_csv(Path(table))
    if isinstance(table, str):
        return [(None, table)], ""
    if isinstance(table, pd.DataFrame):
        lacking = [name for name in _COLUMNS if name not in table.columns]
        if lacking:
            raise ConfigurationError(
                f"the table of zones has no column {lacking[0]!r}: it needs from and tz"
            )
        return list(zip(table["from"], table["tz"], strict=True)), ""
    if isinstance(table, Sequence):
        pairs = [row for row in table if isinstance(row, Sequence) and not isinstance(row, str)]
        if len(pairs) == len(table) and all(len(pair) == 2 for pair in pairs):
            return [(since, name) for since, name in pairs], ""
    raise ConfigurationError(
        "zones are the name of a zone, a table with the columns from and tz, a list of pairs"
        f" (from, tz) or a .csv file, not {type(table).__name__}"
    )


def _pairs_of_csv(path: Path) -> tuple[list[tuple[Any, Any]], str]:
    try:
        lines = path.expanduser().read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigurationError(f"cannot read the zones in {path}: {reason}") from None
    cells = [[cell.strip().strip('"') for cell in _FIELD.split(line)] for line in lines]
    cells = [row for row in cells if any(row)]
    header = [name.lower() for name in cells[0]] if cells else []
    if not set(_COLUMNS) <= set(header):
        raise ConfigurationError(
            f"{path}: the first line must name the columns from and tz (from,tz); then comes a line"
            " per zone, such as 2026-10-22,America/New_York"
        )
    since, name = (header.index(column) for column in _COLUMNS)
    for row in cells:
        row += [""] * (len(header) - len(row))
    return [(row[since], row[name]) for row in cells[1:]], f"{path}: "


def _row_of(
    since: Any, name: Any, where: str, *, first: bool
) -> tuple[date | datetime | None, str]:
    """Return one row, checked; `where` names it in a message."""
    at = f"{where}: " if where and not (first and since is None) else ""
    if not isinstance(name, str) or not name:
        raise ConfigurationError(f"{at}no zone is given: give one, such as 'Asia/Tokyo'")
    try:
        zone(name)
    except ConfigurationError as error:
        raise ConfigurationError(f"{at}{marked(error)}") from None
    missing = since is None or (not isinstance(since, str) and bool(pd.isna(since)))
    if missing or since == "":
        if not first:
            raise ConfigurationError(
                f"{at}only the first zone may have no date: give the day from which {name} holds"
            )
        return None, name
    try:
        return _since_of(since), name
    except ConfigurationError as error:
        raise ConfigurationError(f"{at}{marked(error)}") from None


def _since_of(since: Any) -> date | datetime:
    if isinstance(since, str) and len(since) > 10:
        since = parse_rfc3339(since)
    if isinstance(since, pd.Timestamp):
        since = since.to_pydatetime(warn=False)
    if not isinstance(since, datetime):
        return parse_day(since)
    if since.utcoffset() is not None:
        return datetime.fromisoformat(since.isoformat()).astimezone(UTC)
    if since.time() == time():  # how pandas writes a date
        return since.date()
    raise ConfigurationError(
        f"{since} has no offset: give a day such as {since.date().isoformat()!r}, or an instant"
        f" with its offset, such as '{since.isoformat()}+09:00'"
    )
