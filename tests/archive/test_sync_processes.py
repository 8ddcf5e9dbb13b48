"""A sync survives kills, interrupts and company: real processes, a real socket."""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

import eyelog as el
from support import faulty
from support.paged import Paged
from support.syncing import (
    FIFTEEN,
    SIXTY,
    START,
    asked_days,
    client_of,
    files,
    ledger,
)

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


SYNCING = """
    import sys
    import eyelog as el
    url, home, archive, log, start, end = sys.argv[1:]
    client = el.Client(url, application=None, token=el.Token("access-token-of-tests"), home=home)
    print("begun", flush=True)
    report = el.Archive(archive).sync(client, log, start, end)
    print(report["state"].value_counts().to_dict(), flush=True)
"""


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(SYNCING), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.002)


@posix
@pytest.mark.parametrize(
    "kills", [2, pytest.param(4, marks=pytest.mark.slow("a process is killed at many moments"))]
)
def test_a_sync_killed_at_any_moment_continues_where_it_was(
    tmp_path: Path, archive: el.Archive, kills: int
) -> None:
    days = [str(date(2023, 1, 1) + timedelta(days=n)) for n in range(24 * kills)]
    draw = random.Random(kills)
    arguments = (str(tmp_path / "home"), archive.path, FIFTEEN, days[0], days[-1])
    with faulty.server(Paged(size=50)) as there:
        for n in range(kills):
            noted = _noted(archive)
            since = there.count()
            child = start(there.url, *arguments)
            # The first four days are written at once, and then a month at a time: the kill comes
            # amid the asking, or amid the writing.
            enough = since + (7, 12, 6, 1, 9, 18)[n % 6]
            wait_for(lambda enough=enough: there.count() >= enough)
            time.sleep(draw.uniform(0, 0.1))
            child.kill()
            child.communicate()
            assert not set(asked_days(there, since)) & noted, "a day that was noted is asked again"
            assert noted <= _noted(archive)
            assert n == 0 or noted, "no kill came after a chunk: the test shows nothing"
            assert len(archive.verify()) == 0
            if _noted(archive):
                held = archive.read(FIFTEEN, days[0], days[-1])
                counts = Counter(held.index.strftime("%Y-%m-%d"))
                assert {counts[day] for day in _noted(archive)} == {24}
        child = start(there.url, *arguments)
        assert child.communicate(timeout=120)[1] == ""
    with faulty.server(Paged(size=50)) as there:
        other = el.Archive(tmp_path / "other")
        other.sync(client_of(there, tmp_path / "home"), FIFTEEN, days[0], days[-1])
    assert [body for body, _ in files(archive).values()] == [
        body for body, _ in files(other).values()
    ]
    assert not list(Path(archive.path).rglob("*.tmp"))


def _noted(archive: el.Archive) -> set[str]:
    path = ledger(archive, FIFTEEN)
    sources = json.loads(path.read_text()) if path.exists() else {}
    return {day for days in sources.values() for day in days}


@posix
def test_an_interrupt_keeps_the_days_that_came(tmp_path: Path, archive: el.Archive) -> None:
    paged = Paged(size=50)

    def script(request: faulty.Request) -> faulty.Answer:
        late = request.query["date_from"] >= "2024-03-15"
        return faulty.slow({}, 60) if late else paged(request)

    with faulty.server(script) as there:
        child = start(there.url, str(tmp_path / "home"), archive.path, SIXTY, START, "2024-03-30")
        wait_for(lambda: there.count() >= 15)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        assert "KeyboardInterrupt" in errors
        there.script = paged
        sources = json.loads(ledger(archive).read_text())
        assert 4 <= len(next(iter(sources.values()))) < 30
        report = archive.sync(client_of(there, tmp_path / "home"), SIXTY, START, "2024-03-30")
    assert report["asked"].sum() == 30 - len(next(iter(sources.values())))


@pytest.mark.slow("processes race")
def test_two_that_sync_at_once_lose_nothing(tmp_path: Path, archive: el.Archive) -> None:
    home = str(tmp_path / "home")
    with faulty.server(Paged(size=50)) as there:
        both = [
            start(there.url, home, archive.path, FIFTEEN, start_day, end_day)
            for start_day, end_day in (("2024-03-01", "2024-03-24"), ("2024-03-10", "2024-04-05"))
        ]
        for each in both:
            _, errors = each.communicate(timeout=60)
            assert (each.returncode, errors) == (0, "")
        client = client_of(there, tmp_path / "home")
        report = archive.sync(client, FIFTEEN, "2024-03-01", "2024-04-05")
    assert not report["asked"].any()
    assert len(archive.read(FIFTEEN, "2024-03-01", "2024-04-05")) == 36 * 24


def test_a_sync_holds_one_month_whatever_its_length(tmp_path: Path, archive: el.Archive) -> None:
    paged, written = Paged(size=50), dict[str, int]()

    def script(request: faulty.Request) -> faulty.Answer:
        month = request.query["date_from"][:7]
        written.setdefault(month, len(list(Path(archive.path).rglob("*.parquet"))))
        return paged(request)

    with faulty.server(script) as there:
        client = client_of(there, tmp_path / "home")
        archive.sync(client, FIFTEEN, "2023-01-01", "2023-06-30")
    assert list(written.values()) == [0, 1, 2, 3, 4, 5]  # when the first day of each was asked for
