"""The end of tokens: by the wearer, by the operator, with an account or application, or unused.

Whether something began before an end or after it must not depend on a clock that is set back. So
the state remembers the time of the last end: what begins later has a later time, and an end has a
later time than all that it may end.
"""

import time
from dataclasses import dataclass
from typing import Any

from eyelog.service.auth.state import State
from eyelog.service.auth.transaction import Transaction

__all__ = [
    "LAST_USE",
    "UNUSED_SECONDS",
    "VALID",
    "Ended",
    "after_ends",
    "end",
    "remember_end",
    "time_of_end",
    "valid_at",
]

UNUSED_SECONDS = 365 * 24 * 3600
"""A refresh token that was not used for this long ends."""

_STEP_S = 0.001

# Tokens issued by an older release have no date: they count as used when dates were introduced.
LAST_USE = (
    "coalesce(token.used, token.issued,"
    " (SELECT CAST(value AS REAL) FROM meta WHERE name = 'dated'))"
)
VALID = f"(token.revoked = 0 AND coalesce(token.expires > :now, {LAST_USE} >= :unused))"
"""The condition that a token can be used; it needs the values of `valid_at`."""


@dataclass(frozen=True, slots=True)
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


def after_ends(db: Transaction) -> float:
    """Return the time of what begins now; it is later than that of any end."""
    row = db.execute("SELECT value FROM meta WHERE name = 'ended'").fetchone()
    return time.time() if row is None else max(time.time(), float(row[0]) + _STEP_S)


def time_of_end(state: State) -> float:
    """Return the time of an end that is to be noted; it is that of the last or later."""
    if not state.rows("SELECT 1 FROM meta"):
        return time.time()
    with state.write() as db:
        begun: list[float | None] = [
            db.execute(f"SELECT max({column}) FROM {table}").fetchone()[0]  # noqa: S608 (names from here)
            for table, column in (("token", "issued"), ("account", "added"))
        ]
        at: float = max([after_ends(db), *(instant for instant in begun if instant is not None)])
        remember_end(db, at)
    return at


def remember_end(db: Transaction, at: float) -> None:
    """Keep the time of the last end, so that what begins from now on has a later one."""
    db.execute(
        "INSERT INTO meta VALUES ('ended', ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (repr(at).encode(),),
    )


def end(
    db: Transaction, *, account: str | None = None, client_id: str | None = None
) -> list[Ended]:
    """Revoke the tokens of an account, of an application, of both together, or (without) all.

    Codes that were not exchanged yet expire, so that they bring no new tokens.
    """
    values: dict[str, Any] = {"account": account, "client_id": client_id}
    which = " AND ".join(f"{name} = :{name}" for name in values if values[name] is not None)
    which = which or "TRUE"
    counted = db.execute(
        "SELECT account, client_id, coalesce((SELECT name FROM application"  # noqa: S608 (no text from outside)
        " WHERE application.client_id = token.client_id), ''),"
        " count(*) FILTER (WHERE kind = 'refresh'), count(*) FILTER (WHERE kind <> 'refresh')"
        f" FROM token WHERE {which} AND {VALID} GROUP BY account, client_id"
        " ORDER BY account, client_id",
        values | valid_at(time.time()),
    ).fetchall()
    db.execute(f"UPDATE token SET revoked = 1 WHERE {which} AND revoked = 0", values)  # noqa: S608
    db.execute(f"UPDATE code SET expires = 0 WHERE {which} AND used = 0", values)  # noqa: S608
    return [Ended(*row) for row in counted]
