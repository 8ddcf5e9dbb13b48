"""The service as a command (`serve`), and inside a program, test or notebook (`running`)."""

import ipaddress
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from multiprocessing.synchronize import Semaphore
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from eyelog.checks import whole_number
from eyelog.errors import ConfigurationError
from eyelog_service.app import create_app
from eyelog_service.middleware import HEAD_BYTES

_START_SECONDS = 20.0
_STOP_SECONDS = 5
"""How long requests under way may take when the service stops."""
_CONNECTIONS = 1000
"""Connections of one process; a request on another is asked to come again."""
_BACKLOG = 128
_NO_LIMITS = {"requests_per_hour": 0, "uploads_per_hour": 0, "quota": 0, "unpacked": 0}


def serve(
    archive_path: str | os.PathLike[str],
    host: str = "127.0.0.1",
    port: int = 8765,
    **settings: Any,
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
    **settings
        As for `create_app`; `workers` processes serve, and one that ends is replaced.

    Raises
    ------
    ConfigurationError
        If the archive folder does not exist, the address cannot be bound, or a setting cannot be
        used.
    """
    workers, proxy = settings.get("workers", 1), settings.get("proxy")
    whole_number(workers, "workers", 1)
    if workers > 1 and os.name != "posix":
        raise ConfigurationError("several workers need Linux or macOS: leave out --workers")
    options: dict[str, Any] = {"archive_path": archive_path, **settings}
    app = create_app(**options)  # also with workers: any fault is reported once, and immediately
    _raise_descriptors()
    with _bound(host, port) as listening:
        if not ipaddress.ip_address(listening.getsockname()[0]).is_loopback:
            _note(
                "eyelog: warning: other machines can reach this service over plain HTTP: "
                + (
                    "put a proxy with TLS in front of it, or tokens and data can be read on the way"
                    if proxy is None
                    else "let a firewall admit only the proxy"
                )
            )
        if workers > 1:
            ready = multiprocessing.get_context("spawn").Semaphore(0)
            config = _config(partial(_app_of_worker, options, ready), factory=True, workers=workers)

            def announce() -> None:
                for _ in range(workers):
                    ready.acquire()
                _note(_address(listening))

            threading.Thread(target=announce, daemon=True).start()
            Multiprocess(config, sockets=[listening]).run()
        else:
            server = uvicorn.Server(_config(app))
            for number in (signal.SIGINT, signal.SIGTERM):  # which it sends again when it has ended
                signal.signal(number, server.handle_exit)
            _note(_address(listening))
            server.run(sockets=[listening])


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 (the operator's terminal)


@contextmanager
def running(
    archive_path: str | os.PathLike[str], *, page_size: int = 500, port: int = 0, **settings: Any
) -> Iterator[str]:
    """Run the service on 127.0.0.1 in a thread, for the length of a ``with`` block.

    Parameters
    ----------
    archive_path, page_size, port
        As for `serve`, except that a free port is chosen by default.
    **settings
        Other settings of `create_app`. Requests and uploads are not limited unless
        ``requests_per_hour``, ``uploads_per_hour`` and ``quota`` are given: the service has only
        one user.

    Yields
    ------
    str
        The address, as from `eyelog.serve`.

    Raises
    ------
    ConfigurationError
        If the archive folder does not exist, or the port is in use.
    """
    app = create_app(archive_path, page_size=page_size, **{**_NO_LIMITS, **settings})
    server = uvicorn.Server(_config(app))
    with _bound("127.0.0.1", port) as listening:
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


def _config(app: Any, **more: Any) -> uvicorn.Config:
    """Return how uvicorn serves the application; heads that come slowly are a proxy's task."""
    _quieten()
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,  # loggers belong to the embedding program
        access_log=False,  # addresses hold codes and cursors; a proxy's log can leave them out
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=_STOP_SECONDS,
        h11_max_incomplete_event_size=HEAD_BYTES,
        backlog=_BACKLOG,  # asyncio tries as often in a row to accept one without a descriptor
        **more,
    )


def _quieten() -> None:
    """Leave out warnings about clients: in a flood they would fill the operator's terminal."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.getLogger("asyncio").addFilter(_is_worth_a_line)


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    # There is one for each connection that finds no descriptor.
    return "accept() out of system resource" not in record.getMessage()


def _app_of_worker(options: Mapping[str, Any], ready: Semaphore) -> Starlette:
    """Return the application of one of several processes, which ends with the one above it."""
    _quieten()
    supervisor = multiprocessing.parent_process()

    def end() -> None:
        if supervisor is not None:
            supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, name="supervisor", daemon=True).start()
    app = create_app(**options)
    ready.release()
    return app


def _raise_descriptors() -> None:
    """Let this process open as many files and connections as the system allows it."""
    if sys.platform == "win32":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = 65_536 if most == resource.RLIM_INFINITY else most  # macOS refuses infinity
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _bound(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that a port in use is reported before anything runs."""
    try:
        if not 0 <= port <= 65535:  # the system would take it modulo 65536
            raise OverflowError("ports range from 0 to 65535")
        family, *_, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server(where, family=family, backlog=_BACKLOG, dualstack_ipv6=both)
    except (OSError, OverflowError) as error:
        reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise ConfigurationError(
            f"cannot listen on {host}, port {port}: {reason}; choose another --host or --port"
        ) from None


def _address(listening: socket.socket) -> str:
    """Return the address of a listening socket, such as ``http://127.0.0.1:8765``."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
