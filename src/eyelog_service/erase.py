"""Find and remove everything that the files of a service have of one account.

The audit log keeps its lines, so that what happened can still be followed; the name in them becomes
a pseudonym. The state's file is rewritten, so that no free page of it has the name.
"""

import json
import os
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, inspect

from eyelog.archive.account import named_accounts, traces
from eyelog.archive.place import open_place
from eyelog.archive.store import Archive
from eyelog.errors import ConfigurationError, counted
from eyelog.home import remove_leftovers, whole_file
from eyelog_service import ended
from eyelog_service.audit import FILE_NAME, is_at, lock
from eyelog_service.backup import unfinished_backup
from eyelog_service.grants import Registry
from eyelog_service.state import TABLES, State, refuse_other, run
from eyelog_service.uploads import Spool

_PACKED: Final = (".gz", ".bz2", ".xz", ".zst", ".zip")


@dataclass(frozen=True, slots=True)
class ServiceTrace:
    """Rows or lines of one file: what they are, where, and how many."""

    what: str
    path: str
    count: int


def erase_account(registry: Registry, account: str, *, dry_run: bool) -> list[ServiceTrace]:
    """Remove an account from the state, and its name from the audit log; return what was removed.

    Logins and tokens end first. The records belong to the archive: see `eyelog.Archive.erase`.

    Raises
    ------
    ConfigurationError
        If a file cannot be read or written, or a newer release has written it.
    """
    held = [trace for state in _states(registry) for trace in _rows(state, account)]
    if folder := unfinished_backup(registry):
        held.append(ServiceTrace("unfinished backup", folder, 1))
    held += _coming_in(registry, account)
    for file in _logs(registry):
        with file.open("rb") as source:
            count = sum(_renamed(line, account, "") != line for line in source)
        held += [ServiceTrace("audit log", str(file), count)] if count else []
    if dry_run:
        return held
    unfinished_backup(registry, remove=True)
    if held or traces(open_place(registry.archive), account):
        ended.note_end(registry.state, "erased", accounts=[account])
    for state in _states(registry):
        _rows(state, account, delete=True)
    _coming_in(registry, account, remove=True)
    for state in _states(registry):
        state.rewrite()  # rows that were deleted earlier are in its free pages
    pseudonym = f"erased-{secrets.token_hex(4)}"
    for file in _logs(registry):
        _rename(file, account, pseudonym)
    _coming_in(registry, account, remove=True)
    return held


def out_of_reach(registry: Registry) -> list[str]:
    """Return what may have the name and cannot be changed here, such as compressed files."""
    elsewhere = []
    if registry.state.in_database:
        elsewhere = [
            "other hosts of the service: their audit logs, and what was coming in there; the same"
            " command removes it on each of them",
            f"the write-ahead log, replicas and dumps of {registry.state.name}",
        ]
    return elsewhere + [str(path) for path in _logs(registry, packed=True)]


def _logs(registry: Registry, *, packed: bool = False) -> list[Path]:
    """Return the audit log and its rotated files, those that are not packed or those that are."""
    names = (FILE_NAME, "access") if packed else FILE_NAME
    return [
        path
        for path in sorted(registry.state_folder.glob("*"))
        if path.is_file() and path.name.startswith(names)
        if path.name.endswith(_PACKED) == packed
    ]


# Incoming files: an erasure of the archive finds them only if that is a folder.


def _coming_in(registry: Registry, account: str, *, remove: bool = False) -> list[ServiceTrace]:
    if open_place(registry.archive).local:
        return []
    with suppress(ConfigurationError):  # no folder can have such a name
        folder = Spool(registry.folder).of(account)
        files = sum(path.is_file() for path in folder.rglob("*"))
        if remove:
            shutil.rmtree(folder, ignore_errors=True)
        return [ServiceTrace("coming in", str(folder), files)] if files else []
    return []


# The state.


def _states(registry: Registry) -> list[State]:
    """Return the state, and those that a restore has set aside."""
    state = registry.state
    return [*([] if state.version() is None else [state]), *state.copies()]


def _tables(state: State, db: Connection) -> dict[str, str]:
    """Return the tables that name accounts, with the column in which they do."""
    seen, tables = inspect(db), {"account": "name"}
    present = set(seen.get_table_names())
    if db.dialect.name != "sqlite":  # a database may have tables of other programs too
        present &= {*TABLES.tables, *state.old_tables(db)}
    for table in sorted(present):
        if table != "account" and "account" in {each["name"] for each in seen.get_columns(table)}:
            tables[table] = "account"
    return tables


def _rows(state: State, account: str, *, delete: bool = False) -> list[ServiceTrace]:
    """Count the rows that name an account, or delete them."""
    with state.alone() if delete else state.opened() as db:
        # Of the tables of a newer release nobody here knows where they have a name.
        refuse_other(state.version_in(db) or 0, state.name)
        if delete and not state.in_database:
            db.exec_driver_sql("PRAGMA secure_delete = ON")
        found = []
        for table, column in _tables(state, db).items():
            of_account = f"FROM {table} WHERE {column} = :account"
            if count := run(db, f"SELECT count(*) {of_account}", account=account).scalar():
                found.append(ServiceTrace(f"state: {table}", state.name, count))
            if delete:
                run(db, f"DELETE {of_account}", account=account)
        return found


# The audit log.


def _rename(file: Path, account: str, pseudonym: str) -> None:
    """Replace a log by one with the pseudonym; a service that writes to it waits meanwhile."""
    while True:
        handle = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as source:
            lock(handle, shared=False)
            if not is_at(handle, file):
                continue
            # Only now: an upload that was under way may just have written its line.
            if all(_renamed(line, account, pseudonym) == line for line in source):
                return
            source.seek(0)
            remove_leftovers(file)
            with whole_file(file) as sink:
                for line in source:
                    sink.write(_renamed(line, account, pseudonym))
            return


def _renamed(line: bytes, account: str, pseudonym: str) -> bytes:
    """Return a line with a pseudonym for every text that is the name."""
    if account.encode() not in line and json.dumps(account).encode()[1:-1] not in line:
        return line
    try:
        event = json.loads(line)
        if not isinstance(event, dict):
            raise ValueError
    except ValueError:  # a full disk cut it off
        for text in (account.encode(), json.dumps(account).encode()[1:-1]):
            line = line.replace(text, pseudonym.encode())
        return line
    changed = {
        name: value
        if name in ("time", "event", "operator")
        else _replaced(value, account, pseudonym)
        for name, value in event.items()
    }
    return line if changed == event else json.dumps(changed).encode() + b"\n"


def _replaced(value: Any, account: str, pseudonym: str) -> Any:
    if isinstance(value, list):
        return [_replaced(item, account, pseudonym) for item in value]
    return pseudonym if value == account else value


# What lives again in a state, or an archive, that was put back from a backup.


_SINCE: Final = {
    "tokens": ("token", "revoked since"),
    "accounts": ("account", "removed since"),
    "disabled": ("account", "disabled since"),
    "applications": ("application", "removed since"),
    "invitations": ("invitation", "used since"),
}


def in_words(found: dict[str, list[Any]]) -> str:
    """Return what is valid again in a state, as `revived` has found it, in words."""
    counts = [(len(found[kind]), *words) for kind, words in _SINCE.items()]
    return ", ".join(f"{counted(n, what)} {how}" for n, what, how in counts if n)


def revived(registry: Registry, *, in_logs: bool = False) -> dict[str, list[Any]]:
    """Compare the ends that were noted in the archive with state and archive, and with all logs.

    Applications are compared by their ids, which are never used twice; accounts and tokens by their
    times, which follow the order of ends and beginnings (see `ended`).

    Returns what is there and had ended before: digests of ``tokens`` and ``invitations``, names of
    ``accounts``, those that were ``disabled``, and ids of ``applications``. ``erased`` are accounts
    that were erased, of which something is left (with `in_logs`, in logs too), ``with_records``
    those of them with older records or events. Of those that are ``unsure`` nobody knows whose the
    files are: an account of that name was added after the erasure, and the clock may have been set
    back since, as an erasure that is still to come shows.
    """
    notes = ended.notes(registry.archive)
    accounts = registry.accounts.all()
    added = {one.name: one.added for one in accounts}

    def noted(*kinds: str) -> dict[str | None, ended.Note]:
        return {note.account: note for note in notes if note.what in kinds}

    removed, last = noted("account", "erased"), noted("account", "erased", "disabled", "enabled")
    off = {whose: note for whose, note in last.items() if note.what == "disabled"}
    gone = {note.application for note in notes if note.what == "application"}
    used = {note.token for note in notes if note.what == "invitation"}
    again, disabled = list[str](), list[str]()
    for one in accounts:
        end, switch = (by.get(ended.account_digest(one.name)) for by in (removed, off))
        if end and ended.began_before(one.added, end.at):
            again.append(one.name)
        elif switch and not one.disabled and ended.began_before(one.added, switch.at):
            disabled.append(one.name)
    invitations = registry.state.rows("SELECT hash FROM invitation")
    with_records, unsure = _with_older_records(registry, notes, added)
    erased = {*with_records, *(_erased_names(registry, notes, added) if in_logs else ())}
    return {
        "tokens": _tokens(registry, notes),
        "accounts": again,
        "applications": [
            one.client_id for one in registry.applications.all() if one.client_id in gone
        ],
        "disabled": disabled,
        "invitations": [hashed for (hashed,) in invitations if hashed.hex() in used],
        "erased": sorted(erased),
        "with_records": with_records,
        "unsure": unsure,
    }


def _tokens(registry: Registry, notes: list[ended.Note]) -> list[bytes]:
    rows: list[Any] = registry.state.rows(
        f"SELECT hash, origin, account, client_id, issued FROM token WHERE {ended.VALID}",  # noqa: S608 (text from here)
        **ended.valid_at(time.time()),
    )
    single = {note.token for note in notes if note.what in ("token", "grant")}
    ends: dict[tuple[str | None, str | None], float] = {}
    for note in notes:
        if note.what in ("tokens", "account", "application", "erased"):
            whose = note.account, note.application
            ends[whose] = max(note.at, ends.get(whose, note.at))

    def is_dead(origin: bytes, account: str, client_id: str, issued: float | None) -> bool:
        ended_with = product((ended.account_digest(account), None), (client_id, None))
        return origin.hex() in single or any(
            ended.began_before(issued, ends.get(whose)) for whose in ended_with
        )

    dead = {origin for _, origin, *whose in rows if is_dead(origin, *whose)}
    return [hashed for hashed, origin, *_ in rows if origin in dead or hashed.hex() in single]


def _erased_names(
    registry: Registry, notes: list[ended.Note], added: dict[str, float | None]
) -> list[str]:
    """Return the names, in a restored state or log, of accounts that were erased before."""
    names = set(added)
    for file in _logs(registry):
        with file.open("rb") as source:
            for line in source:
                with suppress(ValueError, AttributeError):
                    names.add(str(json.loads(line).get("account")))
    # One that was added again later is not the one that was erased.
    return [name for name in names if ended.is_erased(notes, name, since=added.get(name))]


def _with_older_records(
    registry: Registry, notes: list[ended.Note], added: dict[str, float | None]
) -> tuple[list[str], list[str]]:
    """Return the accounts that were erased and have older files; those of which it is not sure."""
    last = {note.account: note.at for note in notes if note.what == "erased"}
    place = open_place(registry.archive)
    sure, unsure = list[str](), list[str]()
    for name in sorted(named_accounts(place)) if last else []:
        at = last.get(ended.account_digest(name))
        if at is None:
            continue
        times = (
            Path(one.path).lstat().st_mtime
            if place.local
            else place.fs.modified(one.path).timestamp()
            for one in traces(place, name)
        )
        if ended.is_erased(notes, name, since=min(times, default=0)):
            added_again = name in added and not ended.is_erased(notes, name, since=added[name])
            (unsure if added_again or at > time.time() else sure).append(name)
    return sure, unsure


def end_again(registry: Registry) -> dict[str, list[Any]]:
    """End what lives again, and return it; names of those erased are looked for in logs too."""
    found = revived(registry, in_logs=True)
    last = max((note.at for note in ended.notes(registry.archive)), default=None)
    with registry.state.write() as db:
        if last is not None:  # a state that was put back knows only the ends before it
            ended.remember_end(db, max(last, ended.after_ends(db)))
        for hashed in found["tokens"]:
            run(db, "UPDATE token SET revoked = 1 WHERE hash = :hash", hash=hashed)
        for hashed in found["invitations"]:
            run(db, "DELETE FROM invitation WHERE hash = :hash", hash=hashed)
    registry.accounts.remove(*found["accounts"])
    registry.accounts.disable(*found["disabled"])
    for client_id in found["applications"]:
        registry.applications.remove(client_id)
    for name in found["erased"]:
        erase_account(registry, name, dry_run=False)
    for name in found["with_records"]:
        Archive(registry.archive).erase(name)
    return found
