"""Simulated days: how neighbours are alike, and how else days are not independent."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.signal

Floats = npt.NDArray[np.float64]

START: Final = "2026-03-02"  # a Monday
OF_DAY: Final = 0.15  # how much the days of a wearer differ, as an SD of the logarithm of a rate


class Condition(NamedTuple):
    """How the values of neighbouring days, hours or minutes come about; their SD is 1."""

    name: str = ""
    phi: float = 0.0  # the autocorrelation of neighbours
    weekend: float = 0.0  # how much higher Saturdays and Sundays are
    skewed: bool = False  # counts of a negative binomial with a mean of 20 and k = 4
    drift_min: int = 0  # half of the variance lasts for so long, then is drawn anew
    left_out: bool = False  # half of the values above the mean were not worn
    few: bool = False  # as few days, wearers or events as the row names
    before: int = 200  # values before the first, which is like any other with none too


def alike(rng: np.random.Generator, rows: int, n: int, phi: float, before: int = 200) -> Floats:
    """Return rows of n values of variance 1 that follow `before` others as an AR(1)."""
    noise = rng.normal(size=(rows, before + n))
    noise[:, 1:] *= np.sqrt(1.0 - phi**2)
    return scipy.signal.lfilter([1.0], [1.0, -phi], noise, axis=1)[:, before:]


def drawn(rng: np.random.Generator, rows: int, n: int, how: Condition) -> Floats:
    """Return rows of values of mean 0 and variance 1, neighbours in a row alike as asked."""
    if how.skewed:
        return (rng.negative_binomial(4, 4 / 24, (rows, n)) - 20.0) / np.sqrt(20 * 6)
    if how.drift_min:
        spells = rng.normal(size=(rows, -(-n // how.drift_min)))
        lasting = np.repeat(spells, how.drift_min, axis=1)[:, :n]
        return np.sqrt(0.5) * (lasting + rng.normal(size=(rows, n)))
    return alike(rng, rows, n, how.phi, how.before)


def kept(rng: np.random.Generator, values: Floats, how: Condition) -> Floats:
    """Return the values, half of those above the mean missing where wear is not at random."""
    if not how.left_out:
        return values
    return np.where((values > 0) & (rng.random(values.shape) < 0.5), np.nan, values)


def days_of(rng: np.random.Generator, n: int, how: Condition, rows: int = 1) -> Floats:
    """Return the values of n days of each wearer, from a Monday; NaN where a day was not worn."""
    values = drawn(rng, rows, n, how)
    return kept(rng, values + how.weekend * (np.arange(n) % 7 >= 5), how)


def series(rng: np.random.Generator, n: int, how: Condition) -> pd.Series:
    """Return the days of one wearer."""
    dates = pd.date_range(START, periods=n, name="day")
    return pd.Series(days_of(rng, n, how)[0], index=dates)


def hours_of(rng: np.random.Generator, values: Floats, how: Condition) -> pd.Series:
    """Return the hours (24 columns) of days (rows) that were worn unevenly."""
    days = len(values)
    first = rng.integers(6, 10, days)[:, None]
    hour = np.arange(24)
    worn = (hour >= first) & (hour < first + rng.integers(6, 15, days)[:, None])
    return hourly(np.where(worn, kept(rng, values, how), np.nan))


def hourly(values: Floats) -> pd.Series:
    """Return days (rows) of 24 hours as one series."""
    index = pd.date_range(START, periods=values.size, freq="h", tz="UTC")
    return pd.Series(values.ravel(), index=index)


def factors(rng: np.random.Generator, n: int, how: Condition) -> Floats:
    """Return what multiplies the rate of a wearer on each of n days."""
    return np.exp(OF_DAY * days_of(rng, n, how._replace(drift_min=0, skewed=False))[0])


def minutes_worn(
    rng: np.random.Generator, n: int, how: Condition, between: tuple[int, int] = (240, 720)
) -> tuple[pd.Index, Floats]:
    """Return the minutes of n days, and what multiplies the rate in each.

    A day has 4 to 12 hours, or as many minutes as `between` says. The mean of the multiplier over
    days is 1 unless weekends are apart.
    """
    level = factors(rng, n, how)
    stamps, made = [], []
    for day in np.flatnonzero(~np.isnan(level)):
        minutes = int(rng.integers(*between))
        length = how.drift_min or (1 if how.skewed else minutes)
        spells = np.ones(1)
        if how.drift_min or how.skewed:  # counts become those of a negative binomial with k = 4
            spells = rng.gamma(4.0, 0.25, -(-minutes // length))
        made.append(level[day] * np.repeat(spells, length)[:minutes])
        first = pd.Timestamp(f"{START} 08:01", tz="UTC") + pd.Timedelta(int(day), "D")
        stamps.append(pd.date_range(first, periods=minutes, freq="min", unit="us"))
    factor = np.concatenate(made) / np.exp(OF_DAY**2 / 2)
    return stamps[0].append(stamps[1:]).rename("date"), factor


def mean_factor(how: Condition) -> float:
    """Return the wearer's mean of the multiplier over the days of a week."""
    return float((5 + 2 * np.exp(OF_DAY * how.weekend)) / 7)
