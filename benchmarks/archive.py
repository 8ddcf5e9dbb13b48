"""How fast a year is read from the archive, and how small it is.

    python benchmarks/archive.py [--months 12] [--rounds 9] [--json] [--keep FOLDER]

A simulated wearer's 15-second log is written month by month. All ways run interleaved in one
process; times are medians, and the ratios are what to quote. The floor is pyarrow reading the same
columns of the same files into an Arrow table, which is not a frame yet. Decoding the year again is
measured on ten days of answers and scaled to the records of the year; the sample's way is quadratic
in the days, so it would take far longer than that. ``--keep`` keeps the archive in a folder and
uses it again.
"""

import argparse
import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from decode import LOG, SIX, eyelog_way, sample_way

import eyelog as el

YEAR = 2025
DAYS = 10


def month_names(months: int) -> list[str]:
    return [f"{YEAR}-{month:02d}" for month in range(1, months + 1)]


def last_day(month: str) -> str:
    return str((pd.Timestamp(month) + pd.offsets.MonthEnd()).date())


def make(folder: Path, months: int) -> dict[str, int]:
    """Write the year and its answers; return how many bytes each takes."""
    answers = folder / "answers"
    archive = el.Archive(folder / "archive")
    answers.mkdir(parents=True, exist_ok=True)
    for month in month_names(months):
        if any(answers.glob(f"*{month}*")):
            continue
        frame = el.simulate(f"{month}-01", int(last_day(month)[-2:]), log=LOG)
        archive.write(LOG, frame, account="me")
        archive.export(LOG, frame.index[0], frame.index[-1], answers, location=True)
    return {
        "archive": sum(f.stat().st_size for f in (folder / "archive").rglob("*.parquet")),
        "json": sum(f.stat().st_size for f in answers.glob("*.json")),
    }


def medians(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of each way, all run in turn.

    The order changes from round to round: a way that follows one that returned much memory to the
    system pays for getting it back.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    order = random.Random(1)
    for _ in range(rounds):
        for name in order.sample(list(ways), len(ways)):
            gc.collect()
            start = time.perf_counter()
            ways[name]()
            times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(spent) for name, spent in times.items()}


def pyarrow_way(files: list[Path], columns: list[str] | None, **pruned: object) -> pa.Table:
    return pq.read_table([str(f) for f in files], columns=columns, partitioning=None, **pruned)


def reading(folder: Path, months: int, rounds: int) -> list[dict[str, object]]:
    archive = el.Archive(folder / "archive")
    names = month_names(months)
    first, last = f"{names[0]}-01", last_day(names[-1])
    middle = names[len(names) // 2]
    home = folder / "archive" / f"log={LOG}" / "account=me"
    files = [path for name in names for path in (home / f"month={name}").glob("*.parquet")]
    columns = ["date", *SIX]
    day = pd.Timestamp(f"{middle}-15", tz="UTC")
    stamps = pa.scalar(day.to_pydatetime()), pa.scalar((day + pd.Timedelta("1D")).to_pydatetime())
    of_month = [files[names.index(middle)]]
    of_day = [("date", ">=", stamps[0]), ("date", "<", stamps[1])]
    bodies = [path.read_bytes() for path in sorted((folder / "answers").glob("*.json"))[:DAYS]]
    ways: dict[str, Callable[[], object]] = {
        "year, 6 fields": lambda: archive.read(LOG, first, last, fields=SIX),
        "floor year, 6 fields": lambda: pyarrow_way(files, columns),
        "month, 6 fields": lambda: archive.read(LOG, f"{middle}-01", last_day(middle), fields=SIX),
        "floor month, 6 fields": lambda: pyarrow_way(of_month, columns),
        "month, all fields": lambda: archive.read(LOG, f"{middle}-01", last_day(middle)),
        "floor month, all fields": lambda: pyarrow_way(of_month, None),
        "day, all fields": lambda: archive.read(LOG, f"{middle}-15", f"{middle}-15"),
        "floor day, all fields": lambda: pyarrow_way(of_month, None, filters=of_day),
    }
    took = medians(ways, rounds)
    again: dict[str, Callable[[], object]] = {
        "decode 10 days": lambda: eyelog_way(bodies),
        "decode 10 days, 6 fields": lambda: eyelog_way(bodies, SIX),
    }
    took |= medians(again, max(1, rounds // 3))
    took |= medians({"sample's way 10 days": lambda: sample_way(bodies)}, 1)
    rows: list[dict[str, object]] = [
        {"way": name, "ms": ms, "to_pyarrow": ms / took[f"floor {name}"]}
        for name, ms in took.items()
        if f"floor {name}" in took
    ]
    share = len(archive.read(LOG, first, last, fields=["stp"])) / len(eyelog_way(bodies, ["stp"]))
    for name in ("decode 10 days", "decode 10 days, 6 fields", "sample's way 10 days"):
        ms = took[name] * share
        whole = name.replace("10 days", "the year again")
        rows.append({"way": whole, "ms": ms, "to_year_read": ms / took["year, 6 fields"]})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--months", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--keep", type=Path, help="folder in which the archive stays")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        size = make(folder, options.months)
        tables = {
            "size": [
                {"bytes_of": "archive", "mb": size["archive"] / 1e6},
                {"bytes_of": "json", "mb": size["json"] / 1e6},
                {"bytes_of": "archive / json", "ratio": size["archive"] / size["json"]},
            ],
            "reading": reading(folder, options.months, options.rounds),
        }
    if options.json:
        json.dump(tables, sys.stdout, indent=1)
        print()
        return
    for name, rows in tables.items():
        print(f"\n{name}\n{pd.DataFrame(rows).round(3).to_string(index=False, na_rep='')}")


if __name__ == "__main__":
    main()
