"""A real HTTP server on 127.0.0.1 that answers as scripted, faults included.

::

    with faulty.server(faulty.error(503), faulty.answer({"cursor": None})) as there:
        requests.get(there.url + "/v2/x")
        assert [seen.path for seen in there.requests] == ["/v2/x"]

A script is a list of answers, given in order (the last one repeats), or one function from the
request to its answer. Every request that arrived is recorded, also those that got no answer.
"""

import contextlib
import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import zstandard


@dataclass(frozen=True)
class Request:
    """What arrived: lower-case `headers`, `form` of a POST, `query`, the `client`'s port."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    at: float
    client: int

    @property
    def form(self) -> dict[str, str]:
        return _flat(self.body.decode("utf-8", "replace"))

    @property
    def bearer(self) -> str | None:
        """The token of the Authorization header, None where there is none."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() == "bearer" else None


@dataclass(frozen=True)
class Answer:
    """One answer. `fault` is one of "", "reset", "close", "half", "chunked-half", "drip",
    "raw", "endless"."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""
    delay: float = 0.0


Script = Callable[[Request], Answer]


def answer(
    payload: Any = None,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    delay: float = 0.0,
) -> Answer:
    """A whole JSON answer."""
    body = b"" if payload is None else json.dumps(payload).encode()
    return Answer(status, body, {"Content-Type": "application/json", **(headers or {})}, "", delay)


def error(
    status: int, name: str = "some_error", description: str = "so it is", **headers: str
) -> Answer:
    """An error in the service's shape; headers as keywords (`retry_after="1"`)."""
    named = {key.replace("_", "-").title(): value for key, value in headers.items()}
    return answer({"error": name, "error_description": description}, status, headers=named)


def html(status: int = 200, text: str = "<html><body>Maintenance</body></html>") -> Answer:
    return Answer(status, text.encode(), {"Content-Type": "text/html"})


def empty(status: int = 200) -> Answer:
    return Answer(status, b"", {"Content-Type": "application/json"})


def half(payload: Any) -> Answer:
    """Half of a body whose Content-Length promises all of it."""
    return Answer(200, json.dumps(payload).encode(), fault="half")


def chunked_half(payload: Any) -> Answer:
    """A chunked body that ends before its last chunk."""
    return Answer(200, json.dumps(payload).encode(), fault="chunked-half")


def compressed(payload: Any, *, how: str = "gzip", cut: int = 0) -> Answer:
    """A gzip or zstd body; `cut` takes that many bytes off its end, with the length to match."""
    plain = json.dumps(payload).encode()
    packed = gzip.compress(plain) if how == "gzip" else zstandard.compress(plain)
    headers = {"Content-Type": "application/json", "Content-Encoding": how}
    return Answer(200, packed[: len(packed) - cut], headers)


RESET = Answer(fault="reset")
"""The connection is reset (RST) instead of an answer."""


def slow(payload: Any, delay: float) -> Answer:
    """A whole answer after `delay` seconds of silence."""
    return answer(payload, delay=delay)


def drip(payload: Any, pause: float) -> Answer:
    """A whole answer, one byte at a time, `pause` seconds apart."""
    return Answer(200, json.dumps(payload).encode(), fault="drip", delay=pause)


def raw(piece: bytes, pause: float) -> Answer:
    """Bytes in place of an answer, without an end: a piece, a pause, the piece again."""
    return Answer(0, piece, fault="raw", delay=pause)


def endless(piece: bytes = b" " * (1 << 20)) -> Answer:
    """A body without a length that repeats one piece until the client hangs up."""
    return Answer(200, piece, {"Content-Type": "application/json"}, "endless")


class Server(ThreadingHTTPServer):
    """The running server: `url`, the recorded `requests`, and a count of those that match."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[Request] = []
        self.guard = threading.Lock()
        self.open: set[socket.socket] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def count(self, *, method: str | None = None, path: str | None = None) -> int:
        """Count the requests of a method and a path (both optional)."""
        with self.guard:
            return sum(
                method in (None, seen.method) and path in (None, seen.path)
                for seen in self.requests
            )

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is part of the game."""


@contextlib.contextmanager
def server(*script: Answer | Script) -> Iterator[Server]:
    """Run a server for the block. Give answers in order, or one function."""
    only = script[0] if len(script) == 1 else None
    answers = [each for each in script if isinstance(each, Answer)]
    if only is not None and not isinstance(only, Answer):
        follow: Script = only
    elif answers and len(answers) == len(script):
        follow = _in_order(answers)
    else:
        raise TypeError("a script is one or more answers, or one function")
    running = Server(follow)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.shutdown()
        running.server_close()
        with running.guard:
            still_open = list(running.open)
        for each in still_open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def _in_order(answers: list[Answer]) -> Script:
    guard = threading.Lock()
    rest = iter(answers)

    def follow(_: Request) -> Answer:
        with guard:
            return next(rest, answers[-1])

    return follow


def _flat(query: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.server.guard:
            self.server.open.add(self.connection)

    def finish(self) -> None:
        with self.server.guard:
            self.server.open.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        seen = Request(
            method=self.command,
            path=parts.path,
            query=_flat(parts.query),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("Content-Length") or 0)),
            at=time.monotonic(),
            client=self.client_address[1],
        )
        with self.server.guard:
            self.server.requests.append(seen)
        self._send(self.server.script(seen))

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _serve  # noqa: N815 - http.server's names

    def _send(self, scripted: Answer) -> None:
        if scripted.fault == "reset":
            # Closing with linger 0 sends RST instead of FIN.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.rfile.close()
            self.connection.close()
            return
        if scripted.fault == "raw":
            self.close_connection = True
            while True:  # until the client hangs up
                self.wfile.write(scripted.body)
                time.sleep(scripted.delay)
        if scripted.fault != "drip":
            time.sleep(scripted.delay)
        self.send_response(scripted.status)
        for name, value in scripted.headers.items():
            self.send_header(name, value)
        if scripted.fault == "chunked-half":
            self.send_header("Transfer-Encoding", "chunked")
        elif scripted.fault not in ("close", "endless"):
            self.send_header("Content-Length", str(len(scripted.body)))
        self.end_headers()
        middle = len(scripted.body) // 2
        if scripted.fault == "endless":
            self.close_connection = True
            while True:  # until the client hangs up
                self.wfile.write(scripted.body)
        if scripted.fault == "half":
            self.wfile.write(scripted.body[:middle])
        elif scripted.fault == "chunked-half":
            self.wfile.write(b"%x\r\n%s\r\n" % (middle, scripted.body[:middle]))
        elif scripted.fault == "drip":
            for i in range(len(scripted.body)):
                self.wfile.write(scripted.body[i : i + 1])
                time.sleep(scripted.delay)
        else:
            self.wfile.write(scripted.body)
        if scripted.fault:
            self.close_connection = True
