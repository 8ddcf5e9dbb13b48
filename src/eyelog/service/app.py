"""The service of the contract as an application, as a command, and inside a test or notebook.

All paths, rules and answers are those of the contract; what it leaves open is written down in
``openapi``. The data come from the archive alone, the OAuth state from ``_service.sqlite``.
"""

import ipaddress
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from urllib.parse import parse_qsl

from eyelog.catalogue import LOGS
from eyelog.errors import ConfigurationError
from eyelog.service.answers import Problem, json_answer, packed, problem_answer
from eyelog.service.bounds import HEAD_BYTES, BoundedProtocol, Bounds
from eyelog.service.data import Cursors, answer
from eyelog.service.login import Login, show_login, take_login
from eyelog.service.oauth import Registry, authenticate, revoke, token
from eyelog.service.openapi import document
from eyelog.service.query import parse_query
from eyelog.service.web import (
    CapacityLimiter,
    HTTPException,
    Middleware,
    Request,
    Response,
    Route,
    Starlette,
    to_thread,
    uvicorn,
)
from eyelog.service.windows import Windows

__all__ = ["create_app", "running", "serve"]

_START_SECONDS = 20.0
_STOP_SECONDS = 5
_ERRORS = {
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this address does not take this method"),
}
# Pages are read and written by threads; more of them than this only wait for one another.
_AT_ONCE = 4


def create_app(archive_path: str | os.PathLike[str], *, page_size: int = 500) -> Starlette:
    """Return the service on an archive as an ASGI application.

    Parameters
    ----------
    archive_path : path
        The archive's folder; ``_service.sqlite`` (0600) is made in it if it is not there.
    page_size : int
        The largest number of records in one answer.

    Returns
    -------
    Starlette
        The application.

    Raises
    ------
    ConfigurationError
        If the folder does not exist, the page size is below 1, or a package of the extra
        ``[service]`` is missing.
    """
    if isinstance(page_size, bool) or not isinstance(page_size, int) or page_size < 1:
        raise ConfigurationError(f"page_size must be a whole number from 1, not {page_size!r}")
    registry = Registry(archive_path)
    if not registry.folder.is_dir():
        raise ConfigurationError(
            f"there is no archive folder {os.fspath(archive_path)!r}: eyelog simulate, import or"
            " sync makes one"
        )
    key = registry.signing_key()
    described = document(page_size)

    async def openapi(request: Request) -> Response:  # noqa: ARG001 (the framework's shape)
        return json_answer(described)

    get, post = ["GET"], ["POST"]
    app = Starlette(
        routes=[
            _route("/v1/oauth/token", (post, token)),
            _route("/v1/oauth/revoke", (post, revoke)),
            _route("/v1/oauth/authorize", (get, show_login), (post, take_login)),
            *(_route(f"/v2/users/me/official/{log}", (get, _data(log))) for log in LOGS),
            _route("/openapi.json", (get, openapi)),
        ],
        middleware=[Middleware(Bounds)],
        exception_handlers={HTTPException: _refuse_http, Problem: _refuse},
    )
    app.router.redirect_slashes = False
    app.state.registry = registry
    app.state.windows = Windows(registry.folder)
    app.state.cursors = Cursors(key)
    app.state.login = Login(key)
    app.state.page_size = page_size
    app.state.at_once = CapacityLimiter(_AT_ONCE)
    return app


Endpoint = Callable[[Request], Awaitable[Response]]


def _route(path: str, *endpoints: tuple[list[str], Endpoint]) -> Route:
    """Return the route of one address: its methods, HEAD with GET, and OPTIONS that lists them."""
    by_method = {method: endpoint for methods, endpoint in endpoints for method in methods}
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    allowed = ", ".join(sorted([*by_method, "OPTIONS"]))

    async def dispatch(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"Allow": allowed})
        return await by_method[request.method](request)

    return Route(path, dispatch, methods=[*by_method, "OPTIONS"])


def _data(log: str) -> Endpoint:
    def page(request: Request) -> Response:
        state = request.app.state
        bearer = authenticate(request)
        pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        body = answer(
            state.windows,
            bearer.account,
            parse_query(log, pairs),
            cursors=state.cursors,
            page_size=state.page_size,
        )
        return packed(request, body, headers={"Cache-Control": "private, no-cache"})

    async def data(request: Request) -> Response:
        return await to_thread.run_sync(
            partial(page, request),
            limiter=request.app.state.at_once,
            abandon_on_cancel=True,
        )

    return data


def _refuse(request: Request, problem: Exception) -> Response:  # noqa: ARG001 (the framework's shape)
    assert isinstance(problem, Problem)  # noqa: S101 (it is registered for nothing else)
    return problem_answer(problem)


def _refuse_http(request: Request, error: Exception) -> Response:  # noqa: ARG001 (as above)
    assert isinstance(error, HTTPException)  # noqa: S101 (it is registered for nothing else)
    name, text = _ERRORS.get(error.status_code, ("invalid_request", str(error.detail)))
    return problem_answer(Problem(error.status_code, name, text, headers=error.headers))


# --- running it ------------------------------------------------------------------------------


class _Server(uvicorn.Server):
    """A server that says only where it is, once it is ready, and ends in order on a signal."""

    ready_line: str | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so: from here on requests are answered and signals are heeded."""
        await super().startup(sockets)
        if self.ready_line is not None:
            print(self.ready_line, file=sys.stderr, flush=True)  # noqa: T201 (the operator's terminal)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take SIGINT and SIGTERM as the wish to stop; the caller's handlers come back after."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (signal's shape)
            self.force_exit = self.should_exit
            self.should_exit = True

        before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def _server(app: Starlette) -> _Server:
    return _Server(
        uvicorn.Config(
            app,
            http=BoundedProtocol,
            ws="none",
            lifespan="off",
            log_config=None,  # the loggers are the embedding program's
            access_log=False,  # addresses of the login carry codes
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=_STOP_SECONDS,
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
    )


def _bind(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that a port in use is known before anything runs."""
    try:
        if not 0 <= port <= 65535:  # the system would take such a number modulo 65536
            raise OverflowError("ports go from 0 to 65535")
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            if os.name == "posix":  # elsewhere the option lets two programs share a port
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

    One line with the address goes to stderr when the service is ready.

    Parameters
    ----------
    archive_path : path
        The archive's folder.
    host : str
        Address to bind. Other than loopback, everyone on that network can reach the service, and
        read what goes over it unless a proxy adds TLS; a line on stderr says so.
    port : int
        TCP port; 0 lets the system choose.
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
                "eyelog: warning: this is plain HTTP and not only for this machine: tokens and"
                " data can be read on the way unless a proxy adds TLS",
                file=sys.stderr,
            )
        server = _server(app)
        server.ready_line = _address(listening)
        server.run(sockets=[listening])


@contextmanager
def running(
    archive_path: str | os.PathLike[str], *, page_size: int = 500, port: int = 0
) -> Iterator[str]:
    """Run the service on 127.0.0.1 in a thread; give its address.

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
        The address (``http://127.0.0.1:PORT``). It answers until the block ends.

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
                    raise ConfigurationError("the service did not start")
                time.sleep(0.005)
            yield _address(listening)
        finally:
            server.should_exit = True
            thread.join(_STOP_SECONDS * 2)
