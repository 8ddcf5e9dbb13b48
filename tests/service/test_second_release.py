"""An archive and a state of eyelog 0.2.0 go on in today's service: nothing is lost or revived."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import requests

import eyelog as el
from eyelog.archive.intake import import_files
from eyelog_service.app import running
from eyelog_service.grants import Registry
from eyelog_service.state import VERSION, version_of
from support.command import main
from support.logs import LOGS
from support.second_release import SecondRelease, second_release

FROM, TO = "2026-10-31T00:00:00+09:00", "2026-10-31T23:59:59+09:00"


@pytest.fixture
def old(tmp_path: Path) -> SecondRelease:
    return second_release(tmp_path)


def get(url: str, log: str, token: str) -> requests.Response:
    return requests.get(
        f"{url}/v2/users/me/official/{log}",
        params={"date_from": FROM, "date_to": TO},
        headers={"Authorization": f"Bearer {token}"},
        timeout=30,
    )


def test_its_tokens_read_the_same_records_as_before(old: SecondRelease) -> None:
    anna = old.known["tokens"]["Anna"]["access_token"]
    with running(old.logs, state=old.state) as url:
        for log in LOGS:
            answer = get(url, log, anna)
            assert answer.status_code == 200
            assert answer.json()[log] == old.known["answers"][log][log]
        revoked = get(url, LOGS[0], old.known["revoked"]["access_token"])
    assert revoked.status_code == 401


def test_its_tokens_are_refreshed_and_passwords_log_in(old: SecondRelease) -> None:
    registry = Registry(old.logs, old.state)
    client_id = old.known["client_id"]
    assert registry.applications.check_secret(client_id, old.known["client_secret"])
    for name, tokens in old.known["tokens"].items():
        registry.grants.refresh(tokens["refresh_token"], client_id)
        assert registry.accounts.check_login(name, old.known["passwords"][name])
    assert not registry.accounts.check_login("gone", "left in the meantime")
    by_name = {one.name: one for one in registry.accounts.all()}
    assert sorted(by_name) == ["Anna", "bea", "cyd", "gone"]
    assert by_name["gone"].disabled
    assert {one.study for one in by_name.values()} == {""}


def test_its_state_is_copied_before_it_is_brought_up_to_date(
    old: SecondRelease, capsys: pytest.CaptureFixture[str]
) -> None:
    check = ["service", "check", "--archive", str(old.logs), "--state", str(old.state)]
    assert main(check) == 0
    assert f"version 6 of {VERSION}: it is brought up to date when it is next used" in (
        " ".join(capsys.readouterr().out.split())
    )
    Registry(old.logs, old.state).accounts.names()
    copy = old.state / "_service.version-6.sqlite"
    for file, version in ((copy, 6), (old.file, VERSION)):
        with closing(sqlite3.connect(file)) as db:
            assert version_of(db) == version
            assert db.execute("SELECT count(*) FROM token").fetchone() == (6,)
    assert main(check) == 0


def test_an_account_is_erased_from_the_copy_too(old: SecondRelease) -> None:
    Registry(old.logs, old.state).accounts.names()
    where = ["--archive", str(old.logs), "--state", str(old.state)]
    assert main(["service", "erase", *where, "bea"]) == 0
    for file in old.state.iterdir():
        assert b"bea" not in file.read_bytes(), file
    assert not [path for path in old.logs.rglob("*account=bea*") if path.exists()]


def test_its_archive_is_sound_and_takes_new_records(old: SecondRelease, tmp_path: Path) -> None:
    archive = el.Archive(old.logs)
    assert archive.verify()["problem"].str.startswith("of an older eyelog").all()
    before = {log: archive.read(log, account="Anna", tz="UTC") for log in LOGS}
    logger = tmp_path / "logger.csv"
    logger.write_text("date,wea_s,nis_s,bl\n2026-10-31T20:00:00+09:00,60,0,80\n")
    import_files(archive, [logger], account="Anna", tz="Asia/Tokyo")
    assert len(archive.verify()) == 5  # the month that has changed was written anew
    after = archive.read(LOGS[1], account="Anna", tz="UTC")
    assert len(after) == len(before[LOGS[1]]) + 1
    assert after.loc[before[LOGS[1]].index, list(before[LOGS[1]])].equals(before[LOGS[1]])
    assert archive.read(LOGS[0], account="Anna", tz="UTC").equals(before[LOGS[0]])


def test_a_changed_bit_of_its_archive_is_found(old: SecondRelease) -> None:
    file = next(old.logs.rglob("account=bea/month=2026-10/data.parquet"))
    body = bytearray(file.read_bytes())
    body[len(body) // 3] ^= 1
    file.write_bytes(body)
    problems = el.Archive(old.logs).verify()["problem"]
    assert (~problems.str.startswith("of an older eyelog")).sum() == 1
