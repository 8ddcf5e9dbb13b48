"""One running service with three wearers, shared by the tests that do not change its archive."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from support import live
from support.here import work_here
from support.operating import Operator
from support.postgres import PASSWORD, Postgres, postgres
from support.records import records


@pytest.fixture(scope="session", autouse=True)
def _cheap_hashes() -> Iterator[None]:
    """Let a check of a password take a millisecond, not a fifth of a second of CPU."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eyelog_service.accounts._LOG2_N", 4)
        yield


@pytest.fixture
def hashes_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords as a service does for its users."""
    monkeypatch.setattr("eyelog_service.accounts._LOG2_N", 14)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a request wait for longer than a test may take."""
    monkeypatch.setattr("eyelog_service.state.WAIT_SECONDS", 600)
    monkeypatch.setattr("eyelog_service.web.REQUEST_SECONDS", 300)


@pytest.fixture
def hasty() -> Callable[[], AbstractContextManager[None]]:
    """Return a function: within what it gives, a request has 0.3 seconds to be answered."""

    @contextmanager
    def within() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("eyelog_service.web.REQUEST_SECONDS", 0.3)
            yield

    return within


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a request wait for a locked state no longer than a tenth of a second."""
    monkeypatch.setattr("eyelog_service.state.WAIT_SECONDS", 0.1)


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    """Who sets up a service on an archive that is not there yet."""
    return Operator(tmp_path / "archive")


@pytest.fixture(autouse=True)
def _work_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a service of the tests' process do all its work there, except in slow tests."""
    slow = request.node.get_closest_marker("slow") is not None
    if not slow and "in_processes" not in request.fixturenames:
        work_here(monkeypatch)


@pytest.fixture
def in_processes() -> None:
    """Let a service import and summarise in processes of their own, as it does for its users."""


@pytest.fixture(scope="session")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Live]:
    """Ada has both logs, Bea an hour of one, "nobody" no records; pages have 100 records."""
    ada = [
        records(live.COMPUTED, "2026-10-24 00:00:15", 720),
        records(live.STANDARD, "2026-10-24 00:01", 1500),
    ]
    bea = [records(live.STANDARD, "2026-10-24 00:01", 60, seed=7)]
    folder = tmp_path_factory.mktemp("service") / "archive"
    wearers = {"ada": ada, "bea": bea, "nobody": []}
    with live.service(folder, wearers, page_size=100, password="correct horse") as running:
        yield running


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """A Postgres server, for tests that are marked with `needs_postgres`."""
    with postgres() as running:
        yield running


@pytest.fixture
def address(server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database; its password is in a file."""
    passwords = tmp_path / "passwords"
    passwords.write_text(f"*:*:*:eyelog:{PASSWORD}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    return server.database().replace(f":{PASSWORD}@", "@")


@pytest.fixture(scope="session")
def token(there: live.Live) -> str:
    """An access token of Ada's that no test revokes."""
    return str(there.login("ada")["access_token"])
