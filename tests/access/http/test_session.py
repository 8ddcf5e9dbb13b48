"""One session: bearer below the cache, retries, whole answers, typed errors."""

import email.utils
import gzip
import json
import logging
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import pytest
import requests
import requests_cache
from hypothesis import given
from hypothesis import strategies as st

from eyelog.access.http import adapter
from eyelog.access.http.faults import refusal
from eyelog.access.http.forks import PerProcess
from eyelog.access.http.session import attach, fetch
from eyelog.errors import AuthorizationError, RateLimited, Refused, ServerFault, Unreachable
from support import authority, faulty
from support.access import credentials, fresh, session_of
from support.authority import Authority
from support.paths import TESTS

PAYLOAD = {"computed_data": {"9": [{"date": "2026-10-24T09:00:00+00:00", "n": 1}] * 50}}
GOOD = faulty.answer(PAYLOAD)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(adapter, "BACKOFF", 0.01)


@pytest.fixture
def get(home):
    """Fetch from a scripted server, as the client does."""
    sessions = []

    def ask(there, path="/v2/x", *, token="token-of-tests", params=None):
        who = credentials(home, there.url, token=fresh(access_token=token))
        sessions.append(session_of(who))
        return fetch(sessions[-1], there.url + path, params, where="the data of Sunday")

    yield ask
    for each in sessions:
        each.close()


# What is sent


def test_a_request_carries_the_bearer_and_asks_for_compressed_json(get):
    with faulty.server(GOOD) as there:
        response = get(there, params={"date_from": "2026-10-24T00:00:00+09:00", "cursor": "a+/="})
        (seen,) = there.requests
    assert response.json() == PAYLOAD
    assert seen.headers["authorization"] == "Bearer token-of-tests"
    assert seen.headers["accept"] == "application/json"
    assert seen.headers["accept-encoding"] == "gzip, zstd"
    assert seen.query == {"date_from": "2026-10-24T00:00:00+09:00", "cursor": "a+/="}
    # What lies above, a cache for one, must not learn the token from the answer.
    assert "Authorization" not in response.request.headers


def test_the_bearer_goes_to_addresses_under_the_base_url_alone(home):
    with faulty.server(GOOD) as ours, faulty.server(GOOD) as other:
        who = credentials(home, ours.url + "/lab", token=fresh())
        session = session_of(who)
        session.headers["Authorization"] = "Bearer left-over"
        for url in (ours.url + "/lab/v2", ours.url + "/v2", ours.url + "/laboratory", other.url):
            fetch(session, url, where="data")
        session.close()
        assert [seen.bearer for seen in ours.requests] == ["access-token-0", None, None]
        assert [seen.bearer for seen in other.requests] == [None]


@pytest.mark.parametrize("path", ["", "/lab", "/lab/", "/日本"])
def test_a_base_url_may_be_spelt_in_any_way(home, path):
    with faulty.server(GOOD) as there:
        base = there.url.replace("http://127.0.0.1", "HTTP://LocalHost") + path
        who = credentials(home, base, token=fresh())
        session = requests.Session()
        attach(session, base, who, workers=1)
        fetch(session, who.base_url + "/v2/x", where="data")
        fetch(session, base.rstrip("/") + "/v2/x", where="data")
        session.close()
        assert [seen.bearer for seen in there.requests] == ["access-token-0"] * 2


def test_a_loopback_service_is_asked_directly_also_where_a_proxy_is_set(get, monkeypatch):
    with faulty.server(faulty.html(502)) as proxy, faulty.server(GOOD) as there:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        assert get(there).json() == PAYLOAD
        assert proxy.requests == []


def test_a_redirect_is_refused_and_nothing_is_sent_to_where_it_points(get):
    with faulty.server(GOOD) as other:
        away = faulty.Answer(302, b"", {"Location": other.url + "/v2/x?code=hunter22"})
        with faulty.server(away) as there, pytest.raises(Refused, match="points to") as told:
            get(there)
        assert other.url in str(told.value)
        assert "hunter22" not in str(told.value)
        assert other.requests == []


def test_even_a_session_that_follows_redirects_sends_no_bearer_to_another_host(home):
    with faulty.server(GOOD) as other:
        away = faulty.Answer(302, b"", {"Location": other.url + "/x"})
        with faulty.server(away) as there:
            session = session_of(credentials(home, there.url, token=fresh()))
            assert session.get(there.url + "/v2/x").json() == PAYLOAD
            session.close()
        assert [seen.bearer for seen in other.requests] == [None]
        assert "authorization" not in other.requests[0].headers


def test_netrc_is_never_used(home, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login someone password hunter22\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with faulty.server(Authority(live={"access-token-0"})) as there:
        who = credentials(home, there.url, token=fresh())
        session = session_of(who)
        fetch(session, there.url + "/v2/x", where="data")
        who.exchange(authority.CODE)
        session.close()
        data, exchange = there.requests
        assert data.bearer == "access-token-0"
        assert "authorization" not in exchange.headers


def test_cookies_are_neither_kept_nor_handed_on(home):
    baked = faulty.answer(PAYLOAD, headers={"Set-Cookie": "id=hunter22; Path=/"})
    with faulty.server(baked) as there:
        session = session_of(credentials(home, there.url, token=fresh()))
        for _ in range(2):
            response = fetch(session, there.url + "/v2/x", where="data")
        session.close()
        assert "cookie" not in there.requests[1].headers
    assert not response.cookies
    assert "Set-Cookie" not in response.headers


def test_connections_are_reused(home):
    kinds = [GOOD, faulty.compressed(PAYLOAD), faulty.compressed(PAYLOAD, how="zstd")]
    with faulty.server(*kinds, faulty.error(503), faulty.error(404), GOOD) as there:
        session = session_of(credentials(home, there.url, token=fresh()))
        for _ in range(4):
            try:
                fetch(session, there.url + "/v2/x", where="data")
            except Refused:
                continue
        session.close()
        assert len(there.requests) == 5
        assert len({seen.client for seen in there.requests}) == 1


def test_a_cache_above_it_holds_no_token_and_survives_its_rotation(home, tmp_path):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=fresh())
        session = requests_cache.CachedSession(str(tmp_path / "cache"), backend="sqlite")
        attach(session, there.url, who, workers=1)
        first = fetch(session, there.url + authority.DATA, where="data")
        who.refresh()
        again = fetch(session, there.url + authority.DATA, where="data")
        session.close()
        assert (first.from_cache, again.from_cache) == (False, True)
        assert again.content == first.content
        assert there.count(path=authority.DATA) == 2  # the 401 and its replay
    with sqlite3.connect(tmp_path / "cache.sqlite") as database:
        dump = repr(list(database.execute("select * from responses")))
    database.close()
    for secret in (*who.secrets, "Bearer", "Authorization"):
        assert secret not in dump


# 401


def test_a_401_is_met_with_one_refresh_and_one_replay(home):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=fresh())
        session = session_of(who)
        assert fetch(session, there.url + authority.DATA, where="data").status_code == 200
        session.close()
        assert [seen.path for seen in there.requests] == [
            authority.DATA,
            "/v1/oauth/token",
            authority.DATA,
        ]


def test_a_second_401_is_final(home):
    def never(request: faulty.Request) -> faulty.Answer:
        if request.method == "POST":
            return faulty.answer({"access_token": "another-token", "token_type": "bearer"})
        return faulty.error(401, "invalid_token", f"{request.bearer} is not welcome")

    with faulty.server(never) as there:
        session = session_of(credentials(home, there.url, saved=fresh()))
        with pytest.raises(AuthorizationError, match="eyelog login") as told:
            fetch(session, there.url + "/v2/x", where="data")
        session.close()
        assert [seen.method for seen in there.requests] == ["GET", "POST", "GET"]
    assert told.value.status == 401
    assert "another-token" not in str(told.value)


def test_a_401_without_a_refresh_token_says_to_log_in(home):
    with faulty.server(Authority()) as there:
        session = session_of(credentials(home, there.url, token=fresh(refresh_token=None)))
        with pytest.raises(AuthorizationError, match="eyelog login"):
            fetch(session, there.url + "/v2/x", where="data")
        session.close()
        assert len(there.requests) == 1


# Retries


@pytest.mark.parametrize(
    "fault",
    [
        faulty.error(429),
        faulty.error(500),
        faulty.error(502),
        faulty.html(503),
        faulty.error(504),
        faulty.error(503, retry_after="0"),
        faulty.error(503, retry_after="nonsense"),
        faulty.RESET,
        faulty.half(PAYLOAD),
        faulty.chunked_half(PAYLOAD),
        faulty.compressed(PAYLOAD, cut=9),
        faulty.compressed(PAYLOAD, cut=1),
        faulty.compressed(PAYLOAD, how="zstd", cut=9),
        faulty.Answer(200, b"no gzip", {"Content-Encoding": "gzip"}),
    ],
)
def test_what_passes_is_tried_again_at_least_twice(get, fault):
    with faulty.server(fault, fault, GOOD) as there:
        assert get(there).json() == PAYLOAD
        assert len(there.requests) == 3


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 422, 501, 505])
def test_what_stays_wrong_is_not_tried_again(get, status):
    with faulty.server(faulty.error(status)) as there:
        with pytest.raises((Refused, ServerFault)) as told:
            get(there)
        assert len(there.requests) == 1
    assert told.value.status == status
    assert not told.value.retryable


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (faulty.error(429), RateLimited, "429 Too Many Requests"),
        (faulty.error(500), ServerFault, "500 Internal Server Error"),
        (faulty.error(503), ServerFault, "some_error: so it is"),
        (faulty.html(503), ServerFault, "an HTML page"),
        (faulty.empty(502), ServerFault, "an empty body"),
        (faulty.answer(["x"], 500), ServerFault, "no error object"),
        (faulty.RESET, Unreachable, "reset"),
        (faulty.half(PAYLOAD), Unreachable, "cut short"),
        (faulty.chunked_half(PAYLOAD), Unreachable, "cut short"),
        (faulty.compressed(PAYLOAD, cut=9), Unreachable, "cut short or damaged"),
    ],
)
def test_what_does_not_pass_is_a_retryable_typed_error(get, fault, kind, words):
    with faulty.server(fault) as there:
        with pytest.raises(kind, match=words) as told:
            get(there)
        assert len(there.requests) == 1 + adapter.RETRIES
    assert told.value.retryable
    assert str(told.value).startswith("the data of Sunday: ")


def test_retry_after_in_seconds_is_waited_for(get):
    with faulty.server(faulty.error(429, retry_after="1"), GOOD) as there:
        get(there)
        first, second = there.requests
    assert 1.0 <= second.at - first.at < 10


def test_retry_after_as_a_date_is_waited_for(get):
    when = email.utils.formatdate(time.time() + 2, usegmt=True)
    with faulty.server(faulty.error(503, retry_after=when), GOOD) as there:
        get(there)
        first, second = there.requests
    assert 0.2 <= second.at - first.at < 10


@pytest.mark.parametrize(("status", "kind"), [(429, RateLimited), (503, ServerFault)])
@pytest.mark.parametrize("how", ["seconds", "date"])
def test_over_a_minute_of_retry_after_raises_at_once(get, status, kind, how):
    told = "3600" if how == "seconds" else email.utils.formatdate(time.time() + 3600, usegmt=True)
    with faulty.server(faulty.error(status, retry_after=told)) as there:
        begun = time.monotonic()
        with pytest.raises(kind, match=r"try again in 3[56]") as error:
            get(there)
        assert time.monotonic() - begun < 20
        assert len(there.requests) == 1
    assert error.value.retry_after == pytest.approx(3600, abs=5)


def test_the_quota_is_told(get):
    reset = str(int(time.time()) + 1800)
    quota = {"x_ratelimit_limit": "10000", "x_ratelimit_remaining": "0"}
    with faulty.server(faulty.error(429, x_ratelimit_reset=reset, **quota)) as there:
        with pytest.raises(RateLimited, match="limit 10000, remaining 0") as told:
            get(there)
        assert len(there.requests) == 1
    assert (told.value.limit, told.value.remaining) == (10_000, 0)
    assert told.value.retry_after == pytest.approx(1800, abs=5)


@given(st.text(st.characters(codec="latin-1")), st.text(st.characters(codec="latin-1")))
def test_no_header_can_break_the_reading_of_headers(told, reset):
    response = requests.Response()
    response.status_code = 429
    for headers in ({"Retry-After": told}, {"X-RateLimit-Reset": reset}):
        response.headers.update(headers)
        wait = adapter.retry_after(response)
        assert wait is None or wait >= 0
        response.headers.clear()


@given(st.binary() | st.recursive(st.none() | st.text(), lambda s: st.dictionaries(st.text(), s)))
def test_no_body_can_break_an_error(body):
    response = requests.Response()
    response.status_code = 400
    response._content = body if isinstance(body, bytes) else json.dumps({"error": body}).encode()
    response.request = requests.Request("GET", "http://127.0.0.1/x").prepare()
    assert str(refusal(response, where="data")).startswith("data: 400 Bad Request from GET /x (")


@pytest.mark.parametrize("reset", ["soon", "-1", "1e9", "9" * 40, ""])
def test_a_strange_quota_is_no_hindrance(get, reset):
    headers = {"x_ratelimit_reset": reset, "x_ratelimit_limit": "9" * 40}
    with faulty.server(faulty.error(429, **headers), GOOD) as there:
        get(there)
        assert len(there.requests) == 2


def test_all_tries_together_are_bounded(get, monkeypatch):
    monkeypatch.setattr(adapter, "PATIENCE", 1.5)
    with faulty.server(faulty.error(503, retry_after="1")) as there:
        begun = time.monotonic()
        with pytest.raises(ServerFault):
            get(there)
        assert time.monotonic() - begun < 10
        assert len(there.requests) == 2


def test_closing_the_session_ends_the_wait_of_a_retry(home):
    with faulty.server(faulty.error(503, retry_after="50")) as there:
        session = session_of(credentials(home, there.url, token=fresh()))
        threading.Timer(0.3, session.close).start()
        begun = time.monotonic()
        with pytest.raises(Unreachable):
            fetch(session, there.url + "/v2/x", where="data")
        assert time.monotonic() - begun < 10


# No answer


def test_a_silent_service_is_given_up_in_time(get, monkeypatch):
    monkeypatch.setattr("eyelog.access.http.session.TIMEOUT", (1.0, 0.2))
    with faulty.server(faulty.slow(PAYLOAD, 1.0)) as there:
        begun = time.monotonic()
        with pytest.raises(Unreachable, match="took too long") as told:
            get(there)
        assert time.monotonic() - begun < 10
        assert len(there.requests) == 1 + adapter.RETRIES
    assert told.value.retryable


def test_a_body_that_trickles_for_ever_is_given_up(get, monkeypatch):
    monkeypatch.setattr(adapter, "BODY_SECONDS", 0.3)
    monkeypatch.setattr(adapter, "PATIENCE", 0.2)
    with faulty.server(faulty.drip(PAYLOAD, 0.02)) as there:
        begun = time.monotonic()
        with pytest.raises(Unreachable, match="took too long"):
            get(there)
        assert time.monotonic() - begun < 10


def test_a_body_that_trickles_but_arrives_is_taken(get):
    with faulty.server(faulty.drip({"cursor": None}, 0.005)) as there:
        assert get(there).json() == {"cursor": None}


def test_a_refused_connection_is_unreachable(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    session = session_of(credentials(home, url, token=fresh()))
    with pytest.raises(Unreachable, match="connection was refused") as told:
        fetch(session, url + "/v2/x", {"code": "hunter22"}, where="data")
    assert told.value.retryable
    assert told.value.__cause__ is None
    assert "hunter22" not in str(told.value)


def test_an_unknown_host_is_unreachable(home):
    session = session_of(credentials(home, "https://no.such.host.invalid", token=fresh()))
    with pytest.raises(Unreachable, match="host name is not known") as told:
        fetch(session, "https://no.such.host.invalid/v2/x", where="data")
    assert told.value.retryable


def test_a_service_without_tls_is_said_to_be_so_at_once(home):
    with faulty.server(GOOD) as there:
        url = there.url.replace("http:", "https:")
        session = session_of(credentials(home, url, token=fresh()))
        with pytest.raises(Unreachable, match="TLS") as told:
            fetch(session, url + "/v2/x", where="data")
        session.close()
    assert not told.value.retryable


# What is read and said


def test_a_body_of_several_gzip_members_and_an_upper_case_coding_are_read(get):
    body = gzip.compress(b'{"a": ') + gzip.compress(b"1}")
    with faulty.server(faulty.Answer(200, body, {"Content-Encoding": "GZIP"})) as there:
        assert get(there).json() == {"a": 1}


def test_a_coding_that_was_not_asked_for_is_an_error(get):
    odd = faulty.Answer(200, b"x", {"Content-Encoding": "br"})
    with faulty.server(odd) as there, pytest.raises(Unreachable, match="compressed body"):
        get(there)


def test_an_error_hides_secrets_and_keeps_to_one_bounded_line(get):
    words = "token-of-tests\n" + "x" * 5000 + " code=hunter22 Bearer abcdefghijk"
    wild = faulty.error(400, "bad\x1b[31m", words)
    with faulty.server(wild) as there, pytest.raises(Refused) as told:
        get(there, params={"cursor": "c1", "access_token": "hunter22"})
    text = str(told.value)
    assert "GET /v2/x" in text
    assert "hunter22" not in text + str(told.value.url)
    assert "token-of-tests" not in text
    assert "\n" not in text
    assert "\x1b" not in text
    assert len(text) < 600
    assert told.value.url.endswith("/v2/x?cursor=c1&access_token=***")


def test_retries_are_logged_without_secrets(get, caplog):
    with faulty.server(faulty.error(503), GOOD) as there, caplog.at_level(logging.DEBUG):
        get(there, params={"code": "hunter22"})
    ours = [each for each in caplog.records if each.name == "eyelog.access"]
    assert len(ours) == 1
    assert "503 from GET" in ours[0].getMessage()
    assert "hunter22" not in ours[0].getMessage()
    assert "token-of-tests" not in caplog.text


# Forks

FORKED = """
import os, sys, threading, time
from pathlib import Path
from support import authority
from support.access import credentials, fresh, session_of
from eyelog.access.http.faults import refusal
from eyelog.access.http.forks import PerProcess
from eyelog.access.http.session import fetch
home, url = Path(sys.argv[1]), sys.argv[2]
who = credentials(home, url, saved=fresh())
sessions = PerProcess(lambda: session_of(who))
ask = lambda: fetch(sessions.get(), url + authority.DATA, where="data").status_code
assert ask() == 200
held = threading.Event()
def hold():
    with who._lock, sessions._lock:
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(0 if [ask(), ask()] == [200, 200] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_forked_child_uses_its_own_connection_and_no_lock_of_its_parent(home):
    with faulty.server(Authority(live={"access-token-0"})) as there:
        subprocess.run(
            [sys.executable, "-c", FORKED, str(home), there.url],
            cwd=TESTS,
            check=True,
            timeout=30,
        )
        parent, *child = (seen.client for seen in there.requests)
        assert len(child) == 2
        assert {parent}.isdisjoint(child)


def test_a_value_per_process_is_made_once_and_can_be_dropped():
    made = []
    sessions = PerProcess(lambda: made.append(1) or requests.Session())
    assert sessions.drop() is None
    assert sessions.get() is sessions.get()
    assert isinstance(sessions.drop(), requests.Session)
    sessions.get()
    assert len(made) == 2
