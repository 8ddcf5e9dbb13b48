"""The commands that the pages for operators show in blocks that no other test runs, one by one.

They run in a folder in place of `/srv`, with a `sudo` that stays the same user, and without the
commands that would change this machine.
"""

import configparser
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from eyelog.service.configuration import configuration
from support.paths import ROOT
from support.site import DOCS

_COMMANDS = {
    "sudo": '[ "$1" = -u ] && shift 2; exec "$@"',
    "useradd": ":",
    "systemctl": ":",
    "install": 'exec /usr/bin/install $(echo "$@" | sed "s/-[og] eyelog//g")',
}


def blocks(page: str, heading: str) -> list[str]:
    """Return the commands of the blocks marked `text` below a heading."""
    below = (DOCS / f"{page}.md").read_text().partition(f"{heading}\n")[2]
    section = re.split(r"^#+ ", below, maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"^```text\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
    return [str(commands) for commands in found]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "srv" / "eyelog").mkdir(parents=True)
    for name, script in _COMMANDS.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def run(machine: Path, commands: str) -> str:
    path = os.pathsep.join([f"{machine}/bin", f"{sys.base_prefix}/bin", os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-euc", commands.replace("/srv/", f"{machine}/srv/")],
        cwd=ROOT,
        env={"PATH": path, "HOME": str(machine), "EYELOG_HOME": f"{machine}/home"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stderr}"
    return done.stdout


@contextmanager
def unit(machine: Path) -> Iterator[str]:
    """Run the command of the systemd unit, on free ports."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(configuration("systemd"))
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port = asking.getsockname()[1]
    ports = {"EYELOG_SERVICE_PORT": str(port), "EYELOG_SERVICE_METRICS_PORT": "0"}
    command = parser["Service"]["ExecStart"].replace("/srv/", f"{machine}/srv/").split()
    process = subprocess.Popen(command, env={"EYELOG_HOME": f"{machine}/home", **ports})
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        assert process.wait(60) == 0


def healthy(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"{url}/health") as answer:
        return bool(answer.status == 200)
    return False


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="the page is for Linux")
def test_an_operator_who_types_the_pages_has_a_service_and_can_upgrade_it(machine: Path) -> None:
    for commands in blocks("run-a-service", "## Install"):
        run(machine, commands)
    settings = (machine / "srv/eyelog/eyelog.toml").read_text()
    assert settings == configuration("settings")
    with unit(machine) as url:
        until = time.monotonic() + 60
        while not healthy(url):
            assert time.monotonic() < until, "the service is not healthy"
            time.sleep(0.2)
        [upgrade] = blocks("upgrade", "# Upgrade a service")
        found = run(machine, upgrade)
        assert "backed up: " in found
        assert "wrong " not in found
        assert f"setting archive            {machine}/srv/eyelog/logs " in found
    [commands] = blocks("run-a-service", "### One settings file")
    _, listing = commands.splitlines()
    assert "anna" in run(machine, f"/srv/eyelog/venv/bin/{listing}")
    assert (machine / "srv/eyelog/state/access.jsonl").exists()
