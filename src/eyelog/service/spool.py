"""Private folders for incoming files, on the archive's disk, until they are imported or refused.

If the archive is in an object store, they are in the folder of the service's state; where several
hosts share that, in a folder of each host.

::

    ARCHIVE/.uploads/account=ada/0f3a.../      one upload; its process holds a lock on it
    ARCHIVE/.uploads/account=ada/9b1c....part  what has come of a file in parts, for a week

A folder whose process is dead has no lock: the next service that starts removes it. Because it has
the name of an account's folder, an erasure removes it too.
"""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from eyelog.archive.account_folders import check_account
from eyelog.disk.files import make_folders

try:
    import fcntl
except ImportError:  # on Windows, where one process serves
    fcntl = None  # type: ignore[assignment]

__all__ = ["PART", "UPLOADS", "Spool"]

UPLOADS: Final = ".uploads"  # hidden: Parquet tools skip it
PART: Final = ".part"
_LOCK: Final = ".lock"
_IMPORT: Final = ".import"
_KEPT_S: Final = 7 * 86400.0  # how long a part of a file waits for the rest


class Spool:
    """The folders of uploads under way, of all processes that serve an archive.

    Parameters
    ----------
    beside : Path
        The archive's folder, or that of the state.
    """

    def __init__(self, beside: Path) -> None:
        self._root = beside / UPLOADS

    def of(self, account: str) -> Path:
        """Return the folder of an account, which need not exist."""
        return self._root / f"account={check_account(account)}"

    @contextmanager
    def folder(self, account: str) -> Iterator[tuple[Path, int]]:
        """Give a new private folder and the handle of its lock; it is removed in the end."""
        path = self.of(account) / secrets.token_hex(8)
        with self._whole(shared=True):  # nobody cleans up before it is locked
            make_folders(path)
            handle = os.open(path / _LOCK, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            _lock(handle, wait=True)
        try:
            yield path, handle
        finally:
            shutil.rmtree(path, ignore_errors=True)
            os.close(handle)
            # The folder around it has the name of an account, which may be erased by now.
            with suppress(OSError), self._whole(shared=False):
                path.parent.rmdir()

    @contextmanager
    def part(self, account: str, name: str, *, make: bool = False) -> Iterator[Path | None]:
        """Give the part of a file that an account has sent, locked; None if there is none.

        Raises
        ------
        BlockingIOError
            If another request is writing to it.
        """
        path = self.of(account) / f"{name}{PART}"
        with self._whole(shared=True):
            if make:
                make_folders(path.parent)
            try:
                handle = os.open(path, os.O_RDWR | (os.O_CREAT if make else 0), 0o600)
            except FileNotFoundError:
                handle = -1
        if handle < 0:
            yield None
            return
        try:
            if not _lock(handle, wait=False):
                raise BlockingIOError(f"{path} is being written")
            # The previous holder of the lock may just have imported and removed it.
            yield path if path.exists() else None
        finally:
            os.close(handle)

    @contextmanager
    def alone(self) -> Iterator[int]:
        """Let one process of this machine import at a time: an object store has no locks.

        Gives the handle of the lock.
        """
        make_folders(self._root)
        handle = os.open(self._root / _IMPORT, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            _lock(handle, wait=True)
            yield handle
        finally:
            os.close(handle)

    def clean_up(self) -> list[str]:
        """Remove the folders of dead processes; return the accounts that they belonged to."""
        accounts: set[str] = set()
        if not self._root.is_dir():
            return []
        with self._whole(shared=False):
            for path in sorted(self._root.glob("account=*/*/")):
                if self._is_dead(path):
                    shutil.rmtree(path, ignore_errors=True)
                    accounts.add(unquote(path.parent.name.removeprefix("account=")))
            for path in self._root.glob(f"account=*/*{PART}"):
                with suppress(OSError):
                    if time.time() - path.stat().st_mtime > _KEPT_S:
                        path.unlink()
            for path in self._root.glob("account=*/"):
                with suppress(OSError):  # it is not empty
                    path.rmdir()
        return sorted(accounts)

    def bytes_of(self, account: str) -> int:
        """Return how much of an account has arrived and is not imported yet."""
        total = 0
        for parent, _, names in os.walk(self.of(account)):
            for name in names:
                with suppress(OSError):
                    total += (Path(parent) / name).stat().st_size
        return total

    def _is_dead(self, path: Path) -> bool:
        try:
            handle = os.open(path / _LOCK, os.O_RDWR)
        except OSError:
            return True
        try:
            return _lock(handle, wait=False)
        finally:
            os.close(handle)

    @contextmanager
    def _whole(self, *, shared: bool) -> Iterator[None]:
        """Keep others from cleaning up (shared), or from beginning an upload."""
        make_folders(self._root)
        handle = os.open(self._root / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            _lock(handle, wait=True, shared=shared)
            yield
        finally:
            os.close(handle)


def _lock(handle: int, *, wait: bool, shared: bool = False) -> bool:
    """Lock an open file; return False if another process has it."""
    if fcntl is None:
        return True
    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(handle, how)
    except BlockingIOError:
        return False
    return True
