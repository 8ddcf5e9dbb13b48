"""Lines of CSV into columns of text, and columns of text into values.

Arrow splits whole blocks. A block in which lines differ is split line by line, so that a report
can say which line is wrong, and how.
"""

import csv
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from eyelog.archive.csv_text import text_of
from eyelog.errors import ArchiveError

__all__ = ["numbers_of", "shown", "split", "texts_of", "truths_of", "words_of"]

Mask = npt.NDArray[np.bool_]
Lines = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

_MISSING: Final = pa.array(["", "nan", "null", "none", "na", "n/a", "<na>"])
_TRUE: Final = pa.array(["1", "1.0", "true"])
_FALSE: Final = pa.array(["0", "0.0", "false"])


def split(block: bytes, width: int, first: int) -> tuple[pa.Table, Lines, dict[int, str]]:
    """Split whole lines into columns of text.

    Parameters
    ----------
    block : bytes
        Lines, each ended by a line feed.
    width : int
        How many columns a record has; more columns at its end are ignored if they are empty.
    first : int
        Number of the first line.

    Returns
    -------
    table, lines, wrong
        The records, a missing text as null; the number of each record's line; what is wrong with
        the lines that are not records, by number. Blank lines are left out.
    """
    count = block.count(b"\n")
    # The Logger app's sample ends rows with a comma too: one more column, without a name.
    for columns in (width, width + 1):
        table = _table(block, columns)
        if table is not None and table.num_rows == count:
            spare = table.column(width) if columns > width else None
            if spare is None or spare.null_count == count:
                return table, np.arange(first, first + count), {}
    lines, wrong = _sieve(block, width, first)
    sound = b"".join(line + b"\n" for line in lines.values())
    table = _table(sound, width)
    if table is None or table.num_rows != len(lines):
        raise ArchiveError(f"its lines from {first} on cannot be separated: the file is damaged")
    return table, np.fromiter(lines, np.int64, len(lines)), wrong


def _table(block: bytes, columns: int) -> pa.Table | None:
    """Return the lines as columns of text, None if any of them has another number of columns."""
    names = [f"{i}" for i in range(columns)]
    if not block:
        return pa.table({name: pa.array([], pa.string()) for name in names})
    reading = pa_csv.ReadOptions(column_names=names, block_size=len(block) + 1)
    converting = pa_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,  # "" is an empty text, nothing is a missing value
    )
    try:
        return pa_csv.read_csv(
            pa.BufferReader(block), read_options=reading, convert_options=converting
        )
    except pa.ArrowInvalid:
        return None


def _sieve(block: bytes, width: int, first: int) -> tuple[dict[int, bytes], dict[int, str]]:
    """Return the good lines by number, cut to `width` columns, and the faults of the others."""
    lines: dict[int, bytes] = {}
    wrong: dict[int, str] = {}
    for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), first):
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line.decode("utf-8")]))
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
            lines[number] = b",".join(line.split(b",")[: -len(spare)]) if spare else line
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


def numbers_of(column: pa.ChunkedArray) -> tuple[Numbers, Mask]:
    """Return numbers (NaN for missing), and where a text is not a finite number."""
    column = pc.utf8_trim_whitespace(column)
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
    values = np.array(column.to_numpy(), np.float64)
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
    text = value.as_py() if isinstance(value, pa.Scalar) else value
    return "missing" if text is None else repr(text if len(text) <= 30 else f"{text[:30]}...")
