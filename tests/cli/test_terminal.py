"""What commands write into a real terminal."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import eyelog as el

COLOUR = {"TERM": "xterm-256color"}


def shown(folder: Path, *words: str, env: dict[str, str] | None = None) -> str:
    """Return what a command writes into a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    settings |= {"COLUMNS": "80", "EYELOG_HOME": str(folder / "home")} | (env or COLOUR)
    run = subprocess.Popen(
        [sys.executable, "-m", "eyelog", *words],
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
        cwd=folder,
        env=settings,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the end of a terminal that nobody writes to any more
            break
        if not part:
            break
        written += part
    run.wait()
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("terminal")
    frame = el.sample("standard_mode_logs")
    frame[frame.index.day != 21].to_parquet(place / "week.parquet")
    return place


def test_a_misspelt_figure_is_answered_first_in_lines_of_80_columns(folder: Path) -> None:
    lines = shown(folder, "plot", "overvew", "-o", "a.png", env={"TERM": "dumb"}).splitlines()
    assert max(map(len, lines)) <= 80
    said = " ".join(lines)
    assert "eyelog: error: there is no figure 'overvew' (did you mean 'overview'?)" in said


def test_an_error_is_red_unless_nobody_wants_colour(folder: Path) -> None:
    said = shown(folder, "daily", "nowhere.csv")
    assert said.startswith(
        "eyelog: \x1b[31m\x1b[1merror\x1b[0m: there is no file or folder 'nowhere.csv'"
    )
    for env in (COLOUR | {"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in shown(folder, "daily", "nowhere.csv", env=env)
    assert "\x1b[31m\x1b[1merror\x1b[0m" in shown(folder, "dayly")


def test_a_quoted_pattern_is_read_and_days_without_records_are_counted(folder: Path) -> None:
    lines = shown(folder, "daily", "w*.parquet").splitlines()
    assert max(map(len, lines)) <= 80
    assert "(1 of these days without records)" in " ".join(lines[:3])


def test_help_fits_the_terminal(folder: Path) -> None:
    assert max(map(len, shown(folder, "--help").splitlines())) <= 80


def test_a_pipe_gets_neither_breaks_nor_colour(folder: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "eyelog", "plot", "overvew"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **COLOUR},
        check=False,
    )
    assert "\x1b" not in run.stderr
    assert len(run.stderr.splitlines()) == 2
