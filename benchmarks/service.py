"""What the service can carry, in JSON and in columns, and what a sync costs on both sides.

    python benchmarks/service.py [--clients 1 50] [--days 30] [--rounds 3] [--json]

The project's own service runs in another process; its CPU seconds are those that the system
counts. ``pages``: clients walk whole days, each of a wearer of its own, in pages of 500 records
(in columns, up to 10,000), and only look at the cursors. ``sync``: a new archive takes days of the
15-second log; the CPU seconds are those of the service and of the client, and a year is 365 such
days, whose cost does not change with their number. ``day``: one cold fetch of a day of the
15-second log, by a new client of a process that has met the service in the sync. JSON and columns
run in turn; the ratios are what to quote. Below the tables stand the goals, and the lines of the
README. Needs Linux (/proc).
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
from eyelog.answers.arrow import ARROW
from eyelog.answers.decode import decode_page
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS

START = "2025-03-01"
DAYS = 14
FORMS = {"json": "application/json", "columns": ARROW}


def walk(
    service: Served, token: str, log: str, accept: str, days: list[str], counts: list[int]
) -> None:
    """Walk days to their ends, and count pages and records."""
    with requests.Session() as session:
        session.headers.update({"Authorization": f"Bearer {token}", "Accept": accept})
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
                if accept == ARROW:
                    cursor = decode_page(body, log, fields=["bl"]).cursor
                else:
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
            for form, accept in FORMS.items():
                counts = [[0] for _ in range(many)]
                threads = [
                    threading.Thread(target=walk, args=(service, token, log, accept, days, count))
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
                        "form": form,
                        "pages": total,
                        "pages_per_cpu_s": total / cpu_s,
                        "days_per_cpu_s": many * len(days) / cpu_s,
                        "seconds": seconds,
                    }
                )
    return rows


def syncs(
    archive: Path, scratch: Path, days: int, rounds: int
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Sync days, and fetch one day cold, in JSON and in columns, in turn."""
    end = str((pd.Timestamp(START) + pd.Timedelta(days=days - 1)).date())
    took: dict[str, list[tuple[float, float, float]]] = {}
    cold: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    with served(archive) as service, service(scratch / "first") as client:
        el.Archive(scratch / "first-archive").sync(client, COMPUTED_DATA, START, START)  # imports
    for number in range(rounds):
        for form in FORMS:
            with served(archive, json_only=form == "json") as service:
                with service(scratch / f"home-{form}-{number}") as client:
                    copy = el.Archive(scratch / f"archive-{form}-{number}")
                    before, begun = service.cpu_s(), time.perf_counter()
                    own = time.process_time()
                    copy.sync(client, COMPUTED_DATA, START, end)
                    took.setdefault(form, []).append(
                        (
                            service.cpu_s() - before,
                            time.process_time() - own,
                            time.perf_counter() - begun,
                        )
                    )
                for day in pd.date_range(START, periods=min(days, 5)):
                    home = scratch / f"day-{form}-{number}-{day:%d}"
                    with service(home) as client:
                        begun, own = time.perf_counter(), time.process_time()
                        before = service.cpu_s()
                        client.computed_data(str(day.date()), str(day.date()))
                        cold.setdefault(form, []).append(time.perf_counter() - begun)
                        own = time.process_time() - own
                        spent.setdefault(form, []).append(own + service.cpu_s() - before)
    table = []
    for form, each in took.items():
        service_s, client_s, seconds = (
            statistics.median(column) for column in zip(*each, strict=True)
        )
        total = service_s + client_s
        table.append(
            {
                "form": form,
                "days": days,
                "service_cpu_s": service_s,
                "client_cpu_s": client_s,
                "cpu_s_per_year": total * 365 / days,
                "seconds": seconds,
            }
        )
    for row in table:
        row["times_less_cpu"] = table[0]["cpu_s_per_year"] / row["cpu_s_per_year"]
    one = [
        {
            "form": form,
            "ms": statistics.median(each) * 1e3,
            "cpu_ms": statistics.mean(spent[form]) * 1e3,
            "times_as_fast": statistics.median(cold["json"]) / statistics.median(each),
            "times_less_cpu": sum(spent["json"]) / sum(spent[form]),
        }
        for form, each in cold.items()
    ]
    return table, one


def goals(tables: dict[str, list[dict[str, object]]]) -> list[str]:
    """Return each goal with what was measured."""
    most = max(row["clients"] for row in tables["pages"])  # type: ignore[type-var]
    (carried,) = (
        row["pages_per_cpu_s"]
        for row in tables["pages"]
        if (row["log"], row["clients"], row["form"]) == (STANDARD_MODE_LOGS, most, "json")
    )
    return [
        f"pages of 500 records of the 60-second log per CPU second, {most} clients, JSON:"
        f" goal 150, measured {carried:.0f}",
        "CPU time of a sync in columns, times less than in JSON:"
        f" goal 5, measured {tables['sync'][1]['times_less_cpu']:.1f}",
        "a cold fetch of a day in columns, times as fast as in JSON:"
        f" goal 3, measured {tables['day'][1]['times_as_fast']:.1f}",
    ]


def readme(tables: dict[str, list[dict[str, object]]]) -> list[str]:
    """Return the lines of the README's table."""
    json_sync, sync = tables["sync"]
    lines = [
        f"| a year of the 15-second log synced in columns, CPU of client and service |"
        f" {sync['cpu_s_per_year']:.0f} s | {sync['times_less_cpu']:.1f} times less than in JSON"
        f" ({json_sync['cpu_s_per_year']:.0f} s) |",
        f"| a cold fetch of a day of the 15-second log in columns | {tables['day'][1]['ms']:.0f} ms"
        f" | {tables['day'][1]['times_as_fast']:.1f} times as fast as in JSON |",
    ]
    lines += [
        f"| {row['log']}, {row['clients']} client(s), {row['form']} |"
        f" {row['pages_per_cpu_s']:.0f} pages per CPU second |"
        f" {row['days_per_cpu_s']:.0f} days per CPU second |"
        for row in tables["pages"]
    ]
    return lines


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
        table, one = syncs(scratch / "wearer", scratch, options.days, options.rounds)
        tables = {
            "pages": pages(scratch / "wearers", options.clients),
            "sync": table,
            "day": one,
        }
    if options.json:
        json.dump(tables, sys.stdout, indent=1)
        print()
        return
    for name, rows in tables.items():
        print(f"\n{name}\n{pd.DataFrame(rows).round(2).to_string(index=False)}")
    print("\ngoals\n" + "\n".join(goals(tables)))
    print("\nREADME\n" + "\n".join(readme(tables)))


if __name__ == "__main__":
    main()
