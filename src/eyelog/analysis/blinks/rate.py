"""Blink rate with its exposure and exact interval."""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.gaps import (
    CLEANSINGS,
    Cleansing,
    Gaps,
    check_gaps,
    gap_fields,
    gap_totals,
    noise_onsets,
    rate_columns,
)
from eyelog.analysis.grouped.groups import By
from eyelog.analysis.grouped.summary import as_counts, prepare, summary_table
from eyelog.analysis.series.durations import duration_us
from eyelog.catalogue import COMPUTED_DATA, role_field
from eyelog.errors import ConfigurationError, EyelogWarning, FieldError
from eyelog.frame import is_resampled, log_of
from eyelog.provenance import record

__all__ = ["cleansings", "rate"]

RMS_NOTE = (
    "the blink gaps of the 60-second log are root mean squares from firmware 2.2.0, so its blink"
    " rate is a lower bound (a root mean square is never below the mean): pass gaps='rms' to accept"
    " that, gaps='exponential' to take the gaps for exponential, or gaps='mean' if the eyewear is"
    " known to run older firmware"
)


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
    check_gaps(gaps)
    if which != COMPUTED_DATA and gaps is None:
        warnings.warn(RMS_NOTE, EyelogWarning, stacklevel=2)
    least = duration_us(min_valid, "min_valid", example="3min") / 1e6
    names = [*gap_fields(which, cleansing)]
    if correct_noise:
        if is_resampled(frame):
            raise ConfigurationError(
                "correct_noise needs single intervals and this frame is resampled:"
                " take the rate before resample"
            )
        names.append(role_field(which, "noise_s"))
    opened = prepare(frame, names, by, purpose="blinks.rate", log=which, judge=judge, stamp=stamp)
    number, seconds, covered = gap_totals(opened, cleansing, gaps or "rms")
    noise = noise_onsets(opened, cleansing) if correct_noise else np.zeros(len(number))
    columns = rate_columns(number, seconds, min_valid_s=least, noise_per_min=noise)
    data: dict[str, Any] = columns | {
        "n": as_counts(number),
        "exposure_min": seconds / 60.0,
        "coverage": covered,
    }
    if correct_noise:
        data["noise_per_min"] = noise
    said = {} if which == COMPUTED_DATA else {"cleansing": cleansing, "gaps": gaps or "rms"}
    return summary_table(
        data, opened, "blinks.rate", min_valid_s=least, correct_noise=correct_noise, **said
    )


def cleansings(
    frame: pd.DataFrame,
    *,
    by: By = None,
    min_valid: str = "3min",
    gaps: Gaps = "rms",
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
) -> pd.DataFrame:
    """Return the blink rate under strong and under weak cleansing, side by side.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 60-second log with the gaps of both cleansings (``sc_bki_n``,
        ``sc_bki_av``, ``lc_bki_n``, ``lc_bki_av``).
    by, min_valid, gaps, judge, stamp, log
        As in `eyelog.blinks.rate`; no warning is given.

    Returns
    -------
    DataFrame
        Index as in `eyelog.blinks.rate`. Its columns, once with ``strong_`` and once with
        ``weak_`` before their names, and float64 ``difference_per_min`` (weak less strong).

    Raises
    ------
    FieldError
        If the frame lacks a field; the 15-second log has one cleansing only.
    MixedLogsError
        If the frame holds fields of both logs.

    Notes
    -----
    The two rest on the same minutes, not on independent samples: their intervals do not tell
    whether the difference is more than chance.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.cleansings(el.sample("standard_mode_logs"))
    >>> bool(table["strong_n"].iloc[0] <= table["weak_n"].iloc[0])
    True
    """
    which = log_of(frame, log)
    if which == COMPUTED_DATA:
        raise FieldError(
            "blinks.cleansings needs the 60-second log: the 15-second log has one cleansing only"
        )
    tables = {
        kind: rate(
            frame,
            by=by,
            min_valid=min_valid,
            cleansing=kind,
            gaps=gaps,
            judge=judge,
            stamp=stamp,
            log=which,
        )
        for kind in CLEANSINGS
    }
    table = pd.concat([tables[kind].add_prefix(f"{kind}_") for kind in CLEANSINGS], axis=1)
    table["difference_per_min"] = table["weak_rate_per_min"] - table["strong_rate_per_min"]
    table.attrs = dict(frame.attrs)
    return record(table, "blinks.cleansings", log=which, gaps=gaps)
