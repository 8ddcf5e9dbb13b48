"""Blinks: rate with its exposure and interval, strength, duration, bursts.

Blinks under noise are lost, so rates are computed from noise-free gaps between blinks (15-second
log) or from blinks counted over the seconds free of noise (60-second log), never from counts over
clock time. Sums are pooled, never rates.
"""

from functools import cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eyelog.catalogue import STANDARD_MODE_LOGS, known_logs, log_named, role
from eyelog.checks import one_of
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import STORED, derived, require, takes_tables
from eyelog.judge.arrays import Floats
from eyelog.judge.intervals import enter
from eyelog.judge.limits import Limits, limit
from eyelog.judge.packets import SINGLE
from eyelog.judge.terms import CLEANSINGS, UNDER, Columns, ratio
from eyelog.measure.events20 import events
from eyelog.measure.groups import (
    FORMS,
    GROUP_S,
    PER_MIN,
    STATISTICS,
    By,
    Statistic,
    as_counts,
    evaluate,
    result,
    summed,
)
from eyelog.measure.wearer import OF, Of, of_wearer

__all__ = ["bursts", "cleansings", "duration", "events", "rate", "strength"]


def __dir__() -> list[str]:
    return __all__


Method = Literal["gaps", "counts", "exponential", "rms", "mean", "blinks"]
Cleansing = Literal["strong", "weak"]

NO_BLINK: Final = limit(STANDARD_MODE_LOGS, "no_blink")
MEASURED: Final = ("measured_s", "noise_s")
# What each method reads: the roles of its fields, and its columns of Intervals.
AVERAGES: Final = (*MEASURED, "gap_count", "gap_mean")
READINGS: Final = {
    "blinks": (SINGLE, ("blink_n", "blink_s", "blink_s", "blink_s")),
    "gaps": (("gap_count", "gap_total"), ("gap_n", "gap_s", "gap_s", "gap_seen_s")),
    "counts": ((*MEASURED, "blink_count"), ("blink_n", "blink_s", "blink_s", "blink_seen_s")),
    "mean": (AVERAGES, ("gap_n", "gap_s", "gap_usable_s", "gap_seen_s")),
    "rms": (AVERAGES, ("gap_n", "gap_s2", "gap_usable_s", "gap_seen_s")),
    "exponential": (AVERAGES, ("gap_n", "gap_s2", "gap_usable_s", "gap_seen_s")),
}
# The cleansing that each takes by default.
CLEANSING_OF: Final = {"counts": "weak", "mean": "strong", "rms": "strong", "exponential": "strong"}
# Root mean square / mean: at least 1, and the square root of 2 for an exponential distribution.
GAP_SHAPE: Final = {"rms": 1.0, "exponential": 2.0**0.5}


@takes_tables
def rate(
    frame: pd.DataFrame,
    *,
    by: By = None,
    of: Of = "minutes",
    correct_noise: bool = False,
    method: Method | None = None,
    cleansing: Cleansing | None = None,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the blink rate per minute, with its interval and its exposure.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log. 15-second log: ``bki_n`` and ``bki_sum``. 60-second log: ``val_s`` and
        ``nis_s`` with ``bk_n`` of one cleansing (``lc_bk_n`` by default) or, for the methods that
        read gaps, ``bki_n`` and ``bki_av``.
    by : None, str, Series, array or list, optional
        None: one row for all. ``"day"``, ``"week"``, ``"hour"``, ``"weekday"`` (0 is Monday),
        ``"weekend"`` (``weekday`` or ``weekend``); a width (``"10min"``, ``"1h"``): bins with
        records. The name of a column, a Series or an array: a label for each row (the context).
        Several of these in a list: their combinations.
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
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    day_starts : str, optional
        When a day starts, as in `eyelog.daily`.

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
        for the wearer, for counts, or for a frame that has lost its noisy intervals to
        `eyelog.mask`.
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.

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
    It needs five days. The error grows by the autocorrelation of the days (`phi`), shrunk towards
    .3; how often the interval contains the wearer's rate is in the table of the definitions. If it
    cannot be given, the row has the interval of the minutes, and ``of`` and ``reason`` say so.

    A gap in which noise sets in is lost. Long gaps are lost more often, so the gaps that remain are
    short: if blinks come at rate r and noise at rate l, both exponential, their mean is 1/(r + l).
    The correction subtracts l, which is estimated from the records before masking, in intervals
    that follow an interval free of noise: the share of them with noise is 1 - exp(-l t) for
    intervals of t seconds. Gaps of noisy intervals are pooled too: they are themselves free of
    noise, and the loss would differ without them; so the corrected rate is that of all seconds
    without noise. The interval combines both intervals (Zou & Donner 2008, Statistics in Medicine
    27:1693) and contains the planted rate in 95 % of samples. If noise comes in spells (meals), too
    few onsets are counted: the rate of a simulated week is up to 2 % too high.

    Intervals hold the sums of every method, so their rates are those of their records.

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
    one_of(of, "of", OF)
    if correct_noise and of == "wearer":
        raise ConfigurationError(
            "correct_noise gives the interval of these minutes alone: leave out of='wearer', or"
            " correct_noise"
        )
    subjects = ["blinks", "readings", *(["noise_onsets"] if correct_noise else [])]
    rows = enter(frame, "blinks.rate", subjects, limits=limits, log=log, day_starts=day_starts)
    reading = reading_of(rows.log, method, cleansing)
    if correct_noise:
        if reading.method in ("counts", "blinks"):
            raise ConfigurationError(
                "correct_noise mends gaps that noise has broken, and this method counts blinks over"
                " the time without noise: leave it out, or pass method='exponential'"
            )
        if f"onset_n{reading.after}" not in rows.names:
            if STORED in rows.given.columns:
                raise ConfigurationError(
                    "correct_noise counts the onsets of noise, and this frame has lost its noisy"
                    " intervals: pass the frame from before mask"
                )
            require(rows.given, role(rows.log, "noise_s"), purpose=rows.what)
        # Of all gaps, those of noisy records too.
        reading = reading_of(rows.log, method, cleansing, UNDER)
    side = reading.cleansing or None
    groups, total = summed(rows, by, subjects, reading.sums, reading.roles, side)
    noise = _onsets(total, reading, rows.log) if correct_noise else None
    data = rate_columns(reading, total, rows.limits.seconds("min_valid"), noise)
    if of == "wearer":
        how = reading.statistic, reading.sums[2]
        wearer = of_wearer(rows, groups, subjects, data["rate_per_min"], *how)
        given = ~np.isnan(wearer["low"])
        few = [why and f"{why}: the interval is of these minutes" for why in wearer["reason"]]
        reasons = [own or other for own, other in zip(data["reason"], few, strict=True)]
        for name in ("low", "high", "of"):
            data[name] = pd.Series(wearer[name]).where(given, pd.Series(data[name])).array
        data["reason"] = pd.array(reasons, dtype="string")
        data |= {name: wearer[name] for name in ("days", "phi", "n_effective")}
    if noise is not None:
        data["noise_per_min"] = noise[0]
    details = {"of": of, "correct_noise": correct_noise, "method": reading.method}
    if reading.cleansing:
        details["cleansing"] = reading.cleansing
    return result(rows, groups, data, **details)


@takes_tables
def cleansings(
    frame: pd.DataFrame,
    *,
    by: By = None,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the blink rate of the 60-second log by each method and cleansing, side by side.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 60-second log with ``val_s``, ``nis_s`` and, of both cleansings, ``bk_n``,
        ``bki_n`` and ``bki_av``.
    by, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: that of `eyelog.blinks.rate`, then ``method`` (``counts``, ``exponential``,
        ``mean``, ``rms``) and ``cleansing`` (``strong``, ``weak``). The columns of
        `eyelog.blinks.rate`.

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
    subjects = ["blinks", "readings"]
    rows = enter(
        frame, "blinks.cleansings", subjects, limits=limits, log=log, day_starts=day_starts
    )
    if not (rows.log and log_named(rows.log).has_cleansings):
        raise FieldError(
            "blinks.cleansings needs the 60-second log: the other logs have only one cleansing"
        )
    methods = log_named(rows.log).rate_methods
    ways = [reading_of(rows.log, method, side) for method in methods for side in CLEANSINGS]
    terms = [name for way in ways for name in way.statistic.sums]
    roles = {part for way in ways for part in way.roles}
    groups, total = summed(rows, by, subjects, terms, roles)
    tables = {}
    for way in ways:
        data = rate_columns(way, total, rows.limits.seconds("min_valid"))
        tables[way.method, way.cleansing] = pd.DataFrame(data, index=groups.labels)
    table = pd.concat(tables, names=["method", "cleansing"])
    # Keep the readings of one group together.
    turns = np.arange(len(table)).reshape(len(ways), -1).T.ravel()
    table = table.iloc[turns].reorder_levels([*range(2, table.index.nlevels), 0, 1])
    used = rows.limits.details()
    return derived(table, rows.frame, rows.what, log=rows.log, interval_s=None, limits=used)


@takes_tables
def strength(
    frame: pd.DataFrame,
    *,
    by: By = None,
    cleansing: Cleansing = "strong",
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the mean blink strength, weighted by the number of blinks, with its spread.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with blink count, mean strength and its SD (``bk_n``, ``bkh_av``,
        ``bkh_sd``; with the prefix of the cleansing in the 60-second log), or of the 20 Hz log.
    by, cleansing, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``strength_uv`` (uV-equivalent), ``strength_sd_uv`` (typical SD within intervals),
        ``strength_sd_between_uv`` (SD of the means of intervals), ``strength_sd_total_uv`` (SD of
        all blinks taken together), int64 ``n`` (blinks), float64 ``exposure_min`` (minutes of
        records in which blinks could be judged) and ``coverage`` (share of the expected records).

    Notes
    -----
    SDs pool as sqrt(sum(n s^2) / sum(n)). The variance of all blinks is the square of that plus
    the variance between the intervals, sum(n (m - M)^2) / sum(n). Intervals without an SD are left
    out of all three SDs, so that their squares always add up. In the 20 Hz log blinks are single:
    there is one SD, that of all blinks that count (with n - 1), and the other two are missing.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.strength(el.sample(), by="1D")
    >>> bool((table["strength_sd_total_uv"] >= table["strength_sd_between_uv"]).all())
    True
    """
    options = {"limits": limits, "log": log, "day_starts": day_starts}
    return _of_cleansing(frame, "strength", by, cleansing, **options)


@takes_tables
def duration(
    frame: pd.DataFrame,
    *,
    by: By = None,
    cleansing: Cleansing = "strong",
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the mean blink duration, weighted by the number of blinks, with its spread.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with blink count and mean duration (``bk_n``, ``bkw_av``); in the
        60-second log with the prefix of the cleansing, and the SD ``bkw_sd``; or one of the 20 Hz
        log.
    by, cleansing, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        That of `eyelog.blinks.strength`, with float64 ``duration_ms``, ``duration_sd_ms``,
        ``duration_sd_between_ms`` and ``duration_sd_total_ms`` instead of the strengths. The
        15-second log has no SD within an interval, so ``duration_sd_ms`` and
        ``duration_sd_total_ms`` are missing there.

    Examples
    --------
    >>> import eyelog as el
    >>> el.blinks.duration(el.sample("standard_mode_logs"))["duration_ms"].between(90, 250).all()
    np.True_
    """
    options = {"limits": limits, "log": log, "day_starts": day_starts}
    return _of_cleansing(frame, "duration", by, cleansing, **options)


@takes_tables
def bursts(
    frame: pd.DataFrame,
    *,
    by: By = None,
    cleansing: Cleansing = "strong",
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the burst share: bursts (several blinks within a second) per blink.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 60-second log with ``bk_n`` and ``bkg_n`` of the cleansing, or of the 20 Hz
        log.
    by, cleansing, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``burst_share`` (bursts / blinks; missing without blinks), int64 ``bursts``, int64 ``n``
        (blinks), float64 ``exposure_min`` (minutes of records in which both were counted) and
        ``coverage`` (share of the expected records).

    Raises
    ------
    FieldError
        If the frame lacks a field it needs, or is the 15-second log, which counts no bursts.

    Notes
    -----
    In the 20 Hz log a burst is a run of blinks that count, each within a second of the one before
    (`eyelog.blinks.events`).

    Examples
    --------
    >>> import eyelog as el
    >>> float(el.blinks.bursts(el.sample("standard_mode_logs"))["burst_share"].iloc[0]) < 0.5
    True
    """
    options = {"limits": limits, "log": log, "day_starts": day_starts}
    return _of_cleansing(frame, "bursts", by, cleansing, **options)


def _of_cleansing(
    frame: pd.DataFrame, noun: str, by: By, cleansing: str, **options: Any
) -> pd.DataFrame:
    """Return the statistics of the blinks of one cleansing; none of another stands in for them."""
    one_of(cleansing, "cleansing", CLEANSINGS)
    subjects, needs = ["shape", "weak_shape"], [f"{noun}_n", f"{noun}_seen_s"]
    parts: tuple[str, ...] = ("blink_count", f"blink_{noun}", f"blink_{noun}_sd")
    bursts = noun == "bursts"
    if bursts:
        subjects, needs, parts = [noun], ["burst_n"], ("blink_count", "burst_count")
    rows = enter(frame, f"blinks.{noun}", subjects, **options)
    kind = log_named(rows.log) if rows.log else None
    two, single = bool(kind and kind.has_cleansings), bool(kind and kind.numbers_packets)
    if bursts and kind and not (two or single):
        raise FieldError(
            "blinks.bursts needs the 60-second log or the 20 Hz log: the 15-second log counts no"
            " bursts"
        )
    # The names of strong blinks have no ending where they are those of the other logs too.
    after = f"_{cleansing}" if two and (cleansing == "weak" or bursts) else ""
    side = cleansing if two else None
    needed = [f"{name}{after}" for name in needs]
    groups, total = summed(rows, by, subjects, needed, SINGLE if single else parts, side)
    own = {name.removesuffix(after): total[name] for name in total if name.endswith(after)}
    own |= {GROUP_S: groups.seconds}
    if single and not bursts:
        own[f"{noun}_blinks"] = own[f"{noun}_n"]
    statistics = STATISTICS[f"blinks.{noun}"]
    data = {each.name: np.full(len(groups.labels), np.nan) for each in statistics}
    return result(rows, groups, data | evaluate(statistics, own), cleansing=side)


class Reading(NamedTuple):
    """One way to read a blink rate off a log, and the columns of Intervals that it takes.

    Attributes
    ----------
    method, cleansing : str
        The method, and which blinks of the 60-second log; empty for the other logs.
    roles : tuple of str
        The fields that it is made from, by their roles.
    statistic : Statistic
        The rate: of the average gap, n over its total; of root mean squares, their inverse.
    sums : tuple of str
        Blinks or gaps, their total in seconds or seconds squared, the seconds in which they could
        be counted, and those of the records in which they were.
    """

    method: str
    cleansing: str
    roles: tuple[str, ...]
    statistic: Statistic
    sums: tuple[str, ...]

    @property
    def after(self) -> str:
        """The ending of the names of columns."""
        return f"_{self.cleansing}" if self.cleansing else ""


@cache
def reading_of(
    log: str, method: str | None = None, cleansing: str | None = None, before: str = ""
) -> Reading:
    """Return a reading, by default the log's: counts with weak cleansing for the 60-second log.

    `before` is what the names of its columns begin with.

    Raises
    ------
    ConfigurationError
        If the log has no such method, or there is no such cleansing.
    """
    methods = log_named(log).rate_methods if log else ()
    if not methods:
        having = " or ".join(repr(each) for each in known_logs() if log_named(each).rate_methods)
        given = repr(log) if log else "a table without its blinks"
        raise ConfigurationError(f"{given} gives no blink rate: pass a frame of {having}")
    method = methods[0] if method is None else method
    if method not in methods:
        ways = " or ".join(repr(way) for way in methods)
        raise ConfigurationError(f"method must be {ways} for {log!r}, not {method!r}")
    if cleansing is not None:
        one_of(cleansing, "cleansing", CLEANSINGS)
    side = (cleansing or CLEANSING_OF[method]) if method in CLEANSING_OF else ""
    roles, names = READINGS[method]
    sums = tuple(f"{before}{name}{side and '_'}{side}" for name in names)
    shape = GAP_SHAPE.get(method)
    form, times = ("root", 60.0 * shape) if shape else ("ratio", 60.0)
    rate = Statistic("rate_per_min", form, sums[:2], times)
    return Reading(method, side, roles, rate, sums)


def garwood(events: Floats, exposure: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the exact Poisson interval of a rate, events per exposure (Garwood 1936)."""
    tail = (1.0 - level) / 2.0
    # Not defined without events: then the lower limit is 0.
    some = np.where(events > 0, events, np.nan)
    # Quantiles of chi2 / 2, without all of scipy.stats, which takes a second to import.
    below = np.asarray(scipy.special.gammaincinv(some, tail), dtype=np.float64)
    low = np.where(events == 0, 0.0, below)
    high = np.asarray(scipy.special.gammaincinv(events + 1.0, 1.0 - tail), dtype=np.float64)
    return ratio(low, exposure), ratio(high, exposure)


Onsets = tuple[Floats, Floats, Floats]
"""Onsets of noise per noise-free minute, with a 95 % interval; missing if not countable."""


def _onsets(total: Columns, reading: Reading, log: str) -> Onsets:
    """Return how often noise sets in: the share of records after a quiet one that have noise.

    The share is 1 - exp(-l t) for records of t seconds, with the interval of Clopper & Pearson.
    """
    noisy, every = total[f"onset_n{reading.after}"], total[f"onset_of_n{reading.after}"]
    quiet, length = every - noisy, log_named(log).interval_s
    # Clopper & Pearson 1934; beta has no parameter 0, where the limit is 0 or 1.
    low = np.where(noisy > 0, scipy.special.betaincinv(noisy, quiet + 1.0, 0.025), 0.0)
    high = np.where(quiet > 0, scipy.special.betaincinv(noisy + 1.0, quiet, 0.975), 1.0)

    def per_min(shares: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.where(shares < 1, -np.log1p(-shares) * 60.0 / length, np.nan)

    return per_min(ratio(noisy, every)), per_min(low), per_min(high)


def rate_columns(
    reading: Reading, total: Columns, min_valid_s: float, noise: Onsets | None = None
) -> dict[str, Any]:
    """Return the columns of a rate of these minutes, with why it is missing.

    60 * sum(n) / sum(s). If no blink was counted in 10 usable minutes or more, the counter stood
    still and there is no rate; in 3 to 10 minutes, 0 is a rate with its interval. The part of the
    rate due to `noise` is subtracted; the interval of the difference combines both intervals (Zou &
    Donner 2008, Statistics in Medicine 27:1693).
    """
    _, form, _, times = reading.statistic
    number, size, usable_s = (np.nan_to_num(total[name]) for name in reading.sums[:3])
    per_min = times * FORMS[form](number, size)
    minutes = np.where(number > 0, ratio(number, per_min), size / 60.0)
    enough = (usable_s >= min_valid_s) & (usable_s > 0)
    mute = (number == 0) & NO_BLINK.keeps(usable_s) & (reading.method == "counts")
    good = enough & ~mute & (minutes > 0)
    low, high = garwood(number, minutes)
    reason: npt.NDArray[np.object_] = np.full(len(good), "", dtype=object)
    for i in np.flatnonzero(~good):
        usable = np.floor(usable_s[i] / 6.0) / 10.0  # rounded down: 2.96 is not 3
        if mute[i]:
            reason[i] = f"no blink in {usable:g} usable minutes: no measurement"
        elif enough[i]:
            reason[i] = f"no gap was measured in {usable:g} usable minutes"
        else:
            reason[i] = f"too little usable time: {usable:g} of {min_valid_s / 60:g} minutes"
    if noise is not None:
        noise_per_min, least, most = noise
        fair = per_min - noise_per_min
        low = fair - np.hypot(per_min - low, most - noise_per_min)
        high = fair + np.hypot(high - per_min, noise_per_min - least)
        per_min = fair
        reason[good & np.isnan(noise_per_min)] = (
            "no quiet interval follows another: the onsets of noise cannot be counted"
        )
    seen_share = FORMS["share"](total[reading.sums[3]], total[GROUP_S])
    return {
        "rate_per_min": np.where(good, np.maximum(per_min, 0.0), np.nan),
        "low": np.where(good, np.maximum(low, 0.0), np.nan),
        "high": np.where(good, np.maximum(high, 0.0), np.nan),
        "n": as_counts(number),
        "exposure_min": usable_s * PER_MIN,
        "coverage": seen_share,
        "of": pd.array(["minutes"] * len(good), dtype="string"),
        "reason": pd.array(reason, dtype="string"),
    }
