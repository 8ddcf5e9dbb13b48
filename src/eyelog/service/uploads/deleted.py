"""Whether an account was deleted while something of it was coming in.

An erasure is noted first, then the account's row goes, then the records: see `service.erase`. So an
account that has its row, and no more notes than at the beginning, is erased later or not at all.
"""

from pathlib import Path

from eyelog.errors import EyelogError
from eyelog.service.auth import ended
from eyelog.service.auth.ended import account_digest
from eyelog.service.auth.registry import Registry
from eyelog.service.responses import Problem

__all__ = ["DeletedMeanwhile", "deleted_meanwhile", "erasures", "is_deleted"]


class DeletedMeanwhile(EyelogError):
    """The account of an import was erased since its upload began."""


def deleted_meanwhile() -> Problem:
    """Return the refusal of an upload whose account was erased since it began."""
    return Problem(403, "access_denied", "the account was deleted meanwhile: nothing was kept")


def erasures(archive: Path | str, account: str) -> int:
    """Return how often an account was erased; unlike an instant, it depends on no host's clock."""
    return _ends(archive, account).count("erased")


def is_deleted(registry: Registry, account: str, erased: int) -> bool:
    """Return whether an account was erased since `erasures` were counted.

    Or just before that, when its token was still valid.
    """
    exists = registry.accounts.has(account)  # first: its row goes after the note
    ends = _ends(registry.archive, account)
    return ends.count("erased") > erased or (not exists and ends[-1:] == ["erased"])


def _ends(archive: Path | str, account: str) -> list[str]:
    """Return how an account has ended so far: removed (its records stay), or erased."""
    whose = account_digest(account)
    return [
        note.what
        for note in ended.notes(archive)
        if note.account == whose and note.what in ("account", "erased")
    ]
