"""What a monitor and a curious person get: health, versions, and where to begin."""

import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import requests

from support import live
from support.live import Live
from support.replies import oauth_error


def test_what_cannot_be_read_is_named_without_a_path(tmp_path: Path) -> None:
    with live.service(tmp_path / "a", {}) as there:
        state = there.archive / "_service.sqlite"
        state.rename(tmp_path / "away")
        answer = requests.get(f"{there.url}/health", timeout=30)
        assert oauth_error(answer, 503) == "temporarily_unavailable"
        assert answer.json()["error_description"] == "cannot be read: the service's state"
        shutil.rmtree(there.archive)
        answer = requests.get(f"{there.url}/health", timeout=30)
        assert answer.json()["error_description"] == (
            "cannot be read: the service's state and the archive"
        )
        assert str(tmp_path) not in answer.text
        (tmp_path / "a").mkdir()
        (tmp_path / "away").rename(state)
        assert requests.get(f"{there.url}/health", timeout=30).status_code == 200


def test_a_damaged_or_locked_state_is_not_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyelog_service.state.WAIT_SECONDS", 0.1)
    with live.service(tmp_path / "a", {}) as there:
        state = there.archive / "_service.sqlite"
        with closing(sqlite3.connect(state)) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert requests.get(f"{there.url}/health", timeout=30).status_code == 503
        assert requests.get(f"{there.url}/health", timeout=30).status_code == 200
        state.unlink()
        state.write_bytes(b"not a database at all" * 100)
        assert requests.get(f"{there.url}/health", timeout=30).status_code == 503


def test_the_first_address_shows_a_person_a_page(there: Live) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    answer = requests.get(there.url, headers=browser, timeout=30)
    assert answer.headers["Content-Type"].startswith("text/html")
    assert 'href="openapi.json"' in answer.text
    assert f"EYELOG_BASE_URL={there.url}" in answer.text
    assert "<script" not in answer.text


def test_a_full_disk_is_not_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with live.service(tmp_path / "a", {}) as there:
        monkeypatch.setattr("eyelog_service.app._LEAST_FREE", 1 << 62)
        answer = requests.get(f"{there.url}/health", timeout=30)
        assert oauth_error(answer, 503) == "temporarily_unavailable"
        assert answer.json()["error_description"] == "the disk of the service's state is full"


def test_too_few_descriptors_are_a_fault(there: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyelog_service.app.descriptors_left", lambda: 15)
    answer = requests.get(f"{there.url}/health", timeout=30)
    assert answer.status_code == 503
    assert "descriptors" in answer.json()["error_description"]


@pytest.mark.slow("all descriptors of a service are taken")
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors as Linux does")
def test_health_is_well_again_as_soon_as_descriptors_are_free(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    command = f"ulimit -n 64; exec {sys.executable} -m eyelog serve --port 0 --archive {tmp_path}/a"
    with subprocess.Popen(["bash", "-c", command], stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            port = int(process.stderr.readline().decode().rsplit(":", 1)[1])
            held = [socket.create_connection(("127.0.0.1", port)) for _ in range(90)]
            time.sleep(1)
            for each in held:
                each.close()
            assert requests.get(f"http://127.0.0.1:{port}/health", timeout=60).status_code == 200
        finally:
            process.kill()
