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

from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy
from tools.days import START, Floats, alike
from tools.measure import options

import eyelog as el
from eyelog.series.levels import LEVEL, SHAPES, largest, without_weekends
from eyelog.series.usual import EFFICIENCY, OUTSIDE, prediction

MONDAY = 20_514  # 2 March 2026, as the days since 1970
BEFORE = 100
LENGTHS = (10, 12, 14, 17, 20, 24, 28, 34, 42, 56, 72, 90, 120, 160, 220, 300, 420, 600)
OF_PAGES = (14, 20, 28, 42, 56, 90, 120)
# in the order of their harmonic means
PERIODS = ((7, 3), (14, 3), (7, 5), (7, 7), (56, 4), (14, 7), (56, 7), (14, 14), (28, 28), (56, 56))
EARLIER = (7, 8, 10, 12, 14, 20, 28, 40, 56)
SHARES = (0.5, 0.3, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.018, 0.0125, 0.009, 0.006)
SHARES += (0.004, 0.0025, 0.0016, 0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002)


def changes(values: Floats, shape: str) -> Floats:
    dates = MONDAY + np.arange(values.shape[1])
    return largest(without_weekends(values, dates), dates, shape).statistic


def half_widths(values: Floats, n: int | None = None) -> Floats:
    """Return how many half widths the trend of each row lies from 0, or its change after n days."""
    dates = pd.date_range(START, periods=values.shape[1])
    found = []
    for row in values:
        days = pd.Series(row, dates)
        if n is None:
            result = el.baseline.trend(days)
            value = result.slope
        else:
            result = el.compare.two_periods(days[:n], days[n:])
            value = result.difference
        found.append(2 * abs(value) / (result.high - result.low))
    return np.array(found)


def of_days(values: Floats) -> Floats:
    n = values.shape[1] - 1
    centre, _, half = prediction(np.arange(n), values[:, :n])
    reached = half * -scipy.special.stdtrit(max(EFFICIENCY * n, 1.0), OUTSIDE / 2.0)
    return np.abs(values[:, n] - centre) / reached


def cases(runs: int, rng: np.random.Generator) -> Iterator[tuple[str, float, Floats]]:
    critical: dict[tuple[str, int], float] = {}
    for shape in SHAPES:
        for n in LENGTHS:
            size = runs if n <= 120 else runs // 2  # long series vary less, and take longer
            parts = [alike(rng, 1000, n, 0.3, BEFORE) for _ in range(size // 1000)]
            found = np.concatenate([changes(part, shape) for part in parts])
            critical[shape, n] = float(np.quantile(found, 1 - LEVEL / len(SHAPES)))
            yield shape, n, found
    for n in OF_PAGES:
        yield "line", n, half_widths(alike(rng, runs, n, 0.5, BEFORE))
    for n in (10, *OF_PAGES):
        values = alike(rng, runs, n, 0.5, BEFORE)
        ratios = [changes(values, shape) / critical[shape, n] for shape in SHAPES]
        yield "level", n, np.max(ratios, axis=0)
    for n, m in PERIODS:
        values = alike(rng, runs, n + m, 0.5, BEFORE)
        yield "period", round(2 / (1 / n + 1 / m), 1), half_widths(values, n)
    for n in EARLIER:
        parts = [alike(rng, 20_000, n + 1, 0.5, BEFORE) for _ in range(runs // 2_000)]
        yield "day", n, np.concatenate([of_days(part) for part in parts])


def main() -> None:
    given = options(__doc__, runs=20_000, seed=1)
    print("kind,days", *SHARES, sep=",")
    for kind, n, found in cases(given.runs, np.random.default_rng(given.seed)):
        # With fewer than five series beyond it, a quantile is chance.
        known = [share for share in SHARES if share * len(found) >= 5]
        reached = [f"{value:.3f}" for value in np.quantile(found, 1.0 - np.array(known))]
        print(kind, n, *reached, *[""] * (len(SHARES) - len(known)), sep=",", flush=True)


if __name__ == "__main__":
    main()
