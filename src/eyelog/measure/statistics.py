"""Statistics of groups: a summary is a table of them, evaluated on the sums of each group."""

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from eyelog.errors import FieldError
from eyelog.frame import require
from eyelog.judge.arrays import Floats, direction
from eyelog.judge.intervals import Groups, Rows, sums
from eyelog.judge.terms import Columns, ratio
from eyelog.measure.groups import By, as_counts, group, spread

PER_H: Final = 1.0 / 3600.0
PER_MIN: Final = 1.0 / 60.0
GROUP_S: Final = "group_s"
"""How long a group lasts, beside its sums."""


class Statistic(NamedTuple):
    """A column of a summary: a function of sums over Intervals, times a constant.

    Attributes
    ----------
    name : str
        The column; its label, unit and meaning are in ``columns.csv``.
    form : callable
        Gives the statistic of each group from its sums.
    sums : tuple of str
        Columns of Intervals; of a ratio, what is divided and what it is divided by.
    times : float
        What the result is multiplied by.
    """

    name: str
    form: Callable[..., Any]
    sums: tuple[str, ...]
    times: float = 1.0


amount: Final = np.asarray
"""A sum itself."""
exposure: Final = np.nan_to_num
"""A sum that is 0, not missing, where there is nothing."""


def root(above: Floats, below: Floats) -> Floats:
    """Return the square root of a ratio."""
    return np.asarray(np.sqrt(ratio(above, below)), dtype=np.float64)


def share(above: Floats, below: Floats) -> Floats:
    """Return a share of time; one record more than fits may open in it."""
    return np.minimum(ratio(np.nan_to_num(above), below), 1.0)


def sample_sd(total: Floats, squares: Floats, number: Floats) -> Floats:
    """Return the SD of single values, with n - 1."""
    freedom = np.where(number > 1, number - 1, np.nan)
    return np.asarray(spread(total, squares, number) * np.sqrt(ratio(number, freedom)))


def sd_about_direction(
    east: Floats, north: Floats, number: Floats, total: Floats, squares: Floats
) -> Floats:
    """Return the SD of angles about their mean direction.

    The angles of worn eyewear lie far within half a turn of one another, so that sums of the angles
    themselves give it.
    """
    centre = direction(east, north, number)
    mean, square = ratio(total, number), ratio(squares, number)
    variance = square - 2.0 * centre * mean + centre * centre
    # What is left of equal angles is rounding.
    scale = square + centre * centre
    return np.asarray(np.sqrt(np.where(variance < 1e-13 * scale, 0.0, variance)), np.float64)


def evaluate(
    statistics: Iterable[Statistic],
    total: Columns,
    *,
    n: str = "",
    exposure_s: str = "",
    seen_s: str = "",
) -> dict[str, Any]:
    """Return the statistics of each group; those without their sums are left out.

    With the sums that they are based on: ``n``, ``exposure_min`` and ``coverage``, the share of the
    time that was seen (by default the exposure).
    """
    data: dict[str, Any] = {}
    if n:
        statistics = (
            *statistics,
            Statistic("n", as_counts, (n,)),
            Statistic("exposure_min", exposure, (exposure_s,), PER_MIN),
            Statistic("coverage", share, (seen_s or exposure_s, GROUP_S)),
        )
    for name, form, names, times in statistics:
        if total.keys() >= set(names):
            values = form(*[total[each] for each in names])
            data[name] = values if times == 1.0 else values * times
    return data


def summed(
    rows: Rows, by: By, subjects: Iterable[str], terms: Iterable[str], fields: Iterable[str]
) -> tuple[Groups, Columns]:
    """Return the groups of a summary, and the sums of each.

    Raises
    ------
    FieldError
        If the rows lack some `terms`, with the names of the `fields` to add.
    """
    lacking = sorted(set(terms) - set(rows.names))
    if lacking:
        require(rows.given, fields, purpose=rows.what)
        raise FieldError(
            f"{rows.what} needs {', '.join(map(repr, lacking))}, which these Intervals do not have:"
            " make them from records with the fields"
        )
    groups = group(rows.warn(), by)
    total = sums(rows, groups.codes, len(groups), subjects)
    return groups, total | {GROUP_S: groups.seconds}
