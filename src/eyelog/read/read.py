"""Files, folders and zip files read together: one frame of each log."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.arrow_tables import frame_of, schema_of_all
from eyelog.catalogue import check_fields, check_log, either_log, known_logs, log_named, role_field
from eyelog.checks import names_of
from eyelog.clock import Zone, Zones, known_zones, microseconds, zone
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, counted, listed, warn
from eyelog.frame import KEY, OFFSET, derived, empty, in_own_offsets, in_zones, record
from eyelog.home import path_of
from eyelog.judge.packets import even
from eyelog.read.files import NotALog, input_files
from eyelog.read.format import Faults
from eyelog.read.head import FileRecords, Reader, on_one_clock, reason_of
from eyelog.read.overlay import overlay, refuse_others, repeats

# Zones that do not show the clock of a wearer
_OF_NOBODY: Final = ("UTC", "Etc/UTC", "Z", "+00:00")
_SHOWN: Final = 4  # files that a message names; the others are counted

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def read(
    paths: Paths,
    *,
    log: str | None = None,
    tz: Zone | None = None,
    fields: Iterable[str] | str | None = None,
    wearer: str | None = None,
    device: str | None = None,
    clock: str | None = None,
    dayfirst: bool | None = None,
    encoding: str | None = None,
    stamp: str = "received",
) -> pd.DataFrame:
    r"""Read files, folders and zip files of one log into one frame.

    Takes what `eyelog import` takes and merges it by the same rules: CSV of the Logger app and of
    the vendor's sample script, saved answers, and the CSV and Parquet files of `eyelog fetch`,
    `eyelog archive export` and ``frame.to_parquet``. The kind of a file is recognised from its
    content, not from its name.

    Parameters
    ----------
    paths : str, path, or iterable of these
        Files (also packed with gzip), folders with their subfolders, and zip files.
    log : {"computed_data", "standard_mode_logs", "current_data"}, optional
        The log to read if the files have several; files of other logs are skipped. Without it, the
        20 Hz log (``current_data``) is read only where there are no files of another log.
    tz : str, Zones, or a table or .csv file of zones, optional
        The wearer's zone or zones (`eyelog.Zones`), for the index and for dates that have no
        offset; ``"file"`` takes the offset that each date is written in. By default the zone of the
        files: that of a Parquet file, or the one offset in which dates are written (``+09:00``); if
        no file states one, that of the setting EYELOG_TZ, otherwise UTC. If the wearer's zone
        changes, the last column is ``utc_offset_min``, minutes east of UTC of the wearer's clock.
    fields : iterable of str or str, optional
        Keep only these columns, in catalogue order. The name of a summary (``"daily"``,
        ``"steps"``) stands for all fields that it needs, see `eyelog.fields`.
    wearer : str, optional
        Keep only the rows of this wearer, by a column such as ``user_id``, or by the account that
        a Parquet file states. Files of several wearers are refused without it.
    device : str, optional
        Keep only the files of this device: the 12 characters after the time in the names that the
        Logger app gives (or the 8 in brackets), or what a saved frame says.
    clock : {"first", "last"}, optional
        Which records to take of a time that comes twice, in a file or in two files of one device,
        because its clock was set back: those from before, or from after. Without it, they are
        refused.
    dayfirst : bool, optional
        Whether dates that end with the year begin with the day (``21/10/2026``) or the month. By
        default a number above 12 shows it; a file that does not show it is refused.
    encoding : str, optional
        That of text files, such as ``"cp932"``, ``"euc_jp"`` or ``"cp1252"``. By default UTF-8 or
        UTF-16; of text that is neither the encoding is guessed, with a warning.
    stamp : {"received", "even"}
        20 Hz log: with ``"even"`` the stamps at which packets were received, which jitter, are
        regressed on the packets' numbers within each connection. A warning says by how much they
        moved.

    Returns
    -------
    DataFrame
        Index ``date`` (aware, sorted, unique, microseconds); the fields that at least one of the
        files has, in catalogue order: numbers float64, booleans ``boolean``, text ``string``;
        unknown columns last. If files overlap, the one read later wins, value by value, but a
        missing value never replaces a value. The provenance has the number of ``files`` and
        ``rows``; each of these is ``kept``, ``repeated``, one of the ``conflicts`` (it has another
        value than a later one of its stamp) or ``refused`` (left out).

    Raises
    ------
    ConfigurationError
        If a path does not exist; if files are of several accounts; if they have both logs and
        `log` is not given; if dates have no offset, or are written in several, and `tz` is not
        given. Also if files are from several devices or wearers at the same time: their records
        interleave (for more than 5 minutes, or 1 % of the records), or most of the stamps that they
        share have different values. The message says when, for how long, and which files. Also if
        the clock of a device was set back, and `clock` is not given.
    ArchiveError
        If no file is a log (the chosen one), or one is damaged: more than a tenth of its lines are
        not records, or many records share a stamp because the dates have lost their seconds.
    AnswerError
        If a saved answer is not of the documented shape.
    MixedLogsError
        If one file has fields of both logs.
    FieldError
        If a field is not in the catalogue.

    Warns
    -----
    EyelogWarning
        If lines are not records (one warning per file: which ones, and why), cells are no values of
        their fields (they are missing then), stamps are before 2015 or more than a day from now
        (these records are set aside), an encoding was guessed, files are not logs,
        files have different values at the same stamp, come from several devices, or have unknown
        fields, or if no file has a requested field.

    See Also
    --------
    eyelog.Archive : Years of files, imported once and read by range.

    Examples
    --------
    >>> import eyelog as el, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for hour in (9, 10):
    ...         lines = ["date,stepCount,isStill", f"2026-10-24T{hour:02}:00:15+0900,12,0"]
    ...         _ = (pathlib.Path(folder) / f"{hour}.csv").write_text("\n".join(lines))
    ...     frame = el.read(folder)
    >>> str(frame.index.tz), frame["stp"].tolist()
    ('UTC+09:00', [12.0, 12.0])
    """
    if stamp not in ("received", "even"):
        raise ConfigurationError(f"stamp must be 'received' or 'even', not {stamp!r}")
    reader = Reader(tz, log, wearer, False, device, clock, dayfirst, encoding, beside=False)
    frames, notes = read_logs(paths, reader, fields)
    if len(frames) > 1:
        choose = either_log("log={!r}".format)
        raise ConfigurationError(f"these files have several logs: pass {choose}")
    ((which, frame),) = frames.items()
    if stamp == "even":
        frame, note = _evened(frame, which)
        notes.append(note)
    for note in notes:
        warn(note)
    return frame


def _evened(frame: pd.DataFrame, log: str) -> tuple[pd.DataFrame, str]:
    """Return the frame with even stamps, and by how much they moved."""
    name = role_field(log, "sequence") if log_named(log).numbers_packets else ""
    if name not in frame.columns:
        raise ConfigurationError(
            "stamp='even' is for packets that a receiver stamped, and needs their numbers: these"
            f" files of the {log_named(log).words} have none"
        )
    us = microseconds(cast(pd.DatetimeIndex, frame.index))
    moved = even(us, frame[name].to_numpy(np.float64))
    index = pd.DatetimeIndex(moved.view("datetime64[us]"), name="date").tz_localize("UTC")
    by_ms = np.abs(moved - us) / 1000
    median, most = (float(np.median(by_ms)), float(by_ms.max())) if len(by_ms) else (0.0, 0.0)
    evened = frame.set_axis(index.tz_convert(cast(pd.DatetimeIndex, frame.index).tz))
    evened = derived(evened, frame, "even", log=log, moved_ms=median, moved_most_ms=most)
    return evened, (
        f"the stamps were made even: half of them moved by at most {median:.1f} ms, the farthest by"
        f" {most:.1f} ms"
    )


def read_logs(
    paths: Paths, reader: Reader, fields: Iterable[str] | str | None = None
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Return one frame of each log that files have, and the notes about the files.

    Frames and errors are those of `read`; both logs in the files are not an error.
    """
    chosen = fields if isinstance(fields, str | None) else tuple(names_of(fields, "fields"))
    logs, having = known_logs() if reader.log is None else [check_log(reader.log)], list[str]()
    for log in logs:
        with suppress(EyelogError):
            check_fields(log, chosen)
            having.append(log)
    if not having:
        check_fields(logs[0], chosen)  # says why not
    if len(having) == 1:
        (reader.log,) = having
    # A file that is open is an iterable of its lines, and bytes are one of numbers.
    one = isinstance(paths, str | bytes | os.PathLike) or hasattr(paths, "read")
    given = paths if isinstance(paths, Iterable) and not one else [paths]
    every = [path_of(path, what="read").expanduser() for path in given]
    if not every:
        raise ConfigurationError("read takes at least one path, and was given none")
    parts: dict[str, list[FileRecords]] = {}
    others = Faults("")  # files that are not of a log
    beside, other_logs = list[str](), list[str]()
    notes: list[str] = []
    for file in input_files(every):
        try:
            taken = reader.take(file)
        except NotALog as error:
            others.add(file.name, reason_of(error, file.name))
            continue
        except EyelogError as error:
            raise type(error)(f"{file.name}: {reason_of(error, file.name)}") from error
        reader.refuse_several_owners(
            "choose one with wearer=; an archive is read with eyelog.Archive (--archive DIR)"
        )
        for part in taken:
            log, status = cast(str, part.report.log), part.report.status
            notes += part.report.notes
            if status in ("beside", "other log"):
                (beside if status == "beside" else other_logs).append(log)
                if words := log_named(log).beside:
                    others.add(file.name, f"it has {words}")
            elif part.table is not None:
                if chosen is not None:
                    wanted = {"date", OFFSET, *check_fields(log, chosen)}
                    names = [name for name in part.table.column_names if name in wanted]
                    part.table = part.table.select(names)
                parts.setdefault(log, []).append(part)
    if beside and not parts:  # there are no others
        return read_logs(every, replace(reader, log=beside[0]), chosen)
    any_rows = any(len(part.stamps) for own in parts.values() for part in own)
    notes += filter(None, [reader.refuse_nobodys(any_rows=any_rows)])
    if not parts:
        where = listed(every, _SHOWN)
        if not reader.names:
            raise ArchiveError(f"no file in {where}")
        if other_logs:
            of = " or ".join(f"log={log!r}" for log in sorted(set(other_logs)))
            raise ArchiveError(
                f"no file of {reader.log!r} in {where}, only of another log: use {of}"
            )
        found = others.shown() or "nothing but empty files"
        alone = len(reader.names) == 1 and others.count
        raise ArchiveError(found if alone else f"no file of a log in {where}: {found}")
    if devices := reader.several_devices():
        notes.append(f"{devices}: if these are several wearers, read each on their own")
    if others.count:
        left_out = counted(others.count, "file")
        notes.append(f"left out {left_out} that cannot be used as a log: {others.shown()}")
    place = reader.tz if isinstance(reader.tz, Zones) else _zone(parts, reader.names)
    logs = [log for log in known_logs() if log in parts]
    return {log: _one(log, parts[log], reader, chosen, place, notes) for log in logs}, notes


def _zone(parts: Mapping[str, Sequence[FileRecords]], names: Sequence[str]) -> Zones | None:
    """Return the zone that the files are written in; None if each record has its own offset."""
    every = [part for own in parts.values() for part in own]
    if any(OFFSET in part.table.column_names for part in every):
        return None
    zones = sorted({zone for part in every for zone in part.zones})
    if len(zones) == 1 and zones[0] in _OF_NOBODY:
        zones = []
    if len(zones) > 1:
        raise ConfigurationError(
            f"the stamps of these files are written in {len(zones)} zones ({', '.join(zones[:4])}),"
            " as when clocks change or somebody travels: name the zone of the days, such as"
            " tz='Europe/Berlin', give a table of zones (eyelog.Zones), or take each date's own"
            " offset with tz='file'"
        )
    if not zones:
        return known_zones(None, whose=Path(names[0]).name if len(names) == 1 else "these files")
    return Zones(f"UTC{zones[0]}" if zones[0][0] in "+-" else zones[0])


def _one(
    log: str,
    parts: Sequence[FileRecords],
    reader: Reader,
    fields: tuple[str, ...] | str | None,
    place: Zones | None,
    notes: list[str],
) -> pd.DataFrame:
    """Return the frame of one log: its files laid over one another, the later over the earlier.

    Files of several wearers or devices in the same time are refused.
    """
    names, devices = [part.report.file for part in parts], {part.device for part in parts}
    notes += on_one_clock(parts, log, reader.clock)
    tables = [part.table for part in parts]
    laid = overlay(schema_of_all(tables, log).empty_table(), tables)
    whole, conflicts, meetings = laid.changes, int(laid.conflicts.sum()), laid.meetings
    advice = "pass only the files of one"
    if len(named := sorted(devices - {""})) > 1:
        advice = f"read one device with device={named[0]!r}, or {advice}"
    refuse_others(parts, log, meetings, advice=advice, tz=zone(place.home if place else "UTC"))
    notes += repeats(meetings, names).values()
    differing = Counter[int]()
    for each in meetings:
        differing[each.file] += each.conflicts if each.file != each.earlier else 0
    at_all = [f"{names[at]} ({counted(n, 'record')})" for at, n in sorted((+differing).items())]
    if at_all:
        notes.append(
            f"files have different values of {log!r} on the same stamps, and the later file was"
            f" taken: {listed(at_all, _SHOWN)}"
        )
    del laid, tables
    for part in parts:
        part.table = None  # of which the frame takes the memory, column by column
    frame = frame_of(whole, "UTC")
    wanted = None if fields is None else check_fields(log, fields)
    if lacking := [name for name in wanted or () if name not in frame.columns]:
        notes.append(f"no file has the fields {', '.join(lacking)} of {log!r}: they are left out")
    if not len(frame):  # no data is an empty frame of the same shape
        frame = empty(log, names=wanted)
    if place is not None and (place.vary or OFFSET not in frame.columns):
        frame = in_zones(frame, place)
    else:  # each record is on its own clock
        shown = {zone for part in parts for zone in part.zones if zone[0] not in "+-"}
        home = shown.pop() if len(shown) == 1 else None
        if place is not None:
            own = frame[OFFSET].to_numpy(np.float64, na_value=np.nan)
            offsets = place.offset_min(cast(pd.DatetimeIndex, frame.index))
            frame[OFFSET] = np.where(np.isnan(own), offsets, own)
            home = place.home
        frame = in_own_offsets(frame, home)
    history = parts[0].history if len(parts) == 1 else {}
    frame.attrs = {KEY: history} if history else {}
    files_read: dict[str, Any] = {"files": len(parts)}
    if len(parts) == 1:
        files_read["file"] = Path(names[0]).name
    if len(devices) == 1 and devices != {""}:
        (files_read["device"],) = devices
    reports = [part.report for part in parts]
    rows, left_out = (sum(getattr(each, name) for each in reports) for name in ("read", "refused"))
    return record(
        frame,
        "read",
        log=log,
        **files_read,
        rows=rows,
        kept=len(frame),
        repeated=rows - len(frame) - conflicts - left_out,
        conflicts=conflicts,
        refused=left_out,
    )
