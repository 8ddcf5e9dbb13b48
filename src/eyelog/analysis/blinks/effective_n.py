"""How many independent blinks a rate is based on, by block bootstrap."""

from dataclasses import replace

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.gaps import Cleansing, Gaps, check_gaps, gap_fields, gap_totals
from eyelog.analysis.grouped.groups import By, Groups, time_groups
from eyelog.analysis.grouped.reductions import ratio
from eyelog.analysis.grouped.summary import Prepared, as_counts, prepare, summary_table
from eyelog.analysis.series.bootstrap import check_draws, multiplicities
from eyelog.analysis.series.durations import duration_us
from eyelog.frame import log_of

__all__ = ["effective_n"]


def effective_n(
    frame: pd.DataFrame,
    *,
    by: By = None,
    block: str = "10min",
    draws: int = 1000,
    seed: int = 0,
    cleansing: Cleansing = "strong",
    gaps: Gaps = "rms",
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
) -> pd.DataFrame:
    """Return how many independent blinks the rate is based on, by block bootstrap.

    The buffers of neighbouring records overlap and the blink rate drifts, so gaps are not
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
    cleansing, gaps, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), ``day``, ``date``, ``hour`` or the labels. Float64
        ``n_effective``, ``rate_per_min``, ``low`` and ``high`` (2.5 and 97.5 percentiles of the
        draws), int64 ``n`` (gaps) and ``blocks`` (with gaps), float64 ``exposure_min`` and
        ``coverage``. With fewer than 10 blocks ``n_effective``, ``low`` and ``high`` are missing.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame holds fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    Non-overlapping blocks of time are drawn with replacement (Carlstein 1986, Annals of
    Statistics 14:1171) and the rate is pooled from each draw. A Poisson rate r based on n events
    has the variance r^2 / n; ``n_effective`` is the n at which that equals the variance of the
    draws. It can exceed n where blinks come more evenly than at random.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.effective_n(el.sample())
    >>> bool(table["n_effective"].iloc[0] < table["n"].iloc[0])
    True
    """
    which = log_of(frame, log)
    check_gaps(gaps)
    duration_us(block, "block", sign="positive")
    check_draws(draws, seed)
    prepared = prepare(
        frame,
        gap_fields(which, cleansing),
        by,
        purpose="blinks.effective_n",
        log=which,
        judge=judge,
        stamp=stamp,
    )
    number, seconds, covered = gap_totals(prepared, cleansing, gaps)
    blocks = _blocks(prepared, block, stamp)
    n_of, s_of, _ = gap_totals(blocks, cleansing, gaps)
    data = {
        "n_effective": np.full(len(number), np.nan),
        "rate_per_min": ratio(number * 60.0, seconds),
        "low": np.full(len(number), np.nan),
        "high": np.full(len(number), np.nan),
        "n": as_counts(number),
        "blocks": np.zeros(len(number), dtype=np.int64),
        "exposure_min": seconds / 60.0,
        "coverage": covered,
    }
    owner = np.asarray(blocks.groups.labels, dtype=np.int64)
    for i in range(len(number)):
        mine = (owner == i) & (n_of > 0)
        data["blocks"][i] = mine.sum()
        if mine.sum() >= 10:
            blinks, minutes = n_of[mine], s_of[mine] / 60.0
            drawn = multiplicities(len(blinks), draws, seed + i)
            rates = np.concatenate([(times @ blinks) / (times @ minutes) for times in drawn])
            data["low"][i], data["high"][i] = np.quantile(rates, [0.025, 0.975])
            spread = rates.var(ddof=1)
            if spread > 0:
                data["n_effective"][i] = data["rate_per_min"][i] ** 2 / spread
    return summary_table(
        data, prepared, "blinks.effective_n", block=str(block), draws=int(draws), seed=int(seed)
    )


def _blocks(prepared: Prepared, block: str, stamp: str) -> Prepared:
    """Return the same frame in groups of one block of one group; labels say which group."""
    groups = prepared.groups
    of_time = time_groups(prepared.index, block, stamp=stamp)
    key = groups.codes * max(len(of_time), 1) + groups.arrange(of_time.codes)
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    owner = groups.codes[starts]
    bounds = np.append(starts, len(key)).astype(np.int64)
    seconds = np.ones(len(starts))
    pieces = Groups(pd.Index(owner), bounds, groups.order, seconds)
    return replace(prepared, groups=pieces)
