"""The accounts of the service: one per wearer, with a name and perhaps a password."""

import sqlite3
import time
from dataclasses import dataclass

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError
from eyelog.service.auth import ended
from eyelog.service.auth.ending import Ended, end
from eyelog.service.auth.password_rules import check_password_rules
from eyelog.service.auth.secrets import check_password, digest, hash_password
from eyelog.service.auth.state import State

__all__ = ["Account", "Accounts", "check_name", "shown"]


@dataclass(frozen=True, slots=True)
class Account:
    """The description of an account; `added` is None if an older release added it."""

    name: str
    has_password: bool
    disabled: bool
    added: float | None


class Accounts:
    """The accounts in the state of a service."""

    def __init__(self, state: State) -> None:
        self._state = state

    def add_account(self, name: str, password: str | None = None) -> None:
        """Add a wearer; without a password, only a code of `issue_code` logs the account in.

        Raises
        ------
        ConfigurationError
            If the name or the password cannot be used, or the account exists.
        """
        check_name(name, "an account's name")
        if name in self.accounts():
            raise _exists(name)
        stored = None if password is None else self._hashed(name, password)
        self._state.prepare()
        try:
            with self._state.write() as db:
                db.execute(
                    "INSERT INTO account (name, password, added) VALUES (?, ?, ?)",
                    (name, stored, time.time()),
                )
        except sqlite3.IntegrityError:
            raise _exists(name) from None  # another process was first

    def accounts(self) -> list[str]:
        """Return the names of the accounts, sorted."""
        return sorted(name for (name,) in self._state.rows("SELECT name FROM account"))

    def has_account(self, name: str) -> bool:
        """Return whether there is an account of this name."""
        return bool(self._state.rows("SELECT 1 FROM account WHERE name = ?", name))

    def account(self, name: str) -> Account:
        """Return the description of an account.

        Raises
        ------
        ConfigurationError
            If there is no such account.
        """
        found = self._accounts("WHERE name = ?", name)
        if not found:
            raise self._unknown(name)
        return found[0]

    def list_accounts(self) -> list[Account]:
        """Return the description of each account, sorted by name."""
        return sorted(self._accounts(""), key=lambda account: account.name)

    def set_password(self, name: str, password: str) -> None:
        """Give an account another password; it ends the account's sessions in browsers.

        Tokens stay valid: the wearer granted them, not the password.

        Raises
        ------
        ConfigurationError
            If the account is unknown or the password cannot be used.
        """
        self.account(name)
        stored = self._hashed(name, password)
        self._change(name, "password = ?, session = session + 1", stored)

    def check_password_rules(self, password: str, *, account: str = "") -> None:
        """Raise `ConfigurationError`, with one line, for a password that is too easy to guess."""
        check_password_rules(password, account=account)

    def disable(self, name: str) -> None:
        """Refuse every login and every token of an account, until `enable`."""
        self.account(name)
        ended.append(self._state.archive, "disabled", account=name)
        self._change(name, "disabled = 1, session = session + 1")

    def enable(self, name: str) -> None:
        """Allow logins again; tokens that were neither revoked nor have expired are valid again."""
        self.account(name)
        ended.append(self._state.archive, "enabled", account=name)
        self._change(name, "disabled = 0")

    def remove_account(self, name: str) -> list[Ended]:
        """Remove an account with its codes and tokens, and return what ended; records stay."""
        self.account(name)
        ended.append(self._state.archive, "account", account=name)
        with self._state.write() as db:
            revoked = end(db, account=name)
            for table in ("code", "token", "request_count"):
                db.execute(f"DELETE FROM {table} WHERE account = ?", (name,))  # noqa: S608 (names from here)
            gone = db.execute("DELETE FROM account WHERE name = ?", (name,)).rowcount
        if not gone:  # another process was first
            raise self._unknown(name)
        return revoked

    def check_login(self, name: str, password: str) -> bool:
        """Return whether the account exists, is not disabled, and has this password."""
        rows = self._state.rows(
            "SELECT password FROM account WHERE name = ? AND NOT disabled", name
        )
        return check_password(password, rows[0][0] if rows else None)

    def session_mark(self, name: str) -> str | None:
        """Return the mark that binds a wearer's session in a browser; None if none is possible.

        It changes with the password, and when the account is disabled or its tokens are revoked
        by the operator.
        """
        rows = self._state.rows(
            "SELECT password, session FROM account WHERE name = ? AND NOT disabled", name
        )
        if not rows or rows[0][0] is None:
            return None
        password, session = rows[0]
        return digest(f"session\n{name}\n{session}\n{password.hex()}").hex()

    def end_sessions(self, name: str) -> None:
        """End the sessions of an account in browsers."""
        self._change(name, "session = session + 1")

    def _hashed(self, name: str, password: str) -> bytes:
        check_password_rules(password, account=name)
        return hash_password(password)

    def _accounts(self, which: str, *values: str) -> list[Account]:
        rows = self._state.rows(
            f"SELECT name, password IS NOT NULL, disabled, added FROM account {which}",  # noqa: S608 (text from here)
            *values,
        )
        return [Account(name, bool(has), bool(off), added) for name, has, off, added in rows]

    def _change(self, name: str, assignment: str, *values: object) -> None:
        self.account(name)
        with self._state.write() as db:
            sql = f"UPDATE account SET {assignment} WHERE name = ?"  # noqa: S608 (text from here)
            if not db.execute(sql, (*values, name)).rowcount:
                raise self._unknown(name)

    def _unknown(self, name: str) -> ConfigurationError:
        return ConfigurationError(
            f"unknown account {shown(name)}{near(name, self.accounts())}: eyelog service"
            " list-accounts"
            " lists those there are, and add-account adds one"
        )


def _exists(name: str) -> ConfigurationError:
    return ConfigurationError(f"account {name!r} exists already")


def check_name(name: str, what: str) -> None:
    """Raise `ConfigurationError` for a name that could mislead readers of a list or a page."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        size = 0
    if not (name.isprintable() and name == name.strip() and 1 <= size <= 64):
        raise ConfigurationError(
            f"{shown(name)} cannot be {what}: use printable characters, at most 64 bytes as UTF-8,"
            " without a space at either end"
        )


def shown(name: str) -> str:
    """Return a name for a message: in quotes, on one line, and not too long."""
    return repr(name if len(name) <= 80 else name[:77] + "...")
