"""States to draw."""

import pandas as pd

import eyelog as el

__all__ = ["states_of"]


def states_of(runs: list[tuple[str, str, str]], *, tz: str = "Asia/Tokyo") -> pd.Series:
    """Return the states of minutes: each run is (state, stamp of its first, stamp of its last)."""
    parts = [
        pd.Series(state or None, index=pd.date_range(first, last, freq="min", tz=tz), dtype="str")
        for state, first, last in runs
    ]
    series = pd.concat(parts).rename("state")
    series.index = pd.DatetimeIndex(series.index).as_unit("us").rename("date")
    made = el.states(el.sample("standard_mode_logs")[:1])
    series = series.astype(made.dtype)
    series.attrs = made.attrs
    return series
