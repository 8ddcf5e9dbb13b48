"""`eyelog sync` on a real service: the archive is filled, and the exit status tells the truth."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import eyelog as el
from eyelog.cli import main
from support import faulty, live
from support.paged import Paged
from support.records import records

START, END = "2024-03-01", "2024-03-03"
RANGE = [START, END, "--account", "ada", "--tz", "Asia/Tokyo"]
LOGS = [live.COMPUTED, live.STANDARD]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Live]:
    frames = [
        records(live.COMPUTED, f"{START} 09:00", 1000, tz="Asia/Tokyo"),
        records(live.STANDARD, f"{START} 09:00", 1000, tz="Asia/Tokyo"),
    ]
    folder = tmp_path_factory.mktemp("served") / "archive"
    with live.service(folder, {"ada": frames}) as running:
        yield running


@pytest.fixture
def logged_in(there: live.Live, monkeypatch: pytest.MonkeyPatch) -> live.Live:
    monkeypatch.setenv("EYELOG_BASE_URL", there.url)
    monkeypatch.setenv("EYELOG_CLIENT_ID", there.client_id)
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", there.client_secret)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", there.redirect_uri)
    assert main(["login", "--account", "ada", "--code", there.code("ada")]) == 0
    return there


@pytest.fixture
def shaky(monkeypatch: pytest.MonkeyPatch) -> Iterator[faulty.Server]:
    with faulty.server(Paged(size=50)) as server:
        monkeypatch.setenv("EYELOG_BASE_URL", server.url)
        monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "a-token-of-the-environment")
        yield server


def test_both_logs_go_into_the_archive_of_the_home(logged_in, there, home, capsys) -> None:
    capsys.readouterr()
    assert main(["sync", "all", *RANGE]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    head, *rows = (line.split() for line in shown.out.splitlines())
    assert head[:6] == ["log", "fetched", "unchanged", "empty", "failed", "days"]
    assert head[6:] == ["asked", "records", "removed"]
    assert rows == [
        ["computed_data", "1", "0", "2", "0", "3", "3", "1000", "0"],
        ["standard_mode_logs", "2", "0", "1", "0", "3", "3", "1000", "0"],
    ]
    served, synced = el.Archive(there.archive), el.Archive(home / "archive")
    for log in LOGS:
        frames = [each.read(log, START, END, account="ada") for each in (served, synced)]
        assert frames[0].equals(frames[1])
    assert main(["archive", "inventory", "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert [(each["log"], each["records"]) for each in held] == [(log, 1000) for log in LOGS]


def test_json_tells_every_day_and_another_archive_can_be_named(logged_in, tmp_path, capsys) -> None:
    capsys.readouterr()
    place = ["--archive", str(tmp_path / "mine"), "--json"]
    for state, asked in (("fetched", True), ("unchanged", False)):
        assert main(["sync", "standard_mode_logs", *RANGE, *place]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert [row["day"] for row in rows] == [START, "2024-03-02", END]
        assert {(row["log"], row["removed"]) for row in rows} == {("standard_mode_logs", 0)}
        assert [row["state"] for row in rows] == [state, state, "empty"]
        assert [row["asked"] for row in rows] == [asked, asked, state == "fetched"]
    assert el.Archive(tmp_path / "mine").accounts() == ["ada"]


def test_a_failed_day_is_told_and_makes_the_exit_status_one(shaky, capsys) -> None:
    paged = shaky.script

    def script(request: faulty.Request) -> faulty.Answer:
        return faulty.html() if "2024-03-02" in request.query["date_from"] else paged(request)

    shaky.script = script
    assert main(["sync", "standard_mode_logs", START, END]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].split()[1:6] == ["2", "0", "0", "1", "3"]
    told, error = shown.err.splitlines()
    assert told.startswith("standard_mode_logs 2024-03-02 failed: ")
    assert error.startswith("eyelog: error: 1 of 3 days failed")
    assert main(["sync", "standard_mode_logs", START, END, "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["state"] for row in rows] == ["unchanged", "failed", "unchanged"]
    assert rows[1]["records"] is None
    shaky.script = paged
    assert main(["sync", "standard_mode_logs", START, END]) == 0


def test_a_service_that_is_gone_is_told_in_few_lines(shaky, capsys) -> None:
    shaky.script = lambda _: faulty.error(404, "not_found")
    assert main(["sync", "standard_mode_logs", START, "2024-12-31"]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].split()[4:6] == ["306", "306"]
    lines = shown.err.splitlines()
    assert len(lines) == 10 + 2
    assert lines[10] == "... and 296 more days (--json tells of each)"
    assert shaky.count() < 16


def test_a_token_that_is_not_taken_stops_at_once_and_says_so(shaky, capsys) -> None:
    shaky.script = lambda _: faulty.error(401, "invalid_token")
    assert main(["sync", "all", START, "2024-04-30"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    stopped, error = shown.err.splitlines()
    assert stopped == "Stopped: every further day would fail too. What came before is kept."
    assert "eyelog login" in error
    assert "a-token" not in shown.err
    assert shaky.count() <= 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sync", "computed", START, END], "did you mean 'computed_data'"),
        (["sync", "all", END, START], "starts after it ends"),
        (["sync", "all", START, END, "--tz", "Asia/Tokio"], "Asia/Tokyo"),
        (["sync", "all", "2024-02-30", END], "not a day"),
        (["sync", "all", START, END, "--archive", "nosuch://x"], "archive's path"),
    ],
)
def test_a_failure_is_one_line_that_says_why(shaky, home, capsys, arguments, says) -> None:
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert shaky.count() == 0
    assert not (home / "archive").exists()


def test_what_an_account_asks_for_is_kept_under_its_own_name(shaky, home, capsys) -> None:
    assert main(["sync", "standard_mode_logs", START, END, "--account", "ben"]) == 0
    assert el.Archive(home / "archive").accounts() == ["ben"]


def test_in_a_terminal_a_long_sync_says_how_long_it_will_take(shaky, tmp_path: Path) -> None:
    termios = pytest.importorskip("termios")
    shaky.script = Paged(size=50, delay=0.25)
    ours, theirs = os.openpty()
    termios.tcsetwinsize(ours, (24, 100))
    command = [sys.executable, "-m", "eyelog", "sync", "standard_mode_logs", START, "2024-03-30"]
    try:
        with subprocess.Popen(command, stderr=theirs, stdout=subprocess.PIPE) as child:
            os.close(theirs)
            shown = b""
            while b"<" not in shown:  # elapsed < remaining
                shown += os.read(ours, 4096)
            assert child.communicate()[0].count(b"\n") == 2
        assert child.returncode == 0
    finally:
        os.close(ours)
    assert b"sync standard_mode_logs of me" in shown
