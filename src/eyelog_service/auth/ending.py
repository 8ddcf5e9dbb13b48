"""The end of tokens: by the wearer, by the operator, with an account or application, in time.

Whether something began before an end or after it must not depend on a clock that is set back. So
the state remembers the time of the last end: what begins later has a later time, and an end has a
later time than all that it may end.

Outdated rows are deleted a few at a time and while requests are served. A pass over a large table
would hold the write lock for seconds, and every login and refresh would wait for it. So a pass
reads without that lock and deletes in short transactions, with a pause after each that gives others
their turn.
"""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from eyelog.errors import ConfigurationError
from eyelog_service.auth.state import State
from eyelog_service.auth.tables import run, set_meta

UNUSED_SECONDS = 365 * 24 * 3600
"""An upload token that was not used for this long ends. A refresh token does not expire."""

_STEP_S = 0.001

LAST_USE = "coalesce(token.used, token.issued)"
VALID = (
    "(token.revoked = 0 AND (token.kind = 'refresh'"
    f" OR coalesce(token.expires > :now, {LAST_USE} >= :unused)))"
)
"""The condition that a token can be used; it needs the values of `valid_at`."""


@dataclass(frozen=True, slots=True, order=True)
class Ended:
    """How many tokens of one account and one application were revoked.

    Upload tokens are of no application (`client_id` is empty), and count as `access`.
    """

    account: str
    client_id: str
    name: str
    refresh: int
    access: int


def valid_at(now: float) -> dict[str, float]:
    """Return the values that `VALID` needs."""
    return {"now": now, "unused": now - UNUSED_SECONDS}


def after_ends(db: Connection) -> float:
    """Return the time of what begins now; it is later than that of any end."""
    row = run(db, "SELECT value FROM meta WHERE name = 'ended'").first()
    return time.time() if row is None else max(time.time(), float(row[0]) + _STEP_S)


def time_of_end(state: State) -> float:
    """Return the time of an end that is to be noted; it is that of the last or later."""
    if not state.rows("SELECT 1 FROM meta"):
        return time.time()
    with state.write() as db:
        begun: list[float | None] = [
            run(db, f"SELECT max({column}) FROM {table}").scalar()  # noqa: S608 (names from here)
            for table, column in (("token", "issued"), ("account", "added"))
        ]
        at: float = max([after_ends(db), *(instant for instant in begun if instant is not None)])
        remember_end(db, at)
    return at


def remember_end(db: Connection, at: float) -> None:
    """Keep the time of the last end, so that what begins from now on has a later one."""
    set_meta(db, "ended", repr(at).encode())


def end(db: Connection, *, account: str | None = None, client_id: str | None = None) -> list[Ended]:
    """Revoke the tokens of an account, of an application, of both together, or (without) all.

    Codes that were not exchanged yet expire, so that they bring no new tokens.
    """
    values: dict[str, Any] = {"account": account, "client_id": client_id}
    values = {name: value for name, value in values.items() if value is not None}
    which = " AND ".join(f"{name} = :{name}" for name in values) or "TRUE"
    counted = run(
        db,
        "SELECT account, client_id, coalesce((SELECT name FROM application"  # noqa: S608 (no text from outside)
        " WHERE application.client_id = token.client_id), ''),"
        " count(*) FILTER (WHERE kind = 'refresh'), count(*) FILTER (WHERE kind <> 'refresh')"
        f" FROM token WHERE {which} AND {VALID} GROUP BY account, client_id",
        **values,
        **valid_at(time.time()),
    ).all()
    run(db, f"UPDATE token SET revoked = 1 WHERE {which} AND revoked = 0", **values)  # noqa: S608 (as above)
    run(db, f"UPDATE code SET expires = 0 WHERE {which} AND used = 0", **values)  # noqa: S608 (as above)
    return sorted(Ended(*row) for row in counted)


_PERIOD_SECONDS: Final = 3600.0
_KEPT_SECONDS: Final = 30 * 24 * 3600.0
"""How long codes and access tokens stay after they expired, so that a second use is noticed."""
_ROWS: Final = 500
_PAUSE_SECONDS: Final = 0.02

# Each condition takes the two stamps `:month` and `:year`.
_CONDITIONS: Final = {
    "code": "(expires < :month)",
    "invitation": "(expires < :month)",
    "token": f"(expires < :month OR (kind = 'upload' AND {LAST_USE} < :year))",
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
            row = run(db, "SELECT value FROM meta WHERE name = 'cleaned'").first()
            if row and now - _PERIOD_SECONDS < float(row[0]) <= now:
                return False
            set_meta(db, "cleaned", str(now).encode())
        return True

    def run(self) -> int:
        """Delete all outdated rows now, and return their number."""
        deleted = 0
        for table, condition in _CONDITIONS.items():
            outdated = f"FROM {table} WHERE {condition}"
            read = f"SELECT hash {outdated} AND hash > :after ORDER BY hash LIMIT {_ROWS}"
            # The condition holds again: a row used since it was read is not outdated.
            delete = f"DELETE {outdated} AND hash BETWEEN :first AND :last"
            last = b""
            while rows := self._state.rows(read, after=last, **_stamps()):
                first, last = rows[0][0], rows[-1][0]
                with self._state.write() as db:
                    deleted += run(db, delete, first=first, last=last, **_stamps()).rowcount
                time.sleep(_PAUSE_SECONDS)
        return deleted


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
