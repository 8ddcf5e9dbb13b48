"""The service as a process: it starts, prints its address and no secret, and stops cleanly."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

import eyelog as el
from eyelog_service.app import running, serve
from support import live
from support.live import COMPUTED, STANDARD
from support.records import records
from support.replies import DAY


@contextmanager
def _process(*arguments: object, page_size: int = 500) -> Iterator[subprocess.Popen[str]]:
    """`serve` in a process of its own, its address read from the first line."""
    called = ", ".join(map(repr, arguments))
    program = f"from eyelog_service.app import serve; serve({called}, page_size={page_size})"
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_serve_prints_only_its_address_and_stops_cleanly(tmp_path: Path) -> None:
    registry, client_id, secret = live.make(
        tmp_path / "a", {"ada": [records(STANDARD, "2026-10-24 00:01", 50)]}
    )
    with _process(str(tmp_path / "a"), "127.0.0.1", 0, page_size=20) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        url = process.stderr.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        there = live.Live(url, tmp_path / "a", registry, client_id, secret)
        token = there.login("ada")["access_token"]
        assert len(there.walk(STANDARD, *DAY, token=token)) == 3
        assert requests.get(f"{url}/v1/oauth/authorize?code=x", timeout=30).status_code == 400
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        assert (process.stdout.read(), process.stderr.read()) == ("", "")


def test_a_request_under_way_is_answered_before_the_service_stops(tmp_path: Path) -> None:
    frame = records(COMPUTED, "2026-10-24 00:00:15", 5700)
    registry, client_id, secret = live.make(tmp_path / "a", {"ada": [frame]})
    with _process(str(tmp_path / "a"), "127.0.0.1", 0, page_size=6000) as process:
        assert process.stderr is not None
        url = process.stderr.readline().strip()
        there = live.Live(url, tmp_path / "a", registry, client_id, secret)
        token = there.login("ada")["access_token"]
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(
                f"GET /v2/users/me/official/{COMPUTED}?date_from={DAY[0][:19]}Z"
                f"&date_to={DAY[1][:19]}Z HTTP/1.1\r\nHost: x\r\n"
                f"Authorization: Bearer {token}\r\n\r\n".encode()
            )
            parts = [connection.recv(1)]
            process.terminate()
            _wait_until_refused(host, int(port))
            while part := connection.recv(1 << 20):
                parts.append(part)
        assert b"".join(parts).endswith(b'"cursor":null}')
        assert process.wait(timeout=60) == 0


def _wait_until_refused(host: str, port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, port), timeout=5).close()
        except ConnectionRefusedError:
            return
        time.sleep(0.02)
    pytest.fail("the service that stops still accepts connections")


@pytest.mark.parametrize(("host", "port"), [("no.such.host.invalid", 0), ("127.0.0.1", 99999)])
def test_an_impossible_address_is_reported_in_one_sentence(
    tmp_path: Path, host: str, port: int
) -> None:
    live.make(tmp_path / "a", {})
    with pytest.raises(el.ConfigurationError, match="cannot listen"):
        serve(tmp_path / "a", host=host, port=port)


def test_an_address_in_use_is_reported_with_what_to_type(tmp_path: Path) -> None:
    live.make(tmp_path / "a", {})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(el.ConfigurationError, match="in use; choose another --host or --port"):
            serve(tmp_path / "a", port=port)


def test_binding_beyond_this_machine_warns(tmp_path: Path) -> None:
    with _process(str(tmp_path), "0.0.0.0", 0) as process:
        assert process.stderr is not None
        assert "plain HTTP" in process.stderr.readline()
        assert process.stderr.readline().startswith("http://0.0.0.0:")
        process.terminate()
        assert process.wait(timeout=60) == 0


def test_two_services_run_side_by_side_and_stop(tmp_path: Path) -> None:
    live.make(tmp_path / "a", {})
    with running(tmp_path / "a") as one, running(tmp_path / "a") as two:
        assert one != two
        for url in (one, two):
            assert requests.get(f"{url}/openapi.json", timeout=30).status_code == 200
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{one}/openapi.json", timeout=5)
