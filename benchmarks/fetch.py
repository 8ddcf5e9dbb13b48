"""How fast days come over HTTP: workers, compressed transfer, and the warm cache.

    python benchmarks/fetch.py [--days 60] [--delay-ms 50] [--page-size 500] [--rounds 3]
                               [--only workers transfer warm spans] [--json]

The project's own service runs in another process and begins each answer after a delay. A fetch is
the whole job: requests, decoding, checks, the cache, the frame; each starts with an empty home.
All ways run interleaved; times are medians, and the ratios are what to quote.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import requests
import zstandard
from decode import answer, day_records, eyelog_way, medians
from tools.served import ACCOUNT, fill, served

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.clock import as_zones
from eyelog.decode import decode_page, joined_pages
from eyelog.fetch.client import days_of

ACCEPT_ENCODING = "gzip, zstd"  # of the client
START = "2025-03-01"
WORKERS = (1, 2, 4, 8)


def last(days: int) -> str:
    return str((pd.Timestamp(START) + pd.Timedelta(days=days - 1)).date())


def workers(archive: Path, scratch: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    """Fetch all days of both logs with more and more workers, and sync one with four."""
    times: dict[str, list[float]] = {}
    end = last(options.days)
    with served(archive, delay_ms=options.delay_ms, page_size=options.page_size) as client:

        def timed(name: str, work: Callable[[], object]) -> None:
            begun = time.perf_counter()
            work()
            times.setdefault(name, []).append(time.perf_counter() - begun)

        for number in range(options.rounds):
            for count in WORKERS:
                with client(scratch / f"home-{number}-{count}", workers=count) as fetching:
                    timed(
                        f"fetch, {count} worker(s)",
                        lambda fetching=fetching: (
                            fetching.standard_mode_logs(START, end),
                            fetching.computed_data(START, end),
                        ),
                    )
            with client(scratch / f"home-{number}-sync", workers=4) as syncing:
                copy = el.Archive(scratch / f"archive-{number}")
                timed(
                    "sync, 4 workers",
                    lambda copy=copy, syncing=syncing: copy.sync(
                        syncing, STANDARD_MODE_LOGS, START, end
                    ),
                )
    found = {name: sorted(each)[len(each) // 2] for name, each in times.items()}
    one = found["fetch, 1 worker(s)"]
    return [
        {"way": name, "seconds": took, "to_one_worker": took / one} for name, took in found.items()
    ]


def transfer(archive: Path, scratch: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    """Walk one day of each log by hand, and count the bytes that came."""
    rows: list[dict[str, object]] = []
    with (
        served(archive, page_size=options.page_size) as client,
        client(scratch / "home-transfer") as made,
    ):
        bearer = {"Authorization": f"Bearer {made.credentials.bearer()}"}
        for log in (COMPUTED_DATA, STANDARD_MODE_LOGS):
            plain = 0
            for asked in ("identity", "gzip", "zstd", ACCEPT_ENCODING):
                begun = time.perf_counter()
                size, coding = walk(made.base_url, log, bearer | {"Accept-Encoding": asked})
                took = (time.perf_counter() - begun) * 1e3
                plain = plain or size
                rows.append(
                    {
                        "log": log,
                        "asked": asked + (" (the client)" if asked == ACCEPT_ENCODING else ""),
                        "given": coding,
                        "kb": size / 1e3,
                        "share": size / plain,
                        "ms": took,
                    }
                )
    return rows


def walk(base_url: str, log: str, headers: dict[str, str]) -> tuple[int, str]:
    params = {"date_from": f"{START}T00:00:00Z", "date_to": f"{START}T23:59:59Z"}
    size, coding = 0, ""
    while True:
        url = f"{base_url}/v2/users/me/official/{log}"
        came = requests.get(url, params=params, headers=headers, timeout=60)
        came.raise_for_status()
        size += int(came.headers["Content-Length"])
        coding = came.headers.get("Content-Encoding", "none")
        body = came.content
        if coding == "zstd":  # which requests leaves as it is
            body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
        cursor = json.loads(body)["cursor"]
        if not cursor:
            return size, coding
        params["cursor"] = cursor


def warm(archive: Path, scratch: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    """Hold a cached day against decoding the same bodies, in few and in many pages."""
    rows = []
    for log in (COMPUTED_DATA, STANDARD_MODE_LOGS):
        for size in (10_000, options.page_size):
            home = scratch / f"home-warm-{log}-{size}"
            with served(archive, page_size=size) as client, client(home) as made:
                fetch = getattr(made, log)
                frame = fetch(START, START)
                bodies = stored(made, log)
                assert decoded(log, bodies).equals(frame)
                found = medians(
                    {
                        "warm": lambda fetch=fetch: fetch(START, START),
                        "decode": lambda log=log, bodies=bodies: decoded(log, bodies),
                    },
                    7 * options.rounds,
                )
            rows.append(
                {
                    "log": log,
                    "records": len(frame),
                    "pages": len(bodies),
                    "warm_ms": found["warm"],
                    "decode_ms": found["decode"],
                    "ratio": found["warm"] / found["decode"],
                }
            )
    return rows


def spans(archive: Path, scratch: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    """Fetch spans of cached days: the cost of a day must not grow with their number."""
    ends = {days: last(days) for days in (1, 10, options.days, 365)}
    with (
        served(archive, page_size=options.page_size) as client,
        client(scratch / "home-spans") as made,
    ):
        made.standard_mode_logs(START, ends[365])
        ways = {str(days): partial(made.standard_mode_logs, START, ends[days]) for days in ends}
        found = medians(ways, options.rounds)
    return [{"days": int(days), "ms_per_day": took / int(days)} for days, took in found.items()]


def decoded(log: str, bodies: list[bytes]) -> pd.DataFrame:
    return joined_pages([decode_page(body, log) for body in bodies], log)


def stored(client: el.Client, log: str) -> list[bytes]:
    """Return the bodies of the cached day."""
    (day,) = days_of(log, START, START, as_zones("UTC"), None)
    cached = client.walker.cache.stored(day, at=None)
    assert cached is not None
    return [page.content for page in cached.cache.responses.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--delay-ms", type=float, default=50.0)
    parser.add_argument("--page-size", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    tables = {"workers": workers, "transfer": transfer, "warm": warm, "spans": spans}
    parser.add_argument("--only", nargs="+", choices=tables, default=list(tables))
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        archive = scratch / "wearer"
        fill(archive, STANDARD_MODE_LOGS, START, 365 if "spans" in options.only else options.days)
        fill(archive, COMPUTED_DATA, START, options.days)
        full = answer(day_records()).replace(b'"2026-01-01T', f'"{START}T'.encode())
        el.Archive(archive).write(COMPUTED_DATA, eyelog_way([full]), account=ACCOUNT, days=[START])
        results = {name: tables[name](archive, scratch, options) for name in options.only}
    if options.json:
        json.dump(results, sys.stdout, indent=1)
        print()
        return
    for name, rows in results.items():
        print(f"\n{name}\n{pd.DataFrame(rows).round(2).to_string(index=False)}")


if __name__ == "__main__":
    main()
