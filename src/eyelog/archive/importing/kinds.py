"""The kind of a file, recognised from how it begins and never from its name.

The vendor's apps write several kinds of files side by side; only the logs of the catalogue belong
in an archive. The others are left out (`OtherKind`). Any other file that is not a log is refused,
and the message says what it is.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Final

from eyelog.archive.importing.field_names import UNIX_TIME, own_fields, spellings
from eyelog.catalogue import fold, known_logs
from eyelog.errors import ArchiveError, MixedLogsError

__all__ = [
    "AS_CSV",
    "EitherLog",
    "Header",
    "NotALog",
    "OtherKind",
    "counted_kinds",
    "event_kind",
    "find_header",
    "kind_of_bytes",
    "kind_of_message",
    "log_of_names",
    "other_kind",
    "refusal_of",
]

AS_CSV: Final = (
    "open it in the spreadsheet program, give the dates the format yyyy-mm-dd hh:mm:ss, and save"
    " the sheet as 'CSV UTF-8'"
)

_WITH_PANDAS: Final = "read it with pandas, and save its frame with to_parquet"

# The number of lines in which a header is looked for, and its greatest length.
_LINES: Final = 50
_LONGEST: Final = 65_536
_MOST_COLUMNS: Final = 1_000  # a log has fewer than a hundred
_DELIMITERS: Final = (",", ";", "\t")  # if the comma is a decimal sign, lists have semicolons

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
_TIMES: Final = ("date", UNIX_TIME)


class NotALog(ArchiveError):
    """A file that is not a log; the message says what it is instead."""


class OtherKind(NotALog):
    """A file that the app writes beside the logs; `kind` says what it has.

    An archive keeps its events; everything else leaves it out.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(f"it has {kind}")
        self.kind = kind

    @property
    def has_events(self) -> bool:
        """Whether it is a file of events."""
        return self.kind in (_EVENTS, _ACTIVITY)


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
        if len(start) > 8 and not start[blank::2].strip(b"\0") and b"\0" not in start[char::2]:
            return wide  # without a byte order mark
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
    end = 3 if start.startswith(b"\xef\xbb\xbf") else 0
    before: list[int] = []
    first: tuple[str, ...] = ()
    for number in range(1, _LINES + 1):
        begin, (end, raw) = end, _line(start, end)
        if not raw and end == begin:
            break
        if end >= len(start) and not whole:
            break  # the line goes on after `start`: it is far longer than any header
        line = raw.decode(encoding, "replace").removeprefix("//")
        if line.startswith("sep="):
            continue  # with which a spreadsheet program names the delimiter
        for delimiter in _DELIMITERS:
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


def _line(start: bytes, begin: int) -> tuple[int, bytes]:
    ends = [at for at in (start.find(b"\n", begin), start.find(b"\r", begin)) if at >= 0]
    end = min(ends, default=len(start))
    after = end + (2 if start[end : end + 2] == b"\r\n" else 1)
    return min(after, len(start)), start[begin:end][:_LONGEST]


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


def refusal_of(kind: str) -> NotALog:
    """Return the error of a file of another kind: left out if the app writes it beside a log."""
    return OtherKind(kind) if kind in _BESIDE else NotALog(f"it has {kind}")


def log_of_names(cells: Sequence[str], either: str | None = None) -> str | None:
    """Return the log of a header, None for a line that is not a header.

    `either` is the log if the names fit both.
    """
    spelled = {fold(cell): cell for cell in cells}
    names = spelled.keys()
    other = other_kind(names)
    if other:
        raise refusal_of(other)
    if {"type", "subtype", "value"} <= names:
        raise OtherKind(_EVENTS)
    logs = known_logs()
    own = {log: sorted(names & own_fields(log)) for log in logs}
    if any(set(fields) == _LOCATION for fields in own.values()):
        raise OtherKind(_POSITIONS)
    timed = any(spellings(log).get(name) in _TIMES for log in logs for name in names)
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
