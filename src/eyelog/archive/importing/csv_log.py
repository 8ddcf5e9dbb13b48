"""One CSV file of a log: from a stream to pages of typed columns, and the lines left out.

The file is read in blocks of whole lines, so that memory does not grow with its size.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyelog.answers.page import Page
from eyelog.archive.importing.csv_cells import (
    Lines,
    numbers_of,
    shown,
    split,
    texts_of,
    truths_of,
    words_of,
)
from eyelog.archive.importing.field_names import UNIX_TIME, fields_of, fold, spellings
from eyelog.archive.importing.kinds import Header, find_header
from eyelog.archive.importing.stamps import NEVER, Stamps, offsets_of, read_stamps, unix_stamps
from eyelog.catalogue import catalogue
from eyelog.errors import ArchiveError

__all__ = ["CsvLog", "Faults"]

BLOCK: Final = 8 << 20
_LOOK: Final = 256 << 10
_SHOWN: Final = 5  # lines that a report shows; the others are counted
_TIMES: Final = ("date", UNIX_TIME)

Values = npt.NDArray[np.float64] | npt.NDArray[np.object_]


@dataclass
class Faults:
    """The lines of a file that are not records: how many, and what is wrong with the first few."""

    count: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, what: str) -> None:
        """Count one line."""
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append((line, what))

    def report(self, name: str, rows: int) -> str:
        """Return one sentence on which lines of a file were left out, and why."""
        lines = "; ".join(f"line {line}: {what}" for line, what in self.first)
        more = self.count - len(self.first)
        lines += f"; and {more:,} more" if more else ""
        return f"{name}: left out {self.count:,} of {rows:,} lines that are not records ({lines})"


class CsvLog:
    """A CSV file that is being read.

    Parameters
    ----------
    stream : binary file
        Read once, from its beginning.
    tz : str, optional
        Zone of dates that have no offset.
    log : str, optional
        The log of a file whose fields are in both.

    Attributes
    ----------
    log : str
        The log, according to the header.
    rows : int
        Lines read so far, without the header and blank lines.
    faults : Faults
        Those of them that are not records.
    zones : set of str
        The offsets that the dates read so far are written in, such as ``+09:00``.

    Raises
    ------
    ArchiveError
        If the file is not of a log; the message says what it is.
    """

    def __init__(self, stream: BinaryIO, *, tz: str | None = None, log: str | None = None) -> None:
        start = stream.read(_LOOK)
        self._stream = stream
        self._tz = tz
        self._header: Header = find_header(start, whole=len(start) < _LOOK, log=log)
        self._rest = start[self._header.end :]
        self._names = fields_of(self._header.cells, self._header.log)
        self.log = self._header.log
        self.rows = len(self._header.before)
        self.faults = Faults()
        self.zones: set[str] = set()
        for line in self._header.before:
            self.faults.add(line, "it comes before the header")

    @property
    def names(self) -> frozenset[str]:
        """The fields that the file has."""
        return frozenset(name for name in self._names if name)

    def pages(self) -> Iterator[Page]:
        """Give the records block by block, in the order of the file.

        Raises
        ------
        ConfigurationError
            If a date has no offset and there is no `tz`.
        ArchiveError
            If a line never ends, or another table begins in the middle of the file.
        """
        number = self._header.line + 1
        for block in self._blocks():
            yield self._page(block, number)
            number += block.count(b"\n")

    def _blocks(self) -> Iterator[bytes]:
        """Give whole lines, each ended by one line feed."""
        buffer, more = self._rest, True
        while more:
            added = self._stream.read(BLOCK - len(buffer))
            buffer += added
            more = bool(added)
            # A carriage return at the very end may be half of a line end.
            end = max(buffer.rfind(b"\n"), buffer.rfind(b"\r", 0, -1)) + 1 if more else len(buffer)
            if not end and len(buffer) >= BLOCK:
                raise ArchiveError("it has a line far too long for a record: it is damaged")
            block, buffer = buffer[:end], buffer[end:]
            if b"\r" in block:
                block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if block:
                yield block if block.endswith(b"\n") else block + b"\n"

    def _page(self, block: bytes, first: int) -> Page:
        table, lines, wrong = split(block, len(self._names), first)
        self.rows += len(lines) + len(wrong)
        columns = self._columns(table, lines, wrong)
        stamps = self._stamps(table, lines, wrong)
        for line in sorted(wrong):
            self.faults.add(line, wrong[line])
        good = ~np.isin(lines, list(wrong)) if wrong else slice(None)
        columns = {name: values[good] for name, values in columns.items()}
        fields = catalogue(self.log)
        unknown = tuple(name for name in columns if name not in fields)
        return Page(self.log, None, stamps[good].view("M8[us]"), columns, unknown)

    def _columns(self, table: pa.Table, lines: Lines, wrong: dict[int, str]) -> dict[str, Values]:
        fields = catalogue(self.log)
        columns: dict[str, Values] = {}
        for at, name in enumerate(self._names):
            if not name or name in _TIMES:
                continue
            kind = fields[name].value_type if name in fields else ""
            column = table.column(at)
            if kind == "str":
                columns[name] = texts_of(column)
                continue
            values, bad = truths_of(column) if kind == "bool" else numbers_of(column)
            columns[name] = values
            if bad.any() and not kind:  # an unknown field may be text, or true and false
                truths = words_of(column)
                columns[name] = texts_of(column) if truths is None else truths
            elif bad.any():
                fault = "neither true nor false" if kind == "bool" else "not a number"
                for row in np.flatnonzero(bad).tolist():
                    wrong.setdefault(int(lines[row]), f"{name!r} is {shown(column, row)}, {fault}")
        return columns

    def _stamps(self, table: pa.Table, lines: Lines, wrong: dict[int, str]) -> Stamps:
        """Return the stamps: from the date or, where that is missing, from ``ut``."""
        stamps = np.full(table.num_rows, NEVER)
        times: dict[str, pa.ChunkedArray] = {
            name: table.column(self._names.index(name)) for name in _TIMES if name in self._names
        }
        if UNIX_TIME in times:
            stamps = unix_stamps(numbers_of(times[UNIX_TIME])[0])
        if "date" in times:
            missing = np.asarray(times["date"].is_null())
            self.zones |= offsets_of(times["date"])
            dates = read_stamps(texts_of(times["date"]).tolist(), self._tz)
            stamps = np.where(missing, stamps, dates)
        for row in np.flatnonzero(stamps == NEVER).tolist():
            line = int(lines[row])
            self._refuse_second_table([cell[row].as_py() or "" for cell in table.columns], line)
            texts = ", ".join(f"{name!r} is {shown(cell, row)}" for name, cell in times.items())
            wrong[line] = f"{texts}, not a stamp"
        return stamps

    def _refuse_second_table(self, cells: list[str], line: int) -> None:
        """Raise if a line is the header of another table, with other columns, in the same file."""
        names = spellings(self.log)
        if all(fold(cell) in names for cell in cells[:3]) and [fold(cell) for cell in cells] != [
            fold(cell) for cell in self._header.cells
        ]:
            raise ArchiveError(
                f"line {line} begins another table, with other columns: split the file there"
            )
