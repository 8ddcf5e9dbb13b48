"""Tables as text, and files that are written whole or not at all."""

import errno
import io
import os
import sys
from pathlib import Path

from eyelog.cli.output import note
from support.command import main
from support.commands import RANGE


def test_a_full_disk_is_reported_with_the_file(of_ada, capsys, monkeypatch, tmp_path) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    path = tmp_path / "days.csv"
    assert main(["daily", "computed_data", *RANGE, *of_ada, "-o", str(path)]) == 1
    error = capsys.readouterr().err
    assert f"cannot write {path}: No space left on device" in error
    assert list(tmp_path.iterdir()) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_a_note_is_wrapped_between_words(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    note("computed_data from a-folder-with-a-long-name: 18,772 records, 2026-10-19 to 2026-10-23")
    lines = terminal.getvalue().splitlines()
    assert [len(line) <= 40 for line in lines] == [True] * 3
    assert lines[1] == "a-folder-with-a-long-name: 18,772"
