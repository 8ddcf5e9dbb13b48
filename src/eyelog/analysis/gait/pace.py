"""Pace: steps per minute of walking.

The steps are divided by the time walked, not by clock time: steps per clock minute are not a
cadence (Dall et al. 2013).
"""

from typing import Unpack, cast

import numpy as np
import pandas as pd

from eyelog.analysis.gait.each_step import has_single_steps, single_steps
from eyelog.analysis.grouped.groups import By, Groups
from eyelog.analysis.grouped.of_wearer import Of, check_of, of_wearer
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import count_rows, ratio, sum_fields, total
from eyelog.analysis.grouped.summary import as_counts, prepare, summary_table
from eyelog.analysis.limits import limit
from eyelog.analysis.quality.evidence import Evidence
from eyelog.analysis.series.arrays import Bools, Floats, Table, numbers
from eyelog.catalogue import log_named, role, role_field
from eyelog.clock import microseconds
from eyelog.frame import is_resampled

__all__ = [
    "pace",
]


def steps(frame: Table, log: str) -> Floats:
    """Return the steps of each row, missing if one of their classes is missing."""
    return sum_fields(frame, role(log, "steps"))


def pace_fields(log: str) -> list[str]:
    """Return the fields of the steps, and that which shows how long they took if there is one."""
    return [*role(log, "steps"), *role(log, "pace")]


def pace_parts(frame: Table, evidence: Evidence) -> tuple[Floats, Floats]:
    """Return the steps and the seconds walked of each row that has a pace; missing elsewhere.

    A bin of a resampled frame carries both sums over its intervals, so that the pace of bins is
    the pace of their intervals. A row of single steps has the time since the step before.
    """
    log, carried = evidence.log, is_resampled(frame)
    single = has_single_steps(log)
    needed = {"pace_steps", "pace_min"} if carried else {*pace_fields(log)}
    if not needed <= set(frame.columns) or not (single or role(log, "pace")):
        nothing = np.full(len(frame), np.nan)
        return nothing, nothing
    if carried:
        return numbers(frame["pace_steps"]), numbers(frame["pace_min"]) * 60.0
    if single:
        return _of_single_steps(frame, evidence)
    taken, other = steps(frame, log), numbers(frame[role_field(log, "pace")])
    if not log_named(log).states_seconds:
        # The time that the steps took: cadence is a rate, to be averaged over time, not steps.
        used = (taken > 0) & (other > 0)
        walked = ratio(taken * 60.0, np.where(used, other, np.nan))
    else:
        least_s = evidence.limits.seconds("min_walked_for_pace")
        used = ~np.isnan(taken) & (other > 0) & (other >= least_s)
        walked = np.where(used, other, np.nan)
    bent = _bent(frame, log)
    return np.where(used & ~bent, taken, np.nan), np.where(bent, np.nan, walked)


def _of_single_steps(frame: Table, evidence: Evidence) -> tuple[Floats, Floats]:
    """Return 1 and the step time in the rows of steps whose time is known."""
    events = single_steps(evidence, microseconds(cast(pd.DatetimeIndex, frame.index)))
    walked = np.full(len(frame), np.nan)
    walked[events.rows] = events.step_time_s
    return np.where(np.isnan(walked), np.nan, 1.0), walked


def _bent(frame: Table, log: str) -> Bools:
    """Return the intervals whose head is too far down, or up, for a pace; none without tilt."""
    rule = limit(log, "tilt_fore_aft_for_pace")
    name = role_field(log, rule.role)
    if name not in frame.columns:
        return np.zeros(len(frame), dtype=bool)
    return rule.breaks(numbers(frame[name]))


def pace_totals(frame: Table, evidence: Evidence, groups: Groups) -> tuple[Floats, Floats]:
    """Return the steps and the seconds walked behind the pace of each group."""
    taken, walked = pace_parts(frame, evidence)
    return total(taken, groups), total(walked, groups)


@with_frame_options
def pace(
    frame: pd.DataFrame, *, by: By = None, of: Of = "minutes", **options: Unpack[FrameOptions]
) -> pd.DataFrame:
    """Return the pace: steps per minute of walking.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log: ``stp`` and ``cad`` of the 15-second log; ``stp_fst``, ``stp_mid``,
        ``stp_slw``, ``stp_vsl`` and ``stp_s`` of the 60-second log; ``walking`` of the 20 Hz log.
    by, of
        As in `eyelog.blinks.rate`.
    limits : Limits, optional
        What counts as worn and in pose, and how much of a minute must be walked so that the walking
        is steady (60-second log: ``min_walked_for_pace``, the vendor's 50 s), see `eyelog.Limits`.
        Bins keep the pace of the limits that they were made with.
    judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``pace_spm`` (steps per minute; missing without walking), int64 ``n`` (intervals it is
        based on), float64 ``exposure_min`` (minutes walked in them) and ``coverage`` (share of
        the expected records in which steps could be counted; for labels, of their records).

        With ``of="wearer"`` also float64 ``low`` and ``high`` (95 %
        interval of the wearer's, with local days as the units, see `eyelog.blinks.rate`), int64
        ``days``, and strings ``of`` and ``reason`` (why there is no interval: fewer than four days,
        or a count of 0).

    Notes
    -----
    60-second log: 60 * sum(steps) / sum(``stp_s``), the vendor's formula pooled over minutes.
    15-second log: sum(``stp``) / sum(``stp`` / ``cad``), which is the same ratio of steps to the
    time they took; a mean of cadences would give quick intervals too much weight. In both logs an
    interval gives a pace only if its fore-aft tilt (``tl_yav``) is below 45 degrees (vendor
    documentation, analysis_sample): a wearer who looks down sways differently. A missing tilt does
    not exclude it. 20 Hz log: steps over the sum of their step times (`eyelog.gait.steps`),
    whatever the tilt.

    Examples
    --------
    >>> import eyelog as el
    >>> el.gait.pace(el.sample("standard_mode_logs"), by="1D").columns.tolist()
    ['pace_spm', 'n', 'exposure_min', 'coverage']
    """
    opened = open_frame(frame, "gait.pace", **options)
    which = opened.log
    check_of(of)
    prepared = prepare(opened, pace_fields(which), by)
    taken, walked = pace_parts(prepared.frame, prepared.known)
    spent = total(walked, prepared.groups)
    data = {
        "pace_spm": ratio(total(taken, prepared.groups) * 60.0, spent),
        "n": as_counts(count_rows(~np.isnan(walked), prepared.groups)),
        "exposure_min": np.nan_to_num(spent) / 60.0,
        "coverage": prepared.coverage(~np.isnan(steps(prepared.frame, which))),
    }
    if of == "wearer":
        wearer = of_wearer(
            prepared,
            np.asarray(data["pace_spm"]),
            (taken, walked, walked),
            lambda n, s: ratio(n * 60.0, s),
        )
        data |= {"low": wearer.low, "high": wearer.high} | wearer.about()
    return summary_table(data, prepared, of=of)
