"""What it costs to start the command line, beside a bare Python and the libraries for commands.

Prints the CPU time of `eyelog --help`, of the help of one command and of importing click, each the
least of several runs, with the time of an empty Python taken off.
"""

import os
import resource
import subprocess
import sys

REPEATS = 7


def cpu_s(*words: str) -> float:
    """Return the least CPU time of a command over several runs, in seconds."""
    times = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, env=ENV)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


ENV = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
RUNS = {
    "import click": ("-c", "import click"),
    "eyelog --help": ("-m", "eyelog", "--help"),
    "eyelog daily --help": ("-m", "eyelog", "daily", "--help"),
    "eyelog service --help": ("-m", "eyelog", "service", "--help"),
}


def main() -> None:
    """Print one line per run."""
    empty = cpu_s("-c", "pass")
    print(f"{'empty Python':24}{empty:6.3f} s CPU")
    for name, words in RUNS.items():
        print(f"{name:24}{cpu_s(*words) - empty:6.3f} s more")


if __name__ == "__main__":
    main()
