"""What a study of many wearers costs its operator.

    python benchmarks/lab.py [--accounts 1000] [--months 300] [--passwords 50] [--clients 50]
        [--uploads 40] [--json]

Accounts are added from a CSV file, all with invitations, then some with passwords: their hashing
takes nearly all of the time, so the seconds for a thousand follow from it. Then each command that
an operator waits for runs in a process of its own, on an archive with the months, and four workers
are started. Times are of the clock, the best of three. At last 50 clients walk two days of the
15-second log at once, in pages of 500 records, and then 4 send a day each as a Logger CSV, again
and again, for another wearer each time.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil
import requests

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA
from eyelog_service.grants import Registry

START = "2026-09-01"
WORKERS = 4


def command(*words: str) -> float:
    """Run a command of eyelog; return how many seconds it took."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "eyelog", *words], capture_output=True, text=True, check=False
    )
    took = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(done.stderr)
    return took


def wearers(path: Path, names: list[str], *, password: str = "") -> Path:
    with path.open("w", newline="") as sink:
        rows = csv.writer(sink)
        rows.writerow(["name", "password", "study", "zone"])
        rows.writerows([name, password, "sleep", "Asia/Tokyo"] for name in names)
    return path


def fill(archive: Path, names: list[str]) -> None:
    """Give each wearer a month of the 15-second log: the same one."""
    frame = el.simulate(START, 30, log=COMPUTED_DATA, tz="UTC")
    for name in names:
        el.Archive(archive).write(COMPUTED_DATA, frame, account=name)


@contextmanager
def running(place: list[str]) -> Iterator[tuple[str, float, list[int]]]:
    """Start the workers; give the address, the seconds until they are ready, the memory of each."""
    words = ["serve", *place, "--port", "0", "--workers", str(WORKERS), "--requests-per-hour", "0"]
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "eyelog", *words], stderr=subprocess.PIPE, text=True
    ) as service:
        assert service.stderr is not None
        try:
            address = service.stderr.readline().strip()
            if not address.startswith("http"):
                raise SystemExit(service.stderr.read())
            took = time.perf_counter() - started
            children = psutil.Process(service.pid).children()
            yield address, took, [child.memory_info().rss for child in children]
        finally:
            service.terminate()


def start(place: list[str]) -> tuple[float, list[int]]:
    """Start the workers and stop them; return what that took, and the memory of each."""
    with running(place) as (_, took, memory):
        return took, memory


def pages(address: str, tokens: list[str]) -> list[float]:
    """Let every client walk two days at the same time; return the seconds of each page."""

    def walk(token: str) -> list[float]:
        took = []
        with requests.Session() as session:
            session.headers["Authorization"] = f"Bearer {token}"
            for day in ("2026-09-10", "2026-09-11"):
                params = {"date_from": f"{day}T00:00:00Z", "date_to": f"{day}T23:59:59Z"}
                while True:
                    before = time.perf_counter()
                    page = session.get(
                        f"{address}/v2/users/me/official/{COMPUTED_DATA}", params=params
                    )
                    page.raise_for_status()
                    took.append(time.perf_counter() - before)
                    if (cursor := page.json()["cursor"]) is None:
                        break
                    params["cursor"] = cursor
        return took

    with ThreadPoolExecutor(len(tokens)) as pool:
        return [seconds for each in pool.map(walk, tokens) for seconds in each]


def uploads(address: str, tokens: list[str], file: bytes) -> float:
    """Send a file for every wearer, four at a time; return how many are taken per minute."""

    def send(token: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "text/csv"}
        answer = requests.post(f"{address}/v1/records", data=file, headers=headers, timeout=60)
        answer.raise_for_status()
        assert answer.json()["new"] > 0

    started = time.perf_counter()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, tokens))
    return 60 * len(tokens) / (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accounts", type=int, default=1000)
    parser.add_argument("--months", type=int, default=300)
    parser.add_argument("--passwords", type=int, default=50)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--uploads", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        place = ["--archive", str(folder / "archive"), "--state", str(folder / "state")]
        names = [f"wearer-{number:04}" for number in range(args.accounts)]
        fill(folder / "archive", names[: args.months])
        add = ["service", "add-accounts", *place]
        invite = ["--invite", str(folder / "links.csv"), "--base-url", "https://logs.example.org"]
        found: dict[str, float] = {}
        listed = str(wearers(folder / "wearers.csv", names))
        found["add_invited_s"] = command(*add, listed, *invite)
        more = [f"more-{number}" for number in range(args.passwords)]
        listed = str(wearers(folder / "more.csv", more, password="a good password"))
        found["add_password_each_s"] = command(*add, listed) / max(1, args.passwords)
        for action in ("list-accounts", "check"):
            words = ["service", action, *place]
            found[f"{action}_s"] = min(command(*words) for _ in range(3))
        started = [start(place) for _ in range(3)]
        found["start_4_workers_s"] = min(took for took, _ in started)
        found["worker_mb"] = max(max(memory) for _, memory in started) / 1e6
        registry = Registry(folder / "archive", folder / "state")
        uri = "http://127.0.0.1/callback"
        client_id, _ = registry.applications.add(uri)
        codes = [registry.grants.issue_code(n, client_id, uri) for n in names[: args.clients]]
        readers = [registry.grants.exchange(code, client_id, uri, None)[0] for code in codes]
        senders = [registry.grants.issue_upload_token(n) for n in names[-args.uploads :]]
        day = folder / "day.csv"
        el.Archive(folder / "archive").export(
            COMPUTED_DATA, "2026-09-10", "2026-09-10", day, account=names[0], tz="UTC"
        )
        with running(place) as (address, _, _):
            took = sorted(pages(address, readers))
            found["page_p50_ms"] = 1e3 * took[len(took) // 2]
            found["page_p95_ms"] = 1e3 * took[int(0.95 * len(took))]
            found["pages_per_s"] = len(took) / sum(took) * args.clients
            file = day.read_bytes()
            found["uploads_per_min"] = uploads(address, senders, file)
        found["verify_s"] = command("archive", "verify", *place[:2])
        found["disable_study_s"] = command("service", "disable", *place, "--all-in", "sleep")
        found["check_after_s"] = command("service", "check", *place)
    if args.json:
        print(json.dumps(found, indent=1))
        return
    for name, value in found.items():
        print(f"{name:<20} {value:8.2f}")


if __name__ == "__main__":
    main()
