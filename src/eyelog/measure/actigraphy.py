"""Counts per epoch in the CSV format that actigraphy programs read."""

import os
from datetime import timedelta, timezone, tzinfo
from pathlib import Path
from typing import Final, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import catalogue, log_named, near, role
from eyelog.checks import duration_us
from eyelog.clock import DAY, day_start
from eyelog.errors import ConfigurationError, FieldError, warn
from eyelog.frame import interval_seconds, log_of, require, takes_tables
from eyelog.home import output_file, path_of
from eyelog.judge.intervals import bins, enter, sums
from eyelog.judge.limits import Limits
from eyelog.judge.records import Records
from eyelog.judge.terms import Counted

HEADER: Final = "Line,Date,Time,Activity,Nonwear"
WINDOW_S: Final = 900  # GGIR works in windows of 15 minutes


@takes_tables
def export_actigraphy(
    frame: pd.DataFrame,
    path: str | os.PathLike[str],
    *,
    field: str = "steps",
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
        The field to count: one that is summed, or ``"steps"`` for all steps of either log (the
        60-second log counts them by speed, in four fields).
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
    EyelogError
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
    summed = [name for name, each in catalogue(log).items() if each.agg == "sum"]
    for name in fields:
        if name not in summed:
            raise FieldError(
                f"{name!r} is not a field of {log!r} that is summed{near(name, summed)}: a count"
                f" per epoch needs 'steps' or one of {', '.join(summed)}"
            )
    require(frame, fields, purpose="export_actigraphy")
    us = duration_us(epoch, "epoch", sign="positive", example="1min")
    row_us = round(interval_seconds(frame) * 1e6)
    if us % row_us or us % 1_000_000 or (WINDOW_S * 1_000_000) % us:
        raise ConfigurationError(
            f"epoch={epoch!r}: an epoch is a whole multiple of {row_us / 1e6:g} s, the interval of"
            " the frame, and divides 15 minutes: '1min' or '5min'"
        )
    seconds = us // 1_000_000
    if frame.empty:
        raise ConfigurationError("the frame has no record, so there is no epoch to write")

    def counted(records: Records) -> Counted:
        count = records.total(fields)
        return {"count": count, "seen_n": (None, count.used)}

    rows = enter(frame, "export_actigraphy", [counted], limits=limits, log=log, wide=False).warn()
    found = bins(rows, f"{seconds}s")
    total = sums(rows, found, [counted])
    enough = total["seen_n"] * log_named(log).interval_s >= seconds / 2
    index = pd.DatetimeIndex(found.labels)
    first, last = (index[at].date() for at in (0, -1))
    edges = [day_start(day, cast(tzinfo, index.tz)) for day in (first, last + DAY)]
    midnight, end = pd.DatetimeIndex(edges).tz_convert(index.tz)
    if midnight.utcoffset() != (end - pd.Timedelta(1, "us")).utcoffset():
        warn(
            f"the clocks change between {first} and {last}: the times keep the offset of the first"
            " day, so that every epoch has the same length"
        )
    # Bins are cut at midnight, so on any day they lie on this one grid.
    step = pd.Timedelta(seconds, "s")
    opens = pd.date_range(midnight, end - step, freq=step, unit="us")
    values = pd.Series(np.where(enough, total["count"], np.nan), index=index).reindex(opens)
    clock = opens.tz_convert(timezone(cast(timedelta, midnight.utcoffset())))
    table = pd.DataFrame(
        {
            "Line": np.arange(1, len(opens) + 1),
            "Date": clock.strftime("%Y-%m-%d"),
            "Time": clock.strftime("%H:%M:%S"),
            "Activity": values.to_numpy(),
            "Nonwear": values.isna().to_numpy().astype(np.int64),
        }
    )
    label, unit = catalogue(log)[fields[0]].label, catalogue(log)[fields[0]].unit
    label = label if len(fields) == 1 else label.split(",")[0]
    about = (
        f"# eyelog: {' + '.join(fields)} ({label}, {unit} per epoch of {seconds} s), {index.tz},"
        f" UTC{midnight.isoformat()[-6:]}\n"
    )
    lines = table.to_csv(index=False, header=False, na_rep="NA", float_format="%.12g")
    with output_file(target) as sink:
        sink.write(f"{about}{HEADER}\n\n{lines}".encode())
    return target
