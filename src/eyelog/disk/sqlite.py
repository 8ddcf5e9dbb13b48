"""A SQLite file that several processes share: private, opened briefly, created and removed safely.

Only SQLite may open a file that is in use: to close it would release the locks that other threads
of this process have on it (POSIX locks belong to the process, not to the handle).
"""

import contextlib
import errno
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from eyelog.disk.files import make_folders, temporary_name

__all__ = [
    "ASIDE",
    "BUSY",
    "DAMAGED",
    "WAIT_SECONDS",
    "code_of",
    "connect",
    "prepare",
    "remove",
    "set_aside",
    "size",
    "transaction",
]

ASIDE: Final = ".damaged"
WAIT_SECONDS: Final = 5.0
BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def connect(path: Path, *, write: bool = False, any_thread: bool = False) -> sqlite3.Connection:
    """Open an existing file; a lock of another process is waited for, but not for ever.

    With `any_thread`, threads may use the connection in turn.
    """
    # A reader may have to roll back what a killed writer left, so it may write if possible.
    mode = "rw" if write or os.access(path, os.W_OK) else "ro"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(
        address,
        uri=True,
        timeout=WAIT_SECONDS,
        isolation_level=None,
        check_same_thread=not any_thread,
    )


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit the whole block, or nothing of it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # A failed COMMIT (a full disk) may have rolled back by itself.
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def code_of(error: Exception) -> int | None:
    """Return SQLite's primary result code of an error; None if it has none."""
    if isinstance(error, UnicodeDecodeError):  # only a damaged file causes it
        return sqlite3.SQLITE_CORRUPT
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def prepare(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Make sure that the file exists, filled, for its owner alone; its journal is like it.

    Raises
    ------
    OSError, sqlite3.Error
        If it cannot be created, or is a symbolic link.
    """
    if not path.exists() and not path.is_symlink():
        _create(path, fill)
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a symbolic link")
    if os.name == "posix" and status.st_mode & 0o077:
        path.chmod(0o600)


def _create(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Create the whole file under another name, and move it into place."""
    make_folders(path.parent)
    fresh = temporary_name(path)
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(connect(fresh, write=True)) as db, transaction(db):
            fill(db)
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass  # another process, or thread, was first
        except OSError:  # no links on this file system
            fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def set_aside(path: Path) -> bool:
    """Move a damaged file out of the way, so that a new one can begin."""
    try:
        # An old journal would be played back into the next file.
        _journal(path).unlink(missing_ok=True)
        path.replace(_aside(path))
    except OSError:
        return False
    return True


def size(path: Path) -> int:
    """Return the bytes of the file and of the files that belong to it."""
    return sum(file.lstat().st_size for file in _all(path) if file.exists())


def remove(path: Path) -> int:
    """Delete the file and the files that belong to it; return the bytes freed.

    Raises
    ------
    OSError
        If one cannot be deleted.
    """
    freed = size(path)
    if path.exists():
        # No transaction may be under way: its journal would meet the next file.
        with contextlib.suppress(sqlite3.Error), closing(connect(path, write=True)) as db:
            db.execute("BEGIN EXCLUSIVE")
            if os.name == "posix":  # elsewhere an open file cannot be deleted
                _unlink(path)
    _unlink(path)
    return freed


def _unlink(path: Path) -> None:
    for file in _all(path):
        file.unlink(missing_ok=True)


def _all(path: Path) -> list[Path]:
    unfinished = path.parent.glob(f".{path.name}.*")
    return [path, _journal(path), _aside(path), *unfinished]


def _journal(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def _aside(path: Path) -> Path:
    return path.with_name(path.name + ASIDE)
