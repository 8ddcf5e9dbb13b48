"""The interval of a pooled rate as that of the wearer, with local days as the units."""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.grouped.groups import Groups, time_groups
from eyelog.analysis.grouped.reductions import total
from eyelog.analysis.grouped.summary import Prepared
from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.analysis.series.rates import LEAST_FOR_RATE, DaysRate, rate_error, reach
from eyelog.clock import DAY_US, microseconds
from eyelog.errors import ConfigurationError

__all__ = ["Of", "OfWearer", "check_of", "of_wearer"]

Of: TypeAlias = Literal["minutes", "wearer"]

FEW: Final = f"fewer than {LEAST_FOR_RATE} days"
NONE: Final = "the count is 0"


class OfWearer(NamedTuple):
    """For each group, the interval of its rate for the wearer.

    Attributes
    ----------
    low, high : array of float64
        The 95 % interval; missing where it cannot be given.
    reason : array of str
        Why it is missing; otherwise empty.
    days : array of int64
        How many days have at least ``min_valid`` of usable time.
    phi : array of float64
        How much neighbouring days are alike.
    n_effective : array of float64
        How many independent days would be as informative.
    """

    low: Floats
    high: Floats
    reason: npt.NDArray[np.object_]
    days: Ints
    phi: Floats
    n_effective: Floats

    def about(self) -> dict[str, Any]:
        """Return the columns that say what the intervals are about, and why one is missing."""
        return {
            "days": self.days,
            "of": pd.array(["wearer"] * len(self.days), dtype="string"),
            "reason": pd.array(self.reason, dtype="string"),
        }


def check_of(of: str) -> None:
    """Raise `ConfigurationError` unless `of` is what an interval can be about."""
    if of not in ("minutes", "wearer"):
        raise ConfigurationError(f"of must be 'minutes' or 'wearer', not {of!r}")


def of_wearer(
    prepared: Prepared,
    rates: Floats,
    terms: tuple[Floats, Floats, Floats],
    rate_of: Callable[[Floats, Floats], Floats],
) -> OfWearer:
    """Return the intervals of rates that are about the wearer.

    Parameters
    ----------
    prepared : Prepared
        The rows and their groups.
    rates : array of float64
        The pooled rate of each group; where it is missing, no reason is given.
    terms : tuple of arrays
        What each row adds to the count, to what it is divided by, and to the usable seconds.
    rate_of : callable
        Gives the rates of sums of the first two.
    """
    owner, dates, days = _days_of_groups(prepared)
    number, size, usable = (np.nan_to_num(total(part, days)) for part in terms)
    counts = (usable > 0) & (usable >= prepared.known.limits.seconds("min_valid"))
    numbers = np.bincount(owner[counts], minlength=len(rates))
    reason: npt.NDArray[np.object_] = np.full(len(rates), "", dtype=object)
    reason[~(rates > 0)] = NONE
    reason[numbers < LEAST_FOR_RATE] = FEW
    reason[np.isnan(rates)] = ""
    low, high, phi, n_effective = (np.full(len(rates), np.nan) for _ in range(4))
    for i in np.flatnonzero(~np.isnan(rates) & (reason == "")):
        mine = counts & (owner == i)
        n, s = number[mine], size[mine]
        pooled = rate_of(n.sum(keepdims=True), s.sum(keepdims=True))
        without = rate_of(n.sum() - n, s.sum() - s)
        error = rate_error([DaysRate(float(pooled[0]), dates[mine], without)])
        low[i], high[i] = rates[i] / reach(error), rates[i] * reach(error)
        phi[i], n_effective[i] = error.phi, error.n_effective
    return OfWearer(low, high, reason, numbers.astype(np.int64), phi, n_effective)


def _days_of_groups(prepared: Prepared) -> tuple[Ints, Ints, Groups]:
    """Return the rows of each local day of each group: the group, the date, the rows."""
    groups = prepared.groups
    days = time_groups(
        prepared.index, "1D", stamp=prepared.opened.stamp, label="auto", clock=prepared.clock
    )
    dates = microseconds(cast(pd.DatetimeIndex, days.labels)) // DAY_US
    inside = groups.arrange(days.codes)[: len(groups.codes)]
    key = groups.codes * max(len(days), 1) + inside
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    bounds = np.append(starts, len(key)).astype(np.int64)
    cut = Groups(pd.RangeIndex(len(starts)), bounds, groups.order, np.ones(len(starts)))
    return groups.codes[starts], dates[key[starts] % max(len(days), 1)], cut
