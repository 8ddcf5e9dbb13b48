"""The service of the contract as an ASGI application.

Paths, rules and responses are those of the contract; ``openapi`` states how this service settles
what the contract leaves open. The data come only from the archive, and the OAuth state only from
the service's state.
"""

import logging
import os
import re
from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import parse_qsl

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from eyelog.archive.place import is_of_damage, open_place
from eyelog.catalogue import LOGS
from eyelog.checks import whole_number
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog_service.apart import Apart
from eyelog_service.audit import Audit
from eyelog_service.auth.forms import PATH as ACCOUNT_PATH
from eyelog_service.auth.forms import Sessions
from eyelog_service.auth.grants import Bearer
from eyelog_service.auth.oauth import (
    error_page,
    login_forms,
    may_read,
    revoke,
    show_login,
    take_login,
    token,
)
from eyelog_service.auth.password_tries import PasswordTries
from eyelog_service.auth.registry import Registry
from eyelog_service.auth.state import StateBusy, StateFault
from eyelog_service.backup import interrupted
from eyelog_service.hourly_limit import PER_HOUR, UPLOADS_PER_HOUR, HourlyLimits
from eyelog_service.middleware import Bounds, Proxied, Proxy
from eyelog_service.parts import Parts, parts_of
from eyelog_service.records import Cursors, Windows, answer, parse_query
from eyelog_service.responses import (
    Problem,
    json_answer,
    packed,
    prefers,
    problem_answer,
    unavailable,
)
from eyelog_service.status import LastWrite, document, health, start, versions
from eyelog_service.uploads import Uploads, take_records
from eyelog_service.wearer_data import Downloads
from eyelog_service.wearer_page import (
    INVITATION,
    account_forms,
    invitation_forms,
    show_account,
    show_invitation,
    take_account,
    take_invitation,
    trouble_page,
)

_ERRORS = {
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this address does not accept this method"),
}

_log = logging.getLogger("eyelog.service")

# Threads that read pages: one can read while the other writes JSON. Four of them spend a sixth of
# the CPU on competing for the interpreter.
_AT_ONCE = 2

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
    requests_per_hour: int = PER_HOUR,
    uploads_per_hour: int = UPLOADS_PER_HOUR,
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
    seen_through = Proxy(proxy, root_path)
    description = document(page_size, root_path=seen_through.root_path)

    async def openapi(request: Request) -> Response:  # noqa: ARG001 (the framework's shape)
        return json_answer(description)

    get, post = ["GET"], ["POST"]
    app = Starlette(
        routes=[
            _route("/v1/oauth/token", (post, token)),
            _route("/v1/oauth/revoke", (post, revoke)),
            _route("/v1/oauth/authorize", (get, show_login), (post, take_login)),
            _route("/account", (get, show_account), (post, take_account)),
            _route(INVITATION, (get, show_invitation), (post, take_invitation)),
            *(_route(f"/v2/users/me/official/{log}", (get, _data(log))) for log in LOGS),
            _route("/v1/records", (post, take_records)),
            _route("/openapi.json", (get, openapi)),
            _route("/health", (get, health)),
            _route("/version", (get, versions)),
            _route("/", (get, start)),
        ],
        middleware=[
            Middleware(Proxied, proxy=seen_through),
            Middleware(Bounds),
        ],
        exception_handlers={
            HTTPException: _refuse_http,
            Problem: _refuse,
            StateBusy: _refuse_busy,
            StateFault: _refuse_fault,
            ArchiveError: _refuse_archive,
        },
    )
    app.router.redirect_slashes = False
    registry.grants.clean_up()
    key = registry.signing_key
    uploads = Uploads(registry, _hourly(registry, uploads_per_hour, what="upload"), quota, unpacked)
    for account in uploads.spool.clean_up():  # what a killed process has left
        uploads.sweep(account)
    app.state.parts = Parts(
        registry=registry,
        audit=Audit(registry.state_folder),
        proxy=seen_through,
        apart=Apart(),
        page_limits=_hourly(registry, requests_per_hour),
        page_size=page_size,
        windows=Windows(registry.archive, processes=workers),
        cursors=Cursors(key),
        uploads=uploads,
        downloads=Downloads(registry.archive),
        login_forms=login_forms(key),
        account_forms=account_forms(key),
        invitation_forms=invitation_forms(key),
        password_tries=PasswordTries(registry, workers),
        sessions=Sessions(registry),
        last_write=LastWrite(place),
        pages_at_once=CapacityLimiter(_AT_ONCE),
        health_at_once=CapacityLimiter(1),
    )
    return app


def _hourly(registry: Registry, per_hour: int, *, what: str = "request") -> HourlyLimits | None:
    """Return the limit of one account per hour; None for no limit."""
    return HourlyLimits(registry.state, per_hour, what=what) if per_hour else None


Endpoint = Callable[[Request], Awaitable[Response]]


def _route(path: str, *endpoints: tuple[list[str], Endpoint]) -> Route:
    """Return the route of one address; HEAD comes with GET, and OPTIONS lists the methods."""
    by_method = {method: endpoint for methods, endpoint in endpoints for method in methods}
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    allowed = ", ".join(sorted([*by_method, "OPTIONS"]))

    async def dispatch(request: Request) -> Response:
        if request.scope["path"].endswith("\n"):  # the router's pattern overlooks one at the end
            raise HTTPException(404)
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"Allow": allowed})
        return await by_method[request.method](request)

    return Route(path, dispatch, methods=[*by_method, "OPTIONS"])


def _data(log: str) -> Endpoint:
    def page(request: Request) -> Response:
        bearer = may_read(request)
        limits = parts_of(request).page_limits
        if limits is None:
            return records(request, bearer, {})
        quota = limits.take(bearer.account)
        if quota.remaining < 0:
            raise quota.refusal("requests")
        try:
            return records(request, bearer, quota.headers)
        except Problem as problem:
            problem.headers |= quota.headers
            raise

    def records(request: Request, bearer: Bearer, quota: dict[str, str]) -> Response:
        shared = parts_of(request)
        pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        body = answer(
            shared.windows,
            bearer.account,
            parse_query(log, pairs),
            cursors=shared.cursors,
            page_size=shared.page_size,
        )
        headers = {"Cache-Control": "private, no-cache", **quota}
        return packed(request, body, headers=headers)

    async def data(request: Request) -> Response:
        return await to_thread.run_sync(
            partial(page, request),
            limiter=parts_of(request).pages_at_once,
            abandon_on_cancel=True,
        )

    return data


def _refuse(request: Request, problem: Exception) -> Response:  # noqa: ARG001 (the framework's shape)
    assert isinstance(problem, Problem)  # noqa: S101 (registered for nothing else)
    return problem_answer(problem)


def _refuse_http(request: Request, error: Exception) -> Response:  # noqa: ARG001 (as above)
    assert isinstance(error, HTTPException)  # noqa: S101 (registered for nothing else)
    name, description = _ERRORS.get(error.status_code, ("invalid_request", str(error.detail)))
    return problem_answer(Problem(error.status_code, name, description, headers=error.headers))


def _refuse_busy(request: Request, busy: Exception) -> Response:  # noqa: ARG001 (as above)
    return _unavailable(request, "the service's state is locked by another program: try again", 5)


def _refuse_fault(request: Request, fault: Exception) -> Response:
    # One line: the operator must mend the fault, and every request fails until then.
    _log.error("%s failed: %s", _named(request), str(fault))
    return _unavailable(request, "the service cannot use its state; its log has the reason", 60)


def _refuse_archive(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, ArchiveError)  # noqa: S101 (registered for nothing else)
    # One line, as for the state: a damaged month, or an object store that refuses.
    remote = isinstance(parts_of(request).registry.archive, str)
    if remote and fault.__cause__ is not None and not is_of_damage(fault):
        reason = _without_account(str(fault.__cause__) or type(fault.__cause__).__name__)
        _log.error("%s: the object store does not answer: %s", _named(request), reason)
        return _unavailable(request, "the archive cannot be used now: try again later", 60)
    _log.error("%s failed: %s", _named(request), str(fault))
    description = "the service cannot use its archive; its log has the reason"
    return problem_answer(Problem(500, "server_error", description))


def _named(request: Request) -> str:
    return f"{request.method} {request.url.path}"


def _without_account(text: str) -> str:
    """Return what a store says without the path that was asked for, which names an account."""
    text = re.sub(r"(https?://[^/\s\"']+)[^\s\"']*", r"\1", " ".join(text.split()))
    return re.sub(r"account(=|%3D)[^/\s\"']*", "account=...", text, flags=re.IGNORECASE)


def _unavailable(request: Request, description: str, wait_s: int) -> Response:
    if prefers(request, "text/html"):  # a person, on one of two pages
        text = f"Try again in {wait_s} s. If that does not help, tell the person who runs it."
        title = "The service cannot answer now"
        if request.scope["path"].endswith(ACCOUNT_PATH):
            page = trouble_page(503, title, text)
        else:
            page = error_page(503, text, title=title)
        page.headers["Retry-After"] = str(wait_s)
        return page
    return problem_answer(unavailable(description, wait_s=wait_s))
