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

from eyelog.answers.page import Joined, Page, joined_pages
from eyelog.archive.account_folders import check_account
from eyelog.archive.arrow_merge import Merged, merge
from eyelog.archive.arrow_tables import stamps_of
from eyelog.archive.importing.app_events import app_events
from eyelog.archive.importing.chosen_files import ChosenFiles, asked_zones, reason_of
from eyelog.archive.importing.kinds import OtherKind
from eyelog.archive.importing.layers import (
    Layer,
    Meeting,
    layer_of,
    overlay,
    without_conflicts,
)
from eyelog.archive.importing.log_file import LogFile
from eyelog.archive.importing.mixture import (
    HELD,
    Devices,
    Met,
    check_device,
    devices_of,
    refuse_overlaps,
)
from eyelog.archive.importing.sources import InputFile, input_files
from eyelog.archive.importing.waiting import Waiting
from eyelog.archive.month_writer import Change, Staged
from eyelog.archive.store import Archive
from eyelog.archive.utc_stamps import Stamps, month_edges, months_of
from eyelog.clock import FILE_ZONE, Zone, Zones, zones_of_offsets
from eyelog.errors import (
    ArchiveError,
    ConfigurationError,
    EyelogError,
    EyelogWarning,
    argument,
    listed,
    spelled,
)
from eyelog.frame import OFFSET
from eyelog.progress import progress_line

__all__ = ["OTHER_KIND", "FileReport", "import_files"]

OTHER_KIND: Final = "other kind"  # the status of a file that the app writes beside the logs

# Records that wait in memory before they wait on the disk: some 35 MB with every field.
_WAITING: Final = 60_000


@dataclass
class FileReport:
    """The result of importing one file, or one wearer's part of it.

    Of the rows `read`, `kept` are new to the archive or add something to it, `repeated` are those
    that were already there (or whose stamp was repeated in the file), and `refused` are not
    records. `conflicts` counts the stamps at which a later value replaced another one or, if stored
    values are kept, differed from one; `differing` has these by field. What the app writes beside
    the logs has a `kind`, which says what it is; unless it is kept, as events are, its status is
    "other kind".
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
    kind: str = ""
    fault: str = field(default="", repr=False)  # the reason, with marks around its arguments
    differing: dict[str, list[Stamps]] = field(default_factory=dict, repr=False)


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
    keep_stored: bool = False,
    dry_run: bool = False,
    before_writing: Callable[[], object] = lambda: None,
) -> list[FileReport]:
    """Import files, folders and zip files into an archive.

    A file that is not a log is refused; the others are still imported. The events that the app
    writes beside the logs are kept (`Archive.events`); its other files are left out, unless there
    is nothing else: then they are refused too. Importing the same files again changes nothing.
    Files of several wearers or devices in the same time are refused, and then nothing is written.

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
        Replace the values that the account has at the same stamps, however many.
    keep_stored : bool
        Keep a value of the archive where a file has a different one, and report it. Without this
        option, the value of the file replaces it.
    dry_run : bool
        Report what an import would do, and leave the archive as it is.
    before_writing : callable
        Called when the months are locked and before any of them is put in place; if it raises an
        `EyelogError`, nothing is written.

    Returns
    -------
    list of FileReport
        One per file (and wearer, if these are split), in the order in which they were read.

    Raises
    ------
    ConfigurationError
        If a path does not exist, the zone or the account is not valid, no file has rows of
        `wearer`, both `wearer` and `split_wearers` are given, or Parquet files are of several
        accounts and neither is. Also if files differ from each other, or without `replace` from the
        account, at most of the stamps that they share (more than 5 minutes), or if their records
        interleave with each other or with those of the account (more than 5 minutes, or 1 % of the
        records).
    ArchiveError
        If the archive cannot be read or written.

    Warns
    -----
    EyelogWarning
        If lines are not records, fields are unknown, a file is not UTF-8, or the files come from
        several devices.
    """
    zones = asked_zones(tz)
    if wearer is not None and split_wearers:
        raise ConfigurationError(
            f"one wearer is chosen and all are to be split: give either"
            f" {argument('wearer')} or {argument('split_wearers')}"
        )
    check_account(account)
    every = list(paths)
    sizes = [file.size for file in input_files(every)]
    chosen = ChosenFiles(
        zones,
        wearer=wearer,
        split=split_wearers,
        device=None if device is None else Devices(device),
        most=_WAITING,
    )
    intake = _Intake(archive, account, chosen, replace, dry_run, keep_stored, before_writing)
    with closing(intake), progress_line(sum(sizes), f"import into {account}", unit="B") as done:
        for file, size in zip(input_files(every), sizes, strict=False):
            reader = _Counted(file, done)
            intake.take(reader.file)
            done(size - reader.read)  # the unread part of a refused file
        reports = intake.finish()
    if not dry_run:
        intake.keep_zones()
    if device is None and (devices := devices_of(chosen.names)):
        warnings.warn(
            f"{devices}: if these are several wearers, import each into its own account",
            EyelogWarning,
            stacklevel=2,
        )
    return reports


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


@dataclass
class _Intake:
    """Files read so far; their records wait until all files are known to be of one wearer."""

    archive: Archive
    account: str
    chosen: ChosenFiles
    replace: bool
    dry_run: bool
    keep_stored: bool
    before_writing: Callable[[], object]
    reports: list[FileReport] = field(default_factory=list)
    waiting: dict[tuple[str, str], Waiting[FileReport]] = field(default_factory=dict)
    met: dict[tuple[str, str], Met] = field(default_factory=dict)
    shown: dict[str, "list[pd.Series[float]]"] = field(default_factory=dict)  # offsets of files
    events: list[tuple[FileReport, pd.DataFrame]] = field(default_factory=list)

    def take(self, file: InputFile) -> None:
        """Read one file."""
        reports: dict[tuple[str, str], FileReport] = {}

        def keep(log: LogFile, wearer: str, pages: list[Page]) -> None:
            account = wearer or self.account
            key = account, log.log
            if key not in reports:
                check_account(account)
                reports[key] = FileReport(file.name, log.log, account=account)
            self._keep(reports[key], joined_pages(pages, log.log, spend=True))

        try:
            state, log = self.chosen.take(file, keep)
        except EyelogError as error:  # a truncated file is refused as a whole
            for waiting in self.waiting.values():
                for report in reports.values():
                    waiting.drop(report)
            fault = reason_of(error, file.name)
            refused = FileReport(file.name, status="refused", account=self.account)
            refused.reason, refused.fault = spelled(fault), fault
            if isinstance(error, OtherKind):
                refused.status, refused.kind = OTHER_KIND, error.kind
                if error.has_events:
                    refused = self._take_events(file, refused)
            reports = {(self.account, ""): refused}
        else:
            first = next(iter(reports.values()), FileReport(file.name, account=self.account))
            reports = reports or {(self.account, ""): first}
            if log is not None:
                first.log = log.log
                first.refused = log.faults.count
                first.read += first.refused
                for note in log.report(file.name):
                    warnings.warn(note, EyelogWarning, stacklevel=3)
            if state != "taken":
                first.status = state
        self.reports += reports.values()
        self.chosen.refuse_several_owners(
            f"choose one with {argument('wearer')}, or import each into the account"
            f" of its name with"
            f" {argument('split_wearers', True)}; nothing was imported"
        )

    def _take_events(self, file: InputFile, report: FileReport) -> FileReport:
        """Keep the events of a file waiting; return its report."""
        try:
            made = app_events(file, self.chosen.tz)
        except OtherKind:  # events that are written in a different way
            return report
        except EyelogError as error:
            fault = reason_of(error, file.name)
            return replace(report, status="refused", reason=spelled(fault), fault=fault)
        account = self.chosen.wearer or self.account
        done = FileReport(file.name, read=len(made), account=account, kind=report.kind)
        if not len(made):
            done.status = "empty"
            return done
        done.first, done.last = (made["start"].iloc[at].to_pydatetime() for at in (0, -1))
        self.events.append((done, made))
        return done

    def _keep_events(self) -> None:
        """Write the waiting events."""
        for report, made in self.events:
            report.kept = self.archive.add_events(
                made, account=report.account, dry_run=self.dry_run
            )
            report.repeated = report.read - report.kept

    def close(self) -> None:
        """Remove the records that still wait."""
        for waiting in self.waiting.values():
            waiting.close()

    def _keep(self, report: FileReport, joined: Joined) -> None:
        """Add the records of a part of a file to its report, and keep them waiting."""
        frame, repeated, conflicts = joined
        report.read += len(frame) + repeated
        report.repeated += repeated
        report.conflicts += conflicts
        frame.attrs = {}  # pandas copies them with every column
        if OFFSET in frame.columns:  # the archive keeps the zones beside the records
            if self.chosen.tz == FILE_ZONE:
                self._show(report.account, frame[OFFSET])
            frame = frame.drop(columns=OFFSET)
        self._wait(report, frame, repeated, conflicts)

    def _show(self, account: str, minutes: "pd.Series[float]") -> None:
        """Note the offsets of records: the first and the last stamp of each run of one offset."""
        lacking = int(minutes.isna().sum())
        if 0 < lacking < len(minutes):
            raise ArchiveError(
                f"{lacking:,} of its dates are written without an offset, or in UTC (Z), which does"
                f" not show the wearer's clock: name the zone with {argument('tz', 'Asia/Tokyo')}"
            )
        if len(minutes) and not lacking:
            values = minutes.to_numpy(np.float64)
            new = np.append(True, values[1:] != values[:-1])
            self.shown.setdefault(account, []).append(minutes[new | np.append(new[1:], True)])

    def zones(self, account: str) -> Zones | None:
        """Return the zones of an account that were given, or that its files show."""
        if isinstance(self.chosen.tz, Zones):
            return self.chosen.tz
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

    def _wait(self, report: FileReport, frame: pd.DataFrame, repeated: int, conflicts: int) -> None:
        """Keep records waiting until all files are read."""
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
        wearer, named = self.chosen.wearer, self.chosen.wearers
        if wearer is not None and named and wearer not in named:
            raise ConfigurationError(
                f"no file has rows of {wearer!r}, only of {listed(map(repr, sorted(named)))}"
            )
        if self.chosen.device is not None and self.reports:
            check_device(self.chosen.device)  # the table of reports shows what was left out
        with ExitStack() as stack:
            staged: Staged = {}
            # In one order, so that two imports never wait for each other.
            for key in sorted(self.waiting):
                if not len(self.waiting[key].stamps()):
                    continue  # all of its files were refused
                held = self._write(key, stack, staged)
                self._refuse_mixture(key, held)
            self.before_writing()
            self.archive.put_in_place(staged)
        self._keep_events()
        for report in self.reports:
            if report.kept and report.status != "refused":
                report.status = "to import" if self.dry_run else "imported"
        beside = [report for report in self.reports if report.status == OTHER_KIND]
        if all(report in beside or report.status == "empty" for report in self.reports):
            for report in beside:  # there is no log
                report.status = "refused"
        return self.reports

    def _write(self, key: tuple[str, str], stack: ExitStack, staged: Staged) -> list[Stamps]:
        """Merge the waiting records of a log with those of the archive into new, staged months.

        Returns the stamps that the account has around them.
        """
        account, log = key
        waiting, met = self.waiting[key], self.met[key]
        held: list[Stamps] = []
        stamps = waiting.stamps()
        keep = self.keep_stored
        changes = (_change(month, stamps, waiting, met, held, keep) for month in months_of(stamps))
        stack.enter_context(
            self.archive.merging(
                log, changes, account=account, keep=not self.dry_run, staged=staged
            )
        )
        return held

    def _refuse_mixture(self, key: tuple[str, str], held: list[Stamps]) -> None:
        """Raise if the files are of several wearers or devices, or the account is of another."""
        account, log = key
        several = len(set(self.chosen.devices.values()) - {""}) > 1
        one = f", or one device ({argument('device')})" if several else ""
        apart = (
            f"import each wearer into an account of their own"
            f" ({argument('account')}){one}; nothing was imported"
        )
        other = (
            f"import them into another account ({argument('account')}), or replace"
            f" what it holds with"
            f" {argument('replace', True)}; nothing was imported"
        )
        self.met[key].refuse(
            advice=apart, to_replace=None if self.replace else other, account=account
        )
        stamps: dict[str, list[Stamps]] = {}
        for report, each in self.waiting[key].by_source():
            stamps.setdefault(report.file, []).append(each)
        names = list(stamps)
        files = [np.concatenate(each) for each in stamps.values()]
        devices = [self.chosen.devices.get(name, "") for name in names]
        refuse_overlaps(names, files, log, devices=devices, advice=apart)
        if held:
            new = [np.unique(np.concatenate(files))]
            names = [f"what {account!r} holds", names[0] if len(names) == 1 else "the files"]
            advice = (
                f"import them into another account ({argument('account')}); nothing was imported"
            )
            refuse_overlaps(names, [np.concatenate(held), *new], log, advice=advice)


def _change(
    month: str,
    stamps: Stamps,
    waiting: Waiting[FileReport],
    met: Met,
    held: list[Stamps],
    keep_stored: bool,
) -> Change:
    """Return the change that lays the records of one month over those of the archive.

    Merging it adds the outcome of its rows to the report of each file.
    """

    def lay_over(before: pa.Table, first: int, after: int) -> Merged:
        group = waiting.between(first, after)
        held.append(stamps_of(before))
        if keep_stored:
            group = [(report, _beneath(before, report, layer, met)) for report, layer in group]
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


def _beneath(before: pa.Table, report: FileReport, layer: Layer, met: Met) -> Layer:
    """Return what is left of some records under those of the archive, and report the rest."""
    left, conflicts = without_conflicts(before, layer)
    if conflicts:
        stamps = np.unique(np.concatenate(list(conflicts.values())))
        report.conflicts += len(stamps)
        for name, each in conflicts.items():
            report.differing.setdefault(name, []).append(each)
        met.add(Meeting(met.number(report.file), HELD, 0, len(stamps), int(stamps[0])))
    return left
