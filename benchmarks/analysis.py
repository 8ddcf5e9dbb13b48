"""How fast a wearer's year is judged, resampled and summarised, against bare numpy and pandas.

    python benchmarks/analysis.py [--rounds 5] [--days 365] [--json]

A year of the 15-second log (2.1 million records, every column) goes through ``flag``, ``mask``,
``resample("10min")`` and ``daily``. The floor is the bare numpy reduction of the same numeric
columns: missing values counted and means formed by ``np.add.reduceat`` over 10-minute bins whose
edges are given, with nothing judged and no rule of a field. All ways run interleaved in one
process; times are medians, and the ratios are what to quote.
"""

import argparse
import gc
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, catalogue
from eyelog.provenance import record

LOG = COMPUTED_DATA


def year(days: int) -> pd.DataFrame:
    """Return simulated records, repeated until they fill every interval of the days."""
    source = el.simulate("2026-01-01", 14, log=LOG, seed=1, tz="Asia/Tokyo")
    n = days * 86_400 // INTERVAL_SECONDS[LOG]
    start = pd.Timestamp("2026-01-01 00:00:15", tz="Asia/Tokyo")
    index = pd.date_range(start, periods=n, freq="15s", unit="us", name="date")
    index.freq = None
    rows = np.arange(n) % len(source)
    data = {name: source[name].array.take(rows) for name in source.columns}
    return record(pd.DataFrame(data, index=index), "benchmark", log=LOG)


def bare_numpy(frame: pd.DataFrame, names: list[str]) -> Any:
    """Return 10-minute means of the columns, by reduceat and nothing else."""
    stamps = frame.index.asi8  # type: ignore[attr-defined]
    width = 600_000_000
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


def pandas_resample(frame: pd.DataFrame, names: list[str]) -> Any:
    """Return 10-minute means of the columns as pandas forms them."""
    return frame[names].resample("10min", closed="right", label="right").mean()


def main() -> int:
    """Measure, print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    frame = year(asked.days)
    names = [name for name in frame.columns if catalogue(LOG)[name].dtype == "float64"]
    frame_mb = frame.memory_usage(deep=False).sum() / 1e6
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    state: dict[str, Any] = {}

    def flag() -> Any:
        state["reasons"] = el.flag(frame)

    def mask() -> Any:
        state["masked"] = el.mask(frame, state["reasons"])
        state.pop("reasons")

    def resample() -> Any:
        state["bins"] = el.resample(state["masked"], "10min", judge=False)

    def daily() -> Any:
        state["days"] = el.daily(state["masked"], judge=False)
        state.pop("masked")

    steps: dict[str, Callable[[], Any]] = {
        "bare numpy": lambda: bare_numpy(frame, names),
        "flag": flag,
        "mask": mask,
        "resample": resample,
        "daily": daily,
        "pandas resample": lambda: pandas_resample(frame, names),
    }
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(asked.rounds + 1):
        for name, step in steps.items():
            gc.collect()
            begin = time.perf_counter()
            step()
            times[name].append(time.perf_counter() - begin)
        state.clear()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    # The first round warms up.
    spent = {name: statistics.median(found[1:]) for name, found in times.items()}
    ours = [sum(times[s][i] for s in list(steps)[1:5]) for i in range(1, asked.rounds + 1)]
    spent["flag + mask + resample + daily"] = statistics.median(ours)
    floor = spent["bare numpy"]
    ratios = [o / b for o, b in zip(ours, times["bare numpy"][1:], strict=True)]
    result = {
        "rows": len(frame),
        "columns": frame.shape[1],
        "frame_mb": round(float(frame_mb)),
        "extra_peak_in_frames": round((peak - before) / float(frame_mb), 2),
        "seconds": {name: round(value, 3) for name, value in spent.items()},
        "to_bare_numpy": {name: round(value / floor, 2) for name, value in spent.items()},
        "whole_to_bare_numpy": round(statistics.median(ratios), 2),
    }
    if asked.json:
        print(json.dumps(result, indent=2))
        return 0
    print(f"{len(frame)} rows, {frame.shape[1]} columns, {frame_mb:.0f} MB")
    for name, value in spent.items():
        print(f"{name:32} {value:8.3f} s {value / floor:7.2f}")
    print(f"peak above the frame: {result['extra_peak_in_frames']} frames")
    return 0


if __name__ == "__main__":
    sys.exit(main())
