"""Time: RFC 3339 stamps, zones, and the windows that satisfy the service's range rule.

The service takes ranges within one local date and one offset, at most 23:59:59 long. A local day
of 23 or 25 hours has two offsets, so it needs two windows. A stamp closes its interval, so the
record of 00:00:00 covers the day that ended.
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
import pandas as pd

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError

__all__ = [
    "Window",
    "day_range",
    "day_start",
    "format_rfc3339",
    "instant_range",
    "local_days",
    "parse_day",
    "parse_rfc3339",
    "parse_stamps",
    "windows",
    "zone",
]

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Window:
    """A range that the service accepts: one local date, one offset, both ends included."""

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

    Raises
    ------
    ConfigurationError
        If the machine's zone data has no such zone.
    """
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError):
        hint = near(name, available_timezones())
        raise ConfigurationError(
            f"unknown time zone {name!r}{hint}: use an IANA name such as 'Asia/Tokyo' or 'UTC'"
        ) from None


def parse_rfc3339(text: str) -> datetime:
    """Return the aware datetime of a stamp with ``Z``, ``+09:00`` or ``+0900``.

    Raises
    ------
    ConfigurationError
        If the text is not a date and time with an offset.
    """
    # fromisoformat alone takes more than is meant: week dates, text after a NUL, odd offsets.
    if isinstance(text, str) and RFC3339.fullmatch(text):
        with suppress(ValueError):
            return datetime.fromisoformat(text.upper())
    raise ConfigurationError(
        f"{text!r} is not an RFC 3339 date and time with an offset"
        " (such as 2026-10-24T09:00:00+09:00)"
    )


def parse_stamps(texts: Sequence[str]) -> np.ndarray:
    """Return the UTC instants (datetime64[us]) of many RFC 3339 stamps at once.

    Whole seconds written all alike (``Z``, ``+09:00`` or ``+0900``) are read by column; anything
    else goes stamp by stamp through `parse_rfc3339`, with the same result.

    Raises
    ------
    ConfigurationError
        If a text is not a date and time with an offset.
    """
    widths = set(map(len, texts))
    if len(widths) == 1 and (width := widths.pop()) in (20, 24, 25):
        joined = "".join(texts)
        if joined.isascii():
            chars = np.frombuffer(joined.encode("ascii"), np.uint8).reshape(-1, width)
            instants = _fixed_stamps(chars)
            if instants is not None:
                return instants
    epoch, tick = datetime(1970, 1, 1), timedelta(microseconds=1)  # noqa: DTZ001 - UTC by subtraction
    whole = np.empty(len(texts), np.int64)
    for i, text in enumerate(texts):
        parsed = parse_rfc3339(text)
        # Not astimezone: a stamp of year 1 or 9999 may leave what a datetime can hold.
        whole[i] = (parsed.replace(tzinfo=None) - epoch - (parsed.utcoffset() or DAY * 0)) // tick
    return whole.view("datetime64[us]")


def _fixed_stamps(chars: np.ndarray) -> np.ndarray | None:
    """Return the instants of ``YYYY-MM-DDThh:mm:ss`` plus offset, or None if one is not such."""
    width = chars.shape[1]
    signs = {4: "-", 7: "-", 10: "T", 13: ":", 16: ":"} | ({22: ":"} if width == 25 else {})
    tail = [] if width == 20 else [20, 21, width - 2, width - 1]
    digits = chars[:, [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, *tail]].astype(np.int64) - 48
    east = chars[:, 19] == ord("+")
    ends = chars[:, 19] == ord("Z") if width == 20 else east | (chars[:, 19] == ord("-"))
    marks = all((chars[:, at] == ord(sign)).all() for at, sign in signs.items())
    if not (marks and ends.all() and ((digits >= 0) & (digits <= 9)).all()):
        return None
    pairs = digits[:, ::2] * 10 + digits[:, 1::2]
    year = pairs[:, 0] * 100 + pairs[:, 1]
    month, day, hour, minute, second = pairs[:, 2:7].T
    first = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    opens = first.astype("datetime64[D]").astype(np.int64)
    length = (first + 1).astype("datetime64[D]").astype(np.int64) - opens
    good = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= length)
    good &= (hour < 24) & (minute < 60) & (second < 60)
    total = (((opens + day - 1) * 24 + hour) * 60 + minute) * 60 + second
    if width > 20:
        good &= (pairs[:, 7] < 24) & (pairs[:, 8] < 60)
        total -= np.where(east, 60, -60) * (pairs[:, 7] * 60 + pairs[:, 8])
    return (total * 1_000_000).view("datetime64[us]") if good.all() else None


def format_rfc3339(stamp: datetime) -> str:
    """Return ``YYYY-MM-DDThh:mm:ss±hh:mm``, with a fraction only where there is one."""
    if stamp.tzinfo is None:
        raise ConfigurationError(f"{stamp} has no time zone: give an aware datetime")
    return datetime.isoformat(stamp)


def parse_day(value: str | date) -> date:
    """Return the day of ``"YYYY-MM-DD"`` or a date.

    Raises
    ------
    ConfigurationError
        If it is no such day.
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        if len(value) == 10:  # type: ignore[arg-type]
            return date.fromisoformat(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        pass
    raise ConfigurationError(f"{value!r} is not a day: write it as 2026-10-24")


def _offsets(first: datetime, last: datetime, tz: tzinfo) -> list[tuple[datetime, timedelta]]:
    """Return (instant, offset) for the start and for each change of offset up to `last`."""
    # No zone of the IANA data has ever changed its offset twice within a quarter of an hour.
    grid = pd.date_range(first, last + timedelta(minutes=15), freq="15min", tz="UTC")
    local = grid.tz_convert(tz)
    shift = local.tz_localize(None) - grid.tz_localize(None)
    found = [(first, shift[0].to_pytimedelta())]
    for i in np.flatnonzero(shift[1:] != shift[:-1]).tolist():
        low, high = grid[i].to_pydatetime(), grid[i + 1].to_pydatetime()
        old = low.astimezone(tz).utcoffset()
        while high - low > SECOND:
            middle = low + timedelta(seconds=(high - low) // SECOND // 2)
            if middle.astimezone(tz).utcoffset() == old:
                low = middle
            else:
                high = middle
        found.append((high, shift[i + 1].to_pytimedelta()))
    return found


def _pieces(first: datetime, last: datetime, offset: timedelta) -> Iterable[Window]:
    """Cut [first, last] at each midnight of one fixed offset."""
    fixed = timezone(timedelta(minutes=round(offset / timedelta(minutes=1))))
    start, end = first.astimezone(fixed), last.astimezone(fixed)
    while start <= end:
        midnight = datetime.combine(start.date() + DAY, time(), fixed)
        yield Window(start.date(), start, min(end, midnight - SECOND))
        start = midnight


def instant_range(
    start: str | date | datetime, end: str | date | datetime, tz: str
) -> tuple[datetime, datetime]:
    """Return the first and last instant (UTC, whole seconds) that `start` and `end` mean.

    Days are inclusive local days of `tz`; datetimes are taken as they stand.

    Raises
    ------
    ConfigurationError
        If a datetime is naive, a text is no day, or the start lies after the end.
    """
    place = zone(tz)
    first = _edge(start, place, closing=False)
    last = _edge(end, place, closing=True)
    if first > last:
        # A single day that the zone skipped (Apia, 2011-12-30) is empty, not reversed.
        if parse_local(start, place) <= parse_local(end, place):
            return first, first - SECOND
        raise ConfigurationError(f"the range starts after it ends: {start} > {end}")
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


def day_start(day: date, place: tzinfo) -> datetime:
    """Return the first instant (UTC) of a local day, also where midnight does not exist.

    A day that the zone skipped starts where the next one does.
    """
    midnight = datetime.combine(day, time(), place)
    first, second = (midnight.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if first <= second:  # midnight comes once, or twice and the first is meant
        return first
    # The clock jumped over midnight somewhere between the two readings of it. (pandas'
    # "shift_forward" lands in the wrong place where a whole day was skipped.)
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
    """Cut a range into windows that satisfy the service's rule.

    Every whole second of the range lies in exactly one window; each window lies within one local
    date and one offset and is at most 23:59:59 long.

    Parameters
    ----------
    start, end : str, date or aware datetime
        Inclusive local days of `tz` (``"2026-10-24"``), or instants.
    tz : str
        IANA zone in which days are meant.

    Returns
    -------
    list of Window
        In order of time.

    Raises
    ------
    ConfigurationError
        If a datetime is naive, a text is no day, the zone is unknown, or the start lies after
        the end.

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


def local_days(index: pd.DatetimeIndex, *, stamp: str = "end") -> pd.DatetimeIndex:
    """Return for each stamp the local midnight that opens its day.

    Parameters
    ----------
    index : DatetimeIndex
        Aware stamps.
    stamp : {"end", "start"}
        Whether a stamp closes (vendor documentation) or opens its interval: under ``"end"`` the
        record of 00:00:00 belongs to the day that ended.

    Returns
    -------
    DatetimeIndex
        Same length and zone.
    """
    check_stamp(stamp)
    inside = index - pd.Timedelta(1, "us") if stamp == "end" else index
    naive = inside.tz_localize(None).normalize()
    return naive.tz_localize(index.tz, ambiguous=True, nonexistent="shift_forward")


def check_stamp(stamp: str) -> str:
    """Return `stamp` if it is ``"end"`` or ``"start"``, else raise `ConfigurationError`."""
    if stamp not in ("end", "start"):
        raise ConfigurationError(f"stamp must be 'end' or 'start', not {stamp!r}")
    return stamp


def whole_days(found: Sequence[Window]) -> dict[date, list[Window]]:
    """Group windows by local date, in order: the day is the unit of commit."""
    days: dict[date, list[Window]] = {}
    for window in found:
        days.setdefault(window.day, []).append(window)
    return days
