"""What the 20 Hz log costs: reading it, judging it, its blinks and its row of a day.

    python benchmarks/current.py [--hours 8] [--rounds 3] [--json]

A simulated wearer's rows of one day, cut to so many hours, lie in an archive and as a CSV of the
app; a day that is shorter begins earlier, and its first rows come once more after the last. Each
way from the file to the day's row runs in a process of its own, whose CPU seconds and peak memory
are counted; the median of the rounds. Beside them polars (if it is installed) reads the same CSV,
stamps included, and judges nothing. Needs Linux (/proc).
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

import eyelog as el

DAY = "2026-10-19"
PAUSE = pd.Timedelta("1min")
WAYS = {
    "archive": "frame = el.Archive({place!r}).read('current_data', account='a', tz='UTC')",
    "csv": "frame = el.read({place!r}, tz='UTC')",
}
EYELOG = """
import json, time
from pathlib import Path
import eyelog as el
el.daily(el.sample())  # what the first call of a session loads
begun = time.process_time()
{read}
read = time.process_time()
found = el.blinks.events(frame)
day = el.daily(frame)
done = time.process_time()
# The peak of this process alone: getrusage would count that of the one which started it too.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
peak = int(status["VmHWM"].split()[0])
print(json.dumps([read - begun, done - begun, peak / 1e3, len(frame), len(found), len(day)]))
"""
POLARS = """
import json, time
from pathlib import Path
import polars as pl
begun = time.process_time()
frame = pl.read_csv({place!r}).with_columns(pl.col("date").str.to_datetime(time_zone="UTC"))
done = time.process_time()
# The peak of this process alone: getrusage would count that of the one which started it too.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
peak = int(status["VmHWM"].split()[0])
print(json.dumps([done - begun, done - begun, peak / 1e3, len(frame), 0, 0]))
"""


def rows_of_day(hours: float) -> pd.DataFrame:
    """Return so many hours of rows of one day."""
    frame = el.simulate(DAY, 1, log="current_data", seed=3, tz="UTC")
    more = round(hours * 72_000) - len(frame)
    if more > 0:
        again = frame.iloc[:more]
        again = again.set_axis(again.index + (frame.index[-1] - frame.index[0]) + PAUSE)
        frame = pd.concat([frame, again])
        frame = frame.set_axis(frame.index - (frame.index[0] - pd.Timestamp(DAY, tz="UTC")) + PAUSE)
    return frame.iloc[: round(hours * 72_000)].rename_axis("date")


def measured(script: str, rounds: int) -> list[float]:
    """Return the medians of what a script prints."""
    found = []
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(done.stderr)
        found.append(json.loads(done.stdout))
    return [statistics.median(column) for column in zip(*found, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        frame = rows_of_day(given.hours)
        archive = el.Archive(folder / "archive")
        archive.write("current_data", frame, account="a")
        file = folder / "a_currentData.csv"
        archive.export("current_data", DAY, DAY, file, account="a", tz="UTC")
        months = (folder / "archive").rglob("*.parquet")
        sizes = {"archive": sum(month.stat().st_size for month in months) / 1e6}
        sizes["csv"] = file.stat().st_size / 1e6
        places = {"archive": str(folder / "archive"), "csv": str(file)}
        table = {}
        for way, read in WAYS.items():
            script = EYELOG.format(read=read.format(place=places[way]))
            table[way] = measured(script, given.rounds)
        try:
            import polars as pl  # noqa: F401 (only to ask whether it is there)
        except ImportError:
            pass
        else:
            table["csv, polars"] = measured(POLARS.format(place=str(file)), given.rounds)
            sizes["csv, polars"] = sizes["csv"]
    names = ("read_cpu_s", "all_cpu_s", "peak_mb", "rows", "blinks", "days")
    rows = {
        way: {"mb": round(sizes[way], 1), **dict(zip(names, values, strict=True))}
        for way, values in table.items()
    }
    if given.json:
        print(json.dumps(rows, indent=1))
        return
    print("| from | MB | CPU s to read | CPU s to the day's row | peak MB | rows | blinks |")
    print("|---|---|---|---|---|---|---|")
    for way, row in rows.items():
        print(
            f"| {way} | {row['mb']} | {row['read_cpu_s']:.2f} | {row['all_cpu_s']:.2f} |"
            f" {row['peak_mb']:.0f} | {row['rows']:,.0f} | {row['blinks']:,.0f} |"
        )


if __name__ == "__main__":
    main()
