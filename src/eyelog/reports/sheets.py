"""Tables for a page: rounded cells with labels and units to read, whole numbers to download."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from eyelog.analysis.columns import Column, column
from eyelog.reports import words

__all__ = ["Sheet", "csv_of", "sheet"]

SHARE = "0 to 1"


@dataclass(frozen=True)
class Sheet:
    """One table: what is read, and the same numbers in full as CSV.

    Attributes
    ----------
    caption : str
        What the table holds.
    headers : list of str
        One per column; the first is that of the row headers.
    rows : list of list of str
        The cells, of which the first heads its row.
    numeric : list of bool
        Which columns hold numbers, and stand to the right.
    file : str
        The name under which the CSV is saved.
    csv : str
        The table with the names of the library and all decimals.
    """

    caption: str
    headers: list[str]
    rows: list[list[str]]
    numeric: list[bool]
    file: str
    csv: str

    @property
    def link(self) -> str:
        """The CSV as an address that holds it, so that a file needs no server."""
        return csv_link(self.csv)


def sheet(
    table: pd.DataFrame,
    caption: str,
    file: str,
    *,
    names: Sequence[str] | None = None,
    step: str = "",
    log: str | None = None,
    period: str = "day",
    whole: pd.DataFrame | None = None,
) -> Sheet:
    """Return a table for the page.

    Parameters
    ----------
    table : DataFrame
        Its index heads the rows.
    caption, file : str
        What it holds, and the name of the CSV without its ending.
    names : sequence of str, optional
        The columns to show; the CSV holds all of them.
    step, log, period
        As in the table of columns: which table it is, whose fields, what one row covers.
    whole : DataFrame, optional
        What the CSV holds, where that is more than what is shown.
    """
    shown = table if names is None else table[[name for name in names if name in table.columns]]
    about = [column(str(name), table=step, log=log, period=period) for name in shown.columns]
    heads = [_index_cell(label) for label in shown.index]
    cells = [
        [_cell(value, one) for value in shown.iloc[:, i]] for i, one in enumerate(about)
    ]
    kinds = [pd.api.types.is_numeric_dtype(dtype) for dtype in shown.dtypes]
    index_name = str(shown.index.name or "")
    return Sheet(
        caption=caption,
        headers=[column(index_name).label.capitalize() or "Row", *(map(_header, about))],
        rows=[[head, *row] for head, row in zip(heads, zip(*cells, strict=True), strict=True)]
        if cells
        else [[head] for head in heads],
        numeric=[False, *kinds],
        file=f"{file}.csv",
        csv=csv_of(table if whole is None else whole),
    )


def csv_link(text: str) -> str:
    """Return an address that holds a CSV text."""
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()


def _header(one: Column) -> str:
    return one.label if one.unit in ("", SHARE) else f"{one.label} ({one.unit})"


def _cell(value: Any, one: Column) -> str:
    if isinstance(value, pd.Timestamp):
        return f"{value:%H:%M}" if one.name in ("first_worn", "last_worn") else _moment(value)
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return words.MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if one.unit == SHARE:
        return words.percent(float(value))
    return words.number(float(value), one.digits)


def _moment(value: pd.Timestamp) -> str:
    return f"{words.day(value, year=True)} {value:%H:%M}"


def _index_cell(label: Any) -> str:
    if isinstance(label, pd.Timestamp):
        return words.day(label, year=True)
    if isinstance(label, tuple):
        return ", ".join(map(_index_cell, label))
    return str(label)


def csv_of(table: pd.DataFrame) -> str:
    """Return the text of the whole table, stamps in their own offset."""
    out = table.reset_index()
    for name in out.columns:
        if isinstance(out[name].dtype, pd.DatetimeTZDtype):
            out[name] = [None if pd.isna(stamp) else stamp.isoformat() for stamp in out[name]]
        elif pd.api.types.is_timedelta64_dtype(out[name].dtype):
            out[name] = out[name].dt.total_seconds()
    return out.to_csv(index=False, lineterminator="\n")
