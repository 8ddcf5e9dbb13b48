"""A session begins with the password or an invitation, and ends in time, by logout or operator."""

import re
import time
from html import unescape
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
import requests

from support.account_page import CHOSEN as NEW
from support.account_page import Visitor, choose, invites, signed, title
from support.live import Live
from support.login_page import PASSWORD


def test_the_cookie_is_kept_from_scripts_other_sites_and_other_paths(visitor: Visitor) -> None:
    form = {"form": signed(visitor.open()), "do": "log-in", "name": "ada", "password": PASSWORD}
    answer = visitor.session.post(visitor.url, form, allow_redirects=False, timeout=30)
    assert answer.status_code == 303
    whole = answer.headers["Set-Cookie"]
    cookie = SimpleCookie(whole[whole.index("eyelog_session") :].split(", eyelog_")[0])
    sent = cookie["eyelog_session"]
    assert (sent["httponly"], sent["samesite"], sent["path"]) == (True, "strict", "/account")
    assert 0 < int(sent["max-age"]) <= 3600


def test_a_cookie_that_was_copied_is_worth_nothing_after_the_logout(visitor: Visitor) -> None:
    page = visitor.log_in()
    copied = dict(visitor.session.cookies)
    visitor.send(page, "log-out")
    replayed = Visitor(visitor.there)
    replayed.session.cookies.update(copied)
    assert title(replayed.open()).startswith("Your session has ended")
    replayed.session.cookies.update(copied)
    answer = replayed.post({"form": signed(page), "do": "download"})
    assert answer.status_code == 403
    assert answer.headers["Content-Type"].startswith("text/html")


def test_another_password_ends_the_other_sessions_and_not_this_one(visitor: Visitor) -> None:
    other = Visitor(visitor.there)
    other.log_in()
    page = visitor.log_in()
    page = visitor.send(page, "change-password", old=PASSWORD, new=NEW, again=NEW)
    assert title(page).startswith("Your password is changed")
    assert title(visitor.open()) == "Your account"
    assert title(other.open()).startswith("Your session has ended")
    refused = other.send(other.open(), "log-in", name="ada", password=PASSWORD)
    assert "Wrong name or password." in refused.text
    other.log_in(password=NEW)


@pytest.mark.parametrize(
    "words",
    [
        ("disable", "ada"),
        ("remove-account", "ada"),
        ("set-password", "ada", "--password-stdin"),  # the same one, set again
        ("revoke", "--account", "ada"),
        ("revoke", "--all"),
        ("rotate-key",),
    ],
)
def test_the_operator_ends_a_session(visitor: Visitor, words: tuple[str, ...]) -> None:
    operator = visitor.there.operator
    page = visitor.log_in()
    operator("revoke", f"--application={visitor.there.client_id}")
    assert title(visitor.open()) == "Your account"  # that is of the application alone
    operator(*words, stdin=PASSWORD)
    if words == ("rotate-key",):
        time.sleep(1.1)  # a running service reads its key each second
    if words == ("disable", "ada"):
        operator("enable", "ada")
    assert visitor.send(page, "download").status_code in (400, 403)
    assert "<h1>Your account</h1>" not in visitor.open().text


def test_a_session_ends_in_time(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.log_in()
    copied, now = dict(visitor.session.cookies), time.time()
    monkeypatch.setattr(time, "time", lambda: now + 31 * 60)
    visitor.session.cookies.update(copied)  # which this browser has let go
    assert title(visitor.open()).startswith("Your session has ended")


def test_a_forged_cookie_and_one_of_the_login_page_are_no_session(visitor: Visitor) -> None:
    page = visitor.open()
    made_here = [*(str(cookie.value) for cookie in visitor.session.cookies), signed(page)]
    made_up = ["", "x", "eyJhbGciOiJub25lIn0.e30.", "[]", "WyJhZGEiLCJ4Il0.aSBg.c2ln"]
    for value in (*made_here, *made_up):
        forged = Visitor(visitor.there)
        forged.session.cookies.set("eyelog_session", value, path="/account")
        assert "Log in to your account" in forged.open().text


# With an invitation a wearer chooses a password, once, and is logged in.


@pytest.fixture
def link(there: Live, tmp_path: Path) -> str:
    """The link of an invited wearer, Dan."""
    (tmp_path / "wearers.csv").write_text("name,study\ndan,sleep\n")
    invite = ("--invite", tmp_path / "links.csv", "--base-url", there.url)
    there.operator("add-accounts", tmp_path / "wearers.csv", *invite)
    return (tmp_path / "links.csv").read_text().split()[1].partition(",")[2]


def test_an_invited_wearer_chooses_a_password_once_and_is_logged_in(there: Live, link: str) -> None:
    with requests.Session() as session:
        for _ in range(3):  # a mail program may look at the link first
            page = session.get(link, timeout=30)
            assert page.status_code == 200
        assert "<strong>dan</strong>" in page.text
        answer = choose(page, session)
        assert (answer.status_code, answer.headers["Location"]) == (303, "account?done=chosen")
        account = session.get(f"{there.url}/account?done=chosen", timeout=30)
        assert "Your password is set." in account.text
        assert choose(page, session).status_code == 404
        again = session.get(link, timeout=30)
    assert again.status_code == 404
    assert "has been used" in again.text
    Visitor(there).log_in("dan", NEW)
    log = (there.archive / "_service.audit.jsonl").read_text()
    assert '"invitation_accepted"' in log
    assert link.partition("=")[2] not in log
    assert NEW not in log


@pytest.mark.parametrize(
    ("filled", "said"),
    [
        ({"new": "short", "again": "short"}, "too short"),
        ({"again": "another one"}, "differ"),
        ({"new": "", "again": ""}, "Enter a new password."),
    ],
)
def test_a_password_that_cannot_be_used_leaves_the_link_as_it_was(
    link: str, filled: dict[str, str], said: str
) -> None:
    with requests.Session() as session, requests.Session() as other:
        page = session.get(link, timeout=30)
        assert choose(page, other).status_code == 400  # a form of another browser
        refused = choose(page, session, **filled)
        assert refused.status_code == 400
        assert said in unescape(refused.text)
        assert choose(refused, session).status_code == 303


@pytest.mark.parametrize("ending", ["time", "disable", "remove-account", "set-password"])
def test_an_invitation_ends_with_its_account_its_time_or_a_password(
    there: Live, link: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invites(link)
    assert not invites(re.sub("=.*", "=another", link))
    now = time.time()
    with requests.Session() as session:
        page = session.get(link, timeout=30)
        if ending == "time":
            monkeypatch.setattr(time, "time", lambda: now + 15 * 86400)
        elif ending == "set-password":
            there.operator(ending, "dan", "--password-stdin", stdin="correct horse battery")
        else:
            there.operator(ending, "dan")
        assert not invites(link)
        assert choose(page, session).status_code in (400, 404)
    if ending == "disable":
        there.operator("enable", "dan")
        assert invites(link)
    if ending == "remove-account":
        there.operator.add("dan")
        assert not invites(link)
