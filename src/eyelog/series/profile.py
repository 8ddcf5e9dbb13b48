"""The average day by hour, and the mean that gives every hour of the day its weight."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import catalogue, known_logs, log_named
from eyelog.clock import DAY_US, HOUR_US, microseconds
from eyelog.errors import ConfigurationError
from eyelog.frame import derived, is_resampled, takes_tables
from eyelog.judge.arrays import MISSING, Floats, Ints
from eyelog.judge.limits import Limits
from eyelog.judge.terms import ratio
from eyelog.measure.groups import By
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import holm, shifted_days
from eyelog.series.observed import Rows, column_of, groups_of, rows_of

SHIFTS: Final = 999
ROUNDING: Final = 1e-9
LEAST_DAYS: Final = 5  # with fewer, the shifts of days are too few to tell an hour
HOURS: Final = 24
QUARTERS: Final = 4  # every offset in use is a whole number of quarters of an hour


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
    number of hours (Holm 1979), whichever is larger. Without an hour effect it names an hour in
    1.0, 1.7 and 2.0 of 100 profiles of 7, 14 and 28 days, with an autocorrelation of .7 within days
    (`benchmarks/levels.py`; the errors of these shares are 0.6, 0.7 and 0.8). The intervals of
    single hours are no such test: among many hours, two can lie apart by chance.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> level = pd.Series(range(48), index=hours, dtype=float)
    >>> el.rhythm.profile(level).loc[5, "mean"]
    np.float64(17.0)
    """
    rows = rows_of(series, column, "profile", limits, interval, exposure)
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
    size = np.bincount(day)
    labels, place, count = np.unique(hour, return_inverse=True, return_counts=True)
    if len(size) < LEAST_DAYS:
        return np.full(len(labels), np.nan)
    centred = values - (np.bincount(day, values) / size)[day]
    weights = np.zeros((len(values), len(labels)))
    weights[np.arange(len(values)), place] = 1.0 / np.sqrt(count[place])
    shifted = np.concatenate([one @ weights for one in shifted_days(centred, day, SHIFTS, 0)])
    seen = centred @ weights
    more = (shifted**2).sum(axis=1) >= (seen**2).sum() * (1 - ROUNDING)
    each = np.abs(shifted) >= np.abs(seen) * (1 - ROUNDING)
    p = (1 + each.sum(axis=0)) / (1 + SHIFTS)
    profile_p = (1 + more.sum()) / (1 + SHIFTS)
    return np.asarray(np.maximum(holm(p), profile_p), dtype=np.float64)


@shown(
    "Mean, standardised for the time of day",
    ends="Range",
    bounds=("lower", "upper"),
    limits=("limit_low", "limit_high"),
)
class StandardisedMean(NamedTuple):
    """A crude mean, the mean with equal weight for each hour of the day, and its bounds."""

    crude: float
    standardised: float
    lower: float
    upper: float
    limit_low: float
    limit_high: float
    hours: int
    share: float
    least_n: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def standardised_mean(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    possible: tuple[float, float] | None = None,
    reference: Mapping[int, float] | pd.Series | None = None,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> StandardisedMean:
    """Return the crude mean, the mean with equal weight for each hour of the day, and its bounds.

    Eyewear is worn at some hours more than at others, and a person differs between those hours,
    so a crude mean partly reflects when the eyewear was worn.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers with aware stamps, an hour apart or less, or a table that has them as a column.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows.
    possible : (float, float), optional
        The least and the largest value possible in time without a value. Default: the catalogue's
        range of the field that the series is named after (where both logs have such a field with
        different ranges, that of the log of the table), if it is still valid for values at this
        distance. Needed for derived quantities.
    reference : mapping or Series, optional
        The day to represent: a weight for each local hour, 0 to 23 (hours not named have weight 0),
        such as ``el.rhythm.profile(other)["n"]``. Default: equal weights for all 24 hours.
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
    StandardisedMean
        In the unit of the series: ``crude`` (mean of the values), ``standardised``, ``lower`` and
        ``upper`` (bounds of the standardised mean) with the ``limit_low`` and ``limit_high``
        assumed for unobserved time. Then ``hours`` (of the day that were observed), ``share`` (of
        the reference day that ``standardised`` covers), ``least_n`` (values in the hour with the
        fewest), ``n`` (values), ``exposure_h``, ``coverage`` (observed share of the reference time
        from the first to the last local day) and ``reason``: why something is missing, or covers
        only part of the day.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, the series holds the catalogue's invalid
        value or values outside `possible`, or an argument cannot be used.

    Notes
    -----
    Direct standardisation (Rothman, Greenland & Lash 2008, Modern Epidemiology, ch. 3): the mean of
    the means of the hours of the day, weighted by `reference`. It removes only the effect of the
    hour: within an hour, unworn time is assumed to be like worn time. Hours that were never
    observed have no mean, so the result covers the other hours alone, and ``reason`` says so.

    The bounds (Manski 1990, American Economic Review 80:319) make no such assumption. In each hour
    the unobserved share of the time is given the lowest, then the highest possible value; the truth
    lies between, whatever the reason for not wearing the eyewear. They are ``limit_high -
    limit_low`` times ``1 - coverage`` apart.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    >>> score = pd.Series(hours.hour * 1.0, index=hours).drop(hours[24:36])
    >>> result = el.compare.standardised_mean(score, possible=(0, 100))
    >>> round(result.crude, 2), result.standardised, result.coverage
    (13.5, 11.5, 0.75)
    >>> result.lower, result.upper
    (10.125, 35.125)
    """
    weights = _reference(reference)
    rows = rows_of(series, column, "standardised_mean", limits, interval, exposure)
    seen = rows.keep(np.isfinite(rows.values))
    least, most = (seen.values.min(), seen.values.max()) if seen.n else (MISSING, MISSING)
    if possible is None:
        low, high, doubt = _catalogue_limits(series, column, seen)
    else:
        low, high = _possible(possible)
        doubt = ""
        if seen.n and not low <= least <= most <= high:
            raise ConfigurationError(
                f"values from {least:g} to {most:g} lie outside possible={low:g} to {high:g}: leave"
                " them out, or give a wider range"
            )
    counted: dict[str, Any] = {"hours": 0, "share": 0.0, "least_n": 0}
    result = all_missing(StandardisedMean, limit_low=low, limit_high=high, **counted, **seen.behind)
    if not seen.n:
        return result._replace(reason="no value was observed")
    result = result._replace(crude=float(seen.values.mean()))
    if seen.step_us == 0:
        return result._replace(reason="a single stamp has no known length")
    if seen.step_us > HOUR_US:
        return result._replace(reason="values further apart than an hour have no time of day")
    counts: Floats = np.bincount(seen.opens.hour, minlength=HOURS).astype(np.float64)
    means = np.bincount(seen.opens.hour, seen.values, minlength=HOURS) / np.maximum(counts, 1)
    here = (counts > 0) & (weights > 0)
    covered = np.minimum(ratio(counts * (seen.step_us / HOUR_US), _room(rows)), 1.0)
    covered = np.where(here, covered, 0.0)
    whole = weights.sum()
    share, coverage = float(weights[here].sum() / whole), float(weights @ covered / whole)
    of_seen = float(weights @ (covered * means) / whole)
    some = here.any()
    return result._replace(
        standardised=float(np.average(means[here], weights=weights[here])) if some else MISSING,
        lower=of_seen + (1.0 - coverage) * low,
        upper=of_seen + (1.0 - coverage) * high,
        hours=int((counts > 0).sum()),
        share=share,
        least_n=int(counts[here].min()) if some else 0,
        coverage=coverage,
        reason="; ".join(filter(None, [_part_of_day(here, weights, share), doubt])),
    )


def _reference(reference: Mapping[int, float] | pd.Series | None) -> Floats:
    """Return the weight of each hour."""
    if reference is None:
        return np.ones(HOURS)
    weights = np.zeros(HOURS)
    try:
        for hour, weight in dict[Any, Any](reference).items():
            if hour not in range(HOURS):
                raise ValueError
            weights[int(hour)] = float(weight)
    except (AttributeError, TypeError, ValueError):
        raise ConfigurationError(
            "reference must give a weight for local hours, 0 to 23, such as {9: 1, 10: 1}"
        ) from None
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise ConfigurationError("the weights of reference must be 0 or more, and not all 0")
    return weights


def _possible(possible: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in possible)
    except (TypeError, ValueError):
        low = high = MISSING
    if not (np.isfinite([low, high]).all() and low <= high):
        raise ConfigurationError(f"possible must be (lowest, highest), not {possible!r}")
    return low, high


def _catalogue_limits(
    table: pd.Series | pd.DataFrame, column: str | pd.Series | None, seen: Rows
) -> tuple[float, float, str]:
    """Return the range of the field that the series is named after, or why there is none."""
    series = column
    if not isinstance(series, pd.Series):
        series = column_of(table, column, what="standardised_mean")
    here = known_logs() if seen.log is None else (seen.log,)
    name = str(series.name)  # that of the field, whatever the column of these values is called
    fields = {log: catalogue(log)[name] for log in here if name in catalogue(log)}
    ranges = {(field.min, field.max) for field in fields.values()}
    least, most = ranges.pop() if len(ranges) == 1 else (None, None)
    first = next(iter(fields.values()), None)
    doubt = ""
    if first is None or least is None or most is None:
        if pd.api.types.is_bool_dtype(series.dtype) or (first and first.value_type == "bool"):
            return 0.0, 1.0, ""
        doubt = "no bounds: the catalogue has no range for it, so give possible="
    elif first.agg == "sum" and (
        is_resampled(table) or seen.step_us not in {log_named(log).interval_us for log in fields}
    ):
        doubt = "no bounds: the catalogue's range is that of a single interval, so give possible="
    elif seen.n and not least <= seen.values.min() <= seen.values.max() <= most:
        doubt = (
            f"no bounds: values lie outside the catalogue's {least:g} to {most:g}, so leave them"
            " out or give possible="
        )
    if doubt or least is None or most is None:
        return MISSING, MISSING, doubt
    return least, most, ""


def _room(rows: Rows) -> Floats:
    """Return how many hours each local hour of the day had, on whole days from first to last."""
    opens, closes = rows.opens_us, rows.closes_us
    # The clock is read at each quarter of an hour of a wider time, of which the days are kept.
    quarter = HOUR_US // QUARTERS
    first, last = int(opens[0]) - 2 * DAY_US, int(closes[-1]) + 2 * DAY_US
    us = np.arange(first // quarter * quarter, last, quarter, dtype=np.int64)
    dates = microseconds(rows.wall(us)) // DAY_US
    ends = microseconds(rows.wall(np.array([opens[0], closes[-1] - 1])))
    low, high = (ends // DAY_US).tolist()
    inside = (dates >= low) & (dates <= high)
    hours = rows.wall(us[inside]).hour
    room: Floats = np.bincount(hours, minlength=HOURS) / QUARTERS
    return room


def _part_of_day(here: npt.NDArray[np.bool_], weights: Floats, share: float) -> str:
    """Return which hours of the reference day were not observed, as text."""
    unseen = np.flatnonzero(~here & (weights > 0))
    if not unseen.size:
        return ""
    runs = np.split(unseen, np.flatnonzero(np.diff(unseen) > 1) + 1)
    spoken = ", ".join(f"{r[0]}" if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs)
    if not here.any():
        return f"none of the hours of the reference day was observed ({spoken})"
    return (
        f"hour(s) of the day not observed: {spoken}; the standardised mean covers"
        f" {share:.1%} of the reference day"
    )
