"""What the benchmarks share: a script of tables, ways run in turn, processes of their own.

CPU time and peak memory are those that Linux counts.
"""

import argparse
import contextlib
import gc
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
import psutil

Rows = list[dict[str, Any]]
Cost = dict[str, float]


def options(doc: str | None, **defaults: Any) -> argparse.Namespace:
    """Parse the command line: an option for each default, of its type; a list takes many words."""
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=doc, formatter_class=about)
    for name, default in defaults.items():
        several = isinstance(default, list)
        kind = type(default[0] if several else default)
        number = {"nargs": "*"} if several else {}
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=default, **number)
    return parser.parse_args()


def script(
    doc: str | None,
    tables: Mapping[str, Callable[[Path, argparse.Namespace], Rows]],
    **defaults: Any,
) -> None:
    """Print the tables that ``--only`` names, each made in a folder that is removed."""
    given = options(doc, only=list(tables), **defaults)
    if unknown := set(given.only) - set(tables):
        raise SystemExit(f"--only takes {', '.join(map(repr, tables))}, not {unknown.pop()!r}")
    for name in given.only:
        with tempfile.TemporaryDirectory() as folder:
            show(name, tables[name](Path(folder), given))


def show(name: str, rows: Rows) -> None:
    def shown(value: float) -> str:
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"

    table = pd.DataFrame(rows).to_string(index=False, na_rep="", float_format=shown)
    print(f"\n{name}\n\n{table}")


def medians(
    ways: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Return the median seconds of each way, all run in turn, after a round that warms up."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds + 1):
        for name, way in ways.items():
            gc.collect()
            begun = clock()
            way()
            times[name].append(clock() - begun)
    return {name: statistics.median(each[1:]) for name, each in times.items()}


def in_turn(ways: Mapping[str, Callable[[], Cost]], rounds: int) -> dict[str, Cost]:
    """Run ways in turn, each time in a new process and group of processes; return medians."""
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            with ProcessPoolExecutor(1, get_context("spawn"), initializer=os.setsid) as apart:
                found[name].append(apart.submit(way).result())
    return {name: pd.DataFrame(each).median().to_dict() for name, each in found.items()}


def spent(work: Callable[[], object], repeats: int = 1) -> Cost:
    """Return what a piece of work takes, in a process that `in_turn` has started."""
    begun, before = time.perf_counter(), group_cpu_s()
    for _ in range(repeats):
        work()
    took, cpu = time.perf_counter() - begun, group_cpu_s() - before
    return {"s": took / repeats, "CPU s": cpu / repeats, "peak MB": peak_mb()}


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process so far, without those of its children."""
    return sum(psutil.Process(pid).cpu_times()[:2])


def group_cpu_s() -> float:
    """Return the CPU seconds of all processes of this one's group, and of those that they ended."""
    took = 0.0
    for each in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # it has just ended
            if os.getpgid(each.pid) == os.getpgrp():
                took += sum(each.cpu_times()[:4])
    return took


def peak_mb() -> float:
    """Return the peak memory of this process; ru_maxrss begins with that of its parent."""
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024


def megabytes(folder: Path) -> float:
    """Return the size of the months in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*.parquet")) / 1e6
