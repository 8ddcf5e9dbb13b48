"""The tables of the service's state, and what each release added to them.

A file of an older release is brought up to date when it is first used: a copy of it is written and
read back, the file itself is changed in one transaction, and committed only if it has every row of
the copy. The copy stays beside it, as ``_service.version-3.sqlite``.

The same statements make the tables of a database (`state_database`), where one transaction does it.
"""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from glob import escape
from pathlib import Path
from typing import Any

from eyelog.disk.files import put_in_place, temporary_name
from eyelog.disk.sqlite import connect, transaction
from eyelog.errors import ConfigurationError
from eyelog.service.auth.transaction import Transaction

__all__ = [
    "VERSION",
    "add_key",
    "bring_up_to_date",
    "columns",
    "expected_columns",
    "fill",
    "refuse_newer",
    "rows_of_tables",
    "statements",
    "version_of",
]

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE account (name TEXT PRIMARY KEY, password BLOB);
CREATE TABLE application (
    client_id TEXT PRIMARY KEY, secret BLOB NOT NULL, redirect_uri TEXT NOT NULL);
CREATE TABLE code (
    hash BLOB PRIMARY KEY, account TEXT NOT NULL, client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL, challenge TEXT, expires REAL NOT NULL, used INTEGER NOT NULL);
CREATE TABLE token (
    hash BLOB PRIMARY KEY, kind TEXT NOT NULL, account TEXT NOT NULL, client_id TEXT NOT NULL,
    origin BLOB NOT NULL, expires REAL, revoked INTEGER NOT NULL);
CREATE INDEX token_origin ON token (origin);
"""

_ADDED = (
    "CREATE TABLE login_try (who BLOB PRIMARY KEY, n INTEGER NOT NULL, last REAL NOT NULL);",
    """
    ALTER TABLE application ADD COLUMN name TEXT NOT NULL DEFAULT '';
    ALTER TABLE application ADD COLUMN added REAL;
    ALTER TABLE account ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN added REAL;
    ALTER TABLE account ADD COLUMN session INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE token ADD COLUMN issued REAL;
    ALTER TABLE token ADD COLUMN used REAL;
    UPDATE token SET issued = expires - 2592000;
    INSERT INTO meta VALUES ('dated', strftime('%s', 'now'));
    CREATE INDEX token_account ON token (account, client_id);
    CREATE TABLE request_count (
        account TEXT NOT NULL, hour INTEGER NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY (account, hour));
    """,
    "ALTER TABLE code ADD COLUMN scope TEXT; ALTER TABLE token ADD COLUMN scope TEXT",
    """
    ALTER TABLE account ADD COLUMN study TEXT NOT NULL DEFAULT '';
    ALTER TABLE account ADD COLUMN role TEXT NOT NULL DEFAULT 'wearer';
    CREATE TABLE invitation (
        hash BLOB PRIMARY KEY, account TEXT NOT NULL, expires REAL NOT NULL);
    """,
    """
    CREATE TABLE upload (
        account TEXT NOT NULL, sha256 BLOB NOT NULL, size INTEGER NOT NULL, at REAL NOT NULL,
        new INTEGER NOT NULL, PRIMARY KEY (account, sha256));
    CREATE TABLE upload_count (
        account TEXT NOT NULL, hour INTEGER NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY (account, hour));
    """,
    "CREATE TABLE retention (study TEXT PRIMARY KEY, days INTEGER NOT NULL)",
)
"""The additions of later releases, in order. The ``user_version`` of a file counts those it has."""


VERSION = len(_ADDED)


def columns(db: sqlite3.Connection) -> set[tuple[str, str]]:
    """Return the tables of a state file with their columns."""
    sql = (
        "SELECT kind.name, part.name FROM sqlite_master AS kind, pragma_table_info(kind.name)"
        " AS part WHERE kind.type = 'table'"
    )
    return set(db.execute(sql))


def expected_columns(version: int | None = None) -> set[tuple[str, str]]:
    """Return what `columns` returns for a new file, or for one with an earlier version."""
    with closing(sqlite3.connect(":memory:")) as db:
        for script in (_SCHEMA, *_ADDED[:version]):
            db.executescript(script)
        return columns(db)


def version_of(db: sqlite3.Connection) -> int:
    """Return how many of the later additions a state file has."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def statements(version: int | None) -> Iterator[str]:
    """Yield what makes the tables of this release of those of a version, or (None) of none."""
    scripts = (_SCHEMA, *_ADDED) if version is None else _ADDED[version:]
    for script in scripts:
        yield from (statement for statement in script.split(";") if statement.strip())


def add_key(db: Transaction) -> None:
    """Add a new signing key."""
    db.execute("INSERT INTO meta VALUES ('signing_key', ?)", (os.urandom(32),))


def fill(db: sqlite3.Connection) -> None:
    """Write the tables of this release and a new signing key into an empty file."""
    _add(db, None)
    add_key(db)


def bring_up_to_date(db: sqlite3.Connection, file: Path) -> None:
    """Add the missing parts to a file of an older release, and keep a copy of it as it was.

    Raises
    ------
    ConfigurationError
        If a newer release wrote the file, or it cannot be copied or changed without the loss of a
        row. It is then left as it is.
    """
    refuse_newer(version_of(db))
    if version_of(db) == VERSION:
        return
    with transaction(db):
        version = version_of(db)  # another process may have been first
        refuse_newer(version)
        if version == VERSION:
            return
        for leftover in file.parent.glob(f".{escape(file.name)}.*.tmp"):  # of a killed process
            leftover.unlink(missing_ok=True)
        copy = temporary_name(file)
        try:
            before = _copied(file, copy)
            _add(db, version)
            _check_changed(db, before, file)
            put_in_place(copy, file.with_name(f"{file.stem}.version-{version}{file.suffix}"))
        except OSError as error:
            raise ConfigurationError(
                f"{file} is of an older eyelog, and no copy of it can be written, so it stays as it"
                f" is: {error.strerror}"
            ) from None
        finally:
            copy.unlink(missing_ok=True)


def refuse_newer(version: int, file: Path | None = None) -> None:
    """Raise `ConfigurationError` for a version of the state that a newer release has made."""
    if version > VERSION:
        where = "" if file is None else f" in {file}"
        raise ConfigurationError(
            f"the service's state{where} was written by a newer eyelog (version {version} of the"
            f" state, this one knows {VERSION}): update eyelog"
        )


def _add(db: sqlite3.Connection, version: int | None) -> None:
    for statement in statements(version):
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {VERSION}")


_Rows = dict[str, tuple[list[str], Counter[tuple[Any, ...]]]]
"""For each table, its columns and its rows."""


def _copied(file: Path, copy: Path) -> _Rows:
    """Write a copy of a file that nobody else can change now; return the rows read back from it."""
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    # Not the connection of the transaction: it could copy what it has not committed.
    with closing(connect(file)) as source:
        with closing(connect(copy, write=True)) as target:
            source.backup(target)
        before = rows_of_tables(source, columns(source))
    with closing(connect(copy)) as written:
        whole = [row[0] for row in written.execute("PRAGMA integrity_check(3)")]
        if whole != ["ok"] or rows_of_tables(written, columns(written)) != before:
            raise ConfigurationError(
                f"{file} is of an older eyelog and cannot be brought up to date: a copy of it is"
                f" damaged ({'; '.join(whole)}); restore a backup"
            )
    return before


def rows_of_tables(db: sqlite3.Connection, of: set[tuple[str, str]]) -> _Rows:
    """Return the columns of each table, of those in `of`, sorted, and how often it has each row."""
    rows: _Rows = {}
    for table in sorted({table for table, _ in of}):
        names = sorted(name for owner, name in of if owner == table)
        sql = f"SELECT {', '.join(names)} FROM {table}"  # noqa: S608 (names of the schema)
        rows[table] = names, Counter(db.execute(sql).fetchall())
    return rows


def _check_changed(db: sqlite3.Connection, before: _Rows, file: Path) -> None:
    """Raise unless a changed file has every row that it had, and all that a new file has."""
    old_columns = {(table, name) for table, (names, _) in before.items() for name in names}
    after = rows_of_tables(db, old_columns)
    held = sum(rows.total() for _, rows in before.values())
    lost = sum((rows - after[table][1]).total() for table, (_, rows) in before.items())
    expected = expected_columns()
    missing = expected - columns(db)
    if lost or missing:
        raise ConfigurationError(
            f"{file} is of an older eyelog and stays as it is: brought up to date, it would lack"
            f" {lost} of its {held} rows and {len(missing)} of {len(expected)} columns; restore a"
            " backup"
        )
