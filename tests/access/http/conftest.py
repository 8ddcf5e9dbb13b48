"""Fixtures of the tests over HTTP."""

import pytest

from eyelog.access.http import adapter
from eyelog.access.http.session import fetch
from support.access import credentials, fresh, session_of


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(adapter, "BACKOFF", 0.01)


@pytest.fixture
def get(home):
    """Fetch from a scripted server, as the client does."""
    sessions = []

    def ask(there, path="/v2/x", *, token="token-of-tests", params=None):
        who = credentials(home, there.url, token=fresh(access_token=token))
        sessions.append(session_of(who))
        return fetch(sessions[-1], there.url + path, params, where="the data of Sunday")

    yield ask
    for each in sessions:
        each.close()
