"""The state of a service: its tables, and the file of SQLite or the Postgres database they are in.

Either has the same tables, and the same statements work on both, by SQLAlchemy Core. Transactions
that write follow one another: by SQLite's lock on the file, or by one lock of the database. Of
tokens, codes, secrets and passwords only hashes are stored. The only secret in clear text is the
key that signs cursors and forms.
"""

import errno
import hashlib
import os
import re
import secrets
import shlex
import sqlite3
import stat
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from copy import copy
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import sqlalchemy as sa

from eyelog.errors import ConfigurationError
from eyelog.home import make_folders, new_file, temporary_name

TABLES: Final = sa.MetaData()


def _key(name: str, kind: Any = sa.Text) -> sa.Column[Any]:
    return sa.Column(name, kind, primary_key=True)


def _must(kind: Any, *names: str, default: str | None = None) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False, server_default=default) for name in names]


def _may(kind: Any, *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name in names]


sa.Table("meta", TABLES, _key("name"), *_must(sa.LargeBinary, "value"))
sa.Table(
    "account",
    TABLES,
    _key("name"),
    *_may(sa.LargeBinary, "password"),
    *_must(sa.Integer, "disabled", default="0"),
    *_may(sa.Double, "added"),
    *_must(sa.Integer, "session", default="0"),
    *_must(sa.Text, "study", default=""),
)
sa.Table(
    "application",
    TABLES,
    _key("client_id"),
    *_must(sa.LargeBinary, "secret"),
    *_must(sa.Text, "redirect_uri"),
    *_must(sa.Text, "name", default=""),
    *_may(sa.Double, "added"),
)
sa.Table(
    "code",
    TABLES,
    _key("hash", sa.LargeBinary),
    *_must(sa.Text, "account", "client_id", "redirect_uri"),
    *_may(sa.Text, "challenge"),
    *_must(sa.Double, "expires"),
    *_must(sa.Integer, "used"),
    *_may(sa.Text, "scope"),
)
sa.Table(
    "token",
    TABLES,
    _key("hash", sa.LargeBinary),
    *_must(sa.Text, "kind", "account", "client_id"),
    *_must(sa.LargeBinary, "origin"),
    *_may(sa.Double, "expires"),
    *_must(sa.Integer, "revoked"),
    *_may(sa.Double, "issued", "used"),
    *_may(sa.Text, "scope"),
    sa.Index("token_origin", "origin"),
    sa.Index("token_account", "account", "client_id"),
)
sa.Table(
    "invitation",
    TABLES,
    _key("hash", sa.LargeBinary),
    *_must(sa.Text, "account"),
    *_must(sa.Double, "expires"),
)
sa.Table(
    "login_try",
    TABLES,
    _key("who", sa.LargeBinary),
    *_must(sa.Integer, "n"),
    *_must(sa.Double, "last"),
)
for _counted in ("request_count", "upload_count"):
    sa.Table(_counted, TABLES, _key("account"), _key("hour", sa.Integer), *_must(sa.Integer, "n"))
sa.Table("retention", TABLES, _key("study"), *_must(sa.Integer, "days"))

VERSION: Final = 7
_OLDEST: Final = 6
"""That of eyelog 0.3, which also has a table of the files that were sent, and roles of accounts."""


statement = lru_cache(maxsize=500)(sa.text)
"""Return a statement of SQL, whose marks are ``:name``."""


def run(db: sa.Connection, sql: str, **values: Any) -> Any:
    """Execute a statement within a transaction; return its result."""
    return db.execute(statement(sql), values)


def add(db: sa.Connection, table: str, **values: Any) -> None:
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


def add_key(db: sa.Connection) -> None:
    """Add a new signing key."""
    add(db, "meta", name="signing_key", value=os.urandom(32))


def fill(db: sa.Connection) -> None:
    """Create the tables of a new state, with its signing key."""
    TABLES.create_all(db)
    add_key(db)
    if db.dialect.name == "sqlite":
        db.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    else:
        set_meta(db, "version", str(VERSION).encode())


def set_meta(db: sa.Connection, name: str, value: bytes) -> None:
    """Write a value of the table `meta`."""
    sql = (
        "INSERT INTO meta VALUES (:name, :value)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    )
    run(db, sql, name=name, value=value)


def new_token() -> str:
    """Return at least 255 random bits as 43 characters, safe in an address and on a command line.

    None begins with "-", which a command line would read as an option.
    """
    while (token := secrets.token_urlsafe(32)).startswith("-"):
        pass
    return token


def digest(token: str) -> bytes:
    """Return the SHA-256 of a random token; 256 random bits do not need a slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


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


def engine_of_database(address: str, name: str) -> sa.Engine:
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

    engine = sa.create_engine(
        "postgresql+psycopg://",
        creator=connected,
        pool_size=MOST_CONNECTIONS,
        max_overflow=0,
        pool_timeout=5.0,
        pool_pre_ping=True,  # the database may have been restarted
    )

    @sa.event.listens_for(engine, "begin")
    def begin(db: sa.Connection) -> None:
        if db.get_execution_options().get("alone", False):
            db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({lock_number('state')})")

    return engine


# Parquet tools that open the folder skip names that begin with an underscore.
_FILE_NAME: Final = "_service.sqlite"
WAIT_SECONDS: Final = 5.0
_IMPORT_S: Final = 900
"""How long an import waits for another one into the same account."""


class StateBusy(ConfigurationError):
    """Another process holds the lock on the state for longer than a request can wait."""


class StateFault(ConfigurationError):
    """The state cannot be used until the operator has fixed a fault, such as a full disk."""


class KeyTaken(Exception):
    """There is a row with this key already: another process was first."""


class State:
    """Transactions on the state of a service.

    Parameters
    ----------
    archive_path : path or URL
        The archive.
    state : path or URL, optional
        The folder of ``_service.sqlite``, by default the archive's; or the address of a database,
        ``postgresql://USER@HOST/NAME``. The password, if it is not in it, comes from the file that
        PGPASSFILE names, as for every Postgres program.
    local : path, optional
        With a database, the folder of this host for incoming files and for the audit log; by
        default the archive's.

    Attributes
    ----------
    archive : Path or str
        The archive's folder, or its URL in an object store.
    folder : Path
        The folder of the state; with a database, that of this host.
    beside : Path
        The archive's folder; `folder`, if the archive is in an object store.
    file : Path
        ``_service.sqlite`` in that folder, which a service with a database does not have.
    in_database : bool
        Whether several hosts can share the state.
    name : str
        The path of the file, or the address of the database without a password.

    Raises
    ------
    ConfigurationError
        If a folder is missing or cannot be one, or the database cannot be named like this.
    """

    def __init__(
        self,
        archive_path: str | os.PathLike[str],
        state: str | os.PathLike[str] | None = None,
        local: str | os.PathLike[str] | None = None,
    ) -> None:
        self.in_database = is_database(state)
        option, own = ("--local", local) if self.in_database else ("--state", state)
        if not self.in_database and "://" in (given := os.fspath(state or "")):
            shown = f"{given.partition('://')[0]}://..." if "@" in given else given
            raise ConfigurationError(
                f"the service needs a local folder for its state, not {shown!r};"
                " several hosts can share a database, postgresql://..."
            )
        if not self.in_database and local is not None:
            raise ConfigurationError(
                "--local is the folder of a host whose state is in a database: name that with"
                " --state postgresql://..., or leave --local out"
            )
        path = os.fspath(archive_path)
        self.archive: Path | str = path if "://" in path else Path(path).expanduser()
        if isinstance(self.archive, str) and own is None:
            url = urlsplit(self.archive)  # which may have credentials before the @
            shown = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
            what = "what comes in and its logs" if self.in_database else "the service's state"
            raise ConfigurationError(
                f"the archive {shown} is not a folder of this machine: name one for {what} with"
                f" {option}"
            )
        self.folder = Path(path if own is None else own).expanduser()
        self.beside = self.folder if isinstance(self.archive, str) else self.archive
        if own is not None and self.folder.exists() and not self.folder.is_dir():
            raise ConfigurationError(f"{self.folder} is not a folder: {option} takes one")
        self.file = self.folder / _FILE_NAME
        beside = self.beside / _FILE_NAME
        if self.in_database:
            self.name = shown_database(str(state))
            self._engine = engine_of_database(str(state), self.name)
        elif beside.exists() and not self.file.exists():
            folder = shlex.quote(str(self.folder))
            files = f"{shlex.quote(str(self.beside))}/_service.*"
            raise ConfigurationError(
                f"the service's state is {beside}, and {self.folder} has none: stop the service"
                f" and move the state (mkdir -p -m 700 {folder} && mv {files} {folder}/)"
            )
        else:
            self.name = str(self.file)
            self._engine = _engine_of_file(self.file)
        self._option = option
        self._known = False  # whether the tables are of a release that this one knows
        weakref.finalize(self, self._engine.dispose)

    def copies(self) -> list["State"]:
        """Return the states that were set aside in the folder, with their tables as they are."""
        copies = []
        for file in sorted(self.folder.glob(f"{self.file.stem}*{self.file.suffix}")):
            if self.in_database or file != self.file:
                one = copy(self)
                one.file, one.name, one.in_database = file, str(file), False
                one._engine = _engine_of_file(file)
                copies.append(one)
        return copies

    def require(self) -> None:
        """Raise `ConfigurationError` if no service was set up."""
        if not (self.version() is not None if self.in_database else self.file.exists()):
            where, its = (
                (self.name, "another")
                if self.in_database
                else (f"the folder {self.folder}", "its folder")
            )
            raise ConfigurationError(
                f"there is no service state in {where}: name {its} with --state, or the archive"
                " with --archive; eyelog service add-account creates one"
            )
        self._make_folder()

    def prepare(self) -> None:
        """Create the state with its tables and signing key, if it does not exist.

        A file is created with the mode 0600.

        Raises
        ------
        ConfigurationError
            If it cannot be created or used.
        """
        self._make_folder(with_file=not self.in_database)
        if self.version() is None:
            with self.alone() as db:
                if self.version_in(db) is None:  # no other process was first
                    fill(db)

    def _make_folder(self, *, with_file: bool = False) -> None:
        try:
            make_folders(self.folder)
            if with_file:
                if not self.file.exists() and not self.file.is_symlink():
                    with self._faults():
                        _create(self.file)
                status = self.file.lstat()
                if stat.S_ISLNK(status.st_mode):
                    raise OSError(errno.ELOOP, "it is a symbolic link")
                if os.name == "posix" and status.st_mode & 0o077:
                    self.file.chmod(0o600)
        except OSError as error:
            raise ConfigurationError(
                f"cannot store the service's state in {self.folder}: {error.strerror}; name another"
                f" folder with {self._option}"
            ) from None

    def rows(self, sql: str, **values: Any) -> list[Any]:
        """Return the rows of a query; none if there is no state yet."""
        if not self._is_there():
            return []
        with self.opened() as db:
            try:
                return list(db.execute(statement(sql), values))
            except (UnicodeEncodeError, sa.exc.DataError):  # a stranger may send any text
                return []

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Open one transaction, alone; an error in it leaves the state as it was.

        Raises
        ------
        StateBusy
            If others keep it locked.
        KeyTaken
            If a row that is added is there already.
        """
        self._is_there()
        with self.alone() as db:
            yield db

    def note(self, sql: str, **values: Any) -> None:
        """Write rows that nothing depends on, unless the state is locked or cannot be written."""
        with suppress(ConfigurationError):
            self._is_there()
            with self.opened() as db:
                db.exec_driver_sql(
                    "SET LOCAL lock_timeout = '10ms'"
                    if self.in_database
                    else "PRAGMA busy_timeout = 0"
                )
                db.execute(statement(sql), values)
                db.commit()

    @contextmanager
    def importing(self, account: str) -> Iterator[int]:
        """Hold a database's lock for an import into an account; give the handle of its connection.

        A process that inherits the handle holds the lock too, so that it lasts until the importing
        process has ended, whatever happens to the one that started it.
        """
        with self._by_itself() as db:
            connection: Any = db.connection.driver_connection
            db.detach()  # it is closed in the end, and not kept
            db.exec_driver_sql(f"SET lock_timeout = '{_IMPORT_S}s'")
            db.exec_driver_sql(f"SELECT pg_advisory_lock({lock_number(f'import {account}')})")
            yield connection.fileno()

    # For checks, copies and erasures.

    def version(self) -> int | None:
        """Return the version of the tables; None if there are none.

        Raises
        ------
        ConfigurationError
            If a database has the tables of another program.
        """
        if not self.in_database and not self._has_file():
            return None
        with self.opened() as db:
            return self.version_in(db)

    @contextmanager
    def opened(self) -> Iterator[sa.Connection]:
        """Open a connection to the tables as they are, of whatever release."""
        with self._faults(), self._engine.connect() as db:
            yield db

    @contextmanager
    def _by_itself(self) -> Iterator[sa.Connection]:
        """Open a connection on which each statement is a transaction of its own."""
        by_itself = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        with self._faults(), by_itself.connect() as db:
            yield db

    def missing_columns(self) -> list[str]:
        """Return what the tables lack of those of this release, as ``table.column``."""
        with self.opened() as db:
            seen = sa.inspect(db)
            there = {
                f"{table}.{column['name']}"
                for table in seen.get_table_names()
                for column in seen.get_columns(table)
            }
        return sorted({str(each) for table in TABLES.sorted_tables for each in table.c} - there)

    def is_encrypted(self) -> bool:
        """Return whether nobody in between can read the traffic of this host and the database."""
        with self.opened() as db:
            connection: Any = db.connection.driver_connection
            address = connection.info.hostaddr  # empty for a socket of this machine
            return not address or ip_address(address).is_loopback or connection.pgconn.ssl_in_use

    def rewrite(self) -> None:
        """Write the state anew, so that no page of it has what was deleted."""
        with self._faults():
            if not self.in_database:
                with closing(connect(self.file, write=True)) as file:
                    file.execute("VACUUM")
                return
            with self._by_itself() as db:
                for table in (*TABLES.tables, *self.old_tables(db)):
                    db.exec_driver_sql(f"VACUUM (FULL) {table}")

    def _is_there(self) -> bool:
        """Return whether there are tables; those of a release that this one does not know raise."""
        if not self._known:
            version = self.version()
            self._known = version is not None and bool(refuse_other(version))
        return self._known and (self.in_database or self._has_file())

    def _has_file(self) -> bool:
        try:
            self.file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            text = f"the service's state in {self.name} cannot be used: {error}"
            raise StateFault(text) from None
        return True

    def version_in(self, db: sa.Connection) -> int | None:
        """Return the version of the tables as a transaction sees it; None if there are none."""
        if not self.in_database:
            if not self.file.stat().st_size:
                raise ConfigurationError(
                    f"the service's state in {self.file} is empty: restore a copy, or delete the"
                    " file, and eyelog service add-account creates a new state"
                )
            return int(db.exec_driver_sql("PRAGMA user_version").scalar_one())
        # Not to_regclass: its answer may be from before this transaction waited for its lock.
        sql = "SELECT 1 FROM pg_class WHERE relname = 'meta' AND pg_table_is_visible(oid)"
        if db.exec_driver_sql(sql).scalar() is None:
            return None
        with suppress(sa.exc.ProgrammingError):
            sql = "SELECT value FROM meta WHERE name = 'version'"
            if (value := db.exec_driver_sql(sql).scalar()) is not None:
                return int(value)
        raise ConfigurationError(
            f"{self.name} has tables of another program: give the service a database of its own"
        )

    def old_tables(self, db: sa.Connection) -> list[str]:
        """Return the tables that name accounts and that only the oldest of these states have."""
        has_them = self.version_in(db) == _OLDEST and sa.inspect(db).has_table("upload")
        return ["upload"] if has_them else []

    @contextmanager
    def alone(self) -> Iterator[sa.Connection]:
        """Open a transaction during which no other writes, in any process."""
        alone = self._engine.execution_options(alone=True)
        with self._faults(), alone.begin() as db:
            yield db

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn the errors of the database into those of eyelog, each in one line."""
        where = f"the service's state in {self.name}"
        try:
            yield
        except sa.exc.IntegrityError:
            raise KeyTaken from None
        except sa.exc.TimeoutError:
            raise StateBusy(f"too many wait for {where}: try again") from None
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            cause = getattr(error, "orig", error)
            code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
            is_locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if is_locked or getattr(cause, "sqlstate", "") == "55P03":
                who = "another host or program" if self.in_database else "another program"
                raise StateBusy(f"{where} is locked by {who}: try again") from None
            if code == sqlite3.SQLITE_FULL:
                raise StateFault(
                    f"{where} cannot be written, because the disk is full: free some space"
                ) from None
            reason = " ".join(str(cause).split()) or type(cause).__name__
            raise StateFault(f"{where} cannot be used: {reason}") from None


def copy_state(source: State, address: str) -> tuple[State, dict[str, int]]:
    """Copy a state from a file into a database, as a whole or not at all.

    Returns the state there, and how many rows each table has. The file keeps its content.

    Parameters
    ----------
    source : State
        A state in a file. Concurrent writers are not waited for: stop the service first.
    address : str
        The database: it has no accounts, applications or other rows yet.

    Raises
    ------
    ConfigurationError
        If the source is not a file, the target is not a database or has a state already, or what
        is read back from it differs.
    """
    if source.in_database or not is_database(address):
        raise ConfigurationError(
            "a state is copied from a folder into a database, postgresql://..."
        )
    source.require()
    target = State(source.archive, address, source.folder)
    target.prepare()
    copied = {}
    with source.write() as reading, target.write() as written:
        for table in TABLES.sorted_tables:
            if table.name != "meta" and written.execute(table.select()).first():
                raise ConfigurationError(
                    f"{target.name} has the state of a service already: name an empty database"
                )
        # The version is the database's own; the key has to be that of the cursors given out.
        written.exec_driver_sql("DELETE FROM meta WHERE name <> 'version'")
        for table in TABLES.sorted_tables:
            rows = [row._asdict() for row in reading.execute(table.select())]
            for row in rows:
                if isinstance(row.get("value"), str):  # as dates are in SQLite
                    row["value"] = row["value"].encode()
            if rows:
                written.execute(table.insert(), rows)
            back = [tuple(row) for row in written.execute(table.select())]
            back = [row for row in back if row[0] != "version" or table.name != "meta"]
            if Counter(tuple(row.values()) for row in rows) != Counter(back):
                raise ConfigurationError(
                    f"the table {table.name} in {target.name} is not that of {source.name} after it"
                    " was copied: nothing was kept there"
                )
            copied[table.name] = len(rows)
    return target, copied


# Files of SQLite. Only SQLite may open one that is in use: to close it would release the locks that
# other threads of this process have on it (POSIX locks belong to the process, not to the handle).


def connect(path: Path, *, write: bool = False) -> sqlite3.Connection:
    """Open an existing file; a lock of another process is waited for, but not for ever."""
    # A reader may have to roll back what a killed writer left, so it may write if possible.
    mode = "rw" if write or os.access(path, os.W_OK) else "ro"
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=WAIT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _engine_of_file(file: Path) -> sa.Engine:
    # None is kept open: another file may take its place, and opening one takes 0.2 ms.
    engine = sa.create_engine(
        "sqlite://", creator=lambda: connect(file, write=True), poolclass=sa.NullPool
    )

    @sa.event.listens_for(engine, "begin")
    def begin(db: sa.Connection) -> None:
        alone = db.get_execution_options().get("alone", False)
        db.exec_driver_sql("BEGIN IMMEDIATE" if alone else "BEGIN")

    return engine


def _create(file: Path) -> None:
    """Create the whole file under another name, and move it into place."""
    fresh = temporary_name(file)
    try:
        with new_file(fresh):
            pass
        with _engine_of_file(fresh).begin() as db:
            fill(db)
        try:
            os.link(fresh, file)
        except FileExistsError:
            pass  # another process, or thread, was first
        except OSError:  # no links on this file system
            fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
