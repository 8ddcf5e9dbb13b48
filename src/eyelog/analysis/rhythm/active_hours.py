"""The most and least active hours of the average day."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.limits import limit
from eyelog.analysis.results import shown
from eyelog.analysis.series.observed import HOUR_US, Observed, local_hours, local_us, observed
from eyelog.catalogue import COMPUTED_DATA
from eyelog.errors import ConfigurationError

__all__ = [
    "ActiveHours",
    "RelativeAmplitude",
    "least_active",
    "most_active",
    "night_doubt",
    "relative_amplitude",
]

MISSING: Final = float("nan")
NIGHT_HOURS: Final = range(*map(int, limit(COMPUTED_DATA, "night").values))  # local hours
DAY_US: Final = 24 * HOUR_US


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


def _average_day(seen: Observed) -> npt.NDArray[np.float64]:
    """Return the mean of each slot of the day at the series' own step (missing if unobserved)."""
    slots = DAY_US // seen.step_us
    slot = np.minimum(local_us(seen.opens) % DAY_US // seen.step_us, slots - 1)
    counts = np.bincount(slot, minlength=slots)
    sums = np.bincount(slot, seen.values, minlength=slots)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _extreme_window(
    series: pd.Series, hours: float, *, sign: int, what: str, stamp: str | None
) -> ActiveHours:
    if not 0 < hours < 24:
        raise ConfigurationError(f"{what} takes hours between 0 and 24, not {hours}")
    seen = observed(series, what=what, stamp=stamp)
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
        else:
            best = int(np.nanargmax(sign * means))
            value, start = float(means[best]), best * seen.step_us / HOUR_US
    return ActiveHours(value, start, seen.n, seen.exposure_h, seen.coverage, reason, hours)


def most_active(series: pd.Series, *, hours: float = 10, stamp: str | None = None) -> ActiveHours:
    """Return the most active hours (M10): the largest circular window mean of the average day.

    Parameters
    ----------
    series : Series
        Numbers with aware stamps, taken at their own step.
    hours : float
        Width of the window.
    stamp : {"end", "start"}, optional
        Whether a stamp closes or opens its interval. Default: what the provenance states (records
        and bins close at their stamps); a bare Series is taken as it is.

    Returns
    -------
    ActiveHours
        ``mean`` (unit of the series), ``start`` (local hours after midnight at which the first
        interval of the window opens), ``n``, ``exposure_h``, ``coverage``, ``reason`` and
        ``hours``, the width of the window. Windows in which some time of day was never observed are
        left out.

    Raises
    ------
    ConfigurationError
        If the stamps are not time-zone aware and in order, or `hours` is not between 0 and 24.

    Notes
    -----
    Witting et al. (1990); Van Someren et al. (1999).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series([float(8 <= h < 18) for h in hours.hour], index=hours)
    >>> el.rhythm.most_active(level)[:2]
    (1.0, 8.0)
    """
    return _extreme_window(series, hours, sign=1, what="most_active", stamp=stamp)


def night_doubt(series: pd.Series, stamp: str | None = None) -> str:
    """Return why the night of a series does not count as observed, or an empty text."""
    seen = observed(series, what="the night", stamp=stamp)
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


def least_active(
    series: pd.Series, *, hours: float = 5, night_worn: bool = False, stamp: str | None = None
) -> ActiveHours:
    """Return the least active hours (L5): the smallest circular window mean of the average day.

    Parameters
    ----------
    series : Series
        Numbers with aware stamps, taken at their own step.
    hours : float
        Width of the window.
    night_worn : bool
        Confirm that the eyewear was worn at night. Otherwise the result is refused if the night
        (00:00 to 06:00) was observed on fewer than half of the days, or never varies.
    stamp : {"end", "start"}, optional
        As in `most_active`.

    Returns
    -------
    ActiveHours
        As `most_active`; missing with the ``reason`` if refused.

    Raises
    ------
    ConfigurationError
        If the stamps are not time-zone aware and in order, or `hours` is not between 0 and 24.

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
    doubt = "" if night_worn else night_doubt(series, stamp)
    least = _extreme_window(series, hours, sign=-1, what="least_active", stamp=stamp)
    return least._replace(mean=MISSING, start=MISSING, reason=doubt) if doubt else least


def relative_amplitude(
    series: pd.Series, *, night_worn: bool = False, stamp: str | None = None
) -> RelativeAmplitude:
    """Return (M10 - L5) / (M10 + L5).

    Parameters
    ----------
    series : Series
        Numbers of 0 or more with aware stamps, taken at their own step.
    night_worn : bool
        Confirm that the eyewear was worn at night; see `least_active`.
    stamp : {"end", "start"}, optional
        As in `most_active`.

    Returns
    -------
    RelativeAmplitude
        ``ra`` (0 to 1), ``most_active``, ``least_active``, ``n``, ``exposure_h``, ``coverage``,
        ``reason`` if refused.

    Raises
    ------
    ConfigurationError
        If the stamps are not time-zone aware and in order.

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
    most = most_active(series, stamp=stamp)
    least = least_active(series, night_worn=night_worn, stamp=stamp)
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
