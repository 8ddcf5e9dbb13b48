"""The access log: one line of JSON per request, in a file that only its owner can read.

It contains no query, header or body: login addresses contain codes, and requests tokens.
"""

import os
import re
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eyelog.errors import ConfigurationError

__all__ = ["ACCOUNT", "AccessLog", "Logged"]

ACCOUNT = "eyelog.account"
"""The key of the scope under which an endpoint stores the requesting account."""

_MOST_CHARACTERS = 200
# Someone may put a token where a path belongs.
_LIKE_A_TOKEN = re.compile(r"[^/]{32,}")


class AccessLog:
    """The file of the log, which several processes may share and a program may move away.

    Raises
    ------
    ConfigurationError
        If it cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).expanduser().absolute()
        self._lock = Lock()
        self._file: int | None = None
        self._identity: tuple[int, int] | None = None
        self._failed = False
        try:
            self._open()
        except OSError as error:
            raise ConfigurationError(
                f"cannot write the access log {self._path}: {error.strerror}; choose another"
                " --access-log"
            ) from None

    def write(self, entry: dict[str, Any]) -> None:
        """Add a line. A fault is reported once on stderr; no request fails because of it."""
        line = msgspec.json.encode(entry) + b"\n"
        try:
            with self._lock:
                self._open()
                assert self._file is not None  # noqa: S101 (just opened)
                os.write(self._file, line)  # one write in append mode: lines stay whole
        except OSError as error:
            if not self._failed:
                print(  # noqa: T201 (the operator's terminal)
                    f"eyelog: warning: cannot write the access log: {error.strerror}",
                    file=sys.stderr,
                )
            self._failed = True
        else:
            self._failed = False

    def _open(self) -> None:
        """Open the file, and open it again if it was moved away."""
        with suppress(OSError):
            status = self._path.stat()
            if self._file is not None and (status.st_dev, status.st_ino) == self._identity:
                return
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._file = os.open(self._path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        status = os.fstat(self._file)
        self._identity = (status.st_dev, status.st_ino)


class Logged:
    """Middleware that writes a line for each request."""

    def __init__(self, app: ASGIApp, log: AccessLog) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run one request, and write its line."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        at, begun = datetime.now(UTC), time.perf_counter()
        status: int | None = None
        n_bytes = 0

        async def counted(message: Message) -> None:
            nonlocal status, n_bytes
            if message["type"] == "http.response.start":
                status = message["status"]
            n_bytes += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counted)
        finally:
            client = scope.get("client")
            self._log.write(
                {
                    "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                    "method": scope["method"][:20],
                    "path": _shown(scope["path"]),
                    "status": status,  # null: the client hung up before the answer began
                    "bytes": n_bytes,
                    "ms": round((time.perf_counter() - begun) * 1e3, 1),
                    "account": scope.get(ACCOUNT),
                    "address": client[0] if client else None,
                }
            )


def _shown(path: str) -> str:
    shown = _LIKE_A_TOKEN.sub("…", path[:_MOST_CHARACTERS])
    return shown.encode("utf-8", "replace").decode()
