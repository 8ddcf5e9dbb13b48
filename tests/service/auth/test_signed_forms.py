"""A form comes back from the browser that got it, soon, and from no other site."""

import pytest
from starlette.requests import Request
from starlette.responses import Response

from eyelog_service.auth.forms import SignedForms, serializer, set_cookie
from eyelog_service.responses import Problem
from support.login_page import PASSWORD, Browser

KEY = b"k" * 32


def request(cookie: str = "", **scope: object) -> Request:
    headers = [(b"cookie", f"visit={cookie}".encode())] if cookie else []
    whole = {"type": "http", "scheme": "http", "headers": headers, "path": "/", "query_string": b""}
    return Request({**whole, "server": ("127.0.0.1", 80), **scope})


def forms(purpose: str = "a page", key: bytes = KEY) -> SignedForms:
    return SignedForms(lambda: key, purpose, cookie="visit", path="/page")


def test_no_other_browser_page_or_key_accepts_a_form(monkeypatch) -> None:
    browser, other = (forms().browser(request()) for _ in range(2))
    form = forms().sign(browser, "ada")
    for made in (
        lambda: forms().values(request(other), form),
        lambda: forms().values(request(), form),
        lambda: forms("another page").values(request(browser), form),
        lambda: forms(key=b"x" * 32).values(request(browser), form),
        lambda: forms().values(request(browser), browser),
        lambda: forms().values(request(browser), serializer(KEY, "a page").dumps("text")),
        lambda: forms().values(request(browser), serializer(KEY, "a page").dumps([])),
    ):
        with pytest.raises(Problem, match="too old, or belongs to another browser"):
            made()
    monkeypatch.setattr("eyelog_service.auth.forms._SECONDS", -1)
    with pytest.raises(Problem, match="too old"):
        forms().values(request(browser), form)


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
def test_a_cookie_stays_on_its_path_and_is_secure_where_the_service_is(
    scheme: str, secure: bool
) -> None:
    answer = Response()
    set_cookie(request(scheme=scheme, root_path="/eyelog"), answer, "n", "v", 9, "/account")
    cookie = answer.headers["set-cookie"]
    assert "Path=/eyelog/account" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert ("Secure" in cookie) == secure


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
