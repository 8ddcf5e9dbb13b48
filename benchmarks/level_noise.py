"""What noise gives where a new level is looked for: the table behind el.baseline.new_levels.

    python benchmarks/level_noise.py [--runs 20000] [--seed 1] > \
        src/eyelog/analysis/series/level_noise.csv

Days follow each other as an AR(1) with an autocorrelation of 0.3, the middle of what days of
wearers have; from four weeks on their weekdays are levelled first, as the function does. Each row
gives, for one shape and number of days, the statistic that the share of its column reaches.
"""

import argparse

import numpy as np
import scipy.signal

from eyelog.analysis.baseline.new_levels import without_weekdays
from eyelog.analysis.series.levels import SHAPES, largest

PHI = 0.3
LENGTHS = (10, 12, 14, 17, 20, 24, 27, 28, 34, 42, 56, 72, 90, 120, 160, 220, 300, 420, 600)
SHARES = (0.5, 0.3, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.018, 0.0125, 0.009, 0.006)
SHARES += (0.004, 0.0025, 0.0016, 0.001)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("shape,days", *SHARES, sep=",")
    for shape in SHAPES:
        for n in LENGTHS:
            generator = np.random.default_rng([options.seed, n])
            # Long series vary less, and take longer.
            runs = options.runs if n <= 120 else options.runs // 2
            found = []
            for size in [1000] * (runs // 1000):
                noise = generator.normal(size=(size, n + 50))
                days = scipy.signal.lfilter([1.0], [1.0, -PHI], noise, axis=1)[:, 50:]
                levelled = without_weekdays(days, np.arange(n))
                found.append(largest(levelled, np.arange(n), shape).statistic)
            reached = np.quantile(np.concatenate(found), 1.0 - np.array(SHARES))
            print(shape, n, *(f"{value:.3f}" for value in reached), sep=",", flush=True)


if __name__ == "__main__":
    main()
