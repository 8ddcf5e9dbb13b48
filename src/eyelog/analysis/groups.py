"""Groups and rates: persons as units, and two pooled rates with what they rest on."""

from collections.abc import Mapping
from itertools import combinations
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from eyelog.analysis.bootstrap import check_draws
from eyelog.analysis.kernels import Floats, numbers
from eyelog.analysis.series import check_table, one_log
from eyelog.errors import ConfigurationError, FieldError
from eyelog.provenance import history

__all__ = ["GroupDifference", "RateRatio", "group_difference", "rate_ratio"]

MISSING: Final = float("nan")
MOST_EXACT: Final = 20_000  # ways to deal persons into groups that are all gone through


class GroupDifference(NamedTuple):
    """The difference of two groups' means of persons."""

    difference: float
    low: float
    high: float
    p: float
    p_permutation: float
    df: float
    mean_first: float
    mean_second: float
    sd_first: float
    sd_second: float
    first: str
    second: str
    persons_first: int
    persons_second: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


class RateRatio(NamedTuple):
    """The ratio of two pooled rates with its exact interval."""

    ratio: float
    low: float
    high: float
    p: float
    rate_one_per_min: float
    rate_other_per_min: float
    n_one: int
    n_other: int
    exposure_one_min: float
    exposure_other_min: float
    coverage: float
    reason: str


def group_difference(
    table: pd.DataFrame,
    groups: Mapping[str, str],
    *,
    outcome: str,
    draws: int = 10_000,
    seed: int = 0,
) -> GroupDifference:
    """Compare two groups of persons by the means of the persons.

    Days of one person are no independent observations, so each person counts once.

    Parameters
    ----------
    table : DataFrame
        As from `eyelog.compare.mixed_table`: a column ``person`` and the outcome, a row a day.
    groups : mapping of str to str
        The group of each person, two different ones; persons not named are left out. The first
        group in the order of the alphabet is the reference.
    outcome : str
        The column to compare.
    draws : int
        How many times persons are dealt into the groups anew for the permutation test, where
        going through all ways would be more than 20,000; at least 100.
    seed : int
        Of the generator: the same seed gives the same answer.

    Returns
    -------
    GroupDifference
        In the unit of the outcome: ``difference`` (second group less first) with its 95 % interval
        ``low`` and ``high``; ``p`` (Welch) with ``df``, ``p_permutation``; ``mean_first``,
        ``mean_second``, ``sd_first``, ``sd_second`` (of the persons' means), the labels ``first``
        and ``second``, ``persons_first``, ``persons_second``; ``n`` (rows with the outcome),
        ``exposure_h`` (their ``exposure_h``, where the table has it), ``coverage`` (rows with the
        outcome / rows of these persons) and ``reason`` where something is missing.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If `groups` does not name two groups, or a person that the table does not have.

    Notes
    -----
    Welch (1947, Biometrika 34:28) on person means. The permutation test asks the same of the
    difference in means without assuming normal persons; it goes through all ways of dealing the
    persons, or draws them and counts the one that was seen (Phipson & Smyth 2010).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> table = pd.DataFrame({"person": list("aabbccdd"), "y": [1, 3, 2, 4, 6, 8, 7, 9.0]})
    >>> groups = {"a": "desk", "b": "desk", "c": "field", "d": "field"}
    >>> found = el.compare.group_difference(table, groups, outcome="y")
    >>> found.difference, found.persons_first, round(found.p_permutation, 3)
    (5.0, 2, 0.333)
    """
    check_draws(draws, seed)
    check_table(table, what="group_difference")
    lacking = [name for name in ("person", outcome) if name not in table.columns]
    if lacking:
        raise FieldError(f"group_difference: the table has no column {', '.join(lacking)}")
    dealt = _groups(table, groups)
    labels = sorted(set(dealt.values()))
    rows = table[table["person"].astype(str).isin(dealt)]
    values = pd.Series(numbers(rows[outcome]), index=rows["person"].astype(str).to_numpy())
    known = np.isfinite(values.to_numpy())
    # Sorted, so that neither the order of rows nor that of persons can move the last digits.
    means = values[known].sort_values().groupby(level=0).mean().sort_index()
    sides: list[Floats] = [
        numbers(means[[dealt[p] == label for p in means.index]]) for label in labels
    ]
    hours = numbers(rows["exposure_h"])[known] if "exposure_h" in rows.columns else None
    about: dict[str, Any] = {
        "first": labels[0],
        "second": labels[1],
        "persons_first": len(sides[0]),
        "persons_second": len(sides[1]),
        "n": int(known.sum()),
        "exposure_h": MISSING if hours is None else float(np.nansum(hours)),
        "coverage": float(known.mean()) if len(known) else 0.0,
    }
    found: dict[str, Any] = dict.fromkeys(GroupDifference._fields[:6], MISSING)
    for name, side in zip(("first", "second"), sides, strict=True):
        found[f"mean_{name}"] = float(side.mean()) if side.size else MISSING
        found[f"sd_{name}"] = float(side.std(ddof=1)) if side.size > 1 else MISSING
    found["difference"] = found["mean_second"] - found["mean_first"]
    if min(map(len, sides)) < 2:
        reason = "fewer than two persons in a group have the outcome: no interval"
        return GroupDifference(**found, **about, reason=reason)
    found["p_permutation"] = _permuted(sides, draws, seed)
    if max(found["sd_first"], found["sd_second"]) == 0:
        reason = "persons of a group do not differ at all: no interval"
        return GroupDifference(**found, **about, reason=reason)
    test = stats.ttest_ind(sides[1], sides[0], equal_var=False)
    inside = test.confidence_interval(0.95)
    found |= {"low": float(inside.low), "high": float(inside.high)}
    found |= {"p": float(test.pvalue), "df": float(test.df)}
    return GroupDifference(**found, **about, reason="")


def _groups(table: pd.DataFrame, groups: Any) -> dict[str, str]:
    """Return the group of each person, checked against the table."""
    if not isinstance(groups, Mapping):
        raise ConfigurationError(
            "groups must map persons to groups: {'ann': 'desk', 'bob': 'field'}"
        )
    dealt = {str(person): str(label) for person, label in groups.items()}
    if len(set(dealt.values())) != 2:
        raise ConfigurationError(
            f"group_difference compares two groups, not {len(set(dealt.values()))}"
        )
    steps = [step for step in history(table) if step["step"] == "compare.mixed_table"]
    without_days = {person for step in steps for person in step["without_days"]}
    unknown = sorted(set(dealt) - set(table["person"].astype(str)) - without_days)
    if unknown:
        raise ConfigurationError(f"group_difference: the table has no person {', '.join(unknown)}")
    return dealt


def _permuted(sides: list[Floats], draws: int, seed: int) -> float:
    """Return the share of ways to deal the persons that differ at least as much as those seen."""
    pooled = np.sort(np.concatenate(sides))
    n, m = len(sides[0]), len(sides[1])
    total = pooled.sum()
    seen = abs(sides[1].mean() - sides[0].mean())
    slack = 1e-12 * max(1.0, float(np.abs(pooled).max()))

    def far(sums: Floats) -> npt.NDArray[np.bool_]:
        return np.asarray(np.abs((total - sums) / m - sums / n) >= seen - slack)

    if comb(n + m, n) <= MOST_EXACT:
        ways = np.array(list(combinations(range(n + m), n)), dtype=np.int64)
        return float(far(pooled[ways].sum(axis=1)).mean())
    generator = np.random.default_rng(seed)
    dealt = np.array([generator.permutation(pooled)[:n].sum() for _ in range(draws)])
    return float((far(dealt).sum() + 1) / (draws + 1))


def rate_ratio(one: pd.DataFrame, other: pd.DataFrame) -> RateRatio:
    """Return how many times as high one pooled rate is as another, with its exact interval.

    Parameters
    ----------
    one, other : DataFrame
        Tables with ``n`` (events) and ``exposure_min`` (minutes they were looked for), such as
        from `eyelog.blinks.rate`; their rows are pooled. Select rows for a day, hour or label.

    Returns
    -------
    RateRatio
        ``ratio`` (one over other) with its 95 % interval ``low`` and ``high``, ``p`` (of equal
        rates), ``rate_one_per_min``, ``rate_other_per_min``, ``n_one``, ``n_other``,
        ``exposure_one_min``, ``exposure_other_min``, ``coverage`` (mean of the tables' rows, where
        they have it) and ``reason`` where something is missing. Where `other` has no events the
        ratio is missing and ``low`` still holds, with ``high`` infinite.

    Raises
    ------
    FieldError
        If a table lacks ``n`` or ``exposure_min``.
    MixedLogsError
        If the tables are of different logs.
    ConfigurationError
        If a count or exposure is negative, or a count no whole number.

    Notes
    -----
    Given the sum of the events, those of `one` are binomial; the interval is that of Clopper &
    Pearson (1934) for their share, turned into a ratio (Przyborowski & Wilenski 1940), exact for
    Poisson counts. Blinks come in bursts and buffers overlap, so it is too narrow as far as
    `eyelog.blinks.effective_n` is below ``n``.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> table = pd.DataFrame({"n": [11, 21], "exposure_min": [800.0, 3011.0]})
    >>> found = el.compare.rate_ratio(table.iloc[:1], table.iloc[1:])
    >>> round(found.ratio, 4), round(found.low, 4), round(found.high, 4)
    (1.9715, 0.8584, 4.2773)
    """
    one_log(one, other, what="rate_ratio")
    (n1, t1), (n2, t2) = (_pooled(table) for table in (one, other))
    covered = [numbers(t["coverage"]) for t in (one, other) if "coverage" in t.columns]
    known = np.concatenate(covered) if covered else np.zeros(0)
    known = known[np.isfinite(known)]
    about: dict[str, Any] = {
        "rate_one_per_min": n1 / t1 if t1 > 0 else MISSING,
        "rate_other_per_min": n2 / t2 if t2 > 0 else MISSING,
        "n_one": n1,
        "n_other": n2,
        "exposure_one_min": t1,
        "exposure_other_min": t2,
        "coverage": float(known.mean()) if known.size else MISSING,
    }
    gone: dict[str, Any] = dict.fromkeys(("ratio", "low", "high", "p"), MISSING)
    if not (t1 > 0 and t2 > 0):
        return RateRatio(**gone, **about, reason="no exposure in a table: it has no rate")
    if n1 + n2 == 0:
        return RateRatio(**gone, **about, reason="no event in either table")
    test = stats.binomtest(n1, n1 + n2, t1 / (t1 + t2))
    share = test.proportion_ci(0.95, method="exact")
    low, high = (
        p / (1.0 - p) * t2 / t1 if p < 1 else float("inf") for p in (share.low, share.high)
    )
    reason = "" if n2 else "the other table has no event: the ratio has no upper limit"
    return RateRatio(
        ratio=n1 / t1 / (n2 / t2) if n2 else MISSING,
        low=float(low),
        high=float(high),
        p=float(test.pvalue),
        **about,
        reason=reason,
    )


def _pooled(table: pd.DataFrame) -> tuple[int, float]:
    """Return all events and all minutes of a table; rows without either do not count."""
    lacking = [name for name in ("n", "exposure_min") if name not in table.columns]
    if lacking:
        raise FieldError(f"rate_ratio: a table lacks {', '.join(lacking)}")
    events, minutes = (numbers(table[name]) for name in ("n", "exposure_min"))
    both = np.isfinite(events) & np.isfinite(minutes)
    events, minutes = events[both], minutes[both]
    if (events < 0).any() or (minutes < 0).any() or (events % 1 != 0).any():
        raise ConfigurationError(
            "rate_ratio needs whole counts and minutes of 0 or more in n and exposure_min"
        )
    if (events[minutes == 0] > 0).any():
        raise ConfigurationError("rate_ratio: a row has events without any exposure")
    return int(events.sum()), float(minutes.sum())
