"""Tables for a page: rounded cells with labels and units to read, whole numbers to download."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from eyelog.analysis.columns import Column, column
from eyelog.reports import words

__all__ = ["PageTable", "page_table"]

SHARE = "0 to 1"


@dataclass(frozen=True)
class PageTable:
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

    @classmethod
    def of(
        cls,
        caption: str,
        headers: list[str],
        rows: list[list[str]],
        file: str,
        whole: pd.DataFrame,
    ) -> Self:
        """Return a table of cells that are text already; what looks like numbers stands right."""
        numeric = [
            bool(rows) and all(_is_numeric(row[i]) for row in rows) for i in range(len(headers))
        ]
        return cls(caption, headers, rows, [False, *numeric[1:]], f"{file}.csv", _csv(whole))

    @property
    def link(self) -> str:
        """The CSV as an address that holds it, so that nothing is asked of a server."""
        return "data:text/csv;charset=utf-8;base64," + base64.b64encode(self.csv.encode()).decode()


def page_table(
    table: pd.DataFrame,
    caption: str,
    file: str,
    *,
    names: Sequence[str] | None = None,
    step: str = "",
    log: str | None = None,
    period: str = "day",
    whole: pd.DataFrame | None = None,
) -> PageTable:
    """Return a table of the analysis for the page.

    Parameters
    ----------
    table : DataFrame
        Its index heads the rows.
    caption, file : str
        What it holds, and the name of the CSV without its ending.
    names : sequence of str, optional
        The columns to show, where the table has them; the CSV holds all.
    step, log, period
        As in the table of columns: which table it is, whose fields, what one row covers.
    whole : DataFrame, optional
        What the CSV holds, where that is more than what is shown.
    """
    shown = table if names is None else table[[name for name in names if name in table.columns]]
    about = [column(str(name), table=step, log=log, period=period) for name in shown.columns]
    columns = [[_cell(value, one) for value in shown[one.name]] for one in about]
    heads = [_row_head(label, str(shown.index.name)) for label in shown.index]
    index = column(str(shown.index.name or "")).label
    return PageTable.of(
        caption,
        [index[:1].upper() + index[1:] or "Row", *map(_header, about)],
        [list(row) for row in zip(heads, *columns, strict=True)],
        file,
        table if whole is None else whole,
    )


def _is_numeric(cell: str) -> bool:
    return not cell.strip("0123456789.,+% " + words.MINUS + words.MISSING)


def _header(one: Column) -> str:
    return one.label if one.unit in ("", SHARE) else f"{one.label} ({one.unit})"


def _cell(value: Any, one: Column) -> str:
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return words.MISSING
    if isinstance(value, pd.Timestamp):
        return f"{value:%H:%M}" if one.name in ("first_worn", "last_worn") else words.moment(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if one.unit == SHARE:
        return words.percent(float(value))
    return words.number(float(value), one.digits)


def _row_head(label: Any, name: str) -> str:
    if isinstance(label, pd.Timestamp):
        return words.day(label, year=True) if name in ("day", "week") else words.moment(label)
    if name == "hour":
        return f"{int(label):02d}:00"
    return str(label).replace("-", words.MINUS) if name == "zone" else str(label)


def _csv(table: pd.DataFrame) -> str:
    """Return the text of the whole table, stamps in their own offset."""
    out = table.reset_index()
    for name in out.columns:
        if isinstance(out[name].dtype, pd.DatetimeTZDtype):
            out[name] = [None if pd.isna(stamp) else stamp.isoformat() for stamp in out[name]]
        elif pd.api.types.is_timedelta64_dtype(out[name].dtype):
            out[name] = out[name].dt.total_seconds()
    return out.to_csv(index=False, lineterminator="\n")
