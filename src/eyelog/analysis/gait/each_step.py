"""Single steps of the 20 Hz log: when, and how long after the one before."""

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
from eyelog.analysis.series.arrays import Floats, Ints
from eyelog.analysis.series.packets import PACKET_US, packets
from eyelog.catalogue import role

__all__ = ["SingleSteps", "has_single_steps", "single_steps", "steps"]

_UNWORN: Final = WORDS[Reason.UNWORN]
_PAUSE: Final = "a pause"
_FIRST: Final = "no step before"


class SingleSteps(NamedTuple):
    """The rows that report a step, and what is known about each."""

    rows: Ints
    reason: npt.NDArray[np.object_]  # empty where the step counts
    step_time_s: Floats
    between: npt.NDArray[np.object_]


def has_single_steps(log: str) -> bool:
    """Return whether a log reports single steps."""
    return bool(role(log, "step_event"))


def single_steps(evidence: Evidence, us: Ints) -> SingleSteps:
    """Return the steps in a frame in order of time, whose stamps are `us` (microseconds)."""
    flags = evidence.part("step_event")
    stepped = np.flatnonzero(flags == 1) if flags is not None else np.zeros(0, dtype=np.int64)
    unworn = evidence.against.get(Reason.UNWORN, np.zeros(len(us), dtype=bool))
    reason = first_word({_UNWORN: unworn[stepped]}, len(stepped))
    counted = reason == ""
    at = stepped[counted]
    time_s, between = np.full(len(stepped), np.nan), first_word({}, len(stepped))
    if len(at):
        time_s[counted], between[counted] = _step_times(evidence, us, at, unworn)
    return SingleSteps(stepped, reason, time_s, between)


def _step_times(
    evidence: Evidence, us: Ints, at: Ints, unworn: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.object_]]:
    """Return the time between neighbouring steps, and why it is not that of one step."""
    sent = packets(us, evidence.part("sequence"))
    # Counted in packets: stamps are late by varying amounts.
    seconds = np.append(np.nan, np.diff(sent.sent[at]) * PACKET_US / 1e6)
    longest = limit(evidence.log, "longest_step")
    words = between_events(sent, at, {_UNWORN: unworn}, {_PAUSE: longest.breaks(seconds[1:])})
    between = np.append(np.array([_FIRST], dtype=object), words)
    return np.where(between == "", seconds, np.nan), between


@with_row_options
def steps(frame: pd.DataFrame, **options: Unpack[RowOptions]) -> pd.DataFrame:
    """Return the single steps of the 20 Hz log, one row each.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``walking``, as it was read: what
        `eyelog.mask` removed cannot be listed.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row that reports the step, 0.15 to 0.25 s after the foot
        has landed. Boolean ``counted`` and string ``reason`` (``"not worn"`` if the step does not
        count, otherwise empty). Float64 ``step_time_s``: the time since the counted step before, in
        whole packets of 0.05 s; missing where it is not that of one step, and ``between`` says why:
        ``"a pause"`` (longer than a second), ``"packets lost"``, ``"not worn"``, ``"a new
        connection"`` or ``"no step before"``.

    Notes
    -----
    The longest time of a step is that of the vendor's slowest class, 1000 ms (vendor documentation,
    summarize_data). The lag is documented too (data_es), and differs from step to step, so that a
    single step time is uncertain by 0.1 s; its mean over many steps is not.
    `eyelog.gait.step_time`, `eyelog.gait.pace` and `eyelog.gait.bouts` take the frame itself.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data")
    >>> found = el.gait.steps(frame)
    >>> bool((found["step_time_s"].dropna() <= 1).all())
    True
    """
    rows = single_rows(
        frame,
        "gait.steps",
        ("step_event",),
        instead="counts steps, so pass it to gait.pace",
        wanted=Reason.UNWORN,
        **options,
    )
    events = single_steps(rows.known, rows.us)
    data: dict[str, Any] = {
        "counted": pd.array(events.reason == "", dtype="boolean"),
        "reason": pd.array(events.reason, dtype="string"),
        "step_time_s": events.step_time_s,
        "between": pd.array(events.between, dtype="string"),
    }
    return rows.table(data, events.rows)
