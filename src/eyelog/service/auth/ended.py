"""What has ended for good, noted in the archive's folder: a restored state must not revive it.

A state that is put back from a backup has tokens that were revoked since, and accounts that were
removed since. So each end is noted in a file apart from the state, which neither a backup nor a
restore touches. Names are in it as digests only. In an object store each note is an object of its
own.
"""

import json
import os
import secrets
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyelog.errors import ArchiveError
from eyelog.service.auth.secrets import digest

if TYPE_CHECKING:
    from eyelog.archive.place import Place

__all__ = ["FILE_NAME", "Note", "account_digest", "append", "notes"]

FILE_NAME: Final = "_ended.jsonl"
"""Not one of the files ``_service.*``: they move with the state."""
_FOLDER: Final = "_ended"


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


def append(
    archive: Path | str, what: str, *, accounts: Sequence[str | None] = (None,), **more: str | None
) -> None:
    """Note an end, of each account; a fault is reported on stderr and never raised.

    What ends must end. It is noted before the state is changed, so that a killed process loses no
    end.
    """
    at = round(time.time(), 3)
    text = "".join(_line(what, at, account, more) for account in accounts)
    if not accounts:
        return
    if isinstance(archive, str):
        _put(archive, text)
        return
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        archive.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(archive / FILE_NAME, flags | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(handle, text.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        _warn(f"{archive / FILE_NAME} cannot be written ({error.strerror})")


def _line(what: str, at: float, account: str | None, more: Mapping[str, str | None]) -> str:
    whose = None if account is None else account_digest(account)
    values = {"what": what, "at": at, "account": whose, **more}
    return json.dumps({name: value for name, value in values.items() if value is not None}) + "\n"


def _put(archive: str, text: str) -> None:
    """Write ends as an object of their own: an object store cannot add a line to a file."""
    # Only here: an operator's command on a folder does not need Parquet.
    from eyelog.archive.place import archive_errors, open_place

    place = open_place(archive)
    path = f"{place.root}/{_FOLDER}/{time.time_ns():020d}-{secrets.token_hex(4)}.jsonl"
    try:
        with archive_errors(f"write {path}"):
            place.fs.pipe_file(path, text.encode())
    except ArchiveError as error:
        _warn(str(error))


def _warn(fault: str) -> None:
    print(  # noqa: T201 (the operator's terminal)
        f"eyelog: warning: {fault}: after a restore, what ends now would live again",
        file=sys.stderr,
        flush=True,
    )


def notes(archive: Path | str) -> list[Note]:
    """Return the ends that were noted, in order; a damaged line is left out.

    Raises
    ------
    ArchiveError
        If the object store of the archive does not answer.
    """
    return list(_notes(archive))


def _lines(archive: Path | str) -> Iterable[bytes]:
    if isinstance(archive, Path):
        with suppress(FileNotFoundError):
            return (archive / FILE_NAME).read_bytes().splitlines()
        return []
    from eyelog.archive.place import archive_errors, open_place  # as in `_put`

    place = open_place(archive)
    folder = f"{place.root}/{_FOLDER}"
    with archive_errors(f"read {folder}"):
        place.fs.invalidate_cache(folder)
        try:
            names = sorted(map(str, place.fs.ls(folder, detail=False)))
        except FileNotFoundError:
            return []
        return [line for name in names for line in _object(place, name).splitlines()]


@lru_cache(maxsize=100_000)
def _object(place: "Place", path: str) -> bytes:
    """Return the content of an object, which is never changed."""
    body: bytes = place.fs.cat_file(path)
    return body


def _notes(archive: Path | str) -> Iterator[Note]:
    for line in _lines(archive):
        with suppress(ValueError, TypeError):
            values: dict[str, Any] = json.loads(line)
            yield Note(**values)
