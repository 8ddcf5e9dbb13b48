"""What the tests of the readers share."""

from collections.abc import Callable
from pathlib import Path

import pytest

import eyelog as el
from eyelog.archive import intake
from eyelog.read import files
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


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in blocks of 8 kB, the first of 1 kB."""
    monkeypatch.setattr(files, "FIRST", 1 << 10)
    monkeypatch.setattr(files, "BLOCK", 1 << 13)


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file unpack to 1 MB, and a ZIP file to 1.5 MB in three files."""
    for name, most in (("LARGEST", 1_000_000), ("_LARGEST_ZIP", 1_500_000), ("_MEMBERS", 3)):
        monkeypatch.setattr(files, name, most)


@pytest.fixture
def waiting_in_memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that sets how many records of an import wait in memory."""
    return lambda records: monkeypatch.setattr(intake, "_IN_MEMORY", records)
