"""How often tests over days err where nothing happened, and intervals miss what was planted.

    python benchmarks/levels.py [--runs 2000] [--seed 1] [--only TEXT] [--json]

Each case simulates series or days of a wearer anew for every run and asks one public function.
Days follow each other as an AR(1) with the autocorrelation phi and a standard deviation of 1. The
table is the one that docs/definitions.md shows; "error" is the Monte-Carlo error of the share. A
further case is one more entry of ``cases()``: a name, a condition and a function of a generator
that says whether the call found something (tests) or contained the truth (intervals).
"""

import argparse
import json
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
import scipy.signal

import eyelog as el

PHIS: Final = (0.0, 0.3, 0.5, 0.7)
BEFORE: Final = 200  # days simulated before the first, so that it is like any other


class Case(NamedTuple):
    """One row of the table."""

    function: str
    data: str
    measure: str  # what is counted: "p < .05", "contained", ...
    nominal: str
    once: Callable[[np.random.Generator], bool]


class Found(NamedTuple):
    """How often it happened, with its error in simulation, in per cent."""

    function: str
    data: str
    measure: str
    nominal: str
    percent: float
    error: float
    runs: int


def days_alike(generator: np.random.Generator, n: int, phi: float) -> pd.Series:
    """Return n days without any change."""
    noise = generator.normal(0.0, np.sqrt(1.0 - phi**2), n + BEFORE)
    values = scipy.signal.lfilter([1.0], [1.0, -phi], noise)[BEFORE:]
    return pd.Series(values, index=pd.date_range("2026-03-02", periods=n, name="day"))


def two_periods(n: int, phi: float) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        days = days_alike(generator, 2 * n, phi)
        return el.compare.two_periods(days[:n], days[n:]).p < 0.05

    return once


def trend(n: int, phi: float) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        return el.baseline.trend(days_alike(generator, n, phi)).p < 0.05

    return once


def new_levels(n: int, phi: float) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        return len(el.baseline.new_levels(days_alike(generator, n, phi))) > 0

    return once


def planted(n: int, first: int, last: int, size: float) -> Callable[[np.random.Generator], bool]:
    """Return whether a level planted from one day to another, at phi .3, is named within 3 days."""

    def once(generator: np.random.Generator) -> bool:
        days = days_alike(generator, n, 0.3)
        days.iloc[first:last] += size
        named = days.index.get_indexer(el.baseline.new_levels(days).index)
        edges = [edge for edge in (first, last) if edge < n]
        return all((np.abs(named - edge) <= 3).any() for edge in edges)

    return once


def usual(n: int, phi: float) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        days = days_alike(generator, n + 1, phi)
        return bool(el.baseline.personal(days, window=f"{n}D")["outside"].iloc[-1])

    return once


def cases() -> Iterator[Case]:
    """Yield every case of the table, in its order."""
    for n in (14, 28):
        for phi in PHIS:
            data = f"{n} and {n} days, phi {phi:g}"
            yield Case("compare.two_periods", data, "p < .05", "5", two_periods(n, phi))
    for n in (28, 56):
        for phi in PHIS:
            data = f"{n} days, phi {phi:g}"
            yield Case("baseline.trend", data, "p < .05", "5", trend(n, phi))
    for n in (28, 56, 120):
        for phi in PHIS:
            data = f"{n} days, phi {phi:g}"
            yield Case("baseline.new_levels", data, "named any", "5", new_levels(n, phi))
    for size in (1.5, 2.5):
        data = f"56 days, phi 0.3, a step of {size:g} SD in the middle"
        yield Case("baseline.new_levels", data, "found it", "", planted(56, 28, 56, size))
    data = "90 days, phi 0.3, 3 SD up on days 30 to 60"
    yield Case("baseline.new_levels", data, "found it", "", planted(90, 30, 60, 3.0))
    for n in (7, 14, 90):
        for phi in PHIS[:3]:
            data = f"a day after {n} others, phi {phi:g}"
            yield Case("baseline.personal", data, "outside", "1", usual(n, phi))


def measure(case: Case, runs: int, seed: int) -> Found:
    """Return how often the case came true."""
    name = zlib.crc32(f"{case.function} {case.data} {case.measure}".encode())
    hits = sum(case.once(np.random.default_rng([seed, name, run])) for run in range(runs))
    share = hits / runs
    error = float(np.sqrt(share * (1.0 - share) / runs))
    return Found(*case[:4], round(100 * share, 2), round(100 * error, 2), runs)


def row(found: Found) -> str:
    """Return a row of the table in docs/definitions.md."""
    share = f"{found.percent:.1f} ± {found.error:.1f}"
    return f"| `{found.function}` | {found.data} | {found.measure} | {share} | {found.nominal} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose function or data contain this text")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    started, results = time.perf_counter(), []
    if not options.json:
        print("| function | days | counted | per cent | nominal |\n|---|---|---|---|---|")
    for case in cases():
        if options.only not in f"{case.function} {case.data}":
            continue
        results.append(measure(case, options.runs, options.seed))
        if not options.json:
            print(row(results[-1]), flush=True)
    if options.json:
        about = {"seed": options.seed, "seconds": round(time.perf_counter() - started, 1)}
        json.dump(about | {"cases": [found._asdict() for found in results]}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
