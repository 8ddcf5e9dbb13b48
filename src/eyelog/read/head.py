"""The only way from files to records: recognised, checked, of one wearer, laid over one another.

`read` makes frames of the records, `intake` writes them into an archive. Both say what the report
of a file says, and count its rows as that does.

Of several records on one stamp the last one is kept, value by value: a value that is missing in a
file never replaces an existing one. So laying the same files over the result changes nothing.
Records of two wearers or devices, or of one log twice and shifted, would count the same hours
twice, so they are refused.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyelog.arrow_tables import Stamps, fit, schema_of, stamps_of, widest
from eyelog.catalogue import catalogue, log_named, near
from eyelog.clock import FILE_ZONE, Zone, Zones, as_zones
from eyelog.errors import ConfigurationError, EyelogError, counted, listed
from eyelog.frame import OFFSET, STORED, warn_unknown
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc
from eyelog.read.csv_log import CsvLog
from eyelog.read.files import InputFile, check_encoding, opened, recoded
from eyelog.read.format import FIRST, LINE, LogFile, NotALog, Source
from eyelog.read.saved import ParquetLog, SavedLog
from eyelog.read.socket_log import SocketLog
from eyelog.read.stamps import CLOCKS, Mask, Passes, checked

# The first that recognises a file reads it. Any other text may be CSV.
FORMATS: Final[list[Any]] = [ParquetLog, SocketLog, SavedLog, CsvLog]

# {yyyymmdd}-{hhmmss}_{12 characters} on Android, with ({8 characters}) on iOS.
_BATCH: Final = 10_000  # records on the disk of which those of a wanted time are read
_NAME: Final = re.compile(r"(?:^|[/\\ ])\d{8}-\d{6}_([0-9A-Za-z]{12})?(?:\(([0-9A-Za-z]{8})\))?_")


@dataclass
class FileReport:
    """What became of one file, or one wearer's part of it.

    Each of the rows `read` is one of these: `kept` are new (to the archive, if that is imported
    into) or add something; `repeated` were already there, or come again in the file; `conflicts`
    have other values than another row of their stamp, in the file, in one before it or in the
    archive, and the later one counts, unless stored values are kept; `refused` are left out, for
    the reasons that a note gives. `replaced` says how many of the conflicts changed the archive;
    `differing` has their stamps by field, if stored values are kept. `cells` are those left missing
    because they are no value of their field; `notes` say what else a user should know. What the app
    writes beside the logs has a `kind`, which says what it is; unless it is kept, as events are,
    its status is "other kind".
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
class Part:
    """The records of one wearer in one file, each stamp once, or (without a table) why not.

    The status of its report is "empty", "left out" (of another device), "other log", "beside" (of a
    log that is written beside others, and not read yet) or "nothing new". The `again` are the
    stamps that come again in the file, as the meetings of `Overlay`.
    """

    report: FileReport
    table: pa.Table = None
    device: str = ""
    zones: set[str] = field(default_factory=set)
    history: dict[str, Any] = field(default_factory=dict)
    again: Any = ()
    place: Path | None = None  # where they wait while there is no table

    def __post_init__(self) -> None:
        self.stamps = np.empty(0, np.int64) if self.table is None else stamps_of(self.table)

    def put_aside(self, place: Path) -> None:
        """Move the records to the disk."""
        self.place, table, self.table = place, self.table, None
        pq.write_table(table, place, row_group_size=_BATCH, compression="zstd")

    def between(self, first: int = 0, after: int = np.iinfo(np.int64).max) -> pa.Table:
        """Return the records of [first, after)."""
        rows = slice(*np.searchsorted(self.stamps, [first, after]).tolist())
        if self.table is not None:
            return self.table.slice(rows.start, rows.stop - rows.start)
        with pq.ParquetFile(self.place) as file:
            groups = range(rows.start // _BATCH, -(-rows.stop // _BATCH))
            read = file.read_row_groups(list(groups), use_threads=False)
        return read.slice(rows.start % _BATCH, rows.stop - rows.start)

    def keep(self, rows: Mask) -> None:
        """Leave out the other records."""
        self.table, self.stamps = self.between().filter(pa.array(rows)), self.stamps[rows]
        self.report.refused += int((~rows).sum())


@dataclass
class Reader:
    """Files that are read one after another, and which of their records are wanted.

    Parameters
    ----------
    tz : str or Zones or None
        The zone of dates that have no offset, or ``"file"``.
    log, wearer, device : str, optional
        The only log, wearer or device that is wanted.
    split : bool
        Whether the records of each wearer are given under the wearer's name.
    clock, dayfirst, encoding
        As `eyelog.read` takes them.
    beside : bool
        Whether files of a log that the app writes beside the others are read even if not requested.
    """

    tz: str | Zones | None
    log: str | None = None
    wearer: str | None = None
    split: bool = False
    device: str | None = None
    clock: str | None = None
    dayfirst: bool | None = None
    encoding: str | None = None
    beside: bool = True
    names: list[str] = field(default_factory=list)
    wearers: set[str] = field(default_factory=set)  # whom the files name, if requested
    owners: set[str] = field(default_factory=set)  # those of whole files
    devices: dict[str, str] = field(default_factory=dict)  # by the name of the file
    other_devices: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.clock not in (None, *CLOCKS):
            raise ConfigurationError(f"clock must be 'first' or 'last', not {self.clock!r}")
        if self.dayfirst not in (None, True, False):
            raise ConfigurationError(f"dayfirst must be True or False, not {self.dayfirst!r}")
        if self.encoding is not None:
            check_encoding(self.encoding)

    def take(self, file: InputFile) -> list[Part]:
        """Read one file, and return the records of each wanted wearer; at least one item.

        Raises
        ------
        EyelogError
            If it is not a log, cannot be read, or a choice is missing.
        """
        self.names.append(file.name)
        taken, also = self._read(file, self.log)
        for other in also if self.log is None else ():
            if self.beside or not log_named(other).beside:
                taken += self._read(file, other)[0]
        return taken

    def _read(self, file: InputFile, wanted: str | None) -> tuple[list[Part], tuple[str, ...]]:
        """Return the records of one log of a file, and its other logs."""

        def without(status: str, log: str | None = None) -> tuple[list[Part], tuple[str, ...]]:
            return [Part(FileReport(file.name, log, status))], ()

        notes: list[str] = []
        with opened(file, notes) as (kind, stream):
            if kind == "empty":
                return without("empty")
            start = stream.peek(FIRST)[:FIRST]
            form = next(form for form in FORMATS if form.recognises(start))
            if self.encoding is not None and not notes and form is CsvLog:
                stream = recoded(stream, self.encoding, errors="strict")
            log: LogFile = form(Source(stream, file.name, self.tz, wanted, self.dayfirst))
            _refuse_results(log)
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
            for name, table in tables.items():
                tables[name] = checked(table, log, self.clock)
        if not tables and self.wearer is not None:  # none of its rows is theirs
            taken = without("nothing new", log.log)[0]
        else:
            tables = tables or {"": stacked([], log.log, log.names)}
            taken = [
                self._part(table, FileReport(file.name, log.log, account=name), log, device)
                for name, table in tables.items()
            ]
        first = taken[0].report
        first.notes = [f"{file.name}: {note}" for note in [*notes, *log.report()]] + first.notes
        first.cells, first.refused = log.cells.count, log.left_out
        first.read += log.left_out
        return taken, log.also

    def _tables(self, log: LogFile) -> dict[str, pa.Table]:
        """Return the wanted records of a file by the wearer, if wearers are told apart."""
        if self.wearer is not None and not log.names_wearers:
            raise ConfigurationError(
                "it has no column that names each row's wearer (user_id, wearer): leave out wearer="
            )
        named = log.names_wearers and (self.split or self.wearer is not None)
        blocks: dict[str, list[pa.Table]] = {}
        for name, table in log.tables(named=named):
            self.wearers |= {name} - {""}
            if self.wearer in (None, name):
                blocks.setdefault(name if self.split else "", []).append(table)
        return {name: stacked(tables, log.log, log.names) for name, tables in blocks.items()}

    def _part(self, table: pa.Table, report: FileReport, log: LogFile, device: str) -> Part:
        """Return the records of a wearer, each stamp once, and count the others."""
        report.read = table.num_rows
        if LINE in table.column_names:
            if log.row == "line":
                report.lines = stamps_of(table), table.column(LINE).to_numpy()
            table = table.drop_columns(LINE)
        warn_unknown(
            log.log, [name for name in table.column_names if name not in catalogue(log.log)]
        )
        ordered, once = in_order(table)
        part = Part(report, ordered, device, log.zones, dict(log.history))
        if not once:
            laid = overlay(table.schema.empty_table(), [table])
            (report.conflicts,) = laid.conflicts
            report.repeated = report.read - laid.changes.num_rows - report.conflicts
            part = Part(report, laid.changes, device, log.zones, part.history, laid.meetings)
        if report.conflicts:
            first = utc(int(part.again["first"][0]))
            report.notes.append(
                f"{report.file}: {counted(report.conflicts, 'record')} with other values than a"
                f" later one of the same stamp (the first {first:%Y-%m-%d %H:%M:%S} UTC), which was"
                " taken"
            )
        return part

    def refuse_several_owners(self, advice: str) -> None:
        """Raise if whole files are of several wearers, and none was chosen."""
        if self.wearer is None and not self.split and len(self.owners) > 1:
            owners = ", ".join(sorted(self.owners))
            raise ConfigurationError(f"the files are of several accounts ({owners}): {advice}")

    def refuse_nobodys(self, *, any_rows: bool) -> str:
        """Raise if no file has rows of the wearer or is of the device; return a note.

        Files of other devices are left out because that was requested, so only those of no known
        device are said.
        """
        if self.wearer is not None and self.wearers and not any_rows:
            others = listed(map(repr, sorted(self.wearers)))
            raise ConfigurationError(
                f"no file has rows of the wearer {self.wearer!r}, only of {others}"
            )
        if self.device is None:
            return ""
        if self.other_devices and not self.devices:
            named = sorted(filter(None, self.other_devices))
            which = (
                f", only of {', '.join(named)}" if named else ": no name of a file states a device"
            )
            hint = near(self.device, named)
            raise ConfigurationError(f"no file is of the device {self.device!r}{which}{hint}")
        unknown = self.other_devices[""]
        return f"left out {counted(unknown, 'file')} of no known device" if unknown else ""

    def several_devices(self) -> str:
        """Return the devices that the names of the files state, if there are several."""
        devices = sorted({_device(name)[0] for name in self.names} - {""})
        if self.device is not None or len(devices) < 2:
            return ""
        more = ", ..." if len(devices) > 4 else ""
        return f"the files come from {len(devices)} devices ({', '.join(devices[:4])}{more})"


def _refuse_results(log: LogFile) -> None:
    """Raise if a file holds a table that eyelog makes of records."""
    stored = STORED in log.names
    if stored or {"n", "coverage"} <= log.names:
        made = "a masked frame" if stored else "a table of eyelog.resample"
        raise NotALog(
            f"it holds {made}, not records (column {STORED if stored else 'coverage'!r}):"
            f" pandas.{log.pandas} reads it"
        )


def _device(name: str, history: Any = None) -> tuple[str, set[str]]:
    """Return the device that a file's name states, else its provenance, and what else it is called.

    A name may state a long and a short number; either stands for it, and so do both.
    """
    matches = [match for match in _NAME.findall(name) if any(match)]
    if matches:
        long, short = matches[-1]
        return long or short, {long, short, f"{long}({short})"} - {""}
    steps = history.get("history", []) if isinstance(history, dict) else []
    devices = [str(step["device"]) for step in steps if step.get("device")]
    return (devices[-1], {devices[-1]}) if devices else ("", set())


def asked_zones(tz: Zone | None) -> Zones | str | None:
    """Return the requested zones, "file", or None; a wrong zone is not the fault of a file."""
    return tz if tz is None or (isinstance(tz, str) and tz == FILE_ZONE) else as_zones(tz)


def reason_of(error: EyelogError, name: str) -> str:
    """Return the message of an error without the file's name, which is shown beside it."""
    return str(error).removeprefix(name).lstrip(":, ")


# Files laid over one another: which value counts, what each file added, whose it is

HELD: Final = -1  # instead of the number of a file: what is below the files
_SHOWN: Final = 3


def stacked(tables: Sequence[pa.Table], log: str, names: Set[str] = frozenset()) -> pa.Table:
    """Return tables one after the other, in the order of the catalogue, unknown columns last.

    It has the columns of `names`, and those that any of the tables has; an unknown column without
    a value is left out.
    """
    names = {"date"}.union(names, *(table.column_names for table in tables))
    order = [name for name in catalogue(log) if name in names]
    unknown = names.difference(order)
    if len(tables) == 1 and unknown <= {LINE}:
        return tables[0].select([*order, *unknown])
    extras = widest(
        table.schema.field(name)
        for table in tables
        for name in unknown.intersection(table.column_names)
        if name == OFFSET or table.column(name).null_count < table.num_rows
    )
    schema = pa.schema([*(schema_of(log).field(name) for name in order), *extras])
    if unknown - {LINE}:
        tables = [fit(table, schema) for table in tables]
    whole = pa.concat_tables([schema.empty_table(), *tables], promote_options="default")
    return whole.select(schema.names)


def in_order(table: pa.Table) -> tuple[pa.Table, bool]:
    """Return records sorted by their stamps, and whether each stamp is there once."""
    stamps = stamps_of(table)
    if (stamps[1:] > stamps[:-1]).all():
        return table, True
    order = np.argsort(stamps, kind="stable")
    return table.take(pa.array(order)), bool((np.diff(stamps[order]) > 0).all())


@dataclass(frozen=True, slots=True)
class Overlay:
    """The result of laying files over the rows of a table.

    `changes` has the records that are new or changed, with every column that a file has. `kept`,
    `conflicts` and `replaced` are counts per file: of its rows that are new or add something, of
    its rows that have another value than one before them of the same stamp, and how many of these
    replace it. `meetings` has a row for each pair of sources that share stamps: the numbers of the
    `file` and of the `earlier` one, how many stamps are `shared`, at how many the values are
    `conflicts`, and the `first` of them.
    """

    changes: pa.Table
    kept: list[int]
    conflicts: list[int]
    replaced: list[int]
    meetings: pd.DataFrame


def overlay(before: pa.Table, files: Sequence[pa.Table], beneath: Sequence[Stamps] = ()) -> Overlay:
    """Lay files over the rows of a table, the later over the earlier.

    Parameters
    ----------
    before : Table
        Sorted; its schema has every column of the files.
    files : sequence of Table
        The records of each file, the later over the earlier.
    beneath : sequence of array
        The stamps at which each file has lost values to those of `before`, which count as its
        conflicts.
    """
    names = {"date"}.union(*(table.column_names for table in files))
    schema = pa.schema([field for field in before.schema if field.name in names])
    of_files = [stamps_of(table) for table in files]
    before = before.filter(pa.array(np.isin(stamps_of(before), np.concatenate(of_files))))
    whole = pa.concat_tables([fit(table, schema) for table in (before, *files)])
    sizes = [before.num_rows, *map(len, of_files)]
    order = np.argsort(stamps_of(whole), kind="stable")  # of one stamp, in the order of the files
    stamps = stamps_of(whole)[order]
    source = np.repeat(np.arange(len(sizes)), sizes)[order] + HELD
    opens = np.append(True, stamps[1:] != stamps[:-1])[: len(stamps)]
    first = np.flatnonzero(opens)  # where the records of each stamp begin
    last = np.append(first[1:], len(stamps))[: len(first)] - 1
    differs = np.zeros(len(stamps), bool)
    lost = [np.isin(*pair) for pair in zip(of_files, beneath, strict=False)]
    overrules = np.concatenate([np.zeros(before.num_rows, bool), *lost])
    overrules = overrules[order] if beneath else differs.copy()
    moved = source[first] != HELD
    settled: dict[str, npt.NDArray[np.int64]] = {}  # whose values count, where not the last row's
    for name, kind in zip(schema.names, schema.types, strict=True) if not opens.all() else ():
        if name == "date":
            continue
        column = whole.column(name)
        if pa.types.is_string(kind):
            values: npt.NDArray[Any] = np.array(column.to_pylist(), object)[order]
        else:
            values = column.cast(pa.float64()).to_numpy()[order]
        present = np.asarray(pd.notna(values))
        if not present.any():
            continue
        if not present.all():
            at = np.maximum.accumulate(np.where(present | opens, np.arange(len(values)), 0))
            values, present = values[at], present[at]
            settled[name] = at
        other = np.append(False, present[1:] & ~opens[1:] & (values[1:] != values[:-1]))
        differs |= other
        overrules[1:] |= other[1:] & present[:-1]
        moved |= present[last] & (values[first] != values[last])
    rows = last[moved]
    columns = [
        whole.column(name).take(pa.array(order[settled[name][rows] if name in settled else rows]))
        for name in schema.names
    ]
    # Files that replace each other's values may end where they began: then none adds anything.
    adds = (opens | differs) & (source != HELD) & np.repeat(moved, last - first + 1)
    kept, conflicts, replaced = (
        np.bincount(source[which] - HELD, minlength=len(sizes))[1:].tolist()
        for which in (adds & ~overrules, overrules, adds & overrules)
    )
    again = np.flatnonzero(~opens)
    meetings = pd.DataFrame(
        {
            "file": source[again],
            "earlier": source[again - 1],
            "shared": 1,
            "conflicts": overrules[again].astype(np.int64),
            "first": stamps[again],
        }
    )
    changes = pa.Table.from_arrays(columns, schema=schema)
    return Overlay(changes, kept, conflicts, replaced, _by_pair(meetings))


def _by_pair(meetings: pd.DataFrame) -> pd.DataFrame:
    pairs = meetings.groupby(["file", "earlier"], as_index=False)
    totals = pairs.agg({"shared": "sum", "conflicts": "sum", "first": "min"})
    return totals.sort_values("conflicts", ascending=False, kind="stable", ignore_index=True)


def without_conflicts(before: pa.Table, file: pa.Table) -> tuple[pa.Table, dict[str, Stamps]]:
    """Return records without the values that differ from those of a table, and their stamps.

    Laid over the table, the rest replaces no value of it. The stamps are given by field.
    """
    own, conflicts = stamps_of(file), {}
    _, stored, met = np.intersect1d(stamps_of(before), own, return_indices=True)
    for at, name in enumerate(file.column_names):
        if name == "date" or name not in before.column_names or not len(met):
            continue
        old, new = before.column(name).take(pa.array(stored)), file.column(name)
        unequal = pc.not_equal(old, new.take(pa.array(met)).cast(old.type))
        differing = met[pc.fill_null(unequal, False).to_numpy()]
        if len(differing):
            conflicts[name] = own[differing]
            lost = pa.array(np.isin(np.arange(len(own)), differing))
            file = file.set_column(at, name, pc.if_else(lost, pa.scalar(None, new.type), new))
    return file, conflicts


def on_one_clock(parts: Sequence[Part], log: str, clock: str | None) -> list[str]:
    """Leave out one of two passes where a device's clock was set back between two files.

    Parameters
    ----------
    parts : sequence of Part
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
        if all(later.stamps[0] > part.stamps[-1] for part, later in pairwise(own)):
            continue
        edges = np.cumsum([0, *(len(part.stamps) for part in own)])
        passes = Passes(
            np.concatenate([part.stamps for part in own]),
            edges,
            [Path(part.report.file).name for part in own],
            whose=f"the device {device}",
            otherwise="pass only the files of one",
        )
        kept = passes.chosen(partial(_joined, own, log), log_named(log).interval_us, clock)
        if kept is None:
            continue
        notes.append(passes.note)
        for part, rows in zip(own, np.split(kept, edges[1:-1]), strict=True):
            if not rows.all():
                part.keep(rows)
                part.report.notes.append(passes.note)
    return notes


def _joined(parts: Sequence[Part], log: str) -> pa.Table:
    return stacked([part.between() for part in parts], log)


def refuse_others(
    parts: Sequence[Part],
    log: str,
    meetings: Sequence[pd.DataFrame],
    *,
    advice: str,
    to_replace: str | None = None,
    account: str = "",
    tz: tzinfo | None = None,
) -> None:
    """Raise if files are of several wearers or devices at the same time.

    That is, if they have different values at most of the stamps that they share, or cover the same
    time with different stamps. `meetings` are those of `Overlay`. `advice` is for files among
    themselves, `to_replace` for those that meet what the account holds (`HELD`); None allows these.
    """
    names, interval = [part.report.file for part in parts], log_named(log).interval_us
    own = [
        part.again.assign(file=at, earlier=at) for at, part in enumerate(parts) if len(part.again)
    ]
    none = pd.DataFrame(columns=["file", "earlier", "shared", "conflicts", "first"], dtype=int)
    every = _by_pair(pd.concat([none, *own, *meetings]))
    held = every["earlier"] == HELD
    for pairs, what_to_do in ((every[~held], advice), (every[held], to_replace)):
        if what_to_do is None or not len(pairs):
            continue
        counts = pairs[["shared", "conflicts"]]
        differ = [mostly_differ(int(n), int(m), interval) for n, m in counts.to_numpy()]
        worst = pairs.iloc[differ.index(True) if any(differ) else 0]
        # Files autosaved every 5 minutes are too short to decide one by one.
        shared, conflicts = (worst if any(differ) else counts.sum())[["shared", "conflicts"]]
        if not mostly_differ(shared, conflicts, interval):
            continue
        file, earlier = names[worst["file"]], worst["earlier"]
        if earlier == HELD:
            who, again = f"{_names([file])} has", f"{account!r} holds"
        elif names[earlier] == file:
            who, again = f"{_names([file])} has", "come again in it"
        else:
            who, again = f"{_names([names[earlier], file])} have", "they share"
        raise ConfigurationError(
            f"{who} other values on {conflicts:,} of the {shared:,} stamps that {again} (the first"
            f" {utc(int(worst['first'])):%Y-%m-%d %H:%M} UTC), as if they were of two wearers:"
            f" {what_to_do}"
        )
    stamps = [part.stamps for part in parts]
    refuse_overlaps(names, stamps, log, tz=tz, devices=[p.device for p in parts], advice=advice)


def refuse_overlaps(
    names: Sequence[str],
    stamps: Sequence[Stamps],
    log: str,
    *,
    tz: tzinfo | None = None,
    devices: Sequence[str] = (),
    advice: str,
) -> None:
    """Raise if files cover the same time with different stamps.

    The stamps of each file are in microseconds, and its device may be known; the message has
    instants in `tz`, by default UTC, and says what to do.
    """
    source = np.repeat(np.arange(len(stamps)), [len(each) for each in stamps])
    every = np.concatenate([np.empty(0, np.int64), *stamps])
    overlap = overlaps(every, source, log_named(log).interval_us)
    if not overlap.too_much:
        return
    first, last = (utc(edge).astimezone(tz or UTC) for edge in (overlap.first, overlap.last))
    of = sorted({devices[at] for at in overlap.sources if at < len(devices)} - {""})
    owners = f" (devices {' and '.join(of[:_SHOWN])})" if len(of) > 1 else ""
    files = _names([names[at] for at in overlap.sources])
    when = f"{duration_text(overlap.doubled_us)} {span_text(first, last)}{'' if tz else ' UTC'}"
    raise ConfigurationError(
        f"{files}{owners} cover the same time twice, {when}, as two devices do: {advice}"
    )


def _names(names: Sequence[str]) -> str:
    """Return the first names, without their folders if that keeps them apart, and how many more."""
    short = [Path(name).name for name in names]
    names = short if len(set(short)) == len(short) else names
    if len(names) > _SHOWN:
        return listed(names, _SHOWN)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
