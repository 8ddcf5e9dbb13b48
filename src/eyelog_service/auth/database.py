"""The addresses of Postgres databases, and connections to one that several hosts share."""

import os
import re
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event

from eyelog.errors import ConfigurationError
from eyelog_service.auth.secrets import digest

MOST_CONNECTIONS: Final = 8
"""Connections of one process that are kept; a database accepts a hundred by default."""
_DATABASE: Final = re.compile(
    r"(?P<scheme>postgres(?:ql)?://)"
    r"(?:(?P<user>[^:@/?#\s]*)(?P<password>:[^@/?#\s]*)?@)?"
    r"(?P<host>[^@/?#\s]*)/(?P<name>[^@/?#\s]*)(?P<more>\?[^@#\s]*)?"
)
# A host that is cut off must not keep others waiting: it does not hold a lock for long, and this
# one does not wait long for an answer.
_CONNECTING: Final = {
    "connect_timeout": 5,
    "application_name": "eyelog",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_SESSION: Final = (
    "SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '30s';"
    " SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
)


def is_database(state: str | os.PathLike[str] | None) -> bool:
    """Return whether a state is the address of a database."""
    return state is not None and os.fspath(state).startswith(("postgresql://", "postgres://"))


def shown_database(address: str) -> str:
    """Return the address of a database without what may be secret in it."""
    match = _DATABASE.fullmatch(address)
    if match is None:  # a password with a special character: nobody knows where it ends
        return f"{address.partition('://')[0]}://..."
    user = f"{match['user']}@" if match["user"] else ""
    return f"{match['scheme']}{user}{match['host']}/{match['name']}"


def has_password(address: str) -> bool:
    """Return whether the address of a database has a password in it."""
    match = _DATABASE.fullmatch(address)
    return match is None or bool(match["password"]) or "password=" in (match["more"] or "")


def lock_number(what: str) -> int:
    """Return the number of a lock, one that no other program is likely to use."""
    return int.from_bytes(digest(f"eyelog\n{what}")[:8], signed=True)


TRY: Final = f"SELECT pg_try_advisory_xact_lock({lock_number('state')})"


def engine_of_database(address: str, name: str) -> Engine:
    """Return the connections to a database; `name` is its address without a password."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise ConfigurationError(
            "a state in Postgres needs the package 'psycopg': pip install 'eyelog[postgres]'"
        ) from None
    try:
        if not _DATABASE.fullmatch(address):
            raise psycopg.ProgrammingError
        settings: dict[str, Any] = {**_CONNECTING, **conninfo_to_dict(address)}
    except psycopg.Error:  # its text may quote the password
        raise ConfigurationError(
            f"the address of the state's database, {name}, cannot be read: write it as"
            " postgresql://USER@HOST:PORT/NAME, with %2F for / and %40 for @ in a password"
        ) from None

    def connected() -> Any:
        db = psycopg.connect(**settings, autocommit=True, prepare_threshold=None)
        db.execute(_SESSION.encode())
        db.autocommit = False
        return db

    engine = create_engine(
        "postgresql+psycopg://",
        creator=connected,
        pool_size=MOST_CONNECTIONS,
        max_overflow=0,
        pool_timeout=5.0,
        pool_pre_ping=True,  # the database may have been restarted
    )

    @event.listens_for(engine, "begin")
    def begin(db: Connection) -> None:
        if db.get_execution_options().get("alone", False):
            db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({lock_number('state')})")

    return engine
