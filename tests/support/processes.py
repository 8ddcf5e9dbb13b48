"""Programs in a Python process of their own."""

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
