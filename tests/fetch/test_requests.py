"""One request: what is sent and to whom, tries within bounds, errors without secrets."""

import email.utils
import gzip
import json
import logging
import re
import socket
import sqlite3
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
import requests_cache
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from requests.exceptions import ContentDecodingError

import eyelog as el
from eyelog.fetch import session
from eyelog.fetch import session as session_module
from eyelog.fetch.session import (
    SECRET_NAMES,
    fetch,
    redact,
    redact_url,
    refusal,
    service_session,
    short,
)
from support import authority, faulty
from support.authority import Authority
from support.fetching import credentials, fresh, session_of, spent
from support.payload import GOOD, PAYLOAD


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
        session = service_session(base, who)
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


@pytest.mark.filterwarnings("ignore:service.example is used over plain http")
def test_a_proxy_of_the_environment_is_used_for_other_machines(home, monkeypatch):
    with faulty.server(GOOD) as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        session = session_of(credentials(home, "http://service.example", token=fresh()))
        fetch(session, "http://service.example/v2/x", where="data")
        session.close()
        (seen,) = proxy.requests
    assert seen.headers["host"] == "service.example"
    assert seen.bearer == "access-token-0"


@pytest.mark.parametrize("location", ["http://[::1", "http://a:b", "\xff\xfe", "https://x]/"])
def test_a_redirect_to_what_is_no_address_is_one_line(get, location):
    answer = faulty.Answer(308, b"", {"Location": location})
    with faulty.server(answer) as there, pytest.raises((el.Refused, el.Unreachable)) as caught:
        get(there)
    assert "\n" not in str(caught.value)


def test_a_redirect_is_refused_and_nothing_is_sent_to_where_it_points(get):
    with faulty.server(GOOD) as other:
        away = faulty.Answer(302, b"", {"Location": other.url + "/v2/x?code=hunter22"})
        with faulty.server(away) as there, pytest.raises(el.Refused, match="points to") as caught:
            get(there)
        assert other.url in str(caught.value)
        assert "hunter22" not in str(caught.value)
        assert other.requests == []


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
            fetch(session, there.url + "/v2/x", where="data")
        session.close()
        assert "cookie" not in there.requests[1].headers
    assert not session.cookies


def test_connections_are_reused(home):
    kinds = [GOOD, faulty.compressed(PAYLOAD), faulty.compressed(PAYLOAD, how="zstd")]
    with faulty.server(*kinds, faulty.error(503), faulty.error(404), GOOD) as there:
        session = session_of(credentials(home, there.url, token=fresh()))
        for _ in range(4):
            try:
                fetch(session, there.url + "/v2/x", where="data")
            except el.Refused:
                continue
        session.close()
        assert len(there.requests) == 5
        assert len({seen.client for seen in there.requests}) == 1


def test_a_cache_above_it_holds_no_token_and_survives_its_rotation(home, tmp_path):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=fresh())
        session = requests_cache.CachedSession.wrap(
            session_of(who), cache_name=str(tmp_path / "cache"), backend="sqlite"
        )
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


# Retries
@pytest.mark.parametrize(
    "fault",
    [
        faulty.error(429),
        faulty.error(504),
        faulty.error(503, retry_after="nonsense"),
        faulty.RESET,
        faulty.half(PAYLOAD),
        faulty.chunked_half(PAYLOAD),
        faulty.compressed(PAYLOAD, cut=1),
        faulty.compressed(PAYLOAD, how="zstd", cut=9),
        faulty.Answer(200, b"no gzip", {"Content-Encoding": "gzip"}),
        faulty.Answer(200, b"x", {"Content-Encoding": "br"}),
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


@pytest.mark.parametrize("how", ["seconds", "date"])
def test_retry_after_is_waited_for_up_to_a_minute(get, waits, how):
    def word(seconds: int) -> str:
        date = email.utils.formatdate(time.time() + seconds, usegmt=True)
        return date if how == "date" else str(seconds)

    with faulty.server(faulty.error(429, retry_after=word(37)), GOOD) as there:
        assert get(there).json() == PAYLOAD
    assert waits == [37 if how == "seconds" else pytest.approx(37, abs=20)]
    waits.clear()
    with faulty.server(faulty.error(503, retry_after=word(3600))) as there:
        with pytest.raises(el.ServerFault, match=r"try again in 3[56]") as error:
            get(there)
        assert len(there.requests) == 1
    assert error.value.retry_after == pytest.approx(3600, abs=5)


@pytest.mark.parametrize("reset", ["1800", "1970", "soon", "-1", "1e9", "9" * 40, ""])
def test_the_quota_is_reported_and_a_strange_one_is_no_hindrance(get, waits, reset):
    known = reset in ("1800", "1970")
    reset = str(int(time.time()) + 1800) if reset == "1970" else reset  # in seconds since 1970
    quota = {"x_ratelimit_limit": "10000", "x_ratelimit_remaining": "0"}
    with faulty.server(faulty.error(429, x_ratelimit_reset=reset, **quota)) as there:
        with pytest.raises(el.RateLimited, match="limit 10000, remaining 0") as caught:
            get(there)
        assert len(there.requests) == (1 if known else session_module.TRIES)
    assert (caught.value.limit, caught.value.remaining) == (10_000, 0)
    assert caught.value.retry_after == (pytest.approx(1800, abs=20) if known else None)


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


# Bodies
def test_a_body_of_several_gzip_members_and_an_upper_case_coding_are_read(get):
    body = gzip.compress(b'{"a": ') + gzip.compress(b"1}")
    with faulty.server(faulty.Answer(200, body, {"Content-Encoding": "GZIP"})) as there:
        assert get(there).json() == {"a": 1}


def test_retries_are_logged_without_secrets(get, caplog):
    with faulty.server(faulty.error(503), GOOD) as there, caplog.at_level(logging.DEBUG):
        get(there, params={"code": "hunter22"})
    ours = [each for each in caplog.records if each.name == "eyelog.fetch"]
    assert len(ours) == 1
    assert "503 from GET" in ours[0].getMessage()
    assert "hunter22" not in ours[0].getMessage()
    assert "token-of-tests" not in caplog.text


Get = Callable[..., requests.Response]


DRIPS = {
    "one byte of the status line": faulty.raw(b"H", 0.05),
    "one byte of a header": faulty.raw(b"x", 0.05),
    "a header, and another": faulty.raw(b"HTTP/1.1 200 OK\r\nX: y\r\n", 0.05),
    "a hundred times continue": faulty.raw(b"HTTP/1.1 100 Continue\r\n\r\n", 0.05),
    "one byte of the body": faulty.drip(PAYLOAD, 0.05),
    "a body without an end": faulty.endless(b" "),
}


@pytest.mark.parametrize("drip", DRIPS.values(), ids=DRIPS)
def test_what_trickles_in_is_given_up_and_said_how_much_came(
    get: Get, monkeypatch: pytest.MonkeyPatch, drip: faulty.Answer
) -> None:
    monkeypatch.setattr(session_module, "TOTAL_TIMEOUT_S", 1.5)
    monkeypatch.setattr(session_module, "MOST_BYTES", 1 << 40)
    with (
        faulty.server(drip) as there,
        pytest.raises(el.Unreachable, match="got no whole answer") as caught,
    ):
        get(there)
    said = re.search(r"after (\d+\.\d) s, with ([\d,]+) bytes received", str(caught.value))
    assert said is not None
    assert float(said[1]) >= 1.5
    assert int(said[2].replace(",", "")) > 0
    assert caught.value.retryable


@contextmanager
def listening(answer: bytes = b"", pause: float = 0.05) -> Iterator[int]:
    """A port where somebody accepts, and sends a byte now and then, or none."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        accepted = []

        def serve() -> None:
            while True:
                try:
                    one, _ = server.accept()
                except OSError:
                    return
                accepted.append(one)
                threading.Thread(target=trickle, args=(one,), daemon=True).start()

        def trickle(one: socket.socket) -> None:
            try:
                for at in range(len(answer)):
                    one.sendall(answer[at : at + 1])
                    time.sleep(pause)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        for one in accepted:
            one.close()


# The head of a TLS record that promises 16 kB of a handshake, which never comes to its end.
HELLO = b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc" + bytes(1000)


@pytest.mark.parametrize("answer", [b"", HELLO], ids=["silence", "a byte now and then"])
def test_a_tls_handshake_is_bounded_too(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(session_module, "CONNECT_TIMEOUT_S", 0.5)
    monkeypatch.setattr(session_module, "READ_TIMEOUT_S", 0.5)
    monkeypatch.setattr(session_module, "TOTAL_TIMEOUT_S", 2.0)
    with listening(answer) as port:
        session = session_of(credentials(home, f"https://127.0.0.1:{port}", token=fresh()))
        with pytest.raises(el.Unreachable):
            fetch(session, f"https://127.0.0.1:{port}/v2/x", where="data")
        session.close()


def test_a_connection_that_nobody_accepts_is_bounded(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "CONNECT_TIMEOUT_S", 0.3)
    monkeypatch.setattr(session_module, "TOTAL_TIMEOUT_S", 1.5)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        held = []
        for _ in range(4):  # the queue of the port
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
            held.append(one)
        session = session_of(credentials(home, f"http://127.0.0.1:{port}", token=fresh()))
        with pytest.raises(el.Unreachable, match="connecting took too long"):
            fetch(session, f"http://127.0.0.1:{port}/v2/x", where="data")
        for one in held:
            one.close()


def test_a_refresh_that_hangs_is_within_the_bound_of_the_request(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "TOTAL_TIMEOUT_S", 1.0)
    with faulty.server(faulty.raw(b"x", 0.1)) as there:
        session = session_of(credentials(home, there.url, saved=spent()))
        with pytest.raises(el.Unreachable, match="cannot refresh the token"):
            fetch(session, there.url + "/v2/x", where="data")
        session.close()


# How long to wait before the next try
@pytest.mark.parametrize(
    ("word", "status", "kind"),
    [
        ("0", 429, el.RateLimited),
        ("-5", 503, el.ServerFault),
        ("a date in the past", 429, el.RateLimited),
    ],
)
def test_no_word_of_the_service_makes_the_tries_follow_at_once(
    get: Get, monkeypatch: pytest.MonkeyPatch, word: str, status: int, kind: type[el.RequestError]
) -> None:
    monkeypatch.setattr(session_module, "BACKOFF_S", 0.05)
    date = email.utils.formatdate(time.time() - 3600, usegmt=True)
    told = date if word.startswith("a") else word
    with faulty.server(faulty.error(status, retry_after=told)) as there:
        with pytest.raises(kind, match="try again later") as caught:
            get(there)
        waits = [b.at - a.at for a, b in zip(there.requests, there.requests[1:], strict=False)]
    assert len(waits) == 3
    for wait, least in zip(waits, (0.05, 0.1, 0.2), strict=True):
        assert least <= wait
    assert "in 0 s" not in str(caught.value)


PACK = {"gzip": gzip.compress, "zstd": zstandard.compress}


MANY = 800 << 20


def bomb(how):
    """A few hundred kilobytes that become 800 MB."""
    if how == "gzip":
        return gzip.compress(bytes(MANY), compresslevel=1)
    return zstandard.compress(bytes(MANY))


@pytest.mark.parametrize("how", [*PACK, ""])
def test_an_answer_that_becomes_huge_is_stopped_and_not_asked_again(get, how):
    small = faulty.Answer(200, bomb(how), {"Content-Encoding": how}) if how else None
    with faulty.server(small or faulty.endless()) as there:
        tracemalloc.start()
        try:
            with pytest.raises(
                el.Unreachable, match=r"larger than 64 MB.*a full day.*7 MB.*ask the operator"
            ) as caught:
                get(there)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert len(there.requests) == 1
    assert not caught.value.retryable
    assert peak < 300 << 20


@pytest.mark.parametrize("how", PACK)
def test_a_body_of_just_the_largest_size_is_read(monkeypatch, how):
    monkeypatch.setattr(session, "MOST_BYTES", 5000)
    assert session.decompressed(PACK[how](bytes(5000)), how) == bytes(5000)
    with pytest.raises(session.TooLarge):
        session.decompressed(PACK[how](bytes(5001)), how)


@given(
    plain=st.binary(min_size=1, max_size=3000), cut=st.floats(0, 1), how=st.sampled_from([*PACK])
)
def test_a_compressed_body_that_was_cut_short_raises_wherever_the_cut_is(plain, cut, how):
    packed = PACK[how](plain)
    short = packed[: 1 + int(cut * (len(packed) - 2))]
    with pytest.raises(ContentDecodingError, match="cut short or damaged"):
        session.decompressed(short, how)


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


@given(st.binary() | st.recursive(st.none() | st.text(), lambda s: st.dictionaries(st.text(), s)))
def test_no_body_can_break_an_error(body):
    response = requests.Response()
    response.status_code = 400
    response._content = body if isinstance(body, bytes) else json.dumps({"error": body}).encode()
    response.request = requests.Request("GET", "http://127.0.0.1/x").prepare()
    assert str(refusal(response, where="data")).startswith("data: 400 Bad Request from GET /x (")


UNREACHABLE = {
    "refused": ("http://127.0.0.1:1", "connection was refused", True),
    "unknown": ("https://no.such.host.invalid", "host name is not known", True),
    "without TLS": ("https://127.0.0.1:{port}", "TLS", False),
}


@pytest.mark.parametrize(("url", "says", "retryable"), UNREACHABLE.values(), ids=UNREACHABLE)
def test_a_service_that_cannot_be_reached_is_said_without_secrets(
    home, quick, url, says, retryable
):
    with faulty.server(GOOD) as there:
        url = url.format(port=there.url.rpartition(":")[2])
        session = session_of(credentials(home, url, token=fresh()))
        with pytest.raises(el.Unreachable, match=says) as caught:
            fetch(session, url + "/v2/x", {"code": "hunter22"}, where="data")
        session.close()
    assert caught.value.retryable is retryable
    assert caught.value.__cause__ is None
    assert "hunter22" not in str(caught.value)


def test_a_secret_at_the_end_of_a_long_description_is_not_cut_in_two(home):
    secret = "S" * 80
    answer = faulty.error(500, "oops", "x" * 150 + " " + secret)
    with faulty.server(answer) as there:
        who = credentials(home, there.url, saved=fresh(access_token=secret))
        with pytest.raises(el.ServerFault) as caught:
            fetch(session_of(who), f"{there.url}/v2/x", where="a day")
    assert "SSS" not in str(caught.value)


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


SECRET = "aV3ry-S3cret_value.42"


@pytest.mark.parametrize("name", sorted(SECRET_NAMES))
@pytest.mark.parametrize(
    "shape",
    [
        "{}={}",
        "x=1&{}={}&y=2",
        '{{"{}": "{}", "n": 1}}',
        "{}: {}",
        "{}:{}",
        "{{'{}': '{}'}}",
        '{{"{}":"{}',
        "({}={})",
        "{}: Bearer {}",
    ],
)
def test_the_value_of_a_secret_name_is_hidden_in_any_shape(name, shape):
    for each in (name, name.upper()):
        hidden = redact(shape.format(each, SECRET))
        assert SECRET not in hidden
        assert "***" in hidden


@pytest.mark.parametrize(
    "text",
    [
        "the status code 404",
        "no token for account 'me'",
        "error_code=17",
        "unknown token type",
        "the bearer token has ended",
        'Bearer error="invalid_token"',
        "postcode: 12345",
    ],
)
def test_ordinary_sentences_stay(text):
    assert redact(text) == text


@given(st.text(min_size=8), st.text(), st.text())
def test_a_known_secret_is_hidden_wherever_it_stands(secret, before, after):
    assert secret not in redact(before + secret + after, [secret]).replace("***", "")


def test_a_url_keeps_what_is_no_secret():
    url = f"https://user:{SECRET}@h:1/p?code={SECRET}&date_from=2026-10-24&Access_Token={SECRET}"
    assert redact_url(url) == "https://h:1/p?code=***&date_from=2026-10-24&Access_Token=***"


def test_a_long_or_wild_text_becomes_one_short_line():
    assert short("a\r\n\tb\x1b[31m c") == "a b [31m c"
    assert len(short("x" * 10_000)) == 300
