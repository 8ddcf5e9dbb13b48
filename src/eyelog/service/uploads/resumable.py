"""A file sent in parts: POST /v1/uploads announces it, PATCH /v1/uploads/SHA-256 sends the parts.

It is named by its content hash. So a client that was interrupted does not need to remember
anything: it announces the file again, and learns how much has arrived, or that it was imported
before. When the last part has arrived, the file counts as posted to /v1/records.
"""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import Final

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog.service.access_log import ACCOUNT
from eyelog.service.auth.grants import Bearer
from eyelog.service.auth.tokens import may_write
from eyelog.service.bounds import UPLOAD_BYTES
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem, json_answer
from eyelog.service.spool import PART
from eyelog.service.uploads.upload_body import Received, disk_full, shown_name
from eyelog.service.uploads.upload_routes import NO_STORE, Arrived, Options, Uploads, note_upload

__all__ = ["announce", "take_part"]

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_AT_ONCE: Final = 1 << 20  # bytes that are written in one step, in a thread


class _Announced(msgspec.Struct, forbid_unknown_fields=True):
    sha256: str
    size: int


async def announce(request: Request) -> Response:
    """Answer POST /v1/uploads: how much of a file has arrived, and if it was imported before."""
    uploads = parts_of(request).uploads
    bearer = await _bearer(request)
    try:
        told = msgspec.json.decode(await request.body(), type=_Announced)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        told = _Announced("", 0)
    if not _HASH.fullmatch(told.sha256) or told.size < 1:
        raise Problem(
            400, "invalid_request", "the body must be JSON: sha256 (64 hexadecimal digits) and size"
        )
    _check_size(told.size)
    async with uploads.of(bearer.account) as erased:
        earlier = await to_thread.run_sync(
            uploads.sent.find, bearer.account, bytes.fromhex(told.sha256)
        )
        if earlier is not None:
            return json_answer({"offset": told.size, "imported": True}, headers=NO_STORE)
        return await to_thread.run_sync(_begin, uploads, bearer.account, told, erased)


def _begin(uploads: Uploads, account: str, told: _Announced, erased: int) -> Response:
    headers: dict[str, str] = {}
    with _part(uploads, account, told) as part:
        if part is None:
            headers = uploads.count(account)
            uploads.check_room(account, told.size)
    with _part(uploads, account, told, make=True) as part:
        offset = part.stat().st_size if part is not None else 0
    uploads.check_account(account, erased)
    return json_answer({"offset": offset, "imported": False}, headers=NO_STORE | headers)


async def take_part(request: Request) -> Response:
    """Answer PATCH /v1/uploads/SHA-256: add a part of a file, and import it after the last."""
    uploads = parts_of(request).uploads
    bearer = await _bearer(request)
    account, sha256 = bearer.account, request.path_params["sha256"]
    try:
        options = Options(request)
        offset, size = (_number(request, name) for name in ("upload-offset", "upload-length"))
        _check_size(size)
        told = _Announced(sha256, size)
        async with uploads.of(account) as erased, uploads.room():
            with ExitStack() as stack:
                part = await to_thread.run_sync(stack.enter_context, _part(uploads, account, told))
                if part is None:
                    raise await to_thread.run_sync(_not_announced, uploads, account, sha256)
                received = part.stat().st_size
                if received != offset:
                    raise Problem(
                        409,
                        "wrong_offset",
                        f"{received} bytes of the file are here: go on from there",
                        headers={"Upload-Offset": str(received)},
                    )
                await to_thread.run_sync(uploads.check_room, account, max(0, size - offset))
                received = await _append(request, part, most=size - offset) + offset
                if received < size:
                    await to_thread.run_sync(uploads.check_account, account, erased)
                    return json_answer({"offset": received}, status=202, headers=NO_STORE)
                folder, lock = await to_thread.run_sync(
                    stack.enter_context, uploads.spool.folder(account)
                )
                file = await to_thread.run_sync(_whole, part, folder, sha256, options.name)
                arrived = Arrived([file], folder, lock, {}, erased)
                answer = await uploads.take(
                    account, arrived, replace=options.replace, tz=options.tz
                )
    except Problem as problem:
        # The rest of the body is not waited for.
        problem.headers.setdefault("Connection", "close")
        raise
    await note_upload(request, bearer, arrived, answer)
    return json_answer(answer, headers=NO_STORE)


async def _bearer(request: Request) -> Bearer:
    bearer = await to_thread.run_sync(may_write, request)
    request.scope[ACCOUNT] = bearer.account
    return bearer


def _check_size(size: int) -> None:
    if size > UPLOAD_BYTES:
        raise Problem(
            413, "content_too_large", f"the file is larger than {UPLOAD_BYTES >> 20} MB: split it"
        )


@contextmanager
def _part(
    uploads: Uploads, account: str, told: _Announced, *, make: bool = False
) -> Iterator[Path | None]:
    """Give what has come of a file that was announced with this size, locked; None if it was not.

    Its name has the size, so that it never grows beyond what there was room for.
    """
    if not _HASH.fullmatch(told.sha256):
        raise Problem(404, "not_found", "there is nothing at this address")
    with ExitStack() as stack:
        try:
            name = f"{told.sha256}.{told.size}"
            part = stack.enter_context(uploads.spool.part(account, name, make=make))
        except BlockingIOError:
            raise Problem(
                409,
                "upload_busy",
                "another request is sending this file: try again in a few seconds",
                headers={"Retry-After": "2"},
            ) from None
        yield part


def _not_announced(uploads: Uploads, account: str, sha256: str) -> Problem:
    if any(uploads.spool.of(account).glob(f"{sha256}.*{PART}")):
        return Problem(
            400, "invalid_request", "Upload-Length is not the size with which it was announced"
        )
    return Problem(404, "not_found", "this upload was not announced, or has ended")


def _number(request: Request, name: str) -> int:
    text = request.headers.get(name, "")
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise Problem(400, "invalid_request", f"the header {name.title()} must be a number")
    return int(text)


async def _append(request: Request, part: Path, *, most: int) -> int:
    """Write the body to the end of a part, as far as it comes; return its bytes."""
    with part.open("r+b") as sink:  # which makes no file anew if the account was just erased
        sink.seek(0, os.SEEK_END)
        waiting, taken = bytearray(), 0

        def write(data: bytes) -> None:
            sink.write(data)
            sink.flush()

        async def flush() -> None:
            nonlocal taken
            try:
                await to_thread.run_sync(write, bytes(waiting))
            except OSError as error:
                raise disk_full(error) from None
            taken += len(waiting)
            waiting.clear()

        try:
            async for piece in request.stream():
                waiting += piece
                if taken + len(waiting) > most:
                    waiting.clear()
                    raise Problem(400, "invalid_request", "the part goes beyond the file's end")
                if len(waiting) >= _AT_ONCE:
                    await flush()
        finally:
            await flush()
    return taken


def _whole(part: Path, folder: Path, sha256: str, name: str) -> Received:
    """Move a complete file into a private folder, and check that it is the announced one."""
    home = folder / "files" / "1"
    home.mkdir(mode=0o700, parents=True)
    path = part.rename(home / shown_name(name))
    with path.open("rb") as file:
        digest = file_digest(file, "sha256")
    if digest.hexdigest() != sha256:
        raise Problem(
            422, "wrong_hash", "the file is not the one that was announced: send it again"
        )
    return Received(path, path.stat().st_size, digest.digest())
