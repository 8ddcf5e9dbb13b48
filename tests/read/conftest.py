"""What the tests of the readers share."""

from pathlib import Path

import pytest

import eyelog as el
from support.loggerfiles import Put


@pytest.fixture
def archive(tmp_path: Path) -> el.Archive:
    return el.Archive(tmp_path / "archive")


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Return a function that writes a file and returns its path."""

    def write(content: str | bytes, name: str = "log.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
