"""What every format of a file offers, the fields behind its columns, and its kind.

A new format is one file with a subclass of `LogFile`, and one line in `head.FORMATS`. The kind of a
file is recognised from how it begins and never from its name. The vendor's apps write several kinds
of files side by side; only the logs of the catalogue belong in an archive. The others are left out
(`OtherKind`). Any other file that is not a log is refused, and the message says what it is.
"""

import csv
import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import Any, BinaryIO, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyelog import catalogue
from eyelog.arrow_tables import STAMP
from eyelog.catalogue import fold, known_logs
from eyelog.clock import Zones
from eyelog.errors import ArchiveError, MixedLogsError
from eyelog.frame import OFFSET

FIRST: Final = 64 << 10  # bytes in which a format sees the first lines of a file
LARGEST: Final = 512 << 20  # bytes of a file that is read as a whole
IMPOSSIBLE: Final = "before 2015, when the eyewear did not exist, or more than a day from now"
LINE: Final = "\0line"  # the column of the line (or else the number) of each record in its file
_SHOWN: Final = 5  # reasons that a report shows; the others are counted


@dataclass
class Faults:
    """What is wrong with some lines of a file: their number, and the first line of each reason."""

    row: str = "line"  # or "row", where a file has no lines
    count: int = 0
    reasons: dict[str, list[Any]] = field(default_factory=dict)  # first line, its fault, count

    def add(self, line: int, what: str, reason: str = "") -> None:
        """Count one line; by default, the reason is all of `what` but the value in it."""
        self.count += 1
        name, found, value = what.partition(" is ")
        reason = reason or (name + value.rpartition("', ")[2] if found else what)
        self.reasons.setdefault(reason, [line, what, 0])[2] += 1

    def shown(self) -> str:
        """Return the first line of each reason, and how many more there are."""
        lines, left = [], self.count
        for line, what, count in list(self.reasons.values())[:_SHOWN]:
            lines.append(
                f"{self.row} {line}: {what}" + (f" (and {count - 1:,} more)" if count > 1 else "")
            )
            left -= count
        return "; ".join(lines) + (f"; and {left:,} more" if left else "")


@dataclass(frozen=True)
class Source:
    """What a format needs to read a file.

    Parameters
    ----------
    stream : binary file
        At its beginning.
    name : str
        The file, for messages.
    tz : str or Zones, optional
        The zone of dates that have no offset. With ``"file"`` the pages have the offset that each
        date is written in (``utc_offset_min``).
    log : str, optional
        The log of a file whose fields are in both.
    dayfirst : bool, optional
        Whether dates that end with the year begin with the day.
    """

    stream: BinaryIO
    name: str = ""
    tz: str | Zones | None = None
    log: str | None = None
    dayfirst: bool | None = None


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
        The number of faults that say nothing about the others: lines before the header, and those
        of nobody.
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
    names_wearers : bool
        Whether the file says whose records they are.
    also : tuple of str
        Other logs of which the file has records too.
    """

    pandas: ClassVar[str]  # the function of pandas that reads any table of the format
    row: ClassVar[str] = "line"  # as a message calls what holds a record

    names: frozenset[str]
    rows: int
    exempt: int = 0
    twice: int = 0
    owner: str = ""
    names_wearers: bool = False
    also: tuple[str, ...] = ()

    def __init__(self, log: str) -> None:
        self.log = log
        self.faults, self.cells, self.aside = (Faults(self.row) for _ in range(3))
        self.zones: set[str] = set()
        self.notes: list[str] = []
        self.history: Mapping[str, Any] = {}

    @staticmethod
    @abstractmethod
    def recognises(start: bytes) -> bool:
        """Return whether a file with these first lines (at most `FIRST` bytes) has the format."""

    @abstractmethod
    def tables(self, *, named: bool) -> Iterator[tuple[str, pa.Table]]:
        """Yield the records in the order of the file, as tables of the types of the catalogue.

        If `named`, each table is of one wearer, whose name is given with it. Otherwise a file of
        several wearers is refused.
        """

    def table(
        self,
        stamps: npt.NDArray[np.int64],
        columns: Mapping[str, Any],
        lines: npt.NDArray[np.int64],
        wrong: dict[int, str],
        cells: Sequence[tuple[int, str]],
    ) -> pa.Table:
        """Return the good ones of some rows, with their lines (`LINE`), and count the others.

        Parameters
        ----------
        stamps, columns, lines : array
            Of each row; the values that a cell does not have are missing.
        wrong : dict
            The faults of lines.
        cells : sequence of tuple
            The row and the fault of each cell that is no value; a row that has nothing else is
            wrong.
        """
        rows = sorted({row for row, _ in cells})
        present = np.zeros(len(rows), bool)
        for name, values in columns.items() if rows else ():
            if name != OFFSET:
                present |= np.asarray(values.take(pa.array(rows)).is_valid())
        nothing = {row for row, any_value in zip(rows, present, strict=True) if not any_value}
        for row, fault in cells:
            if row in nothing:
                wrong.setdefault(int(lines[row]), fault)
        for line in sorted(wrong):
            self.faults.add(line, wrong[line])
        for row, fault in sorted(cells, key=lambda cell: cell[0]):
            if int(lines[row]) not in wrong:
                self.cells.add(int(lines[row]), fault)
        table = pa.table({"date": pa.array(stamps).cast(STAMP), **columns, LINE: pa.array(lines)})
        return table.filter(pa.array(~np.isin(lines, list(wrong)))) if wrong else table

    @property
    def left_out(self) -> int:
        """The number of rows that give no record."""
        return self.faults.count + self.aside.count + self.twice

    def refuse_unreadable(self) -> None:
        """Raise if more than a tenth of the lines, and more than one, are not records."""
        lines = self.rows - self.exempt
        if self.faults.count - self.exempt > max(1, lines / 10):
            raise ArchiveError(
                f"{self.faults.count:,} of its {self.rows:,} lines are not records, more than a"
                f" tenth ({self.faults.shown()})"
            )

    def report(self) -> list[str]:
        """Return what a user should know about the file after it was read."""
        cells = "cell that is" if self.cells.count == 1 else "cells that are"
        said = [
            (self.faults, f"left out {{n}} of {self.rows:,} lines that are not records"),
            (
                self.aside,
                f"set aside {{n}} of {self.rows:,} records, whose stamps are {IMPOSSIBLE}",
            ),
            (self.cells, f"left {{n}} {cells} no value of the field missing"),
        ]
        faults = [(each, text) for each, text in said if each.count]
        return [
            *self.notes,
            *(f"{text.format(n=f'{each.count:,}')} ({each.shown()})" for each, text in faults),
        ]


def whole_of(stream: BinaryIO) -> bytes:
    """Return the content of a file of a format that is read as a whole."""
    content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ArchiveError(f"it is larger than {LARGEST >> 20} MB: split it")
    return content


UNIX_TIME: Final = "ut"  # seconds since 1970, in a file without ``date``
# Columns that name the wearer of each row in tables of several wearers; no log has them.
WEARER: Final = frozenset(
    {"user_id", "userid", "wearer", "wearer_id", "wearerid", "participant_id", "subject_id"}
)

# Every version of the vendor's table prints the left foot's name for both feet, the right first.
_TWICE: Final = ("zleftstepamplitudecal", "sa_zrc", "sa_zlc")


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


def fields_of(cells: Sequence[str], log: str) -> list[str]:
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
    spelling, right, left = _TWICE
    at = [i for i, key in enumerate(folded) if key == spelling]
    if right not in names and (len(at) == 2 or (len(at) == 1 and f"{spelling}.1" in folded)):
        names[at[0]] = right
        if len(at) == 2:
            names[at[1]] = left
    for i, name in enumerate(names):
        if name and name in names[:i]:
            first = cells[names.index(name)].strip()
            raise ArchiveError(
                f"two columns are the same field {name!r} ({first!r} and {cells[i].strip()!r}):"
                " remove one of them"
            )
    return names


AS_CSV: Final = (
    "open it in the spreadsheet program, give the dates the format yyyy-mm-dd hh:mm:ss, and save"
    " the sheet as 'CSV UTF-8'"
)

_WITH_PANDAS: Final = "read it with pandas, and save its frame with to_parquet"

# The number of lines in which a header is looked for, and its greatest length.
_LINES: Final = 50
_LINE: Final = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r|$)")
_LONGEST: Final = 65_536
_MOST_COLUMNS: Final = 1_000  # a log has fewer than a hundred
DELIMITERS: Final = (",", ";", "\t")  # if the comma is a decimal sign, lists have semicolons

_MAGIC: Final = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x89HDF\r\n\x1a\n", f"an HDF5 file: {_WITH_PANDAS}"),
    (b"ARROW1", f"an Arrow (Feather) file: {_WITH_PANDAS}"),
    (b"\x93NUMPY", "a numpy array, which has no field names"),
    *(
        (bytes([0x80, protocol]), "a pickle, which is never opened: it can run anything")
        for protocol in range(2, 6)
    ),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xd0\xcf\x11\xe0", f"an old Excel workbook: {AS_CSV}"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file: unpack it first"),
    (b"Rar!", "a RAR file: unpack it first"),
    (b"BZh", "a bzip2 file: unpack it first"),
    (b"\xfd7zXZ", "an xz file: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd file: unpack it first"),
    (b"{\\rtf", "an RTF document: save the log as plain CSV"),
)
_READ: Final = ("zip", "gzip", "utf-16-le", "utf-16-be")

_FIRST: Final = "the one-minute log of the first generation of the eyewear, which has other fields"
_LIKE_FIRST: Final = (
    "it has rows and no header, like the files of the first generation of the eyewear (2015); for a"
    " log, put the line with its field names first"
)
_EVENTS: Final = "head-motion events (fastHeadMotion, slowHeadMotion)"
_ACTIVITY: Final = "the phone's own motion activity (motionActivity)"
_POSITIONS: Final = "the phone's own positions (location)"
_RAW: Final = "raw EOG and motion data of the academic edition"
# A header with one of these names is of another kind of file; neither log has any of them.
_OTHERS: Final = {
    _FIRST: ("numsteps280", "numsteps310", "numblinks", "numblinksburst", "numstoreddata",
             "sittingpostureindices", "footholdright", "eognoiseduration", "bodymovevertical",
             "focus level", "is eog valid", "# of steps (280)", "# of steps (310)"),
    _RAW: ("acc_x", "eog_l", "eog_l1", "eog_h", "eog_h1", "gyro_x"),
    "raw quaternions of the academic edition": ("quaternion_w", "quaternion_x"),
    _ACTIVITY: ("stationary", "automotive", "cycling"),
}  # fmt: skip
# What the app writes beside the logs of every recording.
_BESIDE: Final = (_EVENTS, _ACTIVITY, _POSITIONS)
_LOCATION: Final = frozenset({"latitude", "longitude"})
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_DATE: Final = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}\b.*", re.ASCII)
TIMES: Final = ("date", UNIX_TIME)


class NotALog(ArchiveError):
    """A file that is not a log; the message says what it is instead."""


class OtherKind(NotALog):
    """A file that the app writes beside the logs; `kind` says what it has.

    An archive keeps its events; everything else leaves it out.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(f"it has {kind}")
        self.kind = kind
        self.has_events = kind in (_EVENTS, _ACTIVITY)


def counted_kinds(kinds: Iterable[str], what: str = "file") -> str:
    """Return a line about files that were left out because the app writes them beside a log."""
    counts = Counter(kinds)
    total = counts.total()
    what = f"1 {what} of another kind" if total == 1 else f"{total:,} {what}s of other kinds"
    each = "; ".join(f"{count:,} with {kind}" for kind, count in sorted(counts.items()))
    return f"left out: {what}: {each}"


class EitherLog(NotALog):
    """A table whose log is known only to its owner: its few fields are in both."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a CSV file: the log, its columns as written, and the lines up to it."""

    log: str
    cells: tuple[str, ...]
    delimiter: str
    line: int
    end: int  # the byte after it
    before: tuple[int, ...]  # numbers of the lines before it that are not blank


def kind_of_bytes(start: bytes) -> str:
    """Return how a file is to be read, or raise `NotALog`.

    That is "empty", "zip", "gzip", "utf-16-le" or "utf-16-be", or "text" for any format of a log.
    """
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            if kind in _READ:
                return kind
            raise NotALog(f"it is {kind}")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.strip(b"\0"):
        if b"\0\0" in start:  # and no blank of UTF-16
            raise NotALog("it begins with NUL bytes: a copy or a disk has lost its content")
        return "empty"
    for wide, (blank, char) in (("utf-16-le", (1, 0)), ("utf-16-be", (0, 1))):
        head = start[:64]  # without a byte order mark, but the names of columns are ASCII
        if len(head) > 8 and not head[blank::2].strip(b"\0") and b"\0" not in head[char::2]:
            return wide
    if text.startswith(b"<"):
        raise NotALog("it is an HTML or XML page, not a log")
    return "text"


def find_header(
    start: bytes, *, whole: bool, encoding: str = "utf-8", log: str | None = None
) -> Header:
    """Return the header of a CSV file from its first bytes; `whole` if those are the whole file.

    `log` decides if the names of the columns fit both logs.

    Raises
    ------
    NotALog
        If the file is of another kind, or none of the first fifty lines is the header of a log.
    MixedLogsError
        If the header has fields of both logs.
    """
    before: list[int] = []
    first: tuple[str, ...] = ()
    lines = _LINE.finditer(start, 3 if start.startswith(b"\xef\xbb\xbf") else 0)
    for number, match in enumerate(islice(lines, _LINES), 1):
        raw, end = match[1][:_LONGEST], match.end()
        if not match[0] or (end >= len(start) and not whole):
            break  # the line goes on after `start`: it is far longer than any header
        line = raw.decode(encoding, "replace").removeprefix("//")
        if line.startswith("sep="):
            continue  # with which a spreadsheet program names the delimiter
        for delimiter in DELIMITERS:
            cells = _cells(line, delimiter)
            log_of_header = log_of_names(cells, log)
            if log_of_header is not None:
                return Header(log_of_header, cells, delimiter, number, end, tuple(before))
        if line.strip(" ,;\t"):
            before.append(number)
            first = first or _cells(line, ",")
    if _is_record(first):
        raise NotALog(_LIKE_FIRST)
    shown = ", ".join(repr(cell[:30]) for cell in first[:4]) or "a line that does not end"
    raise NotALog(f"it has no line that is the header of a log (it begins with {shown})")


def _is_record(cells: Sequence[str]) -> bool:
    """Return whether a line has a date and otherwise nothing but several numbers."""
    numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in cells)
    dates = sum(_DATE.fullmatch(cell) is not None for cell in cells)
    return dates == 1 and numbers > 1 and dates + numbers == sum(map(bool, cells))


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


def other_kind(names: Set[str]) -> str:
    """Return the other kind of file that one of the folded names shows, nothing if none does."""
    return next((kind for kind, marks in _OTHERS.items() if not names.isdisjoint(marks)), "")


def event_kind(names: Set[str]) -> str:
    """Return the kind of the events that folded names of columns show, nothing for other files."""
    if {"date", "type", "subtype", "value"} <= names:
        return "head motion"
    activity = "date" in names and not names.isdisjoint(_OTHERS[_ACTIVITY])
    return "phone activity" if activity else ""


def kind_of_message(names: Set[str]) -> str:
    """Return the other kind of data that the folded keys of a message show, nothing for a log."""
    if {"type", "subtype", "value"} <= names:
        return _EVENTS
    return _POSITIONS if names >= _LOCATION else other_kind(names)


def log_of_names(cells: Sequence[str], either: str | None = None) -> str | None:
    """Return the log of a header, None for a line that is not a header.

    `either` is the log if the names fit both.
    """
    spelled = {fold(cell): cell for cell in cells}
    names = spelled.keys()
    other = other_kind(names)
    if other:
        raise OtherKind(other) if other in _BESIDE else NotALog(f"it has {other}")
    if {"type", "subtype", "value"} <= names:
        raise OtherKind(_EVENTS)
    logs = known_logs()
    own = {log: sorted(names & own_fields(log)) for log in logs}
    if any(set(fields) == _LOCATION for fields in own.values()):
        raise OtherKind(_POSITIONS)
    timed = any(spellings(log).get(name) in TIMES for log in logs for name in names)
    having = [log for log in logs if own[log]]
    if len(having) > 1:
        one, other = having[:2]
        raise MixedLogsError(
            f"its header has fields of two logs ({spelled[own[one][0]]!r} is of {one!r},"
            f" {spelled[own[other][0]]!r} of {other!r})"
        )
    for log in having:
        if timed:
            return log
        if len(own[log]) > 1:
            raise NotALog("its header has no column of stamps ('date' or 'ut')")
    shared = [
        cell for name, cell in spelled.items() if sum(name in spellings(log) for log in logs) > 1
    ]
    if timed and len(shared) > 1:
        if either is not None:
            return either
        raise EitherLog(
            f"several logs have its fields ({', '.join(shared[:4])}): it may be of any of them"
        )
    return None
