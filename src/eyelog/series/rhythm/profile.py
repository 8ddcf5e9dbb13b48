"""The average day by hour."""

from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.frame import derived, takes_tables
from eyelog.judge.arrays import Floats, Ints
from eyelog.judge.limits import Limits
from eyelog.measure.groups import By
from eyelog.series.inference import holm
from eyelog.series.observed import groups_of, rows_of

SHIFTS: Final = 999
ROUNDING: Final = 1e-9
LEAST_DAYS: Final = 5  # with fewer, the shifts of days are too few to tell an hour


@takes_tables
def profile(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    by: By = "hour",
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> pd.DataFrame:
    """Describe the usual day: quantiles of a series by hour of day, weekday, or both.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or by date, or a table that has them as a column.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    by : str, Series, array or list
        As in `eyelog.summary`: ``"hour"`` (local, 0 to 23), ``"weekday"`` (0 is Monday),
        ``"weekend"``, ``"week"``, ``"day"``, a width, a column, a Series of labels, or a list of
        these, such as ``["weekday", "hour"]`` for each hour of the week; a value belongs to that in
        which its interval opens.
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
    DataFrame
        Index ``hour``, ``weekday``, ``weekend``, ``week``, or ``weekday`` and ``hour``, observed
        ones only; columns ``mean``, ``median``, ``q25``, ``q75`` of all values, and
        ``days_median``, ``days_q25``, ``days_q75`` of the days' means (unit of the series; between
        the quartiles lies the middle half of the days), ``n`` values, ``days`` they come from,
        ``exposure_h`` (missing if the hours of a value are not known); by hour also ``p`` of the
        hour being like the others, days as the units (missing below five days). The columns have
        the name of the series, as its axis in a figure does.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        As `eyelog.rhythm.most_active`, or if `by` is not one of these.

    Notes
    -----
    p by hour: the means of the hours, each day less its own mean, against those of 999 series in
    which the hours of each day are shifted around the hours observed on that day, each day by its
    own random number. This keeps the pattern of wear and how alike neighbouring hours are. p is
    that of the whole profile (sum of squares over hours) or that of the hour corrected for the
    number of hours (Holm 1979), whichever is larger. Without an hour effect it names an hour in 1
    to 4 of 100 profiles; hours whose own intervals do not overlap are found in almost every one.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series(range(48), index=hours, dtype=float)
    >>> el.rhythm.profile(level).loc[5, "mean"]
    np.float64(17.0)
    """
    rows = rows_of(
        series, column, what="profile", limits=limits, interval=interval, exposure=exposure
    )
    codes, labels = groups_of(rows, series, by, what="profile")
    present = np.isfinite(rows.values) & (codes >= 0)
    seen, codes = rows.keep(present), codes[present]
    parts = pd.DataFrame(
        {
            "group": codes,
            "day": seen.opens.normalize(),
            "value": seen.values,
            "hours": seen.hours,
        }
    )
    groups = parts.groupby("group")
    values = groups["value"]
    # Days that are observed for longer have no more weight than others.
    of_days = parts.groupby(["group", "day"])["value"].mean().groupby(level="group")
    table = pd.DataFrame(
        {
            "mean": values.mean(),
            "median": values.median(),
            "q25": values.quantile(0.25),
            "q75": values.quantile(0.75),
            "days_median": of_days.median(),
            "days_q25": of_days.quantile(0.25),
            "days_q75": of_days.quantile(0.75),
            "n": values.size(),
            "days": groups["day"].nunique(),
        }
    )
    if list(labels.names) == ["hour"]:
        means = parts.groupby(["day", "group"])["value"].mean().reset_index()
        day = np.unique(means["day"], return_inverse=True)[1]
        hour = means["group"].to_numpy(np.int64)
        table["p"] = _hours_apart(day, hour, means["value"].to_numpy(np.float64))
    hours = groups["hours"]
    table["exposure_h"] = hours.sum().where(hours.count() == hours.size())
    table = table.set_axis(labels.take(np.asarray(table.index)))
    table.columns.name = rows.name or None
    return derived(
        table,
        series,
        "rhythm.profile",
        interval_s=None,
        by=by if isinstance(by, str | None) else list(labels.names),
        tz=None if seen.clock.tz is None else str(seen.clock.tz),
        days=[str(day.date()) for day in (parts["day"].min(), parts["day"].max()) if seen.n],
    )


def _hours_apart(day: Ints, hour: Ints, values: Floats) -> Floats:
    """Return p of each hour of the day in order; one value for each day and hour, by day."""
    _, first, size = np.unique(day, return_index=True, return_counts=True)
    labels, place, count = np.unique(hour, return_inverse=True, return_counts=True)
    if len(size) < LEAST_DAYS:
        return np.full(len(labels), np.nan)
    centred = values - (np.bincount(day, values) / size)[day]
    weights = np.zeros((len(values), len(labels)))
    weights[np.arange(len(values)), place] = 1.0 / np.sqrt(count[place])
    by = np.random.default_rng(0).integers(size, size=(SHIFTS, len(size)))
    within = np.arange(len(values)) - first[day]
    shifted = centred[first[day] + (within + by[:, day]) % size[day]] @ weights
    seen = centred @ weights
    more = (shifted**2).sum(axis=1) >= (seen**2).sum() * (1 - ROUNDING)
    each = np.abs(shifted) >= np.abs(seen) * (1 - ROUNDING)
    p = (1 + each.sum(axis=0)) / (1 + SHIFTS)
    profile_p = (1 + more.sum()) / (1 + SHIFTS)
    return np.asarray(np.maximum(holm(p), profile_p), dtype=np.float64)
