"""Which intervals were worn, walked and valid, and how many seconds of each row were.

This is the only place with these definitions, so that coverage, daily and every rate count the same
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

In the 20 Hz log a record is worn unless ``fitError`` is 1 in it or in one of the 5 s after it;
walking if a step of worn eyewear is flagged in it, in the 1 s before it or the 0.25 s after it; and
valid if it is worn, not walking, and has no ``noiseStatus`` in it or in the 1 s before it.

*Valid* means that resting eye data can be used. Each question has three answers: yes, no, and
missing if the evidence is missing. Evidence outside its own documented range is not evidence.
Eyewear that lies still or in a bag adds no time, but a wearer who sits still may look the same in
the 15-second log. With ``wear="blinks"`` an interval in pose also counts as worn if blinks were
counted in it. `eyelog.Limits` changes the limits, for values and hours alike.
"""

from functools import cached_property, partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.limits import DEFAULT, Limits, chosen_limits, limit
from eyelog.analysis.quality.reasons import CONTEXT, Reason, evidence_for
from eyelog.analysis.quality.values import evidence
from eyelog.analysis.series.around import around
from eyelog.analysis.series.arrays import Arrays, Bools, Floats, Table, numbers
from eyelog.catalogue import (
    catalogue,
    log_named,
    role,
    role_field,
)
from eyelog.clock import microseconds
from eyelog.errors import ConfigurationError
from eyelog.frame import STORED, is_resampled, log_of, own_share, refuse_lost_stored

__all__ = [
    "Evidence",
    "blink_evidence",
    "has_evidence",
    "lacking_evidence",
    "recorded_rows",
    "seconds",
    "seconds_of",
    "steps_took_s",
]

# The columns of a resampled frame that hold each kind of time.
BIN_MINUTES = {"worn": "exposure_min", "valid": "valid_min", "walking": "walking_min"}
POSE: Final = ("tilt_sideways", "tilt_fore_aft")
# Each other reason from the context has one limit, which the value of its evidence breaks.
_BY_RULES_OF_THEIR_OWN: Final = Reason.OFF_POSE | Reason.MOVING | Reason.STILL | Reason.UNWORN


class Evidence:
    """The evidence in a frame of single intervals, under one set of limits.

    Each field is converted once, and each question is answered once: judging the values and
    counting the time use the same answers.
    """

    def __init__(self, frame: Arrays, log: str, limits: Limits = DEFAULT) -> None:
        self.frame, self.log, self.limits = frame, log, limits
        self.rules = limits.of(log)
        self._values: dict[str, Floats | None] = {}

    def field(self, name: str) -> Floats | None:
        """Return the values of a field that can be used as evidence; None without the field."""
        if name not in self._values:
            self._values[name] = evidence(self.frame, name, self.log)
        return self._values[name]

    def part(self, part: str) -> Floats | None:
        """Return the values of the field with a role in the catalogue; None without the field."""
        return self.field(role_field(self.log, part)) if role(self.log, part) else None

    @cached_property
    def resampled(self) -> bool:
        """Whether the rows are bins."""
        return is_resampled(self.frame)

    @cached_property
    def _stored(self) -> tuple[Bools, Bools] | None:
        """Which rows of a masked frame are records, and which of them were off pose."""
        if STORED not in self.frame.columns:
            return None
        stored = numbers(self.frame[STORED])
        return ~np.isnan(stored), stored > 0

    @cached_property
    def masked(self) -> bool:
        """Whether `eyelog.mask` has judged the values: judging them again would change nothing.

        Raises
        ------
        ConfigurationError
            If some rows were masked and others were not.
        """
        if self._stored is None:
            return False
        if not self._stored[0].all():
            rows = ~self._stored[0]
            names = [name for name in self.frame.columns if name in catalogue(self.log)]
            for name in names:
                if np.asarray(pd.notna(self.frame[name]))[rows].any():
                    raise ConfigurationError(
                        f"{int(rows.sum())} rows of the frame are not masked and the others are"
                        f" (column {STORED!r}): mask all of it, eyelog.mask(frame,"
                        " eyelog.flag(frame))"
                    )
        return True

    @cached_property
    def recorded(self) -> Bools:
        """Whether each row is a record: all except those in which every value is missing."""
        rows = recorded_rows(self.frame, self.log)
        return rows if self._stored is None else rows | self._stored[0]

    @cached_property
    def off_pose(self) -> Bools:
        """Whether the tilt of each interval is that of stored eyewear.

        Masking removes that tilt, and adds the column ``stored``, which says where it did.
        """
        off = np.zeros(len(self.frame), dtype=bool)
        for name in POSE if Reason.OFF_POSE in evidence_for(self.log) else ():
            rule = self.rules[name]
            tilt = self.part(rule.role)
            if tilt is not None:
                off |= rule.breaks(tilt)
        return off if self._stored is None else off | self._stored[1]

    @cached_property
    def worn(self) -> Floats | None:
        """The field that shows wear by interval: ``isl``, or ``wea_s``; None without it.

        With ``wear="blinks"`` an interval in pose with blinks in it has an ``isl`` of 0, or all of
        its measured seconds.

        Raises
        ------
        ConfigurationError
            If blinks are to show wear and the frame is masked: a count that was masked as noisy
            shows no blinks, so the hours would not be those of the records.
        """
        values = self.part("worn")
        if self.limits.wear == "device" or not role(self.log, "blink_count"):
            return values
        if self._stored is not None:
            raise ConfigurationError(
                "wear='blinks' reads the blink counts, and mask has removed some of them: pass the"
                f" frame from before mask, with limits=eyelog.{self.limits!r}"
            )
        off = self.off_pose
        names = blink_evidence(self.log)
        counts = self.field(names[0])
        if counts is None:
            return values
        blinked = (counts > 0) & ~off
        whole = self.field(names[1]) if len(names) > 1 else np.zeros(len(off))
        if whole is None:
            return values
        return np.where(blinked & ~np.isnan(whole), whole, _or_missing(values, len(off)))

    @cached_property
    def against(self) -> dict[Reason, Bools]:
        """The rows to which each reason from the context applies; a missing value sets none."""
        rows = {Reason.OFF_POSE: self.off_pose}
        reasons = evidence_for(self.log)
        for reason in (each for each in reasons if not each & _BY_RULES_OF_THEIR_OWN):
            (name,) = CONTEXT[reason]
            rule = self.rules[name]
            values = self.part(rule.role)
            if values is not None:
                rows[reason] = rule.breaks(values)
        if Reason.MOVING in reasons:
            rule = self.rules["walking"]
            values = self.part(rule.role)
            if values is not None:
                rows[Reason.MOVING], rows[Reason.STILL] = rule.keeps(values), rule.breaks(values)
        if Reason.UNWORN in reasons and self.worn is not None:
            rows[Reason.UNWORN] = self.rules["worn"].breaks(self.worn)
        for name, edges in log_named(self.log).spread.items():
            self._spread(rows, name, *edges)
        return rows

    def _spread(self, rows: dict[Reason, Bools], name: str, before: str, after: str) -> None:
        """Apply a reason also to the neighbours of the rows that show it."""
        reason = next(each for each, names in CONTEXT.items() if name in names)
        if reason not in rows:
            return
        spans = [round(self.rules[each].value * 1e6) if each else 0 for each in (before, after)]
        seen = rows[reason]
        if reason is Reason.MOVING and Reason.UNWORN in rows:  # nobody took these steps
            seen = seen & ~rows[Reason.UNWORN]
        rows[reason] = around(microseconds(cast(Any, self.frame.index)), seen, *spans)
        if reason is Reason.MOVING:
            rows[Reason.STILL] = rows[Reason.STILL] & ~rows[reason]

    @cached_property
    def against_steps(self) -> dict[Reason, Bools]:
        """The same for step counts, which require more wear in the 60-second log."""
        if "worn_for_steps" not in self.rules or self.worn is None:
            return self.against
        return self.against | {Reason.UNWORN: self.rules["worn_for_steps"].breaks(self.worn)}

    def lacks(self, name: str) -> bool:
        """Return whether a field is not in the frame, or has no value in it."""
        if name not in self.frame.columns:
            return True
        return len(self.frame) > 0 and _nothing(self.frame[name])

    def unchecked(self, wanted: Reason) -> dict[str, list[str]]:
        """Return those of the wanted reasons that lack evidence, with the fields to add."""
        if self.resampled:
            return {str(r.name): ["resampled"] for r in Reason if r is not Reason.MISSING}
        missing = {
            str(reason.name): [name for name in names if self.lacks(name)]
            for reason, names in evidence_for(self.log).items()
            if reason & wanted
        }
        if self.limits.wear == "blinks" and Reason.UNWORN & wanted:
            missing[str(Reason.UNWORN.name)] += filter(self.lacks, blink_evidence(self.log))
        return {name: fields for name, fields in missing.items() if fields}


def _nothing(column: Any) -> bool:
    """Return whether all values are missing; usually the first is not."""
    return bool(pd.isna(column[0]) and np.asarray(pd.isna(column)).all())


def _or_missing(values: Floats | None, n: int) -> Floats:
    return np.full(n, np.nan) if values is None else values


def blink_evidence(log: str) -> tuple[str, ...]:
    """Return the fields that ``wear="blinks"`` needs besides those of the device."""
    counts = role(log, "blink_count", cleansing="strong")
    return (*counts, *role(log, "measured_s")) if counts else ()


def seconds(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return how many seconds of each row were recorded, worn, valid and walked.

    A masked frame has the same seconds as the frame it was made from.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, resampled or not.
    limits : Limits, optional
        What counts as worn, noisy and walking, see `eyelog.Limits`. Bins keep the time that they
        were made with.
    log : str, optional
        The log, if neither provenance nor columns show it.

    Returns
    -------
    DataFrame
        Same index; float64 columns ``recorded_s`` (intervals with any value in them),
        ``worn_s`` (``wea_s``; 15-second log: whole intervals; 0 off pose), ``valid_s`` (the worn
        seconds of valid intervals) and ``walking_s`` of worn intervals (``stp_s`` of minutes worn
        at least 30 s; 15-second log: the time that the steps took, 60 ``stp`` / ``cad``, at most
        the interval), never more than the worn seconds. Missing if the evidence is; walking also
        if the eyewear was off or stored. Where two records overlap, as when a new connection
        starts, each second counts once.

    Notes
    -----
    A longer bin does not show which of its intervals were valid or walked. For a resampled frame
    the seconds therefore come from the columns ``exposure_min`` (worn), ``valid_min`` and
    ``walking_min`` that `eyelog.resample` writes, and are missing without them.
    """
    which = log_of(frame, log)
    refuse_lost_stored(frame)
    evidence = Evidence(Arrays.of(frame), which, chosen_limits(limits, frame))
    return seconds_of(evidence).frame()


def seconds_of(evidence: Evidence) -> Arrays:
    """Return the columns of `seconds` for the frame of `evidence`."""
    frame, which = evidence.frame, evidence.log
    if evidence.resampled:
        return _bin_seconds(frame, which)
    length = float(log_named(which).interval_s)
    off, values = evidence.off_pose, evidence.worn
    walked = _walking_s(evidence, length)
    if values is None or "worn" not in evidence.rules:  # nothing but the steps is known
        worn_s = valid_s = np.full(len(frame), np.nan)
        np.putmask(walked, off, np.nan)
    else:
        worn_s = _worn_s(evidence, values, length)
        valid_s = _valid_s(evidence, worn_s)
        unworn = evidence.against_steps[Reason.UNWORN]
        np.putmask(walked, np.isnan(values) | unworn | off, np.nan)
        np.minimum(walked, worn_s, out=walked)
    data: dict[str, Any] = {
        "recorded_s": partial(np.multiply, evidence.recorded, length),
        "worn_s": worn_s,
        "valid_s": valid_s,
        "walking_s": walked,
    }
    # A packet lasts as long as all others, however early or late it was received.
    share = None if log_named(which).numbers_packets else own_share(frame.index, length)
    seconds = Arrays(data, frame.index, {})
    if share is None:
        return seconds
    # Records overlap: their seconds count once.
    return Arrays({name: seconds[name] * share for name in seconds.columns}, frame.index, {})


def _worn_s(evidence: Evidence, values: Floats, length: float) -> Floats:
    """Return the seconds of wear: those of the minute, or the whole interval; 0 off pose."""
    if log_named(evidence.log).states_seconds:
        worn_s = values.copy()
    else:
        worn_s = np.where(evidence.against[Reason.UNWORN], 0.0, length)
        np.putmask(worn_s, np.isnan(values), np.nan)
    np.putmask(worn_s, evidence.off_pose, 0.0)
    return worn_s


def _valid_s(evidence: Evidence, worn_s: Floats) -> Floats:
    """Return the worn seconds; 0 if any evidence is against use, or missing if any is missing."""
    rows = evidence.against
    against = rows[Reason.OFF_POSE] | rows[Reason.UNWORN]
    unknown = np.isnan(worn_s)
    for reason in (Reason.MOVING, Reason.NOISY, Reason.INVALID):
        if reason not in rows:
            continue
        against |= rows[reason]
        values = evidence.part(evidence.rules[CONTEXT[reason][0]].role)
        if values is not None:
            unknown |= np.isnan(values)
    valid_s = worn_s.copy()
    np.putmask(valid_s, unknown, np.nan)
    np.putmask(valid_s, against, 0.0)
    return valid_s


def _walking_s(evidence: Evidence, length: float) -> Floats:
    """Return the seconds walked in each row; 0 where the limit for walking is not exceeded."""
    n, still = len(evidence.frame), evidence.against.get(Reason.STILL)
    if log_named(evidence.log).states_seconds:
        walked = _or_missing(evidence.part("walking_s"), n).copy()
    elif "walking" in log_named(evidence.log).spread:  # the time around each step
        return _around_steps_s(evidence, length)
    else:
        steps, cadence = evidence.part("steps"), evidence.part("pace")
        if steps is None or cadence is None:
            return np.full(n, np.nan)
        walked = steps_took_s(steps, cadence, length)
    if still is not None:
        np.putmask(walked, still, 0.0)
    return walked


def _around_steps_s(evidence: Evidence, length: float) -> Floats:
    """Return the length of a row that is walking, otherwise 0; missing if its step is."""
    steps = evidence.part("walking")
    if steps is None:
        return np.full(len(evidence.frame), np.nan)
    moving = evidence.against[Reason.MOVING]
    return np.where(moving, length, np.where(np.isnan(steps), np.nan, 0.0))


def steps_took_s(steps: Floats, cadence: Floats, length: float) -> Floats:
    """Return the seconds that the steps of each interval took, at most its length.

    Missing if there are steps without a cadence.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        took = np.minimum(60.0 * steps / cadence, length)
    np.putmask(took, ~(cadence > 0), np.nan)
    np.putmask(took, steps == 0, 0.0)
    return took


def lacking_evidence(frame: Table, log: str) -> dict[str, list[str]]:
    """Return the parts of wear, validity and walking not checked, with the fields to add."""
    if is_resampled(frame) or not has_evidence(frame, "worn", log=log):
        return {}
    rules = [(Reason.OFF_POSE, name) for name in POSE]
    if has_evidence(frame, "valid", log=log):
        names = ((Reason.MOVING, "walking"), (Reason.NOISY, "noise"), (Reason.INVALID, "valid"))
        rules += names
    lacking: dict[str, list[str]] = {}
    for reason, name in rules:
        if reason not in evidence_for(log):
            continue
        field = role_field(log, limit(log, name).role)
        if field not in frame.columns:
            lacking.setdefault(str(reason.name), []).append(field)
    if not has_evidence(frame, "walking", log=log):
        fields = role(log, *_time_roles(log, "walking"))
        if not set(fields).isdisjoint(frame.columns):
            lacking["walking time"] = [name for name in fields if name not in frame.columns]
    return lacking


def has_evidence(frame: Table, noun: str, *, log: str) -> bool:
    """Return whether the frame has the columns that a kind of time needs.

    `noun` is ``worn``, ``valid`` or ``walking``.
    """
    if is_resampled(frame):
        return BIN_MINUTES[noun] in frame.columns
    fields = role(log, *_time_roles(log, noun))
    return bool(fields) and set(fields) <= set(frame.columns)


def _time_roles(log: str, noun: str) -> tuple[str, ...]:
    """Return the roles of the fields that show a kind of time."""
    return log_named(log).time_roles.get(noun, (noun,))


def recorded_rows(frame: Arrays, log: str) -> Bools:
    """Return the rows with any value in them."""
    fields = catalogue(log)
    evidence_kinds = ("wear", "power", "time")
    never_masked = [
        name
        for name in frame.columns
        if name in fields
        and (fields[name].kind in evidence_kinds or "walking_s" in fields[name].role)
    ]
    recorded = np.zeros(len(frame), dtype=bool)
    for name in [*never_masked, *(name for name in fields if name in frame.columns)]:
        if recorded.all():
            break
        recorded |= np.asarray(pd.notna(frame[name]))
    return recorded


def _bin_seconds(frame: Arrays, log: str) -> Arrays:
    missing = np.full(len(frame), np.nan)

    def column(name: str) -> Floats:
        return numbers(frame[name]) if name in frame.columns else missing

    whole = column("n") * log_named(log).interval_s
    recorded = column("recorded_min") * 60
    out = {"recorded_s": np.where(np.isnan(recorded), whole, recorded)}
    for noun, name in BIN_MINUTES.items():
        out[f"{noun}_s"] = column(name) * 60
    return Arrays(out, frame.index, {})
