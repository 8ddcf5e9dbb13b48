"""Which records cover the same time as those of another source: one rule for all of eyelog.

Someone wears one device at a time, so records of two sources that interleave would count the same
hour twice. A connection starts its own intervals, so its first record may begin before the last one
of the connection before has ended: that is not an overlap.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

TOLERATED_US: Final = 300_000_000
_TOLERATED_SHARE: Final = 0.01
# Without sources, a change of the phase can look like two or three records of another source.
_LEAST_UNNAMED: Final = 4
_CROWDED: Final = 1.25  # times the records that fit in

Ints = npt.NDArray[np.int64]


class Overlap(NamedTuple):
    """How much of the time several sources cover, in microseconds of UTC.

    `doubled_us` is the time that counts more than once, between `first` and `last`. `records` is
    how many of the `of` records (those with one stamp count once) lie between records of other
    `sources`.
    """

    doubled_us: int
    records: int
    of: int
    first: int
    last: int
    sources: tuple[int, ...]

    @property
    def too_much(self) -> bool:
        """Whether it is more than changes of the phase: over 5 minutes, or 1 % of the records."""
        return self.doubled_us > TOLERATED_US or self.records > _TOLERATED_SHARE * self.of


def overlaps(us: npt.ArrayLike, source: npt.ArrayLike | None, interval_us: int) -> Overlap:
    """Return how much records of several sources overlap.

    Parameters
    ----------
    us : array of int
        The stamps in microseconds, in any order. Each closes an interval.
    source : array of int, optional
        The source of each record, such as the number of its file. Without it, sources are not
        known, and each record may be of another one.
    interval_us : int
        The length of the interval of a record.

    Returns
    -------
    Overlap
        A record overlaps if the records before and after it are of other sources, each less than
        an interval away, and so close to one another (one and a half intervals) that they leave no
        room for it. Records with one stamp are repeats, and never overlap.

    Examples
    --------
    >>> import numpy as np
    >>> minutes = np.arange(60) * 60_000_000
    >>> shifted = np.append(minutes, minutes + 7_000_000)
    >>> found = overlaps(shifted, np.repeat([0, 1], 60), 60_000_000)
    >>> found.too_much, found.sources, round(found.doubled_us / 60e6)
    (True, (0, 1), 60)
    >>> overlaps(np.append(minutes, minutes), np.repeat([0, 1], 60), 60_000_000).too_much
    False
    """
    stamps = np.asarray(us, np.int64)
    labels = None if source is None else np.asarray(source, np.int64)
    if len(stamps) > 1 and not (stamps[1:] > stamps[:-1]).all():
        stamps, at = np.unique(stamps, return_index=True)
        labels = None if labels is None else labels[at]
    steps = np.diff(stamps)
    near = steps < interval_us
    if labels is not None:
        near &= labels[1:] != labels[:-1]
    nothing = Overlap(0, 0, len(stamps), 0, 0, ())
    if np.count_nonzero(near) < 2:
        return nothing
    inside = np.zeros(len(stamps), bool)
    inside[1:-1] = near[1:] & near[:-1] & (2 * (stamps[2:] - stamps[:-2]) <= 3 * interval_us)
    if labels is None:
        inside = _lasting(inside)
    rows = np.flatnonzero(inside)
    if not len(rows):
        return nothing
    beside = inside[1:] | inside[:-1]
    doubled = int((interval_us - steps[beside]).sum())
    touched = np.unique(np.concatenate([rows - 1, rows, rows + 1]))
    sources = () if labels is None else tuple(np.unique(labels[touched]).tolist())
    first, last = int(stamps[rows[0]]) - interval_us, int(stamps[rows[-1]])
    return Overlap(doubled, len(rows), len(stamps), first, last, sources)


def crowding(us: npt.ArrayLike, interval_us: int) -> Overlap:
    """Return how much time has more uneven records than fit in, as with those of two devices.

    Parameters
    ----------
    us : array of int
        The stamps in microseconds, in any order, of packets that their receiver stamped. One packet
        may arrive late with its neighbours close behind, so single distances show nothing.
    interval_us : int
        The length of the interval of a record.

    Returns
    -------
    Overlap
        For the windows of 5 minutes that have a quarter more records than fit in.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.arange(12_000) * 50_000
    >>> crowding(rows, 50_000).too_much, crowding(np.append(rows, rows + 7), 50_000).too_much
    (False, True)
    """
    stamps = np.asarray(us, np.int64)
    if not (stamps[1:] > stamps[:-1]).all():  # most are in order, and sorting takes long
        stamps = np.unique(stamps)
    of_row = stamps // TOLERATED_US
    begins = np.flatnonzero(np.append(True, of_row[1:] > of_row[:-1])[: len(stamps)])
    window, count = of_row[begins], np.diff(np.append(begins, len(stamps)))
    room = TOLERATED_US // interval_us
    full = np.flatnonzero(count > _CROWDED * room)
    if not len(full):
        return Overlap(0, 0, len(stamps), 0, 0, ())
    more = int((count[full] - room).sum())
    first, last = int(window[full[0]]), int(window[full[-1]]) + 1
    edges = first * TOLERATED_US, last * TOLERATED_US
    return Overlap(more * interval_us, more, len(stamps), *edges, ())


def _lasting(inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the rows that are in a run of at least `_LEAST_UNNAMED`."""
    edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
    opens, closes = edges[::2], edges[1::2]
    kept = closes - opens >= _LEAST_UNNAMED
    lasting = np.zeros(len(inside), bool)
    for first, after in zip(opens[kept].tolist(), closes[kept].tolist(), strict=True):
        lasting[first:after] = True
    return lasting


def mostly_differ(shared: int, differing: int, interval_us: int) -> bool:
    """Return whether records on shared stamps are those of somebody else, not corrections.

    That is the case if most of them have different values, and these cover more than 5 minutes.
    """
    return 2 * differing > shared and differing * interval_us > TOLERATED_US


def duration_text(us: float) -> str:
    """Return a duration for people, such as ``3.5 h`` or ``12 min``."""
    minutes = us / 60e6
    if minutes >= 90:
        return f"{minutes / 60:,.1f} h"
    return f"{minutes:.0f} min" if minutes >= 1.5 else f"{us / 1e6:.0f} s"


def span_text(first: Any, last: Any) -> str:
    """Return two instants as text: the day of the second only if it is a different one."""
    end = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    return f"from {first:%Y-%m-%d %H:%M} to {end}"


def utc(us: int) -> datetime:
    """Return the instant of a stamp in microseconds."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)
