"""How fast days come over HTTP: workers, and the warm cache.

    python benchmarks/fetch.py [--days 60] [--delay-ms 50] [--page-size 500] [--rounds 3]
                               [--only workers warm spans]

The project's own service runs in another process, and each request begins after a delay. A fetch is
the whole job: requests, decoding, checks, the cache, the frame; each starts with an empty home.
All ways run interleaved; times are medians, and the ratios are what to quote.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

import pandas as pd
from decode import answer, day_records, decoded
from tools.measure import Rows, medians, script
from tools.served import delayed, fill, last, logged_in, served, walk

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.decode import decode_page, joined_pages

START, ACCOUNT = "2025-03-01", "me"


def home() -> Path:
    return Path(tempfile.mkdtemp())


def workers(folder: Path, given: argparse.Namespace) -> Rows:
    """Fetch all days of the 60-second log with one worker and with four."""
    fill(folder / "days", STANDARD_MODE_LOGS, START, given.days, [ACCOUNT])
    with served(folder / "days", "--page-size", str(given.page_size)) as (url, _):

        def fetch(count: int) -> None:
            with logged_in(url, folder / "days", home(), ACCOUNT, workers=count) as client:
                client.standard_mode_logs(START, last(START, given.days))

        with delayed(given.delay_ms):
            ways = {count: partial(fetch, count) for count in (1, 4)}
            found = medians(ways, given.rounds, time.perf_counter)
    return [
        {"workers": count, "s": took, "times as fast": found[1] / took}
        for count, took in found.items()
    ]


def warm(folder: Path, given: argparse.Namespace) -> Rows:
    """Hold a cached day against decoding the same bodies, in few and in many pages."""
    place = folder / "day"
    fill(place, STANDARD_MODE_LOGS, START, 1, [ACCOUNT])
    full = answer(day_records()).replace(b'"2026-01-01T', f'"{START}T'.encode())
    el.Archive(place).write(COMPUTED_DATA, decoded(full), account=ACCOUNT)
    rows: Rows = []
    for log in (COMPUTED_DATA, STANDARD_MODE_LOGS):
        for size in (10_000, given.page_size):
            with (
                served(place, "--page-size", str(size)) as (url, _),
                logged_in(url, place, home(), ACCOUNT) as client,
            ):
                fetch = partial(getattr(client, log), START, START)
                frame = fetch()
                bodies = [*walk(url, client.credentials.bearer(), log, [START])]

                def decode(log: str = log, bodies: list[bytes] = bodies) -> pd.DataFrame:
                    return joined_pages([decode_page(body, log) for body in bodies], log)

                assert decode().equals(frame)
                found = medians({"warm": fetch, "decode": decode}, 7 * given.rounds)
            row = {"log": log, "pages": len(bodies), "ms": found["warm"] * 1e3}
            rows.append(row | {"to decoding": found["warm"] / found["decode"]})
    return rows


def spans(folder: Path, given: argparse.Namespace) -> Rows:
    """Fetch spans of cached days: the cost of a day must not grow with their number."""
    place, lengths = folder / "year", (1, 10, 60, 365)
    fill(place, STANDARD_MODE_LOGS, START, 365, [ACCOUNT])
    with (
        served(place, "--page-size", str(given.page_size)) as (url, _),
        logged_in(url, place, home(), ACCOUNT) as client,
    ):
        client.standard_mode_logs(START, last(START, 365))
        ways = {n: partial(client.standard_mode_logs, START, last(START, n)) for n in lengths}
        found = medians(ways, given.rounds)
    return [
        {"days": n, "per day, to a day alone": took / n / found[1]} for n, took in found.items()
    ]


if __name__ == "__main__":
    tables = {"workers": workers, "warm": warm, "spans": spans}
    script(__doc__, tables, days=60, delay_ms=50.0, page_size=500, rounds=3)
