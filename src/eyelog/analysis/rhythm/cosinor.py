"""The cosinor: one cosine fitted by least squares."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.analysis.results import shown
from eyelog.analysis.series.durations import duration_us
from eyelog.analysis.series.observed import HOUR_US, local_hours, observed

__all__ = ["Cosinor", "cosinor"]

_NAN: Final = float("nan")
_NOTHING: Final = (_NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN)


@shown(
    "Cosinor: one cosine fitted to the day",
    ends="Standard error",
    mesor=("mesor_se",),
    amplitude=("amplitude_se",),
    peak_h=("peak_se_h",),
)
class Cosinor(NamedTuple):
    """A single-component cosinor with standard errors; ``p`` tests for no rhythm."""

    mesor: float
    amplitude: float
    peak_h: float
    mesor_se: float
    amplitude_se: float
    peak_se_h: float
    r_squared: float
    p: float
    n: int
    exposure_h: float
    coverage: float
    reason: str


def cosinor(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    period: str = "24h",
    stamp: str | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Cosinor:
    """Fit one cosine by least squares.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or a table that has them as a column; t = 0 at the local midnight
        before the first one. A value represents its interval, so it is placed in the middle of it.
    column : str, optional
        The column of a DataFrame.
    period : str
        Length of the cycle, as a pandas duration.
    stamp, interval, exposure : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    Cosinor
        ``mesor``, ``amplitude`` (unit of the series), ``peak_h`` (local hours after midnight,
        within the period), their standard errors ``mesor_se``, ``amplitude_se`` and
        ``peak_se_h``, ``r_squared``, ``p`` (F test of amplitude 0),
        ``n``, ``exposure_h``, ``coverage``, ``reason``.

    Raises
    ------
    ConfigurationError
        As `eyelog.rhythm.most_active`, or if the period is not a duration longer than 0.

    Notes
    -----
    Cornelissen (2014), "Cosinor-based rhythmometry", doi:10.1186/1742-4682-11-16; standard errors
    of amplitude and peak by the delta method. Neighbouring values of a log are not independent,
    so ``p`` is too small for raw records: average to hours first.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=72, freq="h", tz="UTC")
    >>> wave = 10 + 3 * np.cos(2 * np.pi * (hours.hour - 0.5 - 15) / 24)  # in mid-hour
    >>> fit = el.rhythm.cosinor(pd.Series(wave, index=hours))
    >>> round(fit.mesor, 6), round(fit.amplitude, 6), round(fit.peak_h, 6)
    (10.0, 3.0, 15.0)
    """
    length_h = duration_us(period, "period", sign="positive", example="24h") / HOUR_US
    seen = observed(
        series, column, what="cosinor", stamp=stamp, interval=interval, exposure=exposure
    )
    angle = 2 * np.pi * local_hours(seen.middles) / length_h
    design = np.column_stack([np.ones(seen.n), np.cos(angle), np.sin(angle)])
    context = (seen.n, seen.exposure_h, seen.coverage)
    if seen.n < 4 or np.linalg.matrix_rank(design) < 3:
        reason = "too few different times of day to fit a cosine"
        return Cosinor(*_NOTHING, *context, reason)
    beta, *_ = np.linalg.lstsq(design, seen.values)
    residual = float(((seen.values - design @ beta) ** 2).sum())
    total = float(((seen.values - seen.values.mean()) ** 2).sum())
    free = seen.n - 3
    covariance = residual / free * np.linalg.inv(design.T @ design)
    amplitude = float(np.hypot(beta[1], beta[2]))
    if total <= np.finfo(float).eps * seen.n * float((seen.values**2).max()):
        flat = Cosinor(*_NOTHING, *context, "the series does not vary: no peak")
        return flat._replace(mesor=float(beta[0]), amplitude=0.0)
    along = np.array([0.0, beta[1], beta[2]]) / amplitude
    across = np.array([0.0, -beta[2], beta[1]]) / amplitude**2
    hours_per_radian = length_h / (2 * np.pi)
    ratio = (total - residual) / 2 / (residual / free) if residual > 0 else np.inf
    return Cosinor(
        mesor=float(beta[0]),
        amplitude=amplitude,
        peak_h=float(np.arctan2(beta[2], beta[1]) * hours_per_radian % length_h),
        mesor_se=float(np.sqrt(covariance[0, 0])),
        amplitude_se=float(np.sqrt(along @ covariance @ along)),
        peak_se_h=float(np.sqrt(across @ covariance @ across) * hours_per_radian),
        r_squared=1 - residual / total,
        p=float(scipy.stats.f.sf(ratio, 2, free)),
        n=seen.n,
        exposure_h=seen.exposure_h,
        coverage=seen.coverage,
        reason="",
    )
