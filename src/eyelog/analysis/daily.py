"""The daily summary: the values of each local day, and how much data they are based on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack, cast

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.each_blink import has_single_blinks, single_blinks
from eyelog.analysis.blinks.gaps import shape_fields
from eyelog.analysis.blinks.readings import (
    has_fields,
    rate_columns,
    rate_fields,
    rate_slope,
    reading_of,
    sums_of,
    terms_of,
)
from eyelog.analysis.columns import choose, column, groups
from eyelog.analysis.eyes.eye_moves import DIRECTIONS, EYE_MOVES, eye_moves
from eyelog.analysis.gait.each_step import has_single_steps
from eyelog.analysis.gait.pace import pace_fields, pace_parts, steps
from eyelog.analysis.gait.step_time import step_times
from eyelog.analysis.grouped.opening import FrameOptions, Opened, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import (
    circular_mean,
    count_rows,
    count_values,
    first_row,
    largest,
    last_row,
    mean,
    pooled_sd,
    ratio,
    sample_sd,
    sum_fields,
    total,
    weighted_mean,
)
from eyelog.analysis.grouped.single_rows import has_single_rows
from eyelog.analysis.grouped.summary import (
    MOVES,
    Prepared,
    as_counts,
    counted_s,
    prepare,
    summary_table,
    time_weights,
    weight_values,
)
from eyelog.analysis.limits import limit
from eyelog.analysis.posture.gravity_tilt import GRAVITY, tilt_of_rows
from eyelog.analysis.posture.tilt import TILT
from eyelog.analysis.posture.turns import peaks_of_rows
from eyelog.analysis.quality.evidence import has_evidence
from eyelog.analysis.quality.unjudged import one_warning
from eyelog.analysis.series.arrays import Arrays, Bools, Floats, Ints, numbers
from eyelog.analysis.series.runs import runs
from eyelog.catalogue import COMPUTED_DATA, log_named, role
from eyelog.checks import proportion
from eyelog.clock import DAY_US, dates_at, microseconds
from eyelog.cores import on_cores
from eyelog.frame import is_resampled

__all__ = ["DAY_ONLY", "KEPT", "blink_details", "daily", "prepare_days", "summarise"]

HIGH_SCORE = limit(COMPUTED_DATA, "high_score").value
# Strength and duration are those of the strictly cleansed blinks of the 60-second log, as
# `blinks.strength` takes by default.
SHAPE_CLEANSING = "strong"
NOT_A_TIME = np.iinfo(np.int64).min  # the value that numpy and pandas treat as NaT
GROUPS = ("wear", "gait", "eyes", "head", "scores")
DAY_ONLY = ("first_worn", "last_worn", "blink_rate_slope_per_h", "step_time_cv_between")
KEPT = ("coverage", "recorded_h", "worn_h", "valid_h", "walking_h")


@one_warning()
@with_frame_options
def daily(
    frame: pd.DataFrame,
    *,
    columns: str | Iterable[str] | None = None,
    min_coverage: float = 0.0,
    complete: bool = False,
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return one row per local day: wear, steps, pace, blinks, eyes, head, tilt and scores.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or one that `eyelog.resample` has made.
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
        limits. Bins keep those that they were made with.
    judge : bool
        First mask the values that `eyelog.flag` flags. Masked frames and bins are not judged again.
        Without it, records that hold invalid values, or values of unworn time, are refused.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval. Under ``"end"`` the record of 00:00:00 belongs
        to the day that ended, and a day that has no other record is left out.
    log : str, optional
        The log, if neither the provenance nor the columns show it.

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
          ``walking_h`` (while worn), ``first_worn``, ``last_worn`` (stamps at which the first
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
        If `min_coverage`, `stamp` or the index cannot be used, nothing shows which log it is, the
        records overlap (two sources), or the frame was masked with other limits.

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

    Sums add up over bins and bins keep them whole, so ``daily(resample(frame, "10min"))`` has the
    same ``n``, coverage, hours, steps, pace, movements per hour and blink rate as ``daily(frame)``
    at any ``min_coverage``, and with ``min_coverage=0`` the same blink strength and duration.
    Close, but not the same: the stamps of wear (exact to a bin, and a run of bins lasts as long as
    the wear in it), scores and tilt (weighted by valid and worn time). Shares and counts of scores
    are those of bins. Records with only some of their classes of steps or directions of movement,
    or with movements but no evidence of wear, count in bins only, see `eyelog.resample`.

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
    opened = open_frame(frame, "daily", **options)
    min_coverage = proportion(min_coverage, "min_coverage")
    if opened.judge:
        opened.warn_of_lacking()
    prepared = prepare_days(opened, "1D")
    wanted = columns if columns is None or isinstance(columns, str) else list(columns)
    data = summarise(prepared, wanted, of_days=True)
    thin = data["coverage"] < min_coverage
    for name in data.keys() - set(KEPT):
        if data[name].dtype == np.float64:
            data[name] = np.where(thin, np.nan, data[name])
    details = blink_details(opened)
    table = summary_table(data, prepared, min_coverage=min_coverage, **details)
    if complete:
        table = _with_empty_days(table, prepared)
    return table if wanted is None else table[choose(table.columns, wanted)]


def _with_empty_days(table: pd.DataFrame, prepared: Prepared) -> pd.DataFrame:
    """Return the table with a row for each local day from its first to its last."""
    if table.empty:
        return table
    days = microseconds(cast(pd.DatetimeIndex, table.index[[0, -1]])) // DAY_US
    # A day that the clock skipped, as on a flight over the date line, does not count as a day.
    days_lived = np.unique(prepared.clock.days(int(days[0]), int(days[1]))[2])
    counts = {name: 0 for name in table.columns if table[name].dtype == np.int64}
    whole = table.reindex(dates_at(days_lived).rename("day"))
    whole = whole.fillna({**counts, "coverage": 0.0}).astype(dict.fromkeys(counts, np.int64))
    whole.attrs = dict(table.attrs)
    return whole


def prepare_days(opened: Opened, by: str) -> Prepared:
    """Judge and group a frame for this summary, by day or by a longer time."""
    return prepare(opened, [], by, optional=_fields(opened.log))


def summarise(
    prepared: Prepared, chosen: str | Sequence[str] | None, *, of_days: bool = False
) -> dict[str, Any]:
    """Return the columns of the groups asked for, and always those of ``wear``.

    The `DAY_ONLY` columns are among them only with `of_days`.
    """
    groups = _groups_of(chosen)
    data = _columns(prepared, groups, of_days=of_days)
    if groups != set(GROUPS) and not _holds(data, chosen):
        # The message about an unknown column lists all columns.
        return _columns(prepared, set(GROUPS), of_days=of_days)
    return data


def _groups_of(chosen: str | Sequence[str] | None) -> set[str]:
    """Return the groups of columns that must be computed; all if a name is not known."""
    wanted = GROUPS if chosen is None else [chosen] if isinstance(chosen, str) else chosen
    named = {name if name in GROUPS else column(name).group for name in wanted}
    return {"wear", *named} if named <= set(GROUPS) else set(GROUPS)


def _holds(data: Mapping[str, Any], chosen: str | Sequence[str] | None) -> bool:
    wanted = {chosen} if isinstance(chosen, str) else set(chosen or ())
    return wanted <= {*data, *groups(data)}


def _columns(prepared: Prepared, wanted: set[str], *, of_days: bool) -> dict[str, Any]:
    log = prepared.log
    time = prepared.seconds()
    worn_s = numbers(time["worn_s"]) if has_evidence(prepared.whole, "worn", log=log) else None
    calls: list[Callable[[Prepared], dict[str, Any]]] = [partial(_times, time=time)]
    if worn_s is not None and of_days:
        calls.append(partial(_first_and_last, worn_s=worn_s))
    if "gait" in wanted:
        calls.append(partial(_gait, of_days=of_days))
    if "eyes" in wanted:
        calls += [partial(_blinks, of_days=of_days), partial(_eye_moves, time=time, worn_s=worn_s)]
    if "head" in wanted:
        calls.append(partial(_moves, time=time, worn_s=worn_s, part="head"))
        calls.append(partial(_tilt, time=time))
    if "scores" in wanted:
        calls.append(partial(_scores, time=time))
    values = len(prepared.frame) * len(prepared.frame.columns)
    data: dict[str, Any] = {}
    for made in on_cores([partial(call, prepared) for call in calls], values=values):
        data |= made
    return data


def _fields(log: str) -> list[str]:
    """Return the fields of a log that the summary is made from."""
    used = [*pace_fields(log), *rate_fields(reading_of(log))]
    used += [*role(log, *MOVES, *TILT.values()), *shape_fields(log, SHAPE_CLEANSING).values()]
    used += role(log, *GRAVITY, *(f"eye_{way}" for way in DIRECTIONS))
    return [*used, *role(log, "score")]


def _has(prepared: Prepared, *names: str) -> bool:
    """Return whether the frame has all of the columns; not if the log has none of the kind."""
    return bool(names) and all(name in prepared.frame.columns for name in names)


def _times(prepared: Prepared, time: Arrays) -> dict[str, Any]:
    """Return how much of the day was recorded, worn, valid and walked."""
    groups = prepared.groups
    recorded = numbers(time["recorded_s"])
    data: dict[str, Any] = {
        "n": as_counts(total(np.where(recorded > 0, prepared.records, 0.0), groups)),
        "coverage": np.minimum(ratio(np.nan_to_num(total(recorded, groups)), groups.seconds), 1.0),
        "recorded_h": total(recorded, groups) / 3600.0,
    }
    for noun in ("worn", "valid", "walking"):
        if has_evidence(prepared.whole, noun, log=prepared.log):
            data[f"{noun}_h"] = total(numbers(time[f"{noun}_s"]), groups) / 3600.0
    return data


def _lasting_wear(prepared: Prepared, worn_s: Floats) -> Bools:
    """Return the rows that belong to a lasting run of wear, over midnights too.

    A run of bins lasts as long as the wear in it.
    """
    evidence, us = prepared.known, microseconds(prepared.index)
    least_us = evidence.limits.seconds("min_run") * 1e6
    step_us = prepared.row_s * 1e6
    # Any wear makes a worn bin.
    on = worn_s > 0
    if not evidence.resampled:
        on = evidence.rules["worn"].keeps(cast(Floats, evidence.worn)) & ~evidence.off_pose
    firsts, lasts = runs(on, us, step_us)
    if evidence.resampled:
        through = np.concatenate([[0.0], np.cumsum(np.nan_to_num(worn_s))])
        # The sums of minutes are rounded in the last place.
        long = through[lasts + 1] - through[firsts] >= least_us / 1e6 - 1e-6
    else:
        long = us[lasts] - us[firsts] + step_us[firsts] >= least_us
    edges = np.zeros(len(us) + 1, dtype=np.int64)
    edges[firsts[long]] += 1
    edges[lasts[long] + 1] -= 1
    return np.cumsum(edges)[:-1] > 0


def _first_and_last(prepared: Prepared, worn_s: Floats) -> dict[str, pd.DatetimeIndex]:
    """Return when lasting wear begins and ends on each day."""
    groups, index, stamp = prepared.groups, prepared.index, prepared.opened.stamp
    on = _lasting_wear(prepared, worn_s)
    us, width_us = microseconds(index), np.rint(prepared.row_s * 1e6).astype(np.int64)
    day_opens, day_closes = groups.opens_us, groups.closes_us
    edges = {}
    for name, rows, late_us in (
        ("first_worn", first_row(on, groups), -width_us if stamp == "end" else 0),
        ("last_worn", last_row(on, groups), 0 if stamp == "end" else width_us),
    ):
        chosen = (us + late_us)[np.maximum(rows, 0)] if len(us) else us
        # An interval that began before midnight is this day's from midnight on.
        inside = np.clip(chosen, day_opens, day_closes)
        inside[rows < 0] = NOT_A_TIME
        edges[name] = pd.DatetimeIndex(inside.view("M8[us]"), tz="UTC").tz_convert(index.tz)
    return edges


def _gait(prepared: Prepared, *, of_days: bool) -> dict[str, Floats]:
    if not _has(prepared, *role(prepared.log, "steps")):
        return {}
    data = {"steps": total(steps(prepared.frame, prepared.log), prepared.groups)}
    if has_single_steps(prepared.log) or _has(prepared, *role(prepared.log, "pace")):
        taken, walked = pace_parts(prepared.frame, prepared.known)
        spent = total(walked, prepared.groups)
        data["pace_spm"] = ratio(total(taken, prepared.groups) * 60.0, spent)
        data["pace_exposure_min"] = np.nan_to_num(spent) / 60.0
        if of_days:
            spread = step_times(taken, walked, prepared.groups)
            data["step_time_cv_between"] = spread.cv_between
    return data


def blink_details(opened: Opened) -> dict[str, Any]:
    """Return the provenance of the blinks, and of the limits for a day's blink rate."""
    log, least = opened.log, opened.limits.seconds("min_valid")
    rate: dict[str, Any] = {**reading_of(log).details, "min_valid_s": least}
    if not log_named(log).has_cleansings:
        return {"blink_rate": rate}
    rate["missing_without_a_blink_in_s"] = limit(log, "no_blink").value
    return {"blink_rate": rate, "blink_shape": {"cleansing": SHAPE_CLEANSING}}


def _blinks(prepared: Prepared, *, of_days: bool) -> dict[str, Any]:
    data: dict[str, Any] = {}
    reading = reading_of(prepared.log)
    if has_fields(prepared.frame, reading):
        terms = terms_of(prepared.frame, reading)
        sums = sums_of(terms, prepared.groups)
        least = prepared.known.limits.seconds("min_valid")
        columns = rate_columns(reading, sums, min_valid_s=least)
        data["blink_rate_per_min"] = columns["rate_per_min"]
        data["blink_rate_low"], data["blink_rate_high"] = columns["low"], columns["high"]
        if of_days:
            groups = prepared.groups
            opens_us = cast(Ints, groups.opens_us)
            slope = rate_slope(terms, microseconds(prepared.index), opens_us, groups)
            slope[np.isnan(columns["rate_per_min"])] = np.nan
            data["blink_rate_slope_per_h"] = slope
        data["blink_n"] = as_counts(sums.number)
        data["blink_exposure_min"] = sums.usable_s / 60.0
    if of_days and has_single_blinks(prepared.log) and "blink_n" in data:
        return data | _of_single_blinks(prepared)
    shape = shape_fields(prepared.log, SHAPE_CLEANSING)
    if "count" not in shape or not _has(prepared, shape["count"]):
        return data
    frame, groups = prepared.frame, prepared.groups
    for made, part, reduced in (
        ("blink_strength_uv", "strength", weighted_mean),
        ("blink_strength_sd_uv", "strength_sd", pooled_sd),
        ("blink_duration_ms", "duration", weighted_mean),
    ):
        if _has(prepared, name := shape[part]):
            weights = weight_values(frame, name, (shape["count"],))
            data[made] = reduced(prepared.values(name), weights, groups)
    return data


def _of_single_blinks(prepared: Prepared) -> dict[str, Floats]:
    """Return strength, duration and intervals of the blinks that count, and how many are long."""
    if prepared.known.resampled:
        return {}
    groups, n = prepared.groups, len(prepared.index)
    events = single_blinks(prepared.known, microseconds(prepared.index))

    def by_row(values: Floats, chosen: Bools) -> Floats:
        rows = np.full(n, np.nan)
        rows[events.rows[chosen]] = values[chosen]
        return rows

    own = {
        name: by_row(values, events.counted)
        for name, values in (
            ("strength", events.strength),
            ("closed_ms", events.closed_ms),
            ("interval_s", events.interval_s),
        )
    }
    # Long blinks are longer than those that the vendor counts.
    shortest_ms = limit(prepared.log, "counted_speed").values[0]
    of_share = events.trusted & (events.closed_ms >= shortest_ms)
    long = np.where(limit(prepared.log, "long_blink").keeps(events.closed_ms), 1.0, 0.0)
    return {
        "blink_strength_uv": mean(own["strength"], groups),
        "blink_strength_sd_uv": sample_sd(own["strength"], groups),
        "blink_duration_ms": mean(own["closed_ms"], groups),
        "blink_interval_sd_s": sample_sd(own["interval_s"], groups),
        "blink_interval_max_s": largest(own["interval_s"], groups),
        "long_blink_share": mean(by_row(long, of_share), groups),
    }


def _moves(prepared: Prepared, time: Arrays, worn_s: Floats | None, part: str) -> dict[str, Floats]:
    """Return movements per worn hour of the intervals in which they could be counted."""
    if worn_s is None:
        return {}
    data = {}
    for name in (name for name in MOVES if name.startswith(part)):
        made = _movements(prepared, name)
        if made is None:
            continue
        spent = counted_s(prepared.whole, name, time)
        # Time without a count is left out, as is a count without time.
        hours = total(np.where(np.isnan(made), np.nan, spent), prepared.groups) / 3600.0
        if np.isnan(spent).any():
            made = np.where(np.isnan(spent), np.nan, made)
        data[f"{name}_per_h"] = ratio(total(made, prepared.groups), hours)
    return data


def _movements(prepared: Prepared, name: str) -> Floats | None:
    """Return the movements of one kind in each row; None if the frame does not hold them."""
    if not has_single_rows(prepared.log):
        parts = role(prepared.log, name)
        return sum_fields(prepared.frame, parts) if _has(prepared, *parts) else None
    if prepared.known.resampled:  # single movements are in rows alone
        return None
    if name in EYE_MOVES:
        fields = role(prepared.log, *(f"eye_{way}" for way in EYE_MOVES[name]))
        return eye_moves(prepared, name) if _has(prepared, *fields) else None
    axis = name.rsplit("_", 1)[1]
    forces = role(prepared.log, *GRAVITY)
    return peaks_of_rows(prepared, axis) if _has(prepared, *forces) else None


def _eye_moves(prepared: Prepared, time: Arrays, worn_s: Floats | None) -> dict[str, Floats]:
    """Return the sum of both directions first; both are counted in the same intervals."""
    data = _moves(prepared, time, worn_s, "eye")
    names = ("eye_moves_horizontal_per_h", "eye_moves_vertical_per_h")
    if not set(names) <= set(data):
        return data
    return {"eye_moves_per_h": data[names[0]] + data[names[1]], **data}


def _weights(prepared: Prepared, time: Arrays, kind: str) -> Floats | None:
    """Return the weights of bins; single intervals have equal weights."""
    return time_weights(time, kind, prepared.records) if is_resampled(prepared.frame) else None


def _tilt(prepared: Prepared, time: Arrays) -> dict[str, Floats]:
    weights = _weights(prepared, time, "motion")
    if has_single_rows(prepared.log):
        tilts = tilt_of_rows(prepared) if _has(prepared, *role(prepared.log, *GRAVITY)) else {}
    else:
        tilts = {
            noun: prepared.values(name)
            for noun, part in TILT.items()
            for name in role(prepared.log, part)
            if _has(prepared, name)
        }
    return {
        f"tilt_{noun}_deg": circular_mean(angles, weights, prepared.groups)
        for noun, angles in tilts.items()
    }


def _scores(prepared: Prepared, time: Arrays) -> dict[str, Any]:
    weights, groups = _weights(prepared, time, "static"), prepared.groups
    data: dict[str, Any] = {}
    for name in role(prepared.log, "score"):
        if not _has(prepared, name):
            continue
        values = prepared.values(name)
        valid = count_values(values, groups)
        if weights is None:
            data[f"{name}_mean"] = mean(values, groups)
            data[f"{name}_high_share"] = ratio(count_rows(values >= HIGH_SCORE, groups), valid)
        else:
            high = np.where(np.isnan(values), np.nan, values >= HIGH_SCORE)
            data[f"{name}_mean"] = weighted_mean(values, weights, groups)
            data[f"{name}_high_share"] = weighted_mean(high, weights, groups)
        data[f"{name}_n"] = as_counts(valid)
    return data
