"""Below the session: bearer and replay, retries within bounds, and only whole answers."""

import email.utils
import gzip
import logging
import threading
import time
from types import SimpleNamespace

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.fetch import session as session_module
from eyelog.fetch.session import fetch
from support import authority, faulty
from support.authority import Authority
from support.fetching import credentials, fresh, session_of
from support.payload import GOOD, PAYLOAD

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
        with pytest.raises(el.AuthorizationError, match="eyelog login") as caught:
            fetch(session, there.url + "/v2/x", where="data")
        session.close()
        assert [seen.method for seen in there.requests] == ["GET", "POST", "GET"]
    assert caught.value.status == 401
    assert "another-token" not in str(caught.value)


def test_a_401_without_a_refresh_token_says_to_log_in(home):
    with faulty.server(Authority()) as there:
        session = session_of(credentials(home, there.url, token=fresh(refresh_token=None)))
        with pytest.raises(el.AuthorizationError, match="eyelog login"):
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
def test_a_passing_fault_is_tried_again_at_least_twice(get, fault):
    with faulty.server(fault, fault, GOOD) as there:
        assert get(there).json() == PAYLOAD
        assert len(there.requests) == 3


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 422, 501, 505])
def test_a_lasting_fault_is_not_tried_again(get, status):
    with faulty.server(faulty.error(status)) as there:
        with pytest.raises((el.Refused, el.ServerFault)) as caught:
            get(there)
        assert len(there.requests) == 1
    assert caught.value.status == status
    assert not caught.value.retryable


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between tries, in seconds; the clock jumps over them."""
    asked: list[float] = []

    class Jumping(threading.Event):
        def wait(self, timeout=None):
            asked.append(timeout)
            return False

    def monotonic() -> float:
        return time.monotonic() + sum(asked)

    clock = SimpleNamespace(monotonic=monotonic, time=time.time)
    threads = SimpleNamespace(Event=Jumping, local=threading.local)
    monkeypatch.setattr(session_module, "time", clock)
    monkeypatch.setattr(session_module, "threading", threads)
    return asked


def test_retry_after_in_seconds_is_waited_for(get, waits):
    with faulty.server(faulty.error(429, retry_after="37"), GOOD) as there:
        assert get(there).json() == PAYLOAD
    assert waits == [37]


def test_retry_after_as_a_date_is_waited_for(get, waits):
    when = email.utils.formatdate(time.time() + 50, usegmt=True)
    with faulty.server(faulty.error(503, retry_after=when), GOOD) as there:
        assert get(there).json() == PAYLOAD
    assert waits == [pytest.approx(50, abs=20)]


@given(st.text(st.characters(codec="latin-1")), st.text(st.characters(codec="latin-1")))
def test_no_header_can_break_the_reading_of_headers(retry_after, reset):
    response = requests.Response()
    response.status_code = 429
    for headers in ({"Retry-After": retry_after}, {"X-RateLimit-Reset": reset}):
        response.headers.update(headers)
        wait = session_module.retry_after(response)
        assert wait is None or wait >= 0
        response.headers.clear()


def test_all_tries_together_are_bounded(get, waits):
    with faulty.server(faulty.error(503, retry_after="25")) as there:
        with pytest.raises(el.ServerFault):
            get(there)
        assert len(there.requests) == 3
    assert waits == [25, 25]  # a third wait would end after a minute


def test_closing_the_session_ends_the_wait_of_a_retry(home):
    with faulty.server(faulty.error(503, retry_after="50")) as there:
        session = session_of(credentials(home, there.url, token=fresh()))
        threading.Timer(0.3, session.close).start()
        with pytest.raises(el.Unreachable):
            fetch(session, there.url + "/v2/x", where="data")


# No answer


def test_a_silent_service_is_given_up_in_time(get, monkeypatch):
    monkeypatch.setattr(session_module, "READ_TIMEOUT_S", 0.2)
    with faulty.server(faulty.slow(PAYLOAD, 1.0)) as there:
        with pytest.raises(el.Unreachable, match="took too long") as caught:
            get(there)
        assert len(there.requests) == session_module.TRIES
    assert caught.value.retryable


def test_a_body_that_trickles_for_ever_is_given_up(get, monkeypatch):
    monkeypatch.setattr(session_module, "TOTAL_TIMEOUT_S", 0.3)
    with (
        faulty.server(faulty.drip(PAYLOAD, 0.02)) as there,
        pytest.raises(el.Unreachable, match="took too long"),
    ):
        get(there)


def test_a_body_that_trickles_but_arrives_is_taken(get):
    with faulty.server(faulty.drip({"cursor": None}, 0.005)) as there:
        assert get(there).json() == {"cursor": None}


# Bodies


def test_a_body_of_several_gzip_members_and_an_upper_case_coding_are_read(get):
    body = gzip.compress(b'{"a": ') + gzip.compress(b"1}")
    with faulty.server(faulty.Answer(200, body, {"Content-Encoding": "GZIP"})) as there:
        assert get(there).json() == {"a": 1}


def test_a_coding_that_was_not_asked_for_is_an_error(get):
    odd = faulty.Answer(200, b"x", {"Content-Encoding": "br"})
    with faulty.server(odd) as there, pytest.raises(el.Unreachable, match="compressed body"):
        get(there)


def test_retries_are_logged_without_secrets(get, caplog):
    with faulty.server(faulty.error(503), GOOD) as there, caplog.at_level(logging.DEBUG):
        get(there, params={"code": "hunter22"})
    ours = [each for each in caplog.records if each.name == "eyelog.fetch"]
    assert len(ours) == 1
    assert "503 from GET" in ours[0].getMessage()
    assert "hunter22" not in ours[0].getMessage()
    assert "token-of-tests" not in caplog.text
