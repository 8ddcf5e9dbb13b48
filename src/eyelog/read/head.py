"""The only way from files to records: recognised, checked, of one wearer, laid over one another.

`read` makes frames of the records, `intake` writes them into an archive. Both say what the report
of a file says, and count its rows as that does. How records lie over one another is in `overlay`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyelog.arrow_tables import NO_STAMPS, Stamps, in_order, stacked, stamps_of
from eyelog.catalogue import catalogue, log_named, near
from eyelog.clock import FILE_ZONE, as_zones
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, counted, listed
from eyelog.frame import STORED, warn_unknown
from eyelog.read.csv_log import CsvLog
from eyelog.read.files import InputFile, NotALog, check_encoding, opened
from eyelog.read.format import LINE, LogFile, names_wearers
from eyelog.read.overlay import CLOCKS, Mask, one_clock, possible
from eyelog.read.saved import ParquetLog, SavedLog, SocketLog

# The first that recognises a file reads it. Any other text may be CSV.
FORMATS: Final[list[Any]] = [ParquetLog, SocketLog, SavedLog, CsvLog]

# {yyyymmdd}-{hhmmss}_{12 characters} on Android, with ({8 characters}) on iOS.
_MOST_PASSES: Final = 100
_BATCH: Final = 10_000  # records on the disk of which those of a wanted time are read
_NAME: Final = re.compile(r"(?:^|[/\\ ])\d{8}-\d{6}_([0-9A-Za-z]{12})?(?:\(([0-9A-Za-z]{8})\))?_")


@dataclass
class FileReport:
    """What became of one file, or one wearer's part of it.

    Each of the rows `read` is one of these: `kept` are new (to the archive, if that is imported
    into) or add something; `repeated` were already there, or come again in the file; `conflicts`
    have other values than another row of their stamp, in the file, in one before it or in the
    archive, and the later one counts, unless stored values are kept; `refused` are left out, for
    the reasons that a note gives. `replaced` says at how many stamps conflicts changed a stored
    record or one of another file; `differing` has their stamps by field, if stored values are kept.
    `cells` are those left missing because they are no value of their field; `notes` say what else a
    user should know. What the app writes beside the logs has a `kind`, which says what it is;
    unless it is kept, as events are, its status is "other kind".
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
    account: str = ""
    kind: str = ""
    notes: list[str] = field(default_factory=list)
    lines: tuple[Stamps, Stamps] | None = field(default=None, repr=False)  # stamps, and their lines
    differing: dict[str, list[Stamps]] = field(default_factory=dict, repr=False)


@dataclass
class FileRecords:
    """The records of one wearer in one file, in order, or (without a table) why not.

    The status of its report is "empty", "left out" (of another device), "other log", "beside" (of a
    log that is written beside others, and not read yet) or "nothing new".
    """

    report: FileReport
    table: pa.Table = None
    device: str = ""
    zones: set[str] = field(default_factory=set)
    history: dict[str, Any] = field(default_factory=dict)
    place: Path | None = None  # where they wait while there is no table

    def __post_init__(self) -> None:
        self.stamps = NO_STAMPS if self.table is None else stamps_of(self.table)
        self.schema = pa.schema([])  # of those on the disk

    def put_aside(self, place: Path) -> None:
        """Move the records to the disk."""
        pq.write_table(self.table, place, row_group_size=_BATCH, compression="zstd")
        self.place, self.schema, self.table = place, self.table.schema, None

    def between(self, first: int = 0, after: int = np.iinfo(np.int64).max) -> pa.Table:
        """Return the records of [first, after)."""
        rows = slice(*np.searchsorted(self.stamps, [first, after]).tolist())
        if self.table is not None:
            return self.table.slice(rows.start, rows.stop - rows.start)
        with pq.ParquetFile(self.place) as file:
            groups = range(rows.start // _BATCH, -(-rows.stop // _BATCH))
            read = file.read_row_groups(list(groups), use_threads=False)
        return read.slice(rows.start % _BATCH, rows.stop - rows.start)

    def take(self, rows: Stamps) -> pa.Table:
        """Return the records of some numbers, in order."""
        first, last = self.stamps[rows[[0, -1]]]
        before = int(np.searchsorted(self.stamps, first))
        return self.between(int(first), int(last) + 1).take(pa.array(rows - before))

    def keep(self, rows: Mask) -> None:
        """Leave out the other records."""
        self.table, self.stamps = self.between().filter(pa.array(rows)), self.stamps[rows]
        self.report.refused += int((~rows).sum())


@dataclass
class Reader:
    """Files that are read one after another, and which of their records are wanted.

    Parameters
    ----------
    tz : str, Zones, or a table or .csv file of zones, optional
        The zone or zones of dates that have no offset; ``"file"`` takes those of the offsets in
        which dates are written.
    log, wearer, device : str, optional
        The only log, wearer or device that is wanted.
    split_wearers : bool
        Whether the records of each wearer are given under the wearer's name.
    clock, dayfirst, encoding
        As `eyelog.read` takes them.
    beside : bool
        Whether files of a log that the app writes beside the others are read even if not requested.
    """

    tz: Any = None
    log: str | None = None
    wearer: str | None = None
    split_wearers: bool = False
    device: str | None = None
    clock: str | None = None
    dayfirst: bool | None = None
    encoding: str | None = None
    beside: bool = True
    names: list[str] = field(init=False, default_factory=list)
    wearers: set[str] = field(init=False, default_factory=set)  # whom the files name, if requested
    owners: set[str] = field(init=False, default_factory=set)  # those of whole files
    devices: dict[str, str] = field(init=False, default_factory=dict)  # by the name of the file
    other_devices: Counter[str] = field(init=False, default_factory=Counter)

    def __post_init__(self) -> None:
        if self.clock not in (None, *CLOCKS):
            raise ConfigurationError(f"clock must be 'first' or 'last', not {self.clock!r}")
        if self.dayfirst not in (None, True, False):
            raise ConfigurationError(f"dayfirst must be True or False, not {self.dayfirst!r}")
        if self.wearer is not None and self.split_wearers:
            raise ConfigurationError(
                "one wearer is chosen and all are to be split: give either wearer= or"
                " split_wearers="
            )
        if self.encoding is not None:
            check_encoding(self.encoding)
        if self.tz is not None and not (isinstance(self.tz, str) and self.tz == FILE_ZONE):
            self.tz = as_zones(self.tz)  # a wrong zone is not the fault of a file

    def take(self, file: InputFile) -> list[FileRecords]:
        """Read one file, and return the records of each wanted wearer; at least one item.

        Raises
        ------
        EyelogError
            If it is not a log, cannot be read, or a choice is missing.
        """
        self.names.append(file.name)
        return self._read(file, self.log)

    def _read(self, file: InputFile, wanted: str | None) -> list[FileRecords]:
        """Return the records of the wanted log of a file, by default of each that it has."""

        def without(status: str, log: str | None = None) -> list[FileRecords]:
            return [FileRecords(FileReport(file.name, log, status))]

        options = {"tz": self.tz, "dayfirst": self.dayfirst, "encoding": self.encoding}
        with opened(file, log=wanted, **options) as source:
            if source.is_empty:
                return without("empty")
            log: LogFile = next(form for form in FORMATS if form.recognises(source.start))(source)
            stored = STORED in log.names
            if stored or {"n", "coverage"} <= log.names:
                made = "a masked frame" if stored else "a table of eyelog.resample"
                raise NotALog(
                    f"it holds {made}, not records (column {STORED if stored else 'coverage'!r}):"
                    f" pandas.{log.pandas} reads it"
                )
            if self.log not in (None, log.log):
                return without("other log", log.log)
            if wanted is None and not self.beside and log_named(log.log).beside:
                return without("beside", log.log)
            device, spellings = _device(file.name, log.history)
            if self.device is not None and self.device not in spellings:
                self.other_devices[device] += 1
                return without("left out", log.log)
            self.devices[file.name] = device
            self.owners |= {log.owner} - {""}
            tables = self._tables(log)
            log.refuse_unreadable()
            taken = [
                self._part(table, FileReport(file.name, log.log, account=name), log, device)
                for name, table in tables.items()
            ]
        taken = taken or without("nothing new", log.log)
        first = taken[0].report
        first.notes = [f"{file.name}: {note}" for note in log.report()]
        first.cells, first.refused = log.cells.count, log.left_out
        first.read += log.left_out
        for other in log.also if wanted is None else ():
            if self.beside or not log_named(other).beside:
                taken += self._read(file, other)
        return taken

    def _tables(self, log: LogFile) -> dict[str, pa.Table]:
        """Return the wanted records of a file by the wearer, if wearers are told apart."""
        if self.wearer is not None and not log.names_wearers:
            raise ConfigurationError(
                "it has no column that names each row's wearer (user_id, wearer): leave out wearer="
            )
        told_apart = log.names_wearers and (self.split_wearers or self.wearer is not None)
        blocks: dict[str, list[pa.Table]] = {}
        seen: set[str] = set()
        for table in log.tables():
            column = next(filter(names_wearers, table.column_names), None)
            whose = pa.repeat(log.owner, len(table)) if column is None else table[column]
            names = sorted(filter(None, pc.unique(whose).to_pylist()))
            self.wearers |= set(names)
            if not told_apart:
                seen |= set(names)
                blocks.setdefault("", []).append(table)
                if len(seen) > 1:
                    raise ArchiveError(
                        f"it has the rows of several wearers ({column!r} is"
                        f" {listed(map(repr, sorted(seen)))}): choose one with wearer=, or import"
                        " each into its own account with `eyelog import --split-wearers`"
                    )
                continue
            for line in table.filter(pc.equal(pc.coalesce(whose, ""), ""))[LINE].to_pylist():
                log.faults.add(line, "it does not name its wearer")
                log.exempt += 1
            for name in names:
                if self.wearer in (None, name):
                    own = table.filter(pc.equal(whose, name))
                    own = own.drop_columns([] if column is None else [column])
                    blocks.setdefault(name if self.split_wearers else "", []).append(own)
        if not blocks and self.wearer is None:
            blocks[""] = []
        return {name: stacked(tables, log.log, log.names) for name, tables in blocks.items()}

    def _part(self, table: pa.Table, report: FileReport, log: LogFile, device: str) -> FileRecords:
        """Return the records of a wearer in order, on one clock, and count them."""
        if LINE in table.column_names:
            table = possible(table, log)
            stamps, lines = stamps_of(table), table.column(LINE).to_numpy()
            opens = np.append(0, np.flatnonzero(stamps[1:] < stamps[:-1]) + 1)
            if 1 < len(opens) <= _MOST_PASSES:
                edges = pairwise([*opens.tolist(), len(stamps)])
                passes = [
                    FileRecords(
                        FileReport(f"{log.row}s {lines[first]} to {lines[after - 1]}"),
                        table.slice(first, after - first),
                    )
                    for first, after in edges
                ]
                if said := one_clock(passes, log.log, self.clock):
                    log.notes.append(said)
                    log.twice += sum(each.report.refused for each in passes)
                    table = pa.concat_tables([each.table for each in passes])
            if log.row == "line":
                report.lines = stamps_of(table), table.column(LINE).to_numpy()
            table = table.drop_columns(LINE)
        report.read = table.num_rows
        warn_unknown(
            log.log, [name for name in table.column_names if name not in catalogue(log.log)]
        )
        return FileRecords(report, in_order(table), device, log.zones, dict(log.history))

    def refuse_several_owners(self, advice: str) -> None:
        """Raise if whole files are of several wearers, and none was chosen."""
        if self.wearer is None and not self.split_wearers and len(self.owners) > 1:
            owners = ", ".join(sorted(self.owners))
            raise ConfigurationError(f"the files are of several accounts ({owners}): {advice}")

    def refuse_nobodys(self, *, any_rows: bool) -> str:
        """Raise if no file has rows of the wearer or is of the device; return a note.

        Files of other devices are left out because that was requested, so only those of no known
        device are said.
        """
        choices = [
            ("has rows of the wearer", self.wearer, not any_rows, self.wearers),
            ("is of the device", self.device, not self.devices, {*self.other_devices}),
        ]
        for what, wanted, lacking, others in choices:
            if wanted is not None and lacking and others:
                known = sorted(others - {""})
                found = f"only of {listed(map(repr, known))}" if known else "and no file states one"
                raise ConfigurationError(f"no file {what} {wanted!r}, {found}{near(wanted, known)}")
        unknown = self.other_devices[""] if self.device is not None else 0
        return f"left out {counted(unknown, 'file')} of no known device" if unknown else ""

    def several_devices(self) -> str:
        """Return the devices that the names of the files state, if there are several."""
        devices = sorted({*self.devices.values()} - {""}) if self.device is None else []
        said = f"the files come from {len(devices)} devices ({listed(devices, 4)})"
        return said if len(devices) > 1 else ""


def _device(name: str, history: Any = None) -> tuple[str, set[str]]:
    """Return the device that a file's name states, else its provenance, and what else it is called.

    A name may state a long and a short number; either stands for it, and so do both.
    """
    if matches := [match for match in _NAME.findall(name) if any(match)]:
        long, short = matches[-1]
        return long or short, {long, short, f"{long}({short})"} - {""}
    steps = history.get("history", []) if isinstance(history, dict) else []
    devices = [str(step["device"]) for step in steps if step.get("device")]
    return (devices[-1], {devices[-1]}) if devices else ("", set())


def reason_of(error: EyelogError, name: str) -> str:
    """Return the message of an error without the file's name, which is shown beside it."""
    return str(error).removeprefix(name).lstrip(":, ")


def on_one_clock(parts: Sequence[FileRecords], log: str, clock: str | None) -> list[str]:
    """Leave out one of two passes where a device's clock was set back between two files.

    Parameters
    ----------
    parts : sequence of FileRecords
        In the order in which they were recorded; a device may not be known.
    log : str
        Their log.
    clock : {"first", "last"}, optional
        Which records to take.

    Returns
    -------
    list of str
        What to say about it.

    Raises
    ------
    ConfigurationError
        If a clock was set back, and `clock` is not given.
    """
    notes = []
    for device in sorted({part.device for part in parts} - {""}):
        own = [part for part in parts if part.device == device and len(part.stamps)]
        if any(later.stamps[0] <= part.stamps[-1] for part, later in pairwise(own)):
            device_of = f"the device {device}"
            otherwise = "pass only the files of one"
            notes.append(one_clock(own, log, clock, whose=device_of, otherwise=otherwise))
    return [*filter(None, notes)]
