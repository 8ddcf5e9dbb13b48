"""Longer intervals: each field by its rule of aggregation in the catalogue."""

from typing import Any

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.readings import blink_totals
from eyelog.analysis.gait.pace import pace_totals
from eyelog.analysis.grouped import reductions
from eyelog.analysis.grouped.groups import Groups, bin_seconds, time_groups
from eyelog.analysis.grouped.summary import (
    BIN_COLUMNS,
    as_counts,
    coverage,
    records_of,
    sorted_frame,
    time_weights,
    trusted,
)
from eyelog.analysis.quality.evidence import seconds
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.catalogue import INTERVAL_SECONDS, Field, catalogue
from eyelog.errors import ConfigurationError
from eyelog.frame import interval_seconds, is_resampled, log_of, require, stamps
from eyelog.provenance import record

__all__ = ["resample"]


def resample(
    frame: pd.DataFrame,
    every: str,
    *,
    min_coverage: float = 0.5,
    judge: bool = True,
    stamp: str = "end",
    log: str | None = None,
) -> pd.DataFrame:
    """Return the frame in longer intervals, each field by its rule in the catalogue.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or one that `resample` has made.
    every : str
        Width of the bins: up to a day (``"10min"``, ``"1h"``), days (``"1D"``, ``"7D"``) or weeks
        (``"W"``, Monday to Sunday); a whole multiple of the frame's own interval. Bins are cut at
        local midnight, so none holds parts of two days.
    min_coverage : float
        Least share of the expected records of a bin, 0 to 1; below it a value is missing. The
        records are those that hold the field, or its weight where the rule is weighted (so a gait
        field does not ask that most of the bin is walked).
    judge : bool
        Mask first what `eyelog.flag` flags. Bins are not judged again.
    stamp : {"end", "start"}
        Whether a stamp closes its interval (bins closed on the right, stamped by their end) or
        opens it (closed on the left, stamped by their start).
    log : str, optional
        Which log it is, where neither the provenance nor the columns show it.

    Returns
    -------
    DataFrame
        Index ``date``: every bin from the first record to the last, in the frame's zone. Columns:
        the fields of the frame as float64 (a boolean is the share of intervals that are true), in
        catalogue order, then float64 ``pace_steps`` and ``pace_min`` (steps and minutes of the
        walking that a pace is based on, see `eyelog.gait.pace`), ``blink_n`` and ``blink_min``
        (blinks or gaps and usable minutes that the rate is based on, see `eyelog.blinks.rate`),
        ``valid_min``, ``walking_min`` (minutes that were valid and walked), int64 ``n`` (records),
        float64 ``exposure_min`` (minutes worn; missing where the evidence of wear is) and
        ``coverage`` (records / expected records). A bin without records has ``n`` 0 and missing
        values. Texts and fields unknown to the catalogue have no rule and are left out; the
        provenance names them.

    Raises
    ------
    FieldError
        If the frame lacks the weight of one of its fields.
    MixedLogsError
        If the frame holds fields of both logs.
    ConfigurationError
        If the width, `min_coverage` or the index cannot be used, or nothing shows which log it is.

    Notes
    -----
    Rules: ``sum``; ``max``; ``last``; ``mean``; ``wmean`` = sum(w x) / sum(w), missing where the
    weights sum to 0; ``pooled_sd`` = sqrt(sum(w s^2) / sum(w)), the typical SD within an interval;
    ``rms`` = sqrt(sum(w x^2) / sum(w)), for averages that are root mean squares themselves;
    ``circ_mean``, the direction of the mean unit vector (Fisher 1993). Sums, largest, last, shares
    and weighted values of bins of bins are those of the records themselves, as long as
    `min_coverage` takes nothing out in between. Unweighted means, SDs and directions are weighted
    by the time of the bins (valid for resting eye data, worn for the rest of what is measured on
    the head); a field's own count is not in a bin.

    Examples
    --------
    >>> import eyelog as el
    >>> bins = el.resample(el.sample("standard_mode_logs"), "10min")
    >>> bool((bins["n"] <= 10).all()), set(bins.index.minute % 10)
    (True, {0})
    """
    which = log_of(frame, log)
    if not 0 <= min_coverage <= 1:
        raise ConfigurationError(f"min_coverage must be from 0 to 1, not {min_coverage!r}")
    known = catalogue(which)
    names = [str(name) for name in frame.columns if name not in BIN_COLUMNS]
    kept = [name for name in known if name in names and known[name].agg != "none"]
    for name in kept:
        require(frame, known[name].weight, purpose=f"resample of {name!r}")
    frame, _ = sorted_frame(frame)
    groups = time_groups(stamps(frame, what="resample"), every, stamp=stamp)
    width = bin_seconds(every)
    own = interval_seconds(frame, which)
    if width % own or width < own:
        raise ConfigurationError(
            f"cannot resample intervals of {own:g} s to {every!r}:"
            f" take a whole multiple of {own:g} s"
        )
    records = records_of(frame)
    time = seconds(frame, log=which)
    frame = trusted(frame, which, judge=judge)
    bins = _Bins(frame, which, groups, records, time, min_coverage)
    data: dict[str, Any] = {name: bins.value(known[name]) for name in kept}
    taken, walked = pace_totals(frame, which, groups)
    data |= {"pace_steps": taken, "pace_min": walked / 60.0}
    blinks, usable = blink_totals(frame, which, groups)
    data |= {"blink_n": blinks, "blink_min": usable / 60.0}
    for noun in ("valid", "walking"):
        data[f"{noun}_min"] = reductions.total(numbers(time[f"{noun}_s"]), groups) / 60.0
    recorded = numbers(time["recorded_s"]) > 0
    data["n"] = as_counts(reductions.total(np.where(recorded, records, 0.0), groups))
    data["exposure_min"] = reductions.total(numbers(time["worn_s"]), groups) / 60.0
    data["coverage"] = coverage(recorded, records, groups, which)
    result = pd.DataFrame(data, index=groups.labels, columns=[*kept, *BIN_COLUMNS])
    result.attrs = dict(frame.attrs)
    return record(
        result,
        "resample",
        log=which,
        every=str(every),
        interval_s=width,
        stamp=stamp,
        min_coverage=float(min_coverage),
        left_out=[name for name in names if name not in kept],
    )


class _Bins:
    """The values of one frame, bin by bin."""

    def __init__(
        self,
        frame: pd.DataFrame,
        log: str,
        groups: Groups,
        records: Floats,
        time: pd.DataFrame,
        min_coverage: float,
    ) -> None:
        self.frame, self.log, self.groups, self.records = frame, log, groups, records
        self.least = min_coverage
        self.resampled = is_resampled(frame)
        self.time = time
        self._weights: dict[tuple[str, ...], tuple[Floats, Floats]] = {}

    def value(self, field: Field) -> Floats:
        """Return one field by its rule, missing where too little of the bin is covered."""
        values = numbers(self.frame[field.name])
        weights: Floats | None
        if field.weight:
            weights, covered = self._weight(field.weight)
        else:
            weights, covered = self._time(field), self._coverage(values)
        reduced = reductions.by_rule(field.agg, values, weights, self.groups)
        return np.where(covered >= self.least, reduced, np.nan)

    def _coverage(self, values: Floats) -> Floats:
        if self.resampled:
            return coverage(~np.isnan(values), self.records, self.groups, self.log)
        room = self.groups.seconds / INTERVAL_SECONDS[self.log]
        return np.minimum(reductions.count_values(values, self.groups) / room, 1.0)

    def _weight(self, names: tuple[str, ...]) -> tuple[Floats, Floats]:
        if names not in self._weights:
            weights = reductions.sum_fields(self.frame, names)
            self._weights[names] = weights, self._coverage(weights)
        return self._weights[names]

    def _time(self, field: Field) -> Floats | None:
        """Return the weights of bins; single intervals weigh alike."""
        if not self.resampled:
            return None
        return time_weights(self.time, field.kind, self.records)
