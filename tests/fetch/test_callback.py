"""The callback of a login: its code, its state, and who may listen."""

import queue
import re
import socket
from urllib.parse import urlencode, urlsplit

import pytest
import requests

import eyelog as el
from eyelog.fetch.oauth import code_of, login, receiving
from support import authority, faulty
from support.authority import Authority
from support.browser import FREE, Browser, returns
from support.chromium import DESK, PHONE, chromium, needs_chromium
from support.fetching import credentials


@pytest.fixture
def there():
    with faulty.server(Authority()) as running:
        yield running


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.parametrize("port", [":0", ""])
def test_any_loopback_address_gets_a_free_port(home, there, host, port):
    if host == "[::1]" and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    application = el.Application(
        authority.CLIENT_ID, authority.CLIENT_SECRET, f"http://{host}{port}/cb?app=1"
    )
    try:
        with receiving(application.redirect_uri, "s", queue.SimpleQueue()):
            pass
    except el.ConfigurationError:
        pytest.skip("no IPv6 loopback here")

    def visit(query):
        callback = urlencode({"code": authority.CODE, "state": query["state"]})
        return requests.get(f"{query['redirect_uri']}&{callback}", timeout=5)

    browser = Browser(visit)
    who = credentials(home, there.url, application=application)
    login(who, open_browser=False, say=browser.say)
    assert browser.query["redirect_uri"].startswith(f"http://{host}:")
    assert browser.query["redirect_uri"].endswith("/cb?app=1")


def test_a_registered_port_is_listened_on_and_sent_as_registered(home, there):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        uri = f"http://127.0.0.1:{taken.getsockname()[1]}/callback"
    application = el.Application(authority.CLIENT_ID, authority.CLIENT_SECRET, uri)
    browser = Browser(returns())
    login(
        credentials(home, there.url, application=application), open_browser=False, say=browser.say
    )
    assert browser.query["redirect_uri"] == uri


def test_the_page_shown_in_the_end_holds_no_secret_and_is_not_kept(home, there):
    browser = Browser(returns())
    login(credentials(home, there.url, application=FREE), open_browser=False, say=browser.say)
    page = browser.visited.result()
    assert page.status_code == 200
    assert "You can close this window." in page.text
    for secret in (authority.CODE, browser.query["state"]):
        assert secret not in page.text + str(page.headers)
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_icons_idle_connections_and_reloads_do_not_end_the_wait(home, there):
    def visit(query):
        base = query["redirect_uri"]
        port = urlsplit(base).port
        with socket.create_connection(("127.0.0.1", port)):  # opened ahead, never used
            icon = requests.get(base.replace("/callback", "/favicon.ico"), timeout=5)
            bare = requests.get(base, timeout=5)
            with socket.create_connection(("127.0.0.1", port)) as noise:
                noise.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
            posted = requests.post(base, data={"code": "x"}, timeout=5)
            last = returns()(query)
        return [each.status_code for each in (icon, bare, posted, last)]

    browser = Browser(visit)
    login(credentials(home, there.url, application=FREE), open_browser=False, say=browser.say)
    assert browser.visited.result() == [404, 400, 501, 200]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("https://h/cb?code=abc&state=st", "abc"),
        ("<https://h/cb?state=st&code=a%2Bb%2F%3D>", "a+b/="),
        ("  'code=abc&state=st' ", "abc"),
        ("?code=abc&state=st#_", "abc"),
        ("com.example.app:/cb?code=abc&state=st", "abc"),
        ("abc", "abc"),
        ("SplxlOBeZQQYbYS6WxSbIA==", "SplxlOBeZQQYbYS6WxSbIA=="),
        ("two words", None),
        ("", None),
        ("https://h/cb", None),
        ("https://h/cb?code=", None),
        ("https://h/cb?state=st", None),
        ("a\x00b", None),
        ("https://h/cb?x=y", None),
    ],
)
def test_the_code_is_read_from_a_pasted_text(text, code):
    assert code_of(text, state="st") == code


@pytest.mark.parametrize(
    "query",
    [
        "code=a&state=x",
        "code=a",
        "code=a&code=b&state=st",
        "code=a&state=st&state=x",
        "code=a&state=st&error=e",
        "error=e&state=x",
        "error=access_denied",
    ],
)
def test_a_callback_of_another_login_says_nothing_about_this_one(query):
    assert code_of(f"http://127.0.0.1/?{query}", state="st") is None


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("error=access_denied&state=st", "nothing was shared"),
        ("error=server_error&state=st", r"refused \(server_error\)"),
    ],
)
def test_a_denial_and_a_refusal_say_what_to_type(query, said):
    refused = code_of(f"http://127.0.0.1/?{query}", state="st")
    assert isinstance(refused, el.AuthorizationError)
    assert re.search(f"{said}.*`eyelog login`", str(refused))


@pytest.mark.parametrize(
    "uri",
    [
        "https://localhost:9/cb",
        "http://lab.example/cb",
        "http://localhost.example/cb",
        "com.example.app:/cb",
    ],
)
def test_only_plain_http_on_loopback_can_be_listened_on(home, there, uri):
    elsewhere = el.Application(authority.CLIENT_ID, authority.CLIENT_SECRET, uri)
    with pytest.raises(el.ConfigurationError, match="must be pasted"):
        login(credentials(home, there.url, application=elsewhere), open_browser=False)


@pytest.mark.slow("a real browser shows the page")
@needs_chromium
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_axe_finds_nothing_on_the_pages_shown_in_the_end(width):
    answers = queue.SimpleQueue()
    ends = {
        "code=abcdefgh&state=s": "You allowed access",
        "error=access_denied&state=s": "You denied access; nothing was shared",
        "error=server_error&state=s": "The login did not work",
    }
    with (
        chromium() as window,
        receiving("http://127.0.0.1/callback", "s", answers) as uri,
    ):
        for query, title in ends.items():
            for dark in (False, True):
                window.open(f"{uri}?{query}", width=width, dark=dark)
                assert window.run("return document.querySelector('h1').textContent") == title
                assert window.driver.title == f"{title} - eyelog"
                assert window.axe() == []
                assert not window.scrolls_sideways()
        assert all(there.startswith("http://127.0.0.1") for there in window.requests())
