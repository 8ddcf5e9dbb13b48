"""Judge each value: the reasons against it, and a frame without the values they speak against.

`eyelog.analysis.quality.reasons` says which reason can hold against which field.
"""

import math
from collections.abc import Mapping
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.quality.evidence import (
    MAX_NOISE_S,
    MIN_WORN_S,
    TILT_FORE_AFT,
    TILT_SIDEWAYS,
    WALKING_ABOVE,
    evidence,
    floats,
    off_limits,
    off_pose,
)
from eyelog.analysis.quality.reasons import EVIDENCE, Reason, applies, counter
from eyelog.analysis.series.arrays import Bools, Floats
from eyelog.catalogue import COMPUTED_DATA, Field, catalogue
from eyelog.errors import ConfigurationError
from eyelog.frame import is_resampled, log_of
from eyelog.provenance import history, record, stated_log

__all__ = ["flag", "judged", "mask"]

Bits = npt.NDArray[np.uint16]


# Rows judged at once: what is made on the way stays in the processor's cache.
AT_ONCE: Final = 65_536


def flag(
    frame: pd.DataFrame,
    *,
    log: str | None = None,
    min_worn_s: float = MIN_WORN_S,
    max_noise_s: float | None = None,
    walking_above: float = WALKING_ABOVE,
    tilt_sideways: tuple[float, float] = TILT_SIDEWAYS,
    tilt_fore_aft: tuple[float, float] = TILT_FORE_AFT,
) -> pd.DataFrame:
    """Return for every value the reasons against it.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.
    min_worn_s : float
        60-second log: fewer seconds of ``wea_s`` are UNWORN. 20 is documented for long trends;
        step counts ask for 30 (recipe ``steps``).
    max_noise_s : float, optional
        More seconds of noise in the interval are NOISY. Default: 3 of 15 s, 10 of 60 s.
    walking_above : float
        More steps in 15 s, or more seconds of walking in 60 s, are walking.
    tilt_sideways, tilt_fore_aft : (float, float)
        Degrees of ``tl_xav`` and ``tl_yav`` of worn eyewear, both ends included.

    Returns
    -------
    DataFrame of uint16
        Same index and columns; each value a sum of `Reason` bits, 0 where nothing speaks against
        it. The provenance states the limits, and as ``unchecked`` the reasons that could not be
        judged because their evidence is not in the frame: not checked is neither good nor bad.

    Raises
    ------
    ConfigurationError
        If a limit makes no sense, a column holds text where numbers belong, or the log cannot
        be told.
    MixedLogsError
        If the frame holds fields of both logs.

    Notes
    -----
    Limits are the vendor's documented ones. At exactly 3 s of noise the vendor's English and
    Japanese texts differ on ``vld``; the eyewear's own verdict (INVALID) then decides.

    The blink statistics come from a buffer of recent blinks. Where their count is 0 and the value
    is the one before (or, at the start of such a run, the one after), it is the buffer's old
    value: STALE. Gaps in time do not empty the buffer, so they do not end a run; a missing value
    does. A total of 0 is a measurement and never stale.

    The reasons from the context (worn, walking, noise, tilt) also stand beside MISSING: they may
    be why the value is missing. Rows of a resampled frame are bins, to which limits of single
    intervals do not apply: there only MISSING is told.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> reasons = el.flag(frame)
    >>> reasons.shape == frame.shape, str(reasons["lc_bk_n"].dtype)
    (True, 'uint16')
    """
    which = log_of(frame, log)
    if not frame.index.is_monotonic_increasing:
        # What is stale depends on the order of time, so judge in it.
        order = np.argsort(frame.index, kind="stable")
        ordered = flag(
            frame.iloc[order],
            log=which,
            min_worn_s=min_worn_s,
            max_noise_s=max_noise_s,
            walking_above=walking_above,
            tilt_sideways=tilt_sideways,
            tilt_fore_aft=tilt_fore_aft,
        )
        return ordered.iloc[np.argsort(order)]
    limits: dict[str, Any] = {
        "min_worn_s": min_worn_s,
        "max_noise_s": MAX_NOISE_S[which] if max_noise_s is None else max_noise_s,
        "walking_above": walking_above,
        "tilt_sideways": list(tilt_sideways),
        "tilt_fore_aft": list(tilt_fore_aft),
    }
    _check_limits(limits)
    known = catalogue(which)
    resampled = is_resampled(frame)
    context = [applies(known.get(str(name)), which) for name in frame.columns]
    rows = {} if resampled else _context(frame, which, limits)
    # One row of memory per column: each column of the result is contiguous and nothing is copied.
    bits = np.empty((len(context), len(frame)), dtype=np.uint16)
    shared: dict[Reason, Bits] = {}
    for i, (name, reasons) in enumerate(zip(frame.columns, context, strict=True)):
        column = frame.iloc[:, i]
        if reasons not in shared:
            shared[reasons] = _combine(rows, reasons, len(frame))
        bits[i] = shared[reasons]
        field = known.get(str(name))
        if resampled or field is None or field.value_type in ("str", "bool"):
            _set(bits[i], column.isna().to_numpy(), Reason.MISSING)
            continue
        values = floats(column)
        for first in range(0, len(values), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            _judge_values(values[part], field, bits[i][part])
        count = counter(field, which)
        if count is not None:
            _judge_stale(values, evidence(frame, count, which), field, bits[i])
    result = pd.DataFrame(bits.T, index=frame.index, columns=frame.columns, copy=False)
    result.attrs = dict(frame.attrs)
    wanted = Reason(0)
    for reasons in context:
        wanted |= reasons
    unchecked = (
        {reason.name: ["resampled"] for reason in Reason if reason is not Reason.MISSING}
        if resampled
        else _unchecked(frame, which, wanted)
    )
    return record(result, "flag", log=which, limits=limits, unchecked=unchecked)


def mask(
    frame: pd.DataFrame, reasons: pd.DataFrame, *, allow: Reason | int | None = None
) -> pd.DataFrame:
    """Return the frame with a missing value wherever a reason speaks against the value.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    reasons : DataFrame of integers
        Same index and columns, as from `eyelog.flag`.
    allow : Reason, optional
        Reasons that are let pass. Default: ``Reason.SATURATED``, since a count at its cap is
        still a lower bound; a value given here replaces that.

    Returns
    -------
    DataFrame
        Same index, columns, dtypes and rows. Numbers become NaN, booleans ``<NA>``; texts stay.

    Raises
    ------
    ConfigurationError
        If the reasons are not of this shape, or are no integers.

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
    # Columns that stay as they are stay shared (pandas copies on write); the others are new, and
    # written once: setting them one by one in a copy of the frame would copy each three times.
    masked: dict[int, Any] = {}
    for i in range(frame.shape[1]):
        bad = (reasons.iloc[:, i].to_numpy() & against) != 0
        column = frame.iloc[:, i]
        if not bad.any() or isinstance(column.dtype, pd.StringDtype):
            masked[i] = column
        elif isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiu":
            masked[i] = np.where(bad, np.nan, floats(column))
        else:
            masked[i] = column.mask(bad).array
    result = pd.DataFrame(masked, index=frame.index, copy=False)
    result.columns = frame.columns
    result.attrs = dict(frame.attrs)
    steps = [s for s in history(reasons) if s["step"] == "flag"]
    step: dict[str, Any] = steps[-1] if steps else {}
    told = {key: step[key] for key in ("limits", "unchecked") if key in step}
    allowed = [reason.name for reason in Reason if reason & passing]
    return record(result, "mask", log=stated_log(reasons), allow=allowed, **told)


def judged(frame: pd.DataFrame, *, log: str | None = None, **limits: Any) -> pd.DataFrame:
    """Return the frame without the values that `flag` speaks against, by the given limits."""
    return mask(frame, flag(frame, log=log, **limits))


def _check_same_shape(frame: pd.DataFrame, reasons: pd.DataFrame) -> None:
    if not isinstance(reasons, pd.DataFrame) or not reasons.columns.equals(frame.columns):
        raise ConfigurationError(
            "the reasons do not have the columns of the frame: mask(frame, flag(frame))"
        )
    if not reasons.index.equals(frame.index):
        raise ConfigurationError(
            f"the reasons ({len(reasons)} rows) do not have the stamps of the frame"
            f" ({len(frame)} rows): mask(frame, flag(frame))"
        )
    if any(getattr(dtype, "kind", "O") not in "iu" for dtype in reasons.dtypes):
        raise ConfigurationError("the reasons must be integers, as flag(frame) gives them")


def _check_limits(limits: Mapping[str, Any]) -> None:
    for name, value in limits.items():
        if name.startswith("tilt"):
            if len(value) != 2 or not value[0] <= value[1]:
                raise ConfigurationError(f"{name} must be (low, high) in degrees, not {value!r}")
        elif not (math.isfinite(value) and value >= 0):
            raise ConfigurationError(f"{name} must be a number of at least 0, not {value!r}")


def _context(frame: pd.DataFrame, log: str, limits: Mapping[str, Any]) -> dict[Reason, Bools]:
    """Return the rows for which each reason of the context holds."""
    found: dict[Reason, Bools] = {}

    def judge(reason: Reason, name: str, test: Any) -> None:
        values = evidence(frame, name, log)
        if values is not None:
            found[reason] = test(values)  # a comparison with NaN is False: not set

    def walks(steps: Floats) -> Bools:
        return cast(Bools, steps > limits["walking_above"])

    def stands(steps: Floats) -> Bools:
        return cast(Bools, steps <= limits["walking_above"])

    def noisy(noise: Floats) -> Bools:
        return cast(Bools, noise > limits["max_noise_s"])

    walked = "stp" if log == COMPUTED_DATA else "stp_s"
    judge(Reason.MOVING, walked, walks)
    judge(Reason.STILL, walked, stands)
    judge(Reason.NOISY, EVIDENCE[log][Reason.NOISY][0], noisy)
    if log == COMPUTED_DATA:
        judge(Reason.INVALID, "vld", lambda vld: vld < 0.5)
        judge(Reason.UNWORN, "isl", lambda isl: isl >= 0.5)
    else:
        judge(Reason.UNWORN, "wea_s", lambda worn: worn < limits["min_worn_s"])
    found[Reason.OFF_POSE] = off_pose(frame, log, limits["tilt_sideways"], limits["tilt_fore_aft"])
    return found


def _combine(rows: Mapping[Reason, Bools], reasons: Reason, n: int) -> Bits:
    bits = np.zeros(n, dtype=np.uint16)
    for reason, where in rows.items():
        if reason & reasons:
            _set(bits, where, reason)
    return bits


def _judge_values(values: Floats, field: Field, bits: Bits) -> None:
    """Set MISSING, SENTINEL, RANGE and SATURATED in `bits`."""
    _set(bits, np.isnan(values), Reason.MISSING)
    bad = off_limits(values, field)
    if field.invalid_value is not None:
        sentinel = values == field.invalid_value
        _set(bits, sentinel, Reason.SENTINEL)
        bad &= ~sentinel
    _set(bits, bad, Reason.RANGE)
    if field.documented and field.unit == "count" and field.max is not None:
        _set(bits, values == field.max, Reason.SATURATED)


def _set(bits: Bits, where: Bools, reason: Reason) -> None:
    # Arithmetic on all values takes a tenth of the time of choosing the few by index.
    if where.any():
        np.bitwise_or(bits, np.multiply(where, np.uint16(reason), dtype=np.uint16), out=bits)


def _judge_stale(values: Floats, count: Floats | None, field: Field, bits: Bits) -> None:
    if count is None or len(values) < 2:
        return
    idle = count == 0
    same = (values[1:] == values[:-1]) & idle[1:]
    stale = np.zeros(len(values), dtype=bool)
    stale[1:] = same
    stale[:-1] |= same & idle[:-1]
    if not field.weight:
        stale &= values != 0
    _set(bits, stale, Reason.STALE)


def _unchecked(frame: pd.DataFrame, log: str, wanted: Reason) -> dict[str | None, list[str]]:
    """Return the reasons that lack evidence, with the fields whose values would be it."""

    def absent(name: str) -> bool:
        return name not in frame.columns or (len(frame) > 0 and bool(frame[name].isna().all()))

    found = {
        reason.name: [name for name in names if absent(name)]
        for reason, names in EVIDENCE[log].items()
        if reason & wanted
    }
    counters = {
        count
        for name in frame.columns
        if (field := catalogue(log).get(str(name))) is not None
        and (count := counter(field, log)) is not None
    }
    found[Reason.STALE.name] = sorted(filter(absent, counters))
    return {name: fields for name, fields in found.items() if fields}
