"""Numbers, intervals, days and lists in the words of a sentence."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from eyelog.measure.sheet import NOTHING, decimals, number_text

MISSING: Final = NOTHING


def number(value: float, digits: int | None = None) -> str:
    """Return a number with the given decimals, or three significant digits, as in the tables."""
    return number_text(value, decimals(np.array([value], dtype=np.float64), digits))


def whole(value: float) -> str:
    """Return a number without decimals."""
    return number(value, 0)


def hours(value: float) -> str:
    """Return a length of time in whole hours, or in minutes where it is under two hours."""
    minutes = value * 60
    if minutes >= 120:
        return f"{whole(value)} h"
    return f"{number(minutes, 0 if minutes >= 10 or minutes == round(minutes) else 1)} min"


def percent(share: float) -> str:
    """Return a share as a percentage that is 0 or 100 only if the share is exactly 0 or 1."""
    if pd.isna(share):
        return MISSING
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 < share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def interval(low: float, high: float, digits: int | None = None) -> str:
    """Return a 95 % interval in words, empty if there is none."""
    if pd.isna(low) or pd.isna(high):
        return ""
    return f"95 % interval {number(low, digits)} to {number(high, digits)}"


def range_of(low: float, high: float, digits: int | None = None) -> str:
    """Return an interval for a cell: ``9.8 to 13.4``, or a dash if there is none."""
    if pd.isna(low) or pd.isna(high):
        return MISSING
    return f"{number(low, digits)} to {number(high, digits)}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number of things: ``1 day``, ``2 days``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def not_enough(have: int, needed: int, noun: str = "day") -> str:
    """Return the words shown instead of a value based on too few data."""
    return f"not enough data: {have} of the {needed} {noun}s needed"


def joined(parts: Sequence[str]) -> str:
    """Return a list in words: ``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def day(stamp: pd.Timestamp, *, year: bool = False) -> str:
    """Return a day in words: ``Mon 20 Oct``."""
    return f"{stamp:%a} {stamp.day} {stamp:%b}{f' {stamp.year}' if year else ''}"


def moment(stamp: pd.Timestamp) -> str:
    """Return a stamp in words: ``Mon 20 Oct 2026 07:30``."""
    return f"{day(stamp, year=True)} {stamp:%H:%M}"


def time_of_day(hours: float) -> str:
    """Return hours after midnight as a clock shows them: ``07:30``."""
    if pd.isna(hours):
        return MISSING
    minutes = round(hours * 60) % (24 * 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
