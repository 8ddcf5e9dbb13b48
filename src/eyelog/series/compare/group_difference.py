"""Two or more groups of wearers: differences with intervals, with wearers as the units."""

from collections.abc import Mapping
from inspect import signature
from math import comb
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
import scipy

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError, FieldError, warn
from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING, Floats, numbers
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.bootstrap import check_draws
from eyelog.series.compare.wearer_of_row import dealt_groups, with_account
from eyelog.series.observed import check_frame

# With two wearers on one side and more on the other, Welch's interval contains the true difference
# in only 90 of 100 cases.
LEAST_FOR_INTERVAL: Final = 3
# With four per side, the permutation test has few assignments, and groups with different spread are
# called different too often.
LEAST_FOR_P: Final = 5
# With at most this many assignments of wearers to groups, the test goes through all of them.
MOST_EXACT: Final = 20_000
ROUNDING: Final = 1e-9  # equal differences are equal up to this share
MOST_CELLS: Final = 4_000_000  # of assignments that are drawn at once


@shown("Difference of two groups", difference=("low", "high"))
class GroupDifference(NamedTuple):
    """The difference of two groups' means of wearers."""

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
    wearers_first: int
    wearers_second: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def group_difference(
    table: pd.DataFrame,
    groups: Mapping[str, str],
    *,
    outcome: str,
    draws: int = 10_000,
    seed: int = 0,
) -> GroupDifference:
    """Compare two groups of wearers by the means of the wearers.

    Days of one wearer are not independent observations, so each wearer counts once.

    Parameters
    ----------
    table : DataFrame
        As from `eyelog.compare.mixed_table` or `eyelog.cohort.daily`: ``account`` in a column or
        the index, and the outcome, one row per day.
    groups : mapping of str to str
        The group of each wearer, with two groups in all; wearers not named are left out. The first
        group in alphabetical order is the reference.
    outcome : str
        The column to compare.
    draws : int
        How many random assignments of wearers to groups the permutation test draws, if more than
        20,000 are possible; at least 100.
    seed : int
        Seed of the random generator: the same seed gives the same answer.

    Returns
    -------
    GroupDifference
        In the unit of the outcome: ``difference`` (second group less first) with its 95 % interval
        ``low`` and ``high``; ``p`` (Welch) with ``df``, and ``p_permutation``; ``mean_first``,
        ``mean_second``, ``sd_first``, ``sd_second`` (of the wearers' means), the labels ``first``
        and ``second``, ``wearers_first``, ``wearers_second``; ``n`` (rows with the outcome),
        ``exposure_h`` (their ``exposure_h``, if the table has it), ``coverage`` (mean over the rows
        of these wearers of their ``coverage``, or of 1 if the table has none; a row without the
        outcome counts as 0) and ``reason`` if something is missing: the interval if a group has
        fewer than three wearers, both p if one has fewer than five.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If `groups` does not name two groups, or none of the wearers of the table.

    Warns
    -----
    EyelogWarning
        Names wearers of `groups` that have no rows.

    Notes
    -----
    Welch (1947, Biometrika 34:28) on wearer means. The interval contains the difference of normal
    groups in 94 to 96 of 100 cases from three wearers on; with two against ten it would be 90. The
    permutation test examines the same difference without assuming normality: it reassigns the
    wearers to the groups, in all possible ways or in `draws` of them, counts the observed
    assignment too (Phipson & Smyth 2010), and compares the p of Welch's test of each (Janssen 1997,
    Statistics & Probability Letters 36:9, studentised; Beran 1988, Journal of the American
    Statistical Association 83:687, prepivoted). So it holds its level from eight wearers per group
    on if one group varies more than the other, where a test of the plain difference in means does
    not; see the table in the definitions.

    `eyelog.cohort.differences` gives the same difference, interval and p for many outcomes and
    groups, with p corrected for their number.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> table = pd.DataFrame({"account": list("abcdefghij"), "y": [2, 3, 1, 4, 5, 7, 8, 6, 9, 5.0]})
    >>> groups = {name: "desk" if name < "f" else "field" for name in "abcdefghij"}
    >>> result = el.compare.group_difference(table, groups, outcome="y")
    >>> result.difference, result.wearers_first, round(result.p_permutation, 3)
    (4.0, 5, 0.016)
    """
    check_draws(draws, seed)
    check_frame(table, what="group_difference")
    table = with_account(table, what="group_difference")
    lacking = [name for name in ("account", outcome) if name not in table.columns]
    if lacking:
        named = ", ".join(map(repr, lacking))
        raise FieldError(f"group_difference: the table has no column {named}")
    dealt = _groups(table, groups)
    labels = sorted(set(dealt.values()))
    rows = table[table["account"].astype(str).isin(dealt)]
    values = pd.Series(numbers(rows[outcome]), index=rows["account"].astype(str).to_numpy())
    present = np.isfinite(values.to_numpy())
    # Sorted, so that the order of rows and wearers cannot change the last digits.
    means = values[present].sort_values().groupby(level=0).mean().sort_index()
    sides: list[Floats] = [
        numbers(means[[dealt[p] == label for p in means.index]]) for label in labels
    ]
    hours = numbers(rows["exposure_h"])[present] if "exposure_h" in rows.columns else None
    covered = np.nan_to_num(numbers(rows["coverage"])) if "coverage" in rows.columns else 1.0
    mean_first, mean_second = (float(side.mean()) if side.size else MISSING for side in sides)
    sd_first, sd_second = (float(side.std(ddof=1)) if side.size > 1 else MISSING for side in sides)
    result = all_missing(
        GroupDifference,
        difference=mean_second - mean_first,
        mean_first=mean_first,
        mean_second=mean_second,
        sd_first=sd_first,
        sd_second=sd_second,
        first=labels[0],
        second=labels[1],
        wearers_first=len(sides[0]),
        wearers_second=len(sides[1]),
        n=int(present.sum()),
        exposure_h=MISSING if hours is None else float(np.nansum(hours)),
        coverage=float(np.where(present, covered, 0.0).mean()) if len(present) else 0.0,
    )
    result = result._replace(**difference_of_means(*sides))
    if np.isfinite(result.p):
        result = result._replace(p_permutation=_permuted(sides, draws, seed))
    return result


def difference_of_means(first: Floats, second: Floats) -> dict[str, Any]:
    """Return interval, p and degrees of freedom of Welch's test, and why something is missing.

    Parameters
    ----------
    first, second : array of float64
        The means of the wearers of each group.
    """
    made = dict.fromkeys(("low", "high", "p", "df"), MISSING)
    fewest = min(len(first), len(second))
    if fewest < 2:
        return made | {"reason": "fewer than two wearers in a group have the outcome: no interval"}
    if max(np.ptp(first), np.ptp(second)) == 0:
        return made | {"reason": "wearers of a group do not differ at all: no interval"}
    if fewest < LEAST_FOR_INTERVAL:
        few = "fewer than three wearers in a group: a 95 % interval would be too narrow"
        return made | {"reason": few}
    test = scipy.stats.ttest_ind(second, first, equal_var=False)
    inside = test.confidence_interval(0.95)
    made |= {"low": float(inside.low), "high": float(inside.high), "df": float(test.df)}
    if fewest < LEAST_FOR_P:
        return made | {"reason": f"fewer than {LEAST_FOR_P} wearers in a group: no p"}
    return made | {"p": float(test.pvalue), "reason": ""}


def mean_interval(means: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the mean of wearers, after Student; missing for fewer than three.

    Parameters
    ----------
    means : array of float64
        The mean of each wearer.
    """
    if len(means) < LEAST_FOR_INTERVAL or np.ptp(means) == 0:
        return MISSING, MISSING
    inside = scipy.stats.ttest_1samp(means, 0.0).confidence_interval(0.95)
    return float(inside.low), float(inside.high)


def _groups(table: pd.DataFrame, groups: Any) -> dict[str, str]:
    """Return the group of each wearer, checked against the table."""
    dealt = dealt_groups(groups)
    if len(set(dealt.values())) != 2:
        raise ConfigurationError(
            f"group_difference compares two groups, not {len(set(dealt.values()))}"
        )
    accounts = set(table["account"].astype(str))
    absent = sorted(set(dealt) - accounts)
    if not set(dealt) & accounts:
        raise ConfigurationError(
            f"group_difference: the table has no rows of {', '.join(absent)}: groups maps accounts"
            " of the table to groups"
        )
    if absent:
        hint = near(absent[0], sorted(accounts - set(dealt)))
        warn(
            f"group_difference: no rows of {', '.join(absent)}{hint}: without days a wearer cannot"
            " count"
        )
    return dealt


def _permuted(sides: list[Floats], draws: int, seed: int) -> float:
    """Return the share of assignments that differ at least as much as the observed one."""
    first, second = (np.sort(side) for side in sides)  # draws ignore the wearers' names
    middle = float(np.concatenate(sides).mean())  # so that large values do not round

    def chance(first: Floats, second: Floats, axis: int) -> Floats:
        """Return p of Welch's test."""
        difference = np.abs(second.mean(axis=axis) - first.mean(axis=axis))
        parts = [side.var(axis=axis, ddof=1) / side.shape[axis] for side in (first, second)]
        error = parts[0] + parts[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = difference / np.sqrt(error)
            shares = [part / error for part in parts]
            freedom = 1 / sum(
                share**2 / (side.shape[axis] - 1)
                for share, side in zip(shares, (first, second), strict=True)
            )
        # If wearers do not differ within groups, the groups are as far apart as can be, or equal.
        flat = np.where(difference > 0, 0.0, 1.0)
        return np.asarray(np.where(error > 0, 2 * scipy.stats.t.sf(t, freedom), flat), np.float64)

    first, second = first - middle, second - middle
    seen = float(chance(first, second, axis=0)) * (1 + ROUNDING)

    def as_far(first: Floats, second: Floats, axis: int) -> Floats:
        return np.asarray(chance(first, second, axis) <= seen, dtype=np.float64)

    size = len(first) + len(second)
    ways = comb(size, len(first))
    permuted = cast(Any, scipy.stats.permutation_test)
    # scipy before 1.15 has another word.
    generator = "rng" if "rng" in signature(permuted).parameters else "random_state"
    test = permuted(
        (first, second),
        as_far,
        vectorized=True,
        alternative="greater",
        n_resamples=ways if ways <= MOST_EXACT else draws,  # as many as possible: each once
        batch=max(1, MOST_CELLS // size),
        **{generator: np.random.default_rng(seed)},
    )
    return float(test.pvalue)
