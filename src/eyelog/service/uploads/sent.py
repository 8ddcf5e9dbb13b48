"""What accounts have sent: the content hashes of their uploads, in the service's state.

A hash says that the same content was sent and imported before. What is new is never decided by it:
an upload is always compared with the archive itself, which may have lost a month since.
"""

import time
from collections.abc import Iterable
from typing import NamedTuple

from eyelog.service.auth.state import State

__all__ = ["Sent", "Uploaded"]


class Uploaded(NamedTuple):
    """One file that was imported: when, and how many records it brought."""

    at: float
    new: int


class Sent:
    """The files that were imported for each account.

    Parameters
    ----------
    state : State
        The file of the service's state.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def find(self, account: str, sha256: bytes) -> Uploaded | None:
        """Return when an account has sent a content for the first time; None if it has not."""
        rows = self._state.rows(
            "SELECT at, new FROM upload WHERE account = ? AND sha256 = ?", account, sha256
        )
        return Uploaded(*rows[0]) if rows else None

    def note(self, account: str, files: Iterable[tuple[bytes, int]], *, new: int) -> None:
        """Note that files (SHA-256, size) were imported; those noted before keep their date."""
        now = time.time()
        with self._state.write() as db:
            db.executemany(
                "INSERT OR IGNORE INTO upload VALUES (?, ?, ?, ?, ?)",
                [(account, sha256, size, now, new) for sha256, size in files],
            )
