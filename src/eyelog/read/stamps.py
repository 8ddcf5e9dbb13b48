"""The stamps of a file's rows: text with an offset, text without one, or UNIX seconds.

Arrow checks a column against a strict pattern and casts it; what does not fit goes one by one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.archive.utc_stamps import instant_us
from eyelog.clock import FILE_ZONE, Zones, zone
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.read.csv_dialect import texts_of

Stamps = npt.NDArray[np.int64]

# For a text that is not a stamp; the same value as numpy's NaT.
NEVER: Final = np.iinfo(np.int64).min
_SECOND: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
# The range that an archive can hold and a datetime of any zone can represent.
_FIRST: Final = np.datetime64("0001-01-02", "us").astype(np.int64)
_AFTER: Final = np.datetime64("9999-12-01", "us").astype(np.int64)
# A 32-bit clock, according to the vendor's table of ``ut``; milliseconds are far larger.
_LAST_SECOND: Final = 2.0**32

# What Arrow casts: a date of fixed width, perhaps a fraction, perhaps an offset. (Arrow alone takes
# dates without a clock time, and offsets of more than a day.)
_CAST: Final = (
    r"^\d{4}(-\d\d-\d\d|/\d\d/\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
    r" ?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?$"
)
_CASTS: Final = re.compile(_CAST, re.ASCII)
_ENDS_WITH_OFFSET: Final = r"(Z|\d ?[+-]\d\d(:?\d\d)?)$"
# Spreadsheet programs write slashes, and leave out leading zeros and seconds; databases leave out
# the minutes of an offset.
_CLOCK: Final = r"(?:[Tt]| +)(\d{1,2}):(\d\d)(?::(\d\d)(\.\d+)?)? *([Zz]|[+-]\d\d(?::?\d\d)?)?"
_YEAR_FIRST: Final = re.compile(r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})" + _CLOCK, re.ASCII)
_YEAR_LAST: Final = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})" + _CLOCK, re.ASCII)
_UNCLEAR: Final = re.compile(r"\d{1,2}([-/. ])\d{1,2}\1\d{2,4}\b.*", re.ASCII)
_OFFSET: Final = re.compile(r"\d ?([+-]\d\d)(?::?(\d\d))?$", re.ASCII)


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
    """

    tz: str | Zones | None = None
    dayfirst: bool | None = None
    column: str = "'date'"
    offsets: set[str] = field(default_factory=set)  # such as +09:00, in which dates are written

    def read(self, column: pa.ChunkedArray) -> tuple[Stamps, dict[int, str]]:
        """Return dates as instants (microseconds, UTC), and why some rows have none (`NEVER`).

        A date without an offset is a clock time of the zone. When clocks go back and an hour occurs
        twice, the order of the rows distinguishes the two; a time that remains ambiguous, and one
        that the clocks skip, is not an instant.

        Raises
        ------
        ConfigurationError
            If a date has no offset and no zone is known.
        ArchiveError
            If dates end with the year and nothing shows whether the day or the month comes first.
        """
        texts = column.combine_chunks()
        if isinstance(texts, pa.ChunkedArray):  # of no or several chunks, in some versions
            texts = (
                pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([], pa.string())
            )
        faults: dict[int, str] = {}
        stamps = self._cast(texts, faults)
        if stamps is None:
            stamps = self._one_by_one(texts, faults)
        stamps = np.where((stamps >= _FIRST) & (stamps < _AFTER), stamps, NEVER)
        for row in np.flatnonzero(stamps == NEVER).tolist():
            faults.setdefault(row, self._fault(texts[row].as_py()))
        return stamps, faults

    def _cast(self, texts: pa.Array, faults: dict[int, str]) -> Stamps | None:
        """Read dates that are all written in a way that Arrow casts; None if they are not."""
        if not len(texts) or texts.null_count:
            return None
        first = texts[0].as_py()
        match = _CASTS.match(first)
        if match is None:
            return None
        local = match[4] is None
        if _alike(texts, first):
            self.offsets |= _offsets(texts[:1])
        else:
            if not pc.all(pc.match_substring_regex(texts, _CAST)).as_py():
                return None
            zoned = pc.match_substring_regex(texts, _ENDS_WITH_OFFSET)
            if not (not pc.any(zoned).as_py() if local else pc.all(zoned).as_py()):
                return None
            self.offsets |= _offsets(texts)
        plain = pc.replace_substring(texts, "/", "-") if "/" in first else texts
        if " " in first[16:]:  # "... 09:00:00 +0000"
            plain = pc.replace_substring_regex(plain, r" ([+-Z])", r"\1")
        try:
            read = pc.cast(plain, pa.timestamp("us", None if local else "UTC"))
        except pa.ArrowInvalid:  # one of them is not a day or a time
            return None
        stamps = read.cast(pa.int64()).to_numpy()
        return self._of_clock(stamps, texts, np.arange(len(stamps)), faults) if local else stamps

    def _one_by_one(self, column: pa.Array, faults: dict[int, str]) -> Stamps:
        """Read dates however each of them is written."""
        texts = texts_of(pa.chunked_array([column])).tolist()
        stamps = np.full(len(texts), NEVER)
        local: list[int] = []
        for i, text in enumerate(texts):
            if text is None:
                continue
            match = _YEAR_FIRST.fullmatch(text)
            if match is not None:
                year, _, month, day, *clock = match.groups()
            elif (match := _YEAR_LAST.fullmatch(text)) is not None:
                if self.dayfirst is None:
                    self.dayfirst = _day_first(texts[i:])
                one, _, two, year, *clock = match.groups()
                day, month = (one, two) if self.dayfirst else (two, one)
            else:
                continue
            hour, minute, second, fraction, offset = clock
            if offset not in (None, "Z", "z"):
                offset = f"{offset[:3]}:{offset[3:].lstrip(':') or '00'}"
                self.offsets.add(offset)
            plain = f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute}:{second or '00'}"
            try:
                moment = datetime.fromisoformat(f"{plain}{fraction or ''}{(offset or 'Z').upper()}")
            except ValueError:  # no day or no time of a day
                continue
            # As years 1 and 9999 have no instant in every zone, nothing is converted.
            stamps[i] = (moment - _EPOCH) // _MICROSECOND
            if offset is None:
                local.append(i)
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
        if isinstance(tz, Zones) and tz.vary:
            return _of_clocks(clock, tz)
        home = tz.home if isinstance(tz, Zones) else tz
        instants = _of_one_clock(clock, home)
        lost = np.flatnonzero((instants == NEVER) & (clock != NEVER))
        if len(lost):
            times = pd.DatetimeIndex(clock[lost].view("M8[us]"))
            never = np.asarray(_localized(times, home, np.ones(len(lost), bool)).isna())
            for at, time, skipped in zip(lost.tolist(), times, never.tolist(), strict=True):
                shown = str(texts[int(rows[at])])
                fault = _of_change(shown, time, home, skipped=skipped)
                faults[int(rows[at])] = f"{self.column} is {fault}"
        return instants

    def _fault(self, text: str | None) -> str:
        """Return why a text is not a stamp."""
        if text is None:
            return f"{self.column} is missing, not a stamp"
        shown = repr(text if len(text) <= 30 else f"{text[:30]}...")
        if _UNCLEAR.fullmatch(text.strip()):
            return (
                f"{self.column} is {shown}, in which day and month can be confused: write dates as"
                " 2026-10-21 07:58:00"
            )
        return f"{self.column} is {shown}, not a stamp"


def _alike(texts: pa.Array, first: str) -> bool:
    """Return whether texts have digits where the first one has, and all else as in it.

    Of texts that are all of one length, this is seen in their bytes, without copying.
    """
    ends = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    width = len(first)
    if not (np.diff(ends) == width).all():
        return False
    data = np.frombuffer(texts.buffers()[2], np.uint8)[ends[0] : ends[-1]]
    chars, wanted = data.reshape(-1, width), np.frombuffer(first.encode(), np.uint8)
    digits = (wanted >= ord("0")) & (wanted <= ord("9"))
    offset = _OFFSET.search(first)
    if offset is not None:
        digits[offset.start(1) :] = False  # the offset is that of the first
    marks = chars[:, ~digits] == wanted[~digits]
    return bool(marks.all() and ((chars[:, digits] - ord("0")) < 10).all())


def _offsets(texts: pa.Array) -> set[str]:
    """Return the offsets that dates are written in (``+09:00``).

    ``Z`` is not included: it gives the instant, but not the local clock time.
    """
    minutes = np.unique(minutes_of(texts))
    return {
        f"{'-' if of < 0 else '+'}{abs(of) // 60:02.0f}:{abs(of) % 60:02.0f}"
        for of in minutes[~np.isnan(minutes)].tolist()
    }


def minutes_of(texts: pa.ChunkedArray | pa.Array) -> npt.NDArray[np.float64]:
    """Return the offset of each date in minutes, NaN for ``Z`` and for a date without one."""
    ends = pc.dictionary_encode(pc.utf8_slice_codeunits(texts, -7))
    ends = ends.combine_chunks() if isinstance(ends, pa.ChunkedArray) else ends
    minutes = []
    for end in ends.dictionary.to_pylist():
        match = _OFFSET.search(end or "")
        hours, rest = (match[1], match[2] or "0") if match else ("nan", "0")
        minutes.append(float(hours) * 60 + float(f"{hours[0]}{rest}" if match else "nan"))
    at = ends.indices.to_numpy(zero_copy_only=False)
    at = np.where(np.isnan(at), len(minutes), at).astype(np.int64)
    minutes_of_rows: npt.NDArray[np.float64] = np.array([*minutes, np.nan])[at]
    return minutes_of_rows


def unix_stamps(seconds: npt.NDArray[np.float64]) -> Stamps:
    """Return UNIX seconds as instants (microseconds, UTC), `NEVER` if they are not valid."""
    good = (seconds >= 0) & (seconds <= _LAST_SECOND)
    whole = np.where(good, np.round(seconds * _SECOND), 0.0).astype(np.int64)
    return np.where(good, whole, NEVER)


def _day_first(texts: Sequence[str | None]) -> bool:
    """Return whether dates that end with the year begin with the day, or say that it is needed."""
    shown: dict[bool, str] = {}
    first = ""
    for text in texts:
        match = None if text is None else _YEAR_LAST.fullmatch(text)
        if match is None:
            continue
        first = first or str(text)
        one, two = int(match[1]), int(match[3])
        if (one > 12) != (two > 12):
            shown.setdefault(one > 12, str(text))
    if len(shown) == 2:
        raise ArchiveError(
            f"its date {shown[True]!r} begins with the day, and {shown[False]!r} with the month:"
            " write all dates as 2026-10-21 07:58:00"
        )
    if not shown:
        raise ArchiveError(
            f"its date {first!r} may have the day or the month first: pass dayfirst=True"
            " (--dayfirst) or dayfirst=False (--no-dayfirst)"
        )
    return next(iter(shown))


def _localized(times: pd.DatetimeIndex, name: str, ambiguous: object) -> pd.DatetimeIndex:
    return times.tz_localize(zone(name), ambiguous=ambiguous, nonexistent="NaT")  # type: ignore[arg-type]


def _of_one_clock(clock: Stamps, name: str) -> Stamps:
    """Return clock times of a zone as instants; `NEVER` is left unchanged."""
    times = pd.DatetimeIndex(clock.view("M8[us]"))
    try:
        index = _localized(times, name, "infer")
    except Exception:  # noqa: BLE001 - ValueError, and an error of pytz before pandas 3
        index = _localized(times, name, "NaT")
    return index.as_unit("us").asi8


def _of_clocks(clock: Stamps, zones: Zones) -> Stamps:
    """Return clock times as instants, where the zone of the clock changes.

    If the clock shows a time in two zones, the first instant after the row before is used, as where
    a clock goes back.
    """
    edges = [instant_us(change) for change in zones.changes()[1:]]
    spans = zip([NEVER, *edges], [*edges, np.iinfo(np.int64).max], zones.rows, strict=True)
    read = []
    for opens, closes, (_, name) in spans:
        stamps = _of_one_clock(clock, name)
        # A stamp closes its interval: that of the change is still of the zone before.
        read.append(np.where((stamps > opens) & (stamps <= closes), stamps, NEVER))
    every = np.array(read)
    fits = every != NEVER
    instants: Stamps = every[fits.argmax(axis=0), np.arange(len(clock))]
    for row in np.flatnonzero(fits.sum(axis=0) > 1).tolist():
        both = np.sort(every[fits[:, row], row])
        later = both[both > instants[row - 1]] if row else both
        instants[row] = later[0] if len(later) else both[-1]
    return instants


def _of_change(shown: str, time: pd.Timestamp, name: str, *, skipped: bool) -> str:
    """Return why a clock time at a change of the clock is not an instant, and what to do."""
    before, after = (
        f"UTC{(time + pd.Timedelta(days=days)).tz_localize(zone(name)):%z}" for days in (-1, 1)
    )
    before, after = (f"{offset[:-2]}:{offset[-2:]}" for offset in (before, after))
    if skipped:
        return (
            f"{shown!r}, which does not exist in {name}, where the clocks jumped over it"
            f" (if nobody changed this clock: tz={before!r})"
        )
    return (
        f"{shown!r}, which comes twice in {name}, where the clocks went back: write its"
        f" offset ({before[3:]} or {after[3:]}), or read this file on its own with tz={before!r} or"
        f" tz={after!r}"
    )
