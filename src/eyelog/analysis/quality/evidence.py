"""Which intervals were worn, walked and valid, and how many seconds of each row were.

The definitions stand here alone, so that coverage, daily and every rate count the same time. The
limits come from ``limits.csv``; with its default values they are:

=========  ================================  ==========================================
question   15-second log                     60-second log
=========  ================================  ==========================================
worn       ``isl`` false                     ``wea_s`` at least 20 s
walking    ``stp`` above 0                   ``stp_s`` above 0 s
valid      ``vld`` true, and worn            worn, ``nis_s`` at most 10 s, not walking
=========  ================================  ==========================================

*Valid* means that resting eye data can be used. Each question has three answers: yes, no, and
missing where the evidence is missing. Evidence outside its own documented range is not evidence.
"""

import numpy as np
import pandas as pd

from eyelog.analysis.limits import Limit, limit
from eyelog.analysis.quality.values import evidence, floats
from eyelog.analysis.series.arrays import Bools, Floats
from eyelog.catalogue import (
    COMPUTED_DATA,
    INTERVAL_SECONDS,
    STANDARD_MODE_LOGS,
    catalogue,
    role,
    role_field,
)
from eyelog.frame import is_resampled, log_of, require_single_intervals

__all__ = ["has_evidence", "seconds", "valid", "walking", "worn"]

MIN_WORN_S = limit(STANDARD_MODE_LOGS, "worn").value
WALKING_ABOVE = limit(STANDARD_MODE_LOGS, "walking").value
# The columns of a resampled frame that hold each kind of time.
BIN_MINUTES = {"worn": "exposure_min", "valid": "valid_min", "walking": "walking_min"}


def _keeps(frame: pd.DataFrame, log: str, rule: Limit) -> pd.Series:
    """Return for each interval whether its evidence keeps a limit; missing without evidence."""
    values = evidence(frame, role_field(log, rule.role), log)
    if values is None:
        values = np.full(len(frame), np.nan)
    answers = pd.arrays.BooleanArray(rule.keeps(values), np.isnan(values))
    return pd.Series(answers, index=frame.index)


def _single_intervals(frame: pd.DataFrame, log: str | None, noun: str) -> str:
    """Return the log of a frame whose rows are single intervals, not bins."""
    which = log_of(frame, log)
    require_single_intervals(frame, noun)
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
        Which log it is, where neither provenance nor columns say.
    min_worn_s : float
        60-second log: seconds of ``wea_s`` that make a worn minute.

    Returns
    -------
    Series of boolean
        Same index; missing where the evidence (``isl``, ``wea_s``) is missing.
    """
    which = _single_intervals(frame, log, "worn")
    rule = limit(which, "worn")
    if which == STANDARD_MODE_LOGS:
        rule = rule.at(min_worn_s)
    return _keeps(frame, which, rule).rename("worn")


def walking(
    frame: pd.DataFrame, *, log: str | None = None, above: float = WALKING_ABOVE
) -> pd.Series:
    """Return for each interval whether the wearer walked in it.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, not resampled.
    log : str, optional
        Which log it is, where neither provenance nor columns say.
    above : float
        Steps (15-second log) or seconds of walking (60-second log) that must be exceeded.

    Returns
    -------
    Series of boolean
        Same index; missing where the evidence (``stp``, ``stp_s``) is missing.
    """
    which = _single_intervals(frame, log, "walking")
    return _keeps(frame, which, limit(which, "walking").at(above)).rename("walking")


def valid(frame: pd.DataFrame, *, log: str | None = None) -> pd.Series:
    """Return for each interval whether resting eye data can be used.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, not resampled.
    log : str, optional
        Which log it is, where neither provenance nor columns say.

    Returns
    -------
    Series of boolean
        Same index; missing where the evidence does not decide.
    """
    which = _single_intervals(frame, log, "valid")
    if which == COMPUTED_DATA:
        usable = _keeps(frame, which, limit(which, "valid"))
    else:
        usable = _keeps(frame, which, limit(which, "noise")) & ~walking(frame, log=which)
    return (worn(frame, log=which) & usable).rename("valid")


def _stored(frame: pd.DataFrame, log: str) -> Bools:
    """Return for each interval whether its tilt is that of stored eyewear."""
    stored = np.zeros(len(frame), dtype=bool)
    for name in ("tilt_sideways", "tilt_fore_aft"):
        rule = limit(log, name)
        tilt = evidence(frame, role_field(log, rule.role), log)
        if tilt is not None:
            stored |= rule.breaks(tilt)
    return stored


def seconds(frame: pd.DataFrame, *, log: str | None = None) -> pd.DataFrame:
    """Return how many seconds of each row were recorded, worn, valid and walked.

    A masked frame has the same seconds as the frame it was made from.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, resampled or not.
    log : str, optional
        Which log it is, where neither provenance nor columns say.

    Returns
    -------
    DataFrame
        Same index; float64 columns ``recorded_s`` (intervals with any value in them),
        ``worn_s`` (``wea_s``; 15-second log: whole intervals), ``valid_s`` (the worn seconds of
        valid intervals) and ``walking_s`` (``stp_s``; 15-second log: whole intervals with steps
        of worn, not stored, eyewear). Missing where the evidence is.

    Notes
    -----
    A longer bin does not show which of its intervals were valid or walked. For a resampled frame
    the seconds therefore come from the columns ``exposure_min`` (worn), ``valid_min`` and
    ``walking_min`` that `eyelog.resample` writes. Where one of them is absent, only what adds up
    is used (``wea_s``, ``stp_s``, and the shares ``isl`` and ``vld`` times ``n``); the rest is
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
        # Masking removes the steps of eyewear that is off or stored: they count in no frame.
        lost = _stored(frame, which) | (on == 0)
        walking_s = np.where(lost, np.nan, floats(walking(frame, log=which)) * length)
    else:
        worn_s = _or_missing(evidence(frame, role_field(which, "worn_s"), which), len(frame))
        walking_s = _or_missing(evidence(frame, role_field(which, "walking_s"), which), len(frame))
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


def has_evidence(frame: pd.DataFrame, noun: str, *, log: str) -> bool:
    """Return whether the frame has the columns that a kind of time needs.

    `noun` is ``worn``, ``valid`` or ``walking``.
    """
    if is_resampled(frame):
        return BIN_MINUTES[noun] in frame.columns
    parts: tuple[str, ...] = (noun,)
    if noun == "valid":
        parts = ("worn", "valid") if log == COMPUTED_DATA else ("worn", "noise_s", "walking")
    return set(role(log, *parts)) <= set(frame.columns)


def _or_missing(values: Floats | None, n: int) -> Floats:
    return np.full(n, np.nan) if values is None else values


def _recorded(frame: pd.DataFrame, log: str) -> Bools:
    """Return the rows that are records: all but those in which every value is missing."""
    fields = catalogue(log)
    evidence_kinds = ("wear", "power", "time")
    never_masked = [
        name
        for name in frame.columns
        if name in fields
        and (fields[name].kind in evidence_kinds or "walking_s" in fields[name].role)
    ]
    if not never_masked:
        # Without evidence a masked record looks like no record: take every row as a record.
        return np.ones(len(frame), dtype=bool)
    recorded = np.zeros(len(frame), dtype=bool)
    for name in [*never_masked, *(name for name in frame.columns if name not in never_masked)]:
        if recorded.all():
            break
        recorded |= frame[name].notna().to_numpy()
    return recorded


def _bin_seconds(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    missing = np.full(len(frame), np.nan)
    recorded = floats(frame["n"]) * INTERVAL_SECONDS[log] if "n" in frame.columns else missing

    def column(name: str) -> Floats | None:
        return floats(frame[name]) if name in frame.columns else None

    def field_of(part: str) -> Floats | None:
        return next(map(column, role(log, part)), None)

    out = {"recorded_s": recorded}
    for noun, name in BIN_MINUTES.items():
        spent = column(name)
        if spent is not None:
            spent = spent * 60
        elif log == COMPUTED_DATA and noun != "walking":
            share = field_of(noun)  # of intervals that were still, or valid
            if share is not None:
                spent = (1.0 - share if noun == "worn" else share) * recorded
        elif log == STANDARD_MODE_LOGS:
            spent = field_of(f"{noun}_s") if noun != "valid" else None
        out[f"{noun}_s"] = missing if spent is None else spent
    return pd.DataFrame(out, index=frame.index)
