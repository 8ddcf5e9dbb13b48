"""The windows of event-locked means: which rows lie how far from which event."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.grouping import Groups
from eyelog.errors import ConfigurationError

__all__ = ["baseline_window", "cells", "event_times", "length_us"]

Ints = npt.NDArray[np.int64]


def event_times(times: Any) -> Ints:
    """Return the events in order, UTC microseconds."""
    stamps: list[Any]
    try:
        stamps = [pd.Timestamp(time) for time in times]
    except (TypeError, ValueError):
        stamps = [pd.NaT]
    if any(pd.isna(stamp) for stamp in stamps):
        raise ConfigurationError("events needs times such as a list of aware stamps, none missing")
    if any(stamp.tz is None for stamp in stamps):
        raise ConfigurationError(
            "events needs times with a time zone: pd.DatetimeIndex(times).tz_localize('Asia/Tokyo')"
        )
    # One by one: stamps of summer and winter have different offsets.
    found = pd.DatetimeIndex([stamp.tz_convert("UTC") for stamp in stamps], dtype="M8[us, UTC]")
    us = np.sort(found.as_unit("us").asi8)
    if (np.diff(us) == 0).any():
        raise ConfigurationError("events: a time occurs twice, and an event counts once")
    return us


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


def baseline_window(baseline: Any) -> tuple[int, int]:
    """Return where a baseline window opens and closes, counted from the event."""
    try:
        opens, closes = baseline
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"baseline must be (from, to) such as ('-10min', '0min'), not {baseline!r}"
        ) from None
    edges = length_us(opens, "baseline"), length_us(closes, "baseline")
    if edges[0] >= edges[1]:
        raise ConfigurationError(f"baseline must open before it closes, not {baseline!r}")
    return edges


def cells(stamps: Ints, asked: Ints, opens: int, closes: int, width: int) -> Groups:
    """Return the rows of each event and bin; a row can lie in the windows of several events."""
    low = np.searchsorted(stamps, asked + opens, side="right")
    sizes = np.searchsorted(stamps, asked + closes, side="right") - low
    event = np.repeat(np.arange(len(asked)), sizes)
    rows = (
        np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(low, sizes)
    )
    # Closed on the right: a stamp on the edge closes the bin that ends there.
    place = -((asked[event] + opens - stamps[rows]) // width) - 1
    bins = -(-(closes - opens) // width)
    counts = np.bincount(event * bins + place, minlength=len(asked) * bins)
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    labels = pd.RangeIndex(len(asked) * bins)
    return Groups(labels, bounds, rows.astype(np.int64), np.full(len(labels), width / 1e6))
