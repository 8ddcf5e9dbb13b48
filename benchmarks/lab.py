"""What a study of many wearers costs its operator.

    python benchmarks/lab.py [--accounts 1000] [--months 300] [--passwords 50] [--clients 50]
        [--uploads 40] [--json]

Accounts are added from a CSV file, all with invitations, then some with passwords: their hashing
takes nearly all of the time. Then each command that an operator waits for runs in a process of its
own, on an archive with the months, and four workers are started. Times are of the clock, the best
of three. At last 50 clients walk two days of the 15-second log at once, in pages of 500 records,
and then 4 send a day each as a Logger CSV, again and again, for another wearer each time.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import requests
from tools.measure import options, show
from tools.served import tokens, walk

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA
from eyelog_service.grants import Registry

START, DAYS = "2026-09-01", ("2026-09-10", "2026-09-11")
EYELOG = [sys.executable, "-m", "eyelog"]


def command(*words: str) -> float:
    """Run a command of eyelog; return how many seconds it took."""
    started = time.perf_counter()
    done = subprocess.run([*EYELOG, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return time.perf_counter() - started


def wearers(path: Path, names: list[str], password: str = "") -> str:
    table = pd.DataFrame({"name": names, "password": password, "study": "sleep"})
    table.assign(zone="Asia/Tokyo").to_csv(path, index=False)
    return str(path)


@contextmanager
def running(place: list[str]) -> Iterator[tuple[str, float, float]]:
    """Start four workers; give the address, the seconds until they are ready, the MB of one."""
    words = ["serve", *place, "--port", "0", "--workers", "4", "--requests-per-hour", "0"]
    started = time.perf_counter()
    with subprocess.Popen([*EYELOG, *words], stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        try:
            line = service.stderr.readline()
            address = next(word for word in line.split() if word.startswith("http"))
            took = time.perf_counter() - started
            children = psutil.Process(service.pid).children()
            yield address, took, max(child.memory_info().rss for child in children) / 1e6
        finally:
            service.terminate()


def start(place: list[str]) -> tuple[float, float]:
    with running(place) as (_, took, megabytes):
        return took, megabytes


def pages(address: str, token: str) -> list[float]:
    """Walk two days; return the seconds of each page."""
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        came = [time.perf_counter()]
        for day in DAYS:
            came += [time.perf_counter() for _ in walk(session, address, COMPUTED_DATA, day)]
        return list(np.diff(came))


def send(address: str, file: bytes, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "text/csv"}
    answer = requests.post(f"{address}/v1/records", data=file, headers=headers, timeout=60)
    answer.raise_for_status()
    assert answer.json()["new"] > 0


def main() -> None:
    given = options(__doc__, accounts=1000, months=300, passwords=50, clients=50, uploads=40)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        archive = el.Archive(folder / "archive")
        place = ["--archive", archive.path, "--state", str(folder / "state")]
        names = [f"wearer-{number:04}" for number in range(given.accounts)]
        month = el.simulate(START, 30, log=COMPUTED_DATA, tz="UTC")
        for name in names[: given.months]:
            archive.write(COMPUTED_DATA, month, account=name)
        listed = wearers(folder / "wearers.csv", names)
        more = wearers(
            folder / "more.csv", [f"more-{n}" for n in range(given.passwords)], "a good one"
        )
        add = ["service", "add-accounts", *place]
        invite = ["--invite", str(folder / "links.csv"), "--base-url", "https://logs.example.org"]
        found = {"add-accounts --invite, s": command(*add, listed, *invite)}
        found["the same with passwords, each, s"] = command(*add, more) / max(1, given.passwords)
        for action in ("list-accounts", "check"):
            found[f"{action}, s"] = min(command("service", action, *place) for _ in range(3))
        started = [start(place) for _ in range(3)]
        found["serve --workers 4, s"] = min(took for took, _ in started)
        found["a worker, MB"] = max(megabytes for _, megabytes in started)
        registry = Registry(archive.path, folder / "state")
        readers = tokens(registry, names[: given.clients])
        senders = [registry.grants.issue_upload_token(n) for n in names[-given.uploads :]]
        day = folder / "day.csv"
        archive.export(COMPUTED_DATA, DAYS[0], DAYS[0], day, account=names[0], tz="UTC")
        with running(place) as (address, _, _):
            with ThreadPoolExecutor(given.clients) as pool:
                begun = time.perf_counter()
                walked = [s for each in pool.map(partial(pages, address), readers) for s in each]
                took = time.perf_counter() - begun
            middle, last = pd.Series(walked).quantile([0.5, 0.95])
            found |= {"a page, s": middle, "95 % of pages, s": last}
            found["pages per second"] = len(walked) / took
            with ThreadPoolExecutor(4) as pool:
                begun = time.perf_counter()
                list(pool.map(partial(send, address, day.read_bytes()), senders))
            found["uploads per minute"] = 60 * given.uploads / (time.perf_counter() - begun)
        found["archive verify, s"] = command("archive", "verify", *place[:2])
        found["disable --all-in, s"] = command("service", "disable", *place, "--all-in", "sleep")
        found["check, after that, s"] = command("service", "check", *place)
    show({"study": [{"what": name, "takes": value} for name, value in found.items()]}, given.json)


if __name__ == "__main__":
    main()
