"""The applications that may ask wearers for access: id, name, redirect URI and hashed secret."""

import time
from dataclasses import dataclass
from hmac import compare_digest

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError
from eyelog.service.auth import ended
from eyelog.service.auth.accounts import check_name, shown
from eyelog.service.auth.ending import Ended, end, time_of_end
from eyelog.service.auth.redirects import check_redirect_uri
from eyelog.service.auth.secrets import digest, new_token
from eyelog.service.auth.state import State

__all__ = ["ApplicationDetails", "Applications"]


@dataclass(frozen=True, slots=True)
class ApplicationDetails:
    """The description of an application, without its secret.

    `name` is empty, and `added` None, if it was registered without them.
    """

    client_id: str
    name: str
    redirect_uri: str
    added: float | None

    @property
    def label(self) -> str:
        """The name to show people: that of the application, otherwise its id."""
        return self.name or self.client_id


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
        check_redirect_uri(redirect_uri)
        if name:
            check_name(name, "an application's name")
        client_id, secret = new_token()[:22], new_token()
        self._state.prepare()
        with self._state.write() as db:
            db.execute(
                "INSERT INTO application (client_id, secret, redirect_uri, name, added)"
                " VALUES (?, ?, ?, ?, ?)",
                (client_id, digest(secret), redirect_uri, name, time.time()),
            )
        return client_id, secret

    def get(self, client_id: str) -> ApplicationDetails | None:
        """Return the description of an application; None if no application has the id."""
        applications = self._applications("WHERE client_id = ?", client_id)
        return applications[0] if applications else None

    def all(self) -> list[ApplicationDetails]:
        """Return the description of each application, sorted by name and id."""
        return sorted(self._applications(""), key=lambda one: (one.name, one.client_id))

    def find(self, client_id_or_name: str) -> ApplicationDetails:
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

    def redirect_uri(self, client_id: str) -> str | None:
        """Return the address registered for an application, or None without such an application."""
        application = self.get(client_id)
        return None if application is None else application.redirect_uri

    def check_secret(self, client_id: str, secret: str) -> bool:
        """Return whether `secret` is the secret of the application."""
        rows = self._state.rows("SELECT secret FROM application WHERE client_id = ?", client_id)
        stored: bytes = rows[0][0] if rows else bytes(32)
        return compare_digest(stored, digest(secret)) and bool(rows)

    def rotate_secret(self, client_id: str) -> str:
        """Give an application a new secret and return it; the old one ends at once.

        Tokens stay valid, but to refresh them the application needs the new secret.

        Raises
        ------
        ConfigurationError
            If there is no such application.
        """
        application = self.find(client_id)
        secret = new_token()
        with self._state.write() as db:
            sql = "UPDATE application SET secret = ? WHERE client_id = ?"
            changed = db.execute(sql, (digest(secret), application.client_id)).rowcount
        if not changed:  # another process removed it
            self.find(client_id)
        return secret

    def remove(self, client_id: str) -> list[Ended]:
        """Remove an application with its codes and tokens, and return what ended.

        Raises
        ------
        ConfigurationError
            If there is no such application.
        """
        application = self.find(client_id)
        ended.append(
            self._state.archive,
            "application",
            at=time_of_end(self._state),
            application=application.client_id,
        )
        with self._state.write() as db:
            revoked = end(db, client_id=application.client_id)
            for table in ("code", "token", "application"):
                sql = f"DELETE FROM {table} WHERE client_id = ?"  # noqa: S608 (names from here)
                gone = db.execute(sql, (application.client_id,)).rowcount
        if not gone:  # another process was first
            self.find(client_id)
        return revoked

    def _applications(self, which: str, *values: str) -> list[ApplicationDetails]:
        rows = self._state.rows(
            f"SELECT client_id, name, redirect_uri, added FROM application {which}",  # noqa: S608 (text from here)
            *values,
        )
        return [ApplicationDetails(*row) for row in rows]
