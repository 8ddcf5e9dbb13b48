"""The one shape of a frame, wherever its data come from, and its history.

Index: `DatetimeIndex` named ``date``, aware, sorted, unique, microseconds. Columns: catalogue
order, unknown ones last. Dtypes: fixed by the catalogue, never by the values of the day.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, Final, Literal, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import (
    catalogue,
    check_log,
    columns,
    either_log,
    known_logs,
    log_named,
    near,
    only_in,
)
from eyelog.clock import (
    DAY_US,
    Ints,
    LocalClock,
    Zones,
    local_clock,
    microseconds,
    offset_name,
    zone,
    zones_of_offsets,
)
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError, listed, warn
from eyelog.overlap import crowding, duration_text, overlaps, span_text

# Everything needed to read a table correctly is in its columns and index, never in its history
# alone.
STORED: Final = "stored"  # boolean: the eyewear was off pose; `mask` adds it
OFFSET: Final = "utc_offset_min"  # minutes east of UTC, if the wearer's zone varies
RECORDED: Final = "recorded_s"  # seconds of each row of Intervals, by which they are known
ACCOUNT: Final = "account"  # the index level of a table of several wearers
STATE: Final = "state"  # what the eyewear was doing, and how many seconds of it count; as above
SECONDS: Final = ("worn_s", "valid_s", "walking_s")
LIMITS: Final = "limits"  # by which a masked frame, or Intervals, were judged, as JSON
BETWEEN: Final = "between"  # the clock times to which a frame was cut; `between_time` adds it
# Columns of a frame, and no fields of a log.
OWN_COLUMNS: Final = (OFFSET, STORED, STATE, *SECONDS, LIMITS, BETWEEN)

_NAMED: Final = 10  # unknown fields that a warning names; the others are counted
# The dtypes of Arrow, and of numbers that may be ``NA``
_FOREIGN: Final = (
    *(pd.ArrowDtype, pd.Float32Dtype, pd.Float64Dtype),
    *(pd.Int8Dtype, pd.Int16Dtype, pd.Int32Dtype, pd.Int64Dtype),
    *(pd.UInt8Dtype, pd.UInt16Dtype, pd.UInt32Dtype, pd.UInt64Dtype),
)

Function = TypeVar("Function", bound=Callable[..., Any])
Table = TypeVar("Table", bound="Remembering")


def empty(log: str, *, tz: str = "UTC", names: Iterable[str] | None = None) -> pd.DataFrame:
    """Return a frame of `log` without rows, in the shape of every other frame."""
    by_name = catalogue(log)
    chosen = columns(log) if names is None else tuple(names)
    index = pd.DatetimeIndex([], dtype="datetime64[us, UTC]", name="date").tz_convert(zone(tz))
    data = {name: pd.Series([], dtype=by_name[name].dtype, index=index) for name in chosen}
    return pd.DataFrame(data, index=index, columns=pd.Index(chosen, dtype="str"))


def takes_tables(function: Function) -> Function:
    """Let a public function take tables of any kind, in each of its arguments: see `in_pandas`."""

    @wraps(function)
    def taking(*arguments: Any, **keywords: Any) -> Any:
        named = {name: in_pandas(value) for name, value in keywords.items()}
        return function(*map(in_pandas, arguments), **named)

    return cast(Function, taking)


def in_pandas(value: Any) -> Any:
    """Return a table of any kind with the dtypes and the stamps of a frame; all else as it is.

    Columns of Arrow or nullable dtypes become numbers with NaN, ``"boolean"``, ``"string"`` or
    stamps in microseconds. What speaks Arrow (a table of polars, pyarrow or DuckDB) has no index:
    its column ``date`` becomes it, or the first column of a table of days or weeks.

    Raises
    ------
    ConfigurationError
        If a table without an index has fields of a log and no column ``date``.
    """
    table = value
    if not isinstance(value, pd.DataFrame | pd.Series):
        if not hasattr(value, "__arrow_c_stream__"):
            return value
        import pyarrow as pa

        try:
            table = pa.table(value).to_pandas(types_mapper=pd.ArrowDtype)
        except (TypeError, ValueError):  # a single column
            return value
    if isinstance(table, pd.Series):
        table = _in_own_dtype(table)
    elif foreign := [at for at, dtype in enumerate(table.dtypes) if isinstance(dtype, _FOREIGN)]:
        names = table.columns[foreign].tolist()
        table = table.copy(deep=False)
        for at in foreign:
            table.isetitem(at, _in_own_dtype(table.iloc[:, at]).array)
        if isinstance(table.index, pd.RangeIndex):
            table = _indexed(table, names)
    if isinstance(table.index.dtype, _FOREIGN):
        stamps = _in_own_dtype(table.index.to_series()).array
        table = table.set_axis(pd.Index(stamps, name=table.index.name))
    return table


def _in_own_dtype(column: pd.Series) -> pd.Series:
    """Return a column with the dtype that a frame has for such values."""
    if not isinstance(column.dtype, _FOREIGN):
        return column
    import pyarrow as pa

    values = pa.array(column.array)
    if pa.types.is_decimal(values.type):
        values = values.cast(pa.float64())
    own = {pa.bool_(): pd.BooleanDtype()}
    own |= dict.fromkeys([pa.string(), pa.large_string(), pa.string_view()], pd.StringDtype())
    made = values.to_pandas(types_mapper=own.get, date_as_object=False)
    if name := getattr(getattr(made.dtype, "tz", None), "zone", None):
        made = made.dt.tz_convert(zone(name))  # Arrow takes the zone of pytz where pandas 2 is
    if made.dtype.kind == "M":
        made = made.dt.as_unit("us")
    if made.dtype.kind == "i" and any(column.name in columns(log) for log in known_logs()):
        made = made.astype("float64")  # as counts are in a frame, since they can be missing
    made = pd.Series(made.array, index=column.index, name=column.name)
    made.attrs = dict(column.attrs)
    return made


def _indexed(table: pd.DataFrame, names: Sequence[Any]) -> pd.DataFrame:
    """Return a table by its stamps, or the dates of its days, if it has them in a column."""
    if "date" in names:
        return table.set_index("date")
    if names[0] == table.columns[0] and names[0] in ("day", "week"):
        return table.set_index(names[0])
    if any(only_in(log).intersection(names) for log in known_logs()):
        raise ConfigurationError(
            "a frame without an index needs the column 'date', with stamps of a time zone; this one"
            f" has {listed(map(str, table.columns), _NAMED)}"
        )
    return table


def stamps(table: pd.DataFrame | pd.Series, *, what: str) -> pd.DatetimeIndex:
    """Return the aware stamps that index a table, or raise `ConfigurationError` for `what`."""
    index = getattr(table, "index", None)
    if isinstance(index, pd.DatetimeIndex) and index.tz is not None:
        return index
    raise ConfigurationError(
        f"{what} needs a time-zone aware DatetimeIndex of stamps, in the wearer's zone: pass"
        f" {how_to_index(table)}"
    )


def how_to_index(table: Any, name: str = "frame") -> str:
    """Return what to type so that a table is indexed by aware stamps, or by the dates of days."""
    if not isinstance(table, pd.DataFrame | pd.Series):
        return "a table of pandas"
    index = table.index
    if isinstance(index, pd.DatetimeIndex):
        return f"{name}.tz_localize('Asia/Tokyo')"
    columns = table.columns if isinstance(table, pd.DataFrame) else ()
    for column in ("date", "day", "week"):
        if column not in columns:
            continue
        dtype, by_column = table[column].dtype, f"{name}.set_index({column!r})"
        if isinstance(dtype, pd.DatetimeTZDtype) or (column != "date" and dtype.kind == "M"):
            return by_column
        if dtype.kind == "M":
            return f"{by_column}.tz_localize('Asia/Tokyo')"
        utc, then = ("", "") if column != "date" else _zone_of_text(table[column])
        read = f"pd.to_datetime({name}[{column!r}]{utc})"
        return f"{name}.assign({column}={read}).set_index({column!r}){then}"
    if pd.api.types.is_numeric_dtype(index.dtype):
        return f"{name}.set_axis(STAMPS), with the time of each row"
    utc, then = ("", "") if index.name in ("day", "week") else _zone_of_text(index)
    return f"{name}.set_axis(pd.to_datetime({name}.index{utc})){then}"


def one_of_many(index: pd.Index, name: str = "table") -> str:
    """Return what to type to get one wearer of a table of several."""
    level = ACCOUNT if ACCOUNT in index.names else index.names[0]
    held = index.unique(level) if len(index) else pd.Index(["P01"])
    return f"{name}.xs({held.tolist()[0]!r}, level={level!r})"


def _zone_of_text(texts: Any) -> tuple[str, str]:
    """Return how stamps in text are read, and how they get the zone of the wearer."""
    first = str(next(iter(texts), ""))
    with_offset = re.search(r"(Z|[+-]\d\d:?\d\d)$", first)
    if with_offset:
        return ", utc=True", ".tz_convert('Asia/Tokyo')"
    return "", ".tz_localize('Asia/Tokyo')"


def clock_of(
    table: pd.DataFrame | pd.Series,
    *,
    log: str | None = None,
    stamp: Literal["end", "start"] = "end",
) -> LocalClock:
    """Return the wearer's clock: that of the column ``utc_offset_min``, else that of the zone.

    Parameters
    ----------
    table : DataFrame or Series
        Records or bins, indexed by stamps.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    """
    index = cast(pd.DatetimeIndex, table.index)
    if not isinstance(table, pd.DataFrame) or OFFSET not in table.columns:
        return LocalClock(index.tz)
    frame: pd.DataFrame = table
    if not index.is_monotonic_increasing:
        frame = table.iloc[np.argsort(index.asi8, kind="stable")]
        index = cast(pd.DatetimeIndex, frame.index)
    offsets = frame[OFFSET].to_numpy(dtype="float64", na_value=np.nan)
    if named_by_opening(frame):
        return local_clock(index, offsets, stamp="start")
    seconds = np.asarray(interval_seconds(frame, log))
    width_us = np.rint(np.nan_to_num(seconds) * 1e6).astype(np.int64)
    return local_clock(index, offsets, width_us=width_us, stamp=stamp)


def warn_unknown(log: str, names: Sequence[object]) -> None:
    """Warn the caller's caller that fields unknown to the catalogue were kept."""
    names = [name for name in names if name not in (OFFSET, BETWEEN)]
    if names:
        warn(
            f"unknown fields in log {log!r} kept as they are:"
            f" {listed((str(name)[:64] for name in names), _NAMED)}"
        )


def log_of(frame: pd.DataFrame, log: str | None = None) -> str:
    """Return which log a frame is: by `log`, otherwise by its provenance, otherwise by its columns.

    Raises
    ------
    MixedLogsError
        If `log`, the provenance and the columns contradict one another.
    ConfigurationError
        If neither shows it; the message asks for ``log=``.
    """
    if not isinstance(frame, pd.DataFrame):
        raise ConfigurationError(
            f"a frame of one log is needed (a pandas DataFrame), not {type(frame).__name__}"
        )
    # The rows of a summary are groups, which do not have one length. Reasons are unsigned integers,
    # which values of a log never are.
    last = (history(frame) or [{}])[-1]
    maker = last["step"] if last.get("interval_s", 0) is None else ""
    if {dtype.kind for dtype in frame.dtypes} == {"u"}:
        maker = "flag"
    if maker:
        raise ConfigurationError(
            f"a frame of records is needed, and this is a table that eyelog.{maker} returned: pass"
            " the frame that it was made from"
        )
    if RECORDED in frame.columns:
        raise ConfigurationError(
            "a frame of records is needed, and these are the Intervals of eyelog.intervals: pass"
            " the records"
        )
    stated = stated_log(frame)
    chosen = stated if log is None else check_log(log)
    if stated is not None and chosen != stated:
        raise MixedLogsError(f"the frame holds {stated!r}, not {chosen!r}")
    names = set(map(str, frame.columns.tolist()))
    only = {which: names & only_in(which) for which in known_logs()}
    # The names with sc_ differ between the logs, so one exclusive name decides.
    by_columns = [which for which in known_logs() if only[which]]
    if len(by_columns) > 1:
        one, other = by_columns[:2]
        raise MixedLogsError(
            f"two logs are in one frame ({min(only[one])!r} is of {one!r},"
            f" {min(only[other])!r} of {other!r}): keep them in separate frames"
        )
    if chosen is not None:
        if by_columns and by_columns[0] != chosen:
            raise MixedLogsError(
                f"the frame is said to be {chosen!r}, but {min(only[by_columns[0]])!r} is a field"
                f" of {by_columns[0]!r} alone"
            )
        return chosen
    if by_columns:
        return by_columns[0]
    raise ConfigurationError(
        "cannot tell which log this frame is from its provenance or columns:"
        f" pass {either_log('log={!r}'.format)}"
    )


def require_frame(table: Any, *, what: str, wanted: str = "a table of pandas") -> None:
    """Raise `ConfigurationError` unless a pandas table with columns was passed."""
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(f"{what} takes {wanted}, not {type(table).__name__}")


def require_rows_once(table: pd.DataFrame, *, what: str) -> None:
    """Raise `ConfigurationError` if two rows of a table have one label."""
    if table.index.has_duplicates:
        raise ConfigurationError(f"{what} needs each row once, and this table has some twice")


def require_one_frame(frame: pd.DataFrame, *, what: str) -> None:
    """Raise `ConfigurationError` unless a frame was passed, of one source of records.

    The reasons against the values of a frame look like one, and are not.
    """
    require_frame(frame, what=what, wanted="a frame")
    if {dtype.kind for dtype in frame.dtypes} == {"u"}:
        raise ConfigurationError(
            f"{what} takes a frame, and these are the reasons of eyelog.flag: pass"
            " mask(frame, reasons), or plot_quality(reasons)"
        )
    one_source(frame, what=what)


_ONE_SOURCE: Final = (
    "pass the rows of each wearer or device on their own; of files, eyelog.read(...,"
    " device=)"
    " chooses one"
)


def _refuse_other_values(several: pd.DataFrame, what: str) -> None:
    """Raise if rows with one stamp have different values; missing values do not count."""
    index = cast(pd.DatetimeIndex, several.index)
    differing = several.groupby(index).nunique(dropna=True).gt(1).any(axis=1)
    if differing.any():
        first, count = differing.index[differing][0], int(differing.sum())
        where = f"{count:,} stamps" if count > 1 else "1 stamp"
        raise ConfigurationError(
            f"{what} takes the records of one wearer and device, and this frame has several rows"
            f" with different values on {where} (the first {first:%Y-%m-%d %H:%M:%S}):"
            f" {_ONE_SOURCE}"
        )


def require(frame: pd.DataFrame, names: Iterable[str], *, purpose: str, made_by: str = "") -> None:
    """Raise `FieldError` naming the columns of `names` that `frame` lacks.

    Of a table that a function makes, `made_by` is its call, for those who pass the frame itself.
    """
    names = list(names)
    for name in names:
        if not isinstance(name, Hashable):
            raise ConfigurationError(f"{purpose} takes the name of one column, not {name!r}")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        hint = near(missing[0], map(str, frame.columns))
        if any(missing[0] in columns(log) for log in known_logs()):
            hint = ": ask for it too"
        if made_by and any(set(frame.columns) & set(columns(log)) for log in known_logs()):
            hint = f": pass {made_by}"
        raise FieldError(
            f"{purpose} needs {', '.join(map(repr, missing))}, which this table does not have{hint}"
        )


@takes_tables
def between_time(frame: pd.DataFrame, first: str, last: str) -> pd.DataFrame:
    """Return the rows that open between two local clock times.

    The stamp of a record closes its interval, so ``between_time(frame, "09:00", "17:00")`` returns
    the stamps after 09:00:00 up to and including 17:00:00. Where `first` is later than `last` the
    range crosses midnight.

    Parameters
    ----------
    frame : DataFrame
        Indexed by time-zone aware stamps. If it has the column ``utc_offset_min``, the clock times
        are those of the wearer's own clock. The stamps of bins and of Intervals open them.
    first, last : str
        Clock times, ``"HH:MM"`` or ``"HH:MM:SS"``; ``"24:00"`` is the end of the day.

    Returns
    -------
    DataFrame
        The rows in that range, with the same dtypes and provenance. Records and Intervals have one
        more column, the text ``between`` (``"09:00-17:00"``): the coverage in summaries of them is
        that of the hours asked for. Put together (`pandas.concat`), a morning and an afternoon ask
        for both.

    Raises
    ------
    ConfigurationError
        If a time is not a clock time, or the index holds no stamps.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> morning = el.between_time(frame, "09:00", "12:00")
    >>> sorted(set(morning.index.hour))
    [9, 10, 11, 12]
    >>> el.coverage(morning)["expected_h"].unique()
    array([3.])
    """
    index = frame.index if isinstance(frame, pd.DataFrame | pd.Series) else None
    if not isinstance(index, pd.DatetimeIndex):
        raise ConfigurationError(
            f"between_time needs a frame with a DatetimeIndex of stamps, not {type(frame).__name__}"
        )
    low, high = _clock_us(first), _clock_us(last)
    length_us, cut = 1, isinstance(frame, pd.DataFrame) and RECORDED in frame.columns
    if cut or is_resampled(frame):
        length_us = 0
    elif isinstance(frame, pd.DataFrame):
        with suppress(ConfigurationError):  # no records: their stamps close rows of any length
            length_us, cut = log_named(log_of(frame)).interval_us, True
    of_day = clock_of(frame).wall_us(microseconds(index) - length_us) % DAY_US
    inside = (of_day >= low) & (of_day < high)
    if low > high:
        inside = (of_day >= low) | (of_day < high)
    chosen = frame[inside]
    if cut and (high - low) % DAY_US:
        times = pd.Series(f"{first}-{last}", chosen.index, dtype="str")
        chosen = chosen.copy().assign(**{BETWEEN: times})  # a copy is in one piece
        chosen.attrs = dict(frame.attrs)
    return chosen


def seconds_between(
    texts: Iterable[str], clock: LocalClock, opens: Ints, closes: Ints
) -> npt.NDArray[np.float64]:
    """Return the seconds of spans of time within the clock times of the column `BETWEEN`."""
    ends = clock.wall_us(np.array([opens.min(), closes.max()])) // DAY_US
    midnights = np.arange(ends[0] - 2, ends[1] + 3) * DAY_US
    parts = []
    for each in {each for text in map(str, texts) for each in text.split(",")}:
        first, dash, last = each.partition("-")
        if not dash:
            raise ConfigurationError(
                f"column {BETWEEN!r} holds {each!r}, not clock times such as '09:00-17:00',"
                " which eyelog.between_time writes: give your own column another name"
            )
        low, high = _clock_us(first), _clock_us(last)
        later = midnights + high + DAY_US * (low > high)
        parts.append((clock.instants(midnights + low), clock.instants(later)))
    begin, end = (np.concatenate(side) for side in zip(*parts, strict=True))
    order = np.argsort(begin)
    begin, end = begin[order], np.maximum.accumulate(end[order])
    begin[1:] = np.maximum(begin[1:], end[:-1])  # each moment once
    until = np.concatenate([[0], np.cumsum(end - begin)])

    def passed(at: Ints) -> Any:
        number = np.searchsorted(begin, at, side="right")
        return until[number] - np.maximum(end[number - 1] - at, 0) * (number > 0)

    return np.asarray((passed(closes) - passed(opens)) / 1e6, dtype=np.float64)


def _clock_us(text: str) -> int:
    parts = text.split(":") if isinstance(text, str) else []
    if len(parts) in (2, 3) and all(len(p) == 2 and p.isdigit() for p in parts):
        hours, minutes, seconds = (*map(int, parts), 0)[:3]
        total = hours * 3600 + minutes * 60 + seconds
        if minutes < 60 and seconds < 60 and total <= 86_400:
            return total * 1_000_000
    raise ConfigurationError(f"{text!r} is not a clock time: write it as 09:00 or 17:30:00")


def interval_seconds(table: pd.DataFrame | pd.Series, log: str | None = None) -> float:
    """Return how long one row of a table lasts, in seconds: the same rule for all tables.

    Parameters
    ----------
    table : DataFrame or Series
        A frame of a log, raw or resampled, or any table or Series indexed by stamps.
    log : str, optional
        The log, if neither provenance nor columns show it.

    Returns
    -------
    float
        - Records: the interval of their log, 15 or 60 seconds, whatever is missing from them.
        - Bins: the usual distance between neighbours, of which some may be cut short at midnight.
        - Any other table, and a Series: the smallest distance between neighbouring stamps, whatever
          is missing between them; NaN for fewer than two rows.
    """
    bins = is_resampled(table)
    if isinstance(table, pd.DataFrame) and not bins:
        try:
            return float(log_named(log_of(table, log)).interval_s)
        except ConfigurationError:
            pass  # no frame of a log
    index = table.index
    if not isinstance(index, pd.DatetimeIndex) or len(index) < 2:
        return float("nan")
    us = index.as_unit("us").asi8
    distances = np.diff(us if index.is_monotonic_increasing else np.sort(us))
    distances, times = np.unique(distances[distances > 0], return_counts=True)
    if not len(distances):
        return float("nan")
    return float(distances[times.argmax()] if bins else distances[0]) / 1e6


def one_source(frame: pd.DataFrame, *, what: str, log: str | None = None) -> None:
    """Raise `ConfigurationError` if a frame holds the records of several wearers or devices.

    That is the case if its index has the level ``account``, if rows with one stamp have different
    values, or if records interleave for more than 5 minutes or 1 % of them. Rows with the same
    stamp and the same values are repeats.
    """
    if ACCOUNT in frame.index.names:
        held = frame.index.unique(ACCOUNT).astype(str).tolist()
        shown = listed(held, 3)
        one = held[0] if held else "..."
        raise ConfigurationError(
            f"{what} takes the records of one wearer, and this table is of several ({shown}): pass"
            f" one, table.xs({one!r}, level='account')"
        )
    index = frame.index
    if not isinstance(index, pd.DatetimeIndex) or len(index) < 2:
        return
    us = microseconds(index)
    if not (us[1:] > us[:-1]).all():
        _refuse_other_values(frame[index.duplicated(keep=False)], what)
    if is_resampled(frame):
        return
    if log is None:
        with suppress(ConfigurationError):  # it may be no frame of a log
            log = log_of(frame)
    seconds = interval_seconds(frame) if log is None else float(log_named(log).interval_s)
    if np.isnan(seconds):
        return
    length_us = round(seconds * 1e6)
    packets = log is not None and log_named(log).numbers_packets
    overlap = crowding(us, length_us) if packets else overlaps(us, None, length_us)
    if overlap.too_much:
        first, last = (
            pd.Timestamp(edge, unit="us", tz="UTC").tz_convert(index.tz)
            for edge in (overlap.first, overlap.last)
        )
        raise ConfigurationError(
            f"{what} takes the records of one wearer and device, and rows of this frame overlap by"
            f" {duration_text(overlap.doubled_us)} {span_text(first, last)}: {_ONE_SOURCE}"
        )


def is_resampled(frame: Any) -> bool:
    """Return whether the rows are results, as the bins of `eyelog.resample` are, not records."""
    if isinstance(frame, pd.Series):
        return False
    return {"n", "coverage"} <= set(frame.columns) and RECORDED not in frame.columns


def named_by_opening(frame: Any) -> bool:
    """Return whether the stamps open the rows, as those of bins and Intervals do."""
    return isinstance(frame, pd.DataFrame) and (RECORDED in frame.columns or is_resampled(frame))


def in_zones(frame: pd.DataFrame, zones: Zones) -> pd.DataFrame:
    """Return records on the clock of their wearer; `frame` is not used afterwards.

    The index is in the home zone. Where the zones vary, `OFFSET` is the last column.
    """
    frame = frame.drop(columns=OFFSET) if OFFSET in frame.columns else frame
    index = stamps(frame, what="the frame").tz_convert(zone(zones.home))
    frame.index = index
    if zones.vary:
        frame[OFFSET] = zones.offset_min(index)
    return frame


def in_own_offsets(frame: pd.DataFrame, home: str | None = None) -> pd.DataFrame:
    """Return records on the clock that `OFFSET` shows for each; `frame` is not used afterwards.

    The index is in the zone `home`, by default in the offset of the first record. If all records
    have the offset of that zone, there is no such column.

    Raises
    ------
    ConfigurationError
        If some records have an offset and others do not.
    """
    index = cast(pd.DatetimeIndex, frame.index)
    values = frame[OFFSET] if OFFSET in frame.columns else pd.Series(np.nan, index=index)
    minutes = values.to_numpy(np.float64, na_value=np.nan)
    lacking = int(np.isnan(minutes).sum())
    if lacking and lacking < len(minutes):
        raise ConfigurationError(
            f"{lacking:,} of {len(minutes):,} dates are written without an offset, or in UTC (Z),"
            f" which does not show the wearer's clock: name the zone, such as"
            f" tz='Europe/Berlin', or"
            " give a table of zones (eyelog.Zones)"
        )
    complete = len(minutes) and not lacking
    zones = Zones(home or (offset_name(minutes[0]) if complete else "UTC"))
    frame = in_zones(frame, zones)
    if complete and (zones.offset_min(index) != minutes).any():
        frame[OFFSET] = minutes
    return frame


def zones_of(frame: pd.DataFrame) -> Zones:
    """Return the zones that a frame shows: those of its offsets, else that of its index."""
    index = stamps(frame, what="the frame")
    offsets = frame[OFFSET].sort_index().ffill().bfill() if OFFSET in frame.columns else None
    if offsets is None or not len(offsets) or offsets.isna().any():
        return Zones(str(index.tz))
    minutes = offsets.to_numpy(np.float64)
    return zones_of_offsets(pd.DatetimeIndex(offsets.index), minutes)


def with_text_stamps(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with stamps as text in their own offset, dates as 2026-10-24, and seconds.

    pandas would write a space in a stamp, and spans of time as text or as large numbers.
    """
    out = table.copy()
    for name in out.columns:
        if isinstance(out[name].dtype, pd.DatetimeTZDtype):
            times = pd.DatetimeIndex(out[name]).to_pydatetime()
            out[name] = [None if time is pd.NaT else time.isoformat() for time in times]
        elif pd.api.types.is_datetime64_any_dtype(out[name].dtype):
            out[name] = [None if pd.isna(day) else day.date().isoformat() for day in out[name]]
        elif pd.api.types.is_timedelta64_dtype(out[name].dtype):
            out[name] = out[name].dt.total_seconds()
    return out


# The history of a table, in ``frame.attrs["eyelog"]``, small and JSON-safe: the log and the account
# of the values, and the steps that were applied to them. It has no clock time, so the same steps on
# the same data give the same history.

KEY = "eyelog"


class _Shared(dict[str, Any]):
    """The history that copies of a table share: it is replaced, never changed.

    pandas deep-copies ``attrs`` whenever a column is taken, which would take longer than most
    operations on the column.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Shared":
        return self


class Remembering(Protocol):
    """An object with a history: a pandas table, or its columns as arrays."""

    attrs: dict[Any, Any]


def record(
    frame: Table,
    step: str,
    /,
    *,
    log: str | None = None,
    account: str | None = None,
    **details: Any,
) -> Table:
    """Append one step to the history of a new table of the caller and return it.

    `details` must be JSON-safe.
    """
    old: dict[str, Any] = frame.attrs.get(KEY, {})
    entry = _Shared(old)
    if log is not None:
        entry["log"] = log
    if account is not None:
        entry["account"] = account
    entry["history"] = [*old.get("history", []), {"step": step, **details}]
    frame.attrs = {**frame.attrs, KEY: entry}
    return frame


def derived(table: Table, source: Remembering, step: str, /, **details: Any) -> Table:
    """Give a new table the attrs of its source, with one step added; return the table."""
    table.attrs = dict(source.attrs)
    return record(table, step, **details)


def history(frame: Remembering) -> list[dict[str, Any]]:
    """Return the steps recorded in `frame`, oldest first (empty if there are none)."""
    return list(cast(dict[str, Any], frame.attrs.get(KEY, {})).get("history", []))


def stated_log(frame: Remembering) -> str | None:
    """Return the log named in the provenance, or None."""
    return cast(dict[str, Any], frame.attrs.get(KEY, {})).get("log")


def stated_account(frame: pd.DataFrame | pd.Series) -> str | None:
    """Return the account named in the provenance, or None."""
    return cast(dict[str, Any], frame.attrs.get(KEY, {})).get("account")
