"""What the daily summary of a cohort costs, beside a polars query that does the same.

    python benchmarks/cohort.py [--sizes 10 100 1000] [--sizes-15 10 100] [--beside 400]
                                [--rounds 3] [--keep FOLDER] [--json]

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

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS

TZ = "Asia/Tokyo"
MONTHS = 10
START, DAYS = "2025-01-01", 304  # to the end of October
SIMULATED = {STANDARD_MODE_LOGS: 2, COMPUTED_DATA: 1}
LEAST = 100  # wearer-months in a measurement, so that each takes seconds


def archive_of(folder: Path, log: str, months: int) -> Path:
    """Return an archive of so many wearer-months, with the records of a few simulated wearers."""
    archive = el.Archive(folder / f"{log}-{months}")
    missing = {f"w{number:04}" for number in range(months // MONTHS)} - set(archive.accounts(log))
    frames = [el.simulate(START, DAYS, log=log, seed=n, tz=TZ) for n in range(SIMULATED[log])]
    for name in missing:
        archive.write(log, frames[int(name[1:]) % len(frames)], account=name)
    return Path(archive.path)


def eyelog_daily(folder: Path, workers: int) -> pd.DataFrame:
    log = folder.name.partition("-")[0]
    return el.cohort.daily(el.Archive(folder), log=log, tz=TZ, workers=workers)


def cost(daily: Callable[[Path], pd.DataFrame], folder: Path) -> Cost:
    """Return what one call costs, after the same for a few wearer-months."""
    log, _, months = folder.name.partition("-")
    daily(folder.parent / f"{log}-{MONTHS}")
    for file in folder.rglob("*.parquet"):
        file.read_bytes()
    return spent(partial(daily, folder), -(-LEAST // int(months)))


WAYS: dict[str, Callable[[Path], Cost]] = {
    "eyelog, 1 worker": partial(cost, partial(eyelog_daily, workers=1)),
    "eyelog, 2 workers": partial(cost, partial(eyelog_daily, workers=2)),
    "polars": partial(cost, polars_daily),
}


def measured(folder: Path, log: str, months: int, ways: list[str], rounds: int) -> Rows:
    """Return what each way costs, with its CPU time and its seconds as shares of the last one's."""
    archive_of(folder, log, MONTHS)
    costs = in_turn(dict.fromkeys(ways, archive_of(folder, log, months)), rounds)
    last = costs[ways[-1]]
    return [
        {
            "log": log,
            "wearer-months": months,
            "way": way,
            "s": cost["s"],
            "ms each": cost["s"] * 1e3 / months,
            "CPU ms each": cost["CPU s"] * 1e3 / months,
            "peak MB": round(cost["peak MB"]),
            "s to the last": cost["s"] / last["s"],
            "CPU to the last": cost["CPU s"] / last["CPU s"],
        }
        for way, cost in costs.items()
    ]


def check(folder: Path) -> None:
    """Raise unless the query returns all columns of eyelog."""
    archive = archive_of(folder, STANDARD_MODE_LOGS, MONTHS * SIMULATED[STANDARD_MODE_LOGS])
    ours, theirs = eyelog_daily(archive, 1), polars_daily(archive)
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
    return measured(folder, STANDARD_MODE_LOGS, given.beside, list(WAYS), given.rounds)


def sizes(folder: Path, given: argparse.Namespace) -> Rows:
    logs = {STANDARD_MODE_LOGS: given.sizes, COMPUTED_DATA: given.sizes_15}
    return [
        row
        for log, sizes in logs.items()
        for months in sizes
        for row in measured(folder, log, months, list(WAYS)[:2], given.rounds)
    ]


if __name__ == "__main__":
    tables = {"the same columns": beside, "size": sizes}
    given = {"sizes": [10, 100, 1000], "sizes_15": [10, 100], "beside": 400}
    script(__doc__, tables, WAYS, rounds=3, **given)
