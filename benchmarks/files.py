"""How fast files of the Logger app are read, and how much memory that takes.

    python benchmarks/files.py [--mb 200] [--rounds 5]

A simulated wearer's 15-second log is written as the Logger app writes it, one CSV file a month.
`pandas.read_csv` of the same files, with their dates, is the floor: it gives a table of what the
cells look like, which is not a frame yet (damaged lines are values, and each file is a table, which
is dropped before the next is read; `pandas.concat` keeps them, as `el.read` does). Each way runs in
a process of its own, in turns; times and peak memory, less what the imported packages take, are
medians, and the ratios are what to quote.
"""

import argparse
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
from decode import LOG
from tools.measure import Cost, Rows, in_turn, peak_mb, script, spent

import eyelog as el
from eyelog.catalogue import catalogue, columns

DAYS = 28


def as_logger_csv(frame: pd.DataFrame) -> str:
    """Return a frame as the Logger app writes it: long names, 0 and 1, whole numbers whole."""
    known = catalogue(LOG)
    table = pd.DataFrame({"date": frame.index.strftime("%Y-%m-%dT%H:%M:%S%z")})
    for name in (name for name in columns(LOG) if known[name].long_name):
        values = frame[name].reset_index(drop=True)
        whole = known[name].value_type in ("bool", "int")
        table[known[name].long_name] = values.astype("Int64") if whole else values
    return table.to_csv(index=False, lineterminator="\n")


def make(folder: Path, mb: int) -> None:
    frame = el.simulate("2020-01-01", DAYS, log=LOG, tz="Asia/Tokyo")
    size = 0
    while size < mb * 1_000_000:
        text = as_logger_csv(frame)
        name = f"{frame.index[0]:%Y%m%d-%H%M%S}_CDC000000001_logicIndexData.csv"
        (folder / name).write_text(text)
        size += len(text)
        frame = frame.set_axis(frame.index + pd.Timedelta(days=DAYS))


def read_by_pandas(files: list[Path]) -> None:
    for file in files:
        pd.read_csv(file, parse_dates=["date"])


def concat_by_pandas(files: list[Path]) -> None:
    pd.concat([pd.read_csv(file, parse_dates=["date"]) for file in files])


def cost(read: Callable[[list[Path]], object], folder: Path) -> Cost:
    files = sorted(folder.glob("*.csv"))
    with tempfile.TemporaryDirectory() as scratch:  # loads what a run loads
        few = Path(scratch) / files[0].name
        few.write_text("".join(files[0].open().readlines()[:100]))
        el.read(few)
    before = peak_mb()
    found = spent(partial(read, files))
    return found | {"peak MB": found["peak MB"] - before}


def reading(folder: Path, given: argparse.Namespace) -> Rows:
    make(folder, given.mb)
    reads = {
        "pandas.read_csv": read_by_pandas,
        "pandas.concat": concat_by_pandas,
        "el.read": el.read,
    }
    costs = in_turn({way: partial(cost, read, folder) for way, read in reads.items()}, given.rounds)
    floor = costs["pandas.read_csv"]["s"]
    return [{"way": way, **cost, "s to pandas": cost["s"] / floor} for way, cost in costs.items()]


if __name__ == "__main__":
    script(__doc__, {"CSV of the app": reading}, mb=200, rounds=5)
