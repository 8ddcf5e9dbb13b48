"""The interval of a pooled rate as that of the wearer, with local days as the units."""

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.judge.arrays import Floats
from eyelog.judge.intervals import Groups, Rows, sums
from eyelog.measure.groups import FORMS, Statistic
from eyelog.series.inference import LEAST_DAYS, rate_of_days

Of: TypeAlias = Literal["minutes", "wearer"]
OF: Final = get_args(Of)


def of_wearer(
    rows: Rows,
    groups: Groups,
    subjects: Iterable[str],
    rates: Floats,
    statistic: Statistic,
    usable: str = "",
) -> dict[str, Any]:
    """Return the columns of the intervals of rates that are about the wearer.

    Float64 ``low`` and ``high`` (95 %; missing where they cannot be given), int64 ``days`` (with at
    least ``min_valid`` of usable time), strings ``of`` and ``reason`` (why the interval is missing;
    otherwise empty), float64 ``phi`` (how much neighbouring days are alike) and ``n_effective``
    (how many independent days would be as informative).

    Parameters
    ----------
    rows, groups, subjects
        The rows, their groups, and what they add.
    rates : array of float64
        The pooled rate of each group; where it is missing, no reason is given.
    statistic : Statistic
        The rate, of a count and what it is divided by.
    usable : str
        The column of the usable seconds; by default that which the count is divided by.
    """
    _, _, all_dates, day = rows.days()
    date = all_dates[day]
    first = int(date.min()) if len(date) else 0
    width = int(date.max()) - first + 1 if len(date) else 1
    keys = np.where(groups.codes >= 0, groups.codes * width + date - first, -1)
    used = np.unique(keys[keys >= 0])
    codes = np.where(keys >= 0, np.searchsorted(used, keys), -1)
    total = sums(rows, Groups(pd.Index(used), codes, np.zeros(len(used))), subjects)
    owner, dates = used // width, used % width + first
    _, form, (above, below), times = statistic
    number, size, usable_s = (np.nan_to_num(total[n]) for n in (above, below, usable or below))
    counts = (usable_s > 0) & (usable_s >= rows.limits.seconds("min_valid"))
    days = np.bincount(owner[counts], minlength=len(rates))
    reason: npt.NDArray[np.object_] = np.full(len(rates), "", dtype=object)
    reason[~(rates > 0)] = "the count is 0"
    reason[days < LEAST_DAYS] = f"fewer than {LEAST_DAYS} days"
    reason[np.isnan(rates)] = ""
    low, high, phi, n_effective = (np.full(len(rates), np.nan) for _ in range(4))
    for i in np.flatnonzero(~np.isnan(rates) & (reason == "")):
        mine = counts & (owner == i)
        n, s = number[mine], size[mine]
        pooled = times * FORMS[form](n.sum(keepdims=True), s.sum(keepdims=True))
        without = times * FORMS[form](n.sum() - n, s.sum() - s)
        found = rate_of_days(dates[mine], float(pooled[0]), without)
        reach = float(np.exp(found.reach[0]))
        low[i], high[i] = rates[i] / reach, rates[i] * reach
        phi[i], n_effective[i] = float(found.phi[0]), float(found.n_effective[0])
    return {
        "low": low,
        "high": high,
        "days": days.astype(np.int64),
        "of": pd.array(["wearer"] * len(rates), dtype="string"),
        "reason": pd.array(reason, dtype="string"),
        "phi": phi,
        "n_effective": n_effective,
    }
