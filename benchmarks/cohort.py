"""What the daily summary of a cohort costs, beside a polars query that does the same.

    python benchmarks/cohort.py [--sizes 10 100 1000] [--sizes-15 10 100] [--beside 400]

Two simulated wearers of the 60-second log and one of the 15-second log, of ten months each, stand
under as many names as the sizes (wearer-months) ask for. Each measurement is a process of its own
that has done the same for ten wearer-months before, so that imports and first use do not count,
nor the server that starts the workers; the start of the workers does. Sizes below 100
wearer-months are repeated until they come to as many. The files of a size have been read once
before, so they come from memory. The query is in ``tools/polars_daily.py``; all its columns are
compared with those of eyelog, to 1e-9, before anything is measured. CPU time is that of all
processes and threads together: on a machine that others use it is what to quote. The peak of memory
is that of the process that was called: with one worker it does the work itself. Rounds are
interleaved, and medians are given. Linux only, for the memory and the CPU time.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from tools.measure import Cost, Rows, in_turn, script, spent
from tools.polars_daily import polars_daily
from tools.served import fill

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS

TZ = "Asia/Tokyo"
MONTHS = 10
START, DAYS = "2025-01-01", 304  # to the end of October
SIMULATED = {STANDARD_MODE_LOGS: 2, COMPUTED_DATA: 1}
LEAST = 100  # wearer-months in a measurement, so that each takes seconds


def archive_of(folder: Path, log: str, months: int) -> Path:
    """Return an archive of so many wearer-months, with the records of a few simulated wearers."""
    place, names = folder / f"{log}-{months}", [f"w{n:04}" for n in range(months // MONTHS)]
    if not place.exists():
        fill(place, log, START, DAYS, names, SIMULATED[log], TZ)
    return place


def eyelog_daily(folder: Path, workers: int = 1) -> pd.DataFrame:
    log = folder.name.partition("-")[0]
    return el.cohort.daily(el.Archive(folder), log=log, tz=TZ, workers=workers)


def cost(daily: Callable[[Path], pd.DataFrame], folder: Path) -> Cost:
    """Return what one call costs, after the same for a few wearer-months."""
    log, _, months = folder.name.partition("-")
    daily(folder.parent / f"{log}-{MONTHS}")
    for file in folder.rglob("*.parquet"):
        file.read_bytes()
    return spent(partial(daily, folder), -(-LEAST // int(months)))


def measured(folder: Path, log: str, months: int, rounds: int, *rivals: str) -> Rows:
    """Return what each way costs, with its seconds and its CPU time as shares of the last one's."""
    archive_of(folder, log, MONTHS)
    place = archive_of(folder, log, months)
    daily = {f"eyelog, {n} workers": partial(eyelog_daily, workers=n) for n in (1, 2)}
    daily |= dict.fromkeys(rivals, polars_daily)
    costs = in_turn({way: partial(cost, each, place) for way, each in daily.items()}, rounds)
    *_, last = costs.values()
    return [
        {
            "log": log,
            "wearer-months": months,
            "way": way,
            "s": cost["s"],
            "ms each": cost["s"] * 1e3 / months,
            "CPU ms each": cost["CPU s"] * 1e3 / months,
            "peak MB": cost["peak MB"],
            "s to the last": cost["s"] / last["s"],
            "CPU to the last": cost["CPU s"] / last["CPU s"],
        }
        for way, cost in costs.items()
    ]


def check(folder: Path) -> None:
    """Raise unless the query returns all columns of eyelog."""
    archive = archive_of(folder, STANDARD_MODE_LOGS, MONTHS * SIMULATED[STANDARD_MODE_LOGS])
    ours, theirs = eyelog_daily(archive), polars_daily(archive)
    assert ours.index.equals(theirs.index)
    assert set(ours.columns) == set(theirs.columns) - {"lasted"}, set(ours) ^ set(theirs)
    for name in ours.columns:
        one, other = ours[name], theirs[name]
        if isinstance(one.dtype, pd.DatetimeTZDtype):
            assert one.equals(other.astype(one.dtype)), name
        else:
            values = other.to_numpy(float), one.to_numpy(float)
            np.testing.assert_allclose(*values, 1e-9, 1e-9, err_msg=name)


def beside(folder: Path, given: argparse.Namespace) -> Rows:
    check(folder)
    return measured(folder, STANDARD_MODE_LOGS, given.beside, given.rounds, "polars")


def sizes(folder: Path, given: argparse.Namespace) -> Rows:
    logs = {STANDARD_MODE_LOGS: given.sizes, COMPUTED_DATA: given.sizes_15}
    each = [(log, months) for log, sizes in logs.items() for months in sizes]
    return [row for log, months in each for row in measured(folder, log, months, given.rounds)]


if __name__ == "__main__":
    given = {"sizes": [10, 100, 1000], "sizes_15": [10, 100], "beside": 400}
    script(__doc__, {"the same columns": beside, "size": sizes}, rounds=3, **given)
