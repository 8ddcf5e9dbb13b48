"""What one client can use is limited, and every refusal has the same shape."""

import asyncio
import contextlib
import errno
import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from starlette.types import Message, Receive, Scope, Send

from eyelog.service import bounds
from eyelog.service.bounds import Bounds
from support import live
from support.live import STANDARD, Live
from support.records import records


def _connect(there: Live) -> socket.socket:
    host, _, port = there.url.removeprefix("http://").partition(":")
    made = socket.create_connection((host, int(port)), timeout=20)
    made.settimeout(20)
    return made


def _read_all(connection: socket.socket) -> bytes:
    """Everything until the service closes the connection."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def _status_and_error(raw: bytes) -> tuple[int, str]:
    head, _, body = raw.partition(b"\r\n\r\n")
    problem = json.loads(body)
    assert set(problem) == {"error", "error_description"}
    return int(head.split()[1]), problem["error"]


def test_a_body_that_is_too_large_is_refused_before_it_is_read(there: Live) -> None:
    with _connect(there) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        )
        assert _status_and_error(_read_all(connection)) == (413, "content_too_large")


def test_a_body_without_length_is_refused_when_it_grows_too_large(there: Live) -> None:
    with _connect(there) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        )
        chunk = b"4000\r\n" + b"a" * 0x4000 + b"\r\n"
        try:
            for _ in range(8):
                connection.sendall(chunk)
        except OSError:
            pass
        assert _status_and_error(_read_all(connection)) == (413, "content_too_large")


@pytest.mark.parametrize("size", [40_000, 200_000])
@pytest.mark.parametrize("whole", [True, False])
def test_a_head_that_is_too_large_is_refused(there: Live, size: int, whole: bool) -> None:
    head = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\nX: " + b"a" * size
    with _connect(there) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(head + (b"\r\n\r\n" if whole else b""))
        assert _status_and_error(_read_all(connection)) == (431, "request_header_fields_too_large")


def test_an_address_that_is_too_long_is_refused(there: Live) -> None:
    answer = requests.get(f"{there.url}/openapi.json?{'a' * 40_000}", timeout=30)
    assert answer.status_code == 431


@pytest.mark.parametrize(
    "junk",
    [
        b"\r\n\r\nhello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_invalid_http_gets_a_400_in_json(there: Live, junk: bytes) -> None:
    with _connect(there) as connection:
        connection.sendall(junk)
        assert _status_and_error(_read_all(connection)) == (400, "invalid_request")


def test_invalid_http_leaves_no_line_for_the_operator(
    there: Live, caplog: pytest.LogCaptureFixture
) -> None:
    upgrade = b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: upgrade, close\r\n\r\n"
    for junk in (b"hello\r\n\r\n", upgrade):
        with _connect(there) as connection:
            connection.sendall(junk)
            _read_all(connection)
    assert not caplog.records


def test_a_broken_chunk_in_a_body_closes_the_connection_and_nothing_else(there: Live) -> None:
    with _connect(there) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\nzz\r\n"
        )
        _read_all(connection)
    assert requests.get(f"{there.url}/openapi.json", timeout=30).status_code == 200


@pytest.fixture
def hasty(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Live]:
    """A service with short time limits, so that a test sees them."""
    for name in ("HEAD_SECONDS", "STALL_SECONDS"):
        monkeypatch.setattr(bounds, name, 0.5)
    folder: Path = tmp_path_factory.mktemp("hasty") / "archive"
    frame = records(live.COMPUTED, "2026-10-24 00:00:15", 5700)
    with live.service(folder, {"ada": [frame]}, page_size=6000) as running:
        yield running


@pytest.mark.parametrize("sent", [b"", b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_does_not_end_times_out(hasty: Live, sent: bytes) -> None:
    with _connect(hasty) as connection:
        connection.sendall(sent)
        assert _status_and_error(_read_all(connection)) == (408, "request_timeout")


def test_a_head_sent_letter_by_letter_times_out_too(hasty: Live) -> None:
    with _connect(hasty) as connection:
        begun = time.monotonic()
        try:
            for letter in b"GET /openapi.json HTTP/1.1\r\nX: " + b"a" * 100:
                connection.sendall(bytes([letter]))
                time.sleep(0.05)
        except OSError:
            pass
        assert time.monotonic() - begun < 4


def test_the_service_does_not_wait_for_a_body_that_it_answered_without_reading(hasty: Live) -> None:
    with _connect(hasty) as connection:
        connection.sendall(
            b"POST /v1/oauth/revoke HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n"
        )
        begun = time.monotonic()
        try:
            for _ in range(100):
                connection.sendall(b"a")
                time.sleep(0.05)
        except OSError:
            pass
        assert time.monotonic() - begun < 3


def test_a_body_that_does_not_end_times_out(hasty: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "REQUEST_SECONDS", 0.5)
    with _connect(hasty) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant_type="
        )
        assert _status_and_error(_read_all(connection)) == (408, "request_timeout")


def test_a_response_that_nobody_reads_times_out(hasty: Live) -> None:
    token = hasty.login("ada")["access_token"]
    query = "date_from=2026-10-24T00:00:00Z&date_to=2026-10-24T23:59:59Z"
    with _connect(hasty) as connection:
        connection.sendall(
            f"GET /v2/users/me/official/computed_data?{query} HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode()
        )
        first = connection.recv(1000)  # it has begun, and now nobody reads on
        time.sleep(2.5)
        got = first + _read_all(connection)
    assert 0 < len(got) < int(re.search(rb"(?i)content-length: (\d+)", got)[1])


def test_a_kept_connection_serves_many_requests(there: Live, token: str) -> None:
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        for _ in range(20):
            answer = session.get(f"{there.url}/v2/users/me/official/{STANDARD}", timeout=30)
            assert answer.status_code == 400
    pipelined = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 2
    with _connect(there) as connection:
        connection.sendall(pipelined + b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        got = _read_all(connection)
    assert (got.count(b"HTTP/1.1 200"), got.count(b"HTTP/1.1 404")) == (2, 1)


def test_a_connection_too_many_is_told_to_try_again(
    there: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "CONNECTIONS", 0)
    with _connect(there) as connection:
        assert _status_and_error(_read_all(connection)) == (503, "temporarily_unavailable")
    monkeypatch.undo()
    assert requests.get(f"{there.url}/openapi.json", timeout=30).status_code == 200


def test_one_address_cannot_take_all_connections(
    there: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "CONNECTIONS_PER_ADDRESS", 0)
    with _connect(there) as connection:
        assert _status_and_error(_read_all(connection)) == (503, "temporarily_unavailable")


def test_two_lengths_of_one_body_are_refused_and_nothing_after_them_is_read(there: Live) -> None:
    with _connect(there) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        got = _read_all(connection)
    assert got.count(b"HTTP/1.1") == 1
    assert _status_and_error(got) == (400, "invalid_request")


def test_a_client_that_hangs_up_while_it_sends_is_not_a_fault(
    there: Live, caplog: pytest.LogCaptureFixture
) -> None:
    head = (
        b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant_type="
    )
    with caplog.at_level("DEBUG"):
        for _ in range(5):
            with _connect(there) as connection:
                connection.sendall(head)
                time.sleep(0.05)
        assert requests.get(f"{there.url}/openapi.json", timeout=30).status_code == 200
    assert not [line for line in caplog.records if line.levelname in ("ERROR", "CRITICAL")]


@pytest.mark.parametrize(
    ("fault", "status"),
    [(errno.EMFILE, 503), (errno.ENFILE, 503), (errno.EIO, 500), (None, 500)],
)
def test_a_request_that_finds_no_descriptor_is_asked_to_come_again(fault, status) -> None:
    async def fails(scope, receive, send) -> None:
        raise RuntimeError("broken") if fault is None else OSError(fault, "it cannot be opened")

    sent = []

    async def send(message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/health", "headers": [], "query_string": b""}
    asyncio.run(bounds.Bounds(fails)(scope, None, send))
    assert sent[0]["status"] == status
    assert b"cannot be opened" not in sent[1]["body"]


def test_a_request_that_a_stop_cuts_off_gets_an_answer_and_no_traceback() -> None:
    sent: list[Message] = []

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(60)

    async def stopped() -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
        request = asyncio.ensure_future(Bounds(endless)(scope, receive, send))
        await asyncio.sleep(0.05)
        request.cancel()
        await request

    asyncio.run(stopped())
    assert sent[0]["status"] == 503
    assert b"the service stops" in sent[1]["body"]
