"""What the service can carry, what a sync costs on both sides, and a study its operator.

    python benchmarks/service.py [--only pages sync study listen] [--clients 1 50] [--days 30]
        [--rounds 3] [--accounts 1000] [--months 300] [--passwords 50] [--uploads 40]
        [--senders 20] [--minutes 10]

`eyelog serve` runs as a program; its CPU seconds are those that Linux counts. ``pages``: clients
walk whole days, each of a wearer of its own, in pages of 500 records, and only look at the cursors.
``sync``: a new archive takes days of the 15-second log; the CPU seconds are those of the service
and of the client, and a year is 365 such days, whose cost does not change with their number; then
single days are fetched cold. ``study``: accounts are added from a CSV file, with invitations and
with passwords, whose hashing takes nearly all of the time; each command that an operator waits for
runs on an archive with the months; four workers answer 50 clients, and take a day as a Logger CSV
from four at a time, for another wearer each time. Times are of the clock, the best of three.
``listen``: many send packets at 20 Hz into one `eyelog listen`, and then the rows in the archive
are counted. The wait is from a message to the disk (fsync), as the server measures it, the longest.
"""

import argparse
import asyncio
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import requests
from tools.measure import Rows, cpu_s, script
from tools.served import fill, last, logged_in, served, walk
from websockets.asyncio.client import connect

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog_service.grants import Registry

START, DAYS = "2025-03-01", 14
RATE = 20.0
PACKET = {"blinkSpeed": 0, "blinkStrength": 0, "eyeMoveUp": 0, "eyeMoveDown": 0, "eyeMoveLeft": 0,
          "eyeMoveRight": 0, "roll": 1.25, "pitch": -3.5, "yaw": 180.0, "accX": 0, "accY": 3,
          "accZ": 16, "walking": 0, "noiseStatus": 0, "fitError": 0, "powerLeft": 4}  # fmt: skip


def tokens(url: str, folder: Path, names: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as home:
        clients = [logged_in(url, folder, Path(home), name) for name in names]
        return [client.credentials.bearer() for client in clients]


def pages(folder: Path, given: argparse.Namespace) -> Rows:
    names, place = [f"wearer-{n}" for n in range(max(given.clients))], folder / "wearers"
    for log in (STANDARD_MODE_LOGS, COMPUTED_DATA):
        fill(place, log, START, DAYS, names)
    every = [last(START, n) for n in range(1, DAYS + 1)]
    rows: Rows = []
    with served(place) as (url, pid):
        known = tokens(url, place, names)
        for log in (STANDARD_MODE_LOGS, COMPUTED_DATA):
            for many in given.clients:
                days = every[: max(2, DAYS // many)]
                ask = partial(walk, url, log=log, days=days)
                before, begun = cpu_s(pid), time.perf_counter()
                with ThreadPoolExecutor(many) as pool:
                    total = sum(pool.map(lambda token: len([*ask(token)]), known[:many]))  # noqa: B023
                spent, took = cpu_s(pid) - before, time.perf_counter() - begun
                row = {"log": log, "clients": many, "pages": total, "s": took}
                rows.append(row | {"pages per CPU s": total / spent})
    return rows


def sync(folder: Path, given: argparse.Namespace) -> Rows:
    """Sync days, and fetch single ones cold."""
    took, colds, place = [], [], folder / "wearer"
    fill(place, COMPUTED_DATA, START, given.days, ["me"])
    for _ in range(given.rounds + 1):  # the first warms up
        with served(place) as (url, pid), tempfile.TemporaryDirectory() as home:
            with logged_in(url, place, Path(home), "me") as client:
                theirs, own = cpu_s(pid), time.process_time()
                el.Archive(f"{home}/archive").sync(
                    client, COMPUTED_DATA, START, last(START, given.days)
                )
                took.append((cpu_s(pid) - theirs, time.process_time() - own))
            for n in range(1, min(given.days, 5) + 1):
                day, cold = last(START, n), Path(home) / f"cold-{n}"
                with logged_in(url, place, cold, "me") as client:
                    begun = time.perf_counter()
                    client.computed_data(day, day)
                    colds.append(time.perf_counter() - begun)
    theirs, own = (statistics.median(each) for each in zip(*took[1:], strict=True))
    row = {"days": given.days, "service CPU s": theirs, "client CPU s": own}
    row["CPU s of a year"] = (theirs + own) * 365 / given.days
    return [row | {"ms of a cold day": 1e3 * statistics.median(colds)}]


def command(*words: str) -> float:
    """Run a command of eyelog; return how many seconds it took."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "eyelog", *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return time.perf_counter() - started


def listed(path: Path, names: list[str], password: str = "") -> str:
    table = pd.DataFrame({"name": names, "password": password, "study": "sleep"})
    table.assign(zone="Asia/Tokyo").to_csv(path, index=False)
    return str(path)


def send(url: str, file: bytes, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "text/csv"}
    answer = requests.post(f"{url}/v1/records", data=file, headers=headers, timeout=60)
    answer.raise_for_status()
    assert answer.json()["new"] > 0


def timed(url: str, days: list[str], token: str) -> list[float]:
    """Walk days; return the seconds of each page."""
    came = [time.perf_counter()]
    came += [time.perf_counter() for _ in walk(url, token, COMPUTED_DATA, days)]
    return list(np.diff(came))


def study(scratch: Path, given: argparse.Namespace) -> Rows:
    folder = scratch / "study"
    names = [f"wearer-{number:04}" for number in range(given.accounts)]
    fill(folder, COMPUTED_DATA, "2026-09-01", 30, names[: given.months])
    place, days = ["--archive", str(folder)], ["2026-09-10", "2026-09-11"]
    add = ["service", "add-accounts", *place]
    invite = ["--invite", str(scratch / "links.csv"), "--base-url", "https://logs.example.org"]
    more = [f"more-{number}" for number in range(given.passwords)]
    found = {"add-accounts --invite, s": command(*add, listed(scratch / "a.csv", names), *invite)}
    took = command(*add, listed(scratch / "b.csv", more, "a good one"))
    found["the same with passwords, each, s"] = took / max(1, given.passwords)
    for action in ("list-accounts", "check"):
        found[f"{action}, s"] = min(command("service", action, *place) for _ in range(3))
    readers = min(max(given.clients), given.months)
    issue = Registry(folder).grants.issue_upload_token
    senders = [issue(name) for name in names[-given.uploads :]]
    day = scratch / "day.csv"
    el.Archive(folder).export(COMPUTED_DATA, days[0], days[0], day, account=names[0], tz="UTC")
    starts, sizes = [], []
    for _ in range(3):
        begun = time.perf_counter()
        with served(folder, "--workers", "4") as (url, pid):
            starts.append(time.perf_counter() - begun)
            children = psutil.Process(pid).children()
            sizes.append(max(child.memory_info().rss for child in children) / 1e6)
    found |= {"serve --workers 4, s": min(starts), "a worker, MB": max(sizes)}
    with served(folder, "--workers", "4") as (url, _):
        known = tokens(url, folder, names[:readers])
        with ThreadPoolExecutor(readers) as pool:
            begun = time.perf_counter()
            walked = [s for each in pool.map(partial(timed, url, days), known) for s in each]
            found["pages per second"] = len(walked) / (time.perf_counter() - begun)
        found["a page, s"], found["95 % of pages, s"] = pd.Series(walked).quantile([0.5, 0.95])
        with ThreadPoolExecutor(4) as pool:
            begun = time.perf_counter()
            list(pool.map(partial(send, url, day.read_bytes()), senders))
            found["uploads per minute"] = 60 * len(senders) / (time.perf_counter() - begun)
    found["archive verify, s"] = command("archive", "verify", *place)
    found["disable --all-in, s"] = command("service", "disable", *place, "--all-in", "sleep")
    found["check, after that, s"] = command("service", "check", *place)
    return [{"what": name, "takes": value} for name, value in found.items()]


async def stream(address: str, seconds: float) -> int:
    """Send packets at 20 Hz; return how many."""
    loop = asyncio.get_running_loop()
    start, sent = loop.time(), 0
    async with connect(address, proxy=None, close_timeout=None) as connection:
        while loop.time() < start + seconds:
            await connection.send(json.dumps(PACKET | {"sequenceNumber": sent % 256}))
            sent += 1
            await asyncio.sleep(max(0.0, start + sent / RATE - loop.time()))
    return sent


def listen(scratch: Path, given: argparse.Namespace) -> Rows:
    folder, numbers = scratch / "live", range(given.senders)
    words = ["listen", "--archive", str(folder), "--port", "0"]
    words += [word for n in numbers for word in ("--device", f"g{n}=w{n}")]
    program, pipe = [sys.executable, "-m", "eyelog", *words], subprocess.PIPE

    async def streams(address: str) -> list[int]:
        each = (stream(f"{address}/g{n}", given.minutes * 60) for n in numbers)
        return await asyncio.gather(*each)

    with subprocess.Popen(program, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        sent = sum(asyncio.run(streams(next(w for w in line.split() if w.startswith("ws")))))
        server.terminate()
        said = server.communicate()[1]
    used, archive = resource.getrusage(resource.RUSAGE_CHILDREN), el.Archive(folder)
    kept = sum(len(archive.read("current_data", account=f"w{n}", tz="UTC")) for n in numbers)
    wait = re.search(r"longest time from a message to the disk: ([\d.]+) s", said)
    assert wait is not None, said
    row = {"senders": given.senders, "minutes": given.minutes, "sent": sent, "lost": sent - kept}
    row |= {"longest wait, s": float(wait[1]), "CPU s": used.ru_utime + used.ru_stime}
    return [row | {"MB": round(used.ru_maxrss / 1e3)}]


if __name__ == "__main__":
    tables = {"listen": listen, "pages": pages, "sync": sync, "study": study}
    counts = {"accounts": 1000, "months": 300, "passwords": 50, "uploads": 40, "senders": 20}
    script(__doc__, tables, clients=[1, 50], days=30, rounds=3, minutes=10.0, **counts)
