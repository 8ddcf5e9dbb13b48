"""One CSV file of a log: from a stream to pages of typed columns, and the lines left out.

The file is read in blocks of whole lines, so that memory does not grow with its size.
"""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyelog.answers.page import Page
from eyelog.archive.importing.csv_cells import (
    Dialect,
    Lines,
    Mask,
    decimal_of,
    numbers_of,
    shown,
    split,
    texts_of,
    truths_of,
    words_of,
)
from eyelog.archive.importing.encodings import is_cp932
from eyelog.archive.importing.field_names import UNIX_TIME, WEARER, fields_of, spellings
from eyelog.archive.importing.kinds import Header, find_header, kind_of_bytes
from eyelog.archive.importing.log_file import LogFile, Source
from eyelog.archive.importing.stamps import (
    NEVER,
    Stamps,
    minutes_of,
    offsets_of,
    read_stamps,
    unclear,
    unix_stamps,
)
from eyelog.catalogue import catalogue, fold, log_named
from eyelog.clock import FILE_ZONE
from eyelog.errors import ArchiveError, argument, listed
from eyelog.frame import OFFSET

__all__ = ["CsvLog"]

BLOCK: Final = 4 << 20
_LOOK: Final = 256 << 10
_TIMES: Final = ("date", UNIX_TIME)
# A file with more than nine of ten lines that are not records, after this many lines, is not a log.
_PATIENCE: Final = 100_000
_ARROW: Final = {"int": pa.float64(), "float": pa.float64(), "bool": pa.bool_()}
_CP932: Final = "it is not UTF-8 but cp932 (Shift JIS), and was read as that"
_COMMAS: Final = "its numbers have decimal commas, and were read as such"

Values = npt.NDArray[np.float64] | npt.NDArray[np.object_]


class _Block(NamedTuple):
    """Lines that are split into columns: the numbers of the lines, and the faults of others."""

    table: pa.Table
    lines: Lines
    wrong: dict[int, str]
    dialect: Dialect


class CsvLog(LogFile):
    """A CSV file that is being read.

    The stream of its source is read once, from its beginning.

    Raises
    ------
    ArchiveError
        If the file is not of a log; the message says what it is.
    """

    what: ClassVar[str] = "CSV"
    reader: ClassVar[str] = "read_logger_csv"
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
        whole = len(start) < _LOOK
        lines = start if whole else start[: max(start.rfind(b"\n"), start.rfind(b"\r")) + 1]
        self._encoding = "cp932" if is_cp932(lines) else "utf-8"
        self._header: Header = find_header(start, whole=whole, encoding=self._encoding, log=log)
        super().__init__(self._header.log)
        self._rest = start[self._header.end :]
        self._names = fields_of(self._header.cells, self.log)
        self.names = frozenset(filter(None, self._names))
        self._wearer = self._column_of_wearers()
        self._wearer_column = "" if self._wearer is None else self._header.cells[self._wearer]
        self.names_wearers = self._wearer is not None
        self._kinds = [self._kind(at, name) for at, name in enumerate(self._names)]
        self._decimal = ""  # not shown yet
        self._last_minute = NEVER
        self.rows = len(self._header.before)
        if self._encoding == "cp932":
            self.notes.append(_CP932)
        for line in self._header.before:
            self.faults.add(line, "it comes before the header")

    def pages(self) -> Iterator[Page]:
        """Yield the records of the only wearer block by block, in the order of the file.

        Raises
        ------
        ConfigurationError
            If a date has no offset and there is no `tz`.
        ArchiveError
            If none of the lines is a record, a line never ends, another table begins in the middle
            of the file, there are several wearers, or stamps of the 15-second log cannot be
            distinguished because the seconds are missing.
        """
        seen: set[str] = set()
        for page, wearers in self._read():
            if self._wearer is not None:
                seen.update(filter(None, wearers.tolist()))
                self._require_one(seen)
            yield page

    def _require_one(self, wearers: Collection[str]) -> None:
        """Raise if there are several wearers and none was chosen."""
        if len(wearers) > 1:
            raise ArchiveError(
                f"it has the rows of several wearers ({self._wearer_column!r} is"
                f" {listed(map(repr, sorted(wearers)))}): choose one with {argument('wearer')}, or"
                f" import each into its own"
                " account with `eyelog import --split-wearers`"
            )

    def pages_by_wearer(self) -> Iterator[tuple[str, Page]]:
        """Yield the records block by block, with separate pages for each wearer.

        The pages lack the column of wearers, which would be redundant. A line that names no wearer
        is not a record. Raises as `pages` does.
        """
        if self._wearer is None:
            yield from super().pages_by_wearer()
        for page, wearers in self._read(named=True):
            for wearer in sorted(set(wearers.tolist())):
                chosen = wearers == wearer
                names = [name for name in page.columns if name != self._wearer_column]
                columns = {name: page.columns[name][chosen] for name in names}
                unknown = tuple(name for name in page.unknown if name != self._wearer_column)
                yield wearer, Page(page.log, None, page.stamps[chosen], columns, unknown)

    def _read(self, *, named: bool = False) -> Iterator[tuple[Page, npt.NDArray[np.object_]]]:
        records = 0
        with ThreadPoolExecutor(1) as pool:  # splits one block while the one before is converted
            blocks = self._split()
            coming = pool.submit(next, blocks, None)
            while (block := coming.result()) is not None:
                coming = pool.submit(next, blocks, None)
                page, wearers = self._page(block, named=named)
                records += page.n
                self._refuse_junk(records)
                yield page, wearers
        if not records and self.rows > len(self._header.before):
            lines = "its only line is not a record" if self.rows == 1 else (
                f"none of its {self.rows:,} lines is a record"
            )  # fmt: skip
            raise ArchiveError(f"{lines} ({self.faults.shown()})")

    def _refuse_junk(self, records: int) -> None:
        """Raise if nearly all of many lines are not records."""
        if self.faults.count > _PATIENCE and self.faults.count > 9 * records:
            raise ArchiveError(
                f"{self.faults.count:,} of its first {self.rows:,} lines are not records"
                f" ({self.faults.shown()})"
            )

    def _split(self) -> Iterator[_Block]:
        number = self._header.line + 1
        for block in self._blocks():
            delimiter = self._header.delimiter
            if not self._decimal:
                # Between commas, a number with a decimal comma is in quotation marks.
                quiet = delimiter == "," and b'"' not in block
                self._decimal = "" if quiet else decimal_of(block, delimiter)
                if self._decimal == ",":
                    self.notes.append(_COMMAS)
            dialect = Dialect(delimiter, self._decimal or ".")
            count = block.count(b"\n")
            yield _Block(*split(block, count, self._kinds, number, dialect), dialect)
            number += count

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
            if not is_cp932(block):
                return block
            self._encoding = "cp932"
            self.notes.append(_CP932)
        try:
            return block.decode("cp932").encode()
        except UnicodeDecodeError:
            return block  # its lines that are not UTF-8 are reported

    def _page(self, block: _Block, *, named: bool) -> tuple[Page, npt.NDArray[np.object_]]:
        table, lines, wrong, dialect = block
        self.rows += len(lines) + len(wrong)
        columns = self._columns(table, lines, wrong, dialect)
        stamps, minutes = self._stamps(table, lines, wrong, dialect)
        if self._tz == FILE_ZONE:
            columns[OFFSET] = self._offsets(table)
        wearers = self._wearers(table, lines, wrong, named=named)
        for line in sorted(wrong):
            self.faults.add(line, wrong[line])
        if wrong:
            good = ~np.isin(lines, list(wrong))
            columns = {name: values[good] for name, values in columns.items()}
            stamps, minutes = stamps[good], minutes[good]
            wearers, lines = wearers[good], lines[good]
        self._refuse_lost_seconds(stamps, minutes, lines)
        fields = catalogue(self.log)
        unknown = tuple(name for name in columns if name not in fields)
        return Page(self.log, None, stamps.view("M8[us]"), columns, unknown, lines), wearers

    def _column_of_wearers(self) -> int | None:
        own = spellings(self.log)
        folded = [fold(cell) for cell in self._header.cells]
        columns = [at for at, name in enumerate(folded) if name in WEARER and name not in own]
        return columns[0] if columns else None

    def _kind(self, at: int, name: str) -> pa.DataType:
        """Return the type of a column; columns that are not fields are text."""
        field = catalogue(self.log).get(name)
        if at == self._wearer or not name or name in _TIMES or field is None:
            return pa.string()
        return _ARROW.get(field.value_type, pa.string())

    def _columns(
        self, table: pa.Table, lines: Lines, wrong: dict[int, str], dialect: Dialect
    ) -> dict[str, Values]:
        fields = catalogue(self.log)
        columns: dict[str, Values] = {}
        for at, name in enumerate(self._names):
            if not name or name in _TIMES:
                continue
            kind = fields[name].value_type if name in fields else ""
            column = table.column(at)
            if kind == "str" or at == self._wearer:
                columns[name] = texts_of(column)
                continue
            values, bad = (
                truths_of(column) if kind == "bool" else numbers_of(column, dialect.decimal)
            )
            columns[name] = values
            if bad.any() and not kind:  # an unknown field may be text, or true and false
                truths = words_of(column)
                columns[name] = texts_of(column) if truths is None else truths
            elif bad.any():
                fault = "neither true nor false" if kind == "bool" else "not a number"
                for row in np.flatnonzero(bad).tolist():
                    wrong.setdefault(int(lines[row]), f"{name!r} is {shown(column, row)}, {fault}")
        return columns

    def _stamps(
        self, table: pa.Table, lines: Lines, wrong: dict[int, str], dialect: Dialect
    ) -> tuple[Stamps, Mask]:
        """Return the stamps, from the date or, if that is missing, from ``ut``.

        The second array marks those from a date without seconds.
        """
        stamps = np.full(table.num_rows, NEVER)
        minutes = np.zeros(table.num_rows, bool)
        times: dict[str, pa.ChunkedArray] = {
            name: table.column(self._names.index(name)) for name in _TIMES if name in self._names
        }
        if UNIX_TIME in times:
            stamps = unix_stamps(numbers_of(times[UNIX_TIME], dialect.decimal)[0])
        if "date" in times:
            missing = np.asarray(times["date"].is_null())
            self.zones |= offsets_of(times["date"])
            dates, minutes = read_stamps(times["date"], self._tz)
            stamps = np.where(missing, stamps, dates)
        for row in np.flatnonzero(stamps == NEVER).tolist():
            line = int(lines[row])
            self._refuse_second_table(table, row, line)
            texts = ", ".join(f"{name!r} is {shown(cell, row)}" for name, cell in times.items())
            wrong[line] = f"{texts}, not a stamp"
            if "date" in times and unclear(times["date"][row].as_py()):
                wrong[line] = (
                    f"{texts}, in which day and month can be confused: write dates as"
                    " 2026-10-21 07:58:00"
                )
        return stamps, minutes

    def _offsets(self, table: pa.Table) -> Values:
        """Return the offset that each date is written in, in minutes; missing if it has none."""
        if "date" not in self._names:
            return np.full(table.num_rows, np.nan)
        return minutes_of(table.column(self._names.index("date")))

    def _wearers(
        self, table: pa.Table, lines: Lines, wrong: dict[int, str], *, named: bool
    ) -> npt.NDArray[np.object_]:
        """Return the wearer of each row; a row without one is a fault if wearers are requested."""
        if self._wearer is None:
            return np.full(table.num_rows, None)
        wearers = texts_of(table.column(self._wearer))
        if not named:
            return wearers
        for row in np.flatnonzero((wearers == None) | (wearers == "")).tolist():  # noqa: E711 - by element
            wrong.setdefault(int(lines[row]), f"{self._wearer_column!r} does not name its wearer")
        return wearers

    def _refuse_lost_seconds(self, stamps: Stamps, minutes: Mask, lines: Lines) -> None:
        """Raise if records of the 15-second log share a minute because dates have no seconds.

        Their order may be known, but not their time, and only one of the four records with the same
        stamp would remain.
        """
        if log_named(self.log).interval_s % 60 == 0 or not minutes.any():
            return
        short, at = stamps[minutes], lines[minutes]
        order = np.argsort(short, kind="stable")
        ordered = short[order]
        again = np.flatnonzero(ordered[1:] == ordered[:-1])
        if len(again) or short[0] == self._last_minute:
            line = int(at[order[again[0] + 1]]) if len(again) else int(at[0])
            raise ArchiveError(
                f"line {line} has the same minute as one before it, and no seconds: a spreadsheet"
                " program has removed them, and the 15-second log has four records per minute."
                " Import the file as the app saved it, or save it again with dates in the format"
                " yyyy-mm-dd hh:mm:ss"
            )
        self._last_minute = int(short[-1])

    def _refuse_second_table(self, table: pa.Table, row: int, line: int) -> None:
        """Raise if a line is the header of another table, with other columns, in the same file."""
        names = spellings(self.log)
        if not all(fold(str(column[row].as_py())) in names for column in table.columns[:3]):
            return
        cells = [fold(str(column[row].as_py() or "")) for column in table.columns]
        if cells != [fold(cell) for cell in self._header.cells]:
            raise ArchiveError(
                f"line {line} begins another table, with other columns: split the file there"
            )
