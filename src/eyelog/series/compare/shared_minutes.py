"""Minutes of the 60-second log, filled with the records of the 15-second log that overlap them."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy

from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, log_named
from eyelog.judge.arrays import Bools, Floats, Ints, direction, unit_vectors
from eyelog.judge.terms import ratio

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
    overlap_us : sparse array of float64
        One row for each minute, one column for each record: for how long they overlap.
    share : sparse array of float64
        The same overlaps, as shares of the record.
    """

    rows: Ints
    overlap_us: Any
    share: Any

    @property
    def n(self) -> int:
        """How many minutes."""
        return len(self.rows)

    def fill(self, values: Floats, rule: str, weights: Floats | None = None) -> Floats:
        """Return the value of each minute; missing if records with a value do not cover it.

        Parameters
        ----------
        values : array of float64
            The value of each record.
        rule : str
            ``sum``, ``wmean`` or, on the circle, ``circ_mean``.
        weights : array of float64, optional
            The counts behind averages.
        """
        used = np.isfinite(values)
        present: Bools = used
        counts: Floats | float = 1.0
        if weights is not None:
            # A count of 0 leaves nothing to average, so a missing average is not a gap there.
            counted = np.isfinite(weights)
            present, used = counted & (used | (weights == 0)), counted & used
            counts = weights
        covered = self.overlap_us @ present.astype(np.float64)
        whole = covered >= MINUTE_US - SLACK_US
        weigh = np.where(used, counts, 0.0)
        inside = np.where(used, values, 0.0)
        if rule == "circ_mean":
            east, north = (self.overlap_us @ (part * weigh) for part in unit_vectors(inside))
            filled = direction(east, north, self.overlap_us @ weigh)
        elif rule == "sum":
            # A second without a record is assumed to be like the rest of the minute.
            filled = (self.share @ inside) * (MINUTE_US / np.where(whole, covered, 1.0))
        else:
            filled = ratio(self.share @ (inside * weigh), self.share @ weigh)
        return np.where(whole, filled, np.nan)


def shared_minutes(fifteen: pd.Index, sixty: pd.Index) -> Minutes:
    """Match the sorted stamps of both logs; every stamp closes its interval.

    Minutes that begin before the previous one has ended (the clock was set) are left out.
    """
    short, long = (pd.DatetimeIndex(index).as_unit("us").asi8 for index in (fifteen, sixty))
    none = np.zeros(0, dtype=np.int64)
    if not (len(short) and len(long)):
        nothing = scipy.sparse.csr_array((0, len(short)))
        return Minutes(none, nothing, nothing)
    # An early record, as after the phone reconnects, covers the time since the last one.
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
    # Sorted once, so that no quantity has to be put into this order.
    order = np.argsort(minutes, kind="stable")
    records, minutes = records[order], minutes[order]
    shape = len(rows), len(short)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(minutes, minlength=len(rows)))])
    overlap_us = np.concatenate(overlap)[order].astype(np.float64)
    share = overlap_us / (short - opens)[records]
    return Minutes(
        rows,
        scipy.sparse.csr_array((overlap_us, records, bounds), shape=shape),
        scipy.sparse.csr_array((share, records, bounds), shape=shape),
    )
