"""The state of one machine's service: a file of SQLite, readable only by its owner.

Its only secret in clear text is the key that signs cursors and forms.
"""

import sqlite3
import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from eyelog.disk.sqlite import BUSY, code_of, connect, prepare, transaction
from eyelog.errors import ConfigurationError
from eyelog.service.auth.schema import bring_up_to_date, fill
from eyelog.service.auth.transaction import KeyTaken, StateBusy, StateFault, Transaction

__all__ = ["StateFile"]

_MOST_KEPT = 8
_Kept = tuple[tuple[int, int], sqlite3.Connection]


class StateFile:
    """Transactions on ``_service.sqlite``; its functions are those of `State`.

    Parameters
    ----------
    file : Path
        Where it is, or will be.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._current = False  # whether the file has the schema of this release
        self._kept: deque[_Kept] | None = None

    def keep_open(self) -> None:
        """Keep connections for reading."""
        self._kept = deque()
        weakref.finalize(self, _close, self._kept)

    def now(self) -> float:
        """Return the time of the machine's monotonic clock, which is never set back."""
        return time.monotonic()

    def require(self) -> None:
        """Raise `ConfigurationError` if there is no file."""
        if not self._file.exists():
            raise ConfigurationError(
                f"there is no service state {self._file}: name its folder with --state, or the"
                " archive with --archive; eyelog service add-account creates one"
            )

    def prepare(self) -> None:
        """Create the file, private, unless it exists."""
        try:
            prepare(self._file, fill)
        except OSError as error:
            raise ConfigurationError(
                f"cannot store the service's state in {self._file}: {error.strerror}"
            ) from None
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def rows(self, sql: str, *values: Any, **named: Any) -> list[Any]:
        """Return the rows of a query; none if there is no file."""
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
                identity_then, db = kept.pop()
            except IndexError:
                identity_then, db = identity, connect(self._file, write=True, any_thread=True)
            if identity_then != identity:  # another file has taken its place
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
    def write(self) -> Iterator[Transaction]:
        """Open one transaction."""
        with self._open() as db, transaction(db):
            yield db

    def note(self, sql: str, *values: Any) -> None:
        """Write rows, unless the file is locked or cannot be written."""
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
            raise KeyTaken from None
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
