"""How long: which intervals are worn, walked and valid, and how many seconds each row rests on.

One place for the definitions, so that coverage, daily and every rate count the same time.

=========  ================================  ==========================================
question   15-second log                     60-second log
=========  ================================  ==========================================
worn       ``isl`` false                     ``wea_s`` at least `MIN_WORN_S`
walking    ``stp`` above `WALKING_ABOVE`     ``stp_s`` above `WALKING_ABOVE`
valid      ``vld`` true, and worn            worn, ``nis_s`` at most 10, not walking
=========  ================================  ==========================================

*Valid* means that resting eye data can be used. Each question has three answers: yes, no, and
missing where the evidence is. Evidence outside its own documented range is no evidence.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import Bools, Floats
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, STANDARD_MODE_LOGS, Field, catalogue
from eyelog.errors import ConfigurationError
from eyelog.frame import is_resampled, log_of

__all__ = [
    "MAX_NOISE_S",
    "MIN_WORN_S",
    "TILT_FORE_AFT",
    "TILT_SIDEWAYS",
    "WALKING_ABOVE",
    "evidence",
    "floats",
    "off_limits",
    "off_pose",
    "seconds",
    "valid",
    "walking",
    "worn",
]


# The vendor's documented limits.
MIN_WORN_S: Final = 20.0  # of 60 s, for trends

MAX_NOISE_S: Final[Mapping[str, float]] = MappingProxyType(
    {COMPUTED_DATA: 3.0, STANDARD_MODE_LOGS: 10.0}  # of 15 s; of 60 s
)

WALKING_ABOVE: Final = 0.0  # steps in 15 s; seconds of walking in 60 s

TILT_SIDEWAYS: Final = (-45.0, 45.0)

TILT_FORE_AFT: Final = (-45.0, 90.0)


def floats(column: pd.Series, name: str = "") -> Floats:
    """Return a numeric or boolean column as float64, NaN where missing; not a copy if it can."""
    if column.dtype == np.float64:
        return cast(Floats, column.to_numpy())
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise ConfigurationError(
            f"column {name or column.name!r} holds {column.dtype}, not numbers:"
            " convert it first, for example with pandas.to_numeric"
        )
    return cast(Floats, column.to_numpy(dtype="float64", na_value=np.nan))


def evidence(frame: pd.DataFrame, name: str, log: str) -> Floats | None:
    """Return the values of a field that others are judged by, or None if it is not there.

    Values outside the field's own range are missing: they are evidence of nothing.
    """
    if name not in frame.columns:
        return None
    values = floats(frame[name], name)
    outside = off_limits(values, catalogue(log)[name])
    return np.where(outside, np.nan, values) if outside.any() else values


def off_limits(values: Floats, field: Field) -> Bools:
    """Return where values break the documented limits; blank limits are not checked."""
    outside = np.zeros(len(values), dtype=bool)
    # The extremes are cheap; most fields keep their limits and need no look at each value.
    if field.min is not None and np.fmin.reduce(values, initial=np.inf) < field.min:
        outside |= values < field.min
    if field.max is not None and np.fmax.reduce(values, initial=-np.inf) > field.max:
        outside |= values > field.max
    if field.value_type == "int":
        outside |= np.floor(values) < values
    return outside


def _answer(yes: Bools, known: Bools, frame: pd.DataFrame, name: str) -> pd.Series:
    return pd.Series(pd.arrays.BooleanArray(yes, ~known), index=frame.index, name=name)


def _above(values: Floats | None, limit: float, n: int, *, equal: bool) -> tuple[Bools, Bools]:
    """Return (yes, known) of values >= limit, or > limit where not `equal`."""
    if values is None:
        return np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    return (values >= limit if equal else values > limit), ~np.isnan(values)


def _intervals(frame: pd.DataFrame, log: str | None, noun: str) -> str:
    which = log_of(frame, log)
    if is_resampled(frame):
        raise ConfigurationError(
            f"{noun} is a question about single intervals and this frame is resampled:"
            " ask it before resample"
        )
    return which


def worn(
    frame: pd.DataFrame, *, log: str | None = None, min_worn_s: float = MIN_WORN_S
) -> pd.Series:
    """Return for each interval whether the eyewear was worn.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, not resampled.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.
    min_worn_s : float
        60-second log: seconds of ``wea_s`` that make a worn minute.

    Returns
    -------
    Series of boolean
        Same index; missing where the evidence (``isl``, ``wea_s``) is missing.
    """
    which = _intervals(frame, log, "worn")
    if which == COMPUTED_DATA:
        still, known = _above(evidence(frame, "isl", which), 0.5, len(frame), equal=True)
        return _answer(~still, known, frame, "worn")
    yes, known = _above(evidence(frame, "wea_s", which), min_worn_s, len(frame), equal=True)
    return _answer(yes, known, frame, "worn")


def walking(
    frame: pd.DataFrame, *, log: str | None = None, above: float = WALKING_ABOVE
) -> pd.Series:
    """Return for each interval whether the wearer walked in it.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, not resampled.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.
    above : float
        Steps (15-second log) or seconds of walking (60-second log) that must be exceeded.

    Returns
    -------
    Series of boolean
        Same index; missing where the evidence (``stp``, ``stp_s``) is missing.
    """
    which = _intervals(frame, log, "walking")
    name = "stp" if which == COMPUTED_DATA else "stp_s"
    yes, known = _above(evidence(frame, name, which), above, len(frame), equal=False)
    return _answer(yes, known, frame, "walking")


def valid(
    frame: pd.DataFrame,
    *,
    log: str | None = None,
    min_worn_s: float = MIN_WORN_S,
    max_noise_s: float | None = None,
    walking_above: float = WALKING_ABOVE,
) -> pd.Series:
    """Return for each interval whether resting eye data can be used.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, not resampled.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.
    min_worn_s, max_noise_s, walking_above : float
        60-second log: the limits of `eyelog.flag`. The 15-second log has its own verdict, ``vld``.

    Returns
    -------
    Series of boolean
        Same index; missing where the evidence does not decide.
    """
    which = _intervals(frame, log, "valid")
    on = worn(frame, log=which, min_worn_s=min_worn_s)
    if which == COMPUTED_DATA:
        yes, known = _above(evidence(frame, "vld", which), 0.5, len(frame), equal=True)
        return (_answer(yes, known, frame, "valid") & on).rename("valid")
    limit = MAX_NOISE_S[which] if max_noise_s is None else max_noise_s
    noisy, known = _above(evidence(frame, "nis_s", which), limit, len(frame), equal=False)
    quiet = ~_answer(noisy, known, frame, "valid")
    return (on & quiet & ~walking(frame, log=which, above=walking_above)).rename("valid")


def off_pose(
    frame: pd.DataFrame,
    log: str,
    sideways: tuple[float, float] = TILT_SIDEWAYS,
    fore_aft: tuple[float, float] = TILT_FORE_AFT,
) -> Bools:
    """Return for each interval whether the tilt is known to be that of stored eyewear."""
    found = np.zeros(len(frame), dtype=bool)
    for name, (low, high) in (("tl_xav", sideways), ("tl_yav", fore_aft)):
        tilt = evidence(frame, name, log)
        if tilt is not None:
            found |= (tilt < low) | (tilt > high)
    return found


def seconds(frame: pd.DataFrame, *, log: str | None = None) -> pd.DataFrame:
    """Return how many seconds of each row were recorded, worn, valid and walked.

    A masked frame gives the same seconds as the frame it was made from.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, resampled or not.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.

    Returns
    -------
    DataFrame
        Same index; float64 columns ``recorded_s`` (intervals with any value in them),
        ``worn_s`` (``wea_s``; 15-second log: whole intervals), ``valid_s`` (the worn seconds of
        valid intervals) and ``walking_s`` (``stp_s``; 15-second log: whole intervals with steps
        of worn, not stored, eyewear). Missing where the evidence is.

    Notes
    -----
    Whether a single interval was valid or walked cannot be told from a longer bin. So a
    resampled frame is asked for its columns ``exposure_min`` (worn), ``valid_min`` and
    ``walking_min`` (which `resample` writes); where one is not there, only what adds up
    (``wea_s``, ``stp_s``, the shares ``isl`` and ``vld`` times ``n``) is used, and the rest is
    missing.
    """
    which = log_of(frame, log)
    if is_resampled(frame):
        return _bin_seconds(frame, which)
    length = float(INTERVAL_SECONDS[which])
    recorded = np.where(_recorded(frame, which), length, 0.0)
    on, good = floats(worn(frame, log=which)), floats(valid(frame, log=which))
    if which == COMPUTED_DATA:
        worn_s = on * length
        # A masked frame has lost the steps of eyewear that is off or stored: count them nowhere.
        lost = off_pose(frame, which) | (on == 0)
        walking_s = np.where(lost, np.nan, floats(walking(frame, log=which)) * length)
    else:
        worn_s = _or_missing(evidence(frame, "wea_s", which), len(frame))
        walking_s = _or_missing(evidence(frame, "stp_s", which), len(frame))
    return pd.DataFrame(
        {
            "recorded_s": recorded,
            "worn_s": worn_s,
            "valid_s": np.where(good == 0, 0.0, good * worn_s),
            "walking_s": walking_s,
        },
        index=frame.index,
        copy=False,
    )


def _or_missing(values: Floats | None, n: int) -> Floats:
    return np.full(n, np.nan) if values is None else values


def _recorded(frame: pd.DataFrame, log: str) -> Bools:
    """Return the rows that are records: all, but for those in which every value is missing."""
    known = catalogue(log)
    never_masked = [
        name
        for name in frame.columns
        if name in known and (known[name].kind in ("wear", "power", "time") or name == "stp_s")
    ]
    if not never_masked:
        # Without evidence a masked record looks like no record; take each row for one.
        return np.ones(len(frame), dtype=bool)
    found = np.zeros(len(frame), dtype=bool)
    for name in [*never_masked, *(name for name in frame.columns if name not in never_masked)]:
        if found.all():
            break
        found |= frame[name].notna().to_numpy()
    return found


def _bin_seconds(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    missing = np.full(len(frame), np.nan)
    n = floats(frame["n"]) if "n" in frame.columns else missing
    recorded = n * INTERVAL_SECONDS[log]

    def stated(name: str) -> Floats | None:
        return floats(frame[name]) if name in frame.columns else None

    written = {"worn": "exposure_min", "valid": "valid_min", "walking": "walking_min"}
    minutes = {noun: stated(name) for noun, name in written.items()}
    out = {noun: missing if m is None else m * 60 for noun, m in minutes.items()}
    if log == COMPUTED_DATA:
        shares = {"worn": ("isl", 1.0, -1.0), "valid": ("vld", 0.0, 1.0)}
        for noun, (name, offset, sign) in shares.items():
            share = stated(name)
            if minutes[noun] is None and share is not None:
                out[noun] = (offset + sign * share) * recorded
    else:
        for noun, name in (("worn", "wea_s"), ("walking", "stp_s")):
            total = stated(name)
            if minutes[noun] is None and total is not None:
                out[noun] = total
    return pd.DataFrame(
        {
            "recorded_s": recorded,
            "worn_s": out["worn"],
            "valid_s": out["valid"],
            "walking_s": out["walking"],
        },
        index=frame.index,
    )
