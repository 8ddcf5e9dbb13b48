"""What a table or column is about: its words, its unit, the meaning whose colour it has."""

import re
from typing import Any, Final, NamedTuple

import pandas as pd

from eyelog.figures.labels import field_or_none, label_of
from eyelog.figures.tables import stated_seconds
from eyelog.frame import history, stated_log
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of

STEPS: Final = "steps"
DERIVED: Final = ("rhythm.profile", "baseline.personal")  # of a column of what came before
AMOUNT: Final = r"((h|steps) )?per (day|week|h|h worn|min)|min|h|s|ms|0 to 1|%|uV-equiv|score"
LARGEST_SCORE: Final = 100.0
MEANINGS: Final = {"gait": "walking", "head": "head", "scores": "score"}


class Subject(NamedTuple):
    """What values are of."""

    label: str
    """With its unit."""
    unit: str
    meaning: str
    """That whose colour the values have in every figure."""
    is_amount: bool
    """Whether there are no values below 0."""


def subject(made: pd.DataFrame | pd.Series, name: str | None = None) -> Subject:
    """Return what a field or column of a table is, as the history of the table means its name.

    By default it is a Series itself, or the column that a table was made from:
    `eyelog.rhythm.profile` and `eyelog.baseline.personal` give its name to the columns of theirs.
    """
    if name is None:
        name = str((made.name if isinstance(made, pd.Series) else made.columns.name) or "")
    if not name:
        return Subject("Value", "", "usable", is_amount=False)
    log = stated_log(made)
    # The last step before those that name their columns by what came before.
    steps = [str(step["step"]) for step in history(made)]
    step = next((step for step in reversed(steps) if step not in DERIVED), "")
    field = field_or_none(name, log)
    if field is None and (name, step) != (STEPS, "resample"):
        period = "week" if step == "weekly" else "day"
        column = column_of(name, table=step, log=log, period=period)
        return Subject(column.text, column.unit, meaning_of(column), is_amount(column.unit))
    label = label_of(log, name, seconds=stated_seconds(made))
    # The label of a count has its unit without brackets: "Steps per h".
    unit = label.removeprefix(field.label if field and field.label else name).strip(" ()")
    least = field.min if field else 0
    positive = least is not None and float(least) >= 0
    return Subject(label, unit, meaning_of_field(name, log) or "usable", is_amount=positive)


def last_step(table: pd.DataFrame | pd.Series) -> dict[str, Any]:
    """Return the step that made a table, as stated by its provenance; empty if not stated."""
    steps = history(table)
    return dict(steps[-1]) if steps else {}


def span_of(table: pd.DataFrame) -> pd.DatetimeIndex | None:
    """Return the first and the last day that a table is based on, if its provenance states them."""
    span = last_step(table).get("days")
    return pd.DatetimeIndex(span) if span else None


def is_amount(unit: str) -> bool:
    """Return whether a quantity of this unit has no values below 0."""
    return bool(re.fullmatch(AMOUNT, unit))


def possible(values: pd.Series, unit: str) -> pd.Series:
    """Return values without those that a quantity of this unit cannot take, as ends of ranges."""
    least = 0.0 if is_amount(unit) else None
    return values.clip(least, LARGEST_SCORE if unit == "score" else None)


def meaning_of(column: Column) -> str:
    """Return the meaning whose colour the values of a column have in every figure."""
    return MEANINGS.get(column.group, "usable")


def meaning_of_field(name: str, log: str | None) -> str | None:
    """Return the meaning whose colour a field has; None for a field without one."""
    if name == STEPS:
        return "walking"
    field = field_or_none(name, log)
    if field is None:
        return None
    if field.kind == "gait" or {"walking", "walking_s", "pace"} & {*field.role}:
        return "walking"
    if "score" in field.role:
        return "score"
    return {"static": "usable", "motion": "head"}.get(field.kind)


def shades(meaning: str) -> tuple[str, str]:
    """Return the meanings of a line or point of a quantity, and of the area behind it.

    On white the colour of walking alone is too light for a line.
    """
    if meaning == "walking":
        return "walking edge", "walking"
    return meaning, {"usable": "interval", "head": "head interval"}.get(meaning, meaning)
