"""What the 20 Hz log costs: reading it, judging it, its blinks and its row of a day.

    python benchmarks/current.py [--hours 8] [--rounds 3]

A simulated wearer's rows of one day, cut to so many hours, lie in an archive and as a CSV of the
app; a day that is shorter begins earlier, and its first rows come once more after the last. Each
way from the file to the day's row runs in a process of its own, whose CPU seconds and peak memory
are counted; medians of the rounds.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
from tools.measure import Cost, Rows, in_turn, megabytes, peak_mb, script

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


def cost(read: Callable[[Path], pd.DataFrame], place: Path) -> Cost:
    el.daily(el.sample())  # what the first call of a session loads
    begun = time.process_time()
    frame = read(place)
    rows = time.process_time()
    blinks = len(el.blinks.events(frame))
    el.daily(frame)
    cpu = {"CPU s to read": rows - begun, "CPU s to the day's row": time.process_time() - begun}
    return cpu | {"peak MB": peak_mb(), "rows": len(frame), "blinks": blinks}


def of_archive(folder: Path) -> pd.DataFrame:
    return el.Archive(folder).read("current_data", account="a", tz="UTC")


def reading(scratch: Path, given: argparse.Namespace) -> Rows:
    folder, file = scratch / "archive", scratch / "a_currentData.csv"
    archive = el.Archive(folder)
    archive.write("current_data", rows_of_day(given.hours), account="a")
    archive.export("current_data", DAY, DAY, file, account="a", tz="UTC")
    sizes = {"archive": megabytes(folder), "csv": file.stat().st_size / 1e6}
    ways = {"archive": partial(cost, of_archive, folder), "csv": partial(cost, el.read, file)}
    costs = in_turn(ways, given.rounds)
    return [{"way": way, "MB": sizes[way], **cost} for way, cost in costs.items()]


if __name__ == "__main__":
    script(__doc__, {"20 Hz": reading}, hours=8.0, rounds=3)
