"""Import, sync, archive and accounts: tables on stdout, reasons on stderr, a status."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support import faulty, live
from support.command import main
from support.fetching import save_token
from support.loggerfiles import FIFTEEN, SIXTY, logger_csv, zipped
from support.logs import LOGS
from support.paged import Paged
from support.paths import DATASETS
from support.records import records

START, END = "2024-03-01", "2024-03-03"


RANGE = [START, END, "--account", "ada", "--tz", "Asia/Tokyo"]


FILES = [str(path) for path in sorted(DATASETS.glob("2026*.csv"))]


@pytest.fixture
def imported(capsys) -> None:
    assert main(["import", *FILES, "--account", "ada"]) == 0
    capsys.readouterr()


def test_a_second_import_adds_nothing_new(imported, capsys) -> None:
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


def test_a_refused_file_is_named_and_the_exit_status_is_one(tmp_path, capsys) -> None:
    good = logger_csv(el.sample(SIXTY).iloc[:9], SIXTY)
    box = tmp_path / "session.zip"
    box.write_bytes(zipped({"a_summaryData.csv": good, "b.csv": "//ARTIFACT,NUM,DATE,EOG_L\n"}))
    assert main(["import", str(box), "--archive", str(tmp_path / "here")]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-2] == (
        f"refused {box}: b.csv: it has raw EOG and motion data of the academic edition"
    )
    assert err[-1] == "eyelog: error: 1 of 2 files were refused (the others are imported)"
    stored = el.Archive(tmp_path / "here").read(SIXTY, "2026-10-01", "2026-10-31")
    assert len(stored) == 9


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nope.csv"], "there is no file or folder nope.csv"),
        (["{empty}"], "these paths contain no file"),
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


@pytest.mark.filterwarnings("default")
def test_a_damaged_month_is_repaired_and_what_to_get_again_is_listed(
    imported, home, capsys
) -> None:
    assert main(["archive", "verify"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"No damage found in the archive {home / 'archive'}.\n")
    path = next((home / "archive").rglob(f"log={SIXTY}/**/*.parquet"))
    path.write_bytes(path.read_bytes()[:-100])
    assert main(["archive", "verify"]) == 1
    out, err = capsys.readouterr()
    assert "2026-10" in out
    assert err.splitlines()[-1].startswith("eyelog: error: 1 problem found")
    assert main(["archive", "list"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[2].split()[:2] == ["ada", FIFTEEN]
    assert "1 damaged month in the archive" in err.splitlines()[-1]
    assert main(["archive", "repair"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].startswith(f"{SIXTY} of 'ada', 2026-10: ")
    assert "sync again nothing import again 2026-10-01 to 2026-10-31" in " ".join(out.split())
    (aside,) = (Path(word) for word in out.split() if word.endswith(".parquet"))
    assert aside.is_relative_to(home / "archive" / ".damaged")
    assert main(["import", *FILES, "--account", "ada"]) == 0
    assert main(["archive", "verify"]) == 0
    capsys.readouterr()
    path.write_bytes(b"PAR1")
    assert main(["archive", "repair", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["account"], row["log"], row["month"]) for row in rows] == [
        ("ada", SIXTY, "2026-10")
    ]
    assert rows[0]["import_again"] == "2026-10-01 to 2026-10-31"
    assert main(["archive", "repair"]) == 0
    assert capsys.readouterr().err.endswith("nothing was changed.\n")


def test_whose_rows_they_are_is_chosen_or_split(tmp_path, home, capsys) -> None:
    rows = [f"{name},2026-10-21T00:00:15Z,{at}" for at, name in enumerate(("ada", "bob"))]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(["user_id,date,stp", *rows]))
    assert main(["import", str(path)]) == 1
    err = capsys.readouterr().err
    assert "'user_id' is 'ada', 'bob'" in err
    assert "choose one with wearer=" in err
    assert not (home / "archive").exists()
    assert main(["import", str(path), "--wearer", "bob", "--account", "her"]) == 0
    assert "1 row was new to account 'her'" in capsys.readouterr().err
    assert main(["import", str(path), "--split-wearers"]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[-3] for line in out.splitlines()] == ["Account", "ada", "bob"]
    assert "2 rows were new to 2 accounts" in err
    assert el.Archive(home / "archive").accounts() == ["ada", "bob", "her"]


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


def test_an_export_of_a_missing_account_is_one_line(imported, tmp_path, capsys) -> None:
    day = "2026-10-21"
    assert main(["archive", "export", SIXTY, day, day, "-o", str(tmp_path / "x.csv")]) == 1
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "no account 'me'" in err


@pytest.mark.slow("processes race")
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


# Sync
@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Live]:
    frames = [
        records(live.COMPUTED, f"{START} 09:00", 1000, tz="Asia/Tokyo"),
        records(live.STANDARD, f"{START} 09:00", 1000, tz="Asia/Tokyo"),
    ]
    folder = tmp_path_factory.mktemp("served") / "archive"
    with live.service(folder, {"ada": frames}) as running:
        yield running


@pytest.fixture
def logged_in(there: live.Live, monkeypatch: pytest.MonkeyPatch) -> live.Live:
    monkeypatch.setenv("EYELOG_BASE_URL", there.url)
    monkeypatch.setenv("EYELOG_CLIENT_ID", there.client_id)
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", there.client_secret)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", there.redirect_uri)
    assert main(["login", "--account", "ada", "--code", there.code("ada")]) == 0
    return there


@pytest.fixture
def shaky(monkeypatch: pytest.MonkeyPatch) -> Iterator[faulty.Server]:
    with faulty.server(Paged(size=50)) as server:
        monkeypatch.setenv("EYELOG_BASE_URL", server.url)
        monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "a-token-of-the-environment")
        yield server


def test_json_lists_every_day_and_another_archive_can_be_named(logged_in, tmp_path, capsys) -> None:
    capsys.readouterr()
    place = ["--archive", str(tmp_path / "mine"), "--json"]
    for state, asked in (("fetched", True), ("unchanged", False)):
        assert main(["sync", "standard_mode_logs", *RANGE, *place]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert [row["day"] for row in rows] == [START, "2024-03-02", END]
        assert {(row["log"], row["removed"]) for row in rows} == {("standard_mode_logs", 0)}
        assert [row["state"] for row in rows] == [state, state, "empty"]
        assert [row["asked"] for row in rows] == [asked, asked, state == "fetched"]
    assert el.Archive(tmp_path / "mine").accounts() == ["ada"]


def test_a_service_that_is_gone_is_reported_in_few_lines(shaky, capsys) -> None:
    shaky.script = lambda _: faulty.error(404, "not_found")
    assert main(["sync", "standard_mode_logs", START, "2024-12-31"]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].split()[:3] == ["standard_mode_logs", "306", "306"]
    lines = shown.err.splitlines()
    assert len(lines) == 10 + 2
    assert lines[10] == "... and 296 more days (--json lists them all)"
    assert shaky.count() < 16


def test_a_refused_token_stops_the_sync_at_once(shaky, capsys) -> None:
    shaky.script = lambda _: faulty.error(401, "invalid_token")
    assert main(["sync", "all", START, "2024-04-30"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    stopped, error = shown.err.splitlines()
    assert stopped == "Stopped: every other day would fail too. The days before are kept."
    assert "eyelog login" in error
    assert "a-token" not in shown.err
    assert shaky.count() <= 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sync", "computed", START, END], "did you mean 'computed_data'"),
        (["sync", "all", END, START], "starts after it ends"),
        (["sync", "all", START, END, "--tz", "Asia/Tokio"], "Asia/Tokyo"),
        (["sync", "all", "2024-02-30", END], "not a day"),
        (["sync", "all", START, END, "--archive", "nosuch://x"], "archive's path"),
        (["archive", "list", "--archive", "none"], "there is no archive"),
        (["archive", "verify", "--archive", "none"], "there is no archive"),
        (["archive", "repair", "--archive", "none"], "there is no archive"),
    ],
)
def test_what_cannot_be_done_is_one_line_that_says_why(
    shaky, home, capsys, arguments, says
) -> None:
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert shaky.count() == 0
    assert not (home / "archive").exists()


def test_a_sync_writes_under_the_name_of_the_account(shaky, home, capsys) -> None:
    assert main(["sync", "standard_mode_logs", START, END, "--account", "ben"]) == 0
    assert el.Archive(home / "archive").accounts() == ["ben"]


LOG = "standard_mode_logs"


@pytest.fixture
def trip(tmp_path: Path) -> Path:
    path = tmp_path / "trip.csv"
    path.write_text("from,tz\n,Asia/Tokyo\n2026-10-22,America/New_York\n")
    return path


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """Three days of a wearer in Tokyo, with dates that have no offset."""
    frame = el.simulate("2026-10-20", 3, log=LOG, tz="Asia/Tokyo")
    path = tmp_path / "20261020-000000_CDC000000001_summaryData.csv"
    frame.tz_localize(None).reset_index().to_csv(path, index=False)
    return path


def days(capsys, *words: str) -> list[str]:
    """Return the days of `eyelog daily`, and check that stderr has no traceback."""
    capsys.readouterr()
    assert main(["daily", LOG, "--json", *words]) == 0
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return [row["day"][:10] for row in json.loads(out)]


@pytest.mark.filterwarnings("default")
def test_an_import_in_another_zone_leaves_the_zone_and_says_so(exported, capsys) -> None:
    el.Archive().set_zones("Asia/Seoul")
    assert main(["import", str(exported), "--tz", "Asia/Tokyo"]) == 0
    assert "knows account 'me' in Asia/Seoul, which stays as it is" in capsys.readouterr().err
    assert el.Archive().zones() == el.Zones("Asia/Seoul")


def test_an_import_takes_the_zones_that_the_files_show(tmp_path, trip) -> None:
    source = el.Archive(tmp_path / "source")
    source.write(LOG, el.simulate("2026-10-20", 4, log=LOG, tz=trip), account="me")
    source.set_zones(trip)
    (path,) = source.export(LOG, "2026-10-20", "2026-10-23", tmp_path / "all.csv")
    assert main(["import", str(path), "--tz", "file"]) == 0
    zones = el.Archive().zones()
    assert str(zones) == "UTC+09:00, UTC-04:00"
    there = source.read(LOG, "2026-10-20", "2026-10-23")
    assert zones.offset_min(there.index).tolist() == there["utc_offset_min"].tolist()


@pytest.mark.filterwarnings("default")
def test_without_a_zone_the_command_says_once_how_to_set_it(exported, capsys, monkeypatch) -> None:
    assert main(["import", str(exported), "--tz", "Asia/Tokyo", "--dry-run"]) == 0
    frame = el.simulate("2026-10-20", 1, log=LOG)
    el.Archive().write(LOG, frame, account="me")
    el.Archive().write("computed_data", el.simulate("2026-10-20", 1), account="me")
    monkeypatch.delenv("EYELOG_TZ")
    capsys.readouterr()
    assert main(["report", "-o", str(exported.with_suffix(".html"))]) == 0
    err = capsys.readouterr().err
    assert err.count("no zone is known for account 'me': days are UTC days") == 1
    assert "`eyelog archive set-zone me Asia/Tokyo`" in err
    monkeypatch.setenv("EYELOG_TZ", "Asia/Tokyo")
    capsys.readouterr()
    assert main(["daily", LOG]) == 0
    assert "no zone" not in capsys.readouterr().err


def test_set_zone_sets_adds_and_shows(capsys, trip) -> None:
    assert main(["archive", "set-zone", "anna", "Asia/Tokyo"]) == 0
    assert main(["archive", "set-zone", "anna", "America/New_York", "--from", "2026-10-22"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "2026-10-22  America/New_York"
    assert "has no records of 'anna' yet" in err
    assert el.Archive().zones("anna") == el.Zones(trip)
    assert main(["archive", "set-zone", "anna", str(trip)]) == 0
    assert main(["archive", "set-zone", "anna", "Asia/Seoul"]) == 0
    assert el.Archive().zones("anna") == el.Zones("Asia/Seoul")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["archive", "set-zone", "anna", "Berlin"], "did you mean 'Europe/Berlin'?"),
        (["archive", "set-zone", "anna", "UTC", "--from", "22.10.2026"], "is not a day"),
        (["archive", "set-zone", "anna", "nowhere.csv"], "cannot read the zones in nowhere.csv"),
        (["archive", "set-zone", "anna", "file"], "give the zone"),
        (["simulate", "--start", "2026-10-20", "--days", "1", "--tz", "file"], "give the zone"),
        (["daily", LOG, "--tz", "file"], "give the zone, such as tz='Asia/Tokyo'"),
    ],
)
def test_a_zone_that_cannot_be_used_is_an_error_of_one_line(words, message, capsys) -> None:
    el.Archive().write(LOG, el.simulate("2026-10-20", 1, log=LOG), account="me")
    assert main(words) == 1
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_simulated_wearer_keeps_the_zones_and_travels(trip, capsys) -> None:
    start = ["simulate", "--start", "2026-10-20", "--days", "4"]
    assert main([*start, "--tz", str(trip)]) == 0
    assert el.Archive().zones() == el.Zones(trip)
    assert "utc_offset_min" in el.Archive().read(LOG)
    capsys.readouterr()
    assert main([*start, "--tz", "Asia/Tokyo"]) == 1
    assert "lives in Asia/Tokyo, America/New_York" in capsys.readouterr().err


def test_the_inventory_as_json_has_the_zone(capsys) -> None:
    assert main(["simulate", "--start", "2026-10-20", "--days", "1", "--tz", "Asia/Tokyo"]) == 0
    capsys.readouterr()
    assert main(["archive", "list", "--json"]) == 0
    assert {row["tz"] for row in json.loads(capsys.readouterr().out)} == {"Asia/Tokyo"}


def test_a_range_of_files_is_of_the_wearers_clock(tmp_path, trip, capsys) -> None:
    path = tmp_path / "trip.parquet"
    el.simulate("2026-10-20", 4, log=LOG, tz=trip).to_parquet(path)
    capsys.readouterr()
    assert main(["daily", str(path), "2026-10-23", "2026-10-23", "--tz", str(trip)]) == 0
    err = capsys.readouterr().err
    assert "2026-10-23 to 2026-10-23. Days follow the wearer's clock" in err
    records = pd.read_parquet(path)
    local = records.index.tz_convert("America/New_York")
    inside = (local >= "2026-10-23 00:00") & (local < "2026-10-24 00:00")
    assert f"{int(inside.sum()):,} records" in err


def test_the_days_of_a_traveller_are_shown_on_the_wearers_clock(trip, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["simulate", "--start", "2026-10-20", "--days", "4", "--tz", str(trip)]) == 0
    capsys.readouterr()
    assert main(["daily", LOG]) == 0
    out, err = capsys.readouterr()
    out = out.splitlines()
    assert err.splitlines()[-1] == "Times are those of the wearer's clock, whose zone changes."
    table = el.daily(el.Archive().read(LOG))
    home = table["last_worn"].dt.strftime("%H:%M").tolist()
    away = table["last_worn"].dt.tz_convert("America/New_York").dt.strftime("%H:%M").tolist()
    shown = [line.split()[7] for line in out[2:6]]
    assert shown == [*home[:2], *away[2:]]
    assert main(["daily", LOG, "--json"]) == 0
    (*_, last) = json.loads(capsys.readouterr().out)
    assert last["last_worn"].endswith("+09:00")  # for programs: instants, with their offset


def test_the_command_of_the_archive_points_to_the_service(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = records(LOGS[1], "2026-10-20", 50)
    el.Archive(tmp_path / "archive").write(LOGS[1], frame, account="anna")
    save_token(home, "anna", "http://there", el.Token("access", "refresh"))
    words = ["archive", "erase", "anna", "--archive", str(tmp_path / "archive")]
    assert main([*words, "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert "would remove: month, " in out
    assert "Dry run: nothing was changed." in err
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "removed: token, " in out
    assert "not reached: a service of this archive: eyelog service erase" in out
    assert main(words) == 0
    assert "Nothing of account 'anna' was found." in capsys.readouterr().err


@pytest.mark.parametrize("room", ["archive", "service"])
def test_the_archive_at_home_that_was_not_named_is_said_with_the_command_to_type(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str], room: str
) -> None:
    frame = records(LOGS[1], "2026-10-20", 50)
    for folder in (tmp_path / "logs", home / "archive"):
        el.Archive(folder).write(LOGS[1], frame, account="p 1")
    command = f"eyelog archive erase --archive {home / 'archive'} -- 'p 1'"
    assert main([room, "erase", "p 1", "--archive", str(tmp_path / "logs"), "--json"]) == 0
    said = [text for text in json.loads(capsys.readouterr().out)["not_reached"] if command in text]
    assert said == [f"the archive of EYELOG_HOME, which has the account too: {command}"]
    assert el.Archive(home / "archive").accounts() == ["p 1"]
    (tmp_path / "home-archive").symlink_to(home / "archive")
    for more in (["--dry-run"], []):
        assert main([room, "erase", "p 1", "--archive", str(tmp_path / "home-archive"), *more]) == 0
        assert "the archive of EYELOG_HOME" not in capsys.readouterr().out
    assert main(shlex.split(command)[1:]) == 0
    assert "the archive of EYELOG_HOME" not in capsys.readouterr().out


def test_an_empty_archive_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", "list", "--archive", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", f"The archive {tmp_path} is empty.\n")
