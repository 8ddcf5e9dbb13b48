"""Everything about a request ends within a bound, whatever the other side does."""

import email.utils
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

import eyelog as el
from eyelog.fetch import session as session_module
from eyelog.fetch.session import fetch
from support import faulty
from support.fetching import client_of, credentials, fresh, session_of, spent
from support.payload import PAYLOAD

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


def test_one_byte_a_second_does_not_hold_a_fetch(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "TOTAL_TIMEOUT_S", 1.5)
    with (
        faulty.server(faulty.raw(b"X", 1.0)) as there,
        pytest.raises(el.Unreachable, match=r"took too long; after \d+\.\d s, with \d bytes"),
    ):
        get(there)


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


# An answer that is not whole


@pytest.mark.parametrize("status", [201, 202, 203, 204, 205, 206, 207, 226])
def test_only_a_200_is_a_whole_answer(home: Path, status: int) -> None:
    log = "standard_mode_logs"
    body: Any = {log: {"1": [{"date": "2024-03-01T01:00:00Z", "stp_s": 1}]}, "cursor": None}
    with (
        faulty.server(faulty.answer(body, status)) as there,
        client_of(there, home) as client,
        pytest.raises(el.AnswerError, match=f"account 'me', 2024-03-01.*: {status} from GET"),
    ):
        client.standard_mode_logs("2024-03-01", "2024-03-01")
    assert not list(home.glob("cache/*/*"))
