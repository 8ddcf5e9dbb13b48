"""One line per request, in a private file, and nothing in it that opens anything."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
import requests

from eyelog.errors import ConfigurationError
from eyelog.service.access_log import AccessLog
from eyelog.service.app import create_app
from support import live
from support.live import STANDARD
from support.login_page import PASSWORD, Browser, sent_back
from support.records import records
from support.replies import DAY


def _lines(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_a_whole_session_is_logged_without_a_code_token_or_password(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    wearers = {"ada": [frame]}
    with live.service(tmp_path / "a", wearers, password=PASSWORD, access_log=log) as there:
        browser = Browser(there)
        callback = sent_back(browser.send(browser.open(), password=PASSWORD))
        tokens = there.exchange(callback["code"], redirect_uri="http://127.0.0.1:5007/callback")
        access, refresh = (tokens.json()[f"{kind}_token"] for kind in ("access", "refresh"))
        page = there.get(STANDARD, *DAY, token=access)
        there.get(STANDARD, *DAY, token="wrong" * 9)
        requests.get(f"{there.url}/{access}/x?code={callback['code']}", timeout=30)
        there.revoke(refresh, bearer=access)
    text = log.read_text()
    for secret in (*callback.values(), access, refresh, PASSWORD, there.client_secret):
        assert secret not in text
    lines = _lines(log)
    found = [(line["method"], line["path"], line["status"], line["account"]) for line in lines]
    data = f"/v2/users/me/official/{STANDARD}"
    assert found == [
        ("GET", "/v1/oauth/authorize", 200, None),
        ("POST", "/v1/oauth/authorize", 303, None),
        ("POST", "/v1/oauth/token", 200, None),
        ("GET", data, 200, "ada"),
        ("GET", data, 401, None),
        ("GET", "/…/x", 404, None),
        ("POST", "/v1/oauth/revoke", 200, None),
    ]
    data_line = lines[3]
    assert 0 < int(str(data_line["bytes"])) == int(page.headers["Content-Length"])
    assert float(str(data_line["ms"])) > 0
    assert data_line["address"] == "127.0.0.1"
    assert datetime.fromisoformat(str(data_line["time"])).tzinfo is not None
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_lines_of_many_writers_stay_whole_and_a_moved_file_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    writers = [AccessLog(path) for _ in range(3)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: writers[n % 3].write({"n": n, "x": "y" * n}), range(300)))
    assert sorted(int(str(line["n"])) for line in _lines(path)) == list(range(300))
    path.rename(tmp_path / "access.log.1")
    for writer in writers:
        writer.write({"n": 0})
    assert len(_lines(path)) == 3
    assert len(_lines(tmp_path / "access.log.1")) == 300


def test_a_log_that_cannot_be_written_fails_no_request_and_is_said_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = AccessLog(folder / "access.log")
    (folder / "access.log").unlink()
    folder.rmdir()
    for _ in range(3):
        log.write({"n": 1})
    assert capfd.readouterr().err.count("cannot write the access log") == 1


@pytest.mark.parametrize("where", ["missing/access.log", "."])
def test_an_impossible_file_is_reported_in_one_sentence(tmp_path: Path, where: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot write the access log"):
        create_app(tmp_path, access_log=tmp_path / where)
