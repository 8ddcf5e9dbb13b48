"""Long jobs show how far they are; Ctrl-C ends them with 130 and leaves nothing half written."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.command import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")

SIXTY = "standard_mode_logs"


@contextmanager
def in_a_terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a command whose stderr is a terminal; give the process and the terminal's other end."""
    import termios

    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 120))
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "eyelog", *arguments],
            stderr=theirs,
            stdout=subprocess.DEVNULL,
            # A test run in the background has SIGINT ignored, and a child inherits that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as child:
            os.close(theirs)
            try:
                yield child, ours
            finally:
                child.kill()
    finally:
        os.close(ours)


def read_until(terminal: int, mark: bytes) -> bytes:
    shown = b""
    while mark not in shown:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
    assert mark in shown, shown.decode()
    return shown


def unfinished(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".tmp")]


def stopped(child: subprocess.Popen[bytes], terminal: int) -> None:
    """Interrupt a process and check how it ends."""
    child.send_signal(signal.SIGINT)
    shown = read_until(terminal, b"interrupted; everything finished so far is kept")
    assert child.wait(60) == 130
    assert b"Traceback" not in shown


def big_csv(path: Path, rows: int) -> Path:
    """Write a Logger file of many rows and few columns."""
    start = np.datetime64("2020-01-01T00:00:15")
    stamps = np.datetime_as_string(start + np.arange(rows) * np.timedelta64(15, "s"))
    path.write_text("date,stepCount,stepCadence\n" + "".join(f"{s}Z,3,90\n" for s in stamps))
    return path


@pytest.mark.slow("a command is interrupted while it works")
def test_a_simulation_shows_its_end_and_stops(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    days = ["--start", "2026-01-01", "--days", "3000"]
    with in_a_terminal("simulate", "--archive", str(archive), *days) as (child, terminal):
        shown = read_until(terminal, b"<")  # elapsed < remaining
        assert b"simulate computed_data:" in shown
        stopped(child, terminal)
    assert unfinished(tmp_path) == []
    assert el.Archive(archive).accounts() == []


@pytest.mark.slow("a command is interrupted while it works")
def test_an_import_shows_its_end_and_stops_with_nothing_written(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    path = big_csv(folder / "0_logicIndexData.csv", 250_000)
    for number in range(1, 60):  # the same rows: all are read, and they take no space
        os.link(path, folder / f"{number}_logicIndexData.csv")
    archive = tmp_path / "archive"
    with in_a_terminal("import", str(folder), "--archive", str(archive)) as (child, terminal):
        shown = read_until(terminal, b"<")
        assert b"import into me:" in shown
        assert b"M/" in shown  # of the files' megabytes
        stopped(child, terminal)
    assert unfinished(tmp_path) == []
    assert el.Archive(archive).accounts() == []  # nothing is written before all files are read


@pytest.mark.slow("a command is interrupted while it works")
@pytest.mark.parametrize("name", ["answers", "out.csv"])
def test_an_export_shows_its_end_and_stops_with_whole_files(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "archive"
    days = 600 if name == "answers" else 1200
    index = pd.date_range("2020-01-01", periods=days * 1440, freq="60s", tz="UTC", name="date")
    frame = pd.DataFrame({"bl": np.arange(len(index)) % 100.0}, index=index.as_unit("us"))
    el.Archive(archive).write(SIXTY, frame, account="me")
    out = tmp_path / "out" / name
    command = ["archive", "export", SIXTY, "2020-01-01", "2029-12-31", "-o", str(out)]
    with in_a_terminal(*command, "--archive", str(archive)) as (child, terminal):
        shown = read_until(terminal, b"<")
        assert b"write standard_mode_logs of me:" in shown
        stopped(child, terminal)
    assert unfinished(tmp_path) == []
    if name == "answers":
        made = sorted(out.iterdir())
        assert 0 < len(made) < days
        assert all(len(el.read(path)) for path in (made[0], made[-1]))
    else:
        assert not out.exists()


def test_every_long_job_counts_its_parts(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    seconds = itertools.count(1_790_000_000.0)
    monkeypatch.setattr(time, "time", lambda: next(seconds))  # all takes longer than a second
    archive = el.Archive(tmp_path / "archive")

    def shown() -> str:
        return capsys.readouterr().err

    frame = el.simulate("2026-10-24", 2, log=SIXTY)
    assert "simulate standard_mode_logs:" in (text := shown())
    assert re.search(r" 1/2 \[.*day", text)
    archive.write(SIXTY, frame, account="me")
    archive.verify()
    assert "verify:" in (text := shown())
    assert re.search(r" 1/1 \[.*file", text)
    for name in ("a.csv", "a"):  # a file, and a folder of answers
        archive.export(SIXTY, "2026-10-01", "2026-10-31", tmp_path / name)
        assert re.search(r" 1/1 \[.*month", shown())
    size = (tmp_path / "a.csv").stat().st_size
    assert main(["import", str(tmp_path / "a.csv"), "--archive", str(tmp_path / "other")]) == 0
    assert "import into me:" in (text := shown())
    assert f"/{size / 1000:.0f}k [" in text


def test_an_interrupt_is_one_line_and_130(monkeypatch, capsys) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_json", interrupt)
    assert main(["fields", "computed_data", "--json"]) == 130
    assert capsys.readouterr().err == (
        "eyelog: error: interrupted; everything finished so far is kept\n"
    )
