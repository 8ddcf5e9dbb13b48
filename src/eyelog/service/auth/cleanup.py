"""Outdated rows of the state are deleted, a few at a time and while requests are served.

A pass over a large table would hold the write lock for seconds, and every login and refresh would
wait for it. So a pass reads without that lock and deletes in short transactions, with a pause after
each that gives others their turn.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from eyelog.errors import ConfigurationError
from eyelog.service.auth.ending import LAST_USE, UNUSED_SECONDS
from eyelog.service.auth.state import State

__all__ = ["CleanUp", "outdated"]

_PERIOD_SECONDS: Final = 3600.0
_KEPT_SECONDS: Final = 30 * 24 * 3600.0
"""How long codes and access tokens stay after they expired, so that a second use is noticed."""
_ROWS: Final = 500
_PAUSE_SECONDS: Final = 0.02

# Each condition takes the two stamps `:month` and `:year`.
_CONDITIONS: Final = {
    "code": "(expires < :month)",
    "invitation": "(expires < :month)",
    "token": f"(expires < :month OR (expires IS NULL AND {LAST_USE} < :year))",
}


class CleanUp:
    """Deletes outdated rows of the state, once per hour at most for all processes together."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._next = 0.0

    def start_if_due(self) -> threading.Thread | None:
        """Begin a pass in a separate thread, unless one ran within the last hour."""
        now = time.monotonic()
        if now < self._next:
            return None
        self._next = now + _PERIOD_SECONDS
        thread = threading.Thread(target=self._run_if_due, name="eyelog-clean-up", daemon=True)
        thread.start()
        return thread

    def _run_if_due(self) -> None:
        with suppress(ConfigurationError):  # locked or gone: it is tried again in an hour
            if self._claim():
                self.run()

    def _claim(self) -> bool:
        """Return whether no process made a pass within the last hour; if so, this one does."""
        now = time.time()
        with self._state.write() as db:
            row = db.execute("SELECT value FROM meta WHERE name = 'cleaned'").fetchone()
            if row and now - _PERIOD_SECONDS < float(row[0]) <= now:
                return False
            db.execute(
                "INSERT INTO meta VALUES ('cleaned', ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (str(now),),
            )
        return True

    def run(self) -> int:
        """Delete all outdated rows now, and return their number."""
        deleted = 0
        for table, condition in _CONDITIONS.items():
            for first, last in self._batches(table):
                # Check the condition again: a row used since it was read is not outdated.
                sql = f"DELETE FROM {table} WHERE hash BETWEEN :first AND :last AND {condition}"  # noqa: S608 (text from here)
                with self._state.write() as db:
                    values = _stamps() | {"first": first, "last": last}
                    deleted += db.execute(sql, values).rowcount
                time.sleep(_PAUSE_SECONDS)
        return deleted

    def _batches(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield the first and last hash of at most `_ROWS` outdated rows each."""
        sql = (
            f"SELECT hash FROM {table} WHERE hash > :after AND {_CONDITIONS[table]}"  # noqa: S608 (text from here)
            f" ORDER BY hash LIMIT {_ROWS}"
        )
        after = b""
        while rows := self._state.rows(sql, **_stamps(), after=after):
            after = rows[-1][0]
            yield rows[0][0], after


def outdated(state: State) -> int:
    """Return the number of rows that the next pass deletes."""
    counts = [
        state.rows(f"SELECT count(*) FROM {table} WHERE {condition}", **_stamps())  # noqa: S608 (text from here)
        for table, condition in _CONDITIONS.items()
    ]
    return sum(rows[0][0] for rows in counts if rows)


def _stamps() -> dict[str, float]:
    now = time.time()
    return {"month": now - _KEPT_SECONDS, "year": now - UNUSED_SECONDS}
