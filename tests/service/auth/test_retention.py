"""For how long a study keeps records is kept with the accounts of the service."""

from pathlib import Path

import pytest

from eyelog.errors import ConfigurationError
from eyelog.service.auth.accounts import NewAccount
from eyelog.service.auth.registry import Registry


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    registry = Registry(tmp_path)
    new = [("ada", "sleep"), ("bea", "sleep"), ("cyd", "gait"), ("dan", "")]
    registry.accounts.add_all([NewAccount(name, None, study) for name, study in new])
    return registry


def test_a_retention_holds_for_every_account_of_the_study(registry: Registry) -> None:
    registry.retention.set("sleep", 730)
    registry.retention.set("gait", 30)
    registry.retention.set("gait", 60)
    assert registry.retention.days() == {"gait": 60, "sleep": 730}
    kept = {
        name: registry.retention.days_of(name) for name in ("ada", "bea", "cyd", "dan", "nobody")
    }
    assert kept == {"ada": 730, "bea": 730, "cyd": 60, "dan": None, "nobody": None}


def test_a_retention_ends(registry: Registry) -> None:
    registry.retention.set("sleep", 730)
    registry.retention.set("sleep", None)
    assert registry.retention.days() == {}
    assert registry.retention.days_of("ada") is None


def test_a_study_without_an_account_has_none(registry: Registry) -> None:
    for study in ("slep", ""):
        with pytest.raises(ConfigurationError, match="has no account"):
            registry.retention.set(study, 30)
    assert registry.retention.days() == {}
