"""The cosinor: one cosine fitted by least squares."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import duration_us
from eyelog.clock import HOUR_US
from eyelog.frame import takes_tables
from eyelog.judge.arrays import Floats
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import cluster_robust, means_of
from eyelog.series.observed import local_hours, observed

ALPHA: Final = 0.05  # a wave that arises by chance this often is not a finding
LEAST_DAYS: Final = 3  # with fewer, two coefficients leave no variation
PARTS: Final = 24  # of a cycle: the peak must be observed within this part
ROUNDING: Final = 1e-12


@shown(
    "Cosinor: one cosine fitted to the day",
    ends="Standard error",
    mesor=("mesor_se",),
    amplitude=("amplitude_se",),
    peak_h=("peak_se_h",),
)
class Cosinor(NamedTuple):
    """A single-component cosinor with errors clustered by day; ``p`` tests for no rhythm."""

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


@takes_tables
def cosinor(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    period: str = "24h",
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Cosinor:
    """Fit one cosine by least squares.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or a table that has them as a column; t = 0 at the local midnight
        before the first one. A value represents its interval, so it is placed in the middle of it.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    period : str
        Length of the cycle, as a pandas duration.
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
    Cosinor
        ``mesor`` (mean level of the days), ``amplitude`` (unit of the series), ``peak_h`` (local
        hours after midnight, within the period), their standard errors ``mesor_se``,
        ``amplitude_se`` and ``peak_se_h`` (days as the units), ``r_squared`` (share of the variance
        within days that the wave explains), ``p`` (of amplitude 0, days as the units),
        ``n``, ``exposure_h``, ``coverage``, ``reason``. Refused (missing, with the reason) with
        fewer than 3 days, and if the curve peaks at a time of day that was never observed.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        As `eyelog.rhythm.most_active`, or if the period is not a duration longer than 0.

    Notes
    -----
    Cornelissen (2014), "Cosinor-based rhythmometry", doi:10.1186/1742-4682-11-16, with a level for
    each day. Where high and low days are worn at different hours, one level for all makes a wave of
    them: in simulations, p was then below .05 in 28 of 100 fortnights without a rhythm. Errors of
    amplitude and peak by the delta method. Values of one day are alike, so the errors use local
    days as the units (CR2: Bell & McCaffrey 2002), and ``p`` is that of Hotelling's test with
    Satterthwaite's degrees of freedom, about days less 1. How often it is below .05 without a
    rhythm is in the table of the definitions. The usual F test takes all values as
    independent, so its p is below .05 too often.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=72, freq="h", tz="UTC")
    >>> wave = 10 + 3 * np.cos(2 * np.pi * (hours.hour + 0.5 - 15) / 24)  # in mid-hour
    >>> fit = el.rhythm.cosinor(pd.Series(wave, index=hours))
    >>> round(fit.mesor, 6), round(fit.amplitude, 6), round(fit.peak_h, 6)
    (10.0, 3.0, 15.0)
    """
    length_h = duration_us(period, "period", sign="positive", example="24h") / HOUR_US
    seen = observed(series, column, "cosinor", limits, interval, exposure)
    angle = 2 * np.pi * local_hours(seen.middles) / length_h
    days = np.unique(seen.dates, return_inverse=True)[1]
    # Each day has its own level, so only what differs within days is fitted.
    waves = np.column_stack([np.cos(angle), np.sin(angle)])
    of_days = means_of(waves, days)
    design = waves - of_days[days]
    values = seen.values - means_of(seen.values, days)[days]
    nothing = all_missing(Cosinor, **seen.behind)
    if seen.n < 4 or np.linalg.matrix_rank(design) < 2:
        return nothing._replace(reason="too few different times of day to fit a cosine")
    beta: Floats = np.linalg.lstsq(design, values)[0].astype(np.float64)
    errors = values - design @ beta
    residual, total = float((errors**2).sum()), float((values**2).sum())
    amplitude = float(np.hypot(*beta))
    levels = means_of(seen.values - waves @ beta, days)
    mesor = float(levels.mean())
    if total <= np.finfo(float).eps * seen.n * float((seen.values**2).max()):
        return nothing._replace(mesor=mesor, amplitude=0.0, reason="no day varies: no peak")
    if len(levels) < LEAST_DAYS:
        few = f"fewer than {LEAST_DAYS} days were observed: a cosine has no error"
        return nothing._replace(reason=few)
    peak = float(np.arctan2(beta[1], beta[0]) / (2 * np.pi) % 1)
    parts = np.unique((local_hours(seen.opens) / length_h * PARTS).astype(np.int64) % PARTS)
    if int(peak * PARTS) % PARTS not in parts:
        hours, minutes = divmod(round(peak * length_h * 60), 60)
        unseen = f"the fitted cosine peaks at {hours:02d}:{minutes:02d}, when nothing was observed"
        return nothing._replace(reason=unseen)
    # Hours without records leave the mean of the wave in a day: its error is one of the levels too.
    left = of_days.mean(axis=0)
    pulls = means_of(design * errors[:, None], days) * np.bincount(days)[:, None]
    moved = (levels - mesor) / len(levels) - pulls @ np.linalg.pinv(design.T @ design) @ left
    covariance, of_each = cluster_robust(design, errors, days)
    freedom = float(of_each.min())
    if not freedom > 1:
        alone = "one day has almost all the values: a cosine has no error"
        return nothing._replace(reason=alone)
    # Hotelling's test, which is exact for days that are worn alike.
    ratio = float(beta @ np.linalg.pinv(covariance) @ beta) * (freedom - 1) / (2 * freedom)
    exact = residual <= ROUNDING * total
    along = beta / amplitude
    across = np.array([-beta[1], beta[0]]) / amplitude**2 * length_h / (2 * np.pi)
    return nothing._replace(
        mesor=mesor,
        amplitude=amplitude,
        peak_h=peak * length_h,
        mesor_se=float(np.sqrt(moved @ moved * len(levels) / (len(levels) - 1))),
        amplitude_se=float(np.sqrt(max(float(along @ covariance @ along), 0.0))),
        peak_se_h=float(np.sqrt(max(float(across @ covariance @ across), 0.0))),
        r_squared=1 - residual / total,
        p=0.0 if exact else float(scipy.special.fdtrc(2, freedom - 1, ratio)),
    )


def doubt_of(fit: Cosinor) -> str:
    """Return why a fitted cosine is not a finding, or an empty text: for sentences and figures."""
    if fit.reason:
        return fit.reason
    if not fit.p < ALPHA:
        return "no cosine stands out from the variation between days"
    return ""
