"""The pages for operators, typed command by command as root on an empty machine.

The machine is a container: a new Debian with systemd as its first process and no network. The
packages of the project come from a folder, in place of an index.
"""

import json
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from support.machines import Page, debian, needs_machine, run, wheels, within
from support.operating import configuration
from support.paths import ROOT

# What a server of Debian has and the smallest installation lacks.
PRESENT = ["systemd", "sudo", "curl", "ca-certificates"]
# Blocks that are not typed here, and why.
ELSEWHERE = {
    ("### In containers", "text"): "test_in_containers.py types them, with Docker",
}

CERTIFICATE = "/etc/letsencrypt/live/logs.example.org/fullchain.pem"
KEY = "/etc/letsencrypt/live/logs.example.org/privkey.pem"
LOCAL = "curl --silent --fail http://127.0.0.1:8765/health"
OUTSIDE = (
    "curl --silent --fail --insecure --resolve logs.example.org:443:127.0.0.1"
    " https://logs.example.org"
)
# What nginx needs to be the address of an object store.
STORE = f"""server {{
    listen 443 ssl; server_name objects.example.org; client_max_body_size 0;
    ssl_certificate {CERTIFICATE}; ssl_certificate_key {KEY};
    location / {{ proxy_pass http://127.0.0.1:5000; }}
}}
"""
Typed = Callable[[str], str]

pytestmark = needs_machine("debootstrap", "systemd-nspawn", "nsenter")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the root folder of a new Debian with the packages that the page asks for."""
    folder = tmp_path_factory.mktemp("machine")
    root = folder / "root"
    page = Page("run-a-service")
    commands = "\n".join(page.take("## Install") + page.take("## Several hosts"))
    named = re.findall("^sudo apt-get install (.*)", commands, flags=re.MULTILINE)
    debian(root, [*PRESENT, *" ".join(named).split()])
    wheels(root)
    (root / "etc/hostname").write_text("lab\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost lab db.example.org objects.example.org\n")
    (root / "opt/eyelog").mkdir()
    yield root
    shutil.rmtree(folder, ignore_errors=True)  # a machine that was killed may still be ending


@contextmanager
def booted(root: Path) -> Iterator[Typed]:
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
    tests = f"--bind-ro={sysconfig.get_path('purelib')}:/opt/tests"  # has a store
    log = (root.parent / "boot.log").open("a")
    container = subprocess.Popen(
        ["systemd-nspawn", *words, project, tests, f"--directory={root}"],
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
        container.wait(180)
    finally:
        with suppress(psutil.Error, ValueError):  # it has ended
            psutil.Process(first_process()).kill()  # and all that it started
        container.kill()
        container.wait()
        log.close()


def as_eyelog(block: str) -> str:
    """Return commands that the user of the service types, as `eyelog ...`."""
    program = "env PATH=/srv/eyelog/venv/bin:$PATH sh -euc"
    return f"cd /srv/eyelog; sudo -u eyelog {program} {shlex.quote(block)}"


def private(path: str, text: str) -> str:
    """Return what writes a file that only the user of the service can read."""
    return f"printf '{text}' | install -D -m 600 -o eyelog -g eyelog /dev/stdin {path}"


def type_examples(page: Page, typed: Typed) -> None:
    """Type the blocks that the site shows with their results, as root in an empty folder."""

    def example(block: str) -> str:
        return typed(f"cd /root/page; PATH=/srv/eyelog/venv/bin:$PATH\n{block}")

    typed("mkdir /root/page")
    simulate, account, application = page.take("## Records, wearers, applications", "sh")
    example(simulate)
    example(account)
    client = re.search(r"EYELOG_CLIENT_ID=(\S+)", example(application))
    assert client is not None
    [code] = page.take("## Records, wearers, applications")
    assert example(code.replace(" ID ", f" {client[1]} ")).strip()
    [serve] = page.take("## Serve", "sh")
    assert "/v1/records" in example(f"{serve}echo $! > pid")

    token, post, push = page.take("## Records that wearers send", "sh")
    example(token)
    answer, crontab = page.take("## Records that wearers send")
    assert json.loads(example(post)) == json.loads(answer)
    example(push)
    for block in page.take("## Wearers: add, change, remove", "sh"):
        example(block)
    for block in page.take("## Rotation", "sh"):
        example(block)

    backup, restore, check = page.take("## Backup and restore", "sh")
    example(backup)
    example("kill $(cat pid)")
    within(30, lambda: example("ls /proc/$(cat pid) 2>/dev/null || echo ended") == "ended\n")
    example(restore)
    assert "wrong " not in example(check)

    typed(
        "install -d -o eyelog -g eyelog /srv/drive/anna; cp /root/page/logger.csv /srv/drive/anna"
    )
    *_, command = crontab.split(" ", 5)
    typed(as_eyelog(command))
    assert "anna" in typed("cd /srv/eyelog/logs; find -name '*.parquet'")


def type_store(page: Page, typed: Typed) -> None:
    """Serve an archive in an object store, at the address of the page."""
    typed("PYTHONPATH=/opt/tests python3 -m moto.server -p 5000 > /root/store.log 2>&1 &")
    typed(f"printf '{STORE}' > /etc/nginx/conf.d/store.conf; systemctl reload nginx")
    bucket = (
        f"curl --silent --fail --cacert {CERTIFICATE} -X PUT https://objects.example.org/wearers"
    )
    within(60, lambda: typed(f"{bucket}; echo made").endswith("made\n"))
    typed("systemctl stop eyelog")
    extra, serve = page.take("## An archive in an object store")
    typed(extra)
    trusted = f"export AWS_CA_BUNDLE={CERTIFICATE}\n{serve.rstrip()}"
    typed(f"({as_eyelog(trusted)}) > /root/serve.log 2>&1 & echo $! > /root/serve.pid")
    within(120, lambda: '"ok"' in typed(LOCAL))
    token = "eyelog service upload-token --config /srv/eyelog/eyelog.toml anna"
    typed(f"{as_eyelog(token)} > /root/page/upload-token")
    _, post, _ = Page("run-a-service").take("## Records that wearers send", "sh")
    assert json.loads(typed(f"cd /root/page\n{post}"))["new"] == 2
    typed("kill $(cat /root/serve.pid)")
    within(60, lambda: typed("ls /proc/$(cat /root/serve.pid) 2>&1 || true").startswith("ls: "))

    [kept] = page.take("## An archive in an object store", "ini")
    typed(private("/srv/eyelog/.aws/config", f"{kept}ca_bundle = {CERTIFICATE}\n"))


def type_hosts(page: Page, typed: Typed) -> None:
    """Take the state into a database, and serve it and the store from two hosts."""
    more, database, password, move, start = page.take("## Several hosts")
    typed(more)
    typed(f"printf 'THE PASSWORD\\nTHE PASSWORD\\n' | {{ {database} }}")
    here = "/etc/postgresql/15/main"
    typed(
        f"install -m 600 -o postgres {KEY} {here}/key.pem; cp {CERTIFICATE} {here}/cert.pem\n"
        f"printf \"ssl_cert_file = '{here}/cert.pem'\\nssl_key_file = '{here}/key.pem'\\n\""
        f" > {here}/conf.d/tls.conf; systemctl restart postgresql"
    )
    typed(private("/srv/eyelog/.pgpass", password))
    typed(f"install -D -m 644 {CERTIFICATE} /srv/eyelog/.postgresql/root.crt")
    typed(move)
    [settings] = page.take("## Several hosts", "toml")
    typed(f"printf '{settings}' > /srv/eyelog/eyelog.toml")
    [drop_in] = page.take("## Several hosts", "ini")
    drop_in = drop_in.replace("192.0.2.7 192.0.2.8", "127.0.0.1")
    folder = "/etc/systemd/system/eyelog.service.d"
    typed(f"mkdir {folder}; printf '{drop_in}' > {folder}/hosts.conf")
    typed(start)
    within(120, lambda: '"ok"' in typed(LOCAL))
    check = typed(as_eyelog("eyelog service check --config /srv/eyelog/eyelog.toml"))
    assert "wrong " not in check
    assert "THE PASSWORD" not in check

    # Another host knows the account, its token, and what the first service had imported.
    other = "EYELOG_SERVICE_LOCAL=/srv/eyelog/other EYELOG_SERVICE_PORT=8766"
    typed("install -d -m 700 -o eyelog /srv/eyelog/other")
    typed(f"({as_eyelog(f'{other} eyelog serve --config eyelog.toml')}) > /root/other.log 2>&1 &")
    within(120, lambda: '"ok"' in typed(LOCAL.replace("8765", "8766")))
    _, post, _ = Page("run-a-service").take("## Records that wearers send", "sh")
    answer = json.loads(typed(f"cd /root/page\n{post.replace('8765', '8766')}"))
    assert answer["new"] == 0


def test_an_operator_who_types_the_pages_has_a_service_and_can_upgrade_it(machine: Path) -> None:
    page, upgrading = Page("run-a-service"), Page("upgrade")
    with booted(machine) as typed:
        packages, install, account = page.take("## Install")
        typed(packages)
        typed(install)
        assert typed("cat /srv/eyelog/eyelog.toml") == configuration("settings")
        typed(account)
        type_examples(page, typed)

        [unit] = page.take("### As a systemd unit")
        typed(unit)
        within(120, lambda: '"ok"' in typed(LOCAL))
        exposed = typed("systemd-analyze security eyelog --no-pager")
        found = re.search(r"exposure level for eyelog\.service: ([\d.]+)", exposed)
        assert found is not None
        assert float(found[1]) <= 2.0

        names = ",".join(f"DNS:{name}.example.org" for name in ("logs", "objects", "db"))
        typed(
            f"mkdir -p {Path(CERTIFICATE).parent}\n"
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
            f" -subj /CN=x -addext subjectAltName={names} -keyout {KEY} -out {CERTIFICATE}"
        )
        [proxy] = page.take("### TLS behind a reverse proxy")
        typed(proxy)
        within(10, lambda: "eyelog" in typed(f"{OUTSIDE}/version"))

        [settings] = page.take("### One settings file")
        serve, listing = settings.splitlines()
        assert f"ExecStart=/srv/eyelog/venv/bin/{serve}\n" in configuration("systemd")
        assert "anna" in typed(f"sudo -u eyelog /srv/eyelog/venv/bin/{listing}")

        [rotation] = page.take("## What is logged")
        typed(rotation)
        log = "/srv/eyelog/state/_service.audit.jsonl"
        assert "admin.add_account" in typed(f"cat {log}")
        typed("logrotate --force /etc/logrotate.d/eyelog")
        assert "admin.add_account" in typed(f"cat {log}.1")
        eyelog = "sudo -u eyelog /srv/eyelog/venv/bin/eyelog service"
        for action in ("disable", "enable"):
            typed(f"{eyelog} {action} --config /srv/eyelog/eyelog.toml anna")
        assert "admin.enable" in typed(f"cat {log}")

        typed("systemctl kill --kill-who=main --signal=KILL eyelog")
        within(120, lambda: '"ok"' in typed(LOCAL))

        [upgrade] = upgrading.take("## Upgrade a service")
        said = typed(upgrade)
        assert "backed up: " in said
        assert "wrong " not in said
        assert "setting archive            /srv/eyelog/logs " in said
        within(120, lambda: '"ok"' in typed(LOCAL))
    with booted(machine) as typed:  # it is there again after a power cut
        within(120, lambda: "eyelog" in typed(f"{OUTSIDE}/version"))
        type_store(page, typed)
        type_hosts(page, typed)
    assert {**page.left, **upgrading.left}.keys() == ELSEWHERE.keys()
