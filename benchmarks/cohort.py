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

import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from tools.measure import Rows, group_cpu_s, in_turn, megabytes, options, peak_mb, show
from tools.polars_daily import polars_daily

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.cohort.schedule import run
from eyelog.cohort.wearer_months import Study, plan
from eyelog.cohort.wearers import roster
from eyelog.decode import decode_page

TZ = "Asia/Tokyo"
MONTHS = 10
START, DAYS = "2025-01-01", 304  # to the end of October
SIMULATED = {STANDARD_MODE_LOGS: 2, COMPUTED_DATA: 1}
TASKS = 1000
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


WAYS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "eyelog, 1 worker": partial(eyelog_daily, workers=1),
    "eyelog, 2 workers": partial(eyelog_daily, workers=2),
    "polars": polars_daily,
}


def measure(way: str, folder: Path) -> None:
    """Print what one call costs; this process does nothing else."""
    log, _, months = folder.name.partition("-")
    WAYS[way](folder.parent / f"{log}-{MONTHS}")
    for file in folder.rglob("*.parquet"):
        file.read_bytes()
    repeats = -(-LEAST // int(months))
    began, before = time.perf_counter(), group_cpu_s()
    for _ in range(repeats):
        WAYS[way](folder)
    took, spent = (time.perf_counter() - began) / repeats, (group_cpu_s() - before) / repeats
    print(json.dumps({"s": took, "cpu_s": spent, "mb": peak_mb()}))


def measured(folder: Path, log: str, months: int, ways: list[str], rounds: int) -> Rows:
    """Return what each way costs, with its CPU time and its seconds as shares of the last one's."""
    archive_of(folder, log, MONTHS)
    archive = archive_of(folder, log, months)
    costs = in_turn({way: ("--measure", way, archive) for way in ways}, rounds)
    last = costs[ways[-1]]
    return [
        {
            "log": log,
            "wearer-months": months,
            "way": way,
            "s": cost["s"],
            "ms each": cost["s"] * 1e3 / months,
            "CPU ms each": cost["cpu_s"] * 1e3 / months,
            "peak MB": round(cost["mb"]),
            "s to the last": cost["s"] / last["s"],
            "CPU to the last": cost["cpu_s"] / last["cpu_s"],
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


def nothing(number: int) -> int:
    return number


def scheduling(folder: Path) -> dict[str, float]:
    """Return what the main process does besides: planning a wearer, and a task of two workers."""
    archive = el.Archive(folder)
    before = time.process_time()
    people = roster(archive, STANDARD_MODE_LOGS, accounts=None, tz=TZ, wearers=None)
    for wearer in people.wearers:
        plan(Study(archive, STANDARD_MODE_LOGS, tz=TZ), wearer, None, None)
    planned = (time.process_time() - before) / len(people.wearers) * 1e3

    def seconds(tasks: int) -> tuple[float, float]:
        began, before = time.perf_counter(), time.process_time()
        done = run(nothing, range(tasks), scheduler=None, workers=2, killed=lambda item, _: item)
        assert len(list(done)) == tasks
        return time.perf_counter() - began, time.process_time() - before

    first, few, many = seconds(2), seconds(2), seconds(TASKS)
    return {
        "CPU ms to plan a wearer": planned,
        "CPU ms per task": (many[1] - few[1]) / (TASKS - 2) * 1e3,
        "s to start workers": few[0],
        "s in the first call of a process": first[0],
    }


def of_a_day(folder: Path, log: str) -> dict[str, object]:
    """Return what a day of a wearer costs: bytes, and CPU milliseconds of each step."""
    place = archive_of(folder, log, MONTHS)
    source = el.Archive(place)
    month = source.read(log, "2025-01-01", "2025-01-31", account="w0000", tz=TZ)
    day = source.read(log, "2025-01-31", "2025-01-31", account="w0000", tz=TZ)
    value = next(name for name in day.columns if day[name].dtype == "float64")
    with tempfile.TemporaryDirectory() as scratch:
        answers = Path(scratch) / "answers"
        source.export(log, "2025-01-31", "2025-01-31", answers, account="w0000", tz=TZ)
        (body,) = (file.read_bytes() for file in answers.glob("*.json"))
        target = el.Archive(Path(scratch) / "archive")
        target.write(log, month, account="w0000")

        def merge(number: int) -> None:
            target.write(log, day.assign(**{value: float(number)}), account="w0000", replace=True)

        decode_ms, merge_ms = least_ms(lambda _: decode_page(body, log)), least_ms(merge)
    return {
        "log": log,
        "records": len(day),
        "answer, kB": len(body) / 1e3,
        "archive, kB": megabytes(place) * 1e3 / DAYS,
        "CPU ms to decode": decode_ms,
        "CPU ms to merge": merge_ms,
    }


def least_ms(step: Callable[[int], object]) -> float:
    """Return the CPU milliseconds of a step: the least of several, on a machine that others use."""
    spent = []
    for number in range(9):
        before = time.process_time()
        step(number)
        spent.append((time.process_time() - before) * 1e3)
    return min(spent)


def main() -> None:
    given = options(
        __doc__,
        sizes=[10, 100, 1000],
        sizes_15=[10, 100],
        beside=400,
        rounds=3,
        keep="",
        _measure=[""],
    )
    if given._measure != [""]:
        measure(given._measure[0], Path(given._measure[1]))
        return
    one_two = ["eyelog, 1 worker", "eyelog, 2 workers"]
    logs = {STANDARD_MODE_LOGS: given.sizes, COMPUTED_DATA: given.sizes_15}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.keep or scratch)
        check(folder)
        beside = (given.beside, list(WAYS), given.rounds)
        tables = {
            "the same columns": measured(folder, STANDARD_MODE_LOGS, *beside),
            "size": [
                row
                for log, sizes in logs.items()
                for months in sizes
                for row in measured(folder, log, months, one_two, given.rounds)
            ],
            "main process": [scheduling(archive_of(folder, STANDARD_MODE_LOGS, LEAST))],
            "a wearer's day": [of_a_day(folder, log) for log in logs],
        }
    show(tables, given.json)


if __name__ == "__main__":
    main()
