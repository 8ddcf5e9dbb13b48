"""The app's 15-second log against the rows that it was made from."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.opening import open_frame
from eyelog.analysis.intervals import all_rows, measured_intervals, windows
from eyelog.analysis.limits import Limits, limit
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.analysis.series.packets import PACKET_US
from eyelog.catalogue import COMPUTED_DATA, catalogue, log_named
from eyelog.clock import microseconds
from eyelog.errors import ConfigurationError
from eyelog.frame import OFFSET, require_single_intervals
from eyelog.provenance import derived

__all__ = ["logs"]

CLOSE: Final = 0.1  # values that differ by less, in the unit of the field, are called equal


def logs(
    current: pd.DataFrame,
    fifteen: pd.DataFrame,
    *,
    limits: Limits | None = None,
) -> pd.DataFrame:
    """Return, field by field, where the app's 15-second log differs from the 20 Hz rows.

    Parameters
    ----------
    current : DataFrame
        A frame of the 20 Hz log (``current_data``), as it was read.
    fifteen : DataFrame
        The app's 15-second log (``computed_data``) of the same recording, as it was read.
    limits : Limits, optional
        What counts as worn, for the intervals between blinks, see `eyelog.Limits`.

    Returns
    -------
    DataFrame
        Index ``field``: the fields that both have, in catalogue order. String ``unit``, int64 ``n``
        (records with a value in both), float64 ``mean_current`` and ``mean_fifteen`` (their means
        over these records), ``bias`` (the mean of the app's value minus that of the rows),
        ``difference_sd`` (SD of the differences; missing for fewer than two), ``equal_share`` (in
        which the two differ by less than 0.1), ``repeated_share`` (of the records of the app with a
        value and a neighbour just before, those that repeat its value although that of the rows
        changed or is missing: the app's buffer), ``only_fifteen`` (the number of records in which
        the app has a value and the rows give none). Booleans count as 0 and 1.

    Raises
    ------
    ConfigurationError
        If the first frame is of another log, one is resampled, or the two share no record.
    MixedLogsError
        If the second frame is of another log.

    Notes
    -----
    Each record of the app is compared with the rows of its own 15 seconds, those up to its stamp,
    as `eyelog.intervals` summarises them. Records with less than nine tenths of their packets are
    left out. The app takes averages of blinks from a buffer of the latest ones, so they repeat
    while nobody blinks; that is not an error of either log.

    Examples
    --------
    >>> import eyelog as el
    >>> day = ("2026-10-20", 1)
    >>> current = el.simulate(*day, log="current_data").iloc[:72_000]
    >>> table = el.compare.logs(current, el.simulate(*day))
    >>> bool(table.loc["bkh_av", "repeated_share"] > table.loc["stp", "repeated_share"])
    True
    """
    rows = all_rows(current, "compare.logs", limits=limits)
    require_single_intervals(fifteen, "compare.logs")
    fifteen = open_frame(fifteen, "compare.logs", log=COMPUTED_DATA).frame
    closes_us = microseconds(cast(pd.DatetimeIndex, fifteen.index))
    groups = windows(rows, closes_us)
    packets = log_named(COMPUTED_DATA).interval_us / PACKET_US
    whole = groups.sizes >= limit(rows.known.log, "packets_of_interval").value * packets
    if not whole.any():
        raise ConfigurationError(
            "compare.logs: the two frames share no record of 15 s: pass both logs of one recording"
        )
    made = measured_intervals(rows, groups)
    next_to = np.append(False, np.diff(closes_us) < 1.5 * log_named(COMPUTED_DATA).interval_us)
    names = [
        name
        for name in catalogue(COMPUTED_DATA)
        if name in made.columns and name in fifteen.columns and name != OFFSET
    ]
    table = pd.DataFrame(
        [
            {"unit": catalogue(COMPUTED_DATA)[name].unit}
            | _compared(numbers(made[name]), numbers(fifteen[name]), whole, next_to & whole)
            for name in names
        ],
        index=pd.Index(names, name="field", dtype="str"),
    ).astype({"unit": "string"})
    return derived(
        table,
        rows.opened.frame,
        "compare.logs",
        interval_s=None,
        limits=rows.known.limits.details(),
    )


def _compared(
    rows: Floats, app: Floats, whole: np.ndarray[Any, Any], next_to: np.ndarray[Any, Any]
) -> dict[str, Any]:
    """Return a line of the table, of the `whole` records; `next_to` those with one just before."""
    both = whole & ~np.isnan(rows) & ~np.isnan(app)
    n = int(both.sum())
    apart = app[both] - rows[both]
    before = np.append(np.nan, app[:-1]), np.append(np.nan, rows[:-1])
    paired = next_to & ~np.isnan(app) & ~np.isnan(before[0])
    again = paired & (app == before[0]) & ~(rows == before[1])
    nan = float("nan")
    return {
        "n": n,
        "mean_current": float(rows[both].mean()) if n else nan,
        "mean_fifteen": float(app[both].mean()) if n else nan,
        "bias": float(apart.mean()) if n else nan,
        "difference_sd": float(apart.std(ddof=1)) if n > 1 else nan,
        "equal_share": float((np.abs(apart) < CLOSE).mean()) if n else nan,
        "repeated_share": float(again.sum() / paired.sum()) if paired.any() else nan,
        "only_fifteen": int((whole & np.isnan(rows) & ~np.isnan(app)).sum()),
    }
