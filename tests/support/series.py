"""Series by hour and by day, also of days that are alike."""

import numpy as np
import pandas as pd
import scipy.signal


def hourly(values, *, start: str = "2026-10-19", tz: str = "UTC", name=None) -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="h", tz=tz)
    return pd.Series(np.asarray(values, dtype="float64"), index=index, name=name)


def by_day(values, start: str = "2026-01-01", *, freq: str = "D", tz: str | None = None):
    index = pd.date_range(start, periods=len(values), freq=freq, tz=tz, name="day")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def alike(rng: np.random.Generator | int, rows: int, n: int, phi: float) -> np.ndarray:
    """Return rows of n values of variance 1 whose neighbours have this autocorrelation."""
    noise = np.random.default_rng(rng).normal(0.0, np.sqrt(1 - phi**2), (rows, n + 100))
    return scipy.signal.lfilter([1.0], [1.0, -phi], noise)[:, 100:]
