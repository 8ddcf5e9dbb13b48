"""The command `eyelog replay`: it says what it sent, or why not in one line."""

from pathlib import Path

import pytest

from support.command import main
from support.livesocket import listening
from support.packets import packets


def test_it_says_how_many_messages_it_has_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.csv"
    packets(20).reset_index().to_csv(path, index=False)
    with listening(tmp_path / "archive", "--dry-run") as there:
        assert main(["replay", str(path), "--to", there.address, "--speed", "10"]) == 0
        assert capsys.readouterr().err == f"20 messages sent to {there.address}\n"
