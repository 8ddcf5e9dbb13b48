"""Reductions over groups of rows: one place for each formula.

Every function takes float64 arrays with NaN for missing, or booleans, in the order of the table,
and returns one value per group: missing if there is nothing to reduce, never 0 or 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import scipy

from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.series.angles import direction, unit_vectors
from eyelog.analysis.series.arrays import Bools, Floats, Ints, Table, numbers
from eyelog.errors import ConfigurationError

__all__ = [
    "CombinedSD",
    "by_rule",
    "circular_mean",
    "combined_sd",
    "count_rows",
    "count_values",
    "first_row",
    "garwood",
    "largest",
    "last",
    "last_row",
    "mean",
    "pooled_sd",
    "quantile",
    "ratio",
    "root_mean_square",
    "sample_sd",
    "sum_fields",
    "total",
    "weighted_by_rule",
    "weighted_mean",
    "weighted_sums",
]


class CombinedSD(NamedTuple):
    """SD within the parts, between their means, and of the whole (population SDs)."""

    within: Floats
    between: Floats
    total: Floats


def _reduce(ufunc: np.ufunc, values: Floats, groups: Groups) -> Floats:
    """Reduce each group by a ufunc; a group without rows is missing."""
    return _reduce_ordered(ufunc, groups.arrange(values), groups)


def _reduce_ordered(ufunc: np.ufunc, ordered: Floats, groups: Groups) -> Floats:
    out = np.full(len(groups), np.nan)
    filled = groups.filled
    if len(filled):
        with np.errstate(invalid="ignore"):  # unjudged infinities of both signs have no sum
            out[filled] = ufunc.reduceat(ordered, groups.bounds[filled])
    return out


def count_rows(chosen: Bools, groups: Groups) -> Floats:
    """Return how many rows of each group are chosen."""
    return count_ordered(groups.arrange(chosen), groups)


def count_values(values: Floats, groups: Groups) -> Floats:
    """Return how many values of each group are not missing."""
    return find_missing(groups.arrange(values), groups).counts


def total(values: Floats, groups: Groups) -> Floats:
    """Return the sum of each group; a group without a value is missing."""
    ordered = groups.arrange(values)
    return sum_ordered(ordered, find_missing(ordered, groups), groups)


def ratio(above: Floats, below: Floats) -> Floats:
    """Return `above` / `below`, missing if `below` is missing or not positive."""
    good = below > 0
    out: Floats = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=out, where=good)
    return out


def mean(values: Floats, groups: Groups) -> Floats:
    """Return the mean of the values of each group."""
    ordered = groups.arrange(values)
    missing = find_missing(ordered, groups)
    return ratio(sum_ordered(ordered, missing, groups), missing.counts)


def weighted_mean(values: Floats, weights: Floats, groups: Groups) -> Floats:
    """Return sum(w x) / sum(w) over rows with both; missing if the weights sum to 0."""
    above, below = weighted_sums(values, weights, groups)
    return ratio(above, below)


def weighted_sums(values: Floats, weights: Floats, groups: Groups) -> tuple[Floats, Floats]:
    """Return sum(w x) and sum(w) over rows with both."""
    ordered = groups.arrange(values)
    weighing = _weighing(find_missing(ordered, groups), weights, groups)
    above = _filled_sums(weighing.matrix, ordered, weighing.counts)
    if np.isfinite(above[weighing.counts > 0]).all():
        return above, weighing.below
    with np.errstate(invalid="ignore"):  # an unjudged infinity without weight is ignored
        products = ordered * groups.arrange(weights)
    missing = find_missing(products, groups)
    return (
        sum_ordered(products, missing, groups),
        sum_ordered(groups.arrange(weights), missing, groups),
    )


def root_mean_square(values: Floats, weights: Floats | None, groups: Groups) -> Floats:
    """Return sqrt(sum(w x^2) / sum(w)); equal weights if None."""
    squares = values * values
    square = mean(squares, groups) if weights is None else weighted_mean(squares, weights, groups)
    with np.errstate(invalid="ignore"):  # unjudged negative weights have no root
        return np.sqrt(square)


def sample_sd(values: Floats, groups: Groups) -> Floats:
    """Return the standard deviation of each group, with n - 1; missing for a single value."""
    rows, present = groups.packed(~np.isnan(values))
    chosen, count = values[rows], count_values(values, groups)
    around = chosen - mean(chosen, present)[present.codes]
    return np.sqrt(ratio(total(around**2, present), np.where(count > 1, count - 1, np.nan)))


pooled_sd = root_mean_square

"""The typical SD within intervals: SDs pool as root mean square, weighted by their n."""


def combined_sd(sd: Floats, means: Floats, weights: Floats, groups: Groups) -> CombinedSD:
    """Return the SDs within, between and of the whole over rows with mean, SD and weight."""
    present = ~np.isnan(sd + means + weights)
    kept, centre = (
        np.where(present, weights, np.nan),
        weighted_mean(np.where(present, means, np.nan), weights, groups),
    )
    around = np.empty_like(means)
    rows = slice(None) if groups.order is None else groups.order
    around.fill(np.nan)
    around[rows] = means[rows] - centre[groups.codes]
    within = root_mean_square(np.where(present, sd, np.nan), kept, groups)
    between = root_mean_square(around, kept, groups)
    return CombinedSD(within, between, np.hypot(within, between))


def circular_mean(degrees: Floats, weights: Floats | None, groups: Groups) -> Floats:
    """Return the direction of the mean unit vector in (-180, 180]; missing if there is none."""
    ordered = groups.arrange(degrees)
    if weights is not None:
        ordered = np.where(groups.arrange(weights) > 0, ordered, np.nan)
    if np.isinf(ordered).any():
        ordered = np.where(np.isinf(ordered), np.nan, ordered)
    missing = find_missing(ordered, groups)
    present = Groups(groups.labels, missing.bounds, None, groups.seconds)
    east, north = unit_vectors(missing.left(ordered))
    size = present.sizes.astype(np.float64)
    if weights is not None:
        used = missing.left(groups.arrange(weights))
        east, north = east * used, north * used
        size = total(used, present)
    return direction(total(east, present), total(north, present), size)


def weighted_by_rule(
    rule: str, values: Floats, weights: Floats, groups: Groups
) -> tuple[Floats, Floats]:
    """Return one value per group by a weighted rule, and the weight behind it."""
    squared = rule in ("pooled_sd", "rms")
    above, below = weighted_sums(values * values if squared else values, weights, groups)
    with np.errstate(invalid="ignore"):  # unjudged negative weights have no root
        return (np.sqrt(ratio(above, below)) if squared else ratio(above, below)), below


def by_rule(rule: str, values: Floats, weights: Floats | None, groups: Groups) -> Floats:
    """Return one value per group by a rule of aggregation of the catalogue.

    Parameters
    ----------
    rule : str
        ``sum``, ``max``, ``last``, ``mean``, ``wmean``, ``rms``, ``pooled_sd`` or ``circ_mean``.
    values : array of float64
        One value per row.
    weights : array of float64 or None
        One weight per row, for the last five; None gives all rows equal weight.
    groups : Groups
        The rows of each group.

    Raises
    ------
    ConfigurationError
        If the rule is not one of these.
    """
    if rule == "sum":
        return total(values, groups)
    if rule == "max":
        return largest(values, groups)
    if rule == "last":
        return last(values, groups)
    if rule in ("pooled_sd", "rms"):
        return root_mean_square(values, weights, groups)
    if rule == "circ_mean":
        return circular_mean(values, weights, groups)
    if rule in ("mean", "wmean"):
        return mean(values, groups) if weights is None else weighted_mean(values, weights, groups)
    raise ConfigurationError(f"unknown rule of aggregation in the catalogue: {rule!r}")


def sum_fields(frame: Table, names: Sequence[str]) -> Floats:
    """Return the sum of some fields of each row, missing if one of them is missing.

    One rule for counts in classes (steps by speed, movements by direction) and for weights made of
    several counts: a sum over only the fields present would be too small.
    """
    first, *rest = (numbers(frame[name]) for name in names)
    for values in rest:
        first = first + values
    return first


def largest(values: Floats, groups: Groups) -> Floats:
    """Return the largest value of each group."""
    return _reduce(np.fmax, values, groups)


def first_row(chosen: Bools, groups: Groups) -> npt.NDArray[np.int64]:
    """Return the first chosen row of each group, -1 if there is none."""
    return _edge_row(chosen, groups, last=False)


def last_row(chosen: Bools, groups: Groups) -> npt.NDArray[np.int64]:
    """Return the last chosen row of each group, -1 if there is none."""
    return _edge_row(chosen, groups, last=True)


def _edge_row(chosen: Bools, groups: Groups, *, last: bool) -> npt.NDArray[np.int64]:
    ordered = groups.arrange(chosen)
    through = np.cumsum(count_ordered(ordered, groups)).astype(np.int64)
    before = np.concatenate([[0], through[:-1]]).astype(np.int64)
    some = through > before
    out = np.full(len(groups), -1, dtype=np.int64)
    at = np.flatnonzero(ordered)[(through - 1 if last else before)[some]]
    out[some] = groups.rows(len(chosen))[at]
    return out


def last(values: Floats, groups: Groups) -> Floats:
    """Return the last value of each group."""
    ordered = groups.arrange(values)
    missing = find_missing(ordered, groups)
    out: Floats = np.full(len(groups), np.nan)
    some = missing.counts > 0
    out[some] = missing.left(ordered)[missing.bounds[1:][some] - 1]
    return out


def quantile(values: Floats, share: float, groups: Groups) -> Floats:
    """Return a quantile of the values of each group, interpolated linearly."""
    codes, ordered = groups.codes, groups.arrange(values)
    present = ~np.isnan(ordered)
    codes, ordered = codes[present], ordered[present]
    ordered = ordered[np.lexsort((ordered, codes))]
    sizes = np.bincount(codes, minlength=len(groups))
    out = np.full(len(groups), np.nan)
    some = sizes > 0
    at = (np.cumsum(sizes) - sizes + share * (sizes - 1))[some]
    low = np.floor(at).astype(np.int64)
    high = np.ceil(at).astype(np.int64)
    out[some] = ordered[low] + (at - low) * (ordered[high] - ordered[low])
    return out


def garwood(events: Floats, exposure: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the exact Poisson interval of a rate, events per exposure (Garwood 1936)."""
    tail = (1.0 - level) / 2.0
    # Not defined without events: then the lower limit is 0.
    some = np.where(events > 0, events, np.nan)
    # Quantiles of chi2 / 2, without all of scipy.stats, which takes a second to import.
    below = np.asarray(scipy.special.gammaincinv(some, tail), dtype=np.float64)
    low = np.where(events == 0, 0.0, below)
    high = np.asarray(scipy.special.gammaincinv(events + 1.0, 1.0 - tail), dtype=np.float64)
    return ratio(low, exposure), ratio(high, exposure)


REMEMBERED = 12

# From this many rows per group on, counting one slice after another is faster than one reduction.
LONG_GROUP = 512


@dataclass(slots=True, eq=False)
class Missing:
    """The missing values of a column, in the order of the groups.

    Attributes
    ----------
    rows : array of bool
        Which ordered rows are missing.
    number : int
        How many are missing.
    counts : array of float64
        How many values each group has.
    places : array of int32 or None
        The ordered rows that are not missing; None if none is missing.
    bounds : array of int64
        The values of group i are ``bounds[i]:bounds[i + 1]`` of those rows.
    matrix : sparse array or None
        What sums the values that are not missing by group (`_summing`), once it is needed.
    weighings : list
        Weights, and how they weigh these values.
    """

    rows: Bools
    number: int
    counts: Floats
    places: npt.NDArray[np.int32] | None
    bounds: Ints
    matrix: Any = None
    weighings: list[tuple[Floats, "Weighing"]] = field(default_factory=list)

    def left(self, ordered: Floats) -> Floats:
        """Return the values without those that are missing."""
        return ordered if self.places is None else ordered.take(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class Weighing:
    """The rows of each group that have both a value and a weight.

    Attributes
    ----------
    matrix : sparse array
        What sums the weighted values by group.
    counts : array of float64
        How many rows with both each group has.
    below : array of float64
        The sum of their weights.
    """

    matrix: Any
    counts: Floats
    below: Floats


def _weighing(missing: Missing, weights: Floats, groups: Groups) -> Weighing:
    """Return how `weights` weigh the values of columns that are missing alike."""
    for used, weighing in missing.weighings:
        if used is weights:
            return weighing
    ordered = groups.arrange(weights)
    both = missing
    lacking = find_missing(ordered, groups)
    if lacking.number and lacking is not missing:
        rows = missing.rows | lacking.rows
        both = _new(rows, int(np.count_nonzero(rows)), groups)
    below = sum_ordered(ordered, both, groups)
    weighing = Weighing(_summing(both, both.left(ordered)), both.counts, below)
    missing.weighings.append((weights, weighing))
    return weighing


def _summing(missing: Missing, weights: Floats) -> Any:
    """Return the matrix whose product with a column is its weighted sum by group.

    The product reads each value in place: copying the values that are not missing, or the products
    with their weights, takes several times as long.
    """
    places = missing.places
    if places is None:
        places = np.arange(len(missing.rows), dtype=np.int32)
    bounds = missing.bounds.astype(np.int32)
    rows = places[: bounds[-1]]
    shape = len(missing.counts), len(missing.rows)
    return scipy.sparse.csr_array((weights[: len(rows)], rows, bounds), shape=shape)


def count_ordered(chosen: Bools, groups: Groups) -> Floats:
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
        out[filled] = np.add.reduceat(chosen.view(np.int8), groups.bounds[filled], dtype=np.int32)
    return out


def find_missing(ordered: Floats, groups: Groups) -> Missing:
    """Return where the ordered values are missing; one object for columns missing alike."""
    memo = groups.memo
    last = getattr(memo.of_thread, "last", None)
    if last is not None and last[0] is ordered:
        return cast(Missing, last[1])
    rows = np.isnan(ordered)
    number = int(np.count_nonzero(rows))
    patterns = memo.patterns
    missing = next((other for other in patterns if _alike(other, rows, number)), None)
    if missing is None:
        missing = _new(rows, number, groups)
    others = (other for other in patterns if other is not missing)
    memo.patterns = (missing, *others)[:REMEMBERED]
    memo.of_thread.last = (
        ordered,
        missing,
    )  # the next question is likely to be about this column again
    return missing


def _alike(one: Missing, rows: Bools, number: int) -> bool:
    return one.number == number and (not number or np.array_equal(one.rows, rows))


def _new(rows: Bools, number: int, groups: Groups) -> Missing:
    if not number:
        return Missing(rows, number, groups.sizes.astype(np.float64), None, groups.bounds)
    counts = groups.sizes - count_ordered(rows, groups)
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    places = np.flatnonzero(~rows).astype(np.int32)  # half as much to keep and to read as int64
    return Missing(rows, number, counts, places, bounds)


def sum_ordered(ordered: Floats, missing: Missing, groups: Groups) -> Floats:
    """Return the sum of the values of each group; a group without a value is missing."""
    if missing.places is None:
        return _reduce_ordered(np.add, ordered, groups)
    if missing.matrix is None:
        missing.matrix = _summing(missing, groups.memo.ones(len(missing.places)))
    return _filled_sums(missing.matrix, ordered, missing.counts)


def _filled_sums(matrix: Any, ordered: Floats, counts: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # unjudged infinities of both signs have no sum
        sums: Floats = matrix @ ordered
    sums[counts == 0] = np.nan
    return sums
