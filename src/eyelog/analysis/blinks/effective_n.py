"""How far blinks tell more than one another: block bootstrap, and both cleansings side by side."""

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.gaps import Cleansing, Gaps, check_gaps, gap_fields, gap_totals
from eyelog.analysis.grouped.groups import By, Groups, time_groups
from eyelog.analysis.grouped.reductions import ratio
from eyelog.analysis.grouped.summary import Opened, open_frame, summary_table, whole
from eyelog.analysis.series.arrays import Floats
from eyelog.analysis.series.durations import seconds_of
from eyelog.errors import ConfigurationError
from eyelog.frame import log_of

__all__ = ["effective_n"]

MOST_CELLS = 4_000_000


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
    """Return how many independent blinks the rate is worth, by block bootstrap.

    Buffers of neighbouring records overlap and blink rate drifts, so gaps are not independent and
    the exact Poisson interval of `eyelog.blinks.rate` is too narrow.

    Parameters
    ----------
    frame, by
        As in `eyelog.blinks.rate`.
    block : str
        Width of the blocks that are drawn; longer than the dependence that matters.
    draws : int
        How many times the blocks are drawn, at least 100.
    seed : int
        Of the generator: the same seed gives the same answer.
    cleansing, gaps, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), ``day``, ``date``, ``hour`` or the labels. Float64
        ``n_effective``, ``rate_per_min``, ``low`` and ``high`` (2.5 and 97.5 percentiles of the
        draws), int64 ``n`` (gaps) and ``blocks`` (with gaps), float64 ``exposure_min`` and
        ``coverage``. With fewer than 10 blocks the first, third and fourth are missing.

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
    Non-overlapping blocks of time are drawn with replacement (Carlstein 1986, Annals of
    Statistics 14:1171) and the rate is pooled anew. A Poisson rate r on n events has the variance
    r^2 / n; ``n_effective`` is the n for which that is the variance of the draws. It can exceed n
    where blinks come more evenly than at random.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.effective_n(el.sample())
    >>> bool(table["n_effective"].iloc[0] < table["n"].iloc[0])
    True
    """
    which = log_of(frame, log)
    check_gaps(gaps)
    seconds_of(block, "block")
    if draws < 100:
        raise ConfigurationError(f"draws must be at least 100, not {draws!r}")
    opened = open_frame(
        frame,
        gap_fields(which, cleansing),
        by,
        purpose="blinks.effective_n",
        log=which,
        judge=judge,
        stamp=stamp,
    )
    number, seconds, covered = gap_totals(opened, cleansing, gaps)
    blocks = _blocks(opened, block, stamp)
    n_of, s_of, _ = gap_totals(blocks, cleansing, gaps)
    data = {
        "n_effective": np.full(len(number), np.nan),
        "rate_per_min": ratio(number * 60.0, seconds),
        "low": np.full(len(number), np.nan),
        "high": np.full(len(number), np.nan),
        "n": whole(number),
        "blocks": np.zeros(len(number), dtype=np.int64),
        "exposure_min": seconds / 60.0,
        "coverage": covered,
    }
    owner = np.asarray(blocks.groups.labels, dtype=np.int64)
    generator = np.random.default_rng(seed)
    for i in range(len(number)):
        mine = (owner == i) & (n_of > 0)
        data["blocks"][i] = mine.sum()
        if mine.sum() >= 10:
            rates = _drawn(n_of[mine], s_of[mine] / 60.0, draws, generator)
            data["low"][i], data["high"][i] = np.quantile(rates, [0.025, 0.975])
            spread = rates.var(ddof=1)
            if spread > 0:
                data["n_effective"][i] = data["rate_per_min"][i] ** 2 / spread
    return summary_table(
        data, opened, "blinks.effective_n", block=str(block), draws=int(draws), seed=int(seed)
    )


def _blocks(opened: Opened, block: str, stamp: str) -> Opened:
    """Return the same frame in groups of one block of one group; labels say which group."""
    groups = opened.groups
    of_time = time_groups(opened.frame.index, block, stamp=stamp)  # type: ignore[arg-type]  # sorted_frame saw stamps
    key = groups.codes * max(len(of_time), 1) + groups.arrange(of_time.codes)
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    owner = groups.codes[starts]
    bounds = np.append(starts, len(key)).astype(np.int64)
    seconds = np.ones(len(starts))
    pieces = Groups(pd.Index(owner), bounds, groups.order, seconds)
    return Opened(opened.frame, opened.log, pieces, opened.records)


def _drawn(number: Floats, minutes: Floats, draws: int, generator: np.random.Generator) -> Floats:
    """Return the pooled rate of each draw of the blocks."""
    size = len(number)
    share = np.full(size, 1.0 / size)
    at_once = max(1, MOST_CELLS // size)
    rates = []
    for first in range(0, draws, at_once):
        times = generator.multinomial(size, share, size=min(at_once, draws - first))
        rates.append((times @ number) / (times @ minutes))
    return np.concatenate(rates)
