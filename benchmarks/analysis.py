"""How fast a wearer's year is judged, resampled and summarised, against bare numpy and pandas.

    python benchmarks/analysis.py [--rounds 5] [--days 365] [--json]

A year of the 15-second log (2.1 million records, every column) goes through ``flag``, ``mask``,
``resample("10min")`` and ``daily``. The floor is the bare numpy reduction of the same numeric
columns to the same bins and days: values counted and means formed by ``np.add.reduceat`` with
nothing judged and no rule of a field. The floor of the bins alone stands beside it. All ways run
interleaved in one process; times are medians, and the ratios are what to quote. Memory is what the
steps hold at most beyond the frame, in frames.

The second table says what cost follows: ``daily`` of ten years of the 60-second log against one
year, of one day, and of a day with three rows 26 years before it, against the day alone.
"""

import argparse
import gc
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, STANDARD_MODE_LOGS, catalogue
from eyelog.frame import record

LOG = COMPUTED_DATA


def year(days: int, log: str = LOG) -> pd.DataFrame:
    """Return simulated records, repeated until they fill every interval of the days."""
    source = el.simulate("2026-01-01", 14, log=log, seed=1, tz="Asia/Tokyo")
    step_s = INTERVAL_SECONDS[log]
    n = days * 86_400 // step_s
    start = pd.Timestamp("2016-01-01", tz="Asia/Tokyo") + pd.Timedelta(step_s, "s")
    index = pd.date_range(start, periods=n, freq=f"{step_s}s", unit="us", name="date")
    index.freq = None
    rows = np.arange(n) % len(source)
    data = {name: source[name].array.take(rows) for name in source.columns}
    return record(pd.DataFrame(data, index=index), "benchmark", log=log)


def seconds(call: Callable[[], Any], rounds: int) -> float:
    """Return the median CPU time of a call; the first round warms up."""
    times = []
    for _ in range(rounds + 1):
        gc.collect()
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return float(np.median(times[1:]))


def what_cost_follows(rounds: int) -> dict[str, float]:
    """Return how time grows with records, and that it does not with the calendar."""
    ten_years = year(3650, STANDARD_MODE_LOGS)
    one_year = seconds(lambda: el.daily(ten_years[:525_600]), rounds)
    ten = seconds(lambda: el.daily(ten_years), 1)
    day = ten_years[:1440]
    far = day[:3].set_axis(day.index[:3] - pd.Timedelta(26 * 365, "D"))
    both = pd.concat([far, day])
    both.attrs = day.attrs
    alone, apart = seconds(lambda: el.daily(day), 20), seconds(lambda: el.daily(both), 20)
    return {
        "ten years to one year": round(ten / one_year, 1),
        "one day, ms": round(1000 * alone, 1),
        "with three rows 26 years before it, to the day alone": round(apart / alone, 2),
    }


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
    state: dict[str, Any] = {}

    def flag() -> None:
        state["reasons"] = el.flag(frame)

    def mask() -> None:
        state["masked"] = el.mask(frame, state.pop("reasons"))

    def resample() -> None:
        state["bins"] = el.resample(state["masked"], "10min")

    def daily() -> None:
        state["days"] = el.daily(state.pop("masked"))

    steps: dict[str, Callable[[], Any]] = {
        "bare numpy, bins": lambda: bare_numpy(frame, names, 600),
        "bare numpy, days": lambda: bare_numpy(frame, names, 86_400),
        "flag": flag,
        "mask": mask,
        "resample": resample,
        "daily": daily,
        "pandas resample": lambda: pandas_resample(frame, names),
    }
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(asked.rounds + 1):  # the first round warms up
        for name, step in steps.items():
            gc.collect()
            begin = time.perf_counter()
            step()
            times[name].append(time.perf_counter() - begin)
        state.clear()
    rounds = pd.DataFrame(times).iloc[1:]
    ours = rounds[["flag", "mask", "resample", "daily"]].sum(axis=1)
    rounds["flag + mask + resample + daily"] = ours
    bins = rounds["bare numpy, bins"]
    both = bins + rounds["bare numpy, days"]
    result: dict[str, Any] = {
        "rows": len(frame),
        "columns": frame.shape[1],
        "seconds": rounds.median().round(3).to_dict(),
        "to_bare_bins_and_days": rounds.div(both, axis=0).median().round(2).to_dict(),
        "to_bare_bins": rounds.div(bins, axis=0).median().round(2).to_dict(),
        "memory_in_frames": peak(frame, [flag, mask, resample, daily]),
        "daily": what_cost_follows(asked.rounds),
    }
    if asked.json:
        print(json.dumps(result, indent=2))
        return 0
    print(f"{len(frame)} rows, {frame.shape[1]} columns")
    print(f"{'':32} {'seconds':>8} {'to bins + days':>15} {'to bins':>8}")
    for name in rounds:
        to_both, to_bins = result["to_bare_bins_and_days"][name], result["to_bare_bins"][name]
        print(f"{name:32} {result['seconds'][name]:8.3f} {to_both:15.2f} {to_bins:8.2f}")
    print(f"memory beyond the frame: {result['memory_in_frames']} frames")
    for what, value in result["daily"].items():
        print(f"daily, {what}: {value}")
    return 0


def peak(frame: pd.DataFrame, steps: list[Callable[[], None]]) -> float:
    """Return the most memory that the steps hold at once beyond the frame, in frames."""
    tracemalloc.start()
    try:
        for step in steps:
            step()
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return round(held / float(frame.memory_usage(index=False).sum()), 2)


if __name__ == "__main__":
    sys.exit(main())
