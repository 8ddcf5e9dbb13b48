"""What has ended for good, noted in the archive's folder: a restored state must not revive it.

A state that is put back from a backup has tokens that were revoked since, and accounts that were
removed since. So each end is noted in a file apart from the state, which neither a backup nor a
restore touches. Names are in it as digests only. In an object store each note is an object of its
own.

What lives again in a restored state is ended a second time: applications are compared by their ids,
which are never used twice; accounts and tokens by their times, which follow the order of ends and
beginnings (see `ending`).
"""

import json
import math
import secrets
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyelog.errors import ArchiveError, counted
from eyelog_service.audit import append as add_lines
from eyelog_service.auth.ending import VALID, after_ends, remember_end, valid_at
from eyelog_service.auth.secrets import digest
from eyelog_service.auth.tables import run

if TYPE_CHECKING:
    from eyelog.archive.place import Place
    from eyelog_service.auth.registry import Registry

FILE_NAME: Final = "_ended.jsonl"
"""Not one of the files ``_service.*``: they move with the state."""
_FOLDER: Final = "_ended"
_TOKENS: Final = ("tokens", "token", "grant", "invitation")
_WHAT: Final = (*_TOKENS, "account", "application", "erased", "disabled", "enabled")


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
    archive: Path | str,
    what: str,
    *,
    at: float | None = None,
    accounts: Sequence[str | None] = (None,),
    **more: str | None,
) -> None:
    """Note an end, of each account; a fault is reported on stderr and never raised.

    What ends must end. It is noted before the state is changed, so that a killed process loses no
    end. `at` is from `time_of_end`, where it is to be compared with what is in the state.
    """
    at = time.time() if at is None else at
    text = "".join(_line(what, at, account, more) for account in accounts)
    if not accounts:
        return
    if isinstance(archive, str):
        _put(archive, text)
        return
    try:
        archive.mkdir(mode=0o700, parents=True, exist_ok=True)
        add_lines(archive / FILE_NAME, text.encode(), secured=True)
    except OSError as error:
        _warn(f"{archive / FILE_NAME} cannot be written ({error.strerror or error})")


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
    """Return the ends that were noted, in order; a damaged line is left out (see `damage`).

    Raises
    ------
    ArchiveError
        If the list cannot be read, or the object store of the archive does not answer.
    """
    return [note for _, note in _notes(archive) if note is not None]


def damage(archive: Path | str) -> list[str]:
    """Return where the list has lines that cannot be read: nobody knows what they had ended.

    Raises
    ------
    ArchiveError
        If the list cannot be read, or the object store of the archive does not answer.
    """
    return [where for where, note in _notes(archive) if note is None]


def _lines(archive: Path | str) -> Iterable[tuple[str, bytes]]:
    if isinstance(archive, Path):
        file = archive / FILE_NAME
        try:
            return _numbered(f"{file}, line", file.read_bytes())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ArchiveError(f"cannot read {file}: {error.strerror}") from None
    from eyelog.archive.place import archive_errors, open_place  # as in `_put`

    place = open_place(archive)
    folder = f"{place.root}/{_FOLDER}"
    with archive_errors(f"read {folder}"):
        place.fs.invalidate_cache(folder)
        try:
            names = sorted(map(str, place.fs.ls(folder, detail=False)))
        except FileNotFoundError:
            return []
        return [line for name in names for line in _numbered(f"{name}, line", _object(place, name))]


def _numbered(name: str, body: bytes) -> list[tuple[str, bytes]]:
    lines = enumerate(body.split(b"\n"), start=1)
    return [(f"{name} {number}", line) for number, line in lines if line]


@lru_cache(maxsize=100_000)
def _object(place: "Place", path: str) -> bytes:
    """Return the content of an object, which is never changed."""
    body: bytes = place.fs.cat_file(path)
    return body


def _notes(archive: Path | str) -> Iterator[tuple[str, Note | None]]:
    """Yield each line's place and note, None if it is damaged."""
    for where, line in _lines(archive):
        yield where, _note(line)


def _note(line: bytes) -> Note | None:
    try:
        values: dict[str, Any] = json.loads(line)
        note = Note(**values)
        whole = note.what in _WHAT and math.isfinite(note.at)
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
    texts = (note.account, note.application, note.token)
    return note if whole and all(text is None or isinstance(text, str) for text in texts) else None


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
        return ", ".join(f"{counted(n, what)} {how}" for n, what, how in counts if n)


def revived(registry: "Registry") -> Revived:
    """Compare the ends that were noted in the archive with a state."""
    every = notes(registry.archive)
    if not every:
        return Revived([], [], [], [], [])
    accounts = registry.accounts.all()
    digests = {one.name: account_digest(one.name) for one in accounts}
    last: dict[str, Note] = {}
    for note in every:
        if note.what in ("account", "erased", "disabled", "enabled") and note.account:
            last[note.account] = note
    removed = {note.account: note.at for note in every if note.what in ("account", "erased")}
    gone = {note.application for note in every if note.what == "application"}
    used = {note.token for note in every if note.what == "invitation"}
    again = [one.name for one in accounts if _before(one.added, removed.get(digests[one.name]))]
    return Revived(
        _tokens(registry, every, digests),
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
            if hashed.hex() in used
        ],
    )


def _before(instant: float | None, at: float | None) -> bool:
    """Return whether something from `instant` (None: from an old release) ended later, at `at`."""
    return at is not None and (instant is None or instant <= at)


def _tokens(registry: "Registry", notes: list[Note], digests: dict[str, str]) -> list[bytes]:
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


def end_again(registry: "Registry") -> Revived:
    """End what is valid again, and return it."""
    revived_rows = revived(registry)
    last = max((note.at for note in notes(registry.archive)), default=None)
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


def is_erased(registry: "Registry", account: str, *, since: float | None = None) -> bool:
    """Return whether an account was erased (after an instant)."""
    whose = account_digest(account)
    return any(
        note.what == "erased" and note.account == whose and _before(since, note.at)
        for note in notes(registry.archive)
    )
