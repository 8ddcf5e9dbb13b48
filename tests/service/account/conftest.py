"""A service whose accounts a test may change, and a browser on its account page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support import live
from support.account_page import Visitor
from support.login_page import PASSWORD
from support.records import records


@pytest.fixture
def there(tmp_path: Path) -> Iterator[live.Live]:
    """Ada has an hour of one log, Bea and "nobody" have no records."""
    ada = [records(live.STANDARD, "2026-10-24 00:01", 60)]
    wearers = {"ada": ada, "bea": [], "nobody": []}
    with live.service(tmp_path / "archive", wearers, password=PASSWORD) as running:
        yield running


@pytest.fixture
def visitor(there: live.Live) -> Visitor:
    return Visitor(there)
