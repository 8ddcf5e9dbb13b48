"""A month of an archive: the one way in which its files are read, and how records are laid over it.

Whoever reads records comes through `opened`: a file is opened without following a link, must
have the checksum of its name, and must say that it is of this account, log and month.

Records are merged once, region by region, so memory stays small, and a file whose records would not
change is not touched. New files are made under names that begin with a dot, flushed to the disk and
put in place together (`lists.commit_all`). The last month of an account grows day by day: its days
are written as files of their own, until a later month begins; then they are folded into the month.
"""

import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from eyelog.archive.lists import (
    OLD,
    Part,
    Parts,
    Staged,
    checksum,
    commit_all,
    listed,
    locked,
    months,
    part_path,
    present_months,
)
from eyelog.archive.place import (
    Place,
    archive_errors,
    check_account,
    damage,
    open_regular,
    read_whole,
)
from eyelog.archive.sealed import open_sealed
from eyelog.arrow_tables import (
    NO_STAMPS,
    STAMP,
    Merged,
    Span,
    Stamps,
    days_of,
    extras_of,
    group_edges,
    joined,
    merge,
    month_edges,
    months_of,
    other_values,
    overlap,
    schema_of,
    stamps_of,
    table_of,
    widest,
)
from eyelog.catalogue import catalogue, catalogue_version, check_log, log_named
from eyelog.clock import DAY_US
from eyelog.errors import ConfigurationError, EyelogError
from eyelog.frame import OFFSET, log_of, stamps, warn_unknown
from eyelog.home import make_folders, new_file, temporary_name
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc

MOST_DAYS: Final = 10  # that one change writes as files of their own
_KEYS: Final = (b"eyelog.log", b"eyelog.account", b"eyelog.slot")

# The years that the folders of months can be named after.
_FIRST: Final = int(np.datetime64("0001-01-01", "us").astype(np.int64))
_AFTER: Final = int(np.datetime64("9999-12-01", "us").astype(np.int64))


# Read


class _File:
    """An open file of a month: what is taken from it has passed all checks."""

    def __init__(self, place: Place, account: str, part: Part) -> None:
        self.part = part
        self.account = account
        self.path = part_path(place, account, part)
        self.edges = month_edges(part.slot)
        self.schema = pa.schema([])  # its columns, once it was read
        # An open file can be read to the end even if the next version takes its place.
        self._source = (
            open_regular(place, self.path)
            if place.local
            else io.BytesIO(read_whole(place, self.path))
        )
        self._kept: pq.ParquetFile | None = None
        self.close = self._source.close

    def open(self, *, keep: bool = False) -> pq.ParquetFile:
        """Return the file, read and checked; with `keep` it stays in memory, for a writer.

        Raises
        ------
        ArchiveError
            If it is damaged, or of another account, log or month.
        """
        if self._kept is not None:
            return self._kept
        with archive_errors(f"read {self.path}"):
            self._source.seek(0)
            body = self._source.read()
        with _damage_errors(self.path):
            if self.part.name == OLD:
                file = open_sealed(body, self.path)
            elif checksum(body) != self.part.checksum:
                raise damage(self.path, "it is not as it was written: its checksum differs")
            else:
                file = pq.ParquetFile(pa.BufferReader(body))
            self.schema = file.schema_arrow
            if ("date", STAMP) not in zip(self.schema.names, self.schema.types, strict=True):
                raise damage(self.path, f"not a file of an archive (its 'date' is not {STAMP})")
            stated = [(file.metadata.metadata or {}).get(key, b"").decode() for key in _KEYS]
        log, account, slot = stated
        if not log or not account:
            raise damage(self.path, "its metadata names no log and no account, as if of another")
        is_ours = log == self.part.log and check_account(account) == check_account(self.account)
        if not is_ours or (slot != self.part.slot and self.part.name != OLD):  # an old says none
            raise damage(
                self.path,
                f"its metadata says that it is {log!r} of {account!r}, {slot or self.part.slot}",
            )
        self._kept = file if keep else None
        return file

    def rows(
        self, file: pq.ParquetFile, first: int, after: int, names: Sequence[str] | None
    ) -> pa.Table:
        """Return the rows of [first, after), in those of its columns that are among `names`."""
        with _damage_errors(self.path):
            own = self.schema.names
            names = own if names is None else [name for name in names if name in own]
            at, wanted = file.metadata.schema.names.index("date"), []
            for number in range(file.num_row_groups):
                stamps = file.metadata.row_group(number).column(at).statistics
                low, high = self.edges[0], self.edges[1] - 1
                if stamps is not None and stamps.has_min_max:
                    low, high = stamps.min_raw, stamps.max_raw
                if low < self.edges[0] or high >= self.edges[1]:
                    raise damage(self.path, "it has stamps of another month")
                if low < after and high >= first:
                    wanted.append(number)
            if not wanted:
                return self.schema.empty_table().select(names)
            # A thread of pyarrow can still hold the memory that Python owns when the program ends,
            # and to give it back then aborts the process. Threads read a month no faster.
            table = file.read_row_groups(wanted, columns=names, use_threads=False)
            stamps = stamps_of(table)
            if not bool(np.all(stamps[1:] > stamps[:-1])):
                raise damage(self.path, "its stamps are not in order")
            low, high = np.searchsorted(stamps, [first, after]).tolist()
            return table.select(names).slice(low, high - low)


@contextmanager
def _damage_errors(path: str) -> Iterator[None]:
    """Turn into `damage` whatever a Parquet reader raises on the bytes of a file."""
    try:
        yield
    except (EyelogError, Warning):
        raise
    except Exception as error:  # a wrong bit can affect anything: text, sizes, types, names
        raise damage(path, " ".join(str(error).split()) or type(error).__name__) from error


class Stored:
    """The open files of some months of one log of one account; ranges are half open."""

    def __init__(self, place: Place, log: str, account: str, parts: Iterable[Part]) -> None:
        self.log = log
        self.parts = sorted(parts)
        self.months = sorted({part.month for part in self.parts})
        self._files: list[_File] = []
        with ExitStack() as opening:
            for part in self.parts:
                self._files.append(_File(place, account, part))
                opening.callback(self._files[-1].close)
            self.close = opening.pop_all().close
        # Each file with the times for which it counts: a month for those of no file of a day.
        self._counting: list[tuple[int, int, _File]] = []
        days = [file for file in self._files if file.part.is_day]
        for file in self._files:
            own = [] if file.part.is_day else [d for d in days if d.part.month == file.part.slot]
            opens = [file.edges[0], *(day.edges[1] for day in own)]
            closes = [*(day.edges[0] for day in own), file.edges[1]]
            self._counting += [(*edges, file) for edges in zip(opens, closes, strict=True)]
        self._counting.sort(key=itemgetter(0))

    def schemas(self, slots: Sequence[str] = (), *, keep: bool = False) -> Iterator[pa.Schema]:
        """Yield the columns of each file (or of some months and days), as they were written."""
        for file in self._files:
            if not slots or file.part.slot in slots:
                file.open(keep=keep)
                yield file.schema

    def rows(self, first: int, after: int, schema: pa.Schema | None = None) -> pa.Table:
        """Return the rows of [first, after), in the columns of `schema`, or in all.

        Only the row groups and columns that are needed are taken. A column that a file lacks
        (because an older catalogue did) is missing in every row.

        Raises
        ------
        ArchiveError
            If a file is damaged, or of another place.
        """
        names = None if schema is None else schema.names
        tables = []
        for _, pieces in groupby(self._counting, key=lambda piece: piece[2].part.month):
            once: dict[_File, pq.ParquetFile] = {}  # a month lies on both sides of a file of a day
            for opens, closes, file in pieces:
                edges = max(first, opens), min(after, closes)
                if edges[0] < edges[1]:
                    once[file] = once.get(file) or file.open()
                    tables.append(file.rows(once[file], *edges, names))
        return joined(tables, self.log, schema)

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
        wanted = [part for part in found if part.log == log and overlap(part.month, span)]
        try:
            stored = Stored(place, log, account, wanted)
        except FileNotFoundError as gone:
            before, found = found, listed(place, account)
            if found == before:
                path = str(gone.filename or gone)
                raise damage(path, "it is gone, and the list of months names it") from None
            continue  # another process has written meanwhile
        with closing(stored):
            yield stored
        return


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
    schema = None
    if fields is not None:
        schema = pa.schema([schema_of(log).field(name) for name in ("date", *fields)])
    with opened(place, log, account, span) as stored:
        return stored.rows(*span, schema)


# Write


@dataclass(frozen=True, slots=True)
class Change:
    """New records of one month, and how they are merged.

    `merge` takes the rows of a region of some days and its edges; it is called once for each
    region that has some of `stamps` or overlaps one of `spans`.
    """

    month: str
    stamps: Stamps  # sorted
    extras: Sequence[pa.Field]  # columns that are not in the catalogue
    merge: Callable[[pa.Table, int, int], Merged]
    spans: Sequence[Span] = ()

    def concerns(self, first: int, after: int) -> bool:
        """Return whether any record of [first, after) can change."""
        low, high = np.searchsorted(self.stamps, [first, after])
        return bool(low < high) or any(a < after and b > first for a, b in self.spans)

    def days(self) -> list[str]:
        """Return the days of which any record can change, in order."""
        first, after = month_edges(self.month)
        replaced = [
            np.arange(max(a, first) // DAY_US * DAY_US, min(b, after), DAY_US)
            for a, b in self.spans
        ]
        return days_of(np.concatenate([self.stamps, *replaced]))


class Outcome(NamedTuple):
    """The sorted stamps of records added, changed or removed."""

    added: Stamps
    changed: Stamps
    removed: Stamps


_NOTHING: Final = Outcome(NO_STAMPS, NO_STAMPS, NO_STAMPS)


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
    warn_unknown(log, [name for name in frame.columns if name not in catalogue(log)])
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
        return _NOTHING
    if len(stamps) and not (stamps[0] >= _FIRST and stamps[-1] < _AFTER):
        first, last = (str(edge) for edge in stamps[[0, -1]].view("M8[us]"))
        raise ConfigurationError(f"a stamp lies outside the years 1 to 9999: {first} to {last}")
    held: list[Stamps] = [NO_STAMPS]
    meetings: list[tuple[int, int]] = []  # stamps that both have, and those with other values

    def rows_of(first: int, after: int) -> slice:
        return slice(*np.searchsorted(stamps, [first, after]).tolist())

    def lay_over(before: pa.Table, first: int, after: int) -> Merged:
        new = table[rows_of(first, after)]
        if not spans:  # whole days replace whatever was there
            held.append(stamps_of(before))
            meetings.append(other_values(before, new))
        return merge(before, new, spans)

    doing = f"write {log!r} of {account!r} to {place.name}"
    with archive_errors(doing), locked(place, account):
        replaced = {
            month
            for month in (months(place, log, account) if spans else ())
            if any(overlap(month, span) for span in spans)
        }
        extras = extras_of(table.schema, log)
        changes = [
            Change(month, stamps[rows_of(*month_edges(month))], extras, lay_over, spans)
            for month in replaced | set(months_of(stamps))
        ]
        with merging(place, log, account, changes) as outcome:
            if not spans:
                shared, conflicts = np.sum([(0, 0), *meetings], axis=0).tolist()
                stored = np.concatenate(held)
                _refuse_another(account, log, stored, stamps, shared, 0 if replace else conflicts)
            return outcome


def _refuse_another(
    account: str, log: str, stored: Stamps, new: Stamps, shared: int, conflicts: int
) -> None:
    """Raise if an account has the records of another wearer or device in the time of new ones."""
    interval = log_named(log).interval_us
    if mostly_differ(shared, conflicts, interval):
        raise ConfigurationError(
            f"the account {account!r} has other values on {conflicts:,} of the"
            f" {shared:,} stamps that it shares with this frame, as if they were of two"
            f" wearers: write into another account, or pass"
            f" replace=True; nothing was written"
        )
    source = np.repeat([0, 1], [len(stored), len(new)])
    overlap = overlaps(np.append(stored, new), source, interval)
    if overlap.too_much:
        first, last = (utc(edge) for edge in (overlap.first, overlap.last))
        raise ConfigurationError(
            f"the account {account!r} has records of another device or wearer between those of"
            f" this frame, {duration_text(overlap.doubled_us)} {span_text(first, last)} (UTC):"
            " write into another account; nothing was written"
        )


@contextmanager
def merging(
    place: Place,
    log: str,
    account: str,
    changes: Iterable[Change],
    *,
    keep: bool = True,
    staged: Staged | None = None,
) -> Iterator[Outcome]:
    """Merge changes into their months, one after the other; give what would change.

    Every new file is complete on the disk before the first is put in place, at the end of the
    context, so a full disk or an error of the caller changes nothing. Without `keep` nothing is
    written at all. With `staged`, the new files are added to it, and the caller puts them in place
    with those of other logs, inside the context (`commit_all`).
    """
    new: Staged = {}
    with ExitStack() as cleanup:
        cleanup.enter_context(archive_errors(f"write {log!r} of {account!r} to {place.name}"))
        if keep:
            cleanup.enter_context(locked(place, account))
        found = listed(place, account)
        by_month = {change.month: change for change in changes}
        latest = max([*by_month, *(part.month for part in found if part.log == log)], default="")
        for part in found:  # days of a month that is over
            if part.log == log and part.is_day and part.month < latest:
                nothing = Change(part.month, NO_STAMPS, (), _unchanged)
                by_month.setdefault(part.month, nothing)
        writer = _Writer(place, log, account, keep, cleanup)
        for month, change in sorted(by_month.items()):
            with opened(place, log, account, month_edges(month), found) as old:
                files = writer.merge(old, change, is_last=month == latest)
            if files is not None:
                new[account, log, month] = files
        if staged is not None:
            staged.update(new)
        yield Outcome(*map(np.concatenate, zip(*writer.merged, strict=True)))
        if staged is None:
            commit_all(place, new)


def _unchanged(rows: pa.Table, *_: int) -> Merged:
    return Merged(rows, *_NOTHING)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Makes the new files of the months of one log of one account."""

    place: Place
    log: str
    account: str
    keep: bool
    cleanup: ExitStack  # removes the files that were not put in place
    merged: list[Outcome] = field(default_factory=lambda: [_NOTHING])

    def merge(
        self, old: Stored, change: Change, *, is_last: bool
    ) -> tuple[Iterable[Part], dict[str, Path]] | None:
        """Merge a change into a month; return its files, None if no record would change."""
        days = change.days()
        # What is new, or of an older eyelog, or changes on many days, is written as a whole.
        by_day = len(days) <= MOST_DAYS and is_last
        by_day &= any(not part.is_day and part.name != OLD for part in old.parts)
        slots = days if by_day else [change.month]
        fold = not is_last and any(part.is_day for part in old.parts)
        extras = list(change.extras)
        for own in old.schemas([change.month, *days] if by_day else (), keep=True):
            extras += extras_of(own, self.log)
        schema = pa.schema([*schema_of(self.log), *widest(extras)])
        before = len(self.merged)
        tried = {slot: self._slot(slot, old, change, schema, rewrite=fold) for slot in slots}
        made = {slot: path for slot, path in tried.items() if path is not None}
        if not made:
            return None
        of_month = self.merged[before:]
        fewer = sum(len(each.removed) - len(each.added) for each in of_month)
        if fewer > 0 and fewer == len(old.stamps(*month_edges(change.month))):
            return (), {}  # no record is left
        return [part for part in old.parts if by_day and part.slot not in made], made

    def _slot(
        self, slot: str, old: Stored, change: Change, schema: pa.Schema, *, rewrite: bool
    ) -> Path | None:
        """Merge a change into a month or a day; return its new file, None if no record differs."""
        regions = list(pairwise(group_edges(slot)))
        path: Path | None = None
        writer: pq.ParquetWriter | None = None
        with ExitStack() as stack:
            for at, edges in enumerate(regions):
                concerned = change.concerns(*edges)
                if not (concerned or writer or rewrite):
                    continue
                table, differs = old.rows(*edges, schema), rewrite
                if concerned:
                    table, *stamps = change.merge(table, *edges)
                    self.merged.append(Outcome(*stamps))
                    differs = rewrite or any(map(len, stamps))
                tables = [table]
                if writer is None and differs and self.keep:
                    path = self._new_path(slot)
                    sink = stack.enter_context(new_file(path))
                    writer = parquet_writer(sink, schema, self.log, self.account, slot)
                    stack.enter_context(writer)
                    tables = [*(old.rows(*before, schema) for before in regions[:at]), table]
                for rows in tables:
                    if writer is not None and rows.num_rows:
                        # One chunk, one group: the same records make the same bytes.
                        writer.write_table(rows.combine_chunks(), row_group_size=rows.num_rows)
        return path

    def _new_path(self, slot: str) -> Path:
        """Return a hidden name for the file of a month or a day that is not in its place yet."""
        home = Path(tempfile.gettempdir())  # uploads are first written here
        if self.place.local:
            home = Path(part_path(self.place, self.account, Part(self.log, slot, slot))).parent
            make_folders(home)
        path = temporary_name(home / slot)
        self.cleanup.callback(path.unlink, missing_ok=True)
        return path


def parquet_writer(
    sink: object, schema: pa.Schema, log: str, account: str, slot: str = ""
) -> pq.ParquetWriter:
    """Return a Parquet writer with the settings of the archive, which an export uses too.

    Values with few decimals suit dictionaries; stamps, all different, suit differences. A file of a
    day lives for some days, so it is packed quickly rather than well.
    """
    # No clock time is in it: same records, same bytes.
    about = {"eyelog.log": log, "eyelog.account": account, **_versions()}
    about |= {"eyelog.slot": slot} if slot else {}
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
