"""Event-locked means: the course around given times, compared with the time before them."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.clock import local_days, stamps_at
from eyelog.frame import clock_of, derived, takes_tables
from eyelog.judge.arrays import Bools, Floats, Ints, difference, direction, near, unit_vectors
from eyelog.judge.limits import Limits
from eyelog.judge.terms import ratio
from eyelog.series.bootstrap import check_draws, interval, multiplicities
from eyelog.series.compare.event_rows import EventColumn, Length, counted, open_columns
from eyelog.series.observed import SHORTEST_DAY_US

LEAST_EVENTS: Final = 5  # fewer events give too few different means for a band
COLUMNS: Final = (
    *("mean", "low", "high", "change", "change_low", "change_high"),
    *("band_low", "band_high", "changed"),
)
LEVEL: Final = 0.95
ROUNDING: Final = 1e-12


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
    from ten on; for exponential values in 87 with five, 90 with ten and 92 with thirty. But each is
    for one offset: most courses in which nothing happens have some offset at which the pointwise
    band excludes 0.

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
    quantities = open_columns(frame, fields, limits=limits, log=log)
    located = quantities.around(times, before=before, after=after, every=every, baseline=baseline)
    columns, rows, offsets = located.columns, located.rows, located.offsets
    width, step_us = located.width_us, located.step_us
    opens, closes = located.baseline_us
    shape = (len(located.events_us), len(offsets))
    # The same draws for all fields.
    drawn = list(multiplicities(shape[0], draws, seed)) if shape[0] else []
    parts = []
    for column in columns:
        values, own = located.courses(column)
        parts.append(_course(column, values, own, drawn))
        minutes = rows.count(counted(column)).reshape(shape) * (step_us / 60e6)
        room = np.minimum(minutes, width / 60e6).sum(axis=0)
        if step_us >= SHORTEST_DAY_US:  # a Series by day does not carry the hours of its days
            minutes = np.where(minutes > 0, np.nan, 0.0)
        parts[-1]["exposure_min"] = minutes.sum(axis=0)
        parts[-1]["coverage"] = room / (width / 60e6 * shape[0]) if shape[0] else np.nan
        parts[-1]["events"] = shape[0]
        parts[-1]["baseline_start"], parts[-1]["baseline_end"] = (
            pd.Timedelta(edge, unit="us").as_unit("us") for edge in (opens, closes)
        )
        parts[-1]["reason"] = _reasons(parts[-1], shape[0])
    labels = pd.MultiIndex.from_product(
        [[c.name for c in columns], offsets], names=["field", "offset"]
    )
    table = pd.concat([pd.DataFrame(part) for part in parts]).set_axis(labels)
    table = table.astype({"reason": "string"})
    return derived(
        table,
        frame,
        "compare.events",
        log=located.log,
        draws=int(draws),
        seed=int(seed),
        days=_span(located.events_us, frame),
        units={column.name: column.unit for column in columns},
    )


def _span(events_us: Ints, frame: pd.DataFrame | pd.Series) -> list[str]:
    """Return the first and the last local date of the events; empty if there are none."""
    if not len(events_us):
        return []
    days = stamps_at(events_us, getattr(frame.index, "tz", None))
    if days.tz is not None:
        days = local_days(days, stamp="start", clock=clock_of(frame))
    return [str(day.date()) for day in (days.min(), days.max())]


def _course(
    column: EventColumn, values: Floats, own: Floats, draws: Sequence[Floats]
) -> dict[str, Any]:
    """Return mean, change and their bands for each offset (events are rows)."""
    angle = column.rule == "circ_mean"
    squares = column.rule == "rms"
    changes = difference(values, own) if angle else values - own
    out: dict[str, Any] = {}
    # Root mean squares have a root mean square over events too; their changes are differences.
    for name, courses in (("mean", values**2 if squares else values), ("change", changes)):
        present = ~np.isnan(courses)
        one = np.ones((1, len(courses)))
        out[name] = _means(one, courses, present, angle=angle)[0]
        number = present.sum(axis=0).astype(np.int64)
        enough = number >= LEAST_EVENTS
        low, high = np.full((2, courses.shape[1]), np.nan)
        if enough.any():
            means = [_means(d, courses[:, enough], present[:, enough], angle=angle) for d in draws]
            drawn = np.concatenate(means)
            if angle:  # percentiles on the branch around the mean
                drawn = near(drawn, out[name][enough])
            low[enough], high[enough] = interval(drawn, number[enough])
        if name == "change":
            around = difference(courses, out[name]) if angle else courses - out[name]
            reach = _simultaneous(around, enough, draws)
            out["band_low"], out["band_high"] = out[name] - reach, out[name] + reach
            out["changed"] = (out["band_low"] > 0) | (out["band_high"] < 0)
        if squares and name == "mean":
            out[name], low, high = np.sqrt(out[name]), np.sqrt(low), np.sqrt(high)
        prefix = "" if name == "mean" else "change_"
        out[f"{prefix}low"], out[f"{prefix}high"] = low, high
        out["n" if name == "mean" else "n_change"] = number
    return {name: out[name] for name in (*COLUMNS, "n", "n_change")}


def _simultaneous(around: Floats, enough: Bools, draws: Sequence[Floats]) -> Floats:
    """Return how far a band for all offsets reaches: the largest |t| of draws, in errors.

    `around` are the courses (events are rows) less their mean; a draw in which an offset has fewer
    than two events, or no variation, is not used for this offset.
    """
    reach = np.full(around.shape[1], np.nan)
    present = ~np.isnan(around)
    values = np.where(present, around, 0.0)
    error = _errors(np.ones((1, len(around))), values, present)[0]
    used = enough & (error > 0)
    if not used.any():
        return reach
    largest = []
    for times in draws:
        below = times @ present[:, used]
        means = ratio(times @ values[:, used], below)
        of_draw = _errors(times, values[:, used], present[:, used])
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.where(of_draw > 0, np.abs(means) / of_draw, np.nan)
        largest.append(np.fmax.reduce(apart, axis=1))
    largest_of_draws = np.concatenate(largest)
    reach[used] = np.quantile(largest_of_draws[np.isfinite(largest_of_draws)], LEVEL) * error[used]
    return reach


def _errors(times: Floats, values: Floats, present: Bools) -> Floats:
    """Return the standard error of the mean of each draw (rows) and offset."""
    below = times @ present
    means = ratio(times @ values, below)
    squares = ratio(times @ values**2, below) - means**2
    # A spread within rounding is not variation.
    least = ROUNDING * (values**2).max(axis=0, initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(np.where(squares > least, squares, 0.0) / (below - 1.0))


def _means(times: Floats, values: Floats, present: Bools, *, angle: bool) -> Floats:
    """Return the mean of each draw (rows) and offset."""
    below = times @ present
    filled = np.where(present, values, 0.0)
    if not angle:
        return ratio(times @ filled, below)
    east, north = (times @ np.where(present, part, 0.0) for part in unit_vectors(filled))
    return direction(east, north, below)


def _reasons(part: dict[str, Any], events: int) -> list[str]:
    """Return, for each offset, why something is missing."""
    if not events:
        return ["no event was given"] * len(part["n"])
    reasons = []
    for n, changed in zip(part["n"].tolist(), part["n_change"].tolist(), strict=True):
        if n == 0:
            reasons.append("no event has a value here")
        elif changed == 0:
            reasons.append("no event with a value here has a baseline")
        elif n < LEAST_EVENTS:
            reasons.append(f"fewer than {LEAST_EVENTS} events have a value here: no band")
        elif changed < LEAST_EVENTS:
            reasons.append(
                f"fewer than {LEAST_EVENTS} events have a baseline: no band of the change"
            )
        else:
            reasons.append("")
    return reasons
