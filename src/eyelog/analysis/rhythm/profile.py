"""The average day by hour."""

from typing import Unpack

import pandas as pd

from eyelog.analysis.series.calendar import CYCLES, cycle_codes, cycle_labels, mondays
from eyelog.analysis.series.observed import (
    SeriesOptions,
    column_of,
    name_of,
    observed,
    with_series_options,
)
from eyelog.errors import ConfigurationError
from eyelog.provenance import derived

__all__ = [
    "profile",
]


@with_series_options
def profile(
    series: pd.Series | pd.DataFrame,
    column: str | None = None,
    *,
    by: str = "hour",
    **options: Unpack[SeriesOptions],
) -> pd.DataFrame:
    """Describe the usual day: quantiles of a series by hour of day, weekday, or both.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, or by date, or a table that has them as a column.
    column : str, optional
        The column of a DataFrame.
    by : {"hour", "weekday", "weekend", "week", "weekday_hour"}
        Local hours 0 to 23, weekdays 0 (Monday) to 6, ``weekday`` or ``weekend``, ISO weeks (the
        date of their Monday), or each hour of the week, in which the interval of a value
        opens.
    stamp, interval, exposure
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    DataFrame
        Index ``hour``, ``weekday``, ``weekend``, ``week``, or ``weekday`` and ``hour``, observed
        ones only; columns ``mean``, ``median``, ``q25``, ``q75`` of all values, and
        ``days_median``, ``days_q25``, ``days_q75`` of the days' means (unit of the series; between
        the quartiles lies the middle half of the days), ``n`` values, ``days`` they come from,
        ``exposure_h`` (missing if the hours of a value are not known). The columns have the name of
        the series, as its axis in a figure does.

    Raises
    ------
    ConfigurationError
        As `eyelog.rhythm.most_active`, or if `by` is not one of these.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series(range(48), index=hours, dtype=float)
    >>> el.rhythm.profile(level, stamp="start").loc[5, "mean"]
    np.float64(17.0)
    """
    keys = {name: [name] for name in (*CYCLES, "week")} | {"weekday_hour": ["weekday", "hour"]}
    if by not in keys:
        raise ConfigurationError(f"by must be one of {', '.join(keys)}, not {by!r}")
    seen = observed(series, column, what="profile", **options)
    columns = {
        name: mondays(seen.opens)
        if name == "week"
        else cycle_labels(name).take(cycle_codes(seen.opens, name))
        for name in keys[by]
    }
    parts = pd.DataFrame(
        {
            **columns,
            "day": seen.opens.normalize(),
            "value": seen.values,
            "hours": seen.hours,
        }
    )
    groups = parts.groupby(keys[by])
    values = groups["value"]
    # Days that are observed for longer have no more weight than others.
    of_days = parts.groupby([*keys[by], "day"])["value"].mean().groupby(level=keys[by])
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
    table["exposure_h"] = groups["hours"].sum(skipna=False)
    table.columns.name = name_of(column_of(series, column, what="profile")) or None
    return derived(
        table,
        series,
        "rhythm.profile",
        interval_s=None,
        by=by,
        tz=None if seen.clock.tz is None else str(seen.clock.tz),
        days=[str(day.date()) for day in (parts["day"].min(), parts["day"].max()) if seen.n],
    )
