"""How fast files of the Logger app are read, and how much memory that takes.

    python benchmarks/files.py [--mb 200] [--rounds 5] [--json] [--keep FOLDER]

A simulated wearer's 15-second log is written as the Logger app writes it, one CSV file a month.
`pandas.read_csv` of the same files, with their dates, is the floor: it gives a table of what the
cells look like, which is not a frame yet (damaged lines are values, and each file is a table, which
is dropped before the next is read; `pandas.concat` keeps them, as `el.read` does). Each way runs in
a process of its own, in turns; times and peak memory, less what the imported packages take, are
medians, and the ratios are what to quote. ``--keep`` keeps the files and uses them again.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from decode import LOG
from tools.measure import in_turn, options, peak_mb, show

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


WAYS: dict[str, Callable[[list[Path]], object]] = {
    "pandas.read_csv": read_by_pandas,
    "pandas.concat": concat_by_pandas,
    "el.read": el.read,
}


def measure(way: str, folder: str) -> None:
    """Print what one way costs; this process does nothing else."""
    files = sorted(Path(folder).glob("*.csv"))
    with tempfile.TemporaryDirectory() as scratch:  # loads what a run loads
        few = Path(scratch) / files[0].name
        few.write_text("".join(files[0].open().readlines()[:100]))
        el.read(few)
    before, begun, own = peak_mb(), time.perf_counter(), time.process_time()
    WAYS[way](files)
    spent = {"s": time.perf_counter() - begun, "CPU s": time.process_time() - own}
    print(json.dumps(spent | {"peak MB": peak_mb() - before}))


def main() -> None:
    given = options(__doc__, mb=200, rounds=5, keep="", _measure=[""])
    if given._measure != [""]:
        measure(*given._measure)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.keep or scratch)
        if not any(folder.glob("*.csv")):
            make(folder, given.mb)
        costs = in_turn({way: ("--measure", way, folder) for way in WAYS}, given.rounds)
    floor, rows = costs["pandas.read_csv"]["s"], []
    for way, cost in costs.items():
        rows.append({"way": way, **cost, "s to pandas": cost["s"] / floor})
    show({f"{given.mb} MB": rows}, given.json)


if __name__ == "__main__":
    main()
