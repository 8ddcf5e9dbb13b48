"""What requests and answers of the service have in common: bounds, errors, shared parts.

A proxy adds TLS, and states in ``X-Forwarded-For`` and ``X-Forwarded-Proto`` who sent the request
and how. Anyone can send these headers, so they are ignored unless they come from the proxy's
address, and only the last entry of ``X-Forwarded-For`` is used, which the proxy itself wrote.

What happens before a request has begun (heads sent byte by byte, connections without a word) is for
uvicorn's own limits and for the proxy.
"""

import asyncio
import errno
import ipaddress
import logging
import math
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import zstandard
from anyio import CapacityLimiter, current_time, fail_after, move_on_after, to_thread
from jinja2 import Template
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eyelog.errors import ConfigurationError
from eyelog_service.browser import page_headers

if TYPE_CHECKING:  # these files have the endpoints, and so import this one
    from eyelog_service.audit import Audit
    from eyelog_service.grants import Registry
    from eyelog_service.oauth import PasswordTries
    from eyelog_service.records import HourlyLimits, Windows
    from eyelog_service.uploads import Uploads
    from eyelog_service.wearer_page import Downloads


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the endpoints of one running service share; each has its own documentation."""

    registry: "Registry"
    audit: "Audit"
    windows: "Windows"
    page_size: int
    page_limits: "HourlyLimits"
    pages_at_once: CapacityLimiter
    uploads: "Uploads"
    downloads: "Downloads"
    tries: "PasswordTries"
    apart: CapacityLimiter  # of tasks for wearers, each of which takes a whole core
    health: CapacityLimiter


def parts_of(request: Request) -> Parts:
    """Return the parts of the application that answers `request`."""
    parts: Parts = request.app.state.parts
    return parts


def client_address(request: Request) -> str:
    """Return the address that a request comes from."""
    return request.client.host if request.client else ""


async def note(request: Request, event: str, account: str | None = None, **more: Any) -> None:
    """Write what somebody did to the audit log; values that are None are left out."""
    write = parts_of(request).audit.write
    address = client_address(request)
    await to_thread.run_sync(partial(write, event, account=account, address=address, **more))


# A page of 500 records (0.5 MB) is compressed by zstd-1 to a tenth in 0.8 ms, by gzip-1 to a sixth
# in 3.5 ms.
_SMALLEST = 1024
_LEVEL = 1


@dataclass(eq=False)
class Problem(Exception):
    """A refused request: the status and the two members of every error body.

    A page for people says the description under the `title`, which each page has one of its own.
    """

    status: int
    error: str
    description: str
    _: KW_ONLY
    title: str = ""
    headers: dict[str, str] = field(default_factory=dict)


def bad_request(description: str) -> Problem:
    """Return the refusal of a request that breaks a rule."""
    return Problem(400, "invalid_request", description)


def unavailable(description: str, *, wait_s: int | None = None) -> Problem:
    """Return the refusal of a request that may succeed later."""
    headers = {} if wait_s is None else {"Retry-After": str(wait_s)}
    title = "The service cannot answer now"
    return Problem(503, "temporarily_unavailable", description, title=title, headers=headers)


def disk_full() -> Problem:
    """Return the refusal of an upload that does not fit on the disk."""
    return Problem(507, "insufficient_storage", "the disk of the service is full: try again later")


def json_answer(
    value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return `value` as a JSON response."""
    return Response(
        msgspec.json.encode(value), status, headers=headers, media_type="application/json"
    )


def problem_answer(problem: Problem) -> Response:
    """Return the response to a refused request."""
    body = {"error": problem.error, "error_description": problem.description}
    headers = {"Cache-Control": "no-store", **problem.headers}
    return json_answer(body, status=problem.status, headers=headers)


def form_page(
    template: Template,
    *,
    title: str,
    status: int = 200,
    targets: str = "'self'",
    problem: Problem | None = None,
    **shown: Any,
) -> Response:
    """Return a page whose forms are sent to this service, or to other `targets` of the policy.

    What is `wrong` (texts by field), an `error` or a `note` is its title, and otherwise `title`.
    The answer to a `problem` has its status and headers; the page has to say its description.
    """
    shown = {"name": "", "wrong": {}, "error": "", "note": "", **shown}
    said = shown["error"] or " ".join(shown["wrong"].values()) or shown["note"]
    text = template.render(title=said or title, **shown)
    headers = page_headers(targets)
    if problem is not None:
        status, headers = problem.status, headers | problem.headers
    return Response(text, status, headers=headers, media_type="text/html")


def packed(request: Request, body: bytes, *, headers: Mapping[str, str]) -> Response:
    """Return JSON as a response, compressed with zstd or gzip if the client accepts it."""
    all_headers = {**headers, "Vary": "Authorization, Accept-Encoding"}
    weights = _weights(request.headers.get("accept-encoding", ""))
    # zstd, the faster, wins a tie.
    coding = max(("zstd", "gzip"), key=lambda each: weights.get(each, weights.get("*", 0.0)))
    if weights.get(coding, weights.get("*", 0.0)) > 0 and len(body) >= _SMALLEST:
        all_headers["Content-Encoding"] = coding
        if coding == "zstd":
            body = zstandard.ZstdCompressor(level=_LEVEL).compress(body)
        else:
            body = zlib.compress(body, level=_LEVEL, wbits=31)
    return Response(body, headers=all_headers, media_type="application/json")


def prefers(request: Request, media_type: str) -> bool:
    """Return whether the client names a media type and does not prefer JSON to it."""
    weights = _weights(", ".join(request.headers.getlist("accept")))
    kinds = ("application/json", "application/*", "*/*")
    json = next((weights[kind] for kind in kinds if kind in weights), 0.0)
    return weights.get(media_type, 0.0) >= max(json, 0.001)


def _weights(header: str) -> dict[str, float]:
    """Return the values of an Accept header and their weights, 0 for one that is not readable."""
    weights: dict[str, float] = {}
    for part in header.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = next((p[2:].strip() for p in parameters if p.startswith("q=")), "1")
        try:
            weights[name] = float(weight)
        except ValueError:
            weights[name] = 0.0
    return weights


def by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return parameters by name.

    Raises
    ------
    Problem
        400 ``invalid_request``, if one is repeated (RFC 6749, section 3.1).
    """
    parameters: dict[str, str] = {}
    for name, value in pairs:
        if name in parameters:
            raise bad_request(f"parameter {name[:64]!r} is given more than once")
        parameters[name] = value
    return parameters


_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")


class Proxy:
    """The address of the proxy, and the path under which it shows the service.

    Parameters
    ----------
    peer : str, optional
        The address or network of the proxy, or "loopback"; None without a proxy.
    root_path : str
        The prefix of every path, such as ``/eyelog``, whether or not the proxy removes it.

    Raises
    ------
    ConfigurationError
        If the address or the path cannot be used.
    """

    def __init__(self, peer: str | None, root_path: str = "") -> None:
        self.root_path = root_path.rstrip("/")
        if not _PREFIX.fullmatch(self.root_path) or "/." in self.root_path:
            raise ConfigurationError(
                f"{root_path!r} cannot stand before the service's paths: use a path such as /eyelog"
            )
        named = {None: (), "loopback": ("127.0.0.0/8", "::1/128")}.get(peer, (peer,))
        try:
            self._networks = [ipaddress.ip_network(str(each)) for each in named]
        except ValueError:
            raise ConfigurationError(
                f"{peer!r} is not the address of a proxy: use one such as 10.0.0.5, or a network"
                " such as 10.0.0.0/24"
            ) from None

    def trusts(self, host: str) -> bool:
        """Return whether a connection from this address is the proxy's."""
        peer = address_of(host)
        return peer is not None and any(peer in network for network in self._networks)

    def seen(self, scope: Scope) -> Scope:
        """Return a request as the proxy's client sent it."""
        seen, path = dict(scope), scope["path"]
        if self.root_path:
            is_whole = path == self.root_path or path.startswith(self.root_path + "/")
            seen |= {
                "root_path": self.root_path,
                "path": path if is_whole else self.root_path + path,
            }
        client = scope.get("client")
        if client and self.trusts(client[0]):
            # The last entry of each: others may have written the earlier ones.
            last = {
                name.decode("latin-1"): value.decode("latin-1").rpartition(",")[2].strip()
                for name, value in scope["headers"]
            }
            seen["scheme"] = "http" if last.get("x-forwarded-proto") == "http" else "https"
            entry = last.get("x-forwarded-for", "")
            # Some proxies add a port.
            host = address_of(entry.strip("[]")) or address_of(entry.rpartition(":")[0].strip("[]"))
            if host is not None:
                seen["client"] = (str(host), 0)
        return seen


def address_of(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return what an address says; that of IPv4 for one that came to a socket of IPv6."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


HEAD_BYTES = 32 * 1024
BODY_BYTES = 64 * 1024
UPLOAD_BYTES = 256 * 1024 * 1024
REQUEST_SECONDS = 30.0
STALL_SECONDS = 30.0
STALL_BYTES = 32 * 1024
_REST_BYTES = 1 << 20
_REST_SECONDS = 1.0

_log = logging.getLogger("eyelog.service")

# The addresses that take files; a path may have the prefix of a proxy.
_UPLOADS = re.compile(r"/v1/records\Z")
_PAGE = re.compile(r"/account\Z")  # where only a form with files is an upload


class Bounds:
    """Middleware that refuses too large or too slow requests; an error becomes a plain 500.

    Its answers are those that `refusal` gives for a request and a problem; `body_bytes` is the
    largest body that is no upload.
    """

    def __init__(
        self,
        app: ASGIApp,
        proxy: Proxy | None = None,
        refusal: Callable[..., Response] = lambda _, problem: problem_answer(problem),
        body_bytes: int = BODY_BYTES,
    ) -> None:
        self._app, self._proxy, self._refusal = app, proxy or Proxy(None), refusal
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run one request within its limits, as the proxy's client sent it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = self._proxy.seen(scope)
        started = ended = False
        received = timed = 0
        upload = _is_upload(scope)
        sends = upload and b"expect" not in dict(scope["headers"])  # or waits for an answer first
        most = UPLOAD_BYTES if upload else self._body_bytes

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
            if sends and not (started or ended):
                limit.deadline += _REST_SECONDS  # what is refused in time is no timeout
                await _take_rest(receive)
            started = True
            if message.get("more_body", False):
                # A long response takes as long as its reader needs, but it has to be read.
                limit.deadline = current_time() + STALL_SECONDS
                await send(message)
                limit.deadline = math.inf  # making the next part has limits of its own
            else:
                await send(message)

        try:
            with fail_after(REQUEST_SECONDS) as limit:
                _check_head(scope, most)
                await self._app(scope, bounded_receive, watched_send)
            return
        except ClientDisconnect:
            return  # a client may hang up at any time
        except Problem as problem:
            refusal = problem
        except asyncio.CancelledError:
            # Only a service that stops, and has waited for its requests, cancels one.
            refusal = unavailable("the service stops: try again")
            sends = False  # no time is left to read on
        except TimeoutError:
            refusal = (
                unavailable("the response took too long: try again")
                if ended or scope["method"] in ("GET", "HEAD")
                else Problem(408, "request_timeout", "the body did not arrive in time")
            )
        except Exception as error:  # noqa: BLE001 (logged below)
            # The error must not reach the client, so this is the last place to log it.
            _log.exception("%s %s failed", scope["method"], scope["path"])
            text = "the service failed; its log has the reason"
            refusal = Problem(500, "server_error", text, title="The service failed")
            if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
                refusal = unavailable("no file descriptors are left")
        if not started:
            refusal.headers["Connection"] = "close"
            answer = self._refusal(Request(scope), refusal)
            await answer(scope, receive, watched_send)


async def _take_rest(receive: Receive) -> None:
    """Read on for a moment: a connection with unread bytes is reset, and its answer lost."""
    left = _REST_BYTES
    with move_on_after(_REST_SECONDS):
        while left > 0:
            message = await receive()
            left -= len(message.get("body", b""))
            if not message.get("more_body", False):
                return


def _is_upload(scope: Scope) -> bool:
    if scope["method"] != "POST":
        return False
    kinds = [value for name, value in scope["headers"] if name == b"content-type"]
    with_files = any(kind.startswith(b"multipart/form-data") for kind in kinds)
    return bool(_UPLOADS.search(scope["path"]) or (with_files and _PAGE.search(scope["path"])))


def _too_large(most: int) -> Problem:
    size = f"{most // 1024} KB" if most < 1 << 20 else f"{most >> 20} MB: send it in parts"
    # The connection is closed without waiting for the rest of the body.
    text, headers = f"the body is larger than {size}", {"Connection": "close"}
    return Problem(413, "content_too_large", text, headers=headers)


def _check_head(scope: Scope, most: int) -> None:
    headers = scope["headers"]
    size = sum(len(name) + len(value) + 4 for name, value in headers)
    if size + len(scope.get("raw_path") or b"") + len(scope["query_string"]) > HEAD_BYTES:
        text = f"address and headers are larger than {HEAD_BYTES // 1024} KB"
        raise Problem(431, "request_header_fields_too_large", text)
    for name, value in headers:
        if name == b"content-length" and value.isdigit() and int(value) > most:
            raise _too_large(most)
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in headers}:
        # A proxy in front may use the other one for the length: RFC 9112, section 6.1.
        raise bad_request("the request has both Content-Length and Transfer-Encoding")
