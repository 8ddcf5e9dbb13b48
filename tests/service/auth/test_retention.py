"""For how long a study keeps records is kept with the accounts of the service."""

from pathlib import Path

import pytest

from eyelog_service.accounts import NewAccount
from eyelog_service.grants import Registry


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    registry = Registry(tmp_path)
    new = [("ada", "sleep"), ("bea", "sleep"), ("cyd", "gait"), ("dan", "")]
    registry.accounts.add_all([NewAccount(name, None, study) for name, study in new])
    return registry


def test_a_retention_ends(registry: Registry) -> None:
    registry.retention.set("sleep", 730)
    registry.retention.set("sleep", None)
    assert registry.retention.days() == {}
    assert registry.retention.days_of("ada") is None
