"""Machines of their own for tests: a new Debian, packages without an index, typed blocks."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil
import pytest

from support.paths import ROOT
from support.site import DOCS

__all__ = ["blocks", "debian", "run", "wheels", "within"]

_PIP = "[global]\nno-index = true\nfind-links = /opt/wheels\ndisable-pip-version-check = true\n"


def blocks(page: str, heading: str, language: str = "text") -> list[str]:
    """Return the commands of the blocks marked with a language below a heading."""
    below = (DOCS / f"{page}.md").read_text().partition(f"{heading}\n")[2]
    section = re.split(r"^#{2,} ", below, maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)


def run(*command: str) -> str:
    """Run a program that has to succeed; return what it printed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def within(seconds: float, holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    until = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
        except (AssertionError, ValueError, psutil.Error):
            pass
        assert time.monotonic() < until
        time.sleep(0.3)


def debian(root: Path, packages: Iterable[str]) -> None:
    """Install the smallest Debian 12 with some packages, or skip the test."""
    wanted = f"--include={','.join(packages)}"
    strap = ["debootstrap", "--variant=minbase", wanted, "bookworm", str(root)]
    made = subprocess.run(strap, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"Debian cannot be installed: {made.stdout.splitlines()[-1:]}")


def wheels(root: Path, *wanted: str) -> None:
    """Let pip in a machine install what is wanted, without an index, but not eyelog itself."""
    folder = root / "opt/wheels"
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder)]
    run(*pip, "-c", "constraints.txt", *wanted, "hatchling")
    for own in folder.glob("eyelog-*"):
        own.unlink()  # the operator builds it
    (root / "etc/pip.conf").write_text(_PIP)
