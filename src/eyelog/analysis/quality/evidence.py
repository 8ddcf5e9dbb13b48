"""Which intervals were worn, walked and valid, and how many seconds of each row were.

This is the only place of these definitions, so that coverage, daily and every rate count the same
time. The limits come from ``limits.csv``; with its default values they are:

=========  ================================  ==========================================
question   15-second log                     60-second log
=========  ================================  ==========================================
in pose    tilt sideways -45 to 45, fore-aft -45 to 90 degrees, if recorded
worn       ``isl`` false, in pose            ``wea_s`` at least 20 s, in pose
walking    ``stp`` above 0                   ``stp_s`` above 0 s
valid      worn, not walking, ``nis_time``   worn, not walking, ``nis_s`` at most 10 s
           at most 3 s, ``vld`` true
=========  ================================  ==========================================

*Valid* means that resting eye data can be used. Each question has three answers: yes, no, and
missing if the evidence is missing. Evidence outside its own documented range is not evidence.
Eyewear that lies still or in a bag adds no time, but a wearer who sits still may look the same in
the 15-second log. With ``wear="blinks"`` an interval in pose also counts as worn if blinks were
counted in it.
"""

from collections.abc import Iterable
from typing import Final, Literal

import numpy as np
import pandas as pd

from eyelog.analysis.limits import Limit, limit, limits
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.quality.values import evidence
from eyelog.analysis.series.arrays import Arrays, Bools, Floats, Table, numbers
from eyelog.catalogue import (
    COMPUTED_DATA,
    INTERVAL_SECONDS,
    STANDARD_MODE_LOGS,
    catalogue,
    role,
    role_field,
)
from eyelog.clock import microseconds
from eyelog.errors import ConfigurationError
from eyelog.frame import is_resampled, log_of
from eyelog.provenance import history

__all__ = [
    "Evidence",
    "Wear",
    "blink_evidence",
    "check_wear",
    "has_evidence",
    "lacking_evidence",
    "seconds",
    "seconds_of",
    "spans",
    "steps_took_s",
]

Wear = Literal["device", "blinks"]

# The columns of a resampled frame that hold each kind of time.
BIN_MINUTES = {"worn": "exposure_min", "valid": "valid_min", "walking": "walking_min"}
POSE: Final = ("tilt_sideways", "tilt_fore_aft")


def check_wear(wear: str) -> None:
    """Raise `ConfigurationError` unless `wear` is one of the two."""
    if wear not in ("device", "blinks"):
        raise ConfigurationError(f"wear must be 'device' or 'blinks', not {wear!r}")


class Evidence:
    """The evidence in a frame of single intervals, with each field converted once."""

    def __init__(self, frame: Arrays, log: str) -> None:
        self.frame, self.log = frame, log
        self._values: dict[str, Floats | None] = {}
        self._stored: dict[tuple[Limit, ...], Bools] = {}

    def field(self, name: str) -> Floats | None:
        """Return the values of a field that can be used as evidence; None without the field."""
        if name not in self._values:
            self._values[name] = evidence(self.frame, name, self.log)
        return self._values[name]

    def part(self, part: str) -> Floats | None:
        """Return the values of the field with a role in the catalogue."""
        return self.field(role_field(self.log, part))

    def off_pose(self, rules: Iterable[Limit] | None = None) -> Bools:
        """Return, for each interval, whether its tilt is that of stored eyewear.

        Masking removes that tilt, and its step in the provenance states the spans in which it did.
        `rules` are the ranges of tilt, by default those of ``limits.csv``.
        """
        chosen = tuple(limit(self.log, name) for name in POSE) if rules is None else tuple(rules)
        if chosen not in self._stored:
            self._stored[chosen] = self._off_pose(chosen)
        return self._stored[chosen]

    def _off_pose(self, rules: tuple[Limit, ...]) -> Bools:
        off = np.zeros(len(self.frame), dtype=bool)
        for rule in rules:
            tilt = self.part(rule.role)
            if tilt is not None:
                off |= rule.breaks(tilt)
        index = self.frame.index
        texts = [step["off_pose"] for step in history(self.frame) if step.get("off_pose")]
        if texts and isinstance(index, pd.DatetimeIndex):
            us = microseconds(index)
            for text in texts:
                edges = np.array(text.replace(" ", "/").split("/"), dtype=np.int64)
                # Odd places lie inside a span: after its first stamp (itself included).
                off |= np.searchsorted(edges[::2], us, side="right") > np.searchsorted(
                    edges[1::2], us, side="left"
                )
        return off

    def worn(self, wear: Wear, off: Bools) -> Floats | None:
        """Return the field that shows wear by interval: ``isl``, or ``wea_s``; None without it.

        With ``wear="blinks"`` an interval in pose with blinks in it has an ``isl`` of 0, or all of
        its measured seconds.
        """
        values = self.part("worn")
        if wear == "device":
            return values
        names = blink_evidence(self.log)
        counts = self.field(names[0])
        if counts is None:
            return values
        blinked = (counts > 0) & ~off
        whole = np.zeros(len(off)) if self.log == COMPUTED_DATA else self.field(names[1])
        if whole is None:
            return values
        return np.where(blinked & ~np.isnan(whole), whole, _or_missing(values, len(off)))


def _or_missing(values: Floats | None, n: int) -> Floats:
    return np.full(n, np.nan) if values is None else values


def spans(index: pd.Index, chosen: Bools) -> str:
    """Return the chosen rows as text: the first and last stamp of each run, in microseconds.

    Text, because pandas deep-copies the provenance whenever a column is taken.
    """
    if not isinstance(index, pd.DatetimeIndex) or not chosen.any():
        return ""
    us = microseconds(index)
    if not index.is_monotonic_increasing:
        order = np.argsort(us, kind="stable")
        us, chosen = us[order], chosen[order]
    beside = np.concatenate([[False], chosen, [False]])
    firsts, lasts = us[chosen & ~beside[:-2]].tolist(), us[chosen & ~beside[2:]].tolist()
    return " ".join(f"{first}/{last}" for first, last in zip(firsts, lasts, strict=True))


def blink_evidence(log: str) -> tuple[str, ...]:
    """Return the fields that ``wear="blinks"`` needs besides those of the device."""
    count = role_field(log, "blink_count", cleansing="strong")
    return (count,) if log == COMPUTED_DATA else (count, role_field(log, "measured_s"))


def seconds(frame: pd.DataFrame, *, log: str | None = None, wear: Wear = "device") -> pd.DataFrame:
    """Return how many seconds of each row were recorded, worn, valid and walked.

    A masked frame has the same seconds as the frame it was made from.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, resampled or not.
    log : str, optional
        The log, if neither provenance nor columns show it.
    wear : {"device", "blinks"}
        What shows wear, see `eyelog.daily`. Bins keep the wear that they were made with.

    Returns
    -------
    DataFrame
        Same index; float64 columns ``recorded_s`` (intervals with any value in them),
        ``worn_s`` (``wea_s``; 15-second log: whole intervals; 0 off pose), ``valid_s`` (the worn
        seconds of valid intervals) and ``walking_s`` of worn intervals (``stp_s``; 15-second log:
        the time that the steps took, 60 ``stp`` / ``cad``, at most the interval). Missing if the
        evidence is; walking also if the eyewear was off or stored.

    Notes
    -----
    A longer bin does not show which of its intervals were valid or walked. For a resampled frame
    the seconds therefore come from the columns ``exposure_min`` (worn), ``valid_min`` and
    ``walking_min`` that `eyelog.resample` writes, and are missing without them.
    """
    which = log_of(frame, log)
    return seconds_of(Evidence(Arrays.of(frame), which), wear).frame()


def seconds_of(known: Evidence, wear: Wear = "device") -> Arrays:
    """Return the columns of `seconds` for the frame whose evidence is `known`."""
    frame, which = known.frame, known.log
    if is_resampled(frame):
        return _bin_seconds(frame, which)
    length = float(INTERVAL_SECONDS[which])
    recorded = np.where(_recorded(frame, which), length, 0.0)
    off = known.off_pose()
    values = known.worn(wear, off)
    missing = np.full(len(frame), np.nan)
    if values is None:
        worn_s, on, unworn = missing, ~off, off
    else:
        rule = limit(which, "worn")
        on = rule.keeps(values) & ~off
        unworn = off | rule.breaks(values)
        whole = values if which == STANDARD_MODE_LOGS else np.where(on, length, 0.0 * values)
        worn_s = np.where(off, 0.0, whole)
    data = {
        "recorded_s": recorded,
        "worn_s": worn_s,
        "valid_s": missing if values is None else _valid_s(known, worn_s, unworn),
        "walking_s": np.where(on, _walking_s(known, length), np.nan),
    }
    return Arrays(data, frame.index, {})


def _valid_s(known: Evidence, worn_s: Floats, unworn: Bools) -> Floats:
    """Return the worn seconds; 0 if any evidence is against use, else missing if any is missing."""
    against, unknown = unworn.copy(), np.isnan(worn_s)
    for name in ("walking", "noise", "valid"):
        if name not in limits(known.log):
            continue
        rule = limit(known.log, name)
        values = known.part(rule.role)
        if values is not None:
            against |= rule.keeps(values) if name == "walking" else rule.breaks(values)
            unknown |= np.isnan(values)
    return np.where(against, 0.0, np.where(unknown, np.nan, worn_s))


def _walking_s(known: Evidence, length: float) -> Floats:
    n = len(known.frame)
    if known.log == STANDARD_MODE_LOGS:
        return _or_missing(known.part("walking_s"), n)
    steps, cadence = known.part("steps"), known.part("pace")
    if steps is None or cadence is None:
        return np.full(n, np.nan)
    return steps_took_s(steps, cadence, length)


def steps_took_s(steps: Floats, cadence: Floats, length: float) -> Floats:
    """Return the seconds that the steps of each interval took, at most its length.

    Missing if there are steps without a cadence.
    """
    took = np.full(len(steps), np.nan)
    np.divide(60.0 * steps, cadence, out=took, where=cadence > 0)
    return np.where(steps == 0, 0.0, np.minimum(took, length))


def lacking_evidence(frame: Table, log: str) -> dict[str, list[str]]:
    """Return the parts of wear, validity and walking not checked, with the fields to add."""
    if is_resampled(frame) or not has_evidence(frame, "worn", log=log):
        return {}
    asked = [(Reason.OFF_POSE, name) for name in POSE]
    if has_evidence(frame, "valid", log=log):
        names = ((Reason.MOVING, "walking"), (Reason.NOISY, "noise"), (Reason.INVALID, "valid"))
        asked += [(reason, name) for reason, name in names if name in limits(log)]
    lacking: dict[str, list[str]] = {}
    for reason, name in asked:
        field = role_field(log, limit(log, name).role)
        if field not in frame.columns:
            lacking.setdefault(str(reason.name), []).append(field)
    if not has_evidence(frame, "walking", log=log):
        parts = ("walking", "pace") if log == COMPUTED_DATA else ("walking",)
        fields = role(log, *parts)
        if not set(fields).isdisjoint(frame.columns):
            lacking["walking time"] = [name for name in fields if name not in frame.columns]
    return lacking


def has_evidence(frame: Table, noun: str, *, log: str) -> bool:
    """Return whether the frame has the columns that a kind of time needs.

    `noun` is ``worn``, ``valid`` or ``walking``.
    """
    if is_resampled(frame):
        return BIN_MINUTES[noun] in frame.columns
    parts: tuple[str, ...] = (noun,)
    if noun == "valid":
        parts = ("worn", "valid") if log == COMPUTED_DATA else ("worn", "noise_s", "walking")
    elif noun == "walking" and log == COMPUTED_DATA:
        parts = ("walking", "pace")
    return set(role(log, *parts)) <= set(frame.columns)


def _recorded(frame: Arrays, log: str) -> Bools:
    """Return the rows that are records: all except those in which every value is missing."""
    fields = catalogue(log)
    evidence_kinds = ("wear", "power", "time")
    never_masked = [
        name
        for name in frame.columns
        if name in fields
        and (fields[name].kind in evidence_kinds or "walking_s" in fields[name].role)
    ]
    if not never_masked and any(step["step"] in ("mask", "select") for step in history(frame)):
        # Without evidence a masked record looks like no record: take every row as a record.
        return np.ones(len(frame), dtype=bool)
    recorded = np.zeros(len(frame), dtype=bool)
    for name in [*never_masked, *(name for name in frame.columns if name not in never_masked)]:
        if recorded.all():
            break
        recorded |= np.asarray(pd.notna(frame[name]))
    return recorded


def _bin_seconds(frame: Arrays, log: str) -> Arrays:
    missing = np.full(len(frame), np.nan)

    def column(name: str) -> Floats:
        return numbers(frame[name]) if name in frame.columns else missing

    out = {"recorded_s": column("n") * INTERVAL_SECONDS[log]}
    for noun, name in BIN_MINUTES.items():
        out[f"{noun}_s"] = column(name) * 60
    return Arrays(out, frame.index, {})
