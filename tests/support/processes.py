"""Programs in a Python process of their own."""

import subprocess
import sys
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
