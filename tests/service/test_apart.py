"""Tasks in a process of their own: what they yield arrives, and what they do not leave behind."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from eyelog.errors import ArchiveError
from eyelog.service.apart import Failed, run_apart


def _numbers(n: int) -> Iterator[bytes]:
    for each in range(n):
        yield f"{each} ".encode() * 1000


def _who() -> Iterator[bytes]:
    yield f"{os.getpid()} {os.environ['MPLBACKEND']}".encode()


def _broken(secret: str) -> Iterator[bytes]:
    yield b"begun"
    raise ValueError(secret)


def _damaged() -> Iterator[bytes]:
    yield b"begun"
    raise ArchiveError("month 2026-10 is damaged")


def _killed() -> Iterator[bytes]:
    yield b"begun"
    os.kill(os.getpid(), 9)


def _endless() -> Iterator[bytes]:
    yield str(os.getpid()).encode()
    while True:
        time.sleep(1)
        yield b"more"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process import the tasks of this file by its name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    for task in (_numbers, _who, _broken, _damaged, _killed, _endless):
        monkeypatch.setattr(task, "__module__", "test_apart")


def test_all_that_a_task_yields_arrives_in_order() -> None:
    assert b"".join(run_apart(_numbers, n=300)) == b"".join(_numbers(300))


def test_a_task_has_a_process_of_its_own_without_a_window() -> None:
    pid, backend = b"".join(run_apart(_who)).split()
    assert (int(pid) != os.getpid(), backend) == (True, b"agg")


def test_a_fault_says_where_and_no_value() -> None:
    with pytest.raises(Failed, match=r"(?s)ValueError:.*_broken") as fault:
        list(run_apart(_broken, secret="anna's diary"))
    assert "diary" not in str(fault.value)


def test_an_error_of_eyelog_says_what_is_wrong() -> None:
    with pytest.raises(Failed, match="ArchiveError: month 2026-10 is damaged"):
        list(run_apart(_damaged))


def test_a_process_that_is_killed_is_no_whole_answer() -> None:
    with pytest.raises(Failed, match="ended early"):
        list(run_apart(_killed))


def test_a_task_that_nobody_waits_for_ends() -> None:
    parts = run_apart(_endless)
    pid = int(next(parts))
    parts.close()
    assert not psutil.pid_exists(pid)
