"""Every failure is one line and exit status 1; help is quick and complete."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from eyelog.cli import main
from support.commands import DAY, RANGE
from support.processes import python

PLOT = ["plot", "timeline", "computed_data", *RANGE, "-o", "x.png"]
FAILURES = {
    "no such log": (["fields", "computed"], "did you mean 'computed_data'"),
    "no such zone": (["daily", "computed_data", DAY, DAY, "--tz", "Asia/Tokio"], "Asia/Tokyo"),
    "no such field": (["fetch", "computed_data", *RANGE, "--fields", "stq"], "'stp'"),
    "no such day": (["fetch", "computed_data", "2026-02-30", DAY], "not a day"),
    "start after end": (["fetch", "computed_data", DAY, "2025-10-19"], "starts after it ends"),
    "no such file": (["daily", "none.csv"], "no file"),
    "not a table": (["daily", "other.csv"], "not an answer of the service"),
    "no such field to plot": ([*PLOT, "--field", "stq"], "'stp'"),
    "no choice of fields": (
        ["plot", "quality", "computed_data", *RANGE, "--field", "stp", "-o", "x.png"],
        "leave out --field",
    ),
    "a field that the file lacks": (
        ["plot", "heatmap", "few.csv", "--field", "cad", "-o", "x.png"],
        "needs 'cad'",
    ),
    "a folder in the way": (
        ["fetch", "computed_data", *RANGE, "-o", "a.csv"],
        "cannot write a.csv",
    ),
    "no such archive": (["daily", "computed_data", *RANGE, "--archive", "none"], "none"),
    "no such ending": (["fetch", "computed_data", *RANGE, "-o", "x.xlsx"], ".parquet or .csv"),
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


def test_a_fetch_without_settings_names_the_missing_ones(capsys) -> None:
    assert main(["fetch", "computed_data", DAY, DAY]) == 1
    assert "EYELOG_BASE_URL" in capsys.readouterr().err


def test_a_service_that_cannot_be_reached_is_reported_in_one_line(capsys, monkeypatch) -> None:
    monkeypatch.setenv("EYELOG_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "a-token-of-the-environment")
    assert main(["fetch", "computed_data", DAY, DAY]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "127.0.0.1:9" in error
    assert "a-token" not in error


def test_an_unforeseen_error_is_one_line_that_asks_for_a_report(capsys, monkeypatch) -> None:
    def fail(log: str) -> None:
        raise ZeroDivisionError("of a\nkind")

    monkeypatch.setattr("eyelog.catalogue.fields", fail)
    assert main(["fields", "computed_data"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("eyelog: error: ZeroDivisionError: of a kind (a bug in eyelog:")
    assert error.count("\n") == 1
    monkeypatch.setenv("EYELOG_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["fields", "computed_data"])


def test_a_reader_that_stops_early_is_not_a_failure() -> None:
    command = [sys.executable, "-m", "eyelog", "fields", "computed_data", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.read(1)
        running.stdout.close()
        _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (0, b"")


def test_wrong_usage_has_an_exit_status_of_its_own(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["fetch"])
    assert stop.value.code == 2
    assert "usage" in capsys.readouterr().err


COMMANDS = [
    *("demo", "login", "logout", "cache", "fetch", "sync", "import", "archive"),
    *("daily", "plot", "fields", "serve", "service", "simulate"),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert len(capsys.readouterr().out) > 80


def test_the_help_lists_every_command_and_loads_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from eyelog.cli.main import build_parser\n"
        "print(build_parser().format_help())\n"
        "heavy = ('pandas', 'numpy', 'requests', 'matplotlib', 'scipy', 'pyarrow', 'msgspec')\n"
        "print('loaded:', [name for name in heavy if name in sys.modules])\n"
    )
    done = python(program)
    words = done.stdout.split()
    assert [command for command in COMMANDS if command not in words] == []
    assert done.stdout.endswith("loaded: []\n")


def test_a_command_collects_garbage_seldom_and_leaves_the_caller_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = []
    command = sys.modules[main.__module__]
    monkeypatch.setattr(command, "_take_any_letter", lambda: inside.append(gc.get_threshold()[0]))
    before = gc.get_threshold()
    assert main(["fields", "computed"]) == 1  # also after a failure
    assert min(inside) > 10 * before[0]
    assert gc.get_threshold() == before


def test_what_a_command_leaves_is_not_looked_through_when_the_program_ends() -> None:
    program = (
        "import atexit, gc\n"
        "atexit.register(lambda: print('left alone:', gc.get_freeze_count() > 1000))\n"
        "of_python = gc.get_freeze_count()\n"  # Python 3.12 itself leaves some hundred alone
        "from eyelog.cli import main\n"
        "main(['fields', 'computed_data'])\n"
        "print('before:', gc.get_freeze_count() - of_python)\n"
    )
    assert python(program).stdout.endswith("before: 0\nleft alone: True\n")
