"""Limits on what one client can use: size of head and body, time, connections.

`Bounds` limits a request inside the application; `BoundedProtocol` limits a connection below it,
where a request has not yet begun (headers sent byte by byte) or has ended (a response that nobody
reads).
"""

import asyncio
import errno
import logging
import math
import re
import sys
from typing import Any, cast

import h11
from anyio import current_time, fail_after
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from eyelog.service.parts import Parts
from eyelog.service.responses import Problem, problem_answer, problem_body

__all__ = ["HEAD_BYTES", "BoundedProtocol", "Bounds"]

HEAD_BYTES = 32 * 1024
BODY_BYTES = 64 * 1024
UPLOAD_BYTES = 256 * 1024 * 1024
REQUEST_SECONDS = 30.0
HEAD_SECONDS = 10.0
STALL_SECONDS = 30.0
STALL_BYTES = 32 * 1024
CONNECTIONS = 256
CONNECTIONS_PER_ADDRESS = 100

_log = logging.getLogger("eyelog.service")

# The addresses that take files; a path may have the prefix of a proxy.
_UPLOADS = re.compile(r"/v1/(records|uploads/[^/]+)\Z")
_PAGE = re.compile(r"/account\Z")  # where only a form with files is an upload


class _ErrorsOnly(logging.LoggerAdapter[logging.Logger]):
    """The log of a connection, without the warnings about its client.

    A flood of them would fill the operator's terminal, or block the service if nobody reads it.
    """

    level = logging.ERROR

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 (the name in the standard library)
        """Return whether a message of this level is written."""
        return level >= self.level and super().isEnabledFor(level)


class Bounds:
    """Middleware that refuses too large or too slow requests; an error becomes a plain 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run one request within its limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = ended = False
        received = timed = 0
        upload = _is_upload(scope)
        most = UPLOAD_BYTES if upload else BODY_BYTES

        async def bounded_receive() -> Message:
            nonlocal ended, received, timed
            message = await receive()
            received += len(message.get("body", b""))
            ended = ended or not message.get("more_body", False)
            if received > most:
                raise _too_large(most)
            if upload and ended:
                limit.deadline = math.inf  # the import has a limit of its own
            elif upload and received - timed >= STALL_BYTES:
                # A long body takes as long as its sender needs, but has to make progress.
                timed, limit.deadline = received, current_time() + STALL_SECONDS
            return message

        async def watched_send(message: Message) -> None:
            nonlocal started
            if message.get("more_body", False):
                # A long response takes as long as its reader needs; `BoundedProtocol` ends one that
                # nobody reads.
                limit.deadline = math.inf
            started = True
            await send(message)

        try:
            _check_head(scope, most)
            with fail_after(REQUEST_SECONDS) as limit:
                await self._app(scope, bounded_receive, watched_send)
            return
        except ClientDisconnect:
            return  # a client may hang up at any time
        except Problem as problem:
            refusal = problem
        except asyncio.CancelledError:
            # Only a service that stops, and has waited for its requests, cancels one.
            refusal = Problem(503, "temporarily_unavailable", "the service stops: try again")
        except TimeoutError:
            refusal = (
                Problem(503, "temporarily_unavailable", "the response took too long: try again")
                if ended or scope["method"] in ("GET", "HEAD")
                else Problem(408, "request_timeout", "the body did not arrive in time")
            )
        except Exception as error:  # noqa: BLE001 (logged below)
            # The error must not reach the client, so this is the last place to log it.
            _log.exception("%s %s failed", scope["method"], scope["path"])
            refusal = Problem(500, "server_error", "the service failed; its log has the reason")
            if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
                refusal = Problem(503, "temporarily_unavailable", "no file descriptors are left")
        if not started:
            refusal.headers["Connection"] = "close"
            await problem_answer(refusal)(scope, receive, send)


def _is_upload(scope: Scope) -> bool:
    if scope["method"] in ("POST", "PATCH") and _UPLOADS.search(scope["path"]):
        return True
    kinds = [value for name, value in scope["headers"] if name == b"content-type"]
    with_files = any(kind.startswith(b"multipart/form-data") for kind in kinds)
    return scope["method"] == "POST" and with_files and bool(_PAGE.search(scope["path"]))


def _too_large(most: int) -> Problem:
    size = f"{most // 1024} KB" if most < 1 << 20 else f"{most >> 20} MB: send it in parts"
    return Problem(
        413,
        "content_too_large",
        f"the body is larger than {size}",
        headers={"Connection": "close"},  # without waiting for the rest of the body
    )


def _check_head(scope: Scope, most: int) -> None:
    headers = scope["headers"]
    size = sum(len(name) + len(value) + 4 for name, value in headers)
    if size + len(scope.get("raw_path") or b"") + len(scope["query_string"]) > HEAD_BYTES:
        raise Problem(
            431,
            "request_header_fields_too_large",
            f"address and headers are larger than {HEAD_BYTES // 1024} KB",
        )
    for name, value in headers:
        if name == b"content-length" and value.isdigit() and int(value) > most:
            raise _too_large(most)
    names = {name for name, _ in headers}
    if {b"content-length", b"transfer-encoding"} <= names:
        # A proxy in front may use the other one for the length: RFC 9112, section 6.1.
        raise Problem(
            400,
            "invalid_request",
            "the request has both Content-Length and Transfer-Encoding",
            headers={"Connection": "close"},
        )


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 with time limits for head and response, and JSON errors for invalid HTTP."""

    _head_timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None
    _unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the parent
        """Accept a connection if there is room."""
        self.logger = _ErrorsOnly(_log)  # type: ignore[assignment] # all that it is asked for
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            self._end(503, "temporarily_unavailable", "too many connections: try again later")
            return
        if self._of_this_address() > CONNECTIONS_PER_ADDRESS and not self._of_proxy():
            self._end(
                503,
                "temporarily_unavailable",
                f"more than {CONNECTIONS_PER_ADDRESS} connections from one address",
            )
            return
        self._watch()

    def _of_this_address(self) -> int:
        mine = self.client[0] if self.client else None
        return sum(
            1
            for connection in self.connections
            if isinstance(connection, BoundedProtocol)
            and connection.client is not None
            and connection.client[0] == mine
        )

    def _of_proxy(self) -> bool:
        """Return whether a proxy sent it, through which many clients come."""
        parts: Parts = cast(Starlette, self.config.app).state.parts
        return self.client is not None and parts.proxy.trusts(self.client[0])

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers."""
        super().connection_lost(exc)
        for timer in (self._head_timer, self._stall_timer):
            if timer is not None:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Pass data on, and check whether more must arrive before work can begin."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Watch a body that continues although the response is complete."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self._watch()

    def pause_writing(self) -> None:
        """Watch a response that is read more slowly than it is written."""
        super().pause_writing()
        self._unsent = self.transport.get_write_buffer_size()
        self._stall_timer = self.loop.call_later(STALL_SECONDS, self._check_stall)

    def resume_writing(self) -> None:
        """Stop watching the response."""
        super().resume_writing()
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def send_400_response(self, msg: str) -> None:
        """Refuse invalid HTTP or too long a head; called while that error is being handled."""
        status = getattr(sys.exc_info()[1], "error_status_hint", 400)
        if status == 431:
            text = f"address and headers are larger than {HEAD_BYTES // 1024} KB"
            self._end(431, "request_header_fields_too_large", text)
        else:
            self._end(400, "invalid_request", msg)

    def _watch(self) -> None:
        """Start or stop the time limit for a client that the service waits for."""
        working = self.cycle is not None and not self.cycle.response_complete
        awaited = self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not working
        if awaited and self._head_timer is None and not self.transport.is_closing():
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._head_late)
        elif not awaited and self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_late(self) -> None:
        if not self.transport.is_closing():
            self._end(408, "request_timeout", "the head of the request did not arrive in time")

    def _check_stall(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        if unsent > self._unsent - STALL_BYTES:
            self.transport.abort()
            return
        self._unsent = unsent
        self._stall_timer = self.loop.call_later(STALL_SECONDS, self._check_stall)

    def _end(self, status: int, error: str, description: str) -> None:
        """Send an error of the usual shape, if one can still be sent, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = problem_body(error, description)
            headers: list[tuple[bytes, bytes]] = [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                (b"cache-control", b"no-store"),
                (b"connection", b"close"),
            ]
            events: list[Any] = [
                h11.Response(status_code=status, headers=headers),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ]
            for event in events:
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
