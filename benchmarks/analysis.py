"""How fast a wearer's year is judged, resampled and summarised, against bare numpy.

    python benchmarks/analysis.py [--rounds 5] [--days 365]

A year of the 15-second log (2.1 million records, every column) goes through ``flag``, ``mask``,
``resample("10min")`` and ``daily``. The floor is the bare numpy reduction of the same numeric
columns to the same bins and days: values counted and means formed by ``np.add.reduceat`` with
nothing judged and no rule of a field. All ways run interleaved in one process; times are medians of
the clock, and the ratios are what to quote. Memory is what the steps hold at most beyond the frame,
in frames.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tools.measure import Rows, medians, script

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, catalogue
from eyelog.frame import record

LOG = COMPUTED_DATA
STEP_S = INTERVAL_SECONDS[LOG]


def year(days: int) -> pd.DataFrame:
    """Return simulated records, repeated until they fill every interval of the days."""
    source = el.simulate("2026-01-01", 14, log=LOG, seed=1, tz="Asia/Tokyo")
    n = days * 86_400 // STEP_S
    start = pd.Timestamp("2016-01-01", tz="Asia/Tokyo") + pd.Timedelta(STEP_S, "s")
    index = pd.date_range(start, periods=n, freq=f"{STEP_S}s", unit="us", name="date")
    index.freq = None
    rows = np.arange(n) % len(source)
    data = {name: source[name].array.take(rows) for name in source.columns}
    return record(pd.DataFrame(data, index=index), "benchmark", log=LOG)


def bare_numpy(frame: pd.DataFrame, names: list[str], width_s: int) -> Any:
    """Return means of the columns over bins of a width, by reduceat and nothing else."""
    stamps = frame.index.asi8  # type: ignore[attr-defined]
    width = width_s * 1_000_000
    edges = np.arange(stamps[0] - stamps[0] % width, stamps[-1] + 1, width)
    starts = np.searchsorted(stamps, edges, side="right")
    starts = starts[starts < len(stamps)]
    means = {}
    for name in names:
        values = frame[name].to_numpy()
        known = ~np.isnan(values)
        sums = np.add.reduceat(np.where(known, values, 0.0), starts)
        means[name] = sums / np.maximum(np.add.reduceat(known, starts, dtype=np.int64), 1)
    return means


def analysis(_folder: Path, given: argparse.Namespace) -> Rows:
    """Judge, resample and summarise a year of every interval, of all columns."""
    frame = year(given.days)
    names = [name for name in frame.columns if catalogue(LOG)[name].dtype == "float64"]
    state: dict[str, Any] = {}
    steps: dict[str, Callable[[], None]] = {
        "flag": lambda: state.update(reasons=el.flag(frame)),
        "mask": lambda: state.update(masked=el.mask(frame, state.pop("reasons"))),
        "resample": lambda: state.update(bins=el.resample(state["masked"], "10min")),
        "daily": lambda: state.update(days=el.daily(state.pop("masked"))),
    }
    widths = {"bare numpy, bins": 600, "bare numpy, days": 86_400}
    floors = {name: partial(bare_numpy, frame, names, width) for name, width in widths.items()}
    found = medians(floors | steps, given.rounds, time.perf_counter)
    found["flag + mask + resample + daily"] = sum(found[name] for name in steps)
    floor = sum(found[name] for name in floors)
    rows = [{"way": way, "s": took, "to bare numpy": took / floor} for way, took in found.items()]
    tracemalloc.start()
    for step in steps.values():
        step()
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    frames = held / float(frame.memory_usage(index=False).sum())
    return [*rows, {"way": "memory beyond the frame, in frames", "to bare numpy": frames}]


if __name__ == "__main__":
    script(__doc__, {"a user-year": analysis}, rounds=5, days=365)
