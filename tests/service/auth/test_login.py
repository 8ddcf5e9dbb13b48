"""The login page: a wearer's password and consent, and nothing sent where it does not belong."""

import base64
import hashlib
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support import live
from support.live import REDIRECT, Live

PASSWORD = "correct horse"
CALLBACK = "http://127.0.0.1:5007/callback"
VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:43]


class Browser:
    """As much of a browser as the page needs: cookies, one form, no script."""

    def __init__(self, there: Live) -> None:
        self.there = there
        self.session = requests.Session()
        self.session.headers["Accept"] = "text/html,application/xhtml+xml"
        self.url = f"{there.url}/v1/oauth/authorize"

    def open(self, **query: Any) -> requests.Response:
        whole = {
            "response_type": "code",
            "client_id": self.there.client_id,
            "redirect_uri": CALLBACK,
            "state": "s t&a=te",
            **query,
        }
        kept = {key: value for key, value in whole.items() if value is not None}
        return self.session.get(self.url, params=kept, allow_redirects=False, timeout=30)

    def send(self, page: requests.Response, **filled: str) -> requests.Response:
        hidden = re.search(r'name="form" value="([^"]*)"', page.text)
        assert hidden is not None
        form = {"form": unescape(hidden[1]), "name": "ada", "decision": "allow", **filled}
        return self.session.post(self.url, data=form, allow_redirects=False, timeout=30)


@pytest.fixture
def browser(there: Live) -> Browser:
    return Browser(there)


def _back(answer: requests.Response) -> dict[str, str]:
    """What the application is told at its callback."""
    assert answer.status_code == 303, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    to = urlsplit(answer.headers["Location"])
    assert f"{to.scheme}://{to.netloc}{to.path}" == CALLBACK
    return {key: value for key, (value,) in parse_qs(to.query).items()}


def test_a_wearer_logs_in_and_the_application_gets_its_tokens(browser: Browser) -> None:
    page = browser.open(code_challenge=CHALLENGE, code_challenge_method="S256")
    told = _back(browser.send(page, password=PASSWORD))
    assert set(told) == {"code", "state"}
    assert told["state"] == "s t&a=te"
    answer = browser.there.exchange(told["code"], redirect_uri=CALLBACK, code_verifier=VERIFIER)
    assert answer.status_code == 200, answer.text


def test_the_page_says_who_asks_for_what_and_where_it_goes(browser: Browser) -> None:
    page = browser.open()
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for shown in (browser.there.client_id, CALLBACK, "15-second", "<code>read</code>"):
        assert shown in page.text
    assert "<script" not in page.text


def test_the_page_cannot_be_cached_framed_or_scripted(browser: Browser) -> None:
    headers = browser.open().headers
    assert headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    # Browsers hold the redirect after the form against the policy too.
    assert "form-action 'self' http://127.0.0.1:5007;" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_the_style_of_the_page_is_the_one_its_policy_allows(browser: Browser) -> None:
    page = browser.open()
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    hashed = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"'sha256-{hashed}'" in page.headers["Content-Security-Policy"]


def test_a_wrong_password_shows_the_page_again_and_gives_nothing(browser: Browser) -> None:
    page = browser.send(browser.open(), password="wrong", name="a<b>da")
    assert page.status_code == 400
    assert "Wrong name or password." in page.text
    assert 'value="a&lt;b&gt;da"' in page.text
    assert "Location" not in page.headers
    assert "wrong" not in page.text.replace("Wrong name or password.", "")
    assert "code" in _back(browser.send(page, password=PASSWORD))


@pytest.mark.parametrize("name", ["", "unknown", "\x00"])
def test_an_unknown_name_is_told_no_more_than_a_wrong_password(browser: Browser, name: str) -> None:
    page = browser.send(browser.open(), name=name, password=PASSWORD)
    assert page.status_code == 400
    assert "Wrong name or password." in page.text


def test_an_account_without_a_password_cannot_log_in_here(browser: Browser, there: Live) -> None:
    there.registry.add_account("headless")
    for password in ("", "None", "x"):
        page = browser.send(browser.open(), name="headless", password=password)
        assert page.status_code == 400


def test_the_wearer_can_say_no(browser: Browser) -> None:
    told = _back(browser.send(browser.open(), decision="deny"))
    assert (told["error"], told["state"]) == ("access_denied", "s t&a=te")
    assert "code" not in told


def test_without_a_decision_nothing_is_granted(browser: Browser) -> None:
    page = browser.send(browser.open(), password=PASSWORD, decision="")
    assert page.status_code == 400
    assert "Location" not in page.headers


def test_a_login_without_state_tells_none(browser: Browser) -> None:
    assert set(_back(browser.send(browser.open(state=None), password=PASSWORD))) == {"code"}


# --- where nothing may be sent ----------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        {"client_id": "unknown"},
        {"client_id": None},
        {"redirect_uri": None},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1:5007/other"},
        {"redirect_uri": [CALLBACK, "https://evil.example/"]},
        {"client_id": "unknown", "response_type": "token"},
    ],
)
def test_an_unknown_application_or_address_is_never_led_to(
    browser: Browser, query: dict[str, Any]
) -> None:
    page = browser.open(**query)
    assert page.status_code == 400
    assert "Location" not in page.headers
    assert page.headers["Content-Type"].startswith("text/html")
    assert "<form" not in page.text


def test_a_program_gets_the_same_refusal_as_json(there: Live) -> None:
    answer = requests.get(f"{there.url}/v1/oauth/authorize", timeout=30)
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_client"


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": CHALLENGE}, "invalid_request"),
        ({"code_challenge": CHALLENGE, "code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short", "code_challenge_method": "S256"}, "invalid_request"),
        ({"code_challenge_method": "S256"}, "invalid_request"),
    ],
)
def test_the_application_is_told_what_it_asked_wrongly(
    browser: Browser, query: dict[str, Any], error: str
) -> None:
    told = _back(browser.open(**query))
    assert (told["error"], told["state"]) == (error, "s t&a=te")


def test_an_unknown_parameter_and_any_scope_are_passed_over(browser: Browser) -> None:
    page = browser.open(service_id="meme", scope="everything")
    assert "<code>read</code>" in page.text


# --- forged and stale forms -------------------------------------------------------------------


def test_the_form_of_another_browser_is_refused(browser: Browser, there: Live) -> None:
    stranger = Browser(there)
    stranger.open()
    refused = stranger.send(browser.open(), password=PASSWORD)
    assert refused.status_code == 400
    assert "not given to this browser" in refused.text
    assert "Location" not in refused.headers


def test_a_form_without_cookie_or_with_a_changed_letter_is_refused(browser: Browser) -> None:
    page = browser.open()
    for forged in ({"form": "x"}, {"form": ""}, {"decision": "deny", "form": "x.y.z"}):
        assert browser.send(page, password=PASSWORD, **forged).status_code == 400
    browser.session.cookies.clear()
    assert browser.send(page, password=PASSWORD).status_code == 400


def test_two_tabs_of_one_browser_both_work(browser: Browser) -> None:
    first, second = browser.open(state="1"), browser.open(state="2")
    assert _back(browser.send(first, password=PASSWORD))["state"] == "1"
    assert _back(browser.send(second, password=PASSWORD))["state"] == "2"


# --- guesses ----------------------------------------------------------------------------------


def test_guessing_is_stopped_for_that_name_alone(tmp_path: Path) -> None:
    with live.service(tmp_path / "a", {"ada": [], "bea": []}, password=PASSWORD) as there:
        browser = Browser(there)
        page = browser.open(redirect_uri=REDIRECT)
        for _ in range(10):
            assert browser.send(page, password="guess").status_code == 400
        stopped = browser.send(page, password=PASSWORD)
        assert stopped.status_code == 429
        assert 0 < int(stopped.headers["Retry-After"]) <= 601
        assert "Too many wrong passwords" in stopped.text
        assert browser.send(page, name="bea", password=PASSWORD).status_code == 303
