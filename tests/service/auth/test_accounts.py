"""Accounts and applications: added once, found by name, disabled, replaced and removed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import live
from support.live import REDIRECT, Live
from support.login_page import PASSWORD, Browser
from support.operating import Operator
from support.replies import oauth_error
from support.uploads import csv

NEW = "battery staple"


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Live]:
    with live.service(tmp_path / "archive", {"ada": []}, password=PASSWORD) as running:
        yield running


def logs_in(there: Live, password: str, name: str = "ada") -> bool:
    browser = Browser(there)
    query = {"redirect_uri": REDIRECT}
    answer = browser.send(browser.open(**query), name=name, password=password)
    assert answer.status_code in (303, 400)
    return answer.status_code == 303


@pytest.mark.parametrize(
    "name", ["", " ada", "ada\n", "a" * 65, "é" * 33, "\x00", "\ud800", "\x1b[2J", "a\u202eb"]
)
def test_a_name_that_could_mislead_is_refused(operator: Operator, name: str) -> None:
    assert "cannot be an account's name" in operator.refused("add-account", "--", name)
    if name:
        words = ("--redirect-uri", REDIRECT, "--name", name)
        assert "cannot be an application's name" in operator.refused("add-application", *words)
    operator.add("bea")
    assert operator.accounts() == ["bea"]


@pytest.mark.parametrize("action", ["disable", "enable"])
def test_an_account_that_is_removed_meanwhile_is_said(
    operator: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    operator.add("ada")

    def remove(*_: object, **__: object) -> None:
        with closing(sqlite3.connect(tmp_path / "archive" / "_service.sqlite")) as db, db:
            db.execute("DELETE FROM account")

    monkeypatch.setattr("eyelog_service.ended.append", remove)
    assert "unknown account 'ada'" in operator.refused(action, "ada")


@pytest.mark.parametrize("name", ["", "\ud800", "\x00", "a\nb", "x" * 100_000, "'; --"])
def test_a_name_that_nobody_can_have_is_unknown_in_one_short_line(
    operator: Operator, name: str
) -> None:
    operator.add("ada")
    for action in ("remove-account", "disable", "enable", "upload-token"):
        assert "unknown account" in operator.refused(action, "--", name)
    assert "unknown account" in operator.refused("revoke", f"--account={name}")
    assert "has no account" in operator.refused("revoke", f"--all-in={name}")
    assert "no application has the id or name" in operator.refused("rotate-secret", "--", name)
    assert operator.accounts() == ["ada"]


def test_another_password_replaces_the_old_one_and_leaves_tokens(there: Live) -> None:
    token = there.login("ada")["access_token"]
    there.operator("set-password", "ada", "--password-stdin", stdin=NEW)
    assert logs_in(there, NEW)
    assert not logs_in(there, PASSWORD)
    assert there.opens(token)
    for words, said in ((["ada"], "is too short"), (["adda"], "did you mean 'ada'?")):
        refused = there.operator.refused("set-password", *words, "--password-stdin", stdin="short")
        assert said in refused
    assert logs_in(there, NEW)


def test_a_disabled_account_is_refused_everywhere_until_it_is_enabled(there: Live) -> None:
    tokens, waiting = there.login("ada"), there.code("ada")
    there.operator("disable", "ada")
    assert not logs_in(there, PASSWORD)
    assert there.why_refused(tokens["access_token"]).endswith("is disabled")
    for answer in (there.refresh(tokens["refresh_token"]), there.exchange(waiting)):
        assert oauth_error(answer, 400) == "invalid_grant"
        assert answer.json()["error_description"] == "the account is disabled"
    words = ("--account", "ada", "--client-id", there.client_id, "--redirect-uri", REDIRECT)
    assert "disabled: eyelog service enable" in there.operator.refused("issue-code", *words)
    there.operator("enable", "ada")
    assert logs_in(there, PASSWORD)
    assert there.opens(tokens["access_token"])
    assert there.refresh(tokens["refresh_token"]).status_code == 200
    assert there.exchange(waiting).status_code == 200


def test_a_removed_account_leaves_nothing_for_the_next_one_of_its_name(there: Live) -> None:
    tokens, waiting = there.login("ada"), there.code("ada")
    said = there.operator("remove-account", "ada")
    assert "ended: 1 refresh token and 1 access token of account 'ada'" in said
    assert "unknown account 'ada'" in there.operator.refused("remove-account", "ada")
    there.operator.add("ada", password=NEW)
    assert there.why_refused(tokens["access_token"]) == "the access token is unknown"
    for answer in (there.refresh(tokens["refresh_token"]), there.exchange(waiting)):
        assert oauth_error(answer, 400) == "invalid_grant"
    assert logs_in(there, NEW)


@pytest.mark.usefixtures("within_one_hour")
def test_a_new_account_inherits_no_count_of_the_removed_one_of_its_name(tmp_path: Path) -> None:
    limits = {"requests_per_hour": 1, "uploads_per_hour": 1}
    with live.service(tmp_path / "archive", {"ada": []}, **limits) as there:
        for _ in range(2):
            reading = there.login("ada")["access_token"]
            sending = there.operator("upload-token", "ada").strip()
            for status in (200, 429):
                day = ("2026-10-24T00:00:00Z", "2026-10-24T01:00:00Z")
                read = there.get(live.STANDARD, *day, token=reading)
                sent = there.ask("/v1/records", "POST", token=sending, data=csv())
                assert (read.status_code, sent.status_code) == (status, status)
            there.operator("remove-account", "ada")
            there.operator.add("ada")


# The passwords that people choose.


def test_a_password_that_is_guessed_first_is_refused(operator: Operator) -> None:
    for bad, why in (
        ("", "is empty"),
        ("1234567", "too short: choose one of at least 8 characters"),
        ("x" * 1025, "too long"),
        ("password", "most common"),
        ("PassWord1", "most common"),
        ("\uff50assword", "most common"),  # a letter of full width
        ("1q2w3e4r", "most common"),
        ("Anna-Lena", "the account's own name"),
        ("anna-lena1999!", "the account's own name"),
        ("eyelog12", "'eyelog', which is guessed first"),
        ("!!EyeLog!!", "'eyelog', which is guessed first"),
    ):
        words = ("add-account", "Anna-Lena", "--password-stdin")
        assert why in operator.refused(*words, stdin=bad), bad


@given(st.text(max_size=6).filter(lambda text: "\n" not in text and "\r" not in text))
def test_no_message_contains_the_password(
    tmp_path_factory: pytest.TempPathFactory, password: str
) -> None:
    operator = Operator(tmp_path_factory.getbasetemp() / "never made")
    refused = operator.refused("add-account", "x", "--password-stdin", stdin="\x01" + password)
    assert "\x01" not in refused
    assert "too short" in refused


# Wearers that come as a file: taken as a whole, and each fault names its line.


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1 has to name the columns, with commas between them: name, and each of"),
        ("name\n", "lists no wearer"),
        *(
            (text, "line 1 has to name the columns")
            for text in (
                "study\nsleep\n",
                "name,name\nada,bea\n",
                "name,e-mail\nada,a@b\n",
                "name;study\nada;x\n",
            )
        ),
        ("name,study\nada\n", "line 2 does not have 2 cells"),
        ("name,study\nada,a,b\n", "line 2 does not have 2 cells"),
        ("name\nada\n\nbea\nada\n", "line 5, column name: the account stands in line 2"),
        ("name\n ada\n", "line 2, column name: no account can have this name: use printable"),
        ("name,study\nada, x\n", "line 2, column study: no study can have this name: use print"),
        ("name,password\nada,horse\n", "line 2, column password: the password is too short"),
        ("name,zone\nada,\nbea,Asia/Tokio\n", "line 3, column zone: no time zone such as"),
        ('name,study\n"a\nb",x\n', "line 3, column name: a line break in a cell"),
        ('name,study\r\nada,"x\r\ny"\r\n', "line 3, column study: a line break in a cell"),
        ('name\n"ada\n', "is not a CSV file: line 2: "),
        ('name\n"ada"x\n', "is not a CSV file: line 2: "),
        (b"name\nJos\xe9\n", "save it as CSV UTF-8"),
        (None, "cannot read"),
    ],
)
def test_a_fault_in_a_list_of_wearers_is_said_with_its_line(
    operator: Operator, tmp_path: Path, text: str | bytes | None, said: str
) -> None:
    if text is not None:
        body = text.encode() if isinstance(text, str) else text
        (tmp_path / "wearers.csv").write_bytes(body)
    assert said in operator.refused("add-accounts", tmp_path / "wearers.csv")
    assert not (tmp_path / "archive").exists()


SECRET = "Tr0ub4dor-secret"


@pytest.mark.parametrize(
    "text",
    [
        f"anna,{SECRET}\n",
        f"name,study,zone\nanna,sleep,{SECRET}\n",
        f"name,study\nanna,{SECRET} \n",
        f"name,password\n {SECRET},anna\n",
        f"name,password\n{SECRET},\n{SECRET},\n",
        f"name,password\n{SECRET},horse\n",
        f"name,password\n{SECRET},{SECRET}\n",
        f"name,password\nanna,{SECRET},\n",
        f'name,password\nanna,"{SECRET}"x\n',
        f'name,password\nanna,"{SECRET}\n"\n',
        f'name,password\nanna,"{SECRET}\n',
    ],
)
def test_no_fault_in_a_list_of_wearers_shows_what_may_be_a_password(
    operator: Operator, tmp_path: Path, text: str
) -> None:
    (tmp_path / "wearers.csv").write_text(text)
    assert SECRET not in operator.refused("add-accounts", tmp_path / "wearers.csv")


def test_what_is_there_or_stands_twice_stops_the_whole_file(
    operator: Operator, tmp_path: Path
) -> None:
    operator.add("ada", "bea")
    (tmp_path / "wearers.csv").write_text("name\nada\nbea\ncyd\n")
    refused = operator.refused("add-accounts", tmp_path / "wearers.csv")
    assert "2 accounts exist already: 'ada', 'bea'" in refused
    assert "account 'ada' exists already" in operator.refused("add-account", "ada")
    assert operator.accounts() == ["ada", "bea"]


# Applications.


def test_an_application_is_found_by_its_id_or_by_a_name_that_only_it_has(
    operator: Operator,
) -> None:
    first, _ = operator.application(REDIRECT, "Sleep study")
    operator.ask("rotate-secret", "Sleep study")
    for near, meant in (("sleep study", "Sleep study"), (first[:-1], first)):
        assert f"(did you mean '{meant}'?)" in operator.refused("rotate-secret", "--", near)
    second, _ = operator.application(REDIRECT, "Sleep study")
    unclear = operator.refused("rotate-secret", "Sleep study")
    assert "2 applications have the name" in unclear
    assert (first in unclear, second in unclear) == (True, True)


def test_the_nearest_account_or_application_is_suggested_for_a_code(operator: Operator) -> None:
    operator.add("ada")
    client_id, _ = operator.application(REDIRECT)
    for account, client, uri, said in (
        ("adda", client_id, REDIRECT, "did you mean 'ada'?"),
        ("ada", client_id[:-1], REDIRECT, f"did you mean '{client_id}'"),
        ("ada", client_id, "http://127.0.0.1/other", "not registered for this application"),
    ):
        words = (f"--account={account}", f"--client-id={client}", f"--redirect-uri={uri}")
        assert said in operator.refused("issue-code", *words)


def test_a_new_secret_ends_the_old_one_and_leaves_tokens(there: Live, impatient: None) -> None:
    token = there.login("ada")
    new = there.operator.ask("rotate-secret", there.client_id)["client_secret"]
    assert oauth_error(there.refresh(token["refresh_token"]), 401) == "invalid_client"
    assert there.refresh(token["refresh_token"], client_secret=new).status_code == 200
    assert there.opens(token["access_token"])
    with closing(sqlite3.connect(there.archive / "_service.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        there.operator.refused("rotate-secret", there.client_id)  # which prints no secret
    assert there.refresh(token["refresh_token"], client_secret=new).status_code == 200


def test_a_removed_application_has_no_access_any_more(there: Live) -> None:
    kept, waiting = there.login("ada"), there.code("ada")
    other, secret = there.operator.application(REDIRECT, "Other")
    named = {"client_id": other, "client_secret": secret}
    gone = there.exchange(there.operator.code("ada", other, REDIRECT), **named).json()
    unused = there.operator.code("ada", other, REDIRECT)
    said = there.operator("remove-application", "Other")
    assert "ended: 1 refresh token and 1 access token of account 'ada'" in said
    assert oauth_error(there.exchange(unused, **named), 401) == "invalid_client"
    assert there.why_refused(gone["access_token"]) == "the access token is unknown"
    assert "no application has" in there.operator.refused("remove-application", "Other")
    assert there.opens(kept["access_token"])
    assert there.exchange(waiting).status_code == 200
