"""The door for one quantity: its rows, judged where they are records, with the wearer's clock.

A quantity is a column of a table, or a Series. A column of records is judged here, as every summary
judges, and its stamps close their rows. Everything else has been judged, or is a person's own, and
is taken as it is: its stamps open their rows, as in every table by time that eyelog makes. The
history of a table may make these functions refuse, but never changes a number.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeAlias, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import catalogue, known_logs, log_named, near
from eyelog.checks import duration_us
from eyelog.clock import DAY_US, HOUR_US, LocalClock, microseconds
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from eyelog.frame import (
    ACCOUNT,
    OFFSET,
    RECORDED,
    clock_of,
    history,
    how_to_index,
    interval_seconds,
    is_resampled,
    log_of,
    one_of_many,
    stated_log,
)
from eyelog.judge import intervals as door
from eyelog.judge.arrays import Bools, Floats, Ints, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.groups import By, group

SHORTEST_DAY_US: Final = 22 * HOUR_US  # the shortest local day, where the clock goes forward by two
# Index names of tables by date, and the days of a row.
PERIODS = {"day": 1, "week": 7}
# The column of a table that says how many hours a row is based on, and how many make an hour.
EXPOSURES: Final = {"worn_h": 1.0, "exposure_min": 60.0, "recorded_h": 1.0}
# How far the usual distance of two rows may be from whole lengths of a row.
DRIFT: Final = 0.1
JUDGING: Final = ("mask", "select", "states")
# Steps after which a row is still a record.
OF_RECORDS: Final = (
    *("fetch", "read", "import", "decode", "archive", "simulate", "recompute"),
    *(*JUDGING, "flag"),
)
EVIDENCE: Final = ("wear", "power", "time")  # kinds of fields that are never masked by others

Quantity: TypeAlias = "pd.Series[Any] | pd.DataFrame"


@dataclass(frozen=True)
class Rows:
    """The rows of a quantity in order of time, or those of them that have a value.

    Attributes
    ----------
    values : array of float64
        The values, NaN where missing.
    index : DatetimeIndex
        Their stamps (aware), or the dates that name them (naive).
    name : str
        The name of the quantity; "" if it has none.
    step_us : int
        Length of one row, 0 if it is unknown.
    opens_us, closes_us : array of int64
        When each row opens and closes, in microseconds; rows never overlap.
    hours : array of float64
        Hours that each row is based on, NaN where that is not known.
    shares : array of float64
        The coverage of each row: what the table states, else 1.
    span : float
        How many rows fit into the time from the first row to the last.
    clock : LocalClock
        The wearer's clock.
    log : str or None
        The log that the columns of the table show.
    """

    values: Floats
    index: pd.DatetimeIndex
    name: str
    step_us: int
    opens_us: Ints
    closes_us: Ints
    hours: Floats
    shares: Floats
    span: float
    clock: LocalClock
    log: str | None

    @property
    def us(self) -> Ints:
        """The stamps in microseconds."""
        return microseconds(self.index)

    @cached_property
    def opens(self) -> pd.DatetimeIndex:
        """What the local clock shows when each row opens; naive."""
        return self.wall(self.opens_us)

    @cached_property
    def middles(self) -> pd.DatetimeIndex:
        """What the local clock shows in the middle of each row; naive."""
        return self.wall(self.opens_us + (self.closes_us - self.opens_us) // 2)

    @cached_property
    def dates(self) -> Ints:
        """The local date on which each row opens, as the days since 1970."""
        return np.asarray(microseconds(self.opens) // DAY_US, dtype=np.int64)

    def wall(self, us: Ints) -> pd.DatetimeIndex:
        """Return what the local clock shows at instants; naive."""
        return pd.DatetimeIndex(self.clock.wall_us(us).view("datetime64[us]"))

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.values)

    @property
    def exposure_h(self) -> float:
        """Hours that the rows are based on."""
        return float(self.hours.sum())

    @property
    def coverage(self) -> float:
        """Share of the span that the rows cover."""
        return float(min(1.0, self.shares.sum() / self.span)) if self.span else 0.0

    @property
    def behind(self) -> dict[str, Any]:
        """What every result says of the data behind it."""
        return {"n": self.n, "exposure_h": self.exposure_h, "coverage": self.coverage}

    def keep(self, chosen: Bools) -> "Rows":
        """Return some of the rows; their span stays that of all."""
        return replace(
            self,
            values=self.values[chosen],
            index=self.index[chosen],
            opens_us=self.opens_us[chosen],
            closes_us=self.closes_us[chosen],
            hours=self.hours[chosen],
            shares=self.shares[chosen],
        )


def observed(table: Quantity, column: Any, *options: Any, **named: Any) -> Rows:
    """Return the rows of a quantity that have a value; the options are those of `rows_of`."""
    rows = rows_of(table, column, *options, **named)
    return rows.keep(np.isfinite(rows.values))


def rows_of(
    table: Quantity,
    column: Any,
    what: str,
    limits: Limits | None = None,
    interval: Any = None,
    exposure: Any = None,
    *,
    call: str = "{what}(frame, {column})",
) -> Rows:
    """Return the rows of a Series, or of a column of a table.

    Parameters
    ----------
    table : Series or DataFrame
        Indexed by aware stamps, or by dates.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows that are no column yet, such as a
        condition.
    what : str
        The function that asks.
    limits : Limits, optional
        By which the records of a frame are judged.
    interval, exposure : optional
        What the caller gave: the length of a row, and the hours that each row is based on.
    call : str
        How to pass a frame and the name of a column, for messages.

    Raises
    ------
    ConfigurationError
        If the quantity cannot be used: no numbers, no stamps in order, a Series of records, an
        invalid value of a field among its values; or if an argument does not fit it.
    FieldError
        If the table lacks the column.
    """
    if isinstance(table, pd.Series | pd.DataFrame):
        refuse_wearers(table.index, what=what)
    if isinstance(column, pd.Series) and isinstance(table, pd.DataFrame):
        table, column = _with_column(table, column, what=what)
    given = column_of(table, column, what=what)
    check_numbers(given, what=what)
    whole = table if isinstance(table, pd.DataFrame) else None
    log = None if whole is None else _log_of_records(whole)
    if whole is not None and log is not None:
        step = log_named(log).interval_us
        if interval is not None and duration_us(interval, "interval", sign="positive") != step:
            raise ConfigurationError(
                f"{what}: a record of this frame lasts {step / 1e6:g} s, so leave out interval="
            )
        field = str(given.name)
        opened = door.enter(whole, what, (), limits=limits, log=log, wide=False, fields=[field])
        values, clock, whole = opened.warn().records.value(field), opened.clock, None
        index, closes = pd.DatetimeIndex(opened.frame.index), opened.closes_us
        opens = np.maximum(opened.opens_us, np.append(closes[:1] - step, closes[:-1]))
    else:
        if limits is not None:
            raise ConfigurationError(
                f"{what}: limits judge the records of a frame, and these values are taken as they"
                " are: leave out limits, and give them to the function that made the table"
            )
        if whole is None:
            refuse_records(given, what=what, call=call)
        index = _index(table, what=what)
        refuse_sentinel(given, what=what)
        values, step = numbers(given), _length(given.set_axis(index), whole, interval, what=what)
        opens = microseconds(index)
        closes = np.minimum(opens + step, np.append(opens[1:], opens[-1:] + step))
        clock = LocalClock(index.tz)
        if whole is not None and OFFSET in whole.columns and index.tz is not None:
            clock = clock_of(whole, stamp="start")
    shares, us = np.ones(len(index)), microseconds(index)
    if whole is not None and "coverage" in whole.columns:
        shares = np.nan_to_num(numbers(whole["coverage"]))
    return Rows(
        values,
        index,
        "" if given.name is None else str(given.name),
        step,
        opens,
        closes,
        hours=_hours(index, whole, step, exposure, what=what),
        shares=shares,
        span=float((us[-1] - us[0]) / step + 1) if step and len(us) else float(len(us)),
        clock=clock,
        log=log,
    )


def groups_of(rows: Rows, table: Quantity, by: By, *, what: str) -> tuple[Ints, pd.Index]:
    """Return the group of each row by a grouping as all summaries take it, and their labels."""
    given = table if isinstance(table, pd.DataFrame) else table.to_frame()
    if len(given) == rows.n:
        given = given.set_axis(rows.index)
    opens, closes = rows.opens_us, rows.closes_us
    time = pd.DataFrame({"span_s": (closes - opens) / 1e6, "before_n": 1.0}, index=rows.index)
    clock = rows.clock
    opened = door.Rows(time, what, "", Limits(), opens, closes, clock, clock, True, None, given)
    groups = group(opened, by)
    if rows.step_us > HOUR_US and not {"hour", "date"}.isdisjoint(groups.labels.names):
        raise ConfigurationError(
            f"{what}: rows of {rows.step_us / HOUR_US:g} h do not fit into by={by!r}: take 'day' or"
            " wider"
        )
    return groups.codes, groups.labels


def column_of(table: Quantity, column: Any, *, what: str) -> pd.Series:
    """Return a Series, or the column of a table, as a Series; without looking at its index."""
    if isinstance(table, pd.Series):
        if column is not None:
            raise ConfigurationError(
                f"{what}: a Series is one quantity, so leave out the column {column!r}"
            )
        return table
    if not isinstance(table, pd.DataFrame) or column is None:
        raise ConfigurationError(
            f"{what} takes a table and the name of a column, such as (frame, 'stp'), or one Series"
        )
    if not isinstance(column, Hashable):
        raise ConfigurationError(f"{what} takes the name of one column, not {column!r}")
    if column not in table.columns:
        hint = near(str(column), map(str, table.columns))
        raise FieldError(f"{what}: this table has no column {column!r}{hint}")
    chosen: pd.Series | pd.DataFrame = table[column]
    if isinstance(chosen, pd.DataFrame):
        raise ConfigurationError(f"{what}: the table has several columns {column!r}: keep one")
    return chosen


def _with_column(table: pd.DataFrame, series: pd.Series, *, what: str) -> tuple[pd.DataFrame, str]:
    """Return a table with a Series of its rows as a column, and the name of that."""
    if not series.index.equals(table.index):
        raise ConfigurationError(
            f"{what}: the rows of the Series are not those of the frame: give one value per row"
        )
    if _log_of_records(table) and _is_raw(series):
        raise ConfigurationError(
            f"{what}: the Series comes from raw values: compute it from masked ones, masked ="
            " eyelog.mask(frame, eyelog.flag(frame))"
        )
    name = str(series.name) if series.name is not None else "value"
    if name in table.columns:  # as that of a comparison, which is not the field
        name = f"{name} as given"
    attrs = table.attrs
    table = table.assign(**{name: series.array})
    table.attrs = attrs
    return table, name


def refuse_records(series: pd.Series, *, what: str, call: str = "{what}(frame, {column})") -> None:
    """Raise `ConfigurationError` if the history of a Series says that its rows are records.

    Their stamps close them, and raw values are not judged; the frame shows both.
    """
    log, steps = stated_log(series), [step["step"] for step in history(series)]
    if log is None or not steps or not set(steps) <= set(OF_RECORDS):
        return
    raw = not set(steps) & set(JUDGING)
    field = catalogue(log).get(str(series.name))
    computed = field is None or (
        pd.api.types.is_bool_dtype(series.dtype) and field.value_type != "bool"
    )
    # Wider rows are bins that somebody made.
    wider = interval_seconds(series) > 1.5 * log_named(log).interval_s
    if wider and (computed or not raw):
        return
    if not computed:
        raise ConfigurationError(
            f"{what}: {series.name!r} is a field of records: pass the frame and the name of the"
            f" column, {call.format(what=what, column=repr(series.name))}, which judges its values"
        )
    both = call.format(what=what, column="series").replace("frame", "masked")
    raise ConfigurationError(
        f"{what}: the rows of this Series are records, whose length and clock the frame shows:"
        " compute it from masked values, masked = eyelog.mask(frame, eyelog.flag(frame)), and pass"
        f" both, {both}"
    )


def _is_raw(series: pd.Series) -> bool:
    """Return whether the history of a Series says that it was computed from values not judged."""
    log, steps = stated_log(series), {step["step"] for step in history(series)}
    if log is None or not steps or not steps <= set(OF_RECORDS) or steps & set(JUDGING):
        return False
    field = catalogue(log).get(str(series.name))
    return series.name is None if field is None else field.kind not in EVIDENCE


def _log_of_records(table: pd.DataFrame) -> str | None:
    """Return the log whose records the columns of a table show, None for any other table."""
    if is_resampled(table) or RECORDED in table.columns:
        return None
    bare = table.iloc[:0].copy(deep=False)
    bare.attrs = {}
    try:
        return log_of(bare)
    except ConfigurationError:
        return None


def stamps_close(table: Quantity) -> bool:
    """Return whether the stamps of a table close its rows, as those of records do."""
    return isinstance(table, pd.DataFrame) and _log_of_records(table) is not None


def is_dated(index: pd.Index) -> bool:
    """Return whether rows are named by the date that opens them, as those of a daily table."""
    return isinstance(index, pd.DatetimeIndex) and (index.tz is None or index.name in PERIODS)


def _clocked(index: pd.Index) -> pd.DatetimeIndex | None:
    """Return an index of aware stamps or naive dates, which may have been read back as text."""
    if not isinstance(index, pd.DatetimeIndex):
        if pd.api.types.is_numeric_dtype(index.dtype):
            return None
        try:
            index = pd.DatetimeIndex(pd.to_datetime(index, format="%Y-%m-%d"), name=index.name)
        except (TypeError, ValueError):
            return None
    if index.tz is not None and index.name in PERIODS:
        index = index.tz_localize(None).normalize()  # as tables named their days before 0.3
    if index.tz is None and (microseconds(index.dropna()) % DAY_US).any():
        return None
    return index.as_unit("us")


def has_clock(series: pd.Series) -> bool:
    """Return whether a Series is indexed by aware stamps or by dates, in order, each once."""
    index = _clocked(series.index)
    return index is not None and index.is_monotonic_increasing and not index.has_duplicates


def given_index(rows: Rows, table: Quantity) -> pd.DatetimeIndex:
    """Return the index of a table as it was given; dates that were text as dates."""
    index = table.index
    in_order = isinstance(index, pd.DatetimeIndex) and index.is_monotonic_increasing
    return cast(pd.DatetimeIndex, index) if in_order else rows.index


def _index(given: Quantity, *, what: str) -> pd.DatetimeIndex:
    """Return the index as aware stamps or naive dates, in order, each once."""
    name = "series" if isinstance(given, pd.Series) else "table"
    refuse_wearers(given.index, what=what)
    index = _clocked(given.index)
    if index is None:
        raise ConfigurationError(
            f"{what} needs a Series or table indexed by time-zone aware stamps, or by dates: pass"
            f" {how_to_index(given, name)}"
        )
    if index.hasnans:
        raise ConfigurationError(f"{what}: a row has no stamp: pass {name}[{name}.index.notna()]")
    if index.has_duplicates:
        raise ConfigurationError(
            f"{what} needs each stamp once, of one wearer and device: leave out repeats,"
            f" {name}[~{name}.index.duplicated()], or pass the rows of each on their own"
        )
    if not index.is_monotonic_increasing:
        raise ConfigurationError(f"{what} needs stamps in order: pass {name}.sort_index()")
    return index


def _length(series: pd.Series, table: pd.DataFrame | None, interval: Any, *, what: str) -> int:
    """Return the length of one row in microseconds, 0 if it is unknown."""
    if interval is not None:
        return duration_us(interval, "interval", sign="positive", example="15s")
    if is_dated(series.index):
        name = str(series.index.name)
        if len(series) < 2 or (table is not None and name in PERIODS):
            return PERIODS.get(name, 1) * DAY_US
        return int(np.diff(microseconds(pd.DatetimeIndex(series.index))).min())
    if table is not None and is_resampled(table):
        return round(float(np.nan_to_num(interval_seconds(table))) * 1e6)
    # The smallest distance of neighbours, if it explains the usual one.
    apart = np.sort(np.diff(microseconds(pd.DatetimeIndex(series.index))))
    if not len(apart):
        return 0
    step, usual = int(apart[0]), float(apart[(len(apart) - 1) // 2])
    if usual < SHORTEST_DAY_US and abs(usual / step - round(usual / step)) > DRIFT:
        raise ConfigurationError(
            f"{what} cannot tell how long one row is: rows are {step / 1e6:g} s apart at the"
            f" least, and usually {usual / 1e6:g} s. Pass interval='{usual / 1e6:g}s', or the"
            " frame and the name of the column"
        )
    return step


def _hours(
    index: pd.DatetimeIndex, table: pd.DataFrame | None, step: int, exposure: Any, *, what: str
) -> Floats:
    """Return the hours that each row is based on: as given, or as stated; NaN if neither."""
    if exposure is None:
        for name, per_hour in EXPOSURES.items():
            if table is not None and name in table.columns:
                return np.asarray(numbers(table[name]) / per_hour, dtype=np.float64)
        # A day is not as long as it was worn.
        within_a_day = index.tz is not None and 0 < step < SHORTEST_DAY_US
        return np.full(len(index), step / HOUR_US if within_a_day else np.nan)
    if isinstance(exposure, pd.Series):
        own = exposure.set_axis(_index(exposure, what=f"{what} (exposure)"))
        if (pd.DatetimeIndex(own.index).tz is None) != (index.tz is None):
            raise ConfigurationError(
                f"{what}: exposure is by day and the values are not, or the other way round"
            )
        exposure = own.reindex(index)
    try:
        hours = numbers(exposure if isinstance(exposure, pd.Series) else np.asarray(exposure))
    except (TypeError, ValueError):
        hours = np.empty((0, 0))
    if hours.shape != (len(index),) or (hours < 0).any() or np.isinf(hours).any():
        raise ConfigurationError(
            f"{what}: exposure must be hours of 0 or more, one for each of the {len(index)} rows"
        )
    return hours


def local_hours(wall: pd.DatetimeIndex) -> Floats:
    """Return hours since the midnight before the first of some local times, which are naive."""
    us = microseconds(wall)
    return np.asarray((us - us[:1] // DAY_US * DAY_US) / HOUR_US, dtype=np.float64)


def check_numbers(series: pd.Series, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a Series of numbers or booleans; any index."""
    if not isinstance(series, pd.Series):
        raise ConfigurationError(f"{what} takes one Series, such as table['steps']")
    if not (
        pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype)
    ):
        raise ConfigurationError(
            f"{what} needs numbers or booleans, not {series.dtype}: convert text,"
            " pd.to_numeric(series, errors='coerce')"
        )


def refuse_wearers(index: pd.Index, *, what: str) -> None:
    """Raise `ConfigurationError` if a table holds several wearers."""
    if isinstance(index, pd.MultiIndex) or ACCOUNT in index.names:
        raise ConfigurationError(f"{what} takes one wearer: choose one, {one_of_many(index)}")


def refuse_sentinel(series: pd.Series, *, what: str) -> None:
    """Raise `ConfigurationError` if a field's invalid value is still among its values.

    The name of the Series is that of a field of either log. Refused only if all other values lie in
    the field's range: a derived series may keep its name.
    """
    for log in known_logs():
        field = catalogue(log).get(str(series.name))
        if field is None or field.invalid_value is None or field.min is None or field.max is None:
            continue
        values = numbers(series)
        invalid = values == field.invalid_value
        rest = values[np.isfinite(values) & ~invalid]
        if invalid.any() and bool(((rest >= field.min) & (rest <= field.max)).all()):
            times = int(invalid.sum())
            raise ConfigurationError(
                f"{what}: {series.name!r} holds the invalid value {field.invalid_value:g} {times}"
                " times: pass the frame and the name of the column, which judges its values"
            )


def one_log(*tables: pd.Series | pd.DataFrame, what: str) -> str | None:
    """Return the log that the provenance of all tables states (None if none states one).

    Raises
    ------
    MixedLogsError
        If they state different logs, which are computed differently.
    ConfigurationError
        If one of them is not a pandas table.
    """
    for table in tables:
        if not isinstance(table, pd.Series | pd.DataFrame):
            raise ConfigurationError(
                f"{what} takes a pandas Series or DataFrame, not {type(table).__name__}"
            )
    logs = sorted({log for table in tables if (log := stated_log(table)) is not None})
    if len(logs) > 1:
        raise MixedLogsError(
            f"{what}: values of both logs, which are computed differently: use one of them"
        )
    return logs[0] if logs else None
