"""Fixtures of the cache's tests."""

from pathlib import Path

import pytest

from eyelog.access.cache.day_file import DayFile, day_file
from support.cached import URL


@pytest.fixture
def file(tmp_path: Path) -> DayFile:
    return day_file(tmp_path, "anna", URL)
