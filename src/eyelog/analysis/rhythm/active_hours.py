"""The most and least active hours of the average day."""

from typing import Final, NamedTuple, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.limits import limit
from eyelog.analysis.results import shown
from eyelog.analysis.series.arrays import MISSING, Floats
from eyelog.analysis.series.observed import (
    HOUR_US,
    Observed,
    SeriesOptions,
    local_hours,
    local_us,
    observed,
    with_series_options,
)
from eyelog.catalogue import COMPUTED_DATA
from eyelog.clock import DAY_US
from eyelog.errors import ConfigurationError

__all__ = [
    "ActiveHours",
    "RelativeAmplitude",
    "least_active",
    "most_active",
    "night_doubt",
    "relative_amplitude",
]

NIGHT_HOURS: Final = range(*map(int, limit(COMPUTED_DATA, "night").values))  # local hours
# With less freedom, the most active hours of everybody who wears it from 8 to 19 are 8 to 18.
LEAST_FREEDOM_H: Final = 3.0


@shown("Window of the average day")
class ActiveHours(NamedTuple):
    """Mean level and start (local hours after midnight) of a window of the average day."""

    mean: float
    start: float
    n: int
    exposure_h: float
    coverage: float
    reason: str
    hours: float


@shown("Relative amplitude")
class RelativeAmplitude(NamedTuple):
    """Relative amplitude with the two windows behind it."""

    ra: float
    most_active: float
    least_active: float
    n: int
    exposure_h: float
    coverage: float
    reason: str


def _average_day(seen: Observed) -> Floats:
    """Return the mean of each slot of the day at the series' own step (missing if unobserved)."""
    slots = DAY_US // seen.step_us
    slot = np.minimum(local_us(seen.opens) % DAY_US // seen.step_us, slots - 1)
    counts = np.bincount(slot, minlength=slots)
    sums = np.bincount(slot, seen.values, minlength=slots)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _check_hours(hours: float, *, what: str) -> None:
    if not 0 < hours < 24:
        raise ConfigurationError(f"{what} takes hours between 0 and 24, not {hours}")


def _extreme_window(seen: Observed, hours: float, *, sign: int) -> ActiveHours:
    value, start, reason = MISSING, MISSING, ""
    if not 0 < seen.step_us <= DAY_US / 2:
        reason = "too few values for an average day"
    else:
        day = _average_day(seen)
        width = max(1, round(hours * HOUR_US / seen.step_us))
        # A window with an unobserved slot is missing, so it is never the extreme.
        rolled = np.lib.stride_tricks.sliding_window_view(np.r_[day, day[: width - 1]], width)
        means = rolled.mean(axis=1)
        if np.isnan(means).all():
            reason = f"no {hours:g} hours in a row were observed on the average day"
        elif (room := _room_h(day, means, hours, seen.step_us)) < LEAST_FREEDOM_H:
            reason = (
                f"the observed hours leave a window of {hours:g} h only {room:.3g} h to lie"
                f" elsewhere, and it needs {LEAST_FREEDOM_H:g}: it would show when the eyewear was"
                " worn"
            )
        else:
            best = int(np.nanargmax(sign * means))
            value, start = float(means[best]), best * seen.step_us / HOUR_US
    return ActiveHours(value, start, seen.n, seen.exposure_h, seen.coverage, reason, hours)


def _room_h(day: Floats, means: Floats, hours: float, step_us: int) -> float:
    """Return how far the window can move: the observed hours less its own, less if not adjacent.

    In a whole day it can begin anywhere, so that is no more than the rest of the day.
    """
    step_h = step_us / HOUR_US
    observed_h = np.count_nonzero(~np.isnan(day)) * step_h
    starts = np.count_nonzero(~np.isnan(means)) - 1
    return max(0.0, min(observed_h - hours, starts * step_h))


@with_series_options
def most_active(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    hours: float = 10,
    **options: Unpack[SeriesOptions],
) -> ActiveHours:
    """Return the most active hours (M10): the largest circular window mean of the average day.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, taken at their own step, or a table that has them as a column.
    column : str, optional
        The column of a DataFrame.
    hours : float
        Width of the window, more than 0 and less than 24.
    stamp, interval, exposure
        As in `eyelog.analysis.series.observed`.

    Returns
    -------
    ActiveHours
        ``mean`` (unit of the series), ``start`` (local hours after midnight at which the first
        interval of the window opens), ``n``, ``exposure_h``, ``coverage``, ``reason`` and
        ``hours``, the width of the window. Windows in which some time of day was never observed are
        left out; refused (missing, with the reason) unless the window has at least 3 h of freedom:
        observed hours of the day less its own width.

    Notes
    -----
    Witting et al. (1990); Van Someren et al. (1999). For somebody who wears the eyewear from 8 to
    19, the most active ten hours can only be 8 to 18 or 9 to 19: they show when it was worn, not
    when the wearer was active, and are therefore refused.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series([float(8 <= h < 18) for h in hours.hour], index=hours)
    >>> el.rhythm.most_active(level, stamp="start")[:2]
    (1.0, 8.0)
    >>> bins = el.resample(el.sample(), "1h")
    >>> el.rhythm.most_active(bins, "stp").start
    7.0
    """
    _check_hours(hours, what="most_active")
    seen = observed(series, column, what="most_active", **options)
    return _extreme_window(seen, hours, sign=1)


def night_doubt(seen: Observed) -> str:
    """Return why the night of a series does not count as observed, or an empty text."""
    hour = local_hours(seen.opens)
    days = max(1, len(np.unique(np.floor(hour / 24))))
    of_day = np.floor(hour % 24)
    for night_hour in NIGHT_HOURS:
        nights = len(np.unique(np.floor(hour[of_day == night_hour] / 24)))
        if nights < days / 2:
            return (
                f"the night was not observed ({night_hour:02d}:00 on {nights} of {days} days):"
                " eyewear is taken off; pass night_worn=True only if it was worn"
            )
    night = seen.values[np.isin(of_day, NIGHT_HOURS)]
    if night.min() == night.max() and seen.values.min() != seen.values.max():
        return (
            "the night has a single value throughout, as when eyewear lies on a table:"
            " pass night_worn=True only if it was worn"
        )
    return ""


@with_series_options
def least_active(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    hours: float = 5,
    night_worn: bool = False,
    **options: Unpack[SeriesOptions],
) -> ActiveHours:
    """Return the least active hours (L5): the smallest circular window mean of the average day.

    Parameters
    ----------
    series : Series or DataFrame
        As for `eyelog.rhythm.most_active`.
    column
        As in `eyelog.rhythm.most_active`.
    hours : float
        Width of the window, more than 0 and less than 24.
    night_worn : bool
        Confirm that the eyewear was worn at night. Otherwise the result is refused if the night
        (00:00 to 06:00) was observed on fewer than half of the days, or never varies.
    stamp, interval, exposure
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    ActiveHours
        As `most_active`; missing with the ``reason`` if refused, which includes windows with less
        than 3 h of freedom.

    Notes
    -----
    Witting et al. (1990); Van Someren et al. (1999).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series([float(8 <= h < 18) for h in hours.hour], index=hours)
    >>> el.rhythm.least_active(level, night_worn=True, stamp="start").mean
    0.0
    >>> el.rhythm.least_active(level.between_time("08:00", "18:00"), stamp="start").reason[:31]
    'the night was not observed (00:'
    """
    _check_hours(hours, what="least_active")
    seen = observed(series, column, what="least_active", **options)
    return _least(seen, hours, night_worn=night_worn)


def _least(seen: Observed, hours: float, *, night_worn: bool) -> ActiveHours:
    doubt = "" if night_worn else night_doubt(seen)
    least = _extreme_window(seen, hours, sign=-1)
    return least._replace(mean=MISSING, start=MISSING, reason=doubt) if doubt else least


@with_series_options
def relative_amplitude(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    night_worn: bool = False,
    **options: Unpack[SeriesOptions],
) -> RelativeAmplitude:
    """Return (M10 - L5) / (M10 + L5).

    Parameters
    ----------
    series : Series or DataFrame
        Numbers of 0 or more with aware stamps, taken at their own step, or a table that has them as
        a column.
    column : str, optional
        The column of a DataFrame.
    night_worn : bool
        Confirm that the eyewear was worn at night; see `least_active`.
    stamp, interval, exposure
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    RelativeAmplitude
        ``ra`` (0 to 1), ``most_active``, ``least_active``, ``n``, ``exposure_h``, ``coverage``,
        ``reason`` if refused.

    Notes
    -----
    Witting et al. (1990); Van Someren et al. (1999). Unworn nights counted as rest would give
    values near 1 for everybody.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series([3.0 if 8 <= h < 18 else 1.0 for h in hours.hour], index=hours)
    >>> el.rhythm.relative_amplitude(level, night_worn=True, stamp="start").ra
    0.5
    """
    seen = observed(series, column, what="relative_amplitude", **options)
    most = _extreme_window(seen, 10, sign=1)
    least = _least(seen, 5, night_worn=night_worn)
    total = most.mean + least.mean
    reason = least.reason or most.reason
    value = MISSING
    if not reason and total == 0:
        reason = "both windows are 0"
    elif not reason:
        value = (most.mean - least.mean) / total
    return RelativeAmplitude(
        value, most.mean, least.mean, most.n, most.exposure_h, most.coverage, reason
    )
