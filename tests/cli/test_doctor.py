"""`eyelog doctor`: what is set up, what is wrong and what to type, without a secret."""

import json
import socket
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import eyelog as el
from support import live
from support.command import main
from support.commands import DAY
from support.fetching import save_token


def findings(capsys: pytest.CaptureFixture[str], *, status: int) -> dict[str, dict[str, Any]]:
    """Run the doctor; return what it found by what it looked at."""
    capsys.readouterr()
    assert main(["doctor", "--json"]) == status
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is (status == 0)
    return {row["what"]: row for row in document["findings"]}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


SETTINGS = {
    "an address of something else": (
        "EYELOG_BASE_URL",
        "{url}/elsewhere",
        "service",
        "answers 404",
    ),
    "no address": ("EYELOG_BASE_URL", "ftp://somewhere", "service", "EYELOG_BASE_URL"),
    "half an application": ("EYELOG_CLIENT_SECRET", "", "application", "CLIENT_SECRET not set"),
}


@pytest.mark.parametrize(("name", "value", "what", "says"), SETTINGS.values(), ids=SETTINGS)
def test_a_setting_that_cannot_be_is_wrong_and_said_where_it_is_looked_at(
    logged_in, capsys, monkeypatch, name: str, value: str, what: str, says: str
) -> None:
    monkeypatch.setenv(name, value.format(url=logged_in.url))
    found = findings(capsys, status=1)
    assert says in found[what]["found"]
    assert ("token" in found) is (not value.startswith("ftp:"))  # that is never asked
    if what == "service":
        assert "before /v2" in found[what]["advice"]


def test_what_works_is_said_without_a_secret(logged_in: live.Live, home, capsys) -> None:
    assert main(["fetch", "standard_mode_logs", DAY, DAY, "--fields", "bl"]) == 0
    frame = el.simulate(DAY, 1, log="standard_mode_logs")
    el.Archive().write("standard_mode_logs", frame, account="anna")
    found = findings(capsys, status=0)
    assert found["service"]["found"].startswith(f"{logged_in.url} answers within ")
    assert logged_in.client_id in found["application"]["found"]
    assert found["token"]["found"].startswith("account 'me' is logged in, until ")
    assert "1 account (anna), 1 month file" in found["archive"]["found"]
    assert found["cache"]["found"].startswith("1 day of 1 account, ")
    assert main(["doctor"]) == 0
    page = capsys.readouterr().out
    assert page.endswith("\nNothing is wrong.\n")
    assert max(map(len, page.splitlines())) <= max(80, 14 + len(str(home)) + 12)
    (file,) = (home / "tokens").glob("*.json")
    token = json.loads(file.read_text())
    for secret in (logged_in.client_secret, token["access_token"], token["refresh_token"]):
        assert secret not in page


def test_a_service_that_does_not_run_is_wrong_and_can_be_started(capsys, monkeypatch) -> None:
    port = free_port()
    monkeypatch.setenv("EYELOG_BASE_URL", f"http://127.0.0.1:{port}")
    found = findings(capsys, status=1)
    assert found["service"]["state"] == "wrong"
    assert "refused" in found["service"]["found"]
    assert "eyelog serve --archive DIR" in found["service"]["advice"]
    assert found["application"]["state"] == found["token"]["state"] == "wrong"


def test_the_doctor_says_where_zones_come_from_and_finds_a_setting_that_is_none(
    home, capsys, monkeypatch
) -> None:
    monkeypatch.setenv("EYELOG_TZ", "Asia/Tokyo")
    assert main(["doctor"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "else the zone of the files or of the account in the archive" in said
    assert "else EYELOG_TZ (Asia/Tokyo), else UTC, with a warning" in said
    monkeypatch.setenv("EYELOG_TZ", "JST")
    assert main(["doctor"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "unknown time zone 'JST' (did you mean 'Asia/Tokyo'?)" in said
    assert "-> export EYELOG_TZ=Asia/Tokyo, or unset it" in said


def saved(home, there: live.Live, **more: Any) -> None:
    ended = datetime.now(UTC) - timedelta(days=1)
    save_token(home, "me", there.url, el.Token("access", expires_at=ended, **more))


def test_a_token_that_ended_is_wrong_only_if_it_cannot_be_renewed(logged_in, home, capsys) -> None:
    saved(home, logged_in, refresh_token="again")
    assert "renewed" in findings(capsys, status=0)["token"]["found"]
    saved(home, logged_in)
    found = findings(capsys, status=1)["token"]
    assert found["advice"] == "eyelog login --account me"


def test_a_damaged_token_file_is_wrong(logged_in, home, capsys) -> None:
    (path,) = (home / "tokens").glob("*.json")
    path.write_text(json.dumps({"account": "me", "base_url": logged_in.url}))
    assert "damaged" in findings(capsys, status=1)["token"]["found"]


def test_a_home_that_cannot_be_made_is_wrong_and_the_rest_is_still_looked_at(
    tmp_path, capsys, monkeypatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EYELOG_HOME", str(tmp_path / "file" / "home"))
    found = findings(capsys, status=1)
    assert found["home"]["state"] == "wrong"
    assert "set EYELOG_HOME" in found["home"]["found"]
    assert found["service"]["state"] == "ok"
    assert main(["doctor"]) == 1
    page = capsys.readouterr().out
    assert "\n! home" in page
    assert "wrong: see the lines marked with !." in page


def test_a_missing_extra_is_a_note_with_what_to_type(capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = findings(capsys, status=0)["extras"]
    assert found["state"] == "note"
    assert "cohort (many wearers)" in found["found"]
    assert found["advice"].startswith("pip install 'eyelog[")
