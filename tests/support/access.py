"""Credentials and sessions for tests, set up as the client sets them up."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import requests

from eyelog.access.auth.application import Application
from eyelog.access.auth.credentials import Credentials
from eyelog.access.auth.tokens import Token, TokenStore
from eyelog.access.http.session import attach
from support import authority

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
