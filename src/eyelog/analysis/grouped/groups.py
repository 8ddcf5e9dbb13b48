"""Groups of rows of a sorted table: bins of time, local days, clock hours, labels.

Bins are right-closed, as intervals are: a record stamped 10:00:00 covers the interval before it.
They are cut where the local date changes, so that no bin contains parts of two days, even on days
of 23 or 25 hours or of travel.
"""

import threading
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.tseries.frequencies import to_offset

from eyelog.analysis.series.arrays import Bools, Floats, Ints
from eyelog.analysis.series.calendar import CYCLES, HOUR_US, THURSDAY, cycle_labels, hour_codes
from eyelog.analysis.series.observed import stamps_at
from eyelog.catalogue import near
from eyelog.clock import DAY_US, LocalClock, check_stamp, dates_at, microseconds
from eyelog.errors import ConfigurationError

__all__ = [
    "By",
    "Groups",
    "bin_seconds",
    "day_groups",
    "group_by",
    "is_whole",
    "time_groups",
    "with_columns",
]

By = str | pd.Series | npt.NDArray[Any] | pd.Index | Sequence[Hashable | pd.Series] | None

SECOND_US = 1_000_000
MOST_KEYS = 6  # a longer list has a label for each row

_WHOLE = pd.Index(["all"], name="group")


class Memo:
    """What the reductions remember for these groups. Threads may share it.

    Attributes
    ----------
    patterns : tuple
        Where the values of the last columns are missing. It is replaced, never changed: what one
        thread adds while another adds its own is only computed again.
    of_thread : threading.local
        Its ``last`` is the thread's last column, and where its values are missing.
    """

    def __init__(self) -> None:
        self.patterns: tuple[Any, ...] = ()
        self.of_thread = threading.local()
        self._ones = np.ones(0)

    def ones(self, number: int) -> npt.NDArray[np.float64]:
        """Return that many ones, in the same memory each time."""
        ones = self._ones
        if len(ones) < number:
            self._ones = ones = np.ones(number)
        return ones[:number]


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows of a table in groups.

    Attributes
    ----------
    labels : Index
        One label per group, in order; groups may be empty.
    bounds : array of int64
        Group i holds the ordered rows ``bounds[i]:bounds[i + 1]``.
    order : array of int64, slice or None
        The rows in the order of the groups; None if they already are in that order, a slice if only
        rows before and after all groups are left out.
    seconds : array of float64
        Seconds that each group spans.
    opens_us, closes_us : array of int64, optional
        Opening and closing instants (microseconds of Unix time) of bins, days and weeks. The time
        between them can be more than `seconds` if the local date occurs twice.
    memo : Memo
        A cache of the reductions for these groups, since many columns are missing together.
    """

    labels: pd.Index
    bounds: Ints
    order: Ints | slice | None
    seconds: npt.NDArray[np.float64]
    opens_us: Ints | None = None
    closes_us: Ints | None = None
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def sizes(self) -> Ints:
        """Rows of each group."""
        return np.diff(self.bounds)

    @property
    def filled(self) -> Ints:
        """Numbers of the groups that have rows."""
        return np.flatnonzero(self.sizes)

    @property
    def codes(self) -> Ints:
        """The group of each ordered row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def offsets_min(self, clock: LocalClock) -> Floats | None:
        """Return the minutes east of UTC at the last moment of each bin; None for days and labels.

        So they are stated for bins without records too.
        """
        if self.closes_us is None or getattr(self.labels, "tz", None) is None:
            return None
        return clock.offset_min(self.closes_us - 1)

    def arrange(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return `values` in the order of the groups, without the rows outside all groups."""
        return values if self.order is None else values[self.order]

    def only(self, rows: npt.NDArray[np.bool_]) -> "Groups":
        """Return the same groups with only the chosen `rows`, given in the order of the table."""
        inside = self.arrange(rows)[: self.bounds[-1]]
        order = self.rows(len(rows))[: self.bounds[-1]][inside]
        sizes = np.bincount(self.codes[inside], minlength=len(self))
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        return replace(self, bounds=bounds, order=order, memo=Memo())

    def packed(self, chosen: npt.NDArray[np.bool_]) -> tuple[Ints, "Groups"]:
        """Return the `chosen` rows in the order of the groups, and the groups of these rows alone.

        Where few rows matter, reductions of them alone take less time and memory.
        """
        kept = self.only(chosen)
        return kept.rows(len(chosen)), replace(kept, order=None, memo=Memo())

    def keep(self, chosen: npt.NDArray[np.bool_]) -> "Groups":
        """Return the `chosen` groups; the rows of the others are left out."""
        if bool(chosen.all()):
            return self
        rows = np.repeat(chosen, self.sizes)
        left = self.rows(len(rows))[rows]
        bounds = np.concatenate([[0], np.cumsum(self.sizes[chosen])])
        order: Ints | slice = left
        if self.order is None and len(left) and left[-1] - left[0] + 1 == len(left):
            order = slice(int(left[0]), int(left[-1]) + 1)  # a view: no column is copied
        opens, closes = self.opens_us, self.closes_us
        return Groups(
            self.labels[chosen],
            bounds,
            order,
            self.seconds[chosen],
            None if opens is None else opens[chosen],
            None if closes is None else closes[chosen],
        )

    def rows(self, number: int) -> Ints:
        """Return the rows in the order of the groups; without an order, the first `number`."""
        if isinstance(self.order, slice):
            return np.arange(self.order.start, self.order.stop)
        return np.arange(number) if self.order is None else self.order

    def row_codes(self, number: int) -> Ints:
        """Return the group of each of `number` rows of the table, -1 for rows in no group."""
        codes = np.full(number, -1, dtype=np.int64)
        codes[self.rows(number)[: self.bounds[-1]]] = self.codes
        return codes


def _stamps(us: Ints, tz: Any, name: str) -> pd.DatetimeIndex:
    return stamps_at(us, tz).rename(name)


def _parse(every: Any) -> tuple[str, int]:
    """Return ("span", microseconds), ("days", n) or ("weeks", closing weekday)."""
    try:
        offset = to_offset(every)
    except (ValueError, TypeError):
        offset = None
    if isinstance(offset, pd.offsets.Day) and offset.n > 0:
        return "days", offset.n
    if isinstance(offset, pd.offsets.Week) and offset.n == 1:
        weekday = getattr(offset, "weekday", None)
        if weekday is not None:
            return "weeks", int(weekday)
    if isinstance(offset, pd.offsets.Tick):
        span, rest = divmod(offset.nanos, 1000)
        if 0 < span <= DAY_US and not rest:
            return "span", span
    raise ConfigurationError(
        f"{every!r} is not a valid width of a bin: use up to a day ('15s', '10min', '1h'),"
        " days ('1D', '7D') or weeks ('W')"
    )


def bin_seconds(every: Any) -> float:
    """Return the nominal width of a bin in seconds; a day has 86,400 even if the clocks changed."""
    kind, size = _parse(every)
    if kind == "span":
        return size / SECOND_US
    return 86_400.0 * (size if kind == "days" else 7)


def _bin_dates(dates: Ints, kind: str, size: int, origin: int) -> Ints:
    """Return the first day of the bin of each day, as days since 1970."""
    if kind == "weeks":
        return dates - ((dates + THURSDAY) % 7 - size - 1) % 7
    return dates - (dates - origin) % size


def _day_runs(us: Ints, clock: LocalClock, stamp: str, reach: int) -> tuple[Ints, Ints, Ints]:
    """Return opening, closing and date of the local days around the rows, `reach` days wide."""
    ends = clock.wall_us(us[[0, -1]] - (stamp == "end")) // DAY_US
    # A clock that goes back can show a date earlier than that of the first row; never by 3 days.
    return clock.days(int(ends.min()) - 3 - reach, int(ends.max()) + 3 + reach)


def _dated(us: Ints, clock: LocalClock, kind: str, size: int, stamp: str) -> Groups:
    """Return the bins of whole local days from the first row to the last, labelled by date."""
    side: Literal["left", "right"] = "left" if stamp == "end" else "right"
    opens, closes, dates = _day_runs(us, clock, stamp, size if kind == "days" else 7)
    first, last = np.searchsorted(closes, us[[0, -1]], side=side)
    origin = int(dates[first : last + 1].min())
    bins = _bin_dates(dates, kind, size, origin)
    used = bins[first : last + 1]
    chosen = (bins >= used.min()) & (bins <= used.max())
    labels, number = np.unique(bins[chosen], return_inverse=True)
    sizes = np.diff(
        np.searchsorted(us, closes[chosen], side="right" if stamp == "end" else "left"), prepend=0
    )
    begin, end = np.full((2, len(labels)), opens[chosen][0], dtype=np.int64)
    begin[number[::-1]] = opens[chosen][::-1]
    end[number] = closes[chosen]
    order = None
    if (np.diff(number) < 0).any():  # a date occurs twice: its rows are put together
        order = np.argsort(np.repeat(number, sizes), kind="stable").astype(np.int64)
    return Groups(
        labels=dates_at(labels),
        bounds=np.concatenate([[0], np.cumsum(np.bincount(number, sizes, len(labels)))]).astype(
            np.int64
        ),
        order=order,
        seconds=np.bincount(number, (closes - opens)[chosen], len(labels)) / SECOND_US,
        opens_us=begin,
        closes_us=end,
    )


def _spans(us: Ints, clock: LocalClock, size: int, stamp: str) -> tuple[Ints, Ints]:
    """Return the openings and closings of the bins of `size` from the first row to the last."""
    days, ends, _ = _day_runs(us, clock, stamp, 0)
    # (opens, closes] if the stamp closes its interval, [opens, closes) if it opens it.
    side: Literal["left", "right"] = "left" if stamp == "end" else "right"
    first, last = np.searchsorted(ends, us[[0, -1]], side=side)
    days, ends = days[first : last + 1], ends[first : last + 1]
    counts = -(-(ends - days) // size)
    nth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    opens = np.repeat(days, counts) + nth * size
    closes = np.minimum(opens + size, np.repeat(ends, counts))
    first, last = np.searchsorted(closes, us[[0, -1]], side=side)
    return opens[first : last + 1], closes[first : last + 1]


def time_groups(
    index: pd.DatetimeIndex,
    every: Any,
    *,
    stamp: str = "end",
    label: str = "stamp",
    clock: LocalClock | None = None,
) -> Groups:
    """Return the bins of `every` from the first row to the last, including empty ones.

    Parameters
    ----------
    index : DatetimeIndex
        Aware and sorted.
    every : str or offset
        Up to a day (``"10min"``), days (``"1D"``, ``"7D"``, counted from the first day) or weeks
        (``"W"``: Monday to Sunday; ``"W-SAT"``: Sunday to Saturday).
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    label : {"stamp", "auto"}
        Label bins by their stamp under the same rule, or (``"auto"``) bins of days and weeks by
        their first day, a date without a zone.
    clock : LocalClock, optional
        The wearer's clock; by default that of the zone of the index.
    """
    check_stamp(stamp)
    kind, size = _parse(every)
    dated = label == "auto" and kind != "span"
    name = "day" if dated else "date"
    clock = LocalClock(index.tz) if clock is None else clock
    if not len(index):
        none = np.zeros(0, dtype=np.int64)
        labels = dates_at(none).rename(name) if dated else _stamps(none, index.tz, name)
        return Groups(labels, np.zeros(1, np.int64), None, none.astype(float), none, none)
    us = microseconds(index)
    if kind != "span":
        groups = _dated(us, clock, kind, size, stamp)
        if dated:
            return replace(groups, labels=groups.labels.rename(name))
        edges = cast(Ints, groups.opens_us if stamp == "start" else groups.closes_us)
        return replace(groups, labels=_stamps(edges, index.tz, name))
    opens, closes = _spans(us, clock, size, stamp)
    side: Literal["left", "right"] = "right" if stamp == "end" else "left"
    inner = np.searchsorted(us, closes, side=side)
    return Groups(
        labels=_stamps(opens if stamp == "start" else closes, index.tz, name),
        bounds=np.concatenate([[0], inner]).astype(np.int64),
        order=None,
        seconds=(closes - opens) / SECOND_US,
        opens_us=opens,
        closes_us=closes,
    )


def day_groups(
    index: pd.DatetimeIndex,
    *,
    stamp: str = "end",
    every: Any = "1D",
    lone: Bools | None = None,
    clock: LocalClock | None = None,
) -> Groups:
    """Return the local days (or other bins) with rows, days named by their date.

    A day whose only record is the one stamped at its closing midnight is left out: a fetch selects
    by stamp, so the first record of a fetched range belongs to the day before.

    Parameters
    ----------
    index : DatetimeIndex
        Aware and sorted.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    every : str or offset
        As in `time_groups`.
    lone : array of bool, optional
        Which rows represent one record at their own stamp; by default all.
    clock : LocalClock, optional
        The wearer's clock; by default that of the zone of the index.
    """
    groups = time_groups(index, every, stamp=stamp, label="auto", clock=clock)
    chosen = groups.sizes > 0
    if stamp == "end" and groups.labels.name == "day" and len(groups):
        us = groups.arrange(microseconds(index))
        firsts = np.minimum(groups.bounds[:-1], len(us) - 1)
        alone = (groups.sizes == 1) & (us[firsts] == groups.closes_us)
        if lone is not None:
            alone &= groups.arrange(lone)[firsts]
        chosen &= ~alone
    return groups.keep(chosen)


def group_by(
    index: pd.DatetimeIndex,
    by: By,
    *,
    interval_s: float | Floats,
    stamp: str = "end",
    lone: Bools | None = None,
    clock: LocalClock | None = None,
    columns: Iterable[str] = (),
) -> Groups:
    """Return the groups of a summary.

    Parameters
    ----------
    index : DatetimeIndex
        Aware and sorted.
    by : None, str, Series, array, or a list of keys
        None: all rows, as one group. ``"hour"``: the local hour of day, 0 to 23. ``"weekday"``: 0
        (Monday) to 6. ``"weekend"``: ``weekday`` or ``weekend``. ``"week"``: ISO weeks with
        records, named by the date of their Monday. A pandas frequency: bins that hold records; days
        and weeks named by the date of their first day, shorter bins by their stamp. A Series by
        stamp, or as many values as rows: a label for each row (the context); rows without a label
        are in no group. Several of these in a list: the combinations that have rows.
    interval_s : float or array
        Seconds of one row, or of each row.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    lone : array of bool, optional
        As in `day_groups`.
    clock : LocalClock, optional
        The wearer's clock; by default that of the zone of the index.
    columns : iterable of str
        Columns that a wrong key may have meant.

    Raises
    ------
    ConfigurationError
        If `by` is not one of these, or the numbers of labels and rows differ.
    """
    check_stamp(stamp)
    if clock is None:  # labels need no stamps
        clock = LocalClock(getattr(index, "tz", None))
    if several_keys(by, len(index)):
        keys = list(cast(Sequence[Any], by))
        if len(keys) > 1:
            rows = _Rows(index, interval_s, stamp, lone, clock, list(columns))
            return rows.combined(keys)
        by = keys[0]
    if by is None:
        bounds = np.array([0, len(index)], dtype=np.int64)
        seconds = _span(index, interval_s)
        return Groups(_WHOLE, bounds, None, np.array([seconds]))
    if isinstance(by, str) and by in CYCLES:
        return _Rows(index, interval_s, stamp, lone, clock, []).cycles(by)
    if isinstance(by, str):
        every = "W" if by == "week" else _frequency(by, columns)
        groups = day_groups(index, stamp=stamp, every=every, lone=lone, clock=clock)
        return replace(groups, labels=groups.labels.rename("week")) if by == "week" else groups
    return _labels(index, by, interval_s)


def several_keys(by: Any, number: int) -> bool:
    """Return whether `by` is a list of keys, not one of `number` labels."""
    if not isinstance(by, list | tuple) or not 1 <= len(by) <= MOST_KEYS:
        return False
    if not all(isinstance(key, str | pd.Series) for key in by):
        return False
    if any(isinstance(key, pd.Series) or _is_time(key) for key in by):
        return True
    return len(by) != number and len(set(by)) == len(by)  # labels occur more than once


def _is_time(key: Any) -> bool:
    """Return whether a key is a part of the calendar or a width of a bin."""
    if not isinstance(key, str) or key in (*CYCLES, "week"):
        return isinstance(key, str)
    if not (key[:1].isdigit() or key.startswith("W")):  # a letter may be a label
        return False
    try:
        _parse(key)
    except ConfigurationError:
        return False
    return True


def with_columns(by: By, frame: pd.DataFrame) -> By:
    """Return `by` with the names of columns of the frame replaced by the columns."""
    if isinstance(by, str):
        return frame[by] if by not in (*CYCLES, "week") and by in frame.columns else by
    named = isinstance(by, list | tuple) and 1 <= len(by) <= MOST_KEYS
    if named and all(isinstance(key, str) and key in frame.columns for key in cast(Any, by)):
        return [frame[key] for key in cast(Sequence[Any], by)]
    if several_keys(by, len(frame)):
        return [cast(Any, with_columns(cast(By, key), frame)) for key in cast(Sequence[Any], by)]
    return by


def is_whole(labels: pd.Index) -> bool:
    """Return whether these are the labels of a result of all records, in a single group."""
    return labels.name == _WHOLE.name and labels.equals(_WHOLE)


def _span(index: pd.DatetimeIndex, interval_s: float | Floats) -> float:
    """Return the seconds from the opening of the first row to the closing of the last."""
    if not len(index):
        return 0.0
    us = microseconds(index[[0, -1]])
    return float(us[1] - us[0]) / SECOND_US + float(np.ravel(interval_s)[0])


def _ordered(codes: Ints, labels: pd.Index, seconds: npt.NDArray[np.float64]) -> Groups:
    """Return groups of rows by code; rows of code -1 are in no group."""
    order = np.argsort(codes, kind="stable")
    order = order[np.searchsorted(codes[order], 0) :]
    sizes = np.bincount(codes[order], minlength=len(labels))
    return Groups(labels, np.concatenate([[0], np.cumsum(sizes)]), order, seconds)


def _frequency(by: str, columns: Iterable[str] = ()) -> str:
    """Return `by` if it is a width of a bin; otherwise it may be the name of a column."""
    try:
        _parse(by)
    except ConfigurationError:
        hint = near(by, [*CYCLES, "week", *map(str, columns)])
        raise ConfigurationError(
            f"by={by!r}{hint} is neither 'hour', 'weekday', 'weekend' or 'week', nor a width of a"
            " bin ('10min', '1h', '1D'), nor a column of the frame"
        ) from None
    return by


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows to group by parts of the calendar, and by several keys at once."""

    index: pd.DatetimeIndex
    interval_s: float | Floats
    stamp: str
    lone: Bools | None
    clock: LocalClock
    columns: list[str]

    def hours(self) -> Ints:
        """Return the local hour since 1970 in which the interval of each row lies."""
        # The inside of an interval is found in UTC: at a clock change its local time differs.
        inside = microseconds(self.index) - (self.stamp == "end")
        return self.clock.wall_us(inside) // HOUR_US

    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Return the local hours between the first and the last row: opening, closing, number."""
        us = microseconds(self.index[[0, -1]])
        at = 0 if self.stamp == "end" else -1
        width = round(float(np.ravel(self.interval_s)[at]) * SECOND_US)
        low, high = (us[0] - width, us[1]) if self.stamp == "end" else (us[0], us[1] + width)
        return self.clock.cells(int(low), int(high), HOUR_US)

    def cycles(self, by: str) -> Groups:
        """Return the recurring hours, weekdays or weekends with rows."""
        labels = cycle_labels(by)
        seconds: npt.NDArray[np.float64] = np.zeros(len(labels))
        if len(self.index):
            # The time that each of them has between the first and the last row.
            opens, closes, hours = self.cells()
            seconds = np.bincount(hour_codes(hours, by), closes - opens, len(labels)) / SECOND_US
        groups = _ordered(hour_codes(self.hours(), by), labels, seconds)
        return groups.keep(groups.sizes > 0)

    def combined(self, keys: Sequence[Any]) -> Groups:
        """Return the combinations of several keys that have rows, with one level for each.

        Each spans the time that it has between the first and the last row; with a key of labels,
        which give no information about the time without rows, the time of its rows.
        """
        opens, closes, hours = self._cut_cells(keys)
        parts = [self._key(key, opens, hours) for key in keys]
        names = [labels.name for _, labels, _ in parts]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ConfigurationError(f"by has the key {twice!r} twice: name each once")
        shape = tuple(len(labels) for _, labels, _ in parts)
        codes = _joined([rows for rows, _, _ in parts], shape)
        filled = np.unique(codes[codes >= 0])
        places = np.unravel_index(filled, shape)
        levels = [labels.take(at) for (_, labels, _), at in zip(parts, places, strict=True)]
        number = np.where(codes >= 0, np.searchsorted(filled, codes), -1)
        in_time = [cells for _, _, cells in parts if cells is not None]
        if len(in_time) < len(parts):
            rows_s = np.broadcast_to(self.interval_s, len(number))[number >= 0]
            seconds: Floats = np.zeros(len(filled))
            np.add.at(seconds, number[number >= 0], rows_s)
        else:
            cells = _joined(in_time, shape)
            inside = np.isin(cells, filled)
            at = np.searchsorted(filled, cells[inside])
            seconds = np.bincount(at, (closes - opens)[inside], len(filled)) / SECOND_US
        return _ordered(
            number, pd.MultiIndex.from_arrays(levels, names=names), seconds.astype(np.float64)
        )

    def _cut_cells(self, keys: Sequence[Any]) -> tuple[Ints, Ints, Ints]:
        """Return the cells, cut also at the edges of bins of less than a day."""
        if not len(self.index):
            return (np.zeros(0, dtype=np.int64),) * 3
        opens, closes, hours = self.cells()
        for key in keys:
            if isinstance(key, str) and key not in (*CYCLES, "week"):
                every = _frequency(key, self.columns)
                bins = time_groups(self.index, every, stamp=self.stamp, clock=self.clock)
                edges = cast(Ints, bins.opens_us)
                edges = edges[(edges > opens[0]) & (edges < closes[-1])]
                cuts = np.unique(np.concatenate([opens, edges]))
                hours = hours[np.searchsorted(opens, cuts, side="right") - 1]
                opens, closes = cuts, np.append(cuts[1:], closes[-1])
        return opens, closes, hours

    def _key(self, key: Any, opens: Ints, hours: Ints) -> tuple[Ints, pd.Index, Ints | None]:
        """Return the codes of the rows, the labels, and the codes of the cells of time."""
        if not isinstance(key, str):
            groups = _labels(self.index, key, self.interval_s)
            return groups.row_codes(len(self.index)), groups.labels, None
        if key in CYCLES:
            return hour_codes(self.hours(), key), cycle_labels(key), hour_codes(hours, key)
        every = "W" if key == "week" else _frequency(key, self.columns)
        groups = day_groups(
            self.index, stamp=self.stamp, every=every, lone=self.lone, clock=self.clock
        )
        labels = groups.labels.rename("week") if key == "week" else groups.labels
        kind, size = _parse(every)
        if not len(labels):
            cells = np.full(len(opens), -1, dtype=np.int64)
        elif kind == "span":
            cells = np.searchsorted(cast(Ints, groups.opens_us), opens, side="right") - 1
            cells[opens >= cast(Ints, groups.closes_us)[cells]] = -1
        else:
            day_numbers = microseconds(cast(pd.DatetimeIndex, labels)) // DAY_US
            days = _bin_dates(hours // 24, kind, size, int(day_numbers[0]))
            cells = pd.Index(day_numbers).get_indexer(pd.Index(days)).astype(np.int64)
        return groups.row_codes(len(self.index)), labels, cells


def _joined(codes: Sequence[Ints], shape: tuple[int, ...]) -> Ints:
    """Return one code for each combination; -1 where one of them is -1."""
    inside = np.logical_and.reduce([each >= 0 for each in codes])
    joined = np.ravel_multi_index([np.maximum(each, 0) for each in codes], shape)
    return np.where(inside, joined, -1).astype(np.int64)


def _labels(index: pd.DatetimeIndex, by: Any, interval_s: float | Floats) -> Groups:
    name = getattr(by, "name", None)
    values: Any = by
    if isinstance(by, pd.Series) and isinstance(by.index, pd.DatetimeIndex):
        values = by if by.index.equals(index) else by.reindex(index)
        if len(index) and len(by) and not by.index.isin(index).any():
            raise ConfigurationError("by holds no label for any stamp of the frame")
    if len(values) != len(index):
        raise ConfigurationError(
            f"by holds {len(values)} labels for {len(index)} rows: give one label per row"
        )
    kinds = pd.Categorical(values)
    codes = np.asarray(kinds.codes, dtype=np.int64)
    rows_s = np.broadcast_to(interval_s, len(codes))[codes >= 0]
    seconds: Floats = np.zeros(len(kinds.categories))
    np.add.at(seconds, codes[codes >= 0], rows_s)
    labels = kinds.categories.rename(name if name is not None else "group")
    groups = _ordered(codes, labels, seconds)
    return groups.keep(groups.sizes > 0)
