"""What the 20 Hz log costs: reading it, judging it, its blinks and its row of a day.

    python benchmarks/current.py [--hours 8] [--rounds 3] [--json]

A simulated wearer's rows of one day, cut to so many hours, lie in an archive and as a CSV of the
app; a day that is shorter begins earlier, and its first rows come once more after the last. Each
way from the file to the day's row runs in a process of its own, whose CPU seconds and peak memory
are counted; the median of the rounds. Beside them polars reads the same CSV, stamps included, and
judges nothing.
"""

import json
import tempfile
import time
from pathlib import Path

import pandas as pd
import polars as pl
from tools.measure import in_turn, megabytes, options, peak_mb, show

import eyelog as el

DAY = "2026-10-19"
PAUSE = pd.Timedelta("1min")


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


def measure(way: str, place: str) -> None:
    """Print what one way costs; this process does nothing else."""
    if way != "polars":
        el.daily(el.sample())  # what the first call of a session loads
    begun = time.process_time()
    found = {"rows": 0, "blinks": 0}
    if way == "polars":
        date = pl.col("date").str.to_datetime(time_zone="UTC")
        found["rows"] = len(pl.read_csv(place).with_columns(date))
        read = time.process_time()
    else:
        archive = el.Archive(place) if way == "archive" else None
        frame = archive.read("current_data", account="a", tz="UTC") if archive else el.read(place)
        read = time.process_time()
        found = {"rows": len(frame), "blinks": len(el.blinks.events(frame))}
        el.daily(frame)
    cpu = {"CPU s to read": read - begun, "CPU s to the day's row": time.process_time() - begun}
    print(json.dumps(cpu | {"peak MB": peak_mb()} | found))


def main() -> None:
    given = options(__doc__, hours=8.0, rounds=3, _measure=[""])
    if given._measure != [""]:
        measure(*given._measure)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder, file = Path(scratch) / "archive", Path(scratch) / "a_currentData.csv"
        archive = el.Archive(folder)
        archive.write("current_data", rows_of_day(given.hours), account="a")
        archive.export("current_data", DAY, DAY, file, account="a", tz="UTC")
        sizes = {"archive": megabytes(folder)}
        sizes["csv"] = sizes["polars"] = file.stat().st_size / 1e6
        places = {"archive": folder, "csv": file, "polars": file}
        costs = in_turn({w: ("--measure", w, place) for w, place in places.items()}, given.rounds)
    rows = [{"way": way, "MB": sizes[way], **cost} for way, cost in costs.items()]
    show({"20 Hz": rows}, given.json)


if __name__ == "__main__":
    main()
