"""A login: state, PKCE, the loopback redirect, a pasted callback URL."""

import base64
import hashlib
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import time
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

WEB = el.Application(authority.CLIENT_ID, authority.CLIENT_SECRET, "https://lab.example/callback")


@pytest.fixture
def there():
    with faulty.server(Authority()) as running:
        yield running


@pytest.fixture
def paste():
    """A pipe that stands for the terminal: `paste.send(text)`, and the stream to read."""
    reader, writer = os.pipe()
    with os.fdopen(reader) as stream, os.fdopen(writer, "w") as far:
        stream.far = far
        yield stream


def send(stream, text):
    stream.far.write(text)
    stream.far.flush()


# The loopback redirect
def test_the_code_comes_in_on_the_loopback_redirect(home, there, capfd):
    browser = Browser(returns())
    who = credentials(home, there.url, application=FREE)
    token = login(who, open_browser=False, say=browser.say)
    (seen,) = there.requests
    query = browser.query
    assert browser.address.startswith(f"{there.url}/v1/oauth/authorize?")
    assert query["response_type"] == "code"
    assert query["client_id"] == authority.CLIENT_ID
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/callback", query["redirect_uri"])
    assert seen.form["redirect_uri"] == query["redirect_uri"]
    assert query["code_challenge_method"] == "S256"
    digest = hashlib.sha256(seen.form["code_verifier"].encode()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == query["code_challenge"]
    assert 43 <= len(seen.form["code_verifier"]) <= 128
    assert len(query["state"]) >= 22
    assert who.store.load() == token
    page = browser.visited.result()
    assert (page.status_code, "You can close this window." in page.text) == (200, True)
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert query["state"] not in page.text + str(page.headers)
    shown = "".join(browser.lines) + "".join(capfd.readouterr()) + page.text + str(page.headers)
    form = seen.form
    for secret in (authority.CODE, authority.CLIENT_SECRET, form["code_verifier"], *who.secrets):
        assert secret not in shown
    login(who, open_browser=False, say=browser.say)
    again = browser.query
    assert not {again["state"], again["code_challenge"]} & {query["state"], query["code_challenge"]}


def test_by_default_the_address_goes_to_stderr_and_nothing_to_stdout(home, there, capfd):
    with pytest.raises(el.AuthorizationError, match="no code came within 0 s"):
        login(credentials(home, there.url, application=FREE), open_browser=False, timeout=0.05)
    out, err = capfd.readouterr()
    assert out == ""
    assert f"{there.url}/v1/oauth/authorize?" in err


def test_a_stale_or_forged_callback_gets_400_and_the_login_goes_on_waiting(home, there):
    forged = [
        {"state": "another"},
        {"state": ""},
        {"state": None},
        {"code": None},
        {"code": None, "error": "access_denied", "state": None},
        {"code": None, "error": "access_denied", "state": "another"},
        {"error": "access_denied"},
        {"code": ""},
    ]

    def visit(query):
        seen = [returns(**changes)(query) for changes in forged]
        assert there.requests == []
        return [*seen, returns()(query)]

    browser = Browser(visit)
    who = credentials(home, there.url, application=FREE)
    token = login(who, open_browser=False, say=browser.say, timeout=30)
    *refused, last = browser.visited.result()
    assert [page.status_code for page in refused] == [400] * len(forged)
    assert all("still waits" in page.text for page in refused)
    assert (last.status_code, who.store.load()) == (200, token)
    assert len(there.requests) == 1


REFUSED = {
    "denied": (
        {"code": None, "error": "access_denied", "error_description": "the wearer\nsaid no"},
        "denied on the login page, and nothing was shared",
        200,
    ),
    "refused": (
        {"code": None, "error": "server_error", "error_description": "out of\norder <now>"},
        "server_error: out of order <now>",
        400,
    ),
    "another code": ({"code": "another-code"}, "invalid_grant", 200),
}


@pytest.mark.parametrize(("changes", "says", "status"), REFUSED.values(), ids=REFUSED)
def test_a_login_that_is_denied_or_refused_says_so_without_the_code(
    home, there, changes, says, status
):
    browser = Browser(returns(**changes))
    with pytest.raises(el.AuthorizationError, match=says) as caught:
        login(credentials(home, there.url, application=FREE), open_browser=False, say=browser.say)
    page = browser.visited.result()
    assert page.status_code == status
    assert ("You denied access; nothing was shared</h1>" in page.text) is ("denied" in says)
    assert "another-code" not in str(caught.value)


def test_the_wait_is_bounded_and_the_port_given_back(home, there):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        uri = f"http://127.0.0.1:{taken.getsockname()[1]}/callback"
    application = el.Application(authority.CLIENT_ID, authority.CLIENT_SECRET, uri)
    who = credentials(home, there.url, application=application)
    for _ in range(2):
        with pytest.raises(el.AuthorizationError, match="no code came"):
            login(who, open_browser=False, say=lambda _: None, timeout=0.2)


def test_a_port_in_use_is_reported_and_pasting_still_works(home, there, paste):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        uri = f"http://127.0.0.1:{taken.getsockname()[1]}/callback"
        application = el.Application(authority.CLIENT_ID, authority.CLIENT_SECRET, uri)
        who = credentials(home, there.url, application=application)
        with pytest.raises(el.ConfigurationError, match="cannot listen on port"):
            login(who, open_browser=False, say=lambda _: None)
        browser = Browser(lambda _: send(paste, f"{authority.CODE}\n"))  # the code alone
        assert login(who, open_browser=False, paste=paste, say=browser.say)
        assert "cannot listen" in browser.lines[0]


# Pasting
def test_a_pasted_callback_url_serves_where_the_redirect_goes_elsewhere(home, there, paste):
    def visit(query):
        send(paste, f"{WEB.redirect_uri}?code=other&state=another\n")
        send(paste, f"\nnot this one, sorry\n  {query['redirect_uri']}?code={authority.CODE}")
        time.sleep(0.1)
        send(paste, f"&state={query['state']}\n")

    browser = Browser(visit)
    who = credentials(home, there.url, application=WEB)
    assert login(who, open_browser=False, paste=paste, say=browser.say) == who.token
    assert there.requests[0].form["redirect_uri"] == WEB.redirect_uri
    assert "neither the callback URL of this login nor a code" in browser.lines[-1]


def test_pasting_works_while_listening(home, there, paste):
    browser = Browser(lambda query: send(paste, f"?state={query['state']}&code={authority.CODE}\n"))
    who = credentials(home, there.url, application=FREE)
    assert login(who, open_browser=False, paste=paste, say=browser.say)


def test_the_end_of_input_ends_the_login_only_if_nothing_else_can_bring_a_code(home, there, paste):
    paste.far.close()
    with pytest.raises(el.AuthorizationError, match="no code was pasted"):
        login(
            credentials(home, there.url, application=WEB),
            open_browser=False,
            paste=paste,
            say=lambda _: None,
        )
    browser = Browser(returns())
    who = credentials(home, there.url, application=FREE)
    assert login(who, open_browser=False, paste=paste, say=browser.say)


def test_a_login_needs_an_application(home, there):
    with pytest.raises(el.ConfigurationError, match="EYELOG_CLIENT_ID"):
        login(credentials(home, there.url, application=None), open_browser=False)


# For real
BROWSER = """
import re, sys, urllib.parse, html, requests
session = requests.Session()
page = session.get(sys.argv[1], timeout=20)
form = html.unescape(re.search(r'name="form" value="([^"]*)"', page.text)[1])
there = urllib.parse.urljoin(page.url, re.search(r'action="([^"]*)"', page.text)[1])
data = {"form": form, "name": "wearer", "password": "a long password", "decision": sys.argv[2]}
last = session.post(there, data=data, timeout=20)
assert last.status_code == 200, last.text
"""


LOGIN = """
import sys
import eyelog as el
from eyelog.fetch.oauth import login
who = el.connect().credentials
try:
    login(who, timeout=30)
except Exception as fault:
    sys.exit(f"{type(fault).__name__}: {fault}")
print(who.refresh().expires_at is not None)
who.revoke()
"""


@pytest.fixture
def service(tmp_path, monkeypatch):
    """The project's own service with one account and one application, set up in the environment."""
    from eyelog_service.app import running
    from eyelog_service.grants import Registry

    archive = tmp_path / "archive"
    archive.mkdir()
    registry = Registry(archive)
    registry.accounts.add("wearer", "a long password")
    redirect_uri = "http://127.0.0.1/callback"
    client_id, client_secret = registry.applications.add(redirect_uri)
    with running(archive) as url:
        monkeypatch.setenv("EYELOG_BASE_URL", url)
        monkeypatch.setenv("EYELOG_CLIENT_ID", client_id)
        monkeypatch.setenv("EYELOG_CLIENT_SECRET", client_secret)
        monkeypatch.setenv("EYELOG_REDIRECT_URI", redirect_uri)
        yield url


@pytest.mark.slow("a real browser shows the page")
@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_browser_login_at_the_service_works_for_real(home, tmp_path, decision):
    script = tmp_path / "browser.py"
    script.write_text(BROWSER)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOGIN],
        env=os.environ | {"BROWSER": f"{sys.executable} {script} %s {decision} &"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if decision == "allow":
        assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    else:
        assert done.returncode == 1
        assert "denied on the login page, and nothing was shared" in done.stderr
    assert list(home.glob("tokens/*.json")) == []


@pytest.mark.usefixtures("service")
def test_ctrl_c_ends_a_login_at_once():
    child = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", LOGIN],
        env=os.environ | {"BROWSER": "true"},
        stderr=subprocess.PIPE,
        text=True,
    )
    while "http" not in child.stderr.readline():
        assert child.poll() is None
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=10)
    assert "KeyboardInterrupt" in err
    assert "Exception in thread" not in err


# An application, and the address of its login page
@pytest.mark.parametrize("values", [("", "s"), ("i", " "), (7, "s")])
def test_an_application_needs_all_its_parts_and_hides_its_secret(values):
    with pytest.raises(el.ConfigurationError, match="is empty"):
        el.Application(*values, "http://127.0.0.1/")
    assert authority.CLIENT_SECRET not in repr(WEB)


def test_the_login_page_and_its_extra_parameters_are_configurable(home, there, monkeypatch):
    monkeypatch.setenv("EYELOG_AUTHORIZE_URL", "https://login.example/go?service_id=s%26t&v")
    browser = Browser(returns())
    login(credentials(home, there.url, application=FREE), open_browser=False, say=browser.say)
    assert browser.address.startswith("https://login.example/go?response_type=code&")
    assert browser.address.endswith("&service_id=s%26t&v=")


@pytest.mark.parametrize("page", ["https://l/?state=x", "ftp://l", "nonsense", "https://u:p@l/"])
def test_an_invalid_login_page_is_refused(home, there, page, monkeypatch):
    monkeypatch.setenv("EYELOG_AUTHORIZE_URL", page)
    with pytest.raises(el.ConfigurationError, match="EYELOG_AUTHORIZE_URL"):
        login(credentials(home, there.url, application=FREE), open_browser=False)


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
