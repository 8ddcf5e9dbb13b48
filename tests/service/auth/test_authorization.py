"""A wearer's password and consent, and nothing sent where it does not belong."""

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from eyelog_service import state
from eyelog_service.audit import FILE_NAME
from support import live
from support.live import Live
from support.login_page import CALLBACK, PASSWORD, Browser, sent_back

VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:43]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Three wearers, whose passwords take a millisecond to check, not a fifth of a second."""
    folder = tmp_path_factory.mktemp("authorization") / "archive"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state, "_LOG2_N", 6)
        wearers = {"ada": [], "bea": [], "nobody": []}
        with live.service(folder, wearers, password=PASSWORD) as running:
            yield running


def test_a_wrong_password_shows_the_page_again_and_grants_nothing(browser: Browser) -> None:
    page = browser.send(browser.open(), password="a guess", name="a<b>da")
    assert page.status_code == 400
    assert "Wrong name or password." in page.text
    assert 'value="a&lt;b&gt;da"' in page.text
    assert "Location" not in page.headers
    assert "a guess" not in page.text
    assert "code" in sent_back(browser.send(page, password=PASSWORD))


@pytest.mark.parametrize("name", ["unknown", "\x00"])
def test_an_unknown_name_looks_like_a_wrong_password(browser: Browser, name: str) -> None:
    page = browser.send(browser.open(), name=name, password=PASSWORD)
    assert page.status_code == 400
    assert "Wrong name or password." in page.text


def test_a_space_around_the_name_does_not_matter(browser: Browser) -> None:
    assert "code" in sent_back(browser.send(browser.open(), name=" ada ", password=PASSWORD))


def test_an_account_without_a_password_cannot_log_in_here(browser: Browser, there: Live) -> None:
    there.registry.accounts.add("headless")
    for password in ("", "None", "x"):
        page = browser.send(browser.open(), name="headless", password=password)
        assert page.status_code == 400


def test_the_wearer_can_deny_access(browser: Browser) -> None:
    answer = sent_back(browser.send(browser.open(), decision="deny"))
    assert (answer["error"], answer["state"]) == ("access_denied", "s t&a=te")
    assert "code" not in answer


def test_a_login_a_denial_and_a_wrong_password_are_in_the_audit_log(
    browser: Browser, there: Live
) -> None:
    file = there.archive / FILE_NAME
    before = len(file.read_text().splitlines()) if file.exists() else 0
    page = browser.open()
    browser.send(page, password="a guess")
    browser.send(page, name="no such name", password="a guess")
    browser.send(page, decision="deny")
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


def test_without_a_decision_nothing_is_granted(browser: Browser) -> None:
    page = browser.send(browser.open(), password=PASSWORD, decision="")
    assert page.status_code == 400
    assert "Location" not in page.headers


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
def test_the_application_learns_which_parameter_was_wrong(
    browser: Browser, query: dict[str, Any], error: str
) -> None:
    answer = sent_back(browser.open(**query))
    assert (answer["error"], answer["state"]) == (error, "s t&a=te")


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


def test_the_form_of_another_browser_is_refused(browser: Browser, there: Live) -> None:
    stranger = Browser(there)
    stranger.open()
    refused = stranger.send(browser.open(), password=PASSWORD)
    assert refused.status_code == 400
    assert "belongs to another browser" in refused.text
    assert "Location" not in refused.headers


def test_a_form_without_cookie_or_with_a_changed_letter_is_refused(browser: Browser) -> None:
    page = browser.open()
    for forged in ({"form": "x"}, {"form": ""}, {"decision": "deny", "form": "x.y.z"}):
        assert browser.send(page, password=PASSWORD, **forged).status_code == 400
    browser.session.cookies.clear()
    assert browser.send(page, password=PASSWORD).status_code == 400
