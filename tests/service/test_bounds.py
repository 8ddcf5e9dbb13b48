"""What one client can use is limited, and every refusal has the same shape."""

import asyncio
import contextlib
import errno
import json
import socket
import time
from collections.abc import Iterator

import pytest
import requests
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eyelog_service import web
from support.live import Live
from support.uploads import spooled


def _answer(there: Live, sent: bytes) -> bytes:
    """Return all that the service answers until it closes the connection."""
    host, _, port = there.url.removeprefix("http://").partition(":")
    parts = []
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        with contextlib.suppress(OSError):  # it need not read all of it
            connection.sendall(sent)
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(65536):
                parts.append(part)
    return b"".join(parts)


def _status_and_error(raw: bytes) -> tuple[int, str]:
    head, _, body = raw.partition(b"\r\n\r\n")
    problem = json.loads(body)
    assert set(problem) == {"error", "error_description"}
    return int(head.split()[1]), problem["error"]


TOKEN = b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
CHUNKED = TOKEN + FORM + b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    ("sent", "refusal"),
    [
        # A body that is too large, before it is read, and when it grows.
        (TOKEN + FORM + b"Content-Length: 99999999\r\n\r\n", (413, "content_too_large")),
        (CHUNKED + (b"4000\r\n" + b"a" * 0x4000 + b"\r\n") * 8, (413, "content_too_large")),
        # One that does not end in time.
        (
            TOKEN + FORM + b"Content-Length: 50\r\n\r\ngrant_type=",
            (408, "request_timeout"),
        ),
        # Two lengths of one body: nothing after them is read.
        (
            TOKEN
            + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + GET
            + b"\r\n",
            (400, "invalid_request"),
        ),
    ],
    ids=["large", "grows", "endless", "two lengths"],
)
def test_a_body_out_of_bounds_is_refused(
    there: Live, monkeypatch: pytest.MonkeyPatch, sent: bytes, refusal: tuple[int, str]
) -> None:
    if refusal[0] == 408:
        monkeypatch.setattr(web, "REQUEST_SECONDS", 0.5)
    got = _answer(there, sent)
    assert got.count(b"HTTP/1.1") == 1
    assert _status_and_error(got) == refusal


def test_a_long_body_may_take_its_time_while_it_moves_on_and_no_longer(
    there: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = there.operator("upload-token", "nobody").strip()
    piece = b"no log\n" * 6_000

    def slowly() -> Iterator[bytes]:
        for _ in range(4):
            yield piece
            time.sleep(0.15)

    with monkeypatch.context() as short:
        short.setattr(web, "REQUEST_SECONDS", 0.4)
        headers = {"Authorization": f"Bearer {token}"}
        whole = requests.post(f"{there.url}/v1/records", slowly(), headers=headers, timeout=30)
    assert (whole.status_code, whole.json()["error"]) == (422, "not_records")
    monkeypatch.setattr(web, "STALL_SECONDS", 0.3)
    monkeypatch.setattr(web, "_REST_SECONDS", 0.1)
    head = f"POST /v1/records HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    stalled = _answer(there, f"{head}Content-Length: 999999\r\n\r\n".encode() + piece)
    assert _status_and_error(stalled) == (408, "request_timeout")
    assert spooled(there) == []


@pytest.mark.parametrize("size", [40_000, 200_000])
@pytest.mark.parametrize("end", [b"\r\n\r\n", b""])
def test_a_head_that_is_too_large_is_refused(there: Live, size: int, end: bytes) -> None:
    for sent in (GET + b"X: " + b"a" * size + end, GET.replace(b"json", b"?" + b"a" * size) + end):
        assert _answer(there, sent).split()[1] in (b"400", b"431")


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
    assert _answer(there, junk).split()[1] == b"400"


def test_a_broken_chunk_in_a_body_closes_the_connection_and_nothing_else(there: Live) -> None:
    _answer(there, CHUNKED + b"zz\r\n")
    assert there.ask("/openapi.json").status_code == 200


# Around an application that fails, hangs or never ends.


async def _endless_body() -> Message:
    await asyncio.sleep(60)
    return {"type": "http.request", "body": b"", "more_body": True}


def _run(app: ASGIApp, *, path: str = "/", cancel: int = 0) -> list[Message]:
    """Run a request within its bounds, cancelled so often; return what was sent."""
    sent: list[Message] = []
    method = "POST" if path == "/v1/records" else "GET"
    scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}

    async def send(message: Message) -> None:
        if len(sent) == 2:  # what was sent waits in the network
            await asyncio.sleep(60)
        sent.append(message)

    async def run() -> None:
        request = asyncio.ensure_future(web.Bounds(app)(scope, _endless_body, send))
        for _ in range(cancel):
            await asyncio.sleep(0.05)
            request.cancel()
        await request

    asyncio.run(run())
    return sent


async def _waits(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(60)


async def _reads(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive())["more_body"]:
        pass


def test_a_response_in_parts_that_nobody_reads_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "STALL_SECONDS", 0.05)

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x", "more_body": True})

    assert len(_run(endless)) == 2


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (OSError(errno.EMFILE, "it cannot be opened"), 503),
        (OSError(errno.ENFILE, "it cannot be opened"), 503),
        (OSError(errno.EIO, "it cannot be opened"), 500),
        (RuntimeError("it cannot be opened"), 500),
    ],
)
def test_a_request_that_finds_no_descriptor_is_asked_to_come_again(
    fault: Exception, status: int
) -> None:
    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        raise fault

    start, body = _run(fails)
    assert start["status"] == status
    assert b"cannot be opened" not in body["body"]


@pytest.mark.parametrize(
    ("app", "path", "cancel"),
    [(_waits, "/", 1), (_reads, "/v1/records", 2)],  # uvicorn, then the end of the loop
)
def test_a_request_that_a_stop_cuts_off_gets_an_answer_and_no_traceback(
    app: ASGIApp, path: str, cancel: int
) -> None:
    start, body = _run(app, path=path, cancel=cancel)
    assert start["status"] == 503
    assert b"the service stops" in body["body"]


def test_a_refusal_in_the_last_second_of_a_request_is_no_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(web, "_REST_SECONDS", 0.5)

    async def refuses(scope: Scope, receive: Receive, send: Send) -> None:
        await web.problem_answer(web.bad_request("no"))(scope, receive, send)

    assert _run(refuses, path="/v1/records")[0]["status"] == 400
