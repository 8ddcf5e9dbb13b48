"""The state of a service that the first release set up, and that eyelog 0.3 was the last to use."""

import hashlib
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.live import REDIRECT

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


def as_of_0_3(file: Path) -> None:
    """Bring a state of an earlier release up to that of eyelog 0.3, as it did itself."""
    with closing(sqlite3.connect(file)) as db, db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        for script in _ADDED[version:]:
            db.executescript(script)
        db.execute(f"PRAGMA user_version = {len(_ADDED)}")


@dataclass(frozen=True)
class FirstRelease:
    """What the wearer and the application know: Ada, whose password is old and short."""

    folder: Path
    account: str = "ada"
    password: str = "horse"
    client_id: str = "an-application-of-2025"
    secret: str = "s" * 43
    access_token: str = "a" * 43
    refresh_token: str = "r" * 43
    code: str = "c" * 43

    @property
    def file(self) -> Path:
        return self.folder / "_service.sqlite"


def first_release_state(folder: Path) -> FirstRelease:
    """Write the file; its access token was issued ten days ago."""
    made = FirstRelease(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    now, day = time.time(), 86400
    origin = _digest("the code of the login")
    with closing(sqlite3.connect(made.file)) as db, db:
        db.executescript(_SCHEMA)
        db.execute("INSERT INTO meta VALUES ('signing_key', ?)", (b"k" * 32,))
        db.execute("INSERT INTO account VALUES (?, ?)", (made.account, _hashed(made.password)))
        db.execute(
            "INSERT INTO application VALUES (?, ?, ?)",
            (made.client_id, _digest(made.secret), REDIRECT),
        )
        db.execute(
            "INSERT INTO code VALUES (?, ?, ?, ?, NULL, ?, 0)",
            (_digest(made.code), made.account, made.client_id, REDIRECT, now + 600),
        )
        db.executemany(
            "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, 0)",
            [
                (
                    _digest(made.access_token),
                    "access",
                    made.account,
                    made.client_id,
                    origin,
                    now + 20 * day,
                ),
                (
                    _digest(made.refresh_token),
                    "refresh",
                    made.account,
                    made.client_id,
                    origin,
                    None,
                ),
            ],
        )
    as_of_0_3(made.file)
    made.file.chmod(0o600)
    return made


@cache
def _hashed(password: str) -> bytes:
    """Return salt and scrypt hash, as the first release stored them."""
    salt = bytes(range(16))
    cost = {"n": 1 << 14, "r": 8, "p": 5, "maxmem": 1 << 26}
    return salt + hashlib.scrypt(password.encode(), salt=salt, **cost)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
