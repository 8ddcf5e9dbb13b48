"""How regularly states repeat from one day to the next."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from eyelog.clock import DAY_US
from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.judge.arrays import MISSING
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import shown
from eyelog.series.observed import observed
from eyelog.series.rhythm.active_hours import (
    night_doubt,
)


@shown("Sleep regularity")
class Regularity(NamedTuple):
    """Sleep regularity index and the pairs of states 24 h apart behind it."""

    sri: float
    pairs: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def sleep_regularity(
    states: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    night_worn: bool = False,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Regularity:
    """Return how likely the same state is 24 hours later, from -100 to 100.

    Parameters
    ----------
    states : Series or DataFrame
        True, False or missing per epoch (asleep or not), aware stamps; or a table that has them as
        a column. Pairs in which one is missing are left out.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    night_worn : bool
        Confirm that the eyewear was worn at night; see `least_active`.
    limits, interval, exposure : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    Regularity
        ``sri``, ``pairs``, ``n``, ``exposure_h``, ``coverage``, ``reason`` if refused.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

    Notes
    -----
    ``SRI = -100 + 200 P(same state 24 h apart)`` (Phillips et al. 2017; Windred et al. 2021).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> hours = pd.date_range("2026-10-19", periods=72, freq="h", tz="UTC")
    >>> asleep = pd.Series(hours.hour < 7, index=hours)
    >>> el.rhythm.sleep_regularity(asleep, night_worn=True).sri
    100.0
    """
    seen = observed(
        states, column, what="sleep_regularity", limits=limits, interval=interval, exposure=exposure
    )
    if not np.isin(seen.values, (0.0, 1.0)).all():
        raise ConfigurationError("sleep_regularity takes states: True, False or missing")
    us = seen.index.as_unit("us").asi8
    later = np.searchsorted(us, us + DAY_US)
    inside = later < len(us)
    paired = np.zeros(len(us), dtype=bool)
    paired[inside] = us[later[inside]] == us[inside] + DAY_US
    same = seen.values[paired] == seen.values[later[paired]]
    pairs = int(paired.sum())
    reason = "" if night_worn else night_doubt(seen)
    if not reason and pairs == 0:
        reason = "no two states 24 hours apart were observed"
    value = MISSING if reason else float(-100 + 200 * same.mean())
    return Regularity(value, pairs, seen.n, seen.exposure_h, seen.coverage, reason)
