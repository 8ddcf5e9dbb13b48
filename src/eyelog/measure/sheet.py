"""A table for reading: cells of text under headings, for a terminal and for a web page."""

import math
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import Any, Final, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.judge.arrays import MISSING, Floats
from eyelog.measure.columns import column

NOTHING: Final = "\N{EN DASH}"
"""The sign for a missing value."""

SIGNIFICANT: Final = 3  # digits of a number whose unit is unknown
MOST_DECIMALS: Final = 6
NARROWEST_TEXT: Final = 16  # characters that a column of text keeps


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
        page: str = _page().render(sheet=self, rows=self._shortened(rows), below=self._below())
        return page

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return replace(self, rows=self._shortened(_most_rows())).text()

    def _repr_html_(self) -> str:
        return self.html(rows=_most_rows())

    def _below(self, more: str = 'columns="all"') -> list[str]:
        """Return the notes, with the one about columns that are left out."""
        if not self.left_out:
            return list(self.notes)
        columns, them = ("column", "it") if self.left_out == 1 else ("columns", "them")
        hint = f": {more} shows {them}" if more else ""
        return [*self.notes, f"{self.left_out} more {columns}{hint}."]

    def _shortened(self, most: int | None) -> Sequence[Sequence[str]]:
        """Return the rows, or the first and the last of them if there are more than `most`."""
        if most is None or len(self.rows) <= most:
            return self.rows
        between = ["…"] * len(self.headings)
        return [*self.rows[: most // 2], between, *self.rows[len(self.rows) - most // 2 :]]

    def _parts(self, width: int) -> list[list[int]]:
        """Return the columns to show side by side: all, or group by group, as many as fit."""
        columns = list(range(1, len(self.headings)))
        least = [_least(heading, self.rows, i) for i, heading in enumerate(self.headings)]

        def fits(chosen: Sequence[int]) -> bool:
            return least[0] + sum(least[i] + 1 for i in chosen) <= width

        if not fits(columns):
            columns = [i for i in columns if not self.headings[i].is_extra]
        if fits(columns):
            return [columns]
        # One column of words at the end, such as events, does not break up a table that fits
        # without it.
        if len(columns) > 1 and self.headings[columns[-1]].is_text and fits(columns[:-1]):
            return [columns[:-1], columns[-1:]]
        parts: list[list[int]] = []
        for i in columns:
            before = parts[-1] if parts else []
            alike = before and self.headings[i].group == self.headings[before[-1]].group
            if (alike or (before and fits(columns))) and fits([*before, i]):
                before.append(i)
            else:
                parts.append([i])
        return parts


@cache
def _page() -> Any:
    from jinja2 import Environment  # not before a table is shown in a notebook

    text = files("eyelog.measure").joinpath("sheet.html").read_text("utf-8")
    return Environment(autoescape=True).from_string(text)


def _most_rows() -> int | None:
    most = pd.get_option("display.max_rows")
    return int(most) if most else None


def _least(heading: Heading, rows: Sequence[Sequence[str]], i: int) -> int:
    """Return the smallest width of a column: headings and text can be broken between words."""
    words = [*heading.short.split(), heading.brief]
    cells = [row[i] for row in rows]
    if heading.is_text and not heading.is_extra:
        # Words stay whole: names are typed, and file names copied.
        words += [word for cell in cells for word in cell.split()]
        cells = [cell[:NARROWEST_TEXT] for cell in cells]
    return max(1, *map(len, (*words, *cells)))


def _lines(
    headings: Sequence[Heading], rows: Sequence[Sequence[str]], part: Sequence[int], width: int
) -> list[str]:
    """Return the lines of some columns beside the first one."""
    columns = [0, *part]
    least = [_least(headings[i], rows, i) for i in columns]
    between = 2 if sum(least) + 2 * len(part) <= width else 1
    widths = list(least)
    room = width - sum(least) - between * len(part)
    # Text takes the room that is left, then headings, if it is enough for all of them.
    for is_text in (True, False):
        more = {}
        for k, i in enumerate(columns):
            if headings[i].is_text is is_text:
                longest = max(map(len, (headings[i].short, *(row[i] for row in rows))))
                more[k] = max(longest - least[k], 0)
        if is_text or sum(more.values()) <= room:
            for k, wanted in more.items():
                widths[k] += min(wanted, max(room, 0))
                room -= widths[k] - least[k]
    has_units = any(headings[i].brief for i in columns)
    heads = []
    for i, size in zip(columns, widths, strict=True):
        heads.append([*textwrap.wrap(headings[i].short, size), *([headings[i].brief] * has_units)])
    height = max(map(len, heads))
    table = [[[""] * (height - len(head)) + head for head in heads]]
    for row in rows:
        sized = zip(columns, widths, strict=True)
        table.append(
            [textwrap.wrap(row[i], w) if headings[i].is_text else [row[i]] for i, w in sized]
        )
    lines = []
    for level in (level for row in table for level in zip_longest(*row, fillvalue="")):
        cells = [
            text.ljust(size) if i == 0 or headings[i].is_text else text.rjust(size)
            for i, text, size in zip(columns, level, widths, strict=True)
        ]
        lines.append((" " * between).join(cells))
    return lines


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


Result = TypeVar("Result", bound=type[tuple[Any, ...]])
Named = TypeVar("Named", bound=tuple[Any, ...])
Beside = tuple[str, ...]


def all_missing(kind: type[Named], **known: Any) -> Named:
    """Return a named result of which only some values are known, such as its n; no reason yet."""
    result = cast(Any, kind)
    return cast(Named, result(**(dict.fromkeys(result._fields, MISSING) | {"reason": ""} | known)))


def shown(
    title: str, *, ends: str = "95 % interval", **beside: Beside
) -> Callable[[Result], Result]:
    """Give a named tuple a table for reading, which it prints and which a notebook shows.

    Parameters
    ----------
    title : str
        The result in a few words.
    ends : str
        The heading of the column beside the values.
    **beside : tuple of str
        For a field, the two ends of its interval, or only its standard error: fields that are shown
        in its row. A name that is not a field gets a separate row for its interval.
    """

    def decorate(result: Result) -> Result:
        def sheet(self: Any) -> Sheet:
            kind, values = type(self).__name__, self._asdict()
            if any(isinstance(value, pd.Series) for value in values.values()):
                return _of_series(title, kind, values)
            inside = {name: main for main, names in beside.items() for name in names}
            mains = dict.fromkeys(inside.get(name, name) for name in values if name != "reason")
            rows = [_row(kind, main, beside.get(main, ()), values) for main in mains]
            headings = [Heading("Field", "Field"), Heading("Value", "Value")]
            if beside:
                headings.append(Heading(ends, ends))
            else:
                rows = [[name, value, meaning] for name, value, _, meaning in rows]
            headings.append(Heading("Meaning", "Meaning", is_text=True))
            reason = values.get("reason", "")
            notes = [f"Remark: {reason.rstrip('.')}."] if reason else []
            return Sheet(headings, rows, title, notes)

        def text(self: Any) -> str:
            return sheet(self).text()

        def page(self: Any) -> str:
            return sheet(self).html()

        # Not through the class statement: a named tuple cannot have another base.
        for name, method in (("__repr__", text), ("__str__", text), ("_repr_html_", page)):
            method.__name__, method.__qualname__ = name, f"{result.__qualname__}.{name}"
            setattr(result, name, method)
        return result

    return decorate


def _row(kind: str, main: str, ends: Beside, values: Mapping[str, Any]) -> list[str]:
    """Return the cells of one field: its name, value, interval or error, and meaning."""
    about = column(main, table=kind, period="")
    parts = {name: values[name] for name in (main, *ends) if name in values}
    if not all(isinstance(value, int | float | np.number) for value in parts.values()):
        words = " to ".join(str(value) or NOTHING for value in parts.values())
        return [main, words, "", about.text]
    numbers = np.array([*parts.values()], dtype=np.float64)
    whole = all(isinstance(value, int | np.integer) for value in parts.values())
    places = 0 if whole else _places(numbers, about.digits)
    below = bool((numbers[~np.isnan(numbers)] >= 0).all())
    texts = {name: number_text(value, places, below=below) for name, value in parts.items()}
    if about.label.startswith("p of "):
        texts[main] = p_text(values[main], places)
    apart = [texts[name] for name in ends]
    if all(text == NOTHING for text in apart):
        interval = NOTHING if apart else ""
    else:
        interval = " to ".join(apart)
    return [main if main in values else ", ".join(ends), texts.get(main, ""), interval, about.text]


def _places(numbers: Floats, digits: int | None) -> int:
    """Return the decimals for a value and its interval or error: as many as the finer one needs.

    Two significant digits of an interval's width, or of a standard error, show the precision.
    """
    value, beside = numbers[:1], numbers[1:]
    if digits is not None or not len(beside):
        return decimals(value, digits)
    width = np.abs(beside if len(beside) == 1 else np.diff(beside))
    if np.isinf(width).any():
        return max(decimals(numbers[i : i + 1], None) for i in range(len(numbers)))
    return max(decimals(value, None), decimals(width, None) - 1)


def _of_series(title: str, kind: str, values: Mapping[str, Any]) -> Sheet:
    """Return a row for each label of the Series that the fields hold."""
    table = pd.DataFrame(dict(values))
    headings, cells = [Heading("Label", "Label")], [[str(label) for label in table.index]]
    for name in table.columns:
        about = column(name, table=kind, period="")
        numbers = table[name].to_numpy(dtype=np.float64, na_value=np.nan)
        places = decimals(numbers, about.digits)
        headings.append(Heading(about.label, name, about.unit, about.unit, name))
        cells.append([number_text(value, places) for value in numbers])
    return Sheet(headings, [list(row) for row in zip(*cells, strict=True)], title)
