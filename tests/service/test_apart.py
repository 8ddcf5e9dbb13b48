"""Tasks in a process of their own: what they return arrives, and what they do not leave behind."""

import os
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.uploads import Failed, run_apart


def _numbers(n: int) -> bytes:
    return b"".join(f"{each} ".encode() * 1000 for each in range(n))


def _who() -> bytes:
    return f"{os.getpid()} {os.environ['MPLBACKEND']}".encode()


def _broken(secret: str) -> bytes:
    raise ValueError(secret)


def _damaged() -> bytes:
    raise el.ArchiveError("month 2026-10 is damaged")


def _killed() -> bytes:
    os.kill(os.getpid(), 9)
    return b""


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process import the tasks of this file by its name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    for task in (_numbers, _who, _broken, _damaged, _killed):
        monkeypatch.setattr(task, "__module__", "test_apart")


def test_all_that_a_task_returns_arrives() -> None:
    assert run_apart(_numbers, {"n": 300}) == _numbers(300)


def test_a_task_has_a_process_of_its_own_without_a_window() -> None:
    pid, backend = run_apart(_who, {}).split()
    assert (int(pid) != os.getpid(), backend) == (True, b"agg")


def test_a_fault_says_where_and_no_value() -> None:
    with pytest.raises(Failed, match=r"(?s)ValueError:.*_broken") as fault:
        run_apart(_broken, {"secret": "anna's diary"})
    assert "diary" not in str(fault.value)


def test_an_error_of_eyelog_says_what_is_wrong() -> None:
    with pytest.raises(Failed, match="ArchiveError: month 2026-10 is damaged"):
        run_apart(_damaged, {})


def test_a_process_that_is_killed_is_no_whole_answer() -> None:
    with pytest.raises(Failed, match="ended early"):
        run_apart(_killed, {})
