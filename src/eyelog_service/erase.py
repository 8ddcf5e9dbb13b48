"""Find and remove everything that the files of a service have of one account.

The audit log keeps its lines, so that what happened can still be followed; the name in them becomes
a pseudonym. The state's file is rewritten, so that no free page of it has the name.
"""

import json
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eyelog.archive.account import traces
from eyelog.archive.place import open_place
from eyelog.errors import ConfigurationError
from eyelog.home import whole_file
from eyelog_service.audit import FILE_NAME, is_at, lock
from eyelog_service.auth import ended
from eyelog_service.auth.ending import time_of_end
from eyelog_service.auth.registry import Registry
from eyelog_service.auth.restored import is_erased
from eyelog_service.auth.state import (
    StateBusy,
    connect,
    expected_columns,
    is_busy,
    refuse_other,
    run,
    version_of,
)
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
    held = _rows_of_database(registry, account)
    if folder := unfinished_backup(registry):
        held.append(ServiceTrace("unfinished backup", folder, 1))
    held += [trace for file in _states(registry) for trace in _rows(file, account)]
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
    for file in _states(registry):
        _delete_rows(file, account)
    _remove_coming_in(registry, account)
    for file in _states(registry):
        _rewrite(file)
    _delete_from_database(registry, account)
    pseudonym = f"erased-{secrets.token_hex(4)}"
    for file in _logs(registry):
        _rename(file, account, pseudonym)
    _remove_coming_in(registry, account)
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


def _states(registry: Registry) -> list[Path]:
    """Return the state's file, and those that a restore has set aside."""
    stem = registry.state.file.stem
    return [
        path
        for path in _in_folder(registry.state_folder)
        if path.name.startswith(stem) and path.suffix == ".sqlite"
    ]


def _logs(registry: Registry) -> list[Path]:
    """Return the audit log, and its rotated files that are not compressed."""
    return [
        path
        for path in _in_folder(registry.state_folder)
        if path.name.startswith(FILE_NAME) and not path.name.endswith(_PACKED)
    ]


# Incoming files: an erasure of the archive finds them only if that is a folder.


def _coming_in(registry: Registry, account: str) -> list[ServiceTrace]:
    if open_place(registry.archive).local:
        return []
    with suppress(ConfigurationError):  # no folder can have such a name
        folder = Spool(registry.folder).of(account)
        files = sum(path.is_file() for path in folder.rglob("*"))
        return [ServiceTrace("coming in", str(folder), files)] if files else []
    return []


def _remove_coming_in(registry: Registry, account: str) -> None:
    if not open_place(registry.archive).local:
        with suppress(ConfigurationError):  # as above
            shutil.rmtree(Spool(registry.folder).of(account), ignore_errors=True)


# The state.


def _tables() -> list[tuple[str, str]]:
    """Return the tables of a database with the column of each that names an account."""
    return [
        ("account", "name"),
        *sorted(pair for pair in expected_columns() if pair[1] == "account"),
    ]


def _rows_of_database(registry: Registry, account: str) -> list[ServiceTrace]:
    if not registry.state.in_database:
        return []
    rows = []
    for table, column in _tables():
        sql = f"SELECT count(*) FROM {table} WHERE {column} = :account"  # noqa: S608 (names of the schema)
        for (count,) in registry.state.rows(sql, account=account):
            if count:
                rows.append(ServiceTrace(f"state: {table}", registry.state.name, count))
    return rows


def _delete_from_database(registry: Registry, account: str) -> None:
    if not registry.state.in_database or registry.state.version() is None:
        return
    with registry.state.write() as db:
        for table, column in _tables():
            sql = f"DELETE FROM {table} WHERE {column} = :account"  # noqa: S608 (names of the schema)
            run(db, sql, account=account)
    registry.state.rewrite(table for table, _ in _tables())


def _columns(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield each table with the column that names an account."""
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    for (table,) in db.execute(sql).fetchall():
        names = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        if table == "account":
            yield table, "name"
        elif "account" in names:
            yield table, "account"


def _rows(file: Path, account: str) -> list[ServiceTrace]:
    rows = []
    try:
        with closing(connect(file)) as db:
            # Of the tables of a newer release nobody here knows where they have a name.
            refuse_other(version_of(db), file)
            for table, column in _columns(db):
                sql = f"SELECT count(*) FROM {table} WHERE {column} = ?"  # noqa: S608 (names of the schema)
                (count,) = db.execute(sql, (account,)).fetchone()
                if count:
                    rows.append(ServiceTrace(f"state: {table}", str(file), count))
    except sqlite3.Error as error:
        raise _unusable(file, error) from None
    return rows


def _delete_rows(file: Path, account: str) -> None:
    try:
        with closing(connect(file, write=True)) as db:
            db.execute("PRAGMA secure_delete = ON")
            db.execute("BEGIN IMMEDIATE")  # closing it undoes what is not committed
            refuse_other(version_of(db), file)  # another process may have updated it
            for table, column in _columns(db):
                sql = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608 (names of the schema)
                db.execute(sql, (account,))
            db.execute("COMMIT")
    except sqlite3.Error as error:
        raise _unusable(file, error) from None


def _rewrite(file: Path) -> None:
    """Write a state anew: rows that were deleted earlier are in its free pages."""
    try:
        with closing(connect(file, write=True)) as db:
            db.execute("VACUUM")
    except sqlite3.Error as error:
        raise _unusable(file, error) from None


def _unusable(file: Path, error: sqlite3.Error) -> ConfigurationError:
    if is_busy(error):
        return StateBusy(f"the service's state in {file} is locked by another program: try again")
    return ConfigurationError(f"the service's state in {file} cannot be used: {error}")


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
            for leftover in file.parent.glob(f".{file.name}.*.tmp"):
                leftover.unlink(missing_ok=True)
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
