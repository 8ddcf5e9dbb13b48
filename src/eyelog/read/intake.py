"""Files imported into an archive: which are logs, which records are new, and which were refused."""

import tempfile
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.archive.arrow_tables import Merged, extras_of, frame_of, merge, stamps_of, table_of
from eyelog.archive.month_writer import Change, Staged, commit_all, merging
from eyelog.archive.place import check_account
from eyelog.archive.store import Archive, place_of
from eyelog.archive.utc_stamps import Stamps, month_edges, months_of
from eyelog.clock import Zone, Zones, zones_of_offsets
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, EyelogWarning
from eyelog.frame import OFFSET
from eyelog.home import progress_line
from eyelog.read.diary import app_events
from eyelog.read.files import InputFile, input_files
from eyelog.read.format import OtherKind
from eyelog.read.head import Reader, Records, asked_zones, reason_of
from eyelog.read.layers import (
    HELD,
    overlay,
    refuse_other_wearers,
    refuse_overlaps,
    repeats,
    without_conflicts,
)
from eyelog.read.stamp_checks import passes_of_files

OTHER_KIND: Final = "other kind"  # the status of a file that the app writes beside the logs

# Records that wait in memory before they wait on the disk: some 35 MB with every field.
_WAITING: Final = 60_000
_BATCH: Final = 10_000  # records that are read at a time


@dataclass
class FileReport:
    """The result of importing one file, or one wearer's part of it.

    Each of the rows `read` is one of these: `kept` are new to the archive or add something to it;
    `repeated` were already there, or come again in the file; `conflicts` have other values than
    another row of their stamp, in the file, in one before it or in the archive, and the later one
    counts, unless stored values are kept; `refused` are left out, for the reasons that a warning
    gives. `replaced` says how many of the conflicts changed the archive; `differing` has their
    stamps by field, if stored values are kept. `cells` are those left missing because they are no
    value of their field; `notes` say what else a user should know. What the app writes beside
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
    replaced: int = 0
    cells: int = 0
    first: datetime | None = None
    last: datetime | None = None
    reason: str = ""
    account: str = "me"
    kind: str = ""
    notes: list[str] = field(default_factory=list)
    again: int = field(default=0, repr=False)  # the first stamp that comes again in the file
    lines: tuple[Stamps, Stamps] | None = field(default=None, repr=False)  # stamps, and their lines
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
    clock: str | None = None,
    dayfirst: bool | None = None,
    encoding: str | None = None,
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
    clock : {"first", "last"}, optional
        Which records to take of a time that comes twice, in a file or in two files of one device,
        because its clock was set back. Without it, they are refused.
    dayfirst : bool, optional
        Whether dates that end with the year begin with the day (``21/10/2026``).
    encoding : str, optional
        That of text files, such as ``"cp1252"``.
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
            "one wearer is chosen and all are to be split: give either wearer= or split_wearers="
        )
    check_account(account)
    every = list(paths)
    sizes = [file.size for file in input_files(every)]
    reader = Reader(zones, None, wearer, split_wearers, device, clock, dayfirst, encoding)
    with (
        ExitStack() as scratch,
        progress_line(sum(sizes), f"import into {account}", unit="B") as done,
    ):
        intake = _Intake(
            archive, account, reader, replace, dry_run, keep_stored, before_writing, scratch
        )
        for file, size in zip(input_files(every), sizes, strict=False):
            intake.take(file)
            done(size)
        reports = intake.finish()
    if not dry_run:
        intake.keep_zones()
    if devices := reader.several_devices():
        warnings.warn(
            f"{devices}: if these are several wearers, import each into its own account",
            EyelogWarning,
            stacklevel=2,
        )
    return reports


@dataclass
class _Waiting:
    """The records of one file that wait until all files are read, in memory or on the disk."""

    report: FileReport
    device: str
    stamps: Stamps
    extras: list[pa.Field]  # columns that are not in the catalogue
    place: Path | None = None
    held: pa.Table | None = None

    def rows(self, first: int = 0, after: int = np.iinfo(np.int64).max) -> slice:
        """Return which records are of [first, after)."""
        return slice(*np.searchsorted(self.stamps, [first, after]).tolist())

    def table(self, rows: slice) -> pa.Table:
        """Return some of the records."""
        size = rows.stop - rows.start
        if self.held is not None:
            return self.held.slice(rows.start, size)
        with pa.memory_map(str(self.place)) as file:
            batches = pa.ipc.open_file(file)
            of_rows = range(rows.start // _BATCH, -(-rows.stop // _BATCH))
            read = [batches.get_batch(number) for number in of_rows]
            return pa.Table.from_batches(read, batches.schema).slice(rows.start % _BATCH, size)

    def put_aside(self, place: Path) -> None:
        """Move the records to the disk."""
        table = cast(pa.Table, self.held).combine_chunks()
        packed = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(place, table.schema, options=packed) as out:
            out.write_table(table, max_chunksize=_BATCH)
        self.place, self.held = place, None

    def keep(self, rows: "np.ndarray") -> None:
        """Leave out the other records."""
        self.held, self.stamps = (self.table(self.rows()).filter(pa.array(rows)), self.stamps[rows])
        self.report.refused += int((~rows).sum())


@dataclass
class _Intake:
    """Files read so far; their records wait until all files are known to be of one wearer."""

    archive: Archive
    account: str
    reader: Reader
    replace: bool
    dry_run: bool
    keep_stored: bool
    before_writing: Callable[[], object]
    scratch: ExitStack
    reports: list[FileReport] = field(default_factory=list)
    waiting: dict[tuple[str, str], list[_Waiting]] = field(default_factory=dict)
    in_memory: list[_Waiting] = field(default_factory=list)
    folder: Path | None = None  # of the records that wait on the disk
    shown: dict[str, "list[pd.Series[float]]"] = field(default_factory=dict)  # offsets of files
    events: list[tuple[FileReport, pd.DataFrame]] = field(default_factory=list)

    def take(self, file: InputFile) -> None:
        """Read one file."""
        try:
            taken = [(records, self._report(records)) for records in self.reader.take(file)]
        except EyelogError as error:
            reason = reason_of(error, file.name)
            refused = FileReport(file.name, status="refused", account=self.account, reason=reason)
            if isinstance(error, OtherKind):
                refused.status, refused.kind = OTHER_KIND, error.kind
                if error.has_events:
                    refused = self._take_events(file, refused)
            self.reports.append(refused)
        else:
            for records, report in taken:
                if len(records.stamps):
                    self._wait(records, report)
                for note in report.notes:
                    warnings.warn(note, EyelogWarning, stacklevel=3)
                self.reports.append(report)
        self.reader.refuse_several_owners(
            "choose one with wearer=, or import each into the account of its name with"
            " split_wearers=True; nothing was imported"
        )

    def _take_events(self, file: InputFile, report: FileReport) -> FileReport:
        """Keep the events of a file waiting; return its report."""
        try:
            events = app_events(file, self.reader.tz)
        except OtherKind:  # events that are written in a different way
            return report
        except EyelogError as error:
            return replace(report, status="refused", reason=reason_of(error, file.name))
        account = self.reader.wearer or self.account
        done = FileReport(file.name, read=len(events), account=account, kind=report.kind)
        if not len(events):
            done.status = "empty"
            return done
        done.first, done.last = (events["start"].iloc[at].to_pydatetime() for at in (0, -1))
        self.events.append((done, events))
        return done

    def _report(self, records: Records) -> FileReport:
        """Return the report of the records of a file so far, which are joined."""
        account = records.wearer or self.account
        check_account(account)
        report = FileReport(records.file, records.log, account=account, notes=records.notes)
        report.read, report.refused, report.cells = records.rows, records.left_out, records.cells
        if records.state != "taken":
            report.status = "nothing new" if records.state == "nobody" else records.state
            return report
        if self.keep_stored:
            report.lines = records.stamps, records.lines()
        frame = records.join()
        report.again = records.again
        report.repeated, report.conflicts = records.repeated, records.conflicts
        if len(frame):
            report.first, report.last = (frame.index[at].to_pydatetime() for at in (0, -1))
        if OFFSET in frame.columns:  # the archive keeps the zones beside the records
            if not (isinstance(self.reader.tz, Zones) and self.reader.tz.vary):
                self._show(account, frame[OFFSET])
            records.frame = frame.drop(columns=OFFSET)
        return report

    def _show(self, account: str, minutes: "pd.Series[float]") -> None:
        """Note the offsets of records: the first and the last stamp of each run of one offset."""
        lacking = int(minutes.isna().sum())
        if 0 < lacking < len(minutes):
            raise ArchiveError(
                f"{lacking:,} of its dates are written without an offset, or in UTC (Z), which does"
                f" not show the wearer's clock: name the zone with tz='Asia/Tokyo'"
            )
        if len(minutes) and not lacking:
            values = minutes.to_numpy(np.float64)
            new = np.append(True, values[1:] != values[:-1])
            self.shown.setdefault(account, []).append(minutes[new | np.append(new[1:], True)])

    def zones(self, account: str) -> Zones | None:
        """Return the zones of an account that were given, or that its files show."""
        shown = self.shown.get(account)
        if not shown:
            return self.reader.tz if isinstance(self.reader.tz, Zones) else None
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

    def _wait(self, records: Records, report: FileReport) -> None:
        """Keep records waiting until all files are read."""
        log = cast(str, records.log)
        table = table_of(records.join(), log)
        extras = extras_of(table.schema, log)
        waiting = _Waiting(report, records.device, records.stamps, extras, held=table)
        self.waiting.setdefault((report.account, log), []).append(waiting)
        self.in_memory.append(waiting)
        if sum(len(each.stamps) for each in self.in_memory) < _WAITING:
            return
        if self.folder is None:
            folder = tempfile.TemporaryDirectory(prefix="eyelog-import-")
            self.folder = Path(self.scratch.enter_context(folder))
        for number, each in enumerate(self.in_memory, len(list(self.folder.iterdir()))):
            each.put_aside(self.folder / f"{number}.arrow")
        self.in_memory = []

    def finish(self) -> list[FileReport]:
        """Write the waiting records, unless they are of several wearers; return the reports."""
        self.reader.refuse_nobodys(any_rows=bool(self.waiting))  # the reports show the others
        with ExitStack() as stack:
            staged: Staged = {}
            # In one order, so that two imports never wait for each other.
            for key in sorted(self.waiting):
                self._write(key, stack, staged)
            self.before_writing()
            commit_all(place_of(self.archive), staged)
        for report, events in self.events:
            report.kept = self.archive.add_events(
                events, account=report.account, dry_run=self.dry_run
            )
            report.repeated = report.read - report.kept
        for report in self.reports:
            if report.kept + report.replaced and report.status != "refused":
                report.status = "to import" if self.dry_run else "imported"
        beside = [report for report in self.reports if report.status == OTHER_KIND]
        if all(report in beside or report.status == "empty" for report in self.reports):
            for report in beside:  # there is no log
                report.status = "refused"
        return self.reports

    def _write(self, key: tuple[str, str], stack: ExitStack, staged: Staged) -> None:
        """Merge the waiting records of a log with those of the archive into new, staged months.

        They are refused if they are of several wearers or devices, or the account is of another.
        """
        (account, log), waiting = key, self.waiting[key]
        files = list(dict.fromkeys(each.report.file for each in waiting))
        kept, notes = passes_of_files(
            [each.report.file for each in waiting],
            [each.device for each in waiting],
            [each.stamps for each in waiting],
            lambda at: frame_of(waiting[at].table(waiting[at].rows()), "UTC"),
            log,
            self.reader.clock,
        )
        for at, rows in kept.items():
            waiting[at].keep(rows)
            waiting[at].report.notes += notes
        for note in notes:
            warnings.warn(note, EyelogWarning, stacklevel=5)
        meetings = [
            repeats(
                files.index(each.report.file),
                each.report.repeated + each.report.conflicts,
                each.report.conflicts,
                each.report.again,
            )
            for each in waiting
            if each.report.again
        ]
        held: list[Stamps] = []

        def lay_over(before: pa.Table, first: int, after: int) -> Merged:
            """Lay the records of [first, after) over those of the archive, and count the rows."""
            rows = [(each, each.rows(first, after)) for each in waiting]
            group = [each for each, inside in rows if inside.start < inside.stop]
            tables, beneath = [each.table(each.rows(first, after)) for each in group], []
            held.append(stamps_of(before))
            for at, each in enumerate(group if self.keep_stored else ()):
                tables[at], conflicts = without_conflicts(before, tables[at])
                lost = [np.empty(0, np.int64), *conflicts.values()]
                beneath.append(np.unique(np.concatenate(lost)))
                for name, stamps_of_field in conflicts.items():
                    each.report.differing.setdefault(name, []).append(stamps_of_field)
            laid = overlay(before, tables, beneath)
            counts = zip(group, tables, laid.kept, laid.conflicts, laid.replaced, strict=True)
            for each, table, new, different, replaced in counts:
                each.report.kept += new
                each.report.conflicts += different
                each.report.replaced += replaced
                each.report.repeated += table.num_rows - new - different
            number = {at: files.index(each.report.file) for at, each in enumerate(group)}
            number[HELD] = HELD
            meetings.append(
                laid.meetings.assign(
                    file=laid.meetings["file"].map(number),
                    earlier=laid.meetings["earlier"].map(number),
                )
            )
            return merge(before, laid.changes, ())

        stamps = np.sort(np.concatenate([each.stamps for each in waiting]))
        extras = list(dict.fromkeys(chain.from_iterable(each.extras for each in waiting)))
        changes = (
            Change(
                month, stamps[slice(*np.searchsorted(stamps, month_edges(month)))], extras, lay_over
            )
            for month in months_of(stamps)
        )
        stack.enter_context(
            merging(
                place_of(self.archive),
                log,
                account,
                changes,
                keep=not self.dry_run,
                staged=staged,
            )
        )
        one = (
            ", or one device (device=)" if len(set(self.reader.devices.values()) - {""}) > 1 else ""
        )
        apart = (
            f"import each wearer into an account of their own (account=){one}; nothing was imported"
        )
        other = (
            "import them into another account (account=), or replace what it holds with"
            " replace=True; nothing was imported"
        )
        refuse_other_wearers(
            meetings,
            files,
            log,
            advice=apart,
            to_replace=None if self.replace else other,
            account=account,
        )
        of_files = [
            np.concatenate([each.stamps for each in waiting if each.report.file == name])
            for name in files
        ]
        devices = [self.reader.devices.get(name, "") for name in files]
        refuse_overlaps(files, of_files, log, devices=devices, advice=apart)
        if held:
            names = [f"what {account!r} holds", files[0] if len(files) == 1 else "the files"]
            both = [np.concatenate(held), np.unique(stamps)]
            advice = "import them into another account (account=); nothing was imported"
            refuse_overlaps(names, both, log, advice=advice)


class Conflict(NamedTuple):
    """One value that differs from a stored one."""

    line: int | None  # of the file, if it has lines
    stamp: int  # microseconds since 1970, UTC
    field: str

    @property
    def date(self) -> str:
        """The stamp as RFC 3339."""
        text = str(np.datetime64(self.stamp, "us"))
        return f"{text.removesuffix('.000000')}Z"


def conflicts_of(report: FileReport, most: int) -> tuple[list[Conflict], int]:
    """Return the first conflicts of a file where stored values were kept, and how many are left."""
    cells = sorted(
        (int(stamp), name)
        for name, parts in report.differing.items()
        for stamp in np.concatenate(parts).tolist()
    )
    stamps, lines = report.lines or (np.empty(0, np.int64), np.empty(0, np.int64))
    hit = np.isin(stamps, [stamp for stamp, _ in cells[:most]])
    at = dict(zip(stamps[hit].tolist(), lines[hit].tolist(), strict=True))
    first = [Conflict(at.get(stamp) or None, stamp, name) for stamp, name in cells[:most]]
    return first, max(0, len(cells) - most)
