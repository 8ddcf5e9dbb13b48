"""How often tests over days err where nothing happened, and intervals miss what was planted.

    python benchmarks/levels.py [--runs 2000] [--seed 1] [--only TEXT] [--workers 2] [--json]

Each case simulates series or days of a wearer anew for every run and asks one public function.
Days follow each other as an AR(1) with the autocorrelation phi and a standard deviation of 1, or
are of one of the kinds below: weekends of their own, skewed counts, days left out for their value.
The table is the one that docs/definitions.md shows; "error" is the Monte-Carlo error of the share.
A further case is one more entry of ``cases()``: a name, a condition and a function of a generator
that says whether the call found something (tests) or contained the truth (intervals). Means,
medians, two periods and trends draw all series of a case at once and ask what the public function
asks; the others ask it series by series, at most `MOST_SLOW` times.
"""

import argparse
import json
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import scipy.signal

import eyelog as el
from eyelog.reports.findings import COLUMNS, findings
from eyelog.series.inference import (
    Days as OfDays,
)
from eyelog.series.inference import (
    effect,
    median,
    rank_interval,
    slopes_law,
)
from eyelog.series.periods import compared
from eyelog.series.trend import lines

Days: TypeAlias = Callable[[np.random.Generator, int], pd.Series]

PHIS: Final = (0.0, 0.3, 0.5, 0.7)
BLINKS_PER_MIN: Final = 15.0
MONDAY: Final = 20_514  # 2 March 2026, as the days since 1970
MOST_SLOW: Final = 300  # series of a case that are asked one by one
BEFORE: Final = 200  # days simulated before the first, so that it is like any other


class Case(NamedTuple):
    """One row of the table."""

    function: str
    data: str
    measure: str  # what is counted: "p < .05", "contained", ...
    nominal: str
    once: Callable[[np.random.Generator], bool] | None = None
    many: Callable[[np.random.Generator, int], Sequence[bool]] | None = None


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


def alike(phi: float) -> Days:
    """Return what makes days with an autocorrelation."""
    return partial(days_alike, phi=phi)


def weekends_apart(generator: np.random.Generator, n: int) -> pd.Series:
    """Return days of phi .3 whose Saturdays and Sundays lie 1 SD higher."""
    days = days_alike(generator, n, 0.3)
    return days + (days.index.day_of_week >= 5)


def weekends_far_apart(generator: np.random.Generator, n: int) -> pd.Series:
    """Return days of phi .3 whose Saturdays and Sundays lie 3 SD higher, as steps may."""
    days = days_alike(generator, n, 0.3)
    return days + 3.0 * (days.index.day_of_week >= 5)


def counts(generator: np.random.Generator, n: int) -> pd.Series:
    """Return independent counts of a negative binomial with a mean of 20 and k = 4."""
    made = generator.negative_binomial(4, 4 / 24, n).astype(float)
    return pd.Series(made, index=pd.date_range("2026-03-02", periods=n, name="day"))


def left_out_when_high(generator: np.random.Generator, n: int) -> pd.Series:
    """Return days of phi .3, of which half of those above the mean were not worn."""
    days = days_alike(generator, n, 0.3)
    return days.mask((days > 0) & (generator.random(n) < 0.5))


KINDS: Final[dict[str, Days]] = {
    "phi 0.3, weekends 1 SD higher": weekends_apart,
    "negative binomial counts, k = 4": counts,
    "phi 0.3, half of the high days not worn": left_out_when_high,
}


def drawn(generator: np.random.Generator, runs: int, n: int, phi: float) -> np.ndarray:
    """Return series of n days (rows) without any change."""
    noise = generator.normal(0.0, np.sqrt(1.0 - phi**2), (runs, n + BEFORE))
    return scipy.signal.lfilter([1.0], [1.0, -phi], noise, axis=1)[:, BEFORE:]


def dated(values: np.ndarray, first: int = 0) -> OfDays:
    dates = MONDAY + first + np.arange(len(values))
    return OfDays(dates, dates, values, True)


def of_means(n: int, phi: float) -> Callable[[np.random.Generator, int], Sequence[bool]]:
    """Return whether the interval of the mean of n days contains it."""

    def many(generator: np.random.Generator, runs: int) -> Sequence[bool]:
        days = drawn(generator, runs, n, phi)
        return list(effect(np.arange(n), days, np.ones((n, 1)), np.ones(1)).p >= 0.05)

    return many


def of_medians(n: int, phi: float) -> Callable[[np.random.Generator, int], Sequence[bool]]:
    """Return whether the interval of the usual day contains it."""

    def many(generator: np.random.Generator, runs: int) -> Sequence[bool]:
        index = pd.date_range("2026-03-02", periods=n)
        usual = [median(pd.Series(x, index=index)) for x in drawn(generator, runs, n, phi)]
        return [found.low <= 0 <= found.high for found in usual]

    return many


def two_periods(
    n: int, m: int, phi: float, *, weekend: float = 0.0, change: float = 0.0
) -> Callable[[np.random.Generator, int], Sequence[bool]]:
    """Return whether el.compare.two_periods says that n and m days differ."""

    def many(generator: np.random.Generator, runs: int) -> Sequence[bool]:
        days = drawn(generator, runs, n + m, phi)
        days[:, n:] += change
        days += weekend * ((np.arange(n + m) % 7) >= 5)
        said = []
        for series in days:
            found, _ = compared(dated(series[:n]), dated(series[n:], n))
            said.append(found.p < 0.05)
        return said

    return many


def trend(
    n: int, phi: float, *, weekend: float = 0.0
) -> Callable[[np.random.Generator, int], Sequence[bool]]:
    """Return whether el.baseline.trend says that n days rise or fall."""

    def many(generator: np.random.Generator, runs: int) -> Sequence[bool]:
        days = drawn(generator, runs, n, phi) + weekend * ((np.arange(n) % 7) >= 5)
        first, second = np.triu_indices(n, 1)
        levelled, line = lines(dated(days[0]), days)
        slopes = (levelled[:, second] - levelled[:, first]) / (second - first)
        law = slopes_law(n)
        each = zip(slopes, line.factor, strict=True)
        return [rank_interval(pairs, law, float(factor)).p < 0.05 for pairs, factor in each]

    return many


def line_as_level(n: int, rise: float) -> Callable[[np.random.Generator], bool]:
    """Return whether days of phi .3 that rise all the time are said to have a new level."""

    def once(generator: np.random.Generator) -> bool:
        days = days_alike(generator, n, 0.3) + np.linspace(0.0, rise, n)
        return len(el.baseline.new_levels(days)) > 0

    return once


def hourly(
    generator: np.random.Generator, n: int, phi: float, *, shifted: bool
) -> "pd.Series[float]":
    """Return hours of n days without any rhythm; high days are worn later if `shifted`."""
    parts = []
    for day in range(n):
        level = generator.normal()
        first = (12 if level < 0 else 6) if shifted else int(generator.integers(6, 11))
        hours = 10 if shifted else int(generator.integers(6, 13))
        index = pd.date_range("2026-03-02", periods=hours, freq="h", tz="UTC")
        noise = drawn(generator, 1, hours, phi)[0]
        parts.append(pd.Series(level + noise, index=index + pd.Timedelta(24 * day + first, "h")))
    return pd.concat(parts)


def no_wave(n: int, phi: float, *, shifted: bool) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        return el.rhythm.cosinor(hourly(generator, n, phi, shifted=shifted)).p < 0.05

    return once


def no_hour(n: int, phi: float) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        hours = el.rhythm.profile(hourly(generator, n, phi, shifted=False))
        return bool((hours["p"] < 0.05).any())

    return once


def new_levels(n: int, made: Days) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        return len(el.baseline.new_levels(made(generator, n))) > 0

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


def usual(n: int, made: Days) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        days = made(generator, n + 1)
        outside = el.baseline.personal(days, window=f"{n}D")["outside"]
        return bool(outside.fillna(value=False).iloc[-1])

    return once


def page(n: int, made: Days, *, before: int = 0) -> Callable[[np.random.Generator], bool]:
    """Return whether a report of n days after others, in which nothing happens, names anything."""

    def once(generator: np.random.Generator) -> bool:
        table = pd.DataFrame({name: made(generator, before + n) for name in COLUMNS})
        since = table.index[before] if before else None
        found = findings(table.assign(worn_h=12.0 + table["worn_h"]), since=since)
        changed = found.shifted or found.moved or any(map(len, found.levels.values()))
        return bool(changed) or any(rows["stands"].any() for rows in found.days.values())

    return once


def blinking(generator: np.random.Generator, n: int, phi: float, drift_min: int) -> pd.DataFrame:
    """Return n days of minutes of a wearer who blinks 15 times a minute.

    Days differ by .15 (SD of the logarithm) and are worn for 4 to 12 hours; within a day the rate
    drifts by a factor of gamma variance 1/4, anew every `drift_min` minutes, so that counts are
    those of a negative binomial with k = 4.
    """
    level = np.exp(0.15 * days_alike(generator, n, phi).to_numpy() - 0.15**2 / 2)
    stamps, made = [], []
    for day in range(n):
        minutes = int(generator.integers(240, 720))
        spells = generator.gamma(4.0, 0.25, -(-minutes // drift_min))
        rate = BLINKS_PER_MIN * level[day] * np.repeat(spells, drift_min)[:minutes]
        made.append(generator.poisson(rate))
        first = pd.Timestamp("2026-03-02 08:01", tz="UTC") + pd.Timedelta(day, "D")
        stamps.append(pd.date_range(first, periods=minutes, freq="min", unit="us"))
    index = stamps[0].append(stamps[1:]).rename("date")
    counts = np.concatenate(made).astype(float)
    columns = {"lc_bk_n": counts, "val_s": 60.0, "nis_s": 0.0, "wea_s": 60.0}
    upright = dict.fromkeys(("stp_s", "tl_xav", "tl_yav"), 0.0)
    return pd.DataFrame(columns | upright, index=index)


def wearers_rate(n: int, phi: float, drift_min: int) -> Callable[[np.random.Generator], bool]:
    def once(generator: np.random.Generator) -> bool:
        frame = blinking(generator, n, phi, drift_min)
        found = el.blinks.rate(frame, of="wearer", log="standard_mode_logs").iloc[0]
        return bool(found["low"] <= BLINKS_PER_MIN <= found["high"])

    return once


def rates_differ(n: int, phi: float, *, at_random: bool) -> Callable[[np.random.Generator], bool]:
    """Return whether two weeks, or two random halves of the days of a wearer, differ."""

    def once(generator: np.random.Generator) -> bool:
        frame = blinking(generator, n, phi, 20)
        days = el.blinks.rate(frame, by="1D", log="standard_mode_logs")
        order = generator.permutation(n) if at_random else np.arange(n)
        one, other = (days.iloc[np.sort(part)] for part in np.split(order, 2))
        return el.compare.rate_ratio(one, other).p < 0.05

    return once


def cases() -> Iterator[Case]:
    """Yield every case of the table, in its order."""
    for n in (7, 14, 28):
        for phi in PHIS[:3]:
            data = f"{n} days, phi {phi:g}, drift of 20 min"
            yield Case("blinks.rate of wearer", data, "contained", "95", wearers_rate(n, phi, 20))
        data = f"{n} days, phi 0, drift of 60 min"
        yield Case("blinks.rate of wearer", data, "contained", "95", wearers_rate(n, 0.0, 60))
    for phi in PHIS[:3]:
        data = f"a week and the next, phi {phi:g}"
        found = rates_differ(14, phi, at_random=False)
        yield Case("compare.rate_ratio", data, "p < .05", "5", found)
        data = f"random halves of 42 days, phi {phi:g}"
        found = rates_differ(42, phi, at_random=True)
        yield Case("compare.rate_ratio", data, "p < .05", "5", found)
    for n in (5, 7, 14, 28, 90):
        for phi in PHIS:
            data = f"mean of {n} days, phi {phi:g}"
            yield Case("interval of a wearer", data, "contained", "95", many=of_means(n, phi))
    for n in (7, 14, 28, 90):
        for phi in PHIS:
            data = f"median of {n} days, phi {phi:g}"
            yield Case("usual day of a report", data, "contained", "95", many=of_medians(n, phi))
    days = {f"phi {phi:g}": alike(phi) for phi in PHIS}
    for n in (4, 7, 14, 28):
        for phi in PHIS:
            data, found = f"{n} and {n} days, phi {phi:g}", two_periods(n, n, phi)
            yield Case("compare.two_periods", data, "p < .05", "5", many=found)
    for weekend in (0.0, 1.0, 2.0, 3.0):
        found = two_periods(14, 14, 0.3, weekend=weekend, change=1.5)
        data = f"14 and 14 days, phi 0.3, 1.5 SD apart, weekends {weekend:g} SD higher"
        yield Case("compare.two_periods", data, "found it", "", many=found)
    for n in (14, 28, 56):
        for phi in PHIS:
            data, found = f"{n} days, phi {phi:g}", trend(n, phi)
            yield Case("baseline.trend", data, "p < .05", "5", many=found)
    data = "14 days, phi 0.3, weekends 3 SD higher"
    yield Case("baseline.trend", data, "p < .05", "5", many=trend(14, 0.3, weekend=3.0))
    for n in (28, 56):
        data = f"{n} days, phi 0.3, a line that rises by 4 SD"
        yield Case("baseline.new_levels", data, "named any", "", line_as_level(n, 4.0))
    for n in (7, 14, 28):
        data = f"{n} days, phi 0.7 within days"
        yield Case("rhythm.profile p by hour", data, "named any", "5", no_hour(n, 0.7))
        yield Case("rhythm.cosinor", data, "p < .05", "5", no_wave(n, 0.7, shifted=False))
        data = f"{n} days, high days worn six hours earlier"
        yield Case("rhythm.cosinor", data, "p < .05", "5", no_wave(n, 0.0, shifted=True))
    for n in (28, 56, 120):
        for kind, made in (days | KINDS).items():
            data = f"{n} days, {kind}"
            yield Case("baseline.new_levels", data, "named any", "5", new_levels(n, made))
    data = "14 days, phi 0.3"
    yield Case("baseline.new_levels", data, "named any", "5", new_levels(14, alike(0.3)))
    for size in (1.5, 2.5):
        data = f"56 days, phi 0.3, a step of {size:g} SD in the middle"
        yield Case("baseline.new_levels", data, "found it", "", planted(56, 28, 56, size))
    data = "90 days, phi 0.3, 3 SD up on days 30 to 60"
    yield Case("baseline.new_levels", data, "found it", "", planted(90, 30, 60, 3.0))
    for n in (7, 14, 90):
        kinds = {kind: days[kind] for kind in list(days)[:3]}
        for kind, made in (kinds | (KINDS if n == 90 else {})).items():
            data = f"a day after {n} others, {kind}"
            yield Case("baseline.personal", data, "outside", "1", usual(n, made))
    for n, day in ((89, "Saturday"), (86, "Wednesday")):
        data = f"a {day} after {n} others, phi 0.3, weekends 3 SD higher"
        yield Case("baseline.personal", data, "outside", "1", usual(n, weekends_far_apart))
    for n in (14, 28):
        for phi in PHIS:
            data = f"{n} days of 8 quantities, phi {phi:g}"
            yield Case("report, against own days", data, "named any", "5", page(n, alike(phi)))
    for n in (28, 84):
        data = f"{n} days of 8 quantities, phi 0.3, weekends 3 SD higher"
        found = page(n, weekends_far_apart)
        yield Case("report, against own days", data, "named any", "5", found)
    for phi in PHIS:
        data, found = (
            f"7 days of 8 quantities after 21, phi {phi:g}",
            page(7, alike(phi), before=21),
        )
        yield Case("report, since=", data, "named any", "5", found)


def measure(case: Case, runs: int, seed: int) -> Found:
    """Return how often the case came true."""
    name = zlib.crc32(f"{case.function} {case.data} {case.measure}".encode())
    if case.many is not None:
        hits = int(np.sum(case.many(np.random.default_rng([seed, name]), runs)))
    else:
        assert case.once is not None
        runs = min(runs, MOST_SLOW)
        hits = sum(case.once(np.random.default_rng([seed, name, run])) for run in range(runs))
    share = hits / runs
    error = float(np.sqrt(share * (1.0 - share) / runs))
    return Found(*case[:4], round(100 * share, 2), round(100 * error, 2), runs)


def measure_numbered(number: int, runs: int, seed: int) -> Found:
    """Return the result of a case by its place in the table: a case cannot be sent to a process."""
    return measure(list(cases())[number], runs, seed)


def row(found: Found) -> str:
    """Return a row of the table in docs/definitions.md."""
    share = f"{found.percent:.1f} ± {found.error:.1f}"
    return f"| `{found.function}` | {found.data} | {found.measure} | {share} | {found.nominal} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose function or data contain this text")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [
        number
        for number, case in enumerate(cases())
        if options.only in f"{case.function} {case.data}"
    ]
    started, results = time.perf_counter(), []
    if not options.json:
        print("| function | days | counted | per cent | nominal |\n|---|---|---|---|---|")
    with ProcessPoolExecutor(options.workers) as workers:
        measured = partial(measure_numbered, runs=options.runs, seed=options.seed)
        for found in workers.map(measured, chosen):
            results.append(found)
            if not options.json:
                print(row(found), flush=True)
    seconds = round(time.perf_counter() - started, 1)
    if options.json:
        about = {"seed": options.seed, "seconds": seconds}
        json.dump(about | {"cases": [found._asdict() for found in results]}, sys.stdout, indent=1)
    else:
        print(f"\n{len(results)} cases in {seconds:.0f} s with {options.workers} processes")


if __name__ == "__main__":
    main()
