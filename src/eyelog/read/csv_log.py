"""One CSV file of a log: from lines to tables of typed columns, and the lines left out.

The file is read in blocks of whole lines, so that memory does not grow with its size. Arrow splits
and converts whole blocks. A block with a cell that does not fit its column is read as text, and one
in which lines differ is split line by line, so that a report can say which line is wrong, and how.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import ClassVar, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from eyelog.arrow_tables import Stamps, schema_of
from eyelog.errors import ArchiveError, MixedLogsError, counted
from eyelog.read.files import NotALog, Source
from eyelog.read.format import LONGEST_LINE, Column, Header, LogFile, fields_of, find_header

# A file with more lines that are not records than others, after this many, is not read to its end.
_PATIENCE: Final = 100_000
_LIKE_HEADER: Final = re.compile(rb"^[^\n]*\b(?:date|ut)\b[^\n]*$", re.IGNORECASE | re.MULTILINE)
_BEFORE: Final = "its header is line {}, and what comes before the header was left out"

# Arrow works on this many bytes at a time, so that its data stay in the processor's cache.
_PIECE: Final = 1 << 19
# The spellings of booleans that Arrow converts itself
_TRUE: Final = ["1", "true", "True", "TRUE", "1.0"]
_FALSE: Final = ["0", "false", "False", "FALSE", "0.0"]


# Columns by field, the lines of their rows, the faults of other lines, and the decimal sign
_Block: TypeAlias = tuple[dict[str, Column], Stamps, dict[int, str], str]


class CsvLog(LogFile):
    """A CSV file that is being read.

    Raises
    ------
    ArchiveError
        If the file is not of a log; the message says what it is.
    """

    marks: ClassVar[tuple[bytes, ...]] = (b"",)  # any text that has no other format
    pandas: ClassVar[str] = "read_csv"

    def __init__(self, source: Source) -> None:
        self._blocks = source.blocks()
        start = next(self._blocks, b"")
        header = find_header(start, source.log)
        super().__init__(header.log, source)
        self._rest, self._source = start[header.end :], source
        self.names = frozenset()
        self._begin(header)
        self._decimal = ""  # not shown yet
        if not header.is_first:
            self.notes.append(_BEFORE.format(header.line))

    def _begin(self, header: Header) -> None:
        """Begin a table with the columns of a header; a file may have several."""
        self._header = header
        self._names = fields_of(header.cells, header.log)
        self.names |= frozenset(filter(None, self._names))
        types = {field.name: field.type for field in schema_of(header.log)}
        types["date"] = pa.string()
        self._types = [types.get(name, pa.string()) for name in self._names]

    def tables(self) -> Iterator[pa.Table]:
        """Yield the records block by block, in the order of the file.

        Raises
        ------
        ConfigurationError
            If a date has no offset and there is no zone.
        ArchiveError
            If a line never ends, or another table begins in the middle of the file.
        """
        for block in self._split() if self._source.ended else _ahead(self._split()):
            yield self.records(*block)
            if self.faults.count - self.exempt > max(_PATIENCE, self.rows / 2):
                self.refuse_unreadable()

    def _split(self) -> Iterator[_Block]:
        number = self._header.line + 1
        for block in filter(None, chain([self._rest], self._blocks)):
            if not block.endswith(b"\n"):
                if not self._source.ended:
                    raise ArchiveError("it has a line far too long for a record: it is damaged")
                block += b"\n"
            delimiter, decimal = self._header.delimiter, self._decimal
            # Between commas, a number with a decimal comma is in quotation marks.
            if not decimal and (delimiter != "," or b'"' in block):
                self._decimal = decimal = decimal_of(block, delimiter)
                if decimal == ",":
                    self.notes.append("its numbers have decimal commas, and were read as such")
            decimal = decimal or "."
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
            lengths = np.diff(ends, prepend=-1)  # with the line end: 1 of a blank line
            lines, columns = number + np.flatnonzero(lengths > 1), None
            if lengths.max() <= LONGEST_LINE:
                columns = self._columns(block, len(lines), decimal, self._types)
                if columns is None and not _LIKE_HEADER.search(block):
                    columns = self._columns(block, len(lines), decimal)
            if columns is not None:
                yield columns, lines, {}, decimal
            else:
                yield from self._line_by_line(block, number, decimal)
            number += len(ends)

    def _line_by_line(self, block: bytes, number: int, decimal: str) -> Iterator[_Block]:
        """Split lines that do not all fit; some may be headers, from which other columns follow."""
        good: dict[int, bytes] = {}
        wrong: dict[int, str] = {}

        def lines_so_far() -> _Block:
            text = b"\n".join([*good.values(), b""])
            columns = self._columns(text, len(good), decimal)
            if columns is None:
                first = min([*good, *wrong])
                raise ArchiveError(
                    f"its lines from {first} on cannot be separated: the file is damaged"
                )
            return columns, np.fromiter(good, np.int64, len(good)), wrong, decimal

        for at, line in enumerate(block.splitlines(), number):
            if not line.strip():
                continue
            if len(line) > LONGEST_LINE:
                wrong[at] = f"it has {len(line):,} bytes, and a record has a few hundred"
                continue
            try:
                header = find_header(line, self.log) if _LIKE_HEADER.match(line) else None
            except NotALog:
                header = None  # a line like any other
            except MixedLogsError as error:
                raise MixedLogsError(f"line {at}: {error}") from None
            if header is not None:
                if header.log != self.log:
                    raise ArchiveError(
                        f"line {at} begins a table of {header.log!r}, and the file one of"
                        f" {self.log!r}: split the file there"
                    )
                if header.cells != self._header.cells:
                    yield lines_so_far()
                    good, wrong = {}, {}
                    self._begin(header)
                continue
            width, mark = len(self._header.cells), self._header.delimiter
            try:
                cells = next(csv.reader([line.decode()], delimiter=mark))
            except UnicodeDecodeError:
                wrong[at] = "it is not UTF-8: name its encoding with encoding= (--encoding)"
                continue
            except csv.Error:
                wrong[at] = "it is not CSV"
                continue
            spare = len(cells) - width
            if line.count(b'"') % 2:
                wrong[at] = "a quotation mark is not closed"
            elif spare < 0 or any(cell.strip() for cell in cells[width:]):
                wrong[at] = f"it has {counted(len(cells), 'column')}, not {width}"
            else:  # without spare cells
                good[at] = line.rsplit(mark.encode(), spare)[0] if spare else line
        yield lines_so_far()

    def _columns(
        self, block: bytes, lines: int, decimal: str, types: Sequence[pa.DataType] = ()
    ) -> dict[str, Column] | None:
        """Split lines into columns of types (else of texts), with null for missing.

        Of `lines` that are not blank each must give a row. More columns at their end are ignored if
        they are empty, as the Logger app ends rows with a comma. None if a line has too many or few
        columns, or a cell that does not fit its type.
        """
        width = len(self._names)
        for columns in (width, width + 1):
            kinds = [*(types or [pa.string()] * width), pa.string()][:columns]
            named = {f"{at}": kind for at, kind in enumerate(kinds)}
            converting = pa_csv.ConvertOptions(
                column_types=named,
                null_values=[""],
                true_values=_TRUE,
                false_values=_FALSE,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,  # "" is an empty text, nothing is a missing value
                decimal_point=decimal,
            )
            try:
                table = pa_csv.read_csv(
                    pa.BufferReader(block),
                    pa_csv.ReadOptions(column_names=[*named], block_size=_PIECE, use_threads=False),
                    pa_csv.ParseOptions(delimiter=self._header.delimiter),
                    converting,
                )
            except pa.ArrowInvalid:
                if lines:
                    continue
                table = pa.schema(named.items()).empty_table()
            spare = table.column(width).null_count if columns > width else lines
            if table.num_rows == lines == spare:
                by_name = dict(zip(self._names, table.columns, strict=False))
                by_name.pop("", None)
                return by_name
        return None


def _ahead(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Yield blocks, of which one is split while the one before is converted."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = pool.submit(next, blocks, None)
            yield block


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
