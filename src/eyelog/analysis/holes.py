"""Which rows of a column are missing, and what that means for groups of them.

Columns that are judged alike go missing alike, so what follows from where the holes are is worked
out once and found again.
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

REMEMBERED = 16
# From so many rows a group on, counting slices in turn is faster than one reduction.
LONG_GROUP = 512


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
    rows : array of int64 or None
        The ordered rows that are not missing; None where all are there.
    bounds : array of int64
        The values of group i are ``bounds[i]:bounds[i + 1]`` of those rows.
    weights : list
        Weights with their sums over the rows that are not missing.
    """

    missing: Bools
    number: int
    counts: Floats
    rows: Ints | None
    bounds: Ints
    weights: list[tuple[Floats, Floats]] = field(default_factory=list)

    def values(self, ordered: Floats) -> Floats:
        """Return the values without the holes."""
        return ordered if self.rows is None else ordered.take(self.rows)


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
    if not number:
        return Holes(missing, number, groups.sizes.astype(np.float64), None, groups.bounds)
    counts = groups.sizes - count_rows(missing, groups)
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Holes(missing, number, counts, np.flatnonzero(~missing), bounds)


def sum_rows(ordered: Floats, holes: Holes, groups: Groups) -> Floats:
    """Return the sum of the values of each group; a group without a value is missing."""
    out: Floats = np.full(len(groups), np.nan)
    some = holes.counts > 0
    if some.any():
        with np.errstate(invalid="ignore"):  # unjudged infinities of both signs have no sum
            out[some] = np.add.reduceat(holes.values(ordered), holes.bounds[:-1][some])
    return out
