"""A service whose accounts a test may change, and a browser on its account page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eyelog_service import state
from support import live
from support.account_page import Visitor
from support.login_page import PASSWORD
from support.records import records


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a check of a password take a millisecond, not a fifth of a second of CPU."""
    monkeypatch.setattr(state, "_LOG2_N", 6)


@pytest.fixture
def there(tmp_path: Path, _cheap_hashes: None) -> Iterator[live.Live]:
    """Ada has an hour of one log, Bea and "nobody" have no records."""
    ada = [records(live.STANDARD, "2026-10-24 00:01", 60)]
    wearers = {"ada": ada, "bea": [], "nobody": []}
    with live.service(tmp_path / "archive", wearers, password=PASSWORD) as running:
        yield running


@pytest.fixture
def visitor(there: live.Live) -> Visitor:
    return Visitor(there)
