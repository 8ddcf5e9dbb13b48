"""The most and least active hours of the average day (M10, L5), and how far apart they are."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.catalogue import COMPUTED_DATA
from eyelog.checks import number
from eyelog.clock import DAY_US, HOUR_US, microseconds
from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING
from eyelog.judge.limits import Limits, limit
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.observed import Rows, local_hours, observed

NIGHT_HOURS: Final = range(*map(int, limit(COMPUTED_DATA, "night").values))  # local hours
# With less freedom, the most active hours of everybody who wears it from 8 to 19 are 8 to 18.
LEAST_FREEDOM_H: Final = 3.0
ROUNDING: Final = 1e-12


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


def _extreme_window(seen: Rows, hours: float, *, sign: int, what: str = "") -> ActiveHours:
    """Return the window of the average day, at the step of the rows, with the largest mean."""
    if not 0 < number(hours, "hours") < 24:
        raise ConfigurationError(f"{what} takes hours between 0 and 24, not {hours}")
    nothing = all_missing(ActiveHours, hours=hours, **seen.behind)
    if not seen.n or not 0 < seen.step_us <= DAY_US / 2:
        return nothing._replace(reason="too few values for an average day")
    step_h, slots = seen.step_us / HOUR_US, DAY_US // seen.step_us
    slot = np.minimum(microseconds(seen.opens) % DAY_US // seen.step_us, slots - 1)
    counts = np.bincount(slot, minlength=slots)
    day = np.bincount(slot, seen.values, minlength=slots) / np.maximum(counts, 1)
    # The mean of each circular window; missing with an unobserved slot in it.
    width = max(1, round(hours / step_h))
    twice = np.concatenate([[day, counts > 0], np.array([day, counts > 0])[:, : width - 1]], axis=1)
    until = np.cumsum(np.column_stack([[0.0, 0.0], twice]), axis=1)
    sums, filled = until[:, width:] - until[:, :-width]
    means = np.where(filled == width, sums / width, np.nan)
    if np.isnan(means).all():
        none = f"no {hours:g} hours in a row were observed on the average day"
        return nothing._replace(reason=none)
    # How far the window can move: the observed hours less its own, less if they are not adjacent.
    # In a whole day it can begin anywhere, so that is no more than the rest of the day.
    starts = np.count_nonzero(~np.isnan(means)) - 1
    room = max(0.0, min(np.count_nonzero(counts) * step_h - hours, starts * step_h))
    if room < LEAST_FREEDOM_H:
        fixed = (
            f"the observed hours leave a window of {hours:g} h only {room:.3g} h to lie elsewhere,"
            f" and it needs {LEAST_FREEDOM_H:g}: it would show when the eyewear was worn"
        )
        return nothing._replace(reason=fixed)
    # The first of equal ones, whatever the rounding.
    highest = np.nanmax(sign * means)
    best = int(np.argmax(sign * means >= highest - ROUNDING * np.nanmax(np.abs(means))))
    return nothing._replace(mean=float(means[best]), start=best * step_h)


@takes_tables
def most_active(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    hours: float = 10,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> ActiveHours:
    """Return the most active hours (M10): the largest circular window mean of the average day.

    Parameters
    ----------
    series : Series or DataFrame
        A table with aware stamps that has the numbers as a column, or one Series, at its own step.
        A column of records is judged first; all else is taken as it is, and its stamps open their
        rows.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    hours : float
        Width of the window, more than 0 and less than 24.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        The length of a row, such as ``"15s"``. Default: of a frame, the interval of its log or the
        width of its bins; of a Series, the smallest distance of neighbouring stamps.
    exposure : Series or array, optional
        The hours that each row is based on: a Series with the same index, or one number for each
        row. Default: what the table states (``worn_h``, ``exposure_min``, ``recorded_h``), else the
        length of a row; missing for a Series by day, which does not carry the hours of its days.

    Returns
    -------
    ActiveHours
        ``mean`` (unit of the series), ``start`` (local hours after midnight at which the first
        interval of the window opens), ``n``, ``exposure_h``, ``coverage``, ``reason`` and
        ``hours``, the width of the window. Windows in which some time of day was never observed are
        left out; refused (missing, with the reason) unless the window has at least 3 h of freedom:
        observed hours of the day less its own width.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

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
    >>> el.rhythm.most_active(level)[:2]
    (1.0, 8.0)
    >>> bins = el.resample(el.sample(), "1h")
    >>> el.rhythm.most_active(bins, "stp").start
    6.0
    """
    seen = observed(series, column, "most_active", limits, interval, exposure)
    return _extreme_window(seen, hours, sign=1, what="most_active")


def night_doubt(seen: Rows) -> str:
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


@takes_tables
def least_active(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    hours: float = 5,
    night_worn: bool = False,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> ActiveHours:
    """Return the least active hours (L5): the smallest circular window mean of the average day.

    Parameters
    ----------
    series : Series or DataFrame
        As for `eyelog.rhythm.most_active`.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    hours : float
        Width of the window, more than 0 and less than 24.
    night_worn : bool
        Confirm that the eyewear was worn at night. Otherwise the result is refused if the night
        (00:00 to 06:00) was observed on fewer than half of the days, or never varies.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        The length of a row, such as ``"15s"``. Default: of a frame, the interval of its log or the
        width of its bins; of a Series, the smallest distance of neighbouring stamps.
    exposure : Series or array, optional
        The hours that each row is based on: a Series with the same index, or one number for each
        row. Default: what the table states (``worn_h``, ``exposure_min``, ``recorded_h``), else the
        length of a row; missing for a Series by day, which does not carry the hours of its days.

    Returns
    -------
    ActiveHours
        As `most_active`; missing with the ``reason`` if refused, which includes windows with less
        than 3 h of freedom.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

    Notes
    -----
    Witting et al. (1990); Van Someren et al. (1999).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series([float(8 <= h < 18) for h in hours.hour], index=hours)
    >>> el.rhythm.least_active(level, night_worn=True).mean
    0.0
    >>> el.rhythm.least_active(level.between_time("08:00", "18:00")).reason[:31]
    'the night was not observed (00:'
    """
    seen = observed(series, column, "least_active", limits, interval, exposure)
    return _least(seen, hours, night_worn=night_worn)


def _least(seen: Rows, hours: float, *, night_worn: bool) -> ActiveHours:
    doubt = "" if night_worn else night_doubt(seen)
    least = _extreme_window(seen, hours, sign=-1, what="least_active")
    return least._replace(mean=MISSING, start=MISSING, reason=doubt) if doubt else least


@takes_tables
def relative_amplitude(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    night_worn: bool = False,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> RelativeAmplitude:
    """Return (M10 - L5) / (M10 + L5).

    Parameters
    ----------
    series : Series or DataFrame
        Numbers of 0 or more with aware stamps, taken at their own step, or a table that has them as
        a column.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    night_worn : bool
        Confirm that the eyewear was worn at night; see `least_active`.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        The length of a row, such as ``"15s"``. Default: of a frame, the interval of its log or the
        width of its bins; of a Series, the smallest distance of neighbouring stamps.
    exposure : Series or array, optional
        The hours that each row is based on: a Series with the same index, or one number for each
        row. Default: what the table states (``worn_h``, ``exposure_min``, ``recorded_h``), else the
        length of a row; missing for a Series by day, which does not carry the hours of its days.

    Returns
    -------
    RelativeAmplitude
        ``ra`` (0 to 1), ``most_active``, ``least_active``, ``n``, ``exposure_h``, ``coverage``,
        ``reason`` if refused.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

    Notes
    -----
    Witting et al. (1990); Van Someren et al. (1999). Unworn nights counted as rest would give
    values near 1 for everybody.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series([3.0 if 8 <= h < 18 else 1.0 for h in hours.hour], index=hours)
    >>> el.rhythm.relative_amplitude(level, night_worn=True).ra
    0.5
    """
    seen = observed(series, column, "relative_amplitude", limits, interval, exposure)
    most = _extreme_window(seen, 10, sign=1)
    least = _least(seen, 5, night_worn=night_worn)
    found = all_missing(
        RelativeAmplitude, most_active=most.mean, least_active=least.mean, **seen.behind
    )
    total, reason = most.mean + least.mean, least.reason or most.reason
    if reason or total == 0:
        return found._replace(reason=reason or "both windows are 0")
    return found._replace(ra=(most.mean - least.mean) / total)
