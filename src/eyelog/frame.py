"""The one shape of a frame, wherever its data come from.

Index: `DatetimeIndex` named ``date``, aware, sorted, unique, microseconds. Columns: catalogue
order, unknown ones last. Dtypes: fixed by the catalogue, never by the values of the day.
"""

import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, cast

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
    LocalClock,
    Zones,
    local_clock,
    microseconds,
    offset_name,
    time_of_day_us,
    zone,
    zones_of_offsets,
)
from eyelog.errors import (
    ConfigurationError,
    EyelogWarning,
    FieldError,
    MixedLogsError,
    argument,
    listed,
)
from eyelog.overlap import crowding, duration_text, overlaps, span_text
from eyelog.provenance import history, stated_log

__all__ = [
    "ACCOUNT",
    "BIN_WIDTH",
    "OFFSET",
    "OWN_COLUMNS",
    "STORED",
    "between",
    "bin_widths",
    "clock_of",
    "conform",
    "empty",
    "in_own_offsets",
    "in_zones",
    "interval_seconds",
    "is_resampled",
    "log_of",
    "one_source",
    "own_share",
    "refuse_lost_stored",
    "require",
    "require_frame",
    "require_one_frame",
    "require_single_intervals",
    "stamps",
    "warn_unknown",
    "zones_of",
]

# Everything needed to read a table correctly is in its columns and index, never in its history
# alone.
STORED: Final = "stored"  # boolean: the eyewear was off pose; `mask` adds it
OFFSET: Final = "utc_offset_min"  # minutes east of UTC, if the wearer's zone varies
BIN_WIDTH: Final = "bin_s"  # seconds of each bin; `resample` adds it
ACCOUNT: Final = "account"  # the index level of a table of several wearers
OWN_COLUMNS: Final = (OFFSET, STORED)  # columns of a frame that are not fields of a log

_NAMED: Final = 10  # unknown fields that a warning names; the others are counted
DAY_S: Final = 86_400.0
CLOCK_CHANGE_US: Final = 7_200_000_000
MOST_OF_A_DAY_US: Final = DAY_US - CLOCK_CHANGE_US


def empty(log: str, *, tz: str = "UTC", names: Iterable[str] | None = None) -> pd.DataFrame:
    """Return a frame of `log` without rows, in the shape of every other frame."""
    by_name = catalogue(log)
    chosen = columns(log) if names is None else tuple(names)
    index = pd.DatetimeIndex([], dtype="datetime64[us, UTC]", name="date").tz_convert(zone(tz))
    data = {name: pd.Series([], dtype=by_name[name].dtype, index=index) for name in chosen}
    return pd.DataFrame(data, index=index, columns=pd.Index(chosen, dtype="str"))


def conform(frame: pd.DataFrame, log: str, *, tz: str | None = None) -> pd.DataFrame:
    """Return `frame` with the index and columns of the one shape.

    The columns that are present are put in catalogue order with the catalogue's dtypes; unknown
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
    warn_unknown(log, [name for name in unknown if name not in OWN_COLUMNS])
    unknown.sort(key=lambda name: OWN_COLUMNS.index(name) if name in OWN_COLUMNS else -1)
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


def clock_of(
    table: pd.DataFrame | pd.Series, *, log: str | None = None, stamp: str = "end"
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
    if BIN_WIDTH in frame.columns:
        seconds = frame[BIN_WIDTH].to_numpy(dtype="float64", na_value=0.0)
    else:
        seconds = np.asarray(interval_seconds(frame, log))
    return local_clock(
        index,
        frame[OFFSET].to_numpy(dtype="float64", na_value=np.nan),
        width_us=np.rint(np.nan_to_num(seconds) * 1e6).astype(np.int64),
        stamp=stamp,
    )


def warn_unknown(log: str, names: Sequence[object]) -> None:
    """Warn the caller's caller that fields unknown to the catalogue were kept."""
    names = [name for name in names if name != OFFSET]
    if names:
        warnings.warn(
            f"unknown fields in log {log!r} kept as they are:"
            f" {listed((str(name)[:64] for name in names), _NAMED)}",
            EyelogWarning,
            stacklevel=3,
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
        f" pass {either_log(partial(argument, 'log'))}"
    )


def _maker(table: pd.DataFrame) -> str:
    """Return the function that returned a table which does not hold records, else nothing."""
    # Reasons are unsigned integers, which values of a log never are.
    if len(table.columns) and all(getattr(kind, "kind", "O") == "u" for kind in table.dtypes):
        return "flag"
    steps = history(table)
    # The rows of a summary are groups, which do not have one length.
    summary = bool(steps) and "interval_s" in steps[-1] and steps[-1]["interval_s"] is None
    return str(steps[-1]["step"]) if summary else ""


def require_frame(table: Any, *, what: str, wanted: str = "a table of pandas") -> None:
    """Raise `ConfigurationError` unless a pandas table with columns was passed."""
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(f"{what} takes {wanted}, not {type(table).__name__}")


def require_one_frame(frame: pd.DataFrame, *, what: str) -> None:
    """Raise `ConfigurationError` unless a frame was passed, of one source of records.

    The reasons against the values of a frame look like one, and are not.
    """
    require_frame(frame, what=what, wanted="a frame")
    if _maker(frame) == "flag":
        raise ConfigurationError(
            f"{what} takes a frame, and these are the reasons of eyelog.flag: pass"
            " mask(frame, reasons), or plot_quality(reasons)"
        )
    one_source(frame, what=what)


_ONE_SOURCE: Final = (
    f"pass the rows of each wearer or device on their own; of files, eyelog.read(...,"
    f" {argument('device')})"
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


def require(frame: pd.DataFrame, names: Iterable[str], *, purpose: str) -> None:
    """Raise `FieldError` naming the columns of `names` that `frame` lacks."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        hint = near(missing[0], map(str, frame.columns))
        if any(missing[0] in columns(log) for log in known_logs()):
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
        Indexed by time-zone aware stamps. If it has the column ``utc_offset_min``, the clock times
        are those of the wearer's own clock.
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
    of_day = time_of_day_us(index, clock=clock_of(frame))
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
        - Bins: their width (``bin_s``), of which some may be cut short at midnight.
        - Any other table, and a Series: the smallest distance between neighbouring stamps, whatever
          is missing between them; NaN for fewer than two rows.

    Raises
    ------
    ConfigurationError
        If the table has bins of several widths.
    """
    if isinstance(table, pd.DataFrame):
        if is_resampled(table):
            return _bin_width(table)
        try:
            return float(log_named(log_of(table, log)).interval_s)
        except ConfigurationError:
            pass  # no frame of a log
    index = table.index
    if not isinstance(index, pd.DatetimeIndex) or len(index) < 2:
        return float("nan")
    us = index.as_unit("us").asi8
    distances = np.diff(us if index.is_monotonic_increasing else np.sort(us))
    distances = distances[distances > 0]
    return float(distances.min()) / 1e6 if len(distances) else float("nan")


def _bin_width(bins: pd.DataFrame) -> float:
    """Return the width of bins in seconds; those that midnight or the clock cut are shorter."""
    widths = bin_widths(bins)
    if not len(widths):
        return float("nan")
    width, least = float(widths.max()), float(widths.min())
    if width == least < DAY_S:
        return width
    days = np.rint(widths / DAY_S)
    if days[0] and (days == days[0]).all() and (np.abs(widths - days * DAY_S) <= 7200).all():
        return float(days[0]) * DAY_S  # the clocks make a day of 23 or 25 hours
    index = bins.index
    if isinstance(index, pd.DatetimeIndex):
        short, clock = widths < width, clock_of(bins)
        us, long = microseconds(index[short]), np.rint(widths[short] * 1e6).astype(np.int64)
        # Their stamps close them, or open them.
        for opens, closes in ((us - long, us), (us, us + long)):
            cut = clock.wall_us(closes - 1) % DAY_US + 1 == DAY_US
            if clock.tz is None:
                cut |= np.isin(opens, clock.since) | np.isin(closes, clock.since)
            if cut.all():
                return width
    raise ConfigurationError(
        f"bins of several widths stand in this table ({least:g} s and {width:g} s): pass those of"
        f" one width, such as bins[bins[{BIN_WIDTH!r}] == {width:g}]"
    )


def bin_widths(bins: Any) -> npt.NDArray[np.float64]:
    """Return the seconds of each bin of a resampled frame.

    Raises
    ------
    ConfigurationError
        If a width is missing or not above 0.
    """
    widths = np.asarray(pd.to_numeric(pd.Series(bins[BIN_WIDTH]), errors="coerce"), dtype="float64")
    if not (widths > 0).all():
        raise ConfigurationError(
            f"{int((~(widths > 0)).sum())} rows have no width ({BIN_WIDTH!r}): a table of bins has"
            " no other rows, so do not mix it with records"
        )
    return widths


def own_share(index: pd.Index, length_s: float) -> npt.NDArray[np.float64] | None:
    """Return the share of each record that no earlier record covers; None if none overlap.

    When a new connection starts, its first record may cover time that the last record of the
    previous connection has covered: each second counts once.

    Parameters
    ----------
    index : Index
        The stamps of the records.
    length_s : float
        Seconds of one record.
    """
    if not isinstance(index, pd.DatetimeIndex) or len(index) < 2:
        return None
    length_us = round(length_s * 1e6)
    us, order = microseconds(index), None
    if not index.is_monotonic_increasing:
        order = np.argsort(us, kind="stable")
        us = us[order]
    distances = np.diff(us)
    if distances.min() >= length_us:
        return None
    lost = length_us - distances
    # A late stamp makes the next one look early: the spare time of a neighbour is not lost.
    beside = np.concatenate([[0], lost, [0]])
    lost = np.clip(np.minimum(lost, lost + np.minimum(beside[:-2], beside[2:])), 0, None)
    share = np.ones(len(index))
    share[1:] -= lost / length_us
    if order is None:
        return share
    back = np.empty_like(share)
    back[order] = share
    return back


def one_source(frame: pd.DataFrame, *, what: str, stamp: str = "end") -> None:
    """Raise `ConfigurationError` if a frame holds the records of several wearers or devices.

    That is the case if its index has the level ``account``, if rows with one stamp have different
    values, if records interleave for more than 5 minutes or 1 % of them, or if bins overlap. Rows
    with the same stamp and the same values are repeats.
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
        _refuse_overlapping_bins(frame, stamp)
        return
    seconds = interval_seconds(frame)
    if np.isnan(seconds):
        return
    length_us = round(seconds * 1e6)
    packets = _numbers_packets(frame)
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


def _numbers_packets(frame: pd.DataFrame) -> bool:
    """Return whether the rows of a frame are packets, whose stamps are uneven."""
    try:
        return log_named(log_of(frame)).numbers_packets
    except ConfigurationError:
        return False  # no frame of a log


def _refuse_overlapping_bins(bins: pd.DataFrame, stamp: str) -> None:
    widths, us = bin_widths(bins), microseconds(cast(pd.DatetimeIndex, bins.index))
    order = np.argsort(us, kind="stable")
    own = np.rint(widths[order] * 1e6).astype(np.int64)
    twice = (own[1:] if stamp == "end" else own[:-1]) - np.diff(us[order])
    # A day is as long as its date: where the clocks repeat a midnight, a later one lies within it.
    over = (twice > 0) & ~((own[1:] > MOST_OF_A_DAY_US) & (twice <= CLOCK_CHANGE_US))
    if over.any():
        at = bins.index[order[int(np.argmax(over)) + 1]]
        more = f" (and {int(over.sum()) - 1:,} times more)" if over.sum() > 1 else ""
        raise ConfigurationError(
            f"bins overlap at {at:%Y-%m-%d %H:%M:%S}{more}, so their records would count twice:"
            " keep bins that follow one another"
        )


def refuse_lost_stored(frame: pd.DataFrame) -> None:
    """Raise `ConfigurationError` if a masked frame lacks the column ``stored``.

    The tilt that showed stored eyewear is masked with the rest, so without this column its time
    would count as worn.
    """
    if STORED in frame.columns or is_resampled(frame):
        return
    if any(step["step"] in ("mask", "select") for step in history(frame)):
        raise ConfigurationError(
            f"the frame was masked and has lost its column {STORED!r}, without which stored eyewear"
            f" would count as worn: keep it, frame[[..., {STORED!r}]]"
        )


def is_resampled(frame: Any) -> bool:
    """Return whether the rows are bins of `eyelog.resample`, not intervals of the eyewear."""
    return not isinstance(frame, pd.Series) and BIN_WIDTH in frame.columns


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
            f" {argument('tz', 'Europe/Berlin')}, or"
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
