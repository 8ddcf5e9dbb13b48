"""A form comes back from the browser that got it, soon, and from no other site."""

from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.responses import Response

from eyelog_service.oauth import SignedForms, set_cookie, signer
from eyelog_service.web import Problem
from support.login_page import PASSWORD, Browser

KEY = b"k" * 32


def request(cookie: str = "", key: bytes = KEY, purpose: str = "page", **scope: object) -> Request:
    """Return a request to a service with a key."""
    headers = [(b"cookie", f"eyelog_{purpose}={cookie}".encode())] if cookie else []
    whole = {"type": "http", "scheme": "http", "headers": headers, "path": "/", "query_string": b""}
    registry = SimpleNamespace(signing_key=lambda: key)
    app = SimpleNamespace(state=SimpleNamespace(parts=SimpleNamespace(registry=registry)))
    return Request({**whole, "server": ("127.0.0.1", 80), "app": app, **scope})


def test_no_other_browser_page_or_key_accepts_a_form(monkeypatch) -> None:
    forms, elsewhere = SignedForms("page", "/page"), SignedForms("other", "/page")
    browser, other = (forms.browser(request()) for _ in range(2))
    form = forms.sign(request(), browser, "ada")
    unsigned = signer(request(), "page")
    for made in (
        lambda: forms.values(request(other), form),
        lambda: forms.values(request(), form),
        lambda: elsewhere.values(request(browser, purpose="other"), form),
        lambda: forms.values(request(browser, key=b"x" * 32), form),
        lambda: forms.values(request(browser), browser),
        lambda: forms.values(request(browser), unsigned.dumps("text")),
        lambda: forms.values(request(browser), unsigned.dumps([])),
    ):
        with pytest.raises(Problem, match="too old, or belongs to another browser"):
            made()
    assert forms.values(request(browser), form) == ["ada"]
    monkeypatch.setattr("eyelog_service.oauth._SECONDS", -1)
    with pytest.raises(Problem, match="too old"):
        forms.values(request(browser), form)


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
def test_a_cookie_stays_on_its_path_and_is_secure_where_the_service_is(
    scheme: str, secure: bool
) -> None:
    answer = Response()
    seen = request(scheme=scheme, root_path="/eyelog")
    set_cookie(seen, answer, "n", "v", path="/account", max_age=9)
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
