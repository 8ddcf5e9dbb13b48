"""The one shape of a frame, wherever its data come from.

Index: `DatetimeIndex` named ``date``, aware, sorted, unique, microseconds. Columns: catalogue
order, unknown ones last. Dtypes: fixed by the catalogue, never by the values of the day.
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import (
    INTERVAL_SECONDS,
    LOGS,
    catalogue,
    check_log,
    columns,
    near,
)
from eyelog.clock import (
    Zones,
    offset_name,
    time_of_day_us,
    zone,
    zones_of_offsets,
)
from eyelog.errors import ConfigurationError, EyelogWarning, FieldError, MixedLogsError
from eyelog.provenance import Remembering, history, stated_log

__all__ = [
    "ACCOUNT",
    "BIN_WIDTH",
    "OFFSET",
    "STORED",
    "between",
    "conform",
    "empty",
    "in_own_offsets",
    "in_zones",
    "interval_seconds",
    "is_resampled",
    "log_of",
    "refuse_reasons",
    "require",
    "require_frame",
    "require_single_intervals",
    "stamps",
    "warn_unknown",
    "zones_of",
]

# What a table needs to be read right stands in its columns and index, never in its history alone.
STORED: Final = "stored"  # boolean: the eyewear was off pose; `mask` adds it
OFFSET: Final = "utc_offset_min"  # minutes east of UTC, if the wearer's zone varies
BIN_WIDTH: Final = "bin_s"  # seconds of each bin; `resample` adds it
ACCOUNT: Final = "account"  # the index level of a table of several wearers


def empty(log: str, *, tz: str = "UTC", names: Iterable[str] | None = None) -> pd.DataFrame:
    """Return a frame of `log` without rows, in the shape of every other frame."""
    by_name = catalogue(log)
    chosen = columns(log) if names is None else tuple(names)
    index = pd.DatetimeIndex([], dtype="datetime64[us, UTC]", name="date").tz_convert(zone(tz))
    data = {name: pd.Series([], dtype=by_name[name].dtype, index=index) for name in chosen}
    return pd.DataFrame(data, index=index, columns=pd.Index(chosen, dtype="str"))


def conform(frame: pd.DataFrame, log: str, *, tz: str | None = None) -> pd.DataFrame:
    """Return `frame` with the index and columns of the one shape.

    The columns that are present come in catalogue order with the catalogue's dtypes; unknown
    columns are kept last, unchanged, with a warning. Rows are sorted by time; of several rows with
    the same stamp the last one is kept.

    Raises
    ------
    ConfigurationError
        If the index is not an aware `DatetimeIndex`.
    """
    by_name = catalogue(log)
    index = stamps(frame, what="the frame")
    index = index.tz_convert(index.tz if tz is None else zone(tz)).as_unit("us").rename("date")
    index = pd.DatetimeIndex(index, freq=cast(Any, None))  # it would follow from the data
    chosen = [name for name in columns(log) if name in frame.columns]
    unknown = [name for name in frame.columns if name not in by_name]
    unknown.sort(key=lambda name: name == OFFSET)  # it is last
    warn_unknown(log, unknown)
    data: dict[Any, Any] = {
        name: frame[name].astype(cast(Any, by_name[name].dtype)).array for name in chosen
    } | {name: frame[name].array for name in unknown}
    shaped = pd.DataFrame(data, index=index, columns=pd.Index([*chosen, *unknown]))
    shaped.attrs = dict(frame.attrs)
    if not index.is_monotonic_increasing:
        shaped = shaped.iloc[np.argsort(index.asi8, kind="stable")]
    if shaped.index.has_duplicates:
        shaped = shaped[~shaped.index.duplicated(keep="last")]
    return shaped


def stamps(table: pd.DataFrame | pd.Series, *, what: str) -> pd.DatetimeIndex:
    """Return the aware stamps that index a table, or raise `ConfigurationError` for `what`."""
    index = table.index
    if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        raise ConfigurationError(
            f"{what} needs a time-zone aware DatetimeIndex of stamps"
            " (frame.set_index('date'), then tz_localize or tz_convert)"
        )
    return index


def warn_unknown(log: str, names: Sequence[object]) -> None:
    """Warn the caller's caller that fields unknown to the catalogue were kept."""
    names = [name for name in names if name != OFFSET]
    if names:
        warnings.warn(
            f"unknown fields in log {log!r} kept as they are: {', '.join(map(str, names))}",
            EyelogWarning,
            stacklevel=3,
        )


def log_of(frame: pd.DataFrame, log: str | None = None) -> str:
    """Return which log a frame is: the one named, else by its provenance, else by its columns.

    Raises
    ------
    MixedLogsError
        If `log`, the provenance and the columns contradict one another.
    ConfigurationError
        If neither shows it; the message says to pass ``log=``.
    """
    if not isinstance(frame, pd.DataFrame):
        raise ConfigurationError(
            f"a frame of one log is needed (a pandas DataFrame), not {type(frame).__name__}"
        )
    maker = _maker(frame)
    if maker:
        raise ConfigurationError(
            f"a frame of records is needed, and this is a table that eyelog.{maker} returned: pass"
            " the frame that it was made from"
        )
    stated = stated_log(frame)
    chosen = stated if log is None else check_log(log)
    if stated is not None and chosen != stated:
        raise MixedLogsError(f"the frame holds {stated!r}, not {chosen!r}")
    names = set(map(str, frame.columns.tolist()))
    only = {which: names & (set(columns(which)) - set(columns(_other(which)))) for which in LOGS}
    # The names with sc_ differ between the logs, so one exclusive name decides.
    by_columns = [which for which in LOGS if only[which]]
    if len(by_columns) == 2:
        raise MixedLogsError(
            f"the two logs are in one frame ({min(only[LOGS[0]])!r} is of {LOGS[0]!r},"
            f" {min(only[LOGS[1]])!r} of {LOGS[1]!r}): keep them in separate frames"
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
        f" pass log={LOGS[0]!r} or log={LOGS[1]!r}"
    )


def _maker(table: pd.DataFrame) -> str:
    """Return the function that returned a table which does not hold records, else nothing."""
    steps = history(table)
    if not steps:
        return ""
    name = str(steps[-1]["step"])
    # Reasons are integers, which values of a log never are; groups do not have one length.
    reasons = name == "flag" and all(getattr(dtype, "kind", "O") == "u" for dtype in table.dtypes)
    summary = "interval_s" in steps[-1] and steps[-1]["interval_s"] is None
    return name if (reasons and len(table.columns)) or summary else ""


def require_frame(table: Any, *, what: str, wanted: str = "a table of pandas") -> None:
    """Raise `ConfigurationError` unless a pandas table with columns was passed."""
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(f"{what} takes {wanted}, not {type(table).__name__}")


def refuse_reasons(frame: pd.DataFrame, *, what: str) -> None:
    """Raise `ConfigurationError` unless a frame was passed, not the reasons against its values."""
    require_frame(frame, what=what, wanted="a frame")
    if _maker(frame) == "flag":
        raise ConfigurationError(
            f"{what} takes a frame, and these are the reasons of eyelog.flag: pass"
            " mask(frame, reasons), or plot_quality(reasons)"
        )


def _other(log: str) -> str:
    return LOGS[1 - LOGS.index(log)]


def require(frame: pd.DataFrame, names: Iterable[str], *, purpose: str) -> None:
    """Raise `FieldError` naming the columns of `names` that `frame` lacks."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        hint = near(missing[0], map(str, frame.columns))
        if any(missing[0] in columns(log) for log in LOGS):
            hint = ": ask for it too"
        raise FieldError(
            f"{purpose} needs {', '.join(map(repr, missing))}, which this table does not have{hint}"
        )


def require_single_intervals(frame: pd.DataFrame, what: str) -> None:
    """Raise `ConfigurationError` if the rows are bins, not intervals of the eyewear."""
    if is_resampled(frame):
        raise ConfigurationError(
            f"{what} needs single intervals and this frame is resampled: pass the frame from"
            " before resample"
        )


def between(frame: pd.DataFrame, first: str, last: str) -> pd.DataFrame:
    """Return the rows whose time of day lies between two local clock times.

    Intervals are right-closed (a record stamped 10:00:00 covers the interval before it), so
    ``between(frame, "09:00", "17:00")`` returns the stamps after 09:00:00 up to and including
    17:00:00. Where `first` is later than `last` the range crosses midnight.

    Parameters
    ----------
    frame : DataFrame
        Indexed by time-zone aware stamps.
    first, last : str
        Clock times, ``"HH:MM"`` or ``"HH:MM:SS"``; ``"24:00"`` is the end of the day.

    Returns
    -------
    DataFrame
        The rows in that range, with the same columns, dtypes and provenance.

    Raises
    ------
    ConfigurationError
        If a time is not a clock time, or the index holds no stamps.

    Examples
    --------
    >>> import eyelog as el
    >>> morning = el.between(el.sample("standard_mode_logs"), "09:00", "12:00")
    >>> sorted(set(morning.index.hour))
    [9, 10, 11, 12]
    """
    index = frame.index if isinstance(frame, pd.DataFrame | pd.Series) else None
    if not isinstance(index, pd.DatetimeIndex):
        raise ConfigurationError(
            f"between needs a frame with a DatetimeIndex of stamps, not {type(frame).__name__}"
        )
    low, high = _clock_us(first), _clock_us(last)
    of_day = time_of_day_us(index)
    inside = (of_day > low) & (of_day <= high)
    if low > high:
        inside = (of_day > low) | (of_day <= high)
    return frame[inside]


def _clock_us(text: str) -> int:
    parts = text.split(":") if isinstance(text, str) else []
    if len(parts) in (2, 3) and all(len(p) == 2 and p.isdigit() for p in parts):
        hours, minutes, seconds = (*map(int, parts), 0)[:3]
        total = hours * 3600 + minutes * 60 + seconds
        if minutes < 60 and seconds < 60 and total <= 86_400:
            return total * 1_000_000
    raise ConfigurationError(f"{text!r} is not a clock time: write it as 09:00 or 17:30:00")


def interval_seconds(table: pd.DataFrame | pd.Series, log: str | None = None) -> float:
    """Return how long one row of a table lasts, in seconds: the one rule for all.

    Parameters
    ----------
    table : DataFrame or Series
        A frame of a log, raw or resampled, one of its columns, or any table indexed by stamps.
    log : str, optional
        The log of a table whose provenance does not state it.

    Returns
    -------
    float
        - Raw frame: the interval of its log, 15 or 60 seconds, whatever is missing from it.
        - Resampled frame: the width of its bins, which `eyelog.resample` writes into the
          provenance.
        - Table without a stated length (a bare table, a daily table): the median distance of
          neighbouring rows.
        - Column (a Series): as its frame, unless all its rows lie further apart than that. Then
          pandas has averaged it since and kept the provenance, and the median distance is returned.
        - Fewer than two rows: the stated length, or NaN if there is none.
    """
    stated = _stated_seconds(table, log)
    if isinstance(table, pd.DataFrame) and not np.isnan(stated):
        return stated
    index = table.index
    if not isinstance(index, pd.DatetimeIndex) or len(index) < 2:
        return stated
    distances = np.diff(index.as_unit("us").asi8)
    if np.isnan(stated) or distances.min() > stated * 1e6:
        return float(np.median(distances)) / 1e6
    return stated


def _stated_seconds(table: pd.DataFrame | pd.Series, log: str | None) -> float:
    """Return the length of a row that the provenance states, else that of the log, else NaN."""
    for step in reversed(history(table)):
        if "interval_s" in step:
            return float("nan") if step["interval_s"] is None else float(step["interval_s"])
    which = stated_log(table) if log is None else log
    return float("nan") if which is None else float(INTERVAL_SECONDS[which])


def is_resampled(frame: Remembering) -> bool:
    """Return whether the rows are bins of `eyelog.resample`, not intervals of the eyewear."""
    return any(step.get("interval_s") is not None for step in history(frame))


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
    """Return records on the clock that each shows in `OFFSET`; `frame` is not used afterwards.

    The index is in the zone `home`, by default in the offset of the first record. Where all records
    have the offset of that zone there is no column.

    Raises
    ------
    ConfigurationError
        If some records have an offset and others have not.
    """
    index = cast(pd.DatetimeIndex, frame.index)
    values = frame[OFFSET] if OFFSET in frame.columns else pd.Series(np.nan, index=index)
    minutes = values.to_numpy(np.float64, na_value=np.nan)
    lacking = int(np.isnan(minutes).sum())
    if lacking and lacking < len(minutes):
        raise ConfigurationError(
            f"{lacking:,} of {len(minutes):,} dates are written without an offset, or in UTC (Z),"
            " which does not show the wearer's clock: name the zone, such as tz='Europe/Berlin', or"
            " give a table of zones (eyelog.Zones)"
        )
    known = len(minutes) and not lacking
    zones = Zones(home or (offset_name(minutes[0]) if known else "UTC"))
    frame = in_zones(frame, zones)
    if known and (zones.offset_min(index) != minutes).any():
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
