"""Counts per epoch in the CSV format that actigraphy programs read."""

import os
import warnings
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.summary import needed
from eyelog.analysis.limits import Limits, chosen_limits
from eyelog.analysis.quality.evidence import blink_evidence
from eyelog.analysis.resample import resample
from eyelog.analysis.series.durations import duration_us
from eyelog.archive.place import archive_errors
from eyelog.catalogue import catalogue, near, role
from eyelog.clock import DAY, day_start
from eyelog.disk.files import path_of, whole_file
from eyelog.errors import ConfigurationError, EyelogWarning, FieldError
from eyelog.frame import interval_seconds, log_of, require

__all__ = ["export_actigraphy"]

HEADER: Final = "Line,Date,Time,Activity,Nonwear"
WINDOW_S: Final = 900  # GGIR works in windows of 15 minutes


def export_actigraphy(
    frame: pd.DataFrame,
    path: str | os.PathLike[str],
    *,
    field: str = "stp",
    epoch: str = "1min",
    limits: Limits | None = None,
) -> Path:
    """Write counts per epoch as a CSV file that GGIR and pyActigraphy read.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log. It is judged first: values that `eyelog.flag` flags are not counted.
    path : str or path
        The ``.csv`` file to write.
    field : str
        The field to count: one that is summed, such as ``"stp"`` of the 15-second log, or
        ``"steps"`` for all steps of either log (the 60-second log counts them by speed, in four
        fields).
    epoch : str
        Length of an epoch: a whole multiple of the log's own interval that divides 15 minutes.
    limits : Limits, optional
        What counts as worn, noisy and walking, see `eyelog.Limits`.

    Returns
    -------
    Path
        The file, readable by its owner only.

    Raises
    ------
    FieldError
        If the frame does not have the field, or the field is not summed.
    ConfigurationError
        If the epoch is not such a length, the frame has no record or was masked with other limits,
        or `path` does not end with ``.csv``.
    ArchiveError
        If the file cannot be written.

    Warns
    -----
    EyelogWarning
        If the clocks change in the range: an epoch has one length, so the times keep the offset of
        the first day.

    Notes
    -----
    The file covers whole local days, without a gap. Lines that begin with ``#`` describe the
    content. Then come the header ``Line,Date,Time,Activity,Nonwear``, an empty line, and one line
    per epoch: its number from 1, the date (``2026-10-24``) and clock time (``09:00:00``) at which
    it *opens*, the count, and 1 if there is none. An epoch of which less than half was recorded and
    worn has the count ``NA``.

    GGIR reads it as ``dataFormat = "actiwatch_csv"`` with
    ``extEpochData_timeformat = "%Y-%m-%d %H:%M:%S"``, ``windowsizes = c(60, 900, 3600)`` (the first
    is the epoch in seconds) and ``desiredtz`` set to the zone of the frame. This follows
    ``GGIRread::readActiwatchCount`` and GGIR's vignette "Cookbook" ("Handling externally derived
    epoch data"): epochs numbered
    from 1 in the first column, column names two lines above the first epoch, names that contain
    date, time and activity, missing counts read as time not worn. GGIR looks for the epochs in line
    1000 first, and takes the first one to open a window of 15 minutes, as midnight does.

    pyActigraphy takes a Series with a constant frequency, as its page "How to read data from
    DataFrames" shows::

        table = pd.read_csv(path, comment="#")
        table.index = pd.to_datetime(table["Date"] + " " + table["Time"])
        table = table.asfreq(table.index[1] - table.index[0])
        raw = pyActigraphy.io.BaseRaw(
            name="anna", uuid=None, format="Pandas", axial_mode=None, start_time=table.index[0],
            period=table.index[-1] - table.index[0], frequency=table.index.freq,
            data=table["Activity"], light=None,
        )
        raw.mask = 1 - table["Nonwear"]

    Steps of eyewear are not the counts of a wrist-worn device: cut-points made for those do not
    apply.

    Examples
    --------
    >>> import eyelog as el, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = el.export_actigraphy(el.sample(), pathlib.Path(folder) / "steps.csv")
    ...     lines = path.read_text().splitlines()
    >>> lines[0]
    '# eyelog: stp (Steps, count per epoch of 60 s), Asia/Tokyo, UTC+09:00'
    >>> lines[1], lines[3]
    ('Line,Date,Time,Activity,Nonwear', '1,2026-10-19,00:00:00,NA,1')
    """
    target = path_of(path, what="export_actigraphy")
    if target.suffix.lower() != ".csv":
        raise ConfigurationError(f"cannot write {target.name}: end its name with .csv")
    log = log_of(frame)
    fields = role(log, "steps") if field == "steps" else (field,)
    _check_fields(frame, log, fields)
    seconds = _epoch_seconds(frame, epoch)
    if frame.empty:
        raise ConfigurationError("the frame has no record, so there is no epoch to write")
    chosen = chosen_limits(limits, frame)
    # Only the fields that judge it.
    used = [*fields, *role(log, "pace")]
    used += blink_evidence(log) if chosen.wear == "blinks" else ()
    part = frame[needed(frame, log, used)]
    part.attrs = dict(frame.attrs)
    bins = resample(part, f"{seconds}s", min_coverage=0.5, limits=chosen)[list(fields)]
    counts = bins.sum(axis=1, min_count=len(fields))
    index = cast(pd.DatetimeIndex, counts.index)
    opens, whole = _whole_days(index, seconds)
    values = counts.set_axis(index - pd.Timedelta(seconds, "s")).reindex(opens)
    offset = cast(timedelta, whole.utcoffset())
    table = pd.DataFrame(
        {
            "Line": np.arange(1, len(opens) + 1),
            "Date": (opens.tz_convert("UTC").tz_localize(None) + offset).strftime("%Y-%m-%d"),
            "Time": (opens.tz_convert("UTC").tz_localize(None) + offset).strftime("%H:%M:%S"),
            "Activity": values.to_numpy(),
            "Nonwear": values.isna().to_numpy().astype(np.int64),
        }
    )
    about = (
        f"# eyelog: {_described(log, fields)} per epoch of {seconds} s), {index.tz}, UTC{whole:%z}"[
            :-2
        ]
        + f":{f'{whole:%z}'[-2:]}\n"
    )
    with archive_errors(f"write {target}"), whole_file(target) as sink:
        sink.write(f"{about}{HEADER}\n\n".encode())
        lines = table.to_csv(index=False, header=False, na_rep="NA", float_format="%.12g")
        sink.write(lines.encode())
    return target


def _check_fields(frame: pd.DataFrame, log: str, fields: Sequence[str]) -> None:
    counted = [name for name, each in catalogue(log).items() if each.agg == "sum"]
    for field in fields:
        if field not in counted:
            raise FieldError(
                f"{field!r} is not a field of {log!r} that is summed{near(field, counted)}: a count"
                f" per epoch needs 'steps' or one of {', '.join(counted)}"
            )
    require(frame, fields, purpose="export_actigraphy")


def _described(log: str, fields: Sequence[str]) -> str:
    """Return the fields and their label, up to the unit."""
    first = catalogue(log)[fields[0]]
    label = first.label if len(fields) == 1 else first.label.split(",")[0]
    return f"{' + '.join(fields)} ({label}, {first.unit}"


def _epoch_seconds(frame: pd.DataFrame, epoch: Any) -> int:
    us = duration_us(epoch, "epoch", sign="positive", example="1min")
    row_us = round(interval_seconds(frame) * 1e6)
    if us % row_us or us % 1_000_000 or (WINDOW_S * 1_000_000) % us:
        raise ConfigurationError(
            f"epoch={epoch!r}: an epoch is a whole multiple of {row_us / 1e6:g} s, the interval of"
            " the frame, and divides 15 minutes: '1min' or '5min'"
        )
    return us // 1_000_000


def _whole_days(index: pd.DatetimeIndex, seconds: int) -> tuple[pd.DatetimeIndex, Any]:
    """Return the openings of all epochs of the local days, and the midnight they begin at."""
    tz = index.tz
    inside = index - pd.Timedelta(1, "us")
    first, last = (inside[at].date() for at in (0, -1))
    opens, closes = (pd.Timestamp(day_start(d, cast(Any, tz))) for d in (first, last + DAY))
    midnight, end = opens.tz_convert(tz), closes.tz_convert(tz)
    if midnight.utcoffset() != (end - pd.Timedelta(1, "us")).utcoffset():
        warnings.warn(
            f"the clocks change between {first} and {last}: the times keep the offset of the first"
            " day, so that every epoch has the same length",
            EyelogWarning,
            stacklevel=3,
        )
    step = pd.Timedelta(seconds, "s")
    # Bins are cut at midnight, so on any day they lie on this one grid.
    return pd.date_range(opens, closes - step, freq=step, unit="us").tz_convert(tz), midnight
