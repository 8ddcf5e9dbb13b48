"""How fast files of the Logger app are read and imported, and how much memory that takes.

    python benchmarks/files.py [--mb 200] [--rounds 5] [--json] [--keep FOLDER]

A simulated wearer's 15-second log is written as the Logger app writes it, one CSV file a month and
the same rows once more as a single file. `pandas.read_csv` of the same files, with their dates, is
the floor: it gives a table of what the cells look like, which is not a frame yet (damaged lines are
values, and each file is a table, which is dropped before the next is read; `pandas.concat` keeps
them, as `el.read` does). The ways of reading run interleaved in one process; times are
medians, and the ratios are what to quote, those of processor time where the machine has other work.
An import, which also merges and packs the records, runs once. Peak memory is that of a process of
its own for each way, less what the imported packages take (Linux). ``--keep`` keeps the files in a
folder and uses them again.
"""

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from decode import LOG
from tools.processes import peak_kb

import eyelog as el
from eyelog.archive.intake import import_files
from eyelog.catalogue import catalogue, columns

DAYS = 28
ZONE = "Asia/Tokyo"


def as_logger_csv(frame: pd.DataFrame) -> str:
    """Return a frame as the Logger app writes it: long names, 0 and 1, whole numbers whole."""
    known = catalogue(LOG)
    table = pd.DataFrame({"date": frame.index.strftime("%Y-%m-%dT%H:%M:%S%z")})
    for name in (name for name in columns(LOG) if known[name].long_name):
        values = frame[name].reset_index(drop=True)
        whole = known[name].value_type in ("bool", "int")
        table[known[name].long_name] = values.astype("Int64") if whole else values
    return table.to_csv(index=False, lineterminator="\n")


def make(folder: Path, mb: int) -> tuple[list[Path], Path]:
    """Write the files; return those of the months, and the single one."""
    months, single = folder / "months", folder / f"all-{mb}_logicIndexData.csv"
    if not single.exists():
        months.mkdir(parents=True, exist_ok=True)
        frame = el.simulate("2020-01-01", DAYS, log=LOG, tz=ZONE)
        size = 0
        with single.open("w") as whole:
            while size < mb * 1_000_000:
                text = as_logger_csv(frame)
                name = f"{frame.index[0]:%Y%m%d-%H%M%S}_CDC000000001_logicIndexData.csv"
                (months / name).write_text(text)
                whole.write(text if not size else text.partition("\n")[2])
                size += len(text)
                frame = frame.set_axis(frame.index + pd.Timedelta(days=DAYS))
    return sorted(months.glob("*.csv")), single


def read_by_pandas(files: list[Path]) -> None:
    for file in files:
        pd.read_csv(file, parse_dates=["date"])


def concat_by_pandas(files: list[Path]) -> None:
    pd.concat([pd.read_csv(file, parse_dates=["date"]) for file in files])


def read_together(files: list[Path]) -> None:
    el.read(files)


def read_by_eyelog(files: list[Path]) -> None:
    for file in files:
        el.read(file)


def import_by_eyelog(files: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        import_files(el.Archive(folder), files)


WAYS: dict[str, Callable[[list[Path]], None]] = {
    "pandas.read_csv": read_by_pandas,
    "pandas.concat": concat_by_pandas,
    "el.read": read_together,
    "el.read, one by one": read_by_eyelog,
    "eyelog import": import_by_eyelog,
}


def peak_mb(way: str, files: list[Path]) -> float:
    """Return the peak memory of a process that reads the files in one way."""
    here = Path(__file__).resolve()
    command = [sys.executable, str(here), "--peak-of", way, *map(str, files)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def print_peak(way: str, files: list[Path]) -> None:
    import_files(el.Archive("memory://nothing"), [], dry_run=True)  # loads what a run loads
    before = peak_kb()
    WAYS[way](files)
    print((peak_kb() - before) / 1000)


def medians(ways: dict[str, Callable[[], None]], rounds: int) -> dict[str, tuple[float, float]]:
    """Return the median seconds of each way, by the clock and of the processor, all run in turn."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            gc.collect()
            clock, processor = time.perf_counter(), time.process_time()
            run()
            spent = time.perf_counter() - clock, time.process_time() - processor
            times[name].append(spent)
    return {
        name: (
            statistics.median(wall for wall, _ in spent),
            statistics.median(cpu for _, cpu in spent),
        )
        for name, spent in times.items()
    }


def measure(folder: Path, mb: int, rounds: int) -> list[dict[str, object]]:
    months, single = make(folder, mb)
    rows = sum(file.read_bytes().count(b"\n") - 1 for file in months)
    size = sum(file.stat().st_size for file in months) / 1e6
    table: list[dict[str, object]] = []
    for files in (months, [single]):
        runs = {way: (lambda read=read, files=files: read(files)) for way, read in WAYS.items()}
        once = {"eyelog import": runs.pop("eyelog import")}
        took = medians(runs, rounds) | medians(once, 1)
        floor = took["pandas.read_csv"]
        table += [
            {
                "files": f"{len(files)} of {size / len(files):.0f} MB",
                "way": way,
                "s": took[way][0],
                "cpu_s": took[way][1],
                "rows_per_s": round(rows / took[way][0]),
                "to_pandas": took[way][0] / floor[0],
                "cpu_to_pandas": took[way][1] / floor[1],
                "peak_mb": peak_mb(way, files),
            }
            for way in WAYS
        ]
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mb", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--keep", type=Path, help="folder in which the files stay")
    parser.add_argument("--peak-of", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("files", type=Path, nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak_of:
        print_peak(options.peak_of, options.files)
        return
    with tempfile.TemporaryDirectory() as scratch:
        rows = measure(options.keep or Path(scratch), options.mb, options.rounds)
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
        print()
        return
    print(pd.DataFrame(rows).round(2).to_string(index=False))


if __name__ == "__main__":
    main()
