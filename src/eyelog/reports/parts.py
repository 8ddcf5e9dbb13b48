"""The parts of a page: page one, sections, pictures, and tables with their numbers to download."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.frame import with_text_stamps
from eyelog.measure.readable import readable
from eyelog.reports import words
from eyelog.reports.literature import CitedText

DIGITS: Final = "%.9g"  # more precise than any measurement
_NUMERIC: Final = re.compile(rf"({words.MISSING}$)|(under |over |<|-)?\d[\d.,:]*( |$)")


class Empty(Exception):
    """A part has nothing to show; the message says why."""


@dataclass(frozen=True)
class Picture:
    """One figure: what it shows in words, and the call that draws it."""

    title: str
    description: str
    draw: Callable[[], Any]


def picture(what: str, draw: Callable[[], Any], /, **facts: Any) -> Picture:
    """Return a figure whose title and description are a macro of the templates."""
    ((title, *description),) = words.rows(what, **facts)
    return Picture(title, "".join(description), draw)


@dataclass(frozen=True)
class PageTable:
    """One table: cells to read, and the same numbers in full as CSV.

    Attributes
    ----------
    caption : str
        What the table holds.
    headers : sequence of pairs of str
        The label of each column and its unit, or an empty text; the first is that of the row
        headers.
    rows : sequence of list of str
        The cells, of which the first heads its row.
    numeric : list of bool
        Which columns hold numbers and are right-aligned.
    file : str
        The name under which the CSV is saved.
    csv : str
        The table with the names of the library and nine significant digits.
    """

    caption: str
    headers: Sequence[tuple[str, str]]
    rows: Sequence[list[str]]
    numeric: list[bool]
    file: str
    csv: str


def said_table(what: str, whole: pd.DataFrame, /, **facts: Any) -> PageTable:
    """Return a table whose cells are text; those like numbers are right-aligned.

    It is a macro of the templates: file, caption and headers, and then row by row.
    """
    (file, caption, *labels), *rows = words.rows(what, table=whole, **facts)
    numeric = [bool(rows) and all(map(_NUMERIC.match, cells)) for cells in zip(*rows, strict=True)]
    named = [(label, "") for label in labels]
    return PageTable(caption, named, rows, [False, *numeric[1:]], f"{file}.csv", csv_text(whole))


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
    columns = [list(cells) for cells in zip(*read.rows, strict=True)] or [[] for _ in read.headings]
    headers = []
    for place, heading in enumerate(read.headings):
        share = heading.unit == words.SHARE  # a percentage wherever people read it
        headers.append((heading.label, "" if share else heading.unit))
        if share:
            columns[place] = [words.percent(float(value)) for value in table[heading.name]]
    return PageTable(
        caption,
        headers,
        [list(row) for row in zip(*columns, strict=True)],
        [i > 0 and not heading.is_text for i, heading in enumerate(read.headings)],
        f"{file}.csv",
        csv_text(table if whole is None else whole),
    )


def csv_text(table: pd.DataFrame) -> str:
    """Return the text of the whole table, stamps in their own offset."""
    out = with_text_stamps(table.reset_index())
    return out.to_csv(index=False, lineterminator="\n", float_format=DIGITS)


@dataclass(frozen=True)
class Part:
    """The content of one section.

    Pictures and tables are calls, which the page makes one by one: if one fails, the page says why
    in its place and shows the others.

    Attributes
    ----------
    findings : list of str
        Sentences; the first sums up the numbers.
    pictures : list of Picture
        In the order in which they are read.
    tables : list of callables
        Each returns one table.
    files : dict of callables
        Each returns a table that is only offered as a file of that name, as CSV.
    recipe : str
        How the report was made, as text to archive.
    to_paste : CitedText, optional
        The methods as an author writes them, with their references.
    """

    findings: list[str]
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Callable[[], PageTable]] = field(default_factory=list)
    files: dict[str, Callable[[], pd.DataFrame]] = field(default_factory=dict)
    recipe: str = ""
    to_paste: CitedText | None = None


class Sentence(NamedTuple):
    """A result that stands out: when, who, what, in which direction; then value and usual value."""

    lead: str
    rest: str
    p: float = np.nan
    about: str = ""
    """The column that it is about."""


def result(what: str, /, *, p: float = np.nan, about: str = "", **facts: Any) -> Sentence:
    """Return a result whose words are a macro of the templates, lead and rest apart by a bar."""
    ((lead, rest),) = words.rows(what, about=about, **facts)
    return Sentence(lead, rest, p, about)


@dataclass(frozen=True)
class PageOne:
    """The content of page one.

    Attributes
    ----------
    facts : list of list of str
        How much was worn, which days count, what they are compared with: name, value and remark.
    sentences : list of Sentence
        At most three, the strongest first.
    looked : str
        How many values were examined, and at which level.
    pictures : list of Picture
        The last week or month at a glance; of a study the wearers, and the other outcomes beside.
    trust : str
        Which days are thin, and how much of the worn time is not usable.
    numbers : callable, optional
        Makes the table of what the first picture shows, for those who cannot see it.
    """

    facts: list[list[str]]
    sentences: list[Sentence]
    looked: str
    pictures: list[Picture]
    trust: str
    numbers: Callable[[], PageTable] | None = None
