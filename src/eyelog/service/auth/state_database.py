"""The state in a Postgres database, which several hosts of a service share.

The statements are those of SQLite, with a few words changed. A lock of the database plays the role
of SQLite's lock on the file: transactions that write follow one another, on all hosts. Connections
are few, are kept, and are replaced when the database was away.
"""

import re
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final

import psycopg
from psycopg import Connection, errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from eyelog.disk.files import make_folders
from eyelog.errors import ConfigurationError
from eyelog.service.auth.schema import VERSION, add_key, expected_columns, refuse_newer, statements
from eyelog.service.auth.secrets import digest
from eyelog.service.auth.transaction import (
    KeyTaken,
    StateBusy,
    StateFault,
    StatementResult,
    Transaction,
    Values,
)

__all__ = ["StateDatabase", "in_postgres"]

_MOST: Final = 8
"""Connections of one process; a database accepts a hundred by default."""
_WAIT_S: Final = 5
_IMPORT_S: Final = 900
"""How long an import waits for another one into the same account."""

# A host that is cut off must not keep others waiting: it does not hold a lock for long, and this
# one does not wait long for an answer.
_CONNECTING: Final[Mapping[str, Any]] = {
    "connect_timeout": _WAIT_S,
    "application_name": "eyelog",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_SESSION: Final = (
    f"SET lock_timeout = '{_WAIT_S}s'; SET idle_in_transaction_session_timeout = '30s';"
    " SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
)

_WORDS: Final = {
    r"CAST\(value AS REAL\)": "CAST(convert_from(value, 'UTF8') AS DOUBLE PRECISION)",
    r"strftime\('%s', 'now'\)": "convert_to(CAST(extract(epoch FROM now()) AS TEXT), 'UTF8')",
    r"\bBLOB\b": "BYTEA",
    r"\bREAL\b": "DOUBLE PRECISION",  # Postgres has a smaller one of this name
    r"(?<=[a-z] )TEXT\b": 'TEXT COLLATE "C"',  # the order of SQLite, whatever the database's
}


@lru_cache(maxsize=500)
def in_postgres(sql: str) -> bytes:
    """Return a statement of the service as Postgres, and psycopg's marks, need it."""
    for pattern, other in _WORDS.items():
        sql = re.sub(pattern, other, sql)
    sql = sql.replace("%", "%%").replace("?", "%s")
    return re.sub(r":([a-z_]+)", r"%(\1)s", sql).encode()


def _lock(what: str) -> int:
    """Return the number of a lock, one that no other program is likely to use."""
    return int.from_bytes(digest(f"eyelog\n{what}")[:8], signed=True)


_BEGIN: Final = f"BEGIN; SELECT pg_advisory_xact_lock({_lock('state')})".encode()
# Not to_regclass: its answer may be from before this transaction waited for its lock.
_TABLES: Final = b"SELECT 1 FROM pg_class WHERE relname = 'meta' AND pg_table_is_visible(oid)"
_TRY: Final = f"SELECT pg_try_advisory_xact_lock({_lock('state')})".encode()


class _Statements:
    """The statements of one transaction."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def execute(self, sql: str, values: Values = (), /) -> StatementResult:
        return self._db.execute(in_postgres(sql), values)

    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> None:
        with self._db.cursor() as cursor:
            cursor.executemany(in_postgres(sql), values)


class StateDatabase:
    """Transactions on the tables in a database; its functions are those of `State`.

    Parameters
    ----------
    address : str
        ``postgresql://USER@HOST/NAME``; the password, if it is not in it, comes from the file that
        PGPASSFILE names, as for every Postgres program.
    name : str
        The address without a password, for messages.
    folder : Path
        The folder of this host.
    """

    def __init__(self, address: str, name: str, folder: Path) -> None:
        self._name = name
        self._folder = folder
        try:
            self._settings = {**_CONNECTING, **conninfo_to_dict(address)}
        except psycopg.Error:  # its text may quote the password
            raise ConfigurationError(
                f"the address of the state's database, {name}, cannot be read: write it as"
                " postgresql://USER@HOST:PORT/NAME"
            ) from None
        self._idle: deque[Connection] = deque()
        self._room = BoundedSemaphore(_MOST)
        self._current = False  # whether the tables are those of this release
        weakref.finalize(self, _close, self._idle)

    def keep_open(self) -> None:
        """Do nothing: connections are kept from the first on."""

    def now(self) -> float:
        """Return the database's time: the hosts' clocks may differ."""
        sql = b"SELECT CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"
        with self._taken(sql) as (_, cursor):
            return float(cursor.fetchone()[0])

    def require(self) -> None:
        """Raise `ConfigurationError` if the database has no tables of a service."""
        if self.version() is None:
            raise ConfigurationError(
                f"there is no service state in {self._name}: eyelog service add-account creates one"
            )
        self._make_folder()

    def prepare(self) -> None:
        """Create the tables, unless they exist, and the folder of this host."""
        self._make_folder()
        if self.version() is None:
            self._bring_up_to_date()

    def _make_folder(self) -> None:
        try:
            make_folders(self._folder)
        except OSError as error:
            raise ConfigurationError(
                f"cannot use the folder of this host, {self._folder}: {error.strerror}; name"
                " another with --local"
            ) from None

    def version(self) -> int | None:
        """Return the version of the tables; None if there are none.

        Raises
        ------
        ConfigurationError
            If the database has the tables of another program.
        """
        with self._taken(_TABLES) as (db, cursor):
            return self._version(db) if cursor.fetchone() else None

    def _version(self, db: Connection) -> int:
        with suppress(errors.UndefinedColumn):
            row = db.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
            if row is not None:
                return int(row[0])
        raise ConfigurationError(
            f"{self._name} has tables of another program: give the service a database of its own"
        )

    def _bring_up_to_date(self) -> None:
        """Create the tables, or add what is new in this release; one host does it, others wait."""
        with self._alone() as db:
            version = self._version(db) if db.execute(_TABLES).fetchone() else None
            refuse_newer(version or 0)
            if version == VERSION:
                return
            transaction = _Statements(db)
            for statement in statements(version):
                transaction.execute(statement)
            if version is None:
                add_key(transaction)
            transaction.execute(
                "INSERT INTO meta VALUES ('version', ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (str(VERSION),),
            )

    def _make_current(self) -> bool:
        """Return whether there are tables; those of an older release are brought up to date."""
        if self._current:
            return True
        version = self.version()
        if version is None:
            return False
        refuse_newer(version)
        if version < VERSION:
            self._bring_up_to_date()
        self._current = True
        return True

    def rows(self, sql: str, *values: Any, **named: Any) -> list[Any]:
        """Return the rows of a query; none if there are no tables yet."""
        if not self._make_current() or not all(map(_can_be_stored, (*values, *named.values()))):
            return []
        with self._taken(in_postgres(sql), named or values) as (_, cursor):
            return list(cursor)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Open one transaction; those of other hosts wait for its end."""
        self._make_current()
        with self._alone() as db:
            yield _Statements(db)

    def note(self, sql: str, *values: Any) -> None:
        """Write rows, unless somebody else writes now or the database cannot be reached."""
        with suppress(ConfigurationError):
            self._make_current()
            with self._taken(b"BEGIN") as (db, _), _committed(db):
                if db.execute(_TRY).fetchone() == (True,):
                    db.execute(in_postgres(sql), values)

    @contextmanager
    def alone(self, account: str) -> Iterator[int]:
        """Hold the lock for an import into an account; give the handle of its connection.

        A process that inherits the handle holds the lock too, so that it lasts until the importing
        process has ended, whatever happens to the one that started it.
        """
        with self._faults():
            db = self._connect()
            try:
                db.execute(f"SET lock_timeout = '{_IMPORT_S}s'".encode())
                db.execute("SELECT pg_advisory_lock(%s)", (_lock(f"import\n{account}"),))
                yield db.fileno()
            finally:
                db.close()

    def columns(self) -> set[tuple[str, str]]:
        """Return the tables that the state should have and has, with their columns."""
        with self._taken(
            b"SELECT table_name, column_name FROM information_schema.columns"
            b" WHERE table_schema = current_schema()"
        ) as (_, cursor):
            return expected_columns() & set(cursor.fetchall())

    def is_encrypted(self) -> bool:
        """Return whether nobody in between can read the traffic of this host and the database."""
        with self._taken(b"SELECT 1") as (db, _):
            address = db.info.hostaddr  # empty for a socket of this machine
            return not address or ip_address(address).is_loopback or db.pgconn.ssl_in_use

    def rewrite(self, tables: Iterable[str]) -> None:
        """Rewrite tables, so that no page of them has what was deleted."""
        with self._taken(b"SELECT 1") as (db, _):
            for table in tables:
                db.execute(f"VACUUM (FULL) {table}".encode())

    # Connections.

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """Open a transaction during which no other writes, on any host."""
        with self._taken(_BEGIN) as (db, _), _committed(db):
            yield db

    @contextmanager
    def _taken(self, first: bytes, values: Values = ()) -> Iterator[tuple[Connection, Any]]:
        """Give a connection on which the first statement has been run, and what it has found."""
        with self._faults():
            if not self._room.acquire(timeout=_WAIT_S):
                raise StateBusy(f"too many wait for the service's state in {self._name}: try again")
            try:
                db, cursor = self._begun(first, values)
                try:
                    yield db, cursor
                finally:
                    self._give_back(db)
            finally:
                self._room.release()

    def _begun(self, first: bytes, values: Values) -> tuple[Connection, Any]:
        while True:
            kept = self._kept()
            db = self._connect() if kept is None else kept
            try:
                return db, db.execute(first, values)
            except psycopg.Error as error:
                lost = db.broken and isinstance(error, psycopg.OperationalError)
                _roll_back(db)
                self._give_back(db)
                if kept is None or not lost:  # otherwise the database was restarted in the meantime
                    raise

    def _kept(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _connect(self) -> Connection:
        db = psycopg.connect(**self._settings, autocommit=True, prepare_threshold=None)
        db.execute(_SESSION.encode())
        return db

    def _give_back(self, db: Connection) -> None:
        if db.info.transaction_status == TransactionStatus.IDLE:
            self._idle.append(db)
        else:
            db.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn the errors of the database into those of eyelog, each in one line."""
        try:
            yield
        except errors.UniqueViolation:
            raise KeyTaken from None
        except errors.LockNotAvailable:
            raise StateBusy(
                f"the service's state in {self._name} is locked by another host or program: try"
                " again"
            ) from None
        except psycopg.Error as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise StateFault(
                f"the service's state in {self._name} cannot be used: {reason}"
            ) from None


def _can_be_stored(value: object) -> bool:
    """Return whether a value can be in the database: a stranger may send any text."""
    if not isinstance(value, str):
        return True
    try:
        return b"\0" not in value.encode()
    except UnicodeEncodeError:
        return False


@contextmanager
def _committed(db: Connection) -> Iterator[None]:
    """Commit the transaction that was begun, or nothing of it."""
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        _roll_back(db)
        raise


def _roll_back(db: Connection) -> None:
    if db.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        with suppress(psycopg.Error):
            db.execute("ROLLBACK")


def _close(idle: deque[Connection]) -> None:
    while idle:
        idle.pop().close()
