"""Tables for a page: rounded cells with labels and units to read, full numbers to download."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import pandas as pd

from eyelog.clock import with_text_stamps
from eyelog.measure.readable import readable
from eyelog.measure.sheet import NOTHING
from eyelog.reports import words

SHARE: Final = "0 to 1"
DIGITS = "%.9g"  # more precise than any measurement


@dataclass(frozen=True)
class PageTable:
    """One table: cells to read, and the same numbers in full as CSV.

    Attributes
    ----------
    caption : str
        What the table holds.
    headers : list of pairs of str
        The label of each column and its unit, or an empty text; the first is that of the row
        headers.
    rows : list of list of str
        The cells, of which the first heads its row.
    numeric : list of bool
        Which columns hold numbers and are right-aligned.
    file : str
        The name under which the CSV is saved.
    csv : str
        The table with the names of the library and nine significant digits.
    """

    caption: str
    headers: list[tuple[str, str]]
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
        """Return a table of cells that are already text; those like numbers are right-aligned."""
        numeric = [
            bool(rows) and all(_is_numeric(row[i]) for row in rows) for i in range(len(headers))
        ]
        named = [(label, "") for label in headers]
        return cls(caption, named, rows, [False, *numeric[1:]], f"{file}.csv", _csv(whole))

    @property
    def link(self) -> str:
        """The CSV as a data URL, so that no server is needed."""
        return "data:text/csv;charset=utf-8;base64," + base64.b64encode(self.csv.encode()).decode()


def page_table(
    table: pd.DataFrame,
    caption: str,
    file: str,
    *,
    names: Sequence[str] | None = None,
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
        The columns to show if the table has a value in them; the CSV contains all.
    whole : DataFrame, optional
        The table for the CSV, if it holds more than what is shown.
    """
    filled = None
    if names is not None:
        filled = [name for name in names if name in table and table[name].notna().any()]
    read = readable(table, columns=filled)
    # A share is a percentage wherever people read it, in sentences as in tables.
    shares = [heading.unit == SHARE for heading in read.headings]
    shown = [
        [words.percent(float(value)) for value in table[heading.name]] if share else []
        for heading, share in zip(read.headings, shares, strict=True)
    ]
    return PageTable(
        caption,
        [
            (heading.label, "" if share else heading.unit)
            for heading, share in zip(read.headings, shares, strict=True)
        ],
        [
            [shown[i][at] if shares[i] else cell for i, cell in enumerate(row)]
            for at, row in enumerate(read.rows)
        ],
        [i > 0 and not heading.is_text for i, heading in enumerate(read.headings)],
        f"{file}.csv",
        _csv(table if whole is None else whole),
    )


def _is_numeric(cell: str) -> bool:
    return cell == NOTHING or re.match(r"(under |over |<|-)?\d[\d.,:]*( |$)", cell) is not None


def _csv(table: pd.DataFrame) -> str:
    """Return the text of the whole table, stamps in their own offset."""
    out = with_text_stamps(table.reset_index())
    return out.to_csv(index=False, lineterminator="\n", float_format=DIGITS)
