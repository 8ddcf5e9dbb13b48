"""Differences between groups of wearers, outcome by outcome, corrected for their number."""

import os
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.checks import names_of
from eyelog.cohort.result import result_of
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import record, stated_log, takes_tables
from eyelog.judge.arrays import MISSING, holds_numbers, numbers
from eyelog.measure.groups import keyed
from eyelog.series.groups import difference_of_means, group_of_wearers
from eyelog.series.inference import holm

OUTCOMES: Final = (
    *("worn_h", "blink_rate_per_min", "eye_moves_per_h", "steps", "walking_h", "pace_spm"),
    *("head_moves_yaw_per_h", "tilt_fore_aft_deg"),
)
MOST_GROUPS: Final = 8
_COLUMNS: Final = (
    *("reference", "difference", "low", "high", "p", "p_holm", "mean_reference", "mean_group"),
    *("sd_wearers", "wearers_reference", "wearers_group", "n", "reason"),
)


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
