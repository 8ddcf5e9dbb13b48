"""A session begins with the password and ends in time, by logout, and by another password."""

import time
from http.cookies import SimpleCookie

import pytest

from eyelog_service import oauth
from support.account_page import Visitor, signed, title
from support.login_page import PASSWORD

NEW = "a staple of batteries"


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
    assert (
        "Wrong name or password."
        in other.send(other.open(), "log-in", name="ada", password=PASSWORD).text
    )
    other.log_in(password=NEW)


@pytest.mark.parametrize("ending", ["disable", "remove", "set_password", "rotate_key"])
def test_the_operator_ends_a_session(visitor: Visitor, monkeypatch, ending: str) -> None:
    registry = visitor.there.registry
    page = visitor.log_in()
    if ending == "rotate_key":
        registry.rotate_key()
        time.sleep(1.1)  # a running service reads its key each second
    elif ending == "set_password":
        registry.accounts.set_password("ada", NEW)
    else:
        getattr(registry.accounts, ending)("ada")
    assert visitor.send(page, "download").status_code in (400, 403)
    assert "<h1>Your account</h1>" not in visitor.open().text


def test_a_session_ends_in_time(visitor: Visitor, monkeypatch) -> None:
    visitor.log_in()
    monkeypatch.setattr(oauth, "MINUTES", -1)  # as if that had passed
    assert title(visitor.open()).startswith("Your session has ended")


@pytest.mark.parametrize(
    "forged", ["", "x", "eyJhbGciOiJub25lIn0.e30.", "[]", "WyJhZGEiLCJ4Il0.aSBg.c2ln"]
)
def test_a_forged_cookie_is_no_session(visitor: Visitor, forged: str) -> None:
    visitor.session.cookies.set("eyelog_session", forged, path="/account")
    assert "Log in to your account" in visitor.open().text


def test_a_cookie_of_the_login_page_is_no_session(visitor: Visitor) -> None:
    page = visitor.open()
    for cookie in [*visitor.session.cookies, signed(page)]:
        forged = Visitor(visitor.there)
        value = cookie if isinstance(cookie, str) else cookie.value
        forged.session.cookies.set("eyelog_session", value, path="/account")
        assert "Log in to your account" in forged.open().text


def test_guesses_are_slowed_here_as_on_the_login_page(visitor: Visitor) -> None:
    page = visitor.open()
    for _ in range(6):
        page = visitor.send(page, "log-in", name="ada", password="a guess")
    assert page.status_code == 429
    assert int(page.headers["Retry-After"]) > 0
    assert title(page).startswith("Too many wrong passwords. Try again in ")
