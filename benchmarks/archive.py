"""How fast a year is read from the archive and written into it, and how small it is.

    python benchmarks/archive.py [--months 12] [--rounds 9]

A simulated wearer's 15-second log is written month by month. All ways run interleaved in one
process; times are medians of CPU time, and the ratios are what to quote. The floor is pyarrow
reading the same columns of the same files into an Arrow table, which is not a frame yet, and
writing the same frames.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from decode import LOG, SIX
from tools.measure import Rows, medians, megabytes, script
from tools.served import fill

import eyelog as el
from eyelog.catalogue import STANDARD_MODE_LOGS

Ways = dict[str, Callable[[], object]]


def reading(folder: Path, given: argparse.Namespace) -> Rows:
    """Read six fields of all months and of three; their size beside that of their JSON."""
    archive, answers = el.Archive(folder / "archive"), folder / "answers"
    months = pd.period_range("2025-01", periods=given.months, freq="M")
    for month in months:
        fill(Path(archive.path), LOG, f"{month}-01", month.days_in_month, ["me"])
    end = months[-1].days_in_month
    last = archive.read(LOG, f"{months[-1]}-01", f"{months[-1]}-{end}", tz="UTC")
    archive.export(LOG, last.index[0], last.index[-1], answers, location=True)
    sent = sum(file.stat().st_size for file in answers.glob("*.json")) / 1e6
    files = sorted((folder / "archive").rglob("*.parquet"))
    ways: Ways = {}
    for name, span in {"all": months, "three months": months[-3:]}.items():
        days = str(span[0].start_time.date()), str(span[-1].end_time.date())
        parts = [file for file in files for month in span if f"month={month}" in str(file)]
        columns = {"columns": ["date", *SIX], "partitioning": None}
        ways[f"{name}, pyarrow"] = partial(pq.read_table, parts, **columns)
        ways[f"{name}, read"] = partial(archive.read, LOG, *days, tz="UTC", fields=SIX)
        ways[f"{name}, read_arrow"] = partial(
            archive.read_arrow, LOG, *days, fields=SIX, account="me"
        )
    found = medians(ways, given.rounds)
    rows: Rows = []
    for way, took in found.items():
        floor = found[f"{way.partition(',')[0]}, pyarrow"]
        rows.append({"way": way, "ms": took * 1e3, "to pyarrow": took / floor})
    rows.append({"way": "all", "MB": megabytes(folder / "archive")})
    of_last = sum(file.stat().st_size for file in files if f"month={months[-1]}" in str(file))
    return [*rows, {"way": "the last month", "MB": of_last / 1e6, "MB of JSON": sent}]


def writing(folder: Path, given: argparse.Namespace) -> Rows:
    """Write 28 days of both logs at once, again, and the days of each one by one."""
    logs = (LOG, STANDARD_MODE_LOGS)
    frames = {log: el.simulate("2025-02-01", 28, log=log) for log in logs}
    days = {log: [day for _, day in of.groupby(of.index.date)] for log, of in frames.items()}
    tables = [pa.Table.from_pandas(frame) for frame in frames.values()]

    def new() -> el.Archive:
        return el.Archive(mkdtemp(dir=folder))

    def write(archive: el.Archive | None, *parts: tuple[str, pd.DataFrame]) -> None:
        target = archive or new()
        for log, frame in parts:
            target.write(log, frame, account="me")

    full = new()
    write(full, *frames.items())
    ways: Ways = {
        "pyarrow": lambda: [pq.write_table(t, folder / "t", compression="zstd") for t in tables],
        "into an empty archive": partial(write, None, *frames.items()),
        "into one that has them": partial(write, full, *frames.items()),
    }
    for log in logs:
        ways[f"{log}, once"] = partial(write, None, (log, frames[log]))
        ways[f"{log}, day by day"] = partial(write, None, *((log, day) for day in days[log]))
    found = medians(ways, max(1, given.rounds // 3))
    rows = []
    for way, took in found.items():
        log, comma, _ = way.partition(", ")
        floor, name = (f"{log}, once", "one write") if comma else ("pyarrow", "pyarrow")
        rows.append({"way": way, "s": took, f"to {name}": took / found[floor]})
    return rows


if __name__ == "__main__":
    tables = {"reading, six fields": reading, "writing, 28 days": writing}
    script(__doc__, tables, rounds=9, months=12)
