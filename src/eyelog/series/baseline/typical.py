"""The usual value of a distribution, chosen by its shape."""

from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING, Floats, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import shown
from eyelog.series.observed import (
    check_numbers,
    column_of,
    has_clock,
    observed,
    refuse_sentinel,
    refuse_wearers,
)

PEAK_GRID: Final = 1001
WHAT: Final = "typical_value"


@shown("Usual value of a series")
class TypicalValue(NamedTuple):
    """A usual value, the method that gave it, and the shape test that chose the method."""

    value: float
    method: str
    shape: str
    skewness: float
    variation: float
    median: float
    q90: float
    q99: float
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def typical_value(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    method: str = "auto",
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> TypicalValue:
    """Return the usual value, by the method that suits the shape of the distribution.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers, or a table that has them as a column; any index. Aware stamps or dates, in order,
        give the exposure.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows.
    method : {"auto", "peak", "q90", "q99", "median"}
        ``"auto"`` uses the density peak if the values look like a gamma distribution, the 90th
        percentile if they look exponential, and the median otherwise.
    limits, interval, exposure : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    TypicalValue
        ``value`` and the ``method`` that gave it; ``shape`` ("gamma", "exponential" or "other")
        with the test behind it: ``skewness`` and ``variation`` (SD / mean); ``median``, ``q90``,
        ``q99``; ``n``, ``exposure_h`` (missing without stamps, and for a Series by day),
        ``coverage`` (of the time that the stamps span; without stamps, of the rows) and ``reason``
        if missing.

    Raises
    ------
    ConfigurationError
        If the method is not one of these, it is not a quantity of numbers, or the values hold the
        invalid value of a field.

    Notes
    -----
    The vendor's advice for daily values: density peak for the gamma-like eye movements, 90th or
    99th percentile for the exponential-like head movements. The shape is judged by moments: values
    of 0 or more, skewed to the right (skewness over 0.5), and a variation of 0.8 or more is
    exponential (it has 1), less is gamma. The density is estimated with a Gaussian kernel and
    Scott's bandwidth, over the range of the data.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> minutes = pd.date_range("2026-10-19", periods=2000, freq="min", tz="UTC")
    >>> moves = np.random.default_rng(1).exponential(5, 2000).round()
    >>> usual = el.baseline.typical_value(pd.Series(moves, index=minutes))
    >>> usual.shape, usual.method, usual.value
    ('exponential', 'q90', 11.0)
    """
    methods = ("auto", "peak", "q90", "q99", "median")
    if method not in methods:
        raise ConfigurationError(f"method must be one of {', '.join(methods)}, not {method!r}")
    x, exposure_h, coverage = _values(
        series, column, limits=limits, interval=interval, exposure=exposure
    )
    context = (len(x), exposure_h, coverage)
    if len(x) < 3:
        none = (MISSING, MISSING, MISSING, MISSING, MISSING)
        return TypicalValue(
            MISSING, method, "other", *none, *context, "fewer than three values were observed"
        )
    spread = float(x.std())
    skewness = float((((x - x.mean()) / spread) ** 3).mean()) if spread > 0 else 0.0
    variation = spread / float(x.mean()) if x.mean() > 0 else MISSING
    shape = "other"
    if x.min() >= 0 and skewness > 0.5:
        shape = "exponential" if variation >= 0.8 else "gamma"
    chosen = method
    if method == "auto":
        chosen = {"gamma": "peak", "exponential": "q90", "other": "median"}[shape]
    median, q90, q99 = (float(q) for q in np.quantile(x, [0.5, 0.9, 0.99]))
    value = {"median": median, "q90": q90, "q99": q99}.get(chosen)
    return TypicalValue(
        _density_peak(x) if value is None else value,
        chosen,
        shape,
        skewness,
        variation,
        median,
        q90,
        q99,
        *context,
        "",
    )


def _values(
    series: pd.Series | pd.DataFrame, column: str | pd.Series | None, **options: Any
) -> tuple[Floats, float, float]:
    """Return the observed values, the hours they are based on, and their coverage."""
    one = column if isinstance(column, pd.Series) else column_of(series, column, what=WHAT)
    check_numbers(one, what=WHAT)
    if isinstance(one.index, pd.DatetimeIndex) and not one.index.is_monotonic_increasing:
        order = np.argsort(one.index.asi8, kind="stable")
        series, one = series.iloc[order], one.iloc[order]
        column = one if isinstance(column, pd.Series) else column
    if has_clock(one):
        seen = observed(series, column, what=WHAT, **options)
        return seen.values, seen.exposure_h, seen.coverage
    if any(value is not None for value in options.values()):
        raise ConfigurationError(
            f"{WHAT}: limits, interval and exposure need values with stamps or dates in order"
        )
    refuse_wearers(one.index, what=WHAT)
    refuse_sentinel(one, what=WHAT)
    values = numbers(one)
    here = np.isfinite(values)
    return values[here], MISSING, float(here.mean()) if len(here) else 0.0


def _density_peak(values: npt.NDArray[np.float64]) -> float:
    """Return the value at which a Gaussian kernel density is largest.

    Logs contain few distinct values, so the sum over these is exact and far cheaper than
    `scipy.stats.gaussian_kde`.
    """
    width = values.std(ddof=1) * len(values) ** (-1 / 5)
    if width == 0:
        return float(values[0])
    distinct, counts = np.unique(values, return_counts=True)
    grid = np.linspace(distinct[0], distinct[-1], PEAK_GRID)
    density = np.zeros(PEAK_GRID)
    for low, high in pairwise([*range(0, len(distinct), 512), len(distinct)]):
        distance = (grid[:, None] - distinct[None, low:high]) / width
        density += np.exp(-0.5 * distance**2) @ counts[low:high]
    return float(grid[density.argmax()])
