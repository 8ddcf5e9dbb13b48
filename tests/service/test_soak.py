"""Use by many and hostile requests: no 5xx, and no file kept."""

import random
import re
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from support.live import COMPUTED, STANDARD, Live
from support.records import records
from support.served import served

WEARERS = ("ada", "bea", "cleo")

pytestmark = pytest.mark.slow("hundreds of requests for many seconds")


@pytest.fixture
def process(tmp_path: Path) -> Iterator[tuple[psutil.Process, Live]]:
    """The service in a process of its own, so that its files are its own too."""
    frames = [
        records(COMPUTED, "2026-10-24 00:00:15", 3000),
        records(STANDARD, "2026-10-24 00:01", 2000),
    ]
    with served(tmp_path / "a", dict.fromkeys(WEARERS, frames)) as (service, there):
        yield psutil.Process(service.pid), there


def keeps_no_file(service: psutil.Process, before: int) -> None:
    """Wait until what was opened is closed, but for a few that are kept for the next."""
    end = time.monotonic() + 60
    while service.num_fds() > before + 16:
        assert time.monotonic() < end, service.num_fds()
        time.sleep(0.1)


def test_a_service_in_use_by_many_fails_for_nobody_and_keeps_no_file(
    process: tuple[psutil.Process, Live],
) -> None:
    service, there = process

    def use(number: int) -> Counter[int]:
        draws, seen = random.Random(number), Counter[int]()
        tokens = there.login(draws.choice(WEARERS))
        with requests.Session() as session:
            for _ in range(40):
                seen[draws.choice(USES)(session, there, tokens, draws)] += 1
        return seen

    with ThreadPoolExecutor(8) as pool:
        use(0)
        files = service.num_fds()
        statuses = sum(pool.map(use, range(1, 9)), Counter[int]())
    assert not [status for status in statuses if status >= 500], statuses
    assert statuses[200] > 160
    keeps_no_file(service, files)


Use = Callable[[requests.Session, Live, dict[str, Any], random.Random], int]


def _page(session: requests.Session, there: Live, tokens: Any, draws: random.Random) -> int:
    log, day = draws.choice((COMPUTED, STANDARD)), draws.choice((24, 25))
    answer = session.get(
        f"{there.url}/v2/users/me/official/{log}",
        params={
            "date_from": f"2026-10-{day}T{draws.randrange(24):02}:00:00Z",
            "date_to": f"2026-10-{day}T23:59:59Z",
        },
        headers={
            "Authorization": f"Bearer {tokens['access_token']}",
            "Accept-Encoding": draws.choice(("zstd", "gzip", "identity")),
        },
        stream=True,
        timeout=60,
    )
    answer.raw.read(decode_content=False)
    return answer.status_code


def _refresh(session: requests.Session, there: Live, tokens: Any, draws: random.Random) -> int:
    return there.refresh(tokens["refresh_token"]).status_code


def _wrong(session: requests.Session, there: Live, tokens: Any, draws: random.Random) -> int:
    path = draws.choice(("/", "/health", "/nothing", "/v1/oauth/authorize", "/openapi.json"))
    headers = {"Authorization": draws.choice(("Bearer x", "Basic eDp5", "x"))}
    return session.get(there.url + path, headers=headers, timeout=60).status_code


def _hang_up(session: requests.Session, there: Live, tokens: Any, draws: random.Random) -> int:
    with _connect(there) as connection:
        connection.sendall(
            b"POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na"
        )
    return 0


USES: list[Use] = [_page] * 12 + [_refresh, _wrong, _wrong, _hang_up]


def _connect(there: Live) -> socket.socket:
    host, _, port = there.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def test_hundreds_of_hostile_requests_are_refused_and_none_fails(
    process: tuple[psutil.Process, Live],
) -> None:
    service, there = process
    token = there.login("ada")["access_token"]
    files = service.num_fds()

    def attack(number: int) -> Counter[int]:
        draws, seen = random.Random(number), Counter[int]()
        for _ in range(60):
            seen[_send(there, _hostile(draws, token))] += 1
        return seen

    with ThreadPoolExecutor(8) as pool:
        statuses = sum(pool.map(attack, range(8)), Counter[int]())
    assert statuses.total() == 480
    assert not [status for status in statuses if status >= 500], statuses
    assert {200, 400, 401, 404} <= set(statuses), statuses
    assert requests.get(f"{there.url}/health", timeout=30).status_code == 200
    keeps_no_file(service, files)


PATHS = [
    "/", "/health", "/version", "/openapi.json", "/v1/oauth/token", "/v1/oauth/revoke",
    "/v1/oauth/authorize", f"/v2/users/me/official/{STANDARD}", "/%00", "/..%2f", "//", "*", "/é",
]  # fmt: skip
PIECES = [
    "date_from=2026-10-24T00:00:00Z", "date_to=2026-10-24T23:59:59Z", "fields=bl,date", "fields=",
    "cursor=x.y", "cursor=" + "A" * 500, "date_from=0000-00-00T00:00:00Z", "%ff=%fe", "a=b&a=b",
    "grant_type=refresh_token", "client_id=x", "client_secret=%00", "redirect_uri=http://127.0.0.1",
    "refresh_token=x", "token=x", "response_type=code", "scope=official", "form=a.b.c", "name=ada",
    "password=x", "decision=allow", "date_to=2026-10-24T23:59:59+14:00", "\ud800".encode(
        "utf-8", "surrogatepass").decode("latin-1"),
]  # fmt: skip


def _hostile(draws: random.Random, token: str) -> bytes:
    """Return a request that is nearly right: pieces that belong to the service, and damage."""
    method = draws.choice(["GET"] * 5 + ["POST"] * 4 + ["HEAD", "OPTIONS", "PUT", "G\x00T"])
    pieces = "&".join(draws.sample(PIECES, draws.randrange(6)))
    authorization = draws.choice(
        [f"Bearer {token}"] * 3 + ["Bearer x", "Basic !", "Basic eDp5", ""]
    )
    headers = [
        "Host: x",
        f"Authorization: {authorization}",
        draws.choice(["Accept: */*", "Accept: text/html", "Accept: ;q=x,,"]),
        draws.choice(["Accept-Encoding: gzip;q=x", "Accept-Encoding: zstd", "X-Forwarded-For: a"]),
        draws.choice(["Cookie: eyelog_login=x", "Cookie: a;;=", "Origin: null", "Range: bytes=0-"]),
        "Connection: close",
    ]
    body, query = b"", pieces
    if method in ("POST", "PUT"):
        body, query = pieces.encode("latin-1"), ""
        kind = draws.choice(["application/x-www-form-urlencoded"] * 3 + ["application/json"])
        headers += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    draws.shuffle(headers)
    target = draws.choice(PATHS) + (f"?{query}" if query else "")
    head = "\r\n".join([f"{method} {target} HTTP/1.1", *headers, "", ""])
    raw = bytearray(head.encode("latin-1") + body)
    for _ in range(draws.choice([0, 0, 0, 1, 4])):
        at = draws.randrange(len(raw))
        raw[at : at + draws.randrange(3)] = draws.randbytes(draws.randrange(3))
    return bytes(raw)


def _send(there: Live, raw: bytes) -> int:
    """Return the status of the answer; 0 where the service hung up without one."""
    with _connect(there) as connection:
        got = b""
        try:
            connection.sendall(raw)
            connection.settimeout(1)
            while part := connection.recv(1 << 16):
                got += part
        except (ConnectionError, TimeoutError):
            pass  # a damaged request may be one that goes on
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", got)
    return int(found[1]) if found else 0
