"""What accounts have sent: the content hashes of their uploads, in the service's state.

A hash says that the same content was sent and imported before. What is new is never decided by it:
an upload is always compared with the archive itself, which may have lost a month since.
"""

import time
from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

from eyelog.service.auth.state import State

__all__ = ["Arrival", "Sent", "Uploaded"]


class Uploaded(NamedTuple):
    """One file that was imported: when, and how many records it brought."""

    at: float
    new: int


class Arrival(NamedTuple):
    """What one account sent at one time: files, their bytes, and the new records of all."""

    at: float
    account: str
    files: int
    bytes: int
    new: int


class Sent:
    """The files that were imported for each account, as the service's state has them."""

    def __init__(self, state: State) -> None:
        self._state = state

    def find(self, account: str, sha256: bytes) -> Uploaded | None:
        """Return when an account sent a content for the first time; None if it has not."""
        rows = self._state.rows(
            "SELECT at, new FROM upload WHERE account = ? AND sha256 = ?", account, sha256
        )
        return Uploaded(*rows[0]) if rows else None

    def latest(self, accounts: Collection[str], most: int) -> list[Arrival]:
        """Return what some accounts sent last, the latest first; a repeated content only once."""
        rows = self._state.rows(
            "SELECT at, account, count(*), sum(size), max(new) FROM upload"
            " GROUP BY account, at ORDER BY at DESC"
        )
        return list(islice((Arrival(*row) for row in rows if row[1] in accounts), most))

    def note(self, account: str, files: Iterable[tuple[bytes, int]], *, new: int) -> None:
        """Note that files (SHA-256, size) were imported; those noted before keep their date.

        Nothing is noted for an account that was erased meanwhile.
        """
        now = time.time()
        with self._state.write() as db:
            if db.execute("SELECT 1 FROM account WHERE name = ?", (account,)).fetchone() is None:
                return
            db.executemany(
                "INSERT INTO upload VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [(account, sha256, size, now, new) for sha256, size in files],
            )
