"""A service with two studies, a member of staff of each, and an admin."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eyelog.archive.store import Archive
from eyelog.service.auth import secrets
from eyelog.service.auth.accounts import NewAccount
from eyelog.service.auth.registry import Registry
from eyelog.service.server import running
from support import live
from support.account_page import Visitor
from support.login_page import PASSWORD
from support.records import records

WEARERS = {"ada": "sleep", "bea": "sleep", "cyd": "work", "dan": ""}
STAFF = {"kim": ("sleep", "staff"), "lee": ("work", "staff"), "root": ("", "admin")}


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a check of a password take a millisecond, not a fifth of a second of CPU."""
    monkeypatch.setattr(secrets, "_LOG2_N", 6)


@pytest.fixture
def there(tmp_path: Path, _cheap_hashes: None) -> Iterator[live.Live]:
    """Ada and Cyd have an hour of one log, Bea and Dan nothing; Dan is in no study."""
    folder = tmp_path / "archive"
    registry = Registry(folder)
    registry.accounts.add_all(
        [NewAccount(name, PASSWORD, study) for name, study in WEARERS.items()]
        + [NewAccount(name, PASSWORD, *of) for name, of in STAFF.items()]
    )
    for name in ("ada", "cyd"):
        frame = records(live.STANDARD, "2026-10-24 00:01", 60)
        Archive(folder).write(live.STANDARD, frame, account=name)
    client_id, secret = registry.applications.add(live.REDIRECT)
    with running(folder) as url:
        yield live.Live(url, folder, registry, client_id, secret)


class StaffVisitor(Visitor):
    """A browser on the page of the staff."""

    def __init__(self, there: live.Live) -> None:
        super().__init__(there)
        self.url = f"{there.url}/staff"


@pytest.fixture
def visitor(there: live.Live) -> StaffVisitor:
    return StaffVisitor(there)
