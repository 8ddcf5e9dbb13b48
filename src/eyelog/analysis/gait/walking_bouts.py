"""Walking bouts: runs of walking, with the gait in each."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack, cast

import numpy as np
import pandas as pd

from eyelog.analysis.gait.each_step import has_single_steps
from eyelog.analysis.gait.pace import pace_fields, pace_totals, steps
from eyelog.analysis.gait.symmetry import symmetry
from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import count_rows, ratio, total, weighted_mean
from eyelog.analysis.grouped.summary import Prepared, as_counts, prepare, summary_table
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.analysis.series.durations import duration_us
from eyelog.analysis.series.runs import runs
from eyelog.catalogue import log_named, role
from eyelog.clock import microseconds
from eyelog.frame import OFFSET, require_single_intervals

__all__ = ["bouts"]

# The roles of a foot's fields in the catalogue, without the side.
SIDES = {
    "sway_sideways_cm": "sway_sideways",
    "sway_fore_aft_cm": "sway_fore_aft",
    "sway_vertical_cm": "sway_vertical",
    "landing_g": "landing",
}


@with_frame_options
def bouts(
    frame: pd.DataFrame,
    *,
    max_pause: str = "1min",
    min_length: str = "1min",
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return the walking bouts: runs of walking, with the gait in each.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with its steps (``stp``; ``stp_fst``, ``stp_mid``, ``stp_slw``,
        ``stp_vsl`` and ``stp_s``). Pace and, in the 15-second log, ``exposure_min`` need ``cad``;
        sway and landing need ``sa_*`` and ``st_*``: without them, and in the 20 Hz log
        (``walking``), these columns are missing.
    max_pause : str
        Longest time of recorded standing within a bout.
    min_length : str
        Shortest duration of a bout, from its first walked interval to its last.
    limits, judge, stamp, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``bout``, from 0 in order of time. Columns ``start`` and ``end`` (stamps; edges of
        intervals), float64 ``duration_min``, ``steps``, ``pace_spm``; means weighted by steps of
        right and left together: ``sway_sideways_cm``, ``sway_fore_aft_cm``, ``sway_vertical_cm``
        (head vibration) and ``landing_g`` (landing strength); ``landing_right_g``,
        ``landing_left_g``, ``landing_symmetry`` (unsigned symmetry index, percent); int64 ``n``
        (walked intervals), float64 ``exposure_min`` (minutes walked: 15-second log, the time that
        the steps took, 60 ``stp`` / ``cad``, at most the interval) and ``coverage`` (recorded
        share of the bout). Of a frame with ``utc_offset_min`` also that column: the wearer's clock
        where the bout begins, in minutes east of UTC.

    Raises
    ------
    ConfigurationError
        If the frame is resampled, or a duration is not valid.

    Notes
    -----
    A gap in the data ends a bout: a record that comes more than one and a half intervals after
    the one before, or one whose steps are missing (eyewear off or stored). Time without data counts
    neither as walking nor as a pause. In the 20 Hz log a bout goes from its first step to its last,
    and lost packets of less than a second do not end it.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.gait.bouts(el.sample(), max_pause="30s", min_length="2min")
    >>> bool((table["duration_min"] >= 2).all())
    True
    """
    opened = open_frame(frame, "gait.bouts", **options)
    which = opened.log
    require_single_intervals(frame, opened.purpose)
    pause = duration_us(max_pause, "max_pause", example="1min") / 1e6
    least = duration_us(min_length, "min_length", example="1min") / 1e6
    required = [*role(which, "steps"), *role(which, "walking_s")]
    sides = {
        noun: (role(which, f"{part}_right"), role(which, f"{part}_left"))
        for noun, part in SIDES.items()
    }
    optional = [*role(which, "pace")]
    optional += [name for pair in sides.values() for names in pair for name in names]
    prepared = prepare(opened, required, optional=optional)
    taken = steps(prepared.frame, which)
    # Steps below the limit for walking are steps, but not walking. A bout of single steps goes
    # from the first to the last.
    moving = taken > 0 if has_single_steps(which) else prepared.known.against[Reason.MOVING]
    spent = np.where(np.isnan(taken), np.nan, np.where(moving, 1.0, 0.0))
    index = prepared.index
    length = log_named(which).interval_s
    groups = _runs(index, spent, length, pause, least)
    prepared = replace(prepared, groups=groups)
    width = pd.Timedelta(length, "s").as_unit("us")
    opens, closes = (index - width, index) if opened.stamp == "end" else (index, index + width)
    rows = groups.rows(0)
    first, last = rows[groups.bounds[:-1]], rows[groups.bounds[1:] - 1]
    walked = (spent > 0) & ~np.isnan(spent)
    data: dict[str, Any] = {
        "start": opens[first],
        "end": closes[last],
        "duration_min": groups.seconds / 60.0,
        "steps": total(taken, groups),
        "pace_spm": np.full(len(groups), np.nan),
    }
    if set(pace_fields(which)) <= set(prepared.frame.columns):
        number, time = pace_totals(prepared.frame, prepared.known, prepared.groups)
        data["pace_spm"] = ratio(number * 60.0, time)
    data |= _sides(prepared, taken, sides)
    data["n"] = as_counts(count_rows(walked, groups))
    walked_s = numbers(prepared.seconds()["walking_s"])
    data["exposure_min"] = total(walked_s, groups) / 60.0
    data["coverage"] = prepared.coverage(~np.isnan(spent))
    if OFFSET in prepared.whole.columns:
        data[OFFSET] = prepared.clock.offset_min(microseconds(opens[first]))
    return summary_table(data, prepared, max_pause_s=pause, min_length_s=least)


def _runs(
    index: pd.DatetimeIndex, spent: Floats, length: float, pause: float, least: float
) -> Groups:
    """Return the runs of walking, pauses included; only walking begins and ends one."""
    us = index.as_unit("us").asi8
    stretches, _ = runs(~np.isnan(spent), us, length * 1e6)
    walked = np.flatnonzero(spent > 0)
    stretch = np.searchsorted(stretches, walked, side="right")
    still = np.diff(us[walked]) / 1e6 - length
    new = np.append(True, (np.diff(stretch) > 0) | (still > pause))[: len(walked)]
    first = walked[new]
    last = walked[np.append(new[1:], True)[: len(walked)]]
    duration = (us[last] - us[first]) / 1e6 + length
    kept = duration >= least
    first, last, duration = first[kept], last[kept], duration[kept]
    sizes = last - first + 1
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    order = np.arange(sizes.sum()) + np.repeat(first - bounds[:-1], sizes)
    return Groups(pd.RangeIndex(len(first), name="bout"), bounds, order, duration)


def _sides(
    prepared: Prepared, taken: Floats, sides: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
) -> dict[str, Floats]:
    """Return sway and landing of both feet, and the symmetry of the landings."""
    missing = np.full(len(taken), np.nan)

    def side(names: tuple[str, ...]) -> Floats:
        values = missing
        for name in names:  # one, or none in a log without them
            values = prepared.values(name) if name in prepared.frame.columns else missing
        return weighted_mean(values, taken, prepared.groups)

    feet = {noun: (side(right), side(left)) for noun, (right, left) in sides.items()}
    right, left = feet["landing_g"]
    alike = symmetry(pd.Series(right), pd.Series(left)).index
    return {noun: (r + other) / 2.0 for noun, (r, other) in feet.items()} | {
        "landing_right_g": right,
        "landing_left_g": left,
        "landing_symmetry": numbers(cast(pd.Series, alike)),
    }
