"""Flag each value with the reasons against it, and mask the flagged values."""

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.limits import DEFAULT, Limits, chosen_limits
from eyelog.analysis.quality.evidence import Evidence, recorded_rows
from eyelog.analysis.quality.reasons import CONTEXT, Reason, applies, counter
from eyelog.analysis.quality.unjudged import warn_unjudged
from eyelog.analysis.quality.values import floats, out_of_range
from eyelog.analysis.series.arrays import Arrays, Bools, Floats, numbers
from eyelog.catalogue import Field, catalogue, known_logs, role
from eyelog.cores import on_cores
from eyelog.errors import ConfigurationError
from eyelog.frame import STORED, log_of, require_frame
from eyelog.provenance import derived, history, record, stated_log

__all__ = ["flag", "flagged", "judged", "judged_columns", "mask"]

Bits = npt.NDArray[np.uint16]


# Rows judged at once: intermediate arrays of this size stay in the processor's cache.
AT_ONCE: Final = 65_536


def flag(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Flag every value with the reasons against it.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`. Default: the
        documented limits. Pass the same limits to the summaries of the masked frame.
    log : str, optional
        The log, if neither provenance nor columns show it.

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
        If a numeric column holds text, the log cannot be determined, or the frame was masked with
        other limits.
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
    equals the one before (or, at the start of such a run, the one after), the value is an old one
    from the buffer: STALE. Gaps in time do not empty the buffer, so they do not end a run; a
    missing value does. A total of 0 is a measurement and never stale.

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
    result = flagged(frame, which, limits=chosen_limits(limits, frame))
    warn_unjudged(frame, _lacking(frame.columns, history(result)[-1]["unchecked"]))
    return result


def flagged(frame: pd.DataFrame, which: str, *, limits: Limits = DEFAULT) -> pd.DataFrame:
    """Return the reasons of `flag`, without its warning."""
    if not frame.index.is_monotonic_increasing:
        # Stale values depend on the order of time, so judge in that order.
        order = np.argsort(frame.index, kind="stable")
        ordered = flagged(frame.iloc[order], which, limits=limits)
        return ordered.iloc[np.argsort(order)]
    table = Arrays.of(frame)
    judge = _Judge(table, Evidence(table, which, limits))
    # One row in memory per column: every column of the result is contiguous, without a copy.
    bits = np.empty((len(frame.columns), len(frame)), dtype=np.uint16)
    calls = [partial(judge.write, own, name) for own, name in zip(bits, table.columns, strict=True)]
    on_cores(calls, values=frame.size)
    result = pd.DataFrame(bits.T, index=frame.index, columns=frame.columns, copy=False)
    return derived(
        result, frame, "flag", log=which, limits=limits.details(), unchecked=judge.unchecked
    )


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
        Same index, dtypes and rows; the same columns and, last, boolean ``stored``: whether the
        eyewear was off pose (OFF_POSE), missing for a row without any value. Masking removes the
        tilt of stored eyewear, so this column shows later that this time was not worn; it also
        shows that the values have been judged. Masked numbers become NaN, masked booleans ``<NA>``;
        texts stay.

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
    off: Bools = np.zeros(len(frame), dtype=bool)
    table, bits = Arrays.of(frame), Arrays.of(reasons)
    # A frame has fields of one log, but here it does not matter which.
    for name in _tilts() & set(table.columns):
        off |= (bits[name] & np.uint16(Reason.OFF_POSE)) != 0
    masked: dict[Any, Any] = {}
    numeric = [name for name in table.columns if _is_float(table[name])]
    # A column whose values all stay, or are all missing already, is shared with the frame. The
    # others are in one block of memory, which the system allocates faster than many.
    written = [
        name
        for name in numeric
        if np.bitwise_or.reduce(bits[name]) & against
        and not np.bitwise_and.reduce(bits[name]) & Reason.MISSING
    ]
    block = np.empty((len(written), len(frame)))

    def write(own: Floats, name: Any) -> None:
        np.copyto(own, table[name])
        np.putmask(own, (bits[name] & against) != 0, np.nan)

    pairs = list(zip(block, written, strict=True))
    on_cores([partial(write, own, name) for own, name in pairs], values=block.size)
    masked |= {name: own for own, name in pairs}
    for name in table.columns:
        if name not in masked and name not in numeric:
            masked[name] = _without(table[name], (bits[name] & against) != 0)
    masked = {name: masked.get(name, table[name]) for name in table.columns}
    steps = [s for s in history(reasons) if s["step"] == "flag"]
    step: dict[str, Any] = steps[-1] if steps else {}
    details: dict[str, Any] = {key: step[key] for key in ("limits", "unchecked") if key in step}
    recorded = np.logical_or.reduce([recorded_rows(table, log) for log in known_logs()])
    if STORED in table.columns:  # masked again: the tilt that showed it is gone
        stored = numbers(table[STORED])
        off, recorded = off | (stored > 0), recorded | ~np.isnan(stored)
    return _masked(table, masked, off, recorded, passing, details, stated_log(reasons)).frame()


def judged(
    frame: pd.DataFrame,
    *,
    log: str | None = None,
    allow: Reason | None = None,
    limits: Limits | None = None,
) -> pd.DataFrame:
    """Return ``mask(frame, flag(frame))`` under given limits, without the table of reasons."""
    which = log_of(frame, log)
    chosen = chosen_limits(limits, frame)
    if not frame.index.is_monotonic_increasing:
        return mask(frame, flag(frame, log=which, limits=chosen), allow=allow)
    evidence = Evidence(Arrays.of(frame), which, chosen)
    return judged_columns(evidence.frame, evidence, allow=allow).frame()


def judged_columns(table: Arrays, evidence: Evidence, *, allow: Reason | None = None) -> Arrays:
    """Return the columns of a frame in order of time as `judged` does.

    `evidence` is that of the frame: it may cover more fields, but only those of `table` are
    used. Values that `mask` has judged already are returned as they are. Each column is judged when
    it is needed: the copies of all of them would double the memory of a frame.
    """
    if evidence.masked:
        return table
    passing = Reason.SATURATED if allow is None else allow
    judge = _Judge(table, evidence)
    columns: dict[Any, Any] = {
        name: partial(judge.without, name, ~passing) for name in table.columns
    }
    warn_unjudged(table, _lacking(table.columns, judge.unchecked))
    details = {"limits": evidence.limits.details(), "unchecked": judge.unchecked}
    rows = evidence.off_pose, evidence.recorded
    return _masked(table, columns, *rows, passing, details, evidence.log)


def _tilts() -> set[str]:
    """Return the fields that show whether eyewear is in pose, of all logs."""
    return {name for log in known_logs() for name in role(log, *CONTEXT[Reason.OFF_POSE])}


def _is_float(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype == np.float64


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
    table: Arrays,
    masked: dict[Any, Any],
    off: Bools,
    recorded: Bools,
    passing: Reason,
    details: dict[str, Any],
    log: str | None,
) -> Arrays:
    """Return the masked columns and ``stored``, with the step in their provenance."""
    masked[STORED] = pd.arrays.BooleanArray(off & recorded, ~recorded)
    allowed = [reason.name for reason in Reason if reason & passing]
    columns = Arrays(masked, table.index, table.attrs)
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


class _Judge:
    """The reasons against the values of a frame, in order of time."""

    def __init__(self, table: Arrays, evidence: Evidence) -> None:
        self.table, self.log, self.known = table, evidence.log, evidence
        self.resampled = evidence.resampled
        self._bits: dict[tuple[Reason, bool], Bits] = {}
        self._bad: dict[tuple[Reason, bool, Reason], Bools] = {}

    def _evidence(self, name: str) -> Floats | None:
        return self.known.field(name) if name in self.table.columns else None

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
            rows = self.known.against_steps if kind[1] else self.known.against
            for reason, where in {} if self.resampled else rows.items():
                if reason & kind[0]:
                    _set(bits, where, reason)
            self._bits[kind] = bits
        return self._bits[kind]

    def write(self, bits: Bits, name: Any) -> None:
        """Write the reasons against the values of a column."""
        bits[:] = self.context(name)
        if not self.values_count(name):
            _set(bits, np.asarray(pd.isna(self.table[name])), Reason.MISSING)
            return
        values = floats(self.table[name], name)
        for first in range(0, len(values), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            missing = np.isnan(values[part])
            _set(bits[part], missing, Reason.MISSING)
            if missing.all():
                continue
            for reason, where in self.of_values(name, values[part]):
                _set(bits[part], where, reason)
        stale = self.stale(name, values)
        if stale is not None:
            _set(bits, stale, Reason.STALE)

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
            outside = None if outside is None else outside & ~sentinel
        if outside is not None:
            yield Reason.RANGE, outside
        counts = field.unit == "count" and field.kind != "time"  # numbers of packets wrap
        if field.documented and counts and field.max is not None:
            capped = values == field.max
            if capped.any():
                yield Reason.SATURATED, capped

    def stale(self, name: Any, values: Floats) -> Bools | None:
        """Return which values of a blink statistic are old ones; None if none can be."""
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

    def without(self, name: Any, against: Reason) -> Any:
        """Return a column without the values that a reason `against` them removes."""
        return _without(self.table[name], self.bad(name, against))

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

    @cached_property
    def unchecked(self) -> dict[str, list[str]]:
        """The reasons that lack evidence, with the fields to add."""
        wanted = Reason(0)
        for name in self.table.columns:
            wanted |= self._kind(name)[0]
        lacking = self.known.unchecked(wanted)
        if self.resampled:
            return lacking
        counters = {
            count
            for name in self.table.columns
            if (field := self._field(name)) is not None
            and (count := counter(field, self.log)) is not None
        }
        absent = sorted(filter(self.known.lacks, counters))
        return lacking | ({str(Reason.STALE.name): absent} if absent else {})


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
