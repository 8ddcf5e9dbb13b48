"""The stamps of a file's rows: what they say, and what they show about the clock that wrote them.

Arrow checks a column of texts against a strict pattern and casts it; what does not fit goes one by
one. Then the stamps of all rows are looked at: impossible ones are set aside, those that lost their
resolution are refused, and a clock that was set back is recognised.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.arrow_tables import Stamps, instant_us, stamps_of
from eyelog.catalogue import log_named
from eyelog.clock import FILE_ZONE, Zones, offset_of, zone
from eyelog.errors import ArchiveError, ConfigurationError, counted, warn
from eyelog.overlap import mostly_differ, overlaps, span_text, utc
from eyelog.read.format import IMPOSSIBLE, LINE, LogFile

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

# What Arrow casts: a date of fixed width, perhaps a fraction, and an offset or none. (Arrow alone
# takes dates without a clock time, and offsets of more than a day.)
_LOCAL: Final = r"^\d{4}(-\d\d-\d\d|/\d\d/\d\d)[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
_ZONED: Final = _LOCAL + r" ?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$"
# A date, with the year first or last, and perhaps a clock time. Spreadsheet programs write slashes,
# and leave out leading zeros and seconds; databases leave out the minutes of an offset.
_WHEN: Final = re.compile(
    r"(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})"
    r"(?:[Tt ,]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
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
        texts = pa.concat_arrays([pa.array([], pa.string()), *column.chunks])
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
        local = not first.endswith("Z") and _OFFSET.search(first) is None
        if not pc.all(pc.match_substring_regex(texts, f"{_LOCAL}$" if local else _ZONED)).as_py():
            return None
        minutes = np.unique(minutes_of(texts))  # not of Z: it does not show the local clock
        self.offsets |= {offset_of(of) for of in minutes[~np.isnan(minutes)].tolist()}
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
        texts = pc.utf8_trim_whitespace(column).to_pylist()
        stamps = np.full(len(texts), NEVER)
        local: list[int] = []
        for i, text in enumerate(texts):
            match = when(text or "")
            if match is None:
                continue
            if self.dayfirst is None and len(match[4]) == 4:
                self.dayfirst = _day_first(texts[i:])
            try:
                moment = moment_of(match, dayfirst=bool(self.dayfirst))
            except ValueError:  # no day or no time of a day
                continue
            if not isinstance(moment, datetime):
                continue
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
                local.append(i)
            elif match[9] not in ("Z", "z"):
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


def when(text: str) -> "re.Match[str] | None":
    """Return the parts of a date with a year of four digits, first or last, if a text is one."""
    match = _WHEN.fullmatch(text)
    if match is None or {len(match[1]), len(match[4])} not in ({4, 1}, {4, 2}):
        return None
    return match


def moment_of(match: "re.Match[str]", *, dayfirst: bool) -> date | datetime:
    """Return the day, or with a clock time the moment, that the parts of a date state.

    Raises
    ------
    ValueError
        If there is no such day or time.
    """
    first, _, second, third, hour, minute, seconds, fraction, offset = match.groups()
    year, month, day = first, second, third
    if len(third) == 4:
        year, month, day = (third, second, first) if dayfirst else (third, first, second)
    on = date(int(year), int(month), int(day))
    if hour is None:
        return on
    clock = f"{hour:0>2}:{minute}:{seconds or '00'}.{(fraction or '')[:6]:0<6}"
    return datetime.fromisoformat(f"{on.isoformat()}T{clock}{(offset or '').upper()}")


def orders(texts: Iterable[str | None]) -> dict[bool, int]:
    """Return the first date that ends with the year and shows that it begins with the day (True).

    False is that of the month; a number above 12 shows either.
    """
    shown: dict[bool, int] = {}
    for at, text in enumerate(texts):
        match = when(text or "")
        if match is not None and len(match[4]) == 4:
            day, month = int(match[1]) > 12, int(match[3]) > 12
            if day != month:
                shown.setdefault(day, at)
    return shown


def _day_first(texts: Sequence[str | None]) -> bool:
    """Return whether dates, of which the first ends with the year, begin with the day."""
    shown = orders(texts)
    if len(shown) == 2:
        raise ArchiveError(
            f"its date {texts[shown[True]]!r} begins with the day, and {texts[shown[False]]!r} with"
            " the month: write all dates as 2026-10-21 07:58:00"
        )
    if not shown:
        raise ArchiveError(
            f"its date {texts[0]!r} may have the day or the month first: pass dayfirst=True"
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


# What the stamps of a file show

CLOCKS: Final = ("first", "last")

_DAY: Final = 86_400_000_000
# The eyewear exists since 2015; a phone's clock, or a zone that was meant, is off by less than a
# day.
_EARLIEST: Final = int(np.datetime64("2015-01-01", "us").astype(np.int64))
# A clock is set back by less; records of two devices lie over one another for longer.
_FARTHEST_BACK: Final = 3 * 3_600_000_000
_MOST_PASSES: Final = 100
_MANY: Final = 3
_UNITS: Final = {_DAY: "day", 3_600_000_000: "hour", 60_000_000: "minute", _SECOND: "second"}

Mask = npt.NDArray[np.bool_]


def is_possible(stamps: Stamps) -> Mask:
    """Return which stamps a record of the eyewear can have: of 2015 and later, and not to come."""
    now = int(datetime.now(UTC).timestamp() * _SECOND)
    return (stamps >= _EARLIEST) & (stamps <= now + _DAY)


def possible_events(events: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the events of a file that may be of a wearer, and warn of the others."""
    good = is_possible(np.asarray(pd.DatetimeIndex(events["start"]).as_unit("us").asi8))
    if good.all():
        return events
    first = events["start"][~good].iloc[0]
    warn(
        f"{name}: set aside {int((~good).sum()):,} of {len(good):,} events, which begin"
        f" {IMPOSSIBLE} (the first: {first})"
    )
    return events[good].reset_index(drop=True)


def checked(table: pa.Table, log: LogFile, clock: str | None) -> pa.Table:
    """Return the records of one wearer in a file without those that cannot be, or count twice.

    Parameters
    ----------
    table : Table
        All of them, in the order of the file, with their lines.
    log : LogFile
        The file, which counts what is left out.
    clock : {"first", "last"}, optional
        Which records to take of a time that comes twice because a clock was set back.

    Raises
    ------
    ArchiveError
        If all stamps are impossible, or many records have one stamp.
    ConfigurationError
        If a clock was set back, and `clock` is not given; if records of one file cover the same
        time twice for hours, as those of two devices do.
    """
    stamps = stamps_of(table)
    good = is_possible(stamps)
    if not good.all():
        wrong = np.flatnonzero(~good)
        for stamp, line in zip(stamps[wrong].tolist(), _lines(table)[wrong].tolist(), strict=True):
            when = str(np.datetime64(stamp, "us").astype("M8[s]")).replace("T", " ")
            log.aside.add(line, f"{when} UTC", "before" if when < "2015" else "after")
        if not good.any():
            raise ArchiveError(
                f"all of its stamps are {IMPOSSIBLE} ({log.aside.shown()}): set the clock that"
                " wrote them right"
            )
        table, stamps = table.filter(pa.array(good)), stamps[good]
    if (stamps[1:] > stamps[:-1]).all():
        return table
    _refuse_lost_resolution(table, stamps, log)
    return _on_one_clock(table, stamps, log, clock)


def _lines(table: pa.Table) -> Stamps:
    return np.asarray(table.column(LINE).to_numpy(), np.int64)


def _differ(table: pa.Table, left: Stamps, right: Stamps) -> Mask:
    """Return which pairs of records, by their numbers, have different values."""
    differ = np.zeros(len(left), bool)
    for name in set(table.column_names) - {"date", LINE}:
        one, other = (table.column(name).take(pa.array(rows)) for rows in (left, right))
        unequal = pc.fill_null(pc.not_equal(one, other), False)
        differ |= pc.or_(unequal, pc.xor(one.is_null(), other.is_null())).to_numpy()
    return differ


def _refuse_lost_resolution(table: pa.Table, stamps: Stamps, log: LogFile) -> None:
    """Raise if many records share a stamp with the one before, and have other values.

    Their order may be known, but not their time, and only the last of each stamp would remain.
    """
    again = np.flatnonzero(stamps[1:] == stamps[:-1])
    many = max(_MANY, len(stamps) / 10)
    if len(again) < many:
        return
    again = again[_differ(table, again, again + 1)]
    if len(again) < many:
        return
    each = np.unique(stamps)
    resolution = int(np.gcd.reduce(np.diff(each))) if len(each) > 1 else _DAY
    about = log_named(log.log)
    if resolution <= about.interval_us:
        return  # these are the records of two wearers
    unit = f"the {_UNITS[resolution]}" if resolution in _UNITS else f"{resolution / 1e6:g} s"
    first, second = _lines(table)[[again[0], again[0] + 1]]
    seen = f"as if they were rounded to {unit}" if len(each) > 1 else "as if only the day were left"
    raise ArchiveError(
        f"{len(stamps):,} records of its {about.words} have only {len(each):,} different stamps,"
        f" {seen} ({log.row} {second} has that of {log.row} {first}, and other values), and one is"
        f" due every {about.interval_s:g} s: a spreadsheet program may have cut the dates. Import"
        " the file as the app saved it, or save it again with dates in the format"
        " yyyy-mm-dd hh:mm:ss"
    )


def _on_one_clock(table: pa.Table, stamps: Stamps, log: LogFile, clock: str | None) -> pa.Table:
    """Return the records without one of the two passes through a time that comes twice."""
    opens = np.append(0, np.flatnonzero(stamps[1:] < stamps[:-1]) + 1)
    if not 1 < len(opens) <= _MOST_PASSES:
        return table
    lines = _lines(table)
    edges = np.append(opens, len(stamps))
    kept, said = set_back(
        stamps,
        edges,
        [f"{log.row}s {lines[first]} to {lines[after - 1]}" for first, after in pairwise(edges)],
        lambda rows: table.take(pa.array(rows)),
        log.log,
        clock,
        whose="its device",
        otherwise="split the file there",
    )
    if kept is not None:
        log.twice += int((~kept).sum())
        log.notes.append(f"{said} (the first is in {log.row} {lines[np.flatnonzero(~kept)[0]]})")
        return table.filter(pa.array(kept))
    if said:
        raise ConfigurationError(
            f"its records cover the same time twice, {said} UTC, as those of two devices do (from"
            f" {log.row} {lines[opens[1]]} on the dates begin again): split the file there"
        )
    return table


def set_back(
    stamps: Stamps,
    edges: Stamps,
    names: Sequence[str],
    records: Callable[[Stamps], pa.Table],
    log: str,
    clock: str | None,
    *,
    whose: str,
    otherwise: str,
) -> tuple[Mask | None, str]:
    """Return which records to keep where a clock was set back, and what to say about it.

    Where none was, that is None, and the time that comes twice all the same.

    Parameters
    ----------
    stamps : array
        Of passes, each recorded after the one before.
    edges : array
        Where these begin and end.
    names : sequence of str
        What messages call them.
    records : callable
        Returns the records of some numbers.
    log : str
        Their log.
    clock : {"first", "last"}, optional
        Which records to take.
    whose, otherwise : str
        Whose clock it is, and what to do if these are two wearers.

    Raises
    ------
    ConfigurationError
        If a clock was set back, and `clock` is not given.
    """
    interval, opens = log_named(log).interval_us, edges[:-1]
    of_pass = np.repeat(np.arange(len(opens)), np.diff(edges))
    overlap = overlaps(stamps, of_pass, interval)
    order = np.argsort(stamps, kind="stable")
    pairs = np.flatnonzero(stamps[order][1:] == stamps[order][:-1])
    left, right = order[pairs], order[pairs + 1]
    compared = np.unique([left, right])
    places = [np.searchsorted(compared, rows) for rows in (left, right)]
    unlike = _differ(records(compared), *places) if len(pairs) else np.zeros(0, bool)
    if not (overlap.too_much or mostly_differ(len(pairs), int(unlike.sum()), interval)):
        return None, ""
    starts, ends = np.minimum.reduceat(stamps, opens), np.maximum.reduceat(stamps, opens)
    back = (ends[:-1] - starts[1:]).tolist()
    clashing = of_pass[right[unlike]][of_pass[right[unlike]] == of_pass[left[unlike]] + 1]
    stepped = []
    for number, step in enumerate(back, 1):
        both = slice(edges[number - 1], edges[number + 1])
        doubled = overlaps(stamps[both], of_pass[both], interval).records
        if 0 <= step <= _FARTHEST_BACK and (doubled or number in clashing):
            stepped.append(number)
    if not stepped:
        twice = span_text(utc(int(starts[1:].min())), utc(int(ends[:-1].max())))
        return None, twice if overlap.too_much else ""
    number = stepped[0]
    end, start = utc(int(ends[number - 1])), utc(int(starts[number]))
    minutes, seconds = divmod(round((back[number - 1] + interval) / 1e6), 60)
    by = " ".join(f"{n} {of}" for n, of in ((minutes, "min"), (seconds, "s")) if n)
    happened = f"the clock of {whose} was set back by {by} after {end:%Y-%m-%d %H:%M:%S} UTC"
    happened += f" (and {len(stepped) - 1:,} more times)" if len(stepped) > 1 else ""
    if clock is None:
        raise ConfigurationError(
            f"{happened}, so the time {span_text(start, end)} comes twice (the first pass is in"
            f" {names[number - 1]}, the second in {names[number]}): choose whose"
            " records of this time to take with clock='first' or clock='last' (--clock first,"
            f" --clock last); if these are two wearers, {otherwise}"
        )
    kept = np.ones(len(stamps), bool)
    for number in stepped:
        one, other = (slice(edges[at], edges[at + 1]) for at in (number - 1, number))
        # Of the other pass what lies beside this one stays; a stamp closes its interval.
        taken, rest = (one, other) if clock == "first" else (other, one)
        low, high = stamps[taken].min(), stamps[taken].max()
        kept[rest] &= (stamps[rest] <= low - interval) | (stamps[rest] >= high + interval)
    left_out = counted(int((~kept).sum()), "record")
    return kept, (
        f"{happened}: of the time that comes twice the {clock} pass was taken, and {left_out} of"
        " the other left out"
    )
