"""Longer intervals: each field is aggregated by its rule in the catalogue."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any, TypeAlias, Unpack, cast

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.readings import blink_totals
from eyelog.analysis.gait.pace import pace_totals
from eyelog.analysis.grouped import reductions
from eyelog.analysis.grouped.groups import Groups, bin_seconds, time_groups
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.summary import (
    BIN_COLUMNS,
    CLOSING,
    MOVES,
    TOTAL,
    WEIGHT,
    as_counts,
    counted_column,
    counted_s,
    coverage,
    lone_rows,
    records_of,
    time_weights,
    trusted,
    weight_values,
    whole_sum,
    whole_values,
)
from eyelog.analysis.quality.evidence import Evidence, seconds_of
from eyelog.analysis.quality.unjudged import one_warning
from eyelog.analysis.series.arrays import Arrays, Bools, Floats, Ints, numbers
from eyelog.catalogue import Field, catalogue, log_named, role
from eyelog.checks import proportion
from eyelog.clock import DAY_US, LocalClock, microseconds
from eyelog.cores import on_cores, shared_out
from eyelog.errors import ConfigurationError
from eyelog.frame import (
    BIN_WIDTH,
    OFFSET,
    OWN_COLUMNS,
    bin_widths,
    interval_seconds,
    is_resampled,
    require,
    stamps,
)
from eyelog.provenance import derived

__all__ = ["resample"]


@one_warning()
@with_frame_options
def resample(
    frame: pd.DataFrame,
    every: str,
    *,
    min_coverage: float = 0.5,
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return the frame in longer intervals, each field by its rule in the catalogue.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or one that `resample` has made.
    every : str
        Width of the bins: up to a day (``"10min"``, ``"1h"``), days (``"1D"``, ``"7D"``) or weeks
        (``"W"``, Monday to Sunday); a whole multiple of the frame's own interval. Bins are cut at
        local midnight, so none contains parts of two days.
    min_coverage : float
        Least share of the expected records of a bin, 0 to 1; below it a value is missing. The
        records are those with the field, or with its weight if the rule is weighted (so a gait
        field does not require that most of the bin is walked).
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    judge : bool
        First mask the values that `eyelog.flag` flags. Masked frames and bins are not judged again.
        Without it, records that hold invalid values, or values of unworn time, are refused.
    stamp : {"end", "start"}
        Whether a stamp closes its interval (bins closed on the right, stamped by their end) or
        opens it (closed on the left, stamped by their start).
    log : str, optional
        The log, if neither the provenance nor the columns show it.

    Returns
    -------
    DataFrame
        Index ``date``: every bin from the first record to the last, in the frame's zone. Days are
        those of the wearer's clock, which ``utc_offset_min`` states where the zone varies; that
        column is kept, with the offset at the end of each bin. Columns:
        the fields of the frame as float64 (a boolean is the share of intervals that are true), in
        catalogue order, then float64 ``pace_steps`` and ``pace_min`` (steps and minutes of the
        walking that a pace is based on, see `eyelog.gait.pace`), ``blink_n`` and ``blink_min``
        (blinks or gaps and usable minutes that the rate is based on, see `eyelog.blinks.rate`),
        ``valid_min``, ``walking_min`` (minutes that were valid and walked), int64 ``n`` (records),
        float64 ``recorded_min``, ``exposure_min`` (minutes worn; missing if the evidence of wear
        is), ``coverage`` (recorded time / width) and ``bin_s`` (width of the bin in seconds;
        shorter if midnight or the clock cuts it), and boolean ``closing_alone`` (its only record is
        the one stamped at the midnight that closes it, see `eyelog.daily`). Bins are recognised by
        these columns; a table can hold bins of several widths that follow one another. A bin
        without records has ``n`` 0 and missing values. Texts and fields unknown to the catalogue
        have no rule and are left out; the provenance names them.

        Between these and the fields are columns that summaries of the bins need: ``NAME_total``
        (the whole sum of a field, which `min_coverage` leaves as it is), ``NAME_weight`` (the
        weight behind a weighted value, float64) and the minutes in which movements could be counted
        (such as ``head_moves_pitch_min``).

    Raises
    ------
    FieldError
        If the frame lacks the weight of one of its fields.
    ConfigurationError
        If the width, `min_coverage` or the index cannot be used, nothing shows which log it is,
        the records overlap (two sources), or the frame was masked with other limits.

    Notes
    -----
    Rules: ``sum``; ``max``; ``last``; ``mean``; ``wmean`` = sum(w x) / sum(w), missing if the
    weights sum to 0; ``pooled_sd`` = sqrt(sum(w s^2) / sum(w)), the typical SD within an interval;
    ``rms`` = sqrt(sum(w x^2) / sum(w)), for averages that are root mean squares themselves;
    ``circ_mean``, the direction of the mean unit vector (Fisher 1993). Resampling bins again gives
    the sums of the records themselves at any `min_coverage`, and the same largest, last, share and
    weighted values as long as it removes no value in between. Unweighted means, SDs and directions
    are weighted by the time of the bins (valid for resting eye data, worn for other measurements on
    the head); a field's own count is not in a bin.

    A bin does not show its records. A record with only some of its classes of steps, or of its
    directions of movement, adds these to the bin, but nothing to a summary of the records; the same
    applies to a movement in a record without evidence of wear, whose time is not known.

    Examples
    --------
    >>> import eyelog as el
    >>> bins = el.resample(el.sample("standard_mode_logs"), "10min")
    >>> bool((bins["n"] <= 10).all()), set(bins.index.minute % 10)
    (True, {0})
    """
    opened = open_frame(frame, "resample", **options)
    frame, which = opened.frame, opened.log
    if opened.judge:
        opened.warn_of_lacking()
    min_coverage = proportion(min_coverage, "min_coverage")
    by_name = catalogue(which)
    names = _own_names(frame, by_name)
    kept = [name for name in by_name if name in names and by_name[name].agg != "none"]
    for name in kept:
        require(frame, by_name[name].weight, purpose=f"resample of {name!r}")
    clock = opened.clock()
    groups = time_groups(opened.index(), every, stamp=opened.stamp, clock=clock)
    _check_width(frame, which, every)
    records = records_of(frame)
    evidence = opened.evidence()
    table = trusted(evidence.frame, evidence, opened)
    bins = _Bins(table, evidence, groups, records, min_coverage)
    parts = shared_out([by_name[name] for name in kept])
    calls: list[Callable[[], Made]] = [
        bins.exposures,
        *(partial(bins.values, part) for part in parts),
    ]
    times, *values = on_cores(calls, values=frame.size)
    data: dict[str, Any] = {}
    carried: dict[str, Any] = {}
    for made, beside in (*values, times):
        data |= made
        carried |= beside
    data[BIN_WIDTH] = groups.seconds
    data[CLOSING] = _closing_alone(frame, groups, clock, opened.stamp)
    columns = [*kept, *carried, *BIN_COLUMNS]
    if OFFSET in frame.columns:
        data[OFFSET] = groups.offsets_min(clock)
        columns.append(OFFSET)
    result = pd.DataFrame(data | carried, index=groups.labels, columns=columns)
    return derived(
        result,
        table,
        "resample",
        log=which,
        every=str(every),
        interval_s=bin_seconds(every),  # for the units on axes
        stamp=opened.stamp,
        min_coverage=min_coverage,
        limits=opened.limits.details(),
        left_out=[name for name in names if name not in kept],
    )


# Columns of the bins, and those to carry beside them.
Made: TypeAlias = tuple[dict[str, Any], dict[str, Any]]


class _Bins:
    """The values of one frame, bin by bin."""

    def __init__(
        self,
        frame: Arrays,
        evidence: Evidence,
        groups: Groups,
        records: Floats,
        min_coverage: float,
    ) -> None:
        self.frame, self.log, self.groups, self.records = frame, evidence.log, groups, records
        self.least, self.known = min_coverage, evidence
        self.resampled = is_resampled(frame)
        self._weights: dict[tuple[str, ...], tuple[Floats, Floats]] = {}

    @cached_property
    def time(self) -> Arrays:
        """The seconds of each row that were recorded, worn, valid and walked."""
        return seconds_of(self.known)

    def exposures(self) -> Made:
        """Return the time and the counts behind the values of each bin."""
        frame, groups, time = self.frame, self.groups, self.time
        minutes = {
            f"{noun}_min": reductions.total(numbers(time[f"{noun}_s"]), groups) / 60.0
            for noun in ("recorded", "worn", "valid", "walking")
        }
        taken, walked = pace_totals(frame, self.known, groups)
        blinks, usable = blink_totals(frame, self.log, groups)
        recorded_n = np.where(numbers(time["recorded_s"]) > 0, self.records, 0.0)
        recorded = np.nan_to_num(minutes["recorded_min"])
        data = {
            "n": as_counts(reductions.total(recorded_n, groups)),
            "coverage": np.minimum(recorded * 60.0 / groups.seconds, 1.0),
            "exposure_min": minutes.pop("worn_min"),
            **minutes,
            "recorded_min": recorded,
            "pace_steps": taken,
            "pace_min": walked / 60.0,
            "blink_n": blinks,
            "blink_min": usable / 60.0,
        }
        return data, _counted(frame, self.log, groups, time)

    def values(self, fields: Iterable[Field]) -> Made:
        """Return fields by their rules, missing if too little of the bin is covered.

        Also return the columns to carry beside them: whole sums, and weights behind values.
        """
        data: dict[str, Any] = {}
        carried: dict[str, Any] = {}
        for field in fields:
            values = whole_values(self.frame, field.name)
            if field.weight:
                weights, covered = self._weight(field)
                reduced, behind = reductions.weighted_by_rule(
                    field.agg, values, weights, self.groups
                )
                carried[f"{field.name}{WEIGHT}"] = behind
            else:
                # The same column where possible: each time it is requested, it is judged again.
                whole = f"{field.name}{TOTAL}" in self.frame.columns
                covered = self._coverage(numbers(self.frame[field.name]) if whole else values)
                reduced = reductions.by_rule(field.agg, values, self._time(field), self.groups)
            if field.agg == "sum":
                carried[f"{field.name}{TOTAL}"] = reduced
            data[field.name] = np.where(covered < self.least, np.nan, reduced)
        return data, carried

    def _coverage(self, values: Floats) -> Floats:
        if self.resampled:
            return coverage(~np.isnan(values), self.records, self.groups, self.log)
        room = self.groups.seconds / log_named(self.log).interval_s
        return np.minimum(reductions.count_values(values, self.groups) / room, 1.0)

    def _weight(self, field: Field) -> tuple[Floats, Floats]:
        own = f"{field.name}{WEIGHT}" in self.frame.columns
        key = (field.name,) if own else field.weight
        if key not in self._weights:
            weights = weight_values(self.frame, field.name, field.weight)
            covered = self._coverage(reductions.sum_fields(self.frame, field.weight))
            self._weights[key] = weights, covered
        return self._weights[key]

    def _time(self, field: Field) -> Floats | None:
        """Return the weights of bins; single intervals have equal weights."""
        if not self.resampled:
            return None
        return time_weights(self.time, field.kind, self.records)


def _own_names(frame: pd.DataFrame, by_name: Mapping[str, Field]) -> list[str]:
    """Return the columns except those that only an earlier `resample` wrote."""
    written = {*BIN_COLUMNS, *OWN_COLUMNS} | {counted_column(part) for part in MOVES}
    written |= {f"{name}{end}" for name in by_name for end in (TOTAL, WEIGHT)}
    return [str(name) for name in frame.columns if name not in written]


def _counted(frame: Arrays, log: str, groups: Groups, time: Arrays) -> dict[str, Floats]:
    """Return the minutes in which movements of the eyes and the head could be counted."""
    carried = {}
    for part in MOVES:
        names = role(log, part)
        if not names or not set(names) <= set(frame.columns):
            continue
        made = whole_sum(frame, names)
        spent = np.where(np.isnan(made), np.nan, counted_s(frame, part, time))
        carried[counted_column(part)] = reductions.total(spent, groups) / 60.0
    return carried


def _check_width(frame: pd.DataFrame, log: str, every: str) -> None:
    """Raise unless whole rows fit into the bins."""
    width = bin_seconds(every)
    try:
        own = np.array([interval_seconds(frame, log)])
    except ConfigurationError:
        own = np.unique(bin_widths(frame))
    rest = np.rint(width * 1e6) % np.rint(own * 1e6)  # 0.05 s has no exact binary form
    unfit = own[(rest != 0) | (width < own)]
    if len(unfit):
        raise ConfigurationError(
            f"cannot resample intervals of {unfit[-1]:g} s to {every!r}:"
            f" take a whole multiple of {unfit[-1]:g} s"
        )


def _closing_alone(frame: pd.DataFrame, groups: Groups, clock: LocalClock, stamp: str) -> Bools:
    """Return which bins have only the record that closes them and their day."""
    if stamp != "end" or not len(groups):
        return np.zeros(len(groups), dtype=bool)
    us = microseconds(stamps(frame, what="resample"))
    closes = cast(Ints, groups.closes_us)
    firsts = np.minimum(groups.bounds[:-1], len(us) - 1)
    alone = (groups.sizes == 1) & (us[firsts] == closes)
    lone = lone_rows(frame)
    if lone is not None:
        alone &= lone[firsts]
    before, after = (clock.wall_us(at[alone]) // DAY_US for at in (closes - 1, closes))
    alone[alone] = before != after
    return np.asarray(alone, dtype=bool)
