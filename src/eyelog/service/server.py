"""The service as a command (`serve`), and inside a program, test or notebook (`running`)."""

import ipaddress
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from eyelog.errors import ConfigurationError
from eyelog.service.app import create_app
from eyelog.service.bounds import HEAD_BYTES, BoundedProtocol

__all__ = ["running", "serve"]

_START_SECONDS = 20.0
_STOP_SECONDS = 5


class _Server(uvicorn.Server):
    """A server that prints only its address, once it is ready, and stops cleanly on a signal."""

    ready_line: str | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start and print the address: from here on requests and signals are handled."""
        await super().startup(sockets)
        if self.ready_line is not None:
            print(self.ready_line, file=sys.stderr, flush=True)  # noqa: T201 (the operator's terminal)

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


def _server(app: Starlette) -> _Server:
    return _Server(
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
            timeout_graceful_shutdown=_STOP_SECONDS,
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
    )


def _bind(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that a port in use is reported before anything runs."""
    try:
        if not 0 <= port <= 65535:  # the system would take it modulo 65536
            raise OverflowError("ports range from 0 to 65535")
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            if os.name == "posix":  # elsewhere this option lets two programs share a port
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(128)
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"cannot listen on {host}, port {port}: {reason}; choose another --host or --port"
        ) from None
    return listening


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    archive_path: str | os.PathLike[str],
    host: str = "127.0.0.1",
    port: int = 8765,
    page_size: int = 500,
) -> None:
    """Serve an archive until SIGINT or SIGTERM.

    When the service is ready, it prints one line with its address to stderr.

    Parameters
    ----------
    archive_path : path
        The archive's folder.
    host : str
        Address to bind. On any address other than loopback, everyone on that network can reach
        the service, and read its traffic unless a proxy adds TLS; a line on stderr warns of it.
    port : int
        TCP port; 0 lets the system choose a free one.
    page_size : int
        The largest number of records in one answer.

    Raises
    ------
    ConfigurationError
        If the archive folder does not exist, or the address cannot be bound.
    """
    app = create_app(archive_path, page_size=page_size)
    with _bind(host, port) as listening:
        if not ipaddress.ip_address(listening.getsockname()[0]).is_loopback:
            print(  # noqa: T201 (as above)
                "eyelog: warning: other machines can reach this service over plain HTTP: put a"
                " proxy with TLS in front of it, or tokens and data can be read on the way",
                file=sys.stderr,
            )
        server = _server(app)
        server.ready_line = _address(listening)
        server.run(sockets=[listening])


@contextmanager
def running(
    archive_path: str | os.PathLike[str], *, page_size: int = 500, port: int = 0
) -> Iterator[str]:
    """Run the service on 127.0.0.1 in a thread, for the length of a ``with`` block.

    Parameters
    ----------
    archive_path : path
        The archive's folder.
    page_size : int
        The largest number of records in one answer.
    port : int
        TCP port; 0 lets the system choose a free one.

    Yields
    ------
    str
        The address (``http://127.0.0.1:PORT``), which answers until the block ends.

    Raises
    ------
    ConfigurationError
        If the archive folder does not exist, or the port is in use.
    """
    server = _server(create_app(archive_path, page_size=page_size))
    with _bind("127.0.0.1", port) as listening:
        thread = threading.Thread(
            target=server.run, args=([listening],), name="eyelog-service", daemon=True
        )
        thread.start()
        try:
            deadline = time.monotonic() + _START_SECONDS
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise ConfigurationError(
                        f"the service did not start within {_START_SECONDS:g} s"
                    )
                time.sleep(0.005)
            yield _address(listening)
        finally:
            server.should_exit = True
            thread.join(_STOP_SECONDS * 2)
