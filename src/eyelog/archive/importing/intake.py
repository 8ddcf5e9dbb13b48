"""Files imported into an archive: which are logs, which records are new, and which were refused."""

import io
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO, Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.answers.page import Page, joined_pages
from eyelog.archive.importing.csv_log import CsvLog, listed
from eyelog.archive.importing.layers import Meeting, layer_of, overlay
from eyelog.archive.importing.log_file import UNFINISHED, SavedLog, reading
from eyelog.archive.importing.mixture import (
    HELD,
    Devices,
    Met,
    check_device,
    device_of,
    devices_of,
    refuse_overlaps,
)
from eyelog.archive.importing.parquet_log import ParquetLog
from eyelog.archive.importing.sources import InputFile, input_files, opened
from eyelog.archive.importing.stamps import possible
from eyelog.archive.importing.waiting import Waiting
from eyelog.archive.parquet.layout import check_account, month_edges, months_of
from eyelog.archive.parquet.rows import Merged, Stamps, merge, stamps_of
from eyelog.archive.parquet.writing import Change
from eyelog.archive.store import Archive
from eyelog.clock import FILE_ZONE, Zone, Zones, as_zones, zones_of_offsets
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, EyelogWarning
from eyelog.frame import OFFSET
from eyelog.progress import progress_line

__all__ = ["FileReport", "import_files"]

# Records that wait in memory before they wait on the disk: some 35 MB with every field.
_WAITING: Final = 60_000


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
    device: str | None = None,
    replace: bool = False,
    dry_run: bool = False,
) -> list[FileReport]:
    """Import files, folders and zip files into an archive.

    A file that is not a log is refused; the others are still imported. Importing the same files
    again changes nothing. Files of several wearers or devices in the same time are refused, and
    then nothing is written.

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
    device : str, optional
        Import only the files of this device, according to their names or provenance.
    replace : bool
        Write other values over those that the account has on the same stamps, however many.
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
        accounts and neither is. Also if files have other values than each other, or without
        `replace` than the account, on most of the stamps that they share (more than 5 minutes), or
        if their records lie between each other or those of the account (more than 5 minutes, or
        1 % of the records).
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
    if wearer is None and not split_wearers and len(names) > 1:
        stated = {account for file in input_files(every) for account in _stated(file)}
        if len(stated) > 1:
            raise ConfigurationError(
                f"the files are of several accounts ({', '.join(sorted(stated))}): choose one with"
                " wearer=, or import each into the account of its name with split_wearers=True;"
                " nothing was imported"
            )
    chosen = None if device is None else Devices(device)
    intake = _Intake(archive, account, asked, wearer, split_wearers, chosen, replace, dry_run)
    with closing(intake), progress_line(sum(sizes), f"import into {account}", unit="B") as done:
        for file, size in zip(input_files(every), sizes, strict=False):
            reader = _Counted(file, done)
            intake.take(reader.file)
            done(size - reader.read)  # the unread part of a refused file
        reports = intake.finish()
    if not dry_run:
        intake.keep_zones()
    if device is None and (devices := devices_of(names)):
        warnings.warn(
            f"{devices}: if these are several wearers, import each into its own account",
            EyelogWarning,
            stacklevel=2,
        )
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


_Owned = Iterator[tuple[str, Page]]  # the account of each page


@dataclass
class _Intake:
    """Files read so far; their records wait until all files are known to be of one wearer."""

    archive: Archive
    account: str
    tz: Zones | str | None
    wearer: str | None
    split: bool
    device: Devices | None
    replace: bool
    dry_run: bool
    reports: list[FileReport] = field(default_factory=list)
    waiting: dict[tuple[str, str], Waiting[FileReport]] = field(default_factory=dict)
    met: dict[tuple[str, str], Met] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)  # the wearers of all files
    devices: dict[str, str] = field(default_factory=dict)  # by the name of the file
    shown: dict[str, "list[pd.Series[float]]"] = field(default_factory=dict)  # offsets of files

    def take(self, file: InputFile) -> None:
        """Read one file."""
        reports = {self.account: FileReport(file.name, account=self.account)}
        at = len(self.reports)
        try:
            self._read(file, reports)
        except EyelogError as error:  # a file that breaks off is refused whole
            first = next(iter(reports.values()))
            first.status, first.reason = "refused", _reason(error, file.name)
            for waiting in self.waiting.values():
                for report in reports.values():
                    waiting.drop(report)
        self.reports[at:] = reports.values()

    def close(self) -> None:
        """Remove the records that still wait."""
        for waiting in self.waiting.values():
            waiting.close()

    def _read(self, file: InputFile, reports: dict[str, FileReport]) -> None:
        """Fill the reports of a file, and let its records wait."""
        with reading(file, tz=self.tz) as log:
            if log is None:
                reports[self.account].status = "empty"
                return
            reports[self.account].log = log.log
            past = log.history if isinstance(log, ParquetLog) else None
            if self.device is not None and not self.device.takes(file.name, past):
                reports[self.account].status = "left out"
                return
            self.devices[file.name] = device_of(file.name, past)
            for account, pages in _groups(self._owned(file, log)):
                if not all(possible(page.stamps.view(np.int64)).all() for page in pages):
                    raise ArchiveError("a date in it lies outside the years 1 to 9999")
                report = self._report(file, log.log, account, reports)
                frame, repeated, conflicts = joined_pages(pages, log.log)
                report.read += sum(page.n for page in pages)
                report.repeated += repeated
                report.conflicts += conflicts
                frame.attrs = {}  # pandas copies them with every column
                if OFFSET in frame.columns:  # the archive keeps the zones beside the records
                    if self.tz == FILE_ZONE:
                        self._show(account, frame[OFFSET])
                    frame = frame.drop(columns=OFFSET)
                self._wait(report, frame, repeated, conflicts)
        first = next(iter(reports.values()))
        first.read += log.faults.count
        first.refused = log.faults.count
        self._warn(file, log)

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

    def _wait(self, report: FileReport, frame: pd.DataFrame, repeated: int, conflicts: int) -> None:
        """Let records wait until all files are read."""
        if not len(frame):
            return
        key = report.account, cast(str, report.log)
        first, last = (stamp.to_pydatetime() for stamp in (frame.index[0], frame.index[-1]))
        report.first = min(filter(None, (report.first, first)))
        report.last = max(filter(None, (report.last, last)))
        if key not in self.waiting:
            self.waiting[key] = Waiting(_WAITING)
            self.met[key] = Met(key[1])
        layer = layer_of(frame, key[1])
        self.waiting[key].add(report, layer)
        if repeated:
            one = self.met[key].number(report.file)
            start = int(layer.stamps[0])
            self.met[key].add(Meeting(one, one, repeated, conflicts, start))

    def finish(self) -> list[FileReport]:
        """Write the waiting records, unless they are of several wearers; return the reports."""
        if self.wearer is not None and self.named and self.wearer not in self.named:
            raise ConfigurationError(
                f"no file has rows of {self.wearer!r}, only of {listed(self.named)}"
            )
        if self.device is not None and self.reports:
            check_device(self.device)  # the table of reports shows what was left out
        with ExitStack() as stack:
            # In one order, so that two imports never wait for each other.
            for key in sorted(self.waiting):
                held = self._write(key, stack)
                self._refuse_mixture(key, held)
        for report in self.reports:
            if report.kept and report.status != "refused":
                report.status = "to import" if self.dry_run else "imported"
        return self.reports

    def _write(self, key: tuple[str, str], stack: ExitStack) -> list[Stamps]:
        """Merge the waiting records of a log into the archive, month by month.

        Returns the stamps that the account has around them. The months are put in place at the end
        of the stack, when nothing of any log was refused.
        """
        account, log = key
        waiting, met = self.waiting[key], self.met[key]
        held: list[Stamps] = []
        stamps = waiting.stamps()
        changes = (_change(month, stamps, waiting, met, held) for month in months_of(stamps))
        stack.enter_context(
            self.archive.merging(log, changes, account=account, keep=not self.dry_run)
        )
        return held

    def _refuse_mixture(self, key: tuple[str, str], held: list[Stamps]) -> None:
        """Raise if the files are of several wearers or devices, or the account is of another."""
        account, log = key
        several = len(set(self.devices.values()) - {""}) > 1
        one = ", or one device (device=)" if several else ""
        apart = (
            f"import each wearer into an account of their own (account=){one}; nothing was imported"
        )
        other = (
            "import them into another account (account=), or replace what it holds with"
            " replace=True; nothing was imported"
        )
        self.met[key].refuse(
            advice=apart, to_replace=None if self.replace else other, account=account
        )
        stamps: dict[str, list[Stamps]] = {}
        for report, each in self.waiting[key].by_source():
            stamps.setdefault(report.file, []).append(each)
        names = list(stamps)
        files = [np.concatenate(each) for each in stamps.values()]
        devices = [self.devices.get(name, "") for name in names]
        refuse_overlaps(names, files, log, devices=devices, advice=apart)
        if held:
            new = [np.unique(np.concatenate(files))]
            names = [f"what {account!r} holds", names[0] if len(names) == 1 else "the files"]
            advice = "import them into another account (account=); nothing was imported"
            refuse_overlaps(names, [np.concatenate(held), *new], log, advice=advice)


def _change(
    month: str, stamps: Stamps, waiting: Waiting[FileReport], met: Met, held: list[Stamps]
) -> Change:
    """Return the change that lays the records of one month over those of the archive.

    Merging it adds the outcome of its rows to the report of each file.
    """

    def lay_over(before: pa.Table, first: int, after: int) -> Merged:
        group = waiting.between(first, after)
        held.append(stamps_of(before))
        laid = overlay(before, [layer for _, layer in group])
        for (report, layer), kept, conflicts in zip(group, laid.kept, laid.conflicts, strict=True):
            report.kept += kept
            report.repeated += len(layer.stamps) - kept
            report.conflicts += conflicts
        numbers = [met.number(report.file) for report, _ in group]
        for each in laid.meetings:
            earlier = HELD if each.earlier < 0 else numbers[each.earlier]
            met.add(each._replace(file=numbers[each.file], earlier=earlier))
        return merge(before, laid.changes, ())

    low, high = np.searchsorted(stamps, month_edges(month))
    return Change(month, stamps[low:high], waiting.extras, lay_over)


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
