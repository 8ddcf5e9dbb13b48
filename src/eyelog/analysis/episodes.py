"""Episodes: the stretches of time in which a condition holds without a break."""

import numpy as np
import pandas as pd

from eyelog.analysis.series.durations import duration_us
from eyelog.analysis.series.observed import rows_of, stamps_at
from eyelog.analysis.series.runs import runs
from eyelog.errors import ConfigurationError
from eyelog.provenance import derived

__all__ = ["episodes"]


def episodes(
    condition: pd.Series,
    *,
    at_least: str | pd.Timedelta = "0s",
    stamp: str | None = None,
    interval: str | None = None,
) -> pd.DataFrame:
    """Return the stretches of time in which a condition holds without a break.

    Parameters
    ----------
    condition : Series of bool or boolean
        Indexed by time-zone aware stamps, or by dates, such as ``masked["sc_fcs"] >= 60``.
    at_least : str or Timedelta
        Leave out shorter episodes.
    stamp : {"end", "start"}, optional
        Whether a stamp closes or opens its interval. Default: ``"end"`` (a record stamped 10:00:00
        covers the interval before it); dates open their days.
    interval : str, optional
        Length of one row, such as ``"15s"``. Default: the smallest distance between neighbouring
        rows. Needed for a single row.

    Returns
    -------
    DataFrame
        One row per episode, in order of time. Columns: ``start`` (where the first interval opens),
        ``end`` (where the last one closes; both in the zone of the index, or dates), float64
        ``duration_min``, int64 ``n`` (rows). Without an episode the table is empty.

    Raises
    ------
    ConfigurationError
        If the condition is not boolean, its index holds no stamps or dates in order, each once, a
        duration is not valid, or the history states another `stamp`.

    Notes
    -----
    An episode ends where the condition is missing and at a gap in the data, a row that comes more
    than one and a half rows after the one before: whether the condition held is unknown there.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.mask(el.sample(), el.flag(el.sample()))
    >>> immersed = el.episodes(frame["sc_fcs"] >= 60, at_least="5min")
    >>> bool((immersed["duration_min"] >= 5).all())
    True
    """
    _check(condition)
    least = duration_us(at_least, "at_least", example="5min")
    rows = rows_of(condition, what="episodes", stamp=stamp, interval=interval)
    index, step = rows.index, rows.step_us
    if not step and len(index):
        raise ConfigurationError(
            "cannot tell how long one row is from a single row: pass interval='15s' or '60s'"
        )
    stamps = index.as_unit("us").asi8
    firsts, lasts = runs(rows.values == 1.0, stamps, step)
    start, end = stamps[firsts] - step, stamps[lasts]
    if rows.stamp == "start":
        start, end = start + step, end + step
    long = end - start >= least
    start, end, n = start[long], end[long], (lasts - firsts + 1)[long]

    table = pd.DataFrame(
        {
            "start": stamps_at(start, index.tz),
            "end": stamps_at(end, index.tz),
            "duration_min": (end - start) / 60e6,
            "n": n.astype(np.int64),
        }
    )
    return derived(table, condition, "episodes", at_least_s=least / 1e6, interval_s=step / 1e6)


def _check(condition: object) -> None:
    if not isinstance(condition, pd.Series) or not pd.api.types.is_bool_dtype(condition.dtype):
        raise ConfigurationError(
            "episodes takes a boolean Series, such as frame['sc_fcs'] >= 60, not"
            f" {getattr(condition, 'dtype', type(condition).__name__)}"
        )
