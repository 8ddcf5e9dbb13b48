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
from http.server import BaseHTTPRequestHandler
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit, urlunsplit

from eyelog.access.http.addresses import is_loopback
from eyelog.access.http.redact import redact, short
from eyelog.errors import AuthorizationError, ConfigurationError

__all__ = ["Answers", "can_listen", "code_of", "receiving"]

Answers = queue.SimpleQueue[str | AuthorizationError | None]
"""The outcomes of a login: a code, a refusal, or None for the end of what can be pasted."""

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>eyelog login</title></head>
<body><main><h1>eyelog login</h1><p>{}</p></main></body></html>
"""
_RECEIVED = "eyelog has received the answer. You can close this window and go back."
_REFUSED = "The login did not work. Close this window; eyelog shows the reason."
_UNKNOWN = "There is nothing here."


def code_of(text: str, *, state: str) -> str | None:
    """Return the grant code in a callback URL, in its query, or alone.

    Parameters
    ----------
    text : str
        As received or pasted.
    state : str
        The state of this login; a URL must return it. A bare code has none: the person who pastes
        it vouches for it, and the PKCE verifier ties it to this login.

    Returns
    -------
    str or None
        None if the text has no code.

    Raises
    ------
    AuthorizationError
        If the state differs, or the login was refused.
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
    if "error" in parts and (same or not states):
        reason = ": ".join(short(parts[name][0], 200) for name in _PARTS[:2] if name in parts)
        raise AuthorizationError(redact(f"the login was refused ({reason}): run `eyelog login`"))
    if not same or "error" in parts or len(parts["code"]) != 1:
        raise AuthorizationError(
            "the callback URL does not belong to this login (its state differs):"
            " run `eyelog login` again and use the address that it shows"
        )
    return parts["code"][0]


_PARTS = ("error", "error_description", "code", "state")


def can_listen(redirect_uri: str) -> bool:
    """Return whether the redirect leads to this machine over plain http (RFC 8252)."""
    parts = urlsplit(redirect_uri)
    return parts.scheme == "http" and is_loopback(parts.hostname)


@contextmanager
def receiving(redirect_uri: str, *, state: str, answers: Answers) -> Iterator[str]:
    """Listen on the loopback redirect for one callback, and put its outcome into `answers`.

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
    headers_to_send: ClassVar = {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'",
        "Referrer-Policy": "no-referrer",
        "Connection": "close",
    }

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        outcome: str | AuthorizationError | None = None
        if (parts.path or "/") == self.server.path:
            try:
                outcome = code_of(f"?{parts.query}", state=self.server.state)
            except AuthorizationError as fault:
                outcome = fault
        if outcome is None:
            # An icon, or a reload without its query: the browser's business, not the login's.
            self._answer(404, _UNKNOWN)
            return
        refused = isinstance(outcome, AuthorizationError)
        try:
            self._answer(400 if refused else 200, _REFUSED if refused else _RECEIVED)
        finally:  # also if the browser has closed the connection meanwhile
            self.server.answers.put(outcome)

    def _answer(self, status: int, text: str) -> None:
        page = _PAGE.format(text).encode()
        self.send_response(status)
        for name, value in self.headers_to_send.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Show nothing: the request line contains the code."""
