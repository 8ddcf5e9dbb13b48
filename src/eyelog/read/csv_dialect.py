"""How text is written: its encoding, its decimal sign, and lines and cells as values.

Spreadsheet programs save UTF-16, which shows in the first bytes, and the encoding of their country,
which does not: it can only be named, or guessed. Arrow splits and converts whole blocks. A block
with a cell that does not fit its column is read as text, and one in which lines differ is split
line by line, so that a report can say which line is wrong, and how.
"""

import codecs
import csv
import io
import re
from collections.abc import Sequence
from typing import Any, BinaryIO, Final, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from eyelog.archive.export import text_of
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.read.format import FIRST, whole_of

_LINE_END: Final = re.compile(rb"[\r\n]+")
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
_HIGH: Final = re.compile(rb"[\x80-\xff]+")
# One letter of a western language between ASCII letters, as in B\xfcro.
_LETTER: Final = re.compile(rb"(?<=[A-Za-z ])[\x80-\xff]{1,2}|[\x80-\xff]{1,2}(?=[A-Za-z ])")
# Its letters, the euro sign, and the marks of printed text
_WESTERN: Final = frozenset([*range(0xA0, 0x100), 0x80, 0x85, *range(0x91, 0x98)])
_CALLED: Final = {
    "cp932": "cp932 (Shift JIS)",
    "euc_jp": "EUC-JP",
    "cp1252": "cp1252 (Western European)",
}


def recoded(
    stream: BinaryIO, encoding: str, *, errors: str = "replace"
) -> "io.BufferedReader[io.RawIOBase]":
    """Return a file of another encoding, which is read as a whole, as a stream of UTF-8.

    With ``"replace"`` a character that is cut off at the end makes its line invalid, which is then
    reported; with ``"strict"`` the file is refused.
    """
    try:
        text = whole_of(stream).decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise not_of(encoding, error) from None
    content = io.BytesIO(text.encode("utf-8", "replace"))
    return io.BufferedReader(cast(io.RawIOBase, content), FIRST)


def not_of(encoding: str, error: UnicodeDecodeError) -> ArchiveError:
    """Return the error of a file that is not text of the encoding that was named."""
    byte = error.object[error.start]
    return ArchiveError(f"it is not text in {encoding} (it has the byte {byte:#04x}): name another")


def check_encoding(name: str) -> str:
    """Return the name of an encoding, or raise `ConfigurationError`."""
    try:
        b"".decode(name)
        codecs.getincrementaldecoder(name)
    except (LookupError, TypeError, ValueError):
        raise ConfigurationError(
            f"unknown encoding {name!r}: use a name such as 'utf-8', 'cp932', 'euc_jp' or 'cp1252'"
        ) from None
    return name


def guessed(encoding: str) -> str:
    """Return the note about text of a guessed encoding."""
    return (
        f"it is not UTF-8, and was read as {_CALLED[encoding]}, which is a guess: if its texts look"
        " wrong, name its encoding with encoding='euc_jp' (--encoding euc_jp) or another"
    )


def guess(lines: bytes) -> str:
    """Return the likely encoding of whole lines: UTF-8 unless most that are not ASCII are not it.

    They are of another encoding if all of them can be decoded in it without private-use characters.
    Japanese text in EUC-JP has high bytes in pairs; in western text a high byte is a single letter
    beside ASCII letters.
    """
    if lines.isascii():
        return "utf-8"
    special = [line for line in _LINE_END.split(lines) if not line.isascii()]
    if 2 * sum(_decodes(line, "utf-8") for line in special) >= len(special):
        return "utf-8"
    runs = _HIGH.findall(lines)
    if all(len(run) % 2 == 0 and min(run) > 0xA0 for run in runs) and _decodes(lines, "euc_jp"):
        return "euc_jp"
    letters = sum(map(len, _LETTER.findall(lines)))
    if _WESTERN.issuperset(b"".join(runs)) and letters >= 0.8 * sum(map(len, runs)):
        return "cp1252"
    return "cp932" if _decodes(lines, "cp932") else "utf-8"


def text_of_file(content: bytes, name: str, encoding: str | None) -> tuple[str, str]:
    """Return the text of a whole file, and the note about a guessed encoding.

    Raises
    ------
    ConfigurationError
        If it is not text in its encoding, or nothing shows which that is.
    """
    if encoding is not None:
        try:
            return content.decode(encoding).removeprefix("\ufeff"), ""
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{name}: {not_of(encoding, error)}") from None
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    likely = "utf-16" if wide else guess(content)
    try:
        text = content.decode("utf-8-sig" if likely == "utf-8" else likely)
    except UnicodeDecodeError:
        raise ConfigurationError(
            f"{name} is not text in UTF-8, UTF-16, cp932, EUC-JP or cp1252: name its encoding with"
            " encoding= (--encoding), or save it as CSV UTF-8"
        ) from None
    return text, f"{name}: {guessed(likely)}" if likely in _CALLED else ""


def _decodes(text: bytes, encoding: str) -> bool:
    try:
        return _PRIVATE.search(text.decode(encoding)) is None
    except UnicodeDecodeError:
        return False


# Lines as columns

# Arrow works on this many bytes at a time, so that its data stay in the processor's cache.
_PIECE: Final = 1 << 20

_MISSING: Final = pa.array(["", "nan", "null", "none", "na", "n/a", "<na>"])
_TRUE: Final = pa.array(["1", "1.0", "true"])
_FALSE: Final = pa.array(["0", "0.0", "false"])
# The spellings of booleans that Arrow converts itself; `values_of` accepts all of them.
_PLAIN_TRUE: Final = ["1", "true", "True", "TRUE", "1.0"]
_PLAIN_FALSE: Final = ["0", "false", "False", "FALSE", "0.0"]


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
    block: bytes, lines: int, kinds: Sequence[pa.DataType], delimiter: str, decimal: str
) -> pa.Table | None:
    """Split lines into columns of types, with null for missing; blank lines are left out.

    Of `lines` that are not blank each must give a record. More columns at their end are ignored if
    they are empty, as the Logger app ends rows with a comma. None if a line has too many or few
    columns, or a cell that does not fit its type.
    """
    for columns in (list(kinds), [*kinds, pa.string()]):
        types = {f"{at}": kind for at, kind in enumerate(columns)}
        if not lines:
            return pa.schema(types.items()).empty_table()
        reading = pa_csv.ReadOptions(column_names=[*types], block_size=_PIECE, use_threads=False)
        converting = pa_csv.ConvertOptions(
            column_types=types,
            null_values=[""],
            true_values=_PLAIN_TRUE,
            false_values=_PLAIN_FALSE,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,  # "" is an empty text, nothing is a missing value
            decimal_point=decimal,
        )
        try:
            table = pa_csv.read_csv(
                pa.BufferReader(block),
                read_options=reading,
                parse_options=pa_csv.ParseOptions(delimiter=delimiter),
                convert_options=converting,
            )
        except pa.ArrowInvalid:
            continue
        spare = table.column(len(kinds)).null_count if len(columns) > len(kinds) else lines
        if table.num_rows == lines == spare:
            return table
    return None


def cells_of(line: bytes, width: int, delimiter: str) -> tuple[bytes, str]:
    """Return a line with `width` cells, of which spare ones are cut off, or what is wrong."""
    try:
        cells = next(csv.reader([line.decode("utf-8")], delimiter=delimiter))
    except UnicodeDecodeError:
        return b"", "it is not UTF-8: name its encoding with encoding= (--encoding)"
    except csv.Error:
        return b"", "it is not CSV"
    if line.count(b'"') % 2:
        return b"", "a quotation mark is not closed"
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
        return b"", f"it has {columns}, not {width}"
    mark = delimiter.encode()
    spare = len(cells) - width
    return (mark.join(line.split(mark)[:-spare]) if spare else line), ""


# Cells as values

Column: TypeAlias = pa.Array | pa.ChunkedArray


def values_of(column: Column, kind: str, decimal: str = ".") -> tuple[Column, list[int]]:
    """Return cells as values of a type of the catalogue, and the rows that have something else.

    Those of an unknown field (an empty `kind`) are numbers, otherwise true and false, otherwise
    texts.
    """
    if kind == "str":
        return texts_of(column), []
    if kind == "bool":
        return _truths(column)
    values, wrong = numbers_of(column, decimal)
    if kind or not wrong:
        return values, wrong
    words = pc.utf8_lower(column)
    truths = pc.if_else(pc.is_in(words, pa.array(["true", "false"])), pc.equal(words, "true"), None)
    return (truths if truths.null_count == words.null_count else texts_of(column)), []


def texts_of(column: Column) -> Column:
    """Return texts without the spaces around them."""
    column = pc.utf8_trim_whitespace(column)
    if not pc.any(pc.starts_with(column, '"')).as_py():
        return column
    # As an export protects texts; a lone surrogate is valid JSON, but not text.
    texts = [None if cell is None else utf8(text_of(cell)) for cell in column.to_pylist()]
    return pa.array(texts, pa.string())


def utf8(text: str) -> str:
    """Return a text without lone surrogates, which no file can have."""
    return text.encode("utf-8", "replace").decode()


def numbers_of(column: Column, decimal: str = ".") -> tuple[Column, list[int]]:
    """Return numbers, and the rows of which the text is not a finite number."""
    if pa.types.is_string(column.type):
        column = pc.utf8_trim_whitespace(column)
        if decimal == ",":
            # Such a number has no decimal point; a cell with one is not a number in either form.
            column = pc.replace_substring(column, ".", "?")
            column = pc.replace_substring(column, ",", ".")
        column = pc.if_else(pc.is_in(pc.utf8_lower(column), _MISSING), None, column)
        try:
            column = pc.cast(column, pa.float64())
        except pa.ArrowInvalid:
            column = pa.array([_number(text) for text in column.to_pylist()], pa.float64())
    finite = pc.is_finite(column)
    if pc.all(finite).as_py():
        return column, []
    wrong = np.flatnonzero(pc.fill_null(pc.is_inf(column), False)).tolist()
    return pc.if_else(finite, column, None), wrong


def _number(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return float(text) if text.isascii() and "_" not in text else np.inf
    except ValueError:
        return np.inf


def _truths(column: Column) -> tuple[Column, list[int]]:
    if pa.types.is_boolean(column.type):
        return column, []
    words = pc.utf8_lower(pc.utf8_trim_whitespace(column))
    true, false, missing = (pc.is_in(words, known) for known in (_TRUE, _FALSE, _MISSING))
    known = pc.or_(pc.or_(true, false), pc.or_(missing, words.is_null()))
    values = pc.if_else(pc.or_(true, false), true, None)
    return values, np.flatnonzero(pc.invert(known)).tolist()


def shown(texts: Sequence[Any] | pa.ChunkedArray, row: int) -> str:
    """Return one cell as a message shows it."""
    value = texts[row]
    plain = value.as_py() if isinstance(value, pa.Scalar) else value
    if plain is None:
        return "missing"
    text = str(plain)
    return repr(text if len(text) <= 30 else f"{text[:30]}...")
