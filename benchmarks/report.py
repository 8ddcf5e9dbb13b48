"""What the report of one wearer costs: a fortnight and a year of both logs.

Run ``python benchmarks/report.py``, or ``python benchmarks/report.py 14`` for one number of days.
The seconds are those of the processor (user and system) of the whole ``eyelog report`` command,
imports and reading of the archive included; other work on the machine adds a third and more. The
system's part is mostly that of handing out memory, which virtual machines can be slow at: what a
fresh GB costs there is printed first (a year of both logs takes 1.9 GB at its peak).
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
FRESH_GB = "b'x' * 10**9"


def main() -> None:
    """Print one line for each number of days."""
    compileall.compile_dir(Path(eyelog.__file__).parent, quiet=1)
    print(f"a fresh GB of memory: {sum(_cpu_s('-c', FRESH_GB)):.2f} s of CPU")
    for days in [int(text) for text in sys.argv[1:]] or DAYS:
        with tempfile.TemporaryDirectory() as folder:
            _eyelog(
                *("simulate", "--archive", folder, "--start", "2025-10-24", "--seed", "3"),
                *("--days", str(days), "--tz", "Europe/Berlin"),
            )
            page = Path(folder) / "report.html"
            user, system = _eyelog(
                *("report", "all", "--archive", folder, "-o", str(page), "--name", "Person 7")
            )
            promised = f", promised {PROMISED_S[days]:g} s" if days in PROMISED_S else ""
            print(
                f"{days} days: {user + system:.2f} s of CPU ({system:.2f} s of the"
                f" system){promised}; {page.stat().st_size / 1e6:.1f} MB"
            )


def _eyelog(*arguments: str) -> tuple[float, float]:
    return _cpu_s("-m", "eyelog", *arguments)


def _cpu_s(*arguments: str) -> tuple[float, float]:
    """Return the seconds that Python with some arguments takes, of the user and of the system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
