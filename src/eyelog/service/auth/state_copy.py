"""Copy a state from a file into a database, when one host is no longer enough."""

from collections import Counter
from contextlib import closing
from typing import Any

from eyelog.disk.sqlite import connect
from eyelog.errors import ConfigurationError
from eyelog.service.auth.schema import columns, rows_of_tables
from eyelog.service.auth.state import State

__all__ = ["copy_state"]


def copy_state(source: State, target: State) -> dict[str, int]:
    """Copy a state from a file into a database, as a whole or not at all.

    Returns how many rows each table has. The file keeps its content.

    Parameters
    ----------
    source : State
        A state in a file. Concurrent writers are not waited for: stop the service first.
    target : State
        A database that has no accounts, applications or other rows yet.

    Raises
    ------
    ConfigurationError
        If the source is not a file, the target is not a database or has a state already, or what
        is read back from it differs.
    """
    if source.in_database or not target.in_database:
        raise ConfigurationError(
            "a state is copied from a folder into a database, postgresql://..."
        )
    source.require()
    source.rows("SELECT 1 FROM meta")  # brings a file of an older release up to date
    with closing(connect(source.file)) as db:
        db.execute("BEGIN")
        tables = rows_of_tables(db, columns(db))
    of_meta, rows = tables["meta"]
    tables["meta"] = of_meta, Counter(map(_in_bytes, rows.elements()))
    target.prepare()
    with target.write() as written:
        for table in tables:
            if table != "meta" and written.execute(f"SELECT 1 FROM {table}").fetchone():  # noqa: S608 (names of the schema)
                raise ConfigurationError(
                    f"{target.name} has the state of a service already: name an empty database"
                )
        # The version is the database's own; the key has to be that of the cursors given out.
        written.execute("DELETE FROM meta WHERE name != 'version'")
        for table, (names, rows) in tables.items():
            shown, marks = ", ".join(names), ", ".join("?" * len(names))
            sql = f"INSERT INTO {table} ({shown}) VALUES ({marks})"  # noqa: S608 (names of the schema)
            written.executemany(sql, rows.elements())
            own = " WHERE name != 'version'" if table == "meta" else ""
            sql = f"SELECT {shown} FROM {table}{own}"  # noqa: S608 (names of the schema)
            if Counter(written.execute(sql).fetchall()) != rows:
                raise ConfigurationError(
                    f"the table {table} in {target.name} is not that of {source.name} after it was"
                    " copied: nothing was kept there"
                )
    return {table: rows.total() for table, (_, rows) in tables.items()}


def _in_bytes(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row of `meta` as a database has it: the dates, texts in SQLite, as bytes."""
    name, value = row
    return name, value.encode() if isinstance(value, str) else value
