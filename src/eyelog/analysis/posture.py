"""Head and posture: angles on the circle, time in postures, head movements per worn hour.

Which sign of a tilt is forward or right is not documented, so nothing here names a side.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from eyelog.analysis.exposure import seconds
from eyelog.analysis.grouping import By, Groups
from eyelog.analysis.kernels import (
    Floats,
    combined_sd,
    count,
    numbers,
    quantile,
    ratio,
    root_mean_square,
    total,
)
from eyelog.analysis.kernels import circular_mean as grouped_circular_mean
from eyelog.analysis.summary import open_frame, summary_table, whole
from eyelog.analysis.tilt import circular_median, relative_tilt, spread, zones
from eyelog.catalogue import INTERVAL_SECONDS
from eyelog.errors import ConfigurationError
from eyelog.frame import log_of, require

__all__ = [
    "PooledSD",
    "circular_mean",
    "circular_median",
    "circular_sd",
    "head_movements",
    "pooled_sd",
    "relative_tilt",
    "spread",
    "zones",
]

HEAD_MOVES = {"pitch": "hm_po", "yaw": "hm_yo"}
WEAR = {"computed_data": "isl", "standard_mode_logs": "wea_s"}


def _angles(degrees: object) -> Floats:
    try:
        return numbers(pd.Series(degrees, dtype="float64"))
    except (TypeError, ValueError):
        raise ConfigurationError("angles must be numbers, in degrees") from None


def _resultant(angles: Floats) -> float:
    """Return the length of the mean unit vector, NaN where there is no angle."""
    known = np.deg2rad(angles[np.isfinite(angles)])
    if not known.size:
        return float("nan")
    return float(np.hypot(np.cos(known).mean(), np.sin(known).mean()))


def circular_mean(degrees: object) -> float:
    """Return the mean direction of angles.

    Parameters
    ----------
    degrees : array-like
        Angles in degrees, on any branch (-10 is 350). Missing ones are left out.

    Returns
    -------
    float
        In (-180, 180]. Missing where there is no angle, or where they point nowhere (0 and 180).

    Notes
    -----
    The direction of the mean unit vector (Fisher 1993, Statistical Analysis of Circular Data,
    section 2.3).

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.posture.circular_mean([350, 10, 20, 5, 355, 2, 30]), 8)
    7.38355499
    """
    angles = _angles(degrees)
    one = Groups(pd.RangeIndex(1), np.array([0, angles.size]), None, np.zeros(1))
    return float(grouped_circular_mean(angles, None, one)[0])


def circular_sd(degrees: object) -> float:
    """Return the circular standard deviation of angles.

    Parameters
    ----------
    degrees : array-like
        Angles in degrees, on any branch. Missing ones are left out.

    Returns
    -------
    float
        Degrees, 0 or more; infinite where the angles point nowhere; missing where there is none.

    Notes
    -----
    sqrt(-2 ln R) with R the length of the mean unit vector (Fisher 1993, section 2.3).

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.posture.circular_sd([350, 10, 20, 5, 355, 2, 30]), 7)
    12.9414923
    """
    length = _resultant(_angles(degrees))
    if np.isnan(length):
        return length
    if length < 1e-12:
        return float("inf")
    # Rounding may leave R a hair above 1; max() also turns -0.0 into 0.0.
    return float(np.rad2deg(np.sqrt(max(0.0, -2.0 * np.log(min(length, 1.0))))))


class PooledSD(NamedTuple):
    """SD within the parts, between their means, and of the whole."""

    within: float
    between: float
    total: float


def pooled_sd(sd: object, *, mean: object = None, n: object = None) -> PooledSD:
    """Return the SD of a whole from the SDs, means and sizes of its parts.

    Parameters
    ----------
    sd : array-like
        Population SD of each part.
    mean : array-like, optional
        Mean of each part; without it only the SD within is known.
    n : array-like, optional
        Size of each part; equal by default.

    Returns
    -------
    PooledSD
        Named tuple of ``within`` = sqrt(sum(n s^2) / sum(n)), ``between`` =
        sqrt(sum(n (m - M)^2) / sum(n)) and ``total``, whose square is the sum of theirs. Parts
        with something missing are left out; missing where no part is left.

    Raises
    ------
    ConfigurationError
        If the lengths differ, or something is no number.

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.posture.pooled_sd([1.0, 1.0], mean=[0.0, 2.0]).total ** 2, 9)
    2.0
    """
    spread = _angles(sd)
    weights = np.ones(len(spread)) if n is None else _angles(n)
    means = np.full(len(spread), np.nan) if mean is None else _angles(mean)
    if not len(spread) == len(weights) == len(means):
        raise ConfigurationError("sd, mean and n must have the same length")
    one = Groups(pd.RangeIndex(1), np.array([0, len(spread)]), None, np.zeros(1))
    parts = combined_sd(spread, means, weights, one)
    within = parts.within if mean is not None else root_mean_square(spread, weights, one)
    return PooledSD(float(within[0]), float(parts.between[0]), float(parts.total[0]))


def head_movements(
    frame: pd.DataFrame,
    *,
    by: By = None,
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
) -> pd.DataFrame:
    """Return head movements per worn hour, with typical values of single intervals.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with ``hm_po``, ``hm_yo`` and the evidence of wear (``isl`` of the
        15-second log, ``wea_s`` of the 60-second log).
    by : None, str, Series or array
        None: one row for all. A pandas frequency (``"1h"``, ``"1D"``): bins that hold records.
        ``"hour"``: the hour of day. A Series or array: a label for each row (the context).
    judge : bool
        Take out first what `eyelog.flag` speaks against.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), ``day``, ``date``, ``hour`` or the labels. Float64
        ``pitch_per_h`` and ``yaw_per_h`` (movements up or down, and to a side, per worn hour),
        ``pitch_p90``, ``pitch_p99``, ``yaw_p90`` and ``yaw_p99`` (percentiles of the counts of
        single intervals), int64 ``n`` (intervals), float64 ``exposure_min`` (minutes worn in
        them) and ``coverage`` (share of the expected records that were counted; of the records
        of a label). Missing where nothing was worn.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame holds fields of both logs.
    ConfigurationError
        If an argument cannot be used.

    Notes
    -----
    Counts of head movements fall off like an exponential, so the vendor takes the 90th or 99th
    percentile of single intervals for a typical value in place of the mean. Percentiles are
    interpolated linearly. In a resampled frame the intervals are its bins.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.posture.head_movements(el.sample(), by="1D")
    >>> bool((table["yaw_p99"] >= table["yaw_p90"]).all())
    True
    """
    which = log_of(frame, log)
    if "exposure_min" not in frame.columns:
        require(frame, [WEAR[which]], purpose="posture.head_movements")
    opened = open_frame(
        frame,
        list(HEAD_MOVES.values()),
        by,
        purpose="posture.head_movements",
        log=which,
        judge=judge,
        stamp=stamp,
    )
    worn_s = numbers(seconds(opened.frame, log=which)["worn_s"])
    moves = {noun: opened.values(name) for noun, name in HEAD_MOVES.items()}
    known = ~np.isnan(sum(moves.values()) + worn_s)
    hours = total(np.where(known, worn_s, np.nan), opened.groups) / 3600.0
    data = {
        f"{noun}_per_h": ratio(total(np.where(known, made, np.nan), opened.groups), hours)
        for noun, made in moves.items()
    }
    for noun, made in moves.items():
        for percent in (90, 99):
            data[f"{noun}_p{percent}"] = quantile(
                np.where(known, made, np.nan), percent / 100, opened.groups
            )
    table = data | {
        "n": whole(count(known, opened.groups)),
        "exposure_min": np.nan_to_num(hours) * 60.0,
        "coverage": opened.coverage(known),
    }
    return summary_table(
        table, opened, "posture.head_movements", interval_of_percentiles_s=INTERVAL_SECONDS[which]
    )
