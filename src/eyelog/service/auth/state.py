"""The file of the service's state: SQLite, in the archive's folder, readable only by its owner.

Its only secret in clear text is the key that signs cursors and forms.
"""

import os
import shlex
import sqlite3
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from eyelog.disk.sqlite import BUSY, code_of, connect, prepare, transaction
from eyelog.errors import ConfigurationError
from eyelog.service.auth.schema import bring_up_to_date, fill

__all__ = ["State", "StateBusy", "StateFault"]

# Parquet tools that open the folder skip names that begin with an underscore.
_FILE_NAME = "_service.sqlite"

_MOST_KEPT = 8
_Kept = tuple[tuple[int, int], sqlite3.Connection]


class StateBusy(ConfigurationError):
    """Another process holds the lock on the state file for longer than a request can wait."""


class StateFault(ConfigurationError):
    """The state file cannot be used until the operator has mended a fault, such as a full disk."""


def archive_at(path: str | os.PathLike[str]) -> Path | str:
    """Return the folder of an archive, or the URL of one in an object store."""
    text = os.fspath(path)
    return text if "://" in text else Path(text).expanduser()


class State:
    """Transactions on ``_service.sqlite``, in the folder `state` or else in the archive.

    Attributes
    ----------
    archive : Path or str
        The archive's folder, or its URL in an object store.
    folder : Path
        The folder of the state.
    beside : Path
        The archive's folder; that of the state, if the archive is in an object store.
    """

    def __init__(
        self,
        archive_path: str | os.PathLike[str],
        state: str | os.PathLike[str] | None = None,
    ) -> None:
        if state is not None and "://" in os.fspath(state):
            raise ConfigurationError(
                f"the service needs a local folder for its state, not {os.fspath(state)!r}"
            )
        self.archive: Path | str = archive_at(archive_path)
        if isinstance(self.archive, str):
            if state is None:
                url = urlsplit(self.archive)  # which may have credentials before the @
                shown = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
                raise ConfigurationError(
                    f"the archive {shown} is not a folder of this machine: name one for the"
                    " service's state with --state"
                )
            self.folder = self.beside = Path(state).expanduser()
        else:
            self.beside = self.archive
            self.folder = self.archive if state is None else Path(state).expanduser()
        if state is not None and self.folder.exists() and not self.folder.is_dir():
            raise ConfigurationError(f"{self.folder} is not a folder: --state takes one")
        self._file = self.folder / _FILE_NAME
        beside = self.beside / _FILE_NAME
        if not self._file.exists() and beside.exists():
            there = shlex.quote(str(self.folder))
            files = f"{shlex.quote(str(self.beside))}/_service.*"
            raise ConfigurationError(
                f"the service's state is {beside}, and {self.folder} has none: stop the service and"
                f" move the state (mkdir -p -m 700 {there} && mv {files} {there}/)"
            )
        self._current = False  # whether the file has the schema of this release
        self._kept: deque[_Kept] | None = None

    def keep_open(self) -> None:
        """Keep connections for reading: opening one takes ten times as long as using it."""
        self._kept = deque()
        weakref.finalize(self, _close, self._kept)

    @property
    def file(self) -> Path:
        """The path of ``_service.sqlite``."""
        return self._file

    def require(self) -> None:
        """Raise `ConfigurationError` if the file does not exist."""
        if not self._file.exists():
            raise ConfigurationError(
                f"there is no service state {self._file}: name its folder with --state, or the"
                " archive with --archive; eyelog service add-account creates one"
            )

    def prepare(self) -> None:
        """Create the file (0600) with its schema and signing key, if it does not exist.

        Raises
        ------
        ConfigurationError
            If the file cannot be created or used.
        """
        try:
            prepare(self._file, fill)
        except OSError as error:
            raise ConfigurationError(
                f"cannot store the service's state in {self._file}: {error.strerror}"
            ) from None
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def rows(self, sql: str, *values: Any, **named: Any) -> list[Any]:
        """Return the rows of a query; none if the file does not exist."""
        try:
            status = self._file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise self._unusable(error) from None
        with self._reading((status.st_dev, status.st_ino)) as db:
            try:
                return db.execute(sql, named or values).fetchall()
            except UnicodeEncodeError:  # a text that cannot be in the file
                return []

    @contextmanager
    def _reading(self, identity: tuple[int, int]) -> Iterator[sqlite3.Connection]:
        """Use a kept connection, if it is still one to the file that has this identity."""
        kept = self._kept
        if kept is None or not self._current:
            with self._open() as db:
                yield db
            return
        with self._faults():
            try:
                known, db = kept.pop()
            except IndexError:
                known, db = identity, connect(self._file, write=True, any_thread=True)
            if known != identity:  # another file has taken its place
                db.close()
                db = connect(self._file, write=True, any_thread=True)
            try:
                yield db
            except BaseException:
                db.close()
                raise
            if len(kept) < _MOST_KEPT:
                kept.append((identity, db))
            else:
                db.close()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Open one transaction; an error in it leaves the file as it was."""
        with self._open() as db, transaction(db):
            yield db

    def note(self, sql: str, *values: Any) -> None:
        """Write rows that nothing depends on, unless the file is locked or the disk is full."""
        with suppress(ConfigurationError), self._open(wait=False) as db:
            db.execute(sql, values)

    @contextmanager
    def _open(self, *, wait: bool = True) -> Iterator[sqlite3.Connection]:
        with self._faults(), closing(connect(self._file, write=True)) as db:
            if not wait:
                db.execute("PRAGMA busy_timeout = 0")
            if not self._current:
                bring_up_to_date(db, self._file)
                self._current = True
            yield db

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn the errors of SQLite into those of eyelog."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            if code_of(error) in BUSY:
                raise StateBusy(
                    f"the service's state in {self._file} is locked by another program: try again"
                ) from None
            raise self._unusable(error) from None

    def _unusable(self, error: sqlite3.Error | OSError) -> StateFault:
        if isinstance(error, sqlite3.Error) and code_of(error) == sqlite3.SQLITE_FULL:
            return StateFault(
                f"the service's state in {self._file} cannot be written, because the disk is full:"
                " free some space"
            )
        return StateFault(f"the service's state in {self._file} cannot be used: {error}")


def _close(kept: deque[_Kept]) -> None:
    while kept:
        kept.pop()[1].close()
