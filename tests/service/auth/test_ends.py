"""What ends is noted without names, never stops an end, and ends again in a state put back."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from support import live
from support.account_page import choose, invites
from support.live import REDIRECT, Live
from support.operating import Operator

ENDED = "_ended.jsonl"


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Live]:
    wearers = {"ada": [], "bea": [], "cyd": []}
    with live.service(tmp_path / "archive", wearers) as running:
        yield running


@pytest.fixture
def noted(operator: Operator, tmp_path: Path) -> Path:
    """The list of a service with one account, and one end in it."""
    operator.add("ada")
    operator("revoke", "--all")
    return tmp_path / "archive" / ENDED


def ended_before(operator: Operator) -> str:
    """Return what lives again that had ended, as a check says it; nothing if all is well."""
    result, text = operator.findings()["ended before"]
    if result != "wrong":
        return ""
    return text.removeprefix("restored from an earlier state: ").partition(": eyelog")[0]


def keep(there: Live) -> Path:
    """Copy the state; the copy is put back by `put_back`."""
    copy = there.archive.with_name("copy")
    shutil.copy(there.archive / "_service.sqlite", copy)
    return copy


def put_back(there: Live, copy: Path) -> None:
    shutil.copy(copy, there.archive / "_service.sqlite")


# The list.


def test_a_note_has_no_name_and_is_private(noted: Path, operator: Operator) -> None:
    for action in ("disable", "enable", "remove-account"):
        operator(action, "ada")
    assert noted.read_bytes().count(b"\n") == 4
    assert b'"ada"' not in noted.read_bytes()
    assert noted.stat().st_mode & 0o777 == 0o600


DAMAGED = [
    b'{"what": "tok',
    b"\xff\x00\xfe",
    b"[]",
    b"null",
    b'{"what": "tokens", "at": null}',
    b'{"what": "tokens", "at": NaN}',
    b'{"what": "tokens", "at": "1"}',
    b'{"what": ["tokens"], "at": 1.0}',
    b'{"what": "of a newer release", "at": 1.0}',
    b'{"what": "tokens", "at": 1.0, "account": 7}',
    b'{"what": "tokens"}',
    b"[" * 100_000,
]


def test_a_damaged_line_is_left_out_and_named(noted: Path, operator: Operator) -> None:
    assert operator.findings()["list of ends"][0] == "ok"
    whole = noted.read_bytes()
    for line in DAMAGED:
        noted.write_bytes(whole + line + b"\n" + whole)
        result, text = operator.findings()["list of ends"]
        assert (result, f"1 damaged line ({noted}, line 2)" in text) == ("wrong", True), line
        assert "may live again" in text
        assert ended_before(operator) == ""  # the others are read
    os.truncate(noted, len(whole) - 20)  # a torn line does not swallow the next
    operator("disable", "ada")
    assert "1 damaged line" in operator.findings()["list of ends"][1]
    assert noted.read_bytes().count(b'"disabled"') == 1


def test_an_end_for_which_there_is_no_room_is_said_and_leaves_no_fragment(
    noted: Path, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, write = noted.read_bytes(), os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, data[:30]))
        assert "only 30 of" in operator.run("disable", "ada").err
    assert noted.read_bytes() == before
    assert operator.ask("list-accounts")[0]["disabled"]
    operator("enable", "ada")
    assert operator.findings()["list of ends"][0] == "ok"


def test_a_list_that_cannot_be_read_is_wrong_and_keeps_no_token_alive(there: Live) -> None:
    access = there.login("ada")["access_token"]
    (there.archive / ENDED).mkdir()
    done = there.operator.run("revoke", "--account", "ada")
    assert done.code == 0
    assert "after a restore, what ends now would live again" in done.err
    assert there.why_refused(access) == "the access token is revoked"
    result, text = there.operator.findings()["list of ends"]
    assert (result, f"cannot read {there.archive / ENDED}" in text) == ("wrong", True)


# What lives again.


def test_only_what_is_older_than_its_end_lives_again(there: Live) -> None:
    before = {name: there.login(name) for name in ("ada", "bea")}
    copy = keep(there)
    assert ended_before(there.operator) == ""
    there.operator("revoke", "--account", "ada")
    after = there.login("ada")["access_token"]
    assert ended_before(there.operator) == ""
    put_back(there, copy)
    # A refresh after the restore must not save what was revoked.
    refreshed = there.refresh(before["ada"]["refresh_token"]).json()["access_token"]
    assert ended_before(there.operator) == "3 tokens revoked since"
    assert "ended: 3 tokens" in there.operator("after-restore")
    for token in (before["ada"]["access_token"], refreshed):
        assert there.why_refused(token) == "the access token is revoked"
    assert there.why_refused(after) == "the access token is unknown"
    assert there.opens(before["bea"]["access_token"])
    assert ended_before(there.operator) == ""


def test_each_kind_of_end_is_said_and_ended_again_in_a_state_that_was_put_back(
    there: Live, tmp_path: Path
) -> None:
    operator = there.operator
    other, _ = operator.application(REDIRECT)
    (tmp_path / "wearers.csv").write_text("name\ndan\neve\n")
    links = ("--invite", tmp_path / "links.csv", "--base-url", there.url)
    operator("add-accounts", tmp_path / "wearers.csv", *links)
    dan, eve = (line.partition(",")[2] for line in (tmp_path / "links.csv").read_text().split()[1:])
    for name in ("ada", "bea"):
        there.login(name)
    kept, single, again = (there.login("cyd") for _ in range(3))
    code = there.code("cyd")
    replayed = there.exchange(code).json()["access_token"]
    copy = keep(there)

    operator("revoke", "--account", "ada")
    operator("remove-account", "bea")
    operator("disable", "cyd")
    operator("remove-application", "--", other)
    operator("enable", "cyd")
    there.revoke(single["access_token"], bearer=kept["access_token"])
    there.revoke(again["refresh_token"], bearer=kept["access_token"])
    there.exchange(code)
    operator("disable", "cyd")
    with requests.Session() as session:
        assert choose(session.get(dan, timeout=30), session).status_code == 303
    assert ended_before(operator) == ""
    put_back(there, copy)
    assert ended_before(operator) == (
        "9 tokens revoked since, 1 account removed since, 1 account disabled since,"
        " 1 application removed since, 1 invitation used since"
    )
    assert operator.ask("after-restore") == {
        "tokens": 9,
        "accounts": 1,
        "applications": 1,
        "disabled": 1,
        "invitations": 1,
        "erased": 0,
    }
    assert ended_before(operator) == ""
    assert operator.accounts() == ["ada", "cyd", "dan", "eve"]
    assert [one["client_id"] for one in operator.ask("list-applications")] == [there.client_id]
    assert invites(eve)
    assert not invites(dan)
    assert there.why_refused(kept["access_token"]).endswith("is disabled")
    operator("enable", "cyd")
    assert there.opens(kept["access_token"])
    for token in (single["access_token"], again["access_token"], replayed):
        assert there.why_refused(token) == "the access token is revoked"
    assert there.refresh(single["refresh_token"]).status_code == 200
    there.login("ada")  # a new login is not ended
    assert ended_before(operator) == ""
    assert "Nothing lives again" in operator.run("after-restore").err


def test_an_account_that_was_added_again_is_another_one(operator: Operator) -> None:
    operator.add("ada")
    operator("disable", "ada")
    operator("remove-account", "ada")
    operator.add("ada")
    assert ended_before(operator) == ""


def test_what_begins_after_an_end_outlives_a_clock_that_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true, day = time.time, 86_400
    with live.service(tmp_path / "archive", {}) as there:
        operator = there.operator
        with monkeypatch.context() as ahead:
            ahead.setattr(time, "time", lambda: true() + day)
            operator.add("ada", "bea", "cyd")
            operator("remove-account", "ada")
            operator("disable", "bea")
            operator("erase", "cyd")
            operator("enable", "bea")
            operator("revoke", "--all")
        operator.add("ada", "cyd")
        tokens = [there.login(name)["access_token"] for name in ("ada", "bea", "cyd")]
        assert ended_before(operator) == ""
        assert "Nothing lives again" in operator.run("after-restore").err
        monkeypatch.setattr(time, "time", lambda: true() + 2 * day)  # the day has come
        assert "Nothing lives again" in operator.run("after-restore").err
        assert all(there.opens(token) for token in tokens)


def test_what_began_while_the_clock_was_ahead_is_ended_again(
    there: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    true, operator = time.time, there.operator
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: true() + 86_400)
        operator.add("dan", "eve")
        there.login("eve")
    copy = keep(there)
    operator("remove-account", "dan")
    operator("revoke", "--account", "eve")
    put_back(there, copy)
    assert ended_before(operator) == "2 tokens revoked since, 1 account removed since"
    operator("after-restore")
    operator.add("dan")  # as a state that was put back learns of the ends after it
    assert ended_before(operator) == ""
