"""Accounts, applications, codes and tokens: what the service remembers between requests.

Only hashes of codes, tokens and secrets are stored, and a salted scrypt of each password. The
rules on how long and how often they can be used are here too, each in one transaction.
"""

import os
import sqlite3
import time
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError
from eyelog.service.auth.redirects import check_redirect_uri, matches
from eyelog.service.auth.secrets import (
    check_password,
    digest,
    hash_password,
    new_token,
    pkce_challenge,
)
from eyelog.service.auth.state import State
from eyelog.service.auth.throttle import Throttle

__all__ = ["ACCESS_SECONDS", "SCOPE", "Bearer", "GrantRefused", "Registry"]

ACCESS_SECONDS = 30 * 24 * 3600  # contract, section 8
_CODE_SECONDS = 600  # the longest life RFC 6749 (section 4.1.2) recommends
SCOPE = "read"  # the contract leaves the scopes open; reading one's own logs is the only use


class GrantRefused(Exception):
    """A code or refresh token that cannot be used; the text says why (``invalid_grant``)."""


@dataclass(frozen=True, slots=True)
class Bearer:
    """The account and the application that an access token was issued to."""

    account: str
    client_id: str


class Registry:
    """Accounts, applications, codes and tokens of the service on one archive.

    Parameters
    ----------
    archive_path : path
        The archive's folder. It is created, with ``_service.sqlite`` (0600) in it, by the first
        account or application added, or by `signing_key` when a service starts.

    Raises
    ------
    ConfigurationError
        If the path is not local, or the file cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> from eyelog.service.auth.registry import Registry
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     registry = Registry(folder)
    ...     registry.add_account("ada")
    ...     client_id, client_secret = registry.add_application("http://127.0.0.1/callback")
    ...     code = registry.issue_code("ada", client_id, "http://127.0.0.1:5000/callback")
    ...     registry.accounts()
    ['ada']
    """

    def __init__(self, archive_path: str | os.PathLike[str]) -> None:
        self._state = State(archive_path)

    def __repr__(self) -> str:
        return f"Registry({str(self.folder)!r})"

    @property
    def folder(self) -> Path:
        """The archive's folder."""
        return self._state.folder

    def throttle(self) -> Throttle:
        """Return the count of wrong passwords, which all processes of a service share."""
        return Throttle(self._state)

    # --- accounts and applications ---------------------------------------------------------------

    def add_account(self, name: str, password: str | None = None) -> None:
        """Add a wearer; without a password, only a code of `issue_code` logs the account in.

        Raises
        ------
        ConfigurationError
            If the name or the password cannot be used, or the account exists.
        """
        usable = name.isprintable() and name == name.strip() and 1 <= len(name.encode()) <= 64
        if not usable:
            raise ConfigurationError(
                f"{name!r} cannot be an account's name: use 1 to 64 printable characters, without"
                " a space at either end"
            )
        if password is not None and not password:
            raise ConfigurationError(f"the password of account {name!r} is empty: choose one")
        stored = None if password is None else hash_password(password)
        self._state.prepare()
        try:
            with self._state.write() as db:
                db.execute("INSERT INTO account VALUES (?, ?)", (name, stored))
        except sqlite3.IntegrityError:
            raise ConfigurationError(f"account {name!r} exists already") from None

    def add_application(self, redirect_uri: str) -> tuple[str, str]:
        """Register an application; return its id and its secret, of which only a hash is stored.

        Raises
        ------
        ConfigurationError
            If the redirect URI is not absolute or has a fragment.
        """
        check_redirect_uri(redirect_uri)
        client_id, secret = new_token()[:22], new_token()
        self._state.prepare()
        with self._state.write() as db:
            db.execute(
                "INSERT INTO application VALUES (?, ?, ?)",
                (client_id, digest(secret), redirect_uri),
            )
        return client_id, secret

    def accounts(self) -> list[str]:
        """Return the names of the accounts, sorted."""
        return sorted(name for (name,) in self._state.rows("SELECT name FROM account"))

    def redirect_uri(self, client_id: str) -> str | None:
        """Return the address that an application registered, or None if there is no such one."""
        rows = self._state.rows(
            "SELECT redirect_uri FROM application WHERE client_id = ?", client_id
        )
        return rows[0][0] if rows else None

    def check_secret(self, client_id: str, secret: str) -> bool:
        """Return whether `secret` is the secret of the application."""
        rows = self._state.rows("SELECT secret FROM application WHERE client_id = ?", client_id)
        stored: bytes = rows[0][0] if rows else bytes(32)
        return compare_digest(stored, digest(secret)) and bool(rows)

    def check_login(self, name: str, password: str) -> bool:
        """Return whether the account exists and has this password."""
        rows = self._state.rows("SELECT password FROM account WHERE name = ?", name)
        return check_password(password, rows[0][0] if rows else None)

    def signing_key(self) -> bytes:
        """Return the key that signs cursors and forms; it is created with the file."""
        self._state.prepare()
        return bytes(self._state.rows("SELECT value FROM meta WHERE name = 'signing_key'")[0][0])

    # --- codes and tokens ------------------------------------------------------------------------

    def issue_code(
        self, account: str, client_id: str, redirect_uri: str, *, challenge: str | None = None
    ) -> str:
        """Return a code that can be exchanged once, within ten minutes.

        Raises
        ------
        ConfigurationError
            If the account or application is unknown, or the redirect URI is not the one that the
            application registered.
        """
        self._check_known(account, client_id)
        registered = self.redirect_uri(client_id)
        if registered is None or not matches(registered, redirect_uri):
            raise ConfigurationError(
                f"redirect URI {redirect_uri!r} is not registered for this application:"
                f" use {registered!r}"
            )
        code = new_token()
        with self._state.write() as db:
            _forget(db)
            db.execute(
                "INSERT INTO code VALUES (?, ?, ?, ?, ?, ?, 0)",
                (
                    digest(code),
                    account,
                    client_id,
                    redirect_uri,
                    challenge,
                    time.time() + _CODE_SECONDS,
                ),
            )
        return code

    def exchange(
        self, code: str, client_id: str, redirect_uri: str, verifier: str | None
    ) -> tuple[str, str]:
        """Exchange a code for an access token and a refresh token.

        A second use of a code revokes the tokens of the first (RFC 6749, section 4.1.2).

        Raises
        ------
        GrantRefused
            If the code is unknown, used, expired or bound to another request.
        """
        origin = digest(code)
        with self._state.write() as db:
            row = db.execute(
                "SELECT account, client_id, redirect_uri, challenge, expires, used FROM code"
                " WHERE hash = ?",
                (origin,),
            ).fetchone()
            if row is None or row[1] != client_id:
                raise GrantRefused("the code is unknown, or was issued to another application")
            account, _, bound_uri, challenge, expires, used = row
            if not used:
                if expires <= time.time():
                    raise GrantRefused("the code has expired: log in again")
                if redirect_uri != bound_uri:
                    raise GrantRefused("the code was issued for another redirect_uri")
                _check_verifier(challenge, verifier)
                db.execute("UPDATE code SET used = 1 WHERE hash = ?", (origin,))
                access, refresh = new_token(), new_token()
                _store(db, access, "access", account, client_id, origin)
                _store(db, refresh, "refresh", account, client_id, origin)
                return access, refresh
            db.execute("UPDATE token SET revoked = 1 WHERE origin = ?", (origin,))
        raise GrantRefused("the code was used before; its tokens are now revoked")

    def refresh(self, refresh_token: str, client_id: str) -> str:
        """Return a new access token; the refresh token and older access tokens stay valid.

        Raises
        ------
        GrantRefused
            If the refresh token is unknown, revoked, or another application's.
        """
        with self._state.write() as db:
            _forget(db)
            row = db.execute(
                "SELECT account, client_id, origin, revoked FROM token"
                " WHERE hash = ? AND kind = 'refresh'",
                (digest(refresh_token),),
            ).fetchone()
            if row is None or row[1] != client_id:
                raise GrantRefused(
                    "the refresh token is unknown, or was issued to another application"
                )
            account, _, origin, revoked = row
            if revoked:
                raise GrantRefused("the refresh token is revoked: log in again")
            access = new_token()
            _store(db, access, "access", account, client_id, origin)
        return access

    def bearer(self, access_token: str) -> Bearer | str:
        """Return the bearer of an access token, or the reason to refuse it."""
        rows = self._state.rows(
            "SELECT account, client_id, expires, revoked FROM token"
            " WHERE hash = ? AND kind = 'access'",
            digest(access_token),
        )
        if not rows:
            return "the access token is unknown"
        account, client_id, expires, revoked = rows[0]
        if revoked:
            return "the access token is revoked"
        if expires <= time.time():
            return "the access token has expired: refresh it"
        return Bearer(account, client_id)

    def revoke(self, token: str, caller: Bearer) -> bool:
        """Revoke a token of the caller; return False if it belongs to someone else.

        An unknown token counts as revoked (RFC 7009). Revoking an access token leaves all others
        valid; revoking a refresh token revokes all tokens of its grant.
        """
        with self._state.write() as db:
            row = db.execute(
                "SELECT kind, account, client_id, origin FROM token WHERE hash = ?",
                (digest(token),),
            ).fetchone()
            if row is None:
                return True
            kind, account, client_id, origin = row
            if (account, client_id) != (caller.account, caller.client_id):
                return False
            if kind == "refresh":
                db.execute("UPDATE token SET revoked = 1 WHERE origin = ?", (origin,))
            else:
                db.execute("UPDATE token SET revoked = 1 WHERE hash = ?", (digest(token),))
        return True

    def _check_known(self, account: str, client_id: str) -> None:
        accounts = self.accounts()
        if account not in accounts:
            raise ConfigurationError(
                f"unknown account {account!r}{near(account, accounts)}:"
                " add it with eyelog service add-account"
            )
        clients = [row[0] for row in self._state.rows("SELECT client_id FROM application")]
        if client_id not in clients:
            raise ConfigurationError(
                f"unknown client id {client_id!r}{near(client_id, clients)}:"
                " register the application with eyelog service add-application"
            )


def _check_verifier(challenge: str | None, verifier: str | None) -> None:
    if challenge is None:
        if verifier is not None:
            # RFC 9700, section 2.1.1: someone may have stripped the challenge from the login.
            raise GrantRefused("code_verifier was sent, but the login had no code_challenge")
    elif verifier is None:
        raise GrantRefused("code_verifier is missing: the login had a code_challenge")
    elif not compare_digest(pkce_challenge(verifier), challenge):
        raise GrantRefused("code_verifier does not match the code_challenge")


def _store(
    db: sqlite3.Connection, token: str, kind: str, account: str, client_id: str, origin: bytes
) -> None:
    expires = time.time() + ACCESS_SECONDS if kind == "access" else None
    db.execute(
        "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, 0)",
        (digest(token), kind, account, client_id, origin, expires),
    )


def _forget(db: sqlite3.Connection) -> None:
    """Delete what no longer matters: codes and access tokens that expired a month ago."""
    month_ago = time.time() - ACCESS_SECONDS
    db.execute("DELETE FROM code WHERE expires < ?", (month_ago,))
    db.execute("DELETE FROM token WHERE expires < ?", (month_ago,))
