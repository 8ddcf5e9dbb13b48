"""Files imported into an archive: which are logs, what is new in them, and what was refused."""

import re
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.answers.page import Page, join_pages
from eyelog.archive.importing.layers import Layer, layer_of, overlay
from eyelog.archive.importing.log_file import UNFINISHED, SavedLog, reading
from eyelog.archive.importing.sources import InputFile, input_files
from eyelog.archive.importing.stamps import possible
from eyelog.archive.parquet.layout import month_edges, months_of
from eyelog.archive.parquet.rows import Merged, merge
from eyelog.archive.parquet.writing import Change
from eyelog.archive.store import Archive
from eyelog.clock import zone
from eyelog.errors import ArchiveError, EyelogError, EyelogWarning
from eyelog.provenance import history

__all__ = ["FileReport", "devices_of", "import_files"]

# Records that wait in memory before they are written: some 35 MB with every field.
_WAITING: Final = 60_000
_DEVICE: Final = re.compile(r"(?:^|[/\\ ])\d{8}-\d{6}_([0-9A-Za-z]{12})(?=[(_])")


@dataclass
class FileReport:
    """The result of importing one file.

    Of the rows `read`, `kept` are new to the archive or add something to it, `repeated` are those
    that were already there (or whose stamp came again in the file), and `refused` are not records.
    `conflicts` counts the stamps on which another value was replaced by the later one.
    """

    file: str
    log: str | None = None
    status: str = "nothing new"
    read: int = 0
    kept: int = 0
    repeated: int = 0
    conflicts: int = 0
    refused: int = 0
    first: datetime | None = None
    last: datetime | None = None
    reason: str = ""


def import_files(
    archive: Archive,
    paths: Iterable[Path],
    *,
    account: str = "me",
    tz: str | None = None,
    dry_run: bool = False,
) -> list[FileReport]:
    """Import files, folders and zip files into an archive.

    A file that is not a log is refused; the others are still imported. Importing the same files
    again changes nothing.

    Parameters
    ----------
    archive : Archive
        Where the records go.
    paths : iterable of Path
        Files, folders and zip files.
    account : str
        Whose records they are.
    tz : str, optional
        IANA zone of dates that have no offset.
    dry_run : bool
        Report what an import would do, and leave the archive as it is.

    Returns
    -------
    list of FileReport
        One per file, in the order in which they were read.

    Raises
    ------
    ConfigurationError
        If a path does not exist, or the zone or the account is not valid.
    ArchiveError
        If the archive cannot be read or written.

    Warns
    -----
    EyelogWarning
        If lines are not records, fields are unknown, or the files come from several devices.
    """
    if tz is not None:
        zone(tz)  # a wrong zone is not the fault of the files
    every = list(paths)
    if devices := devices_of(file.name for file in input_files(every)):
        warnings.warn(
            f"{devices}: if these are several wearers, import each into an account of its own",
            EyelogWarning,
            stacklevel=2,
        )
    with ExitStack() as stack:
        into = None
        if dry_run:  # the same merges, into a folder that is thrown away
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="eyelog-dry-run-"))
            into = Archive(scratch)
        intake = _Intake(archive, account, tz, into)
        for file in input_files(every):
            intake.take(file)
        return intake.finish()


def devices_of(names: Iterable[str]) -> str:
    """Return the devices that the names of Logger files come from, if there are several."""
    devices = sorted({match for name in names for match in _DEVICE.findall(name)})
    if len(devices) < 2:
        return ""
    more = ", ..." if len(devices) > 4 else ""
    return f"the files come from {len(devices)} devices ({', '.join(devices[:4])}{more})"


_Parts = list[tuple[FileReport, Layer]]


@dataclass
class _Intake:
    """Files read so far; their records wait here until there are enough to be written."""

    archive: Archive
    account: str
    tz: str | None
    into: Archive | None  # of a dry run
    reports: list[FileReport] = field(default_factory=list)
    waiting: dict[str, _Parts] = field(default_factory=dict)
    records: dict[str, int] = field(default_factory=dict)  # how many wait, per log

    def take(self, file: InputFile) -> None:
        """Read one file."""
        report = FileReport(file.name)
        self.reports.append(report)
        try:
            # A file that breaks off is refused whole, as far as it is not written yet.
            frames = self._read(file, report)
        except EyelogError as error:
            report.status, report.reason = "refused", _reason(error, file.name)
            return
        self._wait(report, frames)

    def _read(self, file: InputFile, report: FileReport) -> list[pd.DataFrame]:
        frames: list[pd.DataFrame] = []
        with reading(file, tz=self.tz) as log:
            if log is None:
                report.status = "empty"
                return frames
            report.log = log.log
            for pages in _groups(log.pages()):
                if not all(possible(page.stamps.view(np.int64)).all() for page in pages):
                    raise ArchiveError("a date in it lies outside the years 1 to 9999")
                frame = join_pages(pages, log.log)
                step = history(frame)[-1]
                report.repeated += step["repeated"]
                report.conflicts += step["conflicts"]
                frame.attrs = {}  # pandas copies them with every column
                frames.append(frame)
                if len(frames) > 1:  # a file far larger than the app makes: piece by piece
                    self._wait(report, frames)
                    frames = []
        report.read, report.refused = log.rows, log.faults.count
        if log.faults.count:
            warnings.warn(log.faults.report(file.name, log.rows), EyelogWarning, stacklevel=4)
        if isinstance(log, SavedLog) and log.unfinished:
            warnings.warn(f"{file.name}: {UNFINISHED}", EyelogWarning, stacklevel=4)
        return frames

    def _wait(self, report: FileReport, frames: list[pd.DataFrame]) -> None:
        """Let records wait; write when there are many."""
        log = cast(str, report.log)
        for frame in frames:
            if len(frame):
                first, last = (stamp.to_pydatetime() for stamp in (frame.index[0], frame.index[-1]))
                report.first = min(filter(None, (report.first, first)))
                report.last = max(filter(None, (report.last, last)))
                self.waiting.setdefault(log, []).append((report, layer_of(frame, log)))
                self.records[log] = self.records.get(log, 0) + len(frame)
                if self.records[log] >= _WAITING:
                    self._write(log)

    def finish(self) -> list[FileReport]:
        """Write what still waits, and return the reports."""
        for log in list(self.waiting):
            self._write(log, keep=self.into is None)  # the last records of a dry run need no file
        for report in self.reports:
            if report.kept and report.status != "refused":
                report.status = "imported" if self.into is None else "to import"
        return self.reports

    def _write(self, log: str, *, keep: bool = True) -> None:
        """Merge the waiting records of a log into the archive, month by month."""
        parts = self.waiting.pop(log)
        self.records[log] = 0
        months = sorted({month for _, layer in parts for month in months_of(layer.stamps)})
        changes = (_change(month, parts) for month in months)
        self.archive.merge(log, changes, account=self.account, into=self.into, keep=keep)


def _change(month: str, parts: _Parts) -> Change:
    """Return the change that lays the records of one month over those of the archive.

    Merging it adds to the report of each file what became of its rows.
    """
    inside = list(_between(parts, *month_edges(month)))

    def lay_over(before: pa.Table, first: int, after: int) -> Merged:
        group = list(_between(inside, first, after))
        laid = overlay(before, [layer for _, layer in group])
        for (report, layer), kept, conflicts in zip(group, laid.kept, laid.conflicts, strict=True):
            report.kept += kept
            report.repeated += len(layer.stamps) - kept
            report.conflicts += conflicts
        return merge(before, laid.changes, ())

    stamps = np.sort(np.concatenate([layer.stamps for _, layer in inside]))
    extras = [field for _, layer in inside for field in layer.extras]
    return Change(month, stamps, extras, lay_over)


def _between(parts: _Parts, first: int, after: int) -> Iterator[tuple[FileReport, Layer]]:
    """Give the records of [first, after), of the files that have any."""
    for report, layer in parts:
        if np.searchsorted(layer.stamps, first) < np.searchsorted(layer.stamps, after):
            yield report, layer.between(first, after)


def _reason(error: EyelogError, name: str) -> str:
    """Return the message of an error without the file's name, which the report shows beside it."""
    return str(error).removeprefix(name).lstrip(":, ")


def _groups(pages: Iterator[Page]) -> Iterator[list[Page]]:
    """Give pages in groups of a bounded number of records."""
    group: list[Page] = []
    records = 0
    for page in pages:
        group.append(page)
        records += page.n
        if records >= _WAITING:
            yield group
            group, records = [], 0
    yield group
