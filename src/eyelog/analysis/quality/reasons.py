"""The reasons against a value, and which of them can hold against which field.

Which reason can apply to which kind of field (``kind`` of the catalogue), and its evidence:

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

Wear, durations (``stp_s`` too), battery, time, place and undocumented fields get only the first
three: they are the evidence, or nothing is known about them.
"""

from collections.abc import Mapping
from enum import IntFlag
from types import MappingProxyType
from typing import Final

from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, Field, catalogue

__all__ = ["EVIDENCE", "Reason", "applies", "counter"]


class Reason(IntFlag):
    """A reason against a value; several can hold at once, 0 is none.

    ``(reasons & Reason.MOVING) != 0`` asks a whole table; ``Reason(value)`` reads one value.
    """

    __iter__ = None  # type: ignore[assignment]  # pandas would take what iterates for a list

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


_ALWAYS: Final = Reason.UNWORN | Reason.OFF_POSE
_BY_KIND: Final[Mapping[str, Reason]] = MappingProxyType(
    {
        "static": _ALWAYS | Reason.INVALID | Reason.MOVING | Reason.NOISY,
        "motion": _ALWAYS,
        "gait": _ALWAYS | Reason.STILL,
    }
)
EVIDENCE: Final[Mapping[str, Mapping[Reason, tuple[str, ...]]]] = MappingProxyType(
    {
        COMPUTED_DATA: {
            Reason.INVALID: ("vld",),
            Reason.MOVING: ("stp",),
            Reason.STILL: ("stp",),
            Reason.UNWORN: ("isl",),
            Reason.NOISY: ("nis_time",),
            Reason.OFF_POSE: ("tl_xav", "tl_yav"),
        },
        STANDARD_MODE_LOGS: {
            Reason.MOVING: ("stp_s",),
            Reason.STILL: ("stp_s",),
            Reason.UNWORN: ("wea_s",),
            Reason.NOISY: ("nis_s",),
            Reason.OFF_POSE: ("tl_xav", "tl_yav"),
        },
    }
)
# Blink statistics that the catalogue gives no weight: totals and extremes of the same buffer.
_COUNTED_BY: Final = {"bki_sum": "bki_n", "bkh_sum": "bk_n", "bkh_max": "bk_n"}


def applies(field: Field | None, log: str) -> Reason:
    """Return the reasons of the context that can hold against a field."""
    if field is None or not field.documented or field.name == "stp_s":
        return Reason(0)
    reasons = _BY_KIND.get(field.kind, Reason(0))
    if field.kind == "gait" and field.agg == "sum":
        reasons &= ~Reason.STILL  # no steps is a measurement
    if log == STANDARD_MODE_LOGS:
        reasons &= ~Reason.INVALID
    return reasons


def counter(field: Field, log: str) -> str | None:
    """Return the count that a blink statistic rests on, or None for any other field."""
    if field.kind != "static" or not field.documented:
        return None
    if field.name in _COUNTED_BY:
        return _COUNTED_BY[field.name]
    plain = catalogue(log).get(field.name.removesuffix("_wa"), field)
    return plain.weight[0] if len(plain.weight) == 1 else None
