"""What noise gives where something is looked for: the table behind new levels and pages.

    python benchmarks/null_tables.py [--runs 20000] [--seed 1] > \
        src/eyelog/series/null.csv

Days follow each other as an AR(1). Each row gives, for one kind of statistic and number of days,
the statistic that the share of its column reaches. ``split`` and ``bump`` are those of
el.baseline.new_levels, at an autocorrelation of .3, the middle of what days of wearers have. The
others are for pages that look at many quantities, at .5: how many times half the width of its own
95 % interval (of 99 % for days) an estimate lies from nothing, for a ``line`` (trend), a ``level``
(new_levels), a ``period`` (two_periods; the days are the harmonic mean of the two) and a ``day``
(personal; the days are the earlier ones).
"""

import argparse
from collections.abc import Iterator

import numpy as np
import scipy

from eyelog.judge.arrays import Floats
from eyelog.series.inference import Days, rank_interval, slopes_law
from eyelog.series.levels import LEVEL, SHAPES, largest, without_weekends
from eyelog.series.periods import compared
from eyelog.series.trend import lines
from eyelog.series.usual import EFFICIENCY, OUTSIDE, prediction

MONDAY = 20_514  # 2 March 2026, as the days since 1970
LENGTHS = (10, 12, 14, 17, 20, 24, 28, 34, 42, 56, 72, 90, 120, 160, 220, 300, 420, 600)
OF_PAGES = (14, 20, 28, 42, 56, 90, 120)
# in the order of their harmonic means
PERIODS = ((7, 3), (14, 3), (7, 5), (7, 7), (56, 4), (14, 7), (56, 7), (14, 14), (28, 28), (56, 56))
EARLIER = (7, 8, 10, 12, 14, 20, 28, 40, 56)
SHARES = (0.5, 0.3, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.018, 0.0125, 0.009, 0.006)
SHARES += (0.004, 0.0025, 0.0016, 0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002)


def alike(generator: np.random.Generator, runs: int, n: int, phi: float) -> Floats:
    """Return series of n days (rows)."""
    noise = generator.normal(size=(runs, n + 100))
    return scipy.signal.lfilter([(1.0 - phi**2) ** 0.5], [1.0, -phi], noise, axis=1)[:, 100:]


def starting(n: int) -> Days:
    """Return the days of a series that begins on a Monday."""
    dates = MONDAY + np.arange(n)
    return Days(dates, dates, np.zeros(n), True)


def changes(values: Floats, shape: str) -> Floats:
    dates = MONDAY + np.arange(values.shape[1])
    return largest(without_weekends(values, dates), dates, shape).statistic


def of_lines(values: Floats) -> Floats:
    n = values.shape[1]
    levelled, line = lines(starting(n), values)
    first, second = np.triu_indices(n, 1)
    found = []
    for days, factor in zip(levelled, line.factor, strict=True):
        slopes = (days[second] - days[first]) / (second - first)
        result = rank_interval(slopes, slopes_law(n), float(factor))
        found.append(2 * abs(result.value) / (result.high - result.low))
    return np.array(found)


def of_periods(values: Floats, n: int) -> Floats:
    days = starting(values.shape[1])
    found = []
    for row in values:
        cuts = (slice(n), slice(n, None))
        sides = [Days(days.dates[cut], days.numbers[cut], row[cut], True) for cut in cuts]
        result, _ = compared(*sides)
        found.append(2 * abs(result.value) / (result.high - result.low))
    return np.array(found)


def of_days(values: Floats) -> Floats:
    n = values.shape[1] - 1
    centre, _, half = prediction(np.arange(n), values[:, :n])
    reached = half * -scipy.special.stdtrit(max(EFFICIENCY * n, 1.0), OUTSIDE / 2.0)
    return np.abs(values[:, n] - centre) / reached


def cases(runs: int, generator: np.random.Generator) -> Iterator[tuple[str, float, Floats]]:
    critical: dict[tuple[str, int], float] = {}
    for shape in SHAPES:
        for n in LENGTHS:
            size = runs if n <= 120 else runs // 2  # long series vary less, and take longer
            found = np.concatenate(
                [changes(alike(generator, 1000, n, 0.3), shape) for _ in range(size // 1000)]
            )
            critical[shape, n] = float(np.quantile(found, 1 - LEVEL / len(SHAPES)))
            yield shape, n, found
    for n in OF_PAGES:
        yield "line", n, of_lines(alike(generator, runs, n, 0.5))
    for n in (10, *OF_PAGES):
        values = alike(generator, runs, n, 0.5)
        ratios = [changes(values, shape) / critical[shape, n] for shape in SHAPES]
        yield "level", n, np.max(ratios, axis=0)
    for n, m in PERIODS:
        values = alike(generator, runs, n + m, 0.5)
        yield "period", round(2 / (1 / n + 1 / m), 1), of_periods(values, n)
    for n in EARLIER:
        found = [of_days(alike(generator, 20_000, n + 1, 0.5)) for _ in range(10 * runs // 20_000)]
        yield "day", n, np.concatenate(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    print("kind,days", *SHARES, sep=",")
    for kind, n, found in cases(options.runs, generator):
        # With fewer than five series beyond it, a quantile is chance.
        known = [share for share in SHARES if share * len(found) >= 5]
        reached = [f"{value:.3f}" for value in np.quantile(found, 1.0 - np.array(known))]
        print(kind, n, *reached, *[""] * (len(SHARES) - len(known)), sep=",", flush=True)


if __name__ == "__main__":
    main()
