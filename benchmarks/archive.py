"""How fast a year is read from the archive and written into it, and how small it is.

    python benchmarks/archive.py [--months 12] [--rounds 9] [--json] [--keep FOLDER]

A simulated wearer's 15-second log is written month by month. All ways run interleaved in one
process; times are medians of CPU time, and the ratios are what to quote. The floor is pyarrow
reading the same columns of the same files into an Arrow table, which is not a frame yet, and
writing the same frames. Decoding the year again is measured on ten days of answers and scaled to
the records of the year; the sample's way is quadratic in the days, so it would take far longer than
that. ``--keep`` keeps the archive in a folder and uses it again.
"""

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from decode import LOG, SIX, eyelog_way, sample_way
from tools.measure import Rows, medians, megabytes, options, show

import eyelog as el
from eyelog.catalogue import STANDARD_MODE_LOGS

YEAR = 2025
DAYS = 10


def make(folder: Path, months: int) -> Rows:
    """Write the year and its answers; return how many bytes each takes."""
    answers = folder / "answers"
    archive = el.Archive(folder / "archive")
    answers.mkdir(parents=True, exist_ok=True)
    for month in pd.period_range(f"{YEAR}-01", periods=months, freq="M"):
        if not any(answers.glob(f"*{month}*")):
            frame = el.simulate(f"{month}-01", month.days_in_month, log=LOG)
            archive.write(LOG, frame, account="me")
            archive.export(LOG, frame.index[0], frame.index[-1], answers, location=True)
    stored = megabytes(folder / "archive")
    plain = sum(file.stat().st_size for file in answers.glob("*.json")) / 1e6
    return [{"archive, MB": stored, "JSON, MB": plain, "share": stored / plain}]


def reading(folder: Path, months: int, rounds: int) -> Rows:
    """Read all months and the last three, six fields each; decode and sample answers beside."""
    archive = el.Archive(folder / "archive")
    files = sorted((folder / "archive").rglob("*.parquet"))
    of_month = pd.period_range(f"{YEAR}-01", periods=months, freq="M")
    bodies = [path.read_bytes() for path in sorted((folder / "answers").glob("*.json"))[:DAYS]]
    spans = {"all": of_month, "three months": of_month[-3:]}
    ways: dict[str, Callable[[], object]] = {}
    for name, span in spans.items():
        days = str(span[0].start_time.date()), str(span[-1].end_time.date())
        parts = [file for file in files for month in span if f"month={month}" in str(file)]
        ways[f"{name}, read"] = lambda days=days: archive.read(LOG, *days, fields=SIX)
        ways[f"{name}, read_arrow"] = lambda days=days: archive.read_arrow(
            LOG, *days, fields=SIX, account="me"
        )
        ways[f"{name}, pyarrow"] = lambda parts=parts: pq.read_table(
            parts, columns=["date", *SIX], partitioning=None
        )
    ways["decoded again"] = lambda: eyelog_way(bodies, SIX)
    found = medians(ways, rounds) | medians({"the sample's way": lambda: sample_way(bodies)}, 1)
    share = len(archive.read(LOG, fields=["stp"])) / len(eyelog_way(bodies, ["stp"]))
    rows = []
    for way, took in found.items():
        name = way.partition(",")[0]
        if name in spans:
            rows.append({"way": way, "ms": took * 1e3, "to": took / found[f"{name}, pyarrow"]})
        else:
            ratio = took * share / found["all, read"]
            rows.append({"way": f"all, {way}", "ms": took * share * 1e3, "to": ratio})
    return rows


def writing(folder: Path, rounds: int) -> Rows:
    """Write 28 days of both logs at once, again, and the days of each one by one."""
    logs = (LOG, STANDARD_MODE_LOGS)
    frames = {log: el.simulate(f"{YEAR}-02-01", 28, log=log) for log in logs}
    number = count()
    tables = [pa.Table.from_pandas(frame) for frame in frames.values()]

    def at_once(archive: el.Archive) -> None:
        for log, frame in frames.items():
            archive.write(log, frame, account="me")

    def day_by_day(log: str) -> None:
        archive = el.Archive(folder / f"days-{next(number)}")
        for _, day in frames[log].groupby(frames[log].index.date):
            archive.write(log, day, account="me")

    def one_write(log: str) -> None:
        el.Archive(folder / f"once-{next(number)}").write(log, frames[log], account="me")

    full = el.Archive(folder / "full")
    at_once(full)
    ways: dict[str, Callable[[], object]] = {
        "pyarrow": lambda: [pq.write_table(t, folder / "t", compression="zstd") for t in tables],
        "into an empty archive": lambda: at_once(el.Archive(folder / f"new-{next(number)}")),
        "into one that has them": lambda: at_once(full),
    }
    for log in frames:
        ways[f"{log}, once"] = lambda log=log: one_write(log)
        ways[f"{log}, day by day"] = lambda log=log: day_by_day(log)
    found = medians(ways, rounds)
    rows = []
    for way, took in found.items():
        log, comma, _ = way.partition(", ")
        floor = f"{log}, once" if comma else "pyarrow"
        rows.append({"way": way, "s": took, "to": took / found[floor]})
    return rows


def main() -> None:
    given = options(__doc__, months=12, rounds=9, keep="")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.keep or scratch)
        tables = {"size": make(folder, given.months)}
        tables["reading, six fields"] = reading(folder, given.months, given.rounds)
        tables["writing, 28 days"] = writing(Path(scratch), max(1, given.rounds // 3))
    show(tables, given.json, digits=3)


if __name__ == "__main__":
    main()
