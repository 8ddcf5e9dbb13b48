"""POST /v1/records: files of records into the archive, either all of an upload or nothing.

A body is streamed into files of a private folder until it is imported. The folders are on the
archive's disk; if that is an object store, in the folder of the service's state, and where several
hosts share that, in a folder of each host.

::

    ARCHIVE/.uploads/account=ada/0f3a.../      one upload; its process holds a lock on it

A folder whose process is dead has no lock: the next service that starts removes it. Because it has
the name of an account's folder, an erasure removes it too.

A small upload is imported here, any other in a process of its own by the pipeline of `eyelog
import`: reading files takes a whole core there, it delays no other request, and its memory is
released. Summaries, figures and reports are made in such processes too. A process ends with the one
that started it. It holds the locks of the upload too, so that nobody clears its private folder, or
imports into the account, in the meantime.

An account may be erased while something of it comes in. An erasure is noted first, then the
account's row goes, then the records: so an account that has its row, and no more notes than at the
beginning, is erased later or not at all.
"""

import gzip
import json
import logging
import os
import re
import secrets
import shutil
import subprocess
import sys
import threading
import traceback
import warnings
import zlib
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.parse import parse_qsl, unquote
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, Lock, WouldBlock, to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request
from starlette.responses import Response

from eyelog.archive.check import bytes_of_account
from eyelog.archive.intake import conflicts_of, import_files
from eyelog.archive.lists import locked, months
from eyelog.archive.place import archive_errors, check_account
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import known_logs
from eyelog.clock import as_zones
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import is_full, make_folders
from eyelog.read.files import check_encoding, input_files
from eyelog.read.head import FileReport
from eyelog.read.overlay import CLOCKS
from eyelog_service import ended, web
from eyelog_service.audit import lock
from eyelog_service.ended import account_digest
from eyelog_service.grants import Bearer, Registry
from eyelog_service.oauth import may_write
from eyelog_service.records import HourlyLimits
from eyelog_service.web import note

_TASK_S: Final = 600.0
_LONGEST_FAULT: Final = 4000  # bytes: less than a pipe holds

# With -P, no file in the current folder is mistaken for a module.
_PROGRAM: Final = (
    "import json, sys; told = json.loads(sys.stdin.readline()); sys.path[:] = told.pop('path');"
    f" from {__name__} import work; work(**told)"
)

Task = Callable[..., bytes]


class Failed(Exception):
    """The process did not finish; the text is for the service's log, without any value."""


async def apart(request: Request, task: Task, **told: Any) -> bytes:
    """Return what a task returns in a process of its own; few wait, and one runs at a time."""
    one = web.parts_of(request).apart
    run = partial(run_apart, task, told)
    return await to_thread.run_sync(run, limiter=one, abandon_on_cancel=True)


def run_apart(
    task: Task,
    told: dict[str, Any],
    *,
    seconds: float = _TASK_S,
    locks: Collection[int] = (),
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Return what a task returns in a process of its own.

    Parameters
    ----------
    task : function
        Of a module.
    told : dict
        Its arguments, as JSON.
    seconds : float
        How long it may take.
    locks : collection of int
        Handles that the process holds too.
    environment : mapping, optional
        What its environment has besides.

    Raises
    ------
    Failed
        If the task raises, or its process breaks down.
    """
    words = {"path": sys.path, "module": task.__module__, "name": task.__name__, "told": told}
    with subprocess.Popen(  # noqa: S603 (this program itself)
        [sys.executable, "-P", "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=locks if os.name == "posix" else [],
        env={**os.environ, "MPLBACKEND": "agg", **(environment or {})},
    ) as each:
        process: Any = each  # with all three pipes
        late = threading.Timer(seconds, process.kill)
        late.start()
        try:
            with suppress(BrokenPipeError):  # it ended at once
                process.stdin.write(json.dumps(words).encode() + b"\n")
                process.stdin.flush()  # it stays open: its end shows that this process has ended
            made: bytes = process.stdout.read()
            fault = process.stderr.read()
            if process.wait():
                raise Failed(fault.decode("utf-8", "replace") or "it ended early")
            return made
        finally:
            process.kill()
            late.cancel()


def work(module: str, name: str, told: dict[str, Any]) -> None:
    """Run a task as the process of `run_apart`."""

    def end_with_parent() -> None:
        while os.read(sys.stdin.fileno(), 64):  # it ends when the parent has ended
            pass
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    faults = os.dup(2)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (a device): what libraries say
        os.dup2(nowhere.fileno(), 2)
    status = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nobody reads them
            task: Task = getattr(import_module(module), name)
            sys.stdout.buffer.write(task(**told))
            sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 (to the log of the service, without its values)
        status = 1
        os.write(faults, fault_without_values(error).encode("utf-8", "replace")[-_LONGEST_FAULT:])
    os._exit(status)  # without waiting for threads of libraries


def fault_without_values(error: BaseException) -> str:
    """Return what is to be told about an error of a task: its kind, and where it was raised."""
    if isinstance(error, ArchiveError):  # which names a file, and no value
        return f"{type(error).__name__}: {error}"
    places = "".join(traceback.format_tb(error.__traceback__))
    return f"{type(error).__name__}:\n{places}"


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
        await to_thread.run_sync(partial(files.take, bytes(waiting), last=True))
    except OSError as error:
        if not is_full(error):
            raise
        raise web.disk_full() from None
    except FormParserError:
        raise web.bad_request("the body is not a readable form") from None
    finally:
        files.close()
    if not any(path.stat().st_size for path in files.done):
        raise web.bad_request("the body has no file, or only empty ones")
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


class _Files:
    """The files written so far, each in a numbered folder: two may have one name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sink: BinaryIO | None = None
        self.done: list[Path] = []

    def begin(self, name: str) -> None:
        self.check_number(len(self.done) + 1, _MOST_FILES)
        path = self._folder / str(len(self.done) + 1) / shown_name(name)
        path.parent.mkdir(mode=0o700)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        self._sink = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
        self.done.append(path)

    def check_number(self, n: int, most: int) -> None:
        if n > most:
            text = f"more than {_MOST_FILES:,} files: send them in a zip"
            raise web.Problem(413, "content_too_large", text)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and self._sink is not None:
            rest = rest[self._sink.write(rest) :]

    def close(self) -> None:
        if self._sink is not None:
            self._sink.close()
            self._sink = None

    def take(self, data: bytes, *, last: bool = False) -> None:  # noqa: ARG002 (as a form's)
        """Take a part of the body: without a form, it is one file."""
        self.write(data)


class _Form(_Files):
    """A body with several parts, of which those with a file name are files."""

    def __init__(self, folder: Path, boundary: bytes, fields: dict[str, str]) -> None:
        if not boundary:
            raise web.bad_request("the form names no boundary")
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

    def take(self, data: bytes, *, last: bool = False) -> None:
        self._parser.write(data)
        if last:
            self._parser.finalize()
            if not self._whole:
                raise web.bad_request("the form breaks off")

    def _begin_part(self) -> None:
        self._parts += 1
        self.check_number(self._parts, _MOST_FILES + _MOST_FIELDS)  # each costs more than its bytes
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

    def alone(self) -> AbstractContextManager[int]:
        """Let one process of this machine import at a time: an object store has no locks.

        Gives the handle of the lock.
        """
        return self._locked(_IMPORT)

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
        with suppress(OSError), opened(path / _LOCK, create=False) as handle:
            try:
                lock(handle, shared=False, wait=False)
            except BlockingIOError:
                return False
        return True

    @contextmanager
    def _whole(self, *, shared: bool) -> Iterator[None]:
        """Keep others from cleaning up (shared), or from beginning an upload."""
        with self._locked(_LOCK, shared=shared):
            yield

    @contextmanager
    def _locked(self, name: str, *, shared: bool = False) -> Iterator[int]:
        make_folders(self._root)
        with opened(self._root / name) as handle:
            lock(handle, shared=shared)
            yield handle


@contextmanager
def opened(path: Path, *, create: bool = True) -> Iterator[int]:
    """Open a file that is locked while it is open."""
    handle = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


_MOST: Final = 8  # uploads under way in one process
_SPARE: Final = 64 << 20  # bytes that an upload leaves free on the disk
_SMALL: Final = 1 << 20  # bytes that are imported in this process, within a second
_PACKED: Final = (b"PK", b"\x1f\x8b")
_NO_STORE: Final = {"Cache-Control": "no-store"}
_TRUTH: Final = {"true": True, "false": False}

_log = logging.getLogger("eyelog.service")


def _options(request: Request) -> dict[str, Any]:
    """Return what the address of an upload says: `name`, and options of `import_upload`."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    options: dict[str, Any] = {"name": "", **web.by_name(pairs)}
    for name, text in options.items():
        if name in ("replace", "dayfirst"):
            if text not in _TRUTH:
                raise web.bad_request(f"{name} must be true or false")
            options[name] = _TRUTH[text]
        elif name == "clock":
            if text not in CLOCKS:
                raise web.bad_request("clock must be first or last")
        elif name == "encoding":
            try:
                options[name] = check_encoding(text)
            except ConfigurationError as error:
                raise web.bad_request(str(error)) from None
        elif name == "tz":
            try:
                as_zones(text or "UTC")
            except ConfigurationError:
                raise web.bad_request("tz must be a time zone such as Asia/Tokyo") from None
            options[name] = text or None
        elif name != "name":
            raise web.bad_request(f"unknown parameter {name[:64]!r}")
    return options


class Arrived(NamedTuple):
    """The files of one upload, in a private folder that is locked."""

    files: list[Path]
    folder: Path
    lock: int
    headers: dict[str, str]  # of the answer
    erased: int  # how often the account was erased before
    size: int


class Uploads:
    """The uploads under way in one process, and what accounts may send.

    Parameters
    ----------
    registry : Registry
        Of the service.
    limits : HourlyLimits
        How many uploads an account may begin per hour.
    quota : int
        How many bytes the archive accepts from one account, including incoming files; 0 for no
        limit.
    unpacked : int
        How many bytes one upload may unpack to; 0 for no limit.
    """

    def __init__(self, registry: Registry, limits: HourlyLimits, quota: int, unpacked: int) -> None:
        self.spool = Spool(registry.folder)
        self.limits = limits
        self._registry = registry
        self._archive = registry.archive
        self._quota = quota
        self._unpacked = unpacked
        self.room = CapacityLimiter(_MOST)
        self._one = CapacityLimiter(1)  # an import takes a whole core
        self._small = CapacityLimiter(4)
        # One import of an account at a time, so that the others have their turn in between.
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    def check_room(self, account: str, coming: int) -> None:
        """Raise if that many more bytes of an account are too much for the disk or its quota."""
        if shutil.disk_usage(self._registry.folder).free < coming + _SPARE:
            raise web.disk_full()
        if not self._quota:
            return
        with archive_errors("read how much the archive has of an account"):
            held = bytes_of_account(place_of(Archive(self._archive)), account)
        held += self.spool.bytes_of(account)
        if held + coming > self._quota:
            raise web.Problem(
                507,
                "quota_exceeded",
                f"the account may keep {self._quota / 1e6:,g} MB here, and has"
                f" {held / 1e6:,.1f} MB: ask the person who runs this service",
            )

    def check_account(self, account: str, erased: int, *, imported: bool = False) -> None:
        """Raise, and keep nothing, if an account was erased since its upload began."""
        if not is_deleted(self._registry, account, erased):
            return
        place = place_of(Archive(self._archive))
        # The erasure may have ended before the import began. If it is still under way, it has to
        # find the months itself: its protocol names them.
        with archive_errors("list the months of an account"):
            unfound = imported or not any(months(place, log, account) for log in known_logs())
        if unfound and not (place.local and self._registry.accounts.has(account)):
            Archive(self._archive).erase(account)
        raise DeletedMeanwhile

    async def take(self, account: str, arrived: Arrived, **options: Any) -> dict[str, Any]:
        """Import what was received, with options of `import_upload`; return the answer.

        Raises
        ------
        Problem
            If it is refused.
        """
        check = partial(self.check_account, account, arrived.erased)
        await to_thread.run_sync(check)
        await to_thread.run_sync(self.check_room, account, 0)  # its own bytes are in the folder
        told = {
            "archive": str(self._archive),
            "account": account,
            "erased": arrived.erased,
            "folder": str(arrived.folder / "files"),
            "files": [str(file) for file in arrived.files],
            "replace": False,
            "tz": None,
            **options,
            "unpacked": self._unpacked,
        }
        small = await to_thread.run_sync(_is_small, arrived.files)
        turn = self._turns.setdefault(account, Lock())
        try:
            async with turn:
                answer = await to_thread.run_sync(
                    self._import, told, arrived, small, limiter=self._small if small else self._one
                )
        except Failed as error:
            await to_thread.run_sync(partial(check, imported=True))
            _log.error("an upload of %d bytes was not imported: %s", arrived.size, error)
            await to_thread.run_sync(self.sweep, account)
            raise web.Problem(
                500, "server_error", "the import failed; the service's log has the reason"
            ) from None
        await to_thread.run_sync(partial(check, imported=True))
        return answer

    def sweep(self, account: str) -> None:
        """Remove what an import has left that was killed."""
        with locked(place_of(Archive(self._archive)), account):
            pass

    def _import(self, told: dict[str, Any], arrived: Arrived, small: bool) -> dict[str, Any]:
        with self._alone(told["account"]) as other:
            if small:
                try:
                    return import_upload(**told)
                except web.Problem:
                    raise
                except Exception as error:  # noqa: BLE001 (without its values, in the log)
                    raise Failed(fault_without_values(error)) from None
            temporary = arrived.folder / "temporary"
            temporary.mkdir(mode=0o700, exist_ok=True)
            locks = [arrived.lock] if other is None else [arrived.lock, other]
            return import_apart(told, temporary=temporary, locks=locks)

    def _alone(self, account: str) -> AbstractContextManager[int | None]:
        """Keep other imports away: of two into one month, the later would undo the other."""
        if isinstance(self._archive, Path):
            return nullcontext()  # the archive has locks of its own
        if self._registry.state.in_database:
            return self._registry.state.importing(account)
        return self.spool.alone()


def _is_small(files: list[Path]) -> bool:
    """Return whether files are imported within a second."""
    for path in files:
        with path.open("rb") as stream:
            if stream.read(2) in _PACKED:
                return False
    return sum(path.stat().st_size for path in files) <= _SMALL


@asynccontextmanager
async def arriving(
    request: Request, account: str, *, name: str = "", fields: dict[str, str] | None = None
) -> AsyncIterator[Arrived]:
    """Give the files of a body, within what the account may send; they are gone afterwards.

    Raises
    ------
    Problem
        If the body is refused, 403 if the account is erased meanwhile; nothing of it is then kept.
    """
    shared = web.parts_of(request)
    uploads = shared.uploads
    erased = await to_thread.run_sync(erasures, shared.registry.archive, account)
    try:
        async with AsyncExitStack() as stack:
            try:
                uploads.room.acquire_nowait()
            except WouldBlock:
                text = "many others are uploading: try again in a few seconds"
                raise web.unavailable(text, wait_s=5) from None
            stack.callback(uploads.room.release)
            headers = await to_thread.run_sync(uploads.limits.count, account)
            length = request.headers.get("content-length", "0")
            coming = int(length) if length.isdecimal() else 0
            await to_thread.run_sync(uploads.check_room, account, coming)
            within = partial(stack.enter_context, uploads.spool.folder(account))
            folder, lock = await to_thread.run_sync(within)
            files_folder = folder / "files"
            files_folder.mkdir(mode=0o700)
            files = await receive(request, files_folder, name=name, fields=fields)
            size = sum(path.stat().st_size for path in files)
            yield Arrived(files, folder, lock, headers, erased, size)
    except (web.Problem, OSError):
        # The files of an account that is erased meanwhile are gone: any fault is of that.
        await to_thread.run_sync(uploads.check_account, account, erased)
        raise


async def take_records(request: Request) -> Response:
    """Answer POST /v1/records: import the files of the body."""
    uploads = web.parts_of(request).uploads
    bearer: Bearer = await to_thread.run_sync(may_write, request)
    try:
        options = _options(request)
        async with arriving(request, bearer.account, name=options.pop("name")) as arrived:
            answer = await uploads.take(bearer.account, arrived, **options)
    except web.Problem as problem:
        # The rest of the body is not waited for.
        problem.headers.setdefault("Connection", "close")
        raise
    await note_upload(request, bearer, arrived, answer)
    return web.json_answer(answer, headers=_NO_STORE | arrived.headers)


async def note_upload(
    request: Request, bearer: Bearer, arrived: Arrived, answer: dict[str, Any]
) -> None:
    """Write to the audit log that records came in."""
    registry, account = web.parts_of(request).registry, bearer.account
    await note(
        request,
        "upload",
        account,
        unless=partial(is_deleted, registry, account, arrived.erased),
        application=bearer.client_id or None,
        bytes=arrived.size,
        files=len(answer["files"]),
        new=answer["new"],
    )


_SECONDS: Final = 900.0
_MOST_CONFLICTS: Final = 1000  # of one file, in an answer
_NICENESS: Final = 10


def import_apart(
    told: Mapping[str, Any], *, temporary: Path, locks: Collection[int], seconds: float = _SECONDS
) -> dict[str, Any]:
    """Import an upload in another process; return the answer.

    Parameters
    ----------
    told : mapping
        The arguments of `import_upload`, as JSON.
    temporary : Path
        A private folder for data that wait during the import.
    locks : collection of int
        The handles of the locks, of the private folder and perhaps of the account, which the
        process holds too.
    seconds : float
        How long it may take.

    Raises
    ------
    Problem
        If the files are refused; nothing was then imported.
    Failed
        If the process breaks down, or takes too long; either nothing or everything was then
        imported.
    """
    environment = {"TMPDIR": str(temporary)}
    made = run_apart(import_task, dict(told), seconds=seconds, locks=locks, environment=environment)
    answer: dict[str, Any] = json.loads(made)
    if "problem" in answer:
        raise web.Problem(*answer["problem"])
    return answer


def import_task(**told: Any) -> bytes:
    """Import an upload, and return the answer or the refusal as JSON."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)  # requests for data come first
    try:
        answer = import_upload(**told)
    except web.Problem as problem:
        answer = {"problem": [problem.status, problem.error, problem.description]}
    return json.dumps(answer).encode()


def import_upload(
    archive: str,
    account: str,
    folder: str,
    files: Sequence[str],
    *,
    erased: int,
    replace: bool,
    tz: str | None,
    unpacked: int = 0,
    **written: Any,
) -> dict[str, Any]:
    """Import files into an account, all months or none; return the answer of an upload.

    Where the archive has a different value from a file, the stored value stays unless `replace`,
    and the answer has the line. A file that is not a log is refused; the others are still imported.

    Parameters
    ----------
    archive, account : str
        Where the records go.
    folder : str
        The private folder, which no message shows.
    files : sequence of str
        Paths in it.
    erased : int
        How often the account had been erased when the upload began.
    replace : bool
        Whether different values replace stored ones.
    tz : str or None
        The zone of dates without an offset, if the archive knows none for the account.
    unpacked : int
        How many bytes they may unpack to; 0 for no limit.
    **written
        How the files are written: the options ``clock``, ``dayfirst`` and ``encoding`` of
        `import_files`.

    Returns
    -------
    dict
        ``files`` (with ``name``, ``read``, ``new``, ``left_out``, ``conflicts`` and, where there is
        something to say, ``notes``; for one that is not a log, ``refused``) and ``new``.

    Raises
    ------
    Problem
        403 if the account was erased meanwhile, 413 if the files unpack to too much, 409 if the
        records seem to be of another wearer or device, 422 if no file is a log, 507 if the disk is
        full, 503 if the archive cannot be written now, 400 if the zone is not known.
    """
    store = Archive(archive)
    paths = [Path(file) for file in files]
    if unpacked and _bytes_of(paths, unpacked) > unpacked:
        raise web.Problem(
            413,
            "content_too_large",
            f"it unpacks to more than {unpacked / 1e6:,g} MB: send it in parts",
        )

    def check_account() -> None:
        if erasures(Path(archive) if place_of(store).local else archive, account) > erased:
            raise DeletedMeanwhile()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the answer has what matters
        try:
            zones = store.zones(account) or tz
            reports = import_files(
                store,
                paths,
                account=account,
                tz=zones,
                replace=replace,
                keep_stored=not replace,
                **written,
                before_writing=check_account,
            )
        except ConfigurationError as error:
            raise web.Problem(409, "conflict", _without(folder, str(error))) from None
        except ArchiveError as error:
            cause: BaseException | None = error
            while cause is not None and not (isinstance(cause, OSError) and is_full(cause)):
                cause = cause.__cause__
            text = "the archive cannot be written now: try again later"
            raise (web.unavailable(text) if cause is None else web.disk_full()) from None
        answers = [_answer(report, folder) for report in reports]
    refused = [each for each in answers if "refused" in each]
    if refused and len(refused) == len(answers):
        first = f"{refused[0]['name']}: {refused[0]['refused']}"
        more = f" (and {len(refused) - 1:,} more)" if len(refused) > 1 else ""
        raise web.Problem(422, "not_records", first + more)
    return {"files": answers, "new": sum(each["new"] for each in answers)}


def _bytes_of(paths: Sequence[Path], most: int) -> int:
    """Return to how many bytes files unpack; a number above `most` may be of a part of them."""
    total = 0
    for file in input_files(paths):
        total += file.size
        if file.open is None or total > most:
            continue
        with suppress(OSError, EOFError, zlib.error), file.open() as packed:
            if packed.read(2) == b"\x1f\x8b":
                packed.seek(0)
                stream = gzip.GzipFile(fileobj=packed)
                while total <= most and (part := stream.read(1 << 20)):
                    total += len(part)
    return total


def _answer(report: FileReport, folder: str) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "name": _without(folder, report.file),
        "read": report.read,
        "new": report.kept + report.replaced,
        "left_out": report.read - report.kept - report.replaced,
        "conflicts": [],
    }
    conflicts, more = conflicts_of(report, _MOST_CONFLICTS)
    answer["conflicts"] = [
        {"line": one.line, "date": one.date, "field": one.field} for one in conflicts
    ]
    if more:
        answer["more_conflicts"] = more
    if report.notes:
        answer["notes"] = [_without(folder, note) for note in report.notes]
    if report.status == "refused":
        answer |= {"read": 0, "new": 0, "left_out": 0, "refused": _without(folder, report.reason)}
    return answer


def _without(folder: str, text: str) -> str:
    """Return a text without the private folder, and the numbered folders in it."""
    return re.sub(rf"{re.escape(folder)}/(\d+/)?", "", text)


class DeletedMeanwhile(web.Problem):
    """The account of an upload was erased since it began."""

    def __init__(self) -> None:
        text = "the account was deleted meanwhile: nothing was kept"
        super().__init__(403, "access_denied", text)


def erasures(archive: Path | str, account: str) -> int:
    """Return how often an account was erased; unlike an instant, it depends on no host's clock."""
    return _ends(archive, account).count("erased")


def is_deleted(registry: Registry, account: str, erased: int) -> bool:
    """Return whether an account was erased since `erasures` were counted.

    Or just before that, when its token was still valid.
    """
    exists = registry.accounts.has(account)  # first: its row goes after the note
    ends = _ends(registry.archive, account)
    return ends.count("erased") > erased or (not exists and ends[-1:] == ["erased"])


def _ends(archive: Path | str, account: str) -> list[str]:
    """Return how an account has ended so far: removed (its records stay), or erased."""
    whose = account_digest(account)
    return [
        note.what
        for note in ended.notes(archive)
        if note.account == whose and note.what in ("account", "erased")
    ]
