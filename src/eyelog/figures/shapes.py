"""Figures of shape: the usual day or week of a series, and the distribution of its values."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.analysis.baseline.typical import TypicalValue
from eyelog.analysis.series.arrays import numbers
from eyelog.errors import ConfigurationError
from eyelog.figures.style import axes
from eyelog.frame import require, require_frame

__all__ = ["plot_distribution", "plot_profile"]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MOST_BARS = 80


def plot_profile(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the usual day or week: the median, with a band between the quartiles.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.rhythm.profile`, by hour or by weekday. By both, each weekday has a
        line and there is no band.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.

    Returns
    -------
    Axes
        With a line through the medians, broken where an hour was not observed.

    Raises
    ------
    FieldError
        If the table lacks the quantiles.
    ConfigurationError
        If there are no rows.

    Examples
    --------
    >>> import eyelog as el
    >>> tilt = el.mask(f := el.sample("standard_mode_logs"), el.flag(f))["tl_yav"]
    >>> ax = el.plot_profile(el.rhythm.profile(tilt, by="weekday"))
    >>> ax.get_xlabel()
    'weekday'
    """
    require_frame(table, what="plot_profile", wanted="a table of eyelog.rhythm.profile")
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
    """Draw how often values occur, and the typical value as a line.

    Parameters
    ----------
    series : Series
        Numbers; missing ones are left out. The title gives the number of values.
    typical : TypicalValue, optional
        The result of `eyelog.baseline.typical_value`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.

    Returns
    -------
    Axes
        With 40 bars; whole numbers have bars of a whole width (1 for a small range) instead.

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
    numeric = isinstance(series, pd.Series) and pd.api.types.is_numeric_dtype(series.dtype)
    if not numeric:
        given = getattr(series, "dtype", type(series).__name__)
        raise ConfigurationError(
            f"plot_distribution takes one Series of numbers, such as frame['hm_yo'], not {given}"
        )
    values = numbers(series)
    values = values[np.isfinite(values)]
    if not values.size:
        raise ConfigurationError("plot_distribution has nothing to draw: there are no values")
    ax = axes(ax)
    edges: int | list[float] = 40
    if (values == np.round(values)).all():
        # With a whole width, each bar covers the same number of possible values.
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
