"""How alike days are, hour by hour (IS, SRI), and how fragmented each of them is (IV)."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.clock import DAY_US
from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.judge.arrays import Floats, Ints, follows
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.active_hours import night_doubt
from eyelog.series.inference import check_draws, shifted_days
from eyelog.series.observed import local_hours, observed

SHIFTS: Final = 1000
ROUNDING: Final = 1e-9


@shown("Interdaily stability")
class Stability(NamedTuple):
    """Interdaily stability, with that of days without a common pattern."""

    stability: float
    corrected: float
    noise: float
    p: float
    per_day: int
    n: int
    days: int
    exposure_h: float
    coverage: float
    reason: str


@shown("Intradaily variability")
class Variability(NamedTuple):
    """Intradaily variability and how much data it is based on."""

    iv: float
    pairs: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def interdaily_stability(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    periods: str | int = "observed",
    seed: int = 0,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Stability:
    """Return how similar the days are: 1 for identical days, ``noise`` for no daily pattern.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or a table that has them as a column; series finer than hourly
        are averaged per local hour first.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    periods : "observed" or int
        The p of the definition: the number of hours of the day that were observed, or 24.
    seed : int
        Seed of the random generator: the same seed gives the same ``noise`` and ``p``.
    limits, interval, exposure : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    Stability
        ``stability``; ``corrected`` (0 on average for days without a common pattern, 1 for
        identical days), ``noise`` (what ``stability`` is on average without a daily pattern) and
        ``p`` (of no daily pattern); ``per_day`` (the hours of the day that are compared, p of the
        definition), ``n`` (hourly values), ``days``, ``exposure_h``, ``coverage``, ``reason`` (why
        something is missing).

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        As `eyelog.rhythm.most_active`, or if `periods` is not one of these.

    Notes
    -----
    ``IS = N sum_h (xbar_h - xbar)^2 / (p sum_i (x_i - xbar)^2)`` (Witting et al. 1990; Van Someren
    et al. 1999), both variances with ddof 0. If hours are observed unequally often, it can slightly
    exceed 1: the definition weights every hour of the day equally. For eyewear worn by day the
    observed hours are the waking window.

    Days without any pattern do not give 0: the mean of each hour is one of few values, so pure
    noise has an IS near 1 / days (.48 for two days, .13 for seven). ``noise`` is the mean IS of
    1000 series in which the values of each day are shifted around the hours observed on that day,
    each day by its own random number of hours. This keeps the pattern of wear and the similarity of
    neighbouring hours, and removes what days have in common. ``p`` is the share of these series,
    the observed one included, whose IS is at least that large (Phipson & Smyth 2010); without a
    pattern it is below .05 in 4 to 9 of 100 cases, see the table in the definitions. ``corrected``
    is (IS - noise) / (largest IS - noise), as kappa corrects agreement for chance. Below seven days
    all of them vary considerably between weeks.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=72, freq="h", tz="Asia/Tokyo")
    >>> hour = pd.Series(hours.hour.astype(float), index=hours)
    >>> el.rhythm.interdaily_stability(hour).stability
    1.0
    """
    if periods not in ("observed", 24):
        raise ConfigurationError(f"periods must be 'observed' or 24, not {periods!r}")
    seen = observed(series, column, "interdaily_stability", limits, interval, exposure)
    check_draws(SHIFTS, seed)
    # The means of the observed hours, and the number of each since the first midnight.
    hours = np.floor(local_hours(seen.opens)).astype(np.int64)
    hour, place = np.unique(hours, return_inverse=True)
    hourly = np.bincount(place, seen.values) / np.bincount(place)
    observed_hours = len(np.unique(hour % 24))
    per_day = observed_hours if periods == "observed" else 24
    days = len(np.unique(hour // 24))
    nothing = all_missing(Stability, per_day=per_day, days=days, **seen.behind | {"n": len(hourly)})
    if days < 2:
        return nothing._replace(reason="fewer than two days were observed")
    if observed_hours < 2:
        few = "fewer than two hours of the day were observed: rows of an hour or less show more"
        return nothing._replace(reason=few)
    spread = ((hourly - hourly.mean()) ** 2).sum()
    if spread == 0:
        return nothing._replace(reason="the series does not vary")
    scale = len(hourly) / (per_day * spread)
    value = float(_between(hourly[None, :], hour % 24)[0] * scale)
    series_of = shifted_days(hourly, hour // 24, SHIFTS, seed)
    shifted = np.concatenate([_between(block, hour % 24) for block in series_of]) * scale
    noise, most = float(shifted.mean()), observed_hours / per_day
    found = nothing._replace(
        stability=value,
        noise=noise,
        p=float((1 + (shifted >= value * (1 - ROUNDING)).sum()) / (1 + SHIFTS)),
    )
    if most - noise > ROUNDING:
        return found._replace(corrected=(value - noise) / (most - noise))
    alone = "no hour of the day was observed on two days: IS is 1 whatever the values"
    return found._replace(reason=alone)


def _between(series: Floats, of_day: Ints) -> Floats:
    """Return the sum of squares between the hours of the day, for each row of hourly values."""
    _, place, counts = np.unique(of_day, return_inverse=True, return_counts=True)
    share = np.zeros((len(place), len(counts)))
    share[np.arange(len(place)), place] = 1.0 / counts[place]
    centred = series - series.mean(axis=1, keepdims=True)
    return np.asarray(((centred @ share) ** 2).sum(axis=1), dtype=np.float64)


@takes_tables
def intradaily_variability(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Variability:
    """Return how fragmented a series is: 0 for a smooth wave, 2 for noise, 4 for on-off-on-off.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or a table that has them as a column, taken at their own step;
        average per hour first for the published hourly measure. Values on both sides of a gap or of
        a missing value are not a pair.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
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
    Variability
        ``iv``, ``pairs``, ``n``, ``exposure_h``, ``coverage``, ``reason``.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

    Notes
    -----
    Mean squared successive difference over valid pairs / variance with ddof 0 (Witting et al.
    1990; Van Someren et al. 1999).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> round(el.rhythm.intradaily_variability(pd.Series([0.0, 1.0] * 24, index=hours)).iv, 12)
    4.0
    """
    seen = observed(series, column, "intradaily_variability", limits, interval, exposure)
    near = follows(seen.us, seen.step_us)
    found = all_missing(Variability, pairs=int(near.sum()), **seen.behind)
    variance = float(seen.values.var()) if seen.n else 0.0
    if not found.pairs:
        return found._replace(reason="no two neighbouring values were observed")
    if variance == 0:
        return found._replace(reason="the series does not vary")
    return found._replace(iv=float((np.diff(seen.values)[near] ** 2).mean() / variance))


@shown("Sleep regularity")
class Regularity(NamedTuple):
    """Sleep regularity index and the pairs of states 24 h apart behind it."""

    sri: float
    pairs: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def sleep_regularity(
    states: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    night_worn: bool = False,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Regularity:
    """Return how likely the same state is 24 hours later, from -100 to 100.

    Parameters
    ----------
    states : Series or DataFrame
        True, False or missing per epoch (asleep or not), aware stamps; or a table that has them as
        a column. Pairs in which one is missing are left out.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    night_worn : bool
        Confirm that the eyewear was worn at night; see `least_active`.
    limits, interval, exposure : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    Regularity
        ``sri``, ``pairs``, ``n``, ``exposure_h``, ``coverage``, ``reason`` if refused.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

    Notes
    -----
    ``SRI = -100 + 200 P(same state 24 h apart)`` (Phillips et al. 2017; Windred et al. 2021).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=72, freq="h", tz="UTC")
    >>> asleep = pd.Series(hours.hour < 7, index=hours)
    >>> el.rhythm.sleep_regularity(asleep, night_worn=True).sri
    100.0
    """
    seen = observed(states, column, "sleep_regularity", limits, interval, exposure)
    if not np.isin(seen.values, (0.0, 1.0)).all():
        raise ConfigurationError("sleep_regularity takes states: True, False or missing")
    us = seen.us
    later = np.searchsorted(us, us + DAY_US)
    paired = np.flatnonzero(np.append(us, -1)[later] == us + DAY_US)
    found = all_missing(Regularity, pairs=len(paired), **seen.behind)
    doubt = "" if night_worn else night_doubt(seen)
    if doubt or not found.pairs:
        none = "no two states 24 hours apart were observed"
        return found._replace(reason=doubt or none)
    same = seen.values[paired] == seen.values[later[paired]]
    return found._replace(sri=float(-100 + 200 * same.mean()))
