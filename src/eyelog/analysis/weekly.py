"""The weekly summary: the values of each ISO week, and the days that they are based on."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.columns import choose
from eyelog.analysis.daily import (
    DAY_ONLY,
    KEPT,
    blink_details,
    prepare_days,
    summarise,
)
from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.grouped.opening import open_frame
from eyelog.analysis.grouped.reductions import (
    circular_mean,
    garwood,
    mean,
    ratio,
    total,
    weighted_mean,
)
from eyelog.analysis.grouped.summary import Prepared, as_counts, summary_table
from eyelog.analysis.limits import Limits, chosen_limits
from eyelog.analysis.quality.unjudged import one_warning
from eyelog.analysis.series.arrays import Bools, numbers
from eyelog.analysis.series.calendar import calendar_dates, mondays
from eyelog.analysis.shared_parameters import shared_parameters
from eyelog.checks import proportion, whole_number
from eyelog.clock import local_days
from eyelog.errors import ConfigurationError
from eyelog.provenance import derived

__all__ = ["weekly"]

# Columns that are kept; the other values of a week with too few days are missing.
HOURS = ("recorded_h", "worn_h", "valid_h", "walking_h")
BLINKS = {"blink_rate_per_min", "blink_n", "blink_exposure_min"}
OF_DAYS = ("iso_week", "days", "days_counted", "worn_h_per_day", "valid_h_per_day")


@one_warning()
@shared_parameters
def weekly(
    frame: pd.DataFrame,
    *,
    columns: str | Iterable[str] | None = None,
    min_coverage: float = 0.0,
    min_days: int = 1,
    limits: Limits | None = None,
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
) -> pd.DataFrame:
    """Return one row per ISO week: the days that count, and wear, steps, blinks, head and scores.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, one that `eyelog.resample` has made, or a table of days: that of
        `eyelog.daily`, also read back from a file, joined with other columns or without its
        history. Days are recognised by an index of dates.
    columns : str or iterable of str, optional
        Groups of columns (``"wear"``, ``"gait"``, ``"eyes"``, ``"head"``, ``"scores"``) or names of
        columns; exactly these are returned. Default: all.
    min_coverage : float
        Smallest share of a day that must be recorded for the day to count, 0 to 1.
    min_days : int
        Smallest number of days that must count; in a week with fewer, all values except the days,
        the times and the coverage are missing.
    limits : Limits, optional
        What counts as worn, noisy and walking (of records only, as `judge` and `stamp` are), and
        the shortest wear of a day that counts (``min_day``: 4 h by default; ``"0h"`` lets every day
        with records count), see `eyelog.Limits`. Without evidence of wear every day with records
        counts.
    judge, stamp, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``week``: the date of the Monday of each week in which a day counts (datetime64[us],
        midnight, without a zone). Columns: string ``iso_week`` (``"2026-W43"``: the year is that of
        the ISO week), int64 ``days`` (with records) and ``days_counted``, float64
        ``worn_h_per_day``, ``valid_h_per_day`` and ``steps_per_day`` (means over the days that
        count), then the columns of `eyelog.daily` other than ``first_worn``, ``last_worn``,
        ``blink_rate_slope_per_h`` and ``step_time_cv_between``, which are defined for days only,
        over the days that count: ``n``, hours and ``steps`` are sums, rates and averages are made
        from sums, and ``coverage`` is recorded time over the whole week (167 to 169 hours).

    Raises
    ------
    MixedLogsError, FieldError
        As from `eyelog.daily`.
    ConfigurationError
        If a limit, `stamp` or the index cannot be used, or nothing shows which log it is.

    See Also
    --------
    eyelog.daily : The same by day, with the definitions.

    Notes
    -----
    A table of days gives the same ``n``, counts, exposures, hours, steps and pace; and the same
    scores and blink rate, unless a day has no rate or score because it has too few values.
    ``coverage`` counts 24 hours for a day without records. All other values, and your own columns
    of numbers, are means over the days that count, each day once (for directions, the mean
    direction), whereas those of records are made from the sums of the week.
    ``blink_strength_sd_uv`` is missing, and times and texts are left out.

    Weeks run from Monday to Sunday (ISO 8601), so the first days of January can belong to the last
    week of the year before. Days and numbers are those of `eyelog.daily`: if all days count, ``n``,
    the hours, steps and counts of a week are the sums of its days. The number of days and the wear
    that a week needs depend on the question; for activity in daily life, four days of ten hours are
    usual (Migueles et al. 2017, Sports Medicine 47:1821).

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-19", 9, log="standard_mode_logs", tz="Asia/Tokyo")
    >>> weeks = el.weekly(
    ...     frame, limits=el.Limits(min_day="8h"), columns=["iso_week", "days_counted"]
    ... )
    >>> weeks["iso_week"].tolist(), weeks["days_counted"].tolist()
    (['2026-W43', '2026-W44'], [7, 2])
    """
    dates = calendar_dates(frame, what="weekly") if isinstance(frame, pd.DataFrame) else None
    min_days = whole_number(min_days, "min_days", 1)
    min_coverage = proportion(min_coverage, "min_coverage")
    wanted = columns if columns is None or isinstance(columns, str) else list(columns)
    if dates is not None:
        if stamp != "end":
            raise ConfigurationError(
                "weekly: stamp= is of records, and these are days: pass it to eyelog.daily"
            )
        chosen = chosen_limits(limits, frame)
        table = _of_table(frame.set_axis(dates), min_coverage, chosen, min_days)
        return table if wanted is None else table[choose(table.columns, wanted, table="weekly")]
    opened = open_frame(frame, "weekly", log=log, limits=limits, judge=judge, stamp=stamp)
    if judge:
        opened.warn_of_lacking()
    by_day = prepare_days(opened, "1D")
    days = pd.DataFrame(summarise(by_day, ["wear", "gait"]), index=by_day.groups.labels)
    counted = _counted(days, min_coverage, opened.limits)
    prepared = prepare_days(opened, "week")
    prepared = replace(prepared, groups=_of_days(prepared, days, counted))
    data = summarise(prepared, wanted)
    of_days = _days(cast(pd.DatetimeIndex, prepared.groups.labels), days, counted)
    few = of_days["days_counted"] < min_days
    data = of_days | data
    for name in data.keys() - {*KEPT, *OF_DAYS}:
        if data[name].dtype == np.float64:
            data[name] = np.where(few, np.nan, data[name])
    table = summary_table(
        data,
        prepared,
        min_coverage=min_coverage,
        min_days=min_days,
        days_left_out=[f"{day:%Y-%m-%d}" for day in days.index[~counted]],
        **blink_details(opened),
    )
    return table if wanted is None else table[choose(table.columns, wanted, table="weekly")]


def _counted(days: pd.DataFrame, min_coverage: float, limits: Limits) -> Bools:
    """Return which days count."""
    counted: Bools = np.ones(len(days), dtype=bool)
    if min_coverage > 0 or "coverage" in days:
        if "coverage" not in days:
            raise ConfigurationError("weekly: min_coverage needs the column 'coverage' of the days")
        counted = numbers(days["coverage"]) >= min_coverage
    least_s = limits.seconds("min_day")
    if least_s and "worn_h" in days:
        counted &= np.nan_to_num(numbers(days["worn_h"])) * 3600 >= least_s
    elif least_s and "min_day" in limits.details():
        raise ConfigurationError("min_day needs the fields that say when the eyewear was worn")
    return counted


def _of_table(
    days: pd.DataFrame, min_coverage: float, limits: Limits, min_days: int
) -> pd.DataFrame:
    """Return the weeks of a table of days."""
    if days.index.name == "week":
        raise ConfigurationError("weekly takes records or days, and these are weeks already")
    if days.index.has_duplicates:
        twice = days.index[days.index.duplicated()][0]
        raise ConfigurationError(
            f"weekly: the table has several rows for {twice:%Y-%m-%d}, where it needs one per day"
        )
    if "n" in days:  # days without records do not count
        days = days[numbers(days["n"]) > 0]
    days = days.sort_index()
    counted = _counted(days, min_coverage, limits)
    kept = days[counted]
    opens, number = np.unique(mondays(cast(pd.DatetimeIndex, kept.index)), return_inverse=True)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=len(opens)))])
    weeks = pd.DatetimeIndex(opens, name="week")
    groups = Groups(weeks, bounds, None, np.full(len(weeks), 7 * 86_400.0))
    of_days = _days(weeks, days, counted)
    made = {name: _value(kept, name, groups) for name in kept.columns}
    data = {name: values for name, values in made.items() if values is not None}
    few = of_days["days_counted"] < min_days
    for name in data.keys() - {*KEPT, *OF_DAYS}:
        if data[name].dtype == np.float64:
            data[name] = np.where(few, np.nan, data[name])
    for name in of_days.keys() - {*OF_DAYS}:
        of_days[name] = np.where(few, np.nan, of_days[name])
    table = pd.DataFrame(of_days | data, index=weeks)
    return derived(
        table,
        days,
        "weekly",
        interval_s=None,
        min_coverage=min_coverage,
        limits=limits.details(),
        min_days=min_days,
        days_left_out=[f"{day:%Y-%m-%d}" for day in days.index[~counted]],
    )


def _value(days: pd.DataFrame, name: Any, groups: Groups) -> npt.NDArray[Any] | None:
    """Return a column of weeks from that of days; None for what has no weekly value."""
    column = days[name]
    if name in DAY_ONLY:
        return None
    if not pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return None
    values = numbers(column)
    if name in ("n", "steps", *HOURS) or str(name).endswith(("_n", "_exposure_min")):
        sums = total(values, groups)
        return as_counts(sums) if pd.api.types.is_integer_dtype(column.dtype) else sums
    if name == "coverage":
        return _coverage(days, groups)
    if name == "pace_spm" and "pace_exposure_min" in days:
        return weighted_mean(values, numbers(days["pace_exposure_min"]), groups)
    if str(name).startswith("blink_rate_") and set(days.columns) >= BLINKS:
        return _blink_rate(days, groups)[str(name).removeprefix("blink_rate_")]
    if name == "blink_strength_sd_uv":
        return np.full(len(groups), np.nan)  # its weights are not those of days
    counts = f"{str(name).removesuffix('_mean').removesuffix('_high_share')}_n"
    if counts != f"{name}_n" and counts in days:
        return weighted_mean(values, numbers(days[counts]), groups)
    if str(name).startswith("tilt_") and str(name).endswith("_deg"):
        return circular_mean(values, None, groups)
    return mean(values, groups)


def _coverage(days: pd.DataFrame, groups: Groups) -> npt.NDArray[np.float64]:
    """Return the recorded share of each week; 24 hours for a day whose length is not known."""
    share = numbers(days["coverage"])
    recorded = numbers(days["recorded_h"]) if "recorded_h" in days else share * 24.0
    long = np.where(share > 0, ratio(recorded, share), 24.0)
    room = total(long, groups) + 24.0 * (7 - groups.sizes)
    return np.minimum(ratio(total(recorded, groups), room), 1.0)


def _blink_rate(days: pd.DataFrame, groups: Groups) -> dict[str, npt.NDArray[np.float64]]:
    """Return blinks over the time of the days that have a rate, with their interval."""
    rate = numbers(days["blink_rate_per_min"])
    number = np.where(np.isnan(rate), np.nan, numbers(days["blink_n"]))
    minutes = np.where(rate > 0, ratio(number, rate), numbers(days["blink_exposure_min"]))
    counts, time = total(number, groups), total(np.where(np.isnan(rate), np.nan, minutes), groups)
    low, high = garwood(counts, time)
    return {"per_min": ratio(counts, time), "low": low, "high": high}


def _of_days(prepared: Prepared, days: pd.DataFrame, counted: Bools) -> Groups:
    """Return the weeks with the rows of the days that count; weeks without any are left out."""
    dates = days.index[counted]
    rows = local_days(prepared.index, stamp=prepared.opened.stamp, clock=prepared.clock).isin(dates)
    groups = prepared.groups.only(rows)
    return groups.keep(groups.sizes > 0)


def _days(weeks: pd.DatetimeIndex, days: pd.DataFrame, counted: Bools) -> dict[str, Any]:
    """Return how many days each week has, and the means of those that count."""
    row = weeks.get_indexer(mondays(cast(pd.DatetimeIndex, days.index)))
    inside = counted & (row >= 0)
    size = len(weeks)
    data: dict[str, Any] = {
        "iso_week": pd.array([f"{week:%G-W%V}" for week in weeks], dtype="string"),
        "days": np.bincount(row[row >= 0], minlength=size).astype(np.int64),
        "days_counted": np.bincount(row[inside], minlength=size).astype(np.int64),
    }
    for name in ("worn_h", "valid_h", "steps"):
        if name in days:
            values = numbers(days[name])
            seen = inside & ~np.isnan(values)
            sums = np.bincount(row[seen], values[seen], minlength=size)
            number = np.bincount(row[seen], minlength=size)
            data[f"{name}_per_day"] = np.where(number > 0, sums / np.maximum(number, 1), np.nan)
    return data
