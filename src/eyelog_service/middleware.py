"""What every request passes: a proxy whose headers are trusted, and limits on size and time.

The proxy adds TLS, and states in ``X-Forwarded-For`` and ``X-Forwarded-Proto`` who sent the request
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

from anyio import current_time, fail_after
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eyelog.errors import ConfigurationError
from eyelog_service.responses import Problem, problem_answer, unavailable

LOOPBACK = "loopback"
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
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        if peer is not None:
            named = ("127.0.0.0/8", "::1/128") if peer == LOOPBACK else (peer,)
            try:
                self._networks = [ipaddress.ip_network(each) for each in named]
            except ValueError:
                raise ConfigurationError(
                    f"{peer!r} is not the address of a proxy: use one such as 10.0.0.5, or a"
                    " network such as 10.0.0.0/24"
                ) from None

    def trusts(self, host: str) -> bool:
        """Return whether a connection from this address is the proxy's."""
        if not self._networks:
            return False
        try:
            peer = _plain(host)
        except ValueError:
            return False
        return any(peer in network for network in self._networks)

    def seen(self, scope: Scope) -> Scope:
        """Return a request as the proxy's client sent it."""
        seen = dict(scope)
        if self.root_path:
            seen["root_path"] = self.root_path
            seen["path"] = self._whole(scope["path"])
        client = scope.get("client")
        if client and self.trusts(client[0]):
            headers = _last(scope)
            seen["scheme"] = "http" if headers.get("x-forwarded-proto") == "http" else "https"
            if (host := _host(headers.get("x-forwarded-for", ""))) is not None:
                seen["client"] = (host, 0)
        return seen

    def _whole(self, path: str) -> str:
        """Return the path with the prefix, which the proxy may have removed."""
        is_whole = path == self.root_path or path.startswith(self.root_path + "/")
        return path if is_whole else self.root_path + path


class Proxied:
    """Middleware that shows the application requests as the proxy's clients sent them."""

    def __init__(self, app: ASGIApp, proxy: Proxy) -> None:
        self._app = app
        self._proxy = proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        if scope["type"] == "http":
            scope = self._proxy.seen(scope)
        await self._app(scope, receive, send)


def _last(scope: Scope) -> dict[str, str]:
    """Return the last entry of each header; others may have written the earlier ones."""
    return {
        name.decode("latin-1"): value.decode("latin-1").rpartition(",")[2].strip()
        for name, value in scope["headers"]
    }


def _host(entry: str) -> str | None:
    """Return the address in an entry of X-Forwarded-For; some proxies add a port."""
    for text in (entry, entry.rpartition(":")[0]):
        try:
            return str(_plain(text.strip("[]")))
        except ValueError:
            continue
    return None


def _plain(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)  # IPv4 that came to a socket of IPv6
    return address if mapped is None else mapped


HEAD_BYTES = 32 * 1024
BODY_BYTES = 64 * 1024
UPLOAD_BYTES = 256 * 1024 * 1024
REQUEST_SECONDS = 30.0
STALL_SECONDS = 30.0
STALL_BYTES = 32 * 1024

_log = logging.getLogger("eyelog.service")

# The addresses that take files; a path may have the prefix of a proxy.
_UPLOADS = re.compile(r"/v1/records\Z")
_PAGE = re.compile(r"/account\Z")  # where only a form with files is an upload


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
            started = True
            if message.get("more_body", False):
                # A long response takes as long as its reader needs, but it has to be read.
                limit.deadline = current_time() + STALL_SECONDS
                await send(message)
                limit.deadline = math.inf  # making the next part has limits of its own
            else:
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
            refusal = unavailable("the service stops: try again")
        except TimeoutError:
            refusal = (
                unavailable("the response took too long: try again")
                if ended or scope["method"] in ("GET", "HEAD")
                else Problem(408, "request_timeout", "the body did not arrive in time")
            )
        except Exception as error:  # noqa: BLE001 (logged below)
            # The error must not reach the client, so this is the last place to log it.
            _log.exception("%s %s failed", scope["method"], scope["path"])
            refusal = Problem(500, "server_error", "the service failed; its log has the reason")
            if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
                refusal = unavailable("no file descriptors are left")
        if not started:
            refusal.headers["Connection"] = "close"
            await problem_answer(refusal)(scope, receive, send)


def _is_upload(scope: Scope) -> bool:
    if scope["method"] == "POST" and _UPLOADS.search(scope["path"]):
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
