"""Facts that figures read from a table: its stamps, its log, and how long a row lasts."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import catalogue, log_named
from eyelog.checks import duration_us
from eyelog.clock import LocalClock, days_with_records, local_days, microseconds, stamps_at
from eyelog.errors import ConfigurationError, MixedLogsError
from eyelog.frame import (
    OFFSET,
    RECORDED,
    clock_of,
    history,
    interval_seconds,
    is_resampled,
    log_of,
    named_by_opening,
    require,
    require_frame,
    require_one_frame,
    stated_log,
)
from eyelog.judge.arrays import Bools, Floats, Ints, holds_numbers, numbers
from eyelog.judge.intervals import WIDTH, enter
from eyelog.judge.limits import Limits
from eyelog.measure.daily import daily
from eyelog.measure.groups import calendar_dates
from eyelog.series.observed import stamps_close


def require_rows(rows: pd.DataFrame | pd.Index, *, what: str) -> None:
    """Raise if a table that `what` is to draw has no rows."""
    if rows.empty:
        raise ConfigurationError(f"{what} has nothing to draw: there are no rows")


def stamps(index: Any, *, what: str) -> pd.DatetimeIndex:
    """Return an index of aware stamps, or raise if `what` cannot draw this index."""
    if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        raise ConfigurationError(f"{what} needs rows indexed by time-zone aware stamps")
    require_rows(index, what=what)
    return index


def closing(frame: pd.DataFrame, *, what: str) -> pd.DataFrame:
    """Return the ordered rows of one wearer with stamps that close them, as those of records do.

    Bins and Intervals open at theirs.
    """
    require_one_frame(frame, what=what)
    index = stamps(frame.index, what=what)
    require_order(index, what=what, name="frame")
    if not named_by_opening(frame) or len(frame) < 2:
        return frame
    us = microseconds(index)
    length = round(interval_seconds(frame) * 1e6)
    closes = us + length
    if WIDTH in frame.columns:
        closes = us + np.rint(frame[WIDTH].to_numpy("float64") * 1e6).astype(np.int64)
    else:  # midnight may have cut a bin
        closes = np.minimum(closes, np.append(us[1:], us[-1] + length))
    closed = frame.set_axis(stamps_at(closes, index.tz).rename("date"))
    if OFFSET in closed.columns:  # of the row that opens there
        closed[OFFSET] = closed[OFFSET].shift(-1).ffill()
    return closed


class Records(NamedTuple):
    """Records or bins that are judged and close at their stamps, on their local days."""

    frame: pd.DataFrame
    log: str | None
    seconds: float
    """How long a row lasts."""
    clock: LocalClock
    days: pd.DatetimeIndex
    """Every date from the first to the last."""
    place: Ints
    """The day of each row, by its place among these."""


def records_of_days(
    frame: pd.DataFrame, names: Sequence[str], limits: Limits | None, *, what: str
) -> Records:
    """Return the rows of one wearer that `what` draws by time of day, or raise if it cannot."""
    frame = closing(frame, what=what)
    require(frame, names, purpose=what)
    for name in names:
        require_numbers(frame, name, what=what)
    frame = judged(frame, names, limits, what=what)
    log = log_or_none(frame)
    seconds, clock = row_seconds(frame, log), clock_of(frame, log=log)
    if not 0 < seconds <= 43_200.0:
        raise ConfigurationError(
            f"{what} cannot show rows of {seconds:g} s within a day: resample to 12 h or less"
        )
    kept, days, place = placed_on_days(cast(pd.DatetimeIndex, frame.index), clock)
    return Records(frame[kept], log, seconds, clock, days, place)


def placed_on_days(
    index: pd.DatetimeIndex, clock: LocalClock
) -> tuple[Bools, pd.DatetimeIndex, Ints]:
    """Return which rows are of days to draw, every date of these, and the place of each row.

    They are the days that `eyelog.daily` has, if there are any. A slice by date begins with the row
    stamped at its first midnight, which closes the day before: a day with this row alone would be a
    row or panel of a figure without anything in it.
    """
    of_row = local_days(index, clock=clock)
    kept = np.asarray(of_row.isin(days_with_records(index, clock=clock)), dtype=np.bool_)
    kept |= not kept.any()
    of_row = of_row[kept]
    days = pd.date_range(of_row.min(), of_row.max(), freq="D", unit="us")
    return kept, days, np.asarray((of_row - days[0]).days, np.int64)


def means(values: Floats, cell: Ints, n: int, *, angle: bool = False) -> Floats:
    """Return the mean of the values in each of n cells, of angles on the circle.

    The mean keeps the unit of counts: steps per 10 min stay those of 10 min in two passes of an
    hour that comes twice.
    """
    finite = np.isfinite(values)
    drawn, cell = pd.Series(values[finite]), cell[finite]
    mean = drawn.groupby(cell).mean()
    if angle:
        radians = np.deg2rad(values[finite])
        sine, cosine = (pd.Series(of(radians)).groupby(cell).sum() for of in (np.sin, np.cos))
        mean = pd.Series(np.rad2deg(np.arctan2(sine, cosine)), sine.index)
    return numbers(mean.reindex(pd.RangeIndex(n)))


def require_order(index: pd.DatetimeIndex, *, what: str, name: str) -> None:
    """Raise if the stamps of what `what` is to draw, called `name`, are not in order."""
    if not index.is_monotonic_increasing:
        raise ConfigurationError(f"{what} needs stamps in order: pass {name}.sort_index()")


def days_of(table: Any, *, day_starts: str | None = None) -> Any:
    """Return the days that a person holds: the table, or `eyelog.daily` of a frame."""
    if holds_records(table):
        return daily(table, day_starts=day_starts)
    return table


def table_of_days(
    table: Any, columns: Sequence[str], *, what: str, made_by: str = "eyelog.daily(frame)"
) -> pd.DataFrame:
    """Return the days of one wearer, in order and indexed by dates, or raise if these are none."""
    require_frame(table, what=what, wanted="a table of days, as of eyelog.daily")
    index = dates_of(table, what=what)
    require(table, columns, purpose=what, made_by=made_by)
    if index.has_duplicates:
        raise ConfigurationError(
            f"{what} takes the days of one wearer, and this table has several rows for"
            f" {index[index.duplicated()][0]:%Y-%m-%d}: pass eyelog.daily(frame)"
        )
    return cast(pd.DataFrame, table.set_axis(index.rename("day")).sort_index())


def every_day(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of days with a row for each day from the first to the last."""
    index = pd.DatetimeIndex(table.index)
    return table.reindex(pd.date_range(index[0], index[-1], freq="D", unit=index.unit))


def require_numbers(table: pd.DataFrame, column: str, *, what: str) -> None:
    """Raise if a column that `what` is to draw does not hold numbers."""
    if not pd.api.types.is_numeric_dtype(table[column].dtype):
        raise ConfigurationError(f"{what} draws numbers, but {column!r} holds text or times")


def holds_records(table: object) -> bool:
    """Return whether a table is a frame of records or Intervals, from which days can be made."""
    return isinstance(table, pd.DataFrame) and (stamps_close(table) or RECORDED in table.columns)


def dates_of(table: pd.DataFrame, *, what: str) -> pd.DatetimeIndex:
    """Return the calendar dates that index a table; stamps with a zone are read as their dates."""
    index = calendar_dates(table, what=what)
    if index is None:
        index = pd.DatetimeIndex(table.index).tz_localize(None).normalize().as_unit("us")
    require_rows(index, what=what)
    return index


def judged(
    frame: pd.DataFrame, names: Sequence[str], limits: Limits | None, *, what: str
) -> pd.DataFrame:
    """Return a frame without the values of fields that have a reason against them.

    Only records are judged: bins and columns of one's own are taken as they are.
    """
    log = None if is_resampled(frame) else log_or_none(frame)
    if log is None:
        if limits is not None:
            raise ConfigurationError(
                f"{what}: limits judge records, and this table has none: leave out limits"
            )
        return frame
    fields = [name for name in names if name in catalogue(log) and holds_numbers(frame[name])]
    rows = enter(frame, what, (), limits=limits, log=log, wide=False, fields=fields).warn()
    order = slice(None) if rows.order is None else np.argsort(rows.order)
    shown = frame.assign(**{name: rows.records.value(name)[order] for name in fields})
    shown.attrs = frame.attrs
    return shown


def log_or_none(frame: pd.DataFrame) -> str | None:
    """Return the log of a frame, or None if it is unknown: labels are then the bare names."""
    try:
        return log_of(frame)
    except MixedLogsError:
        raise
    except ConfigurationError:
        return None


def row_seconds(frame: pd.DataFrame | pd.Series, log: str | None) -> float:
    """Return how many seconds a row covers; a single row of unknown length is drawn as a minute."""
    seconds = interval_seconds(frame, log)
    return 60.0 if np.isnan(seconds) else seconds


def unit_seconds(frame: pd.DataFrame) -> float | None:
    """Return the seconds that a count of a frame is about, for the unit on an axis, or None."""
    if is_resampled(frame):
        seconds = interval_seconds(frame)
        return None if np.isnan(seconds) else seconds
    log = log_or_none(frame)
    return stated_seconds(frame) if log is None else float(log_named(log).interval_s)


def stated_seconds(table: pd.DataFrame | pd.Series) -> float | None:
    """Return the same of a Series, or a table made of one, as its history states it, or None.

    Only for the words on an axis: a thinned Series still has counts per 15 seconds.
    """
    for step in reversed(history(table)):
        if step["step"] == "resample":
            return duration_us(step["every"], "every", sign="positive", example="10min") / 1e6
    log = stated_log(table)
    return None if log is None else float(log_named(log).interval_s)
