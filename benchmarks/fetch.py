"""How fast days come over HTTP: workers, compressed transfer, and the warm cache.

    python benchmarks/fetch.py [--days 60] [--delay-ms 50] [--page-size 500] [--rounds 3]
                               [--only workers transfer warm spans] [--json]

The project's own service runs in another process and begins each answer after a delay. A fetch is
the whole job: requests, decoding, checks, the cache, the frame; each starts with an empty home.
All ways run interleaved; times are medians, and the ratios are what to quote.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

import pandas as pd
import requests
from decode import answer, day_records, eyelog_way
from tools.measure import Rows, medians, options, show
from tools.served import ACCOUNT, fill, served, walk

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.clock import as_zones
from eyelog.decode import decode_page, joined_pages
from eyelog.fetch.client import days_of

START = "2025-03-01"


def last(days: int) -> str:
    return str((pd.Timestamp(START) + pd.Timedelta(days=days - 1)).date())


def workers(archive: Path, scratch: Path, given: argparse.Namespace) -> Rows:
    """Fetch all days of the 60-second log with one worker and with four."""
    end, homes = last(given.days), iter(range(1000))
    with served(archive, delay_ms=given.delay_ms, page_size=given.page_size) as service:

        def fetch(count: int) -> None:
            with service(scratch / f"home-{next(homes)}", workers=count) as client:
                client.standard_mode_logs(START, end)

        ways = {count: partial(fetch, count) for count in (1, 4)}
        found = medians(ways, given.rounds, time.perf_counter)
    return [
        {"workers": count, "s": took, "times as fast": found[1] / took}
        for count, took in found.items()
    ]


def transfer(archive: Path, scratch: Path, given: argparse.Namespace) -> Rows:
    """Walk one day by hand, and count the bytes that came."""
    sizes = {}
    with (
        served(archive, page_size=given.page_size) as service,
        service(scratch / "home-transfer") as client,
        requests.Session() as session,
    ):
        session.headers["Authorization"] = f"Bearer {client.credentials.bearer()}"
        for asked in ("identity", "gzip", "zstd"):
            session.headers["Accept-Encoding"] = asked
            came = walk(session, service.url, COMPUTED_DATA, START)
            sizes[asked] = sum(int(page.headers["Content-Length"]) for page, _ in came)
    return [
        {"coding": asked, "MB": size / 1e6, "share": size / sizes["identity"]}
        for asked, size in sizes.items()
    ]


def warm(archive: Path, scratch: Path, given: argparse.Namespace) -> Rows:
    """Hold a cached day against decoding the same bodies, in few and in many pages."""
    rows = []
    for log in (COMPUTED_DATA, STANDARD_MODE_LOGS):
        for size in (10_000, given.page_size):
            home = scratch / f"home-warm-{log}-{size}"
            with served(archive, page_size=size) as service, service(home) as client:
                fetch = partial(getattr(client, log), START, START)
                frame = fetch()
                bodies = stored(client, log)
                decode = partial(decoded, log, bodies)
                assert decode().equals(frame)
                found = medians({"warm": fetch, "decode": decode}, 7 * given.rounds)
            row = {"log": log, "pages": len(bodies), "ms": found["warm"] * 1e3}
            rows.append(row | {"to decoding": found["warm"] / found["decode"]})
    return rows


def spans(archive: Path, scratch: Path, given: argparse.Namespace) -> Rows:
    """Fetch spans of cached days: the cost of a day must not grow with their number."""
    lengths = (1, 10, 60, 365)
    with (
        served(archive, page_size=given.page_size) as service,
        service(scratch / "home-spans") as client,
    ):
        client.standard_mode_logs(START, last(365))
        ways = {n: partial(client.standard_mode_logs, START, last(n)) for n in lengths}
        found = medians(ways, given.rounds)
    return [
        {"days": n, "per day, to a day alone": took / n / found[1]} for n, took in found.items()
    ]


def decoded(log: str, bodies: list[bytes]) -> pd.DataFrame:
    return joined_pages([decode_page(body, log) for body in bodies], log)


def stored(client: el.Client, log: str) -> list[bytes]:
    """Return the bodies of the cached day."""
    (day,) = days_of(log, START, START, as_zones("UTC"), None)
    cached = client.walker.cache.stored(day, at=None)
    assert cached is not None
    return [page.content for page in cached.cache.responses.values()]


def main() -> None:
    tables = {"workers": workers, "transfer": transfer, "warm": warm, "spans": spans}
    given = options(__doc__, days=60, delay_ms=50.0, page_size=500, rounds=3, only=list(tables))
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        archive = scratch / "wearer"
        fill(archive, STANDARD_MODE_LOGS, START, 365 if "spans" in given.only else given.days)
        full = answer(day_records()).replace(b'"2026-01-01T', f'"{START}T'.encode())
        el.Archive(archive).write(COMPUTED_DATA, eyelog_way([full]), account=ACCOUNT, days=[START])
        show({name: tables[name](archive, scratch, given) for name in given.only}, given.json)


if __name__ == "__main__":
    main()
