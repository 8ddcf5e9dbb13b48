"""The body of an upload, streamed into private files: raw, or the files of a form."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from anyio import to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from eyelog.service.responses import Problem

__all__ = ["Received", "disk_full", "receive", "shown_name"]

_AT_ONCE: Final = 1 << 20  # bytes that are written in one step, in a thread
_MOST_FILES: Final = 1000
_LONGEST_NAME: Final = 150  # bytes: a name in a folder has at most 255
_LONGEST_FIELD: Final = 4096
_MOST_FIELDS: Final = 20
_UNNAMED: Final = "upload"


@dataclass(frozen=True, slots=True)
class Received:
    """One file of an upload."""

    path: Path
    size: int
    sha256: bytes

    @property
    def name(self) -> str:
        """Its name, as far as it can be shown."""
        return self.path.name


async def receive(
    request: Request, folder: Path, *, name: str = "", fields: dict[str, str] | None = None
) -> list[Received]:
    """Return the files of the request's body, written into a folder when they arrive.

    A body of the type ``multipart/form-data`` has any number of files; any other body is one file,
    called `name`. The other fields of a form are put into `fields`.

    Raises
    ------
    Problem
        400 if there is no file, or the form cannot be read; 507 if the disk is full.
    """
    content_type = request.headers.get("content-type", "")
    kind, options = parse_options_header(content_type)
    files = _Files(folder)
    try:
        parts = (
            _Form(files, options.get(b"boundary", b""), {} if fields is None else fields)
            if kind == b"multipart/form-data"
            else _Raw(files, name)
        )
        waiting = bytearray()
        async for piece in request.stream():
            waiting += piece
            if len(waiting) >= _AT_ONCE:
                await to_thread.run_sync(parts.take, bytes(waiting))
                waiting.clear()
        await to_thread.run_sync(partial(parts.take, bytes(waiting), last=True))
    except OSError as error:
        raise disk_full(error) from None
    except FormParserError:
        raise Problem(400, "invalid_request", "the body is not a readable form") from None
    finally:
        files.close()
    if not any(file.size for file in files.done):
        raise Problem(400, "invalid_request", "the body has no file, or only empty ones")
    return files.done


def disk_full(error: OSError) -> Problem:
    """Return the refusal of an upload that does not fit on the disk; raise any other error."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        raise error
    return Problem(507, "insufficient_storage", "the disk of the service is full: try again later")


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


class _Files:
    """The files written so far, each in a numbered folder: two may have one name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sink: BinaryIO | None = None
        self._digest: Any = None
        self._path = folder
        self._size = 0
        self.done: list[Received] = []

    def begin(self, name: str) -> None:
        if len(self.done) >= _MOST_FILES:
            raise Problem(
                413, "content_too_large", f"more than {_MOST_FILES:,} files: send them in a zip"
            )
        home = self._folder / str(len(self.done) + 1)
        home.mkdir(mode=0o700)
        self._path, self._size, self._digest = home / shown_name(name), 0, sha256()
        handle = os.open(
            self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600
        )
        self._sink = os.fdopen(handle, "wb", buffering=0)

    def write(self, data: bytes) -> None:
        if self._sink is not None:
            self._digest.update(data)
            self._size += len(data)
            rest = memoryview(data)
            while rest:
                rest = rest[self._sink.write(rest) :]

    def end(self) -> None:
        if self._sink is not None:
            self.close()
            self.done.append(Received(self._path, self._size, self._digest.digest()))

    def close(self) -> None:
        if self._sink is not None:
            self._sink.close()
            self._sink = None


class _Raw:
    """A body that is one file."""

    def __init__(self, files: _Files, name: str) -> None:
        self._files = files
        files.begin(name)

    def take(self, data: bytes, *, last: bool = False) -> None:
        self._files.write(data)
        if last:
            self._files.end()


@dataclass
class _Form:
    """A body with several parts, of which those with a file name are files."""

    files: _Files
    boundary: bytes
    fields: dict[str, str]
    _name: bytearray = field(default_factory=bytearray)
    _value: bytearray = field(default_factory=bytearray)
    _file: str | None = None
    _field_name: str = ""
    _text_of_field: bytearray = field(default_factory=bytearray)
    _whole: bool = False

    def __post_init__(self) -> None:
        if not self.boundary:
            raise Problem(400, "invalid_request", "the form names no boundary")
        callbacks: dict[str, Callable[..., None]] = {
            "on_part_begin": self._part,
            "on_header_field": self._field,
            "on_header_value": self._text,
            "on_header_end": self._header,
            "on_headers_finished": self._begin,
            "on_part_data": self._data,
            "on_part_end": self._end_part,
            "on_end": self._end,
        }
        self._parser = MultipartParser(self.boundary, callbacks)  # type: ignore[arg-type]  # a dict of its names

    def take(self, data: bytes, *, last: bool = False) -> None:
        self._parser.write(data)
        if last:
            self._parser.finalize()
            if not self._whole:
                raise Problem(400, "invalid_request", "the form breaks off")

    def _part(self) -> None:
        self._file = None
        self._field_name = ""
        self._text_of_field.clear()

    def _field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _text(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header(self) -> None:
        if self._name.lower() == b"content-disposition":
            _, options = parse_options_header(bytes(self._value))
            if (name := options.get(b"filename")) is not None:
                self._file = name.decode("utf-8", "replace")
            else:
                self._field_name = options.get(b"name", b"").decode("utf-8", "replace")
        self._name.clear()
        self._value.clear()

    def _begin(self) -> None:
        if self._file is not None:
            self.files.begin(self._file)

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self.files.write(data[start:end])
        elif len(self._text_of_field) + end - start <= _LONGEST_FIELD:
            self._text_of_field += data[start:end]

    def _end_part(self) -> None:
        if self._file is not None:
            self.files.end()
        elif self._field_name and len(self.fields) < _MOST_FIELDS:
            self.fields[self._field_name] = self._text_of_field.decode("utf-8", "replace")

    def _end(self) -> None:
        self._whole = True
