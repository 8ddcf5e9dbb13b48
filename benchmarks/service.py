"""What the service can carry, and what a sync costs on both sides.

    python benchmarks/service.py [--clients 1 50] [--days 30] [--rounds 3] [--json]

The project's own service runs in another process; its CPU seconds are those that the system
counts. ``pages``: clients walk whole days, each of a wearer of its own, in pages of 500 records,
and only look at the cursors. ``sync``: a new archive takes days of the 15-second log; the CPU
seconds are those of the service and of the client, and a year is 365 such days, whose cost does not
change with their number. ``day``: one cold fetch of a day of the 15-second log, by a new client of
a process that has met the service in the sync. Needs Linux (/proc).
"""

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import pandas as pd
import requests
import zstandard
from tools.served import REDIRECT, Served, fill, served

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS

START = "2025-03-01"
DAYS = 14


def walk(service: Served, token: str, log: str, days: list[str], counts: list[int]) -> None:
    """Walk days to their ends, and count pages and records."""
    with requests.Session() as session:
        session.headers.update({"Authorization": f"Bearer {token}"})
        session.headers["Accept-Encoding"] = "zstd"
        for day in days:
            params = {"date_from": f"{day}T00:00:00Z", "date_to": f"{day}T23:59:59Z"}
            while True:
                came = session.get(f"{service.url}/v2/users/me/official/{log}", params=params)
                came.raise_for_status()
                body = came.content
                if came.headers.get("Content-Encoding") == "zstd":
                    body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
                counts[0] += 1
                cursor = json.loads(body[body.rindex(b'"cursor":') + 9 : -1])
                if not cursor:
                    break
                params["cursor"] = cursor


def pages(archive: Path, clients: list[int]) -> list[dict[str, object]]:
    rows = []
    wearer_days = [str(day.date()) for day in pd.date_range(START, periods=DAYS)]
    with served(archive) as service:
        tokens = []
        for number in range(max(clients)):
            name = f"wearer-{number}"
            if name not in service.registry.accounts.names():
                service.registry.accounts.add(name)
            code = service.registry.grants.issue_code(name, service.application.client_id, REDIRECT)
            access, _ = service.registry.grants.exchange(
                code, service.application.client_id, REDIRECT, None
            )
            tokens.append(access)
        for log, many in itertools.product((STANDARD_MODE_LOGS, COMPUTED_DATA), clients):
            days = wearer_days[: max(2, DAYS // many)]
            counts = [[0] for _ in range(many)]
            threads = [
                threading.Thread(target=walk, args=(service, token, log, days, count))
                for token, count in zip(tokens[:many], counts, strict=True)
            ]
            before, begun = service.cpu_s(), time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            cpu_s, seconds = service.cpu_s() - before, time.perf_counter() - begun
            total = sum(count[0] for count in counts)
            rows.append(
                {
                    "log": log,
                    "clients": many,
                    "pages": total,
                    "pages_per_cpu_s": total / cpu_s,
                    "days_per_cpu_s": many * len(days) / cpu_s,
                    "seconds": seconds,
                }
            )
    return rows


def syncs(
    archive: Path, scratch: Path, days: int, rounds: int
) -> tuple[dict[str, object], dict[str, object]]:
    """Sync days, and fetch one day cold."""
    end = str((pd.Timestamp(START) + pd.Timedelta(days=days - 1)).date())
    took: list[tuple[float, float, float]] = []
    cold: list[float] = []
    spent: list[float] = []
    with served(archive) as service, service(scratch / "first") as client:
        el.Archive(scratch / "first-archive").sync(client, COMPUTED_DATA, START, START)  # imports
    for number in range(rounds):
        with served(archive) as service:
            with service(scratch / f"home-{number}") as client:
                copy = el.Archive(scratch / f"archive-{number}")
                before, begun = service.cpu_s(), time.perf_counter()
                own = time.process_time()
                copy.sync(client, COMPUTED_DATA, START, end)
                own = time.process_time() - own
                took.append((service.cpu_s() - before, own, time.perf_counter() - begun))
            for day in pd.date_range(START, periods=min(days, 5)):
                with service(scratch / f"day-{number}-{day:%d}") as client:
                    begun, own = time.perf_counter(), time.process_time()
                    before = service.cpu_s()
                    client.computed_data(str(day.date()), str(day.date()))
                    cold.append(time.perf_counter() - begun)
                    own = time.process_time() - own
                    spent.append(own + service.cpu_s() - before)
    service_s, client_s, seconds = (statistics.median(each) for each in zip(*took, strict=True))
    sync = {
        "days": days,
        "service_cpu_s": service_s,
        "client_cpu_s": client_s,
        "cpu_s_per_year": (service_s + client_s) * 365 / days,
        "seconds": seconds,
    }
    return sync, {"ms": statistics.median(cold) * 1e3, "cpu_ms": statistics.mean(spent) * 1e3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        wearers = el.Archive(scratch / "wearers")
        for log in (STANDARD_MODE_LOGS, COMPUTED_DATA):
            frame = el.simulate(START, DAYS, log=log)
            for number in range(max(options.clients)):
                wearers.write(log, frame, account=f"wearer-{number}")
        fill(scratch / "wearer", COMPUTED_DATA, START, options.days)
        sync, day = syncs(scratch / "wearer", scratch, options.days, options.rounds)
        tables = {
            "pages": pages(scratch / "wearers", options.clients),
            "sync": [sync],
            "day": [day],
        }
    if options.json:
        json.dump(tables, sys.stdout, indent=1)
        print()
        return
    for name, rows in tables.items():
        print(f"\n{name}\n{pd.DataFrame(rows).round(2).to_string(index=False)}")


if __name__ == "__main__":
    main()
