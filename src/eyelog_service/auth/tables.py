"""The tables of the service's state, their version, and statements on them.

Either kind of state has the same tables, and the same statements work on both, by SQLAlchemy Core.
The only secret in clear text is the key that signs cursors and forms.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

from eyelog.errors import ConfigurationError

TABLES: Final = MetaData()
Table(
    "meta",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
Table(
    "account",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("password", LargeBinary),
    Column("disabled", Integer, nullable=False, server_default="0"),
    Column("added", Double),
    Column("session", Integer, nullable=False, server_default="0"),
    Column("study", Text, nullable=False, server_default=""),
)
Table(
    "application",
    TABLES,
    Column("client_id", Text, primary_key=True),
    Column("secret", LargeBinary, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("name", Text, nullable=False, server_default=""),
    Column("added", Double),
)
Table(
    "code",
    TABLES,
    Column("hash", LargeBinary, primary_key=True),
    Column("account", Text, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("challenge", Text),
    Column("expires", Double, nullable=False),
    Column("used", Integer, nullable=False),
    Column("scope", Text),
)
Table(
    "token",
    TABLES,
    Column("hash", LargeBinary, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("origin", LargeBinary, nullable=False),
    Column("expires", Double),
    Column("revoked", Integer, nullable=False),
    Column("issued", Double),
    Column("used", Double),
    Column("scope", Text),
    Index("token_origin", "origin"),
    Index("token_account", "account", "client_id"),
)
Table(
    "invitation",
    TABLES,
    Column("hash", LargeBinary, primary_key=True),
    Column("account", Text, nullable=False),
    Column("expires", Double, nullable=False),
)
Table(
    "login_try",
    TABLES,
    Column("who", LargeBinary, primary_key=True),
    Column("n", Integer, nullable=False),
    Column("last", Double, nullable=False),
)
for _counted in ("request", "upload"):
    Table(
        f"{_counted}_count",
        TABLES,
        Column("account", Text, primary_key=True),
        Column("hour", Integer, primary_key=True),
        Column("n", Integer, nullable=False),
    )
Table(
    "retention",
    TABLES,
    Column("study", Text, primary_key=True),
    Column("days", Integer, nullable=False),
)

VERSION: Final = 7
_OLDEST: Final = 6
"""That of eyelog 0.3, which had a table of the files that were sent, and roles of accounts."""


statement = lru_cache(maxsize=500)(text)
"""Return a statement of SQL, whose marks are ``:name``."""


def run(db: Connection, sql: str, **values: Any) -> Any:
    """Execute a statement within a transaction; return its result."""
    return db.execute(statement(sql), values)


def add(db: Connection, table: str, **values: Any) -> None:
    """Add a row to a table."""
    db.execute(TABLES.tables[table].insert(), values)


def refuse_other(version: int, name: str | Path | None = None) -> int:
    """Return a version of the state that this release can use; refuse any other.

    Raises
    ------
    ConfigurationError
        If a newer release has written the state, or one before 0.3.
    """
    where = "" if name is None else f" in {name}"
    if version > VERSION:
        raise ConfigurationError(
            f"the service's state{where} was written by a newer eyelog (version {version} of the"
            f" state, this one knows {VERSION}): update eyelog"
        )
    if version < _OLDEST:
        raise ConfigurationError(
            f"the service's state{where} was written by an eyelog before 0.3 (version {version} of"
            " the state): run eyelog service list-accounts of eyelog 0.3 once, which brings it up"
            " to date"
        )
    return version


def expected_columns() -> set[tuple[str, str]]:
    """Return the tables of a state with their columns."""
    return {(table.name, column.name) for table in TABLES.sorted_tables for column in table.columns}


def add_key(db: Connection) -> None:
    """Add a new signing key."""
    add(db, "meta", name="signing_key", value=os.urandom(32))


def fill(db: Connection) -> None:
    """Write the tables of this release and a new signing key into an empty state."""
    TABLES.create_all(db)
    add_key(db)
    set_version(db)


def set_version(db: Connection) -> None:
    """Note that the tables are those of this release."""
    if db.dialect.name == "sqlite":
        db.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    else:
        set_meta(db, "version", str(VERSION).encode())


def set_meta(db: Connection, name: str, value: bytes) -> None:
    """Write a value of the table `meta`."""
    sql = (
        "INSERT INTO meta VALUES (:name, :value)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    )
    run(db, sql, name=name, value=value)
