"""The files for systemd, nginx and logrotate are accepted by these programs, and fit each other."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from eyelog.cli import main
from eyelog.cli.main import build_parser
from eyelog.service.audit import FILE_NAME
from eyelog.service.configuration import PROGRAMS, configuration

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
STATE = "/srv/eyelog/state"


def unit() -> configparser.SectionProxy:
    text = configuration("systemd").replace("\\\n", " ").replace("~@privileged", "@privileged")
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser["Service"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_command_prints_the_file_that_the_page_shows(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["service", "print-config", program]) == 0
    assert capsys.readouterr().out == configuration(program)
    page = Path(__file__).parents[2].joinpath("docs", "run-a-service.md").read_text()
    assert f"{{literalinclude}} ../src/eyelog/service/templates/{program}.txt" in page


def test_the_unit_runs_a_command_that_exists_on_paths_that_it_can_write() -> None:
    service = unit()
    program, *words = service["ExecStart"].split()
    assert program.endswith("/bin/eyelog")
    args = build_parser().parse_args(words)
    writable = service["ReadWritePaths"].split()
    assert writable == [args.archive, args.state] == ["/srv/eyelog/logs", STATE]
    assert args.access_log.startswith(f"{STATE}/")
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


def test_the_logs_that_are_rotated_are_those_that_the_unit_writes() -> None:
    first = configuration("logrotate").splitlines()[2]
    words = unit()["ExecStart"].split()
    access_log = words[words.index("--access-log") + 1]
    assert first.removesuffix(" {").split() == [access_log, f"{STATE}/{FILE_NAME}"]
