"""The end of a login: read the callback URL, and receive it on a loopback page."""

import hmac
import os
import queue
import re
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit, urlunsplit

from eyelog.access.http.addresses import is_loopback
from eyelog.access.http.redact import redact, short
from eyelog.browser import html, page_headers, page_template, rendered
from eyelog.errors import AuthorizationError, ConfigurationError

__all__ = ["Answers", "ForeignCallback", "can_listen", "code_of", "receiving"]

Answers = queue.SimpleQueue[str | AuthorizationError | None]
"""The outcomes of a login: a code, a refusal, or None at the end of the pasted input."""

_page = page_template(html("login-ended.html"))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A page that the browser shows: its status, heading and paragraphs."""

    status: int
    title: str
    texts: tuple[str, ...]

    def html(self) -> bytes:
        return rendered(_page, title=self.title, texts=self.texts).encode()


_CLOSE = "You can close this window."
_RECEIVED = _Shown(
    200,
    "You allowed access",
    ("eyelog finishes the login where you started it, and shows there whether it worked.", _CLOSE),
)
_DENIED = _Shown(
    200,
    "You denied access; nothing was shared",
    ("eyelog cannot read any of your logs. To allow it after all, start the login again.", _CLOSE),
)
_REFUSED = _Shown(
    400,
    "The login did not work",
    ("The service refused it. eyelog shows the reason where you started the login.", _CLOSE),
)
_FOREIGN = _Shown(
    400,
    "This address does not belong to the login under way",
    (
        "It comes from an earlier login, or was changed. Nothing was accepted, and eyelog still"
        " waits for the login that you started.",
        "Finish that login on its own page, or start again with the command eyelog login.",
    ),
)
_UNKNOWN = _Shown(404, "There is nothing here", ("eyelog only waits here for a login to end.",))


class AccessDenied(AuthorizationError):
    """The wearer chose Deny on the login page."""


class ForeignCallback(AuthorizationError):
    """A callback that does not belong to this login: the login itself goes on."""


def code_of(text: str, *, state: str) -> str | None:
    """Return the grant code in a callback URL, in its query, or alone.

    Parameters
    ----------
    text : str
        As received or pasted.
    state : str
        The state of this login; a URL must return it. A bare code has none: the person who pastes
        it is trusted, and the PKCE verifier ties it to this login.

    Returns
    -------
    str or None
        None if the text has no code.

    Raises
    ------
    ForeignCallback
        If the state is not that of this login.
    AuthorizationError
        If the wearer denied access, or the service refused the login.
    """
    text = text.strip().strip("<>\"'")
    if not re.search(r"://|[?&=]", text) or re.fullmatch(r"[\w.~+/-]{8,}={1,2}", text):
        return text if text and all("!" <= c <= "~" for c in text) else None
    query = urlsplit(text).query if "://" in text or "?" in text else text
    parts = {name: values for name, values in parse_qs(query).items() if name in _PARTS}
    if "code" not in parts and "error" not in parts:
        return None
    states = parts.get("state", [])
    same = len(states) == 1 and hmac.compare_digest(states[0].encode(), state.encode())
    if not same or ("error" in parts) == ("code" in parts) or len(parts.get("code", [])) > 1:
        raise ForeignCallback(
            "the callback URL does not belong to this login (its state differs):"
            " use the address that the browser shows after this login"
        )
    if parts.get("error") == ["access_denied"]:
        raise AccessDenied(
            "access was denied on the login page, and nothing was shared: to allow it after all,"
            " run `eyelog login` again"
        )
    if "error" in parts:
        reason = ": ".join(short(parts[name][0], 200) for name in _PARTS[:2] if name in parts)
        raise AuthorizationError(redact(f"the login was refused ({reason}): run `eyelog login`"))
    return parts["code"][0]


_PARTS = ("error", "error_description", "code", "state")


def can_listen(redirect_uri: str) -> bool:
    """Return whether the redirect leads to this machine over plain http (RFC 8252)."""
    parts = urlsplit(redirect_uri)
    return parts.scheme == "http" and is_loopback(parts.hostname)


@contextmanager
def receiving(redirect_uri: str, *, state: str, answers: Answers) -> Iterator[str]:
    """Listen on the loopback redirect for one callback, and put its outcome into `answers`.

    A callback that does not belong to this login is refused, and changes nothing.

    Yields the redirect URI to send: `redirect_uri`, or one with a free port if that has none
    (or 0).

    Raises
    ------
    ConfigurationError
        If the port is not available.
    """
    parts = urlsplit(redirect_uri)
    host = parts.hostname or ""
    # What "localhost" resolves to may differ; browsers try 127.0.0.1 in any case.
    address = "127.0.0.1" if host == "localhost" else host
    kind = _Server6 if ":" in host else _Server
    try:
        server = kind((address, parts.port or 0), _Handler)
    except OSError as fault:
        raise ConfigurationError(
            f"cannot listen on port {parts.port or 'any'} of {host} ({fault.strerror}): end the"
            " program that uses it, or paste the callback URL"
        ) from fault
    server.path, server.state, server.answers = parts.path or "/", state, answers
    if not parts.port:
        netloc = f"{f'[{host}]' if ':' in host else host}:{server.server_address[1]}"
        redirect_uri = urlunsplit(parts._replace(netloc=netloc, fragment=""))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield redirect_uri
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(socketserver.ThreadingTCPServer):
    # A browser opens connections in advance and leaves them idle: they must not delay the others.
    daemon_threads = True
    block_on_close = False
    # On Windows the option would let another program take the port over.
    allow_reuse_address = os.name == "posix"
    path: str
    state: str
    answers: Answers

    def handle_error(self, request: object, client_address: object) -> None:
        """Show nothing: a browser that closes a connection does not concern the user."""


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 5
    server_version = "eyelog"
    sys_version = ""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if (parts.path or "/") != self.server.path:
            self._answer(_UNKNOWN)  # an icon, which has nothing to do with the login
            return
        outcome: str | AuthorizationError | None
        try:
            outcome = code_of(f"?{parts.query}", state=self.server.state)
        except AuthorizationError as fault:
            outcome = fault
        if outcome is None or isinstance(outcome, ForeignCallback):
            self._answer(_FOREIGN)
            return
        shown = _RECEIVED
        if isinstance(outcome, AuthorizationError):
            shown = _DENIED if isinstance(outcome, AccessDenied) else _REFUSED
        try:
            self._answer(shown)
        finally:  # even if the browser has closed the connection in the meantime
            self.server.answers.put(outcome)

    def _answer(self, shown: _Shown) -> None:
        page = shown.html()
        self.send_response(shown.status)
        headers = {
            **page_headers(),
            "Referrer-Policy": "no-referrer",
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": str(len(page)),
            "Connection": "close",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Show nothing: the request line contains the code."""
