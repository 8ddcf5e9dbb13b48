"""Two hosts of one service: a Postgres state and an object store, and one of them killed."""

import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import requests

import eyelog as el
from eyelog_service.state import State
from support.account_page import Visitor
from support.command import main
from support.live import AUDIT, Live
from support.login_page import CALLBACK, Browser, sent_back
from support.login_page import PASSWORD as OF_ADA
from support.machines import within
from support.operating import Operator
from support.postgres import PASSWORD, Postgres, needs_postgres
from support.processes import left_after
from support.stores import object_store
from support.uploads import SIXTY, csv

pytestmark = [
    pytest.mark.slow("two hosts, a database and an object store are started"),
    needs_postgres,
]

DAY = ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z")


class Host:
    """`eyelog serve` on a machine of its own: with a folder that no other host sees."""

    def __init__(self, archive: str, address: str, folder: Path, *options: str) -> None:
        self.archive, self.folder = archive, folder
        self.operator = Operator(archive, address, folder)
        self.where = self.operator.places
        command = [sys.executable, "-m", "eyelog", "serve", *self.where, "--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--uploads-per-hour", "0", *options],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.live = Live("", folder, "", "", CALLBACK)

    def ready(self) -> "Host":
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert line.startswith("http://"), line + self.process.stderr.read()
        self.live = replace(self.live, url=line.strip())
        return self

    def knows(self, client_id: str, client_secret: str) -> None:
        self.live = replace(self.live, client_id=client_id, client_secret=client_secret)

    def post(self, token: str, body: bytes | Iterator[bytes]) -> requests.Response:
        return requests.post(
            f"{self.live.url}/v1/records?tz=UTC&name=logger.csv",
            data=body,
            headers={"Authorization": f"Bearer {token}"},
            timeout=120,
        )

    def day(self, token: str) -> int:
        """Return how many records of a day are served."""
        pages = self.live.walk(SIXTY, *DAY, token=token)
        return sum(len(hour) for page in pages for hour in page[SIXTY].values())

    def stop(self) -> str:
        """Stop as an operator does; return what it has said since it was ready."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.stderr is not None
        said = self.process.stderr.read()
        assert self.process.wait(timeout=60) == 0, said
        return said

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert left_after(20, self.process.pid) == {}, "an import has outlived its service"


@pytest.fixture
def bucket() -> Iterator[str]:
    with object_store() as url:
        yield url


Start = Callable[..., Host]


@pytest.fixture
def start(bucket: str, address: str, tmp_path: Path) -> Iterator[Start]:
    hosts = []

    def begin(name: str, *options: str) -> Host:
        hosts.append(Host(bucket, address, tmp_path / name, *options))
        return hosts[-1]

    yield begin
    for host in hosts:
        host.process.kill()
        host.process.wait()
        assert host.process.stderr is not None
        host.process.stderr.close()


@pytest.fixture
def both(start: Start) -> tuple[Host, Host]:
    """Two hosts that started together on an empty database, an application, and Ada."""
    hosts = start("one"), start("other", "--workers", "2")
    for host in hosts:
        host.ready()
    # As the hosts hash it, not as this process does.
    words = ["service", "add-account", "ada", "--password-stdin", *hosts[0].where]
    command = [sys.executable, "-m", "eyelog", *words]
    subprocess.run(command, input=OF_ADA, text=True, check=True)
    application = hosts[0].operator.application(CALLBACK, "Analysis")
    for host in hosts:
        host.knows(*application)
    return hosts


def logged_in(host: Host, scope: str = "official write") -> str:
    """Log in on the page of a host as Ada; return the code."""
    browser = Browser(host.live)
    answer = browser.send(browser.open(scope=scope), name="ada", password=OF_ADA)
    return sent_back(answer)["code"]


def test_an_upload_to_one_host_is_known_to_the_other(both: tuple[Host, Host]) -> None:
    one, other = both
    token = one.operator("upload-token", "ada").strip()
    reading = one.live.exchange(logged_in(one)).json()["access_token"]
    assert one.day(reading) == other.day(reading) == 0
    body = csv(n=60)
    assert one.post(token, body).json()["new"] == 60
    again = other.post(token, body).json()
    assert again["new"] == 0
    assert other.day(reading) == 60
    # At the same time, into the same month.
    bodies = [csv(start=f"2026-10-24 {hour:02}:01", n=59) for hour in range(2, 8)]
    answers: list[int] = []

    def send(n: int) -> None:
        answers.append(both[n % 2].post(token, bodies[n]).json()["new"])

    threads = [threading.Thread(target=send, args=[n]) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [59] * 6
    assert [host.day(reading) for host in both] == [60 + 6 * 59] * 2
    assert el.Archive(one.archive).verify().empty


def test_a_host_that_is_killed_during_uploads_leaves_each_whole_or_absent(
    start: Start, both: tuple[Host, Host]
) -> None:
    one, other = both
    token = one.operator("upload-token", "ada").strip()
    draw = random.Random(11)
    whole = 0
    for at in range(4):
        body = csv(start=f"{2020 + at}-10-24 00:01", n=20_000)
        said: list[int] = []

        def send(host: Host = one, body: bytes = body, said: list[int] = said) -> None:
            with suppress(requests.RequestException):
                said.append(host.post(token, body).status_code)

        sending = threading.Thread(target=send)
        sending.start()
        time.sleep(draw.uniform(0.1, 2))
        one.kill()
        sending.join()
        # The other goes on: it waits for no lock of the dead one.
        assert other.post(token, csv(start=f"2019-01-{at + 1:02} 00:01", n=60)).json()["new"] == 60
        before = len(el.Archive(one.archive).read(SIXTY, account="ada", tz="UTC"))
        stored = before - 60 * (at + 1) - whole
        assert stored in (0, 20_000)
        assert stored or not said
        again = other.post(token, body).json()
        assert again["new"] == 20_000 - stored
        whole += 20_000
        one = start("one").ready()
        assert not list((one.folder / ".uploads").glob("account=*/*"))
    assert el.Archive(one.archive).verify().empty


def half_of(body: bytes, killed: threading.Event) -> Iterator[bytes]:
    """Give a file whose second half comes when the service is no more."""
    yield body[: len(body) // 2]
    killed.wait()
    yield body[len(body) // 2 :]


def test_an_operator_checks_erases_and_is_told_what_a_database_needs(
    both: tuple[Host, Host], address: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one, other = both
    token = one.operator("upload-token", "ada").strip()
    for host in both:
        assert host.post(token, csv(n=60)).status_code == 200
    assert main(["service", "check", *one.where]) == 0
    shown = capsys.readouterr().out
    assert re.search(rf"ok +state database +{re.escape(address)}\n", shown)
    assert f"setting state              {address} (--state)" in shown
    assert f"setting local              {one.folder} (--local)" in shown
    for words in (["backup", str(tmp_path / "copy")], ["restore", str(tmp_path / "copy")]):
        assert main(["service", words[0], *one.where, words[1]]) == 1
        [line] = capsys.readouterr().err.splitlines()
        assert f"is in a database, {address}: copy it with pg_dump" in line
    with_password = ["--state", address.replace("@", f":{PASSWORD}@"), "--local", one.where[-1]]
    assert main(["service", "list-accounts", *one.where[:2], *with_password]) == 0
    err = capsys.readouterr().err
    assert "a list of processes shows the password of" in err
    assert PASSWORD not in err

    # A wearer deletes everything on one host, while the other is killed in an upload; what is left
    # there, its operator removes.
    coming_in = other.folder / ".uploads"
    killed = threading.Event()
    with ThreadPoolExecutor() as pool:
        sending = pool.submit(other.post, token, half_of(csv(n=60), killed))
        within(30, lambda: any(path.stat().st_size for path in coming_in.glob("account=ada/*/*")))
        serving = psutil.Process(other.process.pid)
        for process in (serving, *serving.children(recursive=True)):
            process.kill()
        other.process.wait()
        killed.set()
        assert isinstance(sending.exception(), requests.ConnectionError)
    visitor = Visitor(one.live)
    gone = visitor.send(visitor.log_in(), "delete", password=OF_ADA)
    assert gone.status_code == 200
    assert el.Archive(one.archive).accounts() == []
    assert list(coming_in.glob("account=ada/*/*"))
    assert "ada" in (other.folder / AUDIT).read_text()
    assert main(["service", "erase", *other.where, "ada"]) == 0
    protocol = capsys.readouterr().out
    assert re.search(r"removed: coming in, \d+ files: ", protocol)
    assert "not reached: other hosts of the service: their audit logs" in protocol
    assert not list(coming_in.glob("account=ada"))
    assert '"ada"' not in (other.folder / AUDIT).read_text()
    assert main(["service", "erase", *other.where, "ada"]) == 0
    assert "Nothing of account 'ada' was found." in capsys.readouterr().err


def test_what_was_erased_on_one_host_does_not_come_back_by_an_import_on_the_other(
    both: tuple[Host, Host], address: str, server: Postgres
) -> None:
    """The erasure comes while the import holds the lock; its clock does not matter."""
    one, other = both
    token = one.operator("upload-token", "ada").strip()
    answers: list[requests.Response] = []
    with State(one.archive, address, one.folder).importing("ada"):
        sending = threading.Thread(target=lambda: answers.append(other.post(token, csv(n=20_000))))
        sending.start()
        deadline = time.monotonic() + 30
        while not _waits_for_a_lock(server) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert main(["service", "erase", *one.where, "ada"]) == 0
    sending.join()
    assert (answers[0].status_code, answers[0].json()["error"]) == (403, "access_denied")
    assert el.Archive(one.archive).accounts() == []


def _waits_for_a_lock(server: Postgres) -> bool:
    with closing(server.connect()) as db:
        sql = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        row = db.execute(sql).fetchone()
        return bool(row and row[0])
