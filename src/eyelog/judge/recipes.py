"""Recipes: the vendor's documented filters for one kind of question, and the records they leave.

A recipe names its outcomes. What can speak against them (`eyelog.judge.reasons`) and the limits of
that (``limits.csv``) give the conditions on a record: one that fails any of them, or lacks the
evidence for it, is not used. `attrition` counts the records step by step, as a CONSORT flow chart
does; `select` returns the frame with only the values that pass the recipe.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import (
    COMPUTED_DATA,
    CURRENT_DATA,
    STANDARD_MODE_LOGS,
    catalogue,
    log_named,
    near,
    role,
)
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import STORED, derived, require, takes_tables
from eyelog.judge.arrays import Bools, Floats
from eyelog.judge.flag import OF_CONTEXT, all_reasons, masked
from eyelog.judge.intervals import Rows, enter
from eyelog.judge.limits import Limits, limit
from eyelog.judge.reasons import CONTEXT, KEPT, UNKNOWN, Reason, against_fields
from eyelog.judge.records import MASKS, Records


class Condition(NamedTuple):
    """A limit (by its name) that a record must keep, and the reason against it if it does not."""

    reason: Reason
    name: str
    field: str

    def kept(self, records: Records) -> tuple[Bools, Bools]:
        """Return which records keep the limit, and which of the others lack the evidence.

        Blinks may be evidence of wear too; being at rest means not keeping the limit of walking.
        """
        rule = records.rules[self.name]
        values = cast(Floats, records.evidence(rule.role, field=self.field))
        if self.reason is Reason.UNWORN:
            values = records.context.get("worn", values)
        moving = self.reason is Reason.MOVING
        kept = ~rule.keeps(values, missing=True) if moving else rule.keeps(values)
        if self.name in log_named(records.log).spread:  # it may apply to neighbouring rows too
            kept = kept & ~records.context[self.reason]
        return kept, ~kept & np.isnan(values)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A row of ``recipes.csv``: the outcomes for one kind of question, and where it comes from.

    `instead` names the limits that replace those of the reasons.
    """

    name: str
    log: str
    purpose: str
    outcomes: tuple[str, ...]
    instead: Mapping[str, str]
    source: str

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The limits of all reasons that can apply to the outcomes, in the order of `CONTEXT`."""
        reasons = Reason(0)
        for name in self.outcomes:
            reasons |= against_fields(self.log)[name].context
        names = [
            (reason, self.instead.get(name, name))
            for reason in CONTEXT
            if reason & reasons
            for name in CONTEXT[reason]
        ]
        return tuple(
            Condition(reason, name, field)
            for reason, name in names
            for field in role(self.log, limit(self.log, name).role)
        )


def _read() -> Mapping[str, Recipe]:
    """Return the recipes by name; their table has the roles of the outcomes."""
    text = files("eyelog.judge").joinpath("recipes.csv").read_text("utf-8")
    recipes = {}
    for row in csv.DictReader(text.splitlines()):
        outcomes = role(row["log"], *row.pop("outcomes").split())
        instead = dict(pair.split(":") for pair in row.pop("instead").split())
        recipes[row["name"]] = Recipe(outcomes=outcomes, instead=instead, **row)
    return MappingProxyType(recipes)


RECIPES: Final = _read()
USUAL: Final = {COMPUTED_DATA: "mind", STANDARD_MODE_LOGS: "eye", CURRENT_DATA: "blinks"}
"""The recipe of each log if none is named."""


@takes_tables
def attrition(
    frame: pd.DataFrame,
    recipe: str | None = None,
    *,
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Return how many records each condition of a recipe removes, in order.

    Parameters
    ----------
    frame : DataFrame
        Records of the log that the recipe is for, not masked.
    recipe : {"steps", "trend", "eye", "mind", "blinks", "gait"}, optional
        The filters to follow. ``mind`` (scores) is for the 15-second log; ``steps``, ``trend``
        (head movements), ``eye`` (eye movements) and ``gait`` (pace, sway) are for the 60-second
        log; ``blinks`` (blinks and eye movements) is for the 20 Hz log. Default: ``mind``, ``eye``
        or ``blinks``, by the log.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.

    Returns
    -------
    DataFrame
        Index ``step``; step 0 is all records of the frame. Columns ``reason`` (name of the
        `Reason`), ``condition`` (in words), int64 ``removed`` (records that this condition removes
        from those still left), ``unknown`` (how many of the removed lack the evidence), ``left``,
        and float64 ``left_share`` (of all records; missing if there are none). The last steps
        require an outcome of the recipe that is present (MISSING), of scores not -1 (SENTINEL), and
        inside its limits (RANGE); a record stays as long as one of its outcomes passes. If the
        frame has several outcomes, a row for each follows, with its name in the string column
        ``outcome`` (otherwise empty) and the records that have it in ``left``.

    Raises
    ------
    ConfigurationError
        If the recipe does not exist or is for the other log, or if the frame holds no records or
        was masked.
    FieldError
        If the frame lacks evidence that the recipe needs, or all of its outcomes.

    Notes
    -----
    The order is that of the vendor's filters, then the other reasons that `eyelog.mask` masks the
    outcomes for; a record is counted at the first condition that it fails. So what is left of an
    outcome is what the default mask leaves of it (less in ``gait``: only minutes with steady
    walking and an upright head). Layout: the flow chart of CONSORT (Schulz 2010).

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.attrition(el.sample(), "mind")
    >>> shared = table[table["outcome"] == ""]
    >>> shared["reason"].tolist()[:6]
    ['', 'UNWORN', 'INVALID', 'OFF_POSE', 'OFF_POSE', 'MOVING']
    >>> masked = el.mask(el.sample(), el.flag(el.sample()))
    >>> left = table.set_index("outcome").loc["sc_fcs", "left"]
    >>> int(left) == int(masked["sc_fcs"].notna().sum())
    True
    """
    rows, chosen, outcomes = _open(frame, "attrition", recipe, limits=limits, log=log)
    records, fields = rows.records, catalogue(rows.log)
    kept = [np.ones(records.size, dtype=bool)]
    steps: list[dict[str, Any]] = [{"reason": "", "condition": "recorded", "unknown": 0}]
    for condition in chosen.conditions:
        keeps, unknown = condition.kept(records)
        text = records.rules[condition.name].text(condition.field)
        if condition.reason is Reason.MOVING:
            text = text.replace("more than", "at most").replace("true", "false")
        unknown_n = int((kept[-1] & unknown).sum())
        steps.append({"reason": condition.reason.name, "condition": text, "unknown": unknown_n})
        kept.append(kept[-1] & keeps)
    reasons = np.stack([records.bits(name) for name in outcomes], axis=1)
    possible, bits = Reason(0), np.uint16(0)
    for name in outcomes:
        possible |= against_fields(rows.log)[name].value
    for reason in (each for each in Reason if each & possible & MASKS):
        bits |= np.uint16(reason)
        kept.append(kept[-1] & ((reasons & bits) == 0).any(axis=1))
        steps.append({"reason": reason.name, "condition": KEPT[reason], "unknown": 0})
    table = pd.DataFrame(steps, columns=["reason", "condition", "removed", "unknown"])
    table["left"] = [int(rows.sum()) for rows in kept]
    table["removed"] = table["left"].shift(fill_value=len(frame)) - table["left"]
    table["outcome"] = ""
    if len(outcomes) > 1:
        passing = kept[-1][:, None] & ((reasons & bits) == 0)
        alone = pd.DataFrame(
            {
                "reason": "",
                "condition": [f"{fields[name].label} alone" for name in outcomes],
                "removed": kept[-1].sum() - passing.sum(axis=0),
                "unknown": 0,
                "left": passing.sum(axis=0),
                "outcome": outcomes,
            }
        )
        table = pd.concat([table, alone], ignore_index=True)
    table["outcome"] = table["outcome"].astype("string")
    table["left_share"] = table["left"] / len(frame) if len(frame) else np.nan
    table.index.name = "step"
    details = {"outcomes": outcomes, "days": rows.first_and_last, **_said(rows, chosen)}
    return derived(table, frame, "attrition", **details)


@takes_tables
def select(
    frame: pd.DataFrame, recipe: str, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return the frame with only the values that pass a recipe.

    Parameters
    ----------
    frame : DataFrame
        Records of the log that the recipe is for, not masked.
    recipe : {"steps", "trend", "eye", "mind", "blinks", "gait"}
        The filters to follow, see `eyelog.attrition`.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.

    Returns
    -------
    DataFrame
        Same index, columns, dtypes and rows, and the columns that `eyelog.mask` adds. The values
        of records that fail the recipe are missing, as are invalid marks (-1), values outside their
        limits and stale blink statistics. Wear, durations, battery, time and place stay: they are
        the evidence.

    Raises
    ------
    ConfigurationError
        If the recipe does not exist or is for the other log, or if the frame holds no records or
        was masked.
    FieldError
        If the frame lacks evidence that the recipe needs, or all of its outcomes.

    Notes
    -----
    A recipe replaces the judgement of `eyelog.flag`: summaries do not judge the result again.

    Examples
    --------
    >>> import eyelog as el
    >>> focus = el.select(el.sample(), "mind")["sc_fcs"]
    >>> bool(focus.min() >= 0), len(focus) == len(el.sample())
    (True, True)
    """
    rows, chosen, _ = _open(frame, "select", recipe, limits=limits, log=log)
    records, failed = rows.records, np.zeros(len(frame), dtype=np.uint16)
    for condition in chosen.conditions:
        failed |= ~condition.kept(records)[0] * np.uint16(condition.reason)
    if rows.order is not None:
        failed[rows.order] = failed.copy()
    bits = all_reasons(rows) & ~OF_CONTEXT
    for at, name in enumerate(frame.columns):
        if against_fields(rows.log).get(str(name), UNKNOWN).context:
            bits[at] |= failed
    reasons = pd.DataFrame(bits.T, frame.index, frame.columns, copy=False)
    table = masked(rows, reasons, MASKS, frame)
    return derived(table, frame, "select", **_said(rows, chosen))


def _open(
    frame: pd.DataFrame, what: str, recipe: str | None, **options: Any
) -> tuple[Rows, Recipe, list[str]]:
    """Return the rows, the recipe, and its outcomes in the frame; raise if it lacks some."""
    if recipe is not None and recipe not in RECIPES:
        raise ConfigurationError(
            f"unknown recipe {recipe!r}{near(str(recipe), RECIPES)}: use one of"
            f" {', '.join(RECIPES)}"
        )
    rows = enter(frame, what, (), wide=False, **options)
    if STORED in frame.columns:
        raise ConfigurationError(
            f"{what} follows the evidence, and mask has removed some of it: pass the frame from"
            " before mask"
        )
    if recipe is None and rows.log not in USUAL:
        raise ConfigurationError(f"{what} has no recipe for log {rows.log!r}")
    chosen = RECIPES[recipe or USUAL[rows.log]]
    purpose = f"the recipe {chosen.name!r}"
    if rows.log != chosen.log:
        own = [each.name for each in RECIPES.values() if each.log == rows.log]
        raise ConfigurationError(
            f"{purpose} is for log {chosen.log!r}, and this frame is {rows.log!r}: use"
            f" {' or '.join(map(repr, own))}"
        )
    require(frame, [condition.field for condition in chosen.conditions], purpose=purpose)
    outcomes = [name for name in chosen.outcomes if name in frame.columns]
    if not outcomes:
        raise FieldError(
            f"{purpose} needs at least one of {', '.join(chosen.outcomes)}, and the frame has none"
            " of them: add one to fields="
        )
    return rows, chosen, outcomes


def _said(rows: Rows, chosen: Recipe) -> dict[str, Any]:
    """Return what the history of a result says about its recipe."""
    return {
        "log": rows.log,
        "recipe": chosen.name,
        "source": chosen.source,
        "limits": rows.limits.details(),
    }
