"""OAuth 2.0 as the contract of the service defines it: keep and renew the token of an account.

Many threads and processes share one token. The first to find the token expired refreshes it, under
a lock in the process and a lock between processes; all others read the token that it saved.
"""

import contextlib
import shlex
import threading
import warnings
from collections.abc import Iterator

from eyelog.access.auth.application import Application
from eyelog.access.auth.token_file import Token, TokenStore
from eyelog.access.auth.token_requests import ask_for_token, revoke_token
from eyelog.access.http.addresses import check_base_url, warn_of_plain_http
from eyelog.access.http.forks import renew_in_child
from eyelog.errors import AuthorizationError, ConfigurationError, EyelogWarning

__all__ = ["Credentials"]


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
    store : TokenStore
        The account's token file.
    """

    def __init__(
        self,
        base_url: str,
        application: Application | None,
        *,
        token: Token | None = None,
        store: TokenStore,
    ) -> None:
        self.base_url = check_base_url(base_url)
        warn_of_plain_http(self.base_url)
        self.application = application
        self.store = store
        self._token = token
        self._in_memory = token is not None
        self._refused: tuple[str, AuthorizationError] | None = None
        self._seen: frozenset[str] = frozenset()
        self._note(token)
        self._after_fork()
        renew_in_child(self)

    def _after_fork(self) -> None:
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"Credentials({self.base_url!r}, account={self.store.account!r})"

    @property
    def secrets(self) -> frozenset[str]:
        """Every value that must not be shown, including earlier tokens."""
        client_secret = self.application.client_secret if self.application else ""
        # A very short value would hide ordinary words; its name still hides it.
        return frozenset(text for text in self._seen | {client_secret} if len(text) >= 8)

    def _note(self, token: Token | None) -> None:
        if token is not None:
            self._seen |= {text for text in (token.access_token, token.refresh_token) if text}

    @property
    def token(self) -> Token | None:
        """The current token; None if there is none."""
        with self._lock:
            return self._current()

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
        with self._lock:
            token = self._current()
            if token is None or not _usable(token, rejected):
                # Read the file without its lock: usually another process has refreshed the token.
                token = self._reread()
            if not _usable(token, rejected):
                with self._file_lock():
                    token = self._reread()
                    if not _usable(token, rejected):
                        token = self._refreshed(token)
            return token.access_token

    def refresh(self) -> Token:
        """Get a new access token now, even if the old one has not expired.

        Raises
        ------
        AuthorizationError
            If there is no refresh token, or the service refuses it for good.
        """
        with self._lock, self._file_lock():
            return self._refreshed(self._reread())

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
        where = f"cannot exchange the code for account {self.store.account!r}"
        with self._lock:
            self._seen |= {form["code"], code_verifier or ""}
            application = self._application(where)
            # The lock comes first: it fails if the folder cannot be written, and the code has then
            # not been used up.
            with self.store.lock():
                fresh = ask_for_token(
                    self.base_url,
                    application,
                    form,
                    where=where,
                    redirect_uri=redirect_uri,
                    secrets=self.secrets,
                )
                self._note(fresh)
                self._token, self._in_memory = fresh, False
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
        with self._lock, self._file_lock():
            self._end_grant(self._reread())
            if not self._in_memory:
                self.store.delete()
            self._token = None

    def forget(self) -> bool:
        """Delete the token file without telling the service; return whether there was one."""
        with self._lock, self._file_lock():
            if self._in_memory or self._current() is None:
                return False
            self.store.delete()
            self._token = None
            return True

    def _end_grant(self, token: Token) -> None:
        """Revoke the refresh token, and with it the whole grant; then the access token."""
        try:
            if token.refresh_token and (token.expired() or not token.access_token):
                token = self._refreshed(token)
            if token.refresh_token and not self._revoked(token, token.refresh_token):
                token = self._refreshed(token)
                if not self._revoked(token, token.refresh_token or ""):
                    raise self._login(
                        "the service refuses the access token that it has just issued"
                    )
        except AuthorizationError as refused:
            if refused.status != 400:  # not invalid_grant, which says that the grant has ended
                raise
            return
        if token.access_token:  # a service may revoke the refresh token alone
            self._revoked(token, token.access_token)

    def _revoked(self, token: Token, which: str) -> bool:
        return revoke_token(
            self.base_url,
            which,
            bearer=token.access_token,
            where=f"cannot revoke the token of account {self.store.account!r}",
            secrets=self.secrets,
        )

    def _current(self) -> Token | None:
        """Return the token in memory, read from the file if there is none yet."""
        if self._token is None and not self._in_memory:
            self._token = self.store.load()
            self._note(self._token)
        return self._token

    def _reread(self) -> Token:
        """Return the token as it is in the file now (or in memory, if it is kept there)."""
        if not self._in_memory:
            self._token = None
        token = self._current()
        if token is None:
            raise self._login("there is no token")
        return token

    @contextlib.contextmanager
    def _file_lock(self) -> Iterator[None]:
        """Lock the token file, if the token is kept there."""
        if self._in_memory:
            yield
        else:
            with self.store.lock():
                yield

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
        where = f"cannot refresh the token of account {self.store.account!r}"
        application = self._application(where)
        try:
            fresh = ask_for_token(
                self.base_url,
                application,
                {"grant_type": "refresh_token", "refresh_token": token.refresh_token},
                where=where,
                previous=token,
                secrets=self.secrets,
            )
        except AuthorizationError as final:
            self._refused = (token.refresh_token, final)
            raise
        self._note(fresh)
        self._token = fresh
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

    def _application(self, where: str) -> Application:
        if self.application is None:
            raise AuthorizationError(
                f"{where}: no application is set: set EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and"
                " EYELOG_REDIRECT_URI, then run `eyelog login`"
            )
        return self.application

    def _login(self, problem: str) -> AuthorizationError:
        account = self.store.account
        command = "eyelog login"
        if account != "me":
            command += f" --account {shlex.quote(account)}"
        return AuthorizationError(
            f"{problem} for account {account!r} at {self.base_url}: run `{command}`",
            url=self.base_url,
        )


def _usable(token: Token, rejected: str | None) -> bool:
    return bool(token.access_token) and token.access_token != rejected and not token.expired()
