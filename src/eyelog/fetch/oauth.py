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
import shlex
import socket
import socketserver
import sys
import threading
import time
import warnings
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TextIO
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

from filelock import FileLock, Timeout
from jinja2 import Environment

from eyelog.errors import (
    AnswerError,
    AuthorizationError,
    ConfigurationError,
    EyelogWarning,
    Unreachable,
)
from eyelog.fetch.session import (
    ask,
    check_base_url,
    error_object,
    is_loopback,
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
        if not parts.scheme or (parts.scheme.lower() in ("http", "https") and not parts.hostname):
            raise ConfigurationError(
                "redirect_uri must be the absolute address registered for the application,"
                " such as http://127.0.0.1:8000/callback"
            )
        if parts.fragment:
            raise ConfigurationError("redirect_uri must not have a part after #")
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
        for name in ("access_token", "refresh_token"):
            value = getattr(self, name)
            plain = isinstance(value, str) and all("!" <= c <= "~" for c in value)
            if not plain and (name == "access_token" or value is not None):
                raise ConfigurationError(
                    f"{name} is not valid: it must be text without blanks or control characters"
                )
        if not self.access_token and not self.refresh_token:
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


def base_url_from_environment() -> str:
    """Return EYELOG_BASE_URL, checked.

    Raises
    ------
    ConfigurationError
        If it is not set, or is not an address.
    """
    text = os.environ.get("EYELOG_BASE_URL", "").strip()
    if not text:
        raise ConfigurationError("EYELOG_BASE_URL is not set: set it to the service's address")
    return check_base_url(text, name="EYELOG_BASE_URL")


def application_from_environment() -> Application | None:
    """Return the application of the environment; None if none of its settings is set.

    EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and EYELOG_REDIRECT_URI.

    Raises
    ------
    ConfigurationError
        If some of the three are set and others are not.
    """
    names = ("EYELOG_CLIENT_ID", "EYELOG_CLIENT_SECRET", "EYELOG_REDIRECT_URI")
    values = {name: os.environ.get(name, "").strip() for name in names}
    missing = [name for name, value in values.items() if not value]
    if len(missing) == len(names):
        return None
    if missing:
        raise ConfigurationError(
            f"{' and '.join(missing)} not set: an application needs all of {', '.join(names)}"
        )
    return Application(*values.values())


def token_from_environment() -> Token | None:
    """Return the token of EYELOG_ACCESS_TOKEN and EYELOG_REFRESH_TOKEN; None if neither is set.

    It is used for every account. A refreshed token is kept in memory only.
    """
    access = os.environ.get("EYELOG_ACCESS_TOKEN", "").strip()
    refresh = os.environ.get("EYELOG_REFRESH_TOKEN", "").strip()
    return Token(access, refresh or None) if access or refresh else None


# The token file


def token_files(home: Path, account: str) -> list[Path]:
    """Return the token files of an account at every service, with what belongs to them, sorted."""
    folder = Path(home) / "tokens"
    own = re.compile(rf"\.?({re.escape(_stem(account))}-[0-9a-f]{{16}})\.")
    paths = []
    for path in folder.iterdir() if folder.is_dir() else ():
        match = own.match(path.name)
        if match is None:
            continue
        try:
            owner = json.loads((folder / f"{match[1]}.json").read_bytes())["account"]
        except (OSError, ValueError, KeyError, TypeError):
            # Damaged, or gone: what is left belongs to nobody else.
            owner = account
        if owner == account:  # several names share a stem
            paths.append(path)
    return sorted(paths)


def _stem(account: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "_", account)[:32]


class TokenFile:
    """The token file of one account at one service: 0600, replaced whole, locked between processes.

    Parameters
    ----------
    home : Path
        The folder of `home_dir`. Nothing is created before a token is saved.
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

    def __repr__(self) -> str:
        return f"TokenFile({str(self.path)!r})"

    def load(self) -> Token | None:
        """Return the saved token; None if there is none.

        Raises
        ------
        AuthorizationError
            If the file is damaged.
        ConfigurationError
            If it cannot be read, or is a symbolic link.
        """
        try:
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            return None
        except OSError as fault:
            what = "is a symbolic link" if self.path.is_symlink() else fault.strerror
            raise ConfigurationError(f"cannot read the token file {self.path}: {what}") from fault
        with os.fdopen(handle, "rb") as file:
            content = file.read()
            if os.name == "posix" and os.fstat(handle).st_mode & 0o077:
                warnings.warn(
                    f"other users could read the token file {self.path}; it is now 0600. If others"
                    " use this machine, run `eyelog logout` and `eyelog login`",
                    EyelogWarning,
                    stacklevel=4,
                )
                with contextlib.suppress(OSError):
                    os.fchmod(handle, 0o600)
        try:
            saved = json.loads(content)
            if (saved.pop("account"), saved.pop("base_url")) != (self.account, self.base_url):
                raise ValueError("it belongs to another account")
            ends = saved.pop("expires_at")
            return Token(**saved, expires_at=ends and datetime.fromisoformat(ends))
        except (AttributeError, ValueError, KeyError, TypeError):
            # No cause: it could quote the content.
            raise AuthorizationError(
                f"the token file {self.path} is damaged: run `eyelog login` again"
            ) from None

    def save(self, token: Token) -> None:
        """Replace the file with one that has `token`, completely or not at all.

        Raises
        ------
        ConfigurationError
            If it cannot be written.
        """
        content = {"account": self.account, "base_url": self.base_url, **asdict(token)}
        self._make_folder()
        try:
            with whole_file(self.path) as file:
                file.write(json.dumps(content, default=datetime.isoformat).encode())
        except OSError as fault:
            raise ConfigurationError(
                f"cannot write the token file {self.path}: {fault.strerror}"
            ) from fault

    def _make_folder(self) -> None:
        make_private(self.path.parent)
        with contextlib.suppress(OSError):
            self.path.parent.chmod(0o700)

    def delete(self) -> None:
        """Remove the file, if there is one."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as fault:
            raise ConfigurationError(
                f"cannot remove the token file {self.path}: {fault.strerror}"
            ) from fault

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
        self._make_folder()
        guard = FileLock(self.path.with_suffix(".lock"), timeout=LOCK_SECONDS, mode=0o600)
        try:
            guard.acquire()
        except Timeout:
            raise Unreachable(
                f"another process has been refreshing the token of account {self.account!r} for"
                f" {LOCK_SECONDS:.0f} s: try again later",
                retryable=True,
            ) from None
        except (OSError, NotImplementedError) as fault:
            raise ConfigurationError(f"cannot lock the token file {self.path}: {fault}") from fault
        try:
            yield
        finally:
            guard.release()


# The token in use


class Credentials:
    """The token of one account, and everything needed to renew it.

    Parameters
    ----------
    base_url : str
        The service's address.
    application : Application, optional
        Needed to exchange and refresh a token, not to use one.
    token : Token, optional
        Takes precedence over the token file. It and its refreshed successors are kept in memory
        only, because the file may have another grant; read them from `token`.
    store : TokenFile
        The account's token file.
    """

    def __init__(
        self,
        base_url: str,
        application: Application | None,
        *,
        token: Token | None = None,
        store: TokenFile,
    ) -> None:
        self.base_url = check_base_url(base_url)
        warn_of_plain_http(self.base_url)
        self.application = application
        self.store = store
        self._given = token
        self._in_memory = token is not None
        self._refused: tuple[str, AuthorizationError] | None = None
        self._seen: frozenset[str] = frozenset()
        self._locks: dict[int, threading.RLock] = {}

    def __repr__(self) -> str:
        return f"Credentials({self.base_url!r}, account={self.store.account!r})"

    @property
    def secrets(self) -> frozenset[str]:
        """Every value that must not be shown, including earlier tokens."""
        client_secret = self.application.client_secret if self.application else ""
        # A very short value would hide ordinary words; its name still hides it.
        return frozenset(text for text in self._seen | {client_secret} if len(text) >= 8)

    @property
    def token(self) -> Token | None:
        """The current token; None if there is none."""
        token = self._given if self._in_memory else self.store.load()
        if token is not None:
            self._seen |= {text for text in (token.access_token, token.refresh_token) if text}
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
        token = self.token
        if token is None or token.access_token in ("", rejected) or token.expired():
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
        if code_verifier is not None:
            form["code_verifier"] = code_verifier
        if redirect_uri is not None:
            form["redirect_uri"] = redirect_uri
        # The lock comes first: it fails if the folder cannot be written, and the code has then
        # not been used up.
        with self._locked(for_file=True):
            self._seen |= {form["code"], code_verifier or ""}
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

        def end(which: str, token: Token) -> bool:
            """Revoke one of the two tokens; return whether the access token is accepted."""
            url = f"{self.base_url}/v1/oauth/revoke"
            form, headers = {"token": which}, {"Authorization": f"Bearer {token.access_token}"}
            with service_session() as session:
                answer = ask(session, "POST", url, where=where, data=form, headers=headers)
            # A token unknown to the service counts as revoked (RFC 7009, section 2.2).
            if answer.status_code // 100 != 2 and answer.status_code != 401:
                raise refusal(answer, where=where, secrets=self.secrets)
            return answer.status_code != 401

        with self._locked():
            token = self._held()
            try:
                if token.refresh_token and (token.expired() or not token.access_token):
                    token = self._refreshed(token)
                # With the refresh token the service revokes the whole grant.
                if token.refresh_token and not end(token.refresh_token, token):
                    token = self._refreshed(token)
                    if not end(token.refresh_token or "", token):
                        raise self._login(
                            "the service refuses the access token that it has just issued"
                        )
                if token.access_token:  # a service may revoke the refresh token alone
                    end(token.access_token, token)
            except AuthorizationError as refused:
                if refused.status != 400:  # not invalid_grant, which says that the grant has ended
                    raise
            self._forget()

    def forget(self) -> bool:
        """Delete the token file without telling the service; return whether there was one."""
        with self._locked():
            there = not self._in_memory and self.token is not None
            if there:
                self._forget()
            return there

    def _forget(self) -> None:
        self._given = None
        if not self._in_memory:
            self.store.delete()

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
            raise self._login("there is no token")
        return token

    def _refreshed(self, token: Token) -> Token:
        """Get a new token and keep it; the caller has both locks."""
        if not token.refresh_token:
            raise self._login(
                "the access token has expired, or is refused, and there is no refresh token"
            )
        if self._refused is not None and self._refused[0] == token.refresh_token:
            # The refusal is final: other threads need not ask the service again.
            final = self._refused[1]
            raise AuthorizationError(str(final), status=final.status, url=final.url)
        form = {"grant_type": "refresh_token", "refresh_token": token.refresh_token}
        try:
            fresh = self._issued(form, "cannot refresh the token of", previous=token)
        except AuthorizationError as final:
            self._refused = (token.refresh_token, final)
            raise
        self._given = fresh
        if not self._in_memory:
            try:
                self.store.save(fresh)
            except ConfigurationError as fault:
                # The old token may have been used up by now, so the new one must not be lost.
                self._in_memory = True
                warnings.warn(
                    f"the refreshed token could not be saved and is lost when this program ends:"
                    f" {fault}",
                    EyelogWarning,
                    stacklevel=3,
                )
        return fresh

    def _issued(
        self, grant: Mapping[str, str], doing: str, *, previous: Token | None = None
    ) -> Token:
        """Return the token that the token endpoint issues for a grant.

        Values missing from the answer, above all the refresh token, come from the `previous` one.
        """
        where = f"{doing} account {self.store.account!r}"
        if self.application is None:
            raise AuthorizationError(
                f"{where}: no application is set: set EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and"
                " EYELOG_REDIRECT_URI, then run `eyelog login`"
            )
        form = {
            "redirect_uri": self.application.redirect_uri,
            "client_id": self.application.client_id,
            "client_secret": self.application.client_secret,
            **grant,
        }
        with service_session() as session:
            answer = ask(session, "POST", self.base_url + "/v1/oauth/token", where=where, data=form)
        error = error_object(answer).get("error")
        if answer.status_code // 100 != 2 or error:  # some services send an error with status 200
            final = error in ("invalid_grant", "invalid_client") and answer.status_code < 500
            advice = "run `eyelog login`" if error == "invalid_grant" else None
            if error == "invalid_client" or (advice is None and answer.status_code == 401):
                advice = "check EYELOG_CLIENT_ID and EYELOG_CLIENT_SECRET, then run `eyelog login`"
            fault = refusal(answer, where=where, secrets=self.secrets, advice=advice)
            if final:  # asking again cannot help
                raise AuthorizationError(str(fault), status=fault.status, url=fault.url)
            raise fault
        try:
            body: Any = answer.json()
        except ValueError:
            body = None
        if not isinstance(body, dict) or not isinstance(body.get("access_token"), str):
            raise AnswerError(f"{where}: the answer of the token endpoint has no access_token")
        old = previous or Token("-")
        try:
            fresh = Token(
                access_token=body["access_token"],
                refresh_token=body.get("refresh_token") or old.refresh_token,
                token_type=body.get("token_type") or "Bearer",
                expires_at=_end(body.get("expires_in")),
                scope=body["scope"] if isinstance(body.get("scope"), str) else old.scope,
            )
        except ConfigurationError as fault:
            raise AnswerError(
                f"{where}: the answer of the token endpoint is not a token ({fault})"
            ) from None
        self._seen |= {text for text in (fresh.access_token, fresh.refresh_token) if text}
        return fresh

    def _login(self, problem: str) -> AuthorizationError:
        account = self.store.account
        command = "eyelog login"
        if account != "me":
            command += f" --account {shlex.quote(account)}"
        return AuthorizationError(
            f"{problem} for account {account!r} at {self.base_url}: run `{command}`",
            url=self.base_url,
        )


def _end(expires_in: object) -> datetime | None:
    """Return when the token ends; None if the service does not say so in a usable way.

    The old token may have been used up by now, so an odd number must not lose the new one.
    """
    try:
        seconds = timedelta(seconds=float(expires_in))  # type: ignore[arg-type] # caught below
    except (TypeError, ValueError, OverflowError):
        return None
    return datetime.now(UTC) + min(max(seconds, timedelta()), timedelta(days=36_500))


# A login


class AccessDenied(AuthorizationError):
    """The wearer chose Deny on the login page."""


class ForeignCallback(AuthorizationError):
    """A callback that does not belong to this login: the login itself goes on."""


Say = Callable[[str], object]
Outcome = str | AuthorizationError | None
Outcomes = queue.SimpleQueue[Outcome]
"""The outcomes of a login: a code, a refusal, or None at the end of the pasted input."""


def login(
    credentials: Credentials,
    *,
    page: str | None = None,
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
    page : str, optional
        The address of the login page, further parameters as its query; by default that of
        EYELOG_AUTHORIZE_URL, else the service's own page.
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
    parts = urlsplit(redirect_uri)
    outcomes: Outcomes = queue.SimpleQueue()
    with contextlib.ExitStack() as receiver:
        if parts.scheme == "http" and is_loopback(parts.hostname):
            try:
                redirect_uri = receiver.enter_context(receiving(redirect_uri, state, outcomes))
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
        own = {
            "response_type": "code",
            "client_id": application.client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": "S256",
        }
        page = page or os.environ.get("EYELOG_AUTHORIZE_URL", "").strip()
        page = page or f"{credentials.base_url}/v1/oauth/authorize"
        place = urlsplit(check_base_url(page, name="EYELOG_AUTHORIZE_URL", query=True))
        further = parse_qsl(place.query, keep_blank_values=True)
        for name, _ in further:
            if name in own:
                raise ConfigurationError(
                    f"EYELOG_AUTHORIZE_URL sets {name!r}, which eyelog sets itself: leave it out"
                )
        address = urlunsplit(place._replace(query=urlencode([*own.items(), *further])))
        say(f"Open this address in a browser to log in:\n{address}")
        if paste is not None:
            say("Or paste here the address that the browser shows at the end, or its code:")
            reading = (paste, state, outcomes, say)
            threading.Thread(target=_read_pasted, args=reading, daemon=True).start()
        if open_browser:
            # The address is shown in any case, so a machine without a browser is not a failure.
            with contextlib.suppress(webbrowser.Error, OSError):
                webbrowser.open(address)
        ends = time.monotonic() + timeout
        code: str | None = None
        while code is None:
            try:
                outcome = outcomes.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                raise AuthorizationError(
                    f"no code came within {timeout:.0f} s: run `eyelog login` again"
                ) from None
            if isinstance(outcome, AuthorizationError):
                raise outcome
            if outcome is None and not listening:
                raise AuthorizationError("no code was pasted: run `eyelog login` again")
            code = outcome
    return credentials.exchange(code, code_verifier=verifier, redirect_uri=redirect_uri)


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a PKCE verifier (RFC 7636 section 4.2)."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def code_of(text: str, *, state: str) -> Outcome:
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
        The grant code; the error if the wearer denied access, the service refused the login, or the
        state is not that of this login (a `ForeignCallback`); None if the text says none of these.
    """
    text = text.strip().strip("<>\"'")
    if not re.search(r"://|[?&=]", text) or re.fullmatch(r"[\w.~+/-]{8,}={1,2}", text):
        return text if text and all("!" <= c <= "~" for c in text) else None
    parts = parse_qs(urlsplit(text).query if "://" in text or "?" in text else text)
    if "code" not in parts and "error" not in parts:
        return None
    states = parts.get("state", [])
    same = len(states) == 1 and hmac.compare_digest(states[0].encode(), state.encode())
    if not same or ("error" in parts) == ("code" in parts) or len(parts.get("code", [])) > 1:
        return ForeignCallback(
            "the callback URL does not belong to this login (its state differs):"
            " use the address that the browser shows after this login"
        )
    if parts.get("error") == ["access_denied"]:
        return AccessDenied(
            "access was denied on the login page, and nothing was shared: to allow it after all,"
            " run `eyelog login` again"
        )
    if "error" in parts:
        told = [parts[name][0] for name in ("error", "error_description") if name in parts]
        reason = ": ".join(short(text, 200) for text in told)
        return AuthorizationError(redact(f"the login was refused ({reason}): run `eyelog login`"))
    return parts["code"][0]


def _read_pasted(
    paste: TextIO, state: str, outcomes: Outcomes, say: Callable[[str], object]
) -> None:
    """Put the outcome of pasted lines into `outcomes`, and None at their end."""
    try:
        # A separate file object: a thread that waits in sys.stdin would keep the program from
        # ending.
        lines: TextIO = os.fdopen(os.dup(paste.fileno()), encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # a stream in memory
        lines = paste
    outcome: Outcome = None
    with lines:
        for line in filter(str.strip, lines):
            outcome = code_of(line, state=state)
            if isinstance(outcome, ForeignCallback):
                say(f"Not accepted: {outcome}:")
            elif outcome is None:
                say("That is neither a callback URL nor a code; paste the whole address:")
            else:
                break
    outcomes.put(None if isinstance(outcome, ForeignCallback) else outcome)


# The loopback page that receives the code

_PAGE_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none';"
        " frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Type": "text/html; charset=utf-8",
    "Connection": "close",
}


class _Server(socketserver.ThreadingTCPServer):
    # A browser opens connections in advance and leaves them idle: they must not delay the others.
    daemon_threads = True
    block_on_close = False
    # On Windows the option would let another program take the port over.
    allow_reuse_address = os.name == "posix"

    def __init__(self, host: str, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Show nothing: a browser that closes a connection does not concern the user."""


@contextlib.contextmanager
def receiving(redirect_uri: str, state: str, outcomes: Outcomes) -> Iterator[str]:
    """Listen on the loopback redirect for one callback, and put its outcome into `outcomes`.

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

    class Callback(BaseHTTPRequestHandler):
        timeout = 5
        server_version = "eyelog"
        sys_version = ""

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            outcome = code_of(f"?{asked.query}", state=state)
            if (asked.path or "/") != (parts.path or "/"):  # an icon
                status, shown, outcome = 404, "unknown", None
            elif outcome is None or isinstance(outcome, ForeignCallback):
                status, shown, outcome = 400, "foreign", None
            elif isinstance(outcome, str):
                status, shown = 200, "received"
            elif isinstance(outcome, AccessDenied):
                status, shown = 200, "denied"
            else:
                status, shown = 400, "refused"
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

    try:
        # What "localhost" resolves to may differ; browsers try 127.0.0.1 in any case.
        server = _Server("127.0.0.1" if host == "localhost" else host, parts.port or 0, Callback)
    except OSError as fault:
        raise ConfigurationError(
            f"cannot listen on port {parts.port or 'any'} of {host} ({fault.strerror}): end the"
            " program that uses it, or paste the callback URL"
        ) from fault
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
