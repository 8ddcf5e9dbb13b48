"""Credentials and sessions for tests, set up as the client sets them up."""

import contextlib
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import requests

import eyelog as el
from eyelog.access.auth.application import Application
from eyelog.access.auth.credentials import Credentials
from eyelog.access.auth.token_file import Token, TokenStore
from eyelog.access.cache.day_file import day_file
from eyelog.access.http.session import attach
from support import authority, faulty

APPLICATION = Application(authority.CLIENT_ID, authority.CLIENT_SECRET, authority.REDIRECT_URI)


def spent(**changes: object) -> Token:
    """A token whose access token ended an hour ago."""
    values = {
        "access_token": "access-token-0",
        "refresh_token": "refresh-token-0",
        "expires_at": datetime.now(UTC) - timedelta(hours=1),
        "scope": "all",
    }
    return Token(**(values | changes))


def fresh(**changes: object) -> Token:
    """A token that lasts for hours, as far as its holder knows."""
    return spent(**({"expires_at": datetime.now(UTC) + timedelta(hours=5)} | changes))


def credentials(
    home: Path,
    url: str,
    *,
    saved: Token | None = None,
    token: Token | None = None,
    application: Application | None = APPLICATION,
    account: str = "me",
) -> Credentials:
    store = TokenStore(home, account, url)
    if saved is not None:
        store.save(saved)
    return Credentials(url, application, token=token, store=store)


def session_of(who: Credentials, *, workers: int = 4) -> requests.Session:
    session = requests.Session()
    attach(session, who.base_url, who, workers=workers)
    return session


TOKEN = Token("access-token-of-tests", "refresh-token-of-tests")


def client_of(server: faulty.Server, home: Path, **options: Any) -> el.Client:
    return el.Client(server.url, **{"application": None, "token": TOKEN, "home": home, **options})


def alter(home: Path, url: str, sql: str) -> None:
    """Change the cache file of the account "me"; the statement must change something."""
    with contextlib.closing(sqlite3.connect(day_file(home, "me", url).path)) as db, db:
        assert db.execute(sql).rowcount > 0


def let_expire(home: Path, url: str) -> None:
    """Make every day stale that is not settled."""
    alter(home, url, "UPDATE days SET expires = fetched - 1 WHERE expires IS NOT NULL")
