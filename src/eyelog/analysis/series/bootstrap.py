"""Bootstrap by drawing whole units (days, events, persons) with replacement.

A draw is told as how often each unit comes up in it, so that sums over units become one matrix
product and nothing is copied.
"""

from collections.abc import Iterator

import numpy as np

from eyelog.analysis.series.arrays import Floats
from eyelog.errors import ConfigurationError

__all__ = ["check_draws", "interval", "multiplicities"]


LEAST_DRAWS = 100
MOST_CELLS = 4_000_000


def check_draws(draws: int, seed: int) -> None:
    """Raise `ConfigurationError` unless both are whole numbers that can be used."""
    if not isinstance(draws, int | np.integer) or draws < LEAST_DRAWS:
        raise ConfigurationError(
            f"draws must be a whole number, {LEAST_DRAWS} at least, not {draws!r}"
        )
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ConfigurationError(f"seed must be a whole number of at least 0, not {seed!r}")


def multiplicities(units: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of draws (rows): how often each of `units` comes up, as float64.

    The same seed gives the same draws, however they are cut into blocks.
    """
    generator = np.random.default_rng(seed)
    share = np.full(units, 1.0 / units)
    at_once = max(1, MOST_CELLS // units)
    for first in range(0, draws, at_once):
        size = min(at_once, draws - first)
        yield generator.multinomial(units, share, size=size).astype(np.float64)


def interval(samples: Floats) -> tuple[Floats, Floats]:
    """Return the 2.5 and 97.5 percentiles of the draws (rows); draws without a value left out."""
    ordered = np.sort(np.where(np.isfinite(samples), samples, np.nan), axis=0)  # NaN comes last
    counts = np.isfinite(ordered).sum(axis=0)

    def quantile(share: float) -> Floats:
        at = share * (np.maximum(counts, 1) - 1)
        low, high = np.floor(at).astype(np.int64), np.ceil(at).astype(np.int64)
        below = np.take_along_axis(ordered, low[None], axis=0)[0]
        above = np.take_along_axis(ordered, high[None], axis=0)[0]
        return np.asarray(below + (at - low) * (above - below), dtype=np.float64)

    return quantile(0.025), quantile(0.975)
