"""Clients, credentials and sessions for tests, and what a client has stored."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import requests
import zstandard

import eyelog as el
from eyelog.fetch import session
from eyelog.fetch.oauth import Credentials, TokenFile
from support import authority, faulty

APPLICATION = el.Application(authority.CLIENT_ID, authority.CLIENT_SECRET, authority.REDIRECT_URI)
TOKEN = el.Token("access-token-of-tests", "refresh-token-of-tests")


def spent(**changes: object) -> el.Token:
    """A token whose access token ended an hour ago."""
    values = {
        "access_token": "access-token-0",
        "refresh_token": "refresh-token-0",
        "expires_at": datetime.now(UTC) - timedelta(hours=1),
        "scope": "all",
    }
    return el.Token(**(values | changes))


def fresh(**changes: object) -> el.Token:
    """A token that lasts for hours, as far as its holder knows."""
    return spent(**({"expires_at": datetime.now(UTC) + timedelta(hours=5)} | changes))


def credentials(
    home: Path,
    url: str,
    *,
    saved: el.Token | None = None,
    token: el.Token | None = None,
    application: el.Application | None = APPLICATION,
    account: str = "me",
) -> Credentials:
    store = TokenFile(home, account, session.check_base_url(url))
    if saved is not None:
        store.save(saved)
    return Credentials(store, application, token)


def save_token(home: Path, account: str, url: str, token: el.Token) -> None:
    """Log an account in, as far as the machine knows."""
    TokenFile(home, account, url).save(token)


def session_of(who: Credentials, *, workers: int = 4) -> requests.Session:
    return session.service_session(who.base_url, who, workers=workers)


def fetched_by(
    with_bearer: requests.Session, url: str, params: dict[str, str] | None = None
) -> requests.Response:
    """Fetch as the client does."""
    return session.fetch(with_bearer, url, params, where="the data of Sunday")


def quicken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tries follow one another at once."""
    monkeypatch.setattr(session, "BACKOFF_S", 0.01)


def client_of(server: faulty.Server, home: Path, **options: Any) -> el.Client:
    return el.Client(server.url, **{"application": None, "token": TOKEN, "home": home, **options})


# The cache on disk


def day_files(home: Path) -> list[Path]:
    """The files of the cached days, in the order of logs and days."""
    return sorted((home / "cache").glob("*/*.day"), key=lambda path: path.name)


def head_of(path: Path) -> dict[str, Any]:
    """What the file of a cached day says about itself."""
    head: dict[str, Any] = json.loads(path.read_bytes().partition(b"\n")[0])
    return head


def rewrite(path: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> None:
    """Change the head and the pages of a cached day; its seal is made anew."""
    line, _, packed = path.read_bytes().partition(b"\n")
    head = json.loads(line)
    _, pages = msgspec.msgpack.decode(zstandard.decompress(packed))
    change(head, pages)
    line = msgspec.json.encode(head)
    sealed = msgspec.msgpack.encode((line, pages))
    path.write_bytes(line + b"\n" + zstandard.compress(sealed))


def let_expire(home: Path) -> None:
    """Make every day stale that is not settled."""

    def end(head: dict[str, Any], _: dict[str, bytes]) -> None:
        if head["expires"] is not None:
            head["expires"] = head["fetched"] - 1

    for path in day_files(home):
        rewrite(path, end)
