"""Files imported into an archive: which are logs, which records are new, and which were refused."""

import io
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO, Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.answers.page import Page, join_pages
from eyelog.archive.importing.csv_log import CsvLog, listed
from eyelog.archive.importing.layers import Layer, layer_of, overlay
from eyelog.archive.importing.log_file import UNFINISHED, SavedLog, reading
from eyelog.archive.importing.parquet_log import ParquetLog
from eyelog.archive.importing.sources import InputFile, input_files, opened
from eyelog.archive.importing.stamps import possible
from eyelog.archive.parquet.layout import check_account, month_edges, months_of
from eyelog.archive.parquet.rows import Merged, merge
from eyelog.archive.parquet.writing import Change
from eyelog.archive.store import Archive
from eyelog.clock import FILE_ZONE, Zone, Zones, as_zones, zones_of_offsets
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, EyelogWarning
from eyelog.frame import OFFSET
from eyelog.progress import progress_line
from eyelog.provenance import history

__all__ = ["FileReport", "devices_of", "import_files"]

# Records that wait in memory before they are written: some 35 MB with every field.
_WAITING: Final = 60_000
_DEVICE: Final = re.compile(r"(?:^|[/\\ ])\d{8}-\d{6}_([0-9A-Za-z]{12})(?=[(_])")


@dataclass
class FileReport:
    """The result of importing one file, or one wearer's part of it.

    Of the rows `read`, `kept` are new to the archive or add something to it, `repeated` are those
    that were already there (or whose stamp came again in the file), and `refused` are not records.
    `conflicts` counts the stamps at which a later value replaced another one.
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
    account: str = "me"


def import_files(
    archive: Archive,
    paths: Iterable[Path],
    *,
    account: str = "me",
    tz: Zone | None = None,
    wearer: str | None = None,
    split_wearers: bool = False,
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
    tz : str, Zones, or a table or .csv file of zones, optional
        The wearer's zone or zones (`eyelog.Zones`), for dates that have no offset; ``"file"`` takes
        those of the offsets in which dates are written. The archive keeps it for the accounts whose
        zone it does not know yet.
    wearer : str, optional
        Import only the rows of this wearer, according to a column such as ``user_id`` or to the
        account that a Parquet file states. Without it, a file with the rows of several wearers is
        refused.
    split_wearers : bool
        Import the rows of each wearer into the account of that name. Files that name no wearer go
        into `account`.
    dry_run : bool
        Report what an import would do, and leave the archive as it is.

    Returns
    -------
    list of FileReport
        One per file (and wearer, if these are split), in the order in which they were read.

    Raises
    ------
    ConfigurationError
        If a path does not exist, the zone or the account is not valid, no file has rows of
        `wearer`, both `wearer` and `split_wearers` are given, or Parquet files are of several
        accounts and neither is.
    ArchiveError
        If the archive cannot be read or written.

    Warns
    -----
    EyelogWarning
        If lines are not records, fields are unknown, a file is not UTF-8, or the files come from
        several devices.
    """
    # A wrong zone is not the fault of the files.
    asked = tz if tz is None or (isinstance(tz, str) and tz == FILE_ZONE) else as_zones(tz)
    if wearer is not None and split_wearers:
        raise ConfigurationError(
            "one wearer is chosen and all are to be split: give either wearer= or split_wearers="
        )
    check_account(account)
    every = list(paths)
    names, sizes = [], []
    for file in input_files(every):
        names.append(file.name)
        sizes.append(file.size)
    if devices := devices_of(names):
        warnings.warn(
            f"{devices}: if these are several wearers, import each into its own account",
            EyelogWarning,
            stacklevel=2,
        )
    if wearer is None and not split_wearers and len(names) > 1:
        stated = {account for file in input_files(every) for account in _stated(file)}
        if len(stated) > 1:
            raise ConfigurationError(
                f"the files are of several accounts ({', '.join(sorted(stated))}): choose one with"
                " wearer=, or import each into the account of its name with split_wearers=True;"
                " nothing was imported"
            )
    with ExitStack() as stack:
        into = None
        if dry_run:  # the same merges, into a folder that is thrown away
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="eyelog-dry-run-"))
            into = Archive(scratch)
        intake = _Intake(archive, account, asked, wearer, split_wearers, into)
        with progress_line(sum(sizes), f"import into {account}", unit="B") as done:
            for file, size in zip(input_files(every), sizes, strict=False):
                reader = _Counted(file, done)
                intake.take(reader.file)
                done(size - reader.read)  # the unread part of a refused file
            reports = intake.finish()
        if not dry_run:
            intake.keep_zones()
        return reports


def _stated(file: InputFile) -> set[str]:
    """Return the account that a Parquet file states; its faults are reported when it is read."""
    try:
        with opened(file) as (kind, _):
            if kind != "parquet":
                return set()
        with reading(file, tz=None) as log:
            return {log.account} - {""} if isinstance(log, ParquetLog) else set()
    except EyelogError:
        return set()


class _Counted:
    """A file that counts the bytes read from it."""

    def __init__(self, file: InputFile, done: Callable[..., None]) -> None:
        self._opening = file.open
        self._done = done
        self.read = 0
        self.file = file if file.open is None else replace(file, open=self._open)

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        with cast(Any, self._opening)() as raw:
            yield cast(BinaryIO, _CountedStream(raw, self._count))

    def _count(self, size: int) -> None:
        self.read += size
        self._done(size)


class _CountedStream(io.RawIOBase):
    def __init__(self, inner: Any, count: Callable[[int], None]) -> None:
        self._inner = inner
        self._count = count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        buffer[: len(data)] = data
        self._count(len(data))
        return len(data)

    def tell(self) -> int:
        return int(self._inner.tell())


def devices_of(names: Iterable[str]) -> str:
    """Return the devices that the names of Logger files come from, if there are several."""
    devices = sorted({match for name in names for match in _DEVICE.findall(name)})
    if len(devices) < 2:
        return ""
    more = ", ..." if len(devices) > 4 else ""
    return f"the files come from {len(devices)} devices ({', '.join(devices[:4])}{more})"


_Parts = list[tuple[FileReport, Layer]]
_Owned = Iterator[tuple[str, Page]]  # the account of each page


@dataclass
class _Intake:
    """Files read so far; their records wait here until there are enough to be written."""

    archive: Archive
    account: str
    tz: Zones | str | None
    wearer: str | None
    split: bool
    into: Archive | None  # of a dry run
    reports: list[FileReport] = field(default_factory=list)
    # By account and log: the records that wait, and how many these are.
    waiting: dict[tuple[str, str], _Parts] = field(default_factory=dict)
    records: dict[tuple[str, str], int] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)  # the wearers of all files
    shown: dict[str, "list[pd.Series[float]]"] = field(default_factory=dict)  # offsets of files

    def take(self, file: InputFile) -> None:
        """Read one file."""
        reports = {self.account: FileReport(file.name, account=self.account)}
        at = len(self.reports)
        try:
            # A file that breaks off is refused whole, except for records already written.
            left = self._read(file, reports)
        except EyelogError as error:
            first = next(iter(reports.values()))
            first.status, first.reason = "refused", _reason(error, file.name)
            left = {}
        self.reports[at:] = reports.values()
        for account, frame in left.items():
            self._wait(reports[account], frame)

    def _read(self, file: InputFile, reports: dict[str, FileReport]) -> dict[str, pd.DataFrame]:
        """Fill the reports of a file; return the frames still to be written, by account."""
        left: dict[str, pd.DataFrame] = {}
        with reading(file, tz=self.tz) as log:
            if log is None:
                reports[self.account].status = "empty"
                return left
            reports[self.account].log = log.log
            for account, pages in _groups(self._owned(file, log)):
                if not all(possible(page.stamps.view(np.int64)).all() for page in pages):
                    raise ArchiveError("a date in it lies outside the years 1 to 9999")
                report = self._report(file, log.log, account, reports)
                frame = join_pages(pages, log.log)
                step = history(frame)[-1]
                report.read += sum(page.n for page in pages)
                report.repeated += step["repeated"]
                report.conflicts += step["conflicts"]
                frame.attrs = {}  # pandas copies them with every column
                if OFFSET in frame.columns:  # the archive keeps the zones beside the records
                    if self.tz == FILE_ZONE:
                        self._show(account, frame[OFFSET])
                    frame = frame.drop(columns=OFFSET)
                if account in left:  # a file far larger than the app makes: piece by piece
                    self._wait(report, left[account])
                left[account] = frame
        first = next(iter(reports.values()))
        first.read += log.faults.count
        first.refused = log.faults.count
        self._warn(file, log)
        return left

    def _owned(self, file: InputFile, log: CsvLog | ParquetLog | SavedLog) -> _Owned:
        """Yield the pages of a file and the account that each goes into."""
        if isinstance(log, ParquetLog) and log.account and (self.wearer or self.split):
            self.named.add(log.account)
            if self.split:
                check_account(log.account)
            if self.split or log.account == self.wearer:
                owner = log.account if self.split else self.account
                yield from ((owner, page) for page in log.pages())
            return
        if not isinstance(log, CsvLog) or log.wearer_column is None:
            if self.wearer is not None:
                raise ArchiveError(
                    "it has no column that names each row's wearer (user_id, wearer): import it"
                    " without --wearer"
                )
            yield from ((self.account, page) for page in log.pages())
            return
        with reading(file, tz=self.tz) as again:
            # The owner of the file is known before any of it is written.
            wearers = again.wearers() if isinstance(again, CsvLog) else []
        self.named |= set(wearers)
        if self.split:
            for name in wearers:
                check_account(name)
        elif self.wearer is None:
            log.require_one(wearers)
        if not wearers or (self.wearer is None and not self.split):
            yield from ((self.account, page) for page in log.pages())
            return
        for name, page in log.pages_by_wearer():
            if self.split or name == self.wearer:
                yield (name if self.split else self.account), page

    def _show(self, account: str, minutes: "pd.Series[float]") -> None:
        """Note the offsets of records: the first and the last stamp of each run of one offset."""
        lacking = int(minutes.isna().sum())
        if 0 < lacking < len(minutes):
            raise ArchiveError(
                f"{lacking:,} of its dates are written without an offset, or in UTC (Z), which does"
                " not show the wearer's clock: name the zone with tz='Asia/Tokyo'"
            )
        if len(minutes) and not lacking:
            values = minutes.to_numpy(np.float64)
            new = np.append(True, values[1:] != values[:-1])
            self.shown.setdefault(account, []).append(minutes[new | np.append(new[1:], True)])

    def zones(self, account: str) -> Zones | None:
        """Return the zones of an account that were given, or that its files show."""
        if isinstance(self.tz, Zones):
            return self.tz
        shown = self.shown.get(account)
        if not shown:
            return None
        minutes = pd.concat(shown).sort_index(kind="stable")
        return zones_of_offsets(pd.DatetimeIndex(minutes.index), np.asarray(minutes, np.float64))

    def keep_zones(self) -> None:
        """Store the zones of the accounts whose zone is not known yet."""
        accounts = {report.account for report in self.reports if report.read > report.refused}
        for account in sorted(accounts):
            new, old = self.zones(account), self.archive.zones(account)
            if new is None or new == old:
                continue
            if old is None:
                self.archive.set_zones(new, account=account)
            else:
                warnings.warn(
                    f"the archive knows account {account!r} in {old}, which stays as it is; to"
                    f" change it: `eyelog archive set-zone {quote(account)} ZONE --from DAY`",
                    EyelogWarning,
                    stacklevel=3,
                )

    def _report(
        self, file: InputFile, log: str, account: str, reports: dict[str, FileReport]
    ) -> FileReport:
        """Return the report on an account's part of a file."""
        if account not in reports:
            if not any(report.read for report in reports.values()):
                reports.clear()  # nothing of the file goes into the account of the others
            reports[account] = FileReport(file.name, log, account=account)
        return reports[account]

    def _warn(self, file: InputFile, log: CsvLog | ParquetLog | SavedLog) -> None:
        notes = [f"{file.name}: {note}" for note in log.notes]
        if log.faults.count:
            notes.append(log.faults.report(file.name, log.rows))
        if isinstance(log, SavedLog) and log.unfinished:
            notes.append(f"{file.name}: {UNFINISHED}")
        for note in notes:
            warnings.warn(note, EyelogWarning, stacklevel=5)

    def _wait(self, report: FileReport, frame: pd.DataFrame) -> None:
        """Let records wait; write them when there are many."""
        if not len(frame):
            return
        key = report.account, cast(str, report.log)
        first, last = (stamp.to_pydatetime() for stamp in (frame.index[0], frame.index[-1]))
        report.first = min(filter(None, (report.first, first)))
        report.last = max(filter(None, (report.last, last)))
        self.waiting.setdefault(key, []).append((report, layer_of(frame, key[1])))
        self.records[key] = self.records.get(key, 0) + len(frame)
        if self.records[key] >= _WAITING:
            self._write(key)

    def finish(self) -> list[FileReport]:
        """Write the waiting records, and return the reports."""
        if self.wearer is not None and self.named and self.wearer not in self.named:
            raise ConfigurationError(
                f"no file has rows of {self.wearer!r}, only of {listed(self.named)}"
            )
        for key in list(self.waiting):
            self._write(key, keep=self.into is None)  # the last records of a dry run need no file
        for report in self.reports:
            if report.kept and report.status != "refused":
                report.status = "imported" if self.into is None else "to import"
        return self.reports

    def _write(self, key: tuple[str, str], *, keep: bool = True) -> None:
        """Merge the waiting records of a log into the archive, month by month."""
        account, log = key
        parts = self.waiting.pop(key)
        self.records[key] = 0
        months = sorted({month for _, layer in parts for month in months_of(layer.stamps)})
        changes = (_change(month, parts) for month in months)
        self.archive.merge(log, changes, account=account, into=self.into, keep=keep)


def _change(month: str, parts: _Parts) -> Change:
    """Return the change that lays the records of one month over those of the archive.

    Merging it adds the outcome of its rows to the report of each file.
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
    """Yield the records of [first, after), of the files that have any."""
    for report, layer in parts:
        if np.searchsorted(layer.stamps, first) < np.searchsorted(layer.stamps, after):
            yield report, layer.between(first, after)


def _reason(error: EyelogError, name: str) -> str:
    """Return the message of an error without the file's name, which the report shows beside it."""
    return str(error).removeprefix(name).lstrip(":, ")


def _groups(owned: _Owned) -> Iterator[tuple[str, list[Page]]]:
    """Yield the pages of each account in groups of a bounded number of records."""
    groups: dict[str, list[Page]] = {}
    records: dict[str, int] = {}
    for account, page in owned:
        groups.setdefault(account, []).append(page)
        records[account] = records.get(account, 0) + page.n
        if records[account] >= _WAITING:
            yield account, groups.pop(account)
            records[account] = 0
    yield from groups.items()
