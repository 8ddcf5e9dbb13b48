"""Machines of their own for tests: a new Debian, packages without an index, typed blocks."""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import psutil
import pytest

from support.paths import ROOT
from support.site import DOCS

_PIP = "[global]\nno-index = true\nfind-links = /opt/wheels\ndisable-pip-version-check = true\n"


def needs_machine(*programs: str) -> list[pytest.MarkDecorator]:
    """Return the marks of tests that make a Debian of their own, and need these programs."""
    return [
        pytest.mark.slow("a whole machine is installed and booted"),
        pytest.mark.timeout(1200),
        pytest.mark.skipif(
            any(shutil.which(program) is None for program in programs),
            reason=f"{', '.join(programs)} are not all installed",
        ),
        pytest.mark.skipif(os.geteuid() != 0, reason="only root starts containers"),
        pytest.mark.skipif(
            sys.version_info[:2] != (3, 11), reason="the Python of Debian 12 is 3.11"
        ),
    ]


class Page:
    """The blocks of a page, taken one heading at a time; `left` are those that nobody took."""

    def __init__(self, name: str) -> None:
        self.left: dict[tuple[str, str], list[str]] = {}
        heading = ""
        found = r"^(#+ [^\n]*)$|^```(\w+)\n(.*?)^```"
        text = (DOCS / f"{name}.md").read_text()
        for title, language, block in re.findall(found, text, flags=re.MULTILINE | re.DOTALL):
            heading = title or heading
            if not title:
                self.left.setdefault((heading, language), []).append(block)

    def take(self, heading: str, language: str = "text") -> list[str]:
        """Return the blocks of one language below a heading."""
        return self.left.pop((heading, language))


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


@cache
def _wheels() -> Path:
    """Make the packages that pip would fetch for a service, but not eyelog, once for all tests."""
    folder = tempfile.mkdtemp(prefix="eyelog-wheels-")
    atexit.register(shutil.rmtree, folder)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", folder]
    run(*pip, "-c", "constraints.txt", ".[service,s3,postgres]", "hatchling")
    for own in Path(folder).glob("eyelog-*"):
        own.unlink()  # the operator builds it
    return Path(folder)


def wheels(root: Path) -> None:
    """Let pip in a machine install what the service needs without an index."""
    shutil.copytree(_wheels(), root / "opt/wheels")
    (root / "opt/wheels").chmod(0o755)  # that of a temporary folder is private
    (root / "etc/pip.conf").write_text(_PIP)
