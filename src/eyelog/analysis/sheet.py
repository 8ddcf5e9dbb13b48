"""A table for reading: cells of text under headings, for a terminal and for a web page."""

import html
import math
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["NOTHING", "Heading", "Sheet", "decimals", "number_text", "p_text"]

NOTHING: Final = "\N{EN DASH}"
"""The sign for a missing value."""

SIGNIFICANT: Final = 3  # digits of a number whose unit is unknown
MOST_DECIMALS: Final = 6
NARROWEST_TEXT: Final = 16  # characters that a column of text keeps
_STYLE: Final = """<style>
.eyelog-table {border-collapse: collapse; font-variant-numeric: tabular-nums; line-height: 1.35}
.eyelog-table caption {caption-side: top; text-align: left; font-weight: 600; padding: .2em 0}
.eyelog-table th, .eyelog-table td {padding: .2em .6em; text-align: right; vertical-align: bottom;
 border: 0; white-space: nowrap}
.eyelog-table td.text {text-align: left; white-space: normal; max-width: 40em}
.eyelog-table thead th {white-space: normal}
.eyelog-table th.text, .eyelog-table tbody th {text-align: left}
.eyelog-table tbody th {font-weight: 400}
.eyelog-table thead tr {border-bottom: 1px solid currentColor}
.eyelog-table .unit {display: block; font-weight: 400; opacity: .75}
.eyelog-table tbody td, .eyelog-table tbody th {vertical-align: top}
.eyelog-note {opacity: .75; margin: .3em 0 0}
</style>"""


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of one column.

    Attributes
    ----------
    label, short : str
        Its text, and a shorter one for narrow places.
    unit, brief : str
        The unit in full and in short; empty without one.
    name : str
        The name of the column in the table that is shown.
    is_text : bool
        Whether its cells are left-aligned, as words are; numbers are right-aligned.
    group : str
        Columns of one group stay together if not all fit side by side.
    is_extra : bool
        Whether the column is left out of text if not all fit side by side.
    """

    label: str
    short: str = ""
    unit: str = ""
    brief: str = ""
    name: str = ""
    is_text: bool = False
    group: str = ""
    is_extra: bool = False

    @property
    def full(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table for reading; it prints as text, and shows as a table in a notebook.

    Attributes
    ----------
    headings : sequence of Heading
        One per column; the first column names the rows.
    rows : sequence of sequence of str
        The cells.
    title : str
        The line above.
    notes : sequence of str
        The lines below.
    left_out : int
        How many columns of the table are not shown.
    """

    headings: Sequence[Heading]
    rows: Sequence[Sequence[str]]
    title: str = ""
    notes: Sequence[str] = ()
    left_out: int = 0

    @property
    def table(self) -> pd.DataFrame:
        """The same cells as a DataFrame of text, under labels with units."""
        first, *others = (heading.full for heading in self.headings)
        index = pd.Index([row[0] for row in self.rows], name=first, dtype="str")
        cells = [list(row[1:]) for row in self.rows]
        return pd.DataFrame(cells, index=index, columns=others, dtype="str")

    def text(self, width: int | None = None, *, more: str = 'columns="all"') -> str:
        """Return the table as lines of at most `width` characters (default: the terminal's).

        Columns that do not fit side by side follow below, group by group. `more` is what to type
        to see the columns that are left out.
        """
        width = shutil.get_terminal_size((80, 24)).columns if width is None else width
        blocks = [_lines(self.headings, self.rows, part, width) for part in self._parts(width)]
        body = "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks)
        below = [textwrap.fill(note, max(width, NARROWEST_TEXT)) for note in self._below(more)]
        return "\n".join(part for part in (self.title, body, *below) if part)

    def html(self, *, rows: int | None = None) -> str:
        """Return the table as HTML; with more than `rows` rows, only the first and the last."""
        heads = "".join(_head_cell(heading, i == 0) for i, heading in enumerate(self.headings))
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        body = "".join(f"<tr>{self._body_cells(row)}</tr>\n" for row in self._shortened(rows))
        notes = "".join(
            f'<p class="eyelog-note">{html.escape(note)}</p>'
            for note in self._below('columns="all"')
        )
        return (
            f'{_STYLE}\n<table class="eyelog-table">{caption}\n<thead><tr>{heads}</tr></thead>\n'
            f"<tbody>\n{body}</tbody></table>{notes}"
        )

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return replace(self, rows=self._shortened(_most_rows())).text()

    def _repr_html_(self) -> str:
        return self.html(rows=_most_rows())

    def _below(self, more: str) -> list[str]:
        """Return the notes, with the one about columns that are left out."""
        if not self.left_out:
            return list(self.notes)
        columns = "column" if self.left_out == 1 else "columns"
        hint = f": {more} shows {'it' if self.left_out == 1 else 'them'}" if more else ""
        return [*self.notes, f"{self.left_out} more {columns}{hint}."]

    def _shortened(self, most: int | None) -> Sequence[Sequence[str]]:
        """Return the rows, or the first and the last of them if there are more than `most`."""
        if most is None or len(self.rows) <= most:
            return self.rows
        between = ["…"] * len(self.headings)
        return [*self.rows[: most // 2], between, *self.rows[len(self.rows) - most // 2 :]]

    def _body_cells(self, row: Sequence[str]) -> str:
        first, *others = (html.escape(cell) for cell in row)
        kinds = [' class="text"' if h.is_text else "" for h in self.headings[1:]]
        cells = (f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, others, strict=True))
        return f'<th scope="row">{first}</th>{"".join(cells)}'

    def _parts(self, width: int) -> list[list[int]]:
        """Return the columns to show side by side: all, or group by group, as many as fit."""
        columns = list(range(1, len(self.headings)))
        least = [_least(heading, self.rows, i) for i, heading in enumerate(self.headings)]
        if least[0] + sum(least[i] + 1 for i in columns) <= width:
            return [columns]
        columns = [i for i in columns if not self.headings[i].is_extra]
        # One column of words at the end, such as events, does not break up a table that fits
        # without it.
        numbers, words = columns[:-1], columns[-1:]
        fits = least[0] + sum(least[i] + 1 for i in numbers) <= width
        if words and self.headings[words[0]].is_text and numbers and fits:
            return [numbers, words]
        parts: list[list[int]] = []
        left, group = 0, None
        whole = least[0] + sum(least[i] + 1 for i in columns) <= width
        for i in columns:
            here = None if whole else self.headings[i].group
            if not parts or here != group or least[i] + 1 > left:
                parts.append([])
                left, group = width - least[0], here
            parts[-1].append(i)
            left -= least[i] + 1
        return parts


def _most_rows() -> int | None:
    most = pd.get_option("display.max_rows")
    return int(most) if most else None


def _head_cell(heading: Heading, is_first: bool) -> str:
    unit = f'<span class="unit">{html.escape(heading.unit)}</span>' if heading.unit else ""
    kind = ' class="text"' if heading.is_text or is_first else ""
    name = f' title="{html.escape(heading.name)}"' if heading.name else ""
    return f'<th scope="col"{kind}{name}>{html.escape(heading.label)}{unit}</th>'


def _longest_word(heading: Heading) -> int:
    return max([len(word) for word in [*heading.short.split(), heading.brief]], default=0)


def _least(heading: Heading, rows: Sequence[Sequence[str]], i: int) -> int:
    """Return the smallest width of a column: headings and text can be broken between words."""
    cells = max((len(row[i]) for row in rows), default=0)
    if heading.is_text:
        # Words stay whole: names are typed, and file names copied.
        word = max((len(word) for row in rows for word in row[i].split()), default=0)
        cells = cells if heading.is_extra else max(min(cells, NARROWEST_TEXT), word)
    return max(cells, _longest_word(heading), 1)


def _full(heading: Heading, rows: Sequence[Sequence[str]], i: int) -> int:
    return max([1, len(heading.short), len(heading.brief), *(len(row[i]) for row in rows)])


def _lines(
    headings: Sequence[Heading], rows: Sequence[Sequence[str]], part: Sequence[int], width: int
) -> list[str]:
    """Return the lines of some columns beside the first one."""
    shown = [0, *part]
    kinds = [headings[i] for i in shown]
    widths = [_full(headings[i], rows, i) for i in shown]
    between = 2
    if sum(widths) + between * len(part) > width:
        least = [_least(headings[i], rows, i) for i in shown]
        numbers = [
            w if kind.is_text else m for w, m, kind in zip(widths, least, kinds, strict=True)
        ]
        # Headings are broken before text is.
        widths = _narrowed(_narrowed(widths, numbers, between, width), least, between, width)
    if sum(widths) + between * len(part) > width:
        between = 1
    heads = [
        [*textwrap.wrap(kind.short, size), *([kind.brief] if kind.brief else [])]
        for kind, size in zip(kinds, widths, strict=True)
    ]
    if any(kind.brief for kind in kinds):
        heads = [
            head if kind.brief else [*head, ""] for head, kind in zip(heads, kinds, strict=True)
        ]
    height = max(map(len, heads))
    cells = [[[""] * (height - len(head)) + head for head in heads]]
    cells += [
        [
            textwrap.wrap(row[i], size) if kind.is_text else [row[i]]
            for i, kind, size in zip(shown, kinds, widths, strict=True)
        ]
        for row in rows
    ]
    return [
        (" " * between).join(
            text.ljust(size) if k == 0 or kind.is_text else text.rjust(size)
            for k, (text, kind, size) in enumerate(zip(level, kinds, widths, strict=True))
        )
        for row in cells
        for level in zip_longest(*row, fillvalue="")
    ]


def _narrowed(widths: list[int], least: list[int], between: int, width: int) -> list[int]:
    """Return widths that fit, as far as headings and text can be broken; the widest shrink most."""
    widths = list(widths)
    over = sum(widths) + between * (len(widths) - 1) - width
    while over > 0 and widths != least:
        widest = max(
            (k for k in range(len(widths)) if widths[k] > least[k]), key=lambda k: widths[k]
        )
        widths[widest] -= 1
        over -= 1
    return widths


def decimals(values: npt.NDArray[np.float64], digits: int | None) -> int:
    """Return the number of decimals for a column of numbers.

    Without `digits`, as many as the largest number needs for three significant digits, and none if
    all are whole.
    """
    if digits is not None:
        return digits
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if finite.size else 0.0
    if not largest or (finite == np.round(finite)).all():
        return 0
    return min(max(SIGNIFICANT - 1 - math.floor(math.log10(largest)), 0), MOST_DECIMALS)


def number_text(value: Any, places: int, *, below: bool = False) -> str:
    """Return a number with the given decimals, and commas at thousands.

    With `below`, a number above 0 is never shown as 0, but as below the smallest number shown.
    """
    if pd.isna(value):
        return NOTHING
    number = float(value)
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    shown = f"{number:,.{places}f}"
    if float(shown.replace(",", "")):
        return shown
    return f"<{10.0**-places:.{places}f}" if below and number > 0 else shown.removeprefix("-")


def p_text(value: Any, places: int) -> str:
    """Return a p value, which is never 0, only too small for a float."""
    return number_text(max(value, np.finfo(float).tiny), places, below=True)
