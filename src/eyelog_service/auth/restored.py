"""What lives again in a state that was restored, although it had ended; and its second end.

Applications are compared by their ids, which are never used twice; accounts and tokens by their
times, which follow the order of ends and beginnings (see `ending`).
"""

import time
from dataclasses import dataclass
from typing import Any

from eyelog_service.auth import ended
from eyelog_service.auth.ended import Note, account_digest
from eyelog_service.auth.ending import VALID, after_ends, remember_end, valid_at
from eyelog_service.auth.registry import Registry
from eyelog_service.auth.tables import run


@dataclass(frozen=True, slots=True)
class Revived:
    """What a state has that had ended before: digests of tokens, names of the others."""

    tokens: list[bytes]
    accounts: list[str]
    applications: list[str]
    enabled: list[str]
    invitations: list[bytes]

    def __bool__(self) -> bool:
        return any((self.tokens, self.accounts, self.applications, self.enabled, self.invitations))

    @property
    def text(self) -> str:
        """What is valid again, in words."""
        counts = [
            (len(self.tokens), "token", "revoked since"),
            (len(self.accounts), "account", "removed since"),
            (len(self.enabled), "account", "disabled since"),
            (len(self.applications), "application", "removed since"),
            (len(self.invitations), "invitation", "used since"),
        ]
        return ", ".join(
            f"{count} {what}{'s' if count > 1 else ''} {how}"
            for count, what, how in counts
            if count
        )


def revived(registry: Registry) -> Revived:
    """Compare the ends that were noted in the archive with a state."""
    notes = ended.notes(registry.archive)
    if not notes:
        return Revived([], [], [], [], [])
    accounts = registry.accounts.all()
    digests = {one.name: account_digest(one.name) for one in accounts}
    last: dict[str, Note] = {}
    for note in notes:
        if note.what in ("account", "erased", "disabled", "enabled") and note.account:
            last[note.account] = note
    removed = {note.account: note.at for note in notes if note.what in ("account", "erased")}
    gone = {note.application for note in notes if note.what == "application"}
    again = [one.name for one in accounts if _before(one.added, removed.get(digests[one.name]))]
    return Revived(
        _tokens(registry, notes, digests),
        again,
        [one.client_id for one in registry.applications.all() if one.client_id in gone],
        [
            one.name
            for one in accounts
            if not one.disabled and one.name not in again
            if (end := last.get(digests[one.name])) is not None
            if end.what == "disabled" and _before(one.added, end.at)
        ],
        [
            hashed
            for (hashed,) in registry.state.rows("SELECT hash FROM invitation")
            if hashed.hex() in {note.token for note in notes if note.what == "invitation"}
        ],
    )


def _before(instant: float | None, at: float | None) -> bool:
    """Return whether something from `instant` (None: from an old release) ended later, at `at`."""
    return at is not None and (instant is None or instant <= at)


def _tokens(registry: Registry, notes: list[Note], digests: dict[str, str]) -> list[bytes]:
    rows: list[Any] = registry.state.rows(
        f"SELECT hash, origin, account, client_id, issued FROM token WHERE {VALID}",  # noqa: S608 (text from here)
        **valid_at(time.time()),
    )
    single = {note.token for note in notes if note.what in ("token", "grant")}
    ends: dict[tuple[str | None, str | None], float] = {}
    for note in notes:
        if note.what in ("tokens", "account", "application", "erased"):
            whose = note.account, note.application
            ends[whose] = max(note.at, ends.get(whose, note.at))
    dead = {
        origin
        for _, origin, account, client_id, issued in rows
        for whose in (digests.get(account) or account_digest(account),)
        if origin.hex() in single
        or any(
            _before(issued, ends.get(key))
            for key in ((whose, None), (whose, client_id), (None, client_id), (None, None))
        )
    }
    return [hashed for hashed, origin, *_ in rows if origin in dead or hashed.hex() in single]


def end_again(registry: Registry) -> Revived:
    """End what is valid again, and return it."""
    revived_rows = revived(registry)
    last = max((note.at for note in ended.notes(registry.archive)), default=None)
    with registry.state.write() as db:
        if last is not None:  # a state that was put back knows only the ends before it
            remember_end(db, max(last, after_ends(db)))
        for hashed in revived_rows.tokens:
            run(db, "UPDATE token SET revoked = 1 WHERE hash = :hash", hash=hashed)
        for hashed in revived_rows.invitations:
            run(db, "DELETE FROM invitation WHERE hash = :hash", hash=hashed)
    registry.accounts.remove(*revived_rows.accounts)
    registry.accounts.disable(*revived_rows.enabled)
    for client_id in revived_rows.applications:
        registry.applications.remove(client_id)
    return revived_rows


def is_erased(registry: Registry, account: str, *, since: float | None = None) -> bool:
    """Return whether an account was erased (after an instant)."""
    whose = account_digest(account)
    return any(
        note.what == "erased" and note.account == whose and _before(since, note.at)
        for note in ended.notes(registry.archive)
    )
