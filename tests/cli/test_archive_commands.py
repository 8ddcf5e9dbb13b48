"""Import and archive on the command line: tables to stdout, reasons to stderr, a true status."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.cli import main
from support.loggerfiles import FIFTEEN, SIXTY, logger_csv, zipped
from support.paths import DATASETS

FILES = [str(path) for path in sorted(DATASETS.glob("2026*.csv"))]


@pytest.fixture
def imported(capsys) -> None:
    assert main(["import", *FILES, "--account", "ada"]) == 0
    capsys.readouterr()


def test_an_import_tells_account_and_log_and_counts(home, capsys) -> None:
    assert main(["import", *FILES, "--account", "ada"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].split()[:8] == [
        "file", "log", "status", "read", "kept", "repeated", "conflicts", "refused"
    ]  # fmt: skip
    assert "computed_data imported   964   964         0          0        0" in out
    assert "standard_mode_logs imported   241" in out
    assert f"1,205 rows brought something new for account 'ada' to {home / 'archive'}" in err


def test_a_second_import_finds_nothing_new(imported, capsys) -> None:
    assert main(["import", *FILES, "--account", "ada", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["status"], row["kept"]) for row in rows] == [("nothing new", 0)] * 2
    assert rows[0]["first"] == "2026-10-20T23:00:07Z"
    assert {row["account"] for row in rows} == {"ada"}


def test_a_dry_run_writes_nothing(home, capsys) -> None:
    assert main(["import", *FILES, "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert "to import" in out
    assert "dry run: nothing was written" in err
    assert not (home / "archive").exists()


def test_a_refused_file_is_named_and_the_status_says_so(tmp_path, capsys) -> None:
    good = logger_csv(el.sample(SIXTY).iloc[:9], SIXTY)
    box = tmp_path / "session.zip"
    box.write_bytes(
        zipped({"a_summaryData.csv": good, "b_currentData.csv": "date,accX,accY\n1,2,3\n"})
    )
    assert main(["import", str(box), "--archive", str(tmp_path / "here")]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-2] == (
        f"refused {box}: b_currentData.csv: it holds 20 Hz motion and eye-event data (currentData)"
    )
    assert err[-1] == "eyelog: error: 1 of 2 files were refused (the others are imported)"
    held = el.Archive(tmp_path / "here").read(SIXTY, "2026-10-01", "2026-10-31")
    assert len(held) == 9


@pytest.mark.filterwarnings("default")
def test_junk_is_a_warning_with_file_and_line(tmp_path, capsys) -> None:
    path = tmp_path / "a.csv"
    path.write_text("date,stp\n2026-10-21T00:00:15Z,3\njunk\n")
    assert main(["import", str(path)]) == 0
    assert "a.csv: 1 of 2 lines are no records and are left out (line 3: 1 column where 2" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nope.csv"], "there is no file or folder nope.csv"),
        (["{empty}"], "there is no file in what was given"),
        ([*FILES, "--tz", "Asia/Toky"], "unknown time zone 'Asia/Toky'"),
    ],
)
def test_what_cannot_be_imported_is_one_line(tmp_path, capsys, arguments, reason) -> None:
    (tmp_path / "empty").mkdir()
    filled = [each.format(empty=tmp_path / "empty") for each in arguments]
    assert main(["import", *filled]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert reason in err


@pytest.mark.parametrize("words", [["archive"], ["archive", "inventory"]])
def test_the_archive_lists_what_it_holds(imported, capsys, words) -> None:
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[1].split()[:2] == ["ada", FIFTEEN]
    assert main(["archive", "inventory", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["log"], row["records"]) for row in rows] == [(FIFTEEN, 964), (SIXTY, 241)]


def test_an_empty_archive_says_so(tmp_path, capsys) -> None:
    assert main(["archive", "inventory", "--archive", str(tmp_path / "none")]) == 0
    assert "none is empty" in capsys.readouterr().err


def test_verify_is_silent_on_stdout_until_there_is_damage(imported, home, capsys) -> None:
    assert main(["archive", "verify"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"No damage found in the archive {home / 'archive'}.\n")
    path = next((home / "archive").rglob("data.parquet"))
    path.write_bytes(path.read_bytes()[:-100])
    assert main(["archive", "verify"]) == 1
    out, err = capsys.readouterr()
    assert "2026-10" in out
    assert err.splitlines()[-1].startswith("eyelog: error: 1 problem(s) found")


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "answers"])
def test_an_export_goes_back_in_unchanged(imported, tmp_path, capsys, name) -> None:
    path = tmp_path / name
    days = ["2026-10-21", "2026-10-21", "--tz", "Asia/Tokyo"]
    command = ["archive", "export", FIFTEEN, *days, "--account", "ada", "-o", str(path)]
    assert main(command) == 0
    made = capsys.readouterr().out.splitlines()
    assert all(Path(each).is_file() for each in made)
    if name.endswith(".parquet"):
        assert len(pd.read_parquet(path)) == 964
        return
    assert main(["import", str(path), "--account", "ada", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["repeated"] == 964


def test_an_export_of_nothing_says_what_the_archive_holds(imported, tmp_path, capsys) -> None:
    command = [
        "archive",
        "export",
        SIXTY,
        "2026-10-21",
        "2026-10-21",
        "-o",
        str(tmp_path / "x.csv"),
    ]
    assert main(command) == 1
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "no account 'me'" in err


def test_two_imports_at_once_lose_nothing(tmp_path) -> None:
    frame = el.sample(SIXTY).iloc[:600]
    for i in range(2):
        part = logger_csv(frame.iloc[i * 300 : i * 300 + 300], SIXTY)
        (tmp_path / f"{i}.csv").write_text(part)
    archive = tmp_path / "archive"
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "eyelog", "import", str(tmp_path / f"{i}.csv"),
             "--archive", str(archive)],
            env=dict(os.environ),
            stdout=subprocess.DEVNULL,
        )
        for i in range(2)
    ]  # fmt: skip
    assert [process.wait(120) for process in running] == [0, 0]
    assert el.Archive(archive).inventory()["records"].tolist() == [600]
