"""The subject of a table made from one column, which names the columns of the table."""

import re
from typing import Any, Final

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


def last_step(table: pd.DataFrame | pd.Series) -> dict[str, Any]:
    """Return the step that made a table, as stated by its provenance; empty if not stated."""
    steps = history(table)
    return dict(steps[-1]) if steps else {}


def step_label(table: pd.DataFrame) -> str:
    """Return the label of the column that a table was made from, with its unit.

    `eyelog.rhythm.profile` and `eyelog.baseline.personal` give its name to the columns of their
    tables (``table.columns.name``).
    """
    name = table.columns.name
    return _label(table, name) if name else "Value"


def step_unit(table: pd.DataFrame) -> str:
    """Return the unit of the same column as it appears in its label; empty if it has none."""
    name = table.columns.name
    return _unit(table, name) if name else ""


def series_label(series: pd.Series) -> str:
    """Return the label of a Series, with its unit."""
    return _label(series, series.name) if series.name else "Value"


def series_unit(series: pd.Series) -> str:
    """Return the unit of a Series as it appears in its label; empty if it has none."""
    return _unit(series, series.name) if series.name else ""


def name_label(name: str, log: str | None, row_s: float | None = None) -> str:
    """Return the label of a field of a log or of a column of a summary, with its unit."""
    if field_or_none(name, log) is not None:
        return label_of(log, name, seconds=row_s)
    return column_of(name, log=log).text


def cannot_be_negative(table: pd.DataFrame) -> bool:
    """Return whether the column that a table was made from has no values below 0."""
    name, log = str(table.columns.name or ""), stated_log(table)
    field = field_or_none(name, log)
    if field is not None:
        return field.min is not None and float(field.min) >= 0
    return is_amount(column_of(name, log=log).unit)


def is_amount(unit: str) -> bool:
    """Return whether a quantity of this unit has no values below 0."""
    return bool(re.fullmatch(AMOUNT, unit))


def possible(values: pd.Series, unit: str) -> pd.Series:
    """Return values without those that a quantity of this unit cannot take, as ends of ranges."""
    least = 0.0 if is_amount(unit) else None
    return values.clip(least, LARGEST_SCORE if unit == "score" else None)


def _label(made: pd.DataFrame | pd.Series, name: Any) -> str:
    log = stated_log(made)
    if name == STEPS and _step(made) == "resample":
        return label_of(log, STEPS, seconds=stated_seconds(made))
    if field_or_none(str(name), log) is not None:
        return label_of(log, str(name), seconds=stated_seconds(made))
    return _column(made, str(name)).text


def _unit(made: pd.DataFrame | pd.Series, name: Any) -> str:
    field = field_or_none(str(name), stated_log(made))
    if field is None:
        return _column(made, str(name)).unit
    # The label of a count has its unit without brackets: "Steps per h".
    return _label(made, name).removeprefix(field.label or str(name)).strip(" ()")


def _step(made: pd.DataFrame | pd.Series) -> str:
    """Return the last step before those that name their columns by what came before."""
    steps = [str(step["step"]) for step in history(made)]
    return next((step for step in reversed(steps) if step not in DERIVED), "")


def _column(made: pd.DataFrame | pd.Series, name: str) -> Column:
    """Return a column as defined for the table whose step made it, with rows of its length."""
    step = _step(made)
    period = {"weekly": "week", "daily": "day"}.get(step, "day")
    return column_of(name, table=step, log=stated_log(made), period=period)


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


def series_meaning(series: pd.Series) -> str:
    """Return the meaning whose colour the values of a Series have in every figure."""
    return meaning_in(series, str(series.name or ""))


def meaning_in(made: pd.DataFrame | pd.Series, name: str) -> str:
    """Return the meaning whose colour a field or column has, as the table means its name."""
    log = stated_log(made)
    if field_or_none(name, log) is not None or name == STEPS:
        return meaning_of_field(name, log) or "usable"
    return meaning_of(_column(made, name)) if name else "usable"


def step_meaning(table: pd.DataFrame) -> str:
    """Return the meaning whose colour the column has that a table was made from."""
    return meaning_in(table, str(table.columns.name or ""))


def shades(meaning: str) -> tuple[str, str]:
    """Return the meanings of a line or point of a quantity, and of the area behind it.

    On white the colour of walking alone is too light for a line.
    """
    if meaning == "walking":
        return "walking edge", "walking"
    return meaning, {"usable": "interval", "head": "head interval"}.get(meaning, meaning)


def span_of(table: pd.DataFrame) -> pd.DatetimeIndex | None:
    """Return the first and the last day that a table is based on, if its provenance states them."""
    span = last_step(table).get("days")
    return pd.DatetimeIndex(span) if span else None
