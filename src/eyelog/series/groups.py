"""Groups of wearers: differences of means and ratios of rates, with wearers as the units."""

import warnings
from collections.abc import Iterable, Mapping
from math import comb
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
import scipy

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError, FieldError, warn
from eyelog.frame import ACCOUNT, record, require_frame, takes_tables
from eyelog.judge.arrays import MISSING, Floats, numbers
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import check_draws, log_rate_values, t_quantile

# With two wearers on one side and more on the other, Welch's interval contains the true difference
# too seldom.
LEAST_FOR_INTERVAL: Final = 3
# With four per side, the permutation test has few assignments, and groups with different spread are
# called different too often.
LEAST_FOR_P: Final = 5
# With at most this many assignments of wearers to groups, the test goes through all of them.
MOST_EXACT: Final = 20_000
ROUNDING: Final = 1e-9  # equal differences are equal up to this share
MOST_CELLS: Final = 4_000_000  # of assignments that are drawn at once
OF_GROUP: Final = ("rate", "low", "high")
OF_RATIO: Final = ("ratio", "ratio_low", "ratio_high", "p")


def with_account(table: pd.DataFrame, columns: Iterable[str] = (), *, what: str) -> pd.DataFrame:
    """Return the rows of a table with ``account`` as a column, whether it was that or in the index.

    Raises
    ------
    FieldError
        If the table has none of `columns`.
    ConfigurationError
        If it is no table, or index and columns name the wearers differently.
    """
    require_frame(table, what=what, wanted="a DataFrame")
    rows = table
    if ACCOUNT in table.index.names:
        accounts = table.index.get_level_values(ACCOUNT).astype("str")
        if ACCOUNT in table.columns and list(table[ACCOUNT].astype("str")) != list(accounts):
            raise ConfigurationError(
                f"{what}: {ACCOUNT!r} is in the index and in the columns, and they differ: drop one"
            )
        rows = table.assign(**{ACCOUNT: accounts.to_numpy()}).reset_index(drop=True)
        rows.attrs = dict(table.attrs)
    if lacking := [name for name in columns if name not in rows.columns]:
        raise FieldError(f"{what}: the table has no column {', '.join(map(repr, lacking))}")
    return rows


def days_of_wearers(table: pd.DataFrame, column: str, *, what: str) -> pd.DataFrame:
    """Return the days with a value: ``account`` (empty for one wearer), int64 ``day``, the value.

    Raises
    ------
    FieldError
        If the table lacks the column.
    ConfigurationError
        If the rows do not say their day, or a day occurs twice for a wearer.
    """
    require_frame(table, what=what, wanted="a DataFrame")
    if column not in table.columns:
        raise FieldError(
            f"{what}: the table has no column {column!r}{near(column, map(str, table.columns))}"
        )
    rows = table.reset_index(allow_duplicates=True)
    rows = rows.loc[:, ~rows.columns.duplicated()]
    if "day" not in rows.columns:
        raise ConfigurationError(
            f"{what} takes one row per day, named 'day' in the index or a column, as eyelog.daily"
            " gives it"
        )
    if rows["day"].isna().any():
        raise ConfigurationError(f"{what}: the day of a row is missing: leave such rows out")
    # A local day is its date: days of different zones begin at different instants, or, with the
    # date line between them, two dates at the same one.
    try:
        days = [pd.Timestamp(day).date() for day in rows["day"]]
    except (TypeError, ValueError):
        days = []
    if len(days) < len(rows) or pd.api.types.is_numeric_dtype(rows["day"].dtype):
        raise ConfigurationError(
            f"{what}: 'day' must hold dates such as 2026-10-12, not {rows['day'].iloc[0]!r}"
        )
    accounts = rows[ACCOUNT].astype(str) if ACCOUNT in rows.columns else pd.Series("", rows.index)
    found = pd.DataFrame(
        {
            ACCOUNT: accounts,
            "day": np.array(days, dtype="M8[D]").astype(np.int64),
            column: numbers(rows[column]),
        }
    )
    found = cast(pd.DataFrame, found[np.isfinite(found[column])])
    twice = found[found.duplicated([ACCOUNT, "day"])]
    if len(twice):
        account, day = twice[[ACCOUNT, "day"]].iloc[0]
        raise ConfigurationError(
            f"{what}: {np.datetime64(int(day), 'D')} occurs twice for {account or 'a wearer'}:"
            " give one row per wearer and day"
        )
    return found.sort_values([ACCOUNT, "day"], ignore_index=True)


def group_of_wearers(rows: pd.DataFrame, by: str, *, what: str) -> pd.Series:
    """Return the group of each wearer as text, by account; wearers without one are left out.

    Raises
    ------
    FieldError
        If the rows have no column `by`.
    ConfigurationError
        If a wearer is in several groups.
    """
    rows = with_account(rows, [by], what=what)
    of_wearer = rows[by].dropna().groupby(rows[ACCOUNT].astype("str"))
    several = of_wearer.nunique()
    if (several > 1).any():
        raise ConfigurationError(
            f"{what}: {by!r} is not the same in all rows of {several.idxmax()!r}: groups are of"
            " wearers"
        )
    return of_wearer.first().map(label_of).astype("str")


def label_of(value: Any) -> str:
    """Return a group as text; a number that is whole without its point, as it was written."""
    whole = isinstance(value, float) and value == round(value)
    return str(int(value)) if whole else str(value)


def _dealt(groups: Any, table: pd.DataFrame, *, what: str) -> tuple[dict[str, str], list[str]]:
    """Return the group of each wearer as text, and the wearers without rows."""
    if not isinstance(groups, Mapping):
        raise ConfigurationError(
            "groups must map wearers to groups: {'ann': 'desk', 'bob': 'field'}"
        )
    dealt = {str(wearer): str(label) for wearer, label in groups.items()}
    absent = sorted(set(dealt) - set(table["account"].astype(str)))
    if absent and len(absent) == len(dealt):
        raise ConfigurationError(
            f"{what}: the table has no rows of {', '.join(absent)}: groups maps accounts of the"
            " table to groups"
        )
    return dealt, absent


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
    groups in 94 to 96 of 100 cases from three wearers on; with two on one side it would do
    so less often. The permutation test examines the same difference without assuming normality: it
    reassigns the wearers to the groups, in all possible ways or in `draws` of them, counts the
    observed assignment too (Phipson & Smyth 2010), and compares the p of Welch's test of each
    (Janssen 1997, Statistics & Probability Letters 36:9, studentised; Beran 1988, Journal of the
    American Statistical Association 83:687, prepivoted). So it holds its level from eight wearers
    per group on if one group varies more than the other, where a test of the plain difference in
    means does not; see the table in the definitions.

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
    table = with_account(table, ["account", outcome], what="group_difference")
    dealt, absent = _dealt(groups, table, what="group_difference")
    labels = sorted(set(dealt.values()))
    if len(labels) != 2:
        raise ConfigurationError(f"group_difference compares two groups, not {len(labels)}")
    if absent:
        hint = near(absent[0], sorted(set(table["account"].astype(str)) - set(dealt)))
        warn(
            f"group_difference: no rows of {', '.join(absent)}{hint}: without days a wearer cannot"
            " count"
        )
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


def _permuted(sides: list[Floats], draws: int, seed: int) -> float:
    """Return the share of assignments that differ at least as much as the observed one."""
    middle = float(np.concatenate(sides).mean())  # so that large values do not round
    first, second = (np.sort(side) - middle for side in sides)  # draws ignore the wearers' names

    def chance(first: Floats, second: Floats, axis: int = 0) -> Floats:
        """Return p of Welch's test; groups in which wearers do not differ are apart, or equal."""
        with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # where wearers do not differ
            p = scipy.stats.ttest_ind(first, second, axis=axis, equal_var=False).pvalue
        return np.asarray(np.nan_to_num(p, nan=1.0), dtype=np.float64)

    seen = float(chance(first, second)) * (1 + ROUNDING)
    ways = comb(len(first) + len(second), len(first))
    test = scipy.stats.permutation_test(
        (first, second),
        lambda first, second, axis: (chance(first, second, axis) <= seen).astype(np.float64),
        vectorized=True,
        alternative="greater",
        n_resamples=ways if ways <= MOST_EXACT else draws,  # as many as possible: each once
        batch=max(1, MOST_CELLS // (len(first) + len(second))),
        random_state=np.random.default_rng(seed),
    )
    return float(test.pvalue)


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
    differ at p < .05 (`benchmarks/levels.py`).

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
    table = with_account(table, ["account", counts, exposure], what="group_rates")
    dealt, absent = _dealt(groups, table, what="group_rates")
    labels = sorted(set(dealt.values()))
    if len(labels) < 2:
        raise ConfigurationError("group_rates compares groups: groups must name at least two")
    if absent:
        raise ConfigurationError(
            f"group_rates: the table has no rows of {', '.join(absent)}: leave them out of groups"
        )
    sums_of = {label: _summed(table, counts, exposure, dealt, label) for label in labels}
    rows = {
        label: _row(*sums, first=next(iter(sums_of.values()))[0]) for label, sums in sums_of.items()
    }
    result = pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")
    result.loc[result.index[0], list(OF_RATIO)] = MISSING  # it is the reference
    result = result.astype({"wearers": "int64", "days": "int64", "reason": "string"})
    return record(result, "compare.group_rates", counts=counts, exposure=exposure)


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
