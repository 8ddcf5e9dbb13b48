"""The reasons against a value, and the fields that each can apply to.

Each reason, the kinds of field it applies to (``kind`` in the catalogue), and its evidence with the
default limits (``limits.csv``):

=========  =================================  ==========================  ===================
reason     applies to                         15-second log               60-second log
=========  =================================  ==========================  ===================
MISSING    every field                        no value                    no value
SENTINEL   fields with an invalid value       -1 of the scores            (none)
RANGE      fields with documented limits      outside ``min``..``max``,   the same
                                              or a fraction of a count
INVALID    static                             ``vld`` false               (no such field)
MOVING     static                             ``stp`` > 0                 ``stp_s`` > 0
STILL      gait, but not step counts          ``stp`` = 0                 ``stp_s`` = 0
UNWORN     static, motion, gait               ``isl`` true                ``wea_s`` < 20 s
NOISY      static                             ``nis_time`` > 3 s          ``nis_s`` > 10 s
OFF_POSE   static, motion, gait               ``tl_xav`` outside -45..45  the same
                                              or ``tl_yav`` outside
                                              -45..90
STALE      blink statistics                   unchanged while their count (``bk_n``, ``bki_n``,
                                              of this cleansing) is 0
SATURATED  counts                             at the cap: a lower bound   the same
=========  =================================  ==========================  ===================

In the 20 Hz log the same reasons come from flags, and apply for some time around each: UNWORN for
``fitError`` 1 and the 5 s before it, NOISY for ``noiseStatus`` and the 1 s after it, MOVING from
0.25 s before a step (``walking``) to 1 s after it. This log shows neither pose nor its own
validity.

Wear, durations (``stp_s`` too), battery, time, place and undocumented fields can have only the
first three reasons: they are the evidence themselves, or their meaning is unknown.
"""

from collections.abc import Mapping
from enum import IntFlag
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from eyelog.catalogue import Field, catalogue, role, role_field
from eyelog.judge.limits import limits


class Reason(IntFlag):
    """A reason against a value; several can apply at once, and 0 means none.

    ``(reasons & Reason.MOVING) != 0`` marks the values of a table that have a reason;
    ``Reason(value)`` shows the reasons in one number.
    """

    __iter__ = None  # type: ignore[assignment]  # pandas would treat an iterable as a list

    MISSING = 1
    SENTINEL = 2
    RANGE = 4
    INVALID = 8
    MOVING = 16
    STILL = 32
    UNWORN = 64
    NOISY = 128
    OFF_POSE = 256
    STALE = 512
    SATURATED = 1024


WORDS: Final[Mapping[Reason, str]] = {
    Reason.MISSING: "no value",
    Reason.SENTINEL: "no score (-1)",
    Reason.RANGE: "out of range",
    Reason.INVALID: "not valid",
    Reason.MOVING: "walking",
    Reason.STILL: "not walking",
    Reason.UNWORN: "not worn",
    Reason.NOISY: "noisy",
    Reason.OFF_POSE: "off pose",
    Reason.STALE: "no new blink",
    Reason.SATURATED: "at its cap",
}
"""Each reason in words, as in figures and reports."""

KEPT: Final[Mapping[Reason, str]] = {
    **{reason: f"not {word}" for reason, word in WORDS.items()},
    Reason.MISSING: "a value",
    Reason.SENTINEL: "a score, not -1",
    Reason.RANGE: "inside its limits",
    Reason.STALE: "of new blinks",
}
"""What a value without a reason is, in words."""
_ALWAYS: Final = Reason.UNWORN | Reason.OFF_POSE
_BY_KIND: Final[Mapping[str, Reason]] = {
    "static": _ALWAYS | Reason.INVALID | Reason.MOVING | Reason.NOISY,
    "motion": _ALWAYS,
    "gait": _ALWAYS | Reason.STILL,
}
# The limits (by their name in ``limits.csv``) behind each reason that comes from the context, in
# the order in which recipes follow them.
CONTEXT: Final[Mapping[Reason, tuple[str, ...]]] = {
    Reason.UNWORN: ("worn",),
    Reason.INVALID: ("valid",),
    Reason.STILL: ("walking",),
    Reason.OFF_POSE: ("tilt_sideways", "tilt_fore_aft"),
    Reason.MOVING: ("walking",),
    Reason.NOISY: ("noise",),
}
# Blink statistics without a weight in the catalogue (totals, extremes, normalized values) have a
# role that names their count.
_COUNTED: Final = {"gap_statistic": "gap_count", "blink_statistic": "blink_count"}


@cache
def evidence_for(log: str) -> Mapping[Reason, tuple[str, ...]]:
    """Return the fields that are evidence for each reason from the context, if the log has any."""
    table = limits(log)
    return MappingProxyType(
        {
            reason: tuple(field for name in names for field in role(log, table[name].role))
            for reason, names in CONTEXT.items()
            if all(name in table and role(log, table[name].role) for name in names)
        }
    )


class Against(NamedTuple):
    """What can speak against the values of a field.

    Attributes
    ----------
    context : Reason
        The reasons that come from the context.
    value : Reason
        Those that the values themselves can show.
    counter : str or None
        The field that counts what a blink statistic is computed from.
    low, high : float
        The range of the values, within the resolution of float32, in which files and other
        libraries often keep their numbers.
    field : Field or None
        What the catalogue says about them.
    """

    context: Reason = Reason(0)
    value: Reason = Reason.MISSING
    counter: str | None = None
    low: float = -np.inf
    high: float = np.inf
    field: Field | None = None


UNKNOWN: Final = Against()
"""What can speak against a field that is not in the catalogue."""


@cache
def against_fields(log: str) -> Mapping[str, Against]:
    """Return what can speak against the values of each field of a log."""
    no_evidence = Reason(sum(CONTEXT.keys() - evidence_for(log).keys()))
    found = {}
    for name, field in catalogue(log).items():
        context, value, counter = Reason(0), Reason.MISSING, None
        if field.documented and "walking_s" not in field.role:
            context = _BY_KIND.get(field.kind, context) & ~no_evidence
        if field.kind == "gait" and field.agg == "sum":
            context &= ~Reason.STILL  # no steps is a measurement
        if field.documented and field.kind == "static":
            counts = [count for part, count in _COUNTED.items() if part in field.role]
            if len(field.weight) == 1:
                counter = field.weight[0]
            elif counts:
                counter = role_field(log, counts[0], cleansing=field.cleansing or None)
        if field.value_type not in ("str", "bool"):
            value |= Reason.RANGE
            if field.invalid_value is not None:
                value |= Reason.SENTINEL
            # Numbers of packets wrap.
            if field.documented and field.unit == "count" and field.kind != "time" and field.max:
                value |= Reason.SATURATED
            if counter is not None:
                value |= Reason.STALE
        low = -np.inf if field.min is None else min(field.min, float(np.float32(field.min)))
        high = np.inf if field.max is None else max(field.max, float(np.float32(field.max)))
        found[name] = Against(context, value, counter, low, high, field)
    return MappingProxyType(found)
