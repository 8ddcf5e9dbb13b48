"""Events of a diary as labels of the rows of a frame, and of days."""

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.clock import DAY_US, LocalClock, microseconds
from eyelog.errors import ConfigurationError, warn
from eyelog.frame import interval_seconds, stamps, takes_tables
from eyelog.series.observed import stamps_close

Ints = npt.NDArray[np.int64]
COLUMNS = ("start", "end", "label")


def check_events(events: Any) -> pd.DataFrame:
    """Return a table of events, sorted by time, in microseconds of one zone.

    Raises
    ------
    ConfigurationError
        If it lacks the columns that `eyelog.read_events` returns, or its times have no zone.
    """
    if not isinstance(events, pd.DataFrame) or not set(COLUMNS) <= set(events.columns):
        given = f"a {type(events).__name__}"
        if isinstance(events, pd.DataFrame):
            given = f"one with {', '.join(map(repr, events.columns[:5])) or 'no columns'}"
        raise ConfigurationError(
            "events must be a table with the columns start, end and label, as eyelog.read_events"
            f" returns it, not {given}"
        )
    for name in ("start", "end"):
        if not isinstance(events[name].dtype, pd.DatetimeTZDtype):
            raise ConfigurationError(
                f"the column {name!r} of the events needs times with a zone:"
                f" events[{name!r}].dt.tz_localize('Asia/Tokyo')"
            )
    if events["start"].isna().any():
        raise ConfigurationError("an event has no start: remove that row")
    if events["label"].isna().any():
        raise ConfigurationError("an event has no label: give it one, or remove that row")
    backwards = events["end"] < events["start"]
    if backwards.any():
        first = events[backwards].iloc[0]
        raise ConfigurationError(f"an event ends before it starts: {_shown(first)}")
    return events[list(COLUMNS)].sort_values("start", kind="stable", ignore_index=True)


def _shown(event: "pd.Series[Any]") -> str:
    end = "" if pd.isna(event["end"]) else f" to {event['end']:%Y-%m-%d %H:%M:%S}"
    return f"{event['label']!r} at {event['start']:%Y-%m-%d %H:%M:%S}{end}"


@takes_tables
def label(frame: pd.DataFrame, events: pd.DataFrame) -> "pd.Series[Any]":
    """Return the event in which each row of a frame lies.

    The labels go to ``by=`` of any summary, which then has one row per label, or into a column of
    the frame.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or one that `eyelog.resample` has made.
    events : DataFrame
        A table of intervals, as `eyelog.read_events` returns it: ``start``, ``end``, ``label``.

    Returns
    -------
    Series
        Named ``label``, with the index of `frame`; categorical, the categories in order of their
        first event. Missing for rows outside all events.

    Raises
    ------
    ConfigurationError
        If the events are not such a table, if all of them are moments, or if two with different
        labels overlap, since a row has one label: the message shows both.

    Warns
    -----
    EyelogWarning
        If some of the events are moments, which cover no row, or if no row of the frame lies in an
        event.

    Notes
    -----
    A row lies in an event if the middle of its interval does, so events that follow each other
    share no row and lose none. Events with the same label may overlap.

    Examples
    --------
    >>> import eyelog as el, pandas as pd
    >>> frame = el.sample("standard_mode_logs")
    >>> hours = pd.to_datetime(["2026-10-19 09:00", "2026-10-19 12:00", "2026-10-19 13:00"])
    >>> edges = hours.tz_localize("Asia/Tokyo")
    >>> events = pd.DataFrame(
    ...     {"start": edges[:2], "end": edges[1:], "label": ["work", "lunch"]}
    ... )
    >>> labels = el.label(frame, events)
    >>> labels.value_counts().to_dict()
    {'work': 180, 'lunch': 60}
    >>> list(el.blinks.rate(frame, by=labels).index)
    ['work', 'lunch']
    """
    index = stamps(frame, what="label")
    every = check_events(events)
    spans = every[every["end"].notna() & (every["end"] > every["start"])]
    moments = len(every) - len(spans)
    if moments and not len(spans):
        raise ConfigurationError(
            "all events are moments, and a moment covers no row: give them an end, or pass the"
            " table to eyelog.compare.events"
        )
    if moments:
        warn(
            f"{moments} of {len(every)} events are moments, which label no row:"
            " eyelog.compare.events takes them"
        )
    starts, ends = (pd.DatetimeIndex(spans[name]).as_unit("us").asi8 for name in ("start", "end"))
    names = spans["label"].astype(str).to_numpy(object)
    _refuse_overlaps(spans, starts, ends, names)
    categories = list(dict.fromkeys(names.tolist()))
    codes = np.full(len(index), -1, np.int64)
    seconds, us = interval_seconds(frame), cast(Ints, index.as_unit("us").asi8)
    half = 0 if np.isnan(seconds) else round(seconds * 500_000)
    middles = us - half if stamps_close(frame) else us + half
    # If events with the same label are nested, the last one to end decides.
    reach = np.maximum.accumulate(ends) if len(ends) else ends
    at = np.searchsorted(starts, middles, side="right") - 1
    inside = at >= 0
    inside[inside] = middles[inside] < reach[at[inside]]
    numbers = np.array([categories.index(name) for name in names.tolist()], np.int64)
    codes[inside] = numbers[at[inside]]
    if len(index) and len(spans) and not inside.any():
        warn(
            "no row of the frame lies in an event: the events go from"
            f" {spans['start'].min():%Y-%m-%d %H:%M %Z} to {spans['end'].max():%Y-%m-%d %H:%M %Z},"
            f" the frame from {index.min():%Y-%m-%d %H:%M %Z} to {index.max():%Y-%m-%d %H:%M %Z}"
        )
    kinds = pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype="str"))
    return pd.Series(kinds, index=frame.index, name="label")


def _refuse_overlaps(
    spans: pd.DataFrame, starts: Ints, ends: Ints, names: npt.NDArray[np.object_]
) -> None:
    """Raise if two events with different labels overlap; `spans` is sorted by start."""
    last = 0  # of the events so far, the one that ends last
    for i in range(1, len(starts)):
        if starts[i] < ends[last] and names[i] != names[last]:
            raise ConfigurationError(
                f"two events overlap, and a row has one label: {_shown(spans.iloc[last])} and"
                f" {_shown(spans.iloc[i])}. Shorten one, or label each on its own:"
                f" label(frame, events[events['label'] == {names[i]!r}])"
            )
        if ends[i] > ends[last]:
            last = i


def labels_by_day(
    days: Iterable[pd.Timestamp], events: pd.DataFrame, clock: LocalClock
) -> list[str]:
    """Return the labels of the events of each local day, in order of time, each once.

    `days` are calendar dates, `clock` is the wearer's. An event belongs to every day that it
    touches; one that ends at midnight does not touch the day that opens then.
    """
    every = check_events(events)
    starts = microseconds(pd.DatetimeIndex(every["start"]))
    ends = microseconds(pd.DatetimeIndex(every["end"].fillna(every["start"])))
    firsts = clock.wall_us(starts) // DAY_US
    lasts = np.maximum(firsts, clock.wall_us(np.maximum(ends - 1, starts)) // DAY_US)
    texts = []
    for day in microseconds(pd.DatetimeIndex(list(days))) // DAY_US:
        inside = (firsts <= day) & (day <= lasts)
        texts.append(", ".join(dict.fromkeys(every["label"][inside].astype(str))))
    return texts
