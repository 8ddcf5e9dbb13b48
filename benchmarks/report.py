"""What the report of one wearer costs: a fortnight and a year of both logs.

Run ``python benchmarks/report.py``, or ``python benchmarks/report.py 14`` for one number of days.
The seconds are those of the processor (user and system) of the whole ``eyelog report`` command,
imports and reading of the archive included; other work on the machine adds a third and more.
eyelog is compiled first, as installers do: a checkout under PYTHONDONTWRITEBYTECODE would be
compiled in every run.
"""

import compileall
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import eyelog

DAYS = (14, 365)
PROMISED_S = {14: 4.0, 365: 12.0}


def main() -> None:
    """Print one line for each number of days."""
    compileall.compile_dir(Path(eyelog.__file__).parent, quiet=1)
    for days in [int(text) for text in sys.argv[1:]] or DAYS:
        with tempfile.TemporaryDirectory() as folder:
            _eyelog(
                *("simulate", "--archive", folder, "--start", "2025-10-24", "--seed", "3"),
                *("--days", str(days), "--tz", "Europe/Berlin"),
            )
            page = Path(folder) / "report.html"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            _eyelog("report", "all", "--archive", folder, "-o", str(page), "--name", "Person 7")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            promised = f", promised {PROMISED_S[days]:g} s" if days in PROMISED_S else ""
            print(f"{days} days: {took:.2f} s of CPU{promised}; {page.stat().st_size / 1e6:.1f} MB")


def _eyelog(*arguments: str) -> None:
    command = [sys.executable, "-m", "eyelog", *arguments]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
