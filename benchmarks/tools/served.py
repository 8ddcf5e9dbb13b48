"""Archives of simulated wearers, `eyelog serve` as a program of its own, and what asks it."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import requests
import zstandard
from requests.adapters import HTTPAdapter

import eyelog as el


def fill(
    folder: Path,
    log: str,
    start: str,
    days: int,
    accounts: list[str],
    seeds: int = 1,
    tz: str = "UTC",
) -> el.Archive:
    """Write the days of a few simulated wearers into an archive, in turn under the names."""
    archive = el.Archive(folder)
    frames = [el.simulate(start, days, log=log, seed=seed, tz=tz) for seed in range(seeds)]
    for number, account in enumerate(accounts):
        archive.write(log, frames[number % seeds], account=account)
    return archive


def last(start: str, days: int) -> str:
    """Return the last of so many days."""
    return str((pd.Timestamp(start) + pd.Timedelta(days=days - 1)).date())


@contextlib.contextmanager
def served(folder: Path, *words: str) -> Iterator[tuple[str, int]]:
    """Serve an archive in another process; give its address and its number."""
    command = [sys.executable, "-m", "eyelog", "serve", "--archive", str(folder), "--port", "0"]
    command += ["--requests-per-hour", "0", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        try:
            said = []
            for line in service.stderr:
                said.append(line)
                if address := [word for word in line.split() if word.startswith("http")]:
                    break
            else:
                raise RuntimeError(f"the service has not started: {''.join(said)}")
            yield address[0], service.pid
        finally:
            service.terminate()


def logged_in(url: str, folder: Path, home: Path, account: str, **options: Any) -> el.Client:
    """Return a client of an account of the archive that is served."""
    application, code = el.register(folder, account)
    who = {"application": application, "account": account, "home": home, "tz": "UTC"}
    client = el.Client(url, progress=False, **who, **options)
    client.exchange(code)
    return client


@contextlib.contextmanager
def delayed(ms: float) -> Iterator[None]:
    """Let each request of this process take longer."""
    send = HTTPAdapter.send

    def later(*arguments: Any, **keywords: Any) -> requests.Response:
        time.sleep(ms / 1e3)
        return send(*arguments, **keywords)

    HTTPAdapter.send = later  # type: ignore[method-assign]
    try:
        yield
    finally:
        HTTPAdapter.send = send  # type: ignore[method-assign]


def walk(url: str, token: str, log: str, days: list[str]) -> Iterator[bytes]:
    """Give the bodies of the pages of days, and look at nothing but the cursors."""
    with requests.Session() as session:
        session.headers.update({"Authorization": f"Bearer {token}", "Accept-Encoding": "zstd"})
        for day in days:
            params = {"date_from": f"{day}T00:00:00Z", "date_to": f"{day}T23:59:59Z"}
            while params.get("cursor", "") is not None:
                page = session.get(f"{url}/v2/users/me/official/{log}", params=params)
                page.raise_for_status()
                body = page.content
                if page.headers.get("Content-Encoding") == "zstd":  # which requests leaves
                    body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
                yield body
                params["cursor"] = json.loads(body[body.rindex(b'"cursor":') + 9 : -1])
