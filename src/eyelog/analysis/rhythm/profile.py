"""The average day by hour."""

import pandas as pd

from eyelog.analysis.series.calendar import CYCLES, cycle_codes, cycle_labels, mondays
from eyelog.analysis.series.observed import name_of, observed
from eyelog.errors import ConfigurationError
from eyelog.provenance import KEY, record

__all__ = [
    "profile",
]


def profile(series: pd.Series, *, by: str = "hour", stamp: str | None = None) -> pd.DataFrame:
    """Describe the usual day: quantiles of a series by hour of day, weekday, or both.

    Parameters
    ----------
    series : Series
        Numbers with time-zone aware stamps.
    by : {"hour", "weekday", "weekend", "week", "weekday_hour"}
        Local hours 0 to 23, weekdays 0 (Monday) to 6, ``weekday`` or ``weekend``, ISO weeks (the
        local midnight of their Monday), or each hour of the week, in which the interval of a value
        opens.
    stamp : {"end", "start"}, optional
        Whether a stamp closes or opens its interval. Default: what the provenance states (records
        and bins close at their stamps); a bare Series is taken as it is.

    Returns
    -------
    DataFrame
        Index ``hour``, ``weekday``, ``weekend``, ``week``, or ``weekday`` and ``hour``, observed
        ones only; columns ``mean``, ``median``, ``q25``, ``q75`` (unit of the series), ``n``
        values, ``days`` they come from, ``exposure_h``.

    Raises
    ------
    ConfigurationError
        If `by` is not one of these, or the stamps are not time-zone aware and in order.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> el.rhythm.profile(pd.Series(range(48), index=hours, dtype=float)).loc[5, "mean"]
    np.float64(17.0)
    """
    keys = {name: [name] for name in (*CYCLES, "week")} | {"weekday_hour": ["weekday", "hour"]}
    if by not in keys:
        raise ConfigurationError(f"by must be one of {', '.join(keys)}, not {by!r}")
    seen = observed(series, what="profile", stamp=stamp)
    columns = {
        name: mondays(seen.opens)
        if name == "week"
        else cycle_labels(name).take(cycle_codes(seen.opens, name))
        for name in keys[by]
    }
    parts = pd.DataFrame(
        {
            **columns,
            "day": seen.opens.tz_localize(None).normalize(),
            "value": seen.values,
            "hours": seen.hours,
        }
    )
    groups = parts.groupby(keys[by])
    values = groups["value"]
    table = pd.DataFrame(
        {
            "mean": values.mean(),
            "median": values.median(),
            "q25": values.quantile(0.25),
            "q75": values.quantile(0.75),
            "n": values.size(),
            "days": groups["day"].nunique(),
        }
    )
    table["exposure_h"] = groups["hours"].sum()
    # The hours of the days behind the values are not those of the rows of this table.
    entry = {key: what for key, what in series.attrs.get(KEY, {}).items() if key != "days"}
    table.attrs = {**series.attrs, KEY: entry}
    return record(
        table,
        "rhythm.profile",
        interval_s=None,
        by=by,
        column=name_of(series),
        row_s=seen.step_us / 1e6,
        tz=str(seen.index.tz),
        days=[str(day.date()) for day in (parts["day"].min(), parts["day"].max()) if seen.n],
    )
