"""Groups: any way to sort rows, by time or by label, and the statistics of each group.

A summary is a table of statistics, evaluated on the sums of each group. ``by="weekday"`` and the
like are defined here, for every ``by=``.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import near, role, role_field
from eyelog.clock import DAY_US, HOUR_US, THURSDAY, LocalClock, microseconds
from eyelog.errors import ConfigurationError, FieldError, warn
from eyelog.frame import ACCOUNT, OFFSET, derived, how_to_index, one_of_many, require
from eyelog.judge.arrays import Floats, Ints, direction, numbers
from eyelog.judge.intervals import Groups, Rows, bins, parse_width, refuse_wide, sums
from eyelog.judge.limits import Limits
from eyelog.judge.terms import Columns, ratio
from eyelog.measure.columns import rows_of

By = str | pd.Series | npt.NDArray[Any] | pd.Index | Sequence[Hashable | pd.Series] | None

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FRIDAY: Final = 4
# Recurring parts of time, with the labels of each: hours of day, weekdays from Monday on, and
# weekdays and weekends
CYCLES: Final[Mapping[str, pd.Index]] = {
    "hour": pd.RangeIndex(24, name="hour"),
    "weekday": pd.RangeIndex(7, name="weekday"),
    "weekend": pd.Index(["weekday", "weekend"], name="weekend", dtype="str"),
}
MOST_KEYS: Final = 6  # a longer list has a label for each row
DATED: Final = {"day": "1D", "week": "W"}  # the names of an index of calendar dates
TIMES: Final = (*CYCLES, *DATED)
WHOLE: Final = pd.Index(["all"], name="group")


def group(rows: Rows, by: By, *, empty: bool = False) -> Groups:
    """Return the groups of a summary.

    Parameters
    ----------
    rows : Rows
        What passed the door.
    by : None, str, Series, array, or a list of keys
        None: all rows, as one group. ``"day"`` or ``"week"``: with records, named by the date of
        their first day. ``"hour"``: the local hour of day, 0 to 23. ``"weekday"``: 0 (Monday) to 6.
        ``"weekend"``: ``weekday`` or ``weekend``. A width (``"10min"``, ``"1h"``, ``"7D"``): bins
        that hold records, named by when they open. The name of a column, a Series by stamp, or as
        many values as rows: a label for each row; rows without a label are in no group. Several of
        these in a list: the combinations that have rows.
    empty : bool
        Whether the bins, days or weeks without records between the first and the last are groups.

    Raises
    ------
    ConfigurationError
        If `by` is not one of these, or the numbers of labels and rows differ.
    """
    keys = [by] if isinstance(by, str) and by in DATED else _keys(by, rows.given)
    key = keys[0]
    if key is None and len(keys) == 1:
        seconds = rows.asked_s(rows.opens_us[:1], rows.closes_us[-1:]) if rows.size else np.zeros(1)
        return Groups(WHOLE, np.zeros(rows.size, np.int64), seconds)
    if len(keys) > 1 or not isinstance(key, str) or key in CYCLES:
        return _combined(rows, keys)
    found = bins(rows, DATED.get(key) or _width(rows, key), empty=empty)
    if rows.cut:
        found = replace(found, seconds=rows.asked_s(found.opens_us, found.closes_us))
    if found.labels.name == "date":
        return found
    # A fetch selects by stamp, so its first record closes the day before: days and weeks with no
    # other record are left out.
    _, closes, _, day = rows.days()
    before = (
        numbers(rows.frame["before_n"], "before_n") if rows.made else rows.closes_us < closes[day]
    )
    kept = np.bincount(found.codes, before, len(found.labels)) > 0
    if empty:
        kept = np.logical_or.accumulate(kept) & np.logical_or.accumulate(kept[::-1])[::-1]
    return found if kept.all() else found.keep(kept)


def is_whole(labels: pd.Index) -> bool:
    """Return whether these are the labels of a result of all records, in a single group."""
    return labels.name == WHOLE.name and labels.equals(WHOLE)


def _keys(by: Any, frame: pd.DataFrame) -> list[Any]:
    """Return the keys of a grouping, of which a list may be several, or a label for each row."""
    if not isinstance(by, list | tuple) or not 1 <= len(by) <= MOST_KEYS:
        named = isinstance(by, str) and by not in TIMES and by in frame.columns
        return [frame[by] if named else by]
    texts = all(isinstance(key, str) for key in by)
    if texts and {*by} <= {*frame.columns}:
        return [frame[key] for key in by]
    if not texts and not all(isinstance(key, str | pd.Series) for key in by):
        return [by]
    keys = any(isinstance(key, pd.Series) or _is_time(key) for key in by)
    if not keys and (len(by) == len(frame) or len({*by}) < len(by)):  # labels occur more than once
        return [by]
    return [each for key in by for each in _keys(key, frame)]


def _is_time(key: str) -> bool:
    """Return whether a key is a part of the calendar or a width of a bin."""
    if key in TIMES:
        return True
    if not (key[:1].isdigit() or key.startswith("W")):  # a letter may be a label
        return False
    try:
        parse_width(key)
    except ConfigurationError:
        return False
    return True


def _width(rows: Rows, by: str) -> str:
    """Return the width of the bins that a key asks for."""
    try:
        parse_width(by)
    except ConfigurationError:
        hint = near(by, [*TIMES, *map(str, rows.given.columns)])
        raise ConfigurationError(
            f"by={by!r}{hint} is neither 'day', 'week', 'hour', 'weekday' or 'weekend', nor a width"
            " of a bin ('10min', '1h', '7D'), nor a column of the frame"
        ) from None
    return by


def _labels(rows: Rows, by: Any) -> tuple[Ints, pd.Index]:
    """Return the code of each row by its label, and the labels."""
    index, values = rows.given.index, by
    if isinstance(by, pd.Series) and isinstance(by.index, pd.DatetimeIndex):
        values = by
        if not by.index.equals(index):
            values, without = by.reindex(index), int((~index.isin(by.index)).sum())
            if without and without == len(index) and len(by):
                raise ConfigurationError("by holds no label for any stamp of the frame")
            if without:
                warn(
                    f"by has no label for the stamps of {without:,} of {len(index):,} rows, which"
                    " are left out: give a label for each row of the table that you pass"
                )
    elif rows.order is not None and len(by) == len(index):
        values = pd.Series(by).reset_index(drop=True).take(rows.order)
    if not hasattr(values, "__len__"):
        raise ConfigurationError(f"by takes a name or one label per row, not {by!r}")
    if len(values) != len(index):
        raise ConfigurationError(
            f"by holds {len(values)} labels for {len(index)} rows: give one label per row"
        )
    kinds = pd.Categorical(values)
    name = getattr(by, "name", None)
    labels = kinds.categories.rename(name if name is not None else "group")
    codes = np.asarray(kinds.codes, dtype=np.int64)
    # 15 seconds of packets have the label of their first.
    return codes if rows.firsts is None else codes[rows.firsts], labels


def _cycle(rows: Rows, by: str, us: Ints) -> Ints:
    """Return the number of the hour, weekday or part of the week at instants."""
    clock = rows.clock if by == "hour" else rows.day_clock
    hours = clock.wall_us(us) // HOUR_US
    if by == "hour":
        return hours % 24
    weekday = (hours // 24 + THURSDAY) % 7
    return weekday if by == "weekday" else (weekday > FRIDAY).astype(np.int64)


def _combined(rows: Rows, keys: Sequence[Any]) -> Groups:
    """Return the combinations of keys that have rows, with one level for each of several.

    Each lasts for the time that it has between the first and the last row; with a key of labels,
    which say nothing about the time without rows, for the time of its rows.
    """
    # With labels the time without rows does not count.
    dated = all(isinstance(key, str) for key in keys)
    opens, closes = rows.opens_us[:0], rows.closes_us[:0]
    if dated and rows.size:  # the time of all rows is cut at each hour, day and bin of the keys
        low, high = int(rows.opens_us[0]), int(rows.closes_us[-1])
        edges = [rows.clock.cells(low, high, HOUR_US)[0], rows.days()[0]]
        for key in keys:
            if key not in CYCLES:
                found = bins(rows, DATED.get(key) or _width(rows, key))
                edges += [found.opens_us, found.closes_us]
        cuts = np.unique(np.concatenate(edges))
        opens = cuts[(cuts >= low) & (cuts < high)]
        closes = np.append(opens[1:], high)
    parts = [_key(rows, key, opens) for key in keys]
    names = [labels.name for _, labels, _ in parts]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigurationError(f"by has the key {twice!r} twice: name each once")
    shape = tuple(max(len(labels), 1) for _, labels, _ in parts)
    codes = _joined([of_rows for of_rows, _, _ in parts], shape)
    filled = np.unique(codes[codes >= 0])
    places = np.unravel_index(filled, shape)
    levels = [labels.take(at) for (_, labels, _), at in zip(parts, places, strict=True)]
    number = np.where(codes >= 0, np.searchsorted(filled, codes), -1)
    own, length = number, rows.span_s
    if dated:
        joined, length = _joined([cells for *_, cells in parts], shape), rows.asked_s(opens, closes)
        own = np.where(np.isin(joined, filled), np.searchsorted(filled, joined), -1)
    seconds = np.bincount(own[own >= 0], length[own >= 0], len(filled)).astype(np.float64)
    several = len(keys) > 1
    labels = pd.MultiIndex.from_arrays(levels, names=names) if several else levels[0]
    return Groups(labels, number, seconds)


def _key(rows: Rows, key: Any, opens: Ints) -> tuple[Ints, pd.Index, Ints]:
    """Return the codes of the rows, the labels, and the codes of the cells of time."""
    if not isinstance(key, str):
        return *_labels(rows, key), opens
    if key in CYCLES:
        if key == "hour":
            width = HOUR_US
            ends = rows.opens_us + HOUR_US - rows.clock.wall_us(rows.opens_us) % HOUR_US
        else:
            width, (_, closes, _, day) = DAY_US, rows.days()
            ends = closes[day]
        refuse_wide(rows, key, ends, width)
        return _cycle(rows, key, rows.opens_us), CYCLES[key], _cycle(rows, key, opens)
    groups = group(rows, key)
    begin, end = groups.opens_us, groups.closes_us
    if not len(groups.labels):
        return groups.codes, groups.labels, np.full(len(opens), -1, dtype=np.int64)
    cells = np.maximum(np.searchsorted(begin, opens, side="right") - 1, 0)
    inside = (opens >= begin[cells]) & (opens < end[cells])
    return groups.codes, groups.labels, np.where(inside, cells, -1)


def _joined(codes: Sequence[Ints], shape: tuple[int, ...]) -> Ints:
    """Return one code for each combination; -1 where one of them is -1."""
    inside = np.logical_and.reduce([each >= 0 for each in codes])
    joined = np.ravel_multi_index([np.maximum(each, 0) for each in codes], shape)
    return np.where(inside, joined, -1).astype(np.int64)


def calendar_dates(table: pd.DataFrame | pd.Series, *, what: str) -> pd.DatetimeIndex | None:
    """Return the calendar dates that index a table, or None if it is indexed by stamps.

    Dates are naive midnights in any unit, `datetime.date`, or the index ``day`` or ``week`` of an
    older file, whose midnights have a zone: these are read as their local dates.

    Raises
    ------
    ConfigurationError
        If the index is neither, or has a missing date.
    """
    index = table.index
    if isinstance(index, pd.MultiIndex):
        raise ConfigurationError(
            f"{what} takes the days of one wearer, not a table indexed by"
            f" {' and '.join(map(str, index.names))}: pass {one_of_many(index)}"
        )
    if index.inferred_type == "date":
        index = pd.DatetimeIndex(index, name=index.name)
    if not isinstance(index, pd.DatetimeIndex):
        raise ConfigurationError(
            f"{what} needs dates or time-zone aware stamps as the index, not {index.dtype}:"
            f" pass {how_to_index(table, 'table')}"
        )
    if index.tz is not None:
        if index.name not in DATED:
            return None
        index = index.tz_localize(None).normalize()
    dates = index.as_unit("us")
    if dates.hasnans:
        raise ConfigurationError(f"{what}: a date of the index is missing")
    if not (dates == dates.normalize()).all():
        raise ConfigurationError(
            f"{what}: the index has times of day without a zone, where it needs dates or"
            " time-zone aware stamps: pass table.tz_localize('Asia/Tokyo')"
        )
    return dates


def keyed(
    table: pd.DataFrame, by: Any, *, what: str, one: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    """Return a table of days with a column for each key of `by`, and the names of these columns.

    Parameters
    ----------
    table : DataFrame
        The days of a wearer, or of many, with ``account`` in the index or in a column.
    by : str, Series, or a list of them
        As in `group`; a Series may give a label for each row, each day or each wearer.
    what : str
        The function that asks.
    one : bool
        Whether several keys become one column, with their labels side by side.

    Raises
    ------
    ConfigurationError
        If a key is not one of these, or needs dates that the table does not have.
    """
    dates: Any = table.index.get_level_values(-1)
    if not isinstance(dates, pd.DatetimeIndex) and "day" in table.columns:
        dates = pd.Index(table["day"])
    if isinstance(dates, pd.DatetimeIndex):
        dates = dates.tz_localize(None).normalize().as_unit("us")
    columns: dict[str, Any] = {}
    for key in by if isinstance(by, list | tuple) else [by]:
        if isinstance(key, pd.Series):
            columns[str(key.name or "group")] = _labels_of_days(table, dates, key, what)
        elif not isinstance(key, str):
            raise ConfigurationError(
                f"{what}: by takes 'day', 'week', 'weekday', 'weekend', a width in days ('7D'), a"
                f" column, a Series of labels, or a list of these, not {key!r}"
            )
        elif key in table.columns and key not in TIMES:
            columns[key] = table[key].array
        else:
            # The days as rows of a summary.
            dated = isinstance(dates, pd.DatetimeIndex)
            days = dates.unique().sort_values() if dated else pd.DatetimeIndex([])
            us, clock = microseconds(days.as_unit("us")), LocalClock(None)
            time = pd.DataFrame({"span_s": DAY_US / 1e6, "before_n": 1.0}, index=days)
            given = time.reindex(columns=table.columns)
            rows = Rows(time, what, "", Limits(), us, us + DAY_US, clock, clock, True, None, given)
            groups = group(rows, key)
            if not dated:
                raise ConfigurationError(
                    f"{what}: by={key!r} needs the day of each row, in the index"
                )
            if groups.labels.name in ("hour", "date"):
                raise ConfigurationError(f"{what}: the rows are days, which have no by={key!r}")
            columns[key] = groups.labels.take(groups.codes[days.get_indexer(dates)])
    if one and len(columns) > 1:
        labels = pd.DataFrame(columns)
        joined = labels.astype("str").agg(", ".join, axis=1).where(labels.notna().all(axis=1))
        columns = {", ".join(columns): joined.array}
    made = table.assign(**columns)
    made.attrs = table.attrs
    return made, list(columns)


def _labels_of_days(table: pd.DataFrame, dates: pd.Index, labels: pd.Series, what: str) -> Any:
    """Return the label of each row of a table of days, given by row, by day or by wearer."""
    if labels.index.equals(table.index):
        return labels.array
    keys: list[pd.Index] = [dates] if isinstance(dates, pd.DatetimeIndex) else []
    if ACCOUNT in table.index.names:
        keys.append(table.index.get_level_values(ACCOUNT))
    elif ACCOUNT in table.columns:
        keys.append(pd.Index(table[ACCOUNT]))
    for key in keys:
        if labels.index.is_unique and key.isin(labels.index).any():
            return labels.reindex(key).array
    raise ConfigurationError(
        f"{what}: the labels of by are for other rows: index them by the days, the wearers or the"
        " rows of the table"
    )


PER_MIN: Final = 1.0 / 60.0
GROUP_S: Final = "group_s"
"""How long a group lasts, beside its sums."""


class Statistic(NamedTuple):
    """A column of a summary, a row of ``statistics.csv``: a function of sums, times a constant.

    Attributes
    ----------
    name : str
        The column; its label, unit and meaning are in ``columns.csv``.
    form : str
        What it is of its sums, see `FORMS`.
    sums : tuple of str
        Columns of Intervals; of a ratio, what is divided and what it is divided by.
    times : float
        What the result is multiplied by.
    """

    name: str
    form: str
    sums: tuple[str, ...]
    times: float = 1.0


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


def as_counts(values: Floats) -> Ints:
    """Return counts as int64; missing is 0."""
    return np.rint(np.nan_to_num(values)).astype(np.int64)


def spread(total: Floats, squares: Floats, number: Floats) -> Floats:
    """Return the population SD from sums of values and of their squares."""
    mean = ratio(total, number)
    variance = ratio(squares, number) - mean * mean
    # What is left of equal values is rounding.
    return np.sqrt(np.where(variance < 1e-14 * mean * mean, 0.0, variance))


def sample_sd(total: Floats, squares: Floats, number: Floats) -> Floats:
    """Return the SD of single values, with n - 1."""
    freedom = np.where(number > 1, number - 1, np.nan)
    return np.asarray(spread(total, squares, number) * np.sqrt(ratio(number, freedom)))


def sd_about_direction(
    east: Floats, north: Floats, number: Floats, total: Floats, squares: Floats
) -> Floats:
    """Return the SD of angles about their mean direction.

    The angles of worn eyewear lie far within half a turn of one another, so that sums of the angles
    themselves give it.
    """
    centre = direction(east, north, number)
    mean, square = ratio(total, number), ratio(squares, number)
    variance = square - 2.0 * centre * mean + centre * centre
    # What is left of equal angles is rounding.
    scale = square + centre * centre
    return np.asarray(np.sqrt(np.where(variance < 1e-13 * scale, 0.0, variance)), np.float64)


FORMS: Final[Mapping[str, Callable[..., Any]]] = {
    "amount": np.asarray,
    "exposure": np.nan_to_num,  # 0, not missing, where there is nothing
    "counts": as_counts,
    "direction": direction,
    "ratio": ratio,
    "root": lambda above, below: np.sqrt(ratio(above, below)),
    "sum_of_ratios": lambda above, below, *others: ratio(above, below) + ratio(*others),
    # Of time; one record more than fits may open in it.
    "share": lambda above, below: np.minimum(ratio(np.nan_to_num(above), below), 1.0),
    "covered": lambda above, below: np.nan_to_num(FORMS["share"](above, below)),
    # Steps per minute; 0 without a step.
    "pace": lambda n, time_s, steps: np.where(steps == 0, 0.0, 60.0 * ratio(n, time_s)),
    "spread": spread,
    "sample_sd": sample_sd,
    "sd_about_direction": sd_about_direction,
    # Of the means of records; missing for a single one, which does not vary.
    "sd_between": lambda *sums: np.where(sums[3] > 1, spread(*sums[:3]), np.nan),
    "cv_between": lambda *sums: np.where(
        sums[3] > 1, ratio(spread(*sums[:3]), ratio(sums[0], sums[2])), np.nan
    ),
    # From the SDs within records, and that between their means.
    "sd_of_all": lambda squares, *sums: np.hypot(np.sqrt(ratio(squares, sums[2])), spread(*sums)),
    "sd_of_all_angles": lambda squares, *sums: np.hypot(
        np.sqrt(ratio(squares, sums[2])), sd_about_direction(*sums)
    ),
}
"""What a statistic is, as a function of its sums."""


def _read() -> Mapping[str, tuple[Statistic, ...]]:
    """Return the statistics of each summary, as ``statistics.csv`` lists them."""
    found: dict[str, tuple[Statistic, ...]] = {}
    for row in rows_of("statistics.csv"):
        above, _, below = row["times"].partition("/")
        times, sums_of = float(above or 1) / float(below or 1), tuple(row["sums"].split())
        made = Statistic(row["name"], row["form"], sums_of, times)
        for summary in row["of"].split():
            found[summary] = (*found.get(summary, ()), made)
    return MappingProxyType(found)


STATISTICS: Final = _read()


def evaluate(statistics: Iterable[Statistic], total: Columns) -> dict[str, Any]:
    """Return the statistics of each group; those without their sums are left out."""
    data: dict[str, Any] = {}
    for name, form, names, times in statistics:
        if total.keys() >= set(names):
            values = FORMS[form](*[total[each] for each in names])
            data[name] = values if times == 1.0 else values * times
    return data


def summed(
    rows: Rows,
    by: By,
    subjects: Iterable[str],
    terms: Iterable[str],
    parts: Iterable[str],
    cleansing: str | None = None,
) -> tuple[Groups, Columns]:
    """Return the groups of a summary, and the sums of each.

    Raises
    ------
    FieldError
        If the rows lack some `terms`, with the names of the fields to add, by their roles, `parts`.
    """
    lacking = sorted(set(terms) - set(rows.names))
    if lacking:
        if rows.log:
            fields = role(rows.log, *parts, cleansing=cleansing)
            # Without fields for it, this log is the wrong one: the message says which has them.
            fields = fields or tuple(role_field(rows.log, part) for part in parts)
            require(rows.given, fields, purpose=rows.what)
        raise FieldError(
            f"{rows.what} needs {', '.join(map(repr, lacking))}, which these Intervals do not have:"
            " make them from records with the fields"
        )
    groups = group(rows.warn(), by)
    total = sums(rows, groups, subjects)
    return groups, total | {GROUP_S: groups.seconds}


def result(rows: Rows, groups: Groups, data: Mapping[str, Any], **details: Any) -> pd.DataFrame:
    """Return a summary with its groups as the index, and the step in its history.

    Where the zone varies, bins of less than a day keep the wearer's clock, ``utc_offset_min``.
    """
    table = pd.DataFrame(dict(data), index=groups.labels)
    aware = isinstance(groups.labels, pd.DatetimeIndex) and groups.labels.tz is not None
    if rows.clock.tz is None and aware and len(groups.opens_us) == len(table):
        table[OFFSET] = rows.clock.offset_min(groups.opens_us)
    known: dict[str, Any] = {"stamp": "start"} if aware else {}
    known |= {
        "limits": rows.limits.details(),
        "tz": None if rows.clock.tz is None else str(rows.clock.tz),
        "days": rows.first_and_last,
    }
    log = rows.log or None
    return derived(table, rows.frame, rows.what, log=log, interval_s=None, **known | details)
