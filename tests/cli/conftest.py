"""A running service with one day of one wearer, and the settings of a user who is logged in."""

from collections.abc import Iterator

import pytest

import eyelog as el
from support import live
from support.command import main
from support.commands import DAY


@pytest.fixture(scope="session")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Live]:
    folder = tmp_path_factory.mktemp("served")
    frames = [
        el.simulate(DAY, 1, log=log, tz="Asia/Tokyo") for log in (live.COMPUTED, live.STANDARD)
    ]
    with live.service(folder / "archive", {"ada": frames}) as running:
        yield running


@pytest.fixture
def logged_in(
    there: live.Live, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> live.Live:
    monkeypatch.setenv("EYELOG_BASE_URL", there.url)
    monkeypatch.setenv("EYELOG_CLIENT_ID", there.client_id)
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", there.client_secret)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", there.redirect_uri)
    assert main(["login", "--code", there.code("ada")]) == 0
    capsys.readouterr()
    return there


@pytest.fixture
def of_ada(there: live.Live) -> list[str]:
    """The options that read the archive of the running service."""
    return ["--archive", str(there.archive), "--account", "ada"]
