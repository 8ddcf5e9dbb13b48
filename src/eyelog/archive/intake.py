"""Files imported into an archive: which are logs, which records are new, and which were refused."""

import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any, Final, cast
from unicodedata import normalize

import numpy as np
import pandas as pd

from eyelog.archive.lists import Staged, commit_all
from eyelog.archive.months import Merging
from eyelog.archive.place import check_account
from eyelog.archive.store import Archive, place_of
from eyelog.arrow_tables import NO_STAMPS, Stamps
from eyelog.clock import Zones, stamps_at, zones_of_offsets
from eyelog.errors import ArchiveError, EyelogError, warn
from eyelog.frame import OFFSET
from eyelog.home import progress_line
from eyelog.overlap import utc
from eyelog.read.diary import app_events
from eyelog.read.files import InputFile, input_files
from eyelog.read.format import OtherKind
from eyelog.read.head import FileRecords, FileReport, Reader, on_one_clock, reason_of
from eyelog.read.overlay import repeats

OTHER_KIND: Final = "other kind"  # the status of a file that the app writes beside the logs

# Records that wait in memory, the others on the disk: some 35 MB with every field
_IN_MEMORY: Final = 60_000


def import_files(
    archive: Archive,
    paths: Iterable[Path],
    *,
    account: str = "me",
    replace: bool = False,
    keep_stored: bool = False,
    dry_run: bool = False,
    before_writing: Callable[[], object] = lambda: None,
    **choices: Any,
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
    **choices
        As `Reader` takes them. The zone is kept for the accounts whose zone is not known yet. Files
        that name no wearer go into `account`, also with ``split_wearers``.

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
    reader = Reader(**choices)
    check_account(account)
    every = list(paths)
    size = sum(file.size for file in input_files(every))
    with (
        tempfile.TemporaryDirectory(prefix="eyelog-import-") as folder,
        progress_line(size, f"import into {account}", unit="B") as done,
    ):
        intake = _Intake(archive, account, reader, replace, dry_run, keep_stored, Path(folder))
        for file in input_files(every):
            intake.take(file)
            done(file.size)
        reports = intake.finish(before_writing)
    if not dry_run:
        intake.keep_zones()
    if devices := reader.several_devices():
        warn(f"{devices}: if these are several wearers, import each into its own account")
    return reports


@dataclass
class _Intake:
    """Files read so far; their records wait until all files are known to be of one wearer."""

    archive: Archive
    account: str
    reader: Reader
    replace: bool
    dry_run: bool
    keep_stored: bool
    folder: Path  # for records that wait on the disk
    reports: list[FileReport] = field(default_factory=list)
    waiting: dict[tuple[str, str], list[FileRecords]] = field(default_factory=dict)
    in_memory: int = 0  # of the records that wait
    shown: dict[str, list[tuple[Stamps, Any]]] = field(default_factory=dict)  # offsets of files
    events: list[tuple[FileReport, pd.DataFrame]] = field(default_factory=list)

    def take(self, file: InputFile) -> None:
        """Read one file."""
        try:
            parts = self.reader.take(file)
            for part in parts:
                self._settle(part)
        except EyelogError as error:
            parts = [FileRecords(self._without_records(file, error))]
        for part in parts:
            self.reports.append(part.report)
            for note in part.report.notes:
                warn(note)
            if not len(part.stamps):
                continue
            key = part.report.account, cast(str, part.report.log)
            self.waiting.setdefault(key, []).append(part)
            self.in_memory += len(part.stamps)
            if self.in_memory > _IN_MEMORY:
                part.put_aside(self.folder / f"{len(self.reports)}.parquet")
        self.reader.refuse_several_owners(
            "choose one with wearer=, or import each into the account of its name with"
            " split_wearers=True; nothing was imported"
        )

    def _without_records(self, file: InputFile, error: EyelogError) -> FileReport:
        """Return the report of a file that is not a log; if it has events, they wait."""
        account, reason = self.account, reason_of(error, file.name)
        report = FileReport(file.name, status="refused", account=account, reason=reason)
        if not isinstance(error, OtherKind):
            return report
        report.status, report.kind = OTHER_KIND, error.kind
        if not error.has_events:
            return report
        try:
            events = app_events(file, self.reader.tz)
        except OtherKind:  # events that are written in a different way
            return report
        except EyelogError as wrong:
            return replace(report, status="refused", reason=reason_of(wrong, file.name))
        account = self.reader.wearer or account
        report = FileReport(file.name, read=len(events), account=account, kind=report.kind)
        if len(events):
            report.first, report.last = (events["start"].iloc[at].to_pydatetime() for at in (0, -1))
            self.events.append((report, events))
        else:
            report.status = "empty"
        return report

    def _settle(self, part: FileRecords) -> None:
        """Decide the account of some records, and keep the offsets in which they are written."""
        report = part.report
        # Two spellings of a name (an accent in one letter or two) are one account.
        report.account = normalize("NFC", report.account or self.account)
        check_account(report.account)
        if not self.keep_stored:
            report.lines = None
        if len(part.stamps):
            report.first, report.last = (utc(int(part.stamps[at])) for at in (0, -1))
        if part.table is None or OFFSET not in part.table.column_names:
            return
        minutes = part.table.column(OFFSET).to_numpy()
        part.table = part.table.drop_columns(OFFSET)  # the archive keeps the zones beside
        lacking = int(np.isnan(minutes).sum())
        if (isinstance(self.reader.tz, Zones) and self.reader.tz.vary) or lacking == len(minutes):
            return
        if lacking:
            raise ArchiveError(
                f"{lacking:,} of its dates are written without an offset, or in UTC (Z), which does"
                " not show the wearer's clock: name the zone with tz='Asia/Tokyo'"
            )
        # The first and the last stamp of each run of one offset
        new = np.append(True, minutes[1:] != minutes[:-1])
        edges = new | np.append(new[1:], True)
        self.shown.setdefault(report.account, []).append((part.stamps[edges], minutes[edges]))

    def keep_zones(self) -> None:
        """Store the zones, given or shown by the files, of accounts whose zone is not known yet."""
        given = self.reader.tz if isinstance(self.reader.tz, Zones) else None
        for account in sorted({each.account for each in self.reports if each.read > each.refused}):
            new, old = given, self.archive.zones(account)
            if shown := self.shown.get(account):
                stamps, minutes = map(np.concatenate, zip(*shown, strict=True))
                order = np.argsort(stamps, kind="stable")
                new = zones_of_offsets(stamps_at(stamps[order], "UTC"), minutes[order])
            if new is None or new == old:
                continue
            if old is None:
                self.archive.set_zones(new, account=account)
            else:
                warn(
                    f"the archive knows account {account!r} in {old}, which stays as it is; to"
                    f" change it: `eyelog archive set-zone {quote(account)} ZONE --from DAY`"
                )

    def finish(self, before_writing: Callable[[], object]) -> list[FileReport]:
        """Write the waiting records, and return the reports.

        They are refused if they are of several wearers or devices, or the account is of another.
        """
        self.reader.refuse_nobodys(any_rows=bool(self.waiting))  # the reports show the others
        place, kept = place_of(self.archive), self.keep_stored
        with ExitStack() as stack:
            staged: Staged = {}
            # In one order, so that two imports never wait for each other.
            for (account, log), parts in sorted(self.waiting.items(), key=lambda each: each[0]):
                for note in on_one_clock(parts, log, self.reader.clock):
                    warn(note)
                merging = Merging(
                    place, log, account, parts, keep_stored=kept, keep=not self.dry_run
                )
                merging.stage(staged, stack)
                several = len({part.device for part in parts} - {""}) > 1
                one = ", or one device (device=)" if several else ""
                merging.refuse_others(
                    f"import each wearer into an account of their own (account=){one}",
                    "import them into another account (account=)",
                    after="nothing was imported",
                    replace=self.replace,
                )
                names = [part.report.file for part in parts]
                for at, note in repeats(merging.meetings, names).items():
                    warn(note)
                    parts[at].report.notes.append(note)
                for part in parts:
                    report = part.report
                    report.repeated = len(part.stamps) - report.kept - report.conflicts
            before_writing()
            commit_all(place, staged)
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


def conflicts_of(report: FileReport, most: int) -> tuple[list[dict[str, Any]], int]:
    """Return the first conflicts of a file where stored values were kept, and how many are left.

    Each has the line (if the file has lines), the stamp as RFC 3339, and the field.
    """
    cells = sorted(
        (int(stamp), name)
        for name, parts in report.differing.items()
        for stamp in np.concatenate(parts).tolist()
    )
    stamps, lines = report.lines or (NO_STAMPS, NO_STAMPS)
    hit = np.isin(stamps, [stamp for stamp, _ in cells[:most]])
    at = dict(zip(stamps[hit].tolist(), lines[hit].tolist(), strict=True))
    first = []
    for stamp, name in cells[:most]:
        date = str(np.datetime64(stamp, "us")).removesuffix(".000000")
        first.append({"line": at.get(stamp) or None, "date": f"{date}Z", "field": name})
    return first, max(0, len(cells) - most)
