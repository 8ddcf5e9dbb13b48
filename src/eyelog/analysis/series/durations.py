"""A duration given as text, such as ``"10min"``, as a number."""

from typing import Any

import numpy as np
import pandas as pd

from eyelog.errors import ConfigurationError

__all__ = [
    "length_us",
    "seconds_of",
]


def seconds_of(duration: Any, name: str) -> float:
    """Return the seconds of a duration such as ``"3min"``, which must not be negative."""
    try:
        seconds = pd.Timedelta(duration).total_seconds()
    except (ValueError, TypeError):
        seconds = np.nan
    if not seconds >= 0:
        raise ConfigurationError(f"{name} must be a duration such as '3min', not {duration!r}")
    return float(seconds)


def length_us(length: Any, name: str) -> int:
    """Return the microseconds of a length of time."""
    found: pd.Timedelta | None
    try:
        found = pd.Timedelta(length)
    except (TypeError, ValueError):
        found = None
    if found is None or pd.isna(found):
        raise ConfigurationError(f"{name} must be a length of time such as '10min', not {length!r}")
    return int(found // pd.Timedelta(1, "us"))
