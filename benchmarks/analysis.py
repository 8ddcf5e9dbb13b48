"""How fast a wearer's year is judged, resampled and summarised, against bare numpy.

    python benchmarks/analysis.py [--rounds 5] [--days 365] [--json]

A year of the 15-second log (2.1 million records, every column) goes through ``flag``, ``mask``,
``resample("10min")`` and ``daily``. The floor is the bare numpy reduction of the same numeric
columns to the same bins and days: values counted and means formed by ``np.add.reduceat`` with
nothing judged and no rule of a field. All ways run interleaved in one process; times are medians of
the clock, and the ratios are what to quote. Memory is what the steps hold at most beyond the frame,
in frames.
"""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from tools.measure import medians, options, show

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, catalogue
from eyelog.frame import record

LOG = COMPUTED_DATA


def year(days: int) -> pd.DataFrame:
    """Return simulated records, repeated until they fill every interval of the days."""
    source = el.simulate("2026-01-01", 14, log=LOG, seed=1, tz="Asia/Tokyo")
    step_s = INTERVAL_SECONDS[LOG]
    n = days * 86_400 // step_s
    start = pd.Timestamp("2016-01-01", tz="Asia/Tokyo") + pd.Timedelta(step_s, "s")
    index = pd.date_range(start, periods=n, freq=f"{step_s}s", unit="us", name="date")
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


def peak(frame: pd.DataFrame, steps: list[Callable[[], None]]) -> float:
    """Return the most memory that the steps hold at once beyond the frame, in frames."""
    tracemalloc.start()
    try:
        for step in steps:
            step()
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return held / float(frame.memory_usage(index=False).sum())


def main() -> None:
    given = options(__doc__, rounds=5, days=365)
    frame = year(given.days)
    names = [name for name in frame.columns if catalogue(LOG)[name].dtype == "float64"]
    state: dict[str, Any] = {}

    def flag() -> None:
        state["reasons"] = el.flag(frame)

    def mask() -> None:
        state["masked"] = el.mask(frame, state.pop("reasons"))

    def resample() -> None:
        state["bins"] = el.resample(state["masked"], "10min")

    def daily() -> None:
        state["days"] = el.daily(state.pop("masked"))

    steps = {"flag": flag, "mask": mask, "resample": resample, "daily": daily}
    floors = {
        "bare numpy, bins": lambda: bare_numpy(frame, names, 600),
        "bare numpy, days": lambda: bare_numpy(frame, names, 86_400),
    }
    found = medians(floors | steps, given.rounds, time.perf_counter)
    found["flag + mask + resample + daily"] = sum(found[name] for name in steps)
    floor = sum(found[name] for name in floors)
    rows = [{"way": way, "s": took, "to bare numpy": took / floor} for way, took in found.items()]
    about = {"rows": len(frame), "columns": frame.shape[1]}
    about["memory, frames"] = peak(frame, list(steps.values()))
    show({"a user-year": rows, "of it": [about]}, given.json)


if __name__ == "__main__":
    main()
