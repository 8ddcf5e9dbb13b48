"""Which rows of a column are missing, and what that means for groups of them.

Columns that are judged alike go missing alike, so what follows from where the holes are is worked
out once and found again. The sum over a group without a hole needs no care; only the groups that
are torn are summed anew.
"""

from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt

from eyelog.analysis.grouping import Groups

__all__ = ["Holes", "count_rows", "find_holes", "sum_rows"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

REMEMBERED = 8
# From so many rows a group on, counting slices in turn is faster than one reduction.
LONG_GROUP = 512
# Beyond this share of torn rows, filling the holes of the whole column is faster.
SMALL_SHARE = 0.2


@dataclass(slots=True, eq=False)
class Holes:
    """The missing rows of a column, in the order of the groups.

    Attributes
    ----------
    missing : array of bool
        Which ordered rows are missing.
    number : int
        How many are.
    counts : array of float64
        How many values each group holds.
    torn : array of int64
        The groups that hold values and holes.
    rows : array of int64 or None
        The rows of the torn groups; None where they are most of the table.
    weights : list
        Weights with their sums over the rows that are not missing.
    """

    missing: Bools
    number: int
    counts: Floats
    torn: Ints
    rows: Ints | None
    weights: list[tuple[Floats, Floats]] = field(default_factory=list)


def count_rows(chosen: Bools, groups: Groups) -> Floats:
    """Return how many of the ordered rows of each group are chosen."""
    out: Floats = np.zeros(len(groups))
    filled = groups.filled
    if not len(filled):
        return out
    if len(chosen) > LONG_GROUP * len(filled):
        edges = groups.bounds.tolist()
        for i in filled.tolist():
            out[i] = np.count_nonzero(chosen[edges[i] : edges[i + 1]])
    else:
        out[filled] = np.add.reduceat(chosen, groups.bounds[filled], dtype=np.float64)
    return out


def find_holes(ordered: Floats, groups: Groups) -> Holes:
    """Return where the ordered values are missing; the same object for the same holes."""
    memo = groups.memo
    if memo and memo[-1][0] is ordered:
        return cast(Holes, memo[-1][1])
    missing = np.isnan(ordered)
    number = int(np.count_nonzero(missing))
    found = None
    for i, (_, known) in enumerate(memo):
        if known.number == number and (not number or np.array_equal(known.missing, missing)):
            found = known
            del memo[i]
            break
    if found is None:
        found = _new(missing, number, groups)
    if memo:
        memo[-1] = (None, memo[-1][1])  # only the last column is likely to be asked for again
    memo.append((ordered, found))
    del memo[:-REMEMBERED]
    return found


def _new(missing: Bools, number: int, groups: Groups) -> Holes:
    sizes = groups.sizes
    counts = sizes.astype(np.float64) if not number else sizes - count_rows(missing, groups)
    torn = np.flatnonzero((counts > 0) & (counts < sizes))
    rows = None
    if sizes[torn].sum() <= SMALL_SHARE * len(missing):
        inside = np.zeros(len(groups), dtype=bool)
        inside[torn] = True
        rows = np.flatnonzero(np.repeat(inside, sizes))
    return Holes(missing, number, counts, torn, rows)


def sum_rows(ordered: Floats, holes: Holes, groups: Groups) -> Floats:
    """Return the sum of the values of each group; a group without a value is missing."""
    out: Floats = np.full(len(groups), np.nan)
    filled = groups.filled
    if not len(filled):
        return out
    with np.errstate(invalid="ignore"):  # unjudged infinities of both signs have no sum
        if holes.rows is None:
            whole = np.where(holes.missing, 0.0, ordered)
            out[filled] = np.add.reduceat(whole, groups.bounds[filled])
            out[holes.counts == 0] = np.nan
            return out
        out[filled] = np.add.reduceat(ordered, groups.bounds[filled])
        if len(holes.torn):
            part = np.where(holes.missing[holes.rows], 0.0, ordered[holes.rows])
            sizes = groups.sizes[holes.torn]
            out[holes.torn] = np.add.reduceat(part, np.cumsum(sizes) - sizes)
    return out
