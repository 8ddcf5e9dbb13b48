"""The body of an upload, streamed into files of a private folder until it is imported.

The folders are on the archive's disk; if that is an object store, in the folder of the service's
state, and where several hosts share that, in a folder of each host.

::

    ARCHIVE/.uploads/account=ada/0f3a.../      one upload; its process holds a lock on it

A folder whose process is dead has no lock: the next service that starts removes it. Because it has
the name of an account's folder, an erasure removes it too.
"""

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import unquote

from anyio import to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from eyelog.archive.place import check_account
from eyelog.home import make_folders
from eyelog_service.audit import lock
from eyelog_service.responses import Problem, bad_request, disk_full

_AT_ONCE: Final = 1 << 20  # bytes that are written in one step, in a thread
_MOST_FILES: Final = 1000
_LONGEST_NAME: Final = 150  # bytes: a name in a folder has at most 255
_LONGEST_FIELD: Final = 4096
_MOST_FIELDS: Final = 20
_UNNAMED: Final = "upload"


async def receive(
    request: Request, folder: Path, *, name: str = "", fields: dict[str, str] | None = None
) -> list[Path]:
    """Return the files of the request's body, written into a folder when they arrive.

    A body of the type ``multipart/form-data`` has any number of files; any other body is one file,
    called `name`. The other fields of a form are put into `fields`.

    Raises
    ------
    Problem
        400 if there is no file, or the form cannot be read; 507 if the disk is full.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    files = _Files(folder)
    try:
        if kind == b"multipart/form-data":
            boundary = options.get(b"boundary", b"")
            files = _Form(folder, boundary, {} if fields is None else fields)
        else:
            files.begin(name)
        waiting = bytearray()
        async for piece in request.stream():
            waiting += piece
            if len(waiting) >= _AT_ONCE:
                await to_thread.run_sync(files.take, bytes(waiting))
                waiting.clear()
        await to_thread.run_sync(files.take_last, bytes(waiting))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise disk_full() from None
    except FormParserError:
        raise bad_request("the body is not a readable form") from None
    finally:
        files.close()
    if not any(path.stat().st_size for path in files.done):
        raise bad_request("the body has no file, or only empty ones")
    return files.done


def shown_name(name: str) -> str:
    """Return the last part of a name without what a terminal or a file system would act on."""
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(char if char.isprintable() else "?" for char in last).strip().lstrip(".")
    ending = "".join(Path(plain).suffixes[-2:])
    while len(plain.encode("utf-8", "replace")) > _LONGEST_NAME:
        stem = plain.removesuffix(ending)
        if not stem:
            return _UNNAMED
        plain = stem[:-1] + ending
    return plain.encode("utf-8", "replace").decode() or _UNNAMED


def _too_many_files() -> Problem:
    return Problem(413, "content_too_large", f"more than {_MOST_FILES:,} files: send them in a zip")


class _Files:
    """The files written so far, each in a numbered folder: two may have one name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sink: BinaryIO | None = None
        self.done: list[Path] = []

    def begin(self, name: str) -> None:
        if len(self.done) >= _MOST_FILES:
            raise _too_many_files()
        path = self._folder / str(len(self.done) + 1) / shown_name(name)
        path.parent.mkdir(mode=0o700)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        self._sink = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
        self.done.append(path)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and self._sink is not None:
            rest = rest[self._sink.write(rest) :]

    def close(self) -> None:
        if self._sink is not None:
            self._sink.close()
            self._sink = None

    def take(self, data: bytes) -> None:
        """Take a part of the body: without a form, it is one file."""
        self.write(data)

    def take_last(self, data: bytes) -> None:
        """Take the last part."""
        self.take(data)


class _Form(_Files):
    """A body with several parts, of which those with a file name are files."""

    def __init__(self, folder: Path, boundary: bytes, fields: dict[str, str]) -> None:
        if not boundary:
            raise bad_request("the form names no boundary")
        super().__init__(folder)
        self._fields = fields
        self._header, self._value, self._text = bytearray(), bytearray(), bytearray()
        self._field = ""
        self._parts = 0
        self._whole = False
        callbacks: dict[str, Callable[..., None]] = {
            "on_part_begin": self._begin_part,
            "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
            "on_header_end": self._end_header,
            "on_part_data": self._data,
            "on_part_end": self._end_part,
            "on_end": partial(setattr, self, "_whole", True),
        }
        self._parser = MultipartParser(boundary, callbacks)  # type: ignore[arg-type]  # a dict of its names

    def take(self, data: bytes) -> None:
        self._parser.write(data)

    def take_last(self, data: bytes) -> None:
        self.take(data)
        self._parser.finalize()
        if not self._whole:
            raise bad_request("the form breaks off")

    def _begin_part(self) -> None:
        self._parts += 1
        if self._parts > _MOST_FILES + _MOST_FIELDS:  # each costs more than its bytes
            raise _too_many_files()
        self._field = ""
        self._text.clear()

    def _end_header(self) -> None:
        if self._header.lower() == b"content-disposition":
            _, options = parse_options_header(bytes(self._value))
            self._field = options.get(b"name", b"").decode("utf-8", "replace")
            name = options.get(b"filename")
            if name is not None and self._sink is None:
                self.begin(name.decode("utf-8", "replace"))
        self._header.clear()
        self._value.clear()

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._sink is not None:
            self.write(data[start:end])
        elif len(self._text) + end - start <= _LONGEST_FIELD:
            self._text += data[start:end]

    def _end_part(self) -> None:
        if self._sink is not None:
            self.close()
        elif self._field and len(self._fields) < _MOST_FIELDS:
            self._fields[self._field] = self._text.decode("utf-8", "replace")


UPLOADS: Final = ".uploads"  # hidden: Parquet tools skip it
_LOCK: Final = ".lock"
_IMPORT: Final = ".import"


class Spool:
    """The folders of uploads under way, of all processes that serve an archive.

    Parameters
    ----------
    beside : Path
        The archive's folder, or that of the state.
    """

    def __init__(self, beside: Path) -> None:
        self._root = beside / UPLOADS

    def of(self, account: str) -> Path:
        """Return the folder of an account, which need not exist."""
        return self._root / f"account={check_account(account)}"

    @contextmanager
    def folder(self, account: str) -> Iterator[tuple[Path, int]]:
        """Give a new private folder and the handle of its lock; it is removed in the end."""
        path = self.of(account) / secrets.token_hex(8)
        with self._whole(shared=True):  # nobody cleans up before it is locked
            make_folders(path)
            handle = os.open(path / _LOCK, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            lock(handle, shared=False)
        try:
            yield path, handle
        finally:
            shutil.rmtree(path, ignore_errors=True)
            os.close(handle)
            # The folder around it has the name of an account, which may be erased by now.
            with suppress(OSError), self._whole(shared=False):
                path.parent.rmdir()

    @contextmanager
    def alone(self) -> Iterator[int]:
        """Let one process of this machine import at a time: an object store has no locks.

        Gives the handle of the lock.
        """
        make_folders(self._root)
        handle = os.open(self._root / _IMPORT, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            lock(handle, shared=False)
            yield handle
        finally:
            os.close(handle)

    def clean_up(self) -> list[str]:
        """Remove the folders of dead processes; return the accounts that they belonged to."""
        accounts: set[str] = set()
        if not self._root.is_dir():
            return []
        with self._whole(shared=False):
            for path in sorted(self._root.glob("account=*/*/")):
                if self._is_dead(path):
                    shutil.rmtree(path, ignore_errors=True)
                    accounts.add(unquote(path.parent.name.removeprefix("account=")))
            for path in self._root.glob("account=*/*.part"):  # that eyelog 0.3 kept for a week
                path.unlink(missing_ok=True)
            for path in self._root.glob("account=*/"):
                with suppress(OSError):  # it is not empty
                    path.rmdir()
        return sorted(accounts)

    def bytes_of(self, account: str) -> int:
        """Return how much of an account has arrived and is not imported yet."""
        total = 0
        for parent, _, names in os.walk(self.of(account)):
            for name in names:
                with suppress(OSError):
                    total += (Path(parent) / name).stat().st_size
        return total

    def _is_dead(self, path: Path) -> bool:
        try:
            handle = os.open(path / _LOCK, os.O_RDWR)
        except OSError:
            return True
        try:
            lock(handle, shared=False, wait=False)
            return True
        except BlockingIOError:
            return False
        finally:
            os.close(handle)

    @contextmanager
    def _whole(self, *, shared: bool) -> Iterator[None]:
        """Keep others from cleaning up (shared), or from beginning an upload."""
        make_folders(self._root)
        handle = os.open(self._root / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            lock(handle, shared=shared)
            yield
        finally:
            os.close(handle)
