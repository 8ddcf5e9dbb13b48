"""POST /v1/records: files of records into the archive, either all of an upload or nothing.

A body is streamed into files of a private folder until it is imported. The folders are on the
archive's disk; if that is an object store, in the folder of the service's state, and where several
hosts share that, in a folder of each host.

::

    ARCHIVE/.uploads/account=ada/0f3a.../      one upload; its process holds a lock on it

A folder whose process is dead has no lock: the next service that starts removes it. Because it has
the name of an account's folder, an erasure removes it too.

A small upload is imported here, any other in a process apart, by the pipeline of `eyelog import`.
That process holds the locks of the upload too, so that nobody clears its private folder, or imports
into the account, in the meantime.

An account may be erased while something of it comes in. Imports into an account have one lock, and
whoever holds it checks that the account still has its row. An erasure deletes the row, waits for
that lock, and then deletes the records: an import that began before comes first, and no other
begins.
"""

import gzip
import json
import logging
import os
import re
import secrets
import shutil
import warnings
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
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
from eyelog.archive.lists import locked
from eyelog.archive.place import archive_errors, check_account
from eyelog.archive.store import Archive, place_of
from eyelog.clock import zone
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import is_full, make_folders
from eyelog.read.files import check_encoding, input_files
from eyelog.read.head import FileReport
from eyelog.read.overlay import CLOCKS
from eyelog_service import apart, ended, web
from eyelog_service.audit import lock
from eyelog_service.grants import WRITE, Bearer, Registry
from eyelog_service.oauth import allowed
from eyelog_service.records import HourlyLimits
from eyelog_service.state import digest
from eyelog_service.web import note

_AT_ONCE: Final = 1 << 20  # bytes that are written in one step, in a thread
_MOST_FILES: Final = 1000
_LONGEST_NAME: Final = 150  # bytes: a name in a folder has at most 255
_LONGEST_FIELD: Final = 4096
_MOST_FIELDS: Final = 20


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
    body = _Body(folder, {} if fields is None else fields)
    try:
        if kind == b"multipart/form-data":
            body.read_form(options.get(b"boundary", b""))
        else:
            body.begin_file(name)
        waiting = bytearray()
        async for piece in request.stream():
            waiting += piece
            if len(waiting) >= _AT_ONCE:
                await to_thread.run_sync(body.take, bytes(waiting))
                waiting.clear()
        await to_thread.run_sync(body.take, bytes(waiting))
        if not body.whole:
            raise web.bad_request("the form breaks off")
    except OSError as error:
        if not is_full(error):
            raise
        raise web.disk_full() from None
    except FormParserError:
        raise web.bad_request("the body is not a readable form") from None
    finally:
        body.end_file()
    if not any(path.stat().st_size for path in body.files):
        raise web.bad_request("the body has no file, or only empty ones")
    return body.files


class _Body:
    """A body: one file, or the parts of a form; each file is in a numbered folder."""

    def __init__(self, folder: Path, fields: dict[str, str]) -> None:
        self._folder, self._fields = folder, fields
        self._parts = 0
        self._header, self._value, self._text = bytearray(), bytearray(), bytearray()
        self._field = ""
        self._sink: BinaryIO | None = None
        self.files: list[Path] = []
        self.whole = True
        self.take: Callable[[bytes], object] = self._write

    def read_form(self, boundary: bytes) -> None:
        """Take what comes as a form."""
        if not boundary:
            raise web.bad_request("the form names no boundary")
        callbacks: Any = {name: getattr(self, name) for name in dir(self) if name[:3] == "on_"}
        self.take = MultipartParser(boundary, callbacks).write
        self.whole = False

    def begin_file(self, name: str) -> None:
        """Begin a file that nobody else can read."""
        self._check_number(len(self.files) < _MOST_FILES)
        path = self._folder / str(len(self.files) + 1) / shown_name(name)
        path.parent.mkdir(mode=0o700)
        path.touch(0o600, exist_ok=False)
        self._sink = path.open("wb", buffering=0)
        self.files.append(path)

    def end_file(self) -> None:
        """Close the file that was begun."""
        if self._sink is not None:
            self._sink.close()
            self._sink = None

    def _check_number(self, within: bool) -> None:
        if not within:
            text = f"more than {_MOST_FILES:,} files: send them in a zip"
            raise web.Problem(413, "content_too_large", text)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and self._sink is not None:
            rest = rest[self._sink.write(rest) :]

    def on_part_begin(self) -> None:
        self._parts += 1  # each costs more than its bytes
        self._check_number(self._parts <= _MOST_FILES + _MOST_FIELDS)
        self._field = ""
        self._text.clear()

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            _, options = parse_options_header(bytes(self._value))
            self._field = options.get(b"name", b"").decode("utf-8", "replace")
            name = options.get(b"filename")
            if name is not None and self._sink is None:
                self.begin_file(name.decode("utf-8", "replace"))
        self._header.clear()
        self._value.clear()

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._sink is not None:
            self._write(data[start:end])
        elif len(self._text) + end - start <= _LONGEST_FIELD:
            self._text += data[start:end]

    def on_part_end(self) -> None:
        if self._sink is None and self._field and len(self._fields) < _MOST_FIELDS:
            self._fields[self._field] = self._text.decode("utf-8", "replace")
        self.end_file()

    def on_end(self) -> None:
        self.whole = True


def shown_name(name: str) -> str:
    """Return the last part of a name without what a terminal or a file system would act on."""
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(char if char.isprintable() else "?" for char in last).strip()
    end = plain.encode("utf-8", "replace")[-_LONGEST_NAME:].decode("utf-8", "ignore")
    return end.lstrip(".") or "upload"


UPLOADS: Final = ".uploads"  # hidden: Parquet tools skip it
_LOCK: Final = ".lock"


def folder_of(registry: Registry, account: str) -> Path:
    """Return the folder of what comes in of an account, which need not exist."""
    return registry.folder / UPLOADS / f"account={check_account(account)}"


@contextmanager
def _locked(path: Path, *, wait: bool = True) -> Iterator[int]:
    """Hold the lock on a file, which is created; give its handle."""
    make_folders(path.parent)
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        lock(handle, shared=False, wait=wait)
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _private_folder(registry: Registry, account: str) -> Iterator[tuple[Path, int]]:
    """Give a new private folder and the handle of its lock; it is removed in the end."""
    path = folder_of(registry, account) / secrets.token_hex(8)
    cleaning = registry.folder / UPLOADS / _LOCK
    with _locked(cleaning):  # nobody cleans up before it is locked
        holding = ExitStack()
        held = holding.enter_context(_locked(path / _LOCK))
    with holding:
        try:
            make_folders(path / "files")
            yield path, held
        finally:
            shutil.rmtree(path, ignore_errors=True)
            # The folder around it has the name of an account, which may be erased by now.
            with suppress(OSError), _locked(cleaning):
                path.parent.rmdir()


@contextmanager
def alone(registry: Registry, account: str) -> Iterator[int]:
    """Let nobody else import into an account, or erase it; give the handle of the lock.

    Of two imports into one month of an object store, the later would undo the other.
    """
    if registry.state.in_database:
        with registry.state.importing(account) as held:
            yield held
    else:  # a file without the name, which nobody has to remove
        with _locked(registry.folder / UPLOADS / f".import-{digest(account).hex()[:2]}") as held:
            yield held


_MOST: Final = 8  # uploads under way in one process
_SPARE: Final = 64 << 20  # bytes that an upload leaves free on the disk
_SMALL: Final = 1 << 20  # bytes that are imported in this process, within a second
_PACKED: Final = (b"PK", b"\x1f\x8b")
_NO_STORE: Final = {"Cache-Control": "no-store"}

_log = logging.getLogger("eyelog.service")


_truth: Final = {"true": True, "false": False}.__getitem__
# What the address of an upload may say: how each is read, and what it has to be.
_OPTIONS: Final[dict[str, tuple[Callable[[str], Any], str]]] = {
    "name": (str, "text"),
    "replace": (_truth, "true or false"),
    "dayfirst": (_truth, "true or false"),
    "clock": ({each: each for each in CLOCKS}.__getitem__, "first or last"),
    "encoding": (check_encoding, "one such as utf-8, cp932, euc_jp or cp1252"),
    # A name alone: a table of zones would be a file of this machine.
    "tz": (lambda text: zone(text) and text, "a time zone such as Asia/Tokyo"),
}


def _options(request: Request) -> dict[str, Any]:
    """Return what the address of an upload says: `name`, and options of `import_upload`."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    options = {}
    for name, text in web.by_name(pairs).items():
        if name not in _OPTIONS:
            raise web.bad_request(f"unknown parameter {name[:64]!r}")
        read, what = _OPTIONS[name]
        try:
            options[name] = read(text)
        except (KeyError, ConfigurationError):
            raise web.bad_request(f"{name} must be {what}") from None
    return options


class Arrived(NamedTuple):
    """The files of one upload, in a private folder that is locked."""

    files: list[Path]
    folder: Path
    lock: int
    headers: dict[str, str]  # of the answer
    added: float | None  # when the account was
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
        How many bytes the archive accepts from one account; 0 for no limit.
    unpacked : int
        How many bytes one upload may unpack to; 0 for no limit.
    """

    def __init__(self, registry: Registry, limits: HourlyLimits, quota: int, unpacked: int) -> None:
        self.registry, self.limits = registry, limits
        self._archive = Archive(registry.archive)
        self._quota, self._unpacked = quota, unpacked
        self.room = CapacityLimiter(_MOST)
        self._one = CapacityLimiter(1)  # an import takes a whole core
        self._small = CapacityLimiter(4)
        # One import of an account at a time, so that the others have their turn in between.
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    def clean_up(self) -> None:
        """Remove what dead processes have left."""
        root, accounts = self.registry.folder / UPLOADS, set[str]()
        if not root.is_dir():
            return
        with _locked(root / _LOCK):
            for path in sorted(root.glob("account=*/*")):
                if path.is_file():  # that eyelog 0.3 kept for a week
                    path.unlink()
                    continue
                with suppress(BlockingIOError), _locked(path / _LOCK, wait=False):
                    shutil.rmtree(path, ignore_errors=True)
                    accounts.add(unquote(path.parent.name.removeprefix("account=")))
            for path in root.glob("account=*/"):
                with suppress(OSError):  # it is not empty
                    path.rmdir()
        for account in sorted(accounts):
            self._sweep(account)

    def _sweep(self, account: str) -> None:
        """Remove from the archive what an import has left that was killed."""
        with locked(place_of(self._archive), account):
            pass

    def added(self, account: str) -> float | None:
        """Return when an account was added; None if an old release did.

        Raises
        ------
        Problem
            403 if there is no such account any more.
        """
        sql = "SELECT added FROM account WHERE name = :name"
        added: float | None
        for (added,) in self.registry.state.rows(sql, name=account):
            return added
        raise _deleted()

    def check_account(self, account: str, added: float | None) -> None:
        """Raise if an account was deleted since; one that was added again is another one."""
        if self.added(account) != added:
            raise _deleted()

    def check_disk(self, coming: int) -> None:
        """Raise if that many more bytes are too much for the disk."""
        if shutil.disk_usage(self.registry.folder).free < coming + _SPARE:
            raise web.disk_full()

    def check_quota(self, account: str, coming: int) -> None:
        """Raise if that many more bytes of an account are too much for its quota."""
        if not self._quota:
            return
        with archive_errors("read how much the archive has of an account"):
            held = bytes_of_account(place_of(self._archive), account)
        if held + coming > self._quota:
            raise web.Problem(
                507,
                "quota_exceeded",
                f"the account may keep {self._quota / 1e6:,g} MB here, and has"
                f" {held / 1e6:,.1f} MB: ask the person who runs this service",
            )

    async def take(self, account: str, arrived: Arrived, **options: Any) -> dict[str, Any]:
        """Import what was received, with options of `import_upload`; return the answer.

        Raises
        ------
        Problem
            If it is refused.
        """
        small = await to_thread.run_sync(_is_small, arrived.files)
        take = partial(self._take, account, arrived, small, options)
        async with self._turns.setdefault(account, Lock()):  # a service that stops waits for none
            return await to_thread.run_sync(take, limiter=self._small if small else self._one)

    def _take(
        self, account: str, arrived: Arrived, small: bool, options: dict[str, Any]
    ) -> dict[str, Any]:
        arguments = {
            "archive": str(self.registry.archive),
            "account": account,
            "folder": str(arrived.folder / "files"),
            "files": [str(file) for file in arrived.files],
            "unpacked": self._unpacked,
            **options,
        }
        try:
            with alone(self.registry, account) as held:
                self.check_account(account, arrived.added)
                self.check_disk(0)  # the files have arrived
                self.check_quota(account, arrived.size)
                if small:
                    imported = apart.run_here(import_upload, arguments)
                else:
                    more: dict[str, Any] = {"seconds": _SECONDS, "temporary": arrived.folder}
                    locks = [arrived.lock, held]
                    imported = apart.run(import_upload, arguments, locks=locks, **more)
        except apart.Failed as fault:
            self.check_account(account, arrived.added)
            _log.error("an upload of %d bytes was not imported: %s", arrived.size, fault)
            self._sweep(account)
            text = "the import failed; the service's log has the reason"
            raise web.Problem(500, "server_error", text) from None
        answer: dict[str, Any] = json.loads(imported)
        if "problem" in answer:
            raise web.Problem(*answer["problem"])
        return answer


def _deleted() -> web.Problem:
    text = "the account was deleted meanwhile: nothing was kept"
    return web.Problem(403, "access_denied", text)


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
    uploads = web.parts_of(request).uploads
    length = request.headers.get("content-length", "0")
    coming = int(length) if length.isdecimal() else 0
    added = await to_thread.run_sync(uploads.added, account)
    try:
        with ExitStack() as stack:
            try:
                uploads.room.acquire_nowait()
            except WouldBlock:
                text = "many others are uploading: try again in a few seconds"
                raise web.unavailable(text, wait_s=5) from None
            stack.callback(uploads.room.release)
            headers = await to_thread.run_sync(uploads.limits.count, account)
            await to_thread.run_sync(uploads.check_disk, coming)
            await to_thread.run_sync(uploads.check_quota, account, coming)
            private = _private_folder(uploads.registry, account)
            folder, held = await to_thread.run_sync(stack.enter_context, private)
            files = await receive(request, folder / "files", name=name, fields=fields)
            size = sum(path.stat().st_size for path in files)
            yield Arrived(files, folder, held, headers, added, size)
    except (web.Problem, OSError):
        # The files of an account that is erased meanwhile are gone: any fault is of that.
        await to_thread.run_sync(uploads.check_account, account, added)
        raise


async def take_records(request: Request) -> Response:
    """Answer POST /v1/records: import the files of the body."""
    uploads = web.parts_of(request).uploads
    bearer: Bearer = await to_thread.run_sync(allowed, request, WRITE)
    try:
        options = _options(request)
        async with arriving(request, bearer.account, name=options.pop("name", "")) as arrived:
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

    def is_erased() -> bool:
        notes = [] if registry.accounts.has(account) else ended.notes(registry.archive)
        return ended.is_erased(notes, account, since=arrived.added)

    await note(
        request,
        "upload",
        account,
        unless=is_erased,
        application=bearer.client_id or None,
        bytes=arrived.size,
        files=len(answer["files"]),
        new=answer["new"],
    )


_SECONDS: Final = 900.0
_MOST_CONFLICTS: Final = 1000  # of one file, in an answer


def import_upload(**arguments: Any) -> bytes:
    """Import files as `_imported` does; return its answer or the refusal as JSON."""
    try:
        answer = _imported(**arguments)
    except web.Problem as problem:
        answer = {"problem": [problem.status, problem.error, problem.description]}
    return json.dumps(answer).encode()


def _imported(
    archive: str,
    account: str,
    folder: str,
    files: Sequence[str],
    *,
    unpacked: int,
    replace: bool = False,
    tz: str | None = None,
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
    unpacked : int
        How many bytes they may unpack to; 0 for no limit.
    replace : bool
        Whether different values replace stored ones.
    tz : str or None
        The zone of dates without an offset, if the archive knows none for the account.
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
        413 if the files unpack to too much, 409 if the records seem to be of another wearer or
        device, 422 if no file is a log, 507 if the disk is full, 503 if the archive cannot be
        written now, 400 if the zone is not known.
    """
    store = Archive(archive)
    paths = [Path(file) for file in files]
    if unpacked and _bytes_of(paths, unpacked) > unpacked:
        raise web.Problem(
            413,
            "content_too_large",
            f"it unpacks to more than {unpacked / 1e6:,g} MB: send it in parts",
        )

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
        with suppress(OSError, EOFError, zlib.error), file.open() as packed:  # if it is gzip
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
    }
    answer["conflicts"], more = conflicts_of(report, _MOST_CONFLICTS)
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
