"""Single head movements of the 20 Hz log: nods and turns, by angle or by acceleration."""

from typing import Any, Final, Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.grouped.single_rows import (
    RowOptions,
    SingleRows,
    first_word,
    single_rows,
    with_row_options,
)
from eyelog.analysis.grouped.summary import Prepared
from eyelog.analysis.limits import limit
from eyelog.analysis.posture.corrected_angles import PACKET_S, corrected
from eyelog.analysis.posture.gravity_tilt import SMOOTHED_MS
from eyelog.analysis.quality.evidence import Evidence
from eyelog.analysis.quality.reasons import WORDS, Reason
from eyelog.analysis.series.arrays import Bools, Floats, Ints
from eyelog.analysis.series.packets import Packets
from eyelog.catalogue import role_field
from eyelog.errors import ConfigurationError

__all__ = ["AXES", "HeadMoves", "head_peaks", "peaks_of_rows", "turns"]

Method = Literal["angles", "peaks"]

# For each axis the roles of its angle and of the acceleration that shows its movements.
AXES: Final = {"pitch": "acc_vertical", "yaw": "acc_sideways"}
UNITS_PER_G: Final = 16.0
# A single packet may vary by a unit or two of 0.06 G; a head takes longer to move.
LEAST_PACKETS: Final = 2


class HeadMoves(NamedTuple):
    """Head movements about one axis, in order of time."""

    rows: Ints  # where each is fastest
    size: Floats  # degrees, or G
    duration_s: Floats


@with_row_options
def turns(
    frame: pd.DataFrame,
    *,
    method: Method = "angles",
    **options: Unpack[RowOptions],
) -> pd.DataFrame:
    """Return the single movements of the head, one row each.

    A movement goes one way: a nod down and up again is two movements.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``pitch`` and ``yaw``, or, for
        ``method="peaks"``, ``accX`` and ``accZ``; as it was read: what `eyelog.mask` removed cannot
        be listed.
    method : {"angles", "peaks"}
        Find movements in the corrected angles, or as peaks of the acceleration, which the vendor
        counts (see Notes).
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row in which the movement is fastest (two rows may have one
        stamp, if the head moves about both axes). String ``axis`` (``pitch``: a nod; ``yaw``: a
        turn), float64 ``size_deg`` (with its sign; missing for peaks) and ``peak_g`` (with its
        sign; missing for angles), float64 ``duration_s``, boolean ``counted`` and string ``reason``
        (why it does not count: ``"not worn"``, or, for peaks, ``"walking"``, since steps shake the
        head; otherwise empty).

    Raises
    ------
    ConfigurationError
        If an argument is not valid, the frame is not one of the 20 Hz log, is resampled, or holds
        the records of several devices.

    Notes
    -----
    ``"angles"``: a run of packets in which the corrected angle (`eyelog.posture.angles`), averaged
    over three packets, moves in one direction by at least 20 degrees per second, and by at least 5
    degrees in all. Both are choices of eyelog. Lost packets within it do not end it.

    ``"peaks"``: two packets or more in which the acceleration (vertical for nods, sideways for
    turns) leaves its median of the 0.5 s around by 0.07 to 0.3 G (vendor documentation, feature);
    above that it is a step or a knock. One unit of acceleration is 0.06 G, so peaks are less
    certain: of the movements planted in a simulated day the angles find 99.9 % and the peaks 97 %
    of the nods and 99 % of the turns (a peak for each pair, there and back).

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:24_000]
    >>> found = el.posture.turns(frame)
    >>> bool((found["size_deg"].abs() >= 5).all())
    True
    """
    if method not in ("angles", "peaks"):
        raise ConfigurationError(f"method must be 'angles' or 'peaks', not {method!r}")
    by_angle = method == "angles"
    against = Reason.UNWORN if by_angle else Reason.UNWORN | Reason.MOVING
    rows = single_rows(
        frame,
        "posture.turns",
        tuple(AXES) if by_angle else tuple(AXES.values()),
        instead="counts head movements, so pass it to posture.head_movements",
        wanted=against,
        **options,
    )
    if by_angle:
        sent = rows.packets()
        moves = {axis: _by_angle(rows, rows.part(axis), sent) for axis in AXES}
    else:
        moves = {axis: _by_peak(rows.known, rows.index, axis) for axis in AXES}
    at = np.concatenate([each.rows for each in moves.values()])
    order = np.argsort(at, kind="stable")
    size = np.concatenate([each.size for each in moves.values()])[order]
    duration_s = np.concatenate([each.duration_s for each in moves.values()])[order]
    axes = np.repeat([*moves], [len(each.rows) for each in moves.values()])[order]
    at = at[order]
    words = first_word(
        {
            WORDS[reason]: rows.known.against[reason][at]
            for reason in (Reason.UNWORN, Reason.MOVING)
            if reason & against and reason in rows.known.against
        },
        len(at),
    )
    none = np.full(len(at), np.nan)
    data: dict[str, Any] = {
        "axis": pd.array(axes.astype(object), dtype="string"),
        "size_deg": size if by_angle else none,
        "peak_g": none if by_angle else size,
        "duration_s": duration_s,
        "counted": pd.array(words == "", dtype="boolean"),
        "reason": pd.array(words, dtype="string"),
    }
    return rows.table(data, at, method=method)


def _by_angle(rows: SingleRows, angle: Floats, packets: Packets) -> HeadMoves:
    """Return the movements about one axis, by its corrected angle."""
    path = corrected(angle, packets)
    present = np.flatnonzero(~np.isnan(path))
    path, at = path[present], packets.sent[present]
    connection = packets.connection[present]
    # The velocity over three packets around each row, within its connection.
    ahead = np.minimum(np.arange(len(present)) + 1, len(present) - 1)
    behind = np.maximum(np.arange(len(present)) - 2, 0)
    spent_s = (at[ahead] - at[behind]) * PACKET_S
    same = (connection[ahead] == connection[behind]) & (spent_s > 0)
    speed = np.where(same, path[ahead] - path[behind], 0.0) / np.where(same, spent_s, 1.0)
    least = limit(rows.known.log, "head_move_speed")
    way = np.where(least.keeps(np.abs(speed)), np.sign(speed), 0.0)
    first, last = _runs_of(way, connection)
    size = _size(path, connection, first, last, way[first])
    far = limit(rows.known.log, "head_move_size").keeps(np.abs(size))
    first, last, size = first[far], last[far], size[far]
    took_s = _took_s(at[last] - at[first] + 1)
    return HeadMoves(present[_peaks(np.abs(speed), first, last)], size, took_s)


def _size(path: Floats, connection: Ints, first: Ints, last: Ints, way: Floats) -> Floats:
    """Return how far the angle goes in each run, between its turning points.

    The velocity is that of three packets, so a run begins and ends within its movement.
    """

    def furthest(rows: Ints, beyond: tuple[int, ...], way: Floats) -> Floats:
        reached = path[rows]
        for step in beyond:
            other = np.clip(rows + step, 0, len(path) - 1)
            further = (connection[other] == connection[rows]) & (path[other] * way > reached * way)
            reached = np.where(further, path[other], reached)
        return reached

    return furthest(last, (1,), way) - furthest(first, (-1, -2), -way)


def _by_peak(evidence: Evidence, index: pd.DatetimeIndex, axis: str) -> HeadMoves:
    """Return the peaks of acceleration that show movements about one axis, in order of time."""
    units = evidence.part(AXES[axis])
    if units is None:
        units = np.full(len(index), np.nan)
    away = units / UNITS_PER_G
    force = pd.Series(away, index, copy=False)
    away -= force.rolling(f"{SMOOTHED_MS}ms", center=True, closed="both").median().to_numpy()
    rule = limit(evidence.log, "head_move_peak")
    height = np.abs(away)
    way = np.where(rule.at(rule.values[0], np.inf).keeps(height), np.sign(away), 0.0)
    first, last = _runs_of(way)
    long = last - first + 1 >= LEAST_PACKETS
    first, last = first[long], last[long]
    at = _peaks(height, first, last)
    kept = rule.keeps(height[at])
    return HeadMoves(at[kept], away[at][kept], _took_s(last - first + 1)[kept])


def _took_s(packets: Ints) -> Floats:
    return np.asarray(packets * PACKET_S, dtype=np.float64)


def head_peaks(evidence: Evidence, index: pd.DatetimeIndex, axis: str) -> Bools:
    """Return the rows at the peak of a movement about one axis, including those while walking."""
    peak = np.zeros(len(index), dtype=bool)
    peak[_by_peak(evidence, index, axis).rows] = True
    return peak


def peaks_of_rows(prepared: Prepared, axis: str) -> Floats:
    """Return 1 in judged rows at a peak of a movement about one axis, otherwise 0 or missing."""
    force = prepared.values(role_field(prepared.log, AXES[axis]))
    return np.where(np.isnan(force), np.nan, head_peaks(prepared.known, prepared.index, axis))


def _runs_of(way: Floats, connection: Ints | None = None) -> tuple[Ints, Ints]:
    """Return the first and the last row of each run of one sign, within a connection if given."""
    changes = way[1:] != way[:-1]
    if connection is not None:
        changes |= connection[1:] != connection[:-1]
    new = np.append(True, changes)[: len(way)]
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(way)) - 1 if len(starts) else starts
    moving: Bools = way[starts] != 0
    return starts[moving], ends[moving]


def _peaks(height: Floats, first: Ints, last: Ints) -> npt.NDArray[np.int64]:
    """Return the row of each run in which `height` is largest, the first of equal ones."""
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    sizes = last - first + 1
    run = np.repeat(np.arange(len(first)), sizes)
    rows = np.arange(sizes.sum()) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    order = np.lexsort((-height[rows], run))
    return np.asarray(rows[order][np.cumsum(sizes) - sizes], dtype=np.int64)
