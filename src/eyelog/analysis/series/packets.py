"""Packets that the eyewear counts: which rows belong to one connection, and what was lost in it.

The eyewear numbers the packets that it sends twenty times a second, from 0 to 255 and then from 0
again. The phone stamps each packet when it arrives, so the stamps are uneven and the numbers are
not: a jump in the numbers is a loss. A new connection starts its own numbers.

Numbers repeat every 12.8 s. After a longer pause a jump therefore gives no information about what
was lost, and a pause of more than 12 s ends a connection.
"""

from typing import Final, NamedTuple

import numpy as np

from eyelog.analysis.series.arrays import Bools, Floats, Ints

# The time from one packet to the next
PACKET_US: Final = 50_000
# How many numbers there are: 255 is followed by 0
NUMBERS: Final = 256
# The longest pause within a connection
PAUSE_US: Final = 12_000_000
# The radio holds packets back for some tenths of a second when it has to repeat them. Stamps and
# numbers that differ by more than this are not about the same connection.
# How far the stamps of a connection may be from what its numbers indicate
LATE_US: Final = 1_000_000


class Packets(NamedTuple):
    """What the numbers of packets say about each row.

    Attributes
    ----------
    opens : array of bool
        Whether a new connection begins with the row; the first row does not count as one.
    lost : array of int64
        How many packets of the same connection were lost just before the row.
    """

    opens: Bools
    lost: Ints

    @property
    def connection(self) -> Ints:
        """The connection that each row belongs to, counted from 0."""
        return np.cumsum(self.opens, dtype=np.int64)

    @property
    def sent(self) -> Ints:
        """How many packets were sent until each row, itself included, over all connections."""
        return np.cumsum(self.lost + 1, dtype=np.int64)


def packets(us: Ints, sequence: Floats | None) -> Packets:
    """Return where connections begin, and how many packets were lost before each row.

    A row opens a new connection if the pause before it is longer than 12 s, or if its number jumps
    by a time that the stamps do not confirm (more than 1 s off). The first row of a connection has
    lost none: what was sent before it is unknown. A number that is repeated within 1 s is the same
    packet received twice, so nothing was lost before it.

    Parameters
    ----------
    us : array of int64
        Sorted stamps in microseconds.
    sequence : array of float64, optional
        The number of each packet, 0 to 255. Where one is missing, or without numbers, only a pause
        opens a connection, a pause of more than 1 s counts as lost packets, and a shorter one as a
        late stamp.

    Examples
    --------
    >>> us = np.array([0, 50_000, 150_000, 200_000, 20_000_000])
    >>> found = packets(us, np.array([254.0, 255.0, 1.0, 90.0, 91.0]))
    >>> found.connection.tolist(), found.lost.tolist()
    ([0, 0, 0, 1, 2], [0, 0, 1, 0, 0])
    """
    steps = np.diff(us, prepend=us[:1])
    leaps = _leaps(steps, sequence)
    off = np.abs((leaps + 1) * PACKET_US - steps)
    opens = (steps > PAUSE_US) | ((leaps > 0) & (off > LATE_US))
    paused = np.where(steps > LATE_US, np.rint(steps / PACKET_US) - 1, 0.0)
    gone = np.where(np.isnan(leaps), paused, leaps)
    gone[opens] = 0.0
    return Packets(np.asarray(opens, dtype=np.bool_), np.asarray(gone, dtype=np.int64))


def even(us: Ints, sequence: Floats | None) -> Ints:
    """Return the stamps that packets would have if none had been late.

    Within each connection the stamps are regressed on the number of packets sent until then. A row
    alone in its connection keeps its stamp.

    Parameters
    ----------
    us : array of int64
        Sorted, unique stamps in microseconds.
    sequence : array of float64, optional
        The number of each packet, 0 to 255.

    Returns
    -------
    array of int64
        Sorted, unique stamps in microseconds.

    Examples
    --------
    >>> even(np.array([0, 40_000, 110_000, 150_000]), np.array([254.0, 255, 0, 1])).tolist()
    [-3000, 49000, 101000, 153000]
    """
    if not len(us):
        return us
    numbered = packets(us, sequence)
    codes, sent = numbered.connection, numbered.sent.astype(np.float64)
    rows = np.bincount(codes)
    first = us[np.flatnonzero(np.diff(codes, prepend=-1))]
    after = (us - first[codes]).astype(np.float64)
    x = sent - (np.bincount(codes, sent) / rows)[codes]
    mean = np.bincount(codes, after) / rows
    spread = np.bincount(codes, x * x)
    slope = np.bincount(codes, x * after) / np.where(spread > 0, spread, 1.0)
    fitted = first[codes] + np.rint(mean[codes] + slope[codes] * x).astype(np.int64)
    # Two connections may meet within the jitter of their stamps.
    order = np.arange(len(us))
    return np.asarray(np.maximum.accumulate(fitted - order) + order, dtype=np.int64)


def _leaps(steps: Ints, sequence: Floats | None) -> Floats:
    """Return by how many numbers each row has jumped; missing where a number is."""
    if sequence is None:
        return np.full(len(steps), np.nan)
    numbers = np.where((sequence >= 0) & (sequence < NUMBERS), sequence, np.nan)
    ahead = np.diff(numbers, prepend=np.nan)
    leaps: Floats = np.mod(ahead - 1, NUMBERS)
    leaps[(ahead == 0) & (steps <= LATE_US)] = 0.0
    return leaps
