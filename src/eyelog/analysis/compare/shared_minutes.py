"""Minutes of the 60-second log, filled with the records of the 15-second log that overlap them."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.grouped.reductions import by_rule
from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, log_named

__all__ = [
    "Minutes",
    "shared_minutes",
]


SHORT_US: Final = log_named(COMPUTED_DATA).interval_us

MINUTE_US: Final = log_named(STANDARD_MODE_LOGS).interval_us

SLACK_US: Final = 1_000_000  # stamps are whole seconds, so a second can seem to lie between records


@dataclass(frozen=True, slots=True)
class Minutes:
    """Minutes of the 60-second log, and which records of the 15-second log lie in them.

    Attributes
    ----------
    rows : array of int64
        Rows of the 60-second log within the time that both logs span.
    record, minute : arrays of int64
        One entry for each record and minute that overlap, minute by minute.
    overlap_us : array of float64
        For how long.
    length_us : array of float64
        The length of the record.
    groups : Groups
        The overlaps in groups, one for each minute.
    """

    rows: Ints
    record: Ints
    minute: Ints
    overlap_us: Floats
    length_us: Floats
    groups: Groups

    @property
    def n(self) -> int:
        """How many minutes."""
        return len(self.rows)

    def fill(self, values: Floats, rule: str, weights: Floats | None = None) -> Floats:
        """Return the value of each minute; missing if records with a value do not cover it."""
        inside = values[self.record]
        present = np.isfinite(inside)
        counts = None if weights is None else weights[self.record]
        if counts is not None:
            # A count of 0 leaves nothing to average, so a missing average is not a gap there.
            present = np.isfinite(counts) & (present | (counts == 0))
        share = np.where(present, self.overlap_us, 0.0)
        covered = self._add(share)
        whole = covered >= MINUTE_US - SLACK_US
        part = share / self.length_us
        weigh: Floats | None
        if rule == "sum":
            # A second without a record is assumed to be like the rest of the minute.
            scale = MINUTE_US / np.where(whole, covered, 1.0)
            inside, weigh = inside * part, None
        else:
            scale = np.ones(self.n)
            weigh = share if rule == "circ_mean" else part
            if counts is not None:
                weigh = weigh * np.where(present, counts, 0.0)
        inside = np.where(present & np.isfinite(inside), inside, np.nan)
        return np.where(whole, by_rule(rule, inside, weigh, self.groups) * scale, np.nan)

    def _add(self, parts: Floats) -> Floats:
        return np.asarray(np.bincount(self.minute, parts, self.n), dtype=np.float64)


def shared_minutes(fifteen: pd.Index, sixty: pd.Index) -> Minutes:
    """Match the sorted stamps of both logs; every stamp closes its interval.

    Minutes that begin before the previous one has ended (the clock was set) are left out.
    """
    short, long = (pd.DatetimeIndex(index).as_unit("us").asi8 for index in (fifteen, sixty))
    none = np.zeros(0, dtype=np.int64)
    if not (len(short) and len(long)):
        return Minutes(none, none, none, none.astype(float), none.astype(float), _grouped(none, 0))
    # A record that comes early, as when the phone reconnects, covers the time since the last one.
    opens = short - SHORT_US
    opens[1:] = np.maximum(opens[1:], short[:-1])
    orderly = np.diff(long, prepend=long[0] - MINUTE_US) >= MINUTE_US
    rows = np.flatnonzero(orderly & (long > opens[0]) & (long - MINUTE_US < short[-1]))
    ends = long[rows]
    first = np.searchsorted(ends, opens, side="right")  # the minute that ends after it opens
    record, minute, overlap = [], [], []
    for step in (0, 1):  # a record is shorter than a minute, so it overlaps two minutes at most
        at = first + step
        inside = np.flatnonzero(at < len(ends))
        begin = np.maximum(opens[inside], ends[at[inside]] - MINUTE_US)
        shared = np.minimum(short[inside], ends[at[inside]]) - begin
        some = shared > 0
        record.append(inside[some])
        minute.append(at[inside][some])
        overlap.append(shared[some])
    records, minutes = np.concatenate(record), np.concatenate(minute)
    # Sorted once, so that no quantity has to be brought into this order.
    order = np.argsort(minutes, kind="stable")
    records, minutes = records[order], minutes[order]
    return Minutes(
        rows,
        records,
        minutes,
        np.concatenate(overlap)[order].astype(np.float64),
        (short - opens)[records].astype(np.float64),
        _grouped(minutes, len(rows)),
    )


def _grouped(minute: Ints, n: int) -> Groups:
    """Return the groups of entries whose minutes are in order."""
    bounds = np.concatenate([[0], np.cumsum(np.bincount(minute, minlength=n))]).astype(np.int64)
    return Groups(pd.RangeIndex(n), bounds, None, np.full(n, MINUTE_US / 1e6))
