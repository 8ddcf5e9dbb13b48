"""Roll, pitch and yaw of the 20 Hz log without wraps, drift and humps."""

from itertools import pairwise
from typing import Final, Unpack

import numpy as np
import pandas as pd
import scipy

from eyelog.analysis.grouped.single_rows import RowOptions, single_rows, with_row_options
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.series.angles import difference
from eyelog.analysis.series.arrays import Bools, Floats
from eyelog.analysis.series.packets import PACKET_US, Packets

__all__ = ["AXES", "angles", "corrected"]

AXES: Final = ("roll", "pitch", "yaw")  # the roles of the catalogue

PACKET_S: Final = PACKET_US / 1e6
# What a hump is (vendor documentation, motion-tracking-howto).
HUMP_DEG: Final = 0.4  # one packet moves by more than this,
QUIET_DEG: Final = 0.35  # while the packets before and after it move by less than this

STRETCHES: Final = 200  # of a connection, for its drift


@with_row_options
def angles(frame: pd.DataFrame, **options: Unpack[RowOptions]) -> pd.DataFrame:
    """Return roll, pitch and yaw as continuous angles, corrected for drift and humps.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``roll``, ``pitch`` and ``yaw``.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Same index; float64 ``roll_deg``, ``pitch_deg`` and ``yaw_deg``. In each connection they
        begin with the angle that the eyewear reports and continue without wraps, so they may exceed
        -180 to 180. Missing where the eyewear was not worn or reports no angle.

    Notes
    -----
    A jump over half a turn from one packet to the next is a wrap. A single packet that moves by
    more than 0.4 degrees while its neighbours move by less than 0.35 is a hump: its movement is
    replaced by the mean of theirs (vendor documentation, motion-tracking-howto).

    Two estimates of a connection's drift are compared: the mean of the middle half of its
    velocities (over a second each), and the Theil-Sen slope through the medians of up to 200 equal
    stretches. The first is biased by slow changes of posture, the second by a lasting turn; so the
    smaller one is subtracted, and none if they differ in sign. The vendor treats any velocity that
    stays within a factor of 2 for 5 s as drift. On a simulated day this mistook slow changes of
    posture for drift, and the pitch ran away by thousands of degrees. A posture that changes at a
    constant speed for a whole connection cannot be distinguished from drift; `eyelog.posture.tilt`,
    which is taken from gravity, does not drift.

    Time is counted in packets, so late stamps do not change any velocity.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:12_000]
    >>> el.posture.angles(frame).columns.tolist()
    ['roll_deg', 'pitch_deg', 'yaw_deg']
    """
    rows = single_rows(
        frame,
        "posture.angles",
        AXES,
        instead="holds averages of the tilt",
        wanted=Reason.UNWORN,
        **options,
    )
    sent = rows.packets()
    unworn = rows.known.against.get(Reason.UNWORN)
    data = {}
    for axis in AXES:
        angle = corrected(rows.part(axis), sent)
        data[f"{axis}_deg"] = angle if unworn is None else np.where(unworn, np.nan, angle)
    return rows.table(data, np.arange(len(rows.us)))


def corrected(angle: Floats, packets: Packets) -> Floats:
    """Return a continuous angle without drift and humps; missing where the angle is."""
    out = np.full(len(angle), np.nan)
    present = np.flatnonzero(~np.isnan(angle))
    if not len(present):
        return out
    raw, connection = angle[present], packets.connection[present]
    opens = np.diff(connection, prepend=-1) != 0
    steps = np.where(opens, 1, np.diff(packets.sent[present], prepend=0))
    move = np.where(opens, 0.0, difference(raw, np.roll(raw, 1)))
    _smooth_humps(move, ~opens & (steps == 1))
    bounds = np.append(np.flatnonzero(opens), len(present))
    path = np.cumsum(move)
    for first, end in pairwise(bounds.tolist()):
        own = slice(first, end)
        since_s = (packets.sent[present[own]] - packets.sent[present[first]]) * PACKET_S
        run = path[own] - path[first]
        out[present[own]] = raw[first] + run - _drift_per_s(run, since_s) * since_s
    return out


def _smooth_humps(move: Floats, single: Bools) -> None:
    """Replace the movement of each hump by the mean of those around it, in place."""
    quiet = single & (np.abs(move) < QUIET_DEG)
    hump = np.zeros(len(move), dtype=bool)
    hump[1:-1] = single[1:-1] & (np.abs(move[1:-1]) > HUMP_DEG) & quiet[:-2] & quiet[2:]
    at = np.flatnonzero(hump)
    move[at] = (move[at - 1] + move[at + 1]) / 2.0


def _drift_per_s(run: Floats, since_s: Floats) -> float:
    """Return the drift of one connection, 0 if it shows none."""
    begin = np.searchsorted(since_s, since_s - 1.0 - PACKET_S / 2)
    whole = since_s >= 1.0 - PACKET_S / 2
    spent_s = (since_s - since_s[begin])[whole]
    if not len(spent_s):
        return 0.0
    velocity = (run - run[begin])[whole] / spent_s
    usual = float(scipy.stats.trim_mean(velocity, 0.25))
    stretch = np.floor(since_s * (STRETCHES / (since_s[-1] + PACKET_S)))
    medians = pd.DataFrame({"run": run, "at": since_s}).groupby(stretch).median()
    slope = float(scipy.stats.theilslopes(medians["run"], medians["at"]).slope)
    return min(usual, slope, key=abs) if usual * slope > 0 else 0.0
