"""What the benchmarks share: a script of tables, ways run in turn, processes of their own.

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
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]
Table = Callable[[Path, argparse.Namespace], Rows]
Cost = dict[str, float]


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


def script(
    doc: str | None,
    tables: Mapping[str, Table],
    ways: Mapping[str, Callable[[Path], Cost]] | None = None,
    **defaults: Any,
) -> None:
    """Print the tables that ``--only`` names, made in a folder that is kept with ``--keep``.

    The `ways` are what `in_turn` runs in processes of their own.
    """
    given = options(doc, only=list(tables), keep="", _measure=[""], **defaults)
    if unknown := set(given.only) - set(tables):
        raise SystemExit(f"--only takes {', '.join(map(repr, tables))}, not {unknown.pop()!r}")
    if given._measure != [""]:
        way, place = given._measure
        print(json.dumps((ways or {})[way](Path(place))))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.keep or scratch)
        show({name: tables[name](folder, given) for name in given.only}, given.json)


def show(tables: Mapping[str, Rows], as_json: bool) -> None:
    """Print tables in Markdown, or as JSON."""
    if as_json:
        print(json.dumps(tables, indent=1))
        return
    for name, rows in tables.items():
        print(f"\n{name}\n")
        heads = list(dict.fromkeys(head for row in rows for head in row))
        print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        for row in rows:
            print("|", " | ".join(_cell(row.get(head, "")) for head in heads), "|")


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


def in_turn(ways: Mapping[str, Path], rounds: int) -> dict[str, Cost]:
    """Run ways of this script in processes of their own, each in a place; return medians."""
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, place in ways.items():
            command = [sys.executable, sys.argv[0], "--measure", name, str(place)]
            done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
            if done.returncode:
                raise SystemExit(done.stderr)
            found[name].append(json.loads(done.stdout))
    return {
        name: {key: statistics.median(one[key] for one in each) for key in each[0]}
        for name, each in found.items()
    }


def spent(work: Callable[[], object], repeats: int = 1) -> Cost:
    """Return what a piece of work takes, in a process that `in_turn` has started."""
    begun, before = time.perf_counter(), group_cpu_s()
    for _ in range(repeats):
        work()
    took, cpu = time.perf_counter() - begun, group_cpu_s() - before
    return {"s": took / repeats, "CPU s": cpu / repeats, "peak MB": peak_mb()}


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


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _fields(pid: int) -> list[str]:
    """Return what follows the name of a process in its ``stat``, from its state on (proc(5))."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _ticks(fields: list[str]) -> list[int]:
    """Return utime and stime of a process, then those of the children that it has waited for."""
    return [int(field) for field in fields[11:15]]
