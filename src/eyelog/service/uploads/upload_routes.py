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
from eyelog.archive.store import Archive, place_of
from eyelog.clock import as_zones
from eyelog.errors import ConfigurationError
from eyelog.service.access_log import ACCOUNT
from eyelog.service.auth.grants import Bearer
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.restored import erasures
from eyelog.service.auth.tokens import may_write
from eyelog.service.hourly_limit import HourlyLimits
from eyelog.service.parameters import by_name
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem, json_answer
from eyelog.service.spool import Spool
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
        held = bytes_of_account(place_of(Archive(self._archive)), account)
        held += self.spool.bytes_of(account)
        if held + coming > self._quota:
            raise Problem(
                507,
                "quota_exceeded",
                f"the account may keep {self._quota / 1e6:,g} MB here, and has"
                f" {held / 1e6:,.1f} MB: ask the person who runs this service",
            )

    async def take(
        self,
        account: str,
        files: list[Received],
        folder: Path,
        lock: int,
        *,
        replace: bool = False,
        tz: str | None = None,
    ) -> dict[str, Any]:
        """Import what was received; return the answer.

        Raises
        ------
        Problem
            If it is refused.
        """
        erased = await to_thread.run_sync(erasures, self._registry, account)
        size = sum(file.size for file in files)
        await to_thread.run_sync(self.check_room, account, 0)  # its own bytes are in the folder
        earlier = [await to_thread.run_sync(self.sent.find, account, f.sha256) for f in files]
        temporary = folder / "temporary"
        temporary.mkdir(mode=0o700, exist_ok=True)
        told = {
            "archive": str(self._archive),
            "account": account,
            "folder": str(folder / "files"),
            "files": [str(file.path) for file in files],
            "replace": replace,
            "tz": tz,
        }
        try:
            answer = await to_thread.run_sync(
                partial(self._import, told, temporary=temporary, lock=lock), limiter=self._one
            )
        except ImportFailed as error:
            _log.error("an upload of %d bytes was not imported: %s", size, error)
            await to_thread.run_sync(remove_leftovers, place_of(Archive(self._archive)), account)
            raise Problem(
                500, "server_error", "the import failed; the service's log has the reason"
            ) from None
        if await to_thread.run_sync(erasures, self._registry, account) > erased:
            # Only what was erased in the meantime has come back through this import.
            await to_thread.run_sync(Archive(self._archive).erase, account)
            raise Problem(
                403, "access_denied", "the account was deleted meanwhile: nothing was kept"
            )
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
    async with uploads.room():
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
            yield Arrived(files, folder, lock, headers)


async def take_records(request: Request) -> Response:
    """Answer POST /v1/records: import the files of the body."""
    uploads = parts_of(request).uploads
    bearer: Bearer = await to_thread.run_sync(may_write, request)
    request.scope[ACCOUNT] = bearer.account
    try:
        options = Options(request)
        async with arriving(request, bearer.account, name=options.name) as arrived:
            answer = await uploads.take(
                bearer.account,
                arrived.files,
                arrived.folder,
                arrived.lock,
                replace=options.replace,
                tz=options.tz,
            )
    except Problem as problem:
        # The rest of the body is not waited for.
        problem.headers.setdefault("Connection", "close")
        raise
    await note_upload(request, bearer, answer, sum(file.size for file in arrived.files))
    return json_answer(answer, headers=NO_STORE | arrived.headers)


async def note_upload(request: Request, bearer: Bearer, answer: dict[str, Any], size: int) -> None:
    """Count the records that arrived, and write this to the audit log."""
    parts_of(request).metrics.count("uploads")
    parts_of(request).metrics.count("rows", answer["new"])
    await to_thread.run_sync(
        partial(
            parts_of(request).audit.write,
            "upload",
            account=bearer.account,
            application=bearer.client_id or None,
            address=request.client and request.client.host,
            bytes=size,
            files=len(answer["files"]),
            new=answer["new"],
        )
    )
