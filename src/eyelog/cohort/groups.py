"""What a cohort's table, or its dataset, shows about groups of wearers, and who is lost on the way.

Days of one wearer are not independent observations: each wearer counts once.
"""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import names_of
from eyelog.cohort.dataset import open_dataset
from eyelog.cohort.study import one_row_each
from eyelog.errors import ArchiveError, ConfigurationError, FieldError, warn
from eyelog.frame import ACCOUNT, history, record, stated_log, takes_tables
from eyelog.judge.arrays import MISSING, holds_numbers, numbers
from eyelog.measure.columns import is_measured
from eyelog.measure.groups import keyed
from eyelog.series.groups import difference_of_means, group_of_wearers
from eyelog.series.inference import holm

NO_DAYS: Final = "no records in this range"
NO_ROWS: Final = "no rows in this table"
PERCENTILES: Final = (5, 25, 50, 75, 95)
OUTCOMES: Final = (
    *("worn_h", "blink_rate_per_min", "eye_moves_per_h", "steps", "walking_h", "pace_spm"),
    *("head_moves_yaw_per_h", "tilt_fore_aft_deg"),
)
MOST_GROUPS: Final = 8
_COLUMNS: Final = (
    *("reference", "difference", "low", "high", "p", "p_holm", "mean_reference", "mean_group"),
    *("sd_wearers", "wearers_reference", "wearers_group", "n", "reason"),
)


class Summary(NamedTuple):
    """Three tables about a cohort: `groups`, `attrition` and `excluded`."""

    groups: pd.DataFrame
    attrition: pd.DataFrame
    excluded: pd.DataFrame


@takes_tables
def summary(
    table: pd.DataFrame | str | os.PathLike[str],
    *,
    by: str | pd.Series | Sequence[str | pd.Series] | None = None,
    wearers: pd.DataFrame | None = None,
    covariates: str | Sequence[str] | None = None,
) -> Summary:
    """Summarise a cohort: groups, percentiles of wearers, and what was lost.

    Parameters
    ----------
    table : DataFrame, str or path
        What `eyelog.cohort.daily` or `eyelog.cohort.apply` returned, or the place of their
        dataset (``out``).
    by : str, Series or a list of them, optional
        The groups: columns, such as those of ``wearers=``; ``"day"``, ``"week"``, ``"weekday"``,
        ``"weekend"`` or a width in days (``"7D"``); a Series of labels by wearer, day or row.
        Default: one group.
    wearers : DataFrame, optional
        The wearers that were requested, as for `eyelog.cohort.daily`: those without rows are then
        counted and named. The place of a dataset knows them.
    covariates : str or sequence of str, optional
        Columns of the table of wearers to summarise too, such as ``"age"``. Others are not: the
        mean of a seed or an identifier has no meaning. In a table of several rows for each wearer,
        a column that eyelog does not measure and that has one value for each wearer is a covariate;
        in a table of one row each, what `wearers` has, here or in the call that made it.

    Returns
    -------
    Summary
        Named tuple of three tables.

        ``groups``: one row per group and outcome (each column of numbers, but covariates only if
        they are named), indexed by the columns of `by` and ``outcome``. Each wearer counts once,
        with the mean of their own rows. Int64 ``wearers`` and ``n`` (rows) with a value; float64
        ``mean``, ``sd`` between wearers, ``low`` and ``high`` (95 % interval of the mean, from the
        t distribution; missing for one wearer), and the percentiles of wearers ``p5``, ``p25``,
        ``p50``, ``p75``, ``p95``.

        ``attrition``: from wearers to days to values. Index ``step``: ``wearers asked for``,
        ``wearers without a failure`` (if some failed), ``wearers with rows``, ``rows in a group``
        (with `by`), then each outcome (rows with a value). Int64 ``wearers`` and ``n`` that are
        left; ``n`` is missing before there are rows. For a table without `wearers`, the first step
        is ``wearers with rows``.

        ``excluded``: the wearers that are in no group. Index ``account``; text ``reason``.

    Raises
    ------
    FieldError
        If the table has none of `covariates`.
    ConfigurationError
        If the table is not that of a cohort, `by` is not one of these, or a covariate does not
        hold numbers.
    ArchiveError
        If the place has no whole result: the run was stopped, or there was none.

    Notes
    -----
    Days of one wearer are not independent observations, so intervals are based on wearers.
    Failures are those of a dataset's report.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import pandas as pd, eyelog as el
    >>> archive, log = el.Archive(mkdtemp()), "standard_mode_logs"
    >>> for seed in range(4):
    ...     days = el.simulate("2026-10-19", 2, log=log, seed=seed, tz="Asia/Tokyo")
    ...     _ = archive.write(log, days, account=f"w{seed}")
    >>> wearers = pd.DataFrame({"account": ["w0", "w1", "w2", "w3"], "group": list("abab")})
    >>> table = el.cohort.daily(archive, log, tz="Asia/Tokyo", wearers=wearers)
    >>> groups, attrition, excluded = el.cohort.summary(table, by="group")
    >>> groups.loc[("a", "worn_h"), ["wearers", "n"]].tolist()
    [2, 4]
    >>> attrition.loc["worn_h", "wearers"], len(excluded)
    (np.int64(4), 0)
    """
    result = result_of(table, what="summary", wearers=wearers)
    rows, lost = result.rows, {**result.without, **result.failed}
    if "account" not in rows.index.names:
        raise ArchiveError(f"{table} has no rows: no wearer had records")
    names: list[str] = []
    if by is not None:
        rows, names = keyed(rows, by, what="summary")
    accounts = rows.index.get_level_values("account")
    inside = rows[names].notna().all(axis=1).to_numpy()
    grouped = rows[inside]
    unplaced = sorted(set(accounts) - set(accounts[inside]))
    lost_all = {**lost, **dict.fromkeys(unplaced, f"no value of {', '.join(names)}")}
    averaged = averaged_covariates(rows, result.covariates, covariates, what="summary")
    left_out = {*names, *(set(result.covariates) - set(averaged))}
    outcomes = [
        str(name)
        for name in rows.columns
        if name not in left_out and pd.api.types.is_numeric_dtype(rows[name].dtype)
    ]
    excluded = pd.DataFrame(
        {"reason": [lost_all[name] for name in sorted(lost_all)]},
        index=pd.Index(sorted(lost_all), name="account", dtype="str"),
        dtype="str",
    )
    parts = {"wearers with rows": rows} | ({"rows in a group": grouped} if names else {})
    parts |= {name: grouped[grouped[name].notna()] for name in outcomes}
    left: dict[str, tuple[int, int | None]] = {
        step: (part.index.get_level_values("account").nunique(), len(part))
        for step, part in parts.items()
    }
    without_failure = left["wearers with rows"][0] + len(result.without)
    if result.failed:
        left = {"wearers without a failure": (without_failure, None)} | left
    if result.is_whole:
        left = {"wearers asked for": (without_failure + len(result.failed), None)} | left
    steps = pd.Index([*left], name="step", dtype="str")
    attrition = pd.DataFrame([*left.values()], index=steps, columns=["wearers", "n"])
    attrition = attrition.astype({"wearers": "int64", "n": "Int64"})
    return Summary(_groups(grouped, names, outcomes), attrition, excluded)


def _groups(rows: pd.DataFrame, names: Sequence[str], outcomes: Sequence[str]) -> pd.DataFrame:
    """Return one row per group and outcome, each wearer counted once."""
    columns = ["wearers", "n", "mean", "sd", "low", "high", *(f"p{p}" for p in PERCENTILES)]
    blocks = [np.empty((0, len(columns)))]
    keys: list[tuple[Hashable, ...]] = []
    values = rows[list(outcomes)].astype("float64")
    values = values.where(np.isfinite(values))
    keys_of_rows = [pd.Index(rows[name]) for name in names]  # a name may be one of the index too
    groups: Iterable[tuple[Any, Any]] = (
        rows.groupby(keys_of_rows, sort=True, observed=True).indices.items()
        if names
        else [((), np.arange(len(rows)))]
    )
    for key, places in groups:
        part = values.iloc[places]
        means = part.groupby(level="account").mean()
        count, mean, sd = means.count(), means.mean(), means.std()
        reach = scipy.special.stdtrit((count - 1).clip(lower=1), 0.975) * sd / np.sqrt(count)
        of_wearers = [count, part.count(), mean, sd, mean - reach, mean + reach]
        shares = means.quantile([p / 100 for p in PERCENTILES])
        blocks.append(np.column_stack([*of_wearers, shares.T]))
        keys += [(*(key if isinstance(key, tuple) else (key,)), name) for name in outcomes]
    table = pd.DataFrame(np.concatenate(blocks), columns=columns)
    levels = pd.DataFrame(keys, columns=[*names, "outcome"])
    table = table.set_index(pd.MultiIndex.from_frame(levels) if names else levels["outcome"])
    return table.astype({"wearers": "int64", "n": "int64"})


@takes_tables
def differences(
    table: pd.DataFrame | str | os.PathLike[str],
    *,
    by: str | pd.Series,
    outcomes: str | Sequence[str] | None = None,
    reference: str | None = None,
) -> pd.DataFrame:
    """Return how groups of wearers differ, with intervals that count wearers and not days.

    Parameters
    ----------
    table : DataFrame, str or path
        As for `eyelog.cohort.summary`.
    by : str
        The column whose values are the groups, the same in all rows of a wearer: two to eight of
        them. Wearers without a value are left out.
    outcomes : str or sequence of str, optional
        Columns to compare. Default: hours worn, blink rate, eye movements, steps, hours walked,
        pace, head turns and tilt of a daily table; for any other table, all columns of numbers that
        are not covariates, which have one value for each wearer.
    reference : str, optional
        The group that the others are compared with; by default the first in alphabetical order.

    Returns
    -------
    DataFrame
        One row per outcome and group but the reference, indexed by ``outcome`` and ``group``.
        Float64, in the unit of the outcome: ``difference`` (group minus reference) with its 95 %
        interval ``low`` and ``high``; ``p``, and ``p_holm``, corrected for the number of
        comparisons in the table (Holm 1979); ``mean_reference`` and ``mean_group`` (of the wearers'
        means) and ``sd_wearers`` (of those means within groups). Int64 ``wearers_reference``,
        ``wearers_group`` and ``n`` (rows) with a value. Text: ``reference``, and ``reason``: why
        something is missing.

    Raises
    ------
    FieldError
        If the table has no column `by`, or none of the outcomes.
    ConfigurationError
        If the table is not that of a cohort, `by` has not two to eight groups or differs between
        rows of a wearer, an outcome is not numeric, or there is no group `reference`.
    ArchiveError
        If the place has no whole result.

    Notes
    -----
    Each difference is that of `eyelog.compare.group_difference`: of the means of the wearers, with
    Welch's interval (from three wearers per group on) and p (from five), so days of one wearer do
    not count as independent, and groups may differ in spread. That function also tests one outcome
    by permutation, which assumes no normality.

    Each interval holds its own difference in 95 of 100 cases. Of many differences that do not
    exist, one in twenty has an interval without 0. `p_holm` corrects for their number (Holm 1979,
    Scandinavian Journal of Statistics 6:65): in 3 to 7 of 100 tables of eight outcomes it is below
    0.05 for any of them if groups have eight wearers or more. With five wearers in a group it is in
    up to 9, and in 12 if skewed values of five are compared with those of 20 (see the table in the
    definitions).

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import eyelog as el
    >>> archive, log = el.Archive(mkdtemp()), "standard_mode_logs"
    >>> people = el.cohort.simulate(archive, 6, start="2026-10-19", days=2, log=log, effect=1.5)
    >>> days = el.cohort.daily(archive, log, wearers=people)
    >>> found = el.cohort.differences(days, by="group", outcomes="blink_rate_per_min")
    >>> row = found.loc[("blink_rate_per_min", "treated")]
    >>> row["reference"], int(row["wearers_group"]), bool(row["low"] < row["difference"])
    ('control', 3, True)
    """
    result = result_of(table, what="differences")
    rows = result.rows
    if "account" not in rows.index.names or rows.empty:
        raise ConfigurationError("differences: there are no rows: no wearer had records")
    rows, names = keyed(rows, by, what="differences", one=True)
    by = names[0]
    groups = group_labels(rows, by, what="differences")
    labels = sorted(set(groups))
    first = labels[0] if reference is None else str(reference)
    if first not in labels:
        raise ConfigurationError(
            f"differences: no wearer is in the group {first!r}: reference is one of"
            f" {', '.join(labels)}"
        )
    chosen = _outcomes(rows, by, outcomes, result.covariates)
    accounts = rows.index.get_level_values("account").astype("str")
    labelled = pd.DataFrame({"account": accounts, "group": groups.reindex(accounts).array})
    compared = {}
    for name in chosen:
        kept = labelled.assign(y=numbers(rows[name]))
        kept = kept[np.isfinite(kept["y"])].dropna()
        means = kept.groupby(["group", "account"])["y"].mean()
        sides = {label: means[means.index.get_level_values(0) == label] for label in labels}
        n = {label: int((kept["group"] == label).sum()) for label in labels}
        for label in labels:
            if label != first:
                row = _compared(sides[first], sides[label])
                compared[name, label] = {"reference": first, **row, "n": n[first] + n[label]}
    index = pd.MultiIndex.from_tuples(list(compared), names=["outcome", "group"])
    out = pd.DataFrame(list(compared.values()), index=index)
    out = out.astype(dict.fromkeys(("wearers_reference", "wearers_group", "n"), "int64"))
    out = out.astype({"reference": "str", "reason": "str"})
    out["p_holm"] = holm(numbers(out["p"]))
    out = out[[*_COLUMNS]]
    return record(out, "cohort.differences", log=stated_log(rows), by=by, outcomes=chosen)


def group_labels(rows: pd.DataFrame, by: str, *, what: str, least: int = 2) -> pd.Series:
    """Return the group of each wearer as text, by account; wearers without one are left out.

    Raises
    ------
    FieldError
        If the rows have no column `by`.
    ConfigurationError
        If a wearer is in several groups, or there are fewer than `least` groups or more than eight.
    """
    if by not in rows.columns:
        raise FieldError(
            f"{what}: the table has no column {by!r}: add it to the table of wearers (wearers=)"
        )
    labels = group_of_wearers(rows, by, what=what)
    number = labels.nunique()
    if not least <= number <= MOST_GROUPS:
        hint = ": make a column of a few groups of it" if number > MOST_GROUPS else ""
        raise ConfigurationError(
            f"{what} takes {least} to {MOST_GROUPS} groups, and {by!r} has {number}{hint}"
        )
    return labels


def _outcomes(
    rows: pd.DataFrame, by: str, names: str | Sequence[str] | None, covariates: Sequence[str]
) -> list[str]:
    numeric = [str(name) for name in rows.columns if name != by and holds_numbers(rows[name])]
    if names is None:
        usual: list[str] = [name for name in OUTCOMES if name in numeric]
        outcomes = usual or [name for name in numeric if name not in covariates]
        if not outcomes:
            raise FieldError(
                "differences: the table has no column of numbers to compare but those with one"
                f" value for each wearer ({', '.join(numeric) or 'none'}): name one,"
                f" outcomes={numeric[0] if numeric else 'steps'!r}, if it is measured"
            )
        return outcomes
    chosen = names_of(names, "outcomes")
    lacking = [name for name in chosen if name not in rows.columns]
    if lacking or not chosen:
        raise FieldError(
            f"differences: the table has no column {', '.join(map(repr, lacking)) or 'to compare'}"
        )
    for name in chosen:
        if name not in numeric:
            raise ConfigurationError(f"differences compares numbers, and {name!r} has none")
    return chosen


def _compared(reference: pd.Series, side: pd.Series) -> dict[str, Any]:
    """Return by how much the means of the wearers of a group differ from those of the reference."""
    parts = [part for part in (reference, side) if len(part)]
    freedom = sum(len(part) - 1 for part in parts)
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
    return {
        "difference": side.mean() - reference.mean(),
        **difference_of_means(numbers(reference), numbers(side)),
        "mean_reference": reference.mean(),
        "mean_group": side.mean(),
        "sd_wearers": np.sqrt(squares / freedom) if freedom else MISSING,
        "wearers_reference": len(reference),
        "wearers_group": len(side),
    }


# The result of a run


@dataclass(frozen=True)
class Result:
    """What a run over a cohort left.

    Attributes
    ----------
    rows : DataFrame
        Indexed by ``account`` and, of days, ``day``.
    failed, without : dict of str to str
        Why wearers failed, and why others have no rows.
    covariates : tuple of str
        The columns that come from the table of wearers.
    recipe : mapping
        What was computed from what; empty where the provenance does not say.
    is_whole : bool
        Whether all requested wearers are in it, with rows or without.
    """

    rows: pd.DataFrame
    failed: dict[str, str]
    without: dict[str, str]
    covariates: tuple[str, ...]
    recipe: Mapping[str, Any]
    is_whole: bool = False


def result_of(
    table: pd.DataFrame | str | os.PathLike[str], *, what: str, wearers: pd.DataFrame | None = None
) -> Result:
    """Return the result that a table is, or that is stored at a place.

    Parameters
    ----------
    table : DataFrame, str or path
        The rows, or the place of a dataset, whose report says who has none.
    what : str
        The caller's name.
    wearers : DataFrame, optional
        Who was requested: a table gives no information about those without rows.

    Raises
    ------
    ConfigurationError
        If the table is not that of a cohort.
    ArchiveError
        If the place has no whole result.
    """
    people = None if wearers is None else one_row_each(wearers)
    if isinstance(table, pd.DataFrame):
        return _of_table(table, what, people)
    result = _of_place(table)
    answered = {*result.failed, *result.without, *accounts_of(result.rows)}
    more = () if people is None else people.index
    without = result.without | {name: NO_ROWS for name in more if name not in answered}
    return replace(result, without=without, is_whole=True)


def accounts_of(rows: pd.DataFrame) -> set[str]:
    """Return the wearers that have rows."""
    return set(rows.index.get_level_values(ACCOUNT)) if ACCOUNT in rows.index.names else set()


def averaged_covariates(
    rows: pd.DataFrame, covariates: Sequence[str], chosen: str | Sequence[str] | None, *, what: str
) -> list[str]:
    """Return the covariates that have a mean: those that were requested.

    An age cannot be distinguished from a seed by its numbers, and the mean of a seed has no
    meaning.

    Raises
    ------
    FieldError
        If there is no such covariate.
    ConfigurationError
        If one does not hold numbers.
    """
    names = names_of(chosen or (), "covariates")
    if rows.empty:
        return names
    for name in names:
        if name not in covariates:
            given = ", ".join(map(str, covariates)) or "none"
            raise FieldError(
                f"{what}: covariates= names columns of the table of wearers ({given}),"
                f" and {name!r} is none of them"
            )
        if not holds_numbers(rows[name]):
            raise ConfigurationError(
                f"{what}: the covariate {name!r} does not hold numbers, so it has no mean; its"
                " values are counted without being named"
            )
    return names


def _of_table(table: pd.DataFrame, what: str, people: pd.DataFrame | None) -> Result:
    if ACCOUNT not in table.index.names:
        raise ConfigurationError(
            f"{what} takes a table of eyelog.cohort.daily or eyelog.cohort.apply, indexed by"
            " account, or the place of their dataset"
        )
    steps = [step for step in history(table) if step["step"].startswith("cohort.")]
    step = steps[-1] if steps else {}
    present = accounts_of(table)
    listed = () if people is None else people.index
    reasons = {**dict.fromkeys(step.get("without_days", ()), NO_DAYS), **step.get("failed", {})}
    lost = [name for name in reasons if name not in present]
    if people is None and lost:
        warn(
            f"{what}: of the wearers asked for, {len(lost)} {'has' if len(lost) == 1 else 'have'}"
            f" no rows: pass wearers=, the table of all wearers, to count them"
        )
    without = {name: reasons.get(name, NO_ROWS) for name in listed if name not in present}
    given = {*step.get("covariates", ()), *(() if people is None else people.columns)}
    one_row = table.index.nlevels == 1 and not table.index.has_duplicates
    own = tuple(
        str(name)
        for name in table.columns
        if not is_measured(str(name))
        # In rows of wearers, what a function returned looks like what is known about the wearer.
        and (name in given if one_row else not _varies(table[name]))
    )
    kept = ("step", "inventory", "day_starts")
    recipe: dict[str, Any] = {key: step[key] for key in kept if key in step}
    return Result(table, {}, without, own, recipe, is_whole=people is not None)


def _varies(values: pd.Series) -> bool:
    """Return whether a column has several values within a wearer, which a covariate does not."""
    seen = values.reset_index()[[ACCOUNT, values.name]].drop_duplicates()
    return bool(seen[ACCOUNT].duplicated().any())


def _of_place(place: Any) -> Result:
    dataset = open_dataset(place)
    recipe, report = dataset.recipe(), dataset.report()
    if recipe is None or not recipe["complete"] or report is None:
        raise ArchiveError(
            f"{dataset.name} has no whole result of a cohort: repeat the call that writes it"
        )
    rows = dataset.read()
    # Wearers with rows in a table that was changed are not lost.
    present = accounts_of(rows)
    lost = report[~report["account"].isin(present)]
    broken = lost["state"] == "failed"
    reasons: dict[str, str] = dict(zip(lost["account"], lost["reason"], strict=True))
    failed = {name: reasons[name] for name in lost["account"][broken]}
    without = {name: reasons[name] or NO_DAYS for name in lost["account"][~broken]}
    covariates = tuple(name for name in recipe.get("covariates", ()) if name in rows.columns)
    return Result(rows, failed, without, covariates, recipe)
