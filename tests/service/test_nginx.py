"""The service behind a real nginx with TLS, under a path of its own."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from requests.adapters import HTTPAdapter

import eyelog as el
from support import live
from support.live import AUDIT, STANDARD
from support.login_page import PASSWORD, Browser, sent_back
from support.records import records
from support.replies import DAY

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")

pytestmark = [
    pytest.mark.slow("a real nginx is started"),
    pytest.mark.skipif(
        NGINX is None or shutil.which("openssl") is None, reason="nginx or openssl is not installed"
    ),
]

_CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 128; }}
http {{
    access_log off;
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
        location /eyelog/ {{
            proxy_pass {upstream}{slash};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
        }}
    }}
}}
"""


def _certificate(folder: Path) -> None:
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    files = f"-keyout {folder}/key.pem -out {folder}/cert.pem"
    command = ["openssl", *f"{made} {names} {files}".split()]
    subprocess.run(command, check=True, capture_output=True)


class _From(HTTPAdapter):
    """Connects from another address of this machine, as another client would."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, source_address=("127.0.0.7", 0), **kwargs)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.fixture(params=["/", ""], ids=["prefix removed", "prefix kept"])
def behind(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[live.Live, Path]]:
    """The service as clients of the proxy know it, and its audit log."""
    folder, port = tmp_path / "nginx", _free_port()
    folder.mkdir()
    _certificate(folder)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(folder / "cert.pem"))
    settings: dict[str, Any] = {"proxy": "loopback", "root_path": "/eyelog"}
    wearers = {"ada": [records(STANDARD, "2026-10-24 00:01", 300)]}
    with live.service(
        tmp_path / "a", wearers, page_size=100, password=PASSWORD, **settings
    ) as direct:
        (folder / "nginx.conf").write_text(
            _CONFIGURATION.format(
                folder=folder, port=port, upstream=direct.url, slash=request.param
            )
        )
        with subprocess.Popen([str(NGINX), "-p", str(folder), "-c", "nginx.conf"]) as nginx:
            try:
                _wait_for(port)
                url = f"https://127.0.0.1:{port}/eyelog"
                yield replace(direct, url=url), direct.archive / AUDIT
            finally:
                nginx.terminate()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, "nginx did not start"
            time.sleep(0.05)
        else:
            return


def test_a_wearer_logs_in_and_a_client_reads_through_nginx(
    behind: tuple[live.Live, Path], tmp_path: Path
) -> None:
    there, log = behind
    browser = Browser(there)
    page = browser.open()
    cookie = page.headers["Set-Cookie"]
    assert "Secure" in cookie
    assert "HttpOnly" in cookie
    assert "Path=/eyelog/v1/oauth/authorize" in cookie
    # A browser sends Origin with the form; it has to fit the address that it sees.
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(there.url))
    browser.session.headers["Origin"] = origin
    callback = sent_back(browser.send(page, password=PASSWORD))
    tokens = there.exchange(callback["code"], redirect_uri="http://127.0.0.1:5007/callback").json()
    assert len(there.walk(STANDARD, *DAY, token=tokens["access_token"])) == 3

    application = el.Application(there.client_id, there.client_secret, there.redirect_uri)
    with el.Client(there.url, application=application, home=tmp_path / "home") as client:
        client.exchange(there.code("ada"))
        assert len(client.standard_mode_logs("2026-10-24", "2026-10-24")) == 300

    forged = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
    with requests.Session() as session:
        session.mount("https://", _From())
        start = session.get(f"{there.url}/", headers=forged, timeout=30).json()
        revoked = session.post(
            f"{there.url}/v1/oauth/revoke",
            data={"token": tokens["refresh_token"]},
            headers={**forged, "Authorization": f"Bearer {tokens['access_token']}"},
            timeout=30,
        )
        assert revoked.status_code == 200
    assert start["description"] == f"{there.url}/openapi.json"
    assert requests.get(start["description"], timeout=30).json()["servers"] == [{"url": "/eyelog"}]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (revocation,) = (line for line in lines if line["event"] == "revoke")
    assert revocation["address"] == "127.0.0.7"  # of the three, the address that nginx saw
    assert callback["code"] not in log.read_text()
