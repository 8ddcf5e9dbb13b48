"""How many independent blinks a rate is based on, by block bootstrap."""

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.gaps import Cleansing
from eyelog.analysis.blinks.readings import (
    Method,
    rate_columns,
    rate_fields,
    reading_of,
    seconds_of,
    sums_of,
    terms_of,
)
from eyelog.analysis.grouped.groups import By, Groups, time_groups
from eyelog.analysis.grouped.reductions import ratio
from eyelog.analysis.grouped.summary import Prepared, as_counts, prepare, summary_table
from eyelog.analysis.limits import Limits
from eyelog.analysis.series.bootstrap import check_draws, interval, multiplicities
from eyelog.analysis.series.durations import duration_us
from eyelog.frame import is_resampled, log_of

__all__ = ["effective_n"]

LEAST_BLOCKS = 10


def effective_n(
    frame: pd.DataFrame,
    *,
    by: By = None,
    block: str = "10min",
    draws: int = 1000,
    seed: int = 0,
    method: Method | None = None,
    cleansing: Cleansing | None = None,
    limits: Limits | None = None,
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
) -> pd.DataFrame:
    """Return how many independent blinks the rate is based on, by block bootstrap.

    The buffers of neighbouring records overlap and the blink rate drifts, so blinks are not
    independent, and the exact Poisson interval of `eyelog.blinks.rate` is too narrow.

    Parameters
    ----------
    frame, by
        As in `eyelog.blinks.rate`.
    block : str
        Width of the blocks that are drawn; it should exceed the range of the dependence.
    draws : int
        Number of bootstrap samples, at least 100.
    seed : int
        Seed of the random generator: the same seed gives the same result.
    method, cleansing, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``n_effective``, ``rate_per_min``, ``low`` and ``high`` (2.5 and 97.5 percentiles of the
        draws), int64 ``n`` (blinks or gaps) and ``blocks`` (with usable time), float64
        ``exposure_min`` and ``coverage``, and string ``reason`` (why something is missing; else
        empty). The rate is missing whenever that of `eyelog.blinks.rate` is (3 usable minutes);
        ``n_effective``, ``low`` and ``high`` also with fewer than 10 blocks, or without a blink.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    Non-overlapping blocks of time are drawn with replacement (Carlstein 1986, Annals of
    Statistics 14:1171) and the rate is pooled from the sums of each draw: of blinks and usable
    seconds, or of gaps and their (squared) lengths, with one root at the end. The interval is a
    little narrow: for 48 blocks of a drifting rate it contains the planted mean rate in 90 to
    95.5 % of samples. A Poisson rate r based on n events
    has the variance r^2 / n; ``n_effective`` is the n at which that equals the variance of the
    draws. It can exceed n if blinks come more evenly than at random.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.effective_n(el.sample())
    >>> bool(table["n_effective"].iloc[0] < table["n"].iloc[0])
    True
    """
    which = log_of(frame, log)
    reading = reading_of(which, method, cleansing)
    duration_us(block, "block", sign="positive")
    check_draws(draws, seed)
    prepared = prepare(
        frame,
        rate_fields(reading, resampled=is_resampled(frame)),
        by,
        purpose="blinks.effective_n",
        log=which,
        limits=limits,
        judge=judge,
        stamp=stamp,
    )
    terms = terms_of(prepared.frame, reading)
    sums = sums_of(terms, prepared.groups)
    columns = rate_columns(reading, sums, min_valid_s=prepared.known.limits.seconds("min_valid"))
    rate, reason = columns["rate_per_min"], list(columns["reason"])
    blocks = _blocks(prepared, block, stamp)
    parts = sums_of(terms, blocks)
    data = {
        "n_effective": np.full(len(rate), np.nan),
        "rate_per_min": rate,
        "low": np.full(len(rate), np.nan),
        "high": np.full(len(rate), np.nan),
        "n": as_counts(sums.number),
        "blocks": np.zeros(len(rate), dtype=np.int64),
        "exposure_min": sums.usable_s / 60.0,
        "coverage": prepared.coverage(terms.present),
    }
    owner = np.asarray(blocks.labels, dtype=np.int64)
    for i in range(len(rate)):
        mine = (owner == i) & (parts.usable_s > 0)
        data["blocks"][i] = mine.sum()
        if reason[i]:
            continue
        if mine.sum() < LEAST_BLOCKS:
            reason[i] = f"fewer than {LEAST_BLOCKS} blocks: no interval"
            continue
        number, size = parts.number[mine], parts.size[mine]
        drawn = [
            ratio(times @ number, seconds_of(reading, times @ number, times @ size) / 60.0)
            for times in multiplicities(len(number), draws, seed + i)
        ]
        rates = np.concatenate(drawn)
        spread = float(np.nanvar(rates, ddof=1))
        if spread > 0:
            (data["low"][i],), (data["high"][i],) = interval(rates[:, None])
            data["n_effective"][i] = rate[i] ** 2 / spread
        else:
            reason[i] = "the blocks do not differ: no interval"
    return summary_table(
        data | {"reason": pd.array(reason, dtype="string")},
        prepared,
        "blinks.effective_n",
        block=str(block),
        draws=int(draws),
        seed=int(seed),
        **reading.details,
    )


def _blocks(prepared: Prepared, block: str, stamp: str) -> Groups:
    """Return groups that each contain one block of one group; labels name the group."""
    groups = prepared.groups
    of_time = time_groups(prepared.index, block, stamp=stamp, clock=prepared.clock)
    key = groups.codes * max(len(of_time), 1) + groups.arrange(of_time.codes)
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    owner = groups.codes[starts]
    bounds = np.append(starts, len(key)).astype(np.int64)
    return Groups(pd.Index(owner), bounds, groups.order, np.ones(len(starts)))
