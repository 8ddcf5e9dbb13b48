"""Blink rate with its exposure and its interval, of these minutes or of the wearer."""

from typing import Any, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.gaps import Cleansing, noise_onsets
from eyelog.analysis.blinks.readings import (
    Method,
    Reading,
    rate_columns,
    rate_fields,
    reading_of,
    readings,
    seconds_of,
    sums_of,
    terms_of,
)
from eyelog.analysis.grouped.groups import By
from eyelog.analysis.grouped.of_wearer import Of, check_of, of_wearer
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import ratio
from eyelog.analysis.grouped.summary import Prepared, as_counts, prepare, summary_table
from eyelog.analysis.quality.reasons import Reason
from eyelog.catalogue import log_named, role_field
from eyelog.errors import ConfigurationError, FieldError, argument
from eyelog.frame import STORED, is_resampled, require_single_intervals
from eyelog.provenance import derived, history

__all__ = ["cleansings", "rate"]

# Gaps are already free of noise, so the reasons against a noisy interval do not apply to its gaps;
# and without these gaps the onsets of noise would be missed.
NOISE = Reason.NOISY | Reason.INVALID


@with_frame_options
def rate(
    frame: pd.DataFrame,
    *,
    by: By = None,
    of: Of = "minutes",
    correct_noise: bool = False,
    method: Method | None = None,
    cleansing: Cleansing | None = None,
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return the blink rate per minute, with its interval and its exposure.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log. 15-second log: ``bki_n`` and ``bki_sum``. 60-second log: ``val_s`` and
        ``nis_s`` with ``bk_n`` of one cleansing (``lc_bk_n`` by default) or, for the methods that
        read gaps, ``bki_n`` and ``bki_av``.
    by : None, str, Series or array
        None: one row for all. ``"hour"``, ``"weekday"`` (0 is Monday), ``"weekend"`` (``weekday``
        or ``weekend``) or ``"week"`` (ISO weeks, from Monday). A pandas frequency (``"1h"``,
        ``"1D"``): bins with records. The name of a column, a Series or an array: a label for
        each row (the context).
    of : {"minutes", "wearer"}
        What the interval is about: the rate of these minutes, or the wearer's rate, with these days
        as a sample of the wearer's days. Choose the second to compare weeks, habits or persons.
    correct_noise : bool
        Correct for the gaps that noise has interrupted (see Notes); not for ``"counts"``, which
        loses none.
    method : {"gaps", "counts", "exponential", "rms", "mean"}, optional
        How to read the rate (see Notes). 15-second log: ``"gaps"``. 60-second log: ``"counts"``
        (default), or ``"exponential"``, ``"rms"`` (firmware 2.2.0 and later) and ``"mean"`` (older
        firmware), which read the average gap of a minute.
    cleansing : {"weak", "strong"}, optional
        60-second log: use the lightly or the strictly cleansed blinks. Default: weak for
        ``"counts"``, which loses the fewest blinks; strong for the other methods.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, and the shortest usable time that gives a
        rate (``min_valid``), see `eyelog.Limits`.
    judge : bool
        First mask the values that `eyelog.flag` flags; with `correct_noise`, except values that
        are flagged for noise alone (``NOISY``, ``INVALID``).
    stamp : {"end", "start"}
        Whether a stamp closes or opens its interval.
    log : str, optional
        The log, if neither the provenance nor the columns show it.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64 columns
        ``rate_per_min``, ``low`` and ``high`` (per minute; 95 %), int64 ``n`` (blinks counted, or
        gaps), float64 ``exposure_min`` (usable minutes: 15-second log, those of noise-free gaps;
        60-second log, ``val_s`` - ``nis_s`` of the minutes with a count) and ``coverage`` (share of
        the expected records used; for labels, of their records), and strings ``of`` (``minutes``
        or ``wearer``: what the interval is about) and ``reason`` (why the rate, or its interval of
        the wearer, is missing; otherwise empty). With `correct_noise` also float64
        ``noise_per_min`` (onsets of noise per noise-free minute). With ``of="wearer"`` also int64
        ``days`` (with at least ``min_valid`` of usable time), float64 ``phi`` (how much
        neighbouring days are alike) and ``n_effective`` (how many independent days would be as
        informative).

    Raises
    ------
    ConfigurationError
        If an argument is not valid, or the log has no such method; or if `correct_noise` is set
        for the wearer, for counts, or for a frame that is resampled or has lost its noisy intervals
        to `eyelog.mask`; or if `method` is ``"mean"`` and the frame is resampled.

    Notes
    -----
    ``"gaps"``: 60 * sum(n) / sum(s) over intervals with n gaps that last s seconds, never the mean
    of rates. ``"counts"``: blinks over usable seconds, 60 * sum(n) / sum(``val_s`` - ``nis_s``).
    The buffer behind a count is about as long as the minute, so blinks counted twice and blinks
    missed balance out. Over working weeks of simulated wearers the result is 1 % below the planted
    rate (up to 2.5 %; weak cleansing; strong cleansing loses 4 %, up to 6 %). If no blink was
    counted in 10 usable minutes or more, the counter stood still and there is no rate. In 3 to 10
    minutes, 0 is a rate with its interval.

    ``"rms"``, ``"exponential"`` and ``"mean"`` divide by the typical gap of the minutes. Root mean
    squares x combine as sqrt(sum(n x^2) / sum(n)), never with arithmetic means. A root mean square
    is never below the mean, so ``"rms"`` is a lower bound; ``"exponential"`` divides it by the
    square root of 2, which is right for exponential gaps, and too low if the rate varies.

    The interval of the minutes is exact for a Poisson count n (Garwood 1936, Biometrika 28:437): it
    contains a constant planted rate in 95 % of samples or a little more, with ``"exponential"`` in
    92 %, since a root mean square varies more than a mean. It gives no information about other days
    of the wearer: with seven days, it contains the wearer's rate in 1 of 10 cases.

    The interval of the wearer uses local days as the units: the jackknife over days gives the error
    of the logarithm of the rate, with Student's t; minutes within a day may depend on one another.
    It needs four days. From ten days on, the error grows by the autocorrelation of the days
    (`phi`). With 7, 14 and 28 independent days with drifting rates it contains the wearer's rate in
    94, 96 and 96 of 100 cases; at an autocorrelation of .3 in 90, 95 and 94
    (`benchmarks/levels.py`), with four days in 88. If it cannot be given, the row has the interval
    of the minutes, and ``of`` and ``reason`` say so.

    A gap in which noise sets in is lost. Long gaps are lost more often, so the gaps that remain are
    short: if blinks come at rate r and noise at rate l, both exponential, their mean is 1/(r + l).
    The correction subtracts l, which is estimated from the records before masking, in intervals
    that follow an interval free of noise: the share of them with noise is 1 - exp(-l t) for
    intervals of t seconds. Gaps of noisy intervals are pooled too: they are themselves free of
    noise, and the loss would differ without them; so the corrected rate is that of all seconds
    without noise. The interval combines both intervals (Zou & Donner 2008, Statistics in Medicine
    27:1693) and contains the planted rate in 95 % of samples. If noise comes in spells (meals), too
    few onsets are counted: the rate of a simulated week is up to 2 % too high.

    Bins of `eyelog.resample` keep the number and the usable minutes of the default method
    (``blink_n``, ``blink_min``), so their rate is that of their records. For the other methods the
    usable minutes of bins are those of the default. ``"mean"`` is refused: bins keep the root mean
    square of the gaps.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.rate(el.sample(), by="hour")
    >>> bool((table["low"].dropna() <= table["high"].dropna()).all())
    True
    >>> usual = el.blinks.rate(el.sample(), of="wearer").loc["all"]
    >>> usual["of"], int(usual["days"])
    ('wearer', 7)
    """
    opened = open_frame(frame, "blinks.rate", **options)
    which = opened.log
    check_of(of)
    if correct_noise and of == "wearer":
        raise ConfigurationError(
            "correct_noise gives the interval of these minutes alone: leave out"
            f" {argument('of', 'wearer')}, or correct_noise"
        )
    reading = reading_of(which, method, cleansing)
    names = rate_fields(reading, resampled=is_resampled(frame))
    allow = None
    if correct_noise:
        _check_correctable(frame, reading)
        names.append(role_field(which, "noise_s"))
        allow = Reason.SATURATED | NOISE
    prepared = prepare(opened, names, by, allow=allow)
    data = _columns(prepared, reading, of=of, correct_noise=correct_noise)
    return summary_table(data, prepared, of=of, correct_noise=correct_noise, **reading.details)


def _columns(
    prepared: Prepared, reading: Reading, *, of: Of = "minutes", correct_noise: bool = False
) -> dict[str, Any]:
    min_valid_s = prepared.known.limits.seconds("min_valid")
    terms = terms_of(prepared.frame, reading)
    sums = sums_of(terms, prepared.groups)
    noise = noise_onsets(prepared, reading.cleansing) if correct_noise else None
    columns = rate_columns(reading, sums, min_valid_s=min_valid_s, noise=noise)
    reason = columns.pop("reason")
    data: dict[str, Any] = columns | {
        "n": as_counts(sums.number),
        "exposure_min": sums.usable_s / 60.0,
        "coverage": prepared.coverage(terms.present),
        "of": pd.array(["minutes"] * len(reason), dtype="string"),
        "reason": reason,
    }
    if of == "wearer":
        wearer = of_wearer(
            prepared,
            data["rate_per_min"],
            (terms.number, terms.size, terms.usable_s),
            lambda number, size: ratio(number, seconds_of(reading, number, size) / 60.0),
        )
        given = ~np.isnan(wearer.low)
        few = [f"{why}: the interval is of these minutes" if why else "" for why in wearer.reason]
        data |= {
            "low": np.where(given, wearer.low, data["low"]),
            "high": np.where(given, wearer.high, data["high"]),
            "of": pd.array(np.where(given, "wearer", "minutes"), dtype="string"),
            "reason": pd.array(
                [own or other for own, other in zip(reason, few, strict=True)], dtype="string"
            ),
            "days": wearer.days,
            "phi": wearer.phi,
            "n_effective": wearer.n_effective,
        }
    return data if noise is None else data | {"noise_per_min": noise.per_min}


def _check_correctable(frame: pd.DataFrame, reading: Reading) -> None:
    require_single_intervals(frame, "correct_noise")
    if reading.method == "counts":
        raise ConfigurationError(
            "correct_noise mends gaps that noise has broken, and method='counts' counts blinks over"
            " the time without noise: leave it out, or pass method='exponential'"
        )
    if reading.method == "blinks":
        raise ConfigurationError(
            "correct_noise mends gaps that noise has broken, and single blinks are counted over the"
            " time without noise: leave it out"
        )
    needed = log_named(reading.log).noise_reasons
    masks = [step for step in history(frame) if step["step"] in ("mask", "select")]
    kept = bool(masks) and all(needed <= set(step.get("allow", ())) for step in masks)
    if STORED in frame.columns and not kept:
        raise ConfigurationError(
            "correct_noise counts the onsets of noise, and this frame has lost its noisy intervals:"
            " pass the frame from before mask"
        )


@with_frame_options
def cleansings(
    frame: pd.DataFrame, *, by: By = None, **options: Unpack[FrameOptions]
) -> pd.DataFrame:
    """Return the blink rate of the 60-second log by each method and cleansing, side by side.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 60-second log with ``val_s``, ``nis_s`` and, of both cleansings, ``bk_n``,
        ``bki_n`` and ``bki_av``.
    by, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: that of `eyelog.blinks.rate`, then ``method`` (``counts``, ``exponential``,
        ``mean``, ``rms``) and ``cleansing`` (``strong``, ``weak``). The columns of
        `eyelog.blinks.rate`. Bins have no ``mean``.

    Raises
    ------
    FieldError
        If the frame lacks a field, or is the 15-second log, which has only one cleansing.

    Notes
    -----
    All are computed from the same minutes, not from independent samples, so their intervals do not
    show whether a difference exceeds chance. ``mean`` is right only for firmware before 2.2.0,
    ``exponential`` and ``rms`` only from 2.2.0 on; the records do not state the firmware.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.cleansings(el.sample("standard_mode_logs"))
    >>> rates = table.loc["all", "rate_per_min"]
    >>> bool(rates["counts", "strong"] < rates["counts", "weak"])
    True
    """
    opened = open_frame(frame, "blinks.cleansings", **options)
    which = opened.log
    if not log_named(which).has_cleansings:
        raise FieldError(
            "blinks.cleansings needs the 60-second log: the 15-second log has only one cleansing"
        )
    bins = is_resampled(frame)
    ways = [way for way in readings(which) if not (bins and way.method == "mean")]
    names = {name for way in ways for name in rate_fields(way, resampled=bins)}
    prepared = prepare(opened, sorted(names), by)
    tables = {
        (way.method, way.cleansing): pd.DataFrame(
            _columns(prepared, way), index=prepared.groups.labels
        )
        for way in ways
    }
    table = pd.concat(tables, names=["method", "cleansing"])
    # Keep the readings of one group together.
    turns = np.arange(len(table)).reshape(len(ways), -1).T.ravel()
    table = table.iloc[turns].reorder_levels([*range(2, table.index.nlevels), 0, 1])
    return derived(
        table,
        prepared.frame,
        "blinks.cleansings",
        log=which,
        interval_s=None,
        limits=opened.limits.details(),
    )
