"""The service as a process, or several: it starts, prints its address and no secret, and stops."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from support import live
from support.command import main
from support.live import COMPUTED, STANDARD
from support.login_page import Browser
from support.records import records
from support.replies import DAY, oauth_error, records_of


class Served:
    """`eyelog serve` on an archive of Ada's, and what a client knows."""

    def __init__(self, folder: Path, *words: object, log: str = STANDARD, n: int = 300) -> None:
        frame = records(log, "2026-10-24 00:00:15", n)
        _, client_id, secret = live.make(folder, {"ada": [frame]}, password="correct horse")
        options = ["--archive", folder, "--port", 0, *words]
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "eyelog", "serve", *map(str, options)],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.said = [self.process.stderr.readline()]
        if "http" not in self.said[0].split()[-1]:
            self.said.append(self.process.stderr.readline())
        url = self.said[-1].split()[-1]
        self.there = live.Live(url, folder, client_id, secret)

    @property
    def place(self) -> tuple[str, int]:
        host, _, port = self.there.url.removeprefix("http://").partition(":")
        return host, int(port)

    def ask(self, log: str, token: str) -> socket.socket:
        """Ask for a day over a connection that is read later, and wait for its first byte."""
        connection = socket.create_connection(self.place, timeout=20)
        connection.sendall(
            f"GET /v2/users/me/official/{log}?date_from={DAY[0][:19]}Z&date_to={DAY[1][:19]}Z"
            f" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        )
        assert connection.recv(1)
        return connection

    def end(self, how: signal.Signals) -> tuple[str, str]:
        """End it; return what it has printed since it began to serve."""
        self.process.send_signal(how)
        printed = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, printed
        return printed

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
            return {
                pid
                for pid in self.workers()
                for connection in psutil.Process(pid).net_connections("tcp")
                if connection.status == psutil.CONN_ESTABLISHED
                and connection.laddr.port == self.place[1]
            }
        finally:
            for session in sessions:
                session.close()


@contextmanager
def served(folder: Path, *words: object, workers: int = 1, **more: Any) -> Iterator[Served]:
    running = Served(folder, "--workers", workers, *words, **more)
    pids: set[int] = set()
    try:
        if workers > 1:
            wait(lambda: len(running.workers()) == workers, "the workers started")
            pids = running.workers()
        yield running
    finally:
        running.process.kill()
        running.process.communicate()
    wait(lambda: not any(map(alive, pids)), "the workers ended with their supervisor")


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait(until: Callable[[], bool], what: str) -> None:
    # A worker that is killed while it is asked whether it lives is replaced after a minute.
    deadline = time.monotonic() + 120
    while not until():
        assert time.monotonic() < deadline, f"{what}: not within two minutes"
        time.sleep(0.05)


def refuses(place: tuple[str, int]) -> bool:
    try:
        socket.create_connection(place, timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def rest(connection: socket.socket) -> bytes:
    with connection:
        return b"".join(iter(lambda: connection.recv(1 << 20), b""))


def test_serve_prints_only_its_address_and_answers_before_it_stops(tmp_path: Path) -> None:
    with served(tmp_path / "a", "--page-size", 6000, log=COMPUTED, n=5700) as running:
        there = running.there
        assert there.url.startswith("http://127.0.0.1:")
        token = there.login("ada")["access_token"]
        assert there.ask("/v1/oauth/authorize?code=x").status_code == 400
        connection = running.ask(COMPUTED, token)
        running.process.terminate()
        wait(lambda: refuses(running.place), "no more connections")
        assert rest(connection).endswith(b'"cursor":null}')
        assert running.process.communicate(timeout=60) == ("", "")
        assert running.process.returncode == 0


def test_binding_beyond_this_machine_warns(tmp_path: Path) -> None:
    with served(tmp_path / "a", "--host", "0.0.0.0") as running:
        assert "plain HTTP" in running.said[0]
        assert running.there.url.startswith("http://0.0.0.0:")
        running.end(signal.SIGINT)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "no.such.host.invalid"], "cannot listen"),
        (["--port", "99999"], "cannot listen"),
        (["--port", "TAKEN"], "in use; choose another --host or --port"),
        (["--workers", "0"], "workers must be a whole number"),
        (["--workers", "-1"], "workers must be a whole number"),
    ],
)
def test_what_cannot_be_served_is_reported_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    live.make(tmp_path / "a", {})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = [word.replace("TAKEN", port) for word in words]
        assert main(["serve", "--archive", str(tmp_path / "a"), *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_two_services_run_side_by_side_and_stop(tmp_path: Path) -> None:
    live.make(tmp_path / "a", {})
    with live.running(tmp_path / "a") as one, live.running(tmp_path / "a") as two:
        assert one != two
        for url in (one, two):
            assert requests.get(f"{url}/openapi.json", timeout=30).status_code == 200
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{one}/openapi.json", timeout=5)


@pytest.mark.slow("four workers are started, one is killed")
@pytest.mark.usefixtures("within_one_hour")
def test_four_workers_serve_one_archive_and_one_of_them_may_die(tmp_path: Path) -> None:
    limits = ["--page-size", 20, "--requests-per-hour", 40]
    with served(tmp_path / "a", *limits, workers=4) as team:
        there, token = team.there, team.there.login("ada")["access_token"]
        assert len(team.serving()) > 1

        # A new connection for each page: the cursor of one worker is good for the others.
        pages = there.walk(STANDARD, *DAY, token=token)
        assert len(pages) == 15
        stamps = [record["date"] for page in pages for record in records_of(page, STANDARD)]
        assert len(stamps) == len(set(stamps)) == 300

        # The limits are those of all of them together.
        answers = [there.get(STANDARD, *DAY, token=token) for _ in range(30)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(refused) == 30 - (40 - 15)
        assert {oauth_error(answer, 429) for answer in refused} == {"rate_limit_exceeded"}
        statuses = []
        for _ in range(9):
            browser = Browser(there)
            statuses.append(browser.send(browser.open(), name="ada", password="x").status_code)
        assert statuses[:5] == [400] * 5
        assert 429 in statuses[5:7]

        # A token that is revoked through one worker is refused by all.
        assert there.revoke(token, bearer=token).status_code == 200
        assert {there.get(STANDARD, *DAY, token=token).status_code for _ in range(12)} == {401}

        # The one that dies is replaced.
        before = team.workers()
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        wait(lambda: len(team.workers() - {victim}) == 4, "another worker started")
        assert there.ask("/version").status_code == 200

        # Ctrl-C ends all of them.
        last = team.workers()
        assert team.end(signal.SIGINT) == ("", "")
        assert not any(map(alive, last | before))
        assert refuses(team.place)


@pytest.mark.slow("workers are started, their parent is killed")
def test_no_worker_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    with served(tmp_path / "a", workers=2) as team:
        assert len(team.workers()) == 2  # `served` kills their parent, and waits for their end


@pytest.mark.slow("workers are started")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_requests_under_way_are_finished_by_every_worker(
    tmp_path: Path, how: signal.Signals
) -> None:
    with served(tmp_path / "a", "--page-size", 300, workers=2) as team:
        token = team.there.login("ada")["access_token"]
        connections = [team.ask(STANDARD, token) for _ in range(8)]
        team.process.send_signal(how)
        assert all(rest(each).endswith(b'"cursor":null}') for each in connections)
        assert team.process.wait(timeout=30) == 0
