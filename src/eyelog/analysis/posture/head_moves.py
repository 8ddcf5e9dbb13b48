"""Head movements per worn hour."""

from typing import Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.groups import By
from eyelog.analysis.grouped.of_wearer import Of, check_of, of_wearer
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import count_rows, quantile, ratio, total
from eyelog.analysis.grouped.summary import as_counts, counted_s, prepare, summary_table
from eyelog.catalogue import log_named, role, role_field
from eyelog.frame import require

__all__ = [
    "head_movements",
]

DIRECTIONS = ("pitch", "yaw")


@with_frame_options
def head_movements(
    frame: pd.DataFrame, *, by: By = None, of: Of = "minutes", **options: Unpack[FrameOptions]
) -> pd.DataFrame:
    """Return head movements per worn hour, with typical values of single intervals.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with ``hm_po``, ``hm_yo`` and the evidence of wear (``isl`` of the
        15-second log, ``wea_s`` of the 60-second log).
    by, of, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``pitch_per_h`` and ``yaw_per_h`` (nods and turns of the head per worn hour),
        ``pitch_p90``, ``pitch_p99``, ``yaw_p90`` and ``yaw_p99`` (percentiles of the counts of
        single intervals), int64 ``n`` (intervals), float64 ``exposure_min`` (minutes worn in
        them) and ``coverage`` (share of the expected records that were counted; for labels, of
        their records). Missing without worn time.

        With ``of="wearer"`` also float64 ``pitch_low``, ``pitch_high``, ``yaw_low`` and
        ``yaw_high`` (95 % intervals of the wearer's, with local days as the units, see
        `eyelog.blinks.rate`), int64 ``days``, and strings ``of`` and ``reason`` (why there is no
        interval: fewer than four days, or a count of 0).

    Notes
    -----
    Counts of head movements are approximately exponentially distributed, so the vendor takes the
    90th or 99th percentile of single intervals as the typical value, not the mean. Percentiles are
    interpolated linearly. In a resampled frame the intervals are its bins.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.posture.head_movements(el.sample(), by="1D")
    >>> bool((table["yaw_p99"] >= table["yaw_p90"]).all())
    True
    """
    opened = open_frame(frame, "posture.head_movements", **options)
    which = opened.log
    check_of(of)
    if "exposure_min" not in frame.columns:
        require(frame, role(which, "worn"), purpose=opened.purpose)
    fields = {noun: role_field(which, f"head_moves_{noun}") for noun in DIRECTIONS}
    prepared = prepare(opened, fields.values(), by)
    worn_s = counted_s(prepared.whole, "head_moves_pitch", prepared.seconds())
    moves = {noun: prepared.values(name) for noun, name in fields.items()}
    counted = ~np.isnan(sum(moves.values()) + worn_s)
    hours = total(np.where(counted, worn_s, np.nan), prepared.groups) / 3600.0
    data = {
        f"{noun}_per_h": ratio(total(np.where(counted, made, np.nan), prepared.groups), hours)
        for noun, made in moves.items()
    }
    for noun, made in moves.items():
        for percent in (90, 99):
            data[f"{noun}_p{percent}"] = quantile(
                np.where(counted, made, np.nan), percent / 100, prepared.groups
            )
    table = data | {
        "n": as_counts(count_rows(counted, prepared.groups)),
        "exposure_min": np.nan_to_num(hours) * 60.0,
        "coverage": prepared.coverage(counted),
    }
    if of == "wearer":
        for noun, made in moves.items():
            used = np.where(counted, made, np.nan), np.where(counted, worn_s, np.nan)
            wearer = of_wearer(
                prepared, data[f"{noun}_per_h"], (*used, used[1]), lambda n, s: ratio(n * 3600.0, s)
            )
            table |= {f"{noun}_low": wearer.low, f"{noun}_high": wearer.high}
        table |= wearer.about()  # the same days for both
    return summary_table(
        table, prepared, of=of, interval_of_percentiles_s=log_named(which).interval_s
    )
