"""POST /v1/records: files of records into the archive, either all of an upload or nothing.

A small upload is imported here, any other in a process of its own by the pipeline of `eyelog
import`: reading files takes a whole core there, it delays no other request, and its memory is
released. The process ends with the one that started it. It holds the locks of the upload too, so
that nobody clears its private folder, or imports into the account, in the meantime.

An account may be erased while something of it comes in. An erasure is noted first, then the
account's row goes, then the records: so an account that has its row, and no more notes than at the
beginning, is erased later or not at all.
"""

import errno
import gzip
import json
import logging
import os
import re
import shutil
import warnings
import zlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, Lock, WouldBlock, to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.archive.check import bytes_of_account
from eyelog.archive.intake import conflicts_of, import_files
from eyelog.archive.lists import locked, months
from eyelog.archive.place import archive_errors
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import known_logs
from eyelog.clock import as_zones
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError
from eyelog.read.files import check_encoding, input_files
from eyelog.read.head import FileReport
from eyelog.read.overlay import CLOCKS
from eyelog_service.apart import Failed, fault_without_values, run_apart
from eyelog_service.auth import ended
from eyelog_service.auth.ended import account_digest
from eyelog_service.auth.grants import Bearer
from eyelog_service.auth.oauth import may_write
from eyelog_service.auth.registry import Registry
from eyelog_service.hourly_limit import HourlyLimits
from eyelog_service.incoming import Spool, receive
from eyelog_service.parts import parts_of
from eyelog_service.responses import (
    Problem,
    bad_request,
    by_name,
    disk_full,
    json_answer,
    unavailable,
)

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
    options: dict[str, Any] = {"name": ""}
    for name, text in by_name(pairs).items():
        options[name] = text
        if name in ("replace", "dayfirst"):
            if text not in _TRUTH:
                raise bad_request(f"{name} must be true or false")
            options[name] = _TRUTH[text]
        elif name == "clock" and text not in CLOCKS:
            raise bad_request("clock must be first or last")
        elif name == "encoding":
            try:
                options[name] = check_encoding(text)
            except ConfigurationError as error:
                raise bad_request(str(error)) from None
        elif name == "tz":
            try:
                options[name] = text or None
                as_zones(options[name] or "UTC")
            except ConfigurationError:
                raise bad_request("tz must be a time zone such as Asia/Tokyo") from None
        elif name not in ("name", "clock"):
            raise bad_request(f"unknown parameter {name[:64]!r}")
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
    limits : HourlyLimits or None
        How many uploads an account may begin per hour.
    quota : int
        How many bytes the archive accepts from one account, including incoming files; 0 for no
        limit.
    unpacked : int
        How many bytes one upload may unpack to; 0 for no limit.
    """

    def __init__(
        self, registry: Registry, limits: HourlyLimits | None, quota: int, unpacked: int
    ) -> None:
        self.spool = Spool(registry.folder)
        self._registry = registry
        self._archive = registry.archive
        self._limits = limits
        self._quota = quota
        self._unpacked = unpacked
        self.room = CapacityLimiter(_MOST)
        self._one = CapacityLimiter(1)  # an import takes a whole core
        self._small = CapacityLimiter(4)
        # One import of an account at a time, so that the others have their turn in between.
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    def count(self, account: str) -> dict[str, str]:
        """Count one upload of an account; return the headers of its answer."""
        if self._limits is None:
            return {}
        left = self._limits.take(account)
        if left.remaining < 0:
            raise left.refusal("uploads")
        return left.headers

    def check_room(self, account: str, coming: int) -> None:
        """Raise if that many more bytes of an account are too much for the disk or its quota."""
        if shutil.disk_usage(self._registry.folder).free < coming + _SPARE:
            raise disk_full()
        if not self._quota:
            return
        with archive_errors("read how much the archive has of an account"):
            held = bytes_of_account(place_of(Archive(self._archive)), account)
        held += self.spool.bytes_of(account)
        if held + coming > self._quota:
            raise Problem(
                507,
                "quota_exceeded",
                f"the account may keep {self._quota / 1e6:,g} MB here, and has"
                f" {held / 1e6:,.1f} MB: ask the person who runs this service",
            )

    @asynccontextmanager
    async def of(self, account: str) -> AsyncIterator[int]:
        """Take an upload of an account whose token was just checked; give how often it was erased.

        Raises
        ------
        Problem
            403 instead of any other refusal or fault, if the account is erased meanwhile: its files
            are gone then.
        """
        erased = await to_thread.run_sync(erasures, self._registry.archive, account)
        try:
            yield erased
        except (Problem, OSError):
            await to_thread.run_sync(self.check_account, account, erased)
            raise

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
            raise Problem(
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
                return import_here(told)
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
        If the body is refused; nothing of it is then kept.
    """
    uploads = parts_of(request).uploads
    async with uploads.of(account) as erased, AsyncExitStack() as stack:
        try:
            uploads.room.acquire_nowait()
        except WouldBlock:
            text = "many others are uploading: try again in a few seconds"
            raise unavailable(text, wait_s=5) from None
        stack.callback(uploads.room.release)
        headers = await to_thread.run_sync(uploads.count, account)
        length = request.headers.get("content-length", "0")
        await to_thread.run_sync(
            uploads.check_room, account, int(length) if length.isdecimal() else 0
        )
        folder, lock = await to_thread.run_sync(stack.enter_context, uploads.spool.folder(account))
        files_folder = folder / "files"
        files_folder.mkdir(mode=0o700)
        files = await receive(request, files_folder, name=name, fields=fields)
        size = sum(path.stat().st_size for path in files)
        yield Arrived(files, folder, lock, headers, erased, size)


async def take_records(request: Request) -> Response:
    """Answer POST /v1/records: import the files of the body."""
    uploads = parts_of(request).uploads
    bearer: Bearer = await to_thread.run_sync(may_write, request)
    try:
        options = _options(request)
        async with arriving(request, bearer.account, name=options.pop("name")) as arrived:
            answer = await uploads.take(bearer.account, arrived, **options)
    except Problem as problem:
        # The rest of the body is not waited for.
        problem.headers.setdefault("Connection", "close")
        raise
    await note_upload(request, bearer, arrived, answer)
    return json_answer(answer, headers=_NO_STORE | arrived.headers)


async def note_upload(
    request: Request, bearer: Bearer, arrived: Arrived, answer: dict[str, Any]
) -> None:
    """Write to the audit log that records came in."""
    shared = parts_of(request)
    await to_thread.run_sync(
        partial(
            shared.audit.write,
            "upload",
            unless=partial(is_deleted, shared.registry, bearer.account, arrived.erased),
            account=bearer.account,
            application=bearer.client_id or None,
            address=request.client and request.client.host,
            bytes=arrived.size,
            files=len(answer["files"]),
            new=answer["new"],
        )
    )


_SECONDS: Final = 900.0
_MOST_CONFLICTS: Final = 1000  # of one file, in an answer
_NICENESS: Final = 10
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


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
        raise Problem(*answer["problem"])
    return answer


def import_here(told: Mapping[str, Any]) -> dict[str, Any]:
    """Import a small upload in this process; return the answer, or raise as `import_apart`."""
    try:
        return import_upload(**told)
    except Problem:
        raise
    except Exception as error:  # noqa: BLE001 (the log of the service has it, without its values)
        raise Failed(fault_without_values(error)) from None


def import_task(**told: Any) -> bytes:
    """Import an upload, and return the answer or the refusal as JSON."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)  # requests for data come first
    try:
        answer = import_upload(**told)
    except Problem as problem:
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
        raise Problem(
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
            raise Problem(409, "conflict", _without(folder, str(error))) from None
        except ArchiveError as error:
            raise _unwritable(error) from None
        answers = [_answer(report, folder) for report in reports]
    refused = [each for each in answers if "refused" in each]
    if refused and len(refused) == len(answers):
        first = f"{refused[0]['name']}: {refused[0]['refused']}"
        more = f" (and {len(refused) - 1:,} more)" if len(refused) > 1 else ""
        raise Problem(422, "not_records", first + more)
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


def _unwritable(error: EyelogError) -> Problem:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _FULL:
            return disk_full()
        cause = cause.__cause__
    return unavailable("the archive cannot be written now: try again later")


class DeletedMeanwhile(Problem):
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
