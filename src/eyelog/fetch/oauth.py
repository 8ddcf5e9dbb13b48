"""OAuth 2.0 as the contract of the service defines it: log in, keep a token, renew it, revoke it.

Many threads and processes share one token. The first to find it expired refreshes it, under a lock
in the process and a lock between processes; all others read the token that it saved.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import queue
import re
import secrets
import socket
import socketserver
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TextIO
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

from filelock import FileLock, Timeout
from jinja2 import Environment

from eyelog.errors import AnswerError, AuthorizationError, ConfigurationError, Unreachable, warn
from eyelog.fetch.session import (
    ask,
    check_base_url,
    error_object,
    is_loopback,
    login_command,
    redact,
    refusal,
    service_session,
    short,
    split_address,
    warn_of_plain_http,
)
from eyelog.home import make_private, whole_file

MARGIN: Final = timedelta(seconds=10)
"""A token this close to its end counts as expired, because a request takes time."""

LOCK_SECONDS = 130.0
"""How long to wait for the refresh of another process: longer than one can take."""

LOGIN_SECONDS: Final = 300.0
"""Seconds for the wearer to log in and consent."""


# What a user gives


@dataclass(frozen=True)
class Application:
    """An application registered with the service. `repr` hides its secret.

    Parameters
    ----------
    client_id, client_secret : str
        As issued at registration.
    redirect_uri : str
        Exactly as registered.

    Raises
    ------
    ConfigurationError
        If one of them is empty, or the redirect URI is not absolute.

    Examples
    --------
    >>> import eyelog as el
    >>> el.Application("id", "secret", "http://127.0.0.1:8000/callback")
    Application(client_id='id', redirect_uri='http://127.0.0.1:8000/callback')
    """

    client_id: str
    client_secret: str = field(repr=False)
    redirect_uri: str

    def __post_init__(self) -> None:
        for name in ("client_id", "client_secret"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ConfigurationError(f"{name} is empty: give the one that the service issued")
        parts = split_address(self.redirect_uri, "redirect_uri")
        of_web = parts.scheme.lower() in ("http", "https")
        if not parts.scheme or parts.fragment or (of_web and not parts.hostname):
            raise ConfigurationError(
                "redirect_uri must be the absolute address registered for the application,"
                " such as http://127.0.0.1:8000/callback, without a part after #"
            )
        object.__setattr__(self, "redirect_uri", self.redirect_uri.strip())


@dataclass(frozen=True)
class Token:
    """A token of the service. `repr` shows neither of the two secrets.

    Parameters
    ----------
    access_token : str
        Sent with each request. May be empty if there is a refresh token.
    refresh_token : str, optional
        Needed for a new access token; it does not expire.
    token_type : str
        "Bearer", in upper or lower case.
    expires_at : datetime, optional
        Aware; None if unknown.
    scope : str
        The permissions that the wearer granted.

    Raises
    ------
    ConfigurationError
        If a value is not valid.

    Examples
    --------
    >>> import eyelog as el
    >>> el.Token("a-secret", scope="main")
    Token(token_type='Bearer', expires_at=None, scope='main')
    """

    access_token: str = field(repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    token_type: str = "Bearer"  # noqa: S105 - the name of a type
    expires_at: datetime | None = None
    scope: str = ""

    def __post_init__(self) -> None:
        texts = {"access_token": self.access_token, "refresh_token": self.refresh_token or ""}
        for name, text in texts.items():
            if not isinstance(text, str) or not all("!" <= c <= "~" for c in text):
                raise ConfigurationError(
                    f"{name} is not valid: it must be text without blanks or control characters"
                )
        if not any(texts.values()):
            raise ConfigurationError("a token needs an access_token, a refresh_token, or both")
        if str(self.token_type).lower() != "bearer":
            raise ConfigurationError(
                f"token type {self.token_type!r} is not supported: the service issues 'Bearer'"
            )
        ends: Any = self.expires_at
        if ends is not None and not (isinstance(ends, datetime) and ends.tzinfo is not None):
            raise ConfigurationError(
                f"expires_at is {ends!r}: give a datetime with a time zone, such as"
                " datetime.fromtimestamp(seconds, UTC)"
            )

    def expired(self, margin: timedelta = MARGIN) -> bool:
        """Return whether the access token ends within `margin` of now.

        Parameters
        ----------
        margin : timedelta
            A token this close to its end counts as expired: a request takes time.

        Returns
        -------
        bool
            False if the end is unknown.

        Examples
        --------
        >>> from datetime import UTC, datetime
        >>> import eyelog as el
        >>> el.Token("token", expires_at=datetime(2024, 1, 1, tzinfo=UTC)).expired()
        True
        """
        return self.expires_at is not None and datetime.now(UTC) >= self.expires_at - margin


# The token file


class TokenFile:
    """The token file of one account at one service: 0600, replaced whole, locked between processes.

    Parameters
    ----------
    home : Path
        The folder of `home_dir`. Nothing is created before there is a token to refresh or save.
    account : str
        The account's name.
    base_url : str
        The service's address.
    """

    def __init__(self, home: Path, account: str, base_url: str) -> None:
        self.account = account
        self.base_url = base_url
        key = hashlib.sha256(f"{base_url}\n{account}".encode()).hexdigest()[:16]
        self.path = Path(home) / "tokens" / f"{_stem(account)}-{key}.json"

    def load(self) -> Token | None:
        """Return the saved token; None if there is none.

        Raises
        ------
        AuthorizationError
            If the file is damaged.
        ConfigurationError
            If it cannot be read, or is a symbolic link.
        """
        with self._faults("read"):
            try:
                handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            except FileNotFoundError:
                return None
            with os.fdopen(handle, "rb") as file:
                content = file.read()
                if os.name == "posix" and os.fstat(handle).st_mode & 0o077:
                    os.fchmod(handle, 0o600)
                    warn(
                        f"other users could read the token file {self.path}; it is now 0600. If"
                        " others use this machine, run `eyelog logout` and `eyelog login`"
                    )
        try:
            saved = json.loads(content)
            if (saved.pop("account"), saved.pop("base_url")) != (self.account, self.base_url):
                raise ValueError("it belongs to another account")
            ends = saved.pop("expires_at")
            return Token(**saved, expires_at=ends and datetime.fromisoformat(ends))
        except (AttributeError, ValueError, KeyError, TypeError):
            # No cause: it could quote the content.
            raise AuthorizationError(
                f"the token file {self.path} is damaged: run `{login_command(self.account)}` again"
            ) from None

    def save(self, token: Token) -> None:
        """Replace the file with one that has `token`, completely or not at all.

        Raises
        ------
        ConfigurationError
            If it cannot be written.
        """
        content = {"account": self.account, "base_url": self.base_url, **asdict(token)}
        with self._faults("write"), whole_file(self.path) as file:
            file.write(json.dumps(content, default=datetime.isoformat).encode())

    def delete(self) -> None:
        """Remove the file, if there is one."""
        with self._faults("remove"):
            self.path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes (and threads) that want this lock out of the block.

        Raises
        ------
        Unreachable
            If another process holds it for too long.
        ConfigurationError
            If the folder cannot be written, which should be noticed before a refresh, not after it.
        """
        make_private(self.path.parent)
        guard = FileLock(self.path.with_suffix(".lock"), timeout=LOCK_SECONDS, mode=0o600)
        with self._faults("lock"):
            try:
                held = guard.acquire()
            except Timeout:
                raise Unreachable(
                    f"another process has been refreshing the token of account {self.account!r} for"
                    f" {LOCK_SECONDS:.0f} s: try again later",
                    retryable=True,
                ) from None
        with held:
            yield

    @contextlib.contextmanager
    def _faults(self, verb: str) -> Iterator[None]:
        """Turn an OSError into a ConfigurationError that names the file and the reason."""
        try:
            yield
        except (OSError, NotImplementedError) as fault:
            reason = getattr(fault, "strerror", None) or fault
            what = f"cannot {verb} the token file {self.path}: {reason}"
            raise ConfigurationError(what) from fault


def _stem(account: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "_", account)[:32]


def token_files(home: Path, account: str) -> list[Path]:
    """Return the token files of an account at every service, with their locks, sorted."""
    folder = Path(home) / "tokens"
    own = re.compile(rf"\.?({re.escape(_stem(account))}-[0-9a-f]{{16}})\.")
    owned = []
    for path, match in ((path, own.match(path.name)) for path in folder.glob("*")):
        if match is not None:
            # A damaged or missing file is taken for one of this account.
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                saved = json.loads((folder / f"{match[1]}.json").read_bytes())
                if saved["account"] != account:  # several names share a stem
                    continue
            owned.append(path)
    return sorted(owned)


# The token in use


class Credentials:
    """The token of one account at one service, and everything needed to renew it.

    Parameters
    ----------
    store : TokenFile
        The account's token file.
    application : Application, optional
        Needed to exchange and refresh a token, not to use one.
    token : Token, optional
        Takes precedence over the token file. It and its refreshed successors are kept in memory
        only, because the file may have another grant; read them from `token`.
    """

    def __init__(
        self, store: TokenFile, application: Application | None, token: Token | None = None
    ) -> None:
        warn_of_plain_http(store.base_url)
        self.store = store
        self.base_url = store.base_url
        self.application = application
        self._given = token
        self._in_memory = token is not None
        self._refused: tuple[str, AuthorizationError] | None = None
        self._seen: frozenset[str | None] = frozenset()
        self._locks: dict[int, threading.RLock] = {}

    @property
    def secrets(self) -> frozenset[str]:
        """Every value that must not be shown, including earlier tokens."""
        client_secret = self.application.client_secret if self.application else ""
        # A very short value would hide ordinary words; its name still hides it.
        return frozenset(text for text in self._seen | {client_secret} if text and len(text) >= 8)

    @property
    def token(self) -> Token | None:
        """The current token; None if there is none."""
        token = self._given if self._in_memory else self.store.load()
        if token is not None:
            self._seen |= {token.access_token, token.refresh_token}
        return token

    def bearer(self, *, rejected: str | None = None) -> str:
        """Return the access token to send, refreshed first if necessary.

        Parameters
        ----------
        rejected : str, optional
            An access token to which the service answered 401. If it is still the current one, it is
            refreshed; if another thread or process has done so, theirs is returned.

        Raises
        ------
        AuthorizationError
            If there is no token, or it cannot be renewed; the message says `eyelog login`.
        Unreachable, RateLimited, ServerFault
            If the token endpoint does not answer; trying again later may help.
        """
        token = self._held()
        if token.access_token in ("", rejected) or token.expired():
            with self._locked():
                token = self._held()  # another thread or process may have refreshed it meanwhile
                if token.access_token in ("", rejected) or token.expired():
                    token = self._refreshed(token)
        return token.access_token

    def refresh(self) -> Token:
        """Get a new access token now, even if the old one has not expired.

        Raises
        ------
        AuthorizationError
            If there is no refresh token, or the service refuses it for good.
        """
        with self._locked():
            self._refused = None
            return self._refreshed(self._held())

    def exchange(
        self, code: str, *, code_verifier: str | None = None, redirect_uri: str | None = None
    ) -> Token:
        """Exchange a grant code for a token, and save it in the account's token file.

        Parameters
        ----------
        code : str
            The code in the callback URL. It can be used once.
        code_verifier : str, optional
            The PKCE verifier of the login.
        redirect_uri : str, optional
            The one of the login, if its port differs from the registered one.

        Raises
        ------
        AuthorizationError
            If the service refuses the code or the application.
        """
        if not isinstance(code, str) or not code.strip():
            raise ConfigurationError("the code is empty: give the code of the callback URL")
        form = {"grant_type": "authorization_code", "code": code.strip()}
        login = {"code_verifier": code_verifier, "redirect_uri": redirect_uri}
        form |= {name: text for name, text in login.items() if text is not None}
        # The lock comes first: it fails if the folder cannot be written, and the code has then
        # not been used up.
        with self._locked(for_file=True):
            self._seen |= {form["code"], code_verifier}
            fresh = self._issued(form, "cannot exchange the code for")
            self._in_memory = False
            self.store.save(fresh)
            return fresh

    def revoke(self) -> None:
        """Revoke all tokens of the login at the service, and delete the token here.

        A token that the service no longer accepts counts as revoked. An access token that has
        expired is refreshed first, because the service revokes only for those who log in with one.

        Raises
        ------
        AuthorizationError
            If there is no token, or the service refuses the application; a token is then kept.
        Unreachable, ServerFault, RateLimited, Refused
            If the request fails; the token is then kept.
        """
        where = f"cannot revoke the token of account {self.store.account!r}"

        def end(which: str | None, token: Token) -> bool:
            """Revoke one of the two tokens; return whether the access token is accepted."""
            url = f"{self.base_url}/v1/oauth/revoke"
            form, headers = {"token": which}, {"Authorization": f"Bearer {token.access_token}"}
            with service_session(self.base_url) as session:
                answer = ask(session, "POST", url, where=where, data=form, headers=headers)
            # A token unknown to the service counts as revoked (RFC 7009, section 2.2).
            if answer.status_code // 100 != 2 and answer.status_code != 401:
                raise refusal(answer, where=where, credentials=self)
            return answer.status_code != 401

        with self._locked():
            token = self._held()
            try:
                # With the refresh token the service revokes the whole grant.
                if token.refresh_token:
                    ended = not token.access_token or token.expired()
                    if ended or not end(token.refresh_token, token):
                        token = self._refreshed(token)
                        if not end(token.refresh_token, token):
                            raise self._to_log_in("the service refuses its newest token")
                if token.access_token:  # a service may revoke the refresh token alone
                    end(token.access_token, token)
            except AuthorizationError as refused:
                if refused.error != "invalid_grant":  # which says that the grant has ended
                    raise
            self._given = None
            if not self._in_memory:
                self.store.delete()

    def forget(self) -> bool:
        """Delete the token file without telling the service; return whether there was one."""
        with self._locked():
            there = not self._in_memory and self.store.path.exists()  # a damaged one too
            if there:
                self.store.delete()
            return there

    @contextlib.contextmanager
    def _locked(self, *, for_file: bool = False) -> Iterator[None]:
        """Keep the other threads out, and the other processes if the token is in the file."""
        # A lock for each process: a forked child must not wait for a thread of its parent.
        own = self._locks.setdefault(os.getpid(), threading.RLock())
        in_memory = self._in_memory and not for_file
        with own, contextlib.nullcontext() if in_memory else self.store.lock():
            yield

    def _held(self) -> Token:
        token = self.token
        if token is None:
            raise self._to_log_in("there is no token")
        return token

    def _refreshed(self, token: Token) -> Token:
        """Get a new token and keep it; the caller has both locks."""
        if not token.refresh_token:
            raise self._to_log_in(
                "the access token has expired, or is refused, and there is no refresh token"
            )
        if self._refused is not None and self._refused[0] == token.refresh_token:
            # The refusal is final: other threads need not ask the service again.
            raise copy(self._refused[1])
        form = {"grant_type": "refresh_token", "refresh_token": token.refresh_token}
        try:
            fresh = self._issued(form, "cannot refresh the token of", previous=token)
        except AuthorizationError as refused:
            if refused.error:  # the service's word: invalid_grant or invalid_client
                self._refused = (token.refresh_token, refused)
            raise
        self._given = fresh
        if not self._in_memory:
            try:
                self.store.save(fresh)
            except ConfigurationError as fault:
                # The old token may have been used up by now, so the new one must not be lost.
                self._in_memory = True
                warn(
                    "the refreshed token could not be saved and is lost when this program ends:"
                    f" {fault}"
                )
        return fresh

    def _issued(self, grant: dict[str, str], doing: str, *, previous: Token | None = None) -> Token:
        """Return the token that the token endpoint issues for a grant.

        Values missing from the answer, above all the refresh token, come from the `previous` one.
        """
        where = f"{doing} account {self.store.account!r}"
        if self.application is None:
            raise AuthorizationError(
                f"{where}: no application is set: set EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and"
                " EYELOG_REDIRECT_URI, then run `eyelog login`"
            )
        form = {**asdict(self.application), **grant}
        with service_session(self.base_url) as session:
            answer = ask(session, "POST", self.base_url + "/v1/oauth/token", where=where, data=form)
        error = error_object(answer).get("error")
        if answer.status_code // 100 != 2 or error:  # some services send an error with status 200
            raise refusal(answer, where=where, credentials=self)
        old = previous or Token("-")
        try:
            body = answer.json()
            fresh = Token(
                access_token=body["access_token"],
                refresh_token=body.get("refresh_token") or old.refresh_token,
                token_type=body.get("token_type") or "Bearer",
                expires_at=_end(body.get("expires_in")),
                scope=body["scope"] if isinstance(body.get("scope"), str) else old.scope,
            )
        except (ValueError, TypeError, KeyError) as fault:
            reason = fault if isinstance(fault, ConfigurationError) else "no access_token"
            raise AnswerError(
                f"{where}: the answer of the token endpoint is not a token ({reason})"
            ) from None
        self._seen |= {fresh.access_token, fresh.refresh_token}
        return fresh

    def _to_log_in(self, problem: str) -> AuthorizationError:
        account = self.store.account
        return AuthorizationError(
            f"{problem} for account {account!r} at {self.base_url}: run `{login_command(account)}`",
            url=self.base_url,
        )


def _end(expires_in: Any) -> datetime | None:
    """Return when the token ends; None if the service does not say so in a usable way.

    The old token may have been used up by now, so an odd number must not lose the new one.
    """
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        seconds = timedelta(seconds=float(expires_in))
        return datetime.now(UTC) + min(max(seconds, timedelta()), timedelta(days=36_500))
    return None


# A login


class AccessDenied(AuthorizationError):
    """The wearer chose Deny on the login page."""


Outcome = str | AuthorizationError
"""How a login ends: with a code, or a refusal."""

Outcomes = queue.SimpleQueue[Outcome]
Say = Callable[[str], object]


def login(
    credentials: Credentials,
    *,
    open_browser: bool = True,
    paste: TextIO | None = None,
    say: Say = lambda line: sys.stderr.write(f"{line}\n"),
    timeout: float = LOGIN_SECONDS,
) -> Token:
    """Let the wearer log in and consent in a browser; save the token in the token file.

    Parameters
    ----------
    credentials : Credentials
        The account's credentials; they need an application.
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
    The address of the login page is that of EYELOG_AUTHORIZE_URL, with further parameters as its
    query; else it is the service's own. Authorization code grant with state (RFC 6749 section 4.1),
    PKCE S256 (RFC 7636) and a loopback redirect on any port (RFC 8252 section 7.3).
    """
    application = credentials.application
    if application is None:
        raise ConfigurationError(
            "a login needs an application: set EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and"
            " EYELOG_REDIRECT_URI"
        )
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    redirect_uri, listening = application.redirect_uri, False
    outcomes: Outcomes = queue.SimpleQueue()
    with contextlib.ExitStack() as receiver:
        try:
            redirect_uri = receiver.enter_context(receiving(redirect_uri, state, outcomes))
            listening = True
        except ConfigurationError as fault:
            if paste is None:
                raise
            say(str(fault))
        own = {
            "response_type": "code",
            "client_id": application.client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": "S256",
        }
        page = os.environ.get("EYELOG_AUTHORIZE_URL", "").strip()
        page = page or f"{credentials.base_url}/v1/oauth/authorize"
        place = urlsplit(check_base_url(page, name="EYELOG_AUTHORIZE_URL", query=True))
        further = parse_qsl(place.query, keep_blank_values=True)
        if twice := own.keys() & dict(further).keys():
            raise ConfigurationError(
                f"EYELOG_AUTHORIZE_URL sets {min(twice)!r}, which eyelog sets itself: leave it out"
            )
        address = urlunsplit(place._replace(query=urlencode([*own.items(), *further])))
        say(f"Open this address in a browser to log in:\n{address}")
        if paste is not None:
            say("Or paste here the address that the browser shows at the end, or its code:")
            last = None if listening else "no code was pasted: run `eyelog login` again"
            reading = (paste, state, outcomes, say, last)
            threading.Thread(target=_read_pasted, args=reading, daemon=True).start()
        if open_browser:
            # The address is shown in any case, so a machine without a browser is not a failure.
            with contextlib.suppress(webbrowser.Error, OSError):
                webbrowser.open(address)
        try:
            outcome = outcomes.get(timeout=timeout)
        except queue.Empty:
            raise AuthorizationError(
                f"no code came within {timeout:.0f} s: run `eyelog login` again"
            ) from None
    if isinstance(outcome, AuthorizationError):
        raise outcome
    return credentials.exchange(outcome, code_verifier=verifier, redirect_uri=redirect_uri)


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a PKCE verifier (RFC 7636 section 4.2)."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def code_of(text: str, *, state: str) -> Outcome | None:
    """Return what a callback URL, its query, or a code alone says.

    Parameters
    ----------
    text : str
        As received or pasted.
    state : str
        The state of this login; a URL must return it. A bare code has none: the person who pastes
        it is trusted, and the PKCE verifier ties it to this login.

    Returns
    -------
    str, AuthorizationError or None
        The grant code; the error if the wearer denied access or the service refused the login; None
        if the text says neither, or its state is not that of this login.
    """
    text = text.strip().strip("<>\"'")
    if not re.search(r"://|[?&=]", text) or re.fullmatch(r"[\w.~+/-]{8,}={1,2}", text):
        return text if text and all("!" <= c <= "~" for c in text) else None
    parts = parse_qs(urlsplit(text).query if "://" in text or "?" in text else text)
    states, codes, errors = (parts.get(name, []) for name in ("state", "code", "error"))
    ours = len(states) == 1 and hmac.compare_digest(states[0].encode(), state.encode())
    if not ours or len(codes) > 1 or bool(codes) == bool(errors):
        return None
    if codes:
        return codes[0]
    if errors == ["access_denied"]:
        return AccessDenied(
            "access was denied on the login page, and nothing was shared: to allow it after all,"
            " run `eyelog login` again"
        )
    told = [errors[0], *parts.get("error_description", [])[:1]]
    reason = ": ".join(short(text, 200) for text in told)
    return AuthorizationError(redact(f"the login was refused ({reason}): run `eyelog login`"))


def _read_pasted(
    paste: TextIO, state: str, outcomes: Outcomes, say: Say, at_the_end: str | None
) -> None:
    """Put the outcome of pasted lines into `outcomes`; if they have none, an error that says so."""
    try:
        # A separate file object: a thread that waits in sys.stdin would keep the program from
        # ending.
        lines: TextIO = os.fdopen(os.dup(paste.fileno()), encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # a stream in memory
        lines = paste
    with lines:
        for line in filter(str.strip, lines):
            outcome = code_of(line, state=state)
            if outcome is not None:
                outcomes.put(outcome)
                return
            say("That is neither the callback URL of this login nor a code: paste all of it:")
    if at_the_end is not None:
        outcomes.put(AuthorizationError(at_the_end))


# The loopback page that receives the code

_SHOWN: Final[Mapping[type, tuple[int, str]]] = {
    str: (200, "received"),
    AccessDenied: (200, "denied"),
    AuthorizationError: (400, "refused"),
    type(None): (400, "foreign"),
}
_PAGE_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Type": "text/html; charset=utf-8",
}


@contextlib.contextmanager
def receiving(redirect_uri: str, state: str, outcomes: Outcomes) -> Iterator[str]:
    """Listen on the loopback redirect for one callback, and put its outcome into `outcomes`.

    A callback that does not belong to this login is refused, and changes nothing.

    Yields the redirect URI to send: `redirect_uri`, or one with a free port if that has none
    (or 0).

    Raises
    ------
    ConfigurationError
        If it does not lead to this machine, or its port is not available.
    """
    parts = urlsplit(redirect_uri)
    host = parts.hostname or ""
    if parts.scheme != "http" or not is_loopback(host):
        raise ConfigurationError(
            "the redirect URI is not on this machine's loopback (http://127.0.0.1/...), so the"
            " code must be pasted: run `eyelog login` in a terminal, or pass --code"
        )

    class Callback(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            here = (asked.path or "/") == (parts.path or "/")  # not an icon
            outcome = code_of(f"?{asked.query}", state=state) if here else None
            status, shown = _SHOWN[type(outcome)] if here else (404, "unknown")
            template = files("eyelog.fetch").joinpath("login-ended.html").read_text("utf-8")
            environment = Environment(autoescape=True, trim_blocks=True)
            page = environment.from_string(template).render(shown=shown).encode()
            try:
                self.send_response(status)
                for name, value in (*_PAGE_HEADERS.items(), ("Content-Length", str(len(page)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(page)
            finally:  # even if the browser has closed the connection in the meantime
                if outcome is not None:
                    outcomes.put(outcome)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            """Show nothing: the request line contains the code."""

    class Server(socketserver.ThreadingTCPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # A browser opens connections in advance, and leaves them idle: no other may wait for them.
        daemon_threads = True
        # On Windows the option would let another program take the port over.
        allow_reuse_address = os.name == "posix"

        def handle_error(self, request: object, client_address: object) -> None:
            """Show nothing: a browser that closes a connection does not concern the user."""

    # What "localhost" resolves to may differ; browsers try 127.0.0.1 in any case.
    place = ("127.0.0.1" if host == "localhost" else host, parts.port or 0)
    try:
        server = Server(place, Callback)
    except OSError as fault:
        raise ConfigurationError(
            f"cannot listen on port {parts.port or 'any'} of {host} ({fault.strerror}): end the"
            " program that uses it, or paste the callback URL"
        ) from fault
    if not parts.port:
        netloc = f"{f'[{host}]' if ':' in host else host}:{server.server_address[1]}"
        redirect_uri = urlunsplit(parts._replace(netloc=netloc, fragment=""))
    with server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield redirect_uri
        finally:
            server.shutdown()
