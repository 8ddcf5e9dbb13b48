"""The walking of a day: its busiest minutes, and the speed classes of its steps."""

from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.gait.pace import steps
from eyelog.analysis.grouped.groups import By, Groups, time_groups
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import count_rows, ratio, total
from eyelog.analysis.grouped.summary import as_counts, prepare, summary_table
from eyelog.analysis.series.arrays import Floats
from eyelog.catalogue import STANDARD_MODE_LOGS, log_named, role
from eyelog.checks import whole_number
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import require_single_intervals

__all__ = ["peak_cadence", "speed_classes"]

CLASSES = ("fastest", "medium", "slow", "slowest")  # in the order of the catalogue


@with_frame_options
def peak_cadence(
    frame: pd.DataFrame,
    *,
    minutes: int = 30,
    min_coverage: float = 0.75,
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return the mean steps of each local day's busiest minutes.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with its steps.
    minutes : int
        How many of the busiest minutes, not necessarily in a row; usually 1, 30 or 60.
    min_coverage : float
        Smallest share of its records that a minute needs to be counted.
    limits, judge, stamp, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``day``, days with records. Float64 ``peak_spm`` (steps per clock minute; missing if
        fewer minutes were observed than are averaged), int64 ``n`` (observed minutes), int64
        ``complete`` (how many of the averaged minutes have all of their records; the others are
        lower bounds), float64 ``exposure_min`` (observed minutes) and ``coverage`` (share of the
        day).

    Raises
    ------
    ConfigurationError
        If the frame is resampled, or an argument cannot be used.

    Notes
    -----
    Peak 1-, 30- and 60-minute cadence after Tudor-Locke et al. (2018, Br J Sports Med 52:776).
    These are steps per clock minute: an indicator of natural effort, not a pace.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> one, thirty = (el.gait.peak_cadence(frame, minutes=m)["peak_spm"] for m in (1, 30))
    >>> bool((one.dropna() >= thirty.dropna()).all())
    True
    """
    opened = open_frame(frame, "gait.peak_cadence", **options)
    which = opened.log
    require_single_intervals(frame, opened.purpose)
    minutes = whole_number(minutes, "minutes", 1)
    if not 0 < min_coverage <= 1:
        raise ConfigurationError(f"min_coverage must lie in (0, 1], not {min_coverage!r}")
    prepared = prepare(opened, role(which, "steps"), "1D")
    taken = steps(prepared.frame, which)
    index = prepared.index
    clock = time_groups(index, "1min", stamp=opened.stamp, clock=prepared.clock)
    room = 60.0 / log_named(which).interval_s
    counted = count_rows(~np.isnan(taken), clock)
    made = np.where(counted >= min_coverage * room, total(taken, clock), np.nan)
    whole = counted >= room
    days = prepared.groups
    # Each minute belongs to the day of its rows; minutes of a day that is left out are not counted.
    day = _day_of(clock, days, len(index))
    seen = ~np.isnan(made) & (day >= 0)
    day, made, whole = day[seen], made[seen], whole[seen]
    # Among minutes with equal steps, the complete ones come first.
    order = np.lexsort((~whole, -made, day))
    day, made, whole = day[order], made[order], whole[order]
    n = np.bincount(day, minlength=len(days))
    rank = np.arange(len(day)) - np.repeat(np.cumsum(n) - n, n)
    best = rank < minutes
    top: Floats = np.zeros(len(days))
    np.add.at(top, day[best], made[best])
    complete = np.bincount(day[best & whole], minlength=len(days))
    data = {
        "peak_spm": np.where(n >= minutes, top / minutes, np.nan),
        "n": n.astype(np.int64),
        "complete": np.where(n >= minutes, complete, 0).astype(np.int64),
        "exposure_min": n.astype(np.float64),
        "coverage": np.minimum(ratio(n.astype(np.float64) * 60.0, days.seconds), 1.0),
    }
    return summary_table(data, prepared, minutes=minutes)


def _day_of(minutes: Groups, days: Groups, rows: int) -> npt.NDArray[np.int64]:
    """Return the number of the day that each minute with rows belongs to, -1 for the others."""
    day = np.full(len(minutes), -1, dtype=np.int64)
    filled = minutes.filled
    day[filled] = days.row_codes(rows)[minutes.bounds[filled]]
    return day


@with_frame_options
def speed_classes(
    frame: pd.DataFrame, *, by: By = None, **options: Unpack[FrameOptions]
) -> pd.DataFrame:
    """Return how many steps fall into each class of speed.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 60-second log with ``stp_fst``, ``stp_mid``, ``stp_slw`` and ``stp_vsl``.
    by, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64 ``steps``,
        ``share_fastest`` (280 to 370 ms per step), ``share_medium`` (380 to 440), ``share_slow``
        (450 to 590) and ``share_slowest`` (600 to 1000), which add up to 1 (missing without steps),
        int64 ``n`` (records with steps counted), float64 ``exposure_min`` (their minutes) and
        ``coverage`` (share of the expected records).

    Raises
    ------
    FieldError
        If the frame lacks a field; the 15-second log has no classes.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.gait.speed_classes(el.sample("standard_mode_logs"))
    >>> round(float(table.filter(like="share_").sum(axis=1).iloc[0]), 9)
    1.0
    """
    opened = open_frame(frame, "gait.speed_classes", **options)
    which = opened.log
    if len(role(which, "steps")) < len(CLASSES):
        raise FieldError(
            f"gait.speed_classes needs the {log_named(STANDARD_MODE_LOGS).words}: the"
            f" {log_named(which).words} has no step classes"
        )
    prepared = prepare(opened, role(which, "steps"), by)
    taken = steps(prepared.frame, which)
    present = ~np.isnan(taken)
    made = total(taken, prepared.groups)
    data: dict[str, Any] = {"steps": made}
    for noun, name in zip(CLASSES, role(which, "steps"), strict=True):
        of_class = total(np.where(present, prepared.values(name), np.nan), prepared.groups)
        data[f"share_{noun}"] = ratio(of_class, made)
    data["n"] = as_counts(total(np.where(present, prepared.records, 0.0), prepared.groups))
    data["exposure_min"] = prepared.minutes(present)
    data["coverage"] = prepared.coverage(present)
    return summary_table(data, prepared)
