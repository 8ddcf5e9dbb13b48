"""Many files into an archive: which are logs, what is new in them, and what was refused."""

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.answers.page import Page, join_pages
from eyelog.archive.importing.layers import lay, stamps_of
from eyelog.archive.importing.log_file import UNFINISHED, SavedLog, reading
from eyelog.archive.importing.sources import Source, sources
from eyelog.archive.importing.stamps import possible
from eyelog.archive.store import Archive
from eyelog.clock import zone
from eyelog.errors import ArchiveError, EyelogError, EyelogWarning
from eyelog.frame import empty
from eyelog.provenance import history

__all__ = ["FileReport", "take_in"]

# Records held in memory before they are written: some 35 MB with every field.
_HELD: Final = 60_000
_DEVICE: Final = re.compile(r"(?:^|[/\\ ])\d{8}-\d{6}_([0-9A-Za-z]{12})(?=[(_])")


@dataclass
class FileReport:
    """What became of one file.

    Of the rows `read`, `kept` are new to the archive or add something to it, `repeated` were
    there already (or their stamp came again in the file), `refused` are no records. `conflicts`
    counts the stamps on which another value stood; the later one counts.
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


def take_in(
    archive: Archive,
    paths: Iterable[Path],
    *,
    account: str = "me",
    tz: str | None = None,
    dry_run: bool = False,
) -> list[FileReport]:
    """Import files, folders and zip files into an archive.

    A file that holds no log is refused; the others are imported all the same. Doing it again
    changes nothing.

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
        Say what would be done, and do nothing.

    Returns
    -------
    list of FileReport
        One a file, in the order in which they were read.

    Raises
    ------
    ConfigurationError
        If a path does not exist, or the zone or the account cannot be.
    ArchiveError
        If the archive cannot be read or written.

    Warns
    -----
    EyelogWarning
        If lines are no records, fields are unknown, or the files come from several devices.
    """
    if tz is not None:
        zone(tz)  # a wrong zone is no fault of the files
    given = list(paths)
    _warn_of_devices(source.name for source in sources(given))
    intake = _Intake(archive, account, tz, dry_run)
    for source in sources(given):
        intake.take(source)
    return intake.finish()


def _warn_of_devices(names: Iterable[str]) -> None:
    """Warn where the names of Logger files tell more than one device: maybe several wearers."""
    found = sorted({match for name in names for match in _DEVICE.findall(name)})
    if len(found) > 1:
        warnings.warn(
            f"the files come from {len(found)} devices ({', '.join(found[:4])}"
            f"{', ...' if len(found) > 4 else ''}): if these are several wearers, import each"
            " into an account of its own",
            EyelogWarning,
            stacklevel=3,
        )


@dataclass
class _Intake:
    """Files taken in so far; their records wait here until there are enough to be written."""

    archive: Archive
    account: str
    tz: str | None
    dry_run: bool
    reports: list[FileReport] = field(default_factory=list)
    waiting: dict[str, list[tuple[FileReport, pd.DataFrame]]] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)

    def take(self, source: Source) -> None:
        """Read one file."""
        report = FileReport(source.name)
        self.reports.append(report)
        try:
            # A file that breaks off is refused whole, as far as it is not written yet.
            frames = self._read(source, report)
        except EyelogError as error:
            report.status, report.reason = "refused", _reason(error, source.name)
            return
        self._wait(report, frames)

    def _read(self, source: Source, report: FileReport) -> list[pd.DataFrame]:
        frames: list[pd.DataFrame] = []
        with reading(source, tz=self.tz) as log:
            if log is None:
                report.status = "empty"
                return frames
            report.log = log.log
            for pages in _batches(log.pages()):
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
            warnings.warn(log.faults.report(source.name, log.rows), EyelogWarning, stacklevel=4)
        if isinstance(log, SavedLog) and log.unfinished:
            warnings.warn(f"{source.name}: {UNFINISHED}", EyelogWarning, stacklevel=4)
        return frames

    def _wait(self, report: FileReport, frames: list[pd.DataFrame]) -> None:
        """Let records wait; write when there are many."""
        log = cast(str, report.log)
        for frame in frames:
            if len(frame):
                first, last = (stamp.to_pydatetime() for stamp in (frame.index[0], frame.index[-1]))
                report.first = min(filter(None, (report.first, first)))
                report.last = max(filter(None, (report.last, last)))
                self.waiting.setdefault(log, []).append((report, frame))
                self.held[log] = self.held.get(log, 0) + len(frame)
                if self.held[log] >= _HELD:
                    self._write(log)

    def finish(self) -> list[FileReport]:
        """Write what is waiting still, and return the reports."""
        for log in list(self.waiting):
            self._write(log)
        for report in self.reports:
            if report.kept and report.status != "refused":
                report.status = "to import" if self.dry_run else "imported"
        return self.reports

    def _write(self, log: str) -> None:
        """Lay the waiting records of a log over the archive's, month by month."""
        waiting = self.waiting.pop(log)
        self.held[log] = 0
        stored = self.account in self.archive.accounts(log)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EyelogWarning)  # unknown fields: told when read
            for parts in _by_month(waiting):
                frames = [frame for _, frame in parts]
                held = self._stored(log, frames) if stored else empty(log)
                layers = lay(log, held, frames)
                for (report, frame), kept, conflicts in zip(
                    parts, layers.kept, layers.conflicts, strict=True
                ):
                    report.kept += kept
                    report.repeated += len(frame) - kept
                    report.conflicts += conflicts
                if len(layers.changes) and not self.dry_run:
                    self.archive.write(log, layers.changes, account=self.account)

    def _stored(self, log: str, frames: list[pd.DataFrame]) -> pd.DataFrame:
        first = min(frame.index[0] for frame in frames).floor("s")
        last = max(frame.index[-1] for frame in frames)
        stored = self.archive.read(
            log, first.to_pydatetime(), last.to_pydatetime(), account=self.account
        )
        stored.attrs = {}
        asked = np.concatenate([stamps_of(frame) for frame in frames])
        return stored[np.isin(stamps_of(stored), asked)]


def _reason(error: EyelogError, name: str) -> str:
    """Return the message of an error without the name of the file, which stands beside it."""
    return str(error).removeprefix(name).lstrip(":, ")


def _batches(pages: Iterator[Page]) -> Iterator[list[Page]]:
    """Give pages in groups of a bounded number of records."""
    group: list[Page] = []
    for page in pages:
        group.append(page)
        if sum(each.n for each in group) >= _HELD:
            yield group
            group = []
    yield group


def _by_month(
    waiting: list[tuple[FileReport, pd.DataFrame]],
) -> Iterator[list[tuple[FileReport, pd.DataFrame]]]:
    """Give the parts of each month of UTC, so that no more than one is read to compare."""
    months = [_months(frame) for _, frame in waiting]
    for month in sorted(set(chain.from_iterable(map(np.unique, months)))):
        yield [
            (report, frame[which == month])
            for (report, frame), which in zip(waiting, months, strict=True)
            if (which == month).any()
        ]


def _months(frame: pd.DataFrame) -> np.ndarray[Any, Any]:
    index = cast(pd.DatetimeIndex, frame.index)
    return index.tz_localize(None).to_numpy().astype("M8[M]")
