"""The application: addresses, methods, health, and what it refuses to start on."""

import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

import eyelog as el
from support import live
from support.live import STANDARD, Live
from support.records import records
from support.replies import oauth_error


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/oauth/token", "OPTIONS, POST"),
        ("PUT", "/v1/oauth/revoke", "OPTIONS, POST"),
        ("DELETE", "/v1/oauth/authorize", "GET, HEAD, OPTIONS, POST"),
        ("POST", f"/v2/users/me/official/{STANDARD}", "GET, HEAD, OPTIONS"),
        ("TRACE", "/openapi.json", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_method_that_is_not_accepted_is_a_405_that_lists_those_that_are(
    there: Live, method: str, path: str, allowed: str
) -> None:
    answer, options = there.ask(path, method), there.ask(path, "OPTIONS")
    assert (answer.status_code, answer.json()["error"]) == (405, "method_not_allowed")
    assert (options.status_code, options.content) == (204, b"")
    for each in (answer, options):
        assert sorted(each.headers["Allow"].replace(" ", "").split(",")) == allowed.split(", ")


_IMPOSSIBLE = {
    "page_size": "a whole number of at least 1",
    "requests_per_hour": "a whole number of at least 0",
    "uploads_per_hour": "a whole number of at least 0",
    "quota": "a number of bytes, or 0 (no limit)",
    "unpacked": "a number of bytes, or 0 (no limit)",
}


@pytest.mark.parametrize(
    ("name", "value"), [("page_size", 0), *product(_IMPOSSIBLE, [-1, True, 2.5, "500"])]
)
def test_an_impossible_number_is_reported_in_one_sentence(
    tmp_path: Path, name: str, value: int
) -> None:
    said = re.escape(f"{name} must be {_IMPOSSIBLE[name]}, not {value!r}")
    with pytest.raises(el.ConfigurationError, match=said), live.running(tmp_path, **{name: value}):
        pass


@pytest.mark.parametrize("end", ["%0a", "%0A%0a", "%0d", "%20", "/"])
def test_an_address_with_something_after_it_is_another_one(
    there: Live, token: str, end: str
) -> None:
    address = f"/v2/users/me/official/computed_data{end}"
    assert there.ask(address, token=token).status_code == 404
    for path in (f"/nowhere/account{end}", "/nowhere/account"):
        answer = there.ask(path, headers={"Accept": "text/html"})
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_a_locked_state_is_a_503_that_says_when_to_try_again(
    tmp_path: Path, impatient: None
) -> None:
    with live.service(tmp_path / "a", {"ada": []}) as there:
        token = there.login("ada")["access_token"]
        with closing(sqlite3.connect(there.archive / "_service.sqlite")) as other:
            other.execute("BEGIN EXCLUSIVE")
            time.sleep(1.1)  # the signing key is remembered for a second
            day = ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z")
            for answer in (
                there.get(live.STANDARD, *day, token=token),
                there.refresh("x" * 43),
                there.ask("/v1/oauth/authorize?client_id=x"),
            ):
                assert oauth_error(answer, 503) == "temporarily_unavailable"
                assert int(answer.headers["Retry-After"]) > 0
            for path in ("/account", "/v1/oauth/authorize?client_id=x"):
                headers = {"Accept": "text/html", "Cookie": "eyelog_session=x"}
                page = there.ask(path, headers=headers)
                assert page.headers["Content-Type"].startswith("text/html")
                assert (page.status_code, "cannot answer now" in page.text) == (503, True)
                assert int(page.headers["Retry-After"]) > 0
        assert there.get(live.STANDARD, *day, token=token).status_code == 200


def test_a_full_disk_is_a_503_and_one_line_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with live.service(tmp_path / "a", {"ada": []}) as there:
        tokens = there.login("ada")
        whole, is_full = sqlite3.connect, True

        def on_a_full_disk(*arguments: Any, **options: Any) -> sqlite3.Connection:
            db = whole(*arguments, **options)
            if is_full:
                db.execute("PRAGMA max_page_count = 1")  # the file can grow no more
            return db

        def connect_anew() -> None:
            file = there.archive / "_service.sqlite"
            shutil.copy2(file, tmp_path / "copy")
            (tmp_path / "copy").replace(file)

        monkeypatch.setattr(sqlite3, "connect", on_a_full_disk)
        connect_anew()
        for _ in range(100):
            refused = there.refresh(tokens["refresh_token"])
            if refused.status_code != 200:
                break
        assert oauth_error(refused, 503) == "temporarily_unavailable"
        assert int(refused.headers["Retry-After"]) > 0
        faults = [record for record in caplog.records if record.levelname == "ERROR"]
        assert "because the disk is full: free some space" in faults[-1].getMessage()
        assert all(record.exc_info is None for record in faults)
        assert str(tmp_path) not in refused.text
        is_full = False
        connect_anew()
        assert there.refresh(tokens["refresh_token"]).status_code == 200


# What a monitor and a curious person get: health, and where to begin.


def unwell(there: Live) -> str:
    """Return what is wrong with a service, as a monitor learns it."""
    answer = there.ask("/health")
    assert oauth_error(answer, 503) == "temporarily_unavailable"
    return str(answer.json()["error_description"])


def test_what_cannot_be_read_is_named_without_a_path(tmp_path: Path, impatient: None) -> None:
    with live.service(tmp_path / "a", {}) as there:
        state = there.archive / "_service.sqlite"
        state.rename(tmp_path / "away")
        assert unwell(there) == "cannot be read: the service's state"
        shutil.rmtree(there.archive)
        assert unwell(there) == "cannot be read: the service's state and the archive"
        (tmp_path / "a").mkdir()
        (tmp_path / "away").rename(state)
        with closing(sqlite3.connect(state)) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert unwell(there) == "cannot be read: the service's state"
        assert there.ask("/health").status_code == 200
        state.unlink()
        state.write_bytes(b"not a database at all" * 100)
        assert unwell(there) == "cannot be read: the service's state"


def test_the_age_of_the_newest_month_is_said_whatever_else_lies_there(tmp_path: Path) -> None:
    day = records(STANDARD, "2026-10-24 00:01", 60)
    with live.service(tmp_path / "a", {"ada": [day]}) as there:
        (there.archive / "lost+found").mkdir()
        (there.archive / "lost+found" / "link").symlink_to(tmp_path, target_is_directory=True)
        health = there.ask("/health").json()
    assert health["seconds_since_last_write"] is not None


def test_the_first_address_shows_a_person_a_page(there: Live) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    answer = there.ask("", headers=browser)
    assert answer.headers["Content-Type"].startswith("text/html")
    assert 'href="openapi.json"' in answer.text
    assert f"EYELOG_BASE_URL={there.url}" in answer.text
    assert "<script" not in answer.text


def test_a_full_disk_is_not_well(there: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=999_999))
    assert unwell(there) == "the disk of the service's state is full"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors as Linux does")
def test_too_few_descriptors_are_a_fault(there: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    taken = len([*Path("/proc/self/fd").iterdir()])
    monkeypatch.setattr(resource, "getrlimit", lambda _: (taken + 10, taken + 10))
    assert "descriptors" in unwell(there)


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
