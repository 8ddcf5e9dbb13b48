"""Every failure is one line and exit status 1; help is quick and complete."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.command import main
from support.commands import DAY, RANGE
from support.parsers import Command, commands

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
    def fail(log: str) -> None:
        raise ZeroDivisionError("of a\nkind")

    monkeypatch.setattr("eyelog.topics.fields", fail)
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
    assert main(["fetch"]) == 2
    assert "Usage" in capsys.readouterr().err


def test_a_list_that_names_nothing_is_wrong_usage(capsys) -> None:
    for nothing in ("", ","):
        assert main(["summary", "standard_mode_logs", "--by", nothing]) == 2
        assert "'--by': it names nothing: give one name" in capsys.readouterr().err


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_has_help(command: Command, capsys) -> None:
    assert main([*command, "--help"]) == 0
    assert len(capsys.readouterr().out) > 80
