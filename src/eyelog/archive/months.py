"""A month of an archive: the one way in which its files are read, and how records are laid over it.

Whoever reads records comes through `opened`: a file is opened without following a link, must
have the checksum of its name, and must say that it is of this account, log and month.

Records are merged once, region by region, so memory stays small, and a file whose records would not
change is not touched. New files are made where no reader looks, and put in place together
(`lists.commit_all`). The last month of an account grows day by day: its days are written as files
of their own, until a later month begins; then they are folded into the month.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import chain, pairwise
from pathlib import Path
from tempfile import gettempdir
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from eyelog.archive.lists import (
    Part,
    Parts,
    Staged,
    checksum,
    commit_all,
    listed,
    locked,
    months,
    of_month,
    part_path,
    present_months,
)
from eyelog.archive.place import REMEDY, Place, archive_errors, damage, one_spelling, problem_of
from eyelog.archive.sealed import open_sealed
from eyelog.arrow_tables import (
    NO_STAMPS,
    STAMP,
    Outcome,
    Span,
    Stamps,
    among,
    days_of,
    group_edges,
    joined,
    merge,
    month_edges,
    months_of,
    overlap,
    schema_of,
    schema_with,
    span_of,
    stamps_of,
    table_of,
)
from eyelog.catalogue import catalogue, catalogue_version, check_log
from eyelog.clock import DAY_US
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.frame import OFFSET, log_of, stamps, warn_unknown
from eyelog.home import make_folders, new_file, temporary_name
from eyelog.read.head import FileRecords, FileReport
from eyelog.read.overlay import HELD, Meeting, overlay, refuse_others

MOST_DAYS: Final = 10  # that one change writes as files of their own
_KEYS: Final = (b"eyelog.log", b"eyelog.account", b"eyelog.slot")

# Read


class _Checked(NamedTuple):
    """A file that has passed all checks, its columns, and the stamps of its groups."""

    file: pq.ParquetFile
    schema: pa.Schema
    groups: list[Span]  # the first and the last of each


class Stored:
    """The open files of some months of one log of one account; ranges are half open.

    An open file can be read to the end even if the next version takes its place.
    """

    def __init__(self, place: Place, log: str, account: str, parts: Iterable[Part]) -> None:
        self.log = log
        self.account = account
        self.parts = sorted(parts)
        self.months = sorted({part.month for part in self.parts})
        self._paths = {part: part_path(place, account, part) for part in self.parts}
        self._checked: dict[Part, _Checked] = {}  # of the month that was read last
        with ExitStack() as opening:
            self._sources = {
                part: opening.enter_context(place.open(path)) for part, path in self._paths.items()
            }
            self.close = opening.pop_all().close
        # The times for which each file counts: for a month those of no file of a day.
        self._counting: list[tuple[int, int, Part]] = []
        for part in self.parts:
            first, after = month_edges(part.slot)
            days = [each for each in self.parts if each.is_day and each.month == part.slot]
            edges = [first, *(edge for day in days for edge in month_edges(day.slot)), after]
            self._counting += [(*each, part) for each in zip(edges[::2], edges[1::2], strict=True)]
        self._counting.sort()

    def _open(self, part: Part) -> _Checked:
        """Return a file, read and checked.

        Raises
        ------
        ArchiveError
            If it is damaged, or of another account, log or month.
        """
        if any(each.month != part.month for each in self._checked):
            self._checked.clear()
        if part in self._checked:
            return self._checked[part]
        path, first, last = self._paths[part], *month_edges(part.slot)
        with archive_errors(f"read {path}"):
            self._sources[part].seek(0)
            body = self._sources[part].read()
        with archive_errors(f"read {path}", remedy=REMEDY):
            if not part.number:
                file = open_sealed(body, path)
            elif checksum(body) != part.checksum:
                raise damage(path, "it is not as it was written: its checksum differs")
            else:
                file = pq.ParquetFile(pa.BufferReader(body))
            schema = file.schema_arrow
            if ("date", STAMP) not in zip(schema.names, schema.types, strict=True):
                raise damage(path, f"not a file of an archive (its 'date' is not {STAMP})")
            about = file.metadata.metadata or {}
            log, account, slot = (about.get(key, b"").decode() for key in _KEYS)
            is_ours = log == part.log and one_spelling(account) == one_spelling(self.account)
            if not is_ours or (part.number and slot != part.slot):  # an old one states none
                stated = f"says that it is {log!r} of {account!r}, {slot or part.slot}"
                raise damage(path, f"its metadata {stated if log else 'names no log'}")
            groups, at = [], file.metadata.schema.names.index("date")
            for number in range(file.num_row_groups):
                stamps = file.metadata.row_group(number).column(at).statistics
                known = stamps is not None and stamps.has_min_max
                groups.append((stamps.min_raw, stamps.max_raw) if known else (first, last - 1))
            if any(low < first or high >= last for low, high in groups):
                raise damage(path, "it has stamps of another month")
        self._checked[part] = _Checked(file, schema, groups)
        return self._checked[part]

    def schemas(self, month: str = "") -> Iterator[pa.Schema]:
        """Yield the columns of each file (or of those of a month), as they were written."""
        for part in self.parts:
            if part.slot.startswith(month):
                yield self._open(part).schema

    def rows(self, first: int, after: int, schema: pa.Schema | None = None) -> pa.Table:
        """Return the rows of [first, after), in the columns of `schema`, or in all.

        Only the row groups and columns that are needed are taken. A column that a file lacks
        (because an older catalogue did) is missing in every row.

        Raises
        ------
        ArchiveError
            If a file is damaged, or of another place.
        """
        tables, found = list[pa.Table](), list[pa.Schema]()
        for opens, closes, part in self._counting:
            low, high = max(first, opens), min(after, closes)
            if low >= high:
                continue
            file, own, groups = self._open(part)
            found.append(own)
            present = set(own.names)
            names = [name for name in (schema or own).names if name in present]
            wanted = [at for at, (first, last) in enumerate(groups) if first < high and last >= low]
            if not wanted:  # pyarrow 18 refuses to read no group
                continue
            with archive_errors(f"read {self._paths[part]}", remedy=REMEDY):
                # A thread of pyarrow can still hold the memory that Python owns when the program
                # ends, and to give it back then aborts the process. Threads read no faster.
                table = file.read_row_groups(wanted, columns=names, use_threads=False)
                stamps = stamps_of(table)
                if not bool(np.all(stamps[1:] > stamps[:-1])):
                    raise damage(self._paths[part], "its stamps are not in order")
                tables.append(table[slice(*np.searchsorted(stamps, (low, high)).tolist())])
        return joined(tables, schema_with(found, self.log) if schema is None else schema)

    def stamps(self, first: int, after: int) -> Stamps:
        """Return the stamps of [first, after); no other column is read."""
        return stamps_of(self.rows(first, after, pa.schema([("date", STAMP)])))


@contextmanager
def opened(
    place: Place, log: str, account: str, span: Span, found: Parts | None = None
) -> Iterator[Stored]:
    """Open the months of a range, as they are after the same change.

    Whoever has locked the account may give what is listed.

    Raises
    ------
    ArchiveError
        If a file is gone, or cannot be opened.
    """
    found = listed(place, account) if found is None else found
    while True:
        wanted = [part for part in found if part.log == log and overlap(part.slot, span)]
        try:
            stored = Stored(place, log, account, wanted)
            break
        except FileNotFoundError as gone:
            before, found = found, listed(place, account)
            if found == before:
                path = str(gone.filename or gone)
                raise damage(path, "it is gone, and the list of months names it") from None
            # Another process has written meanwhile.
    with closing(stored):
        yield stored


def read_table(
    place: Place, log: str, account: str, span: Span, fields: Sequence[str] | None
) -> pa.Table:
    """Return the records of a half-open range, sorted; without `fields`, unknown columns come last.

    Raises
    ------
    ArchiveError
        If the archive has no records of this log and account, or a file cannot be read.
    """
    present_months(place, log, account)
    schema = None if fields is None else schema_of(log, "date", *fields)
    with opened(place, log, account, span) as stored:
        return stored.rows(*span, schema)


def readable_stamps(
    place: Place, log: str, account: str, span: Span | None = None
) -> tuple[Stamps, dict[str, str]]:
    """Return the stamps of months (that overlap with a range), and what is wrong with others."""
    every, wrong = [NO_STAMPS], dict[str, str]()
    for month in months(place, log, account):
        if span is None or overlap(month, span):
            edges = month_edges(month)
            try:
                with opened(place, log, account, edges) as stored:
                    every.append(stored.stamps(*edges))
            except ArchiveError as error:
                wrong[month] = problem_of(error)
    return np.concatenate(every), wrong


# Write


def prepare(frame: pd.DataFrame, log: str) -> pa.Table:
    """Return the records of a frame as a table of the archive.

    Raises
    ------
    MixedLogsError
        If `frame` is of the other log.
    ConfigurationError
        If the index is naive, or a stamp is missing.
    """
    log_of(frame, check_log(log))
    if stamps(frame, what="the frame").hasnans:
        raise ConfigurationError(
            "a stamp of the frame is missing (NaT): drop those rows (frame[frame.index.notna()])"
        )
    if OFFSET in frame.columns:
        frame = frame.drop(columns=OFFSET)  # the archive knows the wearer's clock
    warn_unknown(log, [name for name in frame.columns.tolist() if name not in catalogue(log)])
    return table_of(frame, log)


def write(
    place: Place,
    log: str,
    account: str,
    table: pa.Table,
    *,
    spans: Sequence[Span] = (),
    replace: bool = False,
) -> Outcome:
    """Merge the rows of a sorted table into the archive, as `eyelog.Archive.write` does.

    Records of the archive inside `spans` are removed unless they are among the rows. The columns
    may be any of the catalogue's, and others.

    Raises
    ------
    ConfigurationError
        If a stamp is outside the years 1 to 9999. Without spans, if the account has the records of
        another wearer or device in the same time. Different values at the same stamps may be
        replaced.
    """
    stamps = stamps_of(table)
    if not len(stamps) and not spans:
        return Outcome(NO_STAMPS, NO_STAMPS, NO_STAMPS)
    opens, closes = span_of(None, None, "UTC")
    if len(stamps) and not (stamps[0] >= opens and stamps[-1] < closes):
        first, last = (str(edge) for edge in stamps[[0, -1]].view("M8[us]"))
        raise ConfigurationError(f"a stamp lies outside the years 1 to 9999: {first} to {last}")
    files = [FileRecords(FileReport("this frame"), table)]
    merging = Merging(place, log, account, files, spans, missing_counts=True)
    staged: Staged = {}
    with ExitStack() as stack:
        merging.stage(staged, stack)
        if not spans:  # whole days replace whatever was there
            merging.refuse_others(
                "", "write into another account", replace=replace, after="nothing was written"
            )
        commit_all(place, staged)
    return Outcome(*map(np.concatenate, zip(*merging.merged, strict=True)))


@dataclass
class Merging:
    """Files that are laid over the records of one log of one account, and their reports.

    Parameters
    ----------
    place, log, account
        Over which records.
    files : sequence of FileRecords
        The records of each file, the later over the earlier.
    spans : sequence of tuple
        Times in which all other records of the archive are removed.
    missing_counts, keep_stored : bool
        As `overlay` takes them.
    keep : bool
        Without it nothing is written.
    """

    place: Place
    log: str
    account: str
    files: Sequence[FileRecords]
    spans: Sequence[Span] = ()
    missing_counts: bool = False
    keep_stored: bool = False
    keep: bool = True

    def __post_init__(self) -> None:
        stamps = [NO_STAMPS, *(file.stamps for file in self.files)]
        self.stamps = np.sort(np.concatenate(stamps), kind="stable")
        # Once it is staged: what files share with one another and the archive, and what changes
        self.meetings: list[Meeting] = []
        self.merged = [Outcome(NO_STAMPS, NO_STAMPS, NO_STAMPS)]
        self._held = [NO_STAMPS]

    def stage(self, staged: Staged, stack: ExitStack) -> None:
        """Merge the files into their months, one after the other.

        Every new file is complete on the disk before the caller puts the first in its place
        (`commit_all`), so an error changes nothing. The account stays locked until `stack` ends,
        which removes the files that were not put in place.
        """
        with archive_errors(f"write {self.log!r} of {self.account!r} to {self.place.name}"):
            if self.keep:
                stack.enter_context(locked(self.place, self.account))
            found = listed(self.place, self.account)
            own = [part for part in found if part.log == self.log]
            concerned = set(months_of(self.stamps))
            concerned |= {
                part.month for part in own if any(overlap(part.month, span) for span in self.spans)
            }
            latest = max([*concerned, *(part.month for part in own)], default="")
            # The days of a month that is over are folded into it, if it is not damaged.
            over = {part.month for part in own if part.is_day and part.month < latest} - concerned
            for month in sorted(concerned | over):
                with suppress(ArchiveError) if month in over else nullcontext():
                    if files := self._month(month, found, stack, is_last=month == latest):
                        staged[self.account, self.log, month] = files

    def refuse_others(self, advice: str, other: str, *, after: str, replace: bool) -> None:
        """Raise if the files, or they and the archive, are of several wearers or devices."""
        refuse_others(
            self.files,
            self.log,
            self.meetings,
            advice=f"{advice}; {after}",
            account=self.account,
            held=np.concatenate(self._held),
            other=f"{other}; {after}",
            to_replace=None if replace else f"{other}, or pass replace=True; {after}",
        )

    def _month(
        self, month: str, found: Parts, stack: ExitStack, *, is_last: bool
    ) -> tuple[Iterable[Part], dict[str, Path]] | None:
        """Merge the files into a month; return its files, None if no record would change."""
        first, after = month_edges(month)
        replaced = [
            np.arange(max(a, first) // DAY_US * DAY_US, min(b, after), DAY_US)
            for a, b in self.spans
        ]
        rows = slice(*np.searchsorted(self.stamps, [first, after]).tolist())
        days = days_of(np.concatenate([self.stamps[rows], *replaced]))
        parts = of_month(found, self.log, month)
        # What is of an older eyelog, or changes on many days, is written as a whole.
        by_day = 0 < len(days) <= (MOST_DAYS if parts else 1) and is_last
        by_day &= all(part.number for part in parts)
        fold = not is_last and any(part.is_day for part in parts)
        slots = days if by_day else [month]
        edges = [edge for slot in slots for edge in month_edges(slot)]
        before, made = len(self.merged), dict[str, Path]()
        with opened(self.place, self.log, self.account, (edges[0], edges[-1]), parts) as old:
            own = (each.schema if each.table is None else each.table.schema for each in self.files)
            schema = schema_with([*own, *old.schemas()], self.log)
            for slot in slots:
                if path := self._slot(slot, old, schema, stack, rewrite=fold):
                    made[slot] = path
        if not made:
            return None
        fewer = sum(len(each.removed) - len(each.added) for each in self.merged[before:])
        if fewer > 0:
            with opened(self.place, self.log, self.account, (first, after), parts) as old:
                if fewer == len(old.stamps(first, after)):
                    return (), {}  # no record is left
        return [part for part in parts if by_day and part.slot not in made], made

    def _slot(
        self, slot: str, old: Stored, schema: pa.Schema, stack: ExitStack, *, rewrite: bool
    ) -> Path | None:
        """Merge into a month or a day; return its new file, None if no record differs."""
        path, unchanged = None, list[Span]()  # what comes before the first record that differs
        with ExitStack() as writing:
            for first, after in pairwise(group_edges(slot)):
                low, high = np.searchsorted(self.stamps, [first, after])
                laid = []
                if low < high or any(a < after and b > first for a, b in self.spans):
                    before = old.rows(first, after, schema)
                    table, outcome = self._laid_over(before, first, after)
                    self.merged.append(outcome)
                    rewrite |= any(map(len, outcome))
                    laid = [table]
                if not (rewrite and self.keep):
                    unchanged.append((first, after))
                    continue
                if path is None:
                    home = Path(part_path(self.place, self.account, Part(self.log, slot))).parent
                    home = home if self.place.local else Path(gettempdir())  # until it is sent
                    make_folders(home)
                    path = temporary_name(home / slot)
                    stack.callback(path.unlink, missing_ok=True)
                    writing.enter_context(archive_errors(f"write {path}"))
                    sink = writing.enter_context(new_file(path))
                    writer = parquet_writer(sink, schema, self.log, self.account, slot)
                    writing.enter_context(writer)
                unchanged += [] if laid else [(first, after)]
                for rows in chain((old.rows(*each, schema) for each in unchanged), laid):
                    if rows.num_rows:  # one chunk, one group: the same records, the same bytes
                        writer.write_table(rows.combine_chunks(), row_group_size=rows.num_rows)
                unchanged = []
        return path

    def _laid_over(self, before: pa.Table, first: int, after: int) -> tuple[pa.Table, Outcome]:
        """Lay the records of [first, after) over those of the archive; count them in reports."""
        stored = stamps_of(before)
        self._held.append(stored)
        # A file without records of this time is not opened.
        numbers = [
            number
            for number, file in enumerate(self.files)
            if np.ptp(np.searchsorted(file.stamps, [first, after]))
        ]
        tables = [self.files[number].between(first, after) for number in numbers]
        laid = overlay(
            before, tables, missing_counts=self.missing_counts, keep_stored=self.keep_stored
        )
        counts = zip(numbers, laid.kept, laid.conflicts, laid.replaced, strict=True)
        for number, kept, conflicts, replaced in counts:
            report = self.files[number].report
            report.kept += int(kept)
            report.conflicts += int(conflicts)
            report.replaced += int(replaced)
        for at, name, differing in laid.differing:
            self.files[numbers[at]].report.differing.setdefault(name, []).append(differing)
        number_of = [*numbers, HELD]  # the last one is what is held
        self.meetings += [
            each._replace(file=number_of[each.file], earlier=number_of[each.earlier])
            for each in laid.meetings
        ]
        gone = np.concatenate(
            [NO_STAMPS, *(stored[slice(*np.searchsorted(stored, span))] for span in self.spans)]
        )
        return merge(before, laid.changes, gone[~among(gone, self.stamps)])


def parquet_writer(
    sink: object, schema: pa.Schema, log: str, account: str, slot: str = ""
) -> pq.ParquetWriter:
    """Return a Parquet writer with the settings of the archive, which an export uses too.

    Values with few decimals suit dictionaries; stamps, all different, suit differences. A file of a
    day lives for some days, so it is packed quickly rather than well.
    """
    # No clock time is in it: same records, same bytes.
    about = {"eyelog.log": log, "eyelog.account": account, **_versions()}
    if slot:
        about["eyelog.slot"] = slot
    is_day = len(slot) > len("2026-10")
    return pq.ParquetWriter(
        sink,
        schema.with_metadata({**(schema.metadata or {}), **about}),
        compression="snappy" if is_day else "zstd",
        compression_level=None if is_day else 3,
        use_dictionary=[name for name in schema.names if name != "date"],
        column_encoding={"date": "DELTA_BINARY_PACKED"},
        write_statistics=["date"],
        write_page_checksum=True,
        sorting_columns=[pq.SortingColumn(schema.names.index("date"))],
    )


@cache
def _versions() -> dict[str, str]:
    return {"eyelog.catalogue": catalogue_version(), "eyelog.version": version("eyelog")}
