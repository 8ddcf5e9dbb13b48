"""Several processes on one archive and one port: they agree, are replaced, and end together."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

import eyelog as el
from eyelog_service.app import serve
from support import live
from support.live import STANDARD
from support.login_page import Browser
from support.records import records
from support.replies import DAY, oauth_error, records_of

WORKERS = 4


@dataclass
class Team:
    """A supervisor with its workers, and what a client knows."""

    process: subprocess.Popen[str]
    there: live.Live

    def workers(self) -> set[int]:
        found = set()
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.Error):  # it has just ended
                if "spawn_main" in " ".join(child.cmdline()):
                    found.add(child.pid)
        return found

    def serving(self) -> set[int]:
        """The workers that hold connections of 24 clients which have just had an answer."""
        sessions = [requests.Session() for _ in range(24)]
        try:
            for session in sessions:
                found = session.get(f"{self.there.url}/version", timeout=30)
                assert found.status_code == 200
            port = int(self.there.url.rpartition(":")[2])
            return {
                pid
                for pid in self.workers()
                for connection in psutil.Process(pid).net_connections("tcp")
                if connection.status == psutil.CONN_ESTABLISHED and connection.laddr.port == port
            }
        finally:
            for session in sessions:
                session.close()


@contextmanager
def _team(folder: Path, **settings: Any) -> Iterator[Team]:
    frame = records(STANDARD, "2026-10-24 00:01", 300)
    registry, client_id, secret = live.make(folder, {"ada": [frame]}, password="correct horse")
    settings = {"port": 0, "page_size": 20, "workers": WORKERS, **settings}
    program = f"from eyelog_service.app import serve; serve({str(folder)!r}, **{settings!r})"
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        pids: set[int] = set()
        try:
            url = process.stderr.readline().strip()
            assert url.startswith("http://127.0.0.1:"), url + process.stderr.read()
            team = Team(process, live.Live(url, folder, registry, client_id, secret))
            workers = settings["workers"]
            _wait(lambda: len(team.workers()) == workers, "the workers started")
            pids = team.workers()
            yield team
        finally:
            process.kill()
    _wait(lambda: not any(map(_alive, pids)), "the workers ended with their supervisor")


def _alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _wait(until: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not until():
        assert time.monotonic() < deadline, f"{what}: not within a minute"
        time.sleep(0.05)


@pytest.mark.slow("four workers are started, one is killed")
@pytest.mark.usefixtures("within_one_hour")
def test_four_workers_serve_one_archive_and_one_of_them_may_die(tmp_path: Path) -> None:
    with _team(tmp_path / "a", requests_per_hour=40) as team:
        there, token = team.there, team.there.login("ada")["access_token"]
        assert len(team.workers()) == WORKERS
        assert len(team.serving()) > 1

        # A new connection for each page: the cursor of one worker is good for the others.
        pages = there.walk(STANDARD, *DAY, token=token)
        assert len(pages) == 15
        stamps = [record["date"] for page in pages for record in records_of(page, STANDARD)]
        assert len(stamps) == len(set(stamps)) == 300

        # The limit is one for all of them.
        answers = [there.get(STANDARD, *DAY, token=token) for _ in range(30)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(refused) == 30 - (40 - 15)
        assert {oauth_error(answer, 429) for answer in refused} == {"rate_limit_exceeded"}

        # A token that is revoked through one worker is refused by all.
        assert there.revoke(token, bearer=token).status_code == 200
        assert {there.get(STANDARD, *DAY, token=token).status_code for _ in range(12)} == {401}

        # The one that dies is replaced.
        before = team.workers()
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        _wait(lambda: len(team.workers() - {victim}) == WORKERS, "another worker started")
        assert requests.get(f"{there.url}/version", timeout=30).status_code == 200

        # Ctrl-C ends all of them.
        last = team.workers()
        team.process.send_signal(signal.SIGINT)
        assert team.process.wait(timeout=60) == 0
        assert not any(map(_alive, last | before))
        assert team.process.stderr is not None
        assert team.process.stderr.read() == ""
        with pytest.raises(requests.ConnectionError):
            requests.get(there.url, timeout=5)


@pytest.mark.slow("workers are started, their parent is killed")
def test_no_worker_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    with _team(tmp_path / "a", workers=2) as team:
        pids = team.workers()
        assert len(pids) == 2
        team.process.kill()
        _wait(lambda: not any(map(_alive, pids)), "the workers ended")


@pytest.mark.slow("workers are started")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_requests_under_way_are_finished_by_every_worker(
    tmp_path: Path, how: signal.Signals
) -> None:
    with _team(tmp_path / "a", workers=2, page_size=300) as team:
        token = team.there.login("ada")["access_token"]
        host, _, port = team.there.url.removeprefix("http://").partition(":")
        query = f"date_from={DAY[0][:19]}Z&date_to={DAY[1][:19]}Z"
        connections = [socket.create_connection((host, int(port)), timeout=20) for _ in range(8)]
        for connection in connections:
            connection.sendall(
                f"GET /v2/users/me/official/{STANDARD}?{query} HTTP/1.1\r\nHost: x\r\n"
                f"Authorization: Bearer {token}\r\n\r\n".encode()
            )
        begun = [connection.recv(1) for connection in connections]
        team.process.send_signal(how)
        for got, connection in zip(begun, connections, strict=True):
            while part := connection.recv(1 << 20):
                got += part
            connection.close()
            assert got.endswith(b'"cursor":null}')
        assert team.process.wait(timeout=30) == 0


@pytest.mark.slow("workers are started")
def test_wrong_passwords_are_counted_by_all_workers_together(tmp_path: Path) -> None:
    with _team(tmp_path / "a", workers=3) as team:
        statuses = []
        for _ in range(9):
            browser = Browser(team.there)
            statuses.append(browser.send(browser.open(), name="ada", password="x").status_code)
        assert statuses[:5] == [400] * 5
        assert 429 in statuses[5:7]


@pytest.mark.parametrize("workers", [0, -1, True, 1.5])
def test_an_impossible_number_of_workers_is_reported(tmp_path: Path, workers: int) -> None:
    with pytest.raises(el.ConfigurationError, match="workers must be a whole number"):
        serve(tmp_path, workers=workers)
