"""Single blinks of the 20 Hz log: when, how strong, how long, and how long after the one before."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.grouped.single_rows import (
    RowOptions,
    between_events,
    first_word,
    single_rows,
    with_row_options,
)
from eyelog.analysis.limits import limit
from eyelog.analysis.quality.evidence import Evidence
from eyelog.analysis.quality.reasons import WORDS, Reason
from eyelog.analysis.series.arrays import Bools, Floats, Ints, Table, numbers
from eyelog.analysis.series.packets import packets
from eyelog.catalogue import role, role_field

__all__ = [
    "SingleBlinks",
    "blinks",
    "counted_blinks",
    "event_fields",
    "has_single_blinks",
    "single_blinks",
]

# The reasons for which a blink, or the time between two, cannot be used; the first is named.
_AGAINST: Final = (Reason.UNWORN, Reason.NOISY, Reason.MOVING)
_FIRST: Final = "no blink before"


class SingleBlinks(NamedTuple):
    """The rows that report a blink, and what is known about each."""

    rows: Ints
    strength: Floats
    closed_ms: Floats
    trusted: Bools  # worn, quiet and at rest, and of a strength that counts
    counted: Bools
    reason: npt.NDArray[np.object_]
    interval_s: Floats
    between: npt.NDArray[np.object_]


def has_single_blinks(log: str) -> bool:
    """Return whether a log reports single blinks."""
    return bool(role(log, "blink_event_strength"))


def event_fields(log: str) -> tuple[str, str]:
    """Return the fields of the strength of a blink, and of how long the eye was closed."""
    return role_field(log, "blink_event_strength"), role_field(log, "blink_event_speed")


def counted_blinks(frame: Table, log: str) -> Bools:
    """Return the rows of a frame that report a blink within the limits of the vendor's count."""
    strength, speed = (numbers(frame[name]) for name in event_fields(log))
    return limit(log, "counted_strength").keeps(strength) & limit(log, "counted_speed").keeps(speed)


@with_row_options
def blinks(frame: pd.DataFrame, **options: Unpack[RowOptions]) -> pd.DataFrame:
    """Return the single blinks of the 20 Hz log, one row each.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``blinkSpeed`` and ``blinkStrength``, as it
        was read: what `eyelog.mask` removed cannot be listed.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row that reports the blink, about half a second after it.
        Float64 ``strength`` (uV-equiv) and ``closed_ms`` (how long the eye was closed); boolean
        ``counted``: whether the blink counts, which ``reason`` explains if not (``""`` otherwise).
        Float64 ``interval_s``: the time since the counted blink before; missing for blinks that do
        not count, and if a blink may have been missed within it. ``between`` says why: ``"noisy"``,
        ``"walking"``, ``"not worn"``, ``"no value"``, ``"packets lost"``, ``"a new connection"`` or
        ``"no blink before"``.

    Notes
    -----
    A blink counts if it is within the limits of the 15-second log (strength 35 to 250, closed for
    90 to 250 ms; vendor documentation, data_es), the eyewear is worn, there is no noise, and the
    wearer is not walking. Noise counts for a second after its flag, a step from 0.25 s before its
    flag to 1 s after it, and unworn time for the 5 s before its flag.

    The device reports a blink about 0.5 s after it occurs (vendor documentation,
    external_integration). It finds more than 95 % of the blinks of a wearer at rest. Vertical eye
    movements share its channel.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> stamps = pd.date_range("2026-10-24 10:00", periods=200, freq="50ms", tz="UTC", name="date")
    >>> frame = pd.DataFrame({"blinkStrength": 0.0, "blinkSpeed": 0.0, "fitError": 0.0}, stamps)
    >>> frame["noiseStatus"] = frame["walking"] = pd.array([False] * 200, dtype="boolean")
    >>> frame.iloc[[20, 110], [0, 1]] = 80.0, 120.0
    >>> el.blinks.blinks(frame)["interval_s"].tolist()
    [nan, 4.5]
    """
    rows = single_rows(
        frame,
        "blinks.blinks",
        ("blink_event_strength", "blink_event_speed"),
        instead="holds counts and averages, so pass it to blinks.rate",
        wanted=Reason.UNWORN | Reason.NOISY | Reason.MOVING,
        **options,
    )
    events = single_blinks(rows.known, rows.us)
    data: dict[str, Any] = {
        "strength": events.strength,
        "closed_ms": events.closed_ms,
        "counted": pd.array(events.counted, dtype="boolean"),
        "reason": pd.array(events.reason, dtype="string"),
        "interval_s": events.interval_s,
        "between": pd.array(events.between, dtype="string"),
    }
    return rows.table(data, events.rows)


def single_blinks(evidence: Evidence, us: Ints) -> SingleBlinks:
    """Return the blinks in a frame in order of time, whose stamps are `us` (microseconds)."""
    table, which = evidence.frame, evidence.log
    names = event_fields(which)
    strength, speed = (numbers(table[name]) for name in names)
    at = np.flatnonzero((strength > 0) | (speed > 0))
    against = {
        WORDS[reason]: evidence.against[reason] for reason in _AGAINST if reason in evidence.against
    }
    by_strength, by_speed = limit(which, "counted_strength"), limit(which, "counted_speed")
    weak = {f"not {by_strength.text(names[0])}": ~by_strength.keeps(strength[at])}
    other = {f"not {by_speed.text(names[1])}": ~by_speed.keeps(speed[at])}
    reasons = {word: rows[at] for word, rows in against.items()} | weak
    trusted = first_word(reasons, len(at)) == ""
    words = first_word(reasons | other, len(at))
    counted = words == ""
    interval_s = np.full(len(at), np.nan)
    between: npt.NDArray[np.object_] = np.full(len(at), "", dtype=object)
    apart = {**against, WORDS[Reason.MISSING]: np.isnan(strength) | np.isnan(speed)}
    interval_s[counted], between[counted] = _intervals(
        us, evidence.part("sequence"), at[counted], apart
    )
    return SingleBlinks(at, strength[at], speed[at], trusted, counted, words, interval_s, between)


def _intervals(
    us: Ints, sequence: Floats | None, at: Ints, apart: Mapping[str, Bools]
) -> tuple[Floats, npt.NDArray[np.object_]]:
    """Return the seconds between counted blinks, and what comes between two, if anything does."""
    seconds, words = np.full(len(at), np.nan), np.full(len(at), "", dtype=object)
    if not len(at):
        return seconds, words
    seconds[1:] = np.diff(us[at]) / 1e6
    words[1:] = between_events(packets(us, sequence), at, apart)
    words[0] = _FIRST
    seconds[words != ""] = np.nan
    return seconds, words
