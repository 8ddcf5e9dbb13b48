"""The login: a wearer's password and consent, and nothing sent where it does not belong."""

import base64
import hashlib
import json
import re
import time
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest

from support import live
from support.chromium import DESK, PHONE, chromium, needs_chromium
from support.live import AUDIT, Live
from support.login_page import CALLBACK, PASSWORD, Browser, sent_back
from support.operating import Operator

CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 50).digest()).decode()[:43]


def test_the_page_shows_who_asks_for_what_and_where_the_answer_goes(browser: Browser) -> None:
    client_id, _ = browser.there.operator.application(CALLBACK, "Sleep <study>")
    page = browser.open(client_id=client_id)
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "<h1>Allow Sleep &lt;study&gt; to read your data?</h1>" in page.text
    assert "<title>Allow Sleep &lt;study&gt; to read your data? - eyelog</title>" in page.text
    for shown in (client_id, CALLBACK, "15-second", "<code>official</code>", "where you were"):
        assert shown in page.text
    assert "<script" not in page.text
    link = re.search(r'<a href="([^"]*)">your account page</a>', page.text)
    assert link is not None
    assert urljoin(browser.url, link[1]) == f"{browser.there.url}/account"


def test_the_page_cannot_be_cached_framed_or_scripted(browser: Browser) -> None:
    page = browser.open()
    headers = page.headers
    assert headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    # Browsers hold the redirect after the form against the policy too.
    assert "form-action 'self' http://127.0.0.1:5007;" in policy
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    hashed = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{hashed}'" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "HttpOnly" in headers["Set-Cookie"]
    assert "SameSite=lax" in headers["Set-Cookie"]


def test_a_wrong_password_shows_the_page_again_and_grants_nothing(browser: Browser) -> None:
    page = browser.send(browser.open(), password="a guess", name="a<b>da")
    assert page.status_code == 400
    assert "Wrong name or password." in page.text
    assert 'value="a&lt;b&gt;da"' in page.text
    assert "Location" not in page.headers
    assert "a guess" not in page.text
    # A space around the name does not matter.
    assert "code" in sent_back(browser.send(page, name=" ada ", password=PASSWORD))


@pytest.mark.parametrize(
    ("name", "password", "said"),
    [
        ("unknown", PASSWORD, "Wrong name or password."),
        ("\x00", PASSWORD, "Wrong name or password."),
        ("a\ud800da".encode("utf-8", "surrogatepass").decode("latin-1"), "x", "Wrong name or"),
        ("'; DROP TABLE token", "x", "Wrong name or password."),
        ("headless", "", "Enter your password."),  # who has no password
        ("headless", "None", "Wrong name or password."),
        ("", "x", "Enter your name."),
    ],
)
def test_who_has_no_account_or_no_password_is_told_no_more(
    browser: Browser, name: str, password: str, said: str
) -> None:
    operator = browser.there.operator
    if "headless" not in operator.accounts():
        operator.add("headless")
    page = browser.send(browser.open(), name=name, password=password)
    assert (page.status_code, said in page.text) == (400, True)


def test_a_login_a_denial_and_a_wrong_password_are_in_the_audit_log(
    browser: Browser, there: Live
) -> None:
    file = there.archive / AUDIT
    before = len(file.read_text().splitlines()) if file.exists() else 0
    page = browser.open()
    browser.send(page, password="a guess")
    browser.send(page, name="no such name", password="a guess")
    denied = sent_back(browser.send(page, decision="deny"))
    assert (denied["error"], denied["state"], "code" in denied) == ("access_denied", "s t&a=te", 0)
    undecided = browser.send(page, password=PASSWORD, decision="")
    assert (undecided.status_code, "Location" in undecided.headers) == (400, False)
    browser.send(page, password=PASSWORD)
    lines = [json.loads(line) for line in file.read_text().splitlines()[before:]]
    assert [(line["event"], line.get("account")) for line in lines] == [
        ("login_failed", "ada"),
        ("login_failed", None),
        ("login_denied", None),
        ("login", "ada"),
    ]
    assert {line["application"] for line in lines} == {there.client_id}
    assert "guess" not in file.read_text()


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
def test_an_unknown_application_or_address_is_never_redirected_to(
    browser: Browser, query: dict[str, Any]
) -> None:
    page = browser.open(**query)
    assert page.status_code == 400
    assert "Location" not in page.headers
    assert page.headers["Content-Type"].startswith("text/html")
    assert "<form" not in page.text


def test_the_application_learns_which_parameter_was_wrong(browser: Browser) -> None:
    asked: list[dict[str, Any]] = [
        {"response_type": "token"},
        {"response_type": None},
        {"code_challenge": CHALLENGE},
        {"code_challenge": CHALLENGE, "code_challenge_method": "plain"},
        {"code_challenge": "short", "code_challenge_method": "S256"},
        {"code_challenge_method": "S256"},
    ]
    answers = [sent_back(browser.open(**query)) for query in asked]
    errors = ["unsupported_response_type", *["invalid_request"] * 5]
    assert [answer["error"] for answer in answers] == errors
    assert {answer["state"] for answer in answers} == {"s t&a=te"}


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        (None, "official"),
        ("official", "official"),
        ("read", "read"),
        ("read official", "read official"),
        ("official everything", "official"),
    ],
)
def test_the_scope_that_was_asked_for_comes_back_and_stays(
    browser: Browser, there: Live, asked: str | None, granted: str
) -> None:
    sent = browser.send(browser.open(**({"scope": asked} if asked else {})), password=PASSWORD)
    tokens = there.exchange(sent_back(sent)["code"], redirect_uri=CALLBACK).json()
    assert tokens["scope"] == granted
    again = there.refresh(tokens["refresh_token"], redirect_uri=CALLBACK).json()
    assert again["scope"] == granted


# Its form comes back from the browser that got it, soon, and from no other site.


def test_a_form_of_another_browser_or_that_was_not_signed_here_is_refused(
    browser: Browser, there: Live
) -> None:
    page, stranger = browser.open(), Browser(there)
    stranger.open()
    refused = stranger.send(page, password=PASSWORD)
    assert (refused.status_code, "Location" in refused.headers) == (400, False)
    assert "belongs to another browser" in refused.text
    (cookie,) = browser.session.cookies
    for forged in ("x", "", "x.y.z", cookie.value):
        for decision in ("allow", "deny"):
            sent = browser.send(page, password=PASSWORD, decision=decision, form=forged)
            assert sent.status_code == 400
    browser.session.cookies.clear()
    assert browser.send(page, password=PASSWORD).status_code == 400


def test_a_form_is_refused_when_it_is_old_and_when_the_key_was_replaced(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live.service(tmp_path / "a", {"ada": []}, password=PASSWORD) as there:
        browser, now = Browser(there), time.time
        page = browser.open()
        with monkeypatch.context() as later:
            later.setattr(time, "time", lambda: now() + 3600)
            assert "too old" in browser.send(page, password=PASSWORD).text
        there.operator("rotate-key")
        time.sleep(1.1)  # a running service reads its key each second
        assert browser.send(page, password=PASSWORD).status_code == 400
        assert browser.send(browser.open(), password=PASSWORD).status_code == 303


def test_a_form_from_another_site_is_refused(browser: Browser) -> None:
    page = browser.open()
    for foreign in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": browser.there.url},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ):
        browser.session.headers.update(foreign)
        refused = browser.send(page, password=PASSWORD)
        assert refused.status_code == 403, foreign
        assert "another site" in refused.text
        assert "Location" not in refused.headers
        for name in foreign:
            del browser.session.headers[name]
    browser.session.headers.update({"Sec-Fetch-Site": "same-origin", "Origin": browser.there.url})
    assert browser.send(page, password=PASSWORD).status_code == 303


# The addresses that logins return to.


def test_an_address_that_no_browser_could_follow_is_not_registered(operator: Operator) -> None:
    odd = ["", "callback", "/callback", "javascript:alert(1)", "data:text/html,x", "http://"]
    odd += ["http://user:word@host/", "http://host:port/", "http://höst/", "http://host/#part"]
    odd += ["http://host/ x", "http://host/\r\nX: y"]
    for uri in odd:
        refused = operator.refused("add-application", "--redirect-uri", uri)
        assert "cannot be a redirect URI" in refused, uri


@pytest.mark.parametrize(
    ("registered", "requested", "same"),
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", True),
        ("http://127.0.0.1:80/cb", "http://127.0.0.1:5000/cb", True),
        ("http://[::1]/cb", "http://[::1]:5000/cb", True),
        ("http://localhost/cb", "http://localhost:5000/cb", True),
        ("http://127.0.0.1/cb", "http://localhost/cb", False),
        ("http://127.0.0.1/cb", "https://127.0.0.1/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb2", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb?x=1", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000@evil.example/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", False),
        ("https://lab.example/cb", "https://lab.example:444/cb", False),
        ("https://lab.example/cb", "https://lab.example/cb", True),
        ("org.example.app:/cb", "org.example.app:/cb", True),
        ("org.example.app:/cb", "org.example.app:/cb/", False),
    ],
)
def test_only_a_loopback_address_may_have_another_port(
    browser: Browser, registered: str, requested: str, same: bool
) -> None:
    client_id, _ = browser.there.operator.application(registered)
    page = browser.open(client_id=client_id, redirect_uri=requested)
    assert page.status_code == (200 if same else 400)


@pytest.mark.slow("a real browser shows the page")
@needs_chromium
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_axe_finds_nothing_on_the_pages_of_a_login(browser: Browser, width: int) -> None:
    query = {
        "response_type": "code",
        "client_id": browser.there.client_id,
        "redirect_uri": CALLBACK,
        "state": "s",
    }
    with chromium() as window:
        for asked in (query, query | {"client_id": "nobody"}):
            for dark in (False, True):
                window.open(f"{browser.url}?{urlencode(asked)}", width=width, dark=dark)
                assert window.axe() == []
                assert not window.scrolls_sideways()
        window.open(f"{browser.url}?{urlencode(query)}", width=width)
        window.run("document.querySelector('button[value=allow]').click()")
        assert window.driver.title == "Enter your name. Enter your password - eyelog"
        assert window.axe() == []
        assert all(there.startswith((browser.there.url, "data:")) for there in window.requests())
