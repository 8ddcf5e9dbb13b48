"""Where the service's state is: in a file of SQLite on this machine, or in a Postgres database.

Either has the same tables, and the same statements work on both.
"""

import os
import re
import shlex
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from eyelog.errors import ConfigurationError
from eyelog.service.auth.state_file import StateFile
from eyelog.service.auth.transaction import Transaction

if TYPE_CHECKING:
    from eyelog.service.auth.state_database import StateDatabase

__all__ = ["State", "has_password", "is_database", "shown_database"]

# Parquet tools that open the folder skip names that begin with an underscore.
_FILE_NAME = "_service.sqlite"

_DATABASE = re.compile(
    r"(?P<scheme>postgres(?:ql)?://)"
    r"(?:(?P<user>[^:@/?#\s]*)(?P<password>:[^@/?#\s]*)?@)?"
    r"(?P<host>[^@/?#\s]*)/(?P<name>[^@/?#\s]*)(?P<more>\?[^@#\s]*)?"
)


def archive_at(path: str | os.PathLike[str]) -> Path | str:
    """Return the folder of an archive, or the URL of one in an object store."""
    text = os.fspath(path)
    return text if "://" in text else Path(text).expanduser()


def is_database(state: str | os.PathLike[str] | None) -> bool:
    """Return whether a state is the address of a database."""
    return state is not None and os.fspath(state).startswith(("postgresql://", "postgres://"))


def shown_database(address: str) -> str:
    """Return the address of a database without what may be secret in it."""
    match = _DATABASE.fullmatch(address)
    if match is None:  # a password with a special character: nobody knows where it ends
        return f"{address.partition('://')[0]}://..."
    user = f"{match['user']}@" if match["user"] else ""
    return f"{match['scheme']}{user}{match['host']}/{match['name']}"


def has_password(address: str) -> bool:
    """Return whether the address of a database has a password in it."""
    match = _DATABASE.fullmatch(address)
    return match is None or bool(match["password"]) or "password=" in (match["more"] or "")


class State:
    """Transactions on the state of a service.

    Parameters
    ----------
    archive_path : path or URL
        The archive.
    state : path or URL, optional
        The folder of ``_service.sqlite``, by default the archive's; or the address of a database,
        ``postgresql://USER@HOST/NAME``.
    local : path, optional
        With a database, the folder of this host for incoming files and for the audit log; by
        default the archive's.

    Attributes
    ----------
    archive : Path or str
        The archive's folder, or its URL in an object store.
    folder : Path
        The folder of the state; with a database, that of this host.
    beside : Path
        The archive's folder; `folder`, if the archive is in an object store.
    in_database : bool
        Whether several hosts can share the state.
    name : str
        The path of the file, or the address of the database without a password.

    Raises
    ------
    ConfigurationError
        If a folder is missing or cannot be one, or the database cannot be named like this.
    """

    def __init__(
        self,
        archive_path: str | os.PathLike[str],
        state: str | os.PathLike[str] | None = None,
        local: str | os.PathLike[str] | None = None,
    ) -> None:
        self.in_database = is_database(state)
        option, own = ("--local", local) if self.in_database else ("--state", state)
        if not self.in_database:
            if state is not None and "://" in (text := os.fspath(state)):
                shown = f"{text.partition('://')[0]}://..." if "@" in text else text
                raise ConfigurationError(
                    f"the service needs a local folder for its state, not {shown!r};"
                    " several hosts can share a database, postgresql://..."
                )
            if local is not None:
                raise ConfigurationError(
                    "--local is the folder of a host whose state is in a database: name that with"
                    " --state postgresql://..., or leave --local out"
                )
        self.archive: Path | str = archive_at(archive_path)
        if isinstance(self.archive, str):
            if own is None:
                url = urlsplit(self.archive)  # which may have credentials before the @
                shown = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
                what = "what comes in and its logs" if self.in_database else "the service's state"
                raise ConfigurationError(
                    f"the archive {shown} is not a folder of this machine: name one for {what}"
                    f" with {option}"
                )
            self.folder = self.beside = Path(own).expanduser()
        else:
            self.beside = self.archive
            self.folder = self.archive if own is None else Path(own).expanduser()
        if own is not None and self.folder.exists() and not self.folder.is_dir():
            raise ConfigurationError(f"{self.folder} is not a folder: {option} takes one")
        self.name = str(self.file)
        self._store: StateFile | StateDatabase = (
            self._open_database(str(state)) if self.in_database else self._open_file()
        )

    def _open_file(self) -> StateFile:
        beside = self.beside / _FILE_NAME
        if not self.file.exists() and beside.exists():
            folder = shlex.quote(str(self.folder))
            files = f"{shlex.quote(str(self.beside))}/_service.*"
            raise ConfigurationError(
                f"the service's state is {beside}, and {self.folder} has none: stop the service and"
                f" move the state (mkdir -p -m 700 {folder} && mv {files} {folder}/)"
            )
        return StateFile(self.file)

    def _open_database(self, address: str) -> "StateDatabase":
        self.name = shown_database(address)
        if not _DATABASE.fullmatch(address):
            raise ConfigurationError(
                f"the address of the state's database, {self.name}, cannot be read: write it as"
                " postgresql://USER@HOST:PORT/NAME, with %2F for / and %40 for @ in a password"
            )
        try:
            from eyelog.service.auth.state_database import StateDatabase
        except ImportError:
            raise ConfigurationError(
                "a state in Postgres needs the package 'psycopg': pip install 'eyelog[postgres]'"
            ) from None
        return StateDatabase(address, self.name, self.folder)

    @property
    def file(self) -> Path:
        """The path of ``_service.sqlite``, which a service with a database does not have."""
        return self.folder / _FILE_NAME

    @property
    def database(self) -> "StateDatabase":
        """The database of a state that is in one."""
        assert self.in_database  # noqa: S101 (callers ask before)
        return self._store  # type: ignore[return-value] # as just asserted

    def keep_open(self) -> None:
        """Keep connections for reading: opening one takes ten times as long as using it."""
        self._store.keep_open()

    def now(self) -> float:
        """Return the seconds of a clock that all who share the state have in common."""
        return self._store.now()

    def require(self) -> None:
        """Raise `ConfigurationError` if no service was set up."""
        self._store.require()

    def prepare(self) -> None:
        """Create the state with its tables and signing key, if it does not exist.

        A file is created with the mode 0600.

        Raises
        ------
        ConfigurationError
            If it cannot be created or used.
        """
        self._store.prepare()

    def rows(self, sql: str, *values: Any, **named: Any) -> list[Any]:
        """Return the rows of a query; none if there is no state yet."""
        return self._store.rows(sql, *values, **named)

    def write(self) -> AbstractContextManager[Transaction]:
        """Open one transaction, alone; an error in it leaves the state as it was.

        Raises
        ------
        StateBusy
            If others keep it locked.
        KeyTaken
            If a row that is added is there already.
        """
        return self._store.write()

    def note(self, sql: str, *values: Any) -> None:
        """Write rows that nothing depends on, unless the state is locked or cannot be written."""
        self._store.note(sql, *values)
