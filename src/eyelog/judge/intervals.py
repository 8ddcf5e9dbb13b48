"""The door: whatever a person holds becomes one kind of row, which says what its interval adds.

Records of either log, masked or not, packets of the 20 Hz log, and Intervals of any width pass the
same door, once. Here the log, the limits, the wearer's clock, overlaps and two sources are settled;
the values are judged, a block of rows at a time, so that ten years cost ten times a year.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Final, Literal, cast

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from eyelog.catalogue import catalogue, log_named, role
from eyelog.clock import DAY_US, THURSDAY, LocalClock, dates_at, local_clock, stamps_at
from eyelog.cores import on_cores
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError, warn
from eyelog.frame import (
    BETWEEN,
    LIMITS,
    OFFSET,
    RECORDED,
    SECONDS,
    STATE,
    STORED,
    history,
    is_resampled,
    log_of,
    one_source,
    seconds_between,
    stamps,
)
from eyelog.judge.arrays import Bools, Floats, Ints, changes, numbers, runs
from eyelog.judge.limits import Limits, chosen_limits
from eyelog.judge.packets import SUBJECTS_OF_PACKETS
from eyelog.judge.reasons import UNKNOWN, Reason, against_fields, evidence_for
from eyelog.judge.records import AT_ONCE, NOTHING, OFF, Records, blink_evidence, time_fields
from eyelog.judge.terms import SUBJECTS, Columns, Counted, Terms
from eyelog.overlap import TOLERATED_US, duration_text, span_text

WIDTH: Final = "width_s"  # how long each row lasts
OF_INTERVALS: Final = (WIDTH, "n", "span_s", "before_n")  # every summary of Intervals needs them
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
        The records, to be judged, or the packets; not of Intervals.
    single : bool
        Whether the rows are packets, each of which may report an event.
    cut : bool
        Whether the rows are those between clock times, each of them.
    size, parts : int, list of slice
        How many rows there are, and their blocks, each of whole days if it can be.
    first_and_last : list of str
        The first and the last local date, for a history: a table of hours, weekdays or labels has
        lost its stamps.
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
        self.size, self.tz = len(self.opens_us), cast(pd.DatetimeIndex, self.frame.index).tz
        self.single = not self.made and log_named(self.log).numbers_packets
        self.cut = BETWEEN in self.given.columns and bool(self.given[BETWEEN].notna().all())
        self.arrays: dict[Any, Any] = {
            name: column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array
            for name, column in pd.DataFrame(self.frame).items()  # without a history to be copied
        }
        if not self.made:
            self.records = Records(self.arrays, self.closes_us, self.log, self.limits)
        self._days: dict[int, tuple[Ints, Ints, Ints, Ints]] = {}
        cuts = [0]
        while self.size - cuts[-1] > AT_ONCE:
            # A day in one piece has the same digits, whatever else is in the table.
            day = self.days()[3]
            midnight = int(np.searchsorted(day, day[cuts[-1] + AT_ONCE]))
            cuts.append(midnight if midnight > cuts[-1] else cuts[-1] + AT_ONCE)
        self.parts = [slice(*edges) for edges in pairwise([*cuts, self.size])]
        self.first_and_last: list[str] = []
        if self.size:
            at = (self.opens_us if self.made else self.closes_us - 1)[
                [0, min(1, self.size - 1), -1]
            ]
            wall = self.clock.wall_us(at)
            # A slice by date begins with the record that closes the day before.
            skip = not self.made and wall[0] % DAY_US == DAY_US - 1
            ends = wall[[int(skip), -1]].view("M8[us]")
            self.first_and_last = np.datetime_as_string(ends, "D").tolist()

    def asked_s(self, opens: Ints, closes: Ints) -> Floats:
        """Return the seconds of some spans of time within the hours to which the rows were cut."""
        if not self.cut or not len(opens):
            return np.asarray((closes - opens) / 1e6, dtype=np.float64)
        return seconds_between(self.given[BETWEEN].unique(), self.clock, opens, closes)

    def days(self, reach: int = 0) -> tuple[Ints, Ints, Ints, Ints]:
        """Return opening, closing and date of the local days, and the day of each row.

        They go from `reach` days before the first row to as many after the last one.
        """
        if not self.size:
            return (np.zeros(0, np.int64),) * 4
        if reach not in self._days:
            ends = self.day_clock.wall_us(self.opens_us[[0, -1]]) // DAY_US
            # A clock that goes back can show a date earlier than that of the first row.
            first, last = int(ends.min()) - 5 - reach, int(ends.max()) + 6 + reach
            opens, closes, dates = self.day_clock.cells(first * DAY_US, last * DAY_US, DAY_US)
            # A date has one entry, even if the clock changes on it; two or more if the clock goes
            # back over midnight, so that the date occurs again (a minute past midnight in
            # St. John's before 2011; on a flight west); none if the clock skips it.
            new = np.append(True, dates[1:] != dates[:-1])
            opens, closes, dates = opens[new], closes[np.append(new[1:], True)], dates[new]
            begins = np.searchsorted(self.opens_us, opens)
            day = np.repeat(np.arange(len(opens)), np.diff(begins, append=self.size))
            self._days[reach] = opens, closes, dates, day
        return self._days[reach]

    def columns(
        self, part: slice, subjects: Iterable[Subject], also: Also | None = None
    ) -> Counted:
        """Return what some rows add to subjects, those that are of their log.

        `also` makes further columns of them, from those that they have.
        """
        made: Counted = {}
        if self.made:
            made |= {name: numbers(self.arrays[name][part], name) for name in self.names}
        else:
            # What has been found out about all records serves every subject.
            records = self.records if part == slice(0, self.size) else self.records.at(part)
            terms = SUBJECTS_OF_PACKETS if self.single else SUBJECTS
            # What no reason spares is computed too, and left out of the sums.
            with np.errstate(over="ignore", invalid="ignore"):
                for subject in subjects:
                    of = subject if callable(subject) else terms.get(subject)
                    made |= of(records) if of else {}
        return made if also is None else made | also(part, made)

    def time(self, records: Records) -> Counted:
        """Return how many some records are, and their seconds."""
        share, lasting = self.overall  # first: a column is refused by what all its values are
        part, context = records.place, records.context
        time: Counted = {"recorded_s": context["recorded"] * records.length_s}
        time |= {name: context[name] for name in SECONDS if name in context}
        if share is not None:
            time = {name: values * share[part] for name, values in time.items()}
        time["n"] = (None, time["recorded_s"] > 0)
        time["span_s"] = np.full(records.size, records.length_s)
        # A fetch selects by stamp, so its first record closes the day before: only those that close
        # before their day does show that there are records of this day.
        _, closes, _, day = self.days()
        time["before_n"] = (None, self.closes_us[part] < closes[day[part]])
        if lasting is not None:
            time["unworn_s"] = time["recorded_s"] - time["worn_s"]
            time["lasting_s"] = np.where(lasting[part], time["worn_s"], 0.0)
        records.time = time
        return time

    @cached_property
    def overall(self) -> tuple[Floats | None, Bools | None]:
        """What only all records show: a share of each, and whether it is of lasting wear.

        The share is what no earlier record covers; None if none overlap. When a new connection
        starts, its first record may cover time that the last record of the previous connection has
        covered: each second counts once. Not so in packets, each of which lasts as long as all
        others, however late it was received. Wear lasts in a run of at least `Limits.min_run`.
        """
        us, length_us = self.closes_us, round(self.records.length_s * 1e6)
        lost, share, lasting = length_us - np.diff(us), None, None
        if not self.single and lost.max(initial=0) > 0:
            # A late stamp makes the next one look early: the spare time of a neighbour is not lost.
            beside = np.concatenate([[0], lost, [0]])
            lost = np.clip(np.minimum(lost, lost + np.minimum(beside[:-2], beside[2:])), 0, None)
            share = np.append(1.0, 1.0 - lost / length_us)
        context = self.records.context
        if "worn_s" in context:
            worn = ~np.isnan(context["worn_s"]) & (context["state"] < OFF)
            firsts, lasts = runs(worn, us, float(length_us))
            long = us[lasts] - self.opens_us[firsts] >= self.limits.seconds("min_run") * 1e6
            edges = np.zeros(self.size + 1, dtype=np.int8)
            edges[firsts[long]] += 1
            edges[lasts[long] + 1] -= 1
            lasting = np.cumsum(edges[:-1], dtype=np.int8) > 0
        return share, lasting

    @property
    def span_s(self) -> Floats:
        """How long the records of each row last."""
        if self.made:
            return numbers(self.arrays["span_s"], "span_s")
        return np.asarray((self.closes_us - self.opens_us) / 1e6, dtype=np.float64)

    def warn(self, *, time: bool = False, also: Reason = NOTHING) -> "Rows":
        """Warn once about the reasons for which the evidence is not there; return the rows.

        Judged are the values that have been asked for, the hours if `time` is asked for, and
        reasons that are asked for `also`. No warning is about no rows, nor about masked ones: they
        were judged with all that there was.
        """
        if self.made and self.firsts is None:
            return self
        if time and "worn_s" in self.names:
            also |= Reason.OFF_POSE
        if time and "valid_s" in self.names:
            also |= Reason.MOVING | Reason.NOISY | Reason.INVALID
        found = [against_fields(self.log).get(name, UNKNOWN) for name in self.records.asked]
        for against in found:
            also |= against.context
        needs = {r: [*names] for r, names in evidence_for(self.log).items() if r & also}
        if self.limits.wear == "blinks" and Reason.UNWORN in needs:
            needs[Reason.UNWORN] += blink_evidence(self.log)
        needs[Reason.STALE] = sorted({against.counter for against in found if against.counter})
        here = self.records.columns
        lost = {str(r.name): [n for n in own if n not in here] for r, own in needs.items()}
        self.lacking = {reason: names for reason, names in lost.items() if names}
        walking = time_fields(self.log)["walking_s"]
        unwalked = [name for name in walking if name not in here]
        if time and "worn_s" in self.names and unwalked and len(unwalked) < len(walking):
            self.lacking["walking time"] = unwalked
        if self.lacking and self.size and STORED not in self.given.columns:
            words = ", ".join(f"{reason} ({', '.join(n)})" for reason, n in self.lacking.items())
            warn(
                f"not judged, since the frame lacks the fields in brackets: {words}. Add them, or"
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
    FieldError
        If Intervals lack a column that every summary needs.
    ConfigurationError
        If nothing shows which log it is, an argument cannot be used, the frame was masked with
        other limits, the index holds no aware stamps, a missing one or the same twice, or the rows
        overlap (two sources of records).
    """
    made = isinstance(frame, pd.DataFrame) and RECORDED in frame.columns
    if made and not wide:
        raise ConfigurationError(
            f"{what} needs single records, and these are Intervals: pass the records"
        )
    lost = [repr(name) for name in OF_INTERVALS if made and name not in frame.columns]
    if lost:
        raise FieldError(
            f"the table has the column {RECORDED!r} of Intervals and lacks {', '.join(lost)}: keep"
            " all of them, or give your own column another name"
        )
    if made:
        which, *others = [one for name, one in LOG_BY.items() if name in frame.columns] or [""]
        if others:
            raise MixedLogsError(
                "Intervals of two logs are in one table: keep them in separate tables"
            )
    else:
        which = log_of(frame, log)
    if is_resampled(frame):
        or_intervals = ", or eyelog.intervals(frame, '10min')" if wide else ""
        raise ConfigurationError(
            f"{what} takes records, and this is a table of"
            f" {history(frame)[-1]['step'] if history(frame) else 'results'}: pass the"
            f" records{or_intervals}"
        )
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
    if made:
        opens = index.asi8
        closes = opens + np.rint(numbers(frame[WIDTH], WIDTH) * 1e6).astype(np.int64)
        _refuse_overlap(frame, opens, closes, what)
    else:
        one_source(frame, what=what, log=which)
        if index.hasnans or not index.is_unique:
            raise ConfigurationError(
                "the frame has a missing stamp or several rows with one stamp: keep the last row of"
                " each, frame[frame.index.notna() & ~frame.index.duplicated(keep='last')]"
            )
        if STORED in frame or {"mask", "select"} & {step["step"] for step in history(frame)}:
            _refuse_half_masked(frame, which)
        opens, closes = index.asi8 - round(log_named(which).interval_s * 1e6), index.asi8
    clock = days = LocalClock(index.tz)
    if OFFSET in frame:
        stamp: Literal["end", "start"] = "start" if made else "end"
        offsets = numbers(frame[OFFSET])
        clock = days = local_clock(index, offsets, width_us=closes - opens, stamp=stamp)
    if day_starts is not None:
        days = clock.set_back(day_starts, opens)
    rows = Rows(frame, what, which, chosen, opens, closes, clock, days, made, order, frame)
    if made:
        rows.names = [n for n, v in rows.arrays.items() if n not in NO_SUMS and not _is_own(v)]
    else:
        rows.records.asked.update(fields)
        if subjects or time:  # no records are asked, which have all columns
            rows.names = [*rows.columns(slice(0, 0), [rows.time, *subjects])]
    if time:
        rows.warn(time=True)
    return _of_packets(rows, subjects) if rows.single and wide else rows


def _of_packets(rows: Rows, subjects: Iterable[Subject]) -> Rows:
    """Return the rows of 15 seconds that packets make: each event is counted once, in its row."""
    found = bins(rows, "15s")
    data = sums(rows, found, subjects)
    table = pd.DataFrame({WIDTH: found.seconds} | data, index=found.labels)
    table.attrs = dict(rows.frame.attrs)
    firsts = changes(found.codes)
    opens, closes = found.opens_us.copy(), found.closes_us.copy()
    # The time of a recording is that from its first packet to its last.
    opens[:1] = rows.opens_us[:1]
    closes[-1:] = np.minimum(closes[-1:], rows.closes_us[-1:])
    made = replace(
        rows, frame=table, opens_us=opens, closes_us=closes, made=True, firsts=firsts, names=[*data]
    )
    made.records = rows.records
    return made


def _refuse_half_masked(frame: pd.DataFrame, log: str) -> None:
    """Raise if what masking kept is gone, or some rows were masked and others not."""
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
    unmasked = np.flatnonzero(frame[STORED].isna())
    if len(unmasked) and frame[names].take(unmasked).notna().any(axis=None):
        raise ConfigurationError(
            f"{len(unmasked)} rows of the frame are not masked and the others are (column"
            f" {STORED!r}): mask the others before you put them together,"
            " pd.concat([masked, eyelog.mask(raw, eyelog.flag(raw))])"
        )


def _refuse_overlap(table: pd.DataFrame, opens: Ints, closes: Ints, what: str) -> None:
    """Raise if more time is recorded twice than where two connections meet."""
    recorded = np.nan_to_num(numbers(table[RECORDED], RECORDED)) * 1e6
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
    opens_us, closes_us : array of int64
        When bins, days and weeks open and close; empty for other groups.
    """

    labels: pd.Index
    codes: Ints
    seconds: Floats
    opens_us: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    closes_us: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def keep(self, chosen: Bools) -> "Groups":
        """Return the `chosen` bins, days or weeks; the rows of the others are in none."""
        number = np.append(np.where(chosen, np.cumsum(chosen) - 1, -1), -1)
        edges = self.opens_us[chosen], self.closes_us[chosen]
        return Groups(self.labels[chosen], number[self.codes], self.seconds[chosen], *edges)


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
        first = changes(begins)
        filled, times = begins[first], np.diff(first, append=rows.size)
        begin, end = filled, np.minimum(filled + size, closes[day[first]])
        if empty and rows.size:
            begin, end = _every_bin(rows, every, size, filled)
        labels = stamps_at(begin, rows.tz).rename("date")
        codes = np.repeat(np.searchsorted(begin, filled), times)
        return Groups(labels, codes, (end - begin) / 1e6, begin, end)
    name = "week" if (kind, size) == ("weeks", SUNDAY) else "day"
    if not rows.size:
        return Groups(dates_at(day).rename(name), day, day / 1e6, day, day)
    with_rows = np.flatnonzero(np.bincount(day))
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
    return Groups(dates_at(used).rename(name), codes, seconds, begin, end)


def _every_bin(rows: Rows, every: str, size: int, filled: Ints) -> tuple[Ints, Ints]:
    """Return when the bins from the first with rows to the last open and close."""
    opens, closes, _, day = rows.days()
    lived = slice(int(day[0]), int(day[-1]) + 1)
    opens, closes = opens[lived], closes[lived]
    number = -(-(closes - opens) // size)  # bins of each day
    if number.sum() > max(MOST_EMPTY, MOST_EMPTY_OF_ROWS * rows.size):
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
    if RECORDED not in rows.frame.columns:
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


@np.errstate(invalid="ignore")  # infinities of both signs have no sum
def sums(
    rows: Rows, groups: Groups, subjects: Iterable[Subject], also: Also | None = None
) -> Columns:
    """Return the sum of each column over each group; missing without a value.

    `also` makes further columns of the rows in a slice, from those that they have.
    """
    every = [rows.time, *subjects]
    # An event may depend on packets long before: all of them are one block. But a column of them is
    # large: one subject comes after the other.
    blocks = [(slice(0, rows.size), [one]) for one in every] if rows.single else []
    calls = [
        partial(lambda part, of: by_group(rows.columns(part, of, also), groups.codes[part]), *block)
        for block in blocks or [(part, every) for part in rows.parts]
    ]
    totals: Columns = {}
    met = np.zeros(len(groups.labels), dtype=bool)  # in an earlier block
    for places, made in on_cores(calls, values=0 if rows.single else rows.size * len(rows.arrays)):
        twice = bool(met[places].any())
        for name, more in made.items():
            if name not in totals:
                totals[name] = np.full(len(groups.labels), np.nan)
            total = totals[name]
            if twice:
                adds, before = np.fmax if name.startswith(LONGEST) else np.add, total[places]
                both = np.where(np.isnan(before), more, adds(before, more))
                more = np.where(np.isnan(more), before, both)
            total[places] = more
        met[places] = True
    return totals


def by_group(columns: Counted, codes: Ints) -> tuple[Ints, Columns]:
    """Return the groups that rows are in, and the sum of each column over each of them.

    Missing without a value; rows of code -1 are in no group.
    """
    order: Ints | None = None
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
    first = changes(codes)
    first = first[codes[first] >= 0]
    number = np.diff(first, append=len(codes))
    # Many columns use the same rows: the place of these is found once, and each product is made
    # once. All rows are those of no bits, and those of all.
    alike: dict[bytes, Any] = {b"": (order, first, number > 0, number.astype(np.float64), {})}
    alike[np.packbits(np.ones(len(codes), dtype=bool)).tobytes()] = alike[b""]
    totals: Columns = {}
    for name, column in columns.items():
        used, *factors = column if isinstance(column, tuple) else (~np.isnan(column), column)
        bits = b"" if used is None else np.packbits(used).tobytes()
        if bits not in alike:
            used = used if order is None else used[order]
            rows, number = np.flatnonzero(used), np.add.reduceat(used, first, dtype=np.int64)
            starts = len(rows) - np.cumsum(number[::-1])[::-1]
            filled = number > 0
            counts = np.where(filled, number, np.nan)
            rows = rows if order is None else order[rows]
            alike[bits] = rows, starts[filled], filled, counts, {}
        rows, starts, filled, total, made = alike[bits]
        key: tuple[Any, ...] = ()
        for factor in factors:
            if isinstance(factor, np.ndarray):
                product, key = made.get(key), (*key, id(factor))
                if key not in made:
                    own = factor if rows is None else factor.take(rows)
                    made[key] = own if product is None else product * own
        adds = np.fmax if name.startswith(LONGEST) else np.add
        if key and (adds, key) not in made:
            made[adds, key] = np.full(len(first), np.nan)
            if len(starts):
                made[adds, key][filled] = adds.reduceat(made[key], starts, dtype=np.float64)
        total = made.get((adds, key), total)
        for factor in factors:
            if not isinstance(factor, np.ndarray):
                total = total * factor
        totals[name] = total
    return codes[first], totals
