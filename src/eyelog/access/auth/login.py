"""Log in: open the login page, and get the code from a loopback redirect or a pasted URL."""

import base64
import contextlib
import hashlib
import os
import queue
import secrets
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from typing import TextIO

from eyelog.access.auth.application import authorize_url
from eyelog.access.auth.callback import Answers, ForeignCallback, can_listen, code_of, receiving
from eyelog.access.auth.credentials import Credentials
from eyelog.access.auth.token_file import Token
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
    page: str | None = None,
    open_browser: bool = True,
    paste: TextIO | None = None,
    say: Callable[[str], None] = _to_stderr,
    timeout: float = TIMEOUT,
) -> Token:
    """Let the wearer log in and consent in a browser; save the token in the token file.

    Parameters
    ----------
    credentials : Credentials
        The account's credentials; they need an application.
    page : str, optional
        The address of the login page, further parameters as its query; by default the service's
        own page.
    open_browser : bool
        Whether to open the address, besides showing it.
    paste : text stream, optional
        A stream such as `sys.stdin`, in which a line may be the callback URL or the code. It is
        needed if the redirect does not lead to this machine.
    say : callable
        Shows a line to the user, by default on stderr. No line contains a secret.
    timeout : float
        Seconds to wait for the code.

    Returns
    -------
    Token
        The token, which is also saved.

    Raises
    ------
    AuthorizationError
        If the wearer denies access, the service refuses the login, or no code arrives in time. A
        callback with the state of another login is refused, and the wait continues.
    ConfigurationError
        If there is no application, or no way to receive the code.

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
    redirect_uri, listening = application.redirect_uri, False
    answers: Answers = queue.SimpleQueue()
    with contextlib.ExitStack() as receiver:
        if can_listen(redirect_uri):
            try:
                redirect_uri = receiver.enter_context(
                    receiving(redirect_uri, state=state, answers=answers)
                )
                listening = True
            except ConfigurationError as fault:
                if paste is None:
                    raise
                say(str(fault))
        elif paste is None:
            raise ConfigurationError(
                "the redirect URI is not on this machine's loopback (http://127.0.0.1/...), so the"
                " code must be pasted: run `eyelog login` in a terminal, or pass --code"
            )
        address = authorize_url(
            credentials.base_url,
            application,
            state=state,
            code_challenge=challenge_of(verifier),
            redirect_uri=redirect_uri,
            page=page,
        )
        say(f"Open this address in a browser to log in:\n{address}")
        if paste is not None:
            say("Or paste here the address that the browser shows at the end, or its code:")
            threading.Thread(
                target=_read, args=(paste, state, answers, say), name="eyelog-paste", daemon=True
            ).start()
        if open_browser:
            # The address is shown in any case, so a machine without a browser is not a failure.
            with contextlib.suppress(webbrowser.Error, OSError):
                webbrowser.open(address)
        code = _wait(answers, timeout, listening=listening)
    return credentials.exchange(code, code_verifier=verifier, redirect_uri=redirect_uri)


def _read(paste: TextIO, state: str, answers: Answers, say: Callable[[str], None]) -> None:
    """Put pasted lines into `answers` until one has a code."""
    try:
        # A separate file object: a thread that waits in sys.stdin would keep the program from
        # ending.
        lines: TextIO = os.fdopen(os.dup(paste.fileno()), encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # a stream in memory
        lines = paste
    with lines:
        for line in filter(str.strip, lines):
            try:
                code = code_of(line, state=state)
            except ForeignCallback as foreign:
                say(f"Not accepted: {foreign}:")
                continue
            except AuthorizationError as refused:
                answers.put(refused)
                return
            if code is not None:
                answers.put(code)
                return
            say("That is neither a callback URL nor a code; paste the whole address:")
    answers.put(None)


def _wait(answers: Answers, timeout: float, *, listening: bool) -> str:
    """Return the code from whichever source it comes first."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            answer = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise AuthorizationError(
                f"no code came within {timeout:.0f} s: run `eyelog login` again"
            ) from None
        if isinstance(answer, AuthorizationError):
            raise answer
        if answer is not None:
            return answer
        if not listening:
            raise AuthorizationError("no code was pasted: run `eyelog login` again")
