"""Log in: open the login page, receive the code on a loopback redirect or from a pasted URL."""

import base64
import contextlib
import hashlib
import os
import secrets
import select
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TextIO

from eyelog.access.auth.application import authorize_url as login_address
from eyelog.access.auth.callback import Receiver, can_listen, code_of
from eyelog.access.auth.credentials import Credentials
from eyelog.access.auth.tokens import Token
from eyelog.errors import AuthorizationError, ConfigurationError

__all__ = ["challenge_of", "login"]

TIMEOUT = 300.0
"""Seconds for the wearer to log in and consent."""


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a PKCE verifier (RFC 7636 section 4.2)."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _to_stderr(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def login(
    credentials: Credentials,
    *,
    authorize_url: str | None = None,
    extra: Mapping[str, str] | None = None,
    open_browser: bool = True,
    paste: TextIO | None = None,
    say: Callable[[str], None] = _to_stderr,
    timeout: float = TIMEOUT,
) -> Token:
    """Let the wearer log in and consent in a browser; save the token in the token file.

    Parameters
    ----------
    credentials : Credentials
        Of the account that is to be logged in; it needs an application.
    authorize_url : str, optional
        The login page, further parameters as its query; else EYELOG_AUTHORIZE_URL, else the
        service's own.
    extra : mapping, optional
        Further parameters of the login page.
    open_browser : bool
        Whether to open the address as well as to show it.
    paste : text stream, optional
        Where a line may bring the callback URL or the bare code, such as `sys.stdin`. Needed
        where the redirect does not come to this machine.
    say : callable
        Gets the lines the user should read, by default on stderr. No secret is in them.
    timeout : float
        Seconds to wait for the code.

    Returns
    -------
    Token
        Also saved.

    Raises
    ------
    AuthorizationError
        If the state is that of another login, the wearer or the service refuses, or no code
        comes in time.
    ConfigurationError
        If there is no application, or no way for the code to come in.

    Notes
    -----
    Authorization code grant with state (RFC 6749 section 4.1), PKCE S256 (RFC 7636) and a
    loopback redirect on any port (RFC 8252 section 7.3).
    """
    application = credentials.application
    if application is None:
        raise ConfigurationError(
            "a login needs an application: set EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and"
            " EYELOG_REDIRECT_URI"
        )
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    with _receiver(application.redirect_uri, state, paste, say) as receiver:
        redirect_uri = receiver.redirect_uri if receiver else application.redirect_uri
        address = login_address(
            credentials.base_url,
            application,
            state=state,
            code_challenge=challenge_of(verifier),
            extra=extra,
            redirect_uri=redirect_uri,
            page=authorize_url,
        )
        say(f"Open this address in a browser to log in:\n{address}")
        if paste is not None:
            say("Or paste here the address the browser was sent to in the end, or the code in it:")
        if open_browser:
            # The address is shown in any case, so a machine without a browser is no error.
            with contextlib.suppress(webbrowser.Error, OSError):
                webbrowser.open(address)
        code = _wait(receiver, paste, state, say, timeout)
    return credentials.exchange(code, code_verifier=verifier, redirect_uri=redirect_uri)


@contextlib.contextmanager
def _receiver(
    redirect_uri: str, state: str, paste: TextIO | None, say: Callable[[str], None]
) -> Iterator[Receiver | None]:
    """Listen on the redirect, if it comes to this machine."""
    if not can_listen(redirect_uri):
        if paste is None:
            raise ConfigurationError(
                "the redirect URI is not on this machine's loopback (http://127.0.0.1/...), so the"
                " code has to be pasted: run `eyelog login` in a terminal, or pass --code"
            )
        yield None
        return
    try:
        receiver = Receiver(redirect_uri, state=state)
    except ConfigurationError as fault:
        if paste is None:
            raise
        say(str(fault))
        yield None
        return
    with receiver:
        yield receiver


class _Lines:
    """The lines of a stream, as they come in, without waiting for the next one."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.rest = b""
        try:
            self.handle: int | None = stream.fileno()
        except (OSError, ValueError):
            self.handle = None  # a stream in memory: all of it is there

    def read(self) -> list[str] | None:
        """Return the whole lines that are there, None at the end of the stream."""
        if self.handle is None:
            line = self.stream.readline()
            return [line] if line else None
        piece = os.read(self.handle, 1 << 16)
        if not piece and not self.rest:
            return None
        *whole, self.rest = (self.rest + (piece or b"\n")).split(b"\n")
        return [line.decode("utf-8", "replace") for line in whole]


def _wait(
    receiver: Receiver | None,
    paste: TextIO | None,
    state: str,
    say: Callable[[str], None],
    timeout: float,
) -> str:
    """Return the code from wherever it comes first."""
    lines = None if paste is None else _Lines(paste)
    deadline = time.monotonic() + timeout
    while receiver is not None or lines is not None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise AuthorizationError(
                f"no code came within {timeout:.0f} s: run `eyelog login` again"
            )
        if not _is_ready(receiver, lines, left):
            continue
        if receiver is not None and _is_ready(receiver, None, 0):
            return receiver.result()
        pasted = lines.read() if lines is not None else None
        if pasted is None:
            lines = None
        for line in filter(str.strip, pasted or []):
            code = code_of(line, state=state)
            if code is not None:
                return code
            say("That is neither a callback URL nor a code; paste the whole address:")
    raise AuthorizationError("no code was pasted: run `eyelog login` again")


def _is_ready(receiver: Receiver | None, lines: _Lines | None, left: float) -> bool:
    """Wait until something can be read."""
    sources: list[Any] = [] if receiver is None else [receiver.ready]
    if lines is not None:
        if lines.handle is None:
            return True
        if os.name == "posix":
            sources.append(lines.handle)
        elif not sources:
            return True  # elsewhere only sockets can be waited for: read, and wait in there
    return bool(select.select(sources, [], [], left)[0])
