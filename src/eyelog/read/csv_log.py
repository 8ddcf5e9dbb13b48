"""One CSV file of a log: from a stream to tables of typed columns, and the lines left out.

The file is read in blocks of whole lines, so that memory does not grow with its size. Arrow splits
and converts whole blocks. A block with a cell that does not fit its column is read as text, and one
in which lines differ is split line by line, so that a report can say which line is wrong, and how.
"""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from eyelog.arrow_tables import Stamps, schema_of
from eyelog.catalogue import catalogue, fold
from eyelog.clock import FILE_ZONE
from eyelog.errors import ArchiveError, MixedLogsError, listed
from eyelog.frame import OFFSET
from eyelog.read.files import guess, guessed
from eyelog.read.format import (
    TIMES,
    UNIX_TIME,
    WEARER,
    Header,
    LogFile,
    NotALog,
    Source,
    fields_of,
    find_header,
    kind_of_bytes,
    spellings,
    text_of,
)
from eyelog.read.stamps import NEVER, StampReader, minutes_of, unix_stamps

BLOCK: Final = 4 << 20
_LOOK: Final = 256 << 10
# A file with more lines that are not records than others, after this many, is not read to its end.
_PATIENCE: Final = 100_000
_LIKE_HEADER: Final = re.compile(rb"^[^\n]*\b(?:date|ut)\b[^\n]*$", re.IGNORECASE | re.MULTILINE)
_COMMAS: Final = "its numbers have decimal commas, and were read as such"

# Bytes of a line, hundreds of times those of a record: a longer line has lost its line ends, or is
# nothing but delimiters, and split into cells it would take many times its size in memory.
LONGEST_LINE: Final = 65_536


@dataclass(frozen=True)
class _Layout:
    """The columns of a table, as its header names them; a file may have several headers."""

    header: Header
    names: list[str]
    kinds: list[pa.DataType]
    wearer: str | None  # the column that names the wearer of each row

    @classmethod
    def of(cls, header: Header) -> "_Layout":
        """Return the layout of a table."""
        names, own = fields_of(header.cells, header.log), spellings(header.log)
        folded = [fold(cell) for cell in header.cells]
        wearers = [at for at, name in enumerate(folded) if name in WEARER and name not in own]
        wearer = names[wearers[0]] if wearers else None
        types = {field.name: field.type for field in schema_of(header.log)}
        types["date"] = pa.string()
        return cls(header, names, [types.get(name, pa.string()) for name in names], wearer)


class _Block(NamedTuple):
    """Lines that are split into columns: the numbers of the lines, and the faults of others."""

    table: pa.Table
    lines: npt.NDArray[np.int64]
    wrong: dict[int, str]
    decimal: str
    layout: _Layout


class CsvLog(LogFile):
    """A CSV file that is being read.

    The stream of its source is read once, from its beginning.

    Raises
    ------
    ArchiveError
        If the file is not of a log; the message says what it is.
    """

    pandas: ClassVar[str] = "read_csv"

    @staticmethod
    def recognises(start: bytes) -> bool:
        """Return whether a file is text: the format of every file that has no other format."""
        return kind_of_bytes(start) == "text"

    def __init__(self, source: Source) -> None:
        stream, tz, log = source.stream, source.tz, source.log
        start = stream.read(_LOOK)
        self._stream = stream
        self._tz = tz
        self._whole = whole = len(start) < _LOOK
        lines = start if whole else start[: max(start.rfind(b"\n"), start.rfind(b"\r")) + 1]
        self._encoding = guess(lines)
        header = find_header(start, whole=whole, encoding=self._encoding, log=log)
        super().__init__(header.log)
        self._rest = start[header.end :]
        self._layout = _Layout.of(header)
        self.names = frozenset(filter(None, self._layout.names))
        self.names_wearers = self._layout.wearer is not None
        self._decimal = ""  # not shown yet
        self._stamps = StampReader(tz, source.dayfirst)
        self.zones = self._stamps.offsets
        if self._encoding != "utf-8":
            self.notes.append(guessed(self._encoding))
        for line in header.before:
            self.faults.add(line, "it comes before the header")
        self.rows = self.exempt = len(header.before)

    def tables(self, *, named: bool) -> Iterator[tuple[str, pa.Table]]:
        """Yield the records block by block, in the order of the file.

        If `named`, there is a table for each wearer, without the column of wearers, which would be
        redundant, and a line that names no wearer is not a record.

        Raises
        ------
        ConfigurationError
            If a date has no offset and there is no `tz`.
        ArchiveError
            If none of the lines is a record, a line never ends, another table begins in the middle
            of the file, or there are several wearers and these are not `named`.
        """
        records, seen = 0, set[str]()
        for block in self._split() if self._whole else _ahead(self._split()):
            table = self._table(block, named=named)
            records += table.num_rows
            if self.faults.count > max(_PATIENCE, records):
                self.refuse_unreadable()
            if (column := block.layout.wearer) is None:
                yield "", table
                continue
            wearers = set(filter(None, pc.unique(table.column(column)).to_pylist()))
            for wearer in sorted(wearers) if named else ():
                own = table.filter(pc.equal(table.column(column), wearer))
                yield wearer, own.drop_columns(column)
            if not named:
                seen |= wearers
                if len(seen) > 1:
                    raise ArchiveError(
                        f"it has the rows of several wearers ({column!r} is"
                        f" {listed(map(repr, sorted(seen)))}): choose one with wearer=, or"
                        " import each into its own account with `eyelog import"
                        " --split-wearers`"
                    )
                yield "", table
        if not records and self.rows > len(self._layout.header.before):
            lines = "its only line is not a record"
            if self.rows > 1:
                lines = f"none of its {self.rows:,} lines is a record"
            raise ArchiveError(f"{lines} ({self.faults.shown()})")

    def _split(self) -> Iterator[_Block]:
        number = self._layout.header.line + 1
        for block in self._blocks():
            layout, delimiter = self._layout, self._layout.header.delimiter
            if not self._decimal:
                # Between commas, a number with a decimal comma is in quotation marks.
                quiet = delimiter == "," and b'"' not in block
                self._decimal = "" if quiet else decimal_of(block, delimiter)
                if self._decimal == ",":
                    self.notes.append(_COMMAS)
            decimal = self._decimal or "."
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
            lengths = np.diff(ends, prepend=-1)  # with the line end: 1 of a blank line
            lines, table = number + np.flatnonzero(lengths > 1), None
            if lengths.max() <= LONGEST_LINE:
                table = split(block, len(lines), layout.kinds, delimiter, decimal)
                if table is None and not _LIKE_HEADER.search(block):
                    texts = [pa.string()] * len(layout.kinds)
                    table = split(block, len(lines), texts, delimiter, decimal)
            if table is not None:
                yield _Block(table, lines, {}, decimal, layout)
            else:
                yield from self._line_by_line(block, number, decimal)
            number += len(ends)

    def _line_by_line(self, block: bytes, number: int, decimal: str) -> Iterator[_Block]:
        """Split lines that do not all fit; some may be headers, from which other columns follow."""
        good: dict[int, bytes] = {}
        wrong: dict[int, str] = {}

        def lines_so_far() -> _Block:
            layout, numbers = self._layout, np.fromiter(good, np.int64, len(good))
            kinds = [pa.string()] * len(layout.kinds)
            text = b"".join(line + b"\n" for line in good.values())
            table = split(text, len(good), kinds, layout.header.delimiter, decimal)
            if table is None:
                first = min([*good, *wrong])
                raise ArchiveError(
                    f"its lines from {first} on cannot be separated: the file is damaged"
                )
            return _Block(table, numbers, wrong, decimal, layout)

        for at, line in enumerate(block.removesuffix(b"\n").split(b"\n"), number):
            if not line.strip():
                continue
            if len(line) > LONGEST_LINE:
                wrong[at] = f"it has {len(line):,} bytes, and a record has a few hundred"
                continue
            if _LIKE_HEADER.match(line) and (header := self._another_header(line, at)):
                if header.cells != self._layout.header.cells:
                    yield lines_so_far()
                    good, wrong = {}, {}
                    self._layout = _Layout.of(header)
                    self.names |= frozenset(filter(None, self._layout.names))
                continue
            header = self._layout.header
            text, fault = cells_of(line, len(header.cells), header.delimiter)
            if fault:
                wrong[at] = fault
            else:
                good[at] = text
        yield lines_so_far()

    def _another_header(self, line: bytes, number: int) -> Header | None:
        """Return the header that a line in the middle of the file is, if it is one."""
        try:
            header = find_header(line, whole=True, log=self.log)
        except NotALog:
            return None
        except MixedLogsError as error:
            raise MixedLogsError(f"line {number}: {error}") from None
        if header.log != self.log:
            raise ArchiveError(
                f"line {number} begins a table of {header.log!r}, and the file one of {self.log!r}:"
                " split the file there"
            )
        return header

    def _blocks(self) -> Iterator[bytes]:
        """Yield whole lines in UTF-8, each ended by one line feed."""
        rest, more = self._rest, True
        while more:
            added = self._stream.read(BLOCK - len(rest))
            more = bool(added)
            # A carriage return at the very end may be half of a line end.
            end = max(added.rfind(b"\n"), added.rfind(b"\r", 0, -1)) + 1 if more else 0
            if not end and more:
                rest += added
                if len(rest) >= BLOCK:
                    raise ArchiveError("it has a line far too long for a record: it is damaged")
                continue
            block, rest = b"".join([rest, memoryview(added)[:end]]), added[end:]
            if b"\r" in block:
                block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if block:
                yield self._decoded(block if block.endswith(b"\n") else block + b"\n")

    def _decoded(self, block: bytes) -> bytes:
        if self._encoding == "utf-8":
            self._encoding = guess(block)
            if self._encoding == "utf-8":
                return block
            self.notes.append(guessed(self._encoding))
        try:
            return block.decode(self._encoding).encode()
        except UnicodeDecodeError:
            return block  # its lines that are not UTF-8 are reported

    def _table(self, block: _Block, *, named: bool) -> pa.Table:
        """Return the records of a block."""
        _, lines, wrong, _, layout = block
        self.rows += len(lines) + len(wrong)
        cells: list[tuple[int, str]] = []
        columns = self._columns(block, cells)
        stamps = self._stamps_of(block)
        if named:
            nobody, reason = np.ones(len(lines), dtype=bool), "its header has no column of wearers"
            if layout.wearer is not None:
                texts = pc.coalesce(columns[layout.wearer], pa.scalar(""))
                nobody = pc.equal(texts, "").to_numpy()
                reason = f"{layout.wearer!r} does not name its wearer"
            for row in np.flatnonzero(nobody).tolist():
                if int(lines[row]) not in wrong:
                    wrong[int(lines[row])] = reason
                    self.exempt += 1
        return self.table(stamps, columns, lines, wrong, cells)

    def _columns(self, block: _Block, cells: list[tuple[int, str]]) -> dict[str, pa.ChunkedArray]:
        """Return the values by field, and note the cells that are not values."""
        table, _, _, decimal, layout = block
        fields = catalogue(self.log)
        columns = {}
        for at, name in enumerate(layout.names):
            if not name or name in TIMES:
                continue
            kind = fields[name].value_type if name in fields else ""
            if name in (layout.wearer, OFFSET):
                kind = "str" if name == layout.wearer else "float"
            columns[name], bad = values_of(table.column(at), kind, decimal)
            what = "neither true nor false" if kind == "bool" else "not a number"
            cells += [(row, f"{name!r} is {shown(table.column(at), row)}, {what}") for row in bad]
        if self._tz == FILE_ZONE and OFFSET not in columns:
            minutes = np.full(table.num_rows, np.nan)
            if "date" in layout.names:
                minutes = minutes_of(table.column(layout.names.index("date")))
            columns[OFFSET] = pa.array(minutes, from_pandas=True)
        return columns

    def _stamps_of(self, block: _Block) -> Stamps:
        """Return the stamps, from the date or, if that is missing, from ``ut``."""
        table, lines, wrong, decimal, layout = block
        times: dict[str, pa.ChunkedArray] = {
            name: table.column(layout.names.index(name)) for name in TIMES if name in layout.names
        }
        stamps = np.full(table.num_rows, NEVER)
        faults: dict[int, str] = {}
        if UNIX_TIME in times:
            seconds = numbers_of(times[UNIX_TIME], decimal)[0]
            stamps = unix_stamps(seconds.to_numpy(zero_copy_only=False))
        if "date" in times:
            missing = np.asarray(times["date"].is_null())
            dates, faults = self._stamps.read(times["date"])
            stamps = np.where(missing, stamps, dates)
        for row in np.flatnonzero(stamps == NEVER).tolist():
            texts = ", ".join(f"{name!r} is {shown(cell, row)}" for name, cell in times.items())
            fault = f"{texts}, not a stamp"
            wrong[int(lines[row])] = faults.get(row, fault) if len(times) == 1 else fault
        return stamps


def _ahead(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Yield blocks, of which one is split while the one before is converted."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = pool.submit(next, blocks, None)
            yield block


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
    if math.isfinite(pc.sum(column, min_count=0).as_py()):  # the fastest look at all of them
        return column, []
    wrong = np.flatnonzero(pc.fill_null(pc.is_inf(column), False)).tolist()
    return pc.if_else(pc.is_finite(column), column, None), wrong


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
