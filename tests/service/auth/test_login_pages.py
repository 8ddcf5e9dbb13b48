"""The login page: what it shows, and how it keeps out caches, frames and scripts."""

import base64
import hashlib
import re
from urllib.parse import urlencode, urljoin

import pytest

from support.chromium import DESK, PHONE, chromium, needs_chromium
from support.login_page import CALLBACK, Browser


def test_the_page_shows_who_asks_for_what_and_where_the_answer_goes(browser: Browser) -> None:
    page = browser.open()
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for shown in (browser.there.client_id, CALLBACK, "15-second", "<code>official</code>"):
        assert shown in page.text
    assert "<script" not in page.text


def test_the_page_calls_the_application_by_its_name_and_links_to_the_account(
    browser: Browser,
) -> None:
    client_id, _ = browser.there.registry.applications.add(CALLBACK, name="Sleep <study>")
    page = browser.open(client_id=client_id)
    assert "<h1>Allow Sleep &lt;study&gt; to read your data?</h1>" in page.text
    assert "<title>Allow Sleep &lt;study&gt; to read your data? - eyelog</title>" in page.text
    assert client_id in page.text
    link = re.search(r'<a href="([^"]*)">your account page</a>', page.text)
    assert link is not None
    assert urljoin(browser.url, link[1]) == f"{browser.there.url}/account"
    assert "where you were" in page.text


def test_the_page_cannot_be_cached_framed_or_scripted(browser: Browser) -> None:
    headers = browser.open().headers
    assert headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    # Browsers hold the redirect after the form against the policy too.
    assert "form-action 'self' http://127.0.0.1:5007;" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_the_policy_allows_the_style_of_the_page(browser: Browser) -> None:
    page = browser.open()
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    hashed = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"'sha256-{hashed}'" in page.headers["Content-Security-Policy"]


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
