"""The files behind a path (itself, those of a folder, of a zip file, sheets), and their content.

The content is unpacked, and its text is in UTF-8. Spreadsheet programs save UTF-16, which shows in
the first bytes, and the encoding of their country, which does not: it can only be named, or
guessed.

Nothing is unpacked onto the disk, so names inside a zip file are only shown. Unpacking in memory is
bounded, so that a small file cannot unpack without end.
"""

import codecs
import csv
import gzip
import io
import lzma
import math
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from eyelog.clock import Zones
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import matching

FIRST: Final = 64 << 10  # bytes in which a format sees the first lines of a file
BLOCK: Final = 4 << 20
LARGEST: Final = 2 << 30  # bytes of one file, unpacked
_LARGEST_WHOLE: Final = 512 << 20  # bytes of a file that is read as a whole
_LARGEST_ZIP: Final = 8 << 30  # bytes of all files of one zip file, unpacked
_UNSUSPECTED: Final = 16 << 20  # bytes that any file may unpack to, however small it is
# Blank lines and the like pack to a thousandth, logs to a twentieth, and logs without any value, as
# indented JSON, to some hundredths.
_DENSEST: Final = 500
_TOO_DENSE: Final = (
    f"it unpacks to more than {_DENSEST} times its size, or than {LARGEST >> 30} GB, which a log"
    " does not"
)
_MEMBERS: Final = 20_000
_CUT_OFF: Final = "it breaks off before its end, and the whole lines in it were read"
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")  # of the order of bytes
_UNREADABLE: Final = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,  # packed by a method that Python does not have
    pa.ArrowException,
)

AS_CSV: Final = (
    "open it in the spreadsheet program, give the dates the format yyyy-mm-dd hh:mm:ss, and save"
    " the sheet as 'CSV UTF-8'"
)
_UNPACK: Final = "unpack it first"
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
# What is no log, by its first bytes
_OTHERS: Final = {
    f"packed a second time, or as 7z, RAR, bzip2, xz or zstd: {_UNPACK}": (
        _GZIP, *_ZIP, b"7z\xbc\xaf\x27\x1c", b"Rar!", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd",
    ),
    f"an old Excel workbook: {AS_CSV}": (b"\xd0\xcf\x11\xe0",),
    "a file of another program (Arrow, HDF5, numpy, SQLite): save its table as Parquet or CSV": (
        b"ARROW1", b"\x89HDF\r\n\x1a\n", b"\x93NUMPY", b"SQLite format 3\x00",
    ),
    "a pickle, which is never opened: it can run anything": (
        b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05",
    ),
    "a document or a picture (PDF, RTF, PNG, JPEG), not a table": (
        b"%PDF", b"{\\rtf", b"\x89PNG", b"\xff\xd8\xff",
    ),
    "an HTML or XML page, not a log": (b"<",),
}  # fmt: skip


class NotALog(ArchiveError):
    """A file that is not a log; the message says what it is instead."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file: its name as shown, and how to open it or why it cannot be opened.

    `size` is its size in bytes on the disk, or unpacked if it is a member of a zip file.
    """

    name: str
    open: Callable[[], Any] | None  # a binary file, as a context manager
    trouble: str = ""
    size: int = 0
    is_sheet: bool = False  # of a workbook, in which a day is its midnight


@dataclass
class Source:
    """The content of a file, of which a format takes the whole, or of a text the lines in UTF-8.

    Parameters
    ----------
    stream : binary file
        At its beginning, and unpacked.
    name : str
        The file, for messages.
    tz : str or Zones, optional
        The zone of dates that have no offset. With ``"file"`` the records have the offset that each
        date is written in (``utc_offset_min``).
    log : str, optional
        The log of a file whose fields are in both.
    dayfirst : bool, optional
        Whether dates that end with the year begin with the day.
    encoding : str, optional
        That of a text.
    largest : float
        The number of bytes that it may have.

    Attributes
    ----------
    start : bytes
        The first lines (at most `FIRST` bytes), from the first character on.
    ended : bool
        Whether `blocks` has given all of it.
    notes : list of str
        What a user should know, when it was read.
    """

    stream: Any
    name: str = ""
    tz: str | Zones | None = None
    log: str | None = None
    dayfirst: bool | None = None
    encoding: str | None = None
    largest: float = math.inf
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._given, self._cut_off, self.ended = 0, False, False
        first = self._read(FIRST)
        wide = _utf_16_of(first)
        for mark in _MARKS:
            first = first.removeprefix(mark)
        self._first = start = first
        # A character that is cut off makes its line invalid, which is then reported.
        self._errors = "replace" if wide else "strict"
        if wide:
            self.encoding = wide
            start = first.decode(wide, "replace").encode()
        self.start = begins = start.lstrip()
        for kind, magic in _OTHERS.items():
            if begins.startswith(magic):
                raise NotALog(f"it is {kind}")
        if begins.startswith((b"{", b"[")) and not wide:
            self.encoding = None  # JSON is UTF-8
        self.is_empty = not begins.strip(b"\0")
        if self.is_empty and b"\0\0" in begins:
            raise NotALog("it begins with NUL bytes: a copy or a disk has lost its content")

    def _read(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` at the end alone."""
        pieces, left = list[bytes](), size
        while left:
            try:
                piece = self.stream.read1(left)
            except EOFError:  # of a gzip file
                if not self._given and not pieces:
                    raise
                self._cut_off, piece = True, b""
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        self._given += size - left
        if self._given > self.largest:
            raise ArchiveError(_TOO_DENSE)
        return b"".join(pieces)

    def whole(self) -> bytes:
        """Return the content as it is."""
        return _joined(chain([self._first], iter(partial(self._read, BLOCK), b"")))

    def text(self) -> bytes:
        """Return the whole text in UTF-8, its lines ended by line feeds."""
        return _joined(self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """Yield whole lines in UTF-8, or what there is of a line that is longer than a block.

        The last line of a gzip file that is cut off is left out: half a number is a number too.
        """
        decoder = self.encoding and codecs.getincrementaldecoder(self.encoding)(self._errors)

        def in_utf_8(content: bytes) -> bytes:
            try:
                text = decoder.decode(content, self.ended) if decoder else ""
            except UnicodeError as error:
                found = str(error)
                if isinstance(error, UnicodeDecodeError):
                    found = f"it has the byte {error.object[error.start]:#04x}"
                raise ArchiveError(
                    f"it is not text in {self.encoding} ({found}): name another"
                ) from None
            return text.encode("utf-8", "replace") if decoder else content

        rest, guess, given = in_utf_8(self._first), "", False
        while not self.ended:
            added = self._read(BLOCK)
            self.ended = len(added) < BLOCK
            added = in_utf_8(added)
            # A carriage return at the very end may be half of a line end.
            end = max(added.rfind(b"\n"), added.rfind(b"\r", 0, -1)) + 1
            if not (end or self.ended or len(rest) + len(added) >= BLOCK):
                rest += added
                continue
            end = len(added) if self.ended or not end else end
            block, rest = b"".join([rest, memoryview(added)[:end]]), added[end:]
            if b"\r" in block:
                block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if self._cut_off:
                block = block[: block.rfind(b"\n") + 1]
                if not (given or block.strip()):
                    raise ArchiveError(
                        "it breaks off before the end of its first line, so nothing of it can be"
                        " read: copy or save it again"
                    )
                self.notes.append(_CUT_OFF)
            if not decoder and not guess and (guess := _guess(block)):
                self.notes.append(
                    f"it is not UTF-8, and was read as {_CALLED[guess]}, which is a guess: if its"
                    " texts look wrong, name its encoding with encoding='euc_jp' (--encoding"
                    " euc_jp) or another"
                )
            with suppress(UnicodeDecodeError):  # lines that are not text are reported
                block = block.decode(guess).encode() if guess else block
            if block:
                given = True
                yield block


def _joined(pieces: Iterable[bytes]) -> bytes:
    """Return the content of a file of a format that is read as a whole."""
    taken, size = list[bytes](), 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size > _LARGEST_WHOLE:
            raise ArchiveError(f"it is larger than {_LARGEST_WHOLE >> 20} MB: split it")
    return b"".join(taken)


@contextmanager
def opened(file: InputFile, **options: Any) -> Iterator[Source]:
    """Open a file; give its content, unpacked; `options` are those of a `Source`.

    Raises
    ------
    ArchiveError
        If it cannot be opened or read, or its kind is not that of a log (`NotALog`).
    """
    if file.open is None:
        raise NotALog(file.trouble)
    try:
        with ExitStack() as stack:
            stream: Any = stack.enter_context(file.open())
            stream = io.BufferedReader(stream)
            if stream.peek(2).startswith(_GZIP):
                stream = stack.enter_context(gzip.GzipFile(fileobj=stream))
                options["largest"] = min(LARGEST, max(_UNSUSPECTED, _DENSEST * file.size))
            yield Source(stream, file.name, **options)
    except _UNREADABLE as error:
        raise ArchiveError(f"it cannot be read: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(reason.split())


def input_files(paths: Iterable[Path]) -> Iterator[InputFile]:
    """Yield the files behind paths, each once; those of folders and zip files in order of names.

    A path that does not exist may be a pattern, such as ``logger/*.csv``, that no shell has
    expanded. Open each file before taking the next: members of a zip file share its handle.

    Raises
    ------
    ConfigurationError
        If a path does not exist.
    """
    every: list[Path] = []
    for path in paths:
        if not (matches := matching(path)):
            raise ConfigurationError(f"there is no file or folder {path}: nothing was read")
        every += matches
    seen: set[Path] = set()
    for path in every:
        for entry in _walk(path) if path.is_dir() else [path]:
            if isinstance(entry, InputFile):
                yield entry
            elif entry.is_symlink():  # it may lead anywhere, and a message may quote what is there
                yield _refused(entry, "it is a link: give the file itself")
            elif (real := entry.resolve()) not in seen:
                seen.add(real)
                yield from _files_of(entry)


def _walk(folder: Path) -> Iterator[Path | InputFile]:
    failed: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=failed.append):
        folders[:] = sorted(name for name in folders if not _hidden(name))
        for name in folders:
            path = os.path.join(root, name)  # noqa: PTH118 - as os.walk gives it
            if os.path.islink(path):  # noqa: PTH114
                yield _refused(path, "it is a link to a folder: give that folder itself")
        yield from (Path(root) / name for name in sorted(names) if not _hidden(name))
    for error in failed:
        yield _refused(error.filename, f"it cannot be listed: {error.strerror}")


def _hidden(name: str) -> bool:
    """Return whether a file is hidden or made by the file system itself, such as .DS_Store."""
    dotted = name.startswith(".") and name.strip(".") != ""  # ".." is not the name of a file
    return dotted or name in ("__MACOSX", "Thumbs.db", "desktop.ini")


def _refused(path: str | os.PathLike[str], why: str) -> InputFile:
    return InputFile(_shown(os.fspath(path)), None, why)


def _shown(name: str) -> str:
    """Return a name without characters that a terminal would act on."""
    return "".join(char if char.isprintable() else "?" for char in name)


def _files_of(path: Path) -> Iterator[InputFile]:
    """Yield a file, or the members of a zip file, or the sheets of a workbook."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            yield _refused(path, "it is not a regular file")
            return
        with path.open("rb") as file:
            zipped = file.read(4) in _ZIP
    except OSError as error:
        yield _refused(path, f"it cannot be read: {error.strerror}")
        return
    if not zipped:
        yield InputFile(
            _shown(os.fspath(path)), partial(path.open, "rb", buffering=0), size=about.st_size
        )
        return
    try:
        with zipfile.ZipFile(path) as box:
            members = [info for info in box.infolist() if not info.is_dir()]
            names = {info.filename for info in members}
            unpacked = sum(info.file_size for info in members)
            if "xl/workbook.xml" in names:
                yield from _sheets(path, suspect=_too_dense(unpacked, about.st_size))
            elif "[Content_Types].xml" in names or "META-INF/manifest.xml" in names:
                yield _refused(path, f"it is an Office document: {AS_CSV}")
            elif len(members) > _MEMBERS or unpacked > _LARGEST_ZIP:
                most = f"{_MEMBERS:,} files or {_LARGEST_ZIP >> 30} GB"
                yield _refused(path, f"it has more than {most}: split it")
            else:
                for info in sorted(members, key=lambda info: info.filename):
                    name = f"{path}: {info.filename}"
                    if any(_hidden(part) for part in info.filename.split("/")):
                        continue
                    if info.flag_bits & 1:
                        yield _refused(name, f"it is encrypted: {_UNPACK}")
                    elif _too_dense(info.file_size, info.compress_size):
                        yield _refused(name, _TOO_DENSE)
                    else:  # no more is unpacked than the zip file says
                        yield InputFile(_shown(name), partial(box.open, info), size=info.file_size)
    except _UNREADABLE as error:
        yield _refused(path, f"it is a damaged zip file: {_reason(error)}")


def _too_dense(unpacked: int, packed: int) -> bool:
    """Return whether something unpacks to more than a log does."""
    return unpacked > min(LARGEST, max(_UNSUSPECTED, _DENSEST * packed))


MIDNIGHT: Final = " 00:00:00"  # of a day in a sheet


def _sheets(path: Path, *, suspect: bool) -> Iterator[InputFile]:
    """Yield the sheets of an Excel workbook that have a cell, as the CSV that Excel would save.

    Dates are written as ``YYYY-MM-DD hh:mm:ss``, to the millisecond that Excel can hold. Formulas
    are read as the value that they had when the workbook was saved, and of merged cells the first
    has the value.
    """
    try:
        import python_calamine
    except ImportError:
        install = f"`pip install 'eyelog[excel]'` to read it, or {AS_CSV}"
        yield _refused(path, f"it is an Excel workbook: {install}")
        return
    if suspect:
        yield _refused(path, _TOO_DENSE)
        return
    sheets: dict[str, bytes] = {}
    try:
        with python_calamine.CalamineWorkbook.from_path(path) as book:
            for about in book.sheets_metadata:
                if about.typ != python_calamine.SheetTypeEnum.WorkSheet:
                    continue
                rows = book.get_sheet_by_name(about.name).to_python(skip_empty_area=False)
                text = io.StringIO(newline="")
                csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
                if text.getvalue().strip(",\n"):
                    sheets[about.name] = text.getvalue().encode()
    # A damaged workbook raises anything; a panic of the package is no Exception.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        yield _refused(path, f"it is a damaged Excel workbook ({type(error).__name__}): {AS_CSV}")
        return
    for title, content in (sheets or {"": b""}).items():
        name = f"{path}: {title}" if len(sheets) > 1 else f"{path}"
        yield InputFile(
            _shown(name), partial(io.BytesIO, content), size=len(content), is_sheet=True
        )


def _cell(value: Any) -> str:
    if isinstance(value, date):
        if not isinstance(value, datetime):  # midnight: Excel itself knows only instants
            return f"{value.isoformat()}{MIDNIGHT}"
        # A fraction of a day, as Excel has it, is off by less than half a millisecond.
        stamp = value + timedelta(microseconds=500)
        stamp = stamp.replace(microsecond=stamp.microsecond // 1000 * 1000)
        return stamp.isoformat(sep=" ", timespec="milliseconds" if stamp.microsecond else "seconds")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


# The encoding of text

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


def _utf_16_of(start: bytes) -> str:
    """Return which UTF-16 a text begins with, nothing for another text."""
    for encoding, mark, blank in (("utf-16-le", _MARKS[1], 1), ("utf-16-be", _MARKS[2], 0)):
        head = start[:64]  # without a byte order mark, but the names of columns are ASCII
        plain = not head[blank::2].strip(b"\0") and b"\0" not in head[1 - blank :: 2]
        if head.startswith(mark) or (len(head) > 8 and plain):
            return encoding
    return ""


def _guess(lines: bytes) -> str:
    """Return the likely encoding of whole lines; nothing if most that are not ASCII are UTF-8.

    They are of another encoding if all of them can be decoded in it without private-use characters.
    Japanese text in EUC-JP has high bytes in pairs; in western text a high byte is a single letter
    beside ASCII letters.
    """
    if lines.isascii():
        return ""
    special = [line for line in lines.splitlines() if not line.isascii()]
    if 2 * sum(_decodes(line, "utf-8") for line in special) >= len(special):
        return ""
    runs = _HIGH.findall(lines)
    if all(len(run) % 2 == 0 and min(run) > 0xA0 for run in runs) and _decodes(lines, "euc_jp"):
        return "euc_jp"
    letters = sum(map(len, _LETTER.findall(lines)))
    if _WESTERN.issuperset(b"".join(runs)) and letters >= 0.8 * sum(map(len, runs)):
        return "cp1252"
    return "cp932" if _decodes(lines, "cp932") else ""


def _decodes(text: bytes, encoding: str) -> bool:
    try:
        return _PRIVATE.search(text.decode(encoding)) is None
    except UnicodeDecodeError:
        return False
