"""Figures of shape: the usual day of a series, and how its values are distributed."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.analysis.baseline.typical import TypicalValue
from eyelog.errors import ConfigurationError
from eyelog.figures.axes import axes
from eyelog.frame import require

__all__ = ["plot_distribution", "plot_profile"]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MOST_BARS = 80


def plot_profile(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the usual day or week: the median with the band between the quartiles.

    Parameters
    ----------
    table : DataFrame
        What `eyelog.rhythm.profile` returns, by hour or by weekday; by both, there is a line for
        each weekday and no band.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        A line through the medians, broken where an hour was not observed.

    Raises
    ------
    FieldError
        If the table lacks the quantiles.
    ConfigurationError
        If it has no rows.

    Examples
    --------
    >>> import eyelog as el
    >>> tilt = el.mask(f := el.sample("standard_mode_logs"), el.flag(f))["tl_yav"]
    >>> ax = el.plot_profile(el.rhythm.profile(tilt, by="weekday"))
    >>> ax.get_xlabel()
    'weekday'
    """
    require(table, ["median", "q25", "q75"], purpose="plot_profile")
    if table.empty:
        raise ConfigurationError("plot_profile has nothing to draw: there are no rows")
    ax = axes(ax)
    if table.index.nlevels == 2:
        for weekday, part in table.groupby(level="weekday"):
            hours = part.droplevel("weekday")["median"].reindex(range(24))
            ax.plot(hours.index, hours, marker=".", label=WEEKDAYS[int(str(weekday))])
        ax.legend()
        ax.set_xlabel("hour")
        return ax
    name = str(table.index.name)
    whole = table.reindex(range(24 if name == "hour" else 7))
    ax.plot(whole.index, whole["median"], marker=".")
    ax.fill_between(whole.index, whole["q25"], whole["q75"], alpha=0.25, linewidth=0)
    if name == "weekday":
        ax.set_xticks(range(7), WEEKDAYS)
    ax.set_xlabel(name)
    ax.set_ylabel("median and quartiles")
    return ax


def plot_distribution(
    series: pd.Series, *, typical: TypicalValue | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how often each value occurs, and where the typical value lies.

    Parameters
    ----------
    series : Series
        Numbers; missing ones are left out, and the title says how many values there are.
    typical : TypicalValue, optional
        What `eyelog.baseline.typical_value` returns: drawn as a line.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        With bars of a whole width (1 for a small range) where the values are whole numbers, else
        of equal width.

    Raises
    ------
    ConfigurationError
        If there is no value.

    Examples
    --------
    >>> import eyelog as el
    >>> moves = el.mask(f := el.sample("standard_mode_logs"), el.flag(f))["hm_yo"]
    >>> ax = el.plot_distribution(moves, typical=el.baseline.typical_value(moves))
    >>> len(ax.lines)
    1
    """
    values = series.to_numpy(dtype="float64", na_value=np.nan)
    values = values[np.isfinite(values)]
    if not values.size:
        raise ConfigurationError("plot_distribution has nothing to draw: there is no value")
    ax = axes(ax)
    edges: int | list[float] = 40
    if (values == np.round(values)).all():
        # Bars of a whole width hold equally many of the numbers that can occur.
        width = int(np.ptp(values)) // MOST_BARS + 1
        edges = np.arange(values.min() - 0.5, values.max() + width, width).tolist()
    ax.hist(values, bins=edges, color="C0", alpha=0.7)
    if typical is not None and np.isfinite(typical.value):
        ax.axvline(typical.value, color="C3", label=f"{typical.method}: {typical.value:.3g}")
        ax.legend()
    ax.set_title(f"{values.size:,} values", fontsize="small")
    ax.set_xlabel(str(series.name or "value"))
    ax.set_ylabel("records")
    return ax
