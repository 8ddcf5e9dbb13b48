"""Single eye movements of the 20 Hz log: when, which way, how large, and whether they count."""

from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.single_rows import (
    RowOptions,
    first_word,
    single_rows,
    with_row_options,
)
from eyelog.analysis.grouped.summary import Prepared
from eyelog.analysis.limits import limit
from eyelog.analysis.quality.evidence import Evidence
from eyelog.analysis.quality.reasons import WORDS, Reason
from eyelog.analysis.series.around import around
from eyelog.analysis.series.arrays import Bools, Floats, Ints
from eyelog.catalogue import role_field
from eyelog.clock import microseconds

__all__ = ["DIRECTIONS", "EYE_MOVES", "eye_moves", "moves"]

DIRECTIONS: Final = ("up", "down", "left", "right")
# The roles of the counts of other logs, and the directions that they count.
EYE_MOVES: Final = {
    "eye_moves_horizontal": ("left", "right"),
    "eye_moves_vertical": ("up", "down"),
}
VERTICAL: Final = EYE_MOVES["eye_moves_vertical"]
NEAR_BLINK: Final = "near a blink"
_AGAINST: Final = (Reason.UNWORN, Reason.NOISY, Reason.MOVING)


def _near_blink(evidence: Evidence, us: Ints) -> Bools:
    """Return the rows so close to a blink that a vertical movement in them may be part of it."""
    blinking = np.zeros(len(us), dtype=bool)
    for part in ("blink_event_strength", "blink_event_speed"):
        values = evidence.part(part)
        if values is not None:
            blinking |= values > 0
    # A blink in time that is not usable is masked, and masking must change nothing.
    for reason in _AGAINST:
        blinking &= ~evidence.against.get(reason, np.zeros(len(us), dtype=bool))
    reach_us = round(limit(evidence.log, "near_blink").value * 1e6)
    return around(us, blinking, reach_us, reach_us)


def eye_moves(prepared: Prepared, name: str) -> Floats:
    """Return how many movements of one kind each row reports; missing where none would count."""
    fields = (role_field(prepared.log, f"eye_{way}") for way in EYE_MOVES[name])
    sizes = [prepared.values(field) for field in fields]
    made: Floats = sum((np.where(np.isnan(size), np.nan, size > 0) for size in sizes), np.zeros(1))
    if EYE_MOVES[name] == VERTICAL:
        made[_near_blink(prepared.known, microseconds(prepared.index))] = np.nan
    return made


@with_row_options
def moves(frame: pd.DataFrame, **options: Unpack[RowOptions]) -> pd.DataFrame:
    """Return the single eye movements of the 20 Hz log, one row each.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``eyeMoveUp``, ``eyeMoveDown``,
        ``eyeMoveLeft``, ``eyeMoveRight``, ``blinkStrength`` and ``blinkSpeed``, as it was read:
        what `eyelog.mask` removed cannot be listed.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row that reports the movement; a row may report one
        sideways and one vertical movement, so a stamp may occur twice. String ``direction``
        (``up``, ``down``, ``left`` or ``right``), float64 ``size`` (1 weakest to 7 strongest; the
        vendor gives no degrees), boolean ``counted``, and string ``reason``: why the movement does
        not count (``"not worn"``, ``"noisy"``, ``"walking"`` or ``"near a blink"``), otherwise
        empty.

    Notes
    -----
    Vertical movements share their channel with blinks, so they do not count within 0.5 s of one in
    usable time (vendor documentation, data_es). Slow pursuit is not detected at all. Noise counts
    for a second after its flag, a step from 0.25 s before its flag to 1 s after it, and unworn time
    for the 5 s before its flag.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:12_000]
    >>> found = el.eyes.moves(frame)
    >>> sorted(found["direction"].unique())
    ['down', 'left', 'right', 'up']
    """
    rows = single_rows(
        frame,
        "eyes.moves",
        (*(f"eye_{way}" for way in DIRECTIONS), "blink_event_strength", "blink_event_speed"),
        instead="counts eye movements, which daily sums up",
        wanted=Reason.UNWORN | Reason.NOISY | Reason.MOVING,
        **options,
    )
    evidence = rows.known
    sizes = np.column_stack([rows.part(f"eye_{way}") for way in DIRECTIONS])
    at, way = np.nonzero(sizes > 0)
    blink = _near_blink(evidence, rows.us)[at] & np.isin(
        way, [DIRECTIONS.index(w) for w in VERTICAL]
    )
    reasons = {
        WORDS[reason]: evidence.against[reason][at]
        for reason in _AGAINST
        if reason in evidence.against
    }
    words = first_word({**reasons, NEAR_BLINK: blink}, len(at))
    data: dict[str, Any] = {
        "direction": pd.array(np.array(DIRECTIONS, dtype=object)[way], dtype="string"),
        "size": sizes[at, way],
        "counted": pd.array(words == "", dtype="boolean"),
        "reason": pd.array(words, dtype="string"),
    }
    return rows.table(data, at)
