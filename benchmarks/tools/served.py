"""The project's own service in a separate process, slowed down by a chosen delay.

    python benchmarks/tools/served.py ARCHIVE DELAY_MS PAGE_SIZE

It prints its address. The benchmarks `fetch.py` and `sync.py` use it.
"""

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

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


@contextlib.contextmanager
def served(folder: Path, *, delay_ms: float = 0.0, page_size: int = 500) -> Iterator[Any]:
    """Serve an archive in another process; yield a function that makes a client with a home."""
    from eyelog.service.auth.registry import Registry

    registry = Registry(folder)
    with contextlib.suppress(el.ConfigurationError):  # the account exists from an earlier run
        registry.add_account(ACCOUNT)
    application = el.Application(*registry.add_application(REDIRECT), REDIRECT)
    command = [sys.executable, __file__, str(folder), str(delay_ms), str(page_size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()

        def make_client(home: Path, **options: Any) -> el.Client:
            client = el.Client(url, application=application, home=home, progress=False, **options)
            code = registry.issue_code(ACCOUNT, application.client_id, REDIRECT)
            client.exchange(code)
            return client

        try:
            yield make_client
        finally:
            process.terminate()


def main() -> None:
    import uvicorn

    from eyelog.service.app import create_app

    folder, delay_ms, page_size = sys.argv[1:]
    app = create_app(folder, page_size=int(page_size))

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(float(delay_ms) / 1e3)
        await app(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        config = uvicorn.Config(slow, lifespan="off", log_level="error", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
