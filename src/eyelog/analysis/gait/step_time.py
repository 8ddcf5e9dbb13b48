"""Step time: how long a step takes, and how much that varies between records."""

from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.gait.pace import pace_fields, pace_parts, steps
from eyelog.analysis.grouped.groups import By, Groups
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import combined_sd, ratio, total, weighted_mean
from eyelog.analysis.grouped.summary import as_counts, prepare, summary_table
from eyelog.analysis.series.arrays import Floats

__all__ = ["StepTimes", "step_time", "step_times"]


class StepTimes(NamedTuple):
    """Mean step time and its spread between records of each group, in seconds; CV = SD / mean."""

    mean_s: Floats
    sd_between_s: Floats
    cv_between: Floats


def step_times(taken: Floats, walked: Floats, groups: Groups) -> StepTimes:
    """Return the step times of groups, from the steps and the seconds walked of each row."""
    rows, walking = groups.packed((taken > 0) & (walked > 0))
    number, of_row = taken[rows], walked[rows] / taken[rows]
    mean_s = weighted_mean(of_row, number, walking)
    between = combined_sd(np.zeros(len(rows)), of_row, number, walking).between
    between[walking.sizes < 2] = np.nan  # one record does not vary
    return StepTimes(mean_s, between, ratio(between, mean_s))


@with_frame_options
def step_time(
    frame: pd.DataFrame, *, by: By = None, **options: Unpack[FrameOptions]
) -> pd.DataFrame:
    """Return the mean time of a step while walking, and how much it varies between records.

    Parameters
    ----------
    frame : DataFrame
        As for `eyelog.gait.pace`.
    by, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64 ``step_time_ms``,
        ``step_time_sd_between_ms`` (SD of the mean step times of records, each weighted by its
        steps; missing with fewer than two records), ``step_time_cv_between`` (that SD / mean),
        int64 ``n`` (steps), float64 ``exposure_min`` (minutes walked) and ``coverage`` (share of
        the expected records in which steps could be counted; for labels, of their records).

    Notes
    -----
    The step time of a record is the time walked in it divided by its steps, as `eyelog.gait.pace`
    counts them, so ``step_time_ms`` is 60,000 / pace except for minutes of walking without a step.
    The 15- and 60-second logs do not contain single steps: the variation is that between records,
    each a mean over 15 or 60 seconds, and is smaller than that from step to step, which gait
    laboratories report (Hausdorff 2005, Journal of NeuroEngineering and Rehabilitation 2:19). It
    shows whether a wearer walks more unevenly than on other days, not how unevenly. Bins have one
    mean each and vary less. In the 20 Hz log each step is a record: the variation is that from step
    to step (`eyelog.gait.steps`), to which packets of 0.05 s and the uneven lag of the flags add
    some 40 ms.

    Examples
    --------
    >>> import eyelog as el
    >>> walked = el.gait.step_time(el.sample("standard_mode_logs")).loc["all"]
    >>> bool(400 < walked["step_time_ms"] < 700), bool(walked["step_time_cv_between"] < 0.2)
    (True, True)
    """
    opened = open_frame(frame, "gait.step_time", **options)
    which = opened.log
    prepared = prepare(opened, pace_fields(which), by)
    taken, walked = pace_parts(prepared.frame, prepared.known)
    made = step_times(taken, walked, prepared.groups)
    data = {
        "step_time_ms": made.mean_s * 1000.0,
        "step_time_sd_between_ms": made.sd_between_s * 1000.0,
        "step_time_cv_between": made.cv_between,
        "n": as_counts(total(taken, prepared.groups)),
        "exposure_min": np.nan_to_num(total(walked, prepared.groups)) / 60.0,
        "coverage": prepared.coverage(~np.isnan(steps(prepared.frame, which))),
    }
    return summary_table(data, prepared)
