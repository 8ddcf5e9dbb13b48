"""Events of a diary: labels of rows and days, and the course of a quantity around them."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import Field, catalogue, known_logs, log_named
from eyelog.checks import check_events, duration_us, names_of, shown_event
from eyelog.clock import DAY_US, LocalClock, local_days, microseconds, stamps_at
from eyelog.errors import ConfigurationError, FieldError, warn
from eyelog.frame import (
    clock_of,
    derived,
    interval_seconds,
    is_resampled,
    log_of,
    one_source,
    require,
    stamps,
    takes_tables,
)
from eyelog.judge.arrays import (
    Bools,
    Floats,
    Ints,
    difference,
    direction,
    near,
    numbers,
    unit_vectors,
)
from eyelog.judge.intervals import enter
from eyelog.judge.limits import Limits
from eyelog.judge.terms import filled, ratio
from eyelog.measure.groups import added
from eyelog.measure.resample import terms_of, value_of
from eyelog.series.inference import check_draws, interval, multiplicities
from eyelog.series.observed import SHORTEST_DAY_US, one_log, rows_of, stamps_close

Length = str | pd.Timedelta
ABOUT: Final = ("static", "motion", "gait", "wear")  # kinds of fields about the wearer
LEAST_EVENTS: Final = 5  # fewer events give too few different means for a band
OF_COURSE: Final = (
    *("mean", "low", "high", "change", "change_low", "change_high"),
    *("band_low", "band_high", "changed", "n", "n_change"),
)
LEVEL: Final = 0.95
ROUNDING: Final = 1e-12


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
    starts, ends = (microseconds(pd.DatetimeIndex(spans[name])) for name in ("start", "end"))
    names = spans["label"].astype(str).to_numpy(object)
    _refuse_overlaps(spans, starts, ends, names)
    numbers, categories = pd.factorize(names)
    codes = np.full(len(index), -1, np.int64)
    seconds, us = interval_seconds(frame), microseconds(index)
    half = 0 if np.isnan(seconds) else round(seconds * 500_000)
    middles = us - half if stamps_close(frame) else us + half
    # If events with the same label are nested, the last one to end decides.
    reach = np.maximum.accumulate(ends) if len(ends) else ends
    at = np.searchsorted(starts, middles, side="right") - 1
    inside = at >= 0
    inside[inside] = middles[inside] < reach[at[inside]]
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
                f"two events overlap, and a row has one label: {shown_event(spans.iloc[last])} and"
                f" {shown_event(spans.iloc[i])}. Shorten one, or label each on its own:"
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


@takes_tables
def events(
    frame: pd.DataFrame | pd.Series,
    times: Sequence[Any] | pd.DatetimeIndex | pd.Series | pd.DataFrame,
    *,
    before: Length,
    after: Length,
    fields: str | Sequence[str] | None = None,
    every: Length | None = None,
    baseline: tuple[Length, Length] | None = None,
    draws: int = 1000,
    seed: int = 0,
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Return the mean course of each field around given times, with a bootstrap band.

    Parameters
    ----------
    frame : DataFrame or Series
        A frame of one log (or one that `eyelog.resample` has made), or one Series of numbers with
        aware stamps.
    times : sequence of aware stamps, or DataFrame
        When the events happened, in any order, each once; or a table of `eyelog.read_events`, whose
        intervals count by their start.
    before, after : str or Timedelta
        How far to look back and ahead, such as ``"10min"``; rounded up to whole bins.
    fields : str or sequence of str, optional
        The fields of the frame. Default: all documented numbers and booleans about the wearer.
    every : str or Timedelta, optional
        Width of the bins. Default: the length of one row.
    baseline : (from, to), optional
        The window that changes are measured from, counted from the event, such as
        ``("-10min", "-5min")``. Default: the whole time of `before`.
    draws : int
        How many times the events are drawn for the band, at least 100.
    seed : int
        Seed of the random generator: the same seed gives the same band.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.

    Returns
    -------
    DataFrame
        Index ``field`` and ``offset`` (timedelta: where the bin closes, counted from the event).
        Float64 columns in the unit of the field per row (a count is the mean count of a row):
        ``mean`` over events with ``low`` and ``high`` (95 % band), ``change`` (mean difference
        from each event's own baseline) with ``change_low`` and ``change_high`` (95 % for this
        offset), ``band_low`` and ``band_high`` (95 % for all offsets of the field together);
        boolean ``changed`` (0 lies outside that band); int64 ``n`` (events with a value in the bin)
        and ``n_change`` (of these, events with a baseline); float64 ``exposure_min`` (minutes of
        the rows behind it; for a column of `eyelog.daily` the minutes worn), ``coverage`` (of the
        bin's time over all events); int64 ``events`` (all that were given), timedeltas
        ``baseline_start`` and ``baseline_end`` (the window that changes are measured from, counted
        from the event), and ``reason`` if something is missing.

    Raises
    ------
    FieldError
        If the frame lacks a field, or its weight.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If a time is naive or occurs twice, or an argument is not valid.

    Notes
    -----
    Intervals and bins are right-closed (a record stamped 10:00:00 covers the interval before it),
    so all offsets up to 0 are based on rows that had ended by the event; the first bin after it can
    include a row that began before. Rows in one bin become one value by the field's rule (weighted
    mean, direction of the mean unit vector for tilt, and so on); each event then counts once. The
    ``mean`` of a field that is a root mean square itself (the blink gaps of the 60-second log) is
    the root mean square over events. A gap removes only the rows in it, so offsets can be based on
    different events: compare ``n``.

    ``low`` to ``change_high`` are pointwise, from percentiles of means over events drawn with
    replacement (Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 13), set as far
    apart as those of Student's t (Hesterberg 2015, The American Statistician 69:371). For normal
    values they contain the mean in 92 of 100 cases with five events, in 94 with eight and in 95
    from ten on; for skewed values less often. But each is for one offset: most courses in which
    nothing happens have some offset at which the pointwise band excludes 0.

    Whether anything changed is therefore decided by the band for all offsets together: the change
    plus or minus its standard error times the 95 % quantile, over the same draws, of the largest
    difference from it in standard errors of the draw (Davison & Hinkley 1997, Bootstrap Methods
    and their Application, sections 4.2.4 and 5.2). Something is called changed in at most 5 of 100
    courses in which nothing happens (in fewer if there are fewer than twenty events), see the table
    in the definitions. With several fields, each has its own band. Both bands assume that events
    are independent, which is not quite true of events with overlapping windows. With fewer than
    five events there is none.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> walks = el.gait.bouts(frame)["start"]
    >>> course = el.compare.events(frame, walks, before="5min", after="5min", fields="hm_yo")
    >>> bool(course.loc["hm_yo", "change"].iloc[-1] > 0), list(course.index.names)
    (True, ['field', 'offset'])
    """
    check_draws(draws, seed)
    found = _around(
        frame, times, before, after, every, baseline, fields=fields, limits=limits, log=log
    )
    number, width_min = len(found.events_us), found.width_us / 60e6
    # The same draws for all fields.
    drawn = multiplicities(number, draws, seed) if number else np.empty((0, 0))
    parts = []
    for course in found.courses:
        part = _banded(course, drawn)
        room = np.minimum(course.minutes, width_min).sum(axis=0)
        minutes = course.minutes
        if found.step_us >= SHORTEST_DAY_US:  # a Series by day does not carry the hours of its days
            minutes = np.where(minutes > 0, np.nan, 0.0)
        part["exposure_min"] = minutes.sum(axis=0)
        part["coverage"] = room / (width_min * number) if number else np.nan
        part["events"] = number
        part["baseline_start"], part["baseline_end"] = (
            pd.Timedelta(edge, unit="us").as_unit("us") for edge in found.baseline_us
        )
        part["reason"] = _reasons(part["n"], part["n_change"], number)
        parts.append(pd.DataFrame(part))
    names = [course.of.name for course in found.courses]
    labels = pd.MultiIndex.from_product([names, found.offsets], names=["field", "offset"])
    table = pd.concat(parts).set_axis(labels).astype({"reason": "string"})
    days = stamps_at(found.events_us, getattr(frame.index, "tz", None))
    if number and days.tz is not None:
        days = local_days(days, stamp="start", clock=clock_of(frame))
    return derived(
        table,
        frame,
        "compare.events",
        log=found.log,
        draws=int(draws),
        seed=int(seed),
        days=[str(day.date()) for day in (days.min(), days.max())] if number else [],
        units={course.of.name: course.of.unit for course in found.courses},
    )


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
    found = _around(
        frame, times, before, after, every, baseline, fields=fields, limits=limits, log=log
    )
    events = stamps_at(found.events_us, getattr(frame.index, "tz", None))
    names = [course.of.name for course in found.courses]
    table = pd.DataFrame(
        {
            "value": np.concatenate([course.values.ravel() for course in found.courses]),
            "change": np.concatenate([course.changes.ravel() for course in found.courses]),
        },
        index=pd.MultiIndex.from_product(
            [names, events, found.offsets], names=["field", "event", "offset"]
        ),
    )
    return derived(
        table,
        frame,
        "compare.event_courses",
        log=found.log,
        interval_s=None,
        units={course.of.name: course.of.unit for course in found.courses},
    )


class Quantity(NamedTuple):
    """One quantity: its values by row, and how several rows become one value.

    The rule is that of the catalogue, except for counts: these become the mean count of a row, so
    that offsets with more rows do not count more.
    """

    name: str
    values: Floats
    rule: str
    weights: Floats | None
    unit: str


class Course(NamedTuple):
    """A quantity around the events (rows of the arrays), by offset (their columns).

    Attributes
    ----------
    of : Quantity
        The quantity.
    values : array of float64
        Its value in each bin.
    own : array of float64
        The baseline of each event, as a column.
    minutes : array of float64
        The length of the rows with a value in each bin.
    """

    of: Quantity
    values: Floats
    own: Floats
    minutes: Floats

    @property
    def changes(self) -> Floats:
        """The values less the event's own baseline; on the circle for directions."""
        if self.of.rule == "circ_mean":
            return difference(self.values, self.own)
        return self.values - self.own


class Around(NamedTuple):
    """The courses around events; baseline and offsets are counted from the event."""

    courses: list[Course]
    events_us: Ints
    offsets: pd.TimedeltaIndex
    width_us: int
    step_us: int
    baseline_us: tuple[int, int]
    log: str | None


def _around(
    frame: pd.DataFrame | pd.Series,
    times: Any,
    before: Length,
    after: Length,
    every: Length | None,
    baseline: tuple[Length, Length] | None,
    **judged: Any,
) -> Around:
    """Return the courses around events, as `eyelog.compare.events` describes it."""
    quantities, closing, step_us, log = _quantities(frame, **judged)
    events_us = event_times(times, local=closing.tz is None)
    width = step_us
    if every is not None:
        width = duration_us(every, "every", sign="positive", example="1min")
    back, ahead = duration_us(before, "before"), duration_us(after, "after")
    if width == 0:
        raise ConfigurationError(
            "events cannot tell how long one row is from a single row: pass every='1min'"
        )
    if back + ahead == 0:
        raise ConfigurationError("events needs before and after of 0 or more, not both 0")
    first, last = -(-back // width), -(-ahead // width)
    opens, closes = (-back, 0) if baseline is None else _baseline_window(baseline)
    stamps_us, shape = microseconds(closing), (len(events_us), first + last)
    cells = _cells(stamps_us, events_us, -first * width, last * width, width)
    own = _cells(stamps_us, events_us, opens, closes, max(closes - opens, 1))
    courses = []
    for quantity in quantities:
        has = ~np.isnan(quantity.values[cells.rows])
        if quantity.weights is not None:
            has &= quantity.weights[cells.rows] > 0
        counted: Floats = np.bincount(cells.codes[has], minlength=cells.number).astype(np.float64)
        courses.append(
            Course(
                quantity,
                cells.reduced(quantity).reshape(shape),
                own.reduced(quantity)[:, None],
                counted.reshape(shape) * (step_us / 60e6),
            )
        )
    offsets = pd.to_timedelta(np.arange(1 - first, last + 1) * width, unit="us").as_unit("us")
    return Around(courses, events_us, offsets, width, step_us, (opens, closes), log)


class Cells(NamedTuple):
    """The rows of each event and bin; a row can lie in the windows of several events."""

    rows: Ints
    codes: Ints
    number: int

    def reduced(self, quantity: Quantity) -> Floats:
        """Return one value for each event and bin, by the rule of the quantity."""
        values = quantity.values[self.rows]
        if quantity.rule == "last":
            known, last = ~np.isnan(values), np.full(self.number, np.nan)
            last[self.codes[known]] = values[known]  # in order of time: the last one stays
            return last
        weights = () if quantity.weights is None else (quantity.weights[self.rows],)
        adds = np.fmax if quantity.rule == "max" else np.add
        used = ~np.isnan(sum(weights, values))
        terms = terms_of(quantity.rule, used, values, weights)
        total = {n: added(filled(v), self.codes, self.number, adds) for n, v in terms.items()}
        return value_of(quantity.rule, total)


def _cells(stamps: Ints, events: Ints, opens: int, closes: int, width: int) -> Cells:
    """Return the rows of each event and bin, by the stamps that close them."""
    low = np.searchsorted(stamps, events + opens, side="right")
    sizes = np.searchsorted(stamps, events + closes, side="right") - low
    event = np.repeat(np.arange(len(events)), sizes)
    rows = np.arange(sizes.sum()) + np.repeat(low - np.cumsum(sizes) + sizes, sizes)
    # Closed on the right: a stamp on the edge closes the bin that ends there.
    place = -((events[event] + opens - stamps[rows]) // width) - 1
    bins = max(-(-(closes - opens) // width), 1)
    return Cells(rows.astype(np.int64), event * bins + place, len(events) * bins)


def _quantities(
    frame: pd.DataFrame | pd.Series,
    fields: str | Sequence[str] | None,
    limits: Limits | None,
    log: str | None,
) -> tuple[list[Quantity], pd.DatetimeIndex, int, str | None]:
    """Return the quantities of a table, the stamps that close its rows, their length, the log."""
    stated = one_log(frame, what="events")
    if isinstance(frame, pd.Series):
        if fields is not None:
            raise ConfigurationError("events: a Series is one quantity, so leave out fields")
        rows = rows_of(frame, None, "events", call="{what}(frame, times, fields={column})")
        name = "value" if frame.name is None else str(frame.name)
        logs = known_logs() if log is None else (log,)
        named = [catalogue(one)[name] for one in logs if name in catalogue(one)]
        alike = len({field.agg for field in named}) == 1  # logs may aggregate it differently
        rule = named[0].agg if alike and named[0].agg in ("circ_mean", "rms") else "mean"
        unit = named[0].unit if alike else "unit of the series"
        one = Quantity(name, _finite(rows.values), rule, None, unit)
        closing = rows.index + pd.Timedelta(rows.step_us, unit="us")
        return [one], closing, rows.step_us, stated if log is None else log
    if is_resampled(frame):
        which = log_of(frame, log)
        one_source(frame, what="events")
        table, step_us = frame.sort_index(), round(interval_seconds(frame) * 1e6)
        closing = pd.DatetimeIndex(table.index) + pd.Timedelta(step_us, unit="us")

        def value(name: str) -> Floats:
            return numbers(table[name])
    else:
        opened = enter(frame, "events", (), limits=limits, log=log, wide=False)
        table, which, value = opened.frame, opened.log, opened.records.value
        closing, step_us = pd.DatetimeIndex(table.index), log_named(which).interval_us
    chosen = _chosen(table, which, fields)
    require(table, sorted({n for field in chosen for n in field.weight}), purpose="events")
    quantities = [
        Quantity(
            field.name,
            _finite(value(field.name)),
            "mean" if field.agg == "sum" else field.agg,
            np.sum([value(name) for name in field.weight], axis=0) if field.weight else None,
            field.unit,
        )
        for field in chosen
    ]
    if not is_resampled(frame):
        opened.warn()
    return quantities, closing, step_us, which


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
    us = np.sort(microseconds(utc))
    if (np.diff(us) == 0).any():
        raise ConfigurationError("events: a time occurs twice, and an event counts once")
    return us


def _baseline_window(baseline: Any) -> tuple[int, int]:
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


def _banded(course: Course, draws: Floats) -> dict[str, Any]:
    """Return mean, change and their bands for each offset."""
    angle, squares = course.of.rule == "circ_mean", course.of.rule == "rms"
    out: dict[str, Any] = {}
    # Root mean squares have a root mean square over events too; their changes are differences.
    values = course.values**2 if squares else course.values
    for name, prefix, each in (("mean", "", values), ("change", "change_", course.changes)):
        present = ~np.isnan(each)
        out[name] = _means(np.ones((1, len(each))), each, present, angle=angle)[0]
        number = present.sum(axis=0).astype(np.int64)
        enough = number >= LEAST_EVENTS
        low, high = np.full((2, each.shape[1]), np.nan)
        if enough.any():
            drawn = _means(draws, each[:, enough], present[:, enough], angle=angle)
            if angle:  # percentiles on the branch around the mean
                drawn = near(drawn, out[name][enough])
            low[enough], high[enough] = interval(drawn, number[enough])
        if name == "change":
            around = difference(each, out[name]) if angle else each - out[name]
            reach = _simultaneous(around, enough, draws)
            out["band_low"], out["band_high"] = out[name] - reach, out[name] + reach
            out["changed"] = (out["band_low"] > 0) | (out["band_high"] < 0)
        elif squares:
            out[name], low, high = np.sqrt(out[name]), np.sqrt(low), np.sqrt(high)
        out[f"{prefix}low"], out[f"{prefix}high"] = low, high
        out["n" if name == "mean" else "n_change"] = number
    return {name: out[name] for name in OF_COURSE}


def _simultaneous(around: Floats, enough: Bools, draws: Floats) -> Floats:
    """Return how far a band for all offsets reaches: the largest |t| of draws, in errors.

    `around` are the courses (events are rows) less their mean; a draw in which an offset has fewer
    than two events, or no variation, is not used for this offset.
    """
    reach = np.full(around.shape[1], np.nan)
    present = ~np.isnan(around)
    values = np.where(present, around, 0.0)
    # A spread within rounding is not variation.
    least = ROUNDING * (values**2).max(axis=0, initial=0.0)

    def in_errors(times: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard error of each draw (rows) and offset."""
        below = times @ present
        means = ratio(times @ values, below)
        squares = ratio(times @ values**2, below) - means**2
        with np.errstate(divide="ignore", invalid="ignore"):
            return means, np.sqrt(np.where(squares > least, squares, 0.0) / (below - 1.0))

    error = in_errors(np.ones((1, len(around))))[1][0]
    used = enough & (error > 0)
    if not used.any():
        return reach
    means, errors = in_errors(draws)
    largest = np.fmax.reduce(ratio(np.abs(means), errors)[:, used], axis=1)
    reach[used] = np.quantile(largest[np.isfinite(largest)], LEVEL) * error[used]
    return reach


def _means(times: Floats, values: Floats, present: Bools, *, angle: bool) -> Floats:
    """Return the mean of each draw (rows) and offset."""
    below = times @ present
    filled = np.where(present, values, 0.0)
    if not angle:
        return ratio(times @ filled, below)
    east, north = (times @ np.where(present, part, 0.0) for part in unit_vectors(filled))
    return direction(east, north, below)


def _reasons(n: Ints, n_change: Ints, events: int) -> npt.NDArray[np.str_]:
    """Return, for each offset, why something is missing."""
    few = f"fewer than {LEAST_EVENTS} events"
    why = {
        "no event was given": np.full(n.shape, events == 0),
        "no event has a value here": n == 0,
        "no event with a value here has a baseline": n_change == 0,
        f"{few} have a value here: no band": n < LEAST_EVENTS,
        f"{few} have a baseline: no band of the change": n_change < LEAST_EVENTS,
    }
    return np.select(list(why.values()), list(why), "")
