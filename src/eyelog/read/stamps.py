"""What the stamps of a file's rows say.

Arrow checks a column of texts against a strict pattern and casts it; what does not fit goes one by
one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.arrow_tables import Stamps, instant_us
from eyelog.clock import FILE_ZONE, Zones, offset_of, zone
from eyelog.errors import ArchiveError, ConfigurationError, warn

# For a text that is not a stamp; the same value as numpy's NaT.
NEVER: Final = np.iinfo(np.int64).min
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
# The range that an archive can hold and a datetime of any zone can represent.
_FIRST: Final = np.datetime64("0001-01-02", "us").astype(np.int64)
_AFTER: Final = np.datetime64("9999-12-01", "us").astype(np.int64)

# What Arrow casts: a date of fixed width, perhaps a fraction, and an offset or none. (Arrow alone
# takes dates without a clock time, and offsets of more than a day.)
_LOCAL: Final = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
_ZONED: Final = _LOCAL + r"(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$"
# A date, with the year first or last, and perhaps a clock time. Spreadsheet programs write slashes,
# and leave out leading zeros and seconds; databases leave out the minutes of an offset.
_WHEN: Final = re.compile(
    r"(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})"
    r"(?:[Tt ,]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_OFFSET: Final = re.compile(rb"\d ?([+-]\d\d)(?::?(\d\d))?$")


@dataclass
class StampReader:
    """The dates of one file, read block by block.

    Parameters
    ----------
    tz : str or Zones, optional
        The zone of dates without an offset.
    dayfirst : bool, optional
        Whether dates that end with the year begin with the day. By default a number above 12 in the
        dates read so far shows it.
    column : str
        Where the format has them, for messages.
    in_order : bool
        Whether they are in order of time. When clocks go back and an hour occurs twice, that
        distinguishes the two.
    """

    tz: str | Zones | None = None
    dayfirst: bool | None = None
    column: str = "'date'"
    in_order: bool = True
    offsets: set[str] = field(default_factory=set)  # such as +09:00, in which dates are written
    days: dict[int, date] = field(default_factory=dict)  # dates without a clock time, by their row

    def read(self, column: pa.ChunkedArray) -> tuple[Stamps, dict[int, str]]:
        """Return dates as instants (microseconds, UTC), and why some rows have none (`NEVER`).

        A date without an offset is a clock time of the zone. A time that remains ambiguous when
        clocks go back, and one that the clocks skip, is not an instant; nor is a whole day
        (`days`).

        Raises
        ------
        ConfigurationError
            If a date has no offset and no zone is known.
        ArchiveError
            If dates end with the year and nothing shows whether the day or the month comes first.
        """
        texts = pa.concat_arrays([pa.array([], pa.string()), *column.chunks])
        faults: dict[int, str] = {}
        self.days = {}
        stamps = self._cast(texts, faults)
        if stamps is None:
            stamps = self._one_by_one(texts, faults)
        stamps = np.where((stamps >= _FIRST) & (stamps < _AFTER), stamps, NEVER)
        for row in np.flatnonzero(stamps == NEVER).tolist():
            match = _when(texts[row].as_py())
            ordered = match is not None and len(match[4]) == 4
            like = f"with dayfirst={self.dayfirst}" if ordered else "such as 2026-10-21 07:58:00"
            faults.setdefault(row, f"{self.column} is {shown(texts[row])}, not a stamp {like}")
        return stamps, faults

    def _cast(self, texts: pa.Array, faults: dict[int, str]) -> Stamps | None:
        """Read dates that are all written in a way that Arrow casts; None if they are not."""
        if not len(texts) or texts.null_count:
            return None
        first, plain = texts[0].as_py(), texts
        if "/" in first:
            plain = pc.replace_substring(plain, "/", "-")
        if " " in first[16:]:  # "... 09:00:00 +0000"
            plain = pc.replace_substring_regex(plain, r" ([-+Z])", r"\1")
        ends, lengths, checked = _ends_of(plain), pc.min_max(pc.binary_length(plain)), plain
        minutes = [*map(_minutes, ends.dictionary.to_pylist())]
        local = not first.endswith("Z") and np.isnan(minutes[0])
        if lengths["min"] == lengths["max"]:
            # Of one length, with the end of one that fits, Arrow casts none that does not fit.
            checked = plain.take(np.unique(ends.indices, return_index=True)[1])
        if not pc.all(pc.match_substring_regex(checked, f"{_LOCAL}$" if local else _ZONED)).as_py():
            return None
        # Not of Z, which shows no local clock
        self.offsets |= {offset_of(of) for of in minutes if not np.isnan(of)}
        try:
            read = pc.cast(plain, pa.timestamp("us", None if local else "UTC"))
        except pa.ArrowInvalid:  # one of them is not a day or a time
            return None
        stamps = read.cast(pa.int64()).to_numpy()
        return self._of_clock(stamps, texts, np.arange(len(stamps)), faults) if local else stamps

    def _one_by_one(self, column: pa.Array, faults: dict[int, str]) -> Stamps:
        """Read dates however each of them is written."""
        texts = pc.utf8_trim_whitespace(column).to_pylist()
        stamps = np.full(len(texts), NEVER)
        local: list[int] = []
        order = self.dayfirst
        for i, text in enumerate(texts):
            match = _when(text)
            if match is None:
                continue
            first, _, second, third, hour, minute, seconds, fraction, offset = match.groups()
            year, month, day = first, second, third
            if len(third) == 4:
                if order is None:
                    self.dayfirst = _day_first(texts[i:])
                    order = bool(self.dayfirst)
                year, month, day = (third, second, first) if order else (third, first, second)
            try:
                on = date(int(year), int(month), int(day))
                if hour is None:
                    self.days[i] = on
                    continue
                clock = f"{hour:0>2}:{minute}:{seconds or '00'}.{(fraction or '')[:6]:0<6}"
                moment = datetime.fromisoformat(f"{on}T{clock}{(offset or '').upper()}")
            except ValueError:  # no day or no time of a day
                continue
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
                local.append(i)
            elif offset not in ("Z", "z"):
                self.offsets.add(str(moment)[-6:])
            # As years 1 and 9999 have no instant in every zone, nothing is converted.
            stamps[i] = (moment - _EPOCH) // _MICROSECOND
        if local:
            at = np.array(local)
            stamps[at] = self._of_clock(stamps[at], texts, at, faults)
        return stamps

    def _of_clock(
        self, clock: Stamps, texts: Sequence[object], rows: Stamps, faults: dict[int, str]
    ) -> Stamps:
        """Return clock times as instants, and say which of them the zone has twice or never."""
        tz = self.tz
        if tz is None or tz == FILE_ZONE:
            raise ConfigurationError(
                f"the date {str(texts[int(rows[0])])!r} has no zone: give the zone in which it was"
                f" written, such as tz='Asia/Tokyo'"
            )
        zones = tz if isinstance(tz, Zones) else Zones(tz)
        instants = _of_clocks(clock, zones, in_order=self.in_order)
        for at in np.flatnonzero((instants == NEVER) & (clock != NEVER)).tolist():
            text = str(texts[int(rows[at])])
            faults[int(rows[at])] = f"{self.column} is {_of_change(text, int(clock[at]), zones)}"
        return instants


def shown(cell: pa.Scalar) -> str:
    """Return a cell as a message shows it."""
    value = cell.as_py()
    if value is None:
        return "missing"
    if not isinstance(value, str):
        return str(value)
    return repr(value if len(value) <= 30 else f"{value[:30]}...")


def minutes_of(texts: pa.ChunkedArray | pa.Array) -> npt.NDArray[np.float64]:
    """Return the offset of each date in minutes, NaN for ``Z`` and for a date without one."""
    ends = _ends_of(texts)
    minutes = [*map(_minutes, ends.dictionary.to_pylist()), np.nan]
    at: Stamps = np.asarray(pc.fill_null(ends.indices, len(minutes) - 1))
    return np.array(minutes, np.float64)[at]


def _ends_of(texts: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    """Return the last bytes of dates, in which their offsets are."""
    ends = pc.dictionary_encode(pc.binary_slice(texts.cast(pa.binary()), -7))
    return ends.combine_chunks() if isinstance(ends, pa.ChunkedArray) else ends


def _minutes(end: bytes | None) -> float:
    """Return the offset at the end of a date in minutes."""
    match = _OFFSET.search(end or b"")
    if match is None:
        return float("nan")
    return float(match[1]) * 60 + float(match[1][:1] + (match[2] or b"0"))


def _when(text: str | None) -> "re.Match[str] | None":
    """Return the parts of a date with a year of four digits, first or last, if a text is one."""
    match = _WHEN.fullmatch(text or "")
    if match is None or {len(match[1]), len(match[4])} not in ({4, 1}, {4, 2}):
        return None
    return match


def _day_first(texts: Sequence[str | None]) -> bool | None:
    """Return whether dates that end with the year begin with the day: a number above 12 shows it.

    The first of the texts is one of these. None if both orders give the same dates.
    """
    dates = [match for match in map(_when, texts) if match is not None and len(match[4]) == 4]
    day = next((match[0] for match in dates if int(match[1]) > 12), "")
    month = next((match[0] for match in dates if int(match[3]) > 12), "")
    if day and month:
        raise ArchiveError(
            f"its date {day!r} begins with the day, and {month!r} with the month: write all dates"
            " as 2026-10-21 07:58:00"
        )
    if not day and not month and any(int(match[1]) != int(match[3]) for match in dates):
        raise ArchiveError(
            f"its date {texts[0]!r} may have the day or the month first: pass dayfirst=True"
            " (--dayfirst) or dayfirst=False (--no-dayfirst)"
        )
    return bool(day) if day or month else None


def _of_clocks(clock: Stamps, zones: Zones, *, in_order: bool) -> Stamps:
    """Return clock times as instants, `NEVER` for those that the zones have twice or never.

    If they are in order and a clock shows a time in two zones, the first instant after the row
    before is used, as where a clock goes back.
    """
    edges = [NEVER, *map(instant_us, zones.changes()[1:]), np.iinfo(np.int64).max]
    times = pd.DatetimeIndex(clock.view("M8[us]"))
    read = []
    for opens, closes, (_, name) in zip(edges[:-1], edges[1:], zones.rows, strict=True):
        try:
            index = _localized(times, name, "infer" if in_order else "NaT")
        except Exception:  # noqa: BLE001 - ValueError, and an error of pytz before pandas 3
            index = _localized(times, name, "NaT")
        stamps = index.as_unit("us").asi8
        # A stamp closes its interval: that of the change is still of the zone before.
        read.append(np.where((stamps > opens) & (stamps <= closes), stamps, NEVER))
    every = np.array(read)
    fits = every != NEVER
    instants: Stamps = every[fits.argmax(axis=0), np.arange(len(clock))]
    for row in np.flatnonzero(fits.sum(axis=0) > 1).tolist():
        both = np.sort(every[fits[:, row], row])
        later = both[both > instants[row - 1]] if row else both
        instants[row] = (later[0] if len(later) else both[-1]) if in_order else NEVER
    return instants


def _localized(times: pd.DatetimeIndex, name: str, ambiguous: object) -> pd.DatetimeIndex:
    return times.tz_localize(zone(name), ambiguous=ambiguous, nonexistent="NaT")  # type: ignore[arg-type]


def _of_change(shown: str, clock: int, zones: Zones) -> str:
    """Return why a clock time at a change of the clock is not an instant, and what to do."""
    if zones.vary:
        return f"{shown!r}, which comes twice or never where the zone changes: write its offset"
    time, name = pd.DatetimeIndex([np.datetime64(clock, "us")]), zones.home
    around = [_localized(time + pd.Timedelta(days=days), name, [True])[0] for days in (-1, 1)]
    before, after = (at.isoformat()[-6:] for at in around)
    if _localized(time, name, [True]).isna()[0]:
        return (
            f"{shown!r}, which does not exist in {name}, where the clocks jumped over it"
            f" (if nobody changed this clock: tz='UTC{before}')"
        )
    return (
        f"{shown!r}, which comes twice in {name}, where the clocks went back: write its offset"
        f" ({before} or {after}), or read this file on its own with tz='UTC{before}' or"
        f" tz='UTC{after}'"
    )


# Stamps that can be

IMPOSSIBLE: Final = "before 2015, when the eyewear did not exist, or more than a day from now"
# The eyewear exists since 2015; a phone's clock, or a zone that was meant, is off by less than a
# day.
_EARLIEST: Final = int(np.datetime64("2015-01-01", "us").astype(np.int64))


def is_possible(stamps: Stamps) -> npt.NDArray[np.bool_]:
    """Return which stamps a record of the eyewear can have: of 2015 and later, and not to come."""
    latest = instant_us(datetime.now(UTC) + timedelta(days=1))
    return (stamps >= _EARLIEST) & (stamps <= latest)


def possible_events(events: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the events of a file that may be of a wearer, and warn of the others."""
    good = is_possible(np.asarray(pd.DatetimeIndex(events["start"]).as_unit("us").asi8))
    if good.all():
        return events
    warn(
        f"{name}: set aside {int((~good).sum()):,} of {len(good):,} events, which begin"
        f" {IMPOSSIBLE} (the first: {events['start'][~good].iloc[0]})"
    )
    return events[good].reset_index(drop=True)
