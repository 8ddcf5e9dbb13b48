"""The end of tokens: by the wearer, by the operator, with an account or application, or unused."""

import time
from dataclasses import dataclass
from typing import Any

from eyelog.service.auth.transaction import Transaction

__all__ = ["LAST_USE", "UNUSED_SECONDS", "VALID", "Ended", "end", "valid_at"]

UNUSED_SECONDS = 365 * 24 * 3600
"""A refresh token that was not used for this long ends."""

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
