"""An empty registry of an archive, and a browser at the running service."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eyelog_service.grants import Registry
from support.live import REDIRECT, Live
from support.login_page import Browser
from support.postgres import Postgres


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """An empty registry, whose passwords are hashed at a cost that a test can afford."""
    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)
    return Registry(tmp_path / "archive")


@pytest.fixture
def application(registry: Registry) -> tuple[str, str]:
    """The id and secret of an application, beside an account of Ada's."""
    registry.accounts.add("ada", "correct horse")
    return registry.applications.add("http://127.0.0.1/callback")


@pytest.fixture
def tokens(registry: Registry, application: tuple[str, str]) -> tuple[str, str]:
    """An access token and a refresh token of the application, granted by Ada."""
    client_id, _ = application
    code = registry.grants.issue_code("ada", client_id, REDIRECT)
    return registry.grants.exchange(code, client_id, REDIRECT, None)


@pytest.fixture
def browser(there: Live) -> Browser:
    return Browser(there)


@pytest.fixture
def address(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database."""
    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)
    return server.database()


@pytest.fixture
def host(address: str, tmp_path: Path) -> Callable[[], Registry]:
    """A function that returns another host of the service whose state is in the database."""
    return lambda: Registry(tmp_path / "archive", address, tmp_path / "local")
