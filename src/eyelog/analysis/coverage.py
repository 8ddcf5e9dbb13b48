"""Coverage and gaps: how much of the time was recorded, and where records are missing.

These tables describe the data and change nothing in it. There are three kinds of gaps (after
LightLogR): *implicit*, no row; *explicit*, a row in which every value is missing; *irregular*,
stamps off the grid.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.analysis.grouped import reductions
from eyelog.analysis.grouped.groups import day_groups, time_groups
from eyelog.analysis.grouped.opening import open_frame
from eyelog.analysis.grouped.summary import lone_rows, needed, records_of
from eyelog.analysis.limits import Limits
from eyelog.analysis.quality.evidence import (
    Evidence,
    blink_evidence,
    seconds_of,
)
from eyelog.analysis.quality.flags import judged_columns
from eyelog.analysis.quality.unjudged import one_warning
from eyelog.analysis.quality.values import evidence
from eyelog.analysis.series.arrays import Bools, Floats, Ints, numbers
from eyelog.analysis.series.observed import stamps_at
from eyelog.analysis.series.packets import PACKET_US, packets
from eyelog.analysis.series.runs import runs
from eyelog.analysis.shared_parameters import shared_parameters
from eyelog.catalogue import catalogue, log_named, role, role_field
from eyelog.clock import DAY_US, microseconds
from eyelog.frame import OFFSET, interval_seconds, is_resampled
from eyelog.provenance import derived

__all__ = ["coverage", "gaps"]

Gap = tuple[int, int, int, str]  # start, end, whole intervals, kind
SECOND_US: Final = 1_000_000


@one_warning()
@shared_parameters
def coverage(
    frame: pd.DataFrame,
    *,
    by: str = "1D",
    limits: Limits | None = None,
    log: str | None = None,
    stamp: str = "end",
) -> pd.DataFrame:
    """Return how much of each day, or other bin, was recorded, worn, valid, walked and counted.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or one that `eyelog.resample` has made.
    by : str
        Days (``"1D"``, ``"7D"``), weeks (``"W"``) or up to a day (``"1h"``).
    limits, log
        As in `eyelog.daily`.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.

    Returns
    -------
    DataFrame
        Every bin from the first record to the last, including empty ones. Index: for days and weeks
        ``day``, the date of their first day, without a zone; for shorter bins ``date``, the stamp
        that closes them (opens them under ``"start"``). Columns: int64 ``n`` (records), then
        float64 ``recorded_h``, ``expected_h`` (23 or 25 on a day on which the clocks change, other
        hours on a day of travel, where the frame has ``utc_offset_min``), ``coverage``
        (recorded / expected, at most 1), ``worn_h``, ``valid_h`` (worn, and resting eye data
        usable) and ``walking_h``. Then the time that a total of steps misses: ``unworn_h``
        (recorded, not worn), ``uncounted_h`` (recorded, without a step count: the eyewear was off
        or stored) and ``capped`` (intervals with a step count at its cap, which is a lower bound).
        All of these are missing if nothing was recorded, or the evidence was not.

    Raises
    ------
    ConfigurationError
        If `by`, `stamp` or the index cannot be used, nothing shows which log it is, the records
        overlap (two sources), or the frame was masked with other limits.
    MixedLogsError
        If the frame has fields of both logs.

    Notes
    -----
    Under ``stamp="end"`` a first day that has only the record that closes it is left out: a fetch
    selects by stamp. A record in which every value is missing is not recorded time. A masked frame,
    or a resampled one, has the same hours as the frame it was made from; but the bins of a
    resampled frame do not show which records had a step count, so ``uncounted_h`` and ``capped``
    are missing there. The steps of a day are a lower bound: steps taken without the eyewear are not
    recorded.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.coverage(el.sample("standard_mode_logs"))
    >>> bool((table["worn_h"] <= table["recorded_h"]).all())
    True
    """
    opened = open_frame(frame, "coverage", log=log, limits=limits, stamp=stamp)
    opened.warn_of_lacking()
    frame, index, clock = opened.frame, opened.index(), opened.clock()
    records = records_of(frame)
    groups = time_groups(index, by, stamp=stamp, label="auto", clock=clock)
    if len(groups):
        # The days from the first to the last that have more than a boundary record.
        filled = groups.labels.isin(
            day_groups(index, stamp=stamp, every=by, lone=lone_rows(frame), clock=clock).labels
        )
        between = np.logical_or.accumulate(filled) & np.logical_or.accumulate(filled[::-1])[::-1]
        groups = groups.keep(between)
    rows = opened.evidence()
    time = seconds_of(rows)
    recorded_s = time["recorded_s"]
    n = np.nan_to_num(reductions.total(np.where(recorded_s > 0, records, 0.0), groups))
    recorded = np.nan_to_num(reductions.total(recorded_s, groups)) / 3600
    expected = groups.seconds / 3600
    data: dict[str, Any] = {
        "n": np.rint(n).astype(np.int64),
        "recorded_h": recorded,
        "expected_h": expected,
        "coverage": np.minimum(recorded / expected, 1.0),
    }
    for noun in ("worn", "valid", "walking"):
        data[f"{noun}_h"] = reductions.total(time[f"{noun}_s"], groups) / 3600
    unworn_s = recorded_s - time["worn_s"]
    uncounted_s, capped = _step_counts(rows, recorded_s)
    data["unworn_h"] = reductions.total(unworn_s, groups) / 3600
    data["uncounted_h"] = reductions.total(uncounted_s, groups) / 3600
    data["capped"] = reductions.total(capped, groups)
    if clock.tz is None and (offsets := groups.offsets_min(clock)) is not None:
        data[OFFSET] = offsets
    table = pd.DataFrame(data, index=groups.labels)
    return derived(
        table,
        frame,
        "coverage",
        log=opened.log,
        interval_s=None,
        by=str(by),
        stamp=stamp,
        limits=opened.limits.details(),
    )


def _step_counts(evidence: Evidence, recorded_s: Floats) -> tuple[Floats, Floats]:
    """Return, for each row, the recorded seconds without a step count, and whether one is capped.

    Both are missing if the frame has no steps, and in bins, which have only their sums.
    """
    frame, log = evidence.frame, evidence.log
    names = role(log, "steps")
    if is_resampled(frame) or not set(names) <= set(frame.columns):
        missing = np.full(len(frame), np.nan)
        return missing, missing
    # Eyewear that is off or stored counts no steps, whatever its records say: judging masks them,
    # and changes nothing in a masked frame.
    used = [*names, *(blink_evidence(log) if evidence.limits.wear == "blinks" else ())]
    table = frame.chosen(needed(frame, log, used))
    judged_steps = judged_columns(table, evidence)
    uncounted = np.isnan(reductions.sum_fields(judged_steps, names))
    capped = np.zeros(len(frame), dtype=bool)
    for name in names:
        capped |= numbers(judged_steps[name]) == catalogue(log)[name].max
    return np.where(uncounted, recorded_s, 0.0), np.where(recorded_s > 0, capped, np.nan)


def gaps(frame: pd.DataFrame, *, log: str | None = None, stamp: str = "end") -> pd.DataFrame:
    """Return where records are missing, empty, or off the grid.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or one that `eyelog.resample` has made.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.

    Returns
    -------
    DataFrame
        One row per gap, in order of time. Columns: ``start``, ``end`` (stamps in the frame's zone:
        the time that no value covers), ``duration`` (timedelta), int64 ``n_expected`` (whole
        intervals that fit in), and ``kind``:

        - ``implicit``: there are no rows;
        - ``explicit``: there are rows, and every value in them is missing (with the short
          remainders between such rows, where their grid of stamps restarts);
        - ``irregular``: less than one interval between two records, or records that overlap
          (then ``duration`` is 0): the grid of stamps restarts.

        In the 20 Hz log, whose stamps are uneven, there are two other kinds:

        - ``lost``: packets of a connection that did not arrive, by their numbers (without numbers,
          a pause of more than 1 s); ``n_expected`` counts them;
        - ``asleep``: from the end of a connection to the next one: the eyewear was held upside
          down or put away, or the phone was out of reach.

    Raises
    ------
    ConfigurationError
        If the index or `stamp` cannot be used, or nothing shows which log it is.
    MixedLogsError
        If the frame has fields of both logs.

    Notes
    -----
    A record covers the interval before its stamp. The 15-second log starts a new grid each
    time the phone connects, so most of its gaps have an ``implicit`` part of whole intervals and an
    ``irregular`` remainder; the durations add up to all the time without a value between the first
    record and the last. Time before the first record and after the last is not a gap: the range
    that was meant is unknown here.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.gaps(el.sample())
    >>> bool((table["end"] >= table["start"]).all())
    True
    """
    opened = open_frame(frame, "gaps", log=log, stamp=stamp)
    frame, which, index = opened.frame, opened.log, opened.index()
    if log_named(which).numbers_packets and not is_resampled(frame):
        return _of_packets(frame, which, index)
    step = round(interval_seconds(frame, which) * SECOND_US)
    # Bins of whole days follow the local calendar: 23 or 25 hours are not a gap there.
    calendar = step % DAY_US == 0
    clock, us = opened.clock(), microseconds(index)
    if calendar:
        # A day closes where the next one opens, whatever the clock shows then.
        closing = stamp == "end"
        us = (clock.wall_us(us - closing) // DAY_US + closing) * DAY_US
    firsts, lasts = runs(_vacant(frame, which), us, step)
    rows = [*_between(us, step, firsts, lasts), *_explicit(us, step, firsts, lasts)]
    opens = np.array([row[0] for row in rows], dtype=np.int64)
    order = np.argsort(opens, kind="stable")
    late = step if stamp == "start" else 0

    def times(place: int) -> pd.DatetimeIndex:
        at_us = np.array([row[place] for row in rows], dtype=np.int64)[order] + late
        return stamps_at(clock.instants(at_us) if calendar else at_us, index.tz)

    expected = np.array([row[2] for row in rows], dtype=np.int64)[order]
    table = _table(times(0), times(1), expected, [rows[i][3] for i in order])
    if calendar:  # a day that the clock skipped does not lack records
        table = table[table["duration"] > pd.Timedelta(0)].reset_index(drop=True)
    return derived(table, frame, "gaps", log=which, stamp=stamp)


def _table(
    opens: pd.DatetimeIndex, closes: pd.DatetimeIndex, expected: Ints, kinds: Sequence[str]
) -> pd.DataFrame:
    start, end = pd.Series(opens), pd.Series(closes)
    return pd.DataFrame(
        {
            "start": start,
            "end": end,
            "duration": end - start,
            "n_expected": expected,
            "kind": pd.Series(kinds, dtype="string"),
        }
    )


def _of_packets(frame: pd.DataFrame, log: str, index: pd.DatetimeIndex) -> pd.DataFrame:
    """Return the gaps between packets: those lost, and the time between two connections."""
    here = ~_vacant(frame, log)
    us = microseconds(index)[here]
    sequence = evidence(frame, role_field(log, "sequence"), log)
    sequence = None if sequence is None else sequence[here]
    anew, missing = packets(us, sequence)
    rows = np.flatnonzero((missing > 0) | anew)
    # A connection opens one packet before its first stamp; lost packets end at the latest where the
    # next packet arrives.
    ends = np.where(anew, us - PACKET_US, np.minimum(us, np.roll(us, 1) + missing * PACKET_US))
    start = us[rows - 1]
    end = np.maximum(ends[rows], start)
    expected = np.where(anew[rows], (end - start) // PACKET_US, missing[rows])
    kinds = np.where(anew[rows], "asleep", "lost").tolist()
    table = _table(stamps_at(start, index.tz), stamps_at(end, index.tz), expected, kinds)
    return derived(table, frame, "gaps", log=log)


def _between(us: Ints, step: int, firsts: Ints, lasts: Ints) -> list[Gap]:
    """Return the gaps between neighbouring rows, except those inside runs of empty rows."""
    space = np.diff(us) - step
    inside = np.zeros(len(us) + 1, dtype=np.int64)
    inside[firsts] += 1
    inside[lasts] -= 1
    between = (space != 0) & (np.cumsum(inside)[: len(space)] == 0)
    rows: list[Gap] = []
    for i in np.flatnonzero(between):
        start, free = int(us[i]), max(int(space[i]), 0)
        whole = free // step
        if whole:
            rows.append((start, start + whole * step, whole, "implicit"))
        if not whole or free % step:
            rows.append((start + whole * step, start + free, 0, "irregular"))
    return rows


def _vacant(frame: pd.DataFrame, log: str) -> Bools:
    """Return the rows in which every field of the log is missing."""
    names = [name for name in frame.columns if name in catalogue(log)]
    vacant = np.full(len(frame), bool(names))
    for name in names:
        if not vacant.any():
            break
        vacant &= frame[name].isna().to_numpy()
    return vacant


def _explicit(us: Ints, step: int, firsts: Ints, lasts: Ints) -> list[Gap]:
    """Return the runs of empty rows."""
    starts, ends = (us[firsts] - step).tolist(), us[lasts].tolist()
    return [
        (start, end, (end - start) // step, "explicit")
        for start, end in zip(starts, ends, strict=True)
    ]
