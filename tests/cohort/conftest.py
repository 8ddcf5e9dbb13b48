"""A small cohort: three wearers around the end of a month."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.cohorts import SIXTY, fill


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> el.Archive:
    """Return an archive that no test may change."""
    return fill(el.Archive(tmp_path_factory.mktemp("cohort") / "archive"))


@pytest.fixture
def archive(kept: el.Archive, tmp_path: Path) -> el.Archive:
    """Return an archive of the test's own."""
    return el.Archive(shutil.copytree(kept.path, tmp_path / "archive"))


@pytest.fixture
def wearers() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "account": ["ann", "../bob", "Ann"],
            "tz": ["Asia/Tokyo", "America/New_York", "UTC"],
            "group": ["a", "b", "a"],
            "age": [30, 40, 50],
        }
    )


@pytest.fixture
def expected(kept: el.Archive) -> pd.DataFrame:
    """Return the days of all wearers in Tokyo, made one by one."""
    tables = {
        account: el.daily(
            kept.read(SIXTY, "2026-09-01", "2026-10-31", account=account, tz="Asia/Tokyo")
        )
        for account in kept.accounts()
    }
    return pd.concat(tables, names=["account"])
