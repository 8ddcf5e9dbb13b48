"""Where records come from, and the tables, figures, reports and citations that commands make."""

import json
import re
import stat
from functools import cache
from html import unescape
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.command import main
from support.commands import DAY, RANGE
from support.loggerfiles import FIFTEEN, HOURS, SIXTY, logger_csv
from support.logs import LOGS

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


def test_the_archive_comes_before_the_service_and_the_service_can_be_asked(
    logged_in, of_ada, home, capsys
) -> None:
    assert main([*DAILY, SIXTY, *RANGE]) == 0
    assert f"from the service {logged_in.url}, account 'me'" in capsys.readouterr().err
    assert "the service needs a range" in failure(capsys, "daily", SIXTY)
    el.Archive().write(SIXTY, el.sample(SIXTY), account="me")
    assert main([*DAILY, SIXTY]) == 0
    assert "from the archive" in capsys.readouterr().err
    assert main([*DAILY, SIXTY, *RANGE, "--offline"]) == 0
    assert "from the cache of the service" in capsys.readouterr().err
    assert main([*DAILY, FIFTEEN, *RANGE]) == 0  # a log that the archive lacks
    assert "from the service" in capsys.readouterr().err
    assert main([*DAILY, SIXTY, *RANGE, *of_ada]) == 0
    assert f"from the archive {logged_in.archive}, account 'ada'" in capsys.readouterr().err


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
        (["logger"], "several logs: add --log computed_data (15-second log) or standard_mode_logs"),
        ([FIFTEEN, "--account", "taro"], "`eyelog import FILES --account taro`, give files"),
        ([FIFTEEN, "--account", "taro"], "or set EYELOG_BASE_URL to ask a service"),
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


@pytest.mark.parametrize("name", ["day.csv", "day.parquet", "answers"])
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
@pytest.mark.filterwarnings("default")
def test_a_fetch_and_an_export_write_the_same_bytes(logged_in, tmp_path, capsys, log, name) -> None:
    assert main(["sync", log, *RANGE]) == 0
    assert main(["fetch", log, *RANGE, "-o", str(tmp_path / "fetched" / name)]) == 0
    assert main(["archive", "export", log, *RANGE, "-o", str(tmp_path / "exported" / name)]) == 0
    made = sorted(path for path in (tmp_path / "fetched").rglob("*") if path.is_file())
    assert made
    for path in made:
        other = tmp_path / "exported" / path.relative_to(tmp_path / "fetched")
        assert path.read_bytes() == other.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    capsys.readouterr()
    assert main([*DAILY, log, *RANGE]) == 0
    direct = json.loads(capsys.readouterr().out)
    assert direct[0]["day"] == DAY
    if name != "answers":  # which have no zone
        assert main([*DAILY, str(tmp_path / "fetched" / name)]) == 0
        assert json.loads(capsys.readouterr().out) == direct
    if name == "day.csv":
        assert main(["fetch", log, *RANGE]) == 0
        assert capsys.readouterr().out.encode() == made[0].read_bytes()


@pytest.mark.slow("a year is simulated")
def test_a_year_of_days_is_rows_that_fit_a_terminal(tmp_path, capsys) -> None:
    frame = el.sample("standard_mode_logs")
    week = pd.Timedelta("7D")
    year = pd.concat([frame.set_axis(frame.index - n * week) for n in range(52)]).sort_index()
    year.to_parquet(tmp_path / "year.parquet")
    assert main(["daily", str(tmp_path / "year.parquet")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(("Mon ", "Sun ")) for line in lines) == 2 * 52
    assert lines[-1].endswith("more columns: --all shows them.")


def test_columns_are_chosen_by_group_or_name_and_all_are_shown(of_ada, capsys) -> None:
    daily = ["daily", "computed_data", *RANGE, *of_ada]
    assert main([*daily, "--columns", "worn_h,steps"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["Day", "Worn", "Steps"]
    assert main([*daily, "--all"]) == 0
    assert "--all" not in capsys.readouterr().out
    assert main([*daily, "--columns", "nope"]) == 1
    assert "no column or group of columns 'nope'" in capsys.readouterr().err
    assert main(["daily", "computed_data", "2026-09-01", "2026-09-02", *of_ada]) == 0
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1]) == ("", "There are no records in this range.")


def test_days_can_start_in_the_evening(tmp_path, capsys) -> None:
    night = el.simulate("2026-10-20", 2, log="standard_mode_logs", tz="UTC")
    file = tmp_path / "night.parquet"
    night.to_parquet(file)
    assert main(["daily", str(file), "--day-starts", "18:00", "--json"]) == 0
    days = json.loads(capsys.readouterr().out)
    assert [day["day"][:10] for day in days] == ["2026-10-19", "2026-10-20", "2026-10-21"]
    assert main(["daily", str(file), "--day-starts", "6pm"]) == 1
    assert "write it as 18:00" in capsys.readouterr().err


def test_a_table_in_a_file_and_the_attrition_as_json_come_together(
    of_ada, tmp_path, capsys
) -> None:
    daily = ["daily", "computed_data", *RANGE, *of_ada, "--attrition", "mind", "--json"]
    assert main(daily) == 0
    printed = json.loads(capsys.readouterr().out)
    assert main([*daily, "-o", str(tmp_path / "days.csv")]) == 0
    assert json.loads(capsys.readouterr().out) == printed
    assert list(printed) == ["days", "attrition"]
    assert (tmp_path / "days.csv").exists()


KINDS = (
    *("overview", "timeline", "day", "quality", "attrition", "heatmap", "daily"),
    *("profile", "rhythm", "distribution", "bouts", "week", "change", "actogram"),
)


@pytest.fixture(scope="module")
def fortnight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plot") / "fortnight.parquet"
    el.simulate("2026-10-12", 14, log="standard_mode_logs", tz="Asia/Tokyo").to_parquet(path)
    return path


def plotted(fortnight: Path, tmp_path: Path, kind: str, *words: str) -> int:
    """Draw into a file, whose bytes show that there is a figure."""
    made = tmp_path / "a.png"
    status = main(["plot", kind, str(fortnight), *words, "-o", str(made)])
    assert made.exists() is (status == 0)
    if status == 0:
        assert made.read_bytes().startswith(b"\x89PNG")
        assert stat.S_IMODE(made.stat().st_mode) == 0o600
        assert list(tmp_path.glob(".*.tmp")) == []
    return status


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_with_the_fields_that_suit_the_log(fortnight, tmp_path, kind) -> None:
    days = ["2026-10-12", "2026-10-13"] if kind in ("day", "timeline") else []
    at = ["--at", "2026-10-19"] if kind == "change" else []
    assert plotted(fortnight, tmp_path, kind, *days, *at) == 0


@pytest.mark.parametrize(
    ("kind", "words", "says"),
    [
        ("quality", ["--field", "bl"], "takes no fields"),
        ("day", ["--field", "bl", "--field", "hm_yo", "--field", "hm_po"], "or two fields, not 3"),
        ("actogram", ["--field", "hm_yo", "--field", "hm_po"], "one field, not 2"),
        ("week", ["--at", "2026-10-19"], "takes no at: leave out --at"),
        ("daily", ["--by", "weekend"], "takes no by: leave out --by"),
        ("profile", ["--by", "weekend"], "takes no by: leave out --by"),
        ("change", ["--by", "events"], "--by events and --events FILE"),
        ("change", ["--events", "{diary}", "--at", "2026-10-19"], "--by events and --events FILE"),
        ("heatmap", ["--at", "2026-10-19", "--events", "{diary}"], "takes no events: leave out"),
        ("change", [], "needs --at DATE or --by COLUMN"),
        ("heatmap", ["--field", "stq"], "stq"),
        ("heatmaps", [], "did you mean 'heatmap'"),
    ],
)
def test_what_a_kind_does_not_take_is_refused(
    fortnight, tmp_path, capsys, kind: str, words: list[str], says: str
) -> None:
    diary = tmp_path / "diary.csv"
    diary.write_text("start,end,label\n2026-10-13 09:00,2026-10-13 17:00,home\n")
    assert plotted(fortnight, tmp_path, kind, *(word.format(diary=diary) for word in words)) > 0
    assert says in capsys.readouterr().err


def test_days_are_compared_by_the_labels_of_a_diary(fortnight, tmp_path) -> None:
    starts = pd.date_range("2026-10-12 09:00", periods=12, freq="D")
    diary = pd.DataFrame({"start": starts, "end": starts + pd.Timedelta("8h")})
    diary["label"] = ["home", "office"] * 6
    diary.to_csv(tmp_path / "diary.csv", index=False)
    more = ["--events", str(tmp_path / "diary.csv"), "--by", "events", "--field", "steps"]
    assert plotted(fortnight, tmp_path, "change", *more) == 0


@pytest.fixture
def both(tmp_path):
    """Return one folder with both logs of a day, as `eyelog fetch` writes them."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for log in ("computed_data", "standard_mode_logs"):
        el.simulate("2025-10-20", 1, log=log, tz="Asia/Tokyo").to_parquet(folder / f"{log}.parquet")
    return folder


def test_files_with_both_logs_are_one_report(both, tmp_path, capsys) -> None:
    out = tmp_path / "report.html"
    assert main(["report", str(both), "--sections", "days,agreement", "-o", str(out)]) == 0
    text = out.read_text()
    assert "60-second log and 15-second log" in text
    assert "Over 1" in text or "h that both logs cover" in text
    size = f"{out.stat().st_size / 1e3:.1f} kB"
    assert f"Report written to {out} ({size}): open it in a browser." in capsys.readouterr().err


def test_an_account_of_the_archive_gives_its_name_or_a_pseudonym(of_ada, tmp_path) -> None:
    out = tmp_path / "report.html"
    command = ["report", "all", *of_ada, "--sections", "trust", "-o", str(out)]
    assert main(command) == 0
    assert "<h1>Eyewear report: ada</h1>" in out.read_text()
    assert main([*command, "--name", "P 7", "--dated", "Sleep study"]) == 0
    text = out.read_text()
    assert "<h1>Eyewear report: P 7</h1>" in text
    assert "Sleep study" in text
    assert "ada" not in text.split("</style>")[1].replace("data:", "").lower().split()


@pytest.fixture
def week(tmp_path):
    path = tmp_path / "week.parquet"
    el.sample("standard_mode_logs").to_parquet(path)
    return str(path)


def printed(capsys, *words: str) -> str:
    assert main(["cite", *words]) == 0
    return capsys.readouterr().out


def test_records_give_the_methods_that_their_report_has(week, tmp_path, capsys) -> None:
    *paragraphs, references = printed(capsys, week).strip().split("\n\n")
    page = el.report(el.read(week), tmp_path / "report.html").read_text()
    page = page.replace("\N{NO-BREAK SPACE}", " ")  # before units, for the eye
    pasted = re.search(r'<div class="paste">(.*?)</div>', page, re.DOTALL)[1]
    *described, brief = [unescape(p) for p in re.findall("<p>(.*?)</p>", pasted)]
    assert described == paragraphs
    sources = brief.removeprefix("References: ").split("; ")
    assert len(sources) == len(references.split("\n"))


def test_sections_choose_the_measures_and_their_references(week, capsys) -> None:
    entries = re.findall(r"@\w+\{(\w+),", printed(capsys, week, "--sections", "eyes", "--bibtex"))
    assert entries == ["eyelog", "garwood1936"]
    assert main(["cite", week, "--sections", "eyez"]) == 1
    assert "did you mean 'eyes'" in capsys.readouterr().err


def test_a_program_reads_paragraphs_and_sources(week, capsys) -> None:
    said = json.loads(printed(capsys, week, "--json"))
    assert len(said["methods"]) == 4
    assert {"eyelog", "thompson1936"} <= {item["id"] for item in said["references"]}


def test_a_field_is_described(capsys) -> None:
    assert main(["fields", "computed_data", "stp", "sc_fcs"]) == 0
    steps, focus, _ = capsys.readouterr().out.split("\n\n")
    assert steps.startswith("stp: Steps. Steps taken in the interval.\n")
    said = " ".join(steps.split())
    assert "min: 0 max: 255 " in said
    assert "long_name: stepCount " in said
    assert "invalid_value: -1 " in " ".join(focus.split())
    assert main(["fields", "computed_data", "cum_time"]) == 0
    assert "max: 4294967296 " in " ".join(capsys.readouterr().out.split())
    assert main(["fields", "computed_data", "stq"]) == 1
    assert "did you mean 'stp'" in capsys.readouterr().err


def listed(text: str) -> list[str]:
    """Return the names of the fields in a list: a line each, whose further lines are indented."""
    lines = [line for line in text.splitlines() if line and not line.startswith((" ", *LOGS))]
    return [line.split()[0] for line in lines]


@pytest.mark.slow("many fields are asked for by command")
def test_a_field_is_found_by_its_name_and_by_its_label(capsys) -> None:
    for log in LOGS:
        for name, row in el.fields(log)[::4].iterrows():
            for asked in (name, row["label"]):
                assert main(["fields", str(asked)]) == 0
                assert name in listed(capsys.readouterr().out), asked


def test_python_finds_fields_as_the_command_does(capsys) -> None:
    assert main(["fields", "cadence", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert el.fields("cadence").index.tolist() == [(row["log"], row["name"]) for row in rows]
    assert el.fields("tl_yav").index.get_level_values("name").unique().tolist() == ["tl_yav"]
    with pytest.raises(el.FieldError, match="did you mean 'cadence'"):
        el.fields("cadense")
    said = failure(capsys, "fields", "cadense")
    assert "no field of a log is about 'cadense' (did you mean 'cadence'?)" in said
    assert main(["fields", "Usable"]) == 0
    assert "valid_h" in capsys.readouterr().out


def test_a_column_of_a_result_is_explained(capsys) -> None:
    assert main(["fields", "worn_h"]) == 0
    text = capsys.readouterr().out
    said = " ".join(text.split())
    assert said.startswith("worn_h: Worn, h per day. Hours in which the eyewear was on the nose")
    assert "worn_h (in weekly): Worn, h per week." in said
    assert max(map(len, text.splitlines())) <= 80
    assert main(["fields", "sc_fcs_mean", "n", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["column"] == "sc_fcs_mean"
    assert {"", "blinks.rate"} <= {row["table"] for row in rows if row["column"] == "n"}
    assert all(row["meaning"] for row in rows)


def test_a_pattern_that_no_shell_has_read_stands_for_the_files_that_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = el.sample("standard_mode_logs")
    for name, part in (("b.csv", frame[:9]), ("a.csv", frame[9:12]), ("[d].csv", frame[12:20])):
        part.rename_axis("date").to_csv(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for pattern in ("*.csv", tmp_path / "*.csv"):
        assert len(el.read(pattern)) == 20
    assert len(el.read("[d].csv")) == 8  # what exists is no pattern
    for nothing in ("*.json", "a**b"):
        with pytest.raises(el.ConfigurationError, match="no file or folder"):
            el.read(nothing)


def test_glance_with_sections_is_refused_before_records_are_read(tmp_path, capsys) -> None:
    command = ["report", str(tmp_path), "--glance", "--sections", "days"]
    assert main([*command, "-o", str(tmp_path / "r.html")]) == 1
    assert "leave out sections= or glance=" in capsys.readouterr().err
