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
import warnings
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
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
from eyelog.archive.lists import locked, months
from eyelog.archive.place import archive_errors, check_account
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import known_logs
from eyelog.clock import zone
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import is_full, make_folders
from eyelog.read.files import check_encoding, input_files
from eyelog.read.head import FileReport
from eyelog.read.overlay import CLOCKS
from eyelog_service import apart, ended, web
from eyelog_service.audit import lock
from eyelog_service.ended import account_digest
from eyelog_service.grants import WRITE, Bearer, Registry
from eyelog_service.oauth import allowed
from eyelog_service.records import HourlyLimits
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
        with self.alone(_LOCK):  # nobody cleans up before it is locked
            make_folders(path / "files")
            held = os.open(path / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            lock(held, shared=False)
        try:
            yield path, held
        finally:
            shutil.rmtree(path, ignore_errors=True)
            os.close(held)
            # The folder around it has the name of an account, which may be erased by now.
            with suppress(OSError), self.alone(_LOCK):
                path.parent.rmdir()

    @contextmanager
    def alone(self, name: str = _IMPORT) -> Iterator[int]:
        """Let one process of this machine import at a time: an object store has no locks.

        Gives the handle of the lock.
        """
        make_folders(self._root)
        with (self._root / name).open("ab") as file:
            lock(file.fileno(), shared=False)
            yield file.fileno()

    def clean_up(self) -> list[str]:
        """Remove the folders of dead processes; return the accounts that they belonged to."""
        accounts: set[str] = set()
        if not self._root.is_dir():
            return []
        with self.alone(_LOCK):
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

    def _is_dead(self, path: Path) -> bool:
        try:
            with (path / _LOCK).open("r+b") as file:
                lock(file.fileno(), shared=False, wait=False)
        except BlockingIOError:
            return False
        except OSError:  # it has no lock any more
            pass
        return True


_MOST: Final = 8  # uploads under way in one process
_SPARE: Final = 64 << 20  # bytes that an upload leaves free on the disk
_SMALL: Final = 1 << 20  # bytes that are imported in this process, within a second
_PACKED: Final = (b"PK", b"\x1f\x8b")
_NO_STORE: Final = {"Cache-Control": "no-store"}

_log = logging.getLogger("eyelog.service")


def _zone(text: str) -> str:
    zone(text)  # a name alone: a table of zones would be a file of this machine
    return text


_truth: Final = {"true": True, "false": False}.__getitem__
# What the address of an upload may say: how each is read, and what it has to be.
_OPTIONS: Final[dict[str, tuple[Callable[[str], Any], str]]] = {
    "name": (str, "text"),
    "replace": (_truth, "true or false"),
    "dayfirst": (_truth, "true or false"),
    "clock": ({each: each for each in CLOCKS}.__getitem__, "first or last"),
    "encoding": (check_encoding, "one such as utf-8, cp932, euc_jp or cp1252"),
    "tz": (_zone, "a time zone such as Asia/Tokyo"),
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
        How many bytes the archive accepts from one account; 0 for no limit.
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
        self._check_disk(coming)
        check_quota(Archive(self._archive), account, self._quota, coming)

    def _check_disk(self, coming: int) -> None:
        if shutil.disk_usage(self._registry.folder).free < coming + _SPARE:
            raise web.disk_full()

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
        small = await to_thread.run_sync(_is_small, arrived.files)
        take = partial(self._take, account, arrived, small=small, **options)
        async with self._turns.setdefault(account, Lock()):  # a service that stops waits for none
            return await to_thread.run_sync(take, limiter=self._small if small else self._one)

    def _take(
        self, account: str, arrived: Arrived, *, small: bool, **options: Any
    ) -> dict[str, Any]:
        self.check_account(account, arrived.erased)
        self._check_disk(0)  # the files have arrived
        arguments = {
            "archive": str(self._archive),
            "account": account,
            "erased": arrived.erased,
            "folder": str(arrived.folder / "files"),
            "files": [str(file) for file in arrived.files],
            "unpacked": self._unpacked,
            "quota": self._quota,
            "size": arrived.size,
            **options,
        }
        fault = None
        try:
            with self._alone(account) as other:
                # Nobody clears the folder, or imports into the account, in the meantime.
                locks = [handle for handle in (arrived.lock, other) if handle is not None]
                run = partial(apart.run, seconds=_SECONDS, locks=locks, temporary=arrived.folder)
                imported = (apart.run_here if small else run)(import_upload, arguments)
        except apart.Failed as failed:
            fault = failed
        self.check_account(account, arrived.erased, imported=True)
        if fault:
            _log.error("an upload of %d bytes was not imported: %s", arrived.size, fault)
            self.sweep(account)
            text = "the import failed; the service's log has the reason"
            raise web.Problem(500, "server_error", text)
        answer: dict[str, Any] = json.loads(imported)
        if "problem" in answer:
            raise web.Problem(*answer["problem"])
        return answer

    def sweep(self, account: str) -> None:
        """Remove what an import has left that was killed."""
        with locked(place_of(Archive(self._archive)), account):
            pass

    def _alone(self, account: str) -> AbstractContextManager[int | None]:
        """Keep other imports away: of two into one month, the later would undo the other."""
        if isinstance(self._archive, Path):
            return nullcontext()  # the archive has locks of its own
        if self._registry.state.in_database:
            return self._registry.state.importing(account)
        return self.spool.alone()


def check_quota(archive: Archive, account: str, quota: int, coming: int) -> None:
    """Raise if that many more bytes of an account are too much for its quota; 0 is no limit."""
    if not quota:
        return
    with archive_errors("read how much the archive has of an account"):
        held = bytes_of_account(place_of(archive), account)
    if held + coming > quota:
        raise web.Problem(
            507,
            "quota_exceeded",
            f"the account may keep {quota / 1e6:,g} MB here, and has"
            f" {held / 1e6:,.1f} MB: ask the person who runs this service",
        )


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
    length = request.headers.get("content-length", "0")
    coming = int(length) if length.isdecimal() else 0
    erased = await to_thread.run_sync(erasures, shared.registry.archive, account)
    try:
        with ExitStack() as stack:
            try:
                uploads.room.acquire_nowait()
            except WouldBlock:
                text = "many others are uploading: try again in a few seconds"
                raise web.unavailable(text, wait_s=5) from None
            stack.callback(uploads.room.release)
            headers = await to_thread.run_sync(uploads.limits.count, account)
            await to_thread.run_sync(uploads.check_room, account, coming)
            within = partial(stack.enter_context, uploads.spool.folder(account))
            folder, lock = await to_thread.run_sync(within)
            files = await receive(request, folder / "files", name=name, fields=fields)
            size = sum(path.stat().st_size for path in files)
            yield Arrived(files, folder, lock, headers, erased, size)
    except (web.Problem, OSError):
        # The files of an account that is erased meanwhile are gone: any fault is of that.
        await to_thread.run_sync(uploads.check_account, account, erased)
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
    erased: int,
    unpacked: int,
    quota: int,
    size: int,
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
    erased : int
        How often the account had been erased when the upload began.
    unpacked : int
        How many bytes they may unpack to; 0 for no limit.
    quota : int
        How many bytes the archive accepts from the account; 0 for no limit.
    size : int
        How many bytes the files have as they were sent.
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
        403 if the account was erased meanwhile, 413 if the files unpack to too much, 409 if the
        records seem to be of another wearer or device, 422 if no file is a log, 507 if the disk is
        full or the account has used its quota, 503 if the archive cannot be written now, 400 if
        the zone is not known.
    """
    store = Archive(archive)
    paths = [Path(file) for file in files]
    if unpacked and _bytes_of(paths, unpacked) > unpacked:
        raise web.Problem(
            413,
            "content_too_large",
            f"it unpacks to more than {unpacked / 1e6:,g} MB: send it in parts",
        )

    def check() -> None:
        """Check what no other import of the account can change from here on."""
        if erasures(Path(archive) if place_of(store).local else archive, account) > erased:
            raise DeletedMeanwhile()
        check_quota(store, account, quota, size)

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
                before_writing=check,
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
