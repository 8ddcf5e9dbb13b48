"""Rows laid over the rows of another table: the merge of an archive, and what it changed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.archive.arrow_tables import stamps_of
from eyelog.archive.utc_stamps import Stamps

__all__ = ["Merged", "merge", "other_values"]


@dataclass(frozen=True, slots=True)
class Merged:
    """Rows after a merge, and the sorted stamps of those added, changed or removed."""

    table: pa.Table
    added: Stamps
    changed: Stamps
    removed: Stamps

    @property
    def differs(self) -> bool:
        """Whether the rows have changed."""
        return bool(len(self.added) or len(self.changed) or len(self.removed))


def merge(old: pa.Table, new: pa.Table, spans: Sequence[tuple[int, int]]) -> Merged:
    """Merge the rows of `new` into those of `old`, in the schema of `old`; both are sorted.

    If both have a stamp, the new row wins, in the columns that it has; a column that it lacks keeps
    its value. Rows of `old` inside `spans` are removed unless `new` has them.
    """
    if not new.num_rows and not spans:
        nothing = np.empty(0, np.int64)
        return Merged(old, nothing, nothing, nothing)
    old_stamps, new_stamps = stamps_of(old), stamps_of(new)
    at = np.searchsorted(old_stamps, new_stamps)
    both = np.append(old_stamps, -1)[at] == new_stamps
    both &= at < len(old_stamps)
    again = np.zeros(len(old_stamps), bool)  # rows of `old` whose stamp `new` has too
    again[at[both]] = True
    removed = np.zeros(len(old_stamps), bool)
    for first, after in spans:
        removed[slice(*np.searchsorted(old_stamps, [first, after]))] = True
    removed &= ~again
    same = pa.array(at, mask=~both)
    present = set(new.column_names)
    laid = pa.Table.from_arrays(
        [
            _as_type(new.column(field.name), field.type)
            if field.name in present
            else old.column(field.name).take(same)
            for field in old.schema
        ],
        schema=old.schema,
    )
    differs = _differing_rows(old, pa.array(again), laid, pa.array(both))
    stamps = new_stamps[~both], new_stamps[both][differs], old_stamps[removed]
    if not any(map(len, stamps)):
        return Merged(old, *stamps)
    kept = ~again & ~removed
    if not kept.any():
        return Merged(laid, *stamps)
    whole = pa.concat_tables([old.filter(pa.array(kept)), laid])
    order = np.argsort(stamps_of(whole), kind="stable")
    if bool(np.all(order[1:] > order[:-1])):
        return Merged(whole, *stamps)
    return Merged(whole.take(pa.array(order)), *stamps)


def other_values(old: pa.Table, new: pa.Table) -> tuple[int, int]:
    """Return how many stamps two sorted tables share, and at how many their values differ.

    A missing value does not count as a different value.
    """
    old_stamps, new_stamps = stamps_of(old), stamps_of(new)
    of_old, of_new = np.isin(old_stamps, new_stamps), np.isin(new_stamps, old_stamps)
    differs = np.zeros(int(of_old.sum()), bool)
    for name in set(old.column_names) & set(new.column_names) - {"date"} if len(differs) else ():
        a, b = old.column(name).filter(pa.array(of_old)), new.column(name).filter(pa.array(of_new))
        if not a.equals(b):
            other = pc.not_equal(_as_type(a, b.type), b)
            differs |= pc.fill_null(other, False).to_numpy()
    return len(differs), int(differs.sum())


def _as_type(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    return column if column.type == kind else column.cast(kind)


def _differing_rows(
    old: pa.Table, of_old: pa.Array, new: pa.Table, of_new: pa.Array
) -> npt.NDArray[np.bool_]:
    """Return which of the chosen rows of two tables of one schema differ; two nulls are equal."""
    differs = np.zeros(of_old.true_count, bool)
    for name in old.column_names if len(differs) else ():  # one at a time: tables would be copied
        a, b = old.column(name).filter(of_old), new.column(name).filter(of_new)
        if not a.equals(b):
            unequal = pc.fill_null(pc.not_equal(a, b), False)
            one_missing = pc.xor(pc.is_null(a), pc.is_null(b))
            differs |= pc.or_(unequal, one_missing).to_numpy()
    return differs
