"""What commands cost that many wait for: the help, and the report of one wearer.

    python benchmarks/commands.py [--days 14 365]

The seconds are those of the processor (user and system) of the whole command, imports and reading
of the archive included; other work on the machine adds a third and more. The help is the least of
several runs, less what an empty Python takes. The system's part of a report is mostly that of
handing out memory, which virtual machines can be slow at: what a fresh GB costs there stands beside
(a year of both logs takes 1.9 GB at its peak). eyelog is compiled first, as installers do.
"""

import argparse
import compileall
import os
import subprocess
import sys
from pathlib import Path

from tools.measure import Rows, script

import eyelog

REPEATS = 7


def cpu_s(*words: str) -> float:
    """Return the seconds of the processor that Python with some arguments takes."""
    before = os.times()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return sum(os.times()[2:4]) - sum(before[2:4])


def helps(_folder: Path, _given: argparse.Namespace) -> Rows:
    compileall.compile_dir(Path(eyelog.__file__).parent, quiet=1)
    runs = [("-c", "pass"), ("-c", "import click"), ("-m", "eyelog", "--help")]
    runs += [("-m", "eyelog", "daily", "--help")]
    least = {run: min(cpu_s(*run) for _ in range(REPEATS)) for run in runs}
    empty = least.pop(runs[0])
    return [{"command": " ".join(run[1:]), "CPU s": took - empty} for run, took in least.items()]


def reports(folder: Path, given: argparse.Namespace) -> Rows:
    rows: Rows = []
    for days in given.days:
        place = ["--archive", str(folder / f"of-{days}")]
        wearer = ["--start", "2025-10-24", "--days", str(days), "--tz", "Europe/Berlin"]
        cpu_s("-m", "eyelog", "simulate", *place, *wearer, "--seed", "3")
        page = ["-o", str(folder / "report.html"), "--name", "Person 7"]
        took = cpu_s("-m", "eyelog", "report", "all", *place, *page)
        rows.append({"command": f"report of {days} days", "CPU s": took})
    return [*rows, {"command": "a fresh GB of memory", "CPU s": cpu_s("-c", "b'x' * 10**9")}]


if __name__ == "__main__":
    script(__doc__, {"help": helps, "report": reports}, days=[14, 365])
