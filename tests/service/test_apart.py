"""Tasks in a process of their own: what they return arrives, and what they do not leave behind."""

import os
import time
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service import apart


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


def _slow() -> bytes:
    time.sleep(60)
    return b""


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process import the tasks of this file by its name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    for task in (_numbers, _who, _broken, _damaged, _killed, _slow):
        monkeypatch.setattr(task, "__module__", "test_apart")


@pytest.mark.usefixtures("in_processes")
def test_what_a_task_returns_arrives_from_a_process_without_a_window() -> None:
    assert apart.run(_numbers, {"n": 300}) == _numbers(300)
    pid, backend = apart.run(_who, {}).split()
    assert (int(pid) != os.getpid(), backend) == (True, b"agg")


@pytest.mark.usefixtures("in_processes")
@pytest.mark.parametrize("run", [apart.run, apart.run_here])
def test_a_fault_says_where_and_no_value_and_an_error_of_eyelog_what_is_wrong(run) -> None:
    with pytest.raises(apart.Failed, match=r"(?s)ValueError:.*_broken") as fault:
        run(_broken, {"secret": "anna's diary"})
    assert "diary" not in str(fault.value)
    with pytest.raises(apart.Failed, match="ArchiveError: month 2026-10 is damaged"):
        run(_damaged, {})


@pytest.mark.usefixtures("in_processes")
def test_a_process_that_is_killed_or_too_slow_is_no_whole_answer() -> None:
    for task, seconds in ((_killed, 60.0), (_slow, 0.05)):
        with pytest.raises(apart.Failed, match="ended early"):
            apart.run(task, {}, seconds=seconds)
