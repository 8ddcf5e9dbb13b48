"""Flag each value with the reasons against it, and mask the flagged values."""

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.limits import limit
from eyelog.analysis.quality.evidence import (
    Evidence,
    Wear,
    blink_evidence,
    check_wear,
    spans,
)
from eyelog.analysis.quality.reasons import CONTEXT, Reason, applies, counter, evidence_for
from eyelog.analysis.quality.unjudged import warn_unjudged
from eyelog.analysis.quality.values import floats, out_of_range
from eyelog.analysis.series.arrays import Arrays, Bools, Floats
from eyelog.catalogue import LOGS, STANDARD_MODE_LOGS, Field, catalogue, role_field
from eyelog.errors import ConfigurationError
from eyelog.frame import is_resampled, log_of, require_frame
from eyelog.provenance import history, record, stated_log

__all__ = ["flag", "flagged", "judged", "judged_columns", "mask"]

Bits = npt.NDArray[np.uint16]
Range = tuple[float, float]


# Rows judged at once: intermediate arrays of this size stay in the processor's cache.
AT_ONCE: Final = 65_536

MIN_WORN_S: Final = limit(STANDARD_MODE_LOGS, "worn").value
MIN_WORN_STEPS_S: Final = limit(STANDARD_MODE_LOGS, "worn_for_steps").value
WALKING_ABOVE: Final = limit(STANDARD_MODE_LOGS, "walking").value
TILTS: Final[set[str]] = {
    role_field(log, limit(log, name).role) for log in LOGS for name in CONTEXT[Reason.OFF_POSE]
}
TILT_SIDEWAYS: Final = cast(Range, limit(STANDARD_MODE_LOGS, "tilt_sideways").values)
TILT_FORE_AFT: Final = cast(Range, limit(STANDARD_MODE_LOGS, "tilt_fore_aft").values)


def flag(
    frame: pd.DataFrame,
    *,
    log: str | None = None,
    min_worn_s: float = MIN_WORN_S,
    min_worn_steps_s: float = MIN_WORN_STEPS_S,
    max_noise_s: float | None = None,
    walking_above: float = WALKING_ABOVE,
    tilt_sideways: Range = TILT_SIDEWAYS,
    tilt_fore_aft: Range = TILT_FORE_AFT,
    wear: Wear = "device",
) -> pd.DataFrame:
    """Flag every value with the reasons against it.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    log : str, optional
        The log, if neither provenance nor columns show it.
    min_worn_s : float
        60-second log: minutes with less than this many seconds of wear (``wea_s``) are UNWORN. The
        default of 20 is documented for long trends; step counts need 30.
    min_worn_steps_s : float
        60-second log: the same for step counts, with their documented 30 s.
    max_noise_s : float, optional
        Intervals with more seconds of noise than this are NOISY. Default: 3 of 15 s, 10 of 60 s.
    walking_above : float
        More steps in 15 s, or more seconds of walking in 60 s, count as walking.
    tilt_sideways, tilt_fore_aft : (float, float)
        Range in degrees of ``tl_xav`` and ``tl_yav`` while the eyewear is worn, ends included.
        Defaults: -45 to 45 and -45 to 90.
    wear : {"device", "blinks"}
        What shows wear. When a wearer sits still, the eyewear may record that it is off. With
        ``"blinks"`` an interval in pose in which blinks were counted (``bk_n``; 60-second log:
        ``sc_bk_n``, and then all of ``val_s``) counts as worn too.

    Returns
    -------
    DataFrame of uint16
        Same index and columns; each value is a sum of `Reason` bits, 0 if there is no reason
        against it. The provenance records the limits and, as ``unchecked``, the reasons that could
        not be judged because their evidence is not in the frame: an unchecked value is neither good
        nor bad.

    Raises
    ------
    ConfigurationError
        If a limit is not usable, a numeric column holds text, or the log cannot be determined.
    MixedLogsError
        If the frame has fields of both logs.

    Warns
    -----
    EyelogWarning
        If the evidence for a reason is not in the frame: once per call, with the fields to add
        (`eyelog.needed` lists those of a summary). Every summary that judges warns too.

    Notes
    -----
    The limits are the vendor's documented ones. At exactly 3 s of noise the vendor's English and
    Japanese texts differ on ``vld``; the eyewear's own verdict (INVALID) then decides.

    The blink statistics come from a buffer of recent blinks. If their count is 0 and the value
    equals the one before (or, at the start of such a run, the one after), the value is left over in
    the buffer: STALE. Gaps in time do not empty the buffer, so they do not end a run; a missing
    value does. A total of 0 is a measurement and never stale.

    The reasons from the context (worn, walking, noise, tilt) are set together with MISSING too:
    they may be why the value is missing. The rows of a resampled frame are bins, to which the
    limits of single intervals do not apply: only MISSING is set there.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> reasons = el.flag(frame)
    >>> reasons.shape == frame.shape, str(reasons["lc_bk_n"].dtype)
    (True, 'uint16')
    """
    which = log_of(frame, log)
    result = flagged(
        frame,
        which,
        min_worn_s=min_worn_s,
        min_worn_steps_s=min_worn_steps_s,
        max_noise_s=max_noise_s,
        walking_above=walking_above,
        tilt_sideways=tilt_sideways,
        tilt_fore_aft=tilt_fore_aft,
        wear=wear,
    )
    warn_unjudged(frame, _lacking(frame.columns, history(result)[-1]["unchecked"]))
    return result


def flagged(
    frame: pd.DataFrame,
    which: str,
    *,
    min_worn_s: float = MIN_WORN_S,
    min_worn_steps_s: float = MIN_WORN_STEPS_S,
    max_noise_s: float | None = None,
    walking_above: float = WALKING_ABOVE,
    tilt_sideways: Range = TILT_SIDEWAYS,
    tilt_fore_aft: Range = TILT_FORE_AFT,
    wear: Wear = "device",
) -> pd.DataFrame:
    """Return the reasons of `flag`, without its warning."""
    if not frame.index.is_monotonic_increasing:
        # Stale values depend on the order of time, so judge in that order.
        order = np.argsort(frame.index, kind="stable")
        ordered = flagged(
            frame.iloc[order],
            which,
            min_worn_s=min_worn_s,
            min_worn_steps_s=min_worn_steps_s,
            max_noise_s=max_noise_s,
            walking_above=walking_above,
            tilt_sideways=tilt_sideways,
            tilt_fore_aft=tilt_fore_aft,
            wear=wear,
        )
        return ordered.iloc[np.argsort(order)]
    chosen = _chosen_limits(
        which,
        min_worn_s=min_worn_s,
        min_worn_steps_s=min_worn_steps_s,
        max_noise_s=max_noise_s,
        walking_above=walking_above,
        tilt_sideways=tilt_sideways,
        tilt_fore_aft=tilt_fore_aft,
    )
    table = Arrays.of(frame)
    judge = _Judge(table, which, chosen, wear)
    # One row in memory per column: every column of the result is contiguous, without a copy.
    bits = np.empty((len(frame.columns), len(frame)), dtype=np.uint16)
    for own, name in zip(bits, table.columns, strict=True):
        own[:] = judge.context(name)
        if judge.values_count(name):
            values = floats(table[name], name)
            for first in range(0, len(values), AT_ONCE):
                part = slice(first, first + AT_ONCE)
                _set(own[part], np.isnan(values[part]), Reason.MISSING)
                for reason, where in judge.of_values(name, values[part]):
                    _set(own[part], where, reason)
            stale = judge.stale(name, values)
            if stale is not None:
                _set(own, stale, Reason.STALE)
        else:
            _set(own, np.asarray(pd.isna(table[name])), Reason.MISSING)
    result = pd.DataFrame(bits.T, index=frame.index, columns=frame.columns, copy=False)
    result.attrs = dict(frame.attrs)
    return record(result, "flag", log=which, limits=judge.chosen, unchecked=judge.unchecked())


def mask(
    frame: pd.DataFrame, reasons: pd.DataFrame, *, allow: Reason | int | None = None
) -> pd.DataFrame:
    """Mask the flagged values: replace each with a missing value.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    reasons : DataFrame of integers
        Same index and columns, as from `eyelog.flag`.
    allow : Reason, optional
        Reasons that do not mask a value. Default: ``Reason.SATURATED``, since a count at its cap
        is still a lower bound; a value of your own replaces this default.

    Returns
    -------
    DataFrame
        Same index, columns, dtypes and rows. Masked numbers become NaN, masked booleans
        ``<NA>``; texts stay.

    Raises
    ------
    ConfigurationError
        If the reasons do not have the shape of the frame, or are not integers.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample()
    >>> clean = el.mask(frame, el.flag(frame))
    >>> bool(clean["sc_fcs"].min() >= 0), len(clean) == len(frame)
    (True, True)
    """
    _check_same_shape(frame, reasons)
    passing = Reason.SATURATED if allow is None else Reason(allow)
    against = np.uint16(~int(passing) & 0xFFFF)
    stored: Bools | None = None
    table, masked = Arrays.of(frame), {}
    for name, (_, of_column) in zip(table.columns, reasons.items(), strict=True):
        bits = of_column.to_numpy()
        if stored is None and name in TILTS:
            # With the tilt masked, only the provenance records when the eyewear was stored.
            stored = (bits & np.uint16(Reason.OFF_POSE)) != 0
        masked[name] = _without(table[name], (bits & against) != 0)
    steps = [s for s in history(reasons) if s["step"] == "flag"]
    step: dict[str, Any] = steps[-1] if steps else {}
    details: dict[str, Any] = {key: step[key] for key in ("limits", "unchecked") if key in step}
    columns = Arrays(masked, table.index, table.attrs)
    return _masked(columns, stored, passing, stated_log(reasons), details).frame(frame.columns)


def judged(
    frame: pd.DataFrame,
    *,
    log: str | None = None,
    allow: Reason | None = None,
    wear: Wear = "device",
    **limits: Any,
) -> pd.DataFrame:
    """Return ``mask(frame, flag(frame))`` under given limits, without the table of reasons."""
    which = log_of(frame, log)
    if not frame.index.is_monotonic_increasing:
        return mask(frame, flag(frame, log=which, wear=wear, **limits), allow=allow)
    table = judged_columns(Arrays.of(frame), which, allow=allow, wear=wear, **limits)
    return table.frame(frame.columns)


def judged_columns(
    table: Arrays,
    log: str,
    *,
    allow: Reason | None = None,
    wear: Wear = "device",
    known: Evidence | None = None,
    **limits: Any,
) -> Arrays:
    """Return the columns of a frame in order of time as `judged` does.

    `known` is the evidence of the frame, if already read: it may cover more fields, but only those
    of `table` are used.
    """
    passing = Reason.SATURATED if allow is None else allow
    against = ~passing
    judge = _Judge(table, log, _chosen_limits(log, **limits), wear, known)
    columns = {name: _without(table[name], judge.bad(name, against)) for name in table.columns}
    unchecked = judge.unchecked()
    warn_unjudged(table, _lacking(table.columns, unchecked))
    details = {"limits": judge.chosen, "unchecked": unchecked}
    stored = None if TILTS.isdisjoint(table.columns) else judge.rows.get(Reason.OFF_POSE)
    return _masked(Arrays(columns, table.index, table.attrs), stored, passing, log, details)


def _without(column: Any, bad: Bools) -> Any:
    """Return a column (an array) with its bad values missing; the column itself if none is bad.

    Columns without bad values stay shared (pandas copies on write); the others are written once.
    Setting them one by one in a copy of the frame would copy each of them three times.
    """
    if not bad.any() or isinstance(column.dtype, pd.StringDtype):
        return column
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiu":
        return np.where(bad, np.nan, floats(column))
    return pd.Series(column, copy=False).mask(bad).array


def _masked(
    columns: Arrays,
    stored: Bools | None,
    passing: Reason,
    log: str | None,
    details: dict[str, Any],
) -> Arrays:
    """Return the masked columns with the step in their provenance."""
    if stored is not None and stored.any():
        details |= {"off_pose": spans(columns.index, stored)}
    allowed = [reason.name for reason in Reason if reason & passing]
    return record(columns, "mask", log=log, allow=allowed, **details)


def _check_same_shape(frame: pd.DataFrame, reasons: pd.DataFrame) -> None:
    require_frame(frame, what="mask", wanted="a frame and its reasons")
    if not isinstance(reasons, pd.DataFrame) or not reasons.columns.equals(frame.columns):
        raise ConfigurationError(
            "the reasons do not have the columns of the frame: type mask(frame, flag(frame))"
        )
    if not reasons.index.equals(frame.index):
        raise ConfigurationError(
            f"the reasons ({len(reasons)} rows) do not have the stamps of the frame"
            f" ({len(frame)} rows): type mask(frame, flag(frame))"
        )
    if any(getattr(dtype, "kind", "O") not in "iu" for dtype in reasons.dtypes):
        raise ConfigurationError("the reasons must be integers, as flag(frame) returns them")


def _chosen_limits(log: str, **given: Any) -> dict[str, Any]:
    """Return all limits, with the given ones for the defaults; raise if one is not usable."""
    limits: dict[str, Any] = {
        "min_worn_s": MIN_WORN_S,
        "min_worn_steps_s": MIN_WORN_STEPS_S,
        "max_noise_s": limit(log, "noise").value,
        "walking_above": WALKING_ABOVE,
        "tilt_sideways": TILT_SIDEWAYS,
        "tilt_fore_aft": TILT_FORE_AFT,
    }
    limits |= {name: value for name, value in given.items() if value is not None}
    for name, value in limits.items():
        if name.startswith("tilt"):
            if len(value) != 2 or not value[0] <= value[1]:
                raise ConfigurationError(
                    f"{name} must be (low, high) in degrees, not {list(value)!r}"
                )
            limits[name] = list(value)
        elif not (math.isfinite(value) and value >= 0):
            raise ConfigurationError(f"{name} must be a number of at least 0, not {value!r}")
    return limits


class _Judge:
    """The reasons against the values of a frame, in order of time."""

    def __init__(
        self,
        table: Arrays,
        log: str,
        limits: Mapping[str, Any],
        wear: Wear,
        known: Evidence | None = None,
    ) -> None:
        check_wear(wear)
        self.table, self.log, self.wear = table, log, wear
        self.chosen = {**limits, "wear": wear}
        self.known = Evidence(table, log) if known is None else known
        self.resampled = is_resampled(table)
        # The rows to which each reason from the context applies, in general and for steps.
        self.rows: dict[Reason, Bools] = {}
        self.rows_of_steps: dict[Reason, Bools] = {}
        if not self.resampled:
            self._look_around()
        self._bits: dict[tuple[Reason, bool], Bits] = {}
        self._bad: dict[tuple[Reason, bool, Reason], Bools] = {}

    def _evidence(self, name: str) -> Floats | None:
        return self.known.field(name) if name in self.table.columns else None

    def _look_around(self) -> None:
        log, chosen = self.log, self.chosen
        off = self.known.off_pose(
            limit(log, name).at(*chosen[name]) for name in CONTEXT[Reason.OFF_POSE]
        )
        rows = {Reason.OFF_POSE: off}
        # A missing value neither keeps nor breaks a limit, so it sets no reason.
        for reason, name in ((Reason.INVALID, "valid"), (Reason.NOISY, "noise")):
            if reason in evidence_for(log):
                rule = limit(log, name)
                if reason is Reason.NOISY:
                    rule = rule.at(chosen["max_noise_s"])
                values = self._evidence(role_field(log, rule.role))
                if values is not None:
                    rows[reason] = rule.breaks(values)
        rule = limit(log, "walking").at(chosen["walking_above"])
        values = self._evidence(role_field(log, rule.role))
        if values is not None:
            rows[Reason.MOVING], rows[Reason.STILL] = rule.keeps(values), rule.breaks(values)
        self.rows = self.rows_of_steps = rows
        values = self.known.worn(self.wear, off)
        if values is None:
            return
        rule = limit(log, "worn")
        if log != STANDARD_MODE_LOGS:
            rows[Reason.UNWORN] = rule.breaks(values)
            return
        rows[Reason.UNWORN] = rule.at(chosen["min_worn_s"]).breaks(values)
        of_steps = rule.at(chosen["min_worn_steps_s"]).breaks(values)
        self.rows_of_steps = rows | {Reason.UNWORN: of_steps}

    def _field(self, name: Any) -> Field | None:
        return catalogue(self.log).get(str(name))

    def _kind(self, name: Any) -> tuple[Reason, bool]:
        """Return which reasons from the context can apply to a field, and whether it is steps."""
        field = self._field(name)
        return applies(field, self.log), field is not None and "steps" in field.role

    def context(self, name: Any) -> Bits:
        """Return the reasons from the context; fields of one kind share them."""
        kind = self._kind(name)
        if kind not in self._bits:
            bits = np.zeros(len(self.table), dtype=np.uint16)
            for reason, where in (self.rows_of_steps if kind[1] else self.rows).items():
                if reason & kind[0]:
                    _set(bits, where, reason)
            self._bits[kind] = bits
        return self._bits[kind]

    def values_count(self, name: Any) -> bool:
        """Return whether the values of a column can be flagged for their size."""
        field = self._field(name)
        return not (self.resampled or field is None or field.value_type in ("str", "bool"))

    def of_values(self, name: Any, values: Floats) -> Iterator[tuple[Reason, Bools]]:
        """Return which values of a field are SENTINEL, RANGE and SATURATED."""
        field = cast(Field, self._field(name))
        outside = out_of_range(values, field)
        if field.invalid_value is not None:
            sentinel = values == field.invalid_value
            yield Reason.SENTINEL, sentinel
            outside &= ~sentinel
        yield Reason.RANGE, outside
        if field.documented and field.unit == "count" and field.max is not None:
            yield Reason.SATURATED, values == field.max

    def stale(self, name: Any, values: Floats) -> Bools | None:
        """Return which values of a blink statistic are left over; None if none can be."""
        field = cast(Field, self._field(name))
        counted = counter(field, self.log)
        count = None if counted is None else self._evidence(counted)
        if count is None or len(values) < 2:
            return None
        idle = count == 0
        same = (values[1:] == values[:-1]) & idle[1:]
        stale = np.zeros(len(values), dtype=bool)
        stale[1:] = same
        stale[:-1] |= same & idle[:-1]
        if field.agg == "sum":
            stale &= values != 0  # a total of 0 is a measurement
        return stale

    def bad(self, name: Any, against: Reason) -> Bools:
        """Return the values that a reason `against` them removes; missing ones may be included."""
        kind = *self._kind(name), against
        if kind not in self._bad:
            self._bad[kind] = (self.context(name) & np.uint16(against)) != 0
        bad = self._bad[kind]
        if not self.values_count(name):
            return bad
        values = floats(self.table[name], name)
        for reason, where in self.of_values(name, values):
            if reason & against and where.any():
                bad = bad | where
        stale = self.stale(name, values) if Reason.STALE & against else None
        return bad if stale is None else bad | stale

    def unchecked(self) -> dict[str, list[str]]:
        """Return the reasons that lack evidence, with the fields to add."""
        if self.resampled:
            return {str(r.name): ["resampled"] for r in Reason if r is not Reason.MISSING}
        wanted = Reason(0)
        for name in self.table.columns:
            wanted |= self._kind(name)[0]
        return _unchecked(self.table, self.log, wanted, self.wear)


def _set(bits: Bits, where: Bools, reason: Reason) -> None:
    # Arithmetic on all values takes a tenth of the time of indexing a few of them.
    if where.any():
        np.bitwise_or(bits, np.multiply(where, np.uint16(reason), dtype=np.uint16), out=bits)


def _lacking(
    present: Container[Any], unchecked: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Return the reasons whose evidence is not in the frame at all, not even as missing values."""
    lacking = {
        reason: [name for name in names if name not in present]
        for reason, names in unchecked.items()
    }
    return {reason: names for reason, names in lacking.items() if names}


def _unchecked(table: Arrays, log: str, wanted: Reason, wear: Wear) -> dict[str, list[str]]:
    """Return the reasons that lack evidence, with the fields to add."""

    def absent(name: str) -> bool:
        return name not in table.columns or (len(table) > 0 and _nothing(table[name]))

    missing = {
        str(reason.name): [name for name in names if absent(name)]
        for reason, names in evidence_for(log).items()
        if reason & wanted
    }
    if wear == "blinks" and Reason.UNWORN & wanted:
        missing[str(Reason.UNWORN.name)] += [name for name in blink_evidence(log) if absent(name)]
    counters = {
        count
        for name in table.columns
        if (field := catalogue(log).get(str(name))) is not None
        and (count := counter(field, log)) is not None
    }
    missing[str(Reason.STALE.name)] = sorted(filter(absent, counters))
    return {name: fields for name, fields in missing.items() if fields}


def _nothing(column: Any) -> bool:
    """Return whether all values are missing; usually the first is not."""
    return bool(pd.isna(column[0]) and np.asarray(pd.isna(column)).all())
