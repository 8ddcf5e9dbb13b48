"""The accounts of wearers, and the applications that may ask them for access.

An account has a name, perhaps a password, and may belong to a study; an application has an id, a
name, a redirect URI and a hashed secret.

Passwords are long enough, and not among those that attackers guess first, as NIST SP 800-63B
(section 5.1.1.2) requires: a minimum length, a list of common passwords and of those that the
service itself suggests, and no rule about kinds of letters. Passwords chosen before stay valid.

Wearers may also come as a CSV file. No message about it quotes a cell: where the columns are
shifted, or their names are missing, any cell may be a password.
"""

import csv
import hashlib
import secrets
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from sqlalchemy import Connection

from eyelog.catalogue import near
from eyelog.cores import usable_cores
from eyelog.errors import ConfigurationError, EyelogError, listed
from eyelog_service import ended
from eyelog_service.ended import after_ends, end
from eyelog_service.state import KeyTaken, State, add, digest, new_token, run

INVITED_DAYS = 14
NAME_RULE = "use printable characters, at most 64 bytes as UTF-8, without a space at either end"


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to be added. Without a password only a code or an invitation logs it in.

    `zone` is that of the wearer, "" if it is not given.
    """

    name: str
    password: str | None = None
    study: str = ""
    zone: str = ""


class Accounts:
    """The accounts in the state of a service."""

    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, name: str, password: str | None = None) -> None:
        """Add a wearer; without a password, only a code of `issue_code` logs the account in.

        Raises
        ------
        ConfigurationError
            If the name or the password cannot be used, or the account exists.
        """
        self.add_all([NewAccount(name, password)])

    def add_all(
        self, new: Sequence[NewAccount], invitations: Mapping[str, str] | None = None
    ) -> None:
        """Add accounts, all or none of them.

        Parameters
        ----------
        new : sequence of NewAccount
            The accounts.
        invitations : mapping, optional
            The codes of `accept_invitation` for some of the names.

        Raises
        ------
        ConfigurationError
            If a name, password or study cannot be used, or an account exists.
        """
        names = [one.name for one in new]
        self._check_new(names)
        for one in new:
            check_name(one.name, "an account's name")
            if one.study:
                check_name(one.study, "the name of a study")
            if one.password is not None:
                check_password_rules(one.password, account=one.name)
        if twice := {name for name, count in Counter(names).items() if count > 1}:
            raise ConfigurationError(
                f"{listed(map(repr, sorted(twice)))}: each account can be added once"
            )
        # Hashing leaves the interpreter free, so threads use all processors.
        with ThreadPoolExecutor(usable_cores()) as pool:
            stored = list(pool.map(lambda one: one.password and _hash_password(one.password), new))
        self._state.prepare()
        try:
            with self._state.write() as db:
                added = after_ends(db)
                for one, hashed in zip(new, stored, strict=True):
                    add(db, "account", name=one.name, password=hashed, added=added, study=one.study)
                expires = time.time() + INVITED_DAYS * 86400
                for name, code in (invitations or {}).items():
                    add(db, "invitation", hash=digest(code), account=name, expires=expires)
        except KeyTaken:  # another process was first
            self._check_new(names)
            raise

    def _check_new(self, names: Sequence[str]) -> None:
        """Raise `ConfigurationError` if one of several accounts exists."""
        present = [repr(name) for name in self.names() if name in set(names)]
        if len(present) == 1:
            raise ConfigurationError(f"account {present[0]} exists already")
        if present:
            raise ConfigurationError(f"{len(present)} accounts exist already: {listed(present)}")

    def invited(self, code: str) -> str | None:
        """Return whom an invitation is for; None if it is unknown, used or has expired."""
        rows = self._state.rows(f"SELECT account {_INVITED}", hash=digest(code), now=time.time())
        return rows[0][0] if rows else None

    def accept_invitation(self, code: str, password: str) -> bool:
        """Set the password of the account that is invited, once; return whether it was valid.

        Raises
        ------
        ConfigurationError
            If the password cannot be used.
        """
        if (name := self.invited(code)) is None:
            return False
        check_password_rules(password, account=name)
        stored = _hash_password(password)
        ended.append(self._state.archive, "invitation", token=digest(code).hex())
        with self._state.write() as db:
            # Somebody else may have been faster with the same link.
            if not run(db, f"SELECT 1 {_INVITED}", hash=digest(code), now=time.time()).first():
                return False
            self._set_password(db, name, stored)
        return True

    def names(self) -> list[str]:
        """Return the names of the accounts, sorted."""
        return sorted(name for (name,) in self._state.rows("SELECT name FROM account"))

    def check(self, names: Sequence[str]) -> None:
        """Raise `ConfigurationError` if one of several accounts is unknown."""
        present = set(self.names())
        unknown = [name for name in names if name not in present]
        if len(unknown) == 1:
            raise ConfigurationError(
                f"unknown account {shown(unknown[0])}{near(unknown[0], sorted(present))}: eyelog"
                " service list-accounts lists those there are, and add-account adds one"
            )
        if unknown:
            raise ConfigurationError(
                f"{len(unknown)} accounts are unknown: {listed(map(repr, unknown))};"
                " nothing was changed"
            )

    def in_study(self, study: str) -> list[str]:
        """Return the names of the accounts of a study, sorted.

        Raises
        ------
        ConfigurationError
            If there are none.
        """
        studies = self.by_study()
        if study not in studies:
            raise ConfigurationError(
                f"study {shown(study)} has no account{near(study, sorted(studies))}: eyelog service"
                " list-accounts shows the studies"
            )
        return studies[study]

    def by_study(self) -> dict[str, list[str]]:
        """Return for each study the names of its accounts, sorted."""
        studies: dict[str, list[str]] = {}
        for one in self.all():
            if one.study:
                studies.setdefault(one.study, []).append(one.name)
        return studies

    def retention(self, account: str | None = None) -> dict[str, int]:
        """Return for how many days studies (that of an account) keep records; others, for ever."""
        whose = " WHERE study = (SELECT study FROM account WHERE name = :account)"
        sql = f"SELECT study, days FROM retention{'' if account is None else whose}"  # noqa: S608 (text from here)
        return dict(sorted(map(tuple, self._state.rows(sql, account=account))))

    def set_retention(self, study: str, days: int | None) -> None:
        """Set for how many days a study keeps records; None for no limit.

        Raises
        ------
        ConfigurationError
            If no account belongs to the study.
        """
        self.in_study(study)
        with self._state.write() as db:
            run(db, "DELETE FROM retention WHERE study = :study", study=study)
            if days is not None:
                add(db, "retention", study=study, days=days)

    def has(self, name: str) -> bool:
        """Return whether there is an account of this name."""
        return bool(self._state.rows("SELECT 1 FROM account WHERE name = :name", name=name))

    def find(self, name: str) -> Any:
        """Return the description of an account, as one of `all`.

        Raises
        ------
        ConfigurationError
            If there is no such account.
        """
        self.check([name])
        return next(one for one in self.all() if one.name == name)

    def all(self) -> list[Any]:
        """Return the description of each account, sorted by name.

        Each has a `name`, a `study`, whether it `has_password` and is `disabled`, and when it was
        `added`: None if an older release added it.
        """
        sql = (
            "SELECT name, password IS NOT NULL AS has_password, disabled, added, study FROM account"
        )
        return sorted(self._state.rows(sql), key=lambda account: account.name)

    def set_password(self, name: str, password: str) -> None:
        """Give an account a new password; this ends the account's sessions in browsers.

        Tokens stay valid: the wearer granted them, not the password.

        Raises
        ------
        ConfigurationError
            If the account is unknown or the password cannot be used.
        """
        self.find(name)
        check_password_rules(password, account=name)
        stored = _hash_password(password)
        with self._state.write() as db:
            self._set_password(db, name, stored)

    def disable(self, *names: str) -> None:
        """Refuse every login and every token of accounts, until `enable`."""
        self._switch("disabled", names, "disabled = 1, session = session + 1")

    def enable(self, *names: str) -> None:
        """Allow logins again; tokens that were neither revoked nor have expired are valid again."""
        self._switch("enabled", names, "disabled = 0")

    def _switch(self, what: str, names: Sequence[str], assignment: str) -> None:
        self.check(names)
        ended.note_end(self._state, what, accounts=names)
        with self._state.write() as db:
            for name in names:
                self._change(db, name, assignment)

    def remove(self, *names: str) -> list[Any]:
        """Remove accounts with their codes and tokens, and return what ended; records stay."""
        self.check(names)
        ended.note_end(self._state, "account", accounts=names)
        revoked, tables = [], ["code", "token", "request_count", "upload_count", "invitation"]
        with self._state.write() as db:
            tables += self._state.old_tables(db)
            for name in names:
                revoked += end(db, account=name)
                for table in tables:
                    run(db, f"DELETE FROM {table} WHERE account = :name", name=name)  # noqa: S608 (names from here)
                if not run(db, "DELETE FROM account WHERE name = :name", name=name).rowcount:
                    self.check([name])  # another process was first
        return revoked

    def check_login(self, name: str, password: str) -> bool:
        """Return whether the account exists, is not disabled, and has this password."""
        rows = self._state.rows(
            "SELECT password FROM account WHERE name = :name AND disabled = 0", name=name
        )
        stored = rows[0][0] if rows else None
        salt, hashed = (stored[:16], stored[16:]) if stored else (bytes(16), bytes(64))
        # Equally long whether or not one is stored.
        return compare_digest(_scrypt(password, salt), hashed) and stored is not None

    def session_mark(self, name: str) -> str | None:
        """Return the mark that binds a wearer's session in a browser; None if none is possible.

        It changes with the password, and when the account is disabled or its tokens are revoked
        by the operator.
        """
        rows = self._state.rows(
            "SELECT password, session FROM account WHERE name = :name AND disabled = 0", name=name
        )
        if not rows or rows[0][0] is None:
            return None
        password, session = rows[0]
        return digest(f"session\n{name}\n{session}\n{password.hex()}").hex()

    def end_sessions(self, name: str) -> None:
        """End the sessions of an account in browsers."""
        with self._state.write() as db:
            self._change(db, name, "session = session + 1")

    def _set_password(self, db: Connection, name: str, stored: bytes) -> None:
        """Set a password and end what could set another."""
        run(db, "DELETE FROM invitation WHERE account = :name", name=name)
        self._change(db, name, "password = :password", password=stored)  # which ends sessions, too

    def _change(self, db: Connection, name: str, assignment: str, **values: Any) -> None:
        """Change an account; raise `ConfigurationError` if another process has removed it."""
        sql = f"UPDATE account SET {assignment} WHERE name = :name"  # noqa: S608 (text from here)
        if not run(db, sql, name=name, **values).rowcount:
            self.check([name])


_INVITED = (
    "FROM invitation WHERE hash = :hash AND expires > :now"
    " AND account IN (SELECT name FROM account WHERE disabled = 0)"
)


def check_name(name: str, what: str) -> None:
    """Raise `ConfigurationError` for a name that could mislead readers of a list or a page."""
    if not is_name(name):
        raise ConfigurationError(f"{shown(name)} cannot be {what}: {NAME_RULE}")


def is_name(name: str) -> bool:
    """Return whether a name follows `NAME_RULE`."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        size = 0
    return name.isprintable() and name == name.strip() and 1 <= size <= 64


def shown(name: str) -> str:
    """Return a name for a message: in quotes, on one line, and not too long."""
    return repr(name if len(name) <= 80 else name[:77] + "...")


# scrypt at one of OWASP's equivalent settings: 16 MB and about 0.2 s per guess.
_LOG2_N, _R, _P = 14, 8, 5


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=salt,
        n=1 << _LOG2_N,
        r=_R,
        p=_P,
        maxmem=64 * 1024 * 1024,
    )


def _hash_password(password: str) -> bytes:
    salt = secrets.token_bytes(16)
    return salt + _scrypt(password, salt)


_SHORTEST = 8
_LONGEST = 1024  # the form of the login page takes no more than 64 KB
_OWN_NAME = "eyelog"


def check_password_rules(password: str, *, account: str = "") -> None:
    """Raise `ConfigurationError`, with one line, for a password that is too easy to guess."""
    if fault := password_fault(password, account=account):
        what = f"the password of account {account!r}" if account else "the password"
        raise ConfigurationError(f"{what} {fault}")


def password_fault(password: str, *, account: str = "") -> str:
    """Return why a password is too easy to guess; nothing if it is not.

    Parameters
    ----------
    password : str
        The password that somebody chose. The text does not contain it.
    account : str
        The account of the password; its own name is refused too.
    """
    folded = _folded(password)
    # Digits and signs around a name are guessed with the name.
    core = folded.strip("0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    if len(password) < _SHORTEST:
        short = "too short" if password else "empty"
        return f"is {short}: choose one of at least {_SHORTEST} characters"
    if len(password) > _LONGEST:
        return f"is too long: choose one of at most {_LONGEST:,} characters"
    if folded in _common():
        return "is among the most common ones, which are guessed first: choose another"
    if account and _folded(account) in (folded, core):
        return "is the account's own name: choose another"
    if core == _OWN_NAME:
        return f"is {_OWN_NAME!r}, which is guessed first: choose another"
    return ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@cache
def _common() -> frozenset[str]:
    listed = Path(__file__).with_name("common_passwords.txt")
    return frozenset(listed.read_text("utf-8").split())


class Applications:
    """The applications in the state of a service."""

    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, redirect_uri: str, *, name: str = "") -> tuple[str, str]:
        """Register an application; return its id and its secret, of which only a hash is stored.

        Parameters
        ----------
        redirect_uri : str
            Where logins return to.
        name : str
            The name of the application on the login page; without a name, it shows the id.

        Raises
        ------
        ConfigurationError
            If the redirect URI is not absolute or has a fragment, or the name cannot be used.
        """
        if _split(redirect_uri) is None:
            raise ConfigurationError(
                f"{redirect_uri!r} cannot be a redirect URI: use an absolute address without a"
                " fragment, such as http://127.0.0.1/callback (any port) or"
                " https://example.org/callback"
            )
        if name:
            check_name(name, "an application's name")
        client_id, secret = new_token()[:22], new_token()
        self._state.prepare()
        row = {"client_id": client_id, "redirect_uri": redirect_uri, "name": name}
        with self._state.write() as db:
            add(db, "application", secret=digest(secret), added=time.time(), **row)
        return client_id, secret

    def get(self, client_id: str) -> Any:
        """Return the description of an application; None if no application has the id."""
        return next((one for one in self.all() if one.client_id == client_id), None)

    def all(self) -> list[Any]:
        """Return the description of each application, sorted by name and id.

        Each has a `client_id`, a `name`, a `redirect_uri`, and when it was `added`: `name` is
        empty, and `added` None, if it was registered without them. Its `label` is shown to people.
        """
        sql = (
            "SELECT client_id, name, redirect_uri, added,"
            " coalesce(nullif(name, ''), client_id) AS label FROM application"
        )
        return sorted(self._state.rows(sql), key=lambda one: (one.name, one.client_id))

    def find(self, client_id_or_name: str) -> Any:
        """Return the application with this id, or the only one with this name.

        Raises
        ------
        ConfigurationError
            If there is none, or several have the name.
        """
        every = self.all()
        matches = [one for one in every if one.client_id == client_id_or_name] or [
            one for one in every if one.name and one.name == client_id_or_name
        ]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise ConfigurationError(
                f"{len(matches)} applications have the name {client_id_or_name!r}: give the client"
                f" id of one ({', '.join(one.client_id for one in matches)})"
            )
        names = [one.client_id for one in every] + [one.name for one in every if one.name]
        raise ConfigurationError(
            f"no application has the id or name {shown(client_id_or_name)}"
            f"{near(client_id_or_name, names)}: eyelog service list-applications lists those there"
            " are, and add-application adds one"
        )

    def authenticated(self, client_id: str, secret: str) -> Any:
        """Return the description of an application; None if `secret` is not its secret."""
        sql = "SELECT secret FROM application WHERE client_id = :client_id"
        rows = self._state.rows(sql, client_id=client_id)
        stored: bytes = rows[0].secret if rows else bytes(32)
        return self.get(client_id) if compare_digest(stored, digest(secret)) else None

    def rotate_secret(self, client_id: str) -> str:
        """Give an application a new secret and return it; the old one ends at once.

        Tokens stay valid, but to refresh them the application needs the new secret.

        Raises
        ------
        ConfigurationError
            If there is no such application.
        """
        client_id = self.find(client_id).client_id
        secret = new_token()
        with self._state.write() as db:
            sql = "UPDATE application SET secret = :secret WHERE client_id = :client_id"
            changed = run(db, sql, secret=digest(secret), client_id=client_id).rowcount
        if not changed:  # another process removed it
            self.find(client_id)
        return secret

    def remove(self, client_id: str) -> list[Any]:
        """Remove an application with its codes and tokens, and return what ended.

        Raises
        ------
        ConfigurationError
            If there is no such application.
        """
        client_id = self.find(client_id).client_id
        ended.note_end(self._state, "application", application=client_id)
        with self._state.write() as db:
            revoked = end(db, client_id=client_id)
            for table in ("code", "token", "application"):
                sql = f"DELETE FROM {table} WHERE client_id = :client_id"  # noqa: S608 (names from here)
                gone = run(db, sql, client_id=client_id).rowcount
        if not gone:  # another process was first
            self.find(client_id)
        return revoked


_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def _split(uri: str) -> SplitResult | None:
    """Return the parts of a usable redirect address, or None."""
    if not uri.isascii() or not uri.isprintable() or any(c in uri for c in " #\"'<>\\;,"):
        return None
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 (reading the port checks it)
    except ValueError:
        return None
    if parts.username is not None or parts.password is not None:
        return None
    if parts.scheme in ("http", "https"):
        return parts if parts.hostname else None
    # RFC 8252, section 7.1: a private-use scheme is a reversed domain name, so it has a dot.
    return parts if "." in parts.scheme and (parts.netloc or parts.path) else None


def matches(registered: str, requested: str) -> bool:
    """Return whether two addresses are the same; a loopback address may have any port.

    RFC 8252, section 7.3: an application that listens on a loopback address gets its port from
    the system when it asks for the login.
    """
    if registered == requested:
        return True
    ours, theirs = _split(registered), _split(requested)
    if ours is None or theirs is None or ours.scheme != "http":
        return False
    if ours.hostname not in _LOOPBACK:
        return False
    return all(
        getattr(ours, part) == getattr(theirs, part)
        for part in ("scheme", "hostname", "path", "query")
    )


def is_readable_on_the_way(uri: str) -> bool:
    """Return whether codes reach this address over a network without TLS."""
    parts = urlsplit(uri)
    return parts.scheme == "http" and parts.hostname not in _LOOPBACK


def form_target(uri: str) -> str:
    """Return the CSP form-action source that lets the form's response redirect to `uri`."""
    parts = urlsplit(uri)
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"


COLUMNS: Final = ("name", "password", "study", "zone")


def read_wearers(path: Path) -> list[NewAccount]:
    """Return the lines of a file with the columns name, password, study and zone.

    All columns except the name may be missing or empty: there is then no password, no study and no
    zone.

    Raises
    ------
    ConfigurationError
        If the file or one of its lines cannot be used; the message names the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            wearers = list(_wearers(path, csv.reader(file, strict=True)))
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not text in UTF-8: save it as CSV UTF-8") from None
    if not wearers:
        raise ConfigurationError(f"{path} lists no wearer")
    return wearers


def _wearers(path: Path, lines: Any) -> Iterator[NewAccount]:
    first: dict[str, int] = {}
    try:
        columns: list[str] = next(lines, [])
        _check_columns(f"{path}, line 1", columns)
        for cells in filter(None, lines):
            where = f"{path}, line {lines.line_num}"
            if len(cells) != len(columns):
                raise ConfigurationError(f"{where} does not have {len(columns)} cells")
            row = dict.fromkeys(COLUMNS, "") | dict(zip(columns, cells, strict=True))
            name = row["name"]
            if fault := _fault(row, first.setdefault(name, lines.line_num), lines.line_num):
                raise ConfigurationError(f"{where}, column {fault}")
            yield NewAccount(name, row["password"] or None, row["study"], row["zone"])
    except csv.Error as error:
        raise ConfigurationError(
            f"{path} is not a CSV file: line {lines.line_num}: {error}"
        ) from None


def _check_columns(where: str, columns: list[str]) -> None:
    known = set(columns) & set(COLUMNS)
    if "name" not in known or len(known) < len(columns):
        raise ConfigurationError(
            f"{where} has to name the columns, with commas between them: name, and each of"
            f" {listed(COLUMNS[1:])} once at most"
        )


def _fault(row: dict[str, str], first: int, line: int) -> str:
    """Return the column of a cell that cannot be used, and why; empty if all can."""
    from eyelog.clock import as_zones  # which loads pandas

    for column, cell in row.items():
        if "\n" in cell or "\r" in cell:
            return f"{column}: a line break in a cell"
    if first != line:
        return f"name: the account stands in line {first} already"
    if not is_name(row["name"]):
        return f"name: no account can have this name: {NAME_RULE}"
    if row["study"] and not is_name(row["study"]):
        return f"study: no study can have this name: {NAME_RULE}"
    if row["password"] and (fault := password_fault(row["password"], account=row["name"])):
        return f"password: the password {fault}"
    try:
        as_zones(row["zone"] or "UTC", what="a list of wearers")
    except EyelogError:
        return "zone: no time zone such as Asia/Tokyo"
    return ""
