"""What the benchmarks share: options, ways run in turn, processes of their own, tables.

CPU time and peak memory are those that Linux counts in /proc.
"""

import argparse
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]


def options(doc: str | None, **defaults: Any) -> argparse.Namespace:
    """Parse the command line: an option for each default, of its type, and ``--json``.

    A list takes as many words as are given, and a name that begins with ``_`` is for the script.
    """
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=doc, formatter_class=about)
    for name, default in defaults.items():
        several = isinstance(default, list)
        kind = type(default[0] if several else default)
        option = "--" + name.strip("_").replace("_", "-")
        hidden = {"help": argparse.SUPPRESS} if name.startswith("_") else {}
        number = {"nargs": "*"} if several else {}
        parser.add_argument(option, dest=name, type=kind, default=default, **hidden, **number)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser.parse_args()


def show(tables: Mapping[str, Rows], as_json: bool, digits: int = 2) -> None:
    """Print tables in Markdown, or as JSON."""
    if as_json:
        print(json.dumps(tables, indent=1))
        return
    for name, rows in tables.items():
        print(f"\n{name}\n")
        heads = list(dict.fromkeys(head for row in rows for head in row))
        print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        for row in rows:
            print("|", " | ".join(_cell(row.get(head, ""), digits) for head in heads), "|")


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


def spent(work: Callable[[], object], service: Callable[[], float]) -> dict[str, float]:
    """Return the seconds of a piece of work, and the CPU seconds of this process and a service."""
    begun, own, theirs = time.perf_counter(), time.process_time(), service()
    work()
    took = time.perf_counter() - begun
    return {"s": took, "own_cpu_s": time.process_time() - own, "service_cpu_s": service() - theirs}


def in_turn(calls: Mapping[str, Iterable[object]], rounds: int) -> dict[str, dict[str, float]]:
    """Call this script in processes of their own, with words each; return medians of their JSON."""
    found: dict[str, Rows] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, words in calls.items():
            command = [sys.executable, sys.argv[0], *map(str, words)]
            done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
            if done.returncode:
                raise SystemExit(done.stderr)
            found[name].append(json.loads(done.stdout))
    return {
        name: {key: statistics.median(one[key] for one in each) for key in each[0]}
        for name, each in found.items()
    }


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process so far, without those of its children."""
    return sum(_ticks(_fields(pid))[:2]) / _TICKS_PER_S


def group_cpu_s() -> float:
    """Return the CPU seconds of all processes of this one's group, and of those that they ended."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = _fields(int(folder.name))
            if int(fields[2]) == os.getpgrp():
                ticks += sum(_ticks(fields))
    return ticks / _TICKS_PER_S


def peak_mb() -> float:
    """Return the peak memory of this process; ru_maxrss begins with that of its parent."""
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024


def megabytes(folder: Path) -> float:
    """Return the size of the months in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*.parquet")) / 1e6


_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def _cell(value: object, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _fields(pid: int) -> list[str]:
    """Return what follows the name of a process in its ``stat``, from its state on (proc(5))."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _ticks(fields: list[str]) -> list[int]:
    """Return utime and stime of a process, then those of the children that it has waited for."""
    return [int(field) for field in fields[11:15]]
