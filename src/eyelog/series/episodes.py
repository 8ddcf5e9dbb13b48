"""Episodes: the stretches of time in which a condition holds without a break."""

import numpy as np
import pandas as pd

from eyelog.checks import duration_us
from eyelog.clock import stamps_at
from eyelog.errors import ConfigurationError
from eyelog.frame import derived, takes_tables
from eyelog.judge.arrays import runs
from eyelog.judge.limits import Limits
from eyelog.series.observed import column_of, rows_of


@takes_tables
def episodes(
    states: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    at_least: str | pd.Timedelta = "0s",
    limits: Limits | None = None,
    interval: str | None = None,
) -> pd.DataFrame:
    """Return the stretches of time in which a condition holds without a break.

    Parameters
    ----------
    states : Series or DataFrame
        A frame or another table indexed by time-zone aware stamps, or by dates; or one Series of
        true, false and missing values, such as ``days["steps"] > 8000``, whose stamps open their
        rows.
    column : str or Series, optional
        The condition for the rows of a table: a boolean column, or a Series such as
        ``masked["sc_fcs"] >= 60``. Columns of records are judged first.
    at_least : str or Timedelta
        Leave out shorter episodes.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        Length of one row, such as ``"15s"``. Default: of records that of their log, otherwise the
        smallest distance between neighbouring rows. Needed for a single row.

    Returns
    -------
    DataFrame
        One row per episode, in order of time. Columns: ``start`` (where the first interval opens),
        ``end`` (where the last one closes; both in the zone of the index, or dates), float64
        ``duration_min``, int64 ``n`` (rows). Without an episode the table is empty.

    Raises
    ------
    ConfigurationError
        If the condition is not boolean, is a Series of records without their frame, its index holds
        no stamps or dates in order, each once, or a duration is not valid.

    Notes
    -----
    An episode ends where the condition is missing and at a gap in the data, a row that comes more
    than one and a half rows after the one before: whether the condition held is unknown there.

    Examples
    --------
    >>> import eyelog as el
    >>> masked = el.mask(el.sample(), el.flag(el.sample()))
    >>> immersed = el.episodes(masked, masked["sc_fcs"] >= 60, at_least="5min")
    >>> bool((immersed["duration_min"] >= 5).all())
    True
    """
    condition = column if isinstance(column, pd.Series) else None
    if condition is None:
        condition = column_of(states, column, what="episodes")
    if not pd.api.types.is_bool_dtype(condition.dtype):
        raise ConfigurationError(
            "episodes takes a boolean column, or a condition such as masked['sc_fcs'] >= 60, not"
            f" {condition.dtype}"
        )
    least = duration_us(at_least, "at_least", example="5min")
    rows = rows_of(states, column, what="episodes", limits=limits, interval=interval)
    if not rows.step_us and rows.n:
        raise ConfigurationError(
            "cannot tell how long one row is from a single row: pass interval='15s' or '60s'"
        )
    firsts, lasts = runs(rows.values == 1.0, rows.us, rows.step_us)
    start, end = rows.opens_us[firsts], rows.closes_us[lasts]
    long = end - start >= least
    start, end, n = start[long], end[long], (lasts - firsts + 1)[long]
    table = pd.DataFrame(
        {
            "start": stamps_at(start, rows.index.tz),
            "end": stamps_at(end, rows.index.tz),
            "duration_min": (end - start) / 60e6,
            "n": n.astype(np.int64),
        }
    )
    return derived(table, states, "episodes", at_least_s=least / 1e6, interval_s=rows.step_us / 1e6)
