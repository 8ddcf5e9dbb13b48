"""How long a sync of a year takes, and that its memory does not grow with its length.

    python benchmarks/sync.py [--days 30 120 365] [--log computed_data] [--json] [--keep FOLDER]

The project's own service has a simulated wearer's year. Each length is synced in a fresh process
into a fresh archive with a fresh home, then once more. The process prints the seconds of both, its
peak memory (``peak_mb``) and its memory before the first request (``started_mb``).
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from tools.processes import peak_kb
from tools.served import fill, served

import eyelog as el

START = "2025-01-01"


def one(url: str, token: str, folder: Path, log: str, days: int) -> dict[str, object]:
    """Sync twice; runs in a process of its own, so that the peak is its own."""
    import eyelog.archive.sync  # noqa: F401 - its imports are not part of the sync

    end = str((pd.Timestamp(START) + pd.Timedelta(days=days - 1)).date())
    client = el.Client(url, application=None, token=el.Token(token), home=folder / "home")
    archive = el.Archive(folder / "archive")
    row: dict[str, object] = {"days": days, "started_mb": peak_kb() / 1024}
    for name in ("seconds", "again_s"):
        begun = time.perf_counter()
        report = archive.sync(client, log, START, end)
        row[name] = time.perf_counter() - begun
        assert (report["state"] == ("fetched" if name == "seconds" else "unchanged")).all()
    row["records"] = int(report["records"].sum())
    row["peak_mb"] = peak_kb() / 1024
    row["archive_mb"] = sum(f.stat().st_size for f in folder.rglob("*.parquet")) / 1e6
    cache = folder / "home" / "cache"
    row["cache_mb"] = sum(f.stat().st_size for f in cache.rglob("*")) / 1e6
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, nargs="+", default=[30, 120, 365])
    parser.add_argument("--log", default="computed_data")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--keep", type=Path, help="folder in which the wearer's archive stays")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)  # url, token, folder
    options = parser.parse_args()
    if options.one:
        url, token, folder = options.one
        print(json.dumps(one(url, token, Path(folder), options.log, options.days[0])))
        return
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        source = (options.keep or Path(scratch)) / "wearer"
        fill(source, options.log, START, max(options.days))
        with served(source) as client:
            login = client(Path(scratch) / "login")
            token = login.credentials.token.access_token
            for days in options.days:
                folder = Path(scratch) / str(days)
                folder.mkdir()
                command = [sys.executable, __file__, "--days", str(days), "--log", options.log]
                command += ["--one", login.base_url, token, str(folder)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    sys.exit(done.stderr)
                rows.append(json.loads(done.stdout))
    if options.json:
        json.dump({"sync": rows}, sys.stdout, indent=1)
        print()
    else:
        print(f"\nsync\n{pd.DataFrame(rows).round(2).to_string(index=False)}")


if __name__ == "__main__":
    main()
