"""Files, folders and zip files read together: one frame of each log."""

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eyelog import provenance
from eyelog.analysis.series.packets import even
from eyelog.answers.page import Page, joined_pages
from eyelog.archive.arrow_tables import frame_of, schema_of, widest
from eyelog.archive.importing.chosen_files import ChosenFiles, asked_zones, reason_of
from eyelog.archive.importing.kinds import EitherLog, NotALog, OtherKind, counted_kinds
from eyelog.archive.importing.layers import Meeting, layer_of, overlay
from eyelog.archive.importing.log_file import LogFile, own_columns
from eyelog.archive.importing.mixture import (
    Devices,
    Met,
    check_device,
    devices_of,
    refuse_overlaps,
)
from eyelog.archive.importing.sources import InputFile, input_files
from eyelog.catalogue import (
    check_fields,
    check_log,
    columns,
    either_log,
    known_logs,
    log_named,
    role_field,
)
from eyelog.clock import Zone, Zones, known_zones, zone
from eyelog.disk.files import path_of
from eyelog.errors import (
    ArchiveError,
    ConfigurationError,
    EyelogError,
    EyelogWarning,
    argument,
    listed,
    marked,
)
from eyelog.frame import OFFSET, empty, in_own_offsets, in_zones

__all__ = ["BothLogs", "Paths", "read", "read_logs"]

_SHOWN: Final = 4  # files that a message names; the others are counted

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class BothLogs(ConfigurationError):
    """Files of both logs, of which one must be chosen."""


@dataclass
class _Part:
    """The records of one file, in UTC.

    They remain pages where each stamp has one record and every column is a field: joining the pages
    of all files at once saves a copy of each.
    """

    name: str
    stamps: npt.NDArray[np.int64]
    columns: list[str]
    pages: list[Page]
    frame: pd.DataFrame | None  # None: not joined yet
    zones: set[str]
    rows: int
    refused: int
    history: dict[str, Any]
    repeated: int = 0
    conflicts: int = 0

    def joined(self, log: str) -> pd.DataFrame:
        """Return the records as a frame."""
        if self.frame is not None:
            return self.frame
        return joined_pages(self.pages, log, fields=self.columns, spend=True).frame


@dataclass
class _Files:
    """The files read so far, and the notes about them."""

    chosen: ChosenFiles
    fields: tuple[str, ...] | str | None
    parts: dict[str, list[_Part]] = field(default_factory=dict)
    others: list[tuple[str, str]] = field(default_factory=list)  # files that are not logs, and why
    kinds: list[str] = field(default_factory=list)  # of the files that an app writes beside logs
    # Files not read yet, and their log, which the app writes beside the others.
    beside: list[tuple[str, str]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def take(self, file: InputFile) -> None:
        """Read one file."""
        taken: list[tuple[LogFile, list[Page]]] = []
        try:
            state, log = self.chosen.take(file, lambda of, _, pages: taken.append((of, pages)))
            if log is not None and state in ("beside", "other log"):
                self._leave(file.name, log.log, state)
            if state == "empty":
                self.empty.append(file.name)
            for of, pages in taken:
                self._add(file.name, of, pages)
        except EitherLog as error:
            raise BothLogs(f"{file.name}: {marked(error)}: {_choose()}") from error
        except OtherKind as error:
            self.kinds.append(error.kind)
        except NotALog as error:
            self.others.append((file.name, reason_of(error, file.name)))
        except EyelogError as error:
            raise type(error)(f"{file.name}: {reason_of(error, file.name)}") from error
        self.chosen.refuse_several_owners(
            f"choose one with {argument('wearer')}; an archive is read with"
            f" eyelog.Archive (--archive DIR)"
        )

    def take_beside(self, every: Iterable[InputFile]) -> None:
        """Read the files of a log that is written beside others, if there are no others."""
        if self.parts:
            self.kinds += [log_named(log).beside for _, log in self.beside]
            return
        later = {name for name, _ in self.beside}
        self.chosen.names = [name for name in self.chosen.names if name not in later]
        self.chosen.beside = True
        for file in every:
            if file.name in later:
                self.take(file)

    def _leave(self, name: str, log: str, state: str) -> None:
        """Note a file of a log that was not requested, if such files are written beside others."""
        about = log_named(log)
        if state == "beside":
            self.beside.append((name, log))
        elif about.beside:
            self.kinds.append(about.beside)

    def _add(self, name: str, log: LogFile, pages: list[Page]) -> None:
        wanted = columns(log.log) if self.fields is None else check_fields(log.log, self.fields)
        own = [each for each in wanted if each in log.names]
        stamps = np.concatenate(
            [np.empty(0, np.int64), *(page.stamps.view(np.int64) for page in pages)]
        )
        part = _Part(
            name, stamps, own, pages, None, log.zones, log.rows, log.faults.count, dict(log.history)
        )
        increasing = bool((stamps[1:] > stamps[:-1]).all())
        fields = set(columns(log.log))
        if not (own and increasing and all(fields.issuperset(page.columns) for page in pages)):
            self._join(part, log)
        self.notes += log.report(name)
        if part.conflicts:
            self.notes.append(
                f"{name}: {_stamps(part.conflicts)} with several records, of which the last was"
                " taken"
            )
        self.parts.setdefault(log.log, []).append(part)

    def _join(self, part: _Part, log: LogFile) -> None:
        """Join the pages of a file on their own."""
        frame, part.repeated, part.conflicts = joined_pages(part.pages, log.log, spend=True)
        frame.attrs = {}  # pandas copies them with every column
        frame = own_columns(frame, log)
        if self.fields is not None:
            kept = {*part.columns, OFFSET}
            frame = frame[[each for each in frame.columns if each in kept]]
        part.frame, part.stamps, part.pages = frame, _microseconds(frame), []


def _choose() -> str:
    return f"pass {either_log(partial(argument, 'log'))}"


def read(
    paths: Paths,
    *,
    log: str | None = None,
    tz: Zone | None = None,
    fields: Iterable[str] | str | None = None,
    wearer: str | None = None,
    device: str | None = None,
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
        ``"steps"``) stands for all fields that it needs, see `eyelog.needed`.
    wearer : str, optional
        Keep only the rows of this wearer, by a column such as ``user_id``, or by the account that
        a Parquet file states. Files of several wearers are refused without it.
    device : str, optional
        Keep only the files of this device: the 12 characters after the time in the names that the
        Logger app gives (or the 8 in brackets), or what a saved frame says.
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
        ``rows``, of ``refused`` lines that are not records, and of ``conflicts`` between files.

    Raises
    ------
    ConfigurationError
        If a path does not exist; if files are of several accounts; if they have both logs and
        `log` is not given; if dates have no offset, or are written in several, and `tz` is not
        given. Also if files are from several devices or wearers at the same time: their records
        interleave (for more than 5 minutes, or 1 % of the records), or most of the stamps that they
        share have different values. The message says when, for how long, and which files.
    ArchiveError
        If no file is a log (the chosen one), or one is damaged.
    AnswerError
        If a saved answer is not of the documented shape.
    MixedLogsError
        If one file has fields of both logs.
    FieldError
        If a field is not in the catalogue.

    Warns
    -----
    EyelogWarning
        If lines are not records (one warning per file: which ones, and why), files are not logs,
        files have different values at the same stamp, come from several devices, or have unknown
        fields, or if no file has a requested field.

    See Also
    --------
    eyelog.read_logger_csv : One Logger CSV.
    eyelog.read_answer : One file of saved answers.
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
    _check_stamp(stamp)
    frames, notes = read_logs(paths, log=log, tz=tz, fields=fields, wearer=wearer, device=device)
    if len(frames) > 1:
        raise BothLogs(f"these files have several logs: {_choose()}")
    ((which, frame),) = frames.items()
    if stamp == "even":
        frame, note = _evened(frame, which)
        notes.append(note)
    for note in notes:
        warnings.warn(note, EyelogWarning, stacklevel=2)
    return frame


def _check_stamp(stamp: str) -> None:
    if stamp not in ("received", "even"):
        raise ConfigurationError(f"stamp must be 'received' or 'even', not {stamp!r}")


def _evened(frame: pd.DataFrame, log: str) -> tuple[pd.DataFrame, str]:
    """Return the frame with even stamps, and by how much they moved."""
    if not log_named(log).numbers_packets:
        raise ConfigurationError(
            f"{argument('stamp', 'even')} is for packets that a receiver stamped: the records of"
            f" the {log_named(log).words} are stamped by the eyewear's own intervals"
        )
    name = role_field(log, "sequence")
    if name not in frame.columns:
        raise ConfigurationError(
            f"{argument('stamp', 'even')} needs the numbers of the packets ({name!r}), and the"
            " files do not have them"
        )
    us = _microseconds(frame)
    moved = even(us, frame[name].to_numpy(np.float64))
    index = pd.DatetimeIndex(moved.view("datetime64[us]"), name="date").tz_localize("UTC")
    by_ms = np.abs(moved - us) / 1000
    median, most = (float(np.median(by_ms)), float(by_ms.max())) if len(by_ms) else (0.0, 0.0)
    evened = frame.set_axis(index.tz_convert(cast(pd.DatetimeIndex, frame.index).tz))
    evened = provenance.derived(evened, frame, "even", log=log, moved_ms=median, moved_most_ms=most)
    return evened, (
        f"the stamps were made even: half of them moved by at most {median:.1f} ms, the farthest by"
        f" {most:.1f} ms"
    )


def read_logs(
    paths: Paths,
    *,
    log: str | None = None,
    tz: Zone | None = None,
    fields: Iterable[str] | str | None = None,
    wearer: str | None = None,
    device: str | None = None,
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Return one frame of each log that files have, and the notes about the files.

    Parameters, frames and errors are those of `read`; both logs in the files are not an error.
    """
    if log is not None:
        check_log(log)
    zones = asked_zones(tz)
    chosen = fields if fields is None or isinstance(fields, str) else tuple(fields)
    if chosen is not None:
        log = _log_of_fields(chosen, log)
    every = _paths(paths)
    wanted = None if device is None else Devices(device)
    files = _Files(ChosenFiles(zones, log, wearer, device=wanted, beside=False), chosen)
    for file in input_files(every):
        files.take(file)
    if files.beside:
        files.take_beside(input_files(every))
    any_rows = any(len(part.stamps) for parts in files.parts.values() for part in parts)
    named = files.chosen.wearers
    if wearer is not None and not any_rows and (files.parts or named):
        others = f", only of {listed(map(repr, sorted(named)))}" if named else ""
        raise ConfigurationError(f"no file has rows of the wearer {wearer!r}{others}")
    if wanted is not None and (files.parts or wanted.others):
        left_out = check_device(wanted)
        files.notes += [left_out] if left_out else []
    if not files.parts:
        raise ArchiveError(_nothing(files, every))
    if device is None and (devices := devices_of(files.chosen.names)):
        files.notes.append(f"{devices}: if these are several wearers, read each on their own")
    if files.kinds:
        files.notes.append(counted_kinds(files.kinds))
    if files.others:
        count = len(files.others)
        what = "1 file that is not" if count == 1 else f"{count:,} files that are not"
        files.notes.append(f"left out {what} of a log: {_listed(files.others)}")
    place = zones if isinstance(zones, Zones) else _zone(files)
    frames = {each: _one(each, files, place) for each in known_logs() if each in files.parts}
    return frames, files.notes


def _log_of_fields(fields: tuple[str, ...] | str, log: str | None) -> str | None:
    """Return the log, or the only one that has all of the fields; None if several have."""
    if log is not None:
        check_fields(log, fields)
        return log
    having: list[str] = []
    faults: list[EyelogError] = []
    for each in known_logs():
        try:
            check_fields(each, fields)
            having.append(each)
        except EyelogError as error:
            faults.append(error)
    if not having:
        raise faults[0]
    return having[0] if len(having) == 1 else None


def _paths(paths: Paths) -> list[Path]:
    if isinstance(paths, Iterable) and not isinstance(paths, str | os.PathLike):
        every = [path_of(path, what="read").expanduser() for path in paths]
    else:
        every = [path_of(paths, what="read").expanduser()]
    if not every:
        raise ConfigurationError("read takes at least one path, and was given none")
    return every


def _stamps(count: int) -> str:
    return "1 stamp" if count == 1 else f"{count:,} stamps"


def _listed(files: Sequence[tuple[str, str]]) -> str:
    """Return the first few files with the reason, and how many more there are."""
    return listed((f"{name} ({reason})" for name, reason in files), _SHOWN, between="; ")


def _nothing(files: _Files, paths: Sequence[Path]) -> str:
    """Return why files contain no record."""
    where = listed(paths, _SHOWN)
    names, asked_log = files.chosen.names, files.chosen.log
    if not names:
        return f"no file in {where}"
    if len(names) == 1 and files.others:
        name, reason = files.others[0]
        return f"{name}: {reason}"
    if len(names) == 1 and files.kinds:
        return f"{names[0]}: it has {files.kinds[0]}"
    if files.chosen.left_out and not files.others:
        others = " or ".join(argument("log", log) for log in sorted(files.chosen.left_out))
        return f"no file of {asked_log!r} in {where}, only of another log: use {others}"
    if files.others or files.kinds:
        refused = [_listed(files.others)] if files.others else []
        left_out = [counted_kinds(files.kinds)] if files.kinds else []
        return f"no file of a log in {where}: {'; '.join([*refused, *left_out])}"
    return f"nothing but empty files in {where}"


def _zone(files: _Files) -> Zones | None:
    """Return the zone that the files are written in; None if each record has its own offset."""
    every = [part for parts in files.parts.values() for part in parts]
    if any(part.frame is not None and OFFSET in part.frame for part in every):
        return None
    zones = sorted({zone for part in every for zone in part.zones})
    if len(zones) > 1:
        raise ConfigurationError(
            f"the stamps of these files are written in {len(zones)} zones ({', '.join(zones[:4])}),"
            " as when clocks change or somebody travels: name the zone of the days, such as"
            f" {argument('tz', 'Europe/Berlin')}, give a table of zones"
            f" (eyelog.Zones), or take each date's own"
            f" offset with {argument('tz', 'file')}"
        )
    if not zones:
        names = files.chosen.names
        return known_zones(None, whose=Path(names[0]).name if len(names) == 1 else "these files")
    return Zones(f"UTC{zones[0]}" if zones[0][0] in "+-" else zones[0])


def _one(log: str, files: _Files, place: Zones | None) -> pd.DataFrame:
    """Return the frame of one log."""
    parts = files.parts[log]
    frame, conflicts, meetings = _merged(parts, log)
    devices = [files.chosen.devices[part.name] for part in parts]
    _refuse_mixture(parts, devices, log, meetings, place)
    if sum(conflicts):
        at = [(part.name, _stamps(n)) for part, n in zip(parts, conflicts, strict=True) if n]
        files.notes.append(
            f"files have different values of {log!r} on the same stamps, and the later file was"
            f" taken: {_listed(at)}"
        )
    if files.fields is not None:
        lacking = [name for name in check_fields(log, files.fields) if name not in frame.columns]
        if lacking:
            files.notes.append(
                f"no file has the fields {', '.join(lacking)} of {log!r}: they are left out"
            )
    if not len(frame):  # no data is an empty frame of the same shape
        names = None if files.fields is None else check_fields(log, files.fields)
        frame = empty(log, names=names)
    named = {zone for part in parts for zone in part.zones if zone[0] not in "+-"}
    home = named.pop() if len(named) == 1 else None
    frame = in_own_offsets(frame, home) if place is None else in_zones(frame, place)
    history = parts[0].history if len(parts) == 1 else {}
    frame.attrs = {provenance.KEY: history} if history else {}
    files_read: dict[str, Any] = {"files": len(parts)}
    if len(parts) == 1:
        files_read["file"] = Path(parts[0].name).name
    if len(set(devices)) == 1 and devices[0]:
        files_read["device"] = devices[0]
    return provenance.record(
        frame,
        "read",
        log=log,
        **files_read,
        rows=sum(part.rows for part in parts),
        refused=sum(part.refused for part in parts),
        conflicts=sum(conflicts),
    )


def _refuse_mixture(
    parts: Sequence[_Part],
    devices: Sequence[str],
    log: str,
    meetings: Sequence[Meeting],
    place: Zones | None,
) -> None:
    """Raise if files are of several wearers or devices in the same time."""
    named = sorted(set(devices) - {""})
    advice = "pass only the files of one"
    if len(named) > 1:
        advice = f"read one device with {argument('device', named[0])}, or {advice}"
    met = Met(log)
    for at, part in enumerate(parts):
        met.names[part.name] = at
    for each in meetings:
        met.add(each)
    for at, part in enumerate(parts):
        if part.repeated:
            met.add(Meeting(at, at, part.repeated, part.conflicts, int(part.stamps[0])))
    met.refuse(advice=advice, to_replace=None)
    names, stamps = zip(*((part.name, part.stamps) for part in parts), strict=True)
    refuse_overlaps(
        names, stamps, log, tz=zone(place.home if place else "UTC"), devices=devices, advice=advice
    )


def _merged(parts: Sequence[_Part], log: str) -> tuple[pd.DataFrame, list[int], list[Meeting]]:
    """Lay files over one another, the later over the earlier; count conflicts of each."""
    stamps = np.concatenate([part.stamps for part in parts])
    order = np.argsort(stamps, kind="stable")
    apart = bool((np.diff(stamps[order]) > 0).all())
    met_none: tuple[list[int], list[Meeting]] = [0] * len(parts), []
    own = parts[0].columns
    if apart and all(part.frame is None and part.columns == own for part in parts):
        pages = [page for part in parts for page in part.pages]
        return joined_pages(pages, log, fields=own, spend=True).frame, *met_none
    frames = [part.joined(log) for part in parts]
    if len(frames) == 1:
        return frames[0].copy(deep=False), *met_none
    if apart and all(frame.dtypes.equals(frames[0].dtypes) for frame in frames):
        whole = pd.concat(frames)
        ordered = whole if (np.diff(order) == 1).all() else whole.iloc[order]
        return ordered, *met_none
    layers = [layer_of(frame, log) for frame in frames]
    names = {name for layer in layers for name in layer.columns}
    extras = widest(each for layer in layers for each in layer.extras)
    documented = [each for each in schema_of(log) if each.name == "date" or each.name in names]
    laid = overlay(pa.schema([*documented, *extras]).empty_table(), layers)
    return frame_of(laid.changes, "UTC"), laid.conflicts, laid.meetings


def _microseconds(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    index: Any = frame.index
    return np.asarray(index.as_unit("us").asi8)
