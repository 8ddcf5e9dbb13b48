"""The subject of a table made from one column, which names the columns of the table."""

from typing import Any, Final

import pandas as pd

from eyelog.analysis.columns import Column
from eyelog.analysis.columns import column as column_of
from eyelog.figures.labels import field_or_none, label_of
from eyelog.figures.tables import stated_seconds
from eyelog.provenance import history, stated_log

__all__ = ["last_step", "meaning_of", "name_label", "series_label", "span_of", "step_label"]

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
    if name is None or name == "":
        return "Value"
    return name_label(str(name), stated_log(table), stated_seconds(table))


def series_label(series: pd.Series) -> str:
    """Return the label of a Series, with its unit."""
    if not series.name:
        return "Value"
    return name_label(str(series.name), stated_log(series), stated_seconds(series))


def name_label(name: str, log: str | None, row_s: float | None = None) -> str:
    """Return the label of a field of a log or of a column of a summary, with its unit."""
    if field_or_none(name, log) is not None:
        return label_of(log, name, seconds=row_s)
    return column_of(name, log=log).text


def meaning_of(column: Column) -> str:
    """Return the meaning whose colour the values of a column have in every figure."""
    return MEANINGS.get(column.group, "usable")


def span_of(table: pd.DataFrame) -> pd.DatetimeIndex | None:
    """Return the first and the last day that a table is based on, if its provenance states them."""
    span = last_step(table).get("days")
    return pd.DatetimeIndex(span) if span else None
