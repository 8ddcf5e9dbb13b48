"""The summary of each local day, of each week, and of any other grouping: one table of statistics.

What needs the order of rows within a day (its first and last wear, the slope of its blink rate) is
exact to the width of the rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.catalogue import COMPUTED_DATA, role
from eyelog.checks import names_of, proportion, whole_number
from eyelog.clock import HOUR_US, dates_at
from eyelog.errors import ConfigurationError
from eyelog.frame import derived, takes_tables
from eyelog.judge.arrays import Bools, Floats, Ints, direction, holds_numbers, numbers, unit_vectors
from eyelog.judge.intervals import LONGEST, Groups, Rows, by_group, enter, sums
from eyelog.judge.limits import Limits, chosen_limits, limit
from eyelog.judge.terms import Columns, Counted, ratio
from eyelog.measure.blinks import garwood, rate_columns, reading_of
from eyelog.measure.columns import choose, column
from eyelog.measure.columns import groups as groups_of
from eyelog.measure.groups import (
    GROUP_S,
    PER_MIN,
    STATISTICS,
    By,
    Statistic,
    added,
    as_counts,
    calendar_dates,
    evaluate,
    group,
    result,
)

SCORES: Final = tuple(
    statistic
    for name in role(COMPUTED_DATA, "score")
    for statistic in (
        Statistic(f"{name}_mean", "ratio", (f"{name}_sum", f"{name}_n")),
        Statistic(f"{name}_high_share", "ratio", (f"{name}_high", f"{name}_n")),
        Statistic(f"{name}_n", "counts", (f"{name}_n",)),
    )
)
# The groups of columns, and what each is made from (`eyelog.judge.terms`).
SUBJECTS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "wear": (),
    "gait": ("gait",),
    "eyes": ("blinks", "shape", "eye_moves"),
    "head": ("head_moves", "tilt"),
    "scores": ("scores",),
}
EVERYTHING: Final = tuple(subject for subjects in SUBJECTS_OF.values() for subject in subjects)
BLINKS: Final = {"blink_rate_per_min", "blink_n", "blink_exposure_min"}
LONG_ENOUGH: Final = limit(COMPUTED_DATA, "time_on_task")
# Columns that are kept where a day or a week has too little of something.
KEPT: Final = ("coverage", "recorded_h", "worn_h", "valid_h", "walking_h")
DAY_ONLY: Final = ("first_worn", "last_worn", "blink_rate_slope_per_h", "step_time_cv_between")
OF_DAYS: Final = ("iso_week", "days", "days_counted", "worn_h_per_day", "valid_h_per_day")
NOT_A_TIME: Final = np.iinfo(np.int64).min  # the value that numpy and pandas treat as NaT


@takes_tables
def daily(
    frame: pd.DataFrame,
    *,
    columns: str | Iterable[str] | None = None,
    min_coverage: float = 0.0,
    complete: bool = False,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return one row per local day: wear, steps, pace, blinks, eyes, head, tilt and scores.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals (`eyelog.intervals`).
    columns : str or iterable of str, optional
        Groups of columns (``"wear"``, ``"gait"``, ``"eyes"``, ``"head"``, ``"scores"``) or names of
        columns; exactly these are returned, in the order below. Default: all.
    min_coverage : float
        Smallest share of the day that must be recorded, 0 to 1; below it the day keeps its row and
        its times, but its other values are missing. Default 0: eyewear is worn for part of the day,
        so every day has values, with its coverage beside them.
    complete : bool
        Whether the days without records from the first to the last day have a row too: ``n``, the
        other counts and ``coverage`` are 0, and the rest is missing. By default they have none.
    limits : Limits, optional
        What counts as worn, noisy and walking, and as a run of wear (``min_run``: the first and the
        last wear of a day belong to one), see `eyelog.Limits`. Hours and values follow the same
        limits. Intervals keep those that they were made with.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night: a day is then named by
        the date on which it opens. Default: midnight.

    Returns
    -------
    DataFrame
        Index ``day``: the calendar date of each day with records (datetime64[us], midnight, without
        a zone), so days join with any table that has dates. A day is that of the wearer's clock: of
        the zone of the frame or, where the frame has it, of the column ``utc_offset_min``. The
        hours of a date that occurs twice, as on a flight west over midnight, are those of both
        times. Columns, if the frame has their fields:

        - wear: int64 ``n`` (records), float64 ``coverage`` (recorded time / the 23, 24,
          25 or, on a day of travel, other hours that it had), ``recorded_h``, ``worn_h`` (in pose),
          ``valid_h`` (resting eye data usable),
          ``walking_h`` (while worn), ``first_worn``, ``last_worn`` (when the first
          interval opens and the last one closes that belong to a run of wear of at least
          ``limits.min_run``; missing without one);
        - gait: ``steps``, ``pace_spm`` (steps per minute walked), ``pace_exposure_min``,
          ``step_time_cv_between`` (how much the mean step time varies between records: SD / mean,
          see `eyelog.gait.step_time`);
        - eyes: ``blink_rate_per_min``, ``blink_rate_low``, ``blink_rate_high`` (95 %),
          ``blink_rate_slope_per_h`` (how the rate changes per hour within the day, in blinks per
          minute per hour; from 2 hours between the first and the last usable record on), int64
          ``blink_n`` (15-second log: gaps; 60-second log: blinks), ``blink_exposure_min`` (usable
          minutes; below 3 no rate), ``blink_strength_uv``, ``blink_strength_sd_uv`` (pooled within
          intervals; 20 Hz log: of all blinks), ``blink_duration_ms``, in the 20 Hz log
          ``blink_interval_sd_s``, ``blink_interval_max_s`` and ``long_blink_share``,
          ``eye_moves_per_h``, ``eye_moves_horizontal_per_h``, ``eye_moves_vertical_per_h`` (per
          worn hour of the intervals in which they could be counted);
        - head: ``head_moves_pitch_per_h``, ``head_moves_yaw_per_h`` (likewise),
          ``tilt_fore_aft_deg``, ``tilt_sideways_deg`` (circular means);
        - scores: for each score s ``s_mean``, ``s_high_share`` (values of at least 60 among the
          valid ones) and int64 ``s_n`` (valid values).

        All others are float64, missing if nothing was measured, never 0.

    Raises
    ------
    FieldError
        If `columns` names something that is neither a group nor a column of this summary.
    ConfigurationError
        If `min_coverage`, `day_starts` or the index cannot be used, nothing shows which log it is,
        the records overlap (two sources), Intervals reach over the end of their day, or the frame
        was masked with other limits.

    See Also
    --------
    eyelog.weekly : The same over weeks.
    eyelog.readable : The same for reading: labels, units, rounded numbers.
    eyelog.blinks.rate, eyelog.gait.pace, eyelog.posture.head_movements : The same definitions.

    Notes
    -----
    Worn time is that of ``isl`` or ``wea_s`` in pose: eyewear whose tilt lies outside -45 to 45
    degrees sideways or -45 to 90 fore-aft is stored. When a wearer sits still, the 15-second log
    may show the eyewear as not worn. With ``Limits(wear="blinks")`` an interval in pose also counts
    as worn if blinks were counted in it (``bk_n`` above 0; 60-second log: ``sc_bk_n``, and then all
    of ``val_s``). Over 15 simulated days of each log the eyewear's own signal gives 17 to 18 % too
    little worn time (and 15 to 17 % too many turns of the head per worn hour); with blinks it is
    within 0.5 % of the truth (0.8 % for the worst of three wearers; 1 to 2 %). A masked frame is
    then refused, because masking removes some of the blinks: pass the records.

    An interval belongs to the day in which it opens. A day whose only record closes it is left out:
    a fetch selects by stamp, so its first record belongs to the day before. Every column is a sum
    or a ratio of sums, so ``daily(intervals(frame, "10min"))`` gives the same numbers; only
    ``first_worn``, ``last_worn`` and ``blink_rate_slope_per_h`` are exact to the width of the rows,
    which is 15 s for the 20 Hz log.

    The blink rate is that of `eyelog.blinks.rate` by its default method: gaps free of noise in the
    15-second log; blinks counted (weak cleansing) over usable seconds in the 60-second log, and
    missing if no blink was counted in 10 usable minutes or more. Strength and duration are those of
    the strictly cleansed blinks of the 60-second log.

    Examples
    --------
    >>> import eyelog as el
    >>> days = el.daily(el.sample())
    >>> days.index.name, bool((days["worn_h"] <= days["recorded_h"]).all())
    ('day', True)
    >>> list(el.daily(el.sample(), columns=["worn_h", "gait"]))
    ['worn_h', 'steps', 'pace_spm', 'pace_exposure_min', 'step_time_cv_between']
    """
    min_coverage = proportion(min_coverage, "min_coverage")
    rows, days, data, wanted = _summarise(
        frame, "daily", "day", columns, limits=limits, log=log, day_starts=day_starts
    )
    if min_coverage:
        _blank(data, data["coverage"] < min_coverage, KEPT)
    table = result(rows, days, data, min_coverage=min_coverage, day_starts=day_starts)
    if complete and len(table):
        # A day that the clock skipped, as on a flight over the date line, does not count as a day.
        lived = dates_at(np.unique(rows.days()[2])).rename("day")
        lived = lived[(lived >= table.index[0]) & (lived <= table.index[-1])]
        counts = {name: 0 for name in table.columns if table[name].dtype == np.int64}
        whole = table.reindex(lived).fillna({**counts, "coverage": 0.0})
        whole.attrs = dict(table.attrs)
        table = whole.astype(dict.fromkeys(counts, np.int64))
    return table if wanted is None else table[choose(table.columns, wanted)]


@takes_tables
def summary(
    frame: pd.DataFrame,
    *,
    by: By = None,
    columns: str | Iterable[str] | None = None,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the columns of `eyelog.daily` for any grouping of the rows.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals.
    by : str, Series, array or list, optional
        ``"day"``, ``"week"``, ``"hour"``, ``"weekday"`` (0 is Monday) or ``"weekend"``; a width
        (``"10min"``, ``"1h"``, ``"7D"``); the name of a column, a Series by stamp or an array: a
        label for each row; or several of these in a list. Default: all rows, as one group.
    columns, limits, log, day_starts
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        One row for each group that has rows: days and weeks named by the date of their first day,
        shorter bins by when they open. The columns of `eyelog.daily` without those that only a day
        has. ``coverage`` is recorded time / the time of the group: of hours and weekdays that
        between the first row and the last, of labels that of their rows.

    Raises
    ------
    ConfigurationError, FieldError, MixedLogsError
        As from `eyelog.daily`.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.summary(el.sample(), by=["weekend", "hour"], columns=["worn_h", "scores"])
    >>> table.index.names
    FrozenList(['weekend', 'hour'])
    """
    rows, groups, data, wanted = _summarise(
        frame, "summary", by, columns, limits=limits, log=log, day_starts=day_starts
    )
    table = result(rows, groups, data)
    return table if wanted is None else table[choose(table.columns, wanted)]


@takes_tables
def weekly(
    frame: pd.DataFrame,
    *,
    columns: str | Iterable[str] | None = None,
    min_coverage: float = 0.0,
    min_days: int = 1,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return one row per ISO week: the days that count, and wear, steps, blinks, head and scores.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, Intervals, or a table of days: that of `eyelog.daily`, also read back
        from a file, joined with other columns or without its history. Days are recognised by an
        index of dates.
    columns : str or iterable of str, optional
        Groups of columns (``"wear"``, ``"gait"``, ``"eyes"``, ``"head"``, ``"scores"``) or names of
        columns; exactly these are returned. Default: all.
    min_coverage : float
        Smallest share of a day that must be recorded for the day to count, 0 to 1.
    min_days : int
        Smallest number of days that must count; in a week with fewer, all values except the days,
        the times and the coverage are missing.
    limits : Limits, optional
        What counts as worn, noisy and walking (of records only), and
        the shortest wear of a day that counts (``min_day``: 4 h by default; ``"0h"`` lets every day
        with records count), see `eyelog.Limits`. Without evidence of wear every day with records
        counts.
    log, day_starts
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
        If a limit, `day_starts` or the index cannot be used, or nothing shows which log it is.

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
    wanted = None if columns is None else names_of(columns, "columns")
    details: dict[str, Any] = {"min_coverage": min_coverage, "min_days": min_days}
    if dates is not None:
        if dates.name == "week":
            raise ConfigurationError("weekly takes records or days, and these are weeks already")
        if dates.has_duplicates:
            twice = dates[dates.duplicated()][0]
            raise ConfigurationError(
                f"weekly: the table has several rows for {twice:%Y-%m-%d}, where it needs one per"
                " day"
            )
        days, used = frame.set_axis(dates), chosen_limits(limits, frame)
        days = (days[numbers(days["n"]) > 0] if "n" in days else days).sort_index()
    else:
        rows = enter(
            frame, "weekly", EVERYTHING, limits=limits, log=log, day_starts=day_starts, time=True
        )
        of_days, used = group(rows, "day"), rows.limits
        total = sums(rows, of_days, EVERYTHING)
        days = pd.DataFrame(statistics(rows, of_days, total), index=of_days.labels)
    # The days that count.
    counted: Bools = np.ones(len(days), dtype=bool)
    if min_coverage > 0 or "coverage" in days:
        if "coverage" not in days:
            raise ConfigurationError("weekly: min_coverage needs the column 'coverage' of the days")
        counted = numbers(days["coverage"]) >= min_coverage
    least_s = used.seconds("min_day")
    if least_s and "worn_h" in days:
        counted &= np.nan_to_num(numbers(days["worn_h"])) * 3600 >= least_s
    elif least_s and "min_day" in used.details():
        raise ConfigurationError("min_day needs the fields that say when the eyewear was worn")
    # Their weeks.
    day = cast(pd.DatetimeIndex, days.index)
    monday = (day - pd.to_timedelta(day.day_of_week, unit="D")).as_unit("us").rename("week")
    weeks = monday[counted].unique().sort_values()
    week, size = weeks.get_indexer(monday), len(weeks)
    codes = week[counted]
    data: dict[str, Any] = {
        "iso_week": pd.array([f"{each:%G-W%V}" for each in weeks], dtype="string"),
        "days": np.bincount(week[week >= 0], minlength=size).astype(np.int64),
        "days_counted": np.bincount(codes, minlength=size).astype(np.int64),
    }
    for name in ("worn_h", "valid_h", "steps"):
        if name in days:
            data[f"{name}_per_day"] = _mean(numbers(days[name])[counted], codes, size)
    if dates is not None:
        data |= _from_days(days[counted], codes, size)
    else:
        # Sums of the days that count; the length of a week is that of all its days.
        kept = group(rows, "week")
        kept = kept.keep(kept.labels.isin(weeks))
        _, total = by_group({name: values[counted] for name, values in total.items()}, codes)
        of_weeks = statistics(rows, kept, total)
        data |= {name: values for name, values in of_weeks.items() if name not in DAY_ONLY}
    _blank(data, data["days_counted"] < min_days, (*KEPT, *OF_DAYS))
    details["days_left_out"] = [f"{day:%Y-%m-%d}" for day in days.index[~counted]]
    if dates is None:
        table = result(rows, kept, data, **details)
    else:
        table = pd.DataFrame(data, index=weeks)
        table = derived(table, days, "weekly", interval_s=None, limits=used.details(), **details)
    return table if wanted is None else table[choose(table.columns, wanted, table="weekly")]


def _summarise(
    frame: pd.DataFrame, what: str, by: By, columns: str | Iterable[str] | None, **options: Any
) -> tuple[Rows, Groups, dict[str, Any], list[str] | None]:
    """Return the rows, their groups, the columns of a summary, and the names that are wanted."""
    wanted = None if columns is None else names_of(columns, "columns")
    names = [*SUBJECTS_OF] if wanted is None else wanted
    named = {name if name in SUBJECTS_OF else column(name).group for name in names}
    subjects = tuple(s for name, parts in SUBJECTS_OF.items() if name in named for s in parts)
    if not named <= SUBJECTS_OF.keys():
        subjects = EVERYTHING
    rows = enter(frame, what, subjects, **options, time=True)
    groups = group(rows, by)
    also = partial(_in_order, rows, groups) if what == "daily" else None
    data = statistics(rows, groups, sums(rows, groups, subjects, also))
    if wanted and subjects != EVERYTHING and not {*wanted} <= {*data, *groups_of(data)}:
        # The message about an unknown column lists all columns.
        data = statistics(rows, groups, sums(rows, groups, EVERYTHING, also))
    return rows, groups, data, wanted


def statistics(rows: Rows, groups: Groups, total: Columns) -> dict[str, Any]:
    """Return every statistic that the sums of groups hold, in the order of the columns."""
    total = total | {GROUP_S: groups.seconds}
    data = evaluate(STATISTICS["wear"], total)
    if f"{LONGEST}until" in total:
        for name, at in (
            ("first_worn", -total[f"{LONGEST}before"]),
            ("last_worn", total[f"{LONGEST}until"]),
        ):
            # An interval that ends after midnight is this day's until then.
            inside = np.clip(np.nan_to_num(at), groups.opens_us, groups.closes_us)
            us = np.where(np.isnan(at), NOT_A_TIME, inside.astype(np.int64))
            data[name] = pd.DatetimeIndex(us.view("M8[us]"), tz="UTC").tz_convert(rows.tz)
    data |= evaluate(STATISTICS["gait"], total)
    reading = reading_of(rows.log) if rows.log else None
    if reading is not None and total.keys() >= {*reading.sums}:
        made = rate_columns(reading, total, rows.limits.seconds("min_valid"))
        data["blink_rate_per_min"] = made["rate_per_min"]
        data |= {f"blink_rate_{end}": made[end] for end in ("low", "high")}
        if "slope_min" in total:
            # The least-squares slope of counts over minutes, each row weighted by its minutes; none
            # unless the usable time reaches over two hours.
            mean_h = ratio(total["slope_min_h"], total["slope_min"])
            above = total["slope_n_h"] - mean_h * total["slope_n"]
            below = total["slope_min_h2"] - mean_h * total["slope_min_h"]
            reach_s = 3600.0 * (total[f"{LONGEST}late_h"] + total[f"{LONGEST}early_h"])
            known = ~np.isnan(made["rate_per_min"]) & LONG_ENOUGH.keeps(reach_s)
            data["blink_rate_slope_per_h"] = np.where(known, ratio(above, below), np.nan)
        data |= {f"blink_{name}": made[name] for name in ("n", "exposure_min")}
    return data | evaluate((*STATISTICS["eyes"], *STATISTICS["head"], *SCORES), total)


def _in_order(rows: Rows, days: Groups, part: slice, columns: Counted) -> Counted:
    """Return the columns of days that need the order of their rows, of some rows."""
    reading = reading_of(rows.log) if rows.log else None
    opens, closes = rows.opens_us[part], rows.closes_us[part]
    made: Counted = {}
    if "lasting_s" in columns:
        lasting = columns["lasting_s"] > 0
        made |= {f"{LONGEST}before": (lasting, -opens), f"{LONGEST}until": (lasting, closes)}
    if reading is not None and reading.sums[1] in columns:
        # From the opening of its own day: the same digits, whatever else is in the table.
        opened = np.append(days.opens_us, 0)  # of rows in no day
        hours = (opens - opened[days.codes[part]]) / HOUR_US
        both = [columns[name] for name in reading.sums[:2]]
        (used, counts), (_, size) = (c if isinstance(c, tuple) else (True, c) for c in both)
        used = used & (size > 0)  # counts of no time have no weight
        weighted = {"min": (size, PER_MIN), "n": (counts,)}
        for name, parts in weighted.items():
            made |= {f"slope_{name}": (used, *parts), f"slope_{name}_h": (used, *parts, hours)}
        made |= {"slope_min_h2": (used, size, PER_MIN, hours, hours)}
        made |= {f"{LONGEST}late_h": (used, hours), f"{LONGEST}early_h": (used, -hours)}
    return made


def _blank(data: dict[str, Any], few: Bools, kept: Sequence[str]) -> None:
    """Let the values of rows with too little of something be missing."""
    for name in data.keys() - {*kept}:
        if data[name].dtype == np.float64:
            data[name] = np.where(few, np.nan, data[name])


def _mean(values: Floats, codes: Ints, number: int, weights: Floats | None = None) -> Floats:
    """Return the mean of the values of each code."""
    weights = np.where(np.isnan(values), np.nan, 1.0 if weights is None else weights)
    return ratio(added(values * weights, codes, number), added(weights, codes, number))


def _from_days(days: pd.DataFrame, codes: Ints, number: int) -> dict[str, Any]:
    """Return the columns of weeks from those of days that count.

    A sum is added up; a ratio is weighted by what it is divided by, where the days say how much it
    was; all else is a mean.
    """
    statistics = [each for group in SUBJECTS_OF for each in STATISTICS.get(group, SCORES)]
    of_title = {each.name: each for each in statistics}
    added_up = {
        each.sums[0]: name
        for name, each in of_title.items()
        if len(each.sums) == 1 and not each.sums[0].startswith(LONGEST)
    }
    data: dict[str, Any] = {}
    for name, column_ in days.items():
        if name in DAY_ONLY or not holds_numbers(column_):
            continue
        values, title = numbers(column_), str(name)
        form, parts = of_title[title][1:3] if title in of_title else (None, ("",))
        if title in (*added_up.values(), "blink_n", "blink_exposure_min"):
            total = added(values, codes, number)
            whole = pd.api.types.is_integer_dtype(column_.dtype)
            data[title] = as_counts(total) if whole else total
        elif title == "coverage":  # 24 hours for a day whose length is not known
            recorded = numbers(days["recorded_h"]) if "recorded_h" in days else values * 24.0
            long = np.where(values > 0, ratio(recorded, values), 24.0)
            missing_days = 7.0 - np.bincount(codes, minlength=number)
            room = added(long, codes, number) + 24.0 * missing_days
            data[title] = np.minimum(ratio(added(recorded, codes, number), room), 1.0)
        elif title.startswith("blink_rate_") and {*days.columns} >= BLINKS:
            # Blinks over the time of the days that have a rate.
            rate = numbers(days["blink_rate_per_min"])
            blinks = np.where(np.isnan(rate), np.nan, numbers(days["blink_n"]))
            usable = numbers(days["blink_exposure_min"])
            minutes = np.where(rate > 0, ratio(blinks, rate), usable + 0.0 * rate)
            counts, time = (added(each, codes, number) for each in (blinks, minutes))
            low, high = garwood(counts, time)
            ends = {"per_min": ratio(counts, time), "low": low, "high": high}
            data[title] = ends[title.removeprefix("blink_rate_")]
        elif title == "blink_strength_sd_uv":
            data[title] = np.full(number, np.nan)  # its weights are not those of days
        elif form == "direction":
            east, north = unit_vectors(values)
            seen = np.where(np.isnan(values), np.nan, 1.0)
            data[title] = direction(*(added(part, codes, number) for part in (east, north, seen)))
        else:
            weight = added_up.get(parts[-1], "")
            weights = numbers(days[weight]) if weight in days else None
            data[title] = _mean(values, codes, number, weights)
    return data
