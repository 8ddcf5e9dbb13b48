"""Time: stamps, zones, local days, and the wearer's clock.

Stamps are right-closed: a record stamped 00:00:00 covers the interval before it, so it belongs to
the day that ended.
"""

import csv
import os
import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError, warn

Ints = npt.NDArray[np.int64]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
MIDNIGHT = time()
MINUTE_US = 60_000_000
HOUR_US = 3_600_000_000
DAY_US = 86_400_000_000
THURSDAY = 3  # 1 January 1970
MOST_AHEAD_MIN = 16 * 60  # no place has ever been further from UTC
_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)", re.ASCII
)
# Those that Arrow reads too; it also reads other texts, such as those of a year 0.
_PLAIN = r"^([1-9]\d*|0\d*[1-9]\d*)-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)$"
_FIXED = re.compile(r"UTC([+-]\d{2}:[0-5]\d)", re.ASCII)
# An offset as people write it: +09:00, +9, UTC+9, GMT+0900.
_OFFSET = re.compile(r"(?:UTC|GMT)?\s*([+-])(\d{1,2}):?([0-5]\d)?", re.ASCII | re.IGNORECASE)

# What a machine calls its own zone; IANA's data may have such names too
_OF_A_MACHINE = frozenset({"localtime", "local", "posixrules", "Factory"})


# Stamps of RFC 3339


def parse_rfc3339(text: str) -> datetime:
    """Return the aware datetime of a stamp with ``Z``, ``+09:00`` or ``+0900``.

    Raises
    ------
    ConfigurationError
        If the text is not a date and time with an offset.
    """
    # fromisoformat alone accepts too much: week dates, text after a NUL, odd offsets.
    if isinstance(text, str) and _RFC3339.fullmatch(text):
        with suppress(ValueError):
            return datetime.fromisoformat(text.upper())
    raise ConfigurationError(
        f"{text!r} is not an RFC 3339 date and time with an offset"
        " (such as 2026-10-24T09:00:00+09:00)"
    )


def parse_stamps(texts: Sequence[str]) -> np.ndarray:
    """Return the UTC instants (datetime64[us]) of many RFC 3339 stamps at once.

    Where all have an upper-case ``T`` (or a blank) and at most six decimals, they are read as a
    column; else one by one through `parse_rfc3339`, with the same result.

    Raises
    ------
    ConfigurationError
        If a text is not a date and time with an offset.
    """
    with suppress(pa.ArrowInvalid, pa.ArrowTypeError, UnicodeError):
        column = pa.array(texts, pa.string())
        plain = pc.match_substring_regex(column, _PLAIN)
        if pc.all(plain, skip_nulls=False, min_count=0).as_py():
            instants: np.ndarray = column.cast(pa.timestamp("us", "UTC")).to_numpy(
                zero_copy_only=False
            )
            return instants
    epoch = EPOCH.replace(tzinfo=None)
    whole = np.empty(len(texts), np.int64)
    for i, text in enumerate(texts):
        parsed = parse_rfc3339(text)
        # Not astimezone: a stamp of year 1 or 9999 may leave the range of a datetime.
        offset = parsed.utcoffset() or timedelta()
        whole[i] = (parsed.replace(tzinfo=None) - epoch - offset) // MICROSECOND
    return whole.view("datetime64[us]")


# Zones and days


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
    if name in _OF_A_MACHINE:
        raise ConfigurationError(
            f"the time zone {name!r} is another one on every machine: name the place, such as"
            " 'Asia/Tokyo' or 'Europe/Berlin'"
        )
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
    """Return, in parentheses, the zones that an unknown name may have meant, or an empty text.

    What people call their zone, such as JST, is never accepted as one: several places share it, and
    it does not say when the clocks change. (Some, such as CET and EST, are old IANA names too; not
    every machine has those.)
    """
    text = name.strip()
    called = csv.DictReader(files("eyelog").joinpath("zonenames.csv").read_text().splitlines())
    if meant := [repr(row["zone"]) for row in called if row["called"] == text.upper()]:
        *others, last = meant
        return f" (did you mean {', '.join(others) + ' or ' if others else ''}{last}?)"
    if match := _OFFSET.fullmatch(text):
        sign, hours, minutes = match.groups()
        if int(hours) <= 14:
            return f" (did you mean 'UTC{sign}{int(hours):02}:{minutes or '00'}'?)"
    zones = available_timezones() - _OF_A_MACHINE
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
    shown = repr(value) if isinstance(value, str) else type(value).__name__
    raise ConfigurationError(f"{shown} is not a day: write it as 2026-10-24")


def time_of_day(text: str | None) -> time:
    """Return the time at which a day starts, midnight by default.

    Raises
    ------
    ConfigurationError
        If it is not written as 18:00.
    """
    if text is None:
        return MIDNIGHT
    if isinstance(text, str) and len(text) == 5 and text[2] == ":":
        with suppress(ValueError):
            return time.fromisoformat(text)
    raise ConfigurationError(f"day_starts={text!r} is no time of day: write it as 18:00")


def instant_range(
    start: str | date | datetime,
    end: str | date | datetime,
    tz: "str | tzinfo | Zones",
    *,
    at: time = MIDNIGHT,
) -> tuple[datetime, datetime]:
    """Return the first and last instant (UTC, whole seconds) of a range.

    Days are local days of `tz`, both included, which start `at` a time; datetimes are taken as they
    are.

    Raises
    ------
    ConfigurationError
        If a datetime is naive, a text is not a day, the start is after the end, or one of them lies
        outside the years 1 to 9999.
    """
    place = tz if isinstance(tz, tzinfo) else as_tzinfo(tz)
    edges, days = [], []
    try:
        for value, closing in ((start, False), (end, True)):
            if isinstance(value, str) and len(value) > 10:
                value = parse_rfc3339(value)
            if not isinstance(value, datetime):
                days.append(parse_day(value))
                opens = day_start(days[-1] + DAY if closing else days[-1], place, at)
                edges.append(opens - SECOND if closing else opens)
                continue
            if value.tzinfo is None or value.utcoffset() is None:
                raise ConfigurationError(
                    f"{value} has no time zone: give an aware datetime or a day such as"
                    f" {value.date().isoformat()!r}"
                )
            # A plain datetime: that of pandas cannot be told in the zones of a traveller.
            instant = datetime.fromisoformat(value.isoformat()).astimezone(UTC)
            days.append(instant.astimezone(place).date())
            whole = instant.replace(microsecond=0)
            edges.append(whole if closing or whole == instant else whole + SECOND)
    except OverflowError:
        raise ConfigurationError(
            f"the range lies outside the years 1 to 9999: {start} to {end}"
        ) from None
    first, last = edges
    if first > last:
        # A single day that the zone skipped (Apia, 2011-12-30) is empty, not reversed.
        if days[0] <= days[1]:
            return first, first - SECOND
        raise ConfigurationError(f"the range starts after it ends: {start} > {end}; swap the two")
    return first, last


@lru_cache(maxsize=4096)  # the days of a month are those of every wearer of a cohort
def day_start(day: date, place: tzinfo, at: time = MIDNIGHT) -> datetime:
    """Return the first instant (UTC) of a local day, even if its midnight does not exist.

    The day starts `at` a time, which is midnight for most people.

    A day that the zone skipped starts where the next day starts.
    """
    if hasattr(place, "zone"):  # of pytz, which pandas 2 makes of a name, and datetime misreads
        place = zone(place.zone)
    midnight = datetime.combine(day, at, place)
    first, second = (midnight.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if first <= second:  # there is one midnight, or the first of two
        return first
    # The clock jumped over midnight between its two readings. (pandas' "shift_forward" is wrong
    # if a whole day was skipped.)
    wall, seconds = midnight.replace(tzinfo=None), range((first - second) // SECOND)
    shown = lambda n: (second + n * SECOND).astimezone(place).replace(tzinfo=None)  # noqa: E731
    return second + bisect_left(seconds, wall, key=shown) * SECOND


def day_range(
    start: str | date | datetime, end: str | date | datetime, tz: "str | Zones"
) -> list[date]:
    """Return the local days that a range touches, in order."""
    place = as_tzinfo(tz)
    first, last = (edge.astimezone(place).date() for edge in instant_range(start, end, tz))
    return [first + n * DAY for n in range((last - first).days + 1)]


def microseconds(index: pd.DatetimeIndex) -> Ints:
    """Return stamps as microseconds of Unix time, without a copy if that is their unit."""
    us: Ints = (index if index.unit == "us" else index.as_unit("us")).asi8
    return us


def stamps_at(us: Ints, tz: Any) -> pd.DatetimeIndex:
    """Return microseconds since 1970 as stamps in a zone; without a zone, as dates."""
    naive = pd.DatetimeIndex(us.view("datetime64[us]"))
    return naive if tz is None else naive.tz_localize("UTC").tz_convert(tz)


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
        return np.asarray(stamps.tz_convert(self.tz).tz_localize(None).asi8)

    def set_back(self, day_starts: str | None, us: Ints) -> "LocalClock":
        """Return the clock that shows midnight when a day starts, for sorted instants."""
        if day_starts is None:
            return self
        at = time_of_day(day_starts)
        if at == MIDNIGHT or not len(us):
            return self
        since, ahead = self.offsets(int(us[0]) - 9 * DAY_US, int(us[-1]) + 9 * DAY_US)
        return LocalClock(None, since, ahead - (at.hour * 60 + at.minute) * 60_000_000)

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
        # Clocks change at whole seconds, and since 1985 none has twice within 6 days.
        brackets = [(low // 1_000_000, high // 1_000_000 + 1)]
        for step in (6 * 3600, 60, 1):
            parts = [np.append(np.arange(begin, end, step), end) for begin, end in brackets]
            us = np.concatenate([np.zeros(0, np.int64), *parts]) * 1_000_000
            ahead = self.wall_us(us) - us
            changed = np.flatnonzero(ahead[1:] != ahead[:-1])
            brackets = list(
                zip(us[changed] // 1_000_000, us[changed + 1] // 1_000_000, strict=True)
            )
        since = np.append(np.int64(low), us[changed + 1])
        since = since[np.append(True, since[1:] < high)]
        return since, self.wall_us(since) - since

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
    stamp: Literal["end", "start"] = "end",
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
    index: pd.DatetimeIndex,
    *,
    stamp: Literal["end", "start"] = "end",
    clock: LocalClock | None = None,
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
    clock = LocalClock(index.tz) if clock is None else clock
    return dates_at(clock.wall_us(microseconds(index) - (stamp == "end")) // DAY_US)


def days_with_records(
    index: pd.DatetimeIndex, *, clock: LocalClock | None = None
) -> pd.DatetimeIndex:
    """Return the local dates of closing stamps, in order, each once.

    A fetch selects by stamp, so its first record may close the day before: a day that has no other
    record is left out.
    """
    inside = time_of_day_us(index, clock=clock) < DAY_US
    return local_days(index[inside], clock=clock).unique().sort_values()


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


# The zones of a wearer.

FILE_ZONE = "file"  # each record's own offset, as its text says
_COLUMNS = ("from", "tz")


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
    home : str
        The zone of the index: the first one.
    vary : bool
        Whether there is more than one zone.

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
    home: str = field(compare=False)
    vary: bool = field(compare=False)

    def __init__(self, table: Any) -> None:
        pairs, where = _pairs_of(table)
        rows = tuple(
            _row_of(since, name, f"{where}row {number}", first=number == 1)
            for number, (since, name) in enumerate(pairs, 1)
        )
        if not rows:
            raise ConfigurationError(f"{where}no zone is given: give one, such as 'Asia/Tokyo'")
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "home", rows[0][1])
        object.__setattr__(self, "vary", len({name for _, name in rows}) > 1)
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

    def changes(self) -> list[datetime]:
        """Return the instant (UTC) from which each zone holds; that of the first zone has no use.

        Where the first ``from`` is empty, it is the beginning of time.
        """
        begin = datetime.min.replace(tzinfo=UTC)
        return [
            since or begin if isinstance(since, datetime | None) else day_start(since, zone(name))
            for since, name in self.rows
        ]

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
        since = np.array(
            [(change - EPOCH) // MICROSECOND for change in self.changes()[1:]], dtype=np.int64
        )
        at = np.searchsorted(since, inside, side="right")
        minutes = np.full(len(inside), np.nan)
        for number in np.unique(at).tolist():
            chosen = at == number
            clock = LocalClock(zone(self.rows[number][1]))
            minutes[chosen] = np.rint(clock.offset_min(inside[chosen]))
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
            f"tz='file' takes the offset that each date of a file is written in, and"
            f" {what or 'this'} has none: give the zone, such as"
            f" tz='Asia/Tokyo', or a table of"
            " zones (el.Zones)"
        )
    return tz if isinstance(tz, Zones) else Zones(tz)


def known_zones(tz: Any, *, whose: str, stored: Zones | None = None, remedy: str = "") -> Zones:
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
            raise ConfigurationError(f"EYELOG_TZ: {error}") from None
    how = remedy or "pass tz='Asia/Tokyo'"
    warn(f"no zone is known for {whose}: days are UTC days; {how}, or set EYELOG_TZ")
    return Zones("UTC")


def zones_of_offsets(stamps: pd.DatetimeIndex, minutes: npt.NDArray[np.float64]) -> Zones:
    """Return the zones that the offsets of sorted records show: fixed ones, with their instants."""
    new = np.flatnonzero(np.append(True, minutes[1:] != minutes[:-1]))
    us = microseconds(stamps)
    rows: list[tuple[datetime | None, str]] = []
    for at in new.tolist():
        # A record may lie long after the one before: the new offset holds from its own interval.
        opens = max(us[at] - 1_000_000, us[at - 1]) if at else us[at]
        since = EPOCH + int(opens) * MICROSECOND
        rows.append((since if at else None, offset_name(minutes[at])))
    return Zones(rows)


def offset_name(minutes: float) -> str:
    """Return the name of a fixed offset (``UTC+09:00``), ``UTC`` for 0."""
    return f"UTC{offset_of(minutes)}" if round(minutes) else "UTC"


def offset_of(minutes: float) -> str:
    """Return an offset as a stamp has it (``+09:00``)."""
    whole = round(abs(minutes))
    return f"{'-' if minutes < 0 else '+'}{whole // 60:02}:{whole % 60:02}"


@lru_cache(maxsize=256)
def as_tzinfo(tz: str | Zones) -> tzinfo:
    """Return the clock of a zone, or of zones, as Python's datetimes take it."""
    if isinstance(tz, Zones):
        return _Travelling(tz) if tz.vary else zone(tz.home)
    return zone(tz)


@dataclass(frozen=True)
class _Travelling(tzinfo):
    """The clock of a wearer whose zone changes."""

    zones: Zones

    def __repr__(self) -> str:
        return str(self.zones)

    def __getinitargs__(self) -> tuple[Zones]:  # for copies and processes
        return (self.zones,)

    @cached_property
    def _stays(self) -> list[tuple[tzinfo, datetime, datetime]]:
        """Each zone, from when and until when the wearer was there."""
        begin, end = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
        edges = [begin, *self.zones.changes()[1:], end]
        places = [zone(name) for _, name in self.zones.rows]
        return list(zip(places, edges[:-1], edges[1:], strict=True))

    def utcoffset(self, when: datetime | None) -> timedelta | None:
        """Return the offset of a clock time; if it occurs twice, or never, ``fold`` decides."""
        if when is None:
            return None
        fitting, before, after = [], None, None
        for place, begins, ends in self._stays:
            offset = when.replace(tzinfo=place).utcoffset() or timedelta()
            instant = when.replace(tzinfo=UTC, fold=0) - offset
            if begins <= instant < ends:
                fitting.append(offset)
            elif instant >= ends:  # it would have come after the change to the next zone
                before = offset
            elif after is None:
                after = offset
        if fitting:
            return fitting[-1] if when.fold else fitting[0]
        return after if when.fold or before is None else before

    def dst(self, _when: datetime | None) -> timedelta | None:
        """Return nothing: several zones together do not have one."""
        return None

    def tzname(self, _when: datetime | None) -> str | None:
        """Return the names of the zones."""
        return str(self.zones)

    def fromutc(self, when: datetime) -> datetime:
        """Return an instant, given in UTC, on this clock."""
        instant = when.replace(tzinfo=UTC)
        place = next((zone for zone, _, ends in self._stays if instant < ends), self._stays[-1][0])
        wall = instant.astimezone(place).replace(tzinfo=self)
        if wall.utcoffset() != wall.replace(tzinfo=None) - instant.replace(tzinfo=None):
            return wall.replace(fold=1 - wall.fold)
        return wall


def zone_at(zones: Zones, instant: datetime) -> str:
    """Return the zone that holds at an instant."""
    return zones.rows[sum(instant >= change for change in zones.changes()[1:])][1]


def _text_of(since: date | datetime | None) -> str:
    if since is None:
        return ""
    text = since.isoformat()
    return text.replace("+00:00", "Z") if isinstance(since, datetime) else text


def _pairs_of(table: Any) -> tuple[list[tuple[Any, Any]], str]:
    """Return the rows of a table of zones, and the name of its file for messages."""
    where = ""
    if isinstance(table, Zones):
        return list(table.rows), ""
    if isinstance(table, os.PathLike) or (
        isinstance(table, str) and table.lower().endswith(".csv")
    ):
        where = f"{Path(table)}: "
        try:
            lines = Path(table).expanduser().read_text(encoding="utf-8-sig").splitlines()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise ConfigurationError(f"cannot read the zones in {where[:-2]}: {reason}") from None
        cells = [[cell.strip(' "') for cell in re.split(r"[,;\t]", line)] for line in lines]
        header, *rows = [row for row in cells if any(row)] or [[]]
        names = [name.lower() for name in header]
        named = [dict(zip(names, row, strict=False)) for row in rows]
        table = pd.DataFrame(named, columns=list(dict.fromkeys(names)), dtype=object).fillna("")
    if isinstance(table, str):
        return [(None, table)], where
    if isinstance(table, pd.DataFrame):
        if not set(_COLUMNS) <= set(table.columns):
            raise ConfigurationError(
                f"{where}a table of zones needs the columns from and tz, with a row per zone, such"
                " as 2026-10-22 and America/New_York"
            )
        return list(zip(table["from"], table["tz"], strict=True)), where
    if isinstance(table, Sequence):
        pairs = [row for row in table if isinstance(row, Sequence) and not isinstance(row, str)]
        if len(pairs) == len(table) and all(len(pair) == 2 for pair in pairs):
            return [(since, name) for since, name in pairs], where
    raise ConfigurationError(
        "zones are the name of a zone, a table with the columns from and tz, a list of pairs"
        f" (from, tz) or a .csv file, not {type(table).__name__}"
    )


def _row_of(
    since: Any, name: Any, where: str, *, first: bool
) -> tuple[date | datetime | None, str]:
    """Return one row, checked; `where` names it in a message."""
    try:
        if not isinstance(name, str) or not name:
            raise ConfigurationError("no zone is given: give one, such as 'Asia/Tokyo'")
        zone(name)
        if since is None or since == "" or (not isinstance(since, str) and bool(pd.isna(since))):
            if first:
                return None, name
            raise ConfigurationError(
                f"only the first zone may have no date: give the day from which {name} holds"
            )
        if isinstance(since, str) and len(since) > 10:
            since = parse_rfc3339(since)
        if isinstance(since, pd.Timestamp):
            since = since.to_pydatetime(warn=False)
        if not isinstance(since, datetime):
            return parse_day(since), name
        if since.utcoffset() is not None:
            return datetime.fromisoformat(since.isoformat()).astimezone(UTC), name
        if since.time() == time():  # how pandas writes a date
            return since.date(), name
        raise ConfigurationError(
            f"{since} has no offset: give a day such as {since.date().isoformat()!r}, or an instant"
            f" with its offset, such as '{since.isoformat()}+09:00'"
        )
    except ConfigurationError as error:
        at = f"{where}: " if where and not (first and since is None) else ""
        raise ConfigurationError(f"{at}{error}") from None
