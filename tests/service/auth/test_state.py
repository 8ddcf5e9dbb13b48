"""The state of a service: where it is, its file, and how that of an older release is used."""

import re
import sqlite3
import stat
import sys
import time
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
import requests

import eyelog as el
from support import live
from support.first_release import FirstRelease, first_release_state
from support.live import REDIRECT, STANDARD, Live
from support.login_page import PASSWORD, Browser
from support.logs import LOGS
from support.operating import Operator
from support.records import records
from support.second_release import SecondRelease, second_release

VERSION = 7


# Where it is.


def test_a_remote_archive_needs_a_local_folder_for_the_state(tmp_path: Path) -> None:
    said = Operator("s3://key:secret@bucket/archive").refused("list-accounts")
    assert "name one for the service's state with --state" in said
    assert "secret" not in said


def test_a_state_in_the_archive_is_not_left_behind_unnoticed(
    operator: Operator, tmp_path: Path
) -> None:
    operator.add("ada")
    refused = Operator(tmp_path / "archive", tmp_path / "state").refused("list-accounts")
    assert "stop the service and move the state" in refused
    assert f"mv {tmp_path}/archive/_service.* {tmp_path}/state/" in refused
    assert Operator(tmp_path / "archive", tmp_path / "archive").accounts() == ["ada"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://db/eyelog", "postgresql://db/eyelog"),
        ("postgres://ada@db:5433/eyelog", "postgres://ada@db:5433/eyelog"),
        ("postgresql://ada:Pa55@db/eyelog", "postgresql://ada@db/eyelog"),
        ("postgresql://ada:Pa%2F55@db/e?sslmode=require", "postgresql://ada@db/e"),
        ("postgresql://db/eyelog?user=ada&password=Pa55", "postgresql://db/eyelog"),
        ("postgresql:///eyelog?host=/run/postgresql", "postgresql:///eyelog"),
        # Whatever cannot be read may be a password.
        ("postgresql://ada:Pa/55@db/eyelog", "postgresql://..."),
        ("postgresql://ada:Pa@55@db/eyelog", "postgresql://..."),
        ("postgresql://ada:Pa?55@db/eyelog", "postgresql://..."),
        ("postgresql://ada:Pa#55@db/eyelog", "postgresql://..."),
        ("postgresql://db/eyelog?password=Pa@55", "postgresql://..."),
        ("postgresql://ada:Pa55@db", "postgresql://..."),
    ],
)
def test_the_address_of_a_database_is_shown_without_its_password(
    tmp_path: Path, address: str, shown: str
) -> None:
    said = Operator("s3://bucket/archive", address).run("list-accounts").err
    assert (f"a list of processes shows the password of {shown}:" in said) == ("55" in address)
    nowhere = address.replace("db", "127.0.0.1:1")
    more = Operator(tmp_path, nowhere, tmp_path).run("list-accounts").err
    assert shown.replace("db", "127.0.0.1:1") in more
    assert "55" not in said + more


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:Pa/55@db/eyelog",
        "postgresql://ada:Pa55@db/eyelog?no-such-option=Pa55",
        "postgresql://ada:Pa55@db:%zz/eyelog",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_quoting_it(
    tmp_path: Path, address: str
) -> None:
    said = Operator(tmp_path, address, tmp_path).run("list-accounts").err
    assert "cannot be read: write it as" in said
    assert "55" not in said


def test_a_database_and_the_folder_of_this_host_go_together(tmp_path: Path) -> None:
    database = "postgresql://db/eyelog"
    (tmp_path / "file").touch()
    for places, said in (
        (("s3://bucket/archive", database), "name one for what comes in and"),
        ((tmp_path, tmp_path / "state", tmp_path), "--local is the folder of a host whose state"),
        ((tmp_path, database, tmp_path / "file"), "is not a folder: --local takes one"),
        ((tmp_path, "mysql://ada:Pa55@db/eyelog"), "not 'mysql://...'; several hosts can share"),
    ):
        refused = Operator(*places).refused("list-accounts")
        assert said in refused
        assert "Pa55" not in refused


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    refused = Operator(tmp_path, "postgresql://db/eyelog").refused("list-accounts")
    assert "pip install 'eyelog[postgres]'" in refused


# Its file.


def test_only_the_owner_can_read_the_file_also_one_that_others_could_read(
    operator: Operator, tmp_path: Path
) -> None:
    operator.add("ada")
    file = tmp_path / "archive" / "_service.sqlite"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.chmod(0o644)
    operator.add("bea")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_files_hold_no_token_code_secret_or_password(tmp_path: Path) -> None:
    with live.service(tmp_path / "archive", {"ada": []}, password=PASSWORD) as there:
        unused, tokens = there.code("ada"), there.login("ada")
        newer = there.refresh(tokens["refresh_token"]).json()
        upload = there.operator("upload-token", "ada").strip()
    hidden = [unused, upload, PASSWORD, there.client_secret, newer["access_token"]]
    hidden += [tokens["access_token"], tokens["refresh_token"]]
    for file in (tmp_path / "archive").iterdir():
        assert not [text for text in hidden if text.encode() in file.read_bytes()]


def test_each_password_is_salted(operator: Operator, tmp_path: Path) -> None:
    operator.add("ada", "bea", password=PASSWORD)
    with closing(sqlite3.connect(tmp_path / "archive" / "_service.sqlite")) as db:
        stored = [row[0] for row in db.execute("SELECT password FROM account")]
    assert len({one[:16] for one in stored}) == len({one[16:] for one in stored}) == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"no database at all" * 100, r"_service\.sqlite cannot be used"),
        (b"", "is empty: restore a copy, or delete"),
    ],
)
def test_a_damaged_file_is_reported_in_one_sentence_and_stays(
    operator: Operator, tmp_path: Path, body: bytes, said: str
) -> None:
    operator.add("ada")
    file = tmp_path / "archive" / "_service.sqlite"
    file.write_bytes(body)
    for words in (("list-accounts",), ("add-account", "ben")):
        assert re.search(said, operator.refused(*words))
    assert file.read_bytes() == body


def test_a_file_in_place_of_the_folder_is_reported_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("no folder")
    refused = Operator(tmp_path / "archive").refused("add-account", "ada")
    assert "cannot store the service's state" in refused


def test_a_parquet_tool_opens_an_archive_that_is_served(operator: Operator, tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(STANDARD, records(STANDARD, "2026-10-19 09:00", 3), account="ada")
    operator.add("ada")
    assert len(pd.read_parquet(tmp_path / "archive")) == 3


def test_a_state_without_a_key_is_said_in_one_line_and_gets_another(
    operator: Operator, tmp_path: Path
) -> None:
    operator.add("ada")
    with closing(sqlite3.connect(tmp_path / "archive" / "_service.sqlite")) as db, db:
        db.execute("DELETE FROM meta WHERE name = 'signing_key'")
    said = "no signing key: eyelog service rotate-key"
    with pytest.raises(el.ConfigurationError, match=said), live.running(tmp_path / "archive"):
        pass
    operator("rotate-key")
    assert operator.findings()["signing key"][0] == "ok"


def test_a_running_service_refuses_cursors_of_the_old_key_and_keeps_tokens(tmp_path: Path) -> None:
    day = records(STANDARD, "2026-10-24 00:01", 60)
    window = ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z")
    with live.service(tmp_path / "a", {"ada": [day]}, page_size=20) as there:
        token = there.login("ada")["access_token"]
        cursor = there.get(STANDARD, *window, token=token).json()["cursor"]
        assert there.get(STANDARD, *window, token=token, cursor=cursor).status_code == 200
        there.operator("rotate-key")
        time.sleep(1.1)  # it reads its key each second
        refused = there.get(STANDARD, *window, token=token, cursor=cursor)
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_cursor")
        assert len(there.walk(STANDARD, *window, token=token)) == 3


# Of earlier releases: used as it is, or refused.


@pytest.fixture
def old(tmp_path: Path, hashes_of_users: None) -> FirstRelease:
    """A state of the first release, as eyelog 0.3 left it, with what only that had."""
    made = first_release_state(tmp_path / "archive")
    with closing(sqlite3.connect(made.file)) as db, db:
        db.execute("INSERT INTO upload VALUES ('ada', x'00', 9, 0.0, 3)")
        db.execute("UPDATE account SET role = 'staff'")
    return made


def test_logins_codes_and_tokens_of_the_first_release_stay_valid(old: FirstRelease) -> None:
    with live.running(old.folder) as url:
        there = Live(url, old.folder, old.client_id, old.secret)
        assert there.opens(old.access_token)
        assert there.opens(there.refresh(old.refresh_token).json()["access_token"])
        assert there.opens(there.exchange(old.code).json()["access_token"])
        browser = Browser(there)  # whose password is shorter than passwords may be now
        page = browser.open(redirect_uri=REDIRECT)
        assert browser.send(page, password=old.password).status_code == 303


def test_what_the_first_release_did_not_note_is_unknown_and_not_made_up(old: FirstRelease) -> None:
    operator = Operator(old.folder)
    (account,) = operator.ask("list-accounts")
    assert (account["account"], account["study"], account["added"]) == ("ada", "", None)
    (application,) = operator.ask("list-applications")
    assert (application["name"], application["added"]) == ("", None)
    kinds = {token["kind"]: token for token in operator.tokens()}
    assert kinds["refresh"]["issued"] is None
    # An access token lasts thirty days, so its expiry says when it was issued.
    issued = pd.Timestamp(kinds["access"]["issued"])
    assert abs(pd.Timestamp.now("UTC") - pd.Timedelta("10D") - issued) < pd.Timedelta("1min")
    assert all(token["last_used"] is None for token in kinds.values())


@pytest.mark.parametrize("action", ["erase", "remove-account"])
def test_what_only_the_first_release_had_stays_until_the_account_is_gone(
    old: FirstRelease, action: str
) -> None:
    operator = Operator(old.folder)
    operator.add("bea")
    assert operator.accounts() == ["ada", "bea"]
    assert operator.findings()["schema"] == ("ok", "version 6")
    operator(action, "ada")
    with closing(sqlite3.connect(old.file)) as db:
        for table in ("token", "code", "upload"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
        assert db.execute("SELECT name, role FROM account").fetchall() == [("bea", "wearer")]
    assert action != "erase" or b"ada" not in old.file.read_bytes()


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (3, r"of eyelog 0\.3 once, which brings"),
        (99, "by a newer eyelog .version 99 of the state, this one knows 7.: update"),
    ],
)
def test_a_state_of_another_release_is_refused_and_left_as_it_is(
    old: FirstRelease, version: int, said: str
) -> None:
    with closing(sqlite3.connect(old.file)) as db, db:
        db.execute(f"PRAGMA user_version = {version}")
    before = old.file.read_bytes()
    for words in (("list-accounts",), ("rotate-key",), ("add-account", "bea")):
        assert re.search(said, Operator(old.folder).refused(*words))
    with pytest.raises(el.ConfigurationError, match=said), live.running(old.folder):
        pass
    assert old.file.read_bytes() == before


# An archive and a state of eyelog 0.2.0 go on: nothing is lost or revived.


@pytest.fixture
def second(tmp_path: Path, hashes_of_users: None) -> SecondRelease:
    return second_release(tmp_path)


def test_tokens_and_passwords_of_0_2_read_the_same_records_as_before(second: SecondRelease) -> None:
    known = second.known
    window = ("2026-10-31T00:00:00+09:00", "2026-10-31T23:59:59+09:00")
    with live.running(second.logs, state=second.state) as url:
        there = Live(url, second.logs, known["client_id"], known["client_secret"])
        for log in LOGS:
            answer = there.get(log, *window, token=known["tokens"]["Anna"]["access_token"])
            assert answer.json()[log] == known["answers"][log][log]
        assert not there.opens(known["revoked"]["access_token"])
        uri = Operator(second.logs, second.state).ask("list-applications")[0]["redirect_uri"]
        for name, tokens in known["tokens"].items():
            refreshed = there.refresh(tokens["refresh_token"], redirect_uri=uri)
            assert refreshed.status_code == 200
            browser = Browser(there)
            sent = browser.send(
                browser.open(redirect_uri=uri), name=name, password=known["passwords"][name]
            )
            assert sent.status_code == 303
        gone = requests.get(f"{url}/health", timeout=30)
        assert gone.status_code == 200
    listed = Operator(second.logs, second.state).ask("list-accounts")
    assert {one["account"]: one["disabled"] for one in listed} == {
        "Anna": False,
        "bea": False,
        "cyd": False,
        "gone": True,
    }


def test_an_account_is_erased_from_a_state_of_0_2(second: SecondRelease) -> None:
    operator = Operator(second.logs, second.state)
    assert operator.findings()["schema"] == ("ok", "version 6")
    operator("erase", "bea")
    for path in second.state.iterdir():
        assert b"bea" not in path.read_bytes(), path
    assert not [path for path in second.logs.rglob("*account=bea*") if path.exists()]


def test_an_archive_of_0_2_is_sound_and_takes_new_records(
    second: SecondRelease, tmp_path: Path
) -> None:
    archive = el.Archive(second.logs)
    assert archive.verify()["problem"].str.startswith("of an older eyelog").all()
    before = {log: archive.read(log, account="Anna", tz="UTC") for log in LOGS}
    stamps = pd.DatetimeIndex(["2026-10-31T11:00:00Z"], name="date").as_unit("us")
    minute = before[LOGS[1]].iloc[:1].set_axis(stamps)
    archive.write(LOGS[1], minute, account="Anna")
    assert len(archive.verify()) == 5  # the month that has changed was written anew
    after = archive.read(LOGS[1], account="Anna", tz="UTC")
    assert len(after) == len(before[LOGS[1]]) + 1
    assert after.loc[before[LOGS[1]].index, list(before[LOGS[1]])].equals(before[LOGS[1]])
    assert archive.read(LOGS[0], account="Anna", tz="UTC").equals(before[LOGS[0]])
    file = next(second.logs.rglob("account=bea/month=2026-10/data.parquet"))
    body = bytearray(file.read_bytes())
    body[len(body) // 3] ^= 1
    file.write_bytes(body)
    problems = archive.verify()["problem"]
    assert (~problems.str.startswith("of an older eyelog")).sum() == 1
