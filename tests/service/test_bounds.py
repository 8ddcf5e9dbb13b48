"""What one client can use is limited, and every refusal has the same shape."""

import asyncio
import contextlib
import errno
import json
import socket

import pytest
import requests
from starlette.types import Message, Receive, Scope, Send

from eyelog_service import web
from eyelog_service.web import Bounds
from support.live import Live


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
        assert _read_all(connection).split()[1] in (b"400", b"431")


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
def test_invalid_http_gets_a_400_and_its_connection_is_closed(there: Live, junk: bytes) -> None:
    with _connect(there) as connection:
        connection.sendall(junk)
        assert _read_all(connection).split()[1] == b"400"


def test_a_broken_chunk_in_a_body_closes_the_connection_and_nothing_else(there: Live) -> None:
    with _connect(there) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\nzz\r\n"
        )
        _read_all(connection)
    assert requests.get(f"{there.url}/openapi.json", timeout=30).status_code == 200


def test_a_body_that_does_not_end_times_out(there: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "REQUEST_SECONDS", 0.5)
    with _connect(there) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant_type="
        )
        assert _status_and_error(_read_all(connection)) == (408, "request_timeout")


def test_a_response_in_parts_that_nobody_reads_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "STALL_SECONDS", 0.05)
    sent: list[Message] = []

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x", "more_body": True})

    async def send(message: Message) -> None:
        if len(sent) == 2:  # what was sent waits in the network
            await asyncio.sleep(60)
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    asyncio.run(Bounds(endless)(scope, None, send))
    assert len(sent) == 2


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
    asyncio.run(web.Bounds(fails)(scope, None, send))
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


def _upload() -> Scope:
    path = "/v1/records"
    return {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""}


def test_an_upload_that_a_stop_cuts_off_is_answered_before_the_loop_ends() -> None:
    sent: list[Message] = []

    async def reads(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def stopped() -> None:
        async def receive() -> Message:
            await asyncio.sleep(60)
            return {"type": "http.request", "body": b"", "more_body": True}

        async def send(message: Message) -> None:
            sent.append(message)

        request = asyncio.ensure_future(Bounds(reads)(_upload(), receive, send))
        for _ in range(2):  # uvicorn, then the end of the loop
            await asyncio.sleep(0.05)
            request.cancel()
        await request

    asyncio.run(stopped())
    assert sent[0]["status"] == 503
    assert b"the service stops" in sent[1]["body"]


def test_a_refusal_in_the_last_second_of_a_request_is_no_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(web, "_REST_SECONDS", 0.5)
    sent: list[Message] = []

    async def refuses(scope: Scope, receive: Receive, send: Send) -> None:
        await web.problem_answer(web.bad_request("no"))(scope, receive, send)

    async def receive() -> Message:
        await asyncio.sleep(60)
        return {"type": "http.request", "body": b"", "more_body": True}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Bounds(refuses)(_upload(), receive, send))
    assert sent[0]["status"] == 400
