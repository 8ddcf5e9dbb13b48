"""Records of one log as arrays: what the evidence in them says, and which values it removes.

This is the only place with these definitions, so that every summary counts the same time. The
limits come from ``limits.csv``; with its default values they are:

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
"""

from collections.abc import Iterable, Mapping
from functools import cache, cached_property, partial, reduce
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import catalogue, log_named, role
from eyelog.cores import on_cores
from eyelog.frame import SECONDS, STATE, STORED
from eyelog.judge.arrays import Bools, Floats, Ints, around, numbers
from eyelog.judge.limits import Limits
from eyelog.judge.reasons import CONTEXT, UNKNOWN, Against, Reason, against_fields, evidence_for

MASKS: Final = ~Reason.SATURATED
"""The reasons that remove a value: a count at its cap is still a lower bound."""
STATES: Final = ("usable", "walking", "noisy", "off pose", "not worn")
"""The states of the eyewear; what takes precedence is in `_STATE_OF`, the last of all wins."""
OFF: Final = STATES.index("off pose")  # from here on nobody wears it
KINDS: Final = pd.CategoricalDtype(list(STATES), ordered=True)
_STATE_OF: Final = {
    Reason.INVALID: "noisy",
    Reason.NOISY: "noisy",
    Reason.MOVING: "walking",
    Reason.OFF_POSE: "off pose",
    Reason.UNWORN: "not worn",
}
NOTHING: Final = Reason(0)
AT_ONCE: Final = 262_144  # records judged at once: six weeks of the 15-second log
Bits: TypeAlias = npt.NDArray[np.uint16]
Context: TypeAlias = dict[Any, Any]  # arrays with a value for each record, by name or `Reason`


class Judged(NamedTuple):
    """A field of records: the rows whose value no reason removes, and the values of all rows."""

    used: Bools
    values: Floats


class Records:
    """Records of one log in order of time, as arrays, under one set of limits.

    Parameters
    ----------
    columns : mapping
        The columns of the frame as arrays, by name.
    us : array of int64
        Their stamps in microseconds.
    log : str
        The log.
    limits : Limits
        What counts as worn, noisy, walking and in pose.
    whole, place : Records and slice, optional
        Those of which these are some, and which of them.
    """

    def __init__(
        self,
        columns: Mapping[Any, Any],
        us: Ints,
        log: str,
        limits: Limits,
        whole: "Records | None" = None,
        place: slice = slice(None),
    ) -> None:
        self.columns, self.us, self.log, self.limits = columns, us, log, limits
        self.whole, self.place, self.size = whole, place, len(us)
        # These with one more record at each end, and which of them are these.
        start = place.start or 0
        self.near = slice(max(start - 1, 0), start + self.size + 1)
        self.inside = slice(start - self.near.start, start - self.near.start + self.size)
        self.rules = limits.of(log)
        self.masked = STORED in columns
        self.length_s = float(log_named(log).interval_s)
        # The fields whose values were asked for
        self.asked: set[str] = set() if whole is None else whole.asked
        self.time: dict[str, Floats] = {}  # their seconds, each of which counts once
        self._evidence: dict[str, Floats] = {}
        self._bits: dict[tuple[Reason, bool], Bits] = {}
        self._judged: dict[tuple[str, Reason], Judged] = {}

    def at(self, part: slice) -> "Records":
        """Return some of the records."""
        columns = {name: values[part] for name, values in self.columns.items()}
        return Records(columns, self.us[part], self.log, self.limits, self, part)

    def name(self, part: str) -> str:
        """Return the first field with a role, which is among the columns."""
        return next(name for name in role(self.log, part) if name in self.columns)

    def evidence(self, part: str, *, field: str = "") -> Floats | None:
        """Return the first field with a role as evidence, or a certain `field`; None without it.

        Values out of its range are missing.
        """
        present = (name for name in role(self.log, part) if name in self.columns)
        name = field or next(present, None)
        if name is None:
            return None
        if name not in self._evidence:
            values = numbers(self.columns[name], name)
            _, outside, *_ = faults(values, against_fields(self.log)[name])
            self._evidence[name] = values if outside is None else np.where(outside, np.nan, values)
        return self._evidence[name]

    @cached_property
    def context(self) -> Context:
        """What the evidence in each record says about all of its values, judged once.

        ``recorded``: all except those in which every value is missing. ``state``: the place of its
        state in `STATES`; -1 where it is not known. For each `Reason` from the context the records
        to which it applies; a missing value sets none. ``unworn_for_steps``: those that are not
        worn long enough for their steps to count. ``worn_s``, ``valid_s`` and ``walking_s``, as far
        as the fields show them: the seconds of each, missing where the evidence is; where two
        records overlap, each second counts in both. ``worn``, if there is any: the evidence of
        wear, ``isl`` or ``wea_s``; with ``wear="blinks"`` an interval in pose with blinks in it has
        an ``isl`` of 0, or all of its measured seconds.
        """
        # Where a flag holds for some time around it, neighbours are evidence too.
        alone = not log_named(self.log).spread
        if self.whole is not None and not (alone and "context" not in vars(self.whole)):
            return {name: values[self.place] for name, values in self.whole.context.items()}
        if self.whole is not None or self.masked or self.size <= AT_ONCE or not alone:
            return self._judge()
        # By a method: until Python 3.12 a cached property is made in one thread at a time.
        blocks = [slice(at, at + AT_ONCE) for at in range(0, self.size, AT_ONCE)]
        calls = [partial(lambda part: self.at(part)._judge(), part) for part in blocks]
        made = on_cores(calls, values=self.size * len(self.columns))
        return {name: np.concatenate([block[name] for block in made]) for name in made[0]}

    def _judge(self) -> Context:
        """Return what the evidence in these records says, by itself."""
        log, rules, size = log_named(self.log), self.rules, self.size
        none, unknown = np.zeros(size, dtype=bool), np.full(size, np.nan)
        keeps_state = self.masked and STATE in self.columns
        evidence: dict[str, list[Any]] = {}
        for name in (each for names in CONTEXT.values() for each in names if each in rules):
            part = rules[name].role
            fields_of = () if keeps_state else role(self.log, part)
            evidence[name] = [self.evidence(part, field=n) for n in fields_of if n in self.columns]
        # Recorded: what is never masked is rarely missing, and usually answers for all rows.
        fields = {
            name: field for name, field in catalogue(self.log).items() if name in self.columns
        }
        present = sorted(fields, key=lambda n: fields[n].kind not in ("wear", "power", "time"))
        recorded = none.copy()
        for name in [STORED, *present] if self.masked else present:
            if recorded.all():
                break
            recorded |= np.asarray(pd.notna(self.columns[name]))
        # In pose: eyewear with another tilt is stored, as masking has kept.
        off = numbers(self.columns[STORED]) > 0 if self.masked else none.copy()
        if not self.masked:
            for name in CONTEXT[Reason.OFF_POSE]:
                for tilt in evidence[name]:
                    off |= ~rules[name].keeps(tilt, missing=True)
        # Worn: as the eyewear says, or with blinks in pose.
        worn, counted = self.evidence("worn"), blink_evidence(self.log)
        if self.limits.wear == "blinks" and counted and {*counted} <= self.columns.keys():
            counts = cast(Floats, self.evidence("blink_count", field=counted[0]))
            measured = self.evidence("measured_s")
            whole = np.zeros(size) if measured is None else measured
            blinked = (counts > 0) & ~off & ~np.isnan(whole)
            worn = np.where(blinked, whole, unknown if worn is None else worn)
        evidence["worn"] = [] if worn is None else [worn]
        # The reasons, each from its own limit, and the state that follows.
        against = {Reason.OFF_POSE: off}
        told: Context = {} if worn is None else {"worn": worn}
        if keeps_state:
            given = pd.Series(self.columns[STATE], copy=False).astype(KINDS)
            state = np.asarray(given.cat.codes, dtype=np.int8)
            kept = (Reason.NOISY, Reason.MOVING, Reason.UNWORN)
            against |= {reason: state == STATES.index(_STATE_OF[reason]) for reason in kept}
        else:
            for reason in evidence_for(self.log):
                (name, *_) = CONTEXT[reason]
                if reason is Reason.OFF_POSE or not evidence[name]:
                    continue
                over = reason is Reason.MOVING
                met = [rules[name].keeps(values, missing=not over) for values in evidence[name]]
                where = reduce(np.logical_or, met if over else [~each for each in met])
                if name in log.spread and reason is not Reason.STILL:
                    if reason is Reason.MOVING and Reason.UNWORN in against:
                        where = where & ~against[Reason.UNWORN]  # nobody took these steps
                    spans = (round(rules[n].value * 1e6) if n else 0 for n in log.spread[name])
                    where = around(self.us, where, *spans)
                against[reason] = where
            if Reason.MOVING in against:
                against[Reason.STILL] = against[Reason.STILL] & ~against[Reason.MOVING]
            state = np.zeros(size, dtype=np.int8)
            for reason in (Reason.INVALID, Reason.NOISY, Reason.MOVING):
                if reason in against:
                    state[against[reason]] = STATES.index(_STATE_OF[reason])
                    (name,) = CONTEXT[reason]
                    for values in evidence[name]:
                        state[np.isnan(values) & (state == 0)] = -1
            state[True if worn is None else np.isnan(worn)] = -1
            for reason in (Reason.OFF_POSE, Reason.UNWORN):
                if reason in against:
                    state[against[reason]] = STATES.index(_STATE_OF[reason])
        # The seconds: as masking has kept them, or as the evidence shows.
        if self.masked:
            kept_s = {n: numbers(self.columns[n], n) for n in SECONDS if n in self.columns}
            told |= {"recorded": recorded, "unworn_for_steps": none, "state": state}
            return told | against | kept_s
        # Walked: around each step, as stated, or those that the steps took, at most all.
        walked = unknown
        if "walking" in log.spread:
            if evidence["walking"]:
                walked = np.where(np.isnan(evidence["walking"][0]), np.nan, 0.0)
                walked[against[Reason.MOVING]] = self.length_s
        elif log.states_seconds:
            stated = self.evidence("walking_s")
            walked = walked if stated is None else stated
        else:
            steps, cadence = map(self.evidence, ("steps", "pace"))
            if steps is not None and cadence is not None:
                with np.errstate(divide="ignore", invalid="ignore"):
                    took = np.minimum(60.0 * steps / cadence, self.length_s)
                walked = np.where(steps == 0, 0.0, np.where(cadence > 0, took, np.nan))
        if Reason.STILL in against and "walking" not in log.spread:
            walked = np.where(against[Reason.STILL], 0.0, walked)
        if worn is None:  # nothing but the steps is known
            time, unworn = {"walking_s": np.where(off, np.nan, walked)}, none
        else:
            if log.states_seconds:
                worn_s = np.where(off, 0.0, worn)
            else:
                worn_s = np.where(np.isnan(worn), np.nan, self.length_s)
                worn_s = np.where(off | against[Reason.UNWORN], 0.0, worn_s)
            unworn = ~rules.get("worn_for_steps", rules["worn"]).keeps(worn, missing=True)
            walked = np.where(np.isnan(worn) | unworn | off, np.nan, walked)
            unusable = [where for reason, where in against.items() if reason is not Reason.STILL]
            valid_s = np.where(state == -1, np.nan, worn_s)
            valid_s = np.where(reduce(np.logical_or, unusable), 0.0, valid_s)
            walking_s = np.minimum(walked, worn_s)
            time = {"worn_s": worn_s, "valid_s": valid_s, "walking_s": walking_s}
        shown = [n for n, own in time_fields(self.log).items() if {*own} <= self.columns.keys()]
        told |= {"recorded": recorded, "unworn_for_steps": unworn, "state": state}
        return told | against | {name: time[name] for name in shown}

    def bits(self, name: str) -> Bits:
        """Return the reasons against each value of a field, as a sum of bits.

        Steps require more wear than all else in the 60-second log.
        """
        possible = against_fields(self.log).get(name, UNKNOWN)
        field = possible.field
        of_steps = field is not None and "steps" in field.role and "worn_for_steps" in self.rules
        kind = possible.context, of_steps and not self.masked
        if kind not in self._bits:
            self._bits[kind] = np.zeros(self.size, dtype=np.uint16)
            for reason in CONTEXT.keys() & self.context.keys():
                steps_too = reason is Reason.UNWORN and kind[1]
                where = self.context["unworn_for_steps" if steps_too else reason]
                if reason & kind[0] and where.any():
                    self._bits[kind] |= where * np.uint16(reason)
        found: dict[Reason, Bools] = {}
        if field is None or Reason.RANGE not in possible.value:
            found[Reason.MISSING] = np.asarray(pd.isna(self.columns[name]))
        else:
            values = numbers(self.columns[name], name)
            missing, outside, least, most = faults(values, possible)
            if missing is not None:
                found[Reason.MISSING] = missing
            if field.invalid_value is not None and least <= field.invalid_value:
                found[Reason.SENTINEL] = values == field.invalid_value
            if outside is not None:
                found[Reason.RANGE] = outside & ~found.get(Reason.SENTINEL, np.False_)
            if Reason.SATURATED in possible.value and most >= (field.max or 0):
                found[Reason.SATURATED] = values == field.max
            if possible.counter in self.columns:
                # An old value is unchanged while none was counted; a total of 0 is a measurement.
                every = (self.whole or self).columns
                idle = numbers(every[possible.counter][self.near], possible.counter) == 0
                beside = numbers(every[name][self.near], name)
                same = (beside[1:] == beside[:-1]) & idle[1:]
                stale = np.append(False, same)[: len(beside)]
                stale[:-1] |= same & idle[:-1]
                found[Reason.STALE] = stale[self.inside]
                if field.agg == "sum":
                    found[Reason.STALE] &= values != 0
        bits = self._bits[kind]
        for reason, where in found.items():
            if where.any():
                bits = bits | where * np.uint16(reason)
        return bits

    def judged(self, name: str, against: Reason = MASKS) -> Judged:
        """Return a field with the rows whose value no reason removes.

        What `eyelog.mask` has judged is taken as it is.
        """
        if (name, against) not in self._judged:
            self.asked.add(name)
            values = numbers(self.columns[name], name)
            if self.masked:
                used = values == values  # the others are missing
            else:
                used = (self.bits(name) & np.uint16(int(against) & 0xFFFF)) == 0
            self._judged[name, against] = Judged(used, values)
        return self._judged[name, against]

    def value(self, name: str) -> Floats:
        """Return a field without the values that a reason removes."""
        used, values = self.judged(name)
        return values if self.masked else np.where(used, values, np.nan)

    def part(
        self, part: str, cleansing: str | None = None, against: Reason = MASKS
    ) -> Judged | None:
        """Return the field with a role, judged, or the sum of several; None without them."""
        names = role(self.log, part, cleansing=cleansing)
        if not names or not self.columns.keys() >= {*names}:
            return None
        return self.total(names, against)

    def total(self, names: Iterable[str], against: Reason = MASKS) -> Judged:
        """Return the sum of some fields, judged, of the records that have all."""
        judged = [self.judged(name, against) for name in names]
        used = reduce(np.logical_and, [each.used for each in judged])
        # Infinities of both signs have no sum, and are not used.
        with np.errstate(invalid="ignore"):
            return Judged(used, reduce(np.add, [each.values for each in judged]))

    def parts(self, *parts: str) -> list[Judged] | None:
        """Return the judged fields with some roles; None unless all of them are there."""
        judged = [each for each in map(self.part, parts) if each is not None]
        return judged if len(judged) == len(parts) else None


@cache
def time_fields(log: str) -> Mapping[str, tuple[str, ...]]:
    """Return the fields that show each kind of time; without a field, a name that none has."""
    parts = {name: name.removesuffix("_s") for name in SECONDS}
    of_log = log_named(log).time_roles
    fields = {name: role(log, *of_log.get(part, (part,))) for name, part in parts.items()}
    return MappingProxyType({name: own or ("",) for name, own in fields.items()})


@cache
def blink_evidence(log: str) -> tuple[str, ...]:
    """Return the fields that ``wear="blinks"`` needs besides those of the device."""
    counts = role(log, "blink_count", cleansing="strong")
    return (*counts, *role(log, "measured_s")) if counts else ()


def faults(values: Floats, possible: Against) -> tuple[Bools | None, Bools | None, float, float]:
    """Return which values of a field are missing and which out of its range, None if none is.

    And the smallest and the largest of them.
    """
    missing, least, most = None, values.min(initial=np.inf), values.max(initial=-np.inf)
    if np.isnan(least):  # as it is with a missing value, and most fields have none
        missing = np.isnan(values)
        least = np.fmin.reduce(values, initial=np.inf)
        most = np.fmax.reduce(values, initial=-np.inf)
    outside: list[Bools] = []
    if least < possible.low:
        outside.append(values < possible.low)
    if most > possible.high:
        outside.append(values > possible.high)
    if possible.field is not None and possible.field.value_type == "int":
        fraction = np.floor(values) < values
        if fraction.any():
            outside.append(fraction)
    return missing, reduce(np.logical_or, outside) if outside else None, least, most
