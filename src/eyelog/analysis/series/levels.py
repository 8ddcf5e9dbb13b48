"""The most conspicuous change of level in a series of days, and how often noise has one as large.

Two shapes are looked for: a split (a different level from one day on) and a bump (a different level
for some days, then back). Each has its own statistic. ``level_noise.csv`` holds what simulated
noise gives (`benchmarks/level_noise.py`); simulating it at the first call would take seconds.
"""

import csv
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from eyelog.analysis.series.arrays import Floats, Ints

__all__ = ["SHAPES", "LevelChange", "critical", "largest", "noise_p"]

SHAPES: Final = ("split", "bump")
SHORTEST: Final = 3
LARGEST_PHI: Final = 0.9
# The bias of phi is (BIAS + BIAS phi) / n where levels were chosen to fit. Two edges fit noise
# better than one: with 4 for both, 9 instead of 7 of 100 series of 28 days at phi .5 named a level.
BIAS: Final = MappingProxyType({"split": 4.0, "bump": 12.0})


class LevelChange(NamedTuple):
    """The largest change of one shape in each of several series.

    Attributes
    ----------
    start, end : array of int64
        The place of the first day of the other level, and of the first day after it.
    statistic : array of float64
        The difference of the two levels over its standard error for days that are alike by `phi`.
    sd, phi : array of float64
        The standard deviation of single days about the two levels, and their autocorrelation.
    """

    start: Ints
    end: Ints
    statistic: Floats
    sd: Floats
    phi: Floats


def largest(values: Floats, days: Ints, shape: str) -> LevelChange:
    """Return the largest change of a shape in each row of values.

    Parameters
    ----------
    values : array of float64
        One series in each row; at least 10 days.
    days : array of int64
        The number of each day, 1 apart for neighbours.
    shape : {"split", "bump"}
        What is looked for. Each level has at least three days.
    """
    times, n = values.shape
    centred = values - values.mean(axis=1, keepdims=True)
    sums = np.concatenate([np.zeros((times, 1)), np.cumsum(centred, axis=1)], axis=1)
    best, start = np.full(times, -1.0), np.zeros(times, dtype=np.int64)
    end = np.full(times, n, dtype=np.int64)
    if shape == "split":
        lengths, first, last = np.arange(SHORTEST, n - SHORTEST + 1), 0, 0
        gains = sums[:, n - lengths] ** 2 * (n / (lengths * (n - lengths)))
        place = gains.argmax(axis=1)
        best, start = gains[np.arange(times), place], n - lengths[place]
    else:
        first, last = SHORTEST, n - SHORTEST
        for length in range(SHORTEST, last - first + 1):
            inside = sums[:, first + length : last + 1] - sums[:, first : last + 1 - length]
            gains = inside**2 * (n / (length * (n - length)))
            place = gains.argmax(axis=1)
            gain = gains[np.arange(times), place]
            better = gain > best
            best = np.where(better, gain, best)
            start = np.where(better, place + first, start)
            end = np.where(better, place + first + length, end)
    return _judged(centred, days, start, end, best, BIAS[shape])


def _judged(
    centred: Floats, days: Ints, start: Ints, end: Ints, gain: Floats, bias: float
) -> LevelChange:
    """Return the statistic of each row's change, its days being alike as the residuals are."""
    n = centred.shape[1]
    places = np.arange(n)
    inside = (places >= start[:, None]) & (places < end[:, None])
    count = inside.sum(axis=1)
    within = (centred * inside).sum(axis=1) / count
    without = (centred * ~inside).sum(axis=1) / (n - count)
    residuals = centred - np.where(inside, within[:, None], without[:, None])
    rest = np.maximum((residuals**2).sum(axis=1), 1e-12 * (centred**2).sum(axis=1))
    beside = np.flatnonzero(np.diff(days) == 1)
    # As `eyelog.analysis.series.dependence.lag_one`, for many series at once.
    product = (residuals[:, beside] * residuals[:, beside + 1]).mean(axis=1) if len(beside) else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.nan_to_num(product * (n - 1) / rest)
        phi = np.clip(ratios + (bias + bias * ratios) / n, 0.0, LARGEST_PHI)
        sd = np.sqrt(rest / (n - 2))
        statistic = np.nan_to_num(np.sqrt(gain) / sd / np.sqrt((1 + phi) / (1 - phi)))
    return LevelChange(start, end, statistic, sd, phi)


@cache
def _noise(shape: str) -> tuple[Floats, Floats, Floats]:
    """Return the lengths, the shares of noise, and the statistic that each share reaches."""
    text = files("eyelog").joinpath("analysis", "series", "level_noise.csv").read_text("utf-8")
    header, *rows = csv.reader(text.splitlines())
    mine = [row for row in rows if row[0] == shape]
    shares = np.array(header[2:], dtype=np.float64)
    table = np.array([row[1:] for row in mine], dtype=np.float64)
    return table[:, 0], shares, table[:, 1:]


def _quantiles(shape: str, n: int) -> tuple[Floats, Floats]:
    lengths, shares, table = _noise(shape)
    of_n = [np.interp(np.log(n), np.log(lengths), column) for column in table.T]
    return shares, np.array(of_n)


def critical(shape: str, n: int, share: float) -> float:
    """Return the statistic that `share` of all series of noise of n days reach."""
    shares, reached = _quantiles(shape, n)
    return float(np.interp(np.log(share), np.log(shares[::-1]), reached[::-1]))


def noise_p(shape: str, n: int, statistic: float) -> float:
    """Return the share of series of noise of n days that reach a statistic, at least 0.001."""
    shares, reached = _quantiles(shape, n)
    if statistic < reached[0]:
        return 1.0
    return float(np.exp(np.interp(statistic, reached, np.log(shares))))
