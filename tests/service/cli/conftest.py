"""The operator's commands, each run on one archive."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from support.command import main
from support.here import cheap_hashes


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def service(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., SimpleNamespace]:
    """Run one action of `eyelog service` on the archive: status, out, err."""
    monkeypatch.setenv("COLUMNS", "80")
    cheap_hashes(monkeypatch)

    def run(action: str, *words: str, stdin: bytes | None = None) -> SimpleNamespace:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = main(["service", action, "--archive", str(archive), *words])
        printed = capsys.readouterr()
        return SimpleNamespace(status=status, out=printed.out, err=printed.err)

    return run
