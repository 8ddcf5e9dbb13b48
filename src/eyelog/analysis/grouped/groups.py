"""Groups of rows of a sorted table: bins of time, local days, clock hours, labels.

Bins are right-closed, as intervals are: a record stamped 10:00:00 covers the interval before it.
They are cut at each local midnight, so that no bin contains parts of two days, even on days of 23
or 25 hours.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.tseries.frequencies import to_offset

from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.analysis.series.calendar import CYCLES, cycle_codes, cycle_labels
from eyelog.analysis.series.observed import stamps_at
from eyelog.clock import check_stamp, day_start, local_days, microseconds
from eyelog.errors import ConfigurationError

__all__ = ["By", "Groups", "bin_seconds", "day_groups", "group_by", "is_whole", "time_groups"]

By = str | pd.Series | npt.NDArray[Any] | pd.Index | list[Hashable] | None

SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US
# All offsets have been whole quarters of an hour since zones became national; older ones only shift
# the edges of the first and last hour expected for an hour of day.
QUARTER_US = 900 * SECOND_US

_WHOLE = pd.Index(["all"], name="group")


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
        rows before and after all groups have to go.
    seconds : array of float64
        Seconds that each group spans.
    memo : list
        A cache of the reductions for these groups, since many columns are missing together.
    """

    labels: pd.Index
    bounds: Ints
    order: Ints | slice | None
    seconds: npt.NDArray[np.float64]
    memo: list[tuple[Any, Any]] = field(default_factory=list, repr=False, compare=False)

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

    def arrange(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return `values` in the order of the groups, without the rows outside all groups."""
        return values if self.order is None else values[self.order]

    def only(self, rows: npt.NDArray[np.bool_]) -> "Groups":
        """Return the same groups with only the chosen `rows`, given in the order of the table."""
        inside = self.arrange(rows)[: self.bounds[-1]]
        order = self.rows(len(rows))[: self.bounds[-1]][inside]
        sizes = np.bincount(self.codes[inside], minlength=len(self))
        return Groups(self.labels, np.concatenate([[0], np.cumsum(sizes)]), order, self.seconds)

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
        return Groups(self.labels[chosen], bounds, order, self.seconds[chosen])

    def rows(self, number: int) -> Ints:
        """Return the rows in the order of the groups; without an order, the first `number`."""
        if isinstance(self.order, slice):
            return np.arange(self.order.start, self.order.stop)
        return np.arange(number) if self.order is None else self.order


def _stamps(us: Ints, tz: Any, name: str) -> pd.DatetimeIndex:
    return stamps_at(us, tz).rename(name)


def _midnights(first: pd.Timestamp, last: pd.Timestamp, tz: Any) -> Ints:
    """Return the local midnights from the day of `first` to the one after the day of `last`."""
    days = pd.date_range(first, last + timedelta(days=1), freq="D", unit="us")
    # A whole day that a zone skipped (Apia, 2011-12-30) opens and closes at the same instant;
    # pandas would shift its midnight to one o'clock of the next day.
    prepared = pd.DatetimeIndex([day_start(day, tz) for day in days.date]).as_unit("us")
    return np.unique(microseconds(prepared))


def _day_edges(index: pd.DatetimeIndex, stamp: str) -> Ints:
    # A day whose midnight is skipped opens at one o'clock; only its date is used.
    days = local_days(index[[0, -1]], stamp=stamp).tz_localize(None).normalize()
    return _midnights(days[0], days[1], index.tz)


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


def _edges(index: pd.DatetimeIndex, every: Any, stamp: str) -> tuple[Ints, Ints]:
    """Return the openings and closings of the bins from the first row to the last."""
    kind, size = _parse(every)
    days = _day_edges(index, stamp)
    if kind == "days":
        edges = days[::size]
        if (len(days) - 1) % size:
            final = _stamps(days[-1:], index.tz, "day").tz_localize(None).normalize()
            missing = timedelta(days=size - (len(days) - 1) % size)
            edges = np.append(edges, _midnights(final[0], final[0] + missing, index.tz)[-2])
        return edges[:-1], edges[1:]
    if kind == "weeks":
        local = _stamps(days[:1], index.tz, "day").tz_localize(None).normalize()[0]
        last = _stamps(days[-2:-1], index.tz, "day").tz_localize(None).normalize()[0]
        opens = local - timedelta(days=(local.weekday() - size - 1) % 7)
        weeks = pd.date_range(opens, last + timedelta(days=7), freq="7D", unit="us")
        early = np.ones(len(weeks), dtype=bool)
        zoned = weeks.tz_localize(index.tz, ambiguous=early, nonexistent="shift_forward")
        edges = microseconds(zoned.tz_convert("UTC"))
        return edges[:-1], edges[1:]
    counts = -(-np.diff(days) // size)
    nth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    opens = np.repeat(days[:-1], counts) + nth * size
    closes = np.minimum(opens + size, np.repeat(days[1:], counts))
    us = microseconds(index[[0, -1]])
    # (opens, closes] if the stamp closes its interval, [opens, closes) if it opens it.
    first, last = np.searchsorted(closes, us, side="left" if stamp == "end" else "right")
    return opens[first : last + 1], closes[first : last + 1]


def time_groups(
    index: pd.DatetimeIndex, every: Any, *, stamp: str = "end", label: str = "stamp"
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
        Label bins by their stamp under the same rule, or (``"auto"``) bins of days and weeks by the
        local midnight that opens them.
    """
    check_stamp(stamp)
    kind, _ = _parse(every)
    opening = stamp == "start" or (label == "auto" and kind != "span")
    name = "day" if label == "auto" and kind != "span" else "date"
    if not len(index):
        none = np.zeros(0, dtype=np.int64)
        return Groups(
            _stamps(none, index.tz, name), np.zeros(1, np.int64), None, none.astype(float)
        )
    opens, closes = _edges(index, every, stamp)
    side: Literal["left", "right"] = "right" if stamp == "end" else "left"
    inner = np.searchsorted(microseconds(index), closes, side=side)
    return Groups(
        labels=_stamps(opens if opening else closes, index.tz, name),
        bounds=np.concatenate([[0], inner]).astype(np.int64),
        order=None,
        seconds=(closes - opens) / SECOND_US,
    )


def day_groups(
    index: pd.DatetimeIndex,
    *,
    stamp: str = "end",
    every: Any = "1D",
    lone: npt.NDArray[np.bool_] | None = None,
) -> Groups:
    """Return the local days (or other bins) with rows, days named by the midnight that opens them.

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
    """
    groups = time_groups(index, every, stamp=stamp, label="auto")
    chosen = groups.sizes > 0
    if stamp == "end" and groups.labels.name == "day" and len(groups):
        closes = microseconds(cast(pd.DatetimeIndex, groups.labels)) + np.rint(
            groups.seconds * SECOND_US
        ).astype(np.int64)
        firsts = np.minimum(groups.bounds[:-1], max(len(index) - 1, 0))
        alone = (groups.sizes == 1) & (microseconds(index)[firsts] == closes)
        if lone is not None:
            alone &= lone[firsts]
        chosen &= ~alone
    return groups.keep(chosen)


def group_by(
    index: pd.DatetimeIndex,
    by: By,
    *,
    interval_s: float | Floats,
    stamp: str = "end",
    lone: npt.NDArray[np.bool_] | None = None,
) -> Groups:
    """Return the groups of a summary.

    Parameters
    ----------
    index : DatetimeIndex
        Aware and sorted.
    by : None, str, Series or array
        None: all rows, as one group. ``"hour"``: the local hour of day, 0 to 23. ``"weekday"``: 0
        (Monday) to 6. ``"weekend"``: ``weekday`` or ``weekend``. ``"week"``: ISO weeks with
        records, named by the local midnight of their Monday. A pandas frequency: bins that hold
        records; days and weeks named by the local midnight that opens them, shorter bins by their
        stamp. A Series by stamp, or as many values as rows: a label for each row (the context);
        rows without a label are in no group.
    interval_s : float or array
        Seconds of one row, or of each row.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    lone : array of bool, optional
        As in `day_groups`.

    Raises
    ------
    ConfigurationError
        If `by` is not one of these, or the numbers of labels and rows differ.
    """
    check_stamp(stamp)
    if by is None:
        bounds = np.array([0, len(index)], dtype=np.int64)
        seconds = _span(index, interval_s)
        return Groups(_WHOLE, bounds, None, np.array([seconds]))
    if isinstance(by, str) and by in CYCLES:
        return _cycles(index, by, interval_s, stamp)
    if isinstance(by, str) and by == "week":
        weeks = day_groups(index, stamp=stamp, every="W", lone=lone)
        return replace(weeks, labels=weeks.labels.rename("week"))
    if isinstance(by, str):
        return day_groups(index, stamp=stamp, every=_frequency(by), lone=lone)
    return _labels(index, by, interval_s)


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


def _frequency(by: str) -> str:
    """Return `by` if it is a width of a bin; otherwise it may be the name of a column."""
    try:
        _parse(by)
    except ConfigurationError:
        raise ConfigurationError(
            f"by={by!r} is neither 'hour', 'weekday', 'weekend' or 'week', nor a width of a bin"
            " ('10min', '1h', '1D'), nor a column of the frame"
        ) from None
    return by


def _cycles(index: pd.DatetimeIndex, by: str, interval_s: float | Floats, stamp: str) -> Groups:
    # The inside of an interval is found in UTC: at a clock change its local clock time differs.
    inside = index - timedelta(microseconds=1) if stamp == "end" else index
    codes, labels = cycle_codes(inside, by), cycle_labels(by)
    seconds: npt.NDArray[np.float64] = np.zeros(len(labels))
    if len(index):
        # The time that each of them has between the first and the last row.
        us = microseconds(index[[0, -1]])
        width = round(float(np.ravel(interval_s)[0 if stamp == "end" else -1]) * SECOND_US)
        low, high = (us[0] - width, us[1]) if stamp == "end" else (us[0], us[1] + width)
        opens = np.arange(low // QUARTER_US * QUARTER_US, high, QUARTER_US)
        part = np.minimum(opens + QUARTER_US, high) - np.maximum(opens, low)
        np.add.at(seconds, cycle_codes(_stamps(opens, index.tz, "date"), by), part / SECOND_US)
    groups = _ordered(codes, labels, seconds)
    return groups.keep(groups.sizes > 0)


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
