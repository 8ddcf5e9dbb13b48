"""The door: whatever a person holds becomes one kind of row, which says what its interval adds.

Records of either log, masked or not, packets of the 20 Hz log, and Intervals of any width pass the
same door, once. Here the log, the limits, the wearer's clock, overlaps and two sources are settled;
the values are judged, a block of rows at a time, so that ten years cost ten times a year.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from eyelog.catalogue import catalogue, log_named, role
from eyelog.clock import DAY_US, LocalClock, dates_at, local_clock, microseconds, stamps_at
from eyelog.cores import on_cores
from eyelog.errors import ConfigurationError, MixedLogsError, warn
from eyelog.frame import (
    BETWEEN,
    LIMITS,
    OFFSET,
    RECORDED,
    STATE,
    STORED,
    clock_of,
    clock_times,
    derived,
    history,
    log_of,
    one_source,
    own_share,
    refuse_results,
    stamps,
    takes_tables,
)
from eyelog.judge.arrays import Bools, Floats, Ints, runs
from eyelog.judge.calendar import THURSDAY
from eyelog.judge.limits import DEFAULT, Limits, chosen_limits, limits_column
from eyelog.judge.packets import SUBJECTS_OF_PACKETS
from eyelog.judge.reasons import Reason
from eyelog.judge.records import AT_ONCE, OFF, Records, as_numbers, time_fields
from eyelog.judge.terms import SUBJECTS, Columns, Counted, Terms, filled
from eyelog.overlap import TOLERATED_US, duration_text, span_text

WIDTH: Final = "width_s"  # how long each row lasts
NO_SUMS: Final = (WIDTH, OFFSET, BETWEEN, LIMITS)
# Which log Intervals are of, by a column that only its records add.
LOG_BY: Final = {
    "gap_n": "computed_data",
    "blink_n_weak": "standard_mode_logs",
    "blink_n": "current_data",
}
LONGEST_RECORD_US: Final = 60_000_000
# A grid of bins has at most so many, or so many times as many as there are rows.
MOST_EMPTY: Final = 100_000
MOST_EMPTY_OF_ROWS: Final = 100
SUNDAY: Final = 6
LONGEST: Final = "longest_"  # of these columns the largest is kept
Subject = str | Terms  # what a summary is about, by its name or by what it makes of records
Also = Callable[[slice, Counted], Counted]


@dataclass(eq=False)
class Rows:
    """The rows of a summary in order of time: records, or Intervals.

    Attributes
    ----------
    frame : DataFrame
        The rows, in order of time.
    what : str
        The summary by its public name, for messages and the history.
    log : str
        Their log; empty if Intervals do not show it.
    limits : Limits
        The limits by which values and time are judged.
    opens_us, closes_us : array of int64
        When each row opens and closes, in microseconds.
    clock, day_clock : LocalClock
        The wearer's clock, and the same clock set back by the hour at which a day starts.
    made : bool
        Whether the rows are Intervals, in which nothing is left to be judged.
    order : array of int or None
        The order in which the rows were given; None if they were in order of time.
    given : DataFrame
        What was given, in order of time: the rows themselves, or the packets of the 20 Hz log.
    firsts : array of int or None
        The first packet of each row.
    lacking : dict of str to list of str
        The reasons for which the evidence is not there, with the fields to add.
    names : list of str
        The columns that the rows have for the subjects that were asked for.
    arrays : dict
        The columns, each taken out of pandas once.
    records : Records
        The records, to be judged; not of Intervals.
    single : bool
        Whether the rows are packets, each of which may report an event.
    tz : tzinfo
        The zone of the stamps.
    """

    frame: pd.DataFrame
    what: str
    log: str
    limits: Limits
    opens_us: Ints
    closes_us: Ints
    clock: LocalClock
    day_clock: LocalClock
    made: bool
    order: Ints | None
    given: pd.DataFrame
    firsts: Ints | None = None
    lacking: dict[str, list[str]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tz: Any = cast(pd.DatetimeIndex, self.frame.index).tz
        self.single = not self.made and log_named(self.log).numbers_packets
        self.arrays: dict[Any, Any] = {
            name: column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array
            for name, column in self.frame.items()
        }
        if not self.made:
            self.records = Records(self.arrays, self.closes_us, self.log, self.limits)
        self._days: dict[int, tuple[Ints, Ints, Ints, Ints]] = {}

    def __len__(self) -> int:
        return len(self.opens_us)

    @cached_property
    def cut(self) -> bool:
        """Whether the rows are those between clock times, each of them."""
        return BETWEEN in self.given.columns and bool(self.given[BETWEEN].notna().all())

    def asked_s(self, opens: Ints, closes: Ints) -> Floats:
        """Return the seconds of some spans of time within the hours to which the rows were cut."""
        if not self.cut or not len(opens):
            return np.asarray((closes - opens) / 1e6, dtype=np.float64)
        ends = self.clock.wall_us(np.array([opens.min(), closes.max()])) // DAY_US
        midnights = np.arange(ends[0] - 2, ends[1] + 3) * DAY_US
        parts: list[tuple[Ints, Ints]] = []
        for low, high in clock_times(self.given[BETWEEN].unique()):
            later = high + DAY_US * (low > high)
            parts.append(
                (self.clock.instants(midnights + low), self.clock.instants(midnights + later))
            )
        begin, end = (np.concatenate(side) for side in zip(*parts, strict=True))
        order = np.argsort(begin)
        begin, end = begin[order], np.maximum.accumulate(end[order])
        begin[1:] = np.maximum(begin[1:], end[:-1])  # each moment once
        until = np.concatenate([[0], np.cumsum(end - begin)])

        def passed(at: Ints) -> Ints:
            number = np.searchsorted(begin, at, side="right")
            left = np.maximum(end[number - 1] - at, 0) * (number > 0)
            return cast(Ints, until[number] - left)

        return np.asarray((passed(closes) - passed(opens)) / 1e6, dtype=np.float64)

    def days(self, reach: int = 0) -> tuple[Ints, Ints, Ints, Ints]:
        """Return opening, closing and date of the local days, and the day of each row.

        They go from `reach` days before the first row to as many after the last one.
        """
        if not len(self):
            return (np.zeros(0, np.int64),) * 4
        if reach not in self._days:
            ends = self.day_clock.wall_us(self.opens_us[[0, -1]]) // DAY_US
            # A clock that goes back can show a date earlier than that of the first row.
            first, last = int(ends.min()) - 3 - reach, int(ends.max()) + 3 + reach
            opens, closes, dates = self.day_clock.days(first, last)
            begins = np.searchsorted(self.opens_us, opens)
            day = np.repeat(np.arange(len(opens)), np.diff(begins, append=len(self)))
            self._days[reach] = opens, closes, dates, day
        return self._days[reach]

    def first_and_last_day(self) -> list[str]:
        """Return the first and the last local date as text, for a history.

        A table of hours, weekdays or labels has lost its stamps: its history states the days.
        """
        if not len(self):
            return []
        at = (self.opens_us if self.made else self.closes_us)[[0, min(1, len(self) - 1), -1]]
        wall = self.clock.wall_us(at if self.made else at - 1)
        # A slice by date begins with the record that closes the day before.
        skip = not self.made and wall[0] % DAY_US == DAY_US - 1
        days: list[str] = np.datetime_as_string(wall[[int(skip), -1]].view("M8[us]"), "D").tolist()
        return days

    @cached_property
    def parts(self) -> list[slice]:
        """The records in blocks, each of whole days if it can be."""
        cuts, day = [0], self.days()[3]
        while len(self) - cuts[-1] > AT_ONCE:
            # A day in one piece has the same digits, whatever else is in the table.
            midnight = int(np.searchsorted(day, day[cuts[-1] + AT_ONCE]))
            cuts.append(midnight if midnight > cuts[-1] else cuts[-1] + AT_ONCE)
        return [
            slice(first, last) for first, last in zip(cuts, [*cuts[1:], len(self)], strict=True)
        ]

    def blocks(self, subjects: Iterable[Subject]) -> list[tuple[slice, Callable[[], Counted]]]:
        """Return blocks of rows, with what makes the columns that each adds.

        An event may depend on packets long before: all of them are one block. But a column of them
        is large: one subject comes after the other.
        """
        subjects, whole = [self._time, *subjects], slice(0, len(self))
        if self.made:
            return [(whole, lambda: {n: as_numbers(self.arrays[n], n) for n in self.names})]
        if self.single:
            return [(whole, partial(self._added, self.records, [one])) for one in subjects]
        return [
            (part, partial(lambda part: self._added(self.records.at(part), subjects), part))
            for part in self.parts
        ]

    def _added(self, records: Records, subjects: Iterable[Subject]) -> Counted:
        """Return what some records add to subjects, those that are of their log."""
        terms = SUBJECTS_OF_PACKETS if self.single else SUBJECTS
        made: Counted = {}
        for subject in subjects:
            of = subject if callable(subject) else terms.get(subject)
            made |= of(records) if of else {}
        return made

    def _time(self, records: Records) -> Counted:
        """Return how many some records are, and their seconds."""
        part, context = records.place, records.context
        time: Counted = {"recorded_s": context.recorded * records.length_s}
        time |= context.time
        if self.share is not None:
            time = {name: values * self.share[part] for name, values in time.items()}
        time["n"] = (time["recorded_s"] > 0).astype(np.float64)
        time["span_s"] = np.full(len(records), records.length_s)
        time["before_n"] = self.before[part]
        if "worn_s" in time:
            time["unworn_s"] = time["recorded_s"] - time["worn_s"]
            time["lasting_s"] = np.where(self.lasting[part], time["worn_s"], 0.0)
        records.time = time
        return time

    @cached_property
    def share(self) -> Floats | None:
        """The share of each record that no earlier one covers; None if none overlap."""
        if self.single:  # a packet lasts as long as all others, however late it was received
            return None
        return own_share(self.frame.index, log_named(self.log).interval_s)

    @property
    def span_s(self) -> Floats:
        """How long the records of each row last."""
        if self.made:
            return as_numbers(self.arrays["span_s"], "span_s")
        return np.asarray((self.closes_us - self.opens_us) / 1e6, dtype=np.float64)

    @cached_property
    def before(self) -> Floats:
        """1 for each record that closes before its day does, otherwise 0; their sum for Intervals.

        A fetch selects by stamp, so its first record closes the day before: a day without any other
        is left out of summaries.
        """
        if self.made:
            return as_numbers(self.arrays["before_n"], "before_n")
        _, closes, _, day = self.days()
        return (self.closes_us < closes[day]).astype(np.float64)

    @cached_property
    def lasting(self) -> Bools:
        """Whether each record is of lasting wear, a run of at least `Limits.min_run`."""
        context = self.records.context
        worn = ~np.isnan(context.time["worn_s"]) & (context.state < OFF)
        firsts, lasts = runs(worn, self.closes_us, float(log_named(self.log).interval_us))
        lasting_us = self.closes_us[lasts] - self.opens_us[firsts]
        long = lasting_us >= self.limits.seconds("min_run") * 1e6
        edges = np.zeros(len(self) + 1, dtype=np.int8)
        edges[firsts[long]] += 1
        edges[lasts[long] + 1] -= 1
        return np.cumsum(edges[:-1], dtype=np.int8) > 0

    def ask(
        self, subjects: Iterable[Subject], fields: Iterable[str] = (), *, time: bool = False
    ) -> "Rows":
        """Learn which columns some subjects have, and what cannot be judged; return the rows.

        No records are asked, which have all columns.
        """
        columns = {name: values[:0] for name, values in self.arrays.items()}
        records = Records(columns, self.closes_us[:0], self.log, self.limits, place=slice(0, 0))
        self.names = [*self._added(records, [self._time, *subjects])]
        wanted = Reason.OFF_POSE if time and "worn_s" in self.names else Reason(0)
        if time and "valid_s" in self.names:
            wanted |= Reason.MOVING | Reason.NOISY | Reason.INVALID
        self.lacking = records.lacking({*records.judged, *fields}, wanted)
        walking = time_fields(self.log)["walking_s"]
        lost = [name for name in walking if name not in columns]
        if time and "worn_s" in self.names and lost and len(lost) < len(walking):
            self.lacking["walking time"] = lost
        return self

    def warn(self, lacking: Mapping[str, list[str]] | None = None) -> "Rows":
        """Warn once about the reasons for which the evidence is not there; return the rows.

        Not about no rows, nor about masked ones: they were judged with all that there was.
        """
        found = self.lacking if lacking is None else lacking
        if found and len(self) and STORED not in self.given.columns:
            reasons = ", ".join(f"{reason} ({', '.join(names)})" for reason, names in found.items())
            warn(
                f"not judged, since the frame lacks the fields in brackets: {reasons}. Add them, or"
                " ask for all that a summary needs by its name, such as fields='daily'"
                " (eyelog.fields(log, of='daily') lists them)"
            )
        return self


def _is_own(values: Any) -> bool:
    """Return whether a column of Intervals is a person's own: labels or dates have no sum.

    Texts that are numbers are not: some program has made texts of a sum, and that is said.
    """
    if pd.api.types.is_numeric_dtype(values.dtype):
        return False
    if not (values.dtype == np.dtype(object) or pd.api.types.is_string_dtype(values.dtype)):
        return True
    texts = [value for value in values if isinstance(value, str)]
    return bool(texts) and bool(pd.to_numeric(pd.Series(texts), errors="coerce").isna().all())


def is_intervals(frame: Any) -> bool:
    """Return whether a table holds Intervals: rows that say what each adds."""
    return isinstance(frame, pd.DataFrame) and RECORDED in frame.columns


def enter(
    frame: pd.DataFrame,
    what: str,
    subjects: Iterable[Subject],
    *,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
    wide: bool = True,
    time: bool = False,
    fields: Iterable[str] = (),
) -> Rows:
    """Return the rows of a summary: judged once, here, whatever was given.

    What needs single records or packets takes nothing else: it is not `wide`. With `time`, the
    hours are part of the result, and the evidence for them too; `fields` are judged on their own.

    Raises
    ------
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If nothing shows which log it is, an argument cannot be used, the frame was masked with
        other limits, the index holds no aware stamps, a missing one or the same twice, or the rows
        overlap (two sources of records).
    """
    made = is_intervals(frame)
    if made and not wide:
        raise ConfigurationError(
            f"{what} needs single records, and these are Intervals: pass the records"
        )
    if made and WIDTH not in frame.columns:
        raise ConfigurationError(
            f"the table has the column {RECORDED!r} of Intervals and lacks {WIDTH!r}: keep both, or"
            " give your own column another name"
        )
    if made:
        which, *others = [one for name, one in LOG_BY.items() if name in frame.columns] or [""]
        if others:
            raise MixedLogsError(
                "Intervals of two logs are in one table: keep them in separate tables"
            )
    else:
        which = log_of(frame, log)
    refuse_results(frame, what, wide=wide)
    chosen = chosen_limits(limits, frame)
    if not frame.columns.is_unique:
        raise ConfigurationError(
            f"the frame has several columns {frame.columns[frame.columns.duplicated()][0]!r}: keep"
            " one of them, frame.loc[:, ~frame.columns.duplicated()]"
        )
    if isinstance(frame.index, pd.MultiIndex):
        one_source(frame, what=what)
    index, order = stamps(frame, what=what), None
    if not index.is_monotonic_increasing:
        order = np.argsort(index.asi8, kind="stable")
        frame, index = frame.iloc[order], index[order]
    if index.unit != "us":
        frame, index = frame.set_axis(index.as_unit("us")), index.as_unit("us")
    us = microseconds(index)
    if made:
        widths = np.rint(as_numbers(frame[WIDTH], WIDTH) * 1e6).astype(np.int64)
        opens, closes = us, us + widths
        _refuse_overlap(frame, opens, closes, what)
        offsets = frame[OFFSET].to_numpy("float64", na_value=np.nan) if OFFSET in frame else None
        clock = local_clock(index, offsets, stamp="start")
    else:
        one_source(frame, what=what, log=which)
        if index.hasnans or not index.is_unique:
            raise ConfigurationError(
                "the frame has a missing stamp or several rows with one stamp: keep the last row of"
                " each, frame[frame.index.notna() & ~frame.index.duplicated(keep='last')]"
            )
        _refuse_half_masked(frame, which)
        opens, closes = us - log_named(which).interval_us, us
        clock = clock_of(frame, log=which)
    days = clock.set_back(day_starts, opens)
    rows = Rows(frame, what, which, chosen, opens, closes, clock, days, made, order, frame)
    if made:
        rows.names = [n for n, v in rows.arrays.items() if n not in NO_SUMS and not _is_own(v)]
    elif subjects or fields or time:
        rows.ask(subjects, fields, time=time)
    return _of_packets(rows, subjects) if rows.single and wide else rows


def _of_packets(rows: Rows, subjects: Iterable[Subject]) -> Rows:
    """Return the rows of 15 seconds that packets make: each event is counted once, in its row."""
    found = bins(rows, "15s")
    data = sums(rows, found.codes, len(found), subjects)
    table = pd.DataFrame({WIDTH: found.seconds} | data, index=found.labels)
    table.attrs = dict(rows.frame.attrs)
    firsts = np.flatnonzero(np.diff(found.codes, prepend=-1))
    opens, closes = cast(Ints, found.opens_us).copy(), cast(Ints, found.closes_us).copy()
    # The time of a recording is that from its first packet to its last.
    opens[:1] = rows.opens_us[:1]
    closes[-1:] = np.minimum(closes[-1:], rows.closes_us[-1:])
    return replace(
        rows, frame=table, opens_us=opens, closes_us=closes, made=True, firsts=firsts, names=[*data]
    )


def _refuse_half_masked(frame: pd.DataFrame, log: str) -> None:
    """Raise if what masking kept is gone, or some rows were masked and others not."""
    steps = {step["step"] for step in history(frame)}
    if STORED not in frame.columns and not steps & {"mask", "select"}:
        return
    names = [name for name in frame.columns if name in catalogue(log)]
    shows_wear = not set(role(log, "worn")).isdisjoint(names)
    times = [name for name, needs in time_fields(log).items() if {*needs} <= {*names}]
    kept = [STORED, *([STATE] if shows_wear else []), *times, *([LIMITS] if shows_wear else [])]
    lost = [name for name in kept if name not in frame.columns]
    if lost:
        raise ConfigurationError(
            f"the frame was masked and has lost {', '.join(map(repr, lost))}, which say what was"
            " worn: take these columns along with the others, or mask the records again"
        )
    rows = frame[frame[STORED].isna()]
    if rows[names].notna().any(axis=None):
        raise ConfigurationError(
            f"{len(rows)} rows of the frame are not masked and the others are (column {STORED!r}):"
            " mask the others before you put them together,"
            " pd.concat([masked, eyelog.mask(raw, eyelog.flag(raw))])"
        )


def _refuse_overlap(table: pd.DataFrame, opens: Ints, closes: Ints, what: str) -> None:
    """Raise if more time is recorded twice than where two connections meet."""
    recorded = np.nan_to_num(as_numbers(table[RECORDED], RECORDED)) * 1e6
    over = np.flatnonzero(closes[:-1] > opens[1:])
    both_us = recorded[over] + recorded[over + 1]
    room_us = np.maximum(closes[over], closes[over + 1]) - opens[over]
    doubled = float(np.maximum(both_us - room_us, 0.0).sum())
    if doubled > TOLERATED_US:
        raise ConfigurationError(
            f"{what}: Intervals of this table record {duration_text(doubled)} twice, as those of"
            " two wearers or devices do: pass the rows of each on their own"
        )


@dataclass(frozen=True)
class Groups:
    """Rows in groups.

    Attributes
    ----------
    labels : Index
        One label for each group that has rows.
    codes : array of int64
        The group of each row; -1 for rows in none.
    seconds : array of float64
        How long each group lasts: of bins, days and weeks their length; of hours and weekdays the
        time that they have between the first row and the last; of labels the time of their rows.
    opens_us, closes_us : array of int64 or None
        When bins, days and weeks open and close.
    """

    labels: pd.Index
    codes: Ints
    seconds: Floats
    opens_us: Ints | None = None
    closes_us: Ints | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def keep(self, chosen: Bools) -> "Groups":
        """Return the `chosen` groups; the rows of the others are in none."""
        if chosen.all():
            return self
        number = np.append(np.where(chosen, np.cumsum(chosen) - 1, -1), -1)
        return Groups(
            self.labels[chosen],
            number[self.codes],
            self.seconds[chosen],
            None if self.opens_us is None else self.opens_us[chosen],
            None if self.closes_us is None else self.closes_us[chosen],
        )


def bins(rows: Rows, every: str, *, empty: bool = False) -> Groups:
    """Return the bins that hold rows: widths up to a day, days, or weeks.

    A row belongs to the bin in which it opens. Bins are cut at local midnight, or where the
    wearer's day starts, so that none contains parts of two days. With `empty`, the bins without
    rows between the first and the last are there too.
    """
    kind, size, _ = parse_width(every)
    opens, closes, dates, day = rows.days(0 if kind == "span" else max(size, 7))
    if kind == "span":
        opened = opens[day]
        begins = opened + (rows.opens_us - opened) // size * size
        if rows.made:
            refuse_wide(rows, every, np.minimum(begins + size, closes[day]), size)
        first = np.flatnonzero(np.diff(begins, prepend=-1))
        filled, times = begins[first], np.diff(first, append=len(rows))
        begin, end = filled, np.minimum(filled + size, closes[day[first]])
        if empty and len(rows):
            begin, end = _every_bin(rows, every, size, filled)
        labels = stamps_at(begin, rows.tz).rename("date")
        codes = np.repeat(np.searchsorted(begin, filled), times)
        return Groups(labels, codes, (end - begin) / 1e6, begin, end)
    name = "week" if (kind, size) == ("weeks", SUNDAY) else "day"
    if not len(rows):
        return Groups(dates_at(day).rename(name), day, day / 1e6, day, day)
    with_rows = day[np.flatnonzero(np.diff(day, prepend=-1))]
    if kind == "weeks":
        of_day = dates - ((dates + THURSDAY) % 7 - size - 1) % 7
    else:
        of_day = dates - (dates - dates[with_rows].min()) % size
    used = np.unique(of_day[with_rows])
    if empty:
        used = np.unique(of_day[(of_day >= used[0]) & (of_day <= used[-1])])
    at = np.searchsorted(used, of_day)
    codes = at[day]
    inside = (at < len(used)) & (used[np.minimum(at, len(used) - 1)] == of_day)
    seconds = np.bincount(at[inside], (closes - opens)[inside], len(used)) / 1e6
    begin, end = np.full((2, len(used)), 0, dtype=np.int64)
    begin[at[inside][::-1]], end[at[inside]] = opens[inside][::-1], closes[inside]
    if rows.made:
        refuse_wide(rows, every, end[codes], int(seconds.max() * 1e6))
    return Groups(dates_at(used).rename(name), codes.astype(np.int64), seconds, begin, end)


def _every_bin(rows: Rows, every: str, size: int, filled: Ints) -> tuple[Ints, Ints]:
    """Return when the bins from the first with rows to the last open and close."""
    opens, closes, _, day = rows.days()
    lived = slice(int(day[0]), int(day[-1]) + 1)
    opens, closes = opens[lived], closes[lived]
    number = -(-(closes - opens) // size)  # bins of each day
    if number.sum() > max(MOST_EMPTY, MOST_EMPTY_OF_ROWS * len(rows)):
        first, last = stamps_at(rows.opens_us[[0, -1]], rows.tz)
        raise ConfigurationError(
            f"{rows.what}: {number.sum():,} bins of {every!r} lie between {first:%Y-%m-%d} and"
            f" {last:%Y-%m-%d}, and {len(filled):,} of them hold records: pass a part of the time,"
            f" such as frame.loc['{last:%Y-%m}':], or a wider bin"
        )
    nth = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    begin = np.repeat(opens, number) + nth * size
    end = np.minimum(begin + size, np.repeat(closes, number))
    inside = (begin >= filled[0]) & (begin <= filled[-1])
    return begin[inside], end[inside]


def refuse_wide(rows: Rows, by: str, ends: Ints, width: int) -> None:
    """Raise if Intervals reach over the ends of the groups in which they open.

    A record may, by less than its own length. Where the wearer's clock changes within a row, only
    its length shows whether it fits.
    """
    if not is_intervals(rows.frame):
        return
    wide = rows.closes_us - ends > LONGEST_RECORD_US
    if rows.clock.tz is None:
        wide &= rows.closes_us - rows.opens_us > width + (DAY_US if width >= DAY_US else 0)
    if wide.any():
        row = int(np.argmax(wide))
        first, last = stamps_at(np.array([rows.opens_us[row], rows.closes_us[row]]), rows.tz)
        raise ConfigurationError(
            f"{rows.what}: Intervals such as that {span_text(first, last)} do not fit into"
            f" {by!r}: pass the records, or narrower Intervals (those of days with the day_starts"
            " and the zone that they were made with)"
        )


def parse_width(every: Any) -> tuple[str, int, int]:
    """Return ("span", microseconds), ("days", n) or ("weeks", closing weekday), and how long it is.

    A day has 24 hours, in microseconds, even if the clocks change.
    """
    try:
        offset = to_offset(every)
    except (ValueError, TypeError):
        offset = None
    if isinstance(offset, pd.offsets.Day) and offset.n > 0:
        return "days", offset.n, offset.n * DAY_US
    if isinstance(offset, pd.offsets.Week) and offset.n == 1:
        weekday = getattr(offset, "weekday", None)
        if weekday is not None:
            return "weeks", int(weekday), 7 * DAY_US
    if isinstance(offset, pd.offsets.Tick):
        span, rest = divmod(offset.nanos, 1000)
        if 0 < span <= DAY_US and not rest:
            return "span", span, span
    raise ConfigurationError(
        f"{every!r} is not a valid width of a bin: use up to a day ('15s', '10min', '1h'),"
        " days ('1D', '7D') or weeks ('W')"
    )


def sums(
    rows: Rows, codes: Ints, number: int, subjects: Iterable[Subject], also: Also | None = None
) -> Columns:
    """Return the sum of each column over each of a `number` of groups; missing without a value.

    Rows of code -1 are in no group. `also` makes further columns of the rows in a slice, from those
    that they have.
    """

    def of_block(part: slice, columns_of: Callable[[], Counted]) -> tuple[Ints, Columns]:
        columns = columns_of()
        return by_group(columns if also is None else columns | also(part, columns), codes[part])

    totals: Columns = {}
    calls = [partial(of_block, *block) for block in rows.blocks(subjects)]
    values = 0 if rows.single else len(rows) * len(rows.arrays)
    for groups, made in on_cores(calls, values=values):
        for name, added_ in made.items():
            adds = np.fmax if name.startswith(LONGEST) else np.add
            if name not in totals:
                totals[name] = np.full(number, np.nan)
            total, before = totals[name], totals[name][groups]
            both = np.where(np.isnan(before), added_, adds(before, added_))
            total[groups] = np.where(np.isnan(added_), before, both)
    return totals


def by_group(columns: Counted, codes: Ints) -> tuple[Ints, Columns]:
    """Return the groups that rows are in, and the sum of each column over each of them.

    Missing without a value; rows of code -1 are in no group.
    """
    rows: Any = slice(int(np.searchsorted(codes, 0)), None)
    if (codes[1:] < codes[:-1]).any():
        rows = np.argsort(codes, kind="stable")
        rows = rows[np.searchsorted(codes[rows], 0) :]
    codes = codes[rows]
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    totals: Columns = {}
    # Many columns use the same rows: what these give is made once, found by how many they are.
    masks: dict[int, list[tuple[Bools, Floats, Ints | None, dict[int, Floats]]]] = {}
    for name, column in columns.items():
        if name.startswith(LONGEST):
            totals[name] = np.fmax.reduceat(filled(column)[rows], first)
            continue
        values, used = column if isinstance(column, tuple) else (column, column)
        if used.dtype != bool:
            used = ~np.isnan(values)
        alike = masks.setdefault(int(np.count_nonzero(used)), [])
        same = (each for each in alike if each[0] is used or np.array_equal(each[0], used))
        mask = next(same, None)
        if mask is None:
            chosen = used[rows]
            counts = np.add.reduceat(chosen, first, dtype=np.float64)
            bits = None if chosen.all() else -chosen.astype(np.int64)
            mask = used, np.where(counts > 0, counts, np.nan), bits, {}
            alike.append(mask)
        used, counts, bits, made = mask
        if values is column and values.dtype == bool:
            totals[name] = counts
            continue
        if id(values) not in made:
            kept = values[rows] if values.dtype != bool else (values & used)[rows]
            if bits is not None and values.dtype != bool:
                # Without its bits a value is 0, whatever it was: faster than to choose.
                kept = (kept.view(np.int64) & bits).view(np.float64)
            made[id(values)] = np.add.reduceat(kept, first, dtype=np.float64) + 0.0 * counts
        totals[name] = made[id(values)]
    return codes[first], totals


def added(values: Floats, codes: Ints, number: int, adds: np.ufunc = np.add) -> Floats:
    """Return the sum of values by their code, in any order; missing without a value."""
    known = ~np.isnan(values)
    made = np.full(number, np.nan)
    if adds is np.fmax:
        np.fmax.at(made, codes[known], values[known])
        return made
    some = np.bincount(codes[known], minlength=number) > 0
    made[some] = np.bincount(codes[known], values[known], number)[some]
    return made


@takes_tables
def intervals(
    frame: pd.DataFrame,
    every: str | None = None,
    *,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return what each interval adds to any summary: the table that every summary works on.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals.
    every : str, optional
        Width of the rows: up to a day (``"10min"``, ``"1h"``), days (``"1D"``) or weeks (``"W"``,
        Monday to Sunday); a whole multiple of the width of `frame`. Default: one row per record.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night. Default: midnight.

    Returns
    -------
    DataFrame
        Index ``date``: when each interval opens, in the frame's zone. Only intervals with records.
        Float64 columns, each of which can be summed over any rows (missing where nothing is known);
        the sums of a day give its row of `eyelog.daily`, whatever the width:

        - counts: ``n`` (records), ``steps``, blinks or gaps between them, movements;
        - seconds: ``recorded_s``, ``worn_s``, ``valid_s``, ``walking_s``, ``lasting_s`` (of runs of
          wear of at least ``limits.min_run``), and those in which each count could be made
          (``pace_s``, ``gap_s``, ``head_moves_yaw_s``);
        - sums: of a score (``sc_fcs_sum``), how many (``sc_fcs_n``), how many are high
          (``sc_fcs_high``); of squares (ending in ``2``), where an SD is wanted; of sines and
          cosines of a tilt.

        And some that are no sums: ``width_s`` (how long the row lasts: shorter if midnight or the
        clock cuts it), where the zone varies ``utc_offset_min``, and, if they are not the default
        ones, ``limits`` (a category: those that differ, as JSON).

    Raises
    ------
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If the width or the index cannot be used, nothing shows which log it is, the records overlap
        (two sources), or the frame was masked with other limits.

    Notes
    -----
    The values are judged here, as `eyelog.flag` does, and only those without a reason against them
    are added. An interval belongs to the row in which it opens. Intervals of several stretches of
    time can be put together with `pandas.concat`, stored, read back and made wider: the numbers of
    every summary stay the same, except for the coverage of all rows and of hours, weekdays and
    weekends, whose time is that between the first row and the last (`eyelog.coverage`).

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> tens = el.intervals(frame, "10min")
    >>> days = el.daily(tens)
    >>> bool((days["steps"] == el.daily(frame)["steps"]).all())
    True
    """
    options: dict[str, Any] = {"limits": limits, "log": log, "day_starts": day_starts}
    rows = enter(frame, "intervals", SUBJECTS, **options, time=True).warn()
    if every is None:
        opens, widths = rows.opens_us, (rows.closes_us - rows.opens_us) / 1e6
        parts = [columns_of() for _, columns_of in rows.blocks(SUBJECTS)]
        data = {name: np.concatenate([filled(part[name]) for part in parts]) for name in parts[0]}
    else:
        check_width(rows, every)
        found = bins(rows, every)
        opens, widths = cast(Ints, found.opens_us), found.seconds
        data = sums(rows, found.codes, len(found), SUBJECTS)
    table = pd.DataFrame({WIDTH: widths} | data, index=stamps_at(opens, rows.tz).rename("date"))
    if rows.clock.tz is None:
        table[OFFSET] = rows.clock.offset_min(opens)
    if rows.limits != DEFAULT:
        table[LIMITS] = limits_column(rows.limits, len(table))
    if rows.cut:
        asked = ",".join(sorted(rows.given[BETWEEN].unique()))
        table[BETWEEN] = pd.Series(asked, table.index, dtype="str")
    details: dict[str, Any] = {
        "every": every,
        "limits": rows.limits.details(),
        "day_starts": day_starts,
    }
    return derived(table, frame, "intervals", log=rows.log or None, **details)


def check_width(rows: Rows, every: str) -> None:
    """Raise unless whole rows fit into the bins."""
    kind, _, width = parse_width(every)
    if not rows.made:
        own = np.array([log_named(rows.log).interval_us])
    else:
        own = np.unique(rows.closes_us - rows.opens_us)
    unfit = own[(own > width) | (width % own != 0)] if kind == "span" else own[own > width]
    # Rows that midnight or a change of the clock has cut are shorter than the others.
    if len(unfit) and (unfit.max() == own.max() or kind != "span"):
        raise ConfigurationError(
            f"intervals of {unfit[-1] / 1e6:g} s do not fit into {every!r}:"
            f" take a whole multiple of {unfit[-1] / 1e6:g} s"
        )
