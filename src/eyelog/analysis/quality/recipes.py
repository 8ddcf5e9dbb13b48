"""Recipes: the vendor's documented filters for one kind of question, and the records they leave.

A recipe is a list of conditions on a record. A record that fails one of them, or lacks the evidence
for it, is not used. `attrition` counts the records step by step, as a CONSORT flow chart does;
`select` returns the frame with only the values that pass the recipe.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Never, Required, TypedDict, TypeVar, Unpack, cast

import numpy as np
import pandas as pd

from eyelog.analysis.limits import Limit, Limits, chosen_limits, limit
from eyelog.analysis.quality.evidence import Evidence
from eyelog.analysis.quality.flags import flagged, mask
from eyelog.analysis.quality.reasons import Reason, applies
from eyelog.analysis.series.arrays import Arrays, Bools, Floats
from eyelog.analysis.shared_parameters import shared_parameters
from eyelog.catalogue import (
    COMPUTED_DATA,
    CURRENT_DATA,
    STANDARD_MODE_LOGS,
    catalogue,
    log_named,
    near,
    role,
    role_field,
)
from eyelog.clock import first_and_last_day
from eyelog.docstrings import add_errors
from eyelog.errors import ConfigurationError, FieldError, argument
from eyelog.frame import STORED, clock_of, log_of, one_source, require, require_single_intervals
from eyelog.keywords import hands_on_to, refuse_unknown
from eyelog.provenance import derived

__all__ = ["RECIPES", "Condition", "Recipe", "attrition", "select"]

Function = TypeVar("Function", bound=Callable[..., Any])


# The last steps of an attrition table: faults of the outcome itself.
_OF_VALUES: Final = (
    (Reason.MISSING, "a value"),
    (Reason.SENTINEL, "a score, not -1"),
    (Reason.RANGE, "inside its limits"),
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A limit (by its name) that a record must keep, and the reason against it if it does not."""

    reason: Reason
    name: str
    field: str

    def keeps(self, values: Floats, rule: Limit) -> Bools:
        """Return which values keep the limit; being at rest means not keeping that of walking."""
        return rule.breaks(values) if self.reason is Reason.MOVING else rule.keeps(values)

    def text(self, rule: Limit) -> str:
        """Return the condition in words."""
        text = rule.text(self.field)
        if self.reason is not Reason.MOVING:
            return text
        return text.replace("more than", "at most").replace("true", "false")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The conditions for one kind of question, the log they are for, and where they come from."""

    name: str
    log: str
    purpose: str
    outcomes: tuple[str, ...]
    conditions: tuple[Condition, ...]
    source: str


def _conditions(log: str, *names: tuple[Reason, str]) -> tuple[Condition, ...]:
    return tuple(Condition(r, name, role_field(log, limit(log, name).role)) for r, name in names)


_AT_REST = (Reason.MOVING, "walking")
_QUIET = (Reason.NOISY, "noise")
_SIDEWAYS = (Reason.OFF_POSE, "tilt_sideways")
_FORE_AFT = (Reason.OFF_POSE, "tilt_fore_aft")
_FEET = ("sway_sideways", "sway_fore_aft", "sway_vertical", "landing")
_SIDES = [f"{axis}_{side}" for axis in _FEET for side in ("right", "left")]

RECIPES: Final[Mapping[str, Recipe]] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe(
                "steps",
                STANDARD_MODE_LOGS,
                "step counts",
                role(STANDARD_MODE_LOGS, "steps"),
                _conditions(
                    STANDARD_MODE_LOGS, (Reason.UNWORN, "worn_for_steps"), _SIDEWAYS, _FORE_AFT
                ),
                "vendor documentation, analysis_sample: wear, and the tilt of worn eyewear"
                " (eyewear in a bag counts the steps of the person who carries it)",
            ),
            Recipe(
                "trend",
                STANDARD_MODE_LOGS,
                "head movements over weeks",
                role(STANDARD_MODE_LOGS, "head_moves_pitch", "head_moves_yaw"),
                _conditions(STANDARD_MODE_LOGS, (Reason.UNWORN, "worn"), _SIDEWAYS, _FORE_AFT),
                "vendor documentation, summarize_data, and its published code: wear, and the tilt"
                " of worn eyewear (limits included)",
            ),
            Recipe(
                "eye",
                STANDARD_MODE_LOGS,
                "eye movements over weeks",
                role(STANDARD_MODE_LOGS, "eye_moves_horizontal", "eye_moves_vertical"),
                _conditions(
                    STANDARD_MODE_LOGS,
                    (Reason.UNWORN, "worn"),
                    _SIDEWAYS,
                    _FORE_AFT,
                    _AT_REST,
                    _QUIET,
                ),
                "vendor documentation, summarize_data, and its published code: as for trends,"
                " and little noise; data_es: at rest",
            ),
            Recipe(
                "mind",
                COMPUTED_DATA,
                "scores of focus, tension, calm and drowsiness",
                role(COMPUTED_DATA, "score"),
                _conditions(
                    COMPUTED_DATA,
                    (Reason.UNWORN, "worn"),
                    (Reason.INVALID, "valid"),
                    _SIDEWAYS,
                    _FORE_AFT,
                    _AT_REST,
                    _QUIET,
                ),
                "vendor documentation, analysis_sample: worn and valid, the tilt of worn eyewear,"
                " and scores of -1 left out; data_es: at rest, and little noise",
            ),
            Recipe(
                "blinks",
                CURRENT_DATA,
                "blinks and eye movements, one by one",
                role(
                    CURRENT_DATA,
                    *("blink_event_speed", "blink_event_strength"),
                    *("eye_up", "eye_down", "eye_left", "eye_right"),
                ),
                _conditions(CURRENT_DATA, (Reason.UNWORN, "worn"), _AT_REST, _QUIET),
                "vendor documentation, data_es: worn, at rest, and no noise",
            ),
            Recipe(
                "gait",
                STANDARD_MODE_LOGS,
                "pace and the sway and impact of steps",
                (*role(STANDARD_MODE_LOGS, "steps"), *role(STANDARD_MODE_LOGS, *_SIDES)),
                _conditions(
                    STANDARD_MODE_LOGS,
                    (Reason.UNWORN, "worn"),
                    (Reason.STILL, "walked_for_pace"),
                    _SIDEWAYS,
                    (Reason.OFF_POSE, "tilt_fore_aft_for_pace"),
                ),
                "vendor documentation, analysis_sample: worn, steady walking, the tilt of worn"
                " eyewear, and an upright head",
            ),
        )
    }
)


class RecipeOptions(TypedDict, total=False):
    """The keywords of `_open`, which a function of a recipe passes on unchanged."""

    recipe: Required[str]
    limits: Limits | None
    log: str | None


def _open(
    frame: pd.DataFrame,
    purpose: str,
    *,
    recipe: str,
    limits: Limits | None = None,
    log: str | None = None,
    **unknown: Never,
) -> tuple[Recipe, list[str], Evidence]:
    """Return the recipe, its outcomes in the frame, and the evidence; raise if it lacks some."""
    refuse_unknown(unknown, purpose)
    if recipe not in RECIPES:
        raise ConfigurationError(
            f"unknown recipe {recipe!r}{near(recipe, RECIPES)}: use one of {', '.join(RECIPES)}"
        )
    chosen = RECIPES[recipe]
    which = log_of(frame, log)
    if which != chosen.log:
        raise ConfigurationError(
            f"the recipe {recipe!r} is for log {chosen.log!r}, and this frame is {which!r}"
        )
    require_single_intervals(frame, f"the recipe {recipe!r}")
    require(frame, [c.field for c in chosen.conditions], purpose=f"the recipe {recipe!r}")
    outcomes = [name for name in chosen.outcomes if name in frame.columns]
    if not outcomes:
        raise FieldError(
            f"the recipe {recipe!r} needs at least one of {', '.join(chosen.outcomes)}, and the"
            f" frame has none of them: add one to {argument('fields')}"
        )
    evidence = Evidence(Arrays.of(frame), which, chosen_limits(limits, frame))
    return chosen, outcomes, evidence


_ERRORS: Final = {
    "ConfigurationError": """\
ConfigurationError
    If the recipe does not exist or is for the other log, or if the frame is resampled.""",
    "FieldError": """\
FieldError
    If the frame lacks evidence that the recipe needs, or all of its outcomes.""",
}


def with_recipe(function: Function) -> Function:
    """Complete the signature and the docstring of a function with what recipes share."""
    return add_errors(shared_parameters(hands_on_to(_open)(function)), _ERRORS)


@with_recipe
def attrition(frame: pd.DataFrame, **options: Unpack[RecipeOptions]) -> pd.DataFrame:
    """Return how many records each condition of a recipe removes, in order.

    Parameters
    ----------
    frame : DataFrame
        A frame of the log that the recipe is for, not resampled.
    recipe : {"steps", "trend", "eye", "mind", "blinks", "gait"}
        The filters to follow. ``mind`` (scores) is for the 15-second log; ``steps``, ``trend``
        (head movements), ``eye`` (eye movements) and ``gait`` (pace, sway) are for the 60-second
        log; ``blinks`` (blinks and eye movements) is for the 20 Hz log.
    limits, log
        As in `eyelog.daily`.

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

    Notes
    -----
    The order is that of the vendor's filters, then the other reasons that `eyelog.mask` masks the
    outcomes for; a record is counted at the first condition that it fails. So what is left of an
    outcome is what the default mask leaves of it (less in ``gait``: only minutes with steady
    walking and an upright head). Layout: the flow chart of CONSORT (Schulz 2010).

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.attrition(el.sample(), recipe="mind")
    >>> shared = table[table["outcome"] == ""]
    >>> shared["reason"].tolist()[:6]
    ['', 'UNWORN', 'INVALID', 'OFF_POSE', 'OFF_POSE', 'MOVING']
    >>> masked = el.mask(el.sample(), el.flag(el.sample()))
    >>> left = table.set_index("outcome").loc["sc_fcs", "left"]
    >>> int(left) == int(masked["sc_fcs"].notna().sum())
    True
    """
    chosen, outcomes, evidence = _open(frame, "attrition", **options)
    one_source(frame, what="attrition")
    left = np.ones(len(frame), dtype=bool)
    rows: list[dict[str, Any]] = [_row("", "recorded", left, left, left)]
    for condition in chosen.conditions:
        values, rule = _evidence(evidence, condition), evidence.rules[condition.name]
        kept = left & _keeps(evidence, condition, values)
        text = condition.text(rule)
        rows.append(_row(condition.reason.name, text, left, kept, np.isnan(values)))
        left = kept
    reasons = flagged(frame[outcomes], chosen.log).to_numpy()
    against = np.uint16(0)
    scores = any(catalogue(chosen.log)[name].invalid_value is not None for name in outcomes)
    for reason, words in _OF_VALUES:
        if reason is Reason.SENTINEL and not scores:
            continue  # nothing stands for "no value" in these outcomes
        against |= np.uint16(reason)
        kept = left & ((reasons & against) == 0).any(axis=1)
        rows.append(_row(reason.name, words, left, kept, np.zeros_like(left)))
        left = kept
    if len(outcomes) > 1:
        for name, bits in zip(outcomes, reasons.T, strict=True):
            kept = left & ((bits & against) == 0)
            words = f"{catalogue(chosen.log)[name].label} alone"
            rows.append(_row("", words, left, kept, np.zeros_like(left)) | {"outcome": name})
    table = pd.DataFrame(rows)
    table["outcome"] = table["outcome"].astype("string")
    table["left_share"] = table["left"] / len(frame) if len(frame) else np.nan
    table.index.name = "step"
    return derived(
        table,
        frame,
        "attrition",
        log=chosen.log,
        recipe=chosen.name,
        source=chosen.source,
        outcomes=outcomes,
        limits=evidence.limits.details(),
        days=first_and_last_day(
            cast(pd.DatetimeIndex, frame.index), clock=clock_of(frame, log=chosen.log)
        ),
    )


@with_recipe
def select(frame: pd.DataFrame, **options: Unpack[RecipeOptions]) -> pd.DataFrame:
    """Return the frame with only the values that pass a recipe.

    Parameters
    ----------
    frame : DataFrame
        A frame of the log that the recipe is for, not resampled.
    recipe : {"steps", "trend", "eye", "mind", "blinks", "gait"}
        The filters to follow, see `eyelog.attrition`.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Same index, columns, dtypes and rows, and the column ``stored`` of `eyelog.mask`. The values
        of records that fail the recipe are missing, as are invalid marks (-1), values outside their
        limits and stale blink statistics. Wear, durations, battery, time and place stay: they are
        the evidence.

    Notes
    -----
    A recipe replaces the judgement of `eyelog.flag`: summaries do not judge the result again.

    Examples
    --------
    >>> import eyelog as el
    >>> focus = el.select(el.sample(), recipe="mind")["sc_fcs"]
    >>> bool(focus.min() >= 0), len(focus) == len(el.sample())
    (True, True)
    """
    chosen, _, evidence = _open(frame, "select", **options)
    failed = np.zeros(len(frame), dtype=np.uint16)
    for condition in chosen.conditions:
        values = _evidence(evidence, condition)
        fails = ~_keeps(evidence, condition, values)
        failed |= fails.astype(np.uint16) * np.uint16(condition.reason)
    own = np.uint16(Reason.MISSING | Reason.SENTINEL | Reason.RANGE | Reason.STALE)
    bits = flagged(frame, chosen.log).to_numpy() & own
    fields = catalogue(chosen.log)
    for i, name in enumerate(frame.columns):
        if applies(fields.get(str(name)), chosen.log):
            bits[:, i] |= failed
    judged = pd.DataFrame(bits, index=frame.index, columns=frame.columns, copy=False)
    result = mask(frame, judged)
    result[STORED] = pd.arrays.BooleanArray(
        evidence.off_pose & evidence.recorded, ~evidence.recorded
    )
    return derived(
        result,
        frame,
        "select",
        log=chosen.log,
        recipe=chosen.name,
        source=chosen.source,
        limits=evidence.limits.details(),
    )


def _evidence(evidence: Evidence, condition: Condition) -> Floats:
    """Return the values that a condition compares; blinks may be evidence of wear too."""
    unworn = condition.reason is Reason.UNWORN
    values = evidence.worn if unworn else evidence.field(condition.field)
    return np.full(len(evidence.frame), np.nan) if values is None else values


def _keeps(evidence: Evidence, condition: Condition, values: Floats) -> Bools:
    """Return which rows keep a condition; evidence may apply to neighbouring rows too."""
    kept = condition.keeps(values, evidence.rules[condition.name])
    if condition.name in log_named(evidence.log).spread:
        kept &= ~evidence.against[condition.reason]
    return kept


def _row(
    reason: str | None, text: str, before: Bools, after: Bools, unknown: Bools
) -> dict[str, Any]:
    removed = before & ~after
    return {
        "reason": reason,
        "condition": text,
        "removed": int(removed.sum()),
        "unknown": int((removed & unknown).sum()),
        "left": int(after.sum()),
        "outcome": "",
    }
