"""The application: its addresses and methods, and what it refuses to start on."""

import contextlib
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
import requests

import eyelog as el
from eyelog_service import state
from eyelog_service.app import create_app
from support import live
from support.live import STANDARD, Live


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
    answer = requests.request(method, there.url + path, timeout=30)
    assert (answer.status_code, answer.json()["error"]) == (405, "method_not_allowed")
    assert _methods(answer) == allowed
    options = requests.options(there.url + path, timeout=30)
    assert (options.status_code, options.content) == (204, b"")
    assert _methods(options) == allowed


def _methods(answer: requests.Response) -> str:
    return ", ".join(sorted(answer.headers["Allow"].replace(" ", "").split(",")))


@pytest.mark.parametrize("page_size", [0, -1, True, 2.5, "500"])
def test_an_impossible_page_size_is_reported_in_one_sentence(
    tmp_path: Path, page_size: int
) -> None:
    with pytest.raises(el.ConfigurationError, match="page_size must be a whole number"):
        create_app(tmp_path, page_size=page_size)


@pytest.mark.parametrize("end", ["%0a", "%0A%0a", "%0d", "%20", "/"])
def test_an_address_with_something_after_it_is_another_one(
    there: Live, token: str, end: str
) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    address = f"{there.url}/v2/users/me/official/computed_data{end}"
    assert requests.get(address, headers=headers, timeout=30).status_code == 404


def test_a_locked_state_is_a_503_that_says_when_to_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyelog_service.state.WAIT_SECONDS", 0.1)
    with live.service(tmp_path / "a", {"ada": []}) as there:
        token = there.login("ada")["access_token"]
        with contextlib.closing(sqlite3.connect(there.archive / "_service.sqlite")) as other:
            other.execute("BEGIN EXCLUSIVE")
            time.sleep(1.1)  # the signing key is remembered for a second
            day = ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z")
            for answer in (
                there.get(live.STANDARD, *day, token=token),
                there.refresh("x" * 43),
                requests.get(
                    f"{there.url}/v1/oauth/authorize", params={"client_id": "x"}, timeout=30
                ),
            ):
                assert answer.status_code == 503, answer.text
                assert answer.json()["error"] == "temporarily_unavailable"
                assert int(answer.headers["Retry-After"]) > 0
            for path in ("/account", "/v1/oauth/authorize?client_id=x"):
                page = requests.get(
                    there.url + path,
                    headers={"Accept": "text/html", "Cookie": "eyelog_session=x"},
                    timeout=30,
                )
                assert page.headers["Content-Type"].startswith("text/html")
                assert (page.status_code, "cannot answer now" in page.text) == (503, True)
                assert int(page.headers["Retry-After"]) > 0
        assert there.get(live.STANDARD, *day, token=token).status_code == 200


def test_a_full_disk_is_a_503_and_one_line_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with live.service(tmp_path / "a", {"ada": []}) as there:
        tokens = there.login("ada")
        whole, is_full = state.connect, True

        def on_a_full_disk(*arguments: Any, **options: Any) -> sqlite3.Connection:
            db = whole(*arguments, **options)
            if is_full:
                db.execute("PRAGMA max_page_count = 1")  # the file can grow no more
            return db

        def connect_anew() -> None:
            file = there.registry.state.file
            shutil.copy2(file, tmp_path / "copy")
            (tmp_path / "copy").replace(file)

        monkeypatch.setattr(state, "connect", on_a_full_disk)
        connect_anew()
        for _ in range(100):
            refused = there.refresh(tokens["refresh_token"])
            if refused.status_code != 200:
                break
        assert refused.status_code == 503
        assert refused.json()["error"] == "temporarily_unavailable"
        assert int(refused.headers["Retry-After"]) > 0
        faults = [record for record in caplog.records if record.levelname == "ERROR"]
        assert "because the disk is full: free some space" in faults[-1].getMessage()
        assert all(record.exc_info is None for record in faults)
        assert str(tmp_path) not in refused.text
        is_full = False
        connect_anew()
        assert there.refresh(tokens["refresh_token"]).status_code == 200
