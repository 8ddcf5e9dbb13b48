"""What every figure shares: the Axes to draw on, time axes, labels and the colour of gaps."""

from datetime import tzinfo
from typing import Any, Final

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.catalogue import catalogue
from eyelog.errors import ConfigurationError, MixedLogsError
from eyelog.frame import interval_seconds, log_of

__all__ = ["GAP_COLOUR", "axes", "label_of", "log_or_none", "row_seconds", "stamps", "time_axis"]

GAP_COLOUR: Final = "0.88"
"""The colour where there is no data, which is never a colour of the scale."""


def axes(ax: Axes | None) -> Axes:
    """Return `ax`, or the Axes of a new figure."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(10, 4), layout="constrained")[1]


def stamps(index: Any, *, what: str) -> pd.DatetimeIndex:
    """Return an index of aware stamps, or raise if `what` cannot draw this index."""
    if not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        raise ConfigurationError(f"{what} needs rows indexed by time-zone aware stamps")
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


def label_of(log: str | None, name: str) -> str:
    """Return a field's label with its unit, or the bare name of what the catalogue lacks."""
    fields = catalogue(log) if log else {}
    if name not in fields:
        return name
    unit, label = fields[name].unit, fields[name].label
    return label if unit in ("", "bool", "count") else f"{label} ({unit})"


def row_seconds(frame: pd.DataFrame, log: str | None) -> float:
    """Return how many seconds a row covers; a single row of unknown length is drawn as a minute."""
    seconds = interval_seconds(frame, log)
    return 60.0 if np.isnan(seconds) else seconds


def time_axis(ax: Axes, zone: tzinfo | None) -> None:
    """Show local clock times along x, with the zone in the label."""
    locator = mdates.AutoDateLocator(tz=zone)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(mdates.ConciseDateFormatter(locator, tz=zone))
    ax.set_xlabel(f"Local time ({zone})")
