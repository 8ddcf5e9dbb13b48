"""The command line on a real service: tables to stdout, one line and exit 1 where it fails."""

import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

import eyelog as el
from eyelog.cli import main
from support import live

DAY = "2025-10-20"
RANGE = [DAY, DAY, "--tz", "Asia/Tokyo"]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Live]:
    folder = tmp_path_factory.mktemp("served")
    frames = [
        el.simulate(DAY, 1, log=log, tz="Asia/Tokyo") for log in (live.COMPUTED, live.STANDARD)
    ]
    with live.service(folder / "archive", {"ada": frames}) as found:
        yield found


@pytest.fixture
def logged_in(there: live.Live, monkeypatch: pytest.MonkeyPatch) -> live.Live:
    monkeypatch.setenv("EYELOG_BASE_URL", there.url)
    monkeypatch.setenv("EYELOG_CLIENT_ID", there.client_id)
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", there.client_secret)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", there.redirect_uri)
    assert main(["login", "--code", there.code("ada")]) == 0
    return there


def test_a_fetch_prints_the_records_as_csv(logged_in, capsys) -> None:
    assert main(["fetch", "standard_mode_logs", *RANGE, "--fields", "bl,wea_s"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "date,wea_s,bl"
    assert len(lines) == 1440


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_fetched_file_gives_the_same_summary_as_the_service(
    logged_in, tmp_path, capsys, ending
) -> None:
    path = tmp_path / f"day.{ending}"
    assert main(["fetch", "computed_data", *RANGE, "-o", str(path)]) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    capsys.readouterr()
    assert main(["daily", "computed_data", *RANGE, "--json"]) == 0
    direct = json.loads(capsys.readouterr().out)
    assert main(["daily", "computed_data", *RANGE, "--json", "--input", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == direct
    assert direct[0]["day"] == "2025-10-20T00:00:00+09:00"


def test_what_was_fetched_is_there_offline(logged_in, capsys) -> None:
    fetch = ["fetch", "standard_mode_logs", *RANGE, "--fields", "bl"]
    assert main(fetch) == 0
    online = capsys.readouterr().out
    assert main([*fetch, "--offline"]) == 0
    assert capsys.readouterr().out == online
    assert main(["fetch", "standard_mode_logs", "2025-10-19", "2025-10-19", "--offline"]) == 1
    error = capsys.readouterr().err
    assert "2025-10-19" in error
    assert error.count("\n") == 1


def test_a_second_login_says_whose_cached_days_are_kept(logged_in, capsys) -> None:
    main(["fetch", "standard_mode_logs", *RANGE, "--fields", "bl"])
    capsys.readouterr()
    assert main(["login", "--code", logged_in.code("ada")]) == 0
    assert "cache clear --account me" in capsys.readouterr().err


def test_the_cache_can_be_seen_and_cleared(logged_in, capsys) -> None:
    main(["fetch", "standard_mode_logs", *RANGE])
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["days"] == 1
    assert main(["cache", "clear"]) == 0
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize("figure", ["timeline", "quality", "heatmap", "daily"])
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_each_figure_is_drawn_of_either_log(there, tmp_path, figure, log) -> None:
    path = tmp_path / f"{figure}.png"
    source = ["--archive", str(there.archive), "--account", "ada"]
    assert main(["plot", figure, log, *RANGE, *source, "-o", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.glob(".*.tmp")) == []


def test_the_attrition_follows_the_summary(there, capsys) -> None:
    source = ["--archive", str(there.archive), "--account", "ada"]
    assert main(["daily", "standard_mode_logs", *RANGE, *source, "--attrition", "trend"]) == 0
    assert "worn at least 20 s" in capsys.readouterr().out


def test_the_summary_and_the_attrition_are_one_json_document(there, capsys) -> None:
    source = ["--archive", str(there.archive), "--account", "ada"]
    assert main(["daily", "computed_data", *RANGE, *source, "--attrition", "mind", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [day["day"] for day in found["days"]] == ["2025-10-20T00:00:00+09:00"]
    assert found["attrition"][0]["condition"] == "recorded"


def test_a_range_without_records_is_said_in_a_sentence(there, capsys) -> None:
    source = ["--archive", str(there.archive), "--account", "ada"]
    assert main(["daily", "computed_data", "2026-09-01", "2026-09-02", *source]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith("There are no records in this range.\n")


def test_a_full_disk_is_said_with_the_file(there, capsys, monkeypatch, tmp_path) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    source = ["--archive", str(there.archive), "--account", "ada"]
    path = tmp_path / "days.csv"
    assert main(["daily", "computed_data", *RANGE, *source, "-o", str(path)]) == 1
    error = capsys.readouterr().err
    assert f"cannot write {path}: No space left on device" in error
    assert list(tmp_path.iterdir()) == []


def test_a_logout_ends_the_token(logged_in, capsys) -> None:
    assert main(["logout"]) == 0
    capsys.readouterr()
    assert main(["fetch", "standard_mode_logs", *RANGE, "--refresh"]) == 1
    assert "eyelog login" in capsys.readouterr().err


def test_no_token_or_secret_stands_anywhere_but_in_the_token_file(logged_in, home, capsys) -> None:
    main(["fetch", "computed_data", *RANGE])
    main(["fetch", "standard_mode_logs", *RANGE, "--refresh"])
    shown = capsys.readouterr()
    kept = [path for path in home.rglob("*") if path.is_file()]
    tokens = [path for path in kept if b"access_token" in path.read_bytes()]
    assert len(tokens) == 1
    words = json.loads(tokens[0].read_bytes())
    secrets = {words["access_token"], words["refresh_token"], logged_in.client_secret}
    for secret in secrets:
        holders = [path for path in kept if secret.encode() in path.read_bytes()]
        assert holders in ([], tokens)
        assert secret not in shown.out + shown.err
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept)


FAILURES = {
    "no such log": (["fields", "computed"], "did you mean 'computed_data'"),
    "no such zone": (["daily", "computed_data", DAY, DAY, "--tz", "Asia/Tokio"], "Asia/Tokyo"),
    "no such field": (["fetch", "computed_data", *RANGE, "--fields", "stq"], "'stp'"),
    "no such day": (["fetch", "computed_data", "2026-02-30", DAY], "not a day"),
    "start after end": (["fetch", "computed_data", DAY, "2025-10-19"], "starts after it ends"),
    "no such file": (["daily", "computed_data", *RANGE, "--input", "none.csv"], "no file"),
    "no table": (["daily", "computed_data", *RANGE, "--input", "other.csv"], "not a table"),
    "no figure of that": (
        ["plot", "timeline", "computed_data", *RANGE, "--field", "stq", "-o", "x.png"],
        "'stp'",
    ),
    "no choice of fields": (
        ["plot", "quality", "computed_data", *RANGE, "--field", "stp", "-o", "x.png"],
        "leave out --field",
    ),
    "a field that the file lacks": (
        [
            *[
                "plot",
                "heatmap",
                "--input",
                "few.csv",
                "--field",
                "cad",
                "-o",
                "x.png",
                "computed_data",
            ],
            *RANGE,
        ],
        "needs 'cad'",
    ),
    "a folder in the way": (
        ["fetch", "computed_data", *RANGE, "-o", "a.csv"],
        "cannot write a.csv",
    ),
    "no such archive": (["daily", "computed_data", *RANGE, "--archive", "none"], "none"),
    "no such ending": (["fetch", "computed_data", *RANGE, "-o", "x.xlsx"], ".parquet or .csv"),
    "days below one": (["simulate", "a", "--start", DAY, "--days", "0"], "days"),
    "nothing to serve": (["serve", "none"], "none"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_is_one_line_that_says_why(
    logged_in, capsys, monkeypatch, tmp_path, case
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.csv").write_text('{"client_id": "x"}\n')
    Path("few.csv").write_text("date,stp\n2025-10-20T10:00:00+09:00,3\n")
    Path("a.csv").mkdir()
    arguments, says = FAILURES[case]
    capsys.readouterr()
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("eyelog: error: ")
    assert says in error


def test_without_settings_a_fetch_says_which_are_missing(capsys) -> None:
    assert main(["fetch", "computed_data", DAY, DAY]) == 1
    assert "EYELOG_BASE_URL" in capsys.readouterr().err


def test_a_service_that_is_gone_is_said_in_one_line(capsys, monkeypatch) -> None:
    monkeypatch.setenv("EYELOG_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "a-token-of-the-environment")
    assert main(["fetch", "computed_data", DAY, DAY]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "127.0.0.1:9" in error
    assert "a-token" not in error


def test_a_wearer_is_simulated_served_and_logged_in_by_commands_alone(tmp_path, capsys) -> None:
    archive = str(tmp_path / "archive")
    start = ["--account", "ada", "--start", DAY, "--days", "1", "--seed", "1", "--tz", "Asia/Tokyo"]
    assert main(["simulate", archive, *start]) == 0
    assert main(["service", "add-account", archive, "ada"]) == 0
    assert (
        main(
            [
                "service",
                "add-application",
                archive,
                "--redirect-uri",
                "http://127.0.0.1/cb",
                "--json",
            ]
        )
        == 0
    )
    application = json.loads(capsys.readouterr().out)
    assert set(application) == {"client_id", "client_secret", "redirect_uri"}
    client = ["--client-id", application["client_id"], "--redirect-uri", "http://127.0.0.1/cb"]
    assert main(["service", "issue-code", archive, "--account", "ada", *client]) == 0
    code = capsys.readouterr().out.strip()
    served = subprocess.Popen(
        [sys.executable, "-m", "eyelog", "serve", archive, "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert served.stderr is not None
        address = next(word for word in served.stderr.readline().split() if word.startswith("http"))
        environment = os.environ | {
            "EYELOG_BASE_URL": address.rstrip("."),
            "EYELOG_CLIENT_ID": application["client_id"],
            "EYELOG_CLIENT_SECRET": application["client_secret"],
            "EYELOG_REDIRECT_URI": application["redirect_uri"],
        }

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-m", "eyelog", *arguments],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )

        assert run("login", "--account", "ada", "--code", code).returncode == 0
        fetched = run("fetch", "standard_mode_logs", *RANGE, "--account", "ada", "--fields", "bl")
        assert fetched.returncode == 0, fetched.stderr
        assert len(fetched.stdout.splitlines()) == 1440
        again = run("login", "--account", "ada", "--code", code)
        assert (again.returncode, again.stderr.count("\n")) == (1, 1)
    finally:
        served.terminate()
        served.communicate(timeout=20)
    assert served.returncode == 0


def test_a_reader_that_stops_early_is_no_failure(there) -> None:
    command = (
        f"{sys.executable} -m eyelog fields computed_data --json | head -1; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_usage_has_an_exit_status_of_its_own(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["fetch"])
    assert stop.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_every_command_has_help(capsys) -> None:
    for command in [
        "demo",
        "login",
        "logout",
        "cache",
        "fetch",
        "daily",
        "plot",
        "fields",
        "serve",
        "service",
        "simulate",
    ]:
        with pytest.raises(SystemExit) as stop:
            main([command, "--help"])
        assert stop.value.code == 0
        assert len(capsys.readouterr().out) > 80


def test_the_catalogue_is_shown_whole(capsys) -> None:
    assert main(["fields", "standard_mode_logs", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 46
    assert rows[1]["name"] == "val_s"


def test_the_demo_runs_the_main_job(tmp_path: Path, capsys, monkeypatch) -> None:
    # Days in the future are not asked for: the demo's must be past on a clock that is slow, too.
    class Slow(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime(2026, 1, 1, tzinfo=tz)

    monkeypatch.setattr("eyelog.access.days.datetime", Slow)
    assert main(["demo", "--output", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    for part in ("Logged in through OAuth", "attrition", "blink_rate_per_min", "heatmap-"):
        assert part in text
    assert len(list((tmp_path / "out").glob("*.png"))) == 8
    assert len(list((tmp_path / "out").glob("*.csv"))) == 2


def test_a_file_knows_the_zone_of_its_days(logged_in, tmp_path, capsys) -> None:
    path = str(tmp_path / "day.parquet")
    assert main(["fetch", "standard_mode_logs", *RANGE, "-o", path]) == 0
    capsys.readouterr()
    assert main(["daily", "standard_mode_logs", DAY, DAY, "--json", "--input", path]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)[0]["day"] == "2025-10-20T00:00:00+09:00"
    assert "days are those of Asia/Tokyo" in shown.err


def test_a_file_of_the_other_log_is_said_to_be_that(logged_in, tmp_path, capsys) -> None:
    path = str(tmp_path / "day.parquet")
    assert main(["fetch", "standard_mode_logs", *RANGE, "-o", path]) == 0
    capsys.readouterr()
    assert main(["daily", "computed_data", *RANGE, "--input", path]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "standard_mode_logs" in error
