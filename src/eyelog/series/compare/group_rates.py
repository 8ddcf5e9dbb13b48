"""Rates of groups of wearers, such as blinks per minute, with wearers as the units."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy

from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import record, takes_tables
from eyelog.judge.arrays import MISSING, numbers
from eyelog.series.compare.group_difference import LEAST_FOR_INTERVAL, LEAST_FOR_P
from eyelog.series.compare.wearer_of_row import dealt_groups, with_account
from eyelog.series.inference import log_rate_values, t_quantile
from eyelog.series.observed import check_frame

OF_GROUP: Final = ("rate", "low", "high")
OF_RATIO: Final = ("ratio", "ratio_low", "ratio_high", "p")


@takes_tables
def group_rates(
    table: pd.DataFrame, counts: str, exposure: str, groups: Mapping[str, str]
) -> pd.DataFrame:
    """Return the rate of each group of wearers, and its ratio to that of the first group.

    Parameters
    ----------
    table : DataFrame
        As from `eyelog.cohort.daily`: ``account`` in a column or the index, one row per day.
    counts : str
        The column of events of a day, such as ``steps``.
    exposure : str
        The column of the time in which they could be counted, such as ``worn_h``.
    groups : mapping of str to str
        The group of each wearer; wearers not named are left out. The first group in alphabetical
        order is the reference.

    Returns
    -------
    DataFrame
        Index ``group``, in alphabetical order. Float64 ``rate`` (counts per unit of the exposure)
        with its 95 % interval ``low`` and ``high``; ``ratio`` (to the rate of the first group,
        which has none) with ``ratio_low`` and ``ratio_high``, and ``p`` (of equal rates); int64
        ``wearers`` and ``days`` (with both columns and some exposure), float64 ``counted`` and
        ``exposed`` (their sums), and string ``reason`` if something is missing: the interval with
        fewer than three wearers, p with fewer than five in either group, all without a count.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If `groups` names fewer than two groups, or wearers without rows; or if a count or exposure
        is negative, or a row has counts without exposure.

    Notes
    -----
    Counts and exposures are summed over all days of all wearers of a group, so wearers count in
    proportion to the time worn; `eyelog.compare.group_difference` of daily rates counts each wearer
    once. Wearers are the units: the jackknife over wearers gives the error of the logarithm of the
    rate. Days of a wearer, and minutes of a day, may depend on one another in any way, and counts
    may vary more than Poisson's. The interval uses Student's t with one degree of freedom less than
    there are wearers; the ratio uses those of Welch and Satterthwaite. This is the quasi-Poisson
    model with wearers as clusters and the jackknife's covariance (CR3; Bell & McCaffrey 2002,
    Survey Methodology 28:169). A negative binomial model was considered: its errors are valid only
    if the days of a wearer are independent. Of groups of 8 and 8 wearers who blink alike, 5 in 100
    differ at p < .05 (`benchmarks/levels_of_groups.py`).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> names = list("abcdefghij")
    >>> table = pd.DataFrame({"account": names, "blinks": [50, 60, 40, 55, 52, 90, 99, 85, 92, 96]})
    >>> groups = {name: "desk" if name < "f" else "field" for name in names}
    >>> rates = el.compare.group_rates(table.assign(minutes=5.0), "blinks", "minutes", groups)
    >>> rates["rate"].round(1).to_dict(), float(rates.loc["field", "ratio"].round(2))
    ({'desk': 10.3, 'field': 18.5}, 1.8)
    """
    check_frame(table, what="group_rates")
    table = with_account(table, what="group_rates")
    lacking = [name for name in ("account", counts, exposure) if name not in table.columns]
    if lacking:
        raise FieldError(f"group_rates: the table has no column {', '.join(map(repr, lacking))}")
    dealt = _dealt(table, groups)
    sums_of = {label: _summed(table, counts, exposure, dealt, label) for label in _labels(dealt)}
    rows = {
        label: _row(*sums, first=next(iter(sums_of.values()))[0]) for label, sums in sums_of.items()
    }
    result = pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")
    result.loc[result.index[0], list(OF_RATIO)] = MISSING  # it is the reference
    result = result.astype({"wearers": "int64", "days": "int64", "reason": "string"})
    return record(result, "compare.group_rates", counts=counts, exposure=exposure)


def _labels(dealt: Mapping[str, str]) -> list[str]:
    return sorted(set(dealt.values()))


def _dealt(table: pd.DataFrame, groups: Any) -> dict[str, str]:
    """Return the group of each wearer, checked against the table."""
    dealt = dealt_groups(groups)
    if len(set(dealt.values())) < 2:
        raise ConfigurationError("group_rates compares groups: groups must name at least two")
    absent = sorted(set(dealt) - set(table["account"].astype(str)))
    if absent:
        raise ConfigurationError(
            f"group_rates: the table has no rows of {', '.join(absent)}: leave them out of groups"
        )
    return dealt


def _summed(
    table: pd.DataFrame, counts: str, exposure: str, dealt: Mapping[str, str], label: str
) -> tuple[pd.DataFrame, int]:
    """Return the counts and exposures of the wearers of a group, and the number of their days."""
    mine = table[table["account"].astype(str).map(dealt) == label]
    owner = mine["account"].astype(str).to_numpy()
    c, m = numbers(mine[counts]), numbers(mine[exposure])
    counted = np.isfinite(c) & np.isfinite(m)
    if (c[counted] < 0).any() or (m[counted] < 0).any():
        raise ConfigurationError(f"group_rates: {counts} and {exposure} must be 0 or more")
    if (c[counted & (m == 0)] > 0).any():
        raise ConfigurationError(f"group_rates: a row has {counts} without any {exposure}")
    counted &= m > 0
    sums = pd.DataFrame({"c": c[counted], "m": m[counted]}).groupby(owner[counted])
    return sums.sum().sort_index(), int(counted.sum())


def _row(sums: pd.DataFrame, days: int, *, first: pd.DataFrame) -> dict[str, Any]:
    """Return the rate of a group and its ratio to the first one."""
    counted, exposed = float(sums["c"].sum()), float(sums["m"].sum())
    made: dict[str, Any] = dict.fromkeys((*OF_GROUP, *OF_RATIO), MISSING)
    made |= {"wearers": len(sums), "days": days, "counted": counted, "exposed": exposed}
    if not exposed:
        return made | {"reason": "no exposure: no rate"}
    made["rate"] = counted / exposed
    if not counted:
        return made | {"reason": "the count is 0: no interval"}
    if len(sums) < LEAST_FOR_INTERVAL:
        return made | {"reason": f"fewer than {LEAST_FOR_INTERVAL} wearers: no interval"}
    own, variance = _log_rate(sums)
    reach = np.exp(t_quantile(len(sums) - 1) * variance**0.5)
    made |= {"low": np.exp(own) / reach, "high": np.exp(own) * reach, "reason": ""}
    if len(first) < LEAST_FOR_INTERVAL or not first["c"].sum():
        return made | {"reason": "the first group has no interval: no ratio"}
    other, of_other = _log_rate(first)
    parts = np.array([variance, of_other])
    loose = np.array([len(sums), len(first)]) - 1.0
    if not parts.sum() > 0:
        return made | {"reason": "wearers of a group do not differ at all: no interval"}
    freedom = max(float(parts.sum() ** 2 / (parts**2 / loose).sum()), 1.0)
    se, apart = float(np.sqrt(parts.sum())), own - other
    reach = np.exp(t_quantile(freedom) * se)
    ratio = np.exp(apart)
    made |= {"ratio": ratio, "ratio_low": ratio / reach, "ratio_high": ratio * reach}
    if min(len(sums), len(first)) < LEAST_FOR_P:
        return made | {"reason": f"fewer than {LEAST_FOR_P} wearers in a group: no p"}
    return made | {"p": float(2.0 * scipy.special.stdtr(freedom, -abs(apart) / se))}


def _log_rate(sums: pd.DataFrame) -> tuple[float, float]:
    """Return the logarithm of the rate of wearers, and its variance."""
    c, m = numbers(sums["c"]), numbers(sums["m"])
    rate = float(c.sum() / m.sum())
    values = log_rate_values(rate, (c.sum() - c) / (m.sum() - m)) - np.log(rate)
    return float(np.log(rate)), float((values**2).sum()) / len(values) / (len(values) - 1)
