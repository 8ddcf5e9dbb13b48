"""The operator's commands, each run on one archive."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.operating import Done, Operator


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def service(archive: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run one action of `eyelog service` on the archive."""
    monkeypatch.setenv("COLUMNS", "80")
    return Operator(archive).run
