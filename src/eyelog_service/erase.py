"""Find and remove everything that the files of a service have of one account.

The audit log keeps its lines, so that what happened can still be followed; the name in them becomes
a pseudonym. The state's file is rewritten, so that no free page of it has the name.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, inspect

from eyelog.archive.account import traces
from eyelog.archive.place import open_place
from eyelog.errors import ConfigurationError
from eyelog.home import remove_leftovers, whole_file
from eyelog_service.audit import FILE_NAME, is_at, lock
from eyelog_service.auth import ended
from eyelog_service.auth.ended import is_erased
from eyelog_service.auth.ending import time_of_end
from eyelog_service.auth.registry import Registry
from eyelog_service.auth.state import State
from eyelog_service.auth.tables import TABLES, refuse_other, run
from eyelog_service.backup import unfinished_backup
from eyelog_service.incoming import Spool

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
    states = _states(registry)
    held = [trace for state in states for trace in _rows(state, account)]
    if folder := unfinished_backup(registry):
        held.append(ServiceTrace("unfinished backup", folder, 1))
    held += _coming_in(registry, account)
    held += [
        ServiceTrace("audit log", str(file), count)
        for file in _logs(registry)
        if (count := _lines_of(file, account))
    ]
    if dry_run:
        return held
    unfinished_backup(registry, remove=True)
    if held or traces(open_place(registry.archive), account):
        at = time_of_end(registry.state)
        ended.append(registry.archive, "erased", at=at, accounts=[account])
        states = _states(registry)  # the time may have brought a state up to date, with a copy
    for state in states:
        _delete_rows(state, account)
    _coming_in(registry, account, remove=True)
    for state in states:
        state.rewrite()  # rows that were deleted earlier are in its free pages
    pseudonym = f"erased-{secrets.token_hex(4)}"
    for file in _logs(registry):
        _rename(file, account, pseudonym)
    _coming_in(registry, account, remove=True)
    return held


def erased_names(registry: Registry) -> list[str]:
    """Return the names, in a restored state or log, of accounts that were erased before."""
    digests = {note.account for note in ended.notes(registry.archive) if note.what == "erased"}
    if not digests:
        return []
    added = {one.name: one.added for one in registry.accounts.all()}
    names = set(added)
    for file in _logs(registry):
        with file.open("rb") as source:
            for line in source:
                with suppress(ValueError, AttributeError):
                    names.add(str(json.loads(line).get("account")))
    return sorted(
        name
        for name in names
        if ended.account_digest(name) in digests
        # One that was added again later is not the one that was erased.
        if name not in added or is_erased(registry, name, since=added[name])
    )


def out_of_reach(registry: Registry) -> list[str]:
    """Return what may have the name and cannot be changed here, such as compressed files."""
    names = (FILE_NAME, "access")
    elsewhere = []
    if registry.state.in_database:
        elsewhere = [
            "other hosts of the service: their audit logs, and what was coming in there; the same"
            " command removes it on each of them",
            f"the write-ahead log, replicas and dumps of {registry.state.name}",
        ]
    return elsewhere + sorted(
        str(path)
        for path in _in_folder(registry.state_folder)
        if path.name.startswith(names) and path.name.endswith(_PACKED)
    )


def _in_folder(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def _logs(registry: Registry) -> list[Path]:
    """Return the audit log, and its rotated files that are not compressed."""
    return [
        path
        for path in _in_folder(registry.state_folder)
        if path.name.startswith(FILE_NAME) and not path.name.endswith(_PACKED)
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
    """Return the state, and those that a restore or a newer release has set aside."""
    state = registry.state
    return [*([] if state.version() is None else [state]), *state.copies()]


def _tables(db: Connection) -> dict[str, str]:
    """Return the tables that name accounts, with the column in which they do."""
    seen, tables = inspect(db), {"account": "name"}
    present = set(seen.get_table_names())
    if db.dialect.name != "sqlite":  # a database may have tables of other programs too
        present &= TABLES.tables.keys()
    for table in sorted(present):
        if table != "account" and "account" in {each["name"] for each in seen.get_columns(table)}:
            tables[table] = "account"
    return tables


def _rows(state: State, account: str) -> Iterator[ServiceTrace]:
    # Of the tables of a newer release nobody here knows where they have a name.
    refuse_other(state.version() or 0, state.name)
    with state.opened() as db:
        for table, column in _tables(db).items():
            sql = f"SELECT count(*) FROM {table} WHERE {column} = :account"  # noqa: S608 (names of the schema)
            if count := run(db, sql, account=account).scalar():
                yield ServiceTrace(f"state: {table}", state.name, count)


def _delete_rows(state: State, account: str) -> None:
    with state.alone() as db:
        refuse_other(state.version_in(db) or 0, state.name)  # another process may have updated it
        if not state.in_database:
            db.exec_driver_sql("PRAGMA secure_delete = ON")
        for table, column in _tables(db).items():
            run(db, f"DELETE FROM {table} WHERE {column} = :account", account=account)  # noqa: S608 (names of the schema)


# The audit log.


def _lines_of(file: Path, account: str) -> int:
    with file.open("rb") as source:
        return sum(_renamed(line, account, "") != line for line in source)


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
