"""What the service can carry, and what a sync costs on both sides.

    python benchmarks/service.py [--clients 1 50] [--days 30] [--rounds 3] [--json]

The project's own service runs in another process; its CPU seconds are those that the system
counts. ``pages``: clients walk whole days, each of a wearer of its own, in pages of 500 records,
and only look at the cursors. ``sync``: a new archive takes days of the 15-second log; the CPU
seconds are those of the service and of the client, and a year is 365 such days, whose cost does not
change with their number. ``day``: one cold fetch of a day of the 15-second log, by a new client of
a process that has met the service in the sync. Needs Linux (/proc).
"""

import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pandas as pd
import requests
from tools.measure import Rows, options, show
from tools.served import Served, fill, served, tokens, walk

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS

START = "2025-03-01"
DAYS = 14


def pages_of(token: str, url: str, log: str, days: list[str]) -> int:
    """Walk days to their ends, and count the pages."""
    with requests.Session() as session:
        session.headers.update({"Authorization": f"Bearer {token}", "Accept-Encoding": "zstd"})
        return sum(1 for day in days for _ in walk(session, url, log, day))


def pages(archive: Path, clients: list[int]) -> Rows:
    rows = []
    every = [str(day.date()) for day in pd.date_range(START, periods=DAYS)]
    with served(archive) as service:
        known = tokens(service.registry, [f"wearer-{n}" for n in range(max(clients))])
        for log in (STANDARD_MODE_LOGS, COMPUTED_DATA):
            for many in clients:
                days = every[: max(2, DAYS // many)]
                ask = partial(pages_of, url=service.url, log=log, days=days)
                before, begun = service.cpu_s(), time.perf_counter()
                with ThreadPoolExecutor(many) as pool:
                    total = sum(pool.map(ask, known[:many]))
                cpu_s, seconds = service.cpu_s() - before, time.perf_counter() - begun
                row = {"log": log, "clients": many, "pages": total, "s": seconds}
                rows.append(row | {"pages per CPU s": total / cpu_s})
    return rows


def synced(service: Served, home: Path, days: int) -> tuple[float, float]:
    """Sync days into a new archive; return the CPU seconds of the service and the client."""
    with service(home) as client:
        before, own = service.cpu_s(), time.process_time()
        end = str((pd.Timestamp(START) + pd.Timedelta(days=days - 1)).date())
        el.Archive(home / "archive").sync(client, COMPUTED_DATA, START, end)
        return service.cpu_s() - before, time.process_time() - own


def cold(service: Served, home: Path, day: str) -> float:
    with service(home) as client:
        begun = time.perf_counter()
        client.computed_data(day, day)
        return time.perf_counter() - begun


def syncs(archive: Path, scratch: Path, days: int, rounds: int) -> dict[str, Rows]:
    """Sync days, and fetch one day cold."""
    took, fetched = [], []
    for number in range(rounds + 1):  # the first warms up
        with served(archive) as service:
            took.append(synced(service, scratch / f"sync-{number}", days))
            for day in pd.date_range(START, periods=min(days, 5)):
                home = scratch / f"day-{number}-{day:%d}"
                fetched.append(cold(service, home, str(day.date())))
    theirs, own = (statistics.median(each) for each in zip(*took[1:], strict=True))
    a_year = (theirs + own) * 365 / days
    sync = {"days": days, "service CPU s": theirs, "client CPU s": own, "CPU s of a year": a_year}
    return {"sync": [sync], "a cold day": [{"ms": 1e3 * statistics.median(fetched)}]}


def main() -> None:
    given = options(__doc__, clients=[1, 50], days=30, rounds=3)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        wearers = el.Archive(scratch / "wearers")
        for log in (STANDARD_MODE_LOGS, COMPUTED_DATA):
            frame = el.simulate(START, DAYS, log=log)
            for number in range(max(given.clients)):
                wearers.write(log, frame, account=f"wearer-{number}")
        fill(scratch / "wearer", COMPUTED_DATA, START, given.days)
        tables = syncs(scratch / "wearer", scratch, given.days, given.rounds)
        tables["pages"] = pages(scratch / "wearers", given.clients)
    show(tables, given.json)


if __name__ == "__main__":
    main()
