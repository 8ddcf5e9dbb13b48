"""Fixtures of the tests of the fetch layer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from support import faulty
from support.fetching import credentials, fetched_by, fresh, quicken, session_of
from support.paged import Paged


@pytest.fixture
def there() -> Iterator[faulty.Server]:
    """A service with a record per hour, ten to a page."""
    with faulty.server(Paged()) as server:
        yield server


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tries follow one another at once."""
    quicken(monkeypatch)


@pytest.fixture
def get(home: Path, quick: None) -> Iterator[Callable[..., requests.Response]]:
    """Fetch from a scripted server, as the client does."""
    sessions = []

    def ask(
        there: faulty.Server,
        path: str = "/v2/x",
        *,
        token: str = "token-of-tests",
        params: dict[str, str] | None = None,
    ) -> requests.Response:
        who = credentials(home, there.url, token=fresh(access_token=token))
        sessions.append(session_of(who))
        return fetched_by(sessions[-1], there.url + path, params)

    yield ask
    for each in sessions:
        each.close()
