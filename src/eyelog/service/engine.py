"""The HTTP server under the application: listening, starting and stopping."""

import asyncio
import errno
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette

from eyelog.errors import ConfigurationError
from eyelog.service.bounds import HEAD_BYTES, BoundedProtocol

__all__ = ["STOP_SECONDS", "Server", "address", "bind", "make_server"]

STOP_SECONDS = 5
"""How long requests under way may take when the service stops."""
_BACKLOG = 128


class Server(uvicorn.Server):
    """A server that reports when it is ready, and stops cleanly on a signal."""

    on_ready: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it: from here on requests and signals are handled."""
        await super().startup(sockets)
        for each in sockets or []:
            each.listen(_BACKLOG)
        reserve = _Reserve(sockets or [])
        asyncio.get_running_loop().set_exception_handler(reserve.handle)
        if self.on_ready is not None:
            self.on_ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM; restore the caller's handlers afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (signal's shape)
            self.force_exit = self.should_exit
            self.should_exit = True

        handlers = {
            number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


class _Reserve:
    """A descriptor kept free, so that connections can be refused when no other is left.

    Without it they would wait, unanswered, until a descriptor is free, including requests for
    /health.
    """

    def __init__(self, sockets: list[socket.socket]) -> None:
        self._sockets = sockets
        self._spare = os.open(os.devnull, os.O_RDONLY)

    def handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Refuse the waiting connections if there is no descriptor for them."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE)):
            loop.default_exception_handler(context)
            return
        if self._spare >= 0:
            os.close(self._spare)
        for listening in self._sockets:
            with suppress(OSError):  # none is waiting any more
                while True:
                    listening.accept()[0].close()
        try:
            self._spare = os.open(os.devnull, os.O_RDONLY)
        except OSError:  # another thread was faster
            self._spare = -1


def make_server(app: Starlette) -> Server:
    """Return a server for the application, which does not listen yet."""
    return Server(
        uvicorn.Config(
            app,
            http=BoundedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,  # loggers belong to the embedding program
            access_log=False,  # login addresses contain codes
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=STOP_SECONDS,
            h11_max_incomplete_event_size=HEAD_BYTES,
            # asyncio accepts this many connections at once: a worker that took all waiting ones
            # would leave the other workers idle. `startup` sets the real length of the queue.
            backlog=1,
        )
    )


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that a port in use is reported before anything runs.

    Raises
    ------
    ConfigurationError
        If the address is unknown, or in use.
    """
    try:
        if not 0 <= port <= 65535:  # the system would take it modulo 65536
            raise OverflowError("ports range from 0 to 65535")
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            if os.name == "posix":  # elsewhere this option lets two programs share a port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(where)
            listening.listen(_BACKLOG)
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"cannot listen on {host}, port {port}: {reason}; choose another --host or --port"
        ) from None
    return listening


def address(listening: socket.socket) -> str:
    """Return the address of a listening socket, such as ``http://127.0.0.1:8765``."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
