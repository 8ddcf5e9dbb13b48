"""What has ended for good, noted in the archive's folder: a restored state must not revive it.

A state that is put back from a backup has tokens that were revoked since, and accounts that were
removed since. So each end is noted in a file apart from the state, which neither a backup nor a
restore touches. Names are in it as digests only.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eyelog.service.auth.secrets import digest

__all__ = ["FILE_NAME", "Note", "account_digest", "append", "notes"]

FILE_NAME: Final = "_ended.jsonl"
"""Not one of the files ``_service.*``: they move with the state."""


@dataclass(frozen=True, slots=True)
class Note:
    """One end: what ended, when, and whose (None for all).

    `what` is "tokens", "token", "grant" (all tokens of one login), "account", "application",
    "erased", "disabled", "enabled" or "invitation".
    """

    what: str
    at: float
    account: str | None = None  # a digest
    application: str | None = None
    token: str | None = None  # the digest of a token, of its code or of an invitation


def account_digest(name: str) -> str:
    """Return the digest under which an account is noted."""
    return digest(f"ended\n{name}").hex()


def append(archive: Path, what: str, *, account: str | None = None, **more: str | None) -> None:
    """Note an end; a fault is reported on stderr and never raised: what ends must end.

    It is noted before the state is changed, so that a killed process loses no end.
    """
    whose = None if account is None else account_digest(account)
    values = {"what": what, "at": round(time.time(), 3), "account": whose, **more}
    line = json.dumps({name: value for name, value in values.items() if value is not None}) + "\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        archive.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(archive / FILE_NAME, flags | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(handle, line.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        print(  # noqa: T201 (the operator's terminal)
            f"eyelog: warning: {archive / FILE_NAME} cannot be written ({error.strerror}): after a"
            " restore, what ends now would live again",
            file=sys.stderr,
            flush=True,
        )


def notes(archive: Path) -> list[Note]:
    """Return the ends that were noted, in order; a damaged line is left out."""
    return list(_notes(archive))


def _notes(archive: Path) -> Iterator[Note]:
    try:
        lines: Iterable[bytes] = (archive / FILE_NAME).read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        with suppress(ValueError, TypeError):
            values: dict[str, Any] = json.loads(line)
            yield Note(**values)
