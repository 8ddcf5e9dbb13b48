"""One rule for where a command's records come from: files, else the archive, else the service."""

import json
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.command import main
from support.commands import DAY, RANGE
from support.loggerfiles import FIFTEEN, HOURS, SIXTY, logger_csv

DAILY = ["daily", "--json"]


@cache
def of_the_app(log: str) -> str:
    return logger_csv(HOURS[log], log, dates="+0900")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of Logger files of both logs, and the place where commands run."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "logger"
    place.mkdir()
    for log, name in ((FIFTEEN, "a_logicIndexData.csv"), (SIXTY, "a_summaryData.csv")):
        (place / name).write_text(of_the_app(log))
    return place


def failure(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that fails, and return the line that says why."""
    assert main(list(words)) in (1, 2)
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.splitlines()[-1]


def test_a_diary_is_local_to_the_offset_of_the_files(folder, monkeypatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    Path("diary.csv").write_text("start,end,label\n2026-10-21 09:00,2026-10-21 10:00,work\n")
    command = ["logger/a_summaryData.csv", "--events", "diary.csv"]
    assert main(["daily", *command]) == 0
    heading, _, day, *_ = capsys.readouterr().out.splitlines()
    assert heading.split()[-1] == "Events"
    assert day.split()[-1] == "work"
    assert main(["plot", "timeline", *command, "-o", "a.png"]) == 0


def test_a_diary_of_days_says_which_number_is_the_day(folder, capsys) -> None:
    Path("diary.csv").write_text("date,label\n10.11.2026,office\n")
    command = ["daily", "--json", "logger/a_summaryData.csv", "--events", "diary.csv"]
    assert "pass dayfirst=True (--dayfirst) or dayfirst=False" in failure(capsys, *command)
    assert main([*command, "--dayfirst"]) == 0
    Path("diary.csv").write_text("date,label\n21.10.2026,office\n20.10.2026,home\n")
    capsys.readouterr()
    assert main(command) == 0
    assert [day["events"] for day in json.loads(capsys.readouterr().out)] == ["office"]


@pytest.mark.slow("whole files of two devices are read")
@pytest.mark.parametrize("command", [
    ["daily", "--json"], ["plot", "timeline", "-o", "a.png"]
])  # fmt: skip
def test_files_of_two_devices_need_a_choice(folder, capsys, command: list[str]) -> None:
    late = HOURS[SIXTY].set_axis(HOURS[SIXTY].index + pd.Timedelta("7s"))
    for device, frame in (("CDC000000001", HOURS[SIXTY]), ("CDC000000002", late)):
        path = Path("two") / f"20261021-090000_{device}_summaryData.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(logger_csv(frame, SIXTY))
    said = failure(capsys, *command, "two")
    assert "same time twice, 1.5 h from 2026-10-20 23:59 to 2026-10-21 01:30" in said
    assert "read one device with device='CDC000000001', or pass only the files of one" in said
    assert main([*command, "two", "--device", "CDC000000002"]) == 0
    capsys.readouterr()
    said = failure(capsys, "import", "two", "--account", "anna")
    assert "(account=), or one device (device=); nothing was imported" in said
    assert main(["import", "two", "--account", "anna", "--device", "CDC000000001"]) == 0
    assert "left out" in capsys.readouterr().out


def test_another_wearers_files_are_imported_only_to_replace(folder, home, capsys) -> None:
    names = ("logger/a_summaryData.csv", "b.csv")
    other = HOURS[SIXTY].assign(stp_s=HOURS[SIXTY]["stp_s"] + 1)
    Path(names[1]).write_text(logger_csv(other, SIXTY))
    assert main(["import", names[0]]) == 0
    capsys.readouterr()
    said = failure(capsys, "import", names[1])
    assert "b.csv has other values on 91 of the 91 stamps that 'me' holds" in said
    assert "or pass replace=True; nothing was imported" in said
    assert main(["import", names[1], "--replace"]) == 0
    assert el.Archive().read(SIXTY)["stp_s"].tolist() == other["stp_s"].tolist()


@pytest.mark.filterwarnings("default")
def test_the_same_warning_of_many_files_is_said_once(folder, capsys) -> None:
    for minute in range(20):
        text = f"date,stepCount,isStill,mood\n2026-10-21T11:{minute:02}:00+0900,3,0,5\n"
        (folder / f"{minute}.csv").write_text(text)
    assert main([*DAILY, "logger", "--log", FIFTEEN]) == 0
    assert capsys.readouterr().err.count("unknown fields in log") == 1


def test_files_of_both_logs_ask_which_one(folder, capsys) -> None:
    said = failure(capsys, "daily", "logger")
    assert "several logs: add --log computed_data (15-second log) or standard_mode_logs" in said


def test_an_import_is_found_in_the_default_archive(folder, home, capsys) -> None:
    assert main(["import", "logger", "--account", "taro"]) == 0
    capsys.readouterr()
    assert main([*DAILY, FIFTEEN, "--account", "taro", "--tz", "Asia/Tokyo"]) == 0
    out, err = capsys.readouterr()
    imported = json.loads(out)
    assert err.startswith(f"{FIFTEEN} from the archive {home / 'archive'}, account 'taro': ")
    assert main([*DAILY, "logger", "--log", FIFTEEN]) == 0
    from_files = json.loads(capsys.readouterr().out)
    assert imported[0]["steps"] == from_files[0]["steps"]
    assert "of account 'me': add --account with one that it has (taro)" in failure(
        capsys, "daily", FIFTEEN
    )


def test_without_anything_to_read_the_line_says_what_to_type(home, capsys) -> None:
    said = failure(capsys, "daily", FIFTEEN, "--account", "taro")
    assert "EYELOG_BASE_URL" in said
    assert "`eyelog import FILES --account taro`" in said


def test_the_archive_comes_before_the_service_and_the_service_can_be_asked(
    logged_in, of_ada, home, capsys
) -> None:
    assert main([*DAILY, SIXTY, *RANGE]) == 0
    assert f"from the service {logged_in.url}, account 'me'" in capsys.readouterr().err
    el.Archive().write(SIXTY, el.sample(SIXTY), account="me")
    assert main([*DAILY, SIXTY]) == 0
    assert "from the archive" in capsys.readouterr().err
    assert main([*DAILY, SIXTY, *RANGE, "--offline"]) == 0
    assert "from the cache of the service" in capsys.readouterr().err
    assert main([*DAILY, FIFTEEN, *RANGE]) == 0  # a log that the archive lacks
    assert "from the service" in capsys.readouterr().err
    assert main([*DAILY, SIXTY, *RANGE, *of_ada]) == 0
    assert f"from the archive {logged_in.archive}, account 'ada'" in capsys.readouterr().err


def test_the_service_needs_a_range(logged_in, capsys) -> None:
    assert "the service needs a range" in failure(capsys, "daily", SIXTY)


@pytest.mark.parametrize("log", [FIFTEEN, SIXTY])
def test_a_zone_survives_csv(logged_in, tmp_path, capsys, log: str) -> None:
    path = str(tmp_path / "two.csv")
    assert main(["fetch", log, *RANGE, "-o", path]) == 0
    assert main([*DAILY, log, *RANGE]) == 0
    direct = json.loads(capsys.readouterr().out)
    assert main([*DAILY, path]) == 0
    assert json.loads(capsys.readouterr().out) == direct
    assert direct[0]["day"] == str(DAY)


def test_a_log_is_a_log_even_beside_a_folder_of_that_name(folder, capsys) -> None:
    Path(SIXTY).symlink_to(folder)
    assert f"for the file type ./{SIXTY}" not in failure(capsys, "daily", "nope.csv")
    assert main(["daily", SIXTY]) == 1
    assert f"for the file type ./{SIXTY}" in capsys.readouterr().err
    assert main([*DAILY, f"./{SIXTY}/a_summaryData.csv"]) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give files, or LOG [START END]"),
        (["nope.csv"], "there is no file or folder 'nope.csv'"),
        (["elsewhere", FIFTEEN], "no file or folder 'elsewhere'"),
        (["logger", FIFTEEN], f"no file or folder {FIFTEEN!r}: nothing was read; give files and"),
        (["logger", FIFTEEN, DAY, DAY], "with --log if they have both logs"),
        (["computed"], "(did you mean 'computed_data'?)"),
        (["logger", "21.10.2026", "22.10.2026"], "then days, such as 2026-10-21 2026-10-24"),
        (["logger", "20261021", "20261022"], "then days, such as 2026-10-21 2026-10-24"),
        (["logger/a_logicIndexData.csv", "--log", SIXTY], f"another log: use log='{FIFTEEN}'"),
        ([DAY, DAY], "give files, or LOG [START END]"),
        ([FIFTEEN, DAY], "for one day, give it twice"),
        (["logger", DAY], "for one day, give it twice"),
        ([FIFTEEN, DAY, DAY, "logger"], "no file or folder"),
        ([FIFTEEN, "--log", SIXTY], "leave it out"),
        (["all"], "or one of computed_data, "),
        (["--archive", FIFTEEN], "give files, or LOG [START END]"),
        ([FIFTEEN, "--archive", "x", "--refresh"], "leave one out"),
        (["logger", "--offline"], "not with files"),
        (["logger", "--log", "computed"], "did you mean 'computed_data'"),
        (["logger", "--log", FIFTEEN, "--tz", "Asia/Tokio"], "did you mean 'Asia/Tokyo'"),
        (["logger", "--log", FIFTEEN, "2026-10-22", "2026-10-21"], "starts after it ends"),
    ],
)
def test_words_that_cannot_be_meant_are_answered(folder, capsys, words, says) -> None:
    assert says in failure(capsys, "daily", *words)


@pytest.mark.filterwarnings("default")
def test_a_folder_of_the_app_is_imported_and_its_other_files_are_one_line(tmp_path, capsys) -> None:
    good = logger_csv(el.sample(SIXTY).iloc[:9], SIXTY)
    (tmp_path / "a_summaryData.csv").write_text(good)
    events = "date,type,subType,value\n2026-10-20T10:00:00Z,fastHeadMotion,left,1\n"
    (tmp_path / "a_fastHeadMotion.csv").write_text(events)
    (tmp_path / "a_location.csv").write_text("date,latitude,longitude,altitude,speed\n")
    assert main(["import", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    line = next(line for line in out.splitlines() if "fastHeadMotion" in line)
    assert line.split()[1:3] == ["events", "imported"]
    assert "location" not in out
    assert err.splitlines()[-1] == (
        "left out: 1 file of another kind: 1 with the phone's own positions (location)"
    )
    assert main(["daily", str(tmp_path), "--tz", "UTC"]) == 0
    assert "left out 2 files that cannot be used as a log" in capsys.readouterr().err
    assert main(["import", str(tmp_path / "a_fastHeadMotion.csv")]) == 0
    assert "0 rows were new" in capsys.readouterr().err
