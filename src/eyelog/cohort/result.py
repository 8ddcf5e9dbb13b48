"""The result of a cohort, from a table or from its dataset: the rows, and who has none."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from eyelog.cohort.dataset import open_dataset
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.provenance import history

__all__ = ["Result", "result_of"]

NO_DAYS: Final = "no records in this range"


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
    """

    rows: pd.DataFrame
    failed: dict[str, str]
    without: dict[str, str]
    covariates: tuple[str, ...]
    recipe: Mapping[str, Any]


def result_of(table: pd.DataFrame | str | os.PathLike[str], *, what: str) -> Result:
    """Return the result that a table is, or that lies at a place.

    Raises
    ------
    ConfigurationError
        If the table is not that of a cohort; `what` is the caller's name.
    ArchiveError
        If the place has no whole result.
    """
    return _of_table(table, what) if isinstance(table, pd.DataFrame) else _of_place(table)


def _of_table(table: pd.DataFrame, what: str) -> Result:
    if "account" not in table.index.names:
        raise ConfigurationError(
            f"{what} takes a table of eyelog.cohort.daily or eyelog.cohort.apply, indexed by"
            " account, or the place of their dataset"
        )
    steps = [step for step in history(table) if step["step"].startswith("cohort.")]
    step = steps[-1] if steps else {}
    failed = dict(step.get("failed", {}))
    without = dict.fromkeys(step.get("without_days", ()), NO_DAYS)
    recipe: dict[str, Any] = {key: step[key] for key in ("step", "inventory") if key in step}
    return _without_those_present(table, failed, without, step.get("covariates", ()), recipe)


def _of_place(place: Any) -> Result:
    dataset = open_dataset(place)
    recipe, report = dataset.recipe(), dataset.report()
    if recipe is None or not recipe["complete"] or report is None:
        raise ArchiveError(
            f"{dataset.name} has no whole result of a cohort: repeat the call that writes it"
        )
    broken = report["state"] == "failed"
    reasons: dict[str, str] = dict(zip(report["account"], report["reason"], strict=True))
    failed = {name: reasons[name] for name in report["account"][broken]}
    empty = ~broken & ((report["days"] == 0) | (report["reason"] != ""))
    without = {name: reasons[name] or NO_DAYS for name in report["account"][empty]}
    rows = dataset.read()
    covariates = recipe.get("covariates", ())
    if "account" not in rows.index.names:
        return Result(rows, failed, without, tuple(covariates), recipe)
    present = set(rows.index.get_level_values("account"))
    without |= {
        name: NO_DAYS
        for name in report["account"]
        if name not in present and name not in failed and name not in without
    }
    return _without_those_present(rows, failed, without, covariates, recipe)


def _without_those_present(
    rows: pd.DataFrame,
    failed: dict[str, str],
    without: dict[str, str],
    covariates: Any,
    recipe: Mapping[str, Any],
) -> Result:
    """Return the result; wearers that have rows, of a table that was changed, are not lost."""
    present = set(rows.index.get_level_values("account"))
    return Result(
        rows,
        {name: reason for name, reason in failed.items() if name not in present},
        {n: reason for n, reason in without.items() if n not in present and n not in failed},
        tuple(name for name in covariates if name in rows.columns),
        recipe,
    )
