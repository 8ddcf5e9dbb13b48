"""The result of a cohort, from a table or from its dataset: the rows, and who has none."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

from eyelog.checks import names_of
from eyelog.cohort.dataset import open_dataset
from eyelog.cohort.wearers import one_row_each
from eyelog.errors import ArchiveError, ConfigurationError, FieldError, warn
from eyelog.frame import ACCOUNT, history
from eyelog.judge.arrays import holds_numbers
from eyelog.measure.columns import is_measured

NO_DAYS: Final = "no records in this range"
NO_ROWS: Final = "no rows in this table"


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
