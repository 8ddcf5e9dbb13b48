"""Programs in a Python process of their own."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path


def python(
    program: str, *arguments: str, check: bool = True, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program text and return its output; with `check`, it must succeed."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=check,
        cwd=cwd,
    )


# Ends itself before its n-th change of a file, so that a kill does not depend on the time.
KILLED = """
import os, signal, sys
changes_left = int(sys.argv.pop(1))

def count_change(event, details):
    global changes_left
    opened = event == "open" and (details[2] or 0) & (os.O_WRONLY | os.O_RDWR)
    if opened or event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link"):
        changes_left -= 1
        if changes_left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count_change)
"""


def killed_at(change: int, program: str, *arguments: str) -> bool:
    """Run a program that is killed before its n-th change of a file; return whether it was."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED + program, str(change), *arguments],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def group(leader: int) -> dict[int, str]:
    """Return the processes of a group that are not dead, with their names; Linux only."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            name, rest = (folder / "stat").read_text().rsplit(") ", 1)
            state, _, of = rest.split()[:3]
            if int(of) == leader and state not in "ZX":
                found[int(folder.name)] = name
    return found


def left_after(seconds: float, leader: int) -> dict[int, str]:
    """Return the processes of a group that do not end within the time."""
    end = time.monotonic() + seconds
    while (found := group(leader)) and time.monotonic() < end:
        time.sleep(0.02)
    return found
