"""Longer intervals: to be summarised, or to look at, with each field by its rule."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.catalogue import catalogue, log_named
from eyelog.checks import proportion
from eyelog.clock import stamps_at
from eyelog.errors import ConfigurationError
from eyelog.frame import BETWEEN, LIMITS, OFFSET, OWN_COLUMNS, derived, require, takes_tables
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.judge.intervals import LONGEST, WIDTH, Rows, bins, enter, parse_width, sums
from eyelog.judge.limits import DEFAULT, Limits, limits_column
from eyelog.judge.records import Records
from eyelog.judge.terms import SUBJECTS, Columns, Counted, filled, ratio, vectors
from eyelog.measure.groups import FORMS, as_counts

SQUARES: Final = ("pooled_sd", "rms")  # rules by which squares are averaged
AVERAGES: Final = ("mean", "wmean", *SQUARES)
# What each rule adds up, and what its value is of these sums.
RULES: Final = {
    "sum": ("amount", ("sum",)),
    "max": ("amount", (f"{LONGEST}value",)),
    "last": ("amount", (f"{LONGEST}row",)),
    "circ_mean": ("direction", ("mean_cos", "mean_sin", "mean_n")),
    **dict.fromkeys(AVERAGES, ("ratio", ("above", "below"))),
    **dict.fromkeys(SQUARES, ("root", ("above", "below"))),
}


@takes_tables
def intervals(
    frame: pd.DataFrame,
    every: str | None = None,
    *,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return what each interval adds to any summary: the table that every summary works on.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals.
    every : str, optional
        Width of the rows: up to a day (``"10min"``, ``"1h"``), days (``"1D"``) or weeks (``"W"``,
        Monday to Sunday); a whole multiple of the width of `frame`. Default: one row per record.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night. Default: midnight.

    Returns
    -------
    DataFrame
        Index ``date``: when each interval opens, in the frame's zone. Only intervals with records.
        Float64 columns, each of which can be summed over any rows (missing where nothing is known);
        the sums of a day give its row of `eyelog.daily`, whatever the width:

        - counts: ``n`` (records), ``steps``, blinks or gaps between them, movements;
        - seconds: ``recorded_s``, ``worn_s``, ``valid_s``, ``walking_s``, ``lasting_s`` (of runs of
          wear of at least ``limits.min_run``), and those in which each count could be made
          (``pace_s``, ``gap_s``, ``head_moves_yaw_s``);
        - sums: of a score (``sc_fcs_sum``), how many (``sc_fcs_n``), how many are high
          (``sc_fcs_high``); of squares (ending in ``2``), where an SD is wanted; of sines and
          cosines of a tilt.

        And some that are no sums: ``width_s`` (how long the row lasts: shorter if midnight or the
        clock cuts it), where the zone varies ``utc_offset_min``, and, if they are not the default
        ones, ``limits`` (a category: those that differ, as JSON).

    Raises
    ------
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If the width or the index cannot be used, nothing shows which log it is, the records overlap
        (two sources), or the frame was masked with other limits.

    Notes
    -----
    The values are judged here, as `eyelog.flag` does, and only those without a reason against them
    are added. An interval belongs to the row in which it opens. Intervals of several stretches of
    time can be put together with `pandas.concat`, stored, read back and made wider: the numbers of
    every summary stay the same, except for the coverage of all rows and of hours, weekdays and
    weekends, whose time is that between the first row and the last (`eyelog.coverage`).

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> tens = el.intervals(frame, "10min")
    >>> days = el.daily(tens)
    >>> bool((days["steps"] == el.daily(frame)["steps"]).all())
    True
    """
    rows = enter(
        frame, "intervals", SUBJECTS, limits=limits, log=log, day_starts=day_starts, time=True
    )
    if every is None:
        opens, widths = rows.opens_us, (rows.closes_us - rows.opens_us) / 1e6
        parts = [rows.columns(part, [rows.time, *SUBJECTS]) for part in rows.parts]
        data = {name: np.concatenate([filled(part[name]) for part in parts]) for name in parts[0]}
    else:
        check_width(rows, every)
        found = bins(rows, every)
        opens, widths = found.opens_us, found.seconds
        data = sums(rows, found, SUBJECTS)
    table = pd.DataFrame({WIDTH: widths} | data, index=stamps_at(opens, rows.tz).rename("date"))
    if rows.clock.tz is None:
        table[OFFSET] = rows.clock.offset_min(opens)
    if rows.limits != DEFAULT:
        table[LIMITS] = limits_column(rows.limits, len(table))
    if rows.cut:
        asked = ",".join(sorted(rows.given[BETWEEN].unique()))
        table[BETWEEN] = pd.Series(asked, table.index, dtype="str")
    details: dict[str, Any] = {
        "every": every,
        "limits": rows.limits.details(),
        "day_starts": day_starts,
    }
    return derived(table, frame, "intervals", log=rows.log or None, **details)


@takes_tables
def resample(
    frame: pd.DataFrame,
    every: str,
    *,
    min_coverage: float = 0.0,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the frame in longer intervals, each field by its rule in the catalogue.

    The bins are for looking, drawing and joining. Summaries take the records, or
    ``eyelog.intervals(frame, every)``, which adds up to the same numbers.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    every : str
        Width of the bins: up to a day (``"10min"``, ``"1h"``), days (``"1D"``, ``"7D"``) or weeks
        (``"W"``, Monday to Sunday); a whole multiple of the frame's own interval. Bins are cut at
        local midnight, so none contains parts of two days.
    min_coverage : float
        Smallest share of a bin that must be recorded, 0 to 1; below it the values are missing.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night. Default: midnight.

    Returns
    -------
    DataFrame
        Index ``date``: when each bin opens, as pandas names bins, in the frame's zone; every bin
        from the first record to the last. Days are those of the wearer's clock. Columns: the fields
        of the frame as float64 (a boolean is the share of intervals that are true), in catalogue
        order; your own columns of numbers (such as the CO2 of a room) by their mean; then int64
        ``n`` (records), float64 ``coverage`` (recorded time / width) and, where the zone varies,
        ``utc_offset_min``. A bin without records has ``n`` 0, ``coverage`` 0 and missing values.
        Texts and fields without a rule are left out; the provenance names them.

    Raises
    ------
    MixedLogsError
        If the frame has fields of both logs.
    FieldError
        If the frame lacks the weight of one of its fields.
    ConfigurationError
        If the width, `min_coverage`, `day_starts` or the index cannot be used, nothing shows which
        log it is, the frame holds bins or Intervals, the records overlap (two sources), the frame
        was masked with other limits, or the bins between the first record and the last are very
        many and hardly any hold records.

    See Also
    --------
    eyelog.intervals : Longer intervals for summaries.

    Notes
    -----
    The values are judged first, as by `eyelog.flag` and `eyelog.mask`; an interval belongs to the
    bin in which it opens. Rules: ``sum``; ``max``; ``last``; ``mean``; ``wmean`` = sum(w x) /
    sum(w), missing if the weights sum to 0; ``pooled_sd`` = sqrt(sum(w s^2) / sum(w)), the typical
    SD within an interval; ``rms`` = sqrt(sum(w x^2) / sum(w)), for averages that are root mean
    squares themselves; ``circ_mean``, the direction of the mean unit vector (Fisher 1993).

    Examples
    --------
    >>> import eyelog as el
    >>> bins = el.resample(el.sample("standard_mode_logs"), "10min")
    >>> bool((bins["n"] <= 10).all()), set(bins.index.minute % 10)
    (True, {0})
    """
    min_coverage = proportion(min_coverage, "min_coverage")
    rules: dict[Any, tuple[str, tuple[str, ...]]] = {}

    def terms(records: Records) -> Counted:
        made: Counted = {}
        first = records.place.start or 0
        for name, (rule, by) in rules.items():
            used, values = records.judged(name)
            weights = [records.judged(each) for each in by]
            for each in weights:
                used = used & each.used
            weight = [reduce(np.add, [each.values for each in weights])] if by else []
            own = terms_of(rule, used, values, weight, first)
            made |= {f"{term} of {name}": column for term, column in own.items()}
        return made

    rows = enter(frame, "resample", [], limits=limits, log=log, day_starts=day_starts, wide=False)
    fields = catalogue(rows.log)
    kept = [name for name in fields if name in rows.frame.columns and fields[name].agg != "none"]
    rules |= {name: (fields[name].agg, fields[name].weight) for name in kept}
    for name in kept:
        require(rows.frame, fields[name].weight, purpose=f"resample of {name!r}")
    others = [n for n in rows.frame.columns if n not in rules and n not in OWN_COLUMNS]
    own = [
        name
        for name in others
        if name not in fields and pd.api.types.is_numeric_dtype(rows.frame[name].dtype)
    ]
    rules |= dict.fromkeys(own, ("mean", ()))
    rows.columns(slice(0, 0), [terms])  # asks for the fields
    rows.warn()
    check_width(rows, every)
    found = bins(rows, every, empty=True)
    total = sums(rows, found, [terms])
    opens = found.opens_us
    seconds = rows.asked_s(opens, found.closes_us)
    coverage = np.minimum(np.nan_to_num(ratio(total["recorded_s"], seconds)), 1.0)
    data: dict[Any, Any] = {}
    for name, (rule, _) in rules.items():
        values = value_of(rule, total, f" of {name}")
        if rule == "last":
            row = np.nan_to_num(values).astype(np.int64)
            values = np.where(np.isnan(values), np.nan, numbers(rows.frame[name], name)[row])
        data[name] = np.where(coverage < min_coverage, np.nan, values) if min_coverage else values
    data |= {"n": as_counts(total["n"]), "coverage": coverage}
    if rows.clock.tz is None:
        data[OFFSET] = rows.clock.offset_min(opens)
    index = stamps_at(opens, rows.tz).rename("date")
    return derived(
        pd.DataFrame(data, index=index),
        frame,
        "resample",
        log=rows.log,
        every=str(every),
        interval_s=parse_width(every)[2] / 1e6,  # for the units on axes
        stamp="start",
        min_coverage=min_coverage,
        limits=rows.limits.details(),
        left_out=[str(name) for name in others if name not in rules],
    )


def check_width(rows: Rows, every: str) -> None:
    """Raise unless whole rows fit into the bins."""
    kind, _, width = parse_width(every)
    if not rows.made:
        own = np.array([log_named(rows.log).interval_us])
    else:
        own = np.unique(rows.closes_us - rows.opens_us)
    unfit = own[(own > width) | (width % own != 0)] if kind == "span" else own[own > width]
    # Rows that midnight or a change of the clock has cut are shorter than the others.
    if len(unfit) and (unfit.max() == own.max() or kind != "span"):
        raise ConfigurationError(
            f"intervals of {unfit[-1] / 1e6:g} s do not fit into {every!r}:"
            f" take a whole multiple of {unfit[-1] / 1e6:g} s"
        )


def terms_of(
    rule: str, used: Bools, values: Floats, weight: Sequence[Floats] = (), first: int = 0
) -> Counted:
    """Return what the rule of a field adds up; the last value is that of the largest row."""
    if rule in AVERAGES:
        squared = (values, values) if rule in SQUARES else (values,)
        return {"above": (used, *weight, *squared), "below": (used, *weight)}
    if rule == "circ_mean":
        return vectors("mean", used, values)
    if rule == "last":
        return {f"{LONGEST}row": (used, np.arange(first, first + len(values)))}
    return {RULES[rule][1][0]: (used, values)}


def value_of(rule: str, total: Columns, of: str = "") -> Floats:
    """Return a field of each bin by its rule; the names of its sums end with `of`."""
    form, terms = RULES[rule]
    return np.asarray(FORMS[form](*(total[f"{term}{of}"] for term in terms)))
