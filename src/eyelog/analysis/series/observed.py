"""Shared by the functions on one quantity: its rows, their length, local clock and exposure.

A quantity is a Series, or a column of a table. Everything that a number needs is in values, index,
columns and arguments; the history of a table may make these functions refuse, but never changes a
number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Never, TypeAlias, TypedDict, TypeVar, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.series.arrays import Bools, Floats, Ints, numbers
from eyelog.analysis.series.durations import duration_us
from eyelog.catalogue import catalogue, known_logs, near, role
from eyelog.clock import DAY_US, LocalClock, check_stamp
from eyelog.docstrings import add_errors, put_words
from eyelog.errors import ConfigurationError, EyelogError, FieldError, MixedLogsError
from eyelog.frame import ACCOUNT, OFFSET, STORED, clock_of, interval_seconds, is_resampled, log_of
from eyelog.keywords import hands_on_to, refuse_unknown
from eyelog.provenance import history, stated_log

__all__ = [
    "ANY_STAMP",
    "EpochOptions",
    "Observed",
    "Quantity",
    "Rows",
    "SeriesOptions",
    "check_frame",
    "check_numbers",
    "check_table",
    "column_of",
    "given_index",
    "has_clock",
    "is_dated",
    "local_dates",
    "local_hours",
    "local_us",
    "name_of",
    "observed",
    "observed_rows",
    "one_log",
    "refuse_sentinel",
    "refuse_wearers",
    "rows_of",
    "stamp_of",
    "stamps_at",
    "step_us",
    "with_series_options",
]


HOUR_US = 3_600_000_000
Function = TypeVar("Function", bound=Callable[..., Any])

SHORTEST_DAY_US: Final = 22 * HOUR_US  # the shortest local day, where the clock goes forward by two
# Index names of tables by date, and the days of a row.
PERIODS = {"day": 1, "week": 7}
# The column of a table that says how many hours a row is based on, and how many make an hour.
EXPOSURES: Final = {"worn_h": 1.0, "exposure_min": 60.0, "recorded_h": 1.0}
ANY_STAMP: Final = "any"  # for what does not depend on where an interval is
# How far the usual distance of two rows may be from whole lengths of a row.
DRIFT: Final = 0.1

Quantity: TypeAlias = "pd.Series[Any] | pd.DataFrame"


def check_numbers(series: pd.Series, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a Series of numbers or booleans; any index."""
    if not isinstance(series, pd.Series):
        raise ConfigurationError(f"{what} takes one Series, such as frame['stp']")
    if not (
        pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype)
    ):
        raise ConfigurationError(f"{what} needs numbers or booleans, not {series.dtype}")


def has_clock(series: pd.Series) -> bool:
    """Return whether a Series is indexed by aware stamps or by dates, in order, each once."""
    index = _read_dates(series.index)
    return (
        isinstance(index, pd.DatetimeIndex)
        and (index.tz is not None or _whole(index))
        and index.is_monotonic_increasing
        and not index.has_duplicates
    )


def refuse_wearers(index: pd.Index, *, what: str) -> None:
    """Raise `ConfigurationError` if a table holds several wearers."""
    if isinstance(index, pd.MultiIndex) or ACCOUNT in index.names:
        raise ConfigurationError(
            f"{what} takes one wearer: choose one, table.xs('P01', level={ACCOUNT!r})"
        )


def step_us(
    table: pd.Series | pd.DataFrame, interval: Any = None, *, what: str = "this function"
) -> int:
    """Return the length of one row in microseconds, 0 if it is unknown.

    Parameters
    ----------
    table : Series or DataFrame
        For a Series, the smallest distance between neighbouring stamps
        (`eyelog.frame.interval_seconds`).
    interval : str, optional
        The length that the caller gave.
    what : str
        The function that asks.

    Raises
    ------
    ConfigurationError
        If the distances between the rows of a Series are not explained by a single length, as where
        two connections of the eyewear have different phases.
    """
    if interval is not None:
        return duration_us(interval, "interval", sign="positive", example="15s")
    seconds = interval_seconds(table)
    step = 0 if np.isnan(seconds) else round(seconds * 1e6)
    if isinstance(table, pd.Series) and 0 < step < SHORTEST_DAY_US:
        apart = np.sort(np.diff(pd.DatetimeIndex(table.index).as_unit("us").asi8))
        usual = float(apart[(len(apart) - 1) // 2])
        if usual < SHORTEST_DAY_US and abs(usual / step - round(usual / step)) > DRIFT:
            raise ConfigurationError(
                f"{what} cannot tell how long one row is: rows are {step / 1e6:g} s apart at the"
                f" least, and usually {usual / 1e6:g} s. Pass interval='{usual / 1e6:g}s', or the"
                " frame and the name of the column"
            )
    return step


def is_dated(index: pd.Index) -> bool:
    """Return whether rows are named by the date that opens them, as those of a daily table."""
    return isinstance(index, pd.DatetimeIndex) and (index.tz is None or index.name in PERIODS)


def stamp_of(
    table: pd.Series | pd.DataFrame, stamp: str | None = None, *, what: str = "this function"
) -> str:
    """Return whether the stamps of a Series or table close or open their intervals.

    Parameters
    ----------
    table : Series or DataFrame
        Indexed by stamps or dates.
    stamp : {"end", "start"}, optional
        The caller's choice.
    what : str
        The function that asks.

    Returns
    -------
    str
        The caller's choice, otherwise ``"start"`` for days and weeks, which are named by the date
        that opens them, and ``"end"`` for everything else (a record stamped 10:00:00 covers the
        interval before it).

    Raises
    ------
    ConfigurationError
        If the history states otherwise, or dates are said to close their days.
    """
    if stamp is not None:
        check_stamp(stamp)
    if is_dated(table.index):
        if stamp == "end":
            raise ConfigurationError(
                f"{what}: a date names the day or week that it opens, so leave out stamp="
            )
        return "start"
    chosen = stamp or "end"
    stated = [step["stamp"] for step in history(table) if "stamp" in step]
    if stated and stated[-1] != chosen:
        does = "open" if stated[-1] == "start" else "close"
        raise ConfigurationError(
            f"{what}: by their history, these stamps {does} their intervals: pass"
            f" stamp={stated[-1]!r} (or, if other bins were made of them since, take the history"
            " away, series.attrs = {})"
        )
    return chosen


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a quantity.

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
    stamp : str
        ``"end"`` or ``"start"``, as `stamp_of` returns it.
    hours : array of float64
        Hours that each row is based on, NaN where that is not known.
    shares : array of float64 or None
        The coverage of each row that the table states.
    clock : LocalClock
        The wearer's clock.
    log : str or None
        The log that the columns of the table show.
    """

    values: Floats
    index: pd.DatetimeIndex
    name: str
    step_us: int
    stamp: str
    hours: Floats
    shares: Floats | None
    clock: LocalClock
    log: str | None

    def edges(self) -> tuple[Ints, Ints]:
        """Return when each interval opens and closes, in microseconds; they never overlap."""
        us, step = self.index.as_unit("us").asi8, self.step_us
        if self.stamp == "end":
            # The last bin of a day may be short.
            return np.maximum(us - step, np.concatenate([us[:1] - step, us[:-1]])), us
        return us, np.minimum(us + step, np.concatenate([us[1:], us[-1:] + step]))

    def wall(self, us: Ints) -> pd.DatetimeIndex:
        """Return what the local clock shows at instants."""
        return _naive(self.clock.wall_us(us))


class EpochOptions(TypedDict, total=False):
    """The keywords of `rows_of` where it makes no difference which interval a stamp denotes."""

    interval: str | None
    exposure: Any


class SeriesOptions(TypedDict, total=False):
    """The keywords of `rows_of` that say how a quantity is to be read."""

    stamp: str | None
    interval: str | None
    exposure: Any


def rows_of(
    table: Quantity,
    column: Any = None,
    *,
    what: str,
    stamp: str | None = None,
    interval: Any = None,
    exposure: Any = None,
    **unknown: Never,
) -> Rows:
    """Return the rows of a Series, or of a column of a table.

    Parameters
    ----------
    table : Series or DataFrame
        Indexed by aware stamps, or by dates.
    column : str, optional
        The column of a DataFrame.
    what : str
        The function that asks.
    stamp, interval, exposure : optional
        What the caller gave: whether stamps close or open their intervals (`ANY_STAMP` where that
        makes no difference), the length of a row, and the hours that each row is based on.

    Raises
    ------
    ConfigurationError
        If the quantity cannot be used: no numbers, no stamps in order, an invalid value of a field
        or values of unworn time among its values, a history that states another `stamp`.
    FieldError
        If the table lacks the column.
    """
    refuse_unknown(unknown, what)
    given = column_of(table, column, what=what)
    series = given.set_axis(_index(given, what=what))
    check_numbers(series, what=what)
    refuse_sentinel(series, what=what)
    whole = table if isinstance(table, pd.DataFrame) else None
    log = None
    if whole is not None:
        log = _log(whole)
        _refuse_unworn(whole, series, log, what=what)
    index = pd.DatetimeIndex(series.index)
    step = _length(series, whole, interval, log, what=what)
    if stamp == ANY_STAMP:
        closes = "start" if is_dated(index) else "end"
    else:
        closes = stamp_of(series, stamp, what=what)
    return Rows(
        numbers(series),
        index,
        name_of(series),
        step,
        closes,
        _hours(index, whole, step, exposure, what=what),
        np.nan_to_num(numbers(whole["coverage"]))
        if whole is not None and "coverage" in whole.columns
        else None,
        _clock(whole, index, log, closes),
        log,
    )


_WORDS: Final = {
    "column": """\
column : str, optional
    The column of a DataFrame.""",
    "stamp": """\
stamp : {"end", "start"}, optional
    Whether a stamp closes or opens its interval. Default: ``"end"``, as in records and bins
    of eyelog; bins of pandas mostly open at their stamps. Dates always open their days.""",
    "interval": """\
interval : str, optional
    The length of a row, such as ``"15s"``. Default: of a frame, the interval of its log or the
    width of its bins; of a Series, the smallest distance of neighbouring stamps.""",
    "exposure": """\
exposure : Series or array, optional
    The hours that each row is based on: a Series with the same index, or one number for each
    row. Default: what the table states (``worn_h``, ``exposure_min``, ``recorded_h``), else the
    length of a row; missing for a Series by day, which does not carry the hours of its days.""",
}
_ERRORS: Final = {
    "FieldError": """\
FieldError
    If the table has no such column.""",
    "ConfigurationError": """\
ConfigurationError
    If the stamps are not time-zone aware and in order, the values hold the invalid value of a
    field (or, in a frame that is not masked, values of time in which the eyewear was not worn),
    the history states another `stamp`, or an argument is not valid.""",
}


def with_series_options(function: Function) -> Function:
    """Complete the signature and docstring of a function of one quantity with what all share."""
    return add_errors(put_words(hands_on_to(rows_of)(function), _WORDS), _ERRORS)


def column_of(table: Quantity, column: Any, *, what: str) -> pd.Series:
    """Return a Series, or the column of a table, as a Series; without looking at its index."""
    if isinstance(table, pd.Series):
        if column is not None:
            raise ConfigurationError(
                f"{what}: a Series is one quantity, so leave out the column {column!r}"
            )
        return table
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(
            f"{what} takes one Series, such as frame['stp'], or a table and the name of a column"
        )
    if column is None:
        raise ConfigurationError(
            f"{what} takes one Series, such as frame['stp'], or a table and the name of a column:"
            " pass the column too"
        )
    if column not in table.columns:
        hint = near(str(column), map(str, table.columns))
        raise FieldError(f"{what}: this table has no column {column!r}{hint}")
    chosen: pd.Series | pd.DataFrame = table[column]
    if isinstance(chosen, pd.DataFrame):
        raise ConfigurationError(f"{what}: the table has several columns {column!r}: keep one")
    return chosen


def given_index(rows: Rows, series: pd.Series) -> pd.DatetimeIndex:
    """Return the index of a Series as it was given; dates that were text as dates."""
    index = series.index
    return index if isinstance(index, pd.DatetimeIndex) else rows.index


def _index(series: pd.Series, *, what: str) -> pd.DatetimeIndex:
    """Return the index as aware stamps or naive dates, in order, each once."""
    index = series.index
    refuse_wearers(index, what=what)
    if not isinstance(index, pd.DatetimeIndex):
        index = _read_dates(index)
    if isinstance(index, pd.DatetimeIndex) and index.tz is not None and index.name in PERIODS:
        index = index.tz_localize(None).normalize()  # as tables named their days before 0.3
    dates = isinstance(index, pd.DatetimeIndex) and index.tz is None
    if not isinstance(index, pd.DatetimeIndex) or (dates and not _whole(index)):
        advice = "pd.to_datetime(dates) for dates, or tz_localize for stamps"
        if isinstance(index, pd.RangeIndex):
            advice = "table.set_index('day') for days, frame.set_index('date') for stamps"
        raise ConfigurationError(
            f"{what} needs a Series or table indexed by time-zone aware stamps, or by dates"
            f" ({advice})"
        )
    if not index.is_monotonic_increasing or index.has_duplicates or index.hasnans:
        raise ConfigurationError(f"{what} needs stamps in order, each once: use sort_index()")
    return index.as_unit("us")


def _whole(index: pd.DatetimeIndex) -> bool:
    return bool((index.dropna().as_unit("us").asi8 % DAY_US == 0).all())


def _read_dates(index: pd.Index) -> pd.Index:
    """Return an index of dates that were read back as text or as dates of Python."""
    if not len(index) or pd.api.types.is_numeric_dtype(index.dtype):
        return index
    plain = all(isinstance(each, date) and not isinstance(each, datetime) for each in index)
    try:
        if plain:
            return pd.DatetimeIndex(index.to_numpy(dtype="M8[us]"), name=index.name)
        return pd.DatetimeIndex(pd.to_datetime(index, format="%Y-%m-%d"), name=index.name)
    except (TypeError, ValueError):
        return index


def _log(table: pd.DataFrame) -> str | None:
    """Return the log that the columns of a table show, None if it is not a frame of a log."""
    bare = table.iloc[:0].copy(deep=False)
    bare.attrs = {}
    try:
        return log_of(bare)
    except EyelogError:
        return None


def _length(
    series: pd.Series, table: pd.DataFrame | None, interval: Any, log: str | None, *, what: str
) -> int:
    """Return the length of one row in microseconds, 0 if it is unknown."""
    if interval is not None or not is_dated(series.index):
        # Without a log, the rows of a table are as long as those of its column.
        framed = table is not None and (log is not None or is_resampled(table))
        return step_us(table if table is not None and framed else series, interval, what=what)
    name = str(series.index.name)
    if len(series) < 2 or (table is not None and name in PERIODS):
        return PERIODS.get(name, 1) * DAY_US
    return int(np.diff(pd.DatetimeIndex(series.index).as_unit("us").asi8).min())


def _hours(
    index: pd.DatetimeIndex,
    table: pd.DataFrame | None,
    step: int,
    exposure: Any,
    *,
    what: str,
) -> Floats:
    """Return the hours that each row is based on; NaN where nothing states them."""
    if exposure is not None:
        return _given_hours(exposure, index, what=what)
    for name, per_hour in EXPOSURES.items():
        if table is not None and name in table.columns:
            return np.asarray(numbers(table[name]) / per_hour, dtype=np.float64)
    # A day is not as long as it was worn.
    within_a_day = index.tz is not None and 0 < step < SHORTEST_DAY_US
    return np.full(len(index), step / HOUR_US if within_a_day else np.nan)


def _given_hours(exposure: Any, index: pd.DatetimeIndex, *, what: str) -> Floats:
    """Return the hours that a caller gave, for each row."""
    try:
        if isinstance(exposure, pd.Series):
            own = exposure.set_axis(_index(exposure, what=f"{what} (exposure)"))
            if (pd.DatetimeIndex(own.index).tz is None) != (index.tz is None):
                raise ConfigurationError(
                    f"{what}: exposure is by day and the values are not, or the other way round"
                )
            hours = numbers(own.reindex(index))
        else:
            hours = np.asarray(exposure, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"{what}: exposure must be hours, not {exposure!r}") from None
    if hours.shape != (len(index),) or (hours < 0).any() or np.isinf(hours).any():
        raise ConfigurationError(
            f"{what}: exposure must be hours of 0 or more, one for each of the {len(index)} rows"
        )
    return hours


def _clock(
    whole: pd.DataFrame | None, index: pd.DatetimeIndex, log: str | None, stamp: str
) -> LocalClock:
    """Return the wearer's clock: the column ``utc_offset_min`` of the table may state it."""
    if whole is None or OFFSET not in whole.columns or index.tz is None:
        return LocalClock(index.tz)
    return clock_of(whole, log=log, stamp=stamp)


def _refuse_unworn(table: pd.DataFrame, series: pd.Series, log: str | None, *, what: str) -> None:
    """Raise if a frame that was not masked shows values of time in which it was not worn."""
    if log is None or STORED in table.columns or is_resampled(table):
        return
    field = catalogue(log).get(str(series.name))
    if field is None or field.kind not in ("static", "motion", "gait"):
        return
    for name in role(log, "worn"):
        if name in table.columns:
            # true is "not worn" (15-second log); 0 seconds of wear (60-second log)
            off = numbers(table[name]) == (
                1.0 if catalogue(log)[name].value_type == "bool" else 0.0
            )
            count = int((off & np.isfinite(numbers(series))).sum())
            if count:
                raise ConfigurationError(
                    f"{what}: {series.name!r} has {count} values of time in which the eyewear was"
                    " not worn: mask it first, eyelog.mask(frame, eyelog.flag(frame))"
                )


@dataclass(frozen=True, slots=True)
class Observed:
    """The values of a quantity that are not missing, and how much of its span they cover.

    Attributes
    ----------
    values : array of float64
        The values.
    index : DatetimeIndex
        Their stamps (aware) or dates (naive).
    opens, middles : DatetimeIndex
        What the local clock shows when the interval of each value opens, and in its middle; naive.
    hours : array of float64
        Hours that each value is based on: its interval, or what the table or the caller states; NaN
        where neither is known.
    step_us : int
        Length of one row.
    span : float
        How many rows fit into the time from the first row to the last.
    n : int
        How many values there are.
    exposure_h : float
        Hours that the values are based on.
    coverage : float
        Share of the span that they cover.
    stamp : str
        Whether the stamps close or open their intervals, as `stamp_of` returns it.
    log : str or None
        The log that the columns of the table show.
    clock : LocalClock
        The wearer's clock.
    """

    values: Floats
    index: pd.DatetimeIndex
    opens: pd.DatetimeIndex
    middles: pd.DatetimeIndex
    hours: Floats
    step_us: int
    span: float
    n: int
    exposure_h: float
    coverage: float
    stamp: str
    log: str | None
    clock: LocalClock


def observed(
    table: Quantity, column: Any = None, *, what: str, **options: Unpack[SeriesOptions]
) -> Observed:
    """Leave out missing values; report exposure (hours) and coverage of the span.

    A row of a table covers the share of itself that the table states as ``coverage``; otherwise a
    row with a value covers itself. The parameters are those of `rows_of`.
    """
    rows = rows_of(table, column, what=what, **options)
    return observed_rows(rows, np.isfinite(rows.values))


def observed_rows(rows: Rows, present: Bools) -> Observed:
    """Return what is observed if only some of the rows are considered; all of them have values."""
    n = int(present.sum())
    us, step = rows.index.as_unit("us").asi8, rows.step_us
    opens, closes = (edge[present] for edge in rows.edges())
    span = (us[-1] - us[0]) / step + 1 if step and len(us) else n
    covered = float(n if rows.shares is None else rows.shares[present].sum())
    hours = rows.hours[present]
    return Observed(
        rows.values[present],
        rows.index[present],
        rows.wall(opens),
        rows.wall(opens + (closes - opens) // 2),
        hours,
        step,
        float(span),
        n,
        float(hours.sum()),
        float(np.minimum(1.0, covered / span)) if span else 0.0,
        rows.stamp,
        rows.log,
        rows.clock,
    )


def _naive(us: Ints) -> pd.DatetimeIndex:
    return pd.DatetimeIndex(us.view("datetime64[us]"))


def stamps_at(us: npt.NDArray[np.int64], tz: Any) -> pd.DatetimeIndex:
    """Return microseconds since 1970 as stamps in a zone; without a zone, as dates."""
    if tz is None:
        return _naive(us)
    return pd.DatetimeIndex(us.view("datetime64[us]")).tz_localize("UTC").tz_convert(tz)


def local_dates(index: pd.DatetimeIndex) -> npt.NDArray[np.int64]:
    """Return the local date of each stamp, as the days since 1970."""
    wall = index.tz_localize(None).as_unit("us").asi8
    return np.asarray(wall // DAY_US, dtype=np.int64)


def local_us(index: pd.DatetimeIndex) -> npt.NDArray[np.int64]:
    """Return the wall-clock microseconds since the first stamp's local midnight."""
    wall = index.tz_localize(None).as_unit("us")
    if wall.empty:
        return np.empty(0, dtype="int64")
    since: npt.NDArray[np.int64] = wall.asi8 - wall[:1].normalize().asi8[0]
    return since


def local_hours(index: pd.DatetimeIndex) -> Floats:
    """Return the wall-clock hours since the first stamp's local midnight."""
    hours: Floats = local_us(index) / HOUR_US
    return hours


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
                " times: mask it first, eyelog.mask(frame, eyelog.flag(frame))"
            )


def name_of(series: pd.Series) -> str:
    """Return the name of a Series for the provenance of a result; "" if it has none."""
    return "" if series.name is None else str(series.name)


def check_table(table: pd.Series | pd.DataFrame, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a pandas Series or DataFrame."""
    if not isinstance(table, pd.Series | pd.DataFrame):
        raise ConfigurationError(
            f"{what} takes a pandas Series or DataFrame, not {type(table).__name__}"
        )


def check_frame(table: object, *, what: str) -> None:
    """Raise `ConfigurationError` unless it is a pandas table with columns."""
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(f"{what} takes a DataFrame, not a {type(table).__name__}")


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
        check_table(table, what=what)
    logs = sorted({log for table in tables if (log := stated_log(table)) is not None})
    if len(logs) > 1:
        raise MixedLogsError(
            f"{what}: values of both logs, which are computed differently: use one of them"
        )
    return logs[0] if logs else None
