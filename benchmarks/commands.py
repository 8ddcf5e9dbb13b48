"""What commands cost that many wait for: the help, and the report of one wearer.

    python benchmarks/commands.py [--days 14 365] [--json]

The seconds are those of the processor (user and system) of the whole command, imports and reading
of the archive included; other work on the machine adds a third and more. The help is the least of
several runs, less what an empty Python takes. The system's part of a report is mostly that of
handing out memory, which virtual machines can be slow at: what a fresh GB costs there stands beside
(a year of both logs takes 1.9 GB at its peak). eyelog is compiled first, as installers do.
"""

import compileall
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.measure import Rows, options, show

import eyelog

REPEATS = 7


def cpu_s(*words: str) -> float:
    """Return the seconds of the processor that Python with some arguments takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def helps() -> Rows:
    runs = [("-c", "pass"), ("-c", "import click"), ("-m", "eyelog", "--help")]
    runs += [("-m", "eyelog", "daily", "--help")]
    least = {run: min(cpu_s(*run) for _ in range(REPEATS)) for run in runs}
    empty = least.pop(runs[0])
    return [{"command": " ".join(run[1:]), "CPU s": took - empty} for run, took in least.items()]


def report(days: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        made = ["--archive", folder, "--start", "2025-10-24", "--seed", "3", "--days", str(days)]
        cpu_s("-m", "eyelog", "simulate", *made, "--tz", "Europe/Berlin")
        page = ["-o", str(Path(folder) / "report.html"), "--name", "Person 7"]
        return cpu_s("-m", "eyelog", "report", "all", "--archive", folder, *page)


def main() -> None:
    given = options(__doc__, days=[14, 365])
    compileall.compile_dir(Path(eyelog.__file__).parent, quiet=1)
    rows = [{"command": f"report of {days} days", "CPU s": report(days)} for days in given.days]
    rows.append({"command": "a fresh GB of memory", "CPU s": cpu_s("-c", "b'x' * 10**9")})
    show({"help": helps(), "report": rows}, given.json, digits=3)


if __name__ == "__main__":
    main()
