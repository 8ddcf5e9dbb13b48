"""Whatever goes wrong is a typed error with one sentence and no secret."""

import email.utils
import json
import socket
import time

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.fetch import session as session_module
from eyelog.fetch.session import check_base_url, fetch, refusal
from support import faulty
from support.fetching import credentials, fresh, session_of
from support.payload import GOOD, PAYLOAD


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (faulty.error(429), el.RateLimited, "429 Too Many Requests"),
        (faulty.error(500), el.ServerFault, "500 Internal Server Error"),
        (faulty.error(503), el.ServerFault, "some_error: so it is"),
        (faulty.html(503), el.ServerFault, "an HTML page"),
        (faulty.empty(502), el.ServerFault, "an empty body"),
        (faulty.answer(["x"], 500), el.ServerFault, "no error object"),
        (faulty.RESET, el.Unreachable, "reset"),
        (faulty.half(PAYLOAD), el.Unreachable, "cut short"),
        (faulty.chunked_half(PAYLOAD), el.Unreachable, "cut short"),
        (faulty.compressed(PAYLOAD, cut=9), el.Unreachable, "cut short or damaged"),
    ],
)
def test_a_fault_that_persists_is_a_retryable_typed_error(get, fault, kind, words):
    with faulty.server(fault) as there:
        with pytest.raises(kind, match=words) as caught:
            get(there)
        assert len(there.requests) == session_module.TRIES
    assert caught.value.retryable
    assert str(caught.value).startswith("the data of Sunday: ")


@pytest.mark.parametrize(("status", "kind"), [(429, el.RateLimited), (503, el.ServerFault)])
@pytest.mark.parametrize("how", ["seconds", "date"])
def test_over_a_minute_of_retry_after_raises_at_once(get, status, kind, how):
    retry_after = (
        "3600" if how == "seconds" else email.utils.formatdate(time.time() + 3600, usegmt=True)
    )
    with faulty.server(faulty.error(status, retry_after=retry_after)) as there:
        with pytest.raises(kind, match=r"try again in 3[56]") as error:
            get(there)
        assert len(there.requests) == 1
    assert error.value.retry_after == pytest.approx(3600, abs=5)


def test_the_quota_is_reported(get):
    reset = str(int(time.time()) + 1800)
    quota = {"x_ratelimit_limit": "10000", "x_ratelimit_remaining": "0"}
    with faulty.server(faulty.error(429, x_ratelimit_reset=reset, **quota)) as there:
        with pytest.raises(el.RateLimited, match="limit 10000, remaining 0") as caught:
            get(there)
        assert len(there.requests) == 1
    assert (caught.value.limit, caught.value.remaining) == (10_000, 0)
    assert caught.value.retry_after == pytest.approx(1800, abs=5)


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


def test_a_refused_connection_is_unreachable(home, quick):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    session = session_of(credentials(home, url, token=fresh()))
    with pytest.raises(el.Unreachable, match="connection was refused") as caught:
        fetch(session, url + "/v2/x", {"code": "hunter22"}, where="data")
    assert caught.value.retryable
    assert caught.value.__cause__ is None
    assert "hunter22" not in str(caught.value)


def test_an_unknown_host_is_unreachable(home, quick):
    session = session_of(credentials(home, "https://no.such.host.invalid", token=fresh()))
    with pytest.raises(el.Unreachable, match="host name is not known") as caught:
        fetch(session, "https://no.such.host.invalid/v2/x", where="data")
    assert caught.value.retryable


def test_a_service_without_tls_is_reported_at_once(home):
    with faulty.server(GOOD) as there:
        url = there.url.replace("http:", "https:")
        session = session_of(credentials(home, url, token=fresh()))
        with pytest.raises(el.Unreachable, match="TLS") as caught:
            fetch(session, url + "/v2/x", where="data")
        session.close()
    assert not caught.value.retryable


def test_a_secret_at_the_end_of_a_long_description_is_not_cut_in_two(home):
    secret = "S" * 80
    answer = faulty.error(500, "oops", "x" * 150 + " " + secret)
    with faulty.server(answer) as there:
        who = credentials(home, there.url, saved=fresh(access_token=secret))
        with pytest.raises(el.ServerFault) as caught:
            fetch(session_of(who), f"{there.url}/v2/x", where="a day")
    assert "SSS" not in str(caught.value)


@pytest.mark.parametrize("location", ["http://[::1", "http://a:b", "\xff\xfe", "https://x]/"])
@pytest.mark.parametrize("status", [300, 302, 308])
def test_a_redirect_to_what_is_no_address_is_one_line(get, status, location):
    answer = faulty.Answer(status, b"", {"Location": location})
    with faulty.server(answer) as there, pytest.raises((el.Refused, el.Unreachable)) as caught:
        get(there)
    assert "\n" not in str(caught.value)


def test_a_base_url_that_is_none_is_refused_without_its_password():
    with pytest.raises(el.ConfigurationError, match="is not an address") as caught:
        check_base_url("https://anna:geheim")
    assert "geheim" not in str(caught.value)


def test_an_error_hides_secrets_and_keeps_to_one_bounded_line(get):
    words = "token-of-tests\n" + "x" * 5000 + " code=hunter22 Bearer abcdefghijk"
    wild = faulty.error(400, "bad\x1b[31m", words)
    with faulty.server(wild) as there, pytest.raises(el.Refused) as caught:
        get(there, params={"cursor": "c1", "access_token": "hunter22"})
    text = str(caught.value)
    assert "GET /v2/x" in text
    assert "hunter22" not in text + str(caught.value.url)
    assert "token-of-tests" not in text
    assert "\n" not in text
    assert "\x1b" not in text
    assert len(text) < 600
    assert caught.value.url.endswith("/v2/x?cursor=c1&access_token=***")
