"""The parts that a section gives the page: sentences, pictures, tables, definitions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eyelog.reports.literature import CitedText
from eyelog.reports.page_tables import PageTable


class Empty(Exception):
    """A section has nothing to show; the message says why and is shown in its place."""


@dataclass(frozen=True)
class Picture:
    """One figure: what it shows in words, and the call that draws it."""

    title: str
    description: str
    draw: Callable[[], Any]


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
    terms : list of pairs
        Terms and their definitions.
    recipe : str
        How the report was made, as text to archive.
    to_paste : CitedText, optional
        The methods as an author writes them, with their references.
    files : list of callables
        Each returns one table that is only offered as a file: a figure shows its numbers.
    """

    findings: list[str]
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Callable[[], PageTable]] = field(default_factory=list)
    terms: list[tuple[str, str]] = field(default_factory=list)
    recipe: str = ""
    to_paste: CitedText | None = None
    files: list[Callable[[], PageTable]] = field(default_factory=list)
