"""Bootstrap by drawing whole units (days, blocks, events, persons) with replacement.

A draw is stored as the number of times that each unit occurs in it. Sums over units are then one
matrix product, and all columns of a table share the same draws. `scipy.stats.bootstrap` draws
single values and evaluates the statistic on a copy of the data for each draw; blocks, ratios of
sums and means with missing values would have to be written out for each of them.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import whole_number
from eyelog.judge.arrays import Floats, Ints

LEAST_DRAWS = 100
MOST_CELLS = 4_000_000


def check_draws(draws: int, seed: int) -> None:
    """Raise `ConfigurationError` unless both are whole numbers that can be used."""
    whole_number(draws, "draws", LEAST_DRAWS)
    whole_number(seed, "seed", 0)


def multiplicities(units: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of draws (rows): how often each of `units` occurs, as float64.

    The same seed gives the same draws, however they are cut into blocks.
    """
    generator = np.random.default_rng(seed)
    share = np.full(units, 1.0 / units)
    at_once = max(1, MOST_CELLS // units)
    for first in range(0, draws, at_once):
        size = min(at_once, draws - first)
        yield generator.multinomial(units, share, size=size).astype(np.float64)


def interval(samples: Floats, units: Ints) -> tuple[Floats, Floats]:
    """Return the 95 % interval of each column from its draws (rows), missing ones left out.

    Its ends are percentiles as far apart as those of Student's t, for as many units as each column
    was drawn from (Hesterberg 2015, The American Statistician 69:371): the 2.5 and 97.5 percentiles
    are too narrow if there are few units.
    """
    finite = pd.DataFrame(np.where(np.isfinite(samples), samples, np.nan))
    low, high = np.full((2, samples.shape[1]), np.nan)
    for n in np.unique(units[units > 1]).tolist():
        tail = float(scipy.stats.norm.cdf(scipy.stats.t.ppf(0.025, n - 1) * np.sqrt(n / (n - 1))))
        of_n = finite.loc[:, units == n].quantile([tail, 1.0 - tail]).to_numpy(dtype=np.float64)
        low[units == n], high[units == n] = of_n
    return low, high
