"""The progress line appears only where someone looks."""

import os
import subprocess
import sys

import pytest

from eyelog.progress import progress_line, wanted

posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")


def test_nothing_is_shown_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    assert not wanted(None)
    with progress_line(3, "a job") as done:
        done()
    assert capfd.readouterr() == ("", "")


def test_parts_are_counted_with_their_unit_and_the_line_disappears(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress_line(3, "a job", unit="month", choice=True) as done:
        done()
        done(2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "a job:   0%" in err
    assert "0/3 [00:00<?, ?month/s]" in err
    assert err.rstrip(" ").endswith("\r")


def test_bytes_are_shown_in_large_units(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_line(5_000_000, "read", unit="B", choice=True) as done:
        done(5_000_000)
    assert "/5.00M [" in capsys.readouterr().err


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
