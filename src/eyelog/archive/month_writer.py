"""Months written so that readers meet what was there before a change, or what is there after it.

New files are made under names that begin with a dot, flushed to the disk and renamed; then the list
of the account is replaced, by one rename, and the files that it no longer names are removed.
Records are merged once, region by region, so memory stays small, and a file whose records would not
change is not touched.

The last month of an account grows day by day. Its days are written as files of their own, until
a later month begins; then they are folded into the month.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from eyelog.archive.arrow_tables import (
    Merged,
    extras_of,
    merge,
    other_values,
    schema_of,
    stamps_of,
    table_of,
    widest,
)
from eyelog.archive.months import (
    OLD,
    Month,
    Part,
    checksum,
    list_path,
    listed,
    locked,
    opened,
    part_path,
    write_lists,
)
from eyelog.archive.place import Place, archive_errors, folder, read_small_file, remove_file
from eyelog.archive.utc_stamps import (
    Span,
    Stamps,
    days_of,
    group_edges,
    month_edges,
    months_of,
    overlap,
)
from eyelog.catalogue import catalogue, catalogue_version, check_log, log_named
from eyelog.clock import DAY_US
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.frame import OFFSET, log_of, stamps, warn_unknown
from eyelog.home import make_folders, new_file, put_in_place, temporary_name
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc

MOST_DAYS: Final = 10  # that one change writes as files of their own

# The years that the folders of months can be named after.
_FIRST: Final = int(np.datetime64("0001-01-01", "us").astype(np.int64))
_AFTER: Final = int(np.datetime64("9999-12-01", "us").astype(np.int64))


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


@dataclass(slots=True)
class Outcome:
    """The sorted stamps of records added, changed or removed."""

    added: Stamps = field(default_factory=lambda: np.empty(0, np.int64))
    changed: Stamps = field(default_factory=lambda: np.empty(0, np.int64))
    removed: Stamps = field(default_factory=lambda: np.empty(0, np.int64))


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
    """Merge records into the months of one account; return what changed.

    If both have a record with the same stamp, the new one wins, in the columns that it has. Records
    inside `spans` (for which `table` is complete) are removed unless it has them.

    Raises
    ------
    ConfigurationError
        If a stamp is outside the years 1 to 9999. Without spans, if the account has the records of
        another wearer or device in the same time. Different values at the same stamps may be
        replaced.
    """
    stamps = stamps_of(table)
    if not len(stamps) and not spans:
        return Outcome()
    if len(stamps) and not (stamps[0] >= _FIRST and stamps[-1] < _AFTER):
        first, last = (str(edge) for edge in stamps[[0, -1]].view("M8[us]"))
        raise ConfigurationError(f"a stamp lies outside the years 1 to 9999: {first} to {last}")
    held: list[Stamps] = []
    meetings: list[tuple[int, int]] = []  # stamps that both have, and those with other values

    def change_of(month: str) -> Change:
        low, high = np.searchsorted(stamps, month_edges(month)).tolist()
        own, rows = stamps[low:high], table.slice(low, high - low)

        def lay_over(before: pa.Table, first: int, after: int) -> Merged:
            low, high = np.searchsorted(own, [first, after]).tolist()
            new = rows.slice(low, high - low)
            if not spans:  # whole days replace whatever was there
                held.append(stamps_of(before))
                meetings.append(other_values(before, new))
            return merge(before, new, spans)

        return Change(month, own, extras_of(table.schema, log), lay_over, spans)

    doing = f"write {log!r} of {account!r} to {place.name}"
    with archive_errors(doing), locked(place, account):
        replaced = {
            month
            for of, month in (listed(place, account) if spans else ())
            if of == log and any(overlap(month, span) for span in spans)
        }
        # One month at a time becomes a table, so that a year needs no second copy of itself.
        changes = map(change_of, sorted(replaced | set(months_of(stamps))))
        with merging(place, log, account, changes) as outcome:
            if not spans:
                shared, conflicts = np.sum([(0, 0), *meetings], axis=0).tolist()
                stored = np.concatenate([stamps[:0], *held])
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


@dataclass(slots=True)
class _NewFile:
    """A file that is not in its place yet."""

    slot: str
    path: Path
    writer: pq.ParquetWriter
    records: int = 0

    def write(self, rows: pa.Table) -> None:
        """Add the rows of one region."""
        if rows.num_rows:
            # One chunk, one group: the same records make the same bytes.
            self.writer.write_table(rows.combine_chunks(), row_group_size=rows.num_rows)
            self.records += rows.num_rows


# The parts that stay and the files that were made, by account, log and month
Staged = dict[tuple[str, str, str], tuple[Sequence[Part], Sequence[_NewFile]]]


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
        latest = max((month for of, month in found if of == log), default="")
        writer = _Writer(place, log, account, keep, cleanup)
        following = iter(changes)
        change = next(following, None)
        while change is not None:
            after = next(following, None)  # it shows whether the month is the last
            is_last = after is None and change.month >= latest
            with opened(place, log, account, month_edges(change.month), found) as months:
                files = writer.merge(months[0] if months else None, change, is_last=is_last)
            if files is not None:
                new[account, log, change.month] = files
            latest = max(latest, change.month)
            change = after
        for (of, month), parts in found.items() if new else ():
            is_over = of == log and month < latest and any(part.is_day for part in parts)
            if is_over and (account, log, month) not in new:
                with opened(place, log, account, month_edges(month), found) as months:
                    new[account, log, month] = writer.fold(months[0])
        if staged is not None:
            staged.update(new)
        merged = zip(*writer.merged, strict=True)
        yield Outcome(*map(np.concatenate, merged))
        if staged is None:
            commit_all(place, new)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Makes the new files of the months of one log of one account."""

    place: Place
    log: str
    account: str
    keep: bool
    cleanup: ExitStack  # removes the files that were not put in place
    merged: list[tuple[Stamps, Stamps, Stamps]] = field(default_factory=list)

    def merge(
        self, old: Month | None, change: Change, *, is_last: bool
    ) -> tuple[Sequence[Part], Sequence[_NewFile]] | None:
        """Merge a change into a month; return its files, None if no record would change."""
        parts = () if old is None else old.parts
        days = change.days()
        # What is new, or of an older eyelog, or changes on many days, is written as a whole.
        by_day = len(days) <= MOST_DAYS and is_last
        by_day &= any(part.slot == change.month and part.name != OLD for part in parts)
        slots = days if by_day else [change.month]
        schema = self._schema(old, change, [change.month, *days] if by_day else ())
        before = len(self.merged)
        made = [file for slot in slots if (file := self._slot(slot, old, change, schema))]
        if not made:
            return None
        if not all(file.records for file in made):
            stored = 0 if old is None else len(old.stamps(*month_edges(change.month)))
            if stored == sum(len(removed) - len(new) for new, _, removed in self.merged[before:]):
                return (), ()
        replaced = {part for part in parts if not by_day or part.slot in [f.slot for f in made]}
        return [part for part in parts if part not in replaced], made

    def fold(self, old: Month) -> tuple[Sequence[Part], Sequence[_NewFile]]:
        """Write a month and its files of a day as one file."""
        nothing = Change(
            old.month, np.empty(0, np.int64), (), lambda rows, *_: merge(rows, rows, ())
        )
        schema = self._schema(old, nothing)
        made = self._slot(old.month, old, nothing, schema, rewrite=True)
        return ((), (made,)) if made else (old.parts, ())

    def _slot(
        self,
        slot: str,
        old: Month | None,
        change: Change,
        schema: pa.Schema,
        *,
        rewrite: bool = False,
    ) -> _NewFile | None:
        """Merge a change into a month or a day; return its new file, None if no record differs."""

        def rows(first: int, after: int) -> pa.Table:
            return schema.empty_table() if old is None else old.rows(first, after, schema)

        regions = list(pairwise(group_edges(slot)))
        made: _NewFile | None = None
        with ExitStack() as stack:
            for at, edges in enumerate(regions):
                concerned = change.concerns(*edges)
                if not (concerned or made or rewrite):
                    continue
                table, differs = rows(*edges), rewrite
                if concerned:
                    merged = change.merge(table, *edges)
                    table, stamps = merged.table, (merged.added, merged.changed, merged.removed)
                    differs = any(map(len, stamps))
                    self.merged.extend([stamps] if differs else [])
                if made is None and differs and self.keep:
                    made = self._new_file(stack, change.month, slot, schema)
                    for before in regions[:at]:
                        made.write(rows(*before))
                if made is not None:
                    made.write(table)
        return made

    def _schema(self, old: Month | None, change: Change, slots: Sequence[str] = ()) -> pa.Schema:
        extras = list(change.extras)
        for own in old.schemas(slots, keep=True) if old is not None else ():
            extras += extras_of(own, self.log)
        return pa.schema([*schema_of(self.log), *widest(extras)])

    def _new_file(self, stack: ExitStack, month: str, slot: str, schema: pa.Schema) -> _NewFile:
        """Begin a file of a month or a day; it is complete on the disk when `stack` is closed."""
        home = Path(tempfile.gettempdir())  # uploads are first written here
        if self.place.local:
            home = Path(part_path(self.place, self.log, self.account, month, slot)).parent
            make_folders(home)
        path = temporary_name(home / slot)
        self.cleanup.callback(path.unlink, missing_ok=True)
        sink = stack.enter_context(new_file(path))
        writer = parquet_writer(sink, schema, self.log, self.account, slot)
        return _NewFile(slot, path, stack.enter_context(writer))


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


def commit_all(place: Place, staged: Staged) -> None:
    """Put the new files of months in place, under the locks of the caller.

    On a local disk the months of all accounts come into force together; in an object store, those
    of one account after those of another, and an error says which are written.
    """
    if place.local:
        with archive_errors(f"write to {place.name}"):
            _commit(place, staged)
        return
    written: list[str] = []
    for account in sorted({of for of, _, _ in staged}):
        try:
            _commit(place, {key: files for key, files in staged.items() if key[0] == account})
        except Exception as error:
            if not written:
                raise
            done = ", ".join(map(repr, written))
            raise ArchiveError(
                f"cannot write the records of {account!r} ({error}); those of {done} are written:"
                " import again, which adds the others"
            ) from error
        written.append(account)


def _commit(place: Place, staged: Staged) -> None:
    accounts = {account for account, _, _ in staged}
    before = {account: listed(place, account) for account in accounts}
    lists = {account: dict(found) for account, found in before.items()}
    with ExitStack() as undo:
        for (account, log, month), (kept, made) in staged.items():
            if read_small_file(place, list_path(place, account)) is None:
                # From now on, what no list names does not count.
                write_lists(place, {account: before[account]})
            number = max((part.number for part in before[account].get((log, month), ())), default=0)
            parts = list(kept)
            for file in made:
                name = f"{file.slot}.{number + 1}.{checksum(file.path.read_bytes())}.parquet"
                path = part_path(place, log, account, month, name)
                undo.callback(remove_file, place, path)
                if place.local:
                    put_in_place(file.path, Path(path))
                else:
                    place.fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
                    place.fs.put_file(str(file.path), path)
                parts.append(Part(file.slot, name))
            lists[account].pop((log, month), None)
            lists[account] |= {(log, month): tuple(parts)} if parts else {}
        write_lists(place, lists)
        undo.pop_all()
    for account, log, month in staged:
        left = lists[account].get((log, month), ())
        for part in set(before[account].get((log, month), ())) - set(left):
            path = part_path(place, log, account, month, part.name)
            remove_file(place, path, if_possible=True)
        if not left and place.local:
            with suppress(OSError):  # something else is in it
                Path(folder(place, log, account), f"month={month}").rmdir()
