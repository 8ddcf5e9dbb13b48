"""The program: help, usage, errors in one line, terminals, the Tab key, the demo."""

import errno
import io
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.command import main
from support.commands import DAY, RANGE
from support.fetching import save_token
from support.parsers import Command, commands

PLOT = ["plot", "timeline", "computed_data", *RANGE, "-o", "x.png"]


FAILURES = {
    "no such log": (["fields", "computed"], "did you mean 'computed_data'"),
    "no such field": (["fetch", "computed_data", *RANGE, "--fields", "stq"], "'stp'"),
    "no such day": (["fetch", "computed_data", "2026-02-30", DAY], "not a day"),
    "not a table": (["daily", "other.csv"], "an object without 'computed_data'"),
    "a field that the file lacks": (
        ["plot", "heatmap", "few.csv", "--field", "cad", "-o", "x.png"],
        "needs 'cad'",
    ),
    "a folder in the way": (
        ["fetch", "computed_data", *RANGE, "-o", "a.csv"],
        "cannot write a.csv",
    ),
    "no such ending": (["fetch", "computed_data", *RANGE, "-o", "x.txt"], ".parquet or .csv"),
    "no such figure ending": ([*PLOT[:-1], "x.gif"], ".png, .svg or .pdf"),
    "days below one": (["simulate", "--archive", "a", "--start", DAY, "--days", "0"], "days"),
    "nothing to serve": (["serve", "--archive", "none"], "none"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_is_one_line_that_says_why(
    logged_in, capsys, monkeypatch, tmp_path, case
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.csv").write_text('{"client_id": "x"}\n')
    Path("few.csv").write_text("date,stp\n2025-10-20T10:00:00+09:00,3\n")
    Path("a.csv").mkdir()
    arguments, reason = FAILURES[case]
    assert main(arguments) == 1
    *said, error = capsys.readouterr().err.splitlines()
    assert [line for line in said if "computed_data from " not in line] == []
    assert error.startswith("eyelog: error: ")
    assert reason in error


def test_an_unforeseen_error_is_one_line_that_asks_for_a_report(capsys, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of a\nkind")

    monkeypatch.setattr(pd.DataFrame, "to_json", fail)
    assert main(["fields", "computed_data", "--json"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("eyelog: error: ZeroDivisionError: of a kind (a bug in eyelog:")
    assert error.count("\n") == 1
    monkeypatch.setenv("EYELOG_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["fields", "computed_data", "--json"])


def test_a_reader_that_stops_early_is_not_a_failure() -> None:
    command = [sys.executable, "-m", "eyelog", "fields", "computed_data", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.read(1)
        running.stdout.close()
        _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (0, b"")


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_has_help(command: Command, capsys) -> None:
    assert main([*command, "--help"]) == 0
    assert len(capsys.readouterr().out) > 80


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["--help"]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_first_page_fits_a_screen(page) -> None:
    assert len(page) <= 34
    assert max(map(len, page)) <= 80


def test_the_version_is_that_of_the_package(capsys) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"eyelog \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)


MISTYPED = {
    "a command": (["dayly", "x"], "(did you mean 'daily'?)"),
    "an action": (["archive", "verfy"], "verfy"),
    "an option": (["daily", "x.csv", "--colums", "a"], "--columns"),
    "a figure": (["plot", "overveiw", "x.csv", "-o", "a.png"], "(did you mean 'overview'?)"),
    "a path in place of a command": (["folder"], "type eyelog daily folder"),
    "no file to draw into": (["plot", "overview", "x.csv"], "'--output'"),
    "no file to report into": (["report", "x.csv"], "'--output'"),
    "no figure": (["plot", "-o", "a.png"], "FIGURE"),
    "nothing to fetch": (["fetch"], "LOG"),
    "a list that names nothing": (["summary", "x", "--by", ","], "'--by': it names nothing: give"),
}


@pytest.mark.parametrize("case", MISTYPED)
def test_a_mistyped_command_is_told_what_to_type(capsys, monkeypatch, tmp_path, case) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    words, says = MISTYPED[case]
    assert main(words) == 2
    assert says in capsys.readouterr().err.splitlines()[-1]


def test_a_full_disk_is_reported_with_the_file(of_ada, capsys, monkeypatch, tmp_path) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    path = tmp_path / "days.csv"
    assert main(["daily", "computed_data", *RANGE, *of_ada, "-o", str(path)]) == 1
    error = capsys.readouterr().err
    assert f"cannot write {path}: No space left on device" in error
    assert list(tmp_path.iterdir()) == []


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


BASH = shutil.which("bash")


def completed(line: list[str], folder: Path, home: Path) -> list[str]:
    """Return what bash offers at the end of a line, its last word being the begun one."""
    program = [
        f'PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"',
        'eval "$(_EYELOG_COMPLETE=bash_source eyelog)"',
        "compopt() { COMPREPLY+=( $(compgen -f -- \"$BEGUN\" | tr ' ' _) ); }",
        f"COMP_WORDS=({shlex.join(line)}); COMP_CWORD={len(line) - 1}; BEGUN={line[-1]!r}",
        "_eyelog_completion eyelog",
        'for word in "${COMPREPLY[@]}"; do echo "$word"; done',
    ]
    done = subprocess.run(
        [str(BASH), "--norc", "-c", "\n".join(program)],
        capture_output=True, text=True, check=True, cwd=folder,
        env={**os.environ, "EYELOG_HOME": str(home)},
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.splitlines()


OFFERED = {
    "eyelog da": ["daily"],
    "eyelog archive ": ["erase", "export", "list", "repair", "set-zone", "verify"],
    "eyelog archive verify --js": ["--json"],
    "eyelog plot ti": ["timeline"],
    "eyelog plot timeline --width ": ["single", "double", "page"],
    "eyelog fetch comp": ["computed_data"],
    "eyelog daily --log s": ["standard_mode_logs"],
    "eyelog daily my": ["my_week.csv"],
    "eyelog daily c": ["computed_data", "current_data"],
    "eyelog daily c-": ["c-data"],
}


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize("line", OFFERED)
def test_bash_completes_commands_options_logs_and_files(tmp_path, home, line: str) -> None:
    (tmp_path / "my_week.csv").touch()
    (tmp_path / "c-data").touch()
    assert sorted(completed(line.split(" "), tmp_path, home)) == sorted(OFFERED[line])


@pytest.mark.slow("the demo runs whole")
def test_the_demo_runs_the_main_job(tmp_path: Path, monkeypatch) -> None:
    # On a terminal that knows only ASCII, as every command.
    sink = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(sink, "ascii", newline="\n"))
    monkeypatch.setenv("NO_COLOR", "1")
    # The user's own tokens are of another service.
    monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "abc")
    monkeypatch.setenv("EYELOG_REFRESH_TOKEN", "xyz")
    assert main(["demo", "--output", str(tmp_path / "out")]) == 0
    text = sink.getvalue().decode("ascii")
    assert "\x1b" not in text
    assert os.environ["EYELOG_ACCESS_TOKEN"] == "abc"
    # Days in the future are not requested: the demo's are past on a slow clock, too.
    assert "fetch computed_data 2025-" in text
    for part in ("$ eyelog login --code ", "--attrition trend", "Blinks"):
        assert part in text
    last_screen = "\n".join(text.splitlines()[-20:])
    for part in ("Done. Open this first", "report.html", "heatmap-*.png"):
        assert part in last_screen
    assert (tmp_path / "out" / "report.html").stat().st_size > 100_000
    assert len(list((tmp_path / "out").glob("*.png"))) == 8
    assert len(list((tmp_path / "out").glob("*.csv"))) == 2


def test_a_file_in_place_of_the_output_folder_is_one_line(tmp_path: Path, capsys) -> None:
    path = tmp_path / "out"
    path.write_text("kept")
    assert main(["demo", "--output", str(path)]) == 1
    assert f"{path} is a file" in capsys.readouterr().err
    assert path.read_text() == "kept"


FETCH_ALL = ["fetch", "standard_mode_logs", *RANGE]


def test_a_second_login_mentions_the_cached_days_that_are_kept(logged_in, capsys) -> None:
    main([*FETCH_ALL, "--fields", "bl"])
    capsys.readouterr()
    assert main(["login", "--code", logged_in.code("ada")]) == 0
    assert "cache clear --account me" in capsys.readouterr().err


def test_a_logout_leaves_no_token_that_works(logged_in, home, capsys) -> None:
    (file,) = home.glob("tokens/*.json")
    token = json.loads(file.read_bytes())
    assert main(["logout"]) == 0
    assert "the access is withdrawn" in capsys.readouterr().err
    answer = logged_in.refresh(token["refresh_token"])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert main([*FETCH_ALL, "--refresh"]) == 1
    assert "eyelog login" in capsys.readouterr().err


def test_a_logout_without_a_service_says_where_the_access_is_withdrawn(
    logged_in, home, monkeypatch, capsys
) -> None:
    (file,) = home.glob("tokens/*.json")
    nowhere = "http://127.0.0.1:1"
    token = el.Token(json.loads(file.read_bytes())["access_token"])
    save_token(home, "me", nowhere, token)
    monkeypatch.setenv("EYELOG_BASE_URL", nowhere)
    assert main(["logout"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "is deleted on this machine, but the service was not told" in line
    assert f"withdraw the access at {nowhere}/account" in line
    assert list(home.glob("tokens/*.json")) == [file]
    assert main(["logout"]) == 1
    assert "there is no token" in capsys.readouterr().err
