"""What a proxy says is believed where the operator named it, and nowhere else."""

import json
from pathlib import Path
from typing import Any

import pytest

import eyelog as el
from eyelog_service.web import Proxy
from support import live
from support.live import AUDIT, STANDARD, Live
from support.login_page import Browser
from support.records import records
from support.replies import DAY

FORGED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Prefix": "/evil",
    "Forwarded": "for=203.0.113.9;proto=https",
}


def _scope(client: str | None, path: str = "/health", **headers: str) -> dict[str, Any]:
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    seen_from = None if client is None else (client, 1)
    return {"client": seen_from, "scheme": "http", "path": path, "headers": named}


@pytest.mark.parametrize(
    ("peer", "header", "address"),
    [
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "10.1.1.1, 203.0.113.9", "203.0.113.9"),
        ("::1", "2001:db8::1", "2001:db8::1"),
        ("::ffff:127.0.0.1", "203.0.113.9:4711", "203.0.113.9"),
        ("127.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9, <script>", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("10.0.0.1", "203.0.113.9", "10.0.0.1"),
    ],
)
def test_only_the_last_hop_counts_and_only_from_the_proxy(
    peer: str, header: str, address: str
) -> None:
    seen = Proxy("loopback").seen(_scope(peer, x_forwarded_for=header))
    assert seen["client"][0] == address


def test_the_scheme_is_https_unless_the_proxy_says_http() -> None:
    proxy = Proxy("10.0.0.0/24")
    assert proxy.seen(_scope("10.0.0.7"))["scheme"] == "https"
    assert proxy.seen(_scope("10.0.0.7", x_forwarded_proto="http"))["scheme"] == "http"
    assert proxy.seen(_scope("10.0.1.7", x_forwarded_proto="https"))["scheme"] == "http"
    assert proxy.seen(_scope(None, x_forwarded_proto="https"))["scheme"] == "http"


@pytest.mark.parametrize("peer", ["proxy.example", "10.0.0.1/99", "", "10.0.0.1/8"])
def test_an_impossible_proxy_is_reported_in_one_sentence(peer: str) -> None:
    with pytest.raises(el.ConfigurationError, match="is not the address of a proxy"):
        Proxy(peer)


@pytest.mark.parametrize("path", ["eyelog", "//evil.example", "/a b", "/..", '/a"', "/a?b"])
def test_an_impossible_prefix_is_reported_in_one_sentence(tmp_path: Path, path: str) -> None:
    said = "cannot stand before the service's paths"
    with pytest.raises(el.ConfigurationError, match=said), live.running(tmp_path, root_path=path):
        pass


def test_without_a_proxy_the_headers_of_a_proxy_are_ignored(there: Live) -> None:
    browser = Browser(there)
    browser.session.headers.update(FORGED)
    cookie = browser.open().headers["Set-Cookie"]
    assert "Path=/v1/oauth/authorize" in cookie
    assert "Secure" not in cookie
    start = there.ask("", headers=FORGED).json()
    assert start["description"] == f"{there.url}/openapi.json"


def test_behind_a_proxy_cookies_are_secure_and_addresses_are_those_of_clients(
    tmp_path: Path,
) -> None:
    settings: dict[str, Any] = {"proxy": "loopback", "root_path": "/eyelog"}
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame]}, **settings) as there:
        forwarded = {"X-Forwarded-For": "198.51.100.1, 203.0.113.9", "Host": "lab.example"}
        browser = Browser(there)
        browser.session.headers.update(forwarded)
        cookie = browser.open().headers["Set-Cookie"]
        assert "Secure" in cookie
        assert "Path=/eyelog/v1/oauth/authorize" in cookie
        start = there.ask("", headers=forwarded).json()
        assert start["description"] == "https://lab.example/eyelog/openapi.json"
        token = there.login("ada")["access_token"]
        assert there.get(STANDARD, *DAY, token=token).status_code == 200
        form = {"token": token}
        revoked = there.ask("/v1/oauth/revoke", "POST", token=token, data=form, headers=forwarded)
        assert revoked.status_code == 200
        described = there.ask("/eyelog/openapi.json").json()
        assert described["servers"] == [{"url": "/eyelog"}]
        log = there.archive / AUDIT
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    seen = {one["event"]: one["address"] for one in lines}
    assert (seen["token"], seen["revoke"]) == ("127.0.0.1", "203.0.113.9")
