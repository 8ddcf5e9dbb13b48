"""What the daily summary of a cohort costs, beside a polars and a duckdb query that do the same.

    python benchmarks/cohort.py [--sizes 10 100 1000] [--sizes-15 10 100] [--rivals 100]
                                [--rounds 3] [--keep FOLDER]

Two simulated wearers of the 60-second log and one of the 15-second log, of ten months each, stand
under as many names as the sizes (wearer-months) ask for. Each measurement is a process of its own
that has done the same for ten wearer-months before, so that imports and first use do not count,
nor the server that starts the workers; the start of the workers does. Sizes below 100
wearer-months are repeated until they come to as many. The files of a size have been read once
before, so they come from memory. The two queries are in ``tools/rivals.py``; all their columns are
compared with those of eyelog, to 1e-9, before anything is measured. CPU time is that of all
processes and threads together: on a machine that others use it is what to quote. The peak of memory
is that of the process that was called: with one worker it does the work itself. Rounds are
interleaved, and medians are given. Prints Markdown. Linux only, for the memory and the CPU time.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from tools.processes import group_cpu_s, peak_kb
from tools.rivals import COLUMNS, duckdb_daily, polars_daily

import eyelog as el
from eyelog.archive.export import encode_table
from eyelog.archive.store import place_of
from eyelog.arrow_tables import table_of
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.cohort.schedule import run
from eyelog.cohort.wearer_months import Study, plan
from eyelog.cohort.wearers import roster
from eyelog.decode import decode_page

TZ = "Asia/Tokyo"
MONTHS = 10
START, DAYS = "2025-01-01", 304  # to the end of October
SIMULATED = {STANDARD_MODE_LOGS: 2, COMPUTED_DATA: 1}
SAME = 1e-9
TASKS = 1000
PLANNED = 100  # wearer-months
LEAST = 100  # wearer-months in a measurement, so that each takes seconds


def archive_of(folder: Path, log: str, months: int) -> Path:
    """Return an archive of so many wearer-months, with the records of a few simulated wearers."""
    simulated = [
        el.simulate(START, DAYS, log=log, seed=seed, tz=TZ) for seed in range(SIMULATED[log])
    ]
    for archive, count in (
        (el.Archive(folder / "simulated"), len(simulated)),
        (el.Archive(folder / f"{log}-{months}"), months // MONTHS),
    ):
        present = set(archive.accounts(log))
        for number in range(count):
            name = f"s{number}" if archive.path.endswith("simulated") else f"w{number:04}"
            if name not in present:
                archive.write(log, simulated[number % len(simulated)], account=name)
    return folder / f"{log}-{months}"


def eyelog_daily(folder: Path, log: str, workers: int) -> pd.DataFrame:
    return el.cohort.daily(el.Archive(folder), log=log, tz=TZ, workers=workers)


def ways(folder: Path, log: str) -> dict[str, Callable[[], pd.DataFrame]]:
    return {
        "eyelog, 1 worker": lambda: eyelog_daily(folder, log, 1),
        "eyelog, 2 workers": lambda: eyelog_daily(folder, log, 2),
        "polars": lambda: polars_daily(folder),
        "duckdb": lambda: duckdb_daily(folder),
    }


def measure(way: str, folder: Path, log: str) -> None:
    """Print what one call costs; this process does nothing else."""
    call = ways(folder, log)[way]
    ways(archive_of(folder.parent, log, MONTHS), log)[way]()
    for file in folder.rglob("*.parquet"):
        file.read_bytes()
    repeats = -(-LEAST // int(folder.name.rsplit("-", 1)[1]))
    began, before = time.perf_counter(), group_cpu_s()
    for _ in range(repeats):
        days = len(call())
    took, spent = (time.perf_counter() - began) / repeats, (group_cpu_s() - before) / repeats
    json.dump({"s": took, "cpu_s": spent, "mb": peak_kb() / 1024, "days": days}, sys.stdout)


def measured(way: str, folder: Path, log: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", way, str(folder), log]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, start_new_session=True
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def rounds_of(names: list[str], folder: Path, log: str, rounds: int) -> dict[str, dict[str, float]]:
    """Return the medians of each way."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            found[name].append(measured(name, folder, log))
    return {
        name: {key: statistics.median(one[key] for one in runs) for key in runs[0]}
        for name, runs in found.items()
    }


def check(folder: Path) -> None:
    """Raise unless both queries return the columns of eyelog, all of them."""
    ours = eyelog_daily(folder, STANDARD_MODE_LOGS, 1)
    assert tuple(ours.columns) == COLUMNS
    for query in (polars_daily, duckdb_daily):
        theirs = query(folder)
        assert ours.index.equals(theirs.index), query.__name__
        for name in COLUMNS:
            one, other = ours[name], theirs[name]
            if isinstance(one.dtype, pd.DatetimeTZDtype):
                assert one.equals(other.astype(one.dtype)), (query.__name__, name)
            else:
                np.testing.assert_allclose(
                    other.to_numpy(float), one.to_numpy(float), SAME, SAME, err_msg=name
                )


def nothing(number: int) -> int:
    return number


def planning_ms(folder: Path) -> float:
    """Return the CPU milliseconds per wearer to list an archive and cut it into parts."""
    archive = el.Archive(folder)
    before = time.process_time()
    people = roster(archive, STANDARD_MODE_LOGS, accounts=None, tz=TZ, wearers=None)
    study = Study(archive, STANDARD_MODE_LOGS, TZ, {}, None, "")
    for wearer in people.wearers:
        plan(study, wearer, None, None)
    return (time.process_time() - before) / len(people.wearers) * 1e3


def scheduling() -> dict[str, float]:
    """Return the milliseconds that a task of two workers costs besides what it does."""

    def spent(tasks: int) -> tuple[float, float]:
        began, before = time.perf_counter(), time.process_time()
        done = run(nothing, range(tasks), scheduler=None, workers=2, killed=lambda item, _: item)
        assert len(list(done)) == tasks
        return time.perf_counter() - began, time.process_time() - before

    first, few, many = spent(2), spent(2), spent(TASKS)
    wall, cpu = ((b - a) / (TASKS - 2) * 1e3 for a, b in zip(few, many, strict=True))
    return {"ms": wall, "main_cpu_ms": cpu, "start_s": few[0], "first_start_s": first[0]}


def constants(folder: Path, log: str) -> dict[str, float]:
    """Return what a day of a wearer costs: bytes, and CPU milliseconds of each step."""
    source = el.Archive(folder / "simulated")
    month = source.read(log, f"{START[:7]}-01", f"{START[:7]}-31", account="s0", tz=TZ)
    day = source.read(log, f"{START[:7]}-31", f"{START[:7]}-31", account="s0", tz=TZ)
    table = table_of(day, log)
    body = encode_table(table, log, offset_us=0, names=table.column_names)
    files = place_of(source).folder(log, "s0")
    stored = sum(file.stat().st_size for file in Path(files).glob("*/*.parquet"))
    with tempfile.TemporaryDirectory() as scratch:
        target = el.Archive(scratch)
        target.write(log, month, account="s0")
        value = next(name for name in day.columns if day[name].dtype == "float64")

        def merge(number: int) -> None:
            target.write(log, day.assign(**{value: float(number)}), account="s0", replace=True)

        steps: dict[str, Callable[[int], object]] = {
            "decode": lambda _: decode_page(body, log),
            "merge": merge,
        }
        cost = {name: thread_ms(step) for name, step in steps.items()}
    return {"records": len(day), "answer": len(body), "stored": stored / DAYS, **cost}


def thread_ms(step: Callable[[int], object]) -> float:
    """Return the CPU milliseconds of a step: the least of several, on a machine that others use."""
    spent = []
    for number in range(9):
        before = time.process_time()
        step(number)
        spent.append((time.process_time() - before) * 1e3)
    return min(spent)


def line(*cells: object) -> None:
    print("|", " | ".join(f"{c:,.1f}" if isinstance(c, float) else str(c) for c in cells), "|")


def table(title: str, *heads: str) -> None:
    print(f"\n**{title}**\n")
    line(*heads)
    line(*("---" for _ in heads))


def row(months: int, way: str, cost: dict[str, float], *more: object) -> None:
    per = 1e3 / months
    peak = round(cost["mb"])
    line(months, way, cost["s"], cost["s"] * per, cost["cpu_s"] * per, peak, *more)


HEADS = ("wearer-months", "way", "s", "ms each", "CPU ms each", "peak MB")


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10, 100, 1000])
    parser.add_argument("--sizes-15", type=int, nargs="*", default=[10, 100])
    parser.add_argument("--rivals", type=int, nargs="*", default=[100])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="folder in which the archives stay")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.measure[0], Path(asked.measure[1]), asked.measure[2])
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.keep or Path(scratch)
        if asked.rivals:
            check(archive_of(folder, STANDARD_MODE_LOGS, 10 * len(SIMULATED)))
            table("The same columns of the 60-second log", *HEADS, "CPU, faster query = 1")
        for months in asked.rivals:
            archive = archive_of(folder, STANDARD_MODE_LOGS, months)
            names = list(ways(archive, STANDARD_MODE_LOGS))
            costs = rounds_of(names, archive, STANDARD_MODE_LOGS, asked.rounds)
            least = min(costs[name]["cpu_s"] for name in ("polars", "duckdb"))
            for name, cost in costs.items():
                row(months, name, cost, f"{cost['cpu_s'] / least:.2f}")
        for log, sizes in ((STANDARD_MODE_LOGS, asked.sizes), (COMPUTED_DATA, asked.sizes_15)):
            if sizes:
                table(f"Size, `{log}`", *HEADS, "1 worker / 2 workers")
            for months in sizes:
                names = ["eyelog, 1 worker", "eyelog, 2 workers"]
                costs = rounds_of(names, archive_of(folder, log, months), log, asked.rounds)
                one, two = (costs[name]["s"] for name in names)
                for name, more in zip(names, ("", f"{one / two:.2f}"), strict=True):
                    row(months, name, costs[name], more)
        table(
            "Planning and scheduling, in the main process",
            *("CPU ms to plan a wearer", "ms per task", "CPU ms per task"),
            *("s to start workers", "s in the first call of a process"),
        )
        cost = scheduling()
        planned = planning_ms(archive_of(folder, STANDARD_MODE_LOGS, PLANNED))
        line(*(f"{each:.2f}" for each in (planned, *cost.values())))
        table(
            "What a wearer costs per day",
            *("log", "records", "answer, kB of JSON", "archive, kB"),
            *("CPU ms to decode the answer", "CPU ms to merge it into its month"),
        )
        for log in (STANDARD_MODE_LOGS, COMPUTED_DATA):
            archive_of(folder, log, 0)
            one = constants(folder, log)
            kilo = (one["answer"] / 1e3, one["stored"] / 1e3)
            line(f"`{log}`", one["records"], *kilo, one["decode"], one["merge"])


if __name__ == "__main__":
    main()
