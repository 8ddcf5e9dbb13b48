"""The applications that may ask wearers for access: id, name, redirect URI and hashed secret."""

import time
from dataclasses import dataclass
from hmac import compare_digest
from urllib.parse import SplitResult, urlsplit

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError
from eyelog_service.auth import ended
from eyelog_service.auth.accounts import check_name, shown
from eyelog_service.auth.ending import Ended, end, time_of_end
from eyelog_service.auth.secrets import digest, new_token
from eyelog_service.auth.state import State
from eyelog_service.auth.tables import add, run


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
            add(
                db,
                "application",
                client_id=client_id,
                secret=digest(secret),
                redirect_uri=redirect_uri,
                name=name,
                added=time.time(),
            )
        return client_id, secret

    def get(self, client_id: str) -> ApplicationDetails | None:
        """Return the description of an application; None if no application has the id."""
        applications = self._applications("WHERE client_id = :client_id", client_id=client_id)
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

    def check_secret(self, client_id: str, secret: str) -> bool:
        """Return whether `secret` is the secret of the application."""
        sql = "SELECT secret FROM application WHERE client_id = :client_id"
        rows = self._state.rows(sql, client_id=client_id)
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
        client_id = self.find(client_id).client_id
        secret = new_token()
        with self._state.write() as db:
            sql = "UPDATE application SET secret = :secret WHERE client_id = :client_id"
            changed = run(db, sql, secret=digest(secret), client_id=client_id).rowcount
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
        client_id = self.find(client_id).client_id
        at = time_of_end(self._state)
        ended.append(self._state.archive, "application", at=at, application=client_id)
        with self._state.write() as db:
            revoked = end(db, client_id=client_id)
            for table in ("code", "token", "application"):
                sql = f"DELETE FROM {table} WHERE client_id = :client_id"  # noqa: S608 (names from here)
                gone = run(db, sql, client_id=client_id).rowcount
        if not gone:  # another process was first
            self.find(client_id)
        return revoked

    def _applications(self, which: str, **values: str) -> list[ApplicationDetails]:
        rows = self._state.rows(
            f"SELECT client_id, name, redirect_uri, added FROM application {which}",  # noqa: S608 (text from here)
            **values,
        )
        return [ApplicationDetails(*row) for row in rows]


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


def check_redirect_uri(uri: str) -> str:
    """Return `uri` if an application may register it, otherwise raise `ConfigurationError`."""
    if _split(uri) is None:
        raise ConfigurationError(
            f"{uri!r} cannot be a redirect URI: use an absolute address without a fragment, such"
            " as http://127.0.0.1/callback (any port) or https://example.org/callback"
        )
    return uri


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
