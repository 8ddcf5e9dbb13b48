"""Where the service's state is: in a file of SQLite on this machine, or in a Postgres database.

Transactions that write follow one another: by SQLite's lock on the file, or by one lock of the
database.
"""

import errno
import os
import shlex
import sqlite3
import stat
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from copy import copy
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from sqlalchemy import (
    Connection,
    Engine,
    QueuePool,
    create_engine,
    event,
    exc,
    inspect,
)

from eyelog.errors import ConfigurationError
from eyelog.home import make_folders, put_in_place, remove_leftovers, temporary_name
from eyelog_service.auth.database import (
    MOST_CONNECTIONS,
    TRY,
    engine_of_database,
    is_database,
    lock_number,
    shown_database,
)
from eyelog_service.auth.tables import (
    TABLES,
    VERSION,
    fill,
    refuse_other,
    set_version,
    statement,
)

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
        if not self.in_database:
            if state is not None and "://" in (given := os.fspath(state)):
                shown = f"{given.partition('://')[0]}://..." if "@" in given else given
                raise ConfigurationError(
                    f"the service needs a local folder for its state, not {shown!r};"
                    " several hosts can share a database, postgresql://..."
                )
            if local is not None:
                raise ConfigurationError(
                    "--local is the folder of a host whose state is in a database: name that with"
                    " --state postgresql://..., or leave --local out"
                )
        path = os.fspath(archive_path)
        self.archive: Path | str = path if "://" in path else Path(path).expanduser()
        if isinstance(self.archive, str):
            if own is None:
                url = urlsplit(self.archive)  # which may have credentials before the @
                shown = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
                what = "what comes in and its logs" if self.in_database else "the service's state"
                raise ConfigurationError(
                    f"the archive {shown} is not a folder of this machine: name one for {what}"
                    f" with {option}"
                )
            self.folder = self.beside = Path(own).expanduser()
        else:
            self.beside = self.archive
            self.folder = self.archive if own is None else Path(own).expanduser()
        if own is not None and self.folder.exists() and not self.folder.is_dir():
            raise ConfigurationError(f"{self.folder} is not a folder: {option} takes one")
        self.file = self.folder / _FILE_NAME
        if self.in_database:
            self.name = shown_database(str(state))
            self._engine = engine_of_database(str(state), self.name)
        else:
            self.name = str(self.file)
            beside = self.beside / _FILE_NAME
            if not self.file.exists() and beside.exists():
                folder = shlex.quote(str(self.folder))
                files = f"{shlex.quote(str(self.beside))}/_service.*"
                raise ConfigurationError(
                    f"the service's state is {beside}, and {self.folder} has none: stop the service"
                    f" and move the state (mkdir -p -m 700 {folder} && mv {files} {folder}/)"
                )
            self._engine = _engine_of_file(self.file)
        self._current = False  # whether the tables are those of this release
        weakref.finalize(self, self._engine.dispose)

    def copies(self) -> list["State"]:
        """Return the states that were set aside in the folder, with their tables as they are."""
        copies = []
        for file in sorted(self.folder.glob(f"{self.file.stem}*{self.file.suffix}")):
            if self.in_database or file != self.file:
                one = copy(self)
                one.file, one.name, one.in_database = file, str(file), False
                one._engine = _engine_of_file(file)
                weakref.finalize(one, one._engine.dispose)
                copies.append(one)
        return copies

    def require(self) -> None:
        """Raise `ConfigurationError` if no service was set up."""
        if self.in_database:
            if self.version() is None:
                raise ConfigurationError(
                    f"there is no service state in {self.name}: eyelog service add-account creates"
                    " one"
                )
            self._make_folder()
        elif not self.file.exists():
            raise ConfigurationError(
                f"there is no service state {self.file}: name its folder with --state, or the"
                " archive with --archive; eyelog service add-account creates one"
            )

    def prepare(self) -> None:
        """Create the state with its tables and signing key, if it does not exist.

        A file is created with the mode 0600.

        Raises
        ------
        ConfigurationError
            If it cannot be created or used.
        """
        if self.in_database:
            self._make_folder()
            if self.version() is None:
                self._set_up()
            return
        try:
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
                f"cannot store the service's state in {self.file}: {error.strerror}"
            ) from None

    def _make_folder(self) -> None:
        try:
            make_folders(self.folder)
        except OSError as error:
            raise ConfigurationError(
                f"cannot use the folder of this host, {self.folder}: {error.strerror}; name"
                " another with --local"
            ) from None

    def rows(self, sql: str, **values: Any) -> list[Any]:
        """Return the rows of a query; none if there is no state yet."""
        if not self._make_current():
            return []
        with self._faults(), self._engine.connect() as db:
            try:
                return list(db.execute(statement(sql), values))
            except (UnicodeEncodeError, exc.DataError):  # a stranger may send any text
                return []

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open one transaction, alone; an error in it leaves the state as it was.

        Raises
        ------
        StateBusy
            If others keep it locked.
        KeyTaken
            If a row that is added is there already.
        """
        self._make_current()
        with self.alone() as db:
            yield db

    def note(self, sql: str, **values: Any) -> None:
        """Write rows that nothing depends on, unless the state is locked or cannot be written."""
        with suppress(ConfigurationError):
            self._make_current()
            with self._faults(), self._engine.connect() as db:
                kept = "SET LOCAL lock_timeout = '10ms'" if self.in_database else _WAIT.format(0)
                db.exec_driver_sql(kept)  # for this connection, until it is kept for others
                if not self.in_database or db.exec_driver_sql(TRY).scalar():
                    db.execute(statement(sql), values)
                    db.commit()

    @contextmanager
    def importing(self, account: str) -> Iterator[int]:
        """Hold a database's lock for an import into an account; give the handle of its connection.

        A process that inherits the handle holds the lock too, so that it lasts until the importing
        process has ended, whatever happens to the one that started it.
        """
        with (
            self._faults(),
            self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db,
        ):
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
        if not self.in_database and not self.file.exists():
            return None
        with self.opened() as db:
            return self.version_in(db)

    @contextmanager
    def opened(self) -> Iterator[Connection]:
        """Open a connection to the tables as they are, of whatever release."""
        with self._faults(), self._engine.connect() as db:
            yield db

    def columns(self) -> set[tuple[str, str]]:
        """Return the tables that the state has, with their columns."""
        with self.opened() as db:
            seen = inspect(db)
            return {
                (table, column["name"])
                for table in seen.get_table_names()
                for column in seen.get_columns(table)
            }

    def is_encrypted(self) -> bool:
        """Return whether nobody in between can read the traffic of this host and the database."""
        with self.opened() as db:
            connection: Any = db.connection.driver_connection
            address = connection.info.hostaddr  # empty for a socket of this machine
            return not address or ip_address(address).is_loopback or connection.pgconn.ssl_in_use

    def rewrite(self) -> None:
        """Write the state anew, so that no page of it has what was deleted."""
        if not self.in_database:
            with self._faults(), closing(connect(self.file, write=True)) as file:
                file.execute("VACUUM")
            return
        with (
            self._faults(),
            self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db,
        ):
            for table in TABLES.sorted_tables:
                db.exec_driver_sql(f"VACUUM (FULL) {table.name}")

    def _make_current(self) -> bool:
        """Return whether there are tables; those of eyelog 0.3 are brought up to date."""
        if not self.in_database:
            try:
                self.file.stat()
            except (FileNotFoundError, NotADirectoryError):
                return False
            except OSError as error:
                raise StateFault(
                    f"the service's state in {self.name} cannot be used: {error}"
                ) from None
        if not self._current:
            version = self.version()
            if version is None:
                return False
            if refuse_other(version) < VERSION:
                self._set_up()
            self._current = True
        return True

    def _set_up(self) -> None:
        """Create the tables, or change those of eyelog 0.3; one process does it, others wait."""
        with self.alone() as db:
            version = self.version_in(db)
            if version == VERSION:
                return
            if version is None:
                fill(db)
                return
            refuse_other(version)
            if not self.in_database:
                _keep_copy(self.file, version)
            db.exec_driver_sql("DROP TABLE IF EXISTS upload")
            set_version(db)

    def version_in(self, db: Connection) -> int | None:
        """Return the version of the tables as a transaction sees it; None if there are none."""
        if not self.in_database:
            return int(db.exec_driver_sql("PRAGMA user_version").scalar_one())
        # Not to_regclass: its answer may be from before this transaction waited for its lock.
        sql = "SELECT 1 FROM pg_class WHERE relname = 'meta' AND pg_table_is_visible(oid)"
        if db.exec_driver_sql(sql).scalar() is None:
            return None
        with suppress(exc.ProgrammingError):
            sql = "SELECT value FROM meta WHERE name = 'version'"
            if (value := db.exec_driver_sql(sql).scalar()) is not None:
                return int(value)
        raise ConfigurationError(
            f"{self.name} has tables of another program: give the service a database of its own"
        )

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Open a transaction during which no other writes, in any process."""
        with (
            self._faults(),
            self._engine.connect().execution_options(alone=True) as db,
            db.begin(),
        ):
            yield db

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn the errors of the database into those of eyelog, each in one line."""
        try:
            yield
        except exc.IntegrityError:
            raise KeyTaken from None
        except exc.TimeoutError:
            raise StateBusy(
                f"too many wait for the service's state in {self.name}: try again"
            ) from None
        except (exc.DBAPIError, sqlite3.Error) as error:
            cause = getattr(error, "orig", error)
            if is_busy(cause) or getattr(cause, "sqlstate", "") == "55P03":
                who = "another host or program" if self.in_database else "another program"
                raise StateBusy(
                    f"the service's state in {self.name} is locked by {who}: try again"
                ) from None
            if code_of(cause) == sqlite3.SQLITE_FULL:
                raise StateFault(
                    f"the service's state in {self.name} cannot be written, because the disk is"
                    " full: free some space"
                ) from None
            reason = " ".join(str(cause).split()) or type(cause).__name__
            raise StateFault(
                f"the service's state in {self.name} cannot be used: {reason}"
            ) from None


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
            back = [row._asdict() for row in written.execute(table.select())]
            back = [row for row in back if (table.name, row.get("name")) != ("meta", "version")]
            if _counted_rows(rows) != _counted_rows(back):
                raise ConfigurationError(
                    f"the table {table.name} in {target.name} is not that of {source.name} after it"
                    " was copied: nothing was kept there"
                )
            copied[table.name] = len(rows)
    return copied


def _counted_rows(rows: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for row in rows)


# Files of SQLite. Only SQLite may open one that is in use: to close it would release the locks that
# other threads of this process have on it (POSIX locks belong to the process, not to the handle).

_WAIT: Final = "PRAGMA busy_timeout = {}"


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


def code_of(error: object) -> int | None:
    """Return SQLite's primary result code of an error; None if it has none."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def is_busy(error: object) -> bool:
    """Return whether an error of SQLite is that another process has the file locked."""
    return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of the state in a file."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _engine_of_file(file: Path) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=lambda: connect(file, write=True),
        poolclass=QueuePool,
        pool_size=MOST_CONNECTIONS,
        max_overflow=-1,
    )

    def identity() -> tuple[int, int]:
        status = file.stat()
        return status.st_dev, status.st_ino

    @event.listens_for(engine, "connect")
    def remember(db: Any, record: Any) -> None:  # noqa: ARG001 (the shape of the event)
        record.info["file"] = identity()

    @event.listens_for(engine, "checkout")
    def check(db: Any, record: Any, proxy: Any) -> None:  # noqa: ARG001 (as above)
        if record.info["file"] != identity():  # another file has taken its place
            raise exc.DisconnectionError

    @event.listens_for(engine, "checkin")
    def clean(db: Any, record: Any) -> None:  # noqa: ARG001 (as above)
        if db is not None:
            if db.in_transaction:  # a commit that met a lock leaves its transaction open
                db.rollback()
            db.execute(_WAIT.format(int(WAIT_SECONDS * 1000)))

    @event.listens_for(engine, "begin")
    def begin(db: Connection) -> None:
        alone = db.get_execution_options().get("alone", False)
        db.exec_driver_sql("BEGIN IMMEDIATE" if alone else "BEGIN")

    return engine


def _create(file: Path) -> None:
    """Create the whole file under another name, and move it into place."""
    make_folders(file.parent)
    fresh = temporary_name(file)
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    engine = _engine_of_file(fresh)
    try:
        with engine.begin() as db:
            fill(db)
        engine.dispose()
        try:
            os.link(fresh, file)
        except FileExistsError:
            pass  # another process, or thread, was first
        except OSError:  # no links on this file system
            fresh.replace(file)
    finally:
        engine.dispose()
        fresh.unlink(missing_ok=True)


def _keep_copy(file: Path, version: int) -> None:
    """Keep a copy of a file as an older release wrote it, while nobody else can change it."""
    remove_leftovers(file)
    kept = temporary_name(file)
    try:
        os.close(os.open(kept, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        # Not the connection of the transaction: it could copy what it has not committed.
        # A backup is synchronised to the disk, and keeps what is damaged as it is.
        with closing(connect(file)) as source, closing(connect(kept, write=True)) as target:
            source.backup(target)
            whole = [row[0] for row in target.execute("PRAGMA integrity_check(3)")]
        if whole != ["ok"]:
            raise ConfigurationError(
                f"{file} is of an older eyelog and cannot be brought up to date: a copy of it is"
                f" damaged ({'; '.join(whole)}); restore a backup"
            )
        put_in_place(kept, file.with_name(f"{file.stem}.version-{version}{file.suffix}"))
    except OSError as error:
        raise ConfigurationError(
            f"{file} is of an older eyelog, and no copy of it can be written, so it stays as it"
            f" is: {error.strerror}"
        ) from None
    finally:
        kept.unlink(missing_ok=True)
