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
from eyelog.errors import EyelogWarning, FieldError
from eyelog.frame import log_of, require_single_intervals
from eyelog.provenance import record

__all__ = ["cleansings", "rate"]

RMS_NOTE = (
    "from firmware 2.2.0 the blink gaps of the 60-second log are root mean squares, which are never"
    " below the mean, so this blink rate is a lower bound: pass gaps='rms' to accept that,"
    " gaps='exponential' to assume exponential gaps, or gaps='mean' for older firmware"
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
    """Return the blink rate per minute, with its exact interval and its exposure.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log: ``bki_n`` and ``bki_sum`` of the 15-second log, ``bki_n`` and
        ``bki_av`` of one cleansing of the 60-second log.
    by : None, str, Series or array
        None: one row for all. A pandas frequency (``"1h"``, ``"1D"``): bins that hold records.
        ``"hour"``: the hour of day. A Series or array: a label for each row (the context).
    min_valid : str
        Shortest total time of noise-free gaps (the exposure) that gives a rate; below it the rate
        is missing.
    correct_noise : bool
        Correct for the gaps that noise has broken (see Notes).
    cleansing : {"strong", "weak"}
        60-second log: use the strictly or the lightly cleansed blinks.
    gaps : {"rms", "exponential", "mean"}, optional
        60-second log: how to read the average gap of a minute. From firmware 2.2.0 it is a root
        mean square, which is either used as the mean (``"rms"``: the rate is a lower bound) or
        divided by the square root of 2 (``"exponential"``: right where gaps are exponential). In
        older firmware it is the mean (``"mean"``). Default: ``"rms"``, with a warning.
    judge : bool
        First mask the values that `eyelog.flag` flags.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    log : str, optional
        Which log it is, where neither provenance nor columns say.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), ``day``, ``date``, ``hour`` or the labels. Float64 columns
        ``rate_per_min``, ``low`` and ``high`` (per minute; 95 %), int64 ``n`` (gaps), float64
        ``exposure_min`` (minutes of noise-free gaps) and ``coverage`` (share of the expected
        records in which gaps could be counted; for labels, of their records). With `correct_noise`
        also float64 ``noise_per_min`` (onsets of noise per noise-free minute).

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame holds fields of both logs.
    ConfigurationError
        If an argument is not valid, or `correct_noise` is set and the frame is resampled.

    Warns
    -----
    EyelogWarning
        60-second log without `gaps`: the rate is a lower bound.

    Notes
    -----
    The rate is 60 * sum(n) / sum(s) over intervals with n gaps that last s seconds: never the mean
    of rates. The interval is exact for a Poisson count n (Garwood 1936, Biometrika 28:437). The
    buffers of neighbouring records overlap, so it is too narrow where
    `eyelog.blinks.effective_n` is below n. Root mean squares x combine as
    sqrt(sum(n x^2) / sum(n)); s is n times that. They are never pooled with arithmetic means.

    A gap in which noise sets in is lost. Long gaps are lost more often, so the gaps that remain
    are short: where blinks come at rate r and noise at rate l, both exponential, their mean is
    1/(r + l). The correction subtracts l, which is estimated from intervals that follow an
    interval free of noise: the share of them with noise is 1 - exp(-l t) for intervals of t
    seconds.

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
        require_single_intervals(frame, "correct_noise")
        names.append(role_field(which, "noise_s"))
    prepared = prepare(frame, names, by, purpose="blinks.rate", log=which, judge=judge, stamp=stamp)
    number, seconds, covered = gap_totals(prepared, cleansing, gaps or "rms")
    noise = noise_onsets(prepared, cleansing) if correct_noise else np.zeros(len(number))
    columns = rate_columns(number, seconds, min_valid_s=least, noise_per_min=noise)
    data: dict[str, Any] = columns | {
        "n": as_counts(number),
        "exposure_min": seconds / 60.0,
        "coverage": covered,
    }
    if correct_noise:
        data["noise_per_min"] = noise
    details = {} if which == COMPUTED_DATA else {"cleansing": cleansing, "gaps": gaps or "rms"}
    return summary_table(
        data, prepared, "blinks.rate", min_valid_s=least, correct_noise=correct_noise, **details
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
        As in `eyelog.blinks.rate`, but without its warning.

    Returns
    -------
    DataFrame
        Index as in `eyelog.blinks.rate`. Its columns twice, prefixed ``strong_`` and ``weak_``,
        and float64 ``difference_per_min`` (weak minus strong).

    Raises
    ------
    FieldError
        If the frame lacks a field, or is the 15-second log, which has only one cleansing.
    MixedLogsError
        If the frame holds fields of both logs.

    Notes
    -----
    Both are computed from the same minutes, not from independent samples, so their intervals do
    not show whether the difference is more than chance.

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
            "blinks.cleansings needs the 60-second log: the 15-second log has only one cleansing"
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
