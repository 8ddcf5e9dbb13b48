"""The project's own service in a separate process, slowed down by a chosen delay.

    python benchmarks/tools/served.py ARCHIVE DELAY_MS PAGE_SIZE

It prints its address. The benchmarks `fetch.py`, `lab.py` and `service.py` use it.
"""

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import requests
import zstandard

import eyelog as el

ACCOUNT, REDIRECT = "me", "http://127.0.0.1/callback"


def fill(folder: Path, log: str, start: str, days: int) -> None:
    """Write a simulated wearer's days into an archive, by month, skipping months that exist."""
    archive = el.Archive(folder)
    first = pd.Timestamp(start)
    after = first + pd.Timedelta(days=days)
    while first < after:
        end = min(after, (first + pd.offsets.MonthBegin(1)).normalize())
        if not (folder / f"log={log}" / f"account={ACCOUNT}" / f"month={first:%Y-%m}").exists():
            frame = el.simulate(f"{first:%Y-%m-%d}", (end - first).days, log=log)
            archive.write(log, frame, account=ACCOUNT)
        first = end


def walk(
    session: requests.Session, url: str, log: str, day: str
) -> Iterator[tuple[requests.Response, bytes]]:
    """Give the pages of a day, each with its body, and look at nothing but the cursors."""
    params = {"date_from": f"{day}T00:00:00Z", "date_to": f"{day}T23:59:59Z"}
    while True:
        page = session.get(f"{url}/v2/users/me/official/{log}", params=params)
        page.raise_for_status()
        body = page.content
        if page.headers.get("Content-Encoding") == "zstd":  # which requests leaves as it is
            body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
        yield page, body
        cursor = json.loads(body[body.rindex(b'"cursor":') + 9 : -1])
        if cursor is None:
            return
        params["cursor"] = cursor


def tokens(registry: Any, names: list[str]) -> list[str]:
    """Return an access token of each account, made where it is not there."""
    client_id, _ = registry.applications.add(REDIRECT)
    known = set(registry.accounts.names())
    found = []
    for name in names:
        if name not in known:
            registry.accounts.add(name)
        code = registry.grants.issue_code(name, client_id, REDIRECT)
        found.append(registry.grants.exchange(code, client_id, REDIRECT, None)[0])
    return found


@dataclass(frozen=True)
class Served:
    """A running service; called with a home, it makes a client that is logged in."""

    url: str
    pid: int
    registry: Any
    application: el.Application

    def __call__(self, home: Path, **options: Any) -> el.Client:
        client = el.Client(
            self.url, application=self.application, home=home, progress=False, **options
        )
        client.exchange(
            self.registry.grants.issue_code(ACCOUNT, self.application.client_id, REDIRECT)
        )
        return client

    def cpu_s(self) -> float:
        """Return the CPU seconds of the service so far."""
        from tools.measure import cpu_s  # not where this file is run as the service

        return cpu_s(self.pid)


@contextlib.contextmanager
def served(folder: Path, *, delay_ms: float = 0.0, page_size: int = 500) -> Iterator[Served]:
    """Serve an archive in another process."""
    from eyelog_service.grants import Registry

    registry = Registry(folder)
    with contextlib.suppress(el.ConfigurationError):  # the account exists from an earlier run
        registry.accounts.add(ACCOUNT)
    application = el.Application(*registry.applications.add(REDIRECT), REDIRECT)
    command = [sys.executable, __file__, str(folder), str(delay_ms), str(page_size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            yield Served(url, process.pid, registry, application)
        finally:
            process.terminate()


def main() -> None:
    import uvicorn

    from eyelog_service.app import create_app

    folder, delay_ms, page_size = sys.argv[1:]
    app = create_app(folder, page_size=int(page_size), requests_per_hour=0)

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(float(delay_ms) / 1e3)
        await app(scope, receive, send)

    # With its protocol named, asyncio sends small pieces at once, as it does for `eyelog serve`.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        config = uvicorn.Config(slow, lifespan="off", log_level="error", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
