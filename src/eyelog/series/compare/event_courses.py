"""The course of each single event; `events` gives their mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from eyelog.clock import stamps_at
from eyelog.frame import derived, takes_tables
from eyelog.judge.arrays import difference
from eyelog.judge.limits import Limits
from eyelog.series.compare.event_rows import Length, open_columns


@takes_tables
def event_courses(
    frame: pd.DataFrame | pd.Series,
    times: Sequence[Any] | pd.DatetimeIndex | pd.Series,
    *,
    before: Length,
    after: Length,
    fields: str | Sequence[str] | None = None,
    every: Length | None = None,
    baseline: tuple[Length, Length] | None = None,
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Return the course of each field around each single event.

    `eyelog.compare.events` gives the mean of these courses over events, with a band.

    Parameters
    ----------
    frame : DataFrame or Series
        A frame of one log (or one that `eyelog.resample` has made), or one Series of numbers with
        aware stamps.
    times : sequence of aware stamps
        When the events happened, in any order, each once.
    before, after : str or Timedelta
        As in `eyelog.compare.events`.
    fields : str or sequence of str, optional
        The fields of the frame. Default: all documented numbers and booleans about the wearer.
    every, baseline, limits, log
        As in `eyelog.compare.events`.

    Returns
    -------
    DataFrame
        Index ``field``, ``event`` (aware stamp) and ``offset`` (timedelta: where the bin closes,
        counted from the event). Float64 columns in the unit of the field per row: ``value``, and
        ``change`` from the event's own baseline. Missing if the bin, or the baseline, has no value.

    Raises
    ------
    FieldError, MixedLogsError, ConfigurationError
        As in `eyelog.compare.events`.

    Notes
    -----
    Bins are right-closed, and their rows become one value by the rule of the field, as in
    `eyelog.compare.events`.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> walks = el.gait.bouts(frame)["start"]
    >>> each = el.compare.event_courses(frame, walks, before="5min", after="5min", fields="hm_yo")
    >>> len(each) == 10 * len(walks), list(each.columns)
    (True, ['value', 'change'])
    """
    quantities = open_columns(frame, fields, limits=limits, log=log)
    located = quantities.around(times, before=before, after=after, every=every, baseline=baseline)
    events = stamps_at(located.events_us, getattr(frame.index, "tz", None))
    values, changes = [], []
    for column in located.columns:
        courses, own = located.courses(column)
        values.append(courses.ravel())
        apart = difference(courses, own) if column.rule == "circ_mean" else courses - own
        changes.append(apart.ravel())
    names = [column.name for column in located.columns]
    table = pd.DataFrame(
        {"value": np.concatenate(values), "change": np.concatenate(changes)},
        index=pd.MultiIndex.from_product(
            [names, events, located.offsets], names=["field", "event", "offset"]
        ),
    )
    return derived(
        table,
        frame,
        "compare.event_courses",
        log=located.log,
        interval_s=None,
        units={column.name: column.unit for column in located.columns},
    )
