"""What every format of a file offers: what a header says, and how what is read becomes records.

A new format is one file with a subclass of `LogFile`, and one line in `head.FORMATS`. A format says
what columns there are; which of their rows are records, and which cells are values, is decided
here, for all.

The kind of a file is recognised from its columns and never from its name. The vendor's apps write
several kinds of files side by side; only the logs of the catalogue belong in an archive. The others
are left out (`OtherKind`). Any other file that is not a log is refused, and the message says what
it is.
"""

import csv
import json
import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyelog import catalogue
from eyelog.arrow_tables import STAMP, Stamps
from eyelog.catalogue import either_log, fold, known_logs
from eyelog.clock import FILE_ZONE
from eyelog.errors import ArchiveError, ConfigurationError, MixedLogsError
from eyelog.frame import OFFSET
from eyelog.read.files import NotALog, Source
from eyelog.read.stamps import IMPOSSIBLE, NEVER, StampReader, minutes_of, shown

LINE: Final = "\0line"  # the column of the line (or else the number) of each record in its file
# A 32-bit clock, according to the vendor's table of ``ut``; milliseconds are far larger.
_LAST_SECOND: Final = 2.0**32
_SHOWN: Final = 5  # reasons that a report shows; the others are counted

Column: TypeAlias = pa.Array | pa.ChunkedArray


@dataclass
class Faults:
    """What is wrong with some lines of a file: their number, and the first line of each reason."""

    row: str = "line"  # or "row", where a file has no lines; nothing, where files are at fault
    count: int = 0
    reasons: dict[str, list[Any]] = field(default_factory=dict)  # first line, its fault, count

    def add(self, line: int | str, what: str, reason: str = "") -> None:
        """Count one line; by default, the reason is all of `what` but the value in it."""
        self.count += 1
        name, found, value = what.partition(" is ")
        reason = reason or (name + value.rpartition("', ")[2] if found else what)
        self.reasons.setdefault(reason, [line, what, 0])[2] += 1

    def shown(self) -> str:
        """Return the first line of each reason, and how many more there are."""
        lines, left = [], self.count
        for line, what, count in list(self.reasons.values())[:_SHOWN]:
            more = f" (and {count - 1:,} more)" if count > 1 else ""
            lines.append(f"{self.row} {line}: {what}{more}".strip())
            left -= count
        return "; ".join(lines) + (f"; and {left:,} more" if left else "")


class LogFile(ABC):
    """One file of a log that is being read.

    A subclass is one format. It is made from a `Source`, and raises `NotALog` if it is not a log.

    Attributes
    ----------
    log : str
        The log of the records.
    names : frozenset of str
        The fields that the file has.
    rows : int
        Rows read so far; all of them after `tables`.
    faults : Faults
        Those of them that are not records.
    exempt : int
        The number of faults that say nothing about the others: rows of nobody.
    cells : Faults
        Cells that are not values of their fields, and are missing therefore.
    aside : Faults
        Records of impossible stamps, which are set aside.
    twice : int
        Records of a time that comes twice, of which the others are taken.
    zones : set of str
        The zones, or the offsets such as ``+09:00``, of the dates read so far.
    notes : list of str
        What a user should know about the file, besides its faults.
    history : mapping
        The provenance that was saved with the records; may be empty.
    owner : str
        The wearer whom the file states for all its records; empty if it does not.
    also : tuple of str
        Other logs of which the file has records too.
    """

    marks: ClassVar[tuple[bytes, ...]]  # with one of which a file of the format begins
    pandas: ClassVar[str]  # the function of pandas that reads any table of the format
    row: ClassVar[str] = "line"  # as a message calls what holds a record
    is_text: ClassVar[bool] = True  # whether people and their programs have written its values

    names: frozenset[str]
    rows: int = 0
    exempt: int = 0
    twice: int = 0
    owner: str = ""
    also: tuple[str, ...] = ()

    def __init__(self, log: str, source: Source, stamp: str = "'date'") -> None:
        self.log, self.notes = log, source.notes
        self.faults, self.cells, self.aside = (Faults(self.row) for _ in range(3))
        self.history: Mapping[str, Any] = {}
        self._with_offsets = source.tz == FILE_ZONE
        self._stamps = StampReader(source.tz, source.dayfirst, stamp)
        self.zones = self._stamps.offsets

    @classmethod
    def recognises(cls, start: bytes) -> bool:
        """Return whether a file with these first lines has the format."""
        return start.startswith(cls.marks)

    @abstractmethod
    def tables(self) -> Iterator[pa.Table]:
        """Yield the records in the order of the file, as `records` returns them."""

    def records(
        self,
        columns: Mapping[str, Column],
        lines: Stamps,
        wrong: Mapping[int, str] = MappingProxyType({}),
        decimal: str = ".",
    ) -> pa.Table:
        """Return the records among some rows, with their lines (`LINE`), and count the others.

        Parameters
        ----------
        columns : mapping of array
            By field: texts or values, among them ``date`` (or ``ut``).
        lines : array
            The line of each row.
        wrong : mapping, optional
            The faults of other lines.
        decimal : str
            The decimal sign of numbers in texts.
        """
        wrong, fields = dict(wrong), catalogue.catalogue(self.log)
        self.rows += len(lines) + len(wrong)
        values: dict[str, Column] = {}
        cells: list[tuple[int, str]] = []
        floats = [column for column in columns.values() if column.type == pa.float64()]
        chunks = [part for column in floats for part in getattr(column, "chunks", [column])]
        # The fastest look at all of them: where one is not finite, neither is the sum.
        whole = pc.sum(pa.chunked_array(chunks, pa.float64()), min_count=0)
        are_finite = math.isfinite(whole.as_py())
        for name, column in columns.items():
            if name in TIMES:
                continue
            if name in fields:
                kind = fields[name].value_type
            else:
                kind = "float" if name == OFFSET else "str" if names_wearers(name) else ""
            if are_finite and column.type == pa.float64() and kind not in ("bool", "str"):
                values[name] = column
                continue
            values[name], bad = values_of(column, kind, decimal, is_text=self.is_text)
            what = "neither true nor false" if kind == "bool" else "not a number"
            cells += [(row, f"{name!r} is {shown(column[row])}, {what}") for row in bad]
        stamps, faults = self._stamps_of(columns, len(lines), decimal)
        if self._with_offsets and OFFSET not in values:
            date = columns.get("date", pa.nulls(len(lines), pa.string()))
            values[OFFSET] = pa.array(minutes_of(date), from_pandas=True)
        # A row that has nothing but cells that are no values is wrong.
        others = [values[name].is_valid() for name in values if cells and name != OFFSET]
        known = np.any([np.zeros(len(lines), bool), *others], axis=0)
        for row, fault in cells:
            if row not in faults and not known[row]:
                faults[row] = fault
        wrong |= {int(lines[row]): fault for row, fault in faults.items()}
        for line in sorted(wrong):
            self.faults.add(line, wrong[line])
        for row, fault in sorted(cells, key=lambda cell: cell[0]):
            if row not in faults:
                self.cells.add(int(lines[row]), fault)
        table = pa.table({"date": pa.array(stamps).cast(STAMP), **values, LINE: pa.array(lines)})
        return table.filter(pa.array(~np.isin(lines, list(wrong)))) if faults else table

    def _stamps_of(
        self, columns: Mapping[str, Column], rows: int, decimal: str
    ) -> tuple[Stamps, dict[int, str]]:
        """Return the stamps, from the date or, where that is missing, from ``ut``; and faults."""
        stamps, faults = np.full(rows, NEVER), dict[int, str]()
        if UNIX_TIME in columns:
            seconds = np.asarray(numbers_of(columns[UNIX_TIME], decimal)[0])
            good = (seconds >= 0) & (seconds <= _LAST_SECOND)
            stamps[good] = np.round(seconds[good] * 1e6)
        date = columns.get("date")
        if date is not None and pa.types.is_timestamp(date.type):
            instants = date.cast(pa.timestamp("us", date.type.tz), safe=False).cast(pa.int64())
            stamps = np.asarray(pc.fill_null(instants, NEVER))
        elif date is not None:
            read, faults = self._stamps.read(date)
            stamps = np.where(np.asarray(date.is_null()), stamps, read)
        name, column = ("date", date) if date is not None else (UNIX_TIME, columns[UNIX_TIME])
        return stamps, {
            row: faults.get(row, f"{name!r} is {shown(column[row])}, not a stamp")
            for row in np.flatnonzero(stamps == NEVER).tolist()
        }

    @property
    def names_wearers(self) -> bool:
        """Whether the file says whose records they are."""
        return bool(self.owner) or any(map(names_wearers, self.names))

    @property
    def left_out(self) -> int:
        """The number of rows that give no record."""
        return self.faults.count + self.aside.count + self.twice

    def refuse_unreadable(self) -> None:
        """Raise if more than a tenth of the lines, and more than one or all, are not records."""
        lines, wrong = self.rows - self.exempt, self.faults.count - self.exempt
        if wrong > max(1, lines / 10) or 0 < self.rows == self.faults.count:
            raise ArchiveError(
                f"{self.faults.count:,} of its {self.rows:,} lines are not records, more than a"
                f" tenth ({self.faults.shown()})"
            )

    def report(self) -> list[str]:
        """Return what a user should know about the file after it was read."""
        cells = "cell that is" if self.cells.count == 1 else "cells that are"
        found = [
            (self.faults, f"left out {{:,}} of {self.rows:,} lines that are not records"),
            (
                self.aside,
                f"set aside {{:,}} of {self.rows:,} records, whose stamps are {IMPOSSIBLE}",
            ),
            (self.cells, f"left {{:,}} {cells} no value of the field missing"),
        ]
        said = [f"{text.format(of.count)} ({of.shown()})" for of, text in found if of.count]
        return [*self.notes, *said]


# Cells as values

_MISSING: Final = pa.array(["", "nan", "null", "none", "na", "n/a", "<na>"])
_TRUE: Final = pa.array(["1", "1.0", "true"])
_FALSE: Final = pa.array(["0", "0.0", "false"])
_WORDS: Final = pa.array(["true", "false"])
_NUMBER: Final = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def values_of(
    column: Column, kind: str, decimal: str = ".", *, is_text: bool = True
) -> tuple[Column, list[int]]:
    """Return cells as values of a type of the catalogue, and the rows that have something else.

    Texts of an unknown field (an empty `kind`) are numbers, otherwise true and false, otherwise
    texts. What is not `is_text` is as a program has saved it.
    """
    if kind == "str" or not (kind or is_text):
        return (texts_of(column) if is_text else column.cast(pa.string()) if kind else column), []
    if kind == "bool" and pa.types.is_boolean(column.type):
        return column, []
    if kind == "bool" and is_text:
        words = pc.utf8_lower(pc.utf8_trim_whitespace(column.cast(pa.string())))
        true, false, missing = (pc.is_in(words, known) for known in (_TRUE, _FALSE, _MISSING))
        known = pc.or_(true, false)
        wrong = pc.invert(pc.or_(known, pc.or_(missing, words.is_null())))
        return pc.if_else(known, true, None), np.flatnonzero(wrong).tolist()
    numbers, bad = numbers_of(column, decimal)
    if kind or not bad:
        return (pc.equal(numbers, 1) if kind == "bool" else numbers), bad
    words = pc.utf8_lower(column)
    truths = pc.if_else(pc.is_in(words, _WORDS), pc.equal(words, "true"), None)
    return (truths if truths.null_count == words.null_count else texts_of(column)), []


def texts_of(column: Column) -> Column:
    """Return texts without the spaces around them."""
    column = pc.utf8_trim_whitespace(column.cast(pa.string()))
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
        except pa.ArrowInvalid:  # infinity stands for what is no number
            plain = pc.match_substring_regex(column, _NUMBER)
            column = pc.if_else(plain, pc.utf8_ltrim(column, "+"), "inf").cast(pa.float64())
    elif column.type != pa.float64():
        column = column.cast(pa.float64(), safe=False)
    if math.isfinite(pc.sum(column, min_count=0).as_py()):  # the fastest look at all of them
        return column, []
    wrong = np.flatnonzero(pc.fill_null(pc.is_inf(column), False)).tolist()
    return pc.if_else(pc.is_finite(column), column, None), wrong


# The names in a header

UNIX_TIME: Final = "ut"  # seconds since 1970, in a file without ``date``
TIMES: Final = ("date", UNIX_TIME)
_WEARER: Final = frozenset(
    {"user_id", "userid", "wearer", "wearer_id", "wearerid", "participant_id", "subject_id"}
)

# Every version of the vendor's table prints the left foot's name for both feet, the right first.
_TWICE: Final = ("zleftstepamplitudecal", "sa_zrc", "sa_zlc")


@cache
def names_wearers(column: str) -> bool:
    """Return whether a column names the wearer of each row; that of no log does."""
    return fold(column) in _WEARER


@cache
def spellings(log: str) -> Mapping[str, str]:
    """Return the field of each folded spelling that a file of `log` may use, and ``ut``."""
    return MappingProxyType({**catalogue.spellings(log), UNIX_TIME: UNIX_TIME})


@cache
def own_fields(log: str) -> frozenset[str]:
    """Return the folded spellings that only `log` has: one of them identifies the log of a file."""
    others = (set(spellings(other)) for other in known_logs() if other != log)
    return frozenset(set(spellings(log)).difference(*others))


def text_of(cell: str) -> str:
    """Return the text behind a cell that an export has written."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        try:
            text = json.loads(cell)
        except ValueError:
            return cell
        return text if isinstance(text, str) else cell
    return cell


@lru_cache(maxsize=64)  # most files of a folder have one header
def fields_of(cells: tuple[str, ...], log: str) -> tuple[str, ...]:
    """Return the field of each column of a header; an unknown name stays as it is.

    A column without a name is an empty text.

    Raises
    ------
    ArchiveError
        If two columns are the same field.
    """
    by_spelling = spellings(log)
    folded = [fold(cell) for cell in cells]
    names = [
        by_spelling.get(key, text_of(cell.strip())) for key, cell in zip(folded, cells, strict=True)
    ]
    spelling, *feet = _TWICE
    at = [i for i, key in enumerate(folded) if key == spelling]
    if feet[0] not in names and (len(at) == 2 or f"{spelling}.1" in folded):
        for i, foot in zip(at, feet, strict=False):
            names[i] = foot
    for i, name in enumerate(names):
        if name and name in names[:i]:
            first = cells[names.index(name)].strip()
            raise ArchiveError(
                f"two columns are the same field {name!r} ({first!r} and {cells[i].strip()!r}):"
                " remove one of them"
            )
    return tuple(names)


# Other kinds of files

EVENTS: Final = "head-motion events (fastHeadMotion, slowHeadMotion)"
ACTIVITY: Final = "the phone's own motion activity (motionActivity)"
_POSITIONS: Final = "the phone's own positions (location)"
_LOCATION: Final = frozenset({"latitude", "longitude"})
# One of these columns shows another kind of file; no log has any of them.
_OTHERS: Final = {
    "the one-minute log of the first generation of the eyewear, which has other fields": (
        "numsteps280", "numsteps310", "numblinks", "numblinksburst", "numstoreddata",
        "sittingpostureindices", "footholdright", "eognoiseduration", "bodymovevertical",
        "focus level", "is eog valid", "# of steps (280)", "# of steps (310)",
    ),
    "raw EOG and motion data of the academic edition": (
        "acc_x", "eog_l", "eog_l1", "eog_h", "eog_h1", "gyro_x", "quaternion_w", "quaternion_x",
    ),
    ACTIVITY: ("stationary", "automotive", "cycling"),
}  # fmt: skip


class OtherKind(NotALog):
    """A file that the app writes beside the logs; `kind` says what it has.

    An archive keeps its events; everything else leaves it out.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(f"it has {kind}")
        self.kind = kind
        self.has_events = kind in (EVENTS, ACTIVITY)


def counted_kinds(kinds: Iterable[str], what: str = "file") -> str:
    """Return a line about files that were left out because the app writes them beside a log."""
    counts = Counter(kinds)
    total = counts.total()
    what = f"1 {what} of another kind" if total == 1 else f"{total:,} {what}s of other kinds"
    each = "; ".join(f"{count:,} with {kind}" for kind, count in sorted(counts.items()))
    return f"left out: {what}: {each}"


def other_kind(names: Set[str]) -> str:
    """Return what data folded names of columns or keys show instead of a log, if they show it."""
    if {"type", "subtype", "value"} <= names:
        return EVENTS
    if names >= _LOCATION and any(names & own_fields(log) == _LOCATION for log in known_logs()):
        return _POSITIONS
    return next((kind for kind, marks in _OTHERS.items() if not names.isdisjoint(marks)), "")


# The header of a CSV file

# The number of lines in which a header is looked for.
_LINES: Final = 50
_LINE: Final = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r|$)")
# Bytes of a line, hundreds of times those of a record: a longer line has lost its line ends, or is
# nothing but delimiters, and split into cells it would take many times its size in memory.
LONGEST_LINE: Final = 65_536
_MOST_COLUMNS: Final = 1_000  # a log has fewer than a hundred
DELIMITERS: Final = (",", ";", "\t")  # if the comma is a decimal sign, lists have semicolons


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a CSV file: the log, its columns as written, and where it is."""

    log: str
    cells: tuple[str, ...]
    delimiter: str
    line: int
    end: int  # the byte after it
    is_first: bool  # whether no other text stands before it


def find_header(start: bytes, log: str | None = None) -> Header:
    """Return the header of a CSV file from its first lines.

    `log` decides if the names of the columns fit several logs.

    Raises
    ------
    NotALog
        If the file is of another kind, or none of the first fifty lines is the header of a log.
    ConfigurationError
        If `log` would have to decide.
    MixedLogsError
        If the header has fields of several logs.
    """
    first: tuple[str, ...] = ()
    for number, match in enumerate(islice(_LINE.finditer(start), _LINES), 1):
        line = match[1][:LONGEST_LINE].decode("utf-8", "replace").removeprefix("//")
        if line.startswith("sep="):
            continue  # with which a spreadsheet program names the delimiter
        for delimiter in DELIMITERS:
            cells = _cells(line, delimiter)
            if (found := log_of_names(cells, log)) is not None:
                return Header(found, cells, delimiter, number, match.end(), not first)
        if line.strip(" ,;\t"):
            first = first or _cells(line, ",")
    shown = ", ".join(repr(cell[:30]) for cell in first[:4])
    raise NotALog(
        f"it has no line that is the header of a log (it begins with {shown}): its first line must"
        " have the field names"
    )


def _cells(line: str, delimiter: str) -> tuple[str, ...]:
    try:
        cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return ()
    if len(cells) > _MOST_COLUMNS:
        raise NotALog(f"it has {len(cells):,} columns, and a log has fewer than a hundred")
    cells = [cell.strip() for cell in cells]
    while cells and not cells[-1]:
        cells.pop()  # the Logger app ends its header with a comma, but not its rows
    return tuple(cells)


@lru_cache(maxsize=64)
def log_of_names(cells: tuple[str, ...], either: str | None = None) -> str | None:
    """Return the log of a header, None for a line that is not a header.

    `either` is the log if the names fit several.
    """
    spelled = {fold(cell): cell for cell in cells}
    names, logs = spelled.keys(), known_logs()
    if other := other_kind(names):
        beside = other in (EVENTS, ACTIVITY, _POSITIONS)
        raise OtherKind(other) if beside else NotALog(f"it has {other}")
    timed = any(spellings(log).get(name) in TIMES for log in logs for name in names)
    own = {log: fields for log in logs if (fields := sorted(names & own_fields(log)))}
    if len(own) > 1:
        one, other = list(own)[:2]
        raise MixedLogsError(
            f"its header has fields of two logs ({spelled[own[one][0]]!r} is of {one!r},"
            f" {spelled[own[other][0]]!r} of {other!r})"
        )
    for log, fields in own.items():
        if timed:
            return log
        if len(fields) > 1:
            raise NotALog("its header has no column of stamps ('date' or 'ut')")
    shared = [
        cell for name, cell in spelled.items() if sum(name in spellings(log) for log in logs) > 1
    ]
    if not timed or len(shared) < 2:
        return None
    if either is None:
        raise ConfigurationError(
            f"several logs have its fields ({', '.join(shared[:4])}), so only its owner knows which"
            f" it is: pass {either_log('log={!r}'.format)}"
        )
    return either
