"""Coverage and gaps: how much of the time was recorded, and where records are missing.

These tables describe the data and change nothing in it. There are three kinds of gaps (after
LightLogR): *implicit*, no row; *explicit*, a row in which every value is missing; *irregular*,
stamps off the grid.
"""

from typing import Any

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import Ints
from eyelog.analysis.series.packets import PACKET_US, packets
from eyelog.analysis.series.runs import runs
from eyelog.catalogue import log_named
from eyelog.clock import stamps_at
from eyelog.frame import takes_tables
from eyelog.judge.intervals import Rows, enter, is_intervals, sums
from eyelog.judge.limits import Limits, limits_of
from eyelog.judge.terms import ratio
from eyelog.measure.groups import By, as_counts, group, result
from eyelog.provenance import derived


@takes_tables
def coverage(
    frame: pd.DataFrame,
    *,
    by: By = "day",
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return how much of each day, or other group, was recorded, worn, valid, walked and counted.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals (`eyelog.intervals`).
    by : str, Series, array or list, optional
        ``"day"``, ``"week"``, ``"hour"``, ``"weekday"`` (0 is Monday) or ``"weekend"``; a width
        (``"10min"``, ``"1h"``, ``"7D"``); the name of a column, a Series by stamp or an array: a
        label for each row; or several of these in a list. None: all rows, as one group.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night. Default: midnight.

    Returns
    -------
    DataFrame
        Days, weeks and bins: each from the first with records to the last, also those without any.
        Other groups: those with records. Days and weeks are named by the date of their first day,
        without a zone; shorter bins by when they open. Columns: int64 ``n`` (records), then float64
        ``recorded_h``, ``expected_h`` (of a day 24, or 23 or 25 where the clocks change, or other
        hours on a day of travel; of hours of day, weekdays and all rows those between the first row
        and the last; of labels those of their rows), ``coverage`` (recorded / expected, at most 1),
        ``worn_h``, ``valid_h`` (worn, and resting eye data usable) and ``walking_h``. Then the time
        that a total of steps misses: ``unworn_h`` (recorded, not worn), ``uncounted_h`` (recorded,
        without a step count: the eyewear was off or stored) and ``capped`` (intervals with a step
        count at its cap, which is a lower bound). The hours from ``worn_h`` on are missing if
        nothing was recorded, or the evidence was not.

    Raises
    ------
    ConfigurationError
        If `by`, `day_starts` or the index cannot be used, nothing shows which log it is, the
        records overlap (two sources), the frame was masked with other limits, or the bins between
        the first record and the last are very many and hardly any hold records.
    MixedLogsError
        If the frame has fields of both logs.

    Notes
    -----
    A first day that has only the record that closes the day before is left out: a fetch selects by
    stamp. A record in which every value is missing is not recorded time. A masked frame, and
    Intervals, have the same hours as the frame that they were made from; only where the whole of
    them is one group (``by=None``, and hours and weekdays) do Intervals reach from the opening of
    the first to the closing of the last, whether or not records fill these two. The steps of a day
    are a lower bound: steps taken without the eyewear are not recorded.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.coverage(el.sample("standard_mode_logs"))
    >>> bool((table["worn_h"] <= table["recorded_h"]).all())
    True
    >>> el.coverage(el.sample(), by="weekend").index.tolist()
    ['weekday', 'weekend']
    """
    options: dict[str, Any] = {"limits": limits, "log": log, "day_starts": day_starts}
    rows = enter(frame, "coverage", ["gait"], **options, time=True).warn()
    groups = group(rows, by, empty=True)
    total = sums(rows, groups.codes, len(groups), ["gait"])
    recorded_s, unknown = np.nan_to_num(total["recorded_s"]), np.full(len(groups), np.nan)
    data: dict[str, Any] = {
        "n": as_counts(total["n"]),
        "recorded_h": recorded_s / 3600,
        "expected_h": groups.seconds / 3600,
        # Records are not aligned with the clock, so one more than fits can open in a bin.
        "coverage": np.minimum(np.nan_to_num(ratio(recorded_s, groups.seconds)), 1.0),
    }
    for noun in ("worn", "valid", "walking", "unworn", "uncounted"):
        data[f"{noun}_h"] = total.get(f"{noun}_s", unknown) / 3600
    data["capped"] = total.get("capped_n", unknown)
    return result(rows, groups, data, day_starts=day_starts)


@takes_tables
def gaps(frame: pd.DataFrame, *, log: str | None = None) -> pd.DataFrame:
    """Return where records are missing, empty, or off the grid.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals (`eyelog.intervals`).
    log : str, optional
        The log, if neither the provenance nor the columns show it.

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
        If the index cannot be used, nothing shows which log it is, or the records overlap (two
        sources).
    MixedLogsError
        If the frame has fields of both logs.

    Notes
    -----
    A record covers the interval before its stamp. The 15-second log starts a new grid each
    time the phone connects, so most of its gaps have an ``implicit`` part of whole intervals and an
    ``irregular`` remainder; the durations add up to all the time without a value between the first
    record and the last. Time before the first record and after the last is not a gap: the range
    that was meant is unknown here. Gaps between Intervals are whole rows that have no records.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.gaps(el.sample())
    >>> bool((table["end"] >= table["start"]).all())
    True
    """
    # Which limits the frame was masked with makes no difference to its gaps.
    used = limits_of(frame) if isinstance(frame, pd.DataFrame) else None
    rows = enter(frame, "gaps", (), limits=used, log=log, wide=is_intervals(frame))
    if rows.single:
        found = _between_packets(rows)
    elif rows.made:
        found = _between_intervals(rows)
    else:
        found = _between_records(rows)
    start_us, end_us, expected, kinds = found
    order = np.argsort(start_us, kind="stable")
    start, end = (pd.Series(stamps_at(us[order], rows.tz)) for us in (start_us, end_us))
    table = pd.DataFrame(
        {
            "start": start,
            "end": end,
            "duration": end - start,
            "n_expected": expected[order].astype(np.int64),
            "kind": pd.Series(kinds[order], dtype="string"),
        }
    )
    return derived(table, frame, "gaps", log=rows.log or None)


Found = tuple[Ints, Ints, Ints, np.ndarray]  # start, end, whole intervals, kind


def _between_records(rows: Rows) -> Found:
    """Return the runs of empty records, and the time between all others that no record covers."""
    opens, closes, length = rows.opens_us, rows.closes_us, log_named(rows.log).interval_us
    first, last = runs(~rows.records.context.recorded, closes, float(length))
    within = np.zeros(len(rows) + 1, dtype=np.int64)  # the space between two rows of a run
    within[first] += 1
    within[last] -= 1
    space = opens[1:] - closes[:-1]
    after = np.flatnonzero((space != 0) & (np.cumsum(within)[: len(space)] == 0))
    start, end = closes[after], closes[after] + np.maximum(space[after], 0)
    whole = (end - start) // length
    turn = start + whole * length  # where whole intervals end, and a remainder begins
    some, rest = whole > 0, (whole == 0) | (turn < end)
    return (
        np.concatenate([opens[first], start[some], turn[rest]]),
        np.concatenate([closes[last], turn[some], end[rest]]),
        np.concatenate([(closes[last] - opens[first]) // length, whole[some], 0 * whole[rest]]),
        np.repeat(["explicit", "implicit", "irregular"], [len(first), some.sum(), rest.sum()]),
    )


def _between_intervals(rows: Rows) -> Found:
    """Return the time between Intervals."""
    after = np.flatnonzero(rows.opens_us[1:] > rows.closes_us[:-1])
    start, end = rows.closes_us[after], rows.opens_us[after + 1]
    # Midnight and the clock may have cut the rows that are missing.
    longest = (rows.closes_us - rows.opens_us).max(initial=1)
    whole = np.maximum(np.rint((end - start) / longest), 1).astype(np.int64)
    return start, end, whole, np.repeat(["implicit"], len(after))


def _between_packets(rows: Rows) -> Found:
    """Return the gaps between packets: those lost, and the time between two connections."""
    here = rows.records.context.recorded
    us = rows.closes_us[here]
    sequence = rows.records.evidence("sequence")
    anew, missing = packets(us, None if sequence is None else sequence[here])
    after = np.flatnonzero((missing > 0) | anew)
    # A connection opens one packet before its first stamp; lost packets end at the latest where the
    # next packet arrives.
    ends = np.where(anew, us - PACKET_US, np.minimum(us, np.roll(us, 1) + missing * PACKET_US))
    start = us[after - 1]
    end = np.maximum(ends[after], start)
    expected = np.where(anew[after], (end - start) // PACKET_US, missing[after])
    return start, end, expected, np.where(anew[after], "asleep", "lost")
