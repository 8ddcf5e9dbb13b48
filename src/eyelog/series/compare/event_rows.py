"""The quantities averaged around events, and how rows become one value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.catalogue import Field, catalogue, known_logs, log_named
from eyelog.checks import duration_us, names_of
from eyelog.clock import microseconds
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import interval_seconds, is_resampled, log_of, one_source, require, stated_log
from eyelog.judge.arrays import Floats, Ints, numbers
from eyelog.judge.intervals import added, enter
from eyelog.judge.limits import Limits
from eyelog.judge.terms import filled
from eyelog.measure.resample import terms_of, value_of
from eyelog.series.events import check_events
from eyelog.series.observed import check_table, rows_of

Length = str | pd.Timedelta

ABOUT: Final = ("static", "motion", "gait", "wear")  # kinds of fields about the wearer


@dataclass(frozen=True, slots=True)
class EventColumn:
    """One quantity: its values by row, and how several rows become one value.

    The rule is that of the catalogue, except for counts: these become the mean count of a row, so
    that offsets with more rows do not count more.
    """

    name: str
    values: Floats
    rule: str
    weights: Floats | None
    unit: str


@dataclass(frozen=True, slots=True)
class Windows:
    """The rows of each event and bin; a row can lie in the windows of several events.

    Attributes
    ----------
    rows : array of int64
        The rows.
    codes : array of int64
        The event and bin of each of them.
    number : int
        How many events and bins there are.
    """

    rows: Ints
    codes: Ints
    number: int

    def count(self, values: Floats) -> Floats:
        """Return how many values there are in each."""
        known = ~np.isnan(values[self.rows])
        return np.bincount(self.codes[known], minlength=self.number).astype(np.float64)

    def reduced(self, column: EventColumn) -> Floats:
        """Return one value each, by the rule of the column."""
        values = column.values[self.rows]
        weights = None if column.weights is None else column.weights[self.rows]
        if column.rule == "last":
            known, last = ~np.isnan(values), np.full(self.number, np.nan)
            last[self.codes[known]] = values[known]  # in order of time: the last one stays
            return last
        adds = np.fmax if column.rule == "max" else np.add
        terms = terms_of(column.rule, values, weights)
        total = {n: added(filled(v), self.codes, self.number, adds) for n, v in terms.items()}
        return value_of(column.rule, total)


@dataclass(frozen=True, slots=True)
class Located:
    """The rows around the events, by offset.

    Attributes
    ----------
    columns : list of EventColumn
        The quantities.
    log : str or None
        Their log.
    events_us : array of int64
        The events in order, UTC microseconds.
    rows, before : Windows
        The rows of each event and bin, and those of each event's own baseline.
    offsets : TimedeltaIndex
        Where each bin closes, counted from the event.
    width_us, step_us : int
        The length of a bin and of a row.
    baseline_us : tuple of int
        Where the baseline opens and closes, counted from the event.
    """

    columns: list[EventColumn]
    log: str | None
    events_us: Ints
    rows: Windows
    before: Windows
    offsets: pd.TimedeltaIndex
    width_us: int
    step_us: int
    baseline_us: tuple[int, int]

    def courses(self, column: EventColumn) -> tuple[Floats, Floats]:
        """Return the values of a column (events are rows, bins columns), and the baselines."""
        shape = (len(self.events_us), len(self.offsets))
        opens, closes = self.baseline_us
        own = np.full((shape[0], 1), np.nan)
        if closes > opens:
            own = self.before.reduced(column)[:, None]
        return self.rows.reduced(column).reshape(shape), own


@dataclass(frozen=True, slots=True)
class EventColumns:
    """Quantities by row, and the rows.

    Attributes
    ----------
    index : DatetimeIndex
        The stamps of the rows.
    columns : list of EventColumn
        The quantities.
    step_us : int
        The length of a row; 0 if a single row does not show it.
    log : str or None
        Their log.
    stamp : {"end", "start"}
        Whether a stamp closes or opens its row.
    """

    index: pd.DatetimeIndex
    columns: list[EventColumn]
    step_us: int
    log: str | None
    stamp: str

    def around(
        self,
        times: Any,
        *,
        before: Length,
        after: Length,
        every: Length | None,
        baseline: tuple[Length, Length] | None,
    ) -> Located:
        """Find the rows around events, as `eyelog.compare.events` describes it."""
        step_us = self.step_us
        events_us = event_times(times, local=self.index.tz is None)
        width = (
            step_us
            if every is None
            else duration_us(every, "every", sign="positive", example="1min")
        )
        back, ahead = duration_us(before, "before"), duration_us(after, "after")
        if width == 0:
            raise ConfigurationError(
                "events cannot tell how long one row is from a single row: pass every='1min'"
            )
        if back + ahead == 0:
            raise ConfigurationError("events needs before and after of 0 or more, not both 0")
        first, last = -(-back // width), -(-ahead // width)
        opens, closes = (-back, 0) if baseline is None else baseline_window(baseline)
        stamps = microseconds(self.index) + (step_us if self.stamp == "start" else 0)
        return Located(
            self.columns,
            self.log,
            events_us,
            cells(stamps, events_us, -first * width, last * width, width),
            cells(stamps, events_us, opens, closes, max(closes - opens, 1)),
            pd.to_timedelta(np.arange(1 - first, last + 1) * width, unit="us").as_unit("us"),
            width,
            step_us,
            (opens, closes),
        )


def open_columns(
    frame: pd.DataFrame | pd.Series,
    fields: str | Sequence[str] | None,
    *,
    limits: Limits | None,
    log: str | None,
) -> EventColumns:
    """Return the quantities of a frame or a Series, as `eyelog.compare.events` describes them."""
    check_table(frame, what="events")
    if isinstance(frame, pd.Series):
        if fields is not None:
            raise ConfigurationError("events: a Series is one quantity, so leave out fields")
        rows = rows_of(frame, what="events", call="{what}(frame, times, fields={column})")
        which = stated_log(frame) if log is None else log
        field = _field(str(frame.name), log)
        rule = field.agg if field is not None and field.agg in ("circ_mean", "rms") else "mean"
        unit = field.unit if field is not None else "unit of the series"
        name = "value" if frame.name is None else str(frame.name)
        column = EventColumn(name, _finite(rows.values), rule, None, unit)
        return EventColumns(rows.index, [column], rows.step_us, which, "start")
    if is_resampled(frame):
        which, stamp = log_of(frame, log), "start"
        one_source(frame, what="events")
        table = frame.sort_index()
        index, step_us = pd.DatetimeIndex(table.index), round(interval_seconds(frame) * 1e6)

        def value(name: str) -> Floats:
            return numbers(table[name])
    else:
        opened = enter(frame, "events", (), limits=limits, log=log, wide=False)
        table, which, stamp, records = opened.frame, opened.log, "end", opened.records
        index, step_us = pd.DatetimeIndex(table.index), log_named(which).interval_us
        value = records.value
    chosen = _chosen(table, which, fields)
    require(table, sorted({n for field in chosen for n in field.weight}), purpose="events")
    columns = [
        EventColumn(
            field.name,
            _finite(value(field.name)),
            "mean" if field.agg == "sum" else field.agg,
            np.sum([value(name) for name in field.weight], axis=0) if field.weight else None,
            field.unit,
        )
        for field in chosen
    ]
    if not is_resampled(frame):
        opened.warn(records.lacking(records.judged))
    return EventColumns(index, columns, step_us, which, stamp)


def _field(name: str, log: str | None) -> Field | None:
    """Return the field that a Series is named after, unless the logs aggregate it differently."""
    logs = known_logs() if log is None else (log,)
    fields = [catalogue(one)[name] for one in logs if name in catalogue(one)]
    return fields[0] if fields and len({field.agg for field in fields}) == 1 else None


def _finite(values: Floats) -> Floats:
    return np.where(np.isinf(values), np.nan, values)


def _chosen(frame: pd.DataFrame, log: str, fields: str | Sequence[str] | None) -> list[Field]:
    by_name = catalogue(log)
    if fields is None:
        chosen = [
            field
            for name, field in by_name.items()
            if name in frame.columns
            and field.agg != "none"
            and field.documented
            and field.kind in ABOUT
        ]
        if not chosen:
            raise FieldError(f"events: the frame holds no field of {log!r} about the wearer")
        return chosen
    names = names_of(fields, "fields")
    require(frame, names, purpose="events")
    wrong = [name for name in names if name not in by_name or by_name[name].agg == "none"]
    if wrong or not names:
        raise FieldError(
            f"events: no field of {log!r} to take a mean of: {', '.join(wrong) or 'none given'}"
        )
    return [by_name[name] for name in dict.fromkeys(names)]


def counted(column: EventColumn) -> Floats:
    """Return the values with a weight; the others are missing."""
    if column.weights is None:
        return column.values
    return np.where(column.weights > 0, column.values, np.nan)


def event_times(times: Any, *, local: bool = False) -> Ints:
    """Return the events in order, UTC microseconds; for a table of events, their starts.

    With `local`, the wall-clock microseconds in the zone of each event, for rows named by dates.
    """
    if isinstance(times, pd.DataFrame):
        times = check_events(times)["start"]
    stamps: list[Any]
    try:
        stamps = [pd.Timestamp(time) for time in times]
    except (TypeError, ValueError):
        stamps = [pd.NaT]
    if any(pd.isna(stamp) for stamp in stamps):
        raise ConfigurationError("events needs times such as a list of aware stamps, none missing")
    if local:  # a day is a date, and needs no zone
        stamps = [stamp.tz_localize(None).tz_localize("UTC") for stamp in stamps]
    if any(stamp.tz is None for stamp in stamps):
        raise ConfigurationError(
            "events needs times with a time zone: pd.DatetimeIndex(times).tz_localize('Asia/Tokyo')"
        )
    # One by one: stamps of summer and winter have different offsets.
    utc = pd.DatetimeIndex([stamp.tz_convert("UTC") for stamp in stamps], dtype="M8[us, UTC]")
    us = np.sort(utc.as_unit("us").asi8)
    if (np.diff(us) == 0).any():
        raise ConfigurationError("events: a time occurs twice, and an event counts once")
    return us


def baseline_window(baseline: Any) -> tuple[int, int]:
    """Return where a baseline window opens and closes, counted from the event."""
    try:
        opens, closes = baseline
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"baseline must be (from, to) such as ('-10min', '0min'), not {baseline!r}"
        ) from None
    first, last = (duration_us(edge, "baseline", sign="any") for edge in (opens, closes))
    if first >= last:
        raise ConfigurationError(f"baseline must open before it closes, not {baseline!r}")
    return first, last


def cells(stamps: Ints, events: Ints, opens: int, closes: int, width: int) -> Windows:
    """Return the rows of each event and bin."""
    low = np.searchsorted(stamps, events + opens, side="right")
    sizes = np.searchsorted(stamps, events + closes, side="right") - low
    event = np.repeat(np.arange(len(events)), sizes)
    rows = (
        np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(low, sizes)
    )
    # Closed on the right: a stamp on the edge closes the bin that ends there.
    place = -((events[event] + opens - stamps[rows]) // width) - 1
    bins = -(-(closes - opens) // width)
    return Windows(rows.astype(np.int64), event * bins + place, len(events) * bins)
