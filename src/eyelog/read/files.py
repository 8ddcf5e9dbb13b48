"""The files behind a path: the file itself, those of a folder, or those of a zip file; their text.

Spreadsheet programs save UTF-16, which shows in the first bytes, and the encoding of their country,
which does not: it can only be named, or guessed.

Nothing is unpacked onto the disk, so names inside a zip file are only shown. Unpacking in memory is
bounded, so that a small file cannot unpack without end.
"""

import codecs
import csv
import gzip
import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import pyarrow as pa

from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import matching
from eyelog.read.format import AS_CSV, FIRST, NotALog, kind_of_bytes, whole_of

LARGEST: Final = 2 << 30  # bytes of one file, unpacked
_LARGEST_ZIP: Final = 8 << 30  # bytes of all files of one zip file, unpacked
_UNSUSPECTED: Final = 16 << 20  # bytes that any file may unpack to, however small it is
_DENSEST: Final = 500  # of a log without a value, indented JSON comes closest to it
_MEMBERS: Final = 20_000
_PIECE: Final = 1 << 18
_LONGEST_LINE: Final = 1 << 20
WORKBOOK: Final = "an Excel workbook"
_CUT_OFF: Final = "it breaks off before its end, and the whole lines in it were read"
_UTF_16: Final = "it is not UTF-8 but UTF-16, and was read as that"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_UNREADABLE: Final = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,  # packed by a method that Python does not have
    pa.ArrowException,
)


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file: its name as shown, and how to open it or why it cannot be opened.

    `size` is its size in bytes on the disk, or unpacked if it is a member of a zip file.
    """

    name: str
    open: Callable[[], AbstractContextManager[BinaryIO]] | None
    trouble: str = ""
    size: int = 0
    is_sheet: bool = False  # of a workbook, in which a day is its midnight


class _Bounded(io.RawIOBase):
    """A stream that raises `ArchiveError` once it unpacks to more than a log can have.

    That is more than the budget has left, or far more than a log could: blank lines and the like
    pack to a thousandth, logs to a twentieth, and logs without any value to a hundredth.
    """

    def __init__(self, inner: Any, budget: list[int], packed: Callable[[], int]) -> None:
        self._inner = inner
        self._budget = budget
        self._packed = packed  # bytes of the content read so far
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._taken(len(buffer))
        self._budget[0] -= len(data)
        self._given += len(data)
        if self._budget[0] < 0:
            raise ArchiveError("it unpacks to more than a log can have: reading stopped")
        if self._given > _UNSUSPECTED and self._given > _DENSEST * self._packed():
            raise ArchiveError(
                f"it unpacks to more than {_DENSEST} times its size, which a log does not: reading"
                " stopped"
            )
        buffer[: len(data)] = data
        return len(data)

    def _taken(self, most: int) -> bytes:
        return cast(bytes, self._inner.read(most))


class Unzipped(_Bounded):
    """The content of a gzip file; of one that is cut off, the whole lines.

    The truncated line is left out: half a number is a number too.

    Attributes
    ----------
    cut_off : bool
        Whether the file was truncated; known when everything has been read.
    """

    def __init__(self, inner: gzip.GzipFile, packed: Callable[[], int]) -> None:
        super().__init__(inner, [LARGEST], packed)
        self.cut_off = False
        self._line = b""  # the beginning of a line that is not whole yet
        self._ready = b""

    def _taken(self, most: int) -> bytes:
        while not self._ready:
            try:
                data = self._inner.read1(_PIECE)  # gives what comes before the end, then raises
            except EOFError:
                if not self._given:
                    raise
                self.cut_off = True
                self._line = b""
                return b""
            if not data:
                self._ready, self._line = self._line, b""
                break
            whole = data.rfind(b"\n") + 1
            if whole:
                self._ready, self._line = self._line + data[:whole], data[whole:]
            else:
                self._line += data
            if len(self._line) > _LONGEST_LINE:  # as of an answer: no line to wait for
                self._ready, self._line = self._ready + self._line, b""
        taken, self._ready = self._ready[:most], self._ready[most:]
        return taken


@contextmanager
def opened(
    file: InputFile, notes: list[str] | None = None
) -> Iterator[tuple[str, "io.BufferedReader[io.RawIOBase]"]]:
    """Open a file; give "text" or "empty", and its bytes, unpacked, those of UTF-16 as UTF-8.

    When it was read, `notes` have what a user should know.

    Raises
    ------
    ArchiveError
        If it cannot be opened or read, or its kind is not that of a log (`NotALog`).
    """
    if file.open is None:
        raise NotALog(file.trouble)
    notes = [] if notes is None else notes
    try:
        with ExitStack() as stack:
            stream = io.BufferedReader(cast(Any, stack.enter_context(file.open())), FIRST)
            kind, unzipped = kind_of_bytes(stream.peek(FIRST)), None
            if kind == "gzip":
                packed = stack.enter_context(gzip.GzipFile(fileobj=stream))
                unzipped = Unzipped(packed, stream.tell)
                stream = io.BufferedReader(unzipped, FIRST)
                kind = kind_of_bytes(stream.peek(FIRST))
            if kind == "zip":
                with suppress(zipfile.BadZipFile):
                    box = zipfile.ZipFile(io.BytesIO(stream.read(_UNSUSPECTED)))
                    if office := _office(set(box.namelist())):
                        remedy = ": unpack it first" * (office == WORKBOOK)
                        raise NotALog(f"it is {office}{remedy}")
            if kind in ("zip", "gzip"):
                raise NotALog(f"it is a {kind} file: unpack it first")
            text = stream
            if kind.startswith("utf-16"):
                text = recoded(stream, kind)
                kind = kind_of_bytes(text.peek(FIRST)[:FIRST])
                notes.append(_UTF_16)
            yield kind, text
            if unzipped is not None and unzipped.cut_off:
                notes.append(_CUT_OFF)
    except _UNREADABLE as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ArchiveError(f"it cannot be read: {' '.join(reason.split())}") from error


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
            elif entry.is_symlink():
                yield from _file(entry)
            elif (real := entry.resolve()) not in seen:
                seen.add(real)
                yield from _file(entry)


def _walk(folder: Path) -> Iterator[Path | InputFile]:
    failed: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=failed.append):
        folders[:] = sorted(name for name in folders if not _hidden(name))
        for name in folders:
            if (Path(root) / name).is_symlink():
                link = "it is a link to a folder: give that folder itself"
                yield InputFile(_shown(os.path.join(root, name)), None, link)  # noqa: PTH118 - as os.walk gives it
        yield from (Path(root) / name for name in sorted(names) if not _hidden(name))
    for error in failed:
        yield InputFile(_shown(str(error.filename)), None, f"it cannot be listed: {error.strerror}")


def _hidden(name: str) -> bool:
    """Return whether a file is hidden or made by the file system itself, such as .DS_Store."""
    dotted = name.startswith(".") and name.strip(".") != ""  # ".." is not the name of a file
    return dotted or name in ("__MACOSX", "Thumbs.db", "desktop.ini")


def _file(path: Path) -> Iterator[InputFile]:
    if path.is_symlink():  # it may lead anywhere, and a message may quote what is there
        yield InputFile(_shown(os.fspath(path)), None, "it is a link: give the file itself")
        return
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            yield InputFile(_shown(os.fspath(path)), None, "it is not a regular file")
            return
        with path.open("rb") as file:
            zipped = file.read(4) in _ZIP
        size = path.stat().st_size
    except OSError as error:
        yield InputFile(_shown(os.fspath(path)), None, f"it cannot be read: {error.strerror}")
        return
    if zipped:
        yield from _members(path)
    else:
        content = partial(path.open, "rb", buffering=0)
        yield InputFile(_shown(os.fspath(path)), cast(Any, content), size=size)


def _members(path: Path) -> Iterator[InputFile]:
    shown = _shown(os.fspath(path))
    try:
        with zipfile.ZipFile(path) as box:
            members = [info for info in box.infolist() if not info.is_dir()]
            office = _office({info.filename for info in members})
            if office == WORKBOOK:
                yield from _sheets(path, shown, members)
                return
            if office:
                yield InputFile(shown, None, f"it is {office}")
                return
            if len(members) > _MEMBERS:
                yield InputFile(shown, None, f"it has more than {_MEMBERS:,} files: split it")
                return
            budget = [_LARGEST_ZIP]
            for info in sorted(members, key=lambda info: info.filename):
                if not any(_hidden(part) for part in info.filename.split("/")):
                    yield _member(shown, box, info, budget)
    except _UNREADABLE as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield InputFile(shown, None, f"it is a damaged zip file: {reason}")


def _sheets(path: Path, shown: str, members: list[zipfile.ZipInfo]) -> Iterator[InputFile]:
    """Yield the sheets of an Excel workbook as CSV files."""
    unpacked = sum(info.file_size for info in members)
    trouble = missing_reader()
    if unpacked > max(_UNSUSPECTED, _DENSEST * path.stat().st_size) or unpacked > LARGEST:
        trouble = "an Excel workbook that unpacks to far more than a log can have"
    if trouble:
        yield InputFile(shown, None, f"it is {trouble}")
        return
    try:
        sheets = sheets_as_csv(path)
    except ArchiveError as error:
        yield InputFile(shown, None, str(error))
        return
    for title, content in sheets.items():
        name = shown if len(sheets) == 1 else f"{shown}: {_shown(title)}"
        yield InputFile(name, partial(io.BytesIO, content), size=len(content), is_sheet=True)
    if not sheets:
        yield InputFile(shown, partial(io.BytesIO, b""), size=0)


def _office(names: Set[str]) -> str:
    """Return which kind of Office document a zip file with these members is, if it is one."""
    if "xl/workbook.xml" in names:
        return WORKBOOK
    if "xl/workbook.bin" in names:
        return f"a binary Excel workbook: {AS_CSV}"
    if {"content.xml", "META-INF/manifest.xml"} <= names:
        return f"an OpenDocument file: {AS_CSV}"
    return "an Office document: save the log as CSV" if "[Content_Types].xml" in names else ""


def _member(
    shown: str, box: zipfile.ZipFile, info: zipfile.ZipInfo, budget: list[int]
) -> InputFile:
    name = f"{shown}: {_shown(info.filename)}"
    if info.flag_bits & 1:
        return InputFile(name, None, "it is encrypted: unpack it first")

    @contextmanager
    def start() -> Iterator[BinaryIO]:
        with box.open(info) as packed:
            yield cast(BinaryIO, _Bounded(packed, budget, lambda: info.compress_size))

    return InputFile(name, start, size=info.file_size)


def _shown(name: str) -> str:
    """Return a name without characters that a terminal would act on."""
    return "".join(char if char.isprintable() else "?" for char in name)


MIDNIGHT: Final = " 00:00:00"  # of a day in a sheet
_HALF_MS: Final = timedelta(microseconds=500)


def missing_reader() -> str:
    """Return what to do if the package that reads workbooks is not installed, otherwise nothing."""
    try:
        import python_calamine  # noqa: F401 - only whether it is there
    except ImportError:
        return f"an Excel workbook: `pip install 'eyelog[excel]'` to read it, or {AS_CSV}"
    return ""


def sheets_as_csv(path: Path) -> dict[str, bytes]:
    """Return the sheets that have a cell, as the CSV in UTF-8 that Excel would save, by name.

    Dates are written as ``YYYY-MM-DD hh:mm:ss``, to the millisecond that Excel can hold. Formulas
    are read as the value that they had when the workbook was saved, and of merged cells the first
    has the value.

    Raises
    ------
    ArchiveError
        If the workbook is damaged.
    """
    import python_calamine

    sheets = {}
    try:
        with python_calamine.CalamineWorkbook.from_path(path) as book:
            for about in book.sheets_metadata:
                if about.typ != python_calamine.SheetTypeEnum.WorkSheet:
                    continue
                rows = book.get_sheet_by_name(about.name).to_python(skip_empty_area=False)
                text = io.StringIO(newline="")
                writer = csv.writer(text, lineterminator="\n")
                writer.writerows(map(_cell, row) for row in rows)
                if text.getvalue().strip(",\n"):
                    sheets[about.name] = text.getvalue().encode()
    # A damaged workbook raises anything; a panic of the package is no Exception.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        raise ArchiveError(
            f"it is a damaged Excel workbook ({type(error).__name__}): {AS_CSV}"
        ) from error
    return sheets


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        if not isinstance(value, datetime):  # midnight: Excel itself knows only instants
            return f"{value.isoformat()}{MIDNIGHT}"
        stamp = value + _HALF_MS  # a fraction of a day, as Excel has it, is off by less
        stamp = stamp.replace(microsecond=stamp.microsecond // 1000 * 1000)
        return stamp.isoformat(sep=" ", timespec="milliseconds" if stamp.microsecond else "seconds")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


# The encoding of text

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


def _decodes(text: bytes, encoding: str) -> bool:
    try:
        return _PRIVATE.search(text.decode(encoding)) is None
    except UnicodeDecodeError:
        return False
