"""The files for systemd, nginx, logrotate and containers are accepted, and fit each other."""

import configparser
import ipaddress
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from support.live import AUDIT
from support.operating import Operator, configuration
from support.paths import ROOT

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
STATE = "/srv/eyelog/state"


def settings_in(folder: Path) -> dict[str, str]:
    """Return the settings of a service whose file is the printed one, and lies in `folder`."""
    made = folder / "eyelog.toml"
    made.write_text(configuration("settings"))
    (folder / "logs").mkdir(mode=0o700)
    operator = Operator("")
    operator("add-account", "--config", made, "ada")
    found = operator.run("check", "--json", "--config", made)
    texts = {one["check"]: one["text"] for one in json.loads(found.out)}
    return {
        name.removeprefix("setting "): text.rpartition(" (")[0]
        for name, text in texts.items()
        if name.startswith("setting ")
    }


def unit() -> configparser.SectionProxy:
    text = configuration("systemd").replace("\\\n", " ").replace("~@privileged", "@privileged")
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser["Service"]


PROGRAMS = ("settings", "systemd", "nginx", "logrotate", "docker", "compose")


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_command_prints_the_file_that_the_page_shows(program: str) -> None:
    file = f"src/eyelog_service/templates/{program}.txt"
    assert f"{{literalinclude}} ../{file}" in (ROOT / "docs" / "run-a-service.md").read_text()
    assert configuration(program) == (ROOT / file).read_text("utf-8")


def test_the_unit_serves_what_the_settings_file_names_on_paths_that_it_can_write(
    tmp_path: Path,
) -> None:
    service = unit()
    program, *words = service["ExecStart"].split()
    assert program.endswith("/bin/eyelog")
    assert words == ["serve", "--config", "/srv/eyelog/eyelog.toml"]
    settings = settings_in(tmp_path)
    named = [settings[name].replace(str(tmp_path), "/srv/eyelog") for name in ("archive", "state")]
    assert service["ReadWritePaths"].split() == named == ["/srv/eyelog/logs", STATE]
    assert (settings["behind-proxy"], settings["workers"]) == ("loopback", "4")
    assert service["Environment"].partition("=")[2].startswith(f"{STATE}/")
    for name in ("MemoryMax", "LimitNOFILE", "SystemCallFilter"):
        assert service[name]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_finds_the_unit_hardly_exposed(tmp_path: Path) -> None:
    (tmp_path / "eyelog.service").write_text(configuration("systemd"))
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
    done = subprocess.run(
        [*command, str(tmp_path / "eyelog.service")], capture_output=True, text=True, check=False
    )
    found = re.search(r"exposure level for eyelog\.service: ([\d.]+)", done.stdout)
    assert found is not None, done.stderr
    assert float(found[1]) <= 2.0
    assert "Unknown key" not in done.stderr


def test_nginx_redirects_to_tls_and_logs_no_query() -> None:
    text = configuration("nginx")
    assert "return 301 https://" in text
    assert "Strict-Transport-Security" in text
    log = re.search(r"log_format eyelog (.*);", text)
    assert log is not None
    assert not {"$request", "$request_uri", "$args", "$query_string", "$http_referer"} & set(
        re.findall(r"\$\w+", log[1])
    )
    assert text.count("access_log /var/log/nginx/eyelog.log eyelog;") == text.count("server {") == 2


def test_nginx_takes_large_bodies_where_the_service_takes_them_and_nowhere_else() -> None:
    found = re.search(r"location ~ (\S+) {\s+client_max_body_size 256m;", configuration("nginx"))
    assert found is not None
    taken = {
        path
        for path in ("/account", "/v1/records", "/accounts", "/v1/oauth/token")
        if re.search(found[1], path)
    }
    assert taken == {"/account", "/v1/records"}


@pytest.mark.skipif(NGINX is None or shutil.which("openssl") is None, reason="there is no nginx")
def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x"
    files = ["-keyout", f"{tmp_path}/privkey.pem", "-out", f"{tmp_path}/fullchain.pem"]
    subprocess.run(["openssl", *made.split(), *files], check=True, capture_output=True)
    text = configuration("nginx").replace("/etc/letsencrypt/live/logs.example.org", str(tmp_path))
    text = text.replace("/var/log/nginx", str(tmp_path))
    whole = f"pid {tmp_path}/pid; error_log {tmp_path}/error.log; events {{}} http {{ {text} }}"
    (tmp_path / "nginx.conf").write_text(whole)
    done = subprocess.run(
        [str(NGINX), "-t", "-p", str(tmp_path), "-c", "nginx.conf"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_log_that_is_rotated_is_the_one_that_the_unit_writes() -> None:
    first = configuration("logrotate").splitlines()[2]
    assert first.removesuffix(" {") == f"{STATE}/{AUDIT}"


Step = tuple[str, str]


def stages() -> list[list[Step]]:
    """Return the instructions of the Dockerfile, stage by stage."""
    text = re.sub(r"(?m)^#.*\n", "", configuration("docker")).replace("\\\n", " ")
    made: list[list[Step]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            made.append([])
        made[-1].append((instruction, rest.strip()))
    return made


def only(stage: list[Step], instruction: str) -> str:
    [found] = [rest for name, rest in stage if name == instruction]
    return found


def environment(stage: list[Step]) -> dict[str, str]:
    return dict(rest.split("=", 1) for name, rest in stage if name == "ENV")


def test_the_container_serves_what_the_settings_file_names_as_a_user_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, run = stages()
    assert only(run, "ENTRYPOINT") == '["eyelog"]'
    for name, value in environment(run).items():
        if name != "PATH":
            monkeypatch.setenv(name, value)
    assert json.loads(only(run, "CMD")) == ["serve"]
    settings = settings_in(tmp_path)
    # The file lies in the root, and its paths are relative to it.
    assert environment(run)["EYELOG_SERVICE_CONFIG"] == "/eyelog.toml"
    volumes = [f"{tmp_path}{volume}" for volume in json.loads(only(run, "VOLUME"))]
    assert [settings["archive"], settings["state"]] == volumes
    assert environment(run)["EYELOG_HOME"] == "/state/home"
    assert settings["host"] == "0.0.0.0"
    assert only(run, "EXPOSE") == settings["port"]
    assert f":{settings['port']}/health" in only(run, "HEALTHCHECK")
    names = [name for name, _ in run]
    assert names.index("USER") > max(i for i, name in enumerate(names) if name == "RUN")
    assert f" {only(run, 'USER')} " in next(rest for name, rest in run if name == "RUN")
    for sources in (rest.split()[:-1] for name, rest in build if name == "COPY"):
        assert all((ROOT / source).exists() for source in sources)


def test_docker_is_sent_what_the_image_is_built_from_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    build, _ = stages()
    copied = {source for name, rest in build if name == "COPY" for source in rest.split()[:-1]}
    assert {line[1:] for line in lines if line.startswith("!")} == copied


def test_the_containers_fit_each_other() -> None:
    _, run = stages()
    made = yaml.safe_load(configuration("compose"))
    service, proxy = made["services"]["eyelog"], made["services"]["nginx"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "ports" not in service
    assert f"--uid {service['user']} " in next(rest for name, rest in run if name == "RUN")
    inside_paths = [volume.split(":")[1] for volume in service["volumes"]]
    assert inside_paths == [environment(run)["EYELOG_SERVICE_CONFIG"], "/logs", "/state"]
    address = proxy["networks"]["inside"]["ipv4_address"]
    assert service["environment"] == {"EYELOG_SERVICE_BEHIND_PROXY": address}
    [inside] = made["networks"]["inside"]["ipam"]["config"]
    assert ipaddress.ip_address(address) in ipaddress.ip_network(inside["subnet"])
    # The service starts first, and must not be given the address of the proxy.
    assert ipaddress.ip_network(inside["ip_range"]).subnet_of(
        ipaddress.ip_network(inside["subnet"])
    )
    assert ipaddress.ip_address(address) not in ipaddress.ip_network(inside["ip_range"])
    assert made["networks"]["inside"]["internal"] is True
    assert service["networks"] == ["inside"]
    # The page turns the address of nginx's file into the name of the service.
    assert "proxy_pass http://127.0.0.1:8765;" in configuration("nginx")


@contextmanager
def running(command: list[str], **more: object) -> Iterator[None]:
    process = subprocess.Popen(command, **more)  # type: ignore[call-overload]
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(30) == 0


@pytest.mark.slow("an environment is installed")
@pytest.mark.skipif(os.name != "posix", reason="containers run Linux")
@pytest.mark.skipif(
    shutil.which("dockerd") is not None and os.geteuid() == 0,
    reason="test_in_containers.py builds it, with Docker",
)
def test_the_steps_of_the_dockerfile_make_a_service_that_answers(tmp_path: Path) -> None:
    build, run = stages()
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        free_port = asking.getsockname()[1]
    places = {name: str(tmp_path / name[1:]) for name in ("/build", "/opt", "/logs", "/state")}

    def here(text: str) -> str:
        text = re.sub(r"(?<![\w.])/(build|opt|logs|state|eyelog\.toml)\b", rf"{tmp_path}/\1", text)
        return text.replace(":8765", f":{free_port}")

    for place in places.values():
        Path(place).mkdir(mode=0o700)
    for name, rest in build:
        if name == "COPY":
            *sources, target = here(rest).split()
            for source in sources:
                into = Path(target) if (ROOT / source).is_dir() else Path(target) / source
                copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
                copy(ROOT / source, into)
        elif name == "RUN":
            python = f"{sys.base_prefix}/bin:{os.environ['PATH']}"
            subprocess.run(
                ["sh", "-ec", here(rest)], check=True, env={**os.environ, "PATH": python}
            )
    shutil.rmtree(places["/build"])  # the second stage has only the environment
    settings = {name: here(value) for name, value in environment(run).items()}
    settings |= {"EYELOG_SERVICE_PORT": str(free_port)}
    [written] = [rest for name, rest in run if name == "RUN" and rest.startswith("eyelog ")]
    subprocess.run(["sh", "-ec", here(written)], check=True, env=settings)
    health = json.loads(here(only(run, "HEALTHCHECK")).partition("CMD ")[2])
    assert subprocess.run(health, env=settings, capture_output=True, check=False).returncode != 0
    command = [*json.loads(only(run, "ENTRYPOINT")), *json.loads(here(only(run, "CMD")))]
    command[0] = f"{places['/opt']}/eyelog/bin/{command[0]}"
    with running(command, env=settings, cwd="/"):
        until = time.monotonic() + 60
        while subprocess.run(health, env=settings, capture_output=True, check=False).returncode:
            assert time.monotonic() < until, "the service is not healthy"
            time.sleep(0.2)
    assert (Path(places["/state"]) / "_service.sqlite").exists()
