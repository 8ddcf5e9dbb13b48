"""Recipes: the vendor's documented filters for one kind of question, and what they leave.

A recipe is a list of conditions on a record. A record that fails one, or whose evidence for it is
missing, is not used. `attrition` counts that step by step, as the flow chart of CONSORT does;
`select` returns the frame with only the values that the recipe lets through.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.quality.evidence import evidence
from eyelog.analysis.quality.flags import flag, mask
from eyelog.analysis.quality.reasons import Reason, applies
from eyelog.analysis.series.arrays import Bools
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, catalogue, near
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import is_resampled, log_of, require
from eyelog.provenance import record

__all__ = ["RECIPES", "Condition", "Recipe", "attrition", "select"]


# What can be wrong with a single value, whatever the rest of its record says, in the order of
# the attrition table.
_OF_VALUES: Final = (Reason.MISSING, Reason.SENTINEL, Reason.RANGE)


@dataclass(frozen=True, slots=True)
class Condition:
    """A limit that a record must keep: ``low <= field <= high``, or ``< high`` where strict."""

    reason: Reason
    field: str
    text: str
    low: float = -np.inf
    high: float = np.inf
    strict: bool = False

    def holds(self, values: npt.NDArray[np.float64]) -> Bools:
        """Return where the limit is kept; a missing value keeps none."""
        below = values < self.high if self.strict else values <= self.high
        kept: Bools = (values >= self.low) & below
        return kept


@dataclass(frozen=True, slots=True)
class Recipe:
    """The conditions for one kind of question, the log they are for, and where they come from."""

    name: str
    log: str
    purpose: str
    outcomes: tuple[str, ...]
    conditions: tuple[Condition, ...]
    source: str


def _worn(least: float) -> Condition:
    return Condition(Reason.UNWORN, "wea_s", f"worn at least {least:g} s", low=least)


_SIDEWAYS = Condition(Reason.OFF_POSE, "tl_xav", "sideways tilt -45..45 deg", low=-45, high=45)
_FORE_AFT = Condition(Reason.OFF_POSE, "tl_yav", "fore-aft tilt -45..90 deg", low=-45, high=90)
_UPRIGHT = Condition(
    Reason.OFF_POSE, "tl_yav", "fore-aft tilt -45 to below 45 deg", low=-45, high=45, strict=True
)
_STEPS = ("stp_fst", "stp_mid", "stp_slw", "stp_vsl")
_EYES = ("ems_rl", "ems_ud", "eml_rl", "eml_ud")
_SWAY = ("sa_xr", "sa_xl", "sa_yr", "sa_yl", "sa_zr", "sa_zl", "st_r", "st_l")
_SCORES = (
    *("zone", "focus", "calm", "posture"),
    *("sc_npt", "sc_bts", "sc_lbs", "sc_slp", "sc_fcs", "sc_tsn", "sc_clm", "sc_slp_std"),
)

RECIPES: Final[Mapping[str, Recipe]] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe(
                "steps",
                STANDARD_MODE_LOGS,
                "step counts",
                _STEPS,
                (_worn(30), _SIDEWAYS, _FORE_AFT),
                "vendor documentation, analysis_sample: wea_s >= 30 and the tilt of worn eyewear"
                " (eyewear in a bag counts the steps of its bearer)",
            ),
            Recipe(
                "trend",
                STANDARD_MODE_LOGS,
                "head movements over weeks",
                ("hm_po", "hm_yo"),
                (_worn(20), _SIDEWAYS, _FORE_AFT),
                "vendor documentation, summarize_data, and its published code: wea_s >= 20 and"
                " the tilt of worn eyewear (limits included)",
            ),
            Recipe(
                "eye",
                STANDARD_MODE_LOGS,
                "eye movements over weeks",
                _EYES,
                (
                    _worn(20),
                    _SIDEWAYS,
                    _FORE_AFT,
                    Condition(Reason.NOISY, "nis_s", "noise at most 10 s", high=10),
                ),
                "vendor documentation, summarize_data, and its published code: as for trends,"
                " and nis_s <= 10",
            ),
            Recipe(
                "mind",
                COMPUTED_DATA,
                "scores of focus, tension, calm and drowsiness",
                _SCORES,
                (
                    Condition(Reason.UNWORN, "isl", "isl false", high=0),
                    Condition(Reason.INVALID, "vld", "vld true", low=1),
                    _SIDEWAYS,
                    _FORE_AFT,
                ),
                "vendor documentation, analysis_sample: isl false, vld true, the tilt of worn"
                " eyewear, and scores of -1 left out",
            ),
            Recipe(
                "gait",
                STANDARD_MODE_LOGS,
                "pace and the sway and impact of steps",
                (*_STEPS, *_SWAY),
                (
                    Condition(Reason.STILL, "stp_s", "walking at least 50 s", low=50),
                    _SIDEWAYS,
                    _UPRIGHT,
                ),
                "vendor documentation, analysis_sample: stp_s >= 50, the tilt of worn eyewear,"
                " and tl_yav < 45",
            ),
        )
    }
)


def attrition(frame: pd.DataFrame, *, recipe: str, log: str | None = None) -> pd.DataFrame:
    """Return how many records each condition of a recipe takes out, in order.

    Parameters
    ----------
    frame : DataFrame
        A frame of the log that the recipe is for, not resampled.
    recipe : {"steps", "trend", "eye", "mind", "gait"}
        The filters to follow; the table lists them. ``mind`` is for the 15-second log, the others
        are for the 60-second log.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.

    Returns
    -------
    DataFrame
        Index ``step``, 0 for the records of the frame. Columns ``reason`` (name of the `Reason`),
        ``condition`` (in words), int64 ``removed`` (records that this condition takes out of
        those left), ``unknown`` (of the removed, those whose evidence is missing), ``left``, and
        float64 ``left_share`` (of all records; missing where there are none). The last steps ask
        for an outcome of the recipe that is a value (MISSING), no invalid mark (SENTINEL) and
        inside its limits (RANGE); a record stays as long as one of the outcomes in the frame is.

    Raises
    ------
    ConfigurationError
        If there is no such recipe, it is for the other log, or the frame is resampled.
    FieldError
        If the frame lacks the evidence, or all outcomes, of the recipe.

    Notes
    -----
    The order is that of the vendor's filters; what a record fails first is what it is counted
    for. Layout: the flow chart of CONSORT (Schulz 2010).

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.attrition(el.sample(), recipe="mind")
    >>> table["reason"].tolist()
    ['', 'UNWORN', 'INVALID', 'OFF_POSE', 'OFF_POSE', 'MISSING', 'SENTINEL', 'RANGE']
    >>> int(table["left"].iloc[0] - table["removed"].sum() - table["left"].iloc[-1])
    0
    """
    chosen, outcomes = _open(frame, recipe, log)
    left = np.ones(len(frame), dtype=bool)
    rows: list[dict[str, Any]] = [_row("", "recorded", left, left, left)]
    for condition in chosen.conditions:
        values = _evidence(frame, condition, chosen.log)
        kept = left & condition.holds(values)
        rows.append(_row(condition.reason.name, condition.text, left, kept, np.isnan(values)))
        left = kept
    reasons = flag(frame[outcomes], log=chosen.log).to_numpy()
    against = np.uint16(0)
    words = {
        Reason.MISSING: "a value",
        Reason.SENTINEL: "not marked invalid",
        Reason.RANGE: "inside its limits",
    }
    for reason in _OF_VALUES:
        against |= np.uint16(reason)
        kept = left & ((reasons & against) == 0).any(axis=1)
        rows.append(_row(reason.name, words[reason], left, kept, np.zeros_like(left)))
        left = kept
    table = pd.DataFrame(rows)
    table["left_share"] = table["left"] / len(frame) if len(frame) else np.nan
    table.index.name = "step"
    table.attrs = dict(frame.attrs)
    return record(
        table, "attrition", log=chosen.log, recipe=recipe, source=chosen.source, outcomes=outcomes
    )


def select(frame: pd.DataFrame, *, recipe: str, log: str | None = None) -> pd.DataFrame:
    """Return the frame with only the values that a recipe lets through.

    Parameters
    ----------
    frame : DataFrame
        A frame of the log that the recipe is for, not resampled.
    recipe : {"steps", "trend", "eye", "mind", "gait"}
        The filters to follow, see `eyelog.attrition`.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.

    Returns
    -------
    DataFrame
        Same index, columns, dtypes and rows. The values of records that the recipe leaves out are
        missing, and so are invalid marks (-1), values outside their limits and stale blink
        statistics. Wear, durations, battery, time and place stay: they are the evidence.

    Raises
    ------
    ConfigurationError
        If there is no such recipe, it is for the other log, or the frame is resampled.
    FieldError
        If the frame lacks the evidence, or all outcomes, of the recipe.

    Notes
    -----
    A recipe replaces the default limits of `eyelog.flag`: summarise what it returns with
    ``judge=False``.

    Examples
    --------
    >>> import eyelog as el
    >>> focus = el.select(el.sample(), recipe="mind")["sc_fcs"]
    >>> bool(focus.min() >= 0), len(focus) == len(el.sample())
    (True, True)
    """
    chosen, _ = _open(frame, recipe, log)
    failed = np.zeros(len(frame), dtype=np.uint16)
    for condition in chosen.conditions:
        fails = ~condition.holds(_evidence(frame, condition, chosen.log))
        failed |= fails.astype(np.uint16) * np.uint16(condition.reason)
    own = np.uint16(Reason.MISSING | Reason.SENTINEL | Reason.RANGE | Reason.STALE)
    bits = flag(frame, log=chosen.log).to_numpy() & own
    known = catalogue(chosen.log)
    for i, name in enumerate(frame.columns):
        if applies(known.get(str(name)), chosen.log):
            bits[:, i] |= failed
    judged = pd.DataFrame(bits, index=frame.index, columns=frame.columns, copy=False)
    result = mask(frame, judged)
    result.attrs = dict(frame.attrs)
    return record(result, "select", log=chosen.log, recipe=recipe, source=chosen.source)


def _open(frame: pd.DataFrame, recipe: str, log: str | None) -> tuple[Recipe, list[str]]:
    """Return the recipe and its outcomes in the frame, or say why it cannot be followed."""
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
    if is_resampled(frame):
        raise ConfigurationError(
            f"the recipe {recipe!r} judges single intervals and this frame is resampled:"
            " follow it before resample"
        )
    require(frame, [c.field for c in chosen.conditions], purpose=f"the recipe {recipe!r}")
    outcomes = [name for name in chosen.outcomes if name in frame.columns]
    if not outcomes:
        raise FieldError(
            f"the recipe {recipe!r} needs one of the field(s) {', '.join(chosen.outcomes)}:"
            " ask for one too"
        )
    return chosen, outcomes


def _evidence(frame: pd.DataFrame, condition: Condition, log: str) -> npt.NDArray[np.float64]:
    values = evidence(frame, condition.field, log)
    return np.full(len(frame), np.nan) if values is None else values


def _row(reason: str | None, text: str, before: Bools, after: Bools, no: Bools) -> dict[str, Any]:
    removed = before & ~after
    return {
        "reason": reason,
        "condition": text,
        "removed": int(removed.sum()),
        "unknown": int((removed & no).sum()),
        "left": int(after.sum()),
    }
