"""Blinks: rate with its exposure and exact interval, strength, duration, bursts.

Rates rest on gaps between blinks that are free of noise, never on counts over wall time: blinks
under noise are lost, and noise is not clock time. What is pooled is the sum of the gaps and their
number, never rates.
"""

import warnings
from typing import Any, Literal

import numpy as np
import pandas as pd

from eyelog.analysis.exposure import is_resampled
from eyelog.analysis.grouping import By
from eyelog.analysis.kernels import (
    Floats,
    count,
    garwood,
    numbers,
    ratio,
    root_mean_square,
    total,
)
from eyelog.analysis.summary import Opened, open_frame, summary_table, whole
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS
from eyelog.errors import ConfigurationError, EyelogWarning
from eyelog.frame import log_of

__all__ = ["rate"]

Cleansing = Literal["strong", "weak"]
Gaps = Literal["rms", "mean", "exponential"]
PREFIX = {"strong": "sc_", "weak": "lc_"}
# Root mean square / mean: at least 1, and the square root of 2 for an exponential distribution.
GAP_SHAPE = {"rms": 1.0, "exponential": 2.0**0.5}

RMS_NOTE = (
    "the blink gaps of the 60-second log are root mean squares from firmware 2.2.0, so its blink"
    " rate is a lower bound (a root mean square is never below the mean): pass gaps='rms' to accept"
    " that, gaps='exponential' to take the gaps for exponential, or gaps='mean' if the eyewear is"
    " known to run older firmware"
)


def gap_fields(log: str, cleansing: str) -> tuple[str, str]:
    """Return the fields that hold the number of gaps and their sum (15 s) or average (60 s)."""
    if cleansing not in PREFIX:
        raise ConfigurationError(f"cleansing must be 'strong' or 'weak', not {cleansing!r}")
    if log == COMPUTED_DATA:
        return "bki_n", "bki_sum"
    return f"{PREFIX[cleansing]}bki_n", f"{PREFIX[cleansing]}bki_av"


def shape_fields(log: str, cleansing: str) -> dict[str, str]:
    """Return the fields of blink count, strength, duration and their spreads."""
    prefix = "" if log == COMPUTED_DATA else PREFIX[cleansing]
    names = {"count": "bk_n", "strength": "bkh_av", "strength_sd": "bkh_sd", "duration": "bkw_av"}
    if log != COMPUTED_DATA:
        names["duration_sd"] = "bkw_sd"
    return {noun: prefix + name for noun, name in names.items()}


def gap_totals(opened: Opened, cleansing: str, gaps: str) -> tuple[Floats, Floats, Floats]:
    """Return for each group the number of gaps, their seconds, and the coverage."""
    number_name, length_name = gap_fields(opened.log, cleansing)
    n, length = opened.values(number_name), opened.values(length_name)
    if opened.log == COMPUTED_DATA:
        known = ~np.isnan(n + length)
        seconds = total(np.where(known, length, np.nan), opened.groups)
    else:
        # Where there are no gaps their average is rightly missing: nothing is lost there.
        known = ~np.isnan(n) & (~np.isnan(length) | (n == 0))
        spent = np.where(n == 0, 0.0, n * length)
        seconds = total(np.where(known, spent, np.nan), opened.groups)
        if gaps != "mean":
            typical = root_mean_square(length, n, opened.groups) / GAP_SHAPE[gaps]
            held = total(np.where(known, n, np.nan), opened.groups)
            seconds = np.where(held > 0, held * typical, seconds)
    number = np.nan_to_num(total(np.where(known, n, np.nan), opened.groups))
    return number, np.nan_to_num(seconds), opened.coverage(known)


def rate_columns(
    number: Floats, seconds: Floats, *, min_valid_s: float, noise_per_min: Floats | float = 0.0
) -> dict[str, Floats]:
    """Return rate, low and high per minute, missing where too little time is valid."""
    minutes = seconds / 60.0
    enough = (seconds >= min_valid_s) & (seconds > 0)
    low, high = garwood(number, minutes)
    columns = {"rate_per_min": ratio(number, minutes), "low": low, "high": high}
    return {
        name: np.where(enough, np.maximum(values - noise_per_min, 0.0), np.nan)
        for name, values in columns.items()
    }


def seconds_of(duration: Any, name: str) -> float:
    """Return the seconds of a duration such as ``"3min"``, which must not be negative."""
    try:
        seconds = pd.Timedelta(duration).total_seconds()
    except (ValueError, TypeError):
        seconds = np.nan
    if not seconds >= 0:
        raise ConfigurationError(f"{name} must be a duration such as '3min', not {duration!r}")
    return float(seconds)


def rate(
    frame: pd.DataFrame,
    *,
    by: By = None,
    min_valid: str = "3min",
    correct_noise: bool = False,
    cleansing: Cleansing = "strong",
    gaps: Gaps | None = None,
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
) -> pd.DataFrame:
    """Return the blink rate per minute, with its exact interval and what it rests on.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log: ``bki_n`` and ``bki_sum`` of the 15-second log, ``bki_n`` and
        ``bki_av`` of one cleansing of the 60-second log.
    by : None, str, Series or array
        None: one row for all. A pandas frequency (``"1h"``, ``"1D"``): bins that hold records.
        ``"hour"``: the hour of day. A Series or array: a label for each row (the context).
    min_valid : str
        Least time of noise-free gaps (the exposure) for a rate; below it the rate is missing.
    correct_noise : bool
        Correct for the gaps that noise has broken, see Notes.
    cleansing : {"strong", "weak"}
        60-second log: take the strictly or the lightly cleansed blinks.
    gaps : {"rms", "exponential", "mean"}, optional
        60-second log: what the average gap of a minute is. A root mean square (firmware 2.2.0 and
        later), which is used in place of the mean (``"rms"``: a lower bound of the rate; taken,
        with a warning, where nothing is said) or divided by the square root of 2 (right where
        gaps are exponential); or the mean (older firmware).
    judge : bool
        Take out first what `eyelog.flag` speaks against.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    log : str, optional
        Which log it is, where neither provenance nor columns tell.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), ``day``, ``date``, ``hour`` or the labels. Float64 columns
        ``rate_per_min``, ``low`` and ``high`` (per minute; 95 %), int64 ``n`` (gaps), float64
        ``exposure_min`` (minutes of noise-free gaps) and ``coverage`` (share of the expected
        records in which gaps could be counted; of the records of a label). With `correct_noise`
        also float64 ``noise_per_min`` (onsets of noise per noise-free minute).

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame holds fields of both logs.
    ConfigurationError
        If an argument cannot be used, or noise is to be corrected on a resampled frame.

    Warns
    -----
    EyelogWarning
        60-second log, where `gaps` is not given: the rate is a lower bound.

    Notes
    -----
    The rate is 60 * sum(n) / sum(s) over intervals, n gaps lasting s seconds: never the mean of
    rates. The interval is exact for a Poisson count (Garwood 1936, Biometrika 28:437), given n;
    the buffers of neighbouring records overlap, so it is too narrow as far as `effective_n` is
    below n. Root mean squares x combine as sqrt(sum(n x^2) / sum(n)); s is then n times that, and
    never pooled with arithmetic means.

    A gap in which noise sets in is lost. Long gaps are lost more often, so kept gaps are short:
    where blinks come at rate r and noise at rate l, both exponential, the kept mean is 1/(r + l).
    The correction takes l off. l is found from intervals whose predecessor was free of noise: the
    share p of them that are not free themselves is 1 - exp(-l t) in an interval of t seconds.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.rate(el.sample(), by="hour")
    >>> bool((table["low"].dropna() <= table["high"].dropna()).all())
    True
    """
    which = log_of(frame, log)
    if gaps not in (None, "mean", *GAP_SHAPE):
        raise ConfigurationError(f"gaps must be 'rms', 'exponential' or 'mean', not {gaps!r}")
    if which != COMPUTED_DATA and gaps is None:
        warnings.warn(RMS_NOTE, EyelogWarning, stacklevel=2)
    least = seconds_of(min_valid, "min_valid")
    names = [*gap_fields(which, cleansing)]
    if correct_noise:
        if is_resampled(frame):
            raise ConfigurationError(
                "correct_noise needs single intervals and this frame is resampled:"
                " take the rate before resample"
            )
        names.append(noise_field(which))
    opened = open_frame(
        frame, names, by, purpose="blinks.rate", log=which, judge=judge, stamp=stamp
    )
    number, seconds, covered = gap_totals(opened, cleansing, gaps or "rms")
    noise = noise_onsets(opened, cleansing) if correct_noise else np.zeros(len(number))
    columns = rate_columns(number, seconds, min_valid_s=least, noise_per_min=noise)
    data: dict[str, Any] = columns | {
        "n": whole(number),
        "exposure_min": seconds / 60.0,
        "coverage": covered,
    }
    if correct_noise:
        data["noise_per_min"] = noise
    said = {} if which == COMPUTED_DATA else {"cleansing": cleansing, "gaps": gaps or "rms"}
    return summary_table(
        data, opened, "blinks.rate", min_valid_s=least, correct_noise=correct_noise, **said
    )


def noise_field(log: str) -> str:
    """Return the field that holds the seconds of noise."""
    return "nis_time" if log == COMPUTED_DATA else "nis_s"


def noise_onsets(opened: Opened, cleansing: str) -> Floats:
    """Return the onsets of noise per noise-free minute; missing where none can be judged."""
    noise = numbers(opened.frame[noise_field(opened.log)])
    n = opened.values(gap_fields(opened.log, cleansing)[0])
    length = float(INTERVAL_SECONDS[opened.log])
    stamps = opened.frame.index.asi8  # type: ignore[attr-defined]  # open_frame has checked it
    follows = np.zeros(len(noise), dtype=bool)
    follows[1:] = (np.diff(stamps) <= 1.5e6 * length) & (noise[:-1] == 0)
    judged = follows & ~np.isnan(noise) & ~np.isnan(n)
    noisy = count(judged & (noise > 0), opened.groups)
    share = ratio(noisy, count(judged, opened.groups))
    with np.errstate(divide="ignore"):
        return np.where(share < 1, -np.log1p(-share) * 60.0 / length, np.nan)
