"""The end of tokens: by the wearer, by the operator, with an account or application, in time.

Whether something began before an end or after it must not depend on a clock that is set back. So
the state remembers the time of the last end: what begins later has a later time, and an end has a
later time than all that it may end.

Outdated rows are deleted a few at a time and while requests are served. A pass over a large table
would hold the write lock for seconds, and every login and refresh would wait for it. So a pass
reads without that lock and deletes in short transactions, with a pause after each that gives others
their turn.

What has ended for good is noted in the archive's folder: a restored state must not revive it. A
state that is put back from a backup has tokens that were revoked since, and accounts that were
removed since. So each end is noted in a file apart from the state, which neither a backup nor a
restore touches. Names are in it as digests only. In an object store each note is an object of its
own.

What lives again in a restored state is ended a second time, see `erase`.
"""

import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from sqlalchemy import Connection

from eyelog.errors import ArchiveError, ConfigurationError
from eyelog_service.audit import append as add_lines
from eyelog_service.audit import say
from eyelog_service.state import State, digest, run, set_meta

if TYPE_CHECKING:
    from eyelog.archive.place import Place


UNUSED_SECONDS = 365 * 24 * 3600
"""An upload token that was not used for this long ends. A refresh token does not expire."""

_STEP_S = 0.001

LAST_USE = "coalesce(token.used, token.issued)"
VALID = (
    "(token.revoked = 0 AND (token.kind = 'refresh'"
    f" OR coalesce(token.expires > :now, {LAST_USE} >= :unused)))"
)
"""The condition that a token can be used; it needs the values of `valid_at`."""


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
        begun = run(db, "SELECT max(issued) FROM token UNION SELECT max(added) FROM account")
        at: float = max([after_ends(db), *filter(None, begun.scalars())])
        remember_end(db, at)
    return at


def remember_end(db: Connection, at: float) -> None:
    """Keep the time of the last end, so that what begins from now on has a later one."""
    set_meta(db, "ended", repr(at).encode())


def end(db: Connection, *, account: str | None = None, client_id: str | None = None) -> list[Any]:
    """Revoke the tokens of an account, of an application, of both together, or (without) all.

    Codes that were not exchanged yet expire, so that they bring no new tokens. Returns what ended,
    by `account`, `client_id` and its `name`: how many `refresh` and `access` tokens. Upload tokens
    are of no application (`client_id` is empty), and count as `access`.
    """
    values: dict[str, Any] = {"account": account, "client_id": client_id}
    values = {name: value for name, value in values.items() if value is not None}
    which = " AND ".join(f"{name} = :{name}" for name in values) or "TRUE"
    counted = run(
        db,
        "SELECT account, client_id, coalesce((SELECT name FROM application"  # noqa: S608 (no text from outside)
        " WHERE application.client_id = token.client_id), '') AS name,"
        " count(*) FILTER (WHERE kind = 'refresh') AS refresh,"
        " count(*) FILTER (WHERE kind <> 'refresh') AS access"
        f" FROM token WHERE {which} AND {VALID} GROUP BY account, client_id"
        " ORDER BY account, client_id",
        **values,
        **valid_at(time.time()),
    ).all()
    run(db, f"UPDATE token SET revoked = 1 WHERE {which} AND revoked = 0", **values)  # noqa: S608 (as above)
    run(db, f"UPDATE code SET expires = 0 WHERE {which} AND used = 0", **values)  # noqa: S608 (as above)
    return list(counted)


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


def clean_up(state: State) -> None:
    """Delete outdated rows in a thread, once an hour at most for all processes together."""
    with suppress(ConfigurationError):  # locked or gone: it is tried again with the next request
        if _is_due(state.rows(_CLEANED)):
            threading.Thread(
                target=_clean_up, args=[state], name="eyelog-clean-up", daemon=True
            ).start()


_CLEANED: Final = "SELECT value FROM meta WHERE name = 'cleaned'"


def _is_due(cleaned: Sequence[Any]) -> bool:
    now = time.time()
    return not any(now - _PERIOD_SECONDS < float(last) <= now for (last,) in cleaned)


def _clean_up(state: State) -> None:
    with suppress(ConfigurationError):  # as above
        with state.write() as db:
            if not _is_due(run(db, _CLEANED).all()):
                return
            set_meta(db, "cleaned", str(time.time()).encode())
        for table, condition in _CONDITIONS.items():
            outdated = f"FROM {table} WHERE {condition}"
            read = f"SELECT hash {outdated} AND hash > :after ORDER BY hash LIMIT {_ROWS}"
            # The condition holds again: a row used since it was read is not outdated.
            delete = f"DELETE {outdated} AND hash BETWEEN :first AND :last"
            last = b""
            while rows := state.rows(read, after=last, **_stamps()):
                first, last = rows[0][0], rows[-1][0]
                with state.write() as db:
                    run(db, delete, first=first, last=last, **_stamps())
                time.sleep(_PAUSE_SECONDS)


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


# What has ended for good.

FILE_NAME: Final = "_ended.jsonl"
"""Not one of the files ``_service.*``: they move with the state."""
_FOLDER: Final = "_ended"


class Note(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One end: what ended, when, and whose (None for all); a grant is all tokens of one login."""

    what: Literal[
        "tokens",
        "token",
        "grant",
        "invitation",
        "account",
        "application",
        "erased",
        "disabled",
        "enabled",
    ]
    at: float
    account: str | None = None  # a digest
    application: str | None = None
    token: str | None = None  # the digest of a token, of its code or of an invitation


_decode: Final = msgspec.json.Decoder(Note).decode


@lru_cache(maxsize=10_000)
def account_digest(name: str) -> str:
    """Return the digest under which an account is noted."""
    return digest(f"ended\n{name}").hex()


def append(
    archive: Path | str,
    what: Any,
    *,
    at: float | None = None,
    accounts: Sequence[str | None] = (None,),
    **more: str | None,
) -> None:
    """Note an end, of each account; a fault is reported on stderr and never raised.

    What ends must end. It is noted before the state is changed, so that a killed process loses no
    end. `at` is from `time_of_end`, where it is to be compared with what is in the state.
    """
    if not accounts:
        return
    at = time.time() if at is None else at
    whose = (None if name is None else account_digest(name) for name in accounts)
    lines = b"".join(msgspec.json.encode(Note(what, at, one, **more)) + b"\n" for one in whose)
    try:
        if isinstance(archive, Path):
            archive.mkdir(mode=0o700, parents=True, exist_ok=True)
            add_lines(archive / FILE_NAME, lines, secured=True)
            return
        # Not on top: a command on a folder needs no object store, and nothing that reads Parquet.
        from eyelog.archive.place import archive_errors, open_place

        # An object of their own: an object store cannot add a line to a file.
        place = open_place(archive)
        path = f"{place.root}/{_FOLDER}/{time.time_ns():020d}-{secrets.token_hex(4)}.jsonl"
        with archive_errors(f"write {path}"):
            place.fs.pipe_file(path, lines)
    except ArchiveError as error:
        fault = str(error)
    except OSError as error:
        fault = f"{Path(archive) / FILE_NAME} cannot be written ({error.strerror or error})"
    else:
        return
    say(f"eyelog: warning: {fault}: after a restore, what ends now would live again")


def note_end(state: State, what: Any, **whose: Any) -> None:
    """Note an end that is compared with what is in the state by its time; see `append`."""
    append(state.archive, what, at=time_of_end(state), **whose)


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


def _notes(archive: Path | str) -> Iterator[tuple[str, Note | None]]:
    """Yield each line's place and note, None if it is damaged."""
    for name, body in _bodies(archive):
        for number, line in enumerate(body.split(b"\n"), start=1):
            if line:
                note = None
                with suppress(msgspec.MsgspecError, ValueError, RecursionError):
                    note = _decode(line)
                yield f"{name}, line {number}", note


def _bodies(archive: Path | str) -> list[tuple[str, bytes]]:
    """Return the name and the content of each file of the list."""
    if isinstance(archive, Path):
        file = archive / FILE_NAME
        try:
            return [(str(file), file.read_bytes())]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ArchiveError(f"cannot read {file}: {error.strerror}") from None
    from eyelog.archive.place import archive_errors, open_place

    place = open_place(archive)
    folder = f"{place.root}/{_FOLDER}"
    with archive_errors(f"read {folder}"):
        place.fs.invalidate_cache(folder)
        try:
            names = sorted(map(str, place.fs.ls(folder, detail=False)))
        except FileNotFoundError:
            return []
        return [(name, _object(place, name)) for name in names]


@lru_cache(maxsize=100_000)
def _object(place: "Place", path: str) -> bytes:
    """Return the content of an object, which is never changed."""
    body: bytes = place.fs.cat_file(path)
    return body


def is_erased(notes: Iterable[Note], account: str, *, since: float | None = None) -> bool:
    """Return whether an account was erased (after an instant)."""
    whose = account_digest(account)
    return any(
        note.what == "erased" and note.account == whose and began_before(since, note.at)
        for note in notes
    )


def began_before(instant: float | None, at: float | None) -> bool:
    """Return whether something from `instant` (None: from an old release) ended later, at `at`."""
    return at is not None and (instant is None or instant <= at)
