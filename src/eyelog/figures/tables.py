"""Facts that figures read from a table: its stamps, its log, and how long a row lasts."""

from typing import Any

import numpy as np
import pandas as pd

from eyelog.analysis.series.calendar import calendar_dates
from eyelog.errors import ConfigurationError, MixedLogsError
from eyelog.frame import interval_seconds, log_of

__all__ = ["dates_of", "log_or_none", "row_seconds", "stamps"]


def stamps(index: Any, *, what: str) -> pd.DatetimeIndex:
    """Return an index of aware stamps, or raise if `what` cannot draw this index."""
    if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        raise ConfigurationError(f"{what} needs rows indexed by time-zone aware stamps")
    if index.empty:
        raise ConfigurationError(f"{what} has nothing to draw: there are no rows")
    return index


def dates_of(table: pd.DataFrame, *, what: str) -> pd.DatetimeIndex:
    """Return the calendar dates that index a table; stamps with a zone are read as their dates."""
    index = calendar_dates(table, what=what)
    if index is None:
        index = pd.DatetimeIndex(table.index).tz_localize(None).normalize().as_unit("us")
    if index.empty:
        raise ConfigurationError(f"{what} has nothing to draw: there are no rows")
    return index


def log_or_none(frame: pd.DataFrame) -> str | None:
    """Return the log of a frame, or None if it is unknown: labels are then the bare names."""
    try:
        return log_of(frame)
    except MixedLogsError:
        raise
    except ConfigurationError:
        return None


def row_seconds(frame: pd.DataFrame | pd.Series, log: str | None) -> float:
    """Return how many seconds a row covers; a single row of unknown length is drawn as a minute."""
    seconds = interval_seconds(frame, log)
    return 60.0 if np.isnan(seconds) else seconds
