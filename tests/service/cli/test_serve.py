"""serve, service, simulate: a wearer is simulated, served and fetched by commands alone."""

import json
import os
import signal
import subprocess
import sys

import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import LOGS
from support.command import main
from support.commands import DAY, RANGE

CALLBACK = ["--redirect-uri", "http://127.0.0.1/cb"]


@pytest.mark.slow("commands and a service run")
def test_a_wearer_is_simulated_served_and_logged_in_by_commands_alone(tmp_path, capsys) -> None:
    archive = ["--archive", str(tmp_path / "archive")]
    wearer = ["--account", "ada", "--start", DAY, "--days", "1", "--seed", "1"]
    assert main(["simulate", *archive, *wearer, "--tz", "Asia/Tokyo"]) == 0
    assert main(["service", "add-account", *archive, "ada"]) == 0
    assert main(["service", "add-application", *archive, *CALLBACK, "--json"]) == 0
    application = json.loads(capsys.readouterr().out)
    assert set(application) == {"client_id", "client_secret", "redirect_uri", "name"}
    client = ["--client-id", application["client_id"], *CALLBACK]
    assert main(["service", "issue-code", *archive, "--account", "ada", *client]) == 0
    code = capsys.readouterr().out.strip()
    served = subprocess.Popen(
        [sys.executable, "-m", "eyelog", "serve", *archive, "--port", "0"],
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
        served.send_signal(signal.SIGINT)  # Ctrl-C is how it is meant to end
        served.communicate(timeout=20)
    assert served.returncode == 0


def test_a_simulated_wearer_never_mixes_with_other_records(home, capsys) -> None:
    wearer = ["simulate", "--start", DAY, "--days", "1"]
    for _ in range(2):  # again, it is the same wearer
        assert main(wearer) == 0
        assert f"1440 records of 'me' in {home / 'archive'}" in capsys.readouterr().err
    assert main([*wearer, "--seed", "7"]) == 1
    assert "give the simulated wearer an --account of its own" in capsys.readouterr().err
    assert main([*wearer, "--seed", "7", "--account", "ben"]) == 0


@pytest.mark.parametrize("log", LOGS)
def test_a_simulated_wearer_is_not_written_beside_a_few_real_records(home, capsys, log) -> None:
    archive = el.Archive(home / "archive")
    real = el.simulate(DAY, 1, log=log, seed=7).iloc[100:110].shift(freq="7s")
    archive.write(log, real, account="me")
    before = archive.inventory()
    assert main(["simulate", "--start", DAY, "--days", "1"]) == 1
    message = capsys.readouterr().err
    assert "give the simulated wearer an --account of its own" in message
    assert message.count("\n") == 1
    pd.testing.assert_frame_equal(archive.inventory(), before)


def test_an_archive_on_an_object_store_needs_a_folder_for_the_state_and_the_message_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serve", "--archive", "s3://bucket/archive"]) == 1
    assert capsys.readouterr().err == (
        "eyelog: error: the archive s3://bucket/archive is not a folder of this machine: name one"
        " for the service's state with --state\n"
    )
