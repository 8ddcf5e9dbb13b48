"""What it costs to start the command line, in CPU seconds beyond those of an empty Python.

Each is the least of several runs.
"""

import resource
import subprocess
import sys

from tools.measure import options, show

REPEATS = 7


def cpu_s(*words: str) -> float:
    """Return the least CPU time of Python with these words, in seconds."""
    times = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    given = options(__doc__)
    empty = cpu_s("-c", "pass")
    runs = [("-c", "import click"), ("-m", "eyelog", "--help"), ("-m", "eyelog", "daily", "--help")]
    rows = [{"run": " ".join(words[1:]), "CPU s": cpu_s(*words) - empty} for words in runs]
    show({"command line": rows}, given.json, digits=3)


if __name__ == "__main__":
    main()
