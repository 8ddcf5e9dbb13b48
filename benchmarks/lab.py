"""What a study of many wearers costs its operator.

    python benchmarks/lab.py [--accounts 1000] [--months 300] [--passwords 50] [--json]

Accounts are added from a CSV file, all with invitations, then some with passwords: their hashing
takes nearly all of the time, so the seconds for a thousand follow from it. Then each command that
an operator waits for runs in a process of its own, on an archive with the months, and four workers
are started. Times are of the clock, the best of three.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA

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
        rows.writerow(["name", "password", "study", "role", "zone"])
        rows.writerows([name, password, "sleep", "wearer", "Asia/Tokyo"] for name in names)
    return path


def fill(archive: Path, names: list[str]) -> None:
    """Give each wearer a month of the 15-second log: the same one."""
    frame = el.simulate(START, 30, log=COMPUTED_DATA, tz="UTC")
    for name in names:
        el.Archive(archive).write(COMPUTED_DATA, frame, account=name)


def start(place: list[str]) -> tuple[float, list[int]]:
    """Start the workers; return the seconds until they are ready, and the memory of each."""
    words = ["serve", *place, "--port", "0", "--workers", str(WORKERS)]
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "eyelog", *words], stderr=subprocess.PIPE, text=True
    ) as service:
        assert service.stderr is not None
        try:
            if not service.stderr.readline().startswith("http"):
                raise SystemExit(service.stderr.read())
            took = time.perf_counter() - started
            children = psutil.Process(service.pid).children()
            return took, [child.memory_info().rss for child in children]
        finally:
            service.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accounts", type=int, default=1000)
    parser.add_argument("--months", type=int, default=300)
    parser.add_argument("--passwords", type=int, default=50)
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
