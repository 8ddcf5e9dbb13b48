"""The page's commands for containers, typed as root: built by Docker, run by Docker Compose.

Docker runs in a network and with mounts of its own, so that it changes nothing of this machine.
The images that it would fetch are made from Debian, with the packages that pip would fetch.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from support.machines import Page, debian, needs_machine, run, wheels, within
from support.paths import ROOT

# Compose 1 has another name, and there is no terminal.
DOCKER = """#!/bin/sh
case "$1-$2" in
compose-exec) shift 2; [ "$1" = -T ] && shift; exec docker-compose exec -T "$@" ;;
compose-*) shift; exec docker-compose "$@" ;;
*) exec {docker} "$@" ;;
esac
"""
NGINX = """FROM python:3.11-slim
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
"""
OUTSIDE = "https://logs.example.org"
CURL = (
    "curl --silent --fail --insecure"
    " --resolve logs.example.org:443:127.0.0.1 --resolve logs.example.org:80:127.0.0.1"
)

pytestmark = needs_machine(
    "dockerd", "docker", "docker-compose", "debootstrap", "unshare", "ip", "openssl"
)


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Give what types commands as root in the project folder, on a machine with Docker."""
    folder = tmp_path_factory.mktemp("containers")
    base, programs = folder / "base", folder / "bin"
    debian(base, ["python3-venv", "python3-pip", "nginx-light"])
    wheels(base)
    for name in ("python", "pip"):
        (base / "usr/local/bin" / name).symlink_to(f"/usr/bin/{name}3")
    (base / "etc/nginx/sites-enabled/default").unlink()
    programs.mkdir()
    for name, text in (
        ("docker", DOCKER.format(docker=shutil.which("docker"))),
        ("sudo", '#!/bin/sh\nexec "$@"\n'),
    ):
        (programs / name).write_text(text)
        (programs / name).chmod(0o700)
    with apart(folder) as machine, docker(folder, machine):
        path = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
        machine(f"tar -C {base} -c . | docker import -c 'ENV PATH={path}' - python:3.11-slim")
        machine(f"printf '{NGINX}' | docker build -t nginx:stable -")
        yield machine
        machine("docker compose down")
    shutil.rmtree(folder, ignore_errors=True)  # a container that was killed may still be ending


@contextmanager
def apart(folder: Path) -> Iterator[Callable[[str], str]]:
    """Start a machine within this one: processes, network and mounts are its own.

    What is written to the project folder and to `/etc` is gone with it.
    """
    waiting = ["sh", "-c", "while :; do sleep 60; done"]
    own = ["--fork", "--pid", "--kill-child", "--mount-proc", "--net", "--mount"]
    holder = subprocess.Popen(["unshare", *own, *waiting])
    changes, project = folder / "changes", folder / "project"
    environment = {
        "PATH": f"{folder}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "DOCKER_HOST": f"unix://{folder}/docker.sock",
        "DOCKER_BUILDKIT": "0",  # it would ask a registry for the images
    }

    def typed(commands: str) -> str:
        [child] = psutil.Process(holder.pid).children()
        names = [f"{name}={value}" for name, value in environment.items()]
        inside = ["nsenter", f"--target={child.pid}", "--pid", "--net", "--mount", "env", *names]
        return run(*inside, "sh", "-euc", f"cd {project}\n{commands}")

    def changed(name: str, place: Path, original: Path) -> str:
        upper, work = changes / name, changes / f"{name}.work"
        layers = f"lowerdir={original},upperdir={upper},workdir={work}"
        return f"mkdir {upper} {work}; mount -t overlay overlay -o {layers} {place}\n"

    changes.mkdir()
    project.mkdir()
    try:
        within(10, lambda: "1" in typed("echo 1"))
        typed(
            f"ip link set lo up; mount -t tmpfs tmpfs {changes}\n"
            + changed("project", project, ROOT)
            + changed("etc", Path("/etc"), Path("/etc"))
        )
        yield typed
    finally:
        holder.kill()
        holder.wait()


@contextmanager
def docker(folder: Path, typed: Callable[[str], str]) -> Iterator[None]:
    """Run Docker, or skip the test, with its last words."""
    log, where = folder / "docker.log", f"--data-root {folder}/docker --exec-root {folder}/run"
    words = f"{where} --pidfile {folder}/docker.pid --host unix://{folder}/docker.sock"
    typed(f"dockerd {words} --oom-score-adjust 0 > {log} 2>&1 &")
    try:
        within(60, lambda: "Server" in typed("docker version"))
    except AssertionError:
        pytest.skip(f"Docker does not run here: {log.read_text().splitlines()[-1:]}")
    yield
    typed(f"kill $(cat {folder}/docker.pid)")
    within(60, lambda: not (folder / "docker.pid").exists())


def inspected(typed: Callable[[str], str], service: str) -> dict[str, Any]:
    """Return what Docker knows about a container, running or stopped."""
    [found] = json.loads(typed(f"docker inspect $(docker compose ps --quiet {service})"))
    return dict(found)


def healthy(typed: Callable[[str], str]) -> bool:
    return bool(inspected(typed, "eyelog")["State"]["Health"]["Status"] == "healthy")


def in_container(block: str) -> str:
    """Return the commands of another part of the page as the page says to type them here."""
    return re.sub(r"\beyelog (?=service|simulate)", "docker compose exec -T eyelog eyelog ", block)


def test_an_operator_who_types_the_page_has_the_service_in_containers(
    typed: Callable[[str], str],
) -> None:
    certificate = "/etc/letsencrypt/live/logs.example.org"
    typed(
        f"mkdir -p {certificate}\n"
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        f" -subj /CN=x -keyout {certificate}/privkey.pem -out {certificate}/fullchain.pem"
    )
    page = Page("run-a-service")
    build, backup, upgrade = page.take("### In containers")
    said = typed(build)
    assert "setting behind-proxy       172.31.87.2 " in said
    assert "wrong " not in said
    within(60, lambda: "eyelog" in typed(f"{CURL} {OUTSIDE}/version"))
    assert "\nLocation: https://logs.example.org/" in typed(f"{CURL} -i http://logs.example.org")
    assert typed(f"{CURL} localhost:8765 || echo refused") == "refused\n"
    within(90, lambda: healthy(typed))

    # The service can do nothing but its work.
    inside = "docker compose exec eyelog"
    status = typed(f"{inside} sh -c 'id; ulimit -n; cat /proc/self/status'")
    assert "uid=10001(eyelog) gid=10001(eyelog)" in status
    assert "\n8192\n" in status
    found = re.findall(r"(?:CapPrm|CapBnd|NoNewPrivs):\s*(\w+)", status)
    assert found == ["0" * 16, "0" * 16, "1"]
    assert inspected(typed, "eyelog")["HostConfig"]["Memory"] == 2 << 30
    for place in ("/", "/opt/eyelog/bin", "/opt/wheels", "/etc", "/home", "/var/tmp", "/run"):
        written = typed(f"{inside} sh -c 'touch {place}/x 2>&1 || true'")
        assert "Read-only file system" in written, place
    assert "denied" in typed(f"{inside} sh -c 'sh -c \"echo >> /eyelog.toml\" 2>&1 || true'")

    for block in page.take("## Records, wearers, applications", "sh"):
        typed(in_container(block))
    token, post, _ = page.take("## Records that wearers send", "sh")
    typed(in_container(token))
    post = post.replace("curl", CURL).replace("http://127.0.0.1:8765", OUTSIDE)
    answer, _ = page.take("## Records that wearers send")
    assert json.loads(typed(post)) == json.loads(answer)
    for block in page.take("## Wearers: add, change, remove", "sh")[:1]:
        assert "anna" in typed(in_container(block))
    # The caller's address, as nginx names it, and not nginx's own.
    line = json.loads(typed('grep \'"event": "upload"\' state/_service.audit.jsonl'))
    assert line["account"] == "anna"
    assert not line["address"].startswith("172.31.87.")

    first = inspected(typed, "eyelog")
    typed(f"kill -KILL {first['State']['Pid']}")
    within(60, lambda: inspected(typed, "eyelog")["State"]["Pid"] not in (0, first["State"]["Pid"]))
    within(60, lambda: "eyelog" in typed(f"{CURL} {OUTSIDE}/version"))

    assert "read back, in /backups/today" in typed(backup)
    assert typed("stat -c %u:%g backups/today").strip() == "10001:10001"

    typed("docker compose stop")
    ended = [inspected(typed, service)["State"]["ExitCode"] for service in ("eyelog", "nginx")]
    assert ended == [0, 0]
    assert "Traceback" not in typed("docker compose logs eyelog")

    typed(upgrade)
    within(60, lambda: "eyelog" in typed(f"{CURL} {OUTSIDE}/version"))
    assert "anna" in typed(f"{inside} eyelog service list-accounts")
