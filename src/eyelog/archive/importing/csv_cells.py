"""Lines of CSV into columns, and columns of text into values.

Arrow splits and converts whole blocks. A block with a cell that does not fit its column is read as
text, and one in which lines differ is split line by line, so that a report can say which line is
wrong, and how.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from eyelog.archive.csv_text import text_of
from eyelog.errors import ArchiveError

__all__ = [
    "LONGEST_LINE",
    "Dialect",
    "Lines",
    "Mask",
    "decimal_of",
    "numbers_of",
    "shown",
    "split",
    "texts_of",
    "truths_of",
    "words_of",
]

Mask = npt.NDArray[np.bool_]
Lines = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

# Arrow works on this many bytes at a time, so that its data stay in the processor's cache.
_PIECE: Final = 256 << 10

# Bytes of a line, hundreds of times those of a record: a longer line has lost its line ends, or is
# nothing but delimiters, and split into cells it would take many times its size in memory.
LONGEST_LINE: Final = 65_536

_MISSING: Final = pa.array(["", "nan", "null", "none", "na", "n/a", "<na>"])
_TRUE: Final = pa.array(["1", "1.0", "true"])
_FALSE: Final = pa.array(["0", "0.0", "false"])
# The spellings of booleans that Arrow converts itself; `truths_of` accepts all of them.
_PLAIN_TRUE: Final = ["1", "true", "True", "TRUE", "1.0"]
_PLAIN_FALSE: Final = ["0", "false", "False", "FALSE", "0.0"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file separates its cells, and writes the decimals of a number."""

    delimiter: str = ","
    decimal: str = "."


def decimal_of(block: bytes, delimiter: str) -> str:
    """Return the decimal sign of the numbers in some lines, nothing if they do not show it.

    A comma is accepted only if no number has a point, and if it cannot group thousands: some number
    begins with ``0,`` or does not have exactly three digits after it. Between commas, such a number
    is in quotation marks.
    """
    edge = rb'"' if delimiter == "," else rb'[%s"\n]' % delimiter.encode()
    cell = rb"(?:^|(?<=[\n\"%s]))[ ]*-?%%s[ ]*(?=[\n\"%s]|$)" % ((delimiter.encode(),) * 2)
    if re.search(cell % rb"\d+\.\d+", block):
        return "."
    comma = rb"(?:^|(?<=%s))[ ]*-?(?:\d+,(?:\d{1,2}|\d{4,})|0,\d+)[ ]*(?=%s|$)" % (edge, edge)
    return "," if re.search(comma, block) else ""


def split(
    block: bytes, count: int, kinds: Sequence[pa.DataType], first: int, dialect: Dialect
) -> tuple[pa.Table, Lines, dict[int, str]]:
    """Split whole lines into columns.

    Parameters
    ----------
    block : bytes
        Lines, each ended by a line feed.
    count : int
        The number of these lines.
    kinds : sequence of DataType
        The type of each column of a record; more columns at its end are ignored if they are empty.
    first : int
        Number of the first line.
    dialect : Dialect
        The delimiter and the decimal sign.

    Returns
    -------
    table, lines, wrong
        The records, in columns of their type or, if a cell does not fit its type, all in columns of
        text, with null for missing; the number of each record's line; the faults of the lines that
        are not records, by number. Blank lines are left out.
    """
    block, long = _without_long_lines(block, first)
    table, lines, wrong = _split(block, count, kinds, first, dialect)
    return table, lines, wrong | long


def _without_long_lines(block: bytes, first: int) -> tuple[bytes, dict[int, str]]:
    """Return lines with blank ones for those that are far too long, and the faults of these."""
    half = LONGEST_LINE // 2  # a line that is too long has all of one of these pieces
    if all(block.find(b"\n", at, at + half) >= 0 for at in range(0, len(block) - half, half)):
        return block, {}
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    sizes = np.diff(ends, prepend=-1) - 1
    long = np.flatnonzero(sizes > LONGEST_LINE)
    parts, begin = [], 0
    for at in long.tolist():
        end = int(ends[at])
        parts.append(block[begin : end - int(sizes[at])])
        begin = end
    faults = {
        first + at: f"it has {sizes[at]:,} bytes, and a record has a few hundred"
        for at in long.tolist()
    }
    return b"".join([*parts, block[begin:]]), faults


def _split(
    block: bytes, count: int, kinds: Sequence[pa.DataType], first: int, dialect: Dialect
) -> tuple[pa.Table, Lines, dict[int, str]]:
    width = len(kinds)
    # The Logger app's sample ends rows with a comma too: one more column, without a name.
    for types in (list(kinds), [pa.string()] * width):
        for columns in (types, [*types, pa.string()]):
            table = _table(block, columns, dialect)
            if table is None:
                continue
            lines = _numbers_of_lines(block, first, count if table.num_rows == count else None)
            spare = table.column(width) if len(columns) > width else None
            if table.num_rows == len(lines) and (spare is None or spare.null_count == len(lines)):
                return table, lines, {}
    good, wrong = _sieve(block, width, first, dialect)
    sound = b"".join(line + b"\n" for line in good.values())
    table = _table(sound, [pa.string()] * width, dialect)
    if table is None or table.num_rows != len(good):
        raise ArchiveError(f"its lines from {first} on cannot be separated: the file is damaged")
    return table, np.fromiter(good, np.int64, len(good)), wrong


def _numbers_of_lines(block: bytes, first: int, count: int | None) -> Lines:
    """Return the numbers of the lines that are not empty; of `count` lines, none is."""
    if count is not None:
        return np.arange(first, first + count)
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    return first + np.flatnonzero(np.diff(ends, prepend=-1) > 1)


def _table(block: bytes, kinds: Sequence[pa.DataType], dialect: Dialect) -> pa.Table | None:
    """Return the lines as columns; None if a line has too many or few columns or a bad cell."""
    names = [f"{i}" for i in range(len(kinds))]
    types = dict(zip(names, kinds, strict=True))
    if block.isspace() or not block:
        return pa.table({name: pa.array([], kind) for name, kind in types.items()})
    reading = pa_csv.ReadOptions(column_names=names, block_size=_PIECE)
    parsing = pa_csv.ParseOptions(delimiter=dialect.delimiter)
    converting = pa_csv.ConvertOptions(
        column_types=types,
        null_values=[""],
        true_values=_PLAIN_TRUE,
        false_values=_PLAIN_FALSE,
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,  # "" is an empty text, nothing is a missing value
        decimal_point=dialect.decimal,
    )
    try:
        return pa_csv.read_csv(
            pa.BufferReader(block),
            read_options=reading,
            parse_options=parsing,
            convert_options=converting,
        )
    except pa.ArrowInvalid:
        return None


def _sieve(
    block: bytes, width: int, first: int, dialect: Dialect
) -> tuple[dict[int, bytes], dict[int, str]]:
    """Return the good lines by number, cut to `width` columns, and the faults of the others."""
    lines: dict[int, bytes] = {}
    wrong: dict[int, str] = {}
    mark = dialect.delimiter.encode()
    for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), first):
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line.decode("utf-8")], delimiter=dialect.delimiter))
        except UnicodeDecodeError:
            wrong[number] = "it is not UTF-8"
            continue
        except csv.Error:
            wrong[number] = "it is not CSV"
            continue
        spare = cells[width:]
        if line.count(b'"') % 2:
            wrong[number] = "a quotation mark is not closed"
        elif len(cells) < width or any(cell.strip() for cell in spare):
            wrong[number] = f"it has {_columns(len(cells))}, not {width}"
        else:
            lines[number] = mark.join(line.split(mark)[: -len(spare)]) if spare else line
    return lines, wrong


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def texts_of(column: pa.ChunkedArray) -> npt.NDArray[np.object_]:
    """Return texts without the spaces around them, None where missing."""
    column = pc.utf8_trim_whitespace(column)
    cells = column.to_pylist()
    if pc.any(pc.starts_with(column, '"')).as_py():  # as an export protects texts
        cells = [None if cell is None else text_of(cell) for cell in cells]
    texts = np.empty(len(column), object)
    texts[:] = cells
    return texts


def words_of(column: pa.ChunkedArray) -> npt.NDArray[np.object_] | None:
    """Return True, False or None (missing) if a column has nothing but the words for them."""
    column = pc.utf8_lower(column)
    missing = column.is_null()
    words = pc.is_in(column, value_set=pa.array(["true", "false"]))
    if not pc.all(pc.or_(missing, words)).as_py() or column.null_count == len(column):
        return None
    truths = np.empty(len(column), object)
    truths[:] = pc.equal(column, "true").to_pylist()
    return truths


def numbers_of(column: pa.ChunkedArray, decimal: str = ".") -> tuple[Numbers, Mask]:
    """Return numbers (NaN for missing), and where a text is not a finite number."""
    if pa.types.is_floating(column.type):
        return _finite(column)
    column = pc.utf8_trim_whitespace(column)
    if decimal == ",":
        # Such a number has no decimal point; a cell that has one is not a number in either form.
        column = pc.replace_substring(column, ".", "?")
        column = pc.replace_substring(column, ",", ".")
    try:
        return _finite(pc.cast(column, pa.float64()))
    except pa.ArrowInvalid:
        pass
    missing = pc.is_in(pc.utf8_lower(column), value_set=_MISSING)
    column = pc.if_else(missing, None, column)
    try:
        return _finite(pc.cast(column, pa.float64()))
    except pa.ArrowInvalid:
        texts: list[str | None] = column.to_pylist()
    values = np.array([_number(text) for text in texts], np.float64)
    bad = np.isinf(values)
    values[bad] = np.nan
    return values, bad


def _finite(column: pa.ChunkedArray) -> tuple[Numbers, Mask]:
    values = np.asarray(column.to_numpy(), np.float64)
    if not values.flags.writeable:  # a view, which would keep the text of the whole block
        values = values.copy()
    return values, np.isinf(values)


def _number(text: str | None) -> float:
    if text is None:
        return np.nan
    try:
        return float(text) if text.isascii() and "_" not in text else np.inf
    except ValueError:
        return np.inf


def truths_of(column: pa.ChunkedArray) -> tuple[Numbers, Mask]:
    """Return 1, 0 or NaN (missing), and where a text is neither true nor false."""
    if pa.types.is_boolean(column.type):
        return _finite(pc.cast(column, pa.float64()))
    column = pc.utf8_lower(pc.utf8_trim_whitespace(column))
    true, false, missing = (
        np.asarray(pc.is_in(column, value_set=words).to_numpy(), bool)
        for words in (_TRUE, _FALSE, _MISSING)
    )
    missing |= np.asarray(column.is_null().to_numpy(), bool)
    values = np.where(true, 1.0, np.where(false, 0.0, np.nan))
    return values, ~(true | false | missing)


def shown(texts: Sequence[Any] | pa.ChunkedArray, row: int) -> str:
    """Return one cell as a message shows it."""
    value = texts[row]
    plain = value.as_py() if isinstance(value, pa.Scalar) else value
    if plain is None:
        return "missing"
    text = str(plain)
    return repr(text if len(text) <= 30 else f"{text[:30]}...")
