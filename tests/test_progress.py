"""The progress line appears only where someone looks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eyelog.progress import wanted
from support import faulty
from support.access import client_of

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX")


def test_no_progress_line_is_shown_where_nobody_looks(
    there: faulty.Server, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-03")
    assert capfd.readouterr() == ("", "")
    assert not wanted(None)


def test_progress_can_be_forced_on_and_goes_to_stderr(
    there: faulty.Server, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client_of(there, home, progress=True, account="anna").standard_mode_logs(
        "2024-03-01", "2024-03-03"
    )
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "standard_mode_logs of anna" in shown.err
    assert "0/3" in shown.err
    client_of(there, home, progress=False).standard_mode_logs("2024-03-01", "2024-03-03")
    assert capsys.readouterr() == ("", "")


@posix
def test_a_terminal_gets_a_progress_line() -> None:
    script = "from eyelog.progress import wanted; raise SystemExit(int(wanted(None)))"
    ours, theirs = os.openpty()
    try:
        done = subprocess.run([sys.executable, "-c", script], stderr=theirs, check=False)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 1
