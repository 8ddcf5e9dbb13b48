"""The pages for operators, typed command by command as root on an empty machine.

The machine is a container: a new Debian with systemd as its first process and no network. The
packages of the project come from a folder, in place of an index.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from eyelog.service.configuration import configuration
from support.machines import blocks, debian, run, wheels, within
from support.paths import ROOT

NEEDED = ("debootstrap", "systemd-nspawn", "nsenter")
# What a server of Debian has and the smallest installation lacks.
PRESENT = ["systemd", "sudo", "curl", "ca-certificates"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(
        any(shutil.which(program) is None for program in NEEDED),
        reason=f"{', '.join(NEEDED)} are not all installed",
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root starts containers"),
    pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the Python of Debian 12 is 3.11"),
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the root folder of a new Debian with the packages that the page asks for."""
    folder = tmp_path_factory.mktemp("machine")
    root = folder / "root"
    apt, *_ = blocks("run-a-service", "## Install")
    debian(root, [*PRESENT, *apt.split()[3:]])
    wheels(root, ".[service,metrics]")
    (root / "etc/hosts").write_text("127.0.0.1 localhost lab\n")
    (root / "opt/eyelog").mkdir()
    yield root
    shutil.rmtree(folder, ignore_errors=True)  # a machine that was killed may still be ending


@contextmanager
def booted(root: Path) -> Iterator[Callable[[str], str]]:
    """Start the machine; give what types a command into it as root, in the project folder."""
    words = [
        "--quiet",
        "--register=no",
        "--keep-unit",
        "--private-network",
        "--hostname=lab",
        "--boot",
    ]
    project = f"--bind-ro={ROOT}:/opt/eyelog"
    log = (root.parent / "boot.log").open("a")
    container = subprocess.Popen(
        ["systemd-nspawn", *words, project, f"--directory={root}"],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )

    def first_process() -> int:
        [child] = psutil.Process(container.pid).children()
        return child.pid

    def typed(commands: str) -> str:
        inside = f"cd /opt/eyelog\n{commands}"
        return run("nsenter", f"--target={first_process()}", "--all", "sh", "-euc", inside)

    try:
        state = "systemctl is-system-running --wait || true"
        within(120, lambda: typed(state).strip() in ("running", "degraded"))
        yield typed
        typed("systemctl poweroff")
        container.wait(60)
    finally:
        container.kill()
        container.wait()
        log.close()


def test_an_operator_who_types_the_pages_has_a_service_and_can_upgrade_it(machine: Path) -> None:
    local = "curl --silent --fail http://127.0.0.1:8765/health"
    outside = "curl --silent --fail --insecure --resolve logs.example.org:443:127.0.0.1 https://logs.example.org"
    with booted(machine) as typed:
        _, install, account = blocks("run-a-service", "## Install")
        typed(install)
        assert typed("cat /srv/eyelog/eyelog.toml") == configuration("settings")
        typed(account)

        [unit] = blocks("run-a-service", "### As a systemd unit")
        typed(unit)
        within(120, lambda: '"ok"' in typed(local))
        exposed = typed("systemd-analyze security eyelog --no-pager")
        found = re.search(r"exposure level for eyelog\.service: ([\d.]+)", exposed)
        assert found is not None
        assert float(found[1]) <= 2.0

        certificate = "/etc/letsencrypt/live/logs.example.org"
        typed(f"mkdir -p {certificate}")
        typed(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
            f" -subj /CN=x -keyout {certificate}/privkey.pem -out {certificate}/fullchain.pem"
        )
        [proxy] = blocks("run-a-service", "### TLS behind a reverse proxy")
        typed(proxy)
        within(10, lambda: "eyelog" in typed(f"{outside}/version"))

        [settings] = blocks("run-a-service", "### One settings file")
        serve, listing = settings.splitlines()
        assert f"ExecStart=/srv/eyelog/venv/bin/{serve}\n" in configuration("systemd")
        assert "anna" in typed(f"sudo -u eyelog /srv/eyelog/venv/bin/{listing}")

        [rotation] = blocks("run-a-service", "## What is logged")
        typed(rotation)
        log = "/srv/eyelog/state/access.jsonl"
        assert "/version" in typed(f"cat {log}")
        typed("logrotate --force /etc/logrotate.d/eyelog")
        assert "/version" in typed(f"cat {log}.1")
        typed(f"{outside}/openapi.json > /dev/null")
        within(10, lambda: "/openapi.json" in typed(f"cat {log}"))

        typed("systemctl kill --kill-who=main --signal=KILL eyelog")
        within(120, lambda: '"ok"' in typed(local))

        [upgrade] = blocks("upgrade", "# Upgrade a service")
        said = typed(upgrade)
        assert "backed up: " in said
        assert "wrong " not in said
        assert "setting archive            /srv/eyelog/logs " in said
        within(120, lambda: '"ok"' in typed(local))
    with booted(machine) as typed:  # it is there again after a power cut
        within(120, lambda: "eyelog" in typed(f"{outside}/version"))
