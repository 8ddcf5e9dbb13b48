"""POST /v1/records: files of records into the archive, either all of an upload or nothing."""

import logging
import shutil
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.archive.account_folders import remove_leftovers
from eyelog.archive.inventory import bytes_of_account
from eyelog.archive.months import months
from eyelog.archive.place import archive_errors
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import known_logs
from eyelog.clock import as_zones
from eyelog.errors import ConfigurationError
from eyelog.service.access_log import ACCOUNT
from eyelog.service.auth.grants import Bearer
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.tokens import may_write
from eyelog.service.hourly_limit import HourlyLimits
from eyelog.service.parameters import by_name
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem, json_answer
from eyelog.service.spool import Spool
from eyelog.service.uploads.deleted import deleted_meanwhile, erasures, is_deleted
from eyelog.service.uploads.importer import ImportFailed, import_apart
from eyelog.service.uploads.sent import Sent
from eyelog.service.uploads.upload_body import Received, receive

__all__ = ["NO_STORE", "Arrived", "Options", "Uploads", "arriving", "note_upload", "take_records"]

_MOST: Final = 8  # uploads under way in one process
_SPARE: Final = 64 << 20  # bytes that an upload leaves free on the disk
NO_STORE: Final = {"Cache-Control": "no-store"}
_KNOWN: Final = ("name", "replace", "tz")

_log = logging.getLogger("eyelog.service")


class Options:
    """What the address of an upload requests: `name`, `replace` and `tz`."""

    def __init__(self, request: Request) -> None:
        pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        query = by_name(pairs)
        if unknown := [name for name in query if name not in _KNOWN]:
            raise Problem(400, "invalid_request", f"unknown parameter {unknown[0][:64]!r}")
        self.name = query.get("name", "")
        replace = query.get("replace", "false")
        if replace not in ("true", "false"):
            raise Problem(400, "invalid_request", "replace must be true or false")
        self.replace = replace == "true"
        self.tz = query.get("tz") or None
        if self.tz is not None:
            try:
                as_zones(self.tz)
            except ConfigurationError:
                raise Problem(
                    400, "invalid_request", "tz must be a time zone such as Asia/Tokyo"
                ) from None


class Arrived(NamedTuple):
    """The files of one upload, in a private folder that is locked."""

    files: list[Received]
    folder: Path
    lock: int
    headers: dict[str, str]  # of the answer
    erased: int  # how often the account was erased before


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
    """

    def __init__(self, registry: Registry, limits: HourlyLimits | None, quota: int) -> None:
        self.spool = Spool(registry.folder)
        self.sent = Sent(registry.state)
        self._registry = registry
        self._archive = registry.archive
        self._limits = limits
        self._quota = quota
        self._under_way = 0
        self._one = CapacityLimiter(1)  # an import takes a whole core

    @asynccontextmanager
    async def room(self) -> AsyncIterator[None]:
        """Hold one of the places for uploads under way."""
        if self._under_way >= _MOST:
            raise Problem(
                503,
                "temporarily_unavailable",
                "many others are uploading: try again in a few seconds",
                headers={"Retry-After": "5"},
            )
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    def count(self, account: str) -> dict[str, str]:
        """Count one upload of an account; return the headers of its answer."""
        if self._limits is None:
            return {}
        left = self._limits.take(account)
        if left.remaining < 0:
            raise Problem(
                429,
                "rate_limit_exceeded",
                f"more than {left.limit} uploads in this hour: try again in {left.wait_s} s",
                headers={"Retry-After": str(left.wait_s), **left.headers},
            )
        return left.headers

    def check_room(self, account: str, coming: int) -> None:
        """Raise if that many more bytes of an account are too much for the disk or its quota."""
        if shutil.disk_usage(self._registry.folder).free < coming + _SPARE:
            raise Problem(
                507, "insufficient_storage", "the disk of the service is full: try again later"
            )
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
        raise deleted_meanwhile()

    async def take(
        self, account: str, arrived: Arrived, *, replace: bool = False, tz: str | None = None
    ) -> dict[str, Any]:
        """Import what was received; return the answer.

        Raises
        ------
        Problem
            If it is refused.
        """
        files, folder = arrived.files, arrived.folder
        check = partial(self.check_account, account, arrived.erased)
        await to_thread.run_sync(check)
        size = sum(file.size for file in files)
        await to_thread.run_sync(self.check_room, account, 0)  # its own bytes are in the folder
        earlier = [await to_thread.run_sync(self.sent.find, account, f.sha256) for f in files]
        temporary = folder / "temporary"
        temporary.mkdir(mode=0o700, exist_ok=True)
        told = {
            "archive": str(self._archive),
            "account": account,
            "erased": arrived.erased,
            "folder": str(folder / "files"),
            "files": [str(file.path) for file in files],
            "replace": replace,
            "tz": tz,
        }
        try:
            answer = await to_thread.run_sync(
                partial(self._import, told, temporary=temporary, lock=arrived.lock),
                limiter=self._one,
            )
        except ImportFailed as error:
            await to_thread.run_sync(partial(check, imported=True))
            _log.error("an upload of %d bytes was not imported: %s", size, error)
            await to_thread.run_sync(remove_leftovers, place_of(Archive(self._archive)), account)
            raise Problem(
                500, "server_error", "the import failed; the service's log has the reason"
            ) from None
        await to_thread.run_sync(partial(check, imported=True))
        noted = [(file.sha256, file.size) for file in files]
        await to_thread.run_sync(partial(self.sent.note, account, noted, new=answer["new"]))
        if all(earlier) and not answer["new"]:
            answer["repeated"] = True
        return answer

    def _import(self, told: dict[str, Any], *, temporary: Path, lock: int) -> dict[str, Any]:
        with self._alone(told["account"]) as other:
            locks = [lock] if other is None else [lock, other]
            return import_apart(told, temporary=temporary, locks=locks)

    def _alone(self, account: str) -> AbstractContextManager[int | None]:
        """Keep other imports away: of two into one month, the later would undo the other."""
        if isinstance(self._archive, Path):
            return nullcontext()  # the archive has locks of its own
        if self._registry.state.in_database:
            return self._registry.state.database.alone(account)
        return self.spool.alone()


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
    async with uploads.of(account) as erased, uploads.room():
        headers = await to_thread.run_sync(uploads.count, account)
        length = request.headers.get("content-length", "0")
        await to_thread.run_sync(
            uploads.check_room, account, int(length) if length.isdecimal() else 0
        )
        with ExitStack() as stack:
            folder, lock = await to_thread.run_sync(
                stack.enter_context, uploads.spool.folder(account)
            )
            files_folder = folder / "files"
            files_folder.mkdir(mode=0o700)
            files = await receive(request, files_folder, name=name, fields=fields)
            yield Arrived(files, folder, lock, headers, erased)


async def take_records(request: Request) -> Response:
    """Answer POST /v1/records: import the files of the body."""
    uploads = parts_of(request).uploads
    bearer: Bearer = await to_thread.run_sync(may_write, request)
    request.scope[ACCOUNT] = bearer.account
    try:
        options = Options(request)
        async with arriving(request, bearer.account, name=options.name) as arrived:
            answer = await uploads.take(
                bearer.account, arrived, replace=options.replace, tz=options.tz
            )
    except Problem as problem:
        # The rest of the body is not waited for.
        problem.headers.setdefault("Connection", "close")
        raise
    await note_upload(request, bearer, arrived, answer)
    return json_answer(answer, headers=NO_STORE | arrived.headers)


async def note_upload(
    request: Request, bearer: Bearer, arrived: Arrived, answer: dict[str, Any]
) -> None:
    """Count that records came in, and write it to the audit log."""
    shared = parts_of(request)
    shared.metrics.count("uploads")
    shared.metrics.count("rows", answer["new"])
    await to_thread.run_sync(
        partial(
            shared.audit.write,
            "upload",
            unless=partial(is_deleted, shared.registry, bearer.account, arrived.erased),
            account=bearer.account,
            application=bearer.client_id or None,
            address=request.client and request.client.host,
            bytes=sum(file.size for file in arrived.files),
            files=len(answer["files"]),
            new=answer["new"],
        )
    )
