"""The grants of wearers: codes and tokens, and the rules on how long and how often they are valid.

Only hashes of codes and tokens are stored. Each rule holds within one transaction.

`Registry` is the whole: what a service keeps between requests.
"""

import base64
import hashlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from hmac import compare_digest
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection

from eyelog.errors import ConfigurationError
from eyelog_service import ended
from eyelog_service.accounts import Accounts, Applications, matches
from eyelog_service.state import State, add, add_key, digest, new_token, run

ACCESS_SECONDS = 30 * 24 * 3600  # contract, section 8
_CODE_SECONDS = 600  # the longest life RFC 6749 (section 4.1.2) recommends
_USE_SECONDS = 600  # how fine the last use of a token is noted
SCOPE = "official"  # the scope that applications of the public service ask for
_READING = (SCOPE, "read")  # the contract leaves them open; both mean the wearer's own logs
WRITE = "write"  # to add to the wearer's own logs; it reads nothing
SCOPES = (*_READING, WRITE)
_FIRST_SCOPE = "read"  # for tokens that an older release issued
_USED = "UPDATE token SET used = :now WHERE hash = :hash"
_UNUSED_UNTIL = f"{ended.LAST_USE} + {ended.UNUSED_SECONDS}"
_MOST_UPLOAD_TOKENS = 10  # a wearer has a few devices


class GrantRefused(Exception):
    """A code or token that cannot be used or revoked by who asks; the text says why."""


@dataclass(frozen=True, slots=True)
class Bearer:
    """The account and the application that an access token was issued to.

    `client_id` is empty for a wearer's own upload token, which is of no application.
    """

    account: str
    client_id: str
    scope: str = field(default="", compare=False)

    @property
    def reads(self) -> bool:
        """Whether the wearer allowed to read the records."""
        return not set(_READING).isdisjoint(self.scope.split())

    @property
    def writes(self) -> bool:
        """Whether the wearer allowed to add records."""
        return WRITE in self.scope.split()


class Tokens(NamedTuple):
    """The tokens of a grant, and whose they are."""

    access: str
    refresh: str
    account: str
    client_id: str
    scope: str


class Grants:
    """The codes and tokens that applications have from accounts.

    Parameters
    ----------
    state : State
        The service's state.
    accounts : Accounts
        Whose records the codes and tokens open.
    applications : Applications
        To whom they are given.
    """

    def __init__(self, state: State, accounts: Accounts, applications: Applications) -> None:
        self._state, self._accounts, self._applications = state, accounts, applications

    def issue_code(
        self,
        account: str,
        client_id: str,
        redirect_uri: str,
        *,
        challenge: str | None = None,
        scope: str = SCOPE,
    ) -> str:
        """Return a code that can be exchanged once, within ten minutes.

        Raises
        ------
        ConfigurationError
            If the account or application is unknown, the account is disabled, or the redirect URI
            is not the one that the application registered.
        """
        self._check_enabled(account)
        application = self._applications.find(client_id)
        if not matches(application.redirect_uri, redirect_uri):
            raise ConfigurationError(
                f"redirect URI {redirect_uri!r} is not registered for this application:"
                f" use {application.redirect_uri!r}"
            )
        code = new_token()
        asked = {"redirect_uri": redirect_uri, "challenge": challenge, "scope": scope}
        whose = {"account": account, "client_id": application.client_id}
        expires = time.time() + _CODE_SECONDS
        with self._state.write() as db:
            add(db, "code", hash=digest(code), expires=expires, used=0, **whose, **asked)
        return code

    def _check_enabled(self, account: str) -> None:
        if self._accounts.find(account).disabled:
            raise ConfigurationError(
                f"account {account!r} is disabled: eyelog service enable lets it log in again"
            )

    def exchange(
        self, code: str, client_id: str, redirect_uri: str, verifier: str | None
    ) -> Tokens:
        """Exchange a code for an access token and a refresh token.

        A second use of a code revokes the tokens of the first (RFC 6749, section 4.1.2).

        Raises
        ------
        GrantRefused
            If the code is unknown, used, expired or bound to another request, or the account is
            disabled.
        """
        origin = digest(code)
        with self._state.write() as db:
            row = run(db, "SELECT * FROM code WHERE hash = :hash", hash=origin).first()
            if row is None or row.client_id != client_id:
                raise GrantRefused("the code is unknown, or was issued to another application")
            if not row.used:
                if row.expires <= time.time():
                    raise GrantRefused("the code has expired: log in again")
                if redirect_uri != row.redirect_uri:
                    raise GrantRefused("the code was issued for another redirect_uri")
                _check_verifier(row.challenge, verifier)
                _check_account(db, row.account)
                run(db, "UPDATE code SET used = 1 WHERE hash = :hash", hash=origin)
                whose = row.account, client_id, row.scope
                access, refresh = (_add(db, kind, *whose, origin) for kind in ("access", "refresh"))
                return Tokens(access, refresh, row.account, client_id, row.scope or _FIRST_SCOPE)
            self._end_grant(db, origin)
        raise GrantRefused("the code was used before; its tokens are now revoked")

    def refresh(self, refresh_token: str, client_id: str) -> Tokens:
        """Return a new access token; the refresh token and older access tokens stay valid.

        Raises
        ------
        GrantRefused
            If the refresh token is unknown, revoked or another application's, or the account is
            disabled.
        """
        hashed = digest(refresh_token)
        sql = "SELECT * FROM token WHERE hash = :hash AND kind = 'refresh'"
        with self._state.write() as db:
            row = run(db, sql, hash=hashed).first()
            if row is None or row.client_id != client_id:
                raise GrantRefused(
                    "the refresh token is unknown, or was issued to another application"
                )
            if row.revoked:
                raise GrantRefused("the refresh token is revoked: log in again")
            _check_account(db, row.account)
            run(db, _USED, now=time.time(), hash=hashed)
            access = _add(db, "access", row.account, client_id, row.scope, row.origin)
        ended.clean_up(self._state)
        return Tokens(access, refresh_token, row.account, client_id, row.scope or _FIRST_SCOPE)

    def bearer(self, access_token: str) -> Bearer | str:
        """Return the bearer of an access token, or the reason to refuse it."""
        hashed, now = digest(access_token), time.time()
        rows = self._state.rows(
            "SELECT token.account, token.client_id, token.kind,"  # noqa: S608 (text from here)
            f" coalesce(token.expires, {_UNUSED_UNTIL}), token.revoked, token.used,"
            " token.scope, account.disabled, application.client_id FROM token"
            " LEFT JOIN account ON account.name = token.account"
            " LEFT JOIN application ON application.client_id = token.client_id"
            " WHERE token.hash = :hash AND token.kind IN ('access', 'upload')",
            hash=hashed,
        )
        if not rows:
            return "the access token is unknown"
        account, client_id, kind, expires, revoked, used, scope, disabled, application = rows[0]
        if revoked:
            return "the access token is revoked"
        if expires <= now:
            if kind == "upload":
                return "the upload token was not used for a year, and ended: make another"
            return "the access token has expired: refresh it"
        if disabled is None:
            return "the account of the access token was removed"
        if application is None and kind == "access":
            return "the application of the access token was removed"
        if disabled:
            return "the account of the access token is disabled"
        if used is None or used < now - _USE_SECONDS:
            self._state.note(_USED, now=now, hash=hashed)
        return Bearer(account, client_id, scope or _FIRST_SCOPE)

    def issue_upload_token(self, account: str) -> str:
        """Return a new token with which a wearer's own programs can add records.

        It reads nothing, belongs to no application, and expires after a year without use.

        Raises
        ------
        ConfigurationError
            If the account is unknown or disabled, or has ten upload tokens.
        """
        self._check_enabled(account)
        if len(self.upload_tokens(account)) >= _MOST_UPLOAD_TOKENS:
            raise ConfigurationError(
                f"account {account!r} has {_MOST_UPLOAD_TOKENS} upload tokens: end those that are"
                " not used"
            )
        with self._state.write() as db:
            return _add(db, "upload", account, "", WRITE)

    def upload_tokens(self, account: str) -> list[Any]:
        """Return the upload tokens of an account that can be used, the oldest first."""
        return [one for one in self.issued(account) if one.kind == "upload"]

    def revoke(self, token: str, client_id: str, account: str | None = None) -> str | None:
        """Revoke a token of an application (and account); return the account that it was of.

        An unknown token counts as revoked (RFC 7009), and is of nobody. Revoking an access token
        leaves all others valid; revoking a refresh token revokes all tokens of its grant.

        Raises
        ------
        GrantRefused
            If the token belongs to someone else.
        """
        hashed = digest(token)
        with self._state.write() as db:
            row = run(db, "SELECT * FROM token WHERE hash = :hash", hash=hashed).first()
            if row is None:
                return account
            if row.client_id != client_id or account not in (None, row.account):
                raise GrantRefused(
                    "the token belongs to another application or account and was not revoked"
                )
            if row.kind == "refresh":
                self._end_grant(db, row.origin)
            elif not row.revoked:
                ended.append(self._state.archive, "token", token=hashed.hex())
                run(db, "UPDATE token SET revoked = 1 WHERE hash = :hash", hash=hashed)
            return str(row.account)

    def _end_grant(self, db: Connection, origin: bytes) -> None:
        """Revoke all tokens of one login; note it if one of them could still be used."""
        left = "SELECT 1 FROM token WHERE origin = :hash AND revoked = 0"
        if run(db, left, hash=origin).first() is not None:
            ended.append(self._state.archive, "grant", token=origin.hex())
            run(db, "UPDATE token SET revoked = 1 WHERE origin = :hash", hash=origin)

    def of_account(self, account: str) -> list[dict[str, Any]]:
        """Return the access that applications have to an account, one row per application.

        Each has the `client_id` and the `label` of the application, in words what it `may` do, and
        `since` when it has access and when it was `last_used`, in seconds since 1970: None if an
        older release issued the tokens, or if never used.
        """
        grants = []
        of_applications = [one for one in self.issued(account) if one.client_id]
        for client_id, tokens in groupby(of_applications, key=lambda one: one.client_id):
            every = list(tokens)
            bearer = Bearer(account, client_id, " ".join(one.scope for one in every))
            may = ["read your records"] * bearer.reads + ["add records"] * bearer.writes
            began = [one.issued for one in every if one.issued is not None]
            grants.append(
                {
                    "client_id": client_id,
                    "label": every[0].name or f"Application {client_id}",
                    "may": " and ".join(may),
                    "since": min(began, default=None),
                    "last_used": max(one.last_used or 0.0 for one in every) or None,
                }
            )
        return grants

    def issued(self, account: str | None = None) -> list[Any]:
        """Return the tokens (of one account) that can be used, without what could be used instead.

        Each has its `account`, the `client_id` and `name` of its application, its `kind` and
        `scope`, and when it was `issued`, was `last_used` and `expires`, in seconds since 1970. A
        refresh token does not expire. They are sorted by account, application and time of issue.
        """
        whose = "" if account is None else "token.account = :account AND"
        rows = self._state.rows(
            "SELECT token.account, token.client_id, coalesce(application.name, '') AS name,"  # noqa: S608 (text from here)
            " token.kind, token.issued, token.used AS last_used, CASE WHEN token.kind <> 'refresh'"
            f" THEN coalesce(token.expires, {_UNUSED_UNTIL}) END AS expires,"
            f" coalesce(token.scope, '{_FIRST_SCOPE}') AS scope"
            " FROM token LEFT JOIN application ON application.client_id = token.client_id"
            f" WHERE {whose} {ended.VALID}",
            account=account,
            **ended.valid_at(time.time()),
        )
        return sorted(
            rows, key=lambda one: (one.account, one.name, one.client_id, one.issued or 0.0)
        )

    def withdraw(self, account: str, client_id: str) -> int:
        """End the access of an application to an account; return how many tokens were revoked."""
        return sum(one.refresh + one.access for one in self._revoke([account], client_id))

    def revoke_all(
        self, *, accounts: Sequence[str] | None = None, client_id: str | None = None
    ) -> list[Any]:
        """Revoke the tokens of accounts, of an application, or (without) all; return what ended.

        It also ends the sessions of the accounts in browsers.

        Raises
        ------
        ConfigurationError
            If an account or the application is unknown.
        """
        if accounts is not None:
            self._accounts.check(accounts)
        if client_id is not None:
            client_id = self._applications.find(client_id).client_id
        return self._revoke([None] if accounts is None else accounts, client_id)

    def _revoke(self, accounts: Sequence[str | None], client_id: str | None) -> list[Any]:
        ended.note_end(self._state, "tokens", accounts=accounts, application=client_id)
        revoked = []
        with self._state.write() as db:
            for account in accounts:
                if client_id is None:
                    whose = "" if account is None else " WHERE name = :name"
                    run(db, f"UPDATE account SET session = session + 1{whose}", name=account)  # noqa: S608 (text from here)
                revoked += ended.end(db, account=account, client_id=client_id)
        return revoked


def granted(scope: str | None) -> str:
    """Return the scope to grant: the known names among those requested, in their order."""
    scopes = [name for name in dict.fromkeys((scope or "").split(" ")) if name in SCOPES]
    return " ".join(scopes) or SCOPE


def _check_account(db: Connection, name: str) -> None:
    row = run(db, "SELECT disabled FROM account WHERE name = :name", name=name).first()
    if row is None:
        raise GrantRefused("the account was removed")
    if row[0]:
        raise GrantRefused("the account is disabled")


def _check_verifier(challenge: str | None, verifier: str | None) -> None:
    if challenge is None:
        if verifier is not None:
            # RFC 9700, section 2.1.1: someone may have stripped the challenge from the login.
            raise GrantRefused("code_verifier was sent, but the login had no code_challenge")
    elif verifier is None:
        raise GrantRefused("code_verifier is missing: the login had a code_challenge")
    else:  # S256 (RFC 7636, section 4.2)
        hashed = hashlib.sha256(verifier.encode("ascii", "replace")).digest()
        if not compare_digest(base64.urlsafe_b64encode(hashed).rstrip(b"="), challenge.encode()):
            raise GrantRefused("code_verifier does not match the code_challenge")


def _add(
    db: Connection,
    kind: str,
    account: str,
    client_id: str,
    scope: str | None,
    origin: bytes | None = None,
) -> str:
    """Return a new token, added to the state; `origin` is the hash of the code that it is for."""
    token = new_token()
    whose = {"account": account, "client_id": client_id, "scope": scope}
    expires = time.time() + ACCESS_SECONDS if kind == "access" else None
    hashes = {"hash": digest(token), "origin": origin or digest(token)}
    times = {"issued": ended.after_ends(db), "expires": expires}
    add(db, "token", kind=kind, revoked=0, **hashes, **times, **whose)
    return token


_KEY_SECONDS = 1.0


class Registry:
    """What the service on one archive keeps between requests: one store for each of its tables.

    Parameters
    ----------
    archive_path : path or URL
        The archive's folder, or a URL such as ``s3://bucket/archive``.
    state : path or URL, optional
        The folder of ``_service.sqlite`` (0600), by default the archive's folder; or the address of
        a database, ``postgresql://USER@HOST/NAME``, which several hosts share. File and tables are
        created by the first account or application added, or by `signing_key` when a service
        starts.
    local : path, optional
        With a database, the folder of this host for incoming files and the audit log; by default
        the archive's folder.

    Attributes
    ----------
    state : State
        The file or database in which all of them are.
    archive : Path or str
        The archive's folder, or its URL in an object store.
    folder : Path
        The archive's folder; that of the state, if the archive is in an object store.
    state_folder : Path
        The folder of the state's file; with a database, that of this host.
    accounts : Accounts
        The wearers.
    applications : Applications
        What may ask wearers for access.
    grants : Grants
        The codes and tokens that applications and wearers have.

    Raises
    ------
    ConfigurationError
        If the archive is not local and no folder is given, the state is in the archive and not in
        `state`, or the file or database cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> from eyelog_service.grants import Registry
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     registry = Registry(folder)
    ...     registry.accounts.add("ada")
    ...     client_id, client_secret = registry.applications.add("http://127.0.0.1/callback")
    ...     code = registry.grants.issue_code("ada", client_id, "http://127.0.0.1:5000/callback")
    ...     registry.accounts.names()
    ['ada']
    """

    def __init__(
        self,
        archive_path: str | os.PathLike[str],
        state: str | os.PathLike[str] | None = None,
        local: str | os.PathLike[str] | None = None,
    ) -> None:
        self.state = State(archive_path, state, local)
        self.archive = self.state.archive
        self.folder = self.state.beside
        self.state_folder = self.state.folder
        self.accounts = Accounts(self.state)
        self.applications = Applications(self.state)
        self.grants = Grants(self.state, self.accounts, self.applications)
        self._key: tuple[float, bytes] | None = None

    def __repr__(self) -> str:
        return f"Registry({str(self.folder)!r})"

    def signing_key(self) -> bytes:
        """Return the key that signs cursors, forms and cookies; it is created with the file.

        It is read again after a second, so that a running service notices a new key.
        """
        known, now = self._key, time.monotonic()
        if known is None:
            self.state.prepare()
        if known is None or now - known[0] > _KEY_SECONDS:
            rows = self.state.rows("SELECT value FROM meta WHERE name = 'signing_key'")
            if rows:
                known = now, bytes(rows[0][0])
            elif known is None:  # otherwise the file was moved away under a running service
                raise ConfigurationError(
                    f"the service's state in {self.state.name} has no signing key:"
                    " eyelog service rotate-key makes one"
                )
            self._key = known
        return known[1]

    def rotate_key(self) -> None:
        """Replace the signing key: cursors, open login pages and cookies of browsers end."""
        self.state.prepare()
        with self.state.write() as db:
            run(db, "DELETE FROM meta WHERE name = 'signing_key'")
            add_key(db)
        self._key = None
