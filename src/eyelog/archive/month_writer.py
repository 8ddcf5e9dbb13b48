"""Months written so that each file is always either the old one or the new one.

A new file is made under a name that begins with a dot, flushed to the disk, and renamed over the
old one. Records are merged once, group by group (four days each), so memory stays small; a file
whose records would not change is not touched.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, tzinfo
from itertools import pairwise
from pathlib import Path
from typing import Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.archive.account_folders import locked
from eyelog.archive.all_or_none import put_together
from eyelog.archive.arrow_merge import Merged, merge, other_values
from eyelog.archive.arrow_tables import extras_of, schema_of, stamps_of, table_of, widest
from eyelog.archive.months import FILE, month_path, months, open_month
from eyelog.archive.parquet.month_file import MonthFile
from eyelog.archive.parquet.new_month import new_month
from eyelog.archive.place import Place
from eyelog.archive.utc_stamps import (
    Stamps,
    group_edges,
    instant_us,
    month_edges,
    months_of,
    overlap,
)
from eyelog.catalogue import check_log, log_named
from eyelog.clock import DAY, day_start, parse_day
from eyelog.disk.files import put_in_place, sync_folder, temporary_name
from eyelog.errors import ConfigurationError, argument
from eyelog.frame import OFFSET, conform, log_of
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc

__all__ = [
    "Batch",
    "Change",
    "Outcome",
    "Staged",
    "commit",
    "commit_all",
    "prepare",
    "prepare_table",
    "staged_months",
    "write",
]


# The years that the folders of months can be named after.
_FIRST: Final = int(np.datetime64("0001-01-01", "us").astype(np.int64))
_AFTER: Final = int(np.datetime64("9999-12-01", "us").astype(np.int64))

Span = tuple[int, int]
Staged = dict[str, Path | None]
"""The path of each month that changes, and its finished file; None if no record is left."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Records to write, and the spans (microseconds) for which they are complete.

    A conformed frame, or a sorted table with the types of the archive.
    """

    log: str
    records: pd.DataFrame | pa.Table
    stamps: Stamps
    spans: tuple[Span, ...]

    def rows(self, low: int, high: int) -> pa.Table:
        """Return some of the records as a table."""
        if isinstance(self.records, pa.Table):
            return self.records.slice(low, high - low)
        return table_of(self.records.iloc[low:high], self.log)


@dataclass(frozen=True, slots=True)
class Change:
    """New records of one month, and how they are merged.

    `merge` takes the rows of a group of days and the edges of that group; it is called once for
    each group that has some of `stamps` or overlaps one of `spans`.
    """

    month: str
    stamps: Stamps  # sorted
    extras: Sequence[pa.Field]  # columns that are not in the catalogue
    merge: Callable[[pa.Table, int, int], Merged]
    spans: tuple[Span, ...] = ()

    def concerns(self, first: int, after: int) -> bool:
        """Return whether any record of [first, after) can change."""
        low, high = np.searchsorted(self.stamps, [first, after])
        return bool(low < high) or any(a < after and b > first for a, b in self.spans)


def _no_stamps() -> Stamps:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The sorted stamps of records added, changed or removed."""

    added: Stamps = field(default_factory=_no_stamps)
    changed: Stamps = field(default_factory=_no_stamps)
    removed: Stamps = field(default_factory=_no_stamps)


def prepare(frame: pd.DataFrame, log: str, days: Iterable[str | date] | None) -> Batch:
    """Check a frame before it is written; `days` are local days of its own zone.

    Raises
    ------
    MixedLogsError
        If `frame` is of the other log.
    ConfigurationError
        If the index is naive, or a stamp is missing or outside the years 1 to 9999.
    """
    log_of(frame, check_log(log))
    if OFFSET in frame.columns:  # of the wearer's clock, which the archive knows itself
        frame = frame.drop(columns=OFFSET)
    shaped = conform(frame, log, tz="UTC")
    tz = cast(tzinfo, cast(pd.DatetimeIndex, frame.index).tz)
    listed = [days] if isinstance(days, str | date) else days or ()
    dates = [parse_day(day) for day in listed]
    spans = ((instant_us(day_start(d, tz)), instant_us(day_start(d + DAY, tz))) for d in dates)
    index = cast(pd.DatetimeIndex, shaped.index)
    if index.hasnans:
        raise ConfigurationError(
            "a stamp of the frame is missing (NaT): drop those rows (frame[frame.index.notna()])"
        )
    return Batch(log, shaped, _checked_stamps(index.asi8), tuple(sorted(spans)))


def prepare_table(table: pa.Table, log: str, spans: Iterable[Span]) -> Batch:
    """Check a sorted table of the types of the archive before it is written.

    Raises
    ------
    ConfigurationError
        If a stamp is outside the years 1 to 9999.
    """
    return Batch(log, table, _checked_stamps(stamps_of(table)), tuple(sorted(spans)))


def _checked_stamps(stamps: Stamps) -> Stamps:
    if len(stamps) and not (stamps[0] >= _FIRST and stamps[-1] < _AFTER):
        first, last = (str(edge) for edge in stamps[[0, -1]].view("M8[us]"))
        raise ConfigurationError(f"a stamp lies outside the years 1 to 9999: {first} to {last}")
    return stamps


def write(place: Place, account: str, batch: Batch, *, replace: bool = False) -> Outcome:
    """Merge a batch into the months of one account; return what changed.

    If both have a record with the same stamp, the new one wins, in the columns that it has. Records
    inside the spans of the batch are removed unless the batch has them.

    Raises
    ------
    ConfigurationError
        Without spans, if the account holds the records of another wearer or device in the same
        time. Different values at the same stamps may be replaced.
    """
    if not len(batch.stamps) and not batch.spans:
        return Outcome()
    with locked(place, batch.log, account):
        present = months(place, batch.log, account)
        replaced = {m for m in present if any(overlap(m, span) for span in batch.spans)}
        names = sorted(replaced | set(months_of(batch.stamps)))
        met = _Met()
        # One month at a time becomes a table, so that a year needs no second copy of itself.
        changes = (_change(batch, month, met) for month in names)
        with staged_months(place, batch.log, account, changes) as outcome:
            if not batch.spans:  # whole days replace whatever was there
                _refuse_another(met, batch, account, replace=replace)
            return outcome


@dataclass
class _Met:
    """What the account holds where a batch goes: the stamps, and how many have different values."""

    held: list[Stamps] = field(default_factory=list)
    shared: int = 0
    conflicts: int = 0


def _refuse_another(met: _Met, batch: Batch, account: str, *, replace: bool) -> None:
    """Raise if the account holds the records of another wearer or device in the same time."""
    interval = log_named(batch.log).interval_us
    if not replace and mostly_differ(met.shared, met.conflicts, interval):
        raise ConfigurationError(
            f"the account {account!r} has other values on {met.conflicts:,} of the"
            f" {met.shared:,} stamps that it shares with this frame, as if they were of two"
            f" wearers: write into another account, or pass"
            f" {argument('replace', True)}; nothing was written"
        )
    held = np.concatenate([_no_stamps(), *met.held])
    source = np.repeat([0, 1], [len(held), len(batch.stamps)])
    overlap = overlaps(np.append(held, batch.stamps), source, interval)
    if overlap.too_much:
        first, last = (utc(edge) for edge in (overlap.first, overlap.last))
        raise ConfigurationError(
            f"the account {account!r} has records of another device or wearer between those of"
            f" this frame, {duration_text(overlap.doubled_us)} {span_text(first, last)} (UTC):"
            " write into another account; nothing was written"
        )


def _change(batch: Batch, month: str, met: _Met) -> Change:
    low, high = np.searchsorted(batch.stamps, month_edges(month)).tolist()
    stamps = batch.stamps[low:high]
    rows = batch.rows(low, high)

    def lay_over(before: pa.Table, first: int, after: int) -> Merged:
        low, high = np.searchsorted(stamps, [first, after]).tolist()
        new = rows.slice(low, high - low)
        if not batch.spans:
            met.held.append(stamps_of(before))
            shared, conflicts = other_values(before, new)
            met.shared += shared
            met.conflicts += conflicts
        return merge(before, new, batch.spans)

    return Change(month, stamps, extras_of(rows.schema, batch.log), lay_over, batch.spans)


@contextmanager
def staged_months(
    place: Place,
    log: str,
    account: str,
    changes: Iterable[Change],
    *,
    keep: bool = True,
    staged: Staged | None = None,
) -> Iterator[Outcome]:
    """Merge changes into their months, under the lock of the caller; give what would change.

    Every new file is complete on the disk before the first is put in place, at the end of the
    context, so a full disk or an error of the caller changes nothing. Without `keep` nothing is
    written at all. With `staged`, the new files are added to it, and the caller puts them in place
    with those of other logs, inside the context (`commit_all`).
    """
    by_caller = staged is not None
    staged = {} if staged is None else staged
    outcomes: list[Outcome] = []
    with ExitStack() as cleanup:
        for change in changes:
            target = month_path(place, log, account, change.month)
            made = _temporary(place, target) if keep else None
            if made is not None:
                cleanup.callback(made.unlink, missing_ok=True)
            with _old_file(place, log, account, change.month) as old:
                parts, records = _merge_month(old, change, log, account, made)
            outcomes += parts
            if records is not None:
                staged[target] = made if records else None
        yield _joined(outcomes)
        if not by_caller:
            commit_all(place, staged)


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    if not outcomes:
        return Outcome()
    return Outcome(
        np.concatenate([part.added for part in outcomes]),
        np.concatenate([part.changed for part in outcomes]),
        np.concatenate([part.removed for part in outcomes]),
    )


@contextmanager
def _old_file(place: Place, log: str, account: str, month: str) -> Iterator[MonthFile | None]:
    """Open a month; yield None if there is none."""
    if not place.fs.exists(month_path(place, log, account, month)):
        yield None
        return
    with open_month(place, log, account, month) as file:
        yield file


def _merge_month(
    old: MonthFile | None, change: Change, log: str, account: str, made: Path | None
) -> tuple[list[Outcome], int | None]:
    """Merge one month group by group into the new file `made`, if there is to be one.

    Returns what changed, and how many records the new file has: None if nothing changed, so that
    there is no new file.
    """
    schema = _schema(old, change, log)
    groups = list(pairwise(group_edges(change.month)))
    outcomes: list[Outcome] = []
    records = None
    with ExitStack() as stack:
        for at, (first, after) in enumerate(groups):
            concerned = change.concerns(first, after)
            if records is None and not concerned:
                continue
            table = schema.empty_table() if old is None else old.rows(schema, first, after)
            if concerned:
                merged = change.merge(table, first, after)
                table = merged.table
                if merged.differs:
                    outcomes.append(Outcome(merged.added, merged.changed, merged.removed))
                    # A new file is started only at the first difference.
                    if records is None and made is not None:
                        write_group = stack.enter_context(new_month(made, schema, log, account))
                        before = (old.rows(schema, *edges) for edges in groups[:at] if old)
                        records = sum(write_group(rows) for rows in before)
            if records is not None:
                records += write_group(table)
    return outcomes, records


def _schema(old: MonthFile | None, change: Change, log: str) -> pa.Schema:
    extras = list(change.extras)
    if old is not None:
        extras += extras_of(old.schema, log)
    return pa.schema([*schema_of(log), *widest(extras)])


def _temporary(place: Place, target: str) -> Path:
    if not place.local:  # uploads are first written here
        return temporary_name(Path(tempfile.gettempdir()) / FILE)
    return temporary_name(Path(target))


def commit_all(place: Place, staged: Staged) -> None:
    """Put finished months in place: on a local disk all or none, whatever is killed.

    Where a month is removed, and on an object store, they come one by one.
    """
    finished = {made: Path(target) for target, made in staged.items() if made is not None}
    if place.local and len(finished) == len(staged):
        put_together(Path(place.root), finished)
        return
    for target, made in staged.items():
        commit(place, made, target)


def commit(place: Place, made: Path | None, target: str) -> None:
    """Put a finished file in its place, or remove the month if no record is left."""
    if place.local:
        if made is not None:
            put_in_place(made, Path(target))
        else:
            Path(target).unlink()
            sync_folder(Path(target).parent)
    elif made is not None:
        place.fs.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
        place.fs.put_file(str(made), target)
    else:
        place.fs.rm_file(target)
