"""The service of the contract as an ASGI application, as a command (`serve`), and in a program.

Paths, rules and responses are those of the contract; `openapi.json` states how this service settles
what the contract leaves open. It is a template: the service names in it what it defines itself, and
the schemas of records come from the catalogue. The data come only from the archive, and the OAuth
state only from the service's state.
"""

import ipaddress
import json
import logging
import multiprocessing
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from importlib.resources import files
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from typing import Any

import uvicorn
from anyio import CapacityLimiter, to_thread
from jinja2 import Template
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from eyelog import __version__
from eyelog.archive.place import Place, is_of_damage, open_place
from eyelog.catalogue import INTERVAL_SECONDS, LOGS, Field, catalogue, catalogue_version
from eyelog.checks import whole_number
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog_service import oauth, records, wearer_page, web
from eyelog_service.audit import Audit, say
from eyelog_service.backup import interrupted
from eyelog_service.browser import html, page_template
from eyelog_service.check import descriptors_left
from eyelog_service.ended import clean_up
from eyelog_service.grants import ACCESS_SECONDS, SCOPE, SCOPES, WRITE, Registry
from eyelog_service.state import StateBusy, StateFault
from eyelog_service.uploads import Uploads, take_records

_ERRORS = {
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this address does not accept this method"),
}
_NO_STORE = {"Cache-Control": "no-store"}

_log = logging.getLogger("eyelog.service")

# Threads that make pages. They need the interpreter nearly all the time: two of them, and the loop,
# spend a third of the CPU on competing for it. An object store or a database is waited for without.
_AT_ONCE, _AT_ONCE_REMOTE = 1, 4

QUOTA = 2_000_000_000
"""Bytes of one account: some hundred years of records."""
UNPACKED = 500_000_000
"""Bytes that one upload may unpack to: a year of one log."""


def create_app(
    archive_path: str | os.PathLike[str],
    state: str | os.PathLike[str] | None = None,
    *,
    local: str | os.PathLike[str] | None = None,
    page_size: int = 500,
    requests_per_hour: int = records.PER_HOUR,
    uploads_per_hour: int = records.UPLOADS_PER_HOUR,
    quota: int = QUOTA,
    unpacked: int = UNPACKED,
    proxy: str | None = None,
    root_path: str = "",
    workers: int = 1,
) -> Starlette:
    """Return the service on an archive as an ASGI application.

    Parameters
    ----------
    archive_path : path or URL
        The archive's folder, or a URL such as ``s3://bucket/archive``; then `state` (with a
        database, `local`) is needed.
    state : path or URL, optional
        The folder of ``_service.sqlite`` (0600), which is created if missing; by default the
        archive's folder. Or the address of a Postgres database, which several hosts can share.
    local : path, optional
        With a database, the folder of this host for incoming files and the audit log; by default
        the archive's folder.
    page_size : int
        The largest number of records in one answer.
    requests_per_hour : int
        How many requests for data one account may make from one full hour to the next; 0 for no
        limit.
    uploads_per_hour : int
        How many uploads one account may begin from one full hour to the next; 0 for no limit.
    quota : int
        How many bytes the archive accepts from one account by upload; 0 for no limit.
    unpacked : int
        How many bytes one upload may unpack to; 0 for no limit.
    proxy : str, optional
        The address or network of the proxy in front of the service, or "loopback". The headers
        X-Forwarded-For and X-Forwarded-Proto are trusted only from there.
    root_path : str
        The prefix of every path, such as ``/eyelog``.
    workers : int
        How many processes share the archive, and the memory for it.

    Returns
    -------
    Starlette
        The application.

    Raises
    ------
    ConfigurationError
        If the folder does not exist, or one of the settings cannot be used.
    ArchiveError
        If the object store of the archive cannot be reached.
    """
    whole_number(page_size, "page_size", 1)
    registry = Registry(archive_path, state, local)
    place = open_place(registry.archive)
    if not place.local:
        place.require_store()
    elif not registry.folder.is_dir():
        raise ConfigurationError(
            f"there is no archive folder {os.fspath(archive_path)!r}: create one with eyelog"
            " simulate, import or sync"
        )
    if text := interrupted(registry.folder):
        raise ConfigurationError(text)
    for name, size in (("quota", quota), ("unpacked", unpacked)):
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise ConfigurationError(
                f"{name} must be a number of bytes, or 0 (no limit), not {size!r}"
            )
    registry.signing_key()  # creates the state, so that a fault is reported before anything runs
    seen_through = web.Proxy(proxy, root_path)
    description = document(page_size, root_path=seen_through.root_path)

    async def openapi(request: Request) -> Response:  # noqa: ARG001 (the framework's shape)
        return web.json_answer(description)

    app = Starlette(
        routes=[
            _route("/v1/oauth/token", POST=oauth.token),
            _route("/v1/oauth/revoke", POST=oauth.revoke),
            _route(oauth.AUTHORIZE, GET=oauth.show_login, POST=oauth.take_login),
            _route(oauth.PATH, GET=wearer_page.show_account, POST=wearer_page.take_account),
            _route(
                wearer_page.INVITATION,
                GET=wearer_page.show_invitation,
                POST=wearer_page.take_invitation,
            ),
            *(_route(f"/v2/users/me/official/{log}", GET=records.data_of(log)) for log in LOGS),
            _route("/v1/records", POST=take_records),
            _route("/openapi.json", GET=openapi),
            _route("/health", GET=health),
            _route("/version", GET=versions),
            _route("/", GET=start),
        ],
        middleware=[Middleware(web.Bounds, proxy=seen_through, refusal=_refuse)],
        exception_handlers=dict.fromkeys(
            (HTTPException, web.Problem, StateBusy, StateFault, ArchiveError), _refuse
        ),
    )
    app.router.redirect_slashes = False
    clean_up(registry.state)
    limits = partial(records.HourlyLimits, registry.state)
    uploads = Uploads(registry, limits("upload", uploads_per_hour), quota, unpacked)
    for account in uploads.spool.clean_up():  # what a killed process has left
        uploads.sweep(account)
    is_remote = registry.state.in_database or not place.local
    app.state.parts = web.Parts(
        registry=registry,
        audit=Audit(registry.state_folder),
        windows=records.Windows(registry.archive, processes=workers),
        page_size=page_size,
        page_limits=limits("request", requests_per_hour),
        pages_at_once=CapacityLimiter(_AT_ONCE_REMOTE if is_remote else _AT_ONCE),
        uploads=uploads,
        downloads=wearer_page.Downloads(registry.archive),
        tries=oauth.PasswordTries(registry, workers),
        apart=CapacityLimiter(1),
        health=CapacityLimiter(1),
    )
    return app


def _route(path: str, **by_method: Callable[[Request], Awaitable[Response]]) -> Route:
    """Return the route of one address; HEAD comes with GET, and OPTIONS lists the methods."""
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    allowed = sorted([*by_method, "OPTIONS"])

    async def dispatch(request: Request) -> Response:
        if request.scope["path"].endswith("\n"):  # the router's pattern overlooks one at the end
            raise HTTPException(404)
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"Allow": ", ".join(allowed)})
        return await by_method[request.method](request)

    return Route(path, dispatch, methods=allowed)


_TROUBLE = page_template(html("trouble.html"))
_TITLES = ("Your request was not accepted", "This login cannot continue")


def _refuse(request: Request, fault: Exception) -> Response:
    """Return the answer to a request that was refused or cannot be answered now."""
    problem = _problem(request, fault)
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    is_login, of_wearer = path == oauth.AUTHORIZE, path in (oauth.PATH, wearer_page.INVITATION)
    # A wearer's own forms come from a browser, whatever it says of itself.
    by_form = of_wearer and isinstance(fault, web.Problem)
    if not (by_form or ((is_login or of_wearer) and web.prefers(request, "text/html"))):
        return web.problem_answer(problem)
    description, wait_s = problem.description, problem.headers.get("Retry-After")
    if isinstance(fault, StateBusy | StateFault | ArchiveError):  # what is said is for programs
        description = (
            f"Try again in {wait_s} s. If that does not help, tell the person who runs it."
            if wait_s
            else "Part of them is damaged. Please tell the person who runs this service."
        )
    return web.form_page(
        _TROUBLE,
        problem=problem,
        title=problem.title or _TITLES[is_login],
        targets="'none'",
        description=description,
        is_login=is_login,
    )


def _problem(request: Request, fault: Exception) -> web.Problem:
    """Return the refusal that a fault is for the client; what the operator must mend is logged."""
    if isinstance(fault, web.Problem):
        return fault
    if isinstance(fault, HTTPException):
        other = "invalid_request", str(fault.detail)
        name, description = _ERRORS.get(fault.status_code, other)
        headers = dict(fault.headers or {})
        return web.Problem(fault.status_code, name, description, headers=headers)
    named = f"{request.method} {request.url.path}"
    if isinstance(fault, StateBusy):
        return web.unavailable(
            "the service's state is locked by another program: try again", wait_s=5
        )
    if isinstance(fault, StateFault):
        # One line: the operator must mend the fault, and every request fails until then.
        _log.error("%s failed: %s", named, fault)
        return web.unavailable(
            "the service cannot use its state; its log has the reason", wait_s=60
        )
    # One line, as for the state: a damaged month, or an object store that refuses.
    assert isinstance(fault, ArchiveError)  # noqa: S101 (registered for nothing else)
    remote, cause = isinstance(web.parts_of(request).registry.archive, str), fault.__cause__
    if not remote or cause is None or is_of_damage(fault):
        _log.error("%s failed: %s", named, fault)
        description = "the service cannot use its archive; its log has the reason"
        return web.Problem(500, "server_error", description, title="Your records cannot be read")
    reason = _without_account(str(cause) or type(cause).__name__)
    _log.error("%s: the object store does not answer: %s", named, reason)
    return web.unavailable("the archive cannot be used now: try again later", wait_s=60)


def _without_account(text: str) -> str:
    """Return what a store says without the path that was asked for, which names an account."""
    text = re.sub(r"(https?://[^/\s\"']+)[^\s\"']*", r"\1", " ".join(text.split()))
    return re.sub(r"account(=|%3D)[^/\s\"']*", "account=...", text, flags=re.IGNORECASE)


# What the service says of itself: health, versions, its contract as an OpenAPI document.

_START = page_template(html("start.html"))
_LEAST_DESCRIPTORS = 16  # a request for a day opens a few files
_LOOK_AGAIN_SECONDS = 60.0
_LEAST_FREE = 1_000_000  # bytes: about the daily logins of a thousand wearers


async def health(request: Request) -> Response:
    """Answer GET /health: 200 if state and archive can be read and the disk has room, or 503."""
    shared = web.parts_of(request)
    archive = open_place(shared.registry.archive)

    def answer() -> dict[str, Any]:
        if fault := _fault(shared.registry, archive):
            raise web.unavailable(fault)
        written = _last_write(archive, time.monotonic() // _LOOK_AGAIN_SECONDS)
        age_s = None if written is None else max(0, round(time.time() - written))
        return {"state": "ok", "archive": "ok", "seconds_since_last_write": age_s}

    # A thread of its own: a service that is busy with pages is healthy.
    said = await to_thread.run_sync(answer, limiter=shared.health, abandon_on_cancel=True)
    return web.json_answer(said, headers=_NO_STORE)


@lru_cache(maxsize=10)
def _last_write(archive: Place, _minute: float) -> float | None:
    """Return when a month of the archive was last written; it is looked up once a minute."""
    times = [0.0]
    if archive.local:
        # A month's file is renamed into its folder, whose time is that of the rename.
        for folder in Path(archive.root).glob("log=*/account=*/month=*"):
            with suppress(OSError):
                times.append(folder.stat().st_mtime)
    else:
        with suppress(Exception):  # whatever the store raises, which `_fault` reports
            times += [file.modified for file in archive.everything() if file.month]
    return max(times) or None


def _fault(registry: Registry, archive: Place) -> str:
    """Return what is wrong, without paths: anyone may ask; nothing if all is well."""
    faults = ["the service's state"]
    with suppress(ConfigurationError):
        if registry.state.rows("SELECT 1 FROM meta WHERE name = 'signing_key'"):
            faults = []
    try:
        if archive.local:
            with os.scandir(archive.root) as entries:
                next(entries, None)
        else:
            archive.require_store()
    except (OSError, ArchiveError):
        faults.append("the archive")
    if faults:
        return f"cannot be read: {' and '.join(faults)}"
    for folder, what in (
        (registry.state_folder, "the service's state"),
        (registry.folder, "the archive"),
    ):
        with suppress(OSError):  # counts and tokens that requests write need room
            if shutil.disk_usage(folder).free < _LEAST_FREE:
                return f"the disk of {what} is full"
    if descriptors_left() < _LEAST_DESCRIPTORS:
        return "hardly any file descriptors are left"
    return ""


_VERSIONS = {"eyelog": __version__, "catalogue": catalogue_version(), "contract": "1.0.0"}


async def versions(request: Request) -> Response:  # noqa: ARG001 (the framework's shape)
    """Answer GET /version."""
    return web.json_answer(_VERSIONS, headers=_NO_STORE)


async def start(request: Request) -> Response:
    """Answer GET /: the address of the service's description."""
    base_url = str(request.base_url).rstrip("/")
    if web.prefers(request, "text/html"):
        return web.form_page(
            _START,
            title="A service for logs of smart eyewear",
            targets="'none'",
            base_url=base_url,
            version=__version__,
        )
    return web.json_answer({"description": f"{base_url}/openapi.json", **_VERSIONS})


Schema = dict[str, Any]


def document(page_size: int, *, root_path: str = "") -> Schema:
    """Return the OpenAPI document of a service with pages of `page_size` records.

    `root_path` is the prefix of every path, or empty.
    """
    template = Template(files("eyelog_service").joinpath("openapi.json").read_text("utf-8"))
    about = {scope: "Add to" if scope == WRITE else "Read" for scope in SCOPES}
    described = json.loads(
        template.render(
            version=_VERSIONS["contract"],
            server=root_path or "/",
            root_path=root_path,
            page_size=page_size,
            access_seconds=ACCESS_SECONDS,
            date_pattern=records.DATE_PATTERN,
            scope=SCOPE,
            scopes={scope: f"{does} the wearer's own logs" for scope, does in about.items()},
            logs=[
                {
                    "name": log,
                    "seconds": INTERVAL_SECONDS[log],
                    "fields": list(catalogue(log)),
                    "properties": json.dumps(  # in their order, which `tojson` does not keep
                        {name: _field(field) for name, field in catalogue(log).items()}
                    ),
                }
                for log in LOGS
            ],
        )
    )
    for operations in described["document"]["paths"].values():
        for operation in operations.values():
            operation["responses"] |= described["every_operation"]
    filled: Schema = described["document"]
    return filled


def _field(field: Field) -> Schema:
    words = {"title": field.label, "description": field.description}
    about = {key: value for key, value in words.items() if value}
    if field.value_type == "datetime":
        return {"type": "string", "format": "date-time", **about}
    return {"type": [field.json_type, "null"], **about}


# How it runs.

_START_SECONDS = 20.0
_HUNG_SECONDS = 30
"""After how long a worker without an answer is replaced; on a busy machine imports take long."""
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
            say(
                "eyelog: warning: other machines can reach this service over plain HTTP: "
                + (
                    "put a proxy with TLS in front of it, or tokens and data can be read on the way"
                    if proxy is None
                    else "let a firewall admit only the proxy"
                )
            )
        if workers > 1:
            ready = multiprocessing.get_context("spawn").Semaphore(0)
            config = _config(
                partial(_app_of_worker, options, ready),
                factory=True,
                workers=workers,
                timeout_worker_healthcheck=_HUNG_SECONDS,
            )

            def announce() -> None:
                for _ in range(workers):
                    ready.acquire()
                say(_address(listening))

            threading.Thread(target=announce, daemon=True).start()
            Multiprocess(config, sockets=[listening]).run()
        else:
            server = uvicorn.Server(_config(app))
            for number in (signal.SIGINT, signal.SIGTERM):  # which it sends again when it has ended
                signal.signal(number, server.handle_exit)
            say(_address(listening))
            server.run(sockets=[listening])


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
    with serving_in_thread(app, "service", (port,)) as address:
        yield address


@contextmanager
def serving_in_thread(app: ASGIApp, name: str, ports: Sequence[int]) -> Iterator[str]:
    """Serve an application on 127.0.0.1 in a thread, at the first free port; give its address.

    Raises
    ------
    ConfigurationError
        If no port is free.
    """
    server = uvicorn.Server(_config(app))
    with _bound("127.0.0.1", *ports) as listening:
        thread = threading.Thread(
            target=server.run, args=([listening],), name=f"eyelog-{name}", daemon=True
        )
        thread.start()
        try:
            deadline = time.monotonic() + _START_SECONDS
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise ConfigurationError(
                        f"the {name} did not start within {_START_SECONDS:g} s"
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
        h11_max_incomplete_event_size=web.HEAD_BYTES,
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


def _bound(host: str, port: int, *others: int) -> socket.socket:
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
        if others:
            return _bound(host, *others)
        reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise ConfigurationError(
            f"cannot listen on {host}, port {port}: {reason}; choose another --host or --port"
        ) from None


def _address(listening: socket.socket) -> str:
    """Return the address of a listening socket, such as ``http://127.0.0.1:8765``."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
