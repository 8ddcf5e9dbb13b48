"""How far a value lies from the person's usual level."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eyelog.analysis.series.arrays import Ints, numbers
from eyelog.analysis.series.durations import duration_us
from eyelog.analysis.series.observed import (
    ANY_STAMP,
    DAY_US,
    check_numbers,
    column_of,
    given_index,
    refuse_sentinel,
    refuse_wearers,
    rows_of,
)
from eyelog.clock import LocalClock
from eyelog.errors import ConfigurationError
from eyelog.provenance import record

__all__ = [
    "personal",
    "robust_z",
]

MISSING = float("nan")

MAD_TO_SD = 1.4826  # makes the MAD of a normal distribution its SD


def robust_z(series: pd.Series | pd.DataFrame, column: str | None = None) -> pd.Series:
    """Return how far each value lies from the median of the whole series, in robust SDs.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers, or a table that has them as a column; any index, since time is not used.
    column : str, optional
        The column of a DataFrame.

    Returns
    -------
    Series
        Same index; ``(x - median) / (1.4826 MAD)``, float64, missing if the value is missing. If
        more than half of the values are equal, the MAD is 0 and all results are missing;
        ``attrs["reason"]`` says why.

    Raises
    ------
    ConfigurationError
        If it is not a quantity of numbers, or the values hold the invalid value of a field.

    Notes
    -----
    Iglewicz & Hoaglin (1993). The reference is the whole series, including later days; `personal`
    compares with earlier days only.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=5, freq="D", name="day")
    >>> el.baseline.robust_z(pd.Series([1.0, 2, 3, 4, 10], index=days)).round(3).tolist()
    [-1.349, -0.674, 0.0, 0.674, 4.721]
    """
    one = column_of(series, column, what="robust_z")
    check_numbers(one, what="robust_z")
    refuse_wearers(one.index, what="robust_z")
    refuse_sentinel(one, what="robust_z")
    values = numbers(one)
    present = values[np.isfinite(values)]
    centre, spread = _centre(present)
    varies = spread > 0
    scores = (values - centre) / spread if varies else np.full(len(values), np.nan)
    out = pd.Series(scores, index=one.index, name=one.name)
    if not varies:
        why = "more than half of the values are equal" if present.size else "no value was observed"
        out.attrs["reason"] = why
    return out


def _centre(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return median and robust SD (missing without values)."""
    if not values.size:
        return MISSING, MISSING
    centre = float(np.median(values))
    return centre, float(MAD_TO_SD * scipy.stats.median_abs_deviation(values))


def personal(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    window: str = "28D",
    min_n: int = 7,
    interval: str | None = None,
) -> pd.DataFrame:
    """Compare each value with the person's own earlier values.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers by date or with aware stamps, usually one per day, or a table that has them as a
        column.
    column : str, optional
        The column of a DataFrame.
    window : str
        How far back the reference goes, as a pandas duration. It includes neither the value
        itself nor later ones. Whole days are local calendar days, including those of 23 or 25
        hours: with at most one value per day the days before, otherwise back to the same time of
        day. Any other duration is elapsed time.
    min_n : int
        Smallest number of earlier values; with fewer, the baseline is missing.
    interval : str, optional
        The length of a row, such as ``"1D"``. Default: as in `eyelog.rhythm.most_active`.

    Returns
    -------
    DataFrame
        Same index; ``value``, ``baseline`` (rolling median), ``spread`` (1.4826 MAD), both in the
        unit of the series, ``z`` (missing if the spread is 0), ``n`` earlier values, and
        ``coverage`` (n over the number of earlier stamps that fit into the window). The columns
        have the name of the series, as its axis in a figure does.

    Raises
    ------
    ConfigurationError
        If the stamps are not in order, the values hold the invalid value of a field, or the window
        is not a duration.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-01", periods=9, freq="D", name="day")
    >>> steps = pd.Series([5.0, 6, 7, 5, 6, 7, 6, 6, 20], index=days)
    >>> el.baseline.personal(steps).iloc[-1][["baseline", "n"]].tolist()
    [6.0, 8.0]
    """
    rows = rows_of(series, column, what="personal", stamp=ANY_STAMP, interval=interval)
    index, values = rows.index, rows.values
    reach = duration_us(window, "window", sign="positive", example="28D")
    if min_n < 1:
        raise ConfigurationError(f"min_n must be 1 or more, not {min_n!r}")
    first = _first_within(index.as_unit("us").asi8, rows.clock, reach)
    baseline = np.full(len(values), np.nan)
    spread = np.full(len(values), np.nan)
    counts = np.zeros(len(values), dtype="int64")
    for row, low in enumerate(first.tolist()):
        earlier = values[low:row]
        earlier = earlier[np.isfinite(earlier)]
        counts[row] = earlier.size
        if earlier.size >= min_n:
            baseline[row], spread[row] = _centre(earlier)
    step = rows.step_us or reach
    table = pd.DataFrame(
        {
            "value": values,
            "baseline": baseline,
            "spread": spread,
            "z": (values - baseline) / np.where(spread > 0, spread, np.nan),
            "n": counts,
            "coverage": np.minimum(1.0, counts / max(1.0, round(reach / step))),
        },
        index=given_index(rows, column_of(series, column, what="personal")),
    )
    table.columns.name = rows.name or None
    table.attrs = dict(series.attrs)
    return record(table, "baseline.personal", interval_s=None, window=window)


def _first_within(us: Ints, clock: LocalClock, reach: int) -> Ints:
    """Return for each stamp the first row that lies at most `reach` before it."""
    days, rest = divmod(reach, DAY_US)
    if rest:
        return np.searchsorted(us, us - reach, side="left").astype(np.int64)
    wall = clock.wall_us(us)
    dates = wall // DAY_US
    if (np.diff(dates) > 0).all():
        return np.searchsorted(dates, dates - days, side="left").astype(np.int64)
    return np.searchsorted(us, clock.instants(wall - reach), side="left").astype(np.int64)
