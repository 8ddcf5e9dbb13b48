"""Every command works where the terminal knows only ASCII, also with names that ASCII lacks."""

import io
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.command import main
from support.parsers import commands

SIXTY = "standard_mode_logs"
ACCOUNT = "Jürgen 健"
DAY = "2026-10-24"
RANGE = [SIXTY, DAY, DAY]
OF = ["--account", ACCOUNT, "--tz", "Asia/Tokyo"]
SERVICE = ["service", "add-application", "--redirect-uri", "http://127.0.0.1/callback"]
COHORT = ["cohort", "simulate", "--wearers", "2", "--days", "1", "--workers", "1"]
# Each with the exit status that it has on this machine, where there is no service.
COMMANDS = {
    "simulate": (["simulate", "--account", f"{ACCOUNT} 2", "--start", DAY, "--days", "1"], 0),
    "import": (["import", "{folder}/Tägliches 記録.csv", "--account", ACCOUNT], 0),
    "archive list": (["archive", "list"], 0),
    "archive verify": (["archive", "verify"], 0),
    "archive repair": (["archive", "repair"], 0),
    "cohort daily": (["cohort", "daily", SIXTY, "-o", "{folder}/öut", "--workers", "1"], 0),
    "cohort simulate": (
        [*COHORT, "--archive", "{folder}/ärchive", "--start", DAY, "--log", SIXTY],
        0,
    ),
    "archive export": (["archive", "export", *RANGE, *OF, "-o", "{folder}/äus.csv"], 0),
    "daily": (["daily", *RANGE, *OF, "--events", "{folder}/日記.csv"], 0),
    "daily of a file": (["daily", "{folder}/Tägliches 記録.csv", "--attrition", "steps"], 0),
    "plot": (["plot", "timeline", *RANGE, *OF, "-o", "{folder}/Bild ä.png"], 0),
    "report": (
        ["report", *RANGE, *OF, "--sections", "trust", "--name", "健", "-o", "{folder}/ä.html"],
        0,
    ),
    "describe": (["describe", *RANGE, *OF], 0),
    "summary": (["summary", *RANGE, *OF, "--by", "hour"], 0),
    "fields": (["fields", SIXTY], 0),
    "fields that are found": (["fields", "steps"], 0),
    "cite": (["cite"], 0),
    "cite an analysis": (["cite", *RANGE, *OF], 0),
    "doctor": (["doctor"], 0),
    "service": ([*SERVICE], 0),
    "service add-account": (["service", "add-account", ACCOUNT], 0),
    "cache": (["cache"], 0),
    "fetch": (["fetch", *RANGE, *OF], 1),
    "sync": (["sync", *RANGE, *OF], 1),
    "login": (["login", "--account", ACCOUNT], 1),
    "logout": (["logout", "--account", ACCOUNT], 1),
    "listen": (["listen", "--tls-cert", "{folder}/証明.pem"], 1),
    "replay": (["replay", "{folder}/Tägliches 記録.csv", "--to", "ws://127.0.0.1:1"], 1),
    "push": (["push", "{folder}/Tägliches 記録.csv"], 1),
    "serve": (["serve", "--archive", "{folder}/none ö", "--port", "0"], 1),
    "a file that is missing": (["daily", "{folder}/föhlt.csv"], 1),
    "an account that is missing": (["daily", *RANGE, "--account", "Zoë"], 1),
}
# Commands that run in a test of their own.
ELSEWHERE = {"demo"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive and the folder of files that each test gets a copy of."""
    root = tmp_path_factory.mktemp("made")
    place = root / "Ördner"
    place.mkdir()
    frame = el.simulate(DAY, 1, log=SIXTY, tz="Asia/Tokyo")
    archive = el.Archive(root / "eyelog-home" / "archive")
    archive.write(SIXTY, frame, account=ACCOUNT)
    archive.export(SIXTY, DAY, DAY, place / "Tägliches 記録.csv", account=ACCOUNT, tz="Asia/Tokyo")
    (place / "日記.csv").write_text(f"start,end,label\n{DAY} 09:00,{DAY} 12:00,会議\n")
    return root


@pytest.fixture
def folder(made: Path, home: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "eyelog-home", home)
    return shutil.copytree(made / "Ördner", tmp_path / "Ördner")


@pytest.mark.filterwarnings("default:no installed font has:eyelog.errors.EyelogWarning")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_nothing_but_ascii(folder: Path, monkeypatch, name: str) -> None:
    streams = {}
    for stream in ("stdout", "stderr"):
        streams[stream] = io.BytesIO()
        monkeypatch.setattr(sys, stream, io.TextIOWrapper(streams[stream], "ascii", newline="\n"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    words, status = COMMANDS[name]
    found = main([word.format(folder=folder) for word in words])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    text = {stream: sink.getvalue().decode("ascii") for stream, sink in streams.items()}
    assert found == status, text["stderr"]
    assert "bug in eyelog" not in text["stderr"]
    assert "Traceback" not in text["stderr"]
    assert "\x1b" not in text["stdout"] + text["stderr"]
    if status:
        assert text["stderr"].splitlines()[-1].startswith("eyelog: error: ")


def test_no_command_is_forgotten() -> None:
    tried = {words[0] for words, _ in COMMANDS.values()}
    assert {command[0] for command in commands()} - tried - ELSEWHERE == set()


def test_records_go_to_stdout_in_utf_8_whatever_the_terminal_is(folder: Path, tmp_path) -> None:
    frame = el.simulate(DAY, 1, log=SIXTY).iloc[:3].assign(remark="健")
    path = tmp_path / "a.parquet"
    frame.to_parquet(path)
    program = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "import pandas as pd; from eyelog.archive.export import print_csv\n"
        f"print_csv(pd.read_parquet({str(path)!r}), sys.stdout.buffer)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONIOENCODING": "ascii", "NO_COLOR": "1"},
        capture_output=True,
        check=True,
    )
    table = pd.read_csv(io.BytesIO(done.stdout), encoding="utf-8")
    assert table["remark"].tolist() == ["健"] * 3


def test_a_real_process_with_an_ascii_terminal_shows_a_table(folder: Path, home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "eyelog", "archive", "list"],
        env={
            "PYTHONIOENCODING": "ascii",
            "NO_COLOR": "1",
            "EYELOG_HOME": str(home),
        },
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert rb"J\xfcrgen \u5065" in done.stdout
