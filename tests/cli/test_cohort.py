"""The cohort on the command line; stopped or killed, it leaves no process behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.cohorts import DAYS, SIXTY, damage, days_of, fill
from support.command import main
from support.processes import group, left_after


@pytest.fixture
def archive(tmp_path: Path) -> el.Archive:
    return fill(el.Archive(tmp_path / "archive"))


@pytest.fixture
def arguments(archive: el.Archive, tmp_path: Path) -> list[str]:
    out = str(tmp_path / "out")
    return ["cohort", "daily", SIXTY, "--archive", archive.path, "-o", out, "--workers", "1"]


def test_a_failed_wearer_is_named_and_makes_the_status(archive, arguments, capsys) -> None:
    damage(archive, "ann")
    assert main([*arguments, "--json"]) == 1
    out, err = capsys.readouterr()
    assert {row["account"]: row["state"] for row in json.loads(out)}["ann"] == "failed"
    assert "error: 1 of 3 wearers failed" in err
    assert main(arguments) == 1
    assert "ann failed: 2026-09: cannot read" in capsys.readouterr().err


def test_wearers_come_from_a_file(arguments, tmp_path, capsys) -> None:
    path = tmp_path / "wearers.csv"
    path.write_text("account,tz,group\nann,Asia/Tokyo,a\nAnn,Asia/Tokyo,b\n")
    assert main([*arguments, "--wearers", str(path), "--accounts", "ann,Ann"]) == 0
    table = pd.read_parquet(tmp_path / "out")
    assert table.groupby("group").size().to_dict() == {"a": 6, "b": 6}
    capsys.readouterr()
    for name, text in (("no.txt", ""), ("no.parquet", "x"), ("empty.csv", "")):
        (tmp_path / name).write_text(text)
        assert main([*arguments, "--wearers", str(tmp_path / name)]) == 1
        assert f"cannot read {tmp_path / name}" in capsys.readouterr().err


def test_the_default_archive_is_that_of_the_home(home, tmp_path, capsys) -> None:
    assert main(["cohort", "daily", SIXTY, "-o", str(tmp_path / "out")]) == 1
    assert f"the archive {home / 'archive'} has no '{SIXTY}'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_simulated_cohort_is_summarised_with_its_own_table(tmp_path, capsys) -> None:
    people, archive = str(tmp_path / "people.csv"), str(tmp_path / "simulated")
    words = "--wearers 2 --days 1 --start 2026-10-19 --tz Asia/Tokyo,UTC --effect 1.2 --workers 1"
    simulate = ["cohort", "simulate", "--archive", archive, "--log", SIXTY, *words.split()]
    assert main([*simulate, "-o", people]) == 0
    assert "2 wearers with 1 days each" in capsys.readouterr().err
    out = str(tmp_path / "out")
    daily = ["cohort", "daily", SIXTY, "--archive", archive, "-o", out, "--workers", "1"]
    assert main([*daily, "--wearers", people]) == 0
    table = pd.read_parquet(out)
    assert sorted(table["group"]) == ["control", "treated"]
    capsys.readouterr()
    assert main([*simulate, "--json"]) == 0
    assert [row["group"] for row in json.loads(capsys.readouterr().out)] == ["control", "treated"]


pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")


WEARERS = 12


@pytest.mark.slow("a cohort is stopped and run again")
@pytest.mark.timeout(300)
def test_ctrl_c_leaves_no_process_behind_and_the_rerun_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, out = el.Archive(tmp_path / "archive"), tmp_path / "out"
    for number in range(WEARERS):
        archive.write(SIXTY, days_of(0), account=f"w{number:02}")
    last, content = _made_endless(archive)
    command = ["cohort", "daily", SIXTY, "--archive", archive.path, "-o", str(out)]
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "eyelog", *command, "--workers", "2"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_in_the_foreground,
    ) as run:
        os.close(theirs)
        os.set_blocking(ours, False)
        _until(lambda: len(list(out.glob("*/*.parquet"))), ours, run)
        os.write(ours, b"\x03")
        assert _until(lambda: run.poll() is not None, ours)
        assert run.returncode == 130
    assert _until(lambda: _is_gone(run.pid), ours)
    os.close(ours)
    last.unlink()
    last.write_bytes(content)
    assert main([*command, "--workers", "1", "--json"]) == 0
    states = pd.DataFrame(json.loads(capsys.readouterr().out))["state"].value_counts()
    assert states["unchanged"] > 0
    assert states["done"] > 0
    assert len(pd.read_parquet(out)) == WEARERS * DAYS  # of the zone that the archive keeps


@pytest.mark.slow("processes are started and stopped")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("how", "processes"),  # with the tracker, the server, the workers
    [(signal.SIGINT, 3), (signal.SIGINT, 5), (signal.SIGKILL, 5)],
)
def test_a_run_stopped_while_it_starts_leaves_no_process(
    how: signal.Signals, processes: int, tmp_path: Path
) -> None:
    archive = el.Archive(tmp_path / "archive")
    for number in range(20):
        archive.write(SIXTY, days_of(0), account=f"w{number:02}")
    _made_endless(archive)
    command = ["cohort", "daily", SIXTY, "--archive", archive.path, "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-m", "eyelog", *command, "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as run:
        while len(group(run.pid)) < processes:
            assert run.poll() is None
            time.sleep(0.002)
        if how == signal.SIGINT:  # as a terminal does
            os.killpg(run.pid, how)
        else:
            run.kill()
        shown = run.communicate(timeout=60)[0].decode()
    assert run.returncode == (130 if how == signal.SIGINT else -how)
    if how == signal.SIGINT:  # after a kill, the standard library's fork server may print its own
        assert "Traceback" not in shown
    assert left_after(60, run.pid) == {}


def _made_endless(archive: el.Archive) -> tuple[Path, bytes]:
    """Let a run wait at the last month for ever; return the month's file and what was in it."""
    last = max(Path(archive.path).glob("log=*/account=*/month=*/*.parquet"))
    content = last.read_bytes()
    last.unlink()
    os.mkfifo(last)
    return last, content


def _is_gone(leader: int) -> bool:
    """Return whether nobody is left in the group of a process."""
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return True
    return False


def _in_the_foreground() -> None:
    """Make the terminal that of the new session, so that its Ctrl-C reaches all processes."""
    import fcntl
    import termios

    fcntl.ioctl(2, termios.TIOCSCTTY, 0)
    # A test run in the background has SIGINT ignored, and a child inherits that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _until(
    found: Callable[[], int], terminal: int, run: "subprocess.Popen[bytes] | None" = None
) -> int:
    """Wait until something is found, and read what the terminal shows meanwhile."""
    shown = b""
    for _ in range(6000):
        with suppress(OSError):  # nothing to read, or closed
            shown += os.read(terminal, 65_536)
        number = found()
        if number or (run is not None and run.poll() is not None):
            assert number, shown.decode()
            return number
        time.sleep(0.02)
    raise AssertionError(shown.decode())
