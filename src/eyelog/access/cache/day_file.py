"""The file of one account's cached answers: SQLite, whole days in, whole days out.

A day is every page of every window of one local date. It is written in one transaction, so it is
there whole or not at all, even if the process is killed. A connection is open for one operation
only: nothing is shared between threads or carried over a fork, and a file that another process
cleared is simply empty.

The cache is a convenience: a fault is noted, the day is requested from the service, and the caller
turns each note into one warning. A bad file never raises here.
"""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import zstandard

from eyelog.disk.sqlite import (
    ASIDE,
    BUSY,
    DAMAGED,
    WAIT_SECONDS,
    code_of,
    connect,
    prepare,
    set_aside,
    transaction,
)

__all__ = [
    "Answer",
    "DayFile",
    "Entry",
    "day_file",
    "owner_digest",
    "pack",
    "stored_files",
    "unpack",
]

FOLDER: Final = "cache"
# SQLite quotes a damaged schema in its message, which Python then cannot decode.
FAULTS: Final = (sqlite3.Error, OSError, UnicodeDecodeError)
SUFFIX: Final = ".v1.sqlite"  # a new layout gets a new suffix, so layouts never mix
SCHEMA: Final = """
    CREATE TABLE owner (account TEXT NOT NULL, base_url TEXT NOT NULL);
    CREATE TABLE days (
        key TEXT PRIMARY KEY, log TEXT NOT NULL, day TEXT NOT NULL, pages INTEGER NOT NULL,
        fetched REAL NOT NULL, expires REAL);
    CREATE TABLE pages (
        day_key TEXT NOT NULL, seq INTEGER NOT NULL, page_key TEXT NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (day_key, seq));
"""


class Answer(msgspec.Struct, array_like=True, frozen=True):
    """The stored part of an answer: no request, no address, no header but the content type."""

    status: int
    content_type: str
    body: bytes


class Entry(NamedTuple):
    """One day of one log, and until when it counts as fresh (None means for ever)."""

    key: str
    log: str
    day: str
    fetched: float
    expires: float | None


def pack(answer: Answer) -> bytes:
    """Return an answer as msgpack under zstd, with a checksum."""
    packed = zstandard.ZstdCompressor(level=3, write_checksum=True)
    return packed.compress(msgspec.msgpack.encode(answer))


def unpack(blob: bytes) -> Answer | None:
    """Return the answer in a blob; None if the blob is damaged."""
    try:
        plain = zstandard.ZstdDecompressor().decompress(blob)
        return msgspec.msgpack.decode(plain, type=Answer)
    except (zstandard.ZstdError, msgspec.MsgspecError, MemoryError):
        return None


def owner_digest(account: str, base_url: str) -> str:
    """Return a name for an account at a service; it never collides and reveals nothing."""
    return f"{_digest(account, 20)}-{_digest(base_url, 12)}"


def _digest(text: str, length: int) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def day_file(home: Path, account: str, base_url: str) -> "DayFile":
    """Return the file of an account, whose name may be any text.

    The digest in the file name keeps accounts apart, even if the file system ignores case.
    """
    plain = unicodedata.normalize("NFKD", account).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:24] or "account"
    name = f"{readable}-{owner_digest(account, base_url)}{SUFFIX}"
    return DayFile(home / FOLDER / name, account, base_url)


def stored_files(home: Path, account: str | None = None) -> list["DayFile"]:
    """Return the files under `home`, of all accounts or of one, sorted by name."""
    own = "*" if account is None else f"*-{_digest(account, 20)}-*"
    folder = home / FOLDER
    names = {path.name.removesuffix(ASIDE) for path in folder.glob(f"{own}{SUFFIX}*")}
    return [DayFile(folder / name, "", "") for name in sorted(names) if name.endswith(SUFFIX)]


class DayFile:
    """The cached days of one account at one service.

    Parameters
    ----------
    path : Path
        The file; see `day_file`. It need not exist.
    account, base_url : str
        The account and the service.

    Attributes
    ----------
    notes : dict
        Faults, with one sentence per kind.
    """

    def __init__(self, path: Path, account: str, base_url: str) -> None:
        self.path = path
        self.account = account
        self.base_url = base_url
        self.notes: dict[str, str] = {}

    def stored(self, keys: Iterable[str], *, at: float | None) -> set[str]:
        """Return the keys of days that are stored and fresh at time `at` (None: of any age)."""
        rows = self._read(
            "SELECT key, fetched, expires FROM days WHERE key IN (SELECT value FROM json_each(?))",
            json.dumps(list(keys)),
        )
        # A day fetched "later than now" was dated with a wrong clock.
        return {
            key
            for key, fetched, expires in rows
            if at is None or (fetched <= at + 60 and (expires is None or at < expires))
        }

    def pages(self, key: str) -> dict[str, bytes] | None:
        """Return the packed pages of a day by their keys, in the order of the walk.

        One query reads them, so they come from one walk. None unless all of them are there.
        """
        rows = self._read(
            "SELECT d.pages, p.page_key, p.body FROM days d JOIN pages p ON p.day_key = d.key"
            " WHERE d.key = ? ORDER BY p.seq",
            key,
        )
        pages = {page_key: body for _, page_key, body in rows}
        return pages if pages and len(pages) == rows[0][0] else None

    def write(self, entry: Entry, pages: Mapping[str, bytes]) -> bool:
        """Replace a stored day as a whole, in one transaction; return whether it is stored."""
        rows = [(entry.key, n, key, body) for n, (key, body) in enumerate(pages.items())]

        def store(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM days WHERE key = ?", (entry.key,))
            db.execute("DELETE FROM pages WHERE day_key = ?", (entry.key,))
            values = (entry.key, entry.log, entry.day, len(rows), entry.fetched, entry.expires)
            db.execute("INSERT INTO days VALUES (?, ?, ?, ?, ?, ?)", values)
            db.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", rows)

        return self._write(store)

    def summary(self) -> dict[str, Any] | None:
        """Return the contents of the file; None if it cannot be read or is empty."""
        rows = self._read(
            "SELECT o.account, o.base_url, count(DISTINCT d.log || d.day), sum(d.pages),"
            " min(d.fetched), max(d.fetched) FROM owner o LEFT JOIN days d GROUP BY 1, 2"
        )
        if not rows:
            return None
        names = ("account", "base_url", "days", "pages", "oldest", "newest")
        return dict(zip(names, rows[0], strict=True))

    def _read(self, query: str, *values: str) -> list[Any]:
        try:
            if not self.path.exists():
                return []
            with closing(connect(self.path)) as db:
                return db.execute(query, values).fetchall()
        except FAULTS as error:
            self._note(error, "read")
            return []

    def _write(self, change: Callable[[sqlite3.Connection], None], *, again: bool = True) -> bool:
        try:
            prepare(self.path, self._fill)
            with closing(connect(self.path, write=True)) as db, transaction(db):
                change(db)
        except FAULTS as error:
            if again and code_of(error) in DAMAGED and self._set_aside():
                return self._write(change, again=False)
            self._note(error, "written")
            return False
        return True

    def _fill(self, db: sqlite3.Connection) -> None:
        for statement in SCHEMA.split(";"):
            db.execute(statement)
        db.execute("INSERT INTO owner VALUES (?, ?)", (self.account, self.base_url))

    def _set_aside(self) -> bool:
        if not set_aside(self.path):
            return False
        self.notes["damaged"] = (
            f"the cache file {self.path.name} was damaged: it was set aside as"
            f" {self.path.name}{ASIDE}, a new one begins, and its days are requested again"
        )
        return True

    def _note(self, error: Exception, verb: str) -> None:
        code = code_of(error)
        if code in DAMAGED:
            kind, reason = "damaged", "it is damaged (eyelog cache clear removes it)"
        elif code in BUSY:
            kind, reason = "busy", f"another process held it for {WAIT_SECONDS:g} s; try again"
        else:
            text = getattr(error, "strerror", None) or str(error)
            kind, reason = verb, f"{text}; check the folder's permissions and free space"
        if kind not in self.notes:
            self.notes[kind] = f"the cache file {self.path} cannot be {verb}: {reason}"
